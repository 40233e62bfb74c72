package conformance

import (
	"sync"
	"time"
)

// Attempt is one attempt as the server saw it.
type Attempt struct {
	At  time.Time
	Key string // the idempotency key that it carried, "" where there was none
}

// Record is what a server wrote down during one run.
type Record struct {
	mu       sync.Mutex
	attempts []Attempt
}

// Add writes an attempt down and returns its number, from 1.
func (r *Record) Add(key string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attempts = append(r.attempts, Attempt{time.Now(), key})
	return len(r.attempts)
}

// Attempts lists what was written down so far.
func (r *Record) Attempts() []Attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Attempt(nil), r.attempts...)
}

// Gaps lists the times between attempts.
func (r *Record) Gaps() []time.Duration {
	var out []time.Duration
	all := r.Attempts()
	for i := 1; i < len(all); i++ {
		out = append(out, all[i].At.Sub(all[i-1].At))
	}
	return out
}

// Keys is how many different idempotency keys the attempts carried, and whether each of them carried one.
func (r *Record) Keys() (different int, all bool) {
	seen := map[string]bool{}
	all = true
	for _, a := range r.Attempts() {
		if a.Key == "" {
			all = false
			continue
		}
		seen[a.Key] = true
	}
	return len(seen), all
}
