package extract

import (
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "google-workflows",
	Title: "Google Workflows",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(_ string, d *doc.Document) bool { return d.Root.Path("main.steps").Kind() == doc.List },
	Read: func(d *doc.Document, out *Out) {
		self := model.N(model.SpaceWorkload, "googleworkflow/"+out.Repo+"/"+out.Path)
		out.Node(model.Node{Name: self, Kind: model.NodeWorkflow, At: out.KeyLoc(d.Root.Get("main")), Label: "workflow", Entry: true})
		for _, e := range d.Root.Entries() {
			googleSteps(e.Value.Get("steps"), self, nil, out, 0)
		}
	},
	Keys: []Key{
		{"retry.max_retries", "retries", "named policies: 5", "1 attempt", "refused"},
		{"retry.backoff.initial_delay", "first wait, seconds", "1 (named policies)", "", ""},
		{"retry.backoff.max_delay", "longest wait, seconds", "60 (named policies)", "", ""},
		{"retry.backoff.multiplier", "growth", "1.25 (named policies)", "", ""},
	},
	Doc: `A try block with retry repeats its steps: max_retries counts retries; the named policies http.default_retry and
http.default_retry_non_idempotent make 5. The callees are the url arguments of http calls. Source: catalogue, D12; the defaults of the named policies are
not verified, so layers from them are of low confidence.`,
	Example: `
-- flow.yaml --
main:
  steps:
    - pay:
        try:
          call: http.post
          args:
            url: https://pay.example.test/charges # want edge "POST host:pay.example.test /charges key=none"
        retry:
          predicate: ${http.default_retry_predicate}
          max_retries: 4 # want layer "attempts=5 initial=2s factor=2 max=1m"
          backoff:
            initial_delay: 2
            max_delay: 60
            multiplier: 2
    - read:
        try:
          call: http.get
          args: {url: "https://pay.example.test/balance"}
        retry: ${http.default_retry} # want layer "attempts=6 low=true"
`,
})

func googleSteps(steps *doc.Node, self model.Name, under []string, out *Out, depth int) {
	if depth > 12 {
		return
	}
	for _, item := range steps.Many() {
		for _, e := range item.Entries() {
			googleStep(e.Value, self, under, out, depth)
		}
	}
}

func googleStep(s *doc.Node, self model.Name, under []string, out *Out, depth int) {
	if t := s.Get("try"); t.Exists() {
		in := under
		if r := s.Get("retry"); r.Exists() {
			in = append(append([]string{}, under...), googleRetry(r, self, out))
		}
		if t.Get("call").Exists() {
			googleCall(t, self, in, out)
		}
		googleSteps(t.Get("steps"), self, in, out, depth+1)
	}
	if s.Get("call").Exists() {
		googleCall(s, self, under, out)
	}
	googleSteps(s.Get("steps"), self, under, out, depth+1)
	googleSteps(s.Path("for.steps"), self, under, out, depth+1)
	for _, b := range s.Path("parallel.branches").Items() {
		for _, e := range b.Entries() {
			googleSteps(e.Value.Get("steps"), self, under, out, depth+1)
		}
	}
	for _, c := range s.Get("switch").Items() {
		googleSteps(c.Get("steps"), self, under, out, depth+1)
	}
}

func googleRetry(r *doc.Node, self model.Name, out *Out) string {
	l := model.Layer{Kind: model.KindWorkflow, In: self, Label: "Workflows retry", Policy: model.Policy{On: model.OnError}}
	if r.Kind() != doc.Map {
		l.At, l.LowConfidence = out.Loc(r), true
		l.Label = "Workflows " + strings.Trim(r.Str(), "${} ")
		if strings.Contains(r.Str(), "default_retry") {
			l.Policy.Attempts = model.Exactly(6)
			l.Policy.Backoff = model.Exponential(time.Second, model.NewRatio(5, 4), time.Minute)
			l.Policy.On = model.OnConnect | model.OnReset | model.OnTimeout | model.OnGateway | model.On429
			if strings.Contains(r.Str(), "non_idempotent") {
				l.Policy.On = model.OnConnect | model.OnGateway | model.On429
			}
		}
		return out.Layer(l).ID
	}
	out.count(&l, r.Get("max_retries"), r, counting{offset: 1, zero: once, negative: refused})
	l.DefaultBy, l.Origin = "", ""
	b := r.Get("backoff")
	l.Policy.Backoff = model.Backoff{Kind: model.BackoffExponential, Initial: out.span(&l, b.Get("initial_delay"), model.FieldInitial, time.Second),
		Max: out.span(&l, b.Get("max_delay"), model.FieldMax, time.Second), Jitter: model.Jitter{Kind: model.JitterNone}}
	if f, ok := b.Get("multiplier").Float(); ok && f >= 1 {
		l.Policy.Backoff.Factor = model.RatioOf(f)
	}
	return out.Layer(l).ID
}

func googleCall(s *doc.Node, self model.Name, under []string, out *Out) {
	call := s.Get("call").Str()
	m, ok := strings.CutPrefix(call, "http.")
	url := s.Path("args.url")
	if !ok || url.Kind() != doc.Scalar {
		return
	}
	if m == "request" {
		m = s.Path("args.method").Str("GET")
	}
	e := model.Edge{Method: strings.ToUpper(m), Under: under, Key: model.Key{How: model.KeyNone, At: out.Loc(url)}}
	if d, ok := s.Path("args.timeout").Duration(time.Second); ok {
		e.Timeout = model.For(d)
	}
	for _, h := range s.Path("args.headers").Entries() {
		if IdempotencyHeader(h.Key) {
			e.Key = templateKey(h.Value, h.Key, self, out)
		}
	}
	out.urlEdge(self, url, e)
}
