package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
)

// lastWrap is the expression that gives a local variable its value, where the variable is set anew from itself:
//
//	b = backoff.WithMaxRetries(b, 3)
//	ctx = workflow.WithActivityOptions(ctx, options)
//
// The last such assignment holds, and inside its own call the value is the one before. wraps is false where the variable is
// never set that way; e is nil where it is, but only under a condition of which nobody knows whether it holds.
func (u *unit) lastWrap(o *types.Var) (e ast.Expr, wraps bool) {
	before, limited := u.shared.before[o]
	var last, first, sure ast.Node
	var value ast.Expr
	any := false
	for _, n := range u.setsOf(o) {
		r := setExpr(n, o, u)
		if r == nil {
			return nil, false
		}
		if wrapOf(u, r, o) != nil {
			any = true
		}
		if limited && r.Pos() >= before {
			continue
		}
		holds, decided := u.guardOf(n, o)
		if decided && !holds {
			continue // a setting of which the default is known leaves it out
		}
		if decided {
			sure = n
		}
		if first == nil || n.Pos() < first.Pos() {
			first = n
		}
		if last == nil || n.Pos() > last.Pos() {
			last, value = n, r
		}
	}
	if !any || last == nil {
		return nil, false // a parameter, before the first assignment
	}
	if last != sure && (last != first || wrapOf(u, value, o) != nil) {
		block, _ := u.parent(last).(*ast.BlockStmt)
		if block == nil || !(block.Pos() <= first.Pos() && first.End() <= block.End()) || !straight(u, block, o) {
			return nil, true
		}
	}
	return value, true
}

// guardOf says whether the condition holds under which a statement sets a variable, where that is the only condition around it
// in the variable's scope and values that are known decide it.
func (u *unit) guardOf(n ast.Node, o *types.Var) (holds, decided bool) {
	block, _ := u.parent(n).(*ast.BlockStmt)
	if block == nil {
		return false, false
	}
	s, _ := u.parent(block).(*ast.IfStmt)
	if s == nil || s.Init != nil {
		return false, false
	}
	if outer, _ := u.parent(s).(*ast.BlockStmt); outer == nil || !straight(u, outer, o) {
		return false, false
	}
	holds, decided, setting := u.decides(s.Cond)
	holds = holds == (s.Body == block)
	return holds, decided && (holds || !setting)
}

// decides evaluates a comparison of numbers or a flag, where all of it is known; setting says that a setting could change it.
func (u *unit) decides(e ast.Expr) (holds, decided, setting bool) {
	f := u.fnAt(e.Pos())
	x, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok {
		v := u.value(e, f)
		return v.Bool, v.IsBool, !v.Ref.Name.IsZero()
	}
	a, b := u.value(x.X, f), u.value(x.Y, f)
	if !a.IsInt || !b.IsInt || a.Lo != a.Hi || b.Lo != b.Hi {
		return false, false, false
	}
	setting = !a.Ref.Name.IsZero() || !b.Ref.Name.IsZero()
	switch x.Op {
	case token.GTR:
		return a.Int > b.Int, true, setting
	case token.GEQ:
		return a.Int >= b.Int, true, setting
	case token.LSS:
		return a.Int < b.Int, true, setting
	case token.LEQ:
		return a.Int <= b.Int, true, setting
	case token.EQL:
		return a.Int == b.Int, true, setting
	case token.NEQ:
		return a.Int != b.Int, true, setting
	}
	return false, false, false
}

// straight reports whether a block is not left out under a condition within the function that declares the variable.
func straight(u *unit, block *ast.BlockStmt, o *types.Var) bool {
	for n := ast.Node(block); n != nil; n = u.parent(n) {
		if n.Pos() <= o.Pos() && o.Pos() < n.End() {
			return true // the variable is declared in here, or is a parameter of what this is
		}
		switch u.parent(n).(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return true
		case *ast.BlockStmt:
		default:
			return false
		}
	}
	return true
}

// wrapOf is the call that makes a variable from itself, nil where the expression is none.
func wrapOf(u *unit, e ast.Expr, o types.Object) *ast.CallExpr {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil
	}
	for _, a := range c.Args {
		if id, ok := ast.Unparen(a).(*ast.Ident); ok && u.object(id) == o {
			return c
		}
	}
	return nil
}

// insideCall makes an argument of a call mean what it is before the call, and returns what undoes that.
func (u *unit) insideCall(c *ast.CallExpr, arg ast.Expr) func() {
	id, ok := ast.Unparen(arg).(*ast.Ident)
	if !ok {
		return func() {}
	}
	o := u.object(id)
	if o == nil {
		return func() {}
	}
	for _, n := range u.setsOf(o) {
		if r := setExpr(n, o, u); r != nil && ast.Unparen(r) == ast.Expr(c) {
			old, had := u.shared.before[o]
			if u.shared.before == nil {
				u.shared.before = map[types.Object]token.Pos{}
			}
			u.shared.before[o] = c.Pos()
			return func() {
				delete(u.shared.before, o)
				if had {
					u.shared.before[o] = old
				}
			}
		}
	}
	return func() {}
}
