package chain

import (
	"slices"

	"github.com/retrylint/retrylint/model"
)

// alternatives leaves one layer where several files say the same thing of one node: the templates of two environments that
// both set up the queue "orders" describe one redelivery, and the worst of them counts. Without it they would multiply.
// Layers of two environments of one set stay; a chain is judged in one of them at a time (environments.go).
func alternatives(ls []*model.Layer) []*model.Layer {
	if len(ls) < 2 {
		return ls
	}
	var out []*model.Layer
	for _, l := range ls {
		i := slices.IndexFunc(out, func(o *model.Layer) bool { return sameSetting(o, l) && !model.Apart(o, l) })
		switch {
		case i < 0:
			out = append(out, l)
		case l.Policy.Total().Compare(out[i].Policy.Total()) > 0:
			out[i] = l
		}
	}
	return out
}

// sameSetting reports whether two layers of one node are the same setting in two files, or of one workload that a file sets up
// twice (for two clusters, say).
func sameSetting(a, b *model.Layer) bool {
	if a.Kind != b.Kind || a.Label != b.Label || a.Kind == model.KindLoop || a.Kind == model.KindDeclared {
		return false
	}
	return a.At.Repo != b.At.Repo || a.At.Path != b.At.Path || a.In.Space == model.SpaceWorkload && a.In == b.In
}
