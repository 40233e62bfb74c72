package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// messages follows what a call received to the code that works on each message: the one function that gets it, or else the part
// of the function that comes after the receive.
type messages struct {
	u       *unit
	f       *fn // the function that receives, or that is handed what was received
	queues  []queueTarget
	start   *ast.CallExpr // the call that receives; nil where f is handed the messages
	tainted map[types.Object]bool
	taken   token.Pos // where a message was taken out of a channel; NoPos elsewhere
}

const maxMessageHops = 3

// run finds the work and notes its consumer.
func (w *messages) run(depth int) {
	if w.f.body == nil || depth > maxMessageHops {
		return
	}
	w.spread()
	u := w.u
	done := false
	// Handed to the caller, or put into a channel: the work is elsewhere.
	ast.Inspect(w.f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SendStmt:
			if w.holds(n.Value) {
				if o := u.lvalue(n.Chan); o != nil && u.fromChannel(o, w.queues, nil, depth+1) {
					done = true
				}
			}
		case *ast.ReturnStmt:
			if !contains(w.f.body, n) || u.fnAt(n.Pos()) != w.f {
				return true
			}
			for _, r := range n.Results {
				if w.holds(r) && !isErrorType(u.typeOf(r)) && carriesMessages(u.typeOf(r)) {
					for _, s := range u.callersOf(w.f) {
						if s.in != w.f {
							in := &messages{u: s.in.unit, f: s.in, queues: w.queues, start: s.call, tainted: map[types.Object]bool{}}
							in.run(depth + 1)
							done = true
						}
					}
					return true
				}
			}
		}
		return true
	})
	if done {
		return
	}
	calls, direct := w.work()
	// A function literal that the client runs for each message: fetches.EachRecord(func(r *kgo.Record) {...}).
	for _, g := range direct {
		u.addConsumers(g.node(), g.name, w.queues)
		done = true
	}
	if done {
		return
	}
	if len(calls) == 1 && !calls[0].inline {
		s := calls[0].site
		if len(s.in.unit.around(s.call, s.in)) == 0 {
			if !w.leased() {
				s.registers, s.delivered = true, true // it works for the queue, not for whoever runs the loop
			}
			u.addConsumers(s.call, s.to.name, w.queues)
			return
		}
	}
	if len(calls) == 0 {
		return // nothing that matters is done with the messages
	}
	if w.leased() {
		return // the lease in the code stands for the redelivery already
	}
	from, to := w.from(), w.f.body.End()
	if !from.IsValid() {
		u.addConsumers(w.f.node(), w.f.name, w.queues) // all that it does is for the messages that it is handed
		return
	}
	if l := w.loopAround(from); l != nil {
		to = l.End()
	}
	p := fnPart{name: model.N(w.f.name.Space, w.f.name.Key+"$message"), from: from, to: to, receive: w.start, at: u.at(w.f.node())}
	if w.start != nil {
		p.at = u.at(w.start)
	}
	w.f.parts = append(w.f.parts, p)
	var at ast.Node = w.f.node()
	if w.start != nil {
		at = w.start
	}
	u.addConsumers(at, p.name, w.queues)
}

// leased reports whether the receive sets its own lease, so that the code has a layer for the redelivery.
func (w *messages) leased() bool {
	if w.start == nil {
		return false
	}
	for _, a := range w.start.Args {
		if lit, _ := w.u.literalOf(a, w.f, 0); lit != nil && w.u.litFieldExpr(lit, "VisibilityTimeout") != nil {
			return true
		}
	}
	return false
}

// carriesMessages tells what was received from what was only made of it: text, numbers and truth values are no messages.
func carriesMessages(t types.Type) bool {
	if t == nil {
		return true
	}
	_, basic := t.Underlying().(*types.Basic)
	return !basic
}

// loopAround is the innermost loop around a place of the function.
func (w *messages) loopAround(at token.Pos) (body *ast.BlockStmt) {
	for _, l := range w.f.loops {
		if l.body.Pos() <= at && at < l.body.End() && (body == nil || contains(body, l.body)) {
			body = l.body
		}
	}
	return body
}

// holds reports whether an expression has to do with what was received.
func (w *messages) holds(e ast.Node) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if o := w.u.object(n); o != nil && w.tainted[o] {
				found = true
			}
		case *ast.CallExpr:
			if n == w.start {
				found = true
			}
		case *ast.FuncLit:
			return false
		}
		return !found
	})
	return found
}

// spread follows what was received through assignments, ranges, receives from channels and closures, within the function.
func (w *messages) spread() {
	note := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		if !ok {
			return false
		}
		o := w.u.object(id)
		if o == nil || w.tainted[o] || o.Type() != nil && isErrorType(o.Type()) || errName(id) {
			return false
		}
		w.tainted[o] = true
		return true
	}
	for range 4 {
		changed := false
		ast.Inspect(w.f.body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Pos() < w.from() && n.End() < w.from() {
					return true
				}
				for i, r := range n.Rhs {
					if !w.holds(r) {
						continue
					}
					if len(n.Lhs) == len(n.Rhs) {
						changed = note(n.Lhs[i]) || changed
						continue
					}
					for _, l := range n.Lhs {
						changed = note(l) || changed
					}
				}
			case *ast.ValueSpec:
				for _, r := range n.Values {
					if w.holds(r) {
						for _, id := range n.Names {
							changed = note(id) || changed
						}
					}
				}
			case *ast.RangeStmt:
				if w.holds(n.X) {
					if n.Key != nil {
						changed = note(n.Key) || changed
					}
					if n.Value != nil {
						changed = note(n.Value) || changed
					}
				}
			case *ast.CallExpr:
				// go func(m Message) {...}(m)
				lit, ok := ast.Unparen(n.Fun).(*ast.FuncLit)
				if !ok {
					return true
				}
				if g := w.u.byNode[lit]; g != nil {
					for o, i := range g.params {
						if i < len(n.Args) && w.holds(n.Args[i]) && !w.tainted[o] {
							w.tainted[o], changed = true, true
						}
					}
				}
			}
			return true
		})
		if !changed {
			return
		}
	}
}

// from is the place from which on there are messages.
func (w *messages) from() token.Pos {
	if w.start == nil {
		return w.taken
	}
	return w.start.Pos()
}

// workCall is a call that does something with a message that can fail outside the process.
type workCall struct {
	site   *site
	inline bool // a client's call, not a function of the repository
}

// work lists the calls that work on messages, and the closures that the client calls with each.
func (w *messages) work() (calls []workCall, direct []*fn) {
	u := w.u
	var visit func(f *fn)
	seen := map[*fn]bool{}
	visit = func(f *fn) {
		if seen[f] {
			return
		}
		seen[f] = true
		for _, c := range f.calls {
			s := u.byCall[c.expr]
			if s == nil || c.expr == w.start || c.expr.Pos() < w.from() || w.start != nil && contains(c.expr, w.start) {
				continue
			}
			k := u.callee(c.expr)
			handed := slices.ContainsFunc(c.expr.Args, func(a ast.Expr) bool { return w.holds(a) })
			if k.recv != nil && w.holds(k.recv) && s.to == nil {
				for _, a := range c.expr.Args {
					if lit, ok := ast.Unparen(a).(*ast.FuncLit); ok && isWord(k.sel, "EachRecord", "EachPartition", "EachTopic", "ForEach") {
						direct = append(direct, u.byNode[lit])
					}
				}
				continue // the message's own methods: acknowledgements, accessors
			}
			if acknowledges(k.sel) && s.to == nil {
				continue
			}
			if g := s.to; g != nil && g.lit == nil {
				if handed && !acknowledges(k.sel) && g.unit.mayFail(g, 0) != remoteNo {
					calls = append(calls, workCall{site: s})
				}
				continue
			}
			if g := s.to; g != nil {
				visit(g)
				continue
			}
			if u.strengthOf(k, c.expr, 0) == remoteSure {
				calls = append(calls, workCall{s, true})
			}
		}
	}
	visit(w.f)
	// Closures within, which run later or at once.
	for _, g := range u.fns {
		if g.lit != nil && u.inside(g, w.f) && g.lit.Pos() > w.from() && !slices.Contains(direct, g) {
			visit(g)
		}
	}
	return calls, direct
}

// acknowledges knows the words for taking a message off its queue, or giving it back.
func acknowledges(name string) bool {
	n := strings.ToLower(name)
	for _, p := range []string{"ack", "nack", "nak", "reject", "commit", "delete", "xack", "markmessage", "markoffset", "changemessagevisibility", "complete", "abandon",
		"deadletter", "defer", "renew", "extend", "close", "term", "storemessage", "storeoffset"} {
		if strings.HasPrefix(n, p) {
			return true
		}
	}
	return false
}

// fromChannel follows messages that go through a channel to those who take them out; false where nobody is found.
func (u *unit) fromChannel(ch types.Object, qs []queueTarget, _ *site, depth int) bool {
	if depth > maxMessageHops {
		return false
	}
	found := false
	for _, d := range u.decls {
		fd, ok := d.node.(*ast.FuncDecl)
		if !ok || fd.Body == nil {
			continue
		}
		ast.Inspect(fd.Body, func(n ast.Node) bool {
			var taken []ast.Expr
			var after token.Pos
			switch n := n.(type) {
			case *ast.RangeStmt:
				if u.lvalue(n.X) == ch {
					taken, after = []ast.Expr{n.Key}, n.Body.Pos()
				}
			case *ast.AssignStmt:
				if len(n.Rhs) == 1 {
					if x, ok := ast.Unparen(n.Rhs[0]).(*ast.UnaryExpr); ok && x.Op == token.ARROW && u.lvalue(x.X) == ch {
						taken, after = n.Lhs[:1], n.End()
					}
				}
			}
			if len(taken) == 0 || taken[0] == nil {
				return true
			}
			o := u.lvalue(taken[0])
			f := u.fnAt(after)
			if o == nil || f == nil {
				return true
			}
			w := &messages{u: u, f: f, queues: qs, tainted: map[types.Object]bool{o: true}, taken: after}
			w.run(depth + 1)
			found = true
			return true
		})
	}
	return found
}
