package libs

var cadenceRetry = Policy{
	Attempts: "field MaximumAttempts else unbounded", ZeroIs: "unbounded", Backoff: "exponential", Initial: "field InitialInterval", Factor: "field BackoffCoefficient [0 default] else 2",
	Max: "field MaximumInterval [0 default] else none", Jitter: "none", Overall: "field ExpirationInterval [0 none] else none",
}

var _ = add(Library{
	Name: "Cadence workflow", Path: "go.uber.org/cadence/workflow",
	Source: "cadence-workflow/cadence-go-client@b8612d4 internal/client.go:525-556, internal/activity.go, internal/internal_retry.go:35-59",
	Doc:    "Without a RetryPolicy activities and workflows are not repeated. MaximumAttempts counts attempts; 0 means without end, and then ExpirationInterval is required.",
	Calls: []Call{
		{Func: "ExecuteActivity, ExecuteLocalActivity", Runs: "arg 1", Policy: Policy{
			Follow: []string{"field RetryPolicy of arg 1 of arg 0"}, Attempts: "1", PerAttempt: "field StartToCloseTimeout of arg 1 of arg 0", On: "error,timeout", Kind: "workflow", DefaultBy: "Cadence"}},
		{Func: "ExecuteChildWorkflow", Runs: "arg 1", Policy: Policy{Follow: []string{"field RetryPolicy of arg 1 of arg 0"}, Attempts: "1", On: "error,timeout", Kind: "workflow", DefaultBy: "Cadence"}},
	},
	Parts: []Part{{Func: "RetryPolicy", Policy: cadenceRetry}},
	Stub: `package workflow

import "time"

type Context interface{ Value(key interface{}) interface{} }
type RetryPolicy struct {
	InitialInterval          time.Duration
	BackoffCoefficient       float64
	MaximumInterval          time.Duration
	ExpirationInterval       time.Duration
	MaximumAttempts          int32
	NonRetriableErrorReasons []string
}
type ActivityOptions struct {
	TaskList               string
	ScheduleToCloseTimeout time.Duration
	ScheduleToStartTimeout time.Duration
	StartToCloseTimeout    time.Duration
	HeartbeatTimeout       time.Duration
	ActivityID             string
	RetryPolicy            *RetryPolicy
}
type LocalActivityOptions struct {
	ScheduleToCloseTimeout time.Duration
	RetryPolicy            *RetryPolicy
}
type ChildWorkflowOptions struct {
	WorkflowID                   string
	ExecutionStartToCloseTimeout time.Duration
	RetryPolicy                  *RetryPolicy
}
type Future interface {
	Get(ctx Context, valuePtr interface{}) error
	IsReady() bool
}

func WithActivityOptions(ctx Context, options ActivityOptions) Context                            { return nil }
func WithLocalActivityOptions(ctx Context, options LocalActivityOptions) Context                  { return nil }
func WithChildOptions(ctx Context, cwo ChildWorkflowOptions) Context                              { return nil }
func ExecuteActivity(ctx Context, activity interface{}, args ...interface{}) Future               { return nil }
func ExecuteLocalActivity(ctx Context, activity interface{}, args ...interface{}) Future          { return nil }
func ExecuteChildWorkflow(ctx Context, childWorkflow interface{}, args ...interface{}) Future     { return nil }
func Sleep(ctx Context, d time.Duration) error                                                    { return nil }
func Now(ctx Context) time.Time                                                                   { return time.Time{} }
`,
	StubFiles: map[string]string{"go.uber.org/cadence": "package cadence\n\nimport \"go.uber.org/cadence/workflow\"\n\ntype RetryPolicy = workflow.RetryPolicy\n\nfunc NewCustomError(reason string, details ...interface{}) error { return nil }\n"},
})

var cadenceStart = Policy{Follow: []string{"field RetryPolicy of arg 1"}, Attempts: "1", Overall: "field ExecutionStartToCloseTimeout of arg 1 [0 none] else none",
	On: "error,timeout", Kind: "workflow", DefaultBy: "Cadence"}

var _ = add(Library{
	Name: "Cadence client", Path: "go.uber.org/cadence/client",
	Source: "cadence-workflow/cadence-go-client@b8612d4 client/client.go:60-170, internal/client.go:525-556",
	Doc: "A workflow that is started has no retries of its own unless StartWorkflowOptions has a RetryPolicy. StartWorkflow does not wait; " +
		"who takes ExecuteWorkflow waits where Get is called.",
	Calls: []Call{
		{Func: "Client.ExecuteWorkflow", Runs: "arg 2", Waits: "Get", Policy: cadenceStart},
		{Func: "Client.StartWorkflow", Runs: "arg 2", Waits: "none", Policy: cadenceStart},
		{Func: "Client.SignalWithStartWorkflow", Runs: "arg 5", Waits: "none", Policy: with(cadenceStart, Policy{Follow: []string{"field RetryPolicy of arg 4"},
			Overall: "field ExecutionStartToCloseTimeout of arg 4 [0 none] else none"})},
	},
	Parts: []Part{{Func: "RetryPolicy", Policy: cadenceRetry}},
	Stub: `package client

import (
	"context"
	"time"

	"go.uber.org/cadence/workflow"
)

type StartWorkflowOptions struct {
	ID                              string
	TaskList                        string
	ExecutionStartToCloseTimeout    time.Duration
	DecisionTaskStartToCloseTimeout time.Duration
	WorkflowIDReusePolicy           int
	RetryPolicy                     *workflow.RetryPolicy
	CronSchedule                    string
}
type WorkflowRun interface {
	GetID() string
	GetRunID() string
	Get(ctx context.Context, valuePtr interface{}) error
}
type Client interface {
	ExecuteWorkflow(ctx context.Context, options StartWorkflowOptions, workflow interface{}, args ...interface{}) (WorkflowRun, error)
	StartWorkflow(ctx context.Context, options StartWorkflowOptions, workflowFunc interface{}, args ...interface{}) (any, error)
	SignalWithStartWorkflow(ctx context.Context, workflowID string, signalName string, signalArg interface{}, options StartWorkflowOptions, workflowFunc interface{}, workflowArgs ...interface{}) (any, error)
}
`,
	Example: `package example

import (
	"context"
	"time"

	"go.uber.org/cadence/client"
	"go.uber.org/cadence/workflow"
)

func Night(ctx workflow.Context) error { return nil }

func Start(ctx context.Context, c client.Client) error {
	_, err := c.StartWorkflow(ctx, client.StartWorkflowOptions{ // want layer "attempts=4 initial=1s"
		ID:          "night",
		RetryPolicy: &workflow.RetryPolicy{InitialInterval: time.Second, MaximumAttempts: 4},
	}, Night)
	return err
}
`,
})

var _ = add(Library{
	Name: "inngestgo", Path: "github.com/inngest/inngestgo",
	Source: "github.com/inngest/inngestgo@eec584c internal/fn/fn.go:59-66, errors/errors.go:36-110, errors.go:8-9",
	Doc:    "Retries counts retries of each step, not of the function. The server's default of four retries was not confirmed. NoRetryError marks a permanent failure.",
	Calls: []Call{{Func: "CreateFunction", Runs: "arg 3", Policy: Policy{
		Attempts: "field Retries of arg 1 + 1 else unknown", ZeroIs: "one", On: "error", Escape: "NoRetryError", Kind: "workflow", DefaultBy: "the Inngest server", OffSwitch: "Retries: inngestgo.IntPtr(0)"}}},
	Stub: `package inngestgo

import (
	"context"
	"time"
)

type FunctionOpts struct {
	ID, Name    string
	Retries     *int
	Idempotency *string
}
type Client interface {
	Send(ctx context.Context, evt any) (string, error)
}
type ClientOpts struct{ AppID string }

func NewClient(opts ClientOpts) (Client, error)                                       { return nil, nil }
func CreateFunction(c Client, fc FunctionOpts, trigger any, f any) (any, error)       { return nil, nil }
func EventTrigger(name string, expression *string) any                                { return nil }
func CronTrigger(cron string) any                                                     { return nil }
func IntPtr(i int) *int                                                               { return nil }
func StrPtr(i string) *string                                                         { return nil }
func NoRetryError(err error) error                                                    { return nil }
func RetryAtError(err error, at time.Time) error                                      { return nil }
`,
})

var hatchetPolicy = Policy{
	Attempts: "option WithRetries + 1 else 1", ZeroIs: "one", Backoff: "exponential if option WithRetryBackoff else none", Initial: "1s", Factor: "option WithRetryBackoff", Max: "seconds option WithRetryBackoff.1", Jitter: "none",
	PerAttempt: "option WithExecutionTimeout", On: "error", Kind: "workflow", DefaultBy: "hatchet",
}

var _ = add(Library{
	Name: "hatchet", Path: "github.com/hatchet-dev/hatchet/sdks/go",
	Source: "hatchet-dev/hatchet@89d130f sdks/go/workflow.go:349-360, api-contracts/v1/workflows.proto:175",
	Doc:    "WithRetries counts retries, 0 by default. WithRetryBackoff(f, s) waits f^n seconds, at most s.",
	Calls: []Call{
		{Func: "(*Client).NewStandaloneTask", Runs: "arg 1", Policy: hatchetPolicy},
		{Func: "(*Workflow).NewTask", Runs: "arg 1", Policy: hatchetPolicy},
	},
	Stub: `package hatchet

import "time"

type TaskOption func(any)
type Client struct{}
type Workflow struct{}
type StandaloneTask struct{}
type Task struct{}

func NewClient(opts ...any) (*Client, error)                                              { return nil, nil }
func (c *Client) NewWorkflow(name string, opts ...any) *Workflow                          { return nil }
func (c *Client) NewStandaloneTask(name string, fn any, opts ...any) *StandaloneTask      { return nil }
func (w *Workflow) NewTask(name string, fn any, opts ...TaskOption) *Task                 { return nil }
func WithRetries(retries int) TaskOption                                                  { return nil }
func WithRetryBackoff(factor float32, maxBackoffSeconds int) TaskOption                   { return nil }
func WithExecutionTimeout(timeout time.Duration) TaskOption                               { return nil }
`,
})

var _ = add(Library{
	Name: "restate", Path: "github.com/restatedev/sdk-go",
	Source: "github.com/restatedev/sdk-go@v1.2.0 retry_options.go:19-114, internal/options/options.go:161-186, internal/restatecontext/run.go:56-75",
	Doc:    "WithMaxRetryAttempts counts attempts. Without any retry option the runtime's policy rules, endless by default (not confirmed). Values made inside Run are kept over replays, values made outside are made again.",
	Calls: []Call{{Func: "Run, RunVoid, RunAsync", Runs: "arg 1", Policy: Policy{
		Attempts: "option WithMaxRetryAttempts else unknown", Backoff: "exponential", Initial: "option WithInitialRetryInterval else 50ms", Factor: "option WithRetryIntervalFactor else 2",
		Max: "option WithMaxRetryInterval else 2s", Jitter: "none", Overall: "option WithMaxRetryDuration", On: "error", Escape: "TerminalError", Kind: "workflow", DefaultBy: "the Restate runtime"}}},
	Stub: `package restate

import (
	"context"
	"time"
)

type Context interface{ context.Context }
type RunContext interface{ context.Context }
type RunOption interface{ BeforeRun() }

func Run[T any](ctx Context, fn func(ctx RunContext) (T, error), options ...RunOption) (output T, err error) { return }
func RunVoid(ctx Context, fn func(ctx RunContext) error, options ...RunOption) error                       { return nil }
func RunAsync[T any](ctx Context, fn func(ctx RunContext) (T, error), options ...RunOption) any            { return nil }
func WithMaxRetryAttempts(n uint) RunOption                                                                { return nil }
func WithMaxRetryDuration(d time.Duration) RunOption                                                       { return nil }
func WithInitialRetryInterval(d time.Duration) RunOption                                                   { return nil }
func WithRetryIntervalFactor(f float32) RunOption                                                          { return nil }
func WithMaxRetryInterval(d time.Duration) RunOption                                                       { return nil }
func WithName(name string) RunOption                                                                       { return nil }
func WithIdempotencyKey(k string) any                                                                      { return nil }
func TerminalError(err error, code ...uint16) error                                                        { return nil }
func TerminalErrorf(format string, a ...any) error                                                         { return nil }
func ToTerminalError(err error) error                                                                      { return nil }
`,
})
