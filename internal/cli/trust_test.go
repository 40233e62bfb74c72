//go:build unix

package cli

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/retrylint/retrylint/extract"
)

// organisation is the demo and a repository with the example of every configuration format, each with a commit.
func organisation(t *testing.T) (dir string, repos []string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{"scheduler", "settle-service", "payout-gateway", "ledger"} {
		require.NoError(t, os.CopyFS(filepath.Join(dir, name), os.DirFS("../../testdata/payments/"+name)))
		repos = append(repos, filepath.Join(dir, name))
	}
	formats := filepath.Join(dir, "formats")
	for _, f := range extract.All() {
		for _, file := range txtar.Parse([]byte(f.Example)).Files {
			p := filepath.Join(formats, f.Name, file.Name)
			require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
			require.NoError(t, os.WriteFile(p, file.Data, 0o644))
		}
	}
	repos = append(repos, formats)
	for _, r := range repos {
		gitIn(t, r, "init", "-q", "-b", "main")
		gitIn(t, r, "add", "-A")
		gitIn(t, r, "commit", "-q", "-m", "x")
	}
	return dir, repos
}

// output runs the program with an environment of its own and returns what it printed as JSON.
func output(t *testing.T, env []string, before []string, args ...string) string {
	t.Helper()
	call := append(append(before, program(t).Path), args...)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, call[0], call[1:]...)
	cmd.Env = append([]string{asProgram, "PATH=" + os.Getenv("PATH")}, env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	require.Contains(t, []int{exitOK, exitFindings}, cmd.ProcessState.ExitCode(), "%v: %s", err, errs.String())
	return out.String()
}

func scanArgs(repos []string, more ...string) []string {
	return append(append([]string{"scan", "--no-progress", "--format", "json"}, more...), repos...)
}

// TestTheSameBytesHoweverItIsRun compares the JSON of one organisation over all that must not matter.
func TestTheSameBytesHoweverItIsRun(t *testing.T) {
	dir, repos := organisation(t)
	want := output(t, nil, nil, scanArgs(repos, "--cache", "off", "--jobs", "1")...)
	require.Contains(t, want, `"window-too-short"`)
	require.Greater(t, strings.Count(want, `"layers"`), 20)
	same := func(what, got string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s", what, firstDifference(want, got))
		}
	}
	for _, jobs := range []string{"2", "8"} {
		same(jobs+" jobs", output(t, nil, nil, scanArgs(repos, "--cache", "off", "--jobs", jobs)...))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		shuffled := append([]string(nil), repos...)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		same("shuffled", output(t, nil, nil, scanArgs(shuffled, "--cache", "off")...))
	}
	same("folder of repositories", output(t, nil, nil, scanArgs([]string{dir}, "--cache", "off")...))
	cache := t.TempDir()
	same("cold cache", output(t, nil, nil, scanArgs(repos, "--cache", cache)...))
	entries, err := filepath.Glob(filepath.Join(cache, "*", "*"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(entries), len(repos), "one for each repository, and one for each part of its code")
	same("warm cache", output(t, nil, nil, scanArgs(repos, "--cache", cache)...))
	after, err := filepath.Glob(filepath.Join(cache, "*", "*"))
	require.NoError(t, err)
	require.Equal(t, entries, after, "nothing was worked out again")
	same("go-git", output(t, []string{"PATH=/nonexistent"}, nil, scanArgs(repos, "--cache", "off")...))
	same("go-git, cache of git", output(t, []string{"PATH=/nonexistent"}, nil, scanArgs(repos, "--cache", cache)...))

	facts := t.TempDir()
	for i := range 3 {
		output(t, nil, nil, scanArgs(repos, "--cache", "off", "--facts", facts, "--shard", fmt.Sprintf("%d/3", i))...)
	}
	same("three shards", output(t, nil, nil, "reduce", "--format", "json", facts))

	var bare []string
	for _, repo := range repos {
		to := filepath.Join(t.TempDir(), filepath.Base(repo)+".git")
		gitIn(t, repo, "clone", "-q", "--bare", ".", to)
		gitIn(t, to, "remote", "remove", "origin")
		bare = append(bare, to)
	}
	same("bare repositories", output(t, nil, nil, scanArgs(bare, "--cache", "off")...))
	same("bare repositories with go-git", output(t, []string{"PATH=/nonexistent"}, nil, scanArgs(bare, "--cache", "off")...))
}

// TestBothLoaders: where all dependencies of the code are present, the tolerant loader and that of the go command lead to the same
// bytes.
func TestBothLoaders(t *testing.T) {
	_, repos := organisation(t)
	var complete []string
	for _, r := range repos {
		if filepath.Base(r) != "ledger" { // which imports a module that nobody downloads for this
			complete = append(complete, r)
		}
	}
	var env []string
	for _, v := range []string{"HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "GOTOOLCHAIN"} {
		if x, ok := os.LookupEnv(v); ok {
			env = append(env, v+"="+x)
		}
	}
	want := output(t, nil, nil, scanArgs(complete, "--cache", "off")...)
	require.Contains(t, want, `"function": "example.test/pay/`)
	if got := output(t, append(env, "GOPROXY=off"), nil, scanArgs(complete, "--cache", "off", "--types", "full")...); got != want {
		t.Error(firstDifference(want, got))
	}
}

// TestNoProcessButGit scans with a PATH that holds nothing but a git that writes down how it is called.
func TestNoProcessButGit(t *testing.T) {
	_, repos := organisation(t)
	want := output(t, nil, nil, scanArgs(repos, "--cache", "off")...)
	real, err := exec.LookPath("git")
	require.NoError(t, err)
	bin := t.TempDir()
	log := filepath.Join(bin, "calls")
	require.NoError(t, os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\necho \"$@\" >>"+log+"\nexec "+real+" \"$@\"\n"), 0o755))
	require.Equal(t, want, output(t, []string{"PATH=" + bin}, nil, scanArgs(repos, "--cache", "off")...))
	calls, err := os.ReadFile(log)
	require.NoError(t, err, "git was not called")
	reads := regexp.MustCompile(` (cat-file|rev-parse|ls-files|ls-tree|version|for-each-ref|config|symbolic-ref|check-ignore|status|diff-index|var)( |$)|--version`)
	for line := range strings.Lines(string(calls)) {
		require.Regexp(t, reads, strings.TrimSpace(line), "not a command that only reads")
	}
}

// TestWritesNothingElse: a scan changes nothing but its output and its cache, and leaves nothing in the temporary folder.
func TestWritesNothingElse(t *testing.T) {
	root, repos := organisation(t)
	for _, d := range []string{"home", "tmp", "out", "here"} {
		require.NoError(t, os.Mkdir(filepath.Join(root, d), 0o755))
	}
	all := func() map[string]string {
		out := map[string]string{}
		require.NoError(t, filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, p)
			out[rel] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime().UnixNano())
			return err
		}))
		return out
	}
	for _, git := range []string{os.Getenv("PATH"), "/nonexistent"} {
		for _, cache := range [][]string{{"--cache", "off"}, {"--cache", filepath.Join(root, "out", "cache")}, nil} {
			before := all()
			cmd := exec.CommandContext(t.Context(), program(t).Path, scanArgs(repos, append(cache, "--output", filepath.Join(root, "out", "r.json"))...)...)
			cmd.Dir = filepath.Join(root, "here")
			cmd.Env = []string{asProgram, "PATH=" + git, "HOME=" + filepath.Join(root, "home"), "TMPDIR=" + filepath.Join(root, "tmp")}
			_, err := cmd.CombinedOutput()
			require.Contains(t, []int{exitOK, exitFindings}, cmd.ProcessState.ExitCode(), err)
			after := all()
			for p, was := range before {
				if after[p] == "" {
					t.Errorf("%s is gone", p)
				} else if after[p] != was && p != "home" && p != "tmp" && p != "out" && !mayChange(p) {
					t.Errorf("%s was changed", p)
				}
			}
			for p := range after {
				if before[p] == "" && !mayChange(p) {
					t.Errorf("%s was written", p)
				}
			}
		}
	}
}

// mayChange: the output, and the cache at its usual place.
func mayChange(p string) bool {
	return strings.HasPrefix(p, "out/") || p == "home/.cache" || strings.HasPrefix(p, "home/.cache/")
}

// TestNoNetwork scans in a network namespace without any interface that is up.
func TestNoNetwork(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs network namespaces")
	}
	alone := []string{"unshare", "-rn"}
	if exec.Command(alone[0], append(alone[1:], "true")...).Run() != nil {
		t.Skip("network namespaces are not permitted")
	}
	_, repos := organisation(t)
	want := output(t, nil, nil, scanArgs(repos, "--cache", "off")...)
	start := time.Now()
	require.Equal(t, want, output(t, nil, alone, scanArgs(repos, "--cache", "off")...))
	require.Less(t, time.Since(start), 20*time.Second, "nothing waits for an answer")
}

// TestDamagedCache changes each byte of each entry in turn: the result is the same and the entry is made anew.
func TestDamagedCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pay")
	gitRepo(t, dir, map[string]string{"job.yaml": jobText})
	cache := t.TempDir()
	args := scanArgs([]string{dir}, "--fail-on", "never", "--cache", cache)
	_, want, errs := call(t, args...)
	require.Contains(t, want, "backoffLimit", errs)
	files, err := filepath.Glob(filepath.Join(cache, "*", "*"))
	require.NoError(t, err)
	entries := map[string][]byte{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		entries[f] = data
	}
	_, warm, _ := call(t, args...)
	require.Equal(t, want, warm)
	// An entry that spares looking into others goes away, so that each is looked into.
	needed := func(t *testing.T, damaged string, bad []byte) {
		for f := range entries {
			require.NoError(t, os.Remove(f))
		}
		require.NoError(t, os.WriteFile(damaged, bad, 0o644))
	}
	for damaged, whole := range entries {
		for i := range whole {
			bad := bytes.Clone(whole)
			bad[i] ^= byte(1 << (i % 8))
			if i%7 == 0 {
				bad = bad[:i] // cut off
			}
			needed(t, damaged, bad)
			code, got, errs := call(t, args...)
			require.Zero(t, code, errs)
			require.Equal(t, want, got, "byte %d", i)
			now, err := os.ReadFile(damaged)
			require.NoError(t, err)
			require.Equal(t, whole, now, "made anew")
		}
	}
}

// TestCacheThatCannotBeWritten scans with a cache on a full disk, and with one in a place where nobody may write.
func TestCacheThatCannotBeWritten(t *testing.T) {
	_, repos := organisation(t)
	want := output(t, nil, nil, scanArgs(repos, "--cache", "off")...)
	if runtime.GOOS == "linux" {
		require.Equal(t, want, output(t, nil, nil, scanArgs(repos, "--cache", "/proc/retrylint")...))
	}
	readOnly := t.TempDir()
	require.NoError(t, os.Chmod(readOnly, 0o500))
	require.Equal(t, want, output(t, nil, nil, scanArgs(repos, "--cache", readOnly)...))

	full := t.TempDir()
	mount := func(script string) []string {
		return []string{"unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=8k none " + full + " && " + script + ` && exec "$0" "$@"`}
	}
	try := mount("true")
	if exec.Command(try[0], append(try[1:], "true")...).Run() != nil {
		t.Skip("mounts are not permitted")
	}
	require.Equal(t, want, output(t, nil, mount("true"), scanArgs(repos, "--cache", full)...), "room for some bytes")
	require.Equal(t, want, output(t, nil, mount("head -c 8192 /dev/zero >"+full+"/x"), scanArgs(repos, "--cache", full)...), "room for nothing")
}

// TestFileSizeLimit scans where no file may become longer than some bytes: the cache keeps nothing, and a report that does not fit
// is an error that leaves the old one as it was.
func TestFileSizeLimit(t *testing.T) {
	_, repos := organisation(t)
	want := output(t, nil, nil, scanArgs(repos, "--cache", "off")...)
	limited := func(blocks int) []string {
		return []string{"sh", "-c", fmt.Sprintf(`ulimit -f %d && exec "$0" "$@"`, blocks)}
	}
	for _, blocks := range []int{0, 1, 2, 8} { // of 512 bytes or of 1024
		cache := t.TempDir()
		require.Equal(t, want, output(t, nil, limited(blocks), scanArgs(repos, "--cache", cache)...), "%d blocks, cold", blocks)
		require.Equal(t, want, output(t, nil, limited(blocks), scanArgs(repos, "--cache", cache)...), "%d blocks, again", blocks)
		require.Equal(t, want, output(t, nil, nil, scanArgs(repos, "--cache", cache)...), "%d blocks, without a limit after it", blocks)
	}
	report := filepath.Join(t.TempDir(), "report.json")
	require.NoError(t, os.WriteFile(report, []byte("old"), 0o644))
	before := limited(1)
	cmd := exec.CommandContext(t.Context(), before[0], append(append(before[1:], program(t).Path), scanArgs(repos, "--cache", "off", "--output", report)...)...)
	cmd.Env = []string{asProgram, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Equal(t, exitUsage, cmd.ProcessState.ExitCode(), string(out))
	old, err := os.ReadFile(report)
	require.NoError(t, err)
	require.Equal(t, "old", string(old))
	left, err := os.ReadDir(filepath.Dir(report))
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing is left behind")
}

// TestKilledWhileWriting kills scans at random points; what they leave in the cache changes no later result.
func TestKilledWhileWriting(t *testing.T) {
	_, repos := organisation(t)
	want := output(t, nil, nil, scanArgs(repos, "--cache", "off")...)
	cache := t.TempDir()
	r := rand.New(rand.NewPCG(3, 4))
	start := time.Now()
	output(t, nil, nil, scanArgs(repos, "--cache", t.TempDir())...)
	usual := time.Since(start)
	killed := 0
	for range 40 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.Int64N(int64(usual))))
		cmd := exec.CommandContext(ctx, program(t).Path, scanArgs(repos, "--cache", cache)...)
		cmd.Env = []string{asProgram, "PATH=" + os.Getenv("PATH")}
		_ = cmd.Run()
		if ctx.Err() != nil {
			killed++
		}
		cancel()
		if killed%8 == 1 { // half of what is there goes, so that there is something to write again
			entries, _ := filepath.Glob(filepath.Join(cache, "*", "*"))
			for i, e := range entries {
				if i%2 == 0 {
					os.Remove(e)
				}
			}
		}
	}
	require.Greater(t, killed, 5)
	require.Equal(t, want, output(t, nil, nil, scanArgs(repos, "--cache", cache)...))
	require.Equal(t, want, output(t, nil, nil, scanArgs(repos, "--cache", cache)...))
}
