package extract

import (
	"fmt"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "app-mesh",
	Title: "AWS App Mesh VirtualRouter and Route",
	Files: []string{"*.yaml", "*.yml", "*.json", "*.template"},
	Match: func(p string, d *doc.Document) bool {
		if kind("appmesh.k8s.aws", "VirtualRouter")(p, d) || appMeshInput(d.Root) {
			return true
		}
		for _, e := range d.Root.Get("Resources").Entries() {
			if e.Value.Get("Type").Str() == "AWS::AppMesh::Route" {
				return true
			}
		}
		return false
	},
	Read: func(d *doc.Document, out *Out) {
		root := d.Root
		if appMeshInput(root) {
			appMeshRoute(root.Get("spec"), "app-mesh/"+out.Path, plain(first(root, "virtualRouterName", "routeName")), 0, out)
			return
		}
		if root.Get("Resources").Exists() {
			for _, e := range root.Get("Resources").Entries() {
				if e.Value.Get("Type").Str() == "AWS::AppMesh::Route" {
					p := e.Value.Get("Properties")
					appMeshRoute(p.Get("Spec"), "app-mesh/"+out.Path+"#"+e.Key, plain(p.Get("VirtualRouterName")), 0, out)
				}
			}
			return
		}
		for i, r := range root.Path("spec.routes").Items() {
			appMeshRoute(r, fmt.Sprintf("%s#%d", workload(root).Key, i), objectName(root), i, out)
		}
	},
	Keys: []Key{
		{"HttpRoute|Http2Route|GrpcRoute.RetryPolicy.MaxRetries", "retries", "no policy: the service's default, 2 (unverified)", "none", "invalid"},
		{"RetryPolicy.PerRetryTimeout{Unit,Value}", "limit of one attempt", "required", "", ""},
		{"Timeout.PerRequest{Unit,Value}", "limit over all attempts", "15s (unverified)", "", ""},
	},
	Doc: `The sidecars of callers repeat requests to the virtual router. A route without a policy has a default of the service that is not
verified, so it makes no layer. Source: catalogue, B18.`,
	Example: `
-- router.yaml --
apiVersion: appmesh.k8s.aws/v1beta2
kind: VirtualRouter
metadata: {name: orders, namespace: web}
spec:
  routes:
    - name: all
      httpRoute:
        match: {prefix: /}
        retryPolicy:
          maxRetries: 2 # want layer "attempts=3 perAttempt=250ms on=connect-failure,500,502-504"
          perRetryTimeout: {unit: ms, value: 250}
          httpRetryEvents: [server-error]
          tcpRetryEvents: [connection-error]
-- stack.json --
{"Resources": {"R": {"Type": "AWS::AppMesh::Route", "Properties": {"VirtualRouterName": "orders", "Spec": {"GrpcRoute": {
  "RetryPolicy": {
    "MaxRetries": 1, // want layer "attempts=2 on=unavailable"
    "PerRetryTimeout": {"Unit": "s", "Value": 2}, "GrpcRetryEvents": ["unavailable"]}}}}}}}
-- route.json --
{"virtualRouterName": "colors", "routeName": "blue", "spec": {"priority": 1, "httpRoute": {
  "match": {"prefix": "/"}, "action": {"weightedTargets": [{"virtualNode": "blue", "weight": 1}]},
  "retryPolicy": {
    "maxRetries": 10, // want layer "attempts=11 perAttempt=100ms"
    "perRetryTimeout": {"value": 100, "unit": "ms"}, "httpRetryEvents": ["server-error"]}}}}
`,
})

// appMeshInput reports whether a document is the input of the command that makes a route.
func appMeshInput(root *doc.Node) bool {
	return (root.Get("virtualRouterName").Exists() || root.Get("routeName").Exists()) &&
		first(root.Get("spec"), "httpRoute", "http2Route", "grpcRoute").Kind() == doc.Map
}

func appMeshRoute(spec *doc.Node, name, router string, order int, out *Out) {
	for _, k := range []string{"httpRoute", "http2Route", "grpcRoute", "HttpRoute", "Http2Route", "GrpcRoute"} {
		r := spec.Get(k)
		p := first(r, "retryPolicy", "RetryPolicy")
		if !p.Exists() {
			continue
		}
		l := model.Layer{Kind: model.KindMesh, In: model.N(model.SpaceRoute, name), Label: "App Mesh retryPolicy"}
		out.count(&l, first(p, "maxRetries", "MaxRetries"), p, counting{offset: 1})
		if l.Policy.Attempts.IsUnknown() {
			l.Origin = ""
		}
		for _, key := range []string{"httpRetryEvents", "HttpRetryEvents", "tcpRetryEvents", "TcpRetryEvents", "grpcRetryEvents", "GrpcRetryEvents"} {
			for _, w := range p.Get(key).Items() {
				l.Policy.On |= appMeshCondition(w.Str())
			}
		}
		l.Policy.PerAttempt = appMeshDuration(first(p, "perRetryTimeout", "PerRetryTimeout"))
		l.Policy.Overall = appMeshDuration(first(first(r, "timeout", "Timeout"), "perRequest", "PerRequest"))
		l.Policy.Backoff = istioBackoff(envoyBase)
		id := out.Layer(l).ID
		m := model.RouteMatch{Prefix: first(first(r, "match", "Match"), "prefix", "Prefix").Str(), Method: first(first(r, "match", "Match"), "method", "Method").Str()}
		if m.Prefix == "/" {
			m.Prefix = ""
		}
		route := model.Route{Name: l.In, At: l.At, Hosts: appendName(nil, model.Host(router, "")), Owner: "app-mesh/" + router, Order: order, Mesh: true, Layer: id}
		if m != (model.RouteMatch{}) {
			route.Match = []model.RouteMatch{m}
		}
		out.Route(route)
	}
}

func appMeshCondition(w string) model.Conditions {
	switch w {
	case "server-error":
		return model.On5xx
	case "connection-error":
		return model.OnConnect
	case "client-error":
		return model.OnConflict
	case "stream-error":
		return model.OnConnect
	}
	return envoyConditions(w)
}

// appMeshDuration reads {unit: ms, value: 250}.
func appMeshDuration(n *doc.Node) model.Limit {
	v, ok := first(n, "value", "Value").Int()
	if !ok || v <= 0 || v > 1<<40 {
		return model.Limit{}
	}
	if first(n, "unit", "Unit").Str() == "s" {
		return model.For(time.Duration(v) * time.Second)
	}
	return model.For(time.Duration(v) * time.Millisecond)
}
