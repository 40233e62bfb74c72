package extract

import (
	"fmt"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "envoy",
	Title: "Envoy static configuration and xDS files",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(p string, d *doc.Document) bool {
		r := d.Root
		return first(r, "static_resources", "staticResources").Exists() || first(r, "virtual_hosts", "virtualHosts").Kind() == doc.List ||
			first(r.At(0), "virtual_hosts", "virtualHosts").Kind() == doc.List || kind("cilium.io", "CiliumEnvoyConfig", "CiliumClusterwideEnvoyConfig")(p, d) || r.Get("resources").Kind() == doc.List && r.Path("resources.0.@type").Exists()
	},
	Read: readEnvoy,
	Keys: []Key{
		{"retry_policy.num_retries", "retries", "no policy: none; a policy without a number: 1, Envoy", "none", "invalid"},
		{"retry_policy.retry_on", "conditions", "nothing is repeated", "", ""},
		{"retry_policy.per_try_timeout", "limit of one attempt", "the route's timeout", "none", ""},
		{"retry_policy.retry_back_off.base_interval", "first wait", "25ms, Envoy", "", ""},
		{"retry_policy.retry_back_off.max_interval", "cap of a wait", "ten times the base, Envoy", "", ""},
		{"route.timeout", "limit over all attempts", "15s, Envoy", "none", ""},
		{"max_retries (circuit breaker), host_selection_retry_max_attempts", "no attempts: concurrent retries, choices of a host", "", "", ""},
	},
	Doc: `A route's retry_policy repeats a request; a policy of the virtual host holds only for routes that have none, as a whole. num_retries
counts retries. The route's timeout of 15s, which nobody wrote, bounds all attempts; without per_try_timeout one slow attempt uses it up. Waits: 25ms
doubling up to ten times that, full jitter. Callers may ask for more by x-envoy-* headers. The names that callers use are the virtual host's domains,
the callee is the cluster's address. Keys in snake_case or camelCase; also in the resources of a CiliumEnvoyConfig. Source: catalogue, B5 and B19.`,
	Example: `
-- envoy.yaml --
static_resources:
  listeners:
    - filter_chains:
        - filters:
            - typed_config:
                route_config:
                  virtual_hosts:
                    - name: shop
                      domains: ["shop.example.test:443"]
                      retry_policy: {retry_on: 5xx} # want layer "attempts=2 origin=default overall=15s"
                      routes:
                        - match: {prefix: /pay}
                          route: # want route "host:shop.example.test host:pay.example.test /pay"
                            cluster: pay
                            timeout: 0s
                            retry_policy:
                              retry_on: gateway-error,reset
                              num_retries: 3 # want layer "attempts=4 perAttempt=2s overall=unbounded initial=50ms max=500ms jitter=full"
                              per_try_timeout: 2s
                              retry_back_off: {base_interval: 0.05s}
                        - match: {prefix: /}
                          route: {cluster: pay}
  clusters:
    - name: pay
      load_assignment:
        endpoints:
          - lb_endpoints:
              - endpoint: {address: {socket_address: {address: pay.example.test, port_value: 80}}}
`,
})

func readEnvoy(d *doc.Document, out *Out) {
	root := d.Root
	hosts := map[string][]model.Name{}
	root.Walk(func(n *doc.Node) bool {
		if n.Key() == "clusters" && n.Kind() == doc.List {
			for _, c := range n.Items() {
				envoyCluster(c, hosts)
			}
		}
		if n.Get("@type").Str() == "type.googleapis.com/envoy.config.cluster.v3.Cluster" {
			envoyCluster(n, hosts)
		}
		return true
	})
	for _, s := range root.Path("spec.services").Items() { // CiliumEnvoyConfig
		if h := serviceHost(s, namespace(root)); !h.IsZero() {
			hosts[s.Get("namespace").Str(namespace(root))+"/"+s.Get("name").Str()] = []model.Name{h}
		}
	}
	v := 0
	root.Walk(func(n *doc.Node) bool {
		if (n.Key() == "virtual_hosts" || n.Key() == "virtualHosts") && n.Kind() == doc.List {
			for _, h := range n.Items() {
				envoyHost(h, fmt.Sprintf("envoy/%s#%s.%d", out.Path, plain(h.Get("name")), v), hosts, out)
				v++
			}
			return false
		}
		return true
	})
}

// envoyCluster notes the addresses of a cluster.
func envoyCluster(c *doc.Node, hosts map[string][]model.Name) {
	name := plain(c.Get("name"))
	for _, key := range []string{"load_assignment", "loadAssignment"} {
		c.Get(key).Walk(func(n *doc.Node) bool {
			if n.Key() == "socket_address" || n.Key() == "socketAddress" {
				for _, h := range hostsOf("", n.Get("address")) {
					hosts[name] = appendName(hosts[name], h)
				}
				return false
			}
			return true
		})
	}
}

func envoyHost(h *doc.Node, owner string, clusters map[string][]model.Name, out *Out) {
	names := hostsOf("", h.Get("domains"))
	common := first(h, "retry_policy", "retryPolicy")
	shared := "" // the layer of the virtual host's policy, made where a route takes it
	for i, r := range h.Get("routes").Items() {
		action := r.Get("route")
		if !action.Exists() {
			continue // redirects and direct responses send nothing
		}
		route := model.Route{Name: model.N(model.SpaceRoute, fmt.Sprintf("%s/%d", owner, i)), At: out.KeyLoc(action), Hosts: names, Match: envoyMatch(r.Get("match")),
			Order: i, Owner: owner, Ingress: true}
		for _, c := range append([]*doc.Node{action}, first(action, "weighted_clusters", "weightedClusters").Get("clusters").Items()...) {
			name := plain(c.Get("cluster").Or(c.Get("name")))
			for _, dest := range clusters[name] {
				route.Dest = appendName(route.Dest, dest)
			}
		}
		timeout := action.Get("timeout")
		switch own := first(action, "retry_policy", "retryPolicy"); {
		case own.Exists():
			route.Layer = envoyLayer(own, timeout, action, route.Name, out).ID
		case common.Exists() && !timeout.Exists() && shared != "":
			route.Layer = shared
		case common.Exists():
			route.Layer = envoyLayer(common, timeout, action, model.N(model.SpaceRoute, owner), out).ID
			if !timeout.Exists() {
				shared = route.Layer
			}
		}
		if d, ok := timeout.Duration(0); ok && d > 0 {
			route.Timeout, route.TimeoutAt = model.For(d), out.Loc(timeout)
		} else if !timeout.Exists() {
			route.Timeout = model.For(15 * time.Second)
		}
		out.Route(route)
	}
}

// envoyMatch reads prefix, path and an exact :method.
func envoyMatch(m *doc.Node) []model.RouteMatch {
	rm := model.RouteMatch{Path: m.Get("path").Str(), Prefix: m.Get("prefix").Str()}
	if rm.Prefix == "/" {
		rm.Prefix = ""
	}
	for _, h := range m.Get("headers").Items() {
		if h.Get("name").Str() == ":method" {
			s := first(h, "string_match", "stringMatch")
			rm.Method = strings.ToUpper(s.Get("exact").Or(first(h, "exact_match", "exactMatch")).Str())
		}
	}
	if rm == (model.RouteMatch{}) {
		return nil
	}
	return []model.RouteMatch{rm}
}

// envoyLayer reads a retry policy; timeout is the route's, in the route's action.
func envoyLayer(p, timeout, action *doc.Node, in model.Name, out *Out) *model.Layer {
	l := model.Layer{Kind: model.KindProxy, In: in, Label: "Envoy retry_policy"}
	envoyPolicy(&l, p, out)
	if timeout.Exists() {
		l.Policy.Overall = positive(out.span(&l, timeout, model.FieldOverall, 0))
	} else if !action.Partial() {
		l.Policy.Overall = model.For(15 * time.Second)
	}
	return out.Layer(l)
}

// envoyPolicy reads what stands in a retry policy. Source: catalogue, B5.
func envoyPolicy(l *model.Layer, p *doc.Node, out *Out) {
	out.count(l, first(p, "num_retries", "numRetries"), p, counting{offset: 1, absent: model.Retries(1), by: "Envoy: 1 retry where a retry_policy has no num_retries",
		off: "num_retries: 0"})
	on := first(p, "retry_on", "retryOn")
	if on.Kind() == doc.Scalar && on.Str() != "" {
		l.Policy.On = envoyConditions(on.Str())
		if strings.Contains(on.Str(), "retriable-status-codes") {
			codes := first(p, "retriable_status_codes", "retriableStatusCodes").Items()
			if len(codes) > 0 {
				l.Policy.On = envoyConditions(strings.ReplaceAll(on.Str(), "retriable-status-codes", ""))
			}
			for _, c := range codes {
				if v, ok := c.Int(); ok {
					l.Policy.On |= statusCondition(int(v))
				}
			}
		}
	} else if !on.Exists() && !p.Partial() {
		l.Policy.Attempts = model.Exactly(1)
		l.Origin, l.DefaultBy, l.OffSwitch = "", "", ""
		l.Traits = append(l.Traits, model.Trait{Kind: model.TraitIneffective, At: l.At, Detail: "a retry_policy without retry_on repeats nothing"})
	}
	l.Policy.PerAttempt = out.span(l, first(p, "per_try_timeout", "perTryTimeout"), model.FieldPerAttempt, 0)
	l.Policy.Backoff = istioBackoff(envoyBase)
	if b := first(p, "retry_back_off", "retryBackOff"); b.Exists() {
		envoyBackoff(l, first(b, "base_interval", "baseInterval"), first(b, "max_interval", "maxInterval"), out)
	}
}

// envoyBackoff sets base and cap; the cap is ten times the base where it is not set.
func envoyBackoff(l *model.Layer, base, most *doc.Node, out *Out) {
	if base.Exists() {
		w := out.span(l, base, model.FieldInitial, 0)
		if d, ok := w.Duration(); ok {
			l.Policy.Backoff = istioBackoff(d)
		} else {
			l.Policy.Backoff = model.Backoff{Kind: model.BackoffExponential, Factor: model.NewRatio(2, 1), Jitter: fullJitter}
		}
	}
	if m := out.span(l, most, model.FieldMax, 0); m.Known() {
		l.Policy.Backoff.Max = m
	}
}
