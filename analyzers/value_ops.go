package analyzers

import (
	"go/token"
	"math"
	"slices"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// union joins several possible values: equal ones are one, numbers make a range, a setting keeps its default.
func union(vs []libs.Value) libs.Value {
	var out libs.Value
	first := true
	for _, v := range vs {
		if first {
			out, first = v, false
			continue
		}
		out = join(out, v)
	}
	return out
}

func join(a, b libs.Value) libs.Value {
	if a.Loops && !known(a) {
		return b
	}
	if b.Loops && !known(b) {
		return a
	}
	if !a.Ref.Name.IsZero() && !known(a) && known(b) {
		b.Ref = a.Ref
		return b
	}
	if !b.Ref.Name.IsZero() && !known(b) && known(a) {
		if a.Ref.Name.IsZero() {
			a.Ref = b.Ref
		}
		return a
	}
	switch {
	case a.IsInt && b.IsInt:
		out := a
		out.Lo, out.Hi = min(a.Lo, b.Lo), max(a.Hi, b.Hi)
		out.Int = out.Hi
		out.Duration = a.Duration || b.Duration
		if out.Ref.Name.IsZero() {
			out.Ref = b.Ref
		}
		other := b.At
		if b.Int == out.Hi && a.Int != out.Hi {
			out.At, other = b.At, a.At
		}
		out.More = morePlaces(out.At, a.More, b.More, other)
		return out
	case a.IsStr && b.IsStr && a.Str == b.Str, a.IsBool && b.IsBool && a.Bool == b.Bool, a.Nil && b.Nil:
		return a
	case a.IsFloat && b.IsFloat && a.Float == b.Float:
		return a
	}
	return libs.Value{Set: true, Ref: a.Ref, At: a.At}
}

// maxPlaces bounds how many places of one value are kept.
const maxPlaces = 8

// morePlaces are the places beside at that give a value.
func morePlaces(at model.Location, a, b []model.Location, other model.Location) []model.Location {
	out := a
	add := func(l model.Location) {
		if !l.IsZero() && l != at && len(out) < maxPlaces && !slices.Contains(out, l) {
			out = append(slices.Clip(out), l)
		}
	}
	add(other)
	for _, l := range b {
		add(l)
	}
	return out
}

// binary computes x op y on values; ranges stay ranges.
func binary(op token.Token, x, y libs.Value) libs.Value {
	if x.IsStr && y.IsStr && op == token.ADD {
		return libs.Value{Set: true, Str: x.Str + y.Str, IsStr: true}
	}
	out := libs.Value{Set: true, Duration: x.Duration || y.Duration}
	if x.IsFloat && !x.IsInt || y.IsFloat && !y.IsInt {
		a, aok := asFloat(x)
		b, bok := asFloat(y)
		if !aok || !bok {
			return keepRef(op, x, y)
		}
		out.IsFloat = true
		switch op {
		case token.ADD:
			out.Float = a + b
		case token.SUB:
			out.Float = a - b
		case token.MUL:
			out.Float = a * b
		case token.QUO:
			if b == 0 {
				return libs.Value{}
			}
			out.Float = a / b
		default:
			return libs.Value{}
		}
		return out
	}
	if !x.IsInt || !y.IsInt {
		out := keepRef(op, x, y)
		out.Loops = x.Loops && !known(x) || y.Loops && !known(y)
		return out
	}
	f := func(a, b int64) (int64, bool) {
		switch op {
		case token.ADD:
			return satAdd(a, b), true
		case token.SUB:
			return satAdd(a, -b), true
		case token.MUL:
			return satMul(a, b), true
		case token.QUO:
			if b == 0 {
				return 0, false
			}
			return a / b, true
		case token.REM:
			if b == 0 {
				return 0, false
			}
			return a % b, true
		case token.SHL:
			if b < 0 || b > 62 || a != 0 && a<<uint(b)>>uint(b) != a {
				return math.MaxInt64, b >= 0
			}
			return a << uint(b), true
		case token.SHR:
			if b < 0 || b > 62 {
				return 0, b >= 0
			}
			return a >> uint(b), true
		}
		return 0, false
	}
	var lo, hi int64 = math.MaxInt64, math.MinInt64
	for _, a := range [2]int64{x.Lo, x.Hi} {
		for _, b := range [2]int64{y.Lo, y.Hi} {
			r, ok := f(a, b)
			if !ok {
				return libs.Value{}
			}
			lo, hi = min(lo, r), max(hi, r)
		}
	}
	out.IsInt, out.Lo, out.Hi, out.Int = true, lo, hi, hi
	// A setting with a default keeps its name through "+ 1" and through its unit.
	r := keepRef(op, x, y)
	out.Ref = r.Ref
	return out
}

// keepRef carries the name of a setting through arithmetic that a Ref can express: an offset or a unit.
func keepRef(op token.Token, x, y libs.Value) libs.Value {
	out := libs.Value{Set: true, Duration: x.Duration || y.Duration}
	if x.Ref.Name.IsZero() {
		if y.Ref.Name.IsZero() || op == token.SUB || op == token.QUO {
			return out
		}
		x, y = y, x
	} else if !y.Ref.Name.IsZero() {
		return out
	}
	switch {
	case op == token.ADD && y.IsInt && !y.Duration && y.Lo == y.Hi:
		out.Ref = x.Ref
		out.Ref.Offset += y.Int
	case op == token.SUB && y.IsInt && !y.Duration && y.Lo == y.Hi:
		out.Ref = x.Ref
		out.Ref.Offset -= y.Int
	case op == token.MUL && y.IsInt && y.Duration && y.Lo == y.Hi:
		out.Ref, out.Duration = x.Ref, true
		switch y.Int {
		case 1:
			out.Ref.Unit = "ns"
		case 1000000:
			out.Ref.Unit = "ms"
		case 1000000000:
			out.Ref.Unit = "s"
		case 60000000000:
			out.Ref.Unit = "m"
		case 3600000000000:
			out.Ref.Unit = "h"
		default:
			out.Ref = libs.Value{}.Ref
		}
	case op == token.MUL && y.IsInt && y.Int == 1:
		out.Ref = x.Ref
	}
	return out
}

func asFloat(v libs.Value) (float64, bool) {
	switch {
	case v.IsFloat:
		return v.Float, true
	case v.IsInt && v.Lo == v.Hi:
		return float64(v.Int), true
	}
	return 0, false
}

func satAdd(a, b int64) int64 {
	c := a + b
	if a > 0 && b > 0 && c < 0 {
		return math.MaxInt64
	}
	if a < 0 && b < 0 && c >= 0 {
		return math.MinInt64
	}
	return c
}

func satMul(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	c := a * b
	if c/b != a || a == math.MinInt64 || b == math.MinInt64 {
		if (a > 0) == (b > 0) {
			return math.MaxInt64
		}
		return math.MinInt64
	}
	return c
}
