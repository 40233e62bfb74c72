package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// dedupes reports whether the operations are about the identity of an intent, and not about cached values or locks.
func (t *tracer) dedupes(ops []storeOp, ask storeOp, g *fn) bool {
	id := 0
	named := false
	for _, o := range ops {
		id = max(id, t.identity(o))
		named = named || o.named
	}
	texts := t.keyTexts(ask)
	claim := ask.kind == opClaim
	switch ask.class {
	case "sql", "mongo", "dynamodb":
		if named && (claim || id > 0) {
			return true
		}
		if claim {
			return id > 0 && (ask.class != "sql" || t.decides(ask, g))
		}
		// A row that is looked for by the id of a message or request and put there later: the row is the mark of it.
		return ask.class == "dynamodb" && id > 0 && t.marks(ops, ask, g) || t.identified(ask) && t.marks(ops, ask, g)
	case "redis", "memcached":
		if limitWord.MatchString(texts) && id < 2 {
			return false
		}
		if claim {
			return id > 0 || dedupeNoun.MatchString(texts)
		}
		return id == 2 || id > 0 && t.marks(ops, ask, g)
	case "memory":
		// Programs keep what they know of a request, a message or an event in maps by its id. A map that remembers what was
		// done already says so by its name, or by the name of the key.
		return named && id > 0 || id == 2 && slices.ContainsFunc(ops, t.byKey)
	case "cache", "lru":
		return id == 2 || claim && named && id > 0
	case "store":
		if claimName.MatchString(calledName(ask)) || readName.MatchString(calledName(ask)) {
			return id > 0
		}
		return id == 2 && named
	}
	return false
}

// byKey reports whether a key is an idempotency or deduplication key by its name, or the id of what arrives by the header that it
// comes from.
func (t *tracer) byKey(op storeOp) bool {
	for _, e := range op.key {
		o := t.expr(e, op.f)
		if slices.ContainsFunc(o.headers, isKeyHeader) || slices.ContainsFunc(o.headers, strongWord.MatchString) || slices.ContainsFunc(o.words, keyedWord.MatchString) {
			return true
		}
	}
	return false
}

var keyedWord = regexp.MustCompile(`(?i)idem|de_?dup`)

// marks reports whether a look-up only asks whether something is there, and the same store is written later: what is kept
// is a mark, and no value that the code reads again.
func (t *tracer) marks(ops []storeOp, ask storeOp, g *fn) bool {
	if ask.kind != opRead || !hasKind(ops, opWrite) {
		return false
	}
	u := g.unit
	for n := ask.node; n != nil; n = u.parent(n) {
		switch p := n.(type) {
		case *ast.CallExpr: // Scan(&known), First(&row, ...)
			for _, a := range p.Args {
				x, ok := ast.Unparen(a).(*ast.UnaryExpr)
				if !ok || x.Op != token.AND {
					continue
				}
				if _, isLit := x.X.(*ast.CompositeLit); isLit {
					continue // what is asked for, and not where the answer goes
				}
				id, ok := x.X.(*ast.Ident)
				if !ok {
					return false
				}
				for _, use := range t.usesOf(u.object(id)) {
					if use != id && u.info.Def(use) == nil && !u.comparedOnly(use) {
						return false
					}
				}
			}
		case *ast.AssignStmt:
			for i, l := range p.Lhs {
				id, ok := l.(*ast.Ident)
				if !ok {
					return false
				}
				o := u.object(id)
				if id.Name == "_" || i > 0 || o == nil || isErrorType(o.Type()) {
					continue
				}
				for _, use := range t.usesOf(o) {
					if !u.comparedOnly(use) {
						return false
					}
				}
			}
			return true
		case *ast.BinaryExpr:
			return true
		case ast.Stmt:
			return false
		}
	}
	return false
}

// comparedOnly reports whether a use of a variable is its declaration, or a comparison of it or of a part of it.
func (u *unit) comparedOnly(use *ast.Ident) bool {
	for n := ast.Node(use); ; {
		switch p := u.parent(n).(type) {
		case *ast.ParenExpr, *ast.SelectorExpr:
			n = p
		case *ast.CallExpr:
			if id, ok := p.Fun.(*ast.Ident); ok && id.Name == "len" || n == ast.Node(p.Fun) {
				n = p
				continue
			}
			return false
		case *ast.BinaryExpr, *ast.IfStmt, *ast.SwitchStmt, *ast.CaseClause:
			return true
		case *ast.UnaryExpr:
			return true
		case *ast.AssignStmt:
			return liesOnLeft(p, use)
		default:
			return false
		}
	}
}

func liesOnLeft(a *ast.AssignStmt, id *ast.Ident) bool {
	return slices.ContainsFunc(a.Lhs, func(e ast.Expr) bool { return e == ast.Expr(id) })
}

func calledName(o storeOp) string {
	if c, ok := o.inner.(*ast.CallExpr); ok {
		if s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
			return s.Sel.Name
		}
	}
	return ""
}

// decides reports whether the answer of an operation is looked at in a condition.
func (t *tracer) decides(o storeOp, g *fn) bool {
	u := g.unit
	if o.gives && !rowsAsked(o) {
		return false
	}
	// In the head of an if or switch, or behind a return.
	var objs []types.Object
	for n := o.node; n != nil; {
		p := u.parent(n)
		switch p := p.(type) {
		case *ast.IfStmt:
			if p.Cond == n || p.Init == n {
				return !u.onlyNotes(p)
			}
			return t.conditional(objs, g)
		case *ast.SwitchStmt, *ast.CaseClause, *ast.ReturnStmt:
			return true
		case *ast.AssignStmt:
			for _, l := range p.Lhs {
				if id, ok := l.(*ast.Ident); ok && id.Name != "_" {
					if ob := u.object(id); ob != nil {
						objs = append(objs, ob)
					}
				}
			}
			if i, ok := u.parent(p).(*ast.IfStmt); ok && i.Init == ast.Stmt(p) {
				return !u.onlyNotes(i)
			}
			return t.conditional(objs, g)
		case *ast.ValueSpec:
			for _, id := range p.Names {
				objs = append(objs, u.object(id))
			}
			return t.conditional(objs, g)
		case *ast.BlockStmt, *ast.FuncDecl, *ast.FuncLit, nil:
			return false
		case *ast.ExprStmt:
			return false
		}
		n = p
	}
	return false
}

// rowsAsked reports whether the result of a claim that gives way in silence is kept at all: an error alone does not say that the
// row was there before.
func rowsAsked(o storeOp) bool {
	u := o.in.unit
	for n := o.inner; n != nil; {
		p := u.parent(n)
		switch p := p.(type) {
		case *ast.SelectorExpr:
			if p.Sel.Name == "Error" {
				return false
			}
		case *ast.AssignStmt:
			return slices.ContainsFunc(p.Lhs, func(e ast.Expr) bool {
				id, ok := e.(*ast.Ident)
				return !ok || id.Name != "_" && !isErrorType(u.typeOf(e))
			})
		case *ast.ReturnStmt:
			return true
		case ast.Stmt, ast.Spec, *ast.FuncDecl, nil:
			return false
		}
		n = p
	}
	return false
}

// onlyNotes reports whether an if statement about an error changes nothing of what is done: it only logs.
func (u *unit) onlyNotes(s *ast.IfStmt) bool {
	if s.Else != nil || len(s.Body.List) == 0 || !mentionsNil(s.Cond) {
		return false
	}
	for _, b := range s.Body.List {
		e, ok := b.(*ast.ExprStmt)
		if !ok {
			return false
		}
		c, ok := e.X.(*ast.CallExpr)
		if !ok || !noteCall(u, c) {
			return false
		}
	}
	return true
}

// noteCall knows calls that only tell somebody: of a logger, a metric, a span.
func noteCall(u *unit, c *ast.CallExpr) bool {
	k := u.callee(c)
	if k.conv || k.to != nil && k.to.typ.Results != nil && len(k.to.typ.Results.List) > 0 {
		return false
	}
	n := strings.ToLower(k.sel)
	for _, w := range []string{"log", "debug", "info", "warn", "error", "print", "trace", "record", "inc", "observe", "notice"} {
		if strings.HasPrefix(n, w) {
			return true
		}
	}
	return false
}

// conditional reports whether one of the variables is looked at in a condition, directly or through what is made of it.
func (t *tracer) conditional(objs []types.Object, g *fn) bool {
	u := g.unit
	seen := map[types.Object]bool{}
	for len(objs) > 0 {
		o := objs[0]
		objs = objs[1:]
		if o == nil || seen[o] || len(seen) > 20 {
			continue
		}
		seen[o] = true
		for _, id := range t.usesOf(o) {
			for n := ast.Node(id); n != nil; {
				p := u.parent(n)
				switch p := p.(type) {
				case *ast.IfStmt:
					if ast.Node(p.Cond) == n && !u.onlyNotes(p) {
						return true
					}
					n = nil
					continue
				case *ast.SwitchStmt, *ast.CaseClause:
					return true
				case *ast.AssignStmt:
					if u.info.Def(id) == nil && !slices.ContainsFunc(p.Lhs, func(e ast.Expr) bool { return ast.Node(e) == n }) {
						for _, l := range p.Lhs {
							if x, ok := l.(*ast.Ident); ok {
								objs = append(objs, u.object(x))
							}
						}
					}
					n = nil
					continue
				case *ast.BlockStmt, *ast.FuncLit, nil:
					n = nil
					continue
				}
				n = p
			}
		}
	}
	return false
}
