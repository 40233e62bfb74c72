package analyzers

import (
	"go/ast"
	"go/types"
	"regexp"
	"strings"
	"time"

	"github.com/retrylint/retrylint/model"
)

// opKind is what an operation does to a dedupe memory (dedupe-windows.md section 5).
type opKind uint8

const (
	opRead   opKind = iota + 1 // R: is the key there?
	opClaim                    // C: record it if it is not there, in one step
	opWrite                    // W: record it, whether or not it is there
	opDelete                   // D: forget it
	opTouch                    // give it a new time to live
	opLock                     // a lock under the key, given back afterwards
)

// storeOp is one operation on a store, as a function sees it.
type storeOp struct {
	kind      opKind
	node      ast.Node // in the function that is looked at: the operation itself or the call that leads to it
	inner     ast.Node // the operation itself
	in        *fn      // where inner stands
	class     string   // redis, memcached, sql, dynamodb, mongo, memory, cache, lru, singleflight, store
	store     string   // what tells one store of the class from another: a receiver or a table
	key       []ast.Expr
	f         *frame // of key and ttl
	ttl       ast.Expr
	unit      time.Duration // of a bare number in ttl
	value     []ast.Expr    // what is stored
	place     ast.Node      // declaration of a map or cache
	tx        bool          // on a transaction
	hdl       ast.Expr      // handle of a database operation
	named     bool          // the name of the store or of the table says what it is for
	deferred  bool
	helper    *fn  // where the operation is reached through a helper
	permanent bool // never forgets by itself
	made      bool // ttl is what the store was made with
	gives     bool // a claim that gives way in silence: only the number of rows, or the row, tells whether it was the first
}

var (
	dedupeNoun = regexp.MustCompile(`(?i)(idem|dedup|de_dup|seen|processed|inbox|handled|consumed|delivered|replay|already|duplicate|once|claims?$|fulfilled)`)
	strongWord = regexp.MustCompile(`(?i)^(x-?)?((idem\w*|dedup\w*|event|evt|message|msg|delivery|webhook|notification|update|request|req|command|envelope|outbox)_?-?(id|key|uuid)|idem\w*|dedup\w*|message-?id|x-github-delivery|ce-id|svix-id)$|(?i)(event|delivery|message|msg|webhook|idempotency|dedupe?|notification)[_-]?(id|key)$`)
	weakWord   = regexp.MustCompile(`(?i)^(key|id|k|\w*(task|job|txn?|transaction|order|payment|charge|invoice|transfer|refund|intent|batch|op|operation|reservation|booking|payout|purchase|withdrawal|deposit|settlement|shipment|voucher|claim|instruction|entry|run|export|import|upload|mail|sms)_?(id|key|uuid|ref|reference|no|number))$`)
	eventWord  = regexp.MustCompile(`(?i)^(e|ev|evt|event|m|msg|message|d|delivery|rec|record|n|notification|cmd|command|env|envelope|job|task|t|hook|webhook)$`)
	lockWord   = regexp.MustCompile(`(?i)(lock|mutex|leader|lease|semaphore|in-?flight|inprogress|in_progress)`)
	limitWord  = regexp.MustCompile(`(?i)(rate|limit|throttle|quota|session|token|cache|otp|captcha|nonce)`)
)

// identity says how certain it is that a key identifies a message, an event or a request: 2 certain, 1 likely, 0 not.
func (t *tracer) identity(op storeOp) int {
	best := 0
	for _, e := range op.key {
		o := t.expr(e, op.f)
		for _, h := range o.headers {
			if isKeyHeader(h) || strongWord.MatchString(h) {
				return 2
			}
		}
		for i, w := range o.words {
			switch {
			case strongWord.MatchString(w):
				best = max(best, 2)
			case (w == "ID" || w == "Id" || w == "UUID" || w == "MessageId" || w == "GetID") && i > 0 && eventWord.MatchString(o.words[i-1]):
				best = max(best, 2)
			case weakWord.MatchString(w), w == "ID", w == "Id":
				best = max(best, 1)
			}
		}
		for _, s := range o.texts {
			if dedupeNoun.MatchString(s) {
				best = max(best, 2)
			}
		}
	}
	return best
}

// identified reports whether a key says by its name that it identifies a message, an event or a request: the header of a key,
// a variable called eventID. An id of something else, such as a task's own, does not.
func (t *tracer) identified(op storeOp) bool {
	for _, e := range op.key {
		o := t.expr(e, op.f)
		for _, s := range [][]string{o.headers, o.words} {
			for _, w := range s {
				if isKeyHeader(w) || strongWord.MatchString(w) {
					return true
				}
			}
		}
	}
	return false
}

// keyTexts are the literal parts of an operation's key.
func (t *tracer) keyTexts(op storeOp) string {
	var s []string
	for _, e := range op.key {
		o := t.expr(e, op.f)
		s = append(s, o.texts...)
	}
	return strings.Join(s, " ")
}

// storeStep is a place in a function where a store is used or a helper is called that may use one.
type storeStep struct {
	node     ast.Node
	helper   *fn // nil: an operation of the function itself
	deferred bool
}

// storeSteps are the places of a function where operations on stores may be, in source order. They do not depend on the
// caller, so they are searched once for each function.
func (t *tracer) storeSteps(g *fn) []storeStep {
	if steps, ok := t.steps[g]; ok {
		return steps
	}
	var out []storeStep
	f := newFrame(g)
	deferred := map[ast.Node]bool{}
	ast.Inspect(g.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return deferred[n] // the body of a deferred closure runs at the end of this function
		case *ast.DeferStmt:
			deferred[n.Call] = true
			if lit, ok := n.Call.Fun.(*ast.FuncLit); ok {
				deferred[lit] = true
				ast.Inspect(lit.Body, func(m ast.Node) bool {
					if c, ok := m.(*ast.CallExpr); ok {
						deferred[c] = true
					}
					return true
				})
			}
		case *ast.CallExpr:
			if _, ok := t.callOp(n, f); ok {
				out = append(out, storeStep{node: n, deferred: deferred[n]})
				return true
			}
			h := t.u.target(n)
			if h == nil {
				h = t.u.implementation(n)
			}
			if h != nil && h != g && h.body != nil {
				out = append(out, storeStep{node: n, helper: h, deferred: deferred[n]})
			}
		case *ast.IndexExpr:
			if _, ok := t.mapOp(n); ok {
				out = append(out, storeStep{node: n})
			}
		}
		return true
	})
	t.steps[g] = out
	return out
}

// maxHelpers is how many helpers may lie between a function and an operation on a store that counts as the function's.
const maxHelpers = 3

// mayUseStore reports whether ops can find anything in g at a depth.
func (t *tracer) mayUseStore(g *fn, depth int) bool {
	if depth > maxHelpers {
		return false
	}
	if g.unit != t.u {
		return g.unit.tracing().mayUseStore(g, depth)
	}
	k := storeDepth{g, depth}
	if may, ok := t.mayUse[k]; ok {
		return may
	}
	may := false
	for _, s := range t.storeSteps(g) {
		if s.helper == nil || t.mayUseStore(s.helper, depth+1) {
			may = true
			break
		}
	}
	t.mayUse[k] = may
	return may
}

type storeDepth struct {
	fn    *fn
	depth int
}

// ops lists the operations on stores in a function, those of the helpers that it calls included, in source order.
func (t *tracer) ops(f *frame, depth int) []storeOp {
	g := f.fn
	if g == nil || g.body == nil || !t.mayUseStore(g, depth) {
		return nil
	}
	var out []storeOp
	add := func(o storeOp, n ast.Node) {
		if o.node == nil {
			o.node = n
		}
		if o.inner == nil {
			o.inner = n
		}
		if o.in == nil {
			o.in = g
		}
		if o.f == nil {
			o.f = f
		}
		out = append(out, o)
	}
	for _, s := range t.storeSteps(g) {
		switch n := s.node.(type) {
		case *ast.CallExpr:
			if s.helper == nil {
				if o, ok := t.callOp(n, f); ok {
					o.deferred = s.deferred
					add(o, n)
				}
				continue
			}
			if h := s.helper; t.mayUseStore(h, depth+1) && !recursive(f, h) {
				for _, o := range h.unit.tracing().helperOps(&frame{fn: h, call: n, up: f, run: f.run}, depth+1) {
					if o.class == "memory" && o.in == h && t.passing(n, o, g) {
						continue
					}
					o.node, o.helper, o.deferred = n, h, o.deferred || s.deferred
					add(o, n)
				}
			}
		case *ast.IndexExpr:
			if o, ok := t.mapOp(n); ok {
				add(o, n)
			}
		}
	}
	return out
}

func recursive(f *frame, g *fn) bool {
	for ; f != nil; f = f.up {
		if f.fn == g {
			return true
		}
	}
	return false
}

// helperOps are the operations of a helper as its caller sees them: a look and a write with nothing between them are a
// claim.
func (t *tracer) helperOps(f *frame, depth int) []storeOp {
	list := t.ops(f, depth)
	if len(list) < 2 || !returnsBool(f.fn) {
		return list
	}
	read, write := -1, -1
	for i, o := range list {
		switch o.kind {
		case opRead:
			if read < 0 {
				read = i
			}
		case opWrite:
			write = i
		}
	}
	if read >= 0 && write > read && list[read].class == list[write].class && list[read].store == list[write].store && len(t.effects(f, list)) == 0 {
		claim := list[write]
		claim.kind = opClaim
		return []storeOp{claim}
	}
	return list
}

// returnsBool reports whether a function says yes or no, so that a caller can act on it.
func returnsBool(g *fn) bool {
	if g.typ == nil || g.typ.Results == nil {
		return false
	}
	for _, r := range g.typ.Results.List {
		if id, ok := r.Type.(*ast.Ident); ok && (id.Name == "bool" || id.Name == "error") {
			return true
		}
	}
	return false
}

// implementation is the one method of this package that an interface call can mean.
func (u *unit) implementation(c *ast.CallExpr) *fn {
	k := u.callee(c)
	if k.fun == nil || !isInterfaceMethod(k.fun) {
		return nil
	}
	g, ok := u.implOf[k.fun]
	if !ok {
		if u.implOf == nil {
			u.implOf = map[*types.Func]*fn{}
		}
		g = u.implementationOf(k.fun)
		u.implOf[k.fun] = g
	}
	return g
}

func (u *unit) implementationOf(m *types.Func) *fn {
	sig, ok := m.Type().(*types.Signature)
	if !ok || sig.Recv() == nil {
		return nil
	}
	iface, ok := sig.Recv().Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var found *fn
	for _, g := range u.fns {
		if g.decl == nil || g.decl.Recv == nil || g.decl.Name.Name != m.Name() || g.obj == nil {
			continue
		}
		s, ok := g.obj.Type().(*types.Signature)
		if !ok || s.Recv() == nil {
			continue
		}
		rt := s.Recv().Type()
		if types.Implements(rt, iface) || types.Implements(types.NewPointer(rt), iface) {
			if found != nil {
				return nil
			}
			found = g
		}
	}
	return found
}

// mapOp is an element of a map or set that is looked at, written or deleted.
func (t *tracer) mapOp(x *ast.IndexExpr) (storeOp, bool) {
	typ := t.u.typeOf(x.X)
	if typ == nil {
		return storeOp{}, false
	}
	m, ok := typ.Underlying().(*types.Map)
	if !ok {
		return storeOp{}, false
	}
	if b, ok := m.Key().Underlying().(*types.Basic); ok && b.Info()&types.IsString == 0 {
		if b.Info()&types.IsInteger == 0 {
			return storeOp{}, false
		}
	}
	o := storeOp{kind: opRead, class: "memory", store: written(x.X), key: []ast.Expr{x.Index}, named: dedupeNoun.MatchString(written(x.X))}
	var obj types.Object
	switch b := ast.Unparen(x.X).(type) {
	case *ast.Ident:
		obj = t.u.object(b)
		if !t.global[obj] {
			if g := t.ownerOf(asVar(obj), t.u.enclosing(x)); g != nil && g == t.u.enclosing(x) {
				return storeOp{}, false // a map that lives as long as the call remembers nothing
			} else if g != nil && !outlives(g) {
				return storeOp{}, false // nor does one of a function that runs closures and is done with them
			}
		}
	case *ast.SelectorExpr:
		obj = t.u.object(b.Sel)
	}
	if obj == nil {
		return storeOp{}, false
	}
	o.place = t.declNode(obj)
	if a, ok := t.u.parent(x).(*ast.AssignStmt); ok {
		for i, l := range a.Lhs {
			if l == ast.Expr(x) {
				o.kind, o.node = opWrite, a
				if len(a.Lhs) == len(a.Rhs) {
					o.value = a.Rhs[i : i+1]
				}
			}
		}
	}
	return o, true
}

// outlives reports whether the closures of a function may run after it has returned, or for as long as the program runs: it
// is main or init, it gives one back, or it starts or registers one for what comes in.
func outlives(f *fn) bool {
	if f.decl == nil || f.decl.Recv == nil && isWord(f.decl.Name.Name, "main", "init", "run", "Run", "serve", "Serve") {
		return true
	}
	if f.typ != nil && f.typ.Results != nil {
		for _, r := range f.typ.Results.List {
			t := f.unit.typeOf(r.Type)
			if t == nil {
				return true
			}
			switch t.Underlying().(type) {
			case *types.Signature:
				return true
			case *types.Interface:
				if !isErrorType(t) {
					return true
				}
			}
		}
	}
	for _, c := range f.calls {
		if c.spawn || isWord(f.unit.callee(c.expr).sel, "HandleFunc", "Handle", "Subscribe", "QueueSubscribe", "Consume", "AddHandler", "AddNoPublisherHandler", "Use", "ListenAndServe") {
			return true
		}
	}
	return false
}

func asVar(o types.Object) *types.Var { v, _ := o.(*types.Var); return v }

// declNode is the identifier that declares a variable or field of this package.
func (t *tracer) declNode(o types.Object) ast.Node {
	for _, id := range t.usesOf(o) {
		if t.u.info.Def(id) == o {
			return id
		}
	}
	return nil
}

// found is a boundary of the model before it is written.
func (u *unit) storeKind(class string) model.StoreKind {
	switch class {
	case "memory", "cache", "lru":
		return model.StoreMemory
	case "memcached":
		return model.StoreEvicting
	case "redis", "sql", "dynamodb", "mongo":
		return model.StoreDurable
	case "singleflight":
		return model.StoreInFlight
	}
	return model.StoreUnknown
}
