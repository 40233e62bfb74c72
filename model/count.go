package model

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Count is a number of executions (attempts, replicas, deliveries): a closed range whose upper end may be open
// (unbounded) or not known. The zero value is unknown.
type Count struct {
	kind countKind
	lo   int64 // known to be at least this, also where the upper end is unknown
	hi   int64 // meaningful where kind is countKnown
}

type countKind uint8

const (
	countUnknown countKind = iota
	countKnown
	countUnbounded
)

// Exactly is the count n; negative n is unknown.
func Exactly(n int64) Count { return Between(n, n) }

// Between is the range lo..hi; a range that makes no sense is unknown.
func Between(lo, hi int64) Count {
	if lo < 0 || hi < lo {
		return Count{}
	}
	return Count{kind: countKnown, lo: lo, hi: hi}
}

// Retries is the attempts made by a setting that counts retries: n retries are n+1 attempts. A negative n is unknown;
// formats in which it means "for ever" say so with Unbounded.
func Retries(n int64) Count {
	if n < 0 {
		return Count{}
	}
	if n == math.MaxInt64 {
		return Exactly(n)
	}
	return Exactly(n + 1)
}

// Unbounded is a count without end, at least 1.
func Unbounded() Count { return Count{kind: countUnbounded, lo: 1} }

// AtLeast is a count of which only a lower bound is known.
func AtLeast(n int64) Count { return Count{kind: countUnknown, lo: max(n, 0)} }

// Known reports whether the upper end is known to be finite.
func (c Count) Known() bool { return c.kind == countKnown }

// IsUnknown reports whether the upper end is not known.
func (c Count) IsUnknown() bool { return c.kind == countUnknown }

// IsUnbounded reports whether there is no upper end.
func (c Count) IsUnbounded() bool { return c.kind == countUnbounded }

// Max is the upper end; ok is false where it is unknown or there is none.
func (c Count) Max() (n int64, ok bool) { return c.hi, c.kind == countKnown }

// Min is the lower end: at least so many are possible in the worst case as far as is known.
func (c Count) Min() int64 { return c.lo }

// Exact reports whether c is one known number.
func (c Count) Exact() bool { return c.kind == countKnown && c.lo == c.hi }

// One reports whether c is known to be at most 1: a layer that is switched off.
func (c Count) One() bool { return c.kind == countKnown && c.hi <= 1 }

// Retrying reports whether c is known to be able to exceed 1.
func (c Count) Retrying() bool {
	return c.kind == countUnbounded || c.kind == countKnown && c.hi > 1 || c.kind == countUnknown && c.lo > 1
}

// Times is the product; it saturates, unknown sticks (keeping what is known of its lower end), 1 is neutral, and 0
// (nothing is ever sent) wins over everything.
func (c Count) Times(d Count) Count {
	if c.isZeroCount() || d.isZeroCount() {
		return Exactly(0)
	}
	lo := mulSat(max(c.lo, 1), max(d.lo, 1))
	switch {
	case c.kind == countUnknown || d.kind == countUnknown:
		return Count{kind: countUnknown, lo: lo}
	case c.kind == countUnbounded || d.kind == countUnbounded:
		return Count{kind: countUnbounded, lo: lo}
	}
	return Count{kind: countKnown, lo: mulSat(c.lo, d.lo), hi: mulSat(c.hi, d.hi)}
}

// Plus is the sum, for chains that meet.
func (c Count) Plus(d Count) Count {
	lo := addSat(c.lo, d.lo)
	switch {
	case c.kind == countUnbounded || d.kind == countUnbounded:
		return Count{kind: countUnbounded, lo: max(lo, 1)}
	case c.kind == countUnknown || d.kind == countUnknown:
		return Count{kind: countUnknown, lo: lo}
	}
	return Count{kind: countKnown, lo: lo, hi: addSat(c.hi, d.hi)}
}

// Offset adds n to both ends of a known count (a loop that runs "one more than the setting says").
func (c Count) Offset(n int64) Count {
	if c.kind != countKnown {
		return c
	}
	return Between(max(addSat(c.lo, n), 0), max(addSat(c.hi, n), 0))
}

// Or is the range that covers both: one of several possible values.
func (c Count) Or(d Count) Count {
	switch {
	case c.kind == countUnbounded || d.kind == countUnbounded:
		return Count{kind: countUnbounded, lo: max(min(c.lo, d.lo), 1)}
	case c.kind == countUnknown || d.kind == countUnknown:
		return Count{kind: countUnknown, lo: min(c.lo, d.lo)}
	}
	return Count{kind: countKnown, lo: min(c.lo, d.lo), hi: max(c.hi, d.hi)}
}

// AtMost limits the upper end to n.
func (c Count) AtMost(n int64) Count {
	if c.kind == countKnown && c.hi <= n {
		return c
	}
	if c.kind == countUnbounded {
		return Exactly(n) // what ends it is the limit, so the worst case is the limit
	}
	return Count{kind: countKnown, lo: min(c.lo, n), hi: n}
}

// Compare orders counts for "which is worse": unbounded above all, then the known upper or lower end.
func (c Count) Compare(d Count) int {
	a, b := c.rank(), d.rank()
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (c Count) rank() int64 {
	switch c.kind {
	case countUnbounded:
		return math.MaxInt64
	case countKnown:
		return c.hi
	}
	return max(c.lo, 1)
}

func (c Count) isZeroCount() bool { return c.kind == countKnown && c.hi == 0 }

// String is "27", "2..5", "unbounded", "unknown", or "unknown (3 or more)"; MarshalText writes a form that can be read back.
func (c Count) String() string {
	switch c.kind {
	case countUnbounded:
		return "unbounded"
	case countKnown:
		if c.lo == c.hi {
			return strconv.FormatInt(c.hi, 10)
		}
		return fmt.Sprintf("%d..%d", c.lo, c.hi)
	}
	if c.lo > 1 {
		return fmt.Sprintf("unknown (%d or more)", c.lo)
	}
	return "unknown"
}

// MarshalText implements encoding.TextMarshaler: "27", "2..5", "3..unbounded", "3..unknown".
func (c Count) MarshalText() ([]byte, error) {
	switch c.kind {
	case countUnbounded:
		return fmt.Appendf(nil, "%d..unbounded", c.lo), nil
	case countKnown:
		return []byte(c.String()), nil
	}
	return fmt.Appendf(nil, "%d..unknown", c.lo), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *Count) UnmarshalText(b []byte) error {
	a, z, isRange := strings.Cut(string(b), "..")
	lo, err := strconv.ParseInt(a, 10, 64)
	if err != nil {
		return fmt.Errorf("count %q: %w", b, err)
	}
	switch {
	case !isRange:
		*c = Exactly(lo)
		return nil
	case z == "unbounded":
		*c = Count{kind: countUnbounded, lo: lo}
		return nil
	case z == "unknown":
		*c = AtLeast(lo)
		return nil
	}
	hi, err := strconv.ParseInt(z, 10, 64)
	if err != nil {
		return fmt.Errorf("count %q: %w", b, err)
	}
	*c = Between(lo, hi)
	return nil
}

func mulSat(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	if a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

func addSat(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
