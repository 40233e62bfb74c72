package gosrc

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math"
	"slices"
	"sync"
)

// A stubSet is the type-checked form of a set of stubs over one set of standard packages. Stubs are checked when they
// are first imported, once per process and set.
type stubSet struct {
	sources map[string]string

	mu       sync.Mutex
	fset     *token.FileSet
	files    map[string]*ast.File
	packages map[string]*types.Package // nil while it is being checked
	errs     map[string]error
}

type stubKey struct {
	sum [sha256.Size]byte
	std *stdSet
}

var (
	stubMu    sync.Mutex
	stubSets  = make(map[stubKey]*stubSet)
	stubOrder []stubKey // oldest first
)

// keptStubSets is how many sets stay in memory. A process uses one or two.
const keptStubSets = 4

// stubsFor returns the set for the sources over the given standard packages.
func stubsFor(sources map[string]string, std *stdSet) *stubSet {
	if len(sources) == 0 {
		return nil
	}
	h := sha256.New()
	for _, p := range slices.Sorted(maps.Keys(sources)) {
		fmt.Fprintf(h, "%q %d\n%s\n", p, len(sources[p]), sources[p])
	}
	key := stubKey{std: std}
	h.Sum(key.sum[:0])

	stubMu.Lock()
	defer stubMu.Unlock()
	if s := stubSets[key]; s != nil {
		return s
	}
	if len(stubOrder) == keptStubSets {
		delete(stubSets, stubOrder[0])
		stubOrder = stubOrder[1:]
	}
	s := newStubSet(sources)
	stubSets[key] = s
	stubOrder = append(stubOrder, key)
	return s
}

func newStubSet(sources map[string]string) *stubSet {
	s := &stubSet{
		sources:  maps.Clone(sources),
		fset:     token.NewFileSet(),
		files:    make(map[string]*ast.File),
		packages: make(map[string]*types.Package),
		errs:     make(map[string]error),
	}
	// Positions of stubs start where no repository's end, so that they are unknown to its file set, not wrong.
	s.fset.AddFile("", math.MaxInt/2, 0)
	return s
}

// has says whether there is a stub for the import path.
func (s *stubSet) has(path string) bool { return s != nil && s.sources[path] != "" }

// get returns the package of the stub, made from the given standard packages. They must be the ones of stubsFor and
// hold what stdImports says. Faulty stubs give a package, too, if they can be parsed at all.
func (s *stubSet) get(path string, std *stdSet) (*types.Package, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.check(path, std)
}

func (s *stubSet) check(path string, std *stdSet) (pkg *types.Package, err error) {
	if pkg, ok := s.packages[path]; ok {
		if pkg == nil {
			return nil, fmt.Errorf("stub of %s: import cycle", path)
		}
		return pkg, nil
	}
	file, err := s.parse(path)
	if err != nil {
		return nil, err
	}
	s.packages[path] = nil

	pkg = types.NewPackage(path, file.Name.Name)
	var errs []error
	conf := types.Config{
		Importer: importFunc(func(p string) (*types.Package, error) {
			if imp := std.packages[p]; imp != nil {
				return imp, nil
			}
			if s.has(p) {
				return s.check(p, std)
			}
			return nil, errMissing
		}),
		Error: func(err error) { errs = append(errs, err) },
		Sizes: types.SizesFor("gc", "amd64"),
	}
	defer func() {
		if r := recover(); r != nil {
			errs = append(errs, fmt.Errorf("panic: %v", r))
		}
		pkg.MarkComplete()
		s.packages[path] = pkg
		if len(errs) > 0 {
			s.errs[path] = fmt.Errorf("stub of %s: %w", path, errors.Join(errs...))
		}
	}()
	_ = types.NewChecker(&conf, s.fset, pkg, nil).Files([]*ast.File{file}) // errors are collected above
	return pkg, nil
}

func (s *stubSet) parse(path string) (*ast.File, error) {
	if f := s.files[path]; f != nil {
		return f, nil
	}
	f, err := parser.ParseFile(s.fset, "stub "+path, s.sources[path], parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("stub of %s: %w", path, err)
	}
	s.files[path] = f
	return f, nil
}

// stdImports returns the standard packages that the stubs of the given paths need, stubs that they import included.
func stdImports(sources map[string]string, paths []string) []string {
	var std []string
	seen := make(map[string]bool)
	var visit func(path string)
	visit = func(path string) {
		if seen[path] {
			return
		}
		seen[path] = true
		if isStd(path) {
			std = append(std, path)
			return
		}
		if sources[path] == "" {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, sources[path], parser.ImportsOnly)
		if err != nil {
			return
		}
		for _, spec := range f.Imports {
			visit(importedPath(spec))
		}
	}
	for _, p := range paths {
		visit(p)
	}
	return std
}

// CheckStubs type-checks all stubs as Load would and returns what is wrong with them, or nil. An import that is neither
// in the standard library nor among the stubs is an error.
func CheckStubs(stubs map[string]string) error {
	paths := slices.Sorted(maps.Keys(stubs))
	std, err := stdFor(stdImports(stubs, paths))
	if err != nil {
		return err
	}
	s := newStubSet(stubs)
	var errs []error
	for _, p := range paths {
		if isStd(p) {
			errs = append(errs, fmt.Errorf("stub of %s: it is in the standard library, so the stub is never used", p))
		}
		if _, err := s.get(p, std); err != nil {
			errs = append(errs, err)
		} else if err := s.errs[p]; err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
