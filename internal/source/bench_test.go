package source

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// benchRepo makes 25,000 files in 2,500 folders, of which 1,500 are wanted, 10 kB each, as a packed bare repository and a work tree.
func benchRepo(b *testing.B) (dir, bare string) {
	var files []string
	for i := range 25000 {
		name := fmt.Sprintf("pkg%02d/sub%02d/f%05d.txt", i/1000, i/10%100, i)
		body := fmt.Sprintf("%d\n", i)
		if i < 1500 {
			name = fmt.Sprintf("pkg%02d/sub%02d/f%05d.go", i%25, i/25%100, i)
			body = strings.Repeat(fmt.Sprintf("line %d of something\n", i), 500)
		}
		files = append(files, name, body)
	}
	dir = newRepo(b, files...)
	bare = bareOf(b, dir)
	gitRun(b, bare, "repack", "-q", "-a", "-d")
	return dir, bare
}

func benchmark(b *testing.B, path string, opt Options, read bool) {
	opt.Filter = func(p string) bool { return strings.HasSuffix(p, ".go") }
	repos, err := Discover([]string{path}, opt)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		r, err := Open(b.Context(), repos[0], opt)
		require.NoError(b, err)
		require.Len(b, r.Files(), 1500)
		if read {
			n := 0
			require.NoError(b, r.Read(paths(r), func(_ string, data []byte) error { n += len(data); return nil }))
			require.Greater(b, n, 10<<20)
		}
		require.NoError(b, r.Close())
	}
}

func Benchmark(b *testing.B) {
	dir, bare := benchRepo(b)
	plain := filepath.Join(tempDir(b), "plain")
	gitRun(b, dir, "checkout-index", "-a", "--prefix="+plain+"/")
	for _, tc := range []struct {
		name, path string
		opt        Options
	}{{"worktree", dir, Options{}}, {"plain", plain, Options{}}, {"bare/git", bare, Options{}}, {"bare/go-git", bare, Options{Git: "none"}}} {
		b.Run(tc.name+"/open", func(b *testing.B) { benchmark(b, tc.path, tc.opt, false) })
		b.Run(tc.name+"/open+read", func(b *testing.B) { benchmark(b, tc.path, tc.opt, true) })
	}
}
