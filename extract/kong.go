package extract

import (
	"fmt"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

const kongDoc = `Kong tries a Service again where the connection failed or timed out: retries counts retries, 5 by default (6 attempts), so with
the default time-outs of 60s a request may take 6 minutes. No waits. As in nginx, POST, LOCK and PATCH are not sent again once they were sent.
The caller is the route (hosts, paths), the callee the Service's host or the targets of the upstream of that name. Source: catalogue, B15.`

var kongKeys = []Key{
	{"retries", "retries", "5, Kong", "1 attempt", "invalid"},
	{"read_timeout", "limit of one attempt, milliseconds", "60000, Kong", "", ""},
}

var _ = add(Format{
	Name:  "kong",
	Title: "Kong declarative configuration",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(_ string, d *doc.Document) bool { return d.Root.Get("_format_version").Exists() },
	Read:  readKong,
	Keys:  kongKeys,
	Doc:   kongDoc,
	Example: `
-- kong.yml --
_format_version: "3.0"
upstreams:
  - name: orders
    targets: [{target: "orders-a.example.test:8000"}, {target: "orders-b.example.test:8000"}]
services:
  - name: orders # want layer "attempts=6 origin=default perAttempt=1m method=guarded"
    host: orders
    routes:
      - name: shop
        hosts: [shop.example.test] # want route "host:shop.example.test host:orders-a.example.test host:orders-b.example.test /orders"
        paths: [/orders]
  - name: pay
    url: http://pay.example.test:8000
    retries: 2 # want layer "attempts=3 perAttempt=5s"
    read_timeout: 5000
`,
})

var _ = add(Format{
	Name:  "kong-kubernetes",
	Title: "Kong on Kubernetes: Service annotations and KongIngress",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(p string, d *doc.Document) bool {
		if kind("configuration.konghq.com", "KongIngress")(p, d) {
			return d.Root.Path("proxy.retries").Exists()
		}
		return kind("", "Service")(p, d) && d.Root.Path("metadata.annotations").Get("konghq.com/retries").Exists()
	},
	Read: func(d *doc.Document, out *Out) {
		root := d.Root
		ns := namespace(root)
		if root.Get("kind").Str() == "KongIngress" {
			l := kongLayer(root.Get("proxy"), "retries", "read_timeout", workload(root), out)
			l.As = model.N(model.SpaceConfig, "kong-ingress/"+ns+"/"+objectName(root))
			out.Layer(l)
			return
		}
		host := model.Host(objectName(root), ns)
		l := out.Layer(kongLayer(root.Path("metadata.annotations"), "konghq.com/retries", "konghq.com/read-timeout", host, out))
		out.Route(model.Route{Name: model.N(model.SpaceRoute, "kong/"+workload(root).Key), At: l.At, Dest: []model.Name{host}, Owner: "kong", Ingress: true, Layer: l.ID})
	},
	Keys: []Key{
		{"konghq.com/retries", "retries", "5, Kong", "1 attempt", "invalid"},
		{"proxy.retries (KongIngress)", "retries", "5, Kong", "1 attempt", "invalid"},
		{"konghq.com/read-timeout", "limit of one attempt, milliseconds", "60000, Kong", "", ""},
	},
	Doc: kongDoc,
	Example: `
-- svc.yaml --
apiVersion: v1
kind: Service
metadata:
  name: orders
  namespace: web
  annotations:
    konghq.com/retries: "2" # want layer "attempts=3 perAttempt=10s"
    konghq.com/read-timeout: "10000"
spec: {selector: {app: orders}}
-- ki.yaml --
apiVersion: configuration.konghq.com/v1
kind: KongIngress
metadata: {name: few}
proxy: {retries: 1} # want layer "attempts=2"
`,
})

func kongLayer(s *doc.Node, retries, read string, in model.Name, out *Out) model.Layer {
	l := model.Layer{Kind: model.KindProxy, In: in, Label: "Kong retries", At: out.Loc(s.Get("name").Or(s)),
		Traits: []model.Trait{guard(model.Location{}, "as in nginx, POST, LOCK and PATCH are not sent again", nginxGuarded)}}
	out.count(&l, s.Get(retries), s, counting{offset: 1, absent: model.Retries(5), by: "Kong: 5 retries where retries is not set", off: "retries: 0"})
	t := s.Get(read)
	l.Policy.PerAttempt = limitOr(out.span(&l, t, model.FieldPerAttempt, time.Millisecond), t, model.For(time.Minute))
	l.Policy.On, l.Policy.Backoff = model.OnConnect|model.OnReset|model.OnTimeout, model.NoBackoff()
	return l
}

func readKong(d *doc.Document, out *Out) {
	owner := "kong/" + out.Path
	targets := map[string][]model.Name{}
	for _, u := range d.Root.Get("upstreams").Items() {
		for _, t := range u.Get("targets").Items() {
			targets[u.Get("name").Str()] = append(targets[u.Get("name").Str()], hostsOf("", t.Get("target"))...)
		}
	}
	all := d.Root.Get("routes").Items()
	for i, s := range d.Root.Get("services").Items() {
		name := plain(s.Get("name"))
		in := model.N(model.SpaceRoute, fmt.Sprintf("%s#%s.%d", owner, name, i))
		id := out.Layer(kongLayer(s, "retries", "read_timeout", in, out)).ID
		dest := hostsOf("", s.Get("url"), s.Get("host"))
		if t := targets[s.Get("host").Str()]; len(t) > 0 {
			dest = t
		}
		routes := s.Get("routes").Items()
		for _, r := range all {
			if r.Path("service.name").Or(r.Get("service")).Str() == name && name != "" {
				routes = append(routes[:len(routes):len(routes)], r)
			}
		}
		if len(routes) == 0 {
			out.Route(model.Route{Name: in, At: out.Loc(s.Get("name").Or(s)), Owner: owner + name, Ingress: true, Dest: dest, Layer: id})
		}
		for j, r := range routes {
			out.Route(model.Route{Name: model.N(model.SpaceRoute, fmt.Sprintf("%s/%d", in.Key, j)), At: out.Loc(r.Get("hosts").Or(r.Get("paths")).Or(r)),
				Hosts: hostsOf("", r.Get("hosts")), Match: methodsAndPaths(r.Get("methods"), r.Get("paths"), strings.TrimPrefix), Order: j, Owner: owner + name,
				Ingress: true, Dest: dest, Layer: id})
		}
	}
}

// methodsAndPaths makes the matches of a route that lists methods and path prefixes; clean takes a mark off a path.
func methodsAndPaths(methods, paths *doc.Node, clean func(s, mark string) string) []model.RouteMatch {
	var out []model.RouteMatch
	ms, ps := methods.Many(), paths.Many()
	if len(ms) == 0 && len(ps) == 0 || len(ms)*max(len(ps), 1) > 64 {
		return nil
	}
	if len(ms) == 0 {
		ms = []*doc.Node{nil}
	}
	if len(ps) == 0 {
		ps = []*doc.Node{nil}
	}
	for _, m := range ms {
		for _, p := range ps {
			rm := model.RouteMatch{Method: strings.ToUpper(m.Str())}
			if path := p.Str(); path != "/" && !strings.HasPrefix(path, "~") {
				rm.Prefix = strings.TrimSuffix(clean(path, "~"), "*")
			}
			out = append(out, rm)
		}
	}
	return out
}
