package analyzers

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
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
	if tv, ok := m.u.info.Types[e]; ok && tv.Value != nil {
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

// call evaluates a call: the operation, a function of the package, or one whose meaning is known.
func (m *sim) call(c *ast.CallExpr, n int, st *simState) []simResult {
	k := m.u.callee(c)
	if k.conv {
		if len(c.Args) == 1 {
			return m.eval(c.Args[0], st)
		}
		return simOne(simValue{}, st)
	}
	// Arguments first: they may hold the operation, or be values that the callee looks at.
	live := []simResult{{st: st}}
	for _, a := range c.Args {
		var next []simResult
		for _, r := range live {
			if r.st.flow != flowNext {
				next = append(next, r)
				continue
			}
			if t := m.u.typeOf(a); t != nil && isContextType(t) {
				v := simValue{kind: simContext}
				if m.outlives(a, r.st) {
					v.n = 1
				}
				r.vals = append(r.vals, v)
				next = append(next, r)
				continue
			}
			if _, lit := ast.Unparen(a).(*ast.FuncLit); lit {
				r.vals = append(r.vals, simValue{})
				next = append(next, r)
				continue
			}
			for _, x := range m.evalAll(a, 0, r.st) {
				vals := append(slices.Clone(r.vals), x.vals...)
				if len(x.vals) == 0 {
					vals = append(vals, simValue{})
				}
				next = append(next, simResult{vals: vals, st: x.st})
			}
		}
		live = next
		if len(live) > simStates {
			m.broken = true
			return nil
		}
	}
	var out []simResult
	for _, r := range live {
		if r.st.flow != flowNext {
			out = append(out, r)
			continue
		}
		out = append(out, m.called(c, k, n, r.vals, r.st)...)
	}
	return out
}

// called is the outcome of a call whose arguments are known.
func (m *sim) called(c *ast.CallExpr, k callee, n int, args []simValue, st *simState) []simResult {
	if rs, ok := m.known(c, k, args, st); ok {
		return rs
	}
	f := m.target(c, k)
	if m.isOperation(c, k, f) {
		return m.operate(c, k, n, st)
	}
	if f != nil {
		if rs, ok := m.enter(f, args, m.receiver(k, f, st)); ok {
			return rs
		}
		if c == m.r.opCall {
			return m.operate(c, k, n, st)
		}
	}
	return m.foreign(c, k, n, args, st)
}

// target is the function with a body that a call runs: of this package, of another one of the repository, or a closure in
// a variable that is set once.
func (m *sim) target(c *ast.CallExpr, k callee) *fn {
	f := k.to
	if f == nil && k.obj != nil {
		f = m.u.byObj[k.obj]
	}
	if f == nil {
		if s := m.u.byCall[c]; s != nil {
			f = s.to
		}
	}
	if f == nil || f.body == nil || f.unit == nil {
		return nil
	}
	return f
}

// receiver gives a method's receiver the value that it is called on, where that is an error or what is made of one, so that
// err.Temporary() reads the fields that the error was made with.
func (m *sim) receiver(k callee, f *fn, st *simState) *simState {
	if k.recv == nil || f.decl == nil || f.decl.Recv == nil || len(f.decl.Recv.List) == 0 || len(f.decl.Recv.List[0].Names) == 0 {
		return st
	}
	id := f.decl.Recv.List[0].Names[0]
	o := f.unit.info.Defs[id]
	if o == nil || !m.isErr(o.Type()) {
		return st
	}
	for _, r := range m.eval(k.recv, st) {
		if v := r.val(); r.st.flow == flowNext && (v.kind == simError || v.kind == simStruct) {
			r.st.set(o, v)
			return r.st
		}
		break
	}
	delete(st.env, o)
	return st
}

// enter runs a function of the repository.
func (m *sim) enter(f *fn, args []simValue, st *simState) ([]simResult, bool) {
	if m.depth >= simDepth || slices.Contains(m.stack, f.body) {
		return nil, false
	}
	home := m.u
	m.u = f.unit
	m.depth++
	m.stack = append(m.stack, f.body)
	m.results = append(m.results, f.typ.Results)
	defer func() {
		m.u = home
		m.depth--
		m.stack = m.stack[:len(m.stack)-1]
		m.results = m.results[:len(m.results)-1]
	}()
	i := 0
	if f.typ.Params != nil {
		for _, p := range f.typ.Params.List {
			for _, id := range p.Names {
				if o := m.u.info.Defs[id]; o != nil {
					if i < len(args) {
						st.env[o] = args[i]
					} else {
						delete(st.env, o)
					}
				}
				i++
			}
			if len(p.Names) == 0 {
				i++
			}
		}
	}
	if f.typ.Results != nil {
		for _, p := range f.typ.Results.List {
			for _, id := range p.Names {
				if o := m.u.info.Defs[id]; o != nil {
					st.env[o] = zeroSim(o.Type())
				}
			}
		}
	}
	var out []simResult
	for _, x := range m.block(f.body.List, []*simState{st}) {
		switch x.flow {
		case flowReturn:
			vals := x.ret
			x.flow, x.ret = flowNext, nil
			out = append(out, simResult{vals: vals, st: x})
		case flowNext:
			out = append(out, simResult{st: x})
		case flowBreak, flowContinue:
			x.flow, x.label = flowNext, ""
			out = append(out, simResult{st: x})
		default:
			out = append(out, simResult{st: x})
		}
	}
	if len(out) > simStates {
		m.broken = true
		return nil, true
	}
	return out, true
}

// isOperation reports whether the call is what the layer repeats: something that leaves the process, or of which nothing
// more is known than that it may fail. f is the function that it runs, where that can be read.
func (m *sim) isOperation(c *ast.CallExpr, k callee, f *fn) bool {
	if f != nil {
		return false
	}
	if returnsResponse(m.u, c) || c == m.r.opCall {
		return true
	}
	s := m.u.byCall[c]
	return s != nil && s.edge != nil && m.u.canFail(c, k) // not cancel functions, hooks, spans
}

// returnsResponse reports whether a call gives an HTTP response.
func returnsResponse(u *unit, c *ast.CallExpr) bool {
	t := u.typeOf(c)
	if tuple, ok := t.(*types.Tuple); ok {
		if tuple.Len() == 0 {
			return false
		}
		t = tuple.At(0).Type()
	}
	return answers(t)
}

// answers reports whether a type is an HTTP response, or the like of a client library: something named Response with a
// status code.
func answers(t types.Type) bool {
	if t == nil {
		return false
	}
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	if n.Obj().Pkg().Path() == "net/http" {
		return n.Obj().Name() == "Response"
	}
	if !strings.HasSuffix(n.Obj().Name(), "Response") {
		return false
	}
	o, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), true, n.Obj().Pkg(), "StatusCode")
	return o != nil
}

// operate runs the operation once more.
func (m *sim) operate(c *ast.CallExpr, k callee, n int, st *simState) []simResult {
	m.ops[c] = true
	again := slices.Contains(st.ops, c)
	st.ops = append(st.ops[:len(st.ops):len(st.ops)], c)
	if again {
		st.flow = flowAgain
		m.again = append(m.again, st)
		return []simResult{{st: st}}
	}
	count := n
	if t, ok := m.u.typeOf(c).(*types.Tuple); ok {
		count = t.Len()
	} else if t := m.u.typeOf(c); t != nil {
		count = 1
	}
	count = max(count, 1)
	vals := make([]simValue, count)
	for i := range vals {
		vals[i].far = true
	}
	last := count - 1
	fails := simValue{kind: simError, opaque: true, far: true}
	if m.ans.context && m.takesContext(c, st) {
		fails = simValue{kind: simError, far: true, marks: []any{markCancelled}}
	}
	if returnsResponse(m.u, c) {
		if m.ans.status > 0 {
			vals[0] = simValue{kind: simResponse, far: true}
			if last > 0 {
				vals[last] = simValue{kind: simNil}
			}
		} else {
			vals[0] = simValue{kind: simNil}
			if last > 0 {
				vals[last] = fails
			}
		}
		return []simResult{{vals: vals, st: st}}
	}
	vals[last] = fails
	return []simResult{{vals: vals, st: st}}
}

// takesContext reports whether the operation knows the context that outlives the attempt: by an argument, or in the
// request that it sends.
func (m *sim) takesContext(c *ast.CallExpr, st *simState) bool {
	for _, a := range c.Args {
		switch t := m.u.typeOf(a); {
		case t == nil:
		case isContextType(t):
			if m.outlives(a, st) {
				return true
			}
		case strings.HasSuffix(t.String(), ".Request"):
			if ctx := m.u.requestContext(a, 0); ctx != nil {
				return m.outlives(ctx, st)
			} else if m.u.isParam(a) {
				return true
			}
		}
	}
	return false
}

// foreign is a call of which nothing is known. What prepares or reads (parsing, encoding, reading a body) succeeds; the
// result of anything else is open, and depends on the far side where an argument does.
func (m *sim) foreign(c *ast.CallExpr, k callee, n int, args []simValue, st *simState) []simResult {
	far := false
	for _, a := range args {
		far = far || a.far || a.kind == simError
	}
	if k.recv != nil {
		for _, r := range m.eval(k.recv, st) {
			far = far || r.val().far || r.val().kind == simError
			st = r.st
			break
		}
	}
	count := n
	t := m.u.typeOf(c)
	if tuple, ok := t.(*types.Tuple); ok {
		count = tuple.Len()
	}
	count = max(count, 1)
	vals := make([]simValue, count)
	for i := range vals {
		vals[i].far = far
	}
	lastType := t
	if tuple, ok := t.(*types.Tuple); ok && tuple.Len() > 0 {
		lastType = tuple.At(tuple.Len() - 1).Type()
	}
	if isErrorType(lastType) {
		vals[count-1] = simValue{far: far}
		if prepares(k) {
			vals[count-1] = simValue{kind: simNil}
		}
	}
	return []simResult{{vals: vals, st: st}}
}

// prepares reports whether a function only prepares or reads what is at hand, so that its failure is not the far side's.
func prepares(k callee) bool {
	pkg := k.pkg
	switch {
	case strings.HasPrefix(pkg, "encoding/"), isWord(pkg, "io", "io/ioutil", "bytes", "strings", "strconv", "net/url", "bufio", "time", "fmt", "errors", "compress/gzip", "context"):
		return true
	case pkg == "net/http":
		return strings.HasPrefix(k.sel, "NewRequest") || isWord(k.sel, "ParseTime", "GetBody", "Close")
	case strings.HasSuffix(pkg, "go-retryablehttp"):
		return strings.HasPrefix(k.sel, "NewRequest") || k.sel == "FromRequest"
	}
	return isWord(k.sel, "Close", "Marshal", "Unmarshal", "Decode", "Encode", "GetBody")
}
