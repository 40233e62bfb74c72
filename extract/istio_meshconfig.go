package extract

import (
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "istio-mesh-config",
	Title: "Istio mesh config (ConfigMap, IstioOperator, Helm values)",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(p string, d *doc.Document) bool {
		r := d.Root
		return r.Path("meshConfig.defaultHttpRetryPolicy").Exists() || r.Get("defaultHttpRetryPolicy").Exists() ||
			kind("install.istio.io", "IstioOperator")(p, d) || kind("sailoperator.io", "Istio")(p, d) ||
			kind("", "ConfigMap")(p, d) && strings.Contains(r.Path("data.mesh").Str(), "defaultHttpRetryPolicy")
	},
	Read: func(d *doc.Document, out *Out) {
		r := d.Root
		for _, at := range []string{"meshConfig", "spec.meshConfig", "spec.values.meshConfig"} {
			meshDefault(r.Path(at).Get("defaultHttpRetryPolicy"), out)
		}
		meshDefault(r.Get("defaultHttpRetryPolicy"), out)
		if m := r.Path("data.mesh"); m.Exists() {
			for _, inner := range m.ParseAs(doc.YAML, doc.Limits{MaxBytes: 1 << 20}).Docs {
				meshDefault(inner.Root.Get("defaultHttpRetryPolicy"), out)
			}
		}
	},
	Keys: []Key{
		{"meshConfig.defaultHttpRetryPolicy.attempts", "retries", "no block: 2, Istio; a block without the number: switched off", "switched off for the mesh", "as 0"},
	},
	Doc: `What routes without a retries block do in the whole mesh, in place of the built-in 2 retries. A route's own block replaces it as a
whole. Found in the ConfigMap "istio" (key mesh), in an IstioOperator and in Helm values. Source: catalogue, B3.`,
	Example: `
-- cm.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: istio, namespace: istio-system}
data:
  mesh: |-
    accessLogFile: /dev/stdout
    defaultHttpRetryPolicy:
      attempts: 5 # want layer "attempts=6 on=502-504"
      retryOn: gateway-error
-- operator.yaml --
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec:
  meshConfig:
    defaultHttpRetryPolicy: {attempts: 0} # want layer "attempts=1"
`,
})

// istioDefaults is the name of what routes without a retries block do.
var istioDefaults = model.N(model.SpaceConfig, "istio-mesh")

func meshDefault(p *doc.Node, out *Out) {
	if !p.Exists() {
		return
	}
	l := model.Layer{Kind: model.KindMesh, In: istioDefaults, As: istioDefaults, Label: "Istio mesh default"}
	istioRetries(&l, p, out)
	out.Layer(l)
}

// istioRetries reads a retries block, of a route or of the mesh. Source: catalogue, B1.
func istioRetries(l *model.Layer, p *doc.Node, out *Out) {
	n := p.Get("attempts")
	out.count(l, n, p, counting{offset: 1, absent: model.Exactly(1), negative: once})
	if !n.Exists() && !p.Partial() {
		l.Origin = ""
	}
	if !n.Exists() && !p.Partial() && p.Len() > 0 { // an empty block is the usual way to switch retries off
		l.Traits = append(l.Traits, model.Trait{Kind: model.TraitIneffective, At: out.KeyLoc(p), Detail: "a retries block without attempts is 0 retries"})
	}
	l.Policy.On, l.Policy.Backoff = istioDefaultOn, istioBackoff(envoyBase)
	if on := p.Get("retryOn"); on.Kind() == doc.Scalar && on.Str() != "" {
		l.Policy.On = envoyConditions(on.Str())
	}
	l.Policy.PerAttempt = out.span(l, p.Get("perTryTimeout"), model.FieldPerAttempt, 0)
	envoyBackoff(l, p.Get("backoff"), nil, out)
}
