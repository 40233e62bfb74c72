package gosrc

import (
	"context"
	"go/ast"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEach hands over the same packages as Load gives, in the same order, with notes that say the same, and keeps none of
// their syntax.
func TestEach(t *testing.T) {
	files := repo(`
-- go.mod --
module m
-- a/a.go --
package a
import "time"
const Wait = 2 * time.Second
func F(n int) time.Duration { return Wait * time.Duration(n) }
-- b/b.go --
package b
import ("m/a"; "example.org/missing")
func G(c missing.Client) { c.Do(a.F(3)) }
-- broken/broken.go --
package broken
func F( { return 1 + }
func G() int { return len("x") }
-- z/z.go --
package z
import "m/b"
var G = b.G
`)
	want := Load(context.Background(), files, Options{})
	var got []*Package
	res := Each(context.Background(), files, Options{}, func(p *Package) {
		w := want.Packages[len(got)]
		require.Equal(t, w.Path, p.Path)
		require.Equal(t, w.FileNames, p.FileNames)
		require.Len(t, p.Files, len(w.Files))
		require.Nil(t, p.Info)
		for i, f := range p.Files {
			var here, there []ast.Expr
			collect := func(list *[]ast.Expr) func(ast.Node) bool {
				return func(n ast.Node) bool {
					if e, ok := n.(ast.Expr); ok {
						*list = append(*list, e)
					}
					return true
				}
			}
			ast.Inspect(f, collect(&here))
			ast.Inspect(w.Files[i], collect(&there))
			require.Len(t, here, len(there))
			for j, e := range here {
				tv, noted := w.Info.Types[there[j]]
				note, ok := p.Notes.Type(e)
				require.Equal(t, noted, ok)
				require.Equal(t, tv.Type == nil, note.Type == nil)
				if tv.Type != nil {
					require.Equal(t, tv.Type.String(), note.Type.String())
				}
				require.Equal(t, tv.Value == nil, note.Value == nil)
			}
		}
		got = append(got, p)
	})
	require.Len(t, got, len(want.Packages))
	require.Equal(t, want.Problems, res.Problems)
	require.Empty(t, res.Packages)
	for _, p := range got {
		require.Nil(t, p.Files)
		require.Nil(t, p.Notes)
		require.NotNil(t, p.Types)
	}
	require.Same(t, got[0], got[2].Imports["m/a"])
}

func TestSpares(t *testing.T) {
	var s spares
	small, large, huge := newScratch(5_000), newScratch(500_000), newScratch(maxSpareBytes+1)
	for _, c := range []*scratch{small, large, huge} {
		c.Types[&ast.Ident{}] = c.Types[nil]
		s.put(c)
	}
	require.Len(t, s.list, 2, "the maps of huge packages are not kept")
	require.NotSame(t, large, s.get(100), "a small package gets no large maps")
	require.Same(t, large, s.get(400_000))
	require.Empty(t, large.Types)
	require.Equal(t, 400_000, s.get(400_000).bytes, "a new one where none is left")
	for range 2 * maxSpares {
		s.put(newScratch(1000))
	}
	require.Len(t, s.list, maxSpares)
}
