// Package franz produces with franz-go.
package franz

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Two counts retries.
func Two(ctx context.Context, addr string) error {
	c, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.DefaultProduceTopic("orders"), kgo.DisableIdempotentWrite(),
		kgo.RecordRetries(2), kgo.RetryBackoffFn(func(int) time.Duration { return 100 * time.Millisecond }))
	if err != nil {
		return err
	}
	defer c.Close()
	return c.ProduceSync(ctx, kgo.StringRecord("x")).FirstErr()
}

// Default has no limit.
func Default(ctx context.Context, addr string) error {
	c, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.DefaultProduceTopic("orders"))
	if err != nil {
		return err
	}
	defer c.Close()
	return c.ProduceSync(ctx, kgo.StringRecord("x")).FirstErr()
}
