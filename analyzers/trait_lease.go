package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"time"

	"github.com/retrylint/retrylint/model"
)

// traitLeases looks for consumers whose lease is written in code, as the visibility timeout of an SQS receive is, and for
// handlers that ask for more time while they work.
func (u *unit) traitLeases() {
	for _, f := range u.fns {
		for _, c := range f.calls {
			if k := u.callee(c.expr); extendsLease(k) {
				f.traits = append(f.traits, model.Trait{Kind: model.TraitExtendsLease, At: u.at(c.expr)})
				u.extendsInLayers(f, c.expr)
				break
			}
		}
	}
	for _, s := range slices.Clone(u.sites) {
		k := u.callee(s.call)
		if k.sel == "ReceiveMessage" && strings.Contains(k.pkg, "/service/sqs") {
			u.sqsLease(s)
		}
	}
}

// extendsInLayers gives the layers around a call for more time, and the calls of a helper that they are in, the trait: who calls a
// helper has a chain that does not pass the helper itself.
func (u *unit) extendsInLayers(f *fn, c *ast.CallExpr) {
	var ids []string
	for _, r := range u.regions {
		if r.layer != nil && r.in == f && r.within(c) {
			r.trait(model.TraitExtendsLease, u.at(c), "")
			ids = append(ids, r.layer.ID)
		}
	}
	for _, r := range u.regions {
		if r.layer != nil && r.layer.Of != "" && slices.Contains(ids, r.layer.Of) {
			r.trait(model.TraitExtendsLease, u.at(c), "")
		}
	}
}

// extendsLease reports whether a call asks a broker, or a lock, for more time.
func extendsLease(k callee) bool {
	switch {
	case isWord(k.sel, "ChangeMessageVisibility", "ChangeMessageVisibilityBatch", "ChangeMessageVisibilityWithContext"):
		return strings.Contains(k.pkg, "sqs")
	case k.sel == "InProgress":
		return strings.Contains(k.pkg, "nats-io/nats.go")
	case k.sel == "ModifyAckDeadline":
		return true
	case isWord(k.sel, "RenewMessageLock", "RenewSessionLock"):
		return true
	case isWord(k.sel, "Touch"):
		return strings.Contains(k.pkg, "beanstalk") || strings.Contains(k.pkg, "nsq")
	case isWord(k.sel, "ExtendContext", "Extend"):
		return strings.Contains(k.pkg, "redsync")
	case k.sel == "Refresh":
		return strings.Contains(k.pkg, "redislock")
	}
	return false
}

// sqsLease makes the redelivery layer of a receive that sets its own visibility timeout. How often the queue delivers is
// not in the code.
func (u *unit) sqsLease(s *site) {
	var timeout ast.Expr
	for _, a := range s.call.Args {
		if lit, _ := u.literalOf(a, s.in, 0); lit != nil {
			if x := u.litFieldExpr(lit, "VisibilityTimeout"); x != nil {
				timeout = x
			}
		}
	}
	if timeout == nil {
		u.sqsConsumer(s)
		return
	}
	v := u.value(timeout, s.in)
	if !v.IsInt || v.Hi <= 0 && v.Int <= 0 {
		return
	}
	d := time.Duration(max(v.Int, v.Hi)) * time.Second
	bodies := u.messageBodies(s)
	if len(bodies) == 0 {
		return
	}
	l := &model.Layer{
		ID: u.layerID("queue", s.in), Kind: model.KindQueue, At: u.at(timeout), Call: u.at(s.call), In: s.in.name,
		Label: "SQS redelivery", Origin: model.OriginExplicit,
		Policy: model.Policy{Gap: model.StartToStart, Backoff: model.Constant(d), On: model.OnNoAck},
	}
	r := &region{layer: l, in: s.in, node: s.call, body: bodies[0]}
	for _, n := range u.reach(r) {
		ast.Inspect(n, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok && extendsLease(u.callee(c)) {
				r.trait(model.TraitExtendsLease, u.at(c), "")
			}
			return true
		})
	}
	used := false
	for _, t := range u.sites {
		if t.in != s.in || !slices.ContainsFunc(bodies, func(b ast.Node) bool { return contains(b, t.call) }) {
			continue
		}
		if extendsLease(u.callee(t.call)) || isWord(u.callee(t.call).sel, "DeleteMessage", "DeleteMessageBatch", "DeleteMessageWithContext") {
			continue // the acknowledgement is not the work
		}
		for _, e := range t.edges {
			e.Under = insertLayer(e.Under, t, l.ID, bodies[0])
			used = true
		}
	}
	if used {
		u.regions = append(u.regions, r)
	}
}

// sqsConsumer notes what works on the messages of a receive whose lease is set at the queue.
func (u *unit) sqsConsumer(s *site) {
	if s.lib == nil {
		return
	}
	v, _ := (&useSite{world: u.shared.world(), u: u, f: s.in, call: s.call}).ask("field QueueUrl of arg 1")
	if !v.IsStr || !strings.Contains(v.Str, "/") {
		return
	}
	queue := model.N(model.SpaceQueue, "sqs:"+v.Str[strings.LastIndexByte(v.Str, '/')+1:])
	bodies := u.messageBodies(s)
	for _, t := range u.sites {
		if t.in == s.in && t.to != nil && tellsFailure(t.to) && slices.ContainsFunc(bodies, func(b ast.Node) bool { return contains(b, t.call) }) {
			u.addConsumer(s.call, t.to.name, queue)
			return
		}
	}
}

// tellsFailure reports whether a function's last result is an error.
func tellsFailure(f *fn) bool { return f.typ != nil && resultsError(f) }

// messageBodies is the code that works on the messages of a receive: the body of a loop over them, or the call that is
// handed all of them.
func (u *unit) messageBodies(s *site) []ast.Node {
	var out types.Object
	if a, ok := u.parent(s.call).(*ast.AssignStmt); ok && len(a.Lhs) > 0 {
		out = u.lvalue(a.Lhs[0])
	}
	if out == nil {
		return nil
	}
	isMessages := func(e ast.Expr) bool {
		id := rootIdent(e)
		return id != nil && u.object(id) == out
	}
	var bodies []ast.Node
	inspectOwn(s.in.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.RangeStmt:
			if isMessages(n.X) {
				bodies = append(bodies, n.Body)
				return false
			}
		case *ast.CallExpr:
			for _, a := range n.Args {
				if isMessages(a) && !u.callee(n).conv && n != s.call {
					bodies = append(bodies, n)
					return false
				}
			}
		}
		return true
	})
	return bodies
}

// insertLayer puts a layer around a call: outside of those that lie within body, inside of those around it.
func insertLayer(ids []string, s *site, id string, body ast.Node) []string {
	at := 0
	for _, r := range s.under {
		if r.layer == nil || r.in != s.in {
			continue
		}
		if !contains(body, r.node) {
			if i := slices.Index(ids, r.layer.ID); i >= at {
				at = i + 1
			}
		}
	}
	return slices.Insert(slices.Clone(ids), at, id)
}
