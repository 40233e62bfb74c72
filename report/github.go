package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "github",
	Doc:   "workflow commands of GitHub Actions: annotations on the changed lines, errors first, within the ten of each kind that are shown",
	Write: writeGitHub,
})

// githubAnnotations is how many annotations of one kind a step may make. Source: GitHub, REST checks, limits of annotations.
const githubAnnotations = 10

// githubLines is how many more of a kind stand in the log as plain lines.
const githubLines = 200

var commandData = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
var commandValue = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")

func writeGitHub(w io.Writer, r *model.Result, opt Options) error {
	v := newView(r, opt)
	b := bufio.NewWriter(w)
	findings := v.counted()
	for _, kind := range []struct{ severity, command string }{{"error", "error"}, {"warning", "warning"}, {"note", "notice"}} {
		var of []*model.FindingInfo
		for _, f := range findings {
			if f.Severity == kind.severity {
				of = append(of, f)
			}
		}
		for i, f := range of {
			if i == githubAnnotations {
				fmt.Fprintf(b, "%s not annotated, a step may make %d:\n", plural(len(of)-i, "more "+kind.severity), githubAnnotations)
				for j, f := range of[i:] {
					if j == githubLines {
						fmt.Fprintf(b, "  and %d more; other formats have all of them\n", len(of)-i-j)
						break
					}
					fmt.Fprintf(b, "  %s: %s: %s [%s]\n", v.at(f.Place), f.Severity, clean(f.Message), clean(f.Rule))
				}
				break
			}
			fmt.Fprintf(b, "::%s %s::%s\n", kind.command, v.commandPlace(f), commandData.Replace(v.explanation(f)))
		}
	}
	for _, g := range r.Incomplete {
		fmt.Fprintf(b, "not read: %s: %s (%s)\n", v.at(model.Place{Repository: g.Repository, Path: g.Path, Line: g.Line}), clean(g.Reason), clean(g.Stage))
	}
	fmt.Fprintf(b, "retrylint: %s\n", v.countWords(findings))
	return b.Flush()
}

// commandPlace is the properties of a command. Columns are only understood on one line.
func (v *view) commandPlace(f *model.FindingInfo) string {
	var b strings.Builder
	if f.Path != "" {
		fmt.Fprintf(&b, "file=%s,", commandValue.Replace(v.file(f.Place)))
		if f.Line > 0 {
			fmt.Fprintf(&b, "line=%d,", f.Line)
			switch {
			case f.EndLine > f.Line:
				fmt.Fprintf(&b, "endLine=%d,", f.EndLine)
			case f.Column > 0:
				fmt.Fprintf(&b, "col=%d,", v.utf16Column(f.Place, f.Column))
				if f.EndColumn > f.Column {
					fmt.Fprintf(&b, "endColumn=%d,", v.utf16Column(f.Place, f.EndColumn))
				}
			}
		}
	}
	fmt.Fprintf(&b, "title=%s", commandValue.Replace("retrylint "+clean(f.Rule)))
	return b.String()
}

// countWords is the closing line: how many of each severity.
func (v *view) countWords(fs []*model.FindingInfo) string {
	n := map[string]int{}
	for _, f := range fs {
		n[f.Severity]++
	}
	return fmt.Sprintf("%s, %s, %s in %s", plural(n["error"], "error"), plural(n["warning"], "warning"), plural(n["note"], "note"),
		plural(len(v.Repositories), "repository"))
}
