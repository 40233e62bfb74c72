// Package matryer posts with matryer/try.
package matryer

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/matryer/try"
)

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

// Default sets nothing: the library's variable says ten.
func Default(ctx context.Context, url string) error {
	return try.Do(func(attempt int) (bool, error) {
		err := post(ctx, url)
		return true, err
	})
}

// Five is ended by the function.
func Five(ctx context.Context, url string) error {
	return try.Do(func(attempt int) (bool, error) {
		err := post(ctx, url)
		if err != nil {
			time.Sleep(50 * time.Millisecond)
		}
		return attempt < 5, err
	})
}
