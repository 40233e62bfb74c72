package rules

import (
	"strings"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Rule{
	ID:       "volatile-store",
	Severity: model.Warning,
	Group:    "dedupe",
	Summary:  "the dedupe memory is private to one of several processes, or is evicted",
	Why: "A repeat goes to any of the processes that run. Each has a memory of its own, so the one that gets the repeat has never seen the key. " +
		"A store that throws entries away when it is full forgets keys in just the hours with the most repeats.",
	Fix: "Keep the keys in a store that all processes share and that evicts nothing before its time.",
	Bad: `
-- hooks/go.mod --
module example.test/hooks
-- hooks/main.go --
package main

import (
	"log"
	"net/http"
	"sync"
)

type memory struct {
	mu  sync.Mutex
	ids map[string]bool // want "3 replicas"
}

func (m *memory) first(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ids[id] {
		return false
	}
	m.ids[id] = true
	return true
}

func main() {
	m := &memory{ids: map[string]bool{}}
	http.HandleFunc("POST /hooks/orders", func(w http.ResponseWriter, r *http.Request) {
		if m.first(r.Header.Get("X-Delivery-Id")) {
			log.Printf("order hook")
		}
	})
	log.Fatal(http.ListenAndServe(":8080", nil))
}
-- deploy/hooks.yaml --
apiVersion: apps/v1
kind: Deployment
metadata:
  name: hooks
spec:
  replicas: 3
  selector: {matchLabels: {app: hooks}}
  template:
    metadata: {labels: {app: hooks}}
    spec:
      containers:
        - name: hooks
          image: hooks:1.0
`,
	Good: `
-- hooks/go.mod --
module example.test/hooks
-- hooks/main.go --
package main

import (
	"log"
	"net/http"
	"sync"
)

type memory struct {
	mu  sync.Mutex
	ids map[string]bool
}

func (m *memory) first(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ids[id] {
		return false
	}
	m.ids[id] = true
	return true
}

func main() {
	m := &memory{ids: map[string]bool{}}
	http.HandleFunc("POST /hooks/orders", func(w http.ResponseWriter, r *http.Request) {
		if m.first(r.Header.Get("X-Delivery-Id")) {
			log.Printf("order hook")
		}
	})
	log.Fatal(http.ListenAndServe(":8080", nil))
}
-- deploy/hooks.yaml --
apiVersion: apps/v1
kind: Deployment
metadata:
  name: hooks
spec:
  replicas: 1
  strategy: {type: Recreate}
  selector: {matchLabels: {app: hooks}}
  template:
    metadata: {labels: {app: hooks}}
    spec:
      containers:
        - name: hooks
          image: hooks:1.0
`,
	Check: checkVolatileStore,
})

func checkVolatileStore(p *Pass) {
	for _, d := range memories(p.Org) {
		b := d.boundary
		switch b.Store {
		case model.StoreMemory:
			n := b.Replicas
			if hi, ok := n.Max(); n.IsUnknown() || ok && hi <= 1 {
				continue // one process at a time, or nothing is known
			}
			in := ""
			if len(b.ReplicasEnvs) > 0 {
				in = " (" + strings.Join(b.ReplicasEnvs, ", ") + ")"
			}
			f := p.Report(at(b.At, b.Use), nil, "%s of %s%s have a memory of their own each: a repeat that reaches another one finds no key.", processes(n), d.service(), in)
			related(f, b.ReplicasAt, "how many run")
			related(f, b.Use, "the key is asked for here")
		case model.StoreEvicting:
			f := p.Report(at(b.At, b.Use), nil, "0 of the time to live is guaranteed at %s: the %s store evicts keys when it is full, whatever their time to live.", d.where(), storeWords(b))
			for _, s := range b.SetBy {
				related(f, s, "the store's policy")
			}
			related(f, b.Use, "the key is asked for here")
		}
	}
}

// processes is how many run at once, in words.
func processes(n model.Count) string {
	if n.IsUnbounded() {
		return "any number of instances"
	}
	return many(n, "replica")
}

// service is what runs the boundary, in words.
func (m memory) service() string {
	if m.boundary.Service != "" {
		return m.boundary.Service
	}
	if m.vertex != nil && m.vertex.Service != nil {
		return m.vertex.Service.Name
	}
	return m.where()
}
