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
		first := len(out.Facts.Edges)
		readJobSpec(root.Get("spec"), self, &s, out)
		for i := range out.Facts.Edges[first:] {
			if k := &out.Facts.Edges[first+i].Key; k.How == model.KeyConstant {
				k.How = model.KeyDerived // a Job runs for one intent: its manifest is what the key stands for
			}
		}
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
kind: Job # want layer "attempts=7 origin=default backoff=exponential initial=10s max=10m waits=10m30s"
metadata: {name: bill, namespace: pay}
spec:
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
	l := model.Layer{Kind: model.KindJob, In: self, Whole: true, Label: "Job backoffLimit"}
	c := counting{offset: 1, absent: model.Retries(6), by: "Kubernetes: backoffLimit is 6 where it is not set", off: "spec.backoffLimit: 0"}
	limit := spec.Get("backoffLimit")
	if perIndex := spec.Get("backoffLimitPerIndex"); perIndex.Exists() {
		limit, l.Label = perIndex, "Job backoffLimitPerIndex"
	}
	out.count(&l, limit, spec, c)
	if k := spec.Parent().Get("kind"); !limit.Exists() && k.Exists() {
		l.At = out.Loc(k) // nobody wrote it: the object is the place
	}
	p := &l.Policy
	p.On, p.Backoff = model.OnExit, model.Exponential(10*time.Second, model.NewRatio(2, 1), jobCap)
	restart := pod.Get("restartPolicy")
	onFailure := restart.Str() == "OnFailure"
	if onFailure || restart.Kind() == doc.Unknown || pod.Partial() && !restart.Exists() {
		p.Attempts = jobOnFailure(p.Attempts)
	}
	if onFailure {
		p.Backoff = crashLoop()
	}
	if n := spec.Get("activeDeadlineSeconds"); n.Exists() {
		p.Overall = out.span(&l, n, model.FieldOverall, time.Second)
	} else if !spec.Partial() {
		p.Overall = model.NoLimit()
	}
	if n := pod.Get("activeDeadlineSeconds"); n.Exists() && !onFailure {
		p.PerAttempt = out.span(&l, n, model.FieldPerAttempt, time.Second)
	}
	for _, r := range spec.Path("podFailurePolicy.rules").Items() {
		switch r.Get("action").Str() {
		case "FailJob", "FailIndex":
			l.Traits = append(l.Traits, model.Trait{Kind: model.TraitFiltersPermanent, At: out.Loc(r), Detail: "podFailurePolicy " + r.Get("action").Str()})
		case "Ignore":
			l.Traits = append(l.Traits, model.Trait{Kind: model.TraitOpKnown, At: out.Loc(r), Detail: "podFailurePolicy Ignore: such failures are not counted"})
			if r.Get("onExitCodes").Exists() && !p.Attempts.IsUnknown() {
				// A program that leaves with such a code is started again without end.
				p.Attempts = model.AtLeast(p.Attempts.Min())
			}
		}
	}
	out.Layer(l)
	s.Replicas = model.Exactly(1)
	if n, ok := spec.Get("parallelism").Int(); ok && n > 1 {
		s.Replicas, s.ReplicasAt = model.Exactly(n), out.Loc(spec.Get("parallelism"))
	}
	readPod(pod, self, s.Namespace, s, out)
}

// jobOnFailure turns the attempts of pods (restartPolicy Never) into runs of the containers with OnFailure: the Job is ended when
// the restarts reach backoffLimit, so the last run is cut short, and 0 acts like 1. Source: catalogue, A1.
func jobOnFailure(pods model.Count) model.Count {
	n, ok := pods.Max()
	if !ok {
		return pods
	}
	if n <= 2 {
		return model.Between(1, 2)
	}
	return model.Between(n-1, n)
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
