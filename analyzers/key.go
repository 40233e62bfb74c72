package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

var _ = addStep("keys", (*unit).findKeys)

// findKeys fills in the idempotency key of every edge whose call is not one of this repository's functions, and adds an
// edge for each key that is put onto something of which the sending was not seen.
func (u *unit) findKeys() {
	u.handlerKeys()
	t := u.tracing()
	loose := t.settings()
	used := map[ast.Node]bool{}
	for _, s := range u.sites {
		if s.edge == nil || !keyed(s) {
			continue
		}
		note := func(c carried) {
			for _, k := range c.sets {
				used[k.node] = true
			}
		}
		if len(s.sent) > 1 && len(s.sent) == len(s.edges) {
			// Several callers hand their requests in: each has a key of its own, or none.
			for i, r := range s.sent {
				c := t.keysOf(s, sentFrame(s, r))
				note(c)
				u.applyKeys(s, s.edges[i:i+1:i+1], c)
			}
			continue
		}
		u.callerMethods(s)
		f := newFrame(s.in)
		if len(s.sent) == 1 {
			f = sentFrame(s, s.sent[0])
		}
		c := t.keysOf(s, f)
		note(c)
		u.applyKeys(s, s.edges, c)
	}
	for _, k := range loose {
		if !used[k.node] {
			u.looseKey(k)
		}
	}
	u.transportEdges()
}

// sentFrame is the frame of a call that sends a request which the callers on r.via made and handed down.
func sentFrame(s *site, r sent) *frame {
	if len(r.via) == 0 {
		return newFrame(s.in)
	}
	f := newFrame(r.via[len(r.via)-1].in)
	for i := len(r.via) - 1; i >= 0; i-- {
		to := s.in
		if i > 0 {
			to = r.via[i-1].in
		}
		if g := r.via[i].to; g != nil && g != to && encloses(g, to) {
			f = &frame{fn: g, call: r.via[i].call, up: f, run: f.run}
			f = &frame{fn: to, up: f, run: f.run}
			continue
		}
		f = &frame{fn: to, call: r.via[i].call, up: f, run: f.run}
	}
	return f
}

// keyed reports whether a call can carry a key: it leaves the package's own code.
func keyed(s *site) bool {
	switch s.edge.Kind {
	case model.EdgeRequest, model.EdgePublish, model.EdgeSchedule:
		return true
	case model.EdgeCall:
		return s.to == nil
	}
	return false
}

// keysOf searches the receiver and the arguments of a call for keys.
func (t *tracer) keysOf(s *site, f *frame) carried {
	k := &carrying{t: t, busy: map[busyKey]bool{}, vars: map[types.Object]bool{}, left: 2000}
	var out carried
	if sel, ok := ast.Unparen(s.call.Fun).(*ast.SelectorExpr); ok && !t.isPackage(sel.X) {
		// What a client carries is not seen; what is chained onto it is.
		d := k.carrier(sel.X, f, nil)
		d.open = false
		out.add(d)
		out.add(k.setter(s.call, []string{sel.Sel.Name}, nil, f, nil))
	}
	first := true
	for i, a := range s.call.Args {
		if isContext(t.u.typeOf(a)) || first && i == 0 && isCtxName(a) {
			d := k.carrier(a, f, nil)
			d.open = false
			out.add(d)
			continue
		}
		first = false
		out.add(k.part(a, f, nil))
	}
	if sel := t.u.callee(s.call).sel; !strings.HasPrefix(sel, "Create") && !strings.HasPrefix(sel, "Insert") && !strings.HasPrefix(sel, "Submit") {
		// A name is an identity where something is made under it.
		out.sets = slices.DeleteFunc(out.sets, func(k keySet) bool { return k.sink == "object name" || k.sink == "generated object name" })
	}
	if slices.ContainsFunc(out.sets, func(k keySet) bool { return k.sink == "object name" }) {
		// The server makes a name only where there is none.
		out.sets = slices.DeleteFunc(out.sets, func(k keySet) bool { return k.sink == "generated object name" })
	}
	if p := keyParam(s); p >= 0 && p < len(s.call.Args) && len(out.sets) == 0 {
		out.sets = append(out.sets, keySet{sink: paramName(s.callee.fun, p), value: s.call.Args[p : p+1], node: s.call.Args[p], f: f})
	}
	return out
}

func isCtxName(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && (strings.HasSuffix(strings.ToLower(id.Name), "ctx") || strings.HasPrefix(id.Name, "ctx"))
}

// keyParam is the parameter of a function of another package that is called like a key; -1 where there is none.
func keyParam(s *site) int {
	if s.callee.fun == nil || s.to != nil {
		return -1
	}
	sig, ok := s.callee.fun.Type().(*types.Signature)
	if !ok {
		return -1
	}
	for i := range sig.Params().Len() {
		p := sig.Params().At(i)
		if keyField.MatchString(p.Name()) || p.Name() == "key" && isString(p.Type()) && beginsWith(s.callee.sel, dealVerbs) {
			return i
		}
	}
	return -1
}

// dealVerbs begin the names of methods of which a plain "key" is an idempotency key: elsewhere it says where something is kept.
var dealVerbs = []string{"Charge", "Pay", "Capture", "Refund", "Transfer", "Book", "Issue", "Credit", "Debit", "Withdraw", "Deposit", "Purchase", "Ship", "Order"}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func paramName(f *types.Func, i int) string {
	sig, ok := f.Type().(*types.Signature)
	if !ok || i >= sig.Params().Len() {
		return ""
	}
	return sig.Params().At(i).Name()
}

// applyKeys writes what was found onto the edge of a call, and adds an edge for each further birth.
func (u *unit) applyKeys(s *site, edges []*model.Edge, c carried) {
	e := edges[0]
	if mc, ok := c.made.(*ast.CallExpr); ok && e.To.Space == model.SpaceOp && strings.HasSuffix(c.madeIn.calleeName(mc), "nats.go.NewMsg") && len(mc.Args) == 1 {
		// The subject of a message that a constructor made.
		if v := c.madeIn.value(mc.Args[0], c.madeIn.fnAt(mc.Pos())); v.IsStr && v.Str != "" {
			e.To = model.N(model.SpaceQueue, "nats:"+v.Str)
		}
	}
	if len(c.sets) == 0 {
		switch {
		case c.natural != "":
			e.Key = model.Key{How: model.KeyNatural, Sink: c.natural, At: u.at(s.call)}
		case e.Key.How != model.KeyUnknown: // the library's entry knows better
		case !c.open && wholeInSight(e) && !u.clientPutsKey(s, e.Under):
			none := model.Key{How: model.KeyNone}
			if c.made != nil {
				none.At = c.madeIn.at(c.made)
			}
			for _, d := range edges {
				if d.Key.How == model.KeyUnknown && d.Kind == e.Kind {
					d.Key = none
				}
			}
		}
		return
	}
	var keys []model.Key
	for _, k := range c.sets {
		keys = append(keys, u.keysFrom(k, s)...)
	}
	// The worst comes first: one that is made under a layer, then one that is made at all.
	slices.SortStableFunc(keys, func(a, b model.Key) int { return keyRank(a) - keyRank(b) })
	pkg := ""
	if s.callee.fun != nil && s.callee.fun.Pkg() != nil {
		pkg = s.callee.fun.Pkg().Path()
	} else {
		pkg = packageOf(s.callee.name)
	}
	p, known := providerOf(pkg, e)
	for i := range keys {
		if known {
			keys[i].Provider = p.id
			if p.sure {
				keys[i].Window = model.WindowFor(p.window)
			}
		}
	}
	for _, d := range edges {
		d.Key = keys[0]
	}
	seen := map[model.Location]bool{keys[0].Born: true}
	for _, k := range keys[1:] {
		if k.How == model.KeyMade && !seen[k.Born] && len(seen) < 8 {
			seen[k.Born] = true
			d := *e
			d.Key = k
			s.edges = append(s.edges, &d)
		}
	}
}

// wholeInSight reports whether an edge is of a kind of which the absence of a key says something.
func wholeInSight(e *model.Edge) bool {
	return e.Kind == model.EdgeRequest || e.Kind == model.EdgePublish
}

func keyRank(k model.Key) int {
	switch {
	case k.How == model.KeyMade && len(k.BornUnder) > 0:
		return 0
	case k.How == model.KeyMade:
		return 1
	case k.How == model.KeyConstant:
		return 2
	case k.How == model.KeyDerived, k.How == model.KeyForwarded:
		return 3
	}
	return 4
}

// keysFrom says what one setting of a key makes: one key, and another for each place where a caller makes it.
func (u *unit) keysFrom(k keySet, s *site) []model.Key {
	t := k.f.fn.unit.tracing()
	base := model.Key{Sink: k.sink, At: t.u.at(k.node)}
	var text []string
	var parts []origins
	for _, v := range k.value {
		text = append(text, written(v))
		parts = append(parts, t.expr(v, k.f))
	}
	base.Text = strings.Join(text, ", ")
	if k.server {
		// Each request that arrives makes another object, so the birth is the call itself.
		base.How, base.Sources, base.Born, base.BornIn = model.KeyMade, model.FromRandom, base.At, s.in.name
		if s.call != nil {
			base.Born = u.at(s.call)
		}
		base.BornUnder = layersOf(u.around(s.call, s.in))
		return []model.Key{base}
	}
	o := mix(parts...)
	base.Sources = o.sources
	if len(k.value) == 1 {
		if n, ok := t.perInstance(k.value[0], k.f); ok {
			base.How, base.Sources, base.Born = model.KeyConstant, model.FromProcess, t.u.at(n)
			return []model.Key{base}
		}
	}
	births := o.births
	if k.onlyEmpty {
		births = t.whereEmpty(k, births)
		if len(births) == 0 && len(o.births) > 0 {
			base.How = model.KeyForwarded
			return []model.Key{base}
		}
	}
	if len(births) == 0 || o.byCaller {
		base.How = keyHow(o, k.sink)
		if base.How == model.KeyConstant {
			base.Born = t.constantAt(k)
			if u.sameEachTime(s, k) {
				base.How = model.KeyNatural // one intent has one key
			}
		}
	}
	var out []model.Key
	if base.How != model.KeyUnknown || len(births) == 0 {
		out = append(out, base)
	}
	for _, b := range births {
		m := base
		m.How = model.KeyMade
		m.Sources = o.sources | b.source
		m.Born = b.in.unit.at(b.node)
		if b.source == model.FromAttempt && b.in != k.f.fn && b.in.lit == nil {
			m.Born = t.mixedAt(k) // a number of attempts is no key where it is counted: it becomes one where it is put in
		}
		m.BornIn = b.in.name
		m.BornUnder = b.under(k)
		for g := b.in; g != nil; g = g.parent {
			m.BornUnder = append(m.BornUnder, g.unit.hooks()[g]...)
		}
		m.Hoist = b.in.unit.hoist(b)
		out = append(out, m)
	}
	return out
}

// sameEachTime reports whether a call says the same each time, its key aside: what it is handed is written out there. The
// request it makes is one intent, however often it runs.
func (u *unit) sameEachTime(s *site, k keySet) bool {
	if k.f == nil || k.f.fn != s.in || s.call == nil {
		return false
	}
	said := false
	for _, a := range s.call.Args {
		if isContextLike(u.typeOf(a)) || contains(a, k.node) {
			continue
		}
		o := u.tracing().expr(a, k.f)
		if o.sources != model.FromConstant || o.unknown || o.byCaller || len(o.births) > 0 {
			return false
		}
		said = true
	}
	return said
}

// under is the layers that repeat a birth and its way to the call: those around it, and those around the calls that lead
// from the function that sends to the function of the birth.
func (b birth) under(k keySet) []string {
	var rs []*region
	add := func(list []*region) {
		for _, r := range list {
			if !slices.Contains(rs, r) {
				rs = append(rs, r)
			}
		}
	}
	// calls[i] leads from the function at depth i to the one at depth i+1.
	for f, n := k.f, len(k.calls); f != nil && n > 0; f, n = f.up, n-1 {
		if f.fn != b.in && !encloses(f.fn, b.in) {
			continue
		}
		for _, c := range k.calls[:n] {
			if g := k.callerOf(c); g != nil {
				add(g.unit.around(c, g))
			}
		}
		break
	}
	add(b.in.unit.around(b.scope, b.in))
	return layersOf(rs)
}

// callerOf is the function in which one of the calls on the way stands.
func (k keySet) callerOf(c *ast.CallExpr) *fn {
	for f := k.f; f != nil; f = f.up {
		if f.call == c && f.up != nil {
			return f.up.fn
		}
	}
	return nil
}

// mixedAt is the place where the value of a key is put together: the assignment to the variable that holds it, or its use.
func (t *tracer) mixedAt(k keySet) model.Location {
	if at := t.constantAt(k); !at.IsZero() {
		return at
	}
	return t.u.at(k.node)
}

// constantAt is the place where a local variable gets the constant that is used as a key; zero for a constant used as it is.
func (t *tracer) constantAt(k keySet) model.Location {
	if len(k.value) != 1 {
		return model.Location{}
	}
	id, ok := ast.Unparen(k.value[0]).(*ast.Ident)
	if !ok {
		return model.Location{}
	}
	v, ok := t.u.object(id).(*types.Var)
	if !ok || t.global[v] {
		return model.Location{}
	}
	for _, n := range t.u.setsOf(v) {
		if a, ok := n.(*ast.AssignStmt); ok {
			return t.u.at(a)
		}
	}
	return model.Location{}
}

// layersOf are the ids of all these regions, those of the functions around a closure included.
func layersOf(rs []*region) []string {
	var out []string
	for _, r := range rs {
		if r.layer != nil && r.layer.ID != "" {
			out = append(out, r.layer.ID)
		}
	}
	return out
}

// whereEmpty are the births of a key that is set only where there is none yet: it is made once for each value of the
// variable that carries it, so the scope is that variable's declaration. Of a parameter the caller keeps it.
func (t *tracer) whereEmpty(k keySet, births []birth) []birth {
	v, ok := k.base.(*types.Var)
	if !ok {
		return nil
	}
	owner := t.ownerOf(v, k.f.fn)
	if owner == nil {
		return nil
	}
	if _, isParam := paramIndex(t.u, owner, v); isParam || isReceiver(t.u, owner, v) {
		return nil
	}
	decl := t.declOf(v)
	if decl == nil {
		return nil
	}
	out := slices.Clone(births)
	for i := range out {
		out[i].scope = decl
	}
	return out
}

// keyHow says how a key without births travels.
func keyHow(o origins, sink string) model.KeyHow {
	if objectNames[sink] {
		// The name of an object says which one it is; only a fresh one makes repeats into others.
		return model.KeyNatural
	}
	rest := o.sources &^ (model.FromConstant | model.FromProcess)
	switch {
	case rest == 0 && o.sources != 0 && !o.unknown && !o.byCaller:
		return model.KeyConstant
	case o.sources == 0:
		return model.KeyUnknown
	case o.direct || o.byCaller && o.sources == model.FromInput:
		return model.KeyForwarded
	}
	return model.KeyDerived
}

// objectNames are sinks that name what is made.
var objectNames = map[string]bool{"object name": true, "generated object name": true, "workflow id": true, "execution name": true, "task name": true}

// settings are all places of the package where a key is put onto something, whether or not the sending is seen.
func (t *tracer) settings() []keySet {
	var out []keySet
	for _, g := range t.u.fns {
		for _, cl := range g.calls {
			c := cl.expr
			k := t.u.callee(c)
			switch {
			case k.sel == "" || len(c.Args) == 0:
			case setsHeader(k.sel) && len(c.Args) == 2:
				o, ok := t.constantOf(c.Args[0])
				if !ok || len(o.texts) != 1 || !isKeyHeader(o.texts[0]) || len(c.Args) != 2 {
					continue
				}
				name := o.texts[0]
				var base types.Object
				if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
					if responseHeader(written(sel.X)) {
						continue
					}
					if id := rootIdent(sel.X); id != nil {
						base = t.u.object(id)
					}
				}
				ks := keySet{sink: name, value: c.Args[1:2], node: c, f: newFrame(g), base: base}
				ks.onlyEmpty = t.guardedEmpty(c, func(x ast.Expr) bool {
					r, ok := ast.Unparen(x).(*ast.CallExpr)
					if !ok || len(r.Args) == 0 {
						return false
					}
					n, ok := t.constantOf(r.Args[len(r.Args)-1])
					return ok && len(n.texts) == 1 && strings.EqualFold(n.texts[0], name)
				})
				out = append(out, ks)
			case strings.HasPrefix(k.name, "fmt.Fprint") && len(c.Args) > 2:
				o, ok := t.constantOf(c.Args[1])
				if ok && len(o.texts) == 1 && strings.HasPrefix(strings.ToLower(o.texts[0]), "message-id:") && len(c.Args) > 2 {
					out = append(out, keySet{sink: "Message-Id", value: c.Args[2:], node: c, f: newFrame(g)})
				}
			}
		}
	}
	for _, a := range t.u.assigns {
		if len(a.Lhs) != len(a.Rhs) || a.Tok != token.ASSIGN {
			continue
		}
		for i, l := range a.Lhs {
			var name string
			switch l := ast.Unparen(l).(type) {
			case *ast.IndexExpr:
				if o, ok := t.constantOf(l.Index); ok && len(o.texts) == 1 && isKeyHeader(o.texts[0]) && !responseHeader(written(l.X)) {
					name = o.texts[0]
				}
			}
			if name == "" {
				continue
			}
			if in := t.u.fnAt(a.Pos()); in != nil {
				out = append(out, keySet{sink: name, value: []ast.Expr{a.Rhs[i]}, node: a, f: newFrame(in)})
			}
		}
	}
	return out
}

// responseHeader reports whether an expression is the header of an answer: a server that echoes a key makes none.
func responseHeader(s string) bool {
	return strings.Contains(s, "Header()") || strings.HasPrefix(s, "w.") || strings.HasPrefix(s, "rw.") || strings.Contains(strings.ToLower(s), "resp")
}

// onClient reports whether a call sets something on a catalogued client, and not on one of its requests.
func (u *unit) onClient(c *ast.CallExpr) bool {
	if c == nil {
		return false
	}
	k := u.callee(c)
	if k.recv == nil {
		return false
	}
	use := u.catalogued(k.recv)
	return use != nil && use.typ == "Client"
}

// looseKey notes a key whose sending was not seen, as an edge to an operation of its own: a helper that puts a fresh key
// onto a request makes another one for each call of it.
func (u *unit) looseKey(k keySet) {
	s := &site{in: k.f.fn}
	if c, ok := k.node.(*ast.CallExpr); ok {
		s.call = c
	}
	var under []string
	for _, r := range u.around(k.node, k.f.fn) {
		if r.layer != nil {
			under = append(under, r.layer.ID)
		}
	}
	for _, key := range u.keysFrom(k, s) {
		if key.How != model.KeyMade && key.How != model.KeyConstant {
			continue
		}
		if key.How == model.KeyMade && u.onClient(s.call) {
			// A header of the client goes with everything that it ever sends.
			key.How, key.Sources, key.BornUnder = model.KeyConstant, key.Sources|model.FromProcess, nil
		}
		u.facts.Edges = append(u.facts.Edges, model.Edge{
			From: k.f.fn.name, To: model.N(model.SpaceOp, k.f.fn.name.Key+"#"+strings.ToLower(k.sink)), Kind: model.EdgeCall,
			At: u.at(k.node), Under: under, Key: key, Label: "message with " + k.sink,
		})
	}
}
