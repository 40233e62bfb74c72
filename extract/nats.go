package extract

import (
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

const natsDoc = `A stream drops a second publish with the same Nats-Msg-Id for duplicateWindow (2 minutes, or maxAge where that is shorter), and not a
second delivery. A consumer delivers up to maxDeliver times in all (0, -1 and absent: no end), each time ackWait after the last delivery, or after
the times of backoff, which take the place of ackWait; a nak without delay delivers again at once. There is no dead letter: the message stays in the
stream, so that somebody can replay it as long as maxAge lets them. Callers publish to the stream's subjects, the callee is the code that
consumes the durable. Source: catalogue, E4, and the catalogue of dedupe windows, 1.3.`

var natsKeys = []Key{
	{"spec.maxDeliver (max_deliver)", "attempts", "no end, NATS", "no end", "no end"},
	{"spec.ackWait (ack_wait)", "time after which a delivery that was not acknowledged comes again", "30s, NATS", "30s", ""},
	{"spec.backoff", "list of waits, in the place of ackWait; the last one repeats", "none", "", ""},
	{"spec.duplicateWindow (duplicate_window)", "how long a message id is remembered", "2m, or maxAge where shorter, NATS", "the default", ""},
	{"spec.maxAge (max_age)", "how long a message stays and can be replayed", "for ever", "for ever", ""},
}

var _ = add(Format{
	Name:  "nats-jetstream",
	Title: "NATS JetStream streams and consumers (NACK)",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("jetstream.nats.io", "Stream", "Consumer", "KeyValue"),
	Read: func(d *doc.Document, out *Out) {
		spec := d.Root.Get("spec")
		switch d.Root.Get("kind").Str() {
		case "Stream":
			natsStream(spec, 0, out)
		case "Consumer":
			natsConsumer(spec, plain(spec.Get("streamName")), 0, out)
		}
	},
	Keys: natsKeys,
	Doc:  natsDoc,
	Example: `
-- stream.yaml --
apiVersion: jetstream.nats.io/v1beta2
kind: Stream
metadata: {name: scans}
spec:
  name: SCANS
  subjects: ["scans.*"] # want edge "queue:nats:scans.* queue:nats:SCANS"
  duplicateWindow: 5m # want boundary "kind=nats.jetstream ttl=5m store=broker"
  maxAge: 72h # want deadletter "retention=72h"
---
apiVersion: jetstream.nats.io/v1beta2
kind: Stream
metadata: {name: short}
spec: # want boundary "ttl=1m origin=default"
  name: SHORT
  subjects: [short]
  maxAge: 1m # want deadletter "retention=1m"
---
apiVersion: jetstream.nats.io/v1beta2
kind: Consumer
metadata: {name: mailer}
spec:
  streamName: SCANS
  durableName: mailer
  ackPolicy: explicit
  ackWait: 45s
  maxDeliver: 5 # want layer "attempts=5 initial=45s kind=queue"
---
apiVersion: jetstream.nats.io/v1beta2
kind: Consumer
metadata: {name: audit}
spec: # want layer "attempts=unbounded initial=30s origin=default"
  streamName: SCANS
  durableName: audit
  ackPolicy: explicit
`,
})

var _ = add(Format{
	Name:  "nats-jetstream-json",
	Title: "NATS JetStream streams and consumers (JSON of the nats tool)",
	Files: []string{"*.json"},
	Match: func(_ string, d *doc.Document) bool {
		r := d.Root
		if c := r.Get("config"); c.Kind() == doc.Map {
			r = c
		}
		return r.Get("subjects").Kind() == doc.List && (r.Get("retention").Exists() || r.Get("max_age").Exists() || r.Get("num_replicas").Exists()) ||
			r.Get("ack_policy").Exists() && (r.Get("deliver_policy").Exists() || r.Get("durable_name").Exists() || r.Get("max_deliver").Exists())
	},
	Read: func(d *doc.Document, out *Out) {
		r, stream := d.Root, plain(d.Root.Get("stream_name"))
		if c := r.Get("config"); c.Kind() == doc.Map {
			r = c
		}
		if r.Get("subjects").Exists() {
			natsStream(r, time.Nanosecond, out)
			return
		}
		natsConsumer(r, stream, time.Nanosecond, out)
	},
	Keys: natsKeys,
	Doc:  natsDoc + " Durations are nanoseconds.",
	Example: `
-- consumer.json --
{
  "stream_name": "ORDERS",
  "config": {
    "durable_name": "ship",
    "ack_policy": "explicit",
    "ack_wait": 60000000000,
    "max_deliver": 4 // want layer "attempts=4 initial=1m"
  }
}
-- stream.json --
{
  "name": "ORDERS",
  "subjects": ["orders.>"],
  "retention": "limits",
  "max_age": 0,
  "duplicate_window": 120000000000 // want boundary "ttl=2m"
}
-- ORDERS_config.json --
{
  "subjects": ["ORDERS.*"], "retention": "limits", "max_age": 31536000000000000, "num_replicas": 1, // want deadletter "retention=8760h"
  "duplicate_window": 3600000000000 // want boundary "ttl=1h"
}
`,
})

// natsStream reads a stream. bare is the unit of a number, 0 where durations are texts.
func natsStream(s *doc.Node, bare time.Duration, out *Out) {
	name := plain(s.Get("name"))
	self := queue("nats", name)
	if name == "" {
		// The name is given beside the file, as an argument of the nats tool.
		name = "of " + out.Path
		self = queue("nats", out.Repo+"/"+out.Path)
	}
	if self.IsZero() {
		return
	}
	out.Node(model.Node{Name: self, Kind: model.NodeQueue, At: out.Loc(exists(s.Get("name"), s)), Label: "stream " + name})
	for _, key := range []string{"subjects", "subject"} {
		for _, n := range s.Get(key).Many() {
			if q := queue("nats", n.Str()); n.Kind() == doc.Scalar && !q.IsZero() && q != self {
				out.Edge(model.Edge{From: q, To: self, Kind: model.EdgeSame, At: out.Loc(n)})
			}
		}
	}
	ageNode, window := first(s, "maxAge", "max_age"), first(s, "duplicateWindow", "duplicate_window")
	age, aged := out.duration(ageNode, bare)
	b := model.Boundary{Kind: "nats.jetstream", At: out.Loc(window), In: self, TTL: model.WindowFor(2 * time.Minute), Store: model.StoreBroker,
		Order: model.OrderPublish, Origin: model.OriginDefault, KeyName: "Nats-Msg-Id"}
	switch d, ok := out.duration(window, bare); {
	case ok && d > 0:
		b.TTL, b.Origin = model.WindowFor(d), model.OriginExplicit
	case window.Exists() && !ok:
		b.TTL, b.Origin = model.Window{}, model.OriginExplicit
		if name := out.settingName(window); !name.IsZero() {
			b.Refs = []model.Ref{{Field: model.FieldTTL, Name: name, Unit: unitWord(bare), At: b.At}}
		}
	default:
		if !window.Exists() {
			b.At = out.KeyLoc(s)
		}
		if ageNode.Exists() && !aged {
			b.TTL = model.Window{}
		}
	}
	if aged && age > 0 {
		b.TTL = b.TTL.Min(model.WindowFor(age))
	}
	if plain(first(s, "retention")) == "workqueue" || plain(first(s, "retention")) == "interest" {
		b.Traits = append(b.Traits, model.Trait{Kind: model.TraitSubsetOfQueue, At: out.Loc(s.Get("retention")), Detail: "acknowledged messages are not covered after a restart"})
	}
	out.Boundary(b)
	if aged && age > 0 {
		out.DeadLetter(model.DeadLetter{Of: self, Name: name, At: out.Loc(ageNode), Retention: model.For(age), Origin: model.OriginExplicit, FromFirst: true})
	}
}

func natsConsumer(c *doc.Node, stream string, bare time.Duration, out *Out) {
	durable := plain(exists(c.Get("durableName"), c.Get("durable_name"), c.Get("durable"), c.Get("name")))
	self := queue("nats", stream+"/"+durable)
	if self.IsZero() || durable == "" {
		return
	}
	ack := plain(first(c, "ackPolicy", "ack_policy"))
	if ack == "" || ack == "none" {
		return // nothing is acknowledged, so nothing is delivered again
	}
	out.Node(model.Node{Name: self, Kind: model.NodeQueue, At: out.Loc(exists(c.Get("durableName"), c.Get("durable_name"), c)), Label: "consumer " + durable})
	if from := queue("nats", stream); stream != "" {
		out.Edge(model.Edge{From: from, To: self, Kind: model.EdgeDeliver, At: out.Loc(exists(c.Get("streamName"), c))})
	}
	l := model.Layer{Kind: model.KindQueue, In: self, Whole: true, Label: "JetStream redelivery", Policy: model.Policy{On: model.OnNoAck, Gap: model.StartToStart}}
	out.count(&l, first(c, "maxDeliver", "max_deliver"), c, counting{absent: model.Unbounded(), by: "NATS: max_deliver has no limit where it is not set",
		off: "maxDeliver: 1", zero: endless, negative: endless})
	wait := first(c, "ackWait", "ack_wait")
	p := &l.Policy
	if list := first(c, "backoff", "back_off"); list.Len() > 0 {
		p.Backoff = model.Backoff{Kind: model.BackoffList, Jitter: model.Jitter{Kind: model.JitterNone}}
		l.Traits = append(l.Traits, model.Trait{Kind: model.TraitLease, At: out.Loc(list)})
		for _, n := range list.Items() {
			d, ok := out.duration(n, bare)
			if !ok {
				p.Backoff = model.Backoff{}
				break
			}
			p.Backoff.List = append(p.Backoff.List, d)
		}
		if wait.Exists() {
			l.Traits = append(l.Traits, model.Trait{Kind: model.TraitIneffective, At: out.Loc(wait), Detail: "ackWait has no effect beside backoff, whose first time takes its place"})
		}
	} else {
		p.Backoff = model.Constant(30 * time.Second)
		if wait.Exists() {
			l.Traits = append(l.Traits, model.Trait{Kind: model.TraitLease, At: out.Loc(wait)})
			p.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: out.span(&l, wait, model.FieldInitial, bare), Jitter: model.Jitter{Kind: model.JitterNone}}
			if d, ok := p.Backoff.Initial.Duration(); ok && d == 0 {
				p.Backoff.Initial = model.For(30 * time.Second)
			}
		}
	}
	out.Layer(l)
}
