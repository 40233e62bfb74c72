package libs

// sethvargoPolicy: nothing ends the loop unless a wrapper does.
var sethvargoPolicy = Policy{
	Follow: []string{"arg 1"}, Attempts: "unbounded", Overall: "none", Max: "none", Jitter: "none", Context: "arg 0",
	DefaultBy: "sethvargo/go-retry", OffSwitch: "retry.WithMaxRetries(n, b)",
	Traits: []TraitTerm{{Kind: "filters-permanent", Detail: "only errors marked by RetryableError are repeated"}},
}

func sethvargoShortcut(backoff, factor string) Policy {
	p := sethvargoPolicy
	p.Follow = nil
	p.Backoff, p.Factor, p.Initial = backoff, factor, "arg 1"
	return p
}

var _ = add(Library{
	Name:   "sethvargo/go-retry",
	Path:   "github.com/sethvargo/go-retry",
	Source: "github.com/sethvargo/go-retry@v0.5.0 retry.go:52-95, backoff.go:30-175, backoff_exponential.go:28-50",
	Doc: "Only errors that RetryableError wraps are repeated. Without WithMaxRetries or WithMaxDuration nothing but the context ends the loop. " +
		"WithMaxRetries takes the number first and counts retries. Wrappers hold counters that are never reset: a backoff shared between " +
		"calls is used up once for all of them, and the clock of WithMaxDuration starts when it is made.",
	Calls: []Call{
		{Func: "Do", Runs: "arg 2", Policy: sethvargoPolicy},
		{Func: "DoValue", Runs: "arg 2", Policy: sethvargoPolicy},
		{Func: "Constant", Runs: "arg 2", Policy: sethvargoShortcut("constant", "")},
		{Func: "Exponential", Runs: "arg 2", Policy: sethvargoShortcut("exponential", "2")},
		{Func: "Fibonacci", Runs: "arg 2", Policy: sethvargoShortcut("exponential", "1.618")},
	},
	Parts: []Part{
		{Func: "NewConstant", Policy: Policy{Backoff: "constant", Initial: "arg 0"}},
		{Func: "NewExponential", Policy: Policy{Backoff: "exponential", Initial: "arg 0", Factor: "2"}},
		{Func: "NewFibonacci", Policy: Policy{Backoff: "exponential", Initial: "arg 0", Factor: "1.618"}},
		{Func: "WithMaxRetries", Wraps: "arg 1", Policy: Policy{Attempts: "arg 0 + 1"}},
		{Func: "WithMaxDuration", Wraps: "arg 1", Policy: Policy{Overall: "arg 0", Budget: "gate-before"}},
		{Func: "WithCappedDuration", Wraps: "arg 1", Policy: Policy{Max: "arg 0"}},
		{Func: "WithJitter", Wraps: "arg 1", Policy: Policy{Jitter: "some"}},
		{Func: "WithJitterPercent", Wraps: "arg 1", Policy: Policy{Jitter: "some"}},
		{Func: "WithFullJitter", Wraps: "arg 0", Policy: Policy{Jitter: "full"}},
	},
	Stub: `package retry

import (
	"context"
	"time"
)

type RetryFunc func(ctx context.Context) error
type RetryFuncValue[T any] func(ctx context.Context) (T, error)
type Backoff interface{ Next() (next time.Duration, stop bool) }
type BackoffFunc func() (time.Duration, bool)

func (b BackoffFunc) Next() (time.Duration, bool) { return 0, false }

func RetryableError(err error) error                                                       { return nil }
func Do(ctx context.Context, b Backoff, f RetryFunc) error                                 { return nil }
func DoValue[T any](ctx context.Context, b Backoff, f RetryFuncValue[T]) (T, error)        { var t T; return t, nil }
func Constant(ctx context.Context, t time.Duration, f RetryFunc) error                     { return nil }
func Exponential(ctx context.Context, base time.Duration, f RetryFunc) error               { return nil }
func Fibonacci(ctx context.Context, base time.Duration, f RetryFunc) error                 { return nil }
func NewConstant(t time.Duration) Backoff                                                  { return nil }
func NewExponential(base time.Duration) Backoff                                            { return nil }
func NewFibonacci(base time.Duration) Backoff                                              { return nil }
func WithMaxRetries(max uint64, next Backoff) Backoff                                      { return nil }
func WithMaxDuration(timeout time.Duration, next Backoff) Backoff                          { return nil }
func WithCappedDuration(cap time.Duration, next Backoff) Backoff                           { return nil }
func WithJitter(j time.Duration, next Backoff) Backoff                                     { return nil }
func WithJitterPercent(j uint64, next Backoff) Backoff                                     { return nil }
func WithFullJitter(next Backoff) Backoff                                                  { return nil }
`,
	Example: `package example

import (
	"context"
	"time"

	"github.com/sethvargo/go-retry"
)

func op(ctx context.Context) error { return retry.RetryableError(nil) }

func four(ctx context.Context) error {
	b := retry.WithMaxRetries(3, retry.NewExponential(time.Second))
	return retry.Do(ctx, b, op) // want layer "attempts=4 initial=1s"
}

func endless(ctx context.Context) error {
	return retry.Constant(ctx, time.Second, op) // want layer "attempts=unbounded initial=1s"
}
`,
})
