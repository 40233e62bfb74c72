package chain_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/chain"
	"github.com/retrylint/retrylint/model"
)

// leads lists the names to which a node leads, sorted.
func leads(org *model.Org, from model.Name) []string {
	var out []string
	for _, v := range org.Vertices {
		if v.Name == from {
			for _, a := range v.Out {
				out = append(out, a.To.Name.String())
			}
		}
	}
	slices.Sort(out)
	return out
}

// Which handlers answer a request.
func TestRequestsFindTheirHandlers(t *testing.T) {
	for _, c := range []struct {
		method, path string
		want         []string
	}{
		{"POST", "/orders", []string{"POST /orders"}},
		{"GET", "/orders", []string{"GET /orders"}},
		{"get", "/orders", []string{"GET /orders"}},
		{"GET", "/orders/7", []string{"GET /orders/{id}"}},
		{"GET", "/orders/new", []string{"GET /orders/new"}}, // the literal one before the pattern
		{"GET", "/orders/7/items", []string{"GET /orders/{id}/items"}},
		{"GET", "/orders/7/items?page=2", []string{"GET /orders/{id}/items"}},
		{"PUT", "/orders/7", []string{"/orders/:any"}}, // any method
		{"GET", "/static/css/a.css", []string{"GET /static/"}},
		{"GET", "/files/a/b", []string{"GET /files/{rest...}"}},
		{"GET", "/exact/", []string{"GET /exact/{$}"}},
		{"GET", "/exact/more", nil},
		{"DELETE", "/nothing", nil},
		{"", "/orders", []string{"GET /orders", "POST /orders"}},
		{"GET", "/orders/{x}/items", []string{"GET /orders/{id}/items"}}, // a part that is made at run time
	} {
		caller, shop := repo("caller"), repo("shop")
		f := fn(caller, "call", true)
		request(caller, f, "http://shop", c.method, c.path)
		for _, p := range [][2]string{{"POST", "/orders"}, {"GET", "/orders"}, {"GET", "/orders/{id}"}, {"GET", "/orders/new"}, {"GET", "/orders/{id}/items"},
			{"", "/orders/:any"}, {"GET", "/static/"}, {"GET", "/files/{rest...}"}, {"GET", "/exact/{$}"}} {
			handler(shop, p[0], p[1], fn(shop, "h", false))
		}
		org := chain.Build([]*model.Facts{caller, shop}, options())
		var got []string
		for _, v := range org.Vertices {
			if v.Name == f {
				for _, a := range v.Out {
					if a.To.Handler != nil {
						got = append(got, a.To.Label)
					}
				}
			}
		}
		slices.Sort(got)
		require.Equal(t, c.want, got, "%s %s", c.method, c.path)
	}
}

// Which route of a proxy a request passes.
func TestRequestsPassTheFirstRouteThatMatches(t *testing.T) {
	for _, c := range []struct {
		method, path, want string
	}{
		{"POST", "/pay/card", "2"},
		{"POST", "/pay", "5"},
		{"GET", "/pay", "2"}, // a prefix that ends in a slash is one of the path without it, too
		{"GET", "/other", "9"},
		{"POST", "", "5"}, // nothing is known of the path: the first whose method matches
		{"", "/pay", "5"},
	} {
		r := repo("pay")
		f := fn(r, "post", true)
		request(r, f, "http://ledger.pay", c.method, c.path)
		for i, m := range []struct {
			match    []model.RouteMatch
			attempts int64
		}{
			{[]model.RouteMatch{{Method: "POST", Path: "/pay"}}, 5},
			{[]model.RouteMatch{{Method: "PUT"}, {Prefix: "/pay/"}}, 2},
			{nil, 9},
		} {
			id := string(rune('a' + i))
			r.Layers = append(r.Layers, model.Layer{ID: id, Kind: model.KindMesh, At: at(r, 50+i), In: model.N(model.SpaceRoute, id),
				Policy: model.Policy{Attempts: model.Exactly(m.attempts), Backoff: model.NoBackoff(), On: model.OnGateway}})
			r.Routes = append(r.Routes, model.Route{Name: model.N(model.SpaceRoute, id), At: at(r, 50+i), Hosts: []model.Name{model.Host("ledger.pay", "")}, Match: m.match,
				Order: i, Owner: "o", Mesh: true, Layer: id})
		}
		slices.Reverse(r.Routes) // the order is theirs, not that of the facts
		org := chain.Build([]*model.Facts{r}, options())
		var got string
		for _, ch := range org.Chains {
			if ch.Entry.Name == f {
				got = ch.Attempts().String()
			}
		}
		require.Equal(t, c.want, got, "%s %s", c.method, c.path)
	}
}

func TestRPC(t *testing.T) {
	serves := func(rpc string) []*model.Facts {
		caller, ledger := repo("caller"), repo("ledger")
		f := fn(caller, "call", true)
		caller.Edges = []model.Edge{{From: f, To: model.N(model.SpaceGRPC, "/pay.Ledger/Book"), Kind: model.EdgeRequest, At: at(caller, 1)}}
		ledger.Handlers = []model.Handler{{Func: fn(ledger, "Book", false), RPC: rpc, At: at(ledger, 2)}}
		return []*model.Facts{caller, ledger}
	}
	from := model.N(model.SpaceFunc, "example.test/caller.call")
	for rpc, served := range map[string]bool{"/pay.Ledger/Book": true, "/pay.Ledger/*": true, "/pay.Ledger/List": false, "/shop.Ledger/Book": false} {
		got := leads(chain.Build(serves(rpc), options()), from)
		require.Len(t, got, 1)
		require.Equal(t, served, got[0] != "grpc:/pay.Ledger/Book", "%s: %s", rpc, got)
	}
	// A policy of the whole service is passed where none is for the method.
	facts := serves("/pay.Ledger/Book")
	caller := facts[0]
	policy := func(name string, attempts int64) {
		caller.Layers = append(caller.Layers, model.Layer{ID: name, Kind: model.KindRPC, At: at(caller, 10+len(caller.Layers)), In: model.N(model.SpaceRoute, name),
			Policy: model.Policy{Attempts: model.Exactly(attempts), Backoff: model.NoBackoff(), On: model.OnUnavailable}})
		caller.Routes = append(caller.Routes, model.Route{Name: model.N(model.SpaceRoute, name), At: at(caller, 1), Hosts: []model.Name{model.N(model.SpaceGRPC, name)}, Owner: name, Mesh: true, Layer: name})
	}
	attempts := func() string {
		for _, c := range chain.Build(facts, options()).Chains {
			if c.Entry.Name == from {
				return c.Attempts().String()
			}
		}
		return ""
	}
	policy("/pay.Ledger/*", 4)
	require.Equal(t, "4", attempts())
	policy("/pay.Ledger/Book", 3)
	require.Equal(t, "3", attempts(), "the method's own")
}

// A Job runs the program of its image; one attempt of the Job is one run.
func TestJobRunsItsProgram(t *testing.T) {
	build := func(image string) *model.Org {
		deploy, pay := repo("deploy"), repo("pay")
		job := model.N(model.SpaceWorkload, "job/pay/settle")
		deploy.Nodes = []model.Node{{Name: job, Kind: model.NodeBatch, Entry: true, At: at(deploy, 1)}}
		deploy.Layers = []model.Layer{{ID: "job", Kind: model.KindJob, In: job, Whole: true, At: at(deploy, 2), Policy: model.Policy{Attempts: model.Exactly(7), Backoff: model.Constant(time.Second)}}}
		deploy.Services = []model.Service{{Name: "settle", Kind: "job", Node: job, At: at(deploy, 1), Names: []model.Name{model.Image(image)}}}
		main := fn(pay, "main", false)
		pay.Nodes[0].Kind = model.NodeMain
		pay.Services = []model.Service{{Name: "settle", Kind: "main", Node: main, Dir: "cmd/settle", At: at(pay, 1)},
			{Name: "api", Kind: "main", Node: fn(pay, "api", false), Dir: "cmd/api", At: at(pay, 2)}}
		request(pay, main, "http://ledger.bank", "POST", "/", layer(pay, main, model.Exactly(3), time.Second))
		return chain.Build([]*model.Facts{deploy, pay}, options())
	}
	for image, want := range map[string]string{
		"registry.test/pay/settle:1": "21", // repository and program
		"settle:1":                   "21", // the program alone
		"registry.test/unknown:1":    "7",  // nobody knows what runs there
		"registry.test/pay/other:1":  "7",
	} {
		require.Equal(t, want, worst(t, build(image)).Attempts().String(), image)
	}
}

// A step that starts a container runs the program of that image.
func TestContainerRunsItsProgram(t *testing.T) {
	deploy, pay := repo("deploy"), repo("pay")
	step := model.N(model.SpaceStep, "settle#run")
	deploy.Nodes = []model.Node{{Name: step, Kind: model.NodeStep, Entry: true, At: at(deploy, 1)}}
	deploy.Edges = []model.Edge{{From: step, To: model.Image("registry.test/pay:3"), Kind: model.EdgeSchedule, At: at(deploy, 2)}}
	main := fn(pay, "main", false)
	pay.Services = []model.Service{{Name: "settle", Kind: "main", Node: main, Dir: ".", At: at(pay, 1)}}
	require.Equal(t, []string{main.String()}, leads(chain.Build([]*model.Facts{deploy, pay}, options()), step))
	require.Equal(t, []string{"image:pay"}, leads(chain.Build([]*model.Facts{deploy}, options()), step), "an image of which no code is known")
	// Two programs of that name, and nothing that tells them apart.
	shop := repo("shop")
	deploy.Edges[0].To = model.Image("registry.test/tools/settle:3")
	shop.Services = []model.Service{{Name: "settle", Kind: "main", Node: fn(shop, "main", false), Dir: ".", At: at(shop, 1)}}
	require.Equal(t, []string{"image:tools/settle"}, leads(chain.Build([]*model.Facts{deploy, pay, shop}, options()), step))
}

func TestSubjectsWithWildcards(t *testing.T) {
	for _, c := range []struct {
		subject, pattern string
		joined           bool
	}{
		{"nats:orders.new", "nats:orders.*", true},
		{"nats:orders.new", "nats:orders.>", true},
		{"nats:orders.new.eu", "nats:orders.>", true},
		{"nats:orders.new.eu", "nats:orders.*", false},
		{"nats:orders", "nats:orders.>", false},
		{"nats:orders", "nats:*", true},
		{"nats:orders.new", "nats:*.new", true},
		{"nats:orders.old", "nats:*.new", false},
		{"kafka:orders.new", "nats:orders.*", false},
		{"nats:orders.new", "nats:orders.*.eu", false},
	} {
		r := repo("pay")
		f, w := fn(r, "publish", true), fn(r, "work", false)
		from, to := model.N(model.SpaceQueue, c.subject), model.N(model.SpaceQueue, c.pattern)
		r.Edges = []model.Edge{{From: f, To: from, Kind: model.EdgePublish, At: at(r, 5)}}
		r.Handlers = []model.Handler{{Func: w, Queue: to, At: at(r, 6)}}
		require.Equal(t, c.joined, slices.Contains(leads(chain.Build([]*model.Facts{r}, options()), from), to.String()), "%s, %s", c.subject, c.pattern)
	}
}

// Layers of a node are nested by what they are: a schedule around a job around a restart around a queue around the rest.
func TestOrderOfLayersOfOneNode(t *testing.T) {
	r := repo("pay")
	f := fn(r, "post", true)
	kinds := []model.LayerKind{model.KindLoop, model.KindQueue, model.KindDeclared, model.KindRestart, model.KindWorkflow, model.KindScheduler}
	for i, k := range kinds {
		r.Layers = append(r.Layers, model.Layer{ID: string(k), Kind: k, In: f, Whole: true, At: at(r, 10+i), Policy: model.Policy{Attempts: model.Exactly(2), Backoff: model.NoBackoff()}})
	}
	request(r, f, "http://ledger.bank", "POST", "/")
	c := worst(t, chain.Build([]*model.Facts{r}, options()))
	require.Equal(t, "64", c.Attempts().String())
	var got []model.LayerKind
	for _, l := range c.Layers() {
		got = append(got, l.Kind)
	}
	slices.Reverse(kinds)
	require.Equal(t, kinds, got)
}

// What a configuration declares for a service stands around the requests of its code.
func TestDeclaredLayersAndLinks(t *testing.T) {
	org, pay, ledger := repo("(config)"), repo("pay"), repo("ledger")
	host := model.N(model.SpaceHost, "pay")
	org.Services = []model.Service{{Name: "pay", Kind: "declared", Binary: "pay", Names: []model.Name{host}, At: at(org, 1)}}
	org.Layers = []model.Layer{{ID: "gateway", Kind: model.KindDeclared, In: host, Whole: true, At: at(org, 2), Origin: model.OriginDeclared,
		Policy: model.Policy{Attempts: model.Exactly(3), Backoff: model.Constant(time.Second)}}}
	f := fn(pay, "post", true)
	request(pay, f, "http://bank.example", "POST", "/entries")
	pay.Services = []model.Service{{Name: "pay", Kind: "main", Node: f, Dir: ".", At: at(pay, 1)}}
	entries := fn(ledger, "entries", false)
	handler(ledger, "POST", "/entries", entries)
	facts := []*model.Facts{org, pay, ledger}
	require.Equal(t, "3", worst(t, chain.Build(facts, options())).Attempts().String())

	// A declared link begins at the service's program.
	org.Edges = []model.Edge{{From: host, To: model.N(model.SpaceHandler, "ledger|*|POST /entries"), Kind: model.EdgeRequest, At: at(org, 3)}}
	require.Contains(t, leads(chain.Build(facts, options()), f), "handler:ledger||POST /entries")
	org.Edges[0].To = model.N(model.SpaceHandler, "ledger|*|POST /nothing")
	require.NotContains(t, leads(chain.Build(facts, options()), f), "handler:ledger||POST /entries")
}

// Whoever calls a helper of another repository gets its layer with the numbers that are passed.
func TestHelpersOfAnotherRepository(t *testing.T) {
	run := model.N(model.SpaceFunc, "example.test/kit.Retry")
	build := func(given ...model.Given) *model.Layer {
		kit, pay := repo("kit"), repo("pay")
		kit.Helpers = []model.Helper{{Func: run, Arg: 3, Layer: model.Layer{ID: "inner", Kind: model.KindLoop, At: at(kit, 4),
			Policy: model.Policy{Attempts: model.Exactly(9), Backoff: model.Constant(time.Minute)}},
			Params: []model.HelperParam{{Field: model.FieldAttempts, Arg: 1, Offset: 1}, {Field: model.FieldInitial, Arg: 2}}}}
		f := fn(pay, "post", true)
		request(pay, f, "http://ledger.bank", "POST", "/")
		pay.Edges[0].Handed = model.Handed{Func: run, Arg: 3, At: at(pay, 7), Given: given}
		org := chain.Build([]*model.Facts{kit, pay}, options())
		c := worst(t, org)
		require.Len(t, c.Layers(), 1)
		l := c.Layers()[0]
		require.Equal(t, "inner", l.Of)
		require.Equal(t, at(pay, 7), l.At, "the call, where the numbers are")
		require.Equal(t, at(kit, 4), l.Call)
		return l
	}
	l := build(model.Given{Arg: 1, Value: 3}, model.Given{Arg: 2, Value: int64(2 * time.Second)})
	require.Equal(t, "4", l.Policy.Attempts.String())
	require.Equal(t, "2s", l.Policy.Backoff.Initial.String())
	require.Equal(t, model.OriginExplicit, l.Origin)
	l = build()
	require.Equal(t, "unknown", l.Policy.Attempts.String(), "what is passed is not known, and so is the number")
	require.Equal(t, "unknown", l.Policy.Backoff.Initial.String())
	l = build(model.Given{Arg: 1, Value: -5}, model.Given{Arg: 2, Value: -1})
	require.Equal(t, "0", l.Policy.Attempts.String())
	require.Equal(t, "unknown", l.Policy.Backoff.Initial.String())
	l = build(model.Given{Arg: 3, Value: 3})
	require.Equal(t, "unknown", l.Policy.Attempts.String(), "another argument")
}

// What one request may reach are alternatives, and are never multiplied; what it surely reaches is none.
func TestSeveralTargetsAreAlternatives(t *testing.T) {
	alternatives := func(org *model.Org, from model.Name) (out []bool) {
		for _, v := range org.Vertices {
			if v.Name == from {
				for _, a := range v.Out {
					out = append(out, a.Alternative)
				}
			}
		}
		return out
	}
	caller, shop := repo("caller"), repo("shop")
	f := fn(caller, "call", true)
	request(caller, f, "http://shop", "POST", "/orders")
	handler(shop, "POST", "/orders", fn(shop, "a", false))
	require.Equal(t, []bool{false}, alternatives(chain.Build([]*model.Facts{caller, shop}, options()), f))
	handler(shop, "POST", "/orders", fn(shop, "b", false))
	shop.Handlers[1].Dir = "v2"
	require.Equal(t, []bool{true, true}, alternatives(chain.Build([]*model.Facts{caller, shop}, options()), f))

	impl := repo("impl")
	g, x, y := fn(impl, "use", true), fn(impl, "x", false), fn(impl, "y", false)
	impl.Edges = []model.Edge{{From: g, To: x, Kind: model.EdgeCall, At: at(impl, 9), Alternatives: []model.Name{x}}}
	require.Equal(t, []bool{false}, alternatives(chain.Build([]*model.Facts{impl}, options()), g))
	impl.Edges[0].Alternatives = []model.Name{x, y}
	require.Equal(t, []bool{true, true}, alternatives(chain.Build([]*model.Facts{impl}, options()), g))
}

// Of a repository with several programs a request reaches the one that is asked for, with the handlers of its folder and those that
// all of them share.
func TestProgramsOfOneRepository(t *testing.T) {
	build := func(dir string) []string {
		caller, shop, deploy := repo("caller"), repo("shop"), repo("deploy")
		f := fn(caller, "call", true)
		request(caller, f, "http://api.eu", "POST", "/orders")
		for _, p := range []string{"api", "admin"} {
			shop.Services = append(shop.Services, model.Service{Name: p, Kind: "main", Node: fn(shop, p, false), Dir: "cmd/" + p, At: at(shop, len(shop.Services)+1)})
		}
		handler(shop, "POST", "/orders", fn(shop, "handle", false))
		shop.Handlers[0].Dir = dir
		deploy.Services = []model.Service{
			{Name: "api", Kind: "service", Namespace: "eu", Selector: []string{"app=api"}, At: at(deploy, 1)},
			{Name: "api", Kind: "deployment", Namespace: "eu", Labels: []string{"app=api"}, Names: []model.Name{model.Image("shop/api")}, At: at(deploy, 2)},
		}
		return answers(chain.Build([]*model.Facts{caller, shop, deploy}, options()), f)
	}
	for dir, served := range map[string]bool{"cmd/api": true, "cmd/api/http": true, "internal/http": true, "": true, "cmd/admin": false, "cmd/admin/http": false, "cmd/api2": true} {
		require.Equal(t, served, slices.Contains(build(dir), "POST /orders"), dir)
	}
}
