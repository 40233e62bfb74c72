package extract

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every format has a public file on which it was tried; those for which none was found are named here.
func TestTrials(t *testing.T) {
	none := []string{"azure-functions", "cargo", "celery", "dagster", "linkerd-annotations", "prefect", "traefik-labels"}
	trials := Trials()
	require.Len(t, trials, strings.Count(triedTable, "\n"), "a line of tried.tsv has not four fields")
	var have []string
	for _, tr := range trials {
		require.Equal(t, 1, strings.Count(tr.Repository, "/"), tr)
		require.NotEmpty(t, tr.Path, tr)
		require.NotEmpty(t, tr.Seen, tr)
		have = append(have, tr.Format)
	}
	require.True(t, slices.IsSorted(have), "tried.tsv is not sorted")
	var names []string
	for _, f := range All() {
		names = append(names, f.Name)
		require.NotEqual(t, slices.Contains(have, f.Name), slices.Contains(none, f.Name), "%s", f.Name)
	}
	for _, h := range have {
		require.Contains(t, names, h)
	}
}
