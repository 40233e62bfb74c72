package extract

import (
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "otel-collector",
	Title: "OpenTelemetry Collector exporters",
	Files: []string{"*.yaml", "*.yml"},
	Match: func(_ string, d *doc.Document) bool {
		return d.Root.Get("exporters").Kind() == doc.Map && (d.Root.Path("service.pipelines").Exists() || d.Root.Get("receivers").Kind() == doc.Map)
	},
	Read: func(d *doc.Document, out *Out) { otelExporters(d.Root.Get("exporters"), out) },
	Keys: []Key{
		{"exporters.*.retry_on_failure.enabled", "on or off", "true, OpenTelemetry", "", ""},
		{"exporters.*.retry_on_failure.initial_interval", "first wait", "5s", "", ""},
		{"exporters.*.retry_on_failure.multiplier", "growth", "1.5", "", ""},
		{"exporters.*.retry_on_failure.max_interval", "longest wait", "30s", "", ""},
		{"exporters.*.retry_on_failure.max_elapsed_time", "limit over all attempts; there is no count", "5m", "no end", "refused"},
	},
	Doc: `Exporters over the network repeat a failed batch for 5 minutes by default, about 13 times, then the data is dropped. Telemetry: best effort. The callee is
the endpoint. Source: catalogue, H1.`,
	Example: `
-- otel.yaml --
receivers: {otlp: {}}
exporters:
  otlphttp: # want layer "count=unbounded overall=5m initial=5s factor=1.5 max=30s origin=default"
    endpoint: http://tempo.obs.svc:4318
  otlp/backup:
    endpoint: backup.obs.svc:4317
    retry_on_failure:
      max_elapsed_time: 0 # want layer "attempts=unbounded"
  otlp/once:
    endpoint: once.obs.svc:4317
    retry_on_failure:
      enabled: false # want layer "attempts=1"
  debug: {}
service:
  pipelines: {traces: {exporters: [otlphttp]}}
`,
})

// otelExporters reads the exporters of a collector.
func otelExporters(exporters *doc.Node, out *Out) {
	for _, e := range exporters.Entries() {
		typ, _, _ := strings.Cut(e.Key, "/")
		r := e.Value.Get("retry_on_failure")
		if typ != "otlp" && typ != "otlphttp" && typ != "otlp_http" && !r.Exists() {
			continue // whether others repeat, and how, is their own affair
		}
		l := model.Layer{In: telemetryNode(out, "otel", e.Key), Label: "OpenTelemetry exporter " + e.Key, Policy: model.Policy{On: model.OnConnect | model.OnReset | model.OnTimeout | model.OnGateway | model.On429 | model.OnUnavailable}}
		initial, most, elapsed := r.Get("initial_interval"), r.Get("max_interval"), r.Get("max_elapsed_time")
		switch on, known := r.Get("enabled").Bool(); {
		case known && !on:
			l.At, l.Policy.Attempts = out.Loc(r.Get("enabled")), model.Exactly(1)
		default:
			l.At, l.Policy.Attempts = out.Loc(exists(elapsed, e.Value)), model.Unbounded()
			if !elapsed.Exists() {
				l.At = out.KeyLoc(e.Value)
				l.Origin, l.DefaultBy, l.OffSwitch = model.OriginDefault, "OpenTelemetry: retry_on_failure is on for 5 minutes where it is not set", "retry_on_failure: {enabled: false}"
			}
			l.Policy.Overall = positive(limitOr(out.span(&l, elapsed, model.FieldOverall, 0), elapsed, model.For(5*time.Minute)))
		}
		b := model.Exponential(5*time.Second, model.NewRatio(3, 2), 30*time.Second).WithJitter(model.Jitter{Kind: model.JitterProportional, Factor: model.NewRatio(1, 2)})
		b.Initial = limitOr(out.span(&l, initial, model.FieldInitial, 0), initial, b.Initial)
		b.Max = limitOr(out.span(&l, most, model.FieldMax, 0), most, b.Max)
		if f, ok := r.Get("multiplier").Float(); ok && f >= 1 {
			b.Factor = model.RatioOf(f)
		}
		if f, ok := r.Get("randomization_factor").Float(); ok && f >= 0 && f <= 1 {
			b.Jitter.Factor = model.RatioOf(f)
		}
		l.Policy.Backoff = b
		edge := model.Edge{Key: model.Key{How: model.KeyNone}}
		if d, ok := e.Value.Get("timeout").Duration(0); ok {
			edge.Timeout = model.For(d)
		}
		out.telemetry(l, "exporter "+e.Key, e.Value.Get("endpoint"), edge)
	}
}

var _ = add(Format{
	Name:  "prometheus",
	Title: "Prometheus remote write",
	Files: []string{"*.yaml", "*.yml"},
	Match: func(_ string, d *doc.Document) bool {
		w := d.Root.Get("remote_write")
		return w.Kind() == doc.List && (d.Root.Get("scrape_configs").Exists() || d.Root.Get("global").Exists() || w.At(0).Get("url").Exists())
	},
	Read: func(d *doc.Document, out *Out) {
		for _, w := range d.Root.Get("remote_write").Items() {
			q := w.Get("queue_config")
			name := plain(w.Get("name"))
			if name == "" {
				name = model.HostOf(plain(w.Get("url")))
			}
			l := model.Layer{At: out.Loc(w.Get("url").Or(w)), In: telemetryNode(out, "prometheus", name), Label: "Prometheus remote write", Origin: model.OriginDefault,
				DefaultBy: "Prometheus: remote write repeats without end", Policy: model.Policy{Attempts: model.Unbounded(), On: model.OnConnect | model.OnReset | model.OnTimeout | model.On5xx}}
			min, most, age := q.Get("min_backoff"), q.Get("max_backoff"), q.Get("sample_age_limit")
			b := model.Exponential(30*time.Millisecond, model.NewRatio(2, 1), 5*time.Second)
			b.Initial = limitOr(out.span(&l, min, model.FieldInitial, 0), min, b.Initial)
			b.Max = limitOr(out.span(&l, most, model.FieldMax, 0), most, b.Max)
			l.Policy.Backoff = b
			l.Policy.Overall = positive(out.span(&l, age, model.FieldOverall, 0))
			if on, _ := q.Get("retry_on_http_429").Bool(); on {
				l.Policy.On |= model.On429
			}
			timeout := w.Get("remote_timeout")
			l.Policy.PerAttempt = limitOr(out.span(&l, timeout, model.FieldPerAttempt, 0), timeout, model.For(30*time.Second))
			l.Traits = append(l.Traits, model.Trait{Kind: model.TraitWaitsForState, Detail: "samples wait in the log on disk until the receiver takes them"})
			out.telemetry(l, "remote write to "+name, w.Get("url"), model.Edge{Method: "POST", Timeout: l.Policy.PerAttempt, Key: model.Key{How: model.KeyNone}, Idempotent: true})
		}
	},
	Keys: []Key{
		{"remote_write[].queue_config", "no count: without end", "without end, Prometheus", "", ""},
		{"remote_write[].queue_config.min_backoff", "first wait", "30ms", "", ""},
		{"remote_write[].queue_config.max_backoff", "longest wait", "5s", "", ""},
		{"remote_write[].remote_timeout", "limit of one attempt", "30s", "", ""},
	},
	Doc: `A shard sends its batch again until the receiver takes it, on server errors and network errors; a sample written twice is the same sample. Telemetry: best
effort. Source: catalogue, H2.`,
	Example: `
-- prometheus.yml --
global: {scrape_interval: 15s}
remote_write:
  - url: https://mimir.example.test/api/v1/push # want layer "attempts=unbounded initial=30ms max=10s perAttempt=30s"
    queue_config: {max_backoff: 10s}
`,
})

var _ = add(Format{
	Name:  "promtail",
	Title: "Promtail and Loki clients",
	Files: []string{"*.yaml", "*.yml"},
	Match: func(_ string, d *doc.Document) bool {
		for _, c := range append(d.Root.Get("clients").Items(), d.Root.Get("client")) {
			if c.Get("url").Exists() && (c.Get("backoff_config").Exists() || d.Root.Get("positions").Exists() || strings.Contains(plain(c.Get("url")), "/loki/api/")) {
				return true
			}
		}
		return false
	},
	Read: func(d *doc.Document, out *Out) {
		for _, c := range append(d.Root.Get("clients").Items(), d.Root.Get("client")) {
			if !c.Get("url").Exists() {
				continue
			}
			r := c.Get("backoff_config")
			l := model.Layer{In: telemetryNode(out, "promtail", model.HostOf(plain(c.Get("url")))), Label: "Promtail client", Policy: model.Policy{On: model.OnConnect | model.OnReset | model.OnTimeout | model.On5xx | model.On429}}
			out.count(&l, r.Get("max_retries"), c, counting{absent: model.Exactly(10), by: "Promtail: max_retries is 10 where it is not set", off: "backoff_config: {max_retries: 1}", zero: endless, negative: refused})
			min, most, timeout := r.Get("min_period"), r.Get("max_period"), c.Get("timeout")
			b := model.Exponential(500*time.Millisecond, model.NewRatio(2, 1), 5*time.Minute).WithJitter(model.Jitter{Kind: model.JitterUpward, Factor: model.NewRatio(1, 1)})
			b.CapsSum = true
			b.Initial = limitOr(out.span(&l, min, model.FieldInitial, 0), min, b.Initial)
			b.Max = limitOr(out.span(&l, most, model.FieldMax, 0), most, b.Max)
			l.Policy.Backoff = b
			l.Policy.PerAttempt = limitOr(out.span(&l, timeout, model.FieldPerAttempt, 0), timeout, model.For(10*time.Second))
			out.telemetry(l, "Promtail client", c.Get("url"), model.Edge{Method: "POST", Timeout: l.Policy.PerAttempt, Key: model.Key{How: model.KeyNone}})
		}
	},
	Keys: []Key{
		{"clients[].backoff_config.max_retries", "attempts, whatever its name says", "10, Promtail", "no end", "refused"},
		{"clients[].backoff_config.min_period", "first wait", "500ms", "", ""},
		{"clients[].backoff_config.max_period", "longest wait", "5m", "", ""},
		{"clients[].timeout", "limit of one attempt", "10s", "", ""},
	},
	Doc: `max_retries counts sends: 10 are 10 sends with 9 waits between them, 0 is no end. The wait is random between min_period doubled each time and twice that.
Then the batch is dropped. Telemetry: best effort. Source: catalogue, H3.`,
	Example: `
-- promtail.yaml --
positions: {filename: /tmp/positions.yaml}
clients:
  - url: http://loki.obs.svc:3100/loki/api/v1/push
    backoff_config:
      max_retries: 10 # want layer "attempts=10 initial=500ms max=5m perAttempt=10s"
`,
})

var _ = add(Format{
	Name:  "telegraf",
	Title: "Telegraf outputs",
	Files: []string{"telegraf*.conf", "telegraf*.toml", "*.conf", "*.toml"},
	Match: func(_ string, d *doc.Document) bool {
		return d.Root.Get("outputs").Kind() == doc.Map && (d.Root.Get("agent").Exists() || d.Root.Get("inputs").Kind() == doc.Map)
	},
	Read: func(d *doc.Document, out *Out) {
		interval := 10 * time.Second
		if v, ok := d.Root.Path("agent.flush_interval").Duration(0); ok {
			interval = v
		}
		for _, e := range d.Root.Get("outputs").Entries() {
			switch e.Key {
			case "file", "discard", "prometheus_client", "exec", "health":
				continue
			}
			for _, o := range e.Value.Many() {
				l := model.Layer{At: out.KeyLoc(o), In: telemetryNode(out, "telegraf", e.Key), Label: "Telegraf output " + e.Key, Origin: model.OriginDefault,
					DefaultBy: "Telegraf: what could not be written is written again at each flush, the oldest metrics are dropped when the buffer is full",
					Policy:    model.Policy{Attempts: model.Unbounded(), Backoff: model.Constant(interval), On: model.OnError},
					Traits:    []model.Trait{{Kind: model.TraitWaitsForState, Detail: "metrics wait in the buffer until the receiver takes them"}}}
				if m := o.Get("max_retry"); e.Key == "kafka" && m.Exists() {
					k := model.Layer{Kind: model.KindProducer, In: l.In, Label: "Telegraf Kafka client", Traits: bestEffort, Policy: model.Policy{On: model.OnConnect | model.OnReset | model.OnTimeout}}
					out.count(&k, m, o, counting{offset: 1, negative: refused})
					out.Layer(k)
				}
				out.telemetry(l, "Telegraf output "+e.Key, exists(o.Get("url"), o.Get("urls").At(0), o.Get("servers").At(0)), model.Edge{})
			}
		}
	},
	Keys: []Key{
		{"agent.flush_interval", "wait between writes", "10s, Telegraf", "", ""},
		{"outputs.kafka.max_retry", "retries of the Kafka client", "3, Telegraf", "1 attempt", "refused"},
	},
	Doc: `There is no count: metrics that could not be written stay in the buffer and are written again at each flush. Telemetry: best effort. Source: catalogue, H5.`,
	Example: `
-- telegraf.conf --
[agent]
  flush_interval = "20s"
[[outputs.influxdb_v2]] # want layer "attempts=unbounded initial=20s origin=default"
  urls = ["http://influx.obs.svc:8086"] # want edge "host:influx.obs"
[[outputs.kafka]] # want layer "attempts=unbounded"
  brokers = ["kafka:9092"]
  max_retry = 5 # want layer "attempts=6"
`,
})
