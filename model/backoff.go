package model

import (
	"math/big"
	"time"
)

// BackoffKind is the shape of the waits between attempts.
type BackoffKind uint8

// The shapes of section 6.2 of the catalogue's arithmetic.
const (
	BackoffUnknown        BackoffKind = iota
	BackoffNone                       // no wait at all
	BackoffConstant                   // Initial each time
	BackoffLinear                     // Initial + (k-1) Step, at most Max
	BackoffExponential                // Initial * Factor^(k-1), at most Max
	BackoffList                       // List[k-1], the last one repeats
	BackoffPolynomial                 // (k-1+Shift)^Degree seconds + Initial, at most Max (job queues)
	BackoffDoublingLinear             // doubles Doublings times, then grows linearly (Cloud Tasks), at most Max
	BackoffServer                     // the server's Retry-After, at most Max
)

var backoffWords = []string{"unknown", "none", "constant", "linear", "exponential", "list", "polynomial", "doubling-linear", "server-directed"}

// String is the word of the JSON.
func (k BackoffKind) String() string { return word(backoffWords, int(k)) }

// JitterKind is how a wait is spread between clients.
type JitterKind uint8

// The kinds of jitter. The cap is applied before the jitter unless the library's entry says otherwise.
const (
	JitterUnknown        JitterKind = iota
	JitterNone                      // the same for every client
	JitterFull                      // 0 .. g
	JitterEqual                     // g/2 .. g
	JitterProportional              // g (1 - Factor) .. g (1 + Factor)
	JitterUpward                    // g .. g (1 + Factor)
	JitterAdditive                  // g .. g + Extra
	JitterAdditiveScaled            // g .. g + Extra * k
	JitterDecorrelated              // Initial .. min(Max, Initial * 3^k)
	JitterSome                      // some randomness whose size is not known
)

var jitterWords = []string{"unknown", "none", "full", "equal", "proportional", "upward", "additive", "additive-scaled", "decorrelated", "some"}

// String is the word of the JSON.
func (k JitterKind) String() string { return word(jitterWords, int(k)) }

// Jitter is a kind with its size.
type Jitter struct {
	Kind   JitterKind    `json:"kind,omitempty"`
	Factor Ratio         `json:"factor,omitzero"`
	Extra  time.Duration `json:"extra,omitempty"`
}

// adds reports whether the jitter is a wait by itself, also where there is no other.
func (j Jitter) adds() bool {
	return (j.Kind == JitterAdditive || j.Kind == JitterAdditiveScaled) && j.Extra > 0
}

// Backoff is the rule for the waits between attempts. The zero value is unknown.
type Backoff struct {
	Kind      BackoffKind     `json:"kind,omitempty"`
	Initial   Limit           `json:"initial,omitzero"`
	Step      Limit           `json:"step,omitzero"`
	Factor    Ratio           `json:"factor,omitzero"` // of an exponential
	Max       Limit           `json:"max,omitzero"`    // cap of one wait; NoLimit where it is known that there is none
	Degree    int             `json:"degree,omitempty"`
	Shift     int64           `json:"shift,omitempty"`
	Doublings int64           `json:"doublings,omitempty"`
	List      []time.Duration `json:"list,omitempty"`
	Jitter    Jitter          `json:"jitter,omitzero"`
	CapsSum   bool            `json:"capsSum,omitempty"` // Max caps wait and jitter together
}

// NoBackoff is attempts that follow each other at once.
func NoBackoff() Backoff {
	return Backoff{Kind: BackoffNone, Jitter: Jitter{Kind: JitterNone}}
}

// Constant is the same wait each time, without jitter.
func Constant(d time.Duration) Backoff {
	return Backoff{Kind: BackoffConstant, Initial: For(d), Jitter: Jitter{Kind: JitterNone}}
}

// Exponential is a growing wait without jitter; max zero means that there is no cap.
func Exponential(initial time.Duration, factor Ratio, max time.Duration) Backoff {
	b := Backoff{Kind: BackoffExponential, Initial: For(initial), Factor: factor, Max: NoLimit(), Jitter: Jitter{Kind: JitterNone}}
	if max > 0 {
		b.Max = For(max)
	}
	return b
}

// WithJitter is b with the jitter j.
func (b Backoff) WithJitter(j Jitter) Backoff {
	b.Jitter = j
	return b
}

// Waits reports whether b is known to wait at all; known is false where that cannot be said.
func (b Backoff) Waits() (waits, known bool) {
	switch b.Kind {
	case BackoffUnknown:
		return false, false
	case BackoffNone:
		return b.Jitter.adds(), true
	case BackoffList:
		for _, d := range b.List {
			if d > 0 {
				return true, true
			}
		}
		return false, true
	case BackoffServer, BackoffPolynomial:
		return true, true
	}
	d, ok := b.Initial.Duration()
	if !ok {
		return true, true // some wait, of unknown length
	}
	s, _ := b.Step.Duration()
	return d > 0 || s > 0, true
}

// maxExactTerms bounds the terms that are summed one by one; beyond it the sum saturates.
const maxExactTerms = 1 << 16

// Gap is the upper (hi) and lower (lo) bound of the k-th wait, k from 1.
func (b Backoff) Gap(k int64) (lo, hi Limit) {
	if k < 1 {
		return For(0), For(0)
	}
	g := b.nominal(k)
	return b.low(g), b.high(g, k)
}

// nominal is the k-th wait before jitter.
func (b Backoff) nominal(k int64) Limit {
	switch b.Kind {
	case BackoffNone:
		return For(0)
	case BackoffConstant:
		return b.capped(b.Initial)
	case BackoffLinear:
		return b.capped(b.Initial.Plus(b.Step.Times(Exactly(k - 1))))
	case BackoffExponential:
		return b.exponential(k)
	case BackoffList:
		if len(b.List) == 0 {
			return For(0)
		}
		return b.capped(For(b.List[min(k, int64(len(b.List)))-1]))
	case BackoffPolynomial:
		n := big.NewInt(k - 1 + b.Shift)
		p := new(big.Int).Exp(n, big.NewInt(int64(b.Degree)), nil)
		p.Mul(p, big.NewInt(int64(time.Second)))
		return b.capped(limitOfRat(new(big.Rat).SetInt(p)).Plus(b.Initial))
	case BackoffDoublingLinear:
		if k-1 <= b.Doublings {
			return b.capped(b.Initial.Scale(powRatio(Ratio{2, 1}, k-1)))
		}
		top := b.Initial.Scale(powRatio(Ratio{2, 1}, b.Doublings))
		return b.capped(top.Times(Exactly(k - b.Doublings)))
	case BackoffServer:
		if b.Max.Known() {
			return b.Max
		}
		return NoLimit()
	}
	return Limit{}
}

func (b Backoff) capped(l Limit) Limit {
	if b.Max.Known() {
		return l.Min(b.Max)
	}
	return l
}

func (b Backoff) exponential(k int64) Limit {
	d, ok := b.Initial.Duration()
	if !ok || !b.Factor.Known() {
		if b.Max.Known() {
			return b.Max // an upper bound all the same
		}
		return Limit{}
	}
	if d == 0 {
		return For(0)
	}
	if b.Factor.Cmp(Ratio{1, 1}) == 0 {
		return b.capped(b.Initial)
	}
	// d times a power, in exact arithmetic, without a common divisor at each step: these numbers are long.
	f := b.Factor.rat()
	e := big.NewInt(min(k-1, lastPower))
	num := new(big.Int).Exp(f.Num(), e, nil)
	num.Mul(num, big.NewInt(int64(d)))
	return b.capped(limitOfFraction(num, new(big.Int).Exp(f.Denom(), e, nil)))
}

// lastPower is the highest power of a factor that is worked out; later waits are taken for equal.
const lastPower = 257

func powRatio(r Ratio, n int64) Ratio {
	out := big.NewRat(1, 1)
	for i := int64(0); i < n && i < 62; i++ {
		out.Mul(out, r.rat())
	}
	return ratioOfRat(out)
}

// high is the upper bound of a wait whose nominal value is g.
func (b Backoff) high(g Limit, k int64) Limit {
	out := g
	switch b.Jitter.Kind {
	case JitterProportional, JitterUpward:
		if b.Jitter.Factor.Known() {
			one := new(big.Rat).Add(big.NewRat(1, 1), b.Jitter.Factor.rat())
			out = g.Scale(ratioOfRat(one))
		}
	case JitterAdditive:
		out = g.Plus(For(b.Jitter.Extra))
	case JitterAdditiveScaled:
		out = g.Plus(For(b.Jitter.Extra).Times(Exactly(k)))
	case JitterDecorrelated:
		c := b
		c.Factor, c.Kind = Ratio{3, 1}, BackoffExponential
		out = c.exponential(k + 1)
	}
	if b.CapsSum && b.Max.Known() {
		out = out.Min(b.Max)
	}
	return out
}

// low is the lower bound of a wait whose nominal value is g; it is zero where nothing better is known.
func (b Backoff) low(g Limit) Limit {
	d, ok := g.Duration()
	if !ok {
		return For(0)
	}
	switch b.Jitter.Kind {
	case JitterNone, JitterUpward, JitterAdditive, JitterAdditiveScaled:
		return For(d)
	case JitterEqual:
		return For(d / 2)
	case JitterProportional:
		if b.Jitter.Factor.Known() {
			r := new(big.Rat).Sub(big.NewRat(1, 1), b.Jitter.Factor.rat())
			if r.Sign() > 0 {
				v := new(big.Rat).Mul(r, new(big.Rat).SetInt64(int64(d)))
				return For(time.Duration(new(big.Int).Quo(v.Num(), v.Denom()).Int64()))
			}
		}
	case JitterDecorrelated:
		if i, ok := b.Initial.Duration(); ok {
			return For(min(i, d))
		}
	}
	return For(0)
}

// Sum is the upper bound of the waits that n attempts make between them (n-1 waits), for the upper end of n.
func (b Backoff) Sum(n Count) Limit {
	hi, ok := n.Max()
	if ok && hi <= 1 {
		return For(0)
	}
	if b.Kind == BackoffNone && !b.Jitter.adds() {
		return For(0)
	}
	if n.IsUnbounded() {
		return NoLimit()
	}
	if !ok {
		return Limit{}
	}
	total, steady := For(0), Limit{}
	for k := int64(1); k <= hi-1; k++ {
		_, g := b.Gap(k)
		total = total.Plus(g)
		if !total.Known() {
			return total
		}
		// Past the cap every wait is the same: the rest is one product.
		if k > 1 && g == steady && b.flatFrom(k) {
			return total.Plus(g.Times(Exactly(hi - 1 - k)))
		}
		steady = g
		if k > maxExactTerms {
			return NoLimit()
		}
	}
	return total
}

// flatFrom reports whether waits no longer change from the k-th on.
func (b Backoff) flatFrom(k int64) bool {
	if b.Jitter.Kind == JitterAdditiveScaled && b.Jitter.Extra > 0 {
		return false
	}
	switch b.Kind {
	case BackoffConstant, BackoffNone, BackoffServer:
		return true
	case BackoffList:
		return k >= int64(len(b.List))
	case BackoffExponential:
		if k > lastPower || b.Factor.Known() && b.Factor.Cmp(Ratio{1, 1}) == 0 {
			return true
		}
		grows := b.Factor.Known() && b.Factor.Cmp(Ratio{1, 1}) > 0 // a cap cuts the first waits alone where they shrink
		return (grows || !b.Factor.Known()) && b.Max.Known() && b.nominal(k).Compare(b.Max) >= 0
	case BackoffLinear, BackoffPolynomial, BackoffDoublingLinear:
		return b.Max.Known() && b.nominal(k).Compare(b.Max) >= 0
	}
	return false
}

// Longest is the longest of the waits among n attempts.
func (b Backoff) Longest(n Count) Limit {
	last, ok := n.Max()
	if !ok {
		last = maxGaps + 1
	}
	longest := For(0)
	for k := int64(1); k < last; k++ {
		_, hi := b.Gap(k)
		if longest = longest.Max(hi); !longest.Known() || b.flatFrom(k) {
			return longest
		}
		if k == maxGaps {
			return NoLimit() // it grows on
		}
	}
	return longest
}

// maxGaps bounds how many waits Longest looks at.
const maxGaps = 10_000

// Fits is the largest number of attempts that can start within d, counting only the shortest waits: 1 + the largest m
// such that the lower bounds of the first m waits sum up to at most d. Unbounded where a wait can be zero.
func (b Backoff) Fits(d time.Duration) Count {
	var total time.Duration
	for k := int64(1); ; k++ {
		lo, _ := b.Gap(k)
		g, _ := lo.Duration()
		if g <= 0 {
			if b.Kind == BackoffPolynomial || b.Kind == BackoffLinear || b.Kind == BackoffList && k < int64(len(b.List)) {
				if k < 64 {
					continue // the first waits of these may be zero
				}
			}
			return Unbounded()
		}
		if b.flatFrom(k) {
			more := int64((d - total) / g)
			return Exactly(k + more)
		}
		if total > d-g {
			return Exactly(k)
		}
		total += g
		if k > maxExactTerms {
			return Unbounded()
		}
	}
}

func word(words []string, i int) string {
	if i < 0 || i >= len(words) {
		return "unknown"
	}
	return words[i]
}
