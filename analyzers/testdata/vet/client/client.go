// Package client asks for a payment again until it is taken.
package client

import (
	"context"
	"time"

	"example.test/vet/pay"
)

// Settle pays, in up to five attempts.
func Settle(ctx context.Context, c *pay.Client, body []byte) error {
	var last error
	for i := 0; i < 5; i++ {
		if last = c.Pay(ctx, body); last == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
	return last
}
