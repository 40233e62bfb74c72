package scan

import (
	"os"
	"path"
	"strings"
	"testing"

	"github.com/retrylint/retrylint/analyzers"
	"github.com/retrylint/retrylint/extract/gosrc"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/rules"
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

// goFiles are the Go files of the benchmark's repositories, by repository.
func goFiles(b *testing.B) map[string][]gosrc.File {
	out := map[string][]gosrc.File{}
	for _, repo := range benchmarkRepos(b) {
		rev, err := source.Open(b.Context(), repo, source.Options{Filter: func(p string) bool {
			return path.Base(p) == "go.mod" || strings.HasSuffix(p, ".go") && !strings.HasSuffix(p, "_test.go")
		}})
		if err != nil {
			b.Fatal(err)
		}
		var names []string
		for _, info := range rev.Files() {
			names = append(names, info.Path)
		}
		err = rev.Read(names, func(p string, data []byte) error {
			out[repo.Name] = append(out[repo.Name], gosrc.File{Path: p, Data: data})
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		rev.Close()
	}
	return out
}

// BenchmarkLoad parses and type-checks.
func BenchmarkLoad(b *testing.B) {
	files := goFiles(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, list := range files {
			gosrc.Load(b.Context(), list, gosrc.Options{Stubs: analyzers.Stubs()})
		}
	}
}

// BenchmarkExtract extracts facts from packages that are loaded.
func BenchmarkExtract(b *testing.B) {
	files := goFiles(b)
	b.ReportAllocs()
	for b.Loop() {
		for name, list := range files {
			b.StopTimer()
			res := gosrc.Load(b.Context(), list, gosrc.Options{Stubs: analyzers.Stubs()})
			b.StartTimer()
			extractGo(name, res)
		}
	}
}

// extractGo runs the extractor over what was loaded.
func extractGo(repo string, res *gosrc.Result) *model.Facts {
	x := newGoExtractor(repo, nil)
	x.takeAll(res)
	return x.join()
}

// BenchmarkLink links facts into chains.
func BenchmarkLink(b *testing.B) {
	facts, err := MapAll(b.Context(), Options{Repos: benchmarkRepos(b)})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		Link(facts, Options{})
	}
}

// BenchmarkJudge runs the rules over chains.
func BenchmarkJudge(b *testing.B) {
	facts, err := MapAll(b.Context(), Options{Repos: benchmarkRepos(b)})
	if err != nil {
		b.Fatal(err)
	}
	org, set := Link(facts, Options{})
	warning, red := set.Whole().Thresholds()
	b.ReportAllocs()
	for b.Loop() {
		rules.Run(org, rules.Settings{Warning: warning, Error: red, Severity: set.Severity}, func(rules.Rule) bool { return true })
	}
}
