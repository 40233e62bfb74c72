package extract

import (
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// telemetryNode is the node of one output of an agent.
func telemetryNode(out *Out, tool, name string) model.Name {
	return model.N(model.SpaceWorkload, tool+"/"+out.Repo+"/"+out.Path+"#"+name)
}

// telemetry adds a layer of an agent's output with its node and its target: best effort, a warning at most.
func (o *Out) telemetry(l model.Layer, label string, url *doc.Node, e model.Edge) {
	l.Kind, l.Whole = model.KindTelemetry, true
	l.Traits = append(l.Traits, bestEffort...)
	o.Node(model.Node{Name: l.In, Kind: model.NodeOp, At: l.At, Label: label})
	in := l.In
	o.Layer(l)
	e.BestEffort = true
	if url.Kind() == doc.Scalar {
		o.urlEdge(in, url, e)
	}
}

var _ = add(Format{
	Name:  "vector",
	Title: "Vector sinks",
	Files: []string{"vector*.toml", "vector*.yaml", "vector*.yml", "vector*.json", "*.toml", "*.yaml", "*.yml"},
	Match: func(_ string, d *doc.Document) bool {
		sinks := d.Root.Get("sinks")
		if sinks.Kind() != doc.Map || d.Root.Get("apiVersion").Exists() {
			return false
		}
		for _, e := range sinks.Entries() {
			if e.Value.Get("type").Exists() && e.Value.Get("inputs").Exists() {
				return true
			}
		}
		return false
	},
	Read: func(d *doc.Document, out *Out) {
		for _, e := range d.Root.Get("sinks").Entries() {
			vectorSink(e.Key, e.Value, out)
		}
	},
	Keys: []Key{
		{"sinks.*.request.retry_attempts", "retries", "no end, Vector (the largest integer)", "1 attempt", "refused"},
		{"sinks.*.request.retry_initial_backoff_secs", "first wait, seconds; waits grow like the Fibonacci numbers", "1, Vector", "", ""},
		{"sinks.*.request.retry_max_duration_secs", "longest single wait, seconds", "30, Vector (3600 before 0.35)", "", ""},
		{"sinks.*.request.timeout_secs", "limit of one attempt, seconds", "60, Vector", "", ""},
		{"sinks.*.request.retry_jitter_mode", "Full or None", "Full, Vector", "", ""},
	},
	Doc: `A sink that sends over HTTP repeats a failed request without end unless retry_attempts is set; retry_max_duration_secs caps one wait, not the
sum. Telemetry: best effort. The callee is the sink's endpoint or uri. Source: catalogue, H4.`,
	Example: `
-- vector.toml --
[sinks.usage] # want layer "attempts=unbounded origin=default perAttempt=20s max=1m kind=telemetry"
type = "http"
inputs = ["events"]
uri = "http://metering.billing.svc:8080/usage" # want edge "host:metering.billing /usage POST"
[sinks.usage.request]
timeout_secs = 20
retry_max_duration_secs = 60
[sinks.copy]
type = "http"
inputs = ["events"]
uri = "http://copy.billing.svc:8080/usage"
[sinks.copy.request]
retry_attempts = 6 # want layer "attempts=7 initial=1s max=30s jitter=full"
[sinks.out]
type = "console"
inputs = ["events"]
`,
})

// vectorUnsent are sinks that make no requests.
var vectorUnsent = map[string]bool{"console": true, "file": true, "blackhole": true, "socket": true, "statsd": true, "vector_test": true, "unit_test": true, "prometheus_exporter": true,
	"kafka": true, "nats": true, "pulsar": true, "amqp": true, "mqtt": true, "redis": false, "websocket": true, "papertrail": true}

func vectorSink(name string, s *doc.Node, out *Out) {
	typ := plain(s.Get("type"))
	r := s.Get("request")
	if typ == "" || vectorUnsent[typ] && !r.Exists() {
		return
	}
	l := model.Layer{In: telemetryNode(out, "vector", name), Label: "Vector sink " + name, Policy: model.Policy{On: model.OnConnect | model.OnReset | model.OnTimeout | model.On5xx | model.On429}}
	out.count(&l, r.Get("retry_attempts"), s, counting{offset: 1, absent: model.Unbounded(), by: "Vector: retry_attempts has practically no end where it is not set", off: "request.retry_attempts = 5", zero: once, negative: refused})
	first, most, timeout := r.Get("retry_initial_backoff_secs"), r.Get("retry_max_duration_secs"), r.Get("timeout_secs")
	b := model.Backoff{Kind: model.BackoffExponential, Factor: model.NewRatio(8, 5), Jitter: fullJitter}
	b.Initial = limitOr(out.span(&l, first, model.FieldInitial, time.Second), first, model.For(time.Second))
	b.Max = limitOr(out.span(&l, most, model.FieldMax, time.Second), most, model.For(30*time.Second))
	if r.Get("retry_jitter_mode").Str() == "None" {
		b.Jitter.Kind = model.JitterNone
	}
	l.Policy.Backoff = b
	l.Policy.PerAttempt = limitOr(out.span(&l, timeout, model.FieldPerAttempt, time.Second), timeout, model.For(time.Minute))
	url := exists(s.Get("uri"), s.Get("endpoint"), s.Get("endpoints").At(0), s.Get("address"))
	e := model.Edge{Timeout: l.Policy.PerAttempt, Key: model.Key{How: model.KeyNone}}
	if typ == "http" {
		e.Method = "POST"
		if m := s.Get("method"); m.Kind() == doc.Scalar {
			e.Method = upper(m.Str())
		}
	}
	out.telemetry(l, "Vector sink "+name, url, e)
}
