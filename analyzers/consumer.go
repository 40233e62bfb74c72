package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// A consumer takes messages from a queue and works on each of them. Brokers deliver a message again when the work fails, so the
// work, and nothing else of the function that receives, lies under the queue's redelivery.

// receiver is a call that takes messages from a queue, or asks for a channel or an iterator of them.
type receiver struct {
	pkg    string   // import path, or the beginning of one
	calls  []string // "ReceiveMessage", "(*Reader).FetchMessage"; a name with a type is for packages with several of that name
	broker string
	names  []string // terms for the queue's name, the first that is there holds; two with "/" between make one name
	fn     string   // "arg 1": the function or value that gets each message; "" where the call gives the messages
}

var receivers = []receiver{
	{pkg: "github.com/aws/aws-sdk-go-v2/service/sqs", calls: []string{"ReceiveMessage"}, broker: "sqs", names: []string{"field QueueUrl of arg 1"}},
	{pkg: "github.com/aws/aws-sdk-go/service/sqs", calls: []string{"ReceiveMessage"}, broker: "sqs", names: []string{"field QueueUrl of arg 0"}},
	{pkg: "github.com/aws/aws-sdk-go/service/sqs", calls: []string{"ReceiveMessageWithContext"}, broker: "sqs", names: []string{"field QueueUrl of arg 1"}},
	{pkg: "cloud.google.com/go/pubsub", calls: []string{"Receive"}, broker: "pubsub", names: []string{"arg 0 of receiver"}, fn: "arg 1"},
	{pkg: "github.com/segmentio/kafka-go", calls: []string{"ReadMessage", "FetchMessage"}, broker: "kafka", names: []string{"field Topic of arg 0 of receiver", "field GroupTopics of arg 0 of receiver"}},
	{pkg: "github.com/twmb/franz-go/pkg/kgo", calls: []string{"PollFetches", "PollRecords"}, broker: "kafka", names: []string{"option ConsumeTopics of receiver"}},
	{pkg: "github.com/confluentinc/confluent-kafka-go", calls: []string{"ReadMessage", "Poll"}, broker: "kafka", names: []string{"setter SubscribeTopics of receiver", "setter Subscribe of receiver"}},
	{pkg: "gopkg.in/confluentinc/confluent-kafka-go", calls: []string{"ReadMessage", "Poll"}, broker: "kafka", names: []string{"setter SubscribeTopics of receiver", "setter Subscribe of receiver"}},
	{pkg: "github.com/IBM/sarama", calls: []string{"ConsumePartition"}, broker: "kafka", names: []string{"arg 0"}},
	{pkg: "github.com/Shopify/sarama", calls: []string{"ConsumePartition"}, broker: "kafka", names: []string{"arg 0"}},
	{pkg: "github.com/IBM/sarama", calls: []string{"Consume"}, broker: "kafka", names: []string{"arg 1"}, fn: "arg 2"},
	{pkg: "github.com/Shopify/sarama", calls: []string{"Consume"}, broker: "kafka", names: []string{"arg 1"}, fn: "arg 2"},
	{pkg: "github.com/rabbitmq/amqp091-go", calls: []string{"Consume", "Get"}, broker: "rabbitmq", names: []string{"arg 0"}},
	{pkg: "github.com/rabbitmq/amqp091-go", calls: []string{"ConsumeWithContext"}, broker: "rabbitmq", names: []string{"arg 1"}},
	{pkg: "github.com/streadway/amqp", calls: []string{"Consume", "Get"}, broker: "rabbitmq", names: []string{"arg 0"}},
	{pkg: "github.com/nats-io/nats.go/jetstream", calls: []string{"Consume"}, broker: "nats", names: []string{"jetstream"}, fn: "arg 0"},
	{pkg: "github.com/nats-io/nats.go/jetstream", calls: []string{"Messages", "Fetch", "FetchNoWait", "FetchBytes", "Consumer.Next"}, broker: "nats", names: []string{"jetstream"}},
	{pkg: "github.com/nats-io/nats.go", calls: []string{"Subscribe"}, broker: "nats", names: []string{"arg 0"}, fn: "arg 1"},
	{pkg: "github.com/nats-io/nats.go", calls: []string{"QueueSubscribe"}, broker: "nats", names: []string{"arg 0"}, fn: "arg 2"},
	{pkg: "github.com/nats-io/nats.go", calls: []string{"ChanSubscribe"}, broker: "nats", names: []string{"arg 0"}, fn: "channel 1"},
	{pkg: "github.com/nats-io/nats.go", calls: []string{"ChanQueueSubscribe", "QueueSubscribeSyncWithChan"}, broker: "nats", names: []string{"arg 0"}, fn: "channel 2"},
	{pkg: "github.com/nats-io/nats.go", calls: []string{"NextMsg", "NextMsgWithContext", "Fetch", "FetchBatch"}, broker: "nats", names: []string{"pull", "arg 0 of receiver"}},
	{pkg: "github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus", calls: []string{"ReceiveMessages"}, broker: "servicebus", names: []string{"servicebus"}},
	{pkg: "github.com/redis/go-redis", calls: []string{"XReadGroup", "XRead"}, broker: "redis", names: []string{"field Streams of arg 1"}},
	{pkg: "github.com/go-redis/redis", calls: []string{"XReadGroup", "XRead"}, broker: "redis", names: []string{"field Streams of arg 1", "field Streams of arg 0"}},
	{pkg: "github.com/redis/go-redis", calls: []string{"BLPop", "BRPop"}, broker: "redis", names: []string{"arg 2"}},
	{pkg: "github.com/go-redis/redis", calls: []string{"BLPop", "BRPop"}, broker: "redis", names: []string{"arg 2"}},
	{pkg: "github.com/redis/go-redis", calls: []string{"Subscribe"}, broker: "redis", names: []string{"arg 1"}},
	{pkg: "github.com/go-redis/redis", calls: []string{"Subscribe"}, broker: "redis", names: []string{"arg 1"}},
	{pkg: "github.com/nsqio/go-nsq", calls: []string{"AddHandler", "AddConcurrentHandlers"}, broker: "nsq", names: []string{"nsq"}, fn: "arg 0"},
}

// receives finds what a call takes messages from, nil where it takes none.
func receives(k callee) *receiver {
	if k.pkg == "" || k.recv == nil {
		return nil
	}
	for i := range receivers {
		r := &receivers[i]
		if rest, ok := strings.CutPrefix(k.pkg, r.pkg); !ok || rest != "" && rest[0] != '/' && rest[0] != '.' {
			continue
		}
		if r.broker == "nats" && k.pkg != r.pkg {
			continue // jetstream has an API of its own
		}
		for _, c := range r.calls {
			if c == k.sel || strings.Contains(c, ".") && endsIn(k.name, c) {
				return r
			}
		}
	}
	return nil
}

// endsIn reports whether a name ends in a dot and the given end.
func endsIn(name, end string) bool {
	rest, ok := strings.CutSuffix(name, end)
	return ok && strings.HasSuffix(rest, ".")
}

// queueTarget is the name of a queue, with the setting that holds it where it lies elsewhere.
type queueTarget struct {
	name model.Name
	ref  model.Ref
}

// receiveHandler makes a consumer of a call that takes messages.
func (u *unit) receiveHandler(s *site, k callee) bool {
	r := receives(k)
	if r == nil {
		return false
	}
	qs := u.queuesOf(r, s)
	kind, arg, _ := strings.Cut(r.fn, " ")
	n, _ := parseInt(arg)
	switch kind {
	case "arg":
		if int(n) >= len(s.call.Args) {
			return true
		}
		e := s.call.Args[n]
		g, _ := u.handlerFunc(e, s.in, 0)
		if g == nil {
			g = u.methodOfType(e, "ConsumeClaim", "HandleMessage", "Handle", "ProcessMessage", "Process")
		}
		if g == nil {
			return false
		}
		if g.decl != nil && g.decl.Name.Name == "ConsumeClaim" {
			g.unit.claim(g, qs, s.call)
			return true
		}
		n := len(u.facts.Handlers)
		u.addConsumers(s.call, g.name, qs)
		if r.broker == "pubsub" {
			u.keepsDeadline(s, u.facts.Handlers[n:])
		}
		if r.broker == "pubsub" && g.nacks(0) {
			u.redelivers(s.call, s.in, u.facts.Handlers[n:], "Pub/Sub redelivery", "Pub/Sub: a message that is nacked comes again")
		}
		return true
	case "channel":
		if int(n) < len(s.call.Args) {
			if o := u.lvalue(s.call.Args[n]); o != nil {
				u.fromChannel(o, qs, s, 0)
			}
		}
		return true
	}
	w := &messages{u: u, f: s.in, queues: qs, start: s.call, tainted: map[types.Object]bool{}}
	w.run(0)
	return false // the call stays an edge
}

// addConsumers notes that g runs for each message of some queues; of none that is known where qs is empty.
func (u *unit) addConsumers(at ast.Node, g model.Name, qs []queueTarget) {
	if len(qs) == 0 {
		u.addConsumer(at, g, model.Name{})
	}
	for _, q := range qs {
		u.addConsumer(at, g, q.name)
		if !q.ref.Name.IsZero() {
			for i := range u.facts.Handlers {
				if h := &u.facts.Handlers[i]; h.Func == g && h.Queue == q.name && !slices.Contains(h.Refs, q.ref) {
					h.Refs = append(h.Refs, q.ref)
				}
			}
		}
	}
}

// claim is sarama's way: the handler's method gets the messages of a claim.
func (u *unit) claim(g *fn, qs []queueTarget, at ast.Node) {
	u.shared.claimed[g] = true
	if n := len(u.facts.Handlers); g.unmarked() {
		defer func() {
			u.redelivers(g.decl.Name, g, u.facts.Handlers[n:], "Kafka redelivery", "sarama: a claim that ends before its message is marked begins with it again")
		}()
	}
	if g.body == nil || g.typ.Params == nil {
		return
	}
	for o, i := range g.params {
		if i == 1 {
			w := &messages{u: u, f: g, queues: qs, tainted: map[types.Object]bool{o: true}}
			w.run(0)
			return
		}
	}
	if at == nil {
		at = g.decl.Name
	}
	u.addConsumers(at, g.name, qs)
}

// queuesOf evaluates the names of a receiver.
func (u *unit) queuesOf(r *receiver, s *site) []queueTarget {
	us := &useSite{world: u.shared.world(), u: u, f: s.in, call: s.call}
	for _, term := range r.names {
		var out []queueTarget
		switch term {
		case "jetstream":
			if n := u.jetstreamConsumer(u.callee(s.call).recv, s.in); !n.IsZero() {
				out = append(out, queueTarget{name: n})
			}
		case "pull":
			out = u.natsPull(s)
		case "servicebus":
			out = u.serviceBus(us)
		case "nsq":
			if v, _ := us.ask("arg 0 of receiver"); v.IsStr {
				out = append(out, queueTarget{name: model.N(model.SpaceQueue, "nsq:"+v.Str)})
			}
		default:
			out = u.queueTargets(r.broker, term, us)
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// serviceBus is the queue, or the topic with its subscription, of a receiver.
func (u *unit) serviceBus(us *useSite) []queueTarget {
	qs := u.queueTargets("servicebus", "arg 0 of receiver", us)
	recv := us.Arg(-1)
	if len(qs) == 0 || recv.Name != "NewReceiverForSubscription" {
		return qs
	}
	sub := u.queueTargets("servicebus", "arg 1 of receiver", us)
	if len(sub) == 0 {
		return nil
	}
	return []queueTarget{{name: model.N(model.SpaceQueue, qs[0].name.Key+"/"+strings.TrimPrefix(sub[0].name.Key, "servicebus:"))}}
}

// natsPull is the durable consumer of js.PullSubscribe("orders.*", "worker", nats.BindStream("ORDERS")).
func (u *unit) natsPull(s *site) []queueTarget {
	us := &useSite{world: u.shared.world(), u: u, f: s.in, call: s.call}
	recv := us.Arg(-1)
	if recv.Name != "PullSubscribe" || recv.Site == nil {
		return nil
	}
	stream, durable := recv.Site.Option("BindStream", 0), recv.Site.Arg(1)
	if b := recv.Site.Option("Bind", 0); b.IsStr {
		stream, durable = b, recv.Site.Option("Bind", 1)
	}
	if !stream.IsStr || !durable.IsStr || durable.Str == "" {
		return nil
	}
	return []queueTarget{{name: model.N(model.SpaceQueue, "nats:"+stream.Str+"/"+durable.Str)}}
}

// queueTargets evaluates a term for the name of a queue: a text, a list of them, a setting.
func (u *unit) queueTargets(broker, term string, us *useSite) []queueTarget {
	v, e := us.ask(term)
	if len(v.List) > 0 {
		var out []queueTarget
		for _, x := range v.List {
			if x.IsStr && x.Str != "" && !strings.ContainsAny(x.Str, ">$*") { // ">" and "$" are positions in a stream
				out = append(out, queueTarget{name: model.N(model.SpaceQueue, broker+":"+queueText(broker, x.Str))})
			}
		}
		return out
	}
	if e != nil {
		in := u
		if o := u.shared.unitAt(e); o != nil {
			in = o
		}
		f := in.fnAt(e.Pos())
		if f == nil {
			f = us.f
		}
		if t, ok := in.queueExpr(broker, e, f, 0); ok {
			return []queueTarget{t}
		}
	}
	if !v.Ref.Name.IsZero() {
		t := queueTarget{ref: v.Ref, name: u.unsettled(broker, v.Ref.Name.Key)}
		t.ref.Field = model.FieldTarget
		if v.IsStr && v.Str != "" {
			t.name = model.N(model.SpaceQueue, broker+":"+queueText(broker, v.Str))
		}
		return []queueTarget{t}
	}
	if v.IsStr && v.Str != "" {
		return []queueTarget{{name: model.N(model.SpaceQueue, broker+":"+queueText(broker, v.Str))}}
	}
	return nil
}

// unsettled names a queue of which only the setting is known that names it. It is another one in each repository.
func (u *unit) unsettled(broker, setting string) model.Name {
	return model.N(model.SpaceQueue, broker+":$"+setting+"@"+u.repo)
}

// queueText cuts the queue's name out of a URL, an ARN or a resource name.
func queueText(broker, s string) string {
	cut := strings.Contains(s, "://") || strings.HasPrefix(s, "arn:")
	switch broker {
	case "pubsub":
		cut = cut || strings.HasPrefix(s, "projects/")
	case "sqs":
		cut = true
	}
	if i := strings.LastIndexAny(s, "/:"); cut && i >= 0 && i+1 < len(s) {
		return s[i+1:]
	}
	return s
}

// queueExpr follows an expression to the name of a queue.
func (u *unit) queueExpr(broker string, e ast.Expr, f *fn, depth int) (queueTarget, bool) {
	if broker == "sqs" {
		if t, ok := u.queueByName(e, f, depth); ok {
			return t, true
		}
	}
	ps := merged(u.parts(e, f, 0))
	if len(ps) == 0 {
		return queueTarget{}, false
	}
	last := ps[len(ps)-1]
	switch {
	case len(ps) == 1 && !last.ref.Name.IsZero():
		t := queueTarget{ref: last.ref, name: u.unsettled(broker, last.ref.Name.Key)}
		t.ref.Field = model.FieldTarget
		if last.deflt != "" {
			t.name = model.N(model.SpaceQueue, broker+":"+queueText(broker, last.deflt))
		}
		return t, true
	case len(ps) == 1 && !last.unknown && last.text != "":
		return queueTarget{name: model.N(model.SpaceQueue, broker+":"+queueText(broker, last.text))}, true
	case !last.unknown && last.ref.Name.IsZero() && strings.LastIndexAny(last.text, "/:") >= 0 && isWord(broker, "sqs", "sns", "pubsub"):
		// An address that is put together: account and region do not matter.
		if s := last.text[strings.LastIndexAny(last.text, "/:")+1:]; s != "" {
			return queueTarget{name: model.N(model.SpaceQueue, broker+":"+s)}, true
		}
	case !last.ref.Name.IsZero() && ps[len(ps)-2].ref.Name.IsZero() && strings.HasSuffix(ps[len(ps)-2].text, "/"):
		t := queueTarget{ref: last.ref, name: u.unsettled(broker, last.ref.Name.Key)}
		t.ref.Field = model.FieldTarget
		if last.deflt != "" {
			t.name = model.N(model.SpaceQueue, broker+":"+queueText(broker, last.deflt))
		}
		return t, true
	}
	return queueTarget{}, false
}

// queueByName follows the address of a queue to the call that asked for it by name: sqs.GetQueueUrl.
func (u *unit) queueByName(e ast.Expr, f *fn, depth int) (queueTarget, bool) {
	if depth > 6 {
		return queueTarget{}, false
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.StarExpr:
		return u.queueByName(x.X, f, depth+1)
	case *ast.UnaryExpr:
		return u.queueByName(x.X, f, depth+1)
	case *ast.CallExpr:
		if k := u.callee(x); len(x.Args) == 1 && (isPointerHelper(k) || isWord(k.sel, "ToString", "StringValue")) {
			return u.queueByName(x.Args[0], f, depth+1)
		}
	case *ast.SelectorExpr:
		if x.Sel.Name == "QueueUrl" {
			_, site := u.nameAndSite(x.X, f, nil, 0)
			if us, ok := site.(*useSite); ok && us.call != nil && strings.HasPrefix(us.u.callee(us.call).sel, "GetQueueUrl") {
				for _, term := range []string{"field QueueName of arg 1", "field QueueName of arg 0"} {
					if qs := us.u.queueTargets("sqs", term, us); len(qs) > 0 {
						return qs[0], true
					}
				}
			}
			return queueTarget{}, false
		}
		if o, ok := u.object(x.Sel).(*types.Var); ok && o.IsField() {
			for _, w := range u.shared.writesOfField(o) {
				if w.value != nil && w.in != nil {
					if t, ok := w.in.unit.queueByName(w.value, w.in, depth+1); ok {
						return t, true
					}
				}
			}
		}
	case *ast.Ident:
		if o, ok := u.object(x).(*types.Var); ok {
			for _, n := range u.setsOf(o) {
				if r := setExpr(n, o, u); r != nil {
					if t, ok := u.queueByName(r, f, depth+1); ok {
						return t, true
					}
				}
			}
		}
	}
	return queueTarget{}, false
}

// unitAt is the package that holds a node.
func (r *Repo) unitAt(n ast.Node) *unit {
	for _, u := range r.order {
		if d := u.declOf(n.Pos()); d != nil && n.Pos() >= d.start && n.End() <= d.end {
			return u
		}
	}
	return nil
}

// writesOfField lists the places where a field gets a value, in the package that declares it.
func (r *Repo) writesOfField(o *types.Var) []write {
	if u := r.units[o.Pkg()]; u != nil {
		return u.writesOf(o)
	}
	return nil
}
