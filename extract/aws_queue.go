package extract

import (
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// sqsQueue is what CloudFormation, Terraform, ACK and Crossplane say of one SQS queue: the same settings under other names.
type sqsQueue struct {
	name                  model.Name
	block                 *doc.Node // the map that holds the settings
	visibility, retention *doc.Node
	redrive               *doc.Node // a map or a JSON text
	fifo, contentDedupe   *doc.Node
	isDead                bool                         // another queue of the file names it as its dead-letter queue
	dead                  func(n *doc.Node) model.Name // resolves a reference to the dead-letter queue
	off                   string                       // the line that would bound the deliveries
}

const sqsDoc = `A message that was received and not deleted comes again when its visibility timeout ends (30s by default), up to
maxReceiveCount times in all; then it moves to the dead-letter queue, where it can be replayed until its retention ends (4 days by default; on
standard queues the clock is that of the first enqueue). Without a redrive policy it comes again until its retention ends: about 11520 times by default. A FIFO
queue drops a second send with the same deduplication id for 5 minutes, which cannot be changed. Source: catalogue, D4; dedupe windows, 1.2 and 2.`

// redrivePolicy reads a redrive policy, which may be a JSON text.
func redrivePolicy(n *doc.Node) (count, target *doc.Node) {
	if n.Kind() == doc.Scalar {
		f := n.ParseAs(doc.JSON, doc.Limits{MaxBytes: 1 << 16})
		if len(f.Docs) == 0 {
			return n.Get("maxReceiveCount"), n.Get("deadLetterTargetArn")
		}
		n = f.Docs[0].Root
	}
	return first(n, "maxReceiveCount", "max_receive_count"), first(n, "deadLetterTargetArn", "dead_letter_target_arn")
}

func (o *Out) sqs(q sqsQueue) {
	if q.name.IsZero() {
		return
	}
	at := o.KeyLoc(q.block)
	o.Node(model.Node{Name: q.name, Kind: model.NodeQueue, At: at, Label: "SQS queue " + shownName(q.name)})
	kept := model.For(4 * 24 * time.Hour)
	if q.retention.Exists() {
		kept = model.For(14 * 24 * time.Hour) // the longest that there is
		if d, ok := o.duration(q.retention, time.Second); ok {
			kept = model.For(d)
		}
	}
	if b, _ := q.fifo.Bool(); b {
		o.Boundary(model.Boundary{Kind: "aws.sqs_fifo", At: o.Loc(q.fifo), In: q.name, TTL: model.WindowFor(5 * time.Minute), Store: model.StoreBroker,
			Order: model.OrderPublish, Origin: model.OriginDefault, KeyName: "MessageDeduplicationId"})
	}
	if q.isDead {
		return // nothing is delivered from it until somebody replays it
	}
	l := model.Layer{Kind: model.KindQueue, In: q.name, Whole: true, Label: "SQS redelivery", Policy: model.Policy{On: model.OnNoAck, Gap: model.StartToStart}}
	if q.visibility.Exists() {
		l.Traits = append(l.Traits, model.Trait{Kind: model.TraitLease, At: o.Loc(q.visibility)})
		l.Policy.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: o.span(&l, q.visibility, model.FieldInitial, time.Second), Jitter: model.Jitter{Kind: model.JitterNone}}
	} else {
		l.Policy.Backoff = model.Constant(30 * time.Second)
	}
	count, target := redrivePolicy(q.redrive)
	switch {
	case q.redrive.Exists() && !count.Exists():
		l.At = o.Loc(q.redrive)
		if q.redrive.Kind() == doc.Map {
			o.countAbsent(&l, counting{absent: model.Exactly(10), by: "SQS: maxReceiveCount is 10 where it is not set", off: "maxReceiveCount: 1"})
		}
	case q.redrive.Exists():
		o.count(&l, count, q.redrive, counting{zero: refused, negative: refused})
	default:
		l.At = at
		if !q.block.Partial() {
			o.countAbsent(&l, counting{absent: model.Unbounded(), by: "SQS: without a redrive policy a message comes again until its retention ends", off: q.off})
			l.Policy.Overall = kept
		}
	}
	if o.Layer(l); !target.Exists() {
		return
	}
	dl := model.DeadLetter{Of: q.name, At: o.Loc(target), Retention: kept, Origin: model.OriginExplicit, FromFirst: true}
	if q.dead != nil {
		if d := q.dead(target); !d.IsZero() {
			dl.Name = shownName(d)
		}
	}
	o.DeadLetter(dl)
}

// lambdaAsync is what the configuration says of the asynchronous invocations of one function.
type lambdaAsync struct {
	function model.Name
	block    *doc.Node
	retries  *doc.Node
	age      *doc.Node
	dead     *doc.Node // its destination for failures, or its dead-letter queue
}

const lambdaDoc = `An asynchronous invocation (from SNS, S3, EventBridge, a schedule) that fails runs again: MaximumRetryAttempts counts retries, 2 by
default, so 3 runs, about 1 and 2 minutes apart. Of a stream MaximumRetryAttempts is -1 by default: again until the record expires. From an SQS queue the
queue's own redrive policy counts. The callee is the function. Source: catalogue, D2, D3 and D5.`

// lambdaEvents is the node for the asynchronous invocations of a function.
func lambdaEvents(function model.Name) model.Name {
	return model.N(function.Space, function.Key+"#events")
}

// instances says how many of a function run at once: as many as there are events, unless its concurrency is reserved.
func (o *Out) instances(s *model.Service, reserved *doc.Node) {
	s.Replicas, s.ReplicasAt = model.Unbounded(), s.At
	if !reserved.Exists() {
		return
	}
	s.ReplicasAt, s.Replicas = o.Loc(reserved), model.Count{}
	if n, ok := reserved.Int(); ok && n > 0 {
		s.Replicas = model.Exactly(n)
	}
}

func (o *Out) lambdaAsync(a lambdaAsync) {
	if a.function.IsZero() {
		return
	}
	self := lambdaEvents(a.function)
	l := model.Layer{Kind: model.KindQueue, In: self, Whole: true, Label: "Lambda asynchronous invocation", Policy: model.Policy{On: model.OnError | model.OnTimeout,
		Backoff: model.Backoff{Kind: model.BackoffList, List: []time.Duration{time.Minute, 2 * time.Minute}}}}
	o.count(&l, a.retries, a.block, counting{offset: 1, absent: model.Exactly(3), by: "AWS Lambda: MaximumRetryAttempts is 2 where it is not set",
		off: "MaximumRetryAttempts: 0", negative: refused})
	l.Policy.Overall = limitOr(o.span(&l, a.age, model.FieldOverall, time.Second), a.age, model.For(6*time.Hour))
	o.Node(model.Node{Name: self, Kind: model.NodeQueue, At: l.At, Label: "events of " + shownName(a.function)})
	o.Edge(model.Edge{From: self, To: a.function, Kind: model.EdgeDeliver, At: l.At})
	o.Layer(l)
	if a.dead.Exists() {
		o.DeadLetter(model.DeadLetter{Of: a.function, Name: lastPart(plain(a.dead)), At: o.Loc(a.dead), Origin: model.OriginExplicit})
	}
}

// lambdaMapping is an event source mapping.
type lambdaMapping struct {
	source, function    model.Name
	block, retries, age *doc.Node
	dead                *doc.Node
	timeout             model.Limit // of the function
}

func (o *Out) lambdaMapping(m lambdaMapping) {
	if m.source.IsZero() || m.function.IsZero() {
		return
	}
	at := o.KeyLoc(m.block)
	if broker, _, _ := cutName(m.source); broker == "sqs" {
		for _, n := range []*doc.Node{m.retries, m.age} {
			if n.Exists() && n.Kind() != doc.Null {
				o.ineffective(n, m.source, keyName(n)+" is for streams: a message of a queue comes again until its redrive policy ends it")
				break
			}
		}
		o.Edge(model.Edge{From: m.source, To: m.function, Kind: model.EdgeDeliver, At: at, Timeout: m.timeout})
		return
	}
	self := model.N(model.SpaceQueue, m.source.Key+"/"+shownName(m.function))
	l := model.Layer{Kind: model.KindQueue, In: self, Whole: true, Label: "Lambda event source mapping", Policy: model.Policy{On: model.OnError | model.OnTimeout, Backoff: model.Backoff{}}}
	o.count(&l, m.retries, m.block, counting{offset: 1, absent: model.Unbounded(), by: "AWS Lambda: MaximumRetryAttempts of a stream is -1, until the record expires, where it is not set",
		off: "MaximumRetryAttempts: 0", negative: endless})
	switch d, ok := m.age.Int(); {
	case ok && d > 0:
		l.Policy.Overall = model.For(time.Duration(d) * time.Second)
	case !m.age.Exists() || ok:
		if broker, _, _ := cutName(m.source); broker == "dynamodb" || broker == "kinesis" {
			l.Policy.Overall = model.For(24 * time.Hour) // records expire: after a day unless a Kinesis stream keeps them longer
		}
	}
	o.Node(model.Node{Name: self, Kind: model.NodeQueue, At: l.At, Label: "mapping of " + shownName(m.source)})
	o.Edge(model.Edge{From: m.source, To: self, Kind: model.EdgeDeliver, At: at})
	o.Edge(model.Edge{From: self, To: m.function, Kind: model.EdgeDeliver, At: at, Timeout: m.timeout})
	o.Layer(l)
	if m.dead.Exists() {
		o.DeadLetter(model.DeadLetter{Of: m.function, Name: lastPart(plain(m.dead)), At: o.Loc(m.dead), Origin: model.OriginExplicit})
	}
}

// cutName cuts a queue's name into broker and name.
func cutName(n model.Name) (broker, name string, ok bool) {
	for i := range len(n.Key) {
		if n.Key[i] == ':' {
			return n.Key[:i], n.Key[i+1:], true
		}
	}
	return "", "", false
}

// eventTarget is a target of an EventBridge rule or schedule, or a delivery of SNS.
type eventTarget struct {
	from           model.Name
	to             model.Name
	block          *doc.Node
	policy         *doc.Node // RetryPolicy
	retries, age   *doc.Node
	dead           *doc.Node
	label, service string
	schedule       bool
}

func (o *Out) eventTarget(t eventTarget) {
	if t.from.IsZero() {
		return
	}
	l := model.Layer{Kind: model.KindQueue, In: t.from, Whole: true, Label: t.label, Policy: model.Policy{On: model.OnConnect | model.OnReset | model.OnTimeout | model.On5xx | model.On429,
		Backoff: model.Backoff{Kind: model.BackoffUnknown, Jitter: model.Jitter{Kind: model.JitterSome}}}}
	if t.schedule {
		l.Kind = model.KindScheduler
	}
	o.count(&l, t.retries, exists(t.policy, t.block), counting{offset: 1, absent: model.Retries(185), by: t.service + ": MaximumRetryAttempts is 185, for up to 24 hours, where it is not set",
		off: "MaximumRetryAttempts: 0", negative: refused})
	l.Policy.Overall = limitOr(o.span(&l, t.age, model.FieldOverall, time.Second), t.age, model.For(24*time.Hour))
	kind := model.NodeQueue
	if t.schedule {
		kind = model.NodeSchedule
	}
	o.Node(model.Node{Name: t.from, Kind: kind, At: l.At, Label: t.label, Entry: t.schedule})
	if broker, _, ok := cutName(t.to); ok && broker == "lambda" {
		// The invocation is asynchronous: delivery is a success before the function runs.
		o.Edge(model.Edge{From: t.from, To: lambdaEvents(t.to), Kind: model.EdgePublish, At: l.At})
	} else if !t.to.IsZero() {
		o.Edge(model.Edge{From: t.from, To: t.to, Kind: model.EdgePublish, At: l.At})
	}
	o.Layer(l)
	if t.dead.Exists() {
		o.DeadLetter(model.DeadLetter{Of: t.from, Name: lastPart(plain(t.dead)), At: o.Loc(t.dead), Origin: model.OriginExplicit})
	}
}

// batchJob reads the retry strategy of an AWS Batch job definition.
func (o *Out) batchJob(name string, strategy, attempts, timeout *doc.Node) {
	if !strategy.Exists() {
		return
	}
	self := model.N(model.SpaceWorkload, "batch/"+o.Repo+"/"+name)
	l := model.Layer{Kind: model.KindJob, In: self, Whole: true, Label: "AWS Batch attempts", Policy: model.Policy{On: model.OnExit}}
	o.count(&l, attempts, strategy, counting{absent: model.Exactly(1), by: "AWS Batch", zero: refused, negative: refused})
	l.Policy.PerAttempt = o.span(&l, timeout, model.FieldPerAttempt, time.Second)
	o.Node(model.Node{Name: self, Kind: model.NodeBatch, At: l.At, Label: "Batch job " + name, Entry: true})
	o.Layer(l)
}
