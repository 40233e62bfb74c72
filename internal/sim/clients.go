package sim

import (
	"container/heap"
	"time"
)

// KeyUse is what clients do about a failed attempt.
type KeyUse string

// The ways of clients.
const (
	NeverRetry    KeyUse = "never-retry"
	NoKey         KeyUse = "no-key"
	OneKey        KeyUse = "one-key"         // one key for all attempts of an intent
	KeyPerAttempt KeyUse = "key-per-attempt" // a new key each time
)

// Store is when the receiver records a key.
type Store string

// The stores.
const (
	RecordBefore Store = "before" // claim, effect
	RecordAfter  Store = "after"  // look, effect, record
	RecordCommit Store = "commit" // effect and record in one transaction
)

// Clients is the model: clients send intents to one receiver over a network that loses requests.
type Clients struct {
	Intents  int
	Parallel int
	Loss     float64       // probability that a request never arrives
	Handler  time.Duration // a handler takes between nothing and this, evenly spread
	Limit    time.Duration // how long a client waits for an answer
	Attempts int           // in total, for each intent
	Base     time.Duration // back-off with full jitter
	Cap      time.Duration
	Crash    float64 // probability of a crash between effect and record (or claim and effect)
	Use      KeyUse
	Store    Store
	Seed     uint32
}

// DefaultClients is the published experiment: 200 intents, ten at a time, 15 % lost before arrival, handlers up to 60 ms, time
// limit 30 ms, 6 attempts, full jitter from 5 ms to 100 ms.
func DefaultClients() Clients {
	return Clients{Intents: 200, Parallel: 10, Loss: 0.15, Handler: 60 * time.Millisecond, Limit: 30 * time.Millisecond, Attempts: 6,
		Base: 5 * time.Millisecond, Cap: 100 * time.Millisecond, Use: OneKey, Store: RecordBefore, Seed: 42}
}

// Outcome counts what became of the intents.
type Outcome struct {
	Lost       int // never applied
	Once       int
	Duplicated int // applied more than once
	Sent       int // attempts
	Most       int // times that the unluckiest intent was applied
	Unsure     int // given up by a client although the effect happened
	Took       time.Duration
}

type eventKind uint8

const (
	evSend eventKind = iota
	evEffect
	evFail // the client learns that the attempt failed, by the time limit
	evDone // the client learns that it succeeded
)

type event struct {
	at      time.Duration
	seq     int
	kind    eventKind
	intent  int
	attempt int
}

type queue []event

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if q[i].at != q[j].at {
		return q[i].at < q[j].at
	}
	return q[i].seq < q[j].seq
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(event)) }
func (q *queue) Pop() any {
	old := *q
	e := old[len(old)-1]
	*q = old[:len(old)-1]
	return e
}

type keyState uint8

const (
	keyUnknown keyState = iota
	keyClaimed
	keyRecorded
)

type play struct {
	Clients
	r       random
	q       queue
	seq     int
	next    int // intent that a free client takes
	applied []int
	keys    map[[2]int]keyState // by intent and, for a key per attempt, attempt
	over    []bool              // the client has finished with the intent
	out     Outcome
}

// Run plays the model.
func (c Clients) Run() Outcome {
	p := &play{Clients: c, r: random(c.Seed), applied: make([]int, c.Intents), keys: map[[2]int]keyState{}, over: make([]bool, c.Intents)}
	for range min(c.Parallel, c.Intents) {
		p.take(0)
	}
	for p.q.Len() > 0 {
		e := heap.Pop(&p.q).(event)
		p.out.Took = max(p.out.Took, e.at)
		switch e.kind {
		case evSend:
			p.send(e)
		case evEffect:
			p.effect(e)
		case evFail:
			p.failed(e)
		case evDone:
			if !p.over[e.intent] {
				p.over[e.intent] = true
				p.take(e.at)
			}
		}
	}
	for _, n := range p.applied {
		switch {
		case n == 0:
			p.out.Lost++
		case n == 1:
			p.out.Once++
		default:
			p.out.Duplicated++
		}
		p.out.Most = max(p.out.Most, n)
	}
	return p.out
}

func (p *play) at(t time.Duration, k eventKind, intent, attempt int) {
	p.seq++
	heap.Push(&p.q, event{t, p.seq, k, intent, attempt})
}

// take lets a free client begin with the next intent.
func (p *play) take(now time.Duration) {
	if p.next < p.Intents {
		p.at(now, evSend, p.next, 1)
		p.next++
	}
}

func (p *play) key(intent, attempt int) ([2]int, bool) {
	switch p.Use {
	case OneKey:
		return [2]int{intent, 0}, true
	case KeyPerAttempt:
		return [2]int{intent, attempt}, true
	}
	return [2]int{}, false
}

func (p *play) send(e event) {
	p.out.Sent++
	if p.r.float() < p.Loss {
		p.at(e.at, evFail, e.intent, e.attempt) // a connection that broke: the client learns at once
		return
	}
	took := time.Duration(p.r.float() * float64(p.Handler))
	if k, keyed := p.key(e.intent, e.attempt); keyed {
		switch p.keys[k] {
		case keyRecorded:
			p.at(e.at, evDone, e.intent, e.attempt)
			return
		case keyClaimed:
			// In progress: the answer is "not yet", and the client tries again.
			p.at(e.at, evFail, e.intent, e.attempt)
			return
		}
		if p.Store == RecordBefore {
			p.keys[k] = keyClaimed
		}
	}
	p.at(e.at+took, evEffect, e.intent, e.attempt)
	if took > p.Limit {
		p.at(e.at+p.Limit, evFail, e.intent, e.attempt)
	}
}

// effect is the end of a handler: what it applies, what it records, and whether the client still listens.
func (p *play) effect(e event) {
	k, keyed := p.key(e.intent, e.attempt)
	crash := p.Crash > 0 && p.r.float() < p.Crash
	switch {
	case !keyed:
		p.applied[e.intent]++
	case p.Store == RecordBefore:
		if crash {
			return // claimed, never done: whoever asks again is told to wait
		}
		p.applied[e.intent]++
		p.keys[k] = keyRecorded
	case p.Store == RecordCommit:
		if crash {
			p.at(e.at, evFail, e.intent, e.attempt)
			return
		}
		if p.keys[k] != keyRecorded {
			p.applied[e.intent]++
			p.keys[k] = keyRecorded
		}
	default:
		p.applied[e.intent]++
		if crash {
			p.at(e.at, evFail, e.intent, e.attempt)
			return
		}
		p.keys[k] = keyRecorded
	}
	p.at(e.at, evDone, e.intent, e.attempt)
}

// failed lets a client that learned of a failure try again, or give up.
func (p *play) failed(e event) {
	if p.over[e.intent] {
		return
	}
	if p.Use == NeverRetry || e.attempt >= p.Attempts {
		p.over[e.intent] = true
		if p.applied[e.intent] > 0 {
			p.out.Unsure++
		}
		p.take(e.at)
		return
	}
	wait := Herd{Base: p.Base, Cap: p.Cap}.wait(e.attempt - 1)
	p.at(e.at+time.Duration(p.r.float()*wait), evSend, e.intent, e.attempt+1)
}
