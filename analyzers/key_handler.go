package analyzers

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// handlerKeys notes which handlers take an idempotency key from their request: from a header, from metadata, or from a
// field of a message that they are given.
func (u *unit) handlerKeys() {
	byName := map[model.Name]*fn{}
	for _, g := range u.fns {
		byName[g.name] = g
	}
	for i := range u.facts.Handlers {
		h := &u.facts.Handlers[i]
		if h.ReadsKey {
			continue
		}
		g := byName[h.Func]
		if g == nil {
			g = u.shared.byName(h.Func)
		}
		if g == nil || g.body == nil {
			continue
		}
		if name, at, ok := g.unit.keyRead(g, 0); ok {
			h.ReadsKey, h.KeyName, h.KeyAt = true, name, at
		}
	}
}

// byName finds a function of the repository.
func (r *Repo) byName(n model.Name) *fn {
	if n.IsZero() {
		return nil
	}
	for _, u := range r.order {
		if !strings.HasPrefix(n.Key, u.path+".") {
			continue
		}
		for _, g := range u.fns {
			if g.name == n {
				return g
			}
		}
	}
	return nil
}

// keyRead finds the place where a function, or one that it hands its request to, reads a key.
func (u *unit) keyRead(g *fn, depth int) (name string, at model.Location, ok bool) {
	t := u.tracing()
	ast.Inspect(g.body, func(n ast.Node) bool {
		if ok {
			return false
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			k := u.callee(n)
			switch k.sel {
			case "Get", "GetHeader", "Header", "Peek", "Values", "ValueFromIncomingContext":
				for _, a := range n.Args {
					if s, isText := t.constantText(a); isText && isKeyHeader(s) && !responseHeader(written(n.Fun)) {
						name, at, ok = s, u.at(n), true
						return false
					}
				}
			case "GetIdempotencyKey":
				if len(n.Args) == 0 {
					name, at, ok = "idempotency_key", u.at(n), true
					return false
				}
			}
			if depth < 2 && !ok {
				if h := u.target(n); h != nil && h != g && h.body != nil && takesRequest(h) {
					name, at, ok = h.unit.keyRead(h, depth+1)
				}
			}
		case *ast.IndexExpr:
			if s, isText := t.constantText(n.Index); isText && isKeyHeader(s) && strings.Contains(written(n.X), "Header") {
				name, at, ok = s, u.at(n), true
			}
		case *ast.SelectorExpr:
			v, isVar := u.object(n.Sel).(*types.Var)
			if isVar && v.IsField() && strings.Contains(strings.ToLower(v.Name()), "idempotencykey") && !assignedTo(u, n) {
				name, at, ok = v.Name(), u.at(n), true
			}
		}
		return !ok
	})
	return name, at, ok
}

// assignedTo reports whether a selector stands on the left of an assignment.
func assignedTo(u *unit, s *ast.SelectorExpr) bool {
	a, ok := u.parent(s).(*ast.AssignStmt)
	if !ok {
		return false
	}
	for _, l := range a.Lhs {
		if l == ast.Expr(s) {
			return true
		}
	}
	return false
}

// takesRequest reports whether a function is handed a request, a header or a context of a web framework.
func takesRequest(g *fn) bool {
	if g.typ == nil || g.typ.Params == nil {
		return false
	}
	for _, p := range g.typ.Params.List {
		s := written(p.Type)
		if strings.HasSuffix(s, "Request") || strings.HasSuffix(s, "Header") || strings.HasSuffix(s, "Context") || strings.HasSuffix(s, "Ctx") {
			return true
		}
	}
	return false
}
