// Package avastv5 posts with avast/retry-go v5.
package avastv5

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/avast/retry-go/v5"
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

// Four keeps the jitter.
func Four(ctx context.Context, url string) error {
	return retry.New(retry.Attempts(4), retry.Delay(30*time.Millisecond), retry.MaxJitter(20*time.Millisecond)).Do(func() error { return post(ctx, url) })
}

// Zero never ends.
func Zero(ctx context.Context, url string) error {
	r := retry.New(retry.Attempts(0), retry.Delay(5*time.Millisecond), retry.DelayType(retry.FixedDelay), retry.Context(ctx))
	return r.Do(func() error { return post(ctx, url) })
}

// Data returns a value.
func Data(ctx context.Context, url string) error {
	r := retry.NewWithData[int](retry.Attempts(3), retry.Delay(60*time.Millisecond), retry.DelayType(retry.BackOffDelay))
	_, err := r.Do(func() (int, error) { return 1, post(ctx, url) })
	return err
}
