package ctx

import (
	"context"
	"errors"
	"net/http"
	"time"
)

type source interface {
	Fetch(ctx context.Context, key string) ([]byte, error)
}

var client = &http.Client{Timeout: time.Second}

// Once the context is over every attempt fails at once, and nothing looks.
func Ignored(ctx context.Context, s source, key string) (out []byte, err error) {
	for range 7 {
		out, err = s.Fetch(ctx, key) // trait: ignores-context
		if err == nil {
			return out, nil
		}
		time.Sleep(time.Second)
	}
	return nil, err
}

// The wait ends with the context.
func Waits(ctx context.Context, s source, key string) (out []byte, err error) {
	for range 7 {
		out, err = s.Fetch(ctx, key) // trait: stops-on-context
		if err == nil {
			return out, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
	return nil, err
}

// The error is looked at.
func Compared(ctx context.Context, s source, key string) (out []byte, err error) {
	for range 7 {
		out, err = s.Fetch(ctx, key) // trait: stops-on-context
		if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return out, err
		}
		time.Sleep(time.Second)
	}
	return nil, err
}

// The loop's condition asks.
func Condition(ctx context.Context, s source, key string) (out []byte, err error) {
	for ctx.Err() == nil {
		out, err = s.Fetch(ctx, key) // trait: stops-on-context
		if err == nil {
			return out, nil
		}
		time.Sleep(time.Second)
	}
	return nil, err
}

// Each attempt has a context of its own: its end is no reason to stop.
func PerAttempt(s source, key string) (out []byte, err error) {
	for range 7 {
		one, cancel := context.WithTimeout(context.Background(), time.Second)
		out, err = s.Fetch(one, key)
		cancel()
		if err == nil {
			return out, nil
		}
		time.Sleep(time.Second)
	}
	return nil, err
}

// Derived in each attempt from one that goes on: checked after the attempt.
func Derived(ctx context.Context, s source, key string) (out []byte, err error) {
	for range 7 {
		one, cancel := context.WithTimeout(ctx, time.Second) // trait: stops-on-context
		out, err = s.Fetch(one, key)
		cancel()
		if err == nil {
			return out, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		time.Sleep(time.Second)
	}
	return nil, err
}

// Derived and not checked.
func DerivedIgnored(ctx context.Context, s source, key string) (out []byte, err error) {
	for range 7 {
		one, cancel := context.WithTimeout(ctx, time.Second) // trait: ignores-context
		out, err = s.Fetch(one, key)
		cancel()
		if err == nil {
			return out, nil
		}
		time.Sleep(time.Second)
	}
	return nil, err
}

// The context does not reach the operation: its end fails no attempt.
func Unused(ctx context.Context, url string) (resp *http.Response, err error) {
	for range 7 {
		resp, err = client.Get(url)
		if err == nil {
			return resp, nil
		}
		time.Sleep(time.Second)
	}
	_ = ctx
	return nil, err
}

// A context without an end.
func Endless(s source, key string) (out []byte, err error) {
	ctx := context.Background()
	for range 7 {
		out, err = s.Fetch(ctx, key)
		if err == nil {
			return out, nil
		}
		time.Sleep(time.Second)
	}
	return nil, err
}

// The deadline around the loop is noted.
func Around(s source, key string) (out []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second) // trait: deadline=10s
	defer cancel()
	for range 7 {
		out, err = s.Fetch(ctx, key) // trait: stops-on-context
		if err == nil {
			return out, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
	return nil, err
}

type caller struct {
	attempts int
	gap      time.Duration
}

// The last attempt is not followed by a wait; how many there are is set elsewhere.
func (c caller) Limit(ctx context.Context, s source, key string) (err error) {
	for i := 1; i <= c.attempts; i++ {
		_, err = s.Fetch(ctx, key) // trait: stops-on-context
		if err == nil {
			return nil
		}
		if i < c.attempts {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(c.gap):
			}
		}
	}
	return err
}

// A channel that says that all is over is as good as a context.
func Stopped(stop <-chan struct{}, url string) (resp *http.Response, err error) {
	for {
		resp, err = client.Get(url)
		if err == nil {
			return resp, nil
		}
		select {
		case <-stop: // trait: stops-on-context
			return nil, err
		case <-time.After(time.Second):
		}
	}
}

// A helper that knows nothing of the context repeats after its end.
func repeat(n int, f func() error) (err error) {
	for range n {
		if err = f(); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

func Helped(ctx context.Context, s source, key string) error {
	return repeat(5, func() error {
		_, err := s.Fetch(ctx, key) // trait: ignores-context
		return err
	})
}

// One that looks at it does not.
func repeatWith(ctx context.Context, n int, f func() error) (err error) {
	for range n {
		if err = f(); err == nil || ctx.Err() != nil { // trait: stops-on-context
			return err
		}
		time.Sleep(time.Second)
	}
	return err
}

func HelpedWith(ctx context.Context, s source, key string) error {
	return repeatWith(ctx, 5, func() error { // trait: stops-on-context
		_, err := s.Fetch(ctx, key)
		return err
	})
}

// A timer from outside ends the loop.
func Timed(url string) (resp *http.Response, err error) {
	timeout := time.After(time.Minute)
	for {
		select {
		case <-timeout: // trait: deadline=1m
			return nil, err
		case <-time.After(time.Second):
			if resp, err = client.Get(url); err == nil {
				return resp, nil
			}
		}
	}
}
