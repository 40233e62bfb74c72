package extract

import (
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "luigi",
	Title: "Luigi configuration",
	Files: []string{"luigi.toml", "luigi.cfg", "client.cfg"},
	Match: func(path string, d *doc.Document) bool {
		return d.Root.Get("scheduler").Exists() || d.Root.Get("worker").Exists() || d.Root.Get("core").Exists() || strings.Contains(path, "luigi")
	},
	Read: readLuigi,
	Keys: []Key{
		{"[scheduler] retry_count", "attempts within disable_window", "999999999, Luigi: no end", "", ""},
		{"[scheduler] retry_delay", "wait between attempts, seconds", "900, Luigi", "", ""},
		{"[scheduler] disable_window", "failures older than this are forgotten, seconds", "3600, Luigi", "", ""},
		{"[worker] keep_alive", "workers stay to run failed tasks again; without it a failed task is not retried in a run", "false, Luigi", "", ""},
	},
	Doc: `The scheduler gives a failed task to a worker again after retry_delay, until it has failed retry_count times within
disable_window. Where the attempts do not fit into the window it never gives up. Without [worker] keep_alive a worker leaves before a retry,
so a run has one attempt. The tasks are the sections with a target of their own (endpoint, url). Source: catalogue, F9.`,
	Example: `
-- luigi.toml --
[worker]
keep_alive = true
[scheduler]
retry_count = 3 # want layer "attempts=3 initial=1h"
retry_delay = 3600
disable_window = 86400
[Settle]
endpoint = "http://settle.pay.svc:8080/batches"
-- other/luigi.toml --
[worker]
keep_alive = true
[scheduler]
retry_count = 5 # want layer "attempts=unbounded"
-- off/luigi.cfg --
[scheduler]
retry_count = 5 # want layer "attempts=1"
`,
})

func readLuigi(d *doc.Document, out *Out) {
	sched, worker := d.Root.Get("scheduler"), d.Root.Get("worker")
	dir := out.Path
	self := model.N(model.SpaceWorkload, "luigi/"+out.Repo+"/"+dir)
	count := sched.Get("retry_count").Or(sched.Get("retry-count"))
	delayNode := sched.Get("retry_delay").Or(sched.Get("retry-delay"))
	window := sched.Get("disable_window").Or(sched.Get("disable_window_seconds")).Or(sched.Get("disable-window-seconds"))
	keep, _ := worker.Get("keep_alive").Or(worker.Get("keep-alive")).Bool()

	delay, w := 900*time.Second, time.Hour // Luigi's defaults
	if v, ok := delayNode.Duration(time.Second); ok {
		delay = v
	}
	if v, ok := window.Duration(time.Second); ok {
		w = v
	}
	l := model.Layer{Kind: model.KindScheduler, At: out.Loc(count.Or(sched)), In: self, Whole: true, Label: "Luigi retry_count"}
	p := model.Policy{On: model.OnError, Backoff: model.Constant(delay), Budget: model.BudgetWindowedRate}
	n, ok := count.Int()
	switch {
	case !keep:
		p.Attempts = model.Exactly(1)
		if count.Exists() {
			l.Traits = append(l.Traits, model.Trait{Kind: model.TraitIneffective, At: out.Loc(count), Detail: "retry_count has no effect without [worker] keep_alive = true"})
		}
	case !count.Exists():
		p.Attempts, l.Origin, l.DefaultBy = model.Unbounded(), model.OriginDefault, "Luigi: retry_count is 999999999 where it is not set"
		l.OffSwitch = "[scheduler] retry_count = 1"
	case !ok:
		if count.Kind() == doc.Scalar {
			out.Gap(count, "retry_count is %q, not a number", count.Str())
		}
	case n > 1 && time.Duration(n-1)*delay >= w:
		p.Attempts = model.Unbounded() // the oldest failure is forgotten before the last one comes
	default:
		p.Attempts = model.Exactly(max(n, 1))
	}
	l.Policy = p
	if !keep && !count.Exists() {
		return // nothing about retries is said or done
	}
	out.Node(model.Node{Name: self, Kind: model.NodeSchedule, At: out.Loc(count.Or(sched)), Label: "Luigi scheduler", Entry: true})
	out.Layer(l)
	for _, section := range d.Root.Entries() {
		if section.Value.Kind() != doc.Map {
			continue
		}
		switch section.Key {
		case "core", "worker", "scheduler", "resources", "retcode", "logging", "email", "smtp", "execution_summary":
			continue
		}
		for _, e := range section.Value.Entries() {
			luigiTarget(self, section.Key, e, out)
		}
	}
}

// luigiTarget makes a task's URL a call. What else the task sends is in its code: the key is unknown.
func luigiTarget(self model.Name, task string, e doc.Entry, out *Out) {
	if e.Value.Kind() != doc.Scalar || !strings.Contains(e.Value.Str(), "://") {
		return
	}
	switch strings.ToLower(e.Key) {
	case "endpoint", "url", "target_url", "api_url", "uri", "base_url", "target", "service_url":
	default:
		return
	}
	h := model.Host(e.Value.Str(), "")
	if h.IsZero() {
		return
	}
	out.Edge(model.Edge{From: self, To: h, Kind: model.EdgeRequest, At: out.Loc(e.Value), Path: pathOf(e.Value.Str()), Label: task})
}
