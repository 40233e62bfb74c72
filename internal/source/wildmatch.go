package source

import "strings"

// A glob is a pattern of an ignore file, in git's dialect: * and ? stop at a slash, ** between slashes does not, [a-z],
// [!a-z], [[:alpha:]], backslash. Matching takes time proportional to pattern times text, whatever the pattern, because
// ignore files come with the scanned repository.
type glob struct {
	literal string // the whole pattern, if it has nothing special
	toks    []token
	never   bool // a pattern that git cannot match with anything, such as an open bracket
	fold    bool // ASCII letters match without regard to case
}

type token struct {
	op  byte // 'c' a byte, '?' any byte but slash, '*' any but slash repeated, 'D' anything repeated, 'S' "**/", '[' a set
	c   byte
	set *[256]bool
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// compileGlob compiles a pattern. With pathname, slashes are special; without it the text is one name.
func compileGlob(p string, pathname, fold bool) *glob {
	g := &glob{fold: fold}
	if fold {
		p = strings.Map(func(r rune) rune {
			if 'A' <= r && r <= 'Z' {
				return r + 'a' - 'A'
			}
			return r
		}, p)
	}
	if !strings.ContainsAny(p, `*?[\`) {
		g.literal = p
		return g
	}
	for i := 0; i < len(p); {
		switch c := p[i]; c {
		case '\\':
			if i+1 == len(p) {
				g.never = true
				return g
			}
			g.toks = append(g.toks, token{op: 'c', c: p[i+1]})
			i += 2
		case '?':
			g.toks = append(g.toks, token{op: '?'})
			i++
		case '*':
			j := i
			for j < len(p) && p[j] == '*' {
				j++
			}
			startsElement := i == 0 || p[i-1] == '/'
			switch {
			case !pathname:
				g.toks = append(g.toks, token{op: 'D'})
			case j-i > 1 && startsElement && j < len(p) && p[j] == '/':
				g.toks = append(g.toks, token{op: 'S'}) // **/ is any number of whole folders, none included
				j++
			case j-i > 1 && startsElement && j == len(p):
				g.toks = append(g.toks, token{op: 'D'})
			default:
				g.toks = append(g.toks, token{op: '*'})
			}
			i = j
		case '[':
			set, n := parseSet(p[i:], fold)
			if n == 0 {
				g.never = true
				return g
			}
			if pathname {
				set['/'] = false
			}
			g.toks = append(g.toks, token{op: '[', set: set})
			i += n
		default:
			g.toks = append(g.toks, token{op: 'c', c: c})
			i++
		}
	}
	return g
}

// parseSet reads a bracket expression and returns its length, 0 if it has no end or names an unknown class.
func parseSet(p string, fold bool) (*[256]bool, int) {
	var set [256]bool
	i, negated := 1, false
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		negated = true
		i++
	}
	for first := true; ; first = false {
		if i >= len(p) {
			return nil, 0
		}
		if p[i] == ']' && !first {
			break
		}
		if p[i] == '[' && i+1 < len(p) && p[i+1] == ':' {
			if end := strings.Index(p[i+2:], ":]"); end >= 0 && !strings.Contains(p[i+2:i+2+end], "]") {
				if !addClass(&set, p[i+2:i+2+end], fold) {
					return nil, 0
				}
				i += end + 4
				continue
			}
		}
		lo := p[i]
		if lo == '\\' {
			i++
			if i >= len(p) {
				return nil, 0
			}
			lo = p[i]
		}
		i++
		hi := lo
		set[lo] = true // the first of a range always counts, even where the range runs backwards
		if i+1 < len(p) && p[i] == '-' && p[i+1] != ']' {
			hi = p[i+1]
			i += 2
			if hi == '\\' {
				if i >= len(p) {
					return nil, 0
				}
				hi = p[i]
				i++
			}
		}
		for c := int(lo); c <= int(hi); c++ {
			set[c] = true
			if fold {
				set[lower(byte(c))] = true
			}
		}
	}
	if negated {
		for c := range set {
			set[c] = !set[c]
		}
	}
	return &set, i + 1
}

func addClass(set *[256]bool, name string, fold bool) bool {
	alpha := func(c byte) bool { c = lower(c); return 'a' <= c && c <= 'z' }
	digit := func(c byte) bool { return '0' <= c && c <= '9' }
	graph := func(c byte) bool { return c > ' ' && c < 0x7f }
	classes := map[string]func(c byte) bool{
		"alnum":  func(c byte) bool { return alpha(c) || digit(c) },
		"alpha":  alpha,
		"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
		"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7f },
		"digit":  digit,
		"graph":  graph,
		"lower":  func(c byte) bool { return 'a' <= c && c <= 'z' },
		"print":  func(c byte) bool { return c >= ' ' && c < 0x7f },
		"punct":  func(c byte) bool { return graph(c) && !alpha(c) && !digit(c) },
		"space":  func(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' },
		"upper":  func(c byte) bool { return 'A' <= c && c <= 'Z' || fold && 'a' <= c && c <= 'z' },
		"xdigit": func(c byte) bool { return digit(c) || 'a' <= lower(c) && lower(c) <= 'f' },
	}
	in, ok := classes[name]
	if !ok {
		return false
	}
	for c := range set {
		if in(byte(c)) {
			set[c] = true
		}
	}
	return true
}

// match tells whether the whole text matches. It walks the pattern once and keeps the set of places in the text that the
// pattern read so far can end at.
func (g *glob) match(text string) bool {
	if g.never {
		return false
	}
	if g.toks == nil {
		if g.fold {
			return len(text) == len(g.literal) && strings.EqualFold(text, g.literal)
		}
		return text == g.literal
	}
	n := len(text)
	var small [2][128]bool
	at, next := small[0][:], small[1][:]
	if n >= len(at) {
		at, next = make([]bool, n+1), make([]bool, n+1)
	}
	at, next = at[:n+1], next[:n+1]
	at[0] = true
	for _, t := range g.toks {
		clear(next)
		any, run := false, false
		for i := 0; i <= n; i++ {
			switch t.op {
			case '*', 'D':
				run = run || at[i]
				if run {
					next[i], any = true, true
				}
				if t.op == '*' && i < n && text[i] == '/' {
					run = false
				}
			case 'S':
				run = run || at[i]
				if at[i] || run && i > 0 && text[i-1] == '/' {
					next[i], any = true, true
				}
			default:
				if !at[i] || i == n {
					continue
				}
				c := text[i]
				if g.fold {
					c = lower(c)
				}
				if t.op == 'c' && c == t.c || t.op == '?' && c != '/' || t.op == '[' && t.set[c] {
					next[i+1], any = true, true
				}
			}
		}
		if !any {
			return false
		}
		at, next = next, at
	}
	return at[n]
}
