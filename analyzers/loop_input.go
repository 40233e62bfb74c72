package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

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
	if l.again != nil {
		for _, c := range l.again.returns {
			for i, o := range l.again.params {
				if id, ok := ast.Unparen(argOf(c, i)).(*ast.Ident); o != nil && (!ok || u.object(id) != o) {
					out[o] = true
				}
			}
		}
	}
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
					why = whyNextItem
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
					why = whyNextItem
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
	if l.again != nil {
		for _, c := range l.again.returns {
			for i, o := range l.again.params {
				b, ok := ast.Unparen(argOf(c, i)).(*ast.BinaryExpr)
				if ok && o != nil && isInteger(o.Type()) && !isDuration(o.Type()) && (b.Op == token.ADD || b.Op == token.SUB) && u.mentions(b, map[types.Object]bool{o: true}) {
					out[o] = true
				}
			}
		}
	}
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

// argOf is an argument of a call, nil where there are fewer.
func argOf(c *ast.CallExpr, i int) ast.Expr {
	if i < len(c.Args) {
		return c.Args[i]
	}
	return nil
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
	for _, n := range u.setsWithin(o, l) {
		if s, ok := l.stmt.(*ast.ForStmt); ok && s.Post == n {
			// for x, ok := pop(); ok; x, ok = pop()
			if a, ok := n.(*ast.AssignStmt); ok && len(a.Rhs) == 1 && !isDuration(o.Type()) {
				if c, ok := ast.Unparen(a.Rhs[0]).(*ast.CallExpr); ok && !u.callee(c).conv {
					return whyNextItem
				}
			}
		}
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
			return whyNextItem
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
				if c, ok := ast.Unparen(rhs).(*ast.CallExpr); ok {
					k := u.callee(c)
					if takesNext(k, u, c) || !k.conv && !isDuration(o.Type()) && givesNext(k.sel) {
						return whyNextItem
					}
				}
				if x, ok := ast.Unparen(rhs).(*ast.UnaryExpr); ok && x.Op == token.ARROW {
					return whyNextItem
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
							why = whyNextItem
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

// givesNext knows functions that give another item each time, by the verb that their name begins with: what is next, what is
// taken from a list, what somebody types.
func givesNext(name string) bool {
	n := strings.ToLower(name)
	for _, w := range []string{"next", "pop", "dequeue", "shift", "prompt", "askfor", "readpass", "readinput", "readline", "readuser", "getinput", "scanline"} {
		if strings.HasPrefix(n, w) && !strings.Contains(n, "attempt") && !strings.Contains(n, "retry") && !strings.Contains(n, "backoff") {
			return true
		}
	}
	return false
}

// setsWithin lists what gives a variable its value: a local one anywhere, a field within the loop.
func (u *unit) setsWithin(o types.Object, l *loop) []ast.Node {
	v, ok := o.(*types.Var)
	if !ok || !v.IsField() {
		return u.setsOf(o)
	}
	var out []ast.Node
	inspectOwn(l.body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			for _, x := range a.Lhs {
				if u.lvalue(x) == o {
					out = append(out, a)
				}
			}
		}
		return true
	})
	return out
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
