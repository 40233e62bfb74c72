// Package cenkaltiv4 posts with cenkalti/backoff v4.
package cenkaltiv4

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v4"
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
	return backoff.Retry(func() error { return post(ctx, url) }, backoff.WithContext(backoff.NewExponentialBackOff(), ctx))
}

// Three counts retries.
func Three(ctx context.Context, url string) error {
	return backoff.Retry(func() error { return post(ctx, url) }, backoff.WithMaxRetries(backoff.NewConstantBackOff(80*time.Millisecond), 3))
}

// Zero never repeats.
func Zero(ctx context.Context, url string) error {
	return backoff.Retry(func() error { return post(ctx, url) }, backoff.WithMaxRetries(backoff.NewConstantBackOff(80*time.Millisecond), 0))
}

// Doubling has no jitter.
func Doubling(ctx context.Context, url string) error {
	b := backoff.NewExponentialBackOff(backoff.WithInitialInterval(20*time.Millisecond), backoff.WithMultiplier(2),
		backoff.WithRandomizationFactor(0), backoff.WithMaxInterval(100*time.Millisecond))
	return backoff.Retry(func() error { return post(ctx, url) }, backoff.WithMaxRetries(b, 5))
}

// Jittered keeps the factor of 0.5.
func Jittered(ctx context.Context, url string) error {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval = 40 * time.Millisecond
	return backoff.Retry(func() error { return post(ctx, url) }, backoff.WithMaxRetries(b, 4))
}

// Elapsed is ended by its time.
func Elapsed(ctx context.Context, url string) error {
	b := backoff.NewExponentialBackOff(backoff.WithInitialInterval(60*time.Millisecond), backoff.WithMultiplier(1),
		backoff.WithRandomizationFactor(0), backoff.WithMaxElapsedTime(355*time.Millisecond))
	return backoff.Retry(func() error { return post(ctx, url) }, b)
}

// Endless has no limit, because the limit lies in the exponential policy.
func Endless(ctx context.Context, url string) error {
	return backoff.Retry(func() error { return post(ctx, url) }, backoff.WithContext(backoff.NewConstantBackOff(5*time.Millisecond), ctx))
}

// Deadline is ended by the context.
func Deadline(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 280*time.Millisecond)
	defer cancel()
	return backoff.Retry(func() error { return post(ctx, url) }, backoff.WithContext(backoff.NewConstantBackOff(60*time.Millisecond), ctx))
}

// Data returns a value.
func Data(ctx context.Context, url string) error {
	_, err := backoff.RetryWithData(func() (int, error) { return 1, post(ctx, url) },
		backoff.WithMaxRetries(backoff.NewConstantBackOff(100*time.Millisecond), 2))
	return err
}

// Permanent stops at the first failure.
func Permanent(ctx context.Context, url string) error {
	return backoff.Retry(func() error {
		if err := post(ctx, url); err != nil {
			return backoff.Permanent(err)
		}
		return nil
	}, backoff.WithMaxRetries(backoff.NewConstantBackOff(40*time.Millisecond), 3))
}
