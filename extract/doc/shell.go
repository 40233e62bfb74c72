package doc

var _ = addReader(reader{Syntax: Shell, Exts: []string{".sh", ".bash"}, Read: readShell})

// maxShell bounds a script.
const maxShell = 256 << 10

// readShell makes one scalar of a script. What a script says is for those who look for commands in texts.
func readShell(b *builder) {
	text := b.src.text
	if len(text) > maxShell {
		b.errorf(0, "script of %d bytes is larger than the limit of %d", len(text), maxShell)
		return
	}
	b.eachLine(func(start, stop int) bool {
		if text[start] == '#' {
			b.lineComment(start)
		}
		return true
	})
	n := b.node(Scalar, 0, len(text))
	n.text = text
	b.doc(n, 0, 0)
}
