package libs

// Stubs of caches and databases that can hold a dedupe record.

var _ = addStub("github.com/gomodule/redigo/redis", `package redis

import (
	"context"
	"errors"
	"time"
)

var ErrNil = errors.New("redigo: nil returned")

type Error string

func (err Error) Error() string { return "" }

type Args []interface{}

func (args Args) Add(value ...interface{}) Args      { return nil }
func (args Args) AddFlat(v interface{}) Args         { return nil }

type Conn interface {
	Close() error
	Err() error
	Do(commandName string, args ...interface{}) (reply interface{}, err error)
	Send(commandName string, args ...interface{}) error
	Flush() error
	Receive() (reply interface{}, err error)
}
type ConnWithContext interface {
	Conn
	DoContext(ctx context.Context, commandName string, args ...interface{}) (reply interface{}, err error)
}
type DialOption struct{}
type Pool struct {
	Dial            func() (Conn, error)
	DialContext     func(ctx context.Context) (Conn, error)
	TestOnBorrow    func(c Conn, t time.Time) error
	MaxIdle         int
	MaxActive       int
	IdleTimeout     time.Duration
	Wait            bool
	MaxConnLifetime time.Duration
}

func (p *Pool) Get() Conn                                         { return nil }
func (p *Pool) GetContext(ctx context.Context) (Conn, error)      { return nil, nil }
func (p *Pool) Close() error                                      { return nil }

type Script struct{}

func NewScript(keyCount int, src string) *Script                                  { return nil }
func (s *Script) Do(c Conn, keysAndArgs ...interface{}) (interface{}, error)      { return nil, nil }
func (s *Script) DoContext(ctx context.Context, c Conn, keysAndArgs ...interface{}) (interface{}, error) {
	return nil, nil
}

func Dial(network, address string, options ...DialOption) (Conn, error)           { return nil, nil }
func DialContext(ctx context.Context, network, address string, options ...DialOption) (Conn, error) {
	return nil, nil
}
func DialURL(rawurl string, options ...DialOption) (Conn, error)                                      { return nil, nil }
func DoContext(c Conn, ctx context.Context, cmd string, args ...interface{}) (interface{}, error)     { return nil, nil }
func DoWithTimeout(c Conn, timeout time.Duration, cmd string, args ...interface{}) (interface{}, error) {
	return nil, nil
}
func String(reply interface{}, err error) (string, error)         { return "", nil }
func Bytes(reply interface{}, err error) ([]byte, error)          { return nil, nil }
func Int(reply interface{}, err error) (int, error)               { return 0, nil }
func Int64(reply interface{}, err error) (int64, error)           { return 0, nil }
func Uint64(reply interface{}, err error) (uint64, error)         { return 0, nil }
func Float64(reply interface{}, err error) (float64, error)       { return 0, nil }
func Bool(reply interface{}, err error) (bool, error)             { return false, nil }
func Strings(reply interface{}, err error) ([]string, error)      { return nil, nil }
func Values(reply interface{}, err error) ([]interface{}, error)  { return nil, nil }
func StringMap(reply interface{}, err error) (map[string]string, error) { return nil, nil }
`)

var _ = addStub("github.com/bradfitz/gomemcache/memcache", `package memcache

import (
	"errors"
	"time"
)

var (
	ErrCacheMiss   = errors.New("memcache: cache miss")
	ErrCASConflict = errors.New("memcache: compare-and-swap conflict")
	ErrNotStored   = errors.New("memcache: item not stored")
)

type Item struct {
	Key        string
	Value      []byte
	Object     interface{}
	Flags      uint32
	Expiration int32
}
type Client struct {
	Timeout      time.Duration
	MaxIdleConns int
}

func New(server ...string) *Client                                                  { return nil }
func (c *Client) Get(key string) (item *Item, err error)                            { return nil, nil }
func (c *Client) GetMulti(keys []string) (map[string]*Item, error)                  { return nil, nil }
func (c *Client) Set(item *Item) error                                              { return nil }
func (c *Client) Add(item *Item) error                                              { return nil }
func (c *Client) Replace(item *Item) error                                          { return nil }
func (c *Client) CompareAndSwap(item *Item) error                                   { return nil }
func (c *Client) Touch(key string, seconds int32) error                             { return nil }
func (c *Client) Delete(key string) error                                           { return nil }
func (c *Client) Increment(key string, delta uint64) (newValue uint64, err error)   { return 0, nil }
func (c *Client) Ping() error                                                       { return nil }
`)

var _ = addStub("github.com/patrickmn/go-cache", `package cache

import (
	"errors"
	"time"
)

const (
	NoExpiration      time.Duration = -1
	DefaultExpiration time.Duration = 0
)

var _ = errors.New

type Item struct {
	Object     interface{}
	Expiration int64
}
type cache struct{}
type Cache struct{ *cache }

func New(defaultExpiration, cleanupInterval time.Duration) *Cache                          { return nil }
func (c *cache) Set(k string, x interface{}, d time.Duration)                              {}
func (c *cache) SetDefault(k string, x interface{})                                        {}
func (c *cache) Add(k string, x interface{}, d time.Duration) error                        { return nil }
func (c *cache) Replace(k string, x interface{}, d time.Duration) error                    { return nil }
func (c *cache) Get(k string) (interface{}, bool)                                          { return nil, false }
func (c *cache) GetWithExpiration(k string) (interface{}, time.Time, bool)                 { return nil, time.Time{}, false }
func (c *cache) Delete(k string)                                                           {}
func (c *cache) Increment(k string, n int64) error                                         { return nil }
func (c *cache) IncrementInt(k string, n int) (int, error)                                 { return 0, nil }
func (c *cache) Items() map[string]Item                                                    { return nil }
func (c *cache) ItemCount() int                                                            { return 0 }
func (c *cache) Flush()                                                                    {}
func (c *cache) OnEvicted(f func(string, interface{}))                                     {}
`)

var _ = addStub("github.com/hashicorp/golang-lru/v2", `package lru

type Cache[K comparable, V any] struct{}

func New[K comparable, V any](size int) (*Cache[K, V], error) { return nil, nil }
func NewWithEvict[K comparable, V any](size int, onEvicted func(key K, value V)) (*Cache[K, V], error) {
	return nil, nil
}
func (c *Cache[K, V]) Add(key K, value V) (evicted bool)                              { return false }
func (c *Cache[K, V]) Get(key K) (value V, ok bool)                                   { return }
func (c *Cache[K, V]) Peek(key K) (value V, ok bool)                                  { return }
func (c *Cache[K, V]) Contains(key K) bool                                            { return false }
func (c *Cache[K, V]) ContainsOrAdd(key K, value V) (ok, evicted bool)                { return }
func (c *Cache[K, V]) PeekOrAdd(key K, value V) (previous V, ok, evicted bool)        { return }
func (c *Cache[K, V]) Remove(key K) (present bool)                                    { return false }
func (c *Cache[K, V]) Purge()                                                         {}
func (c *Cache[K, V]) Len() int                                                       { return 0 }
func (c *Cache[K, V]) Keys() []K                                                      { return nil }
`)

var _ = addStub("github.com/hashicorp/golang-lru", `package lru

type Cache struct{}

func New(size int) (*Cache, error)                                                           { return nil, nil }
func NewWithEvict(size int, onEvicted func(key interface{}, value interface{})) (*Cache, error) { return nil, nil }
func (c *Cache) Add(key, value interface{}) (evicted bool)                                   { return false }
func (c *Cache) Get(key interface{}) (value interface{}, ok bool)                            { return nil, false }
func (c *Cache) Peek(key interface{}) (value interface{}, ok bool)                           { return nil, false }
func (c *Cache) Contains(key interface{}) bool                                               { return false }
func (c *Cache) ContainsOrAdd(key, value interface{}) (ok, evicted bool)                     { return }
func (c *Cache) Remove(key interface{}) (present bool)                                       { return false }
func (c *Cache) Purge()                                                                      {}
func (c *Cache) Len() int                                                                    { return 0 }
`)

var _ = addStub("github.com/hashicorp/golang-lru/v2/expirable", `package expirable

import "time"

type LRU[K comparable, V any] struct{}

func NewLRU[K comparable, V any](size int, onEvict func(key K, value V), ttl time.Duration) *LRU[K, V] {
	return nil
}
func (c *LRU[K, V]) Add(key K, value V) (evicted bool)    { return false }
func (c *LRU[K, V]) Get(key K) (value V, ok bool)         { return }
func (c *LRU[K, V]) Peek(key K) (value V, ok bool)        { return }
func (c *LRU[K, V]) Contains(key K) (ok bool)             { return false }
func (c *LRU[K, V]) Remove(key K) bool                    { return false }
func (c *LRU[K, V]) Purge()                               {}
func (c *LRU[K, V]) Len() int                             { return 0 }
`)

var _ = addStub("github.com/dgraph-io/ristretto/v2", `package ristretto

import "time"

type Key interface {
	uint64 | string | []byte | byte | int | int32 | uint32 | int64
}
type Config[K Key, V any] struct {
	NumCounters int64
	MaxCost     int64
	BufferItems int64
	Metrics     bool
	TtlTickerDurationInSec int64
}
type Cache[K Key, V any] struct{}

func NewCache[K Key, V any](config *Config[K, V]) (*Cache[K, V], error)                          { return nil, nil }
func (c *Cache[K, V]) Get(key K) (V, bool)                                                       { var v V; return v, false }
func (c *Cache[K, V]) Set(key K, value V, cost int64) bool                                       { return false }
func (c *Cache[K, V]) SetWithTTL(key K, value V, cost int64, ttl time.Duration) bool             { return false }
func (c *Cache[K, V]) GetTTL(key K) (time.Duration, bool)                                        { return 0, false }
func (c *Cache[K, V]) Del(key K)                                                                 {}
func (c *Cache[K, V]) Wait()                                                                     {}
func (c *Cache[K, V]) Close()                                                                    {}
func (c *Cache[K, V]) Clear()                                                                    {}
`)

var _ = addStub("github.com/dgraph-io/ristretto", `package ristretto

import "time"

type Config struct {
	NumCounters int64
	MaxCost     int64
	BufferItems int64
	Metrics     bool
}
type Cache struct{}

func NewCache(config *Config) (*Cache, error)                                                       { return nil, nil }
func (c *Cache) Get(key interface{}) (interface{}, bool)                                            { return nil, false }
func (c *Cache) Set(key, value interface{}, cost int64) bool                                        { return false }
func (c *Cache) SetWithTTL(key, value interface{}, cost int64, ttl time.Duration) bool              { return false }
func (c *Cache) Del(key interface{})                                                                {}
func (c *Cache) Wait()                                                                              {}
func (c *Cache) Close()                                                                             {}
`)

const bigcacheStub = `package bigcache

import (
	"context"
	"errors"
	"time"
)

var ErrEntryNotFound = errors.New("Entry not found")

type Config struct {
	Shards             int
	LifeWindow         time.Duration
	CleanWindow        time.Duration
	MaxEntriesInWindow int
	MaxEntrySize       int
	HardMaxCacheSize   int
	Verbose            bool
}
type BigCache struct{}

func DefaultConfig(eviction time.Duration) Config                       { return Config{} }
func New(ctx context.Context, config Config) (*BigCache, error)         { return nil, nil }
func NewBigCache(config Config) (*BigCache, error)                      { return nil, nil }
func (c *BigCache) Get(key string) ([]byte, error)                      { return nil, nil }
func (c *BigCache) Set(key string, entry []byte) error                  { return nil }
func (c *BigCache) Append(key string, entry []byte) error               { return nil }
func (c *BigCache) Delete(key string) error                             { return nil }
func (c *BigCache) Reset() error                                        { return nil }
func (c *BigCache) Close() error                                        { return nil }
func (c *BigCache) Len() int                                            { return 0 }
`

var (
	_ = addStub("github.com/allegro/bigcache/v3", bigcacheStub)
	_ = addStub("github.com/allegro/bigcache", bigcacheStub)
)

var _ = addStub("github.com/jellydator/ttlcache/v3", `package ttlcache

import "time"

const (
	NoTTL      time.Duration = -1
	DefaultTTL time.Duration = 0
)

type Item[K comparable, V any] struct{}

func (i *Item[K, V]) Value() V        { var v V; return v }
func (i *Item[K, V]) IsExpired() bool { return false }

type Option[K comparable, V any] interface{}

func WithTTL[K comparable, V any](ttl time.Duration) Option[K, V]   { return nil }
func WithCapacity[K comparable, V any](c uint64) Option[K, V]       { return nil }
func WithDisableTouchOnHit[K comparable, V any]() Option[K, V]      { return nil }

type Cache[K comparable, V any] struct{}

func New[K comparable, V any](opts ...Option[K, V]) *Cache[K, V]                            { return nil }
func (c *Cache[K, V]) Set(key K, value V, ttl time.Duration) *Item[K, V]                    { return nil }
func (c *Cache[K, V]) Get(key K, opts ...Option[K, V]) *Item[K, V]                          { return nil }
func (c *Cache[K, V]) GetOrSet(key K, value V, opts ...Option[K, V]) (*Item[K, V], bool)    { return nil, false }
func (c *Cache[K, V]) Has(key K) bool                                                       { return false }
func (c *Cache[K, V]) Delete(key K)                                                         {}
func (c *Cache[K, V]) Start()                                                               {}
func (c *Cache[K, V]) Stop()                                                                {}
func (c *Cache[K, V]) Len() int                                                             { return 0 }
`)

var _ = addStub("golang.org/x/sync/singleflight", `package singleflight

type Result struct {
	Val    interface{}
	Err    error
	Shared bool
}
type Group struct{}

func (g *Group) Do(key string, fn func() (interface{}, error)) (v interface{}, err error, shared bool) { return }
func (g *Group) DoChan(key string, fn func() (interface{}, error)) <-chan Result                       { return nil }
func (g *Group) Forget(key string)                                                                     {}
`)

var _ = addStub("golang.org/x/sync/errgroup", `package errgroup

import "context"

type Group struct{}

func WithContext(ctx context.Context) (*Group, context.Context) { return nil, nil }
func (g *Group) Go(f func() error)                              {}
func (g *Group) TryGo(f func() error) bool                      { return false }
func (g *Group) SetLimit(n int)                                 {}
func (g *Group) Wait() error                                    { return nil }
`)

var _ = addStub("golang.org/x/sync/semaphore", `package semaphore

import "context"

type Weighted struct{}

func NewWeighted(n int64) *Weighted                                 { return nil }
func (s *Weighted) Acquire(ctx context.Context, n int64) error      { return nil }
func (s *Weighted) TryAcquire(n int64) bool                         { return false }
func (s *Weighted) Release(n int64)                                 {}
`)

var _ = addStub("golang.org/x/time/rate", `package rate

import (
	"context"
	"time"
)

type Limit float64

const Inf Limit = 1e300

type Limiter struct{}
type Reservation struct{}

func Every(interval time.Duration) Limit                        { return 0 }
func NewLimiter(r Limit, b int) *Limiter                        { return nil }
func (lim *Limiter) Allow() bool                                { return false }
func (lim *Limiter) Wait(ctx context.Context) (err error)       { return nil }
func (lim *Limiter) WaitN(ctx context.Context, n int) error     { return nil }
func (lim *Limiter) Reserve() *Reservation                      { return nil }
func (r *Reservation) Delay() time.Duration                     { return 0 }
`)
