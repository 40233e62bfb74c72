package analyzers

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

func (u *unit) machine(f *fn, l *loop, op *ast.CallExpr, mutated map[types.Object]bool) *machine {
	return &machine{u: u, f: f, loop: l, op: op, mutated: mutated, over: map[ast.Expr]abs{}, start: map[types.Object]abs{}}
}

// once runs one round under an assumption and says whether the loop can go on and whether it can be left.
func (u *unit) once(f *fn, l *loop, op *ast.CallExpr, mutated map[types.Object]bool, sc scenario, status int) (next, leave, gaveUp bool, waits int) {
	return u.onceWith(f, l, op, nil, mutated, sc, status)
}

// onceWith does so where another call fares as the operation does.
func (u *unit) onceWith(f *fn, l *loop, op, also *ast.CallExpr, mutated map[types.Object]bool, sc scenario, status int) (next, leave, gaveUp bool, waits int) {
	for _, pref := range []bool{false, true} {
		m := u.machine(f, l, op, mutated)
		m.also = also
		m.scene, m.status, m.leave = sc, status, pref
		st := m.enter()
		if !m.again(st, 0) {
			if s, ok := l.stmt.(*ast.ForStmt); !ok || s.Cond == nil || !m.opIn(s.Cond) {
				// A bound of zero as far as is known; run the body all the same.
				_ = s
			} else {
				leave = true
				continue
			}
		}
		before := st.ops
		o := m.round(st)
		if m.gaveUp {
			gaveUp = true
		}
		ran := o.st.ops > before
		if o.ctl == ctlNext {
			// Does the loop's own condition end it now?
			if s, ok := l.stmt.(*ast.ForStmt); ok && s.Cond != nil {
				c := m.eval(s.Cond, o.st)
				if c.k == absBool && !c.b && m.aboutOutcome(s.Cond) {
					if ran || m.opIn(s.Cond) {
						leave = true
					}
					continue
				}
			}
			if ran {
				next = true
				if !pref {
					waits = o.st.waitCount()
				}
			}
		} else if ran {
			leave = true
		}
	}
	return next, leave, gaveUp, waits
}

// opIn reports whether the operation stands in an expression.
func (m *machine) opIn(e ast.Expr) bool {
	return e != nil && e.Pos() <= m.op.Pos() && m.op.End() <= e.End()
}

// aboutOutcome reports whether a condition asks for more than a counter: an error, a flag.
func (m *machine) aboutOutcome(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Ident:
			if x.Name == "nil" {
				found = true
			}
			if o := m.u.object(x); o != nil && m.mutated[o] {
				if o.Type() != nil {
					if b, ok := o.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsBoolean != 0 {
						found = true
					}
				}
			}
		case *ast.CallExpr:
			if x == m.op {
				found = true
			}
		}
		return !found
	})
	return found
}

// judgeOp asks whether a loop repeats one operation because that failed.
func (u *unit) judgeOp(f *fn, l *loop, c candidate, mutated map[types.Object]bool) judged {
	j := judged{op: c.call, scene: opFails, sure: c.strength == remoteSure}
	next, _, gave, waits := u.once(f, l, c.call, mutated, opFails, 0)
	if !next && u.seesStatus(l) {
		for _, code := range []int{503, 429, 500, 409} {
			n, _, g, w := u.once(f, l, c.call, mutated, opStatus, code)
			gave = gave || g
			if n {
				next, waits = true, w
				j.scene, j.status = opStatus, code
				break
			}
		}
	}
	if !next && !gave && u.saysSo(f, l) && u.remainder(l, c) {
		// A batch whose rest is sent again: what failed is in the answer.
		j.verdict, j.scene, j.always = isRetry, opSucceeds, true
		return j
	}
	if !next {
		j.why = "a failure of " + c.k.sel + " ends it"
		if gave {
			j.verdict, j.why = cannotSay, "too many ways through the body"
		}
		return j
	}
	if j.scene == opFails {
		if why := u.onlyOn(f, l, c, mutated); why != "" {
			j.why = why
			return j
		}
	}
	if u.anyWait(l) && u.remainder(l, c) && u.evidence(f, l, mutated, waits).named {
		j.verdict, j.always = isRetry, true
		return j
	}
	stay, leave, gave2, idle := u.once(f, l, c.call, mutated, opSucceeds, 0)
	if !leave {
		j.why = whyGoesOn
		switch {
		case c.strength == remoteNo || gave || gave2:
		case waits > 0 && idle == 0 && (u.backsOff(l, mutated) || countsTriesAlone(l)) && u.newInput(f, l, c, mutated) == "":
			// A connection that is made again: each failure waits longer, each success resets the wait.
			j.verdict, j.outer = isRetry, true
			return j
		case u.retryCounter(f, l, mutated) && u.newInput(f, l, c, mutated) == "":
			j.verdict, j.always = isRetry, true // it repeats after success too
			return j
		}
		if gave || gave2 {
			j.verdict, j.why = cannotSay, "too many ways through the body"
		}
		return j
	}
	if why := u.newInput(f, l, c, mutated); why != "" {
		j.why = why
		return j
	}
	evidence := u.evidence(f, l, mutated, waits)
	if stay {
		// Success alone does not end it: it waits for a state, or more than one thing has to go well.
		switch {
		case u.publishes(c) && (evidence.counted || evidence.waits):
			// Nobody publishes to see how things stand: it has to be confirmed as well.
		case !evidence.named || !evidence.counted && !evidence.waits:
			j.why = whyState
			return j
		default:
			j.state = true
		}
	}
	switch {
	case evidence.counted || evidence.waits || evidence.named || c.strength == remoteSure:
		j.verdict = isRetry
	default:
		j.verdict, j.why = cannotSay, fmt.Sprintf("%s may be repeated after a failure, or be asked for something else each time", c.k.sel)
	}
	if !evidence.waits && !evidence.named && !evidence.counted && u.localLoop(f) {
		j.verdict, j.why = notRetry, "it works within the process"
	}
	return j
}

// publishes reports whether an operation is a client's method that sends something away, by its library.
func (u *unit) publishes(c candidate) bool {
	use, ok := u.library(c.k)
	return ok && use.send != nil && use.send.Effect && use.send.Kind == "publish"
}

// onlyOn says why a loop that goes on after some errors alone is no retry, "" where it is one: what it goes on after is the
// end of one source, after which comes the next; or that a name is taken already, and each round thinks of another.
func (u *unit) onlyOn(f *fn, l *loop, c candidate, mutated map[types.Object]bool) string {
	m := u.machine(f, l, c.call, mutated)
	m.scene, m.common = opFails, true
	st := m.enter()
	if s, ok := l.stmt.(*ast.ForStmt); ok && s.Cond != nil && m.opIn(s.Cond) {
		return ""
	}
	before := st.ops
	if o := m.round(st); o.ctl == ctlNext || m.gaveUp || o.st.ops == before || len(m.asked) == 0 {
		return ""
	}
	ends, taken := 0, 0
	for _, n := range m.asked {
		n = strings.ToLower(n[strings.LastIndexByte(n, '.')+1:])
		switch {
		case n == "eof" || n == "erreof" || n == "iseof" || strings.Contains(n, "nomore") || strings.Contains(n, "endof") || strings.Contains(n, "iteratordone"):
			ends++
		case strings.Contains(n, "exist") || strings.Contains(n, "duplicate") || strings.Contains(n, "collision") || strings.Contains(n, "taken") || strings.Contains(n, "unique") || strings.Contains(n, "inuse"):
			taken++
		}
	}
	switch {
	case ends == len(m.asked) && c.strength != remoteSure:
		return whyNextItem
	case ends+taken == len(m.asked) && taken > 0 && u.anotherName(l, c, mutated):
		return "each round makes another name"
	}
	return ""
}

// anotherName reports whether the operation is asked with a name that each round draws anew.
func (u *unit) anotherName(l *loop, c candidate, mutated map[types.Object]bool) bool {
	found := false
	drawn := func(e ast.Expr) {
		ast.Inspect(e, func(n ast.Node) bool {
			if x, ok := n.(*ast.CallExpr); ok {
				s := strings.ToLower(u.callee(x).sel)
				for _, w := range []string{"gen", "rand", "uuid", "unique", "newid", "newname", "suffix", "next"} {
					if strings.Contains(s, w) {
						found = true
					}
				}
			}
			return !found
		})
	}
	for _, a := range c.call.Args {
		drawn(a)
		ast.Inspect(a, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok || found {
				return !found
			}
			o := u.object(id)
			if o == nil || !mutated[o] {
				return true
			}
			for _, s := range u.setsOf(o) {
				if a, ok := s.(*ast.AssignStmt); ok && a.Pos() >= l.body.Pos() && a.End() <= l.body.End() {
					for _, r := range a.Rhs {
						drawn(r)
					}
				}
			}
			return true
		})
	}
	return found
}

var restName = regexp.MustCompile(`(?i)^(unproc|un(fetched|sent|acked|delivered|written|successful)|failed|failures|remain|leftover|throttled|rejected|(to_?)?retr(y|ies))`)

// remainder reports whether a loop asks its operation again for what is left of a batch: its input, or what it counts down, is
// set from what failed.
func (u *unit) remainder(l *loop, c candidate) bool {
	s, ok := l.stmt.(*ast.ForStmt)
	if !ok {
		return false
	}
	used := map[string]bool{}
	note := func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Ident:
			used[x.Name] = true
		case *ast.SelectorExpr:
			used[types.ExprString(x)] = true
		}
		return true
	}
	for _, a := range c.call.Args {
		ast.Inspect(a, note)
	}
	if s.Cond != nil {
		ast.Inspect(s.Cond, note)
	}
	found := false
	inspectOwn(l.body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || a.Tok != token.ASSIGN || len(a.Lhs) != len(a.Rhs) {
			return !found
		}
		for i, x := range a.Lhs {
			if !used[types.ExprString(x)] {
				continue
			}
			r := ast.Unparen(a.Rhs[i])
			if ix, ok := r.(*ast.IndexExpr); ok {
				r = ix.X // batch.UnprocessedItems[table]
			}
			switch r := r.(type) {
			case *ast.Ident:
				found = found || restName.MatchString(r.Name)
			case *ast.SelectorExpr:
				found = found || restName.MatchString(r.Sel.Name)
			}
		}
		return !found
	})
	return found
}

// backsOff reports whether a loop has a wait that grows with failures and is set back after success.
func (u *unit) backsOff(l *loop, mutated map[types.Object]bool) bool {
	found := false
	ast.Inspect(l.body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.CallExpr:
			k := u.callee(x)
			if k.sel == "Reset" && len(x.Args) == 0 && k.recv != nil && !strings.HasPrefix(k.name, "time.") {
				found = true
			}
		case *ast.AssignStmt:
			for _, e := range x.Lhs {
				o := u.lvalue(e)
				if o == nil || !isDuration(o.Type()) || x.Tok != token.ASSIGN {
					continue
				}
				n := 0
				for _, s := range u.setsOf(o) {
					if s.Pos() > l.body.Pos() && s.End() < l.body.End() {
						n++
					}
				}
				if n > 1 {
					found = true // doubled in one place, set back in another
				}
			}
		}
		return !found
	})
	return found
}

// countsTriesAlone reports whether a loop without a condition counts its attempts: for attempt := 0; ; attempt++.
func countsTriesAlone(l *loop) bool {
	s, ok := l.stmt.(*ast.ForStmt)
	if !ok || s.Cond != nil {
		return false
	}
	p, ok := s.Post.(*ast.IncDecStmt)
	if !ok {
		return false
	}
	id, ok := p.X.(*ast.Ident)
	return ok && retryName(id.Name)
}

// retryCounter reports whether the loop's own condition counts retries by name.
func (u *unit) retryCounter(f *fn, l *loop, mutated map[types.Object]bool) bool {
	s, ok := l.stmt.(*ast.ForStmt)
	if !ok || s.Cond == nil {
		return false
	}
	named := false
	ast.Inspect(s.Cond, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && retryName(id.Name) {
			named = true
		}
		return !named
	})
	return named && len(u.limits(f, l, mutated)) > 0
}

// seesStatus reports whether the body looks at a status.
func (u *unit) seesStatus(l *loop) bool {
	found := false
	inspectOwn(l.body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "StatusCode" {
			found = true
		}
		if id, ok := n.(*ast.Ident); ok && strings.Contains(strings.ToLower(id.Name), "resp") && mayHoldStatus(u.typeOf(id)) {
			found = true
		}
		return !found
	})
	return found
}

// mayHoldStatus reports whether a value may have a status in it: the bytes of a body have none.
func mayHoldStatus(t types.Type) bool {
	if t == nil {
		return true
	}
	switch t.Underlying().(type) {
	case *types.Slice, *types.Array, *types.Map, *types.Chan:
		return false
	case *types.Basic:
		return t == types.Typ[types.Invalid]
	}
	return true
}

// signs are what else speaks for a retry.
type signs struct{ counted, waits, named bool }

func (u *unit) evidence(f *fn, l *loop, mutated map[types.Object]bool, waits int) signs {
	s := signs{waits: waits > 0}
	switch st := l.stmt.(type) {
	case *ast.ForStmt:
		if st.Cond != nil && st.Post != nil {
			s.counted = true
		}
	case *ast.RangeStmt:
		s.counted = true
	}
	if len(u.limits(f, l, mutated)) > 0 {
		s.counted = true
	}
	ast.Inspect(l.stmt, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if ok && retryName(id.Name) {
			s.named = true
		}
		return !s.named
	})
	if retryName(f.short()) {
		s.named = true
	}
	return s
}

// retryName reports whether a name speaks of retries: maxRetries, attempt, numTries, backoff; not entries, registries, retrieve.
func retryName(s string) bool {
	low := strings.ToLower(s)
	for _, w := range []string{"attempt", "retry", "retries", "retried", "backoff", "back_off"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return hasWord(s, "tries")
}

// hasWord reports whether a name has a word among those that capitals and underscores make; letters and a number may stand
// before it where the whole name is in lower case (maxtries).
func hasWord(name, word string) bool {
	for i := 0; i+len(word) <= len(name); i++ {
		if !strings.EqualFold(name[i:i+len(word)], word) {
			continue
		}
		end := i + len(word)
		starts := i == 0 || name[i-1] == '_' || name[i] >= 'A' && name[i] <= 'Z'
		ends := end == len(name) || name[end] == '_' || name[end] < 'a' || name[end] > 'z'
		if starts && ends {
			return true
		}
		if ends {
			for _, p := range []string{"max", "num", "no", "n", "of"} {
				if i == len(p) && strings.EqualFold(name[:i], p) {
					return true
				}
			}
		}
	}
	return false
}

// anyWait reports whether the loop waits anywhere.
func (u *unit) anyWait(l *loop) bool {
	found := false
	inspectOwn(l.body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			k := u.callee(c)
			if u.waits(c) || isWord(k.name, "time.After", "time.NewTimer", "time.AfterFunc") || isWord(k.sel, "After") && len(c.Args) == 1 {
				found = true
			}
		}
		return !found
	})
	return found
}
