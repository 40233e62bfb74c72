package model

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Limit is an upper bound on a duration: known, none (there is no end) or unknown. The zero value is unknown.
type Limit struct {
	kind limitKind
	d    time.Duration
}

type limitKind uint8

const (
	limitUnknown limitKind = iota
	limitKnown
	limitNone
)

// For is a known limit; negative durations count as zero.
func For(d time.Duration) Limit { return Limit{limitKnown, max(d, 0)} }

// NoLimit is the absence of a limit: it never ends.
func NoLimit() Limit { return Limit{kind: limitNone} }

// Known reports whether the limit is a known, finite duration.
func (l Limit) Known() bool { return l.kind == limitKnown }

// IsNone reports whether it is known that there is no limit.
func (l Limit) IsNone() bool { return l.kind == limitNone }

// IsUnknown reports whether nothing is known.
func (l Limit) IsUnknown() bool { return l.kind == limitUnknown }

// Duration is the known duration; ok is false otherwise.
func (l Limit) Duration() (d time.Duration, ok bool) { return l.d, l.kind == limitKnown }

// Plus is the sum: none wins, then unknown; it saturates to none.
func (l Limit) Plus(m Limit) Limit {
	switch {
	case l.kind == limitNone || m.kind == limitNone:
		return NoLimit()
	case l.kind == limitUnknown || m.kind == limitUnknown:
		return Limit{}
	}
	if l.d > math.MaxInt64-m.d {
		return NoLimit()
	}
	return For(l.d + m.d)
}

// Min is the tighter of two limits that both hold: a known one wins over none and over unknown.
func (l Limit) Min(m Limit) Limit {
	switch {
	case l.kind == limitKnown && m.kind == limitKnown:
		return For(min(l.d, m.d))
	case l.kind == limitKnown:
		return l
	case m.kind == limitKnown:
		return m
	case l.kind == limitUnknown || m.kind == limitUnknown:
		return Limit{}
	}
	return l
}

// Max is the longer of two possibilities: none wins, then unknown.
func (l Limit) Max(m Limit) Limit {
	switch {
	case l.kind == limitNone || m.kind == limitNone:
		return NoLimit()
	case l.kind == limitUnknown || m.kind == limitUnknown:
		return Limit{}
	}
	return For(max(l.d, m.d))
}

// Times is the limit of n runs of l each, for the upper end of n. Zero runs take no time whatever a run takes, and runs
// that take no time sum up to nothing unless their number is unbounded.
func (l Limit) Times(n Count) Limit {
	hi, ok := n.Max()
	switch {
	case ok && hi == 0:
		return For(0)
	case l.kind == limitNone || n.IsUnbounded():
		return NoLimit()
	case l.kind == limitKnown && l.d == 0:
		return l
	case !ok || l.kind == limitUnknown:
		return Limit{}
	}
	if l.d > 0 && hi > int64(math.MaxInt64)/int64(l.d) {
		return NoLimit()
	}
	return For(l.d * time.Duration(hi))
}

// Scale is l times the ratio, rounded up to a nanosecond.
func (l Limit) Scale(r Ratio) Limit {
	if l.kind != limitKnown {
		return l
	}
	return limitOfRat(new(big.Rat).Mul(new(big.Rat).SetInt64(int64(l.d)), r.rat()))
}

// Compare orders limits for "which is longer": none above all, unknown below all.
func (l Limit) Compare(m Limit) int {
	rank := func(l Limit) int64 {
		switch l.kind {
		case limitNone:
			return math.MaxInt64
		case limitKnown:
			return int64(l.d)
		}
		return -1
	}
	a, b := rank(l), rank(m)
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// String writes durations as the reports do: Go's form without zero units ("2h6m36s", "72h"), "unbounded", "unknown".
func (l Limit) String() string {
	switch l.kind {
	case limitKnown:
		return FormatDuration(l.d)
	case limitNone:
		return "unbounded"
	}
	return "unknown"
}

// MarshalText implements encoding.TextMarshaler.
func (l Limit) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *Limit) UnmarshalText(b []byte) error {
	switch s := string(b); s {
	case "unknown", "":
		*l = Limit{}
	case "unbounded":
		*l = NoLimit()
	default:
		d, err := time.ParseDuration(s)
		if err != nil {
			return err
		}
		*l = For(d)
	}
	return nil
}

// FormatDuration writes d as Go does, without units that are zero: 72h, 2h6m36s, 90s becomes 1m30s, 0 becomes 0s.
func FormatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// InWords adds days where a duration is long: "72h, 3 days", "144h, 6 days".
func (l Limit) InWords() string {
	s := l.String()
	const day = 24 * time.Hour
	if l.kind != limitKnown || l.d < 2*day {
		return s
	}
	if l.d%day == 0 {
		return fmt.Sprintf("%s, %d days", s, l.d/day)
	}
	return fmt.Sprintf("%s, %.1f days", s, l.d.Hours()/24)
}

// Ratio is an exact fraction, for multipliers, jitter factors and safety factors. The zero value is unknown.
type Ratio struct{ num, den int64 }

// NewRatio is num/den; a zero or negative denominator gives the unknown ratio.
func NewRatio(num, den int64) Ratio {
	if den <= 0 {
		return Ratio{}
	}
	return ratioOfRat(big.NewRat(num, den))
}

// ParseRatio reads a decimal such as "1.5", "2" or "0.25".
func ParseRatio(s string) (Ratio, error) {
	r, ok := new(big.Rat).SetString(strings.TrimSpace(s))
	if !ok || len(s) > 40 {
		return Ratio{}, fmt.Errorf("%q is not a decimal number", s)
	}
	q := ratioOfRat(r)
	if !q.Known() {
		return Ratio{}, fmt.Errorf("%q is out of range", s)
	}
	return q, nil
}

// RatioOf is the decimal that f prints as; for constants read from source.
func RatioOf(f float64) Ratio {
	r, err := ParseRatio(strconv.FormatFloat(f, 'f', -1, 64))
	if err != nil {
		return Ratio{}
	}
	return r
}

func ratioOfRat(r *big.Rat) Ratio {
	if !r.Num().IsInt64() || !r.Denom().IsInt64() {
		return Ratio{}
	}
	return Ratio{r.Num().Int64(), r.Denom().Int64()}
}

func (r Ratio) rat() *big.Rat {
	if r.den == 0 {
		return new(big.Rat)
	}
	return big.NewRat(r.num, r.den)
}

// Known reports whether r is a number.
func (r Ratio) Known() bool { return r.den != 0 }

// Float is the nearest float64.
func (r Ratio) Float() float64 { f, _ := r.rat().Float64(); return f }

// Cmp compares two known ratios.
func (r Ratio) Cmp(s Ratio) int { return r.rat().Cmp(s.rat()) }

// String is the decimal, or "unknown".
func (r Ratio) String() string {
	if !r.Known() {
		return "unknown"
	}
	return strconv.FormatFloat(r.Float(), 'f', -1, 64)
}

// MarshalText implements encoding.TextMarshaler: "3/2", or "" where unknown.
func (r Ratio) MarshalText() ([]byte, error) {
	if !r.Known() {
		return []byte{}, nil
	}
	return []byte(r.rat().RatString()), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Ratio) UnmarshalText(b []byte) error {
	*r = Ratio{}
	if len(b) == 0 {
		return nil
	}
	q, err := ParseRatio(string(b))
	if err == nil {
		*r = q
	}
	return err
}

// limitOfRat rounds nanoseconds up and saturates to no limit.
func limitOfRat(ns *big.Rat) Limit { return limitOfFraction(ns.Num(), ns.Denom()) }

func limitOfFraction(num, den *big.Int) Limit {
	q, m := new(big.Int).DivMod(num, den, new(big.Int))
	if m.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	if !q.IsInt64() {
		return NoLimit()
	}
	return For(time.Duration(q.Int64()))
}
