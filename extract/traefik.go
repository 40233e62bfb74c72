package extract

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

const traefikDoc = `The retry middleware counts attempts, whatever its comment says: 1 is no retry, 0 and less are refused. It repeats only requests
that the backend did not answer at all (a broken connection), of any method; statuses only with status, and then POST, PATCH and LOCK only with
retryNonIdempotentMethod. Without initialInterval it repeats at once, else the waits grow to less than twice that, with half as much jitter.
The caller is the router that names the middleware, the callee its service. Source: catalogue, B11.`

var traefikKeys = []Key{
	{"retry.attempts", "attempts", "required", "refused", "refused"},
	{"retry.initialInterval", "first wait; a number is seconds", "no wait, Traefik", "no wait", ""},
	{"retry.timeout", "limit over all attempts", "none", "none", ""},
	{"retry.status", "statuses that are repeated", "none", "", ""},
	{"retry.retryNonIdempotentMethod", "POST, PATCH and LOCK are repeated on a status too", "false, Traefik", "", ""},
}

var _ = add(Format{
	Name:  "traefik-crd",
	Title: "Traefik Middleware and IngressRoute",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(p string, d *doc.Document) bool {
		return kind("traefik.io", "Middleware", "IngressRoute")(p, d) || kind("traefik.containo.us", "Middleware", "IngressRoute")(p, d)
	},
	Read: func(d *doc.Document, out *Out) {
		if d.Root.Get("kind").Str() == "IngressRoute" {
			readIngressRoute(d.Root, out)
			return
		}
		if r := d.Root.Path("spec.retry"); r.Exists() {
			ns, name := namespace(d.Root), objectName(d.Root)
			traefikRetry(r, workload(d.Root), traefikName(ns, name), out)
		}
	},
	Keys: traefikKeys,
	Doc:  traefikDoc,
	Example: `
-- mw.yaml --
apiVersion: traefik.io/v1alpha1
kind: Middleware
metadata: {name: again, namespace: web}
spec:
  retry:
    attempts: 3 # want layer "attempts=3 initial=100ms jitter=proportional on=connect-failure,reset"
    initialInterval: 100ms
---
apiVersion: traefik.io/v1alpha1
kind: IngressRoute
metadata: {name: shop, namespace: web}
spec:
  routes:
    - match: Host(` + "`shop.example.test`" + `) && PathPrefix(` + "`/orders`" + `) # want route "host:shop.example.test host:orders.web /orders"
      kind: Rule
      middlewares: [{name: again}]
      services: [{name: orders, port: 80}]
`,
})

var _ = add(Format{
	Name:  "traefik-dynamic",
	Title: "Traefik dynamic configuration (YAML, TOML)",
	Files: []string{"*.yaml", "*.yml", "*.toml"},
	Match: func(_ string, d *doc.Document) bool {
		http := d.Root.Get("http")
		return http.Kind() == doc.Map && (http.Get("middlewares").Kind() == doc.Map || http.Get("routers").Kind() == doc.Map)
	},
	Read: readTraefikFile,
	Keys: traefikKeys,
	Doc:  traefikDoc,
	Example: `
-- dynamic.toml --
[http.routers.shop]
rule = "Host(` + "`shop.example.test`" + `) && Method(` + "`POST`" + `)"
middlewares = ["again"]
service = "orders"
[http.middlewares.again.retry]
attempts = 4 # want layer "attempts=4 backoff=none"
[http.services.orders.loadBalancer]
[[http.services.orders.loadBalancer.servers]]
url = "http://orders.web.svc:8080"
-- dynamic.yml --
http:
  middlewares:
    again:
      retry: {attempts: 2, initialInterval: 1, status: ["503"]} # want layer "attempts=2 initial=1s on=connect-failure,reset,502-504"
`,
})

var _ = add(Format{
	Name:  "traefik-labels",
	Title: "Traefik labels in a Compose file",
	Files: []string{"*compose*.yml", "*compose*.yaml", "*stack*.yml", "*stack*.yaml"},
	Match: func(_ string, d *doc.Document) bool { return d.Root.Get("services").Kind() == doc.Map },
	Read:  readTraefikLabels,
	Keys:  []Key{{"traefik.http.middlewares.NAME.retry.attempts", "attempts", "required", "refused", "refused"}},
	Doc:   traefikDoc,
	Example: `
-- compose.yaml --
services:
  orders:
    image: orders
    labels:
      - traefik.http.routers.orders.rule=Host(` + "`shop.example.test`" + `)
      - traefik.http.routers.orders.middlewares=again
      - traefik.http.middlewares.again.retry.attempts=3 # want layer "attempts=3"
      - traefik.http.middlewares.again.retry.initialinterval=200ms
`,
})

// traefikName is the name by which routers refer to a middleware.
func traefikName(ns, name string) model.Name {
	return model.N(model.SpaceConfig, "traefik-middleware/"+ns+"/"+name)
}

// traefikRetry reads a retry middleware.
func traefikRetry(r *doc.Node, in, as model.Name, out *Out) *model.Layer {
	l := model.Layer{Kind: model.KindProxy, In: in, As: as, Label: "Traefik retry"}
	n := first(r, "attempts", "Attempts")
	out.count(&l, n, r, counting{zero: refused, negative: refused})
	l.DefaultBy, l.Origin = "", "" // there is no default: a middleware without attempts is not loaded
	if !n.Exists() {
		out.Gap(r, "retry without attempts: Traefik does not load it")
	}
	p := &l.Policy
	p.On = model.OnConnect | model.OnReset
	if off, _ := r.Get("disableRetryOnNetworkError").Bool(); off {
		p.On = 0
	}
	p.Backoff = model.NoBackoff()
	if i := first(r, "initialInterval", "initialinterval"); i.Exists() {
		// Factor 2^(1/(attempts-1)): all waits lie between the first and twice the first.
		if w := out.span(&l, i, model.FieldInitial, time.Second); !w.IsUnknown() {
			if d, _ := w.Duration(); d > 0 {
				p.Backoff = traefikWaits(d, p.Attempts)
			}
		} else {
			p.Backoff = model.Backoff{}
		}
	}
	p.Overall = positive(out.span(&l, r.Get("timeout"), model.FieldOverall, time.Second))
	statuses := r.Get("status").Many()
	for _, s := range statuses {
		p.On |= statusRange(s.Str())
	}
	if v, ok := r.Get("retryNonIdempotentMethod").Bool(); ok && v {
		l.Traits = append(l.Traits, model.Trait{Kind: model.TraitAnyMethod, At: out.Loc(r.Get("retryNonIdempotentMethod"))})
	}
	return out.Layer(l)
}

// traefikWaits is an exponential backoff with factor 2^(1/(attempts-1)) and half as much jitter either way.
func traefikWaits(initial time.Duration, attempts model.Count) model.Backoff {
	b := model.Exponential(initial, model.NewRatio(2, 1), 2*initial).WithJitter(model.Jitter{Kind: model.JitterProportional, Factor: model.NewRatio(1, 2)})
	if n, ok := attempts.Max(); ok && n == 2 {
		b.Max = model.For(initial)
	}
	return b
}

// statusRange is the condition of "503" or "500-599".
func statusRange(s string) model.Conditions {
	lo, hi, ok := strings.Cut(strings.TrimSpace(s), "-")
	from, ok1 := wholeNumber(lo)
	to := from
	if ok {
		to, _ = wholeNumber(hi)
	}
	if !ok1 || to > 999 {
		return 0
	}
	var on model.Conditions
	for c := from; c <= to; c++ {
		on |= statusCondition(int(c))
	}
	return on
}

func readIngressRoute(root *doc.Node, out *Out) {
	ns, owner := namespace(root), workload(root)
	for i, r := range root.Path("spec.routes").Items() {
		hosts, match := traefikRule(plain(r.Get("match")))
		route := model.Route{Name: model.N(model.SpaceRoute, fmt.Sprintf("%s#%d", owner.Key, i)), At: out.Loc(r.Get("match").Or(r)), Hosts: hosts, Match: match,
			Order: i, Owner: owner.Key, Ingress: true}
		for _, s := range r.Get("services").Items() {
			route.Dest = appendName(route.Dest, serviceHost(s, ns))
		}
		for _, m := range r.Get("middlewares").Items() {
			at := ns
			if n := m.Get("namespace"); n.Kind() == doc.Scalar {
				at = n.Str()
			}
			route.Uses = append(route.Uses, traefikName(at, plain(m.Get("name"))))
		}
		out.Route(route)
	}
}

// traefikMiddlewares are those that an Ingress names in its annotation: "ns-name@kubernetescrd".
func traefikMiddlewares(notes *doc.Node, ns string) []model.Name {
	n := notes.Get("traefik.ingress.kubernetes.io/router.middlewares")
	if n.Kind() != doc.Scalar {
		return nil
	}
	var out []model.Name
	for w := range strings.SplitSeq(n.Str(), ",") {
		w = strings.TrimSuffix(strings.TrimSpace(w), "@kubernetescrd")
		if name, ok := strings.CutPrefix(w, ns+"-"); ok && ns != "" {
			out = append(out, traefikName(ns, name))
		} else if name, ok := strings.CutPrefix(w, "default-"); ok && ns == "" {
			out = append(out, traefikName("", name))
		}
	}
	return out
}

var (
	ruleCall = regexp.MustCompile(`(!?)(Host|PathPrefix|Path|Method)\(([^)]*)\)`)
	ruleArg  = regexp.MustCompile("[`\"']([^`\"']+)[`\"']")
)

// traefikRule reads hosts, and a path and method where the rule is a plain conjunction.
func traefikRule(rule string) (hosts []model.Name, match []model.RouteMatch) {
	m := model.RouteMatch{}
	for _, c := range ruleCall.FindAllStringSubmatch(rule, 8) {
		args := ruleArg.FindAllStringSubmatch(c[3], 8)
		if c[1] != "" || len(args) == 0 {
			continue
		}
		switch c[2] {
		case "Host":
			for _, a := range args {
				hosts = appendName(hosts, model.Host(a[1], ""))
			}
		case "PathPrefix":
			m.Prefix = args[0][1]
		case "Path":
			m.Path = args[0][1]
		case "Method":
			m.Method = strings.ToUpper(args[0][1])
		}
	}
	if m != (model.RouteMatch{}) && !strings.Contains(rule, "||") {
		match = append(match, m)
	}
	return hosts, match
}

func readTraefikFile(d *doc.Document, out *Out) {
	http := d.Root.Get("http")
	owner := "traefik/" + out.Path
	layers := map[string]string{}
	for _, e := range http.Get("middlewares").Entries() {
		if r := e.Value.Get("retry"); r.Exists() {
			layers[e.Key] = traefikRetry(r, model.N(model.SpaceRoute, owner+"#"+e.Key), model.Name{}, out).ID
		}
	}
	for i, e := range http.Get("routers").Entries() {
		hosts, match := traefikRule(plain(e.Value.Get("rule")))
		r := model.Route{Name: model.N(model.SpaceRoute, owner+"#"+e.Key), At: out.KeyLoc(e.Value), Hosts: hosts, Match: match, Order: i, Owner: owner + "#" + e.Key, Ingress: true}
		service := strings.TrimSuffix(plain(e.Value.Get("service")), "@file")
		for _, s := range http.Get("services").Get(service).Path("loadBalancer.servers").Items() {
			if u := s.Get("url"); u.Kind() == doc.Scalar {
				r.Dest = appendName(r.Dest, model.Host(u.Str(), ""))
			}
		}
		for _, m := range e.Value.Get("middlewares").Many() {
			if id := layers[strings.TrimSuffix(m.Str(), "@file")]; id != "" {
				r.Layer = id
			}
		}
		out.Route(r)
	}
}

func readTraefikLabels(d *doc.Document, out *Out) {
	for _, s := range d.Root.Get("services").Entries() {
		for _, labels := range []*doc.Node{s.Value.Get("labels"), s.Value.Path("deploy.labels")} {
			traefikLabels(s.Key, labels, out)
		}
	}
}

var retryLabel = regexp.MustCompile(`^traefik\.http\.middlewares\.([^.]+)\.retry\.(?i:attempts)$`)

// traefikLabels reads the labels of one service. They come as a map or as a list of "key=value".
func traefikLabels(service string, labels *doc.Node, out *Out) {
	type label struct {
		key, value string
		at         *doc.Node
	}
	var all []label
	for _, e := range labels.Entries() {
		if e.Value.Kind() == doc.Scalar {
			all = append(all, label{e.Key, e.Value.Str(), e.Value})
		}
	}
	for _, n := range labels.Items() {
		if k, v, ok := strings.Cut(n.Str(), "="); ok {
			all = append(all, label{k, v, n})
		}
	}
	for _, a := range all {
		m := retryLabel.FindStringSubmatch(a.key)
		if m == nil {
			continue
		}
		l := model.Layer{Kind: model.KindProxy, At: out.Loc(a.at), In: model.N(model.SpaceRoute, "traefik/"+out.Path+"#"+service+"/"+m[1]), Label: "Traefik retry"}
		l.Policy = model.Policy{On: model.OnConnect | model.OnReset, Backoff: model.NoBackoff()}
		v, ok := wholeNumber(a.value)
		if !ok || v < 1 {
			out.Gap(a.at, "attempts: %q is not a number of attempts", a.value)
		} else {
			l.Policy.Attempts = model.Exactly(v)
		}
		r := model.Route{Name: l.In, At: l.At, Owner: l.In.Key, Ingress: true, Dest: []model.Name{model.Host(service, "")}}
		used := false
		for _, b := range all {
			key := strings.ToLower(b.key)
			switch {
			case key == strings.ToLower("traefik.http.middlewares."+m[1]+".retry.initialinterval"):
				if w, ok := doc.ParseDuration(b.value, time.Second); ok && w > 0 {
					l.Policy.Backoff = traefikWaits(w, l.Policy.Attempts)
				}
			case strings.HasPrefix(key, "traefik.http.routers.") && strings.HasSuffix(key, ".rule"):
				hosts, match := traefikRule(b.value)
				r.Hosts, r.Match = append(r.Hosts, hosts...), match
			case strings.HasPrefix(key, "traefik.http.routers.") && strings.HasSuffix(key, ".middlewares") && strings.Contains(b.value, m[1]):
				used = true
			}
		}
		r.Layer = out.Layer(l).ID
		if used {
			out.Route(r)
		}
	}
}
