// Package loop posts in loops written by hand.
package loop

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"time"
)

var errGaveUp = errors.New("gave up")

func post(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}

// Counted counts up and waits a constant time after each failure but the last.
func Counted(ctx context.Context, url string) error {
	const attempts = 4
	for i := 0; i < attempts; i++ {
		if err := post(ctx, url); err == nil {
			return nil
		}
		if i < attempts-1 {
			time.Sleep(20 * time.Millisecond)
		}
	}
	return errGaveUp
}

// RangeInt ranges over a number.
func RangeInt(ctx context.Context, url string) error {
	for range 3 {
		if post(ctx, url) == nil {
			return nil
		}
		time.Sleep(15 * time.Millisecond)
	}
	return errGaveUp
}

// Shifted doubles by a shift.
func Shifted(ctx context.Context, url string) error {
	var err error
	for i := 0; i < 5; i++ {
		if i > 0 {
			time.Sleep(20 * time.Millisecond << (i - 1))
		}
		if err = post(ctx, url); err == nil {
			return nil
		}
	}
	return err
}

// Doubled keeps the wait in a variable.
func Doubled(ctx context.Context, url string) error {
	wait := 20 * time.Millisecond
	for attempt := 1; ; attempt++ {
		err := post(ctx, url)
		if err == nil || attempt == 5 {
			return err
		}
		time.Sleep(wait)
		wait *= 2
	}
}

// Capped keeps the wait below a bound.
func Capped(ctx context.Context, url string) error {
	const most = 60 * time.Millisecond
	wait := 20 * time.Millisecond
	var err error
	for range 6 {
		if err = post(ctx, url); err == nil {
			return nil
		}
		time.Sleep(wait)
		wait = min(wait*2, most)
	}
	return err
}

// Power uses the math package.
func Power(ctx context.Context, url string) error {
	var err error
	for i := 0; i < 4; i++ {
		if err = post(ctx, url); err == nil {
			return nil
		}
		time.Sleep(time.Duration(math.Pow(2, float64(i))) * 25 * time.Millisecond)
	}
	return err
}

// AtMost compares with at most, and so makes one more attempt than its name says.
func AtMost(ctx context.Context, url string) error {
	const retries = 3
	var err error
	for i := 0; i <= retries; i++ {
		if err = post(ctx, url); err == nil {
			return nil
		}
		time.Sleep(60 * time.Millisecond)
	}
	return err
}

// Down counts down.
func Down(ctx context.Context, url string) error {
	var err error
	for left := 4; left > 0; left-- {
		if err = post(ctx, url); err == nil {
			return nil
		}
		time.Sleep(60 * time.Millisecond)
	}
	return err
}

// First tries once before the loop.
func First(ctx context.Context, url string) error {
	err := post(ctx, url)
	for i := 0; err != nil && i < 3; i++ {
		time.Sleep(80 * time.Millisecond)
		err = post(ctx, url)
	}
	return err
}

// UntilTime ends when its time is over.
func UntilTime(ctx context.Context, url string) error {
	deadline := time.Now().Add(355 * time.Millisecond)
	var err error
	for time.Now().Before(deadline) {
		if err = post(ctx, url); err == nil {
			return nil
		}
		time.Sleep(60 * time.Millisecond)
	}
	return err
}

// Since ends when its time is over, seen after an attempt.
func Since(ctx context.Context, url string) error {
	start := time.Now()
	for {
		err := post(ctx, url)
		if err == nil {
			return nil
		}
		if time.Since(start) > 355*time.Millisecond {
			return err
		}
		time.Sleep(60 * time.Millisecond)
	}
}

// Selected waits for the context too.
func Selected(ctx context.Context, url string) error {
	var err error
	for i := 0; i < 4; i++ {
		if err = post(ctx, url); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(60 * time.Millisecond):
		}
	}
	return err
}

// Timer makes a timer.
func Timer(ctx context.Context, url string) error {
	var err error
	for i := range 4 {
		if i > 0 {
			t := time.NewTimer(80 * time.Millisecond)
			select {
			case <-t.C:
			case <-ctx.Done():
				t.Stop()
				return ctx.Err()
			}
		}
		if err = post(ctx, url); err == nil {
			return nil
		}
	}
	return err
}

// Deadline is ended by a context of its own.
func Deadline(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 355*time.Millisecond)
	defer cancel()
	for {
		if err := post(ctx, url); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(60 * time.Millisecond):
		}
	}
}

// Endless is ended by the caller's context alone.
func Endless(ctx context.Context, url string) error {
	for {
		if err := post(ctx, url); err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		time.Sleep(3 * time.Millisecond)
	}
}

// Recursive calls itself.
func Recursive(ctx context.Context, url string) error { return again(ctx, url, 3) }

func again(ctx context.Context, url string, left int) error {
	err := post(ctx, url)
	if err == nil || left == 0 {
		return err
	}
	time.Sleep(60 * time.Millisecond)
	return again(ctx, url, left-1)
}

// Goto jumps back.
func Goto(ctx context.Context, url string) error {
	n := 0
retry:
	err := post(ctx, url)
	if err != nil {
		n++
		if n < 4 {
			time.Sleep(60 * time.Millisecond)
			goto retry
		}
	}
	return err
}

// List takes its waits from a list.
func List(ctx context.Context, url string) error {
	var err error
	for _, wait := range []time.Duration{20 * time.Millisecond, 50 * time.Millisecond, 150 * time.Millisecond} {
		if err = post(ctx, url); err == nil {
			return nil
		}
		time.Sleep(wait)
	}
	return err
}

// ListThenLast makes one more attempt than the list is long.
func ListThenLast(ctx context.Context, url string) error {
	waits := []time.Duration{20 * time.Millisecond, 50 * time.Millisecond, 150 * time.Millisecond}
	for i := 0; ; i++ {
		err := post(ctx, url)
		if err == nil || i >= len(waits) {
			return err
		}
		time.Sleep(waits[i])
	}
}

// Jittered adds a random time.
func Jittered(ctx context.Context, url string) error {
	var err error
	for i := 0; i < 4; i++ {
		if err = post(ctx, url); err == nil {
			return nil
		}
		if i < 3 {
			time.Sleep(30*time.Millisecond + time.Duration(rand.Int64N(int64(50*time.Millisecond))))
		}
	}
	return err
}

// FullJitter waits anything up to the doubled wait.
func FullJitter(ctx context.Context, url string) error {
	wait := 20 * time.Millisecond
	var err error
	for i := 0; i < 5; i++ {
		if i > 0 {
			time.Sleep(rand.N(wait))
			wait *= 2
		}
		if err = post(ctx, url); err == nil {
			return nil
		}
	}
	return err
}

// Nested repeats what repeats.
func Nested(ctx context.Context, url string) error {
	var err error
	for i := 0; i < 2; i++ {
		if i > 0 {
			time.Sleep(100 * time.Millisecond)
		}
		if err = inner(ctx, url); err == nil {
			return nil
		}
	}
	return err
}

func inner(ctx context.Context, url string) error {
	var err error
	for i := 0; i < 3; i++ {
		if i > 0 {
			time.Sleep(40 * time.Millisecond)
		}
		if err = post(ctx, url); err == nil {
			return nil
		}
	}
	return err
}

func repeat(n int, wait time.Duration, f func() error) error {
	var err error
	for i := 0; i < n; i++ {
		if err = f(); err == nil {
			return nil
		}
		if i < n-1 {
			time.Sleep(wait)
		}
	}
	return err
}

// Helper hands its work to a function that repeats.
func Helper(ctx context.Context, url string) error {
	return repeat(4, 60*time.Millisecond, func() error { return post(ctx, url) })
}

// OtherHelper uses the same helper with other numbers.
func OtherHelper(ctx context.Context, url string) error {
	return repeat(2, 200*time.Millisecond, func() error { return post(ctx, url) })
}

func value[T any](n int, f func() (T, error)) (T, error) {
	for {
		v, err := f()
		n--
		if err == nil || n == 0 {
			return v, err
		}
		time.Sleep(60 * time.Millisecond)
	}
}

// Generic uses a helper with a type parameter.
func Generic(ctx context.Context, url string) error {
	_, err := value(4, func() (int, error) { return 0, post(ctx, url) })
	return err
}

type options struct {
	attempts int
	wait     time.Duration
}

var defaults = options{attempts: 3, wait: 100 * time.Millisecond}

// Configured reads a struct.
func Configured(ctx context.Context, url string) error {
	o := defaults
	o.attempts++
	return o.run(ctx, url)
}

// Defaults reads a package variable.
func Defaults(ctx context.Context, url string) error { return defaults.run(ctx, url) }

func (o options) run(ctx context.Context, url string) error {
	var err error
	for i := 0; i < o.attempts; i++ {
		if err = post(ctx, url); err == nil {
			return nil
		}
		time.Sleep(o.wait)
	}
	return err
}

// Linear waits longer each time.
func Linear(ctx context.Context, url string) error {
	var err error
	for attempt := 1; attempt <= 4; attempt++ {
		if err = post(ctx, url); err == nil {
			return nil
		}
		time.Sleep(time.Duration(attempt) * 30 * time.Millisecond)
	}
	return err
}

// Busy does not wait.
func Busy(ctx context.Context, url string) error {
	var err error
	for range 5 {
		if err = post(ctx, url); err == nil {
			break
		}
	}
	return err
}

// Ticked is driven by a ticker.
func Ticked(ctx context.Context, url string) error {
	t := time.NewTicker(60 * time.Millisecond)
	defer t.Stop()
	for n := 0; n < 4; n++ {
		if post(ctx, url) == nil {
			return nil
		}
		<-t.C
	}
	return errGaveUp
}

// Labelled breaks out of a switch.
func Labelled(ctx context.Context, url string) error {
	var err error
	tries := 0
again:
	for {
		err = post(ctx, url)
		switch {
		case err == nil:
			break again
		case tries >= 3:
			break again
		}
		tries++
		time.Sleep(60 * time.Millisecond)
	}
	return err
}
