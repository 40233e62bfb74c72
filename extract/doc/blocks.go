package doc

import "strings"

var (
	_ = addReader(reader{Syntax: Nginx, Names: []string{"nginx.conf", "*.nginx", "nginx*.conf"}, Read: readNginx})
	_ = addReader(reader{Syntax: Fluentd, Names: []string{"fluent.conf", "td-agent.conf", "fluentd*.conf"}, Read: readFluentd})
)

// readNginx reads directives "name args;" and blocks "name args { … }". A directive is a scalar of its arguments' text,
// a block a map; both have the arguments as labels. What stands several times in a block is a list.
func readNginx(b *builder) {
	text := b.src.text
	root := b.node(Map, 0, len(text))
	open := []*Node{root}
	var words []*Node // of the directive being read
	for i := 0; i < len(text) && !b.full; {
		switch c := text[i]; {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			i++
		case c == '#':
			i = b.lineComment(i)
		case c == ';' || c == '{':
			i++
			if len(words) == 0 {
				b.errorf(i-1, "no directive before %q", c)
				continue
			}
			in := open[len(open)-1]
			name, args := words[0], words[1:]
			words = nil
			n := b.node(Map, int(name.start), i)
			switch {
			case c == ';':
				n = b.directive(args, int(name.end))
			case len(open) > b.lim.MaxDepth:
				b.errorf(int(name.start), "nested deeper than %d", b.lim.MaxDepth)
				b.doc(root, 0, 0)
				return
			default:
				n.block, n.labels = true, args
				open = append(open, n)
			}
			b.repeat(in, name.text, int(name.start), int(name.end), n)
		case c == '}':
			i++
			if len(words) > 0 {
				b.errorf(int(words[0].start), "directive does not end in ;")
				words = nil
			}
			if len(open) == 1 {
				b.errorf(i-1, "} without a block")
				continue
			}
			closeBlocks(open[len(open)-1:], i)
			open = open[:len(open)-1]
		default:
			end := nginxWord(text, i)
			words = append(words, b.word(i, end))
			i = end
		}
	}
	if len(words) > 0 {
		b.errorf(int(words[0].start), "directive does not end in ;")
	}
	if len(open) > 1 {
		b.errorf(int(open[len(open)-1].start), "block is not closed")
	}
	closeBlocks(open, len(text))
	b.doc(root, 0, 0)
}

// closeBlocks sets the ends of blocks, and of the lists that hold them.
func closeBlocks(blocks []*Node, end int) {
	for _, n := range blocks {
		n.end = int32(end)
		if n.parent != nil && n.parent.repeated {
			n.parent.end = max(n.parent.end, n.end)
		}
	}
}

// nginxWord is the end of the word at i: in quotes, or up to white space or punctuation. ${name} is part of a word.
func nginxWord(text string, i int) int {
	if q := text[i]; q == '"' || q == '\'' {
		for k := i + 1; k < len(text); k++ {
			if text[k] == '\\' {
				k++
			} else if text[k] == q {
				return k + 1
			}
		}
		return len(text)
	}
	for k := i; k < len(text); k++ {
		switch c := text[k]; {
		case c == '\\' && k+1 < len(text):
			k++
		case c == '{' && k > i && text[k-1] == '$':
			if end := strings.IndexAny(text[k:min(len(text), k+100)], "} \n;"); end >= 0 && text[k+end] == '}' {
				k += end
			}
		case strings.IndexByte(" \t\r\n;{}", c) >= 0:
			return max(k, i+1)
		}
	}
	return len(text)
}

// readFluentd reads "key value" lines inside <block args> … </block>. Values go to the end of the line.
func readFluentd(b *builder) {
	text := b.src.text
	root := b.node(Map, 0, len(text))
	open := []*Node{root}
	b.eachLine(func(start, stop int) bool {
		switch {
		case text[start] == '#':
			b.lineComment(start)
		case strings.HasPrefix(text[start:stop], "</"):
			if name := strings.Trim(text[start+2:stop], " \t>"); len(open) == 1 || open[len(open)-1].key != name {
				b.errorf(start, "</%s> without its beginning", name)
				break
			}
			closeBlocks(open[len(open)-1:], stop)
			open = open[:len(open)-1]
		case text[start] == '<':
			end := start + strings.IndexByte(text[start:stop], '>')
			if end < start {
				b.errorf(start, "block name does not end in >")
				break
			}
			words := b.words(start+1, end)
			if len(words) == 0 || len(open) > b.lim.MaxDepth {
				b.errorf(start, "block without a name, or nested deeper than %d", b.lim.MaxDepth)
				return false
			}
			n := b.node(Map, start, end+1)
			n.block, n.labels = true, words[1:]
			b.repeat(open[len(open)-1], words[0].text, int(words[0].start), int(words[0].end), n)
			open = append(open, n)
		default:
			b.keyValue(open[len(open)-1], start, stop)
		}
		return true
	})
	if len(open) > 1 {
		b.errorf(int(open[len(open)-1].start), "block is not closed")
	}
	closeBlocks(open, len(text))
	b.doc(root, 0, 0)
}

// eachLine calls f with the extents of all lines that are not blank, without outer white space, until it returns false
// or a limit is reached.
func (b *builder) eachLine(f func(start, stop int) bool) {
	text := b.src.text
	for i := 0; i < len(text) && !b.full; {
		end := b.src.lineEnd(i)
		stop := i + len(strings.TrimRight(text[i:end], " \t\r"))
		for i < stop && (text[i] == ' ' || text[i] == '\t') {
			i++
		}
		if i < stop && !f(i, stop) {
			return
		}
		i = end + 1
	}
}

// words are the words between two offsets; quoted ones may hold blanks.
func (b *builder) words(start, stop int) []*Node {
	text := b.src.text
	var ws []*Node
	for i := start; i < stop && !b.full; {
		if text[i] == ' ' || text[i] == '\t' {
			i++
			continue
		}
		k := i
		if q := text[i]; q == '"' || q == '\'' {
			if j := strings.IndexByte(text[i+1:stop], q); j >= 0 {
				k = i + 1 + j
			}
		}
		for k < stop && text[k] != ' ' && text[k] != '\t' {
			if text[k] == '\\' {
				k++
			}
			k++
		}
		k = min(k, stop)
		ws = append(ws, b.word(i, k))
		i = k
	}
	return ws
}

// keyValue reads a line whose first word is the key and whose rest is the value.
func (b *builder) keyValue(m *Node, start, stop int) {
	text := b.src.text
	keyEnd := start
	for keyEnd < stop && text[keyEnd] != ' ' && text[keyEnd] != '\t' {
		keyEnd++
	}
	val := keyEnd
	for val < stop && (text[val] == ' ' || text[val] == '\t') {
		val++
	}
	n := b.node(Null, keyEnd, keyEnd)
	if val < stop {
		n = b.word(val, stop)
	}
	b.repeat(m, text[start:keyEnd], start, keyEnd, n)
	if m.end >= 0 {
		m.end = max(m.end, int32(stop))
	}
}
