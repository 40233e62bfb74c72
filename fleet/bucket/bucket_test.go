package bucket

import (
	"context"
	"fmt"
	"io/fs"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gocloud.dev/blob/fileblob"

	"github.com/retrylint/retrylint/internal/factfile"
)

func TestStores(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) factfile.Store{
		"folder": func(t *testing.T) factfile.Store {
			s, err := Open(t.Context(), "file://"+t.TempDir())
			require.NoError(t, err)
			return s
		},
		"memory": func(t *testing.T) factfile.Store {
			s, err := Open(t.Context(), "mem://x/runs/1")
			require.NoError(t, err)
			return s
		},
		"files": func(t *testing.T) factfile.Store {
			b, err := fileblob.OpenBucket(t.TempDir(), &fileblob.Options{Metadata: fileblob.MetadataDontWrite})
			require.NoError(t, err)
			return Of(b)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, s := t.Context(), open(t)
			names, err := s.List(ctx)
			require.NoError(t, err)
			require.Empty(t, names)
			_, err = s.Get(ctx, factfile.Name("gone"))
			require.ErrorIs(t, err, fs.ErrNotExist)
			want := []string{factfile.Name("acme/Pay API"), factfile.Name("ledger")}
			for _, n := range want {
				require.NoError(t, s.Put(ctx, n, []byte("one")))
				require.NoError(t, s.Put(ctx, n, []byte("two")), "putting again replaces")
			}
			names, err = s.List(ctx)
			require.NoError(t, err)
			require.ElementsMatch(t, want, names)
			data, err := s.Get(ctx, want[0])
			require.NoError(t, err)
			require.Equal(t, "two", string(data))
			for _, bad := range []string{"", "x", "../x.facts.gz", "a/b.facts.gz"} {
				require.Error(t, s.Put(ctx, bad, nil), bad)
			}
			onlyOneCreates(t, ctx, s)
		})
	}
}

// onlyOneCreates lets several programs put the same name at once.
func onlyOneCreates(t *testing.T, ctx context.Context, s factfile.Store) {
	name := "repositories" + factfile.PlanSuffix
	var group sync.WaitGroup
	seen := make([]string, 8)
	for i := range seen {
		group.Go(func() {
			if err := factfile.Create(ctx, s, name, fmt.Appendf(nil, "%d", i)); err != nil {
				t.Error(err)
				return
			}
			data, err := s.Get(ctx, name)
			if err != nil {
				t.Error(err)
			}
			seen[i] = string(data)
		})
	}
	group.Wait()
	for _, v := range seen {
		require.Equal(t, seen[0], v, "whoever comes later sees what won")
	}
}

func TestAddresses(t *testing.T) {
	for _, location := range []string{"s3://key:secret@bucket/x", "gs://a:b@bucket", "s3://bucket/x?prefix=y", "ftp://x", "", "s3://bu%zzcket"} {
		_, err := Open(t.Context(), location)
		require.Error(t, err, location)
		require.NotContains(t, err.Error(), "secret")
	}
}
