package analyzers

import (
	"go/ast"
	"go/types"
	"math"
	"slices"
)

// The machine below runs the body of a loop on what is known of its values, under an assumption about one operation: that
// it fails each time, that it answers with a status, or that it succeeds. Where a condition cannot be decided both
// branches are run, and the one that suits the question is kept: can the loop go on, can it be left? The same run counts
// the attempts and collects the waits, so the many ways to write "i < n" or "delay *= 2" need no patterns of their own.

// machine is one run.
type machine struct {
	u       *unit
	f       *fn
	loop    *loop
	op      *ast.CallExpr
	also    *ast.CallExpr // a call that fares as the operation does; nil: none
	scene   scenario
	status  int
	leave   bool // prefer to leave the loop; otherwise prefer to stay
	over    map[ast.Expr]abs
	overObj map[types.Object]abs // the same, wherever the constant, variable or field stands
	start   map[types.Object]abs // overrides of initial values
	mutated map[types.Object]bool
	steps   int
	depth   int // of functions run inside
	gaveUp  bool
	frames  []*fn
	// common says that the operation failed with an error that no test of the code asks for; asked are those tests' names.
	common bool
	asked  []string
}

const maxSteps = 6000

func (m *machine) budget() bool {
	m.steps++
	if m.steps > maxSteps {
		m.gaveUp = true
		return false
	}
	return true
}

// fn is the function whose statements are being run.
func (m *machine) fn() *fn {
	if n := len(m.frames); n > 0 {
		return m.frames[n-1]
	}
	return m.f
}

// unit is the package whose statements are being run.
func (m *machine) unit() *unit {
	if f := m.fn(); f != nil && f.unit != nil {
		return f.unit
	}
	return m.u
}

// better reports whether a suits the question better than b.
func (m *machine) better(a, b outcome) bool {
	ra, rb := m.rank(a), m.rank(b)
	if ra != rb {
		return ra > rb
	}
	if len(m.frames) > 0 && a.ctl == ctlReturn && b.ctl == ctlReturn {
		return knownAbs(first(a.st.ret)) && !knownAbs(first(b.st.ret))
	}
	if a.st.ops != b.st.ops {
		return a.st.ops > b.st.ops
	}
	return a.st.waitCount() > b.st.waitCount()
}

func (m *machine) rank(o outcome) int {
	r := 1
	switch o.ctl {
	case ctlNext, ctlContinue:
		r = 2
	case ctlLeave:
		r = 0
	}
	if m.leave {
		r = 2 - r
	}
	return r
}

// list runs statements one after the other.
func (m *machine) list(list []ast.Stmt, st *state) outcome {
	for i, s := range list {
		if !m.budget() {
			return outcome{ctl: ctlFall, st: st}
		}
		outs := m.stmt(s, st)
		if len(outs) == 1 {
			if outs[0].ctl != ctlFall {
				return outs[0]
			}
			st = outs[0].st
			continue
		}
		// Several ways: run each to its end, keep the one that suits.
		var best outcome
		open := false
		for j, o := range outs {
			if o.ctl == ctlFall {
				o = m.list(list[i+1:], o.st)
			}
			if j > 0 && len(m.frames) > 0 && disagree(o, best) {
				open = true
			}
			if j == 0 || m.better(o, best) {
				best = o
			}
		}
		if open {
			// Both answers are possible: strings.Contains(err.Error(), "busy").
			best.st.ret = slices.Clone(best.st.ret)
			best.st.ret[0] = abs{}
		}
		return best
	}
	return outcome{ctl: ctlFall, st: st}
}

// disagree reports whether two ways out of a function give different truths.
func disagree(a, b outcome) bool {
	if a.ctl != ctlReturn || b.ctl != ctlReturn {
		return false
	}
	x, y := first(a.st.ret), first(b.st.ret)
	return x.k == absBool && (y.k != absBool || x.b != y.b) || y.k == absBool && x.k != absBool
}

func fall(st *state) []outcome { return []outcome{{ctl: ctlFall, st: st}} }

// round runs the body once, then the post statement; the outcome is ctlNext or ctlLeave.
func (m *machine) round(st *state) outcome {
	o := m.list(m.loop.body.List, st)
	switch {
	case o.ctl == ctlFall && m.loop.again != nil:
		o.ctl = ctlLeave // the function ends
	case o.ctl == ctlFall, o.ctl == ctlNext, o.ctl == ctlContinue && o.label == "":
		o.ctl = ctlNext
		if _, ok := m.loop.stmt.(*ast.LabeledStmt); ok && o.ctl != ctlNext {
			o.ctl = ctlLeave
		}
	default:
		o.ctl = ctlLeave
	}
	if o.ctl == ctlNext {
		if s, ok := m.loop.stmt.(*ast.ForStmt); ok && s.Post != nil {
			o.st = m.stmt(s.Post, o.st)[0].st
		}
	}
	return o
}

// enter is the state before the first round.
func (m *machine) enter() *state {
	st := &state{}
	if s := m.loop.again; s != nil {
		for _, o := range s.params {
			e := s.first[o]
			if e == nil || !isNumeric(o.Type()) {
				continue
			}
			v, ok := m.start[o]
			if !ok {
				v, ok = m.over[e]
			}
			if !ok {
				v = m.fromValue(m.u.value(e, s.caller), e)
			}
			st.set(o, v)
		}
	}
	if s, ok := m.loop.stmt.(*ast.ForStmt); ok && s.Init != nil {
		st = m.stmt(s.Init, st)[0].st
		for i := range st.vars {
			if v, ok := m.start[st.vars[i].obj]; ok {
				st.vars[i].val = v
			}
		}
	}
	return st
}

// again says whether another round begins.
func (m *machine) again(st *state, round int) bool {
	switch s := m.loop.stmt.(type) {
	case *ast.ForStmt:
		if s.Cond == nil {
			return true
		}
		c := m.eval(s.Cond, st)
		return c.k != absBool || c.b
	case *ast.RangeStmt:
		n := m.rangeCount(s, st)
		if n >= 0 && float64(round) >= n {
			return false
		}
		if id, ok := s.Key.(*ast.Ident); ok {
			if o := m.u.object(id); o != nil {
				st.set(o, num(float64(round)))
			}
		}
		if id, ok := s.Value.(*ast.Ident); ok {
			if o := m.u.object(id); o != nil {
				x := m.eval(s.X, st)
				v := abs{}
				if round < len(x.list) {
					v = x.list[round]
				} else if isDuration(o.Type()) {
					v = abs{k: absNum, lo: 1e9, hi: 1e9, leaf: &leaf{expr: s.X, unknown: true}}
				}
				st.set(o, v)
			}
		}
	}
	return true
}

// rangeCount is how many rounds a range statement makes, -1 where that is not known.
func (m *machine) rangeCount(s *ast.RangeStmt, st *state) float64 {
	if v, ok := m.over[s.X]; ok {
		return v.hi
	}
	x := m.eval(s.X, st)
	switch {
	case x.k == absNum && !(x.leaf != nil && x.leaf.unknown):
		return x.hi
	case x.k == absList:
		return float64(len(x.list))
	}
	return -1
}

// all runs rounds until the loop is left, at most limit of them; left is false where it was not.
func (m *machine) all(limit int) (st *state, left bool) {
	st = m.enter()
	for i := 0; i < limit; i++ {
		if !m.again(st, i) {
			return st, true
		}
		o := m.round(st)
		st = o.st
		if o.ctl == ctlLeave {
			return st, true
		}
		if m.gaveUp {
			return st, false
		}
	}
	return st, !m.again(st, limit)
}

func huge(x float64) bool { return math.Abs(x) > 1e18 }
