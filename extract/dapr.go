package extract

import (
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "dapr-resiliency",
	Title: "Dapr Resiliency",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("dapr.io", "Resiliency"),
	Read:  readDaprResiliency,
	Keys: []Key{
		{"spec.policies.retries.NAME.maxRetries", "retries", "no end, Dapr, once a policy is used", "none", "no end"},
		{"… policy", "constant or exponential", "constant, Dapr", "", ""},
		{"… duration", "wait of a constant policy; a bare number is milliseconds", "5s, Dapr", "no wait", ""},
		{"… maxInterval", "cap of an exponential policy", "60s, Dapr", "", ""},
		{"spec.policies.timeouts.NAME", "limit over all attempts of a call", "none", "", ""},
	},
	Doc: `A policy acts where a target names it: calls of an app (targets.apps), messages from a component (inbound) and to it (outbound), actors.
maxRetries counts retries and has no end where it is not set. For a message it is added to what the component does by itself, so the two
multiply. scopes name the callers. Source: catalogue, C3.`,
	Example: `
-- resiliency.yaml --
apiVersion: dapr.io/v1alpha1
kind: Resiliency
metadata: {name: r}
scopes: [checkout]
spec:
  policies:
    retries:
      few: {policy: exponential, maxInterval: 15s, maxRetries: 5} # want layer "attempts=6 max=15s jitter=proportional label=Dapr-retry-policy" layer "attempts=6 label=Dapr-inbound-retry-policy"
      ever: # want layer "count=unbounded origin=default backoff=constant initial=2s"
        duration: 2000
    timeouts: {short: 4s}
  targets:
    apps:
      orders: {retry: few, timeout: short}
    components:
      bus:
        inbound: {retry: few}
      store:
        outbound: {retry: ever}
`,
})

var _ = add(Format{
	Name:  "dapr-pubsub",
	Title: "Dapr pub/sub component and Subscription",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(p string, d *doc.Document) bool {
		return kind("dapr.io", "Component", "Subscription")(p, d)
	},
	Read: func(d *doc.Document, out *Out) {
		if d.Root.Get("kind").Str() == "Subscription" {
			daprSubscription(d.Root, out)
			return
		}
		daprComponent(d.Root, out)
	},
	Keys: []Key{
		{"maxDeliveryCount (pubsub.azure.servicebus)", "attempts", "10, Service Bus", "invalid", "invalid"},
		{"messageReceiveLimit (pubsub.aws.snssqs)", "attempts", "10 (unverified)", "", ""},
		{"messageVisibilityTimeout (pubsub.aws.snssqs)", "wait before a message comes again, seconds", "10 (unverified)", "", ""},
		{"redeliverInterval (pubsub.redis)", "wait before a message comes again", "60s (unverified)", "no redelivery", ""},
		{"consumeRetryInterval (pubsub.kafka)", "wait between attempts, without end", "100ms (unverified)", "", ""},
		{"backOffMaxRetries (pubsub.*)", "retries", "no end (unverified)", "", "no end"},
		{"Subscription: spec.deadLetterTopic", "where messages go that failed for good", "none", "", ""},
	},
	Doc: `A component redelivers messages that an app did not take, in the way of its broker. A Subscription says which route of which app
(scopes) gets the messages of a topic. With a deadLetterTopic the sidecar acknowledges once its own policy gives up, so the component's redelivery is no
factor then. Source: catalogue, C4 (defaults unverified).`,
	Example: `
-- bus.yaml --
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: bus}
spec:
  type: pubsub.azure.servicebus.topics
  version: v1
  metadata:
    - {name: maxDeliveryCount, value: "8"} # want layer "attempts=8 kind=queue"
-- redis.yaml --
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: redis-bus}
spec:
  type: pubsub.redis
  version: v1
  metadata:
    - {name: redeliverInterval, value: "30s"} # want layer "count=unbounded initial=30s low=true"
-- sub.yaml --
apiVersion: dapr.io/v2alpha1
kind: Subscription
metadata: {name: orders}
spec:
  pubsubname: bus
  topic: orders
  routes: {default: /orders} # want edge "host:dapr:shipping /orders POST kind=deliver queue:dapr:bus/orders"
  deadLetterTopic: parked # want deadletter "parked"
scopes: [shipping]
`,
})

func readDaprResiliency(d *doc.Document, out *Out) {
	root := d.Root
	policies, targets := root.Path("spec.policies"), root.Path("spec.targets")
	add := func(t *doc.Node, l model.Layer) {
		name := plain(t.Get("retry"))
		p := policies.Get("retries").Get(name)
		if name == "" || !p.Exists() {
			return
		}
		daprRetry(&l, p, out)
		if to := t.Get("timeout"); to.Exists() {
			w := policies.Get("timeouts").Get(plain(to))
			if !w.Exists() {
				w = to
			}
			l.Policy.PerAttempt = out.span(&l, w, model.FieldPerAttempt, time.Millisecond)
		}
		stored := out.Layer(l)
		if l.In.Space == model.SpaceHost {
			r := model.Route{Name: model.N(model.SpaceRoute, l.In.Key+"#"+objectName(root)), At: out.Loc(t.Get("retry")), Hosts: []model.Name{l.In}, Owner: "dapr", Mesh: true, Layer: stored.ID}
			out.Route(r)
		}
	}
	for _, a := range targets.Get("apps").Entries() {
		add(a.Value, model.Layer{Kind: model.KindMesh, In: model.N(model.SpaceHost, "dapr:"+a.Key), Label: "Dapr retry policy"})
	}
	for _, a := range targets.Get("actors").Entries() {
		add(a.Value, model.Layer{Kind: model.KindMesh, In: model.N(model.SpaceHost, "dapr-actor:"+a.Key), Label: "Dapr retry policy of actors"})
	}
	for _, c := range targets.Get("components").Entries() {
		add(c.Value.Get("inbound"), model.Layer{Kind: model.KindMesh, In: model.N(model.SpaceQueue, "dapr:"+c.Key), Whole: true, Label: "Dapr inbound retry policy"})
		add(c.Value.Get("outbound"), model.Layer{Kind: model.KindMesh, In: model.N(model.SpaceHost, "dapr-component:"+c.Key), Label: "Dapr outbound retry policy"})
	}
}

// daprRetry reads a retry policy. Source: catalogue, C3.
func daprRetry(l *model.Layer, r *doc.Node, out *Out) {
	out.count(l, r.Get("maxRetries"), r, counting{offset: 1, absent: model.Unbounded(), by: "Dapr: a policy without maxRetries has no end", off: "maxRetries: 0", negative: endless})
	p := &l.Policy
	p.On = model.OnAny
	if strings.EqualFold(r.Get("policy").Str("constant"), "exponential") {
		p.Backoff = model.Exponential(500*time.Millisecond, model.NewRatio(3, 2), time.Minute).WithJitter(model.Jitter{Kind: model.JitterProportional, Factor: model.NewRatio(1, 2)})
		if m := r.Get("maxInterval"); m.Exists() {
			p.Backoff.Max = out.span(l, m, model.FieldMax, time.Millisecond)
		}
	} else {
		n := r.Get("duration")
		w := limitOr(out.span(l, n, model.FieldInitial, time.Millisecond), n, model.For(5*time.Second))
		p.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: w, Jitter: model.Jitter{Kind: model.JitterNone}}
	}
	if m := r.Get("matching"); m.Exists() {
		p.On = model.OnConnect | model.OnReset
		for _, k := range []string{"httpStatusCodes", "gRPCStatusCodes"} {
			for w := range strings.SplitSeq(m.Get(k).Str(), ",") {
				if k == "httpStatusCodes" {
					p.On |= statusRange(w)
				} else if w != "" {
					p.On |= model.OnRPCOther | model.OnUnavailable
				}
			}
		}
	}
}

func daprComponent(root *doc.Node, out *Out) {
	typ := plain(root.Path("spec.type"))
	if !strings.HasPrefix(typ, "pubsub.") && !strings.HasPrefix(typ, "bindings.") {
		return
	}
	meta := map[string]*doc.Node{}
	for _, m := range root.Path("spec.metadata").Items() {
		if v := m.Get("value"); v.Exists() {
			meta[m.Get("name").Str()] = v
		}
	}
	l := model.Layer{Kind: model.KindQueue, In: model.N(model.SpaceQueue, "dapr:"+objectName(root)), Whole: true, Label: "Dapr " + typ}
	p := &l.Policy
	p.On = model.OnNoAck
	switch {
	case meta["maxDeliveryCount"] != nil && strings.Contains(typ, "servicebus"):
		out.count(&l, meta["maxDeliveryCount"], root, counting{zero: refused})
		if n := meta["lockDurationInSec"]; n != nil {
			p.PerAttempt = out.span(&l, n, model.FieldPerAttempt, time.Second)
		}
	case strings.Contains(typ, "servicebus") && strings.HasPrefix(typ, "pubsub."):
		l.At = out.Loc(root.Path("spec.type"))
		out.countAbsent(&l, counting{absent: model.Exactly(10), by: "Service Bus: a message is delivered 10 times where maxDeliveryCount is not set"})
	case meta["messageReceiveLimit"] != nil:
		out.count(&l, meta["messageReceiveLimit"], root, counting{})
		if n := meta["messageVisibilityTimeout"]; n != nil {
			p.Backoff, p.Gap = model.Backoff{Kind: model.BackoffConstant, Initial: out.span(&l, n, model.FieldInitial, time.Second), Jitter: model.Jitter{Kind: model.JitterNone}}, model.StartToStart
		}
	case meta["backOffMaxRetries"] != nil:
		out.count(&l, meta["backOffMaxRetries"], root, counting{offset: 1, negative: endless})
		if n := meta["backOffDuration"]; n != nil {
			p.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: out.span(&l, n, model.FieldInitial, time.Second), Jitter: model.Jitter{Kind: model.JitterNone}}
		}
	case meta["redeliverInterval"] != nil || meta["consumeRetryInterval"] != nil:
		n := meta["redeliverInterval"]
		if n == nil {
			n = meta["consumeRetryInterval"]
		}
		l.At, l.LowConfidence = out.Loc(n), true
		w := out.span(&l, n, model.FieldInitial, time.Millisecond)
		if d, ok := w.Duration(); ok && d == 0 {
			p.Attempts = model.Exactly(1)
			break
		}
		p.Attempts, p.Backoff = model.Unbounded(), model.Backoff{Kind: model.BackoffConstant, Initial: w, Jitter: model.Jitter{Kind: model.JitterNone}}
	default:
		return // what the broker does by default is not verified
	}
	out.Layer(l)
}

func daprSubscription(root *doc.Node, out *Out) {
	spec := root.Get("spec")
	bus, topic := plain(spec.Get("pubsubname")), plain(spec.Get("topic"))
	if bus == "" || topic == "" {
		return
	}
	q := model.N(model.SpaceQueue, "dapr:"+bus+"/"+topic)
	node := model.Node{Name: q, Kind: model.NodeQueue, At: out.Loc(spec.Get("topic")), Label: "topic " + topic + " of " + bus}
	if dl := spec.Get("deadLetterTopic"); dl.Exists() {
		node.Traits = append(node.Traits, model.Trait{Kind: model.TraitAcknowledges, At: out.Loc(dl), Detail: "the sidecar acknowledges before it parks a message"})
		out.DeadLetter(model.DeadLetter{Of: q, Name: plain(dl), At: out.Loc(dl)})
	}
	out.Node(node)
	var routes []*doc.Node
	if r := spec.Get("route"); r.Exists() {
		routes = append(routes, r)
	}
	for _, r := range spec.Path("routes.rules").Items() {
		routes = append(routes, r.Get("path"))
	}
	if r := spec.Path("routes.default"); r.Exists() {
		routes = append(routes, r)
	}
	for _, r := range routes {
		apps := root.Get("scopes").Items()
		for _, app := range apps {
			out.Edge(model.Edge{From: q, To: model.N(model.SpaceHost, "dapr:"+plain(app)), Kind: model.EdgeDeliver, At: out.Loc(r), Method: "POST", Path: pathOf(r.Str()),
				Key: model.Key{How: model.KeyNatural, At: out.Loc(r), Text: "the event's id"}, Label: "Dapr message"})
		}
		if len(apps) == 0 {
			out.Edge(model.Edge{From: q, To: model.N(model.SpaceOp, q.Key+"#"+plain(r)), Kind: model.EdgeDeliver, At: out.Loc(r), Method: "POST", Path: pathOf(r.Str()),
				Key: model.Key{How: model.KeyNatural, At: out.Loc(r), Text: "the event's id"}, Label: "Dapr message"})
		}
	}
}
