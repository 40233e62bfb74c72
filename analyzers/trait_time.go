package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"time"

	"github.com/retrylint/retrylint/model"
)

// traitDeadlines notes the deadline of a context around an operation that is handed to a library, and that of a context
// which each attempt makes for itself. Loops have theirs from where they are read.
func (u *unit) traitDeadlines(r *region) {
	f := u.opBody(r)
	if isLoop(r.node) || f == nil {
		return
	}
	var inner, outer model.Limit
	var at ast.Node
	eachCall([]ast.Node{f.body}, func(c *ast.CallExpr) {
		for _, a := range c.Args {
			t := u.typeOf(a)
			if t == nil || !isContextType(t) || u.callee(c).pkg == "context" {
				continue
			}
			for _, l := range u.contextOf(a, a.Pos()).limits {
				if r.within(l.call) {
					inner = inner.Max(l.d)
					if inner.IsUnknown() {
						inner = l.d
					}
				} else if l.d.Known() && (!outer.Known() || l.d.Compare(outer) < 0) {
					outer, at = l.d, l.call
				}
			}
		}
	})
	if r.layer.Policy.PerAttempt.IsUnknown() {
		r.layer.Policy.PerAttempt = inner
	}
	if at == nil {
		return
	}
	r.trait(model.TraitDeadline, u.at(at), outer.String())
	if r.layer.Has(model.TraitStopsOnContext) && (!r.layer.Policy.Overall.Known() || outer.Compare(r.layer.Policy.Overall) < 0) {
		r.layer.Policy.Overall, r.layer.Policy.Budget = outer, model.BudgetHard
	}
}

// traitTimes fills in what bounds the calls that become edges: the client's timeout and the deadline of the context that is
// handed down.
func (u *unit) traitTimes() {
	for _, s := range u.sites {
		for _, e := range s.edges {
			if e.Timeout.IsUnknown() && e.Kind == model.EdgeRequest {
				e.Timeout = u.callTimeout(s)
			}
			if e.Timeout.IsUnknown() && e.Kind == model.EdgeRequest && s.lib != nil && s.lib.cl != nil {
				e.Timeout = u.clientAttempt(e)
			}
			if e.Deadline.IsUnknown() && !s.spawn {
				e.Deadline = u.callDeadline(s)
			}
		}
	}
}

// clientAttempt is none where the client's own layer is known to give an attempt no time limit.
func (u *unit) clientAttempt(e *model.Edge) model.Limit {
	if len(e.Under) == 0 {
		return model.Limit{}
	}
	id := e.Under[len(e.Under)-1]
	for _, r := range u.regions {
		if l := r.layer; l != nil && l.ID == id && l.Kind == model.KindClient && !l.LowConfidence && l.Policy.PerAttempt.IsNone() {
			return model.NoLimit()
		}
	}
	return model.Limit{}
}

// callTimeout is the timeout of the client that makes a call: known, none where it is known that there is none.
func (u *unit) callTimeout(s *site) model.Limit {
	switch k := u.callee(s.call); {
	case k.pkg == "net/http" && k.recv == nil:
		if isWord(k.sel, "Get", "Post", "Head", "PostForm") {
			return model.NoLimit()
		}
	case strings.HasPrefix(k.name, "net/http.(*Client).") && k.recv != nil:
		return u.clientTimeout(k.recv, s.in, 0)
	}
	return model.Limit{}
}

// clientTimeout is the Timeout of an *http.Client: unknown where the client or its transport cannot be seen.
func (u *unit) clientTimeout(e ast.Expr, f *fn, depth int) model.Limit {
	if depth > 5 {
		return model.Limit{}
	}
	e = ast.Unparen(e)
	if s, ok := e.(*ast.SelectorExpr); ok {
		if id, ok := ast.Unparen(s.X).(*ast.Ident); ok {
			if p, ok := u.object(id).(*types.PkgName); ok {
				if p.Imported().Path() == "net/http" && s.Sel.Name == "DefaultClient" {
					return model.NoLimit()
				}
				return model.Limit{}
			}
		}
		if v, ok := u.object(s.Sel).(*types.Var); ok && v.IsField() {
			return u.writtenTimeout(v, f, depth)
		}
		return model.Limit{}
	}
	lit, root := u.literalOf(e, f, 0)
	if lit == nil {
		return u.zeroClient(e, root, f)
	}
	if !strings.HasSuffix(namedText(u.typeOf(lit)), "net/http.Client") {
		return model.Limit{}
	}
	if x := u.litFieldExpr(lit, "Timeout"); x != nil {
		return u.timeoutValue(x, u.fnAt(x.Pos()))
	}
	if root != nil {
		if sets := u.localFieldSets(root, "Timeout"); len(sets) > 0 {
			out := model.Limit{}
			for i, x := range sets {
				d := u.timeoutValue(x, u.fnAt(x.Pos()))
				if i == 0 {
					out = d
				} else {
					out = out.Max(d)
				}
			}
			return out
		}
	}
	if x := u.litFieldExpr(lit, "Transport"); x != nil && !u.plainTransport(x, f) {
		return model.Limit{}
	}
	if root != nil && len(u.localFieldSets(root, "Transport")) > 0 {
		return model.Limit{}
	}
	return model.NoLimit()
}

// timeoutValue is the value of a client's Timeout; zero means that there is none.
func (u *unit) timeoutValue(x ast.Expr, f *fn) model.Limit {
	v := u.value(x, f)
	switch {
	case !v.IsInt:
		return model.Limit{}
	case v.Hi == 0 && v.Int == 0:
		return model.NoLimit()
	}
	return model.For(time.Duration(max(v.Int, v.Hi)))
}

// writtenTimeout joins the clients that a package writes to a field.
func (u *unit) writtenTimeout(v *types.Var, f *fn, depth int) model.Limit {
	ws := u.writesOf(v)
	if len(ws) == 0 {
		return model.Limit{}
	}
	out := model.For(0)
	for _, w := range ws {
		if w.value == nil {
			return model.Limit{}
		}
		d := u.clientTimeout(w.value, w.in, depth+1)
		if d.IsUnknown() {
			return d
		}
		out = out.Max(d)
	}
	return out
}

// zeroClient is the timeout of a client that is declared but never given a value: var hc http.Client, new(http.Client).
func (u *unit) zeroClient(e ast.Expr, root types.Object, f *fn) model.Limit {
	v, ok := root.(*types.Var)
	if !ok {
		return model.Limit{}
	}
	if namedText(v.Type()) != "net/http.Client" || len(u.localFieldSets(v, "Timeout")) > 0 || len(u.localFieldSets(v, "Transport")) > 0 {
		return model.Limit{}
	}
	for _, n := range u.setsOf(v) {
		if s, ok := n.(*ast.ValueSpec); !ok || len(s.Values) > 0 {
			return model.Limit{}
		}
	}
	if u.pkg != nil && v.Parent() == u.pkg.Scope() && v.Exported() {
		return model.Limit{}
	}
	return model.NoLimit()
}

// plainTransport reports whether a transport is the standard one without a time limit on the answer.
func (u *unit) plainTransport(x ast.Expr, f *fn) bool {
	if s, ok := ast.Unparen(x).(*ast.SelectorExpr); ok && s.Sel.Name == "DefaultTransport" {
		return true
	}
	lit, root := u.literalOf(x, f, 0)
	if lit == nil || namedText(u.typeOf(lit)) != "net/http.Transport" {
		return false
	}
	return u.litFieldExpr(lit, "ResponseHeaderTimeout") == nil && (root == nil || len(u.localFieldSets(root, "ResponseHeaderTimeout")) == 0)
}

// callDeadline is the deadline that a call hands down: the tightest on the way of its context; none where the context
// begins with nothing and has none.
func (u *unit) callDeadline(s *site) model.Limit {
	var ctx ast.Expr
	for _, a := range s.call.Args {
		t := u.typeOf(a)
		if t == nil {
			continue
		}
		if isContextType(t) {
			ctx = a
			break
		}
		if u.httpRequest(a) || namedText(t) == "github.com/hashicorp/go-retryablehttp.(*Request)" {
			if ctx = u.requestContext(a, 0); ctx == nil {
				if u.plainRequest(a, 0) {
					return model.NoLimit()
				}
				return model.Limit{}
			}
			break
		}
	}
	if ctx == nil {
		if k := u.callee(s.call); k.pkg == "net/http" && isWord(k.sel, "Get", "Post", "Head", "PostForm") || u.sendsWithoutContext(s, k) {
			return model.NoLimit()
		}
		return model.Limit{}
	}
	return u.contextDeadline(ctx, 0)
}

// sendsWithoutContext reports whether a catalogued client's call sends a request that nobody gave a context:
// client.Get(url), client.R().Get(url).
func (u *unit) sendsWithoutContext(s *site, k callee) bool {
	if s.lib == nil || s.lib.send == nil || s.lib.send.Method == "" || s.lib.send.Method == "request" || s.lib.send.URL == "" {
		return false
	}
	for e := k.recv; e != nil; {
		c, ok := ast.Unparen(e).(*ast.CallExpr)
		if !ok {
			o := u.lvalue(e)
			// A client, not a request that was prepared elsewhere.
			return o != nil && !strings.Contains(namedText(o.Type()), "Request") && len(u.setterCalls(o, "SetContext")) == 0
		}
		in := u.callee(c)
		if strings.Contains(in.sel, "Context") || in.to != nil {
			return false
		}
		for _, a := range c.Args {
			if t := u.typeOf(a); t != nil && isContextType(t) {
				return false
			}
		}
		e = in.recv
	}
	return false
}

// contextDeadline is the tightest deadline on the way of a context.
func (u *unit) contextDeadline(ctx ast.Expr, depth int) model.Limit {
	w := u.contextOf(ctx, ctx.Pos())
	out := model.Limit{}
	open := false
	for _, l := range w.limits {
		out = out.Min(l.d)
		if l.d.Known() && !out.Known() {
			out = l.d
		}
		open = open || l.d.IsUnknown()
	}
	if out.Known() || open {
		return out
	}
	if w.background && len(w.limits) == 0 {
		return model.NoLimit()
	}
	if s, ok := ast.Unparen(w.root).(*ast.SelectorExpr); ok && w.root != nil && depth < 3 {
		return u.fieldDeadline(s, depth)
	}
	return model.Limit{}
}

// fieldDeadline is that of the contexts that the package puts into a field: known only where all of them are.
func (u *unit) fieldDeadline(s *ast.SelectorExpr, depth int) model.Limit {
	v, ok := u.object(s.Sel).(*types.Var)
	if !ok || !v.IsField() {
		return model.Limit{}
	}
	ws := u.writesOf(v)
	out := model.For(0)
	for _, x := range ws {
		if x.value == nil {
			return model.Limit{}
		}
		d := u.contextDeadline(x.value, depth+1)
		if d.IsUnknown() {
			return d
		}
		out = out.Max(d)
	}
	if len(ws) == 0 {
		return model.Limit{}
	}
	return out
}

// plainRequest reports whether a request was made without a context.
func (u *unit) plainRequest(e ast.Expr, depth int) bool {
	if depth > 4 {
		return false
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, _ := u.lastContext(x, x.Pos()); v != nil {
			return u.plainRequest(v, depth+1)
		}
	case *ast.CallExpr:
		return u.callee(x).sel == "NewRequest"
	}
	return false
}

// traitClients looks for clients whose Timeout is around a transport that retries: it bounds all attempts of one call
// together.
func (u *unit) traitClients() {
	for _, lit := range u.lits {
		if namedText(u.typeOf(lit)) != "net/http.Client" {
			continue
		}
		f := u.fnAt(lit.Pos())
		timeout := u.litFieldExpr(lit, "Timeout")
		c := u.clientLit(lit, f)
		if root := u.assignedTo(lit); root != nil {
			if x := u.lastSetExpr(root, "Timeout"); timeout == nil {
				timeout = x
			}
			if x := u.lastSetExpr(root, "Transport"); x != nil && len(c.layers) == 0 {
				c.layers = u.transportLayers(x, u.fnAt(x.Pos()), 0)
			}
		}
		u.boundTogether(c.layers, timeout)
	}
	for _, a := range u.assigns { // c := rc.StandardClient(); c.Timeout = d
		if len(a.Lhs) != len(a.Rhs) {
			continue
		}
		for i, l := range a.Lhs {
			s, ok := ast.Unparen(l).(*ast.SelectorExpr)
			if !ok || s.Sel.Name != "Timeout" || u.varOf(s.X) == nil || namedText(u.typeOf(s.X)) != "net/http.(*Client)" {
				continue
			}
			v, _ := u.lastContext(ast.Unparen(s.X).(*ast.Ident), a.Pos())
			made, ok := ast.Unparen(v).(*ast.CallExpr)
			if v == nil || !ok {
				continue
			}
			if c := u.standardClient(made, u.fnAt(a.Pos())); c != nil {
				u.boundTogether(c.layers, a.Rhs[i])
			}
		}
	}
}

// boundTogether notes on layers that a client's timeout is around them.
func (u *unit) boundTogether(ids []string, timeout ast.Expr) {
	if timeout == nil || len(ids) == 0 {
		return
	}
	d := u.timeoutValue(timeout, u.fnAt(timeout.Pos()))
	if !d.Known() {
		return
	}
	for _, r := range u.regions {
		if r.layer == nil || !slices.Contains(ids, r.layer.ID) {
			continue
		}
		r.trait(model.TraitDeadline, u.at(timeout), d.String()+" client")
		if !r.layer.Policy.Overall.Known() || d.Compare(r.layer.Policy.Overall) < 0 {
			r.layer.Policy.Overall, r.layer.Policy.Budget = d, model.BudgetHard
		}
	}
}

// assignedTo is the variable that a literal, or its address, is assigned to.
func (u *unit) assignedTo(lit *ast.CompositeLit) types.Object {
	p := u.parent(lit)
	if x, ok := p.(*ast.UnaryExpr); ok {
		p = u.parent(x)
	}
	switch s := p.(type) {
	case *ast.AssignStmt:
		if len(s.Lhs) == 1 {
			if id, ok := s.Lhs[0].(*ast.Ident); ok {
				return u.object(id)
			}
		}
	case *ast.ValueSpec:
		if len(s.Names) == 1 {
			return u.object(s.Names[0])
		}
	}
	return nil
}
