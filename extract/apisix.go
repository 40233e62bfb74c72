package extract

import (
	"fmt"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "apisix",
	Title: "Apache APISIX",
	Files: []string{"apisix*.yaml", "apisix*.yml", "adc*.yaml", "*.yaml", "*.yml", "*.json"},
	Match: func(p string, d *doc.Document) bool {
		if kind("apisix.apache.org", "ApisixUpstream")(p, d) {
			return true
		}
		r := d.Root
		if r.Get("apiVersion").Exists() || r.Get("_format_version").Exists() {
			return false
		}
		for _, key := range []string{"upstreams", "routes", "services"} {
			for i, u := range r.Get(key).Items() {
				if i > 3 {
					break
				}
				if apisixUpstream(u) || apisixUpstream(u.Get("upstream")) {
					return true
				}
			}
		}
		return false
	},
	Read: readApisix,
	Keys: []Key{
		{"upstream.retries", "retries", "number of nodes - 1, APISIX", "off", "invalid"},
		{"upstream.retry_timeout", "limit over all attempts, seconds", "none", "none", ""},
		{"upstream.timeout.read", "limit of one attempt, seconds", "60 (unverified)", "", ""},
	},
	Doc: `A request that failed at one node of an upstream goes to the next: retries counts retries and is one less than there are nodes where it
is not set. As in nginx, POST, LOCK and PATCH are not sent again once they were sent. Caller: the route's hosts and uris; callees: the nodes.
Source: catalogue, B20.`,
	Example: `
-- apisix.yaml --
routes:
  - uri: /orders/*
    host: shop.example.test
    methods: [GET]
    upstream:
      retries: 2 # want layer "attempts=3 perAttempt=5s overall=10s"
      retry_timeout: 10
      timeout: {connect: 1, send: 5, read: 5}
      nodes: {"orders-a.example.test:80": 1, "orders-b.example.test:80": 1}
upstreams:
  - id: stock # want layer "attempts=2 origin=default"
    type: roundrobin
    nodes:
      - {host: stock-a.example.test, port: 80, weight: 1}
      - {host: stock-b.example.test, port: 80, weight: 1}
`,
})

func apisixUpstream(u *doc.Node) bool {
	if n := u.Get("nodes"); n.Kind() == doc.Map {
		for _, k := range n.Keys() {
			return strings.Contains(k, ":") || n.Get(k).Kind() == doc.Scalar
		}
	}
	if n := u.Path("nodes.0"); n.Exists() {
		return n.Get("host").Exists() && n.Get("weight").Exists()
	}
	return u.Get("discovery_type").Exists() && u.Get("service_name").Exists()
}

func readApisix(d *doc.Document, out *Out) {
	root := d.Root
	owner := "apisix/" + out.Path
	if root.Get("kind").Str() == "ApisixUpstream" {
		in := model.N(model.SpaceRoute, workload(root).Key)
		spec := root.Get("spec")
		if spec.Get("retries").Exists() {
			l := apisixLayer(spec, in, 0, out)
			out.Route(model.Route{Name: in, At: l.At, Dest: appendName(nil, model.Host(objectName(root), namespace(root))), Owner: in.Key, Ingress: true, Layer: l.ID})
		}
		return
	}
	layers, dests := map[string]string{}, map[string][]model.Name{}
	for i, u := range root.Get("upstreams").Items() {
		in := model.N(model.SpaceRoute, fmt.Sprintf("%s#upstream.%s.%d", owner, plain(u.Get("id")), i))
		nodes := apisixNodes(u)
		dests[plain(u.Get("id"))] = nodes
		if l := apisixLayer(u, in, int64(len(nodes)), out); l != nil {
			layers[plain(u.Get("id"))] = l.ID
		}
	}
	for _, key := range []string{"routes", "services"} {
		for i, r := range root.Get(key).Items() {
			name := model.N(model.SpaceRoute, fmt.Sprintf("%s#%s.%d", owner, key, i))
			route := model.Route{Name: name, At: out.Loc(r.Get("uri").Or(r.Get("uris")).Or(r.Get("name")).Or(r)), Hosts: hostsOf("", r.Get("host"), r.Get("hosts")), Order: i,
				Match: methodsAndPaths(r.Get("methods"), r.Get("uri").Or(r.Get("uris")), strings.TrimPrefix), Owner: owner, Ingress: true}
			if u := r.Get("upstream"); u.Exists() {
				route.Dest = apisixNodes(u)
				if l := apisixLayer(u, name, int64(len(route.Dest)), out); l != nil {
					route.Layer = l.ID
				}
			} else {
				id := plain(r.Get("upstream_id"))
				route.Layer, route.Dest = layers[id], dests[id]
			}
			out.Route(route)
		}
	}
}

func apisixNodes(u *doc.Node) []model.Name {
	var out []model.Name
	for _, k := range u.Get("nodes").Keys() {
		out = appendName(out, model.Host(k, ""))
	}
	for _, n := range u.Get("nodes").Items() {
		out = append(out, hostsOf("", n.Get("host"))...)
	}
	return out
}

// apisixLayer makes the layer of an upstream; nil where there is one node and nothing is set.
func apisixLayer(u *doc.Node, in model.Name, nodes int64, out *Out) *model.Layer {
	n := u.Get("retries")
	if !n.Exists() && nodes < 2 {
		return nil
	}
	l := model.Layer{Kind: model.KindProxy, In: in, Label: "APISIX retries", At: out.Loc(u.Get("id").Or(u)),
		Traits: []model.Trait{guard(model.Location{}, "as in nginx, POST, LOCK and PATCH are not sent again", nginxGuarded)}}
	out.count(&l, n, u, counting{offset: 1, absent: model.Exactly(nodes), by: "APISIX: one attempt for each node where retries is not set", off: "retries: 0"})
	l.Policy.On, l.Policy.Backoff = model.OnConnect|model.OnReset|model.OnTimeout, model.NoBackoff()
	l.Policy.PerAttempt = out.span(&l, u.Path("timeout.read"), model.FieldPerAttempt, time.Second)
	l.Policy.Overall = positive(out.span(&l, u.Get("retry_timeout"), model.FieldOverall, time.Second))
	return out.Layer(l)
}
