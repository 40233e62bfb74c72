// Package eapache posts with eapache/go-resiliency.
package eapache

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/eapache/go-resiliency/retrier"
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

// Three is as many retries as the list is long.
func Three(ctx context.Context, url string) error {
	return retrier.New(retrier.ConstantBackoff(3, 80*time.Millisecond), nil).Run(func() error { return post(ctx, url) })
}

// None has an empty list.
func None(ctx context.Context, url string) error {
	return retrier.New(nil, nil).Run(func() error { return post(ctx, url) })
}

// Doubling doubles.
func Doubling(ctx context.Context, url string) error {
	return retrier.New(retrier.ExponentialBackoff(4, 20*time.Millisecond), nil).RunCtx(ctx, func(ctx context.Context) error { return post(ctx, url) })
}

// Limited is capped.
func Limited(ctx context.Context, url string) error {
	r := retrier.New(retrier.LimitedExponentialBackoff(5, 20*time.Millisecond, 60*time.Millisecond), nil)
	return r.Run(func() error { return post(ctx, url) })
}

// List names its waits.
func List(ctx context.Context, url string) error {
	r := retrier.New([]time.Duration{20 * time.Millisecond, 50 * time.Millisecond, 150 * time.Millisecond}, retrier.DefaultClassifier{})
	return r.Run(func() error { return post(ctx, url) })
}

// Jittered is spread.
func Jittered(ctx context.Context, url string) error {
	r := retrier.New(retrier.ConstantBackoff(4, 50*time.Millisecond), nil)
	r.SetJitter(0.4)
	return r.Run(func() error { return post(ctx, url) })
}
