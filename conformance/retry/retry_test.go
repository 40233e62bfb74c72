package retry

import (
	"testing"
	"time"

	"github.com/retrylint/retrylint/conformance"
	"github.com/retrylint/retrylint/conformance/retry/avastv4"
)

func TestRetry(t *testing.T) {
	twice := conformance.HTTP(conformance.Answer{Times: 2})
	throttles := conformance.HTTP(conformance.Answer{Status: 429, RetryAfter: time.Second})
	conformance.Group{Name: "retry", Title: "Retry libraries", Cases: []conformance.Case{
		{Name: "avast/retry-go v4: nothing set", Run: avastv4.Default, Stop: 4},
		{Name: "avast/retry-go v4: Attempts(3), fixed", Run: avastv4.Three},
		{Name: "avast/retry-go v4: Attempts(3), fixed, fails twice", Run: avastv4.Three, Server: twice},
		{Name: "avast/retry-go v4: Attempts(3), fixed, throttled", Run: avastv4.Three, Server: throttles, Heeds: conformance.No},
		{Name: "avast/retry-go v4: Attempts(4), doubling", Run: avastv4.Doubling},
		{Name: "avast/retry-go v4: MaxDelay caps the sum", Run: avastv4.Capped},
		{Name: "avast/retry-go v4: Attempts(0)", Run: avastv4.Zero, Stop: 20},
		{Name: "avast/retry-go v4: FullJitterBackoffDelay", Run: avastv4.FullJitter},
	}}.Test(t)
}
