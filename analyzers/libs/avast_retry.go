package libs

import "github.com/retrylint/retrylint/model"

// avastPolicy is what all majors share; options stand among the arguments of Do, or of New in v5.
func avastPolicy(zeroIs string) Policy {
	return Policy{
		Follow:   []string{"option DelayType"},
		Attempts: "unbounded if option UntilSucceeded else option Attempts else 10", ZeroIs: zeroIs,
		Backoff: "exponential", Initial: "option Delay else 100ms", Factor: "2", Max: "option MaxDelay [0 none] else none",
		Jitter: "additive option MaxJitter else 100ms", CapsSum: true,
		On: "error", Predicate: "option RetryIf", Context: "option Context", Escape: "Unrecoverable",
		DefaultBy: "avast/retry-go", OffSwitch: "retry.Attempts(1)",
	}
}

var avastParts = []Part{
	{Func: "FixedDelay", Policy: Policy{Backoff: "constant", Initial: "option Delay else 100ms", Jitter: "none"}},
	{Func: "BackOffDelay", Policy: Policy{Backoff: "exponential", Jitter: "none"}},
	{Func: "RandomDelay", Policy: Policy{Backoff: "constant", Initial: "option MaxJitter else 100ms", Jitter: "full"}},
	{Func: "FullJitterBackoffDelay", Policy: Policy{Backoff: "exponential", Initial: "option Delay * 2 else 200ms", Jitter: "full"}},
	{Func: "CombineDelay", Policy: Policy{Backoff: "constant if arg 0 = FixedDelay else constant if arg 1 = FixedDelay else exponential", Fix: avastCombined}},
}

// avastCombined: the delays are added. Doubling and random together are the default; without a random one there is no jitter.
func avastCombined(s Site, r *Result) {
	b, random, base := &r.Policy.Backoff, false, false
	for i := 0; s.Arg(i).Set; i++ {
		switch s.Arg(i).Name {
		case "RandomDelay":
			random = true
		case "BackOffDelay", "FixedDelay":
			if base {
				*b = model.Backoff{} // two of them
				return
			}
			base = true
		default:
			*b = model.Backoff{}
			return
		}
	}
	switch {
	case !base && random:
		b.Kind, b.Initial = model.BackoffConstant, model.For(0)
	case !random:
		b.Jitter = model.Jitter{Kind: model.JitterNone}
	}
}

// avastFirstWait is the releases that double the first wait.
var avastFirstWait = Variant{Versions: "= v4.6.1", Policy: Policy{Initial: "option Delay * 2 else 200ms"}}

var _ = add(Library{
	Name:   "avast/retry-go v4",
	Path:   "github.com/avast/retry-go/v4",
	Also:   []string{"github.com/codeGROOVE-dev/retry"},
	Source: "github.com/avast/retry-go/v4@v4.7.0 retry.go:123-238, options.go:115-190; v4.6.1 retry.go:205-207, options.go:131",
	Doc: "Attempts counts attempts, and 0 means without end. The tenth attempt comes after about 51 seconds. MaxDelay caps the wait and its " +
		"jitter together. A RetryIf of your own replaces the check for Unrecoverable. AttemptsForError is a second, smaller limit.",
	Calls: []Call{
		{Func: "Do", Runs: "arg 0", Policy: with(avastPolicy("unbounded"), Policy{When: []Variant{avastFirstWait}})},
		{Func: "DoWithData", Runs: "arg 0", Policy: with(avastPolicy("unbounded"), Policy{When: []Variant{avastFirstWait}})},
	},
	Parts: avastParts,
	Stub:  avastStub + avastStubV4,
	Example: `package example

import (
	"time"

	"github.com/avast/retry-go/v4"
)

func op() error { return nil }

func defaults() error {
	return retry.Do(op) // want layer "attempts=10 initial=100ms"
}

func three() error {
	return retry.Do(op, retry.Attempts(3), retry.Delay(time.Second), retry.DelayType(retry.FixedDelay)) // want layer "attempts=3 initial=1s backoff=constant"
}

func spread() error {
	return retry.Do(op, retry.Attempts(4), retry.Delay(time.Second), retry.DelayType(retry.FullJitterBackoffDelay)) // want layer "attempts=4 initial=2s jitter=full"
}

func combined() error {
	return retry.Do(op, retry.Delay(time.Second), retry.MaxJitter(3*time.Second), retry.DelayType(retry.CombineDelay(retry.RandomDelay, retry.FixedDelay))) // want layer "attempts=10 wait=1s..4s,1s..4s,1s..4s"
}

func random() error {
	return retry.Do(op, retry.Delay(time.Second), retry.MaxJitter(50*time.Millisecond), retry.DelayType(retry.RandomDelay)) // want layer "attempts=10 initial=50ms jitter=full"
}
`,
})

var _ = add(Library{
	Name:   "avast/retry-go v2, v3",
	Path:   "github.com/avast/retry-go/v3",
	Also:   []string{"github.com/avast/retry-go"},
	Source: "github.com/avast/retry-go@v2.7.0 retry.go:77-156, github.com/avast/retry-go/v3@v3.1.1 retry.go:83-160",
	Doc:    "As v4, but Attempts(0) never calls the function at all.",
	Calls:  []Call{{Func: "Do", Runs: "arg 0", Policy: avastPolicy("never")}},
	Parts:  avastParts,
	Stub:   avastStub,
	Example: `package example

import "github.com/avast/retry-go/v3"

func op() error { return nil }

func five() error {
	return retry.Do(op, retry.Attempts(5)) // want layer "attempts=5 initial=100ms"
}
`,
})

var _ = add(Library{
	Name:   "avast/retry-go v5",
	Path:   "github.com/avast/retry-go/v5",
	Source: "github.com/avast/retry-go/v5@v5.1.1 retry.go:170-296, options.go:201-245",
	Doc:    "Options are given to New; the retrier that it returns keeps no state between calls. Attempts counts attempts, 0 means without end.",
	Calls: []Call{
		{Func: "(*Retrier).Do", Runs: "arg 0", Policy: Policy{Follow: []string{"receiver"}, Attempts: "10", On: "error", Escape: "Unrecoverable"}},
		{Func: "(*RetrierWithData).Do", Runs: "arg 0", Policy: Policy{Follow: []string{"receiver"}, Attempts: "10", On: "error", Escape: "Unrecoverable"}},
	},
	Parts: append([]Part{
		{Func: "New, NewWithData", Policy: avastPolicy("unbounded")},
	}, avastParts...),
	Stub: avastStub + avastStubV4 + `
type Retrier struct{}
type RetrierWithData[T any] struct{}

func New(opts ...Option) *Retrier                                    { return nil }
func NewWithData[T any](opts ...Option) *RetrierWithData[T]          { return nil }
func (r *Retrier) Do(retryableFunc RetryableFunc) error              { return nil }
func (r *RetrierWithData[T]) Do(f RetryableFuncWithData[T]) (T, error) { var t T; return t, nil }
func WithThrottle(t any) Option                                      { return nil }
func WithFixedTokenBucketThrottle(maxTokens, ratio float64) Option   { return nil }
`,
	Example: `package example

import (
	"time"

	"github.com/avast/retry-go/v5"
)

func op() error { return nil }

func four() error {
	r := retry.New(retry.Attempts(4))
	return r.Do(op) // want layer "attempts=4 initial=100ms"
}

func fixed() error {
	return retry.New(retry.Delay(time.Second), retry.DelayType(retry.FixedDelay)).Do(op) // want layer "attempts=10 wait=1s,1s,1s"
}
`,
})

const avastStub = `package retry

import (
	"context"
	"time"
)

type Config struct{}
type Option func(*Config)
type RetryableFunc func() error
type RetryIfFunc func(error) bool
type OnRetryFunc func(attempt uint, err error)
type DelayTypeFunc func(n uint, err error, config *Config) time.Duration
type Timer interface {
	After(time.Duration) <-chan time.Time
}
type Error []error

func (e Error) Error() string          { return "" }
func (e Error) WrappedErrors() []error { return nil }
func (e Error) Is(target error) bool   { return false }
func (e Error) As(target any) bool     { return false }

func Attempts(attempts uint) Option                                       { return nil }
func AttemptsForError(attempts uint, err error) Option                    { return nil }
func Delay(delay time.Duration) Option                                    { return nil }
func MaxDelay(maxDelay time.Duration) Option                              { return nil }
func MaxJitter(maxJitter time.Duration) Option                            { return nil }
func DelayType(delayType DelayTypeFunc) Option                            { return nil }
func OnRetry(onRetry OnRetryFunc) Option                                  { return nil }
func RetryIf(retryIf RetryIfFunc) Option                                  { return nil }
func LastErrorOnly(lastErrorOnly bool) Option                             { return nil }
func Context(ctx context.Context) Option                                  { return nil }
func WithTimer(t Timer) Option                                            { return nil }
func BackOffDelay(n uint, err error, config *Config) time.Duration        { return 0 }
func FixedDelay(n uint, err error, config *Config) time.Duration          { return 0 }
func RandomDelay(n uint, err error, config *Config) time.Duration         { return 0 }
func CombineDelay(delays ...DelayTypeFunc) DelayTypeFunc                  { return nil }
func Unrecoverable(err error) error                                       { return nil }
func IsRecoverable(err error) bool                                        { return false }
func Do(retryableFunc RetryableFunc, opts ...Option) error                { return nil }
`

const avastStubV4 = `
type RetryableFuncWithData[T any] func() (T, error)

func UntilSucceeded() Option                                                 { return nil }
func WrapContextErrorWithLastError(b bool) Option                            { return nil }
func FullJitterBackoffDelay(n uint, err error, config *Config) time.Duration { return 0 }
func DoWithData[T any](f RetryableFuncWithData[T], opts ...Option) (T, error) {
	var t T
	return t, nil
}
`
