package analyzers

import (
	"go/ast"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// boundExpr is the argument that stands for a parameter while a call is being followed.
type boundExpr struct {
	expr ast.Expr
	rest []ast.Expr // of a variadic parameter, in place of expr
	f    *fn
	unit *unit
}

// target is where a request goes.
type target struct {
	host model.Name
	ref  model.Ref // the setting that holds the base; its Suffix is the path
	path string    // with {} for what is not known; "" where nothing is known
}

// targetOf reads a URL's pieces.
func targetOf(ps []part) target {
	var t target
	ps = merged(ps)
	if len(ps) == 0 {
		return t
	}
	first := ps[0]
	rest := ps[1:]
	switch {
	case !first.ref.Name.IsZero():
		t.ref = first.ref
		t.ref.Field = model.FieldTarget
		if first.deflt != "" {
			t.host = model.Host(first.deflt, "")
		}
		t.path = pathOf(rest)
		t.ref.Suffix = t.path
		return t
	case first.unknown:
		t.path = pathOf(rest)
		return t
	}
	text := first.text
	if i := strings.Index(text, "://"); i >= 0 {
		after := text[i+3:]
		if j := strings.IndexByte(after, '/'); j >= 0 {
			t.host = model.Host(text[:i+3+j], "")
			t.path = pathOf(append([]part{{text: after[j:]}}, rest...))
			return t
		}
		if after == "" && len(rest) > 0 && !rest[0].ref.Name.IsZero() {
			t.ref = rest[0].ref
			t.ref.Field, t.ref.Prefix = model.FieldTarget, text
			if rest[0].deflt != "" {
				t.host = model.Host(rest[0].deflt, "")
			}
			t.path = pathOf(rest[1:])
			t.ref.Suffix = t.path
			return t
		}
		if len(rest) == 0 || strings.HasPrefix(rest[0].text, "/") || strings.HasSuffix(after, ":") {
			t.host = model.Host(text, "")
		}
		// "http://" + name + ".svc": the host is not known.
		for len(rest) > 0 {
			if j := strings.IndexByte(rest[0].text, '/'); !rest[0].unknown && j >= 0 {
				rest = append([]part{{text: rest[0].text[j:]}}, rest[1:]...)
				break
			}
			rest = rest[1:]
		}
		t.path = pathOf(rest)
		return t
	}
	if strings.HasPrefix(text, "/") {
		t.path = pathOf(ps)
	}
	return t
}

func merged(ps []part) []part {
	var out []part
	for _, p := range ps {
		n := len(out)
		plain := !p.unknown && p.ref.Name.IsZero()
		if plain && p.text == "" {
			continue
		}
		if plain && n > 0 && !out[n-1].unknown && out[n-1].ref.Name.IsZero() {
			out[n-1].text += p.text
			continue
		}
		out = append(out, p)
	}
	return out
}

// pathOf writes the path of a request, without query.
func pathOf(ps []part) string {
	var b strings.Builder
	for _, p := range ps {
		if p.unknown || !p.ref.Name.IsZero() {
			b.WriteString("{}")
			continue
		}
		t := p.text
		if i := strings.IndexAny(t, "?#"); i >= 0 {
			b.WriteString(t[:i])
			break
		}
		b.WriteString(t)
	}
	s := b.String()
	s = strings.ReplaceAll(s, "{}{}", "{}")
	if s == "" || s == "{}" {
		return s
	}
	if i := strings.IndexByte(s, '/'); i > 0 && !strings.HasPrefix(s, "{}") {
		s = s[i:] // ":8080/x"
	}
	return s
}
