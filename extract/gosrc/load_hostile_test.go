package gosrc

import (
	"context"
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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

// A program of some lines can keep the type checker busy for years; it costs its package, and cancelling works.
func TestSlowTypeCheck(t *testing.T) {
	slow := strings.NewReplacer("slow/slow.go", "a/a.go", "package slow", "package a").Replace(slowProgram(22)) // not endless, as it cannot be stopped
	files := repo("-- go.mod --\nmodule m\n" + slow + "-- b/b.go --\npackage b\nimport (\"m/a\"; \"time\")\nfunc F() { time.Sleep(1); a.F() }\n")

	l := newLoader(context.Background(), Options{})
	l.limit = 500 * time.Millisecond
	var packages []*Package
	l.take = func(p *Package) { packages = append(packages, p) }
	l.load(files)
	require.Len(t, packages, 2)
	require.Len(t, l.problems, 1)
	require.Equal(t, ProblemTimeout, l.problems[0].Kind)
	require.Equal(t, "a", l.problems[0].Path)
	require.NotNil(t, packages[0].Types)
	require.Equal(t, []string{"time.Sleep", "weak m/a.F"}, callees(packages[1]))

	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	res := Load(ctx, files, Options{})
	require.Empty(t, res.Packages)
	require.Equal(t, []string{".:0:0 cancelled"}, problems(res))
}

// On a machine that is busy with much else a check gets little of the time that passes.
func TestSlowMachine(t *testing.T) {
	files := repo("-- go.mod --\nmodule m\n-- a/a.go --\npackage a\nfunc F() {}\n" + slowProgram(20))
	for _, test := range []struct {
		name  string
		spent time.Duration // with each question
		want  int
	}{{"busy with others", 0, 0}, {"busy with this", time.Hour, 1}} {
		l := newLoader(context.Background(), Options{})
		l.limit, l.take = time.Millisecond, func(*Package) {}
		var asked atomic.Int64
		l.spent = func() time.Duration { return test.spent * time.Duration(asked.Add(1)) }
		l.load(files)
		require.Len(t, l.problems, test.want, test.name)
		require.Greater(t, asked.Load(), int64(1), test.name)
	}
}

// slowProgram is a package that keeps the type checker busy: a second for 21, twice as long for each more.
func slowProgram(n int) string {
	var b strings.Builder
	b.WriteString("-- slow/slow.go --\npackage slow\ntype T0 struct{}\n")
	for i := range n {
		fmt.Fprintf(&b, "type T%d struct{ a, b T%d }\n", i+1, i)
	}
	fmt.Fprintf(&b, "var X = T%d{} == T%d{}\n", n, n)
	return b.String()
}

// Constants that double from line to line would fill the memory.
func TestHugeConstant(t *testing.T) {
	var b strings.Builder
	b.WriteString("package a\nconst (\nc0 = `0123456789abcdef`\n")
	for i := range 40 {
		fmt.Fprintf(&b, "c%d = c%d + (c%d)\n", i+1, i, i)
	}
	b.WriteString(")\nfunc f() { const n = len(c40); println(n) }\n")
	res := Load(context.Background(), []File{{Path: "a.go", Data: []byte(b.String())}}, Options{})
	require.Equal(t, []string{".:0:0 too-large"}, problems(res))
	require.Equal(t, []string{"? len", "? println"}, callees(res.Packages[0]))
	require.NotNil(t, res.Packages[0].Types)

	res = load("-- a.go --\npackage a\nconst (a = b + b; b = a + a; c = \"x\" + \"y\"; d = iota; e)\n", Options{})
	require.Empty(t, res.Problems)
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
