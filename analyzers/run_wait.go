package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"strings"
)

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
	fresh := !ok || cur.k != absList || len(cur.list) != 5
	if g.count {
		if fresh {
			return num(0), true
		}
		return cur.list[4], true
	}
	if fresh {
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
		cur = abs{k: absList, list: []abs{f(g.initial, g.initialDefault), f(g.factor, g.factorDefault), f(g.max, g.maxDefault), num(jit), num(0)}}
	}
	d, fac, top := cur.list[0], cur.list[1], cur.list[2]
	out := minMaxAbs(true, []abs{d, top})
	next := arith(token.MUL, d, fac)
	if next.k == absNum {
		next.float = false
	}
	st.set(key, abs{k: absList, list: []abs{next, fac, top, cur.list[3], arith(token.ADD, cur.list[4], num(1))}})
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

// generatorSpec says how a type with a "next wait" method computes it.
type generatorSpec struct {
	initial, factor, max, jitter              string
	initialDefault, factorDefault, maxDefault float64
	spread                                    string
	reset                                     bool // begins anew
	count                                     bool // says how many waits it has given
}

var generators = map[string]generatorSpec{
	"github.com/jpillora/backoff.(*Backoff).Duration":                  {initial: "Min", factor: "Factor", max: "Max", jitter: "Jitter", initialDefault: 1e8, factorDefault: 2, maxDefault: 1e10, spread: "from-initial"},
	"github.com/jpillora/backoff.(*Backoff).Reset":                     {reset: true},
	"github.com/jpillora/backoff.(*Backoff).Attempt":                   {count: true},
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
