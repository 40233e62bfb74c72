package analyzers

import (
	"go/ast"
	"go/types"

	"github.com/retrylint/retrylint/model"
)

// deadlineAbove asks whether every way into a function brings a context with a time limit, so that a loop which works under
// that context ends. The limit is the longest one; it is unknown where one of them is.
func (u *unit) deadlineAbove(f *fn, l *loop) (lim model.Limit, at model.Location, ok bool) {
	// The contexts of the function and of those around it that the loop uses.
	var found bool
	seen := map[types.Object]bool{}
	ast.Inspect(l.stmt, func(n ast.Node) bool {
		id, isIdent := n.(*ast.Ident)
		if !isIdent || found {
			return !found
		}
		o, isVar := u.object(id).(*types.Var)
		if !isVar || seen[o] || !isContextLike(o.Type()) || l.body.Pos() <= o.Pos() && o.Pos() < l.body.End() {
			return true
		}
		seen[o] = true
		w := &deadlineWalk{seen: map[*fn]bool{}}
		w.variable(u, f, o, 0)
		if w.some && !w.none {
			lim, at, found = w.limit, w.at, true
		}
		return true
	})
	return lim, at, found
}

// deadlineWalk goes up the callers with a context.
type deadlineWalk struct {
	seen  map[*fn]bool
	some  bool // a way with a time limit
	none  bool // a way without one, or one that nobody knows
	limit model.Limit
	at    model.Location
}

func (w *deadlineWalk) found(u *unit, t contextLimit) {
	lim := limitOf(t.value)
	if !w.some {
		w.limit, w.at = lim, u.at(t.call)
	} else {
		w.limit = w.limit.Max(lim)
	}
	w.some = true
}

// variable follows a context variable to where it is made.
func (w *deadlineWalk) variable(u *unit, f *fn, o types.Object, depth int) {
	if depth > 60 || w.none {
		w.none = w.none || depth > 60
		return
	}
	for g := f; g != nil; g = g.parent {
		for _, t := range u.contextLimits(g) {
			if t.ctx == o {
				w.found(u, t)
				return
			}
		}
	}
	if owner, i := u.paramOwner(o, f); owner != nil {
		w.param(owner, i, depth)
		return
	}
	// ctx, cancel := context.WithCancel(parent), context.WithValue(parent, ...)
	for _, n := range u.setsOf(o) {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Rhs) == 0 {
			continue
		}
		w.expr(u, f, a.Rhs[0], depth+1)
		return
	}
	w.none = true
}

// expr follows a context expression.
func (w *deadlineWalk) expr(u *unit, f *fn, e ast.Expr, depth int) {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		if o := u.object(x); o != nil {
			w.variable(u, f, o, depth+1)
			return
		}
	case *ast.CallExpr:
		k := u.callee(x)
		switch {
		case isWord(k.name, "context.WithTimeout", "context.WithDeadline", "context.WithTimeoutCause", "context.WithDeadlineCause"):
			for _, t := range u.contextLimits(f) {
				if t.call == x {
					w.found(u, t)
					return
				}
			}
			w.some = true
			return
		case isWord(k.name, "context.Background", "context.TODO", "context.WithoutCancel"):
			w.none = true
			return
		}
		// A context made from another: the first argument that is one.
		for _, a := range x.Args {
			if isContextLike(u.typeOf(a)) {
				w.expr(u, f, a, depth+1)
				return
			}
		}
	}
	w.none = true
}

// param asks all callers, those through interfaces included.
func (w *deadlineWalk) param(f *fn, i, depth int) {
	if w.seen[f] {
		return
	}
	w.seen[f] = true
	sites := append([]*site(nil), f.callers...)
	sites = append(sites, f.unit.shared.interfaceCallers(f)...)
	if f.lit != nil {
		sites = append(sites, closureCallers(f)...)
	}
	n := 0
	for _, s := range sites {
		if i >= len(s.call.Args) {
			continue
		}
		n++
		w.expr(s.in.unit, s.in, s.call.Args[i], depth+1)
		if w.none {
			return
		}
	}
	if n == 0 {
		w.none = true
	}
}

// interfaceCallers lists calls of interface methods that a method may stand behind.
func (r *Repo) interfaceCallers(f *fn) []*site {
	if f.decl == nil || f.decl.Recv == nil || f.obj == nil {
		return nil
	}
	if r.byMethod == nil {
		r.byMethod = map[string][]*site{}
		for _, u := range r.order {
			for _, s := range u.sites {
				if s.callee.fun != nil && isInterfaceMethod(s.callee.fun) {
					r.byMethod[s.callee.fun.Name()] = append(r.byMethod[s.callee.fun.Name()], s)
				}
			}
		}
	}
	sig, _ := f.obj.Type().(*types.Signature)
	if sig == nil || sig.Recv() == nil {
		return nil
	}
	t := sig.Recv().Type()
	if _, isPtr := t.(*types.Pointer); !isPtr {
		t = types.NewPointer(t)
	}
	var out []*site
	for _, s := range r.byMethod[f.obj.Name()] {
		it, ok := s.callee.fun.Type().(*types.Signature).Recv().Type().Underlying().(*types.Interface)
		if ok && types.Implements(t, it) {
			out = append(out, s)
		}
	}
	return out
}

// closureCallers lists the calls of a parameter to which a closure is handed.
func closureCallers(f *fn) []*site {
	c, ok := f.unit.parent(f.lit).(*ast.CallExpr)
	if !ok {
		return nil
	}
	g := f.unit.target(c)
	if g == nil {
		return nil
	}
	var out []*site
	for o, i := range g.params {
		if i >= len(c.Args) || ast.Unparen(c.Args[i]) != ast.Expr(f.lit) {
			continue
		}
		for _, s := range g.unit.sites {
			if k := g.unit.callee(s.call); k.obj == o {
				out = append(out, s)
			}
		}
	}
	return out
}
