package libs

import "github.com/retrylint/retrylint/model"

var _ = add(Library{
	Name: "matryer/try", Path: "github.com/matryer/try", Also: []string{"gopkg.in/matryer/try.v1"},
	Source: "github.com/matryer/try try.go:6,15-30",
	Doc:    "The package variable MaxRetries (10) counts attempts and holds for the whole program. There is no wait unless the function sleeps itself.",
	Calls: []Call{{Func: "Do", Runs: "arg 0", Policy: Policy{
		Attempts: "field MaxRetries else 10", ZeroIs: "one", NegativeIs: "one", Backoff: "none", Overall: "none", On: "error", Context: "none", DefaultBy: "matryer/try", OffSwitch: "try.MaxRetries = 1",
	}}},
	Stub: `package try

var MaxRetries = 10

type Func func(attempt int) (retry bool, err error)

func Do(fn Func) error               { return nil }
func IsMaxRetries(err error) bool    { return false }
`,
	Example: `package example

import "github.com/matryer/try"

func run(f func() error) error {
	return try.Do(func(attempt int) (bool, error) { // want layer "attempts=10"
		return attempt < 20, f()
	})
}
`,
})

// secondWait: attempts are counted from 1 when the first wait is worked out, so that it is already the second of the row.
func secondWait(_ Site, r *Result) {
	b := &r.Policy.Backoff
	switch b.Kind {
	case model.BackoffLinear:
		b.Initial = b.Initial.Plus(b.Step)
	case model.BackoffExponential:
		b.Initial = b.Initial.Scale(b.Factor)
	}
}

var _ = add(Library{
	Name: "Rican7/retry", Path: "github.com/Rican7/retry",
	Source: "github.com/Rican7/retry@v0.3.1 retry.go:16-36, strategy/strategy.go:25-80, backoff/backoff.go",
	Doc: "strategy.Limit counts attempts; Limit(0) never runs the action and returns nil. Without a Limit nothing ends the loop. Delay waits once " +
		"before the first attempt. Waits are worked out for attempt 1 on: the first wait of BinaryExponential(1s) is 2s.",
	Calls: []Call{{Func: "Retry", Runs: "arg 0", Policy: Policy{
		Follow:   []string{"option Backoff", "option BackoffWithJitter"},
		Attempts: "option Limit else unbounded", ZeroIs: "never",
		Backoff: "constant if option Wait else none", Initial: "option Wait", Max: "none",
		Jitter: "full if option BackoffWithJitter.1 = Full else equal if option BackoffWithJitter.1 = Equal else " +
			"proportional arg 1 of option BackoffWithJitter.1 if option BackoffWithJitter.1 = Deviation else some if option BackoffWithJitter else none",
		Overall: "none", On: "error", Context: "none", DefaultBy: "Rican7/retry", OffSwitch: "strategy.Limit(1)",
	}}},
	Parts: []Part{
		{Func: "Incremental", Policy: Policy{Backoff: "linear", Initial: "arg 0", Step: "arg 1", Fix: secondWait}},
		{Func: "Linear", Policy: Policy{Backoff: "linear", Initial: "arg 0", Step: "arg 0"}},
		{Func: "Exponential", Policy: Policy{Backoff: "exponential", Initial: "arg 0", Factor: "arg 1", Fix: secondWait}},
		{Func: "BinaryExponential", Policy: Policy{Backoff: "exponential", Initial: "arg 0", Factor: "2", Fix: secondWait}},
		{Func: "Fibonacci", Policy: Policy{Backoff: "exponential", Initial: "arg 0", Factor: "2", Fix: fibonacci(1, 1)}},
	},
	Stub: `package retry

import "github.com/Rican7/retry/strategy"

type Action func(attempt uint) error

func Retry(action Action, strategies ...strategy.Strategy) error { return nil }
`,
	StubFiles: map[string]string{
		"github.com/Rican7/retry/strategy": `package strategy

import (
	"time"

	"github.com/Rican7/retry/backoff"
	"github.com/Rican7/retry/jitter"
)

type Strategy func(attempt uint) bool

func Limit(attemptLimit uint) Strategy                       { return nil }
func Delay(duration time.Duration) Strategy                  { return nil }
func Wait(durations ...time.Duration) Strategy               { return nil }
func Backoff(algorithm backoff.Algorithm) Strategy           { return nil }
func BackoffWithJitter(algorithm backoff.Algorithm, transformation jitter.Transformation) Strategy {
	return nil
}
`,
		"github.com/Rican7/retry/backoff": `package backoff

import "time"

type Algorithm func(attempt uint) time.Duration

func Incremental(initial, increment time.Duration) Algorithm          { return nil }
func Linear(factor time.Duration) Algorithm                           { return nil }
func Exponential(factor time.Duration, base float64) Algorithm        { return nil }
func BinaryExponential(factor time.Duration) Algorithm                { return nil }
func Fibonacci(factor time.Duration) Algorithm                        { return nil }
`,
		"github.com/Rican7/retry/jitter": `package jitter

import (
	"math/rand"
	"time"
)

type Transformation func(duration time.Duration) time.Duration

func Full(generator *rand.Rand) Transformation                                           { return nil }
func Equal(generator *rand.Rand) Transformation                                          { return nil }
func Deviation(generator *rand.Rand, factor float64) Transformation                      { return nil }
func NormalDistribution(generator *rand.Rand, standardDeviation float64) Transformation  { return nil }
`,
	},
	Example: `package example

import (
	"time"

	"github.com/Rican7/retry"
	"github.com/Rican7/retry/backoff"
	"github.com/Rican7/retry/jitter"
	"github.com/Rican7/retry/strategy"
)

func op(attempt uint) error { return nil }

func three() error {
	return retry.Retry(op, strategy.Limit(3), strategy.Backoff(backoff.BinaryExponential(time.Second))) // want layer "attempts=3 wait=2s,4s,8s"
}

func more() error {
	return retry.Retry(op, strategy.Limit(3), strategy.Backoff(backoff.Incremental(time.Second, 3*time.Second))) // want layer "attempts=3 wait=4s,7s,10s"
}

func rabbits() error {
	return retry.Retry(op, strategy.Limit(4), strategy.BackoffWithJitter(backoff.Fibonacci(2*time.Second), jitter.Equal(nil))) // want layer "attempts=4 wait=1s..2s,1s..2s,2s..4s"
}
`,
})

var resiliencyRun = Policy{Follow: []string{"receiver"}, Attempts: "unknown", On: "error", DefaultBy: "go-resiliency"}

var _ = add(Library{
	Name: "eapache/go-resiliency retrier", Path: "github.com/eapache/go-resiliency/retrier", Also: []string{"gopkg.in/eapache/go-resiliency.v1/retrier"},
	Source: "github.com/eapache/go-resiliency@v1.7.0 retrier/retrier.go:27-123, backoffs.go",
	Doc:    "The length of the slice of waits is the number of retries; an empty one makes a single attempt. A nil classifier repeats every error.",
	Calls: []Call{
		{Func: "(*Retrier).Run", Runs: "arg 0", Policy: with(resiliencyRun, Policy{Context: "none"})},
		{Func: "(*Retrier).RunCtx", Runs: "arg 1", Policy: with(resiliencyRun, Policy{Context: "arg 0"})},
		{Func: "(*Retrier).RunFn", Runs: "arg 1", Policy: with(resiliencyRun, Policy{Context: "arg 0"})},
	},
	Parts: []Part{
		{Func: "New", Wraps: "arg 0", Policy: Policy{
			Attempts: "unbounded if setter WithInfiniteRetry else len arg 0 + 1", Backoff: "list arg 0", Jitter: "proportional setter SetJitter if setter SetJitter else none", Predicate: "arg 1",
		}},
		{Func: "ConstantBackoff", Policy: Policy{Attempts: "arg 0 + 1", Backoff: "constant", Initial: "arg 1"}},
		{Func: "ExponentialBackoff", Policy: Policy{Attempts: "arg 0 + 1", Backoff: "exponential", Initial: "arg 1", Factor: "2", Max: "none"}},
		{Func: "LimitedExponentialBackoff", Policy: Policy{Attempts: "arg 0 + 1", Backoff: "exponential", Initial: "arg 1", Factor: "2", Max: "arg 2"}},
	},
	Stub: `package retrier

import (
	"context"
	"time"
)

type Action int

const (
	Succeed Action = iota
	Fail
	Retry
)

type Classifier interface{ Classify(error) Action }
type DefaultClassifier struct{}

func (c DefaultClassifier) Classify(err error) Action { return 0 }

type WhitelistClassifier []error

func (list WhitelistClassifier) Classify(err error) Action { return 0 }

type BlacklistClassifier []error

func (list BlacklistClassifier) Classify(err error) Action { return 0 }

type Retrier struct{}

func New(backoff []time.Duration, class Classifier) *Retrier                                                { return nil }
func (r *Retrier) WithInfiniteRetry() *Retrier                                                              { return nil }
func (r *Retrier) WithSurfaceWorkErrors() *Retrier                                                          { return nil }
func (r *Retrier) SetJitter(jit float64)                                                                    {}
func (r *Retrier) Run(work func() error) error                                                              { return nil }
func (r *Retrier) RunCtx(ctx context.Context, work func(ctx context.Context) error) error                   { return nil }
func (r *Retrier) RunFn(ctx context.Context, work func(ctx context.Context, retries int) error) error       { return nil }
func ConstantBackoff(n int, amount time.Duration) []time.Duration                                           { return nil }
func ExponentialBackoff(n int, initialAmount time.Duration) []time.Duration                                 { return nil }
func LimitedExponentialBackoff(n int, initialAmount, limitAmount time.Duration) []time.Duration             { return nil }
`,
	Example: `package example

import (
	"time"

	"github.com/eapache/go-resiliency/retrier"
)

func op() error { return nil }

func four() error {
	r := retrier.New(retrier.ConstantBackoff(3, time.Second), nil)
	return r.Run(op) // want layer "attempts=4 initial=1s"
}

func spread() error {
	r := retrier.New(retrier.ExponentialBackoff(3, time.Second), nil)
	r.SetJitter(0.5)
	return r.Run(op) // want layer "attempts=4 wait=500ms..1.5s,1s..3s,2s..6s"
}
`,
})

var lestrratPart = Policy{Attempts: "option WithMaxRetries + 1 else 11", ZeroIs: "unbounded", NegativeIs: "unbounded"}

var _ = add(Library{
	Name: "lestrrat-go/backoff", Path: "github.com/lestrrat-go/backoff/v2",
	Source: "github.com/lestrrat-go/backoff/v2@v2.0.8 controller.go:21-87, exponential.go:17-60, options.go:72-125",
	Doc: "WithMaxRetries(n) makes n or n + 1 attempts, because the last tick races with the end; the higher number is used. The loop goes on after " +
		"success, too, unless its body leaves it, and the timer runs while the body works.",
	Calls: []Call{{Func: "Continue", Runs: "body", Policy: Policy{Follow: []string{"receiver of arg 0 else arg 0"}, Attempts: "unknown", On: "error", Context: "arg 0 of arg 0", DefaultBy: "lestrrat-go/backoff"}}},
	Parts: []Part{
		{Func: "Exponential, NewExponentialPolicy", Policy: with(lestrratPart, Policy{
			Backoff: "exponential", Initial: "option WithMinInterval else 500ms", Factor: "option WithMultiplier else 1.5", Max: "option WithMaxInterval else 1m",
			Jitter: "proportional option WithJitterFactor if option WithJitterFactor else none",
		})},
		{Func: "Constant, NewConstantPolicy", Policy: with(lestrratPart, Policy{
			Backoff: "constant", Initial: "option WithInterval else 1m", Jitter: "proportional option WithJitterFactor if option WithJitterFactor else none",
		})},
		{Func: "Null, NewNull", Policy: Policy{Attempts: "1", Backoff: "none"}},
	},
	Stub: `package backoff

import (
	"context"
	"time"
)

type Controller interface {
	Done() <-chan struct{}
	Next() <-chan struct{}
}
type Policy interface {
	Start(context.Context) Controller
}
type Option interface{ Ident() interface{} }

func Exponential(options ...Option) Policy             { return nil }
func Constant(options ...Option) Policy                { return nil }
func NewExponentialPolicy(options ...Option) Policy    { return nil }
func NewConstantPolicy(options ...Option) Policy       { return nil }
func Null() Policy                                     { return nil }
func NewNull() Policy                                  { return nil }
func Continue(c Controller) bool                       { return false }
func WithMaxRetries(v int) Option                      { return nil }
func WithInterval(v time.Duration) Option              { return nil }
func WithMinInterval(v time.Duration) Option           { return nil }
func WithMaxInterval(v time.Duration) Option           { return nil }
func WithMultiplier(v float64) Option                  { return nil }
func WithJitterFactor(v float64) Option                { return nil }
`,
	Example: `package example

import (
	"context"

	"github.com/lestrrat-go/backoff/v2"
)

func run(ctx context.Context, op func() error) error {
	c := backoff.Exponential(backoff.WithMaxRetries(3)).Start(ctx)
	var err error
	for backoff.Continue(c) { // want layer "attempts=4 initial=500ms"
		if err = op(); err == nil {
			return nil
		}
	}
	return err
}
`,
})

var _ = add(Library{
	Name: "flowchartsman/retry", Path: "github.com/flowchartsman/retry",
	Source: "github.com/flowchartsman/retry@337728c retry.go:10-141",
	Doc:    "NewRetrier's first argument counts attempts; zero and less mean 5. Stop marks a permanent error, but not through wrapping.",
	Calls: []Call{
		{Func: "(*Retrier).Run", Runs: "arg 0", Policy: Policy{Follow: []string{"receiver"}, Attempts: "unknown", On: "error", Escape: "Stop", Context: "none"}},
		{Func: "(*Retrier).RunContext", Runs: "arg 1", Policy: Policy{Follow: []string{"receiver"}, Attempts: "unknown", On: "error", Escape: "Stop", Context: "arg 0"}},
	},
	Parts: []Part{{Func: "NewRetrier", Policy: Policy{
		Attempts: "arg 0", ZeroIs: "5", NegativeIs: "5", Backoff: "exponential", Initial: "arg 1 [0 200ms, - 200ms] * 3", Factor: "2", Max: "arg 2 [0 1s, - 1s]", Jitter: "some",
		DefaultBy: "flowchartsman/retry",
	}}},
	Stub: `package retry

import (
	"context"
	"time"
)

type Retrier struct{}

func NewRetrier(maxTries int, initialDelay, maxDelay time.Duration) *Retrier                              { return nil }
func (r *Retrier) Run(funcToRetry func() error) error                                                     { return nil }
func (r *Retrier) RunContext(ctx context.Context, funcToRetry func(context.Context) error) error          { return nil }
func Stop(err error) error                                                                                { return nil }
`,
	Example: `package example

import (
	"time"

	"github.com/flowchartsman/retry"
)

func op() error { return nil }

func three() error {
	r := retry.NewRetrier(3, 100*time.Millisecond, time.Second)
	return r.Run(op) // want layer "attempts=3"
}
`,
})

var _ = add(Library{
	Name: "jpillora/backoff", Path: "github.com/jpillora/backoff",
	Source: "github.com/jpillora/backoff@v1.1.0 backoff.go:18-95",
	Doc:    "It only computes waits: the loop around Duration decides how often. Zero values are 100ms, 10s and a factor of 2, without jitter; Jitter spreads between Min and the wait.",
	Calls: []Call{
		{Func: "(*Backoff).Duration", Runs: "body", Policy: Policy{Follow: []string{"receiver"}, Attempts: "unknown", DefaultBy: "jpillora/backoff"}},
		{Func: "(*Backoff).ForAttempt", Runs: "body", Policy: Policy{Follow: []string{"receiver"}, Attempts: "unknown", DefaultBy: "jpillora/backoff"}},
	},
	Parts: []Part{{Func: "Backoff", Policy: Policy{
		Backoff: "exponential", Initial: "field Min [0 default] else 100ms", Factor: "field Factor [0 default] else 2", Max: "field Max [0 default] else 10s",
		Jitter: "full if field Jitter else none",
	}}},
	Stub: `package backoff

import "time"

type Backoff struct {
	Factor float64
	Jitter bool
	Min    time.Duration
	Max    time.Duration
}

func (b *Backoff) Duration() time.Duration                     { return 0 }
func (b *Backoff) ForAttempt(attempt float64) time.Duration    { return 0 }
func (b *Backoff) Reset()                                      {}
func (b *Backoff) Attempt() float64                            { return 0 }
func (b *Backoff) Copy() *Backoff                              { return nil }
`,
})

// daprDefault is DefaultConfig with the fields that are set on it; the exponential policy has defaults of its own.
func daprDefault(attempts string) Policy {
	const exponential = "field Policy = PolicyExponential"
	return Policy{
		Attempts: "field MaxRetries + 1 else " + attempts, NegativeIs: "unbounded",
		Backoff: "exponential if " + exponential + " else constant",
		Initial: "field InitialInterval if " + exponential + " else 500ms if " + exponential + " else field Duration else 5s",
		Factor:  "field Multiplier else 1.5", Max: "field MaxInterval if " + exponential + " else 60s if " + exponential + " else none",
		Jitter:  "proportional field RandomizationFactor else 0.5 if " + exponential + " else none",
		Overall: "field MaxElapsedTime [0 none] if " + exponential + " else 15m if " + exponential + " else none", Budget: "gate-before",
	}
}

var daprRetry = Policy{
	Follow: []string{"arg 1"}, Attempts: "unbounded", Overall: "none", On: "error", Escape: "Permanent", DefaultBy: "dapr/kit retry",
}

var _ = add(Library{
	Name: "dapr/kit retry", Path: "github.com/dapr/kit/retry",
	Source: "github.com/dapr/kit@6e5616a retry/retry.go:40-192",
	Doc:    "MaxRetries counts retries and is -1, without end, in DefaultConfig. A Config whose fields are all zero turns into that default when it is decoded.",
	Calls: []Call{
		{Func: "NotifyRecover", Runs: "arg 0", Policy: daprRetry},
		{Func: "NotifyRecoverWithData", Runs: "arg 0", Policy: daprRetry},
	},
	Parts: append([]Part{
		{Func: "NewBackOff, NewBackOffWithContext", Wraps: "receiver", Policy: Policy{}},
		{Func: "DefaultConfig, DecodeConfig, DecodeConfigWithPrefix", Policy: daprDefault("unbounded")},
		{Func: "DefaultConfigWithNoRetry", Policy: daprDefault("1")},
		{Func: "Config", Policy: Policy{
			Attempts: "field MaxRetries + 1 else 1", NegativeIs: "unbounded",
			Backoff: "exponential if field Policy = PolicyExponential else constant", Initial: "field InitialInterval if field Policy = PolicyExponential else field Duration else 0s",
			Factor: "field Multiplier else 1.5", Max: "field MaxInterval else none", Jitter: "proportional field RandomizationFactor if field Policy = PolicyExponential else none",
			Overall: "field MaxElapsedTime [0 none] else none", Budget: "gate-before",
		}},
	}, cenkaltiParts("one", "gate-before")...),
	Stub: `package retry

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v4"
)

type PolicyType int

const (
	PolicyConstant PolicyType = iota
	PolicyExponential
)

type Config struct {
	Policy              PolicyType
	Duration            time.Duration
	InitialInterval     time.Duration
	RandomizationFactor float32
	Multiplier          float32
	MaxInterval         time.Duration
	MaxElapsedTime      time.Duration
	MaxRetries          int64
}

func DefaultConfig() Config                                                     { return Config{} }
func DefaultConfigWithNoRetry() Config                                          { return Config{} }
func DecodeConfig(c *Config, input any) error                                   { return nil }
func DecodeConfigWithPrefix(c *Config, input any, prefix string) error          { return nil }
func (c *Config) NewBackOff() backoff.BackOff                                   { return nil }
func (c *Config) NewBackOffWithContext(ctx context.Context) backoff.BackOff     { return nil }
func NotifyRecover(operation backoff.Operation, b backoff.BackOff, notify backoff.Notify, recovered func()) error {
	return nil
}
func NotifyRecoverWithData[T any](operation backoff.OperationWithData[T], b backoff.BackOff, notify backoff.Notify, recovered func()) (T, error) {
	var t T
	return t, nil
}
`,
	Example: `package example

import (
	"context"

	"github.com/dapr/kit/retry"
)

type consumer struct{ again retry.Config }

func (c *consumer) init(settings map[string]string) error {
	return retry.DecodeConfigWithPrefix(&c.again, settings, "backOff")
}

func (c *consumer) handle(ctx context.Context, f func() error) error {
	return retry.NotifyRecover(f, c.again.NewBackOffWithContext(ctx), nil, nil) // want layer "attempts=unbounded initial=5s"
}

func three(ctx context.Context, f func() error) error {
	cfg := retry.DefaultConfig()
	cfg.MaxRetries = 2
	return retry.NotifyRecover(f, cfg.NewBackOffWithContext(ctx), nil, nil) // want layer "attempts=3 initial=5s"
}
`,
})
