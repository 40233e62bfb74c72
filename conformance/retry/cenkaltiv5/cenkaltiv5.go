// Package cenkaltiv5 posts with cenkalti/backoff v5.
package cenkaltiv5

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v5"
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
	_, err := backoff.Retry(ctx, func() (bool, error) { return true, post(ctx, url) })
	return err
}

// Three counts attempts.
func Three(ctx context.Context, url string) error {
	_, err := backoff.Retry(ctx, func() (bool, error) { return true, post(ctx, url) },
		backoff.WithBackOff(backoff.NewConstantBackOff(100*time.Millisecond)), backoff.WithMaxTries(3))
	return err
}

// Doubling is built of fields.
func Doubling(ctx context.Context, url string) error {
	b := &backoff.ExponentialBackOff{InitialInterval: 20 * time.Millisecond, Multiplier: 2, MaxInterval: 60 * time.Millisecond}
	_, err := backoff.Retry(ctx, func() (bool, error) { return true, post(ctx, url) }, backoff.WithBackOff(b), backoff.WithMaxTries(6))
	return err
}

// Jittered keeps the factor of 0.5.
func Jittered(ctx context.Context, url string) error {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval = 30 * time.Millisecond
	_, err := backoff.Retry(ctx, func() (bool, error) { return true, post(ctx, url) }, backoff.WithBackOff(b), backoff.WithMaxTries(5))
	return err
}

// Elapsed is ended by its time: zero tries are no limit.
func Elapsed(ctx context.Context, url string) error {
	_, err := backoff.Retry(ctx, func() (bool, error) { return true, post(ctx, url) }, backoff.WithMaxTries(0),
		backoff.WithBackOff(backoff.NewConstantBackOff(60*time.Millisecond)), backoff.WithMaxElapsedTime(355*time.Millisecond))
	return err
}

// Endless has no limit of any kind.
func Endless(ctx context.Context, url string) error {
	_, err := backoff.Retry(ctx, func() (bool, error) { return true, post(ctx, url) },
		backoff.WithBackOff(&backoff.ZeroBackOff{}), backoff.WithMaxElapsedTime(0))
	return err
}
