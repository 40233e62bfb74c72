package rules

import (
	"fmt"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Rule{
	ID:       "payload-per-attempt",
	Severity: model.Warning,
	Group:    "keys",
	Summary:  "under one key the payload differs from attempt to attempt",
	Why: "The key says that this is the same request; the body says that it is another one. A careful server refuses the second " +
		"attempt (422), a careless one answers with the first result, and a naive one does the work anew.",
	Fix: "Build the payload once, before the first attempt; put what must change per attempt into a header.",
	Bad: `
-- refunds/go.mod --
module example.test/refunds
-- refunds/ask.go --
package refunds

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"time"
)

var hc = &http.Client{Timeout: 10 * time.Second}

// Ask orders one refund under the key of its payment.
func Ask(url, payment string) (err error) {
	for n := 0; n < 4; n++ {
		body, _ := json.Marshal(map[string]any{"payment": payment, "asked": time.Now()}) // want "clock"
		req, e := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
		if e != nil {
			return e
		}
		req.Header.Set("Idempotency-Key", "refund-"+payment)
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
-- refunds/go.mod --
module example.test/refunds
-- refunds/ask.go --
package refunds

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"time"
)

var hc = &http.Client{Timeout: 10 * time.Second}

// Ask orders one refund under the key of its payment.
func Ask(url, payment string) (err error) {
	body, _ := json.Marshal(map[string]any{"payment": payment, "asked": time.Now()})
	for n := 0; n < 4; n++ {
		req, e := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
		if e != nil {
			return e
		}
		req.Header.Set("Idempotency-Key", "refund-"+payment)
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
	Check:   checkPayload,
})

func checkPayload(p *Pass) {
	v := viewOf(p.Org)
	for _, l := range v.judged() {
		t, ok := l.Trait(model.TraitPayloadFresh)
		if !ok {
			continue
		}
		a := v.keyed(l)
		if a == nil {
			continue // without a key that outlives the attempt there is nothing that the payload contradicts
		}
		what := t.Detail
		if what == "" {
			what = "something fresh"
		}
		sink := a.Edge.Key.Sink
		if sink == "" {
			sink = "the key"
		}
		msg := fmt.Sprintf("the payload of %s takes in %s in each attempt of the %s, while %s stays the same", describe(a.Edge, a.To), what, title(l), sink)
		f := p.Report(at(t.At, mend(l)), v.chains[l], "%s", msg)
		f.Layer = l.ID
		if k := at(a.Edge.Key.At, a.Edge.Key.Born); !k.IsZero() {
			f.Related = append(f.Related, model.Related{At: k, Message: "the key that stays the same"})
		}
	}
}

// keyed finds a call under the layer that carries a key which stays the same over the layer's attempts: directly, or in
// the functions of the same process that the layer calls.
func (v *view) keyed(l *model.Layer) *model.Arc {
	for _, a := range v.arcs[l] {
		if stable(a.Edge, l) {
			return a
		}
	}
	c := v.chains[l]
	if c == nil {
		return nil
	}
	inside := false
	for _, h := range c.Hops {
		inside = inside || has(h.Layers, l)
		if inside && stable(h.Arc.Edge, l) {
			return h.Arc
		}
		if inside && !h.Arc.InProcess() {
			return nil
		}
	}
	return nil
}

func stable(e *model.Edge, l *model.Layer) bool {
	if e == nil {
		return false
	}
	switch e.Key.How {
	case model.KeyForwarded, model.KeyDerived, model.KeyConstant, model.KeyNatural, model.KeyClient:
		return !under(e.Key.BornUnder, l.ID) || !e.Key.Sources.Unstable()
	case model.KeyMade:
		return madeOnce(e.Key, l)
	}
	return false
}
