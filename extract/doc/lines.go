package doc

import "strings"

var (
	_ = addReader(reader{Syntax: HAProxy, Names: []string{"haproxy*.cfg", "haproxy*.conf"}, Exts: []string{".haproxy"}, Read: readHAProxy})
	_ = addReader(reader{Syntax: FluentBit, Names: []string{"fluent-bit*.conf", "fluentbit*.conf"}, Read: readFluentBit})
	_ = addReader(reader{Syntax: Lines, Names: []string{"crontab", "*.crontab", "crontab.*", "redis*.conf", "valkey*.conf"}, Exts: []string{".cron"}, Read: readLines})
	_ = addReader(reader{Syntax: Conf, Exts: []string{".conf", ".cfg"}, Read: readConf})
)

// haproxySections begin a section of HAProxy's configuration.
var haproxySections = map[string]bool{
	"global": true, "defaults": true, "frontend": true, "backend": true, "listen": true, "userlist": true, "peers": true,
	"resolvers": true, "mailers": true, "cache": true, "program": true, "http-errors": true, "ring": true, "fcgi-app": true,
	"crt-store": true, "log-forward": true, "log-profile": true, "traces": true, "acme": true,
}

// haproxyPairs are keywords that mean nothing without the word behind them, which becomes part of the key.
var haproxyPairs = map[string]bool{"timeout": true, "option": true}

// readHAProxy reads sections of lines. A section is a map with its arguments as labels; a line is a scalar of its
// arguments under its keyword, "timeout connect" and "option redispatch" being keywords of two words, and "no option
// x" one of three. What stands several times is a list.
func readHAProxy(b *builder) {
	text := b.src.text
	root := b.node(Map, 0, len(text))
	section := root
	b.eachLine(func(start, stop int) bool {
		if text[start] == '#' {
			b.lineComment(start)
			return true
		}
		if i := strings.Index(text[start:stop], " #"); i >= 0 {
			b.lineComment(start + i + 1)
			stop = start + len(strings.TrimRight(text[start:start+i], " \t"))
		}
		words := b.words(start, stop)
		if len(words) == 0 {
			return true
		}
		if haproxySections[words[0].text] {
			section = b.node(Map, start, stop)
			section.block, section.labels = true, words[1:]
			b.repeat(root, words[0].text, start, int(words[0].end), section)
			return true
		}
		if section == root {
			b.errorf(start, "line before any section")
			return true
		}
		key := 1
		if words[0].text == "no" && len(words) > 1 {
			key = 2
		}
		if haproxyPairs[words[key-1].text] && len(words) > key {
			key++
		}
		name := make([]string, key)
		for i, w := range words[:key] {
			name[i] = w.text
		}
		end := int(words[key-1].end)
		b.repeat(section, strings.Join(name, " "), start, end, b.directive(words[key:], end))
		closeBlocks([]*Node{section}, stop)
		return true
	})
	b.doc(root, 0, 0)
}

// readFluentBit reads sections of "Key Value" lines. A section that stands several times is a list; keys are not
// folded, though Fluent Bit does not mind their case.
func readFluentBit(b *builder) {
	text := b.src.text
	root := b.node(Map, 0, len(text))
	section := root
	b.eachLine(func(start, stop int) bool {
		switch {
		case text[start] == '#':
			b.lineComment(start)
		case text[start] == '[':
			end := strings.IndexByte(text[start:stop], ']')
			if end < 0 {
				b.errorf(start, "section name does not end")
				break
			}
			section = b.node(Map, start, start+end+1)
			section.block = true
			b.repeat(root, strings.TrimSpace(text[start+1:start+end]), start+1, start+end, section)
		default:
			b.keyValue(section, start, stop)
			closeBlocks([]*Node{section}, max(stop, int(section.end)))
		}
		return true
	})
	b.doc(root, 0, 0)
}

// readLines makes a list item of each line that is neither blank nor a comment.
func readLines(b *builder) {
	root := b.node(List, 0, len(b.src.text))
	b.eachLine(func(start, stop int) bool {
		if b.src.text[start] == '#' {
			b.lineComment(start)
			return true
		}
		b.add(root, b.node(Scalar, start, stop).setText(b.src.text[start:stop], typeString, false))
		return true
	})
	b.doc(root, 0, 0)
}

// readConf finds out what a *.conf or *.cfg file is and reads it so. One that is none of the syntaxes here has no documents, and
// no Error either: nobody asked for it.
func readConf(b *builder) {
	s := sniffConf(b.src.text)
	b.file.Syntax = s
	if s != NoSyntax {
		confReader(s)(b)
	}
}

// confReader is what readConf reads a syntax with. It does not look into readers, which holds readConf itself.
func confReader(s Syntax) func(*builder) {
	switch s {
	case JSON:
		return readJSON
	case TOML:
		return readTOML
	case Fluentd:
		return readFluentd
	case FluentBit:
		return readFluentBit
	case HAProxy:
		return readHAProxy
	case Nginx:
		return readNginx
	case Properties:
		return readProperties
	}
	return readINI
}

// fluentdBlocks are the directives at the top of Fluentd's files.
var fluentdBlocks = map[string]bool{"source": true, "match": true, "filter": true, "system": true, "label": true, "worker": true, "workers": true}

// sniffConf judges by the first lines that say something.
func sniffConf(text string) Syntax {
	section, block, pairs := "", false, false
	for seen := 0; text != "" && seen < 40; {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		seen++
		word, after, _ := strings.Cut(line, " ")
		eq := strings.IndexByte(line, '=')
		switch {
		case seen == 1 && (line[0] == '{' && (len(line) == 1 || line[1] == '"')):
			return JSON
		case strings.HasPrefix(line, "[["):
			return TOML
		case line[0] == '<' && fluentdBlocks[strings.Trim(word, "<>")]:
			return Fluentd
		case seen == 1 && haproxySections[word] && !strings.ContainsAny(line, "{;="):
			return HAProxy
		case line[0] == '[' && strings.Contains(line, "]"):
			if pairs {
				return INI
			}
			section = line
		case section != "" && eq > 0:
			return INI
		case section != "" && after != "":
			return FluentBit
		case strings.HasSuffix(line, ";") && eq != len(word)+1:
			return Nginx
		case strings.HasSuffix(line, "{") && eq < 0:
			block = true // nginx, or HOCON: the lines inside tell
		case eq > 0 && !block && strings.Trim(line[:eq], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.- \t") == "":
			pairs = true // properties, unless a section follows
		default:
			return NoSyntax
		}
	}
	if pairs {
		return Properties
	}
	return NoSyntax
}
