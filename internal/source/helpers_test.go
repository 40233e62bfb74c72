package source

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// needGit skips a test that makes its repositories with git.
func needGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
}

// gitRun runs git as a user would, but with no configuration of this machine.
func gitRun(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return gitInput(t, dir, "", args...)
}

func gitInput(t testing.TB, dir, input string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "core.excludesFile=" + os.DevNull}, args...)...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(input)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z", "LC_ALL=C"}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Run(), "git %s: %s", strings.Join(args, " "), errs.String())
	return strings.TrimSuffix(out.String(), "\n")
}

// write makes files from path, content pairs.
func write(t testing.TB, dir string, files ...string) {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		p := filepath.Join(dir, filepath.FromSlash(files[i]))
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(files[i+1]), 0o644))
	}
}

// newRepo makes a repository with one commit of the files.
func newRepo(t testing.TB, files ...string) string {
	t.Helper()
	needGit(t)
	dir := tempDir(t)
	initRepo(t, dir, files...)
	return dir
}

func initRepo(t testing.TB, dir string, files ...string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	gitRun(t, dir, "init", "-q", "-b", "main")
	write(t, dir, files...)
	commit(t, dir)
}

func commit(t testing.TB, dir string) {
	t.Helper()
	gitRun(t, dir, "add", "-A", "-f")
	gitRun(t, dir, "commit", "-q", "--allow-empty", "-m", "x")
}

// tempDir is t.TempDir with links resolved, as Discover gives it.
func tempDir(t testing.TB) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

// open opens the repository that one path names and closes it after the test.
func open(t testing.TB, path string, opt Options) *Revision {
	t.Helper()
	repos, err := Discover([]string{path}, opt)
	require.NoError(t, err)
	require.Len(t, repos, 1)
	return openRepo(t, repos[0], opt)
}

func openRepo(t testing.TB, repo Repo, opt Options) *Revision {
	t.Helper()
	r, err := Open(t.Context(), repo, opt)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

func paths(r *Revision) []string {
	out := []string{}
	for _, f := range r.Files() {
		out = append(out, f.Path)
	}
	return out
}

// contents reads all files.
func contents(t testing.TB, r *Revision) map[string]string {
	t.Helper()
	out := map[string]string{}
	var order []string
	require.NoError(t, r.Read(paths(r), func(p string, data []byte) error {
		out[p] = string(data)
		order = append(order, p)
		return nil
	}))
	require.True(t, slices.IsSorted(order), "read in the order of the list")
	return out
}

// problem returns the problem of a path.
func problem(t testing.TB, r *Revision, path string) Problem {
	t.Helper()
	i := slices.IndexFunc(r.Problems, func(p Problem) bool { return p.Path == path })
	require.GreaterOrEqual(t, i, 0, "no problem for %q in %+v", path, r.Problems)
	return r.Problems[i]
}

// unexpected returns the problems that make a scan incomplete.
func unexpected(r *Revision) []Problem {
	return slices.DeleteFunc(slices.Clone(r.Problems), func(p Problem) bool { return p.Expected })
}
