package analyzers

import (
	"go/ast"
	"go/types"
	"math"
	"strings"
)

// call runs a call: n is how many results are wanted.
func (m *machine) call(c *ast.CallExpr, st *state, n int) []abs {
	u := m.unit()
	k := u.callee(c)
	if k.conv {
		return []abs{m.convert(c, k, st)}
	}
	if m.isOp(c) {
		for _, a := range c.Args {
			m.eval(a, st)
		}
		st.ops++
		return m.results(c, k, st, n, true)
	}
	if c == m.also && c != nil {
		return m.results(c, k, st, n, true)
	}
	if d, ok := m.waitCall(c, k, st); ok {
		st.wait(d)
		return m.results(c, k, st, n, false)
	}
	if v, ok := m.known(c, k, st); ok {
		return []abs{v}
	}
	// The receiver and the arguments may hold the operation: db.Exec(...).Error, check(send()).
	wraps := st.ops
	if k.recv != nil {
		if r := m.eval(k.recv, st); st.ops > wraps && isWord(k.sel, "Error", "Err", "Result", "Wait", "Get", "Int", "Int64", "Bool", "Text", "Val") {
			return m.results(c, k, st, n, true)
		} else if r.k == absErr && k.sel == "Error" {
			return []abs{{k: absStr}}
		} else if r.k == absToken {
			return m.results(c, k, st, n, true)
		}
	}
	args := make([]abs, len(c.Args))
	for i, a := range c.Args {
		args[i] = m.eval(a, st)
	}
	if st.ops > wraps {
		return m.results(c, k, st, n, true)
	}
	if g := m.inside(c, k); g != nil {
		if r, ok := m.runFn(g, args, st, n); ok {
			return r
		}
	}
	if v, ok := m.predicate(c, k, args); ok {
		return []abs{v}
	}
	return m.results(c, k, st, n, false)
}

// results are the values that a call gives: those of the operation under the assumption, errors of all others nil.
func (m *machine) results(c *ast.CallExpr, k callee, st *state, n int, op bool) []abs {
	var ts []types.Type
	switch t := m.unit().typeOf(c).(type) {
	case nil:
	case *types.Tuple:
		for i := range t.Len() {
			ts = append(ts, t.At(i).Type())
		}
	default:
		ts = append(ts, t)
	}
	out := make([]abs, max(n, len(ts)))
	for i := range out {
		var t types.Type
		if i < len(ts) {
			t = ts[i]
		}
		out[i] = m.result(t, k, op, len(out))
	}
	if len(ts) == 0 && n > 1 {
		// No types: the last result is an error by convention.
		out[n-1] = abs{k: absNil}
		if op && m.scene == opFails {
			out[n-1] = abs{k: absErr}
		}
		if op && m.scene != opFails {
			out[0] = m.answer()
		}
	} else if len(ts) == 0 && op {
		out[0] = abs{k: absNil}
		if m.scene == opFails {
			out[0] = abs{k: absErr}
		}
	}
	return out
}

func (m *machine) answer() abs {
	a := abs{k: absResp, status: 200}
	if m.scene == opStatus {
		a.status = m.status
	}
	return a
}

func (m *machine) result(t types.Type, k callee, op bool, n int) abs {
	switch {
	case t == nil:
		return abs{}
	case isErrorType(t):
		if op && m.scene == opFails {
			return abs{k: absErr}
		}
		return abs{k: absNil}
	case op && tellsOfError(t):
		return abs{k: absToken}
	case isResponse(t):
		if op && m.scene == opFails {
			return abs{k: absNil}
		}
		if op {
			return m.answer()
		}
		return abs{k: absResp, status: 200}
	}
	switch x := t.Underlying().(type) {
	case *types.Basic:
		if op && n == 1 && x.Info()&types.IsBoolean != 0 {
			return boolean(m.scene != opFails)
		}
		if op && n == 1 && x.Info()&types.IsInteger != 0 && m.scene != opFails && strings.Contains(strings.ToLower(k.sel), "status") {
			return num(float64(m.answer().status))
		}
	case *types.Pointer, *types.Map, *types.Slice, *types.Interface, *types.Signature, *types.Chan:
		if op && m.scene == opFails {
			return abs{k: absNil}
		}
		if _, ok := x.(*types.Pointer); ok {
			return abs{k: absObj}
		}
	}
	return abs{}
}

// tellsOfError reports whether a value has a method that gives the error of what it stands for.
func tellsOfError(t types.Type) bool {
	for _, name := range [...]string{"Error", "Err"} {
		o, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
		f, ok := o.(*types.Func)
		if !ok {
			continue
		}
		if sig := f.Type().(*types.Signature); sig.Params().Len() == 0 && sig.Results().Len() == 1 && isErrorType(sig.Results().At(0).Type()) {
			return true
		}
	}
	return false
}

func isErrorType(t types.Type) bool {
	if t == nil {
		return false
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Pkg() == nil && n.Obj().Name() == "error"
	}
	return false
}

func isResponse(t types.Type) bool {
	s := namedText(t)
	return s == "net/http.(*Response)" || strings.HasSuffix(s, ".(*Response)") && (strings.Contains(s, "resty") || strings.Contains(s, "/req"))
}

func (m *machine) convert(c *ast.CallExpr, k callee, st *state) abs {
	var args []abs
	for _, a := range c.Args {
		args = append(args, m.eval(a, st))
	}
	if len(args) == 0 {
		return abs{}
	}
	switch k.sel {
	case "min", "max":
		return minMaxAbs(k.sel == "min", args)
	case "len":
		if args[0].k == absList {
			return num(float64(len(args[0].list)))
		}
		return abs{}
	case "append", "make", "new", "cap", "copy", "delete", "close", "print", "println", "clear", "panic", "recover":
		return abs{}
	}
	v := args[0]
	if v.k == absNum {
		t := m.unit().typeOf(c)
		if isInteger(t) && v.float {
			v.float = false
			v.lo, v.hi = math.Trunc(v.lo), math.Trunc(v.hi)
		} else if t != nil && isNumeric(t) && !isInteger(t) {
			v.float = true
		}
	}
	return v
}

// minMaxAbs keeps a known side of a minimum where the other is not known, since that side is a cap.
func minMaxAbs(least bool, args []abs) abs {
	var out abs
	for i, a := range args {
		if a.k != absNum {
			return abs{}
		}
		if i == 0 {
			out = a
			continue
		}
		if unknownNum(out) && unknownNum(a) {
			// Neither is known: the one that grows shows the rule, the other is a cap.
			if least && a.hi > out.hi || !least && a.hi < out.hi {
				out = a
			}
			continue
		}
		if unknownNum(out) && !unknownNum(a) || unknownNum(a) && !unknownNum(out) {
			if unknownNum(out) {
				// the shape of the side that grows is what matters
				out.leaf = &leaf{expr: out.leaf.expr, val: out.leaf.val, unknown: true}
			}
			continue
		}
		if least {
			if a.hi < out.hi {
				out.leaf = a.leaf
			}
			out.lo, out.hi = min(out.lo, a.lo), min(out.hi, a.hi)
		} else {
			if a.hi > out.hi {
				out.leaf = a.leaf
			}
			out.lo, out.hi = max(out.lo, a.lo), max(out.hi, a.hi)
		}
		out.rnd = out.rnd || a.rnd
	}
	return out
}

// known evaluates functions of the standard library that matter to waits and tests.
func (m *machine) known(c *ast.CallExpr, k callee, st *state) (abs, bool) {
	if t := m.timerOf(c, st); t.k == absTimer {
		return t, true
	}
	arg := func(i int) abs {
		if i < len(c.Args) {
			return m.eval(c.Args[i], st)
		}
		return abs{}
	}
	switch k.name {
	case "time.Now", "time.Since", "time.Until":
		return abs{k: absClock}, true
	case "time.Time.After", "time.Time.Before", "time.Time.Compare", "time.Time.Equal":
		return abs{why: boundTime}, true
	case "time.Time.Add", "time.Time.Sub":
		return abs{k: absClock}, true
	case "context.Context.Err":
		return abs{k: absNil}, true
	case "time.(*Timer).Reset", "time.(*Ticker).Reset":
		d := arg(0)
		m.set(k.recv, abs{k: absTimer, d: &d}, st)
		return abs{}, true
	case "time.(*Timer).Stop":
		return abs{}, true
	case "math.Pow", "math.Min", "math.Max", "math.Floor", "math.Ceil", "math.Round", "math.Exp2":
		return m.math(k.sel, arg(0), arg(1)), true
	case "errors.Is", "errors.As":
		switch a := arg(0); {
		case a.k == absNil:
			return boolean(false), true
		case a.k == absErr && m.common && len(c.Args) == 2:
			m.asked = append(m.asked, types.ExprString(c.Args[1]))
			return boolean(false), true
		}
		return abs{}, true
	case "google.golang.org/grpc/status.Code":
		if a := arg(0); a.k == absNil {
			return num(0), true // codes.OK
		}
		return abs{}, true
	case "fmt.Errorf", "errors.New", "errors.Join":
		for i := range c.Args {
			arg(i)
		}
		return abs{k: absErr}, true
	case "time.Duration.Seconds", "time.Duration.Milliseconds", "time.Duration.Nanoseconds":
		v := m.eval(k.recv, st)
		if v.k == absNum {
			div := map[string]float64{"Seconds": 1e9, "Milliseconds": 1e6, "Nanoseconds": 1}[k.sel]
			v.lo, v.hi, v.float = v.lo/div, v.hi/div, k.sel == "Seconds"
		}
		return v, true
	}
	if strings.HasPrefix(k.name, "math/rand") || strings.HasPrefix(k.name, "crypto/rand") {
		return m.random(k, c, st), true
	}
	if k.sel == "Err" && k.recv != nil && len(c.Args) == 0 && isContext(m.unit().typeOf(k.recv)) {
		return abs{k: absNil}, true
	}
	return m.generator(c, k, st)
}

func isContext(t types.Type) bool { return namedText(t) == "context.Context" }

func (m *machine) math(name string, a, b abs) abs {
	if a.k != absNum {
		return abs{}
	}
	switch name {
	case "Pow":
		if b.k != absNum {
			return abs{}
		}
		x := math.Pow(a.hi, b.hi)
		if math.IsInf(x, 0) {
			x = math.MaxInt64
		}
		return abs{k: absNum, lo: x, hi: x, float: true, leaf: a.leaf}
	case "Exp2":
		x := math.Pow(2, a.hi)
		return abs{k: absNum, lo: x, hi: x, float: true}
	case "Min", "Max":
		r := minMaxAbs(name == "Min", []abs{a, b})
		r.float = true
		return r
	}
	a.float = true
	return a
}

// inside is the function of the repository that a call runs and that is worth running: it waits, decides, or computes a
// duration or a count.
func (m *machine) inside(c *ast.CallExpr, k callee) *fn {
	if m.depth >= 3 {
		return nil
	}
	g := k.to
	if g == nil {
		g = m.u.shared.fnOf(k.fun)
	}
	if g == nil || g.body == nil {
		return nil
	}
	for _, f := range m.frames {
		if f == g {
			return nil
		}
	}
	if g.unit.sleepsIn(g, 0) {
		return g
	}
	if g.typ.Results == nil || len(g.typ.Results.List) == 0 || len(g.body.List) > 25 {
		return nil
	}
	r := g.unit.typeOf(g.typ.Results.List[0].Type)
	if r == nil {
		return nil
	}
	if b, ok := r.Underlying().(*types.Basic); ok && b.Info()&(types.IsBoolean|types.IsNumeric) != 0 {
		return g
	}
	return nil
}

// runFn runs a function with its parameters bound.
func (m *machine) runFn(g *fn, args []abs, st *state, n int) ([]abs, bool) {
	saved := map[types.Object]abs{}
	for o, i := range g.params {
		if old, ok := st.get(o); ok {
			saved[o] = old
		}
		st.unset(o)
		if i < len(args) {
			st.set(o, args[i])
			if args[i].k == absUnknown && isNumeric(o.Type()) {
				st.unset(o)
			}
		}
	}
	m.depth++
	m.frames = append(m.frames, g)
	leave := m.leave
	m.leave = false
	before := st.waitCount()
	o := m.list(g.body.List, st.clone())
	m.leave = leave
	m.frames = m.frames[:len(m.frames)-1]
	m.depth--
	if o.st == nil {
		return nil, false
	}
	ret := o.st.ret
	st.waits, st.ops = o.st.waits, o.st.ops
	st.ret = nil
	for _, kept := range o.st.vars {
		k, v := kept.obj, kept.val
		if _, isParam := g.params[k]; !isParam && (k.Parent() == nil || k.Pos() < g.body.Pos() || k.Pos() > g.body.End()) {
			st.set(k, v) // fields and variables around
		}
	}
	for o := range g.params {
		st.unset(o)
	}
	for o, v := range saved {
		st.set(o, v)
	}
	waited := st.waitCount() > before
	for i := range ret {
		// A helper that waits gives an error only where it is interrupted.
		if waited && ret[i].k == absUnknown && i == len(ret)-1 {
			ret[i] = abs{k: absNil}
		}
	}
	for len(ret) < n {
		ret = append(ret, abs{})
	}
	if !waited && !knownAbs(first(ret)) && first(ret).k == absUnknown {
		return nil, false
	}
	return ret, true
}

// predicate judges tests by name where their body is not at hand: a test for a transient fault is false on success.
func (m *machine) predicate(c *ast.CallExpr, k callee, args []abs) (abs, bool) {
	t := m.unit().typeOf(c)
	if t != nil {
		if b, ok := t.Underlying().(*types.Basic); !ok || b.Info()&types.IsBoolean == 0 {
			return abs{}, false
		}
	}
	about, good := false, true
	for _, a := range args {
		switch a.k {
		case absNil:
			about = true
		case absResp:
			about = true
			good = good && a.status < 400
		case absErr:
			about, good = true, false
		}
	}
	if k.recv != nil && len(args) == 0 {
		return abs{}, false
	}
	if !about {
		return abs{}, false
	}
	name := strings.ToLower(k.sel)
	if !good && m.common {
		m.asked = append(m.asked, k.sel)
		return boolean(false), true
	}
	if !good {
		if strings.HasPrefix(name, "isok") || strings.Contains(name, "success") {
			return boolean(false), true
		}
		return abs{}, false
	}
	for _, w := range []string{"retr", "transient", "temporary", "conflict", "notfound", "timeout", "isnot", "throttl", "unavailable", "err", "fail", "permanent", "fatal", "cancel", "refused", "limited", "exists", "busy", "deadlock", "again", "transport"} {
		if strings.Contains(name, w) {
			return boolean(false), true
		}
	}
	if strings.HasPrefix(name, "isok") || strings.Contains(name, "success") {
		return boolean(true), true
	}
	return abs{}, false
}
