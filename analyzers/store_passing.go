package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// passing reports whether a call works on a map in a struct that the caller has just made and that ends with it, as the
// queue of a graph's walk does: like a local map it remembers nothing. Where the loop around the call takes work from
// outside (for ever, from a channel, while there is another row) the struct lives as long as the program.
func (t *tracer) passing(c *ast.CallExpr, o storeOp, g *fn) bool {
	x, ok := o.inner.(*ast.IndexExpr)
	if a, isAssign := o.inner.(*ast.AssignStmt); isAssign && len(a.Lhs) == 1 {
		x, ok = a.Lhs[0].(*ast.IndexExpr)
	}
	if !ok {
		return false
	}
	field, ok := x.X.(*ast.SelectorExpr)
	if !ok || !isReceiver(o.in.unit, o.in, o.in.unit.object(identOf(field.X))) {
		return false
	}
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	v := asVar(t.u.object(identOf(sel.X)))
	if v == nil || t.global[v] || t.ownerOf(v, g) != g || isReceiver(t.u, g, v) {
		return false
	}
	if _, ok := paramIndex(t.u, g, v); ok {
		return false
	}
	sets := 0
	for _, id := range t.usesOf(v) {
		a, ok := t.u.parent(id).(*ast.AssignStmt)
		if !ok || !slices.Contains(a.Lhs, ast.Expr(id)) {
			continue
		}
		if sets++; len(a.Lhs) != len(a.Rhs) || !t.makesStruct(a.Rhs[slices.Index(a.Lhs, ast.Expr(id))], 0) {
			return false
		}
	}
	if sets == 0 {
		return false
	}
	for n := ast.Node(c); n != nil && n != g.node(); n = t.u.parent(n) {
		switch l := n.(type) {
		case *ast.ForStmt:
			if _, call := l.Cond.(*ast.CallExpr); call || l.Cond == nil {
				return false
			}
		case *ast.RangeStmt:
			if typ := t.u.typeOf(l.X); typ == nil || isChannel(typ) {
				return false
			}
		}
	}
	return true
}

// makesStruct reports whether an expression makes a struct: a literal, or a call of a function that returns one.
func (t *tracer) makesStruct(e ast.Expr, depth int) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return x.Op == token.AND && t.makesStruct(x.X, depth)
	case *ast.CompositeLit:
		return true
	case *ast.Ident: // the variable that a constructor returns
		for _, id := range t.usesOf(t.u.object(x)) {
			if a, ok := t.u.parent(id).(*ast.AssignStmt); ok && a.Tok == token.DEFINE && len(a.Lhs) == 1 && a.Lhs[0] == ast.Expr(id) {
				return depth == 1 && t.makesStruct(a.Rhs[0], depth+1)
			}
		}
	case *ast.CallExpr:
		g := t.u.target(x)
		if g == nil || g.body == nil || g.unit != t.u || depth > 0 || len(g.body.List) == 0 {
			return false
		}
		r, ok := g.body.List[len(g.body.List)-1].(*ast.ReturnStmt)
		return ok && len(r.Results) == 1 && t.makesStruct(r.Results[0], depth+1)
	}
	return false
}

func identOf(e ast.Expr) *ast.Ident { id, _ := ast.Unparen(e).(*ast.Ident); return id }

func isChannel(t types.Type) bool { _, ok := t.Underlying().(*types.Chan); return ok }
