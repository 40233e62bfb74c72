package cli

import (
	"bytes"
	"io"
	"os"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/diff"
	"github.com/retrylint/retrylint/internal/guide"
	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/report"
)

// FuzzReadResult reads anything as the JSON of a scan and hands it to everything that takes one.
func FuzzReadResult(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/lists.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		if bytes.HasPrefix(file.Data, []byte("{")) {
			f.Add(file.Data)
		}
	}
	if data, err := os.ReadFile("testdata/shards.txtar"); err == nil {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := config.ReadBaseline(bytes.NewReader(data))
		if err != nil {
			return
		}
		r := b.Result()
		for _, format := range report.All() {
			for _, width := range []int{0, 1, 40} {
				// An error is an answer, a panic is not.
				_ = format.Write(io.Discard, r, report.Options{Color: true, Width: width, Verbose: true})
			}
		}
		for i := range r.Findings {
			if err := guide.WriteFinding(io.Discard, r, &r.Findings[i], 40); err != nil {
				t.Fatal(err)
			}
		}
		d := diff.Compare(&model.Result{}, r)
		if err := d.WriteMarkdown(io.Discard); err != nil {
			t.Fatal(err)
		}
		if g, err := graphOf(r, nil); err == nil {
			if err := g.dot(io.Discard); err != nil {
				t.Fatal(err)
			}
			if err := g.mermaid(io.Discard); err != nil {
				t.Fatal(err)
			}
		}
		if _, problems := config.Parse("x", config.Propose(r)); len(problems) > 0 {
			t.Fatalf("the proposal is no configuration: %v", problems)
		}
		splitByRepository(r)
		b.Apply(r)
	})
}
