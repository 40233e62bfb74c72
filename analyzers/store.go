package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
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
}

var (
	dedupeNoun = regexp.MustCompile(`(?i)(idem|dedup|de_dup|seen|processed|inbox|handled|consumed|delivered|replay|already|duplicate|once|claims?$|fulfilled)`)
	strongWord = regexp.MustCompile(`(?i)^(x-?)?((idem\w*|dedup\w*|event|evt|message|msg|delivery|webhook|notification|update|request|req|command|envelope|outbox)_?-?(id|key|uuid)|idem\w*|dedup\w*|message-?id|x-github-delivery|ce-id|svix-id)$|(?i)(event|delivery|message|msg|webhook|idempotency|dedupe?|notification)[_-]?(id|key)$`)
	weakWord   = regexp.MustCompile(`(?i)^(key|id|k|(task|job|txn?|transaction|order|payment|charge|invoice|transfer|refund|intent|batch|op|operation)_?(id|key))$`)
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

// passing reports whether a call works on a map in a struct that the caller has just made and that ends with it, as the
// queue of a graph's walk does: like a local map it remembers nothing. Where the loop around the call takes work from
// outside (for ever, from a channel, while there is another row) the struct lives as long as the program.
func (t *tracer) passing(c *ast.CallExpr, o storeOp, g *fn) bool {
	x, ok := o.inner.(*ast.IndexExpr)
	if a, isAssign := o.inner.(*ast.AssignStmt); isAssign && len(a.Lhs) == 1 {
		x, ok = a.Lhs[0].(*ast.IndexExpr)
	}
	if !ok {
		return false
	}
	field, ok := x.X.(*ast.SelectorExpr)
	if !ok || !isReceiver(o.in.unit, o.in, o.in.unit.object(identOf(field.X))) {
		return false
	}
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	v := asVar(t.u.object(identOf(sel.X)))
	if v == nil || t.global[v] || t.ownerOf(v, g) != g || isReceiver(t.u, g, v) {
		return false
	}
	if _, ok := paramIndex(t.u, g, v); ok {
		return false
	}
	sets := 0
	for _, id := range t.uses[v] {
		a, ok := t.u.parent(id).(*ast.AssignStmt)
		if !ok || !slices.Contains(a.Lhs, ast.Expr(id)) {
			continue
		}
		if sets++; len(a.Lhs) != len(a.Rhs) || !t.makesStruct(a.Rhs[slices.Index(a.Lhs, ast.Expr(id))], 0) {
			return false
		}
	}
	if sets == 0 {
		return false
	}
	for n := ast.Node(c); n != nil && n != g.node(); n = t.u.parent(n) {
		switch l := n.(type) {
		case *ast.ForStmt:
			if _, call := l.Cond.(*ast.CallExpr); call || l.Cond == nil {
				return false
			}
		case *ast.RangeStmt:
			if typ := t.u.typeOf(l.X); typ == nil || isChannel(typ) {
				return false
			}
		}
	}
	return true
}

// makesStruct reports whether an expression makes a struct: a literal, or a call of a function that returns one.
func (t *tracer) makesStruct(e ast.Expr, depth int) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return x.Op == token.AND && t.makesStruct(x.X, depth)
	case *ast.CompositeLit:
		return true
	case *ast.Ident: // the variable that a constructor returns
		for _, id := range t.uses[t.u.object(x)] {
			if a, ok := t.u.parent(id).(*ast.AssignStmt); ok && a.Tok == token.DEFINE && len(a.Lhs) == 1 && a.Lhs[0] == ast.Expr(id) {
				return depth == 1 && t.makesStruct(a.Rhs[0], depth+1)
			}
		}
	case *ast.CallExpr:
		g := t.u.target(x)
		if g == nil || g.body == nil || g.unit != t.u || depth > 0 || len(g.body.List) == 0 {
			return false
		}
		r, ok := g.body.List[len(g.body.List)-1].(*ast.ReturnStmt)
		return ok && len(r.Results) == 1 && t.makesStruct(r.Results[0], depth+1)
	}
	return false
}

func identOf(e ast.Expr) *ast.Ident { id, _ := ast.Unparen(e).(*ast.Ident); return id }

func isChannel(t types.Type) bool { _, ok := t.Underlying().(*types.Chan); return ok }

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

func asVar(o types.Object) *types.Var { v, _ := o.(*types.Var); return v }

// declNode is the identifier that declares a variable or field of this package.
func (t *tracer) declNode(o types.Object) ast.Node {
	for _, id := range t.uses[o] {
		if t.u.info.Defs[id] == o {
			return id
		}
	}
	return nil
}

// callOp is a call of a store's client.
func (t *tracer) callOp(c *ast.CallExpr, f *frame) (storeOp, bool) {
	k := t.u.callee(c)
	if id, ok := ast.Unparen(c.Fun).(*ast.Ident); ok && id.Name == "delete" && len(c.Args) == 2 {
		if typ := t.u.typeOf(c.Args[0]); typ != nil {
			if _, ok := typ.Underlying().(*types.Map); ok {
				return storeOp{kind: opDelete, class: "memory", store: written(c.Args[0]), key: c.Args[1:]}, true
			}
		}
		return storeOp{}, false
	}
	sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok || k.conv {
		return storeOp{}, false
	}
	recv := written(sel.X)
	class := t.storeClass(k, sel)
	switch class {
	case "redis":
		return t.redisOp(c, sel, recv)
	case "redigo":
		return t.redigoOp(c, sel, recv)
	case "rueidis":
		return t.rueidisOp(c, sel, recv)
	case "memcached":
		return t.memcachedOp(c, sel, recv, f)
	case "sync.Map":
		o := storeOp{class: "memory", store: recv, named: dedupeNoun.MatchString(recv), place: t.placeOf(sel.X)}
		switch sel.Sel.Name {
		case "LoadOrStore":
			o.kind = opClaim
		case "Load":
			o.kind = opRead
		case "Store", "Swap":
			o.kind = opWrite
		case "Delete", "LoadAndDelete":
			o.kind = opDelete
		case "CompareAndSwap":
			return storeOp{}, false
		default:
			return storeOp{}, false
		}
		o.key = c.Args[:min(1, len(c.Args))]
		if len(c.Args) > 1 {
			o.value = c.Args[1:]
		}
		return o, len(o.key) > 0
	case "cache", "lru":
		return t.cacheOp(c, sel, recv, class)
	case "sql":
		return t.sqlOp(c, sel, f)
	case "gorm":
		return t.gormOp(c, sel, f)
	case "dynamodb":
		return t.dynamoOp(c, sel, recv, f)
	case "mongo":
		return t.mongoOp(c, sel, recv, f)
	}
	return t.namedOp(c, k, sel, recv)
}

// storeClass says by the type or import path of the receiver what kind of store a call is on.
func (t *tracer) storeClass(k callee, sel *ast.SelectorExpr) string {
	typ := typeText(t.u.typeOf(sel.X))
	if typ == "" {
		typ = withoutPointer.Replace(t.u.foreign(sel.X, 0))
	}
	p := k.name
	has := func(s string) bool { return strings.HasPrefix(typ, s) || strings.HasPrefix(p, s) }
	switch {
	case has("github.com/redis/go-redis/"), has("github.com/go-redis/redis"), has("gopkg.in/redis."), has("github.com/redis/rueidis/rueidiscompat"):
		return "redis"
	case has("github.com/gomodule/redigo"), has("github.com/garyburd/redigo"):
		return "redigo"
	case has("github.com/redis/rueidis"), has("github.com/rueian/rueidis"), has("github.com/valkey-io/valkey-go"):
		return "rueidis"
	case has("github.com/bradfitz/gomemcache"):
		return "memcached"
	case typ == "sync.Map":
		return "sync.Map"
	case has("github.com/patrickmn/go-cache"), has("github.com/allegro/bigcache"), has("github.com/jellydator/ttlcache"), has("github.com/ReneKroon/ttlcache"), has("github.com/coocood/freecache"),
		has("github.com/dgraph-io/ristretto"), has("github.com/maypok86/otter"), has("github.com/karlseguin/ccache"):
		return "cache"
	case has("github.com/hashicorp/golang-lru"), has("github.com/golang/groupcache/lru"), has("github.com/bluele/gcache"):
		return "lru"
	case has("github.com/aws/aws-sdk-go-v2/service/dynamodb"), has("github.com/aws/aws-sdk-go/service/dynamodb"):
		return "dynamodb"
	case has("go.mongodb.org/mongo-driver"):
		return "mongo"
	case has("gorm.io/gorm"):
		return "gorm"
	case has("database/sql."), has("github.com/jmoiron/sqlx"), has("github.com/jackc/pgx"):
		return "sql"
	}
	switch sel.Sel.Name {
	case "Exec", "ExecContext", "Query", "QueryContext", "QueryRow", "QueryRowContext", "Get", "GetContext", "Select", "SelectContext", "NamedExec", "NamedExecContext":
		return "sql?"[:3]
	}
	// A client behind an interface of one's own: the methods of go-redis say who it is.
	switch sel.Sel.Name {
	case "SetNX", "SetArgs", "SetEx", "SetEX":
		return "redis"
	}
	return ""
}

// placeOf is the declaration of the variable or field that holds a store.
func (t *tracer) placeOf(e ast.Expr) ast.Node {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		return t.declNode(t.u.object(x))
	case *ast.SelectorExpr:
		return t.declNode(t.u.object(x.Sel))
	}
	return nil
}

// namedOp is a call of a store of which only the names are known, such as an interface of one's own.
func (t *tracer) namedOp(c *ast.CallExpr, k callee, sel *ast.SelectorExpr, recv string) (storeOp, bool) {
	if t.isPackage(sel.X) || k.to != nil && k.to.body != nil || t.u.implementation(c) != nil {
		return storeOp{}, false
	}
	name := sel.Sel.Name
	typ := typeText(t.u.typeOf(sel.X))
	about := dedupeNoun.MatchString(recv) || dedupeNoun.MatchString(typ)
	kind := opKind(0)
	switch {
	case claimName.MatchString(name):
		kind = opClaim
	case readName.MatchString(name):
		kind = opRead
	case writeName.MatchString(name):
		kind = opWrite
	case about && plainRead.MatchString(name):
		kind = opRead
	case about && plainWrite.MatchString(name):
		kind = opWrite
	case about && plainDelete.MatchString(name):
		kind = opDelete
	default:
		return storeOp{}, false
	}
	o := storeOp{kind: kind, class: "store", store: recv, named: about}
	for i, a := range c.Args {
		if i == 0 && (isContext(t.u.typeOf(a)) || isCtxName(a)) {
			continue
		}
		if typ := t.u.typeOf(a); typ != nil && isDuration(typ) {
			o.ttl = a
			continue
		}
		if typ := namedText(t.u.typeOf(a)); strings.Contains(typ, "sql.") && strings.Contains(typ, "Tx") || strings.Contains(typ, "pgx") && strings.Contains(typ, "Tx") {
			o.tx, o.hdl = true, a
			continue
		}
		if len(o.key) == 0 {
			o.key = c.Args[i : i+1]
		} else {
			o.value = append(o.value, a)
		}
	}
	return o, len(o.key) > 0
}

var (
	claimName   = regexp.MustCompile(`^(Try)?(Claim|Acquire(Key)?|Reserve|SetIfAbsent|PutIfAbsent|SetIfNotExists?|AddIfAbsent|AddIfNew|InsertIfAbsent|InsertIfNotExists?|CheckAndSet|CheckAndMark|CheckAndRecord|FirstTime|FirstSeen|IsFirst|MarkIfNew|TryMark|Mark(AsNew)?Once|RegisterOnce|IsNew|CreateIfNotExists?|ClaimKey|SeenBefore|RecordIfNew|StoreIfAbsent)$`)
	readName    = regexp.MustCompile(`^(Seen|HasSeen|IsSeen|IsProcessed|WasProcessed|AlreadyProcessed|HasProcessed|IsHandled|AlreadyHandled|WasHandled|HasBeenProcessed|HasBeenSeen|IsDuplicate|AlreadySeen|AlreadyDone|IsDone|CheckDuplicate|HasKey|KeyExists|ExistsKey|IsDelivered)$`)
	writeName   = regexp.MustCompile(`^(Mark(As)?(Seen|Processed|Done|Handled|Consumed|Delivered|Completed?)|SetProcessed|SetSeen|Remember(Key)?|RecordProcessed|RecordKey|SaveKey|SaveProcessed|StoreKey|AddProcessed|AddSeen)$`)
	plainRead   = regexp.MustCompile(`^(Get|Find|Load|Lookup|LookUp|Exists|Has|Contains|Check|Fetch|GetResponse|GetResult|ByKey|Is\w+|Recall)$`)
	plainWrite  = regexp.MustCompile(`^(Set|Put|Save|Store|Add|Insert|Record|Create|Mark|Write|Complete|Finish|SaveResponse|SaveResult|SetResult|Upsert|Register|Done)$`)
	plainDelete = regexp.MustCompile(`^(Delete|Del|Remove|Release|Forget|Unmark|Clear|Rollback|Abort|Unclaim|Fail|Discard)$`)
)

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
