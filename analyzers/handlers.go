package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// handlers finds the requests that the package serves and the messages that it consumes.
func (u *unit) handlers() {
	for _, s := range u.sites {
		if u.generated[s.in.file] {
			continue
		}
		k := u.callee(s.call)
		switch {
		case u.muxHandler(s, k), u.routerHandler(s, k), u.receiveHandler(s, k), u.taskHandler(s, k), u.rpcHandler(s, k):
			s.registers = true
		}
	}
	u.methodHandlers()
}

// addHandler notes that f serves a pattern.
func (u *unit) addHandler(at ast.Node, g model.Name, method, pattern string) {
	if g.IsZero() {
		return
	}
	if method == "" {
		if m, p, ok := strings.Cut(pattern, " "); ok && isUpper(m) {
			method, pattern = m, strings.TrimSpace(p)
		}
	}
	if i := strings.IndexByte(pattern, '/'); i > 0 {
		pattern = pattern[i:] // a host before the path
	}
	h := model.Handler{Func: g, Method: method, Pattern: pattern, At: u.at(at), Dir: u.dir}
	h.Name = model.N(model.SpaceHandler, u.repo+"|"+u.dir+"|"+strings.TrimSpace(method+" "+pattern))
	u.facts.Handlers = append(u.facts.Handlers, h)
}

func isUpper(s string) bool {
	if s == "" {
		return false
	}
	for _, c := range s {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return true
}

// muxHandler knows net/http and gorilla/mux: patterns with a handler or a function.
func (u *unit) muxHandler(s *site, k callee) bool {
	switch {
	case isWord(k.name, "net/http.Handle", "net/http.HandleFunc", "net/http.(*ServeMux).Handle", "net/http.(*ServeMux).HandleFunc"):
	case strings.HasPrefix(k.pkg, "github.com/gorilla/mux") && isWord(k.sel, "Handle", "HandleFunc"):
	default:
		return false
	}
	if len(s.call.Args) < 2 {
		return true
	}
	pattern := u.pattern(s.call.Args[0], s.in)
	g, m := u.handlerFunc(s.call.Args[1], s.in, 0)
	if m == "" && strings.Contains(k.pkg, "gorilla") {
		m = u.chainedMethod(s.call)
	}
	if m == "" && g != nil && !strings.Contains(pattern, " ") {
		m = u.methodInside(g)
	}
	u.addHandler(s.call, nameOf(g), m, pattern)
	return true
}

func nameOf(g *fn) model.Name {
	if g == nil {
		return model.Name{}
	}
	return g.name
}

// pattern is a route's pattern, with {} for what is not known.
func (u *unit) pattern(e ast.Expr, f *fn) string {
	var b strings.Builder
	for _, p := range merged(u.parts(e, f, 0)) {
		if p.unknown || !p.ref.Name.IsZero() {
			b.WriteString("{}")
			continue
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// chainedMethod is the method of r.HandleFunc(...).Methods("POST").
func (u *unit) chainedMethod(c *ast.CallExpr) string {
	sel, ok := u.parent(c).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	outer, ok := u.parent(sel).(*ast.CallExpr)
	if !ok {
		return ""
	}
	if sel.Sel.Name == "Methods" && len(outer.Args) == 1 {
		return u.methodOf(outer.Args[0], nil)
	}
	return u.chainedMethod(outer)
}

// handlerFunc finds the function behind a handler: a function, a closure, http.HandlerFunc(f), a type with ServeHTTP, a
// middleware around one, or a method that returns one.
func (u *unit) handlerFunc(e ast.Expr, f *fn, depth int) (*fn, string) {
	if depth > 6 {
		return nil, ""
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.FuncLit:
		return u.byNode[x], ""
	case *ast.Ident:
		switch o := u.object(x).(type) {
		case *types.Func:
			return u.fnFor(o), ""
		case *types.Var:
			if g := u.byObj[o]; g != nil {
				return g, ""
			}
			for _, n := range u.setsOf(o) {
				if r := setExpr(n, o, u); r != nil {
					if g, m := u.handlerFunc(r, f, depth+1); g != nil {
						return g, m
					}
				}
			}
		}
	case *ast.SelectorExpr:
		if o, ok := u.object(x.Sel).(*types.Func); ok {
			return u.fnFor(o), ""
		}
		if o, ok := u.object(x.Sel).(*types.Var); ok && u.byObj[o] != nil {
			return u.byObj[o], ""
		}
	case *ast.UnaryExpr:
		return u.handlerFunc(x.X, f, depth+1)
	case *ast.CallExpr:
		k := u.callee(x)
		if k.conv && len(x.Args) == 1 {
			return u.handlerFunc(x.Args[0], f, depth+1)
		}
		// A method that returns a closure is the handler; a middleware hands on what it gets.
		for _, a := range x.Args {
			if u.looksLikeHandler(a) {
				if g, m := u.handlerFunc(a, f, depth+1); g != nil {
					return g, m
				}
			}
		}
		if g := u.target(x); g != nil && g.body != nil {
			if r := onlyReturn(g); r != nil && len(r.Results) > 0 {
				return g.unit.handlerFunc(r.Results[0], g, depth+1)
			}
		}
	}
	if g := u.serveHTTP(e); g != nil {
		return g, ""
	}
	return nil, ""
}

func (u *unit) looksLikeHandler(e ast.Expr) bool {
	t := u.typeOf(e)
	if t == nil {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Basic:
		_ = t
		return false
	}
	o, _, _ := types.LookupFieldOrMethod(t, true, u.pkg, "ServeHTTP")
	_, ok := o.(*types.Func)
	return ok
}

func (u *unit) serveHTTP(e ast.Expr) *fn {
	t := u.typeOf(e)
	if t == nil {
		return nil
	}
	o, _, _ := types.LookupFieldOrMethod(t, true, u.pkg, "ServeHTTP")
	if m, ok := o.(*types.Func); ok {
		return u.fnFor(m)
	}
	return nil
}

// fnFor finds a function of this package or another of the repository.
func (u *unit) fnFor(o *types.Func) *fn {
	if g := u.byObj[o.Origin()]; g != nil {
		return g
	}
	return u.shared.fnOf(o)
}

// methodInside finds "if r.Method != http.MethodPost { ... return }" at the start of a handler.
func (u *unit) methodInside(g *fn) string {
	if g.body == nil || g.unit != u {
		return ""
	}
	for i, st := range g.body.List {
		if i > 3 {
			break
		}
		s, ok := st.(*ast.IfStmt)
		if !ok {
			continue
		}
		b, ok := ast.Unparen(s.Cond).(*ast.BinaryExpr)
		if !ok || b.Op != token.NEQ {
			continue
		}
		if x, ok := ast.Unparen(b.X).(*ast.SelectorExpr); ok && x.Sel.Name == "Method" && len(s.Body.List) > 0 {
			if _, ret := s.Body.List[len(s.Body.List)-1].(*ast.ReturnStmt); ret {
				return u.methodOf(b.Y, g)
			}
		}
	}
	return ""
}

var routers = []string{
	"github.com/go-chi/chi", "github.com/gin-gonic/gin", "github.com/labstack/echo", "github.com/gofiber/fiber", "github.com/julienschmidt/httprouter",
	"github.com/uptrace/bunrouter", "github.com/gobuffalo/buffalo", "github.com/go-martini/martini", "github.com/prometheus/common/route", "goji.io", "github.com/bmizerany/pat",
}

// routerHandler knows routers by import path: a method per verb, the pattern first, the handler last.
func (u *unit) routerHandler(s *site, k callee) bool {
	known := false
	for _, r := range routers {
		if strings.HasPrefix(k.pkg, r) || strings.HasPrefix(k.name, r) {
			known = true
		}
	}
	if !known || len(s.call.Args) < 2 {
		return false
	}
	verb := strings.ToUpper(strings.TrimSuffix(k.sel, "Func"))
	args := s.call.Args
	switch verb {
	case "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "DEL":
		if verb == "DEL" {
			verb = "DELETE"
		}
	case "HANDLE", "ANY", "ALL", "METHOD", "ADD", "MATCH":
		if verb == "METHOD" || verb == "ADD" || (verb == "HANDLE" || verb == "MATCH") && len(args) > 2 {
			verb = u.methodOf(args[0], s.in)
			args = args[1:]
		} else {
			verb = ""
		}
	default:
		return false
	}
	if len(args) < 2 {
		return true
	}
	g, _ := u.handlerFunc(args[len(args)-1], s.in, 0)
	if g == nil && strings.Contains(k.pkg, "echo") {
		g, _ = u.handlerFunc(args[1], s.in, 0) // middlewares follow
	}
	u.addHandler(s.call, nameOf(g), verb, u.prefixOf(k.recv, s.in, 0)+u.pattern(args[0], s.in))
	return true
}

// prefixOf is the path of a route group: r.Group("/v1"), or r.Route("/v1", func(r chi.Router) {...}).
func (u *unit) prefixOf(recv ast.Expr, f *fn, depth int) string {
	if recv == nil || depth > 4 {
		return ""
	}
	switch x := ast.Unparen(recv).(type) {
	case *ast.CallExpr:
		k := u.callee(x)
		p := ""
		if k.recv != nil {
			p = u.prefixOf(k.recv, f, depth+1)
		}
		if isWord(k.sel, "Group", "PathPrefix", "Route") && len(x.Args) > 0 {
			if s := u.pattern(x.Args[0], f); strings.HasPrefix(s, "/") {
				return p + s
			}
		}
		return p
	case *ast.Ident:
		o, ok := u.object(x).(*types.Var)
		if !ok {
			return ""
		}
		for _, n := range u.setsOf(o) {
			if r := setExpr(n, o, u); r != nil {
				return u.prefixOf(r, f, depth+1)
			}
		}
		if owner, _ := u.paramOwner(o, f); owner != nil && owner.lit != nil {
			if c, ok := u.parent(owner.lit).(*ast.CallExpr); ok {
				k := u.callee(c)
				if isWord(k.sel, "Route", "Group") && len(c.Args) == 2 {
					return u.prefixOf(k.recv, owner.parent, depth+1) + u.pattern(c.Args[0], owner.parent)
				}
			}
		}
	}
	return ""
}

// taskHandler knows registrations of task and message handlers.
func (u *unit) taskHandler(s *site, k callee) bool {
	broker, arg, fnArg := "", 0, 1
	switch {
	case strings.HasPrefix(k.pkg, "github.com/hibiken/asynq") && isWord(k.sel, "HandleFunc", "Handle"):
		broker = "asynq"
	case strings.HasPrefix(k.pkg, "github.com/gocraft/work") && isWord(k.sel, "Job", "JobWithOptions"):
		broker, fnArg = "work", len(s.call.Args)-1
	case strings.HasPrefix(k.pkg, "github.com/contribsys/faktory_worker_go") && k.sel == "Register":
		broker = "faktory"
	case strings.HasPrefix(k.pkg, "github.com/RichardKnop/machinery") && k.sel == "RegisterTask":
		broker = "machinery"
	case strings.HasPrefix(k.pkg, "github.com/ThreeDotsLabs/watermill") && isWord(k.sel, "AddHandler", "AddNoPublisherHandler", "AddConsumerHandler"):
		broker, arg, fnArg = "watermill", 1, len(s.call.Args)-1
	case strings.HasPrefix(k.pkg, "go.temporal.io/sdk/worker") && isWord(k.sel, "RegisterActivity", "RegisterActivityWithOptions", "RegisterWorkflow"):
		u.temporalHandler(s)
		return true
	case strings.HasPrefix(k.pkg, "github.com/RichardKnop/machinery") && k.sel == "RegisterTasks":
		u.taskMap(s, "machinery")
		return true
	default:
		return false
	}
	if fnArg >= len(s.call.Args) || fnArg < 0 || arg >= len(s.call.Args) {
		return true
	}
	g, _ := u.handlerFunc(s.call.Args[fnArg], s.in, 0)
	if g == nil {
		g = u.methodOfType(s.call.Args[fnArg], "ProcessTask", "Work", "Handle", "HandleMessage")
	}
	if g == nil {
		return true
	}
	n := len(u.facts.Handlers)
	u.addConsumers(s.call, g.name, u.queueTargets(broker, "arg "+strconv.Itoa(arg), &useSite{world: u.shared.world(), u: u, f: s.in, call: s.call}))
	if broker == "watermill" {
		u.watermill(s, g, n)
	}
	return true
}

// jetstreamConsumer is the stream and durable name of a consumer: js.Consumer(ctx, "REPORTS", "report-mailer"), or
// stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{...}).
func (u *unit) jetstreamConsumer(e ast.Expr, f *fn) model.Name {
	_, site := u.nameAndSite(e, f, nil, 0)
	us, ok := site.(*useSite)
	if !ok {
		return model.Name{}
	}
	return jetstreamName(us)
}

// jetstreamName is the queue of a call that makes or names a consumer; zero where the stream is not known.
func jetstreamName(us *useSite) model.Name {
	if us.call == nil {
		return model.Name{}
	}
	stream, durable := us.Arg(1), us.Arg(2)
	if k := us.u.callee(us.call); strings.HasSuffix(k.name, "/jetstream.Stream."+k.sel) {
		// The stream is the receiver, which was made or asked for by its name.
		durable = stream
		stream = us.Arg(-1)
		if made, ok := stream.Site.(*useSite); ok && made.call != nil {
			if stream = made.Arg(1); !stream.IsStr {
				stream = made.Field("Name", 1)
			}
		}
	}
	if !stream.IsStr || stream.Str == "" {
		return model.Name{}
	}
	name := durable.Str
	if !durable.IsStr && durable.Site != nil {
		for _, field := range []string{"Durable", "Name"} {
			if v := durable.Site.Field(field, -1); v.IsStr {
				name = v.Str
				break
			}
		}
	}
	if name == "" {
		return model.N(model.SpaceQueue, "nats:"+stream.Str)
	}
	return model.N(model.SpaceQueue, "nats:"+stream.Str+"/"+name)
}

func lastName(key string) string {
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		return key[i+1:]
	}
	return key
}

func (u *unit) methodOfType(e ast.Expr, names ...string) *fn {
	t := u.typeOf(e)
	if t == nil {
		return nil
	}
	for _, n := range names {
		o, _, _ := types.LookupFieldOrMethod(t, true, u.pkg, n)
		if m, ok := o.(*types.Func); ok {
			if g := u.fnFor(m); g != nil {
				return g
			}
		}
	}
	return nil
}

// addConsumer notes that g runs for each message of a queue.
func (u *unit) addConsumer(at ast.Node, g, queue model.Name) {
	for _, h := range u.facts.Handlers {
		if h.Func == g && h.Queue == queue {
			return
		}
	}
	u.consumers[g] = true
	key := queue.Key
	if key == "" {
		key = g.Key
	}
	u.facts.Handlers = append(u.facts.Handlers, model.Handler{
		Name: model.N(model.SpaceHandler, u.repo+"|"+u.dir+"|"+key), Func: g, Queue: queue, At: u.at(at), Dir: u.dir,
	})
}

// methodHandlers finds handlers by the shape that an interface asks for: asynq's ProcessTask, river's Work, sarama's
// ConsumeClaim, controller-runtime has none (a reconciler is no retry layer).
func (u *unit) methodHandlers() {
	for _, f := range u.fns {
		if f.decl == nil || u.generated[f.file] || f.typ.Params == nil {
			continue
		}
		params := u.paramTypes(f)
		switch {
		case f.decl.Name.Name == "ProcessTask" && len(params) == 2 && params[1] == "github.com/hibiken/asynq.(*Task)",
			len(params) == 2 && params[1] == "github.com/hibiken/asynq.(*Task)" && f.decl.Name.IsExported():
			u.addConsumer(f.decl.Name, f.name, u.queueOf(f, "asynq"))
		case f.decl.Recv != nil && f.decl.Name.Name == "Work" && len(params) == 2 && strings.HasPrefix(params[1], "github.com/riverqueue/river.(*Job"):
			u.addConsumer(f.decl.Name, f.name, u.riverJob(f))
		case f.decl.Recv != nil && f.decl.Name.Name == "ConsumeClaim" && len(params) == 2 && strings.HasSuffix(params[1], "sarama.ConsumerGroupClaim"):
			if !u.shared.claimed[f] {
				u.claim(f, nil, nil) // nobody was seen who starts it
			}
		case len(params) == 2 && f.decl.Recv == nil && lambdaEvent(params[1]):
			u.addConsumer(f.decl.Name, f.name, model.Name{})
		}
	}
}

// queueOf is the task type that enqueues name together with the handler's package: known only where the package has one.
func (u *unit) queueOf(f *fn, broker string) model.Name {
	var only string
	n := 0
	for _, s := range u.sites {
		if s.callee.name == "github.com/hibiken/asynq.NewTask" && len(s.call.Args) > 0 {
			if v := u.value(s.call.Args[0], s.in); v.IsStr && v.Str != only {
				only = v.Str
				n++
			}
		}
	}
	if n == 1 {
		return model.N(model.SpaceQueue, broker+":"+only)
	}
	return model.Name{}
}

// paramTypes writes the types of a function's parameters as names have them.
func (u *unit) paramTypes(f *fn) []string {
	var out []string
	for _, p := range f.typ.Params.List {
		t := u.foreignType(p.Type)
		if t == "" {
			t = namedText(u.typeOf(p.Type))
		}
		for range max(len(p.Names), 1) {
			out = append(out, t)
		}
	}
	return out
}

// rpcHandler knows the registration functions of generated gRPC code: pb.RegisterLedgerServer(s, impl).
func (u *unit) rpcHandler(s *site, k callee) bool {
	if !strings.HasPrefix(k.sel, "Register") || !strings.HasSuffix(k.sel, "Server") || len(s.call.Args) != 2 || k.recv != nil && k.pkg == "" {
		return false
	}
	service := strings.TrimSuffix(strings.TrimPrefix(k.sel, "Register"), "Server")
	t := u.typeOf(s.call.Args[1])
	if service == "" || t == nil {
		return true
	}
	full := u.shared.rpcService(k, service)
	ms := types.NewMethodSet(t)
	for i := range ms.Len() {
		m, ok := ms.At(i).Obj().(*types.Func)
		if !ok || !m.Exported() {
			continue
		}
		g := u.fnFor(m)
		if g == nil || g.decl == nil || u.generated[g.file] {
			continue
		}
		sig := m.Type().(*types.Signature)
		if sig.Params().Len() == 0 || sig.Results().Len() == 0 {
			continue
		}
		rpc := "/" + full + "/" + m.Name()
		u.facts.Handlers = append(u.facts.Handlers, model.Handler{
			Name: model.N(model.SpaceHandler, u.repo+"|"+u.dir+"|"+rpc), Func: g.name, RPC: rpc, At: g.unit.at(g.decl.Name), Dir: u.dir,
		})
	}
	return true
}

// rpcService is the full name of a gRPC service, from the generated package's method constants where they are in the
// repository ("/hipstershop.CartService/AddItem"), or else the bare name.
func (r *Repo) rpcService(k callee, service string) string {
	if k.fun == nil || k.fun.Pkg() == nil {
		return service
	}
	scope := k.fun.Pkg().Scope()
	for _, n := range scope.Names() {
		if c, ok := scope.Lookup(n).(*types.Const); ok && strings.HasSuffix(n, "_FullMethodName") && strings.HasPrefix(n, service+"_") {
			p := strings.Split(strings.Trim(c.Val().ExactString(), "\"/"), "/")
			if len(p) == 2 {
				return p[0]
			}
		}
	}
	if u := r.units[k.fun.Pkg()]; u != nil {
		for _, l := range u.lits {
			if namedText(u.typeOf(l)) != "google.golang.org/grpc.ServiceDesc" && !strings.HasSuffix(u.foreignType(l.Type), "grpc.ServiceDesc") {
				continue
			}
			if e := u.litFieldExpr(l, "ServiceName"); e != nil {
				if v := u.value(e, nil); v.IsStr && (v.Str == service || strings.HasSuffix(v.Str, "."+service)) {
					return v.Str
				}
			}
		}
	}
	return service
}
