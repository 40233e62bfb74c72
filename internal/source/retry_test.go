package source

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// flaky answers the first requests with a status, the others like the server behind it.
func flaky(t *testing.T, behind string, status int, failures int32) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	u, err := url.Parse(behind)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(u)
	var n atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) <= failures {
			w.WriteHeader(status)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv, &n
}

func TestFetchIsTriedAgain(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		root := tempDir(t)
		initRepo(t, filepath.Join(root, "pay"), "a.go", "package a\n")
		back := gitServer(t, root, "")
		opt.TempDir = tempDir(t)

		srv, _ := flaky(t, back.URL, http.StatusServiceUnavailable, 1)
		r := open(t, srv.URL+"/pay/.git", opt)
		require.Equal(t, map[string]string{"a.go": "package a\n"}, contents(t, r))
		require.NoError(t, r.Close())

		srv, n := flaky(t, back.URL, http.StatusNotFound, 100)
		_, err := Open(t.Context(), Repo{URL: srv.URL + "/pay/.git", Kind: Remote}, opt)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "attempts")
		asked := n.Load()

		srv, n = flaky(t, back.URL, http.StatusBadGateway, 100)
		_, err = Open(t.Context(), Repo{URL: srv.URL + "/pay/.git", Kind: Remote}, opt)
		require.ErrorContains(t, err, "3 attempts")
		require.Equal(t, 3*min(asked, 1), n.Load(), "one request for each attempt")
		require.Empty(t, leftOver(t, opt.TempDir))
	})
}

func TestHead(t *testing.T) {
	root := tempDir(t)
	initRepo(t, filepath.Join(root, "pay"), "a.go", "package a\n")
	gitRun(t, root, "init", "-q", "empty")
	srv := gitServer(t, root, "secret")
	host, err := url.Parse(srv.URL)
	require.NoError(t, err)
	opt := Options{Tokens: map[string]Token{host.Host: {Secret: "secret"}}}
	repo := Repo{URL: srv.URL + "/pay/.git", Kind: Remote}
	want := gitRun(t, filepath.Join(root, "pay"), "rev-parse", "HEAD")
	got, err := Head(t.Context(), repo, opt)
	require.NoError(t, err)
	require.Equal(t, want, got)

	_, err = Head(t.Context(), repo, Options{})
	require.Error(t, err, "the server wants a token")
	got, err = Head(t.Context(), Repo{URL: srv.URL + "/empty/.git", Kind: Remote}, opt)
	require.NoError(t, err)
	require.Empty(t, got)
	repo.Ref = "v1"
	got, err = Head(t.Context(), repo, Options{})
	require.NoError(t, err)
	require.Empty(t, got, "a name is for the fetch to resolve")
}

func TestParseURLTakesNothingOfThisMachine(t *testing.T) {
	for _, addr := range []string{"file:///etc", "/etc", "ssh://git@example.org/x", "git@example.org:x", "ext::sh -c x", "https://u:p@example.org/x", "HTTPS://"} {
		_, err := ParseURL(addr)
		require.Error(t, err, addr)
		require.NotContains(t, err.Error(), "u:p")
	}
	r, err := ParseURL("https://example.org/team/pay.git")
	require.NoError(t, err)
	require.Equal(t, Repo{Name: "pay", URL: "https://example.org/team/pay.git", Kind: Remote}, r)
}

func TestKnownRevisionIsNotListed(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		dir := newRepo(t, "a.go", "package a\n")
		bare := bareOf(t, dir)
		want := open(t, bare, opt)
		require.Len(t, want.Files(), 1)
		for _, answer := range []bool{true, false} {
			asked := 0
			opt.Known = func(r *Revision) bool {
				asked++
				require.Equal(t, [2]string{want.Commit, want.Tree}, [2]string{r.Commit, r.Tree})
				return answer
			}
			r := open(t, bare, opt)
			require.Equal(t, 1, asked)
			require.Equal(t, answer, len(r.Files()) == 0)
			require.Equal(t, want.Repo.URL, r.Repo.URL)
		}
	})
}
