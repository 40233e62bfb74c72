package doc

import (
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

var _ = addReader(reader{Syntax: TOML, Exts: []string{".toml"}, Names: []string{"pipfile", "cargo.lock", "poetry.lock", "telegraf*.conf"}, Read: readTOML})

// readTOML scans for keys and values with their places, and lets the library judge: what it refuses is an Error. The
// library alone would not do, since it knows no places of values and gives nothing of a file with one fault. A test
// holds the scan's values against the library's.
func readTOML(b *builder) {
	t := &tomlReader{builder: b, s: b.src.text}
	t.root = b.node(Map, 0, len(t.s))
	t.table = t.root
	t.scan()
	b.doc(t.root, 0, 0)
	if t.deep || b.full {
		return // the library's recursion is not bounded
	}
	var v map[string]any
	_, err := toml.Decode(t.s, &v)
	var at toml.ParseError
	switch {
	case errors.As(err, &at):
		b.errorf(at.Position.Start, "TOML: %s", at.Message)
	case err != nil:
		b.errorf(0, "TOML: %v", err)
	case t.fault != "":
		b.errorf(t.faultAt, "TOML: %s", t.fault)
	}
}

type tomlReader struct {
	*builder
	s       string
	i       int
	root    *Node
	table   *Node // that keys go to
	deep    bool
	fault   string // the scan's first own complaint
	faultAt int
}

func (t *tomlReader) fail(at int, msg string) bool {
	if t.fault == "" {
		t.fault, t.faultAt = msg, at
	}
	return false
}

// scan reads the file line by line; after a fault it goes on with the next line.
func (t *tomlReader) scan() {
	for !t.full {
		t.blank(true)
		if t.i >= len(t.s) {
			return
		}
		var ok bool
		if t.s[t.i] == '[' {
			ok = t.header()
		} else {
			ok = t.pair(t.table, 0)
		}
		if ok {
			t.blank(false)
			if t.i < len(t.s) && t.s[t.i] != '\n' {
				t.fail(t.i, "text after the value")
				ok = false
			}
		}
		if !ok {
			t.i = t.src.lineEnd(min(t.i, len(t.s)))
		}
	}
}

// blank moves over white space and comments, and over line ends if asked.
func (t *tomlReader) blank(lines bool) {
	for t.i < len(t.s) {
		switch c := t.s[t.i]; {
		case c == ' ' || c == '\t' || c == '\r':
			t.i++
		case c == '\n' && lines:
			t.i++
		case c == '#':
			t.i = t.lineComment(t.i)
		default:
			return
		}
	}
}

// header reads [a.b] or [[a.b]].
func (t *tomlReader) header() bool {
	start := t.i
	array := strings.HasPrefix(t.s[t.i:], "[[")
	t.i++
	if array {
		t.i++
	}
	keys, ok := t.keys()
	if !ok {
		return false
	}
	closing := "]"
	if array {
		closing = "]]"
	}
	if !strings.HasPrefix(t.s[t.i:], closing) {
		return t.fail(t.i, "table name does not end")
	}
	t.i += len(closing)
	at := t.root
	for k, key := range keys {
		if k < len(keys)-1 || !array {
			if at = t.descend(at, key, t.i); at == nil {
				return t.fail(key.start, "key is no table")
			}
			continue
		}
		item := t.node(Map, start, t.i)
		item.block = true
		list := at.Get(key.text)
		if list.Kind() != List || !list.block {
			list = t.node(List, start, t.i)
			list.block = true
			t.put(at, key.text, key.start, key.end, list)
		}
		t.add(list, item)
		at = item
	}
	t.table = at
	t.grow(at, t.i)
	return true
}

// descend is the table under a key, made if it is not there; of an array of tables, the last one.
func (t *tomlReader) descend(at *Node, key tomlKey, end int) *Node {
	next := at.Get(key.text)
	if next.Kind() == List && next.block && next.Len() > 0 {
		next = next.At(next.Len() - 1)
	}
	if !next.Exists() {
		next = t.node(Map, key.start, end)
		next.block = true
		t.put(at, key.text, key.start, key.end, next)
	}
	if next.kind != Map {
		return nil
	}
	return next
}

// grow extends a table and what holds it to the end of something new in it.
func (t *tomlReader) grow(n *Node, end int) {
	for ; n != nil && int(n.end) < end; n = n.parent {
		n.end = int32(end)
	}
}

// pair reads key = value into a table.
func (t *tomlReader) pair(table *Node, depth int) bool {
	keys, ok := t.keys()
	if !ok {
		return false
	}
	if t.i >= len(t.s) || t.s[t.i] != '=' {
		return t.fail(t.i, "expected = after the key")
	}
	t.i++
	t.blank(false)
	v := t.value(depth + len(keys))
	if v == nil {
		return false
	}
	at := table
	for _, key := range keys[:len(keys)-1] {
		if at = t.descend(at, key, t.i); at == nil {
			return t.fail(key.start, "key is no table")
		}
	}
	last := keys[len(keys)-1]
	if !t.put(at, last.text, last.start, last.end, v) {
		t.fail(last.start, "key stands more than once; the last one is used")
	}
	t.grow(at, t.i)
	return true
}

type tomlKey struct {
	text       string
	start, end int
}

// keys reads a dotted key and the blanks behind it.
func (t *tomlReader) keys() ([]tomlKey, bool) {
	var keys []tomlKey
	for {
		t.blanks()
		start := t.i
		var text string
		switch {
		case t.i < len(t.s) && (t.s[t.i] == '"' || t.s[t.i] == '\''):
			var ok bool
			if text, ok = t.str(false); !ok {
				return nil, false
			}
		default:
			for t.i < len(t.s) && isBareKey(t.s[t.i]) {
				t.i++
			}
			if text = t.s[start:t.i]; text == "" {
				return nil, t.fail(start, "expected a key")
			}
		}
		keys = append(keys, tomlKey{text, start, t.i})
		if len(keys) > t.lim.MaxDepth {
			t.deep = true
			t.errorf(start, "nested deeper than %d", t.lim.MaxDepth)
			return nil, false
		}
		t.blanks()
		if t.i >= len(t.s) || t.s[t.i] != '.' {
			return keys, true
		}
		t.i++
	}
}

func (t *tomlReader) blanks() {
	for t.i < len(t.s) && (t.s[t.i] == ' ' || t.s[t.i] == '\t') {
		t.i++
	}
}

func isBareKey(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c >= utf8.RuneSelf
}

// value reads one value; nil after a fault.
func (t *tomlReader) value(depth int) *Node {
	start := t.i
	switch {
	case depth > t.lim.MaxDepth:
		if !t.deep {
			t.errorf(start, "nested deeper than %d", t.lim.MaxDepth)
		}
		t.deep = true
		return nil
	case t.full:
		return nil
	case t.i >= len(t.s):
		t.fail(t.i, "expected a value")
		return nil
	}
	switch c := t.s[t.i]; c {
	case '"', '\'':
		text, ok := t.str(true)
		if !ok {
			return nil
		}
		return t.node(Scalar, start, t.i).setText(text, typeString, true)
	case '[':
		return t.members(t.node(List, start, -1), ']', depth)
	case '{':
		return t.members(t.node(Map, start, -1), '}', depth)
	}
	for t.i < len(t.s) && strings.IndexByte(" \t\r\n,#]}", t.s[t.i]) < 0 {
		t.i++
	}
	word := t.s[start:t.i]
	// A date may have a blank before its time.
	if len(word) == 10 && word[4] == '-' && len(t.s)-t.i > 5 && t.s[t.i] == ' ' && t.s[t.i+1] >= '0' && t.s[t.i+1] <= '9' && t.s[t.i+3] == ':' {
		for t.i++; t.i < len(t.s) && strings.IndexByte(" \t\r\n,#]}", t.s[t.i]) < 0; t.i++ {
		}
		word = t.s[start:t.i]
	}
	ty, ok := tomlType(word)
	if !ok {
		t.fail(start, "unknown kind of value")
		return nil
	}
	return t.node(Scalar, start, t.i).setText(word, ty, false)
}

func tomlType(word string) (typ, bool) {
	switch strings.TrimLeft(word, "+-") {
	case "":
		return 0, false
	case "true", "false":
		return typeBool, true
	case "inf", "nan":
		return typeFloat, true
	}
	if ty := bareType(word, TOML); ty == typeInt || ty == typeFloat {
		return ty, true
	}
	for _, layout := range []string{"2006-01-02", "15:04:05", "15:04", "2006-01-02T15:04", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", time.RFC3339} {
		if _, err := time.Parse(layout, strings.ToUpper(strings.Replace(word, " ", "T", 1))); err == nil {
			return typeTime, true
		}
	}
	return 0, false
}

// members reads the inside of an array or inline table up to its closing bracket.
func (t *tomlReader) members(n *Node, closing byte, depth int) *Node {
	t.i++
	for {
		if t.blank(true); t.i >= len(t.s) {
			t.fail(int(n.start), "bracket is not closed")
			return nil
		}
		if t.s[t.i] == closing {
			t.i++
			n.end = int32(t.i)
			return n
		}
		if n.kind == Map {
			if !t.pair(n, depth+1) {
				return nil
			}
		} else if v := t.value(depth + 1); v != nil {
			t.add(n, v)
		} else {
			return nil
		}
		if t.blank(true); t.i < len(t.s) && t.s[t.i] == ',' {
			t.i++
		} else if t.i < len(t.s) && t.s[t.i] != closing {
			t.fail(t.i, "expected a comma")
			return nil
		}
	}
}

// str reads a string; multi-line ones only where they are allowed.
func (t *tomlReader) str(multi bool) (string, bool) {
	start := t.i
	quote := t.s[start : start+1]
	if three := strings.Repeat(quote, 3); multi && strings.HasPrefix(t.s[start:], three) {
		body := start + 3
		for i := body; i < len(t.s); i++ {
			if t.s[i] == '\\' && quote == `"` {
				i++
				continue
			}
			if !strings.HasPrefix(t.s[i:], three) {
				continue
			}
			// Up to two quotes may stand right before the closing three.
			for k := 0; k < 2 && i+3 < len(t.s) && t.s[i+3] == quote[0]; k++ {
				i++
			}
			t.i = i + 3
			inner := strings.TrimPrefix(strings.TrimPrefix(t.s[body:i], "\r"), "\n")
			if quote == "'" {
				return inner, true
			}
			return t.unescape(inner, start)
		}
		return "", t.fail(start, "string does not end")
	}
	for i := start + 1; i < len(t.s) && t.s[i] != '\n'; i++ {
		if t.s[i] == '\\' && quote == `"` {
			i++
			continue
		}
		if t.s[i] == quote[0] {
			t.i = i + 1
			if quote == "'" {
				return t.s[start+1 : i], true
			}
			return t.unescape(t.s[start+1:i], start)
		}
	}
	return "", t.fail(start, "string does not end")
}

func (t *tomlReader) unescape(s string, at int) (string, bool) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, true
	}
	buf := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			buf = append(buf, s[i])
			continue
		}
		if i++; i == len(s) {
			return "", t.fail(at, "unknown escape")
		}
		const from, to = `btnfre"\`, "\b\t\n\f\r\x1b\"\\"
		if k := strings.IndexByte(from, s[i]); k >= 0 {
			buf = append(buf, to[k])
			continue
		}
		if n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i]]; n > 0 && i+n < len(s) {
			r, err := strconv.ParseUint(s[i+1:i+1+n], 16, 32)
			if err != nil || !utf8.ValidRune(rune(r)) {
				return "", t.fail(at, "unknown escape")
			}
			buf = utf8.AppendRune(buf, rune(r))
			i += n
			continue
		}
		// A backslash at the end of a line eats all white space up to the next text.
		rest := strings.TrimLeft(s[i:], " \t\r\n")
		if gone := s[i : len(s)-len(rest)]; !strings.Contains(gone, "\n") {
			return "", t.fail(at, "unknown escape")
		}
		i = len(s) - len(rest) - 1
	}
	return string(buf), true
}
