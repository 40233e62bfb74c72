package analyzers

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// Safe local mends. Each is worked out with the syntax at hand and travels with the facts; where the meaning of anything else
// could change there is none.

// hoist moves a fresh value out of the layers that stand around it in the same function. The value is made once then, before
// the first attempt; it may not depend on anything that an attempt makes or changes.
func (u *unit) hoist(b birth) []model.Edit {
	if e, ok := u.hoists[b.node]; ok {
		return e
	}
	if u.hoists == nil {
		u.hoists = map[ast.Node][]model.Edit{}
	}
	e := u.hoistEdits(b)
	u.hoists[b.node] = e
	return e
}

func (u *unit) hoistEdits(b birth) []model.Edit {
	expr, ok := b.node.(*ast.CallExpr)
	if !ok || b.scope != b.node || u.generated[b.in.file] || b.source&^(model.FromRandom|model.FromClock) != 0 {
		return nil
	}
	t := u.typeOf(expr)
	if _, tuple := t.(*types.Tuple); t == nil || tuple {
		return nil
	}
	target := u.repeated(expr)
	if target == nil {
		return nil
	}
	stmt := u.statement(target)
	if stmt == nil || !u.steady(expr, target) {
		return nil
	}
	text := u.source(expr)
	if text == "" || !u.usedOnce(expr) {
		return nil
	}
	at := u.point(stmt.Pos())
	indent := strings.Repeat("\t", max(at.Col-1, 0))
	if a, id := u.definition(expr); a != nil && u.onlyName(id) && u.aloneOnLine(a) {
		from, to := u.lines(a)
		return []model.Edit{
			{Path: at.Path, From: at, To: at, New: id.Name + " := " + text + "\n" + indent},
			{Path: at.Path, From: from, To: to},
		}
	}
	name := u.freshName(expr.Pos(), "idempotencyKey")
	if name == "" {
		return nil
	}
	return []model.Edit{
		{Path: at.Path, From: at, To: at, New: name + " := " + text + "\n" + indent},
		{Path: at.Path, From: u.point(expr.Pos()), To: u.point(expr.End()), New: name},
	}
}

// repeated is the outermost of the layers directly around an expression in its function: a loop, or a call that is handed the
// closure in which the expression stands. Loops that are no layers may take other items: beyond them nothing moves.
func (u *unit) repeated(e ast.Expr) (target ast.Node) {
	var inner ast.Node = e
	for p := u.parent(e); p != nil; inner, p = p, u.parent(p) {
		switch x := p.(type) {
		case *ast.ForStmt:
			if inner != ast.Node(x.Body) || u.byRegion[x] == nil || u.byRegion[x].layer == nil {
				return target
			}
			target = x
		case *ast.RangeStmt:
			if inner != ast.Node(x.Body) || u.byRegion[x] == nil || u.byRegion[x].layer == nil {
				return target
			}
			target = x
		case *ast.LabeledStmt:
			if u.byRegion[x] != nil {
				return target // a goto
			}
		case *ast.FuncLit:
			c, ok := u.parent(x).(*ast.CallExpr)
			if !ok || u.byRegion[c] == nil || u.byRegion[c].layer == nil || u.byRegion[c].body != ast.Node(x) {
				return target
			}
			target = c
		case *ast.GoStmt, *ast.DeferStmt, *ast.FuncDecl:
			return target
		}
	}
	return target
}

// statement is the statement around a node before which another can stand.
func (u *unit) statement(n ast.Node) ast.Stmt {
	for {
		p := u.parent(n)
		switch p := p.(type) {
		case nil, *ast.FuncDecl, *ast.FuncLit, *ast.ForStmt, *ast.RangeStmt:
			return nil
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			s, _ := n.(ast.Stmt)
			if c, ok := p.(*ast.CommClause); ok && c.Comm == s {
				return nil
			}
			return s
		}
		n = p
	}
}

// steady reports whether an expression has the same meaning before a node as within: nothing that it names is declared or
// changed there.
func (u *unit) steady(e ast.Expr, within ast.Node) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ok = false
		case *ast.Ident:
			switch o := u.object(n).(type) {
			case *types.PkgName, *types.Func, *types.Const, *types.TypeName, *types.Nil, *types.Builtin:
			case *types.Var:
				if contains(within, posNode(o.Pos())) && !o.IsField() || u.setIn(within, o) {
					ok = false
				}
			default:
				ok = false // nobody knows what it is
			}
		}
		return ok
	})
	return ok
}

// setIn reports whether a variable or field is assigned, or its address taken, within a node.
func (u *unit) setIn(within ast.Node, o types.Object) (found bool) {
	is := func(e ast.Expr) bool {
		if u.lvalue(e) == o {
			return true
		}
		id := rootIdent(e)
		return id != nil && u.object(id) == o
	}
	ast.Inspect(within, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				found = found || is(l)
			}
		case *ast.IncDecStmt:
			found = found || is(n.X)
		case *ast.RangeStmt:
			found = found || n.Key != nil && is(n.Key) || n.Value != nil && is(n.Value)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && is(n.X)
		}
		return !found
	})
	return found
}

// usedOnce reports whether a value has no other use than as the key: one that goes through a variable which is read in several
// places may be meant to differ in some of them.
func (u *unit) usedOnce(e ast.Expr) bool {
	var in []ast.Expr
	switch p := u.parent(e).(type) {
	case *ast.AssignStmt:
		in = p.Lhs
	case *ast.ValueSpec:
		for _, id := range p.Names {
			in = append(in, id)
		}
	}
	for _, l := range in {
		id, ok := ast.Unparen(l).(*ast.Ident)
		d := u.declOf(l.Pos())
		if !ok || d == nil || len(in) != 1 {
			return false // a field lives on
		}
		uses, o := 0, u.object(id)
		ast.Inspect(d.node, func(n ast.Node) bool {
			if x, ok := n.(*ast.Ident); ok && u.object(x) == o {
				uses++
			}
			return true
		})
		if o == nil || uses != 2 {
			return false
		}
	}
	return true
}

// definition is the statement "key := e", where an expression stands in one.
func (u *unit) definition(e ast.Expr) (*ast.AssignStmt, *ast.Ident) {
	a, ok := u.parent(e).(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return nil, nil
	}
	id, ok := a.Lhs[0].(*ast.Ident)
	if _, block := u.parent(a).(*ast.BlockStmt); !ok || !block || id.Name == "_" {
		return nil, nil
	}
	return a, id
}

// onlyName reports whether a variable is the only thing of its name in its function and gets its value once.
func (u *unit) onlyName(id *ast.Ident) bool {
	o := u.object(id)
	d := u.declOf(id.Pos())
	if o == nil || d == nil || len(u.setsOf(o)) != 1 {
		return false
	}
	return !u.named(d, id.Name, o)
}

// named reports whether a declaration has an identifier of a name that is not a certain object.
func (u *unit) named(d *declIndex, name string, but types.Object) (found bool) {
	ast.Inspect(d.node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name && (but == nil || u.object(id) != but) {
			found = true
		}
		return !found
	})
	return found
}

// freshName is a name that nothing in the declaration around a place has.
func (u *unit) freshName(pos token.Pos, word string) string {
	d := u.declOf(pos)
	if d == nil {
		return ""
	}
	for i := 1; i < 10; i++ {
		name := word
		if i > 1 {
			name += strconv.Itoa(i)
		}
		if d.names[name] || u.pkg != nil && u.pkg.Scope().Lookup(name) != nil || u.named(d, name, nil) {
			continue
		}
		if d.names == nil {
			d.names = map[string]bool{}
		}
		d.names[name] = true
		return name
	}
	return ""
}

// aloneOnLine reports whether a statement has its lines to itself, comments included.
func (u *unit) aloneOnLine(s ast.Stmt) bool {
	from, to := u.fset.Position(s.Pos()), u.fset.Position(s.End())
	b, ok := u.parent(s).(*ast.BlockStmt)
	if !ok || u.fset.Position(b.Lbrace).Line == from.Line || u.fset.Position(b.Rbrace).Line == to.Line {
		return false
	}
	for _, t := range b.List {
		if t != s && u.fset.Position(t.Pos()).Line <= to.Line && u.fset.Position(t.End()).Line >= from.Line {
			return false
		}
	}
	if d := u.declOf(s.Pos()); d != nil {
		for _, g := range d.file.Comments {
			if a, z := u.fset.Position(g.Pos()).Line, u.fset.Position(g.End()).Line; z >= from.Line-1 && a <= to.Line && g.Pos() > b.Lbrace {
				return false // what it says belongs to the statement
			}
		}
	}
	return true
}

// lines are the whole lines of a statement.
func (u *unit) lines(s ast.Stmt) (from, to model.Location) {
	from, to = u.point(s.Pos()), u.point(s.End())
	from.Col, from.EndCol = 1, 1
	to.Line, to.EndLine, to.Col, to.EndCol = to.Line+1, to.Line+1, 1, 1
	return from, to
}

// point is a place without extent.
func (u *unit) point(pos token.Pos) model.Location {
	p := u.fset.Position(pos)
	return model.Location{Repo: u.repo, Path: u.rel(p.Filename), Line: p.Line, Col: p.Column, EndLine: p.Line, EndCol: p.Column}
}

// source writes an expression as gofmt would; "" where it does not fit on a line.
func (u *unit) source(e ast.Expr) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, u.fset, e); err != nil || strings.ContainsAny(b.String(), "\n") {
		return ""
	}
	return b.String()
}

// rebuild makes the reader of a body in each attempt: the one place that uses a variable takes what made it instead.
func (u *unit) rebuild(r *region, arg ast.Expr) []model.Edit {
	id, ok := ast.Unparen(arg).(*ast.Ident)
	if !ok || u.generated[r.in.file] {
		return nil
	}
	o, _ := u.object(id).(*types.Var)
	if o == nil {
		return nil
	}
	d := u.declOf(o.Pos())
	sets := u.setsOf(o)
	if d == nil || d != u.declOf(id.Pos()) || len(sets) != 1 {
		return nil
	}
	a, ok := sets[0].(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE || len(a.Lhs) != 1 || len(a.Rhs) != 1 || !u.aloneOnLine(a) || contains(r.node, a) {
		return nil
	}
	c, ok := ast.Unparen(a.Rhs[0]).(*ast.CallExpr)
	if !ok || !isWord(u.callee(c).name, "bytes.NewReader", "bytes.NewBuffer", "bytes.NewBufferString", "strings.NewReader") || len(c.Args) != 1 {
		return nil
	}
	uses := 0
	ast.Inspect(d.node, func(n ast.Node) bool {
		if x, ok := n.(*ast.Ident); ok && u.object(x) == types.Object(o) {
			uses++
		}
		return true
	})
	if uses != 2 || !u.plain(c.Args[0], a, d) {
		return nil
	}
	text := u.source(c)
	if text == "" {
		return nil
	}
	from, to := u.lines(a)
	at := u.point(arg.Pos())
	return []model.Edit{
		{Path: at.Path, From: from, To: to},
		{Path: at.Path, From: at, To: u.point(arg.End()), New: text},
	}
}

// plain reports whether what a reader reads is the same whenever it is asked for after a statement: constants and variables
// that are not set again, conversions of them, and no other call.
func (u *unit) plain(e ast.Expr, after *ast.AssignStmt, d *declIndex) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			ok = ok && u.callee(n).conv && len(n.Args) == 1
		case *ast.FuncLit, *ast.CompositeLit, *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr, *ast.SelectorExpr:
			ok = false
		case *ast.Ident:
			o := u.object(n)
			if v, isVar := o.(*types.Var); isVar {
				if d.start > v.Pos() || v.Pos() > d.end {
					ok = false // a package's variable: anybody may set it
				}
				for _, s := range u.setsOf(v) {
					if s.Pos() > after.Pos() {
						ok = false
					}
				}
			} else if o == nil {
				ok = false
			}
			if shadowed := u.lookAlike(d, n.Name, o); shadowed {
				ok = false
			}
		}
		return ok
	})
	return ok
}

// lookAlike reports whether a declaration has another object of the same name, which could hide the first.
func (u *unit) lookAlike(d *declIndex, name string, o types.Object) (found bool) {
	ast.Inspect(d.node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			if x := u.info.Def(id); x != nil && x != o {
				found = true
			}
		}
		return !found
	})
	return found
}
