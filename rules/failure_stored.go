package rules

import "github.com/retrylint/retrylint/model"

var _ = add(Rule{
	ID:       "failure-stored",
	Severity: model.Warning,
	Group:    "dedupe",
	Summary:  "a transient failure is stored as the key's final result",
	Why: "The caller repeats because the first answer was a 503 or a timeout. When that answer is what the store keeps, every repeat gets it " +
		"back for as long as the key is remembered, and the work is never done.",
	Fix: "Store final outcomes only (success, and refusals that will not change); give the claim back after a 5xx or a timeout.",
	Bad: `
-- replay/go.mod --
module example.test/replay

require github.com/redis/go-redis/v9 v9.23.0
-- replay/replay.go --
package replay

import (
	"bytes"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
)

type tee struct {
	http.ResponseWriter
	code int
	buf  bytes.Buffer
}

func (t *tee) WriteHeader(c int) { t.code = c; t.ResponseWriter.WriteHeader(c) }

// Once answers a repeated key with the first answer.
func Once(rdb *redis.Client, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		if raw, err := rdb.Get(r.Context(), "answer:"+key).Bytes(); err == nil {
			w.Write(raw)
			return
		}
		if ok, err := rdb.SetNX(r.Context(), "lock:"+key, 1, time.Minute).Result(); err != nil || !ok {
			http.Error(w, "in progress", http.StatusConflict)
			return
		}
		t := &tee{ResponseWriter: w, code: http.StatusOK}
		next.ServeHTTP(t, r)
		rdb.Set(r.Context(), "answer:"+key, t.buf.Bytes(), 72*time.Hour) // want "1 failed attempt"
	})
}
`,
	Good: `
-- replay/go.mod --
module example.test/replay

require github.com/redis/go-redis/v9 v9.23.0
-- replay/replay.go --
package replay

import (
	"bytes"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
)

type tee struct {
	http.ResponseWriter
	code int
	buf  bytes.Buffer
}

func (t *tee) WriteHeader(c int) { t.code = c; t.ResponseWriter.WriteHeader(c) }

// Once answers a repeated key with the first answer.
func Once(rdb *redis.Client, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		if raw, err := rdb.Get(r.Context(), "answer:"+key).Bytes(); err == nil {
			w.Write(raw)
			return
		}
		if ok, err := rdb.SetNX(r.Context(), "lock:"+key, 1, time.Minute).Result(); err != nil || !ok {
			http.Error(w, "in progress", http.StatusConflict)
			return
		}
		t := &tee{ResponseWriter: w, code: http.StatusOK}
		next.ServeHTTP(t, r)
		if t.code >= 500 {
			rdb.Del(r.Context(), "lock:"+key)
			return
		}
		rdb.Set(r.Context(), "answer:"+key, t.buf.Bytes(), 72*time.Hour)
	})
}
`,
	GoAlone: true,
	Check:   checkFailureStored,
})

func checkFailureStored(p *Pass) {
	for _, d := range memories(p.Org) {
		b := d.boundary
		t, ok := b.Trait(model.TraitStoresFailure)
		if !ok {
			continue
		}
		what := t.Detail
		if what == "" {
			what = "a 5xx or a timeout"
		}
		kept := "for as long as the key is remembered"
		if w, ok := b.TTL.Duration(); ok {
			kept = "for " + model.FormatDuration(w)
		}
		f := p.Report(at(t.At, b.Use, b.At), nil, "1 failed attempt answers every later one at %s: %s is stored as the key's final result and given to all repeats %s.", d.where(), what, kept)
		if e, ok := b.Trait(model.TraitEffect); ok {
			related(f, e.At, "the effect whose outcome is stored")
		}
	}
}
