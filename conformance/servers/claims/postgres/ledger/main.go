// Command ledger books each entry once: its key is unique in the table of entries.
package main

import (
	"context"
	"database/sql"
	"log"
	"net/http"
	"os"

	_ "github.com/lib/pq"
)

type ledger struct{ db *sql.DB }

// book credits the account once for each key.
func (l *ledger) book(ctx context.Context, key string) error {
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	res, err := tx.ExecContext(ctx, "INSERT INTO entries (key) VALUES ($1) ON CONFLICT (key) DO NOTHING", key)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE accounts SET credits = credits + 1"); err != nil {
		return err
	}
	return tx.Commit()
}

func (l *ledger) entries(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	if key == "" {
		http.Error(w, "key wanted", http.StatusBadRequest)
		return
	}
	if err := l.book(r.Context(), key); err != nil {
		http.Error(w, "not booked", http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

func main() {
	db, err := sql.Open("postgres", os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	l := &ledger{db}
	http.HandleFunc("POST /entries", l.entries)
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN"), nil))
}
