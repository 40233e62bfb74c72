package rules

import "github.com/retrylint/retrylint/model"

var _ = add(Rule{
	ID:       "no-timeout",
	Severity: model.Warning,
	Group:    "policies",
	Summary:  "a retried call that nothing ends: no per-attempt timeout, no client timeout, no deadline",
	Why: "The first attempt that hangs holds the layer for ever. The retries that were meant for exactly this case never happen, " +
		"because the attempt before them does not fail.",
	Fix: "Set the client's timeout, or derive a context with a timeout for each attempt.",
	Bad: `
-- rates/go.mod --
module example.test/rates
-- rates/rates.go --
package rates

import (
	"math/rand/v2"
	"net/http"
	"time"
)

var plain = &http.Client{}

// Today reads the rates of the day.
func Today(url string) (resp *http.Response, err error) {
	for n := 0; n < 5; n++ {
		resp, err = plain.Get(url) // want "nothing ends"
		if err == nil {
			return resp, nil
		}
		time.Sleep(rand.N(time.Second << n))
	}
	return nil, err
}
`,
	Good: `
-- rates/go.mod --
module example.test/rates
-- rates/rates.go --
package rates

import (
	"math/rand/v2"
	"net/http"
	"time"
)

var bounded = &http.Client{Timeout: 5 * time.Second}

// Today reads the rates of the day.
func Today(url string) (resp *http.Response, err error) {
	for n := 0; n < 5; n++ {
		resp, err = bounded.Get(url)
		if err == nil {
			return resp, nil
		}
		time.Sleep(rand.N(time.Second << n))
	}
	return nil, err
}
`,
	GoAlone: true,
	Check:   checkNoTimeout,
})

func checkNoTimeout(p *Pass) {
	for _, c := range p.Org.Chains {
		for i, h := range c.Hops {
			e := h.Arc.Edge
			// Only what is known to have no time limit of its own counts; unknown is neither a pass nor an alarm.
			if e == nil || h.Arc.InProcess() || e.Kind == model.EdgePublish || e.Kind == model.EdgeDeliver || e.Kind == model.EdgeSchedule {
				continue
			}
			if !e.Timeout.IsNone() || h.Arc.Limit.Known() {
				continue
			}
			l, bounded := retryAround(c.Hops[:i+1])
			if l == nil || bounded {
				continue
			}
			f := p.Report(at(e.At, mend(l)), c, "nothing ends an attempt of %s: no client timeout, no per-attempt timeout and no deadline, so one silent server holds the %s for ever",
				describe(e, h.Arc.To), title(l))
			f.Layer = l.ID
			f.Related = append(f.Related, model.Related{At: mend(l), Message: title(l) + ": " + tries(l)})
			if soft(l) || e.BestEffort || l.Origin == model.OriginDefault && l.Kind == model.KindClient {
				f.Severity = model.Note // best effort, or attempts that nobody asked for
			}
		}
	}
}

// retryAround looks upwards from the last of the hops, within its process: for a layer that repeats it, and for whatever
// bounds it. bounded is true as well where it is not known that nothing does.
func retryAround(hops []model.Hop) (l *model.Layer, bounded bool) {
	free := false // a context without a deadline was seen: what lies further up cannot add one
	for i := len(hops) - 1; i >= 0; i-- {
		h := hops[i]
		e := h.Arc.Edge
		if i < len(hops)-1 && !h.Arc.InProcess() {
			break
		}
		if e != nil {
			switch {
			case e.Deadline.Known() && !free, i < len(hops)-1 && e.Timeout.Known():
				return l, true
			case e.Deadline.IsNone():
				free = true
			}
		}
		for j := len(h.Layers) - 1; j >= 0; j-- {
			x := h.Layers[j]
			if x.Policy.PerAttempt.Known() || x.Policy.Overall.Known() && x.Policy.Budget == model.BudgetHard || !free && x.Has(model.TraitDeadline) {
				return l, true
			}
			if l == nil && x.Factor() && x.Policy.Total().Retrying() && !x.Has(model.TraitWaitsForState) {
				l = x
			}
		}
		if free && l != nil {
			return l, false
		}
	}
	return l, !free
}
