package rules

import (
	"fmt"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Rule{
	ID:       "record-after-effect",
	Severity: model.Error,
	Group:    "dedupe",
	Summary:  "the key is recorded after the effect, so a concurrent duplicate passes the check",
	Why: "Check, effect, record leaves the whole duration of the effect open: a repeat that arrives in that time finds no record and has the " +
		"effect too. Repeats arrive in just that time, because it is a slow answer that makes the caller repeat.",
	Fix: "Claim the key first with one atomic operation (insert if absent), or keep check, effect and record in one transaction.",
	Bad: `
-- desk/go.mod --
module example.test/desk
-- desk/main.go --
package main

import (
	"log"
	"net/http"
	"sync"
)

type desk struct {
	mu   sync.Mutex
	done map[string]bool
	bank interface{ Credit(account string) error }
}

func (d *desk) credit(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	d.mu.Lock()
	again := d.done[key]
	d.mu.Unlock()
	if again {
		return
	}
	if err := d.bank.Credit(r.FormValue("account")); err != nil {
		http.Error(w, "not credited", http.StatusBadGateway)
		return
	}
	d.mu.Lock()
	d.done[key] = true // want "2 requests"
	d.mu.Unlock()
}

func main() {
	d := &desk{done: map[string]bool{}}
	http.HandleFunc("POST /credits", d.credit)
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", nil))
}
`,
	Good: `
-- desk/go.mod --
module example.test/desk
-- desk/main.go --
package main

import (
	"log"
	"net/http"
	"sync"
)

type desk struct {
	mu   sync.Mutex
	done map[string]bool
	bank interface{ Credit(account string) error }
}

func (d *desk) credit(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	d.mu.Lock()
	if d.done[key] {
		d.mu.Unlock()
		return
	}
	d.done[key] = true
	d.mu.Unlock()
	if err := d.bank.Credit(r.FormValue("account")); err != nil {
		d.mu.Lock()
		delete(d.done, key)
		d.mu.Unlock()
		http.Error(w, "not credited", http.StatusBadGateway)
	}
}

func main() {
	d := &desk{done: map[string]bool{}}
	http.HandleFunc("POST /credits", d.credit)
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", nil))
}
`,
	GoAlone: true,
	Check:   checkRecordAfterEffect,
})

func checkRecordAfterEffect(p *Pass) {
	for _, d := range memories(p.Org) {
		b := d.boundary
		if b.Order != model.OrderAfter {
			continue
		}
		rec, _ := b.Trait(model.TraitRecord)
		eff, hasEffect := b.Trait(model.TraitEffect)
		place := at(rec.At, b.Use, b.At)
		between := ""
		if hasEffect {
			between = fmt.Sprintf(" (%s)", where(eff.At, place))
		}
		f := p.Report(place, nil, "2 requests with one key can both pass the check of %s: the %s record is written after the effect%s, so a repeat that arrives in between has the effect again.",
			d.where(), storeWords(b), between)
		related(f, eff.At, "the effect")
		related(f, b.Use, "the check")
	}
}

// memory is a dedupe boundary at a node.
type memory struct {
	boundary *model.Boundary
	vertex   *model.Vertex // nil where no node was found
}

// where says what the boundary guards, in words.
func (m memory) where() string {
	if m.vertex != nil {
		return named(m.vertex, m.boundary.In)
	}
	return named(nil, m.boundary.In)
}

// memories lists every boundary of an organisation once, in the order of the nodes.
func memories(org *model.Org) []memory {
	var out []memory
	seen := map[string]bool{}
	for _, v := range org.Vertices {
		for _, b := range v.Boundaries {
			if !seen[b.ID] {
				seen[b.ID] = true
				out = append(out, memory{b, v})
			}
		}
	}
	return out
}

// storeWords is the kind of a store in words.
func storeWords(b *model.Boundary) string {
	if b.Kind != "" {
		return b.Kind
	}
	if b.Store != "" {
		return string(b.Store)
	}
	return "key"
}

func related(f *model.Finding, l model.Location, message string) {
	if !l.IsZero() && l != f.At {
		f.Related = append(f.Related, model.Related{At: l, Message: message})
	}
}
