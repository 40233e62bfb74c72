package rules

import "github.com/retrylint/retrylint/model"

var _ = add(Rule{
	ID:       "body-not-rewound",
	Severity: model.Error, // warning for byte and string readers
	Group:    "policies",
	Summary:  "a request whose body the first attempt consumed is sent again",
	Why: "The second attempt sends what is left of the body, mostly nothing. A stream has no way back: the far side stores an empty " +
		"object and answers with success. Byte and string readers are rewound by the standard client on a kept connection only; " +
		"otherwise the repeat fails before it leaves the machine.",
	Fix: "Build the body, or the request, inside the loop; or set req.Body from req.GetBody before each further attempt.",
	Bad: `
-- upload/go.mod --
module example.test/upload
-- upload/upload.go --
package upload

import (
	"io"
	"math/rand/v2"
	"net/http"
	"time"
)

var hc = &http.Client{Timeout: time.Minute}

// Put stores what src gives under a fixed name.
func Put(url string, src io.Reader) error {
	req, err := http.NewRequest(http.MethodPut, url, src)
	if err != nil {
		return err
	}
	for n := 0; n < 3; n++ {
		resp, e := hc.Do(req) // want "consumed"
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(rand.N(time.Second << n))
	}
	return err
}
`,
	Good: `
-- upload/go.mod --
module example.test/upload
-- upload/upload.go --
package upload

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"time"
)

var hc = &http.Client{Timeout: time.Minute}

// Put stores a document under a fixed name.
func Put(url string, doc []byte) (err error) {
	for n := 0; n < 3; n++ {
		req, e := http.NewRequest(http.MethodPut, url, bytes.NewReader(doc))
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
`,
	GoAlone: true,
	Check:   checkBody,
})

func checkBody(p *Pass) {
	v := viewOf(p.Org)
	for _, l := range v.judged() {
		if l.Has(model.TraitBodyRewound) || !l.Policy.Total().Retrying() && !l.Policy.Attempts.IsUnknown() {
			continue
		}
		t, stream := l.Trait(model.TraitBodyStream)
		if !stream {
			var ok bool
			if t, ok = l.Trait(model.TraitBodyReader); !ok {
				continue
			}
		}
		what, sev := "a stream that the first attempt consumed is sent again: the next attempt sends what is left of it", model.Error
		if !stream {
			what, sev = "a reader that the first attempt consumed is sent again: the standard client rewinds it on a kept connection only", model.Warning
		}
		if soft(l) {
			sev = model.Warning
		}
		f := p.Report(at(t.At, mend(l)), v.chains[l], "%s (%s, %s)", what, title(l), tries(l))
		f.Severity = sev
		f.Fix = t.Fix
		f.Layer = l.ID
		if t.At != mend(l) {
			f.Related = append(f.Related, model.Related{At: mend(l), Message: title(l) + ": " + tries(l)})
		}
	}
}
