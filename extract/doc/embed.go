package doc

import "strings"

// host tells where a text stands that was taken from a value of a file.
type host struct {
	src          *source
	pos          Pos  // of the value
	lines, cols  int  // what to add to lines, and to columns
	oneLine      int  // for a text on one line of the file: its length, where a break after it, written \n, ends
	approximates bool // the value's own escapes or folding moved the text: every place is the value's
}

func (h *host) place(line, col int) (int, int) {
	if h.approximates {
		return h.pos.Line, h.pos.Col
	}
	if h.oneLine > 0 && line > 1 {
		line, col = 1, h.oneLine+1
	}
	col += h.cols
	// Blank lines may be shorter than the indentation taken off the others, and the value's last line may lack a break.
	line = min(line+h.lines, len(h.src.lines))
	return line, min(col, len(h.src.lineText(line-1))+1)
}

// ParseAs reads a scalar's text as a file of its own, such as a ConfigMap's value or a heredoc with JSON in it. Places
// are those of the file that holds the value, where the text stands in it as it is (block scalars, heredocs, words and
// strings on one line); otherwise each is the place of the value. For what is no text the File is empty.
func (n *Node) ParseAs(syntax Syntax, lim Limits) *File {
	f := &File{Syntax: syntax}
	if !n.isText() || n.src == nil {
		return f
	}
	f.Path = n.src.file
	lim = lim.filled()
	if int64(len(n.text)) > lim.MaxBytes {
		f.Errs = append(f.Errs, Error{n.Pos(), "text is larger than the limit"})
		return f
	}
	src := newSource(n.text)
	src.host = n.hostOf(src)
	f.read(src, lim)
	return f
}

// hostOf finds out how the lines of the value's text lie in the file.
func (n *Node) hostOf(src *source) *host {
	h := &host{src: n.src, pos: n.Pos(), approximates: true}
	if n.start < 0 || n.end < n.start {
		return h
	}
	if n.src.host != nil {
		return h // a text inside a text inside a file
	}
	line, col := n.src.lineCol(int(n.start))
	raw := n.Raw()
	if !strings.Contains(strings.TrimSuffix(n.text, "\n"), "\n") {
		one := strings.TrimSuffix(n.text, "\n")
		if i := strings.Index(raw, one); i >= 0 && one != "" && !strings.Contains(raw[:i], "\n") {
			return &host{src: n.src, lines: line - 1, cols: col - 1 + i, oneLine: len(one)}
		}
	}
	// The text may begin on the value's own line, or below a header (|, <<EOT, """).
	for _, first := range []int{line + 1, line} {
		if indent, ok := n.src.aligned(first, src); ok {
			return &host{src: n.src, lines: first - 1, cols: indent}
		}
	}
	return h
}

// aligned reports whether a text's lines are those of the file from a line on, all indented by the same amount.
func (s *source) aligned(first int, text *source) (indent int, ok bool) {
	indent = -1
	for i := range text.lines {
		want := strings.TrimRight(text.lineText(i), " \t\r")
		if want == "" {
			continue
		}
		if first-1+i >= len(s.lines) {
			return 0, false
		}
		got := strings.TrimRight(s.lineText(first-1+i), " \t\r")
		if indent < 0 {
			indent = len(got) - len(want)
		}
		if len(got)-len(want) != indent || indent < 0 || !strings.HasSuffix(got, want) {
			return 0, false
		}
	}
	return max(indent, 0), indent >= 0
}

// lineText is the i-th line, from 0, without its line feed.
func (s *source) lineText(i int) string {
	return s.text[s.lines[i]:s.lineEnd(int(s.lines[i]))]
}
