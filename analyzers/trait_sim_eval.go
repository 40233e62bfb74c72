package analyzers

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// simResult is one way in which an expression comes out.
type simResult struct {
	vals []simValue
	st   *simState
}

func (r simResult) val() simValue {
	if len(r.vals) == 0 {
		return simValue{}
	}
	return r.vals[0]
}

func simOne(v simValue, st *simState) []simResult { return []simResult{{vals: []simValue{v}, st: st}} }

// eval evaluates an expression with one value.
func (m *sim) eval(e ast.Expr, st *simState) []simResult { return m.evalAll(e, 1, st) }

// evalAll evaluates an expression with n values (0: as many as it has).
func (m *sim) evalAll(e ast.Expr, n int, st *simState) []simResult {
	if !m.step() {
		return nil
	}
	if tv, ok := m.u.info.Type(e); ok && tv.Value != nil {
		return simOne(m.constant(e, tv.Value, st), st)
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return m.evalAll(e.X, n, st)
	case *ast.Ident:
		return simOne(m.ident(e, st), st)
	case *ast.SelectorExpr:
		return m.selector(e, st)
	case *ast.CallExpr:
		return m.call(e, n, st)
	case *ast.UnaryExpr:
		return m.unary(e, st)
	case *ast.StarExpr:
		return m.eval(e.X, st)
	case *ast.BinaryExpr:
		return m.binary(e, st)
	case *ast.CompositeLit:
		return m.composite(e, st)
	case *ast.TypeAssertExpr:
		out := m.eval(e.X, st)
		for i := range out {
			v := out[i].val()
			out[i].vals = []simValue{{far: v.far || v.kind == simError}}
			if n == 2 {
				ok := simValue{far: v.far || v.kind == simError}
				if v.kind == simError && v.typ != nil && m.u.typeOf(e.Type) != nil {
					same := types.Identical(v.typ, m.u.typeOf(e.Type))
					if same {
						out[i].vals[0] = v
					}
					ok = simOf(same)
				}
				out[i].vals = append(out[i].vals, ok)
			}
		}
		return out
	case *ast.IndexExpr:
		return m.far(e.X, e.Index, st)
	case *ast.SliceExpr:
		return m.far(e.X, nil, st)
	}
	return simOne(simValue{}, st)
}

// far is a value of which only is known whether it comes from the far side.
func (m *sim) far(x, y ast.Expr, st *simState) []simResult {
	out := m.eval(x, st)
	for i := range out {
		v := simValue{far: out[i].val().far}
		if y != nil && out[i].st.flow == flowNext {
			for _, r := range m.eval(y, out[i].st) {
				v.far = v.far || r.val().far
				break
			}
		}
		out[i].vals = []simValue{v}
	}
	return out
}

func (m *sim) constant(e ast.Expr, c constant.Value, st *simState) simValue {
	switch c.Kind() {
	case constant.Int:
		if n, ok := constant.Int64Val(c); ok {
			if n >= 400 && n < 600 {
				m.named[n] = true
			}
			return simValue{kind: simInt, n: n}
		}
	case constant.Bool:
		return simOf(constant.BoolVal(c))
	}
	return simValue{}
}

func (m *sim) ident(e *ast.Ident, st *simState) simValue {
	switch e.Name {
	case "nil":
		return simValue{kind: simNil}
	case "true":
		return simOf(true)
	case "false":
		return simOf(false)
	}
	o := m.u.object(e)
	if o == nil {
		return simValue{}
	}
	if v, ok := st.env[o]; ok {
		return v
	}
	return m.sentinel(o)
}

// sentinel is a package-level error.
func (m *sim) sentinel(o types.Object) simValue {
	v, ok := o.(*types.Var)
	if !ok || v.Pkg() == nil || v.Parent() != v.Pkg().Scope() {
		return simValue{}
	}
	if isErrorType(v.Type()) {
		return simValue{kind: simError, marks: []any{o}}
	}
	return simValue{}
}

func (m *sim) selector(e *ast.SelectorExpr, st *simState) []simResult {
	if id, ok := ast.Unparen(e.X).(*ast.Ident); ok {
		if _, isPkg := m.u.object(id).(*types.PkgName); isPkg {
			if o := m.u.object(e.Sel); o != nil {
				return simOne(m.sentinel(o), st)
			}
			if strings.HasPrefix(e.Sel.Name, "Err") {
				return simOne(simValue{kind: simError, marks: []any{id.Name + "." + e.Sel.Name}}, st)
			}
			return simOne(simValue{}, st)
		}
	}
	out := m.eval(e.X, st)
	for i := range out {
		if out[i].st.flow != flowNext {
			continue
		}
		base := out[i].val()
		v := simValue{far: base.far}
		switch {
		case base.kind == simResponse && isWord(e.Sel.Name, "StatusCode", "Code", "HTTPStatusCode", "StatusInt"):
			v = simValue{kind: simInt, n: m.ans.status, far: true, status: true}
			m.look(e, out[i].st)
		case base.fields != nil:
			if f, ok := base.fields[e.Sel.Name]; ok {
				v = f
			} else {
				v = simValue{}
			}
		default:
			if o := m.u.object(e.Sel); o != nil && base.kind != simResponse {
				if w, ok := out[i].st.env[o]; ok {
					v = w
				}
			}
		}
		out[i].vals = []simValue{v}
	}
	return out
}

// look notes that the status of the answer is at hand.
func (m *sim) look(e ast.Node, st *simState) {
	st.seen = true
	if m.looked == nil {
		m.looked = e
	}
}

func (m *sim) unary(e *ast.UnaryExpr, st *simState) []simResult {
	if e.Op == token.ARROW {
		// A receive outside of a select; waiting for a context that is over ends at once.
		return simOne(simValue{}, st)
	}
	out := m.eval(e.X, st)
	for i := range out {
		v := out[i].val()
		switch {
		case e.Op == token.AND:
		case e.Op == token.NOT && v.kind == simBool:
			v.n = 1 - v.n
		case e.Op == token.SUB && v.kind == simInt:
			v.n = -v.n
		default:
			v = simValue{far: v.far}
		}
		out[i].vals = []simValue{v}
	}
	return out
}

func (m *sim) binary(e *ast.BinaryExpr, st *simState) []simResult {
	var out []simResult
	for _, l := range m.eval(e.X, st) {
		if l.st.flow != flowNext {
			out = append(out, l)
			continue
		}
		x := l.val()
		if e.Op == token.LAND || e.Op == token.LOR {
			out = append(out, m.logic(e, x, l.st)...)
			continue
		}
		for _, r := range m.eval(e.Y, l.st) {
			if r.st.flow == flowNext {
				r.vals = []simValue{simApply(e.Op, x, r.val())}
			}
			out = append(out, r)
		}
	}
	return out
}

// logic evaluates && and ||, the right side only where the left one does not decide.
func (m *sim) logic(e *ast.BinaryExpr, x simValue, st *simState) []simResult {
	stop := int64(0) // the value of the left side that decides
	if e.Op == token.LOR {
		stop = 1
	}
	if x.kind == simBool && x.n == stop {
		return simOne(x, st)
	}
	left := st
	if x.kind != simBool {
		left = st.clone()
		m.refine(e.X, left, e.Op == token.LAND)
	}
	out := m.eval(e.Y, left)
	for i := range out {
		if out[i].st.flow != flowNext {
			continue
		}
		y := out[i].val()
		switch {
		case x.kind == simBool:
			y.far, y.status = y.far || x.far, y.status || x.status
		case y.kind == simBool && y.n == stop:
		default:
			y = simValue{far: x.far || y.far}
		}
		out[i].vals = []simValue{y}
		if x.kind != simBool && y.kind != simBool {
			// What the right side refined holds on one way only.
			out[i].st = m.forget(out[i].st, st)
		}
	}
	return out
}

// forget takes the values of variables back to what they were where only the refinement changed them.
func (m *sim) forget(st, before *simState) *simState {
	for o, v := range before.env {
		if w := st.env[o]; w.kind != v.kind {
			st.env[o] = v
		}
	}
	return st
}

// apply computes x op y as far as it is known.
func simApply(op token.Token, x, y simValue) simValue {
	far := x.far || y.far
	nilness := func(v simValue) (isNil, known bool) {
		switch v.kind {
		case simNil:
			return true, true
		case simError, simResponse, simStruct:
			return false, true
		}
		return false, false
	}
	if x.counter && y.kind == simUnknown && !y.far || y.counter && x.kind == simUnknown && !x.far {
		switch op {
		case token.EQL:
			return simOf(false)
		case token.NEQ:
			return simOf(true)
		case token.LSS, token.LEQ:
			return simOf(x.counter)
		case token.GTR, token.GEQ:
			return simOf(y.counter)
		}
	}
	switch op {
	case token.EQL, token.NEQ:
		eq, known := false, false
		switch {
		case x.kind == simInt && y.kind == simInt, x.kind == simBool && y.kind == simBool:
			eq, known = x.n == y.n, true
		case x.kind == simNil || y.kind == simNil:
			a, ok1 := nilness(x)
			b, ok2 := nilness(y)
			eq, known = a == b, ok1 && ok2
		case x.kind == simError && y.kind == simError:
			if len(y.marks) == 1 && !x.opaque {
				eq, known = x.has(y.marks[0]), true
			} else if len(x.marks) == 1 && !y.opaque && !x.opaque {
				eq, known = y.has(x.marks[0]), true
			}
			far = true
		}
		if !known {
			return simValue{far: far}
		}
		v := simOf(eq == (op == token.EQL))
		v.far, v.status = far, x.status || y.status
		return v
	}
	if x.kind != simInt || y.kind != simInt {
		return simValue{far: far}
	}
	v := simValue{kind: simInt, far: far, status: x.status || y.status, counter: x.counter || y.counter}
	cmp := func(b bool) simValue {
		r := simOf(b)
		r.far, r.status = far, v.status
		return r
	}
	switch op {
	case token.LSS:
		return cmp(x.n < y.n)
	case token.LEQ:
		return cmp(x.n <= y.n)
	case token.GTR:
		return cmp(x.n > y.n)
	case token.GEQ:
		return cmp(x.n >= y.n)
	case token.ADD:
		v.n = x.n + y.n
	case token.SUB:
		v.n = x.n - y.n
	case token.MUL:
		v.n = x.n * y.n
	case token.QUO:
		if y.n == 0 {
			return simValue{far: far}
		}
		v.n = x.n / y.n
	case token.REM:
		if y.n == 0 {
			return simValue{far: far}
		}
		v.n = x.n % y.n
	default:
		return simValue{far: far}
	}
	return v
}

func (m *sim) composite(e *ast.CompositeLit, st *simState) []simResult {
	v := simValue{kind: simStruct, typ: m.u.typeOf(e)}
	if permanentType(e.Type) {
		return simOne(simValue{kind: simError, far: true, marks: []any{markPermanent}}, st)
	}
	if v.typ != nil {
		if _, ok := v.typ.Underlying().(*types.Struct); !ok {
			return simOne(simValue{}, st)
		}
	}
	v.fields = map[string]simValue{}
	for i, el := range e.Elts {
		name, x := "", el
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				name, x = id.Name, kv.Value
			}
		} else if v.typ != nil {
			if s, ok := v.typ.Underlying().(*types.Struct); ok && i < s.NumFields() {
				name = s.Field(i).Name()
			}
		}
		rs := m.eval(x, st)
		if len(rs) != 1 {
			continue
		}
		st = rs[0].st
		if st.flow != flowNext {
			return rs
		}
		f := rs[0].val()
		v.fields[name] = f
		if f.kind == simError {
			v.marks = append(v.marks, f.marks...)
			v.opaque = v.opaque || f.opaque
		}
	}
	if m.isErr(v.typ) {
		v.kind = simError
	}
	return simOne(v, st)
}

// permanentType knows error types by which libraries and helpers mark what must not be repeated.
func permanentType(t ast.Expr) bool {
	name := ""
	switch t := t.(type) {
	case *ast.Ident:
		name = t.Name
	case *ast.SelectorExpr:
		name = t.Sel.Name
	}
	name = strings.ToLower(name)
	for _, w := range []string{"permanent", "nonretryable", "nonretriable", "unrecoverable", "unretryable", "terminalerror"} {
		if strings.HasPrefix(name, w) {
			return true
		}
	}
	return false
}

// isErr reports whether values of a type, or pointers to them, are errors.
func (m *sim) isErr(t types.Type) bool {
	if t == nil {
		return false
	}
	e, _ := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	return types.Implements(t, e) || types.Implements(types.NewPointer(t), e)
}
