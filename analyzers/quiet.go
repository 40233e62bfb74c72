package analyzers

import (
	"go/ast"
	"go/types"
)

// endsLayers notes the loops around a call that its failure leaves: they repeat it because something else in them failed.
func (u *unit) endsLayers(s *site) {
	for _, r := range s.under {
		if r.in != s.in || r.judged == nil || r.loop == nil || r.layer == nil || r.opCall == nil || r.opCall == s.call || contains(s.call, r.opCall) {
			continue
		}
		mutated := u.mutatedIn(r.loop)
		next, leave, gave, _ := u.once(r.in, r.loop, s.call, mutated, opFails, 0)
		if !next && !leave && !gave {
			// It comes only after the loop's own operation failed.
			next, leave, gave, _ = u.onceWith(r.in, r.loop, s.call, r.opCall, mutated, opFails, 0)
		}
		if next || gave || !leave {
			continue
		}
		for _, e := range s.edges {
			e.Ends = append(e.Ends, r.layer.ID)
		}
	}
	for _, r := range u.regions {
		if r.op != s.in || r.layer == nil || r.loop != nil {
			continue
		}
		if !u.saidPermanent(s.call) {
			return
		}
		for _, e := range s.edges {
			e.Ends = append(e.Ends, r.layer.ID)
		}
	}
}

// saidPermanent reports whether the error of a call is given back as one that must not be tried again, right after the call:
// if err != nil { return backoff.Permanent(err) }.
func (u *unit) saidPermanent(c *ast.CallExpr) bool {
	a, ok := u.parent(c).(*ast.AssignStmt)
	if !ok || len(a.Rhs) != 1 {
		return false
	}
	id, ok := a.Lhs[len(a.Lhs)-1].(*ast.Ident)
	if !ok {
		return false
	}
	err := u.object(id)
	check, _ := u.parent(a).(*ast.IfStmt) // if err := f(); err != nil
	if b, ok := u.parent(a).(*ast.BlockStmt); ok {
		for i, st := range b.List[:len(b.List)-1] {
			if st == ast.Stmt(a) {
				check, _ = b.List[i+1].(*ast.IfStmt)
			}
		}
	}
	if err == nil || !isErrorType(err.Type()) || check == nil || len(check.Body.List) == 0 || !u.mentions(check.Cond, map[types.Object]bool{err: true}) {
		return false
	}
	r, ok := check.Body.List[len(check.Body.List)-1].(*ast.ReturnStmt)
	if !ok || len(r.Results) == 0 {
		return false
	}
	given, ok := ast.Unparen(r.Results[len(r.Results)-1]).(*ast.CallExpr)
	return ok && isWord(u.callee(given).sel, "Permanent", "Unrecoverable", "NonRetryable", "NonRetriable", "NewNonRetryableApplicationError", "MarkUnretryable")
}

// quiet reports whether a call does not tell of a failure: it gives nothing back, or nobody looks at what it gives, and it is
// handed nothing in which it could leave word.
func (u *unit) quiet(s *site) bool {
	if s.spawn {
		return false // that is another matter: it is not waited for either
	}
	switch p := u.parent(s.call).(type) {
	case *ast.ExprStmt:
	case *ast.AssignStmt:
		for _, l := range p.Lhs {
			if id, ok := l.(*ast.Ident); !ok || id.Name != "_" {
				return false
			}
		}
	default:
		return false
	}
	k := u.callee(s.call)
	if k.fun == nil {
		return false
	}
	if s.to != nil {
		return s.to.lit == nil && !s.to.leavesWord()
	}
	sig, ok := k.fun.Type().(*types.Signature)
	if !ok {
		return false
	}
	for p := range sig.Params().Variables() {
		t := p.Type()
		if l, ok := t.(*types.Slice); ok {
			t = l.Elem()
		}
		switch x := t.Underlying().(type) {
		case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
			return false
		case *types.Interface:
			if x.NumMethods() > 0 && !isErrorType(t) && !isContextLike(t) {
				return false
			}
		}
	}
	return true
}

// leavesWord reports whether a function may tell of a failure other than by what it gives back: it panics, sends on a channel,
// or writes an error into a field or a variable of others.
func (f *fn) leavesWord() bool {
	if f.body == nil {
		return true
	}
	found := false
	v := f.unit
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.SendStmt:
			found = true
		case *ast.CallExpr:
			if id, ok := x.Fun.(*ast.Ident); ok && id.Name == "panic" {
				found = true
			}
		case *ast.AssignStmt:
			for _, l := range x.Lhs {
				switch l := ast.Unparen(l).(type) {
				case *ast.SelectorExpr, *ast.StarExpr, *ast.IndexExpr:
					found = found || isErrorType(v.typeOf(l))
				case *ast.Ident:
					if o := v.object(l); o != nil && isErrorType(o.Type()) && (o.Pos() < f.node().Pos() || o.Pos() > f.node().End()) {
						found = true
					}
				}
			}
		}
		return !found
	})
	return found
}

// mute reports whether a function that is handed to another has no way to tell that other of a failure.
func (f *fn) mute() bool {
	return f.typ != nil && f.typ.Results == nil && !f.leavesWord()
}

// leftAlone reports whether a call runs what it is handed by itself, and nothing here waits for how that ends: a group's Go
// without its Wait, time.AfterFunc.
func (u *unit) leftAlone(s *site, k callee) bool {
	switch {
	case k.name == "time.AfterFunc":
		return true
	case k.sel != "Go" && k.sel != "TryGo" || k.recv == nil:
		return false
	}
	top := s.in
	for top.parent != nil {
		top = top.parent
	}
	of := exprText(k.recv)
	for _, f := range append([]*fn{top}, u.closuresIn(top)...) {
		for _, c := range f.calls {
			if w := u.callee(c.expr); w.recv != nil && w.sel == "Wait" && exprText(w.recv) == of {
				return false
			}
		}
	}
	return true
}

// closuresIn lists the closures within a function.
func (u *unit) closuresIn(f *fn) []*fn {
	var out []*fn
	for _, g := range u.fns {
		if g != f && u.inside(g, f) {
			out = append(out, g)
		}
	}
	return out
}
