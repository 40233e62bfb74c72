package source

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// gitServer serves the repositories of a folder over http with git's own server program. With a secret it asks for it.
func gitServer(t *testing.T, root, secret string) *httptest.Server {
	t.Helper()
	needGit(t)
	out, err := exec.Command("git", "--exec-path").Output()
	require.NoError(t, err)
	backend := filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("git-http-backend is not installed")
	}
	h := &cgi.Handler{Path: backend, Stderr: io.Discard, Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
		"GIT_CONFIG_KEY_1=uploadpack.allowAnySHA1InWant", "GIT_CONFIG_VALUE_1=true"}}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, pass, _ := r.BasicAuth(); secret != "" && (pass != secret || user != "x-access-token") {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv
}

func leftOver(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestFetchOverHTTP(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		root := tempDir(t)
		dir := newRepo(t, "a.go", "one", "old.go", "gone soon")
		first := gitRun(t, dir, "rev-parse", "HEAD")
		gitRun(t, dir, "tag", "-a", "-m", "x", "v1")
		gitRun(t, dir, "checkout", "-q", "-b", "topic/x")
		write(t, dir, "a.go", "two")
		commit(t, dir)
		gitRun(t, dir, "checkout", "-q", "main")
		gitRun(t, dir, "rm", "-q", "old.go")
		write(t, dir, "a.go", "three", "deploy/job.yaml", "kind: Job\n")
		commit(t, dir)
		gitRun(t, dir, "clone", "-q", "--bare", dir, filepath.Join(root, "pay.git"))
		srv := gitServer(t, root, "")
		opt.TempDir = tempDir(t)

		r := open(t, srv.URL+"/pay.git", opt)
		require.Equal(t, "pay", r.Repo.Name)
		require.Equal(t, srv.URL+"/pay.git", r.Repo.URL)
		local := open(t, filepath.Join(root, "pay.git"), opt)
		require.Equal(t, local.Commit, r.Commit)
		require.Equal(t, local.Tree, r.Tree)
		require.Equal(t, local.Files(), r.Files())
		require.Equal(t, contents(t, local), contents(t, r))

		// One commit came, not the history.
		temp := filepath.Join(opt.TempDir, leftOver(t, opt.TempDir)[0])
		require.Equal(t, "1", gitRun(t, temp, "rev-list", "--count", "--all"))
		require.NoDirExists(t, filepath.Join(temp, "hooks"))
		require.NoError(t, r.Close())
		require.NoError(t, r.Close())
		require.Empty(t, leftOver(t, opt.TempDir), "Close removes the clone")

		for ref, want := range map[string]string{"v1": "one", "topic/x": "two", "refs/heads/topic/x": "two", first: "one"} {
			r := openRepo(t, Repo{Name: "pay", URL: srv.URL + "/pay.git", Kind: Remote, Ref: ref}, opt)
			require.Equal(t, want, contents(t, r)["a.go"], ref)
			require.NoError(t, r.Close())
		}
		for _, ref := range []string{"gone", "--upload-pack=x", "a:b"} {
			_, err := Open(t.Context(), Repo{Name: "pay", URL: srv.URL + "/pay.git", Kind: Remote, Ref: ref}, opt)
			require.ErrorContains(t, err, srv.URL, ref)
			require.Empty(t, leftOver(t, opt.TempDir), "a failed fetch leaves nothing")
		}
	})
}

func TestFetchOfNothing(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		root := tempDir(t)
		gitRun(t, root, "init", "-q", "--bare", "empty.git")
		gitRun(t, newRepo(t, "a.go", "x"), "clone", "-q", "--bare", ".", filepath.Join(root, "lost.git"))
		gitRun(t, filepath.Join(root, "lost.git"), "symbolic-ref", "HEAD", "refs/heads/gone")
		srv := gitServer(t, root, "")
		r := open(t, srv.URL+"/empty.git", opt)
		require.Equal(t, []string{"no commits"}, r.Notices)
		require.Empty(t, r.Files())

		_, err := Open(t.Context(), Repo{URL: srv.URL + "/lost.git", Kind: Remote}, opt)
		require.ErrorContains(t, err, "the default branch does not exist")
		_, err = Open(t.Context(), Repo{URL: srv.URL + "/vanished.git", Kind: Remote}, opt)
		require.ErrorContains(t, err, srv.URL+"/vanished.git")
	})
}

func TestTokenTravelsInTheHeaderOnly(t *testing.T) {
	const secret = "s3cr3t-token"
	both(t, func(t *testing.T, opt Options) {
		root := tempDir(t)
		gitRun(t, newRepo(t, "a.go", "x"), "clone", "-q", "--bare", ".", filepath.Join(root, "pay.git"))
		srv := gitServer(t, root, secret)
		host := strings.TrimPrefix(srv.URL, "http://")

		start := time.Now()
		_, err := Open(t.Context(), Repo{URL: srv.URL + "/pay.git", Kind: Remote}, opt)
		require.Error(t, err, "no token, no prompt")
		require.Less(t, time.Since(start), 30*time.Second)

		opt.Tokens = map[string]Token{host: {Secret: secret}}
		require.NotContains(t, fmt.Sprintf("%v %+v %#v", opt, opt, opt), secret)
		r := open(t, srv.URL+"/pay.git", opt)
		require.Equal(t, []string{"a.go"}, paths(r))
		require.NotContains(t, r.Repo.URL, secret)

		opt.Tokens = map[string]Token{host: {Secret: "wrong-token"}}
		_, err = Open(t.Context(), Repo{URL: srv.URL + "/pay.git", Kind: Remote}, opt)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "wrong-token")
	})
}

func TestTokenIsInNoArgumentAndNoFile(t *testing.T) {
	needGit(t)
	const secret = "s3cr3t-token"
	dir := tempDir(t)
	fake := filepath.Join(dir, "git")
	require.NoError(t, os.WriteFile(fake, []byte("#!/bin/sh\nfor a; do echo \"$a\" >> "+dir+"/args; done\nenv > "+dir+"/env\nexit 1\n"), 0o755))
	opt := Options{Git: fake, Tokens: map[string]Token{"example.org": {Secret: secret}}}
	for url, sent := range map[string]bool{"https://example.org/a/b": true, "http://example.org/a/b": false, "https://example.com/a/b": false, "ssh://git@example.org/a/b": false} {
		r := &Revision{Repo: Repo{URL: url}, opt: opt.withDefaults()}
		all := strings.Join(r.fetchEnv(dir), "\n")
		require.Equal(t, sent, strings.Contains(all, Token{User: "x-access-token", Secret: secret}.basic()), url)
	}
	_, err := Open(t.Context(), Repo{URL: "https://example.org/a/b", Kind: Remote}, opt)
	require.Error(t, err)
	args, err := os.ReadFile(filepath.Join(dir, "args"))
	require.NoError(t, err)
	require.NotContains(t, string(args), secret)
	require.NotContains(t, string(args), Token{User: "x-access-token", Secret: secret}.basic())
	require.Contains(t, string(args), "core.hooksPath="+os.DevNull)
}

func TestSilentServer(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		opt.TempDir = tempDir(t)
		repo := Repo{URL: "http://" + l.Addr().String() + "/x.git", Kind: Remote}

		opt.GitTimeout = 700 * time.Millisecond
		start := time.Now()
		_, err = Open(t.Context(), repo, opt)
		require.ErrorContains(t, err, "longer than 700ms")
		require.NotContains(t, err.Error(), opt.TempDir)
		require.Less(t, time.Since(start), 30*time.Second)

		opt.GitTimeout = 0
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		_, err = Open(ctx, repo, opt)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Less(t, time.Since(start), 30*time.Second)
		require.Empty(t, leftOver(t, opt.TempDir))
	})
}

func TestFetchIsStoppedWhenItFillsTheDisk(t *testing.T) {
	needGit(t)
	dir := tempDir(t)
	fake := filepath.Join(dir, "git")
	require.NoError(t, os.WriteFile(fake, []byte(`#!/bin/sh
case "$*" in
*" init "*) exit 0 ;;
*) head -c 3000000 /dev/zero > "$GIT_DIR/pack"; sleep 60 ;;
esac
`), 0o755))
	start := time.Now()
	opt := Options{Git: fake, MaxFetchBytes: 1 << 20, TempDir: tempDir(t)}
	_, err := Open(t.Context(), Repo{URL: "https://example.org/a/b", Kind: Remote}, opt)
	require.ErrorContains(t, err, "larger than 1048576 bytes")
	require.Less(t, time.Since(start), 30*time.Second)
	require.Empty(t, leftOver(t, opt.TempDir))
}

func TestRedirectToAnotherScheme(t *testing.T) {
	needGit(t)
	marker := filepath.Join(tempDir(t), "marker")
	var asked atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Redirect(w, r, "file:///etc/passwd?"+marker, http.StatusFound)
	}))
	defer srv.Close()
	_, err := Open(t.Context(), Repo{URL: srv.URL + "/x.git", Kind: Remote}, Options{})
	require.Error(t, err)
	require.NotZero(t, asked.Load())
}

func TestFileURL(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		dir := newRepo(t, "a.go", "committed")
		bare := bareOf(t, dir)
		write(t, dir, "a.go", "lying there")
		for _, path := range []string{dir, bare} {
			r := open(t, "file://"+filepath.ToSlash(path), opt)
			require.Equal(t, "committed", contents(t, r)["a.go"])
			require.Equal(t, Remote, r.Repo.Kind)
			require.False(t, r.Dirty)
		}
		plain := tempDir(t)
		for _, path := range []string{plain, filepath.Join(plain, "gone")} {
			_, err := Open(t.Context(), Repo{URL: "file://" + path, Dir: path, Kind: Remote}, opt)
			require.ErrorContains(t, err, path)
		}
	})
}

// ssh itself is replaced by a program that runs the command here.
func TestFetchOverSSH(t *testing.T) {
	dir := bareOf(t, newRepo(t, "a.go", "package a\n"))
	home := tempDir(t)
	ssh := filepath.Join(home, "ssh")
	require.NoError(t, os.WriteFile(ssh, []byte("#!/bin/sh\necho \"$@\" >> "+home+"/args\n[ \"$1\" = -G ] && exit 0\nfor last; do :; done\nexec sh -c \"$last\"\n"), 0o755))
	t.Setenv("GIT_SSH_COMMAND", ssh)
	for _, url := range []string{"ssh://git@example.org:2222" + dir, "git@example.org:" + dir} {
		r := open(t, url, Options{})
		require.Equal(t, map[string]string{"a.go": "package a\n"}, contents(t, r), url)
		require.Equal(t, url, r.Repo.URL)
	}
	args, err := os.ReadFile(filepath.Join(home, "args"))
	require.NoError(t, err)
	require.Contains(t, string(args), "git@example.org")
	require.Contains(t, string(args), "-p 2222")
}
