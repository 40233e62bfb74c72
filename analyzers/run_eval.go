package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/retrylint/retrylint/analyzers/libs"
)

// eval is the value of an expression in a state. Calls are run for what they do: the operation under question, waits, and
// functions of the repository that wait, decide or compute.
func (m *machine) eval(e ast.Expr, st *state) abs {
	if e == nil || !m.budget() {
		return abs{}
	}
	if v, ok := m.over[e]; ok {
		return v
	}
	u := m.unit()
	if len(m.overObj) > 0 {
		if o := u.lvalue(e); o != nil {
			if v, ok := m.overObj[o]; ok {
				return v
			}
		}
	}
	if tv, ok := u.info.Type(e); ok && tv.Value != nil {
		return m.fromValue(constValue(tv.Value, tv.Type), e)
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		return m.eval(x.X, st)
	case *ast.BasicLit:
		return m.fromValue(literal(x), e)
	case *ast.Ident:
		return m.ident(x, st)
	case *ast.SelectorExpr:
		return m.selector(x, st)
	case *ast.CallExpr:
		return first(m.call(x, st, 1))
	case *ast.UnaryExpr:
		return m.unary(x, st)
	case *ast.BinaryExpr:
		return m.binary(x, st)
	case *ast.StarExpr:
		return m.eval(x.X, st)
	case *ast.IndexExpr:
		l, i := m.eval(x.X, st), m.eval(x.Index, st)
		if l.k == absList && i.k == absNum && i.lo == i.hi && int(i.hi) >= 0 && int(i.hi) < len(l.list) {
			return l.list[int(i.hi)]
		}
		if t := u.typeOf(x); t != nil && isDuration(t) {
			return abs{k: absNum, lo: 1e9, hi: 1e9, leaf: &leaf{expr: x, unknown: true}}
		}
		return abs{}
	case *ast.CompositeLit:
		v := u.value(x, m.fn())
		if v.List != nil {
			return m.fromValue(v, e)
		}
		for _, el := range x.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				m.eval(kv.Value, st)
			}
		}
		return abs{k: absObj}
	case *ast.FuncLit:
		return abs{k: absObj}
	case *ast.TypeAssertExpr:
		m.eval(x.X, st)
		return abs{}
	case *ast.SliceExpr:
		m.eval(x.X, st)
	}
	return abs{}
}

// fromValue turns what is known of an expression into an abstract value; a number that is not known gets a stand-in.
func (m *machine) fromValue(v libs.Value, e ast.Expr) abs {
	switch {
	case v.Nil:
		return abs{k: absNil}
	case v.IsBool:
		return boolean(v.Bool)
	case v.IsStr:
		return abs{k: absStr, s: v.Str}
	case v.IsInt:
		return abs{k: absNum, lo: float64(v.Hi), hi: float64(v.Hi), leaf: &leaf{expr: e, val: v}}
	case v.IsFloat:
		return abs{k: absNum, lo: v.Float, hi: v.Float, float: true, leaf: &leaf{expr: e, val: v}}
	case v.List != nil:
		out := abs{k: absList}
		for _, x := range v.List {
			out.list = append(out.list, m.fromValue(x, e))
		}
		return out
	}
	return abs{}
}

// standIn is an unknown number of which only the shape matters.
func standIn(e ast.Expr, v libs.Value, d bool) abs {
	x := 1e6
	if d {
		x = 1e9
	}
	return abs{k: absNum, lo: x, hi: x, leaf: &leaf{expr: e, val: v, unknown: true}}
}

func (m *machine) ident(x *ast.Ident, st *state) abs {
	switch x.Name {
	case "nil":
		return abs{k: absNil}
	case "true", "false":
		return boolean(x.Name == "true")
	}
	o := m.unit().object(x)
	if o == nil {
		return abs{}
	}
	if v, ok := m.overObj[o]; ok {
		return v
	}
	if v, ok := st.get(o); ok {
		return v
	}
	v := m.initial(x, o, st)
	st.set(o, v)
	return v
}

// initial is what a variable holds when the loop begins.
func (m *machine) initial(x *ast.Ident, o types.Object, st *state) abs {
	if v, ok := m.start[o]; ok {
		return v
	}
	u := m.unit()
	if len(m.frames) == 0 {
		if v, ok := m.before(o, st); ok {
			return v
		}
	}
	v := u.value(x, m.fn())
	a := m.fromValue(v, x)
	if a.k == absUnknown && isNumeric(o.Type()) {
		return standIn(x, v, isDuration(o.Type()))
	}
	return a
}

// before finds the last value that a variable gets before the loop, where the loop itself changes it.
func (m *machine) before(o types.Object, st *state) (abs, bool) {
	sets := m.u.setsOf(o)
	if len(sets) < 2 && !m.mutated[o] {
		if len(sets) == 1 {
			if c := m.madeBy(sets[0], o); c != nil {
				if t := m.timerOf(c, st); t.k == absTimer {
					return t, true
				}
			}
		}
		return abs{}, false
	}
	var last ast.Node
	for _, s := range sets {
		if s.Pos() < m.loop.stmt.Pos() {
			if _, addr := s.(*ast.UnaryExpr); !addr {
				last = s
			}
		}
	}
	if last == nil {
		return abs{}, false
	}
	if c := m.madeBy(last, o); c != nil {
		if t := m.timerOf(c, st); t.k == absTimer {
			return t, true
		}
	}
	v, ok := m.u.setValue(last, o, m.f)
	if !ok {
		return abs{}, false
	}
	a := m.fromValue(v, nil)
	if a.leaf != nil {
		a.leaf.expr = setExpr(last, o, m.u)
	}
	if a.k == absUnknown {
		if e := setExpr(last, o, m.u); e != nil && isNumeric(o.Type()) {
			return standIn(e, v, isDuration(o.Type())), true
		}
	}
	return a, true
}

// setExpr is the expression that a statement gives to o.
func setExpr(n ast.Node, o types.Object, u *unit) ast.Expr {
	switch s := n.(type) {
	case *ast.AssignStmt:
		for i, l := range s.Lhs {
			if id, ok := l.(*ast.Ident); ok && u.object(id) == o && len(s.Lhs) == len(s.Rhs) {
				return s.Rhs[i]
			}
		}
	case *ast.ValueSpec:
		for i, id := range s.Names {
			if u.object(id) == o && i < len(s.Values) {
				return s.Values[i]
			}
		}
	}
	return nil
}

func (m *machine) madeBy(n ast.Node, o types.Object) *ast.CallExpr {
	if e := setExpr(n, o, m.u); e != nil {
		c, _ := ast.Unparen(e).(*ast.CallExpr)
		return c
	}
	return nil
}

func (m *machine) selector(x *ast.SelectorExpr, st *state) abs {
	u := m.unit()
	o := u.object(x.Sel)
	if v, ok := o.(*types.Var); ok {
		if a, ok := st.get(v); ok {
			return a
		}
	}
	if x.Sel.Name == "StatusCode" || x.Sel.Name == "Status" {
		if b := m.eval(x.X, st); b.k == absResp && x.Sel.Name == "StatusCode" {
			return num(float64(b.status))
		}
	}
	if x.Sel.Name == "C" {
		if b := m.eval(x.X, st); b.k == absTimer {
			return b
		}
	}
	if id, ok := ast.Unparen(x.X).(*ast.Ident); ok {
		if _, isPkg := u.object(id).(*types.PkgName); !isPkg {
			if b, ok := st.get(u.object(id)); ok && b.k == absResp {
				return abs{}
			}
		}
	}
	if a, ok := m.fieldBefore(x, o); ok {
		st.set(o, a)
		return a
	}
	v := u.value(x, m.fn())
	a := m.fromValue(v, x)
	if a.k == absUnknown && o != nil && isNumeric(o.Type()) {
		a = standIn(x, v, isDuration(o.Type()))
	}
	return a
}

// fieldBefore is the value that a field that the loop changes is given last before it: c.tries = 0.
func (m *machine) fieldBefore(x *ast.SelectorExpr, o types.Object) (abs, bool) {
	if o == nil || !m.mutated[o] || len(m.frames) > 0 || m.f.body == nil || m.unit() != m.u {
		return abs{}, false
	}
	text := written(x)
	var last ast.Expr
	inspectOwn(m.f.body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || a.Tok != token.ASSIGN || len(a.Lhs) != len(a.Rhs) || a.End() > m.loop.stmt.Pos() {
			return true
		}
		for i, l := range a.Lhs {
			if s, ok := ast.Unparen(l).(*ast.SelectorExpr); ok && m.u.object(s.Sel) == o && written(s) == text {
				last = a.Rhs[i]
			}
		}
		return true
	})
	if last == nil {
		return abs{}, false
	}
	a := m.fromValue(m.u.value(last, m.f), last)
	return a, a.k == absNum
}

func (m *machine) unary(x *ast.UnaryExpr, st *state) abs {
	if x.Op == token.ARROW {
		if t := m.eval(x.X, st); t.k == absTimer && t.d != nil {
			st.wait(*t.d)
			return abs{k: absObj}
		}
		if !m.interrupts(x, st) {
			st.wait(abs{}) // some wait: a ticker made elsewhere, a signal
		}
		return abs{}
	}
	v := m.eval(x.X, st)
	switch x.Op {
	case token.NOT:
		if v.k == absBool {
			return boolean(!v.b)
		}
		return abs{why: v.why}
	case token.SUB:
		if v.k == absNum {
			v.lo, v.hi = -v.hi, -v.lo
			return v
		}
	case token.AND:
		if v.k == absUnknown {
			return abs{k: absObj}
		}
		return v
	}
	return abs{}
}

func (m *machine) binary(x *ast.BinaryExpr, st *state) abs {
	switch x.Op {
	case token.LAND:
		a := m.eval(x.X, st)
		if a.k == absBool && !a.b {
			return a
		}
		b := m.eval(x.Y, st)
		if b.k == absBool && !b.b {
			return b
		}
		if a.k == absBool && b.k == absBool {
			return boolean(true)
		}
		if a.k == absBool {
			return abs{why: b.why}
		}
		if a.why == boundNone {
			a.why = b.why
		}
		return abs{why: a.why}
	case token.LOR:
		a := m.eval(x.X, st)
		if a.k == absBool && a.b {
			return a
		}
		return or(a, m.eval(x.Y, st))
	}
	a, b := m.eval(x.X, st), m.eval(x.Y, st)
	switch x.Op {
	case token.EQL:
		return m.test(x, a, b, m.same(x, a, b))
	case token.NEQ:
		v := m.same(x, a, b)
		if v.k == absBool {
			v.b = !v.b
		}
		return m.test(x, a, b, v)
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		return m.test(x, a, b, m.ordered(x.Op, a, b))
	}
	return arith(x.Op, a, b)
}

// same compares two values; an error that no test asks for is none of those it is compared with.
func (m *machine) same(x *ast.BinaryExpr, a, b abs) abs {
	v := m.equal(a, b)
	if v.k == absBool || !m.common || a.k != absErr && b.k != absErr {
		return v
	}
	other := x.Y
	if b.k == absErr && a.k != absErr {
		other = x.X
	}
	m.asked = append(m.asked, types.ExprString(other))
	return boolean(false)
}

// test marks comparisons of counters and clocks that cannot be decided: they are limits, not outcomes.
func (m *machine) test(x *ast.BinaryExpr, a, b, v abs) abs {
	if v.k == absBool {
		return v
	}
	if a.k == absClock || b.k == absClock {
		return abs{why: boundTime}
	}
	if m.counts(x.X) || m.counts(x.Y) {
		return abs{why: boundCount}
	}
	return v
}

// counts reports whether an expression takes in a number that the loop changes.
func (m *machine) counts(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o := m.unit().object(id); o != nil && m.mutated[o] && isInteger(o.Type()) {
				found = true
			}
		}
		return !found
	})
	return found
}

func (m *machine) assign(s *ast.AssignStmt, st *state) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
			op := token.Token(int(s.Tok) - int(token.ADD_ASSIGN) + int(token.ADD))
			m.set(s.Lhs[0], arith(op, m.eval(s.Lhs[0], st), m.eval(s.Rhs[0], st)), st)
		}
		return
	}
	if x, ok := ast.Unparen(s.Rhs[0]).(*ast.TypeAssertExpr); ok && m.common && len(s.Lhs) == 2 && x.Type != nil && m.eval(x.X, st).k == absErr {
		// Is it this error? No: the one at hand is none that the code asks for.
		m.asked = append(m.asked, types.ExprString(x.Type))
		m.set(s.Lhs[0], abs{}, st)
		m.set(s.Lhs[1], boolean(false), st)
		return
	}
	if len(s.Rhs) == 1 && len(s.Lhs) > 1 {
		vs := m.evalMulti(s.Rhs[0], st, len(s.Lhs))
		for i, l := range s.Lhs {
			v := abs{}
			if i < len(vs) {
				v = vs[i]
			}
			if v.k == absUnknown {
				v = m.byName(l, s.Rhs[0], v)
			}
			m.set(l, v, st)
		}
		return
	}
	vs := make([]abs, len(s.Rhs))
	for i, r := range s.Rhs {
		vs[i] = m.eval(r, st)
	}
	for i, l := range s.Lhs {
		if i < len(vs) {
			v := vs[i]
			if v.k == absUnknown {
				v = m.byName(l, s.Rhs[i], v)
			}
			m.set(l, v, st)
		}
	}
}

// byName takes the name of the variable for evidence where the callee has no type: err is an error.
func (m *machine) byName(l, r ast.Expr, v abs) abs {
	c, ok := ast.Unparen(r).(*ast.CallExpr)
	if !ok {
		return v
	}
	id, ok := l.(*ast.Ident)
	if !ok || !strings.HasPrefix(strings.ToLower(id.Name), "err") && !strings.HasSuffix(id.Name, "Err") {
		return v
	}
	if t := m.unit().typeOf(c); t != nil {
		return v
	}
	return m.errResult(c)
}

// errResult is the error that a call gives under the assumption.
func (m *machine) errResult(c *ast.CallExpr) abs {
	if m.isOp(c) && m.scene == opFails {
		return abs{k: absErr}
	}
	return abs{k: absNil}
}

// isOp reports whether a call is the operation or merely wraps its result.
func (m *machine) isOp(c *ast.CallExpr) bool { return c == m.op }

func (m *machine) set(l ast.Expr, v abs, st *state) {
	u := m.unit()
	switch x := ast.Unparen(l).(type) {
	case *ast.Ident:
		if o := u.object(x); o != nil && x.Name != "_" {
			st.set(o, v)
		}
	case *ast.SelectorExpr:
		if o := u.object(x.Sel); o != nil {
			st.set(o, v)
		}
	case *ast.StarExpr:
		m.set(x.X, v, st)
	}
}

func (m *machine) incDec(s *ast.IncDecStmt, st *state) {
	op := token.ADD
	if s.Tok == token.DEC {
		op = token.SUB
	}
	m.set(s.X, arith(op, m.eval(s.X, st), num(1)), st)
}

func (m *machine) declare(s *ast.DeclStmt, st *state) {
	g, ok := s.Decl.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR {
		return
	}
	for _, spec := range g.Specs {
		v := spec.(*ast.ValueSpec)
		var vs []abs
		if len(v.Values) == 1 && len(v.Names) > 1 {
			vs = m.evalMulti(v.Values[0], st, len(v.Names))
		} else {
			for _, e := range v.Values {
				vs = append(vs, m.eval(e, st))
			}
		}
		for i, id := range v.Names {
			o := m.unit().object(id)
			if o == nil {
				continue
			}
			if i < len(vs) {
				st.set(o, vs[i])
			} else {
				st.set(o, m.fromValue(zeroValue(o.Type()), id))
			}
		}
	}
}

// evalMulti is the values of an expression that gives several.
func (m *machine) evalMulti(e ast.Expr, st *state, n int) []abs {
	if c, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		return m.call(c, st, n)
	}
	return []abs{m.eval(e, st)}
}
