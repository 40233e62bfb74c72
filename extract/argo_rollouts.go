package extract

import (
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "argo-rollouts",
	Title: "Argo Rollouts Rollout and AnalysisTemplate",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("argoproj.io", "AnalysisTemplate", "ClusterAnalysisTemplate", "Rollout"),
	Read: func(d *doc.Document, out *Out) {
		root := d.Root
		if root.Get("kind").Str() == "Rollout" {
			readWorkload(d, out)
			return
		}
		self := workload(root)
		for _, m := range root.Path("spec.metrics").Items() {
			rolloutMetric(m, self, out)
		}
	},
	Keys: []Key{
		{"spec.metrics[].consecutiveErrorLimit", "errors in a row that are borne; one more ends it", "4, Argo Rollouts", "the first error ends it", "invalid"},
		{"spec.metrics[].failureLimit", "failed measurements that are borne; no retries", "0, Argo Rollouts", "", ""},
		{"spec.metrics[].provider.job.spec.backoffLimit", "retries of the metric's Job", "6, Kubernetes", "1 attempt", "invalid"},
		{"spec.metrics[].provider.web.timeoutSeconds", "limit of one measurement, seconds", "10, Argo Rollouts", "", ""},
	},
	Doc: `A measurement that ended in an error is taken again until consecutiveErrorLimit is exceeded, 10s apart. A web metric is a call of its url. A Rollout
is a workload as a Deployment is. Source: catalogue, C7.`,
	Example: `
-- at.yaml --
apiVersion: argoproj.io/v1alpha1
kind: AnalysisTemplate
metadata: {name: ok, namespace: web}
spec:
  metrics:
    - name: smoke
      consecutiveErrorLimit: 2 # want layer "attempts=3"
      provider:
        web:
          url: http://smoke.web.svc:8080/check # want edge "GET host:smoke.web /check timeout=5s"
          timeoutSeconds: 5
    - name: batch
      provider:
        job:
          spec:
            backoffLimit: 1 # want layer "attempts=2 kind=job"
            template: {spec: {restartPolicy: Never, containers: [{name: c, image: check}]}}
-- rollout.yaml --
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: web, namespace: web}
spec:
  replicas: 4 # want service "web replicas=4"
  template: {spec: {containers: [{name: c, image: web}]}}
`,
})

func rolloutMetric(m *doc.Node, self model.Name, out *Out) {
	l := model.Layer{Kind: model.KindDelivery, In: self, Label: "Argo Rollouts consecutiveErrorLimit"}
	out.count(&l, m.Get("consecutiveErrorLimit"), m, counting{offset: 1, absent: model.Retries(4), by: "Argo Rollouts: 4 errors in a row are borne where nothing is set",
		off: "consecutiveErrorLimit: 0"})
	l.Policy.On, l.Policy.Backoff = model.OnError, model.Constant(errorInterval)
	if job := m.Path("provider.job.spec"); job.Kind() == doc.Map {
		at := out.KeyLoc(m.Path("provider.job"))
		run := model.N(model.SpaceWorkload, "job/"+self.Key+"/"+plain(m.Get("name")))
		out.Node(model.Node{Name: run, Kind: model.NodeBatch, At: at, Label: "Job of metric " + plain(m.Get("name"))})
		out.Edge(model.Edge{From: self, To: run, Kind: model.EdgeSchedule, At: at})
		readJobSpec(job, run, &model.Service{Name: plain(m.Get("name")), Kind: "job", At: at, Node: run}, out)
	}
	web := m.Path("provider.web")
	if !web.Exists() && !m.Get("consecutiveErrorLimit").Exists() {
		return // a default around a query that changes nothing
	}
	id := out.Layer(l).ID
	url := web.Get("url")
	to := model.Host(plain(url), "")
	if to.IsZero() {
		return
	}
	e := model.Edge{From: self, To: to, Kind: model.EdgeRequest, At: out.Loc(url), Method: strings.ToUpper(web.Get("method").Str("GET")), Path: pathOf(plain(url)), Under: []string{id},
		Timeout: model.For(errorInterval)}
	if n := web.Get("timeoutSeconds"); n.Exists() {
		e.Timeout = out.span(&l, n, model.FieldTimeout, oneSecond)
	}
	e.Key = model.Key{How: model.KeyNone, At: e.At}
	for _, h := range web.Get("headers").Items() {
		if IdempotencyHeader(plain(h.Get("key"))) {
			e.Key = templateKey(h.Get("value"), plain(h.Get("key")), self, out)
		}
	}
	out.Edge(e)
}
