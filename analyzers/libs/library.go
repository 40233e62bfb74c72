// Package libs is what is known of Go libraries that retry, one file each. An entry is a declaration, not code, because the
// configuration's libraries: has the same form for in-house helpers.
package libs

import (
	"sort"

	"github.com/retrylint/retrylint/model"
)

// Library is one import path, or one path for a range of its versions.
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
	// Stub is the declaration stub for the tolerant loader and for tests: Go source, types only as far as they are needed.
	Stub string `yaml:"-"`
	// StubFiles are further stubs (sub-packages), by import path.
	StubFiles map[string]string `yaml:"-"`
	// Example is a Go file with `// want layer "attempts=4 ..."` comments: documentation and test at once.
	Example string `yaml:"-"`
}

// Call is a function, or a method of a type ("(*Client).Do", "Retrier.Run"), that repeats an operation.
type Call struct {
	Func string `yaml:"func"` // "Retry", "(*Retrier).Run"
	// Runs says what is repeated: "arg 0", "arg 1", "request" (the request argument is sent), "receiver".
	Runs   string `yaml:"runs,omitempty"`
	Policy `yaml:",inline"`
}

// Client is a type whose values retry by themselves.
type Client struct {
	Type   string   `yaml:"type"`            // "Client"
	New    []string `yaml:"new,omitempty"`   // constructors: "NewClient"
	Sends  []Send   `yaml:"sends,omitempty"` // methods that send
	Policy `yaml:",inline"`
}

// Send is a method of a client that sends a request or runs an operation.
type Send struct {
	Func       string `yaml:"func"`                 // "Do", "Post"; "*" all methods not named otherwise
	Method     string `yaml:"method,omitempty"`     // HTTP method: "POST", or "arg 0" where an argument says it, "request"
	URL        string `yaml:"url,omitempty"`        // "arg 1", "request"
	Operation  string `yaml:"operation,omitempty"`  // what it does, for people: "SQS SendMessage"
	Kind       string `yaml:"kind,omitempty"`       // request (default), publish, store, call
	Idempotent bool   `yaml:"idempotent,omitempty"` // by what it does
	Effect     bool   `yaml:"effect,omitempty"`
	Key        string `yaml:"key,omitempty"`   // how a key travels: "header", "field IdempotencyKey of arg 1", "client" (adds one per call by itself), "natural"
	Queue      string `yaml:"queue,omitempty"` // where the name of a queue or topic stands: "arg 1", "field QueueUrl of arg 1"
}

// Policy says how the numbers of a layer are found. Every value is a small term:
//
//	"3"                     a constant           "unbounded", "none", "unknown"
//	"arg 1"                 an argument          "arg 1 + 1"  (the setting counts retries)
//	"option WithMaxTries"   the argument of an option function among the arguments; "option A.1" its second argument
//	"field RetryMax + 1"    a field of the receiver, the options struct or the value handed in
//	"field Steps of arg 0"  a field of a struct argument
//	"setter SetRetryCount + 1"  the argument of a method called on the same value
//	"len arg 0 + 1"         the length of a slice
//	"X else Y"              Y where X is not set
type Policy struct {
	Attempts   string `yaml:"attempts,omitempty"`
	ZeroIs     string `yaml:"zeroIs,omitempty"`     // meaning of a literal 0: "unbounded", "default", "one", "never", "error"
	NegativeIs string `yaml:"negativeIs,omitempty"` // the same of a negative number
	MaxIs      string `yaml:"maxIs,omitempty"`      // hard cap whatever is written: "5"
	Backoff    string `yaml:"backoff,omitempty"`    // none, constant, linear, exponential, list, server, polynomial 4
	Initial    string `yaml:"initial,omitempty"`
	Factor     string `yaml:"factor,omitempty"`
	Max        string `yaml:"max,omitempty"`
	Step       string `yaml:"step,omitempty"`
	Jitter     string `yaml:"jitter,omitempty"` // none, full, equal, "proportional 0.5", "additive 100ms", "upward 0.1", some
	PerAttempt string `yaml:"perAttempt,omitempty"`
	Overall    string `yaml:"overall,omitempty"`
	Budget     string `yaml:"budget,omitempty"`     // hard, gate-before, gate-after
	On         string `yaml:"on,omitempty"`         // conditions, comma-separated: "error", "connect,reset,5xx,429"
	Context    string `yaml:"context,omitempty"`    // "arg 0": the context whose end stops it; "none": it does not look
	Escape     string `yaml:"escape,omitempty"`     // what marks a permanent error: "Permanent", "Unrecoverable"
	RetryAfter string `yaml:"retryAfter,omitempty"` // "honoured", "capped", "ignored"
	AddsKey    bool   `yaml:"addsKey,omitempty"`    // adds an idempotency key by itself
	Rewinds    bool   `yaml:"rewinds,omitempty"`    // rewinds or buffers the body itself
	Kind       string `yaml:"kind,omitempty"`       // model.LayerKind; library for calls, client for clients
	OffSwitch  string `yaml:"offSwitch,omitempty"`  // the line that switches it off, for messages about defaults
	DefaultBy  string `yaml:"defaultBy,omitempty"`  // whose default it is
	// Read builds the layer in code, for a library too odd for terms; the configuration's form cannot, and needs not.
	Read func(Site) (model.Policy, []model.Trait) `yaml:"-"`
}

// Value is what is known of an expression.
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
}

// Site is what a term may ask about a use of the library; the extractor implements it.
type Site interface {
	// Arg is the i-th argument of the call.
	Arg(i int) Value
	// Option is argument arg of the call of an option function with that name among the arguments (also through a slice
	// variable that is spread); Set is false where it does not occur.
	Option(name string, arg int) Value
	// Field is a field of the client or options value: from its composite literal, later assignments, or a chain of
	// constructors; of the struct in argument arg where arg >= 0.
	Field(name string, arg int) Value
	// Setter is argument arg of the last call of that method on the same value.
	Setter(name string, arg int) Value
	// Nested is the call in argument arg, where it is one ("backoff.NewExponentialBackOff()"): its name and itself as a site.
	Nested(arg int) (name string, s Site, ok bool)
	// Len is the length of the slice in argument arg.
	Len(arg int) Value
	// Version is the version of the module that rules the package; "" where it is not known.
	Version() string
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
