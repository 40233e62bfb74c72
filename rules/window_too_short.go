package rules

import (
	"fmt"
	"time"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Rule{
	ID:       "window-too-short",
	Severity: model.Error,
	Group:    "dedupe",
	Summary:  "keys are forgotten before the last duplicate can come",
	Why: "A dedupe memory protects for as long as it remembers. A repeat that comes later, by the slowest retry, a replayed dead letter, a " +
		"sender's redelivery or an operator who reruns last week's job, is new to it and is carried out again.",
	Fix: "Remember keys for at least the required window (longest path times safety factor), or shorten the path.",
	Bad: `
-- hook/go.mod --
module example.test/hook

require github.com/redis/go-redis/v9 v9.23.0
-- hook/hook.go --
package hook

import (
	"context"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
)

type Hook struct {
	rdb   *redis.Client
	grant func(ctx context.Context, event string) error
}

// Register mounts the hook that the billing provider calls.
func (h *Hook) Register(mux *http.ServeMux) {
	mux.HandleFunc("POST /hooks/billing", func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Event-Id")
		fresh, err := h.rdb.SetNX(r.Context(), "billing:"+id, 1, time.Hour).Result() // want "1h.*72h"
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if fresh {
			if err := h.grant(r.Context(), id); err != nil {
				h.rdb.Del(r.Context(), "billing:"+id)
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
		}
		w.WriteHeader(http.StatusNoContent)
	})
}
-- .retrylint.yaml --
version: 1
senders:
  - {to: "POST /hooks/billing", redeliversFor: 72h}
`,
	Good: `
-- hook/go.mod --
module example.test/hook

require github.com/redis/go-redis/v9 v9.23.0
-- hook/hook.go --
package hook

import (
	"context"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
)

type Hook struct {
	rdb   *redis.Client
	grant func(ctx context.Context, event string) error
}

// Register mounts the hook that the billing provider calls.
func (h *Hook) Register(mux *http.ServeMux) {
	mux.HandleFunc("POST /hooks/billing", func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Event-Id")
		fresh, err := h.rdb.SetNX(r.Context(), "billing:"+id, 1, 168*time.Hour).Result()
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if fresh {
			if err := h.grant(r.Context(), id); err != nil {
				h.rdb.Del(r.Context(), "billing:"+id)
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
		}
		w.WriteHeader(http.StatusNoContent)
	})
}
-- .retrylint.yaml --
version: 1
senders:
  - {to: "POST /hooks/billing", redeliversFor: 72h}
`,
	Check: checkWindowTooShort,
})

// shortfall is a window with the chain that outlasts it most.
type shortfall struct {
	boundary *model.Boundary
	chain    *model.Chain
	vertex   *model.Vertex
	judged   model.Judged
}

func checkWindowTooShort(p *Pass) {
	var order []string
	worst := map[string]shortfall{}
	open := map[string]model.Location{}
	judge := func(id string, b *model.Boundary, c *model.Chain, v *model.Vertex) {
		j := c.Verdict(b, v, p.Org.Factor)
		if j.Verdict == model.VerdictUnknown {
			open[id] = at(b.At, b.Use)
			return
		}
		if j.Verdict != model.Short && j.Verdict != model.Margin || j.Longest == model.For(0) {
			return
		}
		old, ok := worst[id]
		if !ok {
			order = append(order, id)
		}
		if !ok || worse(j, old.judged) {
			worst[id] = shortfall{b, c, v, j}
		}
	}
	for _, c := range p.Org.Chains {
		for i, v := range c.Vertices() {
			for _, b := range v.Boundaries {
				if remembers(b) && (b.Order != model.OrderPublish || carriesKey(c, i)) {
					judge(b.ID, b, c, v)
				}
			}
		}
		// The provider at the far end remembers the key of the last call.
		if n := len(c.Hops); n > 0 {
			if e := c.Hops[n-1].Arc.Edge; e != nil && e.Key.Window.Known() && steady(e.Key, c) {
				b := &model.Boundary{Kind: e.Key.Provider, At: at(e.Key.At, e.At), TTL: e.Key.Window, Store: model.StoreProvider}
				judge("key:"+b.At.String(), b, c, c.Effect)
			}
		}
	}
	for _, id := range order {
		report(p, worst[id])
	}
	for id, l := range open {
		if _, ok := worst[id]; !ok {
			p.Undecided(l, "whether the window covers the longest path")
		}
	}
}

// remembers reports whether a boundary is meant to keep keys: a lock is given back, and what joins callers in flight
// remembers nothing by design.
func remembers(b *model.Boundary) bool {
	return !b.Unconfirmed && b.Store != model.StoreInFlight && !b.Has(model.TraitClaimOnly)
}

// carriesKey reports whether the call that reaches vertex i of a chain carries a key for a broker to look at.
func carriesKey(c *model.Chain, i int) bool {
	if i == 0 {
		return false
	}
	for _, h := range c.Hops[:i] {
		e := h.Arc.Edge
		if e == nil || e.Kind != model.EdgePublish {
			continue
		}
		switch e.Key.How {
		case model.KeyForwarded, model.KeyDerived, model.KeyMade:
			return true
		}
	}
	return false
}

// steady reports whether a key stays the same over every layer of a chain, so that the receiver's memory is what counts.
func steady(k model.Key, c *model.Chain) bool {
	switch k.How {
	case model.KeyForwarded, model.KeyDerived:
		return true
	case model.KeyMade:
		return false // each run of the entry makes another one
	}
	return false
}

// worse orders verdicts: short before margin, then the larger shortfall.
func worse(a, b model.Judged) bool {
	if (a.Verdict == model.Short) != (b.Verdict == model.Short) {
		return a.Verdict == model.Short
	}
	if c := a.Shortfall.Compare(b.Shortfall); c != 0 {
		return c > 0
	}
	return a.Longest.Compare(b.Longest) > 0
}

func report(p *Pass, s shortfall) {
	b, j := s.boundary, s.judged
	kept := "keys are kept for " + j.Window.String()
	switch {
	case b.Store == model.StoreMemory:
		kept = "keys are kept in memory, 0s beyond a restart"
	case b.Store == model.StoreEvicting:
		kept = "keys are kept for 0s for certain, as the store evicts them"
	case b.Store == model.StoreProvider:
		kept = fmt.Sprintf("keys are kept for %s by the receiver (%s)", j.Window, b.Kind)
	case b.Store == model.StoreBroker:
		kept = fmt.Sprintf("message ids are kept for %s by the broker", j.Window)
	}
	if j.Restored {
		reportRestored(p, s)
		return
	}
	if j.Gap {
		kept += ", anew with each duplicate"
	}
	what := named(s.vertex, b.In)
	path := limitWords(j.Longest)
	way := pathWords(j.Path)
	if j.Gap {
		way += ", the longest time between two duplicates"
	}
	f := p.Report(at(b.At, b.Use), s.chain, "")
	if j.Verdict == model.Margin {
		f.Severity = model.Warning
		f.Message = fmt.Sprintf("window %s, longest path %s (%s), at %s: %s, which is longer than the path but below the required window of %s (factor %s), short by %s.",
			j.Window, path, way, what, kept, limitWords(j.Required), p.Org.Factor, limitWords(j.Shortfall))
	} else {
		f.Message = fmt.Sprintf("window %s, longest path %s (%s), at %s: %s, and a duplicate that comes later is carried out again. Required window %s (factor %s), short by %s.",
			j.Window, path, way, what, kept, limitWords(j.Required), p.Org.Factor, limitWords(j.Shortfall))
	}
	related(f, b.Use, "the key is asked for here")
	if !j.Path.At.IsZero() {
		related(f, j.Path.At, "the longest path: "+way)
	}
	if j.Path.Kind == model.PathAutomatic || j.ByAutomatic {
		for _, l := range s.chain.Factors() {
			related(f, mend(l), title(l)+": "+tries(l))
		}
	}
}

// reportRestored speaks of a memory that a restore brings back to an older state together with the work that comes again: no time to
// live helps there.
func reportRestored(p *Pass, s shortfall) {
	b, j := s.boundary, s.judged
	f := p.Report(at(b.At, b.Use), s.chain, "window 0s, longest path %s (%s), at %s: the restore brings the table of keys back to its old state too, so the records of the last %s are gone while the effect outside of the database has happened: what comes again is carried out again, however long keys are kept. Send the key on to the effect, or keep it in a database that is not restored with the work.",
		limitWords(j.Longest), pathWords(j.Path), named(s.vertex, b.In), limitWords(j.Path.Delay))
	related(f, b.Use, "the key is asked for here")
	related(f, j.Path.At, "the longest path: "+pathWords(j.Path))
}

// limitWords is a limit as messages write it, with days beside longer ones.
func limitWords(l model.Limit) string {
	d, ok := l.Duration()
	switch {
	case l.IsNone():
		return "without end"
	case !ok:
		return "unknown"
	case d >= 48*time.Hour && d%(24*time.Hour) == 0:
		return fmt.Sprintf("%s, %d days", model.FormatDuration(d), d/(24*time.Hour))
	}
	return model.FormatDuration(d)
}

func pathWords(r model.ReplayPath) string {
	switch r.Kind {
	case model.PathAutomatic:
		return "automatic retries"
	case model.PathDeadLetter:
		return "dead-letter replay"
	case model.PathOperatorRerun:
		return "operator rerun"
	case model.PathRestore:
		return "restore from backup"
	case model.PathSender:
		return "the sender's redelivery"
	}
	return string(r.Kind)
}
