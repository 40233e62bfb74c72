package extract

import (
	"fmt"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "spring-cloud-gateway",
	Title: "Spring Cloud Gateway",
	Files: []string{"application*.yml", "application*.yaml", "application*.properties", "bootstrap*.yml", "bootstrap*.yaml", "*gateway*.yml", "*gateway*.yaml"},
	Match: func(_ string, d *doc.Document) bool { _, _, ok := springGateway(d.Root); return ok },
	Read: func(d *doc.Document, out *Out) {
		get, mvc, _ := springGateway(d.Root)
		owner := "spring-gateway/" + out.Path
		common := springRetry(get("default-filters"), mvc, model.N(model.SpaceRoute, owner+"#default"), out)
		routes := get("routes").Items()
		for _, e := range get("routes-map").Entries() {
			routes = append(routes, e.Value)
		}
		for i, r := range routes {
			name := model.N(model.SpaceRoute, fmt.Sprintf("%s#%s.%d", owner, plain(r.Get("id")), i))
			route := model.Route{Name: name, At: out.Loc(r.Get("uri").Or(r)), Order: i, Owner: owner, Ingress: true, Layer: common}
			// What else a route may name (forward:, fn:, stream:, no:) is no host.
			if uri := r.Get("uri"); uri.Kind() == doc.Scalar {
				switch scheme, _, _ := strings.Cut(uri.Str(), ":"); strings.ToLower(scheme) {
				case "http", "https", "lb", "ws", "wss":
					route.Dest = appendName(nil, model.Host(uri.Str(), ""))
				}
			}
			m := model.RouteMatch{}
			for _, p := range r.Get("predicates").Items() {
				key, value, _ := strings.Cut(p.Str(), "=")
				first, _, more := strings.Cut(value, ",")
				switch key {
				case "Path":
					m.Prefix = strings.TrimRight(braces(first), "*")
				case "Method":
					if !more {
						m.Method = strings.ToUpper(first)
					}
				case "Host":
					if !strings.Contains(first, "*") {
						route.Hosts = appendName(route.Hosts, model.Host(first, ""))
					}
				}
			}
			if m != (model.RouteMatch{}) {
				route.Match = []model.RouteMatch{m}
			}
			if id := springRetry(r.Get("filters"), mvc, name, out); id != "" {
				route.Layer = id
			}
			out.Route(route)
		}
	},
	Keys: []Key{
		{"spring.cloud.gateway.routes[].filters[] Retry: retries", "retries", "no filter: none; a filter: 3, Spring", "refused", "refused"},
		{"spring.cloud.gateway.server.webmvc.routes[].filters[] Retry: retries", "attempts, in spite of its name", "no filter: none; a filter: 3, Spring", "refused", "refused"},
		{"… methods", "methods that are repeated", "GET, Spring", "", ""},
		{"… series, statuses, exceptions", "conditions", "5xx, and input/output errors and time-outs", "", ""},
		{"… backoff.firstBackoff, maxBackoff, factor", "waits", "none", "", ""},
	},
	Doc: `The Retry filter of a route (or of default-filters) repeats a request: retries counts retries, but attempts in the gateway of servlets (server.webmvc,
before that mvc; read in its source, GatewayRetryFilterFunctions). By default GET only, without a wait. The caller is
whoever matches the predicates, the callee the route's uri (lb://name is a service). Source: catalogue, B23.`,
	Example: `
-- application.yml --
spring:
  cloud:
    gateway:
      routes:
        - id: orders
          uri: lb://orders
          predicates: [Path=/orders/**]
          filters:
            - name: Retry
              args:
                retries: 5 # want layer "attempts=6 method=any on=502-504 initial=50ms max=500ms factor=2"
                methods: GET,POST
                statuses: BAD_GATEWAY
                backoff: {firstBackoff: 50ms, maxBackoff: 500ms, factor: 2}
        - id: stock
          uri: http://stock.example.test
          filters:
            - Retry=2 # want layer "attempts=3 method=guarded backoff=none"
        - id: local
          uri: forward:/orders
        - id: plain
          uri: http://plain.example.test
          filters:
            - name: Retry # want layer "attempts=4 origin=default"
-- application-mvc.yml --
spring.cloud.gateway.server.webmvc:
  routes-map:
    orders:
      uri: lb://orders
      predicates: [Path=/orders/**]
      filters:
        - name: Retry
          args:
            retries: 3 # want layer "attempts=3 method=any initial=5ms max=50ms"
            methods: GET,POST
            backoff: {firstBackoff: 5ms, maxBackoff: 50ms, factor: 2}
`,
})

// springGateway finds the gateway's properties in a file; ok is false where there are none. mvc says that it is the gateway of
// servlets.
func springGateway(root *doc.Node) (get func(key string) *doc.Node, mvc, ok bool) {
	for _, at := range []string{"server.webflux.", "server.webmvc.", "mvc.", ""} {
		get = func(key string) *doc.Node { return relaxed(root, "spring.cloud.gateway."+at+key) }
		if get("routes").Exists() || get("routes-map").Exists() || get("default-filters").Exists() {
			return get, strings.HasSuffix(at, "mvc."), true
		}
	}
	return get, false, false
}

// springRetries is what the number of a Retry filter means: retries, but attempts in the gateway of servlets.
func springRetries(mvc bool) counting {
	if mvc {
		return counting{absent: model.Exactly(3), by: "Spring Cloud Gateway MVC: 3 attempts where the filter has no number", off: "no Retry filter", zero: refused}
	}
	return counting{offset: 1, absent: model.Retries(3), by: "Spring Cloud Gateway: 3 retries where the filter has no number", off: "no Retry filter", zero: refused}
}

// springRetry makes the layer of a Retry filter; "" where there is none.
func springRetry(filters *doc.Node, mvc bool, in model.Name, out *Out) string {
	for _, f := range filters.Items() {
		l := model.Layer{Kind: model.KindProxy, In: in, Label: "Spring Cloud Gateway Retry"}
		c := springRetries(mvc)
		p := &l.Policy
		p.On, p.Backoff = model.On5xx|model.OnConnect|model.OnReset|model.OnTimeout, model.NoBackoff()
		methods := "GET"
		if f.Kind() == doc.Scalar {
			text, ok := strings.CutPrefix(f.Str(), "Retry")
			if !ok || text != "" && text[0] != '=' {
				continue
			}
			l.At = out.Loc(f)
			parts := strings.Split(strings.TrimPrefix(text, "="), ",")
			if n, ok := wholeNumber(parts[0]); ok && n > 0 {
				p.Attempts = model.Exactly(n + c.offset)
			} else if strings.TrimSpace(parts[0]) == "" {
				out.countAbsent(&l, c)
			} else {
				out.Gap(f, "Retry: %q is not a number of retries", parts[0])
			}
		} else {
			if f.Get("name").Str() != "Retry" {
				continue
			}
			args := f.Get("args")
			l.At = out.Loc(f.Get("name"))
			out.count(&l, args.Get("retries"), args, c)
			if !args.Exists() {
				out.countAbsent(&l, c)
			}
			if m := args.Get("methods"); m.Exists() {
				methods = wordsOf(m)
			}
			if s := wordsOf(args.Get("statuses")); s != "" {
				p.On = springStatuses(s)
			}
			if b := args.Get("backoff"); b.Exists() {
				first := out.span(&l, b.Get("firstBackoff"), model.FieldInitial, time.Millisecond)
				p.Backoff = model.Backoff{Kind: model.BackoffExponential, Initial: first, Factor: model.NewRatio(2, 1), Jitter: model.Jitter{Kind: model.JitterNone}}
				if !b.Get("firstBackoff").Exists() {
					p.Backoff.Initial = model.For(5 * time.Millisecond)
				}
				if v, ok := b.Get("factor").Float(); ok {
					p.Backoff.Factor = model.RatioOf(v)
				}
				p.Backoff.Max = out.span(&l, b.Get("maxBackoff"), model.FieldMax, time.Millisecond)
			}
			if j, ok := args.Path("jitter.randomFactor").Float(); ok && j > 0 {
				p.Backoff.Jitter = model.Jitter{Kind: model.JitterProportional, Factor: model.RatioOf(j)}
			}
			p.Overall = out.span(&l, args.Get("timeout"), model.FieldOverall, time.Millisecond)
		}
		if strings.Contains(methods, "POST") || strings.Contains(methods, "PATCH") {
			l.Traits = append(l.Traits, model.Trait{Kind: model.TraitAnyMethod, At: l.At, Detail: "methods: " + methods})
		} else {
			l.Traits = append(l.Traits, guard(l.At, "only "+methods+" is repeated", "POST PATCH"))
		}
		return out.Layer(l).ID
	}
	return ""
}

// wordsOf is a value that may be a list or a text with commas, as a text with commas.
func wordsOf(n *doc.Node) string {
	var ws []string
	for _, w := range n.Many() {
		ws = append(ws, strings.ToUpper(w.Str()))
	}
	return strings.Join(ws, ",")
}

// springStatuses reads statuses by number or name.
func springStatuses(s string) model.Conditions {
	var on model.Conditions
	for w := range strings.SplitSeq(s, ",") {
		switch w = strings.TrimSpace(w); w {
		case "BAD_GATEWAY", "SERVICE_UNAVAILABLE", "GATEWAY_TIMEOUT":
			on |= model.OnGateway
		case "INTERNAL_SERVER_ERROR":
			on |= model.On500
		case "TOO_MANY_REQUESTS":
			on |= model.On429
		case "REQUEST_TIMEOUT":
			on |= model.OnTimeout
		case "CONFLICT":
			on |= model.OnConflict
		default:
			if c, ok := wholeNumber(w); ok {
				on |= statusCondition(int(c))
			} else {
				on |= model.On4xx
			}
		}
	}
	return on
}
