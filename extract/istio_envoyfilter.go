package extract

import (
	"fmt"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "istio-envoyfilter",
	Title: "Istio EnvoyFilter",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("networking.istio.io", "EnvoyFilter"),
	Read: func(d *doc.Document, out *Out) {
		owner := workload(d.Root).Key
		for i, c := range d.Root.Path("spec.configPatches").Items() {
			vhost := c.Path("match.routeConfiguration.vhost.name")
			c.Path("patch.value").Walk(func(n *doc.Node) bool {
				if n.Key() != "retry_policy" && n.Key() != "retryPolicy" {
					return true
				}
				name := model.N(model.SpaceRoute, fmt.Sprintf("%s#%d", owner, i))
				l := model.Layer{Kind: model.KindMesh, In: name, Label: "Istio route patched by hand", LowConfidence: true}
				envoyPolicy(&l, n, out)
				if t := n.Parent().Get("timeout"); t.Exists() {
					l.Policy.Overall = positive(out.span(&l, t, model.FieldOverall, 0))
				}
				// Without hosts: the patch changes the route that a VirtualService describes, it is no route of its own.
				out.Route(model.Route{Name: name, At: out.Loc(n), Dest: hostsOf(namespace(d.Root), vhost), Owner: owner, Order: i, Mesh: true, Layer: out.Layer(l).ID})
				return false
			})
		}
	},
	Keys: []Key{{"patch.value…retry_policy.num_retries", "retries", "1, Envoy", "none", "invalid"}},
	Doc: `A patch of the configuration that Istio makes. A retry_policy in it wins over the VirtualService, since it changes the result; what
it is merged with is not known, so the layer is of low confidence and says "patched by hand". Source: catalogue, B4 (unverified).`,
	Example: `
-- ef.yaml --
apiVersion: networking.istio.io/v1alpha3
kind: EnvoyFilter
metadata: {name: more, namespace: web}
spec:
  configPatches:
    - applyTo: HTTP_ROUTE
      match: {routeConfiguration: {vhost: {name: "orders.web.svc.cluster.local:80"}}}
      patch:
        operation: MERGE
        value:
          route:
            retry_policy:
              retry_on: "5xx"
              num_retries: 4 # want layer "attempts=5 low=true"
`,
})
