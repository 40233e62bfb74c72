// Package timeout has limits around each attempt.
package timeout

import (
	"context"
	"net/http"
	"strings"
	"time"
)

var client = &http.Client{Timeout: 100 * time.Millisecond}

// Client has a limit of the client.
func Client(ctx context.Context, url string) error {
	var err error
	for i := 0; i < 3; i++ {
		if i > 0 {
			time.Sleep(50 * time.Millisecond)
		}
		var resp *http.Response
		if resp, err = client.Post(url, "text/plain", strings.NewReader("x")); err == nil {
			return resp.Body.Close()
		}
	}
	return err
}

// Each has a context for each attempt.
func Each(ctx context.Context, url string) error {
	var err error
	for i := 0; i < 3; i++ {
		if err = once(ctx, url); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

func once(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
