package extract

import (
	_ "embed"
	"strings"
)

// tried.tsv is by hand: a line for each format with a public file, written by nobody here, whose numbers were read and held
// against what the format made of it.
//
//go:embed tried.tsv
var triedTable string

// Trial is one public file on which a format was tried.
type Trial struct {
	Format     string
	Repository string // "owner/name", on GitHub
	Path       string
	Seen       string // what is in it, and what was made of it
}

// Trials are all lines of the table.
func Trials() []Trial {
	var out []Trial
	for line := range strings.Lines(triedTable) {
		if f := strings.Split(strings.TrimRight(line, "\n"), "\t"); len(f) == 4 {
			out = append(out, Trial{f[0], f[1], f[2], f[3]})
		}
	}
	return out
}
