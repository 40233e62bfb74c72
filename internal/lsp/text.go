package lsp

import (
	"strings"
	"unicode/utf8"
)

// text is a file as lines. Lines of retrylint and of the protocol are the same but for their first number; columns are
// bytes from 1 there and UTF-16 units from 0 here.
type text struct {
	whole string
	lines []string // without their ends
}

func newText(s string) *text {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return &text{s, lines}
}

// line is a line by its number from 1; "" where there is none.
func (t *text) line(n int) string {
	if t == nil || n < 1 || n > len(t.lines) {
		return ""
	}
	return t.lines[n-1]
}

// units is how many UTF-16 code units the first n bytes of a line are; bytes that are no UTF-8 count one unit each, as editors
// that show a replacement character count them.
func units(line string, n int) int {
	u := 0
	for i := 0; i < min(n, len(line)); {
		r, size := utf8.DecodeRuneInString(line[i:])
		if i+size > n {
			break // the middle of a character is its beginning
		}
		i += size
		u++
		if r > 0xFFFF {
			u++
		}
	}
	return u
}

// bytesOf is how many bytes the first n UTF-16 code units of a line are; the middle of a pair is its beginning.
func bytesOf(line string, n int) int {
	u := 0
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		w := 1
		if r > 0xFFFF {
			w = 2
		}
		if u+w > n {
			return i
		}
		u += w
		i += size
	}
	return len(line)
}

// position converts a line and a byte column, both from 1. Without the text the column counts as ASCII.
func (t *text) position(line, col int) position {
	p := position{Line: max(line-1, 0)}
	switch {
	case col <= 1:
	case t == nil:
		p.Character = col - 1
	default:
		p.Character = units(t.line(line), col-1)
	}
	return p
}

// span converts a place. One without an end runs to the end of its line, and one without a column covers the line's text.
func (t *text) span(line, col, endLine, endCol int) textRange {
	content := t.line(line)
	if col < 1 {
		col = 1 + len(content) - len(strings.TrimLeft(content, " \t"))
		endLine, endCol = 0, 0
	}
	r := textRange{Start: t.position(line, col)}
	if endLine > line || endLine == line && endCol > col {
		r.End = t.position(endLine, endCol)
	} else {
		r.End = t.position(line, max(len(strings.TrimRight(content, " \t"))+1, col))
	}
	return r
}

func (p position) before(q position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Character < q.Character
}

// touches reports whether two ranges have a place in common; the end of one counts as its own, since a cursor behind the last
// character of a word is at the word.
func (r textRange) touches(s textRange) bool { return !r.End.before(s.Start) && !s.End.before(r.Start) }
