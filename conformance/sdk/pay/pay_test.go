package pay

import (
	"testing"

	"github.com/retrylint/retrylint/conformance"
	"github.com/retrylint/retrylint/conformance/sdk/pay/stripepay"
)

func TestPayments(t *testing.T) {
	drops := conformance.HTTP(conformance.Answer{Drop: true})
	down := conformance.HTTP(conformance.Answer{Status: 503, Body: `{"error": {"type": "api_error"}}`, Type: "application/json"})
	const backend = "The settings of a backend that the client of a resource is made of are not followed; the default is said."
	conformance.Group{Name: "pay", Title: "Payment SDKs", Cases: []conformance.Case{
		{Name: "stripe-go v82: nothing set", Run: stripepay.Default, Server: drops},
		{Name: "stripe-go v82: nothing set, 503", Run: stripepay.Default, Server: down, Over: "This version does not repeat answers that it reads as an error of the API."},
		{Name: "stripe-go v82: MaxNetworkRetries 1", Run: stripepay.One, Server: drops, Over: backend},
		{Name: "stripe-go v82: MaxNetworkRetries 0", Run: stripepay.Zero, Server: drops, Over: backend},
	}}.Test(t)
}
