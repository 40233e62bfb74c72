package gosrc

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// LoadFull loads the Go packages of the repository in a folder with the go command, with the types of all
// dependencies, and gives the same form of result as [Load].
//
// It runs the go command with the caller's environment: that reads the module cache, may use the network, compiles the
// dependencies and, with cgo, runs the C compiler. So it is for code that is trusted. Each module of the repository
// is loaded on its own, so a type that two modules share exists twice. Options.Stubs is not used. A repository
// without any go.mod file is loaded tolerantly.
//
// An error means that the folder could not be read, that the context ended, or that the go command loaded no module at
// all. Everything else is a [Problem].
func LoadFull(ctx context.Context, dir string, opt Options) (*Result, error) {
	root, err := filepath.Abs(dir)
	if err == nil {
		root, err = filepath.EvalSymlinks(root) // the go command reports names without links
	}
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", dir, err)
	}
	mods, err := findModules(root)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", dir, err)
	}
	if len(mods) == 0 {
		files, err := readTree(root)
		if err != nil {
			return nil, fmt.Errorf("load %s: %w", dir, err)
		}
		return Load(ctx, files, opt), nil
	}

	f := &fullLoader{root: root, opt: opt, max: opt.withDefaults().MaxErrors, fset: token.NewFileSet(),
		byPkg: make(map[*packages.Package]*Package)}
	var failed []error
	for _, mod := range mods {
		if err := f.loadModule(ctx, mod); err != nil {
			failed = append(failed, err)
			f.problems = append(f.problems, Problem{Path: path.Join(mod, "go.mod"), Kind: ProblemList, Msg: err.Error()})
		}
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("load %s: %w", dir, context.Cause(ctx))
	}
	if len(failed) == len(mods) {
		return nil, fmt.Errorf("load %s: %w", dir, errors.Join(failed...))
	}
	sortProblems(f.problems)
	f.problems = slices.Compact(f.problems)
	slices.Sort(f.excluded)
	f.excluded = slices.Compact(f.excluded)
	return &Result{Packages: importOrder(f.packages), Problems: f.problems, Excluded: f.excluded}, nil
}

type fullLoader struct {
	root     string // absolute
	opt      Options
	max      int // errors to keep
	fset     *token.FileSet
	byPkg    map[*packages.Package]*Package
	packages []*Package
	problems []Problem
	excluded []string
}

// findModules returns the folders with a go.mod file, relative and sorted.
func findModules(root string) ([]string, error) {
	var dirs []string
	err := walkTree(root, func(rel string) error {
		if path.Base(rel) == "go.mod" {
			dirs = append(dirs, path.Dir(rel))
		}
		return nil
	})
	slices.Sort(dirs)
	return dirs, err
}

// readTree reads the Go files below a folder.
func readTree(root string) ([]File, error) {
	var files []File
	err := walkTree(root, func(rel string) error {
		if path.Ext(rel) != ".go" && path.Base(rel) != "go.mod" {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(rel)))
		if err == nil {
			files = append(files, File{Path: rel, Data: data})
		}
		return err
	})
	return files, err
}

// walkTree calls f for each plain file outside of the folders that are skipped.
func walkTree(root string, f func(rel string) error) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir() && rel != "." && skippedFolder(d.Name()):
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		return f(rel)
	})
}

func (f *fullLoader) loadModule(ctx context.Context, mod string) error {
	conf := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo |
			packages.NeedModule | packages.NeedForTest,
		Context: ctx, Dir: filepath.Join(f.root, filepath.FromSlash(mod)), Fset: f.fset,
		Tests: f.opt.Tests, ParseFile: f.parseFile, Env: os.Environ(),
	}
	if f.opt.GOOS != "" {
		conf.Env = append(conf.Env, "GOOS="+f.opt.GOOS)
	}
	if f.opt.GOARCH != "" {
		conf.Env = append(conf.Env, "GOARCH="+f.opt.GOARCH)
	}
	list, err := packages.Load(conf, "./...")
	if err != nil {
		return fmt.Errorf("go/packages: %w", err)
	}

	versions, goVersion := f.moduleFile(mod)
	withTests := make(map[string]bool) // packages that exist a second time, with their tests
	for _, p := range list {
		if p.ForTest == p.PkgPath && p.ForTest != "" {
			withTests[p.PkgPath] = true
		}
	}
	var made []*packages.Package
	for _, p := range list {
		f.takeErrors(p, mod)
		f.takeExcluded(p)
		isTestMain := strings.HasSuffix(p.ID, ".test")
		if p.Types == nil || len(p.Syntax) == 0 || isTestMain || (p.ForTest == "" && withTests[p.PkgPath]) {
			continue
		}
		pkg := f.convert(p)
		pkg.ModuleVersions = versions
		pkg.Module, pkg.ModuleDir, pkg.GoVersion = "", mod, goVersion
		if p.Module != nil {
			pkg.Module = p.Module.Path
		}
		f.byPkg[p] = pkg
		f.packages = append(f.packages, pkg)
		made = append(made, p)
	}
	if len(made) == 0 && len(list) > 0 && len(list[0].Errors) > 0 {
		return errors.New(list[0].Errors[0].Msg)
	}
	for _, p := range made {
		f.link(p)
	}
	return nil
}

func (f *fullLoader) moduleFile(mod string) (versions map[string]string, goVersion string) {
	name := path.Join(mod, "go.mod")
	data, err := os.ReadFile(filepath.Join(f.root, filepath.FromSlash(name)))
	if err != nil {
		return nil, ""
	}
	l := &loader{opt: f.opt.withDefaults()}
	m := l.readModule(File{Path: name, Data: data}, mod)
	f.problems = append(f.problems, l.problems...)
	return m.versions, m.goVersion
}

// parseFile parses a file under its name in the repository. What cgo made of a file lies elsewhere; its line directives
// are made to name the file in the repository.
func (f *fullLoader) parseFile(fset *token.FileSet, filename string, src []byte) (*ast.File, error) {
	name, ok := f.relative(filename)
	if ok {
		src = withoutLineDirectives(src)
	} else {
		name = filepath.Base(filename) // without a folder, so that the directives' names stay as they are
		src = bytes.ReplaceAll(src, []byte("//line "+f.root+string(filepath.Separator)), []byte("//line "))
	}
	return parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors)
}

// relative returns the name of a file in the repository.
func (f *fullLoader) relative(filename string) (string, bool) {
	rel, err := filepath.Rel(f.root, filename)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

func (f *fullLoader) convert(p *packages.Package) *Package {
	pkg := &Package{
		Path: p.PkgPath, Name: p.Name, Dir: ".", Fset: f.fset,
		Types: p.Types, Info: p.TypesInfo, TypeErrors: len(p.TypeErrors), Errors: p.TypeErrors[:min(len(p.TypeErrors), f.max)],
		Imports: make(map[string]*Package),
	}
	for _, file := range p.Syntax {
		name := f.fset.Position(file.Package).Filename // adjusted, for files that cgo has rewritten
		if _, err := os.Lstat(filepath.Join(f.root, filepath.FromSlash(name))); err != nil {
			continue // cgo made it out of nothing
		}
		pkg.Files = append(pkg.Files, file)
		pkg.FileNames = append(pkg.FileNames, name)
		pkg.Generated = append(pkg.Generated, ast.IsGenerated(file))
	}
	f.sortFiles(pkg)
	if rel, ok := f.relative(p.Dir); ok {
		pkg.Dir = rel
	}
	for _, file := range pkg.Files {
		for _, spec := range file.Imports {
			importPath := importedPath(spec)
			imp := p.Imports[importPath]
			if importPath != "C" && !isStd(importPath) && (imp == nil || len(imp.GoFiles) == 0) {
				pkg.Missing = append(pkg.Missing, importPath)
			}
		}
	}
	slices.Sort(pkg.Missing)
	pkg.Missing = slices.Compact(pkg.Missing)
	return pkg
}

func (f *fullLoader) sortFiles(pkg *Package) {
	order := make([]int, len(pkg.Files))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(pkg.FileNames[a], pkg.FileNames[b]) })
	sorted := Package{}
	for _, i := range order {
		sorted.Files = append(sorted.Files, pkg.Files[i])
		sorted.FileNames = append(sorted.FileNames, pkg.FileNames[i])
		sorted.Generated = append(sorted.Generated, pkg.Generated[i])
	}
	pkg.Files, pkg.FileNames, pkg.Generated = sorted.Files, sorted.FileNames, sorted.Generated
}

func (f *fullLoader) link(p *packages.Package) {
	for importPath, imp := range p.Imports {
		if dep := f.byPkg[imp]; dep != nil {
			f.byPkg[p].Imports[importPath] = dep
		}
	}
}

// takeErrors makes problems of what the go command and the parser said. Type errors are counted elsewhere.
func (f *fullLoader) takeErrors(p *packages.Package, mod string) {
	for _, e := range p.Errors {
		kind := ProblemList
		switch e.Kind {
		case packages.TypeError:
			continue
		case packages.ParseError:
			kind = ProblemSyntax
		}
		problem := Problem{Path: mod, Kind: kind, Msg: e.Msg}
		if rel, ok := f.relative(p.Dir); ok && p.Dir != "" {
			problem.Path = rel
		}
		name, line, col := splitPos(e.Pos)
		if filepath.IsAbs(name) {
			name, _ = f.relative(name)
		}
		if name != "" {
			problem.Path, problem.Line, problem.Col = filepath.ToSlash(name), line, col
		}
		f.problems = append(f.problems, problem)
	}
}

// takeExcluded notes the files that build constraints leave out.
func (f *fullLoader) takeExcluded(p *packages.Package) {
	for _, name := range p.IgnoredFiles {
		rel, ok := f.relative(name)
		base := path.Base(rel)
		if !ok || path.Ext(base) != ".go" || base[0] == '_' || base[0] == '.' || (!f.opt.Tests && strings.HasSuffix(base, "_test.go")) {
			continue
		}
		f.excluded = append(f.excluded, rel)
	}
}

// splitPos splits "file:line:col", whose column and line may be missing; "-" is no file.
func splitPos(pos string) (name string, line, col int) {
	name = pos
	var nums []int
	for len(nums) < 2 {
		i := strings.LastIndexByte(name, ':')
		if i < 0 {
			break
		}
		n, err := strconv.Atoi(name[i+1:])
		if err != nil {
			break
		}
		name, nums = name[:i], append(nums, n)
	}
	switch len(nums) {
	case 1:
		line = nums[0]
	case 2:
		line, col = nums[1], nums[0]
	}
	if name == "-" {
		name = ""
	}
	return name, line, col
}

// importOrder sorts packages by level, then path, then folder.
func importOrder(list []*Package) []*Package {
	levels := make(map[*Package]int)
	var level func(p *Package) int
	level = func(p *Package) int {
		if n, ok := levels[p]; ok {
			return n
		}
		levels[p] = 0 // ends a cycle, should there be one
		n := 0
		for _, dep := range p.Imports {
			n = max(n, level(dep)+1)
		}
		levels[p] = n
		return n
	}
	for _, p := range list {
		level(p)
	}
	slices.SortStableFunc(list, func(a, b *Package) int {
		return cmp.Or(cmp.Compare(levels[a], levels[b]), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Dir, b.Dir))
	})
	return list
}
