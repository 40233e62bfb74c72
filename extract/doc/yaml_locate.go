package doc

import (
	"sort"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// yamlText finds the extents of yaml.v3's nodes. The library tells line and column of a node's beginning, its anchor or
// tag included, in characters, with breaks that other tools do not count as lines; and no ends.
type yamlText struct {
	text  string  // with templates filled
	lines []int32 // beginnings of lines as yaml.v3 counts them
	first int     // index in lines of the segment's first line
	end   int     // end of the segment
	ascii bool

	// The last column resolved: nodes come in file order, so a long line is walked once.
	lastLine, lastCol, lastOff int

	opaque []extent // scalars in which '#' is no comment, in order
}

type extent struct{ start, end int }

// yamlLines is the line index as yaml.v3 counts: a lone CR, NEL, LS and PS break lines too.
func yamlLines(src *source) []int32 {
	odd := false
	for i := strings.IndexByte(src.text, '\r'); i >= 0 && !odd; {
		odd = i+1 == len(src.text) || src.text[i+1] != '\n'
		j := strings.IndexByte(src.text[i+1:], '\r')
		if j < 0 {
			break
		}
		i += 1 + j
	}
	if !odd && !strings.Contains(src.text, "\u0085") && !strings.Contains(src.text, "\u2028") && !strings.Contains(src.text, "\u2029") {
		return src.lines
	}
	lines := []int32{0}
	for i := 0; i < len(src.text); {
		if n := breakAt(src.text, i); n > 0 {
			i += n
			lines = append(lines, int32(i))
			continue
		}
		i++
	}
	return lines
}

// breakAt is the length of the line break at i, 0 if there is none.
func breakAt(s string, i int) int {
	switch s[i] {
	case '\n':
		return 1
	case '\r':
		if i+1 < len(s) && s[i+1] == '\n' {
			return 2
		}
		return 1
	case 0xC2:
		if strings.HasPrefix(s[i:], "\u0085") {
			return 2
		}
	case 0xE2:
		if strings.HasPrefix(s[i:], "\u2028") || strings.HasPrefix(s[i:], "\u2029") {
			return 3
		}
	}
	return 0
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// offset is the byte offset of yaml.v3's line and column.
func (t *yamlText) offset(line, col int) int {
	l := t.first + line - 1
	if l < 0 || l >= len(t.lines) {
		return t.end
	}
	if t.ascii {
		return min(int(t.lines[l])+col-1, t.end)
	}
	if l != t.lastLine || col < t.lastCol {
		t.lastLine, t.lastCol, t.lastOff = l, 1, int(t.lines[l])
	}
	t.lastOff = runeColumn(t.text, t.lastOff, col-t.lastCol)
	t.lastCol = col
	return min(t.lastOff, t.end)
}

// locate replaces Line and Column of a node and all below it by the offsets of its beginning and end.
func (t *yamlText) locate(n *yaml.Node) {
	start := t.offset(n.Line, n.Column)
	end := start
	switch n.Kind {
	case yaml.DocumentNode:
		for _, c := range n.Content {
			t.locate(c)
			end = c.Column
		}
	case yaml.AliasNode:
		end = min(start+1+len(n.Value), t.end)
	case yaml.ScalarNode:
		start = t.skipProperties(n, start)
		end = t.scalarEnd(n, start)
		if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			t.opaque = append(t.opaque, extent{start, end})
		}
	default:
		start = t.skipProperties(n, start)
		end = start
		if n.Style&yaml.FlowStyle != 0 && end < t.end {
			end++
		}
		for _, c := range n.Content {
			t.locate(c)
			end = max(end, c.Column)
		}
		if n.Style&yaml.FlowStyle != 0 {
			end = t.closeFlow(end, n.Kind)
		}
	}
	n.Line, n.Column = start, max(start, end)
}

// skipProperties moves over an anchor and a tag to the value itself. An empty value stays behind them.
func (t *yamlText) skipProperties(n *yaml.Node, at int) int {
	if n.Anchor == "" && n.Style&yaml.TaggedStyle == 0 {
		return at
	}
	empty := n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&^yaml.TaggedStyle == 0
	for at < t.end && (t.text[at] == '&' || t.text[at] == '!') {
		for at < t.end && !strings.ContainsRune(" \t\r\n,", rune(t.text[at])) && t.text[at] != ']' && t.text[at] != '}' {
			at++
		}
		next := t.skipBlank(at)
		if empty && (next >= t.end || t.text[next] != '&' && t.text[next] != '!' || strings.ContainsRune(t.text[at:next], '\n')) {
			return at
		}
		at = next
	}
	return at
}

// skipBlank moves over white space, line breaks and comments.
func (t *yamlText) skipBlank(at int) int {
	for at < t.end {
		switch t.text[at] {
		case ' ', '\t', '\r', '\n':
			at++
		case '#':
			for at < t.end && t.text[at] != '\n' && t.text[at] != '\r' {
				at++
			}
		default:
			return at
		}
	}
	return at
}

// closeFlow is the end of a flow collection whose last child ends at the given offset.
func (t *yamlText) closeFlow(at int, kind yaml.Kind) int {
	closing := byte('}')
	if kind == yaml.SequenceNode {
		closing = ']'
	}
	for i := at; i < t.end; i++ {
		i = t.skipBlank(i)
		if i >= t.end {
			break
		}
		switch t.text[i] {
		case closing:
			return i + 1
		case ',', ':', '?':
		default:
			// A pair without braces inside a list, [a: 1], ends with its value.
			return at
		}
	}
	return at
}

func (t *yamlText) scalarEnd(n *yaml.Node, start int) int {
	if start >= t.end {
		return t.end
	}
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		for i := start + 1; i < t.end; i++ {
			switch t.text[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return t.end
	case n.Style&yaml.SingleQuotedStyle != 0:
		for i := start + 1; i < t.end; i++ {
			if t.text[i] != '\'' {
				continue
			}
			if i+1 < t.end && t.text[i+1] == '\'' {
				i++
				continue
			}
			return i + 1
		}
		return t.end
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		header := start
		for header < t.end && t.text[header] != '\n' && t.text[header] != '\r' {
			header++
		}
		if end := t.consume(header, n.Value); end > header {
			return end
		}
		return start + len(strings.TrimRight(t.text[start:header], " \t"))
	}
	if strings.HasPrefix(t.text[start:t.end], n.Value) {
		return start + len(n.Value)
	}
	return t.consume(start, n.Value)
}

// consume is the end of a value whose text in the file differs from it in white space only.
func (t *yamlText) consume(at int, value string) int {
	end := at
	for i := 0; i < len(value); i++ {
		if isYAMLSpace(value[i]) {
			continue
		}
		for at < t.end && t.text[at] != value[i] {
			if !isYAMLSpace(t.text[at]) && t.text[at] < utf8.RuneSelf {
				return end
			}
			at++
		}
		if at >= t.end {
			return end
		}
		at++
		end = at
	}
	return end
}

func isYAMLSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// comments finds the comments of a segment; scalars that may hold a '#' are left out.
func (t *yamlText) comments(b *builder, start int) {
	k := 0
	for i := start; i < t.end; {
		j := strings.IndexByte(t.text[i:t.end], '#')
		if j < 0 {
			return
		}
		i += j
		for k < len(t.opaque) && t.opaque[k].end <= i {
			k++
		}
		if k < len(t.opaque) && t.opaque[k].start <= i {
			i = t.opaque[k].end
			continue
		}
		if i > start && !isYAMLSpace(t.text[i-1]) {
			i++
			continue
		}
		i = b.lineComment(i)
	}
}

// ownLineComments is comments for a segment that could not be parsed, where only whole lines are sure.
func (t *yamlText) ownLineComments(b *builder, start int) {
	for l := t.first; l < len(t.lines) && int(t.lines[l]) < t.end; l++ {
		i := max(int(t.lines[l]), start)
		for i < t.end && (t.text[i] == ' ' || t.text[i] == '\t') {
			i++
		}
		if i < t.end && t.text[i] == '#' {
			b.lineComment(i)
		}
	}
}

// lineIndex is the index of the line that begins at or before off.
func lineIndex(lines []int32, off int) int {
	return sort.Search(len(lines), func(i int) bool { return int(lines[i]) > off }) - 1
}
