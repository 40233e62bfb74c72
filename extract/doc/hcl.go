package doc

import (
	"path"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

var _ = addReader(reader{Syntax: HCL, Exts: []string{".tf", ".hcl", ".tfvars", ".nomad"}, Read: readHCL})

// maxHCL bounds HCL files, since the library needs more than a hundred bytes of memory for each byte of punctuation.
const maxHCL = 1 << 20

// readHCL reads HCL 2. Literals, lists, objects and arithmetic on literals become nodes; jsonencode and the like stand
// for their argument; every other expression is Unknown with its source text. A block is a map under its type, with its
// labels; blocks of one type in one body are a list. An attribute given twice is an Error and keeps its first value,
// since the library keeps no other.
func readHCL(b *builder) {
	text := b.src.text
	if len(text) > maxHCL {
		b.errorf(0, "HCL: file of %d bytes is larger than the limit of %d", len(text), maxHCL)
		return
	}
	data, name := []byte(text), path.Base(b.file.Path)
	tokens, _ := hclsyntax.LexConfig(data, name, hcl.InitialPos)
	if t := tooDeep(tokens); t != nil {
		b.errorf(t.Range.Start.Byte, "HCL: nested too deep")
		return
	}
	for _, t := range tokens {
		if t.Type != hclsyntax.TokenComment {
			continue
		}
		start := t.Range.Start.Byte
		raw := strings.TrimRight(string(t.Bytes), "\r\n")
		if inner, ok := strings.CutPrefix(raw, "/*"); ok {
			b.comment(start, start+len(raw), strings.Trim(strings.TrimSuffix(inner, "*/"), "*"))
			continue
		}
		b.lineComment(start)
	}
	file, diags := hclsyntax.ParseConfig(data, name, hcl.InitialPos)
	if diags.HasErrors() && path.Ext(name) == ".hcl" {
		// The first version of the language, which Consul and Vault still read, has blocks within lists.
		if again, ok := secondForm(data, tokens); ok {
			if f, d := hclsyntax.ParseConfig(again, name, hcl.InitialPos); len(d) < len(diags) {
				file, diags = f, d
			}
		}
	}
	for _, d := range diags {
		if d.Severity == hcl.DiagError {
			at := 0
			if d.Subject != nil {
				at = d.Subject.Start.Byte
			}
			// The details go on with advice, over several lines.
			detail, _, _ := strings.Cut(strings.ReplaceAll(d.Detail, "\n", " "), ". ")
			b.errorf(at, "HCL: %s: %s", strings.ToLower(d.Summary[:min(1, len(d.Summary))])+d.Summary[min(1, len(d.Summary)):], strings.TrimSuffix(detail, "."))
		}
	}
	if file == nil {
		return
	}
	body, ok := file.Body.(*hclsyntax.Body)
	if !ok {
		return
	}
	h := &hclReader{builder: b}
	root := b.node(Map, 0, len(text))
	h.body(root, body, 0)
	b.doc(root, 0, 0)
}

// secondForm writes "match { ... }" within a list or an object as the attribute that it is in the second version of the language,
// without moving anything: a space in front of the bracket becomes the sign.
func secondForm(data []byte, tokens hclsyntax.Tokens) ([]byte, bool) {
	var out []byte
	var open []bool // whether what is open is a value
	var last hclsyntax.Token
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenComment:
			continue
		case hclsyntax.TokenOBrack, hclsyntax.TokenOParen:
			open = append(open, true)
		case hclsyntax.TokenOBrace:
			within := len(open) > 0 && open[len(open)-1]
			named := last.Type == hclsyntax.TokenIdent || last.Type == hclsyntax.TokenCQuote
			if i := t.Range.Start.Byte - 1; within && named && i >= 0 && (data[i] == ' ' || data[i] == '\t') {
				if out == nil {
					out = append(out, data...)
				}
				out[i] = '='
			}
			open = append(open, within || !named)
		case hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenCBrace:
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
		last = t
	}
	return out, out != nil
}

// closers are the tokens that end what a token begins.
var closers = map[hclsyntax.TokenType]hclsyntax.TokenType{
	hclsyntax.TokenOBrace: hclsyntax.TokenCBrace, hclsyntax.TokenOBrack: hclsyntax.TokenCBrack,
	hclsyntax.TokenOParen: hclsyntax.TokenCParen, hclsyntax.TokenOQuote: hclsyntax.TokenCQuote,
	hclsyntax.TokenOHeredoc: hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateInterp: hclsyntax.TokenTemplateSeqEnd,
	hclsyntax.TokenTemplateControl: hclsyntax.TokenTemplateSeqEnd,
}

// tooDeep guards the library's recursion, since running out of stack cannot be recovered from. It returns the token at
// which brackets nest too deep or what else makes the parser recurse piles up: prefix operators, conditionals, splats,
// template directives. It returns nil for any file that people write.
func tooDeep(tokens hclsyntax.Tokens) *hclsyntax.Token {
	const deep, many = 400, 5000
	var open []hclsyntax.TokenType
	prefix, chain := 0, 0
	for i := range tokens {
		t := &tokens[i]
		if c, ok := closers[t.Type]; ok {
			open = append(open, c)
		} else if n := len(open); n > 0 && open[n-1] == t.Type {
			open = open[:n-1]
		}
		switch t.Type {
		case hclsyntax.TokenBang, hclsyntax.TokenMinus:
			prefix++
		case hclsyntax.TokenNewline, hclsyntax.TokenComment:
		case hclsyntax.TokenQuestion, hclsyntax.TokenStar, hclsyntax.TokenTemplateControl:
			chain++
			prefix = 0
		default:
			prefix = 0
		}
		if len(open) > deep || prefix > deep || chain > many {
			return t
		}
	}
	return nil
}

type hclReader struct{ *builder }

// extent bounds a library's range by the text; ranges in broken files are not to be relied on.
func (h *hclReader) extent(r hcl.Range) (start, end int) {
	n := len(h.src.text)
	start = min(max(r.Start.Byte, 0), n)
	return start, min(max(r.End.Byte, start), n)
}

func (h *hclReader) body(m *Node, body *hclsyntax.Body, depth int) {
	if depth > h.lim.MaxDepth {
		h.errorf(int(m.start), "nested deeper than %d", h.lim.MaxDepth)
		return
	}
	attrs := make([]*hclsyntax.Attribute, 0, len(body.Attributes))
	for _, a := range body.Attributes {
		attrs = append(attrs, a)
	}
	sort.Slice(attrs, func(i, j int) bool { return attrs[i].NameRange.Start.Byte < attrs[j].NameRange.Start.Byte })
	blocks := body.Blocks
	for (len(attrs) > 0 || len(blocks) > 0) && !h.full {
		if len(blocks) == 0 || len(attrs) > 0 && attrs[0].NameRange.Start.Byte < blocks[0].TypeRange.Start.Byte {
			a := attrs[0]
			attrs = attrs[1:]
			start, end := h.extent(a.NameRange)
			h.putOnce(m, a.Name, start, end, h.expr(a.Expr, depth+1))
			continue
		}
		h.block(m, blocks[0], depth)
		blocks = blocks[1:]
	}
}

func (h *hclReader) block(m *Node, blk *hclsyntax.Block, depth int) {
	keyStart, keyEnd := h.extent(blk.TypeRange)
	_, end := h.extent(blk.CloseBraceRange)
	n := h.node(Map, keyStart, max(end, keyEnd))
	n.block = true
	for i, label := range blk.Labels {
		l := h.node(Scalar, keyEnd, keyEnd)
		if i < len(blk.LabelRanges) {
			s, e := h.extent(blk.LabelRanges[i])
			l.start, l.end = int32(s), int32(e)
		}
		l.text = label
		n.labels = append(n.labels, l)
	}
	h.body(n, blk.Body, depth+1)
	if old := m.Get(blk.Type); old.Exists() && !old.block {
		h.putOnce(m, blk.Type, keyStart, keyEnd, n) // an attribute of the same name
		return
	}
	h.repeat(m, blk.Type, keyStart, keyEnd, n)
}

// encoders are functions that stand for their only argument as far as reading it is concerned.
var encoders = map[string]bool{
	"jsonencode": true, "yamlencode": true, "toset": true, "tolist": true, "tomap": true, "tostring": true, "tonumber": true,
	"tobool": true, "sensitive": true, "nonsensitive": true,
}

func (h *hclReader) expr(e hclsyntax.Expression, depth int) *Node {
	start, end := h.extent(e.Range())
	if depth > h.lim.MaxDepth {
		h.errorf(start, "nested deeper than %d", h.lim.MaxDepth)
		return h.source(start, end)
	}
	if h.full {
		return h.source(start, start)
	}
	switch e := e.(type) {
	case *hclsyntax.TupleConsExpr:
		n := h.node(List, start, end)
		for _, item := range e.Exprs {
			h.add(n, h.expr(item, depth+1))
		}
		return n
	case *hclsyntax.ObjectConsExpr:
		n := h.node(Map, start, end)
		for _, item := range e.Items {
			s, t := h.extent(item.KeyExpr.Range())
			h.putOnce(n, h.objectKey(item.KeyExpr, s, t), s, t, h.expr(item.ValueExpr, depth+1))
		}
		return n
	case *hclsyntax.ParenthesesExpr:
		return h.expr(e.Expression, depth+1)
	case *hclsyntax.TemplateWrapExpr:
		return h.expr(e.Wrapped, depth+1)
	case *hclsyntax.FunctionCallExpr:
		if encoders[e.Name] && len(e.Args) == 1 && !e.ExpandFinal {
			return h.expr(e.Args[0], depth+1)
		}
	}
	n := h.source(start, end)
	budget := 100
	if v, ok := literal(e, &budget); ok {
		_, template := e.(*hclsyntax.TemplateExpr)
		scalarOf(n, v, template)
	}
	return n
}

// source is an Unknown with its text as written.
func (h *hclReader) source(start, end int) *Node {
	n := h.node(Unknown, start, end)
	raw := h.src.text[start:end]
	if k := len(raw); k >= 2 && raw[0] == '"' && raw[k-1] == '"' {
		raw = raw[1 : k-1]
	}
	n.text, n.tmpl = raw, raw
	return n
}

func (h *hclReader) objectKey(e hclsyntax.Expression, start, end int) string {
	k, ok := e.(*hclsyntax.ObjectConsKeyExpr)
	if ok && !k.ForceNonLiteral {
		if word := hcl.ExprAsKeyword(k.Wrapped); word != "" {
			return word
		}
		e = k.Wrapped
	}
	budget := 10
	if v, ok := literal(e, &budget); ok && v.Type() == cty.String && !v.IsNull() {
		return v.AsString()
	}
	return h.src.text[start:end]
}

// literal is the value of an expression made of literals only. Function calls, loops and references have none; budget
// bounds the expression's size.
func literal(e hclsyntax.Expression, budget *int) (cty.Value, bool) {
	if *budget--; *budget < 0 {
		return cty.NilVal, false
	}
	switch e := e.(type) {
	case *hclsyntax.LiteralValueExpr:
		return e.Val, true
	case *hclsyntax.ParenthesesExpr:
		return literal(e.Expression, budget)
	case *hclsyntax.TemplateExpr:
		var text strings.Builder
		for _, p := range e.Parts {
			lit, ok := p.(*hclsyntax.LiteralValueExpr) // a heredoc has one for each line
			if !ok || lit.Val.IsNull() || lit.Val.Type() != cty.String {
				return cty.NilVal, false
			}
			text.WriteString(lit.Val.AsString())
		}
		return cty.StringVal(text.String()), true
	case *hclsyntax.UnaryOpExpr:
		if _, ok := literal(e.Val, budget); !ok {
			return cty.NilVal, false
		}
	case *hclsyntax.BinaryOpExpr:
		if _, ok := literal(e.LHS, budget); !ok {
			return cty.NilVal, false
		}
		if _, ok := literal(e.RHS, budget); !ok {
			return cty.NilVal, false
		}
	default:
		return cty.NilVal, false
	}
	v, diags := e.Value(nil)
	return v, !diags.HasErrors() && v.IsWhollyKnown()
}

// scalarOf gives n a literal's value.
func scalarOf(n *Node, v cty.Value, quoted bool) {
	if v.IsNull() {
		n.kind, n.text, n.tmpl = Null, "", ""
		return
	}
	n.tmpl = ""
	switch v.Type() {
	case cty.String:
		n.setText(v.AsString(), typeString, quoted)
	case cty.Bool:
		text := "false"
		if v.True() {
			text = "true"
		}
		n.setText(text, typeBool, false)
	case cty.Number:
		f := v.AsBigFloat()
		switch {
		case f.IsInt() && f.MantExp(nil) <= 64:
			n.setText(f.Text('f', 0), typeInt, false)
		default:
			n.setText(f.Text('g', 17), typeFloat, false)
		}
	default:
		n.tmpl = n.text
	}
}
