package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// siteValue is the value of an expression with what a library asks of it: its name, and itself as a site.
func (u *unit) siteValue(e ast.Expr, f *fn) libs.Value {
	if e == nil {
		return libs.Value{}
	}
	v := u.value(e, f)
	v.Set = true
	if at := u.at(e); known(v) && !v.At.IsZero() && (v.At.Line != at.Line || v.At.Path != at.Path) {
		if v.Ref.Name.IsZero() {
			v.More = morePlaces(v.At, v.More, nil, at)
		} else {
			// Only the default stands there. Where the library is told comes first.
			v.More = morePlaces(at, []model.Location{v.At}, v.More, model.Location{})
			v.At = at
		}
	}
	v.Name, v.Site = u.nameAndSite(e, f, nil, 0)
	if v.Name == "nil" {
		v.Nil, v.Name = true, ""
	}
	return v
}

// nameAndSite follows an expression to what it calls, names or makes.
func (u *unit) nameAndSite(e ast.Expr, f *fn, roots []types.Object, depth int) (string, libs.Site) {
	if depth > 8 || u.shared.follow > 24 {
		return "", nil
	}
	u.shared.follow++
	defer func() { u.shared.follow-- }()
	site := func(s *useSite) libs.Site { s.u, s.f, s.roots, s.world = u, f, roots, u.shared.world(); return s }
	switch x := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return u.nameAndSite(x.X, f, roots, depth+1)
		}
	case *ast.StarExpr:
		return u.nameAndSite(x.X, f, roots, depth+1)
	case *ast.CompositeLit:
		t := u.foreignType(x.Type)
		if t == "" {
			t = namedText(u.typeOf(x))
		}
		t = withoutPointer.Replace(t)
		return lastName(t), site(&useSite{lit: x})
	case *ast.CallExpr:
		return u.callSite(x, f, roots, depth)
	case *ast.FuncLit:
		if x.Type.Params != nil && len(x.Type.Params.List) > 0 && len(x.Body.List) == 1 {
			if r, ok := x.Body.List[0].(*ast.ReturnStmt); ok && len(r.Results) == 1 && isDuration(u.typeOf(r.Results[0])) {
				if v := u.value(r.Results[0], f); v.IsInt && v.Lo == 0 && v.Hi == 0 {
					return "noWait", nil // a wait that is computed to be none
				}
			}
		}
		if x.Type.Params != nil && len(x.Type.Params.List) > 0 || len(x.Body.List) != 1 {
			return "", nil
		}
		if r, ok := x.Body.List[0].(*ast.ReturnStmt); ok && len(r.Results) == 1 {
			return u.nameAndSite(r.Results[0], u.byNode[x], nil, depth+1)
		}
	case *ast.SelectorExpr:
		switch o := u.object(x.Sel).(type) {
		case *types.Func:
			return o.Name(), nil
		case *types.Var:
			return u.varSite(o, f, roots, depth)
		}
		if id, ok := ast.Unparen(x.X).(*ast.Ident); ok {
			if _, ok := u.object(id).(*types.PkgName); ok {
				return x.Sel.Name, nil
			}
		}
	case *ast.Ident:
		switch o := u.object(x).(type) {
		case *types.Func:
			return o.Name(), nil
		case *types.Nil:
			return "nil", nil
		case *types.Var:
			return u.varSite(o, f, roots, depth)
		}
	}
	return "", nil
}

// varSite follows a variable or field to the one thing that makes its value.
func (u *unit) varSite(o *types.Var, f *fn, roots []types.Object, depth int) (string, libs.Site) {
	roots = append(append([]types.Object(nil), roots...), o)
	if b, ok := u.shared.exprOf(o); ok {
		return b.unit.nameAndSite(b.expr, b.f, roots, depth+1)
	}
	owner := u
	isPkgVar := o.Pkg() != nil && o.Parent() == o.Pkg().Scope()
	if (o.IsField() || isPkgVar) && o.Pkg() != nil && o.Pkg() != u.pkg {
		owner = u.shared.units[o.Pkg()]
		if owner == nil {
			if isPkgVar {
				return o.Name(), nil
			}
			return "", &useSite{world: u.shared.world(), u: u, f: f, roots: roots, open: true}
		}
	}
	var found []struct {
		e ast.Expr
		f *fn
		u *unit
	}
	add := func(e ast.Expr, f *fn, w *unit) {
		if e != nil && !isNilExpr(e) {
			found = append(found, struct {
				e ast.Expr
				f *fn
				u *unit
			}{e, f, w})
		}
	}
	if o.IsField() || isPkgVar {
		for _, w := range owner.writesOf(o) {
			if w.value != nil && owner.openParam(w.value, w.in) {
				continue
			}
			add(w.value, w.in, owner)
		}
		if owner != u && o.IsField() {
			for _, w := range u.writesOf(o) {
				add(w.value, w.in, u)
			}
		}
	} else if w, wraps := u.lastWrap(o); wraps {
		add(w, f, u)
	} else {
		for _, n := range u.setsOf(o) {
			r := setExpr(n, o, u)
			if r == nil {
				switch s := n.(type) {
				case *ast.AssignStmt:
					if len(s.Rhs) == 1 && len(s.Lhs) > 1 && u.lvalue(s.Lhs[0]) == types.Object(o) {
						r = s.Rhs[0]
					}
				case *ast.ValueSpec:
					if len(s.Values) == 1 && len(s.Names) > 1 && u.info.Def(s.Names[0]) == types.Object(o) {
						r = s.Values[0]
					}
				}
			}
			if r != nil && !(mentionsObj(u, r, o) && !isCallOn(u, r, o)) {
				if isCallOn(u, r, o) {
					continue // c = c.SetX(1): a setter
				}
				add(r, f, u)
			}
		}
		if pf, i := u.paramOwner(o, f); pf != nil && len(found) == 0 {
			for _, s := range u.callersOf(pf) {
				if i < len(s.call.Args) && !(s.call.Ellipsis.IsValid() && i == len(s.call.Args)-1) {
					if s.in.unit.openParam(s.call.Args[i], s.in) {
						continue
					}
					add(s.call.Args[i], s.in, s.in.unit)
				}
			}
		}
	}
	open := &useSite{world: u.shared.world(), u: owner, f: f, roots: roots, open: true}
	if len(found) == 0 {
		for _, w := range []*unit{owner, u} {
			if c := w.filledBy(o); c != nil {
				return w.callee(c).sel, &useSite{world: u.shared.world(), u: w, f: w.fnAt(c.Pos()), roots: roots, call: c}
			}
		}
		if t := withoutPointer.Replace(u.foreignVarType(o)); t != "" && !o.IsField() && hasZeroDecl(u, o) {
			return lastName(t), &useSite{world: u.shared.world(), u: u, f: f, roots: roots, lit: &ast.CompositeLit{}}
		}
		return "", open
	}
	if u.shared.busy[o] {
		return "", open
	}
	u.shared.busy[o] = true
	defer delete(u.shared.busy, o)
	name, s := found[0].u.nameAndSite(found[0].e, found[0].f, roots, depth+1)
	for _, x := range found[1:] {
		n, other := x.u.nameAndSite(x.e, x.f, roots, depth+1)
		if n != name && !sameClient(s, other) {
			return "", open
		}
	}
	if s == nil && name == "" {
		return "", open
	}
	return name, s
}

// sameClient reports whether two constructors make the same client with the same options, from another address or with other
// credentials: New(host, cred, options) and NewFromConnectionString(s, options).
func sameClient(a, b libs.Site) bool {
	x, _ := a.(*useSite)
	y, _ := b.(*useSite)
	if x == nil || y == nil || x.call == nil || y.call == nil || x.u != y.u || len(x.call.Args) == 0 || len(y.call.Args) == 0 {
		return false
	}
	k, m := x.u.callee(x.call), y.u.callee(y.call)
	if k.pkg == "" || k.pkg != m.pkg {
		return false
	}
	last, other := x.call.Args[len(x.call.Args)-1], y.call.Args[len(y.call.Args)-1]
	if types.ExprString(last) != types.ExprString(other) {
		return false
	}
	for _, l := range x.u.shared.lookup(k.pkg) {
		if c := l.Constructs(k.sel); c != nil && l.Constructs(m.sel) == c {
			return true
		}
	}
	return false
}

// filledBy is the call of a library's function that fills a variable or field through its address, where the library's entry
// says what such a call gives: retry.DecodeConfig(&c.retries, settings).
func (u *unit) filledBy(o *types.Var) *ast.CallExpr {
	if u.fills == nil {
		u.fills = map[types.Object]*ast.CallExpr{}
		for _, s := range u.sites {
			if s.to != nil || len(s.call.Args) == 0 {
				continue
			}
			a, ok := ast.Unparen(s.call.Args[0]).(*ast.UnaryExpr)
			if !ok || a.Op != token.AND {
				continue
			}
			v := u.lvalue(a.X)
			if v == nil || u.fills[v] != nil {
				continue
			}
			k := u.callee(s.call)
			if k.pkg != "" && slices.ContainsFunc(u.shared.lookup(k.pkg), func(l *libs.Library) bool { return l.HasPart(k.sel) }) {
				u.fills[v] = s.call
			}
		}
	}
	return u.fills[o]
}

// foreignVarType is the declared type of a variable as names have it.
func (u *unit) foreignVarType(o *types.Var) string {
	if s := namedText(o.Type()); s != "" {
		return s
	}
	for _, n := range u.setsOf(o) {
		if s, ok := n.(*ast.ValueSpec); ok && s.Type != nil {
			return u.foreignType(s.Type)
		}
	}
	return ""
}

func hasZeroDecl(u *unit, o *types.Var) bool {
	for _, n := range u.setsOf(o) {
		if isZeroDecl(n) {
			return true
		}
	}
	return false
}

// isCallOn reports whether an expression is a method call, or a chain of them, on the variable itself.
func isCallOn(u *unit, e ast.Expr, o types.Object) bool {
	for {
		c, ok := ast.Unparen(e).(*ast.CallExpr)
		if !ok {
			id, ok := ast.Unparen(e).(*ast.Ident)
			return ok && u.object(id) == o
		}
		s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
		if !ok {
			return false
		}
		e = s.X
	}
}

// callSite is a call as a site. Builder chains stand for the constructor at their bottom; functions of the repository for
// what they return.
func (u *unit) callSite(c *ast.CallExpr, f *fn, roots []types.Object, depth int) (string, libs.Site) {
	k := u.callee(c)
	if k.conv {
		if len(c.Args) == 1 && !isWord(k.sel, "len", "cap", "make", "new", "append") {
			return u.nameAndSite(c.Args[0], f, roots, depth+1)
		}
		if k.sel == "new" && len(c.Args) == 1 {
			return lastName(u.foreignType(c.Args[0])), &useSite{world: u.shared.world(), u: u, f: f, lit: &ast.CompositeLit{Type: c.Args[0]}, roots: roots}
		}
		return "", nil
	}
	if g := u.target(c); g != nil && g.body != nil {
		// A constructor of the repository stands for what it makes.
		if len(u.shared.exprs) > 4 {
			return "", nil
		}
		var ret ast.Expr
		n := 0
		inspectOwn(g.body, func(x ast.Node) bool {
			if r, ok := x.(*ast.ReturnStmt); ok && len(r.Results) > 0 && !isNilExpr(r.Results[0]) {
				if ret == nil || g.unit.lvalue(ret) == nil || g.unit.lvalue(ret) != g.unit.lvalue(r.Results[0]) {
					n++ // the same variable on several ways is one value
				}
				ret = r.Results[0]
			}
			return true
		})
		if n != 1 {
			return k.sel, &useSite{world: u.shared.world(), u: u, f: f, call: c, roots: roots, open: true}
		}
		bind := map[types.Object]boundExpr{}
		for o, i := range g.params {
			if i < len(c.Args) {
				bind[o] = boundExpr{expr: c.Args[i], f: f, unit: u}
			}
			if g.variadic(i) {
				bind[o] = boundExpr{rest: c.Args[min(i, len(c.Args)):], f: f, unit: u}
			}
		}
		u.shared.exprs = append(u.shared.exprs, bind)
		defer func() { u.shared.exprs = u.shared.exprs[:len(u.shared.exprs)-1] }()
		name, s := g.unit.nameAndSite(ret, g, roots, depth+1)
		return name, s
	}
	s := &useSite{world: u.shared.world(), u: u, f: f, call: c, roots: roots}
	if k.recv != nil && !u.constructs(k) {
		// A chain: go down to where it begins.
		if inner, ok := ast.Unparen(k.recv).(*ast.CallExpr); ok {
			if name, in := u.callSite(inner, f, roots, depth+1); in != nil {
				if b, ok := in.(*useSite); ok && b.call != nil {
					b.chain = append(b.chain, c)
					return name, b
				}
			}
		}
		if id, ok := ast.Unparen(k.recv).(*ast.Ident); ok && setterName(k.sel) {
			if o, ok := u.object(id).(*types.Var); ok {
				if name, in := u.varSite(o, f, roots, depth+1); in != nil {
					if b, ok := in.(*useSite); ok {
						b.chain = append(b.chain, c)
						return name, b
					}
				}
			}
		}
	}
	return k.sel, s
}

func setterName(s string) bool {
	for _, p := range []string{"Set", "With", "Add", "Enable", "Disable", "Use", "Build", "Handle", "Abort"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// constructs reports whether a library has the method as the constructor of one of its clients.
func (u *unit) constructs(k callee) bool {
	for _, l := range u.shared.lookup(k.pkg) {
		if l.Constructs(k.sel) != nil {
			return true
		}
	}
	return false
}
