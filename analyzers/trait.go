package analyzers

import (
	"go/ast"
	"go/types"

	"github.com/retrylint/retrylint/model"
)

var _ = addStep("traits", (*unit).traits)

// traits notes on each layer what is seen of it beyond its numbers: which answers lead to another attempt, whether the end
// of a context ends it, what becomes of the request's body. It says what is there; the rules judge.
func (u *unit) traits() {
	u.traitTimes()
	for _, r := range u.regions {
		if r.layer == nil {
			continue
		}
		u.traitWaits(r)
		u.traitRunsOut(r)
		u.traitOutcome(r)
		u.traitDeadlines(r)
		u.traitRetryAfter(r)
		u.traitBody(r)
		u.traitPayload(r)
		u.traitGuard(r)
	}
	u.traitClients()
	u.traitPredicates()
	u.traitProducers()
	u.traitLeases()
}

// trait adds what was seen to a layer, once for each kind.
func (r *region) trait(k model.TraitKind, at model.Location, detail string) {
	if r.layer.Has(k) {
		return
	}
	r.layer.Traits = append(r.layer.Traits, model.Trait{Kind: k, At: at, Detail: detail})
}

// reach lists what one attempt runs: the bodies of the region and the functions of the package that are called from there,
// nearest first. Functions that it only starts as goroutines count too.
func (u *unit) reach(r *region) []ast.Node {
	const most = 40
	out := r.bodies()
	seen := map[ast.Node]bool{}
	for i := 0; i < len(out) && len(out) < most; i++ {
		ast.Inspect(out[i], func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			k := u.callee(c)
			f := k.to
			if f == nil && k.obj != nil {
				f = u.byObj[k.obj]
			}
			if f == nil || f.body == nil || f.unit != u || seen[f.body] {
				return true
			}
			seen[f.body] = true
			for _, have := range out {
				if have.Pos() <= f.body.Pos() && f.body.End() <= have.End() {
					return true
				}
			}
			out = append(out, f.body)
			return true
		})
	}
	return out
}

// eachCall visits the calls of the nodes.
func eachCall(nodes []ast.Node, visit func(*ast.CallExpr)) {
	for _, n := range nodes {
		ast.Inspect(n, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				visit(c)
			}
			return true
		})
	}
}

// varOf is the variable that an expression names; nil where it is none.
func (u *unit) varOf(e ast.Expr) *types.Var {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := u.object(id).(*types.Var)
	return v
}
