package doc

import "strings"

var _ = addReader(reader{Syntax: Dockerfile, Names: []string{"dockerfile", "dockerfile.*", "*.dockerfile", "containerfile", "containerfile.*"}, Read: readDockerfile})

// readDockerfile makes a list item of each instruction, lines that are continued joined with a blank: "RUN go build ./cmd/x".
func readDockerfile(b *builder) {
	root := b.node(List, 0, len(b.src.text))
	text, from := "", 0
	b.eachLine(func(start, stop int) bool {
		line := b.src.text[start:stop]
		if line[0] == '#' {
			b.lineComment(start)
			return true
		}
		if text == "" {
			from = start
		} else {
			text += " "
		}
		cut := strings.TrimSuffix(strings.TrimRight(line, " \t\r"), `\`)
		text += strings.TrimSpace(cut)
		if len(cut) < len(strings.TrimRight(line, " \t\r")) {
			return true
		}
		b.add(root, b.node(Scalar, from, stop).setText(text, typeString, false))
		text = ""
		return true
	})
	if text != "" {
		b.add(root, b.node(Scalar, from, len(b.src.text)).setText(text, typeString, false))
	}
	b.doc(root, 0, 0)
}
