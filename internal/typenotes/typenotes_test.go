package typenotes

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const everything = `package p

import (
	"errors"
	. "strings"
	"time"
	"example.org/missing"
)

type base struct{ n int }
type pair[K comparable, V any] struct { key K; val V }
type outer struct { base; *pair[string, int]; missing.Client; f func(x, y int) (ok bool) }
type doer interface { Do(missing.Request) error; comparable }
const ( one = iota + 1; two; wait = 2 * time.Second )
var ( global = pair[string, []int]{"a", nil}; client missing.Client; lit = func() int { return one }() )

func (o *outer) run(c missing.Caller, p *int, xs ...int) (err error) {
	*p++
	(*p)--
	o.n += two
	x, y := 1<<one, missing.New(o.base.n)
	var u uint8 = one
	switch v := any(c).(type) {
	case error: err = v
	case nil:
	default: _ = v
	}
	for i := range 3 { xs[i] *= xs[len(xs)-1] }
	m := map[string][]int{Repeat("a", 2): {1, 2}, "b": xs[1:2:3]}
	defer func() { recover() }()
	if f := o.f; f != nil && !f(x, int(u)) { return errors.New("f") }
	ch := make(chan<- int, 1); ch <- Index("a", "b")
	g := generic[int, string]
	_, _, _ = y.Do(c.Call(m)).Err, generic(1, "s"), g
	var arr [two + 1]int
	_ = (&arr)[0]
	o.Client.Send(unknown, client.Other, 'x', 1.5, 2i)
label:
	for { break label }
	return nil
}

func generic[K comparable, V any](k K, v V) (p pair[K, V]) { p.key, p.val = k, v; return }
`

func check(t *testing.T, fset *token.FileSet, files []*ast.File) *types.Info {
	t.Helper()
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	std := importer.Default()
	conf := types.Config{Error: func(error) {}, Importer: importerFunc(func(path string) (*types.Package, error) {
		if !strings.Contains(path, ".") {
			return std.Import(path)
		}
		return types.NewPackage(path, filepath.Base(path)), errors.New("missing")
	})}
	_, _ = conf.Check("p", fset, files, info)
	return info
}

type importerFunc func(string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// requireSame asks for all that syntax can be asked for.
func requireSame(t *testing.T, fset *token.FileSet, files []*ast.File, info *types.Info, n *Notes) {
	t.Helper()
	exprs := 0
	for _, f := range files {
		ast.Inspect(f, func(node ast.Node) bool {
			e, ok := node.(ast.Expr)
			if !ok {
				return true
			}
			tv, had := info.Types[e]
			note, has := n.Type(e)
			if had != has || note != noteOf(tv) || n.TypeOf(e) != info.TypeOf(e) {
				t.Fatalf("%s: %T: got %v %v, want %v %v", fset.Position(e.Pos()), e, note, has, noteOf(tv), had)
			}
			if had {
				exprs++
			}
			if id, ok := e.(*ast.Ident); ok && (n.Def(id) != info.Defs[id] || n.Use(id) != info.Uses[id] || n.Object(id) != info.ObjectOf(id) && info.Uses[id] == nil) {
				t.Fatalf("%s: %s means something else", fset.Position(e.Pos()), id.Name)
			}
			return true
		})
	}
	require.Greater(t, exprs, 100)
}

// TestPackedNotesSayTheSame packs two packages one after the other, the second of which has unresolved imports throughout.
func TestPackedNotesSayTheSame(t *testing.T) {
	var packer Packer
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", everything, parser.SkipObjectResolution)
	require.NoError(t, err)
	files := []*ast.File{f}
	info := check(t, fset, files)
	first := packer.Pack(files, info)
	require.False(t, first.Wraps(info), "packed")

	var large []*ast.File
	names, err := filepath.Glob("../../analyzers/*.go")
	require.NoError(t, err)
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		if f.Name.Name == "analyzers" {
			large = append(large, f)
		}
	}
	largeInfo := check(t, fset, large)
	second := packer.Pack(large, largeInfo)
	require.False(t, second.Wraps(largeInfo), "packed")

	requireSame(t, fset, files, info, first)
	requireSame(t, fset, large, largeInfo, second)
	for _, n := range []*Notes{first, second} {
		require.Nil(t, n.Object(&ast.Ident{Name: "x"}))
		_, ok := n.Type(&ast.CallExpr{Fun: f.Name})
		require.False(t, ok, "made up")
	}
	_, ok := first.Type(large[0].Decls[0].(*ast.GenDecl).Specs[0].(*ast.ImportSpec).Path)
	require.False(t, ok, "of another package")
}

func TestNotesAsTheyAre(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", everything, parser.SkipObjectResolution)
	require.NoError(t, err)
	info := check(t, fset, []*ast.File{f})
	requireSame(t, fset, []*ast.File{f}, info, Of(info))
	require.True(t, Of(info).Wraps(info))

	var none *Notes
	require.Nil(t, none.Object(f.Name))
	require.Nil(t, none.TypeOf(f.Name))
	require.Nil(t, Of(nil))
}

// TestClaimedTwice has two expressions with the same token, as syntax errors make them.
func TestClaimedTwice(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", "package p\nvar a, b = -1, -2\n", parser.SkipObjectResolution)
	require.NoError(t, err)
	values := f.Decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Values
	values[1].(*ast.UnaryExpr).OpPos = values[0].Pos()
	info := check(t, fset, []*ast.File{f})
	var packer Packer
	n := packer.Pack([]*ast.File{f}, info)
	require.True(t, n.Wraps(info))
	note, _ := n.Type(values[1])
	require.True(t, constant.Compare(note.Value, token.EQL, constant.MakeInt64(-2)))
}

func TestTable(t *testing.T) {
	var empty table
	_, ok := empty.get(5)
	require.False(t, ok)
	for _, n := range []int{1, 2, 3, 1000} {
		var failed bool
		var entries []entry
		for i := range n {
			entries = append(entries, entry{uint32(i*7 + 1), uint32(i)})
		}
		tab := tableOf(entries, &failed)
		require.False(t, failed)
		for _, e := range entries {
			v, ok := tab.get(token.Pos(e.key))
			require.True(t, ok)
			require.Equal(t, e.value, v)
			_, ok = tab.get(token.Pos(e.key + 1))
			require.False(t, ok)
		}
		_, ok := tab.get(token.NoPos)
		require.False(t, ok)
	}
}

func BenchmarkPack(b *testing.B) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", everything, parser.SkipObjectResolution)
	require.NoError(b, err)
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	_, _ = (&types.Config{Error: func(error) {}}).Check("p", fset, []*ast.File{f}, info)
	var packer Packer
	b.ReportAllocs()
	for b.Loop() {
		packer.Pack([]*ast.File{f}, info)
	}
}
