// Package rehttpc posts with PuerkitoBio/rehttp.
package rehttpc

import (
	"context"
	"github.com/PuerkitoBio/rehttp"
	"net/http"
	"strings"
	"time"
)

// Two counts retries.
func Two(ctx context.Context, url string) error {
	t := rehttp.NewTransport(nil, rehttp.RetryAll(rehttp.RetryMaxRetries(2), rehttp.RetryStatusInterval(500, 600)), rehttp.ConstDelay(100*time.Millisecond))
	c := &http.Client{Transport: t}
	resp, err := c.Post(url, "application/json", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Jittered waits anything up to the doubled wait.
func Jittered(ctx context.Context, url string) error {
	c := &http.Client{Transport: rehttp.NewTransport(http.DefaultTransport,
		rehttp.RetryAll(rehttp.RetryMaxRetries(4), rehttp.RetryStatuses(503)), rehttp.ExpJitterDelay(20*time.Millisecond, 60*time.Millisecond))}
	resp, err := c.Post(url, "application/json", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Endless has no limit.
func Endless(ctx context.Context, url string) error {
	c := &http.Client{Transport: rehttp.NewTransport(nil, rehttp.RetryStatuses(503), rehttp.ConstDelay(3*time.Millisecond))}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
