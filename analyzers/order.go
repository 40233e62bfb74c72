package analyzers

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/retrylint/retrylint/model"
)

var _ = addStep("stores", (*unit).findStores)

// findStores writes down every dedupe memory of the package: a store that is asked about the identity of a message, an
// event or a request, and whose answer decides whether the effect happens.
func (u *unit) findStores() {
	u.findMiddlewares()
	t := u.tracing()
	n := map[string]int{}
	for _, g := range u.fns {
		if g.body == nil || u.generated[g.file] || len(g.calls) == 0 {
			continue
		}
		for _, b := range t.boundaries(g) {
			n[b.Kind+g.name.Key]++
			b.ID = fmt.Sprintf("window:%s:%s:%s:%d", u.repo, g.name.Key, b.Kind, n[b.Kind+g.name.Key])
			u.facts.Boundaries = append(u.facts.Boundaries, b)
		}
	}
}

// boundaries looks at one function.
func (t *tracer) boundaries(g *fn) []model.Boundary {
	f := newFrame(g)
	list := t.ops(f, 0)
	if len(list) == 0 {
		return nil
	}
	// Group by store; operations on a lock under the same key are kept apart.
	var groups [][]storeOp
	var locks []storeOp
	index := map[string]int{}
	for _, o := range list {
		texts := ""
		if o.class == "redis" || o.class == "memcached" {
			texts = t.keyTexts(o)
		}
		if o.class == "redis" && o.kind == opClaim && lockWord.MatchString(texts) {
			o.kind = opLock
			locks = append(locks, o)
			continue
		}
		k := o.class + "|" + o.store
		if o.class == "redis" || o.class == "memcached" {
			k += "|" + prefixOf(texts)
		}
		i, ok := index[k]
		if !ok {
			i = len(groups)
			index[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], o)
	}
	// A client that keeps claims and answers under different prefixes is one memory where both take part in one check.
	groups = joinPrefixes(groups)
	var out []model.Boundary
	for _, ops := range groups {
		if b, ok := t.boundary(g, f, ops, locks); ok {
			out = append(out, b)
		}
	}
	return out
}

func prefixOf(s string) string {
	s, _, _ = strings.Cut(s, " ")
	return s
}

// joinPrefixes puts groups of one client together where one holds claims and the other answers.
func joinPrefixes(groups [][]storeOp) [][]storeOp {
	var out [][]storeOp
	for _, g := range groups {
		joined := false
		if g[0].class == "redis" {
			for i, h := range out {
				if h[0].class == "redis" && h[0].store == g[0].store && hasKind(g, opClaim) != hasKind(h, opClaim) {
					out[i] = append(h, g...)
					slices.SortStableFunc(out[i], func(a, b storeOp) int { return int(a.node.Pos() - b.node.Pos()) })
					joined = true
					break
				}
			}
		}
		if !joined {
			out = append(out, g)
		}
	}
	return out
}

func hasKind(ops []storeOp, k opKind) bool {
	return slices.ContainsFunc(ops, func(o storeOp) bool { return o.kind == k })
}

func firstOf(ops []storeOp, k opKind) (storeOp, bool) {
	for _, o := range ops {
		if o.kind == k {
			return o, true
		}
	}
	return storeOp{}, false
}

// boundary decides whether the operations on one store make a dedupe memory in g, and of what kind.
func (t *tracer) boundary(g *fn, f *frame, ops, locks []storeOp) (model.Boundary, bool) {
	var none model.Boundary
	claim, hasClaim := firstOf(ops, opClaim)
	read, hasRead := firstOf(ops, opRead)
	ask := claim
	switch {
	case hasRead && (!hasClaim || read.node.Pos() < claim.node.Pos() && read.class == claim.class && !hasClaimBefore(ops, read)):
		ask = read
		if hasClaim {
			ask = claim
		}
	case !hasClaim:
		return none, false
	}
	// What is quick to see comes first: most stores are never asked in a condition, or never written after that.
	if !hasClaim && !slices.ContainsFunc(ops, func(o storeOp) bool { return o.kind == opWrite && o.node != ask.node }) {
		return none, false // only a look: what records the key is elsewhere
	}
	if !t.decides(ask, g) || !t.dedupes(ops, ask, g) {
		return none, false
	}
	fl := orderingOf(g.body)
	effects := t.effects(f, append(ops[:len(ops):len(ops)], locks...))
	var after []effect
	for _, e := range effects {
		if fl.after(ask.node, e.call) {
			after = append(after, e)
		}
	}
	if len(after) == 0 {
		return none, false
	}
	eff := t.mainEffect(after, fl, ops)
	in := g.name
	if p := g.partAt(ask.node); p != nil {
		in = p.name // the helper that asks may stand elsewhere; what it guards is done for each message
	}
	b := model.Boundary{In: in, Use: ask.in.unit.at(ask.inner), Store: t.u.storeKind(ask.class), Kind: kindName(ask), Origin: model.OriginExplicit}
	b.Traits = append(b.Traits, model.Trait{Kind: model.TraitEffect, At: t.u.at(eff.call)})
	t.key(&b, ask)

	// The write of the record: a claim, or a plain write after the check.
	var record storeOp
	hasRecord := false
	for _, o := range ops {
		if o.kind == opWrite && o.node != ask.node {
			if !hasRecord || fl.after(eff.call, o.node) && !fl.after(eff.call, record.node) {
				record, hasRecord = o, true
			}
		}
	}
	claimFirst := hasClaim && fl.after(claim.node, eff.call) && !claim.deferred
	writeFirst := false
	for _, o := range ops {
		if o.kind == opWrite && !o.deferred && fl.after(o.node, eff.call) && fl.after(ask.node, o.node) && o.node != ask.node {
			writeFirst = true
			if !hasClaim {
				record = o
			}
		}
	}
	switch {
	case claimFirst && claim.tx && (eff.tx || t.anyTx(after)):
		b.Order = model.OrderTransaction
		record = claim
	case claimFirst:
		b.Order = model.OrderBefore
		record = claim
	case hasClaim && (fl.after(eff.call, claim.node) || claim.deferred):
		b.Order = model.OrderAfter
		record = claim
		if claim.tx && eff.tx {
			b.Order = model.OrderTransaction
		}
	case writeFirst:
		b.Order = model.OrderBefore
		if record.tx && eff.tx {
			b.Order = model.OrderTransaction
		}
	case hasRecord && (fl.after(eff.call, record.node) || record.deferred):
		b.Order = model.OrderAfter
		if record.tx && (eff.tx || t.anyTx(after)) && (ask.tx || t.forUpdate(ask)) {
			b.Order = model.OrderTransaction
		}
	}
	if b.Order == model.OrderAfter && t.locked(g, fl, ask, record, locks) {
		b.Order = model.OrderLockedAll
	}
	if record.node != nil {
		b.Traits = append(b.Traits, model.Trait{Kind: model.TraitRecord, At: record.in.unit.at(record.inner)})
	}
	t.timeToLive(&b, ops, ask, record)
	t.traits(&b, g, fl, f, ops, ask, record, eff, after, claimFirst || writeFirst)
	return b, true
}

func hasClaimBefore(ops []storeOp, read storeOp) bool {
	for _, o := range ops {
		if o.kind == opClaim && o.node.Pos() < read.node.Pos() {
			return true
		}
	}
	return false
}

func kindName(o storeOp) string {
	switch o.class {
	case "sql":
		return "sql-unique"
	case "lru", "cache":
		return "in-memory cache"
	case "store":
		return "key store"
	}
	return o.class
}

// forUpdate reports whether a look-up locks the row that it finds.
func (t *tracer) forUpdate(o storeOp) bool {
	c, ok := o.inner.(*ast.CallExpr)
	if !ok {
		return false
	}
	for _, a := range c.Args {
		if s, ok := t.constantText(a); ok && strings.Contains(strings.ToLower(s), "for update") {
			return true
		}
	}
	return false
}

// locked reports whether a lock is held over check, effect and record.
func (t *tracer) locked(g *fn, fl *ordering, ask, record storeOp, locks []storeOp) bool {
	if t.singleFlight(g) {
		return true
	}
	for _, l := range locks {
		if fl.after(l.node, record.node) {
			return true
		}
	}
	var lock, unlock []ast.Node
	deferredUnlock := false
	ast.Inspect(g.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			if s, ok := n.Call.Fun.(*ast.SelectorExpr); ok && unlockName(s.Sel.Name) {
				deferredUnlock = true
				return false
			}
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok {
				switch {
				case lockName(s.Sel.Name):
					lock = append(lock, n)
				case unlockName(s.Sel.Name):
					unlock = append(unlock, n)
				}
			}
		}
		return true
	})
	for _, l := range lock {
		if !fl.after(l, ask.node) {
			continue
		}
		if len(unlock) == 0 {
			return deferredUnlock
		}
		held := true
		for _, x := range unlock {
			if fl.after(l, x) && fl.after(x, record.node) {
				held = false
			}
		}
		if held {
			return true
		}
	}
	return false
}

func lockName(s string) bool {
	switch s {
	case "Lock", "LockContext", "TryLock", "TryLockContext", "Obtain", "Acquire", "LockKey":
		return true
	}
	return false
}

func unlockName(s string) bool {
	switch s {
	case "Unlock", "UnlockContext", "Release", "UnlockKey":
		return true
	}
	return false
}

// singleFlight reports whether a closure runs under singleflight.Group.Do.
func (t *tracer) singleFlight(g *fn) bool {
	if g.lit == nil {
		return false
	}
	c, ok := t.u.parent(g.lit).(*ast.CallExpr)
	if !ok {
		return false
	}
	k := t.u.callee(c)
	return strings.Contains(k.name, "singleflight") && (k.sel == "Do" || k.sel == "DoChan")
}

// key fills in what is known of the key.
func (t *tracer) key(b *model.Boundary, ask storeOp) {
	for _, e := range ask.key {
		o := ask.f.fn.unit.tracing().expr(e, ask.f)
		for _, h := range o.headers {
			if b.KeyName == "" {
				b.KeyName = h
			}
		}
		if len(o.headers) == 0 && slices.ContainsFunc(o.words, func(w string) bool { return bodyWord.MatchString(w) }) && o.sources&model.FromInput != 0 && !o.direct {
			b.Traits = append(b.Traits, model.Trait{Kind: model.TraitPayloadKey, At: ask.in.unit.at(ask.inner)})
		}
	}
}

var bodyWord = regexp.MustCompile(`(?i)^(body|payload|raw|sum|digest|hash|fingerprint|bodyhash)$`)

// timeToLive fills in how long the memory keeps a key, and where that is said.
func (t *tracer) timeToLive(b *model.Boundary, ops []storeOp, ask, record storeOp) {
	src := record
	if src.ttl == nil {
		src = ask
	}
	if src.ttl == nil {
		for _, o := range ops {
			if o.ttl != nil && (o.kind == opTouch || o.kind == opClaim || o.kind == opWrite) {
				src = o
				break
			}
		}
	}
	// The plain write of the answer replaces the claim: its time counts, unless it keeps the claim's.
	b.At = b.Use
	if src.inner != nil {
		b.At = src.in.unit.at(src.inner)
	}
	switch {
	case src.ttl != nil:
		u := src.f.fn.unit
		if keepsTTL(src.ttl) {
			src = ask
			if src.ttl == nil {
				return
			}
		}
		v := u.value(src.ttl, src.f.fn)
		if a, ok := src.f.fn.unit.tracing().argumentOf(src.ttl, src.f); ok && !v.IsInt {
			v = a
		}
		if !v.Ref.Name.IsZero() {
			ref := v.Ref
			ref.Field = model.FieldTTL
			if src.unit == time.Second && ref.Unit == "" {
				ref.Unit = "s"
			}
			b.Refs = append(b.Refs, ref)
		}
		if d, ok := duration(v, src.unit); ok {
			if d <= 0 {
				b.TTL = model.Permanent() // no expiry in every client that is known here
			} else {
				b.TTL = model.WindowFor(d)
			}
		}
		if l := u.tracing().declared(src.ttl); l != nil {
			b.At = u.at(l)
		}
	case b.Store == model.StoreMemory:
		if ask.place != nil {
			b.At = ask.in.unit.at(ask.place)
		}
	case b.Kind == "sql-unique":
		b.TTL = model.Permanent()
		if d, at, ok := t.u.purged(ask.store); ok {
			b.TTL = model.WindowFor(d)
			b.At = at
			b.Traits = append(b.Traits, model.Trait{Kind: model.TraitPurge, At: at})
		} else if ask.store != "" {
			// What SQL files and jobs of the database purge is found by the table's name.
			b.Refs = append(b.Refs, model.Ref{Field: model.FieldTTL, Name: model.N(model.SpaceTable, ask.store), At: b.At})
		}
	case src.permanent || ask.permanent:
		b.TTL = model.Permanent()
	}
	if b.Store == model.StoreMemory && ask.place != nil {
		b.At = ask.in.unit.at(ask.place)
		if src.ttl != nil && src.made {
			b.At = src.f.fn.unit.at(src.ttl) // said once, where the cache is made
		}
	}
}

func keepsTTL(e ast.Expr) bool { return strings.HasSuffix(written(e), "KeepTTL") }

// declared is the declaration of the constant or variable that an expression names; nil for anything else.
func (t *tracer) declared(e ast.Expr) ast.Node {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		if s, isSel := ast.Unparen(e).(*ast.SelectorExpr); isSel {
			if v := asVar(t.u.object(s.Sel)); v != nil && v.IsField() {
				if l := t.fields[v]; len(l) == 1 && l[0].node != nil {
					return l[0].node
				}
			}
		}
		return nil
	}
	switch o := t.u.object(id).(type) {
	case *types.Const:
		for _, d := range t.u.decls {
			g, ok := d.node.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST || o.Pos() < g.Pos() || o.Pos() >= g.End() {
				continue
			}
			for _, s := range g.Specs {
				if v, ok := s.(*ast.ValueSpec); ok {
					for _, n := range v.Names {
						if n.Pos() == o.Pos() {
							return n
						}
					}
				}
			}
		}
	case *types.Var:
		if t.global[o] {
			return t.declNode(o)
		}
	}
	return nil
}
