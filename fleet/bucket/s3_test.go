package bucket

import (
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/factfile"
)

// TestS3 speaks the protocol, with the vendor's own client, to a server on this machine.
func TestS3(t *testing.T) {
	srv := httptest.NewServer(gofakes3.New(s3mem.New(), gofakes3.WithAutoBucket(true)).Server())
	t.Cleanup(srv.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "x")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "y")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	query := url.Values{"region": {"us-east-1"}, "endpoint": {srv.URL}, "use_path_style": {"true"}}.Encode()
	s, err := Open(t.Context(), "s3://facts/runs/1?"+query)
	require.NoError(t, err)
	other, err := Open(t.Context(), "s3://facts/runs/2?"+query)
	require.NoError(t, err)

	name := factfile.Name("acme/pay")
	require.NoError(t, s.Put(t.Context(), name, []byte("one")))
	data, err := s.Get(t.Context(), name)
	require.NoError(t, err)
	require.Equal(t, "one", string(data))
	names, err := s.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{name}, names)
	names, err = other.List(t.Context())
	require.NoError(t, err)
	require.Empty(t, names, "each run has its own place")
	plan := "repositories" + factfile.PlanSuffix
	require.NoError(t, factfile.Create(t.Context(), s, plan, []byte("first")))
	require.NoError(t, factfile.Create(t.Context(), s, plan, []byte("second")))
	data, err = s.Get(t.Context(), plan)
	require.NoError(t, err)
	require.Equal(t, "first", string(data))
	_, err = other.Get(t.Context(), name)
	require.Error(t, err)
}
