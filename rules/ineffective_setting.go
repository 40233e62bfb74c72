package rules

import "github.com/retrylint/retrylint/model"

var _ = add(Rule{
	ID:       "ineffective-setting",
	Severity: model.Warning,
	Group:    "policies",
	Summary:  "a retry setting that does not do what it says",
	Why: "Who reads the setting counts on it. A number over a hard cap, a setting that another one shadows, a retry count with nothing " +
		"to retry on: what happens is something else, and nobody says so.",
	Fix: "Write the value that really holds, or remove the setting.",
	Bad: `
-- mesh/pay.yaml --
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata:
  name: pay
spec:
  hosts: [pay]
  tcp:
    - route:
        - destination: {host: pay}
      retries:
        attempts: 3 # want "tcp"
`,
	Good: `
-- mesh/pay.yaml --
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata:
  name: pay
spec:
  hosts: [pay]
  http:
    - route:
        - destination: {host: pay}
      retries:
        attempts: 3
        retryOn: connect-failure,refused-stream
`,
	GoAlone: true,
	Check:   checkIneffective,
})

func checkIneffective(p *Pass) {
	v := viewOf(p.Org)
	for _, l := range v.org.Layers {
		for _, t := range l.Traits {
			if t.Kind != model.TraitIneffective {
				continue
			}
			f := p.Report(at(t.At, mend(l)), v.chains[l], "this setting does not do what it says: %s", t.Detail)
			f.Layer = l.ID
			if l.LowConfidence {
				f.Severity = model.Note
			}
		}
	}
}
