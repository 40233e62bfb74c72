package analyzers

import (
	"go/ast"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// suppressions reads the comments that silence rules: //retrylint:ignore RULE -- reason, //nolint:retrylint // reason,
// //lint:ignore RULE reason.
func (u *unit) suppressions() {
	for _, f := range u.files {
		var starts map[int]bool
		for _, g := range f.Comments {
			for _, c := range g.List {
				s, ok := parseSuppression(c.Text)
				if !ok {
					continue
				}
				if starts == nil {
					starts = u.codeLines(f)
				}
				s.At = u.at(c)
				s.Line = s.At.Line
				// A comment on a line of its own is about the next line of code.
				if !starts[s.Line] {
					for l := s.Line + 1; l <= s.Line+20; l++ {
						if starts[l] {
							s.Line = l
							break
						}
					}
				}
				u.facts.Suppressions = append(u.facts.Suppressions, s)
			}
		}
	}
}

// codeLines are the lines on which code begins or ends.
func (u *unit) codeLines(f *ast.File) map[int]bool {
	out := map[int]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.Comment, *ast.CommentGroup, *ast.File:
			return n != nil
		}
		out[u.fset.Position(n.Pos()).Line] = true
		out[u.fset.Position(n.End()).Line] = true
		return true
	})
	return out
}

func parseSuppression(text string) (model.Suppression, bool) {
	text = strings.TrimPrefix(text, "//")
	var s model.Suppression
	switch {
	case strings.HasPrefix(text, "retrylint:ignore"):
		s.Form = "retrylint:ignore"
		rest := strings.TrimPrefix(text, s.Form)
		if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			return s, false
		}
		rules, reason, _ := strings.Cut(rest, "--")
		s.Rules, s.Reason = fields(rules), strings.TrimSpace(reason)
	case strings.HasPrefix(strings.TrimSpace(text), "nolint:"):
		rest := strings.TrimPrefix(strings.TrimSpace(text), "nolint:")
		names, reason, _ := strings.Cut(rest, "//")
		found := false
		for _, n := range fields(names) {
			found = found || n == "retrylint"
		}
		if !found {
			return s, false
		}
		s.Form, s.Reason = "nolint", strings.TrimSpace(reason)
	case strings.HasPrefix(text, "lint:ignore "):
		f := strings.Fields(strings.TrimPrefix(text, "lint:ignore "))
		if len(f) == 0 {
			return s, false
		}
		s.Form = "lint:ignore"
		for _, n := range fields(f[0]) {
			if n == "retrylint" {
				s.Rules = nil
				s.Reason = strings.Join(f[1:], " ")
				return s, true
			}
			if n = strings.TrimPrefix(n, "retrylint/"); ruleLike(n) {
				s.Rules = append(s.Rules, n)
			}
		}
		if len(s.Rules) == 0 {
			return s, false
		}
		s.Reason = strings.Join(f[1:], " ")
	default:
		return s, false
	}
	return s, true
}

// ruleLike tells this program's rules (kebab-case) from those of other linters (SA1000).
func ruleLike(s string) bool {
	if !strings.Contains(s, "-") {
		return false
	}
	for _, c := range s {
		if c != '-' && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

func fields(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
}
