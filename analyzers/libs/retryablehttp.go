package libs

import (
	"time"

	"github.com/retrylint/retrylint/model"
)

// retryableClient is the policy of a client; the numbers of a literal are zero, those of NewClient are the defaults.
var retryableClient = Policy{
	Follow:   []string{"field Backoff"},
	Attempts: "field RetryMax + 1 else 5", ZeroIs: "one", NegativeIs: "one",
	Backoff: "exponential", Initial: "field RetryWaitMin else 1s", Factor: "2", Max: "field RetryWaitMax else 30s", Jitter: "none",
	PerAttempt: "field HTTPClient.Timeout [0 none] else none", Overall: "none",
	On: "connect,reset,timeout,5xx,429", Predicate: "field CheckRetry", Context: "request", RetryAfter: "honoured", Rewinds: true,
	Kind: "client", DefaultBy: "go-retryablehttp", OffSwitch: "client.RetryMax = 0",
}

// retryableLinear waits k times a random time between RetryWaitMin and RetryWaitMax, so that the latter is no cap.
var retryableLinear = Policy{Backoff: "linear", Initial: "field RetryWaitMax else 30s", Step: "field RetryWaitMax else 30s", Max: "none", Jitter: "full",
	Fix: func(s Site, r *Result) { between(s.Field("RetryWaitMin", -1), time.Second, r) }}

// between makes waits that grow by a step of a random one between a lower bound and the step.
func between(lower Value, unset time.Duration, r *Result) {
	b := &r.Policy.Backoff
	most, ok := b.Initial.Duration()
	if b.Kind != model.BackoffLinear || !ok {
		return
	}
	least := unset
	if lower.Set {
		if !lower.IsInt || lower.Lo != lower.Hi {
			return
		}
		least = time.Duration(lower.Int)
	}
	if most <= least {
		b.Initial, b.Step, b.Jitter = model.For(least), model.For(least), model.Jitter{Kind: model.JitterNone}
		return
	}
	b.Max = model.NoLimit()
	middle := model.For(least + (most-least)/2)
	b.Initial, b.Step = middle, middle
	b.Jitter = model.Jitter{Kind: model.JitterProportional, Factor: model.NewRatio(int64(most-least), int64(most+least))}
}

var _ = add(Library{
	Name:   "hashicorp/go-retryablehttp",
	Path:   "github.com/hashicorp/go-retryablehttp",
	Source: "github.com/hashicorp/go-retryablehttp@v0.7.8 client.go:49-51,410-423,440-450,470-566,619-656,689-840",
	Doc: "RetryMax counts retries: the default of 4 makes five attempts. Every method is repeated, POST included. Retry-After of 429 and 503 " +
		"is obeyed without a cap. LinearJitterBackoff has no cap: it waits k times a random time between the two waits. The Timeout of HTTPClient bounds each attempt, nothing bounds the whole. StandardClient gives an " +
		"*http.Client whose every call is repeated below the caller's own retries.",
	Clients: []Client{{
		Type: "Client", New: []string{"NewClient"},
		Sends: []Send{
			{Func: "Do", Method: "request", URL: "request", Key: "header"},
			{Func: "Get", Method: "GET", URL: "arg 0", Idempotent: true},
			{Func: "Head", Method: "HEAD", URL: "arg 0", Idempotent: true},
			{Func: "Post", Method: "POST", URL: "arg 0", Effect: true, Key: "header"},
			{Func: "PostForm", Method: "POST", URL: "arg 0", Effect: true},
		},
		Policy: retryableClient,
	}},
	Calls: []Call{
		{Func: "Get", Runs: "request", Send: &Send{Method: "GET", URL: "arg 0", Idempotent: true}, Policy: retryableDefault},
		{Func: "Head", Runs: "request", Send: &Send{Method: "HEAD", URL: "arg 0", Idempotent: true}, Policy: retryableDefault},
		{Func: "Post", Runs: "request", Send: &Send{Method: "POST", URL: "arg 0", Effect: true}, Policy: retryableDefault},
		{Func: "PostForm", Runs: "request", Send: &Send{Method: "POST", URL: "arg 0", Effect: true}, Policy: retryableDefault},
	},
	Parts: []Part{
		{Func: "Client", Policy: Policy{Attempts: "field RetryMax + 1 else 1", ZeroIs: "one", NegativeIs: "one"}},
		{Func: "noWait", Policy: Policy{Backoff: "none"}}, // a function of the code's own
		{Func: "DefaultBackoff", Policy: Policy{Backoff: "exponential", Jitter: "none"}},
		{Func: "LinearJitterBackoff", Policy: with(retryableLinear, Policy{RetryAfter: "ignored"})},
		{Func: "RateLimitLinearJitterBackoff", Policy: retryableLinear},
	},
	Stub: retryableStub,
	Example: `package example

import (
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

func client() *http.Client {
	c := retryablehttp.NewClient()
	c.RetryMax = 2
	return c.StandardClient()
}

func linear(url string) (*http.Response, error) {
	c := retryablehttp.NewClient()
	c.RetryWaitMin, c.RetryWaitMax, c.Backoff = time.Second, 3*time.Second, retryablehttp.LinearJitterBackoff
	return c.Get(url) // want layer "attempts=5 wait=1s..3s,2s..6s,3s..9s"
}

func post(url string, body []byte) (*http.Response, error) {
	return retryablehttp.Post(url, "application/json", body) // want layer "attempts=5 initial=1s max=30s"
}
`,
})

// retryableDefault is the policy of the package's functions, which use a client with the defaults.
var retryableDefault = Policy{
	Attempts: "5", Backoff: "exponential", Initial: "1s", Factor: "2", Max: "30s", Jitter: "none", PerAttempt: "none", Overall: "none",
	On: "connect,reset,timeout,5xx,429", RetryAfter: "honoured", Rewinds: true, Kind: "client", DefaultBy: "go-retryablehttp",
}

const retryableStub = `package retryablehttp

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/url"
	"time"
)

type ReaderFunc func() (io.Reader, error)
type ResponseHandlerFunc func(*http.Response) error
type LenReader interface{ Len() int }
type Request struct{ *http.Request }

func (r *Request) WithContext(ctx context.Context) *Request          { return nil }
func (r *Request) SetResponseHandler(fn ResponseHandlerFunc)         {}
func (r *Request) BodyBytes() ([]byte, error)                        { return nil, nil }
func (r *Request) SetBody(rawBody interface{}) error                 { return nil }

type Logger interface{ Printf(string, ...interface{}) }
type LeveledLogger interface {
	Error(msg string, keysAndValues ...interface{})
	Info(msg string, keysAndValues ...interface{})
	Debug(msg string, keysAndValues ...interface{})
	Warn(msg string, keysAndValues ...interface{})
}
type RequestLogHook func(Logger, *http.Request, int)
type ResponseLogHook func(Logger, *http.Response)
type CheckRetry func(ctx context.Context, resp *http.Response, err error) (bool, error)
type Backoff func(min, max time.Duration, attemptNum int, resp *http.Response) time.Duration
type ErrorHandler func(resp *http.Response, err error, numTries int) (*http.Response, error)
type PrepareRetry func(req *http.Request) error

type Client struct {
	HTTPClient      *http.Client
	Logger          interface{}
	RetryWaitMin    time.Duration
	RetryWaitMax    time.Duration
	RetryMax        int
	RequestLogHook  RequestLogHook
	ResponseLogHook ResponseLogHook
	CheckRetry      CheckRetry
	Backoff         Backoff
	ErrorHandler    ErrorHandler
	PrepareRetry    PrepareRetry
}

func NewClient() *Client                                                              { return nil }
func (c *Client) Do(req *Request) (*http.Response, error)                             { return nil, nil }
func (c *Client) Get(url string) (*http.Response, error)                              { return nil, nil }
func (c *Client) Head(url string) (*http.Response, error)                             { return nil, nil }
func (c *Client) Post(url, bodyType string, body interface{}) (*http.Response, error) { return nil, nil }
func (c *Client) PostForm(url string, data url.Values) (*http.Response, error)        { return nil, nil }
func (c *Client) StandardClient() *http.Client                                        { return nil }

type RoundTripper struct{ Client *Client }

func (rt *RoundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return nil, nil }

func FromRequest(r *http.Request) (*Request, error)                                 { return nil, nil }
func NewRequest(method, url string, rawBody interface{}) (*Request, error)          { return nil, nil }
func NewRequestWithContext(ctx context.Context, method, url string, rawBody interface{}) (*Request, error) {
	return nil, nil
}
func Get(url string) (*http.Response, error)                              { return nil, nil }
func Head(url string) (*http.Response, error)                             { return nil, nil }
func Post(url, bodyType string, body interface{}) (*http.Response, error) { return nil, nil }
func PostForm(url string, data url.Values) (*http.Response, error)        { return nil, nil }
func DefaultRetryPolicy(ctx context.Context, resp *http.Response, err error) (bool, error) {
	return false, nil
}
func ErrorPropagatedRetryPolicy(ctx context.Context, resp *http.Response, err error) (bool, error) {
	return false, nil
}
func DefaultBackoff(min, max time.Duration, attemptNum int, resp *http.Response) time.Duration { return 0 }
func LinearJitterBackoff(min, max time.Duration, attemptNum int, resp *http.Response) time.Duration {
	return 0
}
func RateLimitLinearJitterBackoff(min, max time.Duration, attemptNum int, resp *http.Response) time.Duration {
	return 0
}
func PassthroughErrorHandler(resp *http.Response, err error, _ int) (*http.Response, error) {
	return nil, nil
}

var _ *log.Logger
`
