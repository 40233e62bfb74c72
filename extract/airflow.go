package extract

import (
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "airflow",
	Title: "Airflow configuration",
	Files: []string{"airflow*.cfg"},
	Match: func(_ string, d *doc.Document) bool {
		c := d.Root.Get("core")
		return c.Get("default_task_retries").Exists() || c.Get("dags_folder").Exists() || c.Get("executor").Exists()
	},
	Read: overridable(airflowName, func(d *doc.Document, out *Out) {
		c := d.Root.Get("core")
		n := c.Get("default_task_retries")
		if !n.Exists() {
			return // 0 retries
		}
		self := model.N(model.SpaceWorkload, "airflow/"+out.Repo+"/"+out.Path)
		l := model.Layer{Kind: model.KindWorkflow, In: self, Whole: true, Label: "Airflow default_task_retries", Policy: model.Policy{On: model.OnError}}
		out.count(&l, n, c, counting{offset: 1, zero: once, negative: refused})
		delay := c.Get("default_task_retry_delay")
		l.Policy.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: limitOr(out.span(&l, delay, model.FieldInitial, time.Second), delay, model.For(5*time.Minute)), Jitter: model.Jitter{Kind: model.JitterNone}}
		if t := c.Get("default_task_execution_timeout"); t.Exists() && t.Str() != "" {
			l.Policy.PerAttempt = positive(out.span(&l, t, model.FieldPerAttempt, time.Second))
		}
		out.Node(model.Node{Name: self, Kind: model.NodeWorkflow, At: l.At, Label: "Airflow tasks", Entry: true})
		out.Layer(l)
	}),
	Keys: airflowKeys,
	Doc: `Every task that does not say otherwise runs again default_task_retries times, 5 minutes apart. The callees are in the DAGs' code. A variable AIRFLOW__CORE__DEFAULT_TASK_RETRIES of
a container beats the file, and makes the layer where there is no file. Source: catalogue, F6.`,
	Example: `
-- airflow.cfg --
[core]
dags_folder = /dags
default_task_retries = 2 # want layer "attempts=3 initial=5m"
`,
})

var airflowKeys = []Key{
	{"[core] default_task_retries, default_args.retries, tasks.*.retries", "retries", "0, Airflow", "1 attempt", "refused"},
	{"[core] default_task_retry_delay, retry_delay_sec, retry_delay", "wait, seconds", "300, Airflow", "", ""},
	{"retry_exponential_backoff", "the wait doubles", "false, Airflow", "", ""},
	{"max_retry_delay", "longest wait", "24h, Airflow", "", ""},
	{"execution_timeout", "limit of one attempt", "none", "", ""},
}

var _ = add(Format{
	Name:  "airflow-dag-factory",
	Title: "Airflow DAGs of dag-factory (YAML)",
	Files: []string{"*.yaml", "*.yml"},
	Match: func(_ string, d *doc.Document) bool {
		for _, e := range d.Root.Entries() {
			if e.Value.Get("tasks").Exists() && (e.Value.Get("default_args").Exists() || e.Value.Get("schedule_interval").Exists() || e.Value.Get("schedule").Exists()) ||
				e.Key == "default" && e.Value.Get("default_args").Get("retries").Exists() {
				return true
			}
		}
		return false
	},
	Read: func(d *doc.Document, out *Out) {
		base := d.Root.Path("default.default_args")
		for _, e := range d.Root.Entries() {
			if e.Key == "default" || !e.Value.Get("tasks").Exists() {
				continue
			}
			dag := model.N(model.SpaceWorkload, "airflow/"+out.Repo+"/"+e.Key)
			out.Node(model.Node{Name: dag, Kind: model.NodeSchedule, At: out.KeyLoc(e.Value), Label: "DAG " + e.Key, Entry: true})
			args := e.Value.Get("default_args")
			one := func(name string, t *doc.Node) {
				get := func(key string) *doc.Node { return exists(t.Get(key), args.Get(key), base.Get(key)) }
				n := get("retries")
				step := model.N(model.SpaceStep, dag.Key+"#"+name)
				out.Node(model.Node{Name: step, Kind: model.NodeStep, At: out.KeyLoc(t), Label: "task " + name})
				out.Edge(model.Edge{From: dag, To: step, Kind: model.EdgeSchedule, At: out.KeyLoc(t)})
				if ep := t.Get("endpoint"); ep.Kind() == doc.Scalar && strings.Contains(ep.Str(), "://") {
					out.urlEdge(step, ep, model.Edge{Method: upper(t.Get("method").Str("POST")), Key: model.Key{How: model.KeyNone, At: out.Loc(ep)}})
				}
				if cmd := t.Get("bash_command"); cmd.Kind() == doc.Scalar {
					for _, c := range shellCalls(cmd.Str()) {
						c.edge(step, "", cmd, out)
					}
				}
				if !n.Exists() {
					return
				}
				l := model.Layer{Kind: model.KindWorkflow, In: step, Whole: true, Label: "Airflow retries", Policy: model.Policy{On: model.OnError}}
				out.count(&l, n, t, counting{offset: 1, zero: once, negative: refused})
				delay, most := exists(get("retry_delay_sec"), get("retry_delay")), exists(get("max_retry_delay_sec"), get("max_retry_delay"))
				b := model.Backoff{Kind: model.BackoffConstant, Initial: limitOr(out.timedelta(&l, delay, model.FieldInitial), delay, model.For(5*time.Minute)), Jitter: model.Jitter{Kind: model.JitterNone}}
				if on, _ := get("retry_exponential_backoff").Bool(); on {
					b.Kind, b.Factor, b.Jitter.Kind = model.BackoffExponential, model.NewRatio(2, 1), model.JitterSome
					b.Max = limitOr(out.timedelta(&l, most, model.FieldMax), most, model.For(24*time.Hour))
				}
				l.Policy.Backoff = b
				if ex := exists(get("execution_timeout_secs"), get("execution_timeout_sec"), get("execution_timeout")); ex.Exists() {
					l.Policy.PerAttempt = out.timedelta(&l, ex, model.FieldPerAttempt)
				}
				out.Layer(l)
			}
			for _, t := range e.Value.Get("tasks").Entries() {
				one(t.Key, t.Value)
			}
			for _, t := range e.Value.Get("tasks").Items() {
				one(plain(t.Get("task_id")), t)
			}
		}
	},
	Keys: airflowKeys,
	Doc: `A task's own retries win over the DAG's default_args and those of the default block. Each task is a step of its DAG, whose schedule is the entry. Source:
catalogue, F6; the names in YAML are not verified for every version.`,
	Example: `
-- dags.yml --
settle:
  schedule: "0 2 * * *"
  default_args: {retries: 1, retry_delay_sec: 60}
  tasks:
    post:
      operator: airflow.operators.bash.BashOperator
      bash_command: curl -X POST http://settle.pay.svc/batches # want edge "POST host:settle.pay /batches"
      retries: 3 # want layer "attempts=4 initial=1m"
-- more.yml --
report:
  default_args:
    retries: 2
    retry_delay: {__type__: datetime.timedelta, minutes: 2, seconds: 30}
    execution_timeout: {__type__: datetime.timedelta, hours: 1}
  schedule: "0 3 * * *"
  tasks:
    - task_id: sum
      operator: airflow.operators.bash.BashOperator
      bash_command: sum
      retries: 1 # want layer "attempts=2 initial=2m30s perAttempt=1h"
`,
})

// timedelta reads a number of seconds, or Python's datetime.timedelta as a map of its parts.
func (o *Out) timedelta(l *model.Layer, n *doc.Node, f model.Field) model.Limit {
	if n.Kind() != doc.Map {
		return o.span(l, n, f, time.Second)
	}
	var sum time.Duration
	found := false
	for _, e := range n.Entries() {
		unit, ok := map[string]time.Duration{"weeks": 7 * 24 * time.Hour, "days": 24 * time.Hour, "hours": time.Hour, "minutes": time.Minute, "seconds": time.Second,
			"milliseconds": time.Millisecond}[e.Key]
		if !ok {
			continue
		}
		v, ok := e.Value.Float()
		if !ok || v < 0 || v > 1e6 {
			return model.Limit{}
		}
		sum += time.Duration(v * float64(unit))
		found = true
	}
	if !found {
		return model.Limit{}
	}
	return model.For(sum)
}
