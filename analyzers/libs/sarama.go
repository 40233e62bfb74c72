package libs

import "github.com/retrylint/retrylint/model"

// saramaPolicy: the configuration is an argument of the producer's constructor.
func saramaPolicy(cfg string) Policy {
	f := func(name string) string { return "field " + name + " of " + cfg }
	return Policy{
		Attempts: f("Producer.Retry.Max") + " + 1 else 4", ZeroIs: "one", NegativeIs: "error",
		Backoff: "custom if " + f("Producer.Retry.BackoffFunc") + " else constant", Initial: f("Producer.Retry.Backoff") + " else 100ms", Jitter: "none",
		Overall: "none", On: "connect,reset,timeout,unavailable", Context: "none", Kind: "producer",
		DefaultBy: "sarama", OffSwitch: "config.Producer.Retry.Max = 0",
		Traits: []TraitTerm{{Kind: model.TraitNotIdempotentSend, If: "not " + f("Producer.Idempotent"), Detail: "Producer.Idempotent is off"}},
	}
}

var saramaSends = []Send{
	{Func: "SendMessage", Operation: "Kafka produce", Kind: "publish", Effect: true, Queue: "field Topic of arg 0"},
	{Func: "SendMessages", Operation: "Kafka produce", Kind: "publish", Effect: true},
	{Func: "Input", Operation: "Kafka produce", Kind: "publish", Effect: true},
}

var _ = add(Library{
	Name:   "sarama",
	Path:   "github.com/IBM/sarama",
	Also:   []string{"github.com/Shopify/sarama"},
	Source: "github.com/IBM/sarama@v1.61.1 config.go:220,279-296,574-592,801-839, async_producer.go:805-820,1774-1781; github.com/Shopify/sarama@v1.38.1 config.go:510-527",
	Doc: "Producer.Retry.Max counts retries for each message, 3 by default. Idempotence is off by default, so a lost acknowledgement makes a " +
		"duplicate; it needs acks of all replicas and one open request. A SendMessage that the application repeats is a new message in any case.",
	Clients: []Client{
		{Type: "SyncProducer", New: []string{"NewSyncProducer"}, Sends: saramaSends, Policy: saramaPolicy("arg 1")},
		{Type: "AsyncProducer", New: []string{"NewAsyncProducer"}, Sends: saramaSends, Policy: saramaPolicy("arg 1")},
		{Type: "SyncProducer", New: []string{"NewSyncProducerFromClient"}, Policy: saramaPolicy("arg 1 of arg 0")},
		{Type: "AsyncProducer", New: []string{"NewAsyncProducerFromClient"}, Policy: saramaPolicy("arg 1 of arg 0")},
	},
	Stub: saramaStub,
	Example: `package example

import "github.com/IBM/sarama"

func producer(brokers []string) (sarama.SyncProducer, error) {
	cfg := sarama.NewConfig()
	cfg.Producer.Retry.Max = 5
	cfg.Producer.Return.Successes = true
	return sarama.NewSyncProducer(brokers, cfg)
}

func send(brokers []string, m *sarama.ProducerMessage) error {
	p, err := producer(brokers)
	if err != nil {
		return err
	}
	_, _, err = p.SendMessage(m) // want layer "attempts=6 initial=100ms"
	return err
}

func shared(brokers []string, cfg sarama.Config) (sarama.AsyncProducer, error) {
	cfg.Producer.Retry.Max = 9
	c, err := sarama.NewClient(brokers, &cfg)
	if err != nil {
		return nil, err
	}
	return sarama.NewAsyncProducerFromClient(c) // want layer "attempts=10 initial=100ms"
}
`,
})

const saramaStub = `package sarama

import (
	"context"
	"crypto/tls"
	"errors"
	"time"
)

type RequiredAcks int16

const (
	NoResponse   RequiredAcks = 0
	WaitForLocal RequiredAcks = 1
	WaitForAll   RequiredAcks = -1

	OffsetNewest int64 = -1
	OffsetOldest int64 = -2
)

var (
	ErrOutOfBrokers     = errors.New("out of brokers")
	ErrClosedClient     = errors.New("closed client")
	ErrNotLeaderForPartition = errors.New("not leader")
)

type KafkaVersion struct{}

var V2_8_0_0, V3_0_0_0, V3_6_0_0, MaxVersion, DefaultVersion, V2_0_0_0, V0_11_0_0, V1_0_0_0 KafkaVersion

func ParseKafkaVersion(s string) (KafkaVersion, error) { return KafkaVersion{}, nil }

type CompressionCodec int8

const (
	CompressionNone CompressionCodec = iota
	CompressionGZIP
	CompressionSnappy
	CompressionLZ4
	CompressionZSTD
)

type Encoder interface {
	Encode() ([]byte, error)
	Length() int
}
type StringEncoder string

func (s StringEncoder) Encode() ([]byte, error) { return nil, nil }
func (s StringEncoder) Length() int             { return 0 }

type ByteEncoder []byte

func (b ByteEncoder) Encode() ([]byte, error) { return nil, nil }
func (b ByteEncoder) Length() int             { return 0 }

type RecordHeader struct{ Key, Value []byte }
type ProducerMessage struct {
	Topic     string
	Key       Encoder
	Value     Encoder
	Headers   []RecordHeader
	Metadata  interface{}
	Offset    int64
	Partition int32
	Timestamp time.Time
}
type ProducerError struct {
	Msg *ProducerMessage
	Err error
}

func (pe ProducerError) Error() string { return "" }

type ProducerErrors []*ProducerError

func (pe ProducerErrors) Error() string { return "" }

type Partitioner interface {
	Partition(message *ProducerMessage, numPartitions int32) (int32, error)
	RequiresConsistency() bool
}
type PartitionerConstructor func(topic string) Partitioner

func NewRandomPartitioner(topic string) Partitioner     { return nil }
func NewHashPartitioner(topic string) Partitioner       { return nil }
func NewRoundRobinPartitioner(topic string) Partitioner { return nil }
func NewManualPartitioner(topic string) Partitioner     { return nil }

type BalanceStrategy interface{ Name() string }

func NewBalanceStrategyRange() BalanceStrategy      { return nil }
func NewBalanceStrategyRoundRobin() BalanceStrategy { return nil }
func NewBalanceStrategySticky() BalanceStrategy     { return nil }

type Config struct {
	Admin struct {
		Retry struct {
			Max     int
			Backoff time.Duration
		}
		Timeout time.Duration
	}
	Net struct {
		MaxOpenRequests int
		DialTimeout     time.Duration
		ReadTimeout     time.Duration
		WriteTimeout    time.Duration
		TLS             struct {
			Enable bool
			Config *tls.Config
		}
		SASL struct {
			Enable    bool
			Mechanism string
			User      string
			Password  string
		}
	}
	Metadata struct {
		Retry struct {
			Max         int
			Backoff     time.Duration
			BackoffFunc func(retries, maxRetries int) time.Duration
		}
		RefreshFrequency time.Duration
		Full             bool
		Timeout          time.Duration
	}
	Producer struct {
		MaxMessageBytes  int
		RequiredAcks     RequiredAcks
		Timeout          time.Duration
		Compression      CompressionCodec
		CompressionLevel int
		Partitioner      PartitionerConstructor
		Idempotent       bool
		Transaction      struct {
			ID      string
			Timeout time.Duration
			Retry   struct {
				Max     int
				Backoff time.Duration
			}
		}
		Return struct {
			Successes bool
			Errors    bool
		}
		Flush struct {
			Bytes       int
			Messages    int
			Frequency   time.Duration
			MaxMessages int
		}
		Retry struct {
			Max         int
			Backoff     time.Duration
			BackoffFunc func(retries, maxRetries int) time.Duration
		}
		Interceptors []any
	}
	Consumer struct {
		Group struct {
			Session struct {
				Timeout time.Duration
			}
			Heartbeat struct {
				Interval time.Duration
			}
			Rebalance struct {
				Strategy        BalanceStrategy
				GroupStrategies []BalanceStrategy
				Timeout         time.Duration
				Retry           struct {
					Max     int
					Backoff time.Duration
				}
			}
		}
		Retry struct {
			Backoff     time.Duration
			BackoffFunc func(retries int) time.Duration
		}
		Fetch struct {
			Min     int32
			Default int32
			Max     int32
		}
		MaxWaitTime       time.Duration
		MaxProcessingTime time.Duration
		Return            struct {
			Errors bool
		}
		Offsets struct {
			AutoCommit struct {
				Enable   bool
				Interval time.Duration
			}
			Initial   int64
			Retention time.Duration
			Retry     struct {
				Max int
			}
		}
		IsolationLevel int8
	}
	ClientID          string
	RackID            string
	ChannelBufferSize int
	Version           KafkaVersion
	MetricRegistry    any
}

func NewConfig() *Config           { return nil }
func (c *Config) Validate() error  { return nil }

type SyncProducer interface {
	SendMessage(msg *ProducerMessage) (partition int32, offset int64, err error)
	SendMessages(msgs []*ProducerMessage) error
	Close() error
	IsTransactional() bool
	BeginTxn() error
	CommitTxn() error
	AbortTxn() error
}
type AsyncProducer interface {
	AsyncClose()
	Close() error
	Input() chan<- *ProducerMessage
	Successes() <-chan *ProducerMessage
	Errors() <-chan *ProducerError
	IsTransactional() bool
	BeginTxn() error
	CommitTxn() error
	AbortTxn() error
}

func NewSyncProducer(addrs []string, config *Config) (SyncProducer, error)   { return nil, nil }
func NewSyncProducerFromClient(client Client) (SyncProducer, error)          { return nil, nil }
func NewAsyncProducer(addrs []string, conf *Config) (AsyncProducer, error)   { return nil, nil }
func NewAsyncProducerFromClient(client Client) (AsyncProducer, error)        { return nil, nil }

type Client interface {
	Config() *Config
	Topics() ([]string, error)
	Partitions(topic string) ([]int32, error)
	Close() error
}

func NewClient(addrs []string, conf *Config) (Client, error) { return nil, nil }

type ConsumerMessage struct {
	Headers   []*RecordHeader
	Timestamp time.Time
	Key, Value []byte
	Topic     string
	Partition int32
	Offset    int64
}
type ConsumerGroupSession interface {
	Claims() map[string][]int32
	MemberID() string
	MarkOffset(topic string, partition int32, offset int64, metadata string)
	MarkMessage(msg *ConsumerMessage, metadata string)
	Commit()
	Context() context.Context
}
type ConsumerGroupClaim interface {
	Topic() string
	Partition() int32
	InitialOffset() int64
	HighWaterMarkOffset() int64
	Messages() <-chan *ConsumerMessage
}
type ConsumerGroupHandler interface {
	Setup(ConsumerGroupSession) error
	Cleanup(ConsumerGroupSession) error
	ConsumeClaim(ConsumerGroupSession, ConsumerGroupClaim) error
}
type ConsumerGroup interface {
	Consume(ctx context.Context, topics []string, handler ConsumerGroupHandler) error
	Errors() <-chan error
	Close() error
}

func NewConsumerGroup(addrs []string, groupID string, config *Config) (ConsumerGroup, error) { return nil, nil }
func NewConsumerGroupFromClient(groupID string, client Client) (ConsumerGroup, error)        { return nil, nil }

type ConsumerError struct {
	Topic     string
	Partition int32
	Err       error
}
type PartitionConsumer interface {
	Messages() <-chan *ConsumerMessage
	Errors() <-chan *ConsumerError
	Close() error
}
type Consumer interface {
	ConsumePartition(topic string, partition int32, offset int64) (PartitionConsumer, error)
	Partitions(topic string) ([]int32, error)
	Close() error
}

func NewConsumer(addrs []string, config *Config) (Consumer, error) { return nil, nil }
`
