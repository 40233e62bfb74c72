package libs

import "github.com/retrylint/retrylint/model"

// temporalRetry is temporal.RetryPolicy; the server fills in what is zero.
var temporalRetry = Policy{
	Attempts: "field MaximumAttempts else unbounded", ZeroIs: "unbounded", NegativeIs: "error",
	Backoff: "exponential", Initial: "field InitialInterval [0 default] else 1s", Factor: "field BackoffCoefficient [0 default] else 2",
	Max: "field MaximumInterval [0 default] else field InitialInterval [0 default] * 100 else 100s", Jitter: "none",
	Traits: []TraitTerm{{Kind: model.TraitFiltersPermanent, If: "field NonRetryableErrorTypes"}},
}

// temporalActivity: the options of an activity travel in the context, so they are found through it.
var temporalActivity = Policy{
	Follow:   []string{"field RetryPolicy of arg 1 of arg 0"},
	Attempts: "unbounded", Backoff: "exponential", Initial: "1s", Factor: "2", Max: "100s", Jitter: "none",
	PerAttempt: "field StartToCloseTimeout of arg 1 of arg 0 [0 default]",
	Overall:    "field ScheduleToCloseTimeout of arg 1 of arg 0 [0 none] else none",
	On:         "error,timeout", Escape: "NewNonRetryableApplicationError", Kind: "workflow",
	DefaultBy: "the Temporal server", OffSwitch: "RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1}",
	Fix: temporalOptions,
}

// temporalOptions: an activity cannot run without options, so where they are not in sight somebody else set them.
func temporalOptions(s Site, r *Result) {
	if v := ask(s, step{kind: "arg"}); v.Name == "WithActivityOptions" || v.Name == "WithLocalActivityOptions" {
		if len(r.At) == 0 && v.Site != nil {
			// The mend is at the options, which all activities under that context share.
			if at := v.Site.Arg(1).At; !at.IsZero() {
				r.At = append(r.At, at)
			} else if !v.At.IsZero() {
				r.At = append(r.At, v.At)
			}
		}
		return
	}
	r.Policy.Attempts, r.Policy.Overall, r.Policy.PerAttempt, r.Policy.Backoff = model.Count{}, model.Limit{}, model.Limit{}, model.Backoff{}
}

var _ = add(Library{
	Name:   "Temporal workflow",
	Path:   "go.temporal.io/sdk/workflow",
	Source: "go.temporal.io/sdk@v1.51.0 internal/client.go:1235-1270,1403-1427, internal/activity.go ActivityOptions, internal/internal_retry.go:13-50",
	Doc: "MaximumAttempts counts attempts; 0 and no RetryPolicy at all mean without end for activities, bounded only by " +
		"ScheduleToCloseTimeout. Workflows and child workflows are not repeated unless they have a RetryPolicy. StartToCloseTimeout bounds " +
		"each attempt. A retry loop inside an activity multiplies with all of this.",
	Calls: []Call{
		{Func: "ExecuteActivity", Runs: "arg 1", Policy: temporalActivity},
		{Func: "ExecuteLocalActivity", Runs: "arg 1", Policy: temporalActivity},
		{Func: "ExecuteChildWorkflow", Runs: "arg 1", Policy: Policy{
			Follow: []string{"field RetryPolicy of arg 1 of arg 0"}, Attempts: "1", Overall: "field WorkflowExecutionTimeout of arg 1 of arg 0 [0 none] else none",
			PerAttempt: "field WorkflowRunTimeout of arg 1 of arg 0 [0 none] else none", On: "error,timeout", Kind: "workflow", DefaultBy: "the Temporal server",
		}},
	},
	Parts: []Part{{Func: "RetryPolicy", Policy: temporalRetry}},
	Stub: `package workflow

import (
	"time"

	"go.temporal.io/sdk/temporal"
)

type Context interface {
	Deadline() (deadline time.Time, ok bool)
	Done() Channel
	Err() error
	Value(key interface{}) interface{}
}
type CancelFunc func()
type RetryPolicy = temporal.RetryPolicy
type ActivityOptions struct {
	TaskQueue              string
	ScheduleToCloseTimeout time.Duration
	ScheduleToStartTimeout time.Duration
	StartToCloseTimeout    time.Duration
	HeartbeatTimeout       time.Duration
	WaitForCancellation    bool
	ActivityID             string
	RetryPolicy            *temporal.RetryPolicy
	DisableEagerExecution  bool
	Summary                string
}
type LocalActivityOptions struct {
	ScheduleToCloseTimeout time.Duration
	StartToCloseTimeout    time.Duration
	RetryPolicy            *temporal.RetryPolicy
}
type ChildWorkflowOptions struct {
	Namespace                string
	WorkflowID               string
	TaskQueue                string
	WorkflowExecutionTimeout time.Duration
	WorkflowRunTimeout       time.Duration
	WorkflowTaskTimeout      time.Duration
	WaitForCancellation      bool
	RetryPolicy              *temporal.RetryPolicy
	CronSchedule             string
	WorkflowIDReusePolicy    int
	ParentClosePolicy        int
}
type Future interface {
	Get(ctx Context, valuePtr interface{}) error
	IsReady() bool
}
type ChildWorkflowFuture interface {
	Future
	GetChildWorkflowExecution() Future
	SignalChildWorkflow(ctx Context, signalName string, data interface{}) Future
}
type Settable interface{ Set(value interface{}, err error) }
type Channel interface {
	Receive(ctx Context, valuePtr interface{}) (more bool)
	ReceiveAsync(valuePtr interface{}) (ok bool)
	Send(ctx Context, v interface{})
	SendAsync(v interface{}) (ok bool)
	Close()
}
type ReceiveChannel interface {
	Receive(ctx Context, valuePtr interface{}) (more bool)
	ReceiveAsync(valuePtr interface{}) (ok bool)
}
type Selector interface {
	AddReceive(c ReceiveChannel, f func(c ReceiveChannel, more bool)) Selector
	AddFuture(future Future, f func(f Future)) Selector
	AddDefault(f func())
	Select(ctx Context)
	HasPending() bool
}
type WaitGroup interface {
	Add(delta int)
	Done()
	Wait(ctx Context)
}
type Execution struct{ ID, RunID string }
type Info struct {
	WorkflowExecution Execution
	Attempt           int32
	TaskQueueName     string
	Namespace         string
	FirstRunID        string
}
type Logger interface {
	Debug(msg string, keyvals ...interface{})
	Info(msg string, keyvals ...interface{})
	Warn(msg string, keyvals ...interface{})
	Error(msg string, keyvals ...interface{})
}
type Version int
type RegisterOptions struct{ Name string }
type ContinueAsNewError struct{}

func (e *ContinueAsNewError) Error() string { return "" }

const DefaultVersion Version = -1

func WithActivityOptions(ctx Context, options ActivityOptions) Context                    { return nil }
func WithLocalActivityOptions(ctx Context, options LocalActivityOptions) Context          { return nil }
func WithChildOptions(ctx Context, cwo ChildWorkflowOptions) Context                      { return nil }
func WithRetryPolicy(ctx Context, retryPolicy temporal.RetryPolicy) Context               { return nil }
func WithTaskQueue(ctx Context, name string) Context                                      { return nil }
func WithStartToCloseTimeout(ctx Context, d time.Duration) Context                        { return nil }
func WithScheduleToCloseTimeout(ctx Context, d time.Duration) Context                     { return nil }
func WithHeartbeatTimeout(ctx Context, d time.Duration) Context                           { return nil }
func WithWorkflowID(ctx Context, id string) Context                                       { return nil }
func WithValue(parent Context, key, val interface{}) Context                              { return nil }
func WithCancel(parent Context) (ctx Context, cancel CancelFunc)                          { return nil, nil }
func NewDisconnectedContext(parent Context) (ctx Context, cancel CancelFunc)              { return nil, nil }
func ExecuteActivity(ctx Context, activity interface{}, args ...interface{}) Future       { return nil }
func ExecuteLocalActivity(ctx Context, activity interface{}, args ...interface{}) Future  { return nil }
func ExecuteChildWorkflow(ctx Context, childWorkflow interface{}, args ...interface{}) ChildWorkflowFuture {
	return nil
}
func SignalExternalWorkflow(ctx Context, workflowID, runID, signalName string, arg interface{}) Future {
	return nil
}
func GetInfo(ctx Context) *Info                                                          { return nil }
func GetLogger(ctx Context) Logger                                                       { return nil }
func Now(ctx Context) time.Time                                                          { return time.Time{} }
func Sleep(ctx Context, d time.Duration) error                                           { return nil }
func NewTimer(ctx Context, d time.Duration) Future                                       { return nil }
func Await(ctx Context, condition func() bool) error                                     { return nil }
func AwaitWithTimeout(ctx Context, timeout time.Duration, condition func() bool) (bool, error) { return false, nil }
func Go(ctx Context, f func(ctx Context))                                                {}
func NewChannel(ctx Context) Channel                                                     { return nil }
func NewBufferedChannel(ctx Context, size int) Channel                                   { return nil }
func NewSelector(ctx Context) Selector                                                   { return nil }
func NewWaitGroup(ctx Context) WaitGroup                                                 { return nil }
func NewFuture(ctx Context) (Future, Settable)                                           { return nil, nil }
func GetSignalChannel(ctx Context, signalName string) ReceiveChannel                     { return nil }
func SetQueryHandler(ctx Context, queryType string, handler interface{}) error           { return nil }
func SetUpdateHandler(ctx Context, updateName string, handler interface{}) error         { return nil }
func SideEffect(ctx Context, f func(ctx Context) interface{}) any                        { return nil }
func GetVersion(ctx Context, changeID string, minSupported, maxSupported Version) Version { return 0 }
func NewContinueAsNewError(ctx Context, wfn interface{}, args ...interface{}) error      { return nil }
`,
	StubFiles: map[string]string{
		"go.temporal.io/sdk/temporal": `package temporal

import (
	"errors"
	"time"
)

type RetryPolicy struct {
	InitialInterval        time.Duration
	BackoffCoefficient     float64
	MaximumInterval        time.Duration
	MaximumAttempts        int32
	NonRetryableErrorTypes []string
}
type ApplicationErrorOptions struct {
	NonRetryable   bool
	Cause          error
	Details        []interface{}
	NextRetryDelay time.Duration
}
type ApplicationError struct{}

func (e *ApplicationError) Error() string        { return "" }
func (e *ApplicationError) Type() string         { return "" }
func (e *ApplicationError) NonRetryable() bool   { return false }
func (e *ApplicationError) Details(d ...interface{}) error { return nil }

type TimeoutError struct{}

func (e *TimeoutError) Error() string { return "" }

type CanceledError struct{}

func (e *CanceledError) Error() string { return "" }

type ActivityError struct{}

func (e *ActivityError) Error() string { return "" }
func (e *ActivityError) Unwrap() error { return nil }

var ErrCanceled = errors.New("canceled")

func NewApplicationError(msg, errType string, details ...interface{}) error { return nil }
func NewApplicationErrorWithCause(msg, errType string, cause error, details ...interface{}) error {
	return nil
}
func NewApplicationErrorWithOptions(msg, errType string, options ApplicationErrorOptions) error { return nil }
func NewNonRetryableApplicationError(msg, errType string, cause error, details ...interface{}) error {
	return nil
}
func NewCanceledError(details ...interface{}) error { return nil }
func IsCanceledError(err error) bool                { return false }
func IsTimeoutError(err error) bool                 { return false }
func IsApplicationError(err error) bool             { return false }
`,
		"go.temporal.io/sdk/activity": `package activity

import (
	"context"
	"errors"
	"time"
)

type Type struct{ Name string }
type Execution struct{ ID, RunID string }
type Info struct {
	TaskToken         []byte
	WorkflowExecution Execution
	ActivityID        string
	ActivityType      Type
	TaskQueue         string
	HeartbeatTimeout  time.Duration
	ScheduledTime     time.Time
	StartedTime       time.Time
	Deadline          time.Time
	Attempt           int32
	WorkflowNamespace string
}
type RegisterOptions struct{ Name string }
type Logger interface {
	Debug(msg string, keyvals ...interface{})
	Info(msg string, keyvals ...interface{})
	Warn(msg string, keyvals ...interface{})
	Error(msg string, keyvals ...interface{})
}

var ErrResultPending = errors.New("activity result pending")

func GetInfo(ctx context.Context) Info                                { return Info{} }
func GetLogger(ctx context.Context) Logger                            { return nil }
func RecordHeartbeat(ctx context.Context, details ...interface{})     {}
func HasHeartbeatDetails(ctx context.Context) bool                    { return false }
func GetHeartbeatDetails(ctx context.Context, d ...interface{}) error { return nil }
func GetWorkerStopChannel(ctx context.Context) <-chan struct{}        { return nil }
`,
		"go.temporal.io/sdk/worker": `package worker

import (
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"
)

type Options struct {
	MaxConcurrentActivityExecutionSize int
	MaxConcurrentWorkflowTaskExecutionSize int
	TaskQueueActivitiesPerSecond       float64
	WorkerStopTimeout                  time.Duration
	EnableSessionWorker                bool
}
type Registry interface {
	RegisterWorkflow(w interface{})
	RegisterWorkflowWithOptions(w interface{}, options workflow.RegisterOptions)
	RegisterActivity(a interface{})
	RegisterActivityWithOptions(a interface{}, options activity.RegisterOptions)
}
type Worker interface {
	Registry
	Start() error
	Run(interruptCh <-chan interface{}) error
	Stop()
}

func New(client client.Client, taskQueue string, options Options) Worker { return nil }
func InterruptCh() <-chan interface{}                                    { return nil }
`,
	},
	Example: `package example

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

func charge() error { return nil }

func Pay(ctx workflow.Context) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute,
		RetryPolicy:         &temporal.RetryPolicy{MaximumAttempts: 3},
	})
	return workflow.ExecuteActivity(ctx, charge).Get(ctx, nil) // want layer "attempts=3 initial=1s perAttempt=1m"
}
`,
})

var temporalStart = Policy{
	Follow: []string{"field RetryPolicy of arg 1"}, Attempts: "1", Overall: "field WorkflowExecutionTimeout of arg 1 [0 none] else none",
	PerAttempt: "field WorkflowRunTimeout of arg 1 [0 none] else none", On: "error,timeout", Kind: "workflow", DefaultBy: "the Temporal server",
}

var _ = add(Library{
	Name:   "Temporal client",
	Path:   "go.temporal.io/sdk/client",
	Source: "go.temporal.io/sdk@v1.51.0 internal/common/retry/interceptor.go:23-175, internal/internal_workflow_client.go:1406-1413,2268-2270,2615-2618",
	Doc: "A workflow that is started has no retries of its own unless StartWorkflowOptions has a RetryPolicy. The workflow ID dedupes while the " +
		"workflow runs. The client's own RPCs are repeated until the context ends or 60 seconds have passed.",
	Calls: []Call{
		{Func: "Client.ExecuteWorkflow", Runs: "arg 2", Waits: "Get", Policy: temporalStart},
		{Func: "Client.SignalWithStartWorkflow", Runs: "arg 5", Waits: "Get", Policy: with(temporalStart, Policy{
			Follow: []string{"field RetryPolicy of arg 4"}, Overall: "field WorkflowExecutionTimeout of arg 4 [0 none] else none",
			PerAttempt: "field WorkflowRunTimeout of arg 4 [0 none] else none"})},
	},
	Clients: []Client{{Type: "Client", New: []string{"Dial", "NewClient", "NewLazyClient", "DialContext"}, Sends: []Send{
		{Func: "ExecuteWorkflow", Operation: "start of a workflow", Kind: "call", Effect: true, Key: "field ID of arg 1"},
		{Func: "SignalWithStartWorkflow", Operation: "signal to a workflow", Kind: "call", Effect: true},
		{Func: "SignalWorkflow", Operation: "signal to a workflow", Kind: "call", Effect: true},
		{Func: "CancelWorkflow, TerminateWorkflow, QueryWorkflow, DescribeWorkflowExecution", Idempotent: true},
	}, Policy: Policy{
		Attempts: "unbounded", Backoff: "exponential", Initial: "200ms", Factor: "2", Max: "none", Jitter: "proportional 0.2", Overall: "60s",
		On: "unavailable,429,rpc", Context: "arg 0", AddsKey: true, Kind: "client", DefaultBy: "Temporal SDK", // a request id for each call
	}}},
	Parts: []Part{{Func: "RetryPolicy", Policy: temporalRetry}},
	Stub: `package client

import (
	"context"
	"time"

	"go.temporal.io/sdk/temporal"
)

type Options struct {
	HostPort      string
	Namespace     string
	Identity      string
	Logger        any
	ConnectionOptions ConnectionOptions
}
type ConnectionOptions struct{ DialOptions []any }
type StartWorkflowOptions struct {
	ID                       string
	TaskQueue                string
	WorkflowExecutionTimeout time.Duration
	WorkflowRunTimeout       time.Duration
	WorkflowTaskTimeout      time.Duration
	WorkflowIDReusePolicy    int
	WorkflowIDConflictPolicy int
	WorkflowExecutionErrorWhenAlreadyStarted bool
	RetryPolicy              *temporal.RetryPolicy
	CronSchedule             string
	Memo                     map[string]interface{}
	SearchAttributes         map[string]interface{}
	StartDelay               time.Duration
}
type WorkflowRun interface {
	GetID() string
	GetRunID() string
	Get(ctx context.Context, valuePtr interface{}) error
}
type Client interface {
	ExecuteWorkflow(ctx context.Context, options StartWorkflowOptions, workflow interface{}, args ...interface{}) (WorkflowRun, error)
	GetWorkflow(ctx context.Context, workflowID string, runID string) WorkflowRun
	SignalWorkflow(ctx context.Context, workflowID string, runID string, signalName string, arg interface{}) error
	SignalWithStartWorkflow(ctx context.Context, workflowID string, signalName string, signalArg interface{}, options StartWorkflowOptions, workflow interface{}, workflowArgs ...interface{}) (WorkflowRun, error)
	CancelWorkflow(ctx context.Context, workflowID string, runID string) error
	TerminateWorkflow(ctx context.Context, workflowID string, runID string, reason string, details ...interface{}) error
	QueryWorkflow(ctx context.Context, workflowID string, runID string, queryType string, args ...interface{}) (any, error)
	DescribeWorkflowExecution(ctx context.Context, workflowID, runID string) (any, error)
	CompleteActivity(ctx context.Context, taskToken []byte, result interface{}, err error) error
	RecordActivityHeartbeat(ctx context.Context, taskToken []byte, details ...interface{}) error
	Close()
}

func Dial(options Options) (Client, error)                                 { return nil, nil }
func DialContext(ctx context.Context, options Options) (Client, error)     { return nil, nil }
func NewClient(options Options) (Client, error)                            { return nil, nil }
func NewLazyClient(options Options) (Client, error)                        { return nil, nil }
`,
})
