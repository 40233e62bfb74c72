package analyzers

import (
	"go/ast"
	"strings"
	"time"

	"github.com/retrylint/retrylint/model"
)

var _ = addStep("brokers", (*unit).brokerConfigs)

// brokerConfigs reads streams that code sets up: jetstream.StreamConfig{Name: "ORDERS", Duplicates: time.Hour}. What it says is
// what a manifest of the stream says (catalogue of dedupe windows, 1.3: Duplicates, or else two minutes, at most MaxAge).
func (u *unit) brokerConfigs() {
	for _, lit := range u.lits {
		t := u.foreignType(lit.Type)
		if t == "" {
			t = namedText(u.typeOf(lit))
		}
		if !strings.HasSuffix(t, "nats.go/jetstream.StreamConfig") && !strings.HasSuffix(t, "nats.go.StreamConfig") {
			continue
		}
		if g := u.fnAt(lit.Pos()); g == nil || !u.generated[g.file] {
			u.natsStream(lit, g)
		}
	}
}

func (u *unit) natsStream(lit *ast.CompositeLit, g *fn) {
	name := u.textOf(u.litFieldExpr(lit, "Name"), g)
	if name == "" {
		return
	}
	self := model.N(model.SpaceQueue, "nats:"+name)
	at := u.at(lit)
	u.facts.Nodes = append(u.facts.Nodes, model.Node{Name: self, Kind: model.NodeQueue, At: at, Label: "stream " + name})
	if l, ok := ast.Unparen(orNil(u.litFieldExpr(lit, "Subjects"))).(*ast.CompositeLit); ok {
		for _, e := range l.Elts {
			if s := u.textOf(e, g); s != "" && s != name {
				u.facts.Edges = append(u.facts.Edges, model.Edge{From: model.N(model.SpaceQueue, "nats:"+s), To: self, Kind: model.EdgeSame, At: u.at(e)})
			}
		}
	}
	b := model.Boundary{ID: "window:" + u.repo + ":" + self.Key + ":" + u.path, Kind: "nats.jetstream", At: at, In: self, TTL: model.WindowFor(2 * time.Minute),
		Store: model.StoreBroker, Order: model.OrderPublish, Origin: model.OriginDefault, KeyName: "Nats-Msg-Id"}
	age, aged := time.Duration(0), true
	if e := u.litFieldExpr(lit, "MaxAge"); e != nil {
		age, aged = duration(u.value(e, g), 0)
	}
	if e := u.litFieldExpr(lit, "Duplicates"); e != nil {
		v := u.value(e, g)
		d, ok := duration(v, 0)
		switch {
		case ok && d == 0: // the default
		default:
			b.At, b.Origin, b.TTL = u.at(e), model.OriginExplicit, model.Window{}
			if ok && d > 0 {
				b.TTL = model.WindowFor(d)
			}
			if !v.Ref.Name.IsZero() {
				r := v.Ref
				r.Field = model.FieldTTL
				b.Refs = append(b.Refs, r)
			}
		}
	} else if !aged {
		b.TTL = model.Window{} // it may be shorter than two minutes
	}
	if aged && age > 0 {
		b.TTL = b.TTL.Min(model.WindowFor(age))
		u.facts.DeadLetters = append(u.facts.DeadLetters, model.DeadLetter{Of: self, Name: name, At: u.at(u.litFieldExpr(lit, "MaxAge")), Retention: model.For(age), Origin: model.OriginExplicit, FromFirst: true})
	}
	u.facts.Boundaries = append(u.facts.Boundaries, b)
}

// textOf is the text that an expression is known to be; "" where it is not.
func (u *unit) textOf(e ast.Expr, g *fn) string {
	if e == nil {
		return ""
	}
	if v := u.value(e, g); v.IsStr {
		return v.Str
	}
	return ""
}

func orNil(e ast.Expr) ast.Expr {
	if e == nil {
		return &ast.BadExpr{}
	}
	return e
}
