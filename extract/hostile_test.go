package extract

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// TestHostile gives every format broken variants of every example: cut off, with values of other types, with keys in places
// where nobody expects them. Nothing may panic, and every place must be inside its file.
func TestHostile(t *testing.T) {
	variants := []func(string) string{
		func(s string) string { return s[:len(s)/2] },
		func(s string) string { return s[:len(s)*4/5] },
		func(s string) string {
			return strings.NewReplacer("0", "three", "1", "x", "2", "-", "5", "").Replace(s)
		},
		func(s string) string { return strings.NewReplacer(": {", ": [", "}", "]").Replace(s) },
		func(s string) string { return strings.ReplaceAll(s, "name", "names") },
		func(s string) string { return strings.NewReplacer("3", "99999999999999999999", "4", "-7").Replace(s) },
		func(s string) string { return strings.ReplaceAll(s, "\n    ", "\n  ") },
		func(s string) string {
			return strings.NewReplacer("= ", "= null # ", ": ", ": {{ .Values.x }} # ").Replace(s)
		},
	}
	all := All()
	for _, f := range all {
		for _, file := range txtar.Parse([]byte(f.Example)).Files {
			for _, change := range variants {
				text := change(string(file.Data))
				lines := strings.Count(text, "\n") + 1
				parsed := doc.Parse(file.Name, []byte(text), doc.Limits{})
				facts := &model.Facts{}
				for _, d := range parsed.Docs {
					for _, g := range all {
						if filesMatch(g, file.Name) && g.Match(file.Name, d) {
							g.Read(d, &Out{Repo: "r", Path: file.Name, Facts: facts})
						}
					}
				}
				for _, l := range facts.Layers {
					if l.At.Line < 1 || l.At.Line > lines {
						t.Errorf("%s: %s: line %d of %d in\n%s", f.Name, l.Label, l.At.Line, lines, text)
					}
				}
			}
		}
	}
}
