// Command settle hands what it is given to the ledger, three times at most.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

const pause = 50 * time.Millisecond

func settle(ctx context.Context, key string, batch []byte) error {
	var last error
	for i := 0; i < 3; i++ {
		if i > 0 {
			time.Sleep(pause)
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, os.Getenv("LEDGER_URL")+"/entries", bytes.NewReader(batch))
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			last = err
			continue
		}
		resp.Body.Close()
		if resp.StatusCode < 300 {
			return nil
		}
		last = fmt.Errorf("ledger: %s", resp.Status)
	}
	return last
}

func main() {
	http.HandleFunc("POST /settle", func(w http.ResponseWriter, r *http.Request) {
		batch, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err != nil {
			http.Error(w, "unreadable", http.StatusBadRequest)
			return
		}
		if err := settle(r.Context(), r.Header.Get("Idempotency-Key"), batch); err != nil {
			http.Error(w, "not settled", http.StatusBadGateway)
		}
	})
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN"), nil))
}
