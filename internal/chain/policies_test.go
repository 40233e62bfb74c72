package chain_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/chain"
	"github.com/retrylint/retrylint/model"
)

// meshed is a repository with a route of a mesh to "ledger" whose retries nobody wrote, and a call through it.
func meshed(t *testing.T, path string) *model.Facts {
	t.Helper()
	r := repo("shop")
	f := fn(r, "main", true)
	request(r, f, "ledger.pay", "POST", "/entries")
	r.Layers = append(r.Layers, model.Layer{ID: "route", Kind: model.KindMesh, In: model.N(model.SpaceRoute, "vs#0"), Origin: model.OriginDefault, Else: meshName,
		At: model.Location{Repo: "shop", Path: path, Line: 9}, Policy: model.Policy{Attempts: model.Retries(2), Backoff: model.NoBackoff()}})
	r.Routes = append(r.Routes, model.Route{Name: model.N(model.SpaceRoute, "vs#0"), Hosts: []model.Name{model.Host("ledger.pay", "")}, Mesh: true, Layer: "route",
		At: model.Location{Repo: "shop", Path: path, Line: 9}})
	return r
}

var meshName = model.N(model.SpaceConfig, "istio-mesh")

func meshPolicy(r *model.Facts, path string, attempts int64) {
	r.Layers = append(r.Layers, model.Layer{ID: "mesh " + path, Kind: model.KindMesh, In: meshName, As: meshName, Origin: model.OriginExplicit,
		At: model.Location{Repo: r.Repo.Name, Path: path, Line: 7}, Policy: model.Policy{Attempts: model.Exactly(attempts), Backoff: model.NoBackoff()}})
}

func attemptsOf(t *testing.T, facts ...*model.Facts) string {
	t.Helper()
	return worst(t, chain.Build(facts, chain.Options{})).Attempts().String()
}

func TestMeshDefaultWins(t *testing.T) {
	require.Equal(t, "3", attemptsOf(t, meshed(t, "mesh/ledger.yaml")), "the built-in default")

	platform := repo("platform")
	meshPolicy(platform, "istio.yaml", 6)
	require.Equal(t, "6", attemptsOf(t, meshed(t, "mesh/ledger.yaml"), platform), "of another repository")

	r := meshed(t, "mesh/ledger.yaml")
	meshPolicy(r, "istio.yaml", 4)
	require.Equal(t, "4", attemptsOf(t, r, platform), "the own repository's wins")

	r = meshed(t, "mesh/ledger.yaml")
	meshPolicy(r, "istio.yaml", 1)
	require.Equal(t, "1", attemptsOf(t, r), "switched off for the mesh")
}

func TestMeshDefaultByFolder(t *testing.T) {
	r := meshed(t, "clusters/prod/ledger.yaml")
	meshPolicy(r, "clusters/prod/istio.yaml", 2)
	meshPolicy(r, "clusters/staging/istio.yaml", 9)
	require.Equal(t, "2", attemptsOf(t, r), "the nearest")

	r = meshed(t, "mesh/ledger.yaml")
	meshPolicy(r, "tests/integration/base.yaml", 1)
	require.Equal(t, "3", attemptsOf(t, r), "what is for tests holds for tests")
}

func TestMeshDefaultLeavesWhatIsSet(t *testing.T) {
	r := meshed(t, "mesh/ledger.yaml")
	r.Layers[0].Set = []model.Field{model.FieldOverall}
	r.Layers[0].Policy.Overall = model.For(3 * time.Second)
	meshPolicy(r, "istio.yaml", 4)
	org := chain.Build([]*model.Facts{r}, chain.Options{})
	l := org.ByLayer["route"]
	require.Equal(t, model.For(3*time.Second), l.Policy.Overall)
	require.Equal(t, "4", l.Policy.Attempts.String())
	require.Equal(t, 7, l.At.Line, "the mend is where the number stands")
}

func TestAttachedPolicy(t *testing.T) {
	r := meshed(t, "routes/ledger.yaml")
	r.Layers = nil
	r.Routes[0].Layer = ""
	onRoute, onGateway := model.N(model.SpaceConfig, "policy-of/httproute//ledger"), model.N(model.SpaceConfig, "policy-of/gateway//public")
	r.Routes[0].Uses = []model.Name{onRoute, onGateway}
	add := func(as model.Name, n int64) {
		r.Layers = append(r.Layers, model.Layer{ID: as.Key, Kind: model.KindProxy, As: as, In: as, At: at(r, 40+len(r.Layers)), Policy: model.Policy{Attempts: model.Exactly(n)}})
	}
	require.Empty(t, chain.Build([]*model.Facts{r}, chain.Options{}).Chains, "none is attached: nothing retries")
	add(onGateway, 5)
	require.Equal(t, "5", attemptsOf(t, r))
	add(onRoute, 2)
	require.Equal(t, "2", attemptsOf(t, r), "the one on the route wins")
}

// component is a message bus that redelivers, with one topic and a policy of the side that takes messages.
func component(acknowledges bool) *model.Facts {
	r := repo("bus")
	topic, bus := model.N(model.SpaceQueue, "dapr:bus/orders"), model.N(model.SpaceQueue, "dapr:bus")
	n := model.Node{Name: topic, Kind: model.NodeQueue, At: at(r, 1)}
	if acknowledges {
		n.Traits = []model.Trait{{Kind: model.TraitAcknowledges}}
	}
	r.Nodes = append(r.Nodes, n)
	r.Layers = append(r.Layers,
		model.Layer{ID: "redelivery", Kind: model.KindQueue, In: bus, Whole: true, At: at(r, 2), Policy: model.Policy{Attempts: model.Exactly(10), On: model.OnNoAck}},
		model.Layer{ID: "inbound", Kind: model.KindMesh, In: bus, Whole: true, At: at(r, 3), Policy: model.Policy{Attempts: model.Exactly(6), On: model.OnAny}})
	r.Edges = append(r.Edges, model.Edge{From: topic, To: model.Host("app", ""), Kind: model.EdgeDeliver, At: at(r, 4), Method: "POST"})
	return r
}

func TestComponentAroundItsTopics(t *testing.T) {
	org := chain.Build([]*model.Facts{component(false)}, chain.Options{})
	require.Len(t, org.Chains, 1, "the component has no chain besides those of its topics")
	require.Equal(t, "60", org.Chains[0].Attempts().String())
	require.Equal(t, "6", attemptsOf(t, component(true)), "the sidecar acknowledges, the broker does not send again")
}

// sidecars is a caller, a Service that it calls, and what their manifests say.
func sidecars(namespace string) *model.Facts {
	r := repo("shop")
	f := fn(r, "main", true)
	request(r, f, "ledger.pay", "GET", "/")
	name := model.N(model.SpaceConfig, "istio-sidecar/shop")
	r.Layers = append(r.Layers, model.Layer{ID: "sidecar", Kind: model.KindMesh, As: name, In: name, At: at(r, 50), Origin: model.OriginDefault, Policy: model.Policy{Attempts: model.Exactly(3)}})
	r.Services = append(r.Services,
		model.Service{Name: "shop", Kind: "main", Dir: "", Node: f},
		model.Service{Name: "shop", Kind: "deployment", Namespace: namespace, Names: []model.Name{model.Image("registry.test/shop:1")}, Sidecar: model.N(model.SpaceConfig, "istio-sidecar/"+namespace)},
		model.Service{Name: "ledger", Kind: "service", Namespace: "pay", Names: []model.Name{model.Host("ledger", "pay")}})
	return r
}

func TestSidecarWithoutRoute(t *testing.T) {
	require.Equal(t, "3", attemptsOf(t, sidecars("shop")))

	org := chain.Build([]*model.Facts{sidecars("elsewhere")}, chain.Options{})
	require.Empty(t, org.Chains, "the caller's pods carry no proxy: nothing retries")
	require.Empty(t, org.Layers, "a proxy that nothing goes through is left out")
}

func TestStatusesOfRPCInPlainHTTP(t *testing.T) {
	r := meshed(t, "mesh/ledger.yaml")
	r.Layers[0].Policy.On = model.OnConnect | model.OnUnavailable
	require.Equal(t, "1", attemptsOf(t, r), "nothing that was sent is sent again")
	r.Edges[0].Path = "/ledger.v1.Ledger/Post"
	require.Equal(t, "3", attemptsOf(t, r))
	r.Edges[0].Path = "/entries"
	r.Layers[0].Policy.On |= model.OnGateway
	require.Equal(t, "3", attemptsOf(t, r))
}

func TestSettingFromASecret(t *testing.T) {
	r := repo("shop")
	f := fn(r, "main", true)
	id := layer(r, f, model.Exactly(3), time.Second)
	request(r, f, "ledger.pay", "GET", "/", id)
	env := model.N(model.SpaceEnv, "MAX_RETRIES")
	r.Layers[0].Refs = []model.Ref{{Field: model.FieldAttempts, Name: env}}
	require.Equal(t, "3", attemptsOf(t, r), "the code's own default")
	r.Settings = []model.Setting{{Name: env, Unknown: true, At: at(r, 60)}}
	require.Equal(t, "unknown", chain.Build([]*model.Facts{r}, chain.Options{}).ByLayer[id].Policy.Attempts.String())
}
