package doc

import "strings"

var _ = addReader(reader{Syntax: Bicep, Exts: []string{".bicep"}, Read: readBicep})

// readBicep reads declarations of Bicep files. A resource is a map of its properties under "resource", labelled with its
// symbolic name and its type; one within another stands in the same way in that one's map. "param" and "var" are maps of the
// values by name. Literals become scalars, objects and arrays maps and lists, every other expression is Unknown with its text. Of a
// loop ("[for x in xs: {...}]") and of a condition ("if (c) {...}") the object counts.
func readBicep(b *builder) {
	p := &bicep{builder: b, text: b.src.text}
	root := b.node(Map, 0, len(p.text))
	params, vars := b.node(Map, 0, 0), b.node(Map, 0, 0)
	for p.i < len(p.text) && !b.full {
		p.space(true)
		start := p.i
		switch word := p.word(); word {
		case "resource":
			p.resource(root, start, 0)
		case "param", "var":
			p.space(false)
			at := p.i
			name := p.word()
			end := p.i
			p.skipTo("=\n")
			if p.at('=') {
				p.i++
				m := vars
				if word == "param" {
					m = params
				}
				b.putOnce(m, name, at, end, p.value(0))
			}
		default:
			p.line()
		}
	}
	for key, m := range map[string]*Node{"param": params, "var": vars} {
		if m.Len() > 0 {
			m.start, m.end = m.kids[0].keyStart, m.kids[len(m.kids)-1].end
			b.put(root, key, int(m.start), int(m.start), m)
		}
	}
	b.doc(root, 0, 0)
}

type bicep struct {
	*builder
	text string
	i    int
}

func (p *bicep) at(c byte) bool { return p.i < len(p.text) && p.text[p.i] == c }

// space skips blanks and comments, and line ends where they do not matter.
func (p *bicep) space(lines bool) {
	for p.i < len(p.text) {
		switch c := p.text[p.i]; {
		case c == ' ' || c == '\t' || c == '\r' || lines && (c == '\n' || c == ','):
			p.i++
		case strings.HasPrefix(p.text[p.i:], "//"):
			p.i = p.lineComment(p.i)
		case strings.HasPrefix(p.text[p.i:], "/*"):
			end := strings.Index(p.text[p.i:], "*/")
			if end < 0 {
				end = len(p.text) - p.i - 2
			}
			p.comment(p.i, p.i+end+2, strings.Trim(p.text[p.i+2:p.i+end], "*"))
			p.i += end + 2
		default:
			return
		}
	}
}

func (p *bicep) word() string {
	start := p.i
	for p.i < len(p.text) && (p.text[p.i] == '_' || p.text[p.i] >= '0' && p.text[p.i] <= '9' || p.text[p.i]|0x20 >= 'a' && p.text[p.i]|0x20 <= 'z') {
		p.i++
	}
	return p.text[start:p.i]
}

func (p *bicep) skipTo(chars string) {
	for p.i < len(p.text) && strings.IndexByte(chars, p.text[p.i]) < 0 {
		p.i++
	}
}

// line skips a declaration that is not read, with what it opens.
func (p *bicep) line() {
	p.expression()
	if p.i < len(p.text) {
		p.i++
	}
}

// expression skips an expression, up to the end of its line or what closes the object or list around it.
func (p *bicep) expression() {
	depth := 0
	for p.i < len(p.text) {
		switch c := p.text[p.i]; c {
		case '\'':
			p.quoted()
			continue
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth == 0 {
				return
			}
			depth--
		case '\n', ',':
			if depth == 0 {
				return
			}
		case '/':
			if strings.HasPrefix(p.text[p.i:], "//") {
				if depth == 0 {
					return
				}
				p.i = p.lineComment(p.i)
				continue
			}
		}
		p.i++
	}
}

// quoted skips a string and returns what it holds; plain says that nothing in it is to be filled in.
func (p *bicep) quoted() (text string, plain bool) {
	if strings.HasPrefix(p.text[p.i:], "'''") {
		start := p.i + 3
		end := strings.Index(p.text[start:], "'''")
		if end < 0 {
			end = len(p.text) - start
		}
		p.i = min(start+end+3, len(p.text))
		return p.text[start : start+end], true
	}
	start := p.i + 1
	for p.i++; p.i < len(p.text) && p.text[p.i] != '\'' && p.text[p.i] != '\n'; p.i++ {
		if p.text[p.i] == '\\' {
			p.i++
		}
	}
	end := min(p.i, len(p.text))
	p.i = min(end+1, len(p.text))
	text = p.text[start:max(start, end)]
	return strings.ReplaceAll(text, `\'`, `'`), !strings.Contains(text, "${")
}

// value reads a value; one that is no literal is Unknown.
func (p *bicep) value(depth int) *Node {
	p.space(false)
	start := p.i
	if depth > p.lim.MaxDepth {
		p.errorf(start, "nested deeper than %d", p.lim.MaxDepth)
		p.i = len(p.text)
		return p.node(Unknown, start, start)
	}
	var n *Node
	switch {
	case p.at('{'):
		n = p.object(depth)
	case p.at('['):
		n = p.array(depth)
	case strings.HasPrefix(p.text[p.i:], "if"):
		p.skipTo("{\n")
		if p.at('{') {
			return p.object(depth)
		}
	case p.at('\''):
		if text, plain := p.quoted(); plain {
			n = p.node(Scalar, start, p.i).setText(text, typeString, true)
		}
	}
	stop := p.i
	p.space(false)
	if n != nil && (p.i >= len(p.text) || strings.IndexByte("\n,}])", p.text[p.i]) >= 0) {
		return n
	}
	p.i = max(stop, start)
	p.expression()
	raw := strings.TrimRight(p.text[start:p.i], " \t\r")
	n = p.node(Unknown, start, start+len(raw))
	if t := bareType(raw, JSON); t != typeString {
		return n.setText(raw, t, false)
	}
	if raw == "null" {
		n.kind = Null
		return n
	}
	n.text, n.tmpl = raw, raw
	return n
}

func (p *bicep) object(depth int) *Node {
	n := p.node(Map, p.i, -1)
	for p.i++; p.i < len(p.text) && !p.full; {
		p.space(true)
		if p.at('}') {
			p.i++
			break
		}
		start := p.i
		var key string
		if p.at('\'') {
			key, _ = p.quoted()
		} else {
			key = p.word()
		}
		end := p.i
		p.space(false)
		switch {
		case key == "resource" && !p.at(':'):
			p.resource(n, start, depth+1)
		case p.at(':') && end > start:
			p.i++
			p.putOnce(n, key, start, end, p.value(depth+1))
		default:
			p.line()
		}
	}
	n.end = int32(p.i)
	return n
}

func (p *bicep) array(depth int) *Node {
	n := p.node(List, p.i, -1)
	p.i++
	p.space(true)
	if strings.HasPrefix(p.text[p.i:], "for ") {
		// The object behind the colon stands for each.
		for depth := 0; p.i < len(p.text) && (depth > 0 || p.text[p.i] != ':'); p.i++ {
			switch p.text[p.i] {
			case '(', '[':
				depth++
			case ')', ']':
				depth--
			}
		}
		p.i = min(p.i+1, len(p.text))
	}
	for p.i < len(p.text) && !p.full {
		p.space(true)
		if p.at(']') {
			p.i++
			break
		}
		before := p.i
		p.add(n, p.value(depth+1))
		if p.i == before {
			p.i++
		}
	}
	n.end = int32(p.i)
	return n
}

// resource reads "NAME 'TYPE' = {...}" behind the word.
func (p *bicep) resource(in *Node, start, depth int) {
	var labels []*Node
	p.space(false)
	at := p.i
	name := p.word()
	labels = append(labels, p.node(Scalar, at, p.i).setText(name, typeString, false))
	p.space(false)
	if !p.at('\'') {
		p.line()
		return
	}
	at = p.i
	typ, _ := p.quoted()
	labels = append(labels, p.node(Scalar, at, p.i).setText(typ, typeString, true))
	p.skipTo("=\n")
	if !p.at('=') {
		return
	}
	p.i++
	v := p.value(depth)
	if v.kind == List {
		v = v.At(0)
	}
	if v.Kind() != Map {
		return
	}
	v.block, v.labels = true, labels
	p.repeat(in, "resource", start, start+len("resource"), v)
}
