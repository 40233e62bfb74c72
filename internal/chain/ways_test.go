package chain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/chain"
	"github.com/retrylint/retrylint/model"
)

// proxy gives r a route from a host to another one that makes so many attempts.
func proxy(r *model.Facts, from, to string, attempts int64, traits ...model.Trait) {
	id := from + " to " + to
	name := model.N(model.SpaceRoute, r.Repo.Name+"/"+id)
	r.Layers = append(r.Layers, model.Layer{ID: id, Kind: model.KindProxy, In: name, At: at(r, 400+len(r.Layers)), Traits: traits,
		Policy: model.Policy{Attempts: model.Exactly(attempts), Backoff: model.NoBackoff(), On: model.OnReset | model.OnGateway}})
	r.Routes = append(r.Routes, model.Route{Name: name, Hosts: []model.Name{model.Host(from, "")}, Dest: []model.Name{model.Host(to, "")}, Owner: r.Repo.Name + id,
		Ingress: true, Layer: id, At: at(r, 500+len(r.Routes))})
}

func TestProxyBehindProxy(t *testing.T) {
	shop, edge, inner := repo("shop"), repo("edge"), repo("inner")
	request(shop, fn(shop, "main", true), "edge.pay.svc", "GET", "/entries")
	proxy(edge, "edge.pay.svc", "inner.pay.svc", 2)
	proxy(inner, "inner.pay.svc", "ledger.pay.svc", 3)
	require.Equal(t, "6", attemptsOf(t, shop, edge, inner))
	require.Equal(t, "6", attemptsOf(t, inner, edge), "without a caller in the scan")
	require.Len(t, chain.Build([]*model.Facts{edge, inner}, chain.Options{}).Chains, 1, "the inner one is no entry of its own")

	back := repo("back")
	proxy(back, "ledger.pay.svc", "edge.pay.svc", 5)
	require.Equal(t, "30", attemptsOf(t, shop, edge, inner, back), "what leads back to a host that was asked leads no further")
}

func TestProxyOnThisMachine(t *testing.T) {
	a, b := repo("a"), repo("b")
	proxy(a, "localhost", "127.0.0.1", 2)
	proxy(b, "127.0.0.1", "localhost", 3)
	require.Equal(t, "3", attemptsOf(t, a, b), "localhost names nothing")
}

func TestProxyKeepsMethodsOut(t *testing.T) {
	guard := model.Trait{Kind: model.TraitMethodGuard, Not: "POST PATCH"}
	for method, want := range map[string]string{"GET": "6", "POST": "3", "PATCH": "3", "PUT": "6", "": "6"} {
		shop, edge := repo("shop"), repo("edge")
		f := fn(shop, "main", true)
		request(shop, f, "edge.pay.svc", method, "/entries", layer(shop, f, model.Exactly(3), 0))
		proxy(edge, "edge.pay.svc", "ledger.pay.svc", 2, guard)
		require.Equal(t, want, attemptsOf(t, shop, edge), "method %q", method)
	}
}
