package analyzers

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// clientLayer is the id of the layer that a client puts around what it sends; "" where it does not retry. Settings written in
// the code make one layer, wherever the client sends; defaults make one for each package and library.
func (u *unit) clientLayer(s *site, use libraryUse, k callee) string {
	if k.recv == nil {
		return ""
	}
	for _, f := range use.cl.PerCall {
		if call := (&useSite{world: u.shared.world(), u: u, f: s.in, call: s.call}); call.Field(f, -1).Set {
			return u.madeLayer(s, use, "", call, "")
		}
	}
	name, site := u.nameAndSite(k.recv, s.in, nil, 0)
	if site == nil {
		site = &useSite{world: u.shared.world(), u: u, f: s.in, open: true}
	}
	return u.madeLayer(s, use, name, site, "")
}

// madeLayer is the layer of the client that was made at a site; part tells one policy of the client from its others.
func (u *unit) madeLayer(s *site, use libraryUse, name string, site libs.Site, part string) string {
	us := madeAt(site)
	low := us != nil && us.open
	if low {
		if n, made := u.madeAnywhere(use); made != nil {
			name, site, us, low = n, made, made, false
		}
	}
	if low {
		// Nobody saw how it was made: its defaults are likely, but not sure.
		closed := *us
		closed.open = false
		site = &closed
	}
	r := libs.EvaluateClient(use.cl, name, site)
	off := r.Policy.Attempts.One() && (r.Origin == model.OriginDefault || len(r.At) == 0) // and nobody switched it off by hand
	if off || r.Policy.On.OnlyUnsent() && r.Origin == model.OriginDefault {
		return "" // off; or repeats by default only what was not sent, which changes nothing
	}
	key := use.lib.Name + "|" + u.path // defaults: one layer for each package
	if len(r.At) == 0 && us != nil && !low {
		if at := us.optionsAt(use.lib, 0); !at.IsZero() {
			r.At = []model.Location{at} // where the number would stand
		}
	}
	if len(r.At) > 0 && !r.At[0].IsZero() {
		key = use.lib.Name + "|" + r.At[0].String()
	}
	key += part
	if id, ok := u.shared.clients[key]; ok {
		return id
	}
	if low && r.Origin == model.OriginDefault {
		// Made out of sight, and nothing about its retries is written here: that they are the default is likely, but a
		// guess. It is counted, never a layer.
		u.shared.clients[key] = ""
		u.facts.Undecided = append(u.facts.Undecided, model.Undecided{Kind: model.UndecidedAttempts, At: u.at(s.call),
			What: "attempts of a " + use.lib.Name + " client that is made out of sight"})
		return ""
	}
	if s.call == nil {
		return "" // asked for by a setting, and nothing is sent here
	}
	layer := u.libraryLayer(s, use, r)
	layer.Label = use.lib.Name + " client"
	layer.LowConfidence = low
	if us != nil && us.call != nil && layer.Call.IsZero() {
		layer.Call = us.u.at(us.call)
	}
	u.shared.clients[key] = layer.ID
	rg := &region{layer: layer, in: s.in, node: s.call, used: true}
	u.regions = append(u.regions, rg)
	if _, taken := u.byRegion[s.call]; !taken {
		u.sendRegions[s.call] = rg
	}
	return layer.ID
}

// madeAt is the call or literal behind a site.
func madeAt(site libs.Site) *useSite {
	switch s := site.(type) {
	case *useSite:
		return s
	case methodSite:
		return s.useSite
	}
	return nil
}

// unusedClients makes layers of clients whose settings are written here but which send elsewhere, and of producers.
func (u *unit) unusedClients() {
	for _, s := range u.sites {
		k := u.callee(s.call)
		if k.pkg == "" || k.recv != nil || k.to != nil || u.generated[s.in.file] {
			continue
		}
		for _, l := range u.shared.lookup(k.pkg) {
			cl := l.Constructs(k.sel)
			if cl == nil || !l.Applies(u.versionOf(k.pkg)) {
				continue
			}
			us := u.madeSite(s)
			r := libs.EvaluateClient(cl, k.sel, us)
			explicit := r.Origin != model.OriginDefault && len(r.At) > 0 && !r.At[0].IsZero()
			if r.Policy.Attempts.One() && len(r.Traits) == 0 || !explicit && (r.Kind != model.KindProducer || us.Option("ConsumeTopics", 0).Set) {
				continue // nothing is written, or it is a client that reads
			}
			key := l.Name + "|" + u.path
			if len(r.At) == 0 {
				if at := us.optionsAt(l, 0); !at.IsZero() {
					r.At, explicit = []model.Location{at}, true // where the number would stand
				}
			}
			if explicit {
				key = l.Name + "|" + r.At[0].String()
			}
			if _, ok := u.shared.clients[key]; ok {
				continue
			}
			layer := u.libraryLayer(s, libraryUse{lib: l, cl: cl}, r)
			layer.Label = l.Name + " client"
			u.shared.clients[key] = layer.ID
			u.regions = append(u.regions, &region{layer: layer, in: s.in, node: s.call, used: true})
			// What it sends is sent elsewhere; an end of its own shows the layer all the same.
			u.add(s, model.Edge{To: model.N(model.SpaceOp, s.in.name.Key+"#"+l.Name+" client"), Kind: model.EdgeCall, Under: []string{layer.ID}, Label: "what the client sends"})
		}
	}
}

// madeSite is a constructor's call with the settings that are chained to it and the variables that hold what they give.
func (u *unit) madeSite(s *site) *useSite {
	us := &useSite{world: u.shared.world(), u: u, f: s.in, call: s.call}
	last := s.call
	for {
		sel, ok := u.parent(last).(*ast.SelectorExpr)
		if !ok {
			break
		}
		c, ok := u.parent(sel).(*ast.CallExpr)
		if !ok || c.Fun != ast.Expr(sel) || !setterName(sel.Sel.Name) {
			break
		}
		us.chain = append(us.chain, c)
		last = c
	}
	us.roots = u.holdersOf(last)
	return us
}

// holdersOf are the variables and fields that a call's result is assigned to.
func (u *unit) holdersOf(c *ast.CallExpr) []types.Object {
	var out []types.Object
	switch p := u.parent(c).(type) {
	case *ast.AssignStmt:
		if len(p.Lhs) > 0 {
			if o := u.lvalue(p.Lhs[0]); o != nil {
				out = append(out, o)
			}
		}
	case *ast.ValueSpec:
		if len(p.Names) > 0 {
			if o := u.object(p.Names[0]); o != nil {
				out = append(out, o)
			}
		}
	case *ast.KeyValueExpr:
		if id, ok := p.Key.(*ast.Ident); ok {
			if o := u.object(id); o != nil {
				out = append(out, o)
			}
		}
	}
	return out
}

// standardClient is the *http.Client that a retrying client hands out.
func (u *unit) standardClient(c *ast.CallExpr, f *fn) *httpClient {
	k := u.callee(c)
	if k.sel != "StandardClient" || k.recv == nil {
		return nil
	}
	id := u.clientOfExpr(k.recv, f, c)
	if id == "" {
		return nil
	}
	return &httpClient{timeout: model.Limit{}, layers: []string{id}, known: true}
}

// clientOfExpr is the layer of a catalogued client that an expression holds.
func (u *unit) clientOfExpr(e ast.Expr, f *fn, at *ast.CallExpr) string {
	use := u.catalogued(e)
	if use == nil {
		return ""
	}
	if f == nil {
		f = u.fnAt(e.Pos())
	}
	if f == nil {
		return ""
	}
	return u.clientLayer(&site{call: at, in: f}, *use, callee{recv: e, sel: use.typ})
}

// catalogued is the library and the client of it that an expression is; nil where it is none.
func (u *unit) catalogued(e ast.Expr) *libraryUse {
	t := namedText(u.typeOf(e))
	if t == "" {
		t = u.foreign(e, 0)
	}
	pkg := typePackage(strings.ReplaceAll(t, "(*", ""))
	if t == "" || pkg == "" {
		return nil
	}
	typ := withoutPointer.Replace(strings.TrimPrefix(t[min(len(pkg), len(t)):], "."))
	for _, l := range u.shared.lookup(pkg) {
		if !l.Applies(u.versionOf(pkg)) {
			continue
		}
		if cl := l.Client(typ); cl != nil {
			return &libraryUse{lib: l, cl: cl, typ: typ}
		}
	}
	return nil
}

// libraryTransport lists the layers of a catalogued RoundTripper: retryablehttp.RoundTripper{Client: c}, and constructors
// that a library lists as calls without an operation.
func (u *unit) libraryTransport(e ast.Expr, f *fn) []string {
	x := ast.Unparen(e)
	if un, ok := x.(*ast.UnaryExpr); ok {
		x = ast.Unparen(un.X)
	}
	switch x := x.(type) {
	case *ast.CompositeLit:
		t := u.foreignType(x.Type)
		if strings.HasSuffix(t, "go-retryablehttp.RoundTripper") {
			if c := u.litFieldExpr(x, "Client"); c != nil {
				if id := u.clientOfExpr(c, f, nil); id != "" {
					return []string{id}
				}
			}
		}
	case *ast.CallExpr:
		if s := u.byCall[x]; s != nil && s.lib != nil && s.lib.call != nil {
			return append([]string(nil), s.callLayers...)
		}
	case *ast.SelectorExpr:
		if x.Sel.Name == "Transport" { // c.StandardClient().Transport
			if c, ok := ast.Unparen(x.X).(*ast.CallExpr); ok {
				if h := u.standardClient(c, f); h != nil {
					return h.layers
				}
			}
		}
	}
	return nil
}
