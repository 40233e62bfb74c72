package guide

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the generated pages")

// The pages under docs/ are what the code says; pages of rules that are no more are removed.
func TestPagesAreFresh(t *testing.T) {
	const docs = "../../docs"
	pages, err := Pages()
	require.NoError(t, err)
	want := make(map[string]bool)
	for _, p := range pages {
		file := filepath.Join(docs, filepath.FromSlash(p.Name))
		want[file] = true
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, []byte(p.Text), 0o644))
			continue
		}
		have, err := os.ReadFile(file)
		if err != nil || string(have) != p.Text {
			t.Errorf("docs/%s is stale: go test ./internal/guide -update", p.Name)
		}
	}
	files, err := filepath.Glob(docs + "/rules/*.md")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		switch {
		case want[file] || !generated(string(text)):
		case *update:
			require.NoError(t, os.Remove(file))
		default:
			t.Errorf("%s is of a rule that is no more: go test ./internal/guide -update", file)
		}
	}
}
