package model

// LayerKind is what sort of thing retries.
type LayerKind string

// The kinds of layers.
const (
	KindLoop      LayerKind = "loop"      // hand-written
	KindLibrary   LayerKind = "library"   // a retry library around an operation
	KindClient    LayerKind = "client"    // a client that retries by itself (HTTP, SDK, driver)
	KindTransport LayerKind = "transport" // a RoundTripper, interceptor or middleware
	KindRPC       LayerKind = "rpc"       // gRPC service config and the like
	KindProxy     LayerKind = "proxy"
	KindMesh      LayerKind = "mesh"
	KindQueue     LayerKind = "queue"    // redelivery
	KindWorkflow  LayerKind = "workflow" // a step or activity of an engine
	KindScheduler LayerKind = "scheduler"
	KindJob       LayerKind = "job"     // a Job whose pods are made again
	KindRestart   LayerKind = "restart" // a supervisor that starts a process again
	KindProducer  LayerKind = "producer"
	KindDelivery  LayerKind = "delivery" // a CI or deployment step
	KindTelemetry LayerKind = "telemetry"
	KindConfig    LayerKind = "config" // a generic retry setting of which the reader is not known
	KindDeclared  LayerKind = "declared"
)

// Origin says who set a value.
type Origin string

// The origins of the JSON.
const (
	OriginExplicit Origin = "explicit"
	OriginDefault  Origin = "default" // nobody wrote it
	OriginDeclared Origin = "declared"
)

// Field names a quantity that may be set elsewhere.
type Field string

// The fields a Ref can fill.
const (
	FieldAttempts   Field = "attempts"
	FieldInitial    Field = "initial"
	FieldMax        Field = "max"
	FieldFactor     Field = "factor"
	FieldPerAttempt Field = "perAttempt"
	FieldOverall    Field = "overall"
	FieldTimeout    Field = "timeout"
	FieldTTL        Field = "ttl"
	FieldTarget     Field = "target" // of an edge: the setting holds a URL, host or queue name
	FieldOn         Field = "on"     // of Layer.Set: the conditions
)

// Ref says that a quantity is set elsewhere: by an environment variable, a flag, a configuration key, a chart value.
type Ref struct {
	Field  Field    `json:"field"`
	Name   Name     `json:"name"`
	Offset int64    `json:"offset,omitempty"` // added to the number to get attempts: 1 where the setting counts retries
	Unit   string   `json:"unit,omitempty"`   // of a bare number: "ns", "ms", "s", "m", "h"
	ZeroIs string   `json:"zeroIs,omitempty"` // what 0 means where it is not a number of retries: "unbounded", "default", "one"
	At     Location `json:"at,omitzero"`      // where it is read
	Over   bool     `json:"over,omitempty"`   // it only beats a value that is known: nothing is missing where nobody sets it
	// Prefix and Suffix stand around the setting's value in a target: base URL "http://" + host + "/pay".
	Prefix string `json:"prefix,omitempty"`
	Suffix string `json:"suffix,omitempty"`
}

// TraitKind is something seen about a layer, a boundary or a handler; it is not a judgement.
type TraitKind string

// Traits of layers.
const (
	TraitReadsRetryAfter   TraitKind = "reads-retry-after"       // the header is looked at (Detail "capped" where a cap is seen)
	TraitSeesStatus        TraitKind = "sees-status"             // the response's status is at hand inside the layer
	TraitRetries429        TraitKind = "retries-429"             // 429 or 503 lead to another attempt; At is the place
	TraitFiltersPermanent  TraitKind = "filters-permanent"       // some errors or statuses end the layer
	TraitRetriesPermanent  TraitKind = "retries-permanent"       // At: where 4xx or every error is repeated; Detail says what
	TraitStopsOnContext    TraitKind = "stops-on-context"        // the end of a context ends the layer
	TraitIgnoresContext    TraitKind = "ignores-context"         // a context is at hand and its end is repeated too
	TraitDeadline          TraitKind = "deadline"                // a deadline around the layer was seen; Detail is the duration
	TraitBodyStream        TraitKind = "body-stream"             // At: a stream made outside is sent in each attempt
	TraitBodyReader        TraitKind = "body-reader"             // At: a byte or string reader made outside is sent in each attempt
	TraitBodyRewound       TraitKind = "body-rewound"            // the body is made anew or rewound in each attempt
	TraitPayloadFresh      TraitKind = "payload-fresh"           // At: clock, randomness or attempt number goes into the body; Detail says what
	TraitIdempotent        TraitKind = "idempotent"              // the operation is idempotent by what it does; Detail says why
	TraitAddsKey           TraitKind = "adds-key"                // the client adds an idempotency key by itself, once per call
	TraitMethodGuard       TraitKind = "method-guard"            // only idempotent or keyed requests are repeated
	TraitAnyMethod         TraitKind = "any-method"              // At: a setting that lets requests which are not idempotent be repeated too
	TraitImmediateOnce     TraitKind = "immediate-once"          // one immediate second try
	TraitHedge             TraitKind = "hedge"                   // parallel attempts
	TraitManyInstances     TraitKind = "many-instances"          // many run at once although it is a workflow: jitter matters
	TraitSingleInstance    TraitKind = "single-instance"         // one instance at a time: jitter does not matter
	TraitWaitsForState     TraitKind = "waits-for-state"         // a poller
	TraitNotIdempotentSend TraitKind = "producer-no-idempotence" // At: a producer whose idempotence is off
	TraitResendsOverSafe   TraitKind = "resend-over-idempotent"  // application-level resend over an idempotent producer
	TraitIneffective       TraitKind = "ineffective"             // At: a setting that does not do what it says; Detail says why
	TraitBestEffort        TraitKind = "best-effort"             // telemetry and the like
	TraitLease             TraitKind = "lease"                   // At: the setting after whose time a message comes again
	TraitKeepsLease        TraitKind = "keeps-lease"             // of a consumer: it does not ask for more time, where its client would do so by itself
	TraitExtendsLease      TraitKind = "extends-lease"           // the handler asks for more time
	TraitOuterLoop         TraitKind = "outer-loop"              // shown with its rate, never a factor (schedule tick, crash loop)
	TraitBudget            TraitKind = "retry-budget"            // a token bucket or circuit breaker thins retries out
	TraitRedelivers        TraitKind = "redelivers-for"          // of an outside sender; Detail is the duration
	TraitAcknowledges      TraitKind = "acknowledges"            // of a queue's node: messages that fail for good are taken off the broker, which does not send them again
	TraitAssumed           TraitKind = "assumed"                 // of a redelivery: the broker does it by itself, and how often is set out of sight
	TraitWaitRunsOut       TraitKind = "wait-runs-out"           // At: waits that end while the attempts go on; Detail says when
	TraitOpKnown           TraitKind = "operation-known"         // what the operation is, where no edge says it; Detail in words
)

// Trait is one thing seen, with its place.
type Trait struct {
	Kind   TraitKind `json:"kind"`
	At     Location  `json:"at,omitzero"`
	Detail string    `json:"detail,omitempty"`
	Not    string    `json:"not,omitempty"` // of a method guard: the methods that are known not to be repeated once they were sent, "POST PATCH"
	Fix    []Edit    `json:"fix,omitempty"` // what mends it, where that is safe and local
}

// Layer is one thing that retries.
type Layer struct {
	// ID is stable: kind, repository, path, setting or function, ordinal; no line number.
	ID   string    `json:"id"`
	Kind LayerKind `json:"kind"`
	// At is where the mend is made: the setting, or else the loop, call or constructor that makes the layer.
	At Location `json:"at"`
	// Call is the other place a reader may look for: the loop where At is a setting, the call where At is a policy.
	Call Location `json:"call,omitzero"`
	// In is what the layer belongs to: a function, a route, a workload, a queue.
	In Name `json:"in"`
	// Whole: one attempt is everything that In does, so the layer goes onto every edge that leaves In. Otherwise the
	// edges say themselves which layers are around them (Edge.Under).
	Whole   bool   `json:"whole,omitempty"`
	Label   string `json:"label,omitempty"`   // for people: "retryablehttp client", "Kubernetes Job backoffLimit"
	Service string `json:"service,omitempty"` // filled by the linker
	Policy  Policy `json:"policy"`
	Refs    []Ref  `json:"refs,omitempty"`
	Origin  Origin `json:"origin,omitempty"` // of the attempts
	// DefaultBy says whose default it is and OffSwitch what line would switch it off, where Origin is default.
	DefaultBy string     `json:"defaultBy,omitempty"`
	OffSwitch string     `json:"offSwitch,omitempty"`
	SetBy     []Location `json:"setBy,omitempty"` // where the value is set when that is elsewhere
	Traits    []Trait    `json:"traits,omitempty"`
	// Of is the id of the layer inside a retry helper, where this is a call of the helper: the same rule, with what the call
	// passes. What is wrong with the rule itself belongs to that layer.
	Of string `json:"of,omitempty"`
	// LowConfidence: read by a heuristic; never an error by itself.
	LowConfidence bool `json:"lowConfidence,omitempty"`
	// Envs are the environments (overlay, values file) in which the layer holds; empty means all.
	Envs []string `json:"envs,omitempty"`
	// EnvRepo is the repository to which these environments belong, where the linker found them in another one.
	EnvRepo string `json:"envRepo,omitempty"`
	// As is the name under which routes (Route.Uses) and other layers (Else) refer to this policy: the defaults of a mesh or
	// of a controller, a middleware, a policy attached to a route.
	As Name `json:"as,omitzero"`
	// Else names the policy that holds for everything that is not in Set; without it what the layer has (built-in defaults).
	Else Name    `json:"else,omitzero"`
	Set  []Field `json:"set,omitempty"`
}

// Trait finds the first trait of a kind; ok is false where there is none.
func (l *Layer) Trait(k TraitKind) (t Trait, ok bool) { return findTrait(l.Traits, k) }

// Has reports whether a trait of that kind was seen.
func (l *Layer) Has(k TraitKind) bool { _, ok := findTrait(l.Traits, k); return ok }

// Factor reports whether the layer is a factor of a product: layers that repeat only work that was not sent, outer
// loops (the next tick of a schedule, a crash loop) and layers that are switched off are shown, but never multiply.
func (l *Layer) Factor() bool {
	return !l.Policy.On.OnlyUnsent() && !l.Has(TraitOuterLoop) && !l.Policy.Attempts.One()
}

func findTrait(ts []Trait, k TraitKind) (Trait, bool) {
	for _, t := range ts {
		if t.Kind == k {
			return t, true
		}
	}
	return Trait{}, false
}
