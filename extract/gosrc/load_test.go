package gosrc

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

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

const stubRetry = `package retry

import "time"

type Option func(*config)
type config struct{}
func Attempts(n uint) Option { return nil }
func Delay(d time.Duration) Option { return nil }
func Do(f func() error, opts ...Option) error { return nil }
type Retrier struct{}
func New(opts ...Option) *Retrier { return nil }
func (r *Retrier) Do(f func() error) error { return nil }
`

func TestCallees(t *testing.T) {
	stubs := map[string]string{
		"example.org/stub/retry":  stubRetry,
		"example.org/stub/base":   "package base\ntype Client struct{}\nfunc (Client) Get() error { return nil }\n",
		"example.org/stub/facade": "package facade\nimport \"example.org/stub/base\"\nfunc New() base.Client { return base.Client{} }\n",
		"example.org/stub/faulty": "package faulty\nfunc Good() {}\nvar x int = undefined\n",
		"example.org/stub/broken": "package broken\nfunc {",
		"errors":                  "package errors\nfunc Stubbed() {}\n",
	}
	tests := []struct {
		name string
		repo string
		pkg  string
		want []string
	}{
		{"methods of the standard library", `
-- go.mod --
module example.org/a
-- a.go --
package a
import ("net/http"; "time"; "context")
func f(ctx context.Context) error {
	c := &http.Client{Timeout: 3 * time.Second}
	req, err := http.NewRequestWithContext(ctx, "GET", "", nil)
	_, err = c.Do(req)
	time.Sleep(time.Second)
	return ctx.Err()
}
`, "example.org/a", []string{"net/http.NewRequestWithContext", "(*net/http.Client).Do", "time.Sleep", "(context.Context).Err"}},

		{"packages of the repository", `
-- go.mod --
module example.org/a
-- cmd/run/main.go --
package main
import "example.org/a/lib"
func main() { lib.New().Go() }
-- lib/lib.go --
package lib
import "example.org/a/lib/deep"
func New() *deep.T { return nil }
-- lib/deep/deep.go --
package deep
type T struct{}
func (*T) Go() {}
`, "example.org/a/cmd/run", []string{"(*example.org/a/lib/deep.T).Go", "example.org/a/lib.New"}},

		{"missing packages are known by path", `
-- go.mod --
module example.org/a
-- a.go --
package a
import (
	"github.com/foo/go-retry"
	named "github.com/foo/bar"
	"gopkg.in/yaml.v3"
	"github.com/foo/baz/v4"
	"github.com/json-iterator/go"
	"k8s.io/api/autoscaling/v2"
	"github.com/eclipse/paho.mqtt.golang"
)
func f() {
	retry.Do()
	named.Do()
	yaml.Marshal()
	baz.New().Run()
	jsoniter.Marshal()
	v2.Scale()
	mqtt.New()
}
`, "example.org/a", []string{"weak github.com/foo/go-retry.Do", "weak github.com/foo/bar.Do", "weak gopkg.in/yaml.v3.Marshal",
			"? baz.New().Run", "weak github.com/foo/baz/v4.New", "weak github.com/json-iterator/go.Marshal",
			"weak k8s.io/api/autoscaling/v2.Scale", "weak github.com/eclipse/paho.mqtt.golang.New"}},

		{"stubs", `
-- go.mod --
module example.org/a
-- a.go --
package a
import ("example.org/stub/retry"; "errors"; "example.org/stub/facade")
func f() error {
	retry.Do(func() error { return nil }, retry.Attempts(3))
	retry.New().Do(nil)
	facade.New().Get()
	return errors.New("")
}
`, "example.org/a", []string{"example.org/stub/retry.Do", "example.org/stub/retry.Attempts",
			"(*example.org/stub/retry.Retrier).Do", "example.org/stub/retry.New",
			"(example.org/stub/base.Client).Get", "example.org/stub/facade.New", "errors.New"}},

		{"faulty and broken stubs", `
-- go.mod --
module example.org/a
-- a.go --
package a
import ("example.org/stub/faulty"; "example.org/stub/broken")
func f() { faulty.Good(); broken.Do() }
`, "example.org/a", []string{"example.org/stub/faulty.Good", "weak example.org/stub/broken.Do"}},

		{"the repository's own package before a stub", `
-- go.mod --
module example.org/stub/retry
-- retry.go --
package retry
func Own() {}
-- cmd/main.go --
package main
import "example.org/stub/retry"
func main() { retry.Own() }
`, "example.org/stub/retry/cmd", []string{"example.org/stub/retry.Own"}},

		{"generics", `
-- go.mod --
module example.org/a
go 1.21
-- a.go --
package a
type List[T any] struct { v []T }
func (l *List[T]) Each(f func(T) error) {}
func Map[T, U any](l *List[T], f func(T) U) *List[U] { return nil }
func f() { Map(&List[int]{}, func(int) string { return "" }).Each(nil) }
`, "example.org/a", []string{"(*example.org/a.List[T]).Each", "example.org/a.Map"}},

		{"dot imports and cgo", `
-- go.mod --
module example.org/a
-- a.go --
package a
// #include <stdlib.h>
import "C"
import (
	. "time"
	. "example.org/missing"
)
func f() { Sleep(Second); C.free(nil); Unknown(); f() }
`, "example.org/a", []string{"time.Sleep", "weak C.free", "? Unknown", "example.org/a.f"}},

		{"newer go directive", `
-- go.mod --
module example.org/a
go 1.999.3
-- a.go --
package a
import "time"
func f() { for range 3 { time.Sleep(1) } }
`, "example.org/a", []string{"time.Sleep"}},

		{"syntax errors", `
-- go.mod --
module example.org/a
-- a.go --
package a
import "time"
func f() { time.Sleep(1); x := ; }
func g( { }
func h() { time.Now() }
`, "example.org/a", []string{"time.Sleep", "time.Now"}},

		{"type errors", `
-- go.mod --
module example.org/a
-- a.go --
package a
import "time"
func f() int { time.Sleep("x"); undefined(); var x Missing; x.Do(); time.Nothing(); return "" }
func main() {}
func main() { time.Now() }
`, "example.org/a", []string{"time.Sleep", "? undefined", "? x.Do", "weak time.Nothing", "time.Now"}},

		{"replaced by a folder", `
-- go.mod --
module example.org/a
require example.org/other/mod v1.0.0
replace example.org/other/mod => ./third/mod
-- a.go --
package a
import "example.org/other/mod/sub"
func f() { sub.Do() }
-- third/mod/go.mod --
module example.org/fork
-- third/mod/sub/sub.go --
package sub
func Do() {}
`, "example.org/a", []string{"example.org/fork/sub.Do"}},

		{"two modules of one path", `
-- one/go.mod --
module demo
-- one/main.go --
package main
import "demo/lib"
func main() { lib.One() }
-- one/lib/lib.go --
package lib
func One() {}
-- two/go.mod --
module demo
-- two/lib/lib.go --
package lib
func Two() {}
`, "demo", []string{"demo/lib.One"}},

		{"no module", `
-- main.go --
package main
import ("./lib"; "log")
func main() { lib.Do(); log.Println() }
-- lib/lib.go --
package lib
func Do() {}
-- log/log.go --
package log
func Println() {}
`, "main", []string{"lib.Do", "log.Println"}},

		{"no module, from a workspace", `
-- main.go --
package main
import ("github.com/me/app/lib"; "github.com/me/app/lib/deep"; "github.com/other/deep/lib"; "github.com/pkg/lib")
func main() { lib.Do(); deep.Do() }
-- lib/lib.go --
package lib
import "github.com/me/app/errors"
func Do() { errors.New() }
-- lib/deep/deep.go --
package deep
func Do() {}
-- errors/errors.go --
package errors
func New() {}
`, "github.com/me/app", []string{"github.com/me/app/lib.Do", "github.com/me/app/lib/deep.Do"}},

		{"no module, no common path", `
-- main.go --
package main
import ("github.com/one/two/lib"; other "github.com/three/four/lib")
func main() { lib.Do(); other.Do() }
-- lib/lib.go --
package lib
func Do() {}
`, "main", []string{"weak github.com/one/two/lib.Do", "weak github.com/three/four/lib.Do"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := load(tt.repo, Options{Stubs: stubs})
			require.Equal(t, tt.want, callees(pkgOf(t, res, tt.pkg)))
			for _, p := range res.Packages {
				require.NotNil(t, p.Types)
				require.True(t, p.Types.Complete())
				require.Len(t, p.FileNames, len(p.Files))
				require.Len(t, p.Generated, len(p.Files))
			}
		})
	}
}

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

// An error costs the declaration that it is in, not those after it, and every declaration keeps its place.
func TestRepairedFiles(t *testing.T) {
	tests := []struct {
		name string
		file string
		want []string // declared functions with line and column
	}{
		{"missing brace", `package a

import "time"

func one() {
	if true {
		time.Sleep(1)
}

// two has a comment.
func two() { time.Sleep(2) }
`, []string{"one 5:6", "two 11:6 two has a comment."}},
		{"parameters without end", `package a
func one(x int {
}
func two() {}
type T struct
func three() {}
`, []string{"one 2:6", "two 4:6", "three 6:6"}},
		{"conflict", `package a
<<<<<<< HEAD
import "time"
func one() {}
=======
func two() {}
>>>>>>> theirs
func three() {}
`, []string{"one 4:6", "two 6:6", "three 8:6"}},
		{"conflict in a function", `package a
func one() {
<<<<<<< HEAD
	println(1)
=======
	println(2)
>>>>>>> theirs
}
func two() {}
`, []string{"one 2:6", "two 9:6"}},
		{"illegal characters", "package a\n\x00\xff@\nfunc one() {}\nfunc two() {}\n", []string{"one 3:6", "two 4:6"}},
		{"keywords in a raw string", "package a\nvar s = `\nfunc no() {}\n`\nfunc one( {}\nfunc two() {}\n", []string{"one 5:6", "two 6:6"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := Load(context.Background(), []File{{Path: "0.go", Data: []byte("package a\n")}, {Path: "a.go", Data: []byte(tt.file)}}, Options{})
			require.NotEmpty(t, res.Problems)
			p := res.Packages[0]
			require.Len(t, p.Files, 2)
			var got []string
			for _, d := range p.Files[1].Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				pos := p.Fset.Position(fn.Name.Pos())
				require.Equal(t, "a.go", pos.Filename)
				got = append(got, strings.TrimSpace(fmt.Sprintf("%s %d:%d %s", fn.Name.Name, pos.Line, pos.Column, fn.Doc.Text())))
				require.NotNil(t, p.Info.Defs[fn.Name])
			}
			require.Equal(t, tt.want, got)
		})
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

func TestLargeFiles(t *testing.T) {
	oneLine := "package a; var x = []int{" + strings.Repeat("1,", 5<<19) + "}; func f() { println(x) }"
	files := []File{{Path: "a.go", Data: []byte("package a\n")}, {Path: "big.go", Data: []byte(oneLine)}}
	require.Greater(t, len(oneLine), 5<<20)

	res := Load(context.Background(), files, Options{})
	require.Equal(t, []string{"big.go:0:0 too-large"}, problems(res))
	require.Equal(t, []string{"a.go"}, res.Packages[0].FileNames)

	res = Load(context.Background(), files, Options{MaxFileBytes: 8 << 20})
	require.Empty(t, res.Problems)
	require.Equal(t, []string{"println"}, callees(res.Packages[0]))
	require.Less(t, len(res.Packages[0].Info.Types), 10_000, "long lists of literals are shortened")
}

func TestManySyntaxErrors(t *testing.T) {
	text := "package a\n" + strings.Repeat("func f( { x := ; }\n", 200) + "func last() { println() }\n"
	res := Load(context.Background(), []File{{Path: "a.go", Data: []byte(text)}}, Options{MaxErrors: 3})
	require.Len(t, res.Problems, 3)
	require.Regexp(t, `\(and \d+ more\)$`, res.Problems[2].Msg)
	require.Contains(t, callees(res.Packages[0]), "println", "the end of the file is read")
}

// A file with syntax errors makes the type checker panic; the other files of the package keep their types.
func TestTypeCheckerPanic(t *testing.T) {
	res := load(`
-- go.mod --
module m
-- a/bad.go --
package a
type T[P A] struct!T[T[P! {
-- a/good.go --
package a
import "time"
func F() { time.Sleep(1) }
-- b/b.go --
package b
import "m/a"
func G() { a.F() }
`, Options{})
	require.Contains(t, problems(res), "a:0:0 panic", "this go/types no longer panics; find another file that it panics on")
	require.Equal(t, []string{"m/a.F"}, callees(pkgOf(t, res, "m/b")))
	require.Equal(t, []string{"time.Sleep"}, callees(pkgOf(t, res, "m/a")))
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

// A program of some lines can keep the type checker busy for years; it costs its package, and cancelling works.
func TestSlowTypeCheck(t *testing.T) {
	var b strings.Builder
	b.WriteString("-- go.mod --\nmodule m\n-- a/a.go --\npackage a\ntype T0 struct{}\n")
	for i := range 22 { // about 2 seconds, twice as long for each more; not endless, as it cannot be stopped
		fmt.Fprintf(&b, "type T%d struct{ a, b T%d }\n", i+1, i)
	}
	b.WriteString("var X = T22{} == T22{}\n-- b/b.go --\npackage b\nimport (\"m/a\"; \"time\")\nfunc F() { time.Sleep(1); a.F() }\n")
	files := repo(b.String())

	l := &loader{ctx: context.Background(), opt: Options{}.withDefaults(), fset: token.NewFileSet(), limit: 200 * time.Millisecond}
	l.run(files)
	require.Len(t, l.packages, 2)
	require.Len(t, l.problems, 1)
	require.Equal(t, ProblemTimeout, l.problems[0].Kind)
	require.Equal(t, "a", l.problems[0].Path)
	require.NotNil(t, l.packages[0].Types)
	require.Equal(t, []string{"time.Sleep", "weak m/a.F"}, callees(l.packages[1]))

	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	res := Load(ctx, files, Options{})
	require.Empty(t, res.Packages)
	require.Equal(t, []string{".:0:0 cancelled"}, problems(res))
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

func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"package a\nimport \"time\"\nfunc f() { time.Sleep(1) }\n",
		"package a\nimport . \"C\"\ntype T[P any] struct{ T[T[P]] }\nfunc (T) m() { x.y.z() }\n",
		"//go:build linux && !windows\n\npackage main\nimport \"./x\"\nconst c = 1 << 1000\n",
		"package a\nimport \"main\"\nimport \"\"\nimport 'x'\nfunc (a b c) {",
		"//line x:1\npackage a /*line y:2:3*/ ; var x, y = y, x",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		res := Load(context.Background(), []File{{Path: "a.go", Data: data}}, Options{MaxErrors: 3})
		sound := !slices.ContainsFunc(res.Problems, func(p Problem) bool { return p.Kind == ProblemSyntax })
		for _, p := range res.Problems {
			// With syntax errors go/types may panic; that is contained.
			if p.Kind == ProblemInternal || (p.Kind == ProblemPanic && (sound || strings.HasPrefix(p.Msg, "parse:"))) {
				t.Errorf("%s: %s", p.Path, p.Msg)
			}
		}
		for _, p := range res.Packages {
			ToAnalysis([]*Package{p})
		}
	})
}
