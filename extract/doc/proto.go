package doc

import "strings"

var _ = addReader(reader{Syntax: Proto, Exts: []string{".proto"}, Read: readProto})

// readProto keeps of a .proto file its package and its services: {package: "pay.v1", service: [{label: Ledger, rpc: [{label: Post,
// http: "POST /v1/entries"}]}]}. Messages cost a scan and no memory.
func readProto(b *builder) {
	p := &protoReader{builder: b, text: b.src.text}
	root := b.node(Map, 0, len(p.text))
	for !b.full {
		t, at := p.next()
		switch t {
		case "":
			b.doc(root, 0, 0)
			return
		case "package":
			if name, from := p.next(); name != "" && name != ";" {
				b.putOnce(root, "package", at, at+len(t), b.node(Scalar, from, from+len(name)).setText(name, typeString, false))
			}
		case "service":
			p.service(root, at)
		case "{":
			p.skip() // of a message, an enum, an option
		}
	}
	b.doc(root, 0, 0)
}

// protoReader cuts a .proto file into tokens: words with dots, quoted strings, single marks.
type protoReader struct {
	*builder
	text string
	off  int
}

// next is the next token and its offset; "" at the end. A string keeps its quotes.
func (p *protoReader) next() (token string, at int) {
	s := p.text
	for p.off < len(s) {
		switch c := s[p.off]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			p.off++
		case strings.HasPrefix(s[p.off:], "//"):
			p.off = p.lineComment(p.off)
		case strings.HasPrefix(s[p.off:], "/*"):
			end := strings.Index(s[p.off+2:], "*/")
			if end < 0 {
				p.off = len(s)
				return "", p.off
			}
			p.off += end + 4
		case c == '"' || c == '\'':
			at, p.off = p.off, p.off+1
			for p.off < len(s) && s[p.off] != c && s[p.off] != '\n' {
				if s[p.off] == '\\' {
					p.off++
				}
				p.off++
			}
			p.off = min(p.off+1, len(s))
			return s[at:p.off], at
		case protoWord(c):
			at = p.off
			for p.off < len(s) && protoWord(s[p.off]) {
				p.off++
			}
			return s[at:p.off], at
		default:
			p.off++
			return s[p.off-1 : p.off], p.off - 1
		}
	}
	return "", len(s)
}

func protoWord(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// skip passes what is left of a block whose "{" has been read, and is at its end.
func (p *protoReader) skip() {
	for depth := 1; depth > 0; {
		switch t, _ := p.next(); t {
		case "":
			return
		case "{":
			depth++
		case "}":
			depth--
		}
	}
}

func (p *protoReader) service(root *Node, at int) {
	name, from := p.next()
	if open, _ := p.next(); name == "" || open != "{" {
		return
	}
	s := p.node(Map, at, from+len(name))
	s.block, s.labels = true, []*Node{p.node(Scalar, from, from+len(name)).setText(name, typeString, false)}
	p.repeat(root, "service", at, at+len("service"), s)
	for !p.full {
		switch t, off := p.next(); t {
		case "", "}":
			s.end = int32(p.off)
			return
		case "rpc":
			p.rpc(s, off)
		case "{":
			p.skip()
		}
	}
}

func (p *protoReader) rpc(s *Node, at int) {
	name, from := p.next()
	if name == "" {
		return
	}
	r := p.node(Map, at, from+len(name))
	r.block, r.labels = true, []*Node{p.node(Scalar, from, from+len(name)).setText(name, typeString, false)}
	p.repeat(s, "rpc", at, at+len("rpc"), r)
	http, verb, kind := false, "", ""
	for depth := 0; !p.full; {
		t, off := p.next()
		switch t {
		case "":
			return
		case ";":
			if depth == 0 {
				return
			}
			if depth == 1 {
				http = false // the next option
			}
			continue
		case "{":
			depth++
			continue
		case "}":
			if depth--; depth == 0 {
				r.end = int32(p.off)
				return
			}
			continue
		case "google.api.http":
			http = true
			continue
		case "get", "put", "post", "delete", "patch", ".get", ".put", ".post", ".delete", ".patch":
			verb = strings.ToUpper(strings.Trim(t, "."))
			continue
		case "kind", "path":
			verb = t
			continue
		case ":", "=", ")", "(":
			continue
		}
		if http && verb != "" && len(t) > 2 && (t[0] == '"' || t[0] == '\'') {
			text := t[1 : len(t)-1]
			switch {
			case verb == "kind":
				kind = strings.ToUpper(text)
			default:
				if verb == "path" {
					verb = kind
				}
				p.repeat(r, "http", off, off+len(t), p.node(Scalar, off, off+len(t)).setText(strings.TrimSpace(verb+" "+text), typeString, true))
			}
		}
		verb = ""
	}
}
