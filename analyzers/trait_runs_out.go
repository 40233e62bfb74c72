package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"time"

	"github.com/retrylint/retrylint/model"
)

// traitRunsOut finds a loop that asks cenkalti's backoff for its waits and never looks whether it has run out: after the time of
// 15 minutes, or after the retries that a wrapper allows, each wait is Stop, a negative number, and the loop goes on without one.
func (u *unit) traitRunsOut(r *region) {
	if !isLoop(r.node) || !r.layer.Policy.Attempts.IsUnbounded() && !r.layer.Policy.Attempts.IsUnknown() {
		return
	}
	for _, n := range r.bodies() {
		ast.Inspect(n, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			k := u.callee(c)
			if k.sel != "NextBackOff" || k.recv == nil || !runsOut(k.pkg) || u.looksAtStop(c, r) {
				return true
			}
			name, site := u.nameAndSite(k.recv, r.in, nil, 0)
			switch name {
			case "NewExponentialBackOff":
				most := site.Field("MaxElapsedTime", -1)
				if o := site.Option("WithMaxElapsedTime", 0); o.Set {
					most = o
				}
				switch {
				case !most.Set:
					r.trait(model.TraitWaitRunsOut, u.at(c), "after 15m")
				case most.IsInt && most.Int > 0 && most.Lo == most.Hi:
					r.trait(model.TraitWaitRunsOut, u.at(c), "after "+durationText(most.Int))
				}
			case "WithMaxRetries", "WithMaxTries":
				r.trait(model.TraitWaitRunsOut, u.at(c), "after the retries that it allows")
			}
			return true
		})
	}
}

func durationText(n int64) string {
	return model.For(time.Duration(n)).String()
}

// runsOut reports whether a backoff of the package gives Stop by itself; v5 leaves that to its Retry.
func runsOut(pkg string) bool {
	return strings.HasPrefix(pkg, "github.com/cenkalti/backoff") && !strings.HasSuffix(pkg, "/v5") && !strings.HasSuffix(pkg, "/v6")
}

// looksAtStop reports whether what a call of NextBackOff gives is compared with anything in the function.
func (u *unit) looksAtStop(c *ast.CallExpr, r *region) bool {
	var v types.Object
	switch p := u.parent(c).(type) {
	case *ast.BinaryExpr:
		return comparison(p.Op)
	case *ast.AssignStmt:
		if len(p.Lhs) == 1 {
			v = u.lvalue(p.Lhs[0])
		}
	case *ast.ValueSpec:
		if len(p.Names) == 1 {
			v = u.object(p.Names[0])
		}
	}
	if v == nil || r.in.body == nil {
		return false
	}
	found := false
	ast.Inspect(r.in.body, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if ok && comparison(b.Op) && (u.lvalue(ast.Unparen(b.X)) == v || u.lvalue(ast.Unparen(b.Y)) == v) {
			found = true
		}
		return !found
	})
	return found
}

func comparison(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}
