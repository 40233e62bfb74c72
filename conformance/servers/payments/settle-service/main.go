// Command settle-service hands a closed batch over to the payout gateway.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

const betweenRounds = 60 * time.Millisecond

var gateway = &http.Client{}

// rounds is how often a batch is offered to the gateway in all.
func rounds() int {
	n, err := strconv.Atoi(os.Getenv("GATEWAY_ATTEMPTS"))
	if err != nil || n < 1 {
		return 1
	}
	return n
}

func settle(ctx context.Context, key string, batch []byte) error {
	var last error
	for round := 0; round < rounds(); round++ {
		if round > 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(betweenRounds):
			}
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, os.Getenv("GATEWAY_URL")+"/payouts", bytes.NewReader(batch))
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", key)
		resp, err := gateway.Do(req)
		if err != nil {
			last = err
			continue
		}
		resp.Body.Close()
		if resp.StatusCode < 300 {
			return nil
		}
		if resp.StatusCode < 500 {
			return fmt.Errorf("gateway refused the batch: %s", resp.Status)
		}
		last = fmt.Errorf("gateway: %s", resp.Status)
	}
	return last
}

func main() {
	http.HandleFunc("POST /batches", func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		batch, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err != nil || key == "" {
			http.Error(w, "batch and key wanted", http.StatusBadRequest)
			return
		}
		if err := settle(r.Context(), key, batch); err != nil {
			http.Error(w, "not settled", http.StatusBadGateway)
		}
	})
	log.Fatal(http.ListenAndServe(":8080", nil))
}
