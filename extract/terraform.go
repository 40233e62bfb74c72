package extract

import (
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "terraform",
	Title: "Terraform resources of queues, functions, schedulers and jobs",
	Files: []string{"*.tf"},
	Match: func(_ string, d *doc.Document) bool {
		return d.Root.Get("resource").Exists() || d.Root.Get("module").Exists()
	},
	Read: readTerraform,
	Keys: []Key{
		{"aws_sqs_queue.redrive_policy maxReceiveCount", "attempts", "no policy: until the retention ends", "refused", "refused"},
		{"aws_lambda_function_event_invoke_config.maximum_retry_attempts", "retries", "2, AWS Lambda", "1 attempt", "refused"},
		{"aws_lambda_event_source_mapping.maximum_retry_attempts", "retries of a stream's record", "-1: until it expires", "1 attempt", "no end"},
		{"aws_cloudwatch_event_target.retry_policy.maximum_retry_attempts", "retries of the delivery", "185 for 24 h", "1 attempt", "refused"},
		{"aws_batch_job_definition.retry_strategy.attempts", "attempts", "1, AWS Batch", "refused", "refused"},
		{"google_pubsub_subscription.dead_letter_policy.max_delivery_attempts", "attempts", "no policy: until the retention ends", "5", "refused"},
		{"google_cloud_tasks_queue.retry_config.max_attempts", "attempts", "100", "the default", "no end"},
		{"google_cloud_scheduler_job.retry_config.retry_count", "retries", "0", "1 attempt", "refused"},
		{"google_cloud_run_v2_job…max_retries", "retries of each task", "3, Cloud Run", "1 attempt", "refused"},
		{"azurerm_servicebus_queue.max_delivery_count", "attempts", "10, Service Bus", "refused", "refused"},
		{"kubernetes_job.spec.backoff_limit, kubernetes_cron_job", "retries", "6, Kubernetes", "1 attempt", "refused"},
	},
	Doc: `The resources hold what the services' own templates hold, under snake case names; see CloudFormation, Pub/Sub, Cloud Tasks, Service Bus and Kubernetes Job. A
reference to another resource (aws_sqs_queue.dead.arn) is resolved within its folder. Source: catalogue, D7 to D13.`,
	Example: `
-- main.tf --
resource "aws_sqs_queue" "orders" {
  name                       = "orders"
  visibility_timeout_seconds = 90
  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead.arn # want deadletter "orders-dead queue:sqs:orders"
    maxReceiveCount     = 4 # want layer "attempts=4 initial=1m30s"
  })
}
resource "aws_sqs_queue" "dead" {
  name = "orders-dead"
}
resource "aws_lambda_event_source_mapping" "stream" { # want edge "queue:sqs:orders queue:lambda:ship"
  event_source_arn = aws_sqs_queue.orders.arn
  function_name    = aws_lambda_function.ship.arn
}
resource "aws_lambda_event_source_mapping" "again" { # want edge "queue:sqs:orders queue:lambda:ship"
  event_source_arn       = aws_sqs_queue.orders.arn
  function_name          = aws_lambda_function.ship.arn
  maximum_retry_attempts = 2 # want layer "attempts=1 ineffective"
}
resource "aws_cloudwatch_event_api_destination" "labels" {
  name                = "labels"
  invocation_endpoint = "https://labels.example.test/v1/labels"
  http_method         = "POST"
}
resource "aws_cloudwatch_event_target" "labels" { # want layer "attempts=186 origin=default overall=24h" edge "POST host:labels.example.test /v1/labels"
  rule = aws_cloudwatch_event_rule.paid.name
  arn  = aws_cloudwatch_event_api_destination.labels.arn
}
resource "aws_lambda_function" "ship" {
  function_name = "ship"
  timeout       = 60
}
resource "aws_lambda_function_event_invoke_config" "ship" {
  function_name          = aws_lambda_function.ship.function_name
  maximum_retry_attempts = 0 # want layer "attempts=1"
}
resource "google_pubsub_subscription" "mail" {
  name  = "mail"
  topic = "orders"
  dead_letter_policy {
    dead_letter_topic     = "projects/p/topics/orders-dead" # want deadletter "orders-dead"
    max_delivery_attempts = 7 # want layer "attempts=7"
  }
}
resource "google_cloud_tasks_queue" "bills" {
  name = "bills"
  retry_config {
    max_attempts = -1 # want layer "attempts=unbounded"
  }
}
resource "azurerm_servicebus_queue" "orders" {
  name               = "orders"
  max_delivery_count = 5 # want layer "attempts=5 initial=1m" deadletter "orders/$DeadLetterQueue"
}
resource "kubernetes_job_v1" "bill" {
  metadata { name = "bill" }
  spec {
    backoff_limit = 2 # want layer "attempts=3 kind=job"
    template {
      spec {
        restart_policy = "Never"
        container { image = "registry.test/pay/bill:1" }
      }
    }
  }
}
`,
})

// terraform is one file, with the names of the resources of its folder.
type terraform struct {
	out   *Out
	names map[string]model.Name // "aws_sqs_queue.orders" -> queue
	dead  map[string]bool       // resources that some queue names as its dead-letter queue
	nodes map[string]*doc.Node
	// redrive are policies that stand in resources of their own.
	redrive map[string]*doc.Node
}

var resourceRef = regexp.MustCompile(`\b((?:aws|google|azurerm)_[a-z0-9_]+\.[A-Za-z0-9_-]+)`)

// ref is the resource that an expression refers to.
func (t *terraform) ref(n *doc.Node) string {
	text := n.Str()
	if n.Kind() == doc.Unknown {
		text = n.Raw()
	}
	if m := resourceRef.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// resolve is the queue, topic or function that an expression or a text means.
func (t *terraform) resolve(n *doc.Node) model.Name {
	if id := t.ref(n); id != "" {
		return t.names[id]
	}
	if n.Kind() == doc.Scalar {
		return arnQueue(n.Str())
	}
	return model.Name{}
}

// text is a literal name, or the name of the resource that is referred to.
func (t *terraform) text(n *doc.Node) string {
	if id := t.ref(n); id != "" {
		_, name, _ := cutName(t.names[id])
		return name
	}
	if n.Kind() == doc.Scalar {
		return lastPart(n.Str())
	}
	return ""
}

var terraformBrokers = map[string]string{"aws_sqs_queue": "sqs", "aws_sns_topic": "sns", "aws_lambda_function": "lambda", "aws_kinesis_stream": "kinesis", "aws_dynamodb_table": "dynamodb",
	"google_pubsub_topic": "pubsub", "google_pubsub_subscription": "pubsub", "google_cloud_tasks_queue": "cloudtasks", "azurerm_servicebus_queue": "servicebus", "azurerm_servicebus_topic": "servicebus",
	"aws_sfn_state_machine": "states", "aws_cloudwatch_event_rule": "eventbridge"}

func readTerraform(d *doc.Document, out *Out) {
	t := &terraform{out: out, names: map[string]model.Name{}, dead: map[string]bool{}, nodes: map[string]*doc.Node{}, redrive: map[string]*doc.Node{}}
	for _, o := range out.Files.terraformFolder(path.Dir(out.Path)) {
		if o.path != out.Path {
			t.learn(o.root)
		}
	}
	t.learn(d.Root)
	for _, r := range d.Root.Get("resource").Many() {
		t.resource(r.Label(0), r.Label(1), r)
	}
	for _, m := range d.Root.Get("module").Many() {
		t.module(m.Label(0), m)
	}
}

func (t *terraform) learn(root *doc.Node) {
	for _, r := range root.Get("resource").Many() {
		broker := terraformBrokers[r.Label(0)]
		if broker == "" {
			if r.Label(0) == "aws_cloudwatch_event_api_destination" {
				t.nodes[r.Label(0)+"."+r.Label(1)] = r
			}
			continue
		}
		name := localName(r.Label(1), path.Dir(t.out.Path))
		if n := exists(r.Get("name"), r.Get("function_name")); n.Kind() == doc.Scalar && n.Str() != "" {
			name = n.Str()
		}
		id := r.Label(0) + "." + r.Label(1)
		t.names[id], t.nodes[id] = queue(broker, name), r
	}
	for _, r := range root.Get("resource").Many() {
		if r.Label(0) == "aws_sqs_queue_redrive_policy" {
			if id := t.ref(r.Get("queue_url")); id != "" {
				t.redrive[id] = r.Get("redrive_policy")
			}
		}
		for _, p := range r.Get("redrive_policy").Many() {
			_, target := redrivePolicy(p)
			if id := t.ref(exists(target, p)); id != "" {
				t.dead[id] = true
			}
		}
		for _, key := range []string{"dead_letter_config", "dead_letter_queue"} {
			for _, c := range r.Get(key).Many() {
				if id := t.ref(exists(c.Get("target_arn"), c.Get("arn"))); id != "" {
					t.dead[id] = true
				}
			}
		}
	}
}

// one is the only block of a type, or what is absent.
func one(n *doc.Node, keys ...string) *doc.Node {
	for _, k := range keys {
		n = oneOf(n.Get(k))
	}
	return n
}

func (t *terraform) resource(typ, label string, r *doc.Node) {
	out, id := t.out, typ+"."+label
	self := t.names[id]
	switch typ {
	case "aws_sqs_queue":
		out.sqs(sqsQueue{name: self, block: r, visibility: r.Get("visibility_timeout_seconds"), retention: r.Get("message_retention_seconds"), redrive: exists(r.Get("redrive_policy"), t.redrive[id]),
			fifo: r.Get("fifo_queue"), isDead: t.dead[id] || t.redrivenElsewhere(label), dead: t.resolve, off: "redrive_policy with maxReceiveCount"})
	case "aws_sns_topic":
		if b, _ := r.Get("fifo_topic").Bool(); b {
			out.Boundary(model.Boundary{Kind: "aws.sns_fifo", At: out.Loc(r.Get("fifo_topic")), In: self, TTL: model.WindowFor(5 * time.Minute), Store: model.StoreBroker, Order: model.OrderPublish,
				Origin: model.OriginDefault, KeyName: "MessageDeduplicationId"})
		}
	case "aws_sns_topic_subscription":
		topic := t.resolve(r.Get("topic_arn"))
		to := t.resolve(r.Get("endpoint"))
		if b, _, _ := cutName(to); b == "lambda" {
			to = lambdaEvents(to)
		}
		if ep := r.Get("endpoint"); to.IsZero() && ep.Kind() == doc.Scalar && strings.HasPrefix(ep.Str(), "http") && !topic.IsZero() {
			snsDelivery(topic, ep, r.Get("delivery_policy"), r, out)
		} else if !to.IsZero() && !topic.IsZero() {
			out.Edge(model.Edge{From: topic, To: to, Kind: model.EdgePublish, At: out.KeyLoc(r)})
		}
	case "aws_lambda_function":
		t.lambda(label, self, r)
	case "aws_lambda_function_event_invoke_config":
		f := t.function(r.Get("function_name"))
		out.lambdaAsync(lambdaAsync{function: f, block: r, retries: r.Get("maximum_retry_attempts"), age: r.Get("maximum_event_age_in_seconds"), dead: one(r, "destination_config", "on_failure").Get("destination")})
	case "aws_lambda_event_source_mapping":
		m := lambdaMapping{source: t.resolve(r.Get("event_source_arn")), function: t.function(r.Get("function_name")), block: r, retries: r.Get("maximum_retry_attempts"), age: r.Get("maximum_record_age_in_seconds"),
			dead: one(r, "destination_config", "on_failure").Get("destination_arn")}
		if topics := r.Get("topics"); topics.At(0).Kind() == doc.Scalar {
			m.source = queue("kafka", topics.At(0).Str())
		}
		if f := t.nodes[t.ref(r.Get("function_name"))]; f != nil {
			if d, ok := f.Get("timeout").Duration(time.Second); ok {
				m.timeout = model.For(d)
			} else if !f.Get("timeout").Exists() {
				m.timeout = model.For(3 * time.Second)
			}
		}
		out.lambdaMapping(m)
	case "aws_cloudwatch_event_target", "aws_scheduler_schedule":
		arn, target := r.Get("arn"), r
		if typ == "aws_scheduler_schedule" {
			target = one(r, "target")
			arn = target.Get("arn")
		}
		to, rp := t.resolve(arn), one(target, "retry_policy")
		if b, _, _ := cutName(to); b == "lambda" && !rp.Exists() {
			// Delivery of an event to a function hardly fails: only the function's own runs count.
			out.Edge(model.Edge{From: queue("eventbridge", "rule/"+label), To: lambdaEvents(to), Kind: model.EdgePublish, At: out.KeyLoc(r)})
			return
		}
		if d := t.nodes[t.ref(arn)]; strings.HasPrefix(t.ref(arn), "aws_cloudwatch_event_api_destination.") && d.Get("invocation_endpoint").Kind() == doc.Scalar {
			// A placeholder of the address is filled in from the target's parameters.
			u := d.Get("invocation_endpoint")
			if host := model.Host(u.Str(), ""); !host.IsZero() {
				e := model.Edge{From: queue("eventbridge", "rule/"+label), To: host, Kind: model.EdgeRequest, At: out.KeyLoc(r), Method: upper(d.Get("http_method").Str()), Path: pathOf(u.Str()),
					Timeout: model.For(5 * time.Second), Key: model.Key{How: model.KeyNone, At: out.KeyLoc(r)}}
				for _, h := range one(target, "http_target").Get("header_parameters").Entries() {
					if IdempotencyHeader(h.Key) {
						e.Key = model.Key{How: model.KeyDerived, Sources: model.FromInput, Sink: h.Key, At: out.Loc(h.Value), Text: h.Value.Str()}
						if h.Value.Kind() == doc.Scalar && !strings.HasPrefix(h.Value.Str(), "$") {
							e.Key.How, e.Key.Sources = model.KeyConstant, model.FromConstant
						}
					}
				}
				out.Edge(e)
			}
		} else if to.IsZero() && !rp.Exists() {
			return // a target of which nothing is known
		}
		out.eventTarget(eventTarget{from: queue("eventbridge", "rule/"+label), to: to, block: target, policy: rp, retries: rp.Get("maximum_retry_attempts"), age: rp.Get("maximum_event_age_in_seconds"),
			dead: one(target, "dead_letter_config").Get("arn"), label: "EventBridge target", service: "EventBridge", schedule: typ == "aws_scheduler_schedule"})
	case "aws_batch_job_definition":
		out.batchJob(label, one(r, "retry_strategy"), one(r, "retry_strategy").Get("attempts"), one(r, "timeout").Get("attempt_duration_seconds"))
	case "aws_sfn_state_machine":
		def := r.Get("definition")
		if def.Kind() == doc.Scalar {
			if f := def.ParseAs(doc.JSON, doc.Limits{MaxBytes: 1 << 20}); len(f.Docs) > 0 {
				def = f.Docs[0].Root
			}
		}
		if def.Get("States").Exists() {
			readASL(def, self, t.resolve, out)
		}
	default:
		t.others(typ, label, self, r)
	}
}

func (t *terraform) redrivenElsewhere(label string) bool {
	low := strings.ToLower(label)
	return low == "dlq" || low == "dead" || strings.HasSuffix(low, "_dlq") || strings.HasSuffix(low, "_dead") || strings.HasSuffix(low, "dead_letter") || strings.HasSuffix(low, "deadletter") ||
		strings.HasPrefix(low, "dlq") || strings.HasPrefix(low, "dead_letter")
}

func (t *terraform) function(n *doc.Node) model.Name {
	if f := t.resolve(n); !f.IsZero() {
		return f
	}
	if n.Kind() == doc.Scalar {
		return queue("lambda", lastPart(n.Str()))
	}
	return model.Name{}
}

func (t *terraform) lambda(label string, self model.Name, r *doc.Node) {
	out := t.out
	out.Node(model.Node{Name: self, Kind: model.NodeConsumer, At: out.KeyLoc(r), Label: "Lambda function " + label})
	s := model.Service{Name: label, Kind: "function", At: out.KeyLoc(r), Node: self, Names: []model.Name{self}}
	if img := r.Get("image_uri"); img.Kind() == doc.Scalar {
		addName(&s, model.Image(img.Str()))
	}
	out.instances(&s, r.Get("reserved_concurrent_executions"))
	out.Service(s)
	for _, e := range one(r, "environment").Get("variables").Entries() {
		if name := t.text(e.Value); e.Value.Kind() != doc.Scalar && name != "" {
			out.Setting(model.Setting{Name: model.N(model.SpaceEnv, e.Key), Value: name, At: out.Loc(e.Value), For: self})
			continue
		}
		out.terraformSetting(e.Key, e.Value, self)
	}
	if d := one(r, "dead_letter_config").Get("target_arn"); d.Exists() {
		name := t.text(d)
		out.DeadLetter(model.DeadLetter{Of: self, Name: name, At: out.Loc(d), Origin: model.OriginExplicit})
	}
}

func (t *terraform) others(typ, label string, self model.Name, r *doc.Node) {
	out := t.out
	redisResource(typ, r, out)
	switch typ {
	case "google_pubsub_subscription":
		_, name, _ := cutName(self)
		dead, retry := one(r, "dead_letter_policy"), one(r, "retry_policy")
		out.pubsub(pubsubSubscription{name: name, topic: t.text(r.Get("topic")), block: r, dead: dead, deadTopic: dead.Get("dead_letter_topic"), attempts: dead.Get("max_delivery_attempts"),
			retry: retry, min: retry.Get("minimum_backoff"), max: retry.Get("maximum_backoff"), ack: r.Get("ack_deadline_seconds"), retention: r.Get("message_retention_duration"), push: one(r, "push_config").Get("push_endpoint")})
	case "google_cloud_tasks_queue":
		_, name, _ := cutName(self)
		c := one(r, "retry_config")
		out.tasks(tasksQueue{name: name, block: r, retry: c, attempts: c.Get("max_attempts"), age: c.Get("max_retry_duration"), min: c.Get("min_backoff"), max: c.Get("max_backoff"), doubled: c.Get("max_doublings")})
	case "google_cloud_scheduler_job":
		c, http := one(r, "retry_config"), one(r, "http_target")
		out.scheduler(schedulerJob{name: label, block: r, retry: c, count: c.Get("retry_count"), limit: c.Get("max_retry_duration"), min: c.Get("min_backoff_duration"), max: c.Get("max_backoff_duration"),
			doubled: c.Get("max_doublings"), deadline: r.Get("attempt_deadline"), uri: http.Get("uri"), method: http.Get("http_method"), topic: one(r, "pubsub_target").Get("topic_name")})
	case "google_cloud_run_v2_job":
		spec := one(r, "template", "template")
		out.runJob(label, exists(spec, r), spec.Get("max_retries"), spec.Get("timeout"), spec.Get("containers"))
	case "azurerm_servicebus_queue", "azurerm_servicebus_subscription", "azurerm_servicebus_topic":
		name, topic := label, ""
		if n := r.Get("name"); n.Kind() == doc.Scalar {
			name = n.Str()
		}
		if typ == "azurerm_servicebus_subscription" {
			topic = t.text(exists(r.Get("topic_id"), r.Get("topic_name")))
		}
		out.serviceBus(serviceBusQueue{name: name, topic: topic, block: r, count: r.Get("max_delivery_count"), lock: r.Get("lock_duration"), dedupe: r.Get("requires_duplicate_detection"),
			window: r.Get("duplicate_detection_history_time_window"), forward: r.Get("forward_dead_lettered_messages_to"), topicOnly: typ == "azurerm_servicebus_topic"})
	case "kubernetes_job", "kubernetes_job_v1", "kubernetes_cron_job", "kubernetes_cron_job_v1":
		t.kubernetesJob(typ, label, r)
	}
}

// kubernetesJob reads a Job in Terraform's spelling.
func (t *terraform) kubernetesJob(typ, label string, r *doc.Node) {
	out, spec := t.out, one(r, "spec")
	name, ns := label, ""
	if n := one(r, "metadata").Get("name"); n.Kind() == doc.Scalar {
		name = n.Str()
	}
	if n := one(r, "metadata").Get("namespace"); n.Kind() == doc.Scalar {
		ns = n.Str()
	}
	kind, node := "job", model.NodeBatch
	s := model.Service{Name: name, Kind: "job", At: out.KeyLoc(r), Namespace: ns}
	if strings.Contains(typ, "cron") {
		kind, node, s.Kind = "cronjob", model.NodeSchedule, "cronjob"
		s.Schedule = plain(spec.Get("schedule"))
		spec = one(spec, "job_template", "spec")
	}
	self := model.N(model.SpaceWorkload, kind+"/"+ns+"/"+name)
	s.Node = self
	out.Node(model.Node{Name: self, Kind: node, At: s.At, Label: kind + " " + name, Entry: true})
	pod := one(spec, "template", "spec")
	l := model.Layer{Kind: model.KindJob, In: self, Whole: true, Label: "Job backoffLimit", Policy: model.Policy{On: model.OnExit, Backoff: model.Exponential(10*time.Second, model.NewRatio(2, 1), jobCap)}}
	limit := spec.Get("backoff_limit")
	out.count(&l, limit, exists(spec, r), counting{offset: 1, absent: model.Exactly(7), by: "Kubernetes: backoffLimit is 6 where it is not set", off: "backoff_limit = 0", negative: refused})
	if rp := pod.Get("restart_policy").Str(); rp == "OnFailure" {
		if n, ok := l.Policy.Attempts.Max(); ok && n > 1 {
			l.Policy.Attempts = model.Between(n-1, n)
		}
		l.Policy.Backoff = crashLoop()
	}
	if d, ok := spec.Get("active_deadline_seconds").Int(); ok && d > 0 {
		l.Policy.Overall = model.For(time.Duration(d) * time.Second)
	}
	out.Layer(l)
	for _, c := range pod.Get("container").Many() {
		if img := c.Get("image"); img.Kind() == doc.Scalar {
			addName(&s, model.Image(img.Str()))
		}
		for _, e := range c.Get("env").Many() {
			out.terraformSetting(e.Get("name").Str(), e.Get("value"), self)
		}
		readCommands(c, self, ns, out)
	}
	out.Service(s)
}

// module reads the public modules whose inputs are those of the resources.
func (t *terraform) module(label string, m *doc.Node) {
	src := m.Get("source").Str()
	name := label
	if n := m.Get("name"); n.Kind() == doc.Scalar {
		name = n.Str()
	}
	switch {
	case strings.HasSuffix(src, "/sqs/aws"):
		redrive := m.Get("redrive_policy")
		if on, _ := m.Get("create_dlq").Bool(); on || redrive.Exists() {
			t.out.sqs(sqsQueue{name: queue("sqs", name), block: m, visibility: m.Get("visibility_timeout_seconds"), retention: m.Get("message_retention_seconds"), redrive: redrive, fifo: m.Get("fifo_queue"), dead: t.resolve})
		}
	case strings.HasSuffix(src, "/lambda/aws"):
		if n := m.Get("maximum_retry_attempts"); n.Exists() {
			if f := m.Get("function_name"); f.Kind() == doc.Scalar {
				name = f.Str()
			}
			t.out.lambdaAsync(lambdaAsync{function: queue("lambda", name), block: m, retries: n, age: m.Get("maximum_event_age_in_seconds")})
		}
	}
}
