package extract

import (
	"fmt"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "ingress-nginx",
	Title: "Ingress, with the annotations of ingress-nginx",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(p string, d *doc.Document) bool {
		return isIngress(p, d) || isIngressConfig(p, d)
	},
	Read: func(d *doc.Document, out *Out) {
		if d.Root.Get("kind").Str() == "ConfigMap" {
			readIngressConfig(d, out)
			return
		}
		readIngress(d, out)
	},
	Keys: []Key{
		{"nginx.ingress.kubernetes.io/proxy-next-upstream-tries, proxy-next-upstream-tries", "attempts", "3, ingress-nginx", "no limit of the count", "invalid"},
		{"…/proxy-next-upstream", "conditions", "error timeout, ingress-nginx", "", ""},
		{"…/proxy-next-upstream-timeout", "limit over all attempts, seconds", "none", "none", ""},
		{"…/proxy-read-timeout", "limit of one attempt, seconds", "60, ingress-nginx", "", ""},
		{"retry-non-idempotent (ConfigMap)", "POST, LOCK and PATCH are repeated too", "false, ingress-nginx", "", ""},
	},
	Doc: `An Ingress sends requests for its hosts and paths to a Service, and the controller tries again: 3 attempts by default, also with
a single endpoint, because its balancer grants a further one each time. POST, LOCK and PATCH are repeated only with non_idempotent or the
controller's retry-non-idempotent. Annotations win over the controller's ConfigMap, that over the built-in values. Only an Ingress that
is known to be nginx's (class, annotations) has a layer. No waits. Source: catalogue, B12.`,
	Example: `
-- ingress.yaml --
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: shop, namespace: web}
spec:
  ingressClassName: nginx
  rules:
    - host: shop.example.test
      http:
        paths:
          - path: /orders # want layer "attempts=3 origin=default perAttempt=1m on=connect-failure,reset,timeout" route "host:shop.example.test host:orders.web /orders"
            pathType: Prefix
            backend: {service: {name: orders, port: {number: 80}}}
-- any.yaml --
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: any
  annotations:
    nginx.ingress.kubernetes.io/proxy-next-upstream: "error timeout http_502 non_idempotent"
    nginx.ingress.kubernetes.io/proxy-next-upstream-tries: "5" # want layer "attempts=5 overall=30s on=connect-failure,reset,timeout,502-504 method=any"
    nginx.ingress.kubernetes.io/proxy-next-upstream-timeout: "30"
spec:
  defaultBackend: {service: {name: orders}}
-- off.yaml --
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: off
  annotations:
    nginx.ingress.kubernetes.io/proxy-next-upstream: "off" # want layer "attempts=1"
spec:
  defaultBackend: {service: {name: orders}}
-- controller.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: ingress-nginx-controller, namespace: ingress-nginx}
data:
  proxy-next-upstream-tries: "4"
  retry-non-idempotent: "true" # want layer "attempts=4 method=any"
`,
})

const nginxAnnotation = "nginx.ingress.kubernetes.io/"

// ingressDefaults is the name of the values that the controller's ConfigMap gives to all Ingresses.
var ingressDefaults = model.N(model.SpaceConfig, "ingress-nginx")

func isIngress(p string, d *doc.Document) bool {
	return kind("networking.k8s.io", "Ingress")(p, d) || kind("extensions", "Ingress")(p, d)
}

// isIngressConfig knows the controller's ConfigMap by its keys, since its name is a matter of the installation.
func isIngressConfig(p string, d *doc.Document) bool {
	if !kind("", "ConfigMap")(p, d) {
		return false
	}
	data := d.Root.Get("data")
	for _, k := range []string{"proxy-next-upstream", "proxy-next-upstream-tries", "proxy-next-upstream-timeout", "retry-non-idempotent"} {
		if data.Get(k).Exists() {
			return true
		}
	}
	return false
}

func readIngressConfig(d *doc.Document, out *Out) {
	data := d.Root.Get("data")
	self := workload(d.Root)
	l := model.Layer{Kind: model.KindProxy, In: self, Label: "ingress-nginx default", As: ingressDefaults}
	nginxUpstream(&l, data, "", out)
	if n := data.Get("retry-non-idempotent"); n.Exists() {
		if v, ok := n.Bool(); ok && v {
			anyMethod(&l, n, out)
		}
	}
	if l.At.IsZero() {
		l.At = out.Loc(data)
	}
	out.Layer(l)
}

// anyMethod marks a layer as one that repeats POST too. That setting is what has to be mended.
func anyMethod(l *model.Layer, n *doc.Node, out *Out) {
	l.Traits = []model.Trait{{Kind: model.TraitAnyMethod, At: out.Loc(n), Detail: "requests that are not idempotent are repeated too"}}
	l.Call, l.At = l.At, out.Loc(n)
}

// nginxUpstream reads the keys of the proxy_next_upstream family from annotations or from the controller's ConfigMap.
func nginxUpstream(l *model.Layer, keys *doc.Node, prefix string, out *Out) {
	next, tries := keys.Get(prefix+"proxy-next-upstream"), keys.Get(prefix+"proxy-next-upstream-tries")
	l.Policy = model.Policy{On: model.OnConnect | model.OnReset | model.OnTimeout, Backoff: model.NoBackoff(), Budget: model.BudgetGateAfter}
	l.Traits = []model.Trait{guard(model.Location{}, "POST, LOCK and PATCH are repeated only with non_idempotent", nginxGuarded)}
	out.count(l, tries, keys, counting{absent: model.Exactly(3), by: "ingress-nginx: 3 attempts where proxy-next-upstream-tries is not set",
		off: nginxAnnotation + `proxy-next-upstream: "off"`, zero: endless})
	if !tries.Exists() {
		l.At = model.Location{}
	}
	if next.Exists() {
		l.Set = append(l.Set, model.FieldOn)
		words := strings.Fields(next.Str())
		l.Policy.On = nginxConditions(words)
		for _, w := range words {
			if w == "non_idempotent" {
				l.Traits = []model.Trait{{Kind: model.TraitAnyMethod, At: out.Loc(next), Detail: "non_idempotent"}}
			}
			if w == "off" {
				l.Policy.Attempts, l.Origin, l.At = model.Exactly(1), model.OriginExplicit, out.Loc(next)
				l.DefaultBy, l.OffSwitch = "", ""
				l.Set = append(l.Set, model.FieldAttempts)
			}
		}
		if l.At.IsZero() {
			l.At = out.Loc(next)
		}
	}
	if tries.Exists() {
		l.Set = append(l.Set, model.FieldAttempts)
	}
	if n := keys.Get(prefix + "proxy-next-upstream-timeout"); n.Exists() {
		l.Policy.Overall = positive(out.span(l, n, model.FieldOverall, time.Second))
		l.Set = append(l.Set, model.FieldOverall)
	}
	read := keys.Get(prefix + "proxy-read-timeout")
	l.Policy.PerAttempt = limitOr(out.span(l, read, model.FieldPerAttempt, time.Second), read, model.For(time.Minute))
	if read.Exists() {
		l.Set = append(l.Set, model.FieldPerAttempt)
	}
}

// nginxConditions reads the words of proxy_next_upstream. Source: catalogue, B13.
func nginxConditions(words []string) model.Conditions {
	var on model.Conditions
	for _, w := range words {
		switch w {
		case "error":
			on |= model.OnConnect | model.OnReset
		case "timeout":
			on |= model.OnTimeout
		case "http_500":
			on |= model.On500
		case "http_502", "http_503", "http_504", "invalid_header", "updating":
			on |= model.OnGateway
		case "http_429":
			on |= model.On429
		case "http_403", "http_404":
			on |= model.On4xx
		}
	}
	return on
}

// ofNginx reports whether the controller of an Ingress is known to be ingress-nginx.
func ofNginx(root *doc.Node) bool {
	notes := root.Path("metadata.annotations")
	class := plain(root.Path("spec.ingressClassName"))
	if class == "" {
		class = plain(notes.Get("kubernetes.io/ingress.class"))
	}
	if class != "" {
		return strings.Contains(class, "nginx")
	}
	for _, k := range notes.Keys() {
		if strings.HasPrefix(k, nginxAnnotation) {
			return true
		}
	}
	return false
}

func readIngress(d *doc.Document, out *Out) {
	root := d.Root
	ns, owner := namespace(root), workload(root)
	notes := root.Path("metadata.annotations")
	nginx := ofNginx(root)
	uses := traefikMiddlewares(notes, ns)
	order := 0
	add := func(at *doc.Node, host *doc.Node, match []model.RouteMatch, backend *doc.Node) {
		dest := ingressBackend(backend, ns)
		r := model.Route{Name: model.N(model.SpaceRoute, fmt.Sprintf("%s#%d", owner.Key, order)), At: out.Loc(at), Hosts: hostsOf("", host), Match: match,
			Order: order, Owner: owner.Key, Ingress: true, Uses: uses}
		order++
		r.Dest = appendName(r.Dest, dest)
		if nginx {
			l := model.Layer{Kind: model.KindProxy, In: r.Name, Label: "ingress-nginx", Else: ingressDefaults}
			nginxUpstream(&l, notes, nginxAnnotation, out)
			if l.At.IsZero() {
				l.At = out.Loc(at)
			}
			r.Layer = out.Layer(l).ID
		}
		out.Route(r)
	}
	for _, rule := range root.Path("spec.rules").Items() {
		for _, p := range rule.Path("http.paths").Items() {
			m := model.RouteMatch{}
			switch path := plain(p.Get("path")); {
			case path == "" || path == "/":
			case p.Get("pathType").Str() == "Exact":
				m.Path = path
			case strings.ContainsAny(path, "(*[$^"):
				// A regular expression says nothing that can be compared.
			default:
				m.Prefix = path
			}
			var match []model.RouteMatch
			if m != (model.RouteMatch{}) {
				match = append(match, m)
			}
			add(p.Get("path").Or(p), rule.Get("host"), match, p.Get("backend"))
		}
	}
	if b := root.Path("spec.defaultBackend").Or(root.Path("spec.backend")); b.Exists() {
		add(b, root.Path("spec.nothing"), nil, b)
	}
	authURL(notes, owner, out)
}

// ingressBackend is the host of a backend, in the form of today or of the beta API.
func ingressBackend(b *doc.Node, ns string) model.Name {
	if s := b.Get("service"); s.Exists() {
		return serviceHost(s, ns)
	}
	if n := b.Get("serviceName"); n.Kind() == doc.Scalar {
		return model.Host(n.Str(), ns)
	}
	return model.Name{}
}

// authURL is a request that the controller sends for each request: an edge of the Ingress.
func authURL(notes *doc.Node, owner model.Name, out *Out) {
	n := notes.Get(nginxAnnotation + "auth-url")
	if n.Kind() != doc.Scalar {
		return
	}
	if h := model.Host(n.Str(), ""); !h.IsZero() {
		out.Edge(model.Edge{From: owner, To: h, Kind: model.EdgeRequest, At: out.Loc(n), Method: "GET", Path: pathOf(n.Str()), Label: "auth-url"})
	}
}
