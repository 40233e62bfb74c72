package loops

import (
	"context"
	"time"
)

// options falls back to defaults where nothing is set.
type options struct {
	max  int
	base time.Duration
	top  *int
}

func (o *options) attempts() int {
	if o.max > 0 {
		return o.max
	}
	return 10
}

func (o *options) wait() time.Duration {
	if o.base != 0 {
		return o.base
	}
	return 2 * time.Second
}

func (o *options) most() int {
	if o.top != nil {
		return *o.top
	}
	return 6
}

type writer struct{ options *options }

func (w *writer) fallback(ctx context.Context, r remote) (err error) {
	for n, most := 0, w.options.attempts(); n < most; n++ { // want layer "attempts=10 backoff=constant initial=2s setBy=19"
		if n > 0 {
			time.Sleep(w.options.wait())
		}
		if err = r.Do(ctx, "x"); err == nil {
			break
		}
	}
	return err
}

func (w *writer) pointer(ctx context.Context, r remote) (err error) {
	for range w.options.most() { // want layer "attempts=6"
		if err = r.Do(ctx, "x"); err == nil {
			break
		}
	}
	return err
}

// scope keeps the number of a request and gives it back: that says nothing new of it.
type scope struct{ most int }

type request struct{ MaxRetries int }

func newRequest() *request           { return &request{MaxRetries: 2} }
func (s *scope) take(r *request)     { s.most = r.MaxRetries }
func (s *scope) give(r *request)     { r.MaxRetries = s.most }
func (s *scope) rest(r *request) int { return s.most }

func (q *request) execute(ctx context.Context, r remote, a, b, c, d, e bool) (err error) {
	x := 0
	for retry := 0; retry <= q.MaxRetries; retry += 1 { // want layer "attempts=3"
		if a {
			x++
		}
		if b {
			x++
		}
		if c {
			x--
		}
		err = r.Do(ctx, "x")
		for i := range 3 {
			if d {
				x += i
			}
			if e {
				x -= i
			}
			if a && b || c {
				x *= 2
			}
		}
		if d && x > 0 {
			x++
		}
		if e && x < 0 {
			x--
		}
		if x == 7 {
			x = 0
		}
		if !again(err, x) || retry >= q.MaxRetries {
			break
		}
		if x == 9 {
			x = 1
		}
		if x == 11 {
			x = 2
		}
		time.Sleep(time.Second)
	}
	return err
}

func again(err error, x int) bool {
	if x > 100 {
		return true
	}
	return err != nil
}
