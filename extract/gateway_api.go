package extract

import (
	"fmt"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "gateway-api",
	Title: "Gateway API HTTPRoute and GRPCRoute",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(p string, d *doc.Document) bool {
		return kind("gateway.networking.k8s.io", "HTTPRoute", "GRPCRoute")(p, d) || kind("policy.linkerd.io", "HTTPRoute")(p, d)
	},
	Read: readGatewayRoute,
	Keys: []Key{
		{"spec.rules[].retry.attempts", "retries", "no block: what the implementation does; a block without the number: 1 by the schema, 2 in Istio", "switched off", "invalid"},
		{"spec.rules[].retry.codes", "statuses, besides broken connections", "none", "", ""},
		{"spec.rules[].retry.backoff", "least wait", "what the implementation does", "", ""},
		{"spec.rules[].timeouts.request", "limit over all attempts", "what the implementation does", "none", ""},
		{"spec.rules[].timeouts.backendRequest", "limit of one attempt", "what the implementation does", "none", ""},
	},
	Doc: `A rule sends requests for the route's hostnames on to its backends. parentRefs of kind Gateway: requests from outside; of kind Service: the mesh,
then the Service is what callers name. Without a retry block the implementation decides, so nothing is said, unless a policy is attached
(Envoy Gateway's BackendTrafficPolicy, Linkerd's annotations). Older standard CRDs drop retry without a word. Source: catalogue, B8 and B6.`,
	Example: `
-- route.yaml --
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: shop, namespace: web}
spec:
  parentRefs: [{name: public}]
  hostnames: [shop.example.test]
  rules:
    - matches: [{path: {type: PathPrefix, value: /orders}, method: POST}]
      backendRefs: [{name: orders, port: 80}] # want route "host:shop.example.test host:orders.web /orders POST"
      timeouts: {request: 10s, backendRequest: 2s}
      retry:
        attempts: 3 # want layer "attempts=4 perAttempt=2s overall=10s on=connect-failure,reset,500 initial=100ms"
        codes: [500]
        backoff: 100ms
    - backendRefs: [{name: orders}]
      retry: {codes: [503]} # want layer "attempts=2..3 origin=default"
`,
})

func readGatewayRoute(d *doc.Document, out *Out) {
	root := d.Root
	ns, owner := namespace(root), workload(root).Key
	spec := root.Get("spec")
	base := model.Route{Owner: owner, Hosts: hostsOf("", spec.Get("hostnames"))}
	base.Uses = append(base.Uses, attachedTo(root.Get("kind").Str(), ns, objectName(root)))
	for _, p := range spec.Get("parentRefs").Items() {
		if p.Get("kind").Str() == "Service" {
			base.Mesh = true
			base.Hosts = appendName(base.Hosts, serviceHost(p, ns))
			continue
		}
		base.Ingress = true
		at := ns
		if n := p.Get("namespace"); n.Kind() == doc.Scalar {
			at = n.Str()
		}
		base.Uses = append(base.Uses, attachedTo("Gateway", at, plain(p.Get("name"))))
	}
	linkerd := linkerdAnnotations(root, model.N(model.SpaceRoute, owner), out)
	for i, rule := range spec.Get("rules").Items() {
		r := base
		r.Name, r.Order, r.At = model.N(model.SpaceRoute, fmt.Sprintf("%s#%d", owner, i)), i, out.Loc(rule.Get("backendRefs").Or(rule))
		for _, b := range rule.Get("backendRefs").Items() {
			r.Dest = appendName(r.Dest, serviceHost(b, ns))
		}
		for _, m := range rule.Get("matches").Items() {
			r.Match = append(r.Match, gatewayMatch(m))
		}
		t := rule.Get("timeouts")
		if w, ok := t.Get("request").Duration(0); ok && w > 0 {
			r.Timeout, r.TimeoutAt = model.For(w), out.Loc(t.Get("request"))
		}
		switch retry := rule.Get("retry"); {
		case retry.Exists():
			r.Layer = gatewayRetry(retry, t, r.Name, out).ID
		case linkerd != nil:
			r.Layer = linkerd.ID
		}
		out.Route(r)
	}
}

// attachedTo is the name of the policy that is attached to an object.
func attachedTo(kind, ns, name string) model.Name {
	return model.N(model.SpaceConfig, "policy-of/"+strings.ToLower(kind)+"/"+ns+"/"+name)
}

// gatewayMatch reads path, method, and the service and method of a GRPCRoute.
func gatewayMatch(m *doc.Node) model.RouteMatch {
	if g := m.Get("method"); g.Kind() == doc.Map {
		service, method := g.Get("service").Str(), g.Get("method").Str()
		switch {
		case service != "" && method != "":
			return model.RouteMatch{Path: "/" + service + "/" + method}
		case service != "":
			return model.RouteMatch{Prefix: "/" + service + "/"}
		}
		return model.RouteMatch{}
	}
	out := model.RouteMatch{Method: strings.ToUpper(m.Get("method").Str())}
	value := m.Path("path.value").Str()
	switch t := m.Path("path.type").Str("PathPrefix"); {
	case value == "/" && t != "Exact":
	case t == "Exact":
		out.Path = value
	case t == "PathPrefix":
		out.Prefix = value
	}
	return out
}

func gatewayRetry(retry, timeouts *doc.Node, in model.Name, out *Out) *model.Layer {
	l := model.Layer{Kind: model.KindProxy, In: in, Label: "Gateway API retry"}
	out.count(&l, retry.Get("attempts"), retry, counting{offset: 1, absent: model.Between(2, 3), by: "Gateway API: 1 retry by the schema, 2 in Istio, where attempts is not set",
		off: "retry: {attempts: 0}"})
	p := &l.Policy
	p.On = model.OnConnect | model.OnReset
	for _, c := range retry.Get("codes").Items() {
		if v, ok := c.Int(); ok {
			p.On |= statusCondition(int(v))
		} else if c.Kind() == doc.Scalar {
			out.Gap(c, "codes: %q is not a status", c.Str())
		}
	}
	if b := retry.Get("backoff"); b.Exists() {
		// The least wait; how it grows and spreads is the implementation's matter.
		p.Backoff = model.Backoff{Kind: model.BackoffExponential, Initial: out.span(&l, b, model.FieldInitial, 0), Jitter: model.Jitter{Kind: model.JitterSome}}
	}
	p.PerAttempt = positive(out.span(&l, timeouts.Get("backendRequest"), model.FieldPerAttempt, 0))
	p.Overall = positive(out.span(&l, timeouts.Get("request"), model.FieldOverall, 0))
	return out.Layer(l)
}
