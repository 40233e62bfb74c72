package gosrc

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
)

// A unit is one package on its way through the loader.
type unit struct {
	pkg     *Package
	module  *module
	suffix  string      // behind the folder's import path; if there is one, the package cannot be imported
	imports []importRef // sorted by path
	sound   []*ast.File // those of pkg.Files without syntax errors

	local map[string]*unit  // imports that are in this repository; no cycles after order
	names map[string]string // known or guessed names of other imports

	done    chan struct{} // closed when the type check is over
	checked bool          // it took place; read it after done
}

// release lets go of what only the package's own check and whoever took it over need.
func (u *unit) release() {
	u.sound, u.pkg.Files, u.pkg.Info, u.pkg.Notes = nil, nil, nil, nil
}

// An importRef is an import declaration; of several with the same path the first one that is not in a test.
type importRef struct {
	path     string
	pos      token.Pos
	testOnly bool
}

// group makes packages of files.
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
		for i, files := range l.byName(dir, own) {
			for j, program := range programs(files) {
				suffix := ""
				if i > 0 {
					suffix = "#" + files[0].parsed.ast.Name.Name
				}
				if j > 0 {
					suffix = "#" + strings.TrimSuffix(path.Base(program[0].path), ".go")
				}
				units = append(units, l.newUnit(mod, dir, p, suffix, program))
			}
		}
		if len(external) > 0 {
			// Several names are possible only where there is something wrong already.
			units = append(units, l.newUnit(mod, dir, p, "_test", l.byName(dir, external)[0]))
		}
	}
	return units
}

func isExternalTest(s *source) bool {
	return strings.HasSuffix(s.path, "_test.go") && strings.HasSuffix(s.parsed.ast.Name.Name, "_test")
}

// byName parts the files of a folder by package name, the most frequent one first; it is the one that can be imported.
// Of equally frequent ones that is the folder's name, else the first in the alphabet.
func (l *loader) byName(dir string, files []*source) [][]*source {
	named := make(map[string][]*source)
	for _, s := range files {
		name := s.parsed.ast.Name.Name
		named[name] = append(named[name], s)
	}
	groups := slices.Collect(maps.Values(named))
	slices.SortFunc(groups, func(a, b []*source) int {
		x, y := a[0].parsed.ast.Name.Name, b[0].parsed.ast.Name.Name
		return cmp.Or(
			cmp.Compare(len(b), len(a)),
			cmp.Compare(boolRank(y == path.Base(dir)), boolRank(x == path.Base(dir))),
			cmp.Compare(x, y))
	})
	for _, group := range groups[min(1, len(groups)):] {
		for _, s := range group {
			name := s.parsed.ast.Name
			pos := l.fset.PositionFor(name.Pos(), false)
			l.problem(Problem{Path: s.path, Line: pos.Line, Col: pos.Column, Kind: ProblemPackageName,
				Msg: fmt.Sprintf("package %s in a folder of package %s", name.Name, groups[0][0].parsed.ast.Name.Name)})
		}
	}
	return groups
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// programs parts the files of a folder with several main functions, which people run one by one, into one package per
// main function. What has none belongs to the first. Together, their functions of the same name would be mixed up.
func programs(files []*source) [][]*source {
	var parts [][]*source
	var rest []*source
	for _, s := range files {
		if declaresMain(s.parsed.ast) {
			parts = append(parts, []*source{s})
		} else {
			rest = append(rest, s)
		}
	}
	if len(parts) < 2 {
		return [][]*source{files}
	}
	parts[0] = append(parts[0], rest...)
	slices.SortFunc(parts[0], func(a, b *source) int { return cmp.Compare(a.path, b.path) })
	return parts
}

func declaresMain(f *ast.File) bool {
	return f.Name.Name == "main" && slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Recv == nil && fn.Name.Name == "main"
	})
}

func (l *loader) newUnit(mod *module, dir, importPath, suffix string, files []*source) *unit {
	pkg := &Package{
		Path: importPath + suffix, Name: files[0].parsed.ast.Name.Name, Dir: dir, Fset: l.fset,
		Imports: make(map[string]*Package),
	}
	if mod != nil {
		pkg.Module, pkg.ModuleDir, pkg.GoVersion, pkg.ModuleVersions = mod.path, mod.dir, mod.goVersion, mod.versions
	}
	u := &unit{pkg: pkg, module: mod, suffix: suffix, done: make(chan struct{})}
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
