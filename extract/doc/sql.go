package doc

import (
	"regexp"
	"strings"
)

var _ = addReader(reader{Syntax: SQL, Exts: []string{".sql"}, Read: readSQL})

// sqlParts begin what is kept of a file: statements that delete rows, also where they stand in a function's body or in the
// text that a scheduler of the database is given. Dumps are mostly INSERT and COPY, which cost a scan and no memory.
var sqlParts = regexp.MustCompile(`(?i)\bdelete\s+from\b`)

// sqlDown begins the part of a migration that takes it back.
var sqlDown = regexp.MustCompile(`(?im)^--\s*(\+goose\s+down|migrate:down|\+migrate\s+down|\+micrate\s+down|rollback:?|down:?)\s*$`)

// maxSQLStatement bounds the text of one statement.
const maxSQLStatement = 4000

// readSQL makes a list of the statements that are kept, each from its verb to its end. A statement within another one's text
// (a function's body, the argument of cron.schedule) is a map of the outer one's beginning, "in", and its text, "text".
func readSQL(b *builder) {
	text := b.src.text
	root := b.node(List, 0, len(text))
	end := len(text)
	if d := sqlDown.FindStringIndex(text); d != nil {
		end = d[0]
	}
	for from := 0; from < end && !b.full; {
		stop := sqlEnd(text[:end], from)
		for _, m := range sqlParts.FindAllStringIndex(text[from:stop], 64) {
			at := from + m[0]
			if sqlCommented(text, from, at) {
				continue
			}
			to := stop
			if i := strings.IndexAny(text[at:stop], ";$"); i >= 0 {
				to = at + i // within a body it ends at its own semicolon, or with the quotes around it
			}
			to = min(to, at+maxSQLStatement)
			n := b.node(Scalar, at, to).setText(strings.TrimSpace(text[at:to]), typeString, false)
			if head := strings.TrimSpace(sqlHead(text[from:at])); head != "" {
				outer := b.node(Map, at, to)
				b.put(outer, "in", at, at, b.node(Scalar, at, at).setText(head, typeString, false))
				b.put(outer, "text", at, at, n)
				n = outer
			}
			b.add(root, n)
		}
		from = stop + 1
	}
	b.doc(root, 0, 0)
}

// sqlEnd is the offset of the semicolon that ends the statement at from, outside of quotes and comments; the end of the text
// where there is none.
func sqlEnd(s string, from int) int {
	for i := from; i < len(s); i++ {
		switch s[i] {
		case ';':
			return i
		case '\'', '"', '`':
			j := strings.IndexByte(s[i+1:], s[i])
			if j < 0 {
				return len(s)
			}
			i += j + 1
		case '-':
			if strings.HasPrefix(s[i:], "--") {
				j := strings.IndexByte(s[i:], '\n')
				if j < 0 {
					return len(s)
				}
				i += j
			}
		case '/':
			if strings.HasPrefix(s[i:], "/*") {
				j := strings.Index(s[i:], "*/")
				if j < 0 {
					return len(s)
				}
				i += j + 1
			}
		case '$':
			// $$ ... $$ and $tag$ ... $tag$
			j := strings.IndexByte(s[i+1:], '$')
			if j < 0 || j > 60 || strings.Trim(strings.ToLower(s[i+1:i+1+j]), "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
				continue
			}
			tag := s[i : i+j+2]
			k := strings.Index(s[i+len(tag):], tag)
			if k < 0 {
				return len(s)
			}
			i += 2*len(tag) + k - 1
		}
	}
	return len(s)
}

// sqlCommented reports whether an offset lies behind "--" on its line or in an open block comment.
func sqlCommented(s string, from, at int) bool {
	line := s[strings.LastIndexByte(s[:at], '\n')+1 : at]
	return strings.Contains(line, "--") || strings.LastIndex(s[from:at], "/*") > strings.LastIndex(s[from:at], "*/")
}

// sqlHead is the beginning of a statement without its comments, cut.
func sqlHead(s string) string {
	var out []string
	for _, l := range strings.Split(s, "\n") {
		if i := strings.Index(l, "--"); i >= 0 {
			l = l[:i]
		}
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
		if len(out) == 4 {
			break
		}
	}
	h := strings.Join(out, " ")
	return h[:min(len(h), 200)]
}
