package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Reasons for which a loop is no retry that tell what it is instead.
const (
	whyNoWayOut = "the loop has no way out"
	whyGoesOn   = "it goes on after success"
	whyState    = "it waits for a state"
	whyNextItem = "each round takes another item"
)

// countLoop adds a loop to the counts of the repository.
func (u *unit) countLoop(f *fn, l *loop, j judged) {
	c := &u.facts.Stats.Loops
	switch {
	case j.verdict == isRetry:
		c.Retries++
	case j.verdict == cannotSay:
		c.Undecided++
	case u.consumes(f, l):
		c.Consumers++
	case j.why == whyNoWayOut || j.why == whyGoesOn:
		c.EventLoops++
	case j.why == whyState:
		c.Pollers++
	default:
		c.Others++
	}
}

// consumes reports whether each round of a loop takes what comes next: from a channel that is no clock, or by a call.
func (u *unit) consumes(f *fn, l *loop) bool {
	if r, ok := l.stmt.(*ast.RangeStmt); ok {
		t := u.typeOf(r.X)
		if t == nil {
			return false
		}
		_, is := t.Underlying().(*types.Chan)
		return is && u.overItems(r)
	}
	for _, c := range f.calls {
		if c.loop == l && !c.spawn && !c.defr {
			if k := u.callee(c.expr); !k.conv && !isWord(k.sel, "Wait", "Write", "TryLock") && takesNext(k, u, c.expr) {
				return true
			}
		}
	}
	found := false
	inspectOwn(l.body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return false
		case *ast.UnaryExpr:
			if x.Op != token.ARROW || found {
				break
			}
			t := u.typeOf(x.X)
			if t == nil {
				break
			}
			ch, ok := t.Underlying().(*types.Chan)
			if !ok {
				break
			}
			// A signal or a tick is nothing that is consumed.
			if s, empty := ch.Elem().Underlying().(*types.Struct); !(empty && s.NumFields() == 0) && !strings.HasSuffix(ch.Elem().String(), "time.Time") {
				found = true
			}
		}
		return !found
	})
	return found
}

// reconciles knows the functions that a Kubernetes controller calls for each object that may have changed.
func reconciles(f *fn) bool {
	if f.decl == nil || f.decl.Recv == nil {
		return false
	}
	switch f.decl.Name.Name {
	case "Reconcile", "ReconcileKind":
		return f.decl.Type.Params.NumFields() >= 2
	}
	return false
}
