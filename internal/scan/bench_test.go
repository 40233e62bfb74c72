package scan

import (
	"os"
	"testing"

	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// benchmarkRepos is the demo organisation, or what RETRYLINT_BENCH_REPOSITORY names.
func benchmarkRepos(b *testing.B) []source.Repo {
	args := []string{"../../testdata/payments/scheduler", "../../testdata/payments/settle-service", "../../testdata/payments/payout-gateway", "../../testdata/payments/ledger"}
	if dir := os.Getenv("RETRYLINT_BENCH_REPOSITORY"); dir != "" {
		args = []string{dir}
	}
	repos, err := source.Discover(args, source.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return repos
}

// BenchmarkMap extracts facts with nothing cached.
func BenchmarkMap(b *testing.B) {
	repos := benchmarkRepos(b)
	b.ReportAllocs()
	for b.Loop() {
		facts, err := MapAll(b.Context(), Options{Repos: repos})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(lines(facts)), "lines")
	}
}

// BenchmarkReduce links and judges.
func BenchmarkReduce(b *testing.B) {
	facts, err := MapAll(b.Context(), Options{Repos: benchmarkRepos(b)})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		Reduce(facts, Options{})
	}
}

func lines(facts []*model.Facts) int {
	n := 0
	for _, f := range facts {
		n += f.Stats.GoLines
	}
	return n
}
