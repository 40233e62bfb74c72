package libs

// Clients of brokers and mail servers that send a message once for each call: what repeats is the code around them. A message
// whose acknowledgement was lost is there twice when it is sent again.

// once is the policy of a client that does not retry by itself.
var once = Policy{Attempts: "1", Kind: "client"}

var _ = add(Library{
	Name: "RabbitMQ", Path: "github.com/rabbitmq/amqp091-go", Also: []string{"github.com/streadway/amqp"},
	Source: "github.com/rabbitmq/amqp091-go@v1.10.0 channel.go:1336-1500",
	Doc: "A publish is sent once. Without Confirm nobody says whether it arrived; with it, a lost confirmation looks like a lost message. MessageId is " +
		"for the consumer to compare: the broker itself drops no second copy.",
	Clients: []Client{{Type: "Channel", New: []string{"Channel"}, Policy: once, Sends: []Send{
		{Func: "Publish, PublishWithDeferredConfirm", Operation: "RabbitMQ publish", Kind: "publish", Effect: true, Queue: "arg 1", Key: "field MessageId of arg 4"},
		{Func: "PublishWithContext, PublishWithDeferredConfirmWithContext", Operation: "RabbitMQ publish", Kind: "publish", Effect: true, Queue: "arg 2", Key: "field MessageId of arg 5"},
	}}},
	Example: `package example

import (
	"context"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

func send(ctx context.Context, ch *amqp.Channel, body []byte) (err error) {
	for range 3 { // want layer "attempts=3 initial=1s"
		if err = ch.PublishWithContext(ctx, "", "orders", false, false, amqp.Publishing{Body: body}); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}
`,
})

var _ = add(Library{
	Name: "Azure go-amqp", Path: "github.com/Azure/go-amqp", Also: []string{"pack.ag/amqp"},
	Source: "github.com/Azure/go-amqp@v1.4.0 sender.go:70-165, message.go",
	Doc:    "AMQP 1.0, as Service Bus, Solace, ActiveMQ Artemis and Qpid speak it. A message is sent once. A broker may drop a message whose Properties.MessageID it has seen; few do.",
	Clients: []Client{{Type: "Sender", New: []string{"NewSender"}, Policy: once, Sends: []Send{
		{Func: "Send, SendWithReceipt", Operation: "AMQP send", Kind: "publish", Effect: true, Queue: "arg 1 of receiver", Key: "field Properties.MessageID of arg 1"},
	}}},
	Stub: `package amqp

import (
	"context"
	"crypto/tls"
	"time"
)

type ConnOptions struct {
	ContainerID, HostName string
	IdleTimeout           time.Duration
	SASLType              any
	TLSConfig             *tls.Config
}
type SessionOptions struct{ MaxLinks uint32 }
type SenderOptions struct {
	Name           string
	SettlementMode any
}
type ReceiverOptions struct {
	Name   string
	Credit int32
}
type SendOptions struct{ Settled bool }
type ReceiveOptions struct{}
type MessageHeader struct {
	Durable       bool
	Priority      uint8
	TTL           time.Duration
	FirstAcquirer bool
	DeliveryCount uint32
}
type MessageProperties struct {
	MessageID, CorrelationID any
	To, Subject, ReplyTo     *string
	ContentType              *string
	CreationTime             *time.Time
	GroupID                  *string
}
type Message struct {
	DeliveryTag           []byte
	Header                *MessageHeader
	Annotations           map[any]any
	Properties            *MessageProperties
	ApplicationProperties map[string]any
	Data                  [][]byte
	Value                 any
}

func NewMessage(data []byte) *Message { return nil }
func (m *Message) GetData() []byte     { return nil }

type Conn struct{}
type Session struct{}
type Sender struct{}
type Receiver struct{}

func Dial(ctx context.Context, addr string, opts *ConnOptions) (*Conn, error)                                   { return nil, nil }
func SASLTypePlain(username, password string) any                                                              { return nil }
func SASLTypeAnonymous() any                                                                                   { return nil }
func (c *Conn) NewSession(ctx context.Context, opts *SessionOptions) (*Session, error)                          { return nil, nil }
func (c *Conn) Close() error                                                                                   { return nil }
func (s *Session) NewSender(ctx context.Context, target string, opts *SenderOptions) (*Sender, error)           { return nil, nil }
func (s *Session) NewReceiver(ctx context.Context, source string, opts *ReceiverOptions) (*Receiver, error)     { return nil, nil }
func (s *Session) Close(ctx context.Context) error                                                             { return nil }
func (s *Sender) Send(ctx context.Context, msg *Message, opts *SendOptions) error                              { return nil }
func (s *Sender) SendWithReceipt(ctx context.Context, msg *Message, opts any) (any, error)                      { return nil, nil }
func (s *Sender) Close(ctx context.Context) error                                                              { return nil }
func (r *Receiver) Receive(ctx context.Context, opts *ReceiveOptions) (*Message, error)                         { return nil, nil }
func (r *Receiver) AcceptMessage(ctx context.Context, msg *Message) error                                      { return nil }
func (r *Receiver) ReleaseMessage(ctx context.Context, msg *Message) error                                     { return nil }
func (r *Receiver) Close(ctx context.Context) error                                                            { return nil }
`,
	Example: `package example

import (
	"context"
	"time"

	"github.com/Azure/go-amqp"
)

func send(ctx context.Context, s *amqp.Session, m *amqp.Message) error {
	sender, err := s.NewSender(ctx, "orders", nil)
	if err != nil {
		return err
	}
	for n := 0; n < 4; n++ { // want layer "attempts=4 initial=2s"
		if err = sender.Send(ctx, m, nil); err == nil {
			break
		}
		time.Sleep(2 * time.Second)
	}
	return err
}
`,
})

var _ = add(Library{
	Name: "Eclipse Paho MQTT", Path: "github.com/eclipse/paho.mqtt.golang",
	Source: "github.com/eclipse/paho.mqtt.golang@v1.5.0 client.go:37-105,790-900",
	Doc: "With QoS 1 and 2 the client keeps an unacknowledged message and sends it again by itself after it has connected anew: a publish whose token " +
		"timed out may still be delivered, and one that the application sends again is another message.",
	Clients: []Client{{Type: "Client", New: []string{"NewClient"}, Policy: once, Sends: []Send{
		{Func: "Publish", Operation: "MQTT publish", Kind: "publish", Effect: true, Queue: "arg 0"},
	}}},
	Stub: `package mqtt

import (
	"crypto/tls"
	"time"
)

type Token interface {
	Wait() bool
	WaitTimeout(time.Duration) bool
	Done() <-chan struct{}
	Error() error
}
type Message interface {
	Duplicate() bool
	Qos() byte
	Retained() bool
	Topic() string
	MessageID() uint16
	Payload() []byte
	Ack()
}
type MessageHandler func(Client, Message)
type OnConnectHandler func(Client)
type ConnectionLostHandler func(Client, error)
type ReconnectHandler func(Client, *ClientOptions)
type ClientOptionsReader struct{}
type Client interface {
	IsConnected() bool
	IsConnectionOpen() bool
	Connect() Token
	Disconnect(quiesce uint)
	Publish(topic string, qos byte, retained bool, payload interface{}) Token
	Subscribe(topic string, qos byte, callback MessageHandler) Token
	SubscribeMultiple(filters map[string]byte, callback MessageHandler) Token
	Unsubscribe(topics ...string) Token
	AddRoute(topic string, callback MessageHandler)
	OptionsReader() ClientOptionsReader
}
type ClientOptions struct {
	ClientID, Username, Password             string
	CleanSession, AutoReconnect, ConnectRetry bool
	AutoAckDisabled                          bool
	ConnectRetryInterval                     time.Duration
	MaxReconnectInterval                     time.Duration
	ConnectTimeout, PingTimeout, WriteTimeout time.Duration
	OnConnect                                OnConnectHandler
	OnConnectionLost                         ConnectionLostHandler
	OnReconnecting                           ReconnectHandler
}

func NewClient(o *ClientOptions) Client                                             { return nil }
func NewClientOptions() *ClientOptions                                              { return nil }
func (o *ClientOptions) AddBroker(server string) *ClientOptions                     { return o }
func (o *ClientOptions) SetClientID(id string) *ClientOptions                       { return o }
func (o *ClientOptions) SetUsername(u string) *ClientOptions                        { return o }
func (o *ClientOptions) SetPassword(p string) *ClientOptions                        { return o }
func (o *ClientOptions) SetCleanSession(clean bool) *ClientOptions                  { return o }
func (o *ClientOptions) SetAutoReconnect(a bool) *ClientOptions                     { return o }
func (o *ClientOptions) SetConnectRetry(a bool) *ClientOptions                      { return o }
func (o *ClientOptions) SetConnectRetryInterval(t time.Duration) *ClientOptions     { return o }
func (o *ClientOptions) SetMaxReconnectInterval(t time.Duration) *ClientOptions     { return o }
func (o *ClientOptions) SetConnectTimeout(t time.Duration) *ClientOptions           { return o }
func (o *ClientOptions) SetTLSConfig(t *tls.Config) *ClientOptions                  { return o }
func (o *ClientOptions) SetKeepAlive(k time.Duration) *ClientOptions                { return o }
func (o *ClientOptions) SetOnConnectHandler(f OnConnectHandler) *ClientOptions      { return o }
func (o *ClientOptions) SetConnectionLostHandler(f ConnectionLostHandler) *ClientOptions { return o }
func (o *ClientOptions) SetAutoAckDisabled(a bool) *ClientOptions                   { return o }
func (o *ClientOptions) SetDefaultPublishHandler(f MessageHandler) *ClientOptions   { return o }
`,
	Example: `package example

import (
	"errors"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"
)

func send(c mqtt.Client, body []byte) error {
	for n := 0; n < 3; n++ { // want layer "attempts=3 initial=1s"
		t := c.Publish("orders", 1, false, body)
		if t.WaitTimeout(5*time.Second) && t.Error() == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return errors.New("not sent")
}
`,
})

var _ = add(Library{
	Name: "NSQ producer", Path: "github.com/nsqio/go-nsq",
	Source: "github.com/nsqio/go-nsq@v1.1.0 producer.go:193-290",
	Doc:    "A publish is sent once. nsqd makes a new message of each, so one that is sent again is delivered twice.",
	Clients: []Client{{Type: "Producer", New: []string{"NewProducer"}, Policy: once, Sends: []Send{
		{Func: "Publish, PublishAsync, MultiPublish, MultiPublishAsync, DeferredPublish, DeferredPublishAsync", Operation: "NSQ publish", Kind: "publish", Effect: true, Queue: "arg 0"},
	}}},
	Stub: `package nsq

import "time"

type Config struct {
	MaxAttempts         uint16
	MaxInFlight         int
	MsgTimeout          time.Duration
	DefaultRequeueDelay time.Duration
	MaxRequeueDelay     time.Duration
}

func NewConfig() *Config { return nil }

type Message struct {
	ID        [16]byte
	Body      []byte
	Timestamp int64
	Attempts  uint16
}

func (m *Message) Finish()                       {}
func (m *Message) Touch()                        {}
func (m *Message) Requeue(delay time.Duration)   {}
func (m *Message) DisableAutoResponse()          {}

type Handler interface{ HandleMessage(message *Message) error }
type HandlerFunc func(message *Message) error

func (h HandlerFunc) HandleMessage(m *Message) error { return nil }

type ProducerTransaction struct {
	Error error
	Args  []interface{}
}
type Producer struct{}

func NewProducer(addr string, config *Config) (*Producer, error)                                                               { return nil, nil }
func (w *Producer) Ping() error                                                                                               { return nil }
func (w *Producer) Stop()                                                                                                     {}
func (w *Producer) Publish(topic string, body []byte) error                                                                   { return nil }
func (w *Producer) MultiPublish(topic string, body [][]byte) error                                                            { return nil }
func (w *Producer) DeferredPublish(topic string, delay time.Duration, body []byte) error                                      { return nil }
func (w *Producer) PublishAsync(topic string, body []byte, doneChan chan *ProducerTransaction, args ...interface{}) error     { return nil }
func (w *Producer) MultiPublishAsync(topic string, body [][]byte, doneChan chan *ProducerTransaction, args ...interface{}) error { return nil }
func (w *Producer) DeferredPublishAsync(topic string, delay time.Duration, body []byte, doneChan chan *ProducerTransaction, args ...interface{}) error {
	return nil
}

type Consumer struct{ StopChan chan int }

func NewConsumer(topic string, channel string, config *Config) (*Consumer, error)         { return nil, nil }
func (r *Consumer) AddHandler(handler Handler)                                            {}
func (r *Consumer) AddConcurrentHandlers(handler Handler, concurrency int)                {}
func (r *Consumer) ConnectToNSQD(addr string) error                                       { return nil }
func (r *Consumer) ConnectToNSQLookupd(addr string) error                                 { return nil }
func (r *Consumer) Stop()                                                                 {}
`,
})

var _ = add(Library{
	Name: "STOMP", Path: "github.com/go-stomp/stomp/v3", Also: []string{"github.com/go-stomp/stomp"},
	Source: "github.com/go-stomp/stomp/v3@v3.1.3 conn.go:534-600",
	Doc:    "A message is sent once; a receipt says that the broker has it.",
	Clients: []Client{{Type: "Conn", New: []string{"Dial", "Connect"}, Policy: once, Sends: []Send{
		{Func: "Send", Operation: "STOMP send", Kind: "publish", Effect: true, Queue: "arg 0"},
	}}},
	Stub: `package stomp

import (
	"context"
	"io"
)

type Frame struct{}
type AckMode int

const (
	AckAuto AckMode = iota
	AckClient
	AckClientIndividual
)

type Message struct {
	Err                      error
	Destination, ContentType string
	Body                     []byte
}
type Subscription struct{ C chan *Message }
type Conn struct{}
type option = func(*Frame) error

func Dial(network, addr string, opts ...func(*Conn) error) (*Conn, error)                                { return nil, nil }
func DialWithContext(ctx context.Context, network, addr string, opts ...func(*Conn) error) (*Conn, error) { return nil, nil }
func Connect(conn io.ReadWriteCloser, opts ...func(*Conn) error) (*Conn, error)                           { return nil, nil }
func (c *Conn) Send(destination, contentType string, body []byte, opts ...option) error                   { return nil }
func (c *Conn) Subscribe(destination string, ack AckMode, opts ...option) (*Subscription, error)          { return nil, nil }
func (c *Conn) Ack(m *Message) error                                                                      { return nil }
func (c *Conn) Nack(m *Message) error                                                                     { return nil }
func (c *Conn) Disconnect() error                                                                         { return nil }
`,
})

var _ = add(Library{
	Name: "RocketMQ", Path: "github.com/apache/rocketmq-client-go/v2", Also: []string{"github.com/apache/rocketmq-client-go/v2/producer"},
	Source: "github.com/apache/rocketmq-client-go/v2@v2.1.2 internal/client.go:101, producer/option.go:93, producer/producer.go:313-345",
	Doc:    "WithRetry counts retries, 3 by default, of SendSync alone, without a wait, each at another broker. The broker drops no second copy.",
	Clients: []Client{{Type: "Producer", New: []string{"NewProducer", "NewDefaultProducer"}, Sends: []Send{
		{Func: "SendSync", Operation: "RocketMQ send", Kind: "publish", Effect: true, Queue: "field Topic of arg 1"},
	}, Policy: Policy{
		Attempts: "option WithRetry + 1 else 4", ZeroIs: "one", Backoff: "none", Overall: "none", PerAttempt: "option WithSendMsgTimeout else 3s",
		On: "connect,reset,timeout,unavailable", Context: "none", Kind: "producer", DefaultBy: "rocketmq-client-go", OffSwitch: "producer.WithRetry(0)",
		Traits: []TraitTerm{{Kind: "producer-no-idempotence", Detail: "the client has no idempotent producer"}},
	}}},
	Stub: `package rocketmq

import (
	"context"
	"time"

	"github.com/apache/rocketmq-client-go/v2/primitive"
	"github.com/apache/rocketmq-client-go/v2/producer"
)

type Producer interface {
	Start() error
	Shutdown() error
	SendSync(ctx context.Context, mq ...*primitive.Message) (*primitive.SendResult, error)
	SendAsync(ctx context.Context, mq func(ctx context.Context, result *primitive.SendResult, err error), msg ...*primitive.Message) error
	SendOneWay(ctx context.Context, mq ...*primitive.Message) error
	Request(ctx context.Context, ttl time.Duration, msg *primitive.Message) (*primitive.Message, error)
}

func NewProducer(opts ...producer.Option) (Producer, error) { return nil, nil }
`,
	StubFiles: map[string]string{
		"github.com/apache/rocketmq-client-go/v2/primitive": `package primitive

type Message struct {
	Topic         string
	Body          []byte
	Flag          int32
	TransactionId string
}
type MessageQueue struct {
	Topic, BrokerName string
	QueueId           int
}
type MessageExt struct {
	Message
	MsgId          string
	Queue          *MessageQueue
	QueueOffset    int64
	ReconsumeTimes int32
}
type SendResult struct {
	MsgID  string
	Status int
}

func NewMessage(topic string, body []byte) *Message          { return nil }
func (m *Message) WithTag(tags string) *Message              { return m }
func (m *Message) WithKeys(keys []string) *Message           { return m }
func (m *Message) WithProperty(key, value string)            {}
`,
		"github.com/apache/rocketmq-client-go/v2/producer": `package producer

import "time"

type producerOptions struct{}
type Option func(*producerOptions)
type defaultProducer struct{}

func NewDefaultProducer(opts ...Option) (*defaultProducer, error)      { return nil, nil }
func WithRetry(retries int) Option                                     { return nil }
func WithGroupName(group string) Option                                { return nil }
func WithSendMsgTimeout(duration time.Duration) Option                 { return nil }
`,
	},
	Example: `package example

import (
	"context"

	"github.com/apache/rocketmq-client-go/v2"
	"github.com/apache/rocketmq-client-go/v2/primitive"
	"github.com/apache/rocketmq-client-go/v2/producer"
)

func send(ctx context.Context, body []byte) error {
	p, err := rocketmq.NewProducer(producer.WithRetry(2))
	if err != nil {
		return err
	}
	_, err = p.SendSync(ctx, primitive.NewMessage("orders", body)) // want layer "attempts=3 perAttempt=3s"
	return err
}
`,
})

var _ = add(Library{
	Name: "Pulsar producer", Path: "github.com/apache/pulsar-client-go/pulsar",
	Source: "github.com/apache/pulsar-client-go@v0.14.0 pulsar/producer_impl.go:34-82, producer.go:95-172, producer_partition.go:233,916",
	Doc: "A pending message is sent again over every new connection until SendTimeout (30s) is over. The broker drops a second copy only where " +
		"deduplication is on for the namespace and the producer has a name of its own.",
	Clients: []Client{{Type: "Producer", New: []string{"CreateProducer"}, Sends: []Send{
		{Func: "Send, SendAsync", Operation: "Pulsar send", Kind: "publish", Effect: true, Queue: "field Topic of arg 0 of receiver", Key: "field SequenceID of arg 1"},
	}, Policy: Policy{
		Attempts: "unbounded", Overall: "field SendTimeout of arg 0 [0 default, - none] else 30s", Backoff: "exponential", Initial: "100ms", Factor: "2", Max: "60s", Jitter: "some",
		On: "connect,reset", Context: "arg 0", Kind: "producer", DefaultBy: "pulsar-client-go",
		Traits: []TraitTerm{{Kind: "producer-no-idempotence", If: "not field Name of arg 0", Detail: "a producer without a name of its own"}},
	}}},
	Stub: `package pulsar

import (
	"context"
	"time"
)

type MessageID interface{ Serialize() []byte }
type Message interface {
	Topic() string
	Payload() []byte
	Key() string
	ID() MessageID
	RedeliveryCount() uint32
	Properties() map[string]string
}
type ProducerMessage struct {
	Payload               []byte
	Value                 interface{}
	Key, OrderingKey      string
	Properties            map[string]string
	EventTime             time.Time
	SequenceID            *int64
	DeliverAfter          time.Duration
	DeliverAt             time.Time
}
type ProducerOptions struct {
	Topic, Name             string
	Properties              map[string]string
	SendTimeout             time.Duration
	DisableBlockIfQueueFull bool
	MaxPendingMessages      int
	MaxReconnectToBroker    *uint
	BatchingMaxMessages     uint
	BatchingMaxPublishDelay time.Duration
	DisableBatching         bool
}
type Producer interface {
	Topic() string
	Name() string
	Send(context.Context, *ProducerMessage) (MessageID, error)
	SendAsync(context.Context, *ProducerMessage, func(MessageID, *ProducerMessage, error))
	Flush() error
	Close()
}
type DLQPolicy struct {
	MaxDeliveries                     uint32
	DeadLetterTopic, RetryLetterTopic string
}
type SubscriptionType int

const (
	Exclusive SubscriptionType = iota
	Shared
	Failover
	KeyShared
)

type ConsumerOptions struct {
	Topic, SubscriptionName, Name string
	Topics                        []string
	Type                          SubscriptionType
	DLQ                           *DLQPolicy
	RetryEnable                   bool
	NackRedeliveryDelay           time.Duration
	MessageChannel                chan ConsumerMessage
}
type ConsumerMessage struct {
	Consumer
	Message
}
type Consumer interface {
	Subscription() string
	Receive(context.Context) (Message, error)
	Chan() <-chan ConsumerMessage
	Ack(Message) error
	Nack(Message)
	ReconsumeLater(msg Message, delay time.Duration)
	Close()
}
type ClientOptions struct {
	URL                                 string
	OperationTimeout, ConnectionTimeout time.Duration
}
type Client interface {
	CreateProducer(ProducerOptions) (Producer, error)
	Subscribe(ConsumerOptions) (Consumer, error)
	Close()
}

func NewClient(options ClientOptions) (Client, error) { return nil, nil }
`,
})

var _ = add(Library{
	Name: "Mail", Path: "net/smtp",
	Source: "Go 1.26 net/smtp/smtp.go; gopkg.in/gomail.v2 send.go, smtp.go; github.com/wneessen/go-mail@v0.6.2 client.go:1150-1206",
	Doc:    "A mail is sent once. When the answer to DATA is lost, the mail is on its way all the same.",
	Calls:  []Call{{Func: "SendMail", Policy: once, Send: &Send{Operation: "mail", Kind: "call", Effect: true}}},
})

var _ = add(Library{
	Name: "gomail", Path: "gopkg.in/gomail.v2", Also: []string{"github.com/go-gomail/gomail", "gopkg.in/mail.v2", "github.com/go-mail/mail", "github.com/go-mail/mail/v2"},
	Source:  "gopkg.in/gomail.v2@v2.0.0-20160411212932 smtp.go:45-140",
	Doc:     "A mail is sent once. When the answer to DATA is lost, the mail is on its way all the same.",
	Clients: []Client{{Type: "Dialer", New: []string{"NewDialer"}, Policy: once, Sends: []Send{{Func: "DialAndSend", Operation: "mail", Kind: "call", Effect: true}}}},
	Stub: `package gomail

type Message struct{}
type Dialer struct {
	Host, Username, Password string
	Port                     int
}

func NewMessage() *Message                                           { return nil }
func (m *Message) SetHeader(field string, value ...string)           {}
func (m *Message) SetBody(contentType, body string)                  {}
func NewDialer(host string, port int, username, password string) *Dialer { return nil }
func (d *Dialer) DialAndSend(m ...*Message) error                    { return nil }
`,
})

var _ = add(Library{
	Name: "go-mail", Path: "github.com/wneessen/go-mail",
	Source:  "github.com/wneessen/go-mail@v0.6.2 client.go:1150-1206",
	Doc:     "A mail is sent once. When the answer to DATA is lost, the mail is on its way all the same.",
	Clients: []Client{{Type: "Client", New: []string{"NewClient"}, Policy: once, Sends: []Send{{Func: "DialAndSend, DialAndSendWithContext, Send", Operation: "mail", Kind: "call", Effect: true}}}},
	Stub: `package mail

import "context"

type Msg struct{}
type Client struct{}
type Option func(*Client) error

func NewMsg() *Msg                                                                     { return nil }
func (m *Msg) From(addr string) error                                                  { return nil }
func (m *Msg) To(rcpts ...string) error                                                { return nil }
func (m *Msg) Subject(subj string)                                                     {}
func NewClient(host string, opts ...Option) (*Client, error)                           { return nil, nil }
func (c *Client) DialAndSend(messages ...*Msg) error                                   { return nil }
func (c *Client) DialAndSendWithContext(ctx context.Context, messages ...*Msg) error   { return nil }
func (c *Client) Send(messages ...*Msg) error                                          { return nil }
`,
})
