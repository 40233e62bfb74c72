package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
)

// A simulation plays one answer of the far side through the code of a layer, twice, and sees whether the operation runs a
// second time. It works on syntax with whatever types there are: what it cannot decide it takes both ways, and it
// remembers whether such a choice depended on the answer, because then something it cannot read filters answers.

// answer is what the far side does in each attempt.
type answer struct {
	status  int64 // of the response; 0: the operation fails with an error
	context bool  // the error is that of a context that is over
}

// Values of the simulation.
type simKind uint8

const (
	simUnknown simKind = iota
	simNil
	simError // an error that is not nil
	simResponse
	simInt
	simBool
	simStruct
	simContext // n is 1 where the context outlives the attempt, so that its end ends every further attempt
)

// simValue is what is known of a value.
type simValue struct {
	kind simKind
	n    int64 // of simInt and simBool
	// far: the value comes from the far side, so a condition on it filters answers.
	far bool
	// status: it follows from the answer's status.
	status bool
	// counter: it counts the attempts. A limit that is not known is taken to be far away.
	counter bool
	// opaque: an error of which nobody knows what it is; otherwise it is what marks and fields say.
	opaque bool
	marks  []any // sentinel objects and the words below
	typ    types.Type
	fields map[string]simValue
}

// Marks of errors that are no objects.
const (
	markPermanent = "permanent"
	markRetryable = "retryable"
	markCancelled = "cancelled"
)

func (v simValue) has(mark any) bool {
	for _, m := range v.marks {
		if m == mark {
			return true
		}
	}
	return false
}

func simOf(b bool) simValue {
	if b {
		return simValue{kind: simBool, n: 1}
	}
	return simValue{kind: simBool}
}

// flow is how a statement is left.
type flow uint8

const (
	flowNext flow = iota
	flowBreak
	flowContinue
	flowReturn
	flowEnd   // the process or test ends, or the path is given up as an end
	flowAgain // the operation ran a second time
)

// simState is one way through the code.
type simState struct {
	env   map[types.Object]simValue
	flow  flow
	label string
	ret   []simValue
	sure  bool            // no choice on the way depended on the answer without being decided
	ops   []*ast.CallExpr // operations that ran, in order
	cond  ast.Node        // the last decided condition on the answer's status
	seen  bool            // the status was looked at
}

func (s *simState) clone() *simState {
	c := *s
	c.env = maps.Clone(s.env)
	return &c
}

func (s *simState) set(o types.Object, v simValue) {
	if o != nil {
		s.env[o] = v
	}
}

// sim is one simulation.
type sim struct {
	u       *unit
	r       *region
	ans     answer
	steps   int
	depth   int
	broken  bool // given up: too many ways
	stack   []*ast.BlockStmt
	results []*ast.FieldList // of the functions that are being run
	again   []*simState
	named   map[int64]bool         // statuses that the code names
	ops     map[*ast.CallExpr]bool // operations that ran
	looked  ast.Node               // a place where the status is looked at
}

const (
	simSteps  = 20000
	simStates = 48
	simDepth  = 5
)

func (m *sim) step() bool {
	m.steps++
	if m.steps > simSteps {
		m.broken = true
	}
	return !m.broken
}

// block runs statements one after the other.
func (m *sim) block(list []ast.Stmt, in []*simState) []*simState {
	live, out := in, []*simState(nil)
	for _, s := range list {
		var next []*simState
		for _, st := range live {
			for _, x := range m.stmt(s, st) {
				if x.flow == flowNext {
					next = append(next, x)
				} else {
					out = append(out, x)
				}
			}
		}
		live = m.prune(next)
		if len(live) == 0 || m.broken {
			break
		}
	}
	return append(out, live...)
}

// prune keeps the number of ways bounded; of states that differ in nothing that matters one is enough.
func (m *sim) prune(list []*simState) []*simState {
	if len(list) > simStates {
		m.broken = true
		return nil
	}
	return list
}

func (m *sim) stmt(s ast.Stmt, st *simState) []*simState {
	if !m.step() {
		return nil
	}
	switch s := s.(type) {
	case *ast.BlockStmt:
		return m.block(s.List, []*simState{st})
	case *ast.ExprStmt:
		return statesOf(m.eval(s.X, st))
	case *ast.AssignStmt:
		return m.assign(s, st)
	case *ast.DeclStmt:
		return m.declare(s, st)
	case *ast.IncDecStmt:
		if id, ok := s.X.(*ast.Ident); ok {
			if o := m.u.object(id); o != nil {
				v := st.env[o]
				if v.kind == simInt {
					v.n++
					if s.Tok == token.DEC {
						v.n -= 2
					}
				}
				st.set(o, v)
			}
		}
		return []*simState{st}
	case *ast.IfStmt:
		return m.ifStmt(s, st)
	case *ast.SwitchStmt:
		return m.switchStmt(s, st)
	case *ast.TypeSwitchStmt:
		return m.typeSwitch(s, st)
	case *ast.SelectStmt:
		return m.selectStmt(s, st)
	case *ast.ForStmt:
		return m.innerLoop(s, s.Init, s.Cond, s.Body, st)
	case *ast.RangeStmt:
		return m.innerLoop(s, nil, nil, s.Body, st)
	case *ast.LabeledStmt:
		out := m.stmt(s.Stmt, st)
		for _, x := range out {
			if x.flow == flowBreak && x.label == s.Label.Name {
				x.flow, x.label = flowNext, ""
			}
		}
		return out
	case *ast.ReturnStmt:
		return m.returns(s, st)
	case *ast.BranchStmt:
		switch s.Tok {
		case token.BREAK:
			st.flow = flowBreak
		case token.CONTINUE:
			st.flow = flowContinue
		case token.GOTO:
			m.broken = true
			return nil
		default:
			return []*simState{st} // fallthrough is rare enough to be taken for the end of the clause
		}
		if s.Label != nil {
			st.label = s.Label.Name
		}
		return []*simState{st}
	}
	return []*simState{st}
}

func statesOf(rs []simResult) []*simState {
	out := make([]*simState, 0, len(rs))
	for _, r := range rs {
		out = append(out, r.st)
	}
	return out
}

func (m *sim) assign(s *ast.AssignStmt, st *simState) []*simState {
	store := func(st *simState, l ast.Expr, v simValue) {
		switch l := ast.Unparen(l).(type) {
		case *ast.Ident:
			st.set(m.u.object(l), v)
		case *ast.SelectorExpr:
			if v.kind != simUnknown {
				st.set(m.u.object(l.Sel), v) // fields are told apart by name only, which is enough for one attempt
			} else if o := m.u.object(l.Sel); o != nil {
				delete(st.env, o)
			}
		}
	}
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		out := m.eval(s.Rhs[0], st)
		for _, r := range out {
			store(r.st, s.Lhs[0], simValue{})
		}
		return statesOf(out)
	}
	if len(s.Rhs) == 1 && len(s.Lhs) > 1 {
		out := m.evalAll(s.Rhs[0], len(s.Lhs), st)
		for _, r := range out {
			if r.st.flow != flowNext {
				continue
			}
			for i, l := range s.Lhs {
				v := simValue{}
				if i < len(r.vals) {
					v = r.vals[i]
				}
				store(r.st, l, v)
			}
		}
		return statesOf(out)
	}
	live := []simResult{{st: st}}
	for _, e := range s.Rhs {
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
		if r.st.flow != flowNext {
			continue
		}
		for i, l := range s.Lhs {
			if i < len(r.vals) {
				store(r.st, l, r.vals[i])
			}
		}
	}
	return statesOf(live)
}

func (m *sim) declare(s *ast.DeclStmt, st *simState) []*simState {
	g, ok := s.Decl.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR {
		return []*simState{st}
	}
	live := []*simState{st}
	for _, spec := range g.Specs {
		vs, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		if len(vs.Values) == 0 {
			for _, x := range live {
				for _, id := range vs.Names {
					x.set(m.u.object(id), zeroSim(m.u.typeOf(id)))
				}
			}
			continue
		}
		lhs := make([]ast.Expr, len(vs.Names))
		for i, id := range vs.Names {
			lhs[i] = id
		}
		var next []*simState
		for _, x := range live {
			if x.flow != flowNext {
				next = append(next, x)
				continue
			}
			next = append(next, m.assign(&ast.AssignStmt{Lhs: lhs, Tok: token.DEFINE, Rhs: vs.Values}, x)...)
		}
		live = next
	}
	return live
}

// zeroSim is the zero value of a type.
func zeroSim(t types.Type) simValue {
	if t == nil {
		return simValue{}
	}
	switch x := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case x.Info()&types.IsInteger != 0:
			return simValue{kind: simInt}
		case x.Info()&types.IsBoolean != 0:
			return simValue{kind: simBool}
		}
	case *types.Interface, *types.Pointer, *types.Slice, *types.Map, *types.Signature, *types.Chan:
		return simValue{kind: simNil}
	}
	return simValue{}
}

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
					cond = &ast.BinaryExpr{X: s.Tag, OpPos: e.Pos(), Op: token.EQL, Y: e}
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
