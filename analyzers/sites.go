package analyzers

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// collectSites makes a site of every call and notes the callers of each function.
func (u *unit) collectSites() {
	for _, f := range u.fns {
		for _, c := range f.calls {
			k := u.callee(c.expr)
			if k.conv {
				continue
			}
			s := &site{call: c.expr, in: f, to: k.to, callee: k, spawn: c.spawn}
			if s.to == nil {
				s.to = u.shared.fnOf(k.fun)
			}
			if k.fun == nil && k.to == nil {
				u.facts.Stats.Untyped++
			}
			u.sites = append(u.sites, s)
			u.byCall[c.expr] = s
			if s.to != nil {
				s.to.callers = append(s.to.callers, s)
			}
		}
	}
	// The sites know their callees.
	rest := make(map[*ast.CallExpr]*callee, max(len(u.calleeOf)-len(u.sites), 0))
	for c, k := range u.calleeOf {
		if u.byCall[c] == nil {
			rest[c] = k
		}
	}
	u.calleeOf = rest
}

// callersOf lists the calls of a function that are known so far.
func (u *unit) callersOf(f *fn) []*site { return f.callers }

// around lists the regions around a node within f and the functions around it, outermost first.
func (u *unit) around(n ast.Node, f *fn) []*region {
	var out []*region
	for p := n; p != nil; p = u.parent(p) {
		if r := u.byRegion[p]; r != nil && p != n {
			if r.loop != nil && r.loop.again.has(n) {
				continue // it begins the next round
			}
			if r.body == nil || contains(r.body, n) || r.node == r.body {
				out = append([]*region{r}, out...)
			}
		}
	}
	return out
}

func contains(outer, inner ast.Node) bool {
	return outer.Pos() <= inner.Pos() && inner.End() <= outer.End()
}

// layerIDs are the ids of the regions that lie in f itself.
func layerIDs(rs []*region, f *fn) []string {
	var out []string
	for _, r := range rs {
		if r.in == f && r.layer != nil {
			out = append(out, r.layer.ID)
		}
	}
	return out
}

// edges turns the calls of a function into edges of the graph.
func (u *unit) edges(f *fn) {
	for _, c := range f.calls {
		s := u.byCall[c.expr]
		if s == nil {
			continue
		}
		s.under = u.around(c.expr, f)
		u.edge(s, c)
		if len(s.edges) > 0 {
			u.endsLayers(s)
		}
	}
	// Effect ends: a layer gets an edge to the operation that it repeats, where nothing else under it is one or where the operation
	// surely leaves the process.
	for _, r := range u.regions {
		if r.in == f && r.layer != nil && (!r.used || r.judged != nil && r.judged.sure) {
			u.opEdge(r)
		}
	}
}

// add makes an edge of a site.
func (u *unit) add(s *site, e model.Edge) *model.Edge {
	e.From = s.in.name
	if e.At.IsZero() {
		e.At = u.at(s.call)
	}
	if e.Under == nil {
		e.Under = layerIDs(s.under, s.in)
	}
	for _, r := range s.under {
		r.used = true
	}
	p := &e
	s.edges = append(s.edges, p)
	if s.edge == nil {
		s.edge = p
	}
	return p
}

// edge decides what a call is.
func (u *unit) edge(s *site, c *call) {
	k := u.callee(s.call)
	// A call that a library or helper repeats: the layer is around what runs.
	if r := u.byRegion[s.call]; r != nil && r.layer != nil && r.node == ast.Node(s.call) && r.body != nil {
		u.regionEdge(s, r, k)
		return
	}
	if u.request(s, k) {
		return
	}
	if u.librarySend(s, k) {
		return
	}
	if u.rpcCall(s, k) {
		return
	}
	if u.startCall(s) {
		return
	}
	if !s.registers {
		u.closureArgs(s, k)
	}
	switch {
	case s.delivered:
	case s.to != nil:
		u.add(s, model.Edge{To: s.to.name, Kind: model.EdgeCall, Blind: s.spawn, Quiet: u.quiet(s)})
		if n := len(s.under); n > 0 && s.under[n-1].opCall == s.call || k.fun == nil && k.obj != nil && tellsError(k.obj) {
			u.shared.keep[s.to.name] = true
		}
	case u.store(s, k):
	case k.fun != nil && isInterfaceMethod(k.fun) && (u.shared.units[k.fun.Pkg()] != nil || u.sameOwner(k.pkg)):
		u.add(s, model.Edge{To: model.N(model.SpaceFunc, k.name), Kind: model.EdgeCall, Quiet: u.quiet(s)})
		u.shared.noteInterface(k.fun, k.recv, u)
	case k.name != "" && u.sameOwner(k.pkg) && foreignStrength(k) != remoteNo:
		u.add(s, model.Edge{To: model.N(model.SpaceFunc, k.name), Kind: model.EdgeCall, Quiet: u.quiet(s)})
	case u.kubeCreates(s, k):
		// A repeat under the same name finds what is there; under another one it makes a second.
		u.add(s, model.Edge{To: u.opName(s, k), Kind: model.EdgeCall, Label: "Kubernetes " + k.sel, Idempotent: true, Effect: true})
	case k.obj != nil && isFuncVar(k.obj) && (tellsError(k.obj) || u.isOperation(s)):
		u.add(s, model.Edge{To: u.opName(s, k), Kind: model.EdgeCall})
	}
}

// kubeCreates reports whether a call makes an object through a typed Kubernetes client, by the options that it takes last.
func (u *unit) kubeCreates(s *site, k callee) bool {
	if k.sel != "Create" || k.recv == nil || len(s.call.Args) < 3 {
		return false
	}
	last := s.call.Args[len(s.call.Args)-1]
	t := namedText(u.typeOf(last))
	if t == "" {
		t = u.foreign(last, 0)
	}
	return strings.HasSuffix(t, "apimachinery/pkg/apis/meta/v1.CreateOptions")
}

// isOperation reports whether a call is what a loop around it repeats.
func (u *unit) isOperation(s *site) bool {
	for _, r := range s.under {
		if r.opCall == s.call {
			return true
		}
	}
	return false
}

// tellsError reports whether a function value can tell of a failure; others (cancel, log) lead nowhere.
func tellsError(o types.Object) bool {
	sig, ok := o.Type().Underlying().(*types.Signature)
	if !ok || sig.Results().Len() == 0 {
		return false
	}
	return isErrorType(sig.Results().At(sig.Results().Len() - 1).Type())
}

func isFuncVar(o types.Object) bool {
	v, ok := o.(*types.Var)
	if !ok {
		return false
	}
	_, ok = v.Type().Underlying().(*types.Signature)
	return ok
}

func isInterfaceMethod(f *types.Func) bool {
	sig, _ := f.Type().(*types.Signature)
	if sig == nil || sig.Recv() == nil {
		return false
	}
	return types.IsInterface(sig.Recv().Type())
}

// sameOwner reports whether an import path may belong to another repository of the same organisation.
func (u *unit) sameOwner(pkg string) bool {
	if pkg == "" || isStdPath(pkg) {
		return false
	}
	own, other := owner(u.module, u.path), owner("", pkg)
	return own != "" && own == other
}

// owner is the part of an import path that names who keeps it.
func owner(module, path string) string {
	p := module
	if p == "" {
		p = path
	}
	parts := strings.SplitN(p, "/", 3)
	if strings.HasPrefix(parts[0], "github.com") || strings.HasPrefix(parts[0], "gitlab.com") || strings.HasPrefix(parts[0], "bitbucket.org") {
		if len(parts) > 1 {
			return parts[0] + "/" + parts[1]
		}
	}
	return parts[0]
}

// opName is the name of an operation of which only the text is known.
func (u *unit) opName(s *site, k callee) model.Name {
	text := exprText(s.call.Fun)
	if k.name != "" {
		text = k.name
	}
	return model.N(model.SpaceOp, s.in.name.Key+"#"+text)
}

// exprText writes a callee as it stands, cut to something readable.
func exprText(e ast.Expr) string {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return exprText(x.X) + "." + x.Sel.Name
	case *ast.CallExpr:
		return exprText(x.Fun) + "()"
	case *ast.IndexExpr:
		return exprText(x.X) + "[]"
	case *ast.StarExpr:
		return exprText(x.X)
	case *ast.FuncLit:
		return "func"
	}
	return "?"
}

// opEdge gives a layer without an edge an end: the operation that it repeats.
func (u *unit) opEdge(r *region) {
	if r.opCall == nil {
		return
	}
	s := u.byCall[r.opCall]
	if s == nil || r.used && len(s.edges) > 0 {
		return
	}
	k := u.callee(s.call)
	s.under = u.around(s.call, s.in)
	u.add(s, model.Edge{To: u.opName(s, k), Kind: model.EdgeCall, Label: exprText(s.call.Fun)})
}

// closureArgs makes call edges to closures and functions that a call is handed: unknown functions run what they get.
func (u *unit) closureArgs(s *site, k callee) {
	for i, a := range s.call.Args {
		var g *fn
		switch x := ast.Unparen(a).(type) {
		case *ast.FuncLit:
			g = u.byNode[x]
		case *ast.Ident:
			if f, ok := u.object(x).(*types.Func); ok {
				g = u.byObj[f]
			} else if v, ok := u.object(x).(*types.Var); ok && isFuncVar(v) {
				g = u.byObj[v]
			}
		case *ast.SelectorExpr:
			if f, ok := u.object(x.Sel).(*types.Func); ok {
				g = u.byObj[f]
			}
		}
		if g == nil || g == s.in {
			continue
		}
		u.add(s, model.Edge{To: g.name, Kind: model.EdgeCall, At: u.at(a), Handed: u.handed(s, k, i), Blind: u.leftAlone(s, k), Quiet: g.mute()})
	}
}

// regionEdge makes the edge from a library or helper call to what it repeats.
func (u *unit) regionEdge(s *site, r *region, k callee) {
	if body, ok := r.body.(ast.Expr); ok && r.use != nil && r.use.call.Waits != "" && u.detached(s) {
		if to := u.started(body, s.in); !to.IsZero() {
			u.start(s, r, to)
			return
		}
	}
	under := append(layerIDs(s.under, s.in), r.layer.ID)
	r.used = true
	if r.op != nil {
		u.add(s, model.Edge{To: r.op.name, Kind: model.EdgeCall, Under: under, At: u.at(r.body)})
		return
	}
	to := model.N(model.SpaceOp, s.in.name.Key+"#"+exprTextNode(r.body))
	if e, ok := r.body.(ast.Expr); ok {
		if v := u.value(e, s.in); v.IsStr && v.Str != "" {
			to = model.N(model.SpaceOp, s.in.name.Key+"#"+v.Str)
			if r.layer.Kind == model.KindWorkflow {
				to = model.N(model.SpaceQueue, "temporal:"+v.Str) // an activity or workflow by its name
			}
		}
	}
	u.add(s, model.Edge{To: to, Kind: model.EdgeCall, Under: under})
}

func exprTextNode(n ast.Node) string {
	if e, ok := n.(ast.Expr); ok {
		return exprText(e)
	}
	return "?"
}
