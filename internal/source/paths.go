package source

import (
	"errors"
	"io/fs"
	"strings"
	"unicode/utf8"
)

// escapePath makes a path printable and keeps different paths different: bytes that are not UTF-8 and control characters
// become \xNN, a backslash becomes two.
func escapePath(raw string) string {
	i := 0
	for i < len(raw) && raw[i] >= 0x20 && raw[i] < 0x7f && raw[i] != '\\' {
		i++
	}
	if i == len(raw) {
		return raw
	}
	const hex = "0123456789abcdef"
	var b strings.Builder
	b.WriteString(raw[:i])
	for i < len(raw) {
		c, n := utf8.DecodeRuneInString(raw[i:])
		switch {
		case c == '\\':
			b.WriteString(`\\`)
		case c == utf8.RuneError && n == 1, c < 0x20, c == 0x7f:
			b.WriteString(`\x`)
			b.WriteByte(hex[raw[i]>>4])
			b.WriteByte(hex[raw[i]&15])
		default:
			b.WriteString(raw[i : i+n])
		}
		i += n
	}
	return b.String()
}

// badPath tells why a path in a tree object must not be used, or "".
func badPath(raw string) string {
	if raw == "" {
		return "an empty path"
	}
	if strings.IndexByte(raw, 0) >= 0 {
		return "a zero byte in the path"
	}
	for part := range strings.SplitSeq(raw, "/") {
		switch {
		case part == "" || part == ".":
			return "an empty path element"
		case part == "..":
			return "the path leads out of the tree"
		case strings.EqualFold(part, ".git"):
			return "the path leads into a git folder"
		}
	}
	return ""
}

// underlying strips the operation and the path off a file system error, for messages that name the place already.
func underlying(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// within tells whether the slash-separated path lies in dir; "" holds everything.
func within(path, dir string) bool {
	return dir == "" || strings.HasPrefix(path, dir) && len(path) > len(dir) && path[len(dir)] == '/'
}

// validName tells whether a path is UTF-8 without control characters.
func validName(raw string) bool {
	if !utf8.ValidString(raw) {
		return false
	}
	for i := range len(raw) {
		if raw[i] < 0x20 || raw[i] == 0x7f {
			return false
		}
	}
	return true
}
