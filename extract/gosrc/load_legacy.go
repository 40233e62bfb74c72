package gosrc

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// adoptRoot gives packages outside of modules the import paths by which they import one another, as in repositories
// from before modules, whose paths came from a folder outside of the repository.
func adoptRoot(units []*unit) {
	dirs := make(map[string]bool)
	imports := make(map[string]bool)
	for _, u := range units {
		if u.module != nil {
			continue
		}
		dirs[u.pkg.Dir] = true
		for _, ref := range u.imports {
			if !isStd(ref.path) {
				imports[ref.path] = true
			}
		}
	}
	root := guessRoot(dirs, imports)
	if root == "" {
		return
	}
	for _, u := range units {
		if u.module != nil {
			continue
		}
		if u.pkg.Path = root + u.suffix; u.pkg.Dir != "." {
			u.pkg.Path = root + "/" + u.pkg.Dir + u.suffix
		}
	}
}

// guessRoot finds the import path of the repository: one under which all imports are folders of it. Of several it takes
// the one with most such imports, and none if they are equal.
func guessRoot(dirs, imports map[string]bool) string {
	votes := make(map[string]int)
	for p := range imports {
		for i := len(p) - 1; i > 0; i-- {
			if p[i] == '/' && dirs[p[i+1:]] && couldBeRoot(p[:i]) {
				votes[p[:i]]++
			}
		}
	}
	for root := range votes {
		for p := range imports {
			if rest, ok := strings.CutPrefix(p, root+"/"); ok && !dirs[rest] {
				delete(votes, root)
				break
			}
		}
	}
	roots := slices.Collect(maps.Keys(votes))
	slices.SortFunc(roots, func(a, b string) int { return cmp.Or(cmp.Compare(votes[b], votes[a]), cmp.Compare(a, b)) })
	if len(roots) == 0 || (len(roots) > 1 && votes[roots[0]] == votes[roots[1]]) {
		return ""
	}
	return roots[0]
}

// couldBeRoot says whether the path has a host and at least a name; on the large forges, an owner as well.
func couldBeRoot(p string) bool {
	host, rest, _ := strings.Cut(p, "/")
	if !strings.Contains(host, ".") || strings.HasPrefix(host, ".") || rest == "" {
		return false
	}
	switch host {
	case "github.com", "gitlab.com", "bitbucket.org":
		return strings.Contains(rest, "/")
	}
	return true
}
