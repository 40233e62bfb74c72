package model

import (
	"math/bits"
	"strings"
)

// GapKind says from where a wait is counted.
type GapKind uint8

// The two ways in which attempts are spaced.
const (
	EndToStart   GapKind = iota // a sleep after a failure
	StartToStart                // a visibility timeout, ack wait, lease or scheduler period
)

// BudgetKind says how a limit over a whole layer acts.
type BudgetKind uint8

// The kinds of overall limits, section 6.3.
const (
	BudgetHard         BudgetKind = iota // a context deadline over everything
	BudgetGateBefore                     // stop if elapsed + next wait exceeds it
	BudgetGateAfter                      // stop if elapsed exceeds it, looked at after an attempt
	BudgetAndCount                       // attempts go on until both count and time are reached (Cloud Tasks)
	BudgetWindowedRate                   // failures within the window are counted (Luigi, systemd)
)

// Conditions is what a layer repeats: a set of kinds of failure. Zero means that it is not known.
type Conditions uint32

// The kinds of failure that a layer may repeat.
const (
	OnConnect     Conditions = 1 << iota // nothing was sent: connect failure, refused stream, DNS
	OnReset                              // the connection broke after something was sent
	OnTimeout                            // no answer in time
	On500                                // 500
	OnGateway                            // 502, 503, 504
	On429                                // 429 or resource exhausted
	On4xx                                // other 4xx, and INVALID_ARGUMENT and its like: permanent
	OnConflict                           // 409, optimistic lock lost, transaction aborted
	OnUnavailable                        // gRPC UNAVAILABLE
	OnRPCOther                           // other gRPC codes
	OnExit                               // a process or container that failed
	OnNoAck                              // a message that was not acknowledged
	OnError                              // an error return of any kind
	OnCancel                             // cancelled or expired context
	OnSuccess                            // repeats after success too
)

// OnAny is everything a careless layer repeats.
const OnAny = OnConnect | OnReset | OnTimeout | On500 | OnGateway | On429 | On4xx | OnUnavailable | OnRPCOther | OnError

// On5xx is the server errors.
const On5xx = On500 | OnGateway

var conditionWords = []string{"connect-failure", "reset", "timeout", "500", "502-504", "429", "4xx", "conflict",
	"unavailable", "other rpc codes", "failed process", "no acknowledgement", "any error", "cancelled context", "success"}

// Words lists the conditions, for the JSON's retries[]; empty where not known.
func (c Conditions) Words() []string {
	var out []string
	for rest := uint32(c); rest != 0; rest &= rest - 1 {
		out = append(out, word(conditionWords, bits.TrailingZeros32(rest)))
	}
	return out
}

// String joins the words.
func (c Conditions) String() string { return strings.Join(c.Words(), ", ") }

// OnlyUnsent reports whether c is known to repeat only work that was not sent, so that the layer is no factor.
func (c Conditions) OnlyUnsent() bool { return c != 0 && c&^OnConnect == 0 }

// Redelivery reports whether c is known to be about messages that were not acknowledged and nothing else.
func (c Conditions) Redelivery() bool { return c == OnNoAck }

// Shares reports whether one failure can make both layers repeat; what is not known counts as shared. A failed inner
// layer shows itself to its caller as an error, a failed process or a missing acknowledgement as well.
func (c Conditions) Shares(d Conditions) bool {
	const general = OnError | OnExit | OnNoAck | OnSuccess
	return c == 0 || d == 0 || c&d != 0 || c&general != 0 || d&general != 0
}

// Policy is what one layer does.
type Policy struct {
	Attempts   Count      `json:"attempts,omitzero"`
	Backoff    Backoff    `json:"backoff,omitzero"`
	Gap        GapKind    `json:"gap,omitempty"`
	PerAttempt Limit      `json:"perAttempt,omitzero"` // cap on one run of everything inside; NoLimit: known to have none
	Overall    Limit      `json:"overall,omitzero"`    // over all attempts with their waits; NoLimit: known to have none
	Budget     BudgetKind `json:"budget,omitempty"`
	On         Conditions `json:"on,omitempty"`
	// WaitsAfterLast: a wait follows the last failed attempt too (heimdall), so there are as many waits as attempts.
	WaitsAfterLast bool `json:"waitsAfterLast,omitempty"`
}

// Total is the attempts of the layer with its time limit taken into account (section 6.4).
func (p Policy) Total() Count {
	if d, ok := p.Overall.Duration(); ok && !p.Attempts.One() {
		switch p.Budget {
		case BudgetAndCount:
			return p.Attempts
		case BudgetWindowedRate:
			return p.Attempts
		}
		fits := p.Backoff.Fits(d)
		if p.Budget == BudgetGateAfter && fits.Known() {
			fits = fits.Offset(1)
		}
		if hi, ok := fits.Max(); ok {
			if p.Attempts.IsUnknown() {
				return Between(min(max(p.Attempts.Min(), 1), hi), hi)
			}
			return p.Attempts.AtMost(hi)
		}
	}
	return p.Attempts
}

// Path is the time from the start of the first attempt to the end of the last, where one run of everything inside takes
// at most inner (section 6.3).
func (p Policy) Path(inner Limit) Limit {
	a := inner
	if p.PerAttempt.Known() {
		a = a.Min(p.PerAttempt)
	}
	if p.Attempts.One() {
		return a
	}
	total := p.Total()
	waits := p.Backoff.Sum(total)
	if p.WaitsAfterLast {
		waits = p.Backoff.Sum(total.Offset(1))
	}
	var out Limit
	if p.Gap == StartToStart {
		out = waits.Plus(a)
	} else {
		out = a.Times(total).Plus(waits)
	}
	if !p.Overall.Known() || p.Budget == BudgetAndCount || p.Budget == BudgetWindowedRate {
		return out
	}
	end := p.Overall
	switch p.Budget {
	case BudgetGateBefore:
		end = end.Plus(a)
	case BudgetGateAfter:
		_, gap := p.Backoff.Gap(max(total.Min(), 1))
		if hi, ok := total.Max(); ok {
			_, gap = p.Backoff.Gap(max(hi-1, 1))
		} else if p.Backoff.Max.Known() {
			gap = p.Backoff.Max
		}
		end = end.Plus(gap).Plus(a)
	}
	if end.Known() {
		return out.Min(end)
	}
	return out
}

// Bounded reports whether anything ends the layer: a known count or a known time. known is false where that is not known.
func (p Policy) Bounded() (bounded, known bool) {
	if p.Attempts.Known() || p.Overall.Known() {
		return true, true
	}
	return false, p.Attempts.IsUnbounded()
}
