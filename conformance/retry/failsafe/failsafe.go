// Package failsafe posts with failsafe-go.
package failsafe

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

func post(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}

// Default sets nothing.
func Default(ctx context.Context, url string) error {
	return failsafe.With(retrypolicy.NewWithDefaults[any]()).Run(func() error { return post(ctx, url) })
}

// Retries counts retries.
func Retries(ctx context.Context, url string) error {
	p := retrypolicy.NewBuilder[any]().WithMaxRetries(3).WithDelay(80 * time.Millisecond).Build()
	return failsafe.With(p).Run(func() error { return post(ctx, url) })
}

// Attempts counts attempts.
func Attempts(ctx context.Context, url string) error {
	p := retrypolicy.NewBuilder[any]().WithMaxAttempts(5).WithBackoff(20*time.Millisecond, 60*time.Millisecond).Build()
	return failsafe.With(p).Run(func() error { return post(ctx, url) })
}

// Zero attempts are no limit.
func Zero(ctx context.Context, url string) error {
	p := retrypolicy.NewBuilder[any]().WithMaxAttempts(0).WithDelay(5 * time.Millisecond).Build()
	return failsafe.With(p).WithContext(ctx).Run(func() error { return post(ctx, url) })
}

// NoRetries never repeats.
func NoRetries(ctx context.Context, url string) error {
	p := retrypolicy.NewBuilder[any]().WithMaxRetries(0).WithDelay(5 * time.Millisecond).Build()
	return failsafe.With(p).Run(func() error { return post(ctx, url) })
}

// Spread spreads by a share.
func Spread(ctx context.Context, url string) error {
	p := retrypolicy.NewBuilder[any]().WithMaxRetries(4).WithDelay(50 * time.Millisecond).WithJitterFactor(0.4).Build()
	return failsafe.With(p).Run(func() error { return post(ctx, url) })
}

// Additive spreads by a time.
func Additive(ctx context.Context, url string) error {
	p := retrypolicy.NewBuilder[any]().WithMaxRetries(4).WithDelay(50 * time.Millisecond).WithJitter(20 * time.Millisecond).Build()
	return failsafe.With(p).Run(func() error { return post(ctx, url) })
}

// Random waits between two bounds.
func Random(ctx context.Context, url string) error {
	p := retrypolicy.NewBuilder[any]().WithMaxRetries(4).WithRandomDelay(20*time.Millisecond, 60*time.Millisecond).Build()
	return failsafe.With(p).Run(func() error { return post(ctx, url) })
}

// Factor trebles.
func Factor(ctx context.Context, url string) error {
	p := retrypolicy.NewBuilder[any]().WithMaxRetries(3).WithBackoffFactor(20*time.Millisecond, time.Second, 3).Build()
	return failsafe.With(p).Run(func() error { return post(ctx, url) })
}

// Duration is ended by its time.
func Duration(ctx context.Context, url string) error {
	p := retrypolicy.NewBuilder[any]().WithMaxRetries(-1).WithDelay(60 * time.Millisecond).WithMaxDuration(355 * time.Millisecond).Build()
	return failsafe.With(p).Run(func() error { return post(ctx, url) })
}

// Two policies are nested.
func Two(ctx context.Context, url string) error {
	outer := retrypolicy.NewBuilder[any]().WithMaxAttempts(2).WithDelay(60 * time.Millisecond).Build()
	inner := retrypolicy.NewBuilder[any]().WithMaxAttempts(3).WithDelay(30 * time.Millisecond).Build()
	return failsafe.With(outer, inner).Run(func() error { return post(ctx, url) })
}
