package doc

import "strings"

var _ = addReader(reader{Syntax: Starlark, Names: []string{"build", "build.bazel"}, Read: readStarlark})

// readStarlark keeps of a Bazel BUILD file the calls at its top, each a map of its keyword arguments that are texts or lists of texts:
// {oci_push: [{name: push, image: ":image", repository: "index.docker.io/acme/settle"}]}.
func readStarlark(b *builder) {
	r := &starlarkReader{protoReader{builder: b, text: b.src.text}}
	root := b.node(Map, 0, len(r.text))
	depth := 0
	word, at := "", 0
	for !b.full {
		t, off := r.token()
		switch t {
		case "":
			b.doc(root, 0, 0)
			return
		case "(":
			if depth == 0 && word != "" {
				call := b.node(Map, at, off)
				call.block = true
				b.repeat(root, word, at, at+len(word), call)
				r.arguments(call)
				call.end = int32(r.off)
				break
			}
			depth++
		case "[", "{":
			depth++
		case ")", "]", "}":
			depth = max(depth-1, 0)
		}
		word, at = "", off
		if t != "" && protoWord(t[0]) {
			word = t
		}
	}
	b.doc(root, 0, 0)
}

type starlarkReader struct{ protoReader }

// token is next with the comments of Starlark.
func (r *starlarkReader) token() (string, int) {
	for {
		t, at := r.next()
		if t != "#" {
			return t, at
		}
		r.off = r.lineComment(at)
	}
}

// arguments reads a call's arguments up to its closing parenthesis.
func (r *starlarkReader) arguments(call *Node) {
	depth, key, keyAt := 1, "", 0
	word, at := "", 0
	for depth > 0 && !r.full {
		t, off := r.token()
		switch {
		case t == "":
			return
		case t == "=" && depth == 1 && word != "":
			key, keyAt = word, at
			if v := r.value(); v != nil {
				r.put(call, key, keyAt, keyAt+len(key), v)
			}
		case t == "(" || t == "[" || t == "{":
			depth++
		case t == ")" || t == "]" || t == "}":
			depth--
		}
		word, at = "", off
		if protoWord(t[0]) {
			word = t
		}
	}
}

// value reads a text or a list of texts; nil, with nothing read, where the value is something else.
func (r *starlarkReader) value() *Node {
	before := r.off
	t, at := r.token()
	var v *Node
	switch {
	case strings.HasPrefix(t, `"`) || strings.HasPrefix(t, "'"):
		v = r.quoted(t, at)
	case t == "[":
		v = r.node(List, at, at+1)
		for {
			t, off := r.token()
			if strings.HasPrefix(t, `"`) || strings.HasPrefix(t, "'") {
				r.add(v, r.quoted(t, off))
				continue
			}
			if t == "]" {
				v.end = int32(r.off)
				break
			}
			if t != "," {
				r.off = before
				return nil
			}
		}
	default:
		r.off = before
		return nil
	}
	after := r.off
	switch t, _ := r.token(); t {
	case ",", ")":
		r.off = after
		return v
	}
	r.off = before
	return nil
}

func (r *starlarkReader) quoted(t string, at int) *Node {
	return r.node(Scalar, at, at+len(t)).setText(t[1:max(len(t)-1, 1)], typeString, true)
}
