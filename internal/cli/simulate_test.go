package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

// With --simulate findings about keys say what the model of clients makes of them; the numbers of the chain are played.
func TestFindingsPrintTheirSimulation(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(goMod), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte(retrying("m")), 0o644))
	plain := func(args ...string) *model.FindingInfo {
		code, out, errs := call(t, append([]string{"scan", "--format", "json", "--cache", "off", "--fail-on", "never", "--only", "unkeyed-retry"}, append(args, dir)...)...)
		require.Zero(t, code, errs)
		var r model.Result
		require.NoError(t, json.Unmarshal([]byte(out), &r))
		require.Len(t, r.Findings, 1)
		return &r.Findings[0]
	}
	without, with := plain(), plain("--simulate")
	require.Nil(t, without.Simulated)
	require.NotContains(t, without.Message, "200 intents")
	require.Equal(t, &model.SimulatedInfo{Attempts: 3, Intents: 200, Lost: with.Simulated.Lost, Once: with.Simulated.Once, Duplicated: with.Simulated.Duplicated, Most: with.Simulated.Most}, with.Simulated)
	require.Equal(t, 200, with.Simulated.Lost+with.Simulated.Once+with.Simulated.Duplicated)
	require.Positive(t, with.Simulated.Duplicated)
	require.Contains(t, with.Message, "of 200 intents, ")
	require.Equal(t, without.Fingerprint, with.Fingerprint)
}
