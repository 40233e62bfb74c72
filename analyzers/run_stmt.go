package analyzers

import (
	"go/ast"
	"go/types"
	"strings"
)

// stmt runs one statement; several outcomes where it cannot be decided.
func (m *machine) stmt(s ast.Stmt, st *state) []outcome {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return []outcome{m.list(s.List, st)}
	case *ast.ExprStmt:
		if c, ok := ast.Unparen(s.X).(*ast.CallExpr); ok {
			if m.ends(c) {
				return []outcome{{ctl: m.leaving(), st: st}}
			}
			if m.asserts(c) {
				for _, a := range c.Args {
					if m.eval(a, st).k == absErr {
						return []outcome{{ctl: m.leaving(), st: st}}
					}
				}
				return fall(st)
			}
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
		if len(m.frames) == 0 && m.loop.again != nil && m.loop.again.returns[s] != nil {
			return []outcome{{ctl: ctlContinue, st: m.callAgain(m.loop.again, m.loop.again.returns[s], st)}}
		}
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
// callAgain gives the parameters what a function hands to itself.
func (m *machine) callAgain(s *selfCall, c *ast.CallExpr, st *state) *state {
	vals := make([]abs, len(c.Args))
	for i, a := range c.Args {
		vals[i] = m.eval(a, st)
	}
	for i, o := range s.params {
		if o != nil && i < len(vals) {
			st.set(o, vals[i])
		}
	}
	return st
}

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

// asserts knows assertions that end a test, or the program, where the operation failed: require.NoError(t, err).
func (m *machine) asserts(c *ast.CallExpr) bool {
	k := m.unit().callee(c)
	return isWord(k.sel, "NoError", "NoErrorf", "AssertNoError", "FailOnErr", "FailOnError", "CheckErr") && !strings.HasPrefix(k.name, "github.com/stretchr/testify/assert.")
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
				if v.k != absBool && m.common && tag.k == absErr {
					m.asked = append(m.asked, types.ExprString(e))
					v = boolean(false)
				}
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
			interrupt = m.interrupts(comm.X, c)
			m.eval(comm.X, c)
		case *ast.AssignStmt:
			if len(comm.Rhs) == 1 {
				interrupt = m.interrupts(comm.Rhs[0], c)
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
func (m *machine) interrupts(e ast.Expr, st *state) bool {
	x, ok := ast.Unparen(e).(*ast.UnaryExpr)
	if !ok {
		return false
	}
	switch c := ast.Unparen(x.X).(type) {
	case *ast.CallExpr:
		k := m.unit().callee(c)
		if k.recv != nil {
			if v, ok := st.get(m.unit().lvalue(k.recv)); ok && v.k == absToken {
				return false // the operation itself is done
			}
		}
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
