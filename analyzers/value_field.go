package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/retrylint/retrylint/analyzers/libs"
)

func structOf(t types.Type) *types.Struct {
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, _ := t.Underlying().(*types.Struct)
	return s
}

func (u *unit) litAt(d *declIndex, pos token.Pos, best *fn) *fn {
	if u.litsOf == nil {
		u.litsOf = map[*declIndex][]*fn{}
		for _, f := range u.fns {
			if f.lit != nil {
				if o := u.declOf(f.lit.Pos()); o != nil {
					u.litsOf[o] = append(u.litsOf[o], f)
				}
			}
		}
	}
	for _, f := range u.litsOf[d] {
		if f.lit.Pos() <= pos && pos < f.lit.End() {
			if best == nil || best.lit == nil || f.lit.Pos() > best.lit.Pos() {
				best = f
			}
		}
	}
	return best
}

// fieldValue joins the values that a field is given anywhere in the package of its struct and in this one.
func (u *unit) fieldValue(o *types.Var, f *fn) libs.Value {
	if v, ok := u.shared.bound(o); ok {
		return v
	}
	if u.shared.busy[o] {
		return libs.Value{Loops: true}
	}
	u.shared.busy[o] = true
	defer delete(u.shared.busy, o)
	var vs []libs.Value
	add := func(v libs.Value, any bool) {
		if any {
			vs = append(vs, v)
		}
	}
	add(u.writesValue(o), len(u.writesOf(o)) > 0)
	if o.Pkg() != nil && o.Pkg() != u.pkg {
		if other := u.shared.units[o.Pkg()]; other != nil {
			add(other.writesValue(o), len(other.writesOf(o)) > 0)
		}
	}
	if len(vs) == 0 {
		for _, w := range u.shared.writersOf(o) {
			if w != u {
				add(w.writesValue(o), len(w.writesOf(o)) > 0)
			}
		}
	}
	v := union(vs)
	if len(vs) == 0 || !known(v) {
		if t, ok := u.tagValue(o); ok {
			if len(vs) == 0 && !known(t) && u.leftZero(o) {
				z := zeroValue(o.Type())
				z.Ref, z.At = t.Ref, t.At
				return z
			}
			return t
		}
	} else if t, ok := u.tagValue(o); ok && v.Ref.Name.IsZero() {
		v.Ref = t.Ref
	}
	return v
}

// writersOf are the packages that may give a field of another package its value: those that import it, for what others may
// name and what can be a count or a time.
func (r *Repo) writersOf(o *types.Var) []*unit {
	if b, ok := o.Type().Underlying().(*types.Basic); !ok || b.Info()&types.IsNumeric == 0 || !o.Exported() || o.Pkg() == nil || r.units[o.Pkg()] == nil {
		return nil
	}
	if r.importers == nil {
		r.importers = map[*types.Package][]*unit{}
		for _, u := range r.order {
			if u.pkg == nil {
				continue
			}
			for _, p := range u.pkg.Imports() {
				if r.units[p] != nil {
					r.importers[p] = append(r.importers[p], u)
				}
			}
		}
	}
	return r.importers[o.Pkg()]
}

// leftZero reports whether a field that a decoder fills has the zero value as its default: a literal of its struct gives other
// fields their defaults and is handed to the decoder.
func (u *unit) leftZero(o *types.Var) bool {
	w := u
	if o.Pkg() != u.pkg {
		if w = u.shared.units[o.Pkg()]; w == nil {
			return false
		}
	}
	if w.defaulted == nil {
		w.defaulted = map[*types.Var]bool{}
		for _, lit := range w.lits {
			st := structOf(w.typeOf(lit))
			if st == nil || len(lit.Elts) == 0 || !w.handedLiteral(lit) {
				continue
			}
			for i := range st.NumFields() {
				w.defaulted[st.Field(i)] = true
			}
		}
	}
	return w.defaulted[o]
}

// handedLiteral reports whether a literal is the value of a variable that goes to a call.
func (u *unit) handedLiteral(lit *ast.CompositeLit) bool {
	p := u.parent(lit)
	if x, ok := p.(*ast.UnaryExpr); ok {
		p = u.parent(x)
	}
	for _, o := range u.variablesOf(p) {
		if u.handedOn(o) {
			return true
		}
	}
	return false
}

// variablesOf are the variables that a statement with one value for each sets.
func (u *unit) variablesOf(n ast.Node) []types.Object {
	var out []types.Object
	switch s := n.(type) {
	case *ast.AssignStmt:
		if len(s.Lhs) == 1 {
			if id, ok := ast.Unparen(s.Lhs[0]).(*ast.Ident); ok {
				out = append(out, u.object(id))
			}
		}
	case *ast.ValueSpec:
		if len(s.Names) == 1 {
			out = append(out, u.info.Def(s.Names[0]))
		}
	}
	return slices.DeleteFunc(out, func(o types.Object) bool { return o == nil || !o.Pos().IsValid() })
}

func (u *unit) selectorValue(x *ast.SelectorExpr, f *fn) libs.Value {
	o := u.object(x.Sel)
	switch o := o.(type) {
	case *types.Const:
		return constValue(o.Val(), o.Type())
	case *types.Var:
		if !o.IsField() {
			return u.varValue(o, f)
		}
		if v, ok := u.fieldOf(x.X, o, f); ok {
			return v
		}
		return u.varValue(o, f)
	}
	if v, ok := u.fieldByName(x.X, x.Sel.Name, f); ok {
		return v
	}
	return libs.Value{}
}

// fieldOf looks at the one composite literal and the assignments of the very value, where it is local.
func (u *unit) fieldOf(base ast.Expr, field *types.Var, f *fn) (libs.Value, bool) {
	return u.fieldByName(base, field.Name(), f)
}

// fieldByName is the value of a field of a local variable that is made here: from its literal and later assignments. ok is
// false where the value is not made here.
func (u *unit) fieldByName(base ast.Expr, name string, f *fn) (libs.Value, bool) {
	lit, root := u.literalOf(base, f, 0)
	var vs []libs.Value
	found := false
	if lit != nil {
		if v, ok := u.litField(lit, name, f); ok {
			vs, found = append(vs, v), true
		}
	}
	if root != nil {
		for _, w := range u.localFieldSets(root, name) {
			if v, ok := root.(*types.Var); !ok || !found || u.always(w, v) {
				vs = nil // what was there before is overwritten
			}
			vs, found = append(vs, u.value(w, u.fnAt(w.Pos()))), true
		}
	}
	if lit != nil && root != nil && u.handedOn(root) {
		// Options, setters and decoders may write to it: whatever the package writes to the field may be its value.
		if o := u.fieldObject(lit, name); o != nil {
			written := u.writesOf(o)
			if u.shared.units[o.Pkg()] == nil {
				// A type from outside: what literals of other variables hold says nothing of this one.
				written = assignments(written)
			}
			if len(written) > 0 || u.shared.units[o.Pkg()] != nil && u.shared.units[o.Pkg()] != u {
				return u.varValue(o, f), true
			}
		}
	}
	if !found {
		if lit != nil && root != nil && !u.escapes(root) {
			if o := u.fieldObject(lit, name); o != nil {
				return zeroValue(o.Type()), true
			}
		}
		return libs.Value{}, false
	}
	v := union(vs)
	if root != nil && v.Ref.Name.IsZero() && u.handedOn(root) {
		// A decoder may fill it: what is written here is the default of a setting.
		if o := fieldNamed(root.Type(), name); o != nil {
			if t, ok := u.tagValue(o); ok {
				v.Ref = t.Ref
			}
		}
	}
	return v, true
}

// assignments is the writes that no literal makes.
func assignments(ws []write) []write {
	var out []write
	for _, w := range ws {
		switch w.at.(type) {
		case *ast.AssignStmt, *ast.UnaryExpr:
			out = append(out, w)
		}
	}
	return out
}

// always reports whether an assigned value is assigned on every way through the variable's scope.
func (u *unit) always(value ast.Expr, o *types.Var) bool {
	for n := u.parent(value); n != nil; n = u.parent(n) {
		if b, ok := n.(*ast.BlockStmt); ok {
			return straight(u, b, o)
		}
		if _, ok := n.(*ast.CaseClause); ok {
			return false
		}
	}
	return true
}

// fieldNamed is a field of a struct or of what a pointer points to.
func fieldNamed(t types.Type, name string) *types.Var {
	st := structOf(t)
	if st == nil {
		return nil
	}
	for i := range st.NumFields() {
		if st.Field(i).Name() == name {
			return st.Field(i)
		}
	}
	return nil
}

func (u *unit) fieldObject(lit *ast.CompositeLit, name string) *types.Var {
	return fieldNamed(u.typeOf(lit), name)
}

// litField is the value of a field in a composite literal.
func (u *unit) litField(lit *ast.CompositeLit, name string, f *fn) (libs.Value, bool) {
	if e := u.litFieldExpr(lit, name); e != nil {
		return u.value(e, f), true
	}
	return libs.Value{}, false
}

func (u *unit) litFieldExpr(lit *ast.CompositeLit, name string) ast.Expr {
	st := structOf(u.typeOf(lit))
	for i, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && id.Name == name {
				return kv.Value
			}
			continue
		}
		if st != nil && i < st.NumFields() && st.Field(i).Name() == name {
			return e
		}
	}
	return nil
}

// literalOf follows a local variable to the composite literal that makes it; root is the variable.
func (u *unit) literalOf(e ast.Expr, f *fn, depth int) (*ast.CompositeLit, types.Object) {
	if depth > 6 {
		return nil, nil
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return x, nil
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return u.literalOf(x.X, f, depth+1)
		}
	case *ast.StarExpr:
		return u.literalOf(x.X, f, depth+1)
	case *ast.Ident:
		o, ok := u.object(x).(*types.Var)
		if !ok || o.IsField() {
			return nil, nil
		}
		var only ast.Expr
		if u.pkg != nil && o.Parent() == u.pkg.Scope() {
			ws := u.writesOf(o)
			if len(ws) != 1 {
				return nil, nil
			}
			only = ws[0].value
		} else {
			n := 0
			for _, s := range u.setsOf(o) {
				switch s := s.(type) {
				case *ast.ValueSpec:
					if len(s.Values) == len(s.Names) {
						for i, id := range s.Names {
							if u.info.Def(id) == types.Object(o) {
								only = s.Values[i]
							}
						}
						n++
					}
				case *ast.AssignStmt:
					n++
					if len(s.Lhs) == len(s.Rhs) {
						for i, l := range s.Lhs {
							if id, ok := ast.Unparen(l).(*ast.Ident); ok && u.object(id) == types.Object(o) {
								only = s.Rhs[i]
							}
						}
					} else if len(s.Rhs) == 1 {
						only = s.Rhs[0]
					}
				}
			}
			if n > 1 {
				return nil, o
			}
		}
		if only == nil {
			return nil, o
		}
		lit, _ := u.literalOf(only, f, depth+1)
		return lit, o
	case *ast.CallExpr:
		if lit, _ := u.returnedLiteral(x, depth); lit != nil {
			return lit, nil
		}
	}
	return nil, nil
}

// returnedLiteral is the composite literal that a function of the repository returns on its only way.
func (u *unit) returnedLiteral(c *ast.CallExpr, depth int) (*ast.CompositeLit, *unit) {
	g := u.target(c)
	if g == nil || g.body == nil || g.unit != u {
		return nil, nil
	}
	ret := onlyReturn(g)
	if ret == nil || len(ret.Results) == 0 {
		return nil, nil
	}
	lit, _ := u.literalOf(ret.Results[0], g, depth+1)
	return lit, u
}

// localFieldSets lists the values assigned to a field of a local or package variable, in source order.
func (u *unit) localFieldSets(root types.Object, name string) []ast.Expr {
	if u.fieldSets == nil {
		u.fieldSets = map[fieldKey][]ast.Expr{}
		for _, a := range u.assigns {
			if len(a.Lhs) != len(a.Rhs) {
				continue
			}
			for i, l := range a.Lhs {
				s, ok := ast.Unparen(l).(*ast.SelectorExpr)
				if !ok {
					continue
				}
				v := a.Rhs[i]
				if a.Tok != token.ASSIGN && a.Tok != token.DEFINE {
					v = &ast.BadExpr{From: l.Pos(), To: l.End()} // a.b += v: what comes out is not known
				}
				// a.b.c = v is noted for a ("b.c") and for the field b ("c").
				path := s.Sel.Name
				for x := ast.Unparen(s.X); x != nil; {
					switch y := x.(type) {
					case *ast.SelectorExpr:
						if o := u.object(y.Sel); o != nil {
							k := fieldKey{o, path}
							u.fieldSets[k] = append(u.fieldSets[k], v)
						}
						path = y.Sel.Name + "." + path
						x = ast.Unparen(y.X)
					case *ast.StarExpr:
						x = ast.Unparen(y.X)
					case *ast.Ident:
						if o := u.object(y); o != nil {
							k := fieldKey{o, path}
							u.fieldSets[k] = append(u.fieldSets[k], v)
						}
						x = nil
					default:
						x = nil
					}
				}
			}
		}
	}
	return u.fieldSets[fieldKey{root, name}]
}

// fieldKey is a field, or a path of fields ("HTTPClient.Timeout"), of one variable.
type fieldKey struct {
	root types.Object
	path string
}

// rootIdent is the variable at the bottom of a.b.c.
func rootIdent(e ast.Expr) *ast.Ident {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// selPath is "b.c" of a.b.c.
func selPath(s *ast.SelectorExpr) string {
	p := s.Sel.Name
	for {
		switch x := ast.Unparen(s.X).(type) {
		case *ast.SelectorExpr:
			p = x.Sel.Name + "." + p
			s = x
		default:
			return p
		}
	}
}

// escapes reports whether a variable's address is taken or it is handed on, so that others may change it.
func (u *unit) escapes(o types.Object) bool {
	for _, n := range u.setsOf(o) {
		if x, ok := n.(*ast.UnaryExpr); ok && x.Op == token.AND {
			return true
		}
	}
	return false
}

func (u *unit) litType(x *ast.CompositeLit) types.Type {
	if t := u.typeOf(x); t != nil {
		return t.Underlying()
	}
	if _, ok := x.Type.(*ast.ArrayType); ok {
		return types.NewSlice(types.Typ[types.Int])
	}
	return nil
}
