package extract

import (
	"slices"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "aws-kubernetes-objects",
	Title: "AWS queues and functions as Kubernetes objects (ACK, Crossplane)",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(_ string, d *doc.Document) bool {
		g, _, _ := strings.Cut(d.Root.Get("apiVersion").Str(), "/")
		k := d.Root.Get("kind").Str()
		switch k {
		case "Queue", "EventSourceMapping", "FunctionEventInvokeConfig", "QueueRedrivePolicy":
		default:
			return false
		}
		return strings.HasPrefix(g, "sqs.") || strings.HasPrefix(g, "lambda.")
	},
	Read: func(d *doc.Document, out *Out) {
		s := d.Root.Get("spec")
		if p := s.Get("forProvider"); p.Exists() {
			s = p
		}
		switch d.Root.Get("kind").Str() {
		case "Queue":
			name := plain(exists(s.Get("queueName"), s.Get("name")))
			if name == "" {
				name = objectName(d.Root)
			}
			redrive := s.Get("redrivePolicy")
			isDead := strings.HasSuffix(name, "-dlq") || strings.HasSuffix(name, "-dead") || strings.Contains(name, "dead-letter")
			out.sqs(sqsQueue{name: queue("sqs", name), block: s, visibility: first(s, "visibilityTimeout", "visibilityTimeoutSeconds"), retention: first(s, "messageRetentionPeriod", "messageRetentionSeconds"),
				redrive: redrive, fifo: s.Get("fifoQueue"), isDead: isDead && !redrive.Exists(), dead: arnQueueOf, off: "a redrivePolicy with maxReceiveCount"})
		case "EventSourceMapping":
			f := queue("lambda", lastPart(plain(exists(s.Get("functionName"), s.Path("functionRef.from.name"), s.Path("functionNameRef.name")))))
			out.lambdaMapping(lambdaMapping{source: arnQueue(plain(s.Get("eventSourceARN").Or(s.Get("eventSourceArn")))), function: f, block: s, retries: s.Get("maximumRetryAttempts"), age: exists(s.Get("maximumRecordAgeInSeconds"))})
		case "FunctionEventInvokeConfig":
			f := queue("lambda", lastPart(plain(exists(s.Get("functionName"), s.Path("functionNameRef.name")))))
			out.lambdaAsync(lambdaAsync{function: f, block: s, retries: s.Get("maximumRetryAttempts"), age: s.Get("maximumEventAgeInSeconds")})
		}
	},
	Keys: []Key{
		{"Queue redrivePolicy.maxReceiveCount", "attempts", "no policy: until the retention ends", "refused", "refused"},
		{"Queue visibilityTimeout, visibilityTimeoutSeconds", "time until a message comes again, seconds", "30, SQS", "at once", ""},
		{"Queue messageRetentionPeriod, messageRetentionSeconds", "how long a message stays, seconds", "345600, SQS", "", ""},
		{"EventSourceMapping maximumRetryAttempts", "retries of a stream's record", "-1: until it expires", "1 attempt", "no end"},
	},
	Doc: sqsDoc + " " + lambdaDoc,
	Example: `
-- ack.yaml --
apiVersion: sqs.services.k8s.aws/v1alpha1
kind: Queue
metadata: {name: orders}
spec:
  queueName: orders
  visibilityTimeout: "45"
  redrivePolicy: '{"deadLetterTargetArn":"arn:aws:sqs:eu-west-1:1:orders-dead","maxReceiveCount":3}' # want layer "attempts=3 initial=45s" deadletter "orders-dead retention=96h"
-- crossplane.yaml --
apiVersion: sqs.aws.upbound.io/v1beta1
kind: Queue
metadata: {name: bills}
spec:
  forProvider: # want layer "count=unbounded initial=30s overall=24h origin=default"
    region: eu-west-1
    messageRetentionSeconds: 86400
`,
})

var _ = add(Format{
	Name:  "serverless-framework",
	Title: "Serverless Framework",
	Files: []string{"serverless*.yml", "serverless*.yaml", "serverless*.json"},
	Match: func(_ string, d *doc.Document) bool {
		return d.Root.Get("provider").Exists() && (d.Root.Get("functions").Exists() || d.Root.Get("resources").Exists() || d.Root.Get("stepFunctions").Exists())
	},
	Read: readServerless,
	Keys: []Key{
		{"functions.*.maximumRetryAttempts", "retries of asynchronous invocations", "2, AWS Lambda", "1 attempt", "refused"},
		{"functions.*.events[].stream.maximumRetryAttempts", "retries of a stream's record", "-1: until it expires", "1 attempt", "no end"},
		{"functions.*.events[].eventBridge.retryPolicy.maximumRetryAttempts", "retries of the delivery", "185 for 24 h", "1 attempt", "refused"},
	},
	Doc: lambdaDoc + " Queues and topics of resources.Resources are read as in CloudFormation; stepFunctions.stateMachines as in Step Functions. Source: catalogue, D7.",
	Example: `
-- serverless.yml --
service: shop
provider: {name: aws, runtime: provided.al2023, timeout: 10}
functions:
  ship:
    handler: bootstrap
    events:
      - sqs: arn:aws:sqs:eu-west-1:1:orders # want edge "queue:sqs:orders queue:lambda:ship timeout=10s"
  mail:
    handler: bootstrap
    maximumRetryAttempts: 1 # want layer "attempts=2"
    events:
      - sns: news # want edge "queue:sns:news"
  audit:
    handler: bootstrap
    events:
      - stream:
          arn: arn:aws:kinesis:eu-west-1:1:stream/audit
          maximumRetryAttempts: 5 # want layer "attempts=6"
resources:
  Resources:
    Orders:
      Type: AWS::SQS::Queue
      Properties:
        QueueName: orders
        RedrivePolicy: {maxReceiveCount: 4, deadLetterTargetArn: "arn:aws:sqs:eu-west-1:1:dead"} # want layer "attempts=4" deadletter "dead"
`,
})

func readServerless(d *doc.Document, out *Out) {
	r := d.Root
	if p := plain(exists(r.Path("provider.name"), r.Get("provider"))); p != "aws" && !strings.Contains(p, "${") {
		return // other clouds' functions have other rules
	}
	resources := r.Path("resources.Resources")
	if resources.Exists() {
		readCloudFormation(r.Get("resources"), out)
	}
	c := &cfn{out: out, resources: resources, names: map[string]model.Name{}, dead: map[string]bool{}, async: map[string]*lambdaAsync{}}
	for _, e := range resources.Entries() {
		p := e.Value.Get("Properties")
		switch e.Value.Get("Type").Str() {
		case "AWS::SQS::Queue":
			c.name(e.Key, "sqs", p.Get("QueueName"))
		case "AWS::SNS::Topic":
			c.name(e.Key, "sns", p.Get("TopicName"))
		case "AWS::Kinesis::Stream":
			c.name(e.Key, "kinesis", p.Get("Name"))
		}
	}
	source := func(n *doc.Node, broker string) model.Name {
		for _, k := range []string{"arn", "topicName", "topic"} {
			if v := n.Get(k); v.Exists() {
				n = v
				break
			}
		}
		if q := c.resolve(n); !q.IsZero() {
			return q
		}
		if n.Kind() == doc.Scalar && !strings.Contains(n.Str(), "${") && !strings.HasPrefix(n.Str(), "arn:") {
			return queue(broker, n.Str())
		}
		return model.Name{}
	}
	for _, e := range r.Get("functions").Entries() {
		f := e.Value
		name := queue("lambda", e.Key)
		if n := f.Get("name"); n.Kind() == doc.Scalar && !strings.Contains(n.Str(), "${") {
			name = queue("lambda", n.Str())
		}
		kind := model.NodeConsumer
		if called := f.Get("events").Items(); len(called) > 0 && !slices.ContainsFunc(called, func(ev *doc.Node) bool {
			return !exists(ev.Get("http"), ev.Get("httpApi"), ev.Get("alb")).Exists()
		}) {
			kind = model.NodeHandler
		}
		out.Node(model.Node{Name: name, Kind: kind, At: out.KeyLoc(f), Label: "Lambda function " + e.Key})
		s := model.Service{Name: e.Key, Kind: "function", At: out.KeyLoc(f), Node: name, Names: []model.Name{name}}
		out.instances(&s, f.Get("reservedConcurrency"))
		out.Service(s)
		for _, vars := range []*doc.Node{r.Path("provider.environment"), f.Get("environment")} {
			for _, v := range vars.Entries() {
				if v.Value.Kind() == doc.Scalar && !strings.Contains(v.Value.Str(), "${") {
					out.Setting(model.Setting{Name: model.N(model.SpaceEnv, v.Key), Value: v.Value.Str(), At: out.Loc(v.Value), For: name})
				}
			}
		}
		var timeout model.Limit
		if v, ok := exists(f.Get("timeout"), r.Path("provider.timeout")).Duration(1e9); ok {
			timeout = model.For(v)
		} else {
			timeout = model.For(6e9) // the framework's default
		}
		retries := f.Get("maximumRetryAttempts")
		async := retries.Exists() || f.Get("maximumEventAge").Exists()
		for _, ev := range f.Get("events").Items() {
			for _, t := range ev.Entries() {
				m := lambdaMapping{function: name, block: t.Value, retries: t.Value.Get("maximumRetryAttempts"), age: t.Value.Get("maximumRecordAgeInSeconds"), timeout: timeout}
				switch t.Key {
				case "sqs":
					m.source = source(t.Value, "sqs")
					out.lambdaMapping(m)
				case "stream":
					m.source = source(t.Value, "kinesis")
					out.lambdaMapping(m)
				case "msk", "kafka":
					m.source = source(t.Value, "kafka")
					out.lambdaMapping(m)
				case "sns":
					async = true
					if q := source(t.Value, "sns"); !q.IsZero() {
						out.Edge(model.Edge{From: q, To: lambdaEvents(name), Kind: model.EdgePublish, At: out.Loc(t.Value)})
					}
				case "s3", "schedule", "cloudwatchEvent", "iot":
					async = true
				case "eventBridge":
					async = true
					if rp := t.Value.Get("retryPolicy"); rp.Exists() {
						out.eventTarget(eventTarget{from: queue("eventbridge", "rule/"+e.Key), to: name, block: t.Value, policy: rp, retries: rp.Get("maximumRetryAttempts"), age: rp.Get("maximumEventAge"),
							label: "EventBridge rule", service: "EventBridge"})
					}
				}
			}
		}
		if async {
			out.lambdaAsync(lambdaAsync{function: name, block: f, retries: retries, age: f.Get("maximumEventAge"), dead: exists(f.Path("destinations.onFailure"), f.Get("onError"))})
		}
	}
	for _, e := range r.Path("stepFunctions.stateMachines").Entries() {
		if def := e.Value.Get("definition"); def.Get("States").Exists() {
			readASL(def, queue("states", e.Key), c.resolve, out)
		}
	}
}
