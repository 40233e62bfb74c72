package render

import (
	"path"
	"strings"
)

// helmIgnore are the rules of a chart's .helmignore: what they fit is no part of the chart.
type helmIgnore []ignoreRule

type ignoreRule struct {
	pattern       string
	rooted        bool // against the path in the chart, not the base name
	folder        bool // folders only
	negate, plain bool // plain: a pattern with a slash in it
}

// parseHelmIgnore reads the rules, and Helm's own one: hidden files of templates/ are left out.
func parseHelmIgnore(data []byte) helmIgnore {
	rules := helmIgnore{{pattern: "templates/.?*", plain: true}}
	for line := range strings.SplitSeq(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || strings.Contains(line, "**") {
			continue
		}
		r := ignoreRule{}
		line, r.negate = strings.CutPrefix(line, "!")
		line, r.folder = strings.CutSuffix(line, "/")
		line, r.rooted = strings.CutPrefix(line, "/")
		r.pattern, r.plain = line, strings.Contains(line, "/")
		if _, err := path.Match(line, ""); err == nil && line != "" {
			rules = append(rules, r)
		}
	}
	return rules
}

// file reports whether a file of the chart, by its path in it, is left out: it or a folder above it.
func (h helmIgnore) file(rel string) bool {
	for dir := path.Dir(rel); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if h.fits(dir, true) {
			return true
		}
	}
	return h.fits(rel, false)
}

// fits is Helm's own reading, which differs from git's: a "!" leaves out whatever it does not fit.
func (h helmIgnore) fits(rel string, folder bool) bool {
	if rel == "Chart.yaml" {
		return false
	}
	for _, r := range h {
		name := path.Base(rel)
		if r.rooted || r.plain {
			name = rel
		}
		ok, _ := path.Match(r.pattern, name)
		switch {
		case r.negate && (r.folder && !folder || !ok):
			return true
		case r.negate, r.folder && !folder:
		case ok:
			return true
		}
	}
	return false
}
