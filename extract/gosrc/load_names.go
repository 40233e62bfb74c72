package gosrc

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"unicode"
)

// guessNames guesses the names of packages that are imported without a name and for which there is no source.
// It takes the most likely name that the importing files use as a qualifier, and the most likely one if none does.
func guessNames(files []*ast.File, missing map[string]bool, names map[string]string) {
	var wanted []string
	var used map[string]bool
	for _, f := range files {
		unnamed := false
		for _, spec := range f.Imports {
			p := importedPath(spec)
			if !missing[p] || names[p] != "" {
				continue
			}
			if spec.Name == nil {
				unnamed = true
			}
			wanted = append(wanted, p)
		}
		if unnamed {
			if used == nil {
				used = make(map[string]bool)
			}
			addQualifiers(f, used)
		}
	}
	for _, p := range wanted {
		candidates := likelyNames(p)
		names[p] = candidates[0]
		if i := slices.IndexFunc(candidates, func(name string) bool { return used[name] }); i >= 0 {
			names[p] = candidates[i]
		}
	}
}

// addQualifiers adds all x of selectors x.Y to the set.
func addQualifiers(f *ast.File, set map[string]bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel != nil && ast.IsExported(sel.Sel.Name) {
			if id, ok := sel.X.(*ast.Ident); ok {
				set[id.Name] = true
			}
		}
		return true
	})
}

// likelyNames returns names that a package with the import path may have, the most likely first; never empty.
func likelyNames(importPath string) []string {
	elems := strings.Split(path.Clean(importPath), "/")
	last := elems[len(elems)-1]
	var out []string
	add := func(name string) {
		if token.IsIdentifier(name) && name != "_" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}

	rest := elems[:len(elems)-1]
	if isMajor(last) && len(rest) > 0 { // example.org/name/v2
		addVariants(rest[len(rest)-1], add)
		add(last) // k8s.io/api/autoscaling/v2
		rest = rest[:len(rest)-1]
	} else {
		addVariants(last, add)
	}
	if len(rest) > 0 { // github.com/json-iterator/go
		addVariants(rest[len(rest)-1], add)
	}
	if len(out) == 0 {
		return []string{"unnamed"}
	}
	return out
}

// addVariants offers the names that a package in a folder of this name may have.
func addVariants(elem string, add func(string)) {
	if i := strings.LastIndex(elem, ".v"); i > 0 && isMajorNumber(elem[i+1:]) { // gopkg.in/yaml.v3
		elem = elem[:i]
	}
	elem = strings.TrimSuffix(elem, ".git")
	base := elem
	for _, suffix := range []string{"-go", ".go", "-golang", ".golang"} {
		base = strings.TrimSuffix(base, suffix)
	}
	for _, prefix := range []string{"go-", "go.", "golang-"} {
		base = strings.TrimPrefix(base, prefix)
	}
	add(base)
	add(elem)
	words := strings.FieldsFunc(elem, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	for _, w := range slices.Backward(words) {
		add(w)
	}
	add(strings.Join(words, ""))
	add(strings.Join(words, "_"))
	for n := 1; n < len(words); n++ { // json-iterator is jsoniter
		joined := strings.Join(words[:n], "")
		for m := 3; m < len(words[n]) && m <= 6; m++ {
			add(joined + words[n][:m])
		}
	}
}

// isMajor says whether the last element of an import path is a major version: v2 and up.
func isMajor(elem string) bool { return isMajorNumber(elem) && elem != "v0" && elem != "v1" }

func isMajorNumber(s string) bool {
	if len(s) < 2 || s[0] != 'v' {
		return false
	}
	return strings.Trim(s[1:], "0123456789") == ""
}
