package report

import (
	"encoding/xml"
	"io"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "checkstyle",
	Doc:   "Checkstyle XML, as Jenkins and many review tools read it",
	Write: writeCheckstyle,
})

type (
	checkstyleRoot struct {
		XMLName xml.Name         `xml:"checkstyle"`
		Version string           `xml:"version,attr"`
		Files   []checkstyleFile `xml:"file"`
	}
	checkstyleFile struct {
		Name   string            `xml:"name,attr"`
		Errors []checkstyleError `xml:"error"`
	}
	checkstyleError struct {
		Line     int    `xml:"line,attr"`
		Column   int    `xml:"column,attr,omitempty"`
		Severity string `xml:"severity,attr"`
		Message  string `xml:"message,attr"`
		Source   string `xml:"source,attr"`
	}
)

func writeCheckstyle(w io.Writer, r *model.Result, opt Options) error {
	v := newView(r, opt)
	out := checkstyleRoot{Version: "8.0"}
	at := map[string]int{}
	for _, f := range v.counted() {
		name := v.file(f.Place)
		i, ok := at[name]
		if !ok {
			i = len(out.Files)
			at[name] = i
			out.Files = append(out.Files, checkstyleFile{Name: name})
		}
		e := checkstyleError{Line: max(f.Line, 1), Column: f.Column, Severity: "info", Message: v.explanation(f), Source: "retrylint." + clean(f.Rule)}
		if f.Severity == "error" || f.Severity == "warning" {
			e.Severity = f.Severity
		}
		out.Files[i].Errors = append(out.Files[i].Errors, e)
	}
	return writeXML(w, out)
}
