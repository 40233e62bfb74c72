package libs

import "github.com/retrylint/retrylint/model"

var _ = add(Library{
	Name: "segmentio/kafka-go", Path: "github.com/segmentio/kafka-go",
	Source: "github.com/segmentio/kafka-go@v0.4.51 writer.go:786-809,1110-1165, dialer.go:437-443, reader.go:42-43,683",
	Doc: "MaxAttempts counts attempts; 0 and less mean 10. There is no idempotent producer, so each lost acknowledgement can make a duplicate. A " +
		"write that is in a batch is not cancelled by the caller's context; the waits are sleeps.",
	Clients: []Client{{Type: "Writer", New: []string{"NewWriter"}, Sends: []Send{
		{Func: "WriteMessages", Operation: "Kafka produce", Kind: "publish", Effect: true, Queue: "field Topic"},
	}, Policy: Policy{
		Attempts: "field MaxAttempts [0 default, - default] else field MaxAttempts of arg 0 [0 default, - default] else 10",
		Backoff:  "polynomial 2", Initial: "0s", Max: "field WriteBackoffMax [0 default] else field WriteBackoffMax of arg 0 [0 default] else 1s", Jitter: "none",
		PerAttempt: "field WriteTimeout [0 default] else field WriteTimeout of arg 0 [0 default] else 10s",
		Overall:    "none", On: "connect,reset,timeout,unavailable", Context: "none", Kind: "producer", DefaultBy: "kafka-go", OffSwitch: "MaxAttempts: 1",
		Traits: []TraitTerm{{Kind: model.TraitNotIdempotentSend, Detail: "kafka-go has no idempotent producer"}},
		Fix:    kafkaGoWaits,
	}}},
	Stub: `package kafka

import (
	"context"
	"time"
)

type RequiredAcks int

const (
	RequireNone RequiredAcks = 0
	RequireOne  RequiredAcks = 1
	RequireAll  RequiredAcks = -1

	FirstOffset int64 = -2
	LastOffset  int64 = -1
)

type Compression int8
type Header struct {
	Key   string
	Value []byte
}
type Message struct {
	Topic         string
	Partition     int
	Offset        int64
	HighWaterMark int64
	Key           []byte
	Value         []byte
	Headers       []Header
	WriterData    interface{}
	Time          time.Time
}
type Addr interface {
	Network() string
	String() string
}
type Balancer interface{ Balance(msg Message, partitions ...int) (partition int) }
type LeastBytes struct{}

func (lb *LeastBytes) Balance(msg Message, partitions ...int) int { return 0 }

type Hash struct{}

func (h *Hash) Balance(msg Message, partitions ...int) int { return 0 }

type RoundRobin struct{}

func (h *RoundRobin) Balance(msg Message, partitions ...int) int { return 0 }

type Transport struct{ DialTimeout, IdleTimeout time.Duration }
type Dialer struct {
	ClientID  string
	Timeout   time.Duration
	DualStack bool
}
type Writer struct {
	Addr                   Addr
	Topic                  string
	Balancer               Balancer
	MaxAttempts            int
	WriteBackoffMin        time.Duration
	WriteBackoffMax        time.Duration
	BatchSize              int
	BatchBytes             int64
	BatchTimeout           time.Duration
	ReadTimeout            time.Duration
	WriteTimeout           time.Duration
	RequiredAcks           RequiredAcks
	Async                  bool
	Completion             func(messages []Message, err error)
	Compression            Compression
	AllowAutoTopicCreation bool
	Transport              *Transport
}
type WriterConfig struct {
	Brokers      []string
	Topic        string
	Dialer       *Dialer
	Balancer     Balancer
	MaxAttempts  int
	QueueCapacity int
	BatchSize    int
	BatchTimeout time.Duration
	ReadTimeout  time.Duration
	WriteTimeout time.Duration
	RequiredAcks int
	Async        bool
}

func NewWriter(config WriterConfig) *Writer                                       { return nil }
func (w *Writer) WriteMessages(ctx context.Context, msgs ...Message) error        { return nil }
func (w *Writer) Close() error                                                    { return nil }
func TCP(address ...string) Addr                                                  { return nil }

type ReaderConfig struct {
	Brokers        []string
	GroupID        string
	GroupTopics    []string
	Topic          string
	Partition      int
	Dialer         *Dialer
	MinBytes       int
	MaxBytes       int
	MaxWait        time.Duration
	CommitInterval time.Duration
	StartOffset    int64
	MaxAttempts    int
	SessionTimeout time.Duration
	ReadBackoffMin time.Duration
	ReadBackoffMax time.Duration
}
type Reader struct{}

func NewReader(config ReaderConfig) *Reader                                         { return nil }
func (r *Reader) ReadMessage(ctx context.Context) (Message, error)                  { return Message{}, nil }
func (r *Reader) FetchMessage(ctx context.Context) (Message, error)                 { return Message{}, nil }
func (r *Reader) CommitMessages(ctx context.Context, msgs ...Message) error         { return nil }
func (r *Reader) SetOffset(offset int64) error                                      { return nil }
func (r *Reader) Config() ReaderConfig                                              { return ReaderConfig{} }
func (r *Reader) Close() error                                                      { return nil }

type Conn struct{}

func DialLeader(ctx context.Context, network, address, topic string, partition int) (*Conn, error) { return nil, nil }
func (c *Conn) WriteMessages(msgs ...Message) (int, error)                                         { return 0, nil }
func (c *Conn) Close() error                                                                       { return nil }
`,
	Example: `package example

import (
	"context"

	"github.com/segmentio/kafka-go"
)

func send(ctx context.Context, m kafka.Message) error {
	w := &kafka.Writer{Addr: kafka.TCP("kafka:9092"), Topic: "orders", MaxAttempts: 3}
	return w.WriteMessages(ctx, m) // want layer "attempts=3"
}
`,
})

// kafkaGoWaits: the k-th wait is k^2 * 100ms, at most the maximum.
func kafkaGoWaits(_ Site, r *Result) {
	b := &r.Policy.Backoff
	hi, ok := r.Policy.Attempts.Max()
	if !ok {
		*b = model.Backoff{Kind: model.BackoffConstant, Initial: b.Max, Jitter: model.Jitter{Kind: model.JitterNone}}
		return
	}
	limit := b.Max
	*b = model.Backoff{Kind: model.BackoffList, Max: limit, Jitter: model.Jitter{Kind: model.JitterNone}}
	for k := int64(1); k < min(hi, 12); k++ {
		b.List = append(b.List, durationOf(k*k*100_000_000))
	}
	if len(b.List) == 0 {
		*b = model.NoBackoff()
	}
}

var _ = add(Library{
	Name: "franz-go", Path: "github.com/twmb/franz-go/pkg/kgo",
	Source: "github.com/twmb/franz-go@v1.22.3 pkg/kgo/config.go:638-690,1228-1230,1405-1443,1538, sink.go:1138,2090",
	Doc:    "RecordRetries counts retries and is unlimited by default; RecordDeliveryTimeout or the record's context bound it. Idempotence is on unless DisableIdempotentWrite is given. A Produce that the application repeats is a new record.",
	Clients: []Client{{Type: "Client", New: []string{"NewClient"}, Sends: []Send{
		{Func: "Produce, TryProduce", Operation: "Kafka produce", Kind: "publish", Effect: true, Queue: "field Topic of arg 1"},
		{Func: "ProduceSync", Operation: "Kafka produce", Kind: "publish", Effect: true, Queue: "field Topic of arg 1"},
	}, Policy: Policy{
		Attempts: "option RecordRetries + 1 else unbounded", Backoff: "custom if option RetryBackoffFn else exponential", Initial: "250ms", Factor: "2", Max: "5s", Jitter: "proportional 0.2",
		Overall: "option RecordDeliveryTimeout [0 none] else none", On: "connect,reset,timeout,unavailable", Context: "arg 0", Kind: "producer", DefaultBy: "franz-go", OffSwitch: "kgo.RecordRetries(0)",
		Traits: []TraitTerm{{Kind: model.TraitNotIdempotentSend, If: "option DisableIdempotentWrite", Detail: "DisableIdempotentWrite"}},
	}}},
	Stub: `package kgo

import (
	"context"
	"time"
)

type Opt interface{ apply() }
type ProducerOpt interface{ Opt }
type ConsumerOpt interface{ Opt }
type GroupOpt interface{ Opt }
type Acks struct{}

func NoAck() Acks      { return Acks{} }
func LeaderAck() Acks  { return Acks{} }
func AllISRAcks() Acks { return Acks{} }

type RecordHeader struct {
	Key   string
	Value []byte
}
type Record struct {
	Key, Value []byte
	Headers    []RecordHeader
	Timestamp  time.Time
	Topic      string
	Partition  int32
	Offset     int64
	Context    context.Context
}
type ProduceResult struct {
	Record *Record
	Err    error
}
type ProduceResults []ProduceResult

func (rs ProduceResults) FirstErr() error           { return nil }
func (rs ProduceResults) First() (*Record, error)   { return nil, nil }

type FetchError struct {
	Topic     string
	Partition int32
	Err       error
}
type Fetches []any

func (fs Fetches) Errors() []FetchError                                      { return nil }
func (fs Fetches) EachRecord(fn func(*Record))                               {}
func (fs Fetches) EachError(fn func(string, int32, error))                   {}
func (fs Fetches) Records() []*Record                                        { return nil }
func (fs Fetches) IsClientClosed() bool                                      { return false }

type Client struct{}

func NewClient(opts ...Opt) (*Client, error)                                                  { return nil, nil }
func (cl *Client) Produce(ctx context.Context, r *Record, promise func(*Record, error))       {}
func (cl *Client) TryProduce(ctx context.Context, r *Record, promise func(*Record, error))    {}
func (cl *Client) ProduceSync(ctx context.Context, rs ...*Record) ProduceResults              { return nil }
func (cl *Client) Flush(ctx context.Context) error                                            { return nil }
func (cl *Client) PollFetches(ctx context.Context) Fetches                                    { return nil }
func (cl *Client) PollRecords(ctx context.Context, maxPollRecords int) Fetches                { return nil }
func (cl *Client) CommitRecords(ctx context.Context, rs ...*Record) error                     { return nil }
func (cl *Client) CommitUncommittedOffsets(ctx context.Context) error                         { return nil }
func (cl *Client) MarkCommitRecords(rs ...*Record)                                            {}
func (cl *Client) Ping(ctx context.Context) error                                             { return nil }
func (cl *Client) Close()                                                                     {}

func SeedBrokers(seeds ...string) Opt                            { return nil }
func ClientID(id string) Opt                                     { return nil }
func RequestRetries(n int) Opt                                   { return nil }
func RetryTimeout(t time.Duration) Opt                           { return nil }
func RetryBackoffFn(backoff func(int) time.Duration) Opt         { return nil }
func DialTLS() Opt                                               { return nil }
func AllowAutoTopicCreation() Opt                                { return nil }
func DefaultProduceTopic(t string) ProducerOpt                   { return nil }
func RequiredAcks(acks Acks) ProducerOpt                         { return nil }
func DisableIdempotentWrite() ProducerOpt                        { return nil }
func RecordRetries(n int) ProducerOpt                            { return nil }
func RecordDeliveryTimeout(timeout time.Duration) ProducerOpt    { return nil }
func UnknownTopicRetries(n int) ProducerOpt                      { return nil }
func ProducerLinger(linger time.Duration) ProducerOpt            { return nil }
func MaxProduceRequestsInflightPerBroker(n int) ProducerOpt      { return nil }
func TransactionalID(id string) ProducerOpt                      { return nil }
func ConsumeTopics(topics ...string) ConsumerOpt                 { return nil }
func ConsumerGroup(group string) GroupOpt                        { return nil }
func DisableAutoCommit() GroupOpt                                { return nil }
func AutoCommitMarks() GroupOpt                                  { return nil }
func BlockRebalanceOnPoll() GroupOpt                             { return nil }
`,
})

var _ = add(Library{
	Name: "confluent-kafka-go", Path: "github.com/confluentinc/confluent-kafka-go/v2/kafka", Also: []string{"github.com/confluentinc/confluent-kafka-go/kafka", "gopkg.in/confluentinc/confluent-kafka-go.v1/kafka"},
	Source: "confluentinc/librdkafka@0093671 CONFIGURATION.md",
	Doc: "message.send.max.retries (also retries) counts retries; by default there are practically no bounds but delivery.timeout.ms, 5 minutes. " +
		"Idempotence is off by default; it covers only the client's own retries.",
	Clients: []Client{{Type: "Producer", New: []string{"NewProducer"}, Sends: []Send{
		{Func: "Produce", Operation: "Kafka produce", Kind: "publish", Effect: true, Queue: "field TopicPartition.Topic of arg 0"},
		{Func: "ProduceChannel", Operation: "Kafka produce", Kind: "publish", Effect: true},
	}, Policy: Policy{
		Attempts: "field message.send.max.retries of arg 0 + 1 else field retries of arg 0 + 1 else unbounded", NegativeIs: "error",
		Backoff: "exponential", Initial: "ms field retry.backoff.ms of arg 0 else 100ms", Factor: "2", Max: "ms field retry.backoff.max.ms of arg 0 else 1s", Jitter: "some",
		Overall: "ms field delivery.timeout.ms of arg 0 [0 none] else ms field message.timeout.ms of arg 0 [0 none] else 5m", On: "connect,reset,timeout,unavailable", Context: "none", Kind: "producer",
		DefaultBy: "librdkafka", OffSwitch: `"retries": 0`,
		Traits: []TraitTerm{{Kind: model.TraitNotIdempotentSend, If: "not field enable.idempotence of arg 0", Detail: "enable.idempotence is off"}},
		Fix:    confluentTransactional,
	}}},
	Stub: `package kafka

import (
	"context"
	"time"
)

type ConfigValue interface{}
type ConfigMap map[string]ConfigValue

func (m ConfigMap) SetKey(key string, value ConfigValue) error { return nil }

type Offset int64

const PartitionAny int32 = -1

type ErrorCode int
type Error struct{}

func (e Error) Error() string      { return "" }
func (e Error) Code() ErrorCode    { return 0 }
func (e Error) IsRetriable() bool  { return false }
func (e Error) IsFatal() bool      { return false }
func (e Error) IsTimeout() bool    { return false }

const (
	ErrTimedOut  ErrorCode = -185
	ErrQueueFull ErrorCode = -184
)

type TopicPartition struct {
	Topic     *string
	Partition int32
	Offset    Offset
	Metadata  *string
	Error     error
}
type Header struct {
	Key   string
	Value []byte
}
type Event interface{ String() string }
type Message struct {
	TopicPartition TopicPartition
	Value          []byte
	Key            []byte
	Timestamp      time.Time
	Opaque         interface{}
	Headers        []Header
}

func (m *Message) String() string { return "" }

type Producer struct{}

func NewProducer(conf *ConfigMap) (*Producer, error)                            { return nil, nil }
func (p *Producer) Produce(msg *Message, deliveryChan chan Event) error         { return nil }
func (p *Producer) ProduceChannel() chan *Message                               { return nil }
func (p *Producer) Events() chan Event                                          { return nil }
func (p *Producer) Flush(timeoutMs int) int                                     { return 0 }
func (p *Producer) Len() int                                                    { return 0 }
func (p *Producer) Close()                                                      {}
func (p *Producer) InitTransactions(ctx context.Context) error                  { return nil }
func (p *Producer) BeginTransaction() error                                     { return nil }
func (p *Producer) CommitTransaction(ctx context.Context) error                 { return nil }
func (p *Producer) AbortTransaction(ctx context.Context) error                  { return nil }

type RebalanceCb func(*Consumer, Event) error
type Consumer struct{}

func NewConsumer(conf *ConfigMap) (*Consumer, error)                                                 { return nil, nil }
func (c *Consumer) Subscribe(topic string, rebalanceCb RebalanceCb) error                            { return nil }
func (c *Consumer) SubscribeTopics(topics []string, rebalanceCb RebalanceCb) (err error)             { return nil }
func (c *Consumer) Poll(timeoutMs int) Event                                                         { return nil }
func (c *Consumer) ReadMessage(timeout time.Duration) (*Message, error)                              { return nil, nil }
func (c *Consumer) Commit() ([]TopicPartition, error)                                                { return nil, nil }
func (c *Consumer) CommitMessage(m *Message) ([]TopicPartition, error)                               { return nil, nil }
func (c *Consumer) StoreMessage(m *Message) ([]TopicPartition, error)                                { return nil, nil }
func (c *Consumer) Close() error                                                                     { return nil }
`,
})

// confluentTransactional: a transactional producer is idempotent.
func confluentTransactional(s Site, r *Result) {
	if s.Field("transactional.id", 0).Set {
		r.drop(model.TraitNotIdempotentSend)
	}
}
