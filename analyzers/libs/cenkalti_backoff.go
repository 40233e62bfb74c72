package libs

// cenkaltiExponential is the fields and defaults that all majors share.
var cenkaltiExponential = Policy{
	Backoff: "exponential",
	Initial: "field InitialInterval else option WithInitialInterval else 500ms",
	Factor:  "field Multiplier else option WithMultiplier else 1.5",
	Max:     "field MaxInterval else option WithMaxInterval else 60s",
	Jitter:  "proportional field RandomizationFactor else option WithRandomizationFactor else 0.5",
}

// cenkaltiParts are the policies of v2 to v4; zeroIs is what WithMaxRetries(b, 0) means, budget when the time is looked at.
func cenkaltiParts(zeroIs, budget string) []Part {
	exponential := cenkaltiExponential
	exponential.Overall = "field MaxElapsedTime [0 none] else option WithMaxElapsedTime [0 none] else 15m"
	exponential.Budget = budget
	exponential.OffSwitch = "backoff.WithMaxRetries(b, n) limits the number of attempts"
	literal := Policy{ // a literal without the constructor has none of the defaults
		Backoff: "exponential",
		Initial: "field InitialInterval else 0s",
		Factor:  "field Multiplier else 0",
		Max:     "field MaxInterval [0 none] else none",
		Jitter:  "proportional field RandomizationFactor else 0",
		Overall: "field MaxElapsedTime [0 none] else none",
		Budget:  budget,
	}
	return []Part{
		{Func: "NewExponentialBackOff", Policy: exponential},
		{Func: "ExponentialBackOff", Policy: literal},
		{Func: "NewConstantBackOff", Policy: Policy{Backoff: "constant", Initial: "field Interval else arg 0", Jitter: "none", Overall: "none"}},
		{Func: "ConstantBackOff", Policy: Policy{Backoff: "constant", Initial: "field Interval else 0s", Jitter: "none", Overall: "none"}},
		{Func: "ZeroBackOff", Policy: Policy{Backoff: "none", Overall: "none"}},
		{Func: "StopBackOff", Policy: Policy{Attempts: "1", Backoff: "none"}},
		{Func: "WithMaxRetries, WithMaxTries", Wraps: "arg 0", Policy: Policy{Attempts: "arg 1 + 1", ZeroIs: zeroIs}},
		{Func: "WithContext", Wraps: "arg 0", Policy: Policy{Context: "arg 1"}},
	}
}

// cenkaltiCalls are the functions of v2 to v4 (the first three) and v4: the operation first, then the policy.
func cenkaltiCalls() []Call {
	p := Policy{Follow: []string{"arg 1"}, Attempts: "unbounded", Overall: "none", On: "error", Context: "none", Escape: "Permanent", DefaultBy: "cenkalti/backoff"}
	return []Call{
		{Func: "Retry", Runs: "arg 0", Policy: p},
		{Func: "RetryNotify", Runs: "arg 0", Policy: p},
		{Func: "RetryNotifyWithTimer", Runs: "arg 0", Policy: p},
		{Func: "RetryWithData", Runs: "arg 0", Policy: p},
		{Func: "RetryNotifyWithData", Runs: "arg 0", Policy: p},
		{Func: "RetryNotifyWithTimerAndData", Runs: "arg 0", Policy: p},
	}
}

var _ = add(Library{
	Name:   "cenkalti/backoff v4",
	Path:   "github.com/cenkalti/backoff/v4",
	Source: "github.com/cenkalti/backoff/v4@v4.3.0 tries.go:22-33, exponential.go:78-84,171-180, context.go:41-49, retry.go:68-114",
	Doc: "WithMaxRetries counts retries: WithMaxRetries(b, 3) makes four attempts, and 0 makes one. The 15 minutes of NewExponentialBackOff " +
		"are the only limit where nothing else is set; a constant or zero policy has none at all. A literal ExponentialBackOff without " +
		"the constructor has no wait and no limit. Contexts end the loop only through WithContext.",
	Calls: cenkaltiCalls(),
	Parts: cenkaltiParts("one", "gate-before"),
	Stub:  cenkaltiStub + cenkaltiStubV4,
	Example: `package example

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v4"
)

func op() error { return nil }

func bounded(ctx context.Context) error {
	b := backoff.NewExponentialBackOff()
	b.MaxElapsedTime = 0
	return backoff.Retry(op, backoff.WithContext(backoff.WithMaxRetries(b, 3), ctx)) // want layer "attempts=4 initial=500ms max=1m"
}

func wrapped(ctx context.Context) error {
	var b backoff.BackOff = backoff.NewConstantBackOff(time.Second)
	b = backoff.WithMaxRetries(b, 5)
	b = backoff.WithContext(b, ctx)
	return backoff.Retry(op, b) // want layer "attempts=6 initial=1s"
}

func forEver() error {
	return backoff.Retry(op, backoff.NewConstantBackOff(time.Second)) // want layer "attempts=unbounded initial=1s"
}
`,
})

var _ = add(Library{
	Name:   "cenkalti/backoff v2, v3",
	Path:   "github.com/cenkalti/backoff/v3",
	Also:   []string{"github.com/cenkalti/backoff"},
	Source: "github.com/cenkalti/backoff@v2.2.1 tries.go:22-30, github.com/cenkalti/backoff/v3@v3.2.2 tries.go:22-30, exponential.go:116",
	Doc: "As v4, with three differences: WithMaxRetries(b, 0) sets no limit, a permanent error that is wrapped is repeated, because " +
		"it is found by a type assertion, and MaxElapsedTime is held against the time that has passed without the next wait, so that " +
		"one more attempt may come after it.",
	Calls: cenkaltiCalls()[:3],
	Parts: cenkaltiParts("unbounded", "gate-after"),
	Stub:  cenkaltiStub + "\nfunc Permanent(err error) *PermanentError { return nil }\n",
	Example: `package example

import (
	"time"

	"github.com/cenkalti/backoff/v3"
)

func op() error { return nil }

func none() error {
	return backoff.Retry(op, backoff.WithMaxRetries(&backoff.ZeroBackOff{}, 0)) // want layer "attempts=unbounded"
}

func minute() error {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.Multiplier, b.RandomizationFactor, b.MaxElapsedTime = 25*time.Second, 1, 0, time.Minute
	return backoff.Retry(op, b) // want layer "attempts=unbounded overall=1m total=4"
}
`,
})

var _ = add(Library{
	Name:   "cenkalti/backoff v5",
	Path:   "github.com/cenkalti/backoff/v5",
	Source: "github.com/cenkalti/backoff/v5@v5.0.3 retry.go:11,62-66,76-140, exponential.go:57-62, error.go:39",
	Doc: "WithMaxTries counts attempts, where v4 counted retries. Retry itself stops after 15 minutes unless WithMaxElapsedTime says " +
		"otherwise, also for constant policies; 0 means no limit in both. The wait after a RetryAfter error is the one it asks for.",
	Calls: []Call{{Func: "Retry", Runs: "arg 1", Policy: Policy{
		Follow:   []string{"option WithBackOff"},
		Attempts: "option WithMaxTries else unbounded", ZeroIs: "unbounded",
		Backoff: "exponential", Initial: "500ms", Factor: "1.5", Max: "60s", Jitter: "proportional 0.5",
		Overall: "option WithMaxElapsedTime [0 none] else 15m", Budget: "gate-before",
		On: "error", Context: "arg 0", Escape: "Permanent", OffSwitch: "backoff.WithMaxTries(1)",
	}}},
	Parts: []Part{
		{Func: "NewExponentialBackOff", Policy: cenkaltiExponential},
		{Func: "ExponentialBackOff", Policy: Policy{
			Backoff: "exponential", Initial: "field InitialInterval else 0s", Factor: "field Multiplier else 0",
			Max: "field MaxInterval [0 none] else none", Jitter: "proportional field RandomizationFactor else 0",
		}},
		{Func: "NewConstantBackOff", Policy: Policy{Backoff: "constant", Initial: "field Interval else arg 0", Jitter: "none"}},
		{Func: "ConstantBackOff", Policy: Policy{Backoff: "constant", Initial: "field Interval else 0s", Jitter: "none"}},
		{Func: "ZeroBackOff", Policy: Policy{Backoff: "none"}},
		{Func: "StopBackOff", Policy: Policy{Attempts: "1", Backoff: "none"}},
	},
	Stub: cenkaltiStubV5,
	Example: `package example

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"
)

func op() (string, error) { return "", nil }

func three(ctx context.Context) (string, error) {
	return backoff.Retry(ctx, op, backoff.WithMaxTries(3), backoff.WithBackOff(backoff.NewConstantBackOff(time.Second))) // want layer "attempts=3 initial=1s"
}

func defaults(ctx context.Context) (string, error) {
	return backoff.Retry(ctx, op) // want layer "attempts=unbounded overall=15m"
}
`,
})

const cenkaltiStub = `package backoff

import (
	"context"
	"time"
)

const Stop time.Duration = -1

type BackOff interface {
	NextBackOff() time.Duration
	Reset()
}
type BackOffContext interface {
	BackOff
	Context() context.Context
}
type Clock interface{ Now() time.Time }
type Timer interface {
	Start(duration time.Duration)
	Stop()
	C() <-chan time.Time
}
type Operation func() error
type Notify func(error, time.Duration)
type PermanentError struct{ Err error }

func (e *PermanentError) Error() string { return "" }
func (e *PermanentError) Unwrap() error { return nil }

type ExponentialBackOff struct {
	InitialInterval     time.Duration
	RandomizationFactor float64
	Multiplier          float64
	MaxInterval         time.Duration
	MaxElapsedTime      time.Duration
	Stop                time.Duration
	Clock               Clock
}

func (b *ExponentialBackOff) NextBackOff() time.Duration    { return 0 }
func (b *ExponentialBackOff) Reset()                        {}
func (b *ExponentialBackOff) GetElapsedTime() time.Duration { return 0 }

type ConstantBackOff struct{ Interval time.Duration }

func (b *ConstantBackOff) NextBackOff() time.Duration { return 0 }
func (b *ConstantBackOff) Reset()                     {}

type ZeroBackOff struct{}

func (b *ZeroBackOff) NextBackOff() time.Duration { return 0 }
func (b *ZeroBackOff) Reset()                     {}

type StopBackOff struct{}

func (b *StopBackOff) NextBackOff() time.Duration { return 0 }
func (b *StopBackOff) Reset()                     {}

type ExponentialBackOffOpts func(*ExponentialBackOff)

type Ticker struct{ C <-chan time.Time }

func (t *Ticker) Stop() {}

const (
	DefaultInitialInterval     = 500 * time.Millisecond
	DefaultRandomizationFactor = 0.5
	DefaultMultiplier          = 1.5
	DefaultMaxInterval         = 60 * time.Second
	DefaultMaxElapsedTime      = 15 * time.Minute
)

func NewExponentialBackOff(opts ...ExponentialBackOffOpts) *ExponentialBackOff { return nil }
func NewConstantBackOff(d time.Duration) *ConstantBackOff                      { return nil }
func NewTicker(b BackOff) *Ticker                                              { return nil }
func WithMaxRetries(b BackOff, max uint64) BackOff                             { return nil }
func WithContext(b BackOff, ctx context.Context) BackOffContext                { return nil }
func Retry(o Operation, b BackOff) error                                       { return nil }
func RetryNotify(operation Operation, b BackOff, notify Notify) error          { return nil }
func RetryNotifyWithTimer(operation Operation, b BackOff, notify Notify, t Timer) error {
	return nil
}
`

const cenkaltiStubV4 = `
type OperationWithData[T any] func() (T, error)

func WithInitialInterval(duration time.Duration) ExponentialBackOffOpts   { return nil }
func WithRandomizationFactor(f float64) ExponentialBackOffOpts            { return nil }
func WithMultiplier(multiplier float64) ExponentialBackOffOpts            { return nil }
func WithMaxInterval(duration time.Duration) ExponentialBackOffOpts       { return nil }
func WithMaxElapsedTime(duration time.Duration) ExponentialBackOffOpts    { return nil }
func WithRetryStopDuration(duration time.Duration) ExponentialBackOffOpts { return nil }
func WithClockProvider(clock Clock) ExponentialBackOffOpts                { return nil }
func Permanent(err error) error                                           { return nil }
func RetryWithData[T any](o OperationWithData[T], b BackOff) (T, error)   { var t T; return t, nil }
func RetryNotifyWithData[T any](operation OperationWithData[T], b BackOff, notify Notify) (T, error) {
	var t T
	return t, nil
}
func RetryNotifyWithTimerAndData[T any](operation OperationWithData[T], b BackOff, notify Notify, t Timer) (T, error) {
	var r T
	return r, nil
}
`

const cenkaltiStubV5 = `package backoff

import (
	"context"
	"time"
)

const Stop time.Duration = -1

type BackOff interface {
	NextBackOff() time.Duration
	Reset()
}
type Operation[T any] func() (T, error)
type Notify func(error, time.Duration)
type PermanentError struct{ Err error }

func (e *PermanentError) Error() string { return "" }
func (e *PermanentError) Unwrap() error { return nil }

type RetryAfterError struct{ Duration time.Duration }

func (e *RetryAfterError) Error() string { return "" }

type ExponentialBackOff struct {
	InitialInterval     time.Duration
	RandomizationFactor float64
	Multiplier          float64
	MaxInterval         time.Duration
}

func (b *ExponentialBackOff) NextBackOff() time.Duration { return 0 }
func (b *ExponentialBackOff) Reset()                     {}

type ConstantBackOff struct{ Interval time.Duration }

func (b *ConstantBackOff) NextBackOff() time.Duration { return 0 }
func (b *ConstantBackOff) Reset()                     {}

type ZeroBackOff struct{}

func (b *ZeroBackOff) NextBackOff() time.Duration { return 0 }
func (b *ZeroBackOff) Reset()                     {}

type StopBackOff struct{}

func (b *StopBackOff) NextBackOff() time.Duration { return 0 }
func (b *StopBackOff) Reset()                     {}

type retryOptions struct{}
type RetryOption func(*retryOptions)
type Ticker struct{ C <-chan time.Time }

func (t *Ticker) Stop() {}

const (
	DefaultInitialInterval     = 500 * time.Millisecond
	DefaultRandomizationFactor = 0.5
	DefaultMultiplier          = 1.5
	DefaultMaxInterval         = 60 * time.Second
	DefaultMaxElapsedTime      = 15 * time.Minute
)

func NewExponentialBackOff() *ExponentialBackOff          { return nil }
func NewConstantBackOff(d time.Duration) *ConstantBackOff { return nil }
func NewTicker(b BackOff) *Ticker                         { return nil }
func WithBackOff(b BackOff) RetryOption                   { return nil }
func WithNotify(n Notify) RetryOption                     { return nil }
func WithMaxTries(n uint) RetryOption                     { return nil }
func WithMaxElapsedTime(d time.Duration) RetryOption      { return nil }
func Permanent(err error) error                           { return nil }
func RetryAfter(seconds int) error                        { return nil }
func Retry[T any](ctx context.Context, operation Operation[T], opts ...RetryOption) (T, error) {
	var t T
	return t, nil
}
`
