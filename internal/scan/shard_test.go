package scan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/factfile"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

func payments(t *testing.T) Options {
	t.Helper()
	dirs, err := filepath.Glob("../../testdata/payments/*")
	require.NoError(t, err)
	repos, err := source.Discover(dirs, source.Options{})
	require.NoError(t, err)
	require.Len(t, repos, 4)
	return Options{Repos: repos, Version: "test"}
}

func asJSON(t *testing.T, r *model.Result) string {
	t.Helper()
	data, err := json.MarshalIndent(r, "", " ")
	require.NoError(t, err)
	return string(data)
}

func reduced(t *testing.T, store factfile.Store, opt Options) string {
	t.Helper()
	facts, err := FromStore(t.Context(), store, nil)
	require.NoError(t, err)
	return asJSON(t, Reduce(facts, opt))
}

func TestShardsEqualOneRun(t *testing.T) {
	opt := payments(t)
	whole, err := Run(t.Context(), opt)
	require.NoError(t, err)
	want := asJSON(t, whole)
	for _, n := range []int{1, 2, 7} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			store := factfile.Folder(t.TempDir())
			for i := n - 1; i >= 0; i-- { // any order
				require.NoError(t, MapToStore(t.Context(), opt, store, "x", i, n))
			}
			require.Equal(t, want, reduced(t, store, opt))
			require.NoError(t, MapToStore(t.Context(), opt, store, "x", 0, n), "twice is harmless")
			require.Equal(t, want, reduced(t, store, opt))
		})
	}
}

func TestShardResumes(t *testing.T) {
	opt := payments(t)
	dir := t.TempDir()
	store := factfile.Folder(dir)
	require.NoError(t, MapToStore(t.Context(), opt, store, "x", 0, 0))
	want := reduced(t, store, opt)
	read := func() (names []string) {
		o := opt
		o.Events = func(e Event) {
			require.Nil(t, e.Facts, "facts go to the store alone")
			if e.Kind == "done" {
				names = append(names, e.Repo)
			}
		}
		require.NoError(t, MapToStore(t.Context(), o, store, "x", 0, 0))
		return names
	}
	require.Empty(t, read(), "what is there is not read again")

	// One file is gone, one is cut off, as a store without renames may leave it.
	ledger, gateway := filepath.Join(dir, factfile.Name("ledger")), filepath.Join(dir, factfile.Name("payout-gateway"))
	require.NoError(t, os.Remove(ledger))
	data, err := os.ReadFile(gateway)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(gateway, data[:len(data)/2], 0o644))
	_, err = FromStore(t.Context(), store, nil)
	require.ErrorIs(t, err, factfile.ErrUnfinished, "a file that is cut off is not taken for the whole")
	require.ElementsMatch(t, []string{"ledger", "payout-gateway"}, read())
	require.Equal(t, want, reduced(t, store, opt))

	// Another build does not take the facts for its own.
	o, n := opt, 0
	o.Events = func(e Event) {
		if e.Kind == "done" {
			n++
		}
	}
	require.NoError(t, MapToStore(t.Context(), o, store, "y", 0, 0))
	require.Equal(t, 4, n)
}

func TestMissingShardIsAGap(t *testing.T) {
	opt := payments(t)
	store := factfile.Folder(t.TempDir())
	const n = 4
	require.NoError(t, MapToStore(t.Context(), opt, store, "x", 0, n))
	facts, err := FromStore(t.Context(), store, []source.Repo{{Name: "never-planned"}})
	require.NoError(t, err)
	missing := map[string]bool{}
	for _, g := range Reduce(facts, opt).Incomplete {
		require.Equal(t, "facts", g.Stage)
		missing[g.Repository] = true
	}
	require.True(t, missing["never-planned"])
	for _, r := range opt.Repos {
		require.Equal(t, ShardOf(r.Name, n) != 0, missing[r.Name], r.Name)
	}
}

// fullStore cannot be written to.
type fullStore struct{ factfile.Folder }

var errFull = errors.New("disk full")

func (s fullStore) Put(ctx context.Context, name string, data []byte) error {
	if filepath.Ext(name) == ".json" {
		return s.Folder.Put(ctx, name, data)
	}
	return errFull
}

func TestStoreThatFailsEndsTheWork(t *testing.T) {
	err := MapToStore(t.Context(), payments(t), fullStore{factfile.Folder(t.TempDir())}, "x", 0, 0)
	require.ErrorIs(t, err, errFull)
}

func TestRepositoryThatCannotBeOpenedIsTriedAgain(t *testing.T) {
	opt := payments(t)
	gone := filepath.Join(t.TempDir(), "gone")
	opt.Repos = append(opt.Repos, source.Repo{Name: "gone", Dir: gone, Kind: source.Bare})
	store := factfile.Folder(t.TempDir())
	require.NoError(t, MapToStore(t.Context(), opt, store, "x", 0, 0))
	facts, err := FromStore(t.Context(), store, nil)
	require.NoError(t, err)
	r := Reduce(facts, opt)
	require.Len(t, r.Incomplete, 1)
	require.Equal(t, "open", r.Incomplete[0].Stage)
	tried := 0
	opt.Events = func(e Event) {
		if e.Kind == "failed" {
			tried++
		}
	}
	require.NoError(t, MapToStore(t.Context(), opt, store, "x", 0, 0))
	require.Equal(t, 1, tried)
}
