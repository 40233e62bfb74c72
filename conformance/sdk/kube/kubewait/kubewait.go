// Package kubewait posts in loops of k8s.io/apimachinery and client-go.
package kubewait

import (
	"context"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
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

// Four counts attempts.
func Four(ctx context.Context, url string) error {
	b := wait.Backoff{Duration: 40 * time.Millisecond, Factor: 2, Steps: 4}
	return wait.ExponentialBackoff(b, func() (bool, error) { return post(ctx, url) == nil, nil })
}

// Zero never calls at all.
func Zero(ctx context.Context, url string) error {
	b := wait.Backoff{Duration: 40 * time.Millisecond, Factor: 2, Steps: 0}
	return wait.ExponentialBackoff(b, func() (bool, error) { return post(ctx, url) == nil, nil })
}

// Capped ends where a wait would pass the cap.
func Capped(ctx context.Context, url string) error {
	b := wait.Backoff{Duration: 40 * time.Millisecond, Factor: 2, Steps: 10, Cap: 200 * time.Millisecond}
	return wait.ExponentialBackoffWithContext(ctx, b, func(ctx context.Context) (bool, error) { return post(ctx, url) == nil, nil })
}

// Jittered is spread upward.
func Jittered(ctx context.Context, url string) error {
	b := wait.Backoff{Duration: 40 * time.Millisecond, Factor: 1.5, Jitter: 0.5, Steps: 5}
	return wait.ExponentialBackoffWithContext(ctx, b, func(ctx context.Context) (bool, error) { return post(ctx, url) == nil, nil })
}

// OnError uses a preset.
func OnError(ctx context.Context, url string) error {
	return retry.OnError(retry.DefaultRetry, func(error) bool { return true }, func() error { return post(ctx, url) })
}

// OnErrorBackoff uses the other preset.
func OnErrorBackoff(ctx context.Context, url string) error {
	return retry.OnError(retry.DefaultBackoff, func(error) bool { return true }, func() error { return post(ctx, url) })
}

// Conflict repeats conflicts.
func Conflict(ctx context.Context, url string) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := post(ctx, url); err != nil {
			return apierrors.NewConflict(schema.GroupResource{Resource: "orders"}, "7", err)
		}
		return nil
	})
}

// NoConflict repeats nothing, because its errors are none.
func NoConflict(ctx context.Context, url string) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error { return post(ctx, url) })
}
