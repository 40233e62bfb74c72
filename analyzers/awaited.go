package analyzers

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// detached reports whether a call only starts what it runs: its caller does not ask how that ended.
func (u *unit) detached(s *site) bool {
	return s.lib != nil && s.lib.call != nil && s.lib.call.Waits != "" && !u.awaited(s.call, s.in, s.lib.call.Waits, 0)
}

// awaited reports whether a method of a call's first result is called, here or where the function returns it. A result that is
// handed to something unknown is taken for awaited.
func (u *unit) awaited(c *ast.CallExpr, f *fn, method string, depth int) bool {
	if depth > 4 {
		return true
	}
	var n ast.Node = c
	up := u.parent(n)
	for {
		if p, ok := up.(*ast.ParenExpr); ok {
			n, up = p, u.parent(p)
			continue
		}
		break
	}
	switch x := up.(type) {
	case *ast.SelectorExpr:
		return x.Sel.Name == method
	case *ast.ReturnStmt:
		return u.awaitedByCallers(f, method, depth)
	case *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt:
		return false
	case *ast.AssignStmt:
		if len(x.Lhs) == 0 || len(x.Rhs) != 1 {
			return true
		}
		id, ok := ast.Unparen(x.Lhs[0]).(*ast.Ident)
		if !ok {
			return true // kept somewhere
		}
		if id.Name == "_" {
			return false
		}
		o := u.object(id)
		return o == nil || u.usedFor(o, f, method, depth)
	case *ast.ValueSpec:
		return len(x.Names) == 0 || u.usedFor(u.object(x.Names[0]), f, method, depth)
	}
	return true
}

// usedFor reports whether the method of a variable is called, or the variable goes where nobody follows it.
func (u *unit) usedFor(o types.Object, f *fn, method string, depth int) bool {
	outer := f
	for outer.parent != nil {
		outer = outer.parent
	}
	if o == nil || outer.body == nil {
		return true
	}
	if v, ok := o.(*types.Var); !ok || u.pkg != nil && v.Parent() == u.pkg.Scope() {
		return true
	}
	found := false
	ast.Inspect(outer.body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || found || u.object(id) != o {
			return !found
		}
		switch p := u.parent(id).(type) {
		case *ast.SelectorExpr:
			found = p.Sel.Name == method
		case *ast.ReturnStmt:
			g := u.enclosing(id)
			found = g == nil || u.awaitedByCallers(g, method, depth)
		case *ast.AssignStmt:
			for _, r := range p.Rhs {
				found = found || ast.Unparen(r) == ast.Expr(id)
			}
		case *ast.BinaryExpr, *ast.ValueSpec:
		default:
			found = true // an argument, an element, a field
		}
		return !found
	})
	return found
}

// awaitedByCallers reports whether a caller of a function that returns such a result asks for the outcome. Callers that are not
// known do not count.
func (u *unit) awaitedByCallers(f *fn, method string, depth int) bool {
	for _, s := range f.callers {
		if s.in.unit.awaited(s.call, s.in, method, depth+1) {
			return true
		}
	}
	return false
}

// start makes the edge of a call that starts work elsewhere and does not wait for it: the product ends there, and what the start
// says about retries belongs to the work.
func (u *unit) start(s *site, r *region, to model.Name) {
	e := model.Edge{To: to, Kind: model.EdgePublish, Blind: true, Effect: true, Label: "start of a workflow"}
	if r != nil {
		r.used = true
		r.layer.In, r.layer.Whole = to, true
	}
	u.add(s, e)
}

// startCall makes the edge of a call that runs a workflow without retries of its own.
func (u *unit) startCall(s *site) bool {
	if s.lib == nil || s.lib.call == nil || s.lib.call.Waits == "" {
		return false
	}
	n, ok := strings.CutPrefix(s.lib.call.Runs, "arg ")
	i, isInt := parseInt(n)
	if !ok || !isInt || int(i) >= len(s.call.Args) {
		return false
	}
	to := u.started(s.call.Args[i], s.in)
	switch {
	case to.IsZero():
		return false
	case u.detached(s):
		u.start(s, nil, to)
	default:
		u.add(s, model.Edge{To: to, Kind: model.EdgeCall})
	}
	return true
}

// started is the name of the work that a call is told to run: a function of the repository, of another one, or a registered name.
func (u *unit) started(e ast.Expr, f *fn) model.Name {
	if g, _ := u.handlerFunc(e, f, 0); g != nil {
		return g.name
	}
	if v := u.value(e, f); v.IsStr && v.Str != "" {
		return model.N(model.SpaceQueue, "temporal:"+v.Str)
	}
	if t := u.foreignType(e); t != "" && strings.Contains(t, ".") {
		return model.N(model.SpaceFunc, t)
	}
	return model.Name{}
}
