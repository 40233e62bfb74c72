package doc

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Str is a scalar's text with quotes and escapes undone. For an Unknown it is the text as written, so that messages and
// names stay readable; ask Kind before comparing it. For anything else, null included, it is def, or "".
func (n *Node) Str(def ...string) string {
	if n.isText() {
		return n.text
	}
	if len(def) > 0 {
		return def[0]
	}
	return ""
}

// isText reports whether the node has a text. A property with keys below it still has its own.
func (n *Node) isText() bool { return n != nil && (n.kind == Scalar || n.kind == Unknown) }

// IsString reports whether the scalar is text in its own format: quoted, or a word that is no number, boolean or time.
// In formats without types (INI, properties, env) it is true for what does not read as a number or boolean.
func (n *Node) IsString() bool { return n.Kind() == Scalar && n.typ == typeString }

// Quoted reports whether the scalar stood in quotes.
func (n *Node) Quoted() bool { return n != nil && n.quoted }

// Int is a scalar's whole number: 3, "3", 0x10, 1_000 as the syntax allows, also 3.0. False for the wrong type, for
// absent, null and unknown, and for what an int64 does not hold.
func (n *Node) Int() (int64, bool) {
	if n.Kind() != Scalar {
		return 0, false
	}
	text := strings.TrimSpace(n.text)
	if i, ok := parseInt(text, n.syntax); ok {
		return i, true
	}
	if n.typ != typeFloat {
		return 0, false
	}
	f, ok := parseFloat(text, n.syntax)
	if !ok || f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
		return 0, false
	}
	return int64(f), true
}

// Float is a scalar's number, whole or not. Infinities and NaN are no numbers here.
func (n *Node) Float() (float64, bool) {
	if n.Kind() != Scalar {
		return 0, false
	}
	text := strings.TrimSpace(n.text)
	if i, ok := parseInt(text, n.syntax); ok {
		return float64(i), true
	}
	return parseFloat(text, n.syntax)
}

// Bool is a scalar's truth value. true and false everywhere, in quotes too; yes, no, on and off where the syntax has
// them (YAML 1.1 unquoted, INI, properties, env, systemd and the line formats), and there also 1 and 0 except in YAML.
func (n *Node) Bool() (value, ok bool) {
	if n.Kind() != Scalar {
		return false, false
	}
	text := strings.ToLower(strings.TrimSpace(n.text))
	switch text {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	switch n.syntax {
	case JSON, TOML, HCL:
		return false, false
	case YAML:
		if n.quoted {
			return false, false
		}
	}
	switch text {
	case "yes", "on":
		return true, true
	case "no", "off":
		return false, true
	case "1":
		return true, n.syntax != YAML
	case "0":
		return false, n.syntax != YAML
	}
	return false, false
}

// Duration is ParseDuration of a scalar's text; bare is what one unit of a number without unit means, 0 if such
// numbers are not durations.
func (n *Node) Duration(bare time.Duration) (time.Duration, bool) {
	if n.Kind() != Scalar {
		return 0, false
	}
	return ParseDuration(n.text, bare)
}

// Env recognises a scalar that is nothing but a reference to an environment variable or property, with or without a
// default: ${NAME}, ${NAME:3} (Spring), ${NAME:-3} (shell), $(NAME) (Kubernetes), $NAME, {env:NAME}, %NAME% and Ruby's ENV["NAME"] in
// #{} or <%= %> are not told apart further. hasDef says whether a default is written.
func (n *Node) Env() (name, def string, hasDef, ok bool) {
	if !n.isText() {
		return "", "", false, false
	}
	s := strings.TrimSpace(n.text)
	switch {
	case strings.HasPrefix(s, "#{") || strings.HasPrefix(s, "<%="):
		m := rubyEnv.FindStringSubmatch(s)
		if m == nil {
			return "", "", false, false
		}
		def := m[2] + m[3] + m[4] // one of them at most
		return m[1], strings.Trim(def, `"'`), def != "", true
	case strings.HasPrefix(s, "${") && strings.HasSuffix(s, "}"):
		s = s[2 : len(s)-1]
		if i := strings.IndexByte(s, ':'); i >= 0 {
			hasDef = true
			def = strings.TrimPrefix(s[i+1:], "-")
			s = s[:i]
		} else if i := strings.IndexByte(s, '-'); i > 0 {
			hasDef, def, s = true, s[i+1:], s[:i]
		}
	case strings.HasPrefix(s, "$(") && strings.HasSuffix(s, ")"):
		s = s[2 : len(s)-1]
	case strings.HasPrefix(s, "$"):
		s = s[1:]
	case len(s) > 2 && s[0] == '%' && s[len(s)-1] == '%':
		s = s[1 : len(s)-1]
	case strings.HasPrefix(s, "{env:") && strings.HasSuffix(s, "}"):
		s = s[5 : len(s)-1]
	default:
		return "", "", false, false
	}
	if s == "" || strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") != "" {
		return "", "", false, false
	}
	return s, def, hasDef, true
}

// rubyEnv is an environment variable in Ruby, as Fluentd's and Rails' files have it: "#{ENV['NAME'] || '3'}",
// <%= ENV.fetch("NAME", 3) %>, <%= ENV.fetch("NAME") { 3 }.to_i %>.
var rubyEnv = regexp.MustCompile(`^(?:#\{|<%=)\s*ENV(?:\.fetch\(|\[)\s*["'](\w+)["']\s*(?:,\s*("[^"]*"|'[^']*'|[\w.]+)\s*)?[\])]` +
	`(?:\s*\|\|\s*("[^"]*"|'[^']*'|[\w.]+))?(?:\s*\{\s*("[^"]*"|'[^']*'|[\w.]+)\s*\})?(?:\.to_[if])?\s*(?:\}|%>)$`)

// parseInt reads a whole number as the syntax writes it.
func parseInt(s string, syntax Syntax) (int64, bool) {
	if s == "" || len(s) > 70 {
		return 0, false
	}
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		if syntax == YAML && strings.HasPrefix(strings.TrimLeft(s, "+-"), "0") {
			if octal, err := strconv.ParseInt(s, 0, 64); err == nil {
				return octal, true // YAML 1.1, which the tools' libraries still follow: 010 is 8
			}
		}
		return i, true
	}
	switch syntax {
	case YAML, TOML, HCL:
		if strings.HasPrefix(s, "_") || strings.HasSuffix(s, "_") {
			return 0, false
		}
		i, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 0, 64)
		return i, err == nil
	}
	if d := strings.TrimLeft(s, "+-"); len(d) > 2 && (d[:2] == "0x" || d[:2] == "0X") {
		i, err := strconv.ParseInt(s, 0, 64)
		return i, err == nil
	}
	return 0, false
}

// parseFloat reads a decimal number; words such as "inf" and Go's hexadecimal floats are refused.
func parseFloat(s string, syntax Syntax) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789+-._eE") != "" {
		return 0, false
	}
	if strings.Contains(s, "_") {
		if syntax != YAML && syntax != TOML {
			return 0, false
		}
		s = strings.ReplaceAll(s, "_", "")
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// bareType is the type that an unquoted word has in a format without types of its own.
func bareType(s string, syntax Syntax) typ {
	if s == "" {
		return typeString
	}
	if c := s[0]; c == '-' || c == '+' || c == '.' || c >= '0' && c <= '9' {
		if _, ok := parseInt(s, syntax); ok {
			return typeInt
		}
		if _, ok := parseFloat(s, syntax); ok {
			return typeFloat
		}
		return typeString
	}
	switch s {
	case "true", "false", "True", "False", "TRUE", "FALSE":
		return typeBool
	}
	return typeString
}

// setText makes n a scalar with the text, or Unknown if the text is or holds a template action.
func (n *Node) setText(text string, t typ, quoted bool) *Node {
	n.kind, n.text, n.typ, n.quoted = Scalar, text, t, quoted
	if i := strings.Index(text, "{{"); i >= 0 && strings.Contains(text[i:], "}}") {
		n.unknown(text)
	}
	return n
}

// unknown makes n an Unknown with its text, whose Template is the only action in it if there is nothing else.
func (n *Node) unknown(text string) {
	n.kind, n.text, n.typ = Unknown, text, typeString
	n.tmpl = strings.Trim(text, " \t\r\n\"'")
}
