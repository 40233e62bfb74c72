// Package cenkaltiv3 posts with cenkalti/backoff v3.
package cenkaltiv3

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v3"
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
	return backoff.Retry(func() error { return post(ctx, url) }, backoff.WithMaxRetries(backoff.NewConstantBackOff(80*time.Millisecond), 3))
}

// Zero never ends in this version.
func Zero(ctx context.Context, url string) error {
	return backoff.Retry(func() error { return post(ctx, url) },
		backoff.WithContext(backoff.WithMaxRetries(backoff.NewConstantBackOff(5*time.Millisecond), 0), ctx))
}

// Elapsed is ended by its time.
func Elapsed(ctx context.Context, url string) error {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval = 60 * time.Millisecond
	b.Multiplier = 1
	b.RandomizationFactor = 0
	b.MaxElapsedTime = 355 * time.Millisecond
	return backoff.Retry(func() error { return post(ctx, url) }, b)
}
