package analyzers

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/retrylint/retrylint/rules"
)

func TestAnalyzersAreValid(t *testing.T) {
	all := All()
	require.NoError(t, analysis.Validate(all))
	n := 0
	for _, r := range rules.All() {
		if r.GoAlone {
			n++
		}
	}
	require.Len(t, all, n)
}

// TestVetAcrossPackages: the key is made in one package, the loop around it is in a second, and a loop around that in a
// third; each package is judged by itself with the facts of those that it imports.
func TestVetAcrossPackages(t *testing.T) {
	graph := analyzeVet(t, All())
	got := map[string][]string{}
	for a := range graph.Roots {
		act := graph.Roots[a]
		require.NoError(t, act.Err)
		for _, d := range act.Diagnostics {
			p := act.Package.Fset.Position(d.Pos)
			place := fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
			got[place] = append(got[place], d.Category+": "+d.Message)
		}
	}
	for _, l := range got {
		sort.Strings(l)
	}
	require.Len(t, got["client.go:14"], 2, "%v", got)
	require.Regexp(t, "^key-per-attempt: 5 attempts of one POST /payments carry 5 keys", got["client.go:14"][0])
	require.Regexp(t, "^no-jitter: ", got["client.go:14"][1])
	stacked := slices.IndexFunc(got["outer.go:15"], func(s string) bool {
		return strings.HasPrefix(s, "stacked-retries: 20 attempts for one POST /payments: 4")
	})
	require.GreaterOrEqual(t, stacked, 0, "%v", got["outer.go:15"])
	for place, l := range got {
		require.NotContains(t, place, "pay.go", "%v: nothing repeats there", l)
	}
}

func analyzeVet(t *testing.T, as []*analysis.Analyzer) *checker.Graph {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: "testdata/vet"}, "./...")
	require.NoError(t, err)
	require.Len(t, pkgs, 3)
	graph, err := checker.Analyze(as, pkgs, &checker.Options{SanityCheck: true})
	require.NoError(t, err)
	return graph
}

// TestFactsStaySmall holds a ceiling over what a package says to those that import it: facts travel through every build.
func TestFactsStaySmall(t *testing.T) {
	graph := analyzeVet(t, []*analysis.Analyzer{Facts})
	seen := 0
	for a := range graph.All() {
		require.NoError(t, a.Err)
		var f PackageFact
		if a.Analyzer == Facts && a.PackageFact(a.Package.Types, &f) {
			n, err := gobSize(&f)
			require.NoError(t, err)
			require.Less(t, n, 16<<10, a.Package.PkgPath)
			seen++
		}
	}
	require.Positive(t, seen)
}
