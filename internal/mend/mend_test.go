package mend_test

import (
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/retrylint/retrylint/internal/mend"
	"github.com/retrylint/retrylint/internal/scan"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// Each archive under testdata holds files as they are ("x.go") and as they shall be ("x.go.golden"); without the latter nothing
// may change.
func TestMend(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			require.NoError(t, err)
			dir := t.TempDir()
			before, want := map[string]string{}, map[string]string{}
			for _, f := range ar.Files {
				if base, ok := cutGolden(f.Name); ok {
					want[base] = string(f.Data)
					continue
				}
				before[f.Name] = string(f.Data)
				require.NoError(t, os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o640))
			}
			res := scanDir(t, dir)
			plan, err := mend.Of(res, func(string) string { return dir })
			require.NoError(t, err)
			require.NoError(t, plan.Write())
			require.Zero(t, plan.Skipped)
			for f, old := range before {
				got, err := os.ReadFile(filepath.Join(dir, f))
				require.NoError(t, err)
				expect := old
				if w, ok := want[f]; ok {
					expect = w
				}
				require.Equal(t, expect, string(got), f)
				if filepath.Ext(f) == ".go" {
					_, err = parser.ParseFile(token.NewFileSet(), f, got, 0)
					require.NoError(t, err)
					pretty, err := format.Source(got)
					require.NoError(t, err)
					require.Equal(t, string(pretty), string(got), "as gofmt writes it")
				}
			}
			// What was mended is found no more.
			again := scanDir(t, dir)
			for _, f := range again.Findings {
				require.Empty(t, f.Fix, "%s: %s", f.Rule, f.Message)
			}
			require.Len(t, again.Findings, len(res.Findings)-plan.Mended)
		})
	}
}

func cutGolden(name string) (string, bool) {
	if filepath.Ext(name) == ".golden" {
		return name[:len(name)-len(".golden")], true
	}
	return name, false
}

func scanDir(t *testing.T, dir string) *model.Result {
	t.Helper()
	repos, err := source.Discover([]string{dir}, source.Options{})
	require.NoError(t, err)
	wants := func(rule string) bool { return rule == "key-per-attempt" || rule == "body-not-rewound" }
	res, err := scan.Run(t.Context(), scan.Options{Repos: repos, Wants: wants})
	require.NoError(t, err)
	return res
}

// A file that is no longer what was scanned is left alone.
func TestChangedFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x.go")
	require.NoError(t, os.WriteFile(name, []byte("package x\n"), 0o644))
	at := model.Place{Repository: "r", Path: "x.go", Line: 1, Column: 9, EndLine: 1, EndColumn: 10}
	res := &model.Result{Findings: []model.FindingInfo{{Place: at, Fix: []model.EditInfo{{Place: at, New: "y"}}}}}
	plan, err := mend.Of(res, func(string) string { return dir })
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, []byte("package z\n"), 0o644))
	require.ErrorContains(t, plan.Write(), "changed since")

	at.Line, at.EndLine = 7, 7
	res.Findings[0].Fix[0].Place = at
	_, err = mend.Of(res, func(string) string { return dir })
	require.ErrorContains(t, err, "no such place")

	// Nor is anything outside of the work tree touched.
	at.Path = "../x.go"
	res.Findings[0].Fix[0].Place = at
	plan, err = mend.Of(res, func(string) string { return dir })
	require.NoError(t, err)
	require.Empty(t, plan.Files)
}
