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

// Arg implements libs.Site.
func (s *useSite) Arg(i int) libs.Value {
	defer s.enter()()
	if s.call == nil {
		return libs.Value{}
	}
	if i < 0 {
		k := s.u.callee(s.call)
		if k.recv == nil {
			return libs.Value{}
		}
		v := s.u.siteValue(k.recv, s.f)
		if in, ok := v.Site.(*useSite); ok && in.open {
			// Handed in from outside: where the scan sees clients of its kind made in one way only, it is one of those.
			if use := s.u.catalogued(k.recv); use != nil {
				if _, made := s.u.madeAnywhere(*use); made != nil {
					v.Site = made
				}
			}
		}
		return v
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
			if b, ok := u.shared.restOf(o); ok {
				// Options that a function hands on from its callers.
				from := *s
				from.u = b.unit
				for _, a := range b.rest {
					if v, ok := from.option(a, b.f, name, arg, depth+1); ok {
						return v, true
					}
				}
				return libs.Value{}, false
			}
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
			out = append(out, boundExpr{expr: e, f: u.fnAt(e.Pos()), unit: u})
		}
	}
	return s.u.setsInCallees(root, path, out, 0)
}

// setsInCallees puts those assignments among the others that functions make to which a local variable is handed: tune(cfg).
func (u *unit) setsInCallees(root types.Object, path string, own []boundExpr, depth int) []boundExpr {
	v, ok := root.(*types.Var)
	if !ok || v.IsField() || depth > 2 || !u.handedOnHere(v) {
		return own
	}
	f := u.fnAt(v.Pos())
	if f == nil {
		return own
	}
	for _, c := range f.calls {
		for i, a := range c.expr.Args {
			if x, ok := ast.Unparen(a).(*ast.UnaryExpr); ok && x.Op == token.AND {
				a = x.X
			}
			if id, ok := ast.Unparen(a).(*ast.Ident); !ok || u.object(id) != root {
				continue
			}
			g := u.target(c.expr)
			if g == nil || g.body == nil || g.unit == nil {
				continue
			}
			p := g.param(i)
			if p == nil {
				continue
			}
			var in []boundExpr
			for _, e := range g.unit.localFieldSets(p, path) {
				in = append(in, boundExpr{expr: e, f: g.unit.fnAt(e.Pos()), unit: g.unit})
			}
			in = g.unit.setsInCallees(p, path, in, depth+1)
			if len(in) == 0 {
				continue
			}
			at := len(own) // the assignments of this function that come later stand above
			for at > 0 && own[at-1].unit == u && own[at-1].expr.Pos() > c.expr.Pos() {
				at--
			}
			own = slices.Insert(own, at, in...)
		}
	}
	return own
}

// param is the i-th parameter of a function, nil where it has no name.
func (g *fn) param(i int) types.Object {
	for o, n := range g.params {
		if n == i {
			return o
		}
	}
	return nil
}

// handedOnHere is handedOn for a variable of this package.
func (u *unit) handedOnHere(o *types.Var) bool {
	return o.Pkg() == u.pkg && o.Pos().IsValid() && u.handedOn(o)
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
		o := s.u.info.Def(lit.Type.Params.List[0].Names[0])
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

// setterExpr is the argument of the last call of a method on the value, with where it stands.
func (s *useSite) setterExpr(name string) boundExpr {
	for i := len(s.chain) - 1; i >= 0; i-- {
		if c := s.chain[i]; s.u.callee(c).sel == name && len(c.Args) > 0 {
			return boundExpr{expr: c.Args[0], f: s.u.fnAt(c.Pos()), unit: s.u}
		}
	}
	for _, r := range s.roots {
		units := []*unit{s.u}
		if o := s.u.shared.units[r.Pkg()]; o != nil && o != s.u {
			units = append(units, o)
		}
		for _, u := range units {
			if cs := u.setterCalls(r, name); len(cs) > 0 && len(cs[len(cs)-1].Args) > 0 {
				c := cs[len(cs)-1]
				return boundExpr{expr: c.Args[0], f: u.fnAt(c.Pos()), unit: u}
			}
		}
	}
	return boundExpr{}
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
