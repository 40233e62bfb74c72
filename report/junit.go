package report

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "junit",
	Doc:   "JUnit XML: a suite for each repository, a case for each finding; notes pass",
	Write: writeJUnit,
})

type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		File    string        `xml:"file,attr,omitempty"`
		Line    int           `xml:"line,attr,omitempty"`
		Failure *junitFailure `xml:"failure,omitempty"`
		Skipped *junitSkipped `xml:"skipped,omitempty"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
)

func writeJUnit(w io.Writer, r *model.Result, opt Options) error {
	v := newView(r, opt)
	out := junitSuites{Name: "retrylint"}
	at := map[string]int{}
	suite := func(repo string) *junitSuite {
		i, ok := at[repo]
		if !ok {
			i = len(out.Suites)
			at[repo] = i
			out.Suites = append(out.Suites, junitSuite{Name: clean(repo)})
		}
		return &out.Suites[i]
	}
	for _, repo := range r.Repositories {
		suite(repo.Name)
	}
	for _, f := range v.counted() {
		s := suite(f.Repository)
		c := junitCase{Name: clean(f.Rule) + " at " + v.at(f.Place), Class: "retrylint." + clean(f.Rule), File: v.file(f.Place), Line: f.Line}
		text := v.explanation(f)
		if f.Severity == "note" {
			c.Out = text
		} else {
			s.Failures++
			c.Failure = &junitFailure{Message: clean(f.Message), Type: clean(f.Severity), Text: v.at(f.Place) + "\n" + text}
			for _, x := range f.Related {
				c.Failure.Text += fmt.Sprintf("\n%s: %s", v.at(x.Place), clean(x.Message))
			}
		}
		s.Cases = append(s.Cases, c)
	}
	for _, g := range r.Incomplete {
		s := suite(g.Repository)
		s.Skipped++
		p := model.Place{Repository: g.Repository, Path: g.Path, Line: g.Line}
		s.Cases = append(s.Cases, junitCase{Name: "read " + v.at(p), Class: "retrylint.input", File: clean(g.Path), Line: g.Line,
			Skipped: &junitSkipped{clean(g.Reason) + " (" + clean(g.Stage) + ")"}})
	}
	if len(out.Suites) == 0 {
		suite("retrylint")
	}
	for i := range out.Suites {
		s := &out.Suites[i]
		if len(s.Cases) == 0 {
			// Some readers reject a suite without a case.
			s.Cases = []junitCase{{Name: "no findings", Class: "retrylint"}}
		}
		s.Tests = len(s.Cases)
		out.Tests += s.Tests
		out.Failures += s.Failures
		out.Skipped += s.Skipped
	}
	return writeXML(w, out)
}

func writeXML(w io.Writer, v any) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
