package doc

import "strings"

// splitProperty cuts a property's name into its parts: a.b[0].c is a, b, 0, c.
func splitProperty(key string) []string {
	return strings.FieldsFunc(key, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
}
