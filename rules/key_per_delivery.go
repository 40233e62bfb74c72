package rules

import (
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Rule{
	ID:       "key-per-delivery",
	Severity: model.Error,
	Group:    "keys",
	Summary:  "an idempotency key is made anew each time an outer layer runs the handler again",
	Why: "There is no loop in sight, but a queue, a job controller, a workflow engine or a scheduler runs this code again after a failure. " +
		"Each run makes a key of its own, so the receiver carries the same work out once for each run.",
	Fix: "Take the key from what stays the same over the runs: the message or task id, the job's arguments, a stored row.",
	Bad: `
-- settle/go.mod --
module example.test/settle

require github.com/google/uuid v1.6.0
-- settle/main.go --
package main

import (
	"bytes"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/google/uuid"
)

func main() {
	hc := &http.Client{Timeout: 10 * time.Second}
	req, err := http.NewRequest(http.MethodPost, "http://payouts.pay.svc:8080/batches", bytes.NewReader([]byte(os.Args[1])))
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Idempotency-Key", uuid.NewString()) // want "4 runs .* 4 keys"
	resp, err := hc.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
}
-- deploy/job.yaml --
apiVersion: batch/v1
kind: Job
metadata:
  name: settle
  namespace: pay
spec:
  backoffLimit: 3
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: settle
          image: settle:1.2
`,
	Good: `
-- settle/go.mod --
module example.test/settle
-- settle/main.go --
package main

import (
	"bytes"
	"log"
	"net/http"
	"os"
	"time"
)

func main() {
	hc := &http.Client{Timeout: 10 * time.Second}
	req, err := http.NewRequest(http.MethodPost, "http://payouts.pay.svc:8080/batches", bytes.NewReader([]byte(os.Args[1])))
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Idempotency-Key", "batch-"+os.Args[2])
	resp, err := hc.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
}
-- deploy/job.yaml --
apiVersion: batch/v1
kind: Job
metadata:
  name: settle
  namespace: pay
spec:
  backoffLimit: 3
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: settle
          image: settle:1.2
`,
	Check: checkKeyPerDelivery,
})

func checkKeyPerDelivery(p *Pass) {
	g := graphOf(p.Org)
	for _, v := range p.Org.Vertices {
		for _, a := range v.Out {
			ls := model.Together(g.redelivering(a))
			if len(ls) == 0 {
				continue
			}
			k := a.Edge.Key
			n := g.through(a, ls)
			var near []string
			for _, l := range ls {
				near = append(near, title(l)+" at "+where(mend(l), k.Born))
			}
			f := p.Report(at(k.Born, k.At, a.Edge.At), g.byArc[a], "%s of the same work carry %s: %s of %s is %s, made once per run, and the %s runs the work again. The receiver cannot tell a repeat from new work.",
				many(n, "run"), keysOf(n), sinkOf(k), describe(a.Edge, a.To), keyText(k), strings.Join(near, " and the "))
			f.Layer = ls[len(ls)-1].ID
			f.Related = layerPlaces(ls)
			if !slices.ContainsFunc(ls, func(l *model.Layer) bool { return !l.LowConfidence }) {
				f.Severity = model.Warning
			}
		}
	}
}

// redelivering lists the layers outside of the process that run the birth of a call's key again, outermost first. What
// lies above a dedupe boundary does not count: the boundary keeps repeats from the key.
func (g *graph) redelivering(a *model.Arc) []*model.Layer {
	e := a.Edge
	if e == nil || e.Key.How != model.KeyMade || safeMethod(e.Method) || e.Idempotent && !e.Effect || e.BestEffort {
		return nil
	}
	from := g.birth(a)
	if from == nil || guarded(from) || guarded(a.From) {
		return nil
	}
	var out []*model.Layer
	ways := above(from, func(x *model.Arc) bool {
		if x.Blind || guarded(x.From) {
			return false
		}
		if x.Edge != nil && x.Edge.Kind == model.EdgeRequest && idempotentMethod(x.Edge.Method) {
			return false
		}
		return true
	})
	for _, w := range slices.Backward(ways) {
		if repeats(w.layer) && (outerKind(w.layer) || !w.local) && !slices.Contains(out, w.layer) {
			out = append(out, w.layer)
		}
	}
	// A layer that is around a node as a whole is on its outgoing arcs.
	for _, l := range a.Layers {
		if repeats(l) && l.Whole && outerKind(l) && l.Kind != model.KindProxy && l.Kind != model.KindMesh && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// guarded reports whether a dedupe memory at a node keeps repeats from what the node does.
func guarded(v *model.Vertex) bool {
	for _, b := range v.Boundaries {
		if b.Store != model.StoreInFlight && b.Store != model.StoreProvider && b.Order != model.OrderPublish && !b.Has(model.TraitClaimOnly) {
			return true
		}
	}
	return false
}
