package model

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTogether(t *testing.T) {
	layer := func(id string, n int64, envs ...string) *Layer {
		return &Layer{ID: id, At: Location{Repo: "r"}, Envs: envs, Policy: Policy{Attempts: Exactly(n)}}
	}
	ids := func(ls []*Layer) (out []string) {
		for _, l := range ls {
			out = append(out, l.ID)
		}
		return out
	}
	// 4 x 3 in one environment, 3 x 10 in the other.
	a, aStaging := layer("a", 4, "o:prod"), layer("a@staging", 3, "o:staging")
	b, bStaging := layer("b", 3, "o:prod"), layer("b@staging", 10, "o:staging")
	always := layer("c", 2)
	require.Equal(t, []string{"a@staging", "c", "b@staging"}, ids(Together([]*Layer{a, aStaging, always, b, bStaging})))
	require.Equal(t, []string{"a", "c"}, ids(Together([]*Layer{a, always})))
	require.Equal(t, []string{"a", "x"}, ids(Together([]*Layer{a, layer("x", 2, "other:staging")})), "sets have nothing to do with one another")

	away := layer("y", 9, "o:staging")
	away.EnvRepo = "deploy"
	require.Equal(t, []string{"a", "y"}, ids(Together([]*Layer{a, away})), "a set of another repository is another set")
	require.True(t, Apart(a, bStaging))
	require.False(t, Apart(a, b))
}
