package extract

import (
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

const kafkaDoc = `A producer sends a record again retries times (2147483647 by default), bounded by delivery.timeout.ms (120 seconds). With
enable.idempotence=false, or acks other than all, or more than 5 requests in flight, a record whose acknowledgement was lost is written twice; since Kafka 3.0
idempotence is on where nothing contradicts it. A consumer has no retries; a handler that takes longer than max.poll.interval.ms is given its records again.
Source: catalogue, E2.`

var kafkaKeys = []Key{
	{"retries", "retries of a producer", "2147483647, bounded by delivery.timeout.ms", "1 attempt", "refused"},
	{"delivery.timeout.ms", "limit over all attempts, milliseconds", "120000, Kafka", "", ""},
	{"retry.backoff.ms", "first wait, milliseconds", "100, Kafka", "", ""},
	{"retry.backoff.max.ms", "longest wait, milliseconds", "1000, Kafka", "", ""},
	{"enable.idempotence", "repeats are dropped by the broker", "true since Kafka 3.0", "", ""},
	{"acks", "all, 1 or 0", "all since Kafka 3.0", "", ""},
}

// property finds a dotted key of a map: written whole, or split into nested maps.
func property(n *doc.Node, dotted string) *doc.Node {
	if v := n.Get(dotted); v.Exists() {
		return v
	}
	if v := n.Path(dotted); v.Exists() && v.Kind() != doc.Map {
		return v
	}
	for i := range len(dotted) {
		if dotted[i] != '.' {
			continue
		}
		if m := n.Get(dotted[:i]); m.Len() > 0 {
			if v := property(m, dotted[i+1:]); v.Exists() {
				return v
			}
		}
	}
	return n.Get(dotted)
}

// kafkaProducer reads a producer's properties; get finds one of them. It writes nothing where none speaks of retries, acks or idempotence.
func kafkaProducer(get func(key string) *doc.Node, block *doc.Node, self model.Name, out *Out) bool {
	retries, idempotence, acks, delivery := get("retries"), get("enable.idempotence"), get("acks"), get("delivery.timeout.ms")
	inFlight := get("max.in.flight.requests.per.connection")
	if !retries.Exists() && !idempotence.Exists() && !acks.Exists() && !delivery.Exists() && !get("retry.backoff.ms").Exists() {
		return false
	}
	l := model.Layer{Kind: model.KindProducer, In: self, Label: "Kafka producer", Whole: true, Policy: model.Policy{On: model.OnConnect | model.OnReset | model.OnTimeout | model.OnUnavailable}}
	out.count(&l, retries, block, counting{offset: 1, absent: model.Unbounded(), by: "Kafka: retries is 2147483647 where it is not set", off: "retries: 0", negative: refused})
	if n, ok := retries.Int(); ok && n >= 1<<31-1 {
		l.Policy.Attempts = model.Unbounded()
	}
	p := &l.Policy
	p.Overall = limitOr(out.span(&l, delivery, model.FieldOverall, time.Millisecond), delivery, model.For(2*time.Minute))
	// request.timeout.ms is no part of the policy: delivery.timeout.ms is meant to cut the attempts off.
	first, longest := get("retry.backoff.ms"), get("retry.backoff.max.ms")
	b := model.Backoff{Kind: model.BackoffExponential, Factor: model.NewRatio(2, 1), Jitter: model.Jitter{Kind: model.JitterProportional, Factor: model.NewRatio(1, 5)}}
	b.Initial = limitOr(out.span(&l, first, model.FieldInitial, time.Millisecond), first, model.For(100*time.Millisecond))
	b.Max = limitOr(out.span(&l, longest, model.FieldMax, time.Millisecond), longest, model.For(time.Second))
	if d, ok := b.Initial.Duration(); ok {
		if m, ok := b.Max.Duration(); ok && d > m {
			b.Max = model.For(d)
		}
	}
	p.Backoff = b
	off := func(n *doc.Node, why string) {
		if !l.Has(model.TraitNotIdempotentSend) {
			l.Traits = append(l.Traits, model.Trait{Kind: model.TraitNotIdempotentSend, At: out.Loc(n), Detail: why})
		}
	}
	on, known := idempotence.Bool()
	if acks.Kind() == doc.Scalar && acks.Str() == "0" {
		// Nothing is waited for, so nothing is known to have failed.
		for _, n := range []*doc.Node{retries, idempotence} {
			v, isCount := n.Int()
			if b, isBool := n.Bool(); isCount && v > 0 || isBool && b && !isCount {
				l.Traits = append(l.Traits, model.Trait{Kind: model.TraitIneffective, At: out.Loc(n), Detail: "with acks=0 the producer waits for no answer: " + keyName(n) + " has no effect"})
				break
			}
		}
		l.Policy.Attempts = model.Exactly(1)
		l.Refs = nil
		out.Layer(l)
		return true
	}
	switch {
	case known && !on:
		off(idempotence, "enable.idempotence is false")
	case known && on:
	case idempotence.Exists():
	default:
		// Kafka switches idempotence off by itself where another setting contradicts it.
		if a := strings.ToLower(acks.Str()); acks.Kind() == doc.Scalar && a != "all" && a != "-1" {
			off(acks, "acks is "+acks.Str()+", which switches idempotence off")
		}
		if n, ok := inFlight.Int(); ok && n > 5 {
			off(inFlight, "more than 5 requests in flight switch idempotence off")
		}
	}
	out.Node(model.Node{Name: self, Kind: model.NodeOp, At: l.At, Label: "Kafka producer"})
	out.Layer(l)
	return true
}

var _ = add(Format{
	Name:  "kafka-client",
	Title: "Kafka client properties",
	Files: []string{"*.properties"},
	Match: func(_ string, d *doc.Document) bool {
		r := d.Root
		return property(r, "bootstrap.servers").Exists() && !property(r, "group.id").Exists() && !property(r, "broker.id").Exists() && !property(r, "spring").Exists()
	},
	Read: func(d *doc.Document, out *Out) {
		self := model.N(model.SpaceConfig, out.Repo+"/"+out.Path+"#producer")
		kafkaProducer(func(k string) *doc.Node { return property(d.Root, k) }, d.Root, self, out)
	},
	Keys: kafkaKeys,
	Doc:  kafkaDoc,
	Example: `
-- producer.properties --
bootstrap.servers=kafka:9092
acks=1
retries=5 # want layer "attempts=6 overall=2m producer-no-idempotence"
-- none.properties --
bootstrap.servers=kafka:9092
acks=0
retries=5 # want layer "attempts=1 ineffective"
-- safe.properties --
bootstrap.servers=kafka:9092 # want layer "count=unbounded overall=30s origin=default"
acks=all
# the client bounds it by time
delivery.timeout.ms=30000
`,
})

var _ = add(Format{
	Name:  "kafka-strimzi",
	Title: "Strimzi KafkaTopic, KafkaConnector, KafkaConnect, KafkaBridge",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("kafka.strimzi.io", "KafkaTopic", "KafkaConnector", "KafkaConnect", "KafkaBridge", "KafkaMirrorMaker2"),
	Read: func(d *doc.Document, out *Out) {
		s := d.Root.Get("spec")
		switch d.Root.Get("kind").Str() {
		case "KafkaTopic":
			kafkaTopic(d.Root, s, out)
		case "KafkaConnector":
			connectorConfig(objectName(d.Root), s.Get("config"), s.Get("autoRestart"), out)
		case "KafkaBridge":
			cfg := s.Path("producer.config")
			kafkaProducer(func(k string) *doc.Node { return property(cfg, k) }, cfg, model.N(model.SpaceWorkload, "kafkabridge/"+namespace(d.Root)+"/"+objectName(d.Root)), out)
		}
	},
	Keys: []Key{
		{"KafkaConnector spec.config errors.retry.timeout", "limit over all attempts, milliseconds", "0: none", "1 attempt", "no end"},
		{"KafkaConnector spec.config errors.retry.delay.max.ms", "longest wait, milliseconds", "60000", "", ""},
		{"KafkaConnector spec.autoRestart.maxRestarts", "restarts", "no end", "none", ""},
		{"KafkaTopic spec.config retention.ms", "how long a record stays, milliseconds", "7 days", "", "for ever"},
	},
	Doc: `A connector repeats a failing record until errors.retry.timeout has passed (0: not at all, -1: no end), with waits from 300 ms doubling up to
errors.retry.delay.max.ms; then the record goes to errors.deadletterqueue.topic.name, or the task fails. Records can be read again as long as the topic
keeps them. Source: catalogue, E3.`,
	Example: `
-- connector.yaml --
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnector
metadata: {name: sink}
spec:
  config:
    topics: bills
    errors.retry.timeout: 60000 # want layer "count=unbounded overall=1m max=10s"
    errors.retry.delay.max.ms: 10000
    errors.deadletterqueue.topic.name: bills-dead # want deadletter "bills-dead"
---
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata: {name: bills-dlq}
spec:
  config: {retention.ms: 86400000} # want deadletter "bills-dlq retention=24h"
`,
})

// kafkaTopic reads a topic for what failed: its name says so, its retention says how late a replay can come.
func kafkaTopic(root, s *doc.Node, out *Out) {
	name := plain(s.Get("topicName"))
	if name == "" {
		name = objectName(root)
	}
	low := strings.ToLower(name)
	if !strings.HasSuffix(low, "dlq") && !strings.HasSuffix(low, "dlt") && !strings.Contains(low, "dead-letter") && !strings.Contains(low, "deadletter") {
		return
	}
	of := strings.TrimRight(low[:strings.LastIndexAny(low, ".-_")+1], ".-_")
	r := property(s.Get("config"), "retention.ms")
	dl := model.DeadLetter{Of: queue("kafka", of), Name: name, At: out.Loc(exists(r, s.Get("topicName"), root.Path("metadata.name"))), Retention: model.For(7 * 24 * time.Hour), Origin: model.OriginDefault}
	if n, ok := r.Int(); ok {
		dl.Origin, dl.Retention = model.OriginExplicit, model.NoLimit()
		if n >= 0 {
			dl.Retention = model.For(time.Duration(n) * time.Millisecond)
		}
	} else if r.Exists() {
		dl.Retention = model.Limit{}
	}
	if dl.Of.IsZero() {
		return
	}
	out.DeadLetter(dl)
}

// connectorConfig reads a Kafka Connect connector.
func connectorConfig(name string, c, restart *doc.Node, out *Out) {
	get := func(k string) *doc.Node { return property(c, k) }
	self := model.N(model.SpaceWorkload, "connector/"+out.Repo+"/"+name)
	topics := get("topics")
	timeout := get("errors.retry.timeout")
	if timeout.Exists() {
		l := model.Layer{Kind: model.KindQueue, At: out.Loc(timeout), In: self, Whole: true, Label: "Connect errors.retry.timeout", Policy: model.Policy{On: model.OnError, Attempts: model.Unbounded()}}
		switch n, ok := timeout.Int(); {
		case !ok:
			l.Policy.Overall = out.span(&l, timeout, model.FieldOverall, time.Millisecond)
		case n == 0:
			l.Policy.Attempts = model.Exactly(1)
		case n > 0:
			l.Policy.Overall = model.For(time.Duration(n) * time.Millisecond)
		}
		longest := get("errors.retry.delay.max.ms")
		l.Policy.Backoff = model.Backoff{Kind: model.BackoffExponential, Initial: model.For(300 * time.Millisecond), Factor: model.NewRatio(2, 1),
			Max: limitOr(out.span(&l, longest, model.FieldMax, time.Millisecond), longest, model.For(time.Minute)), Jitter: model.Jitter{Kind: model.JitterSome}}
		out.Node(model.Node{Name: self, Kind: model.NodeConsumer, At: l.At, Label: "connector " + name})
		out.Layer(l)
	}
	if on, _ := restart.Get("enabled").Bool(); on {
		l := model.Layer{Kind: model.KindRestart, In: self, Label: "connector autoRestart", LowConfidence: true, Policy: model.Policy{On: model.OnExit}, Traits: []model.Trait{{Kind: model.TraitOuterLoop}}}
		out.count(&l, restart.Get("maxRestarts"), restart, counting{offset: 1, absent: model.Unbounded(), by: "Strimzi: maxRestarts has no limit where it is not set", negative: refused})
		out.Layer(l)
	}
	for t := range strings.SplitSeq(plain(topics), ",") {
		if q := queue("kafka", strings.TrimSpace(t)); topics.Exists() && !q.IsZero() {
			out.Edge(model.Edge{From: q, To: self, Kind: model.EdgeDeliver, At: out.Loc(topics)})
		}
	}
	if d := get("errors.deadletterqueue.topic.name"); d.Kind() == doc.Scalar && d.Str() != "" {
		out.DeadLetter(model.DeadLetter{Of: self, Name: d.Str(), At: out.Loc(d), Origin: model.OriginExplicit})
	}
}

var _ = add(Format{
	Name:  "kafka-connect",
	Title: "Kafka Connect connectors (JSON, properties)",
	Files: []string{"*.json", "*.properties"},
	Match: func(_ string, d *doc.Document) bool {
		return property(d.Root, "connector.class").Exists() || property(d.Root.Get("config"), "connector.class").Exists()
	},
	Read: func(d *doc.Document, out *Out) {
		c := d.Root
		if in := c.Get("config"); property(in, "connector.class").Exists() {
			c = in
		}
		name := plain(d.Root.Get("name"))
		if name == "" {
			name = out.Path
		}
		connectorConfig(name, c, nil, out)
	},
	Keys: []Key{{"errors.retry.timeout", "limit over all attempts, milliseconds", "0: none", "1 attempt", "no end"}},
	Doc:  `As for Strimzi's KafkaConnector. Source: catalogue, E3.`,
	Example: `
-- sink.json --
{
  "name": "sink",
  "config": {
    "connector.class": "io.example.HttpSink",
    "topics": "bills",
    "errors.retry.timeout": "-1" // want layer "attempts=unbounded initial=300ms max=1m"
  }
}
`,
})
