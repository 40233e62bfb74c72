package extract

import (
	"path"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "systemd",
	Title: "systemd units",
	Files: []string{"*.service", "*.timer", "*.conf"},
	Match: func(_ string, d *doc.Document) bool {
		return d.Syntax == doc.Systemd && (d.Root.Get("Service").Exists() || d.Root.Get("Timer").Exists())
	},
	Read: readSystemd,
	Keys: []Key{
		{"[Unit] StartLimitBurst", "starts within StartLimitIntervalSec", "5, systemd", "no end", "refused"},
		{"[Unit] StartLimitIntervalSec", "window of the starts, seconds", "10s, systemd", "no limit of starts", ""},
		{"[Service] Restart", "what is started again", "no, systemd", "", ""},
		{"[Service] RestartSec", "wait before a start, seconds", "100ms, systemd", "", ""},
		{"[Service] TimeoutStartSec", "limit of one attempt of a oneshot unit", "90s; none for oneshot", "", ""},
	},
	Doc: `A unit with Restart= is started again until StartLimitBurst starts fall into StartLimitIntervalSec; with RestartSec of 2 seconds or more the
default limit of 5 in 10 seconds is never reached, so there is no end. For a oneshot unit that is a retry of its task; for a
long-running one it is a crash loop, which is shown and is no factor. A timer is the entry, its next tick is no retry. The callee is ExecStart. Source: catalogue, G1.`,
	Example: `
-- settle.service --
[Unit]
StartLimitIntervalSec=1h
StartLimitBurst=4 # want layer "attempts=4 initial=1m kind=restart"
[Service]
Type=oneshot
Restart=on-failure
RestartSec=60
ExecStart=/usr/bin/curl -X POST http://settle.pay.svc/batches
-- forever.service --
[Service]
Type=oneshot
Restart=on-failure # want layer "attempts=unbounded initial=5s"
RestartSec=5
ExecStart=/usr/local/bin/settle
-- web.service --
[Service]
Restart=always # want layer "factorOf=false"
ExecStart=/usr/local/bin/web
`,
})

func readSystemd(d *doc.Document, out *Out) {
	r := d.Root
	unit := strings.TrimSuffix(path.Base(out.Path), path.Ext(out.Path))
	if t := r.Get("Timer"); t.Exists() {
		of := plain(t.Get("Unit"))
		if of == "" {
			of = unit
		}
		self := model.N(model.SpaceWorkload, "timer/"+out.Repo+"/"+unit)
		at := out.KeyLoc(exists(t.Get("OnCalendar"), t.Get("OnUnitActiveSec"), t))
		out.Node(model.Node{Name: self, Kind: model.NodeSchedule, At: at, Label: "timer " + unit, Entry: true})
		out.Edge(model.Edge{From: self, To: model.N(model.SpaceWorkload, "unit/"+out.Repo+"/"+strings.TrimSuffix(of, ".service")), Kind: model.EdgeSchedule, At: at})
		return
	}
	s, u := r.Get("Service"), r.Get("Unit")
	self := model.N(model.SpaceWorkload, "unit/"+out.Repo+"/"+unit)
	oneshot := s.Get("Type").Str() == "oneshot"
	node := model.Node{Name: self, Kind: model.NodeWorkload, At: out.KeyLoc(s), Label: "unit " + unit}
	if oneshot {
		node.Kind, node.Entry = model.NodeBatch, true
	}
	out.Node(node)
	svc := model.Service{Name: unit, Kind: "unit", At: node.At, Node: self, Names: []model.Name{self}}
	if oneshot {
		svc.Kind = "batch"
	}
	for _, key := range []string{"ExecStart", "ExecStartPre", "ExecStartPost"} {
		for _, n := range s.Get(key).Many() {
			cmd := strings.TrimLeft(n.Str(), "-@:+!|")
			for _, call := range shellCalls(cmd) {
				call.edge(self, "", n, out)
			}
			if f := strings.Fields(cmd); key == "ExecStart" && len(f) > 0 {
				svc.Commands = append(svc.Commands, f[0])
				addName(&svc, model.Image(strings.ToLower(path.Base(f[0]))))
			}
		}
	}
	for _, n := range s.Get("Environment").Many() {
		for _, pair := range strings.Fields(n.Str()) {
			if k, v, ok := strings.Cut(strings.Trim(pair, "\"'"), "="); ok {
				out.Setting(model.Setting{Name: model.N(model.SpaceEnv, k), Value: v, At: out.Loc(n), For: self})
			}
		}
	}
	out.Service(svc)
	restart := last(s.Get("Restart"))
	switch restart.Str() {
	case "", "no", "on-success":
		return
	}
	l := model.Layer{Kind: model.KindRestart, In: self, Whole: true, Label: "systemd Restart", Policy: model.Policy{On: model.OnExit, Budget: model.BudgetWindowedRate}}
	if !oneshot {
		l.Traits = append(l.Traits, model.Trait{Kind: model.TraitOuterLoop, Detail: "crash loop"})
	}
	wait, window, burst := last(s.Get("RestartSec")), exists(last(u.Get("StartLimitIntervalSec")), last(u.Get("StartLimitInterval")), last(s.Get("StartLimitInterval"))), exists(last(u.Get("StartLimitBurst")), last(s.Get("StartLimitBurst")))
	w := limitOr(out.span(&l, wait, model.FieldInitial, time.Second), wait, model.For(100*time.Millisecond))
	span := limitOr(out.span(&l, window, model.FieldOverall, time.Second), window, model.For(10*time.Second))
	l.Policy.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: w, Jitter: model.Jitter{Kind: model.JitterNone}}
	if most := last(s.Get("RestartMaxDelaySec")); most.Exists() && last(s.Get("RestartSteps")).Exists() {
		l.Policy.Backoff.Kind, l.Policy.Backoff.Max = model.BackoffExponential, out.span(&l, most, model.FieldMax, time.Second)
	}
	out.count(&l, burst, s, counting{absent: model.Exactly(5), by: "systemd: 5 starts in 10 seconds where no limit is set", off: "Restart=no", zero: endless, negative: refused})
	if !burst.Exists() {
		l.At = out.Loc(restart)
	}
	n, ok := l.Policy.Attempts.Max()
	every, known := w.Duration()
	within, spanKnown := span.Duration()
	if ok && known && spanKnown && (within == 0 || n > 0 && time.Duration(n)*every >= within) {
		l.Policy.Attempts = model.Unbounded() // the starts never come close enough together
		l.DefaultBy = strings.Replace(l.DefaultBy, "systemd: 5 starts", "systemd: the limit of 5 starts", 1)
		if l.DefaultBy != "" {
			l.DefaultBy += " is never reached with this RestartSec"
		}
		if burst.Exists() {
			l.At = out.Loc(burst)
		}
		if burst.Exists() && within > 0 { // a window of 0 switches the limit off on purpose
			l.Traits = append(l.Traits, model.Trait{Kind: model.TraitIneffective, At: out.Loc(burst), Detail: "so many starts do not fit into StartLimitIntervalSec with this RestartSec: the limit is never reached"})
		}
	}
	if !oneshot && l.Origin == model.OriginDefault {
		l.Origin = model.OriginExplicit
		l.DefaultBy, l.OffSwitch = "", ""
	}
	out.Layer(l)
}

// last is the value that holds where a key stands several times.
func last(n *doc.Node) *doc.Node {
	if m := n.Items(); len(m) > 0 {
		return m[len(m)-1]
	}
	return n
}
