package extract

import (
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "redpanda-connect",
	Title: "Redpanda Connect (Benthos)",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(_ string, d *doc.Document) bool {
		r := d.Root
		return r.Get("input").Kind() == doc.Map && r.Get("output").Kind() == doc.Map && !r.Get("apiVersion").Exists() ||
			r.Get("pipeline").Get("processors").Kind() == doc.List && (r.Get("input").Exists() || r.Get("output").Exists())
	},
	Read: func(d *doc.Document, out *Out) {
		for _, part := range []string{"input", "pipeline", "output"} {
			benthos(d.Root.Get(part), telemetryNode(out, "connect", part), nil, out, 0)
		}
	},
	Keys: []Key{
		{"http_client.retries", "retries", "3", "1 attempt", "refused"},
		{"http_client.retry_period", "first wait", "1s", "", ""},
		{"http_client.max_retry_backoff", "longest wait", "300s", "", ""},
		{"http_client.timeout", "limit of one attempt", "5s", "", ""},
		{"retry.max_retries (output, processor)", "retries", "0: no end", "no end", "refused"},
		{"retry.backoff.{initial_interval, max_interval, max_elapsed_time}", "waits, limit over all attempts", "500ms, 3s, no limit", "", ""},
	},
	Doc: `http_client repeats a request retries times; a retry output or processor repeats what is inside it, without end unless max_retries says otherwise, so
that the two multiply. A message that no output takes is delivered again by the input. Source: catalogue, H10.`,
	Example: `
-- connect.yaml --
input:
  kafka: {addresses: ["kafka:9092"], topics: [bills]}
output:
  retry: # want layer "attempts=unbounded initial=500ms max=3s"
    output:
      http_client:
        url: https://bank.example.test/payments # want edge "POST host:bank.example.test /payments"
        verb: POST
        retries: 4 # want layer "attempts=5 initial=1s max=5m"
        timeout: 10s
`,
})

func benthos(n *doc.Node, self model.Name, under []string, out *Out, depth int) {
	if depth > 12 {
		return
	}
	for _, item := range n.Items() {
		benthos(item, self, under, out, depth+1)
	}
	for _, e := range n.Entries() {
		switch {
		case (e.Key == "http_client" || e.Key == "http") && e.Value.Get("url").Exists():
			benthosHTTP(e.Value, self, under, out)
		case e.Key == "retry" && (e.Value.Get("output").Exists() || e.Value.Get("processors").Exists()):
			r := e.Value
			l := model.Layer{Kind: model.KindClient, In: self, Label: "Redpanda Connect retry", Policy: model.Policy{On: model.OnError}}
			out.count(&l, r.Get("max_retries"), r, counting{offset: 1, absent: model.Unbounded(), by: "Redpanda Connect: max_retries has no end where it is not set", off: "max_retries: 3", zero: endless, negative: refused})
			b := r.Get("backoff")
			l.Policy.Backoff = model.Exponential(500*time.Millisecond, model.NewRatio(3, 2), 3*time.Second).WithJitter(model.Jitter{Kind: model.JitterProportional, Factor: model.NewRatio(1, 2)})
			initial, most := b.Get("initial_interval"), b.Get("max_interval")
			l.Policy.Backoff.Initial = limitOr(out.span(&l, initial, model.FieldInitial, 0), initial, l.Policy.Backoff.Initial)
			l.Policy.Backoff.Max = limitOr(out.span(&l, most, model.FieldMax, 0), most, l.Policy.Backoff.Max)
			l.Policy.Overall = positive(out.span(&l, b.Get("max_elapsed_time"), model.FieldOverall, 0))
			id := out.Layer(l).ID
			benthos(e.Value, self, append(append([]string{}, under...), id), out, depth+1)
		default:
			benthos(e.Value, self, under, out, depth+1)
		}
	}
}

func benthosHTTP(h *doc.Node, self model.Name, under []string, out *Out) {
	l := model.Layer{Kind: model.KindClient, In: self, Label: "Redpanda Connect http_client", Policy: model.Policy{On: model.OnConnect | model.OnReset | model.OnTimeout | model.On5xx | model.On429}}
	out.count(&l, h.Get("retries"), h, counting{offset: 1, absent: model.Exactly(4), by: "Redpanda Connect: retries is 3 where it is not set", off: "retries: 0", negative: refused})
	first, most, timeout := h.Get("retry_period"), h.Get("max_retry_backoff"), h.Get("timeout")
	b := model.Exponential(time.Second, model.NewRatio(3, 2), 300*time.Second)
	b.Initial = limitOr(out.span(&l, first, model.FieldInitial, 0), first, b.Initial)
	b.Max = limitOr(out.span(&l, most, model.FieldMax, 0), most, b.Max)
	b.Jitter.Kind = model.JitterUnknown
	l.Policy.Backoff = b
	l.Policy.PerAttempt = limitOr(out.span(&l, timeout, model.FieldPerAttempt, 0), timeout, model.For(5*time.Second))
	verb := "POST"
	if strings.HasSuffix(self.Key, "#input") {
		verb = "GET" // what an input does unless told otherwise
	}
	e := model.Edge{Method: strings.ToUpper(h.Get("verb").Str(verb)), Timeout: l.Policy.PerAttempt, Key: model.Key{How: model.KeyNone, At: out.Loc(h.Get("url"))}}
	for _, k := range h.Get("headers").Entries() {
		if IdempotencyHeader(k.Key) {
			e.Key = model.Key{How: model.KeyDerived, Sink: k.Key, Sources: model.FromInput, At: out.Loc(k.Value), Text: plain(k.Value)}
		}
	}
	e.Under = append(append([]string{}, under...), out.Layer(l).ID)
	out.urlEdge(self, h.Get("url"), e)
}
