package analyzers

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/retrylint/retrylint/model"
)

// traitPredicates plays answers through the functions that clients ask whether to try again: retryablehttp's CheckRetry,
// resty's retry conditions.
func (u *unit) traitPredicates() {
	for _, a := range u.assigns {
		if len(a.Lhs) != len(a.Rhs) {
			continue
		}
		for i, l := range a.Lhs {
			s, ok := ast.Unparen(l).(*ast.SelectorExpr)
			if ok && s.Sel.Name == "CheckRetry" {
				u.traitPredicate(s.X, a.Rhs[i])
			}
		}
	}
	for _, s := range u.sites {
		k := u.callee(s.call)
		if k.recv == nil || k.to != nil || !isWord(k.sel, "AddRetryCondition", "AddRetryConditions", "SetRetryCondition") {
			continue
		}
		for _, x := range s.call.Args {
			u.traitPredicate(k.recv, x)
		}
	}
}

// traitPredicate notes what a predicate says on the layers of the client that holds it.
func (u *unit) traitPredicate(client, x ast.Expr) {
	var f *fn
	switch x := ast.Unparen(x).(type) {
	case *ast.FuncLit:
		f = u.byNode[x]
	case *ast.Ident:
		f = u.byObj[u.object(x)]
	case *ast.SelectorExpr:
		f = u.byObj[u.object(x.Sel)]
	}
	if f == nil || f.body == nil || f.unit != u {
		return
	}
	var ids []string
	if in := u.fnAt(client.Pos()); in != nil {
		if id := u.clientOfExpr(client, in, nil); id != "" {
			ids = append(ids, id)
		}
	}
	bad, denied, limited := u.ask(f, 400), u.ask(f, 403), u.ask(f, 429)
	for _, r := range u.regions {
		if r.layer == nil || !slices.Contains(ids, r.layer.ID) {
			continue
		}
		switch {
		case bad.again && denied.again:
			r.trait(model.TraitRetriesPermanent, u.atOr(bad.cond, f.node()), "4xx answers lead to another attempt like all others")
		case !bad.again && !bad.maybe && !denied.again && !denied.maybe:
			r.trait(model.TraitFiltersPermanent, u.at(f.node()), "4xx answers end it")
		}
		if limited.again && limited.named[429] {
			at := u.atOr(limited.cond, f.node())
			r.trait(model.TraitSeesStatus, at, "")
			r.trait(model.TraitRetries429, at, "429")
		}
	}
}

// ask runs a predicate on an answer with a status.
func (u *unit) ask(f *fn, status int64) outcomeOf {
	m := &sim{u: u, r: &region{in: f, node: f.node(), body: f.body}, ans: answer{status: status}, named: map[int64]bool{}, ops: map[*ast.CallExpr]bool{}}
	var args []simValue
	for _, p := range f.typ.Params.List {
		v := simValue{}
		switch t := u.typeOf(p.Type); {
		case answers(t):
			v = simValue{kind: simResponse, far: true}
		case isErrorType(t):
			v = simValue{kind: simNil}
		}
		for range max(len(p.Names), 1) {
			args = append(args, v)
		}
	}
	rs, ok := m.enter(f, args, &simState{env: map[types.Object]simValue{}, sure: true})
	if !ok || m.broken {
		return outcomeOf{maybe: true}
	}
	for _, r := range rs {
		if r.st.flow != flowNext || len(r.vals) == 0 {
			continue
		}
		switch v := r.vals[0]; {
		case v.kind != simBool:
			r.st.sure = false
			m.again = append(m.again, r.st)
		case v.n != 0:
			if r.st.cond == nil && v.status {
				r.st.cond = m.looked
			}
			m.again = append(m.again, r.st)
		}
	}
	o := m.sum()
	o.named = m.named
	return o
}
