package analyzers

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// traitWaits takes back that a loop repeats at once where something in it may wait after all: a receive from a channel, a
// limiter, a helper that is called a pause. How long it waits is then unknown.
func (u *unit) traitWaits(r *region) {
	if !isLoop(r.node) || r.layer.Policy.Backoff.Kind != model.BackoffNone {
		return
	}
	waits := false
	for _, n := range r.bodies() {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.SelectStmt:
				for _, c := range n.Body.List {
					if cc, ok := c.(*ast.CommClause); ok && cc.Comm == nil {
						return true // with a default it does not wait
					}
				}
				for _, c := range n.Body.List {
					if cc, ok := c.(*ast.CommClause); ok && u.received(cc.Comm) != nil && !u.isStop(u.received(cc.Comm), r) && !isDone(u.received(cc.Comm)) {
						waits = true
					}
				}
			case *ast.ExprStmt:
				if x := u.received(n); x != nil && !inSelect(u, n) {
					waits = true
				}
			case *ast.CallExpr:
				waits = waits || u.maySleep(n)
			}
			return !waits
		})
	}
	if waits {
		r.layer.Policy.Backoff = model.Backoff{Kind: model.BackoffConstant}
	}
}

func typeName(u *unit, e ast.Expr) string {
	if t := u.typeOf(e); t != nil {
		return t.String()
	}
	return ""
}

// leaves reports whether statements end the function or a labelled loop.
func leaves(list []ast.Stmt) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ReturnStmt:
			return true
		case *ast.BranchStmt:
			if s.Tok == token.BREAK && s.Label != nil || s.Tok == token.GOTO {
				return true
			}
		}
	}
	return false
}

// received is the channel of a receive that stands as a statement; nil where it is none.
func (u *unit) received(s ast.Stmt) ast.Expr {
	var e ast.Expr
	switch s := s.(type) {
	case *ast.ExprStmt:
		e = s.X
	case *ast.AssignStmt:
		if len(s.Rhs) == 1 {
			e = s.Rhs[0]
		}
	}
	if x, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && x.Op == token.ARROW {
		return x.X
	}
	return nil
}

func isDone(e ast.Expr) bool {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Done"
}

func inSelect(u *unit, n ast.Node) bool {
	_, ok := u.parent(n).(*ast.CommClause)
	return ok
}

// maySleep reports whether a call of a function that cannot be read is, by its name, a pause.
func (u *unit) maySleep(c *ast.CallExpr) bool {
	k := u.callee(c)
	if k.to != nil && k.to.body != nil || isWord(k.pkg, "sync", "os/exec", "golang.org/x/sync/errgroup") {
		return false
	}
	name := strings.ToLower(k.sel)
	for _, w := range []string{"sleep", "wait", "pause", "backoff", "throttle", "delay"} {
		if strings.HasPrefix(name, w) || strings.HasSuffix(name, w) {
			return true
		}
	}
	return false
}
