package libs

import (
	"slices"
	"time"

	"github.com/retrylint/retrylint/model"
)

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
	On:        "error", Escape: "AbortOnErrors", DefaultBy: "failsafe-go", OffSwitch: "WithMaxRetries(0)", Fix: failsafeSpread,
}

// failsafeSpread: a jitter in time goes to both sides, and a random delay has two bounds.
func failsafeSpread(s Site, r *Result) {
	b := &r.Policy.Backoff
	switch lo, hi := s.Setter("WithRandomDelay", 0), s.Setter("WithRandomDelay", 1); {
	case b.Kind == model.BackoffUnknown:
	case s.Setter("WithJitter", 0).Set:
		spread(s.Setter("WithJitter", 0), r)
	case b.Kind == model.BackoffConstant && b.Jitter.Kind == model.JitterSome && lo.IsInt && hi.IsInt && lo.Lo == lo.Hi && hi.Lo == hi.Hi && lo.Int <= hi.Int:
		b.Initial = model.For(time.Duration(lo.Int))
		b.Jitter = model.Jitter{Kind: model.JitterAdditive, Extra: time.Duration(hi.Int - lo.Int)}
	}
}

// failsafeNested: the policies of one execution are nested, but each keeps its count over all of it: an inner policy that has
// given up does not begin anew in the next attempt of an outer one. So their retries add.
func failsafeNested(first int, ofReceiver bool) func(Site, *Result) {
	return func(s Site, r *Result) {
		if ofReceiver {
			in := s.Arg(-1).Site
			if in == nil {
				return
			}
			s = in
		}
		var inner []model.Policy // innermost first
		for i := first + 1; s.Arg(i).Set; i++ {
			if v := s.Arg(i); v.Site != nil && slices.Contains([]string{"NewBuilder", "NewWithDefaults", "WithDefaults", "NewRetryPolicyBuilder"}, v.Name) {
				inner = append([]model.Policy{Evaluate(failsafePolicy, v.Site).Policy}, inner...)
			}
		}
		if len(inner) == 0 {
			return
		}
		all := append(inner, r.Policy)
		retries, waits, listed := int64(0), []time.Duration{}, true
		for _, p := range all {
			n, ok := p.Attempts.Max()
			if !ok {
				r.Policy.Attempts, r.Policy.Backoff = p.Attempts, p.Backoff
				return
			}
			retries += n - 1
			for k := int64(1); k < n && listed; k++ {
				lo, hi := p.Backoff.Gap(k)
				d, ok := hi.Duration()
				listed = ok && lo == hi && len(waits) < 64
				waits = append(waits, d)
			}
		}
		r.Policy.Attempts = model.Retries(retries)
		r.Policy.Backoff = model.Backoff{}
		if listed {
			r.Policy.Backoff = model.Backoff{Kind: model.BackoffList, List: waits, Jitter: model.Jitter{Kind: model.JitterNone}}
		}
	}
}

// failsafeRun is an execution: its policies are the arguments of With.
var failsafeRun = Policy{Follow: []string{"arg 0 of receiver"}, Attempts: "1", Context: "setter WithContext of receiver", DefaultBy: "failsafe-go", Fix: failsafeNested(0, true)}

var _ = add(Library{
	Name: "failsafe-go", Path: "github.com/failsafe-go/failsafe-go",
	Source: "github.com/failsafe-go/failsafe-go@v0.9.8 retrypolicy/retry.go:14,196-210,258-320,357, retryexecutor.go:28-166, failsafehttp/policy.go:25-85",
	Doc: "WithMaxRetries counts retries, WithMaxAttempts attempts; WithMaxAttempts(0) takes the limit away. There are no waits unless they are " +
		"set. The policies of With nest, the first outermost. Each keeps its count over the whole execution, so that the retries of two policies add and do not multiply. " +
		"WithMaxDuration is looked at after an attempt, and the last wait is cut to what is left.",
	Calls: []Call{
		{Func: "(*Executor).Run, Executor.Run, Executor.RunWithExecution, Executor.Get, Executor.GetWithExecution", Runs: "arg 0", Policy: failsafeRun},
		{Func: "Executor.RunAsync, Executor.GetAsync, Executor.RunWithExecutionAsync, Executor.GetWithExecutionAsync", Runs: "arg 0", Policy: failsafeRun},
		{Func: "Run", Runs: "arg 0", Policy: with(failsafeRun, Policy{Follow: []string{"arg 1"}, Fix: failsafeNested(1, false)})},
		{Func: "Get", Runs: "arg 0", Policy: with(failsafeRun, Policy{Follow: []string{"arg 1"}, Fix: failsafeNested(1, false)})},
		{Func: "RunWithExecution", Runs: "arg 0", Policy: with(failsafeRun, Policy{Follow: []string{"arg 1"}, Fix: failsafeNested(1, false)})},
		{Func: "GetWithExecution", Runs: "arg 0", Policy: with(failsafeRun, Policy{Follow: []string{"arg 1"}, Fix: failsafeNested(1, false)})},
	},
	Parts: failsafeParts,
	Stub: `package failsafe

import "context"

type Policy[R any] interface{ ToExecutor(_ R) any }
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
	"context"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

func op() error { return nil }

func run() error {
	p := retrypolicy.NewBuilder[any]().WithMaxRetries(4).WithDelay(time.Second).Build()
	return failsafe.With[any](p).Run(op) // want layer "attempts=5 initial=1s backoff=constant"
}

func inContext(ctx context.Context) error {
	p := retrypolicy.NewBuilder[any]().WithMaxAttempts(4).WithRandomDelay(time.Second, 3*time.Second).Build()
	return failsafe.With(p).WithContext(ctx).Run(op) // want layer "attempts=4 wait=1s..3s,1s..3s,1s..3s"
}

func spread() error {
	p := retrypolicy.NewBuilder[any]().WithDelay(3 * time.Second).WithJitter(time.Second).Build()
	return failsafe.With(p).Run(op) // want layer "attempts=3 wait=2s..4s,2s..4s,2s..4s"
}

func nested() error {
	outer := retrypolicy.NewBuilder[any]().WithMaxAttempts(2).WithDelay(time.Minute).Build()
	inner := retrypolicy.NewBuilder[any]().WithMaxAttempts(3).WithDelay(time.Second).Build()
	return failsafe.With(outer, inner).Run(op) // want layer "attempts=4 wait=1s,1s,1m"
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
