package analyzers

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// Some brokers bring a message again whenever the code says that it failed: a nack, an error that the handler returns, an offset
// that is not marked. How often is set elsewhere, but that it comes again is sure, and all that a key per delivery needs.

// redelivers gives consumers the redelivery that their broker does by itself.
func (u *unit) redelivers(at ast.Node, f *fn, hs []model.Handler, label, by string) {
	for _, h := range hs {
		id := u.layerID("queue", f)
		l := &model.Layer{ID: id, Kind: model.KindQueue, At: u.at(at), In: h.Name, Whole: true, Label: label, Origin: model.OriginDefault, DefaultBy: by,
			Policy: model.Policy{On: model.OnNoAck}, Traits: []model.Trait{{Kind: model.TraitAssumed, At: u.at(at)}}}
		if u.finished {
			u.facts.Layers = append(u.facts.Layers, *l)
			continue
		}
		u.regions = append(u.regions, &region{layer: l, in: f, node: at, used: true})
	}
}

// keepsDeadline notes that a subscription's client does not ask for more time while a handler works, as it does by default: a
// negative MaxExtension switches that off.
func (u *unit) keepsDeadline(s *site, hs []model.Handler) {
	us := &useSite{world: u.shared.world(), u: u, f: s.in, call: s.call}
	recv := us.Arg(-1)
	if recv.Site == nil {
		return
	}
	v := recv.Site.Field("ReceiveSettings.MaxExtension", -1)
	if !v.IsInt || v.Hi > 0 || v.Int >= 0 {
		return
	}
	for i := range hs {
		hs[i].Traits = append(hs[i].Traits, model.Trait{Kind: model.TraitKeepsLease, At: v.At})
	}
}

// nacks reports whether a function, or one that it hands the message to, tells the broker that it failed.
func (g *fn) nacks(depth int) bool {
	if g == nil || g.body == nil || depth > 2 {
		return false
	}
	for _, c := range g.calls {
		k := g.unit.callee(c.expr)
		if k.recv != nil && strings.HasPrefix(k.sel, "Nack") && k.to == nil {
			return true
		}
		if to := g.unit.target(c.expr); to != nil && to != g && len(c.expr.Args) > 0 && to.nacks(depth+1) {
			return true
		}
	}
	return false
}

// fails reports whether a function can return an error.
func (g *fn) fails() bool {
	if g == nil || g.body == nil || g.typ.Results == nil {
		return false
	}
	for _, r := range returnsOf(g) {
		if n := len(r.Results); n > 0 && !isNilExpr(r.Results[n-1]) {
			return true
		}
	}
	return false
}

// unmarked reports whether a claim ends with an error before its message is marked, so that the next session begins with it.
func (g *fn) unmarked() bool {
	if g.body == nil {
		return false
	}
	mark := token.NoPos
	for _, c := range g.calls {
		if isWord(g.unit.callee(c.expr).sel, "MarkMessage", "MarkOffset") && (mark == token.NoPos || c.expr.Pos() < mark) {
			mark = c.expr.Pos()
		}
	}
	for _, l := range g.loops {
		for _, r := range returnsOf(g) {
			if contains(l.body, r) && len(r.Results) == 1 && !isNilExpr(r.Results[0]) && r.Pos() < mark {
				return true
			}
		}
	}
	return false
}

// watermill makes the layers of a watermill handler: what Retry middlewares of its router repeat, and the redelivery of what it
// failed at.
func (u *unit) watermill(s *site, g *fn, from int) {
	layers := u.watermillRetries(s)
	added := u.facts.Handlers[from:]
	if len(layers) > 0 {
		// The middleware runs the handler: a node of its own between the message and the work.
		again := model.N(model.SpaceFunc, g.name.Key+"$again")
		u.facts.Nodes = append(u.facts.Nodes, model.Node{Name: again, Kind: model.NodeFunc, At: u.at(s.call), Dir: u.dir, Label: g.short() + ", for each message"})
		u.facts.Edges = append(u.facts.Edges, model.Edge{From: again, To: g.name, Kind: model.EdgeCall, At: u.at(s.call), Under: layers})
		for i := range added {
			added[i].Func = again
		}
	}
	if g.fails() {
		u.redelivers(s.call, s.in, added, "watermill redelivery", "watermill: a message whose handler failed is nacked, and its broker brings it again")
	}
}

// watermillRetries are the layers of the Retry middlewares that are put around a handler, or around all of its router.
func (u *unit) watermillRetries(s *site) []string {
	var calls []*ast.CallExpr
	if o := u.lvalue(u.callee(s.call).recv); o != nil {
		calls = append(calls, u.setterCalls(o, "AddMiddleware")...)
		if w := u.shared.units[o.Pkg()]; w != nil && w != u && !w.finished {
			calls = append(calls, w.setterCalls(o, "AddMiddleware")...)
		}
	}
	for _, o := range u.holdersOf(s.call) {
		calls = append(calls, u.setterCalls(o, "AddMiddleware")...)
	}
	var out []string
	for _, c := range calls {
		for _, a := range c.Args {
			sel, ok := ast.Unparen(a).(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Middleware" {
				continue
			}
			if id := u.middlewareLayer(sel, s.in); id != "" {
				out = append(out, id)
			}
		}
	}
	return out
}

// middlewareLayer is the layer of a method of a catalogued middleware that is handed on without being called.
func (u *unit) middlewareLayer(sel *ast.SelectorExpr, f *fn) string {
	if r := u.byRegion[sel]; r != nil {
		return r.layer.ID
	}
	call := &ast.CallExpr{Fun: sel, Lparen: sel.End(), Rparen: sel.End()}
	use, ok := u.library(u.callee(call))
	if !ok || use.call == nil {
		return ""
	}
	if g := u.fnAt(sel.Pos()); g != nil {
		f = g
	}
	r := libs.EvaluateCall(use.call, &useSite{world: u.shared.world(), u: u, f: f, call: call})
	if r.Policy.Attempts.One() {
		return ""
	}
	layer := u.libraryLayer(&site{call: call, in: f}, use, r)
	u.addRegion(&region{layer: layer, in: f, node: sel, used: true})
	return layer.ID
}
