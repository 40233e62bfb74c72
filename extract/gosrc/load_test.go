package gosrc

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// repo makes files of a txtar archive.
func repo(text string) []File {
	var files []File
	for _, f := range txtar.Parse([]byte(text)).Files {
		files = append(files, File{Path: f.Name, Data: f.Data})
	}
	return files
}

// pkgOf returns the package with the import path.
func pkgOf(t *testing.T, res *Result, path string) *Package {
	t.Helper()
	for _, p := range res.Packages {
		if p.Path == path {
			return p
		}
	}
	require.Failf(t, "no such package", "%s is not among %v", path, paths(res))
	return nil
}

func paths(res *Result) []string {
	var out []string
	for _, p := range res.Packages {
		out = append(out, p.Path)
	}
	return out
}

// callees describes the callees of the package's calls in source order: the function or method, else the import path
// and name, else "?" and the expression.
func callees(p *Package) []string {
	var out []string
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			id, _ := call.Fun.(*ast.Ident)
			sel, _ := call.Fun.(*ast.SelectorExpr)
			if sel != nil {
				id = sel.Sel
			}
			if id == nil {
				out = append(out, "? "+types.ExprString(call.Fun))
				return true
			}
			switch obj := p.Info.Uses[id].(type) {
			case nil:
				out = append(out, weakName(p, sel, id))
			case *types.Func:
				out = append(out, obj.Origin().FullName())
			default:
				out = append(out, obj.Name())
			}
			return true
		})
	}
	return out
}

func weakName(p *Package, sel *ast.SelectorExpr, id *ast.Ident) string {
	if sel != nil {
		if x, ok := sel.X.(*ast.Ident); ok {
			if name, ok := p.Info.Uses[x].(*types.PkgName); ok {
				return "weak " + name.Imported().Path() + "." + id.Name
			}
		}
		return "? " + types.ExprString(sel)
	}
	return "? " + id.Name
}

func problems(res *Result) []string {
	var out []string
	for _, p := range res.Problems {
		out = append(out, fmt.Sprintf("%s:%d:%d %s", p.Path, p.Line, p.Col, p.Kind))
	}
	return out
}

func load(text string, opt Options) *Result { return Load(context.Background(), repo(text), opt) }

func TestModules(t *testing.T) {
	res := load(`
-- go.mod --
module example.org/root

go 1.24.1

require (
	github.com/cenkalti/backoff/v5 v5.0.2
	example.org/pinned v1.0.0
	example.org/folder v1.2.0 // indirect
	example.org/branch master
)
replace example.org/pinned => example.org/fork v1.9.9
replace (
	example.org/folder => ../elsewhere
	example.org/other v3.0.0 => example.org/x v3.1.0
)
future directive
-- root.go --
package root
-- pkg/a/a.go --
package a
-- nested/go.mod --
module "example.org/nested"
require example.org/pinned v0.1.0
-- nested/n.go --
package nested
-- nested/sub/s.go --
package sub
-- broken/go.mod --
module example.org/broken
require (
	example.org/fine v1.0.0
	this is wrong
	example.org/alsofine v2.0.0+incompatible
)
go 1.22x
-- broken/b.go --
package broken
-- nameless/go.mod --
go 1.20
-- nameless/x/x.go --
package x
`, Options{})

	require.ElementsMatch(t, []string{"example.org/root", "example.org/root/pkg/a", "example.org/nested", "example.org/nested/sub",
		"example.org/broken", "nameless/x"}, paths(res))

	a := pkgOf(t, res, "example.org/root/pkg/a")
	require.Equal(t, []string{"example.org/root", ".", "1.24.1", "pkg/a", "a"}, []string{a.Module, a.ModuleDir, a.GoVersion, a.Dir, a.Name})
	require.Equal(t, map[string]string{
		"github.com/cenkalti/backoff/v5": "v5.0.2",
		"example.org/pinned":             "v1.9.9",
		"example.org/fork":               "v1.9.9",
		"example.org/folder":             "v1.2.0",
	}, a.ModuleVersions)
	require.Equal(t, map[string]string{"example.org/pinned": "v0.1.0"}, pkgOf(t, res, "example.org/nested/sub").ModuleVersions)

	broken := pkgOf(t, res, "example.org/broken")
	require.Equal(t, map[string]string{"example.org/fine": "v1.0.0", "example.org/alsofine": "v2.0.0+incompatible"}, broken.ModuleVersions)
	require.Equal(t, []string{"broken/go.mod:4:2 go-mod", "go.mod:9:2 go-mod"}, problems(res))
	require.Equal(t, "1.22", broken.GoVersion)
	require.Equal(t, "1.20", pkgOf(t, res, "nameless/x").GoVersion)
}

func TestSkipped(t *testing.T) {
	const text = `
-- go.mod --
module example.org/a
-- a.go --
package a
-- a_windows.go --
package a
-- a_linux_arm64.go --
package a
-- a_test.go --
package a
-- tagged.go --
//go:build integration

package a
-- old.go --
// +build !linux

package a
-- cgo.go --
//go:build cgo && linux && amd64 && go1.20

package a
-- future.go --
//go:build go1.999

package a
-- _draft.go --
package a
-- .hidden.go --
package a
-- vendor/x/x.go --
package x
-- sub/node_modules/x/x.go --
package x
-- testdata/go.mod --
module x
-- testdata/x.go --
package x
-- _examples/x.go --
package x
-- .git/x.go --
package x
-- notes.txt --
package x
-- vendored/x.go --
package vendored
`
	res := load(text, Options{})
	require.Equal(t, []string{"example.org/a", "example.org/a/vendored"}, paths(res))
	require.Equal(t, []string{"a.go", "cgo.go"}, res.Packages[0].FileNames)
	require.Equal(t, []string{"a_linux_arm64.go", "a_windows.go", "future.go", "old.go", "tagged.go"}, res.Excluded)
	require.Empty(t, res.Problems)

	res = load(text, Options{GOOS: "windows", GOARCH: "arm64", Tests: true})
	require.Equal(t, []string{"a.go", "a_test.go", "a_windows.go", "old.go"}, res.Packages[0].FileNames)
}

func TestProblems(t *testing.T) {
	tests := []struct {
		name  string
		repo  string
		want  []string
		files []string // of the first package
	}{
		{"two package names", `
-- a/one.go --
package a
-- a/three.go --
package b
-- a/two.go --
package a
`, []string{"a/three.go:1:9 package-name"}, []string{"a/one.go", "a/two.go"}},
		{"two equally frequent names", `
-- x/one.go --
package a
-- x/two.go --
package x
`, []string{"x/one.go:1:9 package-name"}, []string{"x/two.go"}},
		{"syntax error", `
-- a.go --
package a

func f() {
	x :=
}
`, []string{"a.go:5:1 syntax"}, []string{"a.go"}},
		{"no package clause", `
-- a.go --
package a
-- b.go --
func f() {}
-- c.go --
-- d.go --
package _
`, []string{"b.go:1:1 syntax", "c.go:1:1 syntax", "d.go:1:1 syntax"}, []string{"a.go"}},
		{"conflict markers", `
-- a.go --
package a
<<<<<<< HEAD
func f() {}
=======
func g() {}
>>>>>>> other
func h() {}
`, []string{"a.go:2:1 syntax"}, []string{"a.go"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := load(tt.repo, Options{})
			require.Equal(t, tt.want, problems(res))
			require.Equal(t, tt.files, res.Packages[0].FileNames)
		})
	}
}

// No file is left out: what does not fit in with its folder is a package of its own.
func TestSeveralPackagesInAFolder(t *testing.T) {
	res := load(`
-- go.mod --
module m
-- x/one.go --
package x
func F() {}
-- x/two.go --
package x
-- x/other.go --
package other
func F() {}
func G() { F() }
-- cmd/a.go --
package main
func main() { work(); help() }
func work() {}
-- cmd/b.go --
package main
import "m/x"
func main() { work(); x.F() }
func work() {}
-- cmd/a_help.go --
package main
func help() {}
`, Options{})
	require.Equal(t, []string{"m/cmd", "m/x", "m/x#other", "m/cmd#b"}, paths(res))
	require.Equal(t, []string{"x/other.go:1:9 package-name"}, problems(res))
	require.Equal(t, []string{"m/x#other.F"}, callees(pkgOf(t, res, "m/x#other")))
	require.Equal(t, []string{"m/cmd.work", "m/cmd.help"}, callees(pkgOf(t, res, "m/cmd")))
	require.Equal(t, []string{"cmd/a.go", "cmd/a_help.go"}, pkgOf(t, res, "m/cmd").FileNames)
	require.Equal(t, []string{"m/cmd#b.work", "m/x.F"}, callees(pkgOf(t, res, "m/cmd#b")))
	for _, p := range res.Packages {
		require.Zero(t, p.TypeErrors)
	}
}

func TestImportCycle(t *testing.T) {
	const text = `
-- go.mod --
module m
-- a/a.go --
package a
import "m/b"
func A() { b.B() }
-- b/b.go --
package b
import "m/c"
func B() { c.C() }
-- c/c.go --
package c
import named "m/a"
func C() { named.A() }
-- self/self.go --
package self
import "m/self"
func S() { self.S() }
`
	res := load(text, Options{})
	require.Equal(t, []string{"m/c", "m/self", "m/b", "m/a"}, paths(res))
	require.Equal(t, []string{"c/c.go:2:8 import-cycle"}, problems(res))
	require.Equal(t, []string{"m/b.B"}, callees(pkgOf(t, res, "m/a")))
	require.Equal(t, []string{"weak m/a.A"}, callees(pkgOf(t, res, "m/c")))
	require.Empty(t, pkgOf(t, res, "m/c").Missing, "the source is there")
	require.Equal(t, []string{"weak m/self.S"}, callees(pkgOf(t, res, "m/self")))
}

func TestTests(t *testing.T) {
	const text = `
-- go.mod --
module m
-- a/a.go --
package a
func A() {}
-- a/a_test.go --
package a
import ("testing"; "m/help")
func TestA(t *testing.T) { A(); help.Help(); t.Run("", nil) }
-- a/x_test.go --
package a_test
import ("testing"; "m/a"; "m/help")
func TestX(t *testing.T) { a.A(); help.Help(); t.Fatal() }
-- help/help.go --
package help
import "m/a"
func Help() { a.A() }
`
	require.Equal(t, []string{"m/a", "m/help"}, paths(load(text, Options{})))

	res := load(text, Options{Tests: true})
	require.Equal(t, []string{"m/a", "m/help", "m/a_test"}, paths(res))
	require.Empty(t, res.Problems, "such imports are legal")
	require.Equal(t, []string{"m/a.A"}, callees(pkgOf(t, res, "m/help")))
	require.Equal(t, []string{"m/a.A", "weak m/help.Help", "(*testing.T).Run"}, callees(pkgOf(t, res, "m/a")))
	require.Equal(t, []string{"m/a.A", "m/help.Help", "(*testing.common).Fatal"}, callees(pkgOf(t, res, "m/a_test")))
}

func TestGeneratedAndPositions(t *testing.T) {
	res := load(`
-- a/a.go --
package a

//line /etc/passwd:100
func f() { /*line other.go:7:1*/println() }

const s = "//line kept"
-- a/b.go --
// Code generated by hand. DO NOT EDIT.

package a
`, Options{})
	p := res.Packages[0]
	require.Equal(t, []bool{false, true}, p.Generated)
	f := p.Types.Scope().Lookup("f")
	require.Equal(t, "a/a.go:4:6", p.Fset.Position(f.Pos()).String(), "line directives may name any file")
	require.Equal(t, `"//line kept"`, p.Types.Scope().Lookup("s").(*types.Const).Val().String())
}

// Objects of stubs must not seem to lie in a file of the repository.
func TestStubPositionsAreUnknown(t *testing.T) {
	res := load(`
-- a.go --
package a
import "example.org/retry"
var X = retry.Do
`, Options{Stubs: map[string]string{"example.org/retry": stubRetry}})
	p := res.Packages[0]
	for id, obj := range p.Info.Uses {
		if id.Name == "Do" {
			require.Equal(t, "example.org/retry", obj.Pkg().Path())
			require.Equal(t, "-", p.Fset.Position(obj.Pos()).String())
			return
		}
	}
	t.Fatal("Do is not resolved")
}

// The result does not depend on the order of the files nor on scheduling.
func TestDeterministic(t *testing.T) {
	var b strings.Builder
	b.WriteString("-- go.mod --\nmodule m\n")
	for i := range 40 {
		fmt.Fprintf(&b, "-- p%d/p.go --\npackage p%d\nimport \"example.org/missing\"\n", i, i)
		for j := i + 1; j < 40; j += i + 3 {
			fmt.Fprintf(&b, "import \"m/p%d\"\n", j)
		}
		fmt.Fprintf(&b, "func F() { missing.X(%d) }\nvar x int = undefined\n", i)
	}
	files := repo(b.String())
	want := describe(Load(context.Background(), files, Options{}))
	for range 5 {
		slices.Reverse(files)
		require.Equal(t, want, describe(Load(context.Background(), files, Options{})))
	}
}

func describe(res *Result) string {
	var b strings.Builder
	for _, p := range res.Packages {
		fmt.Fprintln(&b, p.Path, p.FileNames, p.TypeErrors, p.Missing, slices.Sorted(maps.Keys(p.Imports)))
		for i, f := range p.Files {
			fmt.Fprintln(&b, p.FileNames[i], f.Pos(), p.Fset.Position(f.End()))
		}
		for _, e := range p.Errors {
			fmt.Fprintln(&b, e.Pos, e.Msg)
		}
	}
	fmt.Fprintln(&b, res.Problems, res.Excluded)
	return b.String()
}

func TestErrorsAreCounted(t *testing.T) {
	text := "package a\nfunc f() {\n" + strings.Repeat("undefined()\n", 25) + "}\n"
	res := Load(context.Background(), []File{{Path: "a.go", Data: []byte(text)}}, Options{MaxErrors: 4})
	p := res.Packages[0]
	require.Equal(t, 25, p.TypeErrors)
	require.Len(t, p.Errors, 4)

	// A package that is not there is one error, whatever is used of it.
	res = load("-- a.go --\npackage a\nimport \"example.org/x\"\nfunc f() { x.A(); x.B().C(x.D{}) }\n", Options{})
	require.Equal(t, 1, res.Packages[0].TypeErrors)
	require.Equal(t, []string{"example.org/x"}, res.Packages[0].Missing)
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("out of time"))
	res := Load(ctx, repo("-- a.go --\npackage a\n"), Options{})
	require.Empty(t, res.Packages)
	require.Equal(t, []Problem{{Path: ".", Kind: ProblemCancelled, Msg: "out of time"}}, res.Problems)
}

func TestEmptyAndOddInput(t *testing.T) {
	require.Equal(t, &Result{}, Load(context.Background(), nil, Options{}))

	res := Load(context.Background(), []File{
		{Path: "./a/../b.go", Data: []byte("package b")},
		{Path: "b.go", Data: []byte("package other")}, // the same file again
		{Path: "go.mod"},
		{Path: "nul.go", Data: []byte("package b\n\x00\xff")},
	}, Options{})
	require.Equal(t, []string{"main"}, paths(res))
	require.Equal(t, []string{"b.go", "nul.go"}, res.Packages[0].FileNames)
}

func TestCheckStubs(t *testing.T) {
	require.NoError(t, CheckStubs(map[string]string{
		"example.org/retry": stubRetry,
		"example.org/b":     "package b\nimport \"example.org/retry\"\nvar R *retry.Retrier\n",
	}))
	for name, src := range map[string]string{
		"syntax":  "package x\nfunc {",
		"type":    "package x\nvar y undefined\n",
		"missing": "package x\nimport _ \"example.org/missing\"\n",
		"cycle":   "package x\nimport _ \"example.org/x\"\n",
	} {
		require.Error(t, CheckStubs(map[string]string{"example.org/x": src}), name)
	}
	require.Error(t, CheckStubs(map[string]string{"net/http": "package http\n"}))
}
