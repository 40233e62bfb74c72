package rules

import "github.com/retrylint/retrylint/model"

var _ = add(Rule{
	ID:       "payload-not-compared",
	Severity: model.Note,
	Group:    "dedupe",
	Summary:  "a known key is answered from the store without a look at the payload",
	Why: "A caller that uses a key again for another request gets the first request's answer and takes it for its own. The convention is to " +
		"refuse such a request with 422, and with 409 while the first is still in flight.",
	Fix: "Store a hash of the request with the key and compare it before answering from the store.",
	Bad: `
-- replay/go.mod --
module example.test/replay

require github.com/redis/go-redis/v9 v9.23.0
-- replay/replay.go --
package replay

import (
	"io"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
)

type shop struct {
	rdb   *redis.Client
	order func(body []byte) ([]byte, error)
}

func (s *shop) orders(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	fresh, err := s.rdb.SetNX(r.Context(), "claim:"+key, 1, 72*time.Hour).Result()
	if err != nil {
		http.Error(w, "no claim", http.StatusServiceUnavailable)
		return
	}
	if !fresh {
		raw, err := s.rdb.Get(r.Context(), "answer:"+key).Bytes() // want "1 key"
		if err != nil {
			http.Error(w, "in progress", http.StatusConflict)
			return
		}
		w.Write(raw)
		return
	}
	body, _ := io.ReadAll(r.Body)
	raw, err := s.order(body)
	if err != nil {
		s.rdb.Del(r.Context(), "claim:"+key)
		http.Error(w, "not ordered", http.StatusInternalServerError)
		return
	}
	s.rdb.Set(r.Context(), "answer:"+key, raw, 72*time.Hour)
	w.Write(raw)
}

func routes(s *shop) { http.HandleFunc("POST /orders", s.orders) }
`,
	Good: `
-- replay/go.mod --
module example.test/replay

require github.com/redis/go-redis/v9 v9.23.0
-- replay/replay.go --
package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
)

type shop struct {
	rdb   *redis.Client
	order func(body []byte) ([]byte, error)
}

func (s *shop) orders(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	body, _ := io.ReadAll(r.Body)
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	fresh, err := s.rdb.SetNX(r.Context(), "claim:"+key, hash, 72*time.Hour).Result()
	if err != nil {
		http.Error(w, "no claim", http.StatusServiceUnavailable)
		return
	}
	if !fresh {
		if s.rdb.Get(r.Context(), "claim:"+key).Val() != hash {
			http.Error(w, "key used for another request", http.StatusUnprocessableEntity)
			return
		}
		raw, err := s.rdb.Get(r.Context(), "answer:"+key).Bytes()
		if err != nil {
			http.Error(w, "in progress", http.StatusConflict)
			return
		}
		w.Write(raw)
		return
	}
	raw, err := s.order(body)
	if err != nil {
		s.rdb.Del(r.Context(), "claim:"+key)
		http.Error(w, "not ordered", http.StatusInternalServerError)
		return
	}
	s.rdb.Set(r.Context(), "answer:"+key, raw, 72*time.Hour)
	w.Write(raw)
}

func routes(s *shop) { http.HandleFunc("POST /orders", s.orders) }
`,
	GoAlone: true,
	Check:   checkPayloadNotCompared,
})

func checkPayloadNotCompared(p *Pass) {
	for _, d := range memories(p.Org) {
		b := d.boundary
		t, ok := b.Trait(model.TraitAnswersStored)
		if !ok || b.Has(model.TraitComparesPayload) || b.Has(model.TraitPayloadKey) || b.Store == model.StoreBroker || b.Store == model.StoreProvider {
			continue
		}
		f := p.Report(at(t.At, b.Use, b.At), nil, "1 key answers any payload at %s: a known key is answered from the %s store without comparing the request with the first one's.", d.where(), storeWords(b))
		related(f, b.Use, "the key is asked for here")
	}
}
