// Package loop posts in loops written by hand.
package loop

import (
	"context"
	"errors"
	"fmt"
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
