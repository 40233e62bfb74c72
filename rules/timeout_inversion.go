package rules

import (
	"fmt"
	"strings"
	"time"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Rule{
	ID:       "timeout-inversion",
	Severity: model.Warning,
	Group:    "chains",
	Summary:  "a time limit is shorter than what it is around may take with its own retries",
	Why: "The outer side gives up, and tries again, while the inner side is still at work: the work is done twice, and the inner " +
		"retries that somebody configured never get their turn.",
	Fix: "Make the outer limit longer than attempts x per-attempt timeout plus waits of everything inside, or lower the inner ones.",
	Bad: `
-- mesh/search.yaml --
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata:
  name: search
spec:
  hosts: [search]
  http:
    - route:
        - destination: {host: search}
      timeout: 5s # want "5s"
      retries:
        attempts: 3
        perTryTimeout: 5s
        retryOn: gateway-error,connect-failure
`,
	Good: `
-- mesh/search.yaml --
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata:
  name: search
spec:
  hosts: [search]
  http:
    - route:
        - destination: {host: search}
      timeout: 10s
      retries:
        attempts: 2
        perTryTimeout: 3s
        retryOn: gateway-error,connect-failure
`,
	GoAlone: true,
	Check:   checkInversion,
})

func checkInversion(p *Pass) {
	v := viewOf(p.Org)
	routes := map[*model.Layer]bool{}
	for _, f := range p.Org.Facts {
		for i := range f.Routes {
			r := &f.Routes[i]
			l := p.Org.Layer(r.Layer)
			if l == nil || !r.Timeout.Known() {
				continue
			}
			routes[l] = true
			v.around(p, l, r.Timeout, at(r.TimeoutAt, r.At), "the route's timeout", false)
		}
	}
	for _, l := range p.Org.Layers {
		if !l.Factor() || routes[l] {
			continue
		}
		for _, t := range l.Traits {
			if t.Kind != model.TraitDeadline {
				continue
			}
			words := strings.Fields(t.Detail)
			if len(words) == 0 {
				continue
			}
			d, err := time.ParseDuration(words[0])
			if err != nil {
				continue
			}
			if len(words) > 1 && words[1] == "client" {
				v.around(p, l, model.For(d), at(t.At, mend(l)), "the client's timeout", false)
			} else {
				v.around(p, l, model.For(d), at(t.At, mend(l)), "the deadline", true)
			}
		}
		if l.Policy.Overall.Known() && l.Policy.Budget == model.BudgetHard && !l.Has(model.TraitDeadline) {
			v.around(p, l, l.Policy.Overall, mend(l), "the time limit", goLayer(l))
		}
	}
	for _, c := range p.Org.Chains {
		v.across(p, c)
	}
}

// years is how long a limit is that only a form asked for: nobody waits for it.
const years = 365 * 24 * time.Hour

// around compares a limit around all attempts of a layer with what they may take. A context that is handed down bounds
// each attempt as well, and giving it less than the sum of all attempts is a budget that somebody chose; it is a fault
// where already the first slow attempt uses it up.
func (v *view) around(p *Pass, l *model.Layer, limit model.Limit, place model.Location, what string, budget bool) {
	pol := l.Policy
	if pol.Attempts.One() || pol.Budget != model.BudgetHard {
		return
	}
	each := pol.PerAttempt
	same := false                                          // what ends an attempt may be the very deadline that ends them all
	if each.IsUnknown() && l.Kind != model.KindTransport { // the limits of calls through a transport are its client's
		if each = v.perAttempt(l, false); each.IsUnknown() {
			each, same = v.perAttempt(l, true), true
		}
	}
	one, ok := each.Duration()
	d, known := limit.Duration()
	if !ok || !known || one == 0 || same && d == one || d >= years {
		return
	}
	n := pol.Attempts
	if n.IsUnknown() && n.Min() < 2 {
		if d <= one {
			p.Undecided(place, fmt.Sprintf("%s of %s holds one attempt of %s, but how many there are is not known", what, limit, each))
		}
		return
	}
	need := each.Times(n).Plus(pol.Backoff.Sum(n))
	if !need.Known() {
		need = each.Times(n)
	}
	short := need.Known() && limit.Compare(need) < 0
	if budget || n.IsUnbounded() || n.IsUnknown() {
		short = d <= one
	}
	if !short {
		return
	}
	text := fmt.Sprintf("%s of %s ends %s of %s each", what, limit, tries(l), each)
	if need.Known() {
		text += fmt.Sprintf(", which may take %s", need)
	}
	if d <= one {
		text += ": the first slow attempt uses it up, the others never happen"
	} else {
		text += ": the last ones never happen"
	}
	f := p.Report(place, v.chains[l], "%s", text)
	f.Layer = l.ID
	if place != mend(l) {
		f.Related = append(f.Related, model.Related{At: mend(l), Message: title(l) + ": " + tries(l)})
	}
}

// perAttempt is the time limit of one attempt, where the calls that the layer is around say it: all of them must. With
// handed, deadlines count that a context brings from further up.
func (v *view) perAttempt(l *model.Layer, handed bool) model.Limit {
	out := model.Limit{}
	for i, a := range v.arcs[l] {
		if a.Edge == nil {
			return model.Limit{}
		}
		d := a.Edge.Timeout
		if a.InProcess() && a.To != nil {
			d = attemptWithin(a.To, handed, map[*model.Vertex]bool{})
		}
		if !d.Known() {
			if len(v.arcs[l]) > 1 && a.InProcess() {
				continue // a helper beside the call
			}
			return model.Limit{}
		}
		if i == 0 || out.IsUnknown() {
			out = d
		} else {
			out = out.Max(d)
		}
	}
	return out
}

// attemptWithin is the longest of the time limits of the calls that a function of the process makes; unknown where one of
// them has none.
func attemptWithin(x *model.Vertex, handed bool, seen map[*model.Vertex]bool) model.Limit {
	out := model.Limit{}
	if seen[x] || len(seen) > 32 {
		return out
	}
	seen[x] = true
	for _, a := range x.Out {
		if a.Edge == nil {
			return model.Limit{}
		}
		for _, l := range a.Layers {
			if l.Factor() {
				return model.Limit{} // with attempts of its own
			}
		}
		d := a.Edge.Timeout
		if handed {
			d = d.Min(a.Edge.Deadline)
		}
		if a.InProcess() && !d.Known() {
			d = attemptWithin(a.To, handed, seen)
		}
		if !d.Known() {
			return model.Limit{}
		}
		if !out.Known() || out.Compare(d) < 0 {
			out = d
		}
	}
	return out
}

// across looks for calls that leave the process under a time limit that does not travel with them: where such a limit is
// shorter than what lies behind it may take, a layer above it repeats the call while the first one is still served.
func (v *view) across(p *Pass, c *model.Chain) {
	var above *model.Layer // innermost layer above the limit that can repeat
	for i, h := range c.Hops {
		limit, place, what := model.Limit{}, model.Location{}, ""
		tighter := func(l model.Limit, at model.Location, name string) {
			if l.Known() && (limit.IsUnknown() || l.Compare(limit) < 0) {
				limit, place, what = l, at, name
			}
		}
		e := h.Arc.Edge
		for _, l := range h.Layers {
			if l.Factor() && l.Policy.Total().Retrying() {
				above = l
				limit, place, what = model.Limit{}, model.Location{}, ""
				tighter(l.Policy.PerAttempt, mend(l), "the timeout of each attempt of the "+title(l))
			}
		}
		if e == nil || h.Arc.InProcess() || e.Kind == model.EdgePublish || h.Arc.Blind {
			continue
		}
		if e.Kind != model.EdgeRequest || e.To.Space == model.SpaceGRPC {
			continue // a gRPC deadline is handed on to the server
		}
		tighter(e.Timeout, e.At, "the timeout of the call")
		tighter(e.Deadline, e.At, "the deadline of the call")
		if above == nil || limit.IsUnknown() || i+1 >= len(c.Hops) {
			continue
		}
		inner := innerWorst(c.Hops[i+1:])
		if !inner.Known() || limit.Compare(inner) >= 0 || byDefaults(c.Hops[i+1:]) {
			continue
		}
		f := p.Report(place, c, "%s is %s, but %s may take %s with its own retries: the %s repeats the call while the first one is still at work",
			what, limit, named(h.Arc.To, e.To), inner, title(above))
		f.Layer = above.ID
		for _, b := range c.Hops[i+1:] {
			for _, l := range b.Layers {
				if l.Factor() {
					f.Related = append(f.Related, model.Related{At: mend(l), Message: title(l) + ": " + tries(l)})
				}
			}
		}
	}
}

// byDefaults reports whether all that retries on the way are defaults of clients and drivers: their worst case is nobody's
// decision, and too far from what happens to speak of.
func byDefaults(hops []model.Hop) bool {
	layers := false
	for _, h := range hops {
		for _, l := range h.Layers {
			if !l.Factor() {
				continue
			}
			layers = true
			if l.Origin != model.OriginDefault {
				return false
			}
		}
	}
	return layers
}

// innerWorst is how long the way through the hops may take: unknown where nothing bounds an attempt.
func innerWorst(hops []model.Hop) model.Limit {
	return (&model.Chain{Hops: hops}).WorstCase()
}
