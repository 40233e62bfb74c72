package analyzers

import (
	"maps"

	"github.com/retrylint/retrylint/model"
)

// prune drops what lies on no way to a layer, a mark or an effect: such functions change no answer. Edges whose target may
// lie in another repository stay.
func prune(f *model.Facts, also map[model.Name]bool) {
	keep := maps.Clone(also)
	if keep == nil {
		keep = map[model.Name]bool{}
	}
	for i := range f.Layers {
		keep[f.Layers[i].In] = true
	}
	for i := range f.Boundaries {
		keep[f.Boundaries[i].In] = true
	}
	for i := range f.Nodes {
		if n := &f.Nodes[i]; len(n.Traits) > 0 || n.Kind == model.NodeMain {
			keep[n.Name] = true
		}
	}
	here := map[model.Name]bool{}
	for i := range f.Nodes {
		here[f.Nodes[i].Name] = true
	}
	callers := map[model.Name][]model.Name{}
	var queue []model.Name
	for i := range f.Edges {
		e := &f.Edges[i]
		if e.Kind != model.EdgeCall || e.Key.How != model.KeyUnknown {
			keep[e.From] = true
		}
		if !e.Key.BornIn.IsZero() {
			keep[e.Key.BornIn] = true // who calls it decides how many keys there are
		}
		for _, to := range append([]model.Name{e.To}, e.Alternatives...) {
			callers[to] = append(callers[to], e.From)
		}
		if !here[e.To] && len(e.Alternatives) == 0 && e.To.Space == model.SpaceFunc {
			keep[e.From] = true
		}
	}
	for i := range f.Handlers {
		keep[f.Handlers[i].Func] = true
	}
	for n := range keep {
		queue = append(queue, n)
	}
	for len(queue) > 0 {
		n := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, c := range callers[n] {
			if !keep[c] {
				keep[c] = true
				queue = append(queue, c)
			}
		}
	}
	nodes := f.Nodes[:0]
	for _, n := range f.Nodes {
		if keep[n.Name] {
			nodes = append(nodes, n)
		}
	}
	f.Nodes = nodes
	edges := f.Edges[:0]
	for _, e := range f.Edges {
		if !keep[e.From] {
			continue
		}
		if e.Kind == model.EdgeCall && here[e.To] && !keep[e.To] && len(e.Alternatives) == 0 {
			continue
		}
		edges = append(edges, e)
	}
	f.Edges = edges
}
