package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
)

func (m *sim) ifStmt(s *ast.IfStmt, st *simState) []*simState {
	live := []*simState{st}
	if s.Init != nil {
		live = m.stmt(s.Init, st)
	}
	var out []*simState
	for _, x := range live {
		if x.flow != flowNext {
			out = append(out, x)
			continue
		}
		sure := x.sure
		yes, no, gone := m.branch(s.Cond, x)
		out = append(out, gone...)
		if sure && m.idle(s) {
			// Whatever is chosen here decides about waits and logs only.
			for _, y := range append(yes[:len(yes):len(yes)], no...) {
				y.sure = true
			}
		}
		if yes != nil {
			out = append(out, m.block(s.Body.List, yes)...)
		}
		switch {
		case no == nil:
		case s.Else != nil:
			for _, y := range no {
				out = append(out, m.stmt(s.Else, y)...)
			}
		default:
			out = append(out, no...)
		}
	}
	return out
}

// idle reports whether neither way of an if statement leaves it, or sets an error or a truth value that may decide later.
func (m *sim) idle(s *ast.IfStmt) bool {
	idle := true
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt, *ast.BranchStmt:
			idle = false
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				t := m.u.typeOf(l)
				b, ok := t.(*types.Basic)
				if t == nil || isErrorType(t) || ok && b.Info()&types.IsBoolean != 0 {
					idle = false
				}
			}
		}
		return idle
	}
	ast.Inspect(s.Body, look)
	if s.Else != nil {
		ast.Inspect(s.Else, look)
	}
	return idle
}

// branch splits a state by a condition; gone are states that left while the condition was evaluated.
func (m *sim) branch(cond ast.Expr, st *simState) (yes, no, gone []*simState) {
	for _, r := range m.eval(cond, st) {
		if r.st.flow != flowNext {
			gone = append(gone, r.st)
			continue
		}
		v := r.val()
		if v.kind == simBool {
			if v.status {
				r.st.cond = cond
			}
			if v.n != 0 {
				yes = append(yes, r.st)
			} else {
				no = append(no, r.st)
			}
			continue
		}
		a, b := r.st, r.st.clone()
		if v.far {
			a.sure, b.sure = false, false
		}
		m.refine(cond, a, true)
		m.refine(cond, b, false)
		yes, no = append(yes, a), append(no, b)
	}
	return yes, no, gone
}

// refine notes what an undecided condition says about a variable that it compares with nil.
func (m *sim) refine(cond ast.Expr, st *simState, holds bool) {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok || b.Op != token.EQL && b.Op != token.NEQ {
		return
	}
	id, ok := ast.Unparen(b.X).(*ast.Ident)
	if !ok || !isNilExpr(b.Y) {
		return
	}
	o := m.u.object(id)
	if o == nil {
		return
	}
	v := st.env[o]
	if (b.Op == token.EQL) == holds {
		v = simValue{kind: simNil, far: v.far}
	} else if isErrorType(o.Type()) {
		v = simValue{kind: simError, opaque: true, far: v.far}
	}
	st.set(o, v)
}

func (m *sim) switchStmt(s *ast.SwitchStmt, st *simState) []*simState {
	live := []*simState{st}
	if s.Init != nil {
		live = m.stmt(s.Init, st)
	}
	var out []*simState
	for _, x := range live {
		if x.flow != flowNext {
			out = append(out, x)
			continue
		}
		var deflt *ast.CaseClause
		rest := []*simState{x}
		for _, c := range s.Body.List {
			cc, ok := c.(*ast.CaseClause)
			if !ok {
				continue
			}
			if cc.List == nil {
				deflt = cc
				continue
			}
			for _, e := range cc.List {
				var cond ast.Expr = e
				if s.Tag != nil {
					cond = &ast.BinaryExpr{X: s.Tag, Op: token.EQL, Y: e}
				}
				var left []*simState
				for _, y := range rest {
					yes, no, gone := m.branch(cond, y)
					out = append(out, gone...)
					for _, z := range yes {
						if z.cond == cond {
							z.cond = e
						}
					}
					out = append(out, m.clause(cc.Body, yes)...)
					left = append(left, no...)
				}
				rest = left
			}
		}
		if deflt != nil {
			out = append(out, m.clause(deflt.Body, rest)...)
		} else {
			out = append(out, rest...)
		}
	}
	return out
}

// clause runs the body of a case; an unlabelled break ends the switch only.
func (m *sim) clause(body []ast.Stmt, in []*simState) []*simState {
	if len(in) == 0 {
		return nil
	}
	out := m.block(body, in)
	for _, x := range out {
		if x.flow == flowBreak && x.label == "" {
			x.flow = flowNext
		}
	}
	return out
}

func (m *sim) typeSwitch(s *ast.TypeSwitchStmt, st *simState) []*simState {
	var out []*simState
	hasDefault := false
	for _, c := range s.Body.List {
		cc, ok := c.(*ast.CaseClause)
		if !ok {
			continue
		}
		hasDefault = hasDefault || cc.List == nil
		x := st.clone()
		x.sure = false
		out = append(out, m.clause(cc.Body, []*simState{x})...)
	}
	if !hasDefault {
		st.sure = false
		out = append(out, st)
	}
	return out
}

func (m *sim) selectStmt(s *ast.SelectStmt, st *simState) []*simState {
	var done, others []*ast.CommClause
	for _, c := range s.Body.List {
		cc, ok := c.(*ast.CommClause)
		if !ok {
			continue
		}
		if cc.Comm != nil && m.waitsForContext(cc.Comm, st) {
			done = append(done, cc)
		} else {
			others = append(others, cc)
		}
	}
	take := others
	if m.ans.context && len(st.ops) > 0 && len(done) > 0 {
		take = done
	}
	if len(take) == 0 {
		return []*simState{st}
	}
	var out []*simState
	for _, cc := range take {
		x := st.clone()
		live := []*simState{x}
		if cc.Comm != nil && !m.waitsForContext(cc.Comm, st) {
			live = m.stmt(cc.Comm, x)
		}
		var going []*simState
		for _, y := range live {
			if y.flow == flowNext {
				going = append(going, y)
			} else {
				out = append(out, y)
			}
		}
		out = append(out, m.clause(cc.Body, going)...)
	}
	return m.prune(out)
}

// waitsForContext reports whether a select's clause is <-ctx.Done() of a context that outlives the attempt, or a receive
// from a stop channel.
func (m *sim) waitsForContext(s ast.Stmt, st *simState) bool {
	var e ast.Expr
	switch s := s.(type) {
	case *ast.ExprStmt:
		e = s.X
	case *ast.AssignStmt:
		if len(s.Rhs) == 1 {
			e = s.Rhs[0]
		}
	}
	x, ok := ast.Unparen(e).(*ast.UnaryExpr)
	if !ok || x.Op != token.ARROW {
		return false
	}
	if c, ok := ast.Unparen(x.X).(*ast.CallExpr); ok {
		sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
		if ok && sel.Sel.Name == "Done" && len(c.Args) == 0 && m.u.typeOf(sel.X) != nil && isContextType(m.u.typeOf(sel.X)) {
			return m.outlives(sel.X, st)
		}
	}
	return m.u.isStop(x.X, m.r)
}

// isStop reports whether an expression is a channel that only says that something is over: of empty structs, and made
// outside of the region.
func (u *unit) isStop(e ast.Expr, r *region) bool {
	t := u.typeOf(e)
	if t == nil {
		return false
	}
	c, ok := t.Underlying().(*types.Chan)
	if !ok {
		return false
	}
	if s, ok := c.Elem().Underlying().(*types.Struct); !ok || s.NumFields() > 0 {
		return false
	}
	v := rootVar(u, e)
	return v == nil || !r.within(posNode(v.Pos()))
}

// innerLoop takes a loop within the attempt as run once or not at all.
func (m *sim) innerLoop(s ast.Stmt, init ast.Stmt, cond ast.Expr, body *ast.BlockStmt, st *simState) []*simState {
	live := []*simState{st}
	if init != nil {
		live = m.stmt(init, st)
	}
	var out []*simState
	for _, x := range live {
		if x.flow != flowNext {
			out = append(out, x)
			continue
		}
		var yes []*simState
		if cond == nil {
			_, endless := s.(*ast.ForStmt)
			yes = []*simState{x}
			if !endless {
				out = append(out, x.clone())
			}
		} else {
			var no, gone []*simState
			yes, no, gone = m.branch(cond, x)
			out = append(append(out, no...), gone...)
		}
		for _, y := range m.block(body.List, yes) {
			switch {
			case y.flow == flowBreak && y.label == "", y.flow == flowContinue && y.label == "":
				y.flow = flowNext
			}
			out = append(out, y)
		}
	}
	return m.prune(out)
}

func (m *sim) returns(s *ast.ReturnStmt, st *simState) []*simState {
	if len(s.Results) == 0 {
		st.flow = flowReturn
		if n := len(m.results); n > 0 && m.results[n-1] != nil {
			st.ret = nil
			for _, f := range m.results[n-1].List {
				for _, id := range f.Names {
					st.ret = append(st.ret, st.env[m.u.object(id)])
				}
			}
		}
		return []*simState{st}
	}
	if len(s.Results) == 1 {
		out := m.evalAll(s.Results[0], 0, st)
		for _, r := range out {
			if r.st.flow == flowNext {
				r.st.flow, r.st.ret = flowReturn, r.vals
			}
		}
		return statesOf(out)
	}
	live := []simResult{{st: st}}
	for _, e := range s.Results {
		var next []simResult
		for _, r := range live {
			if r.st.flow != flowNext {
				next = append(next, r)
				continue
			}
			for _, x := range m.eval(e, r.st) {
				next = append(next, simResult{st: x.st, vals: append(append([]simValue(nil), r.vals...), x.val())})
			}
		}
		live = next
	}
	for _, r := range live {
		if r.st.flow == flowNext {
			r.st.flow, r.st.ret = flowReturn, r.vals
		}
	}
	return statesOf(live)
}
