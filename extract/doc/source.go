package doc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// source is a file's decoded text with an index of its lines. Nodes refer to it by byte offsets.
type source struct {
	file     string // its path, for texts inside it
	text     string
	lines    []int32   // offset of each line's first byte
	comments []Comment // sorted; filled by builder.finish
	host     *host     // for a text inside another file's value; nil for files
}

func newSource(text string) *source {
	s := &source{text: text, lines: make([]int32, 1, 1+strings.Count(text, "\n"))}
	for i := 0; ; {
		j := strings.IndexByte(text[i:], '\n')
		if j < 0 {
			return s
		}
		i += j + 1
		s.lines = append(s.lines, int32(i))
	}
}

// decodeText makes UTF-8 of a file with a byte order mark, and refuses UTF-16 that is cut in the middle of a unit.
func decodeText(data []byte) (string, error) {
	switch {
	case len(data) >= 3 && data[0] == 0xEF && data[1] == 0xBB && data[2] == 0xBF:
		return string(data[3:]), nil
	case len(data) >= 2 && data[0] == 0xFF && data[1] == 0xFE:
		return decodeUTF16(data[2:], binary.LittleEndian)
	case len(data) >= 2 && data[0] == 0xFE && data[1] == 0xFF:
		return decodeUTF16(data[2:], binary.BigEndian)
	}
	return string(data), nil
}

func decodeUTF16(data []byte, order binary.ByteOrder) (string, error) {
	if len(data)%2 != 0 {
		return "", errors.New("UTF-16 text of an odd number of bytes")
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return string(utf16.Decode(units)), nil
}

// place is the 1-based place of an offset in the file, also for a text inside a value of the file.
func (s *source) place(off int) (line, col int) {
	line, col = s.lineCol(off)
	if s.host != nil {
		return s.host.place(line, col)
	}
	return line, col
}

// lineCol is the 1-based place of an offset in the text; offsets outside the text are moved to its nearer end.
func (s *source) lineCol(off int) (line, col int) {
	off = min(max(off, 0), len(s.text))
	i := sort.Search(len(s.lines), func(i int) bool { return int(s.lines[i]) > off })
	return i, off - int(s.lines[i-1]) + 1
}

// span is the Pos from start to end. With end before start only the beginning is known.
func (s *source) span(start, end int) Pos {
	var p Pos
	p.Line, p.Col = s.place(start)
	if end >= start {
		p.EndLine, p.EndCol = s.place(end)
	}
	return p
}

// lineStart and lineEnd are the bounds of the line that holds off, without its line break.
func (s *source) lineStart(off int) int { return strings.LastIndexByte(s.text[:off], '\n') + 1 }

func (s *source) lineEnd(off int) int {
	if i := strings.IndexByte(s.text[off:], '\n'); i >= 0 {
		return off + i
	}
	return len(s.text)
}

// commentsAt are the comments that belong to something on the given lines: those on the lines, and the unbroken block
// of own-line comments above.
func (s *source) commentsAt(first, last int) []Comment {
	hi := sort.Search(len(s.comments), func(i int) bool { return s.comments[i].Pos.Line > last })
	lo := hi
	for lo > 0 && s.comments[lo-1].Pos.Line >= first {
		lo--
	}
	for want := first - 1; lo > 0; lo-- {
		c := s.comments[lo-1]
		end := max(c.Pos.Line, c.Pos.EndLine)
		if end != want || !c.own {
			break
		}
		want = c.Pos.Line - 1
	}
	if lo == hi {
		return nil
	}
	return s.comments[lo:hi:hi]
}

// maxErrors bounds File.Errs; a binary file read as INI would have one a line.
const maxErrors = 50

// builder is what a reader fills: it makes nodes within the limits and collects documents, comments and errors.
type builder struct {
	file  *File
	src   *source
	lim   Limits
	slab  []Node
	nodes int
	full  bool // MaxNodes is reached; readers stop
}

// errorf records what could not be read at an offset.
func (b *builder) errorf(off int, format string, args ...any) {
	switch n := len(b.file.Errs); {
	case n < maxErrors:
		b.file.Errs = append(b.file.Errs, Error{b.src.span(off, -1), clip(fmt.Sprintf(format, args...))})
	case n == maxErrors:
		b.file.Errs = append(b.file.Errs, Error{b.src.span(off, -1), "too many errors; the rest is not listed"})
	}
}

// clip keeps messages short and printable even when they quote a hostile file.
func clip(msg string) string {
	const most = 300
	if len(msg) > most {
		msg = msg[:most] + "…"
	}
	return strings.ToValidUTF8(msg, "\uFFFD")
}

// node makes a node with the extent [start, end). end < 0 means not known yet.
func (b *builder) node(kind Kind, start, end int) *Node {
	if b.nodes >= b.lim.MaxNodes && !b.full {
		b.full = true
		b.errorf(start, "more than %d values; the rest of the file is not read", b.lim.MaxNodes)
	}
	b.nodes++
	if len(b.slab) == 0 {
		b.slab = make([]Node, min(64, 8+b.nodes))
	}
	n := &b.slab[0]
	b.slab = b.slab[1:]
	n.src, n.kind, n.syntax = b.src, kind, b.file.Syntax
	n.start, n.end, n.keyStart, n.keyEnd, n.alias = int32(start), int32(end), -1, -1, -1
	return n
}

// doc adds a document.
func (b *builder) doc(root *Node, index, start int) {
	line, _ := b.src.place(start)
	b.file.Docs = append(b.file.Docs, &Document{Root: root, Syntax: b.file.Syntax, Index: index, StartLine: line})
}

// put sets a map's child, and reports whether the key is new. Of a key that stands twice the last value is kept, in the
// first one's place among the keys.
func (b *builder) put(m *Node, key string, keyStart, keyEnd int, v *Node) bool {
	v.key, v.keyStart, v.keyEnd, v.parent = key, int32(keyStart), int32(keyEnd), m
	if i := m.find(key); i >= 0 {
		m.kids[i] = v
		return false
	}
	m.kids = append(m.kids, v)
	if m.index != nil {
		m.index[key] = int32(len(m.kids) - 1)
	} else if len(m.kids) > indexFrom {
		m.reindex()
	}
	return true
}

// putOnce is put that reports a repeated key as an Error.
func (b *builder) putOnce(m *Node, key string, keyStart, keyEnd int, v *Node) {
	if !b.put(m, key, keyStart, keyEnd, v) {
		b.errorf(keyStart, "key %q stands more than once; the last one is used", key)
	}
}

// repeat is put for what may stand several times under one key, blocks and directives: the second makes a list, whose
// items keep their own places.
func (b *builder) repeat(m *Node, key string, keyStart, keyEnd int, v *Node) {
	i := m.find(key)
	if i < 0 {
		b.put(m, key, keyStart, keyEnd, v)
		return
	}
	old := m.kids[i]
	if !old.repeated {
		l := b.node(List, int(old.start), int(old.end))
		l.block, l.repeated = true, true
		b.put(m, key, int(old.keyStart), int(old.keyEnd), l)
		old.parent = l
		l.kids = append(l.kids, old)
		old = l
	}
	v.key, v.keyStart, v.keyEnd = key, int32(keyStart), int32(keyEnd)
	old.end = max(old.end, v.end)
	b.add(old, v)
}

// word makes a label or argument.
func (b *builder) word(start, end int) *Node {
	w := b.node(Scalar, start, end)
	text := b.src.text[start:end]
	quoted := false
	if k := len(text); k >= 2 && (text[0] == '"' || text[0] == '\'') && text[k-1] == text[0] {
		text, quoted = text[1:k-1], true
	}
	return w.setText(text, bareType(text, b.file.Syntax), quoted)
}

// directive makes the node of a directive from its arguments: a scalar of their text, with each as a label. Without
// arguments it is Null.
func (b *builder) directive(args []*Node, end int) *Node {
	if len(args) == 0 {
		return b.node(Null, end, end)
	}
	n := b.node(Scalar, int(args[0].start), int(args[len(args)-1].end))
	text := args[0].text
	if len(args) > 1 {
		var s strings.Builder
		for i, a := range args {
			if i > 0 {
				s.WriteByte(' ')
			}
			s.WriteString(a.text)
		}
		text = s.String()
	}
	n.labels = args
	return n.setText(text, bareType(text, b.file.Syntax), len(args) == 1 && args[0].quoted)
}

// add appends a list item.
func (b *builder) add(l, v *Node) {
	v.parent = l
	l.kids = append(l.kids, v)
}

// comment records a comment from its marker to its end; text is what it says.
func (b *builder) comment(start, end int, text string) {
	i := start // the whole line is not looked at: it may be long, and hold many comments
	for i > 0 && (b.src.text[i-1] == ' ' || b.src.text[i-1] == '\t') {
		i--
	}
	own := i == 0 || b.src.text[i-1] == '\n'
	b.file.Comments = append(b.file.Comments, Comment{Pos: b.src.span(start, end), Text: strings.TrimSpace(text), own: own})
}

// lineComment records a comment that runs to the end of its line, and returns that end.
func (b *builder) lineComment(start int) int {
	end := b.src.lineEnd(start)
	trimmed := start + len(strings.TrimRight(b.src.text[start:end], "\r"))
	b.comment(start, trimmed, strings.TrimLeft(b.src.text[start:trimmed], "#;!/"))
	return end
}

// finish sorts what the reader collected and ties the comments to the nodes.
func (b *builder) finish() {
	cs := b.file.Comments
	if !sort.SliceIsSorted(cs, func(i, j int) bool { return before(cs[i].Pos, cs[j].Pos) }) {
		sort.SliceStable(cs, func(i, j int) bool { return before(cs[i].Pos, cs[j].Pos) })
	}
	b.src.comments = cs
	sort.SliceStable(b.file.Errs, func(i, j int) bool { return before(b.file.Errs[i].Pos, b.file.Errs[j].Pos) })
}

func before(a, b Pos) bool { return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col }

// runeColumn is the offset of a column that counts characters, on the line that starts at from.
func runeColumn(text string, from, runes int) int {
	for ; runes > 0 && from < len(text); runes-- {
		_, n := utf8.DecodeRuneInString(text[from:])
		from += n
	}
	return from
}
