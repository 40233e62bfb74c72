package analyzers

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"time"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// limit is an expression that may bound a loop: the other side of a comparison with a counter, a range expression, or the
// first value of a counter that is stepped down.
type limit struct {
	expr    ast.Expr     // what stands in the code
	counter types.Object // where expr is the counter's first value
	rng     bool         // of a range statement
	value   libs.Value
	slope   int64 // attempts = slope * value + offset
	offset  int64
}

// limits finds what may bound a loop.
func (u *unit) limits(f *fn, l *loop, mutated map[types.Object]bool) []limit {
	var out []limit
	if r, ok := l.stmt.(*ast.RangeStmt); ok {
		return append(out, limit{expr: r.X, rng: true})
	}
	counters := u.countersOf(l)
	if len(counters) == 0 {
		return nil
	}
	seen := map[types.Object]bool{}
	visit := func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok {
			return true
		}
		switch b.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
		default:
			return true
		}
		for _, pair := range [2][2]ast.Expr{{b.X, b.Y}, {b.Y, b.X}} {
			own, other := pair[0], pair[1]
			if !u.mentions(own, counters) || u.mentions(other, counters) {
				continue
			}
			if t := u.typeOf(other); t != nil && !isNumeric(t) {
				continue
			}
			out = append(out, limit{expr: other})
			if id := firstCounter(u, own, counters); id != nil && !seen[u.object(id)] {
				seen[u.object(id)] = true
				if e := u.firstValue(u.object(id), l); e != nil {
					out = append(out, limit{expr: e, counter: u.object(id)})
				}
			}
		}
		return true
	}
	if s, ok := l.stmt.(*ast.ForStmt); ok && s.Cond != nil {
		ast.Inspect(s.Cond, visit)
	}
	inspectOwn(l.body, visit)
	if len(out) > 12 {
		out = out[:12]
	}
	return out
}

func firstCounter(u *unit, e ast.Expr, counters map[types.Object]bool) *ast.Ident {
	var out *ast.Ident
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && out == nil && counters[u.object(id)] {
			out = id
		}
		return out == nil
	})
	return out
}

// firstValue is the expression that a counter holds when the loop begins.
func (u *unit) firstValue(o types.Object, l *loop) ast.Expr {
	var out ast.Expr
	for _, n := range u.setsOf(o) {
		if n.Pos() < l.body.Pos() {
			if e := setExpr(n, o, u); e != nil {
				out = e
			}
		}
	}
	return out
}

// probe counts the attempts with a limit set to n; -1 where the loop is not left.
func (u *unit) probe(f *fn, l *loop, j judged, mutated map[types.Object]bool, lim *limit, n float64, rounds int) (int, *state, bool) {
	m := u.machine(f, l, j.op, mutated)
	m.scene, m.status = j.scene, j.status
	if lim != nil {
		if lim.counter != nil {
			m.start[lim.counter] = num(n)
			m.over[lim.expr] = num(n)
		} else {
			m.over[lim.expr] = num(n)
			if o := u.lvalue(lim.expr); o != nil && !mutated[o] {
				m.overObj = map[types.Object]abs{o: num(n)}
			}
		}
	}
	st, left := m.all(rounds)
	if !left {
		return -1, st, m.gaveUp
	}
	return st.ops, st, m.gaveUp
}

// bind finds the limits that really bound the loop, and how the attempts follow from each.
func (u *unit) bind(f *fn, l *loop, j judged, mutated map[types.Object]bool) []limit {
	var out []limit
	first := u.firstTry(f, l, j)
	for _, lim := range u.limits(f, l, mutated) {
		a, _, _ := u.probe(f, l, j, mutated, &lim, 3, 24)
		b, _, _ := u.probe(f, l, j, mutated, &lim, 5, 24)
		if a < 0 || b < 0 || b <= a || (b-a)%2 != 0 {
			continue
		}
		lim.slope = int64(b-a) / 2
		lim.offset = int64(a) - 3*lim.slope
		lim.value = u.limitValue(f, lim)
		lim.offset += first
		out = append(out, lim)
	}
	return out
}

// firstTry is 1 where the same operation has run once before the loop, which only repeats it: err := op(); for err != nil ...
func (u *unit) firstTry(f *fn, l *loop, j judged) int64 {
	if j.op == nil || len(j.op.Args) == 0 && !isErrNotNil(l) {
		return 0
	}
	text := types.ExprString(j.op)
	guarded := isErrNotNil(l)
	for n := u.parent(l.stmt); n != nil && !guarded; n = u.parent(n) {
		if s, ok := n.(*ast.IfStmt); ok && mentionsNil(s.Cond) {
			guarded = true
		}
		if _, ok := n.(*ast.FuncLit); ok {
			break
		}
	}
	if !guarded {
		return 0
	}
	for _, c := range f.calls {
		if c.loop == l.outer && c.expr.End() < l.stmt.Pos() && c.expr != j.op && types.ExprString(c.expr) == text {
			return 1
		}
	}
	return 0
}

func isErrNotNil(l *loop) bool {
	s, ok := l.stmt.(*ast.ForStmt)
	return ok && s.Cond != nil && mentionsNil(s.Cond)
}

func mentionsNil(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "nil" {
			found = true
		}
		return !found
	})
	return found
}

func (u *unit) limitValue(f *fn, lim limit) libs.Value {
	v := u.value(lim.expr, f)
	if lim.rng {
		if v.List != nil {
			n := intValue(int64(len(v.List)))
			n.At = v.At
			return n
		}
		if t := u.typeOf(lim.expr); t != nil && !isInteger(t) {
			return libs.Value{Set: true, At: v.At}
		}
	}
	return v
}

// loopLayer makes the layer of a loop that retries.
func (u *unit) loopLayer(f *fn, l *loop, j judged) {
	mutated := u.mutatedIn(l)
	layer := &model.Layer{
		ID: u.layerID("loop", f), Kind: loopKind(f), At: u.loopAt(l), In: f.name, Label: "retry loop", Origin: model.OriginExplicit,
	}
	limits := u.bind(f, l, j, mutated)
	u.loopAttempts(layer, f, l, j, limits)
	u.loopWaits(layer, f, l, j, limits, mutated)
	u.loopTime(layer, f, l, j)
	layer.Policy.On = model.OnError
	if j.always {
		layer.Policy.On |= model.OnSuccess
	}
	if j.outer {
		layer.Traits = append(layer.Traits, model.Trait{Kind: model.TraitOuterLoop, At: layer.At, Detail: "it goes on after success"})
	}
	if j.state {
		layer.Traits = append(layer.Traits, model.Trait{Kind: model.TraitWaitsForState, At: layer.At})
	}
	r := &region{layer: layer, in: f, node: l.stmt, body: l.body, counter: u.counterOf(l, limits)}
	if k := u.callee(j.op); k.to != nil {
		r.op = k.to
	}
	r.opCall, r.judged, r.loop = j.op, &j, l
	l.rgn = r
	u.addRegion(r)
}

// loopKind tells a loop in a RoundTripper or interceptor, which runs for whatever passes it, from one around an operation.
func loopKind(f *fn) model.LayerKind {
	if f.decl != nil && f.decl.Recv != nil && f.decl.Name.Name == "RoundTrip" {
		return model.KindTransport
	}
	return model.KindLoop
}

// loopAt is the line of the for statement.
func (u *unit) loopAt(l *loop) model.Location {
	at := u.at(l.stmt)
	p := u.fset.Position(l.body.Lbrace)
	if p.IsValid() && p.Line == at.Line {
		at.EndLine, at.EndCol = p.Line, p.Column
	} else {
		at.EndLine, at.EndCol = at.Line, at.Col+3
	}
	return at
}

// counterOf is the variable that counts the attempts.
func (u *unit) counterOf(l *loop, limits []limit) types.Object {
	counters := u.countersOf(l)
	if s, ok := l.stmt.(*ast.ForStmt); ok {
		if inc, ok := s.Post.(*ast.IncDecStmt); ok {
			return u.lvalue(inc.X)
		}
	}
	if r, ok := l.stmt.(*ast.RangeStmt); ok {
		if id, ok := r.Key.(*ast.Ident); ok && id.Name != "_" {
			return u.object(id)
		}
	}
	for _, lim := range limits {
		if lim.counter != nil {
			return lim.counter
		}
	}
	if len(counters) == 1 {
		for o := range counters {
			return o
		}
	}
	return nil
}

// loopAttempts sets the count from the limits; the smallest known one rules.
func (u *unit) loopAttempts(layer *model.Layer, f *fn, l *loop, j judged, limits []limit) {
	if len(limits) == 0 {
		a, st, gave := u.probe(f, l, j, u.mutatedIn(l), nil, 0, 40)
		switch {
		case a > 0:
			layer.Policy.Attempts = model.Exactly(int64(a))
		case gave && (st == nil || st.ops < 5):
		case u.hiddenBound(l):
		default:
			layer.Policy.Attempts = model.Unbounded()
		}
		return
	}
	var best model.Count
	have := false
	for _, lim := range limits {
		c, ref := attemptsOf(lim)
		if !ref.Name.IsZero() {
			layer.Refs = append(layer.Refs, ref)
		}
		if !c.Known() {
			continue
		}
		if !have || c.Compare(best) < 0 {
			best, have = c, true
			layer.SetBy = nil
			if at := u.valueAt(lim.expr, lim.value, f); at != layer.At && at.Line != layer.At.Line {
				layer.SetBy = []model.Location{at}
			}
		}
	}
	if have {
		layer.Policy.Attempts = best
		layer.Call = model.Location{}
		return
	}
}

// attemptsOf is the count that a limit gives.
func attemptsOf(lim limit) (model.Count, model.Ref) {
	var ref model.Ref
	if v := lim.value; !v.Ref.Name.IsZero() {
		ref = v.Ref
		ref.Field = model.FieldAttempts
		ref.Offset += lim.offset
	}
	if !lim.value.IsInt {
		return model.Count{}, ref
	}
	lo := satAdd(satMul(lim.value.Lo, lim.slope), lim.offset)
	hi := satAdd(satMul(lim.value.Hi, lim.slope), lim.offset)
	if lo > hi {
		lo, hi = hi, lo
	}
	if hi >= math.MaxInt32 && lo == hi {
		return model.Unbounded(), ref
	}
	return model.Between(max(lo, 1), max(hi, 1)), ref
}

// valueAt is where a value stands: the constant's or field's place rather than its use.
func (u *unit) valueAt(e ast.Expr, v libs.Value, f *fn) model.Location {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		if c, ok := u.object(id).(*types.Const); ok {
			if u.declOf(c.Pos()) != nil {
				if vs, ok := u.constSpec(c); ok {
					return u.at(vs)
				}
			}
		}
	}
	if !v.At.IsZero() {
		return v.At
	}
	return u.at(e)
}

func (u *unit) constSpec(c *types.Const) (ast.Node, bool) {
	d := u.declOf(c.Pos())
	var out ast.Node
	ast.Inspect(d.node, func(n ast.Node) bool {
		if s, ok := n.(*ast.ValueSpec); ok {
			for i, id := range s.Names {
				if u.info.Defs[id] == types.Object(c) {
					out = id
					if i < len(s.Values) {
						out = s.Values[i]
					}
				}
			}
		}
		return out == nil
	})
	return out, out != nil
}

// hiddenBound reports whether something of which nothing is known may end the loop on failures: a condition that calls out.
func (u *unit) hiddenBound(l *loop) bool {
	s, ok := l.stmt.(*ast.ForStmt)
	if !ok || s.Cond == nil {
		return false
	}
	c, ok := ast.Unparen(s.Cond).(*ast.CallExpr)
	if !ok {
		return false
	}
	k := u.callee(c)
	return k.sel != "Err" && !k.conv
}

// loopWaits finds the waits between the attempts and what rule they follow.
func (u *unit) loopWaits(layer *model.Layer, f *fn, l *loop, j judged, limits []limit, mutated map[types.Object]bool) {
	var lim *limit
	for i := range limits {
		if limits[i].slope > 0 {
			lim = &limits[i]
			break
		}
	}
	attempts := int64(0)
	if hi, ok := layer.Policy.Attempts.Max(); ok {
		attempts = hi
	}
	elements := false // the waits may be the elements of what is ranged over
	if lim != nil && lim.rng {
		if t := u.typeOf(lim.expr); t != nil && !isInteger(t) {
			elements = true
		}
	}
	run := func(want int64) *state {
		if lim == nil || elements {
			_, st, _ := u.probe(f, l, j, mutated, nil, 0, int(min(max(want, 9), 14)))
			return st
		}
		_, st, _ := u.probe(f, l, j, mutated, lim, float64((want-lim.offset)/lim.slope), 24)
		return st
	}
	want := int64(9)
	if attempts >= 5 && attempts <= 14 {
		want = attempts
	}
	st := run(want)
	if st == nil {
		return
	}
	gaps := gapsOf(st)
	if attempts > 0 && attempts < 5 && lim != nil && !elements {
		// Few attempts show little of the rule; more of them are asked for, and believed where they begin alike.
		real := run(attempts)
		own := gapsOf(real)
		if !sameStart(own, gaps) {
			st, gaps = real, own
		}
	}
	if st.ops < len(st.waits) && len(st.waits[st.ops]) > 0 && st.ops > 0 {
		if lim != nil || len(limits) == 0 && !layer.Policy.Attempts.IsUnbounded() {
			layer.Policy.WaitsAfterLast = true
		}
		if len(gaps) == 0 {
			gaps = append(gaps, st.waits[st.ops])
		}
	}
	var refs []model.Ref
	layer.Policy.Backoff, refs = fitBackoff(gaps)
	layer.Refs = append(layer.Refs, refs...)
	if b := &layer.Policy.Backoff; elements && len(gaps) < 4 && (b.Kind == model.BackoffExponential || b.Kind == model.BackoffLinear) {
		// A list of waits is a list, whatever rule its few elements may fit.
		list := make([]time.Duration, 0, len(gaps))
		for k := range gaps {
			_, hi := b.Gap(int64(k + 1))
			d, _ := hi.Duration()
			list = append(list, d)
		}
		layer.Policy.Backoff = model.Backoff{Kind: model.BackoffList, List: list, Jitter: b.Jitter}
	}
	if attempts == 2 && layer.Policy.Backoff.Kind == model.BackoffNone {
		layer.Traits = append(layer.Traits, model.Trait{Kind: model.TraitImmediateOnce, At: layer.At})
	}
	if layer.Policy.Backoff.Kind == model.BackoffNone && u.anyWait(l) {
		layer.Policy.Backoff = model.Backoff{Kind: model.BackoffConstant} // some wait that the run did not meet
	}
}

// gapsOf is the waits between one attempt and the next.
func gapsOf(st *state) [][]abs {
	var gaps [][]abs
	for i := 1; i < st.ops; i++ {
		var g []abs
		if i < len(st.waits) {
			g = st.waits[i]
		}
		gaps = append(gaps, g)
	}
	return gaps
}

// sameStart reports whether the longer list begins like the shorter one and waits in each gap.
func sameStart(short, long [][]abs) bool {
	if len(long) < len(short) {
		return false
	}
	for i, g := range long {
		if i < len(short) && len(short[i]) != len(g) {
			return false
		}
		if len(g) == 0 && len(long[0]) > 0 {
			return false
		}
		for k := range g {
			if i < len(short) && (short[i][k].lo != g[k].lo || short[i][k].hi != g[k].hi) {
				return false
			}
		}
	}
	return true
}

// loopTime finds limits over time: a deadline in a condition, a context with a deadline around the loop or within.
func (u *unit) loopTime(layer *model.Layer, f *fn, l *loop, j judged) {
	if d, before, at := u.clockBound(f, l, j); d.Set {
		lim := limitOf(d)
		layer.Policy.Overall = lim
		layer.Policy.Budget = model.BudgetGateAfter
		if before {
			layer.Policy.Budget = model.BudgetGateBefore
		}
		if !d.Ref.Name.IsZero() {
			r := d.Ref
			r.Field = model.FieldOverall
			layer.Refs = append(layer.Refs, r)
		}
		if !lim.Known() && layer.Policy.Attempts.IsUnbounded() {
			layer.Policy.Attempts = model.Count{} // bounded by a time that is not known
		}
		layer.Traits = append(layer.Traits, model.Trait{Kind: model.TraitDeadline, At: at, Detail: lim.String()})
	}
	for _, t := range u.contextLimits(f) {
		inside := l.body.Pos() <= t.call.Pos() && t.call.End() <= l.body.End()
		switch {
		case inside && t.used(u, j.op, l):
			lim := limitOf(t.value)
			if layer.Policy.PerAttempt = layer.Policy.PerAttempt.Min(lim); !layer.Policy.PerAttempt.Known() {
				layer.Policy.PerAttempt = lim
			}
			if !t.value.Ref.Name.IsZero() {
				r := t.value.Ref
				r.Field = model.FieldPerAttempt
				layer.Refs = append(layer.Refs, r)
			}
		case t.call.End() < l.stmt.Pos() && t.reaches(u, l):
			lim := limitOf(t.value)
			layer.Traits = append(layer.Traits, model.Trait{Kind: model.TraitDeadline, At: u.at(t.call), Detail: lim.String()})
			if lim.Known() && (!layer.Policy.Overall.Known() || lim.Compare(layer.Policy.Overall) < 0) {
				layer.Policy.Overall, layer.Policy.Budget = lim, model.BudgetHard
			}
			if !lim.Known() && layer.Policy.Attempts.IsUnbounded() {
				layer.Policy.Attempts = model.Count{}
			}
		}
	}
	if layer.Policy.Attempts.IsUnbounded() && !layer.Policy.Overall.Known() {
		if lim, at, ok := u.deadlineAbove(f, l); ok {
			if !lim.Known() {
				layer.Policy.Attempts = model.Count{} // a time ends it that is not known
			}
			layer.Policy.Overall, layer.Policy.Budget = lim, model.BudgetHard
			layer.Traits = append(layer.Traits, model.Trait{Kind: model.TraitDeadline, At: at, Detail: lim.String()})
		}
	}
}

// limitOf is a duration as a limit; unknown where it is not known or where there are several.
func limitOf(v libs.Value) model.Limit {
	if v.IsInt && v.Hi >= 0 {
		return model.For(time.Duration(v.Hi))
	}
	return model.Limit{}
}

// clockBound finds a comparison with the clock that ends the loop; before says that it is asked before the next attempt.
func (u *unit) clockBound(f *fn, l *loop, j judged) (d libs.Value, before bool, at model.Location) {
	look := func(root ast.Node, first bool) {
		inspectOwn(root, func(n ast.Node) bool {
			if d.Set {
				return false
			}
			switch x := n.(type) {
			case *ast.BinaryExpr:
				switch x.Op {
				case token.LSS, token.LEQ, token.GTR, token.GEQ:
					for _, p := range [2][2]ast.Expr{{x.X, x.Y}, {x.Y, x.X}} {
						if u.elapsed(p[0]) && !u.elapsed(p[1]) {
							d = u.value(p[1], f)
							d.Set = true
							before = first || hasPlus(p[0])
							at = u.at(x)
						}
					}
				}
			case *ast.CallExpr:
				k := u.callee(x)
				if (k.name == "time.Time.After" || k.name == "time.Time.Before") && len(x.Args) == 1 {
					for _, e := range []ast.Expr{k.recv, x.Args[0]} {
						if v, ok := u.deadlineOf(e, f, l); ok {
							d, before, at = v, first, u.at(x)
							d.Set = true
						}
					}
				}
			}
			return true
		})
	}
	if s, ok := l.stmt.(*ast.ForStmt); ok && s.Cond != nil {
		look(s.Cond, true)
	}
	if d.Set {
		return d, true, at
	}
	for _, s := range l.body.List {
		if i, ok := s.(*ast.IfStmt); ok && j.op != nil && i.End() < j.op.Pos() {
			look(i.Cond, true)
		}
	}
	if !d.Set {
		inspectOwn(l.body, func(n ast.Node) bool {
			if i, ok := n.(*ast.IfStmt); ok && !d.Set {
				look(i.Cond, false)
			}
			return !d.Set
		})
	}
	return d, before, at
}

func hasPlus(e ast.Expr) bool {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	return ok && b.Op == token.ADD
}

// elapsed reports whether an expression is the time since a start.
func (u *unit) elapsed(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.CallExpr:
			k := u.callee(x)
			if k.name == "time.Since" {
				found = true
			}
			if k.name == "time.Time.Sub" {
				if c, ok := ast.Unparen(k.recv).(*ast.CallExpr); ok && u.callee(c).sel == "Now" {
					found = true
				}
			}
		case *ast.Ident:
			o := u.object(x)
			if v, ok := o.(*types.Var); ok && isDuration(v.Type()) {
				for _, s := range u.setsOf(v) {
					if r := setExpr(s, v, u); r != nil {
						if c, ok := ast.Unparen(r).(*ast.CallExpr); ok && u.callee(c).name == "time.Since" {
							found = true
						}
					}
				}
			}
		}
		return !found
	})
	return found
}

// deadlineOf is the time between now and a deadline: time.Now().Add(d), made before the loop.
func (u *unit) deadlineOf(e ast.Expr, f *fn, l *loop) (libs.Value, bool) {
	if s, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		k := u.callee(s)
		if k.name == "time.Time.Add" && len(s.Args) == 1 {
			return u.value(s.Args[0], f), true
		}
		return libs.Value{}, false
	}
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return libs.Value{}, false
	}
	o := u.object(id)
	for _, n := range u.setsOf(o) {
		if n.Pos() > l.stmt.Pos() {
			continue
		}
		if r := setExpr(n, o, u); r != nil {
			if c, ok := ast.Unparen(r).(*ast.CallExpr); ok && u.callee(c).name == "time.Time.Add" && len(c.Args) == 1 {
				return u.value(c.Args[0], f), true
			}
		}
	}
	return libs.Value{}, false
}

// contextLimit is one context.WithTimeout or WithDeadline of a function.
type contextLimit struct {
	call  *ast.CallExpr
	value libs.Value
	ctx   types.Object // what it is assigned to
}

// contextLimits lists the contexts with a time limit that a function makes.
func (u *unit) contextLimits(f *fn) []contextLimit {
	var out []contextLimit
	for _, c := range f.calls {
		k := u.callee(c.expr)
		if !isWord(k.name, "context.WithTimeout", "context.WithTimeoutCause", "context.WithDeadline", "context.WithDeadlineCause") || len(c.expr.Args) < 2 {
			continue
		}
		t := contextLimit{call: c.expr}
		if isWord(k.sel, "WithTimeout", "WithTimeoutCause") {
			t.value = u.value(c.expr.Args[1], f)
		} else if a, ok := ast.Unparen(c.expr.Args[1]).(*ast.CallExpr); ok && u.callee(a).name == "time.Time.Add" && len(a.Args) == 1 {
			t.value = u.value(a.Args[0], f)
		}
		if a, ok := u.parent(c.expr).(*ast.AssignStmt); ok && len(a.Lhs) > 0 {
			t.ctx = u.lvalue(a.Lhs[0])
		}
		out = append(out, t)
	}
	return out
}

// used reports whether the operation of a loop runs under the context.
func (t contextLimit) used(u *unit, op *ast.CallExpr, l *loop) bool {
	if t.ctx == nil {
		return false
	}
	found := false
	ast.Inspect(l.body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Pos() > t.call.End() && u.object(id) == t.ctx {
			found = true
		}
		return !found
	})
	return found
}

// reaches reports whether the context is what the loop works under.
func (t contextLimit) reaches(u *unit, l *loop) bool {
	if t.ctx == nil {
		return false
	}
	found := false
	ast.Inspect(l.body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && u.object(id) == t.ctx {
			found = true
		}
		return !found
	})
	return found
}

// layerID is a stable id: what it is, the file, the function and an ordinal.
func (u *unit) layerID(kind string, f *fn) string {
	path := ""
	if f.file != nil {
		path = u.rel(u.fset.Position(f.file.Pos()).Filename)
	}
	base := fmt.Sprintf("%s:%s/%s#%s", kind, u.repo, path, f.short())
	u.ordinals[base]++
	if n := u.ordinals[base]; n > 1 {
		return fmt.Sprintf("%s/%d", base, n)
	}
	return base
}

func (u *unit) addRegion(r *region) {
	u.regions = append(u.regions, r)
	u.byRegion[r.node] = r
}
