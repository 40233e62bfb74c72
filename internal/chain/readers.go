package chain

import (
	"slices"

	"github.com/retrylint/retrylint/model"
)

// readers drops what a heuristic read in a configuration where it turned out that code reads the same setting: the code says
// what the number means and what is repeated, so the layer is the code's alone.
func (b *builder) readers() {
	read := map[model.Location]bool{}
	for _, l := range b.layers {
		if l.v.Kind != model.KindConfig {
			for _, at := range l.v.SetBy {
				read[at] = true
			}
		}
	}
	for _, w := range b.boundaries {
		for _, at := range w.v.SetBy {
			read[at] = true
		}
	}
	if len(read) == 0 {
		return
	}
	gone := map[model.Name]bool{}
	superseded := func(l *model.Layer) bool { return l.Kind == model.KindConfig && read[l.At] }
	for _, l := range b.layers {
		if superseded(l.v) {
			gone[l.v.In] = true
			delete(b.org.ByLayer, l.v.ID)
		}
	}
	b.layers = slices.DeleteFunc(b.layers, func(l *owned[model.Layer]) bool { return superseded(l.v) })
	b.org.Layers = slices.DeleteFunc(b.org.Layers, superseded)
	b.nodes = slices.DeleteFunc(b.nodes, func(n *owned[model.Node]) bool { return gone[n.v.Name] })
	b.edges = slices.DeleteFunc(b.edges, func(e *owned[model.Edge]) bool { return gone[e.v.From] })
	b.boundaries = slices.DeleteFunc(b.boundaries, func(w *owned[model.Boundary]) bool {
		if w.v.Unconfirmed && w.v.In.Space == model.SpaceConfig && read[w.v.At] {
			delete(b.org.ByBoundary, w.v.ID)
			return true
		}
		return false
	})
}
