package extract

import (
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "kubernetes-job",
	Title: "Kubernetes Job",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("batch", "Job"),
	Read: func(d *doc.Document, out *Out) {
		root := d.Root
		self := workload(root)
		out.Node(model.Node{Name: self, Kind: model.NodeBatch, At: out.Loc(root.Get("kind")), Label: "Job " + objectName(root), Entry: true})
		s := model.Service{Name: objectName(root), Kind: "job", At: out.Loc(root.Path("metadata.name")), Namespace: namespace(root), Node: self}
		readJobSpec(root.Get("spec"), self, &s, out)
		out.Service(s)
	},
	Keys: []Key{
		{"spec.backoffLimit", "retries", "6, Kubernetes", "1 attempt", "invalid"},
		{"spec.backoffLimitPerIndex", "retries of each index", "none", "1 attempt", "invalid"},
		{"spec.activeDeadlineSeconds", "limit over all attempts", "none", "", "invalid"},
	},
	Doc: `The Job controller makes failed pods again until more than backoffLimit have failed: attempts = backoffLimit + 1 with
restartPolicy Never, 7 by default. With OnFailure the kubelet restarts the containers in the pod, and the Job gives up when the
restarts reach backoffLimit: N complete runs and at most one that is cut short; 0 and 1 act alike. Waits: 10s doubling up to 10m
(Never), the kubelet's crash loop with OnFailure (none, then 10s doubling up to 5m). No jitter. The caller is the Job, the callees
are what its containers call: commands with curl and the like, and the program of its image. Source: catalogue, A1 and A3.`,
	Example: `
-- never.yaml --
apiVersion: batch/v1
kind: Job
metadata: {name: bill, namespace: pay}
spec: # want layer "attempts=7 origin=default backoff=exponential initial=10s max=10m waits=10m30s"
  template:
    spec:
      restartPolicy: Never
      containers: [{name: bill, image: "registry.test/pay/bill:1"}]
-- onfailure.yaml --
apiVersion: batch/v1
kind: Job
metadata: {name: bill, namespace: pay}
spec:
  backoffLimit: 3 # want layer "attempts=3..4 initial=0s"
  template:
    spec: {restartPolicy: OnFailure}
-- once.yaml --
apiVersion: batch/v1
kind: Job
metadata: {name: bill}
spec:
  backoffLimit: 0 # want layer "attempts=1"
  template:
    spec: {restartPolicy: Never}
`,
})

// jobCap is the longest wait between pods of a Job in the controller's source (1.34); the documentation says 6 minutes, and
// for the default of 6 retries both give the same waits. Source: catalogue, A1.
const jobCap = 10 * time.Minute

// readJobSpec reads the spec of a Job, which stands under a CronJob and others too.
func readJobSpec(spec *doc.Node, self model.Name, s *model.Service, out *Out) {
	pod := spec.Path("template.spec")
	limit := spec.Get("backoffLimit")
	perIndex := spec.Get("backoffLimitPerIndex")
	onFailure := pod.Get("restartPolicy").Str() == "OnFailure"
	p := model.Policy{On: model.OnExit, Backoff: model.Exponential(10*time.Second, model.NewRatio(2, 1), jobCap)}
	l := model.Layer{Kind: model.KindJob, At: out.Loc(limit.Or(spec)), In: self, Whole: true, Label: "Job backoffLimit"}
	n, ok := int64(6), true
	switch {
	case perIndex.Exists():
		n, ok = perIndex.Int()
		l.At, l.Label = out.Loc(perIndex), "Job backoffLimitPerIndex"
	case limit.Exists():
		n, ok = limit.Int()
	default:
		l.At = out.KeyLoc(spec)
		l.Origin, l.DefaultBy, l.OffSwitch = model.OriginDefault, "Kubernetes: backoffLimit is 6 where it is not set", "spec.backoffLimit: 0"
	}
	l.Refs = templateRef(limit, 1)
	switch {
	case !ok:
		if limit.Kind() == doc.Scalar {
			out.Gap(limit, "backoffLimit is %q, not a number", limit.Str())
		}
	case n < 0:
		out.Gap(limit.Or(perIndex), "backoffLimit is negative, which Kubernetes refuses")
	case onFailure && n <= 1:
		p.Attempts = model.Between(1, 2)
		if !limit.Exists() || n == 0 {
			p.Attempts = model.Exactly(1) // one complete run; what may follow is cut short
		}
	case onFailure:
		p.Attempts = model.Between(n, n+1)
	default:
		p.Attempts = model.Retries(n)
	}
	if onFailure {
		p.Backoff = crashLoop()
	}
	if d, ok := spec.Get("activeDeadlineSeconds").Int(); ok && d > 0 {
		p.Overall = model.For(time.Duration(d) * time.Second)
	}
	if d, ok := pod.Get("activeDeadlineSeconds").Int(); ok && d > 0 && !onFailure {
		p.PerAttempt = model.For(time.Duration(d) * time.Second)
	}
	l.Policy = p
	for _, r := range spec.Path("podFailurePolicy.rules").Items() {
		switch r.Get("action").Str() {
		case "FailJob":
			l.Traits = append(l.Traits, model.Trait{Kind: model.TraitFiltersPermanent, At: out.Loc(r), Detail: "podFailurePolicy FailJob"})
		case "Ignore":
			l.Traits = append(l.Traits, model.Trait{Kind: model.TraitOpKnown, At: out.Loc(r), Detail: "podFailurePolicy Ignore: such failures are not counted"})
		}
	}
	out.Layer(l)
	s.Replicas = model.Exactly(1)
	if n, ok := spec.Get("parallelism").Int(); ok && n > 1 {
		s.Replicas, s.ReplicasAt = model.Exactly(n), out.Loc(spec.Get("parallelism"))
	}
	readPod(pod, self, s.Namespace, s, out)
}

// crashLoop is the kubelet's waits between restarts of a container: the first at once, then 10 s doubling up to 5 m.
// Source: catalogue, A3.
func crashLoop() model.Backoff {
	return model.Backoff{Kind: model.BackoffList, Initial: model.For(0), List: []time.Duration{0, 10 * time.Second, 20 * time.Second, 40 * time.Second,
		80 * time.Second, 160 * time.Second, 300 * time.Second}, Jitter: model.Jitter{Kind: model.JitterNone}}
}

// templateRef is the setting behind a templated count; nil where the value is plain.
func templateRef(n *doc.Node, offset int64) []model.Ref {
	if n.Kind() != doc.Unknown {
		return nil
	}
	name := templateName(n.Template())
	if name.IsZero() {
		return nil
	}
	return []model.Ref{{Field: model.FieldAttempts, Name: name, Offset: offset}}
}
