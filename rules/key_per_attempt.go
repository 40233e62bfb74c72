package rules

import (
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Rule{
	ID:       "key-per-attempt",
	Severity: model.Error,
	Group:    "keys",
	Summary:  "an idempotency key is made anew for each attempt",
	Why: "The key tells the receiver that an attempt is a repeat. When each attempt carries a key of its own, the receiver sees as many " +
		"different requests as there are attempts, and a request whose answer was lost is carried out again: charged, shipped or mailed twice.",
	Fix: "Make the key once, before the first attempt, or derive it from the intent (an order id, a hash of the payload).",
	Bad: `
-- billing/go.mod --
module example.test/billing

require github.com/google/uuid v1.6.0
-- billing/charge.go --
package billing

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/google/uuid"
)

var hc = &http.Client{Timeout: 8 * time.Second}

// Charge books one card charge; a lost answer is asked for again.
func Charge(url string, body []byte) (err error) {
	for n := 0; n < 4; n++ {
		req, e := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
		if e != nil {
			return e
		}
		req.Header.Set("Idempotency-Key", uuid.NewString()) // want "4 attempts .* 4 keys"
		resp, e := hc.Do(req)
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(rand.N(time.Second << n))
	}
	return err
}
`,
	Good: `
-- billing/go.mod --
module example.test/billing

require github.com/google/uuid v1.6.0
-- billing/charge.go --
package billing

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/google/uuid"
)

var hc = &http.Client{Timeout: 8 * time.Second}

// Charge books one card charge; a lost answer is asked for again under the same key.
func Charge(url string, body []byte) (err error) {
	key := uuid.NewString()
	for n := 0; n < 4; n++ {
		req, e := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
		if e != nil {
			return e
		}
		req.Header.Set("Idempotency-Key", key)
		req.Header.Set("X-Request-Id", uuid.NewString())
		resp, e := hc.Do(req)
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(rand.N(time.Second << n))
	}
	return err
}
`,
	GoAlone: true,
	Check:   checkKeyPerAttempt,
})

func checkKeyPerAttempt(p *Pass) {
	g := graphOf(p.Org)
	for _, v := range p.Org.Vertices {
		for _, a := range v.Out {
			ls := model.Together(g.remaking(a))
			if len(ls) == 0 {
				continue
			}
			k := a.Edge.Key
			n := g.through(a, ls)
			var near []string
			for _, l := range ls {
				near = append(near, title(l)+" at "+where(mend(l), k.Born))
			}
			f := p.Report(at(k.Born, k.At, a.Edge.At), g.byArc[a], "%s of one %s carry %s: %s is %s, made inside the %s. The receiver cannot tell a repeat from a new request.",
				many(n, "attempt"), describe(a.Edge, a.To), keysOf(n), sinkOf(k), keyText(k), strings.Join(near, " and the "))
			f.Layer = ls[len(ls)-1].ID
			f.Related = layerPlaces(ls)
			f.Fix = k.Hoist
			if !k.At.IsZero() && k.At.Line != f.At.Line {
				f.Related = append(f.Related, model.Related{At: k.At, Message: "the key is put onto the call here"})
			}
			if !slices.ContainsFunc(ls, func(l *model.Layer) bool { return !l.LowConfidence }) {
				f.Severity = model.Warning
			}
		}
	}
}

// remaking lists the layers within the process that repeat both the birth of a call's key and the call, outermost first.
func (g *graph) remaking(a *model.Arc) []*model.Layer {
	e := a.Edge
	if e == nil || e.Key.How != model.KeyMade || safeMethod(e.Method) || e.Idempotent && !e.Effect || e.BestEffort {
		return nil
	}
	from := g.birth(a)
	around := map[*model.Layer]bool{}
	for _, l := range a.Layers {
		around[l] = true
	}
	for _, id := range e.Under {
		around[g.org.Layer(id)] = true
	}
	use := above(a.From, inProcess)
	for _, w := range use {
		around[w.layer] = true
	}
	var out []*model.Layer
	add := func(l *model.Layer) {
		if l != nil && l.Factor() && l.Kind != model.KindRestart && !outerKind(l) && around[l] && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	var outer []*model.Layer
	for _, w := range above(from, inProcess) {
		outer = append(outer, w.layer)
	}
	for _, l := range slices.Backward(outer) {
		add(l)
	}
	for _, id := range e.Key.BornUnder {
		l := g.org.Layer(id)
		if l != nil && !around[l] && a.From == from {
			around[l] = true
		}
		add(l)
	}
	return out
}

// birth is the node in which the key of a call is made.
func (g *graph) birth(a *model.Arc) *model.Vertex {
	if a.Edge.Key.BornIn.IsZero() || a.Edge.Key.BornIn == a.From.Name {
		return a.From
	}
	if v := g.node(a.Edge.Key.BornIn, a.From.Repo); v != nil {
		return v
	}
	return nil
}

func sinkOf(k model.Key) string {
	if k.Sink == "" {
		return "the key"
	}
	return k.Sink
}

// keyText is what a key is made of, for messages.
func keyText(k model.Key) string {
	if t := cut(k.Text); t != "" {
		return t
	}
	if w := k.Sources.Words(); len(w) > 0 {
		return "made of " + strings.Join(w, " and ")
	}
	return "a fresh value"
}
