package rules

import (
	"github.com/retrylint/retrylint/model"
)

var _ = add(Rule{
	ID:       "dedupe-above-effect",
	Severity: model.Warning,
	Group:    "dedupe",
	Summary:  "layers retry beneath the dedupe boundary, where it protects nothing",
	Why: "The boundary turns repeats of its own callers away. The retries beneath it are not its callers: they repeat the effect itself, and " +
		"without the key the far side cannot tell.",
	Fix: "Pass the key on to the last boundary before the effect, or do not retry beneath the one that checks it.",
	Bad: `
-- pay/go.mod --
module example.test/pay

require github.com/redis/go-redis/v9 v9.23.0
-- pay/pay.go --
package pay

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
)

var hc = &http.Client{Timeout: 5 * time.Second}

type server struct{ rdb *redis.Client }

func (s *server) payouts(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	fresh, err := s.rdb.SetNX(r.Context(), "payout:"+key, 1, 168*time.Hour).Result() // want "3 attempts"
	if err != nil || !fresh {
		http.Error(w, "in progress", http.StatusConflict)
		return
	}
	doc, _ := io.ReadAll(r.Body)
	if err := send(doc); err != nil {
		s.rdb.Del(r.Context(), "payout:"+key)
		http.Error(w, "not paid", http.StatusBadGateway)
	}
}

func send(doc []byte) (err error) {
	for n := 0; n < 3; n++ {
		req, e := http.NewRequest(http.MethodPost, "http://bank.example.com/transfers", bytes.NewReader(doc))
		if e != nil {
			return e
		}
		resp, e := hc.Do(req)
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(rand.N(time.Second << n))
	}
	return err
}

func routes(s *server) { http.HandleFunc("POST /payouts", s.payouts) }
`,
	Good: `
-- pay/go.mod --
module example.test/pay

require github.com/redis/go-redis/v9 v9.23.0
-- pay/pay.go --
package pay

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
)

var hc = &http.Client{Timeout: 5 * time.Second}

type server struct{ rdb *redis.Client }

func (s *server) payouts(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	fresh, err := s.rdb.SetNX(r.Context(), "payout:"+key, 1, 168*time.Hour).Result()
	if err != nil || !fresh {
		http.Error(w, "in progress", http.StatusConflict)
		return
	}
	doc, _ := io.ReadAll(r.Body)
	if err := send(key, doc); err != nil {
		s.rdb.Del(r.Context(), "payout:"+key)
		http.Error(w, "not paid", http.StatusBadGateway)
	}
}

func send(key string, doc []byte) (err error) {
	for n := 0; n < 3; n++ {
		req, e := http.NewRequest(http.MethodPost, "http://bank.example.com/transfers", bytes.NewReader(doc))
		if e != nil {
			return e
		}
		req.Header.Set("Idempotency-Key", key)
		resp, e := hc.Do(req)
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(rand.N(time.Second << n))
	}
	return err
}

func routes(s *server) { http.HandleFunc("POST /payouts", s.payouts) }
`,
	GoAlone: true,
	Check:   checkDedupeAboveEffect,
})

func checkDedupeAboveEffect(p *Pass) {
	g := graphOf(p.Org)
	for _, d := range memories(p.Org) {
		b, v := d.boundary, d.vertex
		if b.Store == model.StoreInFlight || b.Store == model.StoreProvider || b.Order == model.OrderPublish || b.Has(model.TraitClaimOnly) {
			continue
		}
		for _, a := range below(v) {
			if !changes(a) || a.Edge.Key.How != model.KeyNone && a.Edge.Key.How != model.KeyMade || enforced(a.To) {
				continue
			}
			var ls []*model.Layer
			for _, l := range g.beneath(b, v, a) {
				if repeats(l) && !careful(l) && !soft(l) {
					ls = append(ls, l)
				}
			}
			ls = model.Together(ls)
			if len(ls) == 0 || a.Edge.Key.How == model.KeyMade && len(g.remaking(a)) == 0 {
				continue
			}
			f := p.Report(at(b.Use, b.At), g.byArc[a], "%s of %s lie beneath the %s check of %s and above the effect: the key is checked once and the retries repeat the effect without it.",
				many(g.through(a, ls), "attempt"), describe(a.Edge, a.To), storeWords(b), d.where())
			f.Related = layerPlaces(ls)
			related(f, a.Edge.At, "the effect")
			break
		}
	}
}

// beneath lists the layers between a boundary and a call beneath it, outermost first: those around the calls on the way,
// and those around the call itself. Of the boundary's own function only what stands below the check counts.
func (g *graph) beneath(b *model.Boundary, v *model.Vertex, a *model.Arc) []*model.Layer {
	around := func(x *model.Arc) []*model.Layer {
		if x.From != v {
			return x.Layers
		}
		var out []*model.Layer
		for _, l := range x.Layers {
			if under(x.Edge.Under, l.ID) && (l.At.Path != b.Use.Path || l.At.Line > b.Use.Line) {
				out = append(out, l)
			} else if !l.Whole && !under(x.Edge.Under, l.ID) {
				out = append(out, l) // a route
			}
		}
		return out
	}
	// The way from the boundary down, by back pointers of a search.
	from := map[*model.Vertex]*model.Arc{}
	queue := []*model.Vertex{v}
	seen := map[*model.Vertex]bool{v: true}
	for len(queue) > 0 && !seen[a.From] {
		x := queue[0]
		queue = queue[1:]
		for _, o := range x.Out {
			if o.InProcess() && !seen[o.To] {
				seen[o.To] = true
				from[o.To] = o
				queue = append(queue, o.To)
			}
		}
	}
	var out []*model.Layer
	for x := a.From; x != v && from[x] != nil; x = from[x].From {
		out = append(around(from[x]), out...)
	}
	return append(out, around(a)...)
}
