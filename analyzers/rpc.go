package analyzers

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// rpcCall makes the edge of a call of a generated gRPC client: pb.NewCartServiceClient(conn).AddItem(ctx, in). The generated
// code need not be there.
func (u *unit) rpcCall(s *site, k callee) bool {
	if k.recv == nil || k.sel == "" || !ast.IsExported(k.sel) {
		return false
	}
	service, full := "", ""
	if k.fun != nil {
		if !isInterfaceMethod(k.fun) {
			return false
		}
		sig := k.fun.Type().(*types.Signature)
		t := namedText(sig.Recv().Type())
		i := strings.LastIndexByte(t, '.')
		if i < 0 || !strings.HasSuffix(t, "Client") || !rpcSignature(sig) {
			return false
		}
		service = strings.TrimSuffix(t[i+1:], "Client")
		full = u.shared.rpcMethod(k.fun.Pkg(), service, k.sel)
	} else if service = u.absentClient(s, k); service == "" {
		return false
	}
	e := model.Edge{Kind: model.EdgeRequest, Label: "gRPC " + service + "." + k.sel, Timeout: model.NoLimit()}
	e.Idempotent, e.Effect = rpcReads(k.sel), rpcWrites(k.sel)
	if full != "" {
		e.Path = full
	} else {
		full, e.Path = "/"+service+"/"+k.sel, "/{}/"+k.sel // the name of its package is not known
	}
	e.To = model.N(model.SpaceGRPC, full)
	e.Under = layerIDs(s.under, s.in)
	if dial := u.dialOf(k.recv, s.in); dial != nil {
		e.Under = append(e.Under, u.connLayers(s, dial, full, streams(k.fun))...)
		e.Host, e.Refs = dial.host()
	}
	if e.Under == nil {
		e.Under = []string{}
	}
	if len(s.call.Args) > 0 {
		u.contextTimeout(s, sent{unit: u, in: s.in, ctx: s.call.Args[0], method: "POST"}, &e)
	}
	p := u.add(s, e)
	if len(p.Under) == 0 {
		p.Under = nil
	}
	return true
}

// absentClient is the service of a call of a generated client whose code lies outside of the scan: a method of what
// pb.NewXClient makes or of a pb.XClient, which takes a context and a message of the same package. "" where it is none.
func (u *unit) absentClient(s *site, k callee) string {
	if len(s.call.Args) == 0 || !isContextLike(u.typeOf(s.call.Args[0])) {
		return ""
	}
	if t, ok := strings.CutSuffix(k.name, "Client()."+k.sel); ok {
		i := strings.LastIndex(t, ".New")
		if i < 0 || len(s.call.Args) < 2 {
			return ""
		}
		return t[i+4:]
	}
	t, ok := strings.CutSuffix(k.name, "Client."+k.sel)
	if !ok || k.pkg == "" || !strings.HasPrefix(t, k.pkg+".") || len(s.call.Args) < 2 {
		return ""
	}
	// A client by name alone is one of many kinds. The message that it takes tells.
	m := strings.NewReplacer("(*", "", ")", "").Replace(u.foreign(s.call.Args[1], 0))
	if !strings.HasPrefix(m, k.pkg+".") && !strings.HasPrefix(m, "google.golang.org/protobuf/types/known/") || strings.HasSuffix(m, "()") {
		return ""
	}
	if !u.knowsGRPC() {
		return ""
	}
	return t[len(k.pkg)+1:]
}

// knowsGRPC reports whether the package's module uses grpc, or the package itself where nothing is known of its module.
func (u *unit) knowsGRPC() bool {
	if u.versions["google.golang.org/grpc"] != "" {
		return true
	}
	for _, f := range u.files {
		for _, i := range f.Imports {
			if strings.HasPrefix(strings.Trim(i.Path.Value, `"`), "google.golang.org/grpc") {
				return true
			}
		}
	}
	return false
}

// The verbs with which the names of methods begin: what reads, or leaves the same behind however often it is done, and what
// makes something each time.
var (
	readVerbs = []string{"Get", "List", "BatchGet", "Find", "Search", "Query", "Read", "Fetch", "Lookup", "LookUp", "Describe", "Count", "Check", "Has", "Is",
		"Exists", "Watch", "Subscribe", "Ping", "Health", "Verify", "Validate", "Resolve", "Delete", "Remove", "Put", "Set", "Show", "Stat", "View", "Load", "Calculate", "Compute", "Estimate", "Preview"}
	writeVerbs = []string{"Create", "Add", "Insert", "Place", "Submit", "Charge", "Pay", "Capture", "Refund", "Transfer", "Send", "Enqueue", "Publish", "Book", "Issue",
		"Append", "Post", "Record", "Credit", "Debit", "Withdraw", "Deposit", "Purchase", "Ship", "Increment", "Launch", "Trigger", "BatchCreate"}
)

func rpcReads(method string) bool  { return beginsWith(method, readVerbs) }
func rpcWrites(method string) bool { return beginsWith(method, writeVerbs) }

// beginsWith reports whether the first words of a name in mixed caps are one of the list.
func beginsWith(name string, words []string) bool {
	for _, w := range words {
		if rest, ok := strings.CutPrefix(name, w); ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z') {
			return true
		}
	}
	return false
}

// rpcSignature reports whether a method has the shape of generated clients: a context first, call options last.
func rpcSignature(sig *types.Signature) bool {
	n := sig.Params().Len()
	if !sig.Variadic() || n < 2 || n > 3 || !isContextLike(sig.Params().At(0).Type()) {
		return false
	}
	last, ok := sig.Params().At(n - 1).Type().(*types.Slice)
	if !ok {
		return false
	}
	if t := namedText(last.Elem()); t != "" {
		return strings.HasSuffix(t, "grpc.CallOption")
	}
	b, basic := last.Elem().(*types.Basic)
	return basic && b.Kind() == types.Invalid // no types for grpc itself
}

// streams reports whether a method opens a stream: its result is another client.
func streams(f *types.Func) bool {
	if f == nil {
		return false
	}
	t := resultType(f, 0)
	return t != nil && types.IsInterface(t) && strings.HasSuffix(namedText(t), "Client")
}

// rpcMethod is the full name that the generated code gives a method, "" where it is not in the repository.
func (r *Repo) rpcMethod(pkg *types.Package, service, method string) string {
	if pkg == nil {
		return ""
	}
	if c, ok := pkg.Scope().Lookup(service + "_" + method + "_FullMethodName").(*types.Const); ok {
		return strings.Trim(c.Val().ExactString(), `"`)
	}
	u := r.units[pkg]
	if u == nil || service == "" {
		return ""
	}
	// Older generators write the name into the client's method.
	want := u.path + ".(*" + strings.ToLower(service[:1]) + service[1:] + "Client)." + method
	for _, f := range u.fns {
		if f.name.Key != want {
			continue
		}
		for _, c := range f.calls {
			for _, a := range c.expr.Args {
				if v := u.value(a, f); v.IsStr && strings.HasPrefix(v.Str, "/") && strings.HasSuffix(v.Str, "/"+method) {
					return v.Str
				}
			}
		}
	}
	return ""
}

// dialOf is the call that dials the connection behind a generated client, nil where it is not seen.
func (u *unit) dialOf(client ast.Expr, f *fn) *dialing {
	_, site := u.nameAndSite(client, f, nil, 0)
	us, ok := site.(*useSite)
	if !ok {
		return nil
	}
	// NewXClient(conn), or what that makes: &xClient{conn}; then conn.
	var conn ast.Expr
	switch {
	case us.lit != nil && len(us.lit.Elts) == 1:
		conn = us.lit.Elts[0]
		if kv, ok := conn.(*ast.KeyValueExpr); ok {
			conn = kv.Value
		}
	case us.call != nil && len(us.call.Args) == 1 && strings.HasSuffix(us.u.callee(us.call).sel, "Client"):
		conn = us.call.Args[0]
	}
	if conn != nil {
		defer us.enter()()
		_, in := us.u.nameAndSite(conn, us.f, nil, 0)
		if us, ok = in.(*useSite); !ok {
			return nil
		}
	}
	if us.call == nil || !isWord(us.u.callee(us.call).sel, "NewClient", "Dial", "DialContext") {
		return nil
	}
	return &dialing{us}
}

// dialing is a call of grpc.NewClient or its older forms.
type dialing struct{ *useSite }

// host is where the connection leads, and the setting that holds it.
func (d *dialing) host() (model.Name, []model.Ref) {
	i := 0
	if d.u.callee(d.call).sel == "DialContext" {
		i = 1
	}
	if i >= len(d.call.Args) {
		return model.Name{}, nil
	}
	defer d.enter()()
	ps := merged(d.u.parts(d.call.Args[i], d.f, 0))
	if len(ps) == 0 || ps[0].unknown {
		return model.Name{}, nil
	}
	// dns:///host:port, xds://authority/host: the last element is the host.
	if p := &ps[0]; p.ref.Name.IsZero() {
		if _, after, ok := strings.Cut(p.text, "://"); ok {
			p.text = after[strings.LastIndexByte(after, '/')+1:]
		} else if after, ok := strings.CutPrefix(p.text, "dns:"); ok {
			p.text = after
		}
		if p.text == "" {
			ps = ps[1:]
		}
	}
	switch {
	case len(ps) == 0 || ps[0].unknown:
	case !ps[0].ref.Name.IsZero():
		r := ps[0].ref
		r.Field = model.FieldTarget
		return model.Host(ps[0].deflt, ""), []model.Ref{r}
	case len(ps) == 1 || strings.HasSuffix(ps[0].text, ":"):
		return model.Host(ps[0].text, ""), nil
	}
	return model.Name{}, nil
}

// connLayers are the layers of the connection that a method passes: interceptors, and what the service config says of it.
func (u *unit) connLayers(s *site, d *dialing, method string, stream bool) []string {
	var out []string
	leave := d.enter()
	for _, a := range d.call.Args {
		out = append(out, d.u.layersWithin(a, stream, 0)...)
	}
	leave()
	for _, l := range u.shared.lookup("google.golang.org/grpc") {
		sel := d.u.callee(d.call).sel
		cl := l.Constructs(sel)
		if cl == nil {
			continue
		}
		site, part := libs.Site(d.useSite), ""
		if v := d.Option("WithDefaultServiceConfig", 0); v.IsStr {
			one, worst, ok := libs.ServiceConfigOf(v.Str, method)
			if !ok {
				continue // it speaks of other methods
			}
			if !worst {
				v.Str, part = one, "|"+one
				site = methodSite{d.useSite, v}
			}
		}
		if id := u.madeLayer(s, libraryUse{lib: l, cl: cl}, sel, site, part); id != "" {
			out = append(out, id)
		}
	}
	return out
}

// methodSite is a dialing of which the service config says only what holds for one method.
type methodSite struct {
	*useSite
	config libs.Value
}

func (s methodSite) Option(name string, arg int) libs.Value {
	if name == "WithDefaultServiceConfig" {
		return s.config
	}
	return s.useSite.Option(name, arg)
}

// layersWithin lists the layers of catalogued calls in an expression, through variables.
func (u *unit) layersWithin(e ast.Expr, stream bool, depth int) []string {
	if depth > 5 {
		return nil
	}
	var out []string
	ast.Inspect(e, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if s := u.byCall[x]; s != nil && len(s.callLayers) > 0 {
				// An interceptor of streams leaves single calls alone, and the other way round.
				if sel := u.callee(x).sel; strings.HasPrefix(sel, "Stream") && !stream || strings.HasPrefix(sel, "Unary") && stream {
					return false
				}
				out = append(out, s.callLayers...)
				return false
			}
		case *ast.Ident:
			o, ok := u.object(x).(*types.Var)
			if !ok || o.IsField() {
				return true
			}
			if u.pkg != nil && o.Parent() == u.pkg.Scope() {
				for _, w := range u.writesOf(o) {
					if w.value != nil {
						out = append(out, u.layersWithin(w.value, stream, depth+1)...)
					}
				}
				return true
			}
			for _, s := range u.setsOf(o) {
				if r := setExpr(s, o, u); r != nil && !mentionsObj(u, r, o) {
					out = append(out, u.layersWithin(r, stream, depth+1)...)
				}
			}
		}
		return true
	})
	return out
}
