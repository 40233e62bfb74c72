// Package report writes results: one file per output format. A report is a pure function of model.Result, which is what
// the JSON format prints; writers sort nothing and decide nothing.
package report

import (
	"io"
	"sort"

	"github.com/retrylint/retrylint/model"
)

// Options are what a reader of a report may choose.
type Options struct {
	Color   bool
	Width   int // of the terminal; 0 is 80 or what fits
	Verbose bool
	// Source gives a line of a scanned file for snippets, where it is at hand; nil-safe writers use the stored snippets.
	Source func(repo, path string, line int) string
	// LinkBase gives the URL of a place for formats that link; nil means no links.
	Link func(p model.Place) string
}

// Format is one output format.
type Format struct {
	Name  string
	Doc   string
	Write func(w io.Writer, r *model.Result, opt Options) error
}

var formats []Format

func add(f Format) bool {
	formats = append(formats, f)
	return true
}

// All lists the formats sorted by name.
func All() []Format {
	out := append([]Format(nil), formats...)
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// Find is the format with that name; ok is false where there is none.
func Find(name string) (f Format, ok bool) {
	for _, f := range formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}
