// Package redisv8 counts in Redis with go-redis v8.
package redisv8

import (
	"context"
	"time"

	"github.com/go-redis/redis/v8"
)

// Default sets nothing.
func Default(ctx context.Context, addr string) error {
	c := redis.NewClient(&redis.Options{Addr: addr})
	defer c.Close()
	return c.Incr(ctx, "orders").Err()
}

// One counts retries.
func One(ctx context.Context, addr string) error {
	c := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: 1, MinRetryBackoff: 100 * time.Millisecond, MaxRetryBackoff: 200 * time.Millisecond})
	defer c.Close()
	return c.Incr(ctx, "orders").Err()
}

// Zero is the default of three.
func Zero(ctx context.Context, addr string) error {
	c := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: 0})
	defer c.Close()
	return c.Incr(ctx, "orders").Err()
}

// Off is minus one.
func Off(ctx context.Context, addr string) error {
	c := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1})
	defer c.Close()
	return c.Incr(ctx, "orders").Err()
}

// Slow limits each attempt.
func Slow(ctx context.Context, addr string) error {
	c := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: 2, MinRetryBackoff: 40 * time.Millisecond, MaxRetryBackoff: 100 * time.Millisecond,
		ReadTimeout: 100 * time.Millisecond})
	defer c.Close()
	return c.SetNX(ctx, "claim", 1, time.Hour).Err()
}
