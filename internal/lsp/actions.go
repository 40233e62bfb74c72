package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/model"
)

// codeAction offers for each finding in a range to mend it, where the finding says how, and to ignore it with a comment.
func (s *server) codeAction(_ context.Context, p codeActionParams) ([]codeAction, error) {
	out := []codeAction{}
	file, ok := pathOf(p.TextDocument.URI)
	if !ok || !wanted(p.Context.Only) {
		return out, nil
	}
	file = realPath(file)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		return out, nil
	}
	now := s.current(file)
	if now == nil {
		return out, nil
	}
	var ignored []string // rules, by line
	for i := range s.last.result.Findings {
		f := &s.last.result.Findings[i]
		if f.Suppressed != nil || !s.concerns(f, file, p) {
			continue
		}
		shown := s.diagnosticOf(f, p.Context.Diagnostics)
		if edits := s.fixes(f); len(edits) > 0 {
			out = append(out, codeAction{Title: "Fix: " + cmpTitle(f.Help, f.Rule), Kind: quickFix, Diagnostics: shown, IsPreferred: true,
				Edit: workspaceEdit{edits}})
		}
		key := fmt.Sprintf("%d %s", f.Line, f.Rule)
		if f.Rule == config.SuppressionRule || slices.Contains(ignored, key) || now.line(f.Line) != s.last.text(file).line(f.Line) {
			continue
		}
		if edit, ok := ignoreEdit(file, now, f); ok {
			ignored = append(ignored, key)
			out = append(out, codeAction{Title: "Ignore " + f.Rule + " here, with a reason", Kind: quickFix, Diagnostics: shown,
				Edit: workspaceEdit{map[string][]textEdit{p.TextDocument.URI: {edit}}}})
		}
	}
	return out, nil
}

func cmpTitle(help, rule string) string {
	help, _, _ = strings.Cut(strings.TrimRight(help, "."), ". ")
	if help == "" {
		return rule
	}
	return help
}

// wanted reports whether quick fixes are among the kinds that are asked for; none means all.
func wanted(only []string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(k string) bool { return k == "" || k == quickFix })
}

// current is a file as the client has it; nil where it cannot be read. The caller holds the lock.
func (s *server) current(file string) *text {
	if d := s.docs[file]; d != nil {
		return newText(d.text)
	}
	return s.last.text(file)
}

// concerns reports whether a request is about a finding: its diagnostic is named, or it lies in the range.
func (s *server) concerns(f *model.FindingInfo, file string, p codeActionParams) bool {
	at, ok := s.last.file(f.Place)
	if !ok || at != file {
		return false
	}
	return s.last.span(f.Place).touches(p.Range)
}

// diagnosticOf is the finding's diagnostic among those that the client sent.
func (s *server) diagnosticOf(f *model.FindingInfo, sent []diagnostic) []diagnostic {
	for _, d := range sent {
		same := d.Source == "retrylint" && d.Code == f.Rule && d.Range == s.last.span(f.Place)
		if d.Data != nil && d.Data.Fingerprint == f.Fingerprint || d.Data == nil && same {
			return []diagnostic{d}
		}
	}
	return nil
}

// fixes are the edits of a finding, where all their files are still as they were scanned.
func (s *server) fixes(f *model.FindingInfo) map[string][]textEdit {
	out := map[string][]textEdit{}
	for _, e := range f.Fix {
		file, ok := s.last.file(e.Place)
		if !ok {
			return nil
		}
		then, now := s.last.text(file), s.current(file)
		if then == nil || now == nil || then.whole != now.whole || e.Line < 1 || e.Column < 1 {
			return nil
		}
		r := textRange{then.position(e.Line, e.Column), then.position(max(e.EndLine, e.Line), e.EndColumn)}
		if r.End.before(r.Start) {
			r.End = r.Start
		}
		out[s.uri(file)] = append(out[s.uri(file)], textEdit{r, e.New})
	}
	return out
}

// ignoreEdit puts a comment above the line of a finding.
func ignoreEdit(file string, t *text, f *model.FindingInfo) (textEdit, bool) {
	mark := commentMark(file)
	if mark == "" {
		return textEdit{}, false
	}
	line := t.line(f.Line)
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	end := "\n"
	if strings.Contains(t.whole, "\r\n") {
		end = "\r\n"
	}
	at := position{Line: f.Line - 1}
	return textEdit{textRange{at, at}, indent + mark + "retrylint:ignore " + f.Rule + " -- TODO: why this is right here" + end}, true
}

// commentMark is how a comment that has its line for itself begins in a file; "" where there are none, as in JSON, which
// most of its readers take without comments only.
func commentMark(file string) string {
	if filepath.Ext(file) == ".go" {
		return "//"
	}
	syntax, ok := doc.SyntaxOf(filepath.ToSlash(file))
	if !ok {
		return ""
	}
	switch syntax {
	case doc.JSON:
		switch strings.ToLower(filepath.Ext(file)) {
		case ".jsonc", ".json5":
			return "// "
		}
		return ""
	case doc.NoSyntax:
		return ""
	}
	return "# "
}
