package forge

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// host is a server that answers as the test says, with a clock that only waits move.
type host struct {
	*httptest.Server
	mux   *http.ServeMux
	clock time.Time
	waits []time.Duration
	asked []string // method and path with query
	auth  []string
}

func newHost(t *testing.T) *host {
	h := &host{mux: http.NewServeMux(), clock: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.asked = append(h.asked, r.Method+" "+r.URL.RequestURI())
		h.auth = append(h.auth, r.Header.Get("Authorization"))
		h.mux.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *host) options() Options {
	return Options{Token: func(context.Context) (string, error) { return "s3cret", nil }, now: func() time.Time { return h.clock },
		Deadline: 1000 * time.Hour, // the context has the real clock
		sleep: func(_ context.Context, d time.Duration) error {
			h.waits = append(h.waits, d)
			h.clock = h.clock.Add(d)
			return nil
		}}
}

func (h *host) target(t *testing.T, kind Kind, owner string) Target {
	target, err := Parse(string(kind) + ":" + h.URL + "/" + owner)
	require.NoError(t, err)
	return target
}

func (h *host) list(t *testing.T, kind Kind, owner string) ([]Repository, error) {
	return List(t.Context(), h.target(t, kind, owner), h.options())
}

func paths(repos []Repository) (out []string) {
	for _, r := range repos {
		out = append(out, r.Path)
	}
	return out
}

// githubRepo has the fields of the REST API as they were recorded, those that are not read among them.
func githubRepo(name, more string) string {
	return fmt.Sprintf(`{"id": 1296269, "node_id": "MDEwOlJlcG9zaXRvcnkx", "name": %[1]q, "full_name": "acme/%[1]s", "private": true,
	 "owner": {"login": "acme", "id": 1, "type": "Organization"}, "html_url": "https://github.example/acme/%[1]s", "fork": false,
	 "clone_url": "https://github.example/acme/%[1]s.git", "ssh_url": "git@github.example:acme/%[1]s.git", "homepage": null, "size": 108,
	 "default_branch": "main", "topics": ["payments", "go"], "archived": false, "disabled": false, "visibility": "private",
	 "created_at": "2021-01-26T19:01:12Z", %[2]s}`, name, cmp.Or(more, `"pushed_at": "2026-10-26T19:06:43Z"`))
}

func TestGitHub(t *testing.T) {
	h := newHost(t)
	h.mux.HandleFunc("GET /api/v3/orgs/acme/repos", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("page") == "" {
			w.Header().Set("Link", fmt.Sprintf(`<%s/api/v3/organizations/1/repos?per_page=100&page=2>; rel="next", <%[1]s/api/v3/organizations/1/repos?page=2>; rel="last"`, h.URL))
			fmt.Fprintf(w, "[%s,%s]", githubRepo("pay", ""), githubRepo("edge", `"archived": true`))
		}
	})
	h.mux.HandleFunc("GET /api/v3/organizations/1/repos", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "[%s,%s,%s]", githubRepo("edge", `"archived": true`), githubRepo("ledger", `"fork": true`), githubRepo("new", `"pushed_at": null`))
	})
	calls := 0
	h.mux.HandleFunc("POST /api/graphql", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Query     string
			Variables struct {
				Owner string
				After *string
			}
		}
		require.NoError(t, json.NewDecoder(r.Body).Decode(&body))
		require.Equal(t, "acme", body.Variables.Owner)
		if calls++; calls == 1 {
			require.Nil(t, body.Variables.After)
			fmt.Fprint(w, `{"data":{"repositoryOwner":{"repositories":{"pageInfo":{"hasNextPage":true,"endCursor":"Y3Vyc29y"},"nodes":[
			 {"nameWithOwner":"acme/pay","defaultBranchRef":{"target":{"oid":"1111111111111111111111111111111111111111","tree":{"oid":"2222222222222222222222222222222222222222"}}}},
			 {"nameWithOwner":"acme/new","defaultBranchRef":null}]}}}}`)
			return
		}
		require.Equal(t, "Y3Vyc29y", *body.Variables.After)
		fmt.Fprint(w, `{"data":{"repositoryOwner":{"repositories":{"pageInfo":{"hasNextPage":false,"endCursor":"eA"},"nodes":[
		 {"nameWithOwner":"acme/edge","defaultBranchRef":{"target":{"oid":"3333333333333333333333333333333333333333","tree":{"oid":"4444444444444444444444444444444444444444"}}}}]}}}}`)
	})
	repos, err := h.list(t, GitHub, "acme")
	require.NoError(t, err)
	require.Equal(t, []string{"acme/edge", "acme/ledger", "acme/new", "acme/pay"}, paths(repos), "sorted, each once")
	require.Equal(t, Repository{Path: "acme/pay", CloneURL: "https://github.example/acme/pay.git", Branch: "main",
		Commit: strings.Repeat("1", 40), Tree: strings.Repeat("2", 40), Topics: []string{"payments", "go"},
		Pushed: time.Date(2026, 10, 26, 19, 6, 43, 0, time.UTC), Kilobytes: 108}, repos[3])
	require.True(t, repos[0].Archived)
	require.True(t, repos[1].Fork)
	require.True(t, repos[2].Pushed.IsZero())
	require.Equal(t, 2, calls)
	for i, a := range h.auth {
		require.Equal(t, "Bearer s3cret", a)
		require.NotContains(t, h.asked[i], "s3cret")
	}
	require.Empty(t, h.waits)
}

func TestHeadsAreNoCondition(t *testing.T) {
	h := newHost(t)
	h.mux.HandleFunc("GET /api/v3/orgs/acme/repos", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "[%s]", githubRepo("pay", "")) })
	posts := 0
	h.mux.HandleFunc("POST /api/graphql", func(w http.ResponseWriter, r *http.Request) {
		posts++
		w.WriteHeader(http.StatusBadGateway)
	})
	var said []string
	opt := h.options()
	opt.Notice = func(s string) { said = append(said, s) }
	repos, err := List(t.Context(), h.target(t, GitHub, "acme"), opt)
	require.NoError(t, err)
	require.Len(t, repos, 1)
	require.Empty(t, repos[0].Commit)
	require.Equal(t, 1, posts, "a POST is not sent again")
	require.Len(t, said, 1)
	require.Contains(t, said[0], "502")
}

func TestGitHubUser(t *testing.T) {
	h := newHost(t)
	h.mux.HandleFunc("GET /api/v3/users/jo/repos", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "[%s]", githubRepo("pay", "")) })
	repos, err := h.list(t, GitHub, "jo")
	require.NoError(t, err)
	require.Len(t, repos, 1)
	_, err = h.list(t, GitHub, "nobody")
	require.ErrorContains(t, err, "404 Not Found")
	require.ErrorContains(t, err, "the token does not see it")
}

func TestGitLab(t *testing.T) {
	h := newHost(t)
	h.mux.HandleFunc("GET /api/v4/groups/{group}/projects", func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "acme/core", r.PathValue("group"))
		require.Equal(t, "true", r.URL.Query().Get("include_subgroups"))
		if r.URL.Query().Get("page") == "2" {
			fmt.Fprint(w, `[{"id":7,"path_with_namespace":"acme/core/pay/ledger","http_url_to_repo":"https://gitlab.example/acme/core/pay/ledger.git","default_branch":"trunk",
			 "archived":false,"empty_repo":false,"topics":["ledger"],"tag_list":["ledger"],"last_activity_at":"2026-11-01T10:00:00.000Z",
			 "forked_from_project":{"id":3,"path_with_namespace":"other/ledger"},"repository_access_level":"enabled"},
			 {"id":8,"path_with_namespace":"acme/core/wiki","http_url_to_repo":"https://gitlab.example/acme/core/wiki.git","repository_access_level":"disabled"}]`)
			return
		}
		w.Header().Set("X-Total", "3")
		w.Header().Set("Link", fmt.Sprintf(`<%s/api/v4/groups/acme%%2Fcore/projects?include_subgroups=true&page=2>; rel="next"`, h.URL))
		fmt.Fprint(w, `[{"id":5,"path_with_namespace":"acme/core/empty","http_url_to_repo":"https://gitlab.example/acme/core/empty.git","default_branch":null,"archived":true,"empty_repo":true}]`)
	})
	repos, err := h.list(t, GitLab, "acme/core")
	require.NoError(t, err)
	require.Equal(t, []string{"acme/core/empty", "acme/core/pay/ledger"}, paths(repos))
	require.True(t, repos[0].Empty && repos[0].Archived && !repos[0].Fork)
	require.True(t, repos[1].Fork)
	require.Equal(t, "acme/core/pay", repos[1].Owner())
	require.Equal(t, "ledger", repos[1].Name())
	require.Equal(t, "trunk", repos[1].Branch)
}

func TestGitea(t *testing.T) {
	h := newHost(t)
	total := "3"
	h.mux.HandleFunc("GET /api/v1/orgs/acme/repos", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Total-Count", total)
		if r.URL.Query().Get("page") == "1" {
			w.Header().Set("Link", fmt.Sprintf(`<%s/api/v1/orgs/acme/repos?limit=50&page=2>; rel="next",<%[1]s/api/v1/orgs/acme/repos?limit=50&page=2>; rel="last"`, h.URL))
			fmt.Fprint(w, `[{"id":1,"full_name":"acme/a","clone_url":"https://gitea.example/acme/a.git","default_branch":"main","empty":false,"size":24,"updated_at":"2026-02-03T04:05:06+01:00","topics":[]},
			 {"id":2,"full_name":"acme/b","clone_url":"https://gitea.example/acme/b.git","default_branch":"main","empty":true,"archived":true}]`)
			return
		}
		fmt.Fprint(w, `[{"id":3,"full_name":"acme/c","clone_url":"https://gitea.example/acme/c.git","fork":true}]`)
	})
	repos, err := h.list(t, Gitea, "acme")
	require.NoError(t, err)
	require.Equal(t, []string{"acme/a", "acme/b", "acme/c"}, paths(repos))
	total = "4"
	_, err = h.list(t, Gitea, "acme")
	require.ErrorContains(t, err, "ended after 3 of 4", "a part is not taken for the whole")
}

// failing answers a listing with some failures before it succeeds.
func failing(h *host, failures ...func(http.ResponseWriter)) {
	n := 0
	h.mux.HandleFunc("GET /api/v1/orgs/acme/repos", func(w http.ResponseWriter, r *http.Request) {
		if n++; n <= len(failures) {
			failures[n-1](w)
			return
		}
		fmt.Fprint(w, `[{"full_name":"acme/a","clone_url":"https://gitea.example/acme/a.git"}]`)
	})
}

func status(code int, body string, headers ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

func TestFailuresThatPass(t *testing.T) {
	h := newHost(t)
	failing(h, status(502, ""), status(503, "busy"), status(500, `{"message":"x"}`), func(http.ResponseWriter) { panic(http.ErrAbortHandler) })
	repos, err := h.list(t, Gitea, "acme")
	require.NoError(t, err)
	require.Len(t, repos, 1)
	require.GreaterOrEqual(t, len(h.waits), 3) // net/http itself asks again where a kept connection breaks before an answer
	for i, w := range h.waits {
		require.LessOrEqual(t, w, time.Second<<i, "the wait grows no faster than it should")
	}
}

func TestAttemptsAreBounded(t *testing.T) {
	h := newHost(t)
	failing(h, status(502, ""), status(502, ""), status(502, ""), status(502, ""), status(502, ""), status(502, ""))
	_, err := h.list(t, Gitea, "acme")
	require.ErrorContains(t, err, "502")
	require.ErrorContains(t, err, "5 attempts")
	require.Len(t, h.asked, 5)
}

func TestJitterIsFull(t *testing.T) {
	c := newClient(Target{Kind: Gitea, Base: "https://x"}, Options{})
	low, high := time.Hour, time.Duration(0)
	for range 500 {
		w, again := c.wait(40, nil, fmt.Errorf("no answer"))
		require.True(t, again)
		low, high = min(low, w), max(high, w)
	}
	require.Less(t, low, 3*time.Second)
	require.Greater(t, high, 27*time.Second)
	require.LessOrEqual(t, high, 30*time.Second)
}

func TestRateLimits(t *testing.T) {
	for name, tc := range map[string]struct {
		fail func(now time.Time) func(http.ResponseWriter)
		low  time.Duration
	}{
		"429 with seconds": {func(time.Time) func(http.ResponseWriter) { return status(429, "", "Retry-After", "90") }, 90 * time.Second},
		"429 with a date": {func(now time.Time) func(http.ResponseWriter) {
			return status(429, "", "Retry-After", now.Add(2*time.Minute).Format(http.TimeFormat))
		}, 2 * time.Minute},
		"503 with seconds": {func(time.Time) func(http.ResponseWriter) { return status(503, "", "Retry-After", "20") }, 20 * time.Second},
		"403, none left, reset": {func(now time.Time) func(http.ResponseWriter) {
			return status(403, `{"message":"API rate limit exceeded for user ID 1."}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", strconv.FormatInt(now.Add(10*time.Minute).Unix(), 10))
		}, 10 * time.Minute},
		"403, secondary limit in words": {func(time.Time) func(http.ResponseWriter) {
			return status(403, `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}`)
		}, time.Minute},
		"429, GitLab's names": {func(now time.Time) func(http.ResponseWriter) {
			return status(429, "Retry later", "RateLimit-Remaining", "0", "RateLimit-Reset", strconv.FormatInt(now.Add(30*time.Second).Unix(), 10))
		}, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			failing(h, tc.fail(h.clock))
			repos, err := h.list(t, Gitea, "acme")
			require.NoError(t, err)
			require.Len(t, repos, 1)
			require.Len(t, h.waits, 1)
			require.GreaterOrEqual(t, h.waits[0], tc.low)
			require.LessOrEqual(t, h.waits[0], tc.low+time.Second, "what the server asked for, and the jitter")
		})
	}
}

func TestWhatIsNotSentAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		fail func(http.ResponseWriter)
		want string
	}{
		"wrong token":          {status(401, `{"message":"Bad credentials"}`), "401 Unauthorized: Bad credentials"},
		"forbidden":            {status(403, `{"message":"Resource not accessible by integration"}`), "not accessible"},
		"a wait that is long":  {status(429, "", "Retry-After", "7200"), "429"},
		"a wait without limit": {status(429, "", "Retry-After", "99999999999999"), "429"},
		"no JSON":              {status(200, "<html>"), "not what was expected"},
		"an object":            {status(200, `{"message":"maintenance"}`), "not what was expected"},
		"another host":         {status(302, "", "Location", "https://evil.example/x"), "another host"},
		"next page elsewhere":  {status(200, "[]", "Link", `<https://evil.example/x>; rel="next"`), "another host"},
		"next page in circles": {status(200, "[]", "Link", `<?limit=50&page=1>; rel="next"`), "circles"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			failing(h, tc.fail)
			_, err := h.list(t, Gitea, "acme")
			require.ErrorContains(t, err, tc.want)
			require.ErrorContains(t, err, "list gitea:"+h.URL+"/acme")
			require.Empty(t, h.waits)
		})
	}
}

func TestListingHasADeadline(t *testing.T) {
	h := newHost(t)
	failing(h, status(429, "", "Retry-After", "600"))
	opt := h.options()
	opt.Deadline = time.Minute
	opt.now = time.Now
	_, err := List(t.Context(), h.target(t, Gitea, "acme"), opt)
	require.ErrorContains(t, err, "too late")
	require.Empty(t, h.waits)
}

func TestSecretsStayOutOfMessages(t *testing.T) {
	h := newHost(t)
	failing(h, status(401, `{"message":"token s3cret is revoked"}`))
	_, err := h.list(t, Gitea, "acme")
	require.ErrorContains(t, err, "token *** is revoked")
	require.NotContains(t, err.Error(), "s3cret")
}

func TestApp(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	for _, block := range []*pem.Block{{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}, {Type: "PRIVATE KEY", Bytes: pkcs8}} {
		h := newHost(t)
		made := 0
		h.mux.HandleFunc("GET /api/v3/orgs/acme/installation", func(w http.ResponseWriter, r *http.Request) {
			require.Len(t, strings.Split(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), "."), 3)
			fmt.Fprint(w, `{"id": 42, "account": {"login": "acme"}}`)
		})
		h.mux.HandleFunc("POST /api/v3/app/installations/42/access_tokens", func(w http.ResponseWriter, r *http.Request) {
			made++
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, `{"token": "ghs_%d", "expires_at": %q}`, made, h.clock.Add(time.Hour).Format(time.RFC3339))
		})
		app, err := NewApp("1234", pem.EncodeToMemory(block))
		require.NoError(t, err)
		target := h.target(t, GitHub, "acme")
		for range 2 {
			token, err := app.Token(t.Context(), target, h.options())
			require.NoError(t, err)
			require.Equal(t, "ghs_1", token)
		}
		h.clock = h.clock.Add(56 * time.Minute)
		token, err := app.Token(t.Context(), target, h.options())
		require.NoError(t, err)
		require.Equal(t, "ghs_2", token, "a token that is about to end is not used")
	}
	_, err = NewApp("1", bytes.Repeat([]byte("x"), 100))
	require.Error(t, err)
}

func TestParse(t *testing.T) {
	for arg, want := range map[string]Target{
		"github:acme":                              {GitHub, "https://github.com", "acme"},
		"github:https://ghe.example.org/acme":      {GitHub, "https://ghe.example.org", "acme"},
		"gitlab:acme/core/pay":                     {GitLab, "https://gitlab.com", "acme/core/pay"},
		"gitea:https://git.example.org:3000/acme/": {Gitea, "https://git.example.org:3000", "acme"},
		"gitlab:http://127.0.0.1:8080/acme/core":   {GitLab, "http://127.0.0.1:8080", "acme/core"},
	} {
		got, err := Parse(arg)
		require.NoError(t, err, arg)
		require.Equal(t, want, got, arg)
		again, err := Parse(got.String())
		require.NoError(t, err, arg)
		require.Equal(t, got, again)
	}
	for _, arg := range []string{"github:", "github:a/b", "gitea:acme", "gitea:http://git.example.org/acme", "gitlab:https://user:pass@git.example.org/x",
		"gitlab:a//b", "gitlab:../x", "github:a b", "github:a?x=1", "gitea:ftp://x/y", "gitea:https://x/y?token=z", "bitbucket:acme", "github:https://"} {
		_, err := Parse(arg)
		require.Error(t, err, arg)
		require.NotContains(t, err.Error(), "pass@")
	}
	require.False(t, Is("https://github.com/acme/pay"))
	require.False(t, Is("git@github.com:acme/pay"))
}

func TestFilter(t *testing.T) {
	r := Repository{Path: "acme/pay-api", Topics: []string{"go"}, Pushed: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}
	for why, f := range map[string][]Filter{
		"": {{}, {Topics: []string{"x", "go"}}, {Names: []string{"ledger", "Pay-*"}}, {Names: []string{"acme/*"}}, {Without: []string{"edge"}},
			{PushedSince: time.Date(2026, 4, 30, 0, 0, 0, 0, time.UTC)}},
		"topic":      {{Topics: []string{"x"}}},
		"name":       {{Names: []string{"ledger"}}, {Without: []string{"*-api"}}, {Names: []string{"other/*"}}},
		"not pushed": {{PushedSince: time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC)}},
	} {
		for _, f := range f {
			require.NoError(t, f.Check())
			require.Equal(t, why, f.Why(r), "%+v", f)
		}
	}
	r.Archived = true
	require.Equal(t, "archived", Filter{}.Why(r))
	r.Archived, r.Fork, r.Pushed = false, true, time.Time{}
	require.Equal(t, "fork", Filter{}.Why(r))
	require.Empty(t, Filter{Forks: true, PushedSince: time.Now()}.Why(r), "unknown is no reason to leave out")
	require.Error(t, Filter{Names: []string{"[a"}}.Check())
}
