package extract

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "knative-eventing",
	Title: "Knative Eventing: Trigger, Subscription, Broker, Channel, Sequence, sources",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(p string, d *doc.Document) bool {
		v := d.Root.Get("apiVersion").Str()
		i := strings.Index(v, ".knative.dev/")
		if i < 0 {
			return kind("", "ConfigMap")(p, d) && d.Root.Path("data.default-br-config").Exists()
		}
		switch v[:i] {
		case "eventing", "messaging", "flows", "sources":
			return true
		}
		return false
	},
	Read: readKnative,
	Keys: []Key{
		{"spec.delivery.retry", "retries", "0; 10 from the shipped default of a Broker", "none", "invalid"},
		{"spec.delivery.backoffPolicy, backoffDelay", "waits, ISO 8601; without both there is no wait", "no wait, Knative", "", ""},
		{"spec.delivery.timeout", "limit of one attempt", "none", "", ""},
		{"spec.delivery.deadLetterSink", "where events go that failed for good", "dropped", "", ""},
		{"config-br-defaults: clusterDefault.delivery.retry", "retries of Brokers that say nothing", "10 as shipped", "none", "invalid"},
	},
	Doc: `An event is sent to a subscriber again that did not answer, or answered with 5xx, 404, 408, 409 or 429: retry counts retries. Waits: exponential
(delay, twice that ...) or linear (none, delay, twice that ...), without cap and jitter, and only where both backoffPolicy and backoffDelay are set. A Trigger's delivery
wins over its Broker's, that over config-br-defaults. Caller: broker, channel or source; callee: subscriber or sink. Source: catalogue, C1 and C2.`,
	Example: `
-- trigger.yaml --
apiVersion: eventing.knative.dev/v1
kind: Trigger
metadata: {name: ship, namespace: web}
spec:
  broker: default
  subscriber: {ref: {kind: Service, name: shipping}}
  delivery:
    retry: 5 # want layer "attempts=6 backoff=exponential initial=500ms factor=2 max=unbounded jitter=none perAttempt=10s"
    backoffPolicy: exponential
    backoffDelay: PT0.5S
    timeout: PT10S
    deadLetterSink: {ref: {kind: Service, name: parked}} # want deadletter "parked"
-- nowait.yaml --
apiVersion: messaging.knative.dev/v1
kind: Subscription
metadata: {name: s, namespace: web}
spec:
  channel: {kind: Channel, name: orders}
  delivery: {retry: 5} # want layer "attempts=6 backoff=none waits=0s"
  subscriber: {uri: "http://shipping.web.svc.cluster.local/events"} # want edge "host:shipping.web /events kind=deliver POST"
-- plain.yaml --
apiVersion: eventing.knative.dev/v1
kind: Trigger
metadata: {name: plain, namespace: web}
spec:
  broker: default
  subscriber: {ref: {kind: Service, name: billing}} # want edge "host:billing.web kind=deliver POST queue:knative:broker/web/default#trigger/web/plain"
-- defaults.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: config-br-defaults, namespace: knative-eventing}
data:
  default-br-config: |
    clusterDefault:
      brokerClass: MTChannelBasedBroker
      delivery:
        retry: 10 # want layer "attempts=11 waits=3m24.6s"
        backoffPolicy: exponential
        backoffDelay: PT0.2S
`,
})

// knativeDefaults is the name of what Brokers do that say nothing about delivery.
var knativeDefaults = model.N(model.SpaceConfig, "knative-broker")

const knativeOn = model.OnConnect | model.OnReset | model.OnTimeout | model.On5xx | model.On429 | model.OnConflict | model.On4xx

func readKnative(d *doc.Document, out *Out) {
	root := d.Root
	ns, name := namespace(root), objectName(root)
	spec := root.Get("spec")
	delivery := spec.Get("delivery")
	switch k := root.Get("kind").Str(); k {
	case "ConfigMap":
		for _, in := range root.Path("data.default-br-config").ParseAs(doc.YAML, doc.Limits{MaxBytes: 1 << 20}).Docs {
			if p := in.Root.Path("clusterDefault.delivery"); p.Exists() {
				l := knativeLayer(p, knativeDefaults, out)
				l.Label, l.As = "Knative default of Brokers", knativeDefaults
				out.Layer(l)
			}
		}
	case "Trigger":
		broker := cmp.Or(plain(spec.Get("broker")), plain(spec.Path("brokerRef.name")), "default")
		q := model.N(model.SpaceQueue, "knative:broker/"+ns+"/"+broker)
		knativeDelivery(q, "trigger/"+ns+"/"+name, spec.Get("subscriber"), delivery, ns, knativeBroker(ns, broker), out)
	case "Broker":
		if delivery.Exists() {
			l := knativeLayer(delivery, model.N(model.SpaceQueue, "knative:broker/"+ns+"/"+name), out)
			l.Label, l.As = "Knative Broker delivery", knativeBroker(ns, name)
			out.Layer(l)
			knativeDead(delivery, l.In, ns, out)
		}
	case "Subscription":
		ch := plain(spec.Path("channel.name"))
		q := model.N(model.SpaceQueue, "knative:channel/"+ns+"/"+ch)
		knativeDelivery(q, "subscription/"+ns+"/"+name, spec.Get("subscriber"), delivery, ns, model.Name{}, out)
	case "Sequence", "Parallel":
		for i, s := range append(spec.Get("steps").Items(), spec.Get("branches").Items()...) {
			q := model.N(model.SpaceQueue, fmt.Sprintf("knative:%s/%s/%s", strings.ToLower(k), ns, name))
			sub := s
			if s.Get("subscriber").Exists() {
				sub = s.Get("subscriber")
			}
			knativeDelivery(q, fmt.Sprintf("step/%s/%s/%d", ns, name, i), sub, s.Get("delivery"), ns, model.Name{}, out)
		}
	default:
		if sink := spec.Get("sink"); sink.Exists() { // the sources
			q := workload(root)
			if k == "KafkaSource" {
				if t := spec.Path("topics.0"); t.Kind() == doc.Scalar {
					q = model.N(model.SpaceQueue, "kafka:"+t.Str())
				}
			}
			knativeDelivery(q, strings.ToLower(k)+"/"+ns+"/"+name, sink, delivery, ns, model.Name{}, out)
		} else if delivery.Exists() { // Channel and the like: what Subscriptions do that say nothing
			out.Layer(knativeLayer(delivery, model.N(model.SpaceQueue, "knative:channel/"+ns+"/"+name), out))
		}
	}
}

func knativeBroker(ns, name string) model.Name {
	return model.N(model.SpaceConfig, "knative-broker/"+ns+"/"+name)
}

// knativeDelivery makes the edge from a queue to a subscriber, with the layer of the delivery around it. The event of one subscriber is
// delivered on its own, so each has a node of its own beneath the queue.
func knativeDelivery(from model.Name, id string, to, delivery *doc.Node, ns string, fallback model.Name, out *Out) {
	self := model.N(model.SpaceQueue, from.Key+"#"+id)
	if from.Space != model.SpaceQueue {
		self = from
	}
	at := out.Loc(to)
	e := model.Edge{From: self, To: knativeTarget(to, ns), Kind: model.EdgeDeliver, At: at, Method: "POST", Label: "Knative event"}
	if u := to.Get("uri"); u.Kind() == doc.Scalar {
		e.Path, e.At = pathOf(u.Str()), out.Loc(to)
	}
	if self != from {
		out.Edge(model.Edge{From: from, To: self, Kind: model.EdgeDeliver, At: at})
	}
	e.Key = model.Key{How: model.KeyNatural, At: at, Text: "ce-id"}
	switch {
	case delivery.Exists():
		l := out.Layer(knativeLayer(delivery, self, out))
		e.Under = []string{l.ID}
		e.Timeout = l.Policy.PerAttempt
		knativeDead(delivery, self, ns, out)
	case !fallback.IsZero():
		e.Uses = []model.Name{fallback, knativeDefaults}
	}
	if !e.To.IsZero() {
		out.Edge(e)
	}
}

// knativeTarget is the host of a subscriber or sink; another broker or channel is a queue.
func knativeTarget(to *doc.Node, ns string) model.Name {
	if u := to.Get("uri"); u.Kind() == doc.Scalar && !to.Get("ref").Exists() {
		return model.Host(u.Str(), ns)
	}
	ref := to.Get("ref")
	name := plain(ref.Get("name"))
	if n := ref.Get("namespace"); n.Kind() == doc.Scalar {
		ns = n.Str()
	}
	switch k := ref.Get("kind").Str(); {
	case name == "":
		return model.Name{}
	case k == "Broker":
		return model.N(model.SpaceQueue, "knative:broker/"+ns+"/"+name)
	case strings.HasSuffix(k, "Channel"):
		return model.N(model.SpaceQueue, "knative:channel/"+ns+"/"+name)
	}
	return model.Host(name, ns)
}

func knativeDead(delivery *doc.Node, of model.Name, ns string, out *Out) {
	if d := delivery.Get("deadLetterSink"); d.Exists() {
		name := plain(d.Path("ref.name"))
		if name == "" {
			name = plain(d.Get("uri"))
		}
		out.DeadLetter(model.DeadLetter{Of: of, Name: name, At: out.Loc(d)})
	}
}

func knativeLayer(d *doc.Node, in model.Name, out *Out) model.Layer {
	l := model.Layer{Kind: model.KindQueue, In: in, Label: "Knative delivery"}
	out.count(&l, d.Get("retry"), d, counting{offset: 1, absent: model.Exactly(1), by: "Knative: no retries where retry is not set"})
	p := &l.Policy
	p.On = knativeOn
	policy, delay := d.Get("backoffPolicy"), d.Get("backoffDelay")
	w := out.span(&l, delay, model.FieldInitial, 0)
	switch {
	case policy.Kind() == doc.Unknown || delay.Kind() == doc.Unknown || d.Partial() && !(policy.Exists() && delay.Exists()):
	case !policy.Exists() || !delay.Exists():
		p.Backoff = model.NoBackoff()
	case policy.Str() == "linear":
		p.Backoff = model.Backoff{Kind: model.BackoffLinear, Initial: model.For(0), Step: w, Max: model.NoLimit(), Jitter: model.Jitter{Kind: model.JitterNone}}
	case policy.Str() == "exponential":
		p.Backoff = model.Backoff{Kind: model.BackoffExponential, Initial: w, Factor: model.NewRatio(2, 1), Max: model.NoLimit(), Jitter: model.Jitter{Kind: model.JitterNone}}
	default:
		out.Gap(policy, "backoffPolicy: %q is neither linear nor exponential", policy.Str())
	}
	p.PerAttempt = out.span(&l, d.Get("timeout"), model.FieldPerAttempt, 0)
	if d.Get("retryAfterMax").Exists() {
		l.Traits = append(l.Traits, model.Trait{Kind: model.TraitReadsRetryAfter, At: out.Loc(d.Get("retryAfterMax")), Detail: "capped"})
	}
	return l
}
