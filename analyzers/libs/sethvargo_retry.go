package libs

import (
	"time"

	"github.com/retrylint/retrylint/model"
)

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

// percent is WithJitterPercent: a share of the wait to both sides.
func percent(s Site, r *Result) {
	if v := s.Arg(0); v.IsInt && v.Int >= 0 && v.Lo == v.Hi && v.Int <= 100 {
		r.Policy.Backoff.Jitter = model.Jitter{Kind: model.JitterProportional, Factor: model.NewRatio(v.Int, 100)}
	}
}

// spread is a time that is added to a wait or taken from it at random.
func spread(v Value, r *Result) {
	b := &r.Policy.Backoff
	first, ok := b.Initial.Duration()
	if !v.IsInt || v.Lo != v.Hi || v.Int < 0 || !ok || first <= 0 {
		return
	}
	d := time.Duration(v.Int)
	if b.Kind == model.BackoffConstant {
		down := min(d, first)
		b.Initial = model.For(first - down)
		b.Jitter = model.Jitter{Kind: model.JitterAdditive, Extra: down + d}
		return
	}
	// Of waits that grow the first one is spread most.
	b.Jitter = model.Jitter{Kind: model.JitterProportional, Factor: model.NewRatio(int64(d), int64(first))}
}

// fibonacci makes the waits a list of so many times the first one: a, b, a+b and so on.
func fibonacci(a, b int64) func(Site, *Result) {
	return func(_ Site, r *Result) {
		back := &r.Policy.Backoff
		first, ok := back.Initial.Duration()
		if !ok || back.Kind != model.BackoffExponential {
			return
		}
		n := int64(30) // nobody waits for more of them
		if m, ok := r.Policy.Attempts.Max(); ok {
			n = min(n, max(m-1, 1))
		}
		list := make([]time.Duration, 0, n)
		for x, y := model.For(first).Times(model.Exactly(a)), model.For(first).Times(model.Exactly(b)); int64(len(list)) < n; x, y = y, x.Plus(y) {
			d, ok := x.Duration()
			if !ok {
				break
			}
			list = append(list, d)
		}
		*back = model.Backoff{Kind: model.BackoffList, List: list, Max: back.Max, Jitter: back.Jitter, CapsSum: back.CapsSum}
	}
}

var _ = add(Library{
	Name:   "sethvargo/go-retry",
	Path:   "github.com/sethvargo/go-retry",
	Source: "github.com/sethvargo/go-retry@v0.5.0 retry.go:52-95, backoff.go:30-175, backoff_exponential.go:28-50",
	Doc: "Only errors that RetryableError wraps are repeated. Without WithMaxRetries or WithMaxDuration nothing but the context ends the loop. " +
		"WithMaxRetries takes the number first and counts retries. Wrappers hold counters that are never reset: a backoff shared between " +
		"calls is used up once for all of them, and the clock of WithMaxDuration starts when it is made; its last wait is cut to what is left.",
	Calls: []Call{
		{Func: "Do", Runs: "arg 2", Policy: sethvargoPolicy},
		{Func: "DoValue", Runs: "arg 2", Policy: sethvargoPolicy},
		{Func: "Constant", Runs: "arg 2", Policy: sethvargoShortcut("constant", "")},
		{Func: "Exponential", Runs: "arg 2", Policy: sethvargoShortcut("exponential", "2")},
		{Func: "Fibonacci", Runs: "arg 2", Policy: with(sethvargoShortcut("exponential", "2"), Policy{Fix: fibonacci(1, 2)})},
	},
	Parts: []Part{
		{Func: "NewConstant", Policy: Policy{Backoff: "constant", Initial: "arg 0"}},
		{Func: "NewExponential", Policy: Policy{Backoff: "exponential", Initial: "arg 0", Factor: "2"}},
		{Func: "NewFibonacci", Policy: Policy{Backoff: "exponential", Initial: "arg 0", Factor: "2", Fix: fibonacci(1, 2)}},
		{Func: "WithMaxRetries", Wraps: "arg 1", Policy: Policy{Attempts: "arg 0 + 1"}},
		{Func: "WithMaxDuration", Wraps: "arg 1", Policy: Policy{Overall: "arg 0", Budget: "gate-after"}},
		{Func: "WithCappedDuration", Wraps: "arg 1", Policy: Policy{Max: "arg 0"}},
		{Func: "WithJitter", Wraps: "arg 1", Policy: Policy{Jitter: "some", Fix: func(s Site, r *Result) { spread(s.Arg(0), r) }}},
		{Func: "WithJitterPercent", Wraps: "arg 1", Policy: Policy{Jitter: "some", Fix: percent}},
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

func spread(ctx context.Context) error {
	b := retry.WithMaxRetries(3, retry.WithJitter(time.Second, retry.NewConstant(3*time.Second)))
	return retry.Do(ctx, b, op) // want layer "attempts=4 wait=2s..4s,2s..4s,2s..4s"
}

func percent(ctx context.Context) error {
	b := retry.WithMaxRetries(3, retry.WithJitterPercent(10, retry.NewConstant(10*time.Second)))
	return retry.Do(ctx, b, op) // want layer "attempts=4 wait=9s..11s,9s..11s,9s..11s"
}

func rabbits(ctx context.Context) error {
	b := retry.WithMaxRetries(4, retry.NewFibonacci(time.Second))
	return retry.Do(ctx, b, op) // want layer "attempts=5 wait=1s,2s,3s"
}

func timed(ctx context.Context) error {
	b := retry.WithMaxDuration(time.Minute, retry.NewConstant(25*time.Second))
	return retry.Do(ctx, b, op) // want layer "attempts=unbounded overall=1m total=4"
}

func endless(ctx context.Context) error {
	return retry.Constant(ctx, time.Second, op) // want layer "attempts=unbounded initial=1s"
}
`,
})
