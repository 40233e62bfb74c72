package extract

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// countRow is one row of the off-by-one table: what a count key means in a format.
type countRow struct {
	Format string `yaml:"format"`
	Key    string `yaml:"key"`  // for people
	File   string `yaml:"file"` // name of the file; app.yaml where it is left out
	// Text is the file. "@" stands for the number; for the absent case every line with "@" is left out.
	Text string `yaml:"text"`
	// Cases maps what is written ("absent", or the value) to what must come out: "none" (no layer), "gap" (a gap, and a layer
	// whose attempts are unknown), or what must hold of the layer: "attempts=4 origin=explicit".
	Cases map[string]string `yaml:"cases"`
}

// TestCounts runs the tables of counts: each format's value, absent, 0 and negative.
func TestCounts(t *testing.T) {
	files, err := filepath.Glob("testdata/counts_*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	byName := map[string]Format{}
	for _, f := range All() {
		byName[f.Name] = f
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var rows []countRow
		require.NoError(t, yaml.Unmarshal(data, &rows))
		require.NotEmpty(t, rows)
		for _, r := range rows {
			for value, want := range r.Cases {
				t.Run(r.Format+"/"+r.Key+"="+value, func(t *testing.T) { r.check(t, byName, value, want) })
			}
		}
	}
}

func (r countRow) check(t *testing.T, formats map[string]Format, value, want string) {
	format, ok := formats[r.Format]
	require.True(t, ok, "no format %s", r.Format)
	name := r.File
	if name == "" {
		name = "app.yaml"
	}
	require.Contains(t, r.Text, "@")
	require.True(t, filesMatch(format, name), "%s does not take %s", r.Format, name)
	var lines []string
	for line := range strings.SplitSeq(r.Text, "\n") {
		if value == "absent" && strings.Contains(line, "@") {
			continue
		}
		lines = append(lines, strings.ReplaceAll(line, "@", value))
	}
	text := strings.Join(lines, "\n")
	parsed := doc.Parse(name, []byte(text), doc.Limits{})
	require.Empty(t, parsed.Errs, text)
	facts := &model.Facts{}
	out := &Out{Repo: "r", Path: name, Facts: facts}
	for _, d := range parsed.Docs {
		if format.Match(name, d) {
			format.Read(d, out)
		}
	}
	var layers []described
	for _, d := range describeAll(facts) {
		if d.what == "layer" {
			layers = append(layers, d)
		}
	}
	switch want {
	case "none":
		require.Empty(t, layers, text)
		require.Empty(t, facts.Gaps, text)
		return
	case "gap":
		require.NotEmpty(t, facts.Gaps, text)
		for _, g := range facts.Gaps {
			require.Positive(t, g.Line, "a gap has a place")
		}
		want = "count=unknown" // a time limit may bound the attempts all the same
	default:
		require.Empty(t, facts.Gaps, text)
	}
	require.NotEmpty(t, layers, "no layer in\n%s", text)
	require.True(t, layers[0].holds(want), "wanted %s, found %s in\n%s", want, layers[0].text(), text)
}
