package libs

import "strings"

// resty v3 and its relatives. Settings of a request stand above those of its client.

var restyV3Client = Policy{
	Attempts: "setter SetRetryCount + 1 else 1", NegativeIs: "one",
	Backoff: "custom if setter SetRetryDelayStrategy else exponential", Initial: "setter SetRetryWaitTime * 2 else 200ms", Factor: "2",
	Max: "setter SetRetryMaxWaitTime else 2s", Jitter: "equal", PerAttempt: "setter SetTimeout [0 none] else none", Overall: "none",
	On: "connect,reset,timeout", Predicate: "setter AddRetryConditions else setter SetRetryConditions", Context: "request", RetryAfter: "honoured",
	Rewinds: true, Kind: "client", DefaultBy: "resty v3", OffSwitch: "client.SetRetryCount(0)",
	Traits: []TraitTerm{{Kind: "method-guard", If: "not setter SetRetryAllowNonIdempotent", Detail: "only idempotent methods are repeated"}},
}

var _ = add(Library{
	Name: "resty v3", Path: "resty.dev/v3",
	Source: "resty.dev/v3@v3.0.0-rc.4 retry.go:19-200, request.go:1484-1596,1895-1907, resty.go:171-173, client.go:1556-1600",
	Doc:    "SetRetryCount counts retries, negative numbers are read as 0. Only idempotent methods are repeated unless SetRetryAllowNonIdempotent says so. Retry-After is obeyed without a cap. The first wait is already the doubled one.",
	Clients: []Client{
		{Type: "Client", New: []string{"New", "NewWithClient"}, Policy: restyV3Client},
		{Type: "Request", New: []string{"R", "NewRequest"}, Sends: restySends(), Base: []string{"SetBaseURL"}, Policy: with(restyV3Client, Policy{
			Attempts:   "setter SetRetryCount + 1 else setter SetRetryCount of receiver + 1 else 1",
			Backoff:    "custom if setter SetRetryDelayStrategy else custom if setter SetRetryDelayStrategy of receiver else exponential",
			Initial:    "setter SetRetryWaitTime * 2 else setter SetRetryWaitTime of receiver * 2 else 200ms",
			Max:        "setter SetRetryMaxWaitTime else setter SetRetryMaxWaitTime of receiver else 2s",
			PerAttempt: "setter SetTimeout [0 none] else setter SetTimeout of receiver [0 none] else none",
			Predicate:  "setter AddRetryConditions else setter AddRetryConditions of receiver",
			Traits: []TraitTerm{{Kind: "method-guard", If: "not setter SetRetryAllowNonIdempotent", Detail: "only idempotent methods are repeated"},
				{Kind: "method-guard", If: "not setter SetRetryAllowNonIdempotent of receiver", Detail: "only idempotent methods are repeated"}},
			Fix: restyGuard,
		})},
	},
	Stub: `package resty

import (
	"context"
	"net/http"
	"time"
)

type RetryConditionFunc func(*Response, error) bool
type RetryHookFunc func(*Response, error)
type RetryDelayStrategyFunc func(*Response, error) (time.Duration, error)
type Client struct{}

func New() *Client                                                             { return nil }
func NewWithClient(hc *http.Client) *Client                                    { return nil }
func (c *Client) R() *Request                                                  { return nil }
func (c *Client) NewRequest() *Request                                         { return nil }
func (c *Client) Client() *http.Client                                         { return nil }
func (c *Client) Close() error                                                 { return nil }
func (c *Client) SetBaseURL(url string) *Client                                { return c }
func (c *Client) SetHeader(header, value string) *Client                       { return c }
func (c *Client) SetHeaders(headers map[string]string) *Client                 { return c }
func (c *Client) SetAuthToken(token string) *Client                            { return c }
func (c *Client) SetTimeout(timeout time.Duration) *Client                     { return c }
func (c *Client) SetRetryCount(count int) *Client                              { return c }
func (c *Client) SetRetryWaitTime(waitTime time.Duration) *Client              { return c }
func (c *Client) SetRetryMaxWaitTime(maxWaitTime time.Duration) *Client        { return c }
func (c *Client) SetRetryDelayStrategy(f RetryDelayStrategyFunc) *Client       { return c }
func (c *Client) SetRetryDefaultConditions(b bool) *Client                     { return c }
func (c *Client) SetRetryAllowNonIdempotent(b bool) *Client                    { return c }
func (c *Client) AddRetryConditions(conditions ...RetryConditionFunc) *Client  { return c }
func (c *Client) SetRetryConditions(conditions ...RetryConditionFunc) *Client  { return c }
func (c *Client) AddRetryHooks(hooks ...RetryHookFunc) *Client                 { return c }

type Request struct {
	URL, Method string
	Header      http.Header
	Body        any
}

func (r *Request) SetContext(ctx context.Context) *Request                       { return r }
func (r *Request) SetHeader(header, value string) *Request                       { return r }
func (r *Request) SetHeaders(headers map[string]string) *Request                 { return r }
func (r *Request) SetQueryParam(param, value string) *Request                    { return r }
func (r *Request) SetQueryParams(params map[string]string) *Request              { return r }
func (r *Request) SetPathParam(param, value string) *Request                     { return r }
func (r *Request) SetFormData(data map[string]string) *Request                   { return r }
func (r *Request) SetBody(body any) *Request                                     { return r }
func (r *Request) SetResult(v any) *Request                                      { return r }
func (r *Request) SetError(err any) *Request                                     { return r }
func (r *Request) SetAuthToken(token string) *Request                            { return r }
func (r *Request) SetURL(url string) *Request                                    { return r }
func (r *Request) SetMethod(m string) *Request                                   { return r }
func (r *Request) SetTimeout(timeout time.Duration) *Request                     { return r }
func (r *Request) SetRetryCount(count int) *Request                              { return r }
func (r *Request) SetRetryWaitTime(waitTime time.Duration) *Request              { return r }
func (r *Request) SetRetryMaxWaitTime(maxWaitTime time.Duration) *Request        { return r }
func (r *Request) SetRetryDelayStrategy(f RetryDelayStrategyFunc) *Request       { return r }
func (r *Request) SetRetryAllowNonIdempotent(b bool) *Request                    { return r }
func (r *Request) AddRetryConditions(conditions ...RetryConditionFunc) *Request  { return r }
func (r *Request) Get(url string) (*Response, error)                             { return nil, nil }
func (r *Request) Head(url string) (*Response, error)                            { return nil, nil }
func (r *Request) Post(url string) (*Response, error)                            { return nil, nil }
func (r *Request) Put(url string) (*Response, error)                             { return nil, nil }
func (r *Request) Delete(url string) (*Response, error)                          { return nil, nil }
func (r *Request) Options(url string) (*Response, error)                         { return nil, nil }
func (r *Request) Trace(url string) (*Response, error)                           { return nil, nil }
func (r *Request) Patch(url string) (*Response, error)                           { return nil, nil }
func (r *Request) Send() (*Response, error)                                      { return nil, nil }
func (r *Request) Execute(method, url string) (*Response, error)                 { return nil, nil }

type Response struct {
	Request     *Request
	RawResponse *http.Response
}

func (r *Response) Bytes() []byte       { return nil }
func (r *Response) String() string      { return "" }
func (r *Response) Status() string      { return "" }
func (r *Response) StatusCode() int     { return 0 }
func (r *Response) Result() any         { return nil }
func (r *Response) Error() any          { return nil }
func (r *Response) Header() http.Header { return nil }
func (r *Response) IsSuccess() bool     { return false }
func (r *Response) IsError() bool       { return false }
`,
	Example: `package example

import (
	"time"

	"resty.dev/v3"
)

func put(url string) error {
	c := resty.New().SetRetryCount(2).SetRetryWaitTime(time.Second).SetRetryMaxWaitTime(time.Minute) // want layer "attempts=3 wait=1s..2s,2s..4s,4s..8s"
	_, err := c.R().Put(url)
	return err
}
`,
})

// restyGuard: the guard holds only where neither the request nor its client lifts it.
func restyGuard(s Site, r *Result) {
	for _, c := range []string{"setter SetRetryAllowNonIdempotent", "setter SetRetryAllowNonIdempotent of receiver"} {
		cond, _ := parseCondition("not " + c)
		if holds, decided, _ := (scope{site: s}).condition(cond); !holds || !decided {
			r.drop("method-guard")
		}
	}
}

// reqSends: the URL of Send and Do is a setting of the request.
func reqSends() []Send {
	return []Send{
		{Func: "Get, MustGet", Method: "GET", URL: "arg 0", Idempotent: true},
		{Func: "Head, MustHead", Method: "HEAD", URL: "arg 0", Idempotent: true},
		{Func: "Post, MustPost", Method: "POST", URL: "arg 0", Effect: true, Key: "header"},
		{Func: "Put, MustPut", Method: "PUT", URL: "arg 0", Effect: true, Key: "header"},
		{Func: "Patch, MustPatch", Method: "PATCH", URL: "arg 0", Effect: true, Key: "header"},
		{Func: "Delete, MustDelete", Method: "DELETE", URL: "arg 0", Effect: true, Idempotent: true},
		{Func: "Send", Method: "arg 0", URL: "arg 1", Key: "header"},
		{Func: "Do", Key: "header"},
	}
}

var reqClient = Policy{
	Attempts: "setter SetCommonRetryCount + 1 else 1", ZeroIs: "one", NegativeIs: "unbounded",
	Backoff: "exponential if setter SetCommonRetryBackoffInterval else custom if setter SetCommonRetryInterval else constant",
	Initial: "setter SetCommonRetryBackoffInterval * 2 else setter SetCommonRetryFixedInterval else 100ms", Factor: "2",
	Max: "setter SetCommonRetryBackoffInterval.1 else none", Jitter: "equal if setter SetCommonRetryBackoffInterval else none",
	PerAttempt: "setter SetTimeout else none", Overall: "none", On: "connect,reset,timeout",
	Predicate: "setter SetCommonRetryCondition else setter AddCommonRetryCondition", Context: "request", Rewinds: true, Kind: "client", DefaultBy: "imroc/req",
}

var _ = add(Library{
	Name: "imroc/req v3", Path: "github.com/imroc/req/v3",
	Source: "github.com/imroc/req@5197ba7 retry.go:8-60, client.go:1418-1480, request.go:650-728",
	Doc:    "SetRetryCount counts retries; a negative number means without end. Every method is repeated. A deadline of the context does not end the retries, and the wait cannot be interrupted.",
	Clients: []Client{
		{Type: "Client", New: []string{"C", "NewClient"}, Policy: reqClient, Sends: reqSends()},
		{Type: "Request", New: []string{"R", "NewRequest"}, Sends: reqSends(), Base: []string{"SetBaseURL"}, Policy: with(reqClient, Policy{
			Attempts: "setter SetRetryCount + 1 else setter SetCommonRetryCount of receiver + 1 else 1",
			Backoff: "exponential if setter SetRetryBackoffInterval else constant if setter SetRetryFixedInterval else custom if setter SetRetryInterval else " +
				"exponential if setter SetCommonRetryBackoffInterval of receiver else custom if setter SetCommonRetryInterval of receiver else constant",
			Initial:    "setter SetRetryBackoffInterval * 2 else setter SetRetryFixedInterval else setter SetCommonRetryBackoffInterval of receiver * 2 else setter SetCommonRetryFixedInterval of receiver else 100ms",
			Max:        "setter SetRetryBackoffInterval.1 else setter SetCommonRetryBackoffInterval.1 of receiver else none",
			Jitter:     "equal if setter SetRetryBackoffInterval else equal if setter SetCommonRetryBackoffInterval of receiver else none",
			PerAttempt: "setter SetTimeout of receiver else none",
			Predicate:  "setter SetRetryCondition else setter AddRetryCondition else setter SetCommonRetryCondition of receiver else setter AddCommonRetryCondition of receiver",
		})},
	},
	Stub: `package req

import (
	"context"
	"net/http"
	"time"
)

type RetryConditionFunc func(resp *Response, err error) bool
type RetryHookFunc func(resp *Response, err error)
type GetRetryIntervalFunc func(resp *Response, attempt int) time.Duration
type Client struct{}

func C() *Client                                                                     { return nil }
func NewClient() *Client                                                             { return nil }
func R() *Request                                                                    { return nil }
func (c *Client) R() *Request                                                        { return nil }
func (c *Client) NewRequest() *Request                                               { return nil }
func (c *Client) Get(url ...string) *Request                                         { return nil }
func (c *Client) Head(url ...string) *Request                                        { return nil }
func (c *Client) Post(url ...string) *Request                                        { return nil }
func (c *Client) Put(url ...string) *Request                                         { return nil }
func (c *Client) Patch(url ...string) *Request                                       { return nil }
func (c *Client) Delete(url ...string) *Request                                      { return nil }
func (c *Client) SetBaseURL(u string) *Client                                        { return c }
func (c *Client) SetTimeout(d time.Duration) *Client                                 { return c }
func (c *Client) SetUserAgent(userAgent string) *Client                              { return c }
func (c *Client) SetCommonHeader(key, value string) *Client                          { return c }
func (c *Client) SetCommonHeaders(hdrs map[string]string) *Client                    { return c }
func (c *Client) SetCommonBearerAuthToken(token string) *Client                      { return c }
func (c *Client) SetCommonErrorResult(err interface{}) *Client                       { return c }
func (c *Client) DevMode() *Client                                                   { return c }
func (c *Client) SetCommonRetryCount(count int) *Client                              { return c }
func (c *Client) SetCommonRetryInterval(f GetRetryIntervalFunc) *Client              { return c }
func (c *Client) SetCommonRetryFixedInterval(interval time.Duration) *Client         { return c }
func (c *Client) SetCommonRetryBackoffInterval(min, max time.Duration) *Client       { return c }
func (c *Client) SetCommonRetryCondition(condition RetryConditionFunc) *Client       { return c }
func (c *Client) AddCommonRetryCondition(condition RetryConditionFunc) *Client       { return c }
func (c *Client) SetCommonRetryHook(hook RetryHookFunc) *Client                      { return c }
func (c *Client) AddCommonRetryHook(hook RetryHookFunc) *Client                      { return c }

type Request struct{ RetryAttempt int }

func (r *Request) SetContext(ctx context.Context) *Request                          { return r }
func (r *Request) SetHeader(key, value string) *Request                             { return r }
func (r *Request) SetHeaders(hdrs map[string]string) *Request                       { return r }
func (r *Request) SetBody(body interface{}) *Request                                { return r }
func (r *Request) SetBodyJsonMarshal(v interface{}) *Request                        { return r }
func (r *Request) SetBodyBytes(body []byte) *Request                                { return r }
func (r *Request) SetBodyString(body string) *Request                               { return r }
func (r *Request) SetBodyJsonString(body string) *Request                           { return r }
func (r *Request) SetFormData(data map[string]string) *Request                      { return r }
func (r *Request) SetQueryParam(key, value string) *Request                         { return r }
func (r *Request) SetQueryParams(params map[string]string) *Request                 { return r }
func (r *Request) SetPathParam(key, value string) *Request                          { return r }
func (r *Request) SetBearerAuthToken(token string) *Request                         { return r }
func (r *Request) SetResult(result interface{}) *Request                            { return r }
func (r *Request) SetSuccessResult(result interface{}) *Request                     { return r }
func (r *Request) SetErrorResult(error interface{}) *Request                        { return r }
func (r *Request) SetRetryCount(count int) *Request                                 { return r }
func (r *Request) SetRetryInterval(f GetRetryIntervalFunc) *Request                 { return r }
func (r *Request) SetRetryFixedInterval(interval time.Duration) *Request            { return r }
func (r *Request) SetRetryBackoffInterval(min, max time.Duration) *Request          { return r }
func (r *Request) SetRetryCondition(condition RetryConditionFunc) *Request          { return r }
func (r *Request) AddRetryCondition(condition RetryConditionFunc) *Request          { return r }
func (r *Request) SetRetryHook(hook RetryHookFunc) *Request                         { return r }
func (r *Request) Get(url string) (*Response, error)                                { return nil, nil }
func (r *Request) Head(url string) (*Response, error)                               { return nil, nil }
func (r *Request) Post(url string) (*Response, error)                               { return nil, nil }
func (r *Request) Put(url string) (*Response, error)                                { return nil, nil }
func (r *Request) Patch(url string) (*Response, error)                              { return nil, nil }
func (r *Request) Delete(url string) (*Response, error)                             { return nil, nil }
func (r *Request) Send(method, url string) (*Response, error)                       { return nil, nil }
func (r *Request) MustGet(url string) *Response                                     { return nil }
func (r *Request) MustPost(url string) *Response                                    { return nil }
func (r *Request) MustPut(url string) *Response                                     { return nil }
func (r *Request) MustPatch(url string) *Response                                   { return nil }
func (r *Request) MustDelete(url string) *Response                                  { return nil }
func (r *Request) MustHead(url string) *Response                                    { return nil }
func (r *Request) Do(ctx ...context.Context) *Response                              { return nil }

type Response struct {
	*http.Response
	Err     error
	Request *Request
}

func (r *Response) IsSuccessState() bool                { return false }
func (r *Response) IsErrorState() bool                  { return false }
func (r *Response) IsSuccess() bool                     { return false }
func (r *Response) IsError() bool                       { return false }
func (r *Response) GetStatusCode() int                  { return 0 }
func (r *Response) String() string                      { return "" }
func (r *Response) Bytes() []byte                       { return nil }
func (r *Response) ToString() (string, error)           { return "", nil }
func (r *Response) Into(v interface{}) error            { return nil }
func (r *Response) UnmarshalJson(v interface{}) error   { return nil }
`,
})

var heimdallSends = []Send{
	{Func: "Get", Method: "GET", URL: "arg 0", Idempotent: true},
	{Func: "Post", Method: "POST", URL: "arg 0", Effect: true},
	{Func: "Put", Method: "PUT", URL: "arg 0", Effect: true},
	{Func: "Patch", Method: "PATCH", URL: "arg 0", Effect: true},
	{Func: "Delete", Method: "DELETE", URL: "arg 0", Effect: true, Idempotent: true},
	{Func: "Do", Method: "request", URL: "request", Key: "header"},
}

var heimdallParts = []Part{
	{Func: "NewRetrier", Wraps: "arg 0", Policy: Policy{}},
	{Func: "NewNoRetrier", Policy: Policy{Backoff: "none"}},
	{Func: "NewRetrierFunc", Policy: Policy{Backoff: "custom"}},
	{Func: "NewConstantBackoff", Policy: Policy{Backoff: "constant", Initial: "arg 0", Jitter: "additive arg 1"}},
	{Func: "NewExponentialBackoff", Policy: Policy{Backoff: "exponential", Initial: "arg 0", Max: "arg 1", Factor: "arg 2", Jitter: "additive arg 3"}},
}

const heimdallClientStub = `
import (
	"io"
	"net/http"
	"time"

	"github.com/gojek/heimdall/v*"
)

type Option func(*Client)
type Client struct{}

func NewClient(opts ...Option) *Client                                                                      { return nil }
func WithRetryCount(retryCount int) Option                                                                  { return nil }
func WithRetrier(retrier heimdall.Retriable) Option                                                         { return nil }
func WithHTTPTimeout(timeout time.Duration) Option                                                          { return nil }
func WithHTTPClient(client heimdall.Doer) Option                                                            { return nil }
func WithCommandName(name string) Option                                                                    { return nil }
func WithHystrixTimeout(timeout time.Duration) Option                                                       { return nil }
func WithMaxConcurrentRequests(n int) Option                                                                { return nil }
func WithErrorPercentThreshold(n int) Option                                                                { return nil }
func WithFallbackFunc(fn func(error) error) Option                                                          { return nil }
func (c *Client) Get(url string, headers http.Header) (*http.Response, error)                               { return nil, nil }
func (c *Client) Post(url string, body io.Reader, headers http.Header) (*http.Response, error)              { return nil, nil }
func (c *Client) Put(url string, body io.Reader, headers http.Header) (*http.Response, error)               { return nil, nil }
func (c *Client) Patch(url string, body io.Reader, headers http.Header) (*http.Response, error)             { return nil, nil }
func (c *Client) Delete(url string, headers http.Header) (*http.Response, error)                            { return nil, nil }
func (c *Client) Do(request *http.Request) (*http.Response, error)                                          { return nil, nil }
`

var _ = add(Library{
	Name: "gojek/heimdall", Path: "github.com/gojek/heimdall/v*/httpclient", Also: []string{"github.com/gojek/heimdall/v*/hystrix", "github.com/gojek/heimdall/httpclient", "github.com/gojek/heimdall/hystrix"},
	Source: "github.com/gojek/heimdall/v7@v7.0.3 httpclient/client.go:25-51,124-173, backoff.go:24-69",
	Doc: "WithRetryCount counts retries; a negative number sends nothing and gives neither response nor error. Any error and every status from 500 " +
		"on is repeated, for any method. A wait also follows the last failure; it is a sleep that no context ends. Without a retrier there are no waits.",
	Clients: []Client{{Type: "Client", New: []string{"NewClient"}, Sends: heimdallSends, Policy: Policy{
		Follow:   []string{"option WithRetrier"},
		Attempts: "option WithRetryCount + 1 else 1", NegativeIs: "never", Backoff: "none", PerAttempt: "option WithHTTPTimeout else 30s", Overall: "none",
		On: "connect,reset,timeout,5xx", Context: "none", Rewinds: true, WaitsAfterLast: true, Kind: "client", DefaultBy: "heimdall", OffSwitch: "WithRetryCount(0)",
	}}},
	Parts:  heimdallParts,
	Majors: []int{5, 6, 7},
	Stub:   "package httpclient\n" + heimdallClientStub,
	StubFiles: map[string]string{
		"github.com/gojek/heimdall/v*/hystrix": "package hystrix\n" + heimdallClientStub,
		"github.com/gojek/heimdall/httpclient": "package httpclient\n" + strings.ReplaceAll(heimdallClientStub, "/v*", ""),
		"github.com/gojek/heimdall/hystrix":    "package hystrix\n" + strings.ReplaceAll(heimdallClientStub, "/v*", ""),
		"github.com/gojek/heimdall":            heimdallStub,
		"github.com/gojek/heimdall/v*":         heimdallStub,
	},
})

var pesterClient = Policy{
	Follow: []string{"field Backoff"}, Attempts: "field MaxRetries else 3", ZeroIs: "one", NegativeIs: "one",
	Backoff: "constant", Initial: "1s", Jitter: "none", PerAttempt: "field Timeout [0 none] else none", Overall: "none",
	On: "connect,reset,timeout,5xx", Context: "request", Rewinds: true, Kind: "client", DefaultBy: "pester", OffSwitch: "client.MaxRetries = 1",
	Traits: []TraitTerm{{Kind: "hedge", If: "field Concurrency", Detail: "Concurrency sends in parallel, each with its own retries"}},
}

var pesterSends = []Send{
	{Func: "Do", Method: "request", URL: "request", Key: "header"},
	{Func: "Get", Method: "GET", URL: "arg 0", Idempotent: true},
	{Func: "Head", Method: "HEAD", URL: "arg 0", Idempotent: true},
	{Func: "Post", Method: "POST", URL: "arg 0", Effect: true},
	{Func: "PostForm", Method: "POST", URL: "arg 0", Effect: true},
}

var _ = add(Library{
	Name: "sethgrid/pester", Path: "github.com/sethgrid/pester",
	Source:  "github.com/sethgrid/pester@32a1beb pester.go:105-140,230-233,312-398",
	Doc:     "MaxRetries counts attempts in spite of its name. Concurrency multiplies: each of its goroutines makes MaxRetries attempts (GET only). 429 is repeated only with RetryOnHTTP429.",
	Clients: []Client{{Type: "Client", New: []string{"New", "NewExtendedClient"}, Sends: pesterSends, Policy: pesterClient}},
	Calls: []Call{
		{Func: "Do", Runs: "request", Send: &pesterSends[0], Policy: pesterDefault},
		{Func: "Get", Runs: "request", Send: &pesterSends[1], Policy: pesterDefault},
		{Func: "Head", Runs: "request", Send: &pesterSends[2], Policy: pesterDefault},
		{Func: "Post", Runs: "request", Send: &pesterSends[3], Policy: pesterDefault},
		{Func: "PostForm", Runs: "request", Send: &pesterSends[4], Policy: pesterDefault},
	},
	Parts: []Part{
		{Func: "Client", Policy: Policy{Attempts: "field MaxRetries else 1", ZeroIs: "one", NegativeIs: "one"}},
		{Func: "DefaultBackoff", Policy: Policy{Backoff: "constant", Initial: "1s"}},
		{Func: "ExponentialBackoff", Policy: Policy{Backoff: "exponential", Initial: "2s", Factor: "2", Max: "none"}},
		{Func: "ExponentialJitterBackoff", Policy: Policy{Backoff: "exponential", Initial: "2s", Factor: "2", Max: "none", Jitter: "proportional 0.33"}},
		{Func: "LinearBackoff", Policy: Policy{Backoff: "linear", Initial: "1s", Step: "1s", Max: "none"}},
		{Func: "LinearJitterBackoff", Policy: Policy{Backoff: "linear", Initial: "1s", Step: "1s", Max: "none", Jitter: "proportional 0.33"}},
	},
	Stub: `package pester

import (
	"io"
	"net/http"
	"net/url"
	"time"
)

type BackoffStrategy func(retry int) time.Duration
type LogHook func(e any)
type Client struct {
	Transport      http.RoundTripper
	CheckRedirect  func(req *http.Request, via []*http.Request) error
	Jar            http.CookieJar
	Timeout        time.Duration
	Concurrency    int
	MaxRetries     int
	Backoff        BackoffStrategy
	KeepLog        bool
	LogHook        LogHook
	RetryOnHTTP429 bool
}

var DefaultClient = &Client{}

func New() *Client                                                                        { return nil }
func NewExtendedClient(hc *http.Client) *Client                                           { return nil }
func DefaultBackoff(_ int) time.Duration                                                  { return 0 }
func ExponentialBackoff(i int) time.Duration                                              { return 0 }
func ExponentialJitterBackoff(i int) time.Duration                                        { return 0 }
func LinearBackoff(i int) time.Duration                                                   { return 0 }
func LinearJitterBackoff(i int) time.Duration                                             { return 0 }
func (c *Client) Do(req *http.Request) (*http.Response, error)                            { return nil, nil }
func (c *Client) Get(url string) (*http.Response, error)                                  { return nil, nil }
func (c *Client) Head(url string) (*http.Response, error)                                 { return nil, nil }
func (c *Client) Post(url, bodyType string, body io.Reader) (*http.Response, error)       { return nil, nil }
func (c *Client) PostForm(url string, data url.Values) (*http.Response, error)            { return nil, nil }
func (c *Client) SetRetryOnHTTP429(flag bool)                                             {}
func (c *Client) LogString() string                                                       { return "" }
func Do(req *http.Request) (*http.Response, error)                                        { return nil, nil }
func Get(url string) (*http.Response, error)                                              { return nil, nil }
func Head(url string) (*http.Response, error)                                             { return nil, nil }
func Post(url, bodyType string, body io.Reader) (*http.Response, error)                   { return nil, nil }
func PostForm(url string, data url.Values) (*http.Response, error)                        { return nil, nil }
`,
	Example: `package example

import (
	"net/http"

	"github.com/sethgrid/pester"
)

func get(url string) (*http.Response, error) {
	return pester.Get(url) // want layer "attempts=3 initial=1s"
}
`,
})

var pesterDefault = Policy{
	Attempts: "3", Backoff: "constant", Initial: "1s", Jitter: "none", PerAttempt: "none", Overall: "none", On: "connect,reset,timeout,5xx",
	Context: "request", Rewinds: true, Kind: "client", DefaultBy: "pester",
}

var _ = add(Library{
	Name: "PuerkitoBio/rehttp", Path: "github.com/PuerkitoBio/rehttp",
	Source: "github.com/PuerkitoBio/rehttp@v1.4.0 rehttp.go:114-287,330-405",
	Doc: "RetryMaxRetries counts retries. It must stand in RetryAll: a retry function without it, or with it inside RetryAny, repeats without end. " +
		"RetryAny with it repeats answers of success, too.",
	Calls: []Call{{Func: "NewTransport", Runs: "arg 0", Policy: Policy{
		Follow: []string{"arg 1", "arg 2"}, Attempts: "unbounded", Overall: "none", Context: "request", Rewinds: true, Kind: "transport",
		PerAttempt: "field PerAttemptTimeout [0 none] else none", DefaultBy: "rehttp", OffSwitch: "rehttp.RetryMaxRetries(0)",
	}}},
	Parts: []Part{
		{Func: "RetryAll", Policy: Policy{Attempts: "option RetryMaxRetries + 1 else unbounded", NegativeIs: "one",
			Traits: []TraitTerm{{Kind: "method-guard", If: "option RetryHTTPMethods", Detail: "RetryHTTPMethods"}}}},
		{Func: "RetryAny", Policy: Policy{Attempts: "unbounded"}},
		{Func: "RetryMaxRetries", Policy: Policy{Attempts: "arg 0 + 1", NegativeIs: "one", On: "error"}},
		{Func: "RetryStatuses, RetryStatusInterval", Policy: Policy{Attempts: "unbounded"}},
		{Func: "RetryTemporaryErr, RetryTimeoutErr, RetryHTTPMethods, RetryIsErr", Policy: Policy{Attempts: "unbounded"}},
		{Func: "ConstDelay", Policy: Policy{Backoff: "constant", Initial: "arg 0", Jitter: "none"}},
		{Func: "ExpJitterDelay, ExpJitterDelayWithRand", Policy: Policy{Backoff: "exponential", Initial: "arg 0", Factor: "2", Max: "arg 1", Jitter: "full"}},
	},
	Stub: `package rehttp

import (
	"net/http"
	"time"
)

type Attempt struct {
	Index    int
	Request  *http.Request
	Response *http.Response
	Error    error
}
type RetryFn func(attempt Attempt) bool
type DelayFn func(attempt Attempt) time.Duration
type Transport struct {
	RoundTripper         http.RoundTripper
	PreventRetryWithBody bool
	PerAttemptTimeout    time.Duration
}

func NewTransport(rt http.RoundTripper, retryFn RetryFn, delayFn DelayFn) *Transport           { return nil }
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error)                       { return nil, nil }
func RetryAny(retryFns ...RetryFn) RetryFn                                                     { return nil }
func RetryAll(retryFns ...RetryFn) RetryFn                                                     { return nil }
func RetryMaxRetries(max int) RetryFn                                                          { return nil }
func RetryTemporaryErr() RetryFn                                                               { return nil }
func RetryTimeoutErr() RetryFn                                                                 { return nil }
func RetryIsErr(fn func(error) bool) RetryFn                                                   { return nil }
func RetryStatusInterval(fromInclusive, toExclusive int) RetryFn                               { return nil }
func RetryStatuses(statuses ...int) RetryFn                                                    { return nil }
func RetryHTTPMethods(methods ...string) RetryFn                                               { return nil }
func ConstDelay(delay time.Duration) DelayFn                                                   { return nil }
func ExpJitterDelay(base, max time.Duration) DelayFn                                           { return nil }
func ExpJitterDelayWithRand(base, max time.Duration, generator func(n int64) int64) DelayFn    { return nil }
`,
	Example: `package example

import (
	"net/http"
	"time"

	"github.com/PuerkitoBio/rehttp"
)

func client() *http.Client {
	return &http.Client{Transport: rehttp.NewTransport(nil, // want layer "attempts=4 initial=1s"
		rehttp.RetryAll(rehttp.RetryMaxRetries(3), rehttp.RetryStatuses(503)), rehttp.ConstDelay(time.Second))}
}
`,
})

const heimdallStub = `package heimdall

import (
	"net/http"
	"time"
)

type Doer interface {
	Do(*http.Request) (*http.Response, error)
}
type Backoff interface{ Next(retry int) time.Duration }
type Retriable interface{ NextInterval(retry int) time.Duration }
type RetriableFunc func(retry int) time.Duration

func (f RetriableFunc) NextInterval(retry int) time.Duration                                                        { return 0 }
func NewRetrier(backoff Backoff) Retriable                                                                          { return nil }
func NewRetrierFunc(f RetriableFunc) Retriable                                                                      { return nil }
func NewNoRetrier() Retriable                                                                                       { return nil }
func NewConstantBackoff(backoffInterval, maximumJitterInterval time.Duration) Backoff                               { return nil }
func NewExponentialBackoff(initialTimeout, maxTimeout time.Duration, exponentFactor float64, maximumJitterInterval time.Duration) Backoff {
	return nil
}
`
