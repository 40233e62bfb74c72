package rules

import (
	"github.com/retrylint/retrylint/model"
)

var _ = add(Rule{
	ID:       "no-jitter",
	Severity: model.Note,
	Group:    "policies",
	Summary:  "the waits are the same for every client",
	Why: "Clients that failed together come back together: after a restart or a short outage the whole fleet hits the far side in " +
		"the same second, again and again.",
	Fix: "Spread each wait at random, best over the whole interval from zero to the computed wait (full jitter).",
	Bad: `
-- policy/go.mod --
module example.test/policy
-- policy/load.go --
package policy

import (
	"net/http"
	"time"
)

var hc = &http.Client{Timeout: 5 * time.Second}

// Load reads the policies when a task starts.
func Load(url string) (resp *http.Response, err error) {
	for n := 0; n < 5; n++ { // want "same for every client"
		resp, err = hc.Get(url)
		if err == nil {
			return resp, nil
		}
		time.Sleep(time.Second << n)
	}
	return nil, err
}
`,
	Good: `
-- policy/go.mod --
module example.test/policy
-- policy/load.go --
package policy

import (
	"math/rand/v2"
	"net/http"
	"time"
)

var hc = &http.Client{Timeout: 5 * time.Second}

// Load reads the policies when a task starts.
func Load(url string) (resp *http.Response, err error) {
	for n := 0; n < 5; n++ {
		resp, err = hc.Get(url)
		if err == nil {
			return resp, nil
		}
		time.Sleep(rand.N(time.Second << n))
	}
	return nil, err
}
`,
	GoAlone: true,
	Check:   checkNoJitter,
})

func checkNoJitter(p *Pass) {
	v := viewOf(p.Org)
	for _, l := range v.judged() {
		if l.LowConfidence || l.Has(model.TraitSingleInstance) || l.Has(model.TraitHedge) || l.Policy.Gap == model.StartToStart {
			continue
		}
		switch l.Kind {
		case model.KindDelivery, model.KindRestart, model.KindJob, model.KindScheduler, model.KindWorkflow, model.KindDeclared, model.KindConfig:
			if !l.Has(model.TraitManyInstances) {
				continue // one instance at a time
			}
		}
		b := l.Policy.Backoff
		if waits, known := b.Waits(); !waits || !known || b.Jitter.Kind != model.JitterNone || b.Kind == model.BackoffServer {
			continue
		}
		if !l.Policy.Total().Retrying() {
			continue
		}
		shape := map[model.BackoffKind]string{model.BackoffConstant: "a fixed wait", model.BackoffList: "a fixed table of waits"}[b.Kind]
		if shape == "" {
			shape = b.Kind.String() + " waits"
		}
		if d, ok := b.Initial.Duration(); ok && d > 0 {
			if b.Kind == model.BackoffConstant {
				shape += " of " + model.FormatDuration(d)
			} else {
				shape += " from " + model.FormatDuration(d)
			}
		}
		f := p.Report(mend(l), v.chains[l], "the %s has %s, the same for every client: those that failed together come back together", title(l), shape)
		f.Layer = l.ID
	}
}
