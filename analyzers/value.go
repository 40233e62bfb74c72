package analyzers

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// maxValueDepth bounds how far a value is followed through variables, fields, parameters and calls.
const maxValueDepth = 12

// maxValueSteps bounds the work for one question; what is not found by then stays unknown.
const maxValueSteps = 600

// value is what is known of an expression that stands in f (nil at package level): a constant, a range of several
// possible values, a setting that lies elsewhere, or nothing.
func (u *unit) value(e ast.Expr, f *fn) libs.Value {
	if e == nil {
		return libs.Value{}
	}
	r := u.shared
	if r.depth == 0 {
		r.fuel = maxValueSteps
	}
	r.fuel--
	if r.depth > maxValueDepth || r.fuel < 0 {
		return libs.Value{Set: true}
	}
	r.depth++
	defer func() { r.depth-- }()
	v := u.valueOf(e, f)
	v.Set = true
	if v.At.IsZero() {
		v.At = u.at(e)
	}
	return v
}

func (u *unit) valueOf(e ast.Expr, f *fn) libs.Value {
	if tv, ok := u.info.Types[e]; ok && tv.Value != nil {
		return constValue(tv.Value, tv.Type)
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		return u.value(x.X, f)
	case *ast.BasicLit:
		return literal(x)
	case *ast.Ident:
		return u.identValue(x, f)
	case *ast.SelectorExpr:
		return u.selectorValue(x, f)
	case *ast.StarExpr:
		return u.value(x.X, f)
	case *ast.UnaryExpr:
		v := u.value(x.X, f)
		switch x.Op {
		case token.AND:
			return v
		case token.SUB:
			v.Int, v.Float = -v.Int, -v.Float
			v.Lo, v.Hi = -v.Hi, -v.Lo
			v.Ref = model.Ref{}
			return v
		case token.NOT:
			if v.IsBool {
				v.Bool = !v.Bool
				return v
			}
		}
		return libs.Value{}
	case *ast.BinaryExpr:
		return binary(x.Op, u.value(x.X, f), u.value(x.Y, f))
	case *ast.CompositeLit:
		return u.listValue(x, f)
	case *ast.CallExpr:
		return u.callValue(x, f)
	case *ast.IndexExpr:
		l := u.value(x.X, f)
		i := u.value(x.Index, f)
		if i.IsInt && i.Lo == i.Hi && i.Int >= 0 && i.Int < int64(len(l.List)) {
			return l.List[i.Int]
		}
		return union(l.List)
	}
	return libs.Value{}
}

func isDuration(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "Duration" && n.Obj().Pkg() != nil && strings.HasSuffix(n.Obj().Pkg().Path(), "time")
}

func constValue(c constant.Value, t types.Type) libs.Value {
	v := libs.Value{Set: true}
	if t != nil && isDuration(t) {
		v.Duration = true
	}
	switch c.Kind() {
	case constant.Bool:
		v.Bool, v.IsBool = constant.BoolVal(c), true
	case constant.String:
		v.Str, v.IsStr = constant.StringVal(c), true
	case constant.Int:
		n, exact := constant.Int64Val(c)
		if !exact {
			n = math.MaxInt64
		}
		v.Int, v.IsInt, v.Lo, v.Hi = n, true, n, n
	case constant.Float:
		fl, _ := constant.Float64Val(c)
		v.Float, v.IsFloat = fl, true
		if t != nil {
			if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
				if n, ok := constant.Int64Val(constant.ToInt(c)); ok {
					v.Int, v.IsInt, v.Lo, v.Hi = n, true, n, n
				}
			}
		}
	}
	return v
}

func literal(x *ast.BasicLit) libs.Value {
	c := constant.MakeFromLiteral(x.Value, x.Kind, 0)
	if c.Kind() == constant.Unknown {
		return libs.Value{}
	}
	return constValue(c, nil)
}

func intValue(n int64) libs.Value {
	return libs.Value{Set: true, Int: n, IsInt: true, Lo: n, Hi: n}
}

func durationValue(d time.Duration) libs.Value {
	v := intValue(int64(d))
	v.Duration = true
	return v
}

// known reports whether a value says anything by itself.
func known(v libs.Value) bool {
	return v.IsInt || v.IsFloat || v.IsStr || v.IsBool || v.Nil || v.List != nil
}

// identValue follows a variable to what gives it its value.
func (u *unit) identValue(x *ast.Ident, f *fn) libs.Value {
	o := u.object(x)
	switch o := o.(type) {
	case *types.Nil:
		return libs.Value{Nil: true}
	case *types.Const:
		return constValue(o.Val(), o.Type())
	case *types.Var:
		return u.varValue(o, f)
	}
	if o == nil && x.Name == "nil" {
		return libs.Value{Nil: true}
	}
	return libs.Value{}
}

// bound looks a parameter up among the arguments of calls that are being followed.
func (u *unit) bound(o types.Object) (libs.Value, bool) {
	for i := len(u.shared.bindings) - 1; i >= 0; i-- {
		if v, ok := u.shared.bindings[i][o]; ok {
			return v, true
		}
	}
	return libs.Value{}, false
}

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
		return libs.Value{}
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
			if u.info.Defs[id] == o {
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
	var vs []libs.Value
	for _, s := range u.callersOf(owner) {
		if i >= len(s.call.Args) {
			continue
		}
		if s.call.Ellipsis.IsValid() && i == len(s.call.Args)-1 {
			return libs.Value{}, true
		}
		v := u.value(s.call.Args[i], s.in)
		if !known(v) && u.openParam(s.call.Args[i], s.in) {
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
		return libs.Value{}
	}
	u.shared.busy[o] = true
	defer delete(u.shared.busy, o)
	return u.writesValue(o)
}

// writesValue joins all values that are written to a field or package variable.
func (u *unit) writesValue(o types.Object) libs.Value {
	var vs []libs.Value
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
				if o := u.info.Defs[id]; o != nil && len(v.Values) == len(v.Names) {
					add(o, write{value: v.Values[i], at: v.Values[i]})
				}
			}
		}
	}
	for _, a := range u.assigns {
		if a.Tok != token.ASSIGN && a.Tok != token.DEFINE {
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
	// Fields whose address goes to a flag package: flag.IntVar(&c.retries, "retries", 3, "...").
	for _, f := range u.fns {
		for _, c := range f.calls {
			if len(c.expr.Args) == 0 {
				continue
			}
			a, ok := ast.Unparen(c.expr.Args[0]).(*ast.UnaryExpr)
			if !ok || a.Op != token.AND {
				continue
			}
			switch x := ast.Unparen(a.X).(type) {
			case *ast.SelectorExpr:
				if o := u.object(x.Sel); o != nil {
					if _, ok := u.flagCall(c.expr, f); ok {
						add(o, write{in: f, at: a})
					}
				}
			case *ast.Ident:
				if o := u.object(x); o != nil && scope != nil && o.Parent() == scope {
					if _, ok := u.flagCall(c.expr, f); ok {
						add(o, write{in: f, at: a})
					}
				}
			}
		}
	}
}

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
		return libs.Value{}
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
	v := union(vs)
	if len(vs) == 0 || !known(v) {
		if t, ok := u.tagValue(o); ok {
			return t
		}
	} else if t, ok := u.tagValue(o); ok && v.Ref.Name.IsZero() {
		v.Ref = t.Ref
	}
	return v
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
			vs, found = []libs.Value{u.value(w, u.fnAt(w.Pos()))}, true
		}
	}
	if lit != nil && root != nil && u.handedOn(root) {
		// Options, setters and decoders may write to it: whatever the package writes to the field may be its value.
		if o := u.fieldObject(lit, name); o != nil {
			if len(u.writesOf(o)) > 0 || u.shared.units[o.Pkg()] != nil && u.shared.units[o.Pkg()] != u {
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
	return union(vs), true
}

func (u *unit) fieldObject(lit *ast.CompositeLit, name string) *types.Var {
	st := structOf(u.typeOf(lit))
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
							if u.info.Defs[id] == types.Object(o) {
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
				// a.b.c = v is noted for a ("b.c") and for the field b ("c").
				path := s.Sel.Name
				for x := ast.Unparen(s.X); x != nil; {
					switch y := x.(type) {
					case *ast.SelectorExpr:
						if o := u.object(y.Sel); o != nil {
							k := fieldKey{o, path}
							u.fieldSets[k] = append(u.fieldSets[k], a.Rhs[i])
						}
						path = y.Sel.Name + "." + path
						x = ast.Unparen(y.X)
					case *ast.StarExpr:
						x = ast.Unparen(y.X)
					case *ast.Ident:
						if o := u.object(y); o != nil {
							k := fieldKey{o, path}
							u.fieldSets[k] = append(u.fieldSets[k], a.Rhs[i])
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

// listValue is a literal of numbers or durations.
func (u *unit) listValue(x *ast.CompositeLit, f *fn) libs.Value {
	switch u.litType(x).(type) {
	case *types.Slice, *types.Array:
	default:
		return libs.Value{}
	}
	v := libs.Value{Set: true, List: []libs.Value{}}
	for _, e := range x.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e = kv.Value
		}
		v.List = append(v.List, u.value(e, f))
	}
	return v
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

// onlyReturn is the last return statement of a function, where all others return an error or nothing known.
func onlyReturn(g *fn) *ast.ReturnStmt {
	if g.body == nil || len(g.body.List) == 0 {
		return nil
	}
	r, _ := g.body.List[len(g.body.List)-1].(*ast.ReturnStmt)
	return r
}

func parseInt(s string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	return n, err == nil
}
