package extract

import (
	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "istio-destinationrule",
	Title: "Istio DestinationRule",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("networking.istio.io", "DestinationRule"),
	Read: func(d *doc.Document, out *Out) {
		spec := d.Root.Get("spec")
		host := model.Host(plain(spec.Get("host")), namespace(d.Root))
		if host.IsZero() {
			return
		}
		for _, p := range append([]*doc.Node{spec}, spec.Get("subsets").Items()...) {
			policy := p.Get("trafficPolicy")
			if n := policy.Path("connectionPool.http.maxRetries"); n.Exists() {
				out.Setting(model.Setting{Name: model.N(model.SpaceConfig, "istio/"+host.Key+"/concurrent-retries"), Value: plain(n), At: out.Loc(n)})
			}
			if b := policy.Get("retryBudget"); b.Exists() {
				out.Setting(model.Setting{Name: model.N(model.SpaceConfig, "istio/"+host.Key+"/retry-budget"), Value: plain(b.Get("percent")), At: out.Loc(b)})
			}
		}
	},
	Keys: []Key{
		{"trafficPolicy.connectionPool.http.maxRetries", "retries in flight at once to the whole host; no attempts", "4294967295, Istio", "", ""},
		{"trafficPolicy.retryBudget.percent", "share of requests that may be retries; no attempts", "20, Istio", "", ""},
	},
	Doc: `Its maxRetries bounds how many retries may be in flight at once to the host, not how often a request is repeated, and its
retryBudget is a share of the load: neither makes or ends a layer. They are kept as settings, so that nobody takes them for attempts.
Source: catalogue, B2.`,
	Example: `
-- dr.yaml --
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: orders, namespace: web}
spec:
  host: orders
  trafficPolicy:
    connectionPool: {http: {maxRetries: 3}} # want setting "config:istio/orders.web/concurrent-retries=3"
`,
})
