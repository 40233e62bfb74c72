// Package lestrrat posts with lestrrat-go/backoff.
package lestrrat

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/lestrrat-go/backoff/v2"
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

// Three counts retries.
func Three(ctx context.Context, url string) error {
	p := backoff.Exponential(backoff.WithMinInterval(20*time.Millisecond), backoff.WithMaxInterval(100*time.Millisecond),
		backoff.WithMultiplier(2), backoff.WithJitterFactor(0), backoff.WithMaxRetries(3))
	c := p.Start(ctx)
	var err error
	for backoff.Continue(c) {
		if err = post(ctx, url); err == nil {
			return nil
		}
	}
	return err
}

// Constant waits a fixed time.
func Constant(ctx context.Context, url string) error {
	c := backoff.Constant(backoff.WithInterval(60*time.Millisecond), backoff.WithMaxRetries(4)).Start(ctx)
	var err error
	for backoff.Continue(c) {
		if err = post(ctx, url); err == nil {
			return nil
		}
	}
	return err
}
