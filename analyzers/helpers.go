package analyzers

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// A helper is a function that is handed an operation and runs it in a retry loop, or hands it on to a library or another
// helper that does. Each call of it is a layer of its own, with the bound that the call passes.

// helper is the region of a helper and the parameter that it repeats.
type helper struct {
	region *region
	param  int   // -1: the receiver
	inner  *site // where the region is itself the call of a helper
}

// helperOf finds the operation parameter that a region of a function repeats.
func (u *unit) helperOf(f *fn) *helper {
	if h, ok := u.shared.helpers[f]; ok {
		return h
	}
	var out *helper
	for _, r := range u.regions {
		if r.in != f && !u.inside(r.in, f) || r.layer == nil {
			continue
		}
		// A loop that calls a parameter.
		if r.opCall != nil {
			if i, ok := u.calledParam(r.opCall, f); ok {
				out = &helper{region: r, param: i}
				break
			}
		}
		// A library or helper call that is handed a parameter, or a closure that calls one.
		if e, ok := r.body.(ast.Expr); ok {
			var inner *site
			if c, ok := r.node.(*ast.CallExpr); ok && r.use == nil {
				inner = u.byCall[c]
			}
			if i, ok := u.paramIndex(e, f); ok {
				out = &helper{region: r, param: i, inner: inner}
				break
			}
			if r.op != nil && r.op.lit != nil {
				for _, c := range r.op.calls {
					if i, ok := u.calledParam(c.expr, f); ok {
						out = &helper{region: r, param: i, inner: inner}
						break
					}
				}
			}
		}
		if out != nil {
			break
		}
	}
	u.shared.helpers[f] = out
	return out
}

func (u *unit) inside(g, f *fn) bool {
	for ; g != nil; g = g.parent {
		if g == f {
			return true
		}
	}
	return false
}

// calledParam reports whether a call runs a parameter of f: fn(), op.Do().
func (u *unit) calledParam(c *ast.CallExpr, f *fn) (int, bool) {
	fun := ast.Unparen(c.Fun)
	if i, ok := u.paramIndex(fun, f); ok {
		return i, true
	}
	if s, ok := fun.(*ast.SelectorExpr); ok {
		if i, ok := u.paramIndex(s.X, f); ok {
			t := u.typeOf(s.X)
			if it, ok := underInterface(t); ok && it.NumMethods() == 1 {
				return i, true
			}
		}
	}
	return 0, false
}

func underInterface(t types.Type) (*types.Interface, bool) {
	if t == nil {
		return nil, false
	}
	i, ok := t.Underlying().(*types.Interface)
	return i, ok
}

func (u *unit) paramIndex(e ast.Expr, f *fn) (int, bool) {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return 0, false
	}
	o := u.object(id)
	if o == nil {
		return 0, false
	}
	i, ok := f.params[o]
	if !ok {
		return 0, false
	}
	switch o.Type().Underlying().(type) {
	case *types.Signature:
		return i, true
	case *types.Interface:
		return i, true
	}
	return 0, false
}

// helperRegions makes a layer of each call of a helper. Helpers of helpers are found in rounds.
func (u *unit) helperRegions() {
	for range 3 {
		made := false
		for _, s := range u.sites {
			if s.to == nil || s.helped || u.generated[s.in.file] {
				continue
			}
			h := s.to.unit.helperOf(s.to)
			if h == nil || h.param >= len(s.call.Args) {
				continue
			}
			s.helped = true
			u.helperRegion(s, h)
			made = true
		}
		if !made {
			return
		}
		// A function found not to be a helper may be one by now.
		for f, h := range u.shared.helpers {
			if h == nil {
				delete(u.shared.helpers, f)
			}
		}
	}
}

// helperRegion makes the layer of one call of a helper.
func (u *unit) helperRegion(s *site, h *helper) {
	of := h.region.layer
	arg := s.call.Args[h.param]
	op, _ := u.handlerFunc(arg, s.in, 0)
	if op == nil {
		op = u.methodOfType(arg, "Run", "Do", "Execute", "Call", "Process")
	}
	l := *of
	l.Traits = append([]model.Trait(nil), of.Traits...)
	l.Refs = append([]model.Ref(nil), of.Refs...)
	l.ID = u.layerID("helper", s.in)
	l.In = s.in.name
	l.Call = u.at(s.call)
	l.At = l.Call
	l.Call = of.At
	l.Of = of.ID
	l.Whole = false
	l.Label = "retry helper " + s.to.short()
	l.SetBy = append([]model.Location{of.At}, of.SetBy...)
	u.atCallSite(&l, s, h)
	u.doneAtCall(&l, s)
	r := &region{layer: &l, in: s.in, node: s.call, body: arg, op: op}
	h.region.helped++
	u.addRegion(r)
}

// doneAtCall bounds a helper's layer by the context whose Done channel the call hands over to stop it.
func (u *unit) doneAtCall(l *model.Layer, s *site) {
	for _, a := range s.call.Args {
		c, ok := ast.Unparen(a).(*ast.CallExpr)
		if !ok {
			continue
		}
		k := u.callee(c)
		if k.sel != "Done" || k.recv == nil || !isContextLike(u.typeOf(k.recv)) {
			continue
		}
		l.Traits = append(l.Traits, model.Trait{Kind: model.TraitStopsOnContext, At: u.at(a)})
		w := &deadlineWalk{seen: map[*fn]bool{}}
		w.expr(u, s.in, k.recv, 0)
		if !w.some || w.none {
			continue
		}
		l.Traits = append(l.Traits, model.Trait{Kind: model.TraitDeadline, At: w.at, Detail: w.limit.String()})
		if w.limit.Known() && (!l.Policy.Overall.Known() || w.limit.Compare(l.Policy.Overall) < 0) {
			l.Policy.Overall, l.Policy.Budget = w.limit, model.BudgetHard
		}
		if !w.limit.Known() && l.Policy.Attempts.IsUnbounded() {
			l.Policy.Attempts = model.Count{}
		}
	}
}

// atCallSite works the numbers of a helper's layer out again with the arguments of one call.
func (u *unit) atCallSite(l *model.Layer, s *site, h *helper) {
	g := s.to
	values, exprs := map[types.Object]libs.Value{}, map[types.Object]boundExpr{}
	for o, i := range g.params {
		if i < len(s.call.Args) && !(s.call.Ellipsis.IsValid() && i == len(s.call.Args)-1) {
			values[o] = u.value(s.call.Args[i], s.in)
			exprs[o] = boundExpr{expr: s.call.Args[i], f: s.in, unit: u}
		}
		if g.variadic(i) {
			delete(values, o)
			exprs[o] = boundExpr{rest: s.call.Args[min(i, len(s.call.Args)):], f: s.in, unit: u}
		}
	}
	maps.Copy(values, u.optionFields(s, g))
	u.shared.bindings = append(u.shared.bindings, values)
	u.shared.exprs = append(u.shared.exprs, exprs)
	defer func() {
		u.shared.bindings = u.shared.bindings[:len(u.shared.bindings)-1]
		u.shared.exprs = u.shared.exprs[:len(u.shared.exprs)-1]
	}()
	u.helperNumbers(l, g, h)
}

// variadic reports whether parameter i of a function takes any number of values.
func (f *fn) variadic(i int) bool {
	if f.typ == nil || f.typ.Params == nil || i != f.typ.Params.NumFields()-1 {
		return false
	}
	_, ok := f.typ.Params.List[len(f.typ.Params.List)-1].Type.(*ast.Ellipsis)
	return ok
}

// helperNumbers works the numbers of a helper's layer out with what stands for its parameters now.
func (u *unit) helperNumbers(l *model.Layer, g *fn, h *helper) {
	r := h.region
	switch {
	case r.judged != nil:
		u.loopAtCall(l, g, r)
	case r.use != nil && r.use.call != nil:
		call, ok := r.node.(*ast.CallExpr)
		if !ok {
			return
		}
		res := libs.EvaluateCall(r.use.call, &useSite{world: u.shared.world(), u: g.unit, f: r.in, call: call})
		l.Policy, l.Refs, l.Origin = res.Policy, res.Refs, res.Origin
		l.DefaultBy, l.OffSwitch = res.DefaultBy, res.OffSwitch
		l.SetBy = append(append([]model.Location(nil), res.At...), res.SetBy...)
		l.Traits = append([]model.Trait(nil), res.Traits...)
		for i := range l.Traits {
			if l.Traits[i].At.IsZero() {
				l.Traits[i].At = l.At
			}
		}
	case h.inner != nil:
		// A helper around a helper: its own call, with its parameters standing for what this call passes.
		in := h.inner
		if to := in.to; to != nil {
			if hh := to.unit.helperOf(to); hh != nil {
				g.unit.atCallSite(l, in, hh)
			}
		}
	}
}

// loopAtCall does so for a helper's own loop.
func (u *unit) loopAtCall(l *model.Layer, g *fn, r *region) {
	fresh := &model.Layer{At: l.At, Origin: l.Origin}
	gu, f := g.unit, r.in
	gu.loopNumbers(fresh, f, r.loop, *r.judged, gu.mutatedIn(r.loop))
	if !fresh.Policy.Attempts.IsUnknown() || !l.Policy.Attempts.Known() {
		if fresh.Policy.Attempts != l.Policy.Attempts && len(fresh.SetBy) > 0 {
			l.SetBy = append(fresh.SetBy, r.layer.At)
		}
		l.Policy.Attempts = fresh.Policy.Attempts
	}
	if !vagueWaits(fresh.Policy.Backoff) || vagueWaits(l.Policy.Backoff) && fresh.Policy.Backoff.Kind != model.BackoffUnknown {
		l.Policy.Backoff = fresh.Policy.Backoff
	}
	if fresh.Policy.Overall.Known() {
		l.Policy.Overall, l.Policy.Budget = fresh.Policy.Overall, fresh.Policy.Budget
	}
	if slices.ContainsFunc(fresh.Traits, isDeadline) {
		l.Traits = slices.DeleteFunc(l.Traits, isDeadline)
		for _, t := range fresh.Traits {
			if isDeadline(t) {
				l.Traits = append(l.Traits, t)
			}
		}
	}
	l.Policy.WaitsAfterLast = fresh.Policy.WaitsAfterLast
	if len(fresh.Refs) > 0 {
		l.Refs = fresh.Refs
	}
}

func isDeadline(t model.Trait) bool { return t.Kind == model.TraitDeadline }
