package loops

import (
	"context"
	"time"
)

func retry(n int, wait time.Duration, op func() error) (err error) {
	for i := 0; i < n; i++ { // want layer "attempts=2..9"
		if err = op(); err == nil {
			return nil
		}
		time.Sleep(wait)
	}
	return err
}

func useHelper(ctx context.Context, r remote) error {
	return retry(9, time.Second, func() error { // want layer "attempts=9 initial=1s"
		return r.Do(ctx, "x")
	})
}

func useHelperAgain(ctx context.Context, r remote) error {
	return retry(2, time.Minute, func() error { return r.Do(ctx, "y") }) // want layer "attempts=2 initial=1m"
}

// twice hands the operation on to another helper.
func patiently(n int, op func() error) error {
	return retry(n, time.Hour, op) // want layer "attempts=4"
}

func useNested(ctx context.Context, r remote) error {
	return patiently(4, func() error { return r.Do(ctx, "z") }) // want layer "attempts=4 initial=1h"
}

// patience is what the options of patient may change.
type patience struct {
	Attempts int
	First    time.Duration
	Timeout  time.Duration
}

type habit func(*patience)

func attempts(n int) habit          { return func(s *patience) { s.Attempts = n } }
func first(d time.Duration) habit   { return func(s *patience) { s.First = d } }
func timeout(d time.Duration) habit { return func(s *patience) { s.Timeout = d } }
func quick(s *patience)             { s.First = time.Millisecond }

func patient(op func() error, opts ...habit) (err error) {
	s := &patience{Attempts: 4}
	for _, o := range opts {
		o(s)
	}
	if s.First <= 0 {
		s.First = 2 * time.Second
	}
	for i := 0; i < s.Attempts; i++ { // want layer "attempts=4..7"
		if err = op(); err == nil {
			return nil
		}
		time.Sleep(s.First)
	}
	return err
}

func usePatient(ctx context.Context, r remote, more habit) {
	op := func() error { return r.Do(ctx, "x") }
	_ = patient(op)                                       // want layer "attempts=4 initial=2s"
	_ = patient(op, attempts(7))                          // want layer "attempts=7 initial=2s"
	_ = patient(op, quick, attempts(5))                   // want layer "attempts=5 initial=1ms"
	_ = patient(op, []habit{first(9 * time.Second)}...)   // want layer "attempts=4 initial=9s"
	_ = patient(op, more)                                 // want layer "attempts=4..7 initial=9s"
	_ = patient(op, func(s *patience) { s.Attempts = 6 }) // want layer "attempts=6 initial=2s"
}

func until(op func() error, opts ...habit) (err error) {
	s := &patience{First: time.Second}
	for _, o := range opts {
		o(s)
	}
	if s.Timeout <= 0 {
		s.Timeout = time.Minute
	}
	over := time.After(s.Timeout)
	for { // want layer "attempts=unbounded overall=1h"
		select {
		case <-over:
			return err
		default:
		}
		if err = op(); err == nil {
			return nil
		}
		time.Sleep(s.First)
	}
}

func useUntil(ctx context.Context, r remote, more habit) {
	op := func() error { return r.Do(ctx, "x") }
	_ = until(op)                     // want layer "attempts=unbounded initial=1s overall=1m"
	_ = until(op, timeout(time.Hour)) // want layer "attempts=unbounded initial=1s overall=1h"
	_ = until(op, more)               // want layer "attempts=unbounded overall=1h"
}
