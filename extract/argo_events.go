package extract

import (
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// Times that several formats share.
const (
	oneSecond     = time.Second
	errorInterval = 10 * time.Second // of Argo Rollouts, between measurements that ended in an error, and its web time-out
)

var _ = add(Format{
	Name:  "argo-events",
	Title: "Argo Events Sensor and EventSource",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("argoproj.io", "Sensor", "EventSource"),
	Read: func(d *doc.Document, out *Out) {
		root := d.Root
		self := workload(root)
		if root.Get("kind").Str() == "EventSource" {
			root.Get("spec").Walk(func(n *doc.Node) bool {
				if n.Key() != "connectionBackoff" {
					return n.Kind() == doc.Map
				}
				l := model.Layer{Kind: model.KindClient, In: self, Label: "Argo Events connectionBackoff"}
				argoEventsBackoff(&l, n, model.Exactly(5), out)
				l.Policy.On = model.OnConnect
				out.Layer(l)
				return false
			})
			return
		}
		for _, t := range root.Path("spec.triggers").Items() {
			sensorTrigger(t, self, out)
		}
	},
	Keys: []Key{
		{"spec.triggers[].retryStrategy.steps", "attempts", "no block: 1 attempt", "1 attempt", "invalid"},
		{"… duration, factor, jitter", "waits; a number is nanoseconds", "1s, 1, 1", "", ""},
		{"connectionBackoff.steps", "attempts", "5, Argo Events", "", ""},
	},
	Doc: `A trigger of a Sensor that failed is run again: steps counts attempts. Callees: the url of http triggers. connectionBackoff of an EventSource
repeats only the connection. Source: catalogue, C8.`,
	Example: `
-- sensor.yaml --
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: pay, namespace: web}
spec:
  triggers:
    - retryStrategy:
        steps: 3 # want layer "attempts=3 initial=2s factor=2"
        duration: 2s
        factor: 2
      template:
        name: hook
        http: {url: "http://pay.web.svc/hooks", method: POST} # want edge "POST host:pay.web /hooks key=none"
-- source.yaml --
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: n}
spec:
  nats:
    example:
      connectionBackoff: {steps: 10} # want layer "attempts=10 factorOf=false"
`,
})

func sensorTrigger(t *doc.Node, self model.Name, out *Out) {
	tmpl := t.Get("template")
	name := plain(tmpl.Get("name"))
	step := model.N(model.SpaceStep, self.Key+"#"+name)
	out.Node(model.Node{Name: step, Kind: model.NodeStep, At: out.Loc(tmpl.Get("name").Or(t)), Label: "trigger " + name, Entry: true})
	if r := t.Get("retryStrategy"); r.Exists() {
		l := model.Layer{Kind: model.KindWorkflow, In: step, Whole: true, Label: "Argo Events retryStrategy"}
		argoEventsBackoff(&l, r, model.Count{}, out)
		l.Policy.On = model.OnError
		out.Layer(l)
	}
	h := tmpl.Get("http")
	to := model.Host(plain(h.Get("url")), "")
	if to.IsZero() {
		return
	}
	e := model.Edge{From: step, To: to, Kind: model.EdgeRequest, At: out.Loc(h.Get("url")), Method: strings.ToUpper(h.Get("method").Str("POST")), Path: pathOf(plain(h.Get("url")))}
	if n := h.Get("timeout"); n.Exists() {
		l := model.Layer{}
		e.Timeout = out.span(&l, n, model.FieldTimeout, time.Second)
	}
	e.Key = model.Key{How: model.KeyNone, At: e.At}
	for _, k := range append(h.Get("headers").Keys(), secureHeaders(h)...) {
		if IdempotencyHeader(k) {
			e.Key = templateKey(h.Get("headers").Get(k), k, self, out)
		}
	}
	out.Edge(e)
}

func secureHeaders(h *doc.Node) []string {
	var out []string
	for _, n := range h.Get("secureHeaders").Items() {
		out = append(out, n.Get("name").Str())
	}
	return out
}

func argoEventsBackoff(l *model.Layer, b *doc.Node, absent model.Count, out *Out) {
	c := counting{absent: absent, zero: once}
	if absent.Known() {
		c.by = "Argo Events: 5 steps where steps is not set"
	}
	out.count(l, b.Get("steps"), b, c)
	d := b.Get("duration")
	w := limitOr(out.span(l, d, model.FieldInitial, time.Nanosecond), d, model.For(time.Second))
	l.Policy.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: w, Jitter: model.Jitter{Kind: model.JitterNone}}
	if f, ok := b.Get("factor").Float(); ok && f > 1 {
		l.Policy.Backoff.Kind, l.Policy.Backoff.Factor, l.Policy.Backoff.Max = model.BackoffExponential, model.RatioOf(f), model.NoLimit()
	}
	if j, ok := b.Get("jitter").Float(); ok && j > 0 {
		l.Policy.Backoff.Jitter = model.Jitter{Kind: model.JitterUpward, Factor: model.RatioOf(j)}
	}
}
