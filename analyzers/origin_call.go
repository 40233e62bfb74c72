package analyzers

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// freshAt is a value that is made anew at each evaluation of n.
func freshAt(n ast.Node, in *fn, s model.KeySources) origins {
	return origins{sources: s, births: []birth{{node: n, inner: n, source: s, in: in, scope: n}}}
}

// calleeName is the callee of a call as "import/path.Func" or "import/path.(*Type).Method" as far as it is known; for a
// method of a value of which nothing is known only ".Method"; for builtins "builtin.append".
func (u *unit) calleeName(c *ast.CallExpr) string {
	k := u.callee(c)
	switch {
	case k.conv:
		return "builtin." + k.sel
	case k.name != "":
		return k.name
	case k.recv != nil:
		return "." + k.sel
	}
	return k.sel
}

// typeText is the full name of a named type without pointers, "" where there is none.
func typeText(x types.Type) string {
	if x == nil {
		return ""
	}
	if p, ok := types.Unalias(x).(*types.Pointer); ok {
		x = p.Elem()
	}
	n, ok := types.Unalias(x).(*types.Named)
	if !ok {
		return ""
	}
	if n.Obj().Pkg() == nil {
		return n.Obj().Name()
	}
	return n.Obj().Pkg().Path() + "." + n.Obj().Name()
}

// written is an expression as it could be written, for comparing and for messages; long ones are cut.
func written(e ast.Expr) string {
	s := types.ExprString(e)
	if len(s) > 120 {
		s = s[:117] + "..."
	}
	return s
}

func (u *unit) function(o types.Object) *fn {
	if o == nil {
		return nil
	}
	if f, ok := o.(*types.Func); ok {
		o = f.Origin()
	}
	return u.byObj[o]
}

// result is result i of a call with several results, or the value of an expression that has a second, "ok" one.
func (t *tracer) result(e ast.Expr, i int, f *frame) origins {
	switch x := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		return t.call(x, f, i)
	case *ast.TypeAssertExpr, *ast.IndexExpr, *ast.UnaryExpr:
		if i == 0 {
			return t.expr(x, f)
		}
	}
	return origins{sources: model.FromInput, unknown: true}
}

func (t *tracer) call(c *ast.CallExpr, f *frame, result int) origins {
	u := t.u
	if tv, ok := u.info.Type(c.Fun); ok && tv.IsType() && len(c.Args) == 1 {
		return t.expr(c.Args[0], f)
	}
	name := u.calleeName(c)
	switch name {
	case "builtin.append", "builtin.min", "builtin.max":
		return t.exprs(c.Args, f)
	case "builtin.make", "builtin.new":
		return origins{empty: true}
	case "builtin.len", "builtin.cap":
		return origins{sources: model.FromInput}
	}
	if g := u.target(c); g != nil && g.body != nil {
		return t.returns(c, g, f, result)
	}
	if o, ok := t.knownCall(c, name, f, result); ok {
		return o
	}
	if o, ok := t.funcValue(c, f, result); ok {
		return o
	}
	return t.foreign(c, name, f)
}

// returns is what a function of this package gives back.
func (t *tracer) returns(c *ast.CallExpr, g *fn, f *frame, result int) origins {
	if g.body == nil {
		return origins{sources: model.FromInput, unknown: true}
	}
	in := &frame{fn: g, call: c, up: f, run: f.run}
	k := busyKey{g.body, g, c}
	for x := f; x != nil; x = x.up {
		if x.fn == g {
			return origins{empty: true} // around a recursion nothing new is added
		}
	}
	if in.depth() > maxFrames {
		return origins{sources: model.FromInput, unknown: true}
	}
	if _, ok := f.run.open(k); !ok {
		return origins{sources: model.FromInput, unknown: true}
	}
	defer delete(f.run.busy, k)
	var alts []origins
	ast.Inspect(g.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			switch {
			case len(n.Results) == 0:
				if id := namedResult(g, result); id != nil {
					alts = append(alts, t.ident(id, in))
				}
			case result < len(n.Results) && (len(n.Results) > 1 || result == 0):
				alts = append(alts, t.expr(n.Results[result], in))
			case len(n.Results) == 1:
				alts = append(alts, t.result(n.Results[0], result, in))
			}
		}
		return true
	})
	o := either(alts...)
	births := make([]birth, len(o.births))
	for i, b := range o.births {
		if b.in == g || encloses(g, b.in) {
			b.node, b.scope, b.in = c, ast.Node(c), f.fn // a second call makes a second value
		}
		births[i] = b
	}
	o.births = births
	o.direct = false
	return o
}

// encloses reports whether g is a closure somewhere inside of outer.
func encloses(outer, g *fn) bool {
	for ; g != nil; g = g.parent {
		if g == outer {
			return true
		}
	}
	return false
}

func namedResult(g *fn, i int) *ast.Ident {
	if g.typ == nil || g.typ.Results == nil {
		return nil
	}
	for _, fl := range g.typ.Results.List {
		for _, id := range fl.Names {
			if i == 0 {
				return id
			}
			i--
		}
	}
	return nil
}

// knownCall is a call of the standard library or of a library that makes ids.
func (t *tracer) knownCall(c *ast.CallExpr, name string, f *frame, result int) (origins, bool) {
	if result > 0 {
		if isFreshCall(name) {
			return origins{empty: true}, true
		}
		return origins{sources: model.FromInput}, true
	}
	sel, _ := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	switch {
	case name == "github.com/oklog/ulid/v2.New" && len(c.Args) == 2 && written(c.Args[1]) == "nil":
		return t.expr(c.Args[0], f), true
	case name == "github.com/lithammer/shortuuid/v4.NewWithNamespace" && len(c.Args) == 1 && written(c.Args[0]) != `""`:
		return t.expr(c.Args[0], f), true
	case isFreshCall(name):
		return freshAt(c, f.fn, model.FromRandom), true
	case name == "time.Now" || name == "time.Since" || name == "time.Until":
		return freshAt(c, f.fn, model.FromClock), true
	case deliveryCalls[name]:
		return freshAt(c, f.fn, model.FromDelivery), true
	case processCalls[name]:
		return origins{sources: model.FromProcess}, true
	case storedCalls[name]:
		return origins{sources: model.FromStored}, true
	case emptyCalls[name]:
		return origins{empty: true}, true
	}
	if sel != nil {
		if o, ok := t.headerRead(c, sel, f); ok {
			return o, true
		}
		if o, ok := t.bucket(c, sel, name, f); ok {
			return o, true
		}
	}
	pkg := packageOf(name)
	if pureCall(name, pkg) {
		var parts []origins
		if sel != nil && !t.isPackage(sel.X) {
			parts = append(parts, t.expr(sel.X, f))
		}
		for _, a := range c.Args {
			if !isContext(t.u.info.TypeOf(a)) {
				parts = append(parts, t.expr(a, f))
			}
		}
		o := mix(parts...)
		o.direct = o.direct && transparentCall(name)
		return o, true
	}
	return origins{}, false
}

// bucket is a point in time cut down to an hour or more: the same for all attempts but those at the border.
func (t *tracer) bucket(c *ast.CallExpr, sel *ast.SelectorExpr, name string, f *frame) (origins, bool) {
	coarse := false
	switch sel.Sel.Name {
	case "Format":
		if len(c.Args) == 1 {
			if o, ok := t.constantOf(c.Args[0]); ok && len(o.texts) == 1 {
				coarse = !strings.ContainsAny(withoutDate.Replace(o.texts[0]), "45") && !strings.Contains(o.texts[0], "000")
			}
		}
	case "Truncate", "Round":
		if len(c.Args) == 1 {
			if tv, ok := t.u.info.Type(c.Args[0]); ok && tv.Value != nil {
				if d, ok := constant.Int64Val(tv.Value); ok {
					coarse = d >= 3600e9
				}
			}
		}
	case "Year", "Month", "Day", "YearDay", "Weekday", "ISOWeek", "Date":
		coarse = len(c.Args) == 0
	default:
		return origins{}, false
	}
	if strings.HasPrefix(name, "(") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "time.") {
		o := t.expr(sel.X, f)
		if !coarse || o.sources&model.FromClock == 0 {
			return o, len(o.births) > 0 || strings.HasPrefix(name, "time.")
		}
		var rest []birth
		for _, b := range o.births {
			if b.source != model.FromClock {
				rest = append(rest, b)
			}
		}
		o.births = rest
		o.sources = o.sources&^model.FromClock | model.FromInput
		o.direct = false
		return o, true
	}
	return origins{}, false
}

// headerRead is X.Header.Get("Idempotency-Key") and its like in web frameworks.
func (t *tracer) headerRead(c *ast.CallExpr, sel *ast.SelectorExpr, f *frame) (origins, bool) {
	switch sel.Sel.Name {
	case "Get", "GetHeader", "Header", "Peek", "Query", "FormValue", "PostFormValue", "PathValue", "Param", "Params", "Value", "GetString", "URLParam", "Values":
	default:
		return origins{}, false
	}
	if len(c.Args) == 0 {
		return origins{}, false
	}
	o, ok := t.constantOf(c.Args[len(c.Args)-1])
	if !ok || len(o.texts) != 1 {
		if sel.Sel.Name == "Value" && len(c.Args) == 1 { // ctx.Value(keyType{})
			return origins{sources: model.FromInput, direct: true, words: []string{written(c.Args[0])}}, true
		}
		return origins{}, false
	}
	return origins{sources: model.FromInput, direct: true, headers: o.texts}, true
}

// headerIndex is r.Header["Idempotency-Key"].
func (t *tracer) headerIndex(e *ast.IndexExpr) (origins, bool) {
	o, ok := t.constantOf(e.Index)
	if !ok || len(o.texts) != 1 {
		return origins{}, false
	}
	if sel, ok := e.X.(*ast.SelectorExpr); ok && strings.Contains(sel.Sel.Name, "Header") {
		return origins{sources: model.FromInput, direct: true, headers: o.texts}, true
	}
	return origins{}, false
}

func (t *tracer) isPackage(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	_, ok = t.u.info.Use(id).(*types.PkgName)
	return ok
}

// funcValue is a call of a variable or field that holds a function.
func (t *tracer) funcValue(c *ast.CallExpr, f *frame, result int) (origins, bool) {
	var obj types.Object
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		obj = t.u.object(fun)
	case *ast.SelectorExpr:
		obj = t.u.info.Use(fun.Sel)
	case *ast.CallExpr:
		return origins{}, false
	}
	v, ok := obj.(*types.Var)
	if !ok {
		return origins{}, false
	}
	var alts []origins
	add := func(val ast.Expr, in *frame) {
		if val == nil {
			return
		}
		if o, ok := t.applied(val, c, in, f, result); ok {
			alts = append(alts, o)
		}
	}
	if v.IsField() {
		for _, a := range t.fields[v] {
			add(a.value, f.root(a.in))
		}
	} else {
		for _, id := range t.usesOf(v) {
			in := f.root(t.u.enclosing(id))
			switch p := t.u.parent(id).(type) {
			case *ast.AssignStmt:
				for i, l := range p.Lhs {
					if l == ast.Expr(id) && len(p.Lhs) == len(p.Rhs) {
						add(p.Rhs[i], in)
					}
				}
			case *ast.ValueSpec:
				for i, n := range p.Names {
					if n == id && i < len(p.Values) {
						add(p.Values[i], in)
					}
				}
			}
		}
		if owner := t.ownerOf(v, f.fn); owner != nil {
			if i, ok := paramIndex(t.u, owner, v); ok {
				if of := f.of(owner); of.call != nil {
					add(argument(of.call, i, owner), of.up)
				} else {
					for _, s := range owner.callers {
						add(argument(s.call, i, owner), f.root(s.in))
					}
				}
			}
		}
	}
	if len(alts) == 0 {
		return origins{}, false
	}
	return either(alts...), true
}

// applied is the result of calling a function value.
func (t *tracer) applied(val ast.Expr, c *ast.CallExpr, in, at *frame, result int) (origins, bool) {
	in.run.budget--
	switch x := ast.Unparen(val).(type) {
	case *ast.FuncLit:
		if g := t.u.byNode[x]; g != nil {
			return t.returns(c, g, at, result), true
		}
	case *ast.Ident:
		if g := t.u.function(t.u.object(x)); g != nil {
			return t.returns(c, g, at, result), true
		}
	case *ast.SelectorExpr:
		if g := t.u.function(t.u.info.Use(x.Sel)); g != nil {
			return t.returns(c, g, at, result), true
		}
		fake := &ast.CallExpr{Fun: x}
		name := t.u.calleeName(fake)
		switch {
		case isFreshCall(name):
			return freshAt(c, at.fn, model.FromRandom), true
		case name == "time.Now":
			return freshAt(c, at.fn, model.FromClock), true
		}
	}
	return origins{}, false
}

// foreign is a call of which only the name is known.
func (t *tracer) foreign(c *ast.CallExpr, name string, f *frame) origins {
	base := name[strings.LastIndex(name, ".")+1:]
	inputs := 0
	for _, a := range c.Args {
		if isContext(t.u.info.TypeOf(a)) || strings.Contains(strings.ToLower(written(a)), "ctx") {
			continue
		}
		if tv, ok := t.u.info.Type(a); ok && tv.Value != nil && tv.Value.Kind() == constant.Int {
			continue // a length
		}
		if o, ok := t.constantOf(a); ok && (o.empty || len(o.texts) > 0) {
			continue // a prefix
		}
		inputs++
	}
	sel, _ := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if inputs == 0 && makesIDs(base, sel != nil && !t.isPackage(sel.X)) && !(sel != nil && t.intentReceiver(sel.X)) {
		return freshAt(c, f.fn, model.FromRandom)
	}
	out := origins{sources: model.FromInput, unknown: true}
	if sel == nil || t.isPackage(sel.X) {
		// A function of another package: made of its arguments as far as can be seen.
		if o := t.exprs(c.Args, f); len(o.births) > 0 && !readsStore(base) {
			o.sources |= model.FromInput
			o.direct = false
			return o
		}
	} else if o := t.expr(sel.X, f); len(o.births) > 0 && accessor(base) {
		// A method of a fresh value: id.String(), now.Unix().
		return o
	} else {
		out.words = append(out.words, o.words...)
		out.headers = append(out.headers, o.headers...)
	}
	out.words = append(out.words, base)
	return out
}

// intentReceiver reports whether a receiver is data about the intent, whose methods derive from it.
func (t *tracer) intentReceiver(x ast.Expr) bool {
	s := strings.ToLower(written(x))
	for _, w := range []string{"order", "payment", "msg", "message", "event", "task", "job", "req", "intent", "charge", "invoice", "cmd", "command"} {
		if strings.HasSuffix(s, w) {
			return true
		}
	}
	return false
}
