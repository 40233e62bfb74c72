package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/vettool"
	"github.com/retrylint/retrylint/model"
)

// call runs the program in this process.
func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, nil, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

const jobText = `apiVersion: batch/v1
kind: Job
metadata: {name: settle, namespace: pay}
spec:
  backoffLimit: 2
  template:
    spec:
      containers: [{name: settle, image: pay/settle, command: [curl, -X, POST, "http://ledger.pay.svc/entries"]}]
`

// gitRepo makes a repository with one commit for each set of files.
func gitRepo(t *testing.T, dir string, commits ...map[string]string) {
	t.Helper()
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.test", "-c", "commit.gpgsign=false"}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	git("init", "-q", "-b", "main")
	for _, files := range commits {
		for name, text := range files {
			p := filepath.Join(dir, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
			require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
		}
		git("add", "-A")
		git("commit", "-q", "-m", "change")
	}
}

func TestNewFromJudgesWhatTheChangeBrings(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir := filepath.Join(t.TempDir(), "pay")
	gitRepo(t, dir, map[string]string{"job.yaml": jobText}, map[string]string{"job.yaml": strings.Replace(jobText, "backoffLimit: 2", "backoffLimit: 8", 1)})

	scan := func(args ...string) *model.Result {
		code, out, errs := call(t, append([]string{"scan", "--format", "json", "--fail-on", "never", dir}, args...)...)
		require.Zero(t, code, errs)
		var r model.Result
		require.NoError(t, json.Unmarshal([]byte(out), &r))
		return &r
	}
	for _, f := range scan("--new-from", "HEAD").Findings {
		require.Equal(t, "unchanged", f.Baseline, f.Message)
	}
	r := scan("--new-from", "HEAD~1")
	for _, f := range r.Findings {
		require.NotEmpty(t, f.Baseline)
	}
	if len(r.Chains) > 0 {
		require.Contains(t, strings.Join(r.Summary.Notices, "\n"), "from 3 to 9 attempts")
	}

	code, _, errs := call(t, "scan", "--new-from", "no-such-revision", dir)
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs, "no repository has that revision")
	plain := t.TempDir()
	code, _, errs = call(t, "scan", "--new-from", "HEAD", plain)
	require.Equal(t, exitUsage, code, errs)
}

// brokenPipe is a reader that went away.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

func TestBrokenPipeIsNoFailure(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "out.json")
	for _, args := range [][]string{{"scan", "--format", "json", "--output", file, "--format", "json", dir}, {"window"}, {"rules"}, {"--help"}} {
		code := run(t.Context(), args, nil, strings.NewReader(""), brokenPipe{}, io.Discard)
		require.Equal(t, exitOK, code, args)
	}
	require.FileExists(t, file, "other outputs are whole")
}

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestUnwritableStandardOutput(t *testing.T) {
	var errs bytes.Buffer
	code := run(t.Context(), []string{"scan", "--format", "json", t.TempDir()}, nil, strings.NewReader(""), fullDisk{}, &errs)
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs.String(), "write to standard output: no space left on device")
}

func TestFailedRunLeavesOldOutputAlone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "out.json")
	require.NoError(t, os.WriteFile(file, []byte("old"), 0o600))
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard,
		scan: func(context.Context, request) (*model.Result, error) { return nil, errors.New("broken") }}
	require.Equal(t, exitUsage, a.run(t.Context(), []string{"scan", "--format", "json", "--output", file}))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "old", string(data))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "no temporary file stays behind")

	a.scan = func(context.Context, request) (*model.Result, error) { return &model.Result{Version: 1}, nil }
	require.Equal(t, exitOK, a.run(t.Context(), []string{"scan", "--format", "json", "--output", file}))
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "the mode of the file is kept")
}

func TestInterruptPrintsWhatWasFound(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var out, errs bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, scan: func(ctx context.Context, _ request) (*model.Result, error) {
		stop()
		return &model.Result{Version: 1, Findings: []model.FindingInfo{{Rule: "no-jitter", Severity: "error", Fingerprint: "f"}}}, ctx.Err()
	}}
	require.Equal(t, exitInterrupted, a.run(ctx, []string{"scan", "--format", "json"}))
	require.Contains(t, out.String(), `"no-jitter"`)
	require.Contains(t, errs.String(), "interrupted")

	ctx, stop = context.WithCancel(t.Context())
	a.scan = func(ctx context.Context, _ request) (*model.Result, error) {
		stop()
		return nil, ctx.Err()
	}
	out.Reset()
	require.Equal(t, exitInterrupted, a.run(ctx, []string{"scan", "--format", "json"}))
	require.Empty(t, out.String())
}

func TestOneFileForEachRepository(t *testing.T) {
	dir := t.TempDir()
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, scan: func(context.Context, request) (*model.Result, error) {
		return &model.Result{Version: 1, Repositories: []model.RepositoryInfo{{Name: "a/b"}, {Name: "c"}},
			Findings: []model.FindingInfo{{Rule: "x", Severity: "note", Place: model.Place{Repository: "c"}}}}, nil
	}}
	require.Equal(t, exitOK, a.run(t.Context(), []string{"scan", "--format", "json", "--output", filepath.Join(dir, "r-{repository}.json")}))
	one, err := os.ReadFile(filepath.Join(dir, "r-a-b.json"))
	require.NoError(t, err)
	require.NotContains(t, string(one), `"rule"`)
	two, err := os.ReadFile(filepath.Join(dir, "r-c.json"))
	require.NoError(t, err)
	require.Contains(t, string(two), `"rule"`)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)
}

func TestConfigurationOfTheOneRepositoryIsUsage(t *testing.T) {
	one := filepath.Join(t.TempDir(), "one")
	require.NoError(t, os.MkdirAll(one, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(one, ".retrylint.yaml"), []byte("version: 1\nsafteyFactor: 2\nrules: {no-jiter: off}\n"), 0o644))
	code, _, errs := call(t, "scan", "--format", "json", one)
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs, `one/.retrylint.yaml:2 (config): unknown key "safteyFactor" (did you mean "safetyFactor"?)`)
	two := filepath.Join(t.TempDir(), "two")
	require.NoError(t, os.MkdirAll(two, 0o755))
	code, _, _ = call(t, "scan", "--format", "json", one, two)
	require.Equal(t, exitIncomplete, code, "in one of many it is a gap")
}

func TestColors(t *testing.T) {
	a := &app{env: map[string]string{}, stdout: io.Discard}
	require.False(t, a.colors("auto"), "not on a terminal")
	require.True(t, a.colors("always"))
	a.env["NO_COLOR"] = "1"
	require.True(t, a.colors("always"), "the flag decides first")
	require.False(t, a.colors("never"))
	a.env["COLUMNS"] = "40"
	require.Equal(t, 40, a.width())
}

func TestTokensStayWithTheirHosts(t *testing.T) {
	a := &app{env: map[string]string{"GITHUB_TOKEN": "secret", "GITLAB_TOKEN": "other"}}
	tokens := tokens(a.env)
	require.Len(t, tokens, 2)
	require.Equal(t, "secret", tokens["github.com"].Secret)
	require.Equal(t, "oauth2", tokens["gitlab.com"].User)
	require.NotContains(t, strings.ToLower(strings.Join([]string{tokens["github.com"].String()}, "")), "secret")
}

func TestVetProtocol(t *testing.T) {
	for _, args := range [][]string{{"-V=full"}, {"-flags"}, {"/tmp/x/vet.cfg"}, {"-json", "/tmp/x/vet.cfg"}} {
		require.True(t, vettool.Speaks(args), args)
	}
	for _, args := range [][]string{nil, {"scan"}, {"--version"}, {"scan", "-v"}} {
		require.False(t, vettool.Speaks(args), args)
	}
}

func TestManualPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man")
	code, _, errs := call(t, "man", dir)
	require.Zero(t, code, errs)
	data, err := os.ReadFile(filepath.Join(dir, "retrylint-scan.1"))
	require.NoError(t, err)
	require.Contains(t, string(data), "fail-on")
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		code, out, errs := call(t, "completion", shell)
		require.Zero(t, code, errs)
		require.Contains(t, out, "retrylint")
	}
	code, out, _ := call(t, "__complete", "explain", "suppr")
	require.Zero(t, code)
	require.Contains(t, out, "suppression")
}
