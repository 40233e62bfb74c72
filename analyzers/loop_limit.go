package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/retrylint/retrylint/analyzers/libs"
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
	if l.again != nil {
		return l.again.first[o]
	}
	var out ast.Expr
	for _, n := range u.setsOf(o) {
		if a, ok := n.(*ast.AssignStmt); ok && a.Tok != token.ASSIGN && a.Tok != token.DEFINE {
			continue // a step, that of the loop's head for one
		}
		if s, ok := l.stmt.(*ast.ForStmt); ok && n == ast.Node(s.Post) {
			continue
		}
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
		a, _, tired := u.probe(f, l, j, mutated, &lim, 3, 24)
		b, _, tired2 := u.probe(f, l, j, mutated, &lim, 5, 24)
		if tired || tired2 {
			if !u.plainCount(f, l, &lim) {
				continue
			}
		} else if a < 0 || b < 0 || b <= a || (b-a)%2 != 0 {
			continue
		} else {
			lim.slope = int64(b-a) / 2
			lim.offset = int64(a) - 3*lim.slope
		}
		in := f
		if l.again != nil && lim.counter != nil {
			in = l.again.caller
		}
		lim.value = u.limitValue(in, lim)
		lim.offset += first
		out = append(out, lim)
	}
	return out
}

// plainCount reads how often a loop runs off its own head, where its body has too many ways to be run: a counter that only the
// head moves, by one, from a number that is known.
func (u *unit) plainCount(f *fn, l *loop, lim *limit) bool {
	if lim.rng {
		lim.slope, lim.offset = 1, 0
		return true
	}
	s, ok := l.stmt.(*ast.ForStmt)
	if !ok || s.Cond == nil || lim.counter != nil {
		return false
	}
	var counter types.Object
	step := 0
	switch p := s.Post.(type) {
	case *ast.IncDecStmt:
		counter = u.lvalue(p.X)
		if step = 1; p.Tok == token.DEC {
			step = -1
		}
	case *ast.AssignStmt:
		if len(p.Lhs) != 1 || len(p.Rhs) != 1 {
			return false
		}
		if v := u.value(p.Rhs[0], f); !v.IsInt || v.Int != 1 || v.Lo != v.Hi || p.Tok != token.ADD_ASSIGN {
			return false
		}
		counter, step = u.lvalue(p.Lhs[0]), 1
	}
	if counter == nil || step != 1 {
		return false
	}
	for _, n := range u.setsOf(counter) {
		if l.body.Pos() <= n.Pos() && n.End() <= l.body.End() {
			return false
		}
	}
	start := u.value(u.firstValue(counter, l), f)
	if !start.IsInt || start.Lo != start.Hi {
		return false
	}
	found := false
	ast.Inspect(s.Cond, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok || b.Op == token.LAND {
			return ok
		}
		op, own := b.Op, b.X
		if b.X == lim.expr {
			own = b.Y
			op = map[token.Token]token.Token{token.GTR: token.LSS, token.GEQ: token.LEQ, token.NEQ: token.NEQ}[op]
		} else if b.Y != lim.expr {
			return false
		}
		if u.lvalue(ast.Unparen(own)) != counter {
			return false
		}
		switch op {
		case token.LSS, token.NEQ:
			lim.slope, lim.offset, found = 1, -start.Int, true
		case token.LEQ:
			lim.slope, lim.offset, found = 1, 1-start.Int, true
		}
		return false
	})
	return found
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
