package analyzers

import (
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/retrylint/retrylint/analyzers/libs"
)

// Configurations that are maps from names to values, as librdkafka's ConfigMap is.

// isMap reports whether a literal makes a map.
func (u *unit) isMap(lit *ast.CompositeLit) bool {
	t := u.typeOf(lit)
	if t == nil {
		_, ok := lit.Type.(*ast.MapType)
		return ok
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// keyText is the value of a key that is a constant string.
func (u *unit) keyText(e ast.Expr) string {
	if tv, ok := u.info.Type(e); ok && tv.Value != nil && tv.Value.Kind() == constant.String {
		return constant.StringVal(tv.Value)
	}
	return ""
}

// mapEntry is the entry of a map that holds the value of the site: of its literal, or of what is assigned to it later.
func (s *useSite) mapEntry(key string) (libs.Value, bool) {
	for _, r := range s.roots {
		if e := s.u.mapSet(r, key); e != nil {
			return s.u.siteValue(e, s.u.fnAt(e.Pos())), true
		}
	}
	for _, e := range s.lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok && s.u.keyText(kv.Key) == key {
			return s.u.siteValue(kv.Value, s.f), true
		}
	}
	return libs.Value{}, false
}

// mapSet is the last value that is assigned to a key of a variable: m["retries"] = 5, m.SetKey("retries", 5).
func (u *unit) mapSet(root types.Object, key string) (last ast.Expr) {
	for _, a := range u.assigns {
		if len(a.Lhs) != len(a.Rhs) {
			continue
		}
		for i, l := range a.Lhs {
			x, ok := ast.Unparen(l).(*ast.IndexExpr)
			if !ok || u.keyText(x.Index) != key {
				continue
			}
			if id := rootIdent(x.X); id != nil && u.object(id) == root {
				last = a.Rhs[i]
			}
		}
	}
	for _, s := range u.sites {
		k := u.callee(s.call)
		if k.sel != "SetKey" || k.recv == nil || len(s.call.Args) != 2 || u.keyText(s.call.Args[0]) != key {
			continue
		}
		if id := rootIdent(k.recv); id != nil && u.object(id) == root && (last == nil || s.call.Pos() > last.Pos()) {
			last = s.call.Args[1]
		}
	}
	return last
}
