package rules

import (
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Rule{
	ID:       "unkeyed-retry",
	Severity: model.Warning,
	Group:    "keys",
	Summary:  "a request that is not idempotent is retried without a key",
	Why: "When an answer is lost, the work may have been done. Sending the request again does it again, unless something on it tells the " +
		"receiver that it is a repeat. POST, PATCH and a published message say nothing of the kind by themselves.",
	Fix: "Send an idempotency key that stays the same over the attempts, or do not retry this request.",
	Bad: `
-- boards/go.mod --
module example.test/boards
-- boards/create.go --
package boards

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"time"
)

var hc = &http.Client{Timeout: 8 * time.Second}

// Create makes a board.
func Create(url string, doc []byte) (err error) {
	for n := 0; n < 3; n++ {
		req, e := http.NewRequest(http.MethodPost, url, bytes.NewReader(doc)) // want "3 attempts"
		if e != nil {
			return e
		}
		resp, e := hc.Do(req)
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(rand.N(time.Second << n))
	}
	return err
}
`,
	Good: `
-- boards/go.mod --
module example.test/boards
-- boards/create.go --
package boards

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"time"
)

var hc = &http.Client{Timeout: 8 * time.Second}

// Put replaces a board: repeating it does no harm.
func Put(url string, doc []byte) (err error) {
	for n := 0; n < 3; n++ {
		req, e := http.NewRequest(http.MethodPut, url, bytes.NewReader(doc))
		if e != nil {
			return e
		}
		resp, e := hc.Do(req)
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(rand.N(time.Second << n))
	}
	return err
}
`,
	GoAlone: true,
	Check:   checkUnkeyedRetry,
})

func checkUnkeyedRetry(p *Pass) {
	g := graphOf(p.Org)
	written := writeRoutes(p.Org)
	var by []unkeyedRequest // one client's repeats of many requests are one finding
	for _, v := range p.Org.Vertices {
		for _, a := range v.Out {
			if !changes(a) || enforced(a.To) {
				continue
			}
			e := a.Edge
			ls := g.resending(a)
			if len(ls) == 0 {
				continue
			}
			switch e.Key.How {
			case model.KeyNone, model.KeyClient: // the client's key lasts for its own attempts only
			case model.KeyUnknown:
				byRoute := !strings.HasSuffix(e.At.Path, ".go") && slices.ContainsFunc(ls, func(l *model.Layer) bool {
					return written[l.ID] && l.Origin == model.OriginExplicit
				})
				if !byRoute && e.OneOf == "" && (!e.Effect || !sdkCall(e)) {
					p.Undecided(e.At, "whether "+describe(e, a.To)+" carries an idempotency key")
					continue
				}
			default:
				continue
			}
			// One finding where code repeats the request, and one for each setting outside that does.
			var code []*model.Layer
			for _, l := range ls {
				if !outerKind(l) && !configured(l) {
					code = append(code, l)
				}
			}
			switch {
			case len(code) == 0:
			case e.Key.How == model.KeyUnknown && e.OneOf != "":
				// Whoever calls it may put a key on; that it repeats POST without one is its own doing.
				g.unkeyed(p, a, code, mend(code[len(code)-1]))
			case len(code) == 1 && (code[0].Kind == model.KindClient || code[0].Kind == model.KindTransport):
				by = append(by, unkeyedRequest{a, code})
			default:
				g.unkeyed(p, a, code, requestAt(e))
			}
			for _, l := range ls {
				if outerKind(l) || configured(l) {
					g.unkeyed(p, a, []*model.Layer{l}, mend(l))
				}
			}
		}
	}
	g.byClient(p, by)
}

// unkeyedRequest is a request that one client repeats without a key.
type unkeyedRequest struct {
	arc  *model.Arc
	code []*model.Layer
}

// fewRequests is how many requests of one client are reported where they are made; of more than these the client is what is
// mended.
const fewRequests = 4

// byClient reports the requests that clients repeat.
func (g *graph) byClient(p *Pass, list []unkeyedRequest) {
	places := map[string]map[model.Location]bool{}
	for _, r := range list {
		id := r.code[0].ID
		if places[id] == nil {
			places[id] = map[model.Location]bool{}
		}
		places[id][r.arc.Edge.At] = true
	}
	for _, r := range list {
		place := requestAt(r.arc.Edge)
		if len(places[r.code[0].ID]) > fewRequests {
			place = mend(r.code[0])
		}
		g.unkeyed(p, r.arc, r.code, place)
	}
}

// writeRoutes are the layers of routes that take nothing but POST and PATCH: whoever wrote retries there meant such requests.
func writeRoutes(org *model.Org) map[string]bool {
	out := map[string]bool{}
	for _, f := range org.Facts {
		for i := range f.Routes {
			r := &f.Routes[i]
			ids := []string{r.Layer}
			for _, l := range org.Layers {
				if !l.As.IsZero() && slices.Contains(r.Uses, l.As) {
					ids = append(ids, l.ID) // a middleware that the route names
				}
			}
			only := (r.Layer != "" || len(ids) > 1) && len(r.Match) > 0
			for _, m := range r.Match {
				only = only && (m.Method == "POST" || m.Method == "PATCH")
			}
			if only {
				for _, id := range ids {
					out[id] = true
				}
			}
		}
	}
	return out
}

func (g *graph) unkeyed(p *Pass, a *model.Arc, ls []*model.Layer, place model.Location) {
	e := a.Edge
	ls = model.Together(ls)
	var near []string
	again := slices.IndexFunc(ls, func(l *model.Layer) bool { return l.Policy.On&model.OnSuccess != 0 && !l.Has(model.TraitWaitsForState) })
	if again >= 0 {
		place = mend(ls[again]) // no key mends that: the loop does
	}
	for _, l := range ls {
		one := title(l) + " at " + where(mend(l), place)
		if d := byDefault(l); d != "" {
			one += " (" + d + ")"
		}
		near = append(near, one)
	}
	verb := "repeats"
	if len(ls) > 1 {
		verb = "repeat"
	}
	lost := "work whose answer was lost is done again"
	if e.OneOf != "" {
		lost += ", unless a caller puts one on it (" + e.OneOf + ")"
	}
	if again >= 0 {
		lost = "goes on after a success, so that work that is done is done again"
	}
	f := p.Report(place, g.byArc[a], "%s of one %s carry no idempotency key: the %s %s it, and %s.",
		many(g.through(a, ls), "attempt"), describe(e, a.To), strings.Join(near, " and the "), verb, lost)
	f.Layer = ls[len(ls)-1].ID
	if slices.ContainsFunc(ls, soft) || e.Kind == model.EdgePublish && !slices.ContainsFunc(ls, func(l *model.Layer) bool { return l.Origin != model.OriginDefault }) {
		f.Severity = model.Note // a client's default over a broker that delivers at least once anyway
	}
	for _, r := range layerPlaces(ls) {
		if r.At.Line != place.Line || r.At.Path != place.Path || r.At.Repo != place.Repo {
			f.Related = append(f.Related, r)
		}
	}
	if e.At != place && !e.At.IsZero() {
		f.Related = append(f.Related, model.Related{At: e.At, Message: "the request is sent here"})
	}
}

// configured reports whether a layer was read in a configuration file, so that its setting is what is mended.
func configured(l *model.Layer) bool { return !goLayer(l) }

// changes reports whether a call is known to be one that must not be repeated blindly.
func changes(a *model.Arc) bool {
	e := a.Edge
	if e == nil || e.Idempotent || e.BestEffort {
		return false
	}
	switch e.Method {
	case "POST", "PATCH":
		return true
	case "":
		return e.Kind == model.EdgePublish || e.Effect && (e.Kind == model.EdgeRequest || e.Kind == model.EdgeCall)
	}
	return e.Effect && !idempotentMethod(e.Method) && e.Kind != model.EdgeStore
}

// sdkCall reports whether a call is made through a client library, whose operation says all there is to know.
func sdkCall(e *model.Edge) bool { return e.Label != "" && e.Kind != model.EdgeStore }

// enforced reports whether the receiver keeps repeats apart by a field of the body, or does nothing but writes to its store
// that a repeat leaves as they are, such as an insert that gives way to the row that is there.
func enforced(v *model.Vertex) bool {
	seen := map[*model.Vertex]bool{v: true}
	queue := []*model.Vertex{v}
	inserts, others := false, false
	for len(queue) > 0 && len(seen) < 200 {
		x := queue[0]
		queue = queue[1:]
		for _, b := range x.Boundaries {
			if b.Has(model.TraitUniqueField) || b.Has(model.TraitPayloadKey) {
				return true
			}
		}
		for _, a := range x.Out {
			switch e := a.Edge; {
			case a.InProcess():
				if !seen[a.To] {
					seen[a.To] = true
					queue = append(queue, a.To)
				}
			case e != nil && e.Kind == model.EdgeStore && e.Idempotent:
				inserts = inserts || e.Effect && strings.HasPrefix(e.Label, "SQL INSERT")
			default:
				others = true
			}
		}
	}
	return inserts && !others
}

// resending lists the layers that send a call again: those around it, and those that run its function again, but not
// those of other services, which repeat another request.
func (g *graph) resending(a *model.Arc) []*model.Layer {
	var out []*model.Layer
	add := func(l *model.Layer) {
		if repeats(l) && !slices.Contains(out, l) && !careful(l) && !l.Has(model.TraitAssumed) {
			out = append(out, l)
		}
	}
	ways := above(a.From, func(x *model.Arc) bool {
		return !x.Blind && (x.Edge == nil || x.Edge.Kind != model.EdgeRequest) && !guarded(x.From)
	})
	if !guarded(a.From) {
		for _, w := range slices.Backward(ways) {
			add(w.layer)
		}
	}
	for _, l := range a.Layers {
		add(l)
	}
	return out
}

// careful reports whether a layer repeats only what can do no harm: what is idempotent or keyed, what was refused before
// it was done, or what the layer itself gives a key.
func careful(l *model.Layer) bool {
	if l.Kind == model.KindProducer {
		return true // a producer's own resends are what producer-not-idempotent is about
	}
	if l.Has(model.TraitMethodGuard) || l.Has(model.TraitAddsKey) || l.Has(model.TraitIdempotent) || l.Has(model.TraitBestEffort) || l.Kind == model.KindTelemetry {
		return true
	}
	const refused = model.OnConnect | model.On429
	return l.Policy.On != 0 && l.Policy.On&^refused == 0
}
