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

func classify(s string) actionKind {
	inner := strings.TrimLeft(s[2:len(s)-2], "- \t\r\n")
	word, rest := inner, ""
	if i := strings.IndexAny(inner, " \t\r\n-"); i >= 0 {
		word, rest = inner[:i], strings.TrimLeft(inner[i:], " \t\r\n")
	}
	switch {
	case strings.HasPrefix(s, "{#"), strings.HasPrefix(inner, "/*"), strings.HasPrefix(s, "<%#"):
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
	buf := []byte(src.text)
	ownLine := make([]bool, len(src.lines)+1)
	for i := 0; i < len(t.actions); {
		j := i + 1
		for j < len(t.actions) && strings.Trim(src.text[t.actions[j-1].end:t.actions[j].start], " \t") == "" {
			j++
		}
		t.fillGroup(src, buf, t.actions[i:j], ownLine)
		i = j
	}
	fillOwnLines(src, buf, ownLine)
	t.filled = string(buf)
}

// fillGroup handles actions with nothing but blanks between them.
func (t *template) fillGroup(src *source, buf []byte, group []action, ownLine []bool) {
	first, last := group[0], group[len(group)-1]
	before := strings.TrimRight(src.text[src.lineStart(first.start):first.start], " \t")
	atEnd := strings.Trim(src.text[last.end:src.lineEnd(last.end)], " \t\r") == ""
	if before == "" && atEnd {
		for i := range group {
			group[i].own = true
		}
		from, _ := src.lineCol(first.start)
		to, _ := src.lineCol(last.end)
		for l := from; l <= to; l++ {
			ownLine[l-1] = true
		}
		return
	}
	// "annotations: {{- range … }}" opens a block; the mapping stands on the lines below.
	opens := atEnd && (strings.HasSuffix(before, ":") || strings.HasSuffix(before, "-"))
	for _, a := range group {
		opens = opens && a.kind != actionOutput
	}
	for _, a := range group {
		letter := byte('z')
		if opens || a.kind == actionComment {
			letter = ' '
		}
		for i := a.start; i < a.end; i++ {
			switch buf[i] {
			case '\n':
				letter = ' ' // a value goes on below its key only if indented, which actions need not be
			case '\r':
			default:
				buf[i] = letter
			}
		}
	}
}

// fillOwnLines blanks the lines that hold nothing but actions. Inside a block scalar they are text of the scalar, and
// get its indentation, whatever theirs was.
func fillOwnLines(src *source, buf []byte, ownLine []bool) {
	lines := len(src.lines)
	// next[l] is the indentation of the first line from l on that holds more than actions, -1 at the end.
	next := make([]int32, lines+1)
	next[lines] = -1
	for l := lines - 1; l >= 0; l-- {
		next[l] = next[l+1]
		if line := lineOf(src, buf, l); !ownLine[l] && !isBlank(line) {
			next[l] = int32(indentOf(line))
		}
	}
	head, block := -1, -1 // indentation of the key of the block scalar we are in, and of its text
	for l := 0; l < lines; l++ {
		line := lineOf(src, buf, l)
		switch {
		case ownLine[l]:
			if head >= 0 && block < 0 {
				// Nothing of the scalar was seen yet: an action that writes text is its text.
				block = max(int(next[l]), head+1)
				if int(next[l]) <= head {
					block = max(indentOf(line), head+2)
				}
			} else if head >= 0 && indentOf(line) <= head && int(next[l]) <= head {
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

func lineOf(src *source, buf []byte, l int) []byte {
	from := int(src.lines[l])
	if l+1 < len(src.lines) {
		return buf[from : src.lines[l+1]-1]
	}
	return buf[from:]
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
	indent := len(lead) - len(strings.TrimLeft(lead, " "))
	for strings.HasPrefix(lead[indent:], "- ") {
		indent += 2
		indent += len(lead[indent:]) - len(strings.TrimLeft(lead[indent:], " "))
	}
	return indent
}
