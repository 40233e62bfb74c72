// Command ledger books each entry at the bank once, by the keys that it keeps in memory.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"sync"
)

type ledger struct {
	mu   sync.Mutex
	keys map[string]bool
}

// first reports whether a key is new, and remembers it.
func (l *ledger) first(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.keys[key] {
		return false
	}
	l.keys[key] = true
	return true
}

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
	if !l.first(key) {
		w.WriteHeader(http.StatusOK)
		return
	}
	if err := l.book(r.Context(), entry); err != nil {
		http.Error(w, "not booked", http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

func main() {
	l := &ledger{keys: map[string]bool{}}
	http.HandleFunc("POST /entries", l.entries)
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN"), nil))
}
