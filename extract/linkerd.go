package extract

import (
	"fmt"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "linkerd-annotations",
	Title: "Linkerd retry annotations on a Service",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(p string, d *doc.Document) bool {
		return kind("", "Service")(p, d) && linkerdRetries(d.Root.Path("metadata.annotations"))
	},
	Read: func(d *doc.Document, out *Out) {
		root := d.Root
		host := model.Host(objectName(root), namespace(root))
		name := model.N(model.SpaceRoute, "linkerd/"+workload(root).Key)
		if l := linkerdAnnotations(root, name, out); l != nil && !host.IsZero() {
			out.Route(model.Route{Name: name, At: l.At, Hosts: []model.Name{host}, Owner: name.Key, Mesh: true, Layer: l.ID})
		}
	},
	Keys: []Key{
		{"retry.linkerd.io/limit", "retries", "1, Linkerd, where retry.linkerd.io/http or /grpc is set; none without them", "none", "invalid"},
		{"retry.linkerd.io/http, /grpc", "conditions", "no retries", "", ""},
		{"retry.linkerd.io/timeout", "limit of one attempt, which is then repeated", "none", "", ""},
		{"timeout.linkerd.io/request", "limit over all attempts", "none", "", ""},
	},
	Doc: `The proxies of meshed callers repeat requests to the Service, or to the route that carries the annotations (HTTPRoute, GRPCRoute). limit counts
retries. Bodies over 64 KiB are not repeated. No waits are documented. Annotations of a route replace those of the Service, a ServiceProfile for the same
Service makes all of them void. Source: catalogue, B6.`,
	Example: `
-- svc.yaml --
apiVersion: v1
kind: Service
metadata:
  name: orders
  namespace: web
  annotations:
    retry.linkerd.io/http: 5xx
    retry.linkerd.io/limit: "2" # want layer "attempts=3 perAttempt=300ms overall=1s on=timeout,500,502-504"
    retry.linkerd.io/timeout: 300ms
    timeout.linkerd.io/request: 1s
-- one.yaml --
apiVersion: v1
kind: Service
metadata:
  name: stock
  annotations:
    retry.linkerd.io/grpc: unavailable # want layer "attempts=2 origin=default on=unavailable"
`,
})

func linkerdRetries(notes *doc.Node) bool {
	return notes.Get("retry.linkerd.io/http").Exists() || notes.Get("retry.linkerd.io/grpc").Exists()
}

// linkerdAnnotations makes the layer of an object's annotations; nil where there are none that retry.
func linkerdAnnotations(root *doc.Node, in model.Name, out *Out) *model.Layer {
	notes := root.Path("metadata.annotations")
	if !linkerdRetries(notes) {
		return nil
	}
	on := notes.Get("retry.linkerd.io/http").Or(notes.Get("retry.linkerd.io/grpc"))
	l := model.Layer{Kind: model.KindMesh, In: in, Label: "Linkerd retry", At: out.Loc(on)}
	out.count(&l, notes.Get("retry.linkerd.io/limit"), notes, counting{offset: 1, absent: model.Retries(1), by: "Linkerd: 1 retry where retry.linkerd.io/limit is not set",
		off: `retry.linkerd.io/limit: "0"`})
	p := &l.Policy
	for w := range strings.SplitSeq(on.Str(), ",") {
		p.On |= linkerdCondition(strings.TrimSpace(w))
	}
	t := notes.Get("retry.linkerd.io/timeout")
	if p.PerAttempt = out.span(&l, t, model.FieldPerAttempt, 0); t.Exists() {
		p.On |= model.OnTimeout
	}
	p.Overall = out.span(&l, notes.Get("timeout.linkerd.io/request"), model.FieldOverall, 0)
	// No wait is documented; that there is none is not confirmed, so the waits stay unknown.
	return out.Layer(l)
}

func linkerdCondition(w string) model.Conditions {
	switch w {
	case "5xx":
		return model.On5xx
	case "gateway-error":
		return model.OnGateway
	case "unavailable":
		return model.OnUnavailable
	case "resource-exhausted":
		return model.On429
	case "cancelled", "deadline-exceeded", "internal":
		return model.OnRPCOther
	}
	return statusRange(w)
}

var _ = add(Format{
	Name:  "linkerd-serviceprofile",
	Title: "Linkerd ServiceProfile",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("linkerd.io", "ServiceProfile"),
	Read: func(d *doc.Document, out *Out) {
		root := d.Root
		owner := workload(root).Key
		host := model.Host(objectName(root), namespace(root))
		budget := root.Path("spec.retryBudget")
		for i, r := range root.Path("spec.routes").Items() {
			retry, _ := r.Get("isRetryable").Bool()
			timeout := r.Get("timeout")
			if !retry && !timeout.Exists() {
				continue
			}
			c := r.Get("condition")
			name := model.N(model.SpaceRoute, fmt.Sprintf("%s#%d", owner, i))
			route := model.Route{Name: name, At: out.Loc(r.Get("name").Or(r)), Order: i, Owner: owner, Mesh: true}
			if !host.IsZero() {
				route.Hosts = []model.Name{host}
			}
			m := model.RouteMatch{Method: strings.ToUpper(c.Get("method").Str())}
			if path := c.Get("pathRegex").Str(); !strings.ContainsAny(path, "*+[({^$|?") {
				m.Path = strings.ReplaceAll(path, `\`, "")
			}
			if m != (model.RouteMatch{}) {
				route.Match = []model.RouteMatch{m}
			}
			if retry {
				at := r.Get("isRetryable")
				l := model.Layer{Kind: model.KindMesh, At: out.Loc(at), In: name, Label: "Linkerd isRetryable"}
				l.Policy = model.Policy{Attempts: model.Unbounded(), On: model.On5xx | model.OnReset | model.OnConnect}
				l.Policy.Overall = out.span(&l, timeout, model.FieldOverall, 0)
				if !timeout.Exists() {
					l.Policy.Overall = model.For(10 * time.Second)
				}
				l.Traits = append(l.Traits, model.Trait{Kind: model.TraitBudget, At: out.Loc(budget.Or(at)), Detail: "the retry budget of the Service bounds the load"})
				route.Layer = out.Layer(l).ID
			}
			if w, ok := timeout.Duration(0); ok {
				route.Timeout, route.TimeoutAt = model.For(w), out.Loc(timeout)
			}
			out.Route(route)
		}
	},
	Keys: []Key{
		{"spec.routes[].isRetryable", "repeats while the budget lasts; no count", "false, Linkerd", "", ""},
		{"spec.routes[].timeout", "limit over all attempts", "10s, Linkerd", "", ""},
		{"spec.retryBudget.retryRatio", "share of requests that may be retries; no count", "0.2, Linkerd", "", ""},
	},
	Doc: `A route with isRetryable is repeated until its timeout while the Service's retry budget lasts; there is no count for one
request. The callee is the Service of the profile's name. Source: catalogue, B7.`,
	Example: `
-- sp.yaml --
apiVersion: linkerd.io/v1alpha2
kind: ServiceProfile
metadata: {name: orders.web.svc.cluster.local, namespace: web}
spec:
  routes:
    - name: POST /orders
      condition: {method: POST, pathRegex: /orders}
      isRetryable: true # want layer "count=unbounded overall=2s retry-budget"
      timeout: 2s
    - name: GET /orders
      condition: {method: GET, pathRegex: /orders}
`,
})
