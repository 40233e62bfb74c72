// Package rican7 posts with Rican7/retry.
package rican7

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/Rican7/retry"
	"github.com/Rican7/retry/backoff"
	"github.com/Rican7/retry/jitter"
	"github.com/Rican7/retry/strategy"
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

// Three counts attempts and waits a fixed time.
func Three(ctx context.Context, url string) error {
	return retry.Retry(func(uint) error { return post(ctx, url) }, strategy.Limit(3), strategy.Wait(100*time.Millisecond))
}

// Zero never calls at all.
func Zero(ctx context.Context, url string) error {
	return retry.Retry(func(uint) error { return post(ctx, url) }, strategy.Limit(0))
}

// Linear grows by a step.
func Linear(ctx context.Context, url string) error {
	return retry.Retry(func(uint) error { return post(ctx, url) }, strategy.Limit(4), strategy.Backoff(backoff.Linear(30*time.Millisecond)))
}

// Doubling is exponential.
func Doubling(ctx context.Context, url string) error {
	return retry.Retry(func(uint) error { return post(ctx, url) }, strategy.Limit(4), strategy.Backoff(backoff.BinaryExponential(20*time.Millisecond)))
}

// Trebling has a base of its own.
func Trebling(ctx context.Context, url string) error {
	return retry.Retry(func(uint) error { return post(ctx, url) }, strategy.Limit(4), strategy.Backoff(backoff.Exponential(5*time.Millisecond, 3)))
}

// Incremental starts high.
func Incremental(ctx context.Context, url string) error {
	return retry.Retry(func(uint) error { return post(ctx, url) }, strategy.Limit(4), strategy.Backoff(backoff.Incremental(20*time.Millisecond, 30*time.Millisecond)))
}

// Fibonacci adds the last two waits.
func Fibonacci(ctx context.Context, url string) error {
	return retry.Retry(func(uint) error { return post(ctx, url) }, strategy.Limit(5), strategy.Backoff(backoff.Fibonacci(20*time.Millisecond)))
}

// Jittered waits anything up to the wait.
func Jittered(ctx context.Context, url string) error {
	return retry.Retry(func(uint) error { return post(ctx, url) }, strategy.Limit(4),
		strategy.BackoffWithJitter(backoff.BinaryExponential(20*time.Millisecond), jitter.Full(nil)))
}

// Equal waits half of it at least.
func Equal(ctx context.Context, url string) error {
	return retry.Retry(func(uint) error { return post(ctx, url) }, strategy.Limit(4),
		strategy.BackoffWithJitter(backoff.BinaryExponential(20*time.Millisecond), jitter.Equal(nil)))
}

// Endless has no limit.
func Endless(ctx context.Context, url string) error {
	return retry.Retry(func(uint) error { return post(ctx, url) }, strategy.Wait(5*time.Millisecond))
}
