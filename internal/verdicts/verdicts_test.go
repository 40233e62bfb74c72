package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/rules"
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

// What is kept is about rules that exist and repositories of the list, one line a finding, sorted, with a reason.
func TestKeptVerdicts(t *testing.T) {
	known, err := readVerdicts("verdicts.tsv")
	require.NoError(t, err)
	require.NotEmpty(t, known)
	list, err := repositories("repositories.txt", "")
	require.NoError(t, err)
	commits := map[string]string{}
	for _, r := range list {
		commits[r.name] = short(r.commit)
	}
	for p, o := range known {
		_, ok := rules.Find(p.rule)
		require.True(t, ok, "%s: no such rule", p.rule)
		require.Equal(t, commits[p.repo], p.commit, p.repo)
		require.NotEmpty(t, o.reason, "%s %s:%d", p.repo, p.path, p.line)
		require.Len(t, o.fingerprint, 32, "%s %s:%d", p.repo, p.path, p.line)
	}

	b, err := os.ReadFile("verdicts.tsv")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")[1:]
	key := func(line string) []string {
		f := strings.Split(line, "\t")
		return []string{strings.ToLower(f[0]), f[0], f[2], f[3], fmt.Sprintf("%9s", f[4])}
	}
	require.True(t, slices.IsSortedFunc(lines, func(a, b string) int { return slices.Compare(key(a), key(b)) }), "not sorted")
}
