package rules

import (
	"fmt"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Rule{
	ID:       "no-backoff",
	Severity: model.Warning,
	Group:    "policies",
	Summary:  "attempts follow each other without a wait",
	Why: "Attempts without a wait are over before the fault is, and they come when the far side has the least to spare: a short " +
		"stall becomes a storm.",
	Fix: "Wait between attempts, longer each time, with a cap and with jitter.",
	Bad: `
-- rates/go.mod --
module example.test/rates
-- rates/rates.go --
package rates

import (
	"fmt"
	"net/http"
	"time"
)

var hc = &http.Client{Timeout: 5 * time.Second}

// Today reads the rates of the day.
func Today(url string) (*http.Response, error) {
	for n := 0; n < 50; n++ { // want "50 attempts without a wait"
		resp, err := hc.Get(url)
		if err == nil {
			return resp, nil
		}
	}
	return nil, fmt.Errorf("no rates")
}
`,
	Good: `
-- rates/go.mod --
module example.test/rates
-- rates/rates.go --
package rates

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

var hc = &http.Client{Timeout: 5 * time.Second}

// Today reads the rates of the day, three times at most.
func Today(url string) (*http.Response, error) {
	for n := 0; n < 3; n++ {
		if n > 0 {
			time.Sleep(time.Second<<n + rand.N(time.Second))
		}
		resp, err := hc.Get(url)
		if err == nil {
			return resp, nil
		}
	}
	return nil, fmt.Errorf("no rates")
}
`,
	GoAlone: true,
	Check:   checkNoBackoff,
})

func checkNoBackoff(p *Pass) {
	v := viewOf(p.Org)
	for _, l := range v.judged() {
		if l.LowConfidence || l.Has(model.TraitImmediateOnce) || l.Has(model.TraitHedge) || l.Policy.Gap == model.StartToStart || l.Policy.On == model.OnConflict {
			continue
		}
		switch l.Kind {
		case model.KindDelivery, model.KindRestart, model.KindDeclared, model.KindConfig:
			continue // a step of a pipeline, a supervisor: there is no crowd that would come back together
		}
		if (l.Kind == model.KindProxy || l.Kind == model.KindQueue) && l.Origin == model.OriginDefault {
			continue // a proxy that goes on to the next server, a broker that delivers again: nobody asked them to
		}
		if waits, known := l.Policy.Backoff.Waits(); waits || !known {
			continue
		}
		n := l.Policy.Total()
		if hi, ok := n.Max(); ok && hi <= 2 {
			continue // one immediate second try
		}
		if !n.Retrying() {
			p.Undecided(mend(l), "attempts follow each other without a wait, but how many is not known")
			continue
		}
		text := tries(l)
		if n.IsUnknown() {
			text = fmt.Sprintf("at least %d attempts", n.Min())
		}
		what := ""
		if a, _ := v.unsafe(l); a != nil {
			what = " at " + describe(a.Edge, a.To)
		}
		f := p.Report(mend(l), v.chains[l], "%s without a wait in between%s: the %s repeats at once", text, what, title(l))
		f.Layer = l.ID
		if l.Kind == model.KindProxy || soft(l) {
			f.Severity = model.Note // a proxy's next attempt goes to another server
		}
	}
	for _, l := range p.Org.Layers {
		if l.LowConfidence {
			continue
		}
		for _, t := range l.Traits {
			if t.Kind == model.TraitWaitRunsOut && !t.At.IsZero() {
				f := p.Report(t.At, v.chains[l], "the waits of the %s run out %s: NextBackOff then gives Stop, a negative wait that nobody looks at, and the attempts follow each other at once",
					title(l), t.Detail)
				f.Layer = l.ID
			}
		}
	}
}
