// Package sethvargo posts with sethvargo/go-retry.
package sethvargo

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/sethvargo/go-retry"
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

func marked(ctx context.Context, url string) error {
	if err := post(ctx, url); err != nil {
		return retry.RetryableError(err)
	}
	return nil
}

// Three counts retries.
func Three(ctx context.Context, url string) error {
	b := retry.WithMaxRetries(3, retry.NewConstant(80*time.Millisecond))
	return retry.Do(ctx, b, func(ctx context.Context) error { return marked(ctx, url) })
}

// Zero never repeats.
func Zero(ctx context.Context, url string) error {
	return retry.Do(ctx, retry.WithMaxRetries(0, retry.NewConstant(80*time.Millisecond)), func(ctx context.Context) error { return marked(ctx, url) })
}

// Doubling is capped.
func Doubling(ctx context.Context, url string) error {
	b := retry.NewExponential(20 * time.Millisecond)
	b = retry.WithCappedDuration(60*time.Millisecond, b)
	b = retry.WithMaxRetries(5, b)
	return retry.Do(ctx, b, func(ctx context.Context) error { return marked(ctx, url) })
}

// Fibonacci adds the last two waits.
func Fibonacci(ctx context.Context, url string) error {
	return retry.Do(ctx, retry.WithMaxRetries(5, retry.NewFibonacci(20*time.Millisecond)), func(ctx context.Context) error { return marked(ctx, url) })
}

// Jittered is spread by a time to both sides.
func Jittered(ctx context.Context, url string) error {
	b := retry.WithMaxRetries(4, retry.WithJitter(20*time.Millisecond, retry.NewConstant(50*time.Millisecond)))
	return retry.Do(ctx, b, func(ctx context.Context) error { return marked(ctx, url) })
}

// Percent is spread by a share to both sides.
func Percent(ctx context.Context, url string) error {
	b := retry.WithMaxRetries(4, retry.WithJitterPercent(40, retry.NewConstant(50*time.Millisecond)))
	return retry.Do(ctx, b, func(ctx context.Context) error { return marked(ctx, url) })
}

// Duration is ended by its time.
func Duration(ctx context.Context, url string) error {
	b := retry.WithMaxDuration(355*time.Millisecond, retry.NewConstant(60*time.Millisecond))
	return retry.Do(ctx, b, func(ctx context.Context) error { return marked(ctx, url) })
}

// Endless has no limit.
func Endless(ctx context.Context, url string) error {
	return retry.Constant(ctx, 5*time.Millisecond, func(ctx context.Context) error { return marked(ctx, url) })
}

// Unmarked repeats nothing, because no error is marked.
func Unmarked(ctx context.Context, url string) error {
	return retry.Do(ctx, retry.WithMaxRetries(3, retry.NewConstant(10*time.Millisecond)), func(ctx context.Context) error { return post(ctx, url) })
}
