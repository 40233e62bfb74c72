//go:build unix

package source

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A repository whose configuration, attributes and hooks all try to run a program. The program leaves a marker.
func trap(t *testing.T) (dir, marker string) {
	dir = newRepo(t, "a.go", "package a\n", "b.yaml", "a: 1\n", "c.lfs", "x",
		".gitattributes", "* filter=trap diff=trap merge=trap\n*.lfs filter=lfs\n", ".gitmodules", "[submodule \"x\"]\n\tpath = x\n\turl = ext::sh -c x\n\tupdate = !x\n")
	home := tempDir(t)
	marker = filepath.Join(home, "marker")
	program := filepath.Join(home, "trap.sh")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\necho \"$0 $*\" >> "+marker+"\ncat\n"), 0o755))
	for _, kv := range [][2]string{
		{"core.fsmonitor", program}, {"core.sshCommand", program}, {"core.pager", program}, {"core.editor", program}, {"core.askPass", program},
		{"core.gitProxy", program}, {"core.alternateRefsCommand", program}, {"filter.trap.clean", program}, {"filter.trap.smudge", program},
		{"filter.trap.process", program}, {"filter.trap.required", "true"}, {"filter.lfs.process", program}, {"diff.external", program},
		{"diff.trap.textconv", program}, {"diff.trap.command", program}, {"merge.trap.driver", program}, {"alias.cat-file", "!" + program},
		{"alias.ls-tree", "!" + program}, {"alias.ls-files", "!" + program}, {"credential.helper", "!" + program}, {"gpg.program", program},
		{"pager.cat-file", program}, {"pager.ls-tree", program}, {"uploadpack.packObjectsHook", program}, {"remote.origin.uploadpack", program},
		{"remote.origin.url", "ssh://example.org/x"}, {"protocol.allow", "always"}, {"protocol.ext.allow", "always"}, {"protocol.ssh.allow", "always"},
		{"core.hooksPath", home}, {"trace2.eventTarget", "|" + program}, {"core.worktree", home}, {"core.excludesFile", filepath.Join(home, "pipe")},
	} {
		gitRun(t, dir, "config", "--add", kv[0], kv[1])
	}
	for _, hook := range []string{"post-index-change", "post-checkout", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman"} {
		require.NoError(t, os.Symlink(program, filepath.Join(home, hook)))
		require.NoError(t, os.MkdirAll(filepath.Join(dir, ".git", "hooks"), 0o755))
		require.NoError(t, os.Symlink(program, filepath.Join(dir, ".git", "hooks", hook)))
	}
	require.NoError(t, syscall.Mkfifo(filepath.Join(home, "pipe"), 0o644))
	return dir, marker
}

func TestNothingOfTheRepositoryIsRun(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		dir, marker := trap(t)
		later := time.Now().Add(time.Hour)
		require.NoError(t, os.Chtimes(filepath.Join(dir, "a.go"), later, later)) // git would ask the filters now
		write(t, dir, "b.yaml", "a: 2\n")
		want := []string{".gitattributes", ".gitmodules", "a.go", "b.yaml", "c.lfs"}
		for _, repo := range []Repo{{Dir: dir, Kind: WorkTree}, {Dir: dir, Kind: WorkTree, Ref: "main"}, {Dir: filepath.Join(dir, ".git"), Kind: Bare},
			{Dir: dir, URL: "file://" + dir, Kind: Remote}} {
			start := time.Now()
			r := openRepo(t, repo, opt)
			require.Equal(t, want, paths(r), "%v", repo)
			require.Len(t, contents(t, r), 5)
			require.Empty(t, unexpected(r))
			require.Less(t, time.Since(start), 30*time.Second)
		}
		require.NoFileExists(t, marker)
	})
}

// The marker's own test: a git that is not held back does run the trap.
func TestTheTrapWorks(t *testing.T) {
	dir, marker := trap(t)
	require.NoError(t, os.Remove(filepath.Join(filepath.Dir(marker), "pipe")))
	gitRun(t, dir, "config", "--unset-all", "core.worktree")
	gitRun(t, dir, "config", "--unset-all", "filter.trap.process")
	write(t, dir, "b.yaml", "a: 2\n")
	gitRun(t, dir, "status", "--short")
	require.FileExists(t, marker)
}

// A partial clone fetches what is missing with a program that its own configuration names.
func TestMissingObjectsAreNotFetched(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		dir, marker := trap(t)
		gitRun(t, dir, "config", "core.repositoryFormatVersion", "1")
		gitRun(t, dir, "config", "extensions.partialClone", "origin")
		gitRun(t, dir, "config", "remote.origin.promisor", "true")
		id := gitRun(t, dir, "rev-parse", "main:a.go")
		require.NoError(t, os.Remove(filepath.Join(dir, ".git", "objects", id[:2], id[2:])))
		for _, url := range []string{"ssh://example.org/x", "ext::" + filepath.Join(filepath.Dir(marker), "trap.sh"), "file://" + dir, dir} {
			gitRun(t, dir, "config", "--replace-all", "remote.origin.url", url)
			r, err := Open(t.Context(), Repo{Dir: dir, Kind: WorkTree, Ref: "main"}, opt)
			if err == nil { // go-git v5 may refuse the extension
				require.NotContains(t, paths(r), "a.go")
				require.Contains(t, paths(r), "b.yaml")
				require.Equal(t, reasonMissing, problem(t, r, "a.go").Reason)
				require.NoError(t, r.Close())
			} else {
				require.Equal(t, "none", opt.Git, "%v", err)
			}
			w := openRepo(t, Repo{Dir: dir, Kind: WorkTree}, opt)
			require.Contains(t, paths(w), "a.go", "the file itself is there")
		}
		require.NoFileExists(t, marker)
	})
}

// Pipes in the place of files must not hold up a scan, in the tree or in the git folder.
func TestPipesAreNotWaitedFor(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		opt.GitTimeout = 2 * time.Second
		for _, name := range []string{"p.go", "sub/.gitignore", ".gitignore", ".git/index", ".git/info/exclude", ".git/config", ".git/HEAD"} {
			dir := newRepo(t, "a.go", "package a\n", "sub/b.go", "package b\n")
			p := filepath.Join(dir, filepath.FromSlash(name))
			os.Remove(p)
			os.MkdirAll(filepath.Dir(p), 0o755)
			require.NoError(t, syscall.Mkfifo(p, 0o644))
			start := time.Now()
			r := open(t, dir, opt)
			require.Equal(t, []string{"a.go", "sub/b.go"}, paths(r), name)
			require.Less(t, time.Since(start), 30*time.Second, name)
		}
	})
}

func TestEnvironmentOfTheCallerIsNotUsed(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		dir := newRepo(t, "a.go", "package a\n")
		bare := bareOf(t, dir)
		other := newRepo(t, "other.go", "package other\n")
		t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
		t.Setenv("GIT_WORK_TREE", other)
		t.Setenv("GIT_INDEX_FILE", filepath.Join(other, ".git", "index"))
		t.Setenv("GIT_OBJECT_DIRECTORY", filepath.Join(other, ".git", "objects"))
		t.Setenv("GIT_CONFIG_PARAMETERS", "'core.bare=garbage")
		require.Equal(t, []string{"a.go"}, paths(open(t, dir, opt)))
		require.Equal(t, []string{"a.go"}, paths(open(t, bare, opt)))
	})
}

func TestRepositoryOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files away")
	}
	both(t, func(t *testing.T, opt Options) {
		dir := newRepo(t, "a.go", "package a\n")
		bare := bareOf(t, dir)
		for _, d := range []string{dir, bare} {
			require.NoError(t, filepath.WalkDir(d, func(p string, _ os.DirEntry, err error) error { return os.Lchown(p, 12345, 12345) }))
			for _, repo := range []string{d, "file://" + d} {
				r := open(t, repo, opt)
				require.Equal(t, []string{"a.go"}, paths(r))
				require.NotEmpty(t, r.Commit)
				require.Empty(t, r.Problems)
			}
		}
	})
}

func TestDeepFolders(t *testing.T) {
	dir := tempDir(t)
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	at := root
	for range maxDepth + 20 {
		require.NoError(t, at.Mkdir("d", 0o755))
		next, err := at.OpenRoot("d")
		require.NoError(t, err)
		if at != root {
			at.Close()
		}
		at = next
	}
	at.Close()
	write(t, dir, "a.go", "package a\n")
	r := openRepo(t, Repo{Dir: dir, Kind: Plain}, Options{})
	require.Equal(t, []string{"a.go"}, paths(r))
	require.Len(t, unexpected(r), 1)
	require.Contains(t, r.Problems[0].Reason, "nested more than")
}
