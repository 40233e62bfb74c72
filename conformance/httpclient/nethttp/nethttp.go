// Package nethttp sends over connections of the standard library that die.
package nethttp

import (
	"context"
	"io"
	"net/http"
	"strings"
)

func send(ctx context.Context, url string, set func(*http.Request)) error {
	c := &http.Client{Transport: &http.Transport{}}
	warm, err := c.Get(url + "/warm")
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, warm.Body)
	warm.Body.Close()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/pay", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	set(req)
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Plain is not sent again.
func Plain(ctx context.Context, url string) error {
	return send(ctx, url, func(*http.Request) {})
}

// Keyed is, because of its header.
func Keyed(ctx context.Context, url string) error {
	return send(ctx, url, func(r *http.Request) { r.Header.Set("Idempotency-Key", "invoice 7") })
}
