// Package libs is what is known of Go libraries that retry, one file each. An entry is a declaration, not code, because the
// configuration's libraries: has the same form for in-house helpers.
package libs

import (
	"sort"

	"github.com/retrylint/retrylint/model"
)

// Library is one import path, or one path for a range of its versions.
//
// An import path may hold patterns: an element "v*" stands for any major version ("github.com/stripe/stripe-go/v*"), a last
// element "*" for any package of a folder ("github.com/aws/aws-sdk-go-v2/service/*"), two of them for the folders in it.
//
// A new library is one new file with
//
//	var _ = add(Library{...})
type Library struct {
	Name     string   `yaml:"name"`               // for people and documentation: "cenkalti/backoff v5"
	Path     string   `yaml:"path"`               // import path of the package
	Also     []string `yaml:"also,omitempty"`     // import paths with the same API (older homes, sub-packages)
	Versions string   `yaml:"versions,omitempty"` // range of module versions: ">= v71", "< v4.6"; empty: all
	Source   string   `yaml:"source,omitempty"`   // where the facts were read: module@version file:line
	Doc      string   `yaml:"doc,omitempty"`      // a paragraph on traps, for docs/libraries.md
	// Calls are the functions and methods that run an operation under retries, or make a client that does.
	Calls []Call `yaml:"calls,omitempty"`
	// Clients are types whose values retry by themselves; their constructors, fields and setters give the policy.
	Clients []Client `yaml:"clients,omitempty"`
	// Parts are functions, types and variables whose values go into a policy: constructors of backoffs, wrappers around them,
	// presets. A policy's Follow says where they stand.
	Parts []Part `yaml:"parts,omitempty"`
	// Stub is the declaration stub for the tolerant loader and for tests: Go source, types only as far as they are needed.
	Stub string `yaml:"-"`
	// StubFiles are further stubs (sub-packages), by import path.
	StubFiles map[string]string `yaml:"-"`
	// MakeStubs gives further stubs that are generated, by import path; it runs when stubs are first asked for.
	MakeStubs func() map[string]string `yaml:"-"`
	// Majors are the major versions for which a path with "v*" has stubs; "v*" in a stub's text and path is replaced.
	Majors []int `yaml:"-"`
	// Example is a Go file with `// want layer "attempts=4 ..."` comments: documentation and test at once.
	Example string `yaml:"-"`

	index *index // made by [Library.prepare]
}

// Call is a function, or a method of a type ("(*Client).Do", "Retrier.Run"), that repeats an operation.
type Call struct {
	Func string `yaml:"func"` // "Retry", "(*Retrier).Run"
	// Runs says what is repeated: "arg 0", "arg 1", "request" (the request argument is sent), "receiver", "body" (the body of the
	// loop whose condition the call is), "field F of arg 0".
	Runs string `yaml:"runs,omitempty"`
	// Waits names the method of the result by which a caller learns how the work ended, where the call only starts it: "Get". Who
	// does not ask goes on, and the work fails by itself.
	Waits string `yaml:"waits,omitempty"`
	// Send says what is sent, where the call sends by itself ("retryablehttp.Post").
	Send   *Send `yaml:"send,omitempty"`
	Policy `yaml:",inline"`
}

// Part is a function whose value goes into a policy. Its terms are about its own call: "arg 0" is its own first argument. Terms
// that it leaves empty are those of what it wraps, or else those of the call.
type Part struct {
	Func   string `yaml:"func"`            // function, method, type of a composite literal or variable: "WithMaxRetries", "Backoff", "DefaultRetry"
	Wraps  string `yaml:"wraps,omitempty"` // where the wrapped one stands: "arg 0"
	Policy `yaml:",inline"`
}

// Client is a type whose values retry by themselves.
type Client struct {
	Type  string   `yaml:"type"`            // "Client"
	New   []string `yaml:"new,omitempty"`   // constructors: "NewClient"
	Sends []Send   `yaml:"sends,omitempty"` // methods that send
	Base  []string `yaml:"base,omitempty"`  // setters, of it or of what made it, that say where paths without a host go: "SetBaseURL"
	// PerCall are fields of options that a single call may set too, in a function that it is handed: "RetryMaxAttempts".
	PerCall []string `yaml:"perCall,omitempty"`
	Policy  `yaml:",inline"`
}

// Send is a method of a client that sends a request or runs an operation.
type Send struct {
	Func       string `yaml:"func,omitempty"`       // "Do", "Post"; "*" all methods not named otherwise; "Get*" by prefix
	Method     string `yaml:"method,omitempty"`     // HTTP method: "POST", or "arg 0" where an argument says it, "request"
	URL        string `yaml:"url,omitempty"`        // "arg 1", "request", or a literal that names the host: "https://api.stripe.com"
	Operation  string `yaml:"operation,omitempty"`  // what it does, for people: "SQS SendMessage"
	Kind       string `yaml:"kind,omitempty"`       // request (default), publish, store, call
	Idempotent bool   `yaml:"idempotent,omitempty"` // by what it does
	Effect     bool   `yaml:"effect,omitempty"`
	Key        string `yaml:"key,omitempty"`   // how a key travels: "header", "field IdempotencyKey of arg 1", "option WithMsgID", "setter IdempotencyKey of arg 1", "client" (adds one per call by itself), "natural"
	Queue      string `yaml:"queue,omitempty"` // where the name of a queue or topic stands: "arg 1", "field QueueUrl of arg 1"
}

// Policy says how the numbers of a layer are found. Every value is a small term:
//
//	"3", "1.5", "15m"       a constant           "unbounded", "none", "unknown"
//	"arg 1"                 an argument          "arg 1 + 1"  (the setting counts retries)
//	"option WithMaxTries"   the argument of an option function among the arguments; "option A.1" its second argument
//	"field RetryMax + 1"    a field of the receiver, the options struct or the value handed in; "field Producer.Retry.Max" a nested one
//	"field Steps of arg 0"  a field of a struct argument
//	"setter SetRetryCount + 1"  the argument of a method called on the same value
//	"len arg 0 + 1"         the length of a slice
//	"X of option Y"         X asked of the call or literal that stands there; also "of field", "of setter", "of receiver"
//	"X else Y"              Y where X is not set
//	"X if C else Y"         C is a value that is true or merely there: "field Jitter", "not option Off", "field Mode = NX"
//	"X [0 none, - default]" what a literal zero or negative number means here
//	"seconds X"             a bare number of seconds ("ms", "minutes")
//	"X + 1", "X - 1s", "X * 2"
//	"min(X, Y)"; "polls(timeout, interval)" is how many polls fit
//
// Jitter and Backoff begin with their word: "proportional field RandomizationFactor else 0.5", "full if field Jitter else none".
type Policy struct {
	// Follow lists values that hold parts of the policy ("arg 1", "option WithBackOff", "receiver"): see [Part]. One that is there
	// but is no known part makes what it could have set unknown.
	Follow     []string `yaml:"follow,omitempty"`
	Attempts   string   `yaml:"attempts,omitempty"`
	ZeroIs     string   `yaml:"zeroIs,omitempty"`     // meaning of a literal 0: "unbounded", "default", "one", "never", "error"
	NegativeIs string   `yaml:"negativeIs,omitempty"` // the same of a negative number
	MaxIs      string   `yaml:"maxIs,omitempty"`      // hard cap whatever is written: "5"
	// Outer: attempts that are set here replace those of what is followed or wrapped; else the smaller number holds.
	Outer      bool   `yaml:"outer,omitempty"`
	Backoff    string `yaml:"backoff,omitempty"` // none, constant, linear, exponential, "list arg 0", server, "polynomial 4", "polynomial 4 shift 1", custom
	Initial    string `yaml:"initial,omitempty"`
	Factor     string `yaml:"factor,omitempty"`
	Max        string `yaml:"max,omitempty"`
	Step       string `yaml:"step,omitempty"`
	Jitter     string `yaml:"jitter,omitempty"` // none, full, equal, "proportional 0.5", "additive 100ms", "upward 0.1", some
	PerAttempt string `yaml:"perAttempt,omitempty"`
	Overall    string `yaml:"overall,omitempty"`
	Budget     string `yaml:"budget,omitempty"` // hard, gate-before, gate-after
	On         string `yaml:"on,omitempty"`     // conditions, comma-separated: "error", "connect,reset,5xx,429"
	// Predicate names settings that replace On by a function of the user: "option RetryIf". On is unknown then.
	Predicate  string `yaml:"predicate,omitempty"`
	Context    string `yaml:"context,omitempty"`    // "arg 0": the context whose end stops it; "none": it does not look
	Escape     string `yaml:"escape,omitempty"`     // what marks a permanent error: "Permanent", "Unrecoverable"
	RetryAfter string `yaml:"retryAfter,omitempty"` // "honoured", "capped", "ignored"
	AddsKey    bool   `yaml:"addsKey,omitempty"`    // adds an idempotency key by itself
	Rewinds    bool   `yaml:"rewinds,omitempty"`    // rewinds or buffers the body itself
	Kind       string `yaml:"kind,omitempty"`       // model.LayerKind; library for calls, client for clients
	OffSwitch  string `yaml:"offSwitch,omitempty"`  // the line that switches it off, for messages about defaults
	DefaultBy  string `yaml:"defaultBy,omitempty"`  // whose default it is
	// Traits are further things to know of the layer.
	Traits []TraitTerm `yaml:"traits,omitempty"`
	// WaitsAfterLast: a wait follows the last failed attempt too.
	WaitsAfterLast bool `yaml:"waitsAfterLast,omitempty"`
	// CapsSum: Max caps wait and jitter together.
	CapsSum bool `yaml:"capsSum,omitempty"`
	// When holds terms that differ in some versions of the module; the policy itself is that of the newest.
	When []Variant `yaml:"when,omitempty"`
	// Fix changes the result in code where terms are not enough.
	Fix func(Site, *Result) `yaml:"-"`
	// Read builds the layer in code, for a library too odd for terms; the configuration's form cannot, and needs not.
	Read func(Site) (model.Policy, []model.Trait) `yaml:"-"`

	lib *Library // where Parts are looked up
}

// Variant is terms that hold for a range of module versions. Only what it sets differs.
type Variant struct {
	Versions string `yaml:"versions"`
	Module   string `yaml:"module,omitempty"` // whose versions, where it is another module than the package's
	Policy   `yaml:",inline"`
}

// TraitTerm is a trait with the condition under which it holds. A condition that cannot be decided gives no trait.
type TraitTerm struct {
	Kind   model.TraitKind `yaml:"kind"`
	If     string          `yaml:"if,omitempty"` // as after "if" in a term; empty: always. The trait's place is where that value stands
	Detail string          `yaml:"detail,omitempty"`
}

// Value is what is known of an expression.
//
// An expression that is there but whose value is not known has Set alone. So has a field of a value whose construction was
// not seen (a parameter, a value of another package): it may have been set.
type Value struct {
	Set      bool // the expression is there at all
	Int      int64
	IsInt    bool
	Duration bool    // Int is nanoseconds
	Float    float64 // where IsFloat
	IsFloat  bool
	Str      string
	IsStr    bool
	Bool     bool
	IsBool   bool
	Nil      bool
	Lo, Hi   int64 // several possible values: IsInt with Lo < Hi; Int is then Hi
	List     []Value
	Ref      model.Ref // set elsewhere: an environment variable, flag or configuration key (with a default in the value, if any)
	At       model.Location
	More     []model.Location // further places that give a value, where several do
	Loops    bool             // not known because it depends on itself: "c.max = d.max; d.max = c.max" adds nothing to other values
	// Name is what the expression calls, names or makes, also through a variable and through & and conversions: the function of a
	// call ("NewExponentialBackOff"), a function or package variable ("FixedDelay", "DefaultRetry"), the type of a composite
	// literal ("Backoff"). No package, no receiver. A function literal without parameters that only returns such an expression
	// stands for what it returns.
	Name string
	// Site asks that call or literal itself: its arguments, its fields, the setters called on its value. Nil where it is neither.
	Site Site
}

// Site is what a term may ask about a use of the library; the extractor implements it.
//
// For a call it is the call. For a client it is the construction: Arg and Option ask the constructor, Field and Setter the
// value. Field also sees assignments in function literals among the arguments ("func(o *Options) { o.X = 1 }").
type Site interface {
	// Arg is the i-th argument of the call; the receiver where i is -1.
	Arg(i int) Value
	// Option is argument arg of the call of an option function with that name among the arguments (also through a slice
	// variable that is spread); Set is false where it does not occur, true and nothing else where it occurs without arguments.
	Option(name string, arg int) Value
	// Field is a field of the client or options value: from its composite literal, later assignments, or a chain of
	// constructors; of the struct in argument arg where arg >= 0. Nested ones have dots: "Producer.Retry.Max".
	Field(name string, arg int) Value
	// Setter is argument arg of the last call of that method on the same value.
	Setter(name string, arg int) Value
	// Nested is the call in argument arg, where it is one ("backoff.NewExponentialBackOff()"): its name without package and
	// itself as a site; -1 is what made the receiver.
	Nested(arg int) (name string, s Site, ok bool)
	// Len is the length of the slice in argument arg.
	Len(arg int) Value
	// Version is the version of the module that rules the package; "" where it is not known.
	Version() string
}

// Versioner is a [Site] that knows the versions of other modules, too.
type Versioner interface {
	// VersionOf is the version of the module that rules the package, "" where it is not known.
	VersionOf(module string) string
}

var libraries []Library

func add(l Library) bool {
	libraries = append(libraries, l)
	return true
}

// All lists the libraries sorted by name.
func All() []Library {
	out := append([]Library(nil), libraries...)
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}
