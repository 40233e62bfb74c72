package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// known is the outcome of calls whose meaning matters here: making, wrapping and comparing errors, contexts, and what ends
// the process.
func (m *sim) known(c *ast.CallExpr, k callee, args []simValue, st *simState) ([]simResult, bool) {
	switch k.name {
	case "errors.New":
		return simOne(simValue{kind: simError, far: true}, st), true
	case "fmt.Errorf", "golang.org/x/xerrors.Errorf":
		return simOne(m.wrapped(c, args), st), true
	case "errors.Join":
		v := simValue{kind: simError, far: true}
		for _, a := range args {
			v.marks = append(v.marks, a.marks...)
			v.opaque = v.opaque || a.opaque || a.kind == simUnknown
		}
		return simOne(v, st), true
	case "errors.Is", "golang.org/x/xerrors.Is", "github.com/pkg/errors.Is":
		if len(args) == 2 {
			return simOne(m.is(args[0], args[1], c.Args[1]), st), true
		}
	case "errors.As", "golang.org/x/xerrors.As", "github.com/pkg/errors.As":
		if len(args) == 2 {
			return simOne(m.as(args[0], c.Args[1], st), st), true
		}
	case "errors.Unwrap":
		return simOne(simValue{far: true}, st), true
	case "os.Exit", "runtime.Goexit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Panic", "log.Panicf":
		st.flow = flowEnd
		return []simResult{{st: st}}, true
	case "context.Cause":
		if len(c.Args) == 1 {
			return simOne(m.contextErr(c.Args[0], st), st), true
		}
	}
	if k.obj == nil && k.sel == "panic" {
		st.flow = flowEnd
		return []simResult{{st: st}}, true
	}
	if strings.HasPrefix(k.name, "github.com/pkg/errors.") && isWord(k.sel, "Wrap", "Wrapf", "WithMessage", "WithMessagef", "WithStack") && len(args) > 0 {
		v := args[0]
		return simOne(v, st), true
	}
	if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		if sel.Sel.Name == "Err" && len(c.Args) == 0 {
			if t := m.u.typeOf(sel.X); t != nil && isContextType(t) {
				return simOne(m.contextErr(sel.X, st), st), true
			}
		}
		if len(c.Args) == 0 && isWord(sel.Sel.Name, "StatusCode", "GetStatusCode", "IsError", "IsSuccess", "IsErrorState", "IsSuccessState") {
			out := m.eval(sel.X, st)
			if len(out) == 1 && out[0].val().kind == simResponse {
				m.look(c, out[0].st)
				v := simValue{kind: simInt, n: m.ans.status, far: true, status: true}
				switch sel.Sel.Name {
				case "IsError", "IsErrorState":
					v = simOf(m.ans.status > 399)
					v.far, v.status = true, true
				case "IsSuccess", "IsSuccessState":
					v = simOf(m.ans.status > 199 && m.ans.status < 300)
					v.far, v.status = true, true
				}
				return simOne(v, out[0].st), true
			}
		}
	}
	// Libraries' words for errors that must not, or must, be repeated.
	if len(args) >= 1 && k.to == nil {
		switch {
		case isWord(k.sel, "Permanent", "Unrecoverable", "NonRetryable", "NonRetriable", "UnretryableError", "NewNonRetryableApplicationError", "Stop", "SkipRetry", "TerminalError"):
			if args[0].kind == simError || args[0].kind == simUnknown || k.sel == "NewNonRetryableApplicationError" {
				v := simValue{kind: simError, far: true, marks: append([]any{markPermanent}, args[0].marks...)}
				return simOne(v, st), true
			}
		case isWord(k.sel, "RetryableError", "NewRetryableError"):
			v := simValue{kind: simError, far: true, marks: append([]any{markRetryable}, args[0].marks...)}
			return simOne(v, st), true
		}
	}
	return nil, false
}

// wrapped is the error of fmt.Errorf: what %w takes in stays recognisable.
func (m *sim) wrapped(c *ast.CallExpr, args []simValue) simValue {
	v := simValue{kind: simError, far: true}
	format := ""
	if len(c.Args) > 0 {
		if tv, ok := m.u.info.Type(c.Args[0]); ok && tv.Value != nil {
			format = tv.Value.ExactString()
		} else {
			v.opaque = true
			return v
		}
	}
	if !strings.Contains(format, "%w") {
		return v
	}
	for i, a := range args {
		if i == 0 {
			continue
		}
		if a.kind == simError {
			v.marks = append(v.marks, a.marks...)
			v.opaque = v.opaque || a.opaque
			if a.typ != nil {
				v.typ, v.fields = a.typ, a.fields
			}
		} else if i < len(c.Args) && isErrorType(m.u.typeOf(c.Args[i])) && a.kind == simUnknown {
			v.opaque = true
		}
	}
	return v
}

// is compares an error with a target.
func (m *sim) is(err, target simValue, at ast.Expr) simValue {
	switch {
	case err.kind == simNil:
		v := simOf(target.kind == simNil)
		v.far = true
		return v
	case err.kind != simError:
		return simValue{far: true}
	}
	hit := false
	if contextError(m.u, at) {
		hit = err.has(markCancelled)
	} else {
		for _, t := range target.marks {
			hit = hit || err.has(t)
		}
	}
	if !hit && err.opaque {
		return simValue{far: true}
	}
	v := simOf(hit)
	v.far = true
	return v
}

// contextError reports whether an expression is context.Canceled or context.DeadlineExceeded.
func contextError(u *unit, e ast.Expr) bool {
	s, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok || !isWord(s.Sel.Name, "Canceled", "DeadlineExceeded") {
		return false
	}
	id, ok := ast.Unparen(s.X).(*ast.Ident)
	if !ok {
		return false
	}
	p, ok := u.object(id).(*types.PkgName)
	return ok && p.Imported().Path() == "context"
}

// as looks for an error of the target's type and gives it to the target.
func (m *sim) as(err simValue, target ast.Expr, st *simState) simValue {
	if err.kind == simNil {
		v := simOf(false)
		v.far = true
		return v
	}
	if err.kind != simError || err.typ == nil {
		if err.kind == simError && !err.opaque {
			v := simOf(false) // made of words and sentinels only
			v.far = true
			return v
		}
		return simValue{far: true}
	}
	x, ok := ast.Unparen(target).(*ast.UnaryExpr)
	if !ok || x.Op != token.AND {
		return simValue{far: true}
	}
	want := m.u.typeOf(x.X)
	if want == nil {
		return simValue{far: true}
	}
	have := err.typ
	if p, ok := want.(*types.Pointer); ok {
		want = p.Elem()
	}
	if types.Identical(have, want) {
		if id, ok := ast.Unparen(x.X).(*ast.Ident); ok {
			st.set(m.u.object(id), err)
		}
		v := simOf(true)
		v.far = true
		return v
	}
	if _, isInterface := want.Underlying().(*types.Interface); isInterface || err.opaque {
		return simValue{far: true}
	}
	v := simOf(false)
	v.far = true
	return v
}

// contextErr is ctx.Err(): an error where the context that outlives the attempt is over.
func (m *sim) contextErr(ctx ast.Expr, st *simState) simValue {
	if !m.outlives(ctx, st) {
		return simValue{}
	}
	if m.ans.context && len(st.ops) > 0 { // it ends during the first attempt
		return simValue{kind: simError, marks: []any{markCancelled}, far: true}
	}
	return simValue{kind: simNil}
}
