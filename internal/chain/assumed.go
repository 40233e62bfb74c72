package chain

import (
	"slices"

	"github.com/retrylint/retrylint/model"
)

// dropAssumed takes redeliveries out of which only a consumer's code tells: where the settings of the queue are in the scan, which
// say it better, and where no key is made beneath, which is all that they are there for.
func (b *builder) dropAssumed() {
	b.org.Layers = slices.DeleteFunc(b.org.Layers, func(l *model.Layer) bool {
		if !l.Has(model.TraitAssumed) {
			return false
		}
		vs := b.defs[l.In]
		if slices.ContainsFunc(vs, makesKey) && !slices.ContainsFunc(vs, b.queueKnown) {
			return false
		}
		for _, v := range vs {
			for _, a := range v.Out {
				a.Layers = slices.DeleteFunc(a.Layers, func(x *model.Layer) bool { return x == l })
			}
		}
		b.whole[l.In] = slices.DeleteFunc(b.whole[l.In], func(x *model.Layer) bool { return x == l })
		return true
	})
}

// queueKnown reports whether the redelivery of a consumer's queue is set in the scan.
func (b *builder) queueKnown(v *model.Vertex) bool {
	for _, a := range v.In {
		if a.From.Name.Space == model.SpaceQueue && slices.ContainsFunc(a.Layers, func(l *model.Layer) bool { return l.Kind == model.KindQueue && !l.Has(model.TraitAssumed) }) {
			return true
		}
	}
	return false
}

// makesKey reports whether the program makes an idempotency key in what a node runs.
func makesKey(v *model.Vertex) bool {
	seen := map[*model.Vertex]bool{v: true}
	queue := []*model.Vertex{v}
	for len(queue) > 0 && len(seen) < 1000 {
		x := queue[0]
		queue = queue[1:]
		for _, a := range x.Out {
			if a.Edge != nil && a.Edge.Key.How == model.KeyMade {
				return true
			}
			if a.InProcess() && !a.Blind && !seen[a.To] {
				seen[a.To] = true
				queue = append(queue, a.To)
			}
		}
	}
	return false
}
