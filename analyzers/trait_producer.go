package analyzers

import (
	"go/ast"
	"go/constant"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// traitProducers looks for code that sends a record again on top of a producer that this package makes idempotent: to the
// broker the second send is another record.
func (u *unit) traitProducers() {
	u.unseenProducers()
	if !u.makesIdempotent() {
		return
	}
	for _, s := range u.sites {
		if !slices.ContainsFunc(s.edges, func(e *model.Edge) bool { return e.Kind == model.EdgePublish }) || !isKafka(u.callee(s.call).pkg) {
			continue
		}
		for _, r := range s.under {
			if r.layer == nil || r.layer.Kind != model.KindLoop && r.layer.Kind != model.KindLibrary {
				continue
			}
			r.trait(model.TraitResendsOverSafe, u.at(s.call), "")
		}
	}
}

func isKafka(pkg string) bool {
	for _, w := range []string{"sarama", "confluent-kafka-go", "franz-go"} {
		if strings.Contains(pkg, w) {
			return true
		}
	}
	return false
}

// makesIdempotent reports whether the package switches a producer's idempotence on.
func (u *unit) makesIdempotent() bool {
	if u.idempotent == nil {
		yes := u.switchesIdempotence()
		u.idempotent = &yes
	}
	return *u.idempotent
}

func (u *unit) switchesIdempotence() bool {
	isTrue := func(e ast.Expr) bool {
		tv, ok := u.info.Type(e)
		return ok && tv.Value != nil && (tv.Value.Kind() == constant.Bool && constant.BoolVal(tv.Value) || tv.Value.ExactString() == `"true"`)
	}
	for _, a := range u.assigns {
		if len(a.Lhs) != len(a.Rhs) {
			continue
		}
		for i, l := range a.Lhs {
			if s, ok := ast.Unparen(l).(*ast.SelectorExpr); ok && s.Sel.Name == "Idempotent" && isTrue(a.Rhs[i]) {
				return true
			}
		}
	}
	for _, lit := range u.lits {
		for _, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok && u.keyText(kv.Key) == "enable.idempotence" && isTrue(kv.Value) {
				return true
			}
		}
	}
	return false
}

// unseenProducers takes back that a producer is not idempotent where its configuration is made elsewhere in the repository
// and something there switches idempotence on.
func (u *unit) unseenProducers() {
	elsewhere := slices.ContainsFunc(u.shared.order, (*unit).makesIdempotent)
	if !elsewhere {
		return
	}
	for _, r := range u.regions {
		if r.layer == nil || r.in == nil || r.in.body == nil || !r.layer.Has(model.TraitNotIdempotentSend) || u.configures(r.in) {
			continue
		}
		r.layer.Traits = slices.DeleteFunc(r.layer.Traits, func(t model.Trait) bool { return t.Kind == model.TraitNotIdempotentSend })
	}
}

// configures reports whether a function makes a producer's configuration, or sets fields of it.
func (u *unit) configures(f *fn) bool {
	found := false
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || u.callee(n).sel == "NewConfig" && isKafka(u.callee(n).pkg)
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if s, ok := ast.Unparen(l).(*ast.SelectorExpr); ok && strings.Contains(selPath(s), "Producer.") {
					found = true
				}
			}
		case *ast.CompositeLit:
			t := namedText(u.typeOf(n))
			found = found || isKafka(t) && (strings.HasSuffix(t, "Config") || strings.HasSuffix(t, "ConfigMap"))
		}
		return !found
	})
	return found
}
