package analyzers

import (
	"go/ast"
	"regexp"
	"strings"
	"time"

	"github.com/retrylint/retrylint/analyzers/libs"
)

// redisOp is a call of go-redis v8 or v9 (go-libraries.md 10.3).
func (t *tracer) redisOp(c *ast.CallExpr, sel *ast.SelectorExpr, recv string) (storeOp, bool) {
	o := storeOp{class: "redis", store: recv}
	args := c.Args
	if len(args) > 0 && (isContext(t.u.typeOf(args[0])) || isCtxCall(args[0])) {
		args = args[1:]
	}
	if len(args) == 0 {
		return storeOp{}, false
	}
	o.key = args[:1]
	at := func(i int) ast.Expr {
		if i < len(args) {
			return args[i]
		}
		return nil
	}
	switch sel.Sel.Name {
	case "SetNX":
		o.kind, o.ttl = opClaim, at(2)
	case "SetArgs":
		lit, _ := t.u.literalOf(at(2), t.u.enclosing(c), 0)
		if lit == nil {
			return storeOp{}, false
		}
		mode := t.u.litFieldExpr(lit, "Mode")
		o.kind = opWrite
		if s, ok := t.constantText(mode); ok && strings.EqualFold(s, "NX") {
			o.kind = opClaim
		}
		o.ttl = t.u.litFieldExpr(lit, "TTL")
	case "Set", "SetEx", "SetEX", "SetXX":
		o.kind, o.ttl = opWrite, at(2)
	case "Get", "GetEx", "Exists", "MGet", "HGet", "HExists", "SIsMember", "GetDel":
		o.kind = opRead
	case "HSetNX":
		o.kind, o.permanent = opClaim, true
		o.key = args[:min(2, len(args))]
	case "SAdd":
		o.kind, o.permanent = opClaim, true
		o.key = args[min(1, len(args)-1):]
	case "HSet":
		o.kind = opWrite
	case "Del", "Unlink", "HDel", "SRem":
		o.kind = opDelete
	case "Expire", "PExpire", "ExpireNX":
		o.kind, o.ttl = opTouch, at(1)
	default:
		return storeOp{}, false
	}
	if len(args) > 1 {
		o.value = args[1:2]
	}
	return o, true
}

func isCtxCall(e ast.Expr) bool {
	s := written(e)
	return isCtxName(e) || strings.HasSuffix(s, ".Context()") || strings.HasPrefix(s, "context.") || strings.HasSuffix(s, "UserContext()")
}

func (t *tracer) constantText(e ast.Expr) (string, bool) {
	if e == nil {
		return "", false
	}
	o, ok := t.constantOf(e)
	if !ok || len(o.texts) != 1 {
		return "", false
	}
	return o.texts[0], true
}

// redigoOp is conn.Do("SET", key, v, "NX", "EX", seconds).
func (t *tracer) redigoOp(c *ast.CallExpr, sel *ast.SelectorExpr, recv string) (storeOp, bool) {
	args := c.Args
	switch sel.Sel.Name {
	case "Do", "Send":
	case "DoContext":
		args = args[min(1, len(args)):]
	default:
		return storeOp{}, false
	}
	if len(args) < 2 {
		return storeOp{}, false
	}
	cmd, ok := t.constantText(args[0])
	if !ok {
		return storeOp{}, false
	}
	o := storeOp{class: "redis", store: recv, key: args[1:2]}
	switch strings.ToUpper(cmd) {
	case "SETNX":
		o.kind, o.permanent = opClaim, true
	case "GET", "EXISTS":
		o.kind = opRead
	case "DEL":
		o.kind = opDelete
	case "EXPIRE":
		o.kind, o.unit = opTouch, time.Second
		if len(args) > 2 {
			o.ttl = args[2]
		}
	case "SETEX":
		o.kind, o.unit = opWrite, time.Second
		if len(args) > 2 {
			o.ttl = args[2]
		}
	case "SET":
		o.kind = opWrite
		if len(args) > 2 {
			o.value = args[2:3]
		}
		for i, a := range args[2:] {
			s, ok := t.constantText(a)
			if !ok {
				continue
			}
			switch strings.ToUpper(s) {
			case "NX":
				o.kind = opClaim
			case "EX", "PX":
				o.unit = time.Second
				if strings.EqualFold(s, "PX") {
					o.unit = time.Millisecond
				}
				if j := i + 3; j < len(args) {
					o.ttl = args[j]
				}
			}
		}
	default:
		return storeOp{}, false
	}
	return o, true
}

// rueidisOp is client.Do(ctx, client.B().Set().Key(k).Value(v).Nx().Ex(d).Build()).
func (t *tracer) rueidisOp(c *ast.CallExpr, sel *ast.SelectorExpr, recv string) (storeOp, bool) {
	if sel.Sel.Name != "Do" && sel.Sel.Name != "DoCache" || len(c.Args) < 2 {
		return storeOp{}, false
	}
	o := storeOp{class: "redis", store: recv}
	nx := false
	for e := ast.Expr(c.Args[1]); ; {
		cc, ok := ast.Unparen(e).(*ast.CallExpr)
		if !ok {
			break
		}
		s, ok := cc.Fun.(*ast.SelectorExpr)
		if !ok {
			break
		}
		switch s.Sel.Name {
		case "Key":
			o.key = cc.Args
		case "Value":
			o.value = cc.Args
		case "Nx":
			nx = true
		case "Ex", "Px":
			o.ttl = firstExpr(cc.Args)
		case "ExSeconds":
			o.ttl, o.unit = firstExpr(cc.Args), time.Second
		case "PxMilliseconds":
			o.ttl, o.unit = firstExpr(cc.Args), time.Millisecond
		case "Set":
			o.kind = opWrite
		case "Get", "Exists":
			o.kind = opRead
		case "Setnx":
			o.kind, o.permanent = opClaim, true
		case "Del":
			o.kind = opDelete
		}
		e = s.X
	}
	if nx && o.kind == opWrite {
		o.kind = opClaim
	}
	return o, o.kind != 0 && len(o.key) > 0
}

func firstExpr(list []ast.Expr) ast.Expr {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// memcachedOp is a call of gomemcache: Expiration is in seconds.
func (t *tracer) memcachedOp(c *ast.CallExpr, sel *ast.SelectorExpr, recv string, f *frame) (storeOp, bool) {
	o := storeOp{class: "memcached", store: recv, key: c.Args[:min(1, len(c.Args))]}
	if len(c.Args) == 0 {
		return storeOp{}, false
	}
	switch sel.Sel.Name {
	case "Add":
		o.kind = opClaim
	case "Set", "Replace":
		o.kind = opWrite
	case "Get":
		o.kind = opRead
	case "Delete":
		o.kind = opDelete
	case "Touch":
		o.kind = opTouch
	default:
		return storeOp{}, false
	}
	if lit, _ := t.u.literalOf(c.Args[0], f.fn, 0); lit != nil {
		if k := t.u.litFieldExpr(lit, "Key"); k != nil {
			o.key = []ast.Expr{k}
		}
		if v := t.u.litFieldExpr(lit, "Value"); v != nil {
			o.value = []ast.Expr{v}
		}
		o.ttl, o.unit = t.u.litFieldExpr(lit, "Expiration"), time.Second
	}
	return o, true
}

// cacheOp is a call of a cache within the process.
func (t *tracer) cacheOp(c *ast.CallExpr, sel *ast.SelectorExpr, recv, class string) (storeOp, bool) {
	if len(c.Args) == 0 {
		return storeOp{}, false
	}
	o := storeOp{class: class, store: recv, key: c.Args[:1], named: dedupeNoun.MatchString(recv), place: t.placeOf(sel.X)}
	if len(c.Args) > 1 {
		o.value = c.Args[1:2]
	}
	switch sel.Sel.Name {
	case "Add":
		o.kind = opClaim
		if class == "lru" {
			o.kind = opWrite
		} else if len(c.Args) > 2 {
			o.ttl = c.Args[2]
		}
	case "ContainsOrAdd", "PeekOrAdd", "SetIfAbsent", "GetOrSet", "SetIfNotExist":
		o.kind = opClaim
	case "Get", "Contains", "Peek", "Has", "GetIFPresent", "GetWithExpiration":
		o.kind = opRead
	case "Set", "SetDefault", "SetWithTTL", "SetWithExpire", "Put":
		o.kind = opWrite
		if n := len(c.Args); n > 2 {
			o.ttl = c.Args[n-1]
		}
	case "Delete", "Remove", "Del":
		o.kind = opDelete
	case "Touch":
		o.kind = opTouch
	default:
		return storeOp{}, false
	}
	if o.kind == opClaim || o.kind == opWrite {
		if isDefaultTTL(o.ttl) {
			o.ttl = nil
		}
		if o.ttl == nil {
			o.ttl = t.cacheTTL(sel.X)
			o.made = o.ttl != nil
		} else if strings.Contains(t.u.callee(c).name, "freecache") {
			o.unit = time.Second
		}
	}
	return o, true
}

// isDefaultTTL reports whether a time to live is the word of a cache for "as it was made".
func isDefaultTTL(e ast.Expr) bool {
	return e != nil && (strings.HasSuffix(written(e), "DefaultExpiration") || strings.HasSuffix(written(e), "DefaultTTL"))
}

// cacheTTL is the time to live that a cache was made with: go-cache New(5*time.Minute, ...), an option WithTTL, the last
// argument of an LRU that expires; nil where none is seen.
func (t *tracer) cacheTTL(cache ast.Expr) ast.Expr {
	_, site := t.u.nameAndSite(cache, t.u.enclosing(cache), nil, 0)
	us, _ := site.(*useSite)
	if us == nil || us.call == nil || us.u != t.u {
		return nil
	}
	k := t.u.callee(us.call)
	args := us.call.Args
	for _, a := range args {
		if c, ok := ast.Unparen(a).(*ast.CallExpr); ok && len(c.Args) > 0 {
			switch t.u.callee(c).sel {
			case "WithTTL", "WithExpiration", "WithExpiry", "WithDefaultExpiration":
				return c.Args[0]
			case "DefaultConfig": // bigcache
				return c.Args[len(c.Args)-1]
			}
		}
	}
	switch {
	case strings.Contains(k.name, "go-cache.New") && len(args) > 0 && !strings.HasSuffix(written(args[0]), "NoExpiration"):
		return args[0]
	case strings.HasSuffix(k.name, "expirable.NewLRU") && len(args) == 3:
		return args[2]
	}
	return nil
}

var (
	sqlInsert   = regexp.MustCompile(`(?is)^\s*(?:with\s.*?\)\s*)?(insert\s+(?:ignore\s+|or\s+ignore\s+)?into)\s+["'` + "`" + `\[]?([\w.]+)`)
	sqlIgnore   = regexp.MustCompile(`(?is)(on\s+conflict\s*(\([^)]*\))?\s*do\s+nothing|insert\s+ignore|insert\s+or\s+ignore|where\s+not\s+exists)`)
	sqlUpsert   = regexp.MustCompile(`(?is)(on\s+conflict|on\s+duplicate\s+key|^\s*replace\s+into|merge\s+into)`)
	sqlSelect   = regexp.MustCompile(`(?is)^\s*select\b.*?\bfrom\s+["'` + "`" + `\[]?([\w.]+)`)
	sqlDelete   = regexp.MustCompile(`(?is)^\s*delete\s+from\s+["'` + "`" + `\[]?([\w.]+)`)
	sqlUpdate   = regexp.MustCompile(`(?is)^\s*update\s+["'` + "`" + `\[]?([\w.]+)`)
	dedupeTable = regexp.MustCompile(`(?i)(inbox|processed|idempot|dedup|seen|handled|consumed|received|deliver(y|ies)|webhook_?events?|event_?log|message_?log|request_?log|receipts?$|claims?$|_keys$|^keys$|applied|once|replay)`)
)

// statement is the text of the SQL of a call, and its arguments.
func (t *tracer) statement(c *ast.CallExpr, f *frame) (string, []ast.Expr) {
	for i, a := range c.Args {
		if i > 2 {
			break
		}
		if s, ok := t.constantText(a); ok {
			if strings.ContainsAny(s, " \n\t") {
				return s, c.Args[i+1:]
			}
			continue
		}
		if v := t.u.value(a, f.fn); v.IsStr && strings.Contains(v.Str, " ") {
			return v.Str, c.Args[i+1:]
		}
		if cc, ok := ast.Unparen(a).(*ast.CallExpr); ok && len(cc.Args) > 0 {
			if s, ok := t.constantText(cc.Args[0]); ok && strings.Contains(s, " ") {
				return s, c.Args[i+1:] // fmt.Sprintf("INSERT ... %s", table)
			}
		}
	}
	return "", nil
}

// sqlOp is a statement on a table of keys.
func (t *tracer) sqlOp(c *ast.CallExpr, sel *ast.SelectorExpr, f *frame) (storeOp, bool) {
	switch sel.Sel.Name {
	case "Exec", "ExecContext", "MustExec", "NamedExec", "NamedExecContext", "Query", "QueryContext", "QueryRow", "QueryRowContext", "QueryRowx", "QueryRowxContext", "Get", "GetContext", "Select", "SelectContext":
	default:
		return storeOp{}, false
	}
	text, args := t.statement(c, f)
	if text == "" {
		return storeOp{}, false
	}
	o := storeOp{class: "sql", key: args, hdl: sel.X, permanent: true}
	switch {
	case sqlInsert.MatchString(text):
		o.store = table(sqlInsert.FindStringSubmatch(text)[2])
		o.kind = opWrite
		switch {
		case sqlIgnore.MatchString(text):
			o.kind = opClaim
			o.gives = strings.Contains(sel.Sel.Name, "Exec") // a query that gives no row says so by its error
		case sqlUpsert.MatchString(text):
		case t.handlesDuplicate(f.fn):
			o.kind = opClaim
		}
	case sqlSelect.MatchString(text):
		o.kind, o.store = opRead, table(sqlSelect.FindStringSubmatch(text)[1])
	case sqlDelete.MatchString(text):
		o.kind, o.store = opDelete, table(sqlDelete.FindStringSubmatch(text)[1])
	case sqlUpdate.MatchString(text):
		o.kind, o.store = opWrite, table(sqlUpdate.FindStringSubmatch(text)[1])
	default:
		return storeOp{}, false
	}
	o.named = dedupeTable.MatchString(o.store)
	o.tx = t.isTx(sel.X, f)
	return o, true
}

// table is a table's name without schema.
func table(s string) string {
	if i := strings.LastIndex(s, "."); i >= 0 {
		s = s[i+1:]
	}
	return strings.ToLower(strings.Trim(s, "\"'`[]"))
}

// isTx reports whether a database handle is a transaction, as far as types and the caller's argument say.
func (t *tracer) isTx(e ast.Expr, f *frame) bool {
	if r := chainRoot(e); r != nil && r != e {
		return t.isTx(r, f) // tx.Model(&row).Where(...)
	}
	typ := namedText(t.u.typeOf(e))
	if typ == "" {
		typ = t.u.foreign(e, 0)
	}
	switch {
	case strings.HasSuffix(typ, ".Tx") || strings.HasSuffix(typ, "(*Tx)") || strings.Contains(typ, ".Tx") && !strings.Contains(typ, "TxOptions"):
		return true
	case strings.HasSuffix(typ, "DB)") && !strings.Contains(typ, "gorm") || strings.HasSuffix(typ, "Pool)") || strings.HasSuffix(typ, "Conn)"):
		return false
	}
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		if v := asVar(t.u.object(id)); v != nil {
			if owner := t.ownerOf(v, f.fn); owner != nil {
				of := f.of(owner)
				if i, ok := paramIndex(t.u, owner, v); ok && of.call != nil && of.up != nil {
					if a := argument(of.call, i, owner); a != nil && of.up.fn != nil {
						return of.up.fn.unit.tracing().isTx(a, of.up)
					}
				}
			}
		}
		return strings.HasSuffix(strings.ToLower(id.Name), "tx")
	}
	if s, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
		return strings.HasSuffix(strings.ToLower(s.Sel.Name), "tx")
	}
	return false
}

var duplicateText = regexp.MustCompile(`(?i)(23505|1062|duplicate key|unique constraint|ErrDuplicat|UniqueViolation|IsDuplicate|ER_DUP_ENTRY|IsUnique|ErrConstraintUnique|uniqueViolation)`)

// handlesDuplicate reports whether a function looks for the error of a unique index.
func (t *tracer) handlesDuplicate(g *fn) bool {
	if g == nil || g.body == nil {
		return false
	}
	found := false
	ast.Inspect(g.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			found = found || duplicateText.MatchString(n.Value)
		case *ast.Ident:
			found = found || duplicateText.MatchString(n.Name)
		}
		return !found
	})
	return found
}

// gormOp is Clauses(clause.OnConflict{DoNothing: true}).Create(&row), and a Create whose duplicate error is looked at.
func (t *tracer) gormOp(c *ast.CallExpr, sel *ast.SelectorExpr, f *frame) (storeOp, bool) {
	o := storeOp{class: "sql", hdl: sel.X, permanent: true, key: c.Args}
	root := rootOfChain(sel.X)
	o.tx = strings.Contains(strings.ToLower(root), "tx")
	switch sel.Sel.Name {
	case "Create":
		o.kind = opWrite
		switch {
		case namesDoNothing(c.Fun):
			o.kind, o.gives = opClaim, true
		case t.handlesDuplicate(f.fn):
			o.kind = opClaim
		}
	case "FirstOrCreate":
		o.kind = opClaim
	case "First", "Take", "Find":
		o.kind = opRead
	case "Delete":
		o.kind = opDelete
	default:
		return storeOp{}, false
	}
	if len(c.Args) > 0 {
		typ := typeText(t.u.typeOf(c.Args[0]))
		o.store = typ[strings.LastIndex(typ, ".")+1:]
		o.named = dedupeTable.MatchString(o.store)
	}
	return o, len(o.key) > 0
}

// namesDoNothing reports whether a chain says that a row that is there stays as it is.
func namesDoNothing(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "DoNothing" {
			found = true
		}
		return !found
	})
	return found
}

// chainRoot is the variable or field that a chain of method calls begins with; nil where there is none.
func chainRoot(e ast.Expr) ast.Expr {
	for range 32 {
		c, ok := ast.Unparen(e).(*ast.CallExpr)
		if !ok {
			return e
		}
		s, ok := c.Fun.(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		e = s.X
	}
	return nil
}

func rootOfChain(e ast.Expr) string {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.CallExpr:
			e = x.Fun
		case *ast.SelectorExpr:
			if _, ok := ast.Unparen(x.X).(*ast.CallExpr); ok {
				e = x.X
				continue
			}
			if _, ok := ast.Unparen(x.X).(*ast.SelectorExpr); ok {
				return written(x.X)
			}
			return written(x.X)
		default:
			return written(e)
		}
	}
}

// dynamoOp is a conditional put, or a look-up.
func (t *tracer) dynamoOp(c *ast.CallExpr, sel *ast.SelectorExpr, recv string, f *frame) (storeOp, bool) {
	if len(c.Args) < 1 {
		return storeOp{}, false
	}
	in := c.Args[min(1, len(c.Args)-1)]
	lit, _ := t.u.literalOf(in, f.fn, 0)
	o := storeOp{class: "dynamodb", store: recv, key: []ast.Expr{in}, permanent: true}
	cond := ""
	if lit != nil {
		if n := t.u.litFieldExpr(lit, "TableName"); n != nil {
			o.store = written(n)
		}
		if k := t.u.litFieldExpr(lit, "Key"); k != nil {
			o.key = []ast.Expr{k}
		}
		if k := t.u.litFieldExpr(lit, "Item"); k != nil {
			o.key = []ast.Expr{k}
			o.value = []ast.Expr{k}
		}
		if e := t.u.litFieldExpr(lit, "ConditionExpression"); e != nil {
			ast.Inspect(e, func(n ast.Node) bool {
				if x, ok := n.(ast.Expr); ok {
					if s, ok := t.constantText(x); ok {
						cond += s
					}
				}
				return true
			})
		}
	}
	switch sel.Sel.Name {
	case "PutItem", "PutItemWithContext", "UpdateItem", "UpdateItemWithContext":
		o.kind = opWrite
		if strings.Contains(cond, "attribute_not_exists") {
			o.kind = opClaim
		}
		if lit != nil {
			o.ttl, o.permanent = t.ttlAttribute(lit, f)
		}
	case "GetItem", "GetItemWithContext":
		o.kind = opRead
	case "DeleteItem", "DeleteItemWithContext":
		o.kind = opDelete
	default:
		return storeOp{}, false
	}
	o.named = dedupeTable.MatchString(strings.ToLower(o.store))
	return o, true
}

// ttlAttribute finds time.Now().Add(ttl).Unix() among the attributes of an item.
func (t *tracer) ttlAttribute(lit ast.Node, f *frame) (ast.Expr, bool) {
	var ttl ast.Expr
	look := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok && ttl == nil && len(c.Args) == 1 {
				if s, ok := c.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Add" && strings.Contains(written(s.X), "ow()") {
					ttl = c.Args[0]
				}
			}
			return ttl == nil
		})
	}
	look(lit)
	if ttl == nil && f.fn != nil && f.fn.body != nil && mentionsTTL(lit) {
		look(f.fn.body)
	}
	return ttl, ttl == nil
}

func mentionsTTL(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok {
			s := strings.ToLower(l.Value)
			found = found || strings.Contains(s, "ttl") || strings.Contains(s, "expir")
		}
		return !found
	})
	return found
}

// mongoOp is an insert whose duplicate error is looked at, or a look-up.
func (t *tracer) mongoOp(c *ast.CallExpr, sel *ast.SelectorExpr, recv string, f *frame) (storeOp, bool) {
	if len(c.Args) < 2 {
		return storeOp{}, false
	}
	o := storeOp{class: "mongo", store: recv, key: c.Args[1:2], permanent: true, named: dedupeTable.MatchString(recv)}
	switch sel.Sel.Name {
	case "InsertOne":
		o.kind = opWrite
		if t.handlesDuplicate(f.fn) {
			o.kind = opClaim
		}
	case "FindOne", "CountDocuments":
		o.kind = opRead
	case "DeleteOne":
		o.kind = opDelete
	default:
		return storeOp{}, false
	}
	return o, true
}

// duration is a value as a time to live.
func duration(v libs.Value, unit time.Duration) (time.Duration, bool) {
	if !v.IsInt {
		return 0, false
	}
	n := v.Lo // of several possible values the shortest counts
	if unit > 0 && !v.Duration {
		if n > int64(1<<62)/int64(unit) {
			return 0, false
		}
		return time.Duration(n) * unit, true
	}
	return time.Duration(n), true
}
