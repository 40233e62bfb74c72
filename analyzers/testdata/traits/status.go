package status

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"
)

var hc = &http.Client{Timeout: 4 * time.Second}

func pause(ctx context.Context, n int) error {
	t := time.NewTimer(rand.N(time.Second << n))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Every answer from 400 on becomes an error of a helper, and every error is repeated.
func AnyError(ctx context.Context, url string) (body []byte, err error) {
	for n := 0; n < 5; n++ {
		body, err = once(ctx, url) // trait: stops-on-context
		if err == nil {
			return body, nil
		}
		if werr := pause(ctx, n); werr != nil {
			return nil, werr
		}
	}
	return nil, err
}

func once(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := hc.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 { // traits: retries-permanent, retries-429=429
		return nil, fmt.Errorf("range: %s", resp.Status)
	}
	return io.ReadAll(resp.Body)
}

// A typed error carries the status out of the helper, and the loop looks at it.
type statusError struct{ code int }

func (e *statusError) Error() string { return fmt.Sprint(e.code) }

func TypedError(url string) error {
	var err error
	for n := 0; n < 5; n++ {
		err = typed(url)
		if err == nil {
			return nil
		}
		var se *statusError
		if errors.As(err, &se) && se.code < 500 {
			return err
		}
		time.Sleep(time.Second)
	}
	return err
}

func typed(url string) error {
	resp, err := hc.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK { // trait: filters-permanent
		return &statusError{resp.StatusCode}
	}
	return nil
}

// A sentinel that a helper wraps.
var errGone = errors.New("gone")

func Sentinel(url string) (err error) {
	for range 4 {
		err = sentinel(url)
		if err == nil || errors.Is(err, errGone) {
			return err
		}
		time.Sleep(time.Second)
	}
	return err
}

func sentinel(url string) error {
	resp, err := hc.Get(url)
	if err != nil {
		return err
	}
	resp.Body.Close()
	switch { // the first look at the status is below
	case resp.StatusCode/100 == 4: // trait: filters-permanent
		return fmt.Errorf("%w: %s", errGone, resp.Status)
	case resp.StatusCode != 200:
		return errors.New(resp.Status)
	}
	return nil
}

// A predicate over response and error, as transports have it.
func Predicate(url string) (resp *http.Response, err error) {
	for n := 0; n < 3; n++ {
		resp, err = hc.Get(url)
		if !retryable(resp, err) {
			return resp, err
		}
		time.Sleep(time.Second)
	}
	return resp, err
}

func retryable(resp *http.Response, err error) bool {
	if err != nil {
		return true
	}
	switch resp.StatusCode { // trait: filters-permanent
	case http.StatusTooManyRequests, http.StatusBadGateway: // trait: retries-429=429
		return true
	}
	return false
}

// Everything but 200 is repeated.
func NotOK(url string) (*http.Response, error) {
	for n := 0; n < 3; n++ {
		resp, err := hc.Get(url)
		if err == nil && resp.StatusCode == http.StatusOK { // traits: retries-permanent, retries-429=429
			return resp, nil
		}
		time.Sleep(time.Second)
	}
	return nil, errors.New("no answer")
}

// What nobody can read decides: neither one nor the other.
func Opaque(url string, again func(int) bool) (*http.Response, error) {
	for n := 0; n < 3; n++ {
		resp, err := hc.Get(url)
		if err == nil && !again(resp.StatusCode) {
			return resp, nil
		}
		time.Sleep(time.Second)
	}
	return nil, errors.New("no answer")
}

// 503 by name.
func Unavailable(url string) (*http.Response, error) {
	for n := 0; n < 3; n++ {
		resp, err := hc.Get(url)
		if err != nil || resp.StatusCode != http.StatusServiceUnavailable { // traits: filters-permanent, retries-429=503
			return resp, err
		}
		time.Sleep(time.Second)
	}
	return nil, errors.New("no answer")
}

// Only connection errors are repeated: the status is none of the loop's business.
func ConnectionOnly(url string) (*http.Response, error) {
	for n := 0; n < 3; n++ {
		resp, err := hc.Get(url)
		if err == nil {
			return resp, nil
		}
		time.Sleep(time.Second)
	}
	return nil, errors.New("no answer")
}

// Asked for at the loop's head.
func Head(url string) (resp *http.Response, err error) {
	for n := 0; n < 3 && (err != nil || resp == nil || resp.StatusCode >= 500); n++ { // trait: filters-permanent
		time.Sleep(time.Second)
		resp, err = hc.Get(url)
	}
	return resp, err
}
