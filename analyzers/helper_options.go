package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/retrylint/retrylint/analyzers/libs"
)

// optionFields is what the functional options of one call of a helper make of its options struct: the value of each field that
// an option of this call sets, and for the others what the helper itself gives them. Nothing where an option can not be read,
// since it may set any field.
func (u *unit) optionFields(s *site, g *fn) map[types.Object]libs.Value {
	var param *types.Var
	at := -1
	for o, i := range g.params {
		if v, ok := o.(*types.Var); ok && optionsOf(v.Type()) != nil {
			param, at = v, i
		}
	}
	if param == nil || at > len(s.call.Args) {
		return nil
	}
	args := s.call.Args[at:]
	if s.call.Ellipsis.IsValid() {
		lit, root := u.literalOf(args[0], s.in, 0)
		if lit == nil || root != nil && len(u.setsOf(root)) > 1 {
			return nil
		}
		args = lit.Elts
	}
	out := map[types.Object]libs.Value{}
	for _, a := range args {
		if !u.optionSets(a, s.in, out) {
			return nil
		}
	}
	st := optionsOf(param.Type())
	root := g.unit.localOf(g, st)
	if root == nil {
		return out
	}
	for i := range st.NumFields() {
		if f := st.Field(i); !out[f].Set {
			if v := g.unit.ownDefault(g, root, f); v.Set {
				out[f] = v
			}
		}
	}
	return out
}

// optionsOf is the struct T of a parameter ...func(*T), also where the function type has a name.
func optionsOf(t types.Type) *types.Struct {
	l, ok := t.Underlying().(*types.Slice)
	if !ok {
		return nil
	}
	f, ok := l.Elem().Underlying().(*types.Signature)
	if !ok || f.Params().Len() != 1 || f.Results().Len() > 1 {
		return nil
	}
	if _, ok := f.Params().At(0).Type().Underlying().(*types.Pointer); !ok {
		return nil
	}
	return structOf(f.Params().At(0).Type())
}

// optionSets notes the fields that an option sets; false where that can not be seen.
func (u *unit) optionSets(e ast.Expr, f *fn, out map[types.Object]libs.Value) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.FuncLit:
		return u.literalSets(x.Type, x.Body, f, out)
	case *ast.Ident, *ast.SelectorExpr:
		id, ok := x.(*ast.Ident)
		if !ok {
			id = x.(*ast.SelectorExpr).Sel
		}
		fun, ok := u.object(id).(*types.Func)
		if !ok {
			return false
		}
		g := u.shared.fnOf(fun)
		return g != nil && g.decl != nil && g.body != nil && g.unit.literalSets(g.decl.Type, g.body, g, out)
	case *ast.CallExpr:
		g := u.target(x)
		if g == nil || g.body == nil || x.Ellipsis.IsValid() {
			return false
		}
		ret := onlyReturn(g)
		if ret == nil || len(ret.Results) != 1 {
			return false
		}
		lit, ok := ast.Unparen(ret.Results[0]).(*ast.FuncLit)
		if !ok {
			return false
		}
		values := map[types.Object]libs.Value{}
		for o, i := range g.params {
			if i < len(x.Args) {
				values[o] = u.value(x.Args[i], f)
			}
		}
		u.shared.bindings = append(u.shared.bindings, values)
		defer func() { u.shared.bindings = u.shared.bindings[:len(u.shared.bindings)-1] }()
		return g.unit.literalSets(lit.Type, lit.Body, g, out)
	}
	return false
}

// literalSets notes the fields of its parameter that a function sets.
func (u *unit) literalSets(t *ast.FuncType, body *ast.BlockStmt, f *fn, out map[types.Object]libs.Value) bool {
	if t.Params == nil || len(t.Params.List) != 1 || len(t.Params.List[0].Names) != 1 {
		return false
	}
	param := u.info.Def(t.Params.List[0].Names[0])
	for _, s := range body.List {
		a, ok := s.(*ast.AssignStmt)
		if !ok {
			if _, ok := s.(*ast.ReturnStmt); ok {
				continue
			}
			return false // it decides by something, or hands the struct on
		}
		if a.Tok != token.ASSIGN || len(a.Lhs) != len(a.Rhs) {
			return false
		}
		for i, l := range a.Lhs {
			sel, ok := ast.Unparen(l).(*ast.SelectorExpr)
			if !ok || u.lvalue(sel.X) != param {
				return false
			}
			if o := u.object(sel.Sel); o != nil {
				out[o] = u.value(a.Rhs[i], f)
			}
		}
	}
	return true
}

// localOf is where a function names the variable that holds a struct for the first time.
func (u *unit) localOf(g *fn, st *types.Struct) *ast.Ident {
	var out *ast.Ident
	inspectOwn(g.body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && out == nil {
			if v, ok := u.info.Def(id).(*types.Var); ok && structOf(v.Type()) == st {
				out = id
			}
		}
		return out == nil
	})
	return out
}

// ownDefault is what a function gives a field of its options where no option does: by the literal that makes them, or under
// the condition that nothing is set.
func (u *unit) ownDefault(g *fn, root *ast.Ident, field *types.Var) libs.Value {
	lit, o := u.literalOf(root, g, 0)
	if lit == nil {
		return libs.Value{}
	}
	if v, ok := u.litField(lit, field.Name(), g); ok {
		return v
	}
	var sets []libs.Value
	for _, e := range u.localFieldSets(o, field.Name()) {
		sets = append(sets, u.value(e, g))
	}
	if len(sets) == 0 {
		return zeroValue(field.Type())
	}
	return union(sets)
}
