package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/retrylint/retrylint/model"
)

func newTracer(u *unit) *tracer {
	var uses useList
	t := &tracer{u: u, fields: map[types.Object][]assigned{},
		global: map[types.Object]bool{}, steps: map[*fn][]storeStep{}, mayUse: map[storeDepth]bool{}}
	for _, file := range u.files {
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, s := range g.Specs {
					if vs, ok := s.(*ast.ValueSpec); ok {
						for _, id := range vs.Names {
							if o := u.info.Def(id); o != nil {
								t.global[o] = true
							}
						}
					}
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if v, ok := u.object(n).(*types.Var); ok {
					uses.add(v, n)
				}
			case *ast.CompositeLit:
				t.literalFields(n)
			case *ast.AssignStmt:
				t.assignedFields(n)
			}
			return true
		})
	}
	t.uses = uses.table()
	return t
}

// useTable has the identifiers of each variable in one list: a list for each would need four times the memory.
type useTable struct {
	index  map[types.Object]int32
	ends   []int32 // in idents, by index
	idents []*ast.Ident
}

// usesOf lists the identifiers of a variable of this package, in order of position, declarations included.
func (t *tracer) usesOf(v types.Object) []*ast.Ident {
	i, ok := t.uses.index[v]
	if !ok {
		return nil
	}
	from := int32(0)
	if i > 0 {
		from = t.uses.ends[i-1]
	}
	return t.uses.idents[from:t.uses.ends[i]:t.uses.ends[i]]
}

// useList is a table in the making.
type useList struct {
	index  map[types.Object]int32
	counts []int32
	idents []*ast.Ident
	which  []int32 // the variable of each identifier
}

func (l *useList) add(v *types.Var, id *ast.Ident) {
	i, ok := l.index[v]
	if !ok {
		if l.index == nil {
			l.index = map[types.Object]int32{}
		}
		i = int32(len(l.counts))
		l.index[v] = i
		l.counts = append(l.counts, 0)
	}
	l.counts[i]++
	l.idents, l.which = append(l.idents, id), append(l.which, i)
}

func (l *useList) table() useTable {
	ends := make([]int32, len(l.counts))
	next := int32(0)
	for i, n := range l.counts { // for now they are where the identifiers of each variable begin
		ends[i], next = next, next+n
	}
	idents := make([]*ast.Ident, len(l.idents))
	for k, i := range l.which {
		idents[ends[i]] = l.idents[k]
		ends[i]++
	}
	return useTable{l.index, ends, idents}
}

// literalFields notes the values that a struct literal gives to fields.
func (t *tracer) literalFields(lit *ast.CompositeLit) {
	var in *fn
	found := false
	note := func(f types.Object, v ast.Expr, n ast.Node) {
		if !found {
			in, found = t.u.enclosing(lit), true
		}
		t.fields[f] = append(t.fields[f], assigned{value: v, in: in, node: n})
	}
	for i, x := range lit.Elts {
		kv, ok := x.(*ast.KeyValueExpr)
		if !ok {
			if st := structOf(t.u.info.TypeOf(lit)); st != nil && i < st.NumFields() {
				note(st.Field(i), x, x)
			}
			continue
		}
		if id, ok := kv.Key.(*ast.Ident); ok {
			if v, ok := t.u.object(id).(*types.Var); ok && v.IsField() {
				note(v, kv.Value, kv)
			}
		}
	}
}

// assignedFields notes the values that x.f = v gives to fields.
func (t *tracer) assignedFields(a *ast.AssignStmt) {
	for i, l := range a.Lhs {
		sel, ok := l.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		v, ok := t.u.info.Use(sel.Sel).(*types.Var)
		if !ok || !v.IsField() {
			continue
		}
		var val ast.Expr
		if len(a.Rhs) == len(a.Lhs) {
			val = a.Rhs[i]
		} else if len(a.Rhs) == 1 {
			val = a.Rhs[0]
		}
		t.fields[v] = append(t.fields[v], assigned{value: val, in: t.u.enclosing(a), node: a, base: sel.X})
	}
}

// definitions are the values that a local variable of f.fn gets.
func (t *tracer) definitions(v *types.Var, f *frame) []origins {
	var set, added []origins
	for _, id := range t.usesOf(v) {
		g := f
		if in := t.u.enclosing(id); in != nil && in != f.fn {
			g = f.of(in) // inside closures the frame is the closure's
		}
		o, how := t.defAt(id, g)
		switch how {
		case defSet:
			set = append(set, o)
		case defAdded:
			added = append(added, o)
		}
	}
	if len(added) == 0 {
		return set
	}
	return []origins{mix(append(added, either(set...))...)}
}

// defKind says what happens to a variable where it is named.
type defKind uint8

const (
	defNone  defKind = iota // it is read
	defSet                  // it gets a value
	defAdded                // something is added to what it holds
)

// defAt is the value that a variable gets at one of its identifiers, if it gets one there.
func (t *tracer) defAt(id *ast.Ident, f *frame) (origins, defKind) {
	switch p := t.u.parent(id).(type) {
	case *ast.AssignStmt:
		for i, l := range p.Lhs {
			if l != ast.Expr(id) {
				continue
			}
			switch {
			case len(p.Rhs) == len(p.Lhs) && p.Tok != token.ASSIGN && p.Tok != token.DEFINE:
				if lit, ok := p.Rhs[i].(*ast.BasicLit); ok && lit.Kind == token.INT {
					return origins{}, defNone // n += 1
				}
				return t.expr(p.Rhs[i], f), defAdded
			case len(p.Rhs) == len(p.Lhs):
				return t.onceOnly(t.expr(p.Rhs[i], f), id, p), defSet
			case len(p.Rhs) == 1:
				return t.onceOnly(t.result(p.Rhs[0], i, f), id, p), defSet
			}
		}
	case *ast.ValueSpec:
		for i, n := range p.Names {
			switch {
			case n != id:
			case len(p.Values) == len(p.Names):
				return t.expr(p.Values[i], f), defSet
			case len(p.Values) == 1:
				return t.result(p.Values[0], i, f), defSet
			}
		}
	case *ast.RangeStmt:
		if p.Key == ast.Expr(id) || p.Value == ast.Expr(id) {
			return origins{sources: model.FromInput, direct: true}, defSet
		}
	case *ast.UnaryExpr: // &x handed to something that fills it in
		if c, ok := t.u.parent(p).(*ast.CallExpr); ok && p.Op == token.AND {
			return t.filledBy(c, p, f)
		}
	case *ast.CallExpr:
		return t.filledBy(p, id, f)
	case *ast.SliceExpr:
		if c, ok := t.u.parent(p).(*ast.CallExpr); ok && p.X == ast.Expr(id) {
			return t.filledBy(c, p, f)
		}
	case *ast.SelectorExpr:
		return t.writtenTo(p, f)
	case *ast.IndexExpr: // b[i] = letters[rand.Intn(len(letters))]
		if a, ok := t.u.parent(p).(*ast.AssignStmt); ok && p.X == ast.Expr(id) && len(a.Lhs) == len(a.Rhs) {
			for i, l := range a.Lhs {
				if l == ast.Expr(p) {
					return mix(t.expr(a.Rhs[i], f), origins{sources: model.FromConstant}), defAdded
				}
			}
		}
	}
	return origins{}, defNone
}

// filledBy is what a call puts into a variable that is handed to it.
func (t *tracer) filledBy(c *ast.CallExpr, arg ast.Expr, f *frame) (origins, defKind) {
	name := t.u.calleeName(c)
	base := name[strings.LastIndex(name, ".")+1:]
	switch {
	case name == "crypto/rand.Read", name == "math/rand.Read", name == "math/rand/v2.Read",
		name == "io.ReadFull" && len(c.Args) > 0 && strings.HasSuffix(written(c.Args[0]), "rand.Reader"):
		return freshAt(c, f.fn, model.FromRandom), defSet
	case (strings.HasPrefix(name, "fmt.Fprint") || name == "io.WriteString") && len(c.Args) > 1 && c.Args[0] == arg:
		return t.exprs(c.Args[1:], f), defAdded
	case base == "Scan" || base == "StructScan" || base == "Get" || base == "Select":
		if _, ok := arg.(*ast.UnaryExpr); ok {
			return origins{sources: model.FromStored}, defSet
		}
	case strings.HasPrefix(base, "Unmarshal") || base == "Decode" || base == "Bind" || strings.HasPrefix(base, "ShouldBind") || base == "BodyParser":
		return origins{sources: model.FromInput}, defSet
	}
	return origins{}, defNone
}

// exprs is a value made of several expressions.
func (t *tracer) exprs(list []ast.Expr, f *frame) origins {
	parts := make([]origins, len(list))
	for i, a := range list {
		parts[i] = t.expr(a, f)
	}
	return mix(parts...)
}

// writtenTo is what a method call writes into a hash, builder, buffer or form.
func (t *tracer) writtenTo(sel *ast.SelectorExpr, f *frame) (origins, defKind) {
	c, ok := t.u.parent(sel).(*ast.CallExpr)
	if !ok || c.Fun != ast.Expr(sel) {
		return origins{}, defNone
	}
	form := typeText(t.u.typeOf(sel.X)) == "net/url.Values" && isWord(sel.Sel.Name, "Set", "Add")
	if !form && !strings.HasPrefix(sel.Sel.Name, "Write") {
		return origins{}, defNone
	}
	return t.exprs(c.Args, f), defAdded
}

// onceOnly moves the scope of births to the variable's declaration where the assignment happens only while the variable
// is empty: `if key == "" { key = newKey() }` makes one key however often it is passed.
func (t *tracer) onceOnly(o origins, id *ast.Ident, a *ast.AssignStmt) origins {
	if len(o.births) == 0 || a.Tok == token.DEFINE {
		return o
	}
	v := t.u.object(id)
	if v == nil || !t.guardedEmpty(a, func(x ast.Expr) bool {
		i, ok := ast.Unparen(x).(*ast.Ident)
		return ok && t.u.object(i) == v
	}) {
		return o
	}
	decl := t.declOf(v)
	if decl == nil {
		return o
	}
	births := make([]birth, len(o.births))
	for i, b := range o.births {
		b.scope = decl
		births[i] = b
	}
	o.births = births
	return o
}

func (t *tracer) declOf(v types.Object) ast.Node {
	for _, id := range t.usesOf(v) {
		if t.u.info.Def(id) != nil {
			return id
		}
	}
	return nil
}

// guardedEmpty reports whether a statement runs only while something is empty or in the first round.
func (t *tracer) guardedEmpty(n ast.Node, is func(ast.Expr) bool) bool {
	child := n
	for p := t.u.parent(n); p != nil; child, p = p, t.u.parent(p) {
		switch p := p.(type) {
		case *ast.IfStmt:
			if child == ast.Node(p.Body) && t.emptyTest(p.Cond, is) {
				return true
			}
		case *ast.CallExpr:
			if sel, ok := p.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Do" {
				if strings.HasSuffix(typeText(t.u.info.TypeOf(sel.X)), "sync.Once") {
					return true
				}
			}
		case *ast.FuncDecl:
			return false
		}
	}
	return false
}

// emptyTest reports whether a condition says that a value is empty, or that this is the first attempt.
func (t *tracer) emptyTest(cond ast.Expr, is func(ast.Expr) bool) bool {
	switch c := ast.Unparen(cond).(type) {
	case *ast.BinaryExpr:
		switch c.Op {
		case token.LAND:
			return t.emptyTest(c.X, is) || t.emptyTest(c.Y, is)
		case token.EQL:
			x, y := ast.Unparen(c.X), ast.Unparen(c.Y)
			if o, ok := t.constantOf(x); ok && o.empty {
				x, y = y, x
			}
			if is(x) || lenOf(x, is) {
				o, ok := t.constantOf(y)
				return ok && (o.empty || len(o.texts) == 1 && o.texts[0] == "0") || isZeroValue(y)
			}
			if i, ok := x.(*ast.Ident); ok && t.u.object(i) != nil && t.counts(t.u.object(i)) {
				return true // the first round
			}
		}
	case *ast.CallExpr: // key.IsZero()
		if sel, ok := c.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "IsZero" || sel.Sel.Name == "IsNil" || sel.Sel.Name == "IsEmpty") {
			return is(sel.X)
		}
	case *ast.UnaryExpr:
		if c.Op == token.NOT { // if !made { key = ...; made = true }
			if i, ok := ast.Unparen(c.X).(*ast.Ident); ok && t.u.object(i) != nil {
				return t.setTrueBeside(t.u.object(i), c)
			}
		}
	}
	return false
}

// setTrueBeside reports whether a flag is set to true somewhere in the body of the if that asks for it.
func (t *tracer) setTrueBeside(flag types.Object, cond ast.Node) bool {
	ifs, ok := t.u.parent(cond).(*ast.IfStmt)
	if !ok {
		return false
	}
	for _, s := range ifs.Body.List {
		if a, ok := s.(*ast.AssignStmt); ok && len(a.Lhs) == 1 {
			if i, ok := a.Lhs[0].(*ast.Ident); ok && t.u.object(i) == flag {
				return true
			}
		}
	}
	return false
}

func lenOf(x ast.Expr, is func(ast.Expr) bool) bool {
	c, ok := x.(*ast.CallExpr)
	if !ok || len(c.Args) != 1 {
		return false
	}
	i, ok := c.Fun.(*ast.Ident)
	return ok && i.Name == "len" && is(c.Args[0])
}

func isZeroValue(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		return x.Sel.Name == "Nil"
	case *ast.CompositeLit:
		return len(x.Elts) == 0
	case *ast.Ident:
		return x.Name == "nil"
	}
	return false
}

// counts reports whether a variable is the counter of a repeated region.
func (t *tracer) counts(o types.Object) bool {
	for _, r := range t.u.regions {
		if r.counter != nil && r.counter == o {
			return true
		}
	}
	return false
}

// isCounter reports whether a variable counts attempts at that place: it is the counter of a region around it, or it is
// only ever counted up inside one.
func (t *tracer) isCounter(v *types.Var, at ast.Node) bool {
	around := t.u.around(at, t.u.enclosing(at))
	for _, r := range around {
		if r.counter != nil && r.counter == types.Object(v) {
			return true
		}
	}
	if len(around) == 0 {
		return false
	}
	counted := false
	for _, id := range t.usesOf(v) {
		switch p := t.u.parent(id).(type) {
		case *ast.IncDecStmt:
			for _, r := range t.u.around(p, t.u.enclosing(p)) {
				for _, q := range around {
					counted = counted || r == q
				}
			}
			if f, ok := t.u.parent(p).(*ast.ForStmt); ok && f.Post == ast.Stmt(p) {
				for _, q := range around {
					counted = counted || q.node == ast.Node(f)
				}
			}
		case *ast.AssignStmt:
			if len(p.Lhs) == 1 && p.Lhs[0] == ast.Expr(id) && p.Tok == token.ADD_ASSIGN {
				if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
					for _, r := range t.u.around(p, t.u.enclosing(p)) {
						for _, q := range around {
							counted = counted || r == q
						}
					}
				}
			}
		}
	}
	return counted
}

// isAttemptParam reports whether the parameter of an operation that a library repeats is the number of the attempt.
func (t *tracer) isAttemptParam(v *types.Var, g *fn) bool {
	b, ok := v.Type().Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return false
	}
	for _, r := range t.u.regions {
		if r.op == g || r.body != nil && r.body == g.node() {
			return true
		}
	}
	return false
}
