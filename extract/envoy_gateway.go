package extract

import (
	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "envoy-gateway",
	Title: "Envoy Gateway BackendTrafficPolicy",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(p string, d *doc.Document) bool {
		return kind("gateway.envoyproxy.io", "BackendTrafficPolicy")(p, d) && d.Root.Path("spec.retry").Exists()
	},
	Read: func(d *doc.Document, out *Out) {
		root := d.Root
		spec := root.Get("spec")
		ns := namespace(root)
		targets := append(spec.Get("targetRefs").Items(), spec.Get("targetRef").Many()...)
		if len(targets) == 0 {
			envoyGatewayLayer(spec, workload(root), model.Name{}, out)
		}
		for _, t := range targets {
			envoyGatewayLayer(spec, workload(root), attachedTo(plain(t.Get("kind")), ns, plain(t.Get("name"))), out)
		}
	},
	Keys: []Key{
		{"spec.retry.numRetries", "retries", "no block: none; a block: 2, Envoy Gateway", "none", "invalid"},
		{"spec.retry.retryOn.triggers, httpStatusCodes", "conditions", "connect-failure, refused-stream, unavailable, cancelled, 503", "", ""},
		{"spec.retry.perRetry.timeout", "limit of one attempt", "the request's", "", ""},
		{"spec.timeout.http.requestTimeout", "limit over all attempts", "15s, Envoy", "none", ""},
	},
	Doc: `A policy attached to a Gateway, HTTPRoute or GRPCRoute makes Envoy repeat what goes through it: 2 retries unless numRetries says
otherwise. One on a route wins over one on the Gateway. Waits as in Envoy. Source: catalogue, B9.`,
	Example: `
-- policy.yaml --
apiVersion: gateway.envoyproxy.io/v1alpha1
kind: BackendTrafficPolicy
metadata: {name: again, namespace: web}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: shop}]
  retry:
    numRetries: 3 # want layer "attempts=4 perAttempt=250ms on=500,502-504 initial=100ms max=10s jitter=full"
    retryOn: {triggers: [retriable-status-codes], httpStatusCodes: [500, 503]}
    perRetry:
      timeout: 250ms
      backOff: {baseInterval: 100ms, maxInterval: 10s}
---
apiVersion: gateway.envoyproxy.io/v1alpha1
kind: BackendTrafficPolicy
metadata: {name: plain, namespace: web}
spec:
  targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: public}
  retry: {} # want layer "attempts=3 origin=default"
`,
})

func envoyGatewayLayer(spec *doc.Node, in, as model.Name, out *Out) {
	retry := spec.Get("retry")
	l := model.Layer{Kind: model.KindProxy, In: in, As: as, Label: "Envoy Gateway retry"}
	out.count(&l, retry.Get("numRetries"), retry, counting{offset: 1, absent: model.Retries(2), by: "Envoy Gateway: 2 retries where numRetries is not set", off: "numRetries: 0"})
	p := &l.Policy
	p.On, p.Backoff = istioDefaultOn|model.OnGateway, istioBackoff(envoyBase) // with status 503
	if t := retry.Path("retryOn.triggers"); t.Len() > 0 {
		p.On = 0
		for _, w := range t.Items() {
			if w.Str() != "retriable-status-codes" {
				p.On |= envoyConditions(w.Str())
				continue
			}
			for _, c := range retry.Path("retryOn.httpStatusCodes").Items() {
				if v, ok := c.Int(); ok {
					p.On |= statusCondition(int(v))
				}
			}
		}
	}
	p.PerAttempt = out.span(&l, retry.Path("perRetry.timeout"), model.FieldPerAttempt, 0)
	b := retry.Path("perRetry.backOff")
	envoyBackoff(&l, b.Get("baseInterval"), b.Get("maxInterval"), out)
	p.Overall = positive(out.span(&l, spec.Path("timeout.http.requestTimeout"), model.FieldOverall, 0))
	out.Layer(l)
}
