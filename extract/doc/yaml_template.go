package doc

import (
	"sort"
	"strings"
)

// An action is one piece of a template language inside a YAML text: Go templates and Helm {{ … }}, Jinja {% … %} and
// {# … #}, ERB <% … %>.
type action struct {
	start, end int
	kind       actionKind
	own        bool // it has its lines for itself, but for other actions
}

type actionKind uint8

const (
	actionOutput  actionKind = iota // writes text
	actionControl                   // if, else, end, range and so on: writes nothing itself
	actionComment
)

// template is what a YAML text holds of actions, and the text with all of them replaced by filler of equal length, so
// that every offset, line and column stays what it was.
type template struct {
	actions []action // in order
	filled  string
}

var openers = []struct{ open, close string }{{"{{", "}}"}, {"{%", "%}"}, {"{#", "#}"}, {"<%", "%>"}}

// maxAction is the longest action; a longer one is taken for text that happens to hold the two brackets.
const maxAction = 8 << 10

// readTemplate finds the actions and fills them. It returns nil for a text without any.
func readTemplate(src *source) *template {
	text := src.text
	if !strings.Contains(text, "{{") && !strings.Contains(text, "{%") && !strings.Contains(text, "<%") {
		return nil
	}
	t := &template{}
	var closed [4]int // by opener: the next closing bracket, len(text) when there is none
	for i := 0; i+4 <= len(text); i++ {
		if c := text[i]; c != '{' && c != '<' {
			continue
		}
		for k, o := range openers {
			if !strings.HasPrefix(text[i:], o.open) {
				continue
			}
			if end := closeComment(text, i); end > 0 {
				t.actions = append(t.actions, action{start: i, end: end, kind: actionComment})
				i = end - 1
				break
			}
			if closed[k] < i+2 {
				closed[k] = len(text)
				if j := strings.Index(text[i+2:], o.close); j >= 0 {
					closed[k] = i + 2 + j
				}
			}
			end := closeAction(text, i, closed[k], o.open)
			if end > 0 {
				t.actions = append(t.actions, action{start: i, end: end, kind: classify(text[i:end])})
				i = end - 1
			}
			break
		}
	}
	if t.actions == nil {
		return nil
	}
	t.fill(src)
	return t
}

// closeComment is the end of a Go template's comment at i, which may hold other actions, or 0 if there is none.
func closeComment(text string, i int) int {
	const longest = 64 << 10
	inner := strings.TrimLeft(text[i+2:min(len(text), i+12)], "- \t")
	if !strings.HasPrefix(text[i:], "{{") || !strings.HasPrefix(inner, "/*") {
		return 0
	}
	window := text[i:min(len(text), i+longest)]
	j := strings.Index(window, "*/")
	if j < 0 {
		return 0
	}
	rest := window[j+2:]
	tail := strings.TrimLeft(rest, "- \t")
	if !strings.HasPrefix(tail, "}}") {
		return 0
	}
	return i + j + 2 + len(rest) - len(tail) + 2
}

// closeAction is the end of the action at i whose next closing bracket is at j, or 0 if it is no action.
func closeAction(text string, i, j int, open string) int {
	if j >= len(text) || j-i > maxAction {
		return 0
	}
	inner := text[i+2 : j]
	if strings.Contains(inner, open) {
		return 0 // the one that opens later is closed here
	}
	// A Jinja dict ends in the same brackets: {{ {'a': {'b': 1}} }}.
	if n := strings.Count(inner, "{") - strings.Count(inner, "}"); open == "{{" && n > 0 {
		window := text[j:min(len(text), j+1024)]
		if k := strings.IndexByte(window, '\n'); k >= 0 {
			window = window[:k]
		}
		if n < len(window) {
			if k := strings.Index(window[n:], "}}"); k >= 0 && strings.Trim(window[:n], "}") == "" {
				return j + n + k + 2
			}
		}
	}
	return j + 2
}

var controlWords = map[string]bool{
	"if": true, "else": true, "end": true, "range": true, "with": true, "define": true, "block": true, "break": true,
	"continue": true, "elif": true, "endif": true, "for": true, "endfor": true, "set": true, "endset": true,
}

// firstWord is the word an action begins with, and what follows it.
func firstWord(s string) (word, rest string) {
	inner := strings.TrimLeft(s[2:len(s)-2], "- \t\r\n")
	if i := strings.IndexAny(inner, " \t\r\n-("); i >= 0 {
		return inner[:i], strings.TrimLeft(inner[i:], " \t\r\n")
	}
	return inner, ""
}

func classify(s string) actionKind {
	word, rest := firstWord(s)
	switch {
	case strings.HasPrefix(s, "{#"), strings.HasPrefix(s, "<%#"):
		return actionComment
	case strings.HasPrefix(s, "{%"):
		if word == "include" {
			return actionOutput
		}
		return actionControl
	case strings.HasPrefix(s, "<%"):
		if strings.HasPrefix(s, "<%=") {
			return actionOutput
		}
		return actionControl
	case controlWords[word], strings.HasPrefix(word, "$") && (strings.HasPrefix(rest, ":=") || strings.HasPrefix(rest, "= ")):
		return actionControl
	}
	return actionOutput
}

// comment is what a template comment says.
func (a action) comment(text string) string {
	return strings.Trim(text[a.start+2:a.end-2], "-*/# \t\r\n")
}

// key is a templated key's text, without the conditions around it.
func (t *template) key(text string, start, end int) string {
	var b strings.Builder
	at := start
	for _, a := range t.in(start, end) {
		if a.kind != actionOutput {
			b.WriteString(text[at:min(a.start, end)])
			at = min(a.end, end)
		}
	}
	b.WriteString(text[at:end])
	return strings.Trim(b.String(), " \t\"'")
}

// in returns the actions that begin in [start, end).
func (t *template) in(start, end int) []action {
	if t == nil {
		return nil
	}
	lo := sort.Search(len(t.actions), func(i int) bool { return t.actions[i].start >= start })
	hi := lo
	for hi < len(t.actions) && t.actions[hi].start < end {
		hi++
	}
	return t.actions[lo:hi]
}

// holds reports whether an action begins in [start, end).
func (t *template) holds(start, end int) bool {
	if t == nil {
		return false
	}
	i := sort.Search(len(t.actions), func(i int) bool { return t.actions[i].start >= start })
	return i < len(t.actions) && t.actions[i].start < end
}

// fill writes the filler: letters where an action is part of a value, spaces where it stands alone.
func (t *template) fill(src *source) {
	l := &templateLines{src: src, buf: []byte(src.text), own: make([]bool, len(src.lines)+1)}
	var groups [][]action // with nothing but blanks between them
	for i := 0; i < len(t.actions); {
		j := i + 1
		for j < len(t.actions) && strings.Trim(src.text[t.actions[j-1].end:t.actions[j].start], " \t") == "" {
			j++
		}
		if group := t.actions[i:j]; !l.markOwn(group) {
			groups = append(groups, group)
		}
		i = j
	}
	l.lookAhead()
	for _, g := range groups {
		l.fillInline(g)
	}
	l.fillOwn()
	t.filled = string(l.buf)
}

// templateLines is a text being filled.
type templateLines struct {
	src  *source
	buf  []byte
	own  []bool  // lines that hold nothing but actions
	next []int32 // by line: the indentation of the first line from there on that holds more than actions, -1 at the end
}

// markOwn marks the lines of actions that have their lines for themselves.
func (l *templateLines) markOwn(group []action) bool {
	first, last := group[0], group[len(group)-1]
	if strings.Trim(l.src.text[l.src.lineStart(first.start):first.start], " \t") != "" ||
		strings.Trim(l.src.text[last.end:l.src.lineEnd(last.end)], " \t\r") != "" {
		return false
	}
	for i := range group {
		group[i].own = true
	}
	from, _ := l.src.lineCol(first.start)
	to, _ := l.src.lineCol(last.end)
	for n := from; n <= to; n++ {
		l.own[n-1] = true
	}
	return true
}

func (l *templateLines) lookAhead() {
	lines := len(l.src.lines)
	l.next = make([]int32, lines+1)
	l.next[lines] = -1
	for n := lines - 1; n >= 0; n-- {
		l.next[n] = l.next[n+1]
		if line := l.line(n); !l.own[n] && !isBlank(line) {
			l.next[n] = int32(indentOf(line))
		}
	}
}

// fillInline fills actions that stand in a line with other text.
func (l *templateLines) fillInline(group []action) {
	first, last := group[0], group[len(group)-1]
	lineStart := l.src.lineStart(first.start)
	before := strings.TrimRight(l.src.text[lineStart:first.start], " \t")
	atEnd := strings.Trim(l.src.text[last.end:l.src.lineEnd(last.end)], " \t\r") == ""
	// "annotations: {{- range … }}" opens a block: the mapping stands on the lines below. So does
	// "labels: {{- include … | nindent 4 }}" if keys follow that stand deeper.
	opens := atEnd && (strings.HasSuffix(before, ":") || strings.HasSuffix(before, "-"))
	for _, a := range group {
		opens = opens && a.kind != actionOutput
	}
	if atEnd && strings.HasSuffix(before, ":") {
		line, _ := l.src.lineCol(last.end)
		opens = opens || int(l.next[line]) > keyIndent(before)
	}
	for i, a := range group {
		letter := byte('z')
		if opens || a.kind == actionComment {
			letter = ' '
		}
		group[i].own = opens
		for i := a.start; i < a.end; i++ {
			switch l.buf[i] {
			case '\n':
				letter = ' ' // a value goes on below its key only if indented, which actions need not be
			case '\r':
			default:
				l.buf[i] = letter
			}
		}
	}
}

// keyIndent is the column of the key on a line, behind the dashes of list items.
func keyIndent(line string) int {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	for strings.HasPrefix(line[indent:], "- ") {
		indent += 2
		indent += len(line[indent:]) - len(strings.TrimLeft(line[indent:], " "))
	}
	return indent
}

// fillOwn blanks the lines that hold nothing but actions. Inside a block scalar they are text of the scalar, and get
// its indentation, whatever theirs was.
func (l *templateLines) fillOwn() {
	head, block := -1, -1 // indentation of the key of the block scalar we are in, and of its text
	for n := range l.src.lines {
		line := l.line(n)
		switch {
		case l.own[n]:
			if head >= 0 && block < 0 {
				// Nothing of the scalar was seen yet: an action that writes text is its text.
				block = max(int(l.next[n]), head+1)
				if int(l.next[n]) <= head {
					block = max(indentOf(line), head+2)
				}
			} else if head >= 0 && indentOf(line) <= head && int(l.next[n]) <= head {
				head = -1
			}
			for i := range line {
				switch {
				case line[i] == '\r':
				case head >= 0 && i >= block:
					line[i] = 'z'
				default:
					line[i] = ' '
				}
			}
		case isBlank(line):
		default:
			if head >= 0 && indentOf(line) > head {
				if block < 0 {
					block = indentOf(line)
				}
				continue
			}
			head, block = blockHeader(line), -1
		}
	}
}

// firstBranches is the filled text without what stands between an else and its end. Branches of a template need not
// fit together in one YAML document; the first ones alone mostly do.
func (t *template) firstBranches(text string) string {
	var buf []byte
	var stack []int // of the open blocks: where the first else begins, -1 for none yet
	for _, a := range t.actions {
		if a.kind != actionControl {
			continue
		}
		switch word, _ := firstWord(text[a.start:a.end]); word {
		case "if", "with", "range", "for", "define", "block":
			stack = append(stack, -1)
		case "else", "elif":
			if n := len(stack); n > 0 && stack[n-1] < 0 {
				stack[n-1] = a.start
			}
		case "end", "endif", "endfor":
			n := len(stack)
			if n == 0 {
				continue
			}
			if from := stack[n-1]; from >= 0 {
				if buf == nil {
					buf = []byte(t.filled)
				}
				for i := from; i < a.end; i++ {
					if buf[i] != '\n' && buf[i] != '\r' {
						buf[i] = ' '
					}
				}
			}
			stack = stack[:n-1]
		}
	}
	return string(buf)
}

// line is the n-th line without its line feed.
func (l *templateLines) line(n int) []byte {
	from := int(l.src.lines[n])
	if n+1 < len(l.src.lines) {
		return l.buf[from : l.src.lines[n+1]-1]
	}
	return l.buf[from:]
}

func isBlank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

func indentOf(line []byte) int {
	i := 0
	for i < len(line) && line[i] == ' ' {
		i++
	}
	return i
}

// blockHeader is the indentation that the text of a block scalar must exceed if the line begins one, else -1.
func blockHeader(line []byte) int {
	s := strings.TrimRight(string(line), " \t\r")
	if i := strings.LastIndex(s, " #"); i >= 0 {
		s = strings.TrimRight(s[:i], " \t")
	}
	s = strings.TrimRight(s, "+-0123456789")
	if s == "" || s[len(s)-1] != '|' && s[len(s)-1] != '>' {
		return -1
	}
	s = s[:len(s)-1]
	lead := strings.TrimRight(s, " \t")
	if lead == s && s != "" {
		return -1
	}
	if lead == "" || strings.HasPrefix(lead, "---") {
		return 0
	}
	if c := lead[len(lead)-1]; c != ':' && c != '-' && !strings.ContainsAny(lead, "!&") {
		return -1
	}
	return keyIndent(lead)
}
