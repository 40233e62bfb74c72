package libs

// failsafePolicy is a retry policy: the setters of its builder.
var failsafePolicy = Policy{
	Attempts: "setter WithMaxRetries [- unbounded] + 1 else setter WithMaxAttempts [0 unbounded, - unbounded] else 3",
	Backoff:  "exponential if setter WithBackoff else exponential if setter WithBackoffFactor else constant if setter WithDelay else constant if setter WithRandomDelay else custom if setter WithDelayFunc else none",
	Initial:  "setter WithBackoff else setter WithBackoffFactor else setter WithDelay else setter WithRandomDelay.1",
	Factor:   "setter WithBackoffFactor.2 else 2",
	Max:      "setter WithBackoff.1 else setter WithBackoffFactor.1 else none",
	Jitter:   "some if setter WithJitter else proportional setter WithJitterFactor if setter WithJitterFactor else some if setter WithRandomDelay else none",
	Overall:  "setter WithMaxDuration else none", Budget: "gate-after",
	Predicate: "setter HandleIf else setter HandleErrors else setter HandleErrorTypes else setter AbortIf else setter AbortOnErrors else setter AbortOnErrorTypes",
	On:        "error", Escape: "AbortOnErrors", DefaultBy: "failsafe-go", OffSwitch: "WithMaxRetries(0)",
}

// failsafeRun is an execution: its policies are the arguments of With.
var failsafeRun = Policy{Follow: []string{"arg 0 of receiver"}, Attempts: "1", Context: "setter WithContext of receiver", DefaultBy: "failsafe-go"}

var _ = add(Library{
	Name: "failsafe-go", Path: "github.com/failsafe-go/failsafe-go",
	Source: "github.com/failsafe-go/failsafe-go@v0.9.8 retrypolicy/retry.go:14,196-210,258-320,357, retryexecutor.go:28-166, failsafehttp/policy.go:25-85",
	Doc: "WithMaxRetries counts retries, WithMaxAttempts attempts; WithMaxAttempts(0) takes the limit away. There are no waits unless they are " +
		"set. The policies of With nest, the first outermost: two retry policies multiply. Only the first policy of a With is read here.",
	Calls: []Call{
		{Func: "(*Executor).Run, Executor.Run, Executor.RunWithExecution, Executor.Get, Executor.GetWithExecution", Runs: "arg 0", Policy: failsafeRun},
		{Func: "Executor.RunAsync, Executor.GetAsync, Executor.RunWithExecutionAsync, Executor.GetWithExecutionAsync", Runs: "arg 0", Policy: failsafeRun},
		{Func: "Run", Runs: "arg 0", Policy: with(failsafeRun, Policy{Follow: []string{"arg 1"}})},
		{Func: "Get", Runs: "arg 0", Policy: with(failsafeRun, Policy{Follow: []string{"arg 1"}})},
		{Func: "RunWithExecution", Runs: "arg 0", Policy: with(failsafeRun, Policy{Follow: []string{"arg 1"}})},
		{Func: "GetWithExecution", Runs: "arg 0", Policy: with(failsafeRun, Policy{Follow: []string{"arg 1"}})},
	},
	Parts: failsafeParts,
	Stub: `package failsafe

import "context"

type Policy[R any] interface{}
type Execution[R any] interface {
	Attempts() int
	Executions() int
	Retries() int
	LastError() error
	LastResult() R
	Context() context.Context
	IsCanceled() bool
}
type ExecutionResult[R any] interface {
	Get() (R, error)
	Result() R
	Error() error
	Done() <-chan any
	Cancel()
}
type ExecutionEvent[R any] struct{}
type ExecutionDoneEvent[R any] struct{}
type ExecutionScheduledEvent[R any] struct{}
type Executor[R any] interface {
	Compose(innerPolicy Policy[R]) Executor[R]
	WithContext(ctx context.Context) Executor[R]
	Run(fn func() error) error
	RunWithExecution(fn func(exec Execution[R]) error) error
	Get(fn func() (R, error)) (R, error)
	GetWithExecution(fn func(exec Execution[R]) (R, error)) (R, error)
	RunAsync(fn func() error) ExecutionResult[R]
	RunWithExecutionAsync(fn func(exec Execution[R]) error) ExecutionResult[R]
	GetAsync(fn func() (R, error)) ExecutionResult[R]
	GetWithExecutionAsync(fn func(exec Execution[R]) (R, error)) ExecutionResult[R]
}

func With[R any](policies ...Policy[R]) Executor[R]                                           { return nil }
func NewExecutor[R any](policies ...Policy[R]) Executor[R]                                    { return nil }
func Run(fn func() error, policies ...Policy[any]) error                                      { return nil }
func RunWithExecution(fn func(exec Execution[any]) error, policies ...Policy[any]) error      { return nil }
func Get[R any](fn func() (R, error), policies ...Policy[R]) (R, error)                       { var r R; return r, nil }
func GetWithExecution[R any](fn func(exec Execution[R]) (R, error), policies ...Policy[R]) (R, error) {
	var r R
	return r, nil
}
`,
	StubFiles: map[string]string{"github.com/failsafe-go/failsafe-go/retrypolicy": `package retrypolicy

import (
	"time"

	"github.com/failsafe-go/failsafe-go"
)

type RetryPolicy[R any] interface{ failsafe.Policy[R] }
type Builder[R any] interface {
	AbortOnResult(result R) Builder[R]
	AbortOnErrors(errs ...error) Builder[R]
	AbortOnErrorTypes(errs ...any) Builder[R]
	AbortIf(predicate func(R, error) bool) Builder[R]
	HandleErrors(errs ...error) Builder[R]
	HandleErrorTypes(errs ...any) Builder[R]
	HandleResult(result R) Builder[R]
	HandleIf(predicate func(R, error) bool) Builder[R]
	ReturnLastFailure() Builder[R]
	WithMaxAttempts(maxAttempts int) Builder[R]
	WithMaxRetries(maxRetries int) Builder[R]
	WithMaxDuration(maxDuration time.Duration) Builder[R]
	WithDelay(delay time.Duration) Builder[R]
	WithDelayFunc(f any) Builder[R]
	WithBackoff(delay, maxDelay time.Duration) Builder[R]
	WithBackoffFactor(delay, maxDelay time.Duration, delayFactor float32) Builder[R]
	WithRandomDelay(delayMin, delayMax time.Duration) Builder[R]
	WithJitter(jitter time.Duration) Builder[R]
	WithJitterFactor(jitterFactor float32) Builder[R]
	WithBudget(budget any) Builder[R]
	OnAbort(listener func(failsafe.ExecutionEvent[R])) Builder[R]
	OnRetry(listener func(failsafe.ExecutionEvent[R])) Builder[R]
	OnRetryScheduled(listener func(failsafe.ExecutionScheduledEvent[R])) Builder[R]
	OnRetriesExceeded(listener func(failsafe.ExecutionEvent[R])) Builder[R]
	OnSuccess(listener func(failsafe.ExecutionEvent[R])) Builder[R]
	OnFailure(listener func(failsafe.ExecutionEvent[R])) Builder[R]
	Build() RetryPolicy[R]
}
type RetryPolicyBuilder[R any] = Builder[R]

func NewWithDefaults[R any]() RetryPolicy[R] { return nil }
func NewBuilder[R any]() Builder[R]          { return nil }
func WithDefaults[R any]() RetryPolicy[R]    { return nil }
`},
	Example: `package example

import (
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

func op() error { return nil }

func run() error {
	p := retrypolicy.NewBuilder[any]().WithMaxRetries(4).WithDelay(time.Second).Build()
	return failsafe.With[any](p).Run(op) // want layer "attempts=5 initial=1s backoff=constant"
}
`,
})

var failsafeParts = []Part{
	{Func: "NewBuilder, NewRetryPolicyBuilder, Build", Policy: failsafePolicy},
	{Func: "NewWithDefaults, WithDefaults", Policy: Policy{Attempts: "3", Backoff: "none", Overall: "none", On: "error", DefaultBy: "failsafe-go"}},
}

var _ = add(Library{
	Name: "failsafe-go HTTP", Path: "github.com/failsafe-go/failsafe-go/failsafehttp",
	Source: "github.com/failsafe-go/failsafe-go@v0.9.8 failsafehttp/policy.go:25-85",
	Doc:    "Every method is repeated, POST too: on errors, 429 and 5xx other than 501. Retry-After is obeyed without a cap.",
	Calls: []Call{
		{Func: "NewRoundTripper", Runs: "arg 0", Policy: Policy{Follow: []string{"arg 1"}, Attempts: "1", On: "connect,reset,timeout,5xx,429", RetryAfter: "honoured", Rewinds: true, Context: "request", Kind: "transport", DefaultBy: "failsafe-go"}},
		{Func: "NewRequest", Runs: "request", Policy: Policy{Follow: []string{"arg 2"}, Attempts: "1", On: "connect,reset,timeout,5xx,429", RetryAfter: "honoured", Rewinds: true, Context: "request", Kind: "transport", DefaultBy: "failsafe-go"}},
	},
	Parts: []Part{
		{Func: "NewBuilder, NewRetryPolicyBuilder, Build", Policy: with(failsafePolicy, Policy{On: "connect,reset,timeout,5xx,429"})},
		failsafeParts[1],
	},
	Stub: `package failsafehttp

import (
	"net/http"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

type Request struct{}

func (r *Request) Do() (*http.Response, error) { return nil, nil }

func NewRoundTripper(innerRoundTripper http.RoundTripper, policies ...failsafe.Policy[*http.Response]) http.RoundTripper {
	return nil
}
func NewRequest(request *http.Request, client *http.Client, policies ...failsafe.Policy[*http.Response]) *Request {
	return nil
}
func NewRetryPolicyBuilder() retrypolicy.Builder[*http.Response] { return nil }
func RetryPolicyBuilder() retrypolicy.Builder[*http.Response]    { return nil }
`,
})
