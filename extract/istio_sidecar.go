package extract

import (
	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "istio-namespace",
	Title: "Istio sidecar injection of a namespace",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(p string, d *doc.Document) bool {
		return kind("", "Namespace")(p, d) && injected(d.Root.Path("metadata.labels")) != nil
	},
	Read: func(d *doc.Document, out *Out) {
		sidecarDefault(injected(d.Root.Path("metadata.labels")), sidecarOfNamespace(objectName(d.Root)), out)
	},
	Keys: []Key{{"istio-injection, istio.io/rev (labels)", "the pods of the namespace carry a sidecar", "no sidecar", "", ""}},
	Doc: `Calls that leave a pod with an Istio sidecar are repeated twice although no VirtualService is for their host: that is the mesh's
default. It counts for workloads that are known to carry one, by a label or annotation of the pod template or a label of the
namespace, and for hosts that are Services. Source: catalogue, B1.`,
	Example: `
-- ns.yaml --
apiVersion: v1
kind: Namespace
metadata:
  name: shop
  labels:
    istio-injection: enabled # want layer "attempts=3 origin=default kind=mesh"
`,
})

// injected is the label or annotation that puts an Istio sidecar into pods; nil where there is none.
func injected(labels *doc.Node) *doc.Node {
	for _, k := range []string{"sidecar.istio.io/inject", "istio-injection", "istio.io/rev"} {
		n := labels.Get(k)
		switch {
		case n.Kind() != doc.Scalar:
		case n.Str() == "false" || n.Str() == "disabled":
			return nil
		case n.Str() == "true" || n.Str() == "enabled" || k == "istio.io/rev":
			return n
		}
	}
	return nil
}

func sidecarOfNamespace(ns string) model.Name {
	return model.N(model.SpaceConfig, "istio-sidecar/"+ns)
}

// sidecarDefault is the layer around calls for which there is no VirtualService. The linker leaves it out where no call is found.
func sidecarDefault(at *doc.Node, name model.Name, out *Out) {
	l := model.Layer{Kind: model.KindMesh, At: out.Loc(at), In: name, As: name, Else: istioDefaults, Label: "Istio sidecar"}
	l.Policy = model.Policy{On: istioDefaultOn, Backoff: istioBackoff(envoyBase), Overall: model.NoLimit()}
	out.countAbsent(&l, counting{absent: model.Retries(2), by: "Istio: 2 retries where no VirtualService is for a host", off: "meshConfig.defaultHttpRetryPolicy: {attempts: 0}"})
	out.Layer(l)
}
