package analyzers

import (
	"go/ast"
	"go/types"
	"regexp"
	"strings"
)

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
		o := storeOp{class: "memory", store: recv, named: t.u.shared.matches(dedupeNoun, recv), place: t.placeOf(sel.X)}
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
	about := t.u.shared.matches(dedupeNoun, recv) || t.u.shared.matches(dedupeNoun, typ)
	if !about && (t.u.shared.matches(plainRead, name) || t.u.shared.matches(plainWrite, name) || t.u.shared.matches(plainDelete, name)) {
		about = t.claimedFrom(recv, t.u.enclosing(c))
	}
	kind := opKind(0)
	switch {
	case t.u.shared.matches(claimName, name):
		kind = opClaim
	case t.u.shared.matches(readName, name):
		kind = opRead
	case t.u.shared.matches(writeName, name):
		kind = opWrite
	case about && t.u.shared.matches(plainRead, name):
		kind = opRead
	case about && t.u.shared.matches(plainWrite, name):
		kind = opWrite
	case about && t.u.shared.matches(plainDelete, name):
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

// claimedFrom reports whether a function also calls what only a memory of keys has (Claim, MarkProcessed) on a receiver.
func (t *tracer) claimedFrom(recv string, g *fn) bool {
	for ; g != nil; g = g.parent {
		for _, c := range g.calls {
			s, ok := ast.Unparen(c.expr.Fun).(*ast.SelectorExpr)
			if ok && (claimName.MatchString(s.Sel.Name) || readName.MatchString(s.Sel.Name) || writeName.MatchString(s.Sel.Name)) && written(s.X) == recv {
				return true
			}
		}
	}
	return false
}

var (
	claimName   = regexp.MustCompile(`^(Try)?(Claim|Acquire(Key)?|Reserve|SetIfAbsent|PutIfAbsent|SetIfNotExists?|AddIfAbsent|AddIfNew|InsertIfAbsent|InsertIfNotExists?|CheckAndSet|CheckAndMark|CheckAndRecord|FirstTime|FirstSeen|IsFirst|MarkIfNew|TryMark|Mark(AsNew)?Once|RegisterOnce|IsNew|CreateIfNotExists?|ClaimKey|SeenBefore|RecordIfNew|StoreIfAbsent)$`)
	readName    = regexp.MustCompile(`^(Seen|HasSeen|IsSeen|IsProcessed|WasProcessed|AlreadyProcessed|HasProcessed|IsHandled|AlreadyHandled|WasHandled|HasBeenProcessed|HasBeenSeen|IsDuplicate|AlreadySeen|AlreadyDone|IsDone|CheckDuplicate|HasKey|KeyExists|ExistsKey|IsDelivered)$`)
	writeName   = regexp.MustCompile(`^(Mark(As)?(Seen|Processed|Done|Handled|Consumed|Delivered|Completed?)|SetProcessed|SetSeen|Remember(Key)?|RecordProcessed|RecordKey|SaveKey|SaveProcessed|StoreKey|AddProcessed|AddSeen)$`)
	plainRead   = regexp.MustCompile(`^(Get|Find|Load|Lookup|LookUp|Exists|Has|Contains|Check|Fetch|GetResponse|GetResult|ByKey|Is\w+|Recall)$`)
	plainWrite  = regexp.MustCompile(`^(Set|Put|Save|Store|Add|Insert|Record|Create|Mark|Write|Complete|Finish|SaveResponse|SaveResult|SetResult|Upsert|Register|Done)$`)
	plainDelete = regexp.MustCompile(`^(Delete|Del|Remove|Release|Forget|Unmark|Clear|Rollback|Abort|Unclaim|Fail|Discard)$`)
)
