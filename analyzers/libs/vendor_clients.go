package libs

import (
	"time"

	"github.com/retrylint/retrylint/model"
)

// squarePolicy: the options of a call stand above those of its client.
var squarePolicy = Policy{
	Attempts: "option WithMaxAttempts [0 default] else option WithMaxAttempts of receiver [0 default] else 2",
	Backoff:  "exponential", Initial: "1s", Factor: "2", Max: "60s", Jitter: "proportional 0.1", PerAttempt: "none", Overall: "none",
	On: "5xx,429,timeout", Context: "none", RetryAfter: "capped", Rewinds: true, Kind: "client", DefaultBy: "square-go-sdk", OffSwitch: "option.WithMaxAttempts(1)",
}

var squareSends = []Send{
	{Func: "Get*, List*, Search*, Retrieve*, BatchGet*", Method: "GET", URL: "https://connect.squareup.com", Idempotent: true},
	{Func: "Create*, Refund*, Complete*, Publish*, Pay*, Batch*, Update*, Upsert*, Cancel*, Accumulate*", Method: "POST", URL: "https://connect.squareup.com", Effect: true, Key: "field IdempotencyKey of arg 1"},
	{Func: "Delete*", Method: "DELETE", URL: "https://connect.squareup.com", Effect: true, Idempotent: true},
}

var _ = add(Library{
	Name: "square-go-sdk", Path: "github.com/square/square-go-sdk/v*/client", Also: []string{"github.com/square/square-go-sdk/v*/*", "github.com/square/square-go-sdk/client", "github.com/square/square-go-sdk/*"},
	Source: "github.com/square/square-go-sdk@3f484c5 internal/retrier.go:11-240, option/request_option.go:59",
	Doc:    "WithMaxAttempts counts attempts; 0 means the default of 2. Only answers are repeated (408, 429, 5xx), transport errors are not. The body's idempotency_key is never filled in.",
	Clients: []Client{
		{Type: "Client", New: []string{"NewClient"}, Policy: squarePolicy, Sends: squareSends},
	},
	Majors: []int{2, 3, 4},
	Stub: `package client

import (
	"context"

	"github.com/square/square-go-sdk/v*/option"
)

type PaymentsClient struct{}

func (c *PaymentsClient) Create(ctx context.Context, request any, opts ...option.RequestOption) (any, error)   { return nil, nil }
func (c *PaymentsClient) Get(ctx context.Context, request any, opts ...option.RequestOption) (any, error)      { return nil, nil }
func (c *PaymentsClient) Cancel(ctx context.Context, request any, opts ...option.RequestOption) (any, error)   { return nil, nil }
func (c *PaymentsClient) Complete(ctx context.Context, request any, opts ...option.RequestOption) (any, error) { return nil, nil }

type RefundsClient struct{}

func (c *RefundsClient) RefundPayment(ctx context.Context, request any, opts ...option.RequestOption) (any, error) { return nil, nil }

type OrdersClient struct{}

func (c *OrdersClient) Create(ctx context.Context, request any, opts ...option.RequestOption) (any, error) { return nil, nil }

type Client struct {
	Payments *PaymentsClient
	Refunds  *RefundsClient
	Orders   *OrdersClient
}

func NewClient(opts ...option.RequestOption) *Client { return nil }
`,
	StubFiles: map[string]string{
		"github.com/square/square-go-sdk/v*/option": squareOption,
		"github.com/square/square-go-sdk/option":    squareOption,
		"github.com/square/square-go-sdk/client":    "package client\n\nimport \"github.com/square/square-go-sdk/option\"\n\ntype Client struct{}\n\nfunc NewClient(opts ...option.RequestOption) *Client { return nil }\n",
	},
})

const squareOption = `package option

import "net/http"

type RequestOption interface{ apply() }

func WithMaxAttempts(attempts uint) RequestOption                                     { return nil }
func WithToken(token string) RequestOption                                            { return nil }
func WithBaseURL(baseURL string) RequestOption                                        { return nil }
func WithHTTPHeader(httpHeader http.Header) RequestOption                             { return nil }
func WithHTTPClient(c interface{ Do(*http.Request) (*http.Response, error) }) RequestOption { return nil }
`

var _ = add(Library{
	Name: "vault api", Path: "github.com/hashicorp/vault/api",
	Source: "github.com/hashicorp/vault/api@v1.23.0 client.go:123-134,261-264,404-409,1501-1515",
	Doc:    "MaxRetries counts retries, 2 by default, 0 switches them off; VAULT_MAX_RETRIES sets it from outside. Every method is repeated on 5xx, 412 and 429. The k-th wait is k times a random time between the two waits.",
	Clients: []Client{{Type: "Client", New: []string{"NewClient"}, Policy: Policy{
		Attempts: "setter SetMaxRetries + 1 else field MaxRetries of arg 0 + 1 else 3", ZeroIs: "one", NegativeIs: "one",
		Backoff: "custom if field Backoff of arg 0 else linear", Initial: "field MaxRetryWait of arg 0 else 1500ms", Step: "field MaxRetryWait of arg 0 else 1500ms", Jitter: "some", Max: "none",
		PerAttempt: "field Timeout of arg 0 [0 none] else 60s", Overall: "none", On: "connect,reset,timeout,5xx,429", Predicate: "field CheckRetry of arg 0", RetryAfter: "honoured", Rewinds: true,
		Context: "request", Kind: "client", DefaultBy: "vault api", OffSwitch: "client.SetMaxRetries(0)", Fix: func(s Site, r *Result) {
			vaultEnvironment(s, r)
			between(s.Field("MinRetryWait", 0), time.Second, r)
		},
	}, Sends: []Send{{Func: "RawRequest, RawRequestWithContext", Effect: true}}}},
	Stub: `package api

import (
	"context"
	"net/http"
	"time"
)

type Config struct {
	Address      string
	HttpClient   *http.Client
	MinRetryWait time.Duration
	MaxRetryWait time.Duration
	MaxRetries   int
	Timeout      time.Duration
	Error        error
	Backoff      any
	CheckRetry   any
}

func DefaultConfig() *Config                     { return nil }
func (c *Config) ReadEnvironment() error         { return nil }

type Secret struct{ Data map[string]interface{} }
type Client struct{}

func NewClient(c *Config) (*Client, error)       { return nil, nil }
func (c *Client) SetMaxRetries(retries int)      {}
func (c *Client) SetToken(v string)              {}
func (c *Client) SetClientTimeout(timeout time.Duration) {}
func (c *Client) Logical() *Logical              { return nil }
func (c *Client) RawRequest(r any) (any, error)  { return nil, nil }
func (c *Client) RawRequestWithContext(ctx context.Context, r any) (any, error) { return nil, nil }

type Logical struct{}

func (c *Logical) Read(path string) (*Secret, error)                                       { return nil, nil }
func (c *Logical) ReadWithContext(ctx context.Context, path string) (*Secret, error)       { return nil, nil }
func (c *Logical) Write(path string, data map[string]interface{}) (*Secret, error)         { return nil, nil }
func (c *Logical) WriteWithContext(ctx context.Context, path string, data map[string]interface{}) (*Secret, error) { return nil, nil }
func (c *Logical) List(path string) (*Secret, error)                                       { return nil, nil }
func (c *Logical) Delete(path string) (*Secret, error)                                     { return nil, nil }
`,
})

func vaultEnvironment(_ Site, r *Result) {
	if r.Origin == model.OriginDefault {
		r.Refs = append(r.Refs, model.Ref{Field: model.FieldAttempts, Name: model.N(model.SpaceEnv, "VAULT_MAX_RETRIES"), Offset: 1})
	}
}

var _ = add(Library{
	Name: "nomad api", Path: "github.com/hashicorp/nomad/api",
	Source: "github.com/hashicorp/nomad/api retry.go:16-48,117, locks.go:58-94, api.go:641-672",
	Doc:    "Only calls for locks and variables are repeated: 5 retries, 1s doubling up to 5 minutes.",
	Calls: []Call{{Func: "(*Client).Locks, (*Variables).Locks", Policy: Policy{
		Attempts: "option LocksOptionWithMaxRetries + 1 else 6", NegativeIs: "never", Backoff: "exponential", Initial: "1s", Factor: "2", Max: "5m", Jitter: "none", On: "5xx", Kind: "client", DefaultBy: "nomad api"}}},
	Stub: `package api

type Config struct{ Address string }
type Client struct{}
type Variables struct{}
type Locks struct{}
type LocksOption func(*Locks)

func DefaultConfig() *Config                                                  { return nil }
func NewClient(config *Config) (*Client, error)                               { return nil, nil }
func (c *Client) Variables() *Variables                                       { return nil }
func (c *Client) Locks(wo any, v any, opts ...LocksOption) (*Locks, error)    { return nil, nil }
func (v *Variables) Locks(opts ...LocksOption) *Locks                         { return nil }
func LocksOptionWithMaxRetries(maxRetries int64) LocksOption                  { return nil }
`,
})

var _ = add(Library{
	Name: "slack-go", Path: "github.com/slack-go/slack",
	Source: "github.com/slack-go/slack@v0.36.0 retry.go:31-130, slack.go:160-187, misc.go:257-264",
	Doc:    "Retries are off by default. OptionRetry repeats only 429, as long as the answer says. A partial RetryConfig has no waits.",
	Clients: []Client{{Type: "Client", New: []string{"New"}, Policy: Policy{
		Attempts: "option OptionRetry + 1 else field MaxRetries of option OptionRetryConfig + 1 else 1", ZeroIs: "one", NegativeIs: "one",
		Backoff: "server", Max: "none", PerAttempt: "none", Overall: "none", On: "429", RetryAfter: "honoured", Rewinds: true, Context: "request", Kind: "client", DefaultBy: "slack-go",
	}, Sends: []Send{
		{Func: "PostMessage, PostMessageContext, SendMessage, SendMessageContext, PostEphemeral, PostEphemeralContext, UploadFile*", Method: "POST", URL: "https://slack.com", Effect: true, Operation: "Slack message"},
		{Func: "UpdateMessage, UpdateMessageContext, DeleteMessage, DeleteMessageContext, AddReaction, AddReactionContext", Method: "POST", URL: "https://slack.com", Effect: true, Idempotent: true},
		{Func: "Get*, AuthTest*", Method: "GET", URL: "https://slack.com", Idempotent: true},
	}}},
	Stub: `package slack

import (
	"context"
	"time"
)

type MsgOption func(any) error
type Option func(*Client)
type RetryConfig struct {
	MaxRetries         int
	Handlers           []any
	RetryAfterDuration time.Duration
	RetryAfterJitter   time.Duration
	BackoffInitial     time.Duration
	BackoffMax         time.Duration
	BackoffJitter      time.Duration
}
type RateLimitedError struct{ RetryAfter time.Duration }

func (e *RateLimitedError) Error() string { return "" }

type Client struct{}

func New(token string, options ...Option) *Client                                     { return nil }
func OptionRetry(n int) Option                                                        { return nil }
func OptionRetryConfig(cfg RetryConfig) Option                                        { return nil }
func OptionHTTPClient(client any) Option                                              { return nil }
func OptionAPIURL(u string) Option                                                    { return nil }
func MsgOptionText(text string, escape bool) MsgOption                                { return nil }
func MsgOptionBlocks(blocks ...any) MsgOption                                         { return nil }
func (api *Client) PostMessage(channelID string, options ...MsgOption) (string, string, error)                                    { return "", "", nil }
func (api *Client) PostMessageContext(ctx context.Context, channelID string, options ...MsgOption) (string, string, error)        { return "", "", nil }
func (api *Client) SendMessage(channel string, options ...MsgOption) (string, string, string, error)                              { return "", "", "", nil }
func (api *Client) SendMessageContext(ctx context.Context, channelID string, options ...MsgOption) (string, string, string, error) { return "", "", "", nil }
func (api *Client) PostEphemeral(channelID, userID string, options ...MsgOption) (string, error)                                  { return "", nil }
func (api *Client) UpdateMessage(channelID, timestamp string, options ...MsgOption) (string, string, string, error)               { return "", "", "", nil }
func (api *Client) DeleteMessage(channel, messageTimestamp string) (string, string, error)                                        { return "", "", nil }
func (api *Client) GetUserInfo(user string) (any, error)                                                                          { return nil, nil }
func (api *Client) AuthTest() (any, error)                                                                                        { return nil, nil }
`,
})

var _ = add(Library{
	Name: "sendgrid-go", Path: "github.com/sendgrid/sendgrid-go",
	Source: "github.com/sendgrid/sendgrid-go@v3.16.1 base_interface.go:19-20,107-150,163-170",
	Doc:    "Send and API do not retry. MakeRequestRetry and MakeRequestAsync repeat 429 up to seven attempts, with sleeps that no context ends.",
	Calls: []Call{
		{Func: "MakeRequestRetry, MakeRequestRetryWithContext", Runs: "request", Send: &Send{Method: "POST", URL: "https://api.sendgrid.com", Effect: true, Operation: "SendGrid request"}, Policy: sendgridRetry},
		{Func: "MakeRequestAsync, MakeRequestAsyncWithContext", Runs: "request", Send: &Send{Method: "POST", URL: "https://api.sendgrid.com", Effect: true, Operation: "SendGrid request"}, Policy: sendgridRetry},
		{Func: "API, MakeRequest, MakeRequestWithContext", Runs: "request", Send: &Send{Method: "POST", URL: "https://api.sendgrid.com", Effect: true, Operation: "SendGrid request"}, Policy: Policy{Attempts: "1", Kind: "client"}},
	},
	Clients: []Client{{Type: "Client", New: []string{"NewSendClient", "NewTwilioEmailSendClient"}, Policy: Policy{Attempts: "1", Kind: "client"}, Sends: []Send{
		{Func: "Send, SendWithContext", Method: "POST", URL: "https://api.sendgrid.com", Effect: true, Operation: "SendGrid mail"}}}},
	Stub: `package sendgrid

import (
	"context"

	"github.com/sendgrid/rest"
	"github.com/sendgrid/sendgrid-go/helpers/mail"
)

type Client struct{ rest.Request }

func GetRequest(key, endpoint, host string) rest.Request                                                { return rest.Request{} }
func NewSendClient(key string) *Client                                                                  { return nil }
func NewTwilioEmailSendClient(username, password string) *Client                                        { return nil }
func (cl *Client) Send(email *mail.SGMailV3) (*rest.Response, error)                                    { return nil, nil }
func (cl *Client) SendWithContext(ctx context.Context, email *mail.SGMailV3) (*rest.Response, error)    { return nil, nil }
func API(request rest.Request) (*rest.Response, error)                                                  { return nil, nil }
func MakeRequest(request rest.Request) (*rest.Response, error)                                          { return nil, nil }
func MakeRequestWithContext(ctx context.Context, request rest.Request) (*rest.Response, error)          { return nil, nil }
func MakeRequestRetry(request rest.Request) (*rest.Response, error)                                     { return nil, nil }
func MakeRequestRetryWithContext(ctx context.Context, request rest.Request) (*rest.Response, error)     { return nil, nil }
func MakeRequestAsync(request rest.Request) (chan *rest.Response, chan error)                           { return nil, nil }
func MakeRequestAsyncWithContext(ctx context.Context, request rest.Request) (chan *rest.Response, chan error) { return nil, nil }
`,
	StubFiles: map[string]string{
		"github.com/sendgrid/rest":                     "package rest\n\ntype Method string\n\nconst (\n\tGet  Method = \"GET\"\n\tPost Method = \"POST\"\n)\n\ntype Request struct {\n\tMethod      Method\n\tBaseURL     string\n\tHeaders     map[string]string\n\tQueryParams map[string]string\n\tBody        []byte\n}\ntype Response struct {\n\tStatusCode int\n\tBody       string\n\tHeaders    map[string][]string\n}\n",
		"github.com/sendgrid/sendgrid-go/helpers/mail": "package mail\n\ntype Email struct{ Name, Address string }\ntype SGMailV3 struct {\n\tFrom    *Email\n\tSubject string\n}\n\nfunc NewEmail(name, address string) *Email { return nil }\nfunc NewV3Mail() *SGMailV3 { return nil }\nfunc NewSingleEmail(from *Email, subject string, to *Email, plain, html string) *SGMailV3 { return nil }\n",
	},
})

var sendgridRetry = Policy{
	Attempts: "7", Backoff: "server", Max: "none", PerAttempt: "none", Overall: "none", On: "429", Context: "none", RetryAfter: "honoured", Kind: "client", DefaultBy: "sendgrid-go",
}

// noRetry is a client that sends without retries of its own: its sends are effects that outer layers multiply.
var noRetry = Policy{Attempts: "1", Kind: "client", Overall: "none"}

var _ = add(Library{
	Name: "twilio-go", Path: "github.com/twilio/twilio-go/rest/api/v2010", Also: []string{"github.com/twilio/twilio-go/rest/*"},
	Source: "github.com/twilio/twilio-go@v1.31.0 client (no retry found)",
	Doc:    "The client does not retry and has no idempotency key.",
	Clients: []Client{{Type: "ApiService", New: []string{"NewApiService"}, Policy: noRetry, Sends: []Send{
		{Func: "Create*", Method: "POST", URL: "https://api.twilio.com", Effect: true, Operation: "Twilio request"},
		{Func: "Fetch*, List*, Page*", Method: "GET", URL: "https://api.twilio.com", Idempotent: true},
		{Func: "Update*", Method: "POST", URL: "https://api.twilio.com", Effect: true}, {Func: "Delete*", Method: "DELETE", URL: "https://api.twilio.com", Effect: true, Idempotent: true},
	}}},
	Stub: `package openapi

type CreateMessageParams struct {
	To, From, Body, MessagingServiceSid *string
}

func (params *CreateMessageParams) SetTo(To string) *CreateMessageParams      { return params }
func (params *CreateMessageParams) SetFrom(From string) *CreateMessageParams  { return params }
func (params *CreateMessageParams) SetBody(Body string) *CreateMessageParams  { return params }

type CreateCallParams struct{ To, From, Url *string }

func (params *CreateCallParams) SetTo(To string) *CreateCallParams     { return params }
func (params *CreateCallParams) SetFrom(From string) *CreateCallParams { return params }
func (params *CreateCallParams) SetUrl(Url string) *CreateCallParams   { return params }

type ApiV2010Message struct{ Sid, Status *string }
type ApiV2010Call struct{ Sid, Status *string }
type ApiService struct{}

func NewApiService(requestHandler any) *ApiService                                                { return nil }
func (c *ApiService) CreateMessage(params *CreateMessageParams) (*ApiV2010Message, error)         { return nil, nil }
func (c *ApiService) CreateCall(params *CreateCallParams) (*ApiV2010Call, error)                  { return nil, nil }
func (c *ApiService) FetchMessage(sid string, params any) (*ApiV2010Message, error)               { return nil, nil }
`,
	StubFiles: map[string]string{"github.com/twilio/twilio-go": "package twilio\n\nimport openapi \"github.com/twilio/twilio-go/rest/api/v2010\"\n\ntype ClientParams struct{ Username, Password, AccountSid string }\ntype RestClient struct{ Api *openapi.ApiService }\n\nfunc NewRestClient() *RestClient { return nil }\nfunc NewRestClientWithParams(params ClientParams) *RestClient { return nil }\n"},
})

var _ = add(Library{
	Name: "plutov/paypal", Path: "github.com/plutov/paypal/v4",
	Source: "github.com/plutov/paypal/v4@v4.8.0 order.go:32-56,116-174, authorization.go:32-48",
	Doc:    "The client does not retry. Only the functions whose names end in PaypalRequestId or PaypalRequestID send a request id; the plain ones send none.",
	Clients: []Client{{Type: "Client", New: []string{"NewClient"}, Policy: noRetry, Sends: []Send{
		{Func: "CreateOrder, CaptureOrder, AuthorizeOrder, RefundCapture, CaptureAuthorization, CreatePayout", Method: "POST", URL: "https://api.paypal.com", Effect: true, Operation: "PayPal request"},
		{Func: "CreateOrderWithPaypalRequestID", Method: "POST", URL: "https://api.paypal.com", Effect: true, Key: "arg 5"},
		{Func: "CaptureOrderWithPaypalRequestId", Method: "POST", URL: "https://api.paypal.com", Effect: true, Key: "arg 3"},
		{Func: "CaptureAuthorizationWithPaypalRequestId, RefundCaptureWithPaypalRequestId", Method: "POST", URL: "https://api.paypal.com", Effect: true, Key: "arg 3"},
		{Func: "Get*, List*", Method: "GET", URL: "https://api.paypal.com", Idempotent: true},
	}}},
	Stub: `package paypal

import "context"

type Order struct{ ID, Status string }
type CaptureOrderRequest struct{}
type CaptureOrderResponse struct{ ID, Status string }
type RefundCaptureRequest struct{}
type RefundResponse struct{ ID, Status string }
type PurchaseUnitRequest struct{ ReferenceID string }
type Client struct{}

func NewClient(clientID, secret, APIBase string) (*Client, error)                                                                   { return nil, nil }
func (c *Client) CreateOrder(ctx context.Context, intent string, units []PurchaseUnitRequest, payer any, app any) (*Order, error)   { return nil, nil }
func (c *Client) CreateOrderWithPaypalRequestID(ctx context.Context, intent string, units []PurchaseUnitRequest, payer any, app any, requestID string) (*Order, error) { return nil, nil }
func (c *Client) CaptureOrder(ctx context.Context, orderID string, req CaptureOrderRequest) (*CaptureOrderResponse, error)          { return nil, nil }
func (c *Client) CaptureOrderWithPaypalRequestId(ctx context.Context, orderID string, req CaptureOrderRequest, requestID string, mock any) (*CaptureOrderResponse, error) { return nil, nil }
func (c *Client) RefundCapture(ctx context.Context, captureID string, req RefundCaptureRequest) (*RefundResponse, error)            { return nil, nil }
func (c *Client) RefundCaptureWithPaypalRequestId(ctx context.Context, captureID string, req RefundCaptureRequest, requestID string) (*RefundResponse, error) { return nil, nil }
func (c *Client) GetOrder(ctx context.Context, orderID string) (*Order, error)                                                      { return nil, nil }
`,
})

const otlpHead = `

import (
	"context"
	"time"
)

type Option interface{ apply() }
type RetryConfig struct {
	Enabled         bool
	InitialInterval time.Duration
	MaxInterval     time.Duration
	MaxElapsedTime  time.Duration
}
type Exporter struct{}

func WithRetry(rc RetryConfig) Option                         { return nil }
func WithTimeout(duration time.Duration) Option               { return nil }
func WithEndpoint(endpoint string) Option                     { return nil }
func WithEndpointURL(u string) Option                         { return nil }
func WithInsecure() Option                                    { return nil }
func WithHeaders(headers map[string]string) Option            { return nil }
func New(ctx context.Context, opts ...Option) (*Exporter, error) { return nil, nil }
`

func otlpPolicy(perAttempt, overall string) Policy {
	return Policy{
		Attempts: "unbounded if field Enabled of option WithRetry else 1 if option WithRetry else unbounded", Backoff: "exponential",
		Initial: "field InitialInterval of option WithRetry else 5s", Factor: "1.5", Max: "field MaxInterval of option WithRetry else 30s", Jitter: "proportional 0.5",
		PerAttempt: perAttempt, Overall: overall, Budget: "gate-before", On: "connect,gateway,429,unavailable", RetryAfter: "honoured", Rewinds: true, Context: "arg 0", Kind: "telemetry", DefaultBy: "OpenTelemetry OTLP exporter",
		Traits: []TraitTerm{{Kind: model.TraitBestEffort, Detail: "telemetry"}},
	}
}

var _ = add(Library{
	Name: "OTLP exporter HTTP", Path: "go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp",
	Also: []string{"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp", "go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp",
		"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc", "go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc"},
	Source: "go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp@v1.47.0 internal/retry/retry.go:21-144, client.go:89,255-270,400-461 (metric and log exporters are assumed to be alike)",
	Doc:    "Retries are on by default for up to a minute: 4 to 7 attempts. WithTimeout bounds each attempt here. Data that cannot be sent is dropped.",
	Calls:  []Call{{Func: "New", Runs: "request", Policy: otlpPolicy("option WithTimeout else 10s", "field MaxElapsedTime of option WithRetry [0 none] else 60s")}},
	MakeStubs: func() map[string]string {
		out := make(map[string]string)
		for _, p := range []string{"otlptrace/otlptracehttp", "otlpmetric/otlpmetrichttp", "otlplog/otlploghttp", "otlpmetric/otlpmetricgrpc", "otlplog/otlploggrpc"} {
			_, name := words(p)
			for i := range p {
				if p[i] == '/' {
					name = p[i+1:]
				}
			}
			out["go.opentelemetry.io/otel/exporters/otlp/"+p] = "package " + name + otlpHead
		}
		return out
	},
})

var _ = add(Library{
	Name: "OTLP exporter gRPC", Path: "go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc",
	Source: "go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc@v1.47.0 client.go:209,252-265,301-310",
	Doc:    "Retries are on by default. WithTimeout (10s) bounds all attempts of one export together, so there are 1 to 3 of them.",
	Calls:  []Call{{Func: "New", Runs: "request", Policy: otlpPolicy("none", "min(option WithTimeout else 10s, field MaxElapsedTime of option WithRetry [0 none] else 60s)")}},
	Stub:   "package otlptracegrpc" + otlpHead,
})

var _ = add(Library{
	Name: "go-github-ratelimit", Path: "github.com/gofri/go-github-ratelimit/github_ratelimit",
	Source: "github.com/gofri/go-github-ratelimit@483ce26 github_secondary_ratelimit/secondary_rate_limit.go",
	Doc:    "A request is sent again after each secondary rate limit, without a count, unless a limit on the sleep is set.",
	Calls: []Call{{Func: "NewRateLimitWaiterClient, NewRateLimitWaiter, NewClient", Runs: "arg 0", Policy: Policy{
		Attempts: "unbounded", Backoff: "server", Max: "option WithSingleSleepLimit else none", Overall: "option WithTotalSleepLimit else none", On: "429", RetryAfter: "honoured", Context: "request", Kind: "transport", DefaultBy: "go-github-ratelimit"}}},
	Stub: "package github_ratelimit\n\nimport (\n\t\"net/http\"\n\t\"time\"\n)\n\ntype Option func(any)\n\nfunc NewRateLimitWaiterClient(base http.RoundTripper, opts ...Option) (*http.Client, error) { return nil, nil }\nfunc NewRateLimitWaiter(base http.RoundTripper, opts ...Option) (http.RoundTripper, error) { return nil, nil }\nfunc NewClient(base http.RoundTripper, opts ...any) *http.Client { return nil }\nfunc WithSingleSleepLimit(limit time.Duration, cb any) Option { return nil }\nfunc WithTotalSleepLimit(limit time.Duration, cb any) Option { return nil }\n",
})

var _ = add(Library{
	Name: "client-go rest", Path: "k8s.io/client-go/rest",
	Source: "k8s.io/client-go@v0.37.2 rest/request.go:167,483-491,1066-1081, rest/with_retry.go:148-193",
	Doc:    "A request is repeated up to ten times for any verb, when the answer is 429 or 5xx and carries Retry-After. MaxRetries counts retries.",
	Clients: []Client{{Type: "Request", New: []string{"Get", "Post", "Put", "Patch", "Delete", "Verb"}, Policy: Policy{
		Attempts: "setter MaxRetries + 1 else 11", ZeroIs: "one", NegativeIs: "one", Backoff: "server", Max: "none", PerAttempt: "setter Timeout else none", Overall: "none", On: "5xx,429", RetryAfter: "honoured",
		Context: "arg 0", Kind: "client", DefaultBy: "client-go",
	}, Sends: []Send{{Func: "Do, DoRaw, Stream, Watch", Kind: "request", Operation: "Kubernetes API request", Idempotent: true}}}},
	Stub: `package rest

import (
	"context"
	"net/http"
	"time"
)

type TLSClientConfig struct {
	Insecure                  bool
	CAFile, CertFile, KeyFile string
	CAData                    []byte
}
type Config struct {
	Host, APIPath, UserAgent                       string
	Username, Password, BearerToken, BearerTokenFile string
	QPS             float32
	Burst           int
	Timeout         time.Duration
	RateLimiter     any
	WrapTransport   func(rt http.RoundTripper) http.RoundTripper
	TLSClientConfig TLSClientConfig
}

func CopyConfig(config *Config) *Config                      { return nil }
func AddUserAgent(config *Config, userAgent string) *Config  { return nil }
func HTTPClientFor(config *Config) (*http.Client, error)     { return nil, nil }
func DefaultKubernetesUserAgent() string                     { return "" }
func RESTClientFor(config *Config) (*RESTClient, error)      { return nil, nil }
func RESTClientForConfigAndClient(config *Config, httpClient *http.Client) (*RESTClient, error) { return nil, nil }

func InClusterConfig() (*Config, error) { return nil, nil }

type Result struct{}

func (r Result) Error() error         { return nil }
func (r Result) Raw() ([]byte, error) { return nil, nil }
func (r Result) Into(obj any) error   { return nil }

type Interface interface {
	Verb(verb string) *Request
	Post() *Request
	Put() *Request
	Get() *Request
	Delete() *Request
	Patch(pt any) *Request
}
type RESTClient struct{ Interface }
type Request struct{}

func (r *Request) MaxRetries(maxRetries int) *Request           { return r }
func (r *Request) Timeout(d time.Duration) *Request             { return r }
func (r *Request) Namespace(namespace string) *Request          { return r }
func (r *Request) Resource(resource string) *Request            { return r }
func (r *Request) Name(resourceName string) *Request            { return r }
func (r *Request) Body(obj interface{}) *Request                { return r }
func (r *Request) AbsPath(segments ...string) *Request          { return r }
func (r *Request) Do(ctx context.Context) Result                { return Result{} }
func (r *Request) DoRaw(ctx context.Context) ([]byte, error)    { return nil, nil }
`,
	Example: `package example

import (
	"context"

	"k8s.io/client-go/rest"
)

func create(ctx context.Context, c rest.Interface, body []byte) error {
	return c.Post().Resource("orders").MaxRetries(2).Body(body).Do(ctx).Error() // want layer "attempts=3"
}
`,
})
