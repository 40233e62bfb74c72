package rules

import "github.com/retrylint/retrylint/model"

var _ = add(Rule{
	ID:       "ignores-retry-after",
	Severity: model.Note,
	Group:    "policies",
	Summary:  "429 or 503 is retried on the client's own clock, or the server's Retry-After is obeyed without any cap",
	Why: "The server said when to come back. Who comes earlier is refused again and may be shut out for longer; who obeys without " +
		"a cap of his own lets the server decide how long he lives.",
	Fix: "Read Retry-After after 429 and 503, wait at least so long, and give up where it asks for more than you are ready to wait.",
	Bad: `
-- limits/go.mod --
module example.test/limits
-- limits/limits.go --
package limits

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

var hc = &http.Client{Timeout: 5 * time.Second}

// Fetch reads one page of a metered service.
func Fetch(url string) (*http.Response, error) {
	for n := 1; n <= 6; n++ {
		resp, err := hc.Get(url)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode != http.StatusTooManyRequests { // want "Retry-After"
			return resp, nil
		}
		resp.Body.Close()
		time.Sleep(time.Second + rand.N(time.Second))
	}
	return nil, fmt.Errorf("still limited")
}
`,
	Good: `
-- limits/go.mod --
module example.test/limits
-- limits/limits.go --
package limits

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

var hc = &http.Client{Timeout: 5 * time.Second}

const longest = time.Minute

// Fetch reads one page of a metered service.
func Fetch(url string) (*http.Response, error) {
	for n := 1; n <= 6; n++ {
		resp, err := hc.Get(url)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode != http.StatusTooManyRequests {
			return resp, nil
		}
		resp.Body.Close()
		wait := time.Second
		if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
			wait = time.Duration(s) * time.Second
		}
		if wait > longest {
			return nil, fmt.Errorf("limited for %s", wait)
		}
		time.Sleep(wait + rand.N(time.Second))
	}
	return nil, fmt.Errorf("still limited")
}
`,
	GoAlone: true,
	Check:   checkRetryAfter,
})

func checkRetryAfter(p *Pass) {
	v := viewOf(p.Org)
	for _, l := range v.judged() {
		if !l.Policy.Total().Retrying() {
			continue
		}
		reads, ok := l.Trait(model.TraitReadsRetryAfter)
		if ok {
			if reads.Detail == "capped" || !goLayer(l) || l.Kind == model.KindClient && l.Origin == model.OriginDefault {
				continue // nobody wrote that client's policy
			}
			if l.Policy.Overall.Known() || l.Policy.Backoff.Kind == model.BackoffServer && l.Policy.Backoff.Max.Known() || l.Has(model.TraitDeadline) || v.deadlineAbove(l).Known() {
				continue // a time limit around the layer bounds the wait
			}
			f := p.Report(at(reads.At, mend(l)), v.chains[l], "Retry-After is obeyed without a cap and without a time limit around the %s: the server decides how long it lives", title(l))
			f.Layer = l.ID
			continue
		}
		switch l.Kind {
		case model.KindLoop, model.KindTransport, model.KindLibrary, model.KindClient: // of a client whose conditions name 429
		default:
			continue
		}
		if l.Policy.On&(model.OnUnavailable|model.OnRPCOther) != 0 && l.Policy.On&(model.On500|model.OnGateway|model.OnError) == 0 {
			continue // gRPC has no such header
		}
		t, ok := l.Trait(model.TraitRetries429)
		if !ok || !l.Has(model.TraitSeesStatus) || t.At.IsZero() {
			continue
		}
		what := t.Detail
		if what == "" {
			what = "429 or 503"
		}
		f := p.Report(at(t.At, mend(l)), v.chains[l], "%s is retried on the client's own clock: the %s never reads the answer's Retry-After", what, title(l))
		f.Layer = l.ID
	}
}
