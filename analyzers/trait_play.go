package analyzers

import (
	"go/ast"
	"go/types"
)

// play runs one answer through the region.
func (u *unit) play(r *region, style opStyle, a answer) outcomeOf {
	m := &sim{u: u, r: r, ans: a, named: map[int64]bool{}, ops: map[*ast.CallExpr]bool{}}
	var out outcomeOf
	if style == styleLoop {
		out = m.loop()
	} else {
		out = m.handed(style)
	}
	out.looked, out.named, out.ran, out.ops = m.looked, m.named, len(m.ops) > 0, m.ops
	if a.context {
		out.looked = nil
		for c := range m.ops {
			st := &simState{env: map[types.Object]simValue{}}
			if m.takesContext(c, st) {
				out.looked = c
			}
		}
	}
	if m.broken {
		return outcomeOf{maybe: true, ran: out.ran}
	}
	return out
}

// loop runs the body of a loop twice.
func (m *sim) loop() outcomeOf {
	var body *ast.BlockStmt
	var cond ast.Expr
	label := ""
	switch n := m.r.node.(type) {
	case *ast.ForStmt:
		body, cond = n.Body, n.Cond
	case *ast.RangeStmt:
		body = n.Body
	case *ast.LabeledStmt:
		body, _ = m.r.body.(*ast.BlockStmt)
	case *ast.BlockStmt:
		body = n
	}
	if body == nil {
		return outcomeOf{}
	}
	if l, ok := m.u.parent(m.r.node).(*ast.LabeledStmt); ok {
		label = l.Label.Name
	}
	if f := m.r.in; f != nil && f.typ != nil {
		m.results = append(m.results, f.typ.Results)
	}
	st := &simState{env: map[types.Object]simValue{}, sure: true}
	m.counter(st)
	live := []*simState{st}
	for range 3 { // the third round is for loops whose first one only prepares
		var next []*simState
		for _, x := range m.guard(cond, live) {
			for _, y := range m.block(body.List, []*simState{x}) {
				if y.flow == flowContinue && (y.label == "" || y.label == label) {
					y.flow, y.label = flowNext, ""
				}
				if y.flow == flowNext {
					m.count(y)
					next = append(next, y)
				}
			}
		}
		live = m.prune(next)
		if m.broken || len(live) == 0 {
			break
		}
	}
	return m.sum()
}

// guard keeps the states in which the loop's condition may hold.
func (m *sim) guard(cond ast.Expr, live []*simState) []*simState {
	if cond == nil {
		return live
	}
	var out []*simState
	for _, x := range live {
		sure := x.sure
		yes, _, _ := m.branch(cond, x)
		for _, y := range yes {
			if !m.aboutAnswer(cond) {
				y.sure = sure
			}
		}
		out = append(out, yes...)
	}
	return out
}

// aboutAnswer reports whether a loop's own condition looks at an error or answer, not only at counters and clocks.
func (m *sim) aboutAnswer(cond ast.Expr) bool {
	found := false
	ast.Inspect(cond, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			if t := m.u.typeOf(e); isErrorType(t) || answers(t) {
				found = true
			}
		}
		return !found
	})
	return found
}

// counter gives the attempt counter its first value.
func (m *sim) counter(st *simState) {
	first := func(o types.Object, e ast.Expr) {
		v := m.u.value(e, m.r.in)
		if v.IsInt && (v.Lo == v.Hi || v.Lo == 0 && v.Hi == 0) {
			st.set(o, simValue{kind: simInt, n: v.Int, counter: true})
		}
	}
	if o := m.r.counter; o != nil {
		if e, _ := m.u.lastValue(o, m.r.node.Pos()); e != nil {
			first(o, e)
		}
	}
	switch n := m.r.node.(type) {
	case *ast.RangeStmt:
		if id, ok := n.Key.(*ast.Ident); ok {
			st.set(m.u.object(id), simValue{kind: simInt, counter: true})
		}
	case *ast.ForStmt:
		if a, ok := n.Init.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			for i, l := range a.Lhs {
				if id, ok := l.(*ast.Ident); ok {
					first(m.u.object(id), a.Rhs[i])
				}
			}
		}
	}
}

// count moves the counter on after a round.
func (m *sim) count(st *simState) {
	switch n := m.r.node.(type) {
	case *ast.RangeStmt:
		if id, ok := n.Key.(*ast.Ident); ok {
			if o := m.u.object(id); o != nil {
				v := st.env[o]
				v.n++
				st.env[o] = v
			}
		}
	case *ast.ForStmt:
		if n.Post != nil {
			m.stmt(n.Post, st)
		}
	}
}

// sum says what the ways came to.
func (m *sim) sum() outcomeOf {
	var out outcomeOf
	for _, st := range m.again {
		if st.sure {
			if !out.again || out.cond == nil {
				out.cond = st.cond
			}
			out.again = true
		} else {
			out.maybe = true
		}
	}
	return out
}

// handed runs an operation that was handed to a library once, and reads its results as the library does.
func (m *sim) handed(style opStyle) outcomeOf {
	f := m.u.opBody(m.r)
	if f == nil {
		return outcomeOf{}
	}
	st := &simState{env: map[types.Object]simValue{}, sure: true}
	rs, ok := m.enter(f, nil, st)
	if !ok {
		return outcomeOf{}
	}
	for _, r := range rs {
		if r.st.flow != flowNext || len(r.st.ops) == 0 {
			continue
		}
		err, flag := simValue{kind: simNil}, simValue{}
		for _, v := range r.vals {
			switch {
			case v.kind == simBool:
				flag = v
			default:
				err = v
			}
		}
		if len(r.vals) > 0 && resultsError(f) {
			err = r.vals[len(r.vals)-1]
		}
		if len(r.vals) > 0 && style == styleDone {
			flag = r.vals[0]
		}
		again, known := read(style, flag, err)
		if c, ok := m.r.node.(*ast.CallExpr); ok && again && known {
			if p := m.u.retryIf(c); p != nil {
				m.asked(p, err, r.st)
				continue
			}
		}
		if !known {
			r.st.sure = false
		}
		if again || !known {
			m.again = append(m.again, r.st)
		}
	}
	return m.sum()
}

// asked runs the predicate that decides about an error, and notes the ways on which it wants another attempt.
func (m *sim) asked(p *fn, err simValue, st *simState) {
	rs, ok := m.enter(p, []simValue{err}, st)
	if !ok {
		st.sure = false
		m.again = append(m.again, st)
		return
	}
	for _, r := range rs {
		if r.st.flow != flowNext {
			continue
		}
		if v := r.val(); v.kind != simBool {
			r.st.sure = false
		} else if v.n == 0 {
			continue
		}
		m.again = append(m.again, r.st)
	}
}

// resultsError reports whether a function's last result is an error.
func resultsError(f *fn) bool {
	if f.typ.Results == nil || len(f.typ.Results.List) == 0 {
		return false
	}
	last := f.typ.Results.List[len(f.typ.Results.List)-1]
	return isErrorType(f.unit.typeOf(last.Type))
}

// read says whether results lead to another attempt.
func read(style opStyle, flag, err simValue) (again, known bool) {
	isNil, open := err.kind == simNil, err.kind == simUnknown || err.kind == simError && err.opaque && style == styleMarked
	switch style {
	case styleDone:
		if err.kind == simUnknown || flag.kind != simBool {
			return false, false
		}
		return isNil && flag.n == 0, true
	case styleRetry:
		if flag.kind != simBool {
			return false, false
		}
		return flag.n == 1, true
	case styleMarked:
		if open {
			return false, false
		}
		return err.has(markRetryable), true
	}
	if open {
		return false, false
	}
	if err.kind == simError && err.opaque && err.has(markPermanent) {
		return false, true
	}
	return !isNil && !err.has(markPermanent), true
}
