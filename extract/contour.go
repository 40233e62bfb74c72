package extract

import (
	"fmt"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "contour",
	Title: "Contour HTTPProxy",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("projectcontour.io", "HTTPProxy"),
	Read: func(d *doc.Document, out *Out) {
		root := d.Root
		ns, owner := namespace(root), workload(root).Key
		hosts := hostsOf("", root.Path("spec.virtualhost.fqdn"))
		for i, r := range root.Path("spec.routes").Items() {
			route := model.Route{Name: model.N(model.SpaceRoute, fmt.Sprintf("%s#%d", owner, i)), At: out.Loc(r.Get("services").Or(r)), Hosts: hosts, Order: i, Owner: owner, Ingress: true}
			for _, s := range r.Get("services").Items() {
				route.Dest = appendName(route.Dest, serviceHost(s, ns))
			}
			for _, c := range r.Get("conditions").Items() {
				if p := c.Get("prefix").Str(); p != "" && p != "/" {
					route.Match = append(route.Match, model.RouteMatch{Prefix: p})
				} else if p := c.Get("exact").Str(); p != "" {
					route.Match = append(route.Match, model.RouteMatch{Path: p})
				}
			}
			response := r.Path("timeoutPolicy.response")
			if p := r.Get("retryPolicy"); p.Exists() {
				route.Layer = contourRetry(p, response, route.Name, out).ID
			}
			if w, ok := response.Duration(0); ok && w > 0 {
				route.Timeout, route.TimeoutAt = model.For(w), out.Loc(response)
			} else if !response.Exists() {
				route.Timeout = model.For(15 * time.Second)
			}
			out.Route(route)
		}
	},
	Keys: []Key{
		{"spec.routes[].retryPolicy.count", "retries", "no block: none; a block: 1, Contour", "1 retry, Contour", "-1 switches off"},
		{"spec.routes[].retryPolicy.perTryTimeout", "limit of one attempt, ignored without count", "the route's", "", ""},
		{"spec.routes[].retryPolicy.retryOn", "conditions", "5xx, Contour", "", ""},
		{"spec.routes[].timeoutPolicy.response", "limit over all attempts", "15s, Envoy", "", ""},
	},
	Doc: `A route's retryPolicy makes Envoy repeat requests; count counts retries, where 0 means 1 and -1 switches off. The caller is
whoever asks for virtualhost.fqdn, the callees are the route's services. Source: catalogue, B10.`,
	Example: `
-- proxy.yaml --
apiVersion: projectcontour.io/v1
kind: HTTPProxy
metadata: {name: shop, namespace: web}
spec:
  virtualhost: {fqdn: shop.example.test}
  routes:
    - conditions: [{prefix: /orders}]
      retryPolicy: {count: 3, perTryTimeout: 150ms} # want layer "attempts=4 perAttempt=150ms overall=15s"
      services: [{name: orders, port: 80}] # want route "host:shop.example.test host:orders.web /orders"
    - retryPolicy: {count: 0} # want layer "attempts=2"
      services: [{name: orders, port: 80}]
    - retryPolicy: {count: -1} # want layer "attempts=1"
      services: [{name: orders, port: 80}]
    - services: [{name: orders, port: 80}]
`,
})

func contourRetry(p, response *doc.Node, in model.Name, out *Out) *model.Layer {
	l := model.Layer{Kind: model.KindProxy, In: in, Label: "Contour retryPolicy"}
	n := p.Get("count")
	out.count(&l, n, p, counting{offset: 1, absent: model.Retries(1), by: "Contour: 1 retry where count is 0 or not set", off: "count: -1", zero: asAbsent, negative: once})
	pol := &l.Policy
	pol.On, pol.Backoff = envoyConditions("5xx"), istioBackoff(envoyBase)
	if on := p.Get("retryOn").Items(); len(on) > 0 {
		pol.On = 0
		for _, w := range on {
			if w.Str() != "retriable-status-codes" {
				pol.On |= envoyConditions(w.Str())
			}
		}
		for _, c := range p.Get("retriableStatusCodes").Items() {
			if v, ok := c.Int(); ok {
				pol.On |= statusCondition(int(v))
			}
		}
	}
	if t := p.Get("perTryTimeout"); n.Exists() {
		pol.PerAttempt = out.span(&l, t, model.FieldPerAttempt, 0)
	} else if t.Exists() {
		l.Traits = append(l.Traits, model.Trait{Kind: model.TraitIneffective, At: out.Loc(t), Detail: "perTryTimeout has no effect without count"})
	}
	pol.Overall = model.For(15 * time.Second)
	if response.Exists() {
		pol.Overall = out.span(&l, response, model.FieldOverall, 0)
	}
	return out.Layer(l)
}
