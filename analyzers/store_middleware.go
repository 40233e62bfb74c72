package analyzers

import (
	"fmt"
	"go/ast"
	"strings"
	"time"

	"github.com/retrylint/retrylint/model"
)

// middleware is a dedupe memory that a library brings (dedupe-windows.md 4.4): what it keeps, for how long, in what order.
type middleware struct {
	pkg    string // import path without the major version
	fun    string // constructor, or type of a literal
	kind   string
	ttl    time.Duration
	field  string // of the options that holds the time to live
	arg    int    // argument that holds it, -1 where none does
	store  string // field that names a shared store; without it the memory is the process's
	order  model.RecordOrder
	header string
	traits []model.TraitKind
}

var middlewares = []middleware{
	// gofiber/fiber middleware/idempotency: read, lock, read again, handler, store; an error of the handler is not stored.
	{pkg: "github.com/gofiber/fiber/middleware/idempotency", fun: "New", kind: "fiber idempotency", ttl: 30 * time.Minute, field: "Lifetime", arg: -1, store: "Storage",
		order: model.OrderLockedAll, header: "X-Idempotency-Key", traits: []model.TraitKind{model.TraitAnswersStored}},
	// goceleris/celeris: claim, handler, completed entry.
	{pkg: "github.com/goceleris/celeris/middleware/idempotency", fun: "New", kind: "celeris idempotency", ttl: day, field: "TTL", arg: -1, store: "Store",
		order: model.OrderBefore, header: "Idempotency-Key", traits: []model.TraitKind{model.TraitAnswersStored, model.TraitReleases}},
	// bright-room/idem: status below 500 is kept by default.
	{pkg: "github.com/bright-room/idem", fun: "New", kind: "idem", ttl: day, field: "TTL", arg: -1, store: "Storage",
		order: model.OrderUnknown, header: "Idempotency-Key", traits: []model.TraitKind{model.TraitAnswersStored, model.TraitFailOpen}},
	{pkg: "github.com/bright-room/idem/gin", fun: "New", kind: "idem", ttl: day, field: "TTL", arg: -1, store: "Storage",
		order: model.OrderUnknown, header: "Idempotency-Key", traits: []model.TraitKind{model.TraitAnswersStored, model.TraitFailOpen}},
	// ThreeDotsLabs/watermill: the key is recorded before the handler and stays after an error.
	{pkg: "github.com/ThreeDotsLabs/watermill/message/router/middleware", fun: "Deduplicator", kind: "watermill Deduplicator", ttl: time.Minute, field: "Timeout", arg: -1,
		store: "Repository", order: model.OrderBefore},
}

// findMiddlewares writes down the dedupe memories that libraries bring.
func (u *unit) findMiddlewares() {
	for _, g := range u.fns {
		for _, cl := range g.calls {
			u.middleware(g, cl.expr)
		}
	}
	for _, lit := range u.lits {
		p, name := pkgAndName(u.foreignType(lit.Type))
		for _, m := range middlewares {
			if m.pkg == p && m.fun == name {
				if g := u.fnAt(lit.Pos()); g != nil {
					u.addMiddleware(m, g, lit, lit)
				}
			}
		}
	}
}

func pkgAndName(full string) (string, string) {
	full = unversioned(withoutPointer.Replace(full))
	i := strings.LastIndex(full, ".")
	if i < 0 {
		return "", full
	}
	return full[:i], full[i+1:]
}

func (u *unit) middleware(g *fn, c *ast.CallExpr) {
	k := u.callee(c)
	if k.name == "" {
		return
	}
	p, name := pkgAndName(k.name)
	for _, m := range middlewares {
		if m.pkg != p || m.fun != name {
			continue
		}
		var lit *ast.CompositeLit
		for _, a := range c.Args {
			if l, _ := u.literalOf(a, g, 0); l != nil {
				lit = l
			}
		}
		u.addMiddleware(m, g, c, lit)
	}
}

// addMiddleware notes the memory for every handler that the function mounts, or for the function where it mounts none.
func (u *unit) addMiddleware(m middleware, g *fn, at ast.Node, lit *ast.CompositeLit) {
	b := model.Boundary{Kind: m.kind, At: u.at(at), Use: u.at(at), TTL: model.WindowFor(m.ttl), Store: model.StoreMemory, Order: m.order, Origin: model.OriginDefault, KeyName: m.header}
	for _, k := range m.traits {
		b.Traits = append(b.Traits, model.Trait{Kind: k, At: u.at(at)})
	}
	if lit != nil {
		if e := u.litFieldExpr(lit, m.field); e != nil {
			b.At, b.Origin, b.TTL = u.at(e), model.OriginExplicit, model.Window{}
			v := u.value(e, g)
			if d, ok := duration(v, 0); ok && d > 0 {
				b.TTL = model.WindowFor(d)
			}
			if !v.Ref.Name.IsZero() {
				r := v.Ref
				r.Field = model.FieldTTL
				b.Refs = append(b.Refs, r)
			}
		}
		if e := u.litFieldExpr(lit, m.store); e != nil {
			b.Store = model.StoreDurable
			if s := strings.ToLower(written(e)); strings.Contains(s, "memory") || strings.Contains(s, "expiringkey") || strings.Contains(s, "inmem") {
				b.Store = model.StoreMemory
			}
		}
		if e := u.litFieldExpr(lit, "BodyHash"); e != nil && written(e) != "false" {
			b.Traits = append(b.Traits, model.Trait{Kind: model.TraitComparesPayload, At: u.at(e)})
		}
	}
	n := 0
	top := g
	for top.parent != nil {
		top = top.parent
	}
	for _, h := range u.facts.Handlers {
		if top.decl == nil && top.lit == nil {
			break
		}
		if h.At.Path == u.at(at).Path && h.At.Line >= u.at(top.node()).Line && h.At.Line <= u.at(top.node()).EndLine {
			n++
			d := b
			d.In = h.Func
			if d.In.IsZero() {
				d.In = h.Name
			}
			d.ID = fmt.Sprintf("window:%s:%s:%s:%d", u.repo, g.name.Key, m.kind, n)
			u.facts.Boundaries = append(u.facts.Boundaries, d)
		}
	}
	if n == 0 {
		b.In = g.name
		b.ID = fmt.Sprintf("window:%s:%s:%s:0", u.repo, g.name.Key, m.kind)
		u.facts.Boundaries = append(u.facts.Boundaries, b)
	}
}
