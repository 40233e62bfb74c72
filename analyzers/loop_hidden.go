package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// hiddenBound reports whether something of which nothing is known may end the loop on failures, so that it must not be
// called unbounded: a condition that calls out or counts what else may shrink, or a way out that a back-off value, a budget
// or a policy decides.
func (u *unit) hiddenBound(l *loop) bool {
	if s, ok := l.stmt.(*ast.ForStmt); ok && s.Cond != nil && u.hiddenCond(s.Cond) {
		return true
	}
	counters := u.countersOf(l)
	found := false
	inspectOwn(l.body, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return n == ast.Node(l.stmt)
		case *ast.IfStmt:
			if !found && (endsLoop(s.Body) || endsLoop(s.Else)) && u.givesUp(s.Cond, l, counters) {
				found = true
			}
		}
		return !found
	})
	return found
}

// hiddenCond reports whether a loop's own condition asks something else than the outcome: a call, the length of a list that
// others may shorten.
func (u *unit) hiddenCond(e ast.Expr) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		k := u.callee(x)
		return k.sel != "Err" && !k.conv
	case *ast.BinaryExpr:
		switch x.Op {
		case token.LAND:
			return u.hiddenCond(x.X) || u.hiddenCond(x.Y)
		case token.GTR, token.NEQ, token.LSS:
			for _, side := range []ast.Expr{x.X, x.Y} {
				if c, ok := ast.Unparen(side).(*ast.CallExpr); ok && len(c.Args) == 1 {
					if k := u.callee(c); k.conv && k.sel == "len" {
						return true
					}
				}
			}
		}
	}
	return false
}

// endsLoop reports whether a branch ends the loop around it.
func endsLoop(s ast.Stmt) bool {
	found := false
	if s == nil {
		return false
	}
	inspectOwn(s, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.SelectStmt, *ast.TypeSwitchStmt:
			// A break in it ends only itself; a return does not.
			inspectOwn(n, func(n ast.Node) bool {
				if _, ok := n.(*ast.ReturnStmt); ok {
					found = true
				}
				return !found
			})
			return false
		case *ast.ReturnStmt:
			found = true
		case *ast.BranchStmt:
			if x.Tok == token.BREAK || x.Tok == token.GOTO {
				found = true
			}
		}
		return !found
	})
	return found
}

// givesUp reports whether a condition asks a back-off value, a budget or a policy, by itself or through a variable that the
// loop sets from one: wait == backoff.Stop, !b.Continue(), budget.Exhausted().
func (u *unit) givesUp(e ast.Expr, l *loop, counters map[types.Object]bool) bool {
	found := false
	var visit func(e ast.Expr, depth int)
	visit = func(e ast.Expr, depth int) {
		ast.Inspect(e, func(n ast.Node) bool {
			if found {
				return false
			}
			switch x := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				if u.boundCall(x, counters) {
					found = true
				}
			case *ast.Ident:
				o := u.object(x)
				if depth > 0 || o == nil || isErrorType(o.Type()) {
					break
				}
				if counters[o] {
					found = true // from a number and up to a number of which one is not known
					break
				}
				for _, s := range u.setsOf(o) {
					a, ok := s.(*ast.AssignStmt)
					if !ok || a.Pos() < l.body.Pos() || a.End() > l.body.End() {
						continue
					}
					for _, r := range a.Rhs {
						if c, ok := ast.Unparen(r).(*ast.CallExpr); ok {
							visit(c, depth+1)
						}
					}
				}
			}
			return true
		})
	}
	visit(e, 0)
	return found
}

// boundCall knows calls that say when to give up, by their names and the type of what they are called on.
func (u *unit) boundCall(c *ast.CallExpr, counters map[types.Object]bool) bool {
	k := u.callee(c)
	if k.conv || k.sel == "" || isContext(u.typeOf(k.recv)) {
		return false
	}
	if _, known := generators[k.name]; known && !strings.Contains(k.name, "cenkalti/backoff/v4.") {
		return false // it never says stop
	}
	if strings.HasPrefix(k.name, "time.") || strings.HasPrefix(k.name, "math") || strings.HasPrefix(k.name, "errors.") || strings.HasPrefix(k.name, "fmt.") {
		return false
	}
	about := false // of the error alone: that is what is retried, not how often
	for _, a := range c.Args {
		if isErrorType(u.typeOf(a)) || isResponse(u.typeOf(a)) {
			about = true
		}
		if u.mentions(a, counters) {
			return true
		}
	}
	if about {
		return false
	}
	words := k.sel
	if k.recv != nil {
		if t := u.typeOf(k.recv); t != nil {
			words += " " + t.String()[strings.LastIndexAny(t.String(), "/.")+1:]
		}
		words += " " + types.ExprString(k.recv)
	}
	words = strings.ToLower(words)
	for _, w := range []string{"backoff", "boff", "retr", "attempt", "tries", "budget", "exhaust", "elapsed", "expired", "giveup", "give_up", "deadline", "ongoing", "policy"} {
		if strings.Contains(words, w) {
			return true
		}
	}
	return false
}
