// Package outer settles a batch, and does it all again when that fails.
package outer

import (
	"context"
	"time"

	"example.test/vet/client"
	"example.test/vet/pay"
)

// Batch makes four rounds around a call that makes five attempts.
func Batch(ctx context.Context, c *pay.Client, body []byte) error {
	var err error
	for round := 0; round < 4; round++ {
		if err = client.Settle(ctx, c, body); err == nil {
			return nil
		}
		time.Sleep(time.Minute)
	}
	return err
}
