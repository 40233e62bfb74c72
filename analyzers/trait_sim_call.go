package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

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
	o := f.unit.info.Def(id)
	if o == nil || !m.isErr(o.Type()) {
		return st
	}
	if rs := m.eval(k.recv, st); len(rs) > 0 {
		if v := rs[0].val(); rs[0].st.flow == flowNext && (v.kind == simError || v.kind == simStruct) {
			rs[0].st.set(o, v)
			return rs[0].st
		}
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
				if o := m.u.info.Def(id); o != nil {
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
				if o := m.u.info.Def(id); o != nil {
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
