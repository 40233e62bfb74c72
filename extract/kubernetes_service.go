package extract

import (
	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "kubernetes-service",
	Title: "Kubernetes Service",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("", "Service"),
	Read: func(d *doc.Document, out *Out) {
		root := d.Root
		ns := namespace(root)
		s := model.Service{Name: objectName(root), Kind: "service", At: out.Loc(root.Path("metadata.name")), Namespace: ns,
			Names: []model.Name{model.Host(objectName(root), ns)}, Selector: labelsOf(root.Path("spec.selector"))}
		if s.Names[0].IsZero() {
			s.Names = nil
		}
		if ext := root.Path("spec.externalName"); ext.Kind() == doc.Scalar {
			addName(&s, model.Host(ext.Str(), ""))
		}
		out.Service(s)
	},
	Keys: []Key{{"spec.selector", "labels of the pods that answer", "none", "", ""}},
	Doc: `Gives a host name to the workloads that its selector chooses: "name", "name.namespace", "name.namespace.svc" and the longer
forms mean the same. Source: catalogue, L1.`,
	Example: `
-- svc.yaml --
apiVersion: v1
kind: Service
metadata: {name: ledger, namespace: pay} # want service "ledger host:ledger.pay"
spec: {selector: {app: ledger}}
`,
})
