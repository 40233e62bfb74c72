package model

import (
	"cmp"
	"strings"
)

// Space says what kind of thing a Name names.
type Space string

// The spaces of names. Names of one space with equal keys mean the same thing.
const (
	SpaceFunc     Space = "func"     // import path, receiver and name: "example.org/pay.(*Client).Charge"; closures end in "$1"
	SpaceOp       Space = "op"       // an operation of which nothing is known: owner function + "#" + callee text
	SpaceHost     Space = "host"     // normal form of a host, with its namespace where known: "ledger.pay", "api.stripe.com"
	SpaceRoute    Space = "route"    // a route of a proxy or mesh: owner + "#" + ordinal or name
	SpaceHandler  Space = "handler"  // a served request: repository + "|" + folder + "|" + "METHOD /pattern"
	SpaceGRPC     Space = "grpc"     // "/package.Service/Method" or "/package.Service/*"
	SpaceQueue    Space = "queue"    // a queue, topic, stream, subject or task type, with its broker: "sqs:orders", "asynq:ship:order"
	SpaceWorkload Space = "workload" // kind/namespace/name: "job/pay/settle"
	SpaceImage    Space = "image"    // an image without registry, tag and digest: "pay/settle-worker"
	SpaceEnv      Space = "env"      // an environment variable
	SpaceConfig   Space = "config"   // a key in a configuration file that code reads: "payments.retry.max_attempts"
	SpaceFlag     Space = "flag"     // a command line flag, without dashes
	SpaceValue    Space = "value"    // a template value or variable: "values:retries", "var:max_receive_count"
	SpaceTable    Space = "table"    // a database table
	SpaceStep     Space = "step"     // a step or task of a workflow: workflow + "#" + template
	SpaceOutside  Space = "outside"  // a party outside the organisation
	SpaceRepo     Space = "repo"     // a repository
)

// Name is how facts point at things: by what they are called, never by where another file is. It is comparable.
type Name struct {
	Space Space
	Key   string
}

// N makes a Name.
func N(space Space, key string) Name { return Name{space, key} }

// IsZero reports whether n names nothing.
func (n Name) IsZero() bool { return n.Key == "" }

// String is "space:key", the form in facts files.
func (n Name) String() string {
	if n.IsZero() {
		return ""
	}
	return string(n.Space) + ":" + n.Key
}

// ParseName reads the form that String writes; anything else gives the zero Name.
func ParseName(s string) Name {
	space, key, ok := strings.Cut(s, ":")
	if !ok || key == "" {
		return Name{}
	}
	return Name{Space(space), key}
}

// Compare orders names by space and key.
func (n Name) Compare(m Name) int {
	return cmp.Or(cmp.Compare(n.Space, m.Space), cmp.Compare(n.Key, m.Key))
}

// MarshalText implements encoding.TextMarshaler.
func (n Name) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *Name) UnmarshalText(b []byte) error {
	*n = ParseName(string(b))
	return nil
}
