package chain_test

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/chain"
	"github.com/retrylint/retrylint/model"
)

func repo(name string) *model.Facts {
	return &model.Facts{Schema: 1, Repo: model.Repository{Name: name}}
}

func fn(r *model.Facts, name string, exported bool) model.Name {
	n := model.N(model.SpaceFunc, "example.test/"+r.Repo.Name+"."+name)
	r.Nodes = append(r.Nodes, model.Node{Name: n, Kind: model.NodeFunc, Exported: exported, At: at(r, len(r.Nodes)+1)})
	return n
}

func at(r *model.Facts, line int) model.Location {
	return model.Location{Repo: r.Repo.Name, Path: "main.go", Line: line}
}

func layer(r *model.Facts, in model.Name, attempts model.Count, wait time.Duration) string {
	id := fmt.Sprintf("%s/%s/%d", r.Repo.Name, in.Key, len(r.Layers))
	r.Layers = append(r.Layers, model.Layer{ID: id, Kind: model.KindLoop, In: in, At: at(r, 100+len(r.Layers)),
		Policy: model.Policy{Attempts: attempts, Backoff: model.Constant(wait)}})
	return id
}

func request(r *model.Facts, from model.Name, host, method, path string, under ...string) {
	r.Edges = append(r.Edges, model.Edge{From: from, To: model.Host(host, ""), Kind: model.EdgeRequest, At: at(r, 200+len(r.Edges)), Method: method, Path: path, Under: under})
}

func handler(r *model.Facts, method, pattern string, f model.Name) {
	r.Handlers = append(r.Handlers, model.Handler{Func: f, Method: method, Pattern: pattern, At: at(r, 300+len(r.Handlers))})
}

// worst is the chain with the most attempts.
func worst(t *testing.T, org *model.Org) *model.Chain {
	t.Helper()
	require.NotEmpty(t, org.Chains)
	best := org.Chains[0]
	for _, c := range org.Chains {
		if c.Attempts().Compare(best.Attempts()) > 0 {
			best = c
		}
	}
	return best
}

// threeLayers is the worked example in facts: 3 x 2s in the gateway, 3 x 1m in the worker, 3 x 1h in a workflow.
func threeLayers() []*model.Facts {
	sched, worker, gateway, ledger := repo("nightly"), repo("worker"), repo("gateway"), repo("ledger")
	wf := model.N(model.SpaceWorkload, "cronworkflow/pay/settle")
	sched.Nodes = append(sched.Nodes, model.Node{Name: wf, Kind: model.NodeSchedule, Entry: true, At: at(sched, 1)})
	sched.Layers = append(sched.Layers, model.Layer{ID: "wf", Kind: model.KindWorkflow, In: wf, Whole: true, At: at(sched, 2),
		Policy: model.Policy{Attempts: model.Retries(2), Backoff: model.Constant(time.Hour)}})
	request(sched, wf, "http://worker.pay.svc:8080/batches", "POST", "/batches")

	settle := fn(worker, "settle", false)
	handler(worker, "POST", "/batches", settle)
	request(worker, settle, "gateway.pay.svc.cluster.local", "POST", "/payouts", layer(worker, settle, model.Exactly(3), time.Minute))

	post := fn(gateway, "post", false)
	handler(gateway, "POST", "/payouts", post)
	handler(gateway, "GET", "/payouts", fn(gateway, "list", false))
	request(gateway, post, "ledger.pay", "POST", "/entries", layer(gateway, post, model.Exactly(3), 2*time.Second))

	entries := fn(ledger, "entries", false)
	handler(ledger, "POST", "/entries", entries)
	ledger.Edges = append(ledger.Edges, model.Edge{From: entries, To: model.N(model.SpaceOp, "write"), Kind: model.EdgeStore, At: at(ledger, 9)})
	ledger.Boundaries = append(ledger.Boundaries, model.Boundary{ID: "w", In: entries, TTL: model.WindowFor(24 * time.Hour), At: at(ledger, 5)})
	return []*model.Facts{sched, worker, gateway, ledger}
}

func options() chain.Options {
	return chain.Options{Replay: model.ReplayDefaults{DeadLetter: model.For(24 * time.Hour), OperatorRerun: model.For(72 * time.Hour)}}
}

func TestThreeLayersAcrossRepositories(t *testing.T) {
	org := chain.Build(threeLayers(), options())
	c := worst(t, org)
	require.Equal(t, "27", c.Attempts().String())
	require.Equal(t, "2h6m36s", c.AutomaticDelay().String())
	require.Len(t, c.Factors(), 3)
	require.Equal(t, "wf", c.Factors()[0].ID, "outermost first")
	path, when := c.Longest()
	require.Equal(t, model.PathOperatorRerun, path.Kind)
	require.Equal(t, "72h", when.String())
	require.Equal(t, "144h", c.Required(org.Factor).String())
	for _, v := range c.Vertices() {
		for _, b := range v.Boundaries {
			j := c.Verdict(b, v, org.Factor)
			require.Equal(t, model.Short, j.Verdict)
			require.Equal(t, "120h", j.Shortfall.String())
			return
		}
	}
	t.Fatal("the chain does not pass the window")
}

func TestShuffledFactsGiveTheSameOrganisation(t *testing.T) {
	dump := func(fs []*model.Facts) string {
		org := chain.Build(fs, options())
		var out []string
		for _, c := range org.Chains {
			out = append(out, fmt.Sprint(c.ID, c.Entry.Name, c.Effect.Name, c.Attempts(), c.AutomaticDelay(), len(c.Hops)))
		}
		b, err := json.Marshal(out)
		require.NoError(t, err)
		return string(b)
	}
	want := dump(threeLayers())
	for seed := range int64(20) {
		fs := threeLayers()
		rand.New(rand.NewSource(seed)).Shuffle(len(fs), func(i, j int) { fs[i], fs[j] = fs[j], fs[i] })
		require.Equal(t, want, dump(fs))
	}
}

func TestBuildLeavesTheFactsAlone(t *testing.T) {
	fs := threeLayers()
	before, err := json.Marshal(fs)
	require.NoError(t, err)
	chain.Build(fs, options())
	after, err := json.Marshal(fs)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
}

func TestAlternativesNeverMultiply(t *testing.T) {
	r := repo("a")
	f, x, y := fn(r, "F", true), fn(r, "x", false), fn(r, "y", false)
	r.Edges = append(r.Edges, model.Edge{From: f, To: model.N(model.SpaceFunc, "iface"), Kind: model.EdgeCall, At: at(r, 1), Alternatives: []model.Name{x, y}})
	request(r, x, "api.example.com", "GET", "/", layer(r, x, model.Exactly(3), time.Second))
	request(r, y, "api.example.com", "GET", "/", layer(r, y, model.Exactly(5), time.Second))
	require.Equal(t, "5", worst(t, chain.Build([]*model.Facts{r}, options())).Attempts().String())
}

func TestAPublishEndsTheProduct(t *testing.T) {
	r := repo("a")
	q := model.N(model.SpaceQueue, "sqs:orders")
	f, work := fn(r, "Publish", true), fn(r, "work", false)
	r.Edges = append(r.Edges, model.Edge{From: f, To: q, Kind: model.EdgePublish, At: at(r, 1), Under: []string{layer(r, f, model.Exactly(4), time.Second)}})
	r.Edges = append(r.Edges, model.Edge{From: q, To: work, Kind: model.EdgeDeliver, At: at(r, 2)})
	r.Layers = append(r.Layers, model.Layer{ID: "q", Kind: model.KindQueue, In: q, Whole: true, At: at(r, 3), Policy: model.Policy{Attempts: model.Exactly(5), Backoff: model.Constant(time.Second)}})
	request(r, work, "api.example.com", "POST", "/", layer(r, work, model.Exactly(3), time.Second))
	org := chain.Build([]*model.Facts{r}, options())
	got := map[string]string{}
	for _, c := range org.Chains {
		got[c.Entry.Name.Key] = c.Attempts().String()
	}
	require.Equal(t, map[string]string{"example.test/a.Publish": "4", "sqs:orders": "15"}, got)
}

func TestCyclesAreSaidAndEnd(t *testing.T) {
	r := repo("a")
	f, g := fn(r, "F", true), fn(r, "g", false)
	id := layer(r, f, model.Exactly(3), time.Second)
	r.Edges = append(r.Edges, model.Edge{From: f, To: g, Kind: model.EdgeCall, At: at(r, 1), Under: []string{id}},
		model.Edge{From: g, To: f, Kind: model.EdgeCall, At: at(r, 2)})
	request(r, g, "api.example.com", "GET", "/")
	org := chain.Build([]*model.Facts{r}, options())
	require.Len(t, org.Cycles, 1)
	require.Equal(t, "3", worst(t, org).Attempts().String())
}

func TestSettingsFromAnotherRepository(t *testing.T) {
	code, deploy := repo("settle-worker"), repo("deploy")
	f := fn(code, "main", false)
	code.Services = append(code.Services, model.Service{Name: "settle-worker", Kind: "main", Node: f})
	id := layer(code, f, model.Count{}, time.Second)
	code.Layers[0].Refs = []model.Ref{{Field: model.FieldAttempts, Name: model.N(model.SpaceEnv, "MAX_RETRIES"), Offset: 1}}
	request(code, f, "api.example.com", "GET", "/", id)
	w := model.N(model.SpaceWorkload, "deployment/pay/settle-worker")
	other := model.N(model.SpaceWorkload, "deployment/pay/other")
	deploy.Services = append(deploy.Services,
		model.Service{Name: "settle-worker", Kind: "deployment", Namespace: "pay", Names: []model.Name{w, model.Image("registry.test/pay/settle-worker:1")}},
		model.Service{Name: "other", Kind: "deployment", Namespace: "pay", Names: []model.Name{other, model.Image("other:1")}})
	deploy.Settings = append(deploy.Settings,
		model.Setting{Name: model.N(model.SpaceEnv, "MAX_RETRIES"), Value: "4", For: w, At: at(deploy, 7)},
		model.Setting{Name: model.N(model.SpaceEnv, "MAX_RETRIES"), Value: "90", For: other, At: at(deploy, 8)})
	org := chain.Build([]*model.Facts{code, deploy}, options())
	require.Equal(t, "5", worst(t, org).Attempts().String(), "the other service's value does not count")
	require.Equal(t, []model.Location{at(deploy, 7)}, org.Layer(id).SetBy)
}

func TestServiceSelectsWorkloadSelectsRepository(t *testing.T) {
	client, code, deploy := repo("client"), repo("backend"), repo("deploy")
	f := fn(client, "Call", true)
	request(client, f, "http://api.shop.svc:80/orders", "POST", "/orders", layer(client, f, model.Exactly(3), time.Second))
	h := fn(code, "create", false)
	m := fn(code, "main", false)
	code.Services = append(code.Services, model.Service{Name: "backend", Kind: "main", Node: m})
	handler(code, "POST", "/orders", h)
	request(code, h, "bank.example.com", "POST", "/pay", layer(code, h, model.Exactly(5), time.Second))
	deploy.Services = append(deploy.Services,
		model.Service{Name: "api", Kind: "service", Namespace: "shop", Selector: []string{"app=api"}, Names: []model.Name{model.Host("api", "shop")}},
		model.Service{Name: "api", Kind: "deployment", Namespace: "shop", Labels: []string{"app=api", "tier=x"}, Names: []model.Name{model.Image("r.test/shop/backend:2")}, Replicas: model.Exactly(3)})
	org := chain.Build([]*model.Facts{client, code, deploy}, options())
	require.Equal(t, "15", worst(t, org).Attempts().String())
}

func TestMeshRouteStandsBetweenCallerAndHandler(t *testing.T) {
	client, mesh := repo("client"), repo("mesh")
	f := fn(client, "Call", true)
	request(client, f, "pricing.shop", "GET", "/quote", layer(client, f, model.Exactly(4), time.Second))
	route := model.N(model.SpaceRoute, "virtualservice/shop/pricing#0")
	mesh.Layers = append(mesh.Layers,
		model.Layer{ID: "reads", Kind: model.KindMesh, In: route, At: at(mesh, 1), Policy: model.Policy{Attempts: model.Retries(3)}},
		model.Layer{ID: "rest", Kind: model.KindMesh, In: route, At: at(mesh, 2), Policy: model.Policy{Attempts: model.Retries(9)}})
	mesh.Routes = append(mesh.Routes,
		model.Route{Name: route, Hosts: []model.Name{model.Host("pricing.shop", "")}, Match: []model.RouteMatch{{Method: "GET"}}, Order: 0, Owner: "vs", Mesh: true, Layer: "reads"},
		model.Route{Name: route, Hosts: []model.Name{model.Host("pricing.shop", "")}, Order: 1, Owner: "vs", Mesh: true, Layer: "rest"})
	org := chain.Build([]*model.Facts{client, mesh}, options())
	for _, c := range org.Chains {
		if c.Entry.Name == f {
			require.Equal(t, "16", c.Attempts().String(), "the first route that matches wins")
			return
		}
	}
	t.Fatal("no chain from the client")
}

func TestAWordJoinsOnlyOneCandidate(t *testing.T) {
	a, b, c := repo("caller"), repo("one"), repo("two")
	f := fn(a, "Call", true)
	request(a, f, "http://example.com/x", "GET", "/x", layer(a, f, model.Exactly(2), time.Second))
	for _, r := range []*model.Facts{b, c} {
		m := fn(r, "main", false)
		r.Services = append(r.Services, model.Service{Name: "example", Kind: "main", Node: m})
	}
	org := chain.Build([]*model.Facts{a, b, c}, options())
	require.Equal(t, model.NodeHost, worst(t, org).Effect.Kind, "a public host is nobody's service")
}
