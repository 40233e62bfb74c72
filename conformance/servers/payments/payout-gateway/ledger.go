package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"
)

// Ledger is a client of the ledger that asks again when an answer is lost.
type Ledger struct {
	base     string
	client   *http.Client
	attempts int
	pause    time.Duration
}

// NewLedger makes a client with three attempts, two milliseconds apart.
func NewLedger(base string) *Ledger {
	return &Ledger{base: base, client: &http.Client{}, attempts: 3, pause: 2 * time.Millisecond}
}

// Book writes one entry. The key names the intent and is the same in each attempt.
func (l *Ledger) Book(ctx context.Context, key string, entry []byte) error {
	var last error
	for i := 1; i <= l.attempts; i++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.base+"/entries", bytes.NewReader(entry))
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", key)
		resp, err := l.client.Do(req)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode < 300 {
				return nil
			}
			if resp.StatusCode < 500 {
				return fmt.Errorf("ledger refused the entry: %s", resp.Status)
			}
			err = fmt.Errorf("ledger: %s", resp.Status)
		}
		last = err
		if i == l.attempts {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(l.pause):
		}
	}
	return last
}
