package extract

import (
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "prefect",
	Title: "Prefect settings",
	Files: []string{"prefect.toml", "pyproject.toml", "prefect*.yaml", "*.env", ".env"},
	Match: func(_ string, d *doc.Document) bool {
		r := prefectRoot(d)
		for _, part := range []string{"tasks", "flows"} {
			if r.Get(part).Get("default_retries").Exists() {
				return true
			}
		}
		return prefectEnv(d.Root, "TASKS").Exists() || prefectEnv(d.Root, "FLOWS").Exists()
	},
	Read: func(d *doc.Document, out *Out) {
		r := prefectRoot(d)
		var ids []model.Name
		for _, part := range []string{"flows", "tasks"} {
			n, delay, in := r.Get(part).Get("default_retries"), r.Get(part).Get("default_retry_delay_seconds"), r.Get(part)
			if e := prefectEnv(d.Root, strings.ToUpper(part)); !n.Exists() && e.Exists() {
				n, in = e, d.Root
				delay = exists(d.Root.Get("PREFECT_"+strings.ToUpper(part)+"_DEFAULT_RETRY_DELAY_SECONDS"), d.Root.Get("PREFECT_"+strings.TrimSuffix(strings.ToUpper(part), "S")+"_DEFAULT_RETRY_DELAY_SECONDS"))
			}
			if !n.Exists() {
				continue
			}
			self := model.N(model.SpaceWorkload, "prefect/"+out.Repo+"/"+part)
			l := model.Layer{Kind: model.KindWorkflow, In: self, Whole: true, Label: "Prefect " + part + ".default_retries", Policy: model.Policy{On: model.OnError, Backoff: model.NoBackoff()}}
			out.count(&l, n, in, counting{offset: 1, zero: once, negative: refused})
			switch {
			case delay.Kind() == doc.List:
				l.Policy.Backoff = model.Backoff{Kind: model.BackoffList, Jitter: model.Jitter{Kind: model.JitterNone}}
				for _, w := range delay.Items() {
					d, _ := w.Duration(time.Second)
					l.Policy.Backoff.List = append(l.Policy.Backoff.List, d)
				}
			case delay.Exists():
				l.Policy.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: out.span(&l, delay, model.FieldInitial, time.Second), Jitter: model.Jitter{Kind: model.JitterNone}}
			}
			out.Node(model.Node{Name: self, Kind: model.NodeWorkflow, At: l.At, Label: "Prefect " + part, Entry: part == "flows"})
			out.Layer(l)
			ids = append(ids, self)
		}
		if len(ids) == 2 {
			out.Edge(model.Edge{From: ids[0], To: ids[1], Kind: model.EdgeCall, At: out.KeyLoc(d.Root)})
		}
	},
	Keys: []Key{
		{"tasks.default_retries, PREFECT_TASKS_DEFAULT_RETRIES", "retries", "0, Prefect", "1 attempt", "refused"},
		{"flows.default_retries, PREFECT_FLOWS_DEFAULT_RETRIES", "retries", "0, Prefect", "1 attempt", "refused"},
		{"*.default_retry_delay_seconds", "wait, or a list of waits, seconds", "0, Prefect", "", ""},
	},
	Doc: `A flow that is repeated repeats its tasks, which have retries of their own: the two multiply. The callees are in code. Source: catalogue, F8.`,
	Example: `
-- prefect.toml --
[flows]
default_retries = 1 # want layer "attempts=2 backoff=none"
[tasks]
default_retries = 3 # want layer "attempts=4 initial=10s"
default_retry_delay_seconds = 10
`,
})

func prefectRoot(d *doc.Document) *doc.Node {
	if t := d.Root.Path("tool.prefect"); t.Exists() {
		return t
	}
	return d.Root
}

func prefectEnv(r *doc.Node, part string) *doc.Node {
	return exists(r.Get("PREFECT_"+part+"_DEFAULT_RETRIES"), r.Get("PREFECT_"+strings.TrimSuffix(part, "S")+"_DEFAULT_RETRIES"))
}

var _ = add(Format{
	Name:  "dagster",
	Title: "Dagster run retries",
	Files: []string{"dagster.yaml", "dagster.yml", "*.yaml", "*.yml"},
	Match: func(_ string, d *doc.Document) bool { return d.Root.Get("run_retries").Kind() == doc.Map },
	Read: func(d *doc.Document, out *Out) {
		r := d.Root.Get("run_retries")
		if on, known := r.Get("enabled").Bool(); known && !on || !r.Get("max_retries").Exists() {
			return
		}
		self := model.N(model.SpaceWorkload, "dagster/"+out.Repo)
		l := model.Layer{Kind: model.KindWorkflow, In: self, Whole: true, Label: "Dagster run_retries", LowConfidence: true, Policy: model.Policy{On: model.OnError}}
		out.count(&l, r.Get("max_retries"), r, counting{offset: 1, zero: once, negative: refused})
		out.Node(model.Node{Name: self, Kind: model.NodeWorkflow, At: l.At, Label: "Dagster runs", Entry: true})
		out.Layer(l)
	},
	Keys: []Key{{"run_retries.max_retries", "retries of a run", "0, Dagster", "1 attempt", "refused"}},
	Doc: `A run that fails is started again max_retries times, with the retries of its ops inside. The facts are not verified, so the layer is of low confidence.
Source: catalogue, F7.`,
	Example: `
-- dagster.yaml --
run_retries:
  enabled: true
  max_retries: 3 # want layer "attempts=4 low=true"
`,
})

var _ = add(Format{
	Name:  "celery",
	Title: "Celery settings in YAML, TOML, JSON",
	Files: []string{"*celery*.yaml", "*celery*.yml", "*celery*.json", "*celery*.toml", "*settings*.yaml", "*settings*.yml", "*config*.yaml", "*config*.yml"},
	Match: func(_ string, d *doc.Document) bool { return celeryRoot(d).Exists() },
	Read: func(d *doc.Document, out *Out) {
		c := celeryRoot(d)
		self := model.N(model.SpaceConfig, out.Repo+"/"+out.Path+"#celery")
		if p := fold(c, "task_publish_retry_policy"); p.Exists() {
			l := model.Layer{Kind: model.KindProducer, In: self, Whole: true, Label: "Celery publish retries", Policy: model.Policy{On: model.OnConnect | model.OnReset}}
			out.count(&l, p.Get("max_retries"), p, counting{offset: 1, absent: model.Exactly(4), by: "Celery: max_retries is 3 where it is not set", off: "task_publish_retry: false", negative: refused})
			start, step, most := p.Get("interval_start"), p.Get("interval_step"), p.Get("interval_max")
			l.Policy.Backoff = model.Backoff{Kind: model.BackoffLinear, Initial: limitOr(out.span(&l, start, model.FieldInitial, time.Second), start, model.For(0)),
				Step: limitOr(out.span(&l, step, model.FieldInitial, time.Second), step, model.For(200*time.Millisecond)), Max: limitOr(out.span(&l, most, model.FieldMax, time.Second), most, model.For(time.Second)), Jitter: model.Jitter{Kind: model.JitterNone}}
			out.Layer(l)
		}
		for _, e := range fold(c, "task_annotations").Entries() {
			n := e.Value.Get("max_retries")
			if !n.Exists() {
				continue
			}
			of := self
			if e.Key != "*" {
				of = queue("celery", e.Key)
			}
			l := model.Layer{Kind: model.KindQueue, In: of, Whole: true, Label: "Celery max_retries", Policy: model.Policy{On: model.OnError}}
			if n.Kind() == doc.Null {
				l.At, l.Policy.Attempts = out.Loc(n), model.Unbounded()
			} else {
				out.count(&l, n, e.Value, counting{offset: 1, zero: once, negative: refused})
			}
			delay := e.Value.Get("default_retry_delay")
			l.Policy.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: limitOr(out.span(&l, delay, model.FieldInitial, time.Second), delay, model.For(3*time.Minute)), Jitter: model.Jitter{Kind: model.JitterNone}}
			out.Layer(l)
		}
	},
	Keys: []Key{
		{"task_annotations.*.max_retries", "retries", "3, Celery", "1 attempt", "refused; null: no end"},
		{"task_annotations.*.default_retry_delay", "wait, seconds", "180, Celery", "", ""},
		{"task_publish_retry_policy.max_retries", "retries of the publish", "3, Celery", "1 attempt", "refused"},
	},
	Doc: `Tasks retry only where they call retry or have autoretry_for, which is in code; annotations set their numbers. Source: catalogue, F10.`,
	Example: `
-- celery.yaml --
broker_url: redis://redis/0
task_publish_retry_policy:
  max_retries: 5 # want layer "attempts=6 max=2s kind=producer"
  interval_max: 2
task_annotations:
  shop.bill:
    max_retries: 4 # want layer "attempts=5 initial=30s"
    default_retry_delay: 30
`,
})

// celeryRoot is the map that holds Celery's settings.
func celeryRoot(d *doc.Document) *doc.Node {
	for _, n := range []*doc.Node{d.Root, fold(d.Root, "celery")} {
		if fold(n, "task_publish_retry_policy").Exists() || fold(n, "task_annotations").Exists() && fold(n, "broker_url").Exists() {
			return n
		}
	}
	return d.Root.Get("celery").Get("task_publish_retry_policy")
}
