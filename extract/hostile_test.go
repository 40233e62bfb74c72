package extract

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var exampleNumber = regexp.MustCompile(`([:=]\s*)"?-?\d[\w.]*"?`)

// TestWrongTypes puts values of the wrong type into every number of every example: nothing panics, and whatever is found
// stands in its file.
func TestWrongTypes(t *testing.T) {
	wrong := []string{`"three"`, `{a: 1}`, `[1, 2]`, `null`, `9223372036854775807`, `-9223372036854775808`, `1e400`, `"{{ .Values.n }}"`, `${N:-4}`, `true`, `""`}
	all := ranked(All())
	for _, f := range all {
		arch := txtar.Parse([]byte(f.Example))
		for _, file := range arch.Files {
			for _, w := range wrong {
				text := exampleNumber.ReplaceAllString(string(file.Data), "${1}"+strings.ReplaceAll(w, "$", "$$"))
				parsed := doc.Parse(file.Name, []byte(text), doc.Limits{})
				facts := &model.Facts{}
				out := &Out{Repo: "r", Path: file.Name, Facts: facts, Tree: func(string) *doc.File { return nil }}
				for _, d := range parsed.Docs {
					for _, g := range all {
						if g.takes(file.Name) && g.Match(file.Name, d) {
							require.NotPanics(t, func() { g.Read(d, out) }, "%s reads %s with %s:\n%s", g.Name, file.Name, w, text)
						}
					}
				}
				lines := strings.Count(text, "\n") + 1
				for _, g := range facts.Gaps {
					require.True(t, g.Line >= 0 && g.Line <= lines, "%s, %s: gap at line %d of %d: %s", f.Name, w, g.Line, lines, g.Reason)
				}
				for _, l := range facts.Layers {
					require.True(t, l.At.Line > 0 && l.At.Line <= lines, "%s, %s: layer at line %d of %d", f.Name, w, l.At.Line, lines)
				}
			}
		}
	}
}

// BenchmarkMatch is what it costs to find out that a document of the most common sort is of no other format.
func BenchmarkMatch(b *testing.B) {
	text := "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      containers: [{name: a, image: a}]\n"
	d := doc.Parse("a.yaml", []byte(text), doc.Limits{}).Docs[0]
	var fs []Format
	for _, f := range All() {
		if f.takes("a.yaml") {
			fs = append(fs, f)
		}
	}
	for b.Loop() {
		for _, f := range fs {
			f.Match("a.yaml", d)
		}
	}
}
