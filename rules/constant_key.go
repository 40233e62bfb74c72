package rules

import (
	"github.com/retrylint/retrylint/model"
)

var _ = add(Rule{
	ID:       "constant-key",
	Severity: model.Error,
	Group:    "keys",
	Summary:  "one idempotency key stands for different intents",
	Why: "The receiver answers every request under a known key with the first one's result. When all requests share a key, only the first " +
		"is carried out; the others look done and are lost.",
	Fix: "Let the key take in what tells one intent from another: the order id, the account and the day, a hash of the payload.",
	Bad: `
-- nightly/go.mod --
module example.test/nightly
-- nightly/pay.go --
package nightly

import (
	"bytes"
	"net/http"
	"time"
)

var hc = &http.Client{Timeout: 15 * time.Second}

// Pay orders one payout for a merchant.
func Pay(url, merchant string, doc []byte) error {
	req, err := http.NewRequest(http.MethodPost, url+"/"+merchant, bytes.NewReader(doc))
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", "nightly-payout") // want "the same for every"
	resp, err := hc.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
`,
	Good: `
-- nightly/go.mod --
module example.test/nightly
-- nightly/pay.go --
package nightly

import (
	"bytes"
	"net/http"
	"time"
)

var hc = &http.Client{Timeout: 15 * time.Second}

// Pay orders one payout for a merchant.
func Pay(url, merchant string, day time.Time, doc []byte) error {
	req, err := http.NewRequest(http.MethodPost, url+"/"+merchant, bytes.NewReader(doc))
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", "nightly-payout:"+merchant+":"+day.Format(time.DateOnly))
	resp, err := hc.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
`,
	GoAlone: true,
	Check:   checkConstantKey,
})

func checkConstantKey(p *Pass) {
	g := graphOf(p.Org)
	for _, v := range p.Org.Vertices {
		for _, a := range v.Out {
			e := a.Edge
			if e == nil || e.Key.How != model.KeyConstant || safeMethod(e.Method) {
				continue
			}
			what := "a constant"
			if e.Key.Sources&model.FromProcess != 0 {
				what = "made once per process"
			}
			f := p.Report(at(e.Key.Born, e.Key.At, e.At), g.byArc[a], "1 key for all intents: %s of %s is %s (%s), so it is the same for every request and all but the first are answered with the first one's result.",
				sinkOf(e.Key), describe(e, a.To), cut(e.Key.Text), what)
			if !e.Key.At.IsZero() && e.Key.At.Line != f.At.Line {
				f.Related = append(f.Related, model.Related{At: e.Key.At, Message: "the key is put onto the call here"})
			}
		}
	}
}
