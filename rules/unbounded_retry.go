package rules

import (
	"fmt"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Rule{
	ID:       "unbounded-retry",
	Severity: model.Warning, // error where the operation is not idempotent, note where it is how a client library is made
	Group:    "policies",
	Summary:  "neither a number of attempts nor a deadline ends the retries",
	Why: "A request that can never succeed is repeated until somebody restarts the process. Meanwhile it holds its goroutine, its " +
		"connection and its place in the queue, and nobody upstream learns that anything is wrong.",
	Fix: "Give the layer a number of attempts or a deadline, and park what still fails where somebody sees it.",
	Bad: `
-- feed/go.mod --
module example.test/feed
-- feed/feed.go --
package feed

import (
	"fmt"
	"net/http"
	"time"
)

var hc = &http.Client{Timeout: 5 * time.Second}

// Load reads the price list and does not give up.
func Load(url string) (*http.Response, error) {
	for { // want "no number of attempts and no deadline"
		resp, err := hc.Get(url)
		if err == nil && resp.StatusCode == http.StatusOK {
			return resp, nil
		}
		fmt.Println("once more", err)
		time.Sleep(time.Second)
	}
}
`,
	Good: `
-- feed/go.mod --
module example.test/feed
-- feed/feed.go --
package feed

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

var hc = &http.Client{Timeout: 5 * time.Second}

// Load reads the price list for a minute at most.
func Load(url string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return nil, err
		}
		resp, err := hc.Do(req)
		if err == nil && resp.StatusCode == http.StatusOK {
			return resp, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("price list: %w", ctx.Err())
		case <-time.After(time.Second):
		}
	}
}
`,
	GoAlone: true,
	Check:   checkUnbounded,
})

func checkUnbounded(p *Pass) {
	v := viewOf(p.Org)
	calls := map[string]bool{} // helpers whose calls are judged one by one: each may bring an end of its own
	for _, l := range p.Org.Layers {
		calls[l.Of] = true
	}
	for _, l := range v.judged() {
		if !l.Policy.Attempts.IsUnbounded() || l.Policy.Overall.Known() || calls[l.ID] {
			continue
		}
		end := v.deadlineAbove(l)
		if (end.Known() || l.Has(model.TraitDeadline)) && !l.Has(model.TraitIgnoresContext) {
			continue
		}
		what := "its work"
		sev := model.Warning
		if a, unsafe := v.unsafe(l); a != nil {
			what = describe(a.Edge, a.To)
			if unsafe && !soft(l) && l.Origin != model.OriginDefault {
				sev = model.Error
			}
		}
		msg := fmt.Sprintf("no number of attempts and no deadline: the %s repeats %s until it succeeds", title(l), what)
		if l.Has(model.TraitStopsOnContext) && end.IsUnknown() {
			p.Undecided(mend(l), fmt.Sprintf("only its caller's context ends the %s around %s: whether that has a deadline is not known", title(l), what))
			continue
		}
		if l.Origin == model.OriginDefault && (l.Kind == model.KindClient || l.Kind == model.KindProducer) {
			sev = model.Note // how a client library is made
		}
		if d := byDefault(l); d != "" {
			msg += "; unbounded is " + d
		}
		f := p.Report(mend(l), v.chains[l], "%s", msg)
		f.Severity = sev
		f.Layer = l.ID
		if !l.Call.IsZero() && l.Call != mend(l) {
			f.Related = append(f.Related, model.Related{At: l.Call, Message: "the attempts are made here"})
		}
	}
}

// unsafe finds a call that the layer repeats, preferring one of which it is known that a repeat does harm, then one that
// leaves the process.
func (v *view) unsafe(l *model.Layer) (a *model.Arc, unsafe bool) {
	better := func(x *model.Arc) {
		if a == nil || a.InProcess() && !x.InProcess() {
			a = x
		}
	}
	for _, x := range v.arcs[l] {
		if ok, known := harmless(x.Edge, l); known && !ok {
			return x, true
		}
		better(x)
	}
	c := v.chains[l]
	if c == nil || len(c.Hops) == 0 {
		return a, false
	}
	inside := false
	for _, h := range c.Hops {
		inside = inside || has(h.Layers, l)
	}
	if !inside {
		return a, false
	}
	last := c.Hops[len(c.Hops)-1].Arc
	if ok, known := harmless(last.Edge, l); known && !ok {
		return last, true
	}
	better(last)
	return a, false
}

// deadlineAbove is the time limit that the callers of a layer hand down to it within its process: known where one of the
// calls on the way sets it, none where it is known that there is none, unknown otherwise.
func (v *view) deadlineAbove(l *model.Layer) model.Limit {
	var from *model.Vertex
	own, all := model.For(0), len(v.arcs[l]) > 0 // of the calls themselves
	for _, a := range v.arcs[l] {
		from = a.From
		if a.Edge == nil || !a.Edge.Deadline.Known() {
			all = false
		} else {
			own = own.Max(a.Edge.Deadline)
		}
		if a.Edge == nil {
			continue
		}
		if a.Edge.Deadline.IsNone() {
			return model.NoLimit()
		}
	}
	if from == nil {
		return l.Policy.Overall
	}
	if all && l.Kind == model.KindClient {
		return own // what a client sends takes its deadline along
	}
	return callersDeadline(from, map[*model.Vertex]bool{})
}

// callersDeadline is the loosest deadline with which a node of a process is called; unknown where that of any caller is.
func callersDeadline(x *model.Vertex, seen map[*model.Vertex]bool) model.Limit {
	const most = 64 // far beyond what code that people read nests
	if seen[x] || len(seen) > most || len(x.In) == 0 {
		return model.Limit{}
	}
	seen[x] = true
	out := model.For(0)
	for _, a := range x.In {
		if !a.InProcess() || a.Edge == nil {
			return model.Limit{}
		}
		d := a.Edge.Deadline
		if d.IsUnknown() {
			d = callersDeadline(a.From, seen)
		}
		if d.IsUnknown() {
			return model.Limit{}
		}
		out = out.Max(d)
	}
	return out
}

func has(layers []*model.Layer, l *model.Layer) bool {
	for _, x := range layers {
		if x == l {
			return true
		}
	}
	return false
}
