package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/scan"
)

const asProgram = "RETRYLINT_TEST_AS_PROGRAM"

// TestMain makes the test binary run as the program itself, so that workers are real processes.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "1" {
		main()
	}
	os.Exit(m.Run())
}

// fleet is an organisation at a git server on this machine, and a folder for what is made of it.
type fleet struct {
	*httptest.Server
	dir      string
	manifest string
	names    []string
	hold     chan struct{} // the repository "slow" is served when it is closed
	held     chan struct{} // gets a value for each request that waits
	fetches  atomic.Int32  // packs asked for
}

// newFleet has ten repositories of different sizes, one that is slow, and one that is poisoned: it is in the manifest and the
// server does not have it.
func newFleet(t *testing.T) *fleet {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Skip("git is not installed")
	}
	backend := filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("git-http-backend is not installed")
	}
	f := &fleet{dir: t.TempDir(), hold: make(chan struct{}), held: make(chan struct{}, 100)}
	root := filepath.Join(f.dir, "git")
	for i := range 10 {
		f.names = append(f.names, fmt.Sprintf("r%d", i))
	}
	f.names = append(f.names, "slow")
	for i, n := range f.names {
		repo(t, filepath.Join(root, n), n, 1+i%4)
	}
	f.names = append(f.names, "poisoned")
	git := &cgi.Handler{Path: backend, Stderr: io.Discard, Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/slow/") {
			select {
			case f.held <- struct{}{}:
			default:
			}
			select {
			case <-f.hold:
			case <-r.Context().Done():
				return
			}
		}
		if strings.HasSuffix(r.URL.Path, "/git-upload-pack") {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			if bytes.Contains(body, []byte("command=fetch")) {
				f.fetches.Add(1)
			}
		}
		git.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		f.CloseClientConnections() // of processes that were killed
		f.Close()
	})
	var m strings.Builder
	m.WriteString("repositories:\n")
	for _, n := range f.names {
		fmt.Fprintf(&m, "  - {name: %s, url: \"%s/%s/.git\", group: acme}\n", n, f.URL, n)
	}
	f.manifest = filepath.Join(f.dir, "repositories.yaml")
	require.NoError(t, os.WriteFile(f.manifest, []byte(m.String()), 0o644))
	return f
}

// repo makes a repository with a loop in Go that calls its neighbour, and jobs.
func repo(t *testing.T, dir, name string, files int) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	write("go.mod", "module example.test/"+name+"\n\ngo 1.26\n")
	for i := range files {
		write(fmt.Sprintf("f%d.go", i), fmt.Sprintf(`package main

import "net/http"

func call%d() {
	for i := 0; i < %d; i++ {
		if resp, err := http.Post("http://r%d/intents", "application/json", nil); err == nil && resp.StatusCode == 200 {
			return
		}
	}
}
`, i, 3+i, i))
		write(fmt.Sprintf("job%d.yaml", i), fmt.Sprintf("apiVersion: batch/v1\nkind: Job\nmetadata: {name: %s-%d}\nspec:\n  backoffLimit: %d\n  template:\n    spec:\n      restartPolicy: Never\n      containers: [{name: c, image: acme/%s}]\n", name, i, i, name))
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "x"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z"}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// process is the program as a process of its own.
func (f *fleet) process(ctx context.Context, t *testing.T, env []string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Env = append([]string{asProgram + "=1", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + f.dir}, env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	return cmd, &errs
}

// shared is what a process that still runs has written so far.
type shared struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// run runs the program to its end.
func (f *fleet) run(t *testing.T, want int, env []string, args ...string) string {
	t.Helper()
	cmd, errs := f.process(t.Context(), t, env, args...)
	_ = cmd.Run()
	require.Equal(t, want, cmd.ProcessState.ExitCode(), "%v: %s", args, errs)
	return errs.String()
}

func (f *fleet) path(name string) string { return filepath.Join(f.dir, name) }

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(data)
}

// single is the report of one run, which whatever the fleet does must come to.
func (f *fleet) single(t *testing.T) string {
	t.Helper()
	f.run(t, 3, nil, "scan", "--manifest", f.manifest, "--cache", "off", "--fail-on", "never", "--format", "json", "--output", f.path("single.json"))
	s := read(t, f.path("single.json"))
	require.Contains(t, s, `"repository": "poisoned"`)
	require.Contains(t, s, "loop")
	return s
}

func (f *fleet) reduce(t *testing.T, want int, facts string) (report, stderr string) {
	t.Helper()
	stderr = f.run(t, want, nil, "reduce", "--facts", facts, "--fail-on", "never", "--format", "json", "--output", f.path("reduced.json"))
	return read(t, f.path("reduced.json")), stderr
}

// TestIndexedShards runs the workers of an Indexed Job as processes: one is killed, one runs twice, one never runs, one
// repository is poisoned. The arguments are those of the manifests.
func TestIndexedShards(t *testing.T) {
	f := newFleet(t)
	facts := "file://" + f.path("facts") + "/{run}"
	const shards = 4
	start := func(index int) (*exec.Cmd, *bytes.Buffer) {
		env := []string{fmt.Sprintf("JOB_COMPLETION_INDEX=%d", index), "RETRYLINT_RUN=retrylint-scan-29387520", "RETRYLINT_MANIFEST=" + f.manifest, "RETRYLINT_FACTS=" + facts}
		cmd, errs := f.process(t.Context(), t, env, argsOf(t, "scan-cronjob.yaml", env)...)
		require.NoError(t, cmd.Start())
		return cmd, errs
	}
	place := f.path("facts/29387520")
	procs := make([]*exec.Cmd, shards)
	logs := make([]*bytes.Buffer, shards)
	killed := scan.ShardOf("slow", shards) // the slow repository holds it up until it is killed
	dropped := (killed + 1) % shards       // never runs, at first
	for i := range shards {
		if i != dropped {
			procs[i], logs[i] = start(i)
		}
	}
	for i, p := range procs {
		if i != dropped && i != killed {
			_ = p.Wait()
			require.Zero(t, p.ProcessState.ExitCode(), logs[i].String())
		}
	}
	select {
	case <-f.held:
	case <-time.After(time.Minute):
		t.Fatal("nobody asks for the slow repository")
	}
	require.NoError(t, procs[killed].Process.Kill())
	require.Error(t, procs[killed].Wait())

	report, stderr := f.reduce(t, 3, place)
	require.Contains(t, stderr, "slow (facts): its facts are missing", "a shard that was dropped is named")
	require.Contains(t, stderr, "poisoned")
	require.Contains(t, report, `"stage": "facts"`)

	close(f.hold)
	twice := (killed + 2) % shards
	for _, i := range []int{dropped, killed, twice, twice} {
		p, log := start(i)
		_ = p.Wait()
		require.Zero(t, p.ProcessState.ExitCode(), log.String())
	}
	want := f.single(t)
	report, stderr = f.reduce(t, 3, place)
	require.Contains(t, stderr, "poisoned (open)")
	require.Equal(t, want, report)

	// The next run shares the work by the sizes of this one, and comes to the same.
	for i := range 3 {
		f.run(t, 0, nil, "scan", "--manifest", f.manifest, "--cache", "off", "--shard", fmt.Sprintf("%d/3", i), "--facts", f.path("next"), "--balance", place)
	}
	report, _ = f.reduce(t, 3, f.path("next"))
	require.Equal(t, want, report)
}

func TestReduceWaits(t *testing.T) {
	f := newFleet(t)
	close(f.hold)
	facts := f.path("facts")
	reduce, _ := f.process(t.Context(), t, nil, "reduce", "--facts", facts, "--wait", "2m", "--fail-on", "never", "--format", "json", "--output", f.path("waited.json"))
	log := &shared{}
	reduce.Stderr = log
	require.NoError(t, reduce.Start())
	// The shards begin once the reduce step says that it waits, however slowly its process starts.
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "waiting for the list of repositories") }, time.Minute, 10*time.Millisecond)
	for i := range 2 {
		f.run(t, 0, nil, "scan", "--manifest", f.manifest, "--cache", "off", "--shard", fmt.Sprintf("%d/2", i), "--facts", facts)
	}
	_ = reduce.Wait()
	require.Equal(t, 3, reduce.ProcessState.ExitCode(), log.String())
	require.Equal(t, f.single(t), read(t, f.path("waited.json")))
	// What never comes is named when the time is up.
	f.run(t, 0, nil, "scan", "--manifest", f.manifest, "--cache", "off", "--shard", "0/2", "--facts", f.path("half"))
	stderr := f.run(t, 3, nil, "reduce", "--facts", f.path("half"), "--wait", "1s", "--fail-on", "never")
	require.Contains(t, stderr, "waiting for")
}
