package analyzers

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// collect finds every function, method and closure with its calls and loops, in one walk over the package.
func (u *unit) collect() {
	for _, f := range u.files {
		if !u.tests && aidsTests(f) {
			continue
		}
		for _, d := range f.Decls {
			u.decls = append(u.decls, &declIndex{node: d, file: f, start: d.Pos(), end: d.End()})
			switch d := d.(type) {
			case *ast.FuncDecl:
				u.collectFunc(f, d)
			case *ast.GenDecl:
				u.collectVars(f, d)
			}
		}
	}
	u.holders()
}

// collectFunc adds a declared function and what is in it.
func (u *unit) collectFunc(file *ast.File, d *ast.FuncDecl) {
	obj, _ := u.info.Def(d.Name).(*types.Func)
	name := u.path + "." + d.Name.Name
	if d.Recv != nil && len(d.Recv.List) > 0 {
		name = u.path + "." + recvText(d.Recv.List[0].Type) + "." + d.Name.Name
	}
	if d.Recv == nil && (d.Name.Name == "init" || d.Name.Name == "_") {
		name += u.again(name) // a package may have many, and each is a function of its own
	}
	f := &fn{name: model.N(model.SpaceFunc, name), decl: d, body: d.Body, typ: d.Type, obj: obj, file: file}
	u.addFn(f)
	if obj != nil {
		u.byObj[obj] = f
	}
	if d.Body != nil {
		(&walker{u: u, fn: f}).block(d.Body)
	}
}

// collectVars adds the closures and calls of package-level initialisers.
func (u *unit) collectVars(file *ast.File, d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, spec := range d.Specs {
		s, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, v := range s.Values {
			name := "init"
			var owner types.Object
			if i < len(s.Names) {
				name, owner = s.Names[i].Name, u.info.Def(s.Names[i])
			}
			if name == "_" || name == "init" {
				name += u.again("var " + name)
			}
			holder := &fn{name: model.N(model.SpaceFunc, u.path+".init#"+name), file: file, owner: owner}
			w := &walker{u: u, fn: holder, varName: u.path + "." + name}
			w.expr(v)
			if len(holder.calls) > 0 {
				u.addFn(holder)
			}
		}
	}
}

// again numbers what has one name and is not one thing: "" the first time, then "2", "3".
func (u *unit) again(name string) string {
	if u.twins == nil {
		u.twins = map[string]int{}
	}
	u.twins[name]++
	if n := u.twins[name]; n > 1 {
		return strconv.Itoa(n)
	}
	return ""
}

// aidsTests reports whether a file is there for tests although its name does not say so: it imports what only tests use.
func aidsTests(f *ast.File) bool {
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			continue
		}
		if p == "testing" {
			return true
		}
		for _, root := range testFrameworks {
			if p == root || strings.HasPrefix(p, root+"/") {
				return true
			}
		}
	}
	return false
}

var testFrameworks = []string{
	"github.com/onsi/ginkgo", "github.com/onsi/gomega", "github.com/stretchr/testify", "github.com/golang/mock", "go.uber.org/mock",
	"gotest.tools", "gopkg.in/check.v1", "sigs.k8s.io/e2e-framework", "k8s.io/kubernetes/test/e2e",
}

func (u *unit) addFn(f *fn) {
	f.unit = u
	u.fns = append(u.fns, f)
	if n := f.node(); f.decl != nil || f.lit != nil {
		u.byNode[n] = f
	}
	if f.typ == nil || f.typ.Params == nil {
		return
	}
	i := 0
	for _, p := range f.typ.Params.List {
		for _, id := range p.Names {
			if o := u.info.Def(id); o != nil {
				if f.params == nil {
					f.params = make(map[types.Object]int, f.typ.Params.NumFields())
				}
				f.params[o] = i
			}
			i++
		}
		if len(p.Names) == 0 {
			i++
		}
	}
}

// recvText is the receiver's type as names have it: "(*T)" or "T".
func recvText(e ast.Expr) string {
	star := false
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			star, e = true, x.X
			continue
		case *ast.ParenExpr:
			e = x.X
			continue
		case *ast.IndexExpr:
			e = x.X
			continue
		case *ast.IndexListExpr:
			e = x.X
			continue
		case *ast.Ident:
			if star {
				return "(*" + x.Name + ")"
			}
			return x.Name
		}
		return "?"
	}
}

// walker goes through one function and stops at closures, which get walkers of their own.
type walker struct {
	u       *unit
	fn      *fn
	loop    *loop
	varName string // of the package-level variable whose initialiser this is
}

func (w *walker) block(b *ast.BlockStmt) { w.visit(b) }

func (w *walker) expr(e ast.Expr) { w.visit(e) }

// visit walks n in source order.
func (w *walker) visit(root ast.Node) {
	if root == nil {
		return
	}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			w.closure(n)
			return false
		case *ast.LabeledStmt:
			switch s := n.Stmt.(type) {
			case *ast.ForStmt:
				w.forLoop(s, n.Label.Name)
				return false
			case *ast.RangeStmt:
				w.rangeLoop(s, n.Label.Name)
				return false
			}
		case *ast.ForStmt:
			w.forLoop(n, "")
			return false
		case *ast.RangeStmt:
			w.rangeLoop(n, "")
			return false
		case *ast.BranchStmt:
			if n.Tok == token.GOTO {
				w.fn.hasGoto = true
			}
		case *ast.GoStmt:
			w.visit(n.Call)
			w.mark(n.Call, true)
			return false
		case *ast.DeferStmt:
			w.visit(n.Call)
			w.mark(n.Call, false)
			return false
		case *ast.CallExpr:
			w.fn.calls = append(w.fn.calls, &call{expr: n, loop: w.loop})
			w.u.facts.Stats.Calls++
		case *ast.CompositeLit:
			w.u.lits = append(w.u.lits, n)
		case *ast.AssignStmt:
			w.u.assigns = append(w.u.assigns, n)
		case *ast.IncDecStmt:
			if _, ok := ast.Unparen(n.X).(*ast.SelectorExpr); ok {
				one := &ast.BasicLit{ValuePos: n.TokPos, Kind: token.INT, Value: "1"}
				w.u.assigns = append(w.u.assigns, &ast.AssignStmt{Lhs: []ast.Expr{n.X}, TokPos: n.TokPos, Tok: token.ADD_ASSIGN, Rhs: []ast.Expr{one}})
			}
		}
		return true
	})
}

func (w *walker) mark(c *ast.CallExpr, spawn bool) {
	for i := len(w.fn.calls) - 1; i >= 0; i-- {
		if w.fn.calls[i].expr == c {
			w.fn.calls[i].spawn, w.fn.calls[i].defr = spawn, !spawn
			return
		}
	}
}

func (w *walker) enter(s ast.Stmt, body *ast.BlockStmt, label string) *loop {
	l := &loop{stmt: s, body: body, outer: w.loop, label: label}
	w.fn.loops = append(w.fn.loops, l)
	w.loop = l
	return l
}

func (w *walker) forLoop(s *ast.ForStmt, label string) {
	if s.Init != nil {
		w.visit(s.Init)
	}
	l := w.enter(s, s.Body, label)
	if s.Cond != nil {
		w.visit(s.Cond)
	}
	w.visit(s.Body)
	if s.Post != nil {
		w.visit(s.Post)
	}
	w.loop = l.outer
}

func (w *walker) rangeLoop(s *ast.RangeStmt, label string) {
	w.visit(s.X)
	l := w.enter(s, s.Body, label)
	w.visit(s.Body)
	w.loop = l.outer
}

func (w *walker) closure(lit *ast.FuncLit) {
	top := w.fn
	for top.parent != nil {
		top = top.parent
	}
	top.lits++
	name := top.name.Key
	if w.varName != "" {
		name = w.varName
	}
	f := &fn{
		name: model.N(model.SpaceFunc, fmt.Sprintf("%s$%d", name, top.lits)),
		lit:  lit, body: lit.Body, typ: lit.Type, parent: w.fn, file: w.fn.file,
	}
	if w.varName != "" && w.fn.decl == nil && w.fn.lit == nil {
		f.parent = nil
	}
	w.u.addFn(f)
	(&walker{u: w.u, fn: f, varName: w.varName}).visit(lit.Body)
}

// holders finds variables and fields that hold exactly one closure or function, so that calls of them are followed.
func (u *unit) holders() {
	type held struct {
		f *fn
		n int
	}
	found := map[types.Object]*held{}
	note := func(o types.Object, e ast.Expr) {
		if o == nil {
			return
		}
		if _, isFn := o.Type().Underlying().(*types.Signature); !isFn && o.Type() != types.Typ[types.Invalid] {
			return
		}
		h := found[o]
		if h == nil {
			h = &held{}
			found[o] = h
		}
		h.n++
		switch e := ast.Unparen(e).(type) {
		case *ast.FuncLit:
			h.f = u.byNode[e]
		case *ast.Ident:
			if f, ok := u.object(e).(*types.Func); ok {
				h.f = u.byObj[f]
			}
		case *ast.SelectorExpr:
			if f, ok := u.object(e.Sel).(*types.Func); ok {
				h.f = u.byObj[f]
			}
		}
	}
	for _, s := range u.assigns {
		if len(s.Lhs) != len(s.Rhs) {
			continue
		}
		for i, l := range s.Lhs {
			switch l := ast.Unparen(l).(type) {
			case *ast.Ident:
				if o, ok := u.object(l).(*types.Var); ok && isFuncLike(o, s.Rhs[i]) {
					note(o, s.Rhs[i])
				}
			case *ast.SelectorExpr:
				if o, ok := u.object(l.Sel).(*types.Var); ok && isFuncLike(o, s.Rhs[i]) {
					note(o, s.Rhs[i])
				}
			}
		}
	}
	for _, c := range u.lits {
		for _, e := range c.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			if id, ok := kv.Key.(*ast.Ident); ok {
				if o, ok := u.object(id).(*types.Var); ok && o.IsField() && isFuncLike(o, kv.Value) {
					note(o, kv.Value)
				}
			}
		}
	}
	for _, d := range u.decls {
		g, ok := d.node.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if len(v.Names) == len(v.Values) {
				for i, id := range v.Names {
					if o := u.info.Def(id); o != nil && isFuncLike(o, v.Values[i]) {
						note(o, v.Values[i])
					}
				}
			}
		}
	}
	for o, h := range found {
		if h.n == 1 && h.f != nil {
			u.byObj[o] = h.f
			if h.f.lit != nil {
				h.f.owner = o
			}
		}
	}
}

func isFuncLike(o types.Object, e ast.Expr) bool {
	if _, ok := ast.Unparen(e).(*ast.FuncLit); ok {
		return true
	}
	if o == nil || o.Type() == nil {
		return false
	}
	_, ok := o.Type().Underlying().(*types.Signature)
	return ok
}

// exported reports whether other packages can call f.
func (f *fn) exported() bool {
	if f.decl == nil || !f.decl.Name.IsExported() {
		return false
	}
	if f.decl.Recv == nil || len(f.decl.Recv.List) == 0 {
		return true
	}
	return true // methods of unexported types are reached through interfaces
}

// isMain reports whether f is a program's entry.
func (u *unit) isMain(f *fn) bool {
	return f.decl != nil && f.decl.Recv == nil && f.decl.Name.Name == "main" && f.file != nil && f.file.Name.Name == "main"
}

// short is a function's name without the import path, for messages.
func (f *fn) short() string {
	s := f.name.Key
	if i := strings.LastIndex(s, "/"); i >= 0 {
		s = s[i+1:]
	}
	if i := strings.Index(s, "."); i >= 0 {
		s = s[i+1:]
	}
	return s
}
