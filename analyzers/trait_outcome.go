package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// outcomeOf is what one simulated answer leads to.
type outcomeOf struct {
	again  bool // another attempt is certain on some way, unless a limit ends the layer
	maybe  bool // another attempt is possible, but something that cannot be read decides
	ran    bool // the operation was found at all
	cond   ast.Node
	looked ast.Node
	named  map[int64]bool
	ops    map[*ast.CallExpr]bool // operations that ran
}

// traitOutcome plays answers through the layer's code and notes which of them lead to another attempt.
func (u *unit) traitOutcome(r *region) {
	style := u.styleOf(r)
	if style == styleUnknown {
		return
	}
	var named map[int64]bool
	looked := ast.Node(nil)
	play := func(a answer) outcomeOf {
		o := u.play(r, style, a)
		if named == nil {
			named = map[int64]bool{}
		}
		for n := range o.named {
			named[n] = true
		}
		if looked == nil {
			looked = o.looked
		}
		return o
	}
	bad, denied, fault, busy, limited := play(answer{status: 400}), play(answer{status: 403}), play(answer{status: 500}), play(answer{status: 503}), play(answer{status: 429})
	if looked != nil {
		r.trait(model.TraitSeesStatus, u.at(looked), "")
		switch {
		case bad.again && denied.again:
			r.trait(model.TraitRetriesPermanent, u.atOr(bad.cond, r.node), "4xx answers lead to another attempt like all others")
		case !bad.again && !bad.maybe && !denied.again && !denied.maybe && (fault.again || busy.again || limited.again || fault.maybe || busy.maybe || limited.maybe):
			r.trait(model.TraitFiltersPermanent, u.at(looked), "4xx answers end it")
		}
		switch {
		case limited.again:
			r.trait(model.TraitRetries429, u.atOr(limited.cond, r.node), "429")
		case busy.again && named[503]:
			r.trait(model.TraitRetries429, u.atOr(busy.cond, r.node), "503")
		}
	}
	if looked == nil {
		u.traitEveryError(r, style)
	}
	u.traitContext(r, style)
}

// traitEveryError notes a layer that repeats a remote call whatever its error is, where such calls are known to fail for
// good as well: gRPC with codes that say that the call is wrong, SDKs with refusals and conditions, statements that change
// rows with constraints.
func (u *unit) traitEveryError(r *region, style opStyle) {
	if r.layer.Has(model.TraitWaitsForState) || r.layer.Has(model.TraitFiltersPermanent) {
		return
	}
	o := u.play(r, style, answer{})
	if !o.again || len(o.ops) == 0 {
		return
	}
	what := ""
	var at ast.Node
	for c := range o.ops {
		w := u.failsForGood(c)
		if w == "" {
			return // of this one nothing is known
		}
		if at == nil || c.Pos() < at.Pos() {
			at, what = c, w
		}
	}
	r.trait(model.TraitRetriesPermanent, u.at(r.node), "every error leads to another attempt, "+what+" too")
}

// failsForGood names the errors of a call that no attempt will mend; "" where nothing is known of it.
func (u *unit) failsForGood(c *ast.CallExpr) string {
	s := u.byCall[c]
	if s == nil {
		return ""
	}
	if s.edge != nil && s.edge.To.Space == model.SpaceGRPC {
		return "codes such as InvalidArgument or NotFound"
	}
	k := u.callee(c)
	pkg := k.pkg
	if pkg == "" {
		pkg = typePackage(k.name)
	}
	switch {
	case strings.HasPrefix(pkg, "github.com/aws/aws-sdk-go") && s.lib != nil && s.lib.send != nil:
		return "refusals such as a validation or an access error"
	case isWord(k.sel, "Exec", "ExecContext") && (pkg == "database/sql" || strings.HasPrefix(pkg, "github.com/jackc/pgx") || strings.HasPrefix(pkg, "github.com/jmoiron/sqlx")):
		return "a violated constraint or a wrong statement"
	case strings.HasPrefix(pkg, "go.mongodb.org/mongo-driver") && (strings.HasPrefix(k.sel, "Insert") || strings.HasPrefix(k.sel, "Update") || strings.HasPrefix(k.sel, "Replace")):
		return "a duplicate key or a refused document"
	}
	return ""
}

// atOr is the place of n, or of the region where there is none.
func (u *unit) atOr(n, or ast.Node) model.Location {
	if n != nil {
		return u.at(n)
	}
	return u.at(or)
}

// traitContext plays the end of the context through the layer's code.
func (u *unit) traitContext(r *region, style opStyle) {
	if r.layer.Has(model.TraitStopsOnContext) {
		return
	}
	if style != styleLoop && u.knowsContext(r) {
		r.trait(model.TraitStopsOnContext, u.at(r.node), "")
		return
	}
	ctx := u.contextAtHand(r)
	if ctx == nil {
		ctx = u.stopAtHand(r)
	}
	if ctx == nil || u.neverEnds(ctx) {
		return
	}
	o := u.play(r, style, answer{context: true})
	switch {
	case !o.ran:
	case o.again && o.passed():
		r.trait(model.TraitIgnoresContext, u.at(ctx), "")
	case !o.again && !o.maybe:
		r.trait(model.TraitStopsOnContext, u.at(ctx), "")
	}
}

// neverEnds reports whether a context is known to be one that nothing ends: made so at hand, or by every caller of a function
// that nobody else can call.
func (u *unit) neverEnds(e ast.Expr) bool {
	plain := func(u *unit, e ast.Expr, f *fn) bool {
		if c, ok := ast.Unparen(e).(*ast.CallExpr); ok {
			return isWord(u.callee(c).name, "context.Background", "context.TODO")
		}
		v := u.varOf(e)
		return v != nil && u.plainContext(v, f)
	}
	v := u.varOf(e)
	if v == nil {
		return false
	}
	f := u.fnAt(e.Pos())
	owner, i := u.paramOwner(v, f)
	if owner == nil {
		return plain(u, e, f)
	}
	callers := u.callersOf(owner)
	open := owner.decl == nil || owner.decl.Recv != nil || owner.decl.Name.IsExported() && u.pkg != nil && u.pkg.Name() != "main"
	if open || len(callers) == 0 {
		return false
	}
	for _, s := range callers {
		if i >= len(s.call.Args) || !plain(s.in.unit, s.call.Args[i], s.in) {
			return false
		}
	}
	return true
}

func (o outcomeOf) passed() bool { return o.looked != nil }

// opStyle is how an operation says that it wants another attempt.
type opStyle uint8

const (
	styleUnknown opStyle = iota
	styleLoop            // the body of a loop
	styleError           // an error that is not marked as permanent
	styleMarked          // only an error that is marked as retryable
	styleDone            // (done bool, err error): false without an error
	styleRetry           // (again bool, err error)
)

// styleOf finds out how the region's operation is read.
func (u *unit) styleOf(r *region) opStyle {
	switch n := r.node.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.LabeledStmt, *ast.BlockStmt:
		return styleLoop
	case *ast.CallExpr:
		if u.opBody(r) == nil {
			return styleUnknown
		}
		k := u.callee(n)
		switch {
		case strings.HasPrefix(k.name, "github.com/sethvargo/go-retry."):
			return styleMarked
		case strings.HasPrefix(k.name, "k8s.io/apimachinery/pkg/util/wait."):
			return styleDone
		case strings.HasPrefix(k.name, "github.com/matryer/try.") || strings.HasPrefix(k.name, "gopkg.in/matryer/try."):
			return styleRetry
		}
		if u.retryIf(n) != nil && !boolResult(u.opBody(r)) {
			return styleError
		}
		if u.filtered(n) || boolResult(u.opBody(r)) {
			return styleUnknown
		}
		if h := u.helperBody(n, k); h != nil && h.unit.looksAtErrors(h.body) {
			return styleUnknown
		}
		return styleError
	}
	return styleUnknown
}

// boolResult reports whether an operation says by a truth value whether it is done, or wants another attempt: which of
// both, only the one who calls it knows.
func boolResult(f *fn) bool {
	if f == nil || f.typ.Results == nil {
		return false
	}
	for _, r := range f.typ.Results.List {
		if b, ok := f.unit.typeOf(r.Type).(*types.Basic); ok && b.Kind() == types.Bool {
			return true
		}
	}
	return false
}

// helperBody is the repository's own function that a call hands an operation to; nil where it is a library's.
func (u *unit) helperBody(c *ast.CallExpr, k callee) *fn {
	f := k.to
	if f == nil {
		if s := u.byCall[c]; s != nil {
			f = s.to
		}
	}
	if f == nil || f.body == nil || f.unit == nil {
		return nil
	}
	return f
}

// looksAtErrors reports whether code decides something by what an error is: errors.Is, a type assertion, a predicate.
func (u *unit) looksAtErrors(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeAssertExpr:
			found = found || isErrorType(u.typeOf(n.X))
		case *ast.CallExpr:
			b, ok := u.typeOf(n).(*types.Basic)
			if !ok || b.Kind() != types.Bool {
				return true
			}
			for _, a := range n.Args {
				found = found || isErrorType(u.typeOf(a))
			}
		}
		return !found
	})
	return found
}

// retryIf is the predicate of retry-go's RetryIf option among a call's arguments, where it can be read.
func (u *unit) retryIf(c *ast.CallExpr) *fn {
	if !strings.HasPrefix(u.callee(c).name, "github.com/avast/retry-go") {
		return nil
	}
	for _, a := range c.Args {
		o, ok := ast.Unparen(a).(*ast.CallExpr)
		if !ok || u.callee(o).sel != "RetryIf" || len(o.Args) != 1 {
			continue
		}
		var f *fn
		if lit, ok := ast.Unparen(o.Args[0]).(*ast.FuncLit); ok {
			f = u.byNode[lit]
		} else {
			f, _ = u.handlerFunc(o.Args[0], u.fnAt(c.Pos()), 0)
		}
		if f != nil && f.body != nil && f.unit == u {
			return f
		}
	}
	return nil
}

// filtered reports whether the call hands over something that decides about errors: a predicate among its arguments or
// their options.
func (u *unit) filtered(c *ast.CallExpr) bool {
	found := false
	for _, a := range c.Args {
		ast.Inspect(a, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				if t := u.typeOf(n); t != nil && isPredicate(t) {
					found = true
				}
				return false
			case *ast.Ident:
				if isWord(n.Name, "RetryIf", "HandleIf", "HandleErrors", "HandleErrorTypes", "HandleResult", "AbortOnErrors", "AbortIf", "AbortOnErrorTypes", "WithRetryable", "RetryOn", "WhitelistClassifier", "BlacklistClassifier", "OnError", "Retryable") {
					found = true
				}
				if t := u.typeOf(n); t != nil && isPredicate(t) {
					found = true
				}
			}
			return true
		})
	}
	if fun, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && fun.Sel.Name == "OnError" {
		return true
	}
	return found
}

// isPredicate reports whether a type is func(error) bool or the like.
func isPredicate(t types.Type) bool {
	s, ok := t.Underlying().(*types.Signature)
	if !ok || s.Results().Len() != 1 || s.Params().Len() == 0 {
		return false
	}
	b, ok := s.Results().At(0).Type().Underlying().(*types.Basic)
	if !ok || b.Kind() != types.Bool {
		return false
	}
	for i := range s.Params().Len() {
		if isErrorType(s.Params().At(i).Type()) {
			return true
		}
	}
	return false
}

// opBody is the function that the region repeats, where it is one of this package.
func (u *unit) opBody(r *region) *fn {
	if r.op != nil && r.op.body != nil && r.op.unit == u {
		return r.op
	}
	if lit, ok := r.body.(*ast.FuncLit); ok {
		return u.byNode[lit]
	}
	if id, ok := r.body.(*ast.Ident); ok {
		if f := u.byObj[u.object(id)]; f != nil && f.body != nil {
			return f
		}
	}
	return nil
}

// knowsContext reports whether a library's call is given a context: as an argument, in a policy that wraps one, or as an
// option.
func (u *unit) knowsContext(r *region) bool {
	c, ok := r.node.(*ast.CallExpr)
	if !ok {
		return false
	}
	if h := u.helperBody(c, u.callee(c)); h != nil && !h.unit.usesContext(h) {
		return false
	}
	seen := map[types.Object]bool{}
	var look func(e ast.Expr, depth int) bool
	look = func(e ast.Expr, depth int) bool {
		found := false
		ast.Inspect(e, func(n ast.Node) bool {
			if found {
				return false
			}
			if _, lit := n.(*ast.FuncLit); lit {
				return false
			}
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			o := u.object(id)
			v, ok := o.(*types.Var)
			if !ok || seen[o] {
				return true
			}
			seen[o] = true
			if isContextType(v.Type()) {
				found = true
				return false
			}
			if _, isFunc := v.Type().Underlying().(*types.Signature); isFunc || depth > 4 {
				return true
			}
			for _, s := range u.setsOf(v) {
				for _, x := range setValues(s) {
					if look(x, depth+1) {
						found = true
						return false
					}
				}
			}
			return true
		})
		return found
	}
	for _, a := range append([]ast.Expr{c.Fun}, c.Args...) {
		if look(a, 0) {
			return true
		}
	}
	return false
}

// usesContext reports whether a function does anything with a context, or a channel, that it is handed, besides handing it
// to the operation.
func (u *unit) usesContext(f *fn) bool {
	found := false
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW && u.varOf(n.X) != nil && u.isParam(n.X)
		case *ast.CallExpr:
			if s, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && isWord(s.Sel.Name, "Done", "Err") {
				if t := u.typeOf(s.X); t != nil && isContextType(t) {
					found = true
				}
			}
			if v := u.varOf(n.Fun); v != nil && u.isParam(n.Fun) {
				return true // the operation itself
			}
			for _, a := range n.Args {
				if t := u.typeOf(a); t != nil && isContextType(t) {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// setValues lists the expressions on the right of an assignment.
func setValues(n ast.Node) []ast.Expr {
	switch s := n.(type) {
	case *ast.AssignStmt:
		return s.Rhs
	case *ast.ValueSpec:
		return s.Values
	}
	return nil
}

// contextAtHand is a context that outlives the attempts and that they use; nil where there is none.
func (u *unit) contextAtHand(r *region) ast.Expr {
	var found ast.Expr
	for _, n := range r.bodies() {
		ast.Inspect(n, func(n ast.Node) bool {
			if found != nil {
				return false
			}
			id, ok := n.(*ast.Ident)
			if !ok {
				if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Context" && u.isParam(s.X) {
					if t := u.typeOf(s.X); t != nil && strings.HasSuffix(t.String(), "http.Request") {
						found = s.X
					}
				}
				return true
			}
			if v, ok := u.object(id).(*types.Var); ok && isContextType(v.Type()) && !r.within(posNode(v.Pos())) && u.outlives(id, r) {
				found = id
			}
			return true
		})
	}
	if found == nil {
		// The request was made outside, with a context in it, or handed in with its caller's.
		eachCall(r.bodies(), func(c *ast.CallExpr) {
			for _, a := range c.Args {
				if found != nil || u.varOf(a) == nil {
					continue
				}
				if ctx := u.requestContext(a, 0); ctx != nil && u.outlives(ctx, r) {
					found = ctx
				} else if ctx == nil && u.httpRequest(a) && u.isParam(a) && returnsResponse(u, c) {
					found = a
				}
			}
		})
	}
	return found
}

// stopAtHand is a channel that ends the attempts from outside; nil where there is none.
func (u *unit) stopAtHand(r *region) (found ast.Expr) {
	for _, n := range r.bodies() {
		ast.Inspect(n, func(n ast.Node) bool {
			if x, ok := n.(*ast.UnaryExpr); ok && x.Op == token.ARROW && found == nil && u.isStop(x.X, r) {
				found = x.X
			}
			return found == nil
		})
	}
	return found
}

// posNode is a position as a node.
type posNode token.Pos

// Pos is the position.
func (p posNode) Pos() token.Pos { return token.Pos(p) }

// End is the same position.
func (p posNode) End() token.Pos { return token.Pos(p) }
