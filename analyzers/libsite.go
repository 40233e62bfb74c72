package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/analyzers/libs"
)

// useSite is a use of a library: a call, or a literal that makes a value. It answers what a library's terms ask.
type useSite struct {
	u     *unit
	f     *fn
	call  *ast.CallExpr     // the call or constructor; nil for a literal
	lit   *ast.CompositeLit // the literal; nil for a call
	roots []types.Object    // variables and fields that hold the value, the first one first
	chain []*ast.CallExpr   // builder calls on the value: c.SetX(1).SetY(2)
	world world             // what was bound when the site was found
	open  bool              // how the value was made is not known
}

var _ libs.Site = (*useSite)(nil)

// world is what stands for parameters and variables while a call is being followed. A site is asked later, so it keeps it.
type world struct {
	bindings []map[types.Object]libs.Value
	exprs    []map[types.Object]boundExpr
	before   map[types.Object]token.Pos
}

func (r *Repo) world() world {
	return world{slices.Clip(r.bindings), slices.Clip(r.exprs), maps.Clone(r.before)}
}

// enter puts the site's world into place; the result takes it away again.
func (s *useSite) enter() func() {
	r := s.u.shared
	old := world{r.bindings, r.exprs, r.before}
	r.bindings, r.exprs, r.before = s.world.bindings, s.world.exprs, maps.Clone(s.world.before)
	if r.before == nil {
		r.before = map[types.Object]token.Pos{}
	}
	return func() { r.bindings, r.exprs, r.before = old.bindings, old.exprs, old.before }
}

// siteValue is the value of an expression with what a library asks of it: its name, and itself as a site.
func (u *unit) siteValue(e ast.Expr, f *fn) libs.Value {
	if e == nil {
		return libs.Value{}
	}
	v := u.value(e, f)
	v.Set = true
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
					if len(s.Values) == 1 && len(s.Names) > 1 && u.info.Defs[s.Names[0]] == types.Object(o) {
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
		if n, _ := x.u.nameAndSite(x.e, x.f, roots, depth+1); n != name {
			return "", open
		}
	}
	if s == nil && name == "" {
		return "", open
	}
	return name, s
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
				ret = r.Results[0]
				n++
			}
			return true
		})
		if n != 1 {
			return k.sel, &useSite{world: u.shared.world(), u: u, f: f, call: c, roots: roots, open: true}
		}
		bind := map[types.Object]boundExpr{}
		for o, i := range g.params {
			if i < len(c.Args) {
				bind[o] = boundExpr{c.Args[i], f, u}
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

// Arg implements libs.Site.
func (s *useSite) Arg(i int) libs.Value {
	defer s.enter()()
	if s.call == nil {
		return libs.Value{}
	}
	if i < 0 {
		if k := s.u.callee(s.call); k.recv != nil {
			return s.u.siteValue(k.recv, s.f)
		}
		return libs.Value{}
	}
	if i >= len(s.call.Args) {
		return libs.Value{}
	}
	undo := s.u.insideCall(s.call, s.call.Args[i])
	v := s.u.siteValue(s.call.Args[i], s.f)
	undo()
	if in, ok := v.Site.(*useSite); ok && in.open {
		// A configuration that is handed in from outside: its defaults are what is known.
		closed := *in
		closed.open = false
		v.Site = &closed
	}
	return v
}

// Option implements libs.Site.
func (s *useSite) Option(name string, arg int) libs.Value {
	defer s.enter()()
	if s.call == nil {
		return libs.Value{}
	}
	for _, a := range s.call.Args {
		if v, ok := s.option(a, s.f, name, arg, 0); ok {
			return v
		}
	}
	return libs.Value{}
}

// option looks for the call of an option function in an argument, through slices and variables.
func (s *useSite) option(e ast.Expr, f *fn, name string, arg, depth int) (libs.Value, bool) {
	if depth > 6 {
		return libs.Value{}, false
	}
	u := s.u
	switch x := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		k := u.callee(x)
		if k.sel == name && !k.conv {
			if arg < len(x.Args) {
				return u.siteValue(x.Args[arg], f), true
			}
			return libs.Value{Set: true, At: u.at(x)}, true
		}
		if k.sel == "append" {
			for _, a := range x.Args {
				if v, ok := s.option(a, f, name, arg, depth+1); ok {
					return v, true
				}
			}
		}
		if g := u.target(x); g != nil && g.body != nil && g.unit == u {
			if r := onlyReturn(g); r != nil && len(r.Results) > 0 {
				return s.option(r.Results[0], g, name, arg, depth+1)
			}
		}
	case *ast.CompositeLit:
		for _, el := range x.Elts {
			if v, ok := s.option(el, f, name, arg, depth+1); ok {
				return v, true
			}
		}
	case *ast.UnaryExpr:
		return s.option(x.X, f, name, arg, depth+1)
	case *ast.SelectorExpr:
		if o, ok := u.object(x.Sel).(*types.Func); ok && o.Name() == name {
			return libs.Value{Set: true, At: u.at(x)}, true
		}
		if o, ok := u.object(x.Sel).(*types.Var); ok {
			return s.optionVar(o, f, name, arg, depth)
		}
		if x.Sel.Name == name {
			return libs.Value{Set: true, At: u.at(x)}, true
		}
	case *ast.Ident:
		if o, ok := u.object(x).(*types.Var); ok {
			return s.optionVar(o, f, name, arg, depth)
		}
	}
	return libs.Value{}, false
}

func (s *useSite) optionVar(o *types.Var, f *fn, name string, arg, depth int) (libs.Value, bool) {
	u := s.u
	var es []ast.Expr
	if o.IsField() || u.pkg != nil && o.Parent() == u.pkg.Scope() {
		for _, w := range u.writesOf(o) {
			if w.value != nil {
				es = append(es, w.value)
			}
		}
	} else {
		for _, n := range u.setsOf(o) {
			if r := setExpr(n, o, u); r != nil {
				es = append(es, r)
			}
		}
	}
	for i := len(es) - 1; i >= 0; i-- {
		if v, ok := s.option(es[i], f, name, arg, depth+1); ok {
			return v, true
		}
	}
	return libs.Value{}, false
}

// Field implements libs.Site.
func (s *useSite) Field(name string, arg int) libs.Value {
	defer s.enter()()
	if arg >= 0 {
		v := s.Arg(arg)
		if in, ok := v.Site.(*useSite); ok && in.open {
			return libs.Value{} // a configuration that is handed in: its defaults are what is known
		}
		if v.Site != nil {
			return v.Site.Field(name, -1)
		}
		if v.Set && !v.Nil {
			return libs.Value{Set: true} // it may have been set
		}
		return libs.Value{}
	}
	// Later assignments to a variable that holds the value stand above its making.
	for _, r := range s.roots {
		if sets := s.sets(r, name); len(sets) > 0 {
			last := sets[len(sets)-1]
			return last.unit.siteValue(last.expr, last.f)
		}
	}
	if s.lit != nil {
		if s.u.isMap(s.lit) {
			v, _ := s.mapEntry(name)
			return v
		}
		if v, ok := s.litPath(name); ok {
			return v
		}
		if s.open {
			return libs.Value{Set: true}
		}
		return libs.Value{}
	}
	if s.call != nil {
		if v, ok := s.closureField(name); ok {
			return v
		}
	}
	if s.open {
		return libs.Value{Set: true}
	}
	return libs.Value{}
}

// sets lists the assignments to a field path of a variable or field that holds the value.
func (s *useSite) sets(root types.Object, path string) []boundExpr {
	units := []*unit{s.u}
	if root.Pkg() != nil && s.u.pkg != root.Pkg() {
		if o := s.u.shared.units[root.Pkg()]; o != nil {
			units = append(units, o)
		}
	}
	var out []boundExpr
	for _, u := range units {
		for _, e := range u.localFieldSets(root, path) {
			out = append(out, boundExpr{e, u.fnAt(e.Pos()), u})
		}
	}
	return out
}

// litPath reads "Producer.Retry.Max" from nested literals.
func (s *useSite) litPath(path string) (libs.Value, bool) {
	lit, f := s.lit, s.f
	for {
		name, rest, deeper := strings.Cut(path, ".")
		e := s.u.litFieldExpr(lit, name)
		if e == nil {
			return libs.Value{}, false
		}
		if !deeper {
			return s.u.siteValue(e, f), true
		}
		inner, root := s.u.literalOf(e, f, 0)
		if root != nil {
			if sets := s.u.localFieldSets(root, rest); len(sets) > 0 {
				return s.u.siteValue(sets[len(sets)-1], f), true
			}
		}
		if inner == nil {
			_, in := s.u.nameAndSite(e, f, nil, 0)
			if in != nil {
				v := in.Field(rest, -1)
				return v, v.Set
			}
			return libs.Value{Set: true}, true
		}
		lit, path = inner, rest
	}
}

// closureField finds func(o *Options) { o.Name = value } among the arguments.
func (s *useSite) closureField(path string) (libs.Value, bool) {
	for _, a := range s.call.Args {
		lit, ok := ast.Unparen(a).(*ast.FuncLit)
		if !ok || lit.Type.Params == nil || len(lit.Type.Params.List) != 1 || len(lit.Type.Params.List[0].Names) != 1 {
			continue
		}
		o := s.u.info.Defs[lit.Type.Params.List[0].Names[0]]
		if o == nil {
			continue
		}
		if sets := s.u.localFieldSets(o, path); len(sets) > 0 {
			e := sets[len(sets)-1]
			return s.u.siteValue(e, s.u.byNode[lit]), true
		}
	}
	return libs.Value{}, false
}

// Setter implements libs.Site.
func (s *useSite) Setter(name string, arg int) libs.Value {
	defer s.enter()()
	for i := len(s.chain) - 1; i >= 0; i-- {
		c := s.chain[i]
		if s.u.callee(c).sel == name {
			return s.argOf(c, arg)
		}
	}
	for _, r := range s.roots {
		units := []*unit{s.u}
		if o := s.u.shared.units[r.Pkg()]; o != nil && o != s.u {
			units = append(units, o)
		}
		for _, u := range units {
			if cs := u.setterCalls(r, name); len(cs) > 0 {
				c := cs[len(cs)-1]
				if arg < len(c.Args) {
					return u.siteValue(c.Args[arg], u.fnAt(c.Pos()))
				}
				return libs.Value{Set: true, At: u.at(c)}
			}
		}
	}
	if s.open {
		return libs.Value{Set: true}
	}
	return libs.Value{}
}

func (s *useSite) argOf(c *ast.CallExpr, arg int) libs.Value {
	if arg < len(c.Args) {
		return s.u.siteValue(c.Args[arg], s.u.fnAt(c.Pos()))
	}
	return libs.Value{Set: true, At: s.u.at(c)}
}

// setterCalls lists calls of a method on a variable or field, also within chains on it.
func (u *unit) setterCalls(root types.Object, name string) []*ast.CallExpr {
	if u.setters == nil {
		u.setters = map[fieldKey][]*ast.CallExpr{}
		for _, s := range u.sites {
			k := u.callee(s.call)
			if k.recv == nil {
				continue
			}
			e := k.recv
			for {
				c, ok := ast.Unparen(e).(*ast.CallExpr)
				if !ok {
					break
				}
				in := u.callee(c)
				if in.recv == nil {
					e = nil
					break
				}
				e = in.recv
			}
			if e == nil {
				continue
			}
			if o := u.lvalue(e); o != nil {
				key := fieldKey{o, k.sel}
				u.setters[key] = append(u.setters[key], s.call)
			}
		}
	}
	return u.setters[fieldKey{root, name}]
}

// Nested implements libs.Site.
func (s *useSite) Nested(arg int) (string, libs.Site, bool) {
	v := s.Arg(arg)
	return v.Name, v.Site, v.Site != nil
}

// Len implements libs.Site.
func (s *useSite) Len(arg int) libs.Value {
	if v := s.Arg(arg); v.List != nil {
		n := intValue(int64(len(v.List)))
		n.At = v.At
		return n
	}
	return libs.Value{}
}

// Version implements libs.Site.
func (s *useSite) Version() string {
	if s.call == nil {
		return ""
	}
	return s.u.versionOf(s.u.callee(s.call).pkg)
}

// VersionOf implements libs.Versioner.
func (s *useSite) VersionOf(module string) string { return s.u.versions[module] }

// versionOf is the version of the module that holds a package.
func (u *unit) versionOf(pkg string) string {
	for p := pkg; p != ""; {
		if v, ok := u.versions[p]; ok {
			return v
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			break
		}
		p = p[:i]
	}
	return ""
}

// askString follows a path such as "arg 0 of arg 1", "field QueueUrl of arg 1" or "setter SetURL" to a string expression.
func (s *useSite) ask(term string) (libs.Value, ast.Expr) {
	steps := strings.Split(term, " of ")
	var site libs.Site = s
	for i := len(steps) - 1; i > 0; i-- {
		v := askOne(site, steps[i])
		if v.Site == nil {
			return libs.Value{}, nil
		}
		site = v.Site
	}
	if in, ok := site.(*useSite); ok {
		if e := in.exprOf(steps[0]); e != nil {
			return askOne(site, steps[0]), e
		}
	}
	return askOne(site, steps[0]), nil
}

func askOne(s libs.Site, step string) libs.Value {
	kind, what, _ := strings.Cut(step, " ")
	switch kind {
	case "arg":
		if n, ok := parseInt(what); ok {
			return s.Arg(int(n))
		}
	case "field":
		return s.Field(what, -1)
	case "setter":
		return s.Setter(what, 0)
	case "option":
		return s.Option(what, 0)
	case "receiver":
		return s.Arg(-1)
	}
	return libs.Value{}
}

// exprOf is the expression behind one step, where it stands in this package.
func (s *useSite) exprOf(step string) ast.Expr {
	kind, what, _ := strings.Cut(step, " ")
	switch kind {
	case "arg":
		if n, ok := parseInt(what); ok && s.call != nil && int(n) < len(s.call.Args) {
			return s.call.Args[n]
		}
	case "field":
		for _, r := range s.roots {
			if sets := s.sets(r, what); len(sets) > 0 {
				return sets[len(sets)-1].expr
			}
		}
		if s.lit != nil {
			return s.u.litFieldExpr(s.lit, what)
		}
	case "setter":
		for i := len(s.chain) - 1; i >= 0; i-- {
			if c := s.chain[i]; s.u.callee(c).sel == what && len(c.Args) > 0 {
				return c.Args[0]
			}
		}
	}
	return nil
}
