package analyzers

import (
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
	sure    bool // the operation surely leaves the process
}

// findLoops judges every loop and makes layers of those that retry.
func (u *unit) findLoops(f *fn) {
	if f.body == nil {
		return
	}
	if f.hasGoto {
		u.gotoLoops(f)
	}
	if reconciles(f) {
		u.facts.Stats.Loops.Reconcilers++
	}
	u.selfLoop(f)
	for _, l := range f.loops {
		j := u.judge(f, l)
		u.countLoop(f, l, j)
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

// selfLoop makes a loop of a function that ends in a call of itself: return again(ctx, left-1).
func (u *unit) selfLoop(f *fn) {
	if f.decl == nil || f.decl.Type.Params == nil || len(f.body.List) == 0 {
		return
	}
	callee := func(c *ast.CallExpr) *fn {
		k := u.callee(c)
		if k.to != nil {
			return k.to
		}
		return u.shared.fnOf(k.fun)
	}
	own := map[*ast.CallExpr]bool{}
	s := &selfCall{returns: map[*ast.ReturnStmt]*ast.CallExpr{}, first: map[types.Object]ast.Expr{}}
	for _, c := range f.calls {
		if c.loop == nil && !c.spawn && !c.defr && callee(c.expr) == f {
			own[c.expr] = true
		}
	}
	if len(own) == 0 {
		return
	}
	inspectOwn(f.body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) == 1 {
			if c, ok := ast.Unparen(r.Results[0]).(*ast.CallExpr); ok && own[c] {
				s.returns[r] = c
			}
		}
		return true
	})
	if len(s.returns) != len(own) {
		return // it goes on after the call: a tree is walked, not a request repeated
	}
	for _, p := range f.decl.Type.Params.List {
		for _, id := range p.Names {
			s.params = append(s.params, u.info.Def(id))
		}
		if len(p.Names) == 0 {
			return
		}
	}
	for _, c := range s.returns {
		for i, o := range s.params {
			if id, ok := ast.Unparen(argOf(c, i)).(*ast.Ident); ok && o != nil && u.object(id) == o {
				continue
			}
			if o == nil || !isNumeric(o.Type()) && !isContextLike(o.Type()) {
				return // it asks for something else than before
			}
		}
	}
	var from *ast.CallExpr
	for _, g := range u.fns {
		for _, c := range g.calls {
			if g != f && callee(c.expr) == f {
				if from != nil {
					from = nil
					s.caller = nil
					break
				}
				from, s.caller = c.expr, g
			}
		}
	}
	if from != nil && len(from.Args) == len(s.params) {
		for i, o := range s.params {
			if o != nil {
				s.first[o] = from.Args[i]
			}
		}
	}
	label := &ast.Ident{NamePos: f.decl.Name.Pos(), Name: f.decl.Name.Name}
	l := &loop{stmt: &ast.LabeledStmt{Label: label, Colon: f.body.Lbrace, Stmt: f.body.List[0]}, body: f.body, again: s}
	f.loops = append(f.loops, l)
	for _, c := range f.calls {
		if c.loop == nil && !own[c.expr] {
			c.loop = l
		}
	}
}

// has reports whether a node is one of the calls of itself.
func (s *selfCall) has(n ast.Node) bool {
	if s == nil {
		return false
	}
	for _, c := range s.returns {
		if c == n {
			return true
		}
	}
	return false
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
		return judged{why: whyNoWayOut}
	}
	if r, ok := l.stmt.(*ast.RangeStmt); ok && u.overItems(r) {
		return judged{why: whyNextItem}
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
	case *types.Signature:
		return !unused(r) || !countsTries(r.X)
	}
	return true
}

// countsTries reports whether the name of an iterator says that it yields attempts: for range newRetryTimer(ctx, 5).
func countsTries(e ast.Expr) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		return countsTries(x.Fun)
	case *ast.SelectorExpr:
		return retryName(x.Sel.Name)
	case *ast.Ident:
		return retryName(x.Name)
	}
	return false
}

func unused(r *ast.RangeStmt) bool {
	blank := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return e == nil || ok && id.Name == "_"
	}
	// A loop may also count in a field or an element, which somebody else may look at.
	id, _ := r.Key.(*ast.Ident)
	return blank(r.Value) && (blank(r.Key) || id != nil && attemptName(id.Name))
}

// attemptName reports whether a variable's name says that it counts attempts.
func attemptName(s string) bool {
	return retryName(s) || hasWord(s, "try") || hasWord(s, "round") || hasWord(s, "retr")
}

// candidates lists the calls directly in the loop whose failure matters, the strongest first in source order.
func (u *unit) candidates(f *fn, l *loop) []candidate {
	var out []candidate
	for _, c := range f.calls {
		if c.spawn || c.defr || !within(c.loop, l) || c.expr.Pos() < l.body.Pos() && !inCond(l, c.expr) {
			continue
		}
		k := u.callee(c.expr)
		if k.conv || takesNext(k, u, c.expr) || !u.canFail(c.expr, k) || makesError(k) {
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
	if len(out) == 0 && u.saysSo(f, l) {
		// A constructor of another module, or a call that says whether it is done, of which the loop says that it is tried again.
		for _, c := range f.calls {
			k := u.callee(c.expr)
			if c.loop != l || c.spawn || c.defr || k.conv {
				continue
			}
			if isWord(k.sel, "New", "Add", "Lock") && u.outside(k) && u.canFail(c.expr, k) || u.saysDone(c.expr) && u.strengthOf(k, c.expr, 0) != remoteNo {
				out = append(out, candidate{c.expr, remoteMay, k})
			}
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

// saysSo reports whether a loop counts retries by name and waits in between.
func (u *unit) saysSo(f *fn, l *loop) bool {
	return u.anyWait(l) && u.retryCounter(f, l, u.mutatedIn(l))
}

// saysDone reports whether a call gives nothing but a truth, which goes into a variable named for it: done := h.once(ctx).
func (u *unit) saysDone(c *ast.CallExpr) bool {
	t := u.typeOf(c)
	if t == nil {
		return false
	}
	if b, ok := t.Underlying().(*types.Basic); !ok || b.Info()&types.IsBoolean == 0 {
		return false
	}
	a, ok := u.parent(c).(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 1 {
		return false
	}
	id, ok := a.Lhs[0].(*ast.Ident)
	return ok && isWord(strings.ToLower(id.Name), "done", "ok", "success", "succeeded", "finished", "complete", "completed")
}

// outside reports whether a callee belongs to another module and not to the standard library.
func (u *unit) outside(k callee) bool {
	if k.to != nil || u.shared.fnOf(k.fun) != nil {
		return false
	}
	p := k.pkg
	if p == "" {
		p, _, _ = strings.Cut(k.name, ".(")
	}
	return p != "" && !isStdPath(p)
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
			return len(p.Lhs) > 0 && (errName(p.Lhs[len(p.Lhs)-1]) || u.heldAgainstNil(p.Lhs[len(p.Lhs)-1]))
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

// heldAgainstNil reports whether a variable of unknown type, the last that a call gives, is compared with nil: it is an error.
func (u *unit) heldAgainstNil(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok || id.Name == "_" {
		return false
	}
	o := u.object(id)
	f := u.fnAt(id.Pos())
	if o == nil || f == nil || f.body == nil {
		return false
	}
	found := false
	ast.Inspect(f.body, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if ok && (b.Op == token.EQL || b.Op == token.NEQ) && isNilExpr(b.Y) {
			if x, ok := ast.Unparen(b.X).(*ast.Ident); ok && u.object(x) == o {
				found = true
			}
		}
		return !found
	})
	return found
}

// makesError knows functions whose error is what they make, not a sign that they failed.
func makesError(k callee) bool {
	n := k.sel
	for _, w := range []string{"New", "Wrap", "With", "Make", "To", "As", "From"} {
		if strings.HasPrefix(n, w) && strings.Contains(n, "Err") {
			return true
		}
	}
	return isWord(n, "Errorf", "Wrap", "Wrapf", "WithStack", "WithMessage", "WithMessagef", "Annotate", "Annotatef", "Trace", "Join") && !strings.Contains(k.name, ".(")
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
