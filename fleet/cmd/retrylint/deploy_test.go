package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/retrylint/retrylint/model"
)

const deploy = "../../deploy"

// argsOf are the arguments of the one container of a manifest, with variables of env in place of $(NAME), as a kubelet puts
// them in. The cache of the manifest is left out: the test's own environment names none.
func argsOf(t *testing.T, manifest string, env []string) (args []string) {
	t.Helper()
	var cron struct {
		Spec struct {
			JobTemplate struct {
				Spec struct {
					Template struct {
						Spec struct {
							Containers []struct{ Args []string }
						}
					}
				}
			} `yaml:"jobTemplate"`
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, filepath.Join(deploy, "kubernetes", manifest))), &cron))
	containers := cron.Spec.JobTemplate.Spec.Template.Spec.Containers
	require.Len(t, containers, 1)
	for _, a := range containers[0].Args {
		for _, e := range append(env, "RETRYLINT_CACHE=off") {
			name, value, _ := strings.Cut(e, "=")
			a = strings.ReplaceAll(a, "$("+name+")", value)
		}
		require.NotContains(t, a, "$(", "a variable that nobody sets")
		args = append(args, a)
	}
	return args
}

// TestManifestsPassTheLinter scans what is deployed.
func TestManifestsPassTheLinter(t *testing.T) {
	f := &fleet{dir: t.TempDir()}
	// A copy, since hidden folders belong to a repository's root.
	root := f.path("deploy")
	require.NoError(t, os.CopyFS(root, os.DirFS(deploy)))
	f.run(t, 0, nil, "scan", "--fail-on", "note", "--cache", "off", "--format", "json", "--output", f.path("out.json"), root)
	var r model.Result
	require.NoError(t, json.Unmarshal([]byte(read(t, f.path("out.json"))), &r))
	require.Empty(t, r.Findings)
	require.Empty(t, r.Incomplete)
	layers := map[string]model.LayerInfo{}
	for _, l := range r.Layers {
		layers[l.Path+" "+string(l.Attempts)] = l
	}
	require.Contains(t, layers, "kubernetes/scan-cronjob.yaml 3", "the linter sees the retries of the shards: %v", layers)
	require.Contains(t, layers, "kubernetes/reduce-cronjob.yaml 3")
}

// TestManifestsAreHardened holds each pod to the restricted profile, with a root that cannot be written.
func TestManifestsAreHardened(t *testing.T) {
	for _, name := range []string{"scan-cronjob.yaml", "reduce-cronjob.yaml"} {
		text := read(t, filepath.Join(deploy, "kubernetes", name))
		for _, want := range []string{"readOnlyRootFilesystem: true", "runAsNonRoot: true", "allowPrivilegeEscalation: false", "drop: [ALL]",
			"automountServiceAccountToken: false", "type: RuntimeDefault", "activeDeadlineSeconds:", "podFailurePolicy:", "restartPolicy: Never"} {
			require.Contains(t, text, want, name)
		}
	}
	entries, err := os.ReadDir(filepath.Join(deploy, "kubernetes"))
	require.NoError(t, err)
	listed := read(t, filepath.Join(deploy, "kubernetes", "kustomization.yaml"))
	for _, e := range entries {
		if e.Name() != "kustomization.yaml" {
			require.Contains(t, listed, e.Name())
		}
		require.NotContains(t, read(t, filepath.Join(deploy, "kubernetes", e.Name())), "rbac.authorization")
	}
}

// TestReduceManifest runs the reduce step as it is deployed, twice: the second run says what changed.
func TestReduceManifest(t *testing.T) {
	f := newFleet(t)
	close(f.hold)
	facts := f.path("facts") + "/{run}"
	require.NoError(t, os.Mkdir(f.path("reports"), 0o755))
	for week, job := range []string{"29387520", "29397600"} {
		env := []string{"RETRYLINT_RUN=retrylint-scan-" + job, "RETRYLINT_FACTS=" + facts, "RETRYLINT_REPORTS=" + f.path("reports")}
		f.run(t, 0, env, "scan", "--manifest", f.manifest, "--cache", "off", "--shard", "0/1", "--facts", facts)
		env[0] = "RETRYLINT_RUN=retrylint-reduce-" + job
		args := argsOf(t, "reduce-cronjob.yaml", env)
		cmd, log := f.process(t.Context(), t, env, args...)
		_ = cmd.Run()
		require.Contains(t, []int{1, 3}, cmd.ProcessState.ExitCode(), log.String())
		var r model.Result
		require.NoError(t, json.Unmarshal([]byte(read(t, f.path("reports/last.json"))), &r))
		require.NotEmpty(t, r.Findings)
		for _, finding := range r.Findings {
			require.Equal(t, "2025-11-16", finding.FirstSeen, "week %d", week)
		}
	}
	require.Contains(t, read(t, f.path("reports/changes.md")), "Nothing differs")
}
