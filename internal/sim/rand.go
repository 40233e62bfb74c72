// Package sim is the seeded models behind "retrylint simulate": it plays what a chain does to intents (lost, applied once,
// duplicated) and how retries of clients that fail together pile up. The same seed gives the same figures everywhere.
package sim

// random is the mulberry32 generator: a 32-bit state that grows by a constant and is mixed; all products modulo 2^32.
type random uint32

// float is the next value in [0, 1).
func (r *random) float() float64 {
	*r += 0x6d2b79f5
	a := uint32(*r)
	t := (a ^ a>>15) * (1 | a)
	t = (t + (t^t>>7)*(61|t)) ^ t
	return float64(t^t>>14) / (1 << 32)
}
