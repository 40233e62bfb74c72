// Package elastic indexes with go-elasticsearch.
package elastic

import (
	"context"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8"
)

// Default sets nothing.
func Default(ctx context.Context, url string) error {
	c, err := elasticsearch.NewClient(elasticsearch.Config{Addresses: []string{url}})
	if err != nil {
		return err
	}
	resp, err := c.Index("orders", strings.NewReader("{}"), c.Index.WithContext(ctx))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Two counts retries.
func Two(ctx context.Context, url string) error {
	c, err := elasticsearch.NewClient(elasticsearch.Config{Addresses: []string{url}, MaxRetries: 2,
		RetryBackoff: func(int) time.Duration { return 100 * time.Millisecond }})
	if err != nil {
		return err
	}
	resp, err := c.Index("orders", strings.NewReader("{}"), c.Index.WithContext(ctx))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Zero is the default of three.
func Zero(ctx context.Context, url string) error {
	c, err := elasticsearch.NewClient(elasticsearch.Config{Addresses: []string{url}, MaxRetries: 0})
	if err != nil {
		return err
	}
	resp, err := c.Index("orders", strings.NewReader("{}"), c.Index.WithContext(ctx))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Off is switched off.
func Off(ctx context.Context, url string) error {
	c, err := elasticsearch.NewClient(elasticsearch.Config{Addresses: []string{url}, DisableRetry: true})
	if err != nil {
		return err
	}
	resp, err := c.Index("orders", strings.NewReader("{}"), c.Index.WithContext(ctx))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
