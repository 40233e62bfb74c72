package extract

import (
	"strconv"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

const rabbitDoc = `A quorum queue delivers a message once and then up to delivery-limit times again (20 since 4.0 where it is not set, -1 is off), at once; then it drops it
or moves it to the dead-letter exchange. A classic queue has no limit. A queue with a message TTL that dead-letters back to the work queue is a delay loop, which
only the consumer can end. The caller publishes to an exchange whose bindings lead to the queue. Nothing is deduplicated. Source: catalogue, E1.`

var rabbitKeys = []Key{
	{"x-delivery-limit, delivery-limit", "retries of a quorum queue", "20 since 4.0, none before", "1 attempt", "no end"},
	{"x-dead-letter-exchange, dead-letter-exchange", "where failed messages go", "they are dropped", "", ""},
	{"x-message-ttl, message-ttl", "how long a message stays, milliseconds", "for ever", "", ""},
	{"x-delayed-retry-min, x-delayed-retry-max", "linear waits (4.3), milliseconds", "at once", "", ""},
}

var _ = add(Format{
	Name:  "rabbitmq-definitions",
	Title: "RabbitMQ definitions (JSON)",
	Files: []string{"*.json"},
	Match: func(_ string, d *doc.Document) bool {
		r := d.Root
		return r.Get("queues").Kind() == doc.List && (r.Get("bindings").Exists() || r.Get("exchanges").Exists() || r.Get("rabbit_version").Exists() || r.Get("vhosts").Exists()) ||
			r.Get("rabbit_version").Exists() && r.Get("policies").Exists()
	},
	Read: func(d *doc.Document, out *Out) {
		major, _, _ := strings.Cut(plain(d.Root.Get("rabbit_version")), ".")
		n, err := strconv.Atoi(major)
		// A limit of a policy holds for queues of its name beside their own; the lower one counts.
		limits := map[string]*doc.Node{}
		for _, p := range d.Root.Get("policies").Items() {
			if name, l := rabbitPattern(plain(p.Get("pattern"))), p.Path("definition.delivery-limit"); name != "" && l.Exists() {
				limits[name] = l
			}
		}
		beaten := map[*doc.Node]bool{}
		for _, q := range d.Root.Get("queues").Items() {
			name, args := plain(q.Get("name")), q.Get("arguments")
			own, policy := args.Get("x-delivery-limit"), limits[name]
			a, knowsOwn := own.Int()
			b, knowsPolicy := policy.Int()
			lower := policy.Exists() && (!own.Exists() || knowsOwn && knowsPolicy && (a < 0 || b >= 0 && b < a))
			beaten[policy] = policy.Exists() && !lower
			rabbitQueue(name, q, args, "x-", plain(q.Get("type")), err == nil && n < 4, lower, out)
		}
		for _, p := range d.Root.Get("policies").Items() {
			rabbitPolicy(plain(p.Get("pattern")), p.Get("definition"), beaten[p.Path("definition.delivery-limit")], out)
		}
		for _, b := range d.Root.Get("bindings").Items() {
			rabbitBinding(b, b.Get("source"), b.Get("destination"), b.Get("destination_type"), b.Get("routing_key"), out)
		}
	},
	Keys: rabbitKeys,
	Doc:  rabbitDoc,
	Example: `
-- definitions.json --
{
  "rabbit_version": "4.1.0",
  "queues": [
    {"name": "orders", "arguments": {
      "x-queue-type": "quorum",
      "x-dead-letter-exchange": "dead", // want deadletter "dead queue:rabbitmq:orders"
      "x-delivery-limit": 4 // want layer "attempts=5 backoff=none"
    }},
    {"name": "bills", "arguments": {"x-queue-type": "quorum"}}, // want layer "attempts=21 origin=default"
    {"name": "plain", "arguments": {}}
  ],
  "bindings": [
    {"source": "shop", "destination": "orders", "destination_type": "queue", "routing_key": "order.new"} // want edge "queue:rabbitmq:shop queue:rabbitmq:orders"
  ]
}
-- old.json --
{
  "rabbit_version": "3.13.7",
  "queues": [
    {"name": "bills", "arguments": {"x-queue-type": "quorum"}}, // want layer "attempts=unbounded origin=default"
    {"name": "notes", "arguments": {"x-queue-type": "quorum"}},
    {"name": "mails", "arguments": {"x-queue-type": "quorum", "x-delivery-limit": 1}} // want layer "attempts=2"
  ],
  "policies": [
    {"name": "a", "pattern": "^notes$", "definition": {"delivery-limit": 3}}, // want layer "attempts=4"
    {"name": "b", "pattern": "^mails$", "definition": {"delivery-limit": 5}}
  ],
  "bindings": []
}
`,
})

var _ = add(Format{
	Name:  "rabbitmq-topology",
	Title: "RabbitMQ topology operator",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("rabbitmq.com", "Queue", "Policy", "Binding"),
	Read: func(d *doc.Document, out *Out) {
		s := d.Root.Get("spec")
		switch d.Root.Get("kind").Str() {
		case "Queue":
			rabbitQueue(plain(s.Get("name")), s, s.Get("arguments"), "x-", plain(s.Get("type")), false, false, out)
		case "Policy":
			rabbitPolicy(plain(s.Get("pattern")), s.Get("definition"), false, out)
		case "Binding":
			rabbitBinding(s, s.Get("source"), s.Get("destination"), s.Get("destinationType"), s.Get("routingKey"), out)
		}
	},
	Keys: rabbitKeys,
	Doc:  rabbitDoc,
	Example: `
-- queue.yaml --
apiVersion: rabbitmq.com/v1beta1
kind: Queue
metadata: {name: orders}
spec:
  name: orders
  type: quorum
  arguments:
    x-delivery-limit: -1 # want layer "attempts=unbounded"
    x-delayed-retry-min: 1000
    x-delayed-retry-max: 30000
---
apiVersion: rabbitmq.com/v1beta1
kind: Policy
metadata: {name: limits}
spec:
  pattern: "^bills$"
  definition:
    dead-letter-exchange: dead # want deadletter "dead queue:rabbitmq:bills"
    delivery-limit: 3 # want layer "attempts=4"
`,
})

// rabbitQueue reads a queue; old is whether the server is known to be older than 4.0, which has no limit of its own, limited
// whether a policy gives the queue its limit.
func rabbitQueue(name string, q, args *doc.Node, prefix, typ string, old, limited bool, out *Out) {
	self := queue("rabbitmq", name)
	if self.IsZero() {
		return
	}
	if t := plain(args.Get(prefix + "queue-type")); t != "" {
		typ = t
	}
	out.Node(model.Node{Name: self, Kind: model.NodeQueue, At: out.Loc(exists(q.Get("name"), q)), Label: "queue " + name})
	if !limited && (typ == "quorum" || args.Get(prefix+"delivery-limit").Exists()) {
		rabbitLimit(self, typ, args, prefix, old, exists(args, q), out)
	}
	rabbitDead(self, args, prefix, out)
}

func rabbitLimit(self model.Name, typ string, args *doc.Node, prefix string, old bool, in *doc.Node, out *Out) {
	l := model.Layer{Kind: model.KindQueue, In: self, Whole: true, Label: "RabbitMQ redelivery", Policy: model.Policy{On: model.OnNoAck, Backoff: model.NoBackoff()}}
	limit := args.Get(prefix + "delivery-limit")
	read := counting{offset: 1, absent: model.Retries(20), by: "RabbitMQ 4: delivery-limit of quorum queues is 20 where it is not set", off: prefix + "delivery-limit: 0", negative: endless}
	if old {
		read.absent, read.by = model.Unbounded(), "RabbitMQ before 4: quorum queues have no delivery-limit where it is not set"
	}
	out.count(&l, limit, in, read)
	if typ != "" && typ != "quorum" && limit.Exists() {
		l.Traits = append(l.Traits, model.Trait{Kind: model.TraitIneffective, At: out.Loc(limit), Detail: "only quorum queues look at the delivery limit"})
		l.Policy.Attempts = model.Unbounded()
	}
	if n := args.Get(prefix + "delayed-retry-min"); n.Exists() {
		min := out.span(&l, n, model.FieldInitial, time.Millisecond)
		max := out.span(&l, args.Get(prefix+"delayed-retry-max"), model.FieldMax, time.Millisecond)
		l.Policy.Backoff = model.Backoff{Kind: model.BackoffLinear, Initial: min, Step: min, Max: max, Jitter: model.Jitter{Kind: model.JitterNone}}
	}
	out.Layer(l)
}

func rabbitDead(self model.Name, args *doc.Node, prefix string, out *Out) {
	x := args.Get(prefix + "dead-letter-exchange")
	if x.Kind() != doc.Scalar && x.Kind() != doc.Unknown {
		return
	}
	name := plain(x)
	if key := args.Get(prefix + "dead-letter-routing-key"); name == "" {
		name = plain(key)
	}
	out.DeadLetter(model.DeadLetter{Of: self, Name: name, At: out.Loc(x), Origin: model.OriginExplicit})
}

// rabbitPattern is the queue that a pattern of one queue names, "" for a pattern of many.
func rabbitPattern(pattern string) string {
	if len(pattern) < 3 || pattern[0] != '^' || pattern[len(pattern)-1] != '$' || !literal(pattern[1:len(pattern)-1]) {
		return ""
	}
	return pattern[1 : len(pattern)-1]
}

// rabbitPolicy reads a policy whose pattern names one queue. beaten: the queue's own limit is lower.
func rabbitPolicy(pattern string, def *doc.Node, beaten bool, out *Out) {
	self := queue("rabbitmq", rabbitPattern(pattern))
	if rabbitPattern(pattern) == "" || self.IsZero() {
		return
	}
	if def.Get("delivery-limit").Exists() && !beaten {
		rabbitLimit(self, "", def, "", false, def, out)
	}
	rabbitDead(self, def, "", out)
}

// literal reports whether a regular expression is a plain text but for its dots.
func literal(s string) bool {
	for _, r := range s {
		switch r {
		case '*', '+', '?', '[', ']', '(', ')', '|', '\\', '{', '}', '^', '$':
			return false
		}
	}
	return true
}

func rabbitBinding(b, source, dest, typ, key *doc.Node, out *Out) {
	from, to := queue("rabbitmq", plain(source)), queue("rabbitmq", plain(dest))
	if from.IsZero() || to.IsZero() || from == to {
		return
	}
	_ = typ
	out.Edge(model.Edge{From: from, To: to, Kind: model.EdgePublish, At: out.Loc(b), Label: plain(key)})
}
