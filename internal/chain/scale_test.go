package chain_test

import (
	"fmt"
	"math/rand"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/chain"
	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/rules"
)

// organisation generates n repositories with a service each, ten calls from each service to services of lower tiers, three
// layers and now and then a window. The same n gives the same facts.
func organisation(n int) []*model.Facts {
	rnd := rand.New(rand.NewSource(int64(n)))
	const tiers = 8
	out := make([]*model.Facts, n)
	for i := range out {
		r := repo(fmt.Sprintf("svc-%05d", i))
		tier := i * tiers / n
		main := fn(r, "main", false)
		r.Services = append(r.Services, model.Service{Name: r.Repo.Name, Kind: "main", Node: main})
		serve := fn(r, "serve", false)
		handler(r, "POST", "/do", serve)
		var ids []string
		for k := range 3 {
			ids = append(ids, layer(r, serve, model.Exactly(int64(1+rnd.Intn(3))), time.Duration(k+1)*time.Second))
		}
		for k := range 10 {
			lo := (tier + 1) * n / tiers
			if lo >= n {
				request(r, serve, fmt.Sprintf("http://api-%d.example.com/v1", rnd.Intn(50)), "POST", "/v1", ids[k%3])
				continue
			}
			// Mostly neighbours: real organisations have domains.
			to := lo + (i*7+rnd.Intn(40))%(n-lo)
			request(r, serve, fmt.Sprintf("http://svc-%05d.ns.svc:8080", to), "POST", "/do", ids[k%3])
		}
		if rnd.Intn(4) == 0 {
			r.Boundaries = append(r.Boundaries, model.Boundary{ID: "w" + r.Repo.Name, In: serve, TTL: model.WindowFor(24 * time.Hour), At: at(r, 7)})
		}
		out[i] = r
	}
	return out
}

func BenchmarkOrganisation(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			facts := organisation(n)
			b.ReportAllocs()
			var peak uint64
			for b.Loop() {
				org := chain.Build(facts, options())
				found, _ := rules.Run(org, rules.Defaults(), nil)
				b.ReportMetric(float64(len(org.Chains)), "chains")
				b.ReportMetric(float64(len(found)), "findings")
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapInuse)
			}
			b.ReportMetric(float64(peak>>20), "MB-heap")
		})
	}
}

// TestCostGrowsLinearly counts work, not time: the chains listed grow with the number of repositories, not with its square.
func TestCostGrowsLinearly(t *testing.T) {
	small, large := chain.Build(organisation(100), options()), chain.Build(organisation(1000), options())
	require.NotEmpty(t, small.Chains)
	require.Less(t, len(large.Chains), 30*len(small.Chains))
	require.Equal(t, 10*len(small.Layers), len(large.Layers))
}
