// Command payout-gateway books payouts in the ledger.
package main

import (
	"io"
	"log"
	"net/http"
)

func main() {
	ledger := NewLedger("http://ledger.pay.svc:8080")
	http.HandleFunc("POST /payouts", func(w http.ResponseWriter, r *http.Request) {
		entry, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err != nil {
			http.Error(w, "unreadable", http.StatusBadRequest)
			return
		}
		if err := ledger.Book(r.Context(), r.Header.Get("Idempotency-Key"), entry); err != nil {
			http.Error(w, "ledger unavailable", http.StatusBadGateway)
		}
	})
	log.Fatal(http.ListenAndServe(":8080", nil))
}
