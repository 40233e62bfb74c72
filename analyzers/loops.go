package analyzers

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// verdict is what is thought of a loop.
type verdict uint8

const (
	notRetry verdict = iota
	isRetry
	cannotSay
)

// finding of a loop: why, and with which operation.
type judged struct {
	verdict verdict
	why     string
	op      *ast.CallExpr
	scene   scenario
	status  int
	state   bool // success is a state that the loop waits for
	outer   bool // it goes on after success: something is kept up, each failure of it is retried
	always  bool // it repeats after success too
}

// findLoops judges every loop and makes layers of those that retry.
func (u *unit) findLoops(f *fn) {
	if f.body == nil {
		return
	}
	if f.hasGoto {
		u.gotoLoops(f)
	}
	for _, l := range f.loops {
		j := u.judge(f, l)
		switch j.verdict {
		case isRetry:
			u.loopLayer(f, l, j)
		case cannotSay:
			u.facts.Undecided = append(u.facts.Undecided, model.Undecided{Kind: model.UndecidedLoop, At: u.at(l.stmt), What: j.why})
		}
	}
}

// gotoLoops makes loops of labelled statements that a goto further down jumps back to.
func (u *unit) gotoLoops(f *fn) {
	inspectOwn(f.body, func(n ast.Node) bool {
		b, ok := n.(*ast.BlockStmt)
		if !ok {
			return true
		}
		for i, s := range b.List {
			ls, ok := s.(*ast.LabeledStmt)
			if !ok {
				continue
			}
			switch ls.Stmt.(type) {
			case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.SelectStmt:
				continue
			}
			back := false
			for _, t := range b.List[i:] {
				inspectOwn(t, func(n ast.Node) bool {
					if g, ok := n.(*ast.BranchStmt); ok && g.Tok == token.GOTO && g.Label != nil && g.Label.Name == ls.Label.Name {
						back = true
					}
					return !back
				})
			}
			if !back {
				continue
			}
			body := &ast.BlockStmt{Lbrace: ls.Stmt.Pos(), List: append([]ast.Stmt{ls.Stmt}, b.List[i+1:]...), Rbrace: b.Rbrace}
			l := &loop{stmt: ls, body: body, label: ls.Label.Name}
			f.loops = append(f.loops, l)
			for _, c := range f.calls {
				if c.loop == nil && c.expr.Pos() >= body.Pos() && c.expr.End() <= body.End() {
					c.loop = l
				}
			}
		}
		return true
	})
}

// candidate is a call of a loop that may be its operation.
type candidate struct {
	call     *ast.CallExpr
	strength int8
	k        callee
}

// judge decides whether a loop repeats an operation because it failed.
func (u *unit) judge(f *fn, l *loop) judged {
	if !leavable(l) {
		return judged{why: "the loop has no way out"}
	}
	if r, ok := l.stmt.(*ast.RangeStmt); ok && u.overItems(r) {
		return judged{why: "each round takes another item"}
	}
	cands := u.candidates(f, l)
	if len(cands) == 0 {
		return judged{why: "nothing in it can fail outside the process"}
	}
	mutated := u.mutatedIn(l)
	best := judged{}
	for _, c := range cands {
		j := u.judgeOp(f, l, c, mutated)
		if j.verdict == isRetry {
			return j
		}
		if j.verdict == cannotSay && best.verdict != cannotSay || best.why == "" {
			best = j
		}
	}
	return best
}

// leavable reports whether something can end the loop: a condition, a break, a return.
func leavable(l *loop) bool {
	switch s := l.stmt.(type) {
	case *ast.ForStmt:
		if s.Cond != nil {
			return true
		}
	case *ast.RangeStmt:
		return true
	case *ast.LabeledStmt:
		return true
	}
	found := false
	inspectOwn(l.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			found = true
		case *ast.BranchStmt:
			if n.Tok == token.BREAK || n.Tok == token.GOTO || n.Label != nil {
				found = true
			}
		}
		return !found
	})
	return found
}

// overItems reports whether a range statement goes through items, as opposed to a count or a list of waits.
func (u *unit) overItems(r *ast.RangeStmt) bool {
	t := u.typeOf(r.X)
	if t == nil {
		if id, ok := r.Value.(*ast.Ident); ok && id.Name != "_" {
			return true
		}
		if id, ok := r.Key.(*ast.Ident); ok && id.Name != "_" {
			return !attemptName(id.Name)
		}
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&types.IsInteger == 0
	case *types.Slice:
		return !isDuration(t.Elem()) && !unused(r)
	case *types.Array:
		return !isDuration(t.Elem()) && !unused(r)
	case *types.Chan:
		return !strings.HasSuffix(t.Elem().String(), "time.Time") && !unused(r)
	case *types.Signature, *types.Map:
		return !unused(r) || true
	}
	return true
}

func unused(r *ast.RangeStmt) bool {
	blank := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return e == nil || ok && id.Name == "_"
	}
	return blank(r.Value) && (blank(r.Key) || attemptName(r.Key.(*ast.Ident).Name))
}

// attemptName reports whether a variable's name says that it counts attempts.
func attemptName(s string) bool {
	s = strings.ToLower(s)
	for _, w := range []string{"attempt", "retr", "tries", "try", "round"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// candidates lists the calls directly in the loop whose failure matters, the strongest first in source order.
func (u *unit) candidates(f *fn, l *loop) []candidate {
	var out []candidate
	for _, c := range f.calls {
		if c.spawn || c.defr || !within(c.loop, l) || c.expr.Pos() < l.body.Pos() && !inCond(l, c.expr) {
			continue
		}
		k := u.callee(c.expr)
		if k.conv || takesNext(k, u, c.expr) || !u.canFail(c.expr, k) {
			continue
		}
		s := u.strengthOf(k, c.expr, 0)
		if s == remoteNo || isPause(u, k, c.expr) {
			continue
		}
		out = append(out, candidate{c.expr, s, k})
		if len(out) == 12 {
			break
		}
	}
	// The surest first, so that an HTTP request is the operation and not the helper before it.
	var sure, rest []candidate
	for _, c := range out {
		if c.strength == remoteSure {
			sure = append(sure, c)
		} else {
			rest = append(rest, c)
		}
	}
	return append(sure, rest...)
}

func within(inner, outer *loop) bool {
	for l := inner; l != nil; l = l.outer {
		if l == outer {
			return true
		}
	}
	return false
}

func inCond(l *loop, c *ast.CallExpr) bool {
	s, ok := l.stmt.(*ast.ForStmt)
	return ok && s.Cond != nil && s.Cond.Pos() <= c.Pos() && c.End() <= s.Cond.End()
}

// canFail reports whether a call's result can say that it failed: an error, a bool alone, a response.
func (u *unit) canFail(c *ast.CallExpr, k callee) bool {
	t := u.typeOf(c)
	if t == nil {
		if k.fun != nil {
			sig, _ := k.fun.Type().(*types.Signature)
			return sig != nil && sig.Results().Len() > 0
		}
		// No types: an assignment to err, or a comparison with nil.
		switch p := u.parent(c).(type) {
		case *ast.AssignStmt:
			return len(p.Lhs) > 0 && errName(p.Lhs[len(p.Lhs)-1])
		case *ast.BinaryExpr, *ast.ReturnStmt, *ast.CallExpr, *ast.SelectorExpr, *ast.ValueSpec:
			return true
		}
		return false
	}
	last := t
	if tt, ok := t.(*types.Tuple); ok {
		if tt.Len() == 0 {
			return false
		}
		last = tt.At(tt.Len() - 1).Type()
	}
	if isErrorType(last) {
		return true
	}
	if _, many := t.(*types.Tuple); many {
		return false
	}
	if b, ok := last.Underlying().(*types.Basic); ok && b.Info()&types.IsBoolean != 0 {
		return boolOp(k.sel)
	}
	// A command or row whose error is asked for: rdb.Get(...).Err().
	if p, ok := u.parent(c).(*ast.SelectorExpr); ok {
		return isWord(p.Sel.Name, "Err", "Error", "Result")
	}
	return implementsError(last)
}

func implementsError(t types.Type) bool {
	m, _, _ := types.LookupFieldOrMethod(t, true, nil, "Error")
	f, ok := m.(*types.Func)
	if !ok {
		return false
	}
	sig := f.Type().(*types.Signature)
	return sig.Params().Len() == 0 && sig.Results().Len() == 1
}

func errName(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && (strings.HasPrefix(strings.ToLower(id.Name), "err") || strings.HasSuffix(id.Name, "Err"))
}

// boolOp knows verbs whose plain bool says that something was done.
func boolOp(name string) bool {
	n := strings.ToLower(name)
	for _, w := range []string{"try", "send", "connect", "dial", "attempt", "ping", "push", "publish", "deliver", "upload", "do"} {
		if strings.HasPrefix(n, w) && !strings.HasPrefix(n, "done") && !strings.HasPrefix(n, "trylock") {
			return true
		}
	}
	return false
}

// takesNext knows calls that take another item, event or connection each time.
func takesNext(k callee, u *unit, c *ast.CallExpr) bool {
	n := k.sel
	if isWord(n, "Next", "Recv", "Receive", "Accept", "AcceptTCP", "AcceptUnix", "Scan", "Poll", "Pop", "Dequeue", "Token", "Decode", "ReadMessage", "FetchMessage",
		"ReadByte", "ReadRune", "ReadString", "ReadLine", "ReadBytes", "ReadFrame", "ReadPacket", "NextMsg", "Consume", "Lex", "Peek", "RecvMsg", "ReadFrom",
		"ReadFromUDP", "ReadMsgUDP", "CompareAndSwap", "TryLock", "NextReader", "ReadMsg", "Wait", "ReceiveMessage", "NextPage", "ReadJSON", "WaitForNotification",
		"BLPop", "BRPop", "XRead", "XReadGroup", "ReadAt", "Discard", "Advance", "NextToken", "PollFetches", "FetchMessages", "ReadSlice", "RecvFrom") {
		return true
	}
	for _, p := range []string{"CompareAndSwap", "CompareAndSet"} {
		if strings.HasPrefix(n, p) {
			return true
		}
	}
	if n == "Read" || n == "Write" {
		return true
	}
	return false
}

// isPause reports whether a call only waits between attempts.
func isPause(u *unit, k callee, c *ast.CallExpr) bool {
	return u.waits(c) || isWord(k.sel, "Wait", "WaitN", "Sleep", "Pause", "Backoff")
}

// mutatedIn lists the variables that a loop changes.
func (u *unit) mutatedIn(l *loop) map[types.Object]bool {
	out := map[types.Object]bool{}
	note := func(e ast.Expr) {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			if o := u.object(x); o != nil {
				out[o] = true
			}
		case *ast.SelectorExpr:
			if o, ok := u.object(x.Sel).(*types.Var); ok {
				out[o] = true
			}
		}
	}
	visit := func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.AssignStmt:
			for _, x := range s.Lhs {
				note(x)
			}
		case *ast.IncDecStmt:
			note(s.X)
		case *ast.RangeStmt:
			if s.Key != nil {
				note(s.Key)
			}
			if s.Value != nil {
				note(s.Value)
			}
		case *ast.ValueSpec:
			for _, id := range s.Names {
				note(id)
			}
		}
		return true
	}
	ast.Inspect(l.body, visit)
	switch s := l.stmt.(type) {
	case *ast.ForStmt:
		if s.Post != nil {
			ast.Inspect(s.Post, visit)
		}
	case *ast.RangeStmt:
		if s.Key != nil {
			note(s.Key)
		}
		if s.Value != nil {
			note(s.Value)
		}
	}
	return out
}

func (u *unit) machine(f *fn, l *loop, op *ast.CallExpr, mutated map[types.Object]bool) *machine {
	return &machine{u: u, f: f, loop: l, op: op, mutated: mutated, over: map[ast.Expr]abs{}, start: map[types.Object]abs{}}
}

// once runs one round under an assumption and says whether the loop can go on and whether it can be left.
func (u *unit) once(f *fn, l *loop, op *ast.CallExpr, mutated map[types.Object]bool, sc scenario, status int) (next, leave, gaveUp bool, waits int) {
	for _, pref := range []bool{false, true} {
		m := u.machine(f, l, op, mutated)
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
	j := judged{op: c.call, scene: opFails}
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
	if !next {
		j.why = "a failure of " + c.k.sel + " ends it"
		if gave {
			j.verdict, j.why = cannotSay, "too many ways through the body"
		}
		return j
	}
	stay, leave, gave2, idle := u.once(f, l, c.call, mutated, opSucceeds, 0)
	if !leave {
		j.why = "it goes on after success"
		switch {
		case c.strength == remoteNo || gave || gave2:
		case waits > 0 && idle == 0 && u.backsOff(l, mutated) && u.newInput(f, l, c, mutated) == "":
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
		if !evidence.named || !evidence.counted && !evidence.waits {
			j.why = "it waits for a state"
			return j
		}
		j.state = true
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

// localLoop knows functions whose name says that they parse, scan or compute.
func (u *unit) localLoop(f *fn) bool {
	n := strings.ToLower(f.short())
	for _, w := range []string{"parse", "lex", "scan", "token", "decode", "encode", "marshal", "walk", "visit", "iterat", "next", "read", "format"} {
		if strings.Contains(n, w) {
			return true
		}
	}
	return false
}

// seesStatus reports whether the body looks at a status.
func (u *unit) seesStatus(l *loop) bool {
	found := false
	inspectOwn(l.body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "StatusCode" {
			found = true
		}
		if id, ok := n.(*ast.Ident); ok && strings.Contains(strings.ToLower(id.Name), "resp") {
			found = true
		}
		return !found
	})
	return found
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

// retryName reports whether a name speaks of retries.
func retryName(s string) bool {
	s = strings.ToLower(s)
	for _, w := range []string{"attempt", "retr", "tries", "backoff"} {
		if strings.Contains(s, w) && !strings.Contains(s, "retrie") && !strings.Contains(s, "entries") && !strings.Contains(s, "registr") {
			return true
		}
	}
	return false
}

// newInput says why each round asks for something else, "" where it does not.
func (u *unit) newInput(f *fn, l *loop, c candidate, mutated map[types.Object]bool) string {
	counters := u.countersOf(l)
	var why string
	look := func(e ast.Expr) {
		ast.Inspect(e, func(n ast.Node) bool {
			if why != "" {
				return false
			}
			switch x := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.IndexExpr:
				if u.mentions(x.Index, counters) {
					why = "each round takes another item"
				}
			case *ast.CallExpr:
				if u.callee(x).name == "fmt.Sprintf" || u.callee(x).name == "strconv.Itoa" {
					for _, a := range x.Args {
						if u.mentions(a, counters) && !u.attemptInKey(x, counters) {
							why = "each round makes another name"
						}
					}
				}
			case *ast.Ident:
				o := u.object(x)
				if o == nil || !mutated[o] {
					return true
				}
				if counters[o] {
					return true
				}
				if w := u.changes(o, l, counters, mutated, 0); w != "" {
					why = w
				}
			}
			return true
		})
	}
	for _, a := range c.call.Args {
		look(a)
	}
	if c.k.recv != nil {
		look(c.k.recv)
	}
	if len(c.call.Args) > 0 && why == "" {
		for _, a := range c.call.Args {
			if id, ok := ast.Unparen(a).(*ast.Ident); ok && counters[u.object(id)] && !attemptName(id.Name) && len(id.Name) <= 2 {
				if _, isVar := c.k.obj.(*types.Var); !isVar && !u.anyWait(l) {
					why = "each round takes another item"
				}
			}
		}
	}
	return why
}

// attemptInKey leaves alone what only tells the receiver the number of the attempt: a number by the name of one, and what
// goes into an idempotency key, where the round's number makes no other item but is the fault itself.
func (u *unit) attemptInKey(c *ast.CallExpr, counters map[types.Object]bool) bool {
	for _, a := range c.Args {
		if id, ok := ast.Unparen(a).(*ast.Ident); ok && counters[u.object(id)] && attemptName(id.Name) {
			return true
		}
	}
	return u.goesIntoKey(c)
}

// goesIntoKey reports whether an expression is put into a field, header or option that carries an idempotency key.
func (u *unit) goesIntoKey(e ast.Expr) bool {
	for n := ast.Node(e); ; {
		switch p := u.parent(n).(type) {
		case *ast.ParenExpr, *ast.UnaryExpr, *ast.BinaryExpr:
			n = p
		case *ast.KeyValueExpr:
			if id, ok := p.Key.(*ast.Ident); ok && (keyField.MatchString(id.Name) || id.Name == "MessageID" || id.Name == "MessageId") {
				return true
			}
			s, ok := u.tracing().constantText(p.Key)
			return ok && (isKeyHeader(s) || keyField.MatchString(s))
		case *ast.CallExpr:
			if n == ast.Node(p.Fun) {
				return false
			}
			if _, ok := keyOption(u.calleeName(p)); ok {
				return true
			}
			if k := u.callee(p); setsHeader(k.sel) && len(p.Args) == 2 {
				s, ok := u.tracing().constantText(p.Args[0])
				return ok && isKeyHeader(s)
			}
			if len(p.Args) != 1 {
				return false
			}
			n = p // a pointer to it, a conversion
		default:
			return false
		}
	}
}

// anyWait reports whether the loop waits anywhere.
func (u *unit) anyWait(l *loop) bool {
	found := false
	inspectOwn(l.body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			k := u.callee(c)
			if u.waits(c) || isWord(k.name, "time.After", "time.NewTimer") || isWord(k.sel, "After") && len(c.Args) == 1 {
				found = true
			}
		}
		return !found
	})
	return found
}

// countersOf lists the integers that a loop steps.
func (u *unit) countersOf(l *loop) map[types.Object]bool {
	out := map[types.Object]bool{}
	visit := func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.IncDecStmt:
			if o := u.lvalue(s.X); o != nil && isInteger(o.Type()) {
				out[o] = true
			}
		case *ast.AssignStmt:
			if (s.Tok == token.ADD_ASSIGN || s.Tok == token.SUB_ASSIGN) && len(s.Lhs) == 1 {
				if o := u.lvalue(s.Lhs[0]); o != nil && isInteger(o.Type()) && !isDuration(o.Type()) {
					out[o] = true
				}
			}
		}
		return true
	}
	inspectOwn(l.body, visit)
	switch s := l.stmt.(type) {
	case *ast.ForStmt:
		if s.Post != nil {
			ast.Inspect(s.Post, visit)
		}
	case *ast.RangeStmt:
		if id, ok := s.Key.(*ast.Ident); ok {
			if o := u.object(id); o != nil && isInteger(o.Type()) {
				out[o] = true
			}
		}
	}
	return out
}

func (u *unit) lvalue(e ast.Expr) types.Object {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		return u.object(x)
	case *ast.SelectorExpr:
		return u.object(x.Sel)
	}
	return nil
}

func (u *unit) mentions(e ast.Expr, os map[types.Object]bool) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o := u.object(id); o != nil && os[o] {
				found = true
			}
		}
		return !found
	})
	return found
}

// changes says why a variable holds something else in each round: it is advanced from what an earlier round found, drawn
// from a list by the counter, or taken from a queue. A variable that is made anew of the same things does not change.
func (u *unit) changes(o types.Object, l *loop, counters, mutated map[types.Object]bool, depth int) string {
	if depth > 4 {
		return ""
	}
	if isContextLike(o.Type()) || isErrorType(o.Type()) {
		return ""
	}
	why := ""
	for _, n := range u.setsOf(o) {
		if n.Pos() < l.body.Pos() || n.Pos() > l.body.End() {
			continue
		}
		switch s := n.(type) {
		case *ast.RangeStmt:
			if s != l.stmt {
				continue
			}
			if t := u.typeOf(s.X); t != nil {
				if _, isInt := t.Underlying().(*types.Basic); isInt {
					continue
				}
			}
			return "each round takes another item"
		case *ast.AssignStmt:
			if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
				if isDuration(o.Type()) {
					continue
				}
				return "its input moves on"
			}
			for i, lhs := range s.Lhs {
				if u.lvalue(lhs) != o {
					continue
				}
				rhs := s.Rhs[0]
				if len(s.Rhs) == len(s.Lhs) {
					rhs = s.Rhs[i]
				}
				if u.selfOrNext(rhs, o, counters) {
					return "its input moves on"
				}
				if c, ok := ast.Unparen(rhs).(*ast.CallExpr); ok && takesNext(u.callee(c), u, c) {
					return "each round takes another item"
				}
				if x, ok := ast.Unparen(rhs).(*ast.UnaryExpr); ok && x.Op == token.ARROW {
					return "each round takes another item"
				}
				ast.Inspect(rhs, func(n ast.Node) bool {
					if why != "" {
						return false
					}
					switch x := n.(type) {
					case *ast.FuncLit:
						return false
					case *ast.IndexExpr:
						if u.mentions(x.Index, counters) {
							why = "each round takes another item"
						}
					case *ast.CallExpr:
						if nm := u.callee(x).name; nm == "fmt.Sprintf" || nm == "strconv.Itoa" {
							for _, a := range x.Args {
								if u.mentions(a, counters) && !u.attemptInKey(x, counters) && isStringy(o.Type()) && !u.anyWait(l) {
									why = "each round makes another name"
								}
							}
						}
					case *ast.Ident:
						if p := u.object(x); p != nil && p != o && mutated[p] && !counters[p] {
							if w := u.changes(p, l, counters, mutated, depth+1); w != "" {
								why = w
							}
						}
					}
					return true
				})
				if why != "" {
					return why
				}
			}
		}
	}
	return ""
}

func isStringy(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func isContextLike(t types.Type) bool {
	return t != nil && strings.HasSuffix(t.String(), "context.Context")
}

// selfOrNext reports whether a new value is made of the old one (x = x.next, off = off + n) other than by wrapping a clone.
func (u *unit) selfOrNext(rhs ast.Expr, o types.Object, counters map[types.Object]bool) bool {
	switch x := ast.Unparen(rhs).(type) {
	case *ast.SelectorExpr:
		if id := rootIdent(x.X); id != nil {
			if u.object(id) == o {
				return true
			}
			n := strings.ToLower(x.Sel.Name)
			if strings.Contains(n, "next") || strings.Contains(n, "token") && !strings.Contains(n, "access") || strings.Contains(n, "cursor") || strings.Contains(n, "continue") || strings.Contains(n, "marker") {
				return true
			}
		}
	case *ast.BinaryExpr:
		if isDuration(u.typeOf(rhs)) {
			return false
		}
		found := false
		ast.Inspect(x, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && u.object(id) == o {
				found = true
			}
			return !found
		})
		return found
	case *ast.SliceExpr:
		return u.lvalue(x.X) == o
	}
	return false
}
