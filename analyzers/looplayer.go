package analyzers

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// loopLayer makes the layer of a loop that retries.
func (u *unit) loopLayer(f *fn, l *loop, j judged) {
	mutated := u.mutatedIn(l)
	layer := &model.Layer{
		ID: u.layerID("loop", f), Kind: loopKind(f), At: u.loopAt(l), In: f.name, Label: "retry loop", Origin: model.OriginExplicit,
	}
	limits := u.loopNumbers(layer, f, l, j, mutated)
	layer.Policy.On = model.OnError
	if j.always {
		layer.Policy.On |= model.OnSuccess
	}
	if !j.always && j.scene == opFails && u.yieldsOnly(f, l, j.op, mutated) {
		layer.Policy.On = model.OnConflict
	}
	if j.outer {
		layer.Traits = append(layer.Traits, model.Trait{Kind: model.TraitOuterLoop, At: layer.At, Detail: "it goes on after success"})
	}
	if j.state || u.awaits(f, l) {
		layer.Traits = append(layer.Traits, model.Trait{Kind: model.TraitWaitsForState, At: layer.At})
	}
	r := &region{layer: layer, in: f, node: l.stmt, body: l.body, counter: u.counterOf(l, limits)}
	if l.again != nil {
		r.node = l.body
	}
	if k := u.callee(j.op); k.to != nil {
		r.op = k.to
	}
	r.opCall, r.judged, r.loop = j.op, &j, l
	l.rgn = r
	u.addRegion(r)
}

// loopNumbers works out attempts, waits and time limits of a loop, and gives back the limits that bound it.
func (u *unit) loopNumbers(layer *model.Layer, f *fn, l *loop, j judged, mutated map[types.Object]bool) []limit {
	limits := u.bind(f, l, j, mutated)
	u.loopAttempts(layer, f, l, j, limits)
	u.loopWaits(layer, f, l, j, limits, mutated)
	u.loopTime(layer, f, l, j)
	if layer.Policy.Attempts.IsUnbounded() && !layer.Policy.Overall.Known() && u.hiddenBound(l) {
		layer.Policy.Attempts = model.Count{}
	}
	return limits
}

// yieldsOnly reports whether a loop goes on only after somebody else was faster or is responsible: a lost optimistic lock, a name
// that is taken, an owner that has moved. The next round works on another state, so it need not wait.
func (u *unit) yieldsOnly(f *fn, l *loop, op *ast.CallExpr, mutated map[types.Object]bool) bool {
	if op == nil || contains(op, l.body) {
		return false
	}
	m := u.machine(f, l, op, mutated)
	m.scene, m.common = opFails, true
	st := m.enter()
	before := st.ops
	if o := m.round(st); o.ctl == ctlNext || m.gaveUp || o.st.ops == before || len(m.asked) == 0 {
		return false
	}
	for _, n := range m.asked {
		if !yieldName.MatchString(n) {
			return false
		}
	}
	return true
}

var yieldName = regexp.MustCompile(`(?i)conflict|optimistic|concurren|stale|(version|revision|generation|cas)_?mismatch|ownership(lost|moved|changed)|redirect|moved|not_?(leader|master|owner)|already_?exist|exist(s|ing)|duplicate|unique|collision|serializ|deadlock|tx_?failed|txn_?aborted`)

// awaits reports whether a loop waits until something is there, as far as its function says by its name and by giving nothing
// back but whether it came: waitForDB, Ready, pingUntilUp. What answers with a refusal is not there yet.
func (u *unit) awaits(f *fn, l *loop) bool {
	named := f
	for named.parent != nil && named.decl == nil {
		named = named.parent
	}
	if named.decl == nil || !awaitName.MatchString(named.decl.Name.Name) || !onlySays(f) || !onlySays(named) || takesFunc(named) {
		return false
	}
	for _, p := range named.decl.Type.Params.List {
		if t := u.typeOf(p.Type); t != nil {
			if _, ok := t.Underlying().(*types.Signature); ok {
				return false // what is run is the caller's, and may be anything
			}
		}
	}
	writes, ticks := false, u.anyWait(l)
	ast.Inspect(l.body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.UnaryExpr:
			sel, ok := x.X.(*ast.SelectorExpr)
			ticks = ticks || x.Op == token.ARROW && ok && sel.Sel.Name == "C" // of a ticker
		case *ast.Ident:
			writes = writes || strings.HasPrefix(x.Name, "Post") || isWord(x.Name, "MethodPost", "MethodPatch", "MethodPut", "MethodDelete")
		case *ast.BasicLit:
			writes = writes || isWord(strings.Trim(x.Value, `"`), "POST", "PATCH", "PUT", "DELETE")
		}
		return !writes
	})
	return !writes && ticks
}

var awaitName = regexp.MustCompile(`(?i)^((wait|await|block)(_?(for|until|till|on)\w*|ready\w*|up|healthy|online)?|(is_?)?ready|(ping|poll|probe|check)_?(until|till|ready|health)\w*|ensure_?(ready|up|healthy|running))$`)

// takesFunc reports whether a function is handed what it does.
func takesFunc(f *fn) bool {
	for _, p := range f.decl.Type.Params.List {
		if _, ok := f.unit.typeOf(p.Type).(*types.Signature); ok {
			return true
		}
	}
	return false
}

// onlySays reports whether a function gives back nothing but an error or a yes or no.
func onlySays(f *fn) bool {
	if f.typ == nil || f.typ.Results == nil {
		return true
	}
	for _, r := range f.typ.Results.List {
		if id, ok := r.Type.(*ast.Ident); !ok || id.Name != "error" && id.Name != "bool" {
			return false
		}
	}
	return true
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
		case gave && (st == nil || st.ops < 5 || len(u.limits(f, l, u.mutatedIn(l))) > 0):
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
				if u.info.Def(id) == types.Object(c) {
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
		if len(gaps) == 0 || elements {
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
			if i >= len(short) && !knownAbs(g[k]) {
				return false // more attempts than the list of waits is long
			}
			if i < len(short) && (short[i][k].lo != g[k].lo || short[i][k].hi != g[k].hi) {
				return false
			}
		}
	}
	return true
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
