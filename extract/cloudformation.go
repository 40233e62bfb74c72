package extract

import (
	"path"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "cloudformation",
	Title: "AWS CloudFormation and SAM",
	Files: []string{"*.yaml", "*.yml", "*.json", "*.template"},
	Match: func(_ string, d *doc.Document) bool {
		for _, e := range d.Root.Get("Resources").Entries() {
			if t := e.Value.Get("Type"); t.Kind() == doc.Scalar && strings.HasPrefix(t.Str(), "AWS::") {
				return true
			}
		}
		return false
	},
	Read: func(d *doc.Document, out *Out) { readCloudFormation(d.Root, out) },
	Keys: []Key{
		{"AWS::SQS::Queue RedrivePolicy.maxReceiveCount", "attempts", "no policy: until the retention ends", "refused", "refused"},
		{"AWS::SQS::Queue VisibilityTimeout", "time until a message comes again, seconds", "30, SQS", "at once", ""},
		{"AWS::SQS::Queue MessageRetentionPeriod", "how long a message stays, seconds", "345600, SQS", "", ""},
		{"AWS::SQS::Queue FifoQueue", "sends are deduplicated for 5 minutes", "false", "", ""},
		{"AWS::Lambda::EventInvokeConfig MaximumRetryAttempts", "retries", "2, AWS Lambda", "1 attempt", "refused"},
		{"AWS::Lambda::EventSourceMapping MaximumRetryAttempts", "retries of a stream's record", "-1: until it expires", "1 attempt", "no end"},
		{"AWS::Events::Rule Targets[].RetryPolicy.MaximumRetryAttempts", "retries of the delivery", "185 for 24 h, EventBridge", "1 attempt", "refused"},
		{"AWS::Scheduler::Schedule Target.RetryPolicy.MaximumRetryAttempts", "retries of the delivery", "185 for 24 h", "1 attempt", "refused"},
		{"AWS::Batch::JobDefinition RetryStrategy.Attempts", "attempts", "1, AWS Batch", "refused", "refused"},
	},
	Doc: sqsDoc + "\n" + lambdaDoc + " EventBridge repeats a failed delivery 185 times in 24 hours by default; a Lambda function as its target is invoked " +
		"asynchronously, so a failing function does not repeat the delivery. !Ref, !GetAtt and !Sub of a resource in the same template are resolved; SAM's Globals are read first.",
	Example: `
-- template.yaml --
Transform: AWS::Serverless-2016-10-31
Globals:
  Function:
    Timeout: 20
Resources:
  Orders:
    Type: AWS::SQS::Queue
    Properties:
      QueueName: orders
      VisibilityTimeout: 60
      RedrivePolicy:
        deadLetterTargetArn: !GetAtt OrdersDead.Arn # want deadletter "OrdersDead queue:sqs:orders"
        maxReceiveCount: 5 # want layer "attempts=5 initial=1m kind=queue"
  OrdersDead:
    Type: AWS::SQS::Queue
  Loose:
    Type: AWS::SQS::Queue
    Properties: # want layer "attempts=11521 origin=default initial=30s"
      FifoQueue: true # want boundary "ttl=5m kind=aws.sqs_fifo"
  Ship:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: cmd/ship/
      ReservedConcurrentExecutions: 1 # want service "Ship replicas=1"
      Events:
        Orders:
          Type: SQS
          Properties: # want edge "queue:sqs:orders queue:lambda:Ship@template.yaml timeout=20s"
            Queue: !GetAtt Orders.Arn
        Topic:
          Type: SNS
          Properties: {Topic: !Ref News}
  Mail:
    Type: AWS::Serverless::Function
    Properties: # want service "Mail replicas=unbounded"
      EventInvokeConfig:
        MaximumRetryAttempts: 0 # want layer "attempts=1"
  Ticks:
    Type: AWS::Events::Rule
    Properties:
      ScheduleExpression: rate(1 hour)
      Targets:
        - Id: mail
          Arn: !GetAtt Mail.Arn
          RetryPolicy: {MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 600} # want layer "attempts=3 overall=10m"
  News: # want layer "attempts=3 origin=default overall=6h"
    Type: AWS::SNS::Topic
`,
})

// cfn is one template.
type cfn struct {
	out       *Out
	resources *doc.Node
	globals   *doc.Node // of functions
	names     map[string]model.Name
	dead      map[string]bool         // logical ids of dead-letter queues
	async     map[string]*lambdaAsync // asynchronous callers of functions
	order     []string
}

func readCloudFormation(root *doc.Node, out *Out) {
	c := &cfn{out: out, resources: root.Get("Resources"), globals: root.Path("Globals.Function"), names: map[string]model.Name{}, dead: map[string]bool{}, async: map[string]*lambdaAsync{}}
	for _, e := range c.resources.Entries() {
		p := e.Value.Get("Properties")
		switch e.Value.Get("Type").Str() {
		case "AWS::SQS::Queue":
			c.name(e.Key, "sqs", p.Get("QueueName"))
		case "AWS::SNS::Topic":
			c.name(e.Key, "sns", p.Get("TopicName"))
		case "AWS::Lambda::Function", "AWS::Serverless::Function":
			c.name(e.Key, "lambda", p.Get("FunctionName"))
		case "AWS::Kinesis::Stream":
			c.name(e.Key, "kinesis", p.Get("Name"))
		case "AWS::DynamoDB::Table", "AWS::Serverless::SimpleTable":
			c.name(e.Key, "dynamodb", p.Get("TableName"))
		case "AWS::Events::EventBus":
			c.name(e.Key, "eventbridge", p.Get("Name"))
		case "AWS::StepFunctions::StateMachine", "AWS::Serverless::StateMachine":
			c.name(e.Key, "states", p.Get("StateMachineName"))
		}
	}
	for _, e := range c.resources.Entries() {
		_, target := redrivePolicy(e.Value.Path("Properties.RedrivePolicy"))
		if id := c.id(target); id != "" {
			c.dead[id] = true
		}
		for _, key := range []string{"DeadLetterConfig.TargetArn", "DeadLetterQueue.TargetArn"} {
			if id := c.id(e.Value.Get("Properties").Path(key)); id != "" {
				c.dead[id] = true
			}
		}
	}
	for _, e := range c.resources.Entries() {
		c.resource(e.Key, e.Value)
	}
	for _, id := range c.order {
		out.lambdaAsync(*c.async[id])
	}
}

func (c *cfn) name(id, broker string, n *doc.Node) {
	if n.Kind() == doc.Scalar && n.Str() != "" {
		c.names[id] = queue(broker, n.Str())
		return
	}
	c.names[id] = queue(broker, localName(id, c.out.Path))
}

// localName is the name of something that is named only within its template: other templates use the same ids for other things.
func localName(id, file string) string { return id + "@" + strings.ReplaceAll(file, "/", ".") }

// shownName is the name of a queue or function without its broker and without the template that it is local to.
func shownName(n model.Name) string {
	_, name, _ := cutName(n)
	name, _, _ = strings.Cut(name, "@")
	return name
}

// id is the logical id that a reference names: !Ref X, !GetAtt X.Arn, {"Ref": "X"}, {"Fn::GetAtt": ["X", "Arn"]}, !Sub "${X.Arn}".
func (c *cfn) id(n *doc.Node) string {
	text := ""
	switch n.Kind() {
	case doc.Unknown, doc.Scalar:
		text = strings.Trim(strings.TrimSpace(n.Str()), "\"'")
	case doc.Map:
		switch {
		case n.Get("Ref").Exists():
			text = n.Get("Ref").Str()
		case n.Get("Fn::GetAtt").Kind() == doc.List:
			text = n.Get("Fn::GetAtt").At(0).Str()
		case n.Get("Fn::GetAtt").Exists():
			text = n.Get("Fn::GetAtt").Str()
		case n.Get("Fn::Sub").Exists():
			text = n.Get("Fn::Sub").Str()
		}
	case doc.List: // !GetAtt [X, Arn]
		text = n.At(0).Str()
	}
	for _, tag := range []string{"!Ref ", "!GetAtt ", "!Sub "} {
		text = strings.TrimSpace(strings.TrimPrefix(text, tag))
	}
	text = strings.Trim(text, "\"'[] ")
	if strings.HasPrefix(text, "${") {
		text = strings.TrimSuffix(strings.TrimPrefix(text, "${"), "}")
	}
	text, _, _ = strings.Cut(text, ".")
	text, _, _ = strings.Cut(text, ",")
	if c.resources.Get(text).Exists() {
		return text
	}
	return ""
}

// resolve is the queue, topic or function that a reference or an ARN means.
func (c *cfn) resolve(n *doc.Node) model.Name {
	if id := c.id(n); id != "" {
		return c.names[id]
	}
	if n.Kind() == doc.Scalar {
		return arnQueue(n.Str())
	}
	return model.Name{}
}

func (c *cfn) resource(id string, r *doc.Node) {
	p, out := r.Get("Properties"), c.out
	block := exists(p, r)
	switch r.Get("Type").Str() {
	case "AWS::SQS::Queue":
		out.sqs(sqsQueue{name: c.names[id], block: block, visibility: p.Get("VisibilityTimeout"), retention: p.Get("MessageRetentionPeriod"), redrive: p.Get("RedrivePolicy"),
			fifo: p.Get("FifoQueue"), contentDedupe: p.Get("ContentBasedDeduplication"), isDead: c.dead[id], dead: c.resolve, off: "RedrivePolicy: {maxReceiveCount: 5, deadLetterTargetArn: ...}"})
	case "AWS::SNS::Topic":
		if b, _ := p.Get("FifoTopic").Bool(); b {
			out.Boundary(model.Boundary{Kind: "aws.sns_fifo", At: out.Loc(p.Get("FifoTopic")), In: c.names[id], TTL: model.WindowFor(5 * time.Minute), Store: model.StoreBroker,
				Order: model.OrderPublish, Origin: model.OriginDefault, KeyName: "MessageDeduplicationId"})
		}
		for _, s := range p.Get("Subscription").Items() {
			c.subscribe(c.names[id], s.Get("Endpoint"), s)
		}
	case "AWS::SNS::Subscription":
		c.subscribe(c.resolve(p.Get("TopicArn")), p.Get("Endpoint"), p)
	case "AWS::Lambda::Function", "AWS::Serverless::Function":
		c.function(id, p)
	case "AWS::Lambda::EventInvokeConfig":
		if f := c.id(p.Get("FunctionName")); f != "" {
			c.invoked(f, block)
			c.asyncConfig(f, p)
		} else if name := p.Get("FunctionName"); name.Kind() == doc.Scalar {
			out.lambdaAsync(lambdaAsync{function: queue("lambda", lastPart(name.Str())), block: block, retries: p.Get("MaximumRetryAttempts"), age: p.Get("MaximumEventAgeInSeconds"), dead: p.Path("DestinationConfig.OnFailure.Destination")})
		}
	case "AWS::Lambda::EventSourceMapping":
		f := c.resolve(p.Get("FunctionName"))
		if f.IsZero() && p.Get("FunctionName").Kind() == doc.Scalar {
			f = queue("lambda", lastPart(p.Get("FunctionName").Str()))
		}
		c.mapping(c.resolve(p.Get("EventSourceArn")), f, c.id(p.Get("FunctionName")), p)
	case "AWS::Events::Rule":
		for _, t := range p.Get("Targets").Items() {
			c.target(id, t, t.Get("Arn"), "EventBridge rule", "EventBridge", p.Get("ScheduleExpression").Exists())
		}
	case "AWS::Scheduler::Schedule":
		c.target(id, p.Get("Target"), p.Path("Target.Arn"), "EventBridge schedule", "EventBridge Scheduler", true)
	case "AWS::Batch::JobDefinition":
		out.batchJob(id, p.Get("RetryStrategy"), p.Path("RetryStrategy.Attempts"), p.Path("Timeout.AttemptDurationSeconds"))
	case "AWS::StepFunctions::StateMachine", "AWS::Serverless::StateMachine":
		c.machine(id, p)
	}
}

func (c *cfn) machine(id string, p *doc.Node) {
	for _, key := range []string{"Definition", "DefinitionBody", "DefinitionString"} {
		n := p.Get(key)
		if n.Get("Fn::Sub").Exists() {
			n = n.Get("Fn::Sub")
		}
		if n.Kind() == doc.List {
			n = n.At(0)
		}
		if n.Get("States").Exists() {
			readASL(n, c.names[id], c.resolve, c.out)
		} else if n.Kind() == doc.Scalar || n.Kind() == doc.Unknown && strings.Contains(n.Str(), "States") {
			f := n.ParseAs(doc.JSON, doc.Limits{MaxBytes: 1 << 20})
			if len(f.Docs) > 0 && f.Docs[0].Root.Get("States").Exists() {
				readASL(f.Docs[0].Root, c.names[id], c.resolve, c.out)
			}
		}
	}
}

func (c *cfn) function(id string, p *doc.Node) {
	out, name := c.out, c.names[id]
	block := exists(p, c.resources.Get(id))
	kind := model.NodeConsumer
	if answersCalls(p.Get("Events")) {
		kind = model.NodeHandler
	}
	out.Node(model.Node{Name: name, Kind: kind, At: out.KeyLoc(block), Label: "Lambda function " + id})
	s := model.Service{Name: id, Kind: "function", At: out.KeyLoc(block), Node: name, Names: []model.Name{name}}
	for _, key := range []string{"ImageUri", "CodeUri"} {
		if u := exists(p.Get(key), p.Path("Code.ImageUri")); u.Kind() == doc.Scalar {
			if base := path.Base(strings.TrimRight(u.Str(), "/")); base != "." && base != "/" {
				addName(&s, model.Image(base))
			}
		}
	}
	out.instances(&s, p.Get("ReservedConcurrentExecutions"))
	out.Service(s)
	for _, vars := range []*doc.Node{c.globals.Path("Environment.Variables"), p.Path("Environment.Variables")} {
		for _, e := range vars.Entries() {
			v := e.Value.Str()
			if q := c.resolve(e.Value); !q.IsZero() {
				_, v, _ = cutName(q)
			} else if e.Value.Kind() != doc.Scalar {
				continue
			}
			out.Setting(model.Setting{Name: model.N(model.SpaceEnv, e.Key), Value: v, At: out.Loc(e.Value), For: name})
		}
	}
	if cfg := exists(p.Get("EventInvokeConfig"), c.globals.Get("EventInvokeConfig")); cfg.Exists() {
		c.invoked(id, cfg)
		c.asyncConfig(id, cfg)
	}
	if dead := exists(p.Path("DeadLetterConfig.TargetArn"), p.Path("DeadLetterQueue.TargetArn")); dead.Exists() {
		c.invoked(id, block)
		c.async[id].dead = dead
	}
	for _, e := range p.Get("Events").Entries() {
		ep := e.Value.Get("Properties")
		switch e.Value.Get("Type").Str() {
		case "SQS":
			c.mapping(c.resolve(ep.Get("Queue")), name, id, ep)
		case "Kinesis", "DynamoDB", "MSK", "SelfManagedKafka", "DocumentDB", "MQ":
			src := c.resolve(ep.Get("Stream"))
			if topic := ep.Get("Topics").At(0); topic.Kind() == doc.Scalar {
				src = queue("kafka", topic.Str())
			}
			c.mapping(src, name, id, ep)
		case "SNS":
			c.invoked(id, c.resources.Get(c.id(ep.Get("Topic"))).Or(ep))
			if t := c.resolve(ep.Get("Topic")); !t.IsZero() {
				out.Edge(model.Edge{From: t, To: lambdaEvents(name), Kind: model.EdgePublish, At: out.KeyLoc(ep)})
			}
		case "S3", "CloudWatchLogs", "IoTRule", "Cognito":
			c.invoked(id, ep)
		case "EventBridgeRule", "CloudWatchEvent", "Schedule", "ScheduleV2":
			c.invoked(id, block)
			if rp := ep.Get("RetryPolicy"); rp.Exists() {
				sched := strings.HasPrefix(e.Value.Get("Type").Str(), "Schedule")
				out.eventTarget(eventTarget{from: c.ruleName(id+"."+e.Key, sched), to: name, block: ep, policy: rp, retries: rp.Get("MaximumRetryAttempts"), age: rp.Get("MaximumEventAgeInSeconds"),
					dead: ep.Path("DeadLetterConfig.Arn"), label: "EventBridge delivery", service: "EventBridge", schedule: sched})
			}
		}
	}
}

// answersCalls reports whether a function is only called by clients that wait for its answer, so that nobody runs it again
// for them.
func answersCalls(events *doc.Node) bool {
	if len(events.Entries()) == 0 {
		return false
	}
	for _, e := range events.Entries() {
		switch e.Value.Get("Type").Str() {
		case "Api", "HttpApi":
		default:
			return false
		}
	}
	return true
}

func (c *cfn) ruleName(id string, schedule bool) model.Name {
	if schedule {
		return model.N(model.SpaceWorkload, "schedule/"+c.out.Repo+"/"+c.out.Path+"/"+id)
	}
	return queue("eventbridge", "rule/"+id)
}

// invoked notes that a function is invoked asynchronously, by what stands at block.
func (c *cfn) invoked(id string, block *doc.Node) {
	if c.async[id] == nil {
		p := c.resources.Get(id).Get("Properties")
		c.async[id] = &lambdaAsync{function: c.names[id], block: block, retries: p.Path("EventInvokeConfig.MaximumRetryAttempts"), age: p.Path("EventInvokeConfig.MaximumEventAgeInSeconds")}
		c.order = append(c.order, id)
	}
}

func (c *cfn) asyncConfig(id string, cfg *doc.Node) {
	a := c.async[id]
	a.block, a.retries, a.age = cfg, cfg.Get("MaximumRetryAttempts"), cfg.Get("MaximumEventAgeInSeconds")
	if d := cfg.Path("DestinationConfig.OnFailure.Destination"); d.Exists() {
		a.dead = d
	}
}

func (c *cfn) subscribe(topic model.Name, endpoint, s *doc.Node) {
	if topic.IsZero() {
		return
	}
	to := c.resolve(endpoint)
	if broker, _, _ := cutName(to); broker == "lambda" {
		if id := c.id(endpoint); id != "" {
			c.invoked(id, s)
		}
		to = lambdaEvents(to)
	}
	if to.IsZero() && endpoint.Kind() == doc.Scalar && strings.HasPrefix(endpoint.Str(), "http") {
		snsDelivery(topic, endpoint, s.Get("DeliveryPolicy"), s, c.out)
		return
	}
	if !to.IsZero() {
		c.out.Edge(model.Edge{From: topic, To: to, Kind: model.EdgePublish, At: c.out.KeyLoc(s)})
	}
}

// snsDelivery is a subscription of an HTTP endpoint: three retries 20 seconds apart unless a delivery policy says otherwise.
func snsDelivery(topic model.Name, endpoint, policy, s *doc.Node, out *Out) {
	h := model.Host(endpoint.Str(), "")
	if h.IsZero() {
		return
	}
	if policy.Kind() == doc.Scalar {
		if f := policy.ParseAs(doc.JSON, doc.Limits{MaxBytes: 1 << 16}); len(f.Docs) > 0 {
			policy = f.Docs[0].Root
		}
	}
	healthy := policy.Get("healthyRetryPolicy")
	self := model.N(model.SpaceQueue, topic.Key+"/"+h.Key)
	l := model.Layer{Kind: model.KindQueue, In: self, Label: "SNS delivery", Policy: model.Policy{On: model.OnConnect | model.OnReset | model.OnTimeout | model.On5xx | model.On429}}
	out.count(&l, healthy.Get("numRetries"), exists(healthy, s), counting{offset: 1, absent: model.Exactly(4), by: "SNS: 3 retries where no delivery policy is set", off: "numRetries: 0", negative: refused})
	l.LowConfidence = l.Origin == model.OriginDefault
	min := limitOr(out.span(&l, healthy.Get("minDelayTarget"), model.FieldInitial, time.Second), healthy.Get("minDelayTarget"), model.For(20*time.Second))
	max := limitOr(out.span(&l, healthy.Get("maxDelayTarget"), model.FieldMax, time.Second), healthy.Get("maxDelayTarget"), model.For(20*time.Second))
	l.Policy.Backoff = model.Backoff{Kind: model.BackoffLinear, Initial: min, Step: model.For(time.Second), Max: max, Jitter: model.Jitter{Kind: model.JitterSome}}
	out.Edge(model.Edge{From: topic, To: self, Kind: model.EdgePublish, At: out.KeyLoc(s)})
	id := out.Layer(l).ID
	out.Edge(model.Edge{From: self, To: h, Kind: model.EdgeRequest, Method: "POST", Path: pathOf(endpoint.Str()), At: out.Loc(endpoint), Under: []string{id}})
}

func (c *cfn) mapping(source, function model.Name, id string, p *doc.Node) {
	m := lambdaMapping{source: source, function: function, block: p, retries: p.Get("MaximumRetryAttempts"), age: p.Get("MaximumRecordAgeInSeconds"), dead: p.Path("DestinationConfig.OnFailure.Destination")}
	t := exists(c.resources.Get(id).Path("Properties.Timeout"), c.globals.Get("Timeout"))
	if d, ok := t.Int(); ok && d > 0 {
		m.timeout = model.For(time.Duration(d) * time.Second)
	} else if id != "" && !t.Exists() {
		m.timeout = model.For(3 * time.Second) // AWS Lambda's default
	}
	c.out.lambdaMapping(m)
}

func (c *cfn) target(id string, t, arn *doc.Node, label, service string, schedule bool) {
	rp := t.Get("RetryPolicy")
	to := c.resolve(arn)
	if f := c.id(arn); f != "" {
		if broker, _, _ := cutName(to); broker == "lambda" {
			c.invoked(f, c.resources.Get(f).Get("Properties").Or(t))
		}
	}
	if !rp.Exists() && to.IsZero() {
		return // a target of which nothing is known
	}
	if !rp.Exists() {
		if broker, _, _ := cutName(to); broker == "lambda" {
			// Delivery of an event to a function hardly fails: only the function's own runs count.
			c.out.Edge(model.Edge{From: c.ruleName(id, schedule), To: lambdaEvents(to), Kind: model.EdgePublish, At: c.out.KeyLoc(t)})
			return
		}
	}
	c.out.eventTarget(eventTarget{from: c.ruleName(id+plain(t.Get("Id")), schedule), to: to, block: t, policy: rp, retries: rp.Get("MaximumRetryAttempts"), age: rp.Get("MaximumEventAgeInSeconds"),
		dead: t.Path("DeadLetterConfig.Arn"), label: label, service: service, schedule: schedule})
}
