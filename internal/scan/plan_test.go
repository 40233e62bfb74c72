package scan

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/factfile"
	"github.com/retrylint/retrylint/internal/source"
)

func TestShardsAreBalanced(t *testing.T) {
	var repos []source.Repo
	for i := range 40 {
		repos = append(repos, source.Repo{Name: fmt.Sprintf("r%02d", i), Weight: int64(1 + i%7)})
	}
	repos = append(repos, source.Repo{Name: "mono", Weight: 60}, source.Repo{Name: "new"})
	shards := Shards(repos, 4)
	require.Len(t, shards, len(repos))
	load := make([]int64, 4)
	for _, r := range repos {
		w := r.Weight
		if w == 0 {
			w = 5 // about the average
		}
		load[shards[r.Name]] += w
	}
	for _, l := range load {
		require.InDelta(t, 55, l, 8, "%v", load)
	}
	require.Equal(t, shards, Shards(append([]source.Repo{}, repos...), 4))

	for i := range repos {
		repos[i].Weight = 0
	}
	for name, i := range Shards(repos, 4) {
		require.Equal(t, ShardOf(name, 4), i, "without weights the name decides")
	}
}

func TestFirstListWins(t *testing.T) {
	store := factfile.Folder(t.TempDir())
	_, found, err := Planned(t.Context(), store)
	require.NoError(t, err)
	require.False(t, found)
	first := []source.Repo{{Name: "b", URL: "https://example.org/o/b", Kind: source.Remote, Group: "o", Head: "1", HeadTree: "2", Weight: 3}, {Name: "a", URL: "https://example.org/o/a", Kind: source.Remote}}
	got, err := Settle(t.Context(), store, first)
	require.NoError(t, err)
	require.Equal(t, []source.Repo{first[1], first[0]}, got)
	again, err := Settle(t.Context(), store, []source.Repo{{Name: "c"}})
	require.NoError(t, err)
	require.Equal(t, got, again)

	unread, all, err := Unread(t.Context(), store)
	require.NoError(t, err)
	require.Equal(t, 2, unread)
	require.False(t, all)
	names, err := store.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{planName}, names)
}

func TestWeightsComeFromAnEarlierRun(t *testing.T) {
	opt := payments(t)
	store := factfile.Folder(t.TempDir())
	require.NoError(t, MapToStore(t.Context(), opt, store, "x", 0, 0))
	repos, err := Weigh(t.Context(), store, append(opt.Repos, source.Repo{Name: "new", Weight: 1 << 30}))
	require.NoError(t, err)
	for _, r := range repos {
		require.Equal(t, r.Name != "new", r.Weight > 0, r.Name)
	}
	// What the first shard has settled holds for the second, which knows no weights.
	run := factfile.Folder(t.TempDir())
	opt.Repos = repos[:4]
	require.NoError(t, MapToStore(t.Context(), opt, run, "x", 0, 2))
	opt.Repos = payments(t).Repos
	require.NoError(t, MapToStore(t.Context(), opt, run, "x", 1, 2))
	facts, err := FromStore(t.Context(), run, nil)
	require.NoError(t, err)
	for _, f := range facts {
		require.Empty(t, f.Gaps, f.Repo.Name)
	}
}
