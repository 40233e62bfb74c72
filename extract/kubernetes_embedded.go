package extract

import (
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "kubernetes-embedded-job",
	Title: "Kubernetes Job inside another object",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(_ string, d *doc.Document) bool {
		switch k := d.Root.Get("kind").Str(); k {
		case "", "Job", "CronJob", "List", "Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow": // read by their own formats
			return false
		}
		return d.Root.Get("apiVersion").Exists() && hasEmbeddedJob(d.Root)
	},
	Read: readEmbeddedJobs,
	Keys: []Key{{"**.spec.backoffLimit", "retries", "6, Kubernetes", "1 attempt", "invalid"}},
	Doc: `Experiments, templates and ConfigMaps hold whole Job manifests, as maps or as texts; the controller that makes them leaves
backoffLimit as it is, so the default of 6 holds where nobody wrote it. Source: catalogue, A1.`,
	Example: `
-- experiment.yaml --
apiVersion: kubeflow.org/v1beta1
kind: Experiment
metadata: {name: random, namespace: ml}
spec:
  trialTemplate:
    trialSpec:
      apiVersion: batch/v1
      kind: Job # want layer "attempts=7 origin=default"
      spec:
        template:
          spec: {restartPolicy: Never}
-- templates.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: templates}
data:
  default.yaml: |
    apiVersion: batch/v1
    kind: Job
    spec:
      backoffLimit: 2 # want layer "attempts=3"
      template:
        spec: {restartPolicy: Never}
`,
})

// maxEmbedded bounds the texts that are parsed for manifests.
const maxEmbedded = 200

func readEmbeddedJobs(d *doc.Document, out *Out) {
	parsed := 0
	d.Root.Walk(func(n *doc.Node) bool {
		if n != d.Root && n.Kind() == doc.Map && isJob(n) {
			readEmbeddedJob(n, out)
			return false
		}
		text := ""
		if n.Kind() == doc.Scalar || n.Kind() == doc.Unknown {
			text = n.Str()
		}
		if parsed < maxEmbedded && strings.Contains(text, "kind: Job") && strings.Contains(text, "batch/v1") {
			parsed++
			f := n.ParseAs(doc.YAML, doc.Limits{MaxBytes: 1 << 20})
			for _, e := range f.Docs {
				if isJob(e.Root) {
					readEmbeddedJob(e.Root, out)
				}
			}
		}
		return true
	})
}

func isJob(n *doc.Node) bool {
	return n.Get("kind").Str() == "Job" && strings.HasPrefix(n.Get("apiVersion").Str(), "batch/") && n.Get("spec").Exists()
}

func readEmbeddedJob(n *doc.Node, out *Out) {
	name := objectName(n)
	self := model.N(model.SpaceWorkload, "job/"+out.Path+"/"+name)
	out.Node(model.Node{Name: self, Kind: model.NodeBatch, At: out.Loc(n.Get("kind")), Label: strings.TrimSpace("Job " + name), Entry: true})
	s := model.Service{Name: name, Kind: "job", At: out.Loc(n.Get("kind")), Node: self}
	readJobSpec(n.Get("spec"), self, &s, out)
}

// hasEmbeddedJob reports whether an object carries a Job's manifest.
func hasEmbeddedJob(root *doc.Node) bool {
	found := false
	root.Walk(func(n *doc.Node) bool {
		if found {
			return false
		}
		if n.Kind() == doc.Scalar || n.Kind() == doc.Unknown {
			text := n.Str()
			found = text == "Job" && n.Key() == "kind" && n.Parent() != root || len(text) > 20 && strings.Contains(text, "kind: Job") && strings.Contains(text, "batch/v1")
		}
		return !found
	})
	return found
}
