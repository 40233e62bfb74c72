package analyzers

import (
	"go/token"
	"go/types"
	"math"
)

func isNumeric(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

func or(a, b abs) abs {
	switch {
	case a.k == absBool && a.b || b.k == absBool && b.b:
		return boolean(true)
	case a.k == absBool && b.k == absBool:
		return boolean(false)
	case a.k == absBool:
		return abs{why: b.why}
	case b.k == absBool:
		return abs{why: a.why}
	case a.why != boundNone && b.why != boundNone:
		return abs{why: a.why}
	}
	return abs{}
}

func isInteger(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

func (m *machine) equal(a, b abs) abs {
	nilA, nilB := a.k == absNil, b.k == absNil
	switch {
	case nilA && nilB:
		return boolean(true)
	case nilA && notNil(b), nilB && notNil(a):
		return boolean(false)
	case a.k == absBool && b.k == absBool:
		return boolean(a.b == b.b)
	case a.k == absStr && b.k == absStr:
		return boolean(a.s == b.s)
	case a.k == absNum && b.k == absNum:
		if unknownNum(a) || unknownNum(b) || a.rnd || b.rnd {
			return abs{}
		}
		return boolean(a.hi == b.hi)
	}
	return abs{}
}

func notNil(a abs) bool {
	switch a.k {
	case absErr, absObj, absResp, absTimer, absList, absClock, absToken:
		return true
	}
	return false
}

func unknownNum(a abs) bool { return a.leaf != nil && a.leaf.unknown }

func (m *machine) ordered(op token.Token, a, b abs) abs {
	if a.k != absNum || b.k != absNum || unknownNum(a) || unknownNum(b) {
		return abs{}
	}
	x, y := a.hi, b.hi
	switch op {
	case token.LSS:
		return boolean(x < y)
	case token.LEQ:
		return boolean(x <= y)
	case token.GTR:
		return boolean(x > y)
	}
	return boolean(x >= y)
}

// arith computes on numbers that may be ranges of randomness.
func arith(op token.Token, a, b abs) abs {
	if op == token.ADD && a.k == absStr && b.k == absStr {
		return abs{k: absStr, s: a.s + b.s}
	}
	if a.k != absNum || b.k != absNum {
		if (a.k == absClock || b.k == absClock) && (op == token.ADD || op == token.SUB) {
			return abs{k: absClock}
		}
		return abs{}
	}
	f := func(x, y float64) float64 {
		switch op {
		case token.ADD:
			return x + y
		case token.SUB:
			return x - y
		case token.MUL:
			return x * y
		case token.QUO:
			if y == 0 {
				return math.NaN()
			}
			if a.float || b.float {
				return x / y
			}
			return math.Trunc(x / y)
		case token.REM:
			if y == 0 {
				return math.NaN()
			}
			return math.Mod(x, y)
		case token.SHL:
			return x * math.Pow(2, y)
		case token.SHR:
			return math.Floor(x / math.Pow(2, y))
		}
		return math.NaN()
	}
	out := abs{k: absNum, rnd: a.rnd || b.rnd, float: a.float || b.float, leaf: a.leaf}
	if out.leaf == nil || !out.leaf.unknown && b.leaf != nil && b.leaf.unknown {
		out.leaf = b.leaf
	}
	if op == token.REM && a.rnd {
		out.lo, out.hi = 0, b.hi
		return out
	}
	out.lo, out.hi = math.Inf(1), math.Inf(-1)
	for _, x := range [2]float64{a.lo, a.hi} {
		for _, y := range [2]float64{b.lo, b.hi} {
			r := f(x, y)
			if math.IsNaN(r) {
				return abs{}
			}
			out.lo, out.hi = min(out.lo, r), max(out.hi, r)
		}
	}
	if math.IsInf(out.hi, 0) || huge(out.hi) && op != token.ADD && op != token.SUB {
		out.hi = math.MaxInt64
	}
	return out
}
