package analyzers

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// httpClient is what is known of the *http.Client behind a call.
type httpClient struct {
	timeout model.Limit
	refs    []model.Ref
	layers  []string // of retrying transports, outermost first
	lit     *ast.CompositeLit
	in      *fn
	unit    *unit
	known   bool
}

// clientOf finds the client that sends: a literal, a variable or field that holds one, the default client.
func (u *unit) clientOf(s *site, k callee) *httpClient {
	if k.recv == nil {
		if k.pkg == "net/http" {
			return &httpClient{timeout: model.NoLimit(), known: true}
		}
		return nil
	}
	if strings.HasSuffix(k.name, "RoundTrip") {
		return nil
	}
	return u.client(k.recv, s.in, 0)
}

// client follows an expression to the *http.Client that it is.
func (u *unit) client(e ast.Expr, f *fn, depth int) *httpClient {
	if depth > 8 {
		return nil
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return u.client(x.X, f, depth+1)
	case *ast.CompositeLit:
		if t := namedText(u.typeOf(x)); t != "net/http.Client" && t != "" {
			return nil
		}
		return u.clientLit(x, f)
	case *ast.SelectorExpr:
		if o, ok := u.object(x.Sel).(*types.Var); ok {
			if o.Pkg() != nil && o.Pkg().Path() == "net/http" && o.Name() == "DefaultClient" {
				return &httpClient{timeout: model.NoLimit(), known: true}
			}
			return u.clientVar(o, f, depth)
		}
	case *ast.Ident:
		if o, ok := u.object(x).(*types.Var); ok {
			return u.clientVar(o, f, depth)
		}
	case *ast.CallExpr:
		if c := u.standardClient(x, f); c != nil {
			return c
		}
		g := u.target(x)
		if g == nil || g.body == nil {
			return nil
		}
		if c, ok := u.passedThrough(x, g, f, depth); ok {
			return c
		}
		ret := onlyReturn(g)
		if ret == nil || len(ret.Results) == 0 {
			return nil
		}
		return g.unit.client(ret.Results[0], g, depth+1)
	}
	return nil
}

// passedThrough follows a call of a function that gives back the client that it is handed: to this call's argument, not to
// those of all others.
func (u *unit) passedThrough(x *ast.CallExpr, g, f *fn, depth int) (*httpClient, bool) {
	var param types.Object
	for _, r := range returnsOf(g) {
		if len(r.Results) == 0 {
			return nil, false
		}
		id, ok := ast.Unparen(r.Results[0]).(*ast.Ident)
		if !ok {
			return nil, false
		}
		o := g.unit.object(id)
		if _, is := g.params[o]; !is || param != nil && o != param {
			return nil, false
		}
		param = o
	}
	if param == nil {
		return nil, false
	}
	i := g.params[param]
	if i >= len(x.Args) || x.Ellipsis.IsValid() && i == len(x.Args)-1 {
		return nil, false
	}
	c := u.client(x.Args[i], f, depth+1)
	if c == nil {
		return nil, true
	}
	out := *c
	if e := g.unit.lastSetExpr(param, "Transport"); e != nil {
		out.layers = append(g.unit.transportLayers(e, g, 0), out.layers...)
	}
	return &out, true
}

// returnsOf lists the return statements of a function, those of closures in it left out.
func returnsOf(g *fn) []*ast.ReturnStmt {
	var out []*ast.ReturnStmt
	inspectOwn(g.body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok {
			out = append(out, r)
		}
		return true
	})
	return out
}

func (u *unit) clientVar(o *types.Var, f *fn, depth int) *httpClient {
	owner := u
	if o.Pkg() != nil && o.Pkg() != u.pkg {
		if owner = u.shared.units[o.Pkg()]; owner == nil {
			return nil
		}
	}
	if u.shared.busy[o] {
		return nil
	}
	u.shared.busy[o] = true
	defer delete(u.shared.busy, o)
	var found []*httpClient
	if o.IsField() || owner.pkg != nil && o.Parent() == owner.pkg.Scope() {
		ws := owner.writesOf(o)
		if owner != u && o.IsField() {
			ws = append(append([]write(nil), ws...), u.writesOf(o)...)
		}
		for _, w := range ws {
			if w.value == nil || isNilExpr(w.value) {
				continue
			}
			un := owner
			if w.in != nil {
				un = w.in.unit
			}
			if c := un.client(w.value, w.in, depth+1); c != nil {
				found = append(found, c)
			} else if !un.openParam(w.value, w.in) {
				return nil
			}
		}
	} else {
		for _, n := range u.setsOf(o) {
			r := setExpr(n, o, u)
			if r == nil {
				if vs, ok := n.(*ast.ValueSpec); ok && len(vs.Values) == 0 {
					if namedText(o.Type()) == "net/http.Client" {
						found = append(found, &httpClient{timeout: model.NoLimit(), known: true})
					}
					continue
				}
				if a, ok := n.(*ast.AssignStmt); ok && len(a.Rhs) == 1 {
					r = a.Rhs[0]
				} else {
					continue
				}
			}
			if c := u.client(r, f, depth+1); c != nil {
				found = append(found, c)
			}
		}
		if owner, i := u.paramOwner(o, f); owner != nil && len(found) == 0 {
			for _, s := range u.callersOf(owner) {
				if i < len(s.call.Args) {
					if c := s.in.unit.client(s.call.Args[i], s.in, depth+1); c != nil {
						found = append(found, c)
					}
				}
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	out := *found[0]
	for _, c := range found[1:] {
		if c.timeout != out.timeout {
			out.timeout = out.timeout.Max(c.timeout)
		}
		if len(c.layers) > len(out.layers) {
			out.layers = c.layers
		}
	}
	// Settings made on the variable afterwards: c.Timeout = 5 * time.Second.
	if v, set := owner.lastSet(o, "Timeout", f); set {
		out.timeout = v
	}
	if e := owner.lastSetExpr(o, "Transport"); e != nil {
		out.layers = append(owner.transportLayers(e, owner.fnAt(e.Pos()), 0), out.layers...)
	}
	return &out
}

func (u *unit) lastSetExpr(o types.Object, name string) ast.Expr {
	sets := u.localFieldSets(o, name)
	if len(sets) == 0 {
		return nil
	}
	return sets[len(sets)-1]
}

func (u *unit) lastSet(o types.Object, name string, f *fn) (model.Limit, bool) {
	e := u.lastSetExpr(o, name)
	if e == nil {
		return model.Limit{}, false
	}
	return timeoutOf(limitOf(u.value(e, u.fnAt(e.Pos())))), true
}

// timeoutOf: a timeout of zero is none.
func timeoutOf(l model.Limit) model.Limit {
	if d, ok := l.Duration(); ok && d == 0 {
		return model.NoLimit()
	}
	return l
}

func (u *unit) clientLit(x *ast.CompositeLit, f *fn) *httpClient {
	c := &httpClient{timeout: model.NoLimit(), known: true, lit: x, in: f, unit: u}
	if e := u.litFieldExpr(x, "Timeout"); e != nil {
		v := u.value(e, f)
		c.timeout = timeoutOf(limitOf(v))
		if !v.Ref.Name.IsZero() {
			r := v.Ref
			r.Field = model.FieldTimeout
			c.refs = append(c.refs, r)
		}
	}
	if e := u.litFieldExpr(x, "Transport"); e != nil {
		c.layers = u.transportLayers(e, f, 0)
	}
	return c
}

// transportLayers lists the layers of a RoundTripper: one of the repository whose RoundTrip retries, or a known library's.
func (u *unit) transportLayers(e ast.Expr, f *fn, depth int) []string {
	if depth > 6 {
		return nil
	}
	if ids := u.libraryTransport(e, f); ids != nil {
		return ids
	}
	var out []string
	if g := u.roundTrip(e); g != nil {
		for _, l := range g.loops {
			if l.rgn != nil && l.rgn.layer != nil {
				out = append(out, l.rgn.layer.ID)
			}
		}
	}
	// What it wraps may retry too.
	switch x := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return u.transportLayers(x.X, f, depth+1)
	case *ast.CompositeLit:
		for _, el := range x.Elts {
			v := el
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				v = kv.Value
			}
			if u.isRoundTripper(v) {
				out = append(out, u.transportLayers(v, f, depth+1)...)
			}
		}
	case *ast.Ident:
		if o, ok := u.object(x).(*types.Var); ok {
			var only ast.Expr
			if u.pkg != nil && o.Parent() == u.pkg.Scope() {
				if ws := u.writesOf(o); len(ws) == 1 {
					only = ws[0].value
				}
			} else {
				for _, n := range u.setsOf(o) {
					if r := setExpr(n, o, u); r != nil {
						only = r
					}
				}
			}
			if only != nil {
				if inner := u.transportLayers(only, f, depth+1); len(inner) > 0 {
					return inner
				}
			}
		}
	case *ast.CallExpr:
		for _, a := range x.Args {
			if u.isRoundTripper(a) {
				out = append(out, u.transportLayers(a, f, depth+1)...)
			}
		}
		if g := u.target(x); g != nil && g.body != nil {
			if r := onlyReturn(g); r != nil && len(r.Results) > 0 {
				if inner := g.unit.transportLayers(r.Results[0], g, depth+1); len(inner) > 0 {
					return append(inner, out...)
				}
			}
		}
	}
	return out
}

func (u *unit) isRoundTripper(e ast.Expr) bool {
	t := u.typeOf(e)
	if t == nil {
		return false
	}
	o, _, _ := types.LookupFieldOrMethod(t, true, u.pkg, "RoundTrip")
	_, ok := o.(*types.Func)
	return ok
}

// roundTrip is the RoundTrip method of an expression's type, where it is the repository's.
func (u *unit) roundTrip(e ast.Expr) *fn {
	t := u.typeOf(e)
	if t == nil {
		return nil
	}
	o, _, _ := types.LookupFieldOrMethod(t, true, u.pkg, "RoundTrip")
	m, ok := o.(*types.Func)
	if !ok {
		return nil
	}
	if g := u.byObj[m.Origin()]; g != nil {
		return g
	}
	return u.shared.fnOf(m)
}

// contextTimeout takes in the time limit of the request's context, where the function makes one around this send alone.
func (u *unit) contextTimeout(s *site, r sent, e *model.Edge) {
	if r.ctx == nil {
		if e.Timeout.IsNone() && r.make == nil && r.method == "" {
			e.Timeout = model.Limit{} // the request was not seen: its context may have a deadline
		}
		return
	}
	in := r.in
	if c, ok := ast.Unparen(r.ctx).(*ast.CallExpr); ok {
		if isWord(r.unit.callee(c).name, "context.Background", "context.TODO") {
			return
		}
	}
	id := rootIdent(r.ctx)
	if id == nil {
		if e.Timeout.IsNone() {
			e.Timeout = model.Limit{}
		}
		return
	}
	o := r.unit.object(id)
	for f := in; f != nil; f = f.parent {
		for _, t := range r.unit.contextLimits(f) {
			if t.ctx != o || o == nil {
				continue
			}
			var inner ast.Node
			if n := len(s.under); n > 0 {
				inner = s.under[n-1].node
			}
			if inner == nil || contains(inner, t.call) {
				lim := limitOf(t.value)
				if e.Timeout.Known() || lim.Known() {
					if !e.Timeout.Known() || lim.Known() && lim.Compare(e.Timeout) < 0 {
						e.Timeout = lim
					}
				} else {
					e.Timeout = model.Limit{}
				}
				return
			}
			if e.Timeout.IsNone() {
				e.Timeout = model.Limit{}
			}
			return
		}
	}
	if e.Timeout.IsNone() && !r.unit.plainContext(o, in) {
		e.Timeout = model.Limit{}
	}
}

// plainContext reports whether a variable holds a context that is known to have no deadline.
func (u *unit) plainContext(o types.Object, f *fn) bool {
	sets := u.setsOf(o)
	if len(sets) == 0 {
		return false
	}
	for _, n := range sets {
		c, ok := setExpr(n, o, u).(*ast.CallExpr)
		if !ok || !isWord(u.callee(c).name, "context.Background", "context.TODO") {
			return false
		}
	}
	return true
}
