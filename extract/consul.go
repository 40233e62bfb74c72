package extract

import (
	"fmt"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "consul-service-router",
	Title: "Consul service-router",
	Files: []string{"*.hcl", "*.json", "*.yaml", "*.yml"},
	Match: func(p string, d *doc.Document) bool {
		k := first(d.Root, "Kind", "kind")
		return k.Str() == "service-router" || k.Str() == "ServiceRouter" && kind("consul.hashicorp.com", "ServiceRouter")(p, d)
	},
	Read: readConsul,
	Keys: []Key{
		{"Routes[].Destination.NumRetries", "retries", "no condition: none; with one: Envoy's 1 (unverified)", "as absent (unverified)", "invalid"},
		{"Routes[].Destination.RetryOnConnectFailure, RetryOn, RetryOnStatusCodes", "conditions", "none", "", ""},
		{"Routes[].Destination.RequestTimeout", "limit over all attempts", "15s, Envoy (unverified)", "", ""},
	},
	Doc: `The sidecars of callers repeat requests to the service of the router's name. Waits are Envoy's. In HCL (of both
versions of the language) and JSON keys are in upper camel case or snake case, in the custom resource in lower camel case. Source: catalogue, B17.`,
	Example: `
-- router.hcl --
Kind = "service-router"
Name = "orders"
Routes = [
  {
    Match = { HTTP = { PathPrefix = "/pay", Methods = ["POST"] } }
    Destination = {
      NumRetries = 3 # want layer "attempts=4 on=connect-failure,502-504 overall=10s"
      RetryOnConnectFailure = true
      RetryOnStatusCodes = [503]
      RequestTimeout = "10s"
    }
  }
]
-- old.hcl --
kind = "service-router"
name = "bills"
routes = [
  {
    match {
      http {
        path_prefix = "/bills"
      }
    }
    destination {
      service     = "bills"
      num_retries = 5 # want layer "attempts=6 on=connect-failure"
      retry_on_connect_failure = true
    }
  },
]
-- router.yaml --
apiVersion: consul.hashicorp.com/v1alpha1
kind: ServiceRouter
metadata: {name: stock}
spec:
  routes:
    - destination: {service: stock, retryOn: ["5xx"]} # want layer "attempts=2 origin=default low=true"
    - destination: {service: stock}
`,
})

func readConsul(d *doc.Document, out *Out) {
	root := d.Root
	spec, name := root, first(root, "Name", "name").Str()
	if root.Get("spec").Exists() {
		spec, name = root.Get("spec"), objectName(root)
	}
	owner := "service-router//" + name
	for i, r := range first(spec, "Routes", "routes").Many() {
		dest := first(r, "Destination", "destination")
		route := model.Route{Name: model.N(model.SpaceRoute, fmt.Sprintf("%s#%d", owner, i)), At: out.Loc(dest.Or(r)), Hosts: []model.Name{model.Host(name, "")}, Order: i, Owner: owner, Mesh: true}
		if s := first(dest, "Service", "service"); s.Kind() == doc.Scalar && s.Str() != "" {
			route.Dest = appendName(nil, model.Host(s.Str(), ""))
		}
		http := first(first(r, "Match", "match"), "HTTP", "http")
		m := model.RouteMatch{Path: first(http, "PathExact", "pathExact", "path_exact").Str(), Prefix: first(http, "PathPrefix", "pathPrefix", "path_prefix").Str()}
		methods := first(http, "Methods", "methods").Items()
		for _, n := range methods {
			m.Method = strings.ToUpper(n.Str())
			route.Match = append(route.Match, m)
		}
		if len(methods) == 0 && m != (model.RouteMatch{}) {
			route.Match = append(route.Match, m)
		}
		if l := consulLayer(dest, route.Name, out); l != nil {
			route.Layer = l.ID
		}
		if t := first(dest, "RequestTimeout", "requestTimeout", "request_timeout"); t.Exists() {
			if w, ok := t.Duration(0); ok && w > 0 {
				route.Timeout, route.TimeoutAt = model.For(w), out.Loc(t)
			}
		}
		out.Route(route)
	}
}

func consulLayer(dest *doc.Node, in model.Name, out *Out) *model.Layer {
	n := first(dest, "NumRetries", "numRetries", "num_retries")
	var on model.Conditions
	if v, _ := first(dest, "RetryOnConnectFailure", "retryOnConnectFailure", "retry_on_connect_failure").Bool(); v {
		on |= model.OnConnect
	}
	for _, w := range first(dest, "RetryOn", "retryOn", "retry_on").Items() {
		on |= envoyConditions(w.Str())
	}
	for _, c := range first(dest, "RetryOnStatusCodes", "retryOnStatusCodes", "retry_on_status_codes").Items() {
		if v, ok := c.Int(); ok {
			on |= statusCondition(int(v))
		}
	}
	if on == 0 && !n.Exists() {
		return nil
	}
	l := model.Layer{Kind: model.KindMesh, In: in, Label: "Consul service-router"}
	out.count(&l, n, dest, counting{offset: 1, absent: model.Retries(1), by: "Envoy: 1 retry where NumRetries is not set", off: "no RetryOn", zero: asAbsent})
	l.LowConfidence = l.Origin == model.OriginDefault // the catalogue has not verified it
	l.Policy.On, l.Policy.Backoff = on, istioBackoff(envoyBase)
	if on == 0 {
		l.Policy.On = model.OnConnect | model.OnGateway
		l.LowConfidence = true
	}
	t := first(dest, "RequestTimeout", "requestTimeout", "request_timeout")
	l.Policy.Overall = limitOr(positive(out.span(&l, t, model.FieldOverall, 0)), t, model.For(15*time.Second))
	return out.Layer(l)
}
