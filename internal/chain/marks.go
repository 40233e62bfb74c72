package chain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// marks hangs boundaries and dead letters onto their vertices.
func (b *builder) marks() {
	for _, w := range b.boundaries {
		for _, v := range b.markVertices(w.repo, w.v.In) {
			v.Boundaries = append(v.Boundaries, w.v)
		}
	}
	for _, d := range b.dead {
		for _, v := range b.markVertices(d.repo, d.v.Of) {
			v.DeadLetters = append(v.DeadLetters, d.v)
		}
	}
}

// dropRecords takes the calls of a dedupe memory out of the graph where the memory is a cache of its own: that a claim is asked
// or written several times is part of the boundary, not one more effect of the intent.
func (b *builder) dropRecords() {
	for _, v := range b.org.Vertices {
		if !slices.ContainsFunc(v.Boundaries, func(w *model.Boundary) bool { return cacheKind(w.Kind) != "" }) {
			continue
		}
		v.Out = slices.DeleteFunc(v.Out, func(a *model.Arc) bool {
			if a.Edge.Kind != model.EdgeStore || len(a.To.Out) > 0 {
				return false
			}
			drop := slices.ContainsFunc(v.Boundaries, func(w *model.Boundary) bool {
				k := cacheKind(w.Kind)
				return k != "" && strings.Contains(strings.ToLower(a.To.Name.Key), k)
			})
			if drop {
				a.To.In = slices.DeleteFunc(a.To.In, func(x *model.Arc) bool { return x == a })
			}
			return drop
		})
	}
}

// cacheKind is the word by which calls of a key-value store that keeps records are known; "" for databases, in which the
// effect may lie too.
func cacheKind(kind string) string {
	for _, k := range []string{"redis", "memcache", "rueidis"} {
		if strings.Contains(kind, k) {
			return k
		}
	}
	return ""
}

// markVertices finds what a mark on a name stands on: the name's own vertex, or everything that serves for a service, a
// workload or a repository of that name.
func (b *builder) markVertices(repo string, name model.Name) []*model.Vertex {
	switch name.Space {
	case model.SpaceRepo:
		var out []*model.Vertex
		for _, u := range append(slices.Clone(b.repoUnits[name.Key]), b.byWord[strings.ToLower(name.Key)]...) {
			out = append(out, b.serviceVertices(u)...)
		}
		return uniq(out)
	case model.SpaceWorkload, model.SpaceHost, model.SpaceImage:
		var out []*model.Vertex
		if v := b.vertex[vertexKey{repo, name}]; v != nil {
			out = append(out, v)
		}
		us := b.byName[name]
		if name.Space == model.SpaceHost && len(us) == 0 {
			us = b.hostUnits(name.Key, repo)
		}
		for _, u := range distinct(us) {
			out = append(out, b.serviceVertices(u)...)
		}
		if len(out) > 0 {
			return uniq(out)
		}
	}
	return b.resolve(repo, name)
}

// serviceVertices are the handlers and consumers of a unit's code, and the unit's own vertex.
func (b *builder) serviceVertices(u *unit) []*model.Vertex {
	var out []*model.Vertex
	u = u.find()
	for _, c := range u.code {
		for _, v := range b.handlerBy[c.repo] {
			if c.dir == "" || c.dir == "." || !otherProgram(v.Handler.Dir, c.dir, b.dirsOf(c.repo)) {
				out = append(out, v)
			}
		}
		if !c.main.IsZero() {
			out = append(out, b.resolve(c.repo, c.main)...)
		}
	}
	return append(out, b.unitVertex(u))
}

func uniq(vs []*model.Vertex) []*model.Vertex {
	var out []*model.Vertex
	for _, v := range vs {
		out = appendNew(out, v)
	}
	return out
}

// loneLayers gives layers that stand on a node from which nothing goes out an operation of their own, so that the chain
// exists and can be judged.
func (b *builder) loneLayers() {
	var names []model.Name
	for n := range b.whole {
		names = append(names, n)
	}
	slices.SortFunc(names, model.Name.Compare)
	for _, n := range names {
		l := b.whole[n][0]
		for _, v := range b.resolve(l.At.Repo, n) {
			if len(v.Out) == 0 && !b.topicsOf(n) {
				op := b.define(l.At.Repo, model.N(model.SpaceOp, n.String()+"#work"))
				op.Label = "what " + cmp.Or(v.Label, n.Key) + " does"
				op.At = l.At
				b.arc(v, op, &owned[model.Edge]{&model.Edge{From: n, To: op.Name, Kind: model.EdgeCall, At: l.At}, l.At.Repo}, false)
			}
		}
	}
	// Routes whose callers are not in the scan: a client outside, or another team's workload.
	passed := map[*model.Route]bool{}
	for _, v := range b.org.Vertices {
		for _, a := range v.Out {
			for _, r := range a.Routes {
				passed[r] = true
			}
		}
	}
	type lone struct {
		r    *owned[model.Route]
		e    *owned[model.Edge]
		ways []way
	}
	var all []lone
	for _, r := range b.routes {
		l := b.org.ByLayer[r.v.Layer]
		if passed[r.v] || l == nil {
			continue
		}
		hosts := r.v.Dest
		if len(hosts) == 0 {
			hosts = r.v.Hosts
		}
		e := &owned[model.Edge]{&model.Edge{From: r.v.Name, Kind: model.EdgeRequest, At: r.v.At}, r.repo}
		if len(r.v.Match) == 1 {
			e.v.Method, e.v.Path = r.v.Match[0].Method, cmp.Or(r.v.Match[0].Path, r.v.Match[0].Prefix)
		}
		if e.v.Method == "" && l.Has(model.TraitAnyMethod) && len(r.v.Match) <= 1 {
			// A setting asks for requests that are not idempotent to be repeated: some that pass are, and nobody keeps them apart.
			e.v.Effect, e.v.Label = true, "request of any method"
		}
		if len(hosts) == 0 {
			hosts = []model.Name{model.N(model.SpaceOp, r.v.Name.String()+"#upstream")}
		}
		e.v.To = hosts[0]
		x := lone{r: r, e: e}
		own := []*owned[model.Route]{r}
		for _, h := range hosts {
			if h.Space == model.SpaceHost {
				x.ways = append(x.ways, b.ways([]model.Name{h}, e, own, r.v.Hosts)...)
				continue
			}
			for _, to := range b.resolve(r.repo, h) {
				x.ways = append(x.ways, way{to, own})
			}
		}
		all = append(all, x)
	}
	for _, x := range all {
		for _, w := range x.ways {
			for _, r := range w.routes[1:] {
				passed[r.v] = true // another route leads to it
			}
		}
	}
	for _, x := range all {
		if passed[x.r.v] {
			continue
		}
		from := b.define(x.r.repo, x.r.v.Name)
		from.Kind, from.At = model.NodeRoute, x.r.v.At
		seen := map[*model.Vertex]bool{}
		for _, w := range x.ways {
			if !seen[w.to] {
				seen[w.to] = true
				b.through(b.arc(from, w.to, x.e, len(x.ways) > 1), w.routes)
			}
		}
	}
}
