package extract

import (
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// pubsubSubscription is what Config Connector and Terraform say of one subscription.
type pubsubSubscription struct {
	name, topic     string
	block           *doc.Node
	dead            *doc.Node // deadLetterPolicy
	deadTopic       *doc.Node
	attempts        *doc.Node // maxDeliveryAttempts
	retry           *doc.Node // retryPolicy
	min, max        *doc.Node
	ack             *doc.Node
	retention, push *doc.Node
}

const pubsubDoc = `A message that is not acknowledged comes again: at once without a retry policy, else after 10 seconds growing to 10 minutes. With a dead-letter
policy it is delivered about maxDeliveryAttempts times in all (5 to 100), without one until its retention ends (7 days). There is no memory of
publishes. The caller publishes to the topic; the callee is the push endpoint, or the code that names the subscription. Source: catalogue, D8.`

var _ = add(Format{
	Name:  "google-pubsub",
	Title: "Google Pub/Sub subscription (Config Connector)",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("pubsub.cnrm.cloud.google.com", "PubSubSubscription"),
	Read: func(d *doc.Document, out *Out) {
		s := d.Root.Get("spec")
		name := plain(s.Get("resourceID"))
		if name == "" {
			name = objectName(d.Root)
		}
		out.pubsub(pubsubSubscription{name: name, topic: lastPart(plain(exists(s.Path("topicRef.name"), s.Path("topicRef.external")))), block: s, dead: s.Get("deadLetterPolicy"),
			deadTopic: exists(s.Path("deadLetterPolicy.deadLetterTopicRef.name"), s.Path("deadLetterPolicy.deadLetterTopicRef.external")), attempts: s.Path("deadLetterPolicy.maxDeliveryAttempts"),
			retry: s.Get("retryPolicy"), min: s.Path("retryPolicy.minimumBackoff"), max: s.Path("retryPolicy.maximumBackoff"), ack: s.Get("ackDeadlineSeconds"),
			retention: s.Get("messageRetentionDuration"), push: s.Path("pushConfig.pushEndpoint")})
	},
	Keys: []Key{
		{"spec.deadLetterPolicy.maxDeliveryAttempts", "attempts", "no policy: until the retention ends", "5", "refused"},
		{"spec.retryPolicy.minimumBackoff", "first wait", "no policy: at once; 10s", "", ""},
		{"spec.retryPolicy.maximumBackoff", "longest wait", "600s", "", ""},
		{"spec.messageRetentionDuration", "how long a message stays", "7d", "", ""},
	},
	Doc: pubsubDoc,
	Example: `
-- sub.yaml --
apiVersion: pubsub.cnrm.cloud.google.com/v1beta1
kind: PubSubSubscription
metadata: {name: mailer}
spec:
  topicRef: {name: orders}
  pushConfig: {pushEndpoint: "https://mailer.example.test/push"} # want edge "host:mailer.example.test /push POST"
  retryPolicy: {minimumBackoff: 20s}
  deadLetterPolicy:
    deadLetterTopicRef: {name: orders-dead} # want deadletter "orders-dead retention=168h"
    maxDeliveryAttempts: 6 # want layer "attempts=6 backoff=exponential initial=20s max=10m"
---
apiVersion: pubsub.cnrm.cloud.google.com/v1beta1
kind: PubSubSubscription
metadata: {name: audit}
spec: # want layer "count=unbounded backoff=none overall=168h origin=default"
  topicRef: {name: orders}
`,
})

func (o *Out) pubsub(s pubsubSubscription) {
	self := queue("pubsub", s.name)
	if self.IsZero() {
		return
	}
	l := model.Layer{Kind: model.KindQueue, In: self, Whole: true, Label: "Pub/Sub redelivery", Policy: model.Policy{On: model.OnNoAck, Backoff: model.NoBackoff()}}
	kept := limitOr(o.span(&l, s.retention, model.FieldOverall, time.Second), s.retention, model.For(7*24*time.Hour))
	if s.retry.Exists() {
		min := limitOr(o.span(&l, s.min, model.FieldInitial, time.Second), s.min, model.For(10*time.Second))
		max := limitOr(o.span(&l, s.max, model.FieldMax, time.Second), s.max, model.For(600*time.Second))
		l.Policy.Backoff = model.Backoff{Kind: model.BackoffExponential, Initial: min, Factor: model.NewRatio(2, 1), Max: max, Jitter: model.Jitter{Kind: model.JitterSome}}
	}
	switch {
	case s.dead.Exists():
		o.count(&l, s.attempts, s.dead, counting{absent: model.Exactly(5), by: "Pub/Sub: maxDeliveryAttempts is 5 where it is not set", zero: asAbsent, negative: refused})
	default:
		o.count(&l, s.block.Get("."), s.block, counting{absent: model.Unbounded(), by: "Pub/Sub: without a dead-letter policy a message comes again until its retention ends", off: "a dead-letter policy with maxDeliveryAttempts"})
		l.Policy.Overall = kept
	}
	lease := model.Trait{Kind: model.TraitLease, At: l.At, Detail: "10s"} // client libraries ask for more while they work
	if d, ok := s.ack.Int(); ok && d > 0 {
		lease.At, lease.Detail = o.Loc(s.ack), model.FormatDuration(time.Duration(d)*time.Second)
	}
	l.Traits = append(l.Traits, lease)
	o.Node(model.Node{Name: self, Kind: model.NodeQueue, At: l.At, Label: "subscription " + s.name})
	o.Layer(l)
	if t := queue("pubsub", s.topic); !t.IsZero() && t != self {
		o.Edge(model.Edge{From: t, To: self, Kind: model.EdgePublish, At: l.At})
	}
	if s.push.Kind() == doc.Scalar {
		e := model.Edge{Method: "POST", Key: model.Key{How: model.KeyNone, At: o.Loc(s.push)}}
		if d, ok := s.ack.Int(); ok && d > 0 {
			e.Timeout = model.For(time.Duration(d) * time.Second)
		}
		o.urlEdge(self, s.push, e)
	}
	if s.deadTopic.Exists() {
		o.DeadLetter(model.DeadLetter{Of: self, Name: lastPart(plain(s.deadTopic)), At: o.Loc(s.deadTopic), Retention: kept, Origin: model.OriginExplicit})
	}
}

// tasksQueue is a Cloud Tasks queue.
type tasksQueue struct {
	name                             string
	block, retry                     *doc.Node
	attempts, age, min, max, doubled *doc.Node
	appEngine                        bool // queue.yaml, whose count speaks of retries
}

const tasksDoc = `A task runs until it answers 2xx: every other status is repeated, 4xx too. maxAttempts counts attempts, -1 is no end; where a time limit stands
beside it both have to be reached. queue.yaml's task_retry_limit speaks of retries in one text and of attempts in another: a range. Waits double
maxDoublings times and grow linearly then. A task's name keeps it from being made twice only while it exists. Source: catalogue, D9.`

func (o *Out) tasks(q tasksQueue) {
	self := queue("cloudtasks", q.name)
	if self.IsZero() {
		return
	}
	l := model.Layer{Kind: model.KindQueue, In: self, Whole: true, Label: "Cloud Tasks retries", Policy: model.Policy{On: model.OnAny, Budget: model.BudgetAndCount}}
	in := exists(q.retry, q.block)
	if q.appEngine {
		o.count(&l, q.attempts, in, counting{absent: model.Unbounded(), by: "App Engine: a task is repeated without end where task_retry_limit is not set", off: "task_retry_limit: 0", zero: once, negative: refused})
		if n, ok := q.attempts.Int(); ok && n > 0 {
			l.Policy.Attempts = model.Between(n, n+1)
		}
	} else {
		o.count(&l, q.attempts, in, counting{absent: model.Exactly(100), by: "Cloud Tasks: maxAttempts is 100 where it is not set", off: "maxAttempts: 1", zero: asAbsent, negative: endless})
		if l.Origin == model.OriginDefault {
			l.LowConfidence = true
		}
	}
	p := &l.Policy
	p.Overall = positive(o.span(&l, q.age, model.FieldOverall, time.Second))
	min := limitOr(o.span(&l, q.min, model.FieldInitial, time.Second), q.min, model.For(100*time.Millisecond))
	max := limitOr(o.span(&l, q.max, model.FieldMax, time.Second), q.max, model.For(time.Hour))
	p.Backoff = model.Backoff{Kind: model.BackoffDoublingLinear, Initial: min, Max: max, Doublings: 16, Jitter: model.Jitter{Kind: model.JitterNone}}
	if n, ok := q.doubled.Int(); ok && n >= 0 {
		p.Backoff.Doublings = n
	}
	if p.Attempts.IsUnbounded() && p.Overall.Known() {
		// Without a count the time alone ends it.
		p.Budget = model.BudgetGateBefore
	}
	o.Node(model.Node{Name: self, Kind: model.NodeQueue, At: l.At, Label: "task queue " + q.name})
	o.Layer(l)
}

var tasksKeys = []Key{
	{"retryConfig.maxAttempts (queue.yaml: task_retry_limit)", "attempts (a range in queue.yaml)", "100; queue.yaml: no end", "the default", "no end"},
	{"retryConfig.maxRetryDuration", "time limit; both have to be reached", "none", "none", ""},
	{"retryConfig.minBackoff", "first wait", "0.1s", "", ""},
	{"retryConfig.maxBackoff", "longest wait", "3600s", "", ""},
	{"retryConfig.maxDoublings", "how often the wait doubles before it grows linearly", "16", "", ""},
}

var _ = add(Format{
	Name:  "google-cloud-tasks",
	Title: "Google Cloud Tasks (queue.yaml, Config Connector)",
	Files: []string{"queue.yaml", "queue.yml", "*.yaml", "*.yml", "*.json"},
	Match: func(p string, d *doc.Document) bool {
		return kind("cloudtasks.cnrm.cloud.google.com", "CloudTasksQueue", "TasksQueue")(p, d) || kind("tasks.cnrm.cloud.google.com", "TasksQueue")(p, d) ||
			d.Root.Get("queue").Kind() == doc.List && d.Root.Get("queue").At(0).Get("name").Exists() && (d.Root.Get("queue").At(0).Get("rate").Exists() || d.Root.Get("queue").At(0).Get("retry_parameters").Exists())
	},
	Read: func(d *doc.Document, out *Out) {
		for _, q := range d.Root.Get("queue").Items() {
			r := q.Get("retry_parameters")
			out.tasks(tasksQueue{name: plain(q.Get("name")), block: q, retry: r, attempts: r.Get("task_retry_limit"), age: r.Get("task_age_limit"), min: r.Get("min_backoff_seconds"),
				max: r.Get("max_backoff_seconds"), doubled: r.Get("max_doublings"), appEngine: true})
		}
		if s := d.Root.Get("spec"); s.Exists() {
			r := s.Get("retryConfig")
			out.tasks(tasksQueue{name: objectName(d.Root), block: s, retry: r, attempts: r.Get("maxAttempts"), age: r.Get("maxRetryDuration"), min: r.Get("minBackoff"), max: r.Get("maxBackoff"), doubled: r.Get("maxDoublings")})
		}
	},
	Keys: tasksKeys,
	Doc:  tasksDoc,
	Example: `
-- queue.yaml --
queue:
  - name: mail
    rate: 5/s
    retry_parameters:
      task_retry_limit: 7 # want layer "attempts=7..8 backoff=doubling-linear initial=10s max=5m"
      task_age_limit: 2d
      min_backoff_seconds: 10
      max_backoff_seconds: 300
      max_doublings: 3
-- crd.yaml --
apiVersion: cloudtasks.cnrm.cloud.google.com/v1alpha1
kind: CloudTasksQueue
metadata: {name: bills}
spec:
  retryConfig:
    maxAttempts: 5 # want layer "attempts=5 overall=1h"
    maxRetryDuration: 3600s
`,
})

// schedulerJob is a Cloud Scheduler job.
type schedulerJob struct {
	name                                      string
	block, retry                              *doc.Node
	count, limit, min, max, doubled, deadline *doc.Node
	uri, method, topic                        *doc.Node
}

const schedulerDoc = `A tick whose target fails is repeated retryCount times (0 by default, so once in all), and no longer than the next tick. With a time
limit beside the count both have to be reached. The callee is the target's URI or topic. Source: catalogue, D10.`

func (o *Out) scheduler(j schedulerJob) {
	self := model.N(model.SpaceWorkload, "cloudscheduler/"+o.Repo+"/"+j.name)
	l := model.Layer{Kind: model.KindScheduler, In: self, Whole: true, Label: "Cloud Scheduler retries", Policy: model.Policy{On: model.OnAny, Budget: model.BudgetAndCount}}
	o.count(&l, j.count, exists(j.retry, j.block), counting{offset: 1, absent: model.Exactly(1), by: "Cloud Scheduler: retryCount is 0 where it is not set", zero: once, negative: refused})
	p := &l.Policy
	p.Overall = positive(o.span(&l, j.limit, model.FieldOverall, time.Second))
	p.PerAttempt = limitOr(o.span(&l, j.deadline, model.FieldPerAttempt, time.Second), j.deadline, model.For(180*time.Second))
	min := limitOr(o.span(&l, j.min, model.FieldInitial, time.Second), j.min, model.For(5*time.Second))
	max := limitOr(o.span(&l, j.max, model.FieldMax, time.Second), j.max, model.For(time.Hour))
	p.Backoff = model.Backoff{Kind: model.BackoffDoublingLinear, Initial: min, Max: max, Doublings: 5, Jitter: model.Jitter{Kind: model.JitterNone}}
	if n, ok := j.doubled.Int(); ok && n >= 0 {
		p.Backoff.Doublings = n
	}
	o.Node(model.Node{Name: self, Kind: model.NodeSchedule, At: l.At, Label: "Cloud Scheduler job " + j.name, Entry: true})
	if j.retry.Exists() {
		o.Layer(l)
	}
	if j.uri.Kind() == doc.Scalar {
		method := strings.ToUpper(j.method.Str("POST"))
		o.urlEdge(self, j.uri, model.Edge{Method: method, Key: model.Key{How: model.KeyNone, At: o.Loc(j.uri)}, Timeout: p.PerAttempt})
	}
	if t := queue("pubsub", lastPart(plain(j.topic))); j.topic.Exists() && !t.IsZero() {
		o.Edge(model.Edge{From: self, To: t, Kind: model.EdgePublish, At: o.Loc(j.topic)})
	}
}

var _ = add(Format{
	Name:  "google-cloud-scheduler",
	Title: "Google Cloud Scheduler (Config Connector)",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("cloudscheduler.cnrm.cloud.google.com", "CloudSchedulerJob"),
	Read: func(d *doc.Document, out *Out) {
		s := d.Root.Get("spec")
		r := s.Get("retryConfig")
		out.scheduler(schedulerJob{name: objectName(d.Root), block: s, retry: r, count: r.Get("retryCount"), limit: r.Get("maxRetryDuration"), min: r.Get("minBackoffDuration"), max: r.Get("maxBackoffDuration"),
			doubled: r.Get("maxDoublings"), deadline: s.Get("attemptDeadline"), uri: s.Path("httpTarget.uri"), method: s.Path("httpTarget.httpMethod"), topic: exists(s.Path("pubsubTarget.topicRef.name"), s.Path("pubsubTarget.topicName"))})
	},
	Keys: []Key{
		{"spec.retryConfig.retryCount", "retries", "0, Cloud Scheduler", "1 attempt", "refused"},
		{"spec.retryConfig.maxRetryDuration", "time limit; both have to be reached", "none", "none", ""},
		{"spec.retryConfig.minBackoffDuration", "first wait", "5s", "", ""},
		{"spec.retryConfig.maxBackoffDuration", "longest wait", "3600s", "", ""},
		{"spec.attemptDeadline", "limit of one attempt", "180s", "", ""},
	},
	Doc: schedulerDoc,
	Example: `
-- job.yaml --
apiVersion: cloudscheduler.cnrm.cloud.google.com/v1beta1
kind: CloudSchedulerJob
metadata: {name: close-day}
spec:
  schedule: "0 2 * * *"
  httpTarget:
    uri: https://ledger.example.test/close # want edge "POST host:ledger.example.test /close key=none"
  retryConfig:
    retryCount: 3 # want layer "attempts=4 initial=5s max=1h perAttempt=3m"
`,
})

var _ = add(Format{
	Name:  "google-cloud-run-job",
	Title: "Google Cloud Run jobs",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(p string, d *doc.Document) bool {
		return kind("run.googleapis.com", "Job")(p, d) || kind("run.cnrm.cloud.google.com", "RunJob")(p, d)
	},
	Read: func(d *doc.Document, out *Out) {
		s := d.Root.Path("spec.template.spec.template.spec")
		if !s.Exists() {
			s = d.Root.Path("spec.template.template")
		}
		out.runJob(objectName(d.Root), exists(s, d.Root.Get("spec")), s.Get("maxRetries"), exists(s.Get("timeoutSeconds"), s.Get("timeout")), s.Get("containers"))
	},
	Keys: []Key{
		{"maxRetries", "retries of each task", "3, Cloud Run", "1 attempt", "refused"},
		{"timeoutSeconds, timeout", "limit of one attempt", "600s, Cloud Run", "", ""},
	},
	Doc: `Each task of a job that fails runs again, 3 times by default, so 4 runs. The callee is the program of its image. Source: catalogue, D11.`,
	Example: `
-- job.yaml --
apiVersion: run.googleapis.com/v1
kind: Job
metadata: {name: settle}
spec:
  template:
    spec:
      template:
        spec: # want layer "attempts=4 origin=default perAttempt=10m"
          containers: [{image: "gcr.io/p/settle:1"}]
---
apiVersion: run.googleapis.com/v1
kind: Job
metadata: {name: once}
spec:
  template:
    spec:
      template:
        spec:
          maxRetries: 0 # want layer "attempts=1 perAttempt=30m"
          timeoutSeconds: 1800
`,
})

func (o *Out) runJob(name string, spec, retries, timeout, containers *doc.Node) {
	self := model.N(model.SpaceWorkload, "cloudrunjob/"+o.Repo+"/"+name)
	l := model.Layer{Kind: model.KindJob, In: self, Whole: true, Label: "Cloud Run job maxRetries", Policy: model.Policy{On: model.OnExit}}
	o.count(&l, retries, spec, counting{offset: 1, absent: model.Exactly(4), by: "Cloud Run: maxRetries is 3 where it is not set", off: "maxRetries: 0", negative: refused})
	l.Policy.PerAttempt = limitOr(o.span(&l, timeout, model.FieldPerAttempt, time.Second), timeout, model.For(10*time.Minute))
	o.Node(model.Node{Name: self, Kind: model.NodeBatch, At: l.At, Label: "Cloud Run job " + name, Entry: true})
	s := model.Service{Name: name, Kind: "job", At: l.At, Node: self}
	for _, c := range containers.Many() {
		readContainer(c, self, "", &s, o, true)
	}
	o.Layer(l)
	o.Service(s)
}
