package loops

import (
	"context"
	"strings"
	"time"

	backoffv4 "github.com/cenkalti/backoff/v4"
	backoff "github.com/cenkalti/backoff/v5"
)

// pooled has back-off values whose ends are not to be seen.
type pooled struct{ pool interface{ Get() any } }

func (p *pooled) stops(ctx context.Context, r remote) error {
	b := p.pool.Get().(backoffv4.BackOff)
	for { // want layer "attempts=unknown"
		err := r.Do(ctx, "x")
		if err == nil {
			return nil
		}
		wait := b.NextBackOff()
		if wait == backoffv4.Stop {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
	}
}

func neverStops(ctx context.Context, r remote) error {
	b := backoff.NewExponentialBackOff()
	for { // want layer "attempts=unbounded"
		err := r.Do(ctx, "x")
		if err == nil {
			return nil
		}
		wait := b.NextBackOff()
		if wait == backoff.Stop {
			return err
		}
		time.Sleep(wait)
	}
}

type pool struct{ servers []string }

func (p *pool) choose() string { return p.servers[0] }

func (p *pool) reconnect(ctx context.Context, r remote) {
	for len(p.servers) > 0 { // want layer "attempts=unknown"
		s := p.choose()
		if err := r.Do(ctx, s); err == nil {
			return
		}
		time.Sleep(time.Second)
	}
}

type policy interface{ Exhausted() bool }

func budget(ctx context.Context, r remote, p policy) error {
	for { // want layer "attempts=unknown"
		err := r.Do(ctx, "x")
		if err == nil {
			return nil
		}
		if p.Exhausted() {
			return err
		}
		time.Sleep(time.Second)
	}
}

func loading(ctx context.Context, r remote) error {
	secs := 600
	for { // want layer "attempts=601 backoff=constant initial=1s"
		err := r.Do(ctx, "x")
		if err == nil {
			break
		} else if secs == 0 {
			return err
		} else if strings.HasPrefix(err.Error(), "LOADING") {
			secs -= 1
			time.Sleep(1 * time.Second)
		} else {
			return err
		}
	}
	return nil
}

func retryTimer(ctx context.Context, most int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < most; i++ {
			if !yield(i) {
				return
			}
			time.Sleep(time.Second << i)
		}
	}
}

func iterator(ctx context.Context, r remote) (err error) {
	for range retryTimer(ctx, 10) { // want layer "attempts=unknown"
		if err = r.Do(ctx, "x"); err == nil {
			return nil
		}
	}
	return err
}
