package gosrc

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
)

type mark struct{ Text string }

func (*mark) AFact()           {}
func (m *mark) String() string { return m.Text }

// Facts about packages and objects travel along the imports of a repository, type errors or not.
func TestToAnalysis(t *testing.T) {
	res := load(`
-- go.mod --
module m
go 1.22
-- a/a.go --
package a
func F() { undefined() }
-- b/b.go --
package b
import ("m/a"; "example.org/missing")
func F() { a.F(); missing.X() }
-- c/c.go --
package c
import "m/b"
func F() { b.F() }
-- other/go.mod --
module m
-- other/a/a.go --
package a
`, Options{})
	pkgs := ToAnalysis(res.Packages)
	require.Len(t, pkgs, 4)

	var mu sync.Mutex
	seen := make(map[string][]string)
	a := &analysis.Analyzer{
		Name: "trace", Doc: "trace", RunDespiteErrors: true, FactTypes: []analysis.Fact{new(mark)},
		Run: func(pass *analysis.Pass) (any, error) {
			if pass.Module.Path != "m" || pass.TypesSizes == nil || len(pass.Files) == 0 {
				return nil, fmt.Errorf("incomplete pass for %s", pass.Pkg.Path())
			}
			for _, f := range pass.Files {
				ast.Inspect(f, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						var m mark
						if fn, ok := pass.TypesInfo.Uses[id].(*types.Func); ok && pass.ImportObjectFact(fn, &m) {
							mu.Lock()
							seen[pass.Pkg.Path()] = append(seen[pass.Pkg.Path()], m.Text)
							mu.Unlock()
						}
					}
					return true
				})
			}
			if fn := pass.Pkg.Scope().Lookup("F"); fn != nil {
				pass.ExportObjectFact(fn, &mark{"F of " + pass.Pkg.Path()})
			}
			return nil, nil
		},
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{a}, pkgs, &checker.Options{SanityCheck: true})
	require.NoError(t, err)
	for act := range graph.All() {
		require.NoError(t, act.Err)
	}
	require.Equal(t, map[string][]string{"m/b": {"F of m/a"}, "m/c": {"F of m/b"}}, seen)

	var ids []string
	for _, p := range pkgs {
		ids = append(ids, fmt.Sprint(p.ID, " ", p.IllTyped))
	}
	slices.Sort(ids)
	require.Equal(t, []string{"m/a [other/a] false", "m/a true", "m/b true", "m/c false"}, ids)
}

// Loads at the same time share the standard library and the stubs. Run with -race.
func TestConcurrentLoads(t *testing.T) {
	stubs := map[string]string{"example.org/retry": stubRetry, "example.org/other": "package other\nimport \"example.org/retry\"\nvar R retry.Retrier\n"}
	std := []string{"net/http", "context", "time", "database/sql", "encoding/json", "os/exec", "crypto/tls", "log/slog"}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			var b strings.Builder
			fmt.Fprintf(&b, "-- go.mod --\nmodule m\n")
			for j, p := range std[:i+1] {
				fmt.Fprintf(&b, "-- p%d/p.go --\npackage p\nimport . %q\nimport \"example.org/retry\"\nimport \"example.org/other\"\n"+
					"func F() { retry.Do(nil); other.R.Do(nil) }\n", j, p)
			}
			res := Load(context.Background(), repo(b.String()), Options{Stubs: stubs})
			for _, p := range res.Packages {
				if got := callees(p); !slices.Equal(got, []string{"example.org/retry.Do", "(*example.org/retry.Retrier).Do"}) {
					t.Errorf("got %v", got)
				}
			}
		})
	}
	wg.Wait()
}
