// Package gcs reads and writes objects of Google Cloud Storage.
package gcs

import (
	"context"
	"time"

	"cloud.google.com/go/storage"
	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/option"
)

// Attrs counts attempts.
func Attrs(ctx context.Context, url string) error {
	c, err := storage.NewClient(ctx, option.WithEndpoint(url), option.WithoutAuthentication())
	if err != nil {
		return err
	}
	defer c.Close()
	o := c.Bucket("orders").Object("7").Retryer(storage.WithMaxAttempts(4), storage.WithBackoff(gax.Backoff{Initial: 20 * time.Millisecond, Max: 50 * time.Millisecond, Multiplier: 2}))
	_, err = o.Attrs(ctx)
	return err
}

// Endless has no limit but the context's.
func Endless(ctx context.Context, url string) error {
	c, err := storage.NewClient(ctx, option.WithEndpoint(url), option.WithoutAuthentication())
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Bucket("orders").Object("7").Retryer(storage.WithBackoff(gax.Backoff{Initial: 5 * time.Millisecond, Max: 10 * time.Millisecond, Multiplier: 2})).Attrs(ctx)
	return err
}

// Delete is not idempotent without a condition.
func Delete(ctx context.Context, url string) error {
	c, err := storage.NewClient(ctx, option.WithEndpoint(url), option.WithoutAuthentication())
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Bucket("orders").Object("7").Retryer(storage.WithMaxAttempts(3)).Delete(ctx)
}

// Always repeats what is not idempotent too.
func Always(ctx context.Context, url string) error {
	c, err := storage.NewClient(ctx, option.WithEndpoint(url), option.WithoutAuthentication())
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Bucket("orders").Object("7").Retryer(storage.WithMaxAttempts(3), storage.WithPolicy(storage.RetryAlways),
		storage.WithBackoff(gax.Backoff{Initial: 50 * time.Millisecond})).Delete(ctx)
}

// Never is off.
func Never(ctx context.Context, url string) error {
	c, err := storage.NewClient(ctx, option.WithEndpoint(url), option.WithoutAuthentication())
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Bucket("orders").Object("7").Retryer(storage.WithPolicy(storage.RetryNever)).Attrs(ctx)
	return err
}
