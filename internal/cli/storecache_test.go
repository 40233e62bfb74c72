package cli

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/factfile"
)

func TestCacheInAStore(t *testing.T) {
	dir := t.TempDir()
	c, err := openCache(t.Context(), request{Cache: "file://" + filepath.ToSlash(dir)})
	require.NoError(t, err)
	_, ok := c.Get("k")
	require.False(t, ok)
	require.False(t, c.Has("k"))
	c.Put("k", []byte("facts"))
	got, ok := c.Get("k")
	require.True(t, ok)
	require.Equal(t, "facts", string(got))
	require.True(t, c.Has("k"))
	c.trim() // nothing to do, and no harm

	// Facts of shards may lie in the same place: entries of a cache are not taken for some.
	names, err := factfile.Folder(dir).List(t.Context())
	require.NoError(t, err)
	require.Empty(t, names)
}

func TestNamesOfRuns(t *testing.T) {
	for run, want := range map[string]string{"retrylint-scan-29387520": "facts/29387520/x", "2026-11-30": "facts/2026-11-30/x", "nightly": "facts/nightly/x"} {
		got, err := (&app{env: map[string]string{"RETRYLINT_RUN": run}}).inRun("facts/{run}/x")
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := (&app{}).inRun("facts/{run}")
	require.True(t, errors.As(err, new(usageError)))
	got, err := (&app{}).inRun("facts")
	require.NoError(t, err)
	require.Equal(t, "facts", got)
}

func TestShardOfAnIndexedJob(t *testing.T) {
	var req request
	a := &app{env: map[string]string{"JOB_COMPLETION_INDEX": "3"}}
	require.NoError(t, a.parseShard("index/4", &req))
	require.Equal(t, [2]int{3, 4}, [2]int{req.Shard, req.Shards})
	require.ErrorContains(t, a.parseShard("index/3", &req), `"3/3"`)
	a.env = nil
	require.ErrorContains(t, a.parseShard("index/4", &req), "JOB_COMPLETION_INDEX")
}

func TestTokensOfHosts(t *testing.T) {
	got := tokens(map[string]string{"GH_ENTERPRISE_TOKEN": "e", "GH_HOST": "ghe.example.org", "GITLAB_TOKEN": "l", "GITLAB_HOST": "https://gitlab.example.org/", "GITEA_TOKEN": "g"})
	require.Len(t, got, 2)
	require.Equal(t, "e", got["ghe.example.org"].Secret)
	require.Equal(t, "l", got["gitlab.example.org"].Secret)

	for targets, want := range map[string]string{"gitea:https://a.example.org/x": "a.example.org", "gitea:https://a.example.org/x gitea:https://b.example.org/x": ""} {
		l := &listing{}
		_, err := l.check(&app{env: map[string]string{"GITEA_TOKEN": "g"}}, splitWords(targets))
		if want == "" {
			require.ErrorContains(t, err, "GITEA_HOST")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "g", l.Tokens[want].Secret)
	}
	l := &listing{}
	_, err := l.check(&app{env: map[string]string{"GITEA_TOKEN": "g", "GITEA_HOST": "b.example.org"}}, []string{"gitea:https://a.example.org/x"})
	require.NoError(t, err)
	require.Empty(t, l.Tokens["a.example.org"].Secret, "the token has a host of its own")
	require.NotContains(t, l.Tokens["b.example.org"].String(), "g")
}
