package scan

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/pack"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// TestConfigurationIsKeptByBlob changes one file of two. What is kept of the other one is marked, so that it shows whether it
// was read again.
func TestConfigurationIsKeptByBlob(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pay")
	job := func(name string) string { return strings.ReplaceAll(retryingJob, "NAME", name) }
	gitFolder(t, dir, map[string]string{"a.yaml": job("a"), "b.yaml": job("b")})
	repos, err := source.Discover([]string{dir}, source.Options{})
	require.NoError(t, err)
	cache := newMapCache()
	labels := func() map[string]string {
		f, err := Map(t.Context(), repos[0], Options{Repos: repos, Cache: cache})
		require.NoError(t, err)
		out := map[string]string{}
		for _, l := range f.Layers {
			out[l.At.Path] += l.Label + " " + string(model.NumberOf(l.Policy.Total())) + ";"
		}
		lines := map[string]bool{}
		for _, l := range f.Lines {
			lines[l.Path] = true
		}
		require.True(t, lines["a.yaml"] && lines["b.yaml"])
		return out
	}
	first := labels()
	mark := func() {
		entry := kept[blobEntry](cache, "blobs|pay")
		require.NotNil(t, entry)
		require.Len(t, entry.Files, 2)
		for _, f := range entry.Files {
			for i := range f.Facts.Layers {
				f.Facts.Layers[i].Label = "marked"
			}
		}
		cache.Put("blobs|pay", pack.Write("blobs|pay", entry))
	}
	mark()
	gitFolder(t, dir, map[string]string{"b.yaml": strings.Replace(job("b"), "backoffLimit: 9", "backoffLimit: 4", 1)})
	second := labels()
	require.Contains(t, second["a.yaml"], "marked", "a.yaml has not changed and is not read")
	require.NotContains(t, second["b.yaml"], "marked")
	require.NotEqual(t, first["b.yaml"], second["b.yaml"])

	// The same blob under another name is another file: formats go by names.
	mark()
	gitFolder(t, dir, map[string]string{"c.yaml": job("a")})
	require.NotContains(t, labels()["c.yaml"], "marked")

	// A damaged entry is none.
	data := cache.data["blobs|pay"]
	data[len(data)/2] ^= 1
	gitFolder(t, dir, map[string]string{"d.yaml": job("d")})
	require.NotContains(t, labels()["a.yaml"], "marked")
}

// TestChangesWithBlobsAreAsWithout makes changes one after the other, of files that others look into as well, and compares
// the facts with those of a scan without a cache.
func TestChangesWithBlobsAreAsWithout(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shop")
	gitFolder(t, dir, map[string]string{
		"main.tf":                             "module \"job\" {\n  source = \"./job\"\n  retries = 7\n}\n",
		"job/main.tf":                         "variable \"retries\" {\n  default = 3\n}\nresource \"aws_lambda_function_event_invoke_config\" \"x\" {\n  function_name = \"f\"\n  maximum_retry_attempts = var.retries\n}\n",
		"prod.tfvars":                         "retries = 2\n",
		"src/main/resources/application.yaml": "spring:\n  rabbitmq:\n    listener:\n      simple:\n        retry: {enabled: true, max-attempts: 5}\n",
		"deploy/app.yaml":                     "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: app}\nspec:\n  selector: {matchLabels: {app: app}}\n  template:\n    metadata: {labels: {app: app}}\n    spec:\n      containers:\n        - name: c\n          image: acme/app\n          env: [{name: MAX_RETRIES, value: \"4\"}, {name: SPRING_RABBITMQ_LISTENER_SIMPLE_RETRY_MAX_ATTEMPTS, value: \"6\"}]\n",
		"deploy/job.yaml":                     strings.ReplaceAll(retryingJob, "NAME", "nightly"),
		"chart/Chart.yaml":                    "apiVersion: v2\nname: app\nversion: 1.0.0\n",
		"chart/values.yaml":                   "retries: 3\nimage: {repository: acme/app}\n",
		"chart/templates/job.yaml":            "apiVersion: batch/v1\nkind: Job\nmetadata: {name: c}\nspec:\n  backoffLimit: {{ .Values.retries }}\n  template: {spec: {restartPolicy: Never, containers: [{name: c, image: acme/app}]}}\n",
		"argo/app.yaml":                       "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: app}\nspec:\n  source: {path: chart}\n  syncPolicy: {retry: {limit: 5}}\n",
		"compose.yaml":                        "services:\n  app:\n    image: acme/app\n    restart: always\n    env_file: [app.env]\n",
		"app.env":                             "MAX_RETRIES=5\n",
	})
	repos, err := source.Discover([]string{dir}, source.Options{})
	require.NoError(t, err)
	cache := newMapCache()
	facts := func(c Cache) string {
		f, err := Map(t.Context(), repos[0], Options{Repos: repos, Cache: c})
		require.NoError(t, err)
		data, err := json.MarshalIndent(f, "", " ")
		require.NoError(t, err)
		return string(data)
	}
	compare := func(what string) {
		want := strings.Split(facts(nil), "\n")
		got := strings.Split(facts(cache), "\n")
		for i := range min(len(want), len(got)) {
			require.Equal(t, want[i], got[i], "%s: line %d", what, i)
		}
		require.Len(t, got, len(want), what)
	}
	compare("first")
	var files []string
	require.NoError(t, filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && !strings.Contains(p, ".git"+string(filepath.Separator)) {
			files = append(files, p)
		}
		return err
	}))
	require.Greater(t, len(files), 10)
	for _, p := range files {
		text, err := os.ReadFile(p)
		require.NoError(t, err)
		changed := strings.NewReplacer("3", "8", "4", "9", "5", "10", "7", "11", "2\n", "12\n").Replace(string(text))
		require.NoError(t, os.WriteFile(p, []byte(changed), 0o644))
		compare("changed " + p)
		require.NoError(t, os.Remove(p))
		compare("without " + p)
		require.NoError(t, os.WriteFile(p, text, 0o644))
		compare("with " + p)
	}
}
