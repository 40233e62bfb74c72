package sim

import "time"

// Strategy is a way to spread waits.
type Strategy string

// The strategies in the order in which the published experiment draws its numbers.
const (
	NoJitter           Strategy = "none"
	FullJitter         Strategy = "full"
	EqualJitter        Strategy = "equal"
	DecorrelatedJitter Strategy = "decorrelated"
)

// Strategies lists all of them in that order.
var Strategies = []Strategy{NoJitter, FullJitter, EqualJitter, DecorrelatedJitter}

// Herd is clients that fail together and retry.
type Herd struct {
	Clients int
	Retries int           // attempts after the first, for each client
	Base    time.Duration // first wait, doubled each time
	Cap     time.Duration // longest wait before jitter
	Bucket  time.Duration // width of the buckets in which retries are counted
	Seed    uint32
}

// DefaultHerd is the published experiment: 1000 clients, 5 retries, base 100 ms, cap 10 s, buckets of 10 ms, seed 42.
func DefaultHerd() Herd {
	return Herd{Clients: 1000, Retries: 5, Base: 100 * time.Millisecond, Cap: 10 * time.Second, Bucket: 10 * time.Millisecond, Seed: 42}
}

// Peak is the result for one strategy.
type Peak struct {
	Strategy Strategy
	Peak     int         // most retries in one bucket
	At       int         // that bucket
	Buckets  map[int]int // retries by bucket
	Last     time.Duration
}

// Run plays all strategies; one generator runs on through them.
func (h Herd) Run() []Peak {
	r := random(h.Seed)
	var out []Peak
	for _, s := range Strategies {
		out = append(out, h.play(s, &r))
	}
	return out
}

func (h Herd) play(s Strategy, r *random) Peak {
	p := Peak{Strategy: s, Buckets: map[int]int{}}
	for range h.Clients {
		at, prev := 0.0, float64(h.Base)
		for k := range h.Retries {
			d := h.wait(k)
			switch s {
			case FullJitter:
				d = r.float() * d
			case EqualJitter:
				d = d/2 + r.float()*d/2
			case DecorrelatedJitter:
				d = min(float64(h.Cap), float64(h.Base)+r.float()*(3*prev-float64(h.Base)))
				prev = d
			}
			at += d
			p.Last = max(p.Last, time.Duration(at))
			p.Buckets[int(at/float64(h.Bucket))]++
		}
	}
	for b, n := range p.Buckets {
		if n > p.Peak || n == p.Peak && b < p.At {
			p.Peak, p.At = n, b
		}
	}
	return p
}

// wait is the k-th wait before jitter, k from 0, in nanoseconds.
func (h Herd) wait(k int) float64 {
	d := float64(h.Base)
	for range k {
		if d >= float64(h.Cap) {
			break
		}
		d *= 2
	}
	return min(d, float64(h.Cap))
}
