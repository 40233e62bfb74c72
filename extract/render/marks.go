package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"
)

// A mark is a place of a template. Marks are written into the templates as "⟦7⟧" in front of what comes from the place,
// and taken out of the rendered text again; characters that quoting and the writers of YAML and JSON leave alone.
type mark struct {
	Path      string
	Line, Col int
	// Values are the chart values that an action writes, each as its path: {"job", "retries"}. "*" stands for any key of a
	// map that a range goes through. Empty for the template's own text.
	Values [][]string
	Action bool
}

const markOpen, markClose = "⟦", "⟧"

// markers are the marks of one chart. Its templates are the same whatever the values are, and are marked once for all of its
// environments.
type markers struct {
	dir   string
	list  []mark
	texts map[unmarked]string
}

type unmarked struct {
	file, text string
	defines    bool
}

// of is for a chart: what is known of another is forgotten.
func (m *markers) of(dir string) *markers {
	if m.dir != dir || m.texts == nil {
		*m = markers{dir: dir, texts: map[unmarked]string{}}
	}
	return m
}

// instrument puts marks into a template; a text that is no template, or has such characters already, stays as it is.
func (m *markers) instrument(file, text string, defines bool) string {
	if strings.Contains(text, markOpen) || text == "" {
		return text
	}
	key := unmarked{file, text, defines}
	marked, ok := m.texts[key]
	if !ok {
		marked = m.make(file, text, defines)
		m.texts[key] = marked
	}
	return marked
}

func (m *markers) make(file, text string, defines bool) string {
	t := parse.New("main")
	t.Mode = parse.SkipFuncCheck
	set := map[string]*parse.Tree{}
	if _, err := t.Parse(text, "", "", set); err != nil {
		return text
	}
	in := &instrumenter{m: m, file: file, text: text, lineStarts: lineStarts(text)}
	var b strings.Builder
	names := make([]string, 0, len(set))
	for name := range set {
		if name != "main" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		root := set[name].Root
		if defines {
			in.list(root, scope{dot: []string{}})
		}
		fmt.Fprintf(&b, "{{define %q}}%s{{end}}", name, root)
	}
	if t.Root != nil {
		in.list(t.Root, scope{dot: []string{}})
		b.WriteString(t.Root.String())
	}
	return b.String()
}

type instrumenter struct {
	m          *markers
	file, text string
	lineStarts []int
}

// scope is what "." and the variables are: paths in the values, nil where that is not known. The root is the empty path,
// with vals false; vals says that the path lies in .Values.
type scope struct {
	dot  []string // path of ".", nil unknown
	vals bool
	vars map[string][]string // paths in the values
}

func (s scope) with(name string, p []string) scope {
	vars := make(map[string][]string, len(s.vars)+1)
	for k, v := range s.vars {
		vars[k] = v
	}
	vars[name] = p
	s.vars = vars
	return s
}

func (in *instrumenter) mark(off int, values [][]string, action bool) string {
	line, ok := slices.BinarySearch(in.lineStarts, off)
	if ok {
		line++
	}
	m := in.m
	m.list = append(m.list, mark{Path: in.file, Line: line, Col: 1 + off - in.lineStarts[line-1], Values: values, Action: action})
	return markOpen + strconv.Itoa(len(m.list)-1) + markClose
}

func (in *instrumenter) list(list *parse.ListNode, s scope) {
	if list == nil {
		return
	}
	var out []parse.Node
	text := func(b string) { out = append(out, &parse.TextNode{NodeType: parse.NodeText, Text: []byte(b)}) }
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			n.Text = []byte(in.lines(string(n.Text), int(n.Pos)))
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 {
				text(in.mark(in.actionStart(int(n.Pos)), s.values(n.Pipe), true))
			} else {
				s = s.with(n.Pipe.Decl[0].Ident[0], first(s.values(n.Pipe)))
			}
		case *parse.TemplateNode:
			text(in.mark(in.actionStart(int(n.Pos)), nil, true))
		case *parse.IfNode:
			in.branches(&n.BranchNode, s, s)
		case *parse.WithNode:
			inner := s.enter(first(s.values(n.Pipe)), false)
			if len(n.Pipe.Decl) == 1 {
				inner = inner.with(n.Pipe.Decl[0].Ident[0], first(s.values(n.Pipe)))
			}
			in.branches(&n.BranchNode, inner, s)
		case *parse.RangeNode:
			p := first(s.values(n.Pipe))
			inner := s.enter(p, true)
			if d := n.Pipe.Decl; len(d) > 0 && p != nil {
				inner = inner.with(d[len(d)-1].Ident[0], append(slices.Clone(p), "*"))
			}
			in.branches(&n.BranchNode, inner, s)
		}
		out = append(out, n)
	}
	list.Nodes = out
}

func (in *instrumenter) branches(b *parse.BranchNode, inner, outer scope) {
	in.list(b.List, inner)
	in.list(b.ElseList, outer)
}

// actionStart is the offset of the brackets in front of an action's first word.
func (in *instrumenter) actionStart(off int) int {
	if i := strings.LastIndex(in.text[:min(off, len(in.text))], "{{"); i >= 0 {
		return i
	}
	return off
}

// lines puts a mark in front of the first character of each line that is not blank.
func (in *instrumenter) lines(text string, off int) string {
	if off < 0 || off+len(text) > len(in.text) || in.text[off:off+len(text)] != text {
		return text
	}
	var b strings.Builder
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += at + 1
		}
		line := text[at:end]
		i := len(line) - len(strings.TrimLeft(line, " \t\r\n"))
		b.WriteString(line[:i])
		if i < len(line) {
			b.WriteString(in.mark(off+at+i, nil, false))
		}
		b.WriteString(line[i:])
		at = end
	}
	return b.String()
}

func first(ps [][]string) []string {
	if len(ps) == 0 {
		return nil
	}
	return ps[0]
}

func (s scope) enter(p []string, each bool) scope {
	if p == nil {
		s.dot, s.vals = nil, false
		return s
	}
	s.dot, s.vals = slices.Clone(p), true
	if each {
		s.dot = append(s.dot, "*")
	}
	return s
}

// maxCandidates bounds the values that one action may write.
const maxCandidates = 6

// values are the paths of the chart values that a pipeline mentions, in its order.
func (s scope) values(pipe *parse.PipeNode) [][]string {
	var out [][]string
	add := func(p []string) {
		if len(p) > 0 && len(out) < maxCandidates {
			out = append(out, p)
		}
	}
	var visit func(n parse.Node)
	visit = func(n parse.Node) {
		switch n := n.(type) {
		case *parse.PipeNode:
			for _, c := range n.Cmds {
				visit(c)
			}
		case *parse.CommandNode:
			if f, ok := n.Args[0].(*parse.IdentifierNode); ok && len(n.Args) > 2 && (f.Ident == "index" || f.Ident == "get") {
				if p := s.path(n.Args[1]); p != nil {
					for _, a := range n.Args[2:] {
						key, ok := a.(*parse.StringNode)
						if !ok {
							break
						}
						p = append(slices.Clone(p), key.Text)
					}
					add(p)
					return
				}
			}
			for _, a := range n.Args {
				visit(a)
			}
		default:
			add(s.path(n))
		}
	}
	visit(pipe)
	return out
}

// path is the place in the values that a field, a variable or the dot means; nil where it is none.
func (s scope) path(n parse.Node) []string {
	under := func(base []string, inValues bool, more []string) []string {
		if i := slices.Index(more, "Values"); i >= 0 && !inValues {
			return slices.Clone(more[i+1:])
		}
		if base == nil || !inValues {
			return nil
		}
		return append(slices.Clone(base), more...)
	}
	switch n := n.(type) {
	case *parse.DotNode:
		return under(s.dot, s.vals, nil)
	case *parse.FieldNode:
		return under(s.dot, s.vals, n.Ident)
	case *parse.VariableNode:
		if p, ok := s.vars[n.Ident[0]]; ok {
			return under(p, p != nil, n.Ident[1:])
		}
		return under(nil, false, n.Ident[1:])
	case *parse.ChainNode:
		if p := s.path(n.Node); p != nil {
			return append(slices.Clone(p), n.Field...)
		}
		if i := slices.Index(n.Field, "Values"); i >= 0 {
			return slices.Clone(n.Field[i+1:])
		}
	case *parse.PipeNode:
		return first(s.values(n))
	}
	return nil
}

// strip takes the marks out of a text.
func strip(marked string) (string, []span) {
	var b strings.Builder
	var spans []span
	for {
		i := strings.Index(marked, markOpen)
		if i < 0 {
			break
		}
		rest := marked[i+len(markOpen):]
		digits, after, ok := strings.Cut(rest, markClose)
		id, err := strconv.Atoi(digits)
		if !ok || err != nil {
			b.WriteString(marked[:i+len(markOpen)])
			marked = rest
			continue
		}
		b.WriteString(marked[:i])
		if n := len(spans); n > 0 && spans[n-1].At == b.Len() {
			spans[n-1].Mark = id // the later one is the inner one
		} else {
			spans = append(spans, span{b.Len(), id})
		}
		marked = after
	}
	b.WriteString(marked)
	return b.String(), spans
}

// spansOf are the marks of a marked text as they lie in the true one. Where the two differ (a checksum of another text, a
// random word) the line has the mark of its beginning; texts with another number of lines, or many such lines, are not
// the same.
func spansOf(marked, text string) ([]span, bool) {
	got, spans := strip(marked)
	if got == text {
		return spans, len(spans) > 0
	}
	a, b := strings.SplitAfter(got, "\n"), strings.SplitAfter(text, "\n")
	if len(a) != len(b) {
		return nil, false
	}
	var out []span
	from, to, differ, i := 0, 0, 0, 0
	for n := range a {
		same := a[n] == b[n]
		if !same {
			differ++
		}
		for firstOne := true; i < len(spans) && spans[i].At < from+len(a[n]); i++ {
			if same || firstOne {
				out = append(out, span{min(to+spans[i].At-from, to+len(b[n])), spans[i].Mark})
			}
			firstOne = false
		}
		from, to = from+len(a[n]), to+len(b[n])
	}
	return out, differ <= 3+len(a)/10 && len(out) > 0
}
