// Package gaxcall posts in gax's loop.
package gaxcall

import (
	"context"
	"net/http"
	"time"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
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
		return status.Error(codes.Unavailable, resp.Status)
	}
	return nil
}

// None has no retryer.
func None(ctx context.Context, url string) error {
	return gax.Invoke(ctx, func(ctx context.Context, _ gax.CallSettings) error { return post(ctx, url) })
}

// Endless has no limit but the context's.
func Endless(ctx context.Context, url string) error {
	return gax.Invoke(ctx, func(ctx context.Context, _ gax.CallSettings) error { return post(ctx, url) },
		gax.WithRetry(func() gax.Retryer {
			return gax.OnCodes([]codes.Code{codes.Unavailable}, gax.Backoff{Initial: 10 * time.Millisecond, Max: 20 * time.Millisecond, Multiplier: 2})
		}))
}
