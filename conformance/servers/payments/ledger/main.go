// Command ledger writes each entry once for as long as it remembers the entry's key.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/redis/go-redis/v9"
)

// remember is how long a key is known.
const remember = 86400 * time.Millisecond

type ledger struct {
	keys *redis.Client
	book func(ctx context.Context, entry []byte) error
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
		w.WriteHeader(http.StatusOK) // known: done, or being done
		return
	}
	if err := l.book(r.Context(), entry); err != nil {
		l.keys.Del(context.WithoutCancel(r.Context()), "entry:"+key)
		http.Error(w, "not booked", http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

func main() {
	l := &ledger{
		keys: redis.NewClient(&redis.Options{Addr: os.Getenv("REDIS_ADDR")}),
		book: func(context.Context, []byte) error { return errors.New("no book open") },
	}
	http.HandleFunc("POST /entries", l.entries)
	log.Fatal(http.ListenAndServe(":8080", nil))
}
