package chain

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/retrylint/retrylint/model"
)

// helpers makes a layer of each call of a retry helper that lies in another repository or package: the helper's own, with the
// numbers that the call passes.
func (b *builder) helpers(facts []*model.Facts) {
	type arg struct {
		fn model.Name
		n  int
	}
	known := map[arg][]*owned[model.Helper]{}
	for _, f := range facts {
		for i := range f.Helpers {
			h := &f.Helpers[i]
			known[arg{h.Func, h.Arg}] = append(known[arg{h.Func, h.Arg}], &owned[model.Helper]{h, f.Repo.Name})
		}
	}
	if len(known) == 0 {
		return
	}
	made := map[string]string{}
	count := map[model.Name]int{}
	for _, e := range b.edges {
		w := e.v.Handed
		if w.Func.IsZero() {
			continue
		}
		hs := known[arg{w.Func, w.Arg}]
		if len(hs) == 0 {
			continue
		}
		place := w.At.String() + fmt.Sprint(w.At.Col) + e.repo
		id := made[place]
		if id == "" {
			count[e.v.From]++
			l := hs[0].v.Layer
			l.ID = fmt.Sprintf("helper/%s/%s#%d", e.repo, e.v.From.Key, count[e.v.From])
			l.Of, l.In, l.Whole = hs[0].v.Layer.ID, e.v.From, false
			l.Call, l.At = l.At, w.At
			l.SetBy = append([]model.Location{l.Call}, l.SetBy...)
			b.passedTo(&l, hs[0].v, w)
			id = l.ID
			made[place] = id
			o := &owned[model.Layer]{&l, hs[0].repo}
			b.layers = append(b.layers, o)
			b.org.ByLayer[id] = o.v
			b.org.Layers = append(b.org.Layers, o.v)
		}
		if !slices.Contains(e.v.Under, id) {
			e.v.Under = append(slices.Clone(e.v.Under), id)
		}
	}
	slices.SortStableFunc(b.org.Layers, func(x, y *model.Layer) int { return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.ID, y.ID)) })
}

// passedTo fills what a helper's layer takes from arguments; an argument that is not known makes it unknown.
func (b *builder) passedTo(l *model.Layer, h *model.Helper, w model.Handed) {
	for _, p := range h.Params {
		i := slices.IndexFunc(w.Given, func(g model.Given) bool { return g.Arg == p.Arg })
		if p.Field == model.FieldAttempts {
			l.Policy.Attempts = model.Count{}
			if i >= 0 {
				l.Policy.Attempts, l.Origin = model.Exactly(max(w.Given[i].Value+p.Offset, 0)), model.OriginExplicit
			}
			continue
		}
		forget(l, p.Field)
		if i >= 0 && w.Given[i].Value >= 0 {
			fillDuration(&l.Policy, p.Field, time.Duration(w.Given[i].Value))
		}
	}
}
