package libs

import (
	"github.com/retrylint/retrylint/model"
)

// k8sParts are wait.Backoff and the presets of client-go.
var k8sParts = []Part{
	{Func: "Backoff", Policy: Policy{
		Attempts: "field Steps else 0", ZeroIs: "never", NegativeIs: "never",
		Backoff: "exponential", Initial: "field Duration else 0s", Factor: "field Factor [0 1] else 1", Max: "field Cap [0 none] else none",
		Jitter: "upward field Jitter else 0", Fix: k8sCap,
	}},
	{Func: "DefaultRetry", Policy: Policy{Attempts: "5", Backoff: "constant", Initial: "10ms", Jitter: "upward 0.1", DefaultBy: "client-go retry.DefaultRetry"}},
	{Func: "DefaultBackoff", Policy: Policy{Attempts: "4", Backoff: "exponential", Initial: "10ms", Factor: "5", Jitter: "upward 0.1", DefaultBy: "client-go retry.DefaultBackoff"}},
}

// k8sCap: a wait that would pass Cap ends the loop, so that Cap limits the attempts: attempt j+1 runs only while the j-th wait
// stays within it.
func k8sCap(_ Site, r *Result) {
	b := &r.Policy.Backoff
	d, ok := b.Initial.Duration()
	limit, capped := b.Max.Duration()
	steps, known := r.Policy.Attempts.Max()
	if !ok || !capped || !known || !b.Factor.Known() || d <= 0 || b.Factor.Cmp(model.NewRatio(1, 1)) <= 0 {
		return
	}
	n, wait := int64(1), float64(d)
	for f := b.Factor.Float(); n < steps; n++ {
		if wait *= f; wait > float64(limit) {
			break
		}
	}
	if n < steps {
		at := model.Location{}
		if len(r.At) > 0 {
			at = r.At[0]
		}
		r.Traits = append(r.Traits, model.Trait{Kind: model.TraitIneffective, At: at, Detail: "Cap ends the loop before the last step"})
		r.Policy.Attempts = r.Policy.Attempts.AtMost(n)
	}
}

// k8sPolicy: what runs while its condition says "not yet"; an error of the condition ends it.
func k8sPolicy(follow, context string) Policy {
	p := Policy{Follow: []string{follow}, Attempts: "unknown", Context: context, DefaultBy: "apimachinery wait"}
	p.Traits = []TraitTerm{{Kind: model.TraitWaitsForState}}
	return p
}

// k8sPoll is a poll each interval until a time limit.
func k8sPoll(attempts, interval, overall, context string) Policy {
	return Policy{
		Attempts: attempts, Backoff: "constant", Initial: interval, Jitter: "none", Overall: overall, Context: context,
		Traits: []TraitTerm{{Kind: model.TraitWaitsForState}}, DefaultBy: "apimachinery wait",
	}
}

var _ = add(Library{
	Name:   "k8s.io/apimachinery wait",
	Path:   "k8s.io/apimachinery/pkg/util/wait",
	Source: "k8s.io/apimachinery@v0.37.2 pkg/util/wait/backoff.go:98-126,475-518, poll.go:32-243, loop.go:37",
	Doc: "Steps counts attempts; 0 never calls the condition. Cap does not clamp the waits, it ends the loop: with 1ms, factor 2 and a cap of " +
		"5ms there are three attempts, whatever Steps says. The condition's error ends the loop, (false, nil) repeats it. ExponentialBackoff " +
		"without a context sleeps and cannot be stopped.",
	Calls: []Call{
		{Func: "ExponentialBackoff", Runs: "arg 1", Policy: k8sPolicy("arg 0", "none")},
		{Func: "ExponentialBackoffWithContext", Runs: "arg 2", Policy: k8sPolicy("arg 1", "arg 0")},
		{Func: "PollUntilContextTimeout", Runs: "arg 4", Policy: k8sPoll("polls(arg 2, arg 1)", "arg 1", "arg 2", "arg 0")},
		{Func: "PollUntilContextCancel", Runs: "arg 3", Policy: k8sPoll("unbounded", "arg 1", "none", "arg 0")},
		{Func: "Poll, PollImmediate", Runs: "arg 2", Policy: k8sPoll("polls(arg 1, arg 0)", "arg 0", "arg 1", "none")},
		{Func: "PollWithContext, PollImmediateWithContext", Runs: "arg 3", Policy: k8sPoll("polls(arg 2, arg 1)", "arg 1", "arg 2", "arg 0")},
		{Func: "PollInfinite, PollImmediateInfinite", Runs: "arg 1", Policy: k8sPoll("unbounded", "arg 0", "none", "none")},
		{Func: "PollInfiniteWithContext, PollImmediateInfiniteWithContext", Runs: "arg 2", Policy: k8sPoll("unbounded", "arg 1", "none", "arg 0")},
		{Func: "PollUntil, PollImmediateUntil", Runs: "arg 1", Policy: k8sPoll("unbounded", "arg 0", "none", "arg 2")},
		{Func: "PollUntilWithContext, PollImmediateUntilWithContext", Runs: "arg 2", Policy: k8sPoll("unbounded", "arg 1", "none", "arg 0")},
		{Func: "(*Backoff).Step, Backoff.Step", Runs: "body", Policy: Policy{Follow: []string{"receiver"}, Attempts: "unknown"}},
	},
	Parts: k8sParts,
	Stub: `package wait

import (
	"context"
	"errors"
	"time"
)

type ConditionFunc func() (done bool, err error)
type ConditionWithContextFunc func(context.Context) (done bool, err error)

func (cf ConditionFunc) WithContext() ConditionWithContextFunc { return nil }

type Backoff struct {
	Duration time.Duration
	Factor   float64
	Jitter   float64
	Steps    int
	Cap      time.Duration
}

func (b *Backoff) Step() time.Duration                                         { return 0 }
func (b Backoff) DelayFunc() DelayFunc                                         { return nil }
func (b Backoff) Timer() Timer                                                 { return nil }

type DelayFunc func() time.Duration
type Timer interface {
	C() <-chan time.Time
	Next()
	Stop()
}
type BackoffManager interface{ Backoff() any }

var (
	ErrWaitTimeout = errors.New("timed out waiting for the condition")
	NeverStop      <-chan struct{}
	ForeverTestTimeout = time.Second * 30
)

func ErrorInterrupted(cause error) error { return nil }
func Interrupted(err error) bool         { return false }
func ExponentialBackoff(backoff Backoff, condition ConditionFunc) error { return nil }
func ExponentialBackoffWithContext(ctx context.Context, backoff Backoff, condition ConditionWithContextFunc) error {
	return nil
}
func Poll(interval, timeout time.Duration, condition ConditionFunc) error          { return nil }
func PollImmediate(interval, timeout time.Duration, condition ConditionFunc) error { return nil }
func PollInfinite(interval time.Duration, condition ConditionFunc) error           { return nil }
func PollImmediateInfinite(interval time.Duration, condition ConditionFunc) error  { return nil }
func PollUntil(interval time.Duration, condition ConditionFunc, stopCh <-chan struct{}) error {
	return nil
}
func PollImmediateUntil(interval time.Duration, condition ConditionFunc, stopCh <-chan struct{}) error {
	return nil
}
func PollWithContext(ctx context.Context, interval, timeout time.Duration, condition ConditionWithContextFunc) error {
	return nil
}
func PollImmediateWithContext(ctx context.Context, interval, timeout time.Duration, condition ConditionWithContextFunc) error {
	return nil
}
func PollInfiniteWithContext(ctx context.Context, interval time.Duration, condition ConditionWithContextFunc) error {
	return nil
}
func PollImmediateInfiniteWithContext(ctx context.Context, interval time.Duration, condition ConditionWithContextFunc) error {
	return nil
}
func PollUntilWithContext(ctx context.Context, interval time.Duration, condition ConditionWithContextFunc) error {
	return nil
}
func PollImmediateUntilWithContext(ctx context.Context, interval time.Duration, condition ConditionWithContextFunc) error {
	return nil
}
func PollUntilContextCancel(ctx context.Context, interval time.Duration, immediate bool, condition ConditionWithContextFunc) error {
	return nil
}
func PollUntilContextTimeout(ctx context.Context, interval, timeout time.Duration, immediate bool, condition ConditionWithContextFunc) error {
	return nil
}
func Until(f func(), period time.Duration, stopCh <-chan struct{})                                            {}
func UntilWithContext(ctx context.Context, f func(context.Context), period time.Duration)                     {}
func NonSlidingUntil(f func(), period time.Duration, stopCh <-chan struct{})                                  {}
func NonSlidingUntilWithContext(ctx context.Context, f func(context.Context), period time.Duration)           {}
func JitterUntil(f func(), period time.Duration, jitterFactor float64, sliding bool, stopCh <-chan struct{})  {}
func JitterUntilWithContext(ctx context.Context, f func(context.Context), period time.Duration, jitterFactor float64, sliding bool) {
}
func BackoffUntil(f func(), backoff BackoffManager, sliding bool, stopCh <-chan struct{}) {}
func Forever(f func(), period time.Duration)                                              {}
func Jitter(duration time.Duration, maxFactor float64) time.Duration                      { return 0 }
func ContextForChannel(parentCh <-chan struct{}) (context.Context, context.CancelFunc)    { return nil, nil }
`,
	Example: `package example

import (
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

func ready() (bool, error) { return false, nil }

func three() error {
	b := wait.Backoff{Duration: time.Millisecond, Factor: 2, Steps: 10, Cap: 5 * time.Millisecond}
	return wait.ExponentialBackoff(b, ready) // want layer "attempts=3 initial=1ms"
}
`,
})

var _ = add(Library{
	Name:   "k8s.io/client-go retry",
	Path:   "k8s.io/client-go/util/retry",
	Source: "k8s.io/client-go@v0.37.2 util/retry/util.go:28-105",
	Doc:    "RetryOnConflict repeats only conflicts (409); the function must read the object anew each time. DefaultRetry makes 5 attempts, DefaultBackoff 4.",
	Calls: []Call{
		{Func: "RetryOnConflict", Runs: "arg 1", Policy: Policy{Follow: []string{"arg 0"}, Attempts: "unknown", On: "conflict", Context: "none"}},
		{Func: "OnError", Runs: "arg 2", Policy: Policy{Follow: []string{"arg 0"}, Attempts: "unknown", Predicate: "arg 1", Context: "none"}},
	},
	Parts: k8sParts,
	Stub: `package retry

import "k8s.io/apimachinery/pkg/util/wait"

var DefaultRetry = wait.Backoff{}
var DefaultBackoff = wait.Backoff{}

func OnError(backoff wait.Backoff, retriable func(error) bool, fn func() error) error { return nil }
func RetryOnConflict(backoff wait.Backoff, fn func() error) error                     { return nil }
`,
	Example: `package example

import "k8s.io/client-go/util/retry"

func update() error { return nil }

func save() error {
	return retry.RetryOnConflict(retry.DefaultRetry, update) // want layer "attempts=5 initial=10ms on=conflict"
}
`,
})
