package extract

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "generic-keys",
	Title: "Retry keys in a service's own configuration",
	Files: []string{"*.yaml", "*.yml", "*.toml", "*.json", "*.jsonc", "*.ini", "*.properties", "*.env", ".env", ".env.*", "*.conf", "*.cfg"},
	Match: genericFile,
	Read:  readGeneric,
	Rank:  -1,
	Keys: []Key{
		{"max_attempts, attempts, max_tries, tries, max_deliver", "attempts", "not said", "unknown: off, no end or a default", "no end"},
		{"max_retries, retries, retry_limit, num_retries", "retries", "not said", "unknown", "no end"},
		{"retry_count, retry_max, max_retry, retry_attempts", "retries or attempts: a range", "not said", "unknown", "no end"},
		{"retry_delay, retry_interval, backoff.initial ...", "first wait", "not said", "", ""},
		{"max_backoff, retry_max_delay ...", "longest wait", "not said", "", ""},
		{"idempotency_ttl, dedupe_window ...", "how long a dedupe memory remembers", "not said", "", ""},
		{"dead_letter, dlq, dlx, parking ...", "where what failed is parked; somebody can replay it", "none", "", ""},
	},
	Doc: `A heuristic for home-made configuration of which no format is known: keys whose words speak of retries. What it finds is of low
confidence and never an error by itself; where code reads the key, the code says what the number means and the layer is the code's. Every
scalar of a file that looks like an application's configuration is also a setting that code may read. Lint, build, CI and package files,
translations, schemas, dashboards, manifests and test data are left alone. Source: catalogue, section K.`,
	Example: `
-- config.yaml --
payments:
  url: http://ledger.pay.svc:8080/entries
  retry:
    max_attempts: 4 # want layer "attempts=4 backoff=exponential initial=200ms max=5s factor=2 low=true"
    initial_backoff_ms: 200
    max_backoff: 5s
    multiplier: 2
  timeout: 3s
idempotency:
  idempotency_ttl: 24h # want boundary "ttl=24h"
dead_letter: # want deadletter "parked repo:example"
  queue: parked
-- app.properties --
# order.service.retry.count = 3 is a comment
mailer.max-retries=3 # want layer "attempts=4"
mailer.retry-interval-ms=500
-- auth.yaml --
login:
  max_attempts: 5
  lock: 15m
`,
})

const (
	maxGenericSettings = 400       // settings of one file that code may read
	maxGenericValue    = 512       // longest value of a setting
	maxGenericBytes    = 256 << 10 // larger files are data
	maxGenericLayers   = 40        // layers of one file; a file with more is a catalogue of something, not a configuration
)

func readGeneric(d *doc.Document, out *Out) {
	if strings.HasPrefix(path.Base(out.Path), "values") && chartAbove(out) {
		return // a chart's values: what ships is in its templates
	}
	g := &generic{out: out, env: d.Syntax == doc.Env, props: d.Syntax == doc.Properties, app: appConfig(out.Path)}
	if speaksOfRetries(d.Root.Raw()) {
		g.walk(d.Root, nil, 0)
	}
	if len(g.layers) > maxGenericLayers {
		return
	}
	for _, l := range g.layers {
		g.emit(l)
	}
	if g.app || g.found || len(g.layers) > 0 {
		g.settings(d.Root, "", new(int))
	}
}

// generic collects what a file's keys say.
type generic struct {
	out             *Out
	env, props, app bool
	found           bool // a boundary or dead letter
	layers          []*genericLayer
}

// genericLayer is the retry keys of one scope.
type genericLayer struct {
	scope  *doc.Node // the map that holds the keys
	prefix string    // words before the retry words, where keys of several clients stand side by side
	path   []string
	count  *doc.Node
	means  countMeaning
	roles  map[role]*doc.Node
	off    bool // enabled: false
}

type countMeaning uint8

const (
	meansNothing countMeaning = iota
	meansAttempts
	meansRetries
	meansEither
)

type role uint8

const (
	roleNone role = iota
	roleInitial
	roleMax
	roleFactor
	roleJitter
	roleOverall
	rolePerTry
)

// words splits a key at _, -, . and changes of case.
func words(key string) []string {
	var out []string
	start := 0
	flush := func(end int) {
		if end > start {
			out = append(out, strings.ToLower(key[start:end]))
		}
	}
	for i := 0; i < len(key); i++ {
		c := key[i]
		switch {
		case c == '_' || c == '-' || c == '.' || c == ' ' || c == '/' || c == ':':
			flush(i)
			start = i + 1
		case c >= 'A' && c <= 'Z' && i > start && (key[i-1] < 'A' || key[i-1] > 'Z' || i+1 < len(key) && key[i+1] >= 'a' && key[i+1] <= 'z'):
			flush(i)
			start = i
		}
	}
	flush(len(key))
	return out
}

func anyOf(ws []string, set ...string) bool {
	for _, w := range ws {
		if slices.Contains(set, w) {
			return true
		}
	}
	return false
}

var retryWords = []string{"retry", "retries", "retrying", "retried", "backoff", "reconnect", "redeliver", "redelivery", "redeliveries", "resend"}
var attemptWords = []string{"attempt", "attempts", "tries"}

// notRetries are words of things that are counted in attempts but are no retries, and of things whose retries are their own affair.
var notRetries = []string{"login", "logins", "otp", "password", "passwords", "captcha", "quiz", "game", "allowed", "pin", "mfa", "totp", "lockout", "lock", "auth", "verification",
	"challenge", "brute", "signin", "join", "healthcheck", "health", "probe", "liveness", "readiness", "test", "tests", "flaky", "lint", "exam", "question", "player", "unlock", "code",
	"metrics", "help", "description", "title", "label", "message", "text", "msg", "tooltip", "placeholder", "button", "color", "icon", "status", "error", "errors"}

func (g *generic) walk(n *doc.Node, at []string, depth int) {
	if depth > 12 || n.Kind() == doc.List && n.Len() > 200 {
		return
	}
	for _, item := range n.Items() {
		g.walk(item, at, depth+1)
	}
	var here []*genericLayer
	for _, e := range n.Entries() {
		ws := words(e.Key)
		if len(ws) == 0 || len(e.Key) > 120 {
			continue
		}
		path := append(slices.Clip(at), e.Key)
		switch {
		case g.deadLetter(n, e, ws):
			continue
		case g.window(e, ws, at):
			continue
		}
		if e.Value.Kind() == doc.Scalar || e.Value.Kind() == doc.Unknown {
			here = g.key(here, n, e, ws, at)
		}
		if e.Value.Len() > 0 {
			g.walk(e.Value, path, depth+1)
		}
	}
	for _, l := range here {
		if l.count != nil {
			g.layers = append(g.layers, l)
		}
	}
}

// key sorts one key of a scope into its layer.
func (g *generic) key(here []*genericLayer, scope *doc.Node, e doc.Entry, ws, at []string) []*genericLayer {
	above := words(strings.Join(at, "."))
	near := above
	if len(near) > 4 {
		near = near[len(near)-4:]
	}
	if anyOf(ws, notRetries...) || anyOf(near, notRetries...) || anyOf(near, "breaker", "breakers") { // a breaker counts retries that are under way
		return here
	}
	inside := len(at) > 0 && anyOf(words(at[len(at)-1]), append(retryWords, "redrive", "policy")...) && anyOf(near, retryWords...)
	own := anyOf(ws, retryWords...)
	means := countWords(ws, own, inside || siblingRetry(scope), scope.Get("min").Exists() || scope.Get("type").Exists())
	r := roleWords(ws, own, inside)
	if means == meansNothing && r == roleNone && !(inside && (e.Key == "enabled" || e.Key == "enable")) {
		return here
	}
	prefix := ""
	if own || means != meansNothing {
		i := slices.IndexFunc(ws, func(w string) bool {
			return w == "max" || w == "min" || w == "num" || w == "initial" || slices.Contains(retryWords, w) || slices.Contains(attemptWords, w)
		})
		if i > 0 {
			prefix = strings.Join(ws[:i], " ")
		}
	}
	var l *genericLayer
	for _, have := range here {
		if have.prefix == prefix {
			l = have
		}
	}
	if l == nil {
		l = &genericLayer{scope: scope, prefix: prefix, path: at, roles: map[role]*doc.Node{}}
		here = append(here, l)
	}
	if b, ok := e.Value.Bool(); ok && (e.Key == "enabled" || e.Key == "enable") && inside {
		l.off = !b
		return here
	}
	if means != meansNothing && l.count == nil && numberLike(e.Value) {
		l.count, l.means = e.Value, means
	} else if r != roleNone && l.roles[r] == nil {
		l.roles[r] = e.Value
	}
	return here
}

// numberLike reports whether a value can be a number of attempts: a number up to a million, or a value that something else fills in.
func numberLike(n *doc.Node) bool {
	if v, ok := n.Int(); ok {
		return v >= -1 && v <= 1_000_000
	}
	if _, _, _, ok := n.Env(); ok {
		return true
	}
	return n.Kind() == doc.Unknown
}

func siblingRetry(scope *doc.Node) bool {
	for _, e := range scope.Entries() {
		if anyOf(words(e.Key), "backoff", "retry", "retries") {
			return true
		}
	}
	return false
}

// countWords says what a number under these words counts.
// near says that a word of retries stands beside or above it, ranged that "max" is the end of a range.
func countWords(ws []string, own, near, ranged bool) countMeaning {
	if anyOf(ws, "ms", "millis", "milliseconds", "seconds", "secs", "sec", "minutes", "hours", "delay", "interval", "wait", "timeout", "period", "backoff", "duration", "time", "ttl",
		"codes", "on", "queue", "topic", "after", "enabled", "percent", "ratio", "budget", "window", "size", "buffer", "factor", "multiplier", "jitter", "exchange", "policy", "url", "base",
		"rate", "age", "bytes", "concurrency", "workers", "threshold", "log", "elapsed", "routing", "key", "name", "channel", "prefix", "suffix", "header", "id", "sleep", "tokens", "batch", "cost") {
		return meansNothing
	}
	joined := strings.Join(ws, " ")
	has := func(s string) bool { return joined == s || strings.HasSuffix(joined, " "+s) }
	switch {
	case has("max deliver") || has("max delivery count") || has("max receive count") || has("max deliveries"):
		return meansAttempts
	case has("retry attempts") || has("max retry attempts") || has("retry max attempts") || has("retry count") || has("retry max") || has("max retry") || has("max retry count") || has("retry times") || has("retry num"):
		return meansEither
	case has("retries") || has("retry limit") || has("max reconnects") || has("redelivery limit") || has("max redeliveries") || has("max redelivery"):
		return meansRetries
	case has("max attempts") || has("max tries") || has("attempts") || has("tries"):
		if own || near {
			return meansAttempts
		}
	case near && len(ws) == 1 && (has("limit") || has("max") && !ranged || has("count") || has("times")):
		return meansEither
	}
	return meansNothing
}

// roleWords says what a duration or number under these words is for a layer.
func roleWords(ws []string, own, inside bool) role {
	if !own && !inside {
		if slices.Equal(ws, []string{"timeout"}) || anyOf(ws, "timeout") && anyOf(ws, "request", "call", "attempt", "try") {
			return rolePerTry
		}
		return roleNone
	}
	limit := anyOf(ws, "max", "cap", "ceiling", "maximum", "limit")
	wait := anyOf(ws, "backoff", "delay", "wait", "interval", "period", "sleep", "pause")
	switch {
	case anyOf(ws, "multiplier", "factor", "rate", "coefficient", "exponent"):
		return roleFactor
	case anyOf(ws, "jitter", "randomization", "random", "spread"):
		return roleJitter
	case anyOf(ws, "elapsed", "deadline", "overall", "total", "budget") || anyOf(ws, "duration") && limit:
		return roleOverall
	case anyOf(ws, "timeout"):
		if anyOf(ws, "attempt", "try", "request", "call", "per") {
			return rolePerTry
		}
		return roleNone
	case wait && limit:
		return roleMax
	case wait, inside && anyOf(ws, "initial", "min", "base"):
		return roleInitial
	case inside && slices.Equal(ws, []string{"max"}):
		return roleNone
	}
	return roleNone
}

// span reads a duration whose unit may be in its key; unknown where neither value nor key says the unit.
func (g *generic) span(n *doc.Node) model.Limit {
	if n == nil {
		return model.Limit{}
	}
	bare := unitOfKey(words(n.Key()))
	if d, ok := n.Duration(bare); ok && d >= 0 && d < 10*365*24*time.Hour {
		return model.For(d)
	}
	return model.Limit{}
}

func unitOfKey(ws []string) time.Duration {
	if len(ws) == 0 {
		return 0
	}
	switch ws[len(ws)-1] {
	case "ms", "millis", "milliseconds", "millisecond", "msec":
		return time.Millisecond
	case "s", "sec", "secs", "seconds", "second":
		return time.Second
	case "m", "min", "mins", "minutes", "minute":
		return time.Minute
	case "h", "hours", "hour", "hrs":
		return time.Hour
	case "d", "days", "day":
		return 24 * time.Hour
	case "ns", "nanos", "nanoseconds":
		return time.Nanosecond
	}
	return 0
}

// emit writes a layer down.
func (g *generic) emit(l *genericLayer) {
	if l.off {
		return
	}
	out := g.out
	scope := strings.Join(append(slices.Clip(l.path), strings.ReplaceAll(l.prefix, " ", "_")), ".")
	self := model.N(model.SpaceConfig, out.Repo+"/"+out.Path+"#"+strings.Trim(scope, "."))
	m := model.Layer{Kind: model.KindConfig, At: out.Loc(l.count), In: self, Whole: true, Label: "setting " + l.count.Key(), LowConfidence: true}
	offset := int64(0)
	if l.means == meansRetries {
		offset = 1
	}
	n, ok := l.count.Int()
	if !ok {
		if name, def, hasDef, isEnv := l.count.Env(); isEnv {
			m.Refs = append(m.Refs, model.Ref{Field: model.FieldAttempts, Name: model.N(model.SpaceEnv, name), Offset: offset, At: m.At})
			if v, isInt := wholeNumber(def); hasDef && isInt {
				n, ok = v, true
			}
		} else if name := out.settingName(l.count); !name.IsZero() {
			m.Refs = append(m.Refs, model.Ref{Field: model.FieldAttempts, Name: name, Offset: offset, At: m.At})
		}
	}
	p := &m.Policy
	switch {
	case !ok:
	case n == 0:
		return // off, unlimited or a default: only the code that reads it knows
	case n < 0:
		p.Attempts = model.Unbounded()
	case l.means == meansRetries:
		p.Attempts = model.Retries(n)
	case l.means == meansEither:
		p.Attempts = model.Between(n, n+1)
	default:
		p.Attempts = model.Exactly(n)
	}
	p.Backoff = g.backoff(l)
	p.Overall = g.span(l.roles[roleOverall])
	p.PerAttempt = g.span(l.roles[rolePerTry])
	out.Node(model.Node{Name: self, Kind: model.NodeOp, At: m.At, Label: cmp.Or(strings.Trim(scope, "."), "setting "+l.count.Key())})
	out.Layer(m)
	g.target(l, self)
}

func (g *generic) backoff(l *genericLayer) model.Backoff {
	initial, most := g.span(l.roles[roleInitial]), g.span(l.roles[roleMax])
	b := model.Backoff{Initial: initial, Max: most}
	if f := l.roles[roleFactor]; f != nil {
		if v, ok := f.Float(); ok && v >= 1 && v <= 10 {
			b.Kind, b.Factor = model.BackoffExponential, model.RatioOf(v)
		}
	}
	if b.Kind == model.BackoffUnknown && initial.Known() && l.roles[roleMax] == nil {
		b.Kind = model.BackoffConstant
	}
	if b.Kind == model.BackoffUnknown && most.Known() {
		b.Kind = model.BackoffExponential
	}
	if j := l.roles[roleJitter]; j != nil {
		b.Jitter.Kind = model.JitterSome
		if v, ok := j.Bool(); ok && !v {
			b.Jitter.Kind = model.JitterNone
		}
	}
	return b
}

// targetKeys name what a client of a configuration speaks to.
var targetKeys = []string{"url", "base_url", "baseUrl", "baseURL", "endpoint", "uri", "target", "host", "address", "addr", "service_url", "api_url"}

// target makes the URL that stands beside the retry keys, or one map above them, the callee.
func (g *generic) target(l *genericLayer, self model.Name) {
	for i, n := 0, l.scope; i < 2 && n != nil; i, n = i+1, n.Parent() {
		for _, k := range targetKeys {
			u := n.Get(k)
			if l.prefix != "" {
				u = u.Or(fold(n, strings.ReplaceAll(l.prefix, " ", "_")+"_"+k))
			}
			if u.Kind() == doc.Scalar && u.Str() != "" {
				if h := model.Host(u.Str(), ""); !h.IsZero() && (strings.Contains(u.Str(), "://") || strings.Contains(h.Key, ".")) {
					e := model.Edge{From: self, To: h, Kind: model.EdgeRequest, At: g.out.Loc(u), Path: pathOf(u.Str())}
					if p := g.span(l.roles[rolePerTry]); p.Known() {
						e.Timeout = p
					}
					g.out.Edge(e)
					return
				}
			}
		}
	}
}

// deadLetter reads keys that say where failed work is parked.
func (g *generic) deadLetter(_ *doc.Node, e doc.Entry, ws []string) bool {
	joined := strings.Join(ws, " ")
	dead := anyOf(ws, "dlq", "dlx", "dlt", "deadletter", "deadletters") || strings.Contains(joined, "dead letter") || strings.Contains(joined, "parking lot") || strings.Contains(joined, "poison queue")
	if !dead {
		return false
	}
	name := ""
	var retention model.Limit
	v := e.Value
	switch v.Kind() {
	case doc.Scalar:
		if anyOf(ws, "retention", "ttl", "expire", "max", "count", "enabled", "enable", "limit", "interval", "threshold", "alert", "alarm") {
			return true
		}
		if _, isBool := v.Bool(); isBool {
			return true
		}
		if _, isNum := v.Float(); isNum || v.Str() == "" {
			return true
		}
		name = lastPart(v.Str())
	case doc.Unknown:
		name = ""
	case doc.Map:
		if b, ok := v.Get("enabled").Bool(); ok && !b {
			return true
		}
		for _, k := range []string{"queue", "topic", "name", "stream", "subject", "exchange", "target", "url", "arn", "table", "key"} {
			if n := v.Get(k); n.Kind() == doc.Scalar && n.Str() != "" {
				name = lastPart(n.Str())
				break
			}
		}
		for _, k := range v.Entries() {
			if kw := words(k.Key); anyOf(kw, "retention", "ttl", "expire") {
				retention = g.span(k.Value)
			}
		}
		if name == "" && !retention.Known() {
			return false
		}
	default:
		return false
	}
	g.found = true
	g.out.DeadLetter(model.DeadLetter{Of: model.N(model.SpaceRepo, g.out.Repo), Name: name, At: g.out.Loc(v), Retention: retention, Origin: model.OriginExplicit})
	return true
}

// window reads keys that say how long a dedupe memory remembers.
func (g *generic) window(e doc.Entry, ws []string, at []string) bool {
	if e.Value.Kind() != doc.Scalar {
		return false
	}
	all := ws
	if len(at) > 0 {
		all = append(words(at[len(at)-1]), ws...)
	}
	about := anyOf(all, "idempotency", "idempotent", "dedupe", "dedup", "deduplication") || anyOf(all, "duplicate", "replay") && anyOf(ws, "window")
	if !about || !anyOf(ws, "ttl", "window", "expiry", "expiration", "expires", "retention", "interval") {
		return false
	}
	d := g.span(e.Value)
	v, ok := d.Duration()
	if !ok || v == 0 {
		return false
	}
	g.found = true
	g.out.Boundary(model.Boundary{Kind: "setting", At: g.out.Loc(e.Value), In: model.N(model.SpaceConfig, g.out.Repo+"/"+g.out.Path+"#"+strings.Join(append(slices.Clip(at), e.Key), ".")),
		TTL: model.WindowFor(v), Unconfirmed: true})
	return true
}

// settings writes down the scalars that code may read.
func (g *generic) settings(n *doc.Node, prefix string, count *int) {
	for _, e := range n.Entries() {
		if *count >= maxGenericSettings {
			return
		}
		key := e.Key
		if prefix != "" {
			key = prefix + "." + key
		}
		if e.Value.Kind() == doc.Scalar && len(e.Value.Str()) <= maxGenericValue {
			*count++
			space := model.SpaceConfig
			if g.env {
				space = model.SpaceEnv
			}
			if !g.env || g.app {
				g.out.Setting(model.Setting{Name: model.N(space, key), Value: e.Value.Str(), At: g.out.Loc(e.Value)})
			}
		}
		if e.Value.Len() > 0 {
			g.settings(e.Value, key, count)
		}
	}
}
