package main

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"
)

// TestBucket has shards and the reduce step meet in a bucket, with the cache in another one: the next run fetches nothing.
func TestBucket(t *testing.T) {
	f := newFleet(t)
	close(f.hold)
	srv := httptest.NewServer(gofakes3.New(s3mem.New(), gofakes3.WithAutoBucket(true)).Server())
	t.Cleanup(srv.Close)
	query := "?" + url.Values{"region": {"us-east-1"}, "endpoint": {srv.URL}, "use_path_style": {"true"}}.Encode()
	env := []string{"AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=y", "AWS_EC2_METADATA_DISABLED=true"}
	want := f.single(t)
	for run := range 2 {
		facts := fmt.Sprintf("s3://fleet/runs/%d%s", run, query)
		for i := range 2 {
			f.run(t, 0, env, "scan", "--manifest", f.manifest, "--cache", "s3://fleet/cache"+query, "--shard", fmt.Sprintf("%d/2", i), "--facts", facts)
		}
		f.run(t, 3, env, "reduce", "--facts", facts, "--fail-on", "never", "--format", "json", "--output", f.path("reduced.json"))
		require.Equal(t, want, read(t, f.path("reduced.json")))
		if run == 0 {
			require.EqualValues(t, len(f.names)-1, f.fetches.Swap(0)-int32(len(f.names)-1), "once by the single run, once by the shards")
		}
	}
	require.Zero(t, f.fetches.Load(), "what has not changed is not fetched; the poisoned repository fails before a fetch")
}
