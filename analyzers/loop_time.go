package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"time"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// loopTime finds limits over time: a deadline in a condition, a context with a deadline around the loop or within.
func (u *unit) loopTime(layer *model.Layer, f *fn, l *loop, j judged) {
	if d, before, at := u.clockBound(f, l, j); d.Set {
		lim := limitOf(d)
		layer.Policy.Overall = lim
		layer.Policy.Budget = model.BudgetGateAfter
		if before {
			layer.Policy.Budget = model.BudgetGateBefore
		}
		if !d.Ref.Name.IsZero() {
			r := d.Ref
			r.Field = model.FieldOverall
			layer.Refs = append(layer.Refs, r)
		}
		if !lim.Known() && layer.Policy.Attempts.IsUnbounded() {
			layer.Policy.Attempts = model.Count{} // bounded by a time that is not known
		}
		layer.Traits = append(layer.Traits, model.Trait{Kind: model.TraitDeadline, At: at, Detail: lim.String()})
	}
	for _, t := range u.contextLimits(f) {
		inside := l.body.Pos() <= t.call.Pos() && t.call.End() <= l.body.End()
		switch {
		case inside && t.used(u, j.op, l):
			lim := limitOf(t.value)
			if layer.Policy.PerAttempt = layer.Policy.PerAttempt.Min(lim); !layer.Policy.PerAttempt.Known() {
				layer.Policy.PerAttempt = lim
			}
			if !t.value.Ref.Name.IsZero() {
				r := t.value.Ref
				r.Field = model.FieldPerAttempt
				layer.Refs = append(layer.Refs, r)
			}
		case t.call.End() < l.stmt.Pos() && t.reaches(u, l):
			lim := limitOf(t.value)
			layer.Traits = append(layer.Traits, model.Trait{Kind: model.TraitDeadline, At: u.at(t.call), Detail: lim.String()})
			if lim.Known() && (!layer.Policy.Overall.Known() || lim.Compare(layer.Policy.Overall) < 0) {
				layer.Policy.Overall, layer.Policy.Budget = lim, model.BudgetHard
			}
			if !lim.Known() && layer.Policy.Attempts.IsUnbounded() {
				layer.Policy.Attempts = model.Count{}
			}
		}
	}
	if layer.Policy.Attempts.IsUnbounded() && !layer.Policy.Overall.Known() {
		if lim, at, ok := u.deadlineAbove(f, l); ok {
			if !lim.Known() {
				layer.Policy.Attempts = model.Count{} // a time ends it that is not known
			}
			layer.Policy.Overall, layer.Policy.Budget = lim, model.BudgetHard
			layer.Traits = append(layer.Traits, model.Trait{Kind: model.TraitDeadline, At: at, Detail: lim.String()})
		}
	}
	u.timerBound(layer, f, l)
}

// timerBound finds a timer from outside the loop whose end leaves it: a limit over all attempts.
func (u *unit) timerBound(layer *model.Layer, f *fn, l *loop) {
	if !layer.Policy.Attempts.IsUnbounded() || layer.Policy.Overall.Known() {
		return
	}
	ast.Inspect(l.body, func(n ast.Node) bool {
		cc, ok := n.(*ast.CommClause)
		if !ok || cc.Comm == nil || !leaves(cc.Body) {
			return true
		}
		c := u.received(cc.Comm)
		if c == nil {
			return true
		}
		v := rootVar(u, c)
		if v == nil || l.stmt.Pos() <= v.Pos() && v.Pos() < l.stmt.End() || !strings.HasSuffix(typeName(u, c), "time.Time") {
			return true
		}
		lim := model.Limit{}
		if x, _ := u.lastValue(v, l.stmt.Pos()); x != nil {
			if made, ok := ast.Unparen(x).(*ast.CallExpr); ok && isWord(u.callee(made).name, "time.After", "time.NewTimer") && len(made.Args) == 1 {
				lim = limitOf(u.value(made.Args[0], f))
			}
		}
		layer.Traits = append(layer.Traits, model.Trait{Kind: model.TraitDeadline, At: u.at(c), Detail: lim.String()})
		if lim.Known() {
			layer.Policy.Overall, layer.Policy.Budget = lim, model.BudgetGateBefore
		} else {
			layer.Policy.Attempts = model.Count{} // bounded by a time that is not known
		}
		return true
	})
}

// limitOf is a duration as a limit; unknown where it is not known or where there are several.
func limitOf(v libs.Value) model.Limit {
	if v.IsInt && v.Hi >= 0 {
		return model.For(time.Duration(v.Hi))
	}
	return model.Limit{}
}

// clockBound finds a comparison with the clock that ends the loop; before says that it is asked before the next attempt.
func (u *unit) clockBound(f *fn, l *loop, j judged) (d libs.Value, before bool, at model.Location) {
	look := func(root ast.Node, first bool) {
		inspectOwn(root, func(n ast.Node) bool {
			if d.Set {
				return false
			}
			switch x := n.(type) {
			case *ast.BinaryExpr:
				switch x.Op {
				case token.LSS, token.LEQ, token.GTR, token.GEQ:
					for _, p := range [2][2]ast.Expr{{x.X, x.Y}, {x.Y, x.X}} {
						if u.elapsed(p[0]) && !u.elapsed(p[1]) {
							d = u.value(p[1], f)
							d.Set = true
							before = first || hasPlus(p[0])
							at = u.at(x)
						}
					}
				}
			case *ast.CallExpr:
				k := u.callee(x)
				if (k.name == "time.Time.After" || k.name == "time.Time.Before") && len(x.Args) == 1 {
					for _, e := range []ast.Expr{k.recv, x.Args[0]} {
						if v, ok := u.deadlineOf(e, f, l); ok {
							d, before, at = v, first, u.at(x)
							d.Set = true
						}
					}
				}
			}
			return true
		})
	}
	if s, ok := l.stmt.(*ast.ForStmt); ok && s.Cond != nil {
		look(s.Cond, true)
	}
	if d.Set {
		return d, true, at
	}
	for _, s := range l.body.List {
		if i, ok := s.(*ast.IfStmt); ok && j.op != nil && i.End() < j.op.Pos() {
			look(i.Cond, true)
		}
	}
	if !d.Set {
		inspectOwn(l.body, func(n ast.Node) bool {
			if i, ok := n.(*ast.IfStmt); ok && !d.Set {
				look(i.Cond, false)
			}
			return !d.Set
		})
	}
	return d, before, at
}

func hasPlus(e ast.Expr) bool {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	return ok && b.Op == token.ADD
}

// elapsed reports whether an expression is the time since a start.
func (u *unit) elapsed(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.CallExpr:
			k := u.callee(x)
			if k.name == "time.Since" {
				found = true
			}
			if k.name == "time.Time.Sub" {
				if c, ok := ast.Unparen(k.recv).(*ast.CallExpr); ok && u.callee(c).sel == "Now" {
					found = true
				}
			}
		case *ast.Ident:
			o := u.object(x)
			if v, ok := o.(*types.Var); ok && isDuration(v.Type()) {
				for _, s := range u.setsOf(v) {
					if r := setExpr(s, v, u); r != nil {
						if c, ok := ast.Unparen(r).(*ast.CallExpr); ok && u.callee(c).name == "time.Since" {
							found = true
						}
					}
				}
			}
		}
		return !found
	})
	return found
}

// deadlineOf is the time between now and a deadline: time.Now().Add(d), made before the loop.
func (u *unit) deadlineOf(e ast.Expr, f *fn, l *loop) (libs.Value, bool) {
	if s, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		k := u.callee(s)
		if k.name == "time.Time.Add" && len(s.Args) == 1 {
			return u.value(s.Args[0], f), true
		}
		return libs.Value{}, false
	}
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return libs.Value{}, false
	}
	o := u.object(id)
	for _, n := range u.setsOf(o) {
		if n.Pos() > l.stmt.Pos() {
			continue
		}
		if r := setExpr(n, o, u); r != nil {
			if c, ok := ast.Unparen(r).(*ast.CallExpr); ok && u.callee(c).name == "time.Time.Add" && len(c.Args) == 1 {
				return u.value(c.Args[0], f), true
			}
		}
	}
	return libs.Value{}, false
}

// contextLimit is one context.WithTimeout or WithDeadline of a function.
type contextLimit struct {
	call  *ast.CallExpr
	value libs.Value
	ctx   types.Object // what it is assigned to
}

// contextLimits lists the contexts with a time limit that a function makes.
func (u *unit) contextLimits(f *fn) []contextLimit {
	var out []contextLimit
	for _, c := range f.calls {
		k := u.callee(c.expr)
		if !isWord(k.name, "context.WithTimeout", "context.WithTimeoutCause", "context.WithDeadline", "context.WithDeadlineCause") || len(c.expr.Args) < 2 {
			continue
		}
		t := contextLimit{call: c.expr}
		if isWord(k.sel, "WithTimeout", "WithTimeoutCause") {
			t.value = u.value(c.expr.Args[1], f)
		} else if a, ok := ast.Unparen(c.expr.Args[1]).(*ast.CallExpr); ok && u.callee(a).name == "time.Time.Add" && len(a.Args) == 1 {
			t.value = u.value(a.Args[0], f)
		}
		if a, ok := u.parent(c.expr).(*ast.AssignStmt); ok && len(a.Lhs) > 0 {
			t.ctx = u.lvalue(a.Lhs[0])
		}
		out = append(out, t)
	}
	return out
}

// used reports whether the operation of a loop runs under the context.
func (t contextLimit) used(u *unit, op *ast.CallExpr, l *loop) bool {
	if t.ctx == nil {
		return false
	}
	found := false
	ast.Inspect(l.body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Pos() > t.call.End() && u.object(id) == t.ctx {
			found = true
		}
		return !found
	})
	return found
}

// reaches reports whether the context is what the loop works under.
func (t contextLimit) reaches(u *unit, l *loop) bool {
	if t.ctx == nil {
		return false
	}
	for _, n := range u.setsOf(t.ctx) {
		if l.body.Pos() <= n.Pos() && n.End() <= l.body.End() {
			return false // each round makes one of its own
		}
	}
	found := false
	ast.Inspect(l.body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && u.object(id) == t.ctx {
			found = true
		}
		return !found
	})
	return found
}
