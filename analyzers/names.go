package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// callee is what is known of the function that a call calls.
type callee struct {
	// name is the callee as far as it is known: "net/http.(*Client).Do", "github.com/google/uuid.NewString"; for values of
	// foreign types without a stub "example.org/widget.New().Spin"; "" where nothing is known.
	name string
	fun  *types.Func // nil where types are missing
	obj  types.Object
	to   *fn      // in this package
	recv ast.Expr // the receiver's expression of a method call
	sel  string   // the selected or plain name
	conv bool     // a conversion or builtin: no call at all
	pkg  string   // import path of the function, "" where not known
}

// callee resolves a call from the best evidence there is: the object, the import path with the selected name, or the way
// in which the receiver was made.
func (u *unit) callee(c *ast.CallExpr) callee {
	if s := u.byCall[c]; s != nil {
		return s.callee
	}
	if k := u.calleeOf[c]; k != nil {
		return *k
	}
	// A value made from itself ("q = q.Where(x)") asks for its own call again: then nothing is known of it.
	u.calleeOf[c] = new(callee)
	k := u.resolve(c)
	u.keepCallee(c, k)
	return k
}

// keepCallee keeps an answer. Many conversions and builtins are the same.
func (u *unit) keepCallee(c *ast.CallExpr, k callee) {
	kept := u.conversions[k]
	if kept == nil {
		kept = &k
		if k.conv {
			u.conversions[k] = kept
		}
	}
	u.calleeOf[c] = kept
}

func (u *unit) resolve(c *ast.CallExpr) callee {
	fun := ast.Unparen(c.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		if u.isGenericIndex(x.X) {
			fun = ast.Unparen(x.X)
		}
	case *ast.IndexListExpr:
		fun = ast.Unparen(x.X)
	}
	if tv, ok := u.info.Type(fun); ok && (tv.IsType() || tv.IsBuiltin()) {
		r := callee{conv: true}
		if id, ok := fun.(*ast.Ident); ok {
			r.sel = id.Name
		}
		return r
	}
	switch x := fun.(type) {
	case *ast.Ident:
		return u.calleeIdent(x)
	case *ast.SelectorExpr:
		return u.calleeSelector(x)
	case *ast.FuncLit:
		return callee{to: u.byNode[x], sel: "func"}
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType, *ast.StarExpr:
		return callee{conv: true}
	}
	return callee{}
}

// isGenericIndex tells the instantiation f[int](x) from the call of an element fs[0](x).
func (u *unit) isGenericIndex(e ast.Expr) bool {
	t := u.typeOf(ast.Unparen(e))
	if t == nil {
		return true
	}
	switch t.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Array, *types.Pointer:
		return false
	}
	return true
}

func (u *unit) calleeIdent(x *ast.Ident) callee {
	o := u.object(x)
	switch o := o.(type) {
	case *types.Func:
		o = o.Origin()
		return callee{name: funcName(o), fun: o, obj: o, to: u.byObj[o], sel: x.Name, pkg: pkgPath(o)}
	case *types.Builtin, *types.TypeName:
		return callee{conv: true, sel: x.Name}
	case *types.Var:
		return callee{obj: o, to: u.byObj[o], sel: x.Name}
	}
	return callee{sel: x.Name}
}

func (u *unit) calleeSelector(x *ast.SelectorExpr) callee {
	r := callee{sel: x.Sel.Name}
	if id, ok := ast.Unparen(x.X).(*ast.Ident); ok {
		if p, ok := u.object(id).(*types.PkgName); ok {
			r.pkg = p.Imported().Path()
			r.name = r.pkg + "." + x.Sel.Name
			switch o := u.object(x.Sel).(type) {
			case *types.Func:
				r.fun, r.obj = o.Origin(), o.Origin()
				r.to = u.byObj[o.Origin()]
			case *types.TypeName:
				r.conv = true
			case *types.Var:
				r.obj = o
			}
			return r
		}
	}
	r.recv = x.X
	switch o := u.object(x.Sel).(type) {
	case *types.Func:
		o = o.Origin()
		r.fun, r.obj, r.name, r.pkg = o, o, funcName(o), pkgPath(o)
		r.to = u.byObj[o]
		// A method promoted from an embedded foreign client keeps its own name; that is what it runs.
		return r
	case *types.Var:
		r.obj, r.to = o, u.byObj[o]
		return r
	}
	if t := u.foreign(x.X, 0); t != "" {
		r.name = t + "." + x.Sel.Name
		r.pkg = t
		if i := strings.LastIndex(t, "/"); i >= 0 {
			if j := strings.Index(t[i:], "."); j >= 0 {
				r.pkg = t[:i+j]
			}
		} else if j := strings.Index(t, "."); j >= 0 {
			r.pkg = t[:j]
		}
	}
	return r
}

func pkgPath(f *types.Func) string {
	if f.Pkg() == nil {
		return ""
	}
	return f.Pkg().Path()
}

// funcName is a function's name in the graph: "example.org/pay.Charge", "example.org/pay.(*Client).Charge".
func funcName(f *types.Func) string {
	path := pkgPath(f)
	sig, _ := f.Type().(*types.Signature)
	if sig == nil || sig.Recv() == nil {
		return path + "." + f.Name()
	}
	t := sig.Recv().Type()
	ptr := false
	if p, ok := t.(*types.Pointer); ok {
		t, ptr = p.Elem(), true
	}
	name := "?"
	switch n := t.(type) {
	case *types.Named:
		name = n.Obj().Name()
		if n.Obj().Pkg() != nil {
			path = n.Obj().Pkg().Path()
		}
	case *types.Alias:
		name = n.Obj().Name()
	case *types.Interface:
		name = "interface"
	}
	if ptr {
		name = "(*" + name + ")"
	}
	return path + "." + name + "." + f.Name()
}

// foreign says what is known of a value whose type is missing, from the way it is declared or made: "path.(*Client)",
// "path.Client", "path.New()", or "" where nothing is known.
func (u *unit) foreign(e ast.Expr, depth int) string {
	if depth > 6 {
		return ""
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		o, ok := u.object(x).(*types.Var)
		if !ok {
			return ""
		}
		return u.foreignVar(o, depth)
	case *ast.SelectorExpr:
		if id, ok := ast.Unparen(x.X).(*ast.Ident); ok {
			if p, ok := u.object(id).(*types.PkgName); ok {
				return p.Imported().Path() + "." + x.Sel.Name // a package variable such as DefaultClient
			}
		}
		if v, ok := u.object(x.Sel).(*types.Var); ok {
			if v.IsField() {
				return u.foreignType(u.fieldType(v))
			}
			return u.foreignVar(v, depth)
		}
		if t := u.foreign(x.X, depth+1); t != "" {
			return t + "." + x.Sel.Name
		}
	case *ast.CallExpr:
		c := u.callee(x)
		if c.conv {
			return u.foreignType(x.Fun)
		}
		if c.name != "" {
			if c.fun != nil {
				if s := namedText(resultType(c.fun, 0)); s != "" {
					return s
				}
			}
			return c.name + "()"
		}
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			if t := u.foreign(x.X, depth+1); t != "" {
				return pointerTo(t)
			}
		}
	case *ast.StarExpr:
		return withoutPointer.Replace(u.foreign(x.X, depth+1))
	case *ast.CompositeLit:
		return u.foreignType(x.Type)
	case *ast.TypeAssertExpr:
		return u.foreignType(x.Type)
	}
	return namedText(u.typeOf(e))
}

func pointerTo(t string) string {
	i := strings.LastIndex(t, ".")
	if i < 0 || strings.HasSuffix(t, ")") {
		return t
	}
	return t[:i+1] + "(*" + t[i+1:] + ")"
}

// namedText writes a named type, or a pointer to one, as names have it.
func namedText(t types.Type) string {
	if t == nil {
		return ""
	}
	ptr := false
	if p, ok := t.(*types.Pointer); ok {
		t, ptr = p.Elem(), true
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return ""
	}
	s := n.Obj().Name()
	if ptr {
		s = "(*" + s + ")"
	}
	return n.Obj().Pkg().Path() + "." + s
}

func resultType(f *types.Func, i int) types.Type {
	sig, _ := f.Type().(*types.Signature)
	if sig == nil || i >= sig.Results().Len() {
		return nil
	}
	return sig.Results().At(i).Type()
}

// foreignVar looks at a variable's declaration and at the one place that makes its value.
func (u *unit) foreignVar(o *types.Var, depth int) string {
	if s := namedText(o.Type()); s != "" {
		return s
	}
	if o.IsField() {
		return u.foreignType(u.fieldType(o))
	}
	if !o.Pos().IsValid() {
		return ""
	}
	if d := u.declOf(o.Pos()); d != nil {
		if t := u.paramType(d, o); t != nil {
			return u.foreignType(t)
		}
	}
	for _, n := range u.setsOf(o) {
		switch s := n.(type) {
		case *ast.ValueSpec:
			if s.Type != nil {
				return u.foreignType(s.Type)
			}
			for i, id := range s.Names {
				if u.info.Def(id) == o && len(s.Values) == len(s.Names) {
					return u.foreign(s.Values[i], depth+1)
				}
				if u.info.Def(id) == o && len(s.Values) == 1 && i == 0 {
					return u.foreign(s.Values[0], depth+1)
				}
			}
		case *ast.AssignStmt:
			for i, l := range s.Lhs {
				if id, ok := ast.Unparen(l).(*ast.Ident); ok && u.object(id) == types.Object(o) {
					if len(s.Rhs) == len(s.Lhs) {
						return u.foreign(s.Rhs[i], depth+1)
					}
					if i == 0 && len(s.Rhs) == 1 {
						return u.foreign(s.Rhs[0], depth+1)
					}
				}
			}
		}
	}
	return ""
}

// paramType is the declared type of a parameter or receiver within a declaration.
func (u *unit) paramType(d *declIndex, o types.Object) ast.Expr {
	u.index(d)
	var out ast.Expr
	look := func(l *ast.FieldList) {
		if l == nil {
			return
		}
		for _, f := range l.List {
			for _, id := range f.Names {
				if id.Pos() == o.Pos() {
					out = f.Type
				}
			}
		}
	}
	if f, ok := d.node.(*ast.FuncDecl); ok {
		look(f.Recv)
		look(f.Type.Params)
		look(f.Type.Results)
		if out != nil {
			return out
		}
	}
	for _, n := range d.nodes {
		if t, ok := n.(*ast.FuncType); ok && t.Pos() <= o.Pos() && o.Pos() < t.End() {
			look(t.Params)
			look(t.Results)
		}
	}
	return out
}

// foreignType writes a type expression as names have it.
func (u *unit) foreignType(t ast.Expr) string {
	switch x := t.(type) {
	case nil:
		return ""
	case *ast.ParenExpr:
		return u.foreignType(x.X)
	case *ast.StarExpr:
		return pointerTo(u.foreignType(x.X))
	case *ast.IndexExpr:
		return u.foreignType(x.X)
	case *ast.IndexListExpr:
		return u.foreignType(x.X)
	case *ast.SelectorExpr:
		if id, ok := x.X.(*ast.Ident); ok {
			if p, ok := u.object(id).(*types.PkgName); ok {
				return p.Imported().Path() + "." + x.Sel.Name
			}
		}
	case *ast.Ident:
		if n, ok := u.object(x).(*types.TypeName); ok && n.Pkg() != nil {
			return n.Pkg().Path() + "." + n.Name()
		}
	}
	return ""
}

// fieldType is the declared type of a field of one of this package's structs.
func (u *unit) fieldType(v *types.Var) ast.Expr {
	if u.fieldAST == nil {
		u.fieldAST = map[*types.Var]ast.Expr{}
		for _, d := range u.decls {
			g, ok := d.node.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			ast.Inspect(g, func(n ast.Node) bool {
				st, ok := n.(*ast.StructType)
				if !ok {
					return true
				}
				for _, f := range st.Fields.List {
					for _, id := range f.Names {
						if v, ok := u.info.Def(id).(*types.Var); ok {
							u.fieldAST[v] = f.Type
						}
					}
				}
				return true
			})
		}
	}
	return u.fieldAST[v]
}

// Replacers are made once: making one costs more than using it.
var (
	withoutPointer = strings.NewReplacer("(*", "", ")", "") // "pkg.(*Client)" as "pkg.Client"
	withoutQuotes  = strings.NewReplacer(`"`, "", "`", "")
	withoutDate    = strings.NewReplacer("2006", "", "2006-01-02", "")
)
