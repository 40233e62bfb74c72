// Package avastv4 posts with avast/retry-go v4.
package avastv4

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/avast/retry-go/v4"
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
	return retry.Do(func() error { return post(ctx, url) }, retry.Context(ctx))
}

// Three waits a fixed time.
func Three(ctx context.Context, url string) error {
	return retry.Do(func() error { return post(ctx, url) },
		retry.Attempts(3), retry.Delay(120*time.Millisecond), retry.DelayType(retry.FixedDelay))
}

// Doubling has jitter on top.
func Doubling(ctx context.Context, url string) error {
	return retry.Do(func() error { return post(ctx, url) }, retry.Attempts(4), retry.Delay(20*time.Millisecond), retry.MaxJitter(10*time.Millisecond))
}

// Capped caps the wait together with its jitter.
func Capped(ctx context.Context, url string) error {
	return retry.Do(func() error { return post(ctx, url) }, retry.Attempts(6), retry.Delay(10*time.Millisecond), retry.MaxDelay(40*time.Millisecond))
}

// Zero never ends.
func Zero(ctx context.Context, url string) error {
	return retry.Do(func() error { return post(ctx, url) },
		retry.Attempts(0), retry.Delay(2*time.Millisecond), retry.DelayType(retry.FixedDelay), retry.Context(ctx))
}

// FullJitter waits anything up to the doubled delay.
func FullJitter(ctx context.Context, url string) error {
	return retry.Do(func() error { return post(ctx, url) },
		retry.Attempts(4), retry.Delay(10*time.Millisecond), retry.DelayType(retry.FullJitterBackoffDelay), retry.MaxDelay(time.Second))
}

// Combined adds a random delay to the doubling one, as the default does.
func Combined(ctx context.Context, url string) error {
	return retry.Do(func() error { return post(ctx, url) }, retry.Attempts(4), retry.Delay(20*time.Millisecond),
		retry.MaxJitter(60*time.Millisecond), retry.DelayType(retry.CombineDelay(retry.BackOffDelay, retry.RandomDelay)))
}

// Random waits a random time alone.
func Random(ctx context.Context, url string) error {
	return retry.Do(func() error { return post(ctx, url) }, retry.Attempts(5), retry.Delay(time.Second),
		retry.MaxJitter(60*time.Millisecond), retry.DelayType(retry.RandomDelay))
}

// Until never gives up.
func Until(ctx context.Context, url string) error {
	return retry.Do(func() error { return post(ctx, url) }, retry.UntilSucceeded(), retry.Delay(5*time.Millisecond),
		retry.DelayType(retry.FixedDelay), retry.Context(ctx))
}

// Unrecoverable stops at the first failure.
func Unrecoverable(ctx context.Context, url string) error {
	return retry.Do(func() error {
		if err := post(ctx, url); err != nil {
			return retry.Unrecoverable(err)
		}
		return nil
	}, retry.Attempts(3), retry.Delay(10*time.Millisecond))
}

// One switches it off.
func One(ctx context.Context, url string) error {
	return retry.Do(func() error { return post(ctx, url) }, retry.Attempts(1))
}
