package httpclient

import (
	"net/http"
	"testing"
	"time"

	"github.com/retrylint/retrylint/conformance"
	"github.com/retrylint/retrylint/conformance/httpclient/failsafec"
	"github.com/retrylint/retrylint/conformance/httpclient/heimdall"
	"github.com/retrylint/retrylint/conformance/httpclient/rehttpc"
	"github.com/retrylint/retrylint/conformance/httpclient/restyv2"
	"github.com/retrylint/retrylint/conformance/httpclient/restyv3"
	"github.com/retrylint/retrylint/conformance/httpclient/retryable"
)

func TestHTTPClients(t *testing.T) {
	twice := conformance.HTTP(conformance.Answer{Times: 2})
	hangs := conformance.HTTP(conformance.Answer{Hang: 5 * time.Second})
	drops := conformance.HTTP(conformance.Answer{Drop: true})
	throttles := conformance.HTTP(conformance.Answer{Status: http.StatusTooManyRequests, RetryAfter: time.Second})
	conformance.Group{Name: "httpclient", Title: "HTTP clients", Cases: []conformance.Case{
		{Name: "failsafe-go HTTP: WithMaxRetries(3)", Run: failsafec.Three},
		{Name: "heimdall: WithRetryCount(2), constant", Run: heimdall.Two},
		{Name: "heimdall: WithRetryCount(3), doubling", Run: heimdall.Doubling},
		{Name: "heimdall: jitter", Run: heimdall.Jittered},
		{Name: "heimdall: no retrier", Run: heimdall.None},
		{Name: "heimdall: nothing set", Run: heimdall.Default, Off: true},
		{Name: "rehttp: RetryMaxRetries(2)", Run: rehttpc.Two},
		{Name: "rehttp: ExpJitterDelay", Run: rehttpc.Jittered},
		{Name: "rehttp: no limit", Run: rehttpc.Endless, Stop: 20},
		{Name: "resty v2: nothing set", Run: restyv2.Default, Off: true},
		{Name: "resty v2: SetRetryCount(2), condition", Run: restyv2.Two},
		{Name: "resty v2: SetRetryCount(2), no condition, 503", Run: restyv2.Unconditional, Over: "Without a condition only errors of the transport are repeated, which the layer says."},
		{Name: "resty v2: SetRetryCount(2), no condition, dropped", Run: restyv2.Unconditional, Server: drops},
		{Name: "resty v2: SetRetryCount(4), capped", Run: restyv2.Capped},
		{Name: "resty v2: SetRetryCount(-1)", Run: restyv2.Negative},
		{Name: "resty v3: PUT, SetRetryCount(2)", Run: restyv3.Put},
		{Name: "resty v3: POST, SetRetryCount(2)", Run: restyv3.Post, Over: "Only idempotent methods are repeated, and this is none; the count is that of the worst method."},
		{Name: "resty v3: POST allowed, SetRetryCount(3)", Run: restyv3.Allowed},
		{Name: "go-retryablehttp: nothing set", Run: retryable.Default, Stop: 2},
		{Name: "go-retryablehttp: RetryMax = 2", Run: retryable.Two},
		{Name: "go-retryablehttp: RetryMax = 2, fails twice", Run: retryable.Two, Server: twice},
		{Name: "go-retryablehttp: RetryMax = 2, throttled", Run: retryable.Two, Server: throttles, Heeds: conformance.Yes, Time: "The server says how long to wait."},
		{Name: "go-retryablehttp: RetryMax = 5, capped", Run: retryable.Capped},
		{Name: "go-retryablehttp: RetryMax = 0", Run: retryable.Zero},
		{Name: "go-retryablehttp: StandardClient", Run: retryable.Standard},
		{Name: "go-retryablehttp: LinearJitterBackoff", Run: retryable.Linear},
		{Name: "go-retryablehttp: CheckRetry says no", Run: retryable.Never, Over: "A function of the code's own decides; the linter does not run it."},
		{Name: "go-retryablehttp: time limit of the client", Run: retryable.Timeout, Server: hangs},
		{Name: "go-retryablehttp: client of a function", Run: retryable.Helper, Over: "The client comes to a function that another caller hands a client with more retries; the larger number is said.", Time: "The waits are those of the client with more retries."},
	}}.Test(t)
}
