package doc

import (
	"strconv"
	"strings"
)

// Kind is the shape of a node.
type Kind uint8

// The kinds. The zero Kind is Absent: nothing stands there.
const (
	Absent  Kind = iota
	Null         // written, but empty or null
	Scalar       // text, a number, a boolean, a time
	List         // a sequence of items
	Map          // keys with values, in file order
	Unknown      // a templated value or an unresolved reference: something is there, but not known from the file alone
)

var kindNames = [...]string{"absent", "null", "scalar", "list", "map", "unknown"}

// String is the kind's name in lower case.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind(" + strconv.Itoa(int(k)) + ")"
}

// typ is a scalar's type as its own syntax has it.
type typ uint8

const (
	typeString typ = iota
	typeInt
	typeFloat
	typeBool
	typeTime
)

// indexFrom is the number of keys above which a map keeps an index.
const indexFrom = 12

// Node is one value of a tree. All methods are safe on a nil node and on an absent one, so that extractors are straight
// lines; those that can fail say so with a second result. Nodes are made by Parse only and do not change afterwards.
type Node struct {
	src    *source
	parent *Node
	key    string
	text   string // scalar, or the text of an Unknown
	tmpl   string // template expression of an Unknown; empty means text
	tag    string // YAML's custom tag, "!Ref"
	kids   []*Node
	index  map[string]int32
	labels []*Node // of an HCL block, arguments of a directive

	start, end, keyStart, keyEnd int32 // offsets; -1 is none
	alias                        int32 // offset of the alias through which the node came; -1 is none

	kind    Kind
	syntax  Syntax
	typ     typ
	quoted  bool
	block   bool // a block-style map or list, which reads better by its key's place
	partial bool

	repeated bool // a list made of things that stand several times under one key
}

// Entry is one key of a map with its value.
type Entry struct {
	Key    string
	KeyPos Pos
	Value  *Node
}

// Kind returns the node's shape, Absent for nil.
func (n *Node) Kind() Kind {
	if n == nil {
		return Absent
	}
	return n.kind
}

// Opaque is the node as one whose value is not known: an expression that only the format that reads it can tell from text.
func (n *Node) Opaque() *Node {
	if n.Kind() == Absent {
		return n
	}
	c := *n
	c.kind, c.tmpl = Unknown, n.text
	return &c
}

// Exists reports whether something stands there: a value, an explicit null, or something unknown.
func (n *Node) Exists() bool { return n.Kind() != Absent }

// absent is the child that n does not have. It remembers where it was looked for.
func (n *Node) absent(key string) *Node {
	return &Node{src: n.src, parent: n, key: key, syntax: n.syntax, start: -1, end: -1, keyStart: -1, keyEnd: -1, alias: n.alias}
}

// find returns the position of a key among the children, or -1.
func (n *Node) find(key string) int {
	if n.index != nil {
		if i, ok := n.index[key]; ok {
			return int(i)
		}
		return -1
	}
	for i, k := range n.kids {
		if k.key == key {
			return i
		}
	}
	return -1
}

func (n *Node) reindex() {
	n.index = make(map[string]int32, 2*len(n.kids))
	for i, k := range n.kids {
		n.index[k.key] = int32(i)
	}
}

// hasKeys reports whether the children stand under keys. In properties files a scalar may have keys below it.
func (n *Node) hasKeys() bool {
	return n != nil && (n.kind == Map || n.kind == Scalar || n.kind == Unknown)
}

// Get returns the value under a key of a map, or an absent node. In properties files a dotted key is found whole and by
// its parts. For an HCL block type that stands several times, Get returns a list of blocks.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	if n.hasKeys() {
		if i := n.find(key); i >= 0 {
			return n.kids[i]
		}
		if n.syntax == Properties && strings.ContainsAny(key, ".[") {
			at := n
			for _, part := range splitProperty(key) {
				if at = at.step(part); !at.Exists() {
					return n.absent(key)
				}
			}
			return at
		}
	}
	return n.absent(key)
}

// step is Get, or At for a list.
func (n *Node) step(part string) *Node {
	if n.Kind() == List {
		if i, err := strconv.Atoi(part); err == nil {
			if at := n.At(i); at.Exists() {
				return at
			}
		}
		return n.absent(part)
	}
	return n.Get(part)
}

// Path is Get repeatedly over a dotted path; a list's items are named by their index, "spec.containers.0.name". Keys
// that hold dots themselves need Get.
func (n *Node) Path(dotted string) *Node {
	for dotted != "" && n != nil {
		part, rest, _ := strings.Cut(dotted, ".")
		n, dotted = n.step(part), rest
	}
	return n
}

// At returns the item of a list, or an absent node. Negative indices are absent.
func (n *Node) At(i int) *Node {
	if n == nil {
		return nil
	}
	if n.kind == List && i >= 0 && i < len(n.kids) {
		return n.kids[i]
	}
	return n.absent(strconv.Itoa(i))
}

// Len is the number of items of a list or keys of a map, otherwise 0.
func (n *Node) Len() int {
	if n == nil {
		return 0
	}
	return len(n.kids)
}

// Items returns a list's items, nil for anything else. The slice is the caller's to read, not to change.
func (n *Node) Items() []*Node {
	if n == nil || n.kind != List {
		return nil
	}
	return n.kids
}

// Many returns a list's items, and any other existing value but null as the only one. Formats that allow either one
// value or a list, and HCL blocks that may be repeated, are read with it.
func (n *Node) Many() []*Node {
	switch n.Kind() {
	case Absent, Null:
		return nil
	case List:
		return n.kids
	}
	return []*Node{n}
}

// Keys returns a map's keys in file order.
func (n *Node) Keys() []string {
	if !n.hasKeys() || len(n.kids) == 0 {
		return nil
	}
	keys := make([]string, len(n.kids))
	for i, k := range n.kids {
		keys[i] = k.key
	}
	return keys
}

// Entries returns a map's keys and values in file order.
func (n *Node) Entries() []Entry {
	if !n.hasKeys() || len(n.kids) == 0 {
		return nil
	}
	es := make([]Entry, len(n.kids))
	for i, k := range n.kids {
		es[i] = Entry{k.key, k.KeyPos(), k}
	}
	return es
}

// Or returns n if it exists, else m.
func (n *Node) Or(m *Node) *Node {
	if n.Exists() {
		return n
	}
	return m
}

// Pos is the place of the value. A map or list in block style, and an empty value, is placed at the key under which it
// stands, since its own text begins on another line. An absent node is placed at its nearest existing ancestor.
func (n *Node) Pos() Pos {
	for n != nil && n.kind == Absent {
		n = n.parent
	}
	if n == nil || n.src == nil {
		return Pos{}
	}
	if n.keyStart >= 0 && (n.block || n.start < 0 || n.start == n.end) {
		p := n.src.span(int(n.keyStart), int(n.keyEnd))
		if n.end > n.keyEnd {
			p.EndLine, p.EndCol = n.src.place(int(n.end))
		}
		return p
	}
	return n.src.span(int(n.start), int(n.end))
}

// KeyPos is the place of the key under which the value stands; for list items, roots and absent nodes it is Pos.
func (n *Node) KeyPos() Pos {
	if n == nil || n.kind == Absent || n.keyStart < 0 {
		return n.Pos()
	}
	return n.src.span(int(n.keyStart), int(n.keyEnd))
}

// Parent is the map or list that holds the node, nil for a root.
func (n *Node) Parent() *Node {
	if n == nil {
		return nil
	}
	return n.parent
}

// Key is the key under which the node stands or was looked for, "" for a root or a list's item.
func (n *Node) Key() string {
	if n == nil {
		return ""
	}
	return n.key
}

// Raw is the source text as written, for messages. It is empty for absent nodes and for what has no text of its own.
func (n *Node) Raw() string {
	if n == nil || n.src == nil || n.start < 0 || n.end < n.start {
		return ""
	}
	return n.src.text[n.start:n.end]
}

// Anchored reports whether the node came through a YAML alias or merge key. Its Pos is then where it was written.
func (n *Node) Anchored() bool { return n != nil && n.alias >= 0 }

// AliasPos is where the alias or merge key stands through which the node came, the zero Pos if it came by none.
func (n *Node) AliasPos() Pos {
	if !n.Anchored() {
		return Pos{}
	}
	return n.src.span(int(n.alias), -1)
}

// Template is, for an Unknown, the expression that decides its value: "{{ .Values.retries }}", "var.retries",
// "!Ref Retries". When the value has text around the expression it is the whole text. Otherwise it is empty.
func (n *Node) Template() string {
	if n.Kind() != Unknown {
		return ""
	}
	if n.tmpl != "" {
		return n.tmpl
	}
	return n.text
}

// Tag is a YAML tag other than the standard ones ("!Sub"), otherwise empty.
func (n *Node) Tag() string {
	if n == nil {
		return ""
	}
	return n.tag
}

// Partial reports whether a map or list may hold more than is seen, because a template action that writes lines stood
// among its keys. What is absent in it is then unknown, not left at its default.
func (n *Node) Partial() bool { return n != nil && n.partial }

// Labels are the labels of an HCL block, "aws_sqs_queue" and "q" in: resource "aws_sqs_queue" "q" { … }; in nginx,
// HAProxy and Fluentd files the arguments of a directive, block or section, one by one.
func (n *Node) Labels() []string {
	if n == nil || len(n.labels) == 0 {
		return nil
	}
	ls := make([]string, len(n.labels))
	for i, l := range n.labels {
		ls[i] = l.text
	}
	return ls
}

// Label is the i-th of Labels, or "".
func (n *Node) Label(i int) string {
	if n == nil || i < 0 || i >= len(n.labels) {
		return ""
	}
	return n.labels[i].text
}

// Comments returns the comments that belong to the node: the unbroken block of comment lines above it, and those on
// its first line (for a scalar, on any of its lines).
func (n *Node) Comments() []Comment {
	if !n.Exists() || n.src == nil {
		return nil
	}
	p := n.Pos()
	first, last := p.Line, p.Line
	if n.keyStart >= 0 {
		first, _ = n.src.place(int(n.keyStart))
		first = min(first, last)
	}
	if n.kind != Map && n.kind != List && p.EndLine > last {
		last = p.EndLine
		if p.EndCol == 1 {
			last--
		}
	}
	return n.src.commentsAt(first, last)
}

// Walk calls f for the node and all below it, parents first, in file order. When f returns false for a node, what is
// below it is left out. Absent nodes are not visited.
func (n *Node) Walk(f func(*Node) bool) {
	if !n.Exists() || !f(n) {
		return
	}
	for _, k := range n.kids {
		k.Walk(f)
	}
}
