package model

import (
	"fmt"
	"time"
)

// Window is how long a dedupe memory remembers: a duration, permanent, or unknown (the zero value).
type Window struct {
	permanent bool
	known     bool
	d         time.Duration
}

// WindowFor is a window of d.
func WindowFor(d time.Duration) Window { return Window{known: true, d: max(d, 0)} }

// Permanent is a memory that never forgets.
func Permanent() Window { return Window{known: true, permanent: true} }

// Known reports whether the window is known.
func (w Window) Known() bool { return w.known }

// IsPermanent reports whether it never forgets.
func (w Window) IsPermanent() bool { return w.permanent }

// Duration is the window; ok is false where it is permanent or unknown.
func (w Window) Duration() (d time.Duration, ok bool) { return w.d, w.known && !w.permanent }

// Min is the shorter of two windows that both must hold; unknown wins over longer ones.
func (w Window) Min(x Window) Window {
	switch {
	case w.permanent:
		return x
	case x.permanent:
		return w
	case !w.known && !x.known:
		return Window{}
	case !w.known && x.d == 0, w.known && x.known && x.d < w.d:
		return x
	case !w.known || !x.known:
		if w.known && w.d == 0 {
			return w
		}
		return Window{}
	}
	return w
}

// Longer reports whether w is known to be longer than x is known to be.
func (w Window) Longer(x Window) bool {
	switch {
	case !w.known:
		return false
	case w.permanent:
		return !x.permanent
	case !x.known:
		return true
	}
	return !x.permanent && w.d > x.d
}

// String is the duration, "permanent" or "unknown".
func (w Window) String() string {
	switch {
	case w.permanent:
		return "permanent"
	case w.known:
		return FormatDuration(w.d)
	}
	return "unknown"
}

// MarshalText implements encoding.TextMarshaler.
func (w Window) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (w *Window) UnmarshalText(b []byte) error {
	switch s := string(b); s {
	case "permanent":
		*w = Permanent()
	case "unknown", "":
		*w = Window{}
	default:
		d, err := time.ParseDuration(s)
		if err != nil {
			return fmt.Errorf("window: %w", err)
		}
		*w = WindowFor(d)
	}
	return nil
}

// StoreKind says where a dedupe memory lives.
type StoreKind string

// The stores.
const (
	StoreUnknown  StoreKind = ""
	StoreDurable  StoreKind = "durable"   // a database or a store without eviction
	StoreMemory   StoreKind = "memory"    // private to one process
	StoreEvicting StoreKind = "evicting"  // shared, but evicted under memory pressure or by size
	StoreBroker   StoreKind = "broker"    // a broker's duplicate window over publishes
	StoreProvider StoreKind = "provider"  // an outside API
	StoreInFlight StoreKind = "in-flight" // only joins concurrent callers: remembers nothing afterwards
)

// RecordOrder is the order of record and effect.
type RecordOrder string

// The orders.
const (
	OrderUnknown     RecordOrder = ""
	OrderBefore      RecordOrder = "record-before-effect" // insert-if-absent first
	OrderAfter       RecordOrder = "record-after-effect"  // check, effect, record
	OrderTransaction RecordOrder = "one-transaction"
	OrderLockedAll   RecordOrder = "locked"  // a lock held over check, effect and record
	OrderPublish     RecordOrder = "publish" // a broker dedupes the publish
)

// Traits of boundaries.
const (
	TraitEffect          TraitKind = "effect"            // At: the effect that the boundary guards
	TraitRecord          TraitKind = "record"            // At: the write of the record
	TraitSeparateCommit  TraitKind = "separate-commit"   // record and effect are two commits; At the record
	TraitRecovery        TraitKind = "recovery"          // two-phase record with takeover
	TraitReleases        TraitKind = "releases-on-error" // the claim is given back when the effect fails
	TraitStoresFailure   TraitKind = "stores-failure"    // At: a transient failure becomes the final result
	TraitComparesPayload TraitKind = "compares-payload"
	TraitAnswersStored   TraitKind = "answers-from-store" // a known key is answered with the stored result; At
	TraitPayloadKey      TraitKind = "payload-key"        // the key is derived from the payload
	TraitSliding         TraitKind = "sliding"            // a hit refreshes the time to live
	TraitPurge           TraitKind = "purge"              // At: the job that deletes rows
	TraitClaimOnly       TraitKind = "lock-only"          // released afterwards: a lock, not a record
	TraitOwnRetry        TraitKind = "client-retries"     // the store's client retries the claim by itself
	TraitUniqueField     TraitKind = "unique-field"       // uniqueness on a field of the body; Detail names it
	TraitFailOpen        TraitKind = "fail-open"
	TraitSubsetOfQueue   TraitKind = "restored-with-queue"
)

// Boundary is a dedupe memory.
type Boundary struct {
	ID   string   `json:"id"`
	Kind string   `json:"kind"`         // redis, sql-unique, memory, stripe.v1, nats.jetstream ...
	At   Location `json:"at"`           // its time to live, or where it is made
	Use  Location `json:"use,omitzero"` // where it is asked
	// In is the node whose work it guards: a handler's function, a queue, a host.
	In     Name        `json:"in"`
	TTL    Window      `json:"ttl,omitzero"` // as configured
	Store  StoreKind   `json:"store,omitempty"`
	Order  RecordOrder `json:"order,omitempty"`
	Refs   []Ref       `json:"refs,omitempty"`
	Origin Origin      `json:"origin,omitempty"`
	Traits []Trait     `json:"traits,omitempty"`
	// Minus is what has to be taken off the time to live (claim long before the effect, clock skew).
	Minus   time.Duration `json:"minus,omitempty"`
	KeyName string        `json:"keyName,omitempty"`
	// Confirmed: the catalogue's row is verified; an unconfirmed one (mark U) never decides a verdict.
	Unconfirmed bool       `json:"unconfirmed,omitempty"`
	SetBy       []Location `json:"setBy,omitempty"`
	Service     string     `json:"service,omitempty"`
	Replicas    Count      `json:"replicas,omitzero"` // filled by the linker
	ReplicasAt  Location   `json:"replicasAt,omitzero"`
	// ReplicasEnvs are the environments in which so many run, where it is not all of them.
	ReplicasEnvs []string `json:"replicasEnvs,omitempty"`
	Envs         []string `json:"envs,omitempty"`
}

// Has reports whether a trait of that kind was seen.
func (b *Boundary) Has(k TraitKind) bool { _, ok := findTrait(b.Traits, k); return ok }

// Trait finds the first trait of a kind.
func (b *Boundary) Trait(k TraitKind) (Trait, bool) { return findTrait(b.Traits, k) }

// Guaranteed is the window that can be relied on (section 6.7): memory is lost with the process, an evicting store and
// a mere lock guarantee nothing.
func (b *Boundary) Guaranteed() Window {
	switch b.Store {
	case StoreMemory, StoreEvicting, StoreInFlight:
		return WindowFor(0)
	}
	if b.Has(TraitClaimOnly) {
		return WindowFor(0)
	}
	if d, ok := b.TTL.Duration(); ok {
		return WindowFor(d - b.Minus)
	}
	return b.TTL
}

// DeadLetter says that what fails for good is parked and can be replayed.
type DeadLetter struct {
	Of        Name     `json:"of"`             // the queue, workload, service or step it belongs to
	Name      string   `json:"name,omitempty"` // of the dead-letter queue
	At        Location `json:"at"`
	Retention Limit    `json:"retention,omitzero"` // how late a replay can come; unknown or none: no bound in the platform
	Origin    Origin   `json:"origin,omitempty"`
	Envs      []string `json:"envs,omitempty"`
	// FromFirst: the retention's clock starts with the first enqueue.
	FromFirst bool `json:"fromFirst,omitempty"`
}
