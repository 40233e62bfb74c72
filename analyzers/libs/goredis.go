package libs

import (
	"strings"

	"github.com/retrylint/retrylint/model"
)

// redisPolicy is the retries of single commands. A read timeout counts as a failure, so a command that did run is repeated.
var redisPolicy = Policy{
	Attempts: "field MaxRetries of arg 0 + 1 else 4", ZeroIs: "4", NegativeIs: "one",
	Backoff: "exponential", Initial: "field MinRetryBackoff of arg 0 [0 default, - 0] else 10ms", Factor: "2",
	Max: "field MaxRetryBackoff of arg 0 [0 default, - 0] else 1s", Jitter: "full", PerAttempt: "field ReadTimeout of arg 0 [0 default, - none] else 3s",
	Overall: "none", On: "connect,reset,timeout", Context: "arg 0", Kind: "client", DefaultBy: "go-redis", OffSwitch: "MaxRetries: -1",
	Fix: redisWaits,
}

// redisWaits: the k-th wait is the least one and a random part of 2^k times that, together at most the longest one.
func redisWaits(_ Site, r *Result) {
	b := &r.Policy.Backoff
	least, ok := b.Initial.Duration()
	if !ok || b.Kind != model.BackoffExponential {
		return
	}
	*b = model.Backoff{Kind: model.BackoffList, Max: b.Max, Jitter: model.Jitter{Kind: model.JitterSome}}
	for k := 1; k <= 16; k++ {
		d := least + least<<k
		if most, capped := b.Max.Duration(); capped && (d >= most || d < least) {
			b.List = append(b.List, most)
			return
		}
		if d < least {
			return // more than a duration holds
		}
		b.List = append(b.List, d)
	}
}

// redisSends are the commands whose effect matters; the rest is called and forgotten.
func redisSends() []Send {
	return []Send{
		{Func: "*", Kind: "store"},
		{Func: "Get*, MGet, Exists, TTL, PTTL, Keys, Scan*, HGet*, HMGet, HKeys, HVals, HLen, HExists, SMembers, SIsMember, SCard, ZRange*, ZScore, ZCard, LRange, LLen, Type, Ping, DBSize, StrLen, XRange*, XInfo*, XLen", Kind: "store", Idempotent: true},
		{Func: "Set, SetEx, SetEX, Del, Unlink, Expire*, PExpire*, Persist, HSet, HMSet, HDel, SAdd, SRem, ZAdd, ZRem, MSet, XAck, XDel", Kind: "store", Effect: true, Idempotent: true},
		{Func: "SetNX, HSetNX", Kind: "store", Effect: true, Key: "natural", Operation: "Redis SETNX"},
		{Func: "SetArgs", Kind: "store", Effect: true, Key: "natural"},
		{Func: "Incr*, Decr*, HIncr*, ZIncr*, LPush*, RPush*, Append, LPop*, RPop*, SPop, Eval*", Kind: "store", Effect: true},
		{Func: "Publish", Operation: "Redis publish", Kind: "publish", Effect: true, Queue: "arg 1"},
		{Func: "XAdd", Operation: "Redis stream append", Kind: "publish", Effect: true, Queue: "field Stream of arg 1"},
		{Func: "Close, Options, Pipeline, TxPipeline, Conn, Context, WithTimeout, WithContext, PoolStats, Subscribe, PSubscribe, AddHook"},
	}
}

func redisClients(single Policy) []Client {
	cluster := with(single, Policy{
		Attempts: "field MaxRedirects of arg 0 + 1 else 4", ZeroIs: "4", NegativeIs: "one", OffSwitch: "MaxRedirects: -1",
	})
	return []Client{
		{Type: "Client, Conn", New: []string{"NewClient", "NewFailoverClient"}, Sends: redisSends(), Policy: single},
		{Type: "ClusterClient", New: []string{"NewClusterClient", "NewFailoverClusterClient"}, Sends: redisSends(), Policy: cluster},
		{Type: "Ring", New: []string{"NewRing"}, Sends: redisSends(), Policy: single},
		{Type: "UniversalClient, Cmdable", New: []string{"NewUniversalClient"}, Sends: redisSends(), Policy: single},
	}
}

const redisDoc = "MaxRetries counts retries; 0 is read as the default of 3, -1 switches them off. Every command is repeated after a read timeout, " +
	"INCR, LPUSH and EVAL too, although it may have run. A SetNX that serves as a dedupe gate can therefore answer false to the very caller " +
	"whose first try set the key. In a cluster MaxRedirects counts instead."

var _ = add(Library{
	Name: "go-redis v9", Path: "github.com/redis/go-redis/v9",
	Source:    "github.com/redis/go-redis/v9@v9.23.0 options.go:116-154,693-699,764-780, redis.go, error.go, internal/internal.go:8-28, osscluster.go:227-278,1507",
	Doc:       redisDoc,
	Clients:   redisClients(redisPolicy),
	MakeStubs: func() map[string]string { return redisStubs(redisStub(), "github.com/redis/go-redis/v9") },
	Example: `package example

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

func claim(ctx context.Context, key string) (bool, error) {
	rdb := redis.NewClient(&redis.Options{Addr: "redis:6379", MaxRetries: 0})
	return rdb.SetNX(ctx, key, 1, time.Hour).Result() // want layer "attempts=4 backoff=list"
}
`,
})

var _ = add(Library{
	Name: "go-redis v8", Path: "github.com/go-redis/redis/v8", Also: []string{"github.com/go-redis/redis/v9"},
	Source: "github.com/go-redis/redis/v8@v8.11.5 options.go:168-183",
	Doc:    redisDoc,
	Clients: redisClients(with(redisPolicy, Policy{
		Initial: "field MinRetryBackoff of arg 0 [0 default, - 0] else 8ms", Max: "field MaxRetryBackoff of arg 0 [0 default, - 0] else 512ms",
	})),
	MakeStubs: func() map[string]string {
		return redisStubs(redisStub(), "github.com/go-redis/redis/v8", "github.com/go-redis/redis/v9")
	},
})

var _ = add(Library{
	Name: "go-redis v6, v7", Path: "github.com/go-redis/redis/v7", Also: []string{"github.com/go-redis/redis"},
	Source: "github.com/go-redis/redis/v8@v8.11.5 options.go:168-183 (the same defaults are assumed for v7)",
	Doc:    redisDoc + " These majors take no context, so arguments stand one place further left.",
	Clients: redisClients(with(redisPolicy, Policy{
		Initial: "field MinRetryBackoff of arg 0 [0 default, - 0] else 8ms", Max: "field MaxRetryBackoff of arg 0 [0 default, - 0] else 512ms", Context: "none",
	})),
	MakeStubs: func() map[string]string {
		old := strings.NewReplacer("ctx context.Context, ", "", "(ctx context.Context)", "()").Replace(redisStub()) +
			"func (c *Client) WithContext(ctx context.Context) *Client { return c }\n"
		return redisStubs(old, "github.com/go-redis/redis/v7", "github.com/go-redis/redis")
	},
})

func redisStubs(source string, paths ...string) map[string]string {
	out := make(map[string]string)
	for _, p := range paths {
		out[p] = source
	}
	return out
}

// redisStub writes the stub: the commands are methods of an interface that every client has.
func redisStub() string {
	var iface, methods strings.Builder
	for line := range strings.Lines(redisCommands) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		iface.WriteString("\t" + line + "\n")
		i := strings.LastIndex(line, ") ")
		methods.WriteString("func (c cmdable) " + line[:i+1] + " " + line[i+2:] + " { return nil }\n")
	}
	return redisHead + "\ntype Cmdable interface {\n" + iface.String() +
		"\tPipeline() Pipeliner\n\tTxPipeline() Pipeliner\n\tPipelined(ctx context.Context, fn func(Pipeliner) error) ([]Cmder, error)\n\tTxPipelined(ctx context.Context, fn func(Pipeliner) error) ([]Cmder, error)\n}\n\ntype cmdable struct{}\n\n" +
		"func (c cmdable) Pipeline() Pipeliner { return nil }\nfunc (c cmdable) TxPipeline() Pipeliner { return nil }\nfunc (c cmdable) Pipelined(ctx context.Context, fn func(Pipeliner) error) ([]Cmder, error) { return nil, nil }\nfunc (c cmdable) TxPipelined(ctx context.Context, fn func(Pipeliner) error) ([]Cmder, error) { return nil, nil }\n" +
		methods.String()
}

const redisCommands = `
Ping(ctx context.Context) *StatusCmd
Get(ctx context.Context, key string) *StringCmd
GetSet(ctx context.Context, key string, value interface{}) *StringCmd
GetDel(ctx context.Context, key string) *StringCmd
GetEx(ctx context.Context, key string, expiration time.Duration) *StringCmd
MGet(ctx context.Context, keys ...string) *SliceCmd
Set(ctx context.Context, key string, value interface{}, expiration time.Duration) *StatusCmd
SetArgs(ctx context.Context, key string, value interface{}, a SetArgs) *StatusCmd
SetEx(ctx context.Context, key string, value interface{}, expiration time.Duration) *StatusCmd
SetEX(ctx context.Context, key string, value interface{}, expiration time.Duration) *StatusCmd
SetNX(ctx context.Context, key string, value interface{}, expiration time.Duration) *BoolCmd
SetXX(ctx context.Context, key string, value interface{}, expiration time.Duration) *BoolCmd
MSet(ctx context.Context, values ...interface{}) *StatusCmd
Del(ctx context.Context, keys ...string) *IntCmd
Unlink(ctx context.Context, keys ...string) *IntCmd
Exists(ctx context.Context, keys ...string) *IntCmd
Expire(ctx context.Context, key string, expiration time.Duration) *BoolCmd
ExpireAt(ctx context.Context, key string, tm time.Time) *BoolCmd
ExpireNX(ctx context.Context, key string, expiration time.Duration) *BoolCmd
PExpire(ctx context.Context, key string, expiration time.Duration) *BoolCmd
Persist(ctx context.Context, key string) *BoolCmd
TTL(ctx context.Context, key string) *DurationCmd
PTTL(ctx context.Context, key string) *DurationCmd
Keys(ctx context.Context, pattern string) *StringSliceCmd
Scan(ctx context.Context, cursor uint64, match string, count int64) *ScanCmd
Incr(ctx context.Context, key string) *IntCmd
IncrBy(ctx context.Context, key string, value int64) *IntCmd
IncrByFloat(ctx context.Context, key string, value float64) *FloatCmd
Decr(ctx context.Context, key string) *IntCmd
DecrBy(ctx context.Context, key string, decrement int64) *IntCmd
Append(ctx context.Context, key, value string) *IntCmd
HGet(ctx context.Context, key, field string) *StringCmd
HGetAll(ctx context.Context, key string) *MapStringStringCmd
HMGet(ctx context.Context, key string, fields ...string) *SliceCmd
HExists(ctx context.Context, key, field string) *BoolCmd
HSet(ctx context.Context, key string, values ...interface{}) *IntCmd
HMSet(ctx context.Context, key string, values ...interface{}) *BoolCmd
HSetNX(ctx context.Context, key, field string, value interface{}) *BoolCmd
HDel(ctx context.Context, key string, fields ...string) *IntCmd
HIncrBy(ctx context.Context, key, field string, incr int64) *IntCmd
LPush(ctx context.Context, key string, values ...interface{}) *IntCmd
RPush(ctx context.Context, key string, values ...interface{}) *IntCmd
LPop(ctx context.Context, key string) *StringCmd
RPop(ctx context.Context, key string) *StringCmd
BLPop(ctx context.Context, timeout time.Duration, keys ...string) *StringSliceCmd
BRPop(ctx context.Context, timeout time.Duration, keys ...string) *StringSliceCmd
RPopLPush(ctx context.Context, source, destination string) *StringCmd
LRange(ctx context.Context, key string, start, stop int64) *StringSliceCmd
LRem(ctx context.Context, key string, count int64, value interface{}) *IntCmd
LLen(ctx context.Context, key string) *IntCmd
LTrim(ctx context.Context, key string, start, stop int64) *StatusCmd
SAdd(ctx context.Context, key string, members ...interface{}) *IntCmd
SRem(ctx context.Context, key string, members ...interface{}) *IntCmd
SIsMember(ctx context.Context, key string, member interface{}) *BoolCmd
SMembers(ctx context.Context, key string) *StringSliceCmd
SCard(ctx context.Context, key string) *IntCmd
SPop(ctx context.Context, key string) *StringCmd
ZAdd(ctx context.Context, key string, members ...Z) *IntCmd
ZAddNX(ctx context.Context, key string, members ...Z) *IntCmd
ZRem(ctx context.Context, key string, members ...interface{}) *IntCmd
ZScore(ctx context.Context, key, member string) *FloatCmd
ZCard(ctx context.Context, key string) *IntCmd
ZRange(ctx context.Context, key string, start, stop int64) *StringSliceCmd
ZRangeByScore(ctx context.Context, key string, opt *ZRangeBy) *StringSliceCmd
ZRemRangeByScore(ctx context.Context, key, min, max string) *IntCmd
Eval(ctx context.Context, script string, keys []string, args ...interface{}) *Cmd
EvalSha(ctx context.Context, sha1 string, keys []string, args ...interface{}) *Cmd
ScriptLoad(ctx context.Context, script string) *StringCmd
Publish(ctx context.Context, channel string, message interface{}) *IntCmd
XAdd(ctx context.Context, a *XAddArgs) *StringCmd
XAck(ctx context.Context, stream, group string, ids ...string) *IntCmd
XDel(ctx context.Context, stream string, ids ...string) *IntCmd
XReadGroup(ctx context.Context, a *XReadGroupArgs) *XStreamSliceCmd
XRead(ctx context.Context, a *XReadArgs) *XStreamSliceCmd
XAutoClaim(ctx context.Context, a *XAutoClaimArgs) *XAutoClaimCmd
XGroupCreateMkStream(ctx context.Context, stream, group, start string) *StatusCmd
FlushDB(ctx context.Context) *StatusCmd
`

const redisHead = `package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"time"
)

const KeepTTL = -1

var (
	Nil         = errors.New("redis: nil")
	TxFailedErr = errors.New("redis: transaction failed")
	ErrClosed   = errors.New("redis: client is closed")
)

type Options struct {
	Network, Addr, ClientName    string
	Username, Password           string
	DB                           int
	MaxRetries                   int
	MinRetryBackoff              time.Duration
	MaxRetryBackoff              time.Duration
	DialTimeout                  time.Duration
	DialerRetries                int
	DialerRetryTimeout           time.Duration
	ReadTimeout                  time.Duration
	WriteTimeout                 time.Duration
	ContextTimeoutEnabled        bool
	PoolFIFO                     bool
	PoolSize                     int
	PoolTimeout                  time.Duration
	MinIdleConns                 int
	MaxIdleConns                 int
	ConnMaxIdleTime              time.Duration
	ConnMaxLifetime              time.Duration
	IdleTimeout                  time.Duration
	TLSConfig                    *tls.Config
	Protocol                     int
}
type ClusterOptions struct {
	Addrs              []string
	Username, Password string
	MaxRedirects       int
	MaxRetries         int
	MinRetryBackoff    time.Duration
	MaxRetryBackoff    time.Duration
	DialTimeout        time.Duration
	ReadTimeout        time.Duration
	WriteTimeout       time.Duration
	PoolSize           int
	TLSConfig          *tls.Config
	ReadOnly           bool
	RouteByLatency     bool
}
type FailoverOptions struct {
	MasterName, Username, Password string
	SentinelAddrs                  []string
	DB, MaxRetries                 int
	MinRetryBackoff                time.Duration
	MaxRetryBackoff                time.Duration
	DialTimeout                    time.Duration
	ReadTimeout                    time.Duration
	WriteTimeout                   time.Duration
}
type RingOptions struct {
	Addrs      map[string]string
	Password   string
	DB         int
	MaxRetries int
}
type UniversalOptions struct {
	Addrs                          []string
	DB                             int
	MasterName, Username, Password string
	MaxRetries, MaxRedirects       int
	MinRetryBackoff                time.Duration
	MaxRetryBackoff                time.Duration
	ReadTimeout                    time.Duration
}

type Cmder interface {
	Name() string
	Err() error
}
type baseCmd struct{}

func (baseCmd) Name() string { return "" }
func (baseCmd) Err() error   { return nil }

type Cmd struct{ baseCmd }

func (*Cmd) Result() (interface{}, error) { return nil, nil }
func (*Cmd) Val() interface{}             { return nil }
func (*Cmd) Int() (int, error)            { return 0, nil }
func (*Cmd) Int64() (int64, error)        { return 0, nil }
func (*Cmd) Bool() (bool, error)          { return false, nil }
func (*Cmd) Text() (string, error)        { return "", nil }

type StatusCmd struct{ baseCmd }

func (*StatusCmd) Result() (string, error) { return "", nil }
func (*StatusCmd) Val() string             { return "" }

type StringCmd struct{ baseCmd }

func (*StringCmd) Result() (string, error)     { return "", nil }
func (*StringCmd) Val() string                 { return "" }
func (*StringCmd) Bytes() ([]byte, error)      { return nil, nil }
func (*StringCmd) Int() (int, error)           { return 0, nil }
func (*StringCmd) Int64() (int64, error)       { return 0, nil }
func (*StringCmd) Bool() (bool, error)         { return false, nil }
func (*StringCmd) Scan(val interface{}) error  { return nil }
func (*StringCmd) Time() (time.Time, error)    { return time.Time{}, nil }

type BoolCmd struct{ baseCmd }

func (*BoolCmd) Result() (bool, error) { return false, nil }
func (*BoolCmd) Val() bool             { return false }

type IntCmd struct{ baseCmd }

func (*IntCmd) Result() (int64, error) { return 0, nil }
func (*IntCmd) Val() int64             { return 0 }

type FloatCmd struct{ baseCmd }

func (*FloatCmd) Result() (float64, error) { return 0, nil }
func (*FloatCmd) Val() float64             { return 0 }

type DurationCmd struct{ baseCmd }

func (*DurationCmd) Result() (time.Duration, error) { return 0, nil }
func (*DurationCmd) Val() time.Duration             { return 0 }

type SliceCmd struct{ baseCmd }

func (*SliceCmd) Result() ([]interface{}, error) { return nil, nil }
func (*SliceCmd) Val() []interface{}             { return nil }

type StringSliceCmd struct{ baseCmd }

func (*StringSliceCmd) Result() ([]string, error) { return nil, nil }
func (*StringSliceCmd) Val() []string             { return nil }

type MapStringStringCmd struct{ baseCmd }

func (*MapStringStringCmd) Result() (map[string]string, error) { return nil, nil }
func (*MapStringStringCmd) Val() map[string]string             { return nil }
func (*MapStringStringCmd) Scan(dest interface{}) error        { return nil }

type ScanCmd struct{ baseCmd }

func (*ScanCmd) Result() (keys []string, cursor uint64, err error) { return nil, 0, nil }

type XMessage struct {
	ID     string
	Values map[string]interface{}
}
type XStream struct {
	Stream   string
	Messages []XMessage
}
type XStreamSliceCmd struct{ baseCmd }

func (*XStreamSliceCmd) Result() ([]XStream, error) { return nil, nil }

type XAutoClaimCmd struct{ baseCmd }

func (*XAutoClaimCmd) Result() (messages []XMessage, start string, err error) { return nil, "", nil }

type Z struct {
	Score  float64
	Member interface{}
}
type ZRangeBy struct {
	Min, Max      string
	Offset, Count int64
}
type SetArgs struct {
	Mode     string
	TTL      time.Duration
	ExpireAt time.Time
	Get      bool
	KeepTTL  bool
}
type XAddArgs struct {
	Stream     string
	NoMkStream bool
	MaxLen     int64
	Approx     bool
	ID         string
	Values     interface{}
}
type XReadGroupArgs struct {
	Group, Consumer string
	Streams         []string
	Count           int64
	Block           time.Duration
	NoAck           bool
}
type XReadArgs struct {
	Streams []string
	Count   int64
	Block   time.Duration
}
type XAutoClaimArgs struct {
	Stream, Group, Consumer, Start string
	MinIdle                        time.Duration
	Count                          int64
}
type Message struct{ Channel, Pattern, Payload string }
type PubSub struct{}

func (c *PubSub) Channel() <-chan *Message                                    { return nil }
func (c *PubSub) ReceiveMessage(ctx context.Context) (*Message, error)        { return nil, nil }
func (c *PubSub) Close() error                                                { return nil }

type Script struct{}

func NewScript(src string) *Script { return nil }
func (s *Script) Run(ctx context.Context, c Cmdable, keys []string, args ...interface{}) *Cmd {
	return nil
}

type Pipeliner interface {
	Cmdable
	Len() int
	Discard()
	Exec(ctx context.Context) ([]Cmder, error)
}
type Tx struct{ cmdable }
type Hook interface{}

type Client struct{ cmdable }

func NewClient(opt *Options) *Client                                                   { return nil }
func NewFailoverClient(failoverOpt *FailoverOptions) *Client                           { return nil }
func (c *Client) Options() *Options                                                    { return nil }
func (c *Client) Close() error                                                         { return nil }
func (c *Client) AddHook(h Hook)                                                       {}
func (c *Client) Do(ctx context.Context, args ...interface{}) *Cmd                     { return nil }
func (c *Client) Watch(ctx context.Context, fn func(*Tx) error, keys ...string) error  { return nil }
func (c *Client) Subscribe(ctx context.Context, channels ...string) *PubSub            { return nil }
func (c *Client) PSubscribe(ctx context.Context, channels ...string) *PubSub           { return nil }

type ClusterClient struct{ cmdable }

func NewClusterClient(opt *ClusterOptions) *ClusterClient                                     { return nil }
func (c *ClusterClient) Close() error                                                         { return nil }
func (c *ClusterClient) Do(ctx context.Context, args ...interface{}) *Cmd                     { return nil }
func (c *ClusterClient) Watch(ctx context.Context, fn func(*Tx) error, keys ...string) error  { return nil }
func (c *ClusterClient) Subscribe(ctx context.Context, channels ...string) *PubSub            { return nil }

type Ring struct{ cmdable }

func NewRing(opt *RingOptions) *Ring { return nil }
func (c *Ring) Close() error         { return nil }

type UniversalClient interface {
	Cmdable
	AddHook(Hook)
	Watch(ctx context.Context, fn func(*Tx) error, keys ...string) error
	Do(ctx context.Context, args ...interface{}) *Cmd
	Subscribe(ctx context.Context, channels ...string) *PubSub
	Close() error
}

func NewUniversalClient(opts *UniversalOptions) UniversalClient { return nil }
func NewFailoverClusterClient(failoverOpt *FailoverOptions) *ClusterClient { return nil }

type Conn struct{ cmdable }

func (c *Client) Conn() *Conn { return nil }
func (c *Conn) Close() error  { return nil }

func ParseURL(redisURL string) (*Options, error)                { return nil, nil }
func ParseClusterURL(redisURL string) (*ClusterOptions, error)  { return nil, nil }
func NewStatusResult(val string, err error) *StatusCmd          { return nil }
func NewBoolResult(val bool, err error) *BoolCmd                { return nil }
`
