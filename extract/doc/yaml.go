package doc

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

var _ = addReader(reader{Syntax: YAML, Exts: []string{".yaml", ".yml"}, Read: readYAML})

// readYAML cuts the file at its document markers first, since yaml.v3 stops at the first broken document, and parses
// each document alone.
func readYAML(b *builder) {
	y := &yamlReader{builder: b, tpl: readTemplate(b.src)}
	y.yamlText = yamlText{text: b.src.text, lines: yamlLines(b.src), ascii: isASCII(b.src.text)}
	if y.tpl != nil {
		y.text = y.tpl.filled
		for _, a := range y.tpl.actions {
			if a.kind == actionComment {
				b.comment(a.start, a.end, a.comment(b.src.text))
			}
		}
	}
	index := 0
	for _, seg := range y.segments() {
		if b.full {
			return
		}
		if index >= maxDocuments {
			b.errorf(seg.start, "more than %d documents; the rest of the file is not read", maxDocuments)
			return
		}
		if n := atMost(y.text[seg.start:seg.end]); n > 3*b.lim.MaxNodes {
			b.errorf(seg.start, "more than %d values; the document is not read", b.lim.MaxNodes)
			index++
			continue
		}
		y.first, y.end, y.opaque, y.lastLine = lineIndex(y.lines, seg.start), seg.end, y.opaque[:0], -1
		if y.segment(seg, index) {
			index++
		}
	}
}

// maxDocuments is more than any stream of manifests in a repository has.
const maxDocuments = 10_000

// atMost bounds the number of nodes that yaml.v3 would make of a text, before it makes them.
func atMost(text string) int {
	n := 0
	for _, c := range []string{"\n", ",", "[", "{", ": ", "- ", "? "} {
		n += strings.Count(text, c)
	}
	return n
}

type yamlReader struct {
	*builder
	yamlText
	tpl      *template
	branches string              // the text without else branches, made when a document needs it
	expands  int                 // nodes made through aliases
	over     bool                // the limit of expansions was reached and reported
	active   map[*yaml.Node]bool // anchored nodes being built, to see cycles
}

// segments are the extents of the documents. A segment with nothing but blanks, comments and directives belongs to the
// next one.
func (y *yamlReader) segments() []extent {
	var segs []extent
	start, content := 0, false
	for l, from := range y.lines {
		at := int(from)
		rest := y.text[at:]
		switch {
		case isMarker(rest, "---"):
			if content {
				segs = append(segs, extent{start, at})
				start = at
			}
			content = true
		case isMarker(rest, "..."):
			next := len(y.text)
			if l+1 < len(y.lines) {
				next = int(y.lines[l+1])
			}
			if content {
				segs = append(segs, extent{start, next})
			}
			start, content = next, false
		case !content:
			i := y.end2(at)
			line := strings.TrimLeft(y.text[at:i], " \t")
			content = line != "" && line[0] != '#' && line[0] != '%'
		}
	}
	return append(segs, extent{start, len(y.text)})
}

// end2 is the end of the line at an offset, whatever breaks it.
func (y *yamlReader) end2(at int) int {
	for at < len(y.text) && y.text[at] != '\n' && y.text[at] != '\r' {
		at++
	}
	return at
}

func isMarker(rest, marker string) bool {
	return strings.HasPrefix(rest, marker) && (len(rest) == 3 || isYAMLSpace(rest[3]))
}

// segment parses one document, and reports whether there was one.
func (y *yamlReader) segment(seg extent, index int) bool {
	var root yaml.Node
	err := decodeYAML(y.text[seg.start:seg.end], &root)
	if err != nil && y.tpl != nil && root.Kind == 0 {
		if y.branches == "" {
			y.branches = y.tpl.firstBranches(y.src.text)
		}
		if y.branches != "" && decodeYAML(y.branches[seg.start:seg.end], &root) == nil {
			defer func(text string) { y.text = text }(y.text)
			y.text = y.branches
			err = fmt.Errorf("%w (read without the template's else branches)", err)
		}
	}
	if root.Kind == 0 {
		y.ownLineComments(y.builder, seg.start)
		if err != nil {
			y.report(err, seg.start)
		}
		return err != nil
	}
	if err != nil {
		y.report(err, seg.start) // what follows the document on its last lines; the document itself is whole
	}
	y.locate(&root)
	y.comments(y.builder, seg.start)
	body := root.Content[0]
	if body.Kind == yaml.ScalarNode && body.Line == body.Column && body.Value == "" && !y.tpl.holds(seg.start, seg.end) {
		return false // "---" and nothing below it
	}
	start := seg.start
	if isMarker(y.text[start:], "---") {
		start += 3
	}
	start = min(y.skipBlank(start), body.Line)
	y.active = nil
	n := y.build(body, -1, 0)
	y.checkTemplated(seg)
	y.doc(n, index, max(start, seg.start))
	return true
}

// checkTemplated tells a template from a file that has expressions in quotes.
func (y *yamlReader) checkTemplated(seg extent) {
	if y.file.Templated {
		return
	}
	for _, a := range y.tpl.in(seg.start, seg.end) {
		i := lowerBound(y.opaque, a.start)
		if i < len(y.opaque) && y.opaque[i].start <= a.start {
			continue
		}
		if c := strings.TrimRight(y.src.text[y.src.lineStart(a.start):a.start], " "); strings.Contains(c, "#") ||
			a.start > 0 && y.src.text[a.start-1] == '$' {
			continue
		}
		y.file.Templated = true
		return
	}
}

// lowerBound is the first extent that ends after off.
func lowerBound(es []extent, off int) int {
	lo, hi := 0, len(es)
	for lo < hi {
		if m := (lo + hi) / 2; es[m].end <= off {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// decodeYAML parses one document and looks for a rest behind it. A panic in the library is an error.
func decodeYAML(text string, root *yaml.Node) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("yaml: %v", p)
		}
	}()
	dec := yaml.NewDecoder(strings.NewReader(text))
	if err := dec.Decode(root); err != nil {
		*root = yaml.Node{}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
	var rest yaml.Node
	if err := dec.Decode(&rest); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// parserFault matches the messages of yaml.v3's parser, for which it counts lines from 0; its scanner's count from 1.
var parserFault = regexp.MustCompile("^did not find expected (node content|<document start>|'-' indicator|key|',' or)")

// report turns yaml.v3's error into one with a place in the file.
func (y *yamlReader) report(err error, start int) {
	msg, at := strings.TrimPrefix(err.Error(), "yaml: "), y.skipBlank(start)
	if rest, ok := strings.CutPrefix(msg, "line "); ok {
		if num, rest, ok := strings.Cut(rest, ": "); ok {
			if line, err := strconv.Atoi(num); err == nil {
				if parserFault.MatchString(rest) {
					line++
				}
				at, msg = y.offset(line, 1), rest
			}
		}
	}
	y.errorf(at, "YAML: %s", msg)
}

// build makes a node of a located yaml.Node. alias is the offset of the outermost alias through which it is reached,
// or -1.
func (y *yamlReader) build(yn *yaml.Node, alias int32, depth int) *Node {
	if alias >= 0 {
		y.expands++
	}
	if y.expands > y.lim.MaxAliasExpansion || depth > y.lim.MaxDepth || y.full {
		return y.refuse(yn, alias, depth)
	}
	if yn.Kind == yaml.AliasNode {
		if y.active[yn.Alias] {
			y.errorf(yn.Line, "YAML: alias *%s holds itself", yn.Value)
			return y.unknownNode(yn, alias)
		}
		if alias < 0 {
			alias = int32(yn.Line)
		}
		return y.build(yn.Alias, alias, depth)
	}
	if yn.Anchor != "" && yn.Kind != yaml.ScalarNode {
		if y.active == nil {
			y.active = map[*yaml.Node]bool{}
		}
		y.active[yn] = true
		defer delete(y.active, yn)
	}
	n := y.node(Null, yn.Line, yn.Column)
	n.alias = alias
	if strings.HasPrefix(yn.Tag, "!") && !strings.HasPrefix(yn.Tag, "!!") && yn.Tag != "!" {
		n.tag = yn.Tag
	}
	switch yn.Kind {
	case yaml.MappingNode:
		n.kind, n.block = Map, yn.Style&yaml.FlowStyle == 0
		y.fillMap(n, yn, alias, depth)
		n.partial = n.block && y.partial(yn.Line, yn.Line, yn.Column)
	case yaml.SequenceNode:
		n.kind, n.block = List, yn.Style&yaml.FlowStyle == 0
		n.kids = make([]*Node, 0, len(yn.Content))
		for _, c := range yn.Content {
			if y.full {
				break
			}
			y.add(n, y.build(c, alias, depth+1))
		}
		n.partial = n.block && y.partial(yn.Line, yn.Line, yn.Column)
	default:
		y.scalar(n, yn)
	}
	return n
}

// refuse is a node for what a limit forbids: something is there, unknown what.
func (y *yamlReader) refuse(yn *yaml.Node, alias int32, depth int) *Node {
	switch {
	case y.full:
	case depth > y.lim.MaxDepth:
		y.errorf(yn.Line, "nested deeper than %d", y.lim.MaxDepth)
	case !y.over:
		y.over = true
		y.errorf(max(int(alias), yn.Line), "aliases expand to more than %d values", y.lim.MaxAliasExpansion)
	}
	return y.unknownNode(yn, alias)
}

func (y *yamlReader) unknownNode(yn *yaml.Node, alias int32) *Node {
	n := y.node(Unknown, yn.Line, yn.Column)
	n.alias = alias
	return n
}

// fillMap adds a mapping's keys, then those of its merge keys that it does not have itself.
func (y *yamlReader) fillMap(n *Node, yn *yaml.Node, alias int32, depth int) {
	n.kids = make([]*Node, 0, len(yn.Content)/2)
	var merges []*yaml.Node
	for i := 0; i+1 < len(yn.Content) && !y.full; i += 2 {
		k, v := yn.Content[i], yn.Content[i+1]
		if k.Tag == "!!merge" || k.Kind == yaml.ScalarNode && k.Value == "<<" && k.Style == 0 {
			merges = append(merges, v)
			continue
		}
		key := y.key(k)
		child := y.build(v, alias, depth+1)
		if child.kind == Null && v.Line == v.Column {
			y.fillNull(child, k.Column)
		}
		if child.block && !child.partial && alias < 0 && v.Kind != yaml.AliasNode {
			child.partial = y.partial(k.Column, v.Line, v.Line)
		}
		old := n.find(key)
		if old < 0 {
			y.put(n, key, k.Line, k.Column, child)
			continue
		}
		was := n.kids[old]
		y.put(n, key, k.Line, k.Column, child)
		switch {
		case y.tpl == nil:
			y.errorf(k.Line, "key %q stands more than once; the last one is used", key)
		case was.Raw() != child.Raw():
			// Two branches of the template; which one counts is not known.
			text := was.Raw() + " | " + child.Raw()
			if was.kind != Scalar && was.kind != Unknown || child.kind != Scalar && child.kind != Unknown {
				continue
			}
			child.kind, child.text, child.tmpl, child.typ = Unknown, text, text, typeString
		}
	}
	for _, m := range merges {
		y.merge(n, m, alias, depth)
	}
}

// merge adds what a merge key names: a mapping, an alias of one, or a list of them, where earlier ones win.
func (y *yamlReader) merge(n *Node, m *yaml.Node, alias int32, depth int) {
	if m.Kind == yaml.SequenceNode {
		for _, c := range m.Content {
			if c.Kind != yaml.SequenceNode {
				y.merge(n, c, alias, depth)
			}
		}
		return
	}
	if alias < 0 {
		alias = int32(m.Line)
	}
	from := y.build(m, alias, depth)
	if from.kind != Map {
		if from.kind != Unknown {
			y.errorf(m.Line, "YAML: merge key needs a mapping")
		}
		n.partial = true
		return
	}
	for _, kid := range from.kids {
		if n.find(kid.key) < 0 {
			y.put(n, kid.key, int(kid.keyStart), int(kid.keyEnd), kid)
		}
	}
}

// key is a mapping key's text; of a key that is no scalar, its source.
func (y *yamlReader) key(k *yaml.Node) string {
	if k.Kind == yaml.AliasNode && k.Alias.Kind == yaml.ScalarNode {
		return k.Alias.Value
	}
	if k.Kind != yaml.ScalarNode {
		return y.src.text[k.Line:k.Column]
	}
	if y.tpl.holds(k.Line, k.Column) {
		return y.tpl.key(y.src.text, k.Line, k.Column)
	}
	return k.Value
}

func (y *yamlReader) scalar(n *Node, yn *yaml.Node) {
	block := yn.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
	n.quoted = yn.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
	if y.tpl.holds(yn.Line, yn.Column) {
		raw := y.src.text[yn.Line:yn.Column]
		switch {
		case block:
			n.unknown(dedent(raw))
		case n.quoted:
			n.unknown(strings.Join(strings.Fields(raw[1:max(1, len(raw)-1)]), " "))
		default:
			n.unknown(strings.Join(strings.Fields(raw), " "))
		}
		return
	}
	if yn.Tag == "!!null" && !n.quoted && !block {
		n.kind = Null
		return
	}
	n.kind, n.text = Scalar, yn.Value
	switch yn.Tag {
	case "!!int":
		n.typ = typeInt
	case "!!float":
		n.typ = typeFloat
	case "!!bool":
		n.typ = typeBool
	case "!!timestamp":
		n.typ = typeTime
	}
	if n.tag != "" {
		// !Ref, !secret, !vault: the value is elsewhere.
		n.unknown(n.text)
		n.tmpl = strings.TrimSpace(n.tag + " " + n.text)
	}
}

// dedent is the text of a block scalar, from its header on, without indentation.
func dedent(raw string) string {
	_, body, _ := strings.Cut(raw, "\n")
	lines := strings.Split(strings.ReplaceAll(body, "\r\n", "\n"), "\n")
	indent, loose := -1, -1 // loose: of actions, which may stand anywhere
	for _, l := range lines {
		t := strings.TrimLeft(l, " ")
		least := &indent
		if strings.HasPrefix(t, "{") || strings.HasPrefix(t, "<") {
			least = &loose
		}
		if t != "" && (*least < 0 || len(l)-len(t) < *least) {
			*least = len(l) - len(t)
		}
	}
	if indent < 0 {
		indent = loose
	}
	for i, l := range lines {
		t := strings.TrimLeft(l, " ")
		lines[i] = l[min(max(indent, 0), len(l)-len(t)):]
	}
	return strings.Join(lines, "\n") + "\n"
}

// fillNull makes an empty value Unknown if a template action that writes text stands where the value would:
//
//	resources:
//	  {{- toYaml .Values.resources | nindent 2 }}
func (y *yamlReader) fillNull(n *Node, keyEnd int) {
	if y.tpl == nil {
		return
	}
	colon := keyEnd
	for colon < y.end && (y.text[colon] == ' ' || y.text[colon] == '\t') {
		colon++
	}
	for _, a := range y.tpl.in(keyEnd, y.skipBlank(min(colon+1, y.end))) {
		if a.kind == actionOutput {
			n.unknown(y.src.text[a.start:a.end])
			n.start, n.end = int32(a.start), int32(a.end)
			return
		}
	}
}

var indentCall = regexp.MustCompile(`n?indent\s+(\d+)`)

// partial reports whether an action that writes lines stands in [from, to), at the column of the block collection that
// begins at start.
func (y *yamlReader) partial(from, start, to int) bool {
	if y.tpl == nil {
		return false
	}
	column := start - y.src.lineStart(start)
	for _, a := range y.tpl.in(from, y.skipBlank(to)) {
		if !a.own || a.kind != actionOutput {
			continue
		}
		text := y.src.text[a.start:a.end]
		at := a.start - y.src.lineStart(a.start)
		if m := indentCall.FindStringSubmatch(text); m != nil {
			at, _ = strconv.Atoi(m[1])
		}
		if at == column {
			return true
		}
	}
	return false
}
