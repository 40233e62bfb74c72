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
