package libs

import (
	"strconv"
	"strings"
	"time"

	"github.com/retrylint/retrylint/model"
)

// fakeSite is a use of a library as a table writes it.
type fakeSite struct {
	args    []Value
	options map[string][]Value
	fields  map[string]Value
	setters map[string][]Value
	version string
	modules map[string]string
}

func (f *fakeSite) Arg(i int) Value {
	if i == -1 {
		return f.fields["<receiver>"]
	}
	if i < 0 || i >= len(f.args) {
		return Value{}
	}
	return f.args[i]
}

func (f *fakeSite) Option(name string, arg int) Value {
	args, ok := f.options[name]
	if !ok {
		return Value{}
	}
	if arg >= len(args) {
		return Value{Set: true}
	}
	return args[arg]
}

func (f *fakeSite) Field(name string, arg int) Value {
	if arg >= 0 {
		if v := f.Arg(arg); v.Site != nil {
			return v.Site.Field(name, -1)
		}
		return Value{}
	}
	return f.fields[name]
}

func (f *fakeSite) Setter(name string, arg int) Value {
	args, ok := f.setters[name]
	if !ok {
		return Value{}
	}
	if arg >= len(args) {
		return Value{Set: true}
	}
	return args[arg]
}

func (f *fakeSite) Nested(arg int) (string, Site, bool) {
	v := f.Arg(arg)
	return v.Name, v.Site, v.Site != nil
}

func (f *fakeSite) Len(arg int) Value {
	if v := f.Arg(arg); v.List != nil {
		return Value{Set: true, IsInt: true, Int: int64(len(v.List))}
	}
	return Value{}
}

func (f *fakeSite) Version() string                { return f.version }
func (f *fakeSite) VersionOf(module string) string { return f.modules[module] }

func at(line int) model.Location { return model.Location{Path: "a.go", Line: line, Col: 1} }

func num(n int64) Value { return Value{Set: true, IsInt: true, Int: n, At: at(int(n) + 100)} }

// literal reads 3, 1.5, 10s, true, nil, "?", a name, or [..] of them.
func literal(s string) Value {
	s = strings.TrimSpace(s)
	v := Value{Set: true, At: at(9)}
	switch {
	case s == "?":
		return v
	case s == "nil":
		v.Nil = true
	case s == "true" || s == "false":
		v.IsBool, v.Bool = true, s == "true"
	case strings.HasPrefix(s, "\""):
		v.IsStr, v.Str = true, strings.Trim(s, "\"")
	case strings.HasPrefix(s, "["):
		v.List = []Value{}
		for x := range strings.FieldsSeq(strings.Trim(s, "[]")) {
			v.List = append(v.List, literal(x))
		}
	default:
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			v.IsInt, v.Int = true, n
		} else if d, err := time.ParseDuration(s); err == nil {
			v.IsInt, v.Duration, v.Int = true, true, int64(d)
		} else if f, err := strconv.ParseFloat(s, 64); err == nil {
			v.IsFloat, v.Float = true, f
		} else {
			v.Name = s
		}
	}
	return v
}

func itoa(n int) string { return strconv.Itoa(n) }
