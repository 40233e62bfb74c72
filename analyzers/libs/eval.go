package libs

import (
	"maps"
	"math"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// quantity is the value of a term.
type quantity struct {
	state  quantityState
	n      int64 // number or nanoseconds, where known
	dur    bool  // n is nanoseconds
	ratio  model.Ratio
	v      Value // what the site said, where it said anything
	code   bool  // written in code, not a constant of the entry
	odd    bool  // a negative number of which nobody says what it means
	final  bool  // a meaning such as "one": no arithmetic applies
	offset int64 // added so far, for settings that lie elsewhere
	refs   []model.Ref
	at     []model.Location
	note   string // why a literal does not do what it says
	noteAt model.Location
	or     *quantity // the other end of a range
}

type quantityState uint8

const (
	unset quantityState = iota
	unknown
	known
	endless // unbounded, or no limit
)

// scope is what a term is evaluated in.
type scope struct {
	site  Site
	means map[byte]string // of literals without meanings of their own
	depth int
}

// maxEvalDepth bounds the way through wrappers and nested sites, which could be endless in hostile code.
const maxEvalDepth = 24

// eval gives the value of a term; a term that does not parse is unknown.
func (sc scope) eval(text string) quantity {
	if text == "" {
		return quantity{}
	}
	t, err := parseTerm(text)
	if err != nil {
		return quantity{state: unknown}
	}
	return sc.term(t)
}

func (sc scope) term(t term) quantity {
	if sc.depth > maxEvalDepth {
		return quantity{state: unknown}
	}
	sc.depth++
	var note string
	var noteAt model.Location
	for i, a := range t {
		if a.cond != nil {
			switch holds, decided, at := sc.condition(a.cond); {
			case !decided:
				// One of two values; what is common to both is not worth the trouble.
				return quantity{state: unknown, at: at, code: true}
			case !holds:
				continue
			}
		}
		q := sc.alternative(a)
		if q.state == unset {
			if q.note != "" {
				note, noteAt = q.note, q.noteAt
			}
			if i < len(t)-1 {
				continue
			}
		}
		if q.note == "" {
			q.note, q.noteAt = note, noteAt
		}
		return q
	}
	return quantity{note: note, noteAt: noteAt}
}

// condition says whether it holds; decided is false where that is not known.
func (sc scope) condition(c *condition) (holds, decided bool, at []model.Location) {
	v := sc.value(c.of.path)
	at = places(v.At)
	switch {
	case !v.Set || v.Nil:
		return c.not, true, at
	case c.want != "":
		got, ok := v.text()
		if !ok {
			return false, false, at
		}
		return (got == c.want) != c.not, true, at
	case v.IsBool:
		return v.Bool != c.not, true, at
	}
	if c.of.path[0].kind == "field" && !v.IsInt && !v.IsStr && !v.IsFloat && v.Name == "" && v.Site == nil && v.List == nil {
		return false, false, at // a field that may hold anything
	}
	return !c.not, true, at
}

// text is a value as an entry would write it.
func (v Value) text() (string, bool) {
	switch {
	case v.Name != "":
		return v.Name, true
	case v.IsStr:
		return v.Str, true
	case v.IsBool && v.Bool:
		return "true", true
	case v.IsBool:
		return "false", true
	case v.IsInt && v.Lo == v.Hi:
		return model.Exactly(v.Int).String(), v.Int >= 0
	}
	return "", false
}

func (sc scope) alternative(a alternative) quantity {
	q := sc.operand(a.of)
	q.arith(a.ops)
	return q
}

func (q *quantity) arith(ops []arith) {
	for _, o := range ops {
		switch o.op {
		case '+', '-':
			n := o.n
			if o.op == '-' {
				n = -n
			}
			if q.state != unset {
				q.offset = sumSat(q.offset, n) // what the setting means is added to, whatever its default means
			}
			if q.state == known && !q.final {
				q.n = sumSat(q.n, n)
				q.ratio = model.Ratio{}
				q.dur = q.dur || o.dur
			}
		case '*':
			if q.state == known && !q.final {
				if q.n != 0 && o.n != 0 && (q.n > math.MaxInt64/o.n || q.n < math.MinInt64/o.n) {
					q.n = math.MaxInt64
				} else {
					q.n *= o.n
				}
				q.ratio = model.Ratio{}
			}
		}
	}
	if q.or != nil {
		q.or.arith(ops)
	}
}

func sumSat(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

func (sc scope) operand(o operand) quantity {
	switch {
	case o.word == "unbounded" || o.word == "none":
		return quantity{state: endless}
	case o.word == "unknown":
		return quantity{state: unknown}
	case o.word == "default":
		return quantity{}
	case o.con != nil:
		return quantity{state: known, n: o.con.n, dur: o.con.dur, ratio: o.con.ratio}
	case o.fn != "":
		return sc.function(o.fn, o.args)
	}
	var v Value
	if o.len {
		v = sc.length(o.path)
	} else {
		v = sc.value(o.path)
	}
	means := sc.means
	if o.means != nil && len(sc.means) > 0 {
		means = maps.Clone(sc.means)
		maps.Copy(means, o.means)
	} else if o.means != nil {
		means = o.means
	}
	return v.quantity(o, means)
}

// quantity turns what the site says into a quantity.
func (v Value) quantity(o operand, means map[byte]string) quantity {
	if !v.Set || v.Nil {
		return quantity{}
	}
	q := quantity{state: unknown, v: v, code: true, at: append(places(v.At), v.More...)}
	if !v.Ref.Name.IsZero() {
		r := v.Ref
		if r.At.IsZero() {
			r.At = v.At
		}
		if z := means['0']; z == "unbounded" || z == "default" || z == "one" {
			r.ZeroIs = z
		}
		if r.Unit == "" {
			r.Unit = unitName(o)
		}
		q.refs = []model.Ref{r}
	}
	switch {
	case v.IsInt:
		scale := int64(1)
		if o.unit != 0 && !v.Duration {
			scale = int64(o.unit)
		}
		dur := v.Duration || o.unit != 0
		if v.Lo < v.Hi {
			low := meant(v, v.Lo, scale, dur, means, q)
			q = meant(v, v.Hi, scale, dur, means, q)
			q.or = &low
			return q
		}
		return meant(v, v.Int, scale, dur, means, q)
	case v.IsFloat:
		q.state, q.ratio = known, model.RatioOf(v.Float)
		q.n = int64(v.Float)
		if o.unit != 0 {
			q.n, q.dur = int64(v.Float*float64(o.unit)), true
		}
		if v.Float == 0 && means['0'] != "" {
			return meant(v, 0, 1, false, means, q)
		}
	case v.IsStr || v.IsBool || len(v.List) > 0:
		q.state = known
	}
	return q
}

func unitName(o operand) string {
	switch {
	case o.unit == 0:
		return ""
	case o.unit.Hours() == 1:
		return "h"
	case o.unit.Minutes() == 1:
		return "m"
	case o.unit.Seconds() == 1:
		return "s"
	}
	return "ms"
}

// meant is the literal n under what zero and negative numbers mean.
func meant(v Value, n, scale int64, dur bool, means map[byte]string, q quantity) quantity {
	q.state, q.n, q.dur, q.ratio = known, n, dur, model.NewRatio(n, 1)
	if scale != 1 {
		q.n, q.ratio = math.MaxInt64, model.Ratio{}
		if n <= math.MaxInt64/scale && n >= math.MinInt64/scale {
			q.n = n * scale
		}
	}
	var word string
	switch {
	case n == 0:
		word = means['0']
	case n < 0:
		word = means['-']
	}
	number := model.Exactly(0).String()
	if n < 0 {
		number = "a negative number"
	}
	switch word {
	case "":
		q.odd = n < 0
		return q
	case "zero":
		q.n, q.final = 0, true
	case "unbounded", "none":
		q.state = endless
	case "default":
		return quantity{note: number + " is read as the default", noteAt: v.At, refs: q.refs}
	case "one":
		q.n, q.final = 1, true
	case "never":
		q.n, q.final = 0, true
		q.note, q.noteAt = number+" means that the operation never runs", v.At
	case "error":
		q.state = unknown
		q.note, q.noteAt = number+" is refused with an error", v.At
	default:
		c, _ := parseConstant(word)
		q.n, q.dur, q.ratio, q.final = c.n, c.dur, c.ratio, true
		q.note, q.noteAt = number+" is read as "+word, v.At
	}
	return q
}

// value follows a path into the site; an unset value where there is nothing.
func (sc scope) value(path []step) Value {
	if len(path) == 0 || sc.site == nil {
		return Value{}
	}
	last := path[len(path)-1]
	if len(path) == 1 {
		return ask(sc.site, last)
	}
	// A field of an argument may be known without the literal being a site.
	if len(path) == 2 && path[0].kind == "field" && (last.kind == "arg" || last.kind == "receiver") {
		if v := sc.site.Field(path[0].name, max(last.n, -1)); v.Set && last.kind == "arg" {
			return v
		}
	}
	inner, from := nestedSite(sc.site, last)
	if inner == nil {
		if from.Set && !from.Nil && from.Name == "" {
			return Value{Set: true, At: from.At} // it is there, and could hold anything
		}
		return Value{}
	}
	if sc.depth++; sc.depth > maxEvalDepth {
		return Value{Set: true}
	}
	return scope{site: inner, depth: sc.depth}.value(path[:len(path)-1])
}

// nestedSite is the site of the call or literal that stands at a step.
func nestedSite(s Site, at step) (Site, Value) {
	v := ask(s, at)
	return v.Site, v
}

func ask(s Site, at step) Value {
	switch at.kind {
	case "arg", "receiver":
		v := s.Arg(at.n)
		if v.Site == nil && !v.IsInt && !v.IsStr && !v.Nil {
			if name, n, ok := s.Nested(at.n); ok && n != nil {
				v.Set, v.Name, v.Site = true, name, n
			}
		}
		return v
	case "option":
		return s.Option(at.name, at.n)
	case "field":
		return s.Field(at.name, -1)
	case "setter":
		return s.Setter(at.name, at.n)
	}
	return Value{}
}

// length is the length of a slice.
func (sc scope) length(path []step) Value {
	if len(path) == 1 && path[0].kind == "arg" && sc.site != nil {
		if v := sc.site.Len(path[0].n); v.Set {
			return v
		}
	}
	v := sc.value(path)
	switch {
	case v.List != nil:
		return Value{Set: true, IsInt: true, Int: int64(len(v.List)), At: v.At}
	case v.Nil:
		return Value{Set: true, IsInt: true, At: v.At}
	case v.Set:
		return Value{Set: true, At: v.At, Ref: v.Ref}
	}
	return Value{}
}

func (sc scope) function(name string, args []term) quantity {
	a, b := sc.term(args[0]), sc.term(args[1])
	q := quantity{code: a.code || b.code, at: append(a.at, b.at...), refs: append(a.refs, b.refs...), note: a.note, noteAt: a.noteAt}
	if q.note == "" {
		q.note, q.noteAt = b.note, b.noteAt
	}
	if name == "polls" {
		q.refs = nil // a timeout is no count
		switch {
		case a.state == endless:
			q.state = endless
		case a.state == known && b.state == known && b.n > 0:
			q.state = known
			q.n = a.n/b.n + 1
		default:
			q.state = unknown
		}
		return q
	}
	less := a.n < b.n
	if name == "max" {
		less = !less
	}
	switch {
	case a.state == unset:
		return b
	case b.state == unset:
		return a
	case a.state == endless && name == "min", b.state == endless && name == "max":
		return b
	case b.state == endless && name == "min", a.state == endless && name == "max":
		return a
	case a.state != known || b.state != known:
		q.state = unknown
		return q
	case less:
		q.state, q.n, q.dur = known, a.n, a.dur
	default:
		q.state, q.n, q.dur = known, b.n, b.dur
	}
	return q
}

func places(l model.Location) []model.Location {
	if l.IsZero() {
		return nil
	}
	return []model.Location{l}
}

// count is the quantity as a number of attempts.
func (q quantity) count() model.Count {
	var c model.Count
	switch q.state {
	case endless:
		c = model.Unbounded()
	case known:
		c = model.Exactly(max(q.n, 0))
		if q.n == math.MaxInt64 {
			c = model.Unbounded() // "the largest number" is how code writes "without end"
		}
		if q.v.IsStr || q.v.IsBool || q.odd {
			c = model.Count{}
		}
	}
	if q.or != nil {
		c = c.Or(q.or.count())
	}
	return c
}

// limit is the quantity as a duration: the longest of several.
func (q quantity) limit() model.Limit {
	var l model.Limit
	switch q.state {
	case endless:
		l = model.NoLimit()
	case known:
		switch {
		case q.dur:
			l = model.For(durationOf(q.n))
		case q.n == 0 && !q.v.IsStr && !q.v.IsBool:
			l = model.For(0)
		case q.v.IsInt:
			l = model.For(durationOf(q.n)) // an untyped constant used as a duration is nanoseconds
		}
	}
	if q.or != nil {
		l = l.Max(q.or.limit())
	}
	return l
}

// words splits a text at its first space.
func words(s string) (first, rest string) {
	first, rest, _ = strings.Cut(strings.TrimSpace(s), " ")
	return first, strings.TrimSpace(rest)
}
