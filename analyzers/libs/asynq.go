package libs

// asynqPolicy is a task's redelivery: options of Enqueue stand above those of NewTask.
var asynqPolicy = Policy{
	Attempts:   "option MaxRetry + 1 else option MaxRetry of arg 0 + 1 else 26",
	NegativeIs: "one",
	Backoff:    "polynomial 4", Initial: "15s", Jitter: "additive-scaled 29s", Max: "none",
	PerAttempt: "option Timeout [0 default] else option Timeout of arg 0 [0 default] else 30m", Overall: "none",
	On: "error", Escape: "SkipRetry", Kind: "queue", DefaultBy: "asynq", OffSwitch: "asynq.MaxRetry(0)",
}

var asynqSend = Send{Operation: "asynq Enqueue", Kind: "publish", Effect: true, Key: "option TaskID", Queue: "arg 0 of arg 0"}

var _ = add(Library{
	Name:   "hibiken/asynq",
	Path:   "github.com/hibiken/asynq",
	Source: "github.com/hibiken/asynq@v0.26.0 client.go:91-104,156-228,307-310,372-378, server.go DefaultRetryDelayFunc, processor.go:327-366, recoverer.go:98",
	Doc: "MaxRetry counts retries: 25 by default, so a task runs up to 26 times over 20 days. A handler is cut off after 30 minutes unless " +
		"Timeout or Deadline is given. The lock of Unique(ttl) is kept by failing tasks only until ttl. TaskID is unique for as long as the " +
		"task's record exists.",
	Clients: []Client{{Type: "Client", New: []string{"NewClient", "NewClientFromRedisClient"}, Sends: []Send{
		func() Send { s := asynqSend; s.Func = "Enqueue"; return s }(),
		func() Send { s := asynqSend; s.Func = "EnqueueContext"; s.Queue = "arg 0 of arg 1"; return s }(),
	}, Policy: Policy{Attempts: "1", Kind: "client"}}},
	Calls: []Call{
		{Func: "(*Client).Enqueue", Runs: "arg 0", Policy: asynqPolicy},
		{Func: "(*Client).EnqueueContext", Runs: "arg 1", Policy: with(asynqPolicy, Policy{
			Attempts:   "option MaxRetry + 1 else option MaxRetry of arg 1 + 1 else 26",
			PerAttempt: "option Timeout [0 default] else option Timeout of arg 1 [0 default] else 30m",
		})},
	},
	Stub: `package asynq

import (
	"context"
	"errors"
	"time"
)

var (
	SkipRetry          = errors.New("skip retry for the task")
	RevokeTask         = errors.New("revoke task")
	ErrDuplicateTask   = errors.New("task already exists")
	ErrTaskIDConflict  = errors.New("task ID conflicts with another task")
	ErrServerClosed    = errors.New("asynq: Server closed")
	ErrLeaseExpired    = errors.New("asynq: task lease expired")
)

type RedisConnOpt interface{ MakeRedisClient() interface{} }
type RedisClientOpt struct {
	Network, Addr, Username, Password string
	DB, PoolSize                      int
	DialTimeout, ReadTimeout, WriteTimeout time.Duration
}

func (opt RedisClientOpt) MakeRedisClient() interface{} { return nil }

type RedisClusterClientOpt struct {
	Addrs        []string
	MaxRedirects int
}

func (opt RedisClusterClientOpt) MakeRedisClient() interface{} { return nil }

type RedisFailoverClientOpt struct {
	MasterName    string
	SentinelAddrs []string
}

func (opt RedisFailoverClientOpt) MakeRedisClient() interface{} { return nil }

type OptionType int
type Option interface {
	String() string
	Type() OptionType
	Value() interface{}
}

func MaxRetry(n int) Option                 { return nil }
func Queue(name string) Option              { return nil }
func TaskID(id string) Option               { return nil }
func Timeout(d time.Duration) Option        { return nil }
func Deadline(t time.Time) Option           { return nil }
func Unique(ttl time.Duration) Option       { return nil }
func ProcessAt(t time.Time) Option          { return nil }
func ProcessIn(d time.Duration) Option      { return nil }
func Retention(d time.Duration) Option      { return nil }
func Group(name string) Option              { return nil }

type Task struct{}

func NewTask(typename string, payload []byte, opts ...Option) *Task { return nil }
func NewTaskWithHeaders(typename string, payload []byte, headers map[string]string, opts ...Option) *Task {
	return nil
}
func (t *Task) Type() string               { return "" }
func (t *Task) Payload() []byte            { return nil }
func (t *Task) Headers() map[string]string { return nil }
func (t *Task) ResultWriter() *ResultWriter { return nil }

type ResultWriter struct{}

func (w *ResultWriter) Write(data []byte) (n int, err error) { return 0, nil }
func (w *ResultWriter) TaskID() string                       { return "" }

type TaskState int
type TaskInfo struct {
	ID, Queue, Type   string
	Payload           []byte
	State             TaskState
	MaxRetry, Retried int
	LastErr           string
	Timeout           time.Duration
}
type Client struct{}

func NewClient(r RedisConnOpt) *Client                                     { return nil }
func NewClientFromRedisClient(c any) *Client                               { return nil }
func (c *Client) Enqueue(task *Task, opts ...Option) (*TaskInfo, error)    { return nil, nil }
func (c *Client) EnqueueContext(ctx context.Context, task *Task, opts ...Option) (*TaskInfo, error) {
	return nil, nil
}
func (c *Client) Close() error { return nil }
func (c *Client) Ping() error  { return nil }

type Handler interface {
	ProcessTask(context.Context, *Task) error
}
type HandlerFunc func(context.Context, *Task) error

func (fn HandlerFunc) ProcessTask(ctx context.Context, task *Task) error { return nil }

type MiddlewareFunc func(Handler) Handler
type ServeMux struct{}

func NewServeMux() *ServeMux                                                     { return nil }
func (mux *ServeMux) ProcessTask(ctx context.Context, task *Task) error          { return nil }
func (mux *ServeMux) Handle(pattern string, handler Handler)                     {}
func (mux *ServeMux) HandleFunc(pattern string, handler func(context.Context, *Task) error) {}
func (mux *ServeMux) Use(mws ...MiddlewareFunc)                                  {}

type RetryDelayFunc func(n int, e error, t *Task) time.Duration
type ErrorHandler interface {
	HandleError(ctx context.Context, task *Task, err error)
}
type ErrorHandlerFunc func(ctx context.Context, task *Task, err error)

func (fn ErrorHandlerFunc) HandleError(ctx context.Context, task *Task, err error) {}

type Logger interface{ Debug(args ...interface{}) }
type LogLevel int
type Config struct {
	Concurrency              int
	BaseContext              func() context.Context
	RetryDelayFunc           RetryDelayFunc
	IsFailure                func(error) bool
	Queues                   map[string]int
	StrictPriority           bool
	ErrorHandler             ErrorHandler
	Logger                   Logger
	LogLevel                 LogLevel
	ShutdownTimeout          time.Duration
	HealthCheckFunc          func(error)
	HealthCheckInterval      time.Duration
	DelayedTaskCheckInterval time.Duration
	GroupGracePeriod         time.Duration
	GroupMaxDelay            time.Duration
	GroupMaxSize             int
}
type Server struct{}

func NewServer(r RedisConnOpt, cfg Config) *Server  { return nil }
func (srv *Server) Run(handler Handler) error       { return nil }
func (srv *Server) Start(handler Handler) error     { return nil }
func (srv *Server) Shutdown()                       {}
func (srv *Server) Stop()                           {}

type SchedulerOpts struct{ Location *time.Location }
type Scheduler struct{}

func NewScheduler(r RedisConnOpt, opts *SchedulerOpts) *Scheduler { return nil }
func (s *Scheduler) Register(cronspec string, task *Task, opts ...Option) (entryID string, err error) {
	return "", nil
}
func (s *Scheduler) Run() error   { return nil }
func (s *Scheduler) Start() error { return nil }
func (s *Scheduler) Shutdown()    {}

type Inspector struct{}

func NewInspector(r RedisConnOpt) *Inspector                                  { return nil }
func (i *Inspector) RunTask(queue, id string) error                           { return nil }
func (i *Inspector) ArchiveTask(queue, id string) error                       { return nil }
func (i *Inspector) DeleteTask(queue, id string) error                        { return nil }
func (i *Inspector) CancelProcessing(id string) error                         { return nil }
func (i *Inspector) GetTaskInfo(queue, id string) (*TaskInfo, error)          { return nil, nil }
func (i *Inspector) RunAllArchivedTasks(queue string) (int, error)            { return 0, nil }
func (i *Inspector) RunAllRetryTasks(queue string) (int, error)               { return 0, nil }

func GetTaskID(ctx context.Context) (id string, ok bool)        { return "", false }
func GetRetryCount(ctx context.Context) (n int, ok bool)        { return 0, false }
func GetMaxRetry(ctx context.Context) (n int, ok bool)          { return 0, false }
func GetQueueName(ctx context.Context) (queue string, ok bool)  { return "", false }
func DefaultRetryDelayFunc(n int, e error, t *Task) time.Duration { return 0 }
`,
	Example: `package example

import (
	"context"

	"github.com/hibiken/asynq"
)

func enqueue(ctx context.Context, c *asynq.Client, payload []byte) error {
	_, err := c.EnqueueContext(ctx, asynq.NewTask("ship:order", payload, asynq.MaxRetry(5))) // want layer "attempts=6"
	return err
}

func defaults(c *asynq.Client, payload []byte) error {
	_, err := c.Enqueue(asynq.NewTask("ship:order", payload)) // want layer "attempts=26 perAttempt=30m"
	return err
}
`,
})
