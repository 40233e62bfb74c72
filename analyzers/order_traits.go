package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// argumentOf is the value of a parameter as the call under evaluation passes it.
func (t *tracer) argumentOf(e ast.Expr, f *frame) (libs.Value, bool) {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok || f.call == nil || f.up == nil {
		return libs.Value{}, false
	}
	v := asVar(t.u.object(id))
	if v == nil {
		return libs.Value{}, false
	}
	i, ok := paramIndex(t.u, f.fn, v)
	if !ok {
		return libs.Value{}, false
	}
	a := argument(f.call, i, f.fn)
	if a == nil || f.up.fn == nil {
		return libs.Value{}, false
	}
	val := f.up.fn.unit.value(a, f.up.fn)
	return val, val.IsInt
}

// traits notes what was seen of a boundary beside its order.
func (t *tracer) traits(b *model.Boundary, g *fn, fl *ordering, f *frame, ops []storeOp, ask, record storeOp, eff effect, after []effect, before bool) {
	add := func(k model.TraitKind, at model.Location, detail string) {
		if !b.Has(k) {
			b.Traits = append(b.Traits, model.Trait{Kind: k, At: at, Detail: detail})
		}
	}
	here := func(o storeOp) model.Location { return o.in.unit.at(o.inner) }
	released := false
	for _, o := range ops {
		switch o.kind {
		case opDelete:
			if fl.after(eff.call, o.node) || o.deferred {
				released = true
				add(model.TraitReleases, here(o), "")
			}
		case opTouch:
			if fl.after(ask.node, o.node) && !fl.after(eff.call, o.node) {
				add(model.TraitSliding, here(o), "")
			}
		}
	}
	if b.Kind == "sql-unique" && ask.kind == opClaim && !ask.named {
		add(model.TraitUniqueField, here(ask), ask.store)
	}
	if t.comparesPayload(g, 0) {
		add(model.TraitComparesPayload, model.Location{}, "")
	}
	if b.KeyName != "" {
		if at, ok := t.answersStored(g, ops, f); ok {
			add(model.TraitAnswersStored, at, "")
		}
	}

	// Two commits.
	txHere := t.beginsTx(g)
	switch {
	case b.Order == model.OrderTransaction || b.Order == model.OrderLockedAll:
	case b.Kind == "sql-unique" && record.node != nil && !record.tx && (eff.tx || t.anyTx(after)) && txHere:
		add(model.TraitSeparateCommit, here(record), "the record is committed at once while the effect waits for its transaction: after a rollback the key stays and every repeat is turned away")
	case b.Kind == "sql-unique" && record.node != nil && record.tx && !eff.tx && eff.strong && !t.anyTx(after):
		add(model.TraitSeparateCommit, here(record), "the effect is not part of the transaction of the record: a crash in between loses or repeats it")
	case before && !released && record.node != nil && eff.err != nil && t.failsOut(fl, g, eff):
		if !t.wroteState(ops, fl, eff, record) {
			add(model.TraitSeparateCommit, here(record), "when the effect fails the claim stays taken, so every repeat is turned away and the work is lost")
		}
	}

	// A failure kept as the final result.
	for _, o := range ops {
		if o.kind != opWrite || o.node == ask.node || o.deferred && eff.err == nil {
			continue
		}
		if !o.deferred && !fl.after(eff.call, o.node) {
			continue
		}
		if detail, bad := t.storesFailure(g, fl, eff, o); bad {
			add(model.TraitStoresFailure, here(o), detail)
		}
	}
}

// beginsTx reports whether a function begins a transaction, or is a closure that runs in one.
func (t *tracer) beginsTx(g *fn) bool {
	found := t.u.runsInTx(g)
	ast.Inspect(g.body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if s, ok := c.Fun.(*ast.SelectorExpr); ok {
				switch s.Sel.Name {
				case "Begin", "BeginTx", "Beginx", "BeginTxx", "BeginFunc", "MustBegin":
					found = true
				default:
					found = found || t.effectInTx(c, t.u.callee(c))
				}
			}
		}
		return !found
	})
	return found
}

// runsInTx reports whether a closure is handed to something that runs it in a transaction: gorm's Transaction, pgx's
// BeginFunc, a helper called WithTx.
func (u *unit) runsInTx(g *fn) bool {
	if g == nil || g.lit == nil {
		return false
	}
	c, ok := u.parent(g.lit).(*ast.CallExpr)
	return ok && txRunner.MatchString(u.callee(c).sel)
}

var txRunner = regexp.MustCompile(`^(Transaction|BeginFunc|BeginTxFunc|BeginTxFn|(Run|Do|Exec|Execute)?(In|With|Within)(Tx|TX|Transaction)(Func)?|Transact|RunTx|ExecTx|Tx|WithTx|Atomic|Atomically|ReadWriteTransaction|RunInTx)$`)

// failsOut reports whether an error of the effect leads out of the function.
func (t *tracer) failsOut(fl *ordering, g *fn, eff effect) bool {
	found := false
	ast.Inspect(g.body, func(n ast.Node) bool {
		i, ok := n.(*ast.IfStmt)
		if !ok {
			return true
		}
		if mentions(g.unit, i.Cond, eff.err) && i.Pos() <= eff.call.End() && (i.Init == nil || contains(i.Init, eff.call)) || mentions(g.unit, i.Cond, eff.err) && i.Pos() > eff.call.Pos() {
			if endsOut(i.Body) && i.Body.Pos() > eff.call.Pos() {
				found = true
			}
		}
		return true
	})
	if found {
		return true
	}
	// return effect(...) as it is, or its error in the next statement
	switch p := g.unit.parent(eff.call).(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.AssignStmt:
		b, ok := g.unit.parent(p).(*ast.BlockStmt)
		if !ok {
			return false
		}
		for i, s := range b.List {
			if s == ast.Stmt(p) && i+1 < len(b.List) {
				r, ok := b.List[i+1].(*ast.ReturnStmt)
				return ok && mentions(g.unit, r, eff.err)
			}
		}
	}
	return false
}

func endsOut(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch s := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.ExprStmt:
		c, ok := s.X.(*ast.CallExpr)
		return ok && strings.Contains(written(c.Fun), "Error")
	}
	return false
}

func mentions(u *unit, e ast.Node, o types.Object) bool {
	if o == nil || e == nil {
		return false
	}
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && u.object(id) == o {
			found = true
		}
		return !found
	})
	return found
}

// wroteState reports whether the failing way changes the record (a state "failed", a lease).
func (t *tracer) wroteState(ops []storeOp, fl *ordering, eff effect, record storeOp) bool {
	for _, o := range ops {
		if o.kind == opWrite && o.node != record.node && fl.after(eff.call, o.node) {
			for _, c := range fl.splits(eff.call, o.node) {
				if mentions(t.u, c.expr, eff.err) {
					// Written on one side only: where the effect went well, or where it failed.
					if b, ok := ast.Unparen(c.expr).(*ast.BinaryExpr); ok && b.Op == token.NEQ && fl.inside(fl.branch(c, 0), o.node) {
						return true
					}
				}
			}
		}
	}
	return false
}

var statusWord = regexp.MustCompile(`(?i)(status|code|ok$|success|failed|retryable|transient|temporary|final|terminal|cacheable|shouldstore|err)`)

// storesFailure reports whether a write of the result is reached after the effect failed.
func (t *tracer) storesFailure(g *fn, fl *ordering, eff effect, w storeOp) (string, bool) {
	u := g.unit
	sel := u.callee(eff.call).sel
	splits := fl.splits(eff.call, w.node)
	recorded := sel == "ServeHTTP" || sel == "Next" || sel == "next" || strings.EqualFold(sel, "handler")
	filtered, byError := false, false
	for _, c := range splits {
		ast.Inspect(c.expr, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				o := u.object(id)
				_, isVar := u.parent(id).(*ast.SelectorExpr)
				isVar = !isVar && o != nil && isErrorType(o.Type()) // an error of something else, of encoding the answer, says nothing
				if statusWord.MatchString(id.Name) && o != eff.err && !isVar {
					filtered = true
				}
				if eff.err != nil && o == eff.err && t.stillHolds(u, id, eff) {
					byError = true
				}
			}
			return true
		})
		if b, ok := ast.Unparen(c.expr).(*ast.CallExpr); ok && b != nil {
			filtered = true // a helper decides
		}
	}
	if w.deferred {
		return "", false
	}
	switch {
	case recorded && eff.err == nil:
		if !filtered {
			return "whatever the handler answered, a 5xx included,", true
		}
	case recorded:
		if !filtered && !byError {
			return "whatever the handler answered, a 5xx included,", true
		}
	case eff.err != nil:
		if !byError && !filtered {
			return "the outcome of a call that may have failed", true
		}
		if !filtered && t.storesStatus(w, u) {
			return "whatever status the call gave, a 5xx included,", true
		}
	}
	return "", false
}

// stillHolds reports whether a use of the effect's error variable sees the effect's error, and not that of a later call which
// was put into the same variable.
func (t *tracer) stillHolds(u *unit, use *ast.Ident, eff effect) bool {
	for _, n := range u.setsOf(eff.err) {
		if n.Pos() <= eff.call.Pos() || n.End() > use.Pos() || contains(n, eff.call) {
			continue
		}
		if p := u.parent(n); p != nil && contains(p, use) {
			return false
		}
	}
	return true
}

// storesStatus reports whether what is stored takes in the status of an HTTP answer.
func (t *tracer) storesStatus(w storeOp, u *unit) bool {
	found := false
	for _, v := range w.value {
		ast.Inspect(v, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "StatusCode" {
				found = true
			}
			return !found
		})
		if id, ok := ast.Unparen(v).(*ast.Ident); ok {
			for _, d := range u.setsOf(u.object(id)) {
				if a, ok := d.(*ast.AssignStmt); ok {
					ast.Inspect(a, func(n ast.Node) bool {
						if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "StatusCode" {
							found = true
						}
						return !found
					})
				}
			}
		}
	}
	return found
}

var payloadWord = regexp.MustCompile(`(?i)(hash|fingerprint|digest|checksum|bodysum|^sum$|requestsum|signature)`)

// comparesPayload reports whether a function compares a stored fingerprint with the request's.
func (t *tracer) comparesPayload(g *fn, depth int) bool {
	if g == nil || g.body == nil || depth > 2 {
		return false
	}
	u := g.unit
	found := false
	ast.Inspect(g.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				if payloadWord.MatchString(written(n.X)) && !isConstantish(n.Y) || payloadWord.MatchString(written(n.Y)) && !isConstantish(n.X) {
					found = true
				}
			}
		case *ast.SelectorExpr:
			if n.Sel.Name == "StatusUnprocessableEntity" {
				found = true
			}
		case *ast.CallExpr:
			k := u.callee(n)
			switch k.sel {
			case "ConstantTimeCompare", "Equal", "DeepEqual":
				for _, a := range n.Args {
					if payloadWord.MatchString(written(a)) || bodyWord.MatchString(written(a)) {
						found = true
					}
				}
			}
			if payloadWord.MatchString(k.sel) && (strings.HasPrefix(k.sel, "Match") || strings.HasPrefix(k.sel, "Same") || strings.HasPrefix(k.sel, "Compare") || strings.HasPrefix(k.sel, "Verify")) {
				found = true
			}
			if h := u.target(n); h != nil && h != g && !found {
				found = t.comparesPayload(h, depth+1)
			}
		}
		return !found
	})
	return found
}

func isConstantish(e ast.Expr) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return x.Name == "nil"
	}
	return false
}

// answersStored finds the look-up whose result is given to the caller as the answer.
func (t *tracer) answersStored(g *fn, ops []storeOp, f *frame) (model.Location, bool) {
	u := g.unit
	for _, o := range ops {
		if o.kind != opRead {
			continue
		}
		var a *ast.AssignStmt
		for n := u.parent(o.node); n != nil; n = u.parent(n) {
			if x, ok := n.(*ast.AssignStmt); ok {
				a = x
			}
			if _, ok := n.(ast.Stmt); ok {
				break
			}
		}
		if a == nil {
			continue
		}
		id, ok := a.Lhs[0].(*ast.Ident)
		if !ok || id.Name == "_" {
			continue
		}
		if v := u.object(id); v != nil && t.flowsToAnswer(v, u, 0) {
			return o.in.unit.at(o.inner), true
		}
	}
	return model.Location{}, false
}

// flowsToAnswer reports whether a variable is written to a response or returned.
func (t *tracer) flowsToAnswer(v types.Object, u *unit, depth int) bool {
	if depth > 3 {
		return false
	}
	if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Kind() == types.Bool {
		return false
	}
	for _, id := range t.usesOf(v) {
		for n := u.parent(id); n != nil; n = u.parent(n) {
			switch p := n.(type) {
			case *ast.CallExpr:
				sel := u.callee(p).sel
				switch sel {
				case "Write", "WriteString", "JSON", "Data", "Blob", "Send", "SendString", "JSONBlob", "Encode", "String", "Fprint", "Fprintf", "Render", "WriteHeader", "Copy", "XML", "HTML":
					if p.Fun != ast.Expr(id) && !liesIn(p.Fun, id) {
						return true
					}
				case "Unmarshal", "Decode":
					for _, a := range p.Args {
						if ue, ok := ast.Unparen(a).(*ast.UnaryExpr); ok && ue.Op == token.AND {
							if x, ok := ast.Unparen(ue.X).(*ast.Ident); ok {
								if o := u.object(x); o != nil && o != v && t.flowsToAnswer(o, u, depth+1) {
									return true
								}
							}
						}
					}
				}
			case *ast.ReturnStmt:
				if len(p.Results) > 0 && liesIn(p.Results[0], id) {
					return true
				}
			case *ast.BlockStmt, *ast.FuncLit:
				n = nil
			}
			if n == nil {
				break
			}
		}
	}
	return false
}

func liesIn(outer, inner ast.Node) bool {
	return outer.Pos() <= inner.Pos() && inner.End() <= outer.End()
}

var (
	purgeStatement = regexp.MustCompile(`(?is)delete\s+from\s+["'` + "`" + `\[]?([\w.]+)["'` + "`" + `\]]?\s+where\s+.*?<`)
	purgeInterval  = regexp.MustCompile(`(?is)interval\s+'?\s*(\d+)\s*'?\s*(second|minute|hour|day|week|month)s?`)
)

// purged finds a statement of the package that deletes old rows of a table, and the age that it leaves.
func (u *unit) purged(tab string) (time.Duration, model.Location, bool) {
	var age time.Duration
	var at model.Location
	found := false
	for _, o := range u.shared.order {
		for _, file := range o.files {
			ast.Inspect(file, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING || found {
					return !found
				}
				s, err := strconv.Unquote(lit.Value)
				if err != nil {
					return true
				}
				m := purgeStatement.FindStringSubmatch(s)
				if m == nil || table(m[1]) != tab {
					return true
				}
				if i := purgeInterval.FindStringSubmatch(s); i != nil {
					n, _ := strconv.Atoi(i[1])
					age, found = time.Duration(n)*calendar(i[2]), true
					at = o.at(lit)
					return false
				}
				// The age is an argument: time.Now().Add(-keep), or a number of days.
				if c, ok := o.parent(lit).(*ast.CallExpr); ok {
					if d, ok := o.ageArgument(c); ok {
						age, at, found = d, o.at(lit), true
					}
				}
				return !found
			})
		}
	}
	return age, at, found
}

func calendar(unit string) time.Duration {
	switch strings.ToLower(unit) {
	case "second":
		return time.Second
	case "minute":
		return time.Minute
	case "hour":
		return time.Hour
	case "week":
		return 7 * day
	case "month":
		return 30 * day
	}
	return day
}

// ageArgument is the d of time.Now().Add(-d) among the arguments of a call.
func (u *unit) ageArgument(c *ast.CallExpr) (time.Duration, bool) {
	g := u.fnAt(c.Pos())
	var d time.Duration
	found := false
	for _, a := range c.Args {
		e := a
		if id, ok := ast.Unparen(a).(*ast.Ident); ok {
			for _, s := range u.setsOf(u.object(id)) {
				if as, ok := s.(*ast.AssignStmt); ok && len(as.Lhs) == len(as.Rhs) {
					e = as.Rhs[0]
				}
			}
		}
		ast.Inspect(e, func(n ast.Node) bool {
			x, ok := n.(*ast.CallExpr)
			if !ok || found || len(x.Args) == 0 {
				return !found
			}
			s, ok := x.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			switch s.Sel.Name {
			case "Add":
				if v := u.value(x.Args[0], g); v.IsInt && v.Int < 0 {
					d, found = time.Duration(-v.Int), true
				}
			case "AddDate":
				if len(x.Args) == 3 {
					if v := u.value(x.Args[2], g); v.IsInt && v.Int < 0 {
						d, found = time.Duration(-v.Int)*day, true
					}
				}
			}
			return !found
		})
	}
	return d, found
}
