package extract

import (
	"fmt"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "kuma",
	Title: "Kuma and Kong Mesh: MeshRetry, Retry, Mesh",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(p string, d *doc.Document) bool {
		t := d.Root.Get("type").Str() // the form of universal mode
		return kind("kuma.io", "MeshRetry", "Retry", "Mesh")(p, d) ||
			(t == "MeshRetry" || t == "Retry" || t == "Mesh") && d.Root.Get("name").Exists() && !d.Root.Get("apiVersion").Exists()
	},
	Read: func(d *doc.Document, out *Out) {
		root := d.Root
		what := root.Get("kind").Str(root.Get("type").Str())
		spec := root.Get("spec").Or(root)
		switch what {
		case "Mesh":
			kumaMesh(root, spec, out)
		case "Retry":
			kumaOld(root, spec, out)
		default:
			kumaMeshRetry(root, spec, out)
		}
	},
	Keys: []Key{
		{"spec.to[].default.http.numRetries", "retries", "1, Kuma, in a policy; 5 from the policy that each mesh is made with", "none", "invalid"},
		{"spec.to[].default.http.perTryTimeout", "limit of one attempt", "16s, Kuma", "", ""},
		{"spec.to[].default.http.backOff.baseInterval, maxInterval", "first wait and cap", "25ms and 250ms, Kuma", "", ""},
		{"spec.to[].default.tcp.maxConnectAttempt", "connection attempts", "5 from the mesh's policy", "", ""},
		{"Mesh: spec.skipCreatingInitialPolicies", "switches the mesh's own policies off", "none are skipped", "", ""},
	},
	Doc: `The proxies of the callers (targetRef) repeat requests to spec.to. Each mesh is made with a MeshRetry of 5 retries and 16s each
that nobody wrote, unless skipCreatingInitialPolicies names it. retryOn may hold methods (HttpMethodPost), then others are not repeated. The most
specific policy wins. Source: catalogue, B16.`,
	Example: `
-- retry.yaml --
apiVersion: kuma.io/v1alpha1
kind: MeshRetry
metadata: {name: orders, namespace: kuma-system}
spec:
  targetRef: {kind: Mesh}
  to:
    - targetRef: {kind: MeshService, name: orders_web_svc_8080}
      default:
        http:
          numRetries: 3 # want layer "attempts=4 perAttempt=2s initial=10ms max=1s on=connect-failure,reset,timeout,500,502-504,429"
          perTryTimeout: 2s
          backOff: {baseInterval: 10ms, maxInterval: 1s}
          retryOn: ["5XX", "429"]
        grpc: {} # want layer "attempts=2 origin=default"
-- mesh.yaml --
apiVersion: kuma.io/v1alpha1
kind: Mesh # want layer "attempts=6 origin=default perAttempt=16s"
metadata: {name: default}
-- quiet.yaml --
type: Mesh
name: quiet # want node "workload:mesh//quiet"
skipCreatingInitialPolicies: ["*"]
`,
})

// kumaDefaults is the name of the policy that a mesh is made with.
var kumaDefaults = model.N(model.SpaceConfig, "kuma-mesh")

// kumaMesh: each mesh gets a MeshRetry unless it is told not to. Source: catalogue, B16.
func kumaMesh(root, spec *doc.Node, out *Out) {
	name := model.N(model.SpaceWorkload, "mesh//"+root.Get("name").Str(objectName(root)))
	out.Node(model.Node{Name: name, Kind: model.NodeHost, At: out.Loc(root.Get("name").Or(root.Get("kind")))})
	for _, s := range spec.Get("skipCreatingInitialPolicies").Items() {
		if s.Str() == "*" || strings.HasPrefix(s.Str(), "MeshRetry") || s.Kind() == doc.Unknown {
			return
		}
	}
	out.Layer(model.Layer{Kind: model.KindMesh, At: out.Loc(root.Get("kind").Or(root.Get("type"))), In: name, As: kumaDefaults, Label: "Kuma default MeshRetry", Origin: model.OriginDefault,
		DefaultBy: "Kuma: each mesh is made with a MeshRetry of 5 retries", OffSwitch: `skipCreatingInitialPolicies: ["MeshRetry"]`,
		Policy: model.Policy{Attempts: model.Retries(5), PerAttempt: model.For(16 * time.Second), Backoff: istioBackoff(envoyBase), On: model.On5xx | model.OnReset | model.OnConnect}})
}

// kumaHost reads the name of a service: "orders_web_svc_8080", or a name and namespace.
func kumaHost(ref *doc.Node, ns string) model.Name {
	name := ref.Get("name").Str(ref.Get("kuma.io/service").Str())
	if parts := strings.Split(name, "_"); len(parts) >= 3 && parts[2] == "svc" {
		return model.Host(parts[0]+"."+parts[1], "")
	}
	if name == "" || name == "*" {
		return model.Name{}
	}
	if n := ref.Get("namespace"); n.Kind() == doc.Scalar {
		ns = n.Str()
	}
	return model.Host(name, ns)
}

func kumaMeshRetry(root, spec *doc.Node, out *Out) {
	owner := "meshretry//" + root.Get("name").Str(objectName(root))
	for i, to := range spec.Get("to").Items() {
		host := kumaHost(to.Get("targetRef"), "")
		for _, protocol := range []string{"http", "grpc"} {
			if p := to.Path("default." + protocol); p.Exists() {
				kumaPolicy(p, model.N(model.SpaceRoute, fmt.Sprintf("%s#%d.%s", owner, i, protocol)), host, i, out)
			}
		}
	}
}

func kumaOld(root, spec *doc.Node, out *Out) {
	owner := "retry//" + root.Get("name").Str(objectName(root))
	var host model.Name
	for _, d := range spec.Get("destinations").Items() {
		host = kumaHost(d.Get("match"), "")
	}
	for _, protocol := range []string{"http", "grpc"} {
		if p := spec.Path("conf." + protocol); p.Exists() {
			kumaPolicy(p, model.N(model.SpaceRoute, owner+"."+protocol), host, 0, out)
		}
	}
}

func kumaPolicy(p *doc.Node, name, host model.Name, order int, out *Out) {
	l := model.Layer{Kind: model.KindMesh, In: name, Label: "Kuma retry"}
	out.count(&l, p.Get("numRetries"), p, counting{offset: 1, absent: model.Retries(1), by: "Kuma: 1 retry where a policy has no numRetries", off: "numRetries: 0"})
	pol := &l.Policy
	pol.On, pol.Backoff = model.On5xx|model.OnReset|model.OnConnect, istioBackoff(envoyBase)
	var methods []string
	if on := p.Get("retryOn").Items(); len(on) > 0 {
		pol.On = 0
		for _, w := range on {
			if m, ok := strings.CutPrefix(strings.ToLower(w.Str()), "httpmethod"); ok {
				methods = append(methods, strings.ToUpper(m))
				continue
			}
			pol.On |= kumaCondition(w.Str())
		}
	}
	t := p.Get("perTryTimeout")
	pol.PerAttempt = limitOr(out.span(&l, t, model.FieldPerAttempt, 0), t, model.For(16*time.Second))
	b := p.Get("backOff")
	envoyBackoff(&l, b.Get("baseInterval"), b.Get("maxInterval"), out)
	r := model.Route{Name: name, At: l.At, Order: order, Owner: name.Key, Mesh: true}
	if !host.IsZero() {
		r.Hosts = []model.Name{host}
	}
	for _, m := range methods {
		r.Match = append(r.Match, model.RouteMatch{Method: m})
	}
	r.Layer = out.Layer(l).ID
	out.Route(r)
}

// kumaCondition reads "5XX", "GatewayError", "ConnectFailure" and the like, which are Envoy's words in camel case.
func kumaCondition(w string) model.Conditions {
	var b strings.Builder
	for i, r := range w {
		if r >= 'A' && r <= 'Z' && i > 0 && w[i-1] >= 'a' && w[i-1] <= 'z' {
			b.WriteByte('-')
		}
		b.WriteRune(r)
	}
	s := strings.ToLower(b.String())
	if s == "retriable4xx" {
		s = "retriable-4xx"
	}
	return envoyConditions(s)
}
