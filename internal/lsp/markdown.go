package lsp

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// escape makes text of the scanned code harmless in Markdown: no markup, no links, one line.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
			continue
		case r < ' ' || r == 0x7f:
			continue
		case strings.ContainsRune("\\`*_{}[]<>#|!~", r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// fence is a block of code, longer fenced than any fence inside.
func fence(s string) string {
	mark := "```"
	for strings.Contains(s, mark) {
		mark += "`"
	}
	return mark + "yaml\n" + strings.TrimRight(s, "\n") + "\n" + mark
}

// link is a place as a link that opens it.
func (h *hovering) link(p model.Place) string {
	text := escape(p.Location().String())
	file, ok := h.snap.file(p)
	if !ok {
		return text
	}
	uri := uriOf(file)
	if p.Line > 0 {
		uri += fmt.Sprintf("#L%d", p.Line)
	}
	// Parentheses would end the link.
	return fmt.Sprintf("[%s](%s)", text, strings.NewReplacer("(", "%28", ")", "%29").Replace(uri))
}

var (
	markdownLink   = regexp.MustCompile(`\[((?:[^\]\\]|\\.)*)\]\([^)]*\)`)
	markdownEscape = regexp.MustCompile("\\\\([\\\\`*_{}\\[\\]<>#|!~\n])")
	tableLine      = regexp.MustCompile(`(?m)^\|[-|]+\|\n`)
)

// plainText is what is left of a hover for clients that show no Markdown.
func plainText(s string) string {
	s = markdownLink.ReplaceAllString(s, "$1")
	s = tableLine.ReplaceAllString(s, "")
	s = strings.ReplaceAll(s, "**", "")
	return markdownEscape.ReplaceAllString(s, "$1")
}
