package conformance

import (
	"fmt"
	"math"
	"math/big"
	"path"
	"strconv"
	"strings"
	"time"
)

// Prediction is what a scan says of a case.
type Prediction struct {
	Min, Max  int  // attempts
	Unbounded bool // no end is said
	Unknown   bool // nothing is said
	Layers    []Layer
	Waits     string // the chain's automaticDelay, "" where a layer alone is read
	Worst     string // the chain's automaticWorstCase
	Chain     *Chain
}

// Said is the attempts in words.
func (p Prediction) Said() string {
	switch {
	case p.Unknown:
		return "unknown"
	case p.Unbounded:
		return "unbounded"
	case p.Min != p.Max:
		return fmt.Sprintf("%d to %d", p.Min, p.Max)
	}
	return strconv.Itoa(p.Max)
}

// Jitter reports whether a wait of the prediction is a matter of chance.
func (p Prediction) Jitter() bool {
	for _, l := range p.Layers {
		if l.Backoff.Kind != "none" && l.Backoff.Jitter != "none" {
			return true
		}
	}
	return false
}

func (p *Prediction) count(n, least Number) {
	switch n {
	case "unbounded":
		p.Unbounded = true
	case "unknown":
		p.Unknown = true
	default:
		p.Max, _ = strconv.Atoi(string(n))
		p.Min = p.Max
	}
	if least != "" {
		p.Min, _ = strconv.Atoi(string(least))
	}
}

// ChainOf is the prediction of the chain whose entry has that name: the one with the most attempts, where there are several.
func (s *Scan) ChainOf(entry string) (Prediction, error) {
	var best *Prediction
	for i, c := range s.Chains {
		if c.Entry.Name != entry {
			continue
		}
		p := Prediction{Waits: c.AutomaticDelay, Worst: c.AutomaticWorstCase, Chain: &s.Chains[i]}
		p.count(c.Attempts, c.AttemptsMin)
		for _, id := range c.Layers {
			for _, l := range s.Layers {
				if l.ID == id && l.Factor {
					p.Layers = append(p.Layers, l)
				}
			}
		}
		if best == nil || p.worse(*best) {
			best = &p
		}
	}
	if best == nil {
		var names []string
		for _, c := range s.Chains {
			names = append(names, c.Entry.Name)
		}
		return Prediction{}, fmt.Errorf("no chain begins at %s; there are %q", entry, names)
	}
	return *best, nil
}

func (p Prediction) worse(q Prediction) bool {
	rank := func(p Prediction) int {
		switch {
		case p.Unbounded:
			return math.MaxInt
		case p.Unknown:
			return math.MaxInt - 1
		}
		return p.Max
	}
	return rank(p) > rank(q)
}

// LayerOf is the prediction of one layer, named by its function, its file or file:line.
func (s *Scan) LayerOf(at string) (Prediction, error) {
	var found []Layer
	for _, l := range s.Layers {
		if at == l.Path || at == l.Path+":"+strconv.Itoa(l.Line) || at == l.Function[strings.LastIndex(l.Function, ".")+1:] || at == l.ID {
			found = append(found, l)
		}
	}
	if len(found) != 1 {
		return Prediction{}, fmt.Errorf("%d layers at %s of %d", len(found), at, len(s.Layers))
	}
	p := Prediction{Layers: found}
	p.count(found[0].Attempts, found[0].AttemptsMin)
	return p, nil
}

// Has reports whether the scan has a finding of that rule, in the file where that is not "".
func (s *Scan) Has(rule, file string) bool {
	for _, f := range s.Findings {
		if f.Rule == rule && (file == "" || path.Base(f.Path) == file) {
			return true
		}
	}
	return false
}

// findings lists the scan's findings of that rule about the chain of the prediction or a layer of it.
func (s *Scan) findings(rule string, p Prediction) []Finding {
	var out []Finding
	for _, f := range s.Findings {
		about := p.Chain != nil && f.Chain == p.Chain.ID
		for _, l := range p.Layers {
			about = about || f.Layer == l.ID
		}
		if f.Rule == rule && about {
			out = append(out, f)
		}
	}
	return out
}

// forever is a wait without a known end.
const forever = time.Duration(math.MaxInt64)

// duration reads a duration of the JSON: ok is false where it is unknown or not there.
func duration(s string) (d time.Duration, ok bool) {
	switch s {
	case "", "unknown":
		return 0, false
	case "unbounded":
		return forever, true
	}
	d, err := time.ParseDuration(s)
	return d, err == nil
}

// Gap is the shortest and longest k-th wait of a backoff, k from 1, from the JSON alone: a second arithmetic beside that of the
// linter. ok is false where the JSON does not say.
func (b Backoff) Gap(k int) (lo, hi time.Duration, ok bool) {
	g, ok := b.nominal(k)
	if !ok {
		return 0, 0, false
	}
	limit, capped := duration(b.Max)
	if capped && b.Jitter != "decorrelated" {
		g = min(g, limit)
	}
	factor := 0.0
	if b.JitterFactor != "" {
		factor, _ = strconv.ParseFloat(b.JitterFactor, 64)
	}
	extra, _ := duration(b.JitterExtra)
	lo, hi = g, g
	switch b.Jitter {
	case "", "none":
	case "full", "some", "unknown":
		lo = 0
	case "equal":
		lo = g / 2
	case "proportional":
		lo, hi = scale(g, 1-factor), scale(g, 1+factor)
	case "upward":
		hi = scale(g, 1+factor)
	case "additive":
		hi = g + extra
	case "additive-scaled":
		hi = g + extra*time.Duration(k)
	case "decorrelated":
		first, _ := duration(b.Initial)
		lo, hi = first, scale(first, math.Pow(3, float64(k)))
		if capped {
			lo, hi = min(lo, limit), min(hi, limit)
		}
	default:
		return 0, 0, false
	}
	if b.CapsSum && capped {
		lo, hi = min(lo, limit), min(hi, limit)
	}
	return max(lo, 0), hi, true
}

func scale(d time.Duration, f float64) time.Duration {
	v := float64(d) * f
	if v >= float64(forever) {
		return forever
	}
	return time.Duration(v)
}

func (b Backoff) nominal(k int) (time.Duration, bool) {
	first, ok := duration(b.Initial)
	switch b.Kind {
	case "none":
		return 0, true
	case "constant":
		return first, ok
	case "linear":
		step, _ := duration(b.Step)
		return first + step*time.Duration(k-1), ok
	case "exponential":
		r, good := new(big.Rat).SetString(b.Multiplier)
		if !good {
			return 0, false
		}
		f, _ := r.Float64()
		return scale(first, math.Pow(f, float64(k-1))), ok
	case "list":
		if len(b.List) == 0 {
			return 0, true
		}
		return duration(b.List[min(k, len(b.List))-1])
	case "polynomial":
		return first + scale(time.Second, math.Pow(float64(int64(k)-1+b.Shift), float64(b.Degree))), true
	case "doubling-linear":
		if int64(k)-1 <= b.Doublings {
			return scale(first, math.Pow(2, float64(k-1))), ok
		}
		return scale(first, math.Pow(2, float64(b.Doublings))*float64(int64(k)-b.Doublings)), ok
	}
	return 0, false
}

// Span is the shortest and longest time between the first of n attempts and the last one, waits only, where the prediction is
// one layer. ok is false where the waits are not known.
func (l Layer) Span(n int) (lo, hi time.Duration, ok bool) {
	last := n - 1
	if l.WaitsAfterLast {
		last = n
	}
	for k := 1; k <= last; k++ {
		a, b, ok := l.Backoff.Gap(k)
		if !ok {
			return 0, 0, false
		}
		lo += a
		if hi > forever-b {
			hi = forever
		} else {
			hi += b
		}
	}
	return lo, hi, true
}

// Shortest is the least that the waits of nested layers can take, where all attempts are made; layers are outermost first.
func (p Prediction) Shortest() time.Duration {
	var inner time.Duration
	for i := len(p.Layers) - 1; i >= 0; i-- {
		n, err := strconv.Atoi(string(p.Layers[i].Attempts))
		if err != nil {
			return 0
		}
		lo, _, ok := p.Layers[i].Span(n)
		if !ok {
			lo = 0
		}
		inner = inner*time.Duration(n) + lo
	}
	return inner
}
