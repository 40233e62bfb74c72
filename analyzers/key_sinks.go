package analyzers

import (
	"regexp"
	"strings"
	"time"

	"github.com/retrylint/retrylint/model"
)

// keyHeaders are headers that receivers use to tell repeats from new requests, in lower case (go-libraries.md 10.2,
// dedupe-windows.md 1). Trace, request and correlation ids are meant to change and are not among them.
var keyHeaders = map[string]bool{
	"idempotency-key": true, "x-idempotency-key": true, "request-idempotency-key": true, "x-qonto-idempotency-key": true,
	"cko-idempotency-key": true, "paypal-request-id": true, "nats-msg-id": true, "upstash-deduplication-id": true,
	"x-deduplication-header": true, "repeatability-request-id": true, "x-goog-gcs-idempotency-token": true,
	"idempotency_key": true, "idempotencykey": true, "x-idempotency-token": true, "idempotency-token": true,
	"x-deduplication-id": true, "deduplication-id": true, "x-dedupe-key": true, "dedup-key": true, "x-unique-transaction-id": true,
	"x-idempotent-key": true, "idempotent-key": true, "x-amz-client-token": true, "message-id": true, "messageid": true,
}

// isKeyHeader reports whether a header, metadata key or property name carries an idempotency key.
func isKeyHeader(name string) bool {
	n := strings.ToLower(strings.TrimSpace(name))
	return keyHeaders[n] || strings.Contains(n, "idempoten") && !strings.Contains(n, "replay") && !strings.Contains(n, "status") &&
		!strings.HasPrefix(n, "enable")
}

// keyField are field and setter names that carry a key whatever the library.
var keyField = regexp.MustCompile(`^(?i)((x_?)?idempotency_?(key|token|id)|idempotent_?(key|id|token)|idem_?key|dedup(e|lication)?_?(key|id|token)|client_?token|client_?request_?token|client_?idempotency_?token|creator_?request_?id|caller_?reference|message_?deduplication_?id|durableexecutionname|apirequestkey|api_request_key|customertransactionid|customer_transaction_id|sender_batch_id|senderbatchid)$`)

// typedKeyFields are fields that carry a key in these types alone: suffix of the type's full name, field.
var typedKeyFields = map[string]string{
	"azservicebus.Message.MessageID":           "Service Bus message id",
	"amqp091-go.Publishing.MessageId":          "AMQP message id",
	"streadway/amqp.Publishing.MessageId":      "AMQP message id",
	"client.StartWorkflowOptions.ID":           "workflow id",
	"internal.StartWorkflowOptions.ID":         "workflow id",
	"workflow.ChildWorkflowOptions.WorkflowID": "workflow id",
	"sfn.StartExecutionInput.Name":             "execution name",
	"cloudtaskspb.Task.Name":                   "task name",
	"meta/v1.ObjectMeta.Name":                  "object name",
	"meta/v1.ObjectMeta.GenerateName":          "generated object name",
}

// typedKeyField says what a field of a type is as a key, "" where it is none.
func typedKeyField(typ, field string) string {
	for suffix, words := range typedKeyFields {
		i := strings.LastIndex(suffix, ".")
		if suffix[i+1:] == field && strings.HasSuffix(typ, suffix[:i]) {
			return words
		}
	}
	if field == "RequestId" && (strings.HasPrefix(typ, "cloud.google.com/go") || strings.HasPrefix(typ, "google.golang.org/")) {
		return "request_id"
	}
	return ""
}

// keyOptions are functions that put their first (or given) argument onto the call as its key, by import path and name.
var keyOptions = map[string]int{
	"github.com/nats-io/nats.go.MsgId":                                    0,
	"github.com/nats-io/nats.go/jetstream.WithMsgID":                      0,
	"github.com/hibiken/asynq.TaskID":                                     0,
	"github.com/restatedev/sdk-go.WithIdempotencyKey":                     0,
	"github.com/adyen/adyen-go-api-library/src/common.WithIdempotencyKey": 1,
	"github.com/riverqueue/river.UniqueOpts":                              -1,
}

// naturalOptions make the receiver enforce uniqueness by the work itself.
var naturalOptions = map[string]string{
	"github.com/hibiken/asynq.Unique": "asynq.Unique",
}

// keyOption is the argument that an option function makes the key; ok is false for other functions.
func keyOption(name string) (arg int, ok bool) {
	if i, ok := keyOptions[name]; ok {
		return i, i >= 0
	}
	if i, ok := keyOptions[unversioned(name)]; ok {
		return i, i >= 0
	}
	base := name[strings.LastIndex(name, ".")+1:]
	switch base {
	case "WithIdempotencyKey", "WithIdempotencyToken", "WithMessageID", "WithMsgID", "IdempotencyKey", "WithDeduplicationID",
		"WithIdempotentKey", "WithClientToken", "WithPaypalRequestID", "WithPaypalRequestId", "WithDedupKey", "WithDedupeKey":
		return -2, true // the last argument
	}
	return 0, false
}

// setsHeader reports whether a method sets a header or metadata pair from its first two arguments.
func setsHeader(method string) bool {
	switch method {
	case "Set", "Add", "SetHeader", "AddHeader", "WithHeader", "Header", "SetHeaderVerbatim", "SetCommonHeader", "SetMetadata", "Append",
		"SetHeaderNonCanonical", "HeaderSet", "SetRequestHeader", "WithHeaderSet", "SetReqHeader", "SetBytesV", "SetCanonical", "SetProperty":
		return true
	}
	return false
}

// providers are the fixed windows of outside receivers that the catalogue has verified (dedupe-windows.md 1).
type provider struct {
	id     string
	pkg    string // part of the import path of the client library
	host   string // suffix of the host
	path   string // part of the request's path, where the window depends on it
	window time.Duration
	sure   bool // the figure is verified; others are shown, and decide nothing
}

const day = 24 * time.Hour

var providers = []provider{
	{id: "stripe.v2", host: "api.stripe.com", path: "/v2/", window: 30 * day, sure: true},
	{id: "stripe.v1", pkg: "github.com/stripe/stripe-go", host: "api.stripe.com", window: day, sure: true},
	{id: "adyen", pkg: "github.com/adyen/adyen-go-api-library", host: "adyen.com", window: 7 * day, sure: true},
	{id: "adyen", host: "adyenpayments.com", window: 7 * day, sure: true},
	{id: "paypal.orders_v2", host: "paypal.com", path: "/v2/checkout/orders", window: 6 * time.Hour, sure: true},
	{id: "paypal.payments_v2", host: "paypal.com", path: "/v2/payments", window: 45 * day},
	{id: "paypal.vault_v3", host: "paypal.com", path: "/v3/vault", window: 3 * time.Hour},
	{id: "checkout.com", pkg: "github.com/checkout/checkout-sdk-go", host: "checkout.com", window: day, sure: true},
	{id: "plaid.transfer.authorization", host: "plaid.com", path: "/transfer/authorization", window: 2 * day, sure: true},
	{id: "modern_treasury", host: "moderntreasury.com", window: day, sure: true},
	{id: "truelayer.payments_v3", host: "truelayer.com", window: 30 * day, sure: true},
	{id: "zuora", host: "zuora.com", window: day, sure: true},
	{id: "qonto", host: "qonto.com", window: 30 * time.Minute, sure: true},
	{id: "ppro", host: "ppro.com", window: day, sure: true},
	{id: "resend", pkg: "github.com/resend/resend-go", host: "api.resend.com", window: day, sure: true},
	{id: "brevo", host: "api.brevo.com", window: 30 * time.Minute, sure: true},
	{id: "aws.sqs_fifo", pkg: "github.com/aws/aws-sdk-go-v2/service/sqs", window: 5 * time.Minute, sure: true},
	{id: "aws.sqs_fifo", pkg: "github.com/aws/aws-sdk-go/service/sqs", window: 5 * time.Minute, sure: true},
	{id: "aws.sns_fifo", pkg: "github.com/aws/aws-sdk-go-v2/service/sns", window: 5 * time.Minute, sure: true},
	{id: "aws.sns_fifo", pkg: "github.com/aws/aws-sdk-go/service/sns", window: 5 * time.Minute, sure: true},
	{id: "aws.ecs.run_task", pkg: "github.com/aws/aws-sdk-go-v2/service/ecs", window: time.Hour, sure: true},
	{id: "aws.dynamodb.transact_write", pkg: "github.com/aws/aws-sdk-go-v2/service/dynamodb", window: 10 * time.Minute, sure: true},
	{id: "aws.stepfunctions.start_execution", pkg: "github.com/aws/aws-sdk-go-v2/service/sfn", window: 90 * day, sure: true},
	{id: "restate", pkg: "github.com/restatedev/sdk-go", window: day, sure: true},
}

// providerOf finds the catalogue's row for a call.
func providerOf(pkg string, e *model.Edge) (provider, bool) {
	host := ""
	if e != nil && e.To.Space == model.SpaceHost {
		host = e.To.Key
	}
	path := ""
	if e != nil {
		path = e.Path
	}
	for _, p := range providers {
		if p.path != "" && !strings.Contains(path, p.path) {
			continue
		}
		if p.host != "" && host != "" && (host == p.host || strings.HasSuffix(host, "."+p.host)) {
			return p, true
		}
		if p.pkg != "" && pkg != "" && strings.HasPrefix(pkg, p.pkg) {
			return p, true
		}
	}
	return provider{}, false
}
