package extract

import (
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "tekton",
	Title: "Tekton Pipeline, PipelineRun, TaskRun, Task",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("tekton.dev", "Pipeline", "PipelineRun", "TaskRun", "Task", "ClusterTask"),
	Read:  readTekton,
	Keys: []Key{
		{"spec.tasks[].retries, spec.finally[].retries", "retries", "0, Tekton", "none", "invalid"},
		{"spec.retries (TaskRun)", "retries", "0, Tekton", "none", "invalid"},
		{"spec.tasks[].timeout", "limit of one attempt", "1h, Tekton (unverified)", "none", ""},
	},
	Doc: `A task of a pipeline that failed runs again at once: retries counts retries. timeout is for one attempt. A step's script is where calls are.
Source: catalogue, C9.`,
	Example: `
-- pipeline.yaml --
apiVersion: tekton.dev/v1
kind: Pipeline
metadata: {name: release}
spec:
  tasks:
    - name: publish
      retries: 2 # want layer "attempts=3 backoff=none perAttempt=10m"
      timeout: 10m
      taskSpec:
        steps:
          - image: curlimages/curl
            script: |
              curl -X POST https://hooks.example.test/released # want edge "POST host:hooks.example.test /released"
    - name: plain
      taskRef: {name: build}
-- run.yaml --
apiVersion: tekton.dev/v1
kind: TaskRun
metadata: {name: once}
spec:
  retries: 0 # want layer "attempts=1"
  taskRef: {name: build}
`,
})

func readTekton(d *doc.Document, out *Out) {
	root := d.Root
	spec := root.Get("spec")
	self := workload(root)
	k := root.Get("kind").Str()
	if k == "Task" || k == "ClusterTask" {
		tektonSteps(spec, self, namespace(root), out)
		return
	}
	out.Node(model.Node{Name: self, Kind: model.NodeWorkflow, At: out.Loc(root.Path("metadata.name").Or(root.Get("kind"))), Label: k + " " + objectName(root), Entry: true})
	if k == "TaskRun" {
		if n := spec.Get("retries"); n.Exists() {
			tektonLayer(spec, self, out)
		}
		tektonCalls(spec, self, namespace(root), out)
		return
	}
	if k == "PipelineRun" {
		spec = spec.Get("pipelineSpec")
	}
	for _, list := range []string{"tasks", "finally"} {
		for _, t := range spec.Get(list).Items() {
			step := model.N(model.SpaceStep, self.Key+"#"+plain(t.Get("name")))
			out.Node(model.Node{Name: step, Kind: model.NodeStep, At: out.Loc(t.Get("name").Or(t)), Label: "task " + plain(t.Get("name"))})
			out.Edge(model.Edge{From: self, To: step, Kind: model.EdgeSchedule, At: out.Loc(t.Get("name").Or(t))})
			if t.Get("retries").Exists() {
				tektonLayer(t, step, out)
			}
			tektonCalls(t, step, namespace(root), out)
		}
	}
}

func tektonLayer(t *doc.Node, in model.Name, out *Out) {
	l := model.Layer{Kind: model.KindWorkflow, In: in, Whole: true, Label: "Tekton retries"}
	out.count(&l, t.Get("retries"), t, counting{offset: 1})
	l.Policy.On, l.Policy.Backoff = model.OnExit, model.NoBackoff()
	l.Policy.PerAttempt = positive(out.span(&l, t.Get("timeout"), model.FieldPerAttempt, 0))
	out.Layer(l)
}

// tektonCalls joins a task with its steps: those that stand with it, or those of the Task that it names.
func tektonCalls(t *doc.Node, in model.Name, ns string, out *Out) {
	tektonSteps(t.Get("taskSpec"), in, ns, out)
	if ref := t.Path("taskRef.name"); ref.Kind() == doc.Scalar {
		k := strings.ToLower(t.Path("taskRef.kind").Str("Task"))
		out.Edge(model.Edge{From: in, To: model.N(model.SpaceWorkload, k+"/"+ns+"/"+ref.Str()), Kind: model.EdgeCall, At: out.Loc(ref)})
	}
}

func tektonSteps(spec *doc.Node, self model.Name, ns string, out *Out) {
	for _, s := range spec.Get("steps").Items() {
		svc := model.Service{Kind: "step", Node: self}
		readContainer(s, self, ns, &svc, out, false)
		if src := s.Get("script"); src.Kind() == doc.Scalar || src.Kind() == doc.Unknown {
			for _, c := range shellCalls(src.Str()) {
				c.edge(self, ns, src, out)
			}
		}
	}
}
