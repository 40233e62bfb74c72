// Package heimdall posts with gojek/heimdall.
package heimdall

import (
	"context"
	"github.com/gojek/heimdall/v7"
	"github.com/gojek/heimdall/v7/httpclient"
	"net/http"
	"strings"
	"time"
)

// Two counts retries.
func Two(ctx context.Context, url string) error {
	c := httpclient.NewClient(httpclient.WithRetryCount(2), httpclient.WithRetrier(heimdall.NewRetrier(heimdall.NewConstantBackoff(80*time.Millisecond, 0))))
	resp, err := c.Post(url, strings.NewReader("{}"), http.Header{})
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Doubling is exponential.
func Doubling(ctx context.Context, url string) error {
	b := heimdall.NewExponentialBackoff(20*time.Millisecond, 100*time.Millisecond, 2, time.Millisecond)
	c := httpclient.NewClient(httpclient.WithHTTPTimeout(time.Second), httpclient.WithRetrier(heimdall.NewRetrier(b)), httpclient.WithRetryCount(3))
	resp, err := c.Post(url, strings.NewReader("{}"), http.Header{})
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Jittered adds a random time.
func Jittered(ctx context.Context, url string) error {
	c := httpclient.NewClient(httpclient.WithRetryCount(3), httpclient.WithRetrier(heimdall.NewRetrier(heimdall.NewConstantBackoff(30*time.Millisecond, 40*time.Millisecond))))
	resp, err := c.Put(url, strings.NewReader("{}"), http.Header{})
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// None has no retrier, and so no waits.
func None(ctx context.Context, url string) error {
	resp, err := httpclient.NewClient(httpclient.WithRetryCount(4)).Post(url, strings.NewReader("{}"), http.Header{})
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Default repeats nothing.
func Default(ctx context.Context, url string) error {
	resp, err := httpclient.NewClient().Post(url, strings.NewReader("{}"), http.Header{})
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
