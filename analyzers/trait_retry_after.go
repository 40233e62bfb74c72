package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// traitRetryAfter looks for a read of the Retry-After header in what an attempt runs, and for something that caps it.
func (u *unit) traitRetryAfter(r *region) {
	if r.layer.Has(model.TraitReadsRetryAfter) || u.opBody(r) == nil && !isLoop(r.node) {
		return
	}
	reach := u.reach(r)
	var read ast.Node
	for _, n := range reach {
		ast.Inspect(n, func(n ast.Node) bool {
			if read != nil {
				return false
			}
			if e, ok := n.(ast.Expr); ok && u.isRetryAfter(e) {
				read = n
			}
			// A helper of another package that is handed the answer: its name says what it reads.
			if c, ok := n.(*ast.CallExpr); ok {
				if k := u.callee(c); k.to == nil && strings.Contains(strings.ToLower(k.sel), "retryafter") {
					read = n
				}
			}
			return true
		})
	}
	if read == nil {
		return
	}
	detail := "uncapped"
	if u.caps(reach, read) {
		detail = "capped"
	}
	r.trait(model.TraitReadsRetryAfter, u.at(read), detail)
}

// isRetryAfter reports whether an expression is the header's name, as a literal or a constant.
func (u *unit) isRetryAfter(e ast.Expr) bool {
	switch e.(type) {
	case *ast.BasicLit, *ast.Ident, *ast.SelectorExpr:
	default:
		return false
	}
	tv, ok := u.info.Type(e)
	if !ok || tv.Value == nil {
		return false
	}
	s := strings.ToLower(strings.Trim(tv.Value.ExactString(), `"`))
	return isWord(s, "retry-after", "retry-after-ms", "x-retry-after", "x-amz-retry-after", "x-ratelimit-reset", "ratelimit-reset")
}

// caps reports whether what was read from the header is compared with, or cut to, something that is not zero.
func (u *unit) caps(reach []ast.Node, read ast.Node) bool {
	tainted := map[types.Object]bool{}
	tail := map[*ast.CallExpr]bool{} // calls whose result comes from the header
	from := func(e ast.Node) bool {
		hit := false
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if o := u.object(n); o != nil && tainted[o] {
					hit = true
				}
			case *ast.CallExpr:
				hit = hit || tail[n]
			}
			if n == read {
				hit = true
			}
			return !hit
		})
		return hit
	}
	// The functions that read the header give it to their callers.
	readers := map[ast.Node]bool{}
	for _, n := range reach {
		if n.Pos() <= read.Pos() && read.End() <= n.End() {
			readers[n] = true
		}
	}
	for range 4 {
		for _, n := range reach {
			ast.Inspect(n, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if f := u.callee(n).to; f != nil && f.body != nil && readers[f.body] && f.typ.Results != nil {
						tail[n] = true
					}
				case *ast.AssignStmt:
					hit := false
					for _, x := range n.Rhs {
						hit = hit || from(x)
					}
					if hit {
						for _, l := range n.Lhs {
							if id, ok := l.(*ast.Ident); ok && u.object(id) != nil && !isErrorType(u.typeOf(id)) {
								tainted[u.object(id)] = true
							}
						}
					}
				}
				return true
			})
		}
	}
	for _, n := range reach {
		capped := false
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				switch n.Op {
				case token.GTR, token.GEQ:
					capped = capped || from(n.X) && u.isCap(n.Y)
				case token.LSS, token.LEQ:
					capped = capped || from(n.Y) && u.isCap(n.X)
				}
			case *ast.CallExpr:
				k := u.callee(n)
				if (k.conv && k.sel == "min" || strings.EqualFold(k.sel, "min") || strings.Contains(strings.ToLower(k.sel), "clamp") || strings.Contains(strings.ToLower(k.sel), "cap")) && len(n.Args) > 1 {
					for _, a := range n.Args {
						capped = capped || from(a)
					}
				}
			}
			return !capped
		})
		if capped {
			return true
		}
	}
	return false
}

// isCap reports whether an expression is something that a wait is cut to: a constant that is not zero, or a value that is
// called a maximum.
func (u *unit) isCap(e ast.Expr) bool {
	if tv, ok := u.info.Type(e); ok && tv.Value != nil {
		return tv.Value.ExactString() != "0"
	}
	name := ""
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		name = x.Name
	case *ast.SelectorExpr:
		name = x.Sel.Name
	case *ast.CallExpr:
		return u.callee(x).sel == "Until" // of a deadline
	}
	name = strings.ToLower(name)
	for _, w := range []string{"max", "cap", "limit", "longest", "ceil", "budget", "remaining", "left", "deadline", "timeout", "upper", "most"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}
