package extract

import (
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "temporal-dynamic-config",
	Title: "Temporal and Cadence dynamic configuration",
	Files: []string{"*.yaml", "*.yml"},
	Match: func(_ string, d *doc.Document) bool {
		for k := range temporalKeys {
			if d.Root.Get(k).Exists() {
				return true
			}
		}
		return false
	},
	Read: func(d *doc.Document, out *Out) {
		for _, e := range d.Root.Entries() {
			label, ok := temporalKeys[e.Key]
			if !ok {
				continue
			}
			for _, v := range e.Value.Many() {
				temporalPolicy(v.Get("value"), label, plain(v.Path("constraints.namespace")), e.Key, out)
			}
		}
	},
	Keys: []Key{
		{"history.defaultActivityRetryPolicy.MaximumAttempts", "attempts", "no end, Temporal", "no end", "invalid"},
		{"history.defaultWorkflowRetryPolicy.MaximumAttempts", "attempts, where a workflow has a policy with gaps", "no end, Temporal", "no end", "invalid"},
		{"InitialIntervalInSeconds, BackoffCoefficient, MaximumIntervalCoefficient", "waits", "1, 2, 100 times the first, Temporal", "", ""},
	},
	Doc: `What activities do that have no retry policy of their own: they are repeated without end, 1s doubling up to 100s, until their
schedule-to-close time-out. MaximumAttempts counts attempts, 0 means no end. Source: catalogue, C12.`,
	Example: `
-- dynamic.yaml --
history.defaultActivityRetryPolicy:
  - value:
      InitialIntervalInSeconds: 2
      MaximumAttempts: 5 # want layer "attempts=5 initial=2s factor=2 max=3m20s"
    constraints: {}
history.defaultWorkflowRetryPolicy:
  - value: # want layer "count=unbounded origin=default"
      BackoffCoefficient: 2.0
`,
})

var temporalKeys = map[string]string{
	"history.defaultActivityRetryPolicy": "Temporal default of activities",
	"history.defaultWorkflowRetryPolicy": "Temporal default of workflows",
}

func temporalPolicy(v *doc.Node, label, ns, key string, out *Out) {
	if v.Kind() != doc.Map {
		return
	}
	name := model.N(model.SpaceConfig, "temporal/"+ns+"/"+key)
	l := model.Layer{Kind: model.KindWorkflow, In: name, As: name, Label: label}
	out.count(&l, v.Get("MaximumAttempts"), v, counting{absent: model.Unbounded(), by: "Temporal: no end where MaximumAttempts is not set", zero: endless})
	p := &l.Policy
	p.On = model.OnError
	i := v.Get("InitialIntervalInSeconds")
	first := limitOr(out.span(&l, i, model.FieldInitial, time.Second), i, model.For(time.Second))
	p.Backoff = model.Backoff{Kind: model.BackoffExponential, Initial: first, Factor: model.NewRatio(2, 1), Max: first.Scale(model.NewRatio(100, 1)), Jitter: model.Jitter{Kind: model.JitterNone}}
	if f, ok := v.Get("BackoffCoefficient").Float(); ok && f >= 1 {
		p.Backoff.Factor = model.RatioOf(f)
	}
	if f, ok := v.Get("MaximumIntervalCoefficient").Float(); ok && f >= 1 {
		p.Backoff.Max = first.Scale(model.RatioOf(f))
	}
	out.Layer(l)
}
