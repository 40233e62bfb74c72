package extract

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "istio-virtualservice",
	Title: "Istio VirtualService",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("networking.istio.io", "VirtualService"),
	Read:  readVirtualService,
	Keys: []Key{
		{"spec.http[].retries.attempts", "retries", "2, the mesh default (of meshConfig where it is in the scan), where the block is absent; off where the block has no number", "switched off", "as 0"},
		{"spec.http[].retries.perTryTimeout", "limit of one attempt", "the route's timeout", "", ""},
		{"spec.http[].timeout", "limit over all attempts", "none", "none", ""},
		{"spec.http[].retries.retryOn", "conditions", "connect-failure, refused-stream, unavailable, cancelled: for plain HTTP only what was not sent", "", ""},
	},
	Doc: `The sidecar of the caller (or the gateway) repeats requests to spec.hosts. attempts counts retries, so attempts: 3 is 4 in all; a
route without a retries block has the mesh's default of 2 retries, which nobody wrote. Waits: 25ms doubling up to 250ms with full jitter.
Without a timeout of the route nothing limits the whole. The first route whose match holds is the one. Source: catalogue, B1.`,
	Example: `
-- vs.yaml --
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: ledger, namespace: pay}
spec:
  hosts: [ledger]
  http:
    - match: [{method: {exact: GET}}]
      retries: {attempts: 3, perTryTimeout: 2s, retryOn: "5xx,reset"} # want layer "attempts=4 perAttempt=2s jitter=full"
      route: [{destination: {host: ledger}}]
      timeout: 10s
    - match: [{uri: {prefix: /off}}]
      retries: {attempts: 0} # want layer "attempts=1"
      route: [{destination: {host: ledger}}]
    - route: [{destination: {host: ledger}}] # want layer "attempts=3 origin=default"
`,
})

// envoyBase is the first wait of Envoy where nothing is set. Source: catalogue, B5.
const envoyBase = 25 * time.Millisecond

// istioBackoff is Envoy's waits as Istio sets them: base 25 ms, cap ten times the base, full jitter. Source: catalogue, B1 and B5.
func istioBackoff(base time.Duration) model.Backoff {
	return model.Exponential(base, model.NewRatio(2, 1), 10*base).WithJitter(model.Jitter{Kind: model.JitterFull})
}

// istioDefaultOn is what the mesh repeats where nothing is said: connect-failure, refused-stream, and the gRPC statuses unavailable
// and cancelled. The generated policy also names retriable-status-codes, but no codes, so no 5xx; and no time-outs.
// Source: catalogue, B1 and N.
const istioDefaultOn = model.OnConnect | model.OnUnavailable | model.OnRPCOther

func readVirtualService(d *doc.Document, out *Out) {
	root := d.Root
	ns := namespace(root)
	owner := workload(root).Key
	var hosts []model.Name
	for _, h := range root.Path("spec.hosts").Items() {
		if n := model.Host(h.Str(), ns); !n.IsZero() && h.Kind() == doc.Scalar {
			hosts = append(hosts, n)
		}
	}
	mesh, ingress := false, false
	gateways := root.Path("spec.gateways")
	for _, g := range gateways.Items() {
		if g.Str() == "mesh" {
			mesh = true
		} else {
			ingress = true
		}
	}
	if gateways.Len() == 0 {
		mesh = true
	}
	for i, route := range root.Path("spec.http").Items() {
		name := model.N(model.SpaceRoute, fmt.Sprintf("%s#%s", owner, cmp.Or(plain(route.Get("name")), strconv.Itoa(i))))
		if route.Get("redirect").Exists() || first(route, "directResponse", "direct_response").Exists() || route.Get("delegate").Exists() {
			continue // nothing is sent, or another VirtualService says what
		}
		r := model.Route{Name: name, At: out.Loc(route), Hosts: hosts, Owner: owner, Order: i, Mesh: mesh, Ingress: ingress}
		for _, t := range route.Get("route").Items() {
			if h := model.Host(plain(t.Path("destination.host")), ns); !h.IsZero() {
				r.Dest = append(r.Dest, h)
			}
		}
		for _, m := range route.Get("match").Items() {
			r.Match = append(r.Match, httpMatch(m, "uri"))
		}
		l := istioLayer(route, root, name, out)
		r.Layer = l.ID
		if t := route.Get("timeout"); t.Exists() {
			if d, ok := t.Duration(0); ok && d > 0 {
				r.Timeout, r.TimeoutAt = model.For(d), out.Loc(t)
			}
		}
		out.Route(r)
	}
}

// httpMatch reads a match of the form {method: {exact}, uri: {exact|prefix}}.
func httpMatch(m *doc.Node, path string) model.RouteMatch {
	out := model.RouteMatch{Method: strings.ToUpper(m.Get("method").Get("exact").Str())}
	out.Path = m.Get(path).Get("exact").Str()
	out.Prefix = m.Get(path).Get("prefix").Str()
	return out
}

func istioLayer(route, object *doc.Node, in model.Name, out *Out) *model.Layer {
	l := model.Layer{Kind: model.KindMesh, In: in, Label: "Istio route"}
	if retries := route.Get("retries"); retries.Exists() {
		istioRetries(&l, retries, out)
	} else {
		l.At, l.Call = out.Loc(route), out.Loc(object.Get("kind"))
		l.Policy.On, l.Policy.Backoff = istioDefaultOn, istioBackoff(envoyBase)
		l.Else = istioDefaults // the mesh's own default wins over the built-in one
		if !route.Partial() {
			out.countAbsent(&l, counting{absent: model.Retries(2), by: "Istio: 2 retries where the route has no retries block", off: "retries: {attempts: 0}"})
		}
	}
	if t := route.Get("timeout"); t.Exists() {
		l.Policy.Overall = positive(out.span(&l, t, model.FieldOverall, 0))
		l.Set = append(l.Set, model.FieldOverall)
	} else if !route.Partial() {
		l.Policy.Overall = model.NoLimit() // unlike Envoy's own 15 s
	}
	return out.Layer(l)
}

// envoyConditions reads Envoy's retry_on words and bare status codes. Source: catalogue, B5.
func envoyConditions(words string) model.Conditions {
	var on model.Conditions
	for w := range strings.SplitSeq(words, ",") {
		switch w = strings.ToLower(strings.TrimSpace(w)); w {
		case "5xx":
			on |= model.On5xx | model.OnReset | model.OnTimeout | model.OnConnect
		case "gateway-error":
			on |= model.OnGateway
		case "reset", "http3-post-connect-failure":
			on |= model.OnReset | model.OnTimeout | model.OnConnect
		case "connect-failure", "refused-stream", "reset-before-request":
			on |= model.OnConnect
		case "retriable-4xx":
			on |= model.OnConflict
		case "envoy-ratelimited", "resource-exhausted":
			on |= model.On429
		case "unavailable":
			on |= model.OnUnavailable
		case "cancelled", "deadline-exceeded", "internal":
			on |= model.OnRPCOther
		case "retriable-status-codes", "retriable-headers":
			on |= model.OnGateway
		default:
			if n, err := strconv.Atoi(w); err == nil {
				on |= statusCondition(n)
			}
		}
	}
	return on
}

// statusCondition is the condition that an HTTP status belongs to.
func statusCondition(code int) model.Conditions {
	switch {
	case code == 429:
		return model.On429
	case code == 409:
		return model.OnConflict
	case code == 408:
		return model.OnTimeout
	case code == 502 || code == 503 || code == 504:
		return model.OnGateway
	case code >= 500:
		return model.On500
	case code >= 400:
		return model.On4xx
	}
	return 0
}
