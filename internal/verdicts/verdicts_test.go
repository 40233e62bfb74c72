package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadVerdicts(t *testing.T) {
	const head = "repository\tcommit\trule\tpath\tline\tfingerprint\tverdict\treason\n"
	const row = "acme/pay\t0123456789ab\tno-backoff\tmain.go\t7\tf1\tright\tthe loop spins\n"
	read := func(text string) (map[place]opinion, error) {
		file := filepath.Join(t.TempDir(), "verdicts.tsv")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		return readVerdicts(file)
	}

	got, err := read(head + row)
	require.NoError(t, err)
	require.Equal(t, map[place]opinion{{"acme/pay", "0123456789ab", "no-backoff", "main.go", 7}: {"f1", "right", "the loop spins"}}, got)

	none, err := readVerdicts(filepath.Join(t.TempDir(), "nothing"))
	require.NoError(t, err)
	require.Empty(t, none)

	for text, want := range map[string]string{
		head + row + row: "a second verdict on the same finding",
		head + "acme/pay\t0123456789ab\tno-backoff\tmain.go\t7\tf1\tperhaps\t\n": `verdict "perhaps"`,
		head + "acme/pay\tno-backoff\n":                                          "2 columns, not 8",
	} {
		_, err := read(text)
		require.ErrorContains(t, err, want)
	}
}
