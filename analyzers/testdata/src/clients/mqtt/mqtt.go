// Package mqtt bounds its retries under conditions.
package mqtt

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/dapr/kit/retry"
)

type metadata struct {
	Retain     bool `mapstructure:"retain"`
	MaxRetries int  `mapstructure:"backOffMaxRetries"`
}

type broker struct {
	metadata metadata
	backOff  backoff.BackOff
	again    retry.Config
	limit    int
}

func open(decode func(any) error, settings map[string]string) (*broker, error) {
	m := metadata{Retain: true}
	if err := decode(&m); err != nil {
		return nil, err
	}
	b := &broker{metadata: m, backOff: backoff.NewConstantBackOff(5 * time.Second)}
	return b, retry.DecodeConfigWithPrefix(&b.again, settings, "backOff")
}

// handle is bounded unless somebody asks for no bound; the setting is 0, no retry, where nobody sets it.
func (b *broker) handle(f func() error) error {
	bo := b.backOff
	if b.metadata.MaxRetries >= 0 {
		bo = backoff.WithMaxRetries(bo, uint64(b.metadata.MaxRetries)) // want layer "attempts=1 initial=5s attempts<-config:backOffMaxRetries+1"
	}
	return retry.NotifyRecover(f, bo, nil, nil)
}

// decoded has the library's defaults where no setting is given.
func (b *broker) decoded(ctx context.Context, f func() error) error {
	return retry.NotifyRecover(f, b.again.NewBackOffWithContext(ctx), nil, nil) // want layer "attempts=unbounded initial=5s origin=default"
}

// some bounds it under a condition of which nothing is known.
func (b *broker) some(f func() error) error {
	bo := b.backOff
	if b.limit > 3 {
		bo = backoff.WithMaxRetries(bo, 3)
	}
	return backoff.Retry(f, bo) // want layer "attempts=unknown"
}
