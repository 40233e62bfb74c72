// Package jpillora posts with jpillora/backoff in a loop.
package jpillora

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/jpillora/backoff"
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

// Counted is ended by the loop.
func Counted(ctx context.Context, url string) error {
	b := &backoff.Backoff{Min: 20 * time.Millisecond, Max: 60 * time.Millisecond, Factor: 2}
	for {
		err := post(ctx, url)
		if err == nil || b.Attempt() >= 5 {
			return err
		}
		time.Sleep(b.Duration())
	}
}

// Five counts by itself.
func Five(ctx context.Context, url string) error {
	b := &backoff.Backoff{Min: 20 * time.Millisecond, Max: 60 * time.Millisecond, Jitter: true}
	var err error
	for i := 0; i < 5; i++ {
		if err = post(ctx, url); err == nil {
			return nil
		}
		time.Sleep(b.Duration())
	}
	return err
}

// Endless has no end but the context's.
func Endless(ctx context.Context, url string) error {
	b := &backoff.Backoff{Min: 2 * time.Millisecond, Max: 10 * time.Millisecond}
	for {
		if err := post(ctx, url); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(b.Duration()):
		}
	}
}
