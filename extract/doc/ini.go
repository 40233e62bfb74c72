package doc

import (
	"strings"
)

var (
	_ = addReader(reader{Syntax: INI, Exts: []string{".ini"}, Names: []string{"supervisord*.conf", "airflow*.cfg", "luigi*.cfg", "setup.cfg"}, Read: readINI})
	_ = addReader(reader{
		Syntax: Systemd,
		Exts:   []string{".service", ".timer", ".socket", ".path", ".mount", ".target", ".slice", ".scope"},
		Read:   readINI,
	})
)

// readINI reads sections of key = value or key: value, with ; and # comments. Sections of one name are merged, keys
// before any section stand at the root, and a line indented deeper than its key goes on with the value (ConfigParser).
// In systemd units only = separates, a backslash continues the line, and a key given again makes a list, which an
// empty value clears.
func readINI(b *builder) {
	r := &iniReader{builder: b, root: b.node(Map, 0, len(b.src.text)), unit: b.file.Syntax == Systemd}
	r.section = r.root
	for i := 0; i < len(b.src.text) && !b.full; {
		i = r.line(i)
	}
	r.flush()
	b.doc(r.root, 0, 0)
}

type iniReader struct {
	*builder
	root, section *Node
	unit          bool
	last          *Node           // value that an indented line may continue
	more          strings.Builder // its text, while lines are added
	indent        int             // of its key
}

// line reads the line at i and returns where the next one begins.
func (r *iniReader) line(i int) int {
	text := r.src.text
	end := r.src.lineEnd(i)
	next := min(end+1, len(text))
	if end == len(text) {
		next = end
	}
	stop := i + len(strings.TrimRight(text[i:end], " \t\r"))
	start := i
	for start < stop && (text[start] == ' ' || text[start] == '\t') {
		start++
	}
	if start >= stop {
		return next
	}
	switch c := text[start]; {
	case c == ';' || c == '#':
		r.lineComment(start)
		return next
	case c == '[' && (r.last == nil || start-i <= r.indent || r.unit):
		r.header(start, stop)
		return next
	case r.last != nil && !r.unit && start-i > r.indent:
		r.append(start, r.cutComment(start, stop))
		return next
	}
	if r.unit {
		for text[stop-1] == '\\' && next < len(text) {
			end = r.src.lineEnd(next)
			stop = next + len(strings.TrimRight(text[next:end], " \t\r"))
			if next = min(end+1, len(text)); stop <= start || text[stop-1] == '\n' {
				break
			}
		}
	}
	r.entry(i, start, stop)
	return next
}

// header reads "[name]".
func (r *iniReader) header(start, stop int) {
	text := r.src.text
	r.flush()
	closing := strings.IndexByte(text[start:stop], ']')
	if closing < 0 {
		r.errorf(start, "section name does not end")
		return
	}
	name := strings.TrimSpace(text[start+1 : start+closing])
	if rest := start + closing + 1; rest < stop {
		trimmed := strings.TrimLeft(text[rest:stop], " \t")
		switch {
		case trimmed != "" && (trimmed[0] == ';' || trimmed[0] == '#'):
			r.lineComment(stop - len(trimmed))
		case trimmed != "":
			r.errorf(stop-len(trimmed), "text after the section name")
		}
	}
	if old := r.root.Get(name); old.Kind() == Map {
		r.section = old
		return
	}
	r.section = r.node(Map, start, start+closing+1)
	r.section.block = true
	r.putOnce(r.root, name, start+1, start+closing, r.section)
}

// entry reads "key = value".
func (r *iniReader) entry(lineStart, start, stop int) {
	text := r.src.text
	line := text[start:stop]
	seps := "=:"
	if r.unit {
		seps = "="
	}
	sep := strings.IndexAny(line, seps)
	if sep == 0 {
		r.errorf(start, "no key before the separator")
		return
	}
	if sep < 0 {
		if strings.Trim(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") != "" {
			r.errorf(start, "neither a section nor a key with a value")
			return
		}
		r.flush()
		n := r.node(Null, stop, stop) // a flag without a value, as in my.cnf
		r.putOnce(r.section, line, start, stop, n)
		return
	}
	keyEnd := start + len(strings.TrimRight(line[:sep], " \t"))
	valStart := start + sep + 1
	for valStart < stop && (text[valStart] == ' ' || text[valStart] == '\t') {
		valStart++
	}
	valEnd := stop
	if !r.unit {
		valEnd = r.cutComment(valStart, stop)
	}
	n := r.node(Scalar, valStart, valEnd)
	raw := text[valStart:valEnd]
	if r.unit && strings.Contains(raw, "\n") {
		raw = joinContinued(raw)
	}
	r.set(n, raw)
	r.flush()
	r.last, r.indent = n, start-lineStart
	r.store(text[start:keyEnd], start, keyEnd, n)
	for p := r.section; p != nil && int(p.end) < valEnd; p = p.parent {
		p.end = int32(valEnd)
	}
}

// store puts the value into the section; a systemd key given again makes a list, an empty one begins anew.
func (r *iniReader) store(key string, start, end int, n *Node) {
	if !r.unit {
		r.putOnce(r.section, key, start, end, n)
		return
	}
	old := r.section.Get(key)
	switch {
	case !old.Exists() || n.text == "" || old.kind == Scalar && old.text == "":
		r.put(r.section, key, start, end, n)
	case old.kind == List:
		r.add(old, n)
		old.end = n.end
	default:
		l := r.node(List, int(old.start), int(n.end))
		r.put(r.section, key, int(old.keyStart), int(old.keyEnd), l)
		old.key, old.keyStart, old.keyEnd = "", -1, -1
		r.add(l, old)
		r.add(l, n)
	}
}

// set gives n its text, of which quotes around the whole are taken off.
func (r *iniReader) set(n *Node, raw string) {
	if k := len(raw); k >= 2 && (raw[0] == '"' || raw[0] == '\'') && raw[k-1] == raw[0] && strings.Count(raw, raw[:1]) == 2 {
		n.setText(raw[1:k-1], typeString, true)
		return
	}
	n.setText(raw, bareType(raw, r.file.Syntax), false)
}

// append adds a continuation line to the last value.
func (r *iniReader) append(start, stop int) {
	if r.more.Len() == 0 {
		r.more.WriteString(r.last.text)
	}
	if r.more.Len() > 0 {
		r.more.WriteByte('\n')
	}
	r.more.WriteString(r.src.text[start:stop])
	n := r.last
	if n.start == n.end {
		n.start = int32(start)
	}
	n.end = int32(stop)
	for p := n.parent; p != nil && p.end < n.end; p = p.parent {
		p.end = n.end
	}
}

// flush ends the last value.
func (r *iniReader) flush() {
	if r.last != nil && r.more.Len() > 0 {
		r.last.setText(r.more.String(), typeString, false)
	}
	r.last = nil
	r.more = strings.Builder{}
}

// cutComment is the end of a value before a comment that follows white space on its line.
func (r *iniReader) cutComment(start, stop int) int {
	text := r.src.text
	for i := start; i < stop; i++ {
		if c := text[i]; (c == ';' || c == '#') && (i == start || text[i-1] == ' ' || text[i-1] == '\t') {
			if c == '#' && i+1 < stop && text[i+1] != ' ' && text[i+1] != '\t' && i == start {
				continue // a colour or a channel: #ff0000
			}
			r.lineComment(i)
			return start + len(strings.TrimRight(text[start:i], " \t"))
		}
		if c := text[i]; i == start && (c == '"' || c == '\'') {
			if k := strings.IndexByte(text[i+1:stop], c); k >= 0 {
				i += k + 1
			}
		}
	}
	return stop
}

// joinContinued joins lines that end in a backslash.
func joinContinued(raw string) string {
	lines := strings.Split(raw, "\n")
	for i, l := range lines {
		l = strings.TrimSpace(l)
		lines[i] = strings.TrimSpace(strings.TrimSuffix(l, `\`))
	}
	return strings.Join(lines, " ")
}
