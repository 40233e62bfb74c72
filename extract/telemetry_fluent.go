package extract

import (
	"strconv"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

func upper(s string) string { return strings.ToUpper(strings.TrimSpace(s)) }

var _ = add(Format{
	Name:  "fluent-bit",
	Title: "Fluent Bit outputs",
	Files: []string{"fluent-bit*.conf", "fluentbit*.conf", "*.conf", "*.yaml", "*.yml"},
	Match: func(_ string, d *doc.Document) bool {
		if d.Syntax == doc.FluentBit {
			return len(fluentBitSections(d.Root, "OUTPUT")) > 0
		}
		p := d.Root.Get("pipeline")
		return p.Get("outputs").Kind() == doc.List && p.Get("outputs").At(0).Kind() == doc.Map && fold(p.Get("outputs").At(0), "name").Exists()
	},
	Read: func(d *doc.Document, out *Out) {
		outputs, services := d.Root.Path("pipeline.outputs").Items(), []*doc.Node{d.Root.Get("service")}
		if d.Syntax == doc.FluentBit {
			outputs, services = fluentBitSections(d.Root, "OUTPUT"), fluentBitSections(d.Root, "SERVICE")
		}
		base, most := 5*time.Second, 2000*time.Second
		for _, s := range services {
			if v, ok := fluentKey(s, "scheduler.base").Duration(time.Second); ok {
				base = v
			}
			if v, ok := fluentKey(s, "scheduler.cap").Duration(time.Second); ok {
				most = v
			}
		}
		for i, o := range outputs {
			fluentBitOutput(i, o, base, most, out)
		}
	},
	Keys: []Key{
		{"Retry_Limit", "retries", "1, Fluent Bit", "see the documentation of the version", "no end (-1)"},
		{"Retry_Limit no_limits, False", "no end", "", "", ""},
		{"Retry_Limit no_retries", "1 attempt", "", "", ""},
		{"[SERVICE] scheduler.base", "shortest wait, seconds", "5, Fluent Bit", "", ""},
		{"[SERVICE] scheduler.cap", "longest wait, seconds", "2000, Fluent Bit", "", ""},
	},
	Doc: `A chunk that an output cannot send is sent Retry_Limit times again (once by default), no_limits and False are no end. The wait is random between the base and
min(cap, base*2^n). Then the chunk is dropped. Telemetry: best effort. The callee is Host. Source: catalogue, H8.`,
	Example: `
-- fluent-bit.conf --
[SERVICE]
    scheduler.base 3
    scheduler.cap 120
[OUTPUT]
    Name http
    Match *
    Host sink.obs.svc
    Port 8080
    URI /ingest
    Retry_Limit 8 # want layer "attempts=9 initial=3s max=2m"
[OUTPUT] # want layer "attempts=2 origin=default"
    Name es
    Match *
    Host es.obs.svc
-- pipeline.yaml --
pipeline:
  outputs:
    - name: http
      match: audit
      host: sink.obs.svc # want edge "host:sink.obs /ingest POST"
      uri: /ingest
      retry_limit: no_limits # want layer "attempts=unbounded"
    - name: stdout
      match: "*"
`,
})

// fluentBitSections are the sections of a classic file with that name, whatever its case.
func fluentBitSections(root *doc.Node, name string) []*doc.Node {
	var out []*doc.Node
	for _, e := range root.Entries() {
		if strings.EqualFold(e.Key, name) {
			out = append(out, e.Value.Many()...)
		}
	}
	return out
}

func fluentKey(n *doc.Node, key string) *doc.Node {
	if v := n.Get(key); v.Exists() {
		return v
	}
	for _, e := range n.Entries() {
		if strings.EqualFold(e.Key, key) {
			return e.Value
		}
	}
	return n.Path(key)
}

func fluentBitOutput(i int, o *doc.Node, base, most time.Duration, out *Out) {
	name := strings.ToLower(plain(fluentKey(o, "name")))
	switch name {
	case "", "stdout", "null", "file", "counter", "exit", "flowcounter", "retry", "prometheus_exporter", "plot":
		return
	}
	limit := fluentKey(o, "retry_limit")
	l := model.Layer{In: telemetryNode(out, "fluentbit", name+"-"+strconv.Itoa(i)), Label: "Fluent Bit output " + name, Policy: model.Policy{On: model.OnConnect | model.OnReset | model.OnTimeout | model.On5xx | model.On429}}
	l.Policy.Backoff = model.Exponential(base, model.NewRatio(2, 1), most).WithJitter(fullJitter)
	switch strings.ToLower(limit.Str()) {
	case "no_limits", "false", "off", "no":
		l.At, l.Policy.Attempts = out.Loc(limit), model.Unbounded()
	case "no_retries":
		l.At, l.Policy.Attempts = out.Loc(limit), model.Exactly(1)
	default:
		out.count(&l, limit, o, counting{offset: 1, absent: model.Exactly(2), by: "Fluent Bit: Retry_Limit is 1 where it is not set", off: "Retry_Limit no_retries", zero: endless, negative: endless})
		if n, ok := limit.Int(); ok && n == 0 {
			l.LowConfidence = true // what 0 means has changed between versions
		}
	}
	e := model.Edge{Key: model.Key{How: model.KeyNone}}
	if name == "http" {
		e.Method, e.Path = "POST", fluentKey(o, "uri").Str()
	}
	out.telemetry(l, "Fluent Bit output "+name, fluentKey(o, "host"), e)
}

var _ = add(Format{
	Name:  "fluentd",
	Title: "Fluentd buffers",
	Files: []string{"fluent.conf", "td-agent.conf", "fluentd*.conf", "*.conf"},
	Match: func(_ string, d *doc.Document) bool { return d.Syntax == doc.Fluentd && d.Root.Get("match").Exists() },
	Read: func(d *doc.Document, out *Out) {
		n := 0
		var visit func(m *doc.Node, depth int)
		visit = func(m *doc.Node, depth int) {
			for _, s := range m.Get("match").Many() {
				if store := s.Get("store"); store.Exists() {
					for _, st := range store.Many() {
						n++
						fluentdMatch(n, st, out)
					}
					continue
				}
				n++
				fluentdMatch(n, s, out)
			}
			if depth < 4 {
				for _, label := range m.Get("label").Many() {
					visit(label, depth+1)
				}
			}
		}
		visit(d.Root, 0)
	},
	Keys: []Key{
		{"buffer retry_max_times", "retries", "none, but retry_timeout", "1 attempt", "refused"},
		{"buffer retry_timeout", "limit over all attempts", "72h, Fluentd", "", ""},
		{"buffer retry_forever", "no end", "false, Fluentd", "", ""},
		{"buffer retry_wait", "first wait", "1s, Fluentd", "", ""},
		{"buffer retry_exponential_backoff_base", "growth", "2, Fluentd", "", ""},
		{"buffer retry_max_interval", "longest wait", "none", "", ""},
		{"retry_limit, disable_retry_limit, max_retry_wait", "the same in the words of Fluentd 0.12", "", "", ""},
	},
	Doc: `A chunk that an output cannot write is tried again with growing waits for 72 hours, about 18 times, then it is dropped or given to <secondary>.
Telemetry: best effort. Source: catalogue, H9.`,
	Example: `
-- fluentd.conf --
<match app.**>
  @type http
  endpoint http://sink.obs.svc/ingest
  <buffer>
    retry_max_times 6 # want layer "attempts=7 initial=1s max=30s"
    retry_max_interval 30s
  </buffer>
</match>
<match audit.**>
  @type forward
  <buffer>
    retry_forever true # want layer "attempts=unbounded"
  </buffer>
</match>
<match old.**>
  @type elasticsearch
  buffer_queue_limit 32
  max_retry_wait "#{ENV['MAX_WAIT'] || '30'}"
  disable_retry_limit # want layer "attempts=unbounded max=30s"
</match>
`,
})

func fluentdMatch(n int, s *doc.Node, out *Out) {
	typ := plain(exists(s.Get("@type"), s.Get("type")))
	b := exists(oneOf(s.Get("buffer")), s)
	switch typ {
	case "", "stdout", "null", "copy", "relabel", "rewrite_tag_filter", "route", "file", "exec":
		return
	}
	get := func(key string) *doc.Node { return b.Get(key).Or(s.Get(key)) }
	times, forever, timeout := exists(get("retry_max_times"), get("retry_limit")), exists(get("retry_forever"), get("disable_retry_limit")), get("retry_timeout")
	wait, most := get("retry_wait"), exists(get("retry_max_interval"), get("max_retry_wait"))
	if !times.Exists() && !forever.Exists() && !timeout.Exists() && !wait.Exists() && !most.Exists() && !s.Get("buffer").Exists() {
		return // nothing is said about buffers
	}
	l := model.Layer{In: telemetryNode(out, "fluentd", typ+"-"+strconv.Itoa(n)), Label: "Fluentd output " + typ, Policy: model.Policy{On: model.OnConnect | model.OnReset | model.OnTimeout | model.On5xx}}
	l.Policy.Overall = limitOr(out.span(&l, timeout, model.FieldOverall, time.Second), timeout, model.For(72*time.Hour))
	if on, known := forever.Bool(); on || !known && forever.Exists() && plain(forever) == "" { // a name alone is yes
		l.At, l.Policy.Attempts, l.Policy.Overall = out.KeyLoc(forever), model.Unbounded(), model.NoLimit()
	} else {
		out.count(&l, times, s, counting{offset: 1, absent: model.Unbounded(), by: "Fluentd: retry_timeout is 72h where no number is set", off: "retry_max_times 5", negative: refused})
	}
	bo := model.Exponential(time.Second, model.NewRatio(2, 1), 0).WithJitter(model.Jitter{Kind: model.JitterProportional, Factor: model.NewRatio(1, 8)})
	bo.Initial = limitOr(out.span(&l, wait, model.FieldInitial, time.Second), wait, bo.Initial)
	if most.Exists() {
		bo.Max = out.span(&l, most, model.FieldMax, time.Second)
	}
	if get("retry_type").Str() == "periodic" {
		bo.Kind = model.BackoffConstant
	}
	if on, known := get("retry_randomize").Bool(); known && !on {
		bo.Jitter.Kind = model.JitterNone
	}
	l.Policy.Backoff = bo
	e := model.Edge{Key: model.Key{How: model.KeyNone}}
	if typ == "http" {
		e.Method = "POST"
	}
	out.telemetry(l, "Fluentd output "+typ, exists(s.Get("endpoint"), s.Get("endpoint_url"), s.Get("host")), e)
}

// oneOf is the first of a node's values.
func oneOf(n *doc.Node) *doc.Node {
	if m := n.Many(); len(m) > 0 {
		return m[0]
	}
	return n
}
