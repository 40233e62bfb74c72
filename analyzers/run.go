package analyzers

import (
	"go/ast"
	"go/types"
	"math"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/analyzers/libs"
)

// The machine below runs the body of a loop on what is known of its values, under an assumption about one operation: that
// it fails each time, that it answers with a status, or that it succeeds. Where a condition cannot be decided both
// branches are run, and the one that suits the question is kept: can the loop go on, can it be left? The same run counts
// the attempts and collects the waits, so the many ways to write "i < n" or "delay *= 2" need no patterns of their own.

// absKind is the kind of an abstract value.
type absKind uint8

const (
	absUnknown absKind = iota
	absNil
	absErr   // an error that is not nil
	absObj   // something that is not nil
	absBool  // b
	absNum   // lo..hi; random where rnd
	absStr   // s
	absResp  // an HTTP response with a status
	absTimer // its channel fires after d
	absList
	absClock // a time of the clock
)

// abs is an abstract value.
type abs struct {
	k      absKind
	b      bool
	rnd    bool
	float  bool
	lo, hi float64
	s      string
	status int
	d      *abs
	list   []abs
	leaf   *leaf
	why    bound // of an unknown truth: what kind of test it is
}

// leaf is the expression from which a number comes.
type leaf struct {
	expr    ast.Expr
	val     libs.Value
	unknown bool // the number stands in for one that is not known
}

// bound says that a test is one of the loop's own limits, or of an interruption, not of the operation's outcome.
type bound uint8

const (
	boundNone  bound = iota
	boundCount       // a counter against a limit that is not known
	boundTime        // the clock against a deadline
)

func num(x float64) abs { return abs{k: absNum, lo: x, hi: x} }

func boolean(b bool) abs { return abs{k: absBool, b: b} }

// scenario is the assumption about the operation.
type scenario uint8

const (
	opSucceeds scenario = iota
	opFails             // returns an error, or false
	opStatus            // answers with machine.status
)

// ctl is how a list of statements is left.
type ctl uint8

const (
	ctlFall     ctl = iota
	ctlNext         // the next round of the loop under question
	ctlLeave        // the loop under question is left
	ctlBreak        // the innermost breakable statement
	ctlContinue     // the innermost loop
	ctlReturn       // of a function that is being run inside
)

// state is what is known at a point of a run.
type state struct {
	vars  []absVar
	ops   int     // how often the operation ran
	waits [][]abs // waits before the first operation, after the first, after the second ...
	ret   []abs
}

// absVar is what a variable or field holds. There are few in a loop, and states are copied far more often than they are
// looked into.
type absVar struct {
	obj types.Object
	val abs
}

func (s *state) get(o types.Object) (abs, bool) {
	for i := range s.vars {
		if s.vars[i].obj == o {
			return s.vars[i].val, true
		}
	}
	return abs{}, false
}

func (s *state) set(o types.Object, v abs) {
	for i := range s.vars {
		if s.vars[i].obj == o {
			s.vars[i].val = v
			return
		}
	}
	s.vars = append(s.vars, absVar{o, v})
}

func (s *state) unset(o types.Object) {
	s.vars = slices.DeleteFunc(s.vars, func(v absVar) bool { return v.obj == o })
}

func (s *state) clone() *state {
	c := *s
	c.vars = slices.Clone(s.vars)
	c.waits = append([][]abs(nil), s.waits...)
	if n := len(c.waits); n > 0 {
		c.waits[n-1] = append([]abs(nil), c.waits[n-1]...)
	}
	return &c
}

func (s *state) wait(d abs) {
	for len(s.waits) <= s.ops {
		s.waits = append(s.waits, nil)
	}
	s.waits[s.ops] = append(s.waits[s.ops], d)
}

func (s *state) waitCount() int {
	n := 0
	for _, w := range s.waits {
		n += len(w)
	}
	return n
}

// outcome is how and with what state a list of statements is left.
type outcome struct {
	ctl   ctl
	label string
	st    *state
}

// machine is one run.
type machine struct {
	u       *unit
	f       *fn
	loop    *loop
	op      *ast.CallExpr
	scene   scenario
	status  int
	leave   bool // prefer to leave the loop; otherwise prefer to stay
	over    map[ast.Expr]abs
	overObj map[types.Object]abs // the same, wherever the constant, variable or field stands
	start   map[types.Object]abs // overrides of initial values
	mutated map[types.Object]bool
	steps   int
	depth   int // of functions run inside
	gaveUp  bool
	frames  []*fn
}

const maxSteps = 6000

func (m *machine) budget() bool {
	m.steps++
	if m.steps > maxSteps {
		m.gaveUp = true
		return false
	}
	return true
}

// fn is the function whose statements are being run.
func (m *machine) fn() *fn {
	if n := len(m.frames); n > 0 {
		return m.frames[n-1]
	}
	return m.f
}

// unit is the package whose statements are being run.
func (m *machine) unit() *unit {
	if f := m.fn(); f != nil && f.unit != nil {
		return f.unit
	}
	return m.u
}

// better reports whether a suits the question better than b.
func (m *machine) better(a, b outcome) bool {
	ra, rb := m.rank(a), m.rank(b)
	if ra != rb {
		return ra > rb
	}
	if len(m.frames) > 0 && a.ctl == ctlReturn && b.ctl == ctlReturn {
		return knownAbs(first(a.st.ret)) && !knownAbs(first(b.st.ret))
	}
	if a.st.ops != b.st.ops {
		return a.st.ops > b.st.ops
	}
	return a.st.waitCount() > b.st.waitCount()
}

func (m *machine) rank(o outcome) int {
	r := 1
	switch o.ctl {
	case ctlNext, ctlContinue:
		r = 2
	case ctlLeave:
		r = 0
	}
	if m.leave {
		r = 2 - r
	}
	return r
}

func first(xs []abs) abs {
	if len(xs) == 0 {
		return abs{}
	}
	return xs[0]
}

func knownAbs(a abs) bool { return a.k != absUnknown && !(a.leaf != nil && a.leaf.unknown) }

// list runs statements one after the other.
func (m *machine) list(list []ast.Stmt, st *state) outcome {
	for i, s := range list {
		if !m.budget() {
			return outcome{ctl: ctlFall, st: st}
		}
		outs := m.stmt(s, st)
		if len(outs) == 1 {
			if outs[0].ctl != ctlFall {
				return outs[0]
			}
			st = outs[0].st
			continue
		}
		// Several ways: run each to its end, keep the one that suits.
		var best outcome
		for j, o := range outs {
			if o.ctl == ctlFall {
				o = m.list(list[i+1:], o.st)
			}
			if j == 0 || m.better(o, best) {
				best = o
			}
		}
		return best
	}
	return outcome{ctl: ctlFall, st: st}
}

func fall(st *state) []outcome { return []outcome{{ctl: ctlFall, st: st}} }

// stmt runs one statement; several outcomes where it cannot be decided.
func (m *machine) stmt(s ast.Stmt, st *state) []outcome {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return []outcome{m.list(s.List, st)}
	case *ast.ExprStmt:
		if c, ok := ast.Unparen(s.X).(*ast.CallExpr); ok && m.ends(c) {
			return []outcome{{ctl: m.leaving(), st: st}}
		}
		m.eval(s.X, st)
	case *ast.AssignStmt:
		m.assign(s, st)
	case *ast.IncDecStmt:
		m.incDec(s, st)
	case *ast.DeclStmt:
		m.declare(s, st)
	case *ast.LabeledStmt:
		return m.labelled(s, st)
	case *ast.ReturnStmt:
		var ret []abs
		if len(s.Results) == 1 {
			ret = m.evalMulti(s.Results[0], st, 2)
		} else {
			for _, r := range s.Results {
				ret = append(ret, m.eval(r, st))
			}
		}
		st.ret = ret
		return []outcome{{ctl: m.leaving(), st: st}}
	case *ast.BranchStmt:
		return []outcome{m.branch(s, st)}
	case *ast.IfStmt:
		return m.ifStmt(s, st)
	case *ast.SwitchStmt:
		return m.switchStmt(s, st)
	case *ast.TypeSwitchStmt:
		return m.typeSwitch(s, st)
	case *ast.SelectStmt:
		return m.selectStmt(s, st)
	case *ast.ForStmt:
		return m.innerFor(s, st)
	case *ast.RangeStmt:
		return m.innerRange(s, st)
	case *ast.SendStmt:
		m.eval(s.Value, st)
	}
	return fall(st)
}

// leaving is what a return statement means here.
func (m *machine) leaving() ctl {
	if len(m.frames) > 0 {
		return ctlReturn
	}
	return ctlLeave
}

func (m *machine) branch(s *ast.BranchStmt, st *state) outcome {
	label := ""
	if s.Label != nil {
		label = s.Label.Name
	}
	switch s.Tok.String() {
	case "break":
		if label != "" {
			if label == m.loop.label && len(m.frames) == 0 {
				return outcome{ctl: ctlLeave, st: st}
			}
			return outcome{ctl: ctlBreak, label: label, st: st}
		}
		return outcome{ctl: ctlBreak, st: st}
	case "continue":
		if label != "" {
			if label == m.loop.label && len(m.frames) == 0 {
				return outcome{ctl: ctlNext, st: st}
			}
			if m.outerLabel(label) {
				return outcome{ctl: ctlLeave, st: st}
			}
			return outcome{ctl: ctlContinue, label: label, st: st}
		}
		return outcome{ctl: ctlContinue, st: st}
	case "goto":
		if ls, ok := m.loop.stmt.(*ast.LabeledStmt); ok && ls.Label.Name == label && len(m.frames) == 0 {
			return outcome{ctl: ctlNext, st: st}
		}
		return outcome{ctl: m.leaving(), st: st}
	}
	return outcome{ctl: ctlFall, st: st}
}

// outerLabel reports whether a label belongs to a loop around the one under question.
func (m *machine) outerLabel(label string) bool {
	for l := m.loop.outer; l != nil; l = l.outer {
		if l.label == label {
			return true
		}
	}
	return false
}

func (m *machine) labelled(s *ast.LabeledStmt, st *state) []outcome {
	outs := m.stmt(s.Stmt, st)
	for i := range outs {
		if (outs[i].ctl == ctlBreak || outs[i].ctl == ctlContinue) && outs[i].label == s.Label.Name {
			outs[i].ctl, outs[i].label = ctlFall, ""
		}
	}
	return outs
}

// ends knows calls that do not come back.
func (m *machine) ends(c *ast.CallExpr) bool {
	k := m.unit().callee(c)
	if k.conv && k.sel == "panic" {
		return true
	}
	switch k.sel {
	case "Fatal", "Fatalf", "Fatalln", "FailNow", "Panic", "Panicf":
		return true
	case "Exit":
		return k.name == "os.Exit"
	case "Goexit":
		return k.name == "runtime.Goexit"
	}
	return false
}

func (m *machine) ifStmt(s *ast.IfStmt, st *state) []outcome {
	if s.Init != nil {
		outs := m.stmt(s.Init, st)
		st = outs[0].st
	}
	c := m.eval(s.Cond, st)
	elseRun := func(st *state) outcome {
		if s.Else == nil {
			return outcome{ctl: ctlFall, st: st}
		}
		return m.one(s.Else, st)
	}
	if c.k == absBool {
		if c.b {
			return []outcome{m.list(s.Body.List, st)}
		}
		return []outcome{elseRun(st)}
	}
	if s.Else == nil && m.plain(s.Body) {
		return fall(st)
	}
	a := m.list(s.Body.List, st.clone())
	b := elseRun(st.clone())
	if c.why != boundNone {
		// A limit that is not known: the question is about the rounds before it.
		if ra, rb := stays(a.ctl), stays(b.ctl); ra != rb {
			if ra {
				return []outcome{a}
			}
			return []outcome{b}
		}
	}
	return []outcome{b, a}
}

func stays(c ctl) bool { return c != ctlLeave && c != ctlReturn && c != ctlBreak }

// one runs a statement and keeps the way that suits.
func (m *machine) one(s ast.Stmt, st *state) outcome { return m.list([]ast.Stmt{s}, st) }

// plain reports whether a block changes nothing that matters here: logging, metrics, closing.
func (m *machine) plain(b *ast.BlockStmt) bool {
	ok := true
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt, *ast.BranchStmt, *ast.IncDecStmt, *ast.SelectStmt, *ast.UnaryExpr:
			if u, isU := n.(*ast.UnaryExpr); isU && u.Op.String() != "<-" {
				return true
			}
			ok = false
		case *ast.AssignStmt:
			if n.Tok.String() != ":=" {
				ok = false
			}
		case *ast.CallExpr:
			if n == m.op || m.ends(n) || m.unit().waits(n) {
				ok = false
			}
		case *ast.FuncLit:
			return false
		}
		return ok
	})
	return ok
}

func (m *machine) switchStmt(s *ast.SwitchStmt, st *state) []outcome {
	if s.Init != nil {
		st = m.stmt(s.Init, st)[0].st
	}
	var tag abs
	hasTag := s.Tag != nil
	if hasTag {
		tag = m.eval(s.Tag, st)
	}
	var outs []outcome
	var deflt *ast.CaseClause
	for _, cl := range s.Body.List {
		cc, ok := cl.(*ast.CaseClause)
		if !ok {
			continue
		}
		if cc.List == nil {
			deflt = cc
			continue
		}
		verdict := boolean(false)
		for _, e := range cc.List {
			v := m.eval(e, st)
			if hasTag {
				v = m.equal(tag, v)
			}
			verdict = or(verdict, v)
		}
		if verdict.k == absBool && !verdict.b {
			continue
		}
		run := m.clause(cc.Body, st.clone())
		if verdict.k == absBool {
			return append(outs, run)
		}
		if verdict.why != boundNone && !stays(run.ctl) {
			continue
		}
		outs = append(outs, run)
	}
	if deflt != nil {
		outs = append(outs, m.clause(deflt.Body, st.clone()))
	} else {
		outs = append(outs, outcome{ctl: ctlFall, st: st})
	}
	return outs
}

// clause runs the body of a case; a break leaves only the switch.
func (m *machine) clause(body []ast.Stmt, st *state) outcome {
	o := m.list(body, st)
	if o.ctl == ctlBreak && o.label == "" {
		o.ctl = ctlFall
	}
	return o
}

func (m *machine) typeSwitch(s *ast.TypeSwitchStmt, st *state) []outcome {
	var outs []outcome
	deflt := false
	for _, cl := range s.Body.List {
		if cc, ok := cl.(*ast.CaseClause); ok {
			deflt = deflt || cc.List == nil
			outs = append(outs, m.clause(cc.Body, st.clone()))
		}
	}
	if !deflt || len(outs) == 0 {
		outs = append(outs, outcome{ctl: ctlFall, st: st})
	}
	return outs
}

// selectStmt takes the ways of a select; that the work is interrupted is no answer to the question, so ends of contexts and
// stop channels are left out where there is another case.
func (m *machine) selectStmt(s *ast.SelectStmt, st *state) []outcome {
	var outs, interrupts []outcome
	for _, cl := range s.Body.List {
		cc, ok := cl.(*ast.CommClause)
		if !ok {
			continue
		}
		c := st.clone()
		interrupt := false
		switch comm := cc.Comm.(type) {
		case nil:
		case *ast.ExprStmt:
			interrupt = m.interrupts(comm.X)
			m.eval(comm.X, c)
		case *ast.AssignStmt:
			if len(comm.Rhs) == 1 {
				interrupt = m.interrupts(comm.Rhs[0])
			}
			m.assign(comm, c)
		}
		o := m.clause(cc.Body, c)
		if interrupt {
			interrupts = append(interrupts, o)
		} else {
			outs = append(outs, o)
		}
	}
	if len(outs) > 0 {
		return outs
	}
	if len(interrupts) > 0 {
		return interrupts
	}
	return fall(st)
}

// interrupts reports whether a receive is from a context's Done or from a stop channel.
func (m *machine) interrupts(e ast.Expr) bool {
	x, ok := ast.Unparen(e).(*ast.UnaryExpr)
	if !ok {
		return false
	}
	switch c := ast.Unparen(x.X).(type) {
	case *ast.CallExpr:
		k := m.unit().callee(c)
		return isWord(k.sel, "Done", "Dying", "ShutdownSignal", "Stopped", "StopChan", "Stop", "Closed", "HasQuit", "ShouldQuit")
	case *ast.Ident:
		return stopName(c.Name) || isStructChan(m.unit().typeOf(c)) && !wakeName(c.Name)
	case *ast.SelectorExpr:
		return c.Sel.Name != "C" && (stopName(c.Sel.Name) || isStructChan(m.unit().typeOf(c)) && !wakeName(c.Sel.Name))
	}
	return false
}

func isStructChan(t types.Type) bool {
	if t == nil {
		return false
	}
	c, ok := t.Underlying().(*types.Chan)
	if !ok {
		return false
	}
	s, ok := c.Elem().Underlying().(*types.Struct)
	return ok && s.NumFields() == 0
}

// innerFor runs a loop inside the one under question at most once.
func (m *machine) innerFor(s *ast.ForStmt, st *state) []outcome {
	if s.Init != nil {
		st = m.stmt(s.Init, st)[0].st
	}
	if s.Cond != nil {
		c := m.eval(s.Cond, st)
		if c.k == absBool && !c.b {
			return fall(st)
		}
	}
	return m.innerBody(s.Body, st, s.Cond != nil)
}

func (m *machine) innerRange(s *ast.RangeStmt, st *state) []outcome {
	m.eval(s.X, st)
	for _, e := range []ast.Expr{s.Key, s.Value} {
		if id, ok := e.(*ast.Ident); ok {
			if o := m.unit().object(id); o != nil {
				st.set(o, abs{})
			}
		}
	}
	return m.innerBody(s.Body, st, true)
}

func (m *machine) innerBody(b *ast.BlockStmt, st *state, skip bool) []outcome {
	o := m.list(b.List, st.clone())
	if (o.ctl == ctlBreak || o.ctl == ctlContinue) && o.label == "" {
		o.ctl = ctlFall
	}
	if skip && o.ctl != ctlFall {
		return []outcome{{ctl: ctlFall, st: st}, o}
	}
	return []outcome{o}
}

// round runs the body once, then the post statement; the outcome is ctlNext or ctlLeave.
func (m *machine) round(st *state) outcome {
	o := m.list(m.loop.body.List, st)
	switch {
	case o.ctl == ctlFall, o.ctl == ctlNext, o.ctl == ctlContinue && o.label == "":
		o.ctl = ctlNext
		if _, ok := m.loop.stmt.(*ast.LabeledStmt); ok && o.ctl != ctlNext {
			o.ctl = ctlLeave
		}
	default:
		o.ctl = ctlLeave
	}
	if o.ctl == ctlNext {
		if s, ok := m.loop.stmt.(*ast.ForStmt); ok && s.Post != nil {
			o.st = m.stmt(s.Post, o.st)[0].st
		}
	}
	return o
}

// enter is the state before the first round.
func (m *machine) enter() *state {
	st := &state{}
	if s, ok := m.loop.stmt.(*ast.ForStmt); ok && s.Init != nil {
		st = m.stmt(s.Init, st)[0].st
		for i := range st.vars {
			if v, ok := m.start[st.vars[i].obj]; ok {
				st.vars[i].val = v
			}
		}
	}
	return st
}

// again says whether another round begins.
func (m *machine) again(st *state, round int) bool {
	switch s := m.loop.stmt.(type) {
	case *ast.ForStmt:
		if s.Cond == nil {
			return true
		}
		c := m.eval(s.Cond, st)
		return c.k != absBool || c.b
	case *ast.RangeStmt:
		n := m.rangeCount(s, st)
		if n >= 0 && float64(round) >= n {
			return false
		}
		if id, ok := s.Key.(*ast.Ident); ok {
			if o := m.u.object(id); o != nil {
				st.set(o, num(float64(round)))
			}
		}
		if id, ok := s.Value.(*ast.Ident); ok {
			if o := m.u.object(id); o != nil {
				x := m.eval(s.X, st)
				v := abs{}
				if round < len(x.list) {
					v = x.list[round]
				} else if isDuration(o.Type()) {
					v = abs{k: absNum, lo: 1e9, hi: 1e9, leaf: &leaf{expr: s.X, unknown: true}}
				}
				st.set(o, v)
			}
		}
	}
	return true
}

// rangeCount is how many rounds a range statement makes, -1 where that is not known.
func (m *machine) rangeCount(s *ast.RangeStmt, st *state) float64 {
	if v, ok := m.over[s.X]; ok {
		return v.hi
	}
	x := m.eval(s.X, st)
	switch {
	case x.k == absNum && !(x.leaf != nil && x.leaf.unknown):
		return x.hi
	case x.k == absList:
		return float64(len(x.list))
	}
	return -1
}

// all runs rounds until the loop is left, at most limit of them; left is false where it was not.
func (m *machine) all(limit int) (st *state, left bool) {
	st = m.enter()
	for i := 0; i < limit; i++ {
		if !m.again(st, i) {
			return st, true
		}
		o := m.round(st)
		st = o.st
		if o.ctl == ctlLeave {
			return st, true
		}
		if m.gaveUp {
			return st, false
		}
	}
	return st, !m.again(st, limit)
}

func huge(x float64) bool { return math.Abs(x) > 1e18 }

// stopName reports whether a channel's name says that it ends the work.
func stopName(s string) bool {
	s = strings.ToLower(s)
	for _, w := range []string{"done", "stop", "quit", "exit", "shutdown", "cancel", "close", "term", "abort", "kill", "interrupt"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// wakeName reports whether a channel's name says that it starts another round.
func wakeName(s string) bool {
	s = strings.ToLower(s)
	for _, w := range []string{"retry", "wake", "tick", "timer", "ready", "notify", "signal", "update"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
