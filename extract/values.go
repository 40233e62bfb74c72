package extract

import (
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// meaning is what 0 or a negative number says in the place of a count.
type meaning uint8

const (
	asCounted meaning = iota // the number means what it says
	refused                  // the tool does not accept it: a gap
	endless                  // no limit
	once                     // one attempt
	asAbsent                 // the same as leaving the key out
)

// counting is one row of the off-by-one table: what a count key means.
type counting struct {
	offset   int64       // 1 where the key counts retries, 0 where it counts attempts
	absent   model.Count // attempts where the key is left out; the zero value is unknown
	by, off  string      // whose default that is, and the line that would switch it off
	zero     meaning
	negative meaning // asCounted is taken as refused: a negative number of attempts means nothing
	most     int64   // higher numbers are cut down to it; 0: none are
}

// count reads a count key into l: attempts, place, origin, references. in is the map that would hold the key: where a template
// may have written further keys into it, an absent key is unknown and not left at its default.
func (o *Out) count(l *model.Layer, n, in *doc.Node, c counting) {
	defer o.mayOverride(l, n, model.Ref{Field: model.FieldAttempts, Offset: c.offset, ZeroIs: zeroWord(c)})
	if !n.Exists() || n.Kind() == doc.Null {
		if l.At.IsZero() {
			l.At = o.KeyLoc(in)
		}
		if in.Partial() {
			return
		}
		o.countAbsent(l, c)
		return
	}
	l.At = o.Loc(n)
	v, ok := o.number(l, n, c.offset, zeroWord(c))
	if !ok {
		return
	}
	m := c.zero
	if v < 0 {
		m = c.negative
		if m == asCounted {
			m = refused
		}
	} else if v > 0 {
		m = asCounted
	}
	switch m {
	case refused:
		o.Gap(n, "%s: %d is not a number that is accepted here", keyName(n), v)
	case endless:
		l.Policy.Attempts = model.Unbounded()
	case once:
		l.Policy.Attempts = model.Exactly(1)
	case asAbsent:
		o.countAbsent(l, c)
	default:
		if c.offset == 1 {
			l.Policy.Attempts = model.Retries(v)
		} else {
			l.Policy.Attempts = model.Exactly(v + c.offset)
		}
		if hi, ok := l.Policy.Attempts.Max(); ok && c.most > 0 && hi > c.most {
			l.Policy.Attempts = model.Exactly(c.most)
		}
	}
}

func (o *Out) countAbsent(l *model.Layer, c counting) {
	l.Policy.Attempts = c.absent
	l.Origin, l.DefaultBy, l.OffSwitch = model.OriginDefault, c.by, c.off
}

func zeroWord(c counting) string {
	switch c.zero {
	case endless:
		return "unbounded"
	case once:
		return "one"
	case asAbsent:
		return "default"
	}
	return ""
}

// number reads a whole number. A templated one leaves a reference on l (offset is what makes it attempts), a value of another
// type is a gap.
func (o *Out) number(l *model.Layer, n *doc.Node, offset int64, zeroIs string) (int64, bool) {
	if v, ok := n.Int(); ok {
		return v, true
	}
	if name, def, hasDef, ok := n.Env(); ok {
		l.Refs = append(l.Refs, model.Ref{Field: model.FieldAttempts, Name: model.N(model.SpaceEnv, name), Offset: offset, ZeroIs: zeroIs, At: o.Loc(n)})
		if v, isInt := wholeNumber(def); hasDef && isInt {
			return v, true
		}
		return 0, false
	}
	switch n.Kind() {
	case doc.Unknown:
		if name := o.settingName(n); !name.IsZero() {
			l.Refs = append(l.Refs, model.Ref{Field: model.FieldAttempts, Name: name, Offset: offset, ZeroIs: zeroIs, At: o.Loc(n)})
		}
	case doc.Scalar:
		if !strings.Contains(n.Str(), "{{") {
			o.Gap(n, "%s: %q is not a whole number", keyName(n), n.Str())
		}
	case doc.Map, doc.List:
		o.Gap(n, "%s: a %s stands where a number is expected", keyName(n), n.Kind())
	}
	return 0, false
}

func wholeNumber(s string) (int64, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 18 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	var v int64
	for i := range len(s) {
		v = v*10 + int64(s[i]-'0')
	}
	return v, true
}

// keyName names a value in a message: its key, or the key of the list that holds it.
func keyName(n *doc.Node) string {
	for ; n != nil; n = n.Parent() {
		if n.Key() != "" {
			return n.Key()
		}
	}
	return "value"
}

// span reads a duration for one field of l's policy; bare is what a number without unit means, 0 where it is not allowed.
// The zero Limit comes back where nothing is written or it is not known; a value of another type is a gap.
func (o *Out) span(l *model.Layer, n *doc.Node, f model.Field, bare time.Duration) model.Limit {
	o.mayOverride(l, n, model.Ref{Field: f, Unit: unitWord(bare)})
	if !n.Exists() || n.Kind() == doc.Null {
		return model.Limit{}
	}
	if d, ok := n.Duration(bare); ok {
		if d < 0 {
			return model.Limit{}
		}
		return model.For(d)
	}
	unit := unitWord(bare)
	if name, def, hasDef, ok := n.Env(); ok {
		l.Refs = append(l.Refs, model.Ref{Field: f, Name: model.N(model.SpaceEnv, name), Unit: unit, At: o.Loc(n)})
		if d, isDur := doc.ParseDuration(def, bare); hasDef && isDur && d >= 0 {
			return model.For(d)
		}
		return model.Limit{}
	}
	switch n.Kind() {
	case doc.Unknown:
		if name := o.settingName(n); !name.IsZero() {
			l.Refs = append(l.Refs, model.Ref{Field: f, Name: name, Unit: unit, At: o.Loc(n)})
		}
	case doc.Scalar:
		switch strings.ToLower(n.Str()) {
		case "infinity", "infinite", "forever", "never", "none":
			return model.NoLimit()
		}
		if !strings.Contains(n.Str(), "{{") {
			o.Gap(n, "%s: %q is not a duration", keyName(n), n.Str())
		}
	case doc.Map, doc.List:
		o.Gap(n, "%s: a %s stands where a duration is expected", keyName(n), n.Kind())
	}
	return model.Limit{}
}

func unitWord(bare time.Duration) string {
	switch bare {
	case time.Nanosecond:
		return "ns"
	case time.Millisecond:
		return "ms"
	case time.Second:
		return "s"
	case time.Minute:
		return "m"
	}
	return ""
}

// limitOr is l where it is known (or known to be none), else the default d.
func limitOr(l model.Limit, n *doc.Node, d model.Limit) model.Limit {
	if n.Exists() && n.Kind() != doc.Null {
		return l
	}
	return d
}

// positive is a limit in which 0 means that there is none.
func positive(l model.Limit) model.Limit {
	if d, ok := l.Duration(); ok && d == 0 {
		return model.NoLimit()
	}
	return l
}

// first is the first of several spellings of a key (snake_case and camelCase).
func first(n *doc.Node, keys ...string) *doc.Node {
	for _, k := range keys {
		if v := n.Get(k); v.Exists() {
			return v
		}
	}
	return n.Get(keys[0])
}

// hostsOf reads hosts as callers write them; what is templated or matches everything is left out.
func hostsOf(ns string, nodes ...*doc.Node) []model.Name {
	var out []model.Name
	for _, n := range nodes {
		for _, h := range n.Many() {
			if h.Kind() != doc.Scalar || h.Str() == "*" || h.Str() == "_" {
				continue
			}
			if name := model.Host(h.Str(), ns); !name.IsZero() {
				out = append(out, name)
			}
		}
	}
	return out
}

// serviceHost is the host of a Kubernetes Service that an object refers to by name, with its own namespace or that of the object.
func serviceHost(ref *doc.Node, ns string) model.Name {
	name := ref.Get("name")
	if name.Kind() != doc.Scalar {
		return model.Name{}
	}
	if n := ref.Get("namespace"); n.Kind() == doc.Scalar {
		ns = n.Str()
	}
	return model.Host(name.Str(), ns)
}

func appendName(list []model.Name, n model.Name) []model.Name {
	if n.IsZero() {
		return list
	}
	for _, m := range list {
		if m == n {
			return list
		}
	}
	return append(list, n)
}

// guard is the trait of a layer that by itself repeats idempotent requests only; not names methods that it keeps out.
func guard(at model.Location, detail, not string) model.Trait {
	return model.Trait{Kind: model.TraitMethodGuard, At: at, Detail: detail, Not: not}
}

// nginxGuarded are the methods that nginx, and what is built on it, does not send to a next server.
const nginxGuarded = "POST LOCK PATCH"

// fullJitter is some wait between 0 and the nominal one.
var fullJitter = model.Jitter{Kind: model.JitterFull}
