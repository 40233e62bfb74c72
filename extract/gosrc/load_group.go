package gosrc

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

// A unit is one package on its way through the loader.
type unit struct {
	pkg     *Package
	module  *module
	imports []importRef // sorted by path
	sound   []*ast.File // those of pkg.Files without syntax errors

	local map[string]*unit  // imports that are in this repository; no cycles after order
	names map[string]string // known or guessed names of other imports

	done    chan struct{} // closed when the type check is over
	checked bool          // it took place; read it after done
}

// An importRef is an import declaration; of several with the same path the first one that is not in a test.
type importRef struct {
	path     string
	pos      token.Pos
	testOnly bool
}

// group makes packages of files. Files whose package name differs from most of their neighbours' are left out.
func (l *loader) group(sources []*source, modules map[string]*module) []*unit {
	byDir := make(map[string][]*source)
	var dirs []string
	for _, s := range sources {
		if s.parsed == nil || s.parsed.ast == nil {
			continue
		}
		dir := path.Dir(s.path)
		if byDir[dir] == nil {
			dirs = append(dirs, dir)
		}
		byDir[dir] = append(byDir[dir], s)
	}
	slices.Sort(dirs)

	var units []*unit
	for _, dir := range dirs {
		var own, external []*source
		for _, s := range byDir[dir] {
			if isExternalTest(s) {
				external = append(external, s)
			} else {
				own = append(own, s)
			}
		}
		mod := ruling(modules, dir)
		p := importPath(mod, dir)
		if own = l.oneName(dir, own); len(own) > 0 {
			units = append(units, l.newUnit(mod, dir, p, own))
		}
		if external = l.oneName(dir, external); len(external) > 0 {
			units = append(units, l.newUnit(mod, dir, p+"_test", external))
		}
	}
	return units
}

func isExternalTest(s *source) bool {
	return strings.HasSuffix(s.path, "_test.go") && strings.HasSuffix(s.parsed.ast.Name.Name, "_test")
}

// oneName keeps the files of the most frequent package name. Of equally frequent ones it takes the folder's name, else
// the first in the alphabet.
func (l *loader) oneName(dir string, files []*source) []*source {
	count := make(map[string]int)
	for _, s := range files {
		count[s.parsed.ast.Name.Name]++
	}
	if len(count) < 2 {
		return files
	}
	names := make([]string, 0, len(count))
	for name := range count {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(
			cmp.Compare(count[b], count[a]),
			cmp.Compare(boolRank(b == path.Base(dir)), boolRank(a == path.Base(dir))),
			cmp.Compare(a, b))
	})
	var kept []*source
	for _, s := range files {
		if name := s.parsed.ast.Name; name.Name != names[0] {
			pos := l.fset.PositionFor(name.Pos(), false)
			l.problem(Problem{Path: s.path, Line: pos.Line, Col: pos.Column, Kind: ProblemPackageName,
				Msg: fmt.Sprintf("package %s in a folder of package %s; the file is left out", name.Name, names[0])})
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (l *loader) newUnit(mod *module, dir, importPath string, files []*source) *unit {
	pkg := &Package{
		Path: importPath, Name: files[0].parsed.ast.Name.Name, Dir: dir, Fset: l.fset,
		Imports: make(map[string]*Package),
	}
	if mod != nil {
		pkg.Module, pkg.ModuleDir, pkg.GoVersion, pkg.ModuleVersions = mod.path, mod.dir, mod.goVersion, mod.versions
	}
	u := &unit{pkg: pkg, module: mod, done: make(chan struct{})}
	refs := make(map[string]importRef)
	for _, s := range files {
		pkg.Files = append(pkg.Files, s.parsed.ast)
		pkg.FileNames = append(pkg.FileNames, s.path)
		pkg.Generated = append(pkg.Generated, ast.IsGenerated(s.parsed.ast))
		if len(s.parsed.problems) == 0 {
			u.sound = append(u.sound, s.parsed.ast)
		}
		test := strings.HasSuffix(s.path, "_test.go")
		for _, spec := range s.parsed.ast.Imports {
			p := importedPath(spec)
			if p == "" || p == "C" {
				continue
			}
			if ref, ok := refs[p]; !ok || (ref.testOnly && !test) {
				refs[p] = importRef{path: p, pos: spec.Pos(), testOnly: test}
			}
		}
	}
	for _, ref := range refs {
		u.imports = append(u.imports, ref)
	}
	slices.SortFunc(u.imports, func(a, b importRef) int { return cmp.Compare(a.path, b.path) })
	return u
}

// importedPath returns the path of an import declaration, or "" if it is none.
func importedPath(spec *ast.ImportSpec) string {
	if spec.Path == nil {
		return ""
	}
	return unquote(spec.Path.Value)
}
