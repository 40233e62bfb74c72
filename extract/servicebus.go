package extract

import (
	"regexp"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

const serviceBusDoc = `A message that is abandoned comes again at once, one whose lock ends (1 minute by default) comes again then, maxDeliveryCount times in all (10 by
default). Then it moves to the queue's own dead-letter queue, where nothing ends its stay. With duplicate detection a second send with the same MessageId is
dropped for 10 minutes unless the history window says otherwise. Source: catalogue, D13; dedupe windows, 1.2 and 2.`

var serviceBusKeys = []Key{
	{"maxDeliveryCount", "attempts", "10, Service Bus", "refused", "refused"},
	{"lockDuration", "time until a message whose receiver is silent comes again", "PT1M, Service Bus", "", ""},
	{"requiresDuplicateDetection", "sends are deduplicated", "false", "", ""},
	{"duplicateDetectionHistoryTimeWindow", "how long a message id is remembered", "PT10M, Service Bus", "", ""},
}

// serviceBusQueue is a queue or subscription in ARM, in an operator's object or in Terraform.
type serviceBusQueue struct {
	name           string
	topic          string // of a subscription
	block          *doc.Node
	count, lock    *doc.Node
	dedupe, window *doc.Node
	forward        *doc.Node // forwardDeadLetteredMessagesTo
	topicOnly      bool      // a topic has no deliveries of its own
}

func (o *Out) serviceBus(q serviceBusQueue) {
	self := queue("servicebus", q.name)
	if q.topic != "" {
		self = queue("servicebus", q.topic+"/"+q.name)
	}
	if self.IsZero() {
		return
	}
	at := o.KeyLoc(q.block)
	o.Node(model.Node{Name: self, Kind: model.NodeQueue, At: at, Label: "Service Bus " + q.name})
	if on, _ := q.dedupe.Bool(); on {
		b := model.Boundary{Kind: "azure.servicebus.duplicate_detection", At: o.Loc(exists(q.window, q.dedupe)), In: self, Store: model.StoreBroker, Order: model.OrderPublish, KeyName: "MessageId"}
		if d, ok := o.duration(q.window, 0); ok {
			b.TTL = model.WindowFor(d)
		} else if !q.window.Exists() {
			// The documentation names 10 minutes, one SDK page 1 minute: the lower one can be relied on.
			b.TTL, b.Origin = model.WindowFor(time.Minute), model.OriginDefault
		}
		o.Boundary(b)
	}
	if q.topicOnly {
		return
	}
	if t := queue("servicebus", q.topic); q.topic != "" && !t.IsZero() {
		o.Edge(model.Edge{From: t, To: self, Kind: model.EdgePublish, At: at})
	}
	l := model.Layer{Kind: model.KindQueue, In: self, Whole: true, Label: "Service Bus delivery", Policy: model.Policy{On: model.OnNoAck, Gap: model.StartToStart}}
	o.count(&l, q.count, q.block, counting{absent: model.Exactly(10), by: "Service Bus: maxDeliveryCount is 10 where it is not set", off: "maxDeliveryCount: 1", zero: refused, negative: refused})
	if q.lock.Exists() {
		l.Traits = append(l.Traits, model.Trait{Kind: model.TraitLease, At: o.Loc(q.lock)})
	}
	lock := limitOr(o.span(&l, q.lock, model.FieldInitial, 0), q.lock, model.For(time.Minute))
	l.Policy.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: lock, Jitter: model.Jitter{Kind: model.JitterNone}}
	o.Layer(l)
	dl := model.DeadLetter{Of: self, Name: q.name + "/$DeadLetterQueue", At: l.At, Retention: model.NoLimit(), Origin: model.OriginDefault}
	if q.forward.Exists() {
		dl.Name, dl.At, dl.Origin = lastPart(plain(q.forward)), o.Loc(q.forward), model.OriginExplicit
	}
	o.DeadLetter(dl)
}

var _ = add(Format{
	Name:  "azure-service-bus",
	Title: "Azure Service Bus (ARM templates, Bicep, Azure Service Operator)",
	Files: []string{"*.json", "*.yaml", "*.yml", "*.bicep"},
	Match: func(p string, d *doc.Document) bool {
		if d.Syntax == doc.Bicep {
			return strings.Contains(strings.ToLower(d.Root.Raw()), "microsoft.servicebus/")
		}
		if kind("servicebus.azure.com", "NamespacesQueue", "NamespacesTopic", "NamespacesTopicsSubscription")(p, d) {
			return true
		}
		found := false
		armResources(d.Root, 0, func(r *doc.Node) { found = found || strings.HasPrefix(r.Get("type").Str(), "Microsoft.ServiceBus/") })
		return found
	},
	Read: func(d *doc.Document, out *Out) {
		if d.Syntax == doc.Bicep {
			bicepBus(d.Root, "", "", out)
			return
		}
		if d.Root.Get("apiVersion").Exists() && d.Root.Get("kind").Exists() {
			s := d.Root.Get("spec")
			name := plain(s.Get("azureName"))
			if name == "" {
				name = objectName(d.Root)
			}
			topic := ""
			if d.Root.Get("kind").Str() == "NamespacesTopicsSubscription" {
				topic = plain(s.Path("owner.name"))
			}
			out.serviceBus(busQueue(name, topic, s, d.Root.Get("kind").Str() == "NamespacesTopic"))
			return
		}
		armResources(d.Root, 0, func(r *doc.Node) {
			t := strings.ToLower(r.Get("type").Str())
			name := strings.Split(strings.Trim(plain(r.Get("name")), "[]"), "/")
			last, topic := strings.Trim(name[len(name)-1], "')( "), ""
			if strings.ContainsAny(last, "('") {
				last = lastQuoted(last)
			}
			switch {
			case strings.HasSuffix(t, "/subscriptions") || strings.HasSuffix(t, "topics/subscriptions"):
				if len(name) > 1 {
					topic = strings.Trim(name[len(name)-2], "')( ")
				}
			case strings.HasSuffix(t, "/queues"), strings.HasSuffix(t, "/topics"):
			default:
				return
			}
			q := busQueue(last, topic, exists(r.Get("properties"), r), strings.HasSuffix(t, "/topics"))
			for _, n := range []**doc.Node{&q.count, &q.lock, &q.dedupe, &q.window, &q.forward} {
				*n = armValue(d.Root, *n)
			}
			out.serviceBus(q)
		})
	},
	Keys: serviceBusKeys,
	Doc:  serviceBusDoc,
	Example: `
-- queue.yaml --
apiVersion: servicebus.azure.com/v1api20211101
kind: NamespacesQueue
metadata: {name: orders}
spec:
  maxDeliveryCount: 4 # want layer "attempts=4 initial=30s" deadletter "orders/$DeadLetterQueue retention=unbounded"
  lockDuration: PT30S
  requiresDuplicateDetection: true
  duplicateDetectionHistoryTimeWindow: PT20M # want boundary "ttl=20m"
-- bus.bicep --
param deliveries int = 6 // want layer "attempts=6 initial=unknown" deadletter "mails/$DeadLetterQueue"
param lock string

resource bus 'Microsoft.ServiceBus/namespaces@2022-10-01-preview' = {
  name: 'bus'
  sku: { name: 'Standard' }

  resource orders 'queues' = {
    name: 'orders-bicep'
    properties: {
      maxDeliveryCount: 3 // want layer "attempts=3 initial=45s" deadletter "orders-bicep/$DeadLetterQueue"
      lockDuration: 'PT45S'
      requiresDuplicateDetection: true
      duplicateDetectionHistoryTimeWindow: 'PT5M' // want boundary "ttl=5m"
    }
  }
}

resource topic 'Microsoft.ServiceBus/namespaces/topics@2022-10-01-preview' = {
  parent: bus
  name: 'paid'
}

resource mails 'Microsoft.ServiceBus/namespaces/topics/subscriptions@2022-10-01-preview' = {
  parent: topic
  name: 'mails'
  properties: {
    maxDeliveryCount: deliveries
    lockDuration: lock
  }
}
-- arm.json --
{
  "parameters": {
    "deliveries": {"type": "int", "defaultValue": 7}, // want deadletter "notes/$DeadLetterQueue" layer "attempts=7 initial=unknown"
    "lock": {"type": "string"}
  },
  "resources": [
    {
      "type": "Microsoft.ServiceBus/namespaces/queues",
      "name": "bus/notes",
      "properties": {
        "maxDeliveryCount": "[parameters('deliveries')]",
        "lockDuration": "[parameters('lock')]"
      }
    },
    {
      "type": "Microsoft.ServiceBus/namespaces/queues",
      "name": "bus/bills",
      "properties": { // want layer "attempts=10 origin=default initial=1m" deadletter "bills/$DeadLetterQueue"
        "lockDuration": "PT1M"
      }
    }
  ]
}
`,
})

// bicepBus reads the queues, topics and subscriptions of a Bicep file, those within others too.
func bicepBus(in *doc.Node, parentType, parentName string, out *Out) {
	root := in
	for root.Parent() != nil {
		root = root.Parent()
	}
	for _, r := range in.Get("resource").Many() {
		t, _, _ := strings.Cut(strings.ToLower(r.Label(1)), "@")
		if parentType != "" {
			t = parentType + "/" + t
		}
		name := bicepName(root, r.Get("name"), r.Label(0))
		topic := parentName
		if p := r.Get("parent"); p.Exists() {
			for _, o := range root.Get("resource").Many() {
				if o.Label(0) == p.Str() {
					topic = bicepName(root, o.Get("name"), o.Label(0))
				}
			}
		}
		q := busQueue(name, "", exists(r.Get("properties"), r), strings.HasSuffix(t, "/topics"))
		for _, n := range []**doc.Node{&q.count, &q.lock, &q.dedupe, &q.window, &q.forward} {
			*n = bicepValue(root, *n)
		}
		switch t {
		case "microsoft.servicebus/namespaces/queues", "microsoft.servicebus/namespaces/topics":
			out.serviceBus(q)
		case "microsoft.servicebus/namespaces/topics/subscriptions":
			q.topic = topic
			out.serviceBus(q)
		}
		bicepBus(r, t, name, out)
	}
}

// bicepName is the last part of a resource's name, or the word by which the file knows it.
func bicepName(root, n *doc.Node, label string) string {
	if v := bicepValue(root, n); v.Kind() == doc.Scalar {
		return lastPart(v.Str())
	}
	return label
}

// bicepValue puts the default of a parameter, or what a variable holds, in its place.
func bicepValue(root, n *doc.Node) *doc.Node {
	if n.Kind() == doc.Unknown {
		for _, kind := range []string{"param", "var"} {
			if v := root.Get(kind).Get(n.Str()); v.Kind() == doc.Scalar {
				return v
			}
		}
	}
	return n
}

var armReference = regexp.MustCompile(`^\[(parameters|variables)\('([A-Za-z0-9_-]+)'\)\]$`)

// armValue puts the default of a parameter, or what a variable holds, in its place. What another expression makes is not known: it
// is not the default of the service.
func armValue(root, n *doc.Node) *doc.Node {
	text := n.Str()
	if n.Kind() != doc.Scalar || !strings.HasPrefix(text, "[") || strings.HasPrefix(text, "[[") {
		return n
	}
	if m := armReference.FindStringSubmatch(text); m != nil {
		v := root.Get(m[1]).Get(m[2])
		if m[1] == "parameters" {
			v = v.Get("defaultValue")
		}
		if v.Kind() == doc.Scalar && !strings.HasPrefix(v.Str(), "[") {
			return v
		}
	}
	return n.Opaque()
}

func lastQuoted(s string) string {
	parts := strings.Split(s, "'")
	for i := len(parts) - 1; i >= 0; i-- {
		if p := strings.Trim(parts[i], "(), "); p != "" {
			return p
		}
	}
	return s
}

func busQueue(name, topic string, p *doc.Node, topicOnly bool) serviceBusQueue {
	return serviceBusQueue{name: name, topic: topic, block: p, count: p.Get("maxDeliveryCount"), lock: p.Get("lockDuration"), dedupe: p.Get("requiresDuplicateDetection"),
		window: p.Get("duplicateDetectionHistoryTimeWindow"), forward: p.Get("forwardDeadLetteredMessagesTo"), topicOnly: topicOnly}
}

// armResources visits the resources of an ARM template, nested ones too.
func armResources(n *doc.Node, depth int, f func(*doc.Node)) {
	if depth > 6 {
		return
	}
	for _, r := range n.Get("resources").Items() {
		f(r)
		armResources(r, depth+1, f)
	}
}

var _ = add(Format{
	Name:  "azure-functions",
	Title: "Azure Functions (host.json, function.json)",
	Files: []string{"host.json", "function.json"},
	Match: func(p string, d *doc.Document) bool {
		return d.Root.Get("bindings").Kind() == doc.List || d.Root.Get("version").Exists() && (d.Root.Get("extensions").Exists() || d.Root.Get("extensionBundle").Exists() || d.Root.Get("retry").Exists() || d.Root.Get("functionTimeout").Exists())
	},
	Read: readAzureFunctions,
	Keys: []Key{
		{"function.json retry.maxRetryCount", "retries", "no block: none", "1 attempt", "no end"},
		{"function.json retry.delayInterval, minimumInterval, maximumInterval", "waits", "", "", ""},
		{"host.json extensions.queues.maxDequeueCount", "attempts, then the poison queue", "5, Azure Functions", "refused", "refused"},
		{"host.json extensions.queues.visibilityTimeout", "wait after a failed attempt", "0", "", ""},
		{"host.json extensions.serviceBus.clientRetryOptions.maxRetries", "retries of the client", "3", "1 attempt", "refused"},
	},
	Doc: `A function's retry policy counts retries, -1 is no end; it holds for a few triggers only. Storage queues deliver a message maxDequeueCount times
in all and move it to NAME-poison then. The retry block of host.json was withdrawn and does nothing. Source: catalogue, D14.`,
	Example: `
-- bills/function.json --
{
  "bindings": [{"type": "timerTrigger", "direction": "in", "schedule": "0 0 2 * * *"}],
  "retry": {
    "strategy": "fixedDelay",
    "maxRetryCount": 4, // want layer "attempts=5 backoff=constant initial=10s"
    "delayInterval": "00:00:10"
  }
}
-- host.json --
{
  "version": "2.0",
  "extensions": {
    "queues": {
      "maxDequeueCount": 3 // want layer "attempts=3" deadletter "poison"
    }
  }
}
`,
})

func readAzureFunctions(d *doc.Document, out *Out) {
	r := d.Root
	self := model.N(model.SpaceWorkload, "azurefunction/"+out.Repo+"/"+out.Path)
	node := func(at model.Location) {
		out.Node(model.Node{Name: self, Kind: model.NodeConsumer, At: at, Label: "Azure function"})
	}
	if t := r.Get("retry"); t.Exists() && r.Get("bindings").Exists() {
		l := model.Layer{Kind: model.KindQueue, In: self, Whole: true, Label: "function retry", Policy: model.Policy{On: model.OnError}}
		out.count(&l, t.Get("maxRetryCount"), t, counting{offset: 1, negative: endless})
		l.DefaultBy, l.Origin = "", ""
		if t.Get("strategy").Str() == "exponentialBackoff" {
			l.Policy.Backoff = model.Backoff{Kind: model.BackoffExponential, Initial: out.span(&l, t.Get("minimumInterval"), model.FieldInitial, 0), Factor: model.NewRatio(2, 1),
				Max: out.span(&l, t.Get("maximumInterval"), model.FieldMax, 0)}
		} else {
			l.Policy.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: out.span(&l, t.Get("delayInterval"), model.FieldInitial, 0), Jitter: model.Jitter{Kind: model.JitterNone}}
		}
		node(l.At)
		out.Layer(l)
	}
	if q := r.Path("extensions.queues"); q.Exists() {
		l := model.Layer{Kind: model.KindQueue, In: self, Whole: true, Label: "storage queue delivery", Policy: model.Policy{On: model.OnNoAck}}
		out.count(&l, q.Get("maxDequeueCount"), q, counting{absent: model.Exactly(5), by: "Azure Functions: maxDequeueCount is 5 where it is not set", off: `"maxDequeueCount": 1`, zero: refused, negative: refused})
		v := q.Get("visibilityTimeout")
		l.Policy.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: limitOr(out.span(&l, v, model.FieldInitial, 0), v, model.For(0)), Jitter: model.Jitter{Kind: model.JitterNone}}
		node(l.At)
		out.Layer(l)
		out.DeadLetter(model.DeadLetter{Of: self, Name: "poison", At: l.At, Origin: model.OriginDefault})
	}
	if c := r.Path("extensions.serviceBus.clientRetryOptions"); c.Exists() {
		l := model.Layer{Kind: model.KindClient, In: self, Label: "Service Bus client", Policy: model.Policy{On: model.OnConnect | model.OnReset | model.OnTimeout | model.OnUnavailable}}
		out.count(&l, c.Get("maxRetries"), c, counting{offset: 1, absent: model.Exactly(4), by: "Service Bus client: 3 retries", off: `"maxRetries": 0`, negative: refused})
		l.Policy.PerAttempt = out.span(&l, c.Get("tryTimeout"), model.FieldPerAttempt, 0)
		out.Layer(l)
	}
	if t := r.Get("retry"); t.Exists() && !r.Get("bindings").Exists() {
		l := model.Layer{Kind: model.KindConfig, At: out.KeyLoc(t), In: self, Label: "retry of host.json", Policy: model.Policy{Attempts: model.Exactly(1)},
			Traits: []model.Trait{{Kind: model.TraitIneffective, At: out.KeyLoc(t), Detail: "the retry policies of host.json were withdrawn"}}}
		out.Layer(l)
	}
}
