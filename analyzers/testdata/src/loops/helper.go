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
