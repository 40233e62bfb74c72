package extract

import (
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "step-functions",
	Title: "AWS Step Functions (Amazon States Language)",
	Files: []string{"*.json", "*.yaml", "*.yml", "*.asl"},
	Match: func(_ string, d *doc.Document) bool {
		return d.Root.Get("StartAt").Exists() && d.Root.Get("States").Kind() == doc.Map
	},
	Read: func(d *doc.Document, out *Out) {
		readASL(d.Root, model.N(model.SpaceWorkload, "statemachine/"+out.Repo+"/"+out.Path), arnQueueOf, out)
	},
	Keys: []Key{
		{"States.*.Retry[].MaxAttempts", "retries, whatever its name says", "3, AWS; no Retry: none", "1 attempt", "invalid"},
		{"States.*.Retry[].IntervalSeconds", "first wait, seconds", "1, AWS", "", ""},
		{"States.*.Retry[].BackoffRate", "growth", "2.0, AWS", "", ""},
		{"States.*.Retry[].MaxDelaySeconds", "cap of one wait, seconds", "none", "", ""},
		{"States.*.Retry[].JitterStrategy", "FULL or NONE", "NONE, AWS", "", ""},
		{"States.*.TimeoutSeconds", "limit of one attempt", "none in the service", "", ""},
	},
	Doc: `MaxAttempts counts retries (3 by default, so 4 runs), each retrier of a state counts for itself: a state with several may run 1 and their sum
times. A Parallel or Map state with Retry runs everything inside it again. The callee is the Resource: a Lambda function, a queue, an HTTP endpoint.
Source: catalogue, D1.`,
	Example: `
-- order.asl.json --
{
  "StartAt": "Charge",
  "States": {
    "Charge": {
      "Type": "Task",
      "Resource": "arn:aws:lambda:eu-west-1:123456789012:function:charge",
      "TimeoutSeconds": 20,
      "Retry": [ // want layer "attempts=4 initial=1s factor=2 perAttempt=20s origin=default waits=7s"
        {"ErrorEquals": ["States.ALL"]}
      ],
      "Next": "Ship"
    },
    "Ship": {
      "Type": "Task",
      "Resource": "arn:aws:states:::sqs:sendMessage",
      "Parameters": {"QueueUrl": "https://sqs.eu-west-1.amazonaws.com/123456789012/ship"},
      "Retry": [
        {"ErrorEquals": ["States.Timeout"], "MaxAttempts": 0},
        {"ErrorEquals": ["States.ALL"], "IntervalSeconds": 5, "BackoffRate": 1, "MaxAttempts": 2} // want layer "attempts=3 initial=5s"
      ],
      "End": true
    }
  }
}
`,
})

func arnQueueOf(n *doc.Node) model.Name { return arnQueue(plain(n)) }

// readASL reads a state machine. resolve finds what a Resource or a name means where it is a reference of a template.
func readASL(root *doc.Node, self model.Name, resolve func(*doc.Node) model.Name, out *Out) {
	out.Node(model.Node{Name: self, Kind: model.NodeWorkflow, At: out.KeyLoc(root.Get("StartAt")), Label: "state machine", Entry: true})
	a := asl{self: self, resolve: resolve, out: out}
	if d, ok := root.Get("TimeoutSeconds").Int(); ok && d > 0 {
		a.deadline = model.For(time.Duration(d) * time.Second)
	}
	a.states(root.Get("States"), self, 0)
}

type asl struct {
	self     model.Name
	resolve  func(*doc.Node) model.Name
	out      *Out
	deadline model.Limit
}

func (a *asl) states(states *doc.Node, from model.Name, depth int) {
	if depth > 8 {
		return
	}
	for _, e := range states.Entries() {
		s := e.Value
		step := model.N(model.SpaceStep, a.self.Key+"#"+e.Key)
		a.out.Node(model.Node{Name: step, Kind: model.NodeStep, At: a.out.KeyLoc(s), Label: "state " + e.Key})
		a.out.Edge(model.Edge{From: from, To: step, Kind: model.EdgeCall, At: a.out.KeyLoc(s)})
		a.retry(s, step)
		if s.Get("Type").Str() == "Task" {
			a.task(s, step)
		}
		for _, b := range s.Get("Branches").Items() {
			a.states(b.Get("States"), step, depth+1)
		}
		for _, key := range []string{"ItemProcessor", "Iterator"} {
			a.states(s.Path(key+".States"), step, depth+1)
		}
	}
}

func (a *asl) retry(s *doc.Node, step model.Name) {
	list := s.Get("Retry")
	if list.Len() == 0 {
		return
	}
	l := model.Layer{Kind: model.KindWorkflow, In: step, Whole: true, Label: "Step Functions Retry", Policy: model.Policy{On: model.OnError},
		Traits: []model.Trait{{Kind: model.TraitManyInstances, Detail: "executions of a state machine run side by side"}}}
	sum, worst, known := int64(1), int64(0), true
	for i, r := range list.Items() {
		one := model.Layer{}
		a.out.count(&one, r.Get("MaxAttempts"), list, counting{offset: 1, absent: model.Exactly(4), by: "Step Functions: MaxAttempts is 3 where it is not set", off: `"MaxAttempts": 0`, negative: refused})
		n, ok := one.Policy.Attempts.Max()
		if !ok {
			known = false
			l.Refs = append(l.Refs, one.Refs...)
		}
		sum += n - 1
		if i == 0 || n > worst {
			worst = n
			l.At, l.Origin, l.DefaultBy, l.OffSwitch = one.At, one.Origin, one.DefaultBy, one.OffSwitch
			l.Policy.Backoff = a.backoff(r, &l)
		}
	}
	switch {
	case !known:
	case sum == worst:
		l.Policy.Attempts = model.Exactly(worst)
	default:
		l.Policy.Attempts = model.Between(worst, sum)
	}
	if t := s.Get("TimeoutSeconds"); t.Exists() {
		l.Policy.PerAttempt = a.out.span(&l, t, model.FieldPerAttempt, time.Second)
	}
	l.Policy.Overall = a.deadline
	a.out.Layer(l)
}

func (a *asl) backoff(r *doc.Node, l *model.Layer) model.Backoff {
	b := model.Backoff{Kind: model.BackoffExponential, Factor: model.NewRatio(2, 1), Max: model.NoLimit(), Jitter: model.Jitter{Kind: model.JitterNone}}
	b.Initial = limitOr(a.out.span(l, r.Get("IntervalSeconds"), model.FieldInitial, time.Second), r.Get("IntervalSeconds"), model.For(time.Second))
	if n := r.Get("BackoffRate"); n.Exists() {
		b.Factor = model.Ratio{}
		if f, ok := n.Float(); ok && f >= 1 {
			b.Factor = model.RatioOf(f)
		}
	}
	if n := r.Get("MaxDelaySeconds"); n.Exists() {
		b.Max = a.out.span(l, n, model.FieldMax, time.Second)
	}
	if r.Get("JitterStrategy").Str() == "FULL" {
		b.Jitter = fullJitter
	}
	return b
}

// task finds what a Task state calls.
func (a *asl) task(s *doc.Node, step model.Name) {
	res := s.Get("Resource")
	text := plain(res)
	args := exists(s.Get("Parameters"), s.Get("Arguments"))
	e := model.Edge{From: step, Kind: model.EdgeCall, At: a.out.Loc(res), Effect: true}
	if d, ok := s.Get("TimeoutSeconds").Int(); ok && d > 0 {
		e.Timeout = model.For(time.Duration(d) * time.Second)
	}
	service := lastService(text)
	switch service {
	case "lambda:invoke":
		e.To = a.function(args.Get("FunctionName"))
	case "sqs:sendMessage":
		e.To, e.Kind = a.resolve(args.Get("QueueUrl")), model.EdgePublish
		if e.To.IsZero() {
			e.To = queue("sqs", lastPart(plain(args.Get("QueueUrl"))))
		}
	case "sns:publish":
		e.To, e.Kind = a.resolve(args.Get("TopicArn")), model.EdgePublish
	case "http:invoke":
		if u := args.Get("ApiEndpoint"); u.Kind() == doc.Scalar {
			h := model.Host(u.Str(), "")
			e.To, e.Kind, e.Method, e.Path, e.At = h, model.EdgeRequest, plain(args.Get("Method")), pathOf(u.Str()), a.out.Loc(u)
			e.Key = model.Key{How: model.KeyNone, At: e.At}
			for _, hd := range args.Get("Headers").Entries() {
				// A key that ends in ".$" takes its value from the state's input.
				if name := strings.TrimSuffix(hd.Key, ".$"); IdempotencyHeader(name) {
					e.Key = templateKey(hd.Value, name, step, a.out)
				}
			}
		}
	case "":
		e.To = a.resolve(res)
	}
	if e.To.IsZero() {
		return
	}
	a.out.Edge(e)
}

func (a *asl) function(n *doc.Node) model.Name {
	if f := a.resolve(n); !f.IsZero() {
		return f
	}
	if n.Kind() == doc.Scalar && n.Str() != "" {
		return queue("lambda", n.Str())
	}
	return model.Name{}
}

// lastService is the service integration of a Resource: "lambda:invoke" of arn:aws:states:::lambda:invoke.waitForTaskToken.
func lastService(arn string) string {
	const prefix = ":states:::"
	i := strings.Index(arn, prefix)
	if i < 0 {
		return ""
	}
	rest := arn[i+len(prefix):]
	if j := strings.Index(rest, "."); j >= 0 {
		rest = rest[:j]
	}
	return rest
}
