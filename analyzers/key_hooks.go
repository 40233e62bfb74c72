package analyzers

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// hooks are functions that a retrying client runs once for each attempt, with the ids of the layers that do so: a transport
// beneath it, a hook before each request, an interceptor that stands after the one that retries. A key that is made in one of
// them is another one for each attempt, however calm the function itself looks.
func (u *unit) hooks() map[*fn][]string {
	if u.hooked != nil {
		return u.hooked
	}
	u.hooked = map[*fn][]string{}
	note := func(g *fn, ids []string) {
		for _, id := range ids {
			if g != nil && id != "" && !slices.Contains(u.hooked[g], id) {
				u.hooked[g] = append(u.hooked[g], id)
			}
		}
	}
	for _, a := range u.assigns {
		if len(a.Lhs) != len(a.Rhs) {
			continue
		}
		for i, l := range a.Lhs {
			sel, ok := ast.Unparen(l).(*ast.SelectorExpr)
			if !ok {
				continue
			}
			f := u.fnAt(a.Pos())
			if f == nil {
				continue
			}
			switch sel.Sel.Name {
			case "Transport": // rc.HTTPClient.Transport = keyed{...}
				in, ok := ast.Unparen(sel.X).(*ast.SelectorExpr)
				if !ok || in.Sel.Name != "HTTPClient" {
					continue
				}
				if id := u.clientOfExpr(in.X, f, nil); id != "" {
					for _, g := range u.roundTrips(a.Rhs[i], newFrame(f), 0) {
						note(g, []string{id})
					}
				}
			case "HTTPClient": // rc.HTTPClient = &http.Client{Transport: keyed{...}}
				c := u.client(a.Rhs[i], f, 0)
				if c == nil || c.lit == nil {
					continue
				}
				t := c.unit.litFieldExpr(c.lit, "Transport")
				if t == nil || c.in == nil {
					continue
				}
				if id := u.clientOfExpr(sel.X, f, nil); id != "" {
					for _, g := range c.unit.roundTrips(t, newFrame(c.in), 0) {
						note(g, []string{id})
					}
				}
			case "RequestLogHook", "PrepareRetry":
				if id := u.clientOfExpr(sel.X, f, nil); id != "" {
					g, _ := u.handlerFunc(a.Rhs[i], f, 0)
					note(g, []string{id})
					if lit, ok := ast.Unparen(a.Rhs[i]).(*ast.FuncLit); ok {
						note(u.byNode[lit], []string{id})
					}
				}
			}
		}
	}
	for _, s := range u.sites {
		k := u.callee(s.call)
		switch k.sel {
		case "OnBeforeRequest", "SetPreRequestHook", "AddRequestMiddleware":
			if k.recv == nil || len(s.call.Args) == 0 {
				continue
			}
			if id := u.clientOfExpr(k.recv, s.in, s.call); id != "" {
				note(u.functionOf(s.call.Args[len(s.call.Args)-1], s.in), []string{id})
			}
		case "SetTransport":
			if k.recv == nil || len(s.call.Args) != 1 {
				continue
			}
			if id := u.clientOfExpr(k.recv, s.in, s.call); id != "" {
				for _, g := range u.roundTrips(s.call.Args[0], newFrame(s.in), 0) {
					note(g, []string{id})
				}
			}
		case "WithChainUnaryInterceptor", "ChainUnaryClient", "WithChainStreamInterceptor", "ChainStreamClient":
			// The first runs around all others.
			var ids []string
			for _, a := range s.call.Args {
				note(u.functionOf(a, s.in), ids)
				ids = append(ids, u.layersWithin(a, strings.Contains(k.sel, "Stream"), 0)...)
			}
		}
	}
	return u.hooked
}

// functionOf is the function of the repository that an expression stands for: a literal, its name, or what a constructor of
// the repository returns; nil where it is not known.
func (u *unit) functionOf(e ast.Expr, f *fn) *fn {
	switch x := ast.Unparen(e).(type) {
	case *ast.FuncLit:
		return u.byNode[x]
	case *ast.CallExpr:
		g := u.target(x)
		if g == nil || g.body == nil {
			return nil
		}
		if r := onlyReturn(g); r != nil && len(r.Results) > 0 {
			if lit, ok := ast.Unparen(r.Results[0]).(*ast.FuncLit); ok {
				return g.unit.byNode[lit]
			}
		}
		return nil
	}
	g, _ := u.handlerFunc(e, f, 0)
	return g
}

// putsKey reports whether a function puts a key onto what it is handed, itself or in a function that it calls.
func (u *unit) putsKey(g *fn, depth int) bool {
	if g == nil || g.body == nil || depth > 2 {
		return false
	}
	t := g.unit.tracing()
	if t.keyed == nil {
		t.keyed = map[*fn]bool{}
		for _, k := range t.settings() {
			t.keyed[k.f.fn] = true
		}
	}
	if t.keyed[g] {
		return true
	}
	for _, c := range g.calls {
		if h := g.unit.target(c.expr); h != nil && h != g && u.putsKey(h, depth+1) {
			return true
		}
	}
	return false
}

// clientPutsKey reports whether the client of a call gives what it sends a key: in its transport, or in a hook.
func (u *unit) clientPutsKey(s *site, ids []string) bool {
	for g, under := range u.hooks() {
		if u.putsKey(g, 0) && slices.ContainsFunc(under, func(id string) bool { return slices.Contains(ids, id) }) {
			return true
		}
	}
	k := u.callee(s.call)
	if k.pkg != "net/http" || k.recv == nil {
		return false
	}
	c := u.clientOf(s, k)
	if c == nil || c.lit == nil || c.in == nil {
		return false
	}
	t := c.unit.litFieldExpr(c.lit, "Transport")
	if t == nil {
		return false
	}
	return slices.ContainsFunc(c.unit.roundTrips(t, newFrame(c.in), 0), func(g *fn) bool { return u.putsKey(g, 0) })
}

var constructorName = regexp.MustCompile(`^(?i)(new|make|open|dial|connect|init|setup|must)`)

// perInstance finds the place where a key is made that a long-lived client carries: a field which only its constructor sets,
// used by a method that is handed what it is to send. All that one client sends then goes under one key.
func (t *tracer) perInstance(e ast.Expr, f *frame) (ast.Node, bool) {
	if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok {
		if _, ok := t.constantOf(b.Y); ok {
			return t.perInstance(b.X, f)
		}
		if _, ok := t.constantOf(b.X); ok {
			return t.perInstance(b.Y, f)
		}
		return nil, false
	}
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok || f.fn == nil {
		return nil, false
	}
	id, ok := ast.Unparen(sel.X).(*ast.Ident)
	v, isField := t.u.object(sel.Sel).(*types.Var)
	if !ok || !isField || !v.IsField() {
		return nil, false
	}
	owner := t.ownerOf(asVar(t.u.object(id)), f.fn)
	if owner == nil || !isReceiver(t.u, owner, t.u.object(id)) || !t.handedWork(owner) || !longLived(t.u.typeOf(id)) {
		return nil, false
	}
	var made ast.Node
	for _, a := range t.fields[v] {
		if a.in == nil || a.value == nil || !constructorName.MatchString(a.in.short()) {
			return nil, false
		}
		o := t.expr(a.value, newFrame(a.in))
		if len(o.births) == 0 || o.byCaller {
			return nil, false
		}
		made = a.node
	}
	return made, made != nil
}

// handedWork reports whether a method is given something that tells one piece of work from another.
func (t *tracer) handedWork(g *fn) bool {
	if g.typ == nil || g.typ.Params == nil {
		return false
	}
	for _, p := range g.typ.Params.List {
		switch typ := t.u.typeOf(p.Type); {
		case typ == nil || isContext(typ):
		default:
			switch x := typ.Underlying().(type) {
			case *types.Basic:
				return true
			case *types.Struct, *types.Map, *types.Slice:
				return true
			case *types.Pointer:
				if _, ok := x.Elem().Underlying().(*types.Struct); ok && !strings.HasPrefix(namedText(typ), "net/http.") {
					return true
				}
			}
		}
	}
	return false
}

// longLived reports whether a type holds a client, so that a value of it sends many requests.
func longLived(typ types.Type) bool {
	st := structOf(typ)
	if st == nil {
		return false
	}
	for i := range st.NumFields() {
		n := namedText(st.Field(i).Type())
		if strings.HasSuffix(n, "Client)") || strings.HasSuffix(n, "Client") || strings.HasSuffix(n, "Sender)") || strings.HasSuffix(n, "Producer)") || strings.HasSuffix(n, "JetStream") {
			return true
		}
	}
	return false
}
