package analyzers

import (
	"go/ast"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// sent is one HTTP request that reaches a call that sends, with the calls through which it was handed.
type sent struct {
	method string // upper case; "" where not known
	oneOf  string // the methods among which it is, where callers give several
	url    []part
	body   ast.Expr      // the body's expression; nil where there is none or it is not known
	make   *ast.CallExpr // http.NewRequest; nil where it was not seen
	unit   *unit
	in     *fn     // where it is made
	via    []*site // calls that handed it on, the one nearest to the send first
	asked  *site   // the call that says which method it is, where the function that sends takes it as a parameter
	ctx    ast.Expr
}

// request makes the edges of a call that sends HTTP requests; false where it is none.
func (u *unit) request(s *site, k callee) bool {
	var out []sent
	switch k.name {
	case "net/http.(*Client).Do", "net/http.(*Transport).RoundTrip":
		if len(s.call.Args) == 1 {
			out = u.requests(s.call.Args[0], s.in, nil, 0)
		}
	case "net/http.RoundTripper.RoundTrip":
		if len(s.call.Args) == 1 {
			out = u.requests(s.call.Args[0], s.in, nil, 0)
		}
	case "net/http.Get", "net/http.Head", "net/http.Post", "net/http.PostForm", "net/http.(*Client).Get", "net/http.(*Client).Head", "net/http.(*Client).Post", "net/http.(*Client).PostForm":
		m := strings.ToUpper(strings.TrimSuffix(k.sel, "Form"))
		if len(s.call.Args) > 0 {
			r := sent{method: m, url: u.parts(s.call.Args[0], s.in, 0), unit: u, in: s.in}
			if len(s.call.Args) > 2 {
				r.body = s.call.Args[2]
			}
			out = []sent{r}
		}
	case "net/http/httputil.NewSingleHostReverseProxy":
		if len(s.call.Args) == 1 {
			u.requestEdge(s, k, sent{url: u.parts(s.call.Args[0], s.in, 0), unit: u, in: s.in}, nil)
			return true
		}
		return false
	default:
		if !sendsRequests(k) || len(s.call.Args) != 1 {
			return false
		}
		// A function value that sends: client.Do behind middlewares.
		if out = u.requests(s.call.Args[0], s.in, nil, 0); len(out) == 0 {
			return false
		}
	}
	if len(out) == 0 {
		out = []sent{{unit: u, in: s.in}}
	}
	out = distinct(out)
	client := u.clientOf(s, k)
	if len(out) == 1 && out[0].oneOf != "" && len(out[0].via) == 0 && len(layerIDs(s.under, s.in)) == 0 && (client == nil || len(client.layers) == 0) {
		// Nothing here repeats it: who calls may, and each caller has a method of its own.
		if each := u.byCaller(out[0]); len(each) > 0 {
			out = each
		}
	}
	for _, r := range out {
		u.requestEdge(s, k, r, client)
	}
	s.sent = out
	return true
}

// sendsRequests reports whether a callee is a function value with the shape of (*http.Client).Do.
func sendsRequests(k callee) bool {
	if k.fun != nil || k.obj == nil {
		return false
	}
	sig, ok := k.obj.Type().Underlying().(*types.Signature)
	return ok && sig.Params().Len() == 1 && sig.Results().Len() == 2 && namedText(sig.Params().At(0).Type()) == "net/http.(*Request)" &&
		namedText(sig.Results().At(0).Type()) == "net/http.(*Response)"
}

// distinct leaves out requests of which nothing tells one from the other: two ways through one function that makes them.
func distinct(rs []sent) []sent {
	var out []sent
	for _, r := range rs {
		if !slices.ContainsFunc(out, func(o sent) bool {
			return o.make != nil && o.make == r.make && o.method == r.method && o.in == r.in && o.unit == r.unit && slices.Equal(o.via, r.via) && slices.Equal(o.url, r.url)
		}) {
			out = append(out, r)
		}
	}
	return out
}

// requestEdge makes the edge of one request.
func (u *unit) requestEdge(s *site, k callee, r sent, client *httpClient) {
	t := targetOf(r.url)
	e := model.Edge{Kind: model.EdgeRequest, Method: r.method, Path: t.path, To: t.host, Label: strings.TrimSpace(r.method + " " + t.path)}
	e.OneOf = r.oneOf
	if len(t.path) == 0 && r.url != nil && !t.host.IsZero() {
		e.Path = "/"
	}
	if !t.ref.Name.IsZero() {
		e.Refs = append(e.Refs, t.ref)
	}
	if e.To.IsZero() {
		e.To = u.opName(s, k)
		if r.make != nil {
			e.To = model.N(model.SpaceOp, r.in.name.Key+"#"+strings.TrimSpace(r.method+" "+t.path))
		}
	}
	var layers []string
	if client != nil {
		e.Timeout = client.timeout
		e.Refs = append(e.Refs, client.refs...)
		layers = client.layers
	}
	if r.method == "POST" && (readsByPath(t.path) || asksForToken(s, r)) {
		e.Idempotent = true
	}
	u.contextTimeout(s, r, &e)
	from, under := s.in, layerIDs(s.under, s.in)
	for _, v := range r.via {
		outer := layerIDs(v.in.unit.around(v.call, v.in), v.in)
		under = append(outer, under...)
		from = v.in
	}
	e.Under = append(under, layers...)
	if e.Under == nil {
		e.Under = []string{}
	}
	switch {
	case r.asked != nil:
		e.At = r.asked.in.unit.at(r.asked.call)
	case r.make != nil && len(r.via) > 0:
		e.At = r.unit.at(r.make)
	}
	p := u.add(s, e)
	if len(p.Under) == 0 {
		p.Under = nil
	}
	p.From = from.name
}

// requests follows a *http.Request to the places where it is made.
func (u *unit) requests(e ast.Expr, f *fn, via []*site, depth int) []sent {
	if depth > 8 || len(via) > 4 {
		return nil
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		return u.requestsOfCall(x, f, via, depth)
	case *ast.UnaryExpr:
		return u.requests(x.X, f, via, depth+1)
	case *ast.CompositeLit:
		r := sent{unit: u, in: f, via: via}
		if m := u.litFieldExpr(x, "Method"); m != nil {
			r.method = u.methodOf(m, f)
		}
		if l := u.litFieldExpr(x, "URL"); l != nil {
			r.url = u.parts(l, f, 0)
		}
		r.body = u.litFieldExpr(x, "Body")
		return []sent{r}
	case *ast.SelectorExpr:
		if o, ok := u.object(x.Sel).(*types.Var); ok && o.IsField() {
			return u.requestsOfField(o, via, depth)
		}
	case *ast.Ident:
		o, ok := u.object(x).(*types.Var)
		if !ok || o.IsField() {
			return nil
		}
		if b, ok := u.shared.exprOf(o); ok {
			return b.unit.requests(b.expr, b.f, via, depth+1)
		}
		var out []sent
		sets := u.setsOf(o)
		for _, n := range sets {
			a, ok := n.(*ast.AssignStmt)
			if !ok {
				if vs, isSpec := n.(*ast.ValueSpec); isSpec && len(vs.Values) > 0 {
					out = append(out, u.requests(vs.Values[0], f, via, depth+1)...)
				}
				continue
			}
			var rhs ast.Expr
			for i, l := range a.Lhs {
				if u.lvalue(l) == types.Object(o) {
					if len(a.Rhs) == len(a.Lhs) {
						rhs = a.Rhs[i]
					} else if i == 0 {
						rhs = a.Rhs[0]
					}
				}
			}
			if rhs != nil && !mentionsObj(u, rhs, o) {
				out = append(out, u.requests(rhs, f, via, depth+1)...)
			}
		}
		if len(out) > 0 {
			return out
		}
		if owner, i := u.paramOwner(o, f); owner != nil {
			return u.requestsOfParam(owner, i, via, depth)
		}
	}
	return nil
}

// requestsOfField looks at what is written to a field that keeps a request.
func (u *unit) requestsOfField(o *types.Var, via []*site, depth int) []sent {
	w := u
	if o.Pkg() != u.pkg {
		if w = u.shared.units[o.Pkg()]; w == nil {
			return nil
		}
	}
	if u.shared.busy[o] {
		return nil
	}
	u.shared.busy[o] = true
	defer delete(u.shared.busy, o)
	var out []sent
	for _, x := range w.writesOf(o) {
		if x.value != nil && x.in != nil && len(out) < 16 {
			out = append(out, w.requests(x.value, x.in, via, depth+1)...)
		}
	}
	return out
}

// requestsOfParam looks at what all callers hand in.
func (u *unit) requestsOfParam(owner *fn, i int, via []*site, depth int) []sent {
	var out []sent
	for _, s := range u.callersOf(owner) {
		if i >= len(s.call.Args) {
			continue
		}
		next := append(append([]*site(nil), via...), s)
		rs := s.in.unit.requests(s.call.Args[i], s.in, next, depth+1)
		if len(rs) == 0 {
			rs = []sent{{unit: s.in.unit, in: s.in, via: next}}
		}
		out = append(out, rs...)
		if len(out) > 64 {
			return out[:64]
		}
	}
	return out
}

func (u *unit) requestsOfCall(c *ast.CallExpr, f *fn, via []*site, depth int) []sent {
	k := u.callee(c)
	i := 0
	switch k.name {
	case "net/http.NewRequestWithContext", "github.com/hashicorp/go-retryablehttp.NewRequestWithContext":
		i = 1
	case "net/http.NewRequest", "net/http/httptest.NewRequest", "github.com/hashicorp/go-retryablehttp.NewRequest":
	case "net/http.(*Request).Clone", "net/http.(*Request).WithContext", "github.com/hashicorp/go-retryablehttp.(*Request).WithContext":
		out := u.requests(k.recv, f, via, depth+1)
		for i := range out {
			if len(c.Args) > 0 {
				out[i].ctx = c.Args[0]
			}
		}
		return out
	case "github.com/hashicorp/go-retryablehttp.FromRequest":
		if len(c.Args) == 1 {
			return u.requests(c.Args[0], f, via, depth+1)
		}
		return nil
	default:
		return u.requestsOfResult(c, f, via, depth)
	}
	if len(c.Args) < i+2 {
		return nil
	}
	r := sent{method: u.methodOf(c.Args[i], f), url: u.parts(c.Args[i+1], f, 0), make: c, unit: u, in: f, via: via}
	if r.method == "" {
		r.method, r.oneOf = u.worstMethod(c.Args[i], f)
	}
	if len(c.Args) > i+2 && !isNilExpr(c.Args[i+2]) {
		r.body = c.Args[i+2]
	}
	if i == 1 {
		r.ctx = c.Args[0]
	}
	return []sent{r}
}

// byCaller tells the requests of a function that takes the method as a parameter apart by who calls it. Callers of which the
// method is not known are left out; nothing comes back where there are too many.
func (u *unit) byCaller(r sent) []sent {
	if r.make == nil || r.unit != u {
		return nil
	}
	k := u.callee(r.make)
	i := 0
	if strings.HasSuffix(k.sel, "WithContext") {
		i = 1
	}
	var out []sent
	var walk func(e ast.Expr, v *unit, f *fn, via []*site)
	walk = func(e ast.Expr, v *unit, f *fn, via []*site) {
		id, ok := ast.Unparen(e).(*ast.Ident)
		if !ok || len(via) > 3 || len(out) > maxCallers {
			return
		}
		o, ok := v.object(id).(*types.Var)
		if !ok {
			return
		}
		owner, n := v.paramOwner(o, f)
		if owner == nil || owner.lit != nil {
			return
		}
		for _, s := range v.callersOf(owner) {
			if n >= len(s.call.Args) || s.in == owner {
				continue
			}
			next := append(slices.Clone(via), s)
			m := s.in.unit.methodOf(s.call.Args[n], s.in)
			if m == "" {
				walk(s.call.Args[n], s.in.unit, s.in, next)
				continue
			}
			one := r
			one.method, one.oneOf, one.via, one.asked = m, "", next, s
			one.url = u.partsThrough(r.make.Args[i+1], r.in, next)
			out = append(out, one)
		}
	}
	walk(r.make.Args[i], u, r.in, nil)
	if len(out) > maxCallers {
		return nil
	}
	return out
}

const maxCallers = 200

// partsThrough are the pieces of a string in a function that was entered through calls, the nearest first.
func (u *unit) partsThrough(e ast.Expr, f *fn, via []*site) []part {
	n := len(u.shared.exprs)
	for _, s := range slices.Backward(via) {
		if s.to == nil {
			continue
		}
		bind := map[types.Object]boundExpr{}
		for o, i := range s.to.params {
			if i < len(s.call.Args) {
				bind[o] = boundExpr{expr: s.call.Args[i], f: s.in, unit: s.in.unit}
			}
		}
		u.shared.exprs = append(u.shared.exprs, bind)
	}
	defer func() { u.shared.exprs = u.shared.exprs[:n] }()
	return u.parts(e, f, 0)
}

// worstMethod is the method that does the most harm among those that the callers of a function hand it, with all of them in
// words; "" where none of them is one that must not be repeated blindly.
func (u *unit) worstMethod(e ast.Expr, f *fn) (worst, oneOf string) {
	found := map[string]bool{}
	u.methodsInto(found, e, f, 0)
	for _, m := range [...]string{"POST", "PATCH"} {
		if found[m] && worst == "" {
			worst = m
		}
	}
	if worst == "" || len(found) < 2 {
		return worst, ""
	}
	return worst, strings.Join(slices.Sorted(maps.Keys(found)), ", ")
}

// methodsInto collects the methods that a parameter or field has over all callers.
func (u *unit) methodsInto(found map[string]bool, e ast.Expr, f *fn, depth int) {
	if depth > 6 || len(found) > 6 {
		return
	}
	if m := u.methodOf(e, f); m != "" {
		found[m] = true
		return
	}
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return
	}
	o, ok := u.object(id).(*types.Var)
	if !ok {
		return
	}
	owner, i := u.paramOwner(o, f)
	if owner == nil {
		return
	}
	for n, s := range u.callersOf(owner) {
		if n > 200 {
			return
		}
		if i < len(s.call.Args) {
			s.in.unit.methodsInto(found, s.call.Args[i], s.in, depth+1)
		}
	}
}

// methodOf is an HTTP method; an empty string is GET.
func (u *unit) methodOf(e ast.Expr, f *fn) string {
	ps := merged(u.parts(e, f, 0))
	if len(ps) == 0 {
		return "GET"
	}
	if len(ps) == 1 && !ps[0].unknown && ps[0].ref.Name.IsZero() {
		return strings.ToUpper(ps[0].text)
	}
	return ""
}

// requestsOfResult follows a function of the repository that makes requests.
func (u *unit) requestsOfResult(c *ast.CallExpr, f *fn, via []*site, depth int) []sent {
	g := u.target(c)
	if g == nil || g.body == nil || len(u.shared.exprs) > 4 {
		return nil
	}
	bind := map[types.Object]boundExpr{}
	for o, i := range g.params {
		if i < len(c.Args) {
			bind[o] = boundExpr{expr: c.Args[i], f: f, unit: u}
		}
	}
	u.shared.exprs = append(u.shared.exprs, bind)
	defer func() { u.shared.exprs = u.shared.exprs[:len(u.shared.exprs)-1] }()
	var out []sent
	inspectOwn(g.body, func(x ast.Node) bool {
		if r, ok := x.(*ast.ReturnStmt); ok && len(r.Results) > 0 && !isNilExpr(r.Results[0]) {
			for _, s := range g.unit.requests(r.Results[0], g, nil, depth+1) {
				// It is made on behalf of f.
				s.via, s.in = via, f
				if len(via) > 0 {
					s.unit = u
				}
				s.make = c
				s.unit = u
				out = append(out, s)
			}
		}
		return len(out) < 16
	})
	return out
}

// readPaths are last words of paths whose POST only asks, or says what may be said twice: a token, a check, a search, a
// reload.
var readPaths = regexp.MustCompile(`(?i)(^|[/_.-])(token|introspect|validate|validation|verify|siteverify|search|_msearch|query|lookup|login|signin|authenticate|logout|revoke|refresh|reload|ping|healthz?|userinfo)/?$`)

func readsByPath(path string) bool { return readPaths.MatchString(path) }

// asksForToken reports whether a request goes to an address that is named as the one that gives out tokens, or is an OAuth
// form.
func asksForToken(s *site, r sent) bool {
	call := r.make
	if call == nil {
		call = s.call
	}
	found := false
	for _, a := range call.Args {
		ast.Inspect(a, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.Ident:
				found = found || tokenAddress.MatchString(x.Name)
			case *ast.BasicLit:
				found = found || x.Value == `"grant_type"`
			}
			return !found
		})
	}
	return found
}

var tokenAddress = regexp.MustCompile(`(?i)token_?(url|uri|endpoint|addr|path)$`)
