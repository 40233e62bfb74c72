package doc

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

var (
	_ = addReader(reader{Syntax: Properties, Exts: []string{".properties"}, Read: readProperties})
	_ = addReader(reader{Syntax: Env, Exts: []string{".env"}, Names: []string{".env", ".env.*"}, Read: readEnv})
)

// readProperties reads Java properties. A dotted key makes nested maps, a.b[0].c with a list inside, and is also found
// whole by Get. A key that has both a value and keys below it is a Scalar with keys.
func readProperties(b *builder) {
	p := &propsReader{builder: b, s: b.src.text, indexed: map[*Node]bool{}}
	root := b.node(Map, 0, len(p.s))
	for p.i < len(p.s) && !b.full {
		p.line(root)
	}
	p.makeLists()
	b.doc(root, 0, 0)
}

type propsReader struct {
	*builder
	s       string
	i       int
	indexed map[*Node]bool // maps whose keys so far all were [n]
	order   []*Node        // the keys of indexed, as they were met
}

// line reads one logical line: blank, comment, or key and value with its continuations.
func (p *propsReader) line(root *Node) {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n\f", p.s[p.i]) >= 0 {
		p.i++
	}
	if p.i == len(p.s) {
		return
	}
	if c := p.s[p.i]; c == '#' || c == '!' {
		p.i = p.lineComment(p.i)
		return
	}
	keyStart := p.i
	for p.i < len(p.s) && strings.IndexByte("=: \t\f\r\n", p.s[p.i]) < 0 {
		if p.s[p.i] == '\\' && p.i+1 < len(p.s) {
			p.i++
		}
		p.i++
	}
	keyEnd := min(p.i, len(p.s))
	p.blank()
	if p.i < len(p.s) && (p.s[p.i] == '=' || p.s[p.i] == ':') {
		p.i++
		p.blank()
	}
	start := p.i
	for p.i < len(p.s) && p.s[p.i] != '\n' && p.s[p.i] != '\r' {
		if p.s[p.i] == '\\' && p.i+1 < len(p.s) {
			if p.s[p.i+1] == '\r' && p.i+2 < len(p.s) && p.s[p.i+2] == '\n' {
				p.i++
			}
			p.i++
		}
		p.i++
	}
	p.i = min(p.i, len(p.s))
	key := unescapeProperty(p.s[keyStart:keyEnd])
	if key == "" {
		p.errorf(keyStart, "no key before the separator")
		return
	}
	n := p.node(Scalar, start, p.i)
	// Java keeps blanks at the end of a value; nobody who wrote them meant them.
	text := strings.TrimRight(unescapeProperty(p.s[start:p.i]), " \t")
	n.setText(text, bareType(text, Properties), false)
	p.place(root, key, keyStart, keyEnd, n)
}

func (p *propsReader) blank() {
	for p.i < len(p.s) && (p.s[p.i] == ' ' || p.s[p.i] == '\t' || p.s[p.i] == '\f') {
		p.i++
	}
}

// place puts a value under the parts of its key.
func (p *propsReader) place(root *Node, key string, keyStart, keyEnd int, n *Node) {
	parts := splitProperty(key)
	if len(parts) == 0 || len(parts) > p.lim.MaxDepth {
		p.putOnce(root, key, keyStart, keyEnd, n)
		return
	}
	at := root
	for k, part := range parts {
		bracket := isIndex(key, part, k, parts)
		if was, seen := p.indexed[at]; seen && was && !bracket {
			p.indexed[at] = false
		} else if !seen && len(at.kids) == 0 {
			p.indexed[at] = bracket
			if bracket {
				p.order = append(p.order, at)
			}
		}
		old := at.Get(part)
		if k == len(parts)-1 {
			if old.Kind() == Map {
				// Its own value comes after keys below it: the node stays, with a text.
				old.setText(n.text, n.typ, false)
				old.start, old.end, old.keyStart, old.keyEnd, old.block = n.start, n.end, int32(keyStart), int32(keyEnd), false
				return
			}
			if old.Exists() {
				n.kids, n.index = old.kids, old.index
				for _, kid := range n.kids {
					kid.parent = n
				}
			}
			p.putOnce(at, part, keyStart, keyEnd, n)
			return
		}
		if !old.Exists() {
			old = p.node(Map, keyStart, int(n.end))
			old.block = true
			p.put(at, part, keyStart, keyEnd, old)
		}
		at = old
	}
}

// isIndex reports whether the k-th part of a key stands in brackets.
func isIndex(key, part string, k int, parts []string) bool {
	if k == 0 || strings.Trim(part, "0123456789") != "" || !strings.Contains(key, "["+part+"]") {
		return false
	}
	at := 0
	for _, before := range parts[:k] {
		at = at + strings.Index(key[at:], before) + len(before)
	}
	return strings.HasPrefix(key[at:], "["+part+"]")
}

// makeLists turns maps whose keys are all indices into lists, ordered by index.
func (p *propsReader) makeLists() {
	for _, m := range p.order {
		if !p.indexed[m] || m.kind != Map {
			continue
		}
		items := make([]*Node, 0, len(m.kids))
		for i := 0; i < len(m.kids); i++ {
			kid := m.find(strconv.Itoa(i))
			if kid < 0 {
				break
			}
			items = append(items, m.kids[kid])
		}
		if len(items) != len(m.kids) {
			continue // gaps: positions in a list would lie
		}
		m.kind, m.kids, m.index = List, items, nil
	}
}

// splitProperty cuts a property's name into its parts: a.b[0].c is a, b, 0, c.
func splitProperty(key string) []string {
	return strings.FieldsFunc(key, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
}

// unescapeProperty undoes backslashes: continuation lines, \t \n \r \f, \uXXXX, and any other character as itself.
func unescapeProperty(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	buf := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			buf = append(buf, s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 't':
			buf = append(buf, '\t')
		case 'n':
			buf = append(buf, '\n')
		case 'r':
			buf = append(buf, '\r')
		case 'f':
			buf = append(buf, '\f')
		case 'u':
			r, ok := hex4(s[i-1:])
			if !ok {
				buf = append(buf, 'u')
				break
			}
			i += 4
			if low, ok := hex4(s[i+1:]); ok && utf16.IsSurrogate(r) {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					r = pair
					i += 6
				}
			}
			buf = utf8.AppendRune(buf, r)
		case '\r', '\n':
			if c == '\r' && i+1 < len(s) && s[i+1] == '\n' {
				i++
			}
			for i+1 < len(s) && (s[i+1] == ' ' || s[i+1] == '\t' || s[i+1] == '\f') {
				i++
			}
		default:
			buf = append(buf, c)
		}
	}
	return string(buf)
}

// readEnv reads NAME=value lines as shells and compose write them: an optional "export", quotes around the value,
// # comments. Keys are not split.
func readEnv(b *builder) {
	text := b.src.text
	root := b.node(Map, 0, len(text))
	for i := 0; i < len(text) && !b.full; {
		end := b.src.lineEnd(i)
		next := end + 1
		stop := i + len(strings.TrimRight(text[i:end], " \t\r"))
		for i < stop && (text[i] == ' ' || text[i] == '\t') {
			i++
		}
		switch {
		case i >= stop:
		case text[i] == '#':
			b.lineComment(i)
		default:
			if rest, ok := strings.CutPrefix(text[i:stop], "export "); ok {
				i = stop - len(strings.TrimLeft(rest, " \t"))
			}
			next = max(next, b.envLine(root, i, stop))
		}
		i = next
	}
	b.doc(root, 0, 0)
}

// envLine reads one assignment and returns where reading goes on: behind it, for a quoted value over several lines.
func (b *builder) envLine(root *Node, start, stop int) int {
	text := b.src.text
	sep := strings.IndexByte(text[start:stop], '=')
	key := ""
	if sep > 0 {
		key = strings.TrimRight(text[start:start+sep], " \t")
	}
	if key == "" || strings.ContainsAny(key, " \t\"'") {
		b.errorf(start, "no NAME=value")
		return stop
	}
	val := start + sep + 1
	for val < stop && (text[val] == ' ' || text[val] == '\t') {
		val++
	}
	if val < stop && (text[val] == '"' || text[val] == '\'') {
		quote := text[val]
		const longest = 64 << 10 // a quote that is never closed must not be looked for to the end on every line
		for i := val + 1; i < min(len(text), val+longest); i++ {
			if text[i] == '\\' && quote == '"' {
				i++
				continue
			}
			if text[i] != quote {
				continue
			}
			n := b.node(Scalar, val, i+1)
			inner := text[val+1 : i]
			if quote == '"' {
				inner = unescapeProperty(inner)
			}
			n.setText(inner, typeString, true)
			b.putOnce(root, key, start, start+len(key), n)
			if end := b.src.lineEnd(i); strings.HasPrefix(strings.TrimLeft(text[i+1:end], " \t"), "#") {
				b.lineComment(i + 1 + strings.IndexByte(text[i+1:end], '#'))
			}
			return b.src.lineEnd(i) + 1
		}
	}
	for i := val; i < stop; i++ {
		if text[i] == '#' && i > val && (text[i-1] == ' ' || text[i-1] == '\t') {
			b.lineComment(i)
			stop = i
			break
		}
	}
	n := b.node(Scalar, val, val+len(strings.TrimRight(text[val:max(val, stop)], " \t")))
	raw := text[n.start:n.end]
	n.setText(raw, bareType(raw, Env), false)
	b.putOnce(root, key, start, start+len(key), n)
	return stop
}
