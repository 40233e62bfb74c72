package gosrc

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// A resolver finds the package of the repository that an import declaration means.
type resolver struct {
	byDir    map[string]*unit
	byModule map[[2]string]*unit // folder of the module, import path
	byPath   map[string]*unit
}

func newResolver(units []*unit) *resolver {
	r := &resolver{byDir: make(map[string]*unit), byModule: make(map[[2]string]*unit), byPath: make(map[string]*unit)}
	for _, u := range units {
		if u.suffix != "" {
			continue
		}
		r.byDir[u.pkg.Dir] = u
		r.byModule[[2]string{u.pkg.ModuleDir, u.pkg.Path}] = u
		if r.byPath[u.pkg.Path] == nil { // two modules can have the same path; the first folder wins
			r.byPath[u.pkg.Path] = u
		}
	}
	return r
}

// find returns the package, or nil if it is not in this repository.
func (r *resolver) find(from *unit, importPath string) *unit {
	if strings.HasPrefix(importPath, "./") || strings.HasPrefix(importPath, "../") {
		return r.byDir[path.Join(from.pkg.Dir, importPath)]
	}
	if isStd(importPath) {
		return nil
	}
	if from.module != nil {
		if dir, ok := from.module.replacement(importPath); ok && r.byDir[dir] != nil {
			return r.byDir[dir]
		}
	}
	if u := r.byModule[[2]string{from.pkg.ModuleDir, importPath}]; u != nil {
		return u
	}
	return r.byPath[importPath]
}

// replacement returns the folder of the package if a replace directive puts its module into the repository.
func (m *module) replacement(importPath string) (dir string, ok bool) {
	if len(m.local) == 0 {
		return "", false
	}
	for root := importPath; root != "." && root != "/"; root = path.Dir(root) { // the longest module path wins
		if dir, ok := m.local[root]; ok {
			return path.Join(dir, strings.TrimPrefix(importPath, root)), true
		}
	}
	return "", false
}

// order links the units to one another and returns them in import order: by level, then path, then folder.
//
// Cycles are broken where a search from the packages in alphabetical order meets them, so always at the same import.
func (l *loader) order(units []*unit, r *resolver) []*unit {
	slices.SortFunc(units, byPathAndDir)
	for _, u := range units {
		u.local = make(map[string]*unit)
		u.names = make(map[string]string)
		for _, ref := range u.imports {
			if dep := r.find(u, ref.path); dep != nil && dep != u {
				u.local[ref.path] = dep
			}
		}
	}
	l.breakCycles(units)
	l.dropTestCycles(units)

	levels := make(map[*unit]int)
	var level func(u *unit) int
	level = func(u *unit) int {
		if n, ok := levels[u]; ok {
			return n
		}
		n := 0
		for _, dep := range u.local {
			n = max(n, level(dep)+1)
		}
		levels[u] = n
		return n
	}
	for _, u := range units {
		level(u)
	}
	slices.SortStableFunc(units, func(a, b *unit) int { return cmp.Compare(levels[a], levels[b]) })
	return units
}

func byPathAndDir(a, b *unit) int {
	return cmp.Or(cmp.Compare(a.pkg.Path, b.pkg.Path), cmp.Compare(a.pkg.Dir, b.pkg.Dir))
}

// breakCycles cuts imports outside of tests that close a cycle.
func (l *loader) breakCycles(units []*unit) {
	const (
		open = iota + 1
		closed
	)
	state := make(map[*unit]int)
	var visit func(u *unit)
	visit = func(u *unit) {
		state[u] = open
		for _, ref := range u.imports {
			dep := u.local[ref.path]
			if dep == nil || ref.testOnly {
				continue
			}
			switch state[dep] {
			case open:
				u.cut(ref.path)
				pos := l.fset.PositionFor(ref.pos, false)
				l.problem(Problem{Path: pos.Filename, Line: pos.Line, Col: pos.Column, Kind: ProblemImportCycle,
					Msg: fmt.Sprintf("%s and %s import each other, maybe through others", u.pkg.Path, dep.pkg.Path)})
			case 0:
				visit(dep)
			}
		}
		state[u] = closed
	}
	for _, u := range units {
		if state[u] == 0 {
			visit(u)
		}
	}
}

// dropTestCycles cuts imports by tests inside a package that lead back to the package. They are legal, since the go
// command builds such a package twice, with and without its tests; here it exists once.
func (l *loader) dropTestCycles(units []*unit) {
	if !l.opt.Tests {
		return
	}
	added := make(map[*unit]map[*unit]bool) // imports by tests that were checked and stay
	for _, u := range units {
		for _, ref := range u.imports {
			dep := u.local[ref.path]
			if dep == nil || !ref.testOnly {
				continue
			}
			if reaches(dep, u, added) {
				u.cut(ref.path)
				continue
			}
			if added[u] == nil {
				added[u] = make(map[*unit]bool)
			}
			added[u][dep] = true
		}
	}
}

// reaches says whether target is from or is imported by it, through imports outside of tests and those in added.
func reaches(from, target *unit, added map[*unit]map[*unit]bool) bool {
	seen := map[*unit]bool{from: true}
	stack := []*unit{from}
	for len(stack) > 0 {
		u := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if u == target {
			return true
		}
		for _, ref := range u.imports {
			dep := u.local[ref.path]
			if dep == nil || seen[dep] || (ref.testOnly && !added[u][dep]) {
				continue
			}
			seen[dep] = true
			stack = append(stack, dep)
		}
	}
	return false
}

// cut makes an import unresolved. What is known is the name of the package.
func (u *unit) cut(importPath string) {
	u.names[importPath] = u.local[importPath].pkg.Name
	delete(u.local, importPath)
}
