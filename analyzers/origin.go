package analyzers

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/retrylint/retrylint/model"
)

// origins is what is known of where a value comes from.
type origins struct {
	sources model.KeySources
	// births are the places where something goes in that differs from one evaluation to the next and is certain to go in:
	// a value that is only sometimes fresh (a fallback for a missing header) has none.
	births []birth
	// byCaller: the value is a parameter or a field; births then are those of some callers, the others pass other values.
	byCaller bool
	// unknown: a part could not be followed.
	unknown bool
	// empty: the value is a literal zero value, so it is no alternative to others.
	empty bool
	// direct: the value is an input as it came (a parameter, a header, a field), not something made of it.
	direct bool
	// texts are the literal parts in order, headers the names of headers that were read on the way.
	texts   []string
	headers []string
	// words are the names of the variables, fields and parameters that go in.
	words []string
}

// birth is one place where a value comes into being that differs from one evaluation to the next.
type birth struct {
	// node is the expression that makes the value, in the function where the result is first used: the call of a helper
	// that makes and returns one counts, as a second call makes a second value.
	node ast.Node
	// inner is the expression inside the helper; node where there is none.
	inner  ast.Node
	source model.KeySources
	in     *fn
	// scope is what has to be repeated for a second value to be made: node, or the declaration of the variable where the
	// value is only made while that is empty.
	scope ast.Node
}

// frame is a function body under evaluation, with the call that entered it.
type frame struct {
	fn   *fn
	call *ast.CallExpr
	up   *frame
	run  *traceRun
}

// traceRun is what one trace may still spend, and the expressions that are being followed.
type traceRun struct {
	budget int
	busy   map[busyKey]int // how many were open when the expression was opened
	lowest int             // the lowest of these numbers of an expression that was met again, maxOriginOps where there is none
}

// open begins to follow an expression; ok is false where it is being followed already.
func (r *traceRun) open(k busyKey) (n int, ok bool) {
	if n, busy := r.busy[k]; busy {
		r.lowest = min(r.lowest, n)
		return n, false
	}
	n = len(r.busy)
	r.busy[k] = n
	return n, true
}

// knownOrigin is an answer and what it cost of a trace's budget.
type knownOrigin struct {
	origins origins
	cost    int
}

// originKey is an expression in a function of which the call is not known.
type originKey struct {
	expr ast.Expr
	in   *fn
}

func (f *frame) depth() int {
	n := 0
	for ; f != nil; f = f.up {
		n++
	}
	return n
}

// of finds the frame of g, which is f or a frame above it; for a function around a closure, or one of which the call is
// not known, it is a frame without a call.
func (f *frame) of(g *fn) *frame {
	for h := f; h != nil; h = h.up {
		if h.fn == g {
			return h
		}
	}
	return f.root(g)
}

// root is a frame of g of which the call is not known.
func (f *frame) root(g *fn) *frame { return &frame{fn: g, run: f.run} }

// limits of one trace; code that needs more is not what people write for keys.
const (
	maxFrames    = 8
	maxOriginOps = 4000
)

// tracer follows values through one package. It works on syntax and objects and allows for missing types.
type tracer struct {
	u      *unit
	uses   useTable
	fields map[types.Object][]assigned // values that fields get in literals and assignments
	global map[types.Object]bool       // package-level variables
	steps  map[*fn][]storeStep         // where functions use stores
	mayUse map[storeDepth]bool         // answers of mayUseStore
	keyed  map[*fn]bool                // functions that put a key onto something; nil until asked for
}

type busyKey struct {
	node ast.Node
	fn   *fn
	call *ast.CallExpr
}

// assigned is a value that is put into a field.
type assigned struct {
	value ast.Expr
	in    *fn      // nil at package level
	node  ast.Node // the *ast.KeyValueExpr or *ast.AssignStmt
	base  ast.Expr // of an assignment: the x of x.f = v
}

// tracing is the unit's tracer, made on first use.
func (u *unit) tracing() *tracer {
	if u.tracer == nil {
		u.tracer = newTracer(u)
	}
	return u.tracer
}

// origin follows the value of e, an expression inside in, back to where it comes into being.
func (u *unit) origin(e ast.Expr, in *fn) origins { return u.tracing().expr(e, newFrame(in)) }

func newFrame(in *fn) *frame {
	return &frame{fn: in, run: &traceRun{budget: maxOriginOps, busy: map[busyKey]int{}, lowest: maxOriginOps}}
}

func (t *tracer) expr(e ast.Expr, f *frame) origins {
	if e == nil || f.run.budget <= 0 || f.depth() > maxFrames {
		return origins{unknown: true}
	}
	if f.fn != nil && f.fn.unit != t.u {
		return f.fn.unit.tracing().expr(e, f)
	}
	// Where the call is not known the answer is the same for all questions of one step, unless it hangs on an expression
	// that was being followed already, or on what there was left to spend. It is paid for again, which bounds its size.
	root := f.call == nil && f.up == nil
	key := originKey{e, f.fn}
	if root {
		if a, ok := t.u.shared.origins[key]; ok && a.cost < f.run.budget {
			f.run.budget -= a.cost
			return a.origins
		}
	}
	before := f.run.budget
	f.run.budget--
	k := busyKey{e, f.fn, f.call}
	n, ok := f.run.open(k)
	if !ok {
		return origins{empty: true} // around a loop nothing new is added
	}
	outer := f.run.lowest
	f.run.lowest = maxOriginOps
	o := t.follow(e, f)
	delete(f.run.busy, k)
	if f.run.lowest >= n {
		f.run.lowest = maxOriginOps // what was met again lies within
	}
	if root && f.run.lowest == maxOriginOps && f.run.budget > 0 {
		o = o.clipped()
		t.u.shared.keepOrigin(key, knownOrigin{o, before - f.run.budget})
	}
	f.run.lowest = min(f.run.lowest, outer)
	return o
}

// clipped are origins that may be kept: whoever appends to a list gets a copy.
func (o origins) clipped() origins {
	o.births, o.texts, o.headers, o.words = slices.Clip(o.births), slices.Clip(o.texts), slices.Clip(o.headers), slices.Clip(o.words)
	return o
}

// keepOrigin keeps an answer until the step ends.
func (r *Repo) keepOrigin(k originKey, o knownOrigin) {
	if r.origins == nil {
		r.origins = map[originKey]knownOrigin{}
	}
	r.origins[k] = o
}

// follow looks at one expression.
func (t *tracer) follow(e ast.Expr, f *frame) origins {
	if o, ok := t.constantOf(e); ok {
		return o
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return t.expr(e.X, f)
	case *ast.StarExpr:
		return t.expr(e.X, f)
	case *ast.UnaryExpr:
		if e.Op == token.ARROW {
			return origins{sources: model.FromInput}
		}
		return t.expr(e.X, f)
	case *ast.TypeAssertExpr:
		return t.expr(e.X, f)
	case *ast.SliceExpr:
		return t.expr(e.X, f)
	case *ast.IndexExpr:
		if o, ok := t.headerIndex(e); ok {
			return o
		}
		o := t.expr(e.X, f)
		if len(o.births) == 0 {
			o = mix(o, t.expr(e.Index, f)) // an element of a table is chosen by its index
			o.sources |= model.FromInput
			o.empty = false
		}
		return o
	case *ast.BinaryExpr:
		return mix(t.expr(e.X, f), t.expr(e.Y, f))
	case *ast.CompositeLit:
		return t.composite(e, f)
	case *ast.Ident:
		return t.ident(e, f)
	case *ast.SelectorExpr:
		return t.selector(e, f)
	case *ast.CallExpr:
		return t.call(e, f, 0)
	}
	return origins{unknown: true}
}

// constantOf is the origin of a literal or constant.
func (t *tracer) constantOf(e ast.Expr) (origins, bool) {
	if tv, ok := t.u.info.Type(e); ok {
		if tv.IsNil() {
			return origins{empty: true}, true
		}
		if tv.Value != nil {
			return constantOrigin(tv.Value), true
		}
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		return constantOrigin(constant.MakeFromLiteral(e.Value, e.Kind, 0)), true
	case *ast.Ident:
		if c, ok := t.u.object(e).(*types.Const); ok {
			return constantOrigin(c.Val()), true
		}
	}
	return origins{}, false
}

func constantOrigin(v constant.Value) origins {
	o := origins{sources: model.FromConstant}
	switch v.Kind() {
	case constant.String:
		s := constant.StringVal(v)
		if s == "" {
			return origins{empty: true}
		}
		o.texts = []string{s}
	case constant.Int:
		o.texts = []string{v.ExactString()}
	}
	return o
}

func (t *tracer) composite(e *ast.CompositeLit, f *frame) origins {
	if len(e.Elts) == 0 {
		return origins{empty: true}
	}
	var parts []origins
	for _, x := range e.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			if _, isField := kv.Key.(*ast.Ident); !isField {
				parts = append(parts, t.expr(kv.Key, f))
			}
			x = kv.Value
		}
		if _, ok := x.(*ast.FuncLit); !ok {
			parts = append(parts, t.expr(x, f))
		}
	}
	return mix(parts...)
}

func (t *tracer) ident(id *ast.Ident, f *frame) origins {
	v, ok := t.u.object(id).(*types.Var)
	if !ok {
		if _, ok := t.u.object(id).(*types.Nil); ok {
			return origins{empty: true}
		}
		return origins{unknown: true}
	}
	return t.variable(v, id, f).word(v.Name())
}

func (o origins) word(w string) origins {
	o.words = append(o.words[:len(o.words):len(o.words)], w)
	return o
}

func (t *tracer) variable(v *types.Var, at *ast.Ident, f *frame) origins {
	if t.global[v] {
		return t.globalVar(v, f)
	}
	if t.isCounter(v, at) {
		return origins{sources: model.FromAttempt, births: []birth{{node: at, inner: at, source: model.FromAttempt, in: f.fn, scope: at}}}
	}
	owner := t.ownerOf(v, f.fn)
	if owner == nil {
		return origins{sources: model.FromInput, unknown: true}
	}
	of := f.of(owner)
	if isReceiver(t.u, owner, v) {
		if of.call != nil && of.up != nil {
			if sel, ok := ast.Unparen(of.call.Fun).(*ast.SelectorExpr); ok {
				return t.expr(sel.X, of.up)
			}
		}
		return origins{sources: model.FromInput, direct: true}
	}
	if i, ok := paramIndex(t.u, owner, v); ok {
		p := t.param(v, i, of)
		// A parameter may be given a value where it came empty.
		if vals := t.definitions(v, of); len(vals) > 0 {
			return either(append(vals, p)...)
		}
		return p
	}
	vals := t.definitions(v, of)
	if len(vals) == 0 {
		return origins{empty: true}
	}
	return either(vals...)
}

// globalVar is a package-level variable: what is in there was made once per process.
func (t *tracer) globalVar(v *types.Var, f *frame) origins {
	var vals []origins
	for _, id := range t.usesOf(v) {
		if d, how := t.defAt(id, f.root(t.u.enclosing(id))); how != defNone {
			vals = append(vals, d)
		}
	}
	o := either(vals...)
	if len(vals) == 0 || o.empty {
		return origins{sources: model.FromInput, unknown: true}
	}
	if o.sources.Unstable() {
		o.sources = o.sources&^(model.FromRandom|model.FromClock|model.FromAttempt|model.FromDelivery) | model.FromProcess
		o.births = nil
	}
	if o.sources&model.FromInput != 0 {
		o.unknown = true
	}
	return o
}

// ownerOf is the function that declares a local variable: in, or a function around it. Nil where the variable is not known,
// as in an index of what may be a type or a function.
func (t *tracer) ownerOf(v *types.Var, in *fn) *fn {
	if v == nil {
		return nil
	}
	for g := in; g != nil; g = g.parent {
		if g.holds(v) {
			return g
		}
	}
	if g := t.u.enclosingPos(v); g != nil {
		return g
	}
	return nil
}

// holds reports whether an object is declared within a function; what stands for a package's initialisers has no syntax.
func (g *fn) holds(v types.Object) bool {
	if g.decl == nil && g.lit == nil {
		return false
	}
	n := g.node()
	return n.Pos() <= v.Pos() && v.Pos() < n.End()
}

func (u *unit) enclosingPos(v types.Object) *fn {
	ids := u.tracing().usesOf(v)
	if len(ids) == 0 {
		return nil
	}
	g := u.enclosing(ids[0])
	for ; g != nil; g = g.parent {
		if g.holds(v) {
			return g
		}
	}
	return nil
}

// paramIndex is the position of a parameter among the arguments of a call.
func paramIndex(u *unit, g *fn, v types.Object) (int, bool) {
	if g.typ == nil || g.typ.Params == nil {
		return 0, false
	}
	i := 0
	for _, fl := range g.typ.Params.List {
		for _, id := range fl.Names {
			if u.info.Def(id) == v && v != nil {
				return i, true
			}
			i++
		}
		if len(fl.Names) == 0 {
			i++
		}
	}
	return 0, false
}

// isReceiver reports whether v is the receiver of g.
func isReceiver(u *unit, g *fn, v types.Object) bool {
	if g == nil || g.decl == nil || g.decl.Recv == nil || v == nil {
		return false
	}
	for _, fl := range g.decl.Recv.List {
		for _, id := range fl.Names {
			if u.info.Def(id) == v {
				return true
			}
		}
	}
	return false
}

// param is a parameter: the argument of the call through which the function was entered, or else whatever the callers in
// this package pass, beside what others may pass.
func (t *tracer) param(v *types.Var, i int, f *frame) origins {
	if f.call != nil && f.up != nil {
		if a := argument(f.call, i, f.fn); a != nil {
			return t.expr(a, f.up)
		}
		return origins{sources: model.FromInput, unknown: true}
	}
	if f.fn.lit != nil && len(f.fn.callers) == 0 {
		if t.isAttemptParam(v, f.fn) {
			return origins{sources: model.FromAttempt, births: []birth{{node: f.fn.lit.Type, inner: f.fn.lit.Type, source: model.FromAttempt, in: f.fn, scope: f.fn.lit.Body}}}
		}
		return origins{sources: model.FromInput, direct: true}
	}
	out := origins{sources: model.FromInput, byCaller: true, direct: true}
	for _, s := range f.fn.callers {
		a := argument(s.call, i, f.fn)
		if a == nil {
			continue
		}
		o := t.expr(a, f.root(s.in))
		if len(o.births) > 0 {
			out.births = append(out.births, o.births...)
		} else if o.sources&^(model.FromConstant|model.FromProcess) == 0 && o.sources != 0 && !f.fn.exported() && len(f.fn.callers) == 1 {
			return o // the only caller passes a constant
		}
		out.headers = append(out.headers, o.headers...)
		out.words = append(out.words, o.words...)
	}
	if len(out.births) > 0 && !f.fn.exported() && len(out.births) >= len(f.fn.callers) {
		out.sources = 0
		for _, b := range out.births {
			out.sources |= b.source
		}
	}
	return out
}

// argument is the expression that is passed for parameter i; nil for a variadic one with more than one value.
func argument(c *ast.CallExpr, i int, g *fn) ast.Expr {
	if g != nil && g.typ != nil && g.typ.Params != nil {
		if n := g.typ.Params.NumFields(); n > 0 && i == n-1 && len(c.Args) > n {
			if _, ok := g.typ.Params.List[len(g.typ.Params.List)-1].Type.(*ast.Ellipsis); ok {
				return nil
			}
		}
	}
	if i < len(c.Args) {
		return c.Args[i]
	}
	return nil
}

// mix is a value made of all its parts.
func mix(parts ...origins) origins {
	out := origins{empty: true}
	n := 0
	for _, p := range parts {
		out.sources |= p.sources
		out.births = append(out.births, p.births...)
		out.texts = append(out.texts, p.texts...)
		out.headers = append(out.headers, p.headers...)
		out.words = append(out.words, p.words...)
		out.unknown = out.unknown || p.unknown
		out.byCaller = out.byCaller || p.byCaller
		out.empty = out.empty && p.empty
		if !p.empty {
			out.direct = p.direct
			n++
		}
	}
	out.direct = out.direct && n == 1
	return out
}

// either is a value that is one of several: it is fresh only if every one of them is.
func either(alts ...origins) origins {
	out := origins{empty: true, direct: true}
	fresh := true
	for _, a := range alts {
		if a.empty && a.sources == 0 {
			continue
		}
		out.empty = false
		out.sources |= a.sources
		out.births = append(out.births, a.births...)
		out.headers = append(out.headers, a.headers...)
		out.words = append(out.words, a.words...)
		if len(out.texts) == 0 {
			out.texts = a.texts
		}
		out.unknown = out.unknown || a.unknown
		out.byCaller = out.byCaller || a.byCaller
		out.direct = out.direct && a.direct
		fresh = fresh && (len(a.births) > 0 || a.byCaller && len(a.births) > 0)
	}
	if !fresh && !out.byCaller {
		out.births = nil
		if out.sources&^(model.FromRandom|model.FromClock|model.FromAttempt|model.FromDelivery) != 0 {
			out.sources &^= model.FromRandom | model.FromClock | model.FromAttempt | model.FromDelivery
		}
	}
	return out
}
