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
-- pay/go.mod --
module example.test/pay

require google.golang.org/grpc v1.83.2
-- pay/dial.go --
package pay

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const policy = "{\"methodConfig\":[{\"name\":[{}],\"retryPolicy\":{\"maxAttempts\":10,\"initialBackoff\":\"0.1s\"," +
	"\"maxBackoff\":\"1s\",\"backoffMultiplier\":2,\"retryableStatusCodes\":[\"UNAVAILABLE\"]}}]}"

// Dial connects to the payment service.
func Dial(addr string) (*grpc.ClientConn, error) {
	return grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(policy)) // want "more than 5"
}
`,
	Good: `
-- pay/go.mod --
module example.test/pay

require google.golang.org/grpc v1.83.2
-- pay/dial.go --
package pay

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const policy = "{\"methodConfig\":[{\"name\":[{}],\"retryPolicy\":{\"maxAttempts\":5,\"initialBackoff\":\"0.1s\"," +
	"\"maxBackoff\":\"1s\",\"backoffMultiplier\":2,\"retryableStatusCodes\":[\"UNAVAILABLE\"]}}]}"

// Dial connects to the payment service.
func Dial(addr string) (*grpc.ClientConn, error) {
	return grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(policy))
}
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
