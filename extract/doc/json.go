package doc

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

var _ = addReader(reader{Syntax: JSON, Exts: []string{".json", ".jsonc"}, Read: readJSON})

// readJSON reads JSON with // and /* */ comments and trailing commas. The standard decoder would give places too, but
// no comments, and nothing of a file that is broken further down.
func readJSON(b *builder) {
	j := &jsonReader{builder: b, s: b.src.text}
	j.blank()
	if j.i == len(j.s) {
		b.errorf(j.i, "JSON: no value")
		return
	}
	start := j.i
	root := j.value(0)
	if root != nil {
		b.doc(root, 0, start)
	}
	if !j.failed {
		if j.blank(); j.i < len(j.s) && !b.full {
			b.errorf(j.i, "JSON: text after the end of the value")
		}
	}
}

type jsonReader struct {
	*builder
	s      string
	i      int
	failed bool // an error was met; reading goes no further, what was read stays
}

// fail records the first error. Everything after it would be guesswork.
func (j *jsonReader) fail(at int, format string, args ...any) {
	if !j.failed {
		j.failed = true
		j.errorf(at, "JSON: "+format, args...)
	}
}

// blank moves over white space and comments.
func (j *jsonReader) blank() {
	for j.i < len(j.s) {
		switch c := j.s[j.i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			j.i++
		case c == '/' && strings.HasPrefix(j.s[j.i:], "//"):
			j.i = j.lineComment(j.i)
		case c == '/' && strings.HasPrefix(j.s[j.i:], "/*"):
			end := strings.Index(j.s[j.i+2:], "*/")
			if end < 0 {
				j.fail(j.i, "comment does not end")
				j.i = len(j.s)
				return
			}
			end += j.i + 4
			j.comment(j.i, end, strings.Trim(j.s[j.i+2:end-2], "*"))
			j.i = end
		default:
			return
		}
	}
}

// value reads one value; nil if there is none.
func (j *jsonReader) value(depth int) *Node {
	if depth > j.lim.MaxDepth {
		j.fail(j.i, "nested deeper than %d", j.lim.MaxDepth)
		return nil
	}
	if j.full {
		j.failed = true
		return nil
	}
	if j.i >= len(j.s) {
		j.fail(j.i, "unexpected end of file")
		return nil
	}
	start := j.i
	switch c := j.s[j.i]; {
	case strings.HasPrefix(j.s[j.i:], "{{"):
		// A template's value without quotes.
		end := strings.Index(j.s[j.i:], "}}")
		if end < 0 {
			return j.object(depth)
		}
		j.file.Templated = true
		j.i += end + 2
		n := j.node(Unknown, start, j.i)
		n.unknown(j.s[start:j.i])
		return n
	case c == '{':
		return j.object(depth)
	case c == '[':
		return j.list(depth)
	case c == '"':
		n := j.node(Scalar, start, -1)
		text, ok := j.str()
		if !ok {
			return nil
		}
		n.end = int32(j.i)
		return n.setText(text, typeString, true)
	}
	for j.i < len(j.s) && !strings.ContainsRune(" \t\r\n,:]}[{\"/", rune(j.s[j.i])) {
		j.i++
	}
	word := j.s[start:j.i]
	n := j.node(Scalar, start, j.i)
	switch word {
	case "null":
		n.kind = Null
		return n
	case "true", "false":
		return n.setText(word, typeBool, false)
	}
	if t := bareType(word, JSON); (t == typeInt || t == typeFloat) && word[0] != '+' {
		return n.setText(word, t, false)
	}
	j.fail(start, "%q is no value", word)
	return nil
}

func (j *jsonReader) list(depth int) *Node {
	n := j.node(List, j.i, -1)
	j.i++
	for {
		if j.blank(); j.failed {
			break
		}
		if j.i < len(j.s) && j.s[j.i] == ']' {
			j.i++
			break
		}
		v := j.value(depth + 1)
		if v != nil {
			j.add(n, v)
		}
		if j.failed || !j.next(']') {
			break
		}
	}
	n.end = int32(j.i)
	return n
}

// next moves over the comma after a member; false when the collection is broken. The closing bracket is left.
func (j *jsonReader) next(closing byte) bool {
	if j.blank(); j.failed {
		return false
	}
	switch {
	case j.i < len(j.s) && j.s[j.i] == ',':
		j.i++
	case j.i < len(j.s) && j.s[j.i] == closing:
	case j.i >= len(j.s):
		j.fail(j.i, "unexpected end of file")
		return false
	default:
		j.fail(j.i, "expected a comma or %q", closing)
		return false
	}
	return true
}

func (j *jsonReader) object(depth int) *Node {
	n := j.node(Map, j.i, -1)
	j.i++
	for {
		if j.blank(); j.failed {
			break
		}
		if j.i < len(j.s) && j.s[j.i] == '}' {
			j.i++
			break
		}
		if j.i >= len(j.s) || j.s[j.i] != '"' {
			j.fail(j.i, "expected a key in quotes")
			break
		}
		keyStart := j.i
		key, ok := j.str()
		keyEnd := j.i
		if !ok {
			break
		}
		if j.blank(); j.failed {
			break
		}
		if j.i >= len(j.s) || j.s[j.i] != ':' {
			j.fail(j.i, "expected a colon after the key")
			break
		}
		j.i++
		if j.blank(); j.failed {
			break
		}
		v := j.value(depth + 1)
		if v != nil {
			j.putOnce(n, key, keyStart, keyEnd, v)
		}
		if j.failed || !j.next('}') {
			break
		}
	}
	n.end = int32(j.i)
	return n
}

// str reads a string in quotes.
func (j *jsonReader) str() (string, bool) {
	start := j.i
	j.i++
	plain := j.i
	for j.i < len(j.s) && j.s[j.i] != '"' && j.s[j.i] != '\\' && j.s[j.i] >= ' ' {
		j.i++
	}
	if j.i < len(j.s) && j.s[j.i] == '"' {
		j.i++
		return j.s[plain : j.i-1], true
	}
	buf := []byte(j.s[plain:j.i])
	for j.i < len(j.s) {
		switch c := j.s[j.i]; {
		case c == '"':
			j.i++
			return string(buf), true
		case c == '\n' || c == '\r':
			j.fail(start, "string does not end on its line")
			return "", false
		case c == '\\':
			var ok bool
			if buf, ok = j.escape(buf); !ok {
				return "", false
			}
		default:
			buf = append(buf, c)
			j.i++
		}
	}
	j.fail(start, "string does not end")
	return "", false
}

// escape reads the escape at the cursor. Half of a surrogate pair becomes U+FFFD, as the standard decoder has it.
func (j *jsonReader) escape(buf []byte) ([]byte, bool) {
	rest := j.s[j.i:]
	if len(rest) < 2 {
		j.fail(j.i, "string does not end")
		return buf, false
	}
	const from, to = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if k := strings.IndexByte(from, rest[1]); k >= 0 {
		j.i += 2
		return append(buf, to[k]), true
	}
	r, ok := hex4(rest)
	if !ok {
		j.fail(j.i, "unknown escape")
		return buf, false
	}
	j.i += 6
	if utf16.IsSurrogate(r) {
		low, ok := hex4(j.s[j.i:])
		if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
			j.i += 6
			r = pair
		} else {
			r = utf8.RuneError
		}
	}
	return utf8.AppendRune(buf, r), true
}

// hex4 reads \uXXXX.
func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	u, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(u), err == nil
}
