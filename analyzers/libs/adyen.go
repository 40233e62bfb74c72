package libs

var _ = add(Library{
	Name: "adyen-go-api-library", Path: "github.com/adyen/adyen-go-api-library/v*/src/checkout", Also: []string{"github.com/adyen/adyen-go-api-library/v*/src/*"},
	Source: "github.com/Adyen/adyen-go-api-library@fed7311 src/common/client.go:396-397,874-893, src/checkout/api_donations.go:29",
	Doc:    "The client does not retry. The header Idempotency-Key is sent only where the request's input was given one.",
	Clients: []Client{{Type: "PaymentsApi, ModificationsApi, PaymentLinksApi, DonationsApi", Policy: noRetry, Sends: []Send{
		{Func: "Payments, PaymentsDetails, Sessions, PaymentLinks, Donations, Capture*, Refund*, Cancel*, Update*", Method: "POST", URL: "https://checkout-live.adyen.com", Effect: true, Key: "setter IdempotencyKey of arg 1", Operation: "Adyen request"},
		{Func: "Get*, PaymentMethods", Method: "GET", URL: "https://checkout-live.adyen.com", Idempotent: true},
	}}},
	Majors: []int{7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20},
	Stub: `package checkout

import (
	"context"
	"net/http"
)

type PaymentRequest struct{ Reference, MerchantAccount string }
type PaymentResponse struct{ PspReference, ResultCode *string }
type PaymentsApi struct{}
type PaymentsApiPaymentsInput struct{}

func (r PaymentsApiPaymentsInput) IdempotencyKey(idempotencyKey string) PaymentsApiPaymentsInput            { return r }
func (r PaymentsApiPaymentsInput) PaymentRequest(paymentRequest PaymentRequest) PaymentsApiPaymentsInput    { return r }
func (a *PaymentsApi) PaymentsInput() PaymentsApiPaymentsInput                                              { return PaymentsApiPaymentsInput{} }
func (a *PaymentsApi) Payments(ctx context.Context, r PaymentsApiPaymentsInput) (PaymentResponse, *http.Response, error) {
	return PaymentResponse{}, nil, nil
}

type ModificationsApi struct{}
type PaymentLinksApi struct{}
type DonationsApi struct{}
`,
})

var _ = addStub("k8s.io/client-go/util/workqueue", `package workqueue

import "time"

type RateLimiter interface {
	When(item interface{}) time.Duration
	Forget(item interface{})
	NumRequeues(item interface{}) int
}
type TypedRateLimiter[T comparable] interface {
	When(item T) time.Duration
	Forget(item T)
	NumRequeues(item T) int
}
type Interface interface {
	Add(item interface{})
	Len() int
	Get() (item interface{}, shutdown bool)
	Done(item interface{})
	ShutDown()
	ShuttingDown() bool
}
type RateLimitingInterface interface {
	Interface
	AddAfter(item interface{}, duration time.Duration)
	AddRateLimited(item interface{})
	Forget(item interface{})
	NumRequeues(item interface{}) int
}
type TypedRateLimitingInterface[T comparable] interface {
	Add(item T)
	Len() int
	Get() (item T, shutdown bool)
	Done(item T)
	ShutDown()
	ShuttingDown() bool
	AddAfter(item T, duration time.Duration)
	AddRateLimited(item T)
	Forget(item T)
	NumRequeues(item T) int
}
type RateLimitingQueueConfig struct{ Name string }
type TypedRateLimitingQueueConfig[T comparable] struct{ Name string }

func NewRateLimitingQueue(rateLimiter RateLimiter) RateLimitingInterface                                                       { return nil }
func NewNamedRateLimitingQueue(rateLimiter RateLimiter, name string) RateLimitingInterface                                     { return nil }
func NewRateLimitingQueueWithConfig(rateLimiter RateLimiter, config RateLimitingQueueConfig) RateLimitingInterface             { return nil }
func NewTypedRateLimitingQueue[T comparable](rateLimiter TypedRateLimiter[T]) TypedRateLimitingInterface[T]                    { return nil }
func NewTypedRateLimitingQueueWithConfig[T comparable](rateLimiter TypedRateLimiter[T], config TypedRateLimitingQueueConfig[T]) TypedRateLimitingInterface[T] {
	return nil
}
func DefaultControllerRateLimiter() RateLimiter                                                                                { return nil }
func DefaultTypedControllerRateLimiter[T comparable]() TypedRateLimiter[T]                                                     { return nil }
func NewItemExponentialFailureRateLimiter(baseDelay, maxDelay time.Duration) RateLimiter                                       { return nil }
func NewTypedItemExponentialFailureRateLimiter[T comparable](baseDelay, maxDelay time.Duration) TypedRateLimiter[T]            { return nil }
func NewTypedItemFastSlowRateLimiter[T comparable](fastDelay, slowDelay time.Duration, maxFastAttempts int) TypedRateLimiter[T] { return nil }
`)

var (
	_ = addStub("sigs.k8s.io/controller-runtime/pkg/reconcile", "package reconcile\n\nimport (\n\t\"context\"\n\t\"time\"\n)\n\ntype Result struct {\n\tRequeue      bool\n\tRequeueAfter time.Duration\n}\ntype NamespacedName struct{ Namespace, Name string }\ntype Request struct{ NamespacedName }\ntype Reconciler interface {\n\tReconcile(context.Context, Request) (Result, error)\n}\n\nfunc TerminalError(wrapped error) error { return nil }\n")
	_ = addStub("sigs.k8s.io/controller-runtime", "package controllerruntime\n\nimport \"sigs.k8s.io/controller-runtime/pkg/reconcile\"\n\ntype Result = reconcile.Result\ntype Request = reconcile.Request\ntype Manager interface{ Start(ctx any) error }\n")
)
