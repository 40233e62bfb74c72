package libs

// riverPolicy: the options of an insert stand above those of the client, which stand above the default.
func riverPolicy(opts string) Policy {
	return Policy{
		Attempts: "field MaxAttempts of " + opts + " [0 default] else 25", NegativeIs: "error",
		Backoff: "polynomial 4 shift 1", Initial: "0s", Jitter: "proportional 0.1", Max: "none", PerAttempt: "1m", Overall: "none",
		On: "error", Escape: "JobCancel", Kind: "queue", DefaultBy: "river", OffSwitch: "MaxAttempts: 1",
	}
}

var _ = add(Library{
	Name: "riverqueue/river", Path: "github.com/riverqueue/river",
	Source: "github.com/riverqueue/river@v0.51.2 client.go:53-54,286-292,556-568,614, insert_opts.go:26-29,84-222, retry_policy.go, error.go:21-43",
	Doc: "MaxAttempts counts attempts, 25 by default over about 20 days. A job is cut off after one minute unless JobTimeout says otherwise. Unique " +
		"options hold while a row in one of their states exists; discarded and cancelled jobs do not count.",
	Calls: []Call{
		{Func: "(*Client).Insert", Runs: "arg 1", Policy: riverPolicy("arg 2")},
		{Func: "(*Client).InsertTx", Runs: "arg 2", Policy: riverPolicy("arg 3")},
		{Func: "(*Client).InsertMany, (*Client).InsertManyTx", Policy: Policy{Attempts: "unknown", Kind: "queue"}},
	},
	Clients: []Client{{Type: "Client", New: []string{"NewClient"}, Policy: Policy{Attempts: "1"}, Sends: []Send{
		{Func: "Insert", Operation: "river insert", Kind: "publish", Effect: true, Queue: "arg 1", Key: "field UniqueOpts of arg 2"},
		{Func: "InsertTx", Operation: "river insert", Kind: "publish", Effect: true, Queue: "arg 2", Key: "field UniqueOpts of arg 3"},
		{Func: "InsertMany, InsertManyTx", Operation: "river insert", Kind: "publish", Effect: true},
	}}},
	Stub: `package river

import (
	"context"
	"time"

	"github.com/riverqueue/river/rivertype"
)

type JobArgs interface{ Kind() string }
type Job[T JobArgs] struct {
	*rivertype.JobRow
	Args T
}
type Worker[T JobArgs] interface {
	NextRetry(job *Job[T]) time.Time
	Timeout(job *Job[T]) time.Duration
	Work(ctx context.Context, job *Job[T]) error
}
type WorkerDefaults[T JobArgs] struct{}

func (w WorkerDefaults[T]) NextRetry(*Job[T]) time.Time     { return time.Time{} }
func (w WorkerDefaults[T]) Timeout(*Job[T]) time.Duration   { return 0 }

type Workers struct{}

func NewWorkers() *Workers                                             { return nil }
func AddWorker[T JobArgs](workers *Workers, worker Worker[T])          {}
func AddWorkerSafely[T JobArgs](workers *Workers, worker Worker[T]) error { return nil }
func WorkFunc[T JobArgs](f func(context.Context, *Job[T]) error) Worker[T] { return nil }

type UniqueOpts struct {
	ByArgs      bool
	ByPeriod    time.Duration
	ByQueue     bool
	ByState     []rivertype.JobState
	ExcludeKind bool
}
type InsertOpts struct {
	MaxAttempts int
	Metadata    []byte
	Pending     bool
	Priority    int
	Queue       string
	ScheduledAt time.Time
	Tags        []string
	UniqueOpts  UniqueOpts
}
type InsertManyParams struct {
	Args       JobArgs
	InsertOpts *InsertOpts
}
type QueueConfig struct{ MaxWorkers int }
type ClientRetryPolicy interface{ NextRetry(job *rivertype.JobRow) time.Time }
type DefaultClientRetryPolicy struct{}

func (p *DefaultClientRetryPolicy) NextRetry(job *rivertype.JobRow) time.Time { return time.Time{} }

type Config struct {
	JobTimeout           time.Duration
	MaxAttempts          int
	Queues               map[string]QueueConfig
	RescueStuckJobsAfter time.Duration
	RetryPolicy          ClientRetryPolicy
	Workers              *Workers
	PeriodicJobs         []*PeriodicJob
	ErrorHandler         any
	Logger               any
	CompletedJobRetentionPeriod time.Duration
}
type PeriodicJob struct{}
type PeriodicSchedule interface{ Next(current time.Time) time.Time }
type PeriodicJobOpts struct{ RunOnStart bool }

func NewPeriodicJob(s PeriodicSchedule, f func() (JobArgs, *InsertOpts), opts *PeriodicJobOpts) *PeriodicJob { return nil }
func PeriodicInterval(interval time.Duration) PeriodicSchedule                                               { return nil }

type Client[TTx any] struct{}

func NewClient[TTx any](driver any, config *Config) (*Client[TTx], error)                                                             { return nil, nil }
func (c *Client[TTx]) Insert(ctx context.Context, args JobArgs, opts *InsertOpts) (*rivertype.JobInsertResult, error)                { return nil, nil }
func (c *Client[TTx]) InsertTx(ctx context.Context, tx TTx, args JobArgs, opts *InsertOpts) (*rivertype.JobInsertResult, error)      { return nil, nil }
func (c *Client[TTx]) InsertMany(ctx context.Context, params []InsertManyParams) ([]*rivertype.JobInsertResult, error)               { return nil, nil }
func (c *Client[TTx]) InsertManyTx(ctx context.Context, tx TTx, params []InsertManyParams) ([]*rivertype.JobInsertResult, error)     { return nil, nil }
func (c *Client[TTx]) Start(ctx context.Context) error                                                                               { return nil }
func (c *Client[TTx]) Stop(ctx context.Context) error                                                                                { return nil }
func JobCancel(err error) error                                                                                                       { return nil }
func JobSnooze(duration time.Duration) error                                                                                          { return nil }
`,
	StubFiles: map[string]string{"github.com/riverqueue/river/rivertype": `package rivertype

import "time"

type JobState string

const (
	JobStateAvailable JobState = "available"
	JobStateCompleted JobState = "completed"
	JobStatePending   JobState = "pending"
	JobStateRunning   JobState = "running"
	JobStateRetryable JobState = "retryable"
	JobStateScheduled JobState = "scheduled"
)

type JobRow struct {
	ID          int64
	Attempt     int
	MaxAttempts int
	Kind, Queue string
	EncodedArgs []byte
	State       JobState
	CreatedAt   time.Time
}
type JobInsertResult struct {
	Job                      *JobRow
	UniqueSkippedAsDuplicate bool
}
`},
	Example: `package example

import (
	"context"

	"github.com/riverqueue/river"
)

type shipArgs struct{ Order string }

func (shipArgs) Kind() string { return "ship" }

func enqueue(ctx context.Context, c *river.Client[any]) error {
	_, err := c.Insert(ctx, shipArgs{"1"}, &river.InsertOpts{MaxAttempts: 5}) // want layer "attempts=5"
	return err
}
`,
})

var _ = add(Library{
	Name: "gocraft/work", Path: "github.com/gocraft/work",
	Source: "github.com/gocraft/work@5959e69 worker_pool.go:57-64,456-457, worker.go:310-327, enqueue.go:100-125, redis.go:353-372",
	Doc:    "MaxFails counts attempts, 4 by default. The lock of EnqueueUnique is released when a worker starts the job, so a job that is being repeated does not hold it.",
	Calls: []Call{
		{Func: "(*WorkerPool).Job", Runs: "arg 1", Policy: gocraftPolicy("4")},
		{Func: "(*WorkerPool).JobWithOptions", Runs: "arg 2", Policy: gocraftPolicy("field MaxFails of arg 1 [0 default] else 4")},
	},
	Clients: []Client{{Type: "Enqueuer", New: []string{"NewEnqueuer"}, Policy: Policy{Attempts: "1"}, Sends: []Send{
		{Func: "Enqueue*", Operation: "gocraft/work enqueue", Kind: "publish", Effect: true, Queue: "arg 0"},
	}}},
	Stub: `package work

type Q map[string]interface{}
type Job struct {
	Name, ID string
	Args     map[string]interface{}
	Fails    int64
	Unique   bool
}

func (j *Job) ArgString(key string) string   { return "" }
func (j *Job) ArgInt64(key string) int64     { return 0 }
func (j *Job) ArgError() error               { return nil }
func (j *Job) Checkin(msg string)            {}

type BackoffCalculator func(job *Job) int64
type JobOptions struct {
	Priority       uint
	MaxFails       uint
	SkipDead       bool
	MaxConcurrency uint
	Backoff        BackoffCalculator
}
type NextMiddlewareFunc func() error
type WorkerPool struct{}

func NewWorkerPool(ctx interface{}, concurrency uint, namespace string, pool interface{}) *WorkerPool              { return nil }
func (wp *WorkerPool) Middleware(fn interface{}) *WorkerPool                                                       { return wp }
func (wp *WorkerPool) Job(name string, fn interface{}) *WorkerPool                                                 { return wp }
func (wp *WorkerPool) JobWithOptions(name string, jobOpts JobOptions, fn interface{}) *WorkerPool                  { return wp }
func (wp *WorkerPool) PeriodicallyEnqueue(spec string, jobName string) *WorkerPool                                 { return wp }
func (wp *WorkerPool) Start()                                                                                      {}
func (wp *WorkerPool) Stop()                                                                                       {}

type ScheduledJob struct{ *Job }
type Enqueuer struct{ Namespace string }

func NewEnqueuer(namespace string, pool interface{}) *Enqueuer                                                     { return nil }
func (e *Enqueuer) Enqueue(jobName string, args map[string]interface{}) (*Job, error)                              { return nil, nil }
func (e *Enqueuer) EnqueueIn(jobName string, secondsFromNow int64, args map[string]interface{}) (*ScheduledJob, error) { return nil, nil }
func (e *Enqueuer) EnqueueUnique(jobName string, args map[string]interface{}) (*Job, error)                        { return nil, nil }
func (e *Enqueuer) EnqueueUniqueIn(jobName string, secondsFromNow int64, args map[string]interface{}) (*ScheduledJob, error) { return nil, nil }
func (e *Enqueuer) EnqueueUniqueByKey(jobName string, args map[string]interface{}, keyMap map[string]interface{}) (*Job, error) { return nil, nil }
`,
})

func gocraftPolicy(attempts string) Policy {
	return Policy{Attempts: attempts, Backoff: "polynomial 4 shift 1", Initial: "44s", Jitter: "additive-scaled 29s", Max: "none", PerAttempt: "none", Overall: "none",
		On: "error", Kind: "queue", DefaultBy: "gocraft/work", OffSwitch: "MaxFails: 1"}
}

var _ = add(Library{
	Name: "machinery", Path: "github.com/RichardKnop/machinery/v2", Also: []string{"github.com/RichardKnop/machinery/v1", "github.com/RichardKnop/machinery"},
	Source: "github.com/RichardKnop/machinery@26dbe03 v2/worker.go:185-240, v2/tasks/signature.go:57-82, v2/retry/fibonacci.go",
	Doc:    "RetryCount counts retries, 0 by default. NewErrRetryTaskLater queues the task again without lowering the count, so it has no end.",
	Calls: []Call{
		{Func: "(*Server).SendTask", Runs: "arg 0", Policy: machineryPolicy("arg 0")},
		{Func: "(*Server).SendTaskWithContext", Runs: "arg 1", Policy: machineryPolicy("arg 1")},
	},
	Clients: []Client{{Type: "Server", New: []string{"NewServer", "NewServerWithBrokerBackend"}, Policy: Policy{Attempts: "1"}, Sends: []Send{
		{Func: "SendTask", Operation: "machinery task", Kind: "publish", Effect: true, Queue: "field Name of arg 0"},
		{Func: "SendTaskWithContext", Operation: "machinery task", Kind: "publish", Effect: true, Queue: "field Name of arg 1"},
	}}},
	Stub: machineryStub("v2"),
	StubFiles: map[string]string{
		"github.com/RichardKnop/machinery/v1":       machineryStub("v1"),
		"github.com/RichardKnop/machinery/v1/tasks": machineryTasks,
		"github.com/RichardKnop/machinery/v2/tasks": machineryTasks,
	},
})

func machineryPolicy(sig string) Policy {
	return Policy{Attempts: "field RetryCount of " + sig + " + 1 else 1", ZeroIs: "one", NegativeIs: "one", Backoff: "exponential", Factor: "1.618",
		Initial: "seconds field RetryTimeout of " + sig + " else 1s", Max: "none", Jitter: "none", On: "error", Kind: "queue", DefaultBy: "machinery"}
}

func machineryStub(v string) string {
	return "package machinery\n\nimport (\n\t\"context\"\n\n\t\"github.com/RichardKnop/machinery/" + v + `/tasks"
)

type Server struct{}
type Worker struct{}

func NewServer(args ...interface{}) *Server                                                                        { return nil }
func NewServerWithBrokerBackend(args ...interface{}) *Server                                                       { return nil }
func (server *Server) RegisterTasks(namedTaskFuncs map[string]interface{}) error                                   { return nil }
func (server *Server) RegisterTask(name string, taskFunc interface{}) error                                        { return nil }
func (server *Server) SendTask(signature *tasks.Signature) (interface{}, error)                                    { return nil, nil }
func (server *Server) SendTaskWithContext(ctx context.Context, signature *tasks.Signature) (interface{}, error)    { return nil, nil }
func (server *Server) NewWorker(consumerTag string, concurrency int) *Worker                                       { return nil }
func (worker *Worker) Launch() error                                                                               { return nil }
`
}

const machineryTasks = `package tasks

import "time"

type Arg struct {
	Name, Type string
	Value      interface{}
}
type Headers map[string]interface{}
type Signature struct {
	UUID, Name, RoutingKey string
	ETA                    *time.Time
	Args                   []Arg
	Headers                Headers
	Priority               uint8
	Immutable              bool
	RetryCount             int
	RetryTimeout           int
	OnSuccess, OnError     []*Signature
}

func NewSignature(name string, args []Arg) (*Signature, error)                    { return nil, nil }
func NewErrRetryTaskLater(msg string, retryIn time.Duration) error                { return nil }
`

var faktoryPush = Policy{
	Attempts: "field Retry of arg 0 + 1 else 26", ZeroIs: "one", NegativeIs: "one", Backoff: "polynomial 4", Initial: "15s", Jitter: "additive-scaled 29s", Max: "none",
	PerAttempt: "seconds field ReserveFor of arg 0 [0 default] else 30m", Overall: "none", On: "error", Kind: "queue", DefaultBy: "faktory", OffSwitch: "job.Retry = &zero",
}

var _ = add(Library{
	Name: "faktory", Path: "github.com/contribsys/faktory/client",
	Source: "github.com/contribsys/faktory@cf9073f client/job.go:13-63, manager/retry.go:105-169, manager/manager.go:20",
	Doc:    "Retry counts retries, 25 by default. 0 discards a job after its only attempt, -1 puts it into the dead set.",
	Calls:  []Call{{Func: "(*Client).Push", Runs: "arg 0", Policy: faktoryPush}},
	Clients: []Client{{Type: "Client", New: []string{"Open", "Dial"}, Policy: Policy{Attempts: "1"}, Sends: []Send{
		{Func: "Push", Operation: "faktory push", Kind: "publish", Effect: true, Queue: "field Type of arg 0"},
	}}},
	Stub: `package client

type Job struct {
	Jid, Queue, Type, At string
	Args                 []interface{}
	ReserveFor           int
	Retry                *int
	Backtrace            int
	Custom               map[string]interface{}
}

func NewJob(jobtype string, args ...interface{}) *Job { return nil }

type Client struct{}
type Pool struct{}

func Open() (*Client, error)                             { return nil, nil }
func Dial(srv any, password string) (*Client, error)     { return nil, nil }
func NewPool(capacity int) (*Pool, error)                { return nil, nil }
func (p *Pool) With(fn func(conn *Client) error) error   { return nil }
func (p *Pool) Get() (*Client, error)                    { return nil, nil }
func (c *Client) Push(job *Job) error                    { return nil }
func (c *Client) PushBulk(jobs []*Job) (map[string]string, error) { return nil, nil }
func (c *Client) Ack(jid string) error                   { return nil }
func (c *Client) Close() error                           { return nil }
`,
	StubFiles: map[string]string{"github.com/contribsys/faktory_worker_go": `package faktory_worker

import "context"

type Perform func(ctx context.Context, args ...interface{}) error
type Helper interface {
	Jid() string
	JobType() string
}
type Manager struct {
	Concurrency int
}

func NewManager() *Manager                                      { return nil }
func HelperFor(ctx context.Context) Helper                      { return nil }
func (mgr *Manager) Register(name string, fn Perform)           {}
func (mgr *Manager) ProcessStrictPriorityQueues(queues ...string) {}
func (mgr *Manager) ProcessWeightedPriorityQueues(queues map[string]int) {}
func (mgr *Manager) Run() error                                 { return nil }
`},
})

var watermillRetry = Policy{
	Attempts: "field MaxRetries + 1 else 1", ZeroIs: "one", NegativeIs: "unbounded",
	Backoff: "exponential", Initial: "field InitialInterval else 0s", Factor: "field Multiplier [0 1.5] else 1.5", Max: "field MaxInterval [0 none] else none",
	Jitter: "proportional field RandomizationFactor else 0", Overall: "field MaxElapsedTime [0 none] else none", Budget: "gate-before",
	On: "error", Predicate: "field ShouldRetry", Context: "request", Kind: "transport", DefaultBy: "watermill",
}

var _ = add(Library{
	Name: "watermill retry", Path: "github.com/ThreeDotsLabs/watermill/message/router/middleware",
	Source: "github.com/ThreeDotsLabs/watermill@v1.5.1 message/router/middleware/retry.go:25-145",
	Doc: "MaxRetries counts retries; -1 takes the limit away. With a hook or ShouldRetry the waits grow faster than configured. After the last failure " +
		"the message goes back to the broker, whose redeliveries multiply with these attempts.",
	Calls: []Call{{Func: "Retry.Middleware", Runs: "arg 0", Policy: Policy{Follow: []string{"receiver"}, Attempts: "1", Kind: "transport", DefaultBy: "watermill"}}},
	Parts: []Part{{Func: "Retry", Policy: watermillRetry}},
	Stub: `package middleware

import (
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
)

type RetryParams struct{}
type Retry struct {
	MaxRetries          int
	InitialInterval     time.Duration
	MaxInterval         time.Duration
	Multiplier          float64
	MaxElapsedTime      time.Duration
	RandomizationFactor float64
	OnRetryHook         func(retryNum int, delay time.Duration)
	ShouldRetry         func(params RetryParams) bool
	ResetContextOnRetry bool
	Logger              any
}

func (r Retry) Middleware(h message.HandlerFunc) message.HandlerFunc { return nil }

type Deduplicator struct {
	KeyFactory any
	Repository any
	Timeout    time.Duration
}

func (d *Deduplicator) Middleware(h message.HandlerFunc) message.HandlerFunc                     { return nil }
func PoisonQueue(pub message.Publisher, topic string) (message.HandlerMiddleware, error)         { return nil, nil }
func Timeout(timeout time.Duration) func(message.HandlerFunc) message.HandlerFunc                { return nil }
func Recoverer(h message.HandlerFunc) message.HandlerFunc                                        { return nil }
func CorrelationID(h message.HandlerFunc) message.HandlerFunc                                    { return nil }
`,
	StubFiles: map[string]string{
		"github.com/ThreeDotsLabs/watermill": "package watermill\n\ntype LoggerAdapter interface{}\n\nfunc NewUUID() string { return \"\" }\nfunc NewShortUUID() string { return \"\" }\nfunc NewULID() string { return \"\" }\nfunc NewStdLogger(debug, trace bool) LoggerAdapter { return nil }\nfunc NewSlogLogger(l any) LoggerAdapter { return nil }\ntype NopLogger struct{}\n",
		"github.com/ThreeDotsLabs/watermill/message": `package message

import "context"

type Payload []byte
type Metadata map[string]string

func (m Metadata) Get(key string) string  { return "" }
func (m Metadata) Set(key, value string)  {}

type Message struct {
	UUID     string
	Metadata Metadata
	Payload  Payload
}

func NewMessage(uuid string, payload Payload) *Message                               { return nil }
func NewMessageWithContext(ctx context.Context, uuid string, payload Payload) *Message { return nil }
func (m *Message) Ack() bool                        { return false }
func (m *Message) Nack() bool                       { return false }
func (m *Message) Context() context.Context         { return nil }
func (m *Message) SetContext(ctx context.Context)   {}

type Messages []*Message
type Publisher interface {
	Publish(topic string, messages ...*Message) error
	Close() error
}
type Subscriber interface {
	Subscribe(ctx context.Context, topic string) (<-chan *Message, error)
	Close() error
}
type HandlerFunc func(msg *Message) ([]*Message, error)
type NoPublishHandlerFunc func(msg *Message) error
type HandlerMiddleware func(h HandlerFunc) HandlerFunc
type RouterConfig struct{}
type Handler struct{}

func (h *Handler) AddMiddleware(m ...HandlerMiddleware) {}

type Router struct{}

func NewRouter(config RouterConfig, logger any) (*Router, error)                                                            { return nil, nil }
func (r *Router) AddMiddleware(m ...HandlerMiddleware)                                                                      {}
func (r *Router) AddPlugin(p ...any)                                                                                        {}
func (r *Router) AddHandler(name, subTopic string, sub Subscriber, pubTopic string, pub Publisher, h HandlerFunc) *Handler  { return nil }
func (r *Router) AddNoPublisherHandler(name, topic string, sub Subscriber, h NoPublishHandlerFunc) *Handler                 { return nil }
func (r *Router) AddConsumerHandler(name, topic string, sub Subscriber, h NoPublishHandlerFunc) *Handler                    { return nil }
func (r *Router) Run(ctx context.Context) error                                                                             { return nil }
func (r *Router) Close() error                                                                                              { return nil }
`,
	},
	Example: `package example

import (
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
)

func wrap(h message.HandlerFunc) message.HandlerFunc {
	return middleware.Retry{MaxRetries: 3, InitialInterval: time.Second}.Middleware(h) // want layer "attempts=4 initial=1s"
}
`,
})
