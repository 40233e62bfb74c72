package libs

import "github.com/retrylint/retrylint/model"

// jetstreamPublish: only "no responders" is repeated, that is, nothing took the message; a timeout never is.
func natsPublish(attempts, wait string) Policy {
	return Policy{
		Attempts: attempts, Backoff: "constant", Initial: wait, Jitter: "none", On: "connect", Context: "arg 0",
		Kind: "producer", DefaultBy: "nats.go", OffSwitch: "jetstream.WithRetryAttempts(0)",
	}
}

// natsConsumer is the redelivery that a consumer's configuration in argument 2 asks for.
func natsConsumer(cfg string) Policy {
	return Policy{
		Attempts: "field MaxDeliver of " + cfg + " else unbounded", ZeroIs: "unbounded", NegativeIs: "unbounded",
		Backoff:    "list field BackOff of " + cfg + " if field BackOff of " + cfg + " else constant",
		Initial:    "field AckWait of " + cfg + " [0 default] else 30s",
		PerAttempt: "field AckWait of " + cfg + " [0 default] else 30s", Overall: "none", Jitter: "none",
		On: "no-ack", Kind: "queue", DefaultBy: "NATS server", OffSwitch: "MaxDeliver: 1",
		Fix: func(_ Site, r *Result) { r.Policy.Gap = model.StartToStart },
	}
}

var natsSends = []Send{
	{Func: "Publish", Operation: "JetStream publish", Kind: "publish", Effect: true, Queue: "arg 1", Key: "option WithMsgID"},
	{Func: "PublishMsg", Operation: "JetStream publish", Kind: "publish", Effect: true, Queue: "field Subject of arg 1", Key: "option WithMsgID"},
	{Func: "PublishAsync", Operation: "JetStream publish", Kind: "publish", Effect: true, Queue: "arg 0", Key: "option WithMsgID"},
	{Func: "PublishMsgAsync", Operation: "JetStream publish", Kind: "publish", Effect: true, Queue: "field Subject of arg 0", Key: "option WithMsgID"},
}

var _ = add(Library{
	Name:   "nats.go jetstream",
	Path:   "github.com/nats-io/nats.go/jetstream",
	Source: "github.com/nats-io/nats.go@v1.55.0 jetstream/publish.go:157-184,274-296,492-505, jetstream_options.go:633,708-726; jetstream/consumer_config.go:140-159, message.go:378-407",
	Doc: "A publish is repeated twice, 250ms apart, only when no stream answers; a timeout is never repeated. Without WithMsgID each publish of " +
		"the application is a new message. MaxDeliver counts deliveries and is unbounded when unset; AckWait (30s) is the redelivery timer. " +
		"BackOff replaces it but does not apply to Nak, which redelivers at once.",
	Clients: []Client{{Type: "JetStream, Publisher", New: []string{"New", "NewWithDomain", "NewWithAPIPrefix"}, Sends: natsSends,
		Policy: natsPublish("option WithRetryAttempts + 1 else 3", "option WithRetryWait else 250ms")}},
	Calls: []Call{
		{Func: "JetStream.Publish, Publisher.Publish", Runs: "request", Send: &natsSends[0], Policy: natsPublish("option WithRetryAttempts + 1 else 3", "option WithRetryWait else 250ms")},
		{Func: "JetStream.PublishMsg, Publisher.PublishMsg", Runs: "request", Send: &natsSends[1], Policy: natsPublish("option WithRetryAttempts + 1 else 3", "option WithRetryWait else 250ms")},
		{Func: "JetStream.PublishAsync, Publisher.PublishAsync", Runs: "request", Send: &natsSends[2], Policy: natsPublish("option WithRetryAttempts + 1 else 3", "option WithRetryWait else 250ms")},
		{Func: "JetStream.PublishMsgAsync, Publisher.PublishMsgAsync", Runs: "request", Send: &natsSends[3], Policy: natsPublish("option WithRetryAttempts + 1 else 3", "option WithRetryWait else 250ms")},
		{Func: "Stream.CreateOrUpdateConsumer, Stream.CreateConsumer, Stream.UpdateConsumer", Policy: natsConsumer("arg 1")},
		{Func: "JetStream.CreateOrUpdateConsumer, JetStream.CreateConsumer, JetStream.UpdateConsumer, StreamConsumerManager.CreateOrUpdateConsumer", Policy: natsConsumer("arg 2")},
	},
	Stub: natsJetStreamStub,
	Example: `package example

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

func publish(ctx context.Context, js jetstream.JetStream, id string, data []byte) error {
	_, err := js.Publish(ctx, "orders.new", data, jetstream.WithMsgID(id)) // want layer "attempts=3 initial=250ms on=connect"
	return err
}

func consume(ctx context.Context, s jetstream.Stream) (jetstream.Consumer, error) {
	return s.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{ // want layer "attempts=5 initial=1m"
		Durable: "worker", MaxDeliver: 5, AckWait: time.Minute,
	})
}
`,
})

var _ = add(Library{
	Name:   "nats.go",
	Path:   "github.com/nats-io/nats.go",
	Source: "github.com/nats-io/nats.go@v1.55.0 js.go:237-240,518,547,570,597-617,1043,1176,1216-1224; nats.go:55-63",
	Doc: "The old JetStream interface repeats a synchronous publish twice when no stream answers, an asynchronous one never. A core publish has no " +
		"acknowledgement; while the connection is lost up to 8 MiB are kept and sent again.",
	Clients: []Client{
		{Type: "JetStreamContext, JetStream", New: []string{"JetStream"}, Sends: []Send{
			{Func: "Publish", Operation: "JetStream publish", Kind: "publish", Effect: true, Queue: "arg 0", Key: "option MsgId"},
			{Func: "PublishMsg", Operation: "JetStream publish", Kind: "publish", Effect: true, Queue: "field Subject of arg 0", Key: "option MsgId"},
			{Func: "PublishAsync", Operation: "JetStream publish", Kind: "publish", Effect: true, Queue: "arg 0", Key: "option MsgId"},
			{Func: "PublishMsgAsync", Operation: "JetStream publish", Kind: "publish", Effect: true, Queue: "field Subject of arg 0", Key: "option MsgId"},
		}, Policy: natsPublish("option RetryAttempts + 1 else 3", "option RetryWait else 250ms")},
		{Type: "Conn", New: []string{"Connect"}, Sends: []Send{
			{Func: "Publish", Operation: "NATS publish", Kind: "publish", Effect: true, Queue: "arg 0"},
			{Func: "PublishMsg", Operation: "NATS publish", Kind: "publish", Effect: true, Queue: "field Subject of arg 0"},
			{Func: "PublishRequest", Operation: "NATS publish", Kind: "publish", Effect: true, Queue: "arg 0"},
			{Func: "Request", Operation: "NATS request", Kind: "request", Effect: true, Queue: "arg 0"},
			{Func: "RequestWithContext", Operation: "NATS request", Kind: "request", Effect: true, Queue: "arg 1"},
			{Func: "RequestMsg", Operation: "NATS request", Kind: "request", Effect: true, Queue: "field Subject of arg 0"},
			{Func: "RequestMsgWithContext", Operation: "NATS request", Kind: "request", Effect: true, Queue: "field Subject of arg 1"},
		}, Policy: Policy{Attempts: "1"}},
	},
	Calls: []Call{
		{Func: "JetStreamContext.Publish, JetStream.Publish", Runs: "request", Policy: natsOld("3")},
		{Func: "JetStreamContext.PublishMsg, JetStream.PublishMsg", Runs: "request", Policy: natsOld("3")},
		{Func: "JetStreamContext.PublishAsync, JetStream.PublishAsync", Runs: "request", Policy: natsOld("1")},
		{Func: "JetStreamContext.PublishMsgAsync, JetStream.PublishMsgAsync", Runs: "request", Policy: natsOld("1")},
	},
	Stub: natsStub,
})

func natsOld(attempts string) Policy {
	p := natsPublish("option RetryAttempts + 1 else "+attempts, "option RetryWait else 250ms")
	p.NegativeIs, p.Context, p.OffSwitch = "unbounded", "option Context", "nats.RetryAttempts(0)"
	return p
}

const natsStub = `package nats

import (
	"context"
	"errors"
	"time"
)

const (
	DefaultURL       = "nats://127.0.0.1:4222"
	MsgIdHdr         = "Nats-Msg-Id"
	DefaultTimeout   = 2 * time.Second
	DefaultReconnectWait = 2 * time.Second
	DefaultMaxReconnect  = 60
)

var (
	ErrNoResponders = errors.New("nats: no responders available for request")
	ErrTimeout      = errors.New("nats: timeout")
	ErrConnectionClosed = errors.New("nats: connection closed")
	ErrKeyNotFound  = errors.New("nats: key not found")
)

type Header map[string][]string

func (h Header) Add(key, value string)         {}
func (h Header) Set(key, value string)         {}
func (h Header) Get(key string) string         { return "" }
func (h Header) Values(key string) []string    { return nil }
func (h Header) Del(key string)                {}

type MsgMetadata struct {
	Sequence     SequencePair
	NumDelivered uint64
	NumPending   uint64
	Timestamp    time.Time
	Stream       string
	Consumer     string
}
type SequencePair struct{ Consumer, Stream uint64 }
type Msg struct {
	Subject string
	Reply   string
	Header  Header
	Data    []byte
	Sub     *Subscription
}

func NewMsg(subject string) *Msg                              { return nil }
func (m *Msg) Respond(data []byte) error                      { return nil }
func (m *Msg) RespondMsg(msg *Msg) error                      { return nil }
func (m *Msg) Ack(opts ...AckOpt) error                       { return nil }
func (m *Msg) AckSync(opts ...AckOpt) error                   { return nil }
func (m *Msg) Nak(opts ...AckOpt) error                       { return nil }
func (m *Msg) NakWithDelay(delay time.Duration, opts ...AckOpt) error { return nil }
func (m *Msg) Term(opts ...AckOpt) error                      { return nil }
func (m *Msg) InProgress(opts ...AckOpt) error                { return nil }
func (m *Msg) Metadata() (*MsgMetadata, error)                { return nil, nil }

type MsgHandler func(msg *Msg)
type ErrHandler func(*Conn, *Subscription, error)
type ConnHandler func(*Conn)
type ConnErrHandler func(*Conn, error)
type Options struct {
	Url            string
	Servers        []string
	Name           string
	MaxReconnect   int
	ReconnectWait  time.Duration
	ReconnectJitter time.Duration
	Timeout        time.Duration
	RetryOnFailedConnect bool
	ReconnectBufSize int
}
type Option func(*Options) error

func MaxReconnects(max int) Option                                   { return nil }
func ReconnectWait(t time.Duration) Option                           { return nil }
func ReconnectJitter(jitter, jitterForTLS time.Duration) Option      { return nil }
func ReconnectBufSize(size int) Option                               { return nil }
func RetryOnFailedConnect(retry bool) Option                         { return nil }
func NoReconnect() Option                                            { return nil }
func Timeout(t time.Duration) Option                                 { return nil }
func Name(name string) Option                                        { return nil }
func UserInfo(user, password string) Option                          { return nil }
func UserCredentials(file string, seeds ...string) Option            { return nil }
func Token(token string) Option                                      { return nil }
func ErrorHandler(cb ErrHandler) Option                              { return nil }
func DisconnectErrHandler(cb ConnErrHandler) Option                  { return nil }
func ReconnectHandler(cb ConnHandler) Option                         { return nil }
func ClosedHandler(cb ConnHandler) Option                            { return nil }
func DrainTimeout(t time.Duration) Option                            { return nil }

type Subscription struct {
	Subject, Queue string
}

func (s *Subscription) NextMsg(timeout time.Duration) (*Msg, error)          { return nil, nil }
func (s *Subscription) NextMsgWithContext(ctx context.Context) (*Msg, error) { return nil, nil }
func (s *Subscription) Fetch(batch int, opts ...PullOpt) ([]*Msg, error)     { return nil, nil }
func (s *Subscription) Unsubscribe() error                                   { return nil }
func (s *Subscription) Drain() error                                         { return nil }
func (s *Subscription) IsValid() bool                                        { return false }

type Conn struct{}

func Connect(url string, options ...Option) (*Conn, error)                                        { return nil, nil }
func (nc *Conn) Publish(subj string, data []byte) error                                           { return nil }
func (nc *Conn) PublishMsg(m *Msg) error                                                          { return nil }
func (nc *Conn) PublishRequest(subj, reply string, data []byte) error                             { return nil }
func (nc *Conn) Request(subj string, data []byte, timeout time.Duration) (*Msg, error)            { return nil, nil }
func (nc *Conn) RequestWithContext(ctx context.Context, subj string, data []byte) (*Msg, error)   { return nil, nil }
func (nc *Conn) RequestMsg(msg *Msg, timeout time.Duration) (*Msg, error)                         { return nil, nil }
func (nc *Conn) RequestMsgWithContext(ctx context.Context, msg *Msg) (*Msg, error)                { return nil, nil }
func (nc *Conn) Subscribe(subj string, cb MsgHandler) (*Subscription, error)                      { return nil, nil }
func (nc *Conn) SubscribeSync(subj string) (*Subscription, error)                                 { return nil, nil }
func (nc *Conn) QueueSubscribe(subj, queue string, cb MsgHandler) (*Subscription, error)          { return nil, nil }
func (nc *Conn) QueueSubscribeSync(subj, queue string) (*Subscription, error)                     { return nil, nil }
func (nc *Conn) ChanSubscribe(subj string, ch chan *Msg) (*Subscription, error)                   { return nil, nil }
func (nc *Conn) Flush() error                                                                     { return nil }
func (nc *Conn) FlushTimeout(timeout time.Duration) error                                         { return nil }
func (nc *Conn) Drain() error                                                                     { return nil }
func (nc *Conn) Close()                                                                           {}
func (nc *Conn) IsConnected() bool                                                                { return false }
func (nc *Conn) JetStream(opts ...JSOpt) (JetStreamContext, error)                                { return nil, nil }

type JSOpt interface{ configureJSContext() }
type PubOpt interface{ configurePublish() }
type SubOpt interface{ configureSubscribe() }
type AckOpt interface{ configureAck() }
type PullOpt interface{ configurePull() }
type ContextOpt struct{ context.Context }

func (ContextOpt) configurePublish() {}
func (ContextOpt) configureAck()     {}
func (ContextOpt) configurePull()    {}

type AckWait time.Duration

func (AckWait) configurePublish()   {}
func (AckWait) configureSubscribe() {}

type MaxWait time.Duration

func (MaxWait) configureJSContext() {}
func (MaxWait) configurePull()      {}

func Context(ctx context.Context) ContextOpt    { return ContextOpt{} }
func MsgId(id string) PubOpt                    { return nil }
func RetryAttempts(num int) PubOpt              { return nil }
func RetryWait(dur time.Duration) PubOpt        { return nil }
func ExpectStream(stream string) PubOpt         { return nil }
func ExpectLastSequence(seq uint64) PubOpt      { return nil }
func StallWait(ttl time.Duration) PubOpt        { return nil }
func PublishAsyncMaxPending(max int) JSOpt      { return nil }
func Durable(consumer string) SubOpt            { return nil }
func ManualAck() SubOpt                         { return nil }
func MaxDeliver(n int) SubOpt                   { return nil }
func BackOff(backOff []time.Duration) SubOpt    { return nil }
func AckExplicit() SubOpt                       { return nil }
func DeliverAll() SubOpt                        { return nil }
func DeliverNew() SubOpt                        { return nil }
func MaxAckPending(n int) SubOpt                { return nil }
func BindStream(stream string) SubOpt           { return nil }
func Bind(stream, consumer string) SubOpt       { return nil }

type PubAck struct {
	Stream    string
	Sequence  uint64
	Duplicate bool
	Domain    string
}
type PubAckFuture interface {
	Ok() <-chan *PubAck
	Err() <-chan error
	Msg() *Msg
}
type RetentionPolicy int
type StorageType int
type DiscardPolicy int
type AckPolicy int
type DeliverPolicy int

const (
	LimitsPolicy RetentionPolicy = iota
	InterestPolicy
	WorkQueuePolicy
)
const (
	FileStorage StorageType = iota
	MemoryStorage
)
const (
	AckNonePolicy AckPolicy = iota
	AckAllPolicy
	AckExplicitPolicy
)

type StreamConfig struct {
	Name       string
	Subjects   []string
	Retention  RetentionPolicy
	MaxAge     time.Duration
	MaxMsgs    int64
	Storage    StorageType
	Replicas   int
	Duplicates time.Duration
	Discard    DiscardPolicy
}
type StreamInfo struct{ Config StreamConfig }
type ConsumerConfig struct {
	Durable       string
	Name          string
	DeliverPolicy DeliverPolicy
	AckPolicy     AckPolicy
	AckWait       time.Duration
	MaxDeliver    int
	BackOff       []time.Duration
	FilterSubject string
	MaxAckPending int
}
type ConsumerInfo struct{ Config ConsumerConfig }
type KeyValueConfig struct {
	Bucket string
	TTL    time.Duration
}
type KeyValueEntry interface {
	Key() string
	Value() []byte
	Revision() uint64
}
type KeyValue interface {
	Get(key string) (KeyValueEntry, error)
	Put(key string, value []byte) (uint64, error)
	Create(key string, value []byte) (uint64, error)
	Update(key string, value []byte, last uint64) (uint64, error)
	Delete(key string) error
}
type JetStream interface {
	Publish(subj string, data []byte, opts ...PubOpt) (*PubAck, error)
	PublishMsg(m *Msg, opts ...PubOpt) (*PubAck, error)
	PublishAsync(subj string, data []byte, opts ...PubOpt) (PubAckFuture, error)
	PublishMsgAsync(m *Msg, opts ...PubOpt) (PubAckFuture, error)
	PublishAsyncPending() int
	PublishAsyncComplete() <-chan struct{}
	Subscribe(subj string, cb MsgHandler, opts ...SubOpt) (*Subscription, error)
	SubscribeSync(subj string, opts ...SubOpt) (*Subscription, error)
	QueueSubscribe(subj, queue string, cb MsgHandler, opts ...SubOpt) (*Subscription, error)
	PullSubscribe(subj, durable string, opts ...SubOpt) (*Subscription, error)
}
type JetStreamManager interface {
	AddStream(cfg *StreamConfig, opts ...JSOpt) (*StreamInfo, error)
	UpdateStream(cfg *StreamConfig, opts ...JSOpt) (*StreamInfo, error)
	DeleteStream(name string, opts ...JSOpt) error
	StreamInfo(stream string, opts ...JSOpt) (*StreamInfo, error)
	AddConsumer(stream string, cfg *ConsumerConfig, opts ...JSOpt) (*ConsumerInfo, error)
	UpdateConsumer(stream string, cfg *ConsumerConfig, opts ...JSOpt) (*ConsumerInfo, error)
}
type JetStreamContext interface {
	JetStream
	JetStreamManager
	KeyValue(bucket string) (KeyValue, error)
	CreateKeyValue(cfg *KeyValueConfig) (KeyValue, error)
}
`

const natsJetStreamStub = `package jetstream

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
)

type PublishOpt func(any) error
type JetStreamOpt func(any) error
type PullConsumeOpt interface{ configureConsume() }
type PullMessagesOpt interface{ configureMessages() }
type FetchOpt func(any) error
type RetentionPolicy int
type StorageType int
type AckPolicy int
type DeliverPolicy int
type DiscardPolicy int

const (
	LimitsPolicy RetentionPolicy = iota
	InterestPolicy
	WorkQueuePolicy
)
const (
	FileStorage StorageType = iota
	MemoryStorage
)
const (
	AckExplicitPolicy AckPolicy = iota
	AckAllPolicy
	AckNonePolicy
)
const (
	DeliverAllPolicy DeliverPolicy = iota
	DeliverLastPolicy
	DeliverNewPolicy
)

var (
	ErrNoStreamResponse = errors.New("no response from stream")
	ErrConsumerNotFound = errors.New("consumer not found")
	ErrStreamNotFound   = errors.New("stream not found")
	ErrKeyExists        = errors.New("key exists")
	ErrKeyNotFound      = errors.New("key not found")
)

func WithMsgID(id string) PublishOpt                     { return nil }
func WithMsgTTL(dur time.Duration) PublishOpt            { return nil }
func WithExpectStream(stream string) PublishOpt          { return nil }
func WithExpectLastSequence(seq uint64) PublishOpt       { return nil }
func WithExpectLastMsgID(id string) PublishOpt           { return nil }
func WithRetryWait(dur time.Duration) PublishOpt         { return nil }
func WithRetryAttempts(num int) PublishOpt               { return nil }
func WithStallWait(ttl time.Duration) PublishOpt         { return nil }
func WithPublishAsyncMaxPending(max int) JetStreamOpt    { return nil }
func WithPublishAsyncTimeout(dur time.Duration) JetStreamOpt { return nil }
func FetchMaxWait(timeout time.Duration) FetchOpt        { return nil }

type PullMaxMessages int

func (PullMaxMessages) configureConsume()  {}
func (PullMaxMessages) configureMessages() {}

type ConsumeErrHandlerFunc func(consumeCtx ConsumeContext, err error)

func ConsumeErrHandler(cb ConsumeErrHandlerFunc) PullConsumeOpt { return nil }

type PubAck struct {
	Stream    string
	Sequence  uint64
	Duplicate bool
	Domain    string
}
type PubAckFuture interface {
	Ok() <-chan *PubAck
	Err() <-chan error
	Msg() *nats.Msg
}
type StreamConfig struct {
	Name        string
	Description string
	Subjects    []string
	Retention   RetentionPolicy
	MaxMsgs     int64
	MaxBytes    int64
	MaxAge      time.Duration
	Storage     StorageType
	Replicas    int
	Discard     DiscardPolicy
	Duplicates  time.Duration
}
type ConsumerConfig struct {
	Name           string
	Durable        string
	Description    string
	DeliverPolicy  DeliverPolicy
	AckPolicy      AckPolicy
	AckWait        time.Duration
	MaxDeliver     int
	BackOff        []time.Duration
	FilterSubject  string
	FilterSubjects []string
	MaxAckPending  int
	InactiveThreshold time.Duration
}
type KeyValueConfig struct {
	Bucket string
	TTL    time.Duration
}
type StreamInfo struct{ Config StreamConfig }
type ConsumerInfo struct {
	Name   string
	Config ConsumerConfig
}
type SequencePair struct{ Consumer, Stream uint64 }
type MsgMetadata struct {
	Sequence     SequencePair
	NumDelivered uint64
	NumPending   uint64
	Timestamp    time.Time
	Stream       string
	Consumer     string
}
type Msg interface {
	Metadata() (*MsgMetadata, error)
	Data() []byte
	Headers() nats.Header
	Subject() string
	Reply() string
	Ack() error
	DoubleAck(context.Context) error
	Nak() error
	NakWithDelay(delay time.Duration) error
	InProgress() error
	Term() error
	TermWithReason(reason string) error
}
type MessageHandler func(msg Msg)
type ConsumeContext interface {
	Stop()
	Drain()
	Closed() <-chan struct{}
}
type MessageBatch interface {
	Messages() <-chan Msg
	Error() error
}
type MessagesContext interface {
	Next() (Msg, error)
	Stop()
	Drain()
}
type Consumer interface {
	Fetch(batch int, opts ...FetchOpt) (MessageBatch, error)
	FetchNoWait(batch int) (MessageBatch, error)
	Consume(handler MessageHandler, opts ...PullConsumeOpt) (ConsumeContext, error)
	Messages(opts ...PullMessagesOpt) (MessagesContext, error)
	Next(opts ...FetchOpt) (Msg, error)
	Info(context.Context) (*ConsumerInfo, error)
	CachedInfo() *ConsumerInfo
}
type Stream interface {
	CreateOrUpdateConsumer(ctx context.Context, cfg ConsumerConfig) (Consumer, error)
	CreateConsumer(ctx context.Context, cfg ConsumerConfig) (Consumer, error)
	UpdateConsumer(ctx context.Context, cfg ConsumerConfig) (Consumer, error)
	OrderedConsumer(ctx context.Context, cfg any) (Consumer, error)
	Consumer(ctx context.Context, consumer string) (Consumer, error)
	DeleteConsumer(ctx context.Context, consumer string) error
	Info(ctx context.Context, opts ...any) (*StreamInfo, error)
	Purge(ctx context.Context, opts ...any) error
}
type KeyValueEntry interface {
	Key() string
	Value() []byte
	Revision() uint64
}
type KeyValue interface {
	Get(ctx context.Context, key string) (KeyValueEntry, error)
	Put(ctx context.Context, key string, value []byte) (uint64, error)
	PutString(ctx context.Context, key string, value string) (uint64, error)
	Create(ctx context.Context, key string, value []byte, opts ...any) (uint64, error)
	Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)
	Delete(ctx context.Context, key string, opts ...any) error
}
type Publisher interface {
	Publish(ctx context.Context, subject string, payload []byte, opts ...PublishOpt) (*PubAck, error)
	PublishMsg(ctx context.Context, msg *nats.Msg, opts ...PublishOpt) (*PubAck, error)
	PublishAsync(subject string, payload []byte, opts ...PublishOpt) (PubAckFuture, error)
	PublishMsgAsync(msg *nats.Msg, opts ...PublishOpt) (PubAckFuture, error)
	PublishAsyncPending() int
	PublishAsyncComplete() <-chan struct{}
}
type StreamConsumerManager interface {
	CreateOrUpdateConsumer(ctx context.Context, stream string, cfg ConsumerConfig) (Consumer, error)
}
type JetStream interface {
	Publisher
	CreateStream(ctx context.Context, cfg StreamConfig) (Stream, error)
	UpdateStream(ctx context.Context, cfg StreamConfig) (Stream, error)
	CreateOrUpdateStream(ctx context.Context, cfg StreamConfig) (Stream, error)
	Stream(ctx context.Context, stream string) (Stream, error)
	DeleteStream(ctx context.Context, stream string) error
	CreateOrUpdateConsumer(ctx context.Context, stream string, cfg ConsumerConfig) (Consumer, error)
	CreateConsumer(ctx context.Context, stream string, cfg ConsumerConfig) (Consumer, error)
	UpdateConsumer(ctx context.Context, stream string, cfg ConsumerConfig) (Consumer, error)
	Consumer(ctx context.Context, stream string, consumer string) (Consumer, error)
	DeleteConsumer(ctx context.Context, stream string, consumer string) error
	KeyValue(ctx context.Context, bucket string) (KeyValue, error)
	CreateKeyValue(ctx context.Context, cfg KeyValueConfig) (KeyValue, error)
	CreateOrUpdateKeyValue(ctx context.Context, cfg KeyValueConfig) (KeyValue, error)
}

func New(nc *nats.Conn, opts ...JetStreamOpt) (JetStream, error)                             { return nil, nil }
func NewWithDomain(nc *nats.Conn, domain string, opts ...JetStreamOpt) (JetStream, error)    { return nil, nil }
func NewWithAPIPrefix(nc *nats.Conn, prefix string, opts ...JetStreamOpt) (JetStream, error) { return nil, nil }
`
