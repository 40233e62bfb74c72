package extract

import (
	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "kubernetes-workload",
	Title: "Kubernetes Deployment, StatefulSet, DaemonSet, ReplicaSet, Pod",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(p string, d *doc.Document) bool {
		return kind("apps", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")(p, d) || kind("", "Pod")(p, d)
	},
	Read: readWorkload,
	Keys: []Key{
		{"spec.replicas", "how many run at once", "1, Kubernetes; unknown for a DaemonSet (one each node)", "none runs", "invalid"},
	},
	Doc: `Names what runs: image, environment, labels and how many of it. The restarts of a long-running workload are no layer.
Its containers' environment gives the settings that code reads. Source: catalogue, A3 and A4.`,
	Example: `
-- deploy.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: hooks, namespace: crm}
spec:
  replicas: 3 # want service "hooks replicas=3"
  template:
    metadata: {labels: {app: hooks}}
    spec:
      containers:
        - name: hooks
          image: "hooks:1"
          env:
            - {name: MAX_RETRIES, value: "5"} # want setting "env:MAX_RETRIES=5"
            - name: MAX_WAIT # want setting "env:MAX_WAIT= unknown"
              valueFrom: {secretKeyRef: {name: hidden, key: wait}}
`,
})

func readWorkload(d *doc.Document, out *Out) {
	root := d.Root
	self := workload(root)
	spec := root.Get("spec")
	k := root.Get("kind").Str()
	s := model.Service{Name: objectName(root), Kind: kindWord(k), At: out.Loc(root.Path("metadata.name")), Namespace: namespace(root),
		Names: []model.Name{self}, Replicas: model.Exactly(1), ReplicasAt: out.KeyLoc(spec)}
	pod := spec.Path("template.spec")
	s.Labels = labelsOf(spec.Path("template.metadata.labels"))
	if k == "Pod" {
		pod, s.Labels = spec, labelsOf(root.Path("metadata.labels"))
	}
	if r := spec.Get("replicas"); r.Exists() {
		s.ReplicasAt = out.Loc(r)
		if n, ok := r.Int(); ok && n >= 0 {
			s.Replicas = model.Exactly(n)
		} else {
			s.Replicas = model.Count{}
		}
	}
	if k == "DaemonSet" {
		s.Replicas = model.Count{}
	}
	readPod(pod, self, s.Namespace, &s, out)
	if sn := plain(spec.Get("serviceName")); sn != "" {
		addName(&s, model.Host(sn, s.Namespace))
	}
	if id := plain(spec.Path("template.metadata.annotations").Get("dapr.io/app-id")); id != "" {
		addName(&s, model.N(model.SpaceHost, "dapr:"+id))
	}
	meta := spec.Get("template").Get("metadata")
	if k == "Pod" {
		meta = root.Get("metadata")
	}
	s.Sidecar = sidecarOfNamespace(s.Namespace)
	if n := injected(meta.Get("labels")); n != nil {
		s.Sidecar = model.N(model.SpaceConfig, "istio-sidecar/"+self.Key)
		sidecarDefault(n, s.Sidecar, out)
	} else if n := injected(meta.Get("annotations")); n != nil {
		s.Sidecar = model.N(model.SpaceConfig, "istio-sidecar/"+self.Key)
		sidecarDefault(n, s.Sidecar, out)
	} else if optedOut(meta.Get("labels")) || optedOut(meta.Get("annotations")) {
		s.Sidecar = model.Name{}
	}
	out.Service(s)
}

// optedOut reports whether pods are kept free of an Istio sidecar.
func optedOut(labels *doc.Node) bool { return labels.Get("sidecar.istio.io/inject").Str() == "false" }

func kindWord(k string) string {
	switch k {
	case "Deployment":
		return "deployment"
	case "StatefulSet":
		return "statefulset"
	case "DaemonSet":
		return "daemonset"
	case "ReplicaSet":
		return "replicaset"
	}
	return "pod"
}
