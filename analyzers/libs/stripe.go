package libs

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retrylint/retrylint/model"
)

// stripePolicy: MaxNetworkRetries is a setting of the backend, which the whole program shares.
func stripePolicy(attempts string) Policy {
	return Policy{
		Attempts: "field MaxNetworkRetries + 1 else " + attempts, ZeroIs: "one", NegativeIs: "one",
		Backoff: "custom", Jitter: "some", PerAttempt: "80s", Overall: "none", Fix: stripeWaits,
		On: "connect,reset,timeout,5xx,conflict", Context: "none", AddsKey: true, Rewinds: true, Kind: "client",
		DefaultBy: "stripe-go", OffSwitch: "MaxNetworkRetries: stripe.Int64(0)",
	}
}

// stripeWaits: half a second and half a second times the square of the retries so far, at most 5s, less up to a quarter.
func stripeWaits(_ Site, r *Result) {
	r.Policy.Backoff = model.Backoff{Kind: model.BackoffList, Max: model.For(5 * time.Second), Jitter: model.Jitter{Kind: model.JitterEqual},
		List: []time.Duration{500 * time.Millisecond, time.Second, 2500 * time.Millisecond, 5 * time.Second}}
}

// stripeSend is one method of a resource; params is the argument that holds the parameters.
func stripeSend(fn string, params int) Send {
	key := "field IdempotencyKey of arg " + strconv.Itoa(params)
	switch fn {
	case "Get", "List", "Retrieve", "Search", "ListLines":
		return Send{Func: fn, Method: "GET", URL: "https://api.stripe.com", Operation: "Stripe " + fn, Idempotent: true}
	case "Del", "Delete":
		return Send{Func: fn, Method: "DELETE", URL: "https://api.stripe.com", Operation: "Stripe " + fn, Idempotent: true, Effect: true}
	}
	return Send{Func: fn, Method: "POST", URL: "https://api.stripe.com", Operation: "Stripe " + fn, Effect: true, Key: key}
}

// stripeParams is where the parameters stand in the functions of the packages and old clients, and in the new client, which
// takes a context first.
var (
	stripeOld = map[string]int{"New": 0, "Get": 1, "Update": 1, "Cancel": 1, "Capture": 1, "Confirm": 1, "Pay": 1, "FinalizeInvoice": 1,
		"SendInvoice": 1, "VoidInvoice": 1, "Expire": 1, "Attach": 1, "Detach": 1, "Reverse": 1, "Close": 1, "Del": 1, "List": 0, "Search": 0}
	stripeNew = map[string]int{"Create": 1, "Retrieve": 2, "Update": 2, "Cancel": 2, "Capture": 2, "Confirm": 2, "Pay": 2, "FinalizeInvoice": 2,
		"SendInvoice": 2, "VoidInvoice": 2, "Expire": 2, "Attach": 2, "Detach": 2, "Delete": 2, "List": 1, "Search": 1}
)

func stripeSends(params map[string]int) []Send {
	var out []Send
	for _, fn := range slices.Sorted(maps.Keys(params)) {
		out = append(out, stripeSend(fn, params[fn]))
	}
	return out
}

func stripeLibrary(name, path string, also []string, attempts string) Library {
	p := stripePolicy(attempts)
	l := Library{
		Name: name, Path: path, Also: also,
		Source: "github.com/stripe/stripe-go/v82@v82.5.1 stripe.go:50,584-592,1018-1130,1268,1478-1483, params.go:286-346; v72@v72.122.0 stripe.go:51,405-413; v71@v71.48.0 stripe.go:48; v63.0.0 stripe.go:286-294,751",
		Doc: "MaxNetworkRetries counts retries: 2 since v71, 0 before. Every write gets a random idempotency key for each call, which its own retries " +
			"share, so an outer retry without SetIdempotencyKey charges again. The timeout of 80s is for each attempt; the waits are sleeps that no context ends.",
		Clients: []Client{
			{Type: "Client", New: []string{"New", "NewClient"}, Sends: stripeSends(stripeOld), Policy: p},
			{Type: "*", Sends: stripeSends(stripeNew), Policy: p},
		},
	}
	for _, s := range l.Clients[0].Sends {
		send := s
		send.Func = ""
		l.Calls = append(l.Calls, Call{Func: s.Func, Runs: "request", Send: &send, Policy: p})
	}
	return l
}

var _ = func() bool {
	l := stripeLibrary("stripe-go", "github.com/stripe/stripe-go/v*", []string{
		"github.com/stripe/stripe-go/v*/*", "github.com/stripe/stripe-go/v*/checkout/*", "github.com/stripe/stripe-go/v*/client",
	}, "3")
	for m := 71; m <= 86; m++ {
		l.Majors = append(l.Majors, m)
	}
	l.MakeStubs = func() map[string]string {
		out := stripePackages()
		out[l.Path] = stripeRoot()
		return out
	}
	l.Example = `package example

import (
	"github.com/stripe/stripe-go/v82"
	"github.com/stripe/stripe-go/v82/paymentintent"
)

func pay(id string, cents int64) (*stripe.PaymentIntent, error) {
	p := &stripe.PaymentIntentParams{Amount: stripe.Int64(cents), Currency: stripe.String("eur")}
	p.SetIdempotencyKey("pay-" + id)
	return paymentintent.New(p) // want layer "attempts=3 perAttempt=1m20s backoff=list"
}
`
	return add(l)
}()

var _ = func() bool {
	var also []string
	for _, p := range []string{"github.com/stripe/stripe-go", "github.com/stripe/stripe-go/v70"} {
		also = append(also, p, p+"/*", p+"/checkout/*")
	}
	l := stripeLibrary("stripe-go up to v70", also[0], also[1:], "1")
	l.MakeStubs = func() map[string]string {
		out := make(map[string]string)
		for _, v := range []string{"", "/v70"} {
			out["github.com/stripe/stripe-go"+v] = strings.ReplaceAll(stripeRoot(), "/v*", v)
			for p, s := range stripePackages() {
				out[strings.ReplaceAll(p, "/v*", v)] = strings.ReplaceAll(s, "/v*", v)
			}
		}
		return out
	}
	return add(l)
}()

// stripeResources lists resources with the fields of their parameters that matter: package, type, fields, further methods.
var stripeResources = []struct{ pkg, typ, fields, methods string }{
	{"charge", "Charge", "Amount *int64; Currency *string; Customer *string; Description *string; Capture *bool; Source any; TransferGroup *string", "Capture"},
	{"refund", "Refund", "Amount *int64; Charge *string; PaymentIntent *string; Reason *string", "Cancel"},
	{"paymentintent", "PaymentIntent", "Amount *int64; Currency *string; Customer *string; Confirm *bool; Description *string; PaymentMethod *string; PaymentMethodTypes []*string; CaptureMethod *string; OffSession *bool; ReceiptEmail *string; TransferGroup *string", "Cancel Capture Confirm Search"},
	{"setupintent", "SetupIntent", "Customer *string; PaymentMethod *string; PaymentMethodTypes []*string; Usage *string", "Cancel Confirm"},
	{"paymentmethod", "PaymentMethod", "Type *string; Customer *string", "Attach Detach"},
	{"customer", "Customer", "Email *string; Name *string; Description *string; Phone *string; Source *string; PaymentMethod *string", "Del Search"},
	{"transfer", "Transfer", "Amount *int64; Currency *string; Destination *string; SourceTransaction *string; TransferGroup *string", ""},
	{"payout", "Payout", "Amount *int64; Currency *string; Description *string; Destination *string; Method *string", "Cancel Reverse"},
	{"invoice", "Invoice", "Customer *string; AutoAdvance *bool; CollectionMethod *string; DaysUntilDue *int64; Description *string", "Pay FinalizeInvoice SendInvoice VoidInvoice Del"},
	{"invoiceitem", "InvoiceItem", "Amount *int64; Currency *string; Customer *string; Description *string; Invoice *string", "Del"},
	{"subscription", "Subscription", "Customer *string; Items []any; TrialPeriodDays *int64; DefaultPaymentMethod *string", "Cancel"},
	{"price", "Price", "Currency *string; Product *string; UnitAmount *int64; Nickname *string", ""},
	{"product", "Product", "Name *string; Description *string; Active *bool", "Del"},
	{"coupon", "Coupon", "Duration *string; PercentOff *float64; AmountOff *int64; Currency *string", "Del"},
	{"account", "Account", "Type *string; Country *string; Email *string", "Del"},
	{"dispute", "Dispute", "Submit *bool", "Close"},
	{"topup", "Topup", "Amount *int64; Currency *string; Description *string", "Cancel"},
	{"checkout/session", "CheckoutSession", "Mode *string; SuccessURL *string; CancelURL *string; Customer *string; LineItems []any; PaymentMethodTypes []*string; ClientReferenceID *string", "Expire"},
}

// stripeRoot is the package stripe itself.
func stripeRoot() string {
	var b strings.Builder
	b.WriteString(stripeHead)
	var services strings.Builder
	for _, r := range stripeResources {
		fields := strings.ReplaceAll(r.fields, ";", "\n\t")
		b.WriteString("\ntype " + r.typ + "Params struct {\n\tParams\n\t" + fields + "\n}\n")
		b.WriteString("type " + r.typ + "ListParams struct {\n\tListParams\n\tCustomer *string\n}\n")
		b.WriteString("type " + r.typ + "SearchParams struct{ SearchParams }\n")
		b.WriteString("type " + r.typ + " struct {\n\tID, Status, ClientSecret string\n\tAmount int64\n\tCurrency Currency\n\tMetadata map[string]string\n\tURL string\n}\n")
		for _, kind := range []string{"Create", "Update", "Retrieve", "Cancel", "Capture", "Confirm", "Pay", "FinalizeInvoice", "SendInvoice", "VoidInvoice", "Expire", "Attach", "Detach", "Delete", "Reverse", "Close"} {
			b.WriteString("type " + r.typ + kind + "Params struct {\n\tParams\n\t" + fields + "\n}\n")
		}
		svc := "V1" + r.typ + "Service"
		services.WriteString("\t" + strings.TrimSuffix("V1"+r.typ, "s") + "s *" + strings.ToLower(svc[:1]) + svc[1:] + "\n")
		lower := strings.ToLower(svc[:1]) + svc[1:]
		b.WriteString("type " + lower + " struct{}\n")
		for _, m := range append([]string{"Create"}, strings.Fields(r.methods)...) {
			if m == "Del" || m == "Search" {
				continue
			}
			if m == "Create" {
				b.WriteString("func (c " + lower + ") Create(ctx context.Context, params *" + r.typ + "CreateParams) (*" + r.typ + ", error) { return nil, nil }\n")
				continue
			}
			b.WriteString("func (c " + lower + ") " + m + "(ctx context.Context, id string, params *" + r.typ + m + "Params) (*" + r.typ + ", error) { return nil, nil }\n")
		}
		b.WriteString("func (c " + lower + ") Update(ctx context.Context, id string, params *" + r.typ + "UpdateParams) (*" + r.typ + ", error) { return nil, nil }\n")
		b.WriteString("func (c " + lower + ") Retrieve(ctx context.Context, id string, params *" + r.typ + "RetrieveParams) (*" + r.typ + ", error) { return nil, nil }\n")
		b.WriteString("func (c " + lower + ") Delete(ctx context.Context, id string, params *" + r.typ + "DeleteParams) (*" + r.typ + ", error) { return nil, nil }\n")
	}
	b.WriteString("\ntype Client struct {\n" + services.String() + "}\n")
	return b.String()
}

// stripePackages is one package for each resource, and the client that holds them all.
func stripePackages() map[string]string {
	const root = "github.com/stripe/stripe-go/v*"
	out := make(map[string]string)
	var imports, fields strings.Builder
	for _, r := range stripeResources {
		name := r.pkg[strings.LastIndexByte(r.pkg, '/')+1:]
		var b strings.Builder
		b.WriteString("package " + name + "\n\nimport \"" + root + "\"\n\ntype Client struct {\n\tB   stripe.Backend\n\tKey string\n}\ntype Iter struct{ stripe.Iter }\n\nfunc (i *Iter) " + r.typ + "() *stripe." + r.typ + " { return nil }\n")
		result := " (*stripe." + r.typ + ", error) { return nil, nil }\n"
		both := func(sig string) { b.WriteString("func " + sig + "func (c Client) " + sig) }
		both("New(params *stripe." + r.typ + "Params)" + result)
		both("Get(id string, params *stripe." + r.typ + "Params)" + result)
		both("Update(id string, params *stripe." + r.typ + "Params)" + result)
		for _, m := range strings.Fields(r.methods) {
			if m == "Search" {
				both("Search(params *stripe." + r.typ + "SearchParams) *Iter { return nil }\n")
				continue
			}
			p := r.typ
			if m == "Cancel" || m == "Capture" || m == "Confirm" || m == "Pay" || m == "Attach" || m == "Detach" || m == "FinalizeInvoice" || m == "SendInvoice" || m == "VoidInvoice" || m == "Expire" || m == "Reverse" || m == "Close" {
				p += m
			}
			both(m + "(id string, params *stripe." + p + "Params)" + result)
		}
		both("List(params *stripe." + r.typ + "ListParams) *Iter { return nil }\n")
		out[root+"/"+r.pkg] = b.String()
		alias := name
		if name == "session" {
			alias = "checkoutsession"
		}
		imports.WriteString("\t" + alias + " \"" + root + "/" + r.pkg + "\"\n")
		field := strings.TrimSuffix(r.typ, "s") + "s"
		fields.WriteString("\t" + field + " *" + alias + ".Client\n")
	}
	out[root+"/client"] = "package client\n\nimport (\n\t\"" + root + "\"\n" + imports.String() + ")\n\ntype API struct {\n" + fields.String() + "}\n\nfunc (a *API) Init(key string, backends *stripe.Backends) {}\nfunc New(key string, backends *stripe.Backends) *API { return nil }\n"
	out[root+"/webhook"] = "package webhook\n\nimport \"" + root + "\"\n\nfunc ConstructEvent(payload []byte, header string, secret string) (stripe.Event, error) { return stripe.Event{}, nil }\nfunc ValidatePayload(payload []byte, header string, secret string) error { return nil }\n"
	return out
}

const stripeHead = `package stripe

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

var Key string

type Currency string
type ErrorType string
type ErrorCode string
type EventType string

const (
	CurrencyUSD Currency = "usd"
	CurrencyEUR Currency = "eur"
	CurrencyGBP Currency = "gbp"

	APIBackend     SupportedBackend = "api"
	ConnectBackend SupportedBackend = "connect"
	UploadsBackend SupportedBackend = "uploads"
)

type SupportedBackend string
type Params struct {
	Context        context.Context
	Expand         []*string
	Headers        http.Header
	IdempotencyKey *string
	Metadata       map[string]string
	StripeAccount  *string
}

func (p *Params) SetIdempotencyKey(val string)    {}
func (p *Params) SetStripeAccount(val string)     {}
func (p *Params) AddMetadata(key, value string)   {}
func (p *Params) AddExpand(f string)              {}
func (p *Params) AddExtra(key, value string)      {}

type ListParams struct {
	Context       context.Context
	Limit         *int64
	StartingAfter *string
	EndingBefore  *string
	Single        bool
	StripeAccount *string
}

func (p *ListParams) SetStripeAccount(val string)            {}
func (p *ListParams) AddExpand(f string)                     {}

type SearchParams struct {
	Context context.Context
	Query   string
	Limit   *int64
}
type Iter struct{}

func (it *Iter) Next() bool           { return false }
func (it *Iter) Err() error           { return nil }
func (it *Iter) Current() interface{} { return nil }

type Error struct {
	Code           ErrorCode
	DeclineCode    string
	HTTPStatusCode int
	Msg            string
	Param          string
	RequestID      string
	Type           ErrorType
	ChargeID       string
}

func (e *Error) Error() string { return "" }

type EventData struct {
	Object map[string]interface{}
	Raw    json.RawMessage
}
type Event struct {
	ID      string
	Type    EventType
	Data    *EventData
	Created int64
}
type LeveledLoggerInterface interface {
	Debugf(format string, v ...interface{})
	Errorf(format string, v ...interface{})
	Infof(format string, v ...interface{})
	Warnf(format string, v ...interface{})
}
type BackendConfig struct {
	EnableTelemetry   *bool
	HTTPClient        *http.Client
	LeveledLogger     LeveledLoggerInterface
	MaxNetworkRetries *int64
	URL               *string
}
type Backend interface {
	SetMaxNetworkRetries(maxNetworkRetries int64)
}
type Backends struct{ API, Connect, Uploads Backend }
type ClientOption func(*Client)

func NewClient(key string, opts ...ClientOption) *Client                            { return nil }
func WithBackends(backends *Backends) ClientOption                                  { return nil }
func NewBackends(httpClient *http.Client) *Backends                                 { return nil }
func NewBackendsWithConfig(config *BackendConfig) *Backends                         { return nil }
func GetBackend(backendType SupportedBackend) Backend                               { return nil }
func GetBackendWithConfig(backendType SupportedBackend, config *BackendConfig) Backend { return nil }
func SetBackend(backend SupportedBackend, b Backend)                                {}
func SetHTTPClient(client *http.Client)                                             {}
func NewIdempotencyKey() string                                                     { return "" }
func String(v string) *string                                                       { return nil }
func StringSlice(v []string) []*string                                              { return nil }
func Int64(v int64) *int64                                                          { return nil }
func Float64(v float64) *float64                                                    { return nil }
func Bool(v bool) *bool                                                             { return nil }
func StringValue(v *string) string                                                  { return "" }
func Int64Value(v *int64) int64                                                     { return 0 }
func BoolValue(v *bool) bool                                                        { return false }

var _ time.Duration
`
