package gosrc

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// workers is how many goroutines parse and type-check inside one repository. Scans run several repositories side by
// side, so more would only use memory.
const workers = 2

// maxDepth is how deeply syntax may nest. The time that the type checker needs grows with the square of the depth: half
// a minute at the parser's own limit of 100,000. Fewer bytes than that cannot nest so deeply.
const maxDepth = 4096

const (
	trimFrom    = 256 << 10 // bytes of a file in which long lists of literals are shortened
	maxLiterals = 4096      // elements that stay
)

// A parsedFile is what became of one source.
type parsedFile struct {
	ast      *ast.File // nil if there is not even a package clause
	tok      *token.File
	problems []Problem
}

// parse parses the sources into l.fset.
//
// Files get the positions that they would have if they were parsed one after the other, so positions do not depend on
// which goroutine is faster. Each is parsed into a set of its own, for a set hands out positions in the order of calls.
func (l *loader) parse(sources []*source) {
	bases := make([]int, len(sources))
	next := 1
	for i, s := range sources {
		bases[i] = next
		next += len(s.data) + 1
	}
	parallel(len(sources), func(i int) {
		if l.ctx.Err() == nil {
			sources[i].parsed = parseFile(sources[i], bases[i], l.opt.MaxErrors)
		}
		sources[i].data = nil
	})
	toks := make([]*token.File, 0, len(sources))
	for _, s := range sources {
		if s.parsed == nil {
			continue // cancelled
		}
		if s.parsed.tok != nil {
			toks = append(toks, s.parsed.tok)
		}
		l.problems = append(l.problems, s.parsed.problems...)
	}
	l.fset.AddExistingFiles(toks...)
}

// parallel calls f for 0 to n-1, in order of starting, on a fixed number of goroutines.
func parallel(n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

func parseFile(s *source, base, maxErrors int) (out *parsedFile) {
	out = new(parsedFile)
	defer func() {
		if r := recover(); r != nil {
			out.ast = nil
			out.problems = append(out.problems, Problem{Path: s.path, Kind: ProblemPanic, Msg: fmt.Sprintf("parse: %v", r)})
		}
	}()

	mode := parser.ParseComments | parser.SkipObjectResolution
	src := withoutLineDirectives(s.data)
	file, tok, err := parseAt(s.path, src, base, mode)
	var list scanner.ErrorList
	if err != nil {
		list, _ = err.(scanner.ErrorList)
		if len(list) == 0 {
			list = scanner.ErrorList{{Msg: err.Error()}}
		}
		if tok != nil {
			if repaired := repair(s.path, src, tok); repaired != nil {
				file = repaired
			}
		}
	}
	out.tok = tok
	for i, e := range list {
		p := Problem{Path: s.path, Line: e.Pos.Line, Col: e.Pos.Column, Kind: ProblemSyntax, Msg: e.Msg}
		if i == maxErrors-1 && len(list) > maxErrors {
			p.Msg += fmt.Sprintf(" (and %d more)", len(list)-maxErrors)
		}
		if i == maxErrors {
			break
		}
		out.problems = append(out.problems, p)
	}
	if named(file) {
		if len(src) > trimFrom {
			trimLiterals(file)
		}
		if len(src) > maxDepth {
			out.problems = append(out.problems, dropDeep(file, s.path, tok)...)
		}
		out.ast = file
	} else if len(out.problems) == 0 {
		out.problems = append(out.problems, Problem{Path: s.path, Line: 1, Col: 1, Kind: ProblemSyntax, Msg: "no package name"})
	}
	return out
}

// trimLiterals shortens long lists of plain literals, as tools make them that put files into Go source: the type checker
// needs some hundred bytes for each byte of such a list, and nobody reads it.
func trimLiterals(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || len(lit.Elts) <= maxLiterals {
			return true
		}
		for _, e := range lit.Elts {
			if _, ok := e.(*ast.BasicLit); !ok {
				return true
			}
		}
		lit.Elts = slices.Clone(lit.Elts[:maxLiterals]) // a clone, to let go of the rest
		return false
	})
}

// dropDeep removes declarations that nest too deeply.
func dropDeep(file *ast.File, name string, tok *token.File) (problems []Problem) {
	file.Decls = slices.DeleteFunc(file.Decls, func(d ast.Decl) bool {
		if d.End()-d.Pos() <= maxDepth || depth(d) <= maxDepth {
			return false
		}
		pos := tok.PositionFor(d.Pos(), false)
		problems = append(problems, Problem{Path: name, Line: pos.Line, Col: pos.Column, Kind: ProblemTooDeep,
			Msg: fmt.Sprintf("a declaration nests more than %d levels; it is left out", maxDepth)})
		return true
	})
	return problems
}

// depth returns the number of nodes on the longest way down from the node.
func depth(n ast.Node) int {
	deepest, now := 0, 0
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			now--
			return false
		}
		now++
		deepest = max(deepest, now)
		return true
	})
	return deepest
}

// parseAt parses source so that its positions start at base.
func parseAt(name string, src []byte, base int, mode parser.Mode) (*ast.File, *token.File, error) {
	fset := token.NewFileSet()
	if base > 1 {
		pad := fset.AddFile("", 1, base-2) // the next file starts one after its end
		defer fset.RemoveFile(pad)
	}
	file, err := parser.ParseFile(fset, name, src, mode)
	return file, fset.File(token.Pos(base)), err
}

// withoutLineDirectives returns source of the same length whose positions are those in this file. Line directives lead to
// a grammar or template that need not be in the repository, and they can name any file.
func withoutLineDirectives(src []byte) []byte {
	copied := false
	spoil := func(at int) {
		if !copied {
			src, copied = bytes.Clone(src), true
		}
		src[at+2] = ' ' // the l of "line"
	}
	for _, directive := range []string{"//line ", "/*line "} {
		for from := 0; ; {
			i := bytes.Index(src[from:], []byte(directive))
			if i < 0 {
				break
			}
			at := from + i
			// A line comment counts at the start of a line only, and strings often have one elsewhere.
			if directive[1] == '*' || at == 0 || src[at-1] == '\n' {
				spoil(at)
			}
			from = at + len(directive)
		}
	}
	return src
}

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
