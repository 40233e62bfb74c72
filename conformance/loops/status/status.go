// Package status looks at what the server answered.
package status

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"context"
)

func send(ctx context.Context, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader("{}"))
	if err != nil {
		return nil, err
	}
	return http.DefaultClient.Do(req)
}

// Permanent ends at an answer that will not change.
func Permanent(ctx context.Context, url string) error {
	for i := 0; i < 4; i++ {
		resp, err := send(ctx, url)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode < 300 {
				return nil
			}
			if resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests {
				return errors.New(resp.Status)
			}
		}
		time.Sleep(60 * time.Millisecond)
	}
	return errors.New("gave up")
}

// Heeds waits as long as it is asked to, up to two seconds.
func Heeds(ctx context.Context, url string) error {
	for i := 0; i < 3; i++ {
		resp, err := send(ctx, url)
		wait := 60 * time.Millisecond
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode < 300 {
				return nil
			}
			if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
				wait = min(time.Duration(s)*time.Second, 2*time.Second)
			}
		}
		if i < 2 {
			time.Sleep(wait)
		}
	}
	return errors.New("gave up")
}
