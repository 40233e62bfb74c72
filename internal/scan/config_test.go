package scan

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/extract"
	"github.com/retrylint/retrylint/internal/source"
)

// More files than one batch holds, parsed by any number of goroutines, give the same facts.
func TestConfigFilesAreReadTheSameByAnyNumberOfGoroutines(t *testing.T) {
	dir := t.TempDir()
	const files = 2*batchFiles + 7
	for i := range files {
		text := fmt.Sprintf("apiVersion: batch/v1\nkind: Job\nmetadata: {name: job-%d}\nspec:\n  backoffLimit: %d\n  template:\n    spec: {restartPolicy: Never, containers: [{name: c, image: acme/job}]}\n", i, i%5)
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("job-%03d.yaml", i)), []byte(text), 0o644))
	}
	repos, err := source.Discover([]string{dir}, source.Options{})
	require.NoError(t, err)
	var texts []string
	for _, procs := range []int{1, 4} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		f, err := Map(t.Context(), repos[0], Options{})
		require.NoError(t, err)
		require.Len(t, f.Layers, files)
		require.Equal(t, files, f.Stats.ConfigFiles)
		data, err := json.Marshal(f)
		require.NoError(t, err)
		texts = append(texts, string(data))
	}
	require.Equal(t, texts[0], texts[1])
}

func TestFormatsOfAFileByExtensionNameAndFolder(t *testing.T) {
	c := newConfigFormats([]extract.Format{
		{Name: "b-any", Files: []string{"*.yaml"}},
		{Name: "generic", Files: []string{"*.yaml", "*.toml"}, Rank: -1},
		{Name: "a-named", Files: []string{"queue.yaml", "queue*.yaml"}, Rank: 1},
		{Name: "c-folder", Files: []string{"**/flows/*.yaml"}},
		{Name: "d-file", Files: []string{"crontab"}},
	})
	for file, want := range map[string][]string{
		"x/app.yaml":        {"b-any", "generic"},
		"x/app.YAML":        {"b-any", "generic"},
		"queue.yaml":        {"a-named", "b-any", "generic"},
		"x/queue-2.yaml":    {"a-named", "b-any", "generic"},
		"x/flows/app.yaml":  {"b-any", "c-folder", "generic"},
		"x/flows/y/ap.yaml": {"b-any", "generic"},
		"app.toml":          {"generic"},
		"etc/crontab":       {"d-file"},
		"crontab.txt":       nil,
	} {
		for range 2 { // the second answer is a kept one
			var got []string
			for _, f := range c.want(file) {
				got = append(got, f.Name)
			}
			require.True(t, slices.Equal(want, got), "%s: got %v, want %v", file, got, want)
		}
	}
}
