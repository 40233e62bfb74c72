package analyzers_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/analyzers"
	"github.com/retrylint/retrylint/extract/gosrc"
	"github.com/retrylint/retrylint/model"
)

// TestTolerantFactsEqualFull holds the facts from packages that were loaded without a build against those from packages with the
// types of all dependencies: layers with their attempts, and idempotency keys. The subjects are this module and the one of the
// conformance tests, which uses most of the libraries that retry (this one only with RETRYLINT_DIFFERENTIAL=1); a module whose dependencies are not on the machine is left out.
func TestTolerantFactsEqualFull(t *testing.T) {
	if testing.Short() {
		t.Skip("it loads whole modules with the go command")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	t.Setenv("GOFLAGS", "-mod=readonly")
	t.Setenv("GOPROXY", "off")
	roots := []string{"../conformance"}
	if os.Getenv("RETRYLINT_DIFFERENTIAL") != "" {
		roots = append(roots, "..") // with all modules in it: a minute of work
	}
	for _, root := range roots {
		t.Run(root, func(t *testing.T) {
			opt := gosrc.Options{GOOS: "linux", GOARCH: "amd64", Stubs: analyzers.Stubs()}
			full, err := gosrc.LoadFull(context.Background(), root, opt)
			if err != nil {
				t.Skip(err)
			}
			dirs := map[string]bool{}
			for _, p := range full.Packages {
				if len(p.Missing) == 0 && p.TypeErrors == 0 {
					dirs[p.Dir] = true
				}
			}
			tolerant := gosrc.Load(context.Background(), goFiles(t, root), opt)
			want, got := layersAndKeys(full, dirs), layersAndKeys(tolerant, dirs)
			if len(want) == 0 {
				t.Skip("its dependencies are not on this machine")
			}
			missing, more := 0, 0
			for k := range want {
				if !got[k] {
					missing++
					t.Logf("missing: %s", k)
				}
			}
			for k := range got {
				if !want[k] {
					more++
					t.Logf("not in the full facts: %s", k)
				}
			}
			t.Logf("of %d layers and keys in %d packages the tolerant loader lacks %d (%.1f %%); %d of its own", len(want), len(dirs), missing,
				100*float64(missing)/float64(len(want)), more)
			require.LessOrEqual(t, missing*50, len(want), "more than 2 %% are missing")
			require.LessOrEqual(t, more*50, len(want), "more than 2 %% are only in the tolerant facts")
		})
	}
}

// goFiles are the Go files and modules of a tree, as a scan would read them.
func goFiles(t *testing.T, root string) []gosrc.File {
	t.Helper()
	var files []gosrc.File
	require.NoError(t, filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if n := d.Name(); d.IsDir() && p != root && (n == "testdata" || strings.HasPrefix(n, ".")) {
			return fs.SkipDir
		}
		if n := d.Name(); d.IsDir() || !strings.HasSuffix(n, ".go") && n != "go.mod" || strings.HasSuffix(n, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(p)
		rel, _ := filepath.Rel(root, p)
		files = append(files, gosrc.File{Path: filepath.ToSlash(rel), Data: data})
		return err
	}))
	return files
}

// layersAndKeys are the layers and keys in some folders, one line each.
func layersAndKeys(res *gosrc.Result, dirs map[string]bool) map[string]bool {
	shared := analyzers.NewRepo()
	var all []*model.Facts
	for _, p := range res.Packages {
		all = append(all, analyzers.Extract(analyzers.Input{Fset: p.Fset, Files: p.Files, Generated: p.Generated, Pkg: p.Types, Info: p.Info, Notes: p.Notes,
			Path: p.Path, Module: p.Module, ModuleDir: p.ModuleDir, Dir: p.Dir, Repo: "r", Versions: p.ModuleVersions, Shared: shared}))
	}
	facts := shared.Join(all)
	out := map[string]bool{}
	for i := range facts.Layers {
		if l := &facts.Layers[i]; dirs[path.Dir(l.At.Path)] {
			out[fmt.Sprintf("layer %s:%d %s %s", l.At.Path, l.At.Line, l.Kind, l.Policy.Attempts)] = true
		}
	}
	for i := range facts.Edges {
		if e := &facts.Edges[i]; dirs[path.Dir(e.At.Path)] && e.Key.How != model.KeyUnknown && e.Key.How != model.KeyNone {
			out[fmt.Sprintf("key %s:%d %s %s", e.At.Path, e.At.Line, e.Key.How, e.Key.Sink)] = true
		}
	}
	return out
}
