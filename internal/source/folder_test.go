package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWorkTreeIsReadAsItLies(t *testing.T) {
	dir := newRepo(t, "main.go", "package main\n", "deploy/job.yaml", "kind: Job\n", ".gitignore", "*.log\n/out/\n", "kept.log", "tracked\n")
	gitRun(t, dir, "remote", "add", "origin", "https://user:secret@example.org/team/pay.git")
	r := open(t, dir, Options{})
	require.Equal(t, []string{".gitignore", "deploy/job.yaml", "kept.log", "main.go"}, paths(r))
	require.Equal(t, gitRun(t, dir, "rev-parse", "HEAD"), r.Commit)
	require.Equal(t, "https://example.org/team/pay.git", r.Repo.URL)
	require.False(t, r.Dirty)
	require.Empty(t, r.Problems)
	require.Empty(t, r.Notices)
	for _, f := range r.Files() {
		require.Equal(t, gitRun(t, dir, "rev-parse", "HEAD:"+f.Path), f.BlobID, f.Path)
	}

	write(t, dir, "main.go", "package main // changed\n", "noise.log", "x", "out/gen.go", "package out\n", "new.go", "package main\n")
	r2 := open(t, dir, Options{})
	require.Equal(t, []string{".gitignore", "deploy/job.yaml", "kept.log", "main.go", "new.go"}, paths(r2))
	require.True(t, r2.Dirty)
	require.Equal(t, "package main // changed\n", contents(t, r2)["main.go"])
	require.NotEqual(t, r.Tree, r2.Tree)
}

func TestDirtyConcernsWantedFilesOnly(t *testing.T) {
	onlyGo := Options{Filter: func(p string) bool { return strings.HasSuffix(p, ".go") }}
	for name, tc := range map[string]struct {
		change func(dir string)
		dirty  bool
	}{
		"nothing":           {func(string) {}, false},
		"touched":           {func(dir string) { write(t, dir, "a.go", "package a\n") }, false},
		"changed":           {func(dir string) { write(t, dir, "a.go", "package b\n") }, true},
		"same size":         {func(dir string) { write(t, dir, "a.go", "package z\n") }, true},
		"new":               {func(dir string) { write(t, dir, "b.go", "package a\n") }, true},
		"new, not wanted":   {func(dir string) { write(t, dir, "b.txt", "x") }, false},
		"other, not wanted": {func(dir string) { write(t, dir, "a.txt", "y") }, false},
		"deleted":           {func(dir string) { os.Remove(filepath.Join(dir, "a.go")) }, true},
		"staged":            {func(dir string) { write(t, dir, "a.go", "package s\n"); gitRun(t, dir, "add", ".") }, true},
		"line ends":         {func(dir string) { write(t, dir, "a.go", "package a\r\n") }, false},
		"without an index":  {func(dir string) { os.Remove(filepath.Join(dir, ".git", "index")) }, true},
	} {
		dir := newRepo(t, "a.go", "package a\n", "a.txt", "x")
		tc.change(dir)
		require.Equal(t, tc.dirty, open(t, dir, onlyGo).Dirty, name)
	}
}

func TestTreeNamesTheContent(t *testing.T) {
	dir := tempDir(t)
	write(t, dir, "a.go", "package a\n", "b.go", "package b\n")
	first := open(t, dir, Options{}).Tree
	require.True(t, strings.HasPrefix(first, "files-"))
	require.Equal(t, first, open(t, dir, Options{}).Tree)
	write(t, dir, "b.go", "package c\n")
	second := open(t, dir, Options{}).Tree
	require.NotEqual(t, first, second)
	require.NoError(t, os.Rename(filepath.Join(dir, "b.go"), filepath.Join(dir, "c.go")))
	require.NotEqual(t, second, open(t, dir, Options{}).Tree)
	// A file that cannot be read is part of the name too: the facts lack it.
	small := open(t, dir, Options{MaxFileBytes: 5})
	require.Empty(t, small.Files())
	require.NotEqual(t, open(t, tempDir(t), Options{}).Tree, small.Tree)
}

func TestIndexThatLiesNamesNoContent(t *testing.T) {
	dir := newRepo(t, "a.go", "package a\n")
	id := gitInput(t, dir, "package other\n", "hash-object", "-w", "--stdin")
	gitRun(t, dir, "update-index", "--cacheinfo", "100644,"+id+",a.go")
	gitRun(t, dir, "update-index", "--assume-unchanged", "a.go")
	r := open(t, dir, Options{})
	require.Equal(t, gitRun(t, dir, "rev-parse", "HEAD:a.go"), r.Files()[0].BlobID)
}

func TestFileThatChangesIsNotRead(t *testing.T) {
	dir := tempDir(t)
	write(t, dir, "a.go", "package a\n", "b.go", "package b\n")
	r := open(t, dir, Options{})
	require.False(t, r.Partial())
	write(t, dir, "a.go", "package z\n")
	require.Equal(t, map[string]string{"b.go": "package b\n"}, contents(t, r))
	require.Equal(t, Problem{Path: "a.go", Stage: "read", Reason: reasonChanged}, problem(t, r, "a.go"))
	require.True(t, r.Partial())
	require.NoError(t, os.Remove(filepath.Join(dir, "b.go")))
	_, err := r.ReadFile("b.go")
	require.ErrorContains(t, err, "b.go")
}

func TestPlainFolder(t *testing.T) {
	dir := tempDir(t)
	// Without git nobody ignores: an exported tree keeps what was tracked although ignored.
	write(t, dir, "a.go", "package a\n", ".gitignore", "*.yaml\n", "job.yaml", "kind: Job\n", "sub/b.go", "package b\n")
	r := open(t, dir, Options{})
	require.Equal(t, Plain, r.Repo.Kind)
	require.Equal(t, []string{".gitignore", "a.go", "job.yaml", "sub/b.go"}, paths(r))
	require.Empty(t, r.Commit)
	require.Equal(t, "package b\n", contents(t, r)["sub/b.go"])
}

func TestFolderInsideAWorkTree(t *testing.T) {
	dir := newRepo(t, ".gitignore", "gen/\n*.tmp.go\n", "pay/main.go", "package main\n", "pay/.gitignore", "/local.yaml\n",
		"pay/kept.tmp.go", "package main\n", "other/o.go", "package o\n")
	write(t, dir, "pay/gen/x.go", "package gen\n", "pay/a.tmp.go", "package main\n", "pay/local.yaml", "a: 1\n", "pay/new.go", "package main\n",
		"gen/loose/x.go", "package loose\n")
	r := open(t, filepath.Join(dir, "pay"), Options{})
	require.Equal(t, "pay", r.Repo.Name)
	require.Equal(t, []string{".gitignore", "kept.tmp.go", "main.go", "new.go"}, paths(r))
	// A folder that the outer repository ignores and knows nothing of is a folder of its own.
	require.Equal(t, []string{"x.go"}, paths(open(t, filepath.Join(dir, "gen", "loose"), Options{})))
}

func TestNothingToRead(t *testing.T) {
	r := open(t, tempDir(t), Options{})
	require.Equal(t, []string{"empty folder"}, r.Notices)
	require.Empty(t, r.Problems)
	require.Empty(t, r.Files())
	require.NoError(t, r.Read(nil, nil))

	needGit(t)
	for _, opt := range []Options{{}, {Git: "none"}} {
		dir := tempDir(t)
		gitRun(t, dir, "init", "-q")
		r = open(t, dir, opt)
		require.Equal(t, []string{"no commits", "empty folder"}, r.Notices)
		require.Empty(t, r.Problems)
		write(t, dir, "a.go", "package a\n")
		r = open(t, dir, opt)
		require.Equal(t, []string{"no commits"}, r.Notices)
		require.Equal(t, []string{"a.go"}, paths(r))
		require.False(t, r.Dirty)

		bare := tempDir(t)
		gitRun(t, bare, "init", "-q", "--bare")
		r = open(t, bare, opt)
		require.Equal(t, []string{"no commits"}, r.Notices)
		require.Empty(t, r.Files())
		require.NoError(t, r.Read(nil, nil))
	}
}

func TestDamagedGitFolderCostsTheCommitNotTheFiles(t *testing.T) {
	for name, damage := range map[string]func(git string) error{
		"empty folder": func(git string) error { os.RemoveAll(git); return os.Mkdir(git, 0o755) },
		"HEAD missing": func(git string) error { return os.Remove(filepath.Join(git, "HEAD")) },
		"HEAD garbage": func(git string) error { return os.WriteFile(filepath.Join(git, "HEAD"), []byte("?\xff\n"), 0o644) },
		"index cut":    func(git string) error { return os.Truncate(filepath.Join(git, "index"), 40) },
		"index garbage": func(git string) error {
			return os.WriteFile(filepath.Join(git, "index"), []byte("DIRC\x00\x00\x00\x02\xff\xff\xff\xff"), 0o644)
		},
		"no objects": func(git string) error { return os.RemoveAll(filepath.Join(git, "objects")) },
		"lost objects": func(git string) error {
			os.RemoveAll(filepath.Join(git, "objects"))
			return os.Mkdir(filepath.Join(git, "objects"), 0o755)
		},
		"file that names nothing": func(git string) error {
			os.RemoveAll(git)
			return os.WriteFile(git, []byte("gitdir: ../gone\n"), 0o644)
		},
		"file of something else": func(git string) error { os.RemoveAll(git); return os.WriteFile(git, []byte("hello"), 0o644) },
	} {
		for _, git := range []string{"", "none"} {
			dir := newRepo(t, "a.go", "package a\n", ".gitignore", "*.log\n")
			write(t, dir, "x.log", "x")
			require.NoError(t, damage(filepath.Join(dir, ".git")))
			r := open(t, dir, Options{Git: git})
			require.Equal(t, []string{".gitignore", "a.go"}, paths(r), name)
			bad := unexpected(r)
			require.NotEmpty(t, bad, "%s, git %q", name, git)
			require.Equal(t, ".git", bad[0].Path, name)
			require.Equal(t, "git", bad[0].Stage, name)
			require.NotEmpty(t, bad[0].Reason, name)
			require.NotContains(t, bad[0].Reason, dir, "no path of this machine in a report")
		}
	}
}

func TestLinksAndSpecialFilesAreLeftOut(t *testing.T) {
	secret := tempDir(t)
	write(t, secret, "secret.go", "package secret\n", "dir/x.go", "package x\n")
	dir := newRepo(t, "real/a.go", "package a\n")
	link := func(target, name string) { require.NoError(t, os.Symlink(target, filepath.Join(dir, name))) }
	link("real/a.go", "in.go")
	link(filepath.Join(secret, "secret.go"), "out.go")
	link("../"+filepath.Base(secret)+"/secret.go", "up.go")
	link(filepath.Join(secret, "dir"), "outdir.go")
	link("real", "loop.go")
	link(".", "self")
	for _, step := range []string{"untracked", "tracked", "bare"} {
		path := dir
		if step != "untracked" {
			commit(t, dir)
		}
		if step == "bare" {
			path = filepath.Join(tempDir(t), "b.git")
			gitRun(t, dir, "clone", "-q", "--bare", dir, path)
		}
		r := open(t, path, Options{})
		require.Equal(t, []string{"real/a.go"}, paths(r), step)
		require.Empty(t, unexpected(r), step)
		require.Len(t, r.Problems, 6, step)
		if step != "bare" {
			require.Equal(t, reasonLink, problem(t, r, "in.go").Reason)
			for _, p := range []string{"out.go", "up.go", "outdir.go"} {
				require.Equal(t, reasonLinkOut, problem(t, r, p).Reason, p)
			}
		}
	}
}

func TestFileExchangedForALinkIsNotFollowed(t *testing.T) {
	secret := tempDir(t)
	write(t, secret, "a.go", "package secret\n")
	dir := tempDir(t)
	write(t, dir, "sub/a.go", "package a\n", "b.go", "package b\n")
	r := open(t, dir, Options{})
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "sub")))
	require.NoError(t, os.Symlink(secret, filepath.Join(dir, "sub")))
	require.Equal(t, map[string]string{"b.go": "package b\n"}, contents(t, r))
	require.NotEmpty(t, problem(t, r, "sub/a.go").Reason)
}

func TestUnreadableParts(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root can read everything")
	}
	dir := tempDir(t)
	write(t, dir, "a.go", "package a\n", "b.go", "package b\n", "closed/c.go", "package c\n")
	require.NoError(t, os.Chmod(filepath.Join(dir, "b.go"), 0))
	require.NoError(t, os.Chmod(filepath.Join(dir, "closed"), 0))
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "closed"), 0o755) })
	r := open(t, dir, Options{})
	require.Equal(t, []string{"a.go"}, paths(r))
	require.Equal(t, "permission denied", problem(t, r, "b.go").Reason)
	require.Equal(t, "permission denied", problem(t, r, "closed").Reason)
	require.Len(t, unexpected(r), 2)
}

func TestLargeFileIsNotRead(t *testing.T) {
	dir := tempDir(t)
	write(t, dir, "a.go", "package a\n")
	big := filepath.Join(dir, "big.json")
	require.NoError(t, os.WriteFile(big, nil, 0o644))
	require.NoError(t, os.Truncate(big, 300<<20)) // a hole: no bytes on the disk
	r := open(t, dir, Options{})
	require.Equal(t, []string{"a.go"}, paths(r))
	require.Equal(t, Problem{Path: "big.json", Stage: "read", Reason: "too large: 314572800 bytes, the limit is 8388608"}, problem(t, r, "big.json"))
}

func TestNestedRepositoriesAreNotPartOfTheOuterOne(t *testing.T) {
	dir := newRepo(t, "a.go", "package a\n", "mixed/tracked.go", "package mixed\n")
	initRepo(t, filepath.Join(dir, "inner"), "b.go", "package b\n")
	gitRun(t, filepath.Join(dir, "mixed"), "init", "-q")
	write(t, dir, "mixed/own.go", "package mixed\n")
	sub := newRepo(t, "s.go", "package s\n")
	gitRun(t, dir, "submodule", "--quiet", "add", sub, "lib/sub")
	r := open(t, dir, Options{})
	require.Equal(t, []string{".gitmodules", "a.go", "mixed/tracked.go"}, paths(r))
	require.Equal(t, Problem{Path: "inner", Stage: "list", Reason: reasonNested, Expected: true}, problem(t, r, "inner"))
	require.Equal(t, Problem{Path: "lib/sub", Stage: "list", Reason: reasonSubmodule, Expected: true}, problem(t, r, "lib/sub"))

	// The submodule's own work tree, whose .git is a file, is a repository like any other.
	s := open(t, filepath.Join(dir, "lib", "sub"), Options{})
	require.Equal(t, []string{"s.go"}, paths(s))
	require.Equal(t, gitRun(t, sub, "rev-parse", "HEAD"), s.Commit)
	require.Empty(t, s.Problems)
}

func TestLinkedWorkTree(t *testing.T) {
	dir := newRepo(t, "a.go", "package a\n", ".gitignore", "*.log\n")
	wt := filepath.Join(tempDir(t), "wt")
	gitRun(t, dir, "worktree", "add", "-q", "-b", "topic", wt)
	write(t, wt, "b.go", "package b\n", "x.log", "")
	commit(t, wt)
	for _, git := range []string{"", "none"} {
		r := open(t, wt, Options{Git: git})
		require.Equal(t, []string{".gitignore", "a.go", "b.go", "x.log"}, paths(r))
		require.Equal(t, gitRun(t, wt, "rev-parse", "HEAD"), r.Commit)
		require.NotEqual(t, gitRun(t, dir, "rev-parse", "HEAD"), r.Commit)
		require.False(t, r.Dirty)
		require.Empty(t, r.Problems)
	}
}

func TestGitFileOfAnotherRepositoryIsNotFollowed(t *testing.T) {
	victim := newRepo(t, "private/names.go", "package private\n")
	gitRun(t, victim, "remote", "add", "origin", "https://example.org/private")
	for name, prepare := range map[string]func(dir string){
		"direct": func(dir string) { write(t, dir, ".git", "gitdir: "+victim+"/.git\n") },
		"over commondir": func(dir string) {
			write(t, dir, ".git", "gitdir: ./meta\n", "meta/HEAD", "ref: refs/heads/main\n", "meta/commondir", victim+"/.git\n", "meta/gitdir", dir+"/.git\n")
		},
		"link": func(dir string) { require.NoError(t, os.Symlink(victim+"/.git", filepath.Join(dir, ".git"))) },
	} {
		dir := tempDir(t)
		write(t, dir, "a.go", "package a\n")
		prepare(dir)
		r := open(t, dir, Options{})
		require.Contains(t, paths(r), "a.go", name)
		require.Empty(t, r.Commit, name)
		require.Empty(t, r.Repo.URL, name)
		require.Equal(t, errForeign, problem(t, r, ".git").Reason, name)
		require.True(t, problem(t, r, ".git").Expected, name)
	}
}

func TestNamesThatCannotBeShown(t *testing.T) {
	dir := newRepo(t, "a\\b.go", "1", "bad\xff.go", "2", "line\nfeed.go", "3", "bad\\xff.go", "4", "gr\u00fc\u00dfe.go", "5")
	bare := filepath.Join(tempDir(t), "b.git")
	gitRun(t, dir, "clone", "-q", "--bare", dir, bare)
	for _, path := range []string{dir, bare} {
		for _, git := range []string{"", "none"} {
			r := open(t, path, Options{Git: git})
			require.Equal(t, map[string]string{`a\\b.go`: "1", `bad\xff.go`: "2", `line\x0afeed.go`: "3", `bad\\xff.go`: "4", "gr\u00fc\u00dfe.go": "5"}, contents(t, r))
			require.True(t, problem(t, r, `bad\xff.go`).Expected)
			require.True(t, problem(t, r, `line\x0afeed.go`).Expected)
			require.Len(t, r.Problems, 2)
			require.False(t, r.Dirty)
		}
	}
}

func TestSplitAndOtherIndexForms(t *testing.T) {
	for name, args := range map[string][]string{
		"version 2": {"update-index", "--index-version", "2"},
		"version 4": {"update-index", "--index-version", "4"},
		"split":     {"update-index", "--split-index"},
		"intended":  {"add", "-f", "-N", "later.log"},
		"skipped":   {"update-index", "--skip-worktree", "a/b/c.go"},
	} {
		dir := newRepo(t, "a/b/c.go", "package c\n", "a/b.go", "package a\n", "a.go", "package a\n", "kept.log", "x", ".gitignore", "*.log\n")
		write(t, dir, "later.log", "y", "never.log", "z")
		gitRun(t, dir, args...)
		want := []string{".gitignore", "a.go", "a/b.go", "a/b/c.go", "kept.log"}
		if name == "intended" {
			want = append(want, "later.log")
		}
		r := open(t, dir, Options{})
		require.Equal(t, want, paths(r), name)
		require.Equal(t, name == "intended", r.Dirty, name)
		require.Empty(t, r.Problems, name)
	}
}

func TestSHA256Repository(t *testing.T) {
	needGit(t)
	dir := tempDir(t)
	gitRun(t, dir, "init", "-q", "--object-format=sha256")
	write(t, dir, "a.go", "package a\n", "d/b.go", "package b\n")
	commit(t, dir)
	r := open(t, dir, Options{})
	require.Len(t, r.Commit, 64)
	require.False(t, r.Dirty)
	require.Equal(t, gitRun(t, dir, "rev-parse", "HEAD:a.go"), r.Files()[0].BlobID)
	bare := filepath.Join(tempDir(t), "b.git")
	gitRun(t, dir, "clone", "-q", "--bare", dir, bare)
	require.Equal(t, contents(t, r), contents(t, open(t, bare, Options{})))
}

func TestFilters(t *testing.T) {
	dir := newRepo(t, "a.go", "1", "vendor/v.go", "2", "x/vendor/v.go", "3", "x/a.txt", "4", "x/b.go", "5")
	bare := filepath.Join(tempDir(t), "b.git")
	gitRun(t, dir, "clone", "-q", "--bare", dir, bare)
	opt := Options{
		Filter:    func(p string) bool { return strings.HasSuffix(p, ".go") },
		FilterDir: func(p string) bool { return filepath.Base(p) != "vendor" },
	}
	require.Equal(t, []string{"a.go", "x/b.go"}, paths(open(t, dir, opt)))
	require.Equal(t, []string{"a.go", "x/b.go"}, paths(open(t, bare, opt)))
	opt.MaxFiles = 3
	for _, path := range []string{dir, bare} {
		repos, err := Discover([]string{path}, opt)
		require.NoError(t, err)
		_, err = Open(t.Context(), repos[0], opt)
		require.ErrorContains(t, err, "more than 3 files")
		require.ErrorContains(t, err, path)
	}
}
