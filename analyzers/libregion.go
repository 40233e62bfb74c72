package analyzers

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// libraryUse is a call that a library's entry describes.
type libraryUse struct {
	lib  *libs.Library
	call *libs.Call   // it repeats an operation
	cl   *libs.Client // or a client sends
	send *libs.Send
	typ  string
}

// library finds the entry for a call.
func (u *unit) library(k callee) (libraryUse, bool) {
	if k.name == "" || k.to != nil {
		return libraryUse{}, false
	}
	pkg, rest := splitName(k)
	if k.recv != nil {
		// A method promoted from an embedded type or interface: what the value is counts, where the library knows it.
		if t := namedText(u.typeOf(k.recv)); t != "" && !strings.HasPrefix(k.name, t+".") {
			if p := typePackage(t); p == pkg {
				return u.libraryIn(p, t[len(p)+1:]+"."+k.sel)
			}
		}
	}
	return u.libraryIn(pkg, rest)
}

// typePackage cuts "path.(*Client)" or "path.Client" at the package's end.
func typePackage(t string) string {
	slash := strings.LastIndexByte(t, '/')
	if i := strings.IndexByte(t[slash+1:], '.'); i >= 0 {
		// gopkg.in/resty.v1.Client: the version's dot belongs to the path.
		j := slash + 1 + i
		rest := t[j+1:]
		if strings.HasPrefix(rest, "v") {
			if k := strings.IndexByte(rest, '.'); k > 0 && strings.Trim(rest[1:k], "0123456789") == "" {
				return t[:j+1+k]
			}
		}
		return t[:j]
	}
	return t
}

func splitName(k callee) (pkg, rest string) {
	if k.pkg != "" && strings.HasPrefix(k.name, k.pkg+".") {
		return k.pkg, k.name[len(k.pkg)+1:]
	}
	p := typePackage(k.name)
	return p, strings.TrimPrefix(k.name[len(p):], ".")
}

func (u *unit) libraryIn(pkg, rest string) (libraryUse, bool) {
	version := u.versionOf(pkg)
	for _, l := range u.shared.lookup(pkg) {
		if !l.Applies(version) {
			continue
		}
		name := strings.ReplaceAll(rest, "()", "")
		if c := l.Call(name); c != nil {
			return libraryUse{lib: l, call: c}, true
		}
		i := strings.LastIndexByte(name, '.')
		if i < 0 {
			continue
		}
		typ := withoutPointer.Replace(name[:i])
		if c := l.Constructs(typ); c != nil {
			typ = strings.Split(c.Type, ",")[0] // "New().Get": the value that New makes
		}
		if s := l.Send(typ, name[i+1:]); s != nil {
			return libraryUse{lib: l, cl: l.Client(typ), send: s, typ: typ}, true
		}
	}
	return libraryUse{}, false
}

// libraryRegions makes layers of calls that repeat an operation.
func (u *unit) libraryRegions() {
	for _, s := range u.sites {
		use, ok := u.library(u.callee(s.call))
		if !ok {
			continue
		}
		s.lib = &use
		if use.call == nil || u.generated[s.in.file] {
			continue
		}
		u.libraryRegion(s, use)
	}
}

// libraryRegion makes the layer of one call.
func (u *unit) libraryRegion(s *site, use libraryUse) {
	us := &useSite{world: u.shared.world(), u: u, f: s.in, call: s.call}
	r := libs.EvaluateCall(use.call, us)
	if r.Policy.Attempts.One() && r.Origin == model.OriginDefault {
		return // off unless somebody switches it on
	}
	if strings.HasPrefix(use.call.Func, "Poll") && slices.ContainsFunc(r.Traits, func(t model.Trait) bool { return t.Kind == model.TraitWaitsForState }) {
		return // it waits for a state
	}
	if use.call.Runs == "body" && u.loopOfCond(s.call, s.in) == nil {
		u.waitsOf(s, r.Policy.Backoff)
		return
	}
	layer := u.libraryLayer(s, use, r)
	if r.Kind == model.KindQueue {
		// Redelivery belongs to the queue, not to the call that enqueues.
		if q, ok := u.queueTarget(use, us); ok {
			layer.In, layer.Whole = q.name, true
		} else if strings.Contains(u.callee(s.call).pkg, "nats.go/jetstream") {
			if q := jetstreamName(us); !q.IsZero() {
				layer.In, layer.Whole = q, true
			}
		}
		s.queueLayer = layer
		u.regions = append(u.regions, &region{layer: layer, in: s.in, node: s.call, used: true})
		return
	}
	rg := &region{layer: layer, in: s.in, node: s.call, use: &use}
	kind, what, _ := strings.Cut(use.call.Runs, " ")
	if layer.Kind == model.KindTransport && kind == "arg" {
		kind = "request" // what it wraps is another transport; what it repeats are the requests through it
	}
	switch kind {
	case "arg":
		if n, ok := parseInt(strings.Split(what, " ")[0]); ok && int(n) < len(s.call.Args) {
			rg.body = s.call.Args[n]
			rg.op, _ = u.handlerFunc(s.call.Args[n], s.in, 0)
			if rg.op == nil {
				rg.op = u.methodOfType(s.call.Args[n], "Run", "Do", "Execute", "Call")
			}
		}
	case "body":
		if l := u.loopOfCond(s.call, s.in); l != nil {
			rg.node, rg.body = l.stmt, l.body
			l.rgn = rg
			u.dropLoop(l, rg)
		}
	case "field":
		if v, e := us.ask(use.call.Runs); v.Set && e != nil {
			rg.body = e
			rg.op, _ = u.handlerFunc(e, s.in, 0)
		}
	case "request", "receiver", "":
		s.callLayers = append(s.callLayers, layer.ID)
	}
	if rg.body == nil {
		rg.used = true // its edge is the send itself
	}
	u.addRegion(rg)
}

// loopOfCond is the loop whose condition holds a call: for backoff.Continue(c) { ... }.
func (u *unit) loopOfCond(c *ast.CallExpr, f *fn) *loop {
	for _, l := range f.loops {
		switch s := l.stmt.(type) {
		case *ast.ForStmt:
			if s.Cond != nil && contains(s.Cond, c) {
				return l
			}
		case *ast.RangeStmt:
			if contains(s.X, c) {
				return l
			}
		}
	}
	return nil
}

// waitsOf gives the waits that a back-off value says to the retry loop around the call that asks it for the next one. The call
// is no layer of its own: it repeats nothing.
func (u *unit) waitsOf(s *site, b model.Backoff) {
	var in *loop
	for _, l := range s.in.loops {
		if contains(l.body, s.call) && (in == nil || contains(in.body, l.stmt)) {
			in = l
		}
	}
	if in != nil && in.rgn != nil && vagueWaits(in.rgn.layer.Policy.Backoff) {
		in.rgn.layer.Policy.Backoff = b
	}
}

// vagueWaits reports whether no more is known of waits than that there are some.
func vagueWaits(b model.Backoff) bool {
	return b.Kind == model.BackoffUnknown || b.Kind == model.BackoffConstant && !b.Initial.Known()
}

// dropLoop takes away the layer that the loop got by itself.
func (u *unit) dropLoop(l *loop, keep *region) {
	out := u.regions[:0]
	for _, r := range u.regions {
		if r == keep || r.node != ast.Node(l.stmt) {
			out = append(out, r)
		}
	}
	u.regions = out
}

// libraryLayer writes what a library's terms say as a layer.
func (u *unit) libraryLayer(s *site, use libraryUse, r libs.Result) *model.Layer {
	at := u.at(s.call)
	layer := &model.Layer{
		ID: u.layerID(string(r.Kind), s.in), Kind: r.Kind, At: at, In: s.in.name, Label: use.lib.Name,
		Policy: r.Policy, Refs: r.Refs, Origin: r.Origin, DefaultBy: r.DefaultBy, OffSwitch: r.OffSwitch, Traits: r.Traits,
	}
	if len(r.At) > 0 && !r.At[0].IsZero() {
		layer.At, layer.Call = r.At[0], at
		layer.SetBy = append(layer.SetBy, r.At[1:]...)
	}
	for _, l := range r.SetBy {
		if l != layer.At && !l.IsZero() {
			layer.SetBy = append(layer.SetBy, l)
		}
	}
	for i := range layer.Traits {
		if layer.Traits[i].At.IsZero() {
			layer.Traits[i].At = layer.At
		}
	}
	if k := u.callee(s.call); k.sel != "" {
		layer.Label = use.lib.Name + " " + k.sel
	}
	return layer
}

// queueTarget is the queue or task type of a call that enqueues.
func (u *unit) queueTarget(use libraryUse, us *useSite) (queueTarget, bool) {
	send := use.send
	if use.call != nil {
		if use.call.Send != nil {
			send = use.call.Send
		} else if i := strings.LastIndexByte(use.call.Func, '.'); i > 0 {
			send = use.lib.Send(withoutPointer.Replace(use.call.Func[:i]), u.callee(us.call).sel)
		}
	}
	if send == nil || send.Queue == "" {
		if use.call != nil && strings.HasPrefix(use.lib.Path, "github.com/nats-io/nats.go") {
			n := u.jetstreamConsumer(us.call, us.f) // a consumer's own settings
			return queueTarget{name: n}, !n.IsZero()
		}
		return queueTarget{}, false
	}
	broker := brokerOf(use.lib)
	if broker == "river" {
		if i, ok := parseInt(strings.TrimPrefix(send.Queue, "arg ")); ok && int(i) < len(us.call.Args) {
			n := u.riverKind(u.typeOf(us.call.Args[i]))
			return queueTarget{name: n}, !n.IsZero()
		}
	}
	if qs := u.queueTargets(broker, send.Queue, us); len(qs) > 0 {
		return qs[0], true
	}
	return queueTarget{}, false
}

func brokerOf(l *libs.Library) string {
	n := strings.ToLower(l.Name + " " + l.Path)
	for _, b := range []string{"asynq", "sqs", "sns", "eventbridge", "kinesis", "nats", "jetstream", "kafka", "sarama", "kgo", "rabbit", "amqp", "pubsub", "redis", "river", "temporal", "servicebus", "faktory", "machinery", "work"} {
		if strings.Contains(n, b) {
			switch b {
			case "sarama", "kgo":
				return "kafka"
			case "jetstream":
				return "nats"
			case "amqp", "rabbit":
				return "rabbitmq"
			}
			return b
		}
	}
	return lastName(strings.ReplaceAll(l.Path, "/", "."))
}

// librarySend makes the edge of a client's call that sends.
func (u *unit) librarySend(s *site, k callee) bool {
	if s.lib == nil {
		return false
	}
	use := *s.lib
	us := &useSite{world: u.shared.world(), u: u, f: s.in, call: s.call}
	send := use.send
	if use.call != nil {
		if send = use.call.Send; send == nil && s.queueLayer != nil {
			if i := strings.LastIndexByte(use.call.Func, '.'); i > 0 {
				send = use.lib.Send(withoutPointer.Replace(use.call.Func[:i]), k.sel)
			}
		}
	}
	if send == nil {
		return s.queueLayer != nil
	}
	if send.Kind == "" && send.Method == "" && send.URL == "" && send.Operation == "" && !send.Effect && !send.Idempotent && send.Func != "*" {
		return false // named so that "*" leaves it alone: no send
	}
	layers := s.callLayers
	if use.cl != nil && !u.offForCall(s, use) {
		if id := u.clientLayer(s, use, k); id != "" {
			layers = append(layers, id)
		}
	}
	kind := model.EdgeRequest
	switch send.Kind {
	case "publish":
		kind = model.EdgePublish
	case "store":
		kind = model.EdgeStore
	case "call":
		kind = model.EdgeCall
	}
	e := model.Edge{Kind: kind, Idempotent: send.Idempotent, Effect: send.Effect, Label: send.Operation, Blind: kind == model.EdgePublish}
	e.To = u.opName(s, k)
	if e.Label == "" {
		e.Label = k.sel
	}
	switch {
	case kind == model.EdgeStore && use.lib.Path == "database/sql":
		if q, ok := u.queryText(s); ok {
			e.Idempotent, e.Effect = false, false
			describeSQL(q, &e)
		}
	case kind == model.EdgePublish:
		if q, ok := u.queueTarget(use, us); ok {
			if e.To = q.name; !q.ref.Name.IsZero() {
				e.Refs = append(e.Refs, q.ref)
			}
		} else {
			e.Blind = true
		}
	case send.Method == "request" || send.URL == "request":
		if len(s.call.Args) > 0 {
			if rs := u.requests(s.call.Args[0], s.in, nil, 0); len(rs) > 0 {
				for _, r := range rs {
					u.requestEdge(s, k, r, &httpClient{layers: layers})
				}
				s.sent = rs
				return true
			}
		}
	case send.URL != "":
		t := u.sendTarget(send.URL, us, s.in, u.baseOf(use.cl, k, s.in))
		e.Path = t.path
		if !t.host.IsZero() {
			e.To = t.host
		}
		if !t.ref.Name.IsZero() {
			e.Refs = append(e.Refs, t.ref)
		}
	}
	if send.Method != "" && send.Method != "request" {
		e.Method = u.sendMethod(send.Method, us, s.in)
	}
	e.Under = append(layerIDs(s.under, s.in), layers...)
	if e.Under == nil {
		e.Under = []string{}
	}
	p := u.add(s, e)
	if len(p.Under) == 0 {
		p.Under = nil
	}
	return true
}

// offForCall reports whether a client's retries leave one call alone: an option of that call switches them off, or the client
// repeats only commands that read and this one writes.
func (u *unit) offForCall(s *site, use libraryUse) bool {
	switch {
	case strings.HasPrefix(use.lib.Path, "github.com/aws/aws-sdk-go-v2/"):
		for _, a := range s.call.Args {
			lit, ok := ast.Unparen(a).(*ast.FuncLit)
			if !ok {
				continue
			}
			off := false
			inspectOwn(lit.Body, func(n ast.Node) bool {
				as, ok := n.(*ast.AssignStmt)
				if !ok || len(as.Lhs) != 1 || len(as.Rhs) != 1 {
					return true
				}
				sel, ok := ast.Unparen(as.Lhs[0]).(*ast.SelectorExpr)
				if !ok {
					return true
				}
				switch sel.Sel.Name {
				case "RetryMaxAttempts":
					v := u.value(as.Rhs[0], s.in)
					off = v.IsInt && v.Int == 1
				case "Retryer":
					off = strings.HasSuffix(strings.TrimSuffix(written(as.Rhs[0]), "{}"), "NopRetryer")
				}
				return true
			})
			if off {
				return true
			}
		}
	case strings.HasPrefix(use.lib.Path, "go.mongodb.org/mongo-driver"):
		// The driver repeats a whole transaction, not the operations in it.
		return slices.ContainsFunc(u.around(s.call, s.in), func(r *region) bool {
			return r.use != nil && r.use.call != nil && r.use.call.Func == "Session.WithTransaction"
		})
	case use.lib.Name == "rueidis":
		sel, ok := ast.Unparen(s.call.Fun).(*ast.SelectorExpr)
		if !ok {
			return false
		}
		op, ok := u.tracing().rueidisOp(s.call, sel, "")
		return ok && op.kind != opRead
	}
	return false
}

// sendTarget is where a call sends to; base is what stands before a path without a host.
func (u *unit) sendTarget(term string, us *useSite, f *fn, base []part) target {
	if strings.Contains(term, "://") {
		return target{host: model.Host(term, "")}
	}
	var ps []part
	switch v, e := us.ask(term); {
	case e != nil:
		ps = u.parts(e, f, 0)
	case v.IsStr:
		ps = []part{{text: v.Str}}
	default:
		return target{}
	}
	if ps = merged(ps); len(ps) > 0 && strings.HasPrefix(ps[0].text, "/") {
		ps = append(base[:len(base):len(base)], ps...)
	}
	return targetOf(ps)
}

// baseOf is what a client puts before the paths of its requests.
func (u *unit) baseOf(cl *libs.Client, k callee, f *fn) []part {
	if cl == nil || len(cl.Base) == 0 || k.recv == nil {
		return nil
	}
	_, site := u.nameAndSite(k.recv, f, nil, 0)
	for range 2 {
		us, ok := site.(*useSite)
		if !ok {
			return nil
		}
		for _, name := range cl.Base {
			if e := us.setterExpr(name); e.expr != nil {
				undo := us.enter()
				ps := slices.Clone(e.unit.parts(e.expr, e.f, 0))
				undo()
				if n := len(ps); n > 0 { // the path brings its own slash
					ps[n-1].text = strings.TrimRight(ps[n-1].text, "/")
				}
				return ps
			}
		}
		site = us.Arg(-1).Site
	}
	return nil
}

func (u *unit) sendMethod(term string, us *useSite, f *fn) string {
	if isUpper(term) {
		return term
	}
	v, e := us.ask(term)
	if e != nil {
		return u.methodOf(e, f)
	}
	if v.IsStr {
		return strings.ToUpper(v.Str)
	}
	return ""
}
