package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// graph is what the rules about keys and dedupe ask of an organisation, indexed once for each check.
type graph struct {
	*view
	byName map[model.Name][]*model.Vertex
	byArc  map[*model.Arc]*model.Chain // the worst chain over an arc
}

type graphKey struct{}

func graphOf(org *model.Org) *graph {
	return org.Memo(graphKey{}, func() any { return newGraph(org) }).(*graph)
}

func newGraph(org *model.Org) *graph {
	g := &graph{view: viewOf(org), byName: map[model.Name][]*model.Vertex{}, byArc: map[*model.Arc]*model.Chain{}}
	for _, v := range org.Vertices {
		g.byName[v.Name] = append(g.byName[v.Name], v)
	}
	for _, c := range org.Chains {
		for _, h := range c.Hops {
			if w := g.byArc[h.Arc]; w == nil || c.Attempts().Compare(w.Attempts()) > 0 {
				g.byArc[h.Arc] = c
			}
		}
	}
	return g
}

// node is the vertex of a name in a repository, nil where there is none.
func (g *graph) node(name model.Name, repo string) *model.Vertex {
	vs := g.byName[name]
	for _, v := range vs {
		if v.Repo == repo {
			return v
		}
	}
	if len(vs) > 0 {
		return vs[0]
	}
	return nil
}

// upper is a layer above a node, with the arc that it is around.
type upper struct {
	layer *model.Layer
	arc   *model.Arc
	local bool // within the process of the node
}

// above lists the layers that repeat what a node does: those around the arcs that lead to it, nearest first. It goes up
// over the arcs that follow allows.
func above(v *model.Vertex, follow func(*model.Arc) bool) []upper {
	type item struct {
		v     *model.Vertex
		local bool
	}
	var out []upper
	if v == nil {
		return nil
	}
	seen := map[*model.Vertex]bool{v: true}
	have := map[*model.Layer]int{}
	queue := []item{{v, true}}
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		for _, a := range x.v.In {
			if !follow(a) {
				continue
			}
			local := x.local && a.InProcess()
			for _, l := range slices.Backward(a.Layers) {
				if i, ok := have[l]; ok {
					out[i].local = out[i].local || local
					continue
				}
				have[l] = len(out)
				out = append(out, upper{l, a, local})
			}
			if !seen[a.From] {
				seen[a.From] = true
				queue = append(queue, item{a.From, local})
			}
		}
	}
	return out
}

// inProcess follows calls only.
func inProcess(a *model.Arc) bool { return a.InProcess() && !a.Blind }

// outerKind reports whether a layer stands outside of the process that it repeats.
func outerKind(l *model.Layer) bool {
	switch l.Kind {
	case model.KindQueue, model.KindWorkflow, model.KindScheduler, model.KindJob, model.KindRestart, model.KindDelivery, model.KindProxy, model.KindMesh:
		return true
	}
	return false
}

// repeats reports whether a layer makes more than one attempt as far as is known.
func repeats(l *model.Layer) bool {
	return l != nil && l.Factor() && !l.Has(model.TraitWaitsForState) && !mayBeOnce(l)
}

// mayBeOnce reports whether it is open that a layer repeats anything: a client that was made out of sight, of which no
// setting says how often it tries.
func mayBeOnce(l *model.Layer) bool {
	return l.Kind == model.KindClient && l.Policy.Attempts.IsUnknown() && l.Policy.Attempts.Min() < 2 && len(l.SetBy) == 0 &&
		!slices.ContainsFunc(l.Refs, func(r model.Ref) bool { return r.Field == model.FieldAttempts && !r.Over })
}

// safeMethod reports whether requests of the method change nothing.
func safeMethod(m string) bool {
	switch m {
	case "GET", "HEAD", "OPTIONS", "TRACE":
		return true
	}
	return false
}

// idempotentMethod reports whether a request may be repeated by what its method says.
func idempotentMethod(m string) bool { return safeMethod(m) || m == "PUT" || m == "DELETE" }

// product is the attempts of several nested layers.
func product(ls []*model.Layer) model.Count {
	n := model.Exactly(1)
	for _, l := range ls {
		n = n.Times(l.Policy.Total())
	}
	return n
}

// through is the attempts that layers make of one call over its worst way. Layers of several callers, of which each has its own way
// to the call, do not multiply.
func (g *graph) through(a *model.Arc, ls []*model.Layer) model.Count {
	c := g.byArc[a]
	if c == nil || len(ls) < 2 {
		return product(ls)
	}
	var on []*model.Layer
	for _, l := range c.Layers() {
		if slices.Contains(ls, l) {
			on = append(on, l)
		}
	}
	if len(on) == 0 {
		return product(ls)
	}
	return product(on)
}

// many says a number of attempts in words: "4 attempts", "attempts without end", "several attempts".
func many(n model.Count, noun string) string {
	switch {
	case n.IsUnbounded():
		return noun + "s without end"
	case n.IsUnknown():
		return "several " + noun + "s"
	}
	return fmt.Sprintf("%s %ss", n, noun)
}

// keysOf is the number of keys in words.
func keysOf(n model.Count) string {
	switch {
	case n.IsUnbounded():
		return "a new key each"
	case n.IsUnknown():
		return "as many keys"
	}
	return n.String() + " keys"
}

// cut shortens an expression for a message.
func cut(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 60 {
		s = s[:57] + "..."
	}
	return s
}

// requestAt is the place where a missing key would be put: the request that is made, or else the call.
func requestAt(e *model.Edge) model.Location {
	if e.Key.How == model.KeyNone {
		return at(e.Key.At, e.At)
	}
	return e.At
}

// layerPlaces are the related places of layers.
func layerPlaces(ls []*model.Layer) []model.Related {
	var out []model.Related
	for _, l := range ls {
		out = append(out, model.Related{At: mend(l), Message: title(l) + ": " + tries(l) + suffix(byDefault(l))})
	}
	return out
}

func suffix(s string) string {
	if s == "" {
		return ""
	}
	return ", " + s
}

// where is a place in a message; the repository is left out where it is that of here.
func where(l, here model.Location) string {
	if l.Repo == here.Repo {
		l.Repo = ""
	}
	return l.String()
}
