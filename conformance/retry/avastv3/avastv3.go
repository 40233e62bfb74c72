// Package avastv3 posts with avast/retry-go v3.
package avastv3

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/avast/retry-go/v3"
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

// Three doubles without jitter.
func Three(ctx context.Context, url string) error {
	return retry.Do(func() error { return post(ctx, url) }, retry.Attempts(3), retry.Delay(60*time.Millisecond), retry.DelayType(retry.BackOffDelay))
}

// Zero never calls at all.
func Zero(ctx context.Context, url string) error {
	return retry.Do(func() error { return post(ctx, url) }, retry.Attempts(0), retry.Delay(60*time.Millisecond))
}
