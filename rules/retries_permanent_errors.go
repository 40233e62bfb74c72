package rules

import (
	"fmt"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Rule{
	ID:       "retries-permanent-errors",
	Severity: model.Warning,
	Group:    "policies",
	Summary:  "requests that can never succeed are retried: 4xx answers, every error alike, a context that is over",
	Why: "A malformed request stays malformed. Repeating it costs the far side as much as a good one, delays the answer that the " +
		"caller needs, and buries the one error that says what is wrong.",
	Fix: "Look at the status or the error and stop at what cannot change: 4xx but 408, 425 and 429, a cancelled context, validation errors.",
	Bad: `
-- query/go.mod --
module example.test/query
-- query/query.go --
package query

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"
)

var hc = http.Client{Timeout: 4 * time.Second}

// Range reads samples.
func Range(url string) (body []byte, err error) {
	for n := 0; n < 5; n++ {
		body, err = once(url)
		if err == nil {
			return body, nil
		}
		time.Sleep(rand.N(time.Second << n))
	}
	return nil, err
}

func once(url string) ([]byte, error) {
	resp, err := hc.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 { // want "4xx"
		return nil, fmt.Errorf("range: %s", resp.Status)
	}
	return io.ReadAll(resp.Body)
}
`,
	Good: `
-- query/go.mod --
module example.test/query
-- query/query.go --
package query

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"
)

var hc = http.Client{Timeout: 4 * time.Second}

var errRefused = errors.New("refused")

// Range reads samples; what the far side refuses is not asked again.
func Range(url string) (body []byte, err error) {
	for n := 0; n < 5; n++ {
		body, err = once(url)
		if err == nil || errors.Is(err, errRefused) {
			return body, err
		}
		time.Sleep(rand.N(time.Second << n))
	}
	return nil, err
}

func once(url string) ([]byte, error) {
	resp, err := hc.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 && resp.StatusCode < 500 {
		return nil, fmt.Errorf("%w: %s", errRefused, resp.Status)
	}
	if resp.StatusCode >= 500 {
		return nil, fmt.Errorf("range: %s", resp.Status)
	}
	return io.ReadAll(resp.Body)
}
`,
	GoAlone: true,
	Check:   checkPermanent,
})

func checkPermanent(p *Pass) {
	v := viewOf(p.Org)
	for _, l := range v.judged() {
		if !l.Policy.Total().Retrying() {
			continue
		}
		var place model.Location
		msg := ""
		if t, ok := l.Trait(model.TraitRetriesPermanent); ok && !l.Has(model.TraitFiltersPermanent) {
			place = at(t.At, mend(l))
			what := t.Detail
			if what == "" {
				what = "every error leads to another attempt"
			}
			msg = fmt.Sprintf("%s: the %s (%s) repeats what can never succeed", what, title(l), tries(l))
		}
		// What runs the work again from outside of the process (a queue, a workflow engine) gives each run a context of its own.
		if l.Has(model.TraitIgnoresContext) && msg == "" && !l.Has(model.TraitStopsOnContext) && !outerKind(l) && repeatsCancelled(l) {
			place = mend(l)
			msg = fmt.Sprintf("once the context is over every further attempt of the %s fails at once with the same error (%s), and nothing looks at it",
				title(l), tries(l))
		}
		if msg == "" && (!goLayer(l) || l.Kind == model.KindRPC) && l.Origin == model.OriginExplicit && l.Policy.On&model.On4xx != 0 && l.Policy.On&model.OnError == 0 && !l.LowConfidence {
			place = mend(l)
			what := "4xx answers"
			if l.Kind == model.KindRPC {
				what = "codes that say that the call itself is wrong"
			}
			msg = fmt.Sprintf("%s are among what the %s repeat (%s): what can never succeed too", what, title(l), tries(l))
		}
		if msg == "" {
			continue
		}
		f := p.Report(place, v.chains[l], "%s", msg)
		f.Layer = l.ID
		if place != mend(l) {
			f.Related = append(f.Related, model.Related{At: mend(l), Message: title(l) + ": " + tries(l)})
		}
		if soft(l) {
			f.Severity = model.Note
		}
	}
}

// repeatsCancelled reports whether what a layer repeats may be the error of a context that is over.
func repeatsCancelled(l *model.Layer) bool {
	return l.Policy.On == 0 || l.Policy.On.Shares(model.OnCancel) || l.Policy.On.Shares(model.OnTimeout)
}
