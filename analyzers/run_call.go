package analyzers

import (
	"go/ast"
	"go/token"
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

// waitCall knows calls that wait, and how long.
func (m *machine) waitCall(c *ast.CallExpr, k callee, st *state) (abs, bool) {
	arg := func(i int) abs {
		if i < len(c.Args) {
			return m.eval(c.Args[i], st)
		}
		return abs{}
	}
	switch k.name {
	case "time.Sleep":
		return arg(0), true
	}
	if k.to != nil || m.u.shared.fnOf(k.fun) != nil {
		return abs{}, false // looked into
	}
	// Clocks, and helpers of other modules, by their names and a duration among the arguments.
	if !isWord(k.sel, "Sleep", "SleepContext", "SleepWithContext", "SleepCtx", "WaitFor", "Sleepc", "sleep", "Pause") {
		return abs{}, false
	}
	for i := range c.Args {
		if v := arg(i); v.k == absNum {
			return v, true
		}
	}
	return abs{}, true
}

// timerOf is the timer that a call makes.
func (m *machine) timerOf(c *ast.CallExpr, st *state) abs {
	k := m.unit().callee(c)
	switch {
	case isWord(k.name, "time.NewTimer", "time.After", "time.NewTicker", "time.Tick") && len(c.Args) == 1,
		isWord(k.sel, "After", "NewTimer", "NewTicker", "Tick", "TimerCh") && k.recv != nil && len(c.Args) == 1 && isDuration(m.unit().typeOf(c.Args[0])):
		d := m.eval(c.Args[0], st)
		return abs{k: absTimer, d: &d}
	}
	return abs{}
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
		if a := arg(0); a.k == absNil {
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

// random is a number drawn by math/rand: between zero and the argument, or up to one.
func (m *machine) random(k callee, c *ast.CallExpr, st *state) abs {
	if strings.HasPrefix(k.sel, "Float") {
		return abs{k: absNum, lo: 0, hi: 1, float: true, rnd: true}
	}
	if len(c.Args) > 0 && !isWord(k.sel, "New", "NewSource", "NewPCG", "Seed", "Read") {
		v := m.eval(c.Args[len(c.Args)-1], st)
		if v.k == absNum {
			v.lo, v.rnd = 0, true
			return v
		}
		return abs{}
	}
	if isWord(k.sel, "Int", "Int63", "Int31", "Uint32", "Uint64", "Int32", "Int64") {
		return abs{k: absNum, lo: 0, hi: math.MaxInt32, rnd: true}
	}
	return abs{}
}

// generator follows backoff values that give one wait after the other.
func (m *machine) generator(c *ast.CallExpr, k callee, st *state) (abs, bool) {
	if k.recv == nil || k.sel == "" {
		return abs{}, false
	}
	g, ok := generators[k.name]
	if !ok {
		return abs{}, false
	}
	id := rootIdent(k.recv)
	u := m.unit()
	var key types.Object
	if s, ok := ast.Unparen(k.recv).(*ast.SelectorExpr); ok {
		key = u.object(s.Sel)
	} else if id != nil {
		key = u.object(id)
	}
	if key == nil {
		return abs{}, true
	}
	cur, ok := st.get(key)
	if g.reset {
		if ok && cur.k == absList {
			st.unset(key)
		}
		return abs{}, true
	}
	if !ok || cur.k != absList || len(cur.list) != 4 {
		f := func(name string, d float64) abs {
			if name == "" {
				return num(d)
			}
			v, found := u.fieldByName(k.recv, name, m.fn())
			if !found {
				if sel, isSel := ast.Unparen(k.recv).(*ast.SelectorExpr); isSel {
					if fo, isVar := u.object(sel.Sel).(*types.Var); isVar {
						for _, w := range u.writesOf(fo) {
							if lit, _ := u.literalOf(w.value, w.in, 0); lit != nil {
								v, _ = u.litField(lit, name, w.in)
							}
						}
					}
				}
			}
			a := m.fromValue(v, k.recv)
			if a.k != absNum || a.hi == 0 {
				a = num(d)
			}
			return a
		}
		jit := 0.0
		if v, found := u.fieldByName(k.recv, g.jitter, m.fn()); found && (v.IsBool && v.Bool || v.IsFloat && v.Float > 0 || v.IsInt && v.Int > 0) {
			jit = 1
		}
		cur = abs{k: absList, list: []abs{f(g.initial, g.initialDefault), f(g.factor, g.factorDefault), f(g.max, g.maxDefault), num(jit)}}
	}
	d, fac, top := cur.list[0], cur.list[1], cur.list[2]
	out := minMaxAbs(true, []abs{d, top})
	next := arith(token.MUL, d, fac)
	if next.k == absNum {
		next.float = false
	}
	st.set(key, abs{k: absList, list: []abs{next, fac, top, cur.list[3]}})
	out.leaf = d.leaf
	if cur.list[3].hi > 0 && out.k == absNum {
		switch g.spread {
		case "from-initial":
			out.lo = 0
		case "half":
			out.lo, out.hi = out.hi*0.5, out.hi*1.5
		case "upward":
			out.hi *= 1.1
		}
		out.rnd = true
	}
	return out, true
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

// generatorSpec says how a type with a "next wait" method computes it.
type generatorSpec struct {
	initial, factor, max, jitter              string
	initialDefault, factorDefault, maxDefault float64
	spread                                    string
	reset                                     bool
}

var generators = map[string]generatorSpec{
	"github.com/jpillora/backoff.(*Backoff).Duration":                  {initial: "Min", factor: "Factor", max: "Max", jitter: "Jitter", initialDefault: 1e8, factorDefault: 2, maxDefault: 1e10, spread: "from-initial"},
	"github.com/jpillora/backoff.(*Backoff).Reset":                     {reset: true},
	"k8s.io/apimachinery/pkg/util/wait.(*Backoff).Step":                {initial: "Duration", factor: "Factor", max: "Cap", jitter: "Jitter", initialDefault: 1e9, factorDefault: 1, maxDefault: math.MaxInt64, spread: "upward"},
	"github.com/cenkalti/backoff/v4.(*ExponentialBackOff).NextBackOff": {initial: "InitialInterval", factor: "Multiplier", max: "MaxInterval", initialDefault: 5e8, factorDefault: 1.5, maxDefault: 6e10, spread: "half"},
	"github.com/cenkalti/backoff/v5.(*ExponentialBackOff).NextBackOff": {initial: "InitialInterval", factor: "Multiplier", max: "MaxInterval", initialDefault: 5e8, factorDefault: 1.5, maxDefault: 6e10, spread: "half"},
}

// waits reports whether a call waits by itself or runs a function of the repository that does.
func (u *unit) waits(c *ast.CallExpr) bool {
	k := u.callee(c)
	if k.conv {
		return false
	}
	if k.name == "time.Sleep" || isWord(k.sel, "Sleep", "SleepContext", "SleepWithContext", "SleepCtx") {
		return true
	}
	g := k.to
	if g == nil {
		g = u.shared.fnOf(k.fun)
	}
	return g != nil && g.unit.sleepsIn(g, 0)
}

// sleepsIn reports whether a function of the repository waits for a time: it sleeps, or makes a timer and receives from it,
// and does little else.
func (u *unit) sleepsIn(g *fn, depth int) bool {
	switch u.sleeps[g] {
	case 1:
		return true
	case 2:
		return false
	}
	if depth > 3 || g.body == nil {
		return false
	}
	u.sleeps[g] = 2
	found := false
	for _, c := range g.calls {
		if c.spawn || c.loop != nil && false {
			continue
		}
		k := g.unit.callee(c.expr)
		switch {
		case isWord(k.name, "time.Sleep", "time.NewTimer", "time.After"):
			found = true
		case isWord(k.sel, "Sleep", "SleepContext", "SleepWithContext", "SleepCtx"):
			found = true
		default:
			t := k.to
			if t == nil {
				t = u.shared.fnOf(k.fun)
			}
			if t != nil && t != g && t.unit.sleepsIn(t, depth+1) {
				found = true
			}
		}
		if found {
			break
		}
	}
	if found && len(g.loops) > 0 {
		found = false // a loop of its own: that is more than a pause
	}
	if found && g.unit.mayFail(g, 0) > 1 {
		found = false // it sleeps within real work
	}
	if found {
		u.sleeps[g] = 1
	}
	return found
}
