// Package retryable posts with hashicorp/go-retryablehttp.
package retryable

import (
	"context"
	"github.com/hashicorp/go-retryablehttp"
	"net/http"
	"strings"
	"time"
)

func client() *retryablehttp.Client {
	c := retryablehttp.NewClient()
	c.Logger = nil
	return c
}

func post(ctx context.Context, c *retryablehttp.Client, url string) error {
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Default sets nothing.
func Default(ctx context.Context, url string) error {
	c := retryablehttp.NewClient()
	c.Logger = nil
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Two counts retries.
func Two(ctx context.Context, url string) error {
	c := retryablehttp.NewClient()
	c.Logger = nil
	c.RetryMax = 2
	c.RetryWaitMin = 60 * time.Millisecond
	c.RetryWaitMax = time.Second
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Capped is capped.
func Capped(ctx context.Context, url string) error {
	c := retryablehttp.NewClient()
	c.Logger = nil
	c.RetryMax = 5
	c.RetryWaitMin = 20 * time.Millisecond
	c.RetryWaitMax = 60 * time.Millisecond
	resp, err := c.Post(url, "application/json", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Zero never repeats.
func Zero(ctx context.Context, url string) error {
	c := retryablehttp.NewClient()
	c.Logger = nil
	c.RetryMax = 0
	resp, err := c.Post(url, "application/json", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Standard is a client of the standard library on top.
func Standard(ctx context.Context, url string) error {
	c := retryablehttp.NewClient()
	c.Logger = nil
	c.RetryMax = 3
	c.RetryWaitMin = 30 * time.Millisecond
	c.RetryWaitMax = time.Second
	hc := c.StandardClient()
	resp, err := hc.Post(url, "application/json", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Linear uses the other backoff.
func Linear(ctx context.Context, url string) error {
	c := retryablehttp.NewClient()
	c.Logger = nil
	c.RetryMax = 3
	c.RetryWaitMin = 30 * time.Millisecond
	c.RetryWaitMax = 60 * time.Millisecond
	c.Backoff = retryablehttp.LinearJitterBackoff
	resp, err := c.Post(url, "application/json", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Never is told not to.
func Never(ctx context.Context, url string) error {
	c := retryablehttp.NewClient()
	c.Logger = nil
	c.RetryMax = 3
	c.CheckRetry = func(context.Context, *http.Response, error) (bool, error) { return false, nil }
	resp, err := c.Post(url, "application/json", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Timeout limits each attempt.
func Timeout(ctx context.Context, url string) error {
	c := retryablehttp.NewClient()
	c.Logger = nil
	c.RetryMax = 2
	c.RetryWaitMin = 50 * time.Millisecond
	c.RetryWaitMax = 50 * time.Millisecond
	c.HTTPClient.Timeout = 100 * time.Millisecond
	return post(ctx, c, url)
}

// Helper gets its client from a function.
func Helper(ctx context.Context, url string) error {
	c := client()
	c.RetryMax = 1
	c.RetryWaitMin = 250 * time.Millisecond
	return post(ctx, c, url)
}
