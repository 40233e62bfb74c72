// Command ledger books each entry at the bank once for as long as it remembers the entry's key.
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

	"github.com/redis/go-redis/v9"
)

// remember is how long a key is known.
const remember = 720 * time.Hour

type ledger struct{ keys *redis.Client }

func (l *ledger) book(ctx context.Context, entry []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, os.Getenv("BANK_URL")+"/credits", bytes.NewReader(entry))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("bank: %s", resp.Status)
	}
	return nil
}

func (l *ledger) entries(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	if key == "" {
		http.Error(w, "key wanted", http.StatusBadRequest)
		return
	}
	entry, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		http.Error(w, "unreadable", http.StatusBadRequest)
		return
	}
	claimed, err := l.keys.SetNX(r.Context(), "entry:"+key, "claimed", remember).Result()
	if err != nil {
		http.Error(w, "try again", http.StatusServiceUnavailable)
		return
	}
	if !claimed {
		w.WriteHeader(http.StatusOK)
		return
	}
	if err := l.book(r.Context(), entry); err != nil {
		l.keys.Del(context.WithoutCancel(r.Context()), "entry:"+key)
		http.Error(w, "not booked", http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

func main() {
	l := &ledger{keys: redis.NewClient(&redis.Options{Addr: os.Getenv("REDIS_ADDR")})}
	http.HandleFunc("POST /entries", l.entries)
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN"), nil))
}
