package loops

import (
	"context"
	"errors"
	"strings"
	"time"

	backoffv4 "github.com/cenkalti/backoff/v4"
	backoff "github.com/cenkalti/backoff/v5"

	"foreign.example/database"
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

type batcher interface {
	fetch(ctx context.Context, ids []string) (got, unfetched []string, err error)
	put(ctx context.Context, in *input) (*output, error)
}

type input struct{ records []string }

type output struct{ codes []string }

func fetchAll(ctx context.Context, b batcher, ids []string) (all []string, err error) {
	var unfetched []string
	for attempt := 0; len(ids) > 0 && attempt < 3; attempt++ { // want layer "attempts=3 backoff=exponential"
		var got []string
		got, unfetched, err = b.fetch(ctx, ids)
		if err != nil {
			return nil, err
		}
		all = append(all, got...)
		ids = unfetched
		if len(unfetched) > 0 {
			time.Sleep(time.Second << attempt)
		}
	}
	return all, nil
}

func putAll(ctx context.Context, b batcher, boff backoffv4.BackOff, in *input) error {
	var failed []string
	for len(in.records) > 0 { // want layer "attempts=unknown"
		wait := boff.NextBackOff()
		out, err := b.put(ctx, in)
		if err != nil {
			if wait == backoffv4.Stop {
				return err
			}
			continue
		}
		failed = nil
		for i, c := range out.codes {
			if c != "" {
				failed = append(failed, in.records[i])
			}
		}
		in.records = failed
		if l := len(failed); l > 0 {
			time.Sleep(wait)
		}
	}
	return nil
}

func open(ctx context.Context, url string) (c *database.Conn, err error) {
	const maxRetries = 4
	c, err = database.New(ctx, url)
	for i := 0; err != nil && i < maxRetries; i++ { // want layer "attempts=5 backoff=constant initial=5s"
		time.Sleep(5 * time.Second)
		c, err = database.New(ctx, url)
	}
	return c, err
}

func busy(err error) bool {
	if err == nil {
		return false
	}
	if strings.Contains(err.Error(), "BUSY") {
		return true
	}
	return false
}

func whileBusy(ctx context.Context, r remote, boff backoffv4.BackOff) (err error) {
	for { // want layer "attempts=unknown"
		if err = r.Do(ctx, "x"); err == nil || !busy(err) {
			return
		}
		next := boff.NextBackOff()
		if next == backoffv4.Stop {
			return
		}
		time.Sleep(next)
	}
}

func once(ctx context.Context, r remote) bool { return r.Do(ctx, "x") == nil }

func untilDone(ctx context.Context, r remote) {
	wait := time.Second
	for attempt := 0; attempt < 6; attempt++ { // want layer "attempts=6 backoff=exponential initial=1s"
		done := once(ctx, r)
		if done {
			return
		}
		time.Sleep(wait)
		wait *= 2
	}
}

func listen(ctx context.Context, r remote) {
	for attempt := 0; ; attempt++ { // want layer "attempts=unbounded trait=outer-loop"
		if err := r.Do(ctx, "listen"); err != nil {
			if errors.Is(err, context.Canceled) {
				break
			}
			time.Sleep(time.Second << min(attempt, 6))
		}
	}
}

// rounds counts in a field and is woken by a timer.
type rounds struct{ n, max int }

func (w *rounds) run(ctx context.Context, r remote) {
	wake := make(chan struct{}, 1)
	wake <- struct{}{}
	for { // want layer "attempts=unknown backoff=constant initial=unknown"
		select {
		case <-wake:
			if w.n++; w.n == w.max {
				return
			}
			if err := r.Do(ctx, "x"); err == nil {
				return
			}
			time.AfterFunc(time.Minute, func() { wake <- struct{}{} })
		case <-ctx.Done():
			return
		}
	}
}
