package extract

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "dkron",
	Title: "Dkron jobs",
	Files: []string{"*.json", "*.yaml", "*.yml"},
	Match: func(_ string, d *doc.Document) bool {
		jobs := d.Root.Many()
		return len(jobs) > 0 && dkronJob(jobs[0])
	},
	Read: func(d *doc.Document, out *Out) {
		for _, j := range d.Root.Many() {
			if dkronJob(j) {
				readDkron(j, out)
			}
		}
	},
	Keys: []Key{
		{"retries", "retries", "0, Dkron", "1 attempt", "refused"},
		{"executor_config.url, method, headers, timeout", "the request of the http executor; timeout in seconds", "", "", ""},
		{"concurrency", "allow or forbid runs beside each other", "allow", "", ""},
	},
	Doc: `A run that fails is repeated retries times, at once and on the same node. The schedule is the entry. The callee is the URL of the http executor, or what the shell
executor's command calls. Source: catalogue, F13.`,
	Example: `
-- bill.json --
{
  "name": "bill",
  "schedule": "@every 24h",
  "retries": 3, // want layer "attempts=4 backoff=none"
  "executor": "http",
  "executor_config": {
    "method": "POST",
    "url": "http://invoices.fin.svc:8080/runs", // want edge "POST host:invoices.fin /runs key=none timeout=30s"
    "timeout": "30"
  }
}
-- jobs.json --
[{"name": "warm", "schedule": "@hourly", "executor": "shell", "retries": 0, "executor_config": {"command": "curl -fsS http://cache.example.test/warm"}}] // want layer "attempts=1" edge "GET host:cache.example.test"
`,
})

func dkronJob(j *doc.Node) bool {
	return j.Get("name").Exists() && j.Get("schedule").Exists() && j.Get("executor").Exists() && !j.Get("apiVersion").Exists()
}

func readDkron(j *doc.Node, out *Out) {
	name := plain(j.Get("name"))
	self := model.N(model.SpaceWorkload, "dkron/"+out.Repo+"/"+name)
	out.Node(model.Node{Name: self, Kind: model.NodeSchedule, At: out.Loc(j.Get("schedule")), Label: "Dkron job " + name, Entry: true})
	if r := j.Get("retries"); r.Exists() {
		l := model.Layer{Kind: model.KindScheduler, In: self, Whole: true, Label: "Dkron retries", Policy: model.Policy{On: model.OnError, Backoff: model.NoBackoff()}}
		out.count(&l, r, j, counting{offset: 1, zero: once, negative: refused})
		out.Layer(l)
	}
	c := j.Get("executor_config")
	switch plain(j.Get("executor")) {
	case "http":
		u := c.Get("url")
		e := model.Edge{Method: upper(c.Get("method").Str("GET")), Key: model.Key{How: model.KeyNone, At: out.Loc(u)}}
		if d, ok := c.Get("timeout").Duration(time.Second); ok {
			e.Timeout = model.For(d)
		}
		var headers []string
		if h := c.Get("headers"); (h.Kind() == doc.Scalar || h.Kind() == doc.Unknown) && json.Unmarshal([]byte(h.Str()), &headers) == nil {
			for _, line := range headers {
				k, v, _ := strings.Cut(line, ":")
				if IdempotencyHeader(strings.TrimSpace(k)) {
					e.Key = model.Key{How: model.KeyConstant, Sink: strings.TrimSpace(k), Sources: model.FromConstant, At: out.Loc(h), Text: strings.TrimSpace(v)}
					if strings.Contains(v, "{{") || strings.Contains(v, "${") {
						e.Key.How, e.Key.Sources = model.KeyDerived, model.FromInput // filled in elsewhere, for each run or each file
					}
				}
			}
		}
		if u.Kind() == doc.Scalar {
			out.urlEdge(self, u, e)
		}
	case "shell":
		if cmd := c.Get("command"); cmd.Kind() == doc.Scalar {
			for _, call := range shellCalls(cmd.Str()) {
				call.edge(self, "", cmd, out)
			}
		}
	}
}
