package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// keySet is one place where a key is put onto a call.
type keySet struct {
	sink  string     // the header, field or option that carries it
	value []ast.Expr // what it is made of
	node  ast.Node   // the setting
	f     *frame     // where value stands
	calls []*ast.CallExpr
	// server: the receiver makes the value anew for each request (a generated object name).
	server bool
	// onlyEmpty: it is set only where the request has none.
	onlyEmpty bool
	base      types.Object // the variable that it is set on, where there is one
}

// carried is what is known of the keys that go with an expression.
type carried struct {
	sets    []keySet
	natural string   // uniqueness by other means: "asynq.Unique"
	open    bool     // a part of it is made out of sight
	made    ast.Node // where the request or message is made, and in what package
	madeIn  *unit
}

func (c *carried) add(d carried) {
	c.sets = append(c.sets, d.sets...)
	c.open = c.open || d.open
	if c.natural == "" {
		c.natural = d.natural
	}
	if c.made == nil {
		c.made, c.madeIn = d.made, d.madeIn
	}
}

// carrying is one search for the keys of a call.
type carrying struct {
	t    *tracer
	busy map[busyKey]bool
	vars map[types.Object]bool
	left int
}

const maxCarrierDepth = 10

// carrier finds the keys that travel with e: a request, an options struct, a context, a message.
func (k *carrying) carrier(e ast.Expr, f *frame, calls []*ast.CallExpr) carried {
	if e == nil || k.left <= 0 || len(calls) > maxCarrierDepth || f.depth() > maxFrames {
		return carried{open: true}
	}
	k.left--
	key := busyKey{e, f.fn, f.call}
	if k.busy[key] {
		return carried{}
	}
	k.busy[key] = true
	if f.fn != nil && f.fn.unit != k.t.u {
		old := k.t
		k.t = f.fn.unit.tracing()
		defer func() { k.t = old }()
	}
	if _, ok := k.t.constantOf(e); ok {
		return carried{}
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return k.carrier(e.X, f, calls)
	case *ast.StarExpr:
		return k.carrier(e.X, f, calls)
	case *ast.UnaryExpr:
		return k.carrier(e.X, f, calls)
	case *ast.TypeAssertExpr:
		return k.carrier(e.X, f, calls)
	case *ast.SliceExpr:
		return k.carrier(e.X, f, calls)
	case *ast.BinaryExpr:
		c := k.carrier(e.X, f, calls)
		c.add(k.carrier(e.Y, f, calls))
		return c
	case *ast.CompositeLit:
		return k.literal(e, f, calls)
	case *ast.Ident:
		return k.ident(e, f, calls)
	case *ast.CallExpr:
		return k.call(e, f, calls, 0)
	case *ast.SelectorExpr:
		if k.t.isPackage(e.X) {
			return carried{}
		}
		c := carried{open: true}
		if id := rootIdent(e); id != nil {
			if v, ok := k.t.u.object(id).(*types.Var); ok && !k.t.global[v] {
				c.add(k.mutations(v, f, calls))
			}
		}
		return c
	}
	return carried{}
}

// literal is a struct, map or slice literal.
func (k *carrying) literal(lit *ast.CompositeLit, f *frame, calls []*ast.CallExpr) carried {
	var out carried
	t := k.t
	typ := typeText(t.u.typeOf(lit))
	if typ == "" {
		typ = withoutPointer.Replace(t.u.foreignType(lit.Type))
	}
	st := structOf(t.u.typeOf(lit))
	for i, x := range lit.Elts {
		kv, ok := x.(*ast.KeyValueExpr)
		if !ok {
			if st != nil && i < st.NumFields() && (keyField.MatchString(st.Field(i).Name()) || keyTag(st.Tag(i))) {
				out.sets = append(out.sets, keySet{sink: st.Field(i).Name(), value: []ast.Expr{x}, node: x, f: f, calls: calls})
				continue
			}
			out.add(k.part(x, f, calls))
			continue
		}
		name := ""
		if id, ok := kv.Key.(*ast.Ident); ok {
			name = id.Name
			if o, ok := t.u.object(id).(*types.Var); ok && o.IsField() {
				if words := typedKeyField(typ, name); words != "" {
					out.sets = append(out.sets, k.objectName(words, kv, f, calls))
					continue
				}
				if keyField.MatchString(name) || st != nil && keyTag(tagOf(st, name)) {
					out.sets = append(out.sets, keySet{sink: name, value: []ast.Expr{kv.Value}, node: kv, f: f, calls: calls})
					continue
				}
			} else if c, ok := t.constantOf(kv.Key); ok && len(c.texts) == 1 {
				name = c.texts[0]
				if isKeyHeader(name) || keyField.MatchString(name) {
					out.sets = append(out.sets, keySet{sink: name, value: []ast.Expr{kv.Value}, node: kv, f: f, calls: calls})
					continue
				}
			} else if keyField.MatchString(name) {
				out.sets = append(out.sets, keySet{sink: name, value: []ast.Expr{kv.Value}, node: kv, f: f, calls: calls})
				continue
			} else if words := typedKeyField(typ, name); words != "" {
				out.sets = append(out.sets, k.objectName(words, kv, f, calls))
				continue
			}
		} else if c, ok := t.constantOf(kv.Key); ok && len(c.texts) == 1 {
			name = c.texts[0]
			if isKeyHeader(name) || keyField.MatchString(name) {
				out.sets = append(out.sets, keySet{sink: name, value: []ast.Expr{kv.Value}, node: kv, f: f, calls: calls})
				continue
			}
		}
		if name == "UniqueOpts" {
			if out.natural == "" {
				out.natural = "UniqueOpts"
			}
			continue
		}
		c := k.part(kv.Value, f, calls)
		if name != "Header" && name != "Headers" && name != "Metadata" {
			c.open = false // an ordinary field that is filled elsewhere carries no header
		}
		out.add(c)
	}
	return out
}

func (k *carrying) objectName(words string, kv *ast.KeyValueExpr, f *frame, calls []*ast.CallExpr) keySet {
	return keySet{sink: words, value: []ast.Expr{kv.Value}, node: kv, f: f, calls: calls, server: words == "generated object name"}
}

// part is an element of a literal or an argument: only what can hold keys is followed.
func (k *carrying) part(e ast.Expr, f *frame, calls []*ast.CallExpr) carried {
	switch x := ast.Unparen(e).(type) {
	case *ast.FuncLit, *ast.BasicLit, *ast.BinaryExpr:
		return carried{}
	case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr:
		if typ := k.t.u.typeOf(x); typ != nil {
			switch typ.Underlying().(type) {
			case *types.Basic, *types.Chan:
				return carried{}
			case *types.Signature:
				// A function handed over is none, but the options of many libraries are functions that a call makes.
				if _, made := x.(*ast.CallExpr); !made {
					return carried{}
				}
			}
		}
	}
	return k.carrier(e, f, calls)
}

func keyTag(tag string) bool {
	n, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	return n != "" && (keyField.MatchString(n) || strings.Contains(strings.ToLower(n), "idempot"))
}

func tagOf(st *types.Struct, field string) string {
	for i := range st.NumFields() {
		if st.Field(i).Name() == field {
			return st.Tag(i)
		}
	}
	return ""
}

func (k *carrying) ident(id *ast.Ident, f *frame, calls []*ast.CallExpr) carried {
	t := k.t
	v, ok := t.u.object(id).(*types.Var)
	if !ok {
		return carried{}
	}
	if t.global[v] {
		return carried{}
	}
	owner := t.ownerOf(v, f.fn)
	if owner == nil {
		return carried{open: true}
	}
	of := f.of(owner)
	var out carried
	if i, isParam := paramIndex(t.u, owner, v); isParam {
		switch {
		case of.call != nil && of.up != nil:
			if a := argument(of.call, i, owner); a != nil {
				n := len(calls)
				if n > 0 {
					n--
				}
				out.add(k.carrier(a, of.up, calls[:n:n]))
			} else {
				out.open = true
			}
		default:
			seen := 0
			for _, s := range owner.callers {
				if a := argument(s.call, i, owner); a != nil && seen < 16 {
					seen++
					out.add(k.carrier(a, f.root(s.in), nil))
				}
			}
			if seen == 0 || owner.exported() {
				if !isContext(v.Type()) {
					out.open = true
				}
			}
		}
	} else if isReceiver(t.u, owner, v) {
		return carried{}
	}
	for _, use := range t.usesOf(v) {
		g := of
		if in := t.u.enclosing(use); in != nil && in != owner {
			g = f.of(in)
		}
		switch p := t.u.parent(use).(type) {
		case *ast.AssignStmt:
			for i, l := range p.Lhs {
				if l != ast.Expr(use) {
					continue
				}
				if len(p.Lhs) == len(p.Rhs) {
					out.add(k.carrier(p.Rhs[i], g, calls))
				} else if c, ok := ast.Unparen(p.Rhs[0]).(*ast.CallExpr); ok && len(p.Rhs) == 1 {
					out.add(k.call(c, g, calls, i))
				} else {
					out.open = true
				}
			}
		case *ast.ValueSpec:
			for i, n := range p.Names {
				if n != use {
					continue
				}
				if len(p.Values) == len(p.Names) {
					out.add(k.carrier(p.Values[i], g, calls))
				} else if len(p.Values) == 1 {
					if c, ok := ast.Unparen(p.Values[0]).(*ast.CallExpr); ok {
						out.add(k.call(c, g, calls, i))
					}
				}
			}
		case *ast.RangeStmt:
			if p.Key == ast.Expr(use) || p.Value == ast.Expr(use) {
				out.add(k.carrier(p.X, g, calls))
			}
		}
	}
	if !isContext(v.Type()) { // nobody to whom a context is handed can change it
		out.add(k.mutations(v, of, calls))
	}
	return out
}

// mutations are the keys that are put onto a variable after it was made.
func (k *carrying) mutations(v *types.Var, f *frame, calls []*ast.CallExpr) carried {
	t := k.t
	if k.vars[v] {
		return carried{}
	}
	k.vars[v] = true
	var out carried
	for _, use := range t.usesOf(v) {
		in := f
		if g := t.u.enclosing(use); g != nil && g != f.fn {
			in = f.of(g)
		}
		out.add(k.mutation(use, v, in, calls))
	}
	return out
}

func (k *carrying) mutation(use *ast.Ident, v *types.Var, f *frame, calls []*ast.CallExpr) carried {
	t := k.t
	var node ast.Expr = use
	var path []string
	for range 8 {
		switch p := t.u.parent(node).(type) {
		case *ast.ParenExpr:
			node = p
			continue
		case *ast.StarExpr:
			node = p
			continue
		case *ast.SelectorExpr:
			if p.X != node {
				return carried{}
			}
			path = append(path, p.Sel.Name)
			node = p
			continue
		case *ast.IndexExpr:
			if p.X != node {
				return carried{}
			}
			if name, ok := k.text(p.Index); ok && isKeyHeader(name) {
				if a, ok := t.u.parent(p).(*ast.AssignStmt); ok {
					return k.assigned(name, a, p, v, f, calls)
				}
			}
			return carried{}
		case *ast.UnaryExpr:
			if p.Op != token.AND {
				return carried{}
			}
			node = p
			continue
		case *ast.AssignStmt:
			if len(path) == 0 {
				return carried{}
			}
			last := path[len(path)-1]
			sel, _ := node.(*ast.SelectorExpr)
			typ := ""
			if sel != nil {
				typ = typeText(t.u.typeOf(sel.X))
				if typ == "" {
					typ = withoutPointer.Replace(t.u.foreign(sel.X, 0))
				}
			}
			words := typedKeyField(typ, last)
			switch {
			case words != "":
				c := k.assigned(words, p, node, v, f, calls)
				for i := range c.sets {
					c.sets[i].server = words == "generated object name"
				}
				return c
			case keyField.MatchString(last):
				return k.assigned(last, p, node, v, f, calls)
			case last == "Header" || last == "Headers" || last == "Metadata" || last == "Params":
				for i, l := range p.Lhs {
					if l == node && len(p.Lhs) == len(p.Rhs) {
						return k.carrier(p.Rhs[i], f, calls)
					}
				}
			}
			return carried{}
		case *ast.CallExpr:
			if p.Fun == node {
				return k.setter(p, path, v, f, calls)
			}
			return k.handedTo(p, node, f, calls)
		default:
			return carried{}
		}
	}
	return carried{}
}

func (k *carrying) text(e ast.Expr) (string, bool) {
	o, ok := k.t.constantOf(e)
	if !ok {
		// The text of a constant of a library that has no stub.
		if sel, isSel := e.(*ast.SelectorExpr); isSel && sel.Sel.Name == "MsgIdHdr" {
			return "Nats-Msg-Id", true
		}
		return "", false
	}
	if len(o.texts) != 1 {
		return "", false
	}
	return o.texts[0], true
}

func (k *carrying) assigned(sink string, a *ast.AssignStmt, lhs ast.Expr, v *types.Var, f *frame, calls []*ast.CallExpr) carried {
	for i, l := range a.Lhs {
		if l != lhs {
			continue
		}
		var val ast.Expr
		if len(a.Lhs) == len(a.Rhs) {
			val = a.Rhs[i]
		} else if len(a.Rhs) == 1 {
			val = a.Rhs[0]
		}
		text := written(lhs)
		s := keySet{sink: sink, value: []ast.Expr{val}, node: a, f: f, calls: calls, base: v}
		s.onlyEmpty = k.t.guardedEmpty(a, func(x ast.Expr) bool { return written(x) == text })
		return carried{sets: []keySet{s}}
	}
	return carried{}
}

// setter is a method call on the carrier or on a part of it.
func (k *carrying) setter(c *ast.CallExpr, path []string, v types.Object, f *frame, calls []*ast.CallExpr) carried {
	if len(path) == 0 {
		return carried{}
	}
	method := path[len(path)-1]
	if keyField.MatchString(strings.TrimPrefix(strings.TrimPrefix(method, "Set"), "With")) && len(c.Args) >= 1 {
		return carried{sets: []keySet{{sink: strings.TrimPrefix(method, "Set"), value: c.Args[len(c.Args)-1:], node: c, f: f, calls: calls, base: v}}}
	}
	if (method == "SetName" || method == "SetGenerateName") && len(c.Args) == 1 && v != nil {
		name := "object name"
		if method == "SetGenerateName" {
			name = "generated object name"
		}
		return carried{sets: []keySet{{sink: name, value: c.Args, node: c, f: f, calls: calls, base: v, server: method == "SetGenerateName"}}}
	}
	if method == "Pairs" || method == "SetHeaders" || method == "SetHeaderMultiValues" || method == "SetCommonHeaders" || method == "WithHeaders" {
		var out carried
		for _, a := range c.Args {
			out.add(k.carrier(a, f, calls))
		}
		return out
	}
	if setsHeader(method) && len(c.Args) >= 2 {
		name, ok := k.text(c.Args[0])
		if !ok {
			// A loop over a map of headers, or a name that is handed in.
			out := carried{}
			switch o := k.t.expr(c.Args[0], f); {
			case len(o.texts) == 1 && o.sources == model.FromConstant:
				name = o.texts[0]
			default:
				if id, ok := ast.Unparen(c.Args[0]).(*ast.Ident); ok {
					out.add(k.rangedOver(id, f, calls))
				}
				return out
			}
		}
		if isKeyHeader(name) {
			s := keySet{sink: name, value: c.Args[1:2], node: c, f: f, calls: calls, base: v}
			s.onlyEmpty = k.t.guardedEmpty(c, func(x ast.Expr) bool {
				g, ok := ast.Unparen(x).(*ast.CallExpr)
				if !ok || len(g.Args) == 0 {
					return false
				}
				n, ok := k.text(g.Args[len(g.Args)-1])
				return ok && strings.EqualFold(n, name)
			})
			return carried{sets: []keySet{s}}
		}
	}
	return carried{}
}

// rangedOver follows the name in `for name, v := range headers` to the headers.
func (k *carrying) rangedOver(id *ast.Ident, f *frame, calls []*ast.CallExpr) carried {
	v := k.t.u.object(id)
	for _, n := range k.t.u.setsOf(v) {
		if r, ok := n.(*ast.RangeStmt); ok {
			if s, ok := ast.Unparen(r.X).(*ast.SelectorExpr); ok && f.fn != nil {
				if id, ok := ast.Unparen(s.X).(*ast.Ident); ok && isReceiver(k.t.u, f.fn, k.t.u.object(id)) {
					return carried{} // what a client puts on all of its requests tells none of them from another
				}
			}
			c := k.carrier(r.X, f, calls)
			c.open = c.open || len(c.sets) == 0
			return c
		}
	}
	return carried{open: true}
}

// handedTo is a function that gets the carrier and may put keys onto it.
func (k *carrying) handedTo(c *ast.CallExpr, arg ast.Expr, f *frame, calls []*ast.CallExpr) carried {
	g := k.t.u.target(c)
	if g == nil || g.body == nil {
		base := strings.ToLower(k.t.u.callee(c).sel)
		if strings.Contains(base, "idempot") || strings.Contains(base, "dedup") {
			return carried{open: true}
		}
		return carried{}
	}
	for i, a := range c.Args {
		if a != arg {
			continue
		}
		v := paramObject(g, i)
		if v == nil || k.vars[v] {
			return carried{}
		}
		in := &frame{fn: g, call: c, up: f, run: f.run}
		old := k.t
		k.t = g.unit.tracing()
		out := k.mutations(v, in, append(calls[:len(calls):len(calls)], c))
		k.t = old
		return out
	}
	return carried{}
}

// paramObject is parameter i of a function.
func paramObject(g *fn, i int) *types.Var {
	if g.typ == nil || g.typ.Params == nil {
		return nil
	}
	for _, fl := range g.typ.Params.List {
		for _, id := range fl.Names {
			if i == 0 {
				v, _ := g.unit.info.Def(id).(*types.Var)
				return v
			}
			i--
		}
		if len(fl.Names) == 0 {
			i--
		}
	}
	return nil
}
