package analyzers

import (
	"go/ast"
	"go/types"

	"github.com/retrylint/retrylint/model"
)

// transportEdges joins round trippers that are put into one another: what `t.next.RoundTrip(r)` runs is seen where the
// transports are made. So a key that is made beneath a retrying transport is told from one that is made above it.
func (u *unit) transportEdges() {
	t := u.tracing()
	for _, s := range u.sites {
		k := u.callee(s.call)
		if k.sel != "RoundTrip" || k.recv == nil || s.to != nil {
			continue
		}
		sel, ok := ast.Unparen(k.recv).(*ast.SelectorExpr)
		if !ok {
			continue
		}
		field, ok := u.object(sel.Sel).(*types.Var)
		if !ok || !field.IsField() {
			continue
		}
		var to []*fn
		for _, a := range t.fields[field] {
			if a.value != nil && a.in != nil {
				to = append(to, u.roundTrips(a.value, newFrame(a.in), 0)...)
			}
		}
		seen := map[*fn]bool{}
		for _, g := range to {
			if !seen[g] && g != s.in {
				seen[g] = true
				s.edges = append(s.edges, &model.Edge{From: s.in.name, To: g.name, Kind: model.EdgeCall, At: u.at(s.call), Under: layerIDs(s.under, s.in)})
				for _, r := range s.under {
					r.used = true
				}
			}
		}
	}
}

// roundTrips are the RoundTrip methods that an expression can stand for, as far as its type or its making says.
func (u *unit) roundTrips(e ast.Expr, f *frame, depth int) []*fn {
	if depth > 5 {
		return nil
	}
	if g := u.roundTrip(e); g != nil {
		return []*fn{g}
	}
	var out []*fn
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := u.object(x).(*types.Var)
		if !ok {
			return nil
		}
		t := u.tracing()
		owner := t.ownerOf(v, f.fn)
		if owner == nil {
			return nil
		}
		if i, isParam := paramIndex(u, owner, v); isParam {
			for _, s := range owner.callers {
				if a := argument(s.call, i, owner); a != nil && len(out) < 16 {
					out = append(out, s.in.unit.roundTrips(a, newFrame(s.in), depth+1)...)
				}
			}
			return out
		}
		for _, n := range u.setsOf(v) {
			if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
				for i, l := range a.Lhs {
					if id, ok := l.(*ast.Ident); ok && u.object(id) == types.Object(v) && a.Rhs[i] != e {
						out = append(out, u.roundTrips(a.Rhs[i], f, depth+1)...)
					}
				}
			}
		}
	case *ast.CallExpr:
		g := u.target(x)
		if g == nil || g.body == nil {
			return nil
		}
		inspectOwn(g.body, func(n ast.Node) bool {
			if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) > 0 {
				out = append(out, g.unit.roundTrips(r.Results[0], newFrame(g), depth+1)...)
			}
			return true
		})
	}
	return out
}
