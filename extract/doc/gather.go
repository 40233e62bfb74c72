package doc

import "strings"

// Item is a value for Gather, under the dotted key that it is to have. Text replaces the value's own text where it is not empty: a
// part of it ("NAME=value").
type Item struct {
	Key, Text string
	Value     *Node
}

// Gather makes one tree of values from elsewhere in files, as a properties file with their keys would be. The values keep their
// places. Environment variables that stand for the keys of a configuration file are read so.
func Gather(items []Item) *Document {
	root := &Node{kind: Map, syntax: Properties, start: -1, end: -1, keyStart: -1, keyEnd: -1, alias: -1}
	for _, it := range items {
		if !it.Value.isText() {
			continue
		}
		at := root
		parts := strings.Split(it.Key, ".")
		for _, part := range parts[:len(parts)-1] {
			next := at.step(part)
			if !next.Exists() {
				next = &Node{src: it.Value.src, kind: Map, syntax: Properties, parent: at, key: part, start: it.Value.start, end: it.Value.end, keyStart: -1, keyEnd: -1, alias: -1}
				at.kids = append(at.kids, next)
			}
			at = next
		}
		v := *it.Value
		v.kids, v.index, v.syntax = nil, nil, Properties
		if it.Text != "" {
			v.setText(it.Text, bareType(it.Text, Properties), false)
		} else if v.kind == Scalar {
			v.typ = bareType(v.text, Properties)
		}
		v.parent, v.key = at, parts[len(parts)-1]
		at.kids = append(at.kids, &v)
		if root.src == nil {
			root.src, root.start, root.end = v.src, v.start, v.end
		}
	}
	return &Document{Root: root, Syntax: Properties, StartLine: 1}
}
