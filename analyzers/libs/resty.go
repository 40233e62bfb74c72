package libs

// restySends are the verbs of a request; the URL is the first argument.
func restySends() []Send {
	return []Send{
		{Func: "Get", Method: "GET", URL: "arg 0", Idempotent: true},
		{Func: "Head", Method: "HEAD", URL: "arg 0", Idempotent: true},
		{Func: "Options", Method: "OPTIONS", URL: "arg 0", Idempotent: true},
		{Func: "Trace", Method: "TRACE", URL: "arg 0", Idempotent: true},
		{Func: "Post", Method: "POST", URL: "arg 0", Effect: true, Key: "header"},
		{Func: "Put", Method: "PUT", URL: "arg 0", Effect: true, Key: "header"},
		{Func: "Patch", Method: "PATCH", URL: "arg 0", Effect: true, Key: "header"},
		{Func: "Delete", Method: "DELETE", URL: "arg 0", Idempotent: true, Effect: true},
		{Func: "Execute", Method: "arg 0", URL: "arg 1", Key: "header"},
		{Func: "Send", Method: "setter SetMethod", URL: "setter SetURL", Key: "header"},
	}
}

// restyClient: the client's settings reach every request; v2 repeats all methods, but no status unless a condition says so.
var restyClient = Policy{
	Attempts: "setter SetRetryCount + 1 else field RetryCount + 1 else 1", NegativeIs: "never",
	Backoff: "exponential", Initial: "setter SetRetryWaitTime else field RetryWaitTime else 100ms", Factor: "2",
	Max: "setter SetRetryMaxWaitTime else field RetryMaxWaitTime else 2s", Jitter: "equal",
	PerAttempt: "setter SetTimeout [0 none] else none", Overall: "none",
	On: "connect,reset,timeout", Predicate: "setter AddRetryCondition else field RetryConditions", Context: "request",
	Rewinds: true, Kind: "client", DefaultBy: "go-resty", OffSwitch: "client.SetRetryCount(0)",
	Traits: []TraitTerm{
		{Kind: "reads-retry-after", If: "setter SetRetryAfter", Detail: "capped"},
	},
}

var _ = add(Library{
	Name:   "go-resty v2",
	Path:   "github.com/go-resty/resty/v2",
	Also:   []string{"gopkg.in/resty.v1"},
	Source: "github.com/go-resty/resty/v2@v2.17.2 retry.go:16-225, request.go:1047-1074, client.go:116-118,706-727,1459",
	Doc: "SetRetryCount counts retries; a negative number means that the request is never sent and no error is returned. Every method is " +
		"repeated, but only transport errors unless a condition is added; once one is, the conditions alone decide. Settings of the client " +
		"reach every request. SetTimeout bounds each attempt.",
	Clients: []Client{
		{Type: "Client", New: []string{"New", "NewWithClient", "NewWithLocalAddr"}, Policy: restyClient},
		{Type: "Request", New: []string{"R", "NewRequest"}, Sends: restySends(), Base: []string{"SetBaseURL", "SetHostURL"}, Policy: restyRequest},
	},
	Calls: []Call{{Func: "Backoff", Runs: "arg 0", Policy: Policy{
		Attempts: "option Retries + 1 else 4", NegativeIs: "never",
		Backoff: "exponential", Initial: "option WaitTime else 100ms", Factor: "2", Max: "option MaxWaitTime else 2s", Jitter: "equal",
		On: "error", Predicate: "option RetryConditions", DefaultBy: "go-resty",
	}}},
	Stub: restyStub,
	Example: `package example

import (
	"time"

	"github.com/go-resty/resty/v2"
)

type api struct{ c *resty.Client }

func newAPI() *api {
	c := resty.New().SetRetryCount(3).SetRetryWaitTime(time.Second).SetRetryMaxWaitTime(5 * time.Second)
	return &api{c}
}

func (a *api) charge(body any) error {
	_, err := a.c.R().SetBody(body).Post("https://pay.example.org/charges") // want layer "attempts=4 initial=1s max=5s"
	return err
}
`,
})

// restyRequest is the policy of a request: that of the client which made it.
var restyRequest = with(restyClient, Policy{
	Attempts:   "setter SetRetryCount of receiver + 1 else field RetryCount of receiver + 1 else 1",
	Initial:    "setter SetRetryWaitTime of receiver else field RetryWaitTime of receiver else 100ms",
	Max:        "setter SetRetryMaxWaitTime of receiver else field RetryMaxWaitTime of receiver else 2s",
	PerAttempt: "setter SetTimeout of receiver [0 none] else none",
	Predicate:  "setter AddRetryCondition else setter AddRetryCondition of receiver else field RetryConditions of receiver",
	Traits:     []TraitTerm{{Kind: "reads-retry-after", If: "setter SetRetryAfter of receiver", Detail: "capped"}},
})

const restyStub = `package resty

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

type RetryConditionFunc func(*Response, error) bool
type OnRetryFunc func(*Response, error)
type RetryAfterFunc func(*Client, *Response) (time.Duration, error)
type RequestMiddleware func(*Client, *Request) error
type ResponseMiddleware func(*Client, *Response) error
type PreRequestHook func(*Client, *http.Request) error
type ErrorHook func(*Request, error)
type Options struct{}
type Option func(*Options)
type User struct{ Username, Password string }

type Client struct {
	BaseURL             string
	HostURL             string
	QueryParam          url.Values
	FormData            url.Values
	Header              http.Header
	Token               string
	RetryCount          int
	RetryWaitTime       time.Duration
	RetryMaxWaitTime    time.Duration
	RetryConditions     []RetryConditionFunc
	RetryHooks          []OnRetryFunc
	RetryAfter          RetryAfterFunc
	RetryResetReaders   bool
	Debug               bool
}

func New() *Client                                                    { return nil }
func NewWithClient(hc *http.Client) *Client                           { return nil }
func NewWithLocalAddr(localAddr net.Addr) *Client                     { return nil }
func (c *Client) R() *Request                                         { return nil }
func (c *Client) NewRequest() *Request                                { return nil }
func (c *Client) GetClient() *http.Client                             { return nil }
func (c *Client) SetBaseURL(url string) *Client                       { return c }
func (c *Client) SetHostURL(url string) *Client                       { return c }
func (c *Client) SetHeader(header, value string) *Client              { return c }
func (c *Client) SetHeaders(headers map[string]string) *Client        { return c }
func (c *Client) SetHeaderVerbatim(header, value string) *Client      { return c }
func (c *Client) SetAuthToken(token string) *Client                   { return c }
func (c *Client) SetAuthScheme(scheme string) *Client                 { return c }
func (c *Client) SetBasicAuth(username, password string) *Client      { return c }
func (c *Client) SetQueryParam(param, value string) *Client           { return c }
func (c *Client) SetQueryParams(params map[string]string) *Client     { return c }
func (c *Client) SetPathParam(param, value string) *Client            { return c }
func (c *Client) SetTimeout(timeout time.Duration) *Client            { return c }
func (c *Client) SetTransport(transport http.RoundTripper) *Client    { return c }
func (c *Client) SetTLSClientConfig(config *tls.Config) *Client       { return c }
func (c *Client) SetRedirectPolicy(policies ...interface{}) *Client   { return c }
func (c *Client) SetDebug(d bool) *Client                             { return c }
func (c *Client) SetError(err interface{}) *Client                    { return c }
func (c *Client) SetContentLength(l bool) *Client                     { return c }
func (c *Client) SetLogger(l interface{}) *Client                     { return c }
func (c *Client) SetCloseConnection(close bool) *Client               { return c }
func (c *Client) SetDoNotParseResponse(b bool) *Client                { return c }
func (c *Client) SetRetryCount(count int) *Client                     { return c }
func (c *Client) SetRetryWaitTime(waitTime time.Duration) *Client     { return c }
func (c *Client) SetRetryMaxWaitTime(maxWaitTime time.Duration) *Client { return c }
func (c *Client) SetRetryAfter(callback RetryAfterFunc) *Client       { return c }
func (c *Client) SetRetryResetReaders(b bool) *Client                 { return c }
func (c *Client) AddRetryCondition(condition RetryConditionFunc) *Client { return c }
func (c *Client) AddRetryAfterErrorCondition() *Client                { return c }
func (c *Client) AddRetryHook(hook OnRetryFunc) *Client               { return c }
func (c *Client) OnBeforeRequest(m RequestMiddleware) *Client         { return c }
func (c *Client) OnAfterResponse(m ResponseMiddleware) *Client        { return c }
func (c *Client) OnError(h ErrorHook) *Client                         { return c }
func (c *Client) SetPreRequestHook(h PreRequestHook) *Client          { return c }

type Request struct {
	URL        string
	Method     string
	Token      string
	QueryParam url.Values
	FormData   url.Values
	Header     http.Header
	Time       time.Time
	Body       interface{}
	Result     interface{}
	Error      interface{}
	RawRequest *http.Request
	Attempt    int
}

func (r *Request) Context() context.Context                               { return nil }
func (r *Request) SetContext(ctx context.Context) *Request                { return r }
func (r *Request) SetHeader(header, value string) *Request                { return r }
func (r *Request) SetHeaders(headers map[string]string) *Request          { return r }
func (r *Request) SetHeaderVerbatim(header, value string) *Request        { return r }
func (r *Request) SetHeaderMultiValues(headers map[string][]string) *Request { return r }
func (r *Request) SetQueryParam(param, value string) *Request             { return r }
func (r *Request) SetQueryParams(params map[string]string) *Request       { return r }
func (r *Request) SetQueryParamsFromValues(params url.Values) *Request    { return r }
func (r *Request) SetQueryString(query string) *Request                   { return r }
func (r *Request) SetFormData(data map[string]string) *Request            { return r }
func (r *Request) SetFormDataFromValues(data url.Values) *Request         { return r }
func (r *Request) SetBody(body interface{}) *Request                      { return r }
func (r *Request) SetResult(res interface{}) *Request                     { return r }
func (r *Request) SetError(err interface{}) *Request                      { return r }
func (r *Request) SetFile(param, filePath string) *Request                { return r }
func (r *Request) SetFileReader(param, fileName string, reader io.Reader) *Request { return r }
func (r *Request) SetMultipartField(param, fileName, contentType string, reader io.Reader) *Request { return r }
func (r *Request) SetAuthToken(token string) *Request                     { return r }
func (r *Request) SetBasicAuth(username, password string) *Request        { return r }
func (r *Request) SetPathParam(param, value string) *Request              { return r }
func (r *Request) SetPathParams(params map[string]string) *Request        { return r }
func (r *Request) SetDoNotParseResponse(parse bool) *Request              { return r }
func (r *Request) SetContentLength(l bool) *Request                       { return r }
func (r *Request) SetOutput(file string) *Request                         { return r }
func (r *Request) SetCookie(hc *http.Cookie) *Request                     { return r }
func (r *Request) ForceContentType(contentType string) *Request           { return r }
func (r *Request) EnableTrace() *Request                                  { return r }
func (r *Request) AddRetryCondition(condition RetryConditionFunc) *Request { return r }
func (r *Request) Get(url string) (*Response, error)                      { return nil, nil }
func (r *Request) Head(url string) (*Response, error)                     { return nil, nil }
func (r *Request) Post(url string) (*Response, error)                     { return nil, nil }
func (r *Request) Put(url string) (*Response, error)                      { return nil, nil }
func (r *Request) Delete(url string) (*Response, error)                   { return nil, nil }
func (r *Request) Options(url string) (*Response, error)                  { return nil, nil }
func (r *Request) Patch(url string) (*Response, error)                    { return nil, nil }
func (r *Request) Send() (*Response, error)                               { return nil, nil }
func (r *Request) Execute(method, url string) (*Response, error)          { return nil, nil }

type Response struct {
	Request     *Request
	RawResponse *http.Response
}

func (r *Response) Body() []byte               { return nil }
func (r *Response) String() string             { return "" }
func (r *Response) Status() string             { return "" }
func (r *Response) StatusCode() int            { return 0 }
func (r *Response) Result() interface{}        { return nil }
func (r *Response) Error() interface{}         { return nil }
func (r *Response) Header() http.Header        { return nil }
func (r *Response) Cookies() []*http.Cookie    { return nil }
func (r *Response) Time() time.Duration        { return 0 }
func (r *Response) Size() int64                { return 0 }
func (r *Response) RawBody() io.ReadCloser     { return nil }
func (r *Response) IsSuccess() bool            { return false }
func (r *Response) IsError() bool              { return false }

func Backoff(operation func() (*Response, error), options ...Option) error { return nil }
func Retries(value int) Option                                             { return nil }
func WaitTime(value time.Duration) Option                                  { return nil }
func MaxWaitTime(value time.Duration) Option                               { return nil }
func RetryConditions(conditions []RetryConditionFunc) Option               { return nil }
func RetryHooks(hooks []OnRetryFunc) Option                                { return nil }
func ResetMultipartReaders(value bool) Option                              { return nil }
`
