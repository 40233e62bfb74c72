package analyzers

import (
	"go/ast"
	"go/types"
	"strings"
)

// wholeCalls make a request or message with nothing on it that is not among their arguments.
var wholeCalls = map[string]bool{
	"net/http.NewRequest": true, "net/http.NewRequestWithContext": true, "github.com/hashicorp/go-retryablehttp.NewRequest": true,
	"github.com/hashicorp/go-retryablehttp.NewRequestWithContext": true, "github.com/hashicorp/go-retryablehttp.FromRequest": true,
	"github.com/nats-io/nats.go.NewMsg": true, "github.com/hibiken/asynq.NewTask": true, "connectrpc.com/connect.NewRequest": true,
	"github.com/go-resty/resty/v2.New": true, "net/http/httptest.NewRequest": true,
}

// call is the result of a call.
func (k *carrying) call(c *ast.CallExpr, f *frame, calls []*ast.CallExpr, result int) carried {
	t := k.t
	var out carried
	if tv, ok := t.u.info.Type(c.Fun); ok && tv.IsType() && len(c.Args) == 1 {
		return k.carrier(c.Args[0], f, calls)
	}
	name := t.u.calleeName(c)
	sel, _ := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	base := name[strings.LastIndex(name, ".")+1:]
	if u := unversioned(name); naturalOptions[u] != "" {
		return carried{natural: naturalOptions[u]}
	}
	if i, ok := keyOption(name); ok && len(c.Args) > 0 && (sel == nil || t.isPackage(sel.X) || len(c.Args) == 1) {
		if i < 0 || i >= len(c.Args) {
			i = len(c.Args) - 1
		}
		out.sets = append(out.sets, keySet{sink: base, value: c.Args[i : i+1], node: c, f: f, calls: calls})
		for j, a := range c.Args {
			if j != i {
				out.add(k.part(a, f, calls))
			}
		}
		out.open = false
		return out
	}
	pkg := packageOf(name)
	switch {
	case wholeCalls[name] || wholeCalls[unversioned(name)]:
		if base != "New" {
			out.made, out.madeIn = c, t.u // a client is no request
		}
		for _, a := range c.Args {
			d := k.part(a, f, calls)
			d.open = false
			out.add(d)
		}
		return out
	case strings.HasPrefix(name, "google.golang.org/grpc/metadata."):
		return k.pairs(c, base, f, calls)
	case strings.HasPrefix(name, "context.With"):
		if len(c.Args) > 0 {
			return k.carrier(c.Args[0], f, calls)
		}
		return out
	case strings.HasPrefix(name, "context."):
		return out
	case name == "builtin.append":
		for _, a := range c.Args {
			out.add(k.part(a, f, calls))
		}
		out.open = false
		return out
	case strings.HasPrefix(name, "builtin."):
		return out
	case pkg == "encoding/json" || pkg == "bytes" || pkg == "strings" || pkg == "io" || pkg == "encoding/xml" || pkg == "net/url" || strings.HasSuffix(pkg, "protobuf/proto") ||
		pkg == "github.com/aws/aws-sdk-go-v2/aws" || pkg == "github.com/aws/aws-sdk-go/aws":
		for _, a := range c.Args {
			out.add(k.part(a, f, calls))
		}
		if sel != nil && !t.isPackage(sel.X) {
			out.add(k.carrier(sel.X, f, calls))
		}
		out.open = false
		return out
	}
	if g := t.u.target(c); g != nil && g.body != nil {
		return k.returned(c, g, f, calls, result)
	}
	if sel != nil && !t.isPackage(sel.X) {
		out.add(k.setter(c, []string{sel.Sel.Name}, nil, f, calls))
		switch sel.Sel.Name {
		case "Set", "Add":
		case "WithContext", "Clone", "SetContext", "SetBody", "R", "Request":
			out.add(k.carrier(sel.X, f, calls))
			for _, a := range c.Args {
				d := k.part(a, f, calls)
				d.open = false
				out.add(d)
			}
			return out
		}
		if _, chained := ast.Unparen(sel.X).(*ast.CallExpr); chained || len(out.sets) > 0 {
			d := k.carrier(sel.X, f, calls)
			d.open = false
			out.add(d)
			return out
		}
		if id, ok := ast.Unparen(sel.X).(*ast.Ident); ok && builderCall(sel.Sel.Name) {
			d := k.carrier(id, f, calls)
			d.open = false
			out.add(d)
			return out
		}
	}
	for _, a := range c.Args {
		out.add(k.part(a, f, calls))
	}
	out.open = true
	if typ := t.u.typeOf(c); typ != nil && k.keyless(sel) {
		if _, option := typ.Underlying().(*types.Signature); option {
			out.open = false // an option that says by its name what it sets
		}
	}
	return out
}

// keyless reports whether a function of another package is an option of which the name speaks of something else than a key.
func (k *carrying) keyless(sel *ast.SelectorExpr) bool {
	return sel != nil && k.t.isPackage(sel.X) && !strings.Contains(strings.ToLower(sel.Sel.Name), "header") && !strings.Contains(strings.ToLower(sel.Sel.Name), "option")
}

// builderCall reports whether a method gives back its receiver with something set on it, or a request of a client.
func builderCall(name string) bool {
	for _, p := range []string{"Set", "With", "Add", "Enable"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return name == "NewRequest" || name == "R"
}

// pairs are gRPC metadata calls.
func (k *carrying) pairs(c *ast.CallExpr, base string, f *frame, calls []*ast.CallExpr) carried {
	var out carried
	args := c.Args
	switch base {
	case "AppendToOutgoingContext":
		if len(args) > 0 {
			out.add(k.carrier(args[0], f, calls))
			args = args[1:]
		}
	case "NewOutgoingContext", "New", "Join", "MD":
		for _, a := range args {
			out.add(k.carrier(a, f, calls))
		}
		return out
	case "Pairs":
	default:
		return out
	}
	for i := 0; i+1 < len(args); i += 2 {
		if name, ok := k.text(args[i]); ok && isKeyHeader(name) {
			out.sets = append(out.sets, keySet{sink: name, value: args[i+1 : i+2], node: c, f: f, calls: calls})
		}
	}
	return out
}

// returned is what a function of the repository gives back.
func (k *carrying) returned(c *ast.CallExpr, g *fn, f *frame, calls []*ast.CallExpr, result int) carried {
	var out carried
	if len(calls) >= maxCarrierDepth {
		return carried{open: true}
	}
	in := &frame{fn: g, call: c, up: f, run: f.run}
	down := append(calls[:len(calls):len(calls)], c)
	old := k.t
	k.t = g.unit.tracing()
	defer func() { k.t = old }()
	n := 0
	ast.Inspect(g.body, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			n++
			switch {
			case len(x.Results) == 0:
				if id := namedResult(g, result); id != nil {
					out.add(k.ident(id, in, down))
				}
			case len(x.Results) > 1 && result < len(x.Results), len(x.Results) == 1 && result == 0:
				out.add(k.carrier(x.Results[result], in, down))
			case len(x.Results) == 1:
				if cc, ok := ast.Unparen(x.Results[0]).(*ast.CallExpr); ok {
					out.add(k.call(cc, in, down, result))
				}
			}
		}
		return true
	})
	if n == 0 {
		out.open = true
	}
	return out
}
