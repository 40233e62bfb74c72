package analyzers

import (
	"slices"

	"github.com/retrylint/retrylint/model"
)

// prune drops what lies on no way to a layer, a mark or an effect: such functions change no answer. Edges whose target may
// lie in another repository stay. Calls of interface methods get the methods that may run, and plain edges that stay become
// edges of the facts.
func (r *Repo) prune(f *model.Facts, impl map[model.Name][]model.Name) {
	p := pruning{ids: make(map[model.Name]int32, len(f.Nodes))}
	for i := range f.Nodes {
		p.id(f.Nodes[i].Name)
	}
	p.here = int32(len(p.ids))
	for n := range r.keep {
		p.keep(n)
	}
	for i := range f.Layers {
		p.keep(f.Layers[i].In)
	}
	for i := range f.Boundaries {
		p.keep(f.Boundaries[i].In)
	}
	for i := range f.Nodes {
		if n := &f.Nodes[i]; len(n.Traits) > 0 || n.Kind == model.NodeMain {
			p.keep(n.Name)
		}
	}
	for i := range f.Handlers {
		p.keep(f.Handlers[i].Func)
	}
	for i := range f.Edges {
		e := &f.Edges[i]
		if alts := impl[e.To]; len(alts) > 0 && e.Kind == model.EdgeCall {
			e.Alternatives = slices.Compact(slices.Clone(alts))
		}
		if e.Kind != model.EdgeCall || e.Key.How != model.KeyUnknown {
			p.keep(e.From)
		}
		if !e.Key.BornIn.IsZero() {
			p.keep(e.Key.BornIn) // who calls it decides how many keys there are
		}
		p.call(e.From, e.To, e.Alternatives)
	}
	for _, u := range r.order {
		for i := range u.plainEdges {
			from, to := u.plainEdges[i].names()
			p.call(from, to, impl[to])
		}
	}
	p.spread()

	f.Nodes = slices.DeleteFunc(f.Nodes, func(n model.Node) bool { return !p.keeps(n.Name) })
	f.Edges = slices.DeleteFunc(f.Edges, func(e model.Edge) bool {
		return !p.keeps(e.From) || e.Kind == model.EdgeCall && len(e.Alternatives) == 0 && p.leadsNowhere(e.To)
	})
	for _, u := range r.order {
		for i := range u.plainEdges {
			from, to := u.plainEdges[i].names()
			alts := impl[to]
			if !p.keeps(from) || len(alts) == 0 && p.leadsNowhere(to) {
				continue
			}
			e := u.plainEdges[i].edge(u.repo)
			if len(alts) > 0 {
				e.Alternatives = slices.Compact(slices.Clone(alts))
			}
			f.Edges = append(f.Edges, e)
		}
		u.plainEdges = nil
	}
}

// pruning finds what is kept: what is said to be, and whatever calls it.
type pruning struct {
	ids     map[model.Name]int32
	here    int32     // ids below are of the repository's own nodes
	kept    []bool    // by id
	callers [][]int32 // by id
	queue   []int32   // kept, and their callers are not yet
}

func (p *pruning) id(n model.Name) int32 {
	i, ok := p.ids[n]
	if !ok {
		i = int32(len(p.ids))
		p.ids[n] = i
		p.kept, p.callers = append(p.kept, false), append(p.callers, nil)
	}
	return i
}

func (p *pruning) keep(n model.Name) { p.keepID(p.id(n)) }

func (p *pruning) keepID(i int32) {
	if !p.kept[i] {
		p.kept[i] = true
		p.queue = append(p.queue, i)
	}
}

// call notes a call. One that may lead into another repository keeps the caller.
func (p *pruning) call(from, to model.Name, alternatives []model.Name) {
	f, t := p.id(from), p.id(to)
	p.callers[t] = append(p.callers[t], f)
	for _, a := range alternatives {
		t := p.id(a)
		p.callers[t] = append(p.callers[t], f)
	}
	if t >= p.here && len(alternatives) == 0 && to.Space == model.SpaceFunc {
		p.keepID(f)
	}
}

func (p *pruning) spread() {
	for len(p.queue) > 0 {
		i := p.queue[len(p.queue)-1]
		p.queue = p.queue[:len(p.queue)-1]
		for _, c := range p.callers[i] {
			p.keepID(c)
		}
	}
}

func (p *pruning) keeps(n model.Name) bool {
	i, ok := p.ids[n]
	return ok && p.kept[i]
}

// leadsNowhere tells of a function of the repository that is not kept.
func (p *pruning) leadsNowhere(n model.Name) bool {
	i, ok := p.ids[n]
	return ok && i < p.here && !p.kept[i]
}
