package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// traitGuard notes a layer around a request that was handed in (a RoundTripper, a client of one's own) which asks for the
// request's method or key before it sends a second time: the answer ends the layer, or sets how often it may send.
func (u *unit) traitGuard(r *region) {
	if r.loop == nil || r.in == nil || r.in.body == nil {
		return
	}
	var req *types.Var
	for o := range r.in.params {
		if v, ok := o.(*types.Var); ok && strings.HasSuffix(namedText(v.Type()), "http.(*Request)") {
			req = v
		}
	}
	if req == nil {
		return
	}
	ast.Inspect(r.in.body, func(n ast.Node) bool {
		i, ok := n.(*ast.IfStmt)
		if !ok {
			return true
		}
		at := u.asksMethod(i.Cond, req, 0)
		if at == nil {
			return true
		}
		inLoop := r.loop.stmt.Pos() <= i.Pos() && i.End() <= r.loop.stmt.End()
		if inLoop && endsRound(i.Body) || !inLoop && i.End() <= r.loop.stmt.Pos() && (u.setsLimit(i.Body, r) || sendsOnce(i.Body)) {
			r.trait(model.TraitMethodGuard, u.at(at), "asks for the method or the key of a request before it is sent again")
		}
		return true
	})
	// for attempt := 0; attempt < max && repeatable(req); attempt++
	if f, ok := r.loop.stmt.(*ast.ForStmt); ok && f.Cond != nil {
		if at := u.asksMethod(f.Cond, req, 0); at != nil {
			r.trait(model.TraitMethodGuard, u.at(at), "asks for the method or the key of a request before it is sent again")
		}
	}
}

// asksMethod finds in a condition what depends on a request's method or key: req.Method itself, a function of the repository
// that is handed the request, a variable that holds the answer of either. A list that takes POST for as good as GET is none.
func (u *unit) asksMethod(e ast.Node, req types.Object, depth int) ast.Node {
	if depth > 3 || e == nil || req == nil {
		return nil
	}
	var found ast.Node
	ast.Inspect(e, func(n ast.Node) bool {
		if found != nil {
			return false
		}
		switch x := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := ast.Unparen(x.X).(*ast.Ident); ok && x.Sel.Name == "Method" && u.object(id) == req && !mixesMethods(e) {
				found = x
			}
		case *ast.CallExpr:
			if k := u.callee(x); k.sel == "Get" && len(x.Args) == 1 && strings.Contains(written(x.Fun), "Header") {
				if s, ok := u.tracing().constantText(x.Args[0]); ok && isKeyHeader(s) && rootIs(u, x.Fun, req) {
					found = x
					return false
				}
			}
			g := u.target(x)
			if g == nil || g.body == nil {
				return true
			}
			for i, a := range x.Args {
				var p types.Object
				switch id, ok := ast.Unparen(a).(*ast.Ident); {
				case ok && u.object(id) == req:
					p = paramObject(g, i)
				case methodOf(a) && rootIs(u, a, req):
					if v := paramObject(g, i); v != nil && mentions(g.unit, g.body, v) && !mixesMethods(g.body) && namesSafeMethod(g.body) {
						found = x
					}
					continue
				default:
					continue
				}
				if v, ok := p.(*types.Var); ok && v != nil && !mixesMethods(g.body) && g.unit.asksMethod(g.body, v, depth+1) != nil {
					found = x
				}
			}
		case *ast.Ident:
			v, ok := u.object(x).(*types.Var)
			if !ok || v == req || v.IsField() {
				return true
			}
			if b, ok := v.Type().Underlying().(*types.Basic); !ok || b.Kind() != types.Bool {
				return true
			}
			for _, s := range u.setsOf(v) {
				if r := setExpr(s, v, u); r != nil && u.asksMethod(r, req, depth+1) != nil {
					found = x
				}
			}
		}
		return found == nil
	})
	return found
}

func methodOf(e ast.Expr) bool {
	s, ok := ast.Unparen(e).(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Method"
}

func rootIs(u *unit, e ast.Expr, o types.Object) bool {
	id := rootIdent(e)
	return id != nil && u.object(id) == o
}

// methodNames are the methods that a piece of code names, as constants of net/http or as texts.
func methodNames(n ast.Node) map[string]bool {
	out := map[string]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.SelectorExpr:
			if m, ok := strings.CutPrefix(x.Sel.Name, "Method"); ok && m != "" {
				out[strings.ToUpper(m)] = true
			}
		case *ast.BasicLit:
			if x.Kind == token.STRING {
				out[strings.ToUpper(strings.Trim(x.Value, "\"`"))] = true
			}
		}
		return true
	})
	return out
}

// mixesMethods reports whether code treats POST like GET.
func mixesMethods(n ast.Node) bool {
	m := methodNames(n)
	return m["GET"] && (m["POST"] || m["PATCH"])
}

func namesSafeMethod(n ast.Node) bool {
	m := methodNames(n)
	return m["GET"] || m["HEAD"] || m["PUT"] || m["POST"] || m["DELETE"]
}

// endsRound reports whether a block leaves the loop.
func endsRound(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch s := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.BREAK || s.Tok == token.GOTO
	}
	return false
}

// sendsOnce reports whether a block before the loop gives the request away and returns.
func sendsOnce(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	r, ok := b.List[len(b.List)-1].(*ast.ReturnStmt)
	if !ok || len(r.Results) == 0 {
		return false
	}
	_, call := ast.Unparen(r.Results[0]).(*ast.CallExpr)
	return call
}

// setsLimit reports whether a block sets a variable that the loop is bounded by.
func (u *unit) setsLimit(b *ast.BlockStmt, r *region) bool {
	set := map[types.Object]bool{}
	ast.Inspect(b, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			for _, l := range a.Lhs {
				if o := u.lvalue(l); o != nil && isInteger(o.Type()) {
					set[o] = true
				}
			}
		}
		return true
	})
	found := false
	if len(set) > 0 {
		ast.Inspect(r.loop.stmt, func(n ast.Node) bool {
			x, ok := n.(*ast.BinaryExpr)
			if ok && (x.Op == token.LSS || x.Op == token.LEQ || x.Op == token.GEQ || x.Op == token.GTR || x.Op == token.EQL) && u.mentions(x, set) {
				found = true
			}
			if rg, ok := n.(*ast.RangeStmt); ok && u.mentions(rg.X, set) {
				found = true
			}
			return !found
		})
	}
	return found
}
