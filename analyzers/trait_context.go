package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"time"

	"github.com/retrylint/retrylint/model"
)

// A context is followed from its use back to where it begins. On the way lie the deadlines that bound it.

// contextWay is the way of a context.
type contextWay struct {
	limits []ctxLimit // innermost first
	// background: it begins with context.Background or the like, so nothing but limits ends it.
	background bool
	root       ast.Expr // where it begins otherwise: a parameter, a field, a call
}

// ctxLimit is one deadline on the way.
type ctxLimit struct {
	d    model.Limit // unknown where the duration is
	call *ast.CallExpr
}

// isContextType reports whether a type is context.Context, or one that stands for it.
func isContextType(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "context" && n.Obj().Name() == "Context"
}

// contextOf follows a context from e, as it stands at the position use.
func (u *unit) contextOf(e ast.Expr, use token.Pos) contextWay {
	var w contextWay
	for range 32 {
		e = ast.Unparen(e)
		switch x := e.(type) {
		case *ast.CallExpr:
			k := u.callee(x)
			parent, done := u.contextCall(x, k, &w)
			if done {
				return w
			}
			e, use = parent, x.Pos()
			continue
		case *ast.Ident:
			v, at := u.lastContext(x, use)
			if v == nil {
				w.root = e
				return w
			}
			e, use = v, at
			continue
		}
		w.root = e
		return w
	}
	w.root = e
	return w
}

// contextCall looks at a call that gives a context; parent is the context that it goes on from.
func (u *unit) contextCall(c *ast.CallExpr, k callee, w *contextWay) (parent ast.Expr, done bool) {
	if k.pkg == "context" {
		switch k.sel {
		case "Background", "TODO":
			w.background = true
			return nil, true
		case "WithTimeout", "WithTimeoutCause", "WithDeadline", "WithDeadlineCause":
			if len(c.Args) < 2 {
				return nil, true
			}
			l := ctxLimit{call: c}
			if strings.HasPrefix(k.sel, "WithTimeout") {
				l.d = u.durationLimit(c.Args[1], c.Pos())
			} else {
				l.d = u.limitUntil(c.Args[1])
			}
			w.limits = append(w.limits, l)
			return c.Args[0], false
		case "WithoutCancel":
			w.background = true // neither the parent's end nor its deadline counts
			return nil, true
		}
		if strings.HasPrefix(k.sel, "With") && len(c.Args) > 0 {
			return c.Args[0], false
		}
	}
	if k.pkg == "os/signal" && k.sel == "NotifyContext" && len(c.Args) > 0 {
		return c.Args[0], false
	}
	// Whatever else takes a context and gives one hands it on: errgroup.WithContext, tracer.Start, metadata.AppendToOutgoingContext.
	if len(c.Args) > 0 {
		if t := u.typeOf(c.Args[0]); t != nil && isContextType(t) && k.to == nil {
			return c.Args[0], false
		}
	}
	w.root = c
	return nil, true
}

// lastContext and lastValue are the value that a variable has at a position: the last assignment before it, in source order.
func (u *unit) lastContext(id *ast.Ident, use token.Pos) (ast.Expr, token.Pos) {
	return u.lastValue(u.object(id), use)
}

func (u *unit) lastValue(o types.Object, use token.Pos) (ast.Expr, token.Pos) {
	var best ast.Node
	for _, n := range u.setsOf(o) {
		if n.Pos() >= use {
			continue
		}
		if _, address := n.(*ast.UnaryExpr); address {
			return nil, 0
		}
		if best == nil || n.Pos() > best.Pos() {
			best = n
		}
	}
	switch s := best.(type) {
	case *ast.AssignStmt:
		for i, l := range s.Lhs {
			if x, ok := ast.Unparen(l).(*ast.Ident); ok && u.object(x) == o {
				if len(s.Rhs) == len(s.Lhs) {
					return s.Rhs[i], s.Pos()
				}
				if len(s.Rhs) == 1 && i == 0 {
					return s.Rhs[0], s.Pos()
				}
				if len(s.Rhs) == 1 {
					if c, ok := ast.Unparen(s.Rhs[0]).(*ast.CallExpr); ok { // errgroup.WithContext gives it second
						return c, s.Pos()
					}
				}
			}
		}
	case *ast.ValueSpec:
		for i, x := range s.Names {
			if u.object(x) == o && i < len(s.Values) {
				return s.Values[i], s.Pos()
			}
		}
	}
	return nil, 0
}

// durationLimit is the value of a duration; unknown where it is not one number.
func (u *unit) durationLimit(e ast.Expr, at token.Pos) model.Limit {
	v := u.value(e, u.fnAt(at))
	if v.IsInt && v.Int > 0 {
		return model.For(time.Duration(v.Int))
	}
	return model.Limit{}
}

// limitUntil is the d of time.Now().Add(d).
func (u *unit) limitUntil(e ast.Expr) model.Limit {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			if v, _ := u.lastContext(id, e.Pos()); v != nil {
				if c, ok = ast.Unparen(v).(*ast.CallExpr); !ok {
					return model.Limit{}
				}
			}
		}
		if c == nil {
			return model.Limit{}
		}
	}
	s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Add" || len(c.Args) != 1 {
		return model.Limit{}
	}
	return u.durationLimit(c.Args[0], c.Pos())
}

// within reports whether a node lies in what a region repeats.
func (r *region) within(n ast.Node) bool {
	if n == nil {
		return false
	}
	for _, body := range r.bodies() {
		if body.Pos() <= n.Pos() && n.End() <= body.End() {
			return true
		}
	}
	return false
}

// bodies is the syntax that the region repeats: its body, and the function that a name stands for.
func (r *region) bodies() []ast.Node {
	var out []ast.Node
	if r.body != nil {
		out = append(out, r.body)
	}
	if r.op != nil && r.op.body != nil && (r.body == nil || r.op.body.Pos() < r.body.Pos() || r.op.body.End() > r.body.End()) {
		out = append(out, r.op.body)
	}
	if f, ok := r.node.(*ast.ForStmt); ok {
		for _, n := range []ast.Node{f.Cond, f.Post} {
			if n != nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// outlives reports whether a context goes on after the attempt, so that its end ends every further attempt too. A context
// that is made in the attempt from nothing ends with the attempt only.
func (u *unit) outlives(e ast.Expr, r *region) bool {
	w := u.contextOf(e, e.Pos())
	if !w.background {
		return true
	}
	for _, l := range w.limits {
		if !r.within(l.call) {
			return true
		}
	}
	return false
}

// outlives is the same within a simulation, where the parameters of helpers are known.
func (m *sim) outlives(e ast.Expr, st *simState) bool {
	w := m.u.contextOf(e, e.Pos())
	if id, ok := w.root.(*ast.Ident); ok && !w.background {
		if v, ok := st.env[m.u.object(id)]; ok && v.kind == simContext {
			return v.n == 1
		}
	}
	return m.u.outlives(e, m.r)
}

// requestContext is the context that a request carries; nil where it is not known or there is none.
func (u *unit) requestContext(e ast.Expr, depth int) ast.Expr {
	if depth > 6 {
		return nil
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, _ := u.lastContext(x, x.Pos()); v != nil {
			return u.requestContext(v, depth+1)
		}
	case *ast.CallExpr:
		switch k := u.callee(x); {
		case k.sel == "NewRequestWithContext" && len(x.Args) > 0:
			return x.Args[0]
		case isWord(k.sel, "Clone", "WithContext") && len(x.Args) == 1:
			return x.Args[0]
		}
	}
	return nil
}

// isParam reports whether an expression is a parameter as it came.
func (u *unit) isParam(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	o := u.object(id)
	if o == nil {
		return false
	}
	f := u.fnAt(o.Pos())
	for ; f != nil; f = f.parent {
		if _, ok := f.params[o]; ok {
			return true
		}
	}
	return false
}
