package libs

import "github.com/retrylint/retrylint/model"

var _ = add(Library{
	Name: "gax-go", Path: "github.com/googleapis/gax-go/v2",
	Source: "github.com/googleapis/gax-go/v2@v2.27.0 call_option.go:73-208,249, invoke.go:81-167",
	Doc: "There is no count: with WithRetry a call is repeated until the context ends. WithTimeout holds for all attempts together, and only where the " +
		"caller's context has no deadline. Zero values of Backoff mean 1s, doubling, cap 30s, full jitter.",
	Calls: []Call{{Func: "Invoke", Runs: "arg 1", Policy: Policy{
		Attempts: "unbounded if option WithRetry else 1", Backoff: "exponential", Initial: "1s", Factor: "2", Max: "30s", Jitter: "full",
		Overall: "option WithTimeout else none", Context: "arg 0", Kind: "library", DefaultBy: "gax-go", Predicate: "option WithRetry",
	}}},
	Stub: `package gax

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
)

type CallSettings struct{ Path string }
type CallOption interface{ Resolve(cs *CallSettings) }
type Retryer interface {
	Retry(err error) (pause time.Duration, shouldRetry bool)
}
type Backoff struct {
	Initial    time.Duration
	Max        time.Duration
	Multiplier float64
}

func (bo *Backoff) Pause() time.Duration { return 0 }

type APICall func(context.Context, CallSettings) error

func Invoke(ctx context.Context, call APICall, opts ...CallOption) error            { return nil }
func WithRetry(fn func() Retryer) CallOption                                        { return nil }
func WithTimeout(d time.Duration) CallOption                                        { return nil }
func WithGRPCOptions(opt ...grpc.CallOption) CallOption                             { return nil }
func OnCodes(cc []codes.Code, bo Backoff) Retryer                                   { return nil }
func OnHTTPCodes(bo Backoff, cc ...int) Retryer                                     { return nil }
func OnErrorFunc(bo Backoff, shouldRetry func(err error) bool) Retryer              { return nil }
func Sleep(ctx context.Context, d time.Duration) error                              { return nil }
`,
	Example: `package example

import (
	"context"

	"github.com/googleapis/gax-go/v2"
)

func call(ctx context.Context, f func(context.Context, gax.CallSettings) error, r func() gax.Retryer) error {
	return gax.Invoke(ctx, f, gax.WithRetry(r)) // want layer "attempts=unbounded"
}
`,
})

// gcsPolicy: a handle takes the settings of its client; Retryer on the handle stands above them.
var gcsPolicy = Policy{
	Attempts: "option WithMaxAttempts else 1 if option WithPolicy = RetryNever else unbounded", ZeroIs: "one", NegativeIs: "one",
	Backoff: "exponential", Initial: "field Initial of option WithBackoff [0 default] else 1s", Factor: "field Multiplier of option WithBackoff [0 default] else 2",
	Max: "field Max of option WithBackoff [0 default] else 30s", Jitter: "full", Overall: "option WithMaxRetryDuration [0 none] else none",
	On: "connect,reset,5xx,429,unavailable", Predicate: "option WithErrorFunc", Context: "arg 0", AddsKey: true, Kind: "client", DefaultBy: "cloud.google.com/go/storage",
	Traits: []TraitTerm{{Kind: model.TraitMethodGuard, If: "not option WithPolicy = RetryAlways", Detail: "only idempotent operations are repeated"}},
}

var _ = add(Library{
	Name: "Google Cloud Storage", Path: "cloud.google.com/go/storage",
	Source: "cloud.google.com/go/storage@v1.70.0 invoke.go:42-47,113-194,215-298, storage.go:2499-2600",
	Doc:    "Idempotent operations are repeated until the context ends: reads, and writes with a generation precondition. WithMaxAttempts counts attempts.",
	Clients: []Client{
		{Type: "ObjectHandle", New: []string{"Object", "Retryer", "If", "Generation"}, Policy: gcsPolicy, Sends: []Send{
			{Func: "Attrs, NewReader, NewRangeReader", Kind: "store", Idempotent: true},
			{Func: "NewWriter", Kind: "store", Effect: true, Operation: "storage object write"},
			{Func: "Delete", Kind: "store", Effect: true, Idempotent: true}, {Func: "Update", Kind: "store", Effect: true},
		}},
		{Type: "BucketHandle", New: []string{"Bucket"}, Policy: gcsPolicy, Sends: []Send{
			{Func: "Attrs, Objects", Kind: "store", Idempotent: true}, {Func: "Create, Delete, Update", Kind: "store", Effect: true},
		}},
		{Type: "Client", New: []string{"NewClient", "NewGRPCClient"}, Policy: gcsPolicy, Sends: []Send{{Func: "Buckets", Kind: "store", Idempotent: true}}},
	},
	Stub: `package storage

import (
	"context"
	"errors"
	"time"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/option"
)

var (
	ErrObjectNotExist = errors.New("storage: object doesn't exist")
	ErrBucketNotExist = errors.New("storage: bucket doesn't exist")
)

type RetryPolicy int

const (
	RetryIdempotent RetryPolicy = iota
	RetryAlways
	RetryNever
)

type RetryOption interface{ apply() }

func WithBackoff(backoff gax.Backoff) RetryOption                     { return nil }
func WithMaxAttempts(maxAttempts int) RetryOption                     { return nil }
func WithMaxRetryDuration(d time.Duration) RetryOption                { return nil }
func WithPolicy(policy RetryPolicy) RetryOption                       { return nil }
func WithErrorFunc(shouldRetry func(err error) bool) RetryOption      { return nil }

type Client struct{}

func NewClient(ctx context.Context, opts ...option.ClientOption) (*Client, error)          { return nil, nil }
func NewGRPCClient(ctx context.Context, opts ...option.ClientOption) (*Client, error)      { return nil, nil }
func (c *Client) SetRetry(opts ...RetryOption)                                             {}
func (c *Client) Bucket(name string) *BucketHandle                                         { return nil }
func (c *Client) Buckets(ctx context.Context, projectID string) any                        { return nil }
func (c *Client) Close() error                                                             { return nil }

type BucketAttrs struct{ Name, Location string }
type BucketHandle struct{}

func (b *BucketHandle) Object(name string) *ObjectHandle                                        { return nil }
func (b *BucketHandle) Retryer(opts ...RetryOption) *BucketHandle                               { return nil }
func (b *BucketHandle) Attrs(ctx context.Context) (*BucketAttrs, error)                         { return nil, nil }
func (b *BucketHandle) Create(ctx context.Context, projectID string, attrs *BucketAttrs) error  { return nil }
func (b *BucketHandle) Delete(ctx context.Context) error                                        { return nil }
func (b *BucketHandle) Update(ctx context.Context, uattrs any) (*BucketAttrs, error)            { return nil, nil }
func (b *BucketHandle) Objects(ctx context.Context, q *Query) *ObjectIterator                   { return nil }

type Query struct{ Prefix, Delimiter string }
type ObjectIterator struct{}

func (it *ObjectIterator) Next() (*ObjectAttrs, error) { return nil, nil }

type Conditions struct {
	GenerationMatch     int64
	DoesNotExist        bool
	MetagenerationMatch int64
}
type ObjectAttrs struct {
	Name, ContentType string
	Size, Generation  int64
	Metadata          map[string]string
}
type ObjectHandle struct{}

func (o *ObjectHandle) If(conds Conditions) *ObjectHandle                                                   { return nil }
func (o *ObjectHandle) Generation(gen int64) *ObjectHandle                                                  { return nil }
func (o *ObjectHandle) Retryer(opts ...RetryOption) *ObjectHandle                                           { return nil }
func (o *ObjectHandle) Attrs(ctx context.Context) (*ObjectAttrs, error)                                     { return nil, nil }
func (o *ObjectHandle) Delete(ctx context.Context) error                                                    { return nil }
func (o *ObjectHandle) Update(ctx context.Context, uattrs any) (*ObjectAttrs, error)                        { return nil, nil }
func (o *ObjectHandle) NewReader(ctx context.Context) (*Reader, error)                                      { return nil, nil }
func (o *ObjectHandle) NewRangeReader(ctx context.Context, offset, length int64) (*Reader, error)           { return nil, nil }
func (o *ObjectHandle) NewWriter(ctx context.Context) *Writer                                               { return nil }

type Reader struct{}

type Copier struct{}

func (c *Copier) Run(ctx context.Context) (*ObjectAttrs, error)          { return nil, nil }
func (dst *ObjectHandle) CopierFrom(src *ObjectHandle) *Copier           { return nil }

func (r *Reader) Read(p []byte) (int, error) { return 0, nil }
func (r *Reader) Close() error               { return nil }

type Writer struct {
	ObjectAttrs
	ChunkSize          int
	ChunkRetryDeadline time.Duration
}

func (w *Writer) Write(p []byte) (n int, err error) { return 0, nil }
func (w *Writer) Close() error                      { return nil }
`,
	StubFiles: map[string]string{
		"google.golang.org/api/option": `package option

import (
	"net/http"

	"google.golang.org/grpc"
)

type ClientOption interface{ Apply() }

func WithCredentialsFile(filename string) ClientOption             { return nil }
func WithCredentialsJSON(p []byte) ClientOption                    { return nil }
func WithEndpoint(url string) ClientOption                         { return nil }
func WithHTTPClient(client *http.Client) ClientOption              { return nil }
func WithGRPCDialOption(opt grpc.DialOption) ClientOption          { return nil }
func WithGRPCConn(conn *grpc.ClientConn) ClientOption              { return nil }
func WithoutAuthentication() ClientOption                          { return nil }
func WithAPIKey(apiKey string) ClientOption                        { return nil }
func WithUserAgent(ua string) ClientOption                         { return nil }
func WithScopes(scope ...string) ClientOption                      { return nil }
func WithCredentials(creds any) ClientOption                       { return nil }
func WithAuthCredentials(creds any) ClientOption                   { return nil }
func WithAuthCredentialsFile(credType any, filename string) ClientOption { return nil }
func WithTokenSource(s any) ClientOption                           { return nil }

type CredentialsType string

const ServiceAccount CredentialsType = "service_account"
`,
		"google.golang.org/api/iterator": "package iterator\n\nimport \"errors\"\n\nvar Done = errors.New(\"no more items in iterator\")\n",
		"google.golang.org/api/googleapi": `package googleapi

import "net/http"

type Error struct {
	Code    int
	Message string
	Body    string
	Header  http.Header
}

func (e *Error) Error() string { return "" }

type CallOption interface{ Get() (key, value string) }
`,
	},
})

const pubsubStub = `package pubsub

import (
	"context"
	"time"

	"google.golang.org/api/option"
)

type Client struct{}
type ClientConfig struct{ PublisherCallOptions any }

func NewClient(ctx context.Context, projectID string, opts ...option.ClientOption) (c *Client, err error)                            { return nil, nil }
func NewClientWithConfig(ctx context.Context, projectID string, config *ClientConfig, opts ...option.ClientOption) (*Client, error)  { return nil, nil }
func (c *Client) Close() error                                                                                                       { return nil }
func (c *Client) Topic(id string) *Topic                                                                                             { return nil }
func (c *Client) TopicInProject(id, projectID string) *Topic                                                                         { return nil }
func (c *Client) CreateTopic(ctx context.Context, topicID string) (*Topic, error)                                                    { return nil, nil }
func (c *Client) Publisher(topicNameOrID string) *Publisher                                                                          { return nil }
func (c *Client) Subscription(id string) *Subscription                                                                               { return nil }
func (c *Client) Subscriber(nameOrID string) *Subscriber                                                                             { return nil }
func (c *Client) CreateSubscription(ctx context.Context, id string, cfg SubscriptionConfig) (*Subscription, error)                   { return nil, nil }

type RetryPolicy struct {
	MinimumBackoff time.Duration
	MaximumBackoff time.Duration
}
type DeadLetterPolicy struct {
	DeadLetterTopic     string
	MaxDeliveryAttempts int
}
type SubscriptionConfig struct {
	Topic                     *Topic
	AckDeadline               time.Duration
	RetainAckedMessages       bool
	RetentionDuration         time.Duration
	EnableMessageOrdering     bool
	EnableExactlyOnceDelivery bool
	DeadLetterPolicy          *DeadLetterPolicy
	RetryPolicy               *RetryPolicy
}
type PublishSettings struct {
	DelayThreshold time.Duration
	CountThreshold int
	ByteThreshold  int
	NumGoroutines  int
	Timeout        time.Duration
}
type ReceiveSettings struct {
	MaxExtension           time.Duration
	MaxOutstandingMessages int
	NumGoroutines          int
	Synchronous            bool
}
type Message struct {
	ID              string
	Data            []byte
	Attributes      map[string]string
	PublishTime     time.Time
	DeliveryAttempt *int
	OrderingKey     string
}

func (m *Message) Ack()                       {}
func (m *Message) Nack()                      {}
func (m *Message) AckWithResult() *AckResult  { return nil }
func (m *Message) NackWithResult() *AckResult { return nil }

type AckResult struct{}

func (r *AckResult) Get(ctx context.Context) (int, error) { return 0, nil }

type PublishResult struct{}

func (r *PublishResult) Get(ctx context.Context) (serverID string, err error) { return "", nil }
func (r *PublishResult) Ready() <-chan struct{}                               { return nil }

type Topic struct {
	PublishSettings       PublishSettings
	EnableMessageOrdering bool
}

func (t *Topic) Publish(ctx context.Context, msg *Message) *PublishResult { return nil }
func (t *Topic) Exists(ctx context.Context) (bool, error)                 { return false, nil }
func (t *Topic) Stop()                                                    {}
func (t *Topic) Flush()                                                   {}
func (t *Topic) ID() string                                               { return "" }

type Publisher struct {
	PublishSettings       PublishSettings
	EnableMessageOrdering bool
}

func (t *Publisher) Publish(ctx context.Context, msg *Message) *PublishResult { return nil }
func (t *Publisher) Stop()                                                    {}
func (t *Publisher) Flush()                                                   {}

type Subscription struct{ ReceiveSettings ReceiveSettings }

func (s *Subscription) ID() string                       { return "" }
func (s *Subscription) Delete(ctx context.Context) error { return nil }

func (s *Subscription) Receive(ctx context.Context, f func(context.Context, *Message)) error { return nil }
func (s *Subscription) Exists(ctx context.Context) (bool, error)                             { return false, nil }

type Subscriber struct{ ReceiveSettings ReceiveSettings }

func (s *Subscriber) Receive(ctx context.Context, f func(context.Context, *Message)) error { return nil }
`

var pubsubPolicy = Policy{
	Attempts: "unbounded", Backoff: "exponential", Initial: "100ms", Factor: "4", Max: "60s", Jitter: "full",
	Overall: "field PublishSettings.Timeout [0 default] else 60s", On: "unavailable,429,500,conflict,timeout", Context: "arg 0", Kind: "producer",
	DefaultBy: "cloud.google.com/go/pubsub",
}

var _ = add(Library{
	Name: "Google Cloud Pub/Sub", Path: "cloud.google.com/go/pubsub/v2", Also: []string{"cloud.google.com/go/pubsub"},
	Source: "cloud.google.com/go/pubsub/v2@v2.9.0 apiv1 publisher client options (the first major is assumed to be alike)",
	Doc:    "A publish is repeated for up to 60 seconds, without a count. Nothing dedupes two publishes of the same message; the message's ID is the server's.",
	Clients: []Client{
		{Type: "Topic", New: []string{"Topic", "TopicInProject", "CreateTopic"}, Policy: pubsubPolicy, Sends: []Send{{Func: "Publish", Operation: "Pub/Sub publish", Kind: "publish", Effect: true, Queue: "arg 0 of receiver"}}},
		{Type: "Publisher", New: []string{"Publisher"}, Policy: pubsubPolicy, Sends: []Send{{Func: "Publish", Operation: "Pub/Sub publish", Kind: "publish", Effect: true, Queue: "arg 0 of receiver"}}},
	},
	Stub: pubsubStub,
})
