package source

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// both runs a test with git and with go-git.
func both(t *testing.T, fn func(t *testing.T, opt Options)) {
	needGit(t)
	for _, git := range []string{"", "none"} {
		name := "git"
		if git == "none" {
			name = "go-git"
		}
		t.Run(name, func(t *testing.T) { fn(t, Options{Git: git}) })
	}
}

// bareOf makes a bare copy of a repository.
func bareOf(t testing.TB, dir string) string {
	t.Helper()
	bare := filepath.Join(tempDir(t), filepath.Base(dir)+".git")
	gitRun(t, dir, "clone", "-q", "--bare", dir, bare)
	return bare
}

// putObject writes a loose object, well-formed or not, and returns its name.
func putObject(t testing.TB, gitDir, kind string, body []byte) string {
	t.Helper()
	raw := fmt.Appendf(nil, "%s %d\x00%s", kind, len(body), body)
	sum := sha1.Sum(raw)
	id := hex.EncodeToString(sum[:])
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write(raw)
	require.NoError(t, w.Close())
	p := filepath.Join(gitDir, "objects", id[:2], id[2:])
	require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
	require.NoError(t, os.WriteFile(p, z.Bytes(), 0o644))
	return id
}

func treeBody(entries ...string) []byte { // mode name id
	var b bytes.Buffer
	for i := 0; i < len(entries); i += 3 {
		id, _ := hex.DecodeString(entries[i+2])
		fmt.Fprintf(&b, "%s %s\x00%s", entries[i], entries[i+1], id)
	}
	return b.Bytes()
}

// commitTree puts a hand-made tree onto the branch main.
func commitTree(t testing.TB, gitDir, tree string) {
	t.Helper()
	body := "tree " + tree + "\nauthor a <a@example.org> 1767323045 +0000\ncommitter a <a@example.org> 1767323045 +0000\n\nx\n"
	id := putObject(t, gitDir, "commit", []byte(body))
	require.NoError(t, os.WriteFile(filepath.Join(gitDir, "refs", "heads", "main"), []byte(id+"\n"), 0o644))
}

func emptyBare(t testing.TB) string {
	needGit(t)
	dir := tempDir(t)
	gitRun(t, dir, "init", "-q", "--bare", "-b", "main")
	return dir
}

// The two stores and the work tree must tell the same of the same commit.
func TestGitAndGoGitAgree(t *testing.T) {
	dir := newRepo(t, "a.go", "package a\n", "a/b.go", "package b\n", "a-b/c.go", "", "deep/x/y/z/job.yaml", "kind: Job\n", "crlf.go", "package c\r\n",
		"big.bin", strings.Repeat("\x00\x01", 40000))
	require.NoError(t, os.Chmod(filepath.Join(dir, "a.go"), 0o755))
	require.NoError(t, os.Symlink("a.go", filepath.Join(dir, "link.go")))
	commit(t, dir)
	for i := range 300 {
		write(t, dir, fmt.Sprintf("many/%03d/f.yaml", i), strings.Repeat(fmt.Sprintf("n: %d\n", i), i))
	}
	commit(t, dir)
	loose := bareOf(t, dir)
	packed := bareOf(t, dir)
	gitRun(t, packed, "repack", "-q", "-a", "-d", "-f")
	gitRun(t, packed, "pack-refs", "--all")
	type facts struct {
		Commit   string
		Files    []FileInfo
		Contents map[string]string
		Problems []Problem
	}
	get := func(path, git string) facts {
		r := open(t, path, Options{Git: git})
		return facts{r.Commit, slices.Clone(r.Files()), contents(t, r), r.Problems}
	}
	want := get(dir, "")
	require.Len(t, want.Files, 306)
	require.Len(t, want.Problems, 1)
	for _, path := range []string{dir, loose, packed} {
		for _, git := range []string{"", "none"} {
			require.Equal(t, want, get(path, git), "%s with git %q", path, git)
		}
	}
	tree := gitRun(t, dir, "rev-parse", "HEAD^{tree}")
	require.Equal(t, tree, open(t, loose, Options{}).Tree)
	require.Equal(t, tree, open(t, packed, Options{Git: "none"}).Tree)
}

func TestRefs(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		dir := newRepo(t, "a.go", "one")
		first := gitRun(t, dir, "rev-parse", "HEAD")
		gitRun(t, dir, "tag", "-a", "-m", "x", "v1")
		gitRun(t, dir, "checkout", "-q", "-b", "topic/x")
		write(t, dir, "a.go", "two")
		commit(t, dir)
		gitRun(t, dir, "checkout", "-q", "main")
		write(t, dir, "a.go", "lying there")
		bare := bareOf(t, dir)
		gitRun(t, dir, "clone", "-q", dir, filepath.Join(filepath.Dir(bare), "clone"))
		for ref, want := range map[string]string{"origin/topic/x": "two", "origin/topic/x~1": "one", "origin/topic/x^": "one", first[:12]: "one"} {
			r := openRepo(t, Repo{Dir: filepath.Join(filepath.Dir(bare), "clone"), Kind: WorkTree, Ref: ref}, opt)
			require.Equal(t, want, contents(t, r)["a.go"], "%q", ref)
		}
		for ref, want := range map[string]string{"": "one", "v1": "one", "topic/x": "two", "refs/heads/topic/x": "two", first: "one", "main": "one"} {
			for _, repo := range []Repo{{Dir: bare, Kind: Bare, Ref: ref}, {Dir: dir, Kind: WorkTree, Ref: ref}, {Dir: dir, Kind: Remote, URL: "file://" + dir, Ref: ref}} {
				if ref == "" && repo.Kind == WorkTree {
					want = "lying there"
				}
				r := openRepo(t, repo, opt)
				require.Equal(t, want, contents(t, r)["a.go"], "%v %q", repo.Kind, ref)
				want = strings.Replace(want, "lying there", "one", 1)
			}
		}
		for _, ref := range []string{"gone", strings.Repeat("0", 39) + "1", "--upload-pack=touch /tmp/x", "a\nb", "HEAD~1", "main:a.go", "a..b", "@{1}"} {
			_, err := Open(t.Context(), Repo{Dir: bare, Kind: Bare, Ref: ref}, opt)
			require.Error(t, err, ref)
			require.ErrorContains(t, err, bare)
		}
	})
}

func TestDamagedBareRepositories(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		for name, damage := range map[string]func(dir string) error{
			"HEAD garbage": func(dir string) error { return os.WriteFile(filepath.Join(dir, "HEAD"), []byte("\x00\x01"), 0o644) },
			"HEAD leads nowhere": func(dir string) error {
				return os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/gone\n"), 0o644)
			},
			"commit missing": func(dir string) error {
				return os.WriteFile(filepath.Join(dir, "HEAD"), []byte(strings.Repeat("1", 40)+"\n"), 0o644)
			},
			"objects lost": func(dir string) error {
				os.RemoveAll(filepath.Join(dir, "objects"))
				return os.Mkdir(filepath.Join(dir, "objects"), 0o755)
			},
			"objects gone": func(dir string) error { return os.RemoveAll(filepath.Join(dir, "objects")) },
		} {
			bare := bareOf(t, newRepo(t, "a.go", "package a\n"))
			require.NoError(t, damage(bare))
			_, err := Open(t.Context(), Repo{Dir: bare, Kind: Bare}, opt)
			require.Error(t, err, name)
			require.ErrorContains(t, err, bare, name)
			failed := new(OpenError)
			require.ErrorAs(t, err, &failed)
			require.Equal(t, bare, failed.Place)
			require.NotEmpty(t, failed.Reason, name)
			require.NotContains(t, failed.Reason, filepath.Dir(bare), name)
		}
	})
}

func TestMissingAndDamagedObjects(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		dir := newRepo(t, "a.go", "package a\n", "b.go", "package b\n", "c.go", "package c\n", "d.go", "package d\n", "e.go", "package e\n")
		object := func(name string) string {
			id := gitRun(t, dir, "rev-parse", "HEAD:"+name)
			return filepath.Join(dir, ".git", "objects", id[:2], id[2:])
		}
		require.NoError(t, os.Remove(object("b.go")))
		r := openRepo(t, Repo{Dir: dir, Kind: WorkTree, Ref: "main"}, opt)
		require.Equal(t, Problem{Path: "b.go", Stage: "read", Reason: reasonMissing}, problem(t, r, "b.go"))
		require.Equal(t, []string{"a.go", "c.go", "d.go", "e.go"}, paths(r))

		require.True(t, r.Partial(), "the tree names a file that was not read")
		whole := openRepo(t, Repo{Dir: dir, Kind: WorkTree}, opt)
		contents(t, whole)
		require.False(t, whole.Partial())

		// What breaks after the list was made is told by Read, and the rest is read.
		require.NoError(t, os.Remove(object("c.go")))
		require.NoError(t, os.Chmod(object("d.go"), 0o644))
		require.NoError(t, os.WriteFile(object("d.go"), []byte("no zlib"), 0o644))
		require.Equal(t, map[string]string{"a.go": "package a\n", "e.go": "package e\n"}, contents(t, r))
		require.NotEmpty(t, problem(t, r, "c.go").Reason)
		require.NotEmpty(t, problem(t, r, "d.go").Reason)

		// Damaged before.
		r = openRepo(t, Repo{Dir: dir, Kind: WorkTree, Ref: "main"}, opt)
		require.Equal(t, []string{"a.go", "e.go"}, paths(r))
		require.Len(t, unexpected(r), 3)
	})
}

func TestLargeBlobIsNotRead(t *testing.T) {
	dir := newRepo(t, "a.go", "package a\n")
	big := filepath.Join(dir, "big.json")
	require.NoError(t, os.WriteFile(big, nil, 0o644))
	require.NoError(t, os.Truncate(big, 300<<20))
	gitRun(t, dir, "-c", "core.compression=1", "add", ".")
	gitRun(t, dir, "commit", "-q", "-m", "x")
	both(t, func(t *testing.T, opt Options) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := openRepo(t, Repo{Dir: dir, Kind: WorkTree, Ref: "main"}, opt)
		require.Equal(t, map[string]string{"a.go": "package a\n"}, contents(t, r))
		require.Equal(t, Problem{Path: "big.json", Stage: "read", Reason: "too large: 314572800 bytes, the limit is 8388608"}, problem(t, r, "big.json"))
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100<<20))
	})
}

func TestHostileTrees(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		dir := emptyBare(t)
		blob := putObject(t, dir, "blob", []byte("package a\n"))
		inner := putObject(t, dir, "tree", treeBody("100644", "x.go", blob))
		tree := putObject(t, dir, "tree", treeBody(
			"40000", "..", inner, "40000", ".git", inner, "40000", ".GIT", inner, "40000", "ok", inner,
			"100644", "a.go", blob, "100644", "a.go", inner, "100644", "a/../../b.go", blob, "100644", "tree.go", inner,
			"160000", "module", strings.Repeat("1", 40), "120000", "link", blob))
		commitTree(t, dir, tree)
		r := openRepo(t, Repo{Dir: dir, Kind: Bare}, opt)
		got := contents(t, r)
		require.Equal(t, "package a\n", got["a.go"])
		require.Equal(t, "package a\n", got["ok/x.go"])
		require.Len(t, got, 2)
		for _, p := range []string{"../x.go", ".git/x.go", ".GIT/x.go", "a/../../b.go", "tree.go"} {
			require.False(t, problem(t, r, p).Expected, p)
		}
		require.True(t, problem(t, r, "link").Expected)
		require.Equal(t, reasonSubmodule, problem(t, r, "module").Reason)
	})
}

// Ten levels of ten folders each are ten thousand million files in eleven objects.
func TestTreeBomb(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		dir := emptyBare(t)
		id := putObject(t, dir, "blob", []byte("x"))
		mode := "100644"
		for range 10 {
			var e []string
			for i := range 10 {
				e = append(e, mode, fmt.Sprintf("f%d", i), id)
			}
			id, mode = putObject(t, dir, "tree", treeBody(e...)), "40000"
		}
		commitTree(t, dir, id)
		opt.MaxFiles = 20000
		start := time.Now()
		_, err := Open(t.Context(), Repo{Dir: dir, Kind: Bare}, opt)
		require.ErrorContains(t, err, "more than 20000 files")
		require.Less(t, time.Since(start), 30*time.Second)
	})
}

func TestReadStopsEarly(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		var files []string
		for i := range 600 {
			files = append(files, fmt.Sprintf("f%04d.go", i), strings.Repeat("x", 4000))
		}
		dir := newRepo(t, files...)
		bare := bareOf(t, dir)
		stop := errors.New("enough")
		for _, path := range []string{dir, bare} {
			r := open(t, path, opt)
			before := runtime.NumGoroutine()
			for n := range 5 {
				seen := 0
				err := r.Read(paths(r), func(string, []byte) error {
					if seen++; seen > n {
						return stop
					}
					return nil
				})
				require.Equal(t, stop, err)
				require.Equal(t, n+1, seen)
			}
			for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(end); {
				time.Sleep(10 * time.Millisecond)
			}
			require.LessOrEqual(t, runtime.NumGoroutine(), before, "goroutines left behind")
			require.Len(t, contents(t, r), 600)
			// The order is the caller's, and a path may come twice.
			var got []string
			require.NoError(t, r.Read([]string{"f0007.go", "f0001.go", "f0007.go"}, func(p string, _ []byte) error {
				got = append(got, p)
				return nil
			}))
			require.Equal(t, []string{"f0007.go", "f0001.go", "f0007.go"}, got)
			require.ErrorIs(t, r.Read([]string{"f0001.go", "none.go"}, nil), os.ErrNotExist)
		}
	})
}

func TestContextEndsReads(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		dir := newRepo(t, "a.go", "1", "b.go", "2", "c.go", "3")
		for _, path := range []string{dir, bareOf(t, dir)} {
			repos, err := Discover([]string{path}, opt)
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			r, err := Open(ctx, repos[0], opt)
			require.NoError(t, err)
			n := 0
			err = r.Read(paths(r), func(string, []byte) error { n++; cancel(); return nil })
			if n < 3 { // git may have answered all three before it was stopped
				require.ErrorIs(t, err, context.Canceled)
			}
			require.ErrorIs(t, r.Read(paths(r), func(string, []byte) error { return nil }), context.Canceled)
			require.NoError(t, r.Close())
			_, err = Open(ctx, repos[0], opt)
			require.ErrorIs(t, err, context.Canceled)
		}
	})
}

func TestSlowConsumerIsNotGitsFault(t *testing.T) {
	dir := bareOf(t, newRepo(t, "b.go", strings.Repeat("2", 1<<20), "c.go", "3"))
	r := open(t, dir, Options{GitTimeout: time.Second})
	n := 0
	require.NoError(t, r.Read(paths(r), func(string, []byte) error { n++; time.Sleep(1200 * time.Millisecond); return nil }))
	require.Equal(t, 2, n)
}

func TestSilentGitIsStopped(t *testing.T) {
	dir := bareOf(t, newRepo(t, "a.go", "1"))
	fake := filepath.Join(tempDir(t), "git")
	// The process that git started must die with it, or the pipes stay open.
	require.NoError(t, os.WriteFile(fake, []byte("#!/bin/sh\nsleep 60\n"), 0o755))
	start := time.Now()
	_, err := Open(t.Context(), Repo{Dir: dir, Kind: Bare}, Options{Git: fake, GitTimeout: 300 * time.Millisecond})
	require.ErrorContains(t, err, "git took longer than 300ms")
	require.Less(t, time.Since(start), 40*time.Second)
}

// A shared clone keeps its objects in another repository.
func TestAlternates(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		dir := newRepo(t, "a.go", "package a\n")
		work := filepath.Join(tempDir(t), "work")
		gitRun(t, dir, "clone", "-q", "--shared", dir, work)
		write(t, work, "b.go", "package b\n")
		commit(t, work)
		bare := filepath.Join(tempDir(t), "bare.git")
		gitRun(t, work, "clone", "-q", "--shared", "--bare", work, bare)
		for _, path := range []string{work, bare} {
			r := open(t, path, opt)
			require.Equal(t, map[string]string{"a.go": "package a\n", "b.go": "package b\n"}, contents(t, r))
			require.NotEmpty(t, r.Commit)
			require.Empty(t, r.Problems)
		}
	})
}

// Two repositories may be read at the same time.
func TestRevisionsAreIndependent(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		a := open(t, bareOf(t, newRepo(t, "a.go", "1", "b.go", "2")), opt)
		b := open(t, newRepo(t, "a.go", "3", "b.go", "4"), opt)
		require.NoError(t, a.Read(paths(a), func(string, []byte) error {
			require.Equal(t, map[string]string{"a.go": "3", "b.go": "4"}, contents(t, b))
			one, err := a.ReadFile("a.go") // and one inside its own Read
			require.NoError(t, err)
			require.Equal(t, "1", string(one))
			return nil
		}))
	})
}
