// Package pay sends one payment, under a key of its own.
package pay

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
)

// Client pays.
type Client struct {
	HTTP *http.Client
}

// Pay sends one payment.
func (c *Client) Pay(ctx context.Context, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.example.test/payments", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", rand.Text())
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("payment: %s", resp.Status)
	}
	return nil
}
