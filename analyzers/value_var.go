package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/retrylint/retrylint/analyzers/libs"
)

func (u *unit) varValue(o *types.Var, f *fn) libs.Value {
	r := u.shared
	if v, ok := u.bound(o); ok {
		return v
	}
	// What is found with no call being followed and nothing half-way holds for every question.
	if len(r.bindings) > 0 {
		return u.varFresh(o, f)
	}
	if v, ok := r.values[o]; ok {
		return v
	}
	whole := len(r.busy) == 0
	v := u.varFresh(o, f)
	if (whole || known(v)) && r.fuel > 0 && r.depth < maxValueDepth {
		r.values[o] = v
	}
	return v
}

func (u *unit) varFresh(o *types.Var, f *fn) libs.Value {
	if o.IsField() {
		return u.fieldValue(o, f)
	}
	if o.Pkg() != nil && u.pkg != nil && o.Pkg() != u.pkg {
		if other := u.shared.units[o.Pkg()]; other != nil {
			return other.varValue(o, nil)
		}
		return libs.Value{}
	}
	if u.pkg != nil && o.Parent() == u.pkg.Scope() {
		return u.packageVar(o)
	}
	if u.shared.busy[o] {
		return libs.Value{Loops: true}
	}
	u.shared.busy[o] = true
	defer delete(u.shared.busy, o)
	var vs []libs.Value
	owner, i := u.paramOwner(o, f)
	if owner != nil {
		if pv, ok := u.paramValue(owner, i, o); ok {
			vs = append(vs, pv)
		} else if len(u.setsOf(o)) == 0 {
			return libs.Value{}
		}
	}
	for _, n := range u.setsOf(o) {
		v, ok := u.setValue(n, o, f)
		if !ok {
			return libs.Value{}
		}
		if isZeroDecl(n) && len(u.setsOf(o)) > 1 {
			continue
		}
		vs = append(vs, v)
	}
	return union(vs)
}

// isZeroDecl is "var x T": a value that is overwritten before it is used, in all likelihood.
func isZeroDecl(n ast.Node) bool {
	s, ok := n.(*ast.ValueSpec)
	return ok && len(s.Values) == 0
}

// setValue is the value that one statement gives to o; ok is false where it cannot be said at all.
func (u *unit) setValue(n ast.Node, o types.Object, f *fn) (libs.Value, bool) {
	switch s := n.(type) {
	case *ast.ValueSpec:
		if len(s.Values) == 0 {
			return zeroValue(o.Type()), true
		}
		for i, id := range s.Names {
			if u.info.Def(id) == o {
				if len(s.Values) == len(s.Names) {
					return u.value(s.Values[i], f), true
				}
				return u.tupleValue(s.Values[0], i, f), true
			}
		}
	case *ast.AssignStmt:
		if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
			return libs.Value{}, false
		}
		for i, l := range s.Lhs {
			if id, ok := ast.Unparen(l).(*ast.Ident); ok && u.object(id) == o {
				if len(s.Rhs) == len(s.Lhs) {
					return u.value(s.Rhs[i], f), true
				}
				return u.tupleValue(s.Rhs[0], i, f), true
			}
		}
	case *ast.UnaryExpr: // &x handed to a flag package or a decoder
		return u.flagVar(s, f)
	}
	return libs.Value{}, false
}

func zeroValue(t types.Type) libs.Value {
	if b, ok := t.Underlying().(*types.Basic); ok {
		switch {
		case b.Info()&types.IsInteger != 0:
			v := intValue(0)
			v.Duration = isDuration(t)
			return v
		case b.Info()&types.IsString != 0:
			return libs.Value{Set: true, IsStr: true}
		case b.Info()&types.IsBoolean != 0:
			return libs.Value{Set: true, IsBool: true}
		}
	}
	return libs.Value{Set: true, Nil: true}
}

// tupleValue is result i of a call with several results: strconv.Atoi, time.ParseDuration, os.LookupEnv, own helpers.
func (u *unit) tupleValue(e ast.Expr, i int, f *fn) libs.Value {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return libs.Value{}
	}
	if i == 0 {
		if v := u.callValue(c, f); known(v) || !v.Ref.Name.IsZero() {
			return v
		}
	}
	return u.inline(c, i, f)
}

// paramOwner finds the function whose parameter o is.
func (u *unit) paramOwner(o types.Object, f *fn) (*fn, int) {
	for g := f; g != nil; g = g.parent {
		if i, ok := g.params[o]; ok {
			return g, i
		}
	}
	if f == nil {
		for _, g := range u.fns {
			if i, ok := g.params[o]; ok {
				return g, i
			}
		}
	}
	return nil, 0
}

// paramValue is the value of a parameter over all callers that are known; ok is false where there are none.
func (u *unit) paramValue(owner *fn, i int, o types.Object) (libs.Value, bool) {
	var few [4]libs.Value
	vs := few[:0]
	for _, s := range u.callersOf(owner) {
		if i >= len(s.call.Args) {
			continue
		}
		if s.call.Ellipsis.IsValid() && i == len(s.call.Args)-1 {
			return libs.Value{}, true
		}
		w := s.in.unit
		v := w.value(s.call.Args[i], s.in)
		if !known(v) && w.openParam(s.call.Args[i], s.in) {
			continue
		}
		vs = append(vs, v)
		if len(vs) > 64 {
			break
		}
	}
	if len(vs) == 0 {
		return libs.Value{}, false
	}
	return union(vs), true
}

// openParam reports whether e is a parameter that no known caller sets.
func (u *unit) openParam(e ast.Expr, f *fn) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	o := u.object(id)
	if o == nil {
		return false
	}
	owner, _ := u.paramOwner(o, f)
	return owner != nil && len(u.callersOf(owner)) == 0
}

// packageVar is the value of a package-level variable: its initial value and whatever the package writes to it.
func (u *unit) packageVar(o *types.Var) libs.Value {
	if u.shared.busy[o] {
		return libs.Value{Loops: true}
	}
	u.shared.busy[o] = true
	defer delete(u.shared.busy, o)
	return u.writesValue(o)
}

// writesValue joins all values that are written to a field or package variable.
func (u *unit) writesValue(o types.Object) libs.Value {
	var few [4]libs.Value
	vs := few[:0]
	for _, w := range u.writesOf(o) {
		if w.value == nil {
			if c, ok := w.at.(*ast.UnaryExpr); ok {
				if v, ok := u.flagVar(c, w.in); ok {
					vs = append(vs, v)
					continue
				}
			}
			return libs.Value{}
		}
		v := u.value(w.value, w.in)
		if !known(v) && u.openParam(w.value, w.in) {
			continue
		}
		vs = append(vs, v)
		if len(vs) > 64 {
			break
		}
	}
	return union(vs)
}

// writesOf lists what the package writes to a field or package variable.
func (u *unit) writesOf(o types.Object) []write {
	if u.writes == nil {
		u.collectWrites()
	}
	return u.writes[o]
}

// collectWrites finds, in one go, every value that a field or package variable is given in the package.
func (u *unit) collectWrites() {
	u.writes = map[types.Object][]write{}
	scope := (*types.Scope)(nil)
	if u.pkg != nil {
		scope = u.pkg.Scope()
	}
	add := func(o types.Object, w write) { u.writes[o] = append(u.writes[o], w) }
	for _, d := range u.decls {
		g, ok := d.node.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			for i, id := range v.Names {
				if o := u.info.Def(id); o != nil && len(v.Values) == len(v.Names) {
					add(o, write{value: v.Values[i], at: v.Values[i]})
				}
			}
		}
	}
	for _, a := range u.assigns {
		if a.Tok != token.ASSIGN && a.Tok != token.DEFINE {
			// x.F += v and x.F++: what comes out is not known.
			if s, ok := ast.Unparen(a.Lhs[0]).(*ast.SelectorExpr); ok {
				if o := u.object(s.Sel); o != nil {
					add(o, write{value: &ast.BadExpr{From: s.Pos(), To: s.End()}, in: u.fnAt(a.Pos()), at: a})
				}
			}
			continue
		}
		for i, l := range a.Lhs {
			var o types.Object
			switch l := ast.Unparen(l).(type) {
			case *ast.SelectorExpr:
				o = u.object(l.Sel)
			case *ast.Ident:
				o = u.object(l)
				if o == nil || o.Parent() != scope || scope == nil {
					continue
				}
			}
			if o == nil {
				continue
			}
			w := write{in: u.fnAt(a.Pos()), at: a}
			if len(a.Rhs) == len(a.Lhs) {
				w.value = a.Rhs[i]
			} else if i == 0 {
				w.value = a.Rhs[0]
			}
			add(o, w)
		}
	}
	for _, c := range u.lits {
		st := structOf(u.typeOf(c))
		for i, e := range c.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok {
					if o, ok := u.object(id).(*types.Var); ok && o.IsField() {
						add(o, write{value: kv.Value, in: u.fnAt(c.Pos()), at: kv})
					}
				}
			} else if st != nil && i < st.NumFields() {
				add(st.Field(i), write{value: e, in: u.fnAt(c.Pos()), at: e})
			}
		}
	}
	// Fields whose address goes to a flag package: flag.IntVar(&c.retries, "retries", 3, "..."), Destination: &c.retries.
	target := func(e ast.Expr, f *fn, isFlag func() bool) {
		a, ok := ast.Unparen(e).(*ast.UnaryExpr)
		if !ok || a.Op != token.AND {
			return
		}
		var o types.Object
		switch x := ast.Unparen(a.X).(type) {
		case *ast.SelectorExpr:
			o = u.object(x.Sel)
		case *ast.Ident:
			if o = u.object(x); o != nil && (scope == nil || o.Parent() != scope) {
				return
			}
		}
		if o != nil && isFlag() {
			add(o, write{in: f, at: a})
		}
	}
	for _, f := range u.fns {
		for _, c := range f.calls {
			if len(c.expr.Args) > 0 {
				target(c.expr.Args[0], f, func() bool {
					_, ok := u.flagCall(c.expr, f)
					return ok
				})
			}
		}
	}
	for _, lit := range u.lits {
		if e := u.litFieldExpr(lit, "Destination"); e != nil {
			f := u.fnAt(lit.Pos())
			target(e, f, func() bool {
				_, ok := u.literalFlag(lit, f)
				return ok
			})
		}
	}
}

// fnAt is the function around a position.
func (u *unit) fnAt(pos token.Pos) *fn {
	d := u.declOf(pos)
	if d == nil {
		return nil
	}
	top, _ := d.node.(*ast.FuncDecl)
	if top == nil {
		return u.litAt(d, pos, nil)
	}
	return u.litAt(d, pos, u.byNode[top])
}
