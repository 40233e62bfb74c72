package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// bodyKind is what a request's body is made of.
type bodyKind uint8

const (
	bodyUnknown bodyKind = iota
	bodyNone             // there is none
	bodyBytes            // a reader over bytes or a string, of which net/http can get another one
	bodyStream           // anything else that is read once
)

// traitBody looks for requests and readers that are made outside of a region and sent inside, so that each attempt after
// the first one finds them consumed.
func (u *unit) traitBody(r *region) {
	if u.opBody(r) == nil && !isLoop(r.node) {
		return
	}
	if r.layer.Has(model.TraitBodyRewound) {
		return
	}
	reach := u.reach(r)
	if at := u.rewinds(reach); at != nil {
		r.trait(model.TraitBodyRewound, u.at(at), "")
		return
	}
	worst, where, found := bodyUnknown, ast.Node(nil), 0
	var arg ast.Expr
	eachCall(r.bodies(), func(c *ast.CallExpr) {
		for i, a := range c.Args {
			k := u.consumed(r, c, i, a, 0)
			if k >= bodyBytes {
				found++
			}
			if k > worst && k >= bodyBytes {
				worst, where, arg = k, c, a
			}
		}
	})
	switch worst {
	case bodyStream:
		r.trait(model.TraitBodyStream, u.at(where), "")
	case bodyBytes:
		r.trait(model.TraitBodyReader, u.at(where), "")
		if found == 1 {
			r.layer.Traits[len(r.layer.Traits)-1].Fix = u.rebuild(r, arg)
		}
	}
}

func isLoop(n ast.Node) bool {
	switch n.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.LabeledStmt, *ast.BlockStmt:
		return true
	}
	return false
}

// rewinds finds where a body is set anew or rewound.
func (u *unit) rewinds(nodes []ast.Node) (at ast.Node) {
	for _, n := range nodes {
		ast.Inspect(n, func(n ast.Node) bool {
			if at != nil {
				return false
			}
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, l := range n.Lhs {
					if s, ok := ast.Unparen(l).(*ast.SelectorExpr); ok && s.Sel.Name == "Body" && u.isRequest(s.X) {
						at = n
					}
				}
			case *ast.SelectorExpr:
				if n.Sel.Name == "GetBody" {
					at = n
				}
			case *ast.CallExpr:
				if s, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && isWord(s.Sel.Name, "Seek", "Rewind", "SetBody") {
					at = n
				}
			}
			return true
		})
	}
	return at
}

// isRequest reports whether an expression is an *http.Request, or a value of a type that has one inside.
func (u *unit) isRequest(e ast.Expr) bool {
	t := u.typeOf(e)
	return t != nil && strings.HasSuffix(namedText(t), "Request)") || t != nil && strings.HasSuffix(namedText(t), ".Request")
}

// httpRequest reports whether an expression is an *http.Request itself.
func (u *unit) httpRequest(e ast.Expr) bool {
	return namedText(u.typeOf(e)) == "net/http.(*Request)"
}

// consumed is what argument i of a call inside the region is read from by the call, where it was made outside: bodyUnknown
// where it was not, or is not read.
func (u *unit) consumed(r *region, c *ast.CallExpr, i int, a ast.Expr, depth int) bodyKind {
	k := u.callee(c)
	if u.httpRequest(a) {
		if !isWord(k.sel, "Do", "RoundTrip") && !returnsResponse(u, c) {
			return bodyUnknown
		}
		return u.requestSent(r, a)
	}
	if !u.readsBody(k, c, i, depth) {
		return bodyUnknown
	}
	if lit := u.inputBody(a); lit != nil {
		a = lit
	}
	bare := a
	if x, ok := ast.Unparen(a).(*ast.UnaryExpr); ok && x.Op == token.AND {
		bare = x.X
	}
	root := rootVar(u, bare)
	if root != nil && bare != a && u.namedWithin(root, r) > 1 {
		return bodyUnknown // a buffer that each attempt fills, most likely
	}
	if root != nil {
		if owner, _ := u.paramOwner(root, u.fnAt(root.Pos())); owner != nil && owner.body != nil && !contains(owner.body, r.node) {
			return bodyUnknown // a helper's own parameter: the call that hands it over is looked at where it stands
		}
	}
	if root == nil || r.within(posNode(root.Pos())) || u.setWithin(root, r) {
		return bodyUnknown
	}
	return u.bodyOf(a, a.Pos(), 0)
}

// readsBody reports whether a call reads its i-th argument to its end as the body of what it sends.
func (u *unit) readsBody(k callee, c *ast.CallExpr, i, depth int) bool {
	if depth > 3 {
		return false
	}
	if u.inputBody(c.Args[i]) != nil {
		s := u.byCall[c]
		return s != nil && s.lib != nil && s.lib.send != nil
	}
	if !isReader(u.typeOf(c.Args[i])) {
		return false
	}
	switch {
	case k.pkg == "net/http" && isWord(k.sel, "NewRequest", "NewRequestWithContext", "Post"):
		return true
	case k.to != nil && k.to.body != nil && k.to.unit == u:
		return u.paramRead(k.to, i, depth+1)
	case k.to != nil:
		return false
	}
	s := u.byCall[c]
	return s != nil && s.edge != nil && s.edge.Kind != model.EdgeCall
}

// inputBody is the reader in the input of an SDK's call: &s3.PutObjectInput{Body: r}.
func (u *unit) inputBody(e ast.Expr) ast.Expr {
	x, ok := ast.Unparen(e).(*ast.UnaryExpr)
	if !ok || x.Op != token.AND {
		return nil
	}
	lit, ok := x.X.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	for _, el := range lit.Elts {
		kv, ok := el.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if id, ok := kv.Key.(*ast.Ident); ok && id.Name == "Body" && isReader(u.typeOf(kv.Value)) {
			return kv.Value
		}
	}
	return nil
}

// paramRead reports whether a function hands its i-th parameter to something that reads it as a body.
func (u *unit) paramRead(f *fn, i, depth int) bool {
	var param types.Object
	for o, n := range f.params {
		if n == i {
			param = o
		}
	}
	if param == nil {
		return false
	}
	found := false
	eachCall([]ast.Node{f.body}, func(c *ast.CallExpr) {
		for j, a := range c.Args {
			if v := u.varOf(a); v != nil && types.Object(v) == param && !found {
				found = u.readsBody(u.callee(c), c, j, depth)
			}
		}
	})
	return found
}

// isReader reports whether a type is an io.Reader or something that is read like one.
func isReader(t types.Type) bool {
	if t == nil {
		return false
	}
	o, _, _ := types.LookupFieldOrMethod(t, true, nil, "Read")
	f, ok := o.(*types.Func)
	if !ok {
		return false
	}
	s, _ := f.Type().(*types.Signature)
	return s != nil && s.Params().Len() == 1 && s.Results().Len() == 2
}

// rootVar is the variable at the bottom of x, x.y or x.y.z.
func rootVar(u *unit, e ast.Expr) *types.Var {
	id := rootIdent(e)
	if id == nil {
		return nil
	}
	v, _ := u.object(id).(*types.Var)
	return v
}

// namedWithin counts how often a variable is named in each attempt.
func (u *unit) namedWithin(v *types.Var, r *region) int {
	n := 0
	for _, b := range r.bodies() {
		ast.Inspect(b, func(x ast.Node) bool {
			if id, ok := x.(*ast.Ident); ok && u.object(id) == types.Object(v) {
				n++
			}
			return true
		})
	}
	return n
}

// setWithin reports whether a variable gets a new value in each attempt.
func (u *unit) setWithin(v *types.Var, r *region) bool {
	for _, n := range u.setsOf(v) {
		if _, address := n.(*ast.UnaryExpr); !address && r.within(n) {
			return true
		}
	}
	return false
}

// requestSent is the body of a request that is sent in each attempt, where the request was made outside.
func (u *unit) requestSent(r *region, e ast.Expr) bodyKind {
	for range 4 { // req.Clone(ctx), req.WithContext(ctx): the body stays the same
		c, ok := ast.Unparen(e).(*ast.CallExpr)
		if !ok {
			break
		}
		s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
		if !ok || !isWord(s.Sel.Name, "Clone", "WithContext") {
			return bodyUnknown
		}
		e = s.X
	}
	v := u.varOf(e)
	if v == nil {
		return bodyUnknown
	}
	if r.within(posNode(v.Pos())) || u.setWithin(v, r) {
		// Made in each attempt; a clone of a request from outside has its body.
		made, _ := u.lastContext(ast.Unparen(e).(*ast.Ident), e.Pos())
		c, ok := ast.Unparen(made).(*ast.CallExpr)
		if made == nil || !ok {
			return bodyUnknown
		}
		s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
		if ok && isWord(s.Sel.Name, "Clone", "WithContext") && u.httpRequest(s.X) && u.varOf(s.X) != v {
			return u.requestSent(r, s.X)
		}
		return bodyUnknown
	}
	return u.requestBody(v, r, 0)
}

// requestBody is the body of the request in a variable. What a function is handed may have any body, unless it looks at
// the method or at the body itself.
func (u *unit) requestBody(v *types.Var, r *region, depth int) bodyKind {
	if depth > 3 {
		return bodyUnknown
	}
	for _, x := range u.localFieldSets(v, "Body") {
		if k := u.bodyOf(x, x.Pos(), 0); k > bodyNone {
			return k
		}
	}
	if owner, i := u.paramOwner(v, u.fnAt(v.Pos())); owner != nil {
		return u.requestParam(owner, i, v, depth)
	}
	worst := bodyUnknown
	for _, n := range u.setsOf(v) {
		for _, x := range setValues(n) {
			c, ok := ast.Unparen(x).(*ast.CallExpr)
			if !ok {
				continue
			}
			k := u.callee(c)
			j := -1
			switch k.sel {
			case "NewRequest":
				j = 2
			case "NewRequestWithContext":
				j = 3
			}
			if k.pkg == "net/http" && j > 0 && j < len(c.Args) {
				worst = max(worst, u.bodyOf(c.Args[j], c.Pos(), 0))
				continue
			}
			if isWord(k.sel, "Clone", "WithContext") && k.recv != nil {
				if w := u.varOf(k.recv); w != nil && w != v {
					worst = max(worst, u.requestBody(w, r, depth+1))
				}
			}
		}
	}
	return worst
}

// requestParam is the body of a request that a function is handed: what the package's own callers give, or else anything,
// if the function sends requests of every method and never looks at the body.
func (u *unit) requestParam(f *fn, i int, v *types.Var, depth int) bodyKind {
	if f.body == nil {
		return bodyUnknown
	}
	looks, methods, bodies := false, false, false
	ast.Inspect(f.body, func(n ast.Node) bool {
		if b, ok := n.(*ast.BinaryExpr); ok && b.Op == token.NEQ && isMethodOf(u, b.X) && bodyMethod(b.Y) {
			bodies = true // requests that have a body are let through
		}
		if s, ok := n.(*ast.SelectorExpr); ok && u.isRequest(s.X) {
			methods = methods || s.Sel.Name == "Method"
			looks = looks || isWord(s.Sel.Name, "Body", "GetBody", "ContentLength")
		}
		return !looks
	})
	looks = looks || methods && !bodies
	if looks {
		return bodyUnknown
	}
	worst := bodyUnknown
	callers := u.callersOf(f)
	if len(callers) == 0 && f.decl != nil && f.decl.Name.IsExported() {
		return bodyBytes // whoever calls it may send anything
	}
	for _, s := range callers {
		if i >= len(s.call.Args) {
			continue
		}
		if w := s.in.unit.varOf(s.call.Args[i]); w != nil {
			worst = max(worst, s.in.unit.requestBody(w, nil, depth+1))
		}
	}
	return worst
}

// isMethodOf reports whether an expression is the method of a request.
func isMethodOf(u *unit, e ast.Expr) bool {
	s, ok := ast.Unparen(e).(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Method" && u.isRequest(s.X)
}

// bodyMethod reports whether an expression names a method whose requests have bodies.
func bodyMethod(e ast.Expr) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return isWord(x.Sel.Name, "MethodPut", "MethodPost", "MethodPatch")
	case *ast.BasicLit:
		return isWord(x.Value, `"PUT"`, `"POST"`, `"PATCH"`)
	}
	return false
}

// bodyOf says what a body is made of.
func (u *unit) bodyOf(e ast.Expr, use token.Pos, depth int) bodyKind {
	if depth > 6 {
		return bodyUnknown
	}
	e = ast.Unparen(e)
	if isNilExpr(e) {
		return bodyNone
	}
	if s, ok := e.(*ast.SelectorExpr); ok && s.Sel.Name == "NoBody" {
		return bodyNone
	}
	t := u.typeOf(e)
	if c, ok := e.(*ast.CallExpr); ok {
		k := u.callee(c)
		switch k.name {
		case "bytes.NewReader", "bytes.NewBuffer", "bytes.NewBufferString", "strings.NewReader":
			return bodyBytes
		case "io.NopCloser", "io/ioutil.NopCloser", "io.TeeReader", "io.LimitReader", "io.MultiReader", "bufio.NewReader":
			return bodyStream // whatever is inside, net/http cannot get it again
		}
		if k.conv && len(c.Args) == 1 {
			return u.bodyOf(c.Args[0], use, depth+1)
		}
	}
	switch namedText(t) {
	case "bytes.(*Reader)", "bytes.(*Buffer)", "strings.(*Reader)", "bytes.Buffer":
		return bodyBytes
	case "os.(*File)", "io.(*PipeReader)", "compress/gzip.(*Reader)", "mime/multipart.File":
		return bodyStream
	}
	if !isReader(t) {
		return bodyUnknown
	}
	v := u.varOf(e)
	if v == nil {
		if s, ok := e.(*ast.SelectorExpr); ok && s.Sel.Name == "Body" {
			return bodyStream // of a request or response that is being read
		}
		return bodyBytes // a reader of which no more is known
	}
	if owner, i := u.paramOwner(v, u.fnAt(v.Pos())); owner != nil {
		return u.bodyParam(owner, i, depth)
	}
	worst := bodyUnknown
	for _, n := range u.setsOf(v) {
		if n.Pos() >= use {
			continue
		}
		for _, x := range setValues(n) {
			worst = max(worst, u.bodyOf(x, n.Pos(), depth+1))
		}
	}
	return worst
}

// bodyParam is what callers hand over as a body: any stream where nobody in the package calls the function.
func (u *unit) bodyParam(f *fn, i, depth int) bodyKind {
	callers := u.callersOf(f)
	if len(callers) == 0 {
		return bodyStream
	}
	worst := bodyUnknown
	for _, s := range callers {
		if i < len(s.call.Args) {
			worst = max(worst, s.in.unit.bodyOf(s.call.Args[i], s.call.Pos(), depth+1))
		}
	}
	return worst
}
