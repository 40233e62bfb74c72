package rules

import (
	"fmt"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Rule{
	ID:       "key-not-forwarded",
	Severity: model.Warning,
	Group:    "keys",
	Summary:  "a handler receives an idempotency key and does not pass it on",
	Why: "The caller repeats its request under one key and counts on being safe. The handler takes the key and makes its own call without it, " +
		"so the service behind cannot tell the repeat from a new request and does the work twice.",
	Fix: "Put the received key, or one derived from it, onto the call downstream.",
	Bad: `
-- gateway/go.mod --
module example.test/gateway
-- gateway/main.go --
package main

import (
	"log"
	"net/http"
	"time"
)

var upstream = &http.Client{Timeout: 10 * time.Second}

func transfers(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Idempotency-Key") == "" {
		http.Error(w, "no Idempotency-Key", http.StatusBadRequest)
		return
	}
	req, err := http.NewRequest(http.MethodPost, "http://ledger.core.svc:8080/transfers", r.Body) // want "0 of 1"
	if err != nil {
		http.Error(w, "internal", http.StatusInternalServerError)
		return
	}
	resp, err := upstream.Do(req)
	if err != nil {
		http.Error(w, "ledger unavailable", http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
}

func main() {
	http.HandleFunc("POST /v1/transfers", transfers)
	log.Fatal(http.ListenAndServe(":8080", nil))
}
`,
	Good: `
-- gateway/go.mod --
module example.test/gateway
-- gateway/main.go --
package main

import (
	"log"
	"net/http"
	"time"
)

var upstream = &http.Client{Timeout: 10 * time.Second}

func transfers(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	if key == "" {
		http.Error(w, "no Idempotency-Key", http.StatusBadRequest)
		return
	}
	req, err := http.NewRequest(http.MethodPost, "http://ledger.core.svc:8080/transfers", r.Body)
	if err != nil {
		http.Error(w, "internal", http.StatusInternalServerError)
		return
	}
	req.Header.Set("Idempotency-Key", key)
	resp, err := upstream.Do(req)
	if err != nil {
		http.Error(w, "ledger unavailable", http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
}

func main() {
	http.HandleFunc("POST /v1/transfers", transfers)
	log.Fatal(http.ListenAndServe(":8080", nil))
}
`,
	GoAlone: true,
	Check:   checkKeyNotForwarded,
})

func checkKeyNotForwarded(p *Pass) {
	g := graphOf(p.Org)
	for _, v := range p.Org.Vertices {
		h := v.Handler
		if h == nil || !h.ReadsKey || safeMethod(h.Method) {
			continue
		}
		for _, a := range below(v) {
			e := a.Edge
			if e.Kind != model.EdgeRequest && e.Kind != model.EdgePublish || e.BestEffort || e.Idempotent {
				continue
			}
			if e.Method != "POST" && e.Method != "PATCH" && !e.Effect && e.Kind != model.EdgePublish {
				continue
			}
			how := "without a key"
			switch e.Key.How {
			case model.KeyNone:
			case model.KeyMade:
				how = fmt.Sprintf("under a key of its own (%s)", keyText(e.Key))
			case model.KeyConstant:
				how = "under a constant key"
			default:
				continue
			}
			where := requestAt(e)
			if e.Key.How != model.KeyNone {
				where = at(e.Key.Born, e.Key.At, e.At)
			}
			name := h.KeyName
			if name == "" {
				name = "key"
			}
			f := p.Report(where, g.byArc[a], "0 of 1 received keys passed on: the handler of %s takes %s and sends %s %s, so a repeat by its caller is new work there.",
				handled(v), name, describe(e, a.To), how)
			if !h.KeyAt.IsZero() {
				f.Related = append(f.Related, model.Related{At: h.KeyAt, Message: "the key is received here"})
			}
			if e.At.Line != where.Line {
				f.Related = append(f.Related, model.Related{At: e.At, Message: "the request is sent here"})
			}
		}
	}
}

// handled is a handler in words.
func handled(v *model.Vertex) string {
	if v.Handler.Pattern != "" {
		if v.Handler.Method != "" {
			return v.Handler.Method + " " + v.Handler.Pattern
		}
		return v.Handler.Pattern
	}
	if v.Handler.RPC != "" {
		return v.Handler.RPC
	}
	return named(v, v.Name)
}

// below lists the arcs that a node reaches without leaving its process, those that leave it included, in a fixed order.
func below(v *model.Vertex) []*model.Arc {
	var out []*model.Arc
	seen := map[*model.Vertex]bool{v: true}
	queue := []*model.Vertex{v}
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		for _, a := range x.Out {
			if a.Edge == nil {
				continue
			}
			out = append(out, a)
			if a.InProcess() && !seen[a.To] {
				seen[a.To] = true
				queue = append(queue, a.To)
			}
		}
	}
	return out
}
