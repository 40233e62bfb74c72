package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/retrylint/retrylint/model"
)

func (t *tracer) selector(sel *ast.SelectorExpr, f *frame) origins {
	u := t.u
	if t.isPackage(sel.X) {
		// A variable of another package.
		return origins{sources: model.FromInput, unknown: true, words: []string{sel.Sel.Name}}
	}
	name := sel.Sel.Name
	if deliveryFields[name] {
		return freshAt(sel, f.fn, model.FromDelivery)
	}
	if attemptFields[name] {
		// "Attempt" of a job, task or activity; a field of one's own configuration is called otherwise.
		return freshAt(sel, f.fn, model.FromAttempt)
	}
	v, _ := u.info.Use(sel.Sel).(*types.Var)
	if v == nil || !v.IsField() {
		return t.ofBase(sel, f)
	}
	if vals, ok := t.fieldOfLocal(sel, v, f); ok {
		return vals.word(name)
	}
	out := origins{sources: model.FromInput, byCaller: true, direct: true, words: []string{name}}
	for _, a := range t.fields[v] {
		if a.value == nil {
			continue
		}
		in := a.in
		if in == nil {
			continue
		}
		o := t.expr(a.value, f.root(in))
		o = t.onceField(o, a, v)
		if len(o.births) > 0 {
			out.births = append(out.births, o.births...)
		}
		out.headers = append(out.headers, o.headers...)
	}
	if base := t.expr(sel.X, f); base.sources&model.FromInput != 0 || base.unknown {
		out.words = append(base.words, out.words...)
		out.headers = append(out.headers, base.headers...)
	}
	return out
}

// ofBase is a field of which there is no type: what is known of the value that has it.
func (t *tracer) ofBase(sel *ast.SelectorExpr, f *frame) origins {
	o := t.expr(sel.X, f)
	o.sources |= model.FromInput
	o.direct = true
	return o.word(sel.Sel.Name)
}

// onceField drops births that happen only while the field is empty: they are kept for all later uses of the value.
func (t *tracer) onceField(o origins, a assigned, v types.Object) origins {
	if len(o.births) == 0 || a.base == nil {
		return o
	}
	base := written(a.base)
	if !t.guardedEmpty(a.node, func(x ast.Expr) bool {
		s, ok := ast.Unparen(x).(*ast.SelectorExpr)
		return ok && t.u.info.Use(s.Sel) == v && written(s.X) == base
	}) {
		return o
	}
	id, ok := ast.Unparen(a.base).(*ast.Ident)
	if ok {
		if obj := t.u.object(id); obj != nil {
			_, pointer := obj.Type().(*types.Pointer)
			if d := t.declOf(obj); d != nil && !pointer {
				births := make([]birth, len(o.births))
				for i, b := range o.births {
					b.scope = d
					births[i] = b
				}
				o.births = births
				return o
			}
		}
	}
	o.births = nil
	o.sources = model.FromInput
	return o
}

// fieldOfLocal is a field of a struct value that is made in sight: a local variable, or an argument of the call under
// evaluation.
func (t *tracer) fieldOfLocal(sel *ast.SelectorExpr, field *types.Var, f *frame) (origins, bool) {
	id, ok := ast.Unparen(sel.X).(*ast.Ident)
	if !ok {
		return origins{}, false
	}
	v, ok := t.u.object(id).(*types.Var)
	if !ok || t.global[v] {
		return origins{}, false
	}
	owner := t.ownerOf(v, f.fn)
	if owner == nil || isReceiver(t.u, owner, v) {
		return origins{}, false
	}
	of := f.of(owner)
	var alts []origins
	whole := false
	fromLit := func(e ast.Expr, in *frame) {
		if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.AND {
			e = u.X
		}
		lit, ok := ast.Unparen(e).(*ast.CompositeLit)
		if !ok {
			return
		}
		whole = true
		for _, x := range lit.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				if k, ok := kv.Key.(*ast.Ident); ok && t.u.object(k) == types.Object(field) {
					alts = append(alts, t.expr(kv.Value, in))
				}
			}
		}
	}
	if i, isParam := paramIndex(t.u, owner, v); isParam {
		if of.call == nil {
			alts, whole = nil, false
		} else if a := argument(of.call, i, owner); a != nil {
			fromLit(a, of.up)
			if aid, ok := ast.Unparen(a).(*ast.Ident); ok && !whole {
				return t.fieldOfLocal(&ast.SelectorExpr{X: aid, Sel: sel.Sel}, field, of.up)
			}
		}
	}
	for _, use := range t.usesOf(v) {
		switch p := t.u.parent(use).(type) {
		case *ast.AssignStmt:
			for i, l := range p.Lhs {
				if l == ast.Expr(use) && len(p.Lhs) == len(p.Rhs) {
					fromLit(p.Rhs[i], of)
				}
			}
		case *ast.ValueSpec:
			for i, n := range p.Names {
				if n == use {
					if len(p.Values) == 0 {
						whole = true
					} else if i < len(p.Values) {
						fromLit(p.Values[i], of)
					}
				}
			}
		case *ast.SelectorExpr:
			a, ok := t.u.parent(p).(*ast.AssignStmt)
			if !ok || t.u.info.Use(p.Sel) != types.Object(field) {
				continue
			}
			for i, l := range a.Lhs {
				if l != ast.Expr(p) {
					continue
				}
				in := of
				if g := t.u.enclosing(a); g != owner {
					in = f.of(g)
				}
				var o origins
				if len(a.Lhs) == len(a.Rhs) {
					o = t.expr(a.Rhs[i], in)
				} else if len(a.Rhs) == 1 {
					o = t.result(a.Rhs[0], i, in)
				}
				whole = true
				alts = append(alts, t.onceField(o, assigned{node: a, base: p.X}, field))
			}
		}
	}
	if !whole || len(alts) == 0 {
		return origins{}, false
	}
	return either(alts...), true
}
