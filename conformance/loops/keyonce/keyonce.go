// Package keyonce makes the key once.
package keyonce

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Pay posts up to three times.
func Pay(ctx context.Context, url string) error {
	key := rand.Text()
	var err error
	for i := 0; i < 3; i++ {
		if i > 0 {
			time.Sleep(80 * time.Millisecond)
		}
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("{}"))
		req.Header.Set("Idempotency-Key", key)
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode < 500 {
			return nil
		}
		err = fmt.Errorf("status %d", resp.StatusCode)
	}
	return err
}
