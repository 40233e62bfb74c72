// Package cenkaltiv2 posts with cenkalti/backoff v2.
package cenkaltiv2

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/cenkalti/backoff"
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
