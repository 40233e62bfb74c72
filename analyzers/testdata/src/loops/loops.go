package loops

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"net/http"
	"time"
)

type remote interface {
	Do(ctx context.Context, in string) error
	Subscribe(ctx context.Context) (string, error)
}

var errGone = errors.New("gone")

const tries = 5

func countUp(ctx context.Context, r remote) error {
	var err error
	for i := 0; i < 3; i++ { // want layer "attempts=3 backoff=constant initial=1s afterlast"
		if err = r.Do(ctx, "x"); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

func countInclusive(ctx context.Context, r remote) (err error) {
	for attempt := 0; attempt <= tries; attempt++ { // want layer "attempts=6 backoff=none setBy=21"
		if err = r.Do(ctx, "x"); err == nil {
			break
		}
	}
	return err
}

func countFromOne(ctx context.Context, r remote) (err error) {
	for i := 1; i <= 4; i++ { // want layer "attempts=4 backoff=linear initial=2s step=2s"
		err = r.Do(ctx, "x")
		if err != nil {
			if i == 4 {
				break
			}
			time.Sleep(time.Duration(i) * 2 * time.Second)
			continue
		}
		return nil
	}
	return err
}

func rangeOverInt(ctx context.Context, r remote) (err error) {
	for range tries { // want layer "attempts=5 backoff=none"
		if err = r.Do(ctx, "x"); err == nil {
			return nil
		}
	}
	return err
}

func countDown(ctx context.Context, r remote) error {
	retries := 3
	for { // want layer "attempts=4 backoff=constant initial=500ms"
		err := r.Do(ctx, "x")
		if err == nil {
			return nil
		}
		if retries == 0 {
			return err
		}
		retries--
		time.Sleep(500 * time.Millisecond)
	}
}

func countDownCondition(ctx context.Context, r remote) error {
	left := 4
	var err error
	for left > 0 { // want layer "attempts=4"
		if err = r.Do(ctx, "x"); err == nil {
			return nil
		}
		left--
	}
	return err
}

func breakInside(ctx context.Context, r remote) error {
	attempts := 0
	for { // want layer "attempts=7 backoff=exponential initial=100ms factor=2 max=2s jitter=none"
		attempts++
		err := r.Do(ctx, "x")
		if err == nil {
			return nil
		}
		if attempts > 6 {
			return err
		}
		d := 50 * time.Millisecond << attempts
		if d > 2*time.Second {
			d = 2 * time.Second
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(d):
		}
	}
}

func doubling(ctx context.Context, r remote) (err error) {
	delay := 100 * time.Millisecond
	for i := 0; i < 6; i++ { // want layer "attempts=6 backoff=exponential initial=100ms factor=2 max=unbounded"
		if i > 0 {
			time.Sleep(delay)
			delay *= 2
		}
		if err = r.Do(ctx, "x"); err == nil {
			return nil
		}
	}
	return err
}

func powered(ctx context.Context, r remote) (err error) {
	for i := 0; i < 5; i++ { // want layer "attempts=5 backoff=exponential initial=1s factor=3"
		if err = r.Do(ctx, "x"); err == nil {
			return nil
		}
		time.Sleep(time.Duration(math.Pow(3, float64(i))) * time.Second)
	}
	return err
}

func capped(ctx context.Context, r remote) (err error) {
	for i := 0; i < 8; i++ { // want layer "attempts=8 backoff=exponential initial=1s factor=2 max=10s jitter=full"
		if err = r.Do(ctx, "x"); err == nil {
			return nil
		}
		top := min(time.Second<<i, 10*time.Second)
		time.Sleep(time.Duration(rand.Int63n(int64(top))))
	}
	return err
}

func halfJitter(ctx context.Context, r remote) (err error) {
	for i := 0; i < 5; i++ { // want layer "attempts=5 backoff=exponential initial=1s jitter=equal"
		if err = r.Do(ctx, "x"); err == nil {
			return nil
		}
		d := time.Second << i
		time.Sleep(d/2 + time.Duration(rand.Int63n(int64(d/2))))
	}
	return err
}

func delays(ctx context.Context, r remote) (err error) {
	for _, d := range []time.Duration{0, time.Second, 5 * time.Second} { // want layer "attempts=3 backoff=list"
		time.Sleep(d)
		if err = r.Do(ctx, "x"); err == nil {
			return nil
		}
	}
	return err
}

func untilDeadline(ctx context.Context, r remote) error {
	deadline := time.Now().Add(2 * time.Minute)
	for time.Now().Before(deadline) { // want layer "overall=2m backoff=constant initial=5s"
		if err := r.Do(ctx, "x"); err == nil {
			return nil
		}
		time.Sleep(5 * time.Second)
	}
	return errGone
}

func elapsed(ctx context.Context, r remote) error {
	start := time.Now()
	for { // want layer "overall=30s"
		err := r.Do(ctx, "x")
		if err == nil {
			return nil
		}
		if time.Since(start) > 30*time.Second {
			return err
		}
		time.Sleep(time.Second)
	}
}

func endless(ctx context.Context, r remote) {
	for { // want layer "attempts=unbounded backoff=constant initial=1s"
		if err := r.Do(ctx, "x"); err == nil {
			return
		}
		time.Sleep(time.Second)
	}
}

func whileFailing(ctx context.Context, r remote) error {
	err := r.Do(ctx, "x")
	for i := 0; err != nil && i < 3; i++ { // want layer "attempts=4"
		time.Sleep(time.Second)
		err = r.Do(ctx, "x")
	}
	return err
}

func byStatus(url string) (*http.Response, error) {
	for i := 0; i < 4; i++ { // want layer "attempts=4"
		resp, err := http.Get(url)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode < 500 {
			return resp, nil
		}
		resp.Body.Close()
		time.Sleep(time.Second)
	}
	return nil, errGone
}

func bySwitch(url string) error {
	for attempt := 0; ; attempt++ { // want layer "attempts=4"
		resp, err := http.Get(url)
		switch {
		case err != nil:
		case resp.StatusCode == http.StatusOK:
			return nil
		case resp.StatusCode < 500:
			return errGone
		}
		if attempt == 3 {
			return errGone
		}
		time.Sleep(time.Second)
	}
}

func deadlineAround(ctx context.Context, r remote) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for { // want layer "attempts=unbounded overall=1m trait=deadline"
		if err := r.Do(ctx, "x"); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

func timeoutInside(ctx context.Context, r remote) (err error) {
	for i := 0; i < 3; i++ { // want layer "attempts=3 per=2s"
		try, cancel := context.WithTimeout(ctx, 2*time.Second)
		err = r.Do(try, "x")
		cancel()
		if err == nil {
			return nil
		}
	}
	return err
}

func ticking(ctx context.Context, r remote) error {
	t := time.NewTicker(3 * time.Second)
	defer t.Stop()
	for { // want layer "attempts=unbounded backoff=constant initial=3s"
		if err := r.Do(ctx, "x"); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
	}
}

func jumping(ctx context.Context, r remote) error {
	n := 0
again: // want layer "attempts=3"
	if err := r.Do(ctx, "x"); err != nil {
		n++
		if n < 3 {
			time.Sleep(time.Second)
			goto again
		}
		return err
	}
	return nil
}

func recursive(ctx context.Context, r remote) error { return sendAgain(ctx, r, 0, time.Second) }

func sendAgain(ctx context.Context, r remote, n int, wait time.Duration) error { // want layer "attempts=4 backoff=exponential initial=1s"
	err := r.Do(ctx, "x")
	if err == nil || n >= 3 {
		return err
	}
	time.Sleep(wait)
	return sendAgain(ctx, r, n+1, wait*2)
}

func transaction(ctx context.Context, db *sql.DB) error {
	for { // want layer "attempts=unbounded backoff=none"
		_, err := db.ExecContext(ctx, "UPDATE accounts SET n = n + 1")
		if errors.Is(err, errGone) {
			continue
		}
		return err
	}
}

type settings struct {
	Attempts int
	Wait     time.Duration
}

type caller struct {
	r   remote
	set settings
}

func newCaller(r remote) *caller {
	return &caller{r: r, set: settings{Attempts: 7, Wait: 250 * time.Millisecond}}
}

func (c *caller) do(ctx context.Context) (err error) {
	for i := 0; i < c.set.Attempts; i++ { // want layer "attempts=7 initial=250ms"
		if err = c.r.Do(ctx, "x"); err == nil {
			return nil
		}
		time.Sleep(c.set.Wait)
	}
	return err
}

func named(ctx context.Context, r remote, n int) (err error) {
	for i := 0; i < n; i++ { // want layer "attempts=2..5"
		if err = r.Do(ctx, "x"); err == nil {
			return nil
		}
	}
	return err
}

func useNamed(ctx context.Context, r remote) error {
	return errors.Join(named(ctx, r, 2), named(ctx, r, 5))
}

func unknownCount(ctx context.Context, r remote, n int) (err error) {
	for i := 0; i < n; i++ { // want layer "attempts=unknown"
		if err = r.Do(ctx, "x"); err == nil {
			return nil
		}
	}
	return err
}

func pause(ctx context.Context, n int) error {
	t := time.NewTimer(time.Duration(n) * time.Second)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func helperWaits(ctx context.Context, r remote) error {
	for n := 1; ; n++ { // want layer "attempts=5 backoff=linear initial=1s step=1s"
		err := r.Do(ctx, "x")
		if err == nil || n == 5 {
			return err
		}
		if err := pause(ctx, n); err != nil {
			return err
		}
	}
}

func reconnect(ctx context.Context, r remote, handle func(string)) {
	wait := time.Second
	for ctx.Err() == nil { // want layer "attempts=unbounded backoff=exponential initial=1s max=1m trait=outer-loop"
		s, err := r.Subscribe(ctx)
		if err != nil {
			time.Sleep(wait)
			wait = min(wait*2, time.Minute)
			continue
		}
		wait = time.Second
		handle(s)
	}
}

func insideClosure(ctx context.Context, r remote) func() error {
	return func() error {
		var err error
		for i := 0; i < 2; i++ { // want layer "attempts=2"
			if err = r.Do(ctx, "x"); err == nil {
				return nil
			}
		}
		return fmt.Errorf("twice: %w", err)
	}
}

func labelled(ctx context.Context, r remote) error {
outer:
	for i := 0; i < 3; i++ { // want layer "attempts=3"
		for _, in := range []string{"a", "b"} {
			if err := r.Do(ctx, in); err != nil {
				continue outer
			}
		}
		return nil
	}
	return errGone
}
