package scan_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/retrylint/retrylint/internal/scan"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// scanArchive scans a repository given as txtar.
func scanArchive(t *testing.T, name string) *model.Result {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", "rendered", name))
	require.NoError(t, err)
	dir := t.TempDir()
	for _, f := range a.Files {
		p := filepath.Join(dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, f.Data, 0o644))
	}
	res, err := scan.Run(t.Context(), scan.Options{Repos: []source.Repo{{Name: "r", Dir: dir}}, Verbose: true})
	require.NoError(t, err)
	return res
}

type layerAt struct {
	attempts model.Number
	path     string
	line     int
	envs     []string
}

func layersOf(res *model.Result) []layerAt {
	var out []layerAt
	for _, l := range res.Layers {
		out = append(out, layerAt{l.Attempts, l.Path, l.Line, l.Environments})
	}
	return out
}

// TestRenderedChart: what ships counts, at the line that sets it; the template is not read a second time.
func TestRenderedChart(t *testing.T) {
	res := scanArchive(t, "chart.txtar")
	plain, prod := "deploy/pay:values.yaml", "deploy/pay:values-prod.yaml"
	require.ElementsMatch(t, []layerAt{
		{"4", "deploy/pay/values.yaml", 2, []string{plain}},
		{"8", "deploy/pay/values-prod.yaml", 3, []string{prod}},
		{"3", "deploy/pay/templates/fixed.yaml", 6, []string{plain, prod}},
		{"10", "deploy/pay/values.yaml", 7, []string{plain, prod}},
	}, layersOf(res))
	ids := map[string]bool{}
	for _, l := range res.Layers {
		require.False(t, ids[l.ID], l.ID)
		ids[l.ID] = true
	}
	// The worst environment is reported, once.
	i := slices.IndexFunc(res.Chains, func(c model.ChainInfo) bool { return c.Attempts == "8" })
	require.GreaterOrEqual(t, i, 0)
	require.Equal(t, prod, res.Chains[i].Environment)
	require.Len(t, res.Chains, 3)
	require.Equal(t, 1, res.Summary.Skipped) // the dependency that is elsewhere
}

func TestRenderedOverlays(t *testing.T) {
	res := scanArchive(t, "overlays.txtar")
	require.ElementsMatch(t, []layerAt{
		{"9", "overlays/prod/retries.yaml", 6, []string{"overlays:prod"}},
		{"2", "overlays/staging/kustomization.yaml", 10, []string{"overlays:staging"}},
	}, layersOf(res))
}

// TestChartSettingsReachCode: a variable that a chart sets from a values file is the count of a loop in Go, in each environment
// another.
func TestChartSettingsReachCode(t *testing.T) {
	res := scanArchive(t, "settings.txtar")
	var got []layerAt
	for _, l := range res.Layers {
		if l.Path == "main.go" {
			got = append(got, layerAt{l.Attempts, l.SetBy[0].Path, l.SetBy[0].Line, l.Environments})
			require.Empty(t, l.AttemptsMin, "a number, no range")
		}
	}
	require.ElementsMatch(t, []layerAt{{"4", "deploy/values.yaml", 1, []string{"deploy:values.yaml"}}, {"6", "deploy/values-prod.yaml", 1, []string{"deploy:values-prod.yaml"}}}, got)
	i := slices.IndexFunc(res.Chains, func(c model.ChainInfo) bool { return c.Attempts == "6" })
	require.GreaterOrEqual(t, i, 0)
	require.Equal(t, "deploy:values-prod.yaml", res.Chains[i].Environment)
}

// TestReplicasOfEnvironments: how many run is said with the environments in which so many do.
func TestReplicasOfEnvironments(t *testing.T) {
	res := scanArchive(t, "replicas.txtar")
	i := slices.IndexFunc(res.Findings, func(f model.FindingInfo) bool { return f.Rule == "volatile-store" })
	require.GreaterOrEqual(t, i, 0, "%v", res.Findings)
	require.Contains(t, res.Findings[i].Message, "3 replicas of hooks (deploy/overlays:prod) have a memory of their own each")
}

// TestReleasesAreEnvironments: values files outside of the chart and what a delivery tool gives count as the chart's own do.
func TestReleasesAreEnvironments(t *testing.T) {
	res := scanArchive(t, "releases.txtar")
	prod, dev := "charts/pay:deploy/prod/values-pay.yaml", "charts/pay:argocd/pay-dev.yaml"
	require.ElementsMatch(t, []layerAt{
		{"8", "deploy/prod/values-pay.yaml", 1, []string{prod}},
		{"2", "argocd/pay-dev.yaml", 9, []string{dev}},
	}, layersOf(res))
}

// TestTerraformEnvironments: the values of *.tfvars and of those who call a module are those of its variables, in their environments.
func TestTerraformEnvironments(t *testing.T) {
	res := scanArchive(t, "terraform.txtar")
	type layer struct {
		attempts  model.Number
		path, set string
		line      int
		envs      []string
	}
	var got []layer
	for _, l := range res.Layers {
		x := layer{attempts: l.Attempts, path: l.Path, envs: l.Environments}
		if len(l.SetBy) > 0 {
			x.set, x.line = l.SetBy[0].Path, l.SetBy[0].Line
		}
		got = append(got, x)
		require.Empty(t, l.AttemptsMin, "a number, no range")
	}
	require.ElementsMatch(t, []layer{
		{"4", "infra/queue.tf", "infra/envs/dev.tfvars", 1, []string{"infra:envs/dev.tfvars"}},
		{"9", "infra/queue.tf", "infra/envs/prod.tfvars", 1, []string{"infra:envs/prod.tfvars"}},
		{"2", "modules/queue/main.tf", "modules/queue/main.tf", 3, []string{"modules/queue:live/dev/*.tf"}},
		{"12", "modules/queue/main.tf", "live/prod/terraform.tfvars", 1, []string{"modules/queue:live/prod/*.tf"}},
		{"40", "other/main.tf", "other/main.tf", 2, nil},
		{"unknown", "other/main.tf", "", 0, nil},
	}, got)
}

// TestVariablesBeatFiles: a variable of the container that stands for a key of a configuration file is what counts; one that nobody
// sets leaves the file's value, and is no gap.
func TestVariablesBeatFiles(t *testing.T) {
	res := scanArchive(t, "variables.txtar")
	var got []layerAt
	for _, l := range res.Layers {
		require.Len(t, l.SetBy, 1)
		got = append(got, layerAt{l.Attempts, l.Path, l.SetBy[0].Line, nil})
		if l.Attempts == "3" {
			require.Equal(t, "1m", l.Deadline)
		}
	}
	require.ElementsMatch(t, []layerAt{{"3", "src/main/resources/application.yml", 11, nil}, {"7", "src/main/resources/application.yml", 12, nil}}, got)
	require.Zero(t, res.Undecided.Settings)
}

// TestFindingsInConfiguration: what rules say of configuration, where it stands.
func TestFindingsInConfiguration(t *testing.T) {
	res := scanArchive(t, "findings.txtar")
	type at struct {
		rule, path string
		line       int
	}
	var got []at
	for _, f := range res.Findings {
		got = append(got, at{f.Rule, f.Path, f.Line})
	}
	for _, want := range []at{
		{"unkeyed-retry", "traefik.yaml", 6},
		{"no-jitter", "sync.asl.json", 7},
		{"unkeyed-retry", "haproxy.cfg", 8},
		{"volatile-store", "main.go", 14},
	} {
		require.Contains(t, got, want)
	}
}

// TestPassedOver: what nobody minds is counted, and listed where it is asked for.
func TestPassedOver(t *testing.T) {
	res := scanArchive(t, "chart.txtar")
	require.Len(t, res.Summary.PassedOver, 1)
	require.Contains(t, res.Summary.PassedOver[0].Reason, "redis of the chart is not in the repository")
	require.Equal(t, 5, res.Summary.PassedOver[0].Line)
}

// TestLowConfidence: what the heuristic for keys of one's own reads is marked, and is no error by itself.
func TestLowConfidence(t *testing.T) {
	res := scanArchive(t, "heuristic.txtar")
	require.NotEmpty(t, res.Layers)
	for _, l := range res.Layers {
		require.True(t, l.LowConfidence, l.ID)
	}
	for _, f := range res.Findings {
		require.NotEqual(t, "error", f.Severity, f.Message)
	}
}
