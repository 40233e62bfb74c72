package analyzers

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// effect is a call that changes something, as far as its name and its kind say.
type effect struct {
	call   *ast.CallExpr
	site   *site
	tx     bool // handed a transaction, or made on one
	strong bool // a request, a message, or a function that was handed in
	err    types.Object
}

var (
	harmlessCall = regexp.MustCompile(`^(?i)(get|find|load|list|lookup|fetch|read|select|query|count|is|has|can|should|must|parse|decode|encode|marshal|unmarshal|bind|validate|verify|check|new|with|make|format|sprint|print|error|errorf|warn|info|debug|log|trace|string|bytes|len|cap|append|close|lock|unlock|rlock|runlock|tolower|toupper|trim|split|join|contains|equal|hash|sum|write(header)?|header|setheader|status|context|usercontext|value|err|done|begin(tx)?|commit|rollback|result|val|scan|rowsaffected|now|since|sub|add|after|before|unix|json|abort|next$|ack|nack|reject|term|text|html|redirect|sleep|wait|record(error)?|inc|observe|start|end|set(attributes|status|tag)|addevent|clone|key|keyfor|payload|body|param|params|query|formvalue|recover|flush|seek|reset|exists?|seen|parseform|copy|discard|readall|limitreader|nopcloser|from|to|as|unwrap)`)
	doesCall     = regexp.MustCompile(`(?i)(process|handle|apply|charge|credit|debit|pay|send|ship|publish|execute|exec|run|dispatch|deliver|grant|create|insert|update|delete|post|put|transfer|book|perform|invoke|call|servehttp|notify|mail|emit|submit|settle|refund|provision|fulfil|do$|write|save|store|place|issue|activate|enqueue|push|fn$|next|work|consume)`)
)

// harmless reports whether a name begins with a word that changes nothing: the word as a whole, so that TopUp is no
// conversion, Cancel no question and AddPoints no arithmetic.
func harmless(name string) bool {
	word := harmlessCall.FindString(name)
	if word == "" {
		return strings.HasPrefix(strings.ToLower(name), "cancel") && (name == "cancel" || strings.HasPrefix(name, "cancelCtx"))
	}
	rest := name[len(word):]
	if strings.EqualFold(word, "add") && rest != "" && !harmlessAdd.MatchString(rest) {
		return false
	}
	for _, s := range []string{"f", "ln", "w", "s", "ed", "Context"} {
		if rest == s {
			return true
		}
	}
	return rest == "" || rest[0] < 'a' || rest[0] > 'z'
}

var harmlessAdd = regexp.MustCompile(`^(?i)(event|header|cookie|field|attr|label|tag|error|link|flag|cleanup|date|int|uint|log)`)

// effects lists the calls of a function that may be the effect which a dedupe memory guards.
func (t *tracer) effects(f *frame, ops []storeOp) []effect {
	g := f.fn
	u := g.unit
	isOp := map[ast.Node]bool{}
	for _, o := range ops {
		isOp[o.node] = true
	}
	var out []effect
	ast.Inspect(g.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if isOp[n] {
				return true
			}
			if e, ok := t.effectCall(n, f); ok {
				out = append(out, e)
			}
		}
		return true
	})
	for i := range out {
		out[i].err = u.errorOf(out[i].call)
	}
	return out
}

func (t *tracer) effectCall(c *ast.CallExpr, f *frame) (effect, bool) {
	u := t.u
	k := u.callee(c)
	if k.conv {
		return effect{}, false
	}
	s := u.byCall[c]
	e := effect{call: c, site: s}
	for _, a := range c.Args {
		if t.isTxArg(a, f) {
			e.tx = true
		}
	}
	sel, isSel := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if isSel && !t.isPackage(sel.X) && t.isTx(sel.X, f) {
		e.tx = true
	}
	if s != nil && s.edge != nil {
		switch s.edge.Kind {
		case model.EdgeRequest:
			if s.edge.Idempotent || s.edge.Method == "GET" || s.edge.Method == "HEAD" {
				return effect{}, false
			}
			e.strong = true
			return e, true
		case model.EdgePublish:
			e.strong = true
			return e, true
		}
	}
	if t.effectInTx(c, k) {
		e.tx = true
		return e, true
	}
	pkg := k.pkg
	if pkg == "log" || pkg == "log/slog" || pkg == "fmt" {
		// A program that only writes a line does that as its effect.
		if pkg == "log" && strings.HasPrefix(k.sel, "Print") {
			return e, true
		}
		return effect{}, false
	}
	if k.sel == "ServeHTTP" || k.sel == "Next" && isSel && len(c.Args) == 0 {
		e.strong = true
		return e, true
	}
	if isStdPath(pkg) && pkg != "" && pkg != "database/sql" && pkg != "net/smtp" && pkg != "net/http" && pkg != "os/exec" {
		return effect{}, false
	}
	if pkg == "net/http" {
		return effect{}, false
	}
	// A function that was handed in or is held in a field.
	if v, ok := k.obj.(*types.Var); ok && isFuncVar(v) {
		if harmless(k.sel) && !doesCall.MatchString(k.sel) {
			return effect{}, false
		}
		e.strong = true
		return e, true
	}
	if k.sel == "" || k.sel == "func" {
		return effect{}, false
	}
	if sqlName(k.sel) {
		text, _ := t.statement(c, f)
		if text == "" {
			return e, k.sel == "Exec" || k.sel == "ExecContext"
		}
		if sqlInsert.MatchString(text) || sqlUpdate.MatchString(text) || sqlDelete.MatchString(text) {
			return e, true
		}
		return effect{}, false
	}
	if harmless(k.sel) && !(doesCall.MatchString(k.sel) && !strings.HasPrefix(strings.ToLower(k.sel), "write")) {
		return effect{}, false
	}
	if doesCall.MatchString(k.sel) {
		return e, true
	}
	// Something of one's own that gives an error back.
	if k.fun != nil && givesError(k.fun) && (k.to != nil || u.sameOwner(k.pkg) || isInterfaceMethod(k.fun)) {
		return e, true
	}
	return effect{}, false
}

// effectInTx reports whether a call runs a closure that has an effect in a transaction of its own: gorm's Transaction, pgx's
// BeginFunc, a helper called WithTx.
func (t *tracer) effectInTx(c *ast.CallExpr, k callee) bool {
	if !txRunner.MatchString(k.sel) {
		return false
	}
	for _, a := range c.Args {
		lit, ok := ast.Unparen(a).(*ast.FuncLit)
		if !ok {
			continue
		}
		if g := t.u.byNode[lit]; g != nil && g.body != nil && len(t.effects(newFrame(g), nil)) > 0 {
			return true
		}
	}
	return false
}

func sqlName(s string) bool {
	switch s {
	case "Exec", "ExecContext", "MustExec", "NamedExec", "NamedExecContext", "Query", "QueryContext", "QueryRow", "QueryRowContext":
		return true
	}
	return false
}

func givesError(f *types.Func) bool {
	sig, ok := f.Type().(*types.Signature)
	if !ok || sig.Results().Len() == 0 {
		return false
	}
	n, ok := sig.Results().At(sig.Results().Len() - 1).Type().(*types.Named)
	return ok && n.Obj().Name() == "error"
}

// isTxArg reports whether an argument is a transaction.
func (t *tracer) isTxArg(a ast.Expr, f *frame) bool {
	typ := namedText(t.u.typeOf(a))
	if typ == "" {
		if id, ok := ast.Unparen(a).(*ast.Ident); ok {
			return strings.EqualFold(id.Name, "tx")
		}
		return false
	}
	return strings.HasSuffix(typ, "(*Tx)") || strings.HasSuffix(typ, ".Tx")
}

// errorOf is the variable that gets the error of a call.
func (u *unit) errorOf(c *ast.CallExpr) types.Object {
	a, ok := u.parent(c).(*ast.AssignStmt)
	if !ok || len(a.Rhs) != 1 {
		return nil
	}
	id, ok := a.Lhs[len(a.Lhs)-1].(*ast.Ident)
	if !ok || id.Name == "_" {
		return nil
	}
	o := u.object(id)
	if o == nil {
		return nil
	}
	if strings.HasPrefix(strings.ToLower(o.Name()), "err") {
		return o
	}
	if n, ok := o.Type().(*types.Named); ok && n.Obj().Name() == "error" {
		return o
	}
	return nil
}

// mainEffect is the effect that matters most: a request or a function handed in before anything else, else the first.
func (t *tracer) mainEffect(list []effect, fl *ordering, ops []storeOp) effect {
	best := list[0]
	score := func(e effect) int {
		n := 0
		if e.strong {
			n += 4
		}
		if e.site != nil && e.site.edge != nil && e.site.edge.Effect {
			n += 4
		}
		if e.err != nil {
			n += 2
		}
		if doesCall.MatchString(t.u.callee(e.call).sel) {
			n++
		}
		return n
	}
	for _, e := range list[1:] {
		if score(e) > score(best) {
			best = e
		}
	}
	return best
}

func (t *tracer) anyTx(list []effect) bool {
	return slices.ContainsFunc(list, func(e effect) bool { return e.tx })
}
