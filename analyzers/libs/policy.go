package libs

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/retrylint/retrylint/model"
)

// Result is what the terms of a policy say about one use.
type Result struct {
	Policy model.Policy
	Traits []model.Trait // those without a place stand where the layer stands
	Refs   []model.Ref   // quantities that are set elsewhere
	// Origin is that of the attempts: explicit where code sets them, default where nothing does.
	Origin    model.Origin
	DefaultBy string // whose default it is, where Origin is default
	OffSwitch string // the line that switches the layer off, where Origin is default
	// At is where the attempts are set: the mend's place. Empty where nothing sets them.
	At []model.Location
	// SetBy is where the other numbers (waits, limits) are set.
	SetBy []model.Location
	Kind  model.LayerKind
	// Escape is the name of what marks a permanent error, where the library has such a thing.
	Escape string
	// Predicate is the user's function that decides which failures are repeated; not Set where there is none.
	Predicate Value
	// Rewinds: the library rewinds or buffers the request's body itself.
	Rewinds bool
}

// Evaluate asks the terms of a policy about one use of the library.
//
// What is set but not known stays unknown, with a Ref where it is set elsewhere; what is not set gives the default.
func Evaluate(p Policy, s Site) Result {
	return evaluate(p, s, "", model.KindLibrary)
}

// EvaluateCall is Evaluate for a call.
func EvaluateCall(c *Call, s Site) Result { return evaluate(c.Policy, s, "", model.KindLibrary) }

// EvaluateClient is Evaluate for a client that was made by the constructor or literal made ("NewClient", "Client"; "" where
// that is not known).
func EvaluateClient(c *Client, made string, s Site) Result {
	return evaluate(c.madeBy(made).Policy, s, made, model.KindClient)
}

// madeBy is the entry of the same type that has the constructor.
func (c *Client) madeBy(made string) *Client {
	if made == "" || c.lib == nil || slices.Contains(c.New, made) {
		return c
	}
	if other := c.lib.Constructs(made); other != nil && other.Type == c.Type {
		return other
	}
	return c
}

func evaluate(p Policy, s Site, made string, kind model.LayerKind) Result {
	if p.Read != nil {
		pol, traits := p.Read(s)
		r := Result{Policy: pol, Traits: traits, Origin: model.OriginExplicit, Kind: kind, OffSwitch: p.OffSwitch, DefaultBy: p.DefaultBy, Escape: p.Escape, Rewinds: p.Rewinds}
		if p.Kind != "" {
			r.Kind = model.LayerKind(p.Kind)
		}
		return r
	}
	e := &evaluation{lib: p.lib, site: s}
	e.r.Kind = kind
	e.r.Origin = model.OriginDefault
	e.add(p, scope{site: s}, s)
	if made != "" && p.lib != nil {
		if part := p.lib.part(made); part != nil {
			e.add(part.Policy, scope{site: s}, s)
		}
	}
	e.finish()
	for _, fix := range e.fixes {
		fix.do(fix.site, &e.r)
	}
	if e.r.Origin != model.OriginDefault {
		e.r.DefaultBy, e.r.OffSwitch = "", ""
	}
	return e.r
}

// evaluation collects what a policy and the parts it follows say.
type evaluation struct {
	lib  *Library
	site Site
	r    Result

	attempts  *quantity
	bounds    []quantity // of wrappers: each is a limit of its own
	backoff   string
	kindScope scope
	jitter    string
	jitScope  scope
	lost      bool // a part is there that is not known
	maxIs     int64
	inCode    map[*model.Limit]bool // numbers that a part has from code
	fixes     []fixAt
	seen      int
}

type fixAt struct {
	do   func(Site, *Result)
	site Site
}

// add takes in a policy with what it follows; what it sets replaces what was there. outer is the call itself, for parts that
// are only named.
func (e *evaluation) add(p Policy, sc scope, outer Site) {
	if e.seen++; e.seen > 64 {
		e.lost = true
		return
	}
	base := p
	p = p.at(e.site)
	e.setAttempts(base, p, sc)
	e.own(p, sc, false)
	e.words(p, sc)
	for _, f := range p.Follow {
		e.follow(f, sc, outer)
	}
	if len(p.Follow) > 0 {
		// What the call itself sets in code stands above what its parts say; its defaults do not.
		e.own(p, sc, true)
		if q, ok := p.count(sc); p.Outer && ok && q.code {
			e.setAttempts(base, p, sc)
		}
	}
	if p.Fix != nil {
		e.fixes = append(e.fixes, fixAt{p.Fix, sc.site})
	}
}

// own takes in the numbers of a policy itself; with codeOnly those that are written in code.
func (e *evaluation) own(p Policy, sc scope, codeOnly bool) {
	pol := &e.r.Policy
	limit := func(to *model.Limit, text string, field model.Field) {
		if text == "" {
			return
		}
		q := sc.eval(text)
		if q.state == unset && q.note == "" || codeOnly && !q.code {
			return
		}
		if codeOnly && e.inCode[to] {
			return // a part says it of the same setting: a delay that is the doubled Delay
		}
		*to = q.limit()
		e.note(q, field)
		if sc.depth > 0 && q.code {
			if e.inCode == nil {
				e.inCode = map[*model.Limit]bool{}
			}
			e.inCode[to] = true
		}
	}
	limit(&pol.Backoff.Initial, p.Initial, model.FieldInitial)
	limit(&pol.Backoff.Max, p.Max, model.FieldMax)
	limit(&pol.Backoff.Step, p.Step, "")
	limit(&pol.PerAttempt, p.PerAttempt, model.FieldPerAttempt)
	limit(&pol.Overall, p.Overall, model.FieldOverall)
	if p.Factor != "" {
		if q := sc.eval(p.Factor); q.state != unset && (!codeOnly || q.code) {
			pol.Backoff.Factor = q.factor()
			e.note(q, model.FieldFactor)
		}
	}
	if codeOnly {
		return
	}
	if p.Backoff != "" && !(e.backoff != "" && madeList(p.Backoff, sc)) {
		e.backoff, e.kindScope = p.Backoff, sc
	}
	if p.Jitter != "" {
		e.jitter, e.jitScope = p.Jitter, sc
	}
	if p.Budget != "" {
		pol.Budget = budgets[p.Budget]
	}
	if p.On != "" {
		pol.On, _ = parseConditions(p.On)
	}
	if p.Predicate != "" {
		if q := sc.eval(p.Predicate); q.state != unset {
			pol.On = 0
			e.r.Predicate = q.v
			e.r.Predicate.Set = true
		}
	}
	pol.WaitsAfterLast = pol.WaitsAfterLast || p.WaitsAfterLast
	pol.Backoff.CapsSum = pol.Backoff.CapsSum || p.CapsSum
}

// at is the policy of a module version.
func (p Policy) at(s Site) Policy {
	for _, w := range p.When {
		if v := w.version(s); v != "" && inRange(v, w.Versions) {
			p.override(w.Policy)
		}
	}
	return p
}

// version is the version that decides, "" where it is not known.
func (w Variant) version(s Site) string {
	if w.Module == "" {
		return s.Version()
	}
	if v, ok := s.(Versioner); ok {
		return v.VersionOf(w.Module)
	}
	return ""
}

// setAttempts takes in the attempts. Where the version is not known and versions differ, all of them are possible.
func (e *evaluation) setAttempts(base, p Policy, sc scope) {
	if p.MaxIs != "" {
		if n, err := strconv.ParseInt(p.MaxIs, 10, 64); err == nil {
			e.maxIs = n
		}
	}
	q, ok := p.count(sc)
	if !ok {
		return
	}
	for _, w := range base.When {
		if w.Attempts == "" && w.ZeroIs == "" && w.NegativeIs == "" || w.version(e.site) != "" {
			continue
		}
		v := base
		v.override(w.Policy)
		if other, ok := v.count(sc); ok && other.count() != q.count() {
			q.or = &other
		}
	}
	switch have := e.attempts; {
	case q.state == unset:
		if have == nil {
			e.attempts = &q
		}
		return
	case have == nil || !have.code:
		e.attempts = &q
	case !q.code:
		return // a default under a setting
	case p.Outer:
		e.attempts, e.bounds = &q, nil
	default:
		e.bounds = append(e.bounds, q)
	}
	if !q.code {
		return
	}
	e.r.At = append(e.r.At, q.at...)
	for _, r := range q.refs {
		r.Field = model.FieldAttempts
		r.Offset += q.offset
		e.ref(r)
	}
}

func (e *evaluation) ref(r model.Ref) {
	if !slices.Contains(e.r.Refs, r) {
		e.r.Refs = append(e.r.Refs, r)
	}
}

func (p Policy) count(sc scope) (quantity, bool) {
	if p.Attempts == "" {
		return quantity{}, false
	}
	sc.means = make(map[byte]string, 2)
	if p.ZeroIs != "" {
		sc.means['0'] = p.ZeroIs
	}
	if p.NegativeIs != "" {
		sc.means['-'] = p.NegativeIs
	}
	return sc.eval(p.Attempts), true
}

// note keeps where a number that is no count is set.
func (e *evaluation) note(q quantity, field model.Field) {
	if q.code {
		e.r.SetBy = append(e.r.SetBy, q.at...)
	}
	if field == "" {
		return
	}
	for _, r := range q.refs {
		r.Field = field
		e.ref(r)
	}
}

// words takes in what is no number.
func (e *evaluation) words(p Policy, sc scope) {
	r := &e.r
	if p.Kind != "" {
		r.Kind = model.LayerKind(p.Kind)
	}
	r.OffSwitch = cmp.Or(p.OffSwitch, r.OffSwitch)
	r.DefaultBy = cmp.Or(p.DefaultBy, r.DefaultBy)
	r.Escape = cmp.Or(p.Escape, r.Escape)
	r.Rewinds = r.Rewinds || p.Rewinds
	switch {
	case p.Context == "none", strings.HasPrefix(p.Context, "option ") && sc.site != nil && !sc.site.Option(strings.TrimPrefix(p.Context, "option "), 0).Set:
		r.drop(model.TraitStopsOnContext)
	case p.Context != "":
		r.trait(model.Trait{Kind: model.TraitStopsOnContext})
	}
	switch p.RetryAfter {
	case "honoured":
		r.trait(model.Trait{Kind: model.TraitReadsRetryAfter})
	case "capped":
		r.trait(model.Trait{Kind: model.TraitReadsRetryAfter, Detail: "capped"})
	case "ignored":
		r.drop(model.TraitReadsRetryAfter)
	}
	if p.AddsKey {
		r.trait(model.Trait{Kind: model.TraitAddsKey})
	}
	if p.Rewinds {
		r.trait(model.Trait{Kind: model.TraitBodyRewound})
	}
	for _, t := range p.Traits {
		var at model.Location
		if t.If != "" {
			c, err := parseCondition(t.If)
			if err != nil {
				continue
			}
			holds, decided, where := sc.condition(c)
			if !holds || !decided {
				continue
			}
			if len(where) > 0 {
				at = where[0]
			}
		}
		r.trait(model.Trait{Kind: t.Kind, At: at, Detail: t.Detail})
	}
}

func (r *Result) trait(t model.Trait) {
	for i, have := range r.Traits {
		if have.Kind == t.Kind && t.Kind != model.TraitIneffective {
			r.Traits[i] = t
			return
		}
	}
	r.Traits = append(r.Traits, t)
}

func (r *Result) drop(k model.TraitKind) {
	r.Traits = slices.DeleteFunc(r.Traits, func(t model.Trait) bool { return t.Kind == k })
}

// follow takes in the parts of the policy that a value holds.
func (e *evaluation) follow(text string, sc scope, outer Site) {
	t, err := parseTerm(text)
	if err != nil || len(t) == 0 || sc.site == nil {
		return
	}
	for _, a := range t {
		if len(a.of.path) == 0 {
			continue
		}
		v := sc.value(a.of.path)
		if !v.Set || v.Nil {
			continue
		}
		e.part(v, sc, outer)
		return
	}
}

func (e *evaluation) part(v Value, sc scope, outer Site) {
	if v.List != nil && v.Name == "" {
		return // the waits themselves
	}
	part := (*Part)(nil)
	if e.lib != nil {
		part = e.lib.part(v.Name)
	}
	if part == nil || sc.depth > maxEvalDepth {
		e.lost = true
		return
	}
	inner := v.Site
	if inner == nil {
		inner = outer
	} else {
		outer = inner // what is only named among its arguments takes the options beside it
	}
	in := scope{site: inner, depth: sc.depth + 1}
	// What is wrapped comes first: the wrapper has the last word.
	if part.Wraps != "" {
		e.follow(part.Wraps, in, outer)
	}
	e.add(part.Policy, in, outer)
	if q := e.attempts; part.Attempts == "1" && q != nil && !q.code && q.state == known && q.n == 1 {
		// Whoever writes down what never repeats has switched the default off.
		q.code, q.at = true, places(v.At)
		e.r.At = append(e.r.At, q.at...)
	}
}

// finish puts the numbers together.
func (e *evaluation) finish() {
	p := &e.r.Policy
	var notes []quantity
	if e.attempts != nil {
		p.Attempts = e.attempts.count()
		if e.attempts.state == unset {
			p.Attempts = model.Count{}
		}
		if e.attempts.code {
			e.r.Origin = model.OriginExplicit
		}
		notes = append(notes, *e.attempts)
	}
	for _, b := range e.bounds {
		notes = append(notes, b)
		c := b.count()
		if n, ok := c.Max(); ok {
			p.Attempts = p.Attempts.AtMost(n)
		} else if p.Attempts.IsUnbounded() && c.IsUnknown() {
			p.Attempts = c // a limit is there, nobody knows which
		}
		e.r.Origin = model.OriginExplicit
	}
	for _, q := range notes {
		if q.note != "" {
			e.r.trait(model.Trait{Kind: model.TraitIneffective, At: q.noteAt, Detail: q.note})
		}
		if q.note != "" && q.state != unset && !q.code {
			// A literal that is read as the default: the code does say something, but the number is the library's.
			if !q.noteAt.IsZero() {
				e.r.At = append(e.r.At, q.noteAt)
			}
		}
	}
	if e.maxIs > 0 {
		if n, ok := p.Attempts.Max(); ok && n > e.maxIs {
			for _, at := range e.r.At[:min(1, len(e.r.At))] {
				e.r.trait(model.Trait{Kind: model.TraitIneffective, At: at, Detail: fmt.Sprintf("more than %d is read as %d", e.maxIs, e.maxIs)})
			}
		}
		if !p.Attempts.IsUnknown() {
			p.Attempts = p.Attempts.AtMost(e.maxIs)
		}
	}
	if e.lost {
		// Something that nobody knows could limit the attempts and the time, and space them in any way.
		if p.Attempts.IsUnbounded() || !e.explicitCount() {
			p.Attempts = model.Count{}
			e.r.Origin = model.OriginExplicit // somebody set something; nobody here knows what
		}
		if p.Overall.IsNone() {
			p.Overall = model.Limit{}
		}
		p.Backoff = model.Backoff{}
	} else {
		e.finishBackoff()
	}
	if !e.r.Predicate.Set {
		e.conditionTraits()
	}
	e.r.At = uniq(e.r.At)
	e.r.SetBy = uniq(e.r.SetBy)
	e.r.DefaultBy = cmp.Or(e.r.DefaultBy, e.lib.title())
}

func (l *Library) title() string {
	if l == nil {
		return ""
	}
	return l.Name
}

func (e *evaluation) explicitCount() bool {
	return e.attempts != nil && e.attempts.code && e.attempts.state == known
}

// conditionTraits says what follows from the conditions alone.
func (e *evaluation) conditionTraits() {
	on := e.r.Policy.On
	if on == 0 {
		return
	}
	if on&(model.On429|model.OnGateway) != 0 {
		e.r.trait(model.Trait{Kind: model.TraitRetries429})
		e.r.trait(model.Trait{Kind: model.TraitSeesStatus})
	}
	if on&(model.OnError|model.On4xx|model.OnRPCOther) == 0 {
		e.r.trait(model.Trait{Kind: model.TraitFiltersPermanent})
	}
}

var backoffWords = []string{"none", "constant", "linear", "exponential", "list", "server", "polynomial", "custom"}

var budgets = map[string]model.BudgetKind{"hard": model.BudgetHard, "gate-before": model.BudgetGateBefore, "gate-after": model.BudgetGateAfter}

var conditionNames = map[string]model.Conditions{
	"connect": model.OnConnect, "reset": model.OnReset, "timeout": model.OnTimeout, "500": model.On500, "gateway": model.OnGateway,
	"5xx": model.On5xx, "429": model.On429, "4xx": model.On4xx, "conflict": model.OnConflict, "unavailable": model.OnUnavailable,
	"rpc": model.OnRPCOther, "exit": model.OnExit, "no-ack": model.OnNoAck, "error": model.OnError, "cancel": model.OnCancel,
	"success": model.OnSuccess, "any": model.OnAny,
}

// parseConditions reads a comma-separated list.
func parseConditions(s string) (model.Conditions, error) {
	var c model.Conditions
	for w := range strings.SplitSeq(s, ",") {
		w = strings.TrimSpace(w)
		b, ok := conditionNames[w]
		if !ok {
			return c, fmt.Errorf("%q is no condition", w)
		}
		c |= b
	}
	return c, nil
}

func parseCondition(s string) (*condition, error) {
	p := &termParser{toks: lexTerm(s)}
	c, err := p.condition()
	if err == nil && p.i < len(p.toks) {
		err = fmt.Errorf("condition %q: unexpected %q", s, p.toks[p.i])
	}
	return c, err
}

// inRange reports whether a version satisfies a range such as ">= v1.2, < v2".
func inRange(version, r string) bool {
	if r == "" {
		return true
	}
	if !strings.HasPrefix(version, "v") {
		version = "v" + version
	}
	for c := range strings.SplitSeq(r, ",") {
		c = strings.TrimSpace(c)
		i := strings.IndexByte(c, 'v')
		if i < 0 {
			return false
		}
		d := semver.Compare(version, c[i:])
		var ok bool
		switch strings.TrimSpace(c[:i]) {
		case ">=":
			ok = d >= 0
		case ">":
			ok = d > 0
		case "<":
			ok = d < 0
		case "<=":
			ok = d <= 0
		case "=", "":
			ok = d == 0
		}
		if !ok {
			return false
		}
	}
	return true
}

func durationOf(n int64) time.Duration { return time.Duration(n) }

func uniq(l []model.Location) []model.Location {
	var out []model.Location
	for _, x := range l {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

func validVersion(v string) bool { return semver.IsValid(v) }
