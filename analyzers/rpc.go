package analyzers

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// rpcCall makes the edge of a call of a generated gRPC client: pb.NewCartServiceClient(conn).AddItem(ctx, in).
func (u *unit) rpcCall(s *site, k callee) bool {
	if k.recv == nil || k.sel == "" || !ast.IsExported(k.sel) {
		return false
	}
	service, full := "", ""
	switch {
	case k.fun != nil:
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
	case strings.Contains(k.name, ".New") && strings.HasSuffix(k.name, "Client()."+k.sel):
		// The generated code lies elsewhere.
		t := strings.TrimSuffix(k.name, "Client()."+k.sel)
		i := strings.LastIndex(t, ".New")
		if service = t[i+4:]; service == "" || len(s.call.Args) < 2 || !isContextLike(u.typeOf(s.call.Args[0])) {
			return false
		}
	default:
		return false
	}
	if full == "" {
		full = "/" + service + "/" + k.sel
	}
	e := model.Edge{Kind: model.EdgeRequest, To: model.N(model.SpaceGRPC, full), Path: full, Label: "gRPC " + service + "." + k.sel, Timeout: model.NoLimit()}
	e.Under = append(layerIDs(s.under, s.in), u.dialLayers(k.recv, s.in, streams(k.fun))...)
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

// dialLayers lists the layers of the connection behind a generated client: interceptors and service configurations among the
// options of the call that dials.
func (u *unit) dialLayers(client ast.Expr, f *fn, stream bool) []string {
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
	if us.call == nil {
		return nil
	}
	if !isWord(us.u.callee(us.call).sel, "NewClient", "Dial", "DialContext") {
		return nil
	}
	var out []string
	for _, a := range us.call.Args {
		out = append(out, us.u.layersWithin(a, stream, 0)...)
	}
	return out
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
