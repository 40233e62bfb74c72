package report

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "rdjson",
	Doc:   "reviewdog's diagnostics: review comments on any host, with suggestions",
	Write: writeRDJSON,
})

// What reviewdog reads. Source: reviewdog, Reviewdog Diagnostic Format; columns count bytes, from 1.
type (
	rdResult struct {
		Source      rdSource       `json:"source"`
		Severity    string         `json:"severity,omitempty"`
		Diagnostics []rdDiagnostic `json:"diagnostics"`
	}
	rdSource struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	}
	rdDiagnostic struct {
		Message     string         `json:"message"`
		Location    rdLocation     `json:"location"`
		Severity    string         `json:"severity"`
		Code        rdCode         `json:"code"`
		Suggestions []rdSuggestion `json:"suggestions,omitempty"`
		Related     []rdRelated    `json:"related_locations,omitempty"`
	}
	rdLocation struct {
		Path  string   `json:"path"`
		Range *rdRange `json:"range,omitempty"`
	}
	rdRange struct {
		Start rdPosition  `json:"start"`
		End   *rdPosition `json:"end,omitempty"`
	}
	rdPosition struct {
		Line   int `json:"line"`
		Column int `json:"column,omitempty"`
	}
	rdCode struct {
		Value string `json:"value"`
		URL   string `json:"url"`
	}
	rdSuggestion struct {
		Range rdRange `json:"range"`
		Text  string  `json:"text"`
	}
	rdRelated struct {
		Message  string     `json:"message"`
		Location rdLocation `json:"location"`
	}
)

func writeRDJSON(w io.Writer, r *model.Result, opt Options) error {
	v := newView(r, opt)
	out := rdResult{Source: rdSource{"retrylint", project}, Diagnostics: []rdDiagnostic{}}
	for _, f := range v.counted() {
		d := rdDiagnostic{Message: v.explanation(f), Location: v.rdLocation(f.Place), Severity: "INFO", Code: rdCode{clean(f.Rule), ruleURL(f.Rule)}}
		switch f.Severity {
		case "error":
			d.Severity = "ERROR"
		case "warning":
			d.Severity = "WARNING"
		}
		for _, e := range f.Fix {
			// A suggestion belongs to the file of the diagnostic.
			if e.Repository == f.Repository && e.Path == f.Path {
				d.Suggestions = append(d.Suggestions, rdSuggestion{*rdRangeOf(e.Place), strings.ToValidUTF8(e.New, "\uFFFD")})
			}
		}
		for _, x := range f.Related {
			if x.Path != "" {
				d.Related = append(d.Related, rdRelated{clean(x.Message), v.rdLocation(x.Place)})
			}
		}
		out.Diagnostics = append(out.Diagnostics, d)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

func (v *view) rdLocation(p model.Place) rdLocation {
	return rdLocation{Path: v.file(p), Range: rdRangeOf(p)}
}

func rdRangeOf(p model.Place) *rdRange {
	if p.Line <= 0 {
		return nil
	}
	r := &rdRange{Start: rdPosition{p.Line, max(p.Column, 0)}}
	if p.Column > 0 && (p.EndLine > p.Line || p.EndLine == p.Line && p.EndColumn >= p.Column) {
		r.End = &rdPosition{p.EndLine, p.EndColumn}
	}
	return r
}
