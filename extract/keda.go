package extract

import (
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "keda-scaledjob",
	Title: "KEDA ScaledJob",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("keda.sh", "ScaledJob"),
	Read: func(d *doc.Document, out *Out) {
		root := d.Root
		self := workload(root)
		spec := root.Get("spec")
		out.Node(model.Node{Name: self, Kind: model.NodeConsumer, At: out.Loc(root.Path("metadata.name").Or(root.Get("kind"))), Label: "ScaledJob " + objectName(root), Entry: true})
		s := model.Service{Name: objectName(root), Kind: "job", At: out.Loc(root.Path("metadata.name")), Namespace: namespace(root), Node: self}
		readJobSpec(spec.Get("jobTargetRef"), self, &s, out)
		if n, ok := spec.Get("maxReplicaCount").Int(); ok && n > 0 {
			s.Replicas, s.ReplicasAt = model.Exactly(n), out.Loc(spec.Get("maxReplicaCount"))
		} else {
			s.Replicas, s.ReplicasAt = model.Exactly(100), out.Loc(root.Get("kind"))
		}
		for _, t := range spec.Get("triggers").Items() {
			if q := kedaQueue(t); !q.IsZero() {
				out.Edge(model.Edge{From: q, To: self, Kind: model.EdgeDeliver, At: out.Loc(t.Get("type").Or(t)), Label: "KEDA trigger"})
			}
		}
		out.Service(s)
	},
	Keys: []Key{
		{"spec.jobTargetRef.backoffLimit", "retries", "6, Kubernetes", "1 attempt", "invalid"},
		{"spec.maxReplicaCount", "Jobs at once", "100, KEDA", "", ""},
	},
	Doc: `Each poll starts Jobs for the messages in a queue. The Job retries as any Job, and a message that no Job took stays in the queue,
so its redelivery multiplies. Source: catalogue, C11.`,
	Example: `
-- sj.yaml --
apiVersion: keda.sh/v1alpha1
kind: ScaledJob
metadata: {name: resize, namespace: media}
spec:
  jobTargetRef: # want layer "attempts=7 origin=default"
    template:
      spec:
        restartPolicy: Never
        containers: [{name: resize, image: "media/resize:1"}]
  maxReplicaCount: 20 # want service "resize replicas=20"
  triggers:
    - type: aws-sqs-queue # want edge "queue:sqs:resize kind=deliver workload:scaledjob/media/resize"
      metadata: {queueURL: "https://sqs.eu-west-1.amazonaws.com/1234/resize"}
`,
})

// kedaQueue is the queue that a trigger watches; zero where it is none, or not known.
func kedaQueue(t *doc.Node) model.Name {
	m := t.Get("metadata")
	text := func(keys ...string) string {
		for _, k := range keys {
			if n := m.Get(k); n.Kind() == doc.Scalar {
				return n.Str()
			}
		}
		return ""
	}
	broker, name := "", ""
	switch t.Get("type").Str() {
	case "aws-sqs-queue":
		broker, name = "sqs", text("queueURL")
	case "rabbitmq":
		broker, name = "rabbitmq", text("queueName")
	case "kafka", "apache-kafka":
		broker, name = "kafka", text("topic")
	case "gcp-pubsub":
		broker, name = "pubsub", text("subscriptionName", "topicName")
	case "azure-servicebus":
		broker, name = "servicebus", text("queueName", "topicName")
	case "nats-jetstream":
		broker, name = "nats", text("stream")
	case "redis", "redis-streams":
		broker, name = "redis", text("listName", "stream")
	}
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	if broker == "" || name == "" {
		return model.Name{}
	}
	return model.N(model.SpaceQueue, broker+":"+name)
}

var _ = add(Format{
	Name:  "kubernetes-autoscaler",
	Title: "HorizontalPodAutoscaler and KEDA ScaledObject",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(p string, d *doc.Document) bool {
		return kind("autoscaling", "HorizontalPodAutoscaler")(p, d) || kind("keda.sh", "ScaledObject")(p, d)
	},
	Read: func(d *doc.Document, out *Out) {
		root := d.Root
		spec := root.Get("spec")
		ref := spec.Get("scaleTargetRef")
		ns := namespace(root)
		target := model.N(model.SpaceWorkload, strings.ToLower(ref.Get("kind").Str("Deployment"))+"/"+ns+"/"+plain(ref.Get("name")))
		most := spec.Get("maxReplicas")
		s := model.Service{Name: plain(ref.Get("name")), Kind: "autoscaler", At: out.Loc(root.Path("metadata.name").Or(root.Get("kind"))), Namespace: ns, Names: []model.Name{target}}
		if root.Get("kind").Str() == "ScaledObject" {
			most = spec.Get("maxReplicaCount")
			s.Replicas, s.ReplicasAt = model.Exactly(100), out.Loc(root.Get("kind")) // KEDA's default
		}
		if most.Exists() {
			s.Replicas, s.ReplicasAt = model.Count{}, out.Loc(most)
			if n, ok := most.Int(); ok && n > 0 {
				s.Replicas = model.Exactly(n)
			} else if most.Kind() == doc.Scalar {
				out.Gap(most, "%s: %q is not a number of replicas", most.Key(), most.Str())
			}
		}
		out.Service(s)
	},
	Keys: []Key{
		{"spec.maxReplicas", "how many may run at once", "required", "", "invalid"},
		{"spec.maxReplicaCount (ScaledObject)", "how many may run at once", "100, KEDA", "", "invalid"},
	},
	Doc: `Says how many pods of a workload may run at once; that counts for memory that each pod has for itself. Source: catalogue, A4 and C11.`,
	Example: `
-- hpa.yaml --
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: hooks, namespace: crm}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: hooks}
  minReplicas: 1
  maxReplicas: 5 # want service "hooks replicas=5 workload:deployment/crm/hooks"
`,
})
