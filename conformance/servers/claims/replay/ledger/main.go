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
	entry, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		http.Error(w, "unreadable", http.StatusBadRequest)
		return
	}
	if err := l.book(r.Context(), entry); err != nil {
		http.Error(w, "not booked", http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

type tee struct {
	http.ResponseWriter
	code int
	buf  bytes.Buffer
}

func (t *tee) WriteHeader(c int) { t.code = c; t.ResponseWriter.WriteHeader(c) }

func (t *tee) Write(b []byte) (int, error) { t.buf.Write(b); return t.ResponseWriter.Write(b) }

// once answers a repeated key with the first answer.
func (l *ledger) once(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		if raw, err := l.keys.Get(r.Context(), "answer:"+key).Bytes(); err == nil {
			_, _ = w.Write(raw)
			return
		}
		t := &tee{ResponseWriter: w, code: http.StatusOK}
		next(t, r)
		l.keys.Set(r.Context(), "answer:"+key, t.buf.Bytes(), remember)
	}
}

func main() {
	l := &ledger{keys: redis.NewClient(&redis.Options{Addr: os.Getenv("REDIS_ADDR")})}
	http.HandleFunc("POST /entries", l.once(l.entries))
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN"), nil))
}
