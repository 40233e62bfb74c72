package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "gitlab",
	Doc:   "GitLab Code Quality, for artifacts:reports:codequality",
	Write: writeGitLab,
})

// gitlabIssue is what GitLab reads of an entry. Source: GitLab, Code Quality, report format.
type gitlabIssue struct {
	Description string         `json:"description"`
	Check       string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string      `json:"path"`
	Lines gitlabLines `json:"lines"`
}

type gitlabLines struct {
	Begin int `json:"begin"`
	End   int `json:"end,omitempty"`
}

func writeGitLab(w io.Writer, r *model.Result, opt Options) error {
	v := newView(r, opt)
	out := []gitlabIssue{}
	seen := map[string]int{}
	for _, f := range v.counted() {
		issue := gitlabIssue{Description: v.explanation(f), Check: clean(f.Rule), Severity: "info",
			Location: gitlabLocation{Path: v.file(f.Place), Lines: gitlabLines{Begin: max(f.Line, 1)}}}
		if f.EndLine > f.Line {
			issue.Location.Lines.End = f.EndLine
		}
		switch f.Severity {
		case "error":
			issue.Severity = "critical"
		case "warning":
			issue.Severity = "major"
		}
		issue.Fingerprint = fingerprint(f)
		// Entries with equal fingerprints would be shown as one.
		if n := seen[issue.Fingerprint]; n > 0 {
			seen[issue.Fingerprint]++
			issue.Fingerprint = digest(fmt.Sprintf("%s\x00%d", issue.Fingerprint, n))
		} else {
			seen[issue.Fingerprint]++
		}
		out = append(out, issue)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

// fingerprint is the finding's own, or one made of its place where it has none.
func fingerprint(f *model.FindingInfo) string {
	if f.Fingerprint != "" {
		return clean(f.Fingerprint)
	}
	return digest(fmt.Sprintf("%s\x00%s\x00%s\x00%d", f.Rule, f.Repository, f.Path, f.Line))
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}
