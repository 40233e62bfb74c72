package retry

import (
	"testing"
	"time"

	"github.com/retrylint/retrylint/conformance"
	"github.com/retrylint/retrylint/conformance/retry/avastv3"
	"github.com/retrylint/retrylint/conformance/retry/avastv4"
	"github.com/retrylint/retrylint/conformance/retry/avastv5"
	"github.com/retrylint/retrylint/conformance/retry/cenkaltiv2"
	"github.com/retrylint/retrylint/conformance/retry/cenkaltiv3"
	"github.com/retrylint/retrylint/conformance/retry/cenkaltiv4"
	"github.com/retrylint/retrylint/conformance/retry/cenkaltiv5"
	"github.com/retrylint/retrylint/conformance/retry/eapache"
	"github.com/retrylint/retrylint/conformance/retry/failsafe"
	"github.com/retrylint/retrylint/conformance/retry/jpillora"
	"github.com/retrylint/retrylint/conformance/retry/lestrrat"
	"github.com/retrylint/retrylint/conformance/retry/matryer"
	"github.com/retrylint/retrylint/conformance/retry/rican7"
	"github.com/retrylint/retrylint/conformance/retry/sethvargo"
)

func TestRetry(t *testing.T) {
	twice := conformance.HTTP(conformance.Answer{Times: 2})
	throttles := conformance.HTTP(conformance.Answer{Status: 429, RetryAfter: time.Second})
	const marked = "The error is marked as permanent; the linter does not follow which errors are marked."
	conformance.Group{Name: "retry", Title: "Retry libraries", Cases: []conformance.Case{
		{Name: "avast/retry-go v4: nothing set", Run: avastv4.Default, Stop: 4},
		{Name: "avast/retry-go v4: Attempts(3), fixed", Run: avastv4.Three},
		{Name: "avast/retry-go v4: Attempts(3), fixed, fails twice", Run: avastv4.Three, Server: twice},
		{Name: "avast/retry-go v4: Attempts(3), fixed, throttled", Run: avastv4.Three, Server: throttles, Heeds: conformance.No},
		{Name: "avast/retry-go v4: Attempts(4), doubling", Run: avastv4.Doubling},
		{Name: "avast/retry-go v4: MaxDelay caps the sum", Run: avastv4.Capped},
		{Name: "avast/retry-go v4: Attempts(0)", Run: avastv4.Zero, Stop: 20},
		{Name: "avast/retry-go v4: Attempts(1)", Run: avastv4.One},
		{Name: "avast/retry-go v4: UntilSucceeded", Run: avastv4.Until, Stop: 20},
		{Name: "avast/retry-go v4: FullJitterBackoffDelay", Run: avastv4.FullJitter},
		{Name: "avast/retry-go v4: CombineDelay", Run: avastv4.Combined},
		{Name: "avast/retry-go v4: RandomDelay", Run: avastv4.Random},
		{Name: "avast/retry-go v4: Unrecoverable", Run: avastv4.Unrecoverable, Over: marked},
		{Name: "avast/retry-go v3: Attempts(3)", Run: avastv3.Three},
		{Name: "avast/retry-go v3: Attempts(0)", Run: avastv3.Zero},
		{Name: "avast/retry-go v5: Attempts(4)", Run: avastv5.Four},
		{Name: "avast/retry-go v5: Attempts(0)", Run: avastv5.Zero, Stop: 20},
		{Name: "avast/retry-go v5: NewWithData", Run: avastv5.Data},
		{Name: "cenkalti/backoff v2: WithMaxRetries(b, 3)", Run: cenkaltiv2.Three},
		{Name: "cenkalti/backoff v3: WithMaxRetries(b, 3)", Run: cenkaltiv3.Three},
		{Name: "cenkalti/backoff v3: WithMaxRetries(b, 0)", Run: cenkaltiv3.Zero, Stop: 20},
		{Name: "cenkalti/backoff v3: MaxElapsedTime", Run: cenkaltiv3.Elapsed},
		{Name: "cenkalti/backoff v4: nothing set", Run: cenkaltiv4.Default, Stop: 3},
		{Name: "cenkalti/backoff v4: WithMaxRetries(b, 3)", Run: cenkaltiv4.Three},
		{Name: "cenkalti/backoff v4: WithMaxRetries(b, 0)", Run: cenkaltiv4.Zero},
		{Name: "cenkalti/backoff v4: doubling, capped", Run: cenkaltiv4.Doubling},
		{Name: "cenkalti/backoff v4: jitter", Run: cenkaltiv4.Jittered},
		{Name: "cenkalti/backoff v4: WithMaxElapsedTime", Run: cenkaltiv4.Elapsed},
		{Name: "cenkalti/backoff v4: constant without a limit", Run: cenkaltiv4.Endless, Stop: 20},
		{Name: "cenkalti/backoff v4: deadline of the context", Run: cenkaltiv4.Deadline},
		{Name: "cenkalti/backoff v4: RetryWithData", Run: cenkaltiv4.Data},
		{Name: "cenkalti/backoff v4: Permanent", Run: cenkaltiv4.Permanent, Over: marked},
		{Name: "cenkalti/backoff v5: nothing set", Run: cenkaltiv5.Default, Stop: 3},
		{Name: "cenkalti/backoff v5: WithMaxTries(3)", Run: cenkaltiv5.Three},
		{Name: "cenkalti/backoff v5: doubling, capped", Run: cenkaltiv5.Doubling},
		{Name: "cenkalti/backoff v5: jitter", Run: cenkaltiv5.Jittered},
		{Name: "cenkalti/backoff v5: WithMaxElapsedTime", Run: cenkaltiv5.Elapsed},
		{Name: "cenkalti/backoff v5: no limit", Run: cenkaltiv5.Endless, Stop: 50},
		{Name: "eapache/go-resiliency: ConstantBackoff(3)", Run: eapache.Three},
		{Name: "eapache/go-resiliency: empty list", Run: eapache.None},
		{Name: "eapache/go-resiliency: ExponentialBackoff(4)", Run: eapache.Doubling},
		{Name: "eapache/go-resiliency: LimitedExponentialBackoff(5)", Run: eapache.Limited},
		{Name: "eapache/go-resiliency: list of waits", Run: eapache.List},
		{Name: "eapache/go-resiliency: jitter", Run: eapache.Jittered},
		{Name: "failsafe-go: nothing set", Run: failsafe.Default},
		{Name: "failsafe-go: WithMaxRetries(3)", Run: failsafe.Retries},
		{Name: "failsafe-go: WithMaxRetries(0)", Run: failsafe.NoRetries},
		{Name: "failsafe-go: WithMaxAttempts(5), doubling", Run: failsafe.Attempts},
		{Name: "failsafe-go: WithMaxAttempts(0)", Run: failsafe.Zero, Stop: 20},
		{Name: "failsafe-go: WithJitterFactor", Run: failsafe.Spread},
		{Name: "failsafe-go: WithJitter", Run: failsafe.Additive},
		{Name: "failsafe-go: WithRandomDelay", Run: failsafe.Random},
		{Name: "failsafe-go: WithBackoffFactor", Run: failsafe.Factor},
		{Name: "failsafe-go: WithMaxDuration", Run: failsafe.Duration},
		{Name: "failsafe-go: two policies", Run: failsafe.Two},
		{Name: "jpillora/backoff: ended by Attempt", Run: jpillora.Counted},
		{Name: "jpillora/backoff: counted, jitter", Run: jpillora.Five},
		{Name: "jpillora/backoff: no end", Run: jpillora.Endless, Stop: 20},
		{Name: "lestrrat-go/backoff: WithMaxRetries(3)", Run: lestrrat.Three},
		{Name: "lestrrat-go/backoff: constant", Run: lestrrat.Constant},
		{Name: "matryer/try: nothing set", Run: matryer.Default},
		{Name: "matryer/try: ended by the function", Run: matryer.Five, Over: "The function says itself that it wants no more; the linter reads the library's limit alone.", Time: "The function waits, and the library does not."},
		{Name: "Rican7/retry: Limit(3)", Run: rican7.Three},
		{Name: "Rican7/retry: Limit(0)", Run: rican7.Zero},
		{Name: "Rican7/retry: linear", Run: rican7.Linear},
		{Name: "Rican7/retry: incremental", Run: rican7.Incremental},
		{Name: "Rican7/retry: doubling", Run: rican7.Doubling},
		{Name: "Rican7/retry: trebling", Run: rican7.Trebling},
		{Name: "Rican7/retry: Fibonacci", Run: rican7.Fibonacci},
		{Name: "Rican7/retry: full jitter", Run: rican7.Jittered},
		{Name: "Rican7/retry: equal jitter", Run: rican7.Equal},
		{Name: "Rican7/retry: no limit", Run: rican7.Endless, Stop: 20},
		{Name: "sethvargo/go-retry: WithMaxRetries(3)", Run: sethvargo.Three},
		{Name: "sethvargo/go-retry: WithMaxRetries(0)", Run: sethvargo.Zero},
		{Name: "sethvargo/go-retry: doubling, capped", Run: sethvargo.Doubling},
		{Name: "sethvargo/go-retry: Fibonacci", Run: sethvargo.Fibonacci},
		{Name: "sethvargo/go-retry: WithJitter", Run: sethvargo.Jittered},
		{Name: "sethvargo/go-retry: WithJitterPercent", Run: sethvargo.Percent},
		{Name: "sethvargo/go-retry: WithMaxDuration", Run: sethvargo.Duration},
		{Name: "sethvargo/go-retry: no limit", Run: sethvargo.Endless, Stop: 20},
		{Name: "sethvargo/go-retry: errors not marked", Run: sethvargo.Unmarked, Over: "Only marked errors are repeated; the linter does not follow which errors are marked."},
	}}.Test(t)
}
