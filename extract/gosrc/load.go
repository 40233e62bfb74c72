// Package gosrc loads the Go code of a repository, with whatever types there are, and hands it to the analyzers.
//
// There are two loaders with one result. [Load] is the default: it parses files that the caller has read and
// type-checks them tolerantly. It runs no go command, touches neither network nor disk, and takes what it is given:
// modules whose dependencies are missing, files with syntax errors, folders without a go.mod. [LoadFull] uses the go
// command and therefore belongs only where the code is trusted.
//
// # Where types come from
//
// An import is looked up in this order: the standard library, from declarations embedded in the program; the packages
// of the repository itself; the stubs that the caller gives for libraries it knows; and at last an empty package with
// a guessed name. Of the last, no object has a type, but its qualifier still resolves to the import path. So whoever
// reads the result must test every type and every object for nil.
//
// # One configuration
//
// Build constraints are evaluated for one operating system and architecture, with cgo. Files of other configurations
// are listed in [Result.Excluded].
//
// The result depends on the files and options only, not on the order of the files nor on time: packages, problems and
// positions are the same in each run.
package gosrc

import (
	"cmp"
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sync/atomic"
	"time"

	"github.com/retrylint/retrylint/internal/typenotes"
)

// File is one file of the repository, read by the caller. Only Go files and go.mod files matter; others are ignored.
type File struct {
	Path string // relative to the repository, with slashes
	Data []byte // not modified
}

// Options say how to load. The zero value is usable.
type Options struct {
	// Tests includes _test.go files. Tests inside a package are added to it, so a test's import of a package that
	// depends on the tested one is not followed; external tests (package x_test) become a package of their own.
	Tests bool

	// Stubs maps import paths to Go source with declarations of that package. Must not be modified during the load.
	Stubs map[string]string

	GOOS, GOARCH string // for build constraints; default linux, amd64

	// MaxFileBytes is the size above which a file is skipped, with a problem; default 4 MiB.
	MaxFileBytes int64

	// MaxErrors is how many errors are kept: type errors per package, syntax errors per file. Default 10.
	MaxErrors int
}

func (o Options) withDefaults() Options {
	o.GOOS = cmp.Or(o.GOOS, "linux")
	o.GOARCH = cmp.Or(o.GOARCH, "amd64")
	if o.MaxFileBytes <= 0 {
		o.MaxFileBytes = 4 << 20
	}
	if o.MaxErrors <= 0 {
		o.MaxErrors = 10
	}
	return o
}

// Package is one package of the repository.
type Package struct {
	// Path is the import path: the module's path and the folder. Outside of modules, and in a module that does not say
	// its path, it is the folder, or "main" for the repository's root; a folder whose name would be that of a package
	// of the standard library has "_/" before it. Where the packages of a repository without modules import one
	// another by a common path, that path stands before the folder.
	//
	// An external test has the suffix "_test". In a folder with several package names, all but the most frequent one
	// have the suffix "#" and the name; in one with several main functions, all files with one but the first have the
	// suffix "#" and the file's name without ".go". These cannot be imported.
	Path string
	Name string // as in the package clause
	Dir  string // folder in the repository, "." for its root

	Module    string // path of the module, "" if there is none
	ModuleDir string // folder of the go.mod file in the repository, "." for its root; "" without a module
	GoVersion string // go directive of the module, such as "1.24.0"; "" if there is none

	// Fset has the positions of all packages of one Result; file names in it are relative to the repository.
	// Objects of the standard library and of stubs have positions that are unknown to it.
	Fset      *token.FileSet
	Files     []*ast.File // sorted by name; with syntax errors, as much as could be parsed
	FileNames []string    // parallel to Files; relative to the repository
	Generated []bool      // parallel to Files: the file says "Code generated ... DO NOT EDIT."

	// Types is never nil, whatever the number of errors. What the type checker noted is in Info, or in Notes where [Each]
	// loads; what could not be resolved is missing there.
	Types *types.Package
	Info  *types.Info
	Notes *typenotes.Notes

	Errors     []types.Error // the first Options.MaxErrors errors
	TypeErrors int           // number of all errors of the type check, failed imports included

	Imports map[string]*Package // imported packages of the same repository, by the path in the import declaration
	Missing []string            // import paths for which there is neither source nor stub; sorted

	// ModuleVersions maps module paths to versions as the go.mod that rules this package has them, after its replace
	// directives; a module replaced by a folder keeps the version that is required. Shared between packages: do not
	// modify.
	ModuleVersions map[string]string
}

// Kinds of problems.
const (
	ProblemSyntax      = "syntax"       // the file has syntax errors; what could be parsed is loaded
	ProblemTooLarge    = "too-large"    // the file is larger than Options.MaxFileBytes and was skipped, or a constant is too long
	ProblemTooDeep     = "too-deep"     // a declaration nests too deeply for the type checker and was left out
	ProblemGoMod       = "go-mod"       // the go.mod file cannot be read wholly
	ProblemPackageName = "package-name" // the file's package name differs from most of its neighbours'
	ProblemImportCycle = "import-cycle" // packages import one another; this import was left unresolved
	ProblemPanic       = "panic"        // the type checker gave up; the package has fewer types than it could
	ProblemTimeout     = "timeout"      // the type check of a package took too long; the package has no types
	ProblemCancelled   = "cancelled"    // the context ended; what follows in import order was not loaded
	ProblemList        = "list"         // LoadFull only: the go command complained
	ProblemInternal    = "internal"     // the embedded standard library could not be read
)

// Problem is something in the input that could not be read.
type Problem struct {
	Path      string // file or folder, relative to the repository
	Line, Col int    // from 1, columns in bytes; 0 if the problem has no place
	Kind, Msg string // Kind is one of the Problem constants
}

// Result is what was loaded.
type Result struct {
	Packages []*Package // in import order: a package comes after those that it imports
	Problems []Problem  // sorted by place
	Excluded []string   // Go files left out because of build constraints; sorted
}

// Load parses and type-checks the Go packages among the files, tolerantly.
//
// Left out are vendor, node_modules and testdata folders, folders whose name starts with "_" or ".", and _test.go files
// unless asked for. Whatever is wrong with the input becomes a [Problem] or is counted in the package. When the context
// ends, packages that were not type-checked yet are missing in the result, and a problem says so.
//
// Load may be called from several goroutines at once.
func Load(ctx context.Context, files []File, opt Options) *Result {
	var packages []*Package
	l := newLoader(ctx, opt)
	l.take = func(p *Package) { packages = append(packages, p) }
	res := l.run(files)
	res.Packages = packages
	return res
}

// Each loads as [Load] does and hands each package over as soon as it and those before it in import order are type-checked.
// The calls come one at a time, from several goroutines. The packages have Notes in place of Info, and lose them and their
// syntax when the call returns: what is to stay must be taken out. The result has no packages.
func Each(ctx context.Context, files []File, opt Options, take func(*Package)) *Result {
	l := newLoader(ctx, opt)
	l.pack = true
	l.take = take
	return l.run(files)
}

// A loader is the state of one call of Load or Each.
type loader struct {
	ctx  context.Context
	opt  Options
	fset *token.FileSet
	take func(*Package) // is handed the packages in import order
	pack bool           // packages have Notes in place of Info

	limit    time.Duration        // of the type check of one package
	spent    func() time.Duration // processor time of this program
	timeouts atomic.Int64         // type checks that exceeded it

	std      *stdSet
	stubs    *stubSet
	spare    spares
	problems []Problem
	excluded []string
}

func newLoader(ctx context.Context, opt Options) *loader {
	return &loader{ctx: ctx, opt: opt.withDefaults(), fset: token.NewFileSet(), limit: checkLimit, spent: processTime}
}

func (l *loader) run(files []File) *Result {
	l.load(files)
	sortProblems(l.problems)
	slices.Sort(l.excluded)
	return &Result{Problems: l.problems, Excluded: l.excluded}
}

func (l *loader) load(files []File) {
	sources, modules := l.sift(files)
	l.parse(sources)
	units := l.group(sources, modules)
	if l.ctx.Err() != nil {
		l.cancelled()
		return
	}
	adoptRoot(units)
	res := newResolver(units)
	units = l.order(units, res)
	if err := l.prepareImports(units); err != nil {
		l.problem(Problem{Path: ".", Kind: ProblemInternal, Msg: err.Error()})
	}
	l.check(units)
}

func (l *loader) problem(p Problem) { l.problems = append(l.problems, p) }

func (l *loader) cancelled() {
	l.problem(Problem{Path: ".", Kind: ProblemCancelled, Msg: context.Cause(l.ctx).Error()})
}

func sortProblems(list []Problem) {
	slices.SortFunc(list, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Msg, b.Msg))
	})
}
