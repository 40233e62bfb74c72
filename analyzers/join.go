package analyzers

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// Stubs are the declaration stubs of all known libraries, by import path, for the tolerant loader.
func Stubs() map[string]string { return libs.Stubs() }

// Join finishes the packages of a repository, now that all callers of each function are known, and makes one set of facts of
// them. The facts that it is given are empty afterwards.
func (r *Repo) Join(facts []*model.Facts) *model.Facts {
	for _, u := range r.order {
		u.extract()
		for _, d := range r.indexed {
			d.forget()
		}
		r.indexed = r.indexed[:0]
	}
	for _, u := range r.order {
		u.forget()
	}
	r.values, r.helpers, r.made, r.matched = nil, nil, nil, nil
	out := &model.Facts{Schema: model.SchemaVersion}
	nodes, edges := 0, 0
	for _, f := range facts {
		nodes, edges = nodes+len(f.Nodes), edges+len(f.Edges)
	}
	out.Nodes, out.Edges = make([]model.Node, 0, nodes), make([]model.Edge, 0, edges)
	for i, f := range facts {
		if out.Repo.Name == "" {
			out.Repo = f.Repo
		}
		if r.Own != nil && i < len(r.order) && !r.Own(r.order[i].dir) {
			f.Stats = model.Stats{}
		}
		out.Merge(f)
		*f = model.Facts{} // it is copied, and there are many
	}
	r.forget(out)
	r.split(out)
	r.prune(out, r.implementations())
	if r.Own != nil {
		dropOthers(out, r.Own)
	}
	out.Sort()
	return out
}

// forget gives back the syntax and all that was worked out on it, which is most of the memory of a scan. What the join
// needs stays: regions, functions by object, the package's scope.
func (u *unit) forget() {
	u.files, u.info, u.sites, u.decls, u.lastDecl, u.tracer, u.lits, u.assigns = nil, nil, nil, nil, nil, nil, nil, nil
	u.calleeOf, u.conversions, u.byCall, u.byNode, u.byRegion, u.writes, u.litsOf, u.fieldSets, u.setters, u.fills = nil, nil, nil, nil, nil, nil, nil, nil, nil, nil
	u.generated, u.remote, u.sleeps, u.fieldAST, u.tagLits, u.sendRegions, u.defaulted = nil, nil, nil, nil, nil, nil, nil
	for _, f := range u.fns {
		*f = fn{name: f.name, unit: u}
	}
	for _, g := range u.regions {
		*g = region{layer: g.layer, use: g.use, helped: g.helped}
	}
}

// ifaceCall is an interface whose method some code calls.
type ifaceCall struct {
	iface  *types.Interface
	method *types.Func
	name   model.Name
}

// noteInterface remembers that a method of an interface is called, so that Join finds who implements it.
func (r *Repo) noteInterface(f *types.Func, recv ast.Expr, u *unit) {
	if r.ifaces[f] {
		return
	}
	r.ifaces[f] = true
	sig := f.Type().(*types.Signature)
	t, ok := sig.Recv().Type().Underlying().(*types.Interface)
	if !ok {
		return
	}
	if rt := u.typeOf(recv); rt != nil {
		if it, ok := rt.Underlying().(*types.Interface); ok {
			t = it // the wider interface that was really at hand
		}
	}
	r.ifaceCalls = append(r.ifaceCalls, ifaceCall{t, f, model.N(model.SpaceFunc, funcName(f))})
}

// maxAlternatives bounds how many implementations of one interface are kept: beyond it the interface says nothing.
const maxAlternatives = 40

// implementations finds, for each interface method that is called, the methods of the repository's types that may run.
func (r *Repo) implementations() map[model.Name][]model.Name {
	byMethod := map[string][]*types.Named{}
	for _, u := range r.order {
		if u.pkg == nil {
			continue
		}
		scope := u.pkg.Scope()
		for _, n := range scope.Names() {
			tn, ok := scope.Lookup(n).(*types.TypeName)
			if !ok || tn.IsAlias() {
				continue
			}
			named, ok := tn.Type().(*types.Named)
			if !ok || types.IsInterface(named) || named.TypeParams().Len() > 0 {
				continue
			}
			for i := range named.NumMethods() {
				m := named.Method(i).Name()
				byMethod[m] = append(byMethod[m], named)
			}
		}
	}
	out := map[model.Name][]model.Name{}
	for _, c := range r.ifaceCalls {
		if c.iface.NumMethods() == 0 {
			continue
		}
		seen := map[model.Name]bool{}
		var found []model.Name
		for _, n := range byMethod[c.method.Name()] {
			if !types.Implements(n, c.iface) && !types.Implements(types.NewPointer(n), c.iface) {
				continue
			}
			o, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), true, n.Obj().Pkg(), c.method.Name())
			m, ok := o.(*types.Func)
			if !ok {
				continue
			}
			if g := r.fnOf(m); g != nil && !seen[g.name] {
				seen[g.name] = true
				if standsIn(n) {
					continue
				}
				found = append(found, g.name)
			}
			if len(found) > maxAlternatives {
				break // too many to say anything; generated code calls thousands of interfaces that thousands of types fulfil
			}
		}
		if len(found) > 0 && len(found) <= maxAlternatives {
			slices.SortFunc(found, model.Name.Compare)
			out[c.name] = append(out[c.name], found...)
		}
	}
	return out
}

// standsIn reports whether a type stands in for the real one in tests, by its name or its package's: nothing that it does
// happens in earnest.
func standsIn(n *types.Named) bool {
	if standInName.MatchString(n.Obj().Name()) {
		return true
	}
	return n.Obj().Pkg() != nil && standInPackage.MatchString(n.Obj().Pkg().Path())
}

var (
	standInName    = regexp.MustCompile(`^(?:[Ff]ake|[Mm]ock|[Ss]tub|[Dd]ummy)(?:[A-Z_0-9]|$)|(?:Fake|Mock|Stub|Dummy)(?:[A-Z_0-9]|$)`)
	standInPackage = regexp.MustCompile(`(?:^|/)(?:\w*(?:fake|mock)s?|testutils?|testing|testdoubles?|unittest)(?:/|$)`)
)

// forget takes layers that turned out to be none out of the edges and other layers.
func (r *Repo) forget(f *model.Facts) {
	dropped := map[string]bool{}
	for _, u := range r.order {
		for _, g := range u.regions {
			// A helper that only hands a policy on to a library is no layer by itself: its calls are.
			if g.layer != nil && g.use != nil && g.helped > 0 && g.layer.Policy.Attempts.IsUnknown() {
				dropped[g.layer.ID] = true
			}
		}
	}
	if len(dropped) == 0 {
		return
	}
	f.Layers = slices.DeleteFunc(f.Layers, func(l model.Layer) bool { return dropped[l.ID] })
	for i := range f.Layers {
		if dropped[f.Layers[i].Of] {
			f.Layers[i].Of = ""
		}
	}
	for i := range f.Edges {
		e := &f.Edges[i]
		e.Under = slices.DeleteFunc(e.Under, func(id string) bool { return dropped[id] })
		e.Key.BornUnder = slices.DeleteFunc(e.Key.BornUnder, func(id string) bool { return dropped[id] })
	}
	for _, u := range r.order {
		for i := range u.plainEdges {
			e := &u.plainEdges[i]
			e.under = slices.DeleteFunc(e.under, func(id string) bool { return dropped[id] })
		}
	}
}
