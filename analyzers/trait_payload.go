package analyzers

import (
	"go/ast"
	"go/types"

	"github.com/retrylint/retrylint/model"
)

// traitPayload looks for bodies of requests into which each attempt puts something else: the clock, randomness, the number
// of the attempt. Headers are meant to change and do not count.
func (u *unit) traitPayload(r *region) {
	if u.opBody(r) == nil && !isLoop(r.node) {
		return
	}
	reach := u.reach(r)
	inside := func(n ast.Node) bool {
		for _, b := range reach {
			if contains(b, n) {
				return true
			}
		}
		return false
	}
	eachCall(reach, func(c *ast.CallExpr) {
		body := u.bodyArg(c)
		if body == nil || isNilExpr(body) || r.layer.Has(model.TraitPayloadFresh) {
			return
		}
		in := u.fnAt(c.Pos())
		if in == nil {
			return
		}
		for _, e := range append([]ast.Expr{body}, u.fieldsSet(reach, inside, body)...) {
			for _, b := range u.origin(e, in).births {
				src := b.source & (model.FromRandom | model.FromClock | model.FromAttempt)
				if src == 0 || b.node == nil || !inside(b.node) {
					continue
				}
				r.trait(model.TraitPayloadFresh, u.at(b.node), src.Words()[0])
				return
			}
		}
	})
}

// fieldsSet lists what each attempt assigns to fields of the variables from which a body is made.
func (u *unit) fieldsSet(reach []ast.Node, inside func(ast.Node) bool, body ast.Expr) []ast.Expr {
	vars := map[types.Object]bool{}
	var follow func(e ast.Expr, depth int)
	follow = func(e ast.Expr, depth int) {
		if depth > 4 {
			return
		}
		ast.Inspect(e, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			v, ok := u.object(id).(*types.Var)
			if !ok || vars[v] || v.IsField() {
				return true
			}
			vars[v] = true
			for _, s := range u.setsOf(v) {
				if inside(s) {
					for _, x := range setValues(s) {
						follow(x, depth+1)
					}
				}
			}
			return true
		})
	}
	follow(body, 0)
	var out []ast.Expr
	for _, n := range reach {
		ast.Inspect(n, func(n ast.Node) bool {
			a, ok := n.(*ast.AssignStmt)
			if !ok || len(a.Lhs) != len(a.Rhs) {
				return true
			}
			for i, l := range a.Lhs {
				s, ok := ast.Unparen(l).(*ast.SelectorExpr)
				if !ok {
					continue
				}
				if id := rootIdent(s.X); id != nil && vars[u.object(id)] && !u.isRequest(s.X) {
					out = append(out, a.Rhs[i])
				}
			}
			return true
		})
	}
	return out
}

// bodyArg is the body of the request that a call makes or sends; nil where it is no such call.
func (u *unit) bodyArg(c *ast.CallExpr) ast.Expr {
	k := u.callee(c)
	if k.pkg != "net/http" {
		return nil
	}
	i := -1
	switch k.sel {
	case "NewRequest", "Post":
		i = 2
	case "NewRequestWithContext":
		i = 3
	case "PostForm":
		i = 1
	}
	if i < 0 || i >= len(c.Args) {
		return nil
	}
	return c.Args[i]
}
