package analyzers

import (
	"go/ast"
	"slices"

	"github.com/retrylint/retrylint/model"
)

// part is the part of a function that is a node of its own and holds a call; nil where there is none.
func (f *fn) part(c *ast.CallExpr) *fnPart {
	if p := f.partAt(c); p != nil && c != p.receive {
		return p
	}
	return nil
}

func (f *fn) partAt(n ast.Node) *fnPart {
	for i := range f.parts {
		if p := &f.parts[i]; p.from <= n.Pos() && n.End() <= p.to {
			return p
		}
	}
	return nil
}

// splitFuncs writes the nodes of parts.
func (u *unit) splitFuncs() {
	for _, f := range u.fns {
		for i, p := range f.parts {
			if slices.ContainsFunc(f.parts[:i], func(q fnPart) bool { return q.name == p.name }) {
				continue
			}
			u.facts.Nodes = append(u.facts.Nodes, model.Node{Name: p.name, Kind: model.NodeFunc, At: p.at, Dir: u.dir, Label: f.short() + ", for each message", Traits: f.traits})
		}
	}
}

// split gives marks that stand in a part of a function to the part's node.
func (r *Repo) split(f *model.Facts) {
	type span struct {
		from, to model.Location
		name     model.Name
	}
	spans := map[model.Name][]span{}
	for _, u := range r.order {
		for _, g := range u.fns {
			for _, p := range g.parts {
				from, to := u.fset.Position(p.from), u.fset.Position(p.to)
				spans[g.name] = append(spans[g.name], span{
					model.Location{Path: u.rel(from.Filename), Line: from.Line, Col: from.Column},
					model.Location{Path: u.rel(to.Filename), Line: to.Line, Col: to.Column}, p.name})
			}
		}
	}
	if len(spans) == 0 {
		return
	}
	move := func(n *model.Name, at model.Location) {
		for _, s := range spans[*n] {
			after := at.Line > s.from.Line || at.Line == s.from.Line && at.Col >= s.from.Col
			before := at.Line < s.to.Line || at.Line == s.to.Line && at.Col <= s.to.Col
			if at.Path == s.from.Path && after && before {
				*n = s.name
				return
			}
		}
	}
	for i := range f.Edges {
		if k := &f.Edges[i].Key; !k.BornIn.IsZero() {
			move(&k.BornIn, k.Born)
		}
	}
	for i := range f.Layers {
		if l := &f.Layers[i]; !l.Whole {
			at := l.At
			if !l.Call.IsZero() {
				at = l.Call
			}
			move(&l.In, at)
		}
	}
	for i := range f.Boundaries {
		if b := &f.Boundaries[i]; !b.Use.IsZero() {
			move(&b.In, b.Use)
		} else {
			move(&b.In, b.At)
		}
	}
}
