package cli

import (
	"bytes"
	"context"
	"encoding/json"
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
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/factfile"
	"github.com/retrylint/retrylint/model"
)

// forgeServer is an organisation at a host that answers as Gitea does, with git's own server behind it.
type forgeServer struct {
	*httptest.Server
	root   string
	secret string
	repos  []string
	// hold is closed when the repository "slow" may be fetched; nil never holds.
	hold    chan struct{}
	mu      sync.Mutex
	fetches map[string]int // packs asked for, by repository
	lists   atomic.Int32
}

const job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: %s, namespace: pay}\nspec:\n  backoffLimit: %d\n  template:\n    spec:\n      containers: [{name: settle, image: pay/settle}]\n"

func newForge(t *testing.T, secret string, names ...string) *forgeServer {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Skip("git is not installed")
	}
	backend := filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("git-http-backend is not installed")
	}
	f := &forgeServer{root: t.TempDir(), secret: secret, repos: names, fetches: map[string]int{}}
	for i, n := range names {
		f.commit(t, n, fmt.Sprintf(job, n, 2+i))
	}
	git := &cgi.Handler{Path: backend, Root: "/git", Stderr: io.Discard, Env: []string{"GIT_PROJECT_ROOT=" + f.root, "GIT_HTTP_EXPORT_ALL=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/v1/orgs/acme/repos") {
			f.lists.Add(1)
			if r.Header.Get("Authorization") != "Bearer "+secret {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			var list []map[string]any
			for i, n := range f.repos {
				list = append(list, map[string]any{"full_name": "acme/" + n, "clone_url": "http://" + r.Host + "/git/" + n + "/.git", "default_branch": "main", "size": 10 * (i + 1),
					"archived": n == "old", "topics": []string{"go"}})
			}
			json.NewEncoder(w).Encode(list)
			return
		}
		if _, pass, _ := r.BasicAuth(); pass != secret {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		name := strings.Split(r.URL.Path, "/")[2]
		if strings.HasSuffix(r.URL.Path, "/git-upload-pack") {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			if bytes.Contains(body, []byte("command=fetch")) {
				f.mu.Lock()
				f.fetches[name]++
				f.mu.Unlock()
			}
		}
		if name == "slow" && f.hold != nil {
			select {
			case <-f.hold:
			case <-r.Context().Done():
				return
			}
		}
		git.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// commit makes a commit of one file, and the repository if need be.
func (f *forgeServer) commit(t *testing.T, name, content string) {
	t.Helper()
	dir := filepath.Join(f.root, name)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "job.yaml"), []byte(content), 0o644))
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "x"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z"}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

func (f *forgeServer) packs() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, k := range f.fetches {
		n += k
	}
	return n
}

func (f *forgeServer) org() string { return "gitea:" + f.URL + "/acme" }

// retrylint runs the program in this process.
func (f *forgeServer) retrylint(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	a := &app{env: map[string]string{"GITEA_TOKEN": f.secret}, stdin: strings.NewReader(""), stdout: &out, stderr: &errs, scan: runScan}
	code = a.run(t.Context(), args)
	require.NotContains(t, out.String()+errs.String(), f.secret)
	return code, out.String(), errs.String()
}

func TestScanOfAnOrganisation(t *testing.T) {
	f := newForge(t, "tok3n", "ledger", "old", "pay", "run")
	cache := t.TempDir()
	scan := func(more ...string) (string, string) {
		args := append([]string{"scan", "--format", "json", "--fail-on", "never", "--cache", cache, f.org()}, more...)
		code, out, errs := f.retrylint(t, args...)
		require.Zero(t, code, errs)
		return out, errs
	}
	first, errs := scan()
	require.Contains(t, errs, "4 repositories, 1 left out (1 by archived)")
	var r model.Result
	require.NoError(t, json.Unmarshal([]byte(first), &r))
	require.Len(t, r.Repositories, 3)
	require.Equal(t, "acme", r.Repositories[0].Group)
	require.Empty(t, r.Incomplete)
	require.Len(t, r.Layers, 3)
	require.Equal(t, 3, f.packs())

	again, _ := scan()
	require.Equal(t, first, again)
	require.Equal(t, 3, f.packs(), "what has not changed is not fetched")

	f.commit(t, "pay", fmt.Sprintf(job, "pay", 9))
	changed, _ := scan()
	require.NotEqual(t, first, changed)
	require.Equal(t, 4, f.packs(), "one repository has changed")
	fresh, _ := scan("--cache", "off")
	require.Equal(t, fresh, changed)

	all, _ := scan("--archived", "--name", "o*", "--name", "ledger", "--not-name", "led*")
	require.NoError(t, json.Unmarshal([]byte(all), &r))
	require.Len(t, r.Repositories, 1)
	require.Equal(t, "old", r.Repositories[0].Name)

	code, _, errs := f.retrylint(t, "scan", f.org(), "--topic", "rust")
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs, "no repositories")
	code, _, errs = f.retrylint(t, "scan", "--topic", "rust", t.TempDir())
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs, "none is named")
}

func TestWrongTokenScansNothing(t *testing.T) {
	f := newForge(t, "tok3n", "pay")
	file := filepath.Join(t.TempDir(), "tokens")
	require.NoError(t, os.WriteFile(file, []byte("# hosts\n"+strings.TrimPrefix(f.URL, "http://")+" wr0ng\n"), 0o600))
	code, out, errs := f.retrylint(t, "scan", "--tokens", file, f.org())
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs, "401")
	require.NotContains(t, errs, "wr0ng")
	require.Empty(t, out)
	require.NoError(t, os.WriteFile(file, []byte("one\n"), 0o600))
	code, _, errs = f.retrylint(t, "scan", "--tokens", file, f.org())
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs, "line 1")
}

// Each shard asks the host on its own only if no other has: the list of the first is the list of all.
func TestShardsOfAnOrganisationShareOneList(t *testing.T) {
	f := newForge(t, "tok3n", "a", "b", "c", "d", "e")
	dir := t.TempDir()
	single, once := filepath.Join(dir, "single.json"), filepath.Join(dir, "reduced.json")
	code, _, errs := f.retrylint(t, "scan", "--format", "json", "--output", single, "--cache", "off", f.org())
	require.Zero(t, code, errs)
	facts := filepath.Join(dir, "facts")
	code, listed, errs := f.retrylint(t, "scan", "--list", "--facts", facts, f.org())
	require.Zero(t, code, errs)
	require.Equal(t, "a\nb\nc\nd\ne\n", listed)
	f.repos = []string{"b", "z"} // the organisation changes before the shards begin
	for i := range 3 {
		code, _, errs = f.retrylint(t, "scan", "--cache", "off", "--facts", facts, "--shard", fmt.Sprintf("%d/3", i), f.org())
		require.Zero(t, code, errs)
	}
	require.EqualValues(t, 2, f.lists.Load(), "one for the single scan, one for all shards")
	_, _, errs = f.retrylint(t, "scan", "--list", f.org())
	require.Contains(t, errs, "--list needs --facts")
	code, _, errs = f.retrylint(t, "reduce", "--facts", facts, "--format", "json", "--output", once)
	require.Zero(t, code, errs)
	require.Equal(t, read(t, single), read(t, once))
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(data)
}

// An interrupt keeps what is done, and the next run reads the rest alone.
func TestInterruptedScanResumes(t *testing.T) {
	for name, signal := range map[string]os.Signal{"interrupt": syscall.SIGINT, "kill": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			f := newForge(t, "tok3n", "a", "b", "slow")
			f.hold = make(chan struct{})
			facts := t.TempDir()
			args := []string{"scan", "--format", "json", "--fail-on", "never", "--cache", "off", "--jobs", "1", "--facts", facts, f.org()}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := program(t, args...)
			cmd.Env = append(cmd.Env, "GITEA_TOKEN=tok3n")
			require.NoError(t, cmd.Start())
			for _, n := range []string{"a", "b"} {
				require.Eventually(t, func() bool {
					_, err := factfile.Load(ctx, factfile.Folder(facts), n)
					return err == nil
				}, time.Minute, 20*time.Millisecond)
			}
			require.NoError(t, cmd.Process.Signal(signal))
			err := cmd.Wait()
			require.Error(t, err)
			if signal == syscall.SIGINT {
				require.Equal(t, exitInterrupted, cmd.ProcessState.ExitCode())
			}
			close(f.hold)
			code, resumed, errs := f.retrylint(t, args...)
			require.Zero(t, code, errs)
			f.mu.Lock()
			require.Equal(t, [2]int{1, 1}, [2]int{f.fetches["a"], f.fetches["b"]}, "the rest alone")
			f.mu.Unlock()
			code, whole, errs := f.retrylint(t, "scan", "--format", "json", "--fail-on", "never", "--cache", "off", f.org())
			require.Zero(t, code, errs)
			require.Equal(t, whole, resumed)
		})
	}
}
