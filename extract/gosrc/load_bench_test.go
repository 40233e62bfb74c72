package gosrc

import (
	"context"
	"go/ast"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repositoryEnv names a folder with another repository to measure, such as a checkout of Prometheus.
const repositoryEnv = "RETRYLINT_BENCH_REPOSITORY"

// BenchmarkLoad loads a large module of real code: golang.org/x/tools, which is in the module cache wherever this test
// can be built, or the folder that RETRYLINT_BENCH_REPOSITORY names.
func BenchmarkLoad(b *testing.B) {
	dir := os.Getenv(repositoryEnv)
	if dir == "" {
		out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/tools").Output()
		dir = strings.TrimSpace(string(out))
		if err != nil || dir == "" {
			b.Skip("the source of golang.org/x/tools is not there")
		}
	}
	files, err := readTree(dir)
	if err != nil {
		b.Fatal(err)
	}
	if mod := os.Getenv(repositoryEnv + "_ROOT_MODULE"); mod != "" {
		files = rootModule(files)
	}
	bytes := 0
	for _, f := range files {
		if filepath.Ext(f.Path) == ".go" && !strings.HasSuffix(f.Path, "_test.go") {
			bytes += len(f.Data)
		}
	}
	b.SetBytes(int64(bytes))
	var res *Result
	for b.Loop() {
		res = Load(context.Background(), files, Options{})
	}
	s := measure(res)
	b.ReportMetric(float64(len(res.Packages)), "packages")
	b.ReportMetric(float64(s.files), "files")
	b.ReportMetric(float64(s.lines), "lines")
	b.ReportMetric(float64(s.errors), "type-errors")
	b.ReportMetric(float64(s.calls), "calls")
	b.ReportMetric(100*float64(s.unknownQualified)/float64(s.calls), "%unknown-pkg.Func")
	b.ReportMetric(100*float64(s.unknownOther)/float64(s.calls), "%unknown-methods")
}

// rootModule leaves out nested modules.
func rootModule(files []File) []File {
	var nested []string
	for _, f := range files {
		if filepath.Base(f.Path) == "go.mod" && f.Path != "go.mod" {
			nested = append(nested, strings.TrimSuffix(f.Path, "go.mod"))
		}
	}
	var out []File
next:
	for _, f := range files {
		for _, dir := range nested {
			if strings.HasPrefix(f.Path, dir) {
				continue next
			}
		}
		out = append(out, f)
	}
	return out
}

// resolution counts what a load could resolve.
type resolution struct {
	files, lines, errors int
	calls                int // calls in all
	unknownQualified     int // of these, pkg.Func whose callee has no type; path and name are known
	unknownOther         int // of these, other callees without a type
}

func measure(res *Result) resolution {
	var r resolution
	for _, p := range res.Packages {
		r.errors += p.TypeErrors
		for _, f := range p.Files {
			r.files++
			r.lines += p.Fset.File(f.Package).LineCount()
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				r.calls++
				fun := ast.Unparen(call.Fun)
				if tv, ok := p.Info.Types[fun]; ok && tv.Type != nil && tv.Type != types.Typ[types.Invalid] {
					return true
				}
				if sel, ok := fun.(*ast.SelectorExpr); ok {
					if id, ok := sel.X.(*ast.Ident); ok {
						if _, ok := p.Info.Uses[id].(*types.PkgName); ok {
							r.unknownQualified++
							return true
						}
					}
				}
				r.unknownOther++
				return true
			})
		}
	}
	return r
}
