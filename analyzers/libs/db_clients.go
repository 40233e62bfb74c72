package libs

import "github.com/retrylint/retrylint/model"

var _ = add(Library{
	Name: "database/sql", Path: "database/sql",
	Source: "Go 1.26 database/sql sql.go:1569-1584",
	Doc:    "A statement outside a transaction is repeated up to twice, at once, when the driver says that the connection was bad before anything was sent. It cannot be configured.",
	Clients: []Client{{Type: "DB", New: []string{"Open", "OpenDB"}, Sends: []Send{
		{Func: "Exec, ExecContext", Kind: "store", Effect: true},
		{Func: "Query, QueryContext, QueryRow, QueryRowContext", Kind: "store", Idempotent: true},
		{Func: "Prepare, PrepareContext, Ping, PingContext", Kind: "store", Idempotent: true},
	}, Policy: Policy{Attempts: "3", Backoff: "none", Overall: "none", On: "connect", Context: "arg 0", Kind: "client", DefaultBy: "database/sql"}}},
})

const mongoDoc = "Reads and single-statement writes are repeated once, and the server dedupes the driver's own retries, not a second call by the " +
	"application. In v2 any deadline makes the retries unlimited until it ends. WithTransaction runs its function again for up to 120 seconds, in newer versions with waits in between; what it runs is not repeated by itself then."

// mongoLibrary is one major of the driver; its client's own retries make two attempts, or as many as fit into a deadline.
func mongoLibrary(name, path string) Library {
	client := Policy{
		Attempts: "1 if setter SetRetryWrites of arg 0 = false else 1 if setter SetRetryWrites of arg 1 = false else 2",
		Backoff:  "none", Overall: "none", On: "connect,reset,timeout,unavailable", Kind: "client", DefaultBy: "mongo-driver", OffSwitch: "options.Client().SetRetryWrites(false)",
		Traits: []TraitTerm{{Kind: model.TraitIdempotent, Detail: "the server dedupes the driver's retries by session and transaction number"}},
	}
	return Library{
		Name: name, Path: path + "/mongo",
		Source: "go.mongodb.org/mongo-driver/v2@v2.10.0 x/mongo/driver/operation.go:532-558, mongo/client.go:46,184-193, mongo/session.go; go.mongodb.org/mongo-driver@v1.17.10 x/mongo/driver/operation.go:527-553, mongo/session.go:28,184",
		Doc:    mongoDoc,
		Clients: []Client{
			{Type: "Client", New: []string{"Connect", "NewClient"}, Policy: client},
			{Type: "Collection", New: []string{"Collection"}, Policy: with(client, Policy{
				Attempts: "1 if setter SetRetryWrites of arg 0 of receiver of receiver = false else 1 if setter SetRetryWrites of arg 1 of receiver of receiver = false else 2"}), Sends: []Send{
				{Func: "Find, FindOne, CountDocuments, EstimatedDocumentCount, Distinct, Aggregate", Kind: "store", Idempotent: true},
				{Func: "InsertOne, InsertMany", Kind: "store", Effect: true, Key: "natural"},
				{Func: "UpdateOne, UpdateMany, UpdateByID, FindOneAndUpdate, BulkWrite", Kind: "store", Effect: true},
				{Func: "ReplaceOne, DeleteOne, DeleteMany, FindOneAndReplace, FindOneAndDelete", Kind: "store", Effect: true, Idempotent: true},
			}},
		},
		Calls: []Call{{Func: "Session.WithTransaction", Runs: "arg 1", Policy: Policy{
			Attempts: "unbounded", Backoff: "custom", Overall: "120s", Budget: "gate-after", On: "conflict,unavailable", Context: "arg 0", DefaultBy: "mongo-driver"}}},
		Stub: `package mongo

import (
	"context"
	"errors"

	"` + path + `/mongo/options"
)

var ErrNoDocuments = errors.New("mongo: no documents in result")

type SessionContext interface {
	context.Context
	Session
}
type Session interface {
	WithTransaction(ctx context.Context, fn func(ctx SessionContext) (interface{}, error), opts ...any) (interface{}, error)
	EndSession(ctx context.Context)
	StartTransaction(opts ...any) error
	CommitTransaction(ctx context.Context) error
	AbortTransaction(ctx context.Context) error
}
type InsertOneResult struct{ InsertedID interface{} }
type InsertManyResult struct{ InsertedIDs []interface{} }
type UpdateResult struct{ MatchedCount, ModifiedCount, UpsertedCount int64 }
type DeleteResult struct{ DeletedCount int64 }
type BulkWriteResult struct{ InsertedCount int64 }
type WriteModel interface{}
type WriteError struct{ Code int }
type WriteException struct{ WriteErrors []WriteError }

func (mwe WriteException) Error() string { return "" }

type SingleResult struct{}

func (sr *SingleResult) Decode(v interface{}) error { return nil }
func (sr *SingleResult) Err() error                 { return nil }

type Cursor struct{}

func (c *Cursor) Next(ctx context.Context) bool                       { return false }
func (c *Cursor) Decode(val interface{}) error                        { return nil }
func (c *Cursor) All(ctx context.Context, results interface{}) error  { return nil }
func (c *Cursor) Close(ctx context.Context) error                     { return nil }
func (c *Cursor) Err() error                                          { return nil }

type Client struct{}

func Connect(args ...any) (*Client, error)                                  { return nil, nil }
func NewClient(opts ...*options.ClientOptions) (*Client, error)             { return nil, nil }
func (c *Client) Database(name string, opts ...any) *Database               { return nil }
func (c *Client) Disconnect(ctx context.Context) error                      { return nil }
func (c *Client) Ping(ctx context.Context, rp any) error                    { return nil }
func (c *Client) StartSession(opts ...any) (Session, error)                 { return nil, nil }

type Database struct{}

func (db *Database) Collection(name string, opts ...any) *Collection { return nil }

type IndexModel struct {
	Keys    interface{}
	Options any
}
type IndexView struct{}

func (iv IndexView) CreateOne(ctx context.Context, model IndexModel, opts ...any) (string, error)          { return "", nil }
func (iv IndexView) CreateMany(ctx context.Context, models []IndexModel, opts ...any) ([]string, error)    { return nil, nil }

type Collection struct{}

func (coll *Collection) Indexes() IndexView                                                                                  { return IndexView{} }
func (coll *Collection) InsertOne(ctx context.Context, document interface{}, opts ...any) (*InsertOneResult, error)          { return nil, nil }
func (coll *Collection) InsertMany(ctx context.Context, documents []interface{}, opts ...any) (*InsertManyResult, error)     { return nil, nil }
func (coll *Collection) UpdateOne(ctx context.Context, filter, update interface{}, opts ...any) (*UpdateResult, error)       { return nil, nil }
func (coll *Collection) UpdateByID(ctx context.Context, id, update interface{}, opts ...any) (*UpdateResult, error)          { return nil, nil }
func (coll *Collection) UpdateMany(ctx context.Context, filter, update interface{}, opts ...any) (*UpdateResult, error)      { return nil, nil }
func (coll *Collection) ReplaceOne(ctx context.Context, filter, repl interface{}, opts ...any) (*UpdateResult, error)        { return nil, nil }
func (coll *Collection) DeleteOne(ctx context.Context, filter interface{}, opts ...any) (*DeleteResult, error)               { return nil, nil }
func (coll *Collection) DeleteMany(ctx context.Context, filter interface{}, opts ...any) (*DeleteResult, error)              { return nil, nil }
func (coll *Collection) Find(ctx context.Context, filter interface{}, opts ...any) (*Cursor, error)                          { return nil, nil }
func (coll *Collection) FindOne(ctx context.Context, filter interface{}, opts ...any) *SingleResult                          { return nil }
func (coll *Collection) FindOneAndUpdate(ctx context.Context, filter, update interface{}, opts ...any) *SingleResult         { return nil }
func (coll *Collection) FindOneAndReplace(ctx context.Context, filter, repl interface{}, opts ...any) *SingleResult          { return nil }
func (coll *Collection) FindOneAndDelete(ctx context.Context, filter interface{}, opts ...any) *SingleResult                 { return nil }
func (coll *Collection) Aggregate(ctx context.Context, pipeline interface{}, opts ...any) (*Cursor, error)                   { return nil, nil }
func (coll *Collection) CountDocuments(ctx context.Context, filter interface{}, opts ...any) (int64, error)                  { return 0, nil }
func (coll *Collection) EstimatedDocumentCount(ctx context.Context, opts ...any) (int64, error)                              { return 0, nil }
func (coll *Collection) Distinct(ctx context.Context, fieldName string, filter interface{}, opts ...any) ([]interface{}, error) { return nil, nil }
func (coll *Collection) BulkWrite(ctx context.Context, models []WriteModel, opts ...any) (*BulkWriteResult, error)           { return nil, nil }
func IsDuplicateKeyError(err error) bool                                                                                     { return false }
func IsTimeout(err error) bool                                                                                               { return false }
func IsNetworkError(err error) bool                                                                                          { return false }
`,
		StubFiles: map[string]string{path + "/mongo/options": `package options

import "time"

type ClientOptions struct{}

func Client() *ClientOptions                                                       { return nil }
func (c *ClientOptions) ApplyURI(uri string) *ClientOptions                        { return c }
func (c *ClientOptions) SetRetryWrites(b bool) *ClientOptions                      { return c }
func (c *ClientOptions) SetRetryReads(b bool) *ClientOptions                       { return c }
func (c *ClientOptions) SetTimeout(d time.Duration) *ClientOptions                 { return c }
func (c *ClientOptions) SetMaxAdaptiveRetries(n int) *ClientOptions                { return c }
func (c *ClientOptions) SetServerSelectionTimeout(d time.Duration) *ClientOptions  { return c }
func (c *ClientOptions) SetConnectTimeout(d time.Duration) *ClientOptions          { return c }
func (c *ClientOptions) SetAuth(auth any) *ClientOptions                           { return c }

type IndexOptions struct{}

func Index() *IndexOptions                                            { return nil }
func (i *IndexOptions) SetUnique(unique bool) *IndexOptions           { return i }
func (i *IndexOptions) SetExpireAfterSeconds(s int32) *IndexOptions   { return i }
func (i *IndexOptions) SetName(name string) *IndexOptions             { return i }

type UpdateOptions struct{}

func Update() *UpdateOptions                               { return nil }
func (o *UpdateOptions) SetUpsert(b bool) *UpdateOptions   { return o }
`},
	}
}

var (
	_ = add(mongoLibrary("mongo-driver v1", "go.mongodb.org/mongo-driver"))
	_ = add(mongoLibrary("mongo-driver v2", "go.mongodb.org/mongo-driver/v2"))
)

var gocqlQuery = Policy{
	Follow: []string{"setter RetryPolicy else field RetryPolicy of receiver else field RetryPolicy of receiver of receiver"}, Attempts: "1", On: "connect,reset,timeout,unavailable", Kind: "client", DefaultBy: "gocql",
}

var _ = add(Library{
	Name: "gocql", Path: "github.com/gocql/gocql", Also: []string{"github.com/apache/cassandra-gocql-driver/v2"},
	Source: "github.com/gocql/gocql@v1.7.0 policies.go:161-268, query_executor.go:65-100,129-196, cluster.go:126,238",
	Doc:    "NumRetries counts retries; without a policy there is one attempt. The policy holds whether or not the query is idempotent; Idempotent only allows speculative execution, which sends in parallel.",
	Clients: []Client{
		{Type: "Query", New: []string{"Query"}, Policy: gocqlQuery, Sends: []Send{
			{Func: "Exec, ExecContext", Kind: "store", Effect: true}, {Func: "Iter, IterContext, Scan, ScanContext, MapScan", Kind: "store", Idempotent: true},
			{Func: "ScanCAS, MapScanCAS", Kind: "store", Effect: true},
		}},
		{Type: "ClusterConfig", New: []string{"NewCluster"}, Policy: with(gocqlQuery, Policy{Follow: []string{"field RetryPolicy"}})},
	},
	Parts: []Part{
		{Func: "SimpleRetryPolicy", Policy: Policy{Attempts: "field NumRetries + 1 else 1", ZeroIs: "one", NegativeIs: "one", Backoff: "none"}},
		{Func: "ExponentialBackoffRetryPolicy", Policy: Policy{Attempts: "field NumRetries + 1 else 1", ZeroIs: "one", NegativeIs: "one", Backoff: "exponential",
			Initial: "field Min [0 default] else 100ms", Factor: "2", Max: "field Max [0 default] else 10s", Jitter: "some"}},
		{Func: "DowngradingConsistencyRetryPolicy", Policy: Policy{Attempts: "len field ConsistencyLevelsToTry + 1", Backoff: "none"}},
	},
	Stub: `package gocql

import (
	"context"
	"errors"
	"time"
)

var ErrNotFound = errors.New("not found")

type Consistency uint16

const (
	One         Consistency = 1
	Quorum      Consistency = 4
	All         Consistency = 5
	LocalQuorum Consistency = 6
)

type UUID [16]byte

func TimeUUID() UUID            { return UUID{} }
func RandomUUID() (UUID, error) { return UUID{}, nil }

type RetryPolicy interface{ Attempt(any) bool }
type SimpleRetryPolicy struct{ NumRetries int }

func (s *SimpleRetryPolicy) Attempt(q any) bool { return false }

type ExponentialBackoffRetryPolicy struct {
	NumRetries int
	Min, Max   time.Duration
}

func (e *ExponentialBackoffRetryPolicy) Attempt(q any) bool { return false }

type DowngradingConsistencyRetryPolicy struct{ ConsistencyLevelsToTry []Consistency }

func (d *DowngradingConsistencyRetryPolicy) Attempt(q any) bool { return false }

type ClusterConfig struct {
	Hosts              []string
	Keyspace           string
	Consistency        Consistency
	Timeout            time.Duration
	ConnectTimeout     time.Duration
	RetryPolicy        RetryPolicy
	DefaultIdempotence bool
	NumConns           int
}

func NewCluster(hosts ...string) *ClusterConfig                        { return nil }
func (cfg *ClusterConfig) CreateSession() (*Session, error)            { return nil, nil }

type Session struct{}

func (s *Session) Query(stmt string, values ...interface{}) *Query     { return nil }
func (s *Session) NewBatch(typ int) *Batch                             { return nil }
func (s *Session) ExecuteBatch(batch *Batch) error                     { return nil }
func (s *Session) Close()                                              {}

type Iter struct{}

func (iter *Iter) Scan(dest ...interface{}) bool  { return false }
func (iter *Iter) Close() error                   { return nil }

type Query struct{}

func (q *Query) WithContext(ctx context.Context) *Query                 { return q }
func (q *Query) Consistency(c Consistency) *Query                       { return q }
func (q *Query) RetryPolicy(r RetryPolicy) *Query                       { return q }
func (q *Query) Idempotent(value bool) *Query                           { return q }
func (q *Query) SetSpeculativeExecutionPolicy(sp any) *Query            { return q }
func (q *Query) Bind(v ...interface{}) *Query                           { return q }
func (q *Query) Exec() error                                            { return nil }
func (q *Query) Iter() *Iter                                            { return nil }
func (q *Query) Scan(dest ...interface{}) error                         { return nil }
func (q *Query) MapScan(m map[string]interface{}) error                 { return nil }
func (q *Query) ScanCAS(dest ...interface{}) (applied bool, err error)  { return false, nil }
func (q *Query) MapScanCAS(dest map[string]interface{}) (bool, error)   { return false, nil }

type Batch struct{}

func (b *Batch) Query(stmt string, args ...interface{})     {}
func (b *Batch) RetryPolicy(r RetryPolicy) *Batch           { return b }
`,
})

var _ = add(Library{
	Name: "olivere/elastic", Path: "github.com/olivere/elastic/v7",
	Source: "github.com/olivere/elastic/v7@v7.0.32 client.go:254,635-651,1323-1470, retrier.go, backoff.go",
	Doc:    "SetMaxRetries counts retries and is off by default. With NewExponentialBackoff reaching the maximum ends the retries; it does not clamp the wait.",
	Clients: []Client{{Type: "Client", New: []string{"NewClient", "NewSimpleClient", "Dial", "DialContext"}, Policy: Policy{
		Follow: []string{"option SetRetrier"}, Attempts: "option SetMaxRetries + 1 else 1", NegativeIs: "error", ZeroIs: "one", Backoff: "constant", Initial: "100ms", Jitter: "none",
		Overall: "none", On: "connect,reset,timeout", Context: "arg 0", Kind: "client", DefaultBy: "olivere/elastic",
	}, Sends: []Send{{Func: "PerformRequest", Kind: "request", Effect: true}}}},
	Parts: []Part{
		{Func: "NewBackoffRetrier", Wraps: "arg 0", Policy: Policy{}},
		{Func: "NewStopRetrier", Policy: Policy{Attempts: "1", Backoff: "none"}},
		{Func: "NewSimpleBackoff", Policy: Policy{Attempts: "unknown", Backoff: "custom"}},
		{Func: "NewConstantBackoff", Policy: Policy{Attempts: "unbounded", Backoff: "constant", Initial: "arg 0"}},
		{Func: "NewExponentialBackoff", Policy: Policy{Attempts: "unbounded", Backoff: "exponential", Initial: "arg 0", Max: "arg 1", Factor: "2", Jitter: "upward 1", Fix: olivereMax}},
		{Func: "StopBackoff", Policy: Policy{Attempts: "1", Backoff: "none"}}, {Func: "ZeroBackoff", Policy: Policy{Attempts: "unbounded", Backoff: "none"}},
	},
	Stub: `package elastic

import (
	"context"
	"net/http"
	"time"
)

type Backoff interface{ Next(retry int) (time.Duration, bool) }
type Retrier interface {
	Retry(ctx context.Context, retry int, req *http.Request, resp *http.Response, err error) (time.Duration, bool, error)
}
type StopBackoff struct{}

func (b StopBackoff) Next(retry int) (time.Duration, bool) { return 0, false }

type ZeroBackoff struct{}

func (b ZeroBackoff) Next(retry int) (time.Duration, bool) { return 0, false }

type ClientOptionFunc func(*Client) error
type Client struct{}
type PerformRequestOptions struct {
	Method, Path string
	Body         interface{}
	MaxResponseSize int64
	Retrier      Retrier
}
type Response struct{ StatusCode int }

func NewClient(options ...ClientOptionFunc) (*Client, error)                                          { return nil, nil }
func NewSimpleClient(options ...ClientOptionFunc) (*Client, error)                                    { return nil, nil }
func Dial(options ...ClientOptionFunc) (*Client, error)                                               { return nil, nil }
func DialContext(ctx context.Context, options ...ClientOptionFunc) (*Client, error)                   { return nil, nil }
func SetURL(urls ...string) ClientOptionFunc                                                          { return nil }
func SetSniff(enabled bool) ClientOptionFunc                                                          { return nil }
func SetHealthcheck(enabled bool) ClientOptionFunc                                                    { return nil }
func SetMaxRetries(maxRetries int) ClientOptionFunc                                                   { return nil }
func SetRetrier(retrier Retrier) ClientOptionFunc                                                     { return nil }
func SetRetryStatusCodes(statusCodes ...int) ClientOptionFunc                                         { return nil }
func SetHttpClient(httpClient any) ClientOptionFunc                                                   { return nil }
func NewBackoffRetrier(backoff Backoff) Retrier                                                       { return nil }
func NewStopRetrier() Retrier                                                                         { return nil }
func NewSimpleBackoff(ticks ...int) Backoff                                                           { return nil }
func NewConstantBackoff(interval time.Duration) Backoff                                               { return nil }
func NewExponentialBackoff(initialTimeout, maxTimeout time.Duration) Backoff                          { return nil }
func (c *Client) PerformRequest(ctx context.Context, opt PerformRequestOptions) (*Response, error)    { return nil, nil }
func (c *Client) Stop()                                                                               {}
`,
})

// olivereMax: the retries end when the wait reaches the maximum, with a jitter of up to twice the wait.
func olivereMax(_ Site, r *Result) {
	b := r.Policy.Backoff
	d, ok := b.Initial.Duration()
	limit, capped := b.Max.Duration()
	if !ok || !capped || d <= 0 || !r.Policy.Attempts.IsUnbounded() {
		return
	}
	n := int64(1)
	for wait := d; wait <= limit && n < 64; wait *= 2 {
		n++
	}
	r.Policy.Attempts = model.Exactly(n)
}

// elasticPolicy: "DisableRetry" stands above the number.
var elasticPolicy = Policy{
	Attempts: "1 if field DisableRetry of arg 0 else field MaxRetries of arg 0 + 1 else 4", ZeroIs: "4", NegativeIs: "4",
	Backoff: "custom if field RetryBackoff of arg 0 else none", PerAttempt: "none", Overall: "none", On: "connect,reset,timeout,gateway", Predicate: "field RetryOnError of arg 0",
	Context: "request", Rewinds: true, Kind: "client", DefaultBy: "go-elasticsearch", OffSwitch: "DisableRetry: true",
}

const elasticStub = `package elasticsearch

import (
	"net/http"
	"time"
)

type Config struct {
	Addresses         []string
	Username, Password string
	APIKey, CloudID   string
	Header            http.Header
	RetryOnStatus     []int
	DisableRetry      bool
	MaxRetries        int
	RetryOnError      func(*http.Request, error) bool
	RetryBackoff      func(attempt int) time.Duration
	EnableRetryOnTimeout bool
	Transport         http.RoundTripper
}
type Client struct{}
type TypedClient struct{}

func NewDefaultClient() (*Client, error)                                { return nil, nil }
func NewClient(cfg Config) (*Client, error)                             { return nil, nil }
func NewTypedClient(cfg Config) (*TypedClient, error)                   { return nil, nil }
func (c *Client) Perform(req *http.Request) (*http.Response, error)     { return nil, nil }
`

var _ = add(Library{
	Name: "go-elasticsearch", Path: "github.com/elastic/go-elasticsearch/v8", Also: []string{"github.com/elastic/go-elasticsearch/v7", "github.com/elastic/go-elasticsearch/v9"},
	Source: "github.com/elastic/elastic-transport-go/v8@v8.11.0 elastictransport/elastictransport.go:46-47,258-285,414-527; github.com/elastic/go-elasticsearch/v8@v8.19.7 elasticsearch.go:101-126,481-495 (v7 and v9 are assumed to be alike)",
	Doc:    "MaxRetries counts retries; 0 is read as the default of 3, so only DisableRetry switches them off. There is no wait unless RetryBackoff is set. Every method is repeated, index and bulk requests too.",
	Clients: []Client{{Type: "Client, TypedClient", New: []string{"NewClient", "NewDefaultClient", "NewTypedClient"}, Policy: elasticPolicy, Sends: []Send{
		{Func: "Perform", Method: "request", URL: "request"},
		{Func: "Search, Get, Count, Exists, Info, Ping, Mget, Msearch", Idempotent: true},
		{Func: "Index, Bulk, Update, UpdateByQuery, Reindex", Effect: true}, {Func: "Delete, DeleteByQuery", Effect: true, Idempotent: true},
	}}},
	Stub: elasticStub,
})

var _ = add(Library{
	Name: "elastic-transport", Path: "github.com/elastic/elastic-transport-go/v8/elastictransport",
	Source:  "github.com/elastic/elastic-transport-go/v8@v8.11.0 elastictransport/elastictransport.go:258-285,414-527",
	Doc:     "As go-elasticsearch, but a negative MaxRetries sends nothing and gives no error.",
	Clients: []Client{{Type: "Client", New: []string{"New", "NewClient"}, Policy: with(elasticPolicy, Policy{NegativeIs: "never"}), Sends: []Send{{Func: "Perform", Method: "request", URL: "request"}}}},
	Stub: `package elastictransport

import (
	"net/http"
	"net/url"
	"time"
)

type Config struct {
	URLs          []*url.URL
	RetryOnStatus []int
	DisableRetry  bool
	MaxRetries    int
	RetryOnError  func(*http.Request, error) bool
	RetryBackoff  func(attempt int) time.Duration
	Transport     http.RoundTripper
}
type Client struct{}

func New(cfg Config) (*Client, error)                                 { return nil, nil }
func NewClient(cfg Config) (*Client, error)                           { return nil, nil }
func (c *Client) Perform(req *http.Request) (*http.Response, error)   { return nil, nil }
`,
})

var _ = add(Library{
	Name: "rueidis", Path: "github.com/redis/rueidis",
	Source: "github.com/redis/rueidis@v1.0.79 retry.go:11-30, rueidis.go:126-129,258-259",
	Doc:    "Only commands that read are repeated, on network errors, without a count, until the context ends; DisableRetry switches it off.",
	Clients: []Client{{Type: "Client", New: []string{"NewClient"}, Policy: Policy{
		Attempts: "1 if field DisableRetry of arg 0 else unbounded", Backoff: "custom if field RetryDelay of arg 0 else exponential", Initial: "2us", Factor: "2", Max: "1s", Jitter: "some",
		Overall: "none", On: "connect,reset", Context: "arg 0", Kind: "client", DefaultBy: "rueidis", OffSwitch: "DisableRetry: true",
		Traits: []TraitTerm{{Kind: model.TraitMethodGuard, Detail: "only commands that read are repeated"}},
	}, Sends: []Send{{Func: "Do, DoMulti, DoCache", Kind: "store", Effect: true}}}},
	Stub: `package rueidis

import (
	"context"
	"time"
)

type Completed struct{}
type RedisMessage struct{}
type RedisResult struct{}

func (r RedisResult) Error() error                    { return nil }
func (r RedisResult) ToString() (string, error)       { return "", nil }
func (r RedisResult) AsInt64() (int64, error)         { return 0, nil }
func (r RedisResult) AsBool() (bool, error)           { return false, nil }
func (r RedisResult) ToMessage() (RedisMessage, error) { return RedisMessage{}, nil }

type Builder struct{}

func (b Builder) Set() Set       { return Set{} }
func (b Builder) Get() Get       { return Get{} }
func (b Builder) Del() Del       { return Del{} }
func (b Builder) Exists() Del    { return Del{} }
func (b Builder) Setnx() Set     { return Set{} }
func (b Builder) Expire() Expire { return Expire{} }
func (b Builder) Incr() Get      { return Get{} }

type Set struct{}

func (c Set) Key(key string) Set                { return c }
func (c Set) Value(value string) Set            { return c }
func (c Set) Nx() Set                           { return c }
func (c Set) Xx() Set                           { return c }
func (c Set) Ex(duration time.Duration) Set     { return c }
func (c Set) ExSeconds(seconds int64) Set       { return c }
func (c Set) Px(duration time.Duration) Set     { return c }
func (c Set) PxMilliseconds(ms int64) Set       { return c }
func (c Set) Build() Completed                  { return Completed{} }

type Get struct{}

func (c Get) Key(key string) Get   { return c }
func (c Get) Build() Completed     { return Completed{} }

type Del struct{}

func (c Del) Key(key ...string) Del   { return c }
func (c Del) Build() Completed        { return Completed{} }

type Expire struct{}

func (c Expire) Key(key string) Expire        { return c }
func (c Expire) Seconds(seconds int64) Expire { return c }
func (c Expire) Build() Completed             { return Completed{} }

type RetryDelayFn func(attempts int, cmd Completed, err error) time.Duration
type ClientOption struct {
	InitAddress        []string
	Username, Password string
	DisableRetry       bool
	DisableCache       bool
	RetryDelay         RetryDelayFn
	ConnWriteTimeout   time.Duration
}
type Client interface {
	B() Builder
	Do(ctx context.Context, cmd Completed) (resp RedisResult)
	DoMulti(ctx context.Context, multi ...Completed) (resp []RedisResult)
	Close()
}

func NewClient(option ClientOption) (client Client, err error) { return nil, nil }
func IsRedisNil(err error) bool                                { return false }
`,
})

var _ = add(Library{
	Name: "etcd client", Path: "go.etcd.io/etcd/client/v3",
	Source: "go.etcd.io/etcd/client/v3@v3.7.3 options.go:45-56, client.go:246-262,491-503, retry_interceptor.go:41-101",
	Doc:    "MaxUnaryRetries counts attempts, 100 by default. Reads are repeated while the server is unavailable; writes only where no connection was there, so nothing was sent.",
	Clients: []Client{{Type: "Client", New: []string{"New", "NewFromURL"}, Policy: Policy{
		Attempts: "field MaxUnaryRetries of arg 0 else 100", ZeroIs: "100", Backoff: "constant", Initial: "field BackoffWaitBetween of arg 0 [0 default] else 25ms", Jitter: "proportional 0.1",
		Overall: "none", On: "connect", Context: "arg 0", Kind: "client", DefaultBy: "etcd client",
	}, Sends: []Send{
		{Func: "Get, MemberList, Status, TimeToLive", Kind: "store", Idempotent: true}, {Func: "Put, Delete", Kind: "store", Effect: true, Idempotent: true}, {Func: "Grant, KeepAliveOnce, Revoke", Kind: "store", Effect: true},
	}}},
	Stub: `package clientv3

import (
	"context"
	"time"
)

type LeaseID int64
type OpOption func(op *Op)
type Op struct{}
type Cmp struct{}
type Config struct {
	Endpoints             []string
	DialTimeout           time.Duration
	Username, Password    string
	MaxUnaryRetries       uint
	BackoffWaitBetween    time.Duration
	BackoffJitterFraction float64
	Context               context.Context
}
type PutResponse struct{}
type GetResponse struct{ Count int64 }
type DeleteResponse struct{ Deleted int64 }
type TxnResponse struct{ Succeeded bool }
type LeaseGrantResponse struct {
	ID  LeaseID
	TTL int64
}
type Txn interface {
	If(cs ...Cmp) Txn
	Then(ops ...Op) Txn
	Else(ops ...Op) Txn
	Commit() (*TxnResponse, error)
}
type Client struct{}

func New(cfg Config) (*Client, error)                                                                      { return nil, nil }
func NewFromURL(url string) (*Client, error)                                                               { return nil, nil }
func (c *Client) Put(ctx context.Context, key, val string, opts ...OpOption) (*PutResponse, error)         { return nil, nil }
func (c *Client) Get(ctx context.Context, key string, opts ...OpOption) (*GetResponse, error)              { return nil, nil }
func (c *Client) Delete(ctx context.Context, key string, opts ...OpOption) (*DeleteResponse, error)        { return nil, nil }
func (c *Client) Txn(ctx context.Context) Txn                                                              { return nil }
func (c *Client) Grant(ctx context.Context, ttl int64) (*LeaseGrantResponse, error)                        { return nil, nil }
func (c *Client) Close() error                                                                             { return nil }
func WithLease(leaseID LeaseID) OpOption                                                                   { return nil }
func OpPut(key, val string, opts ...OpOption) Op                                                           { return Op{} }
func OpGet(key string, opts ...OpOption) Op                                                                { return Op{} }
func Compare(cmp Cmp, result string, v interface{}) Cmp                                                    { return Cmp{} }
func CreateRevision(key string) Cmp                                                                        { return Cmp{} }
func ModRevision(key string) Cmp                                                                           { return Cmp{} }
`,
})
