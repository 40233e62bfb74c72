package scan_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/scan"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// demoRepositories turns the folders of the demo organisation into git repositories.
func demoRepositories(t *testing.T) []source.Repo {
	t.Helper()
	dir := t.TempDir()
	var args []string
	for _, name := range []string{"scheduler", "settle-service", "payout-gateway", "ledger"} {
		to := filepath.Join(dir, name)
		require.NoError(t, os.CopyFS(to, os.DirFS("../../testdata/payments/"+name)))
		for _, a := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"},
			{"-c", "user.name=t", "-c", "user.email=t@example.test", "commit", "-q", "-m", "x"}} {
			cmd := exec.Command("git", a...)
			cmd.Dir = to
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
		}
		args = append(args, to)
	}
	repos, err := source.Discover(args, source.Options{})
	require.NoError(t, err)
	return repos
}

func TestDemoOrganisation(t *testing.T) {
	res, err := scan.Run(t.Context(), scan.Options{Repos: demoRepositories(t)})
	require.NoError(t, err)
	require.Empty(t, res.Incomplete)
	require.Len(t, res.Repositories, 4)
	for _, r := range res.Repositories {
		require.NotEmpty(t, r.Commit)
		require.False(t, r.Dirty)
	}
	var c *model.ChainInfo
	for i := range res.Chains {
		if res.Chains[i].Attempts == "27" {
			c = &res.Chains[i]
		}
	}
	require.NotNil(t, c, "the chain of three layers")
	require.Equal(t, "2h6m36s", c.AutomaticDelay)
	require.Equal(t, "operator-rerun", c.LongestPath.Kind)
	require.Equal(t, "72h", c.LongestPath.Delay)
	require.Equal(t, "144h", c.RequiredWindow)
	delays := map[string]string{}
	for _, p := range c.Paths {
		delays[p.Kind] = p.Delay
	}
	require.Equal(t, map[string]string{"automatic": "2h6m36s", "dead-letter": "26h6m36s", "operator-rerun": "72h"}, delays)
	require.Len(t, c.Windows, 1)
	require.Equal(t, "short", c.Windows[0].Verdict)
	require.Equal(t, "120h", c.Windows[0].Shortfall)

	// Every factor has its repository, file and line, outermost first.
	places := map[string]string{}
	for _, l := range res.Layers {
		places[l.ID] = model.PlaceOf(l.Location()).Repository + "/" + l.Path
	}
	var way []string
	for _, id := range c.Layers {
		way = append(way, places[id])
	}
	require.Equal(t, []string{"scheduler/settle.yaml", "settle-service/main.go", "payout-gateway/ledger.go"}, way)

	rules := map[string]string{}
	for _, f := range res.Findings {
		rules[f.Rule] = f.Severity
	}
	require.Equal(t, "error", rules["window-too-short"])
	require.Equal(t, "warning", rules["stacked-retries"])
}

// TestTheSameBytes scans with different numbers of workers and orders of the arguments.
func TestTheSameBytes(t *testing.T) {
	repos := demoRepositories(t)
	dump := func(repos []source.Repo, jobs int) string {
		res, err := scan.Run(t.Context(), scan.Options{Repos: repos, Jobs: jobs})
		require.NoError(t, err)
		b, err := json.Marshal(res)
		require.NoError(t, err)
		return string(b)
	}
	want := dump(repos, 1)
	require.Equal(t, want, dump(repos, 4))
	require.Equal(t, want, dump([]source.Repo{repos[3], repos[1], repos[0], repos[2]}, 2))
}
