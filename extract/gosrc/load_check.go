package gosrc

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/types"
	"go/version"
	"slices"
	"sync"
	"time"

	"github.com/retrylint/retrylint/internal/typenotes"
)

// importFunc makes a types.Importer of a function.
type importFunc func(path string) (*types.Package, error)

func (f importFunc) Import(path string) (*types.Package, error) { return f(path) }

// errMissing is what the type checker is told of packages that are not there. It then takes the package as a fake and
// does not complain of what it lacks.
var errMissing = errors.New("no source and no stub")

// sizes are those of the one configuration. The Go types of layers, counts and durations do not depend on them.
var sizes = types.SizesFor("gc", "amd64")

// prepareImports reads the standard packages and finds the stubs that the units need.
func (l *loader) prepareImports(units []*unit) error {
	seen := make(map[string]bool)
	var paths []string
	for _, u := range units {
		for _, ref := range u.imports {
			if u.local[ref.path] == nil && !seen[ref.path] {
				seen[ref.path] = true
				paths = append(paths, ref.path)
			}
		}
	}
	std, err := stdFor(stdImports(l.opt.Stubs, paths))
	if err != nil {
		l.std = &stdSet{packages: map[string]*types.Package{"unsafe": types.Unsafe}}
		return err
	}
	l.std = std
	l.stubs = stubsFor(l.opt.Stubs, std)
	return nil
}

// check type-checks the units, each after those that it imports, and hands their packages on in the order of units.
func (l *loader) check(units []*unit) {
	problems := make([]*Problem, len(units))
	var mu sync.Mutex
	next := 0 // the unit to be handed on
	handOn := func() {
		mu.Lock()
		defer mu.Unlock()
		for ; next < len(units) && l.isChecked(units[next]); next++ {
			u := units[next]
			if problems[next] != nil {
				l.problem(*problems[next])
			}
			for p, dep := range u.local {
				u.pkg.Imports[p] = dep.pkg
			}
			l.take(u.pkg)
			if l.pack {
				u.release()
			}
		}
	}
	parallel(len(units), func(i int) {
		u := units[i]
		for _, dep := range u.local {
			<-dep.done // comes before u, so somebody is at work on it
		}
		if l.ctx.Err() == nil {
			problems[i] = l.checkUnit(u)
			u.checked = l.ctx.Err() == nil
		}
		close(u.done)
		handOn()
	})
	if next < len(units) {
		l.cancelled()
	}
}

func (l *loader) isChecked(u *unit) bool {
	select {
	case <-u.done:
		return u.checked
	default:
		return false
	}
}

// checkUnit type-checks one package. It returns a problem if the type checker panicked or took too long.
//
// The type checker has panics that syntax errors lead to. Then it has a second try without the files that have them,
// which leaves those files without types, and not the whole package.
func (l *loader) checkUnit(u *unit) *Problem {
	missing := make(map[string]bool)
	for _, ref := range u.imports {
		_, cut := u.names[ref.path]
		if !cut && u.local[ref.path] == nil && l.std.packages[ref.path] == nil && !l.stubs.has(ref.path) {
			missing[ref.path] = true
			u.pkg.Missing = append(u.pkg.Missing, ref.path)
		}
	}
	guessNames(u.pkg.Files, missing, u.names)

	pkg := u.pkg
	if largestConstant(pkg.Files) > maxConstant {
		none := l.unchecked(u)
		pkg.Types, pkg.TypeErrors = none.types, 1
		l.note(u, none)
		return &Problem{Path: pkg.Dir, Kind: ProblemTooLarge, Msg: fmt.Sprintf("a constant of %s is longer than %d bytes; the package has no types", pkg.Path, maxConstant)}
	}
	all := l.checkFiles(u, pkg.Files)
	if all.panicked != nil && 0 < len(u.sound) && len(u.sound) < len(pkg.Files) {
		all = l.checkFiles(u, u.sound).after(all)
	}
	pkg.Types, pkg.Errors, pkg.TypeErrors = all.types, all.errors, all.count
	l.note(u, all)
	switch {
	case all.panicked != nil:
		pkg.TypeErrors++
		return &Problem{Path: pkg.Dir, Kind: ProblemPanic, Msg: fmt.Sprintf("type check of %s: %v", pkg.Path, all.panicked)}
	case all.timeout:
		pkg.TypeErrors++
		return &Problem{Path: pkg.Dir, Kind: ProblemTimeout, Msg: fmt.Sprintf("type check of %s takes too long", pkg.Path)}
	}
	return nil
}

// note gives the package what the type checker noted.
func (l *loader) note(u *unit, c *checked) {
	switch {
	case !l.pack:
		u.pkg.Info = c.info.Info
	case c.timeout || c.panicked != nil || len(u.sound) < len(u.pkg.Files):
		u.pkg.Notes = typenotes.Of(c.info.Info)
	default:
		if u.pkg.Notes = c.info.packer.Pack(u.pkg.Files, c.info.Info); !u.pkg.Notes.Wraps(c.info.Info) {
			l.spare.put(c.info)
		}
	}
}

// A checked is the outcome of one type check.
type checked struct {
	types    *types.Package
	info     *scratch
	errors   []types.Error
	count    int
	panicked any // what the type checker panicked with, or nil
	timeout  bool
}

// after returns the outcome of a second try after a first one that panicked.
func (c *checked) after(first *checked) *checked {
	c.panicked = first.panicked
	return c
}

// checkLimit is how long the type check of one package may take, of time that passes and of processor time of the whole
// program: where the machine is busy with much else, time that passes says nothing. Large packages take a tenth of a second.
const checkLimit = 8 * time.Second

// started is when time began to be measured where there is no processor time.
var started = time.Now()

// maxTimeouts is how many type checks of one load may exceed the limit; later packages get no types at all.
const maxTimeouts = 2

// checkFiles type-checks the files as the package, from scratch.
//
// There are short programs for which the type checker would take years, and it cannot be stopped. When the limit is
// reached or the context ends it is left alone, with all that it writes to, and the package has no types.
func (l *loader) checkFiles(u *unit, files []*ast.File) *checked {
	none := l.unchecked(u)
	if l.timeouts.Load() >= maxTimeouts {
		return none
	}
	result := make(chan *checked, 1)
	begun := l.spent()
	go func() { result <- l.checkNow(u, files) }()
	tick := time.NewTicker(l.limit)
	defer tick.Stop()
	for {
		select {
		case c := <-result:
			return c
		case <-l.ctx.Done():
			return none
		case <-tick.C:
			if l.spent()-begun >= l.limit {
				l.timeouts.Add(1)
				return none
			}
		}
	}
}

// unchecked is the outcome for a package without types.
func (l *loader) unchecked(u *unit) *checked {
	c := &checked{types: types.NewPackage(u.pkg.Path, u.pkg.Name), info: newScratch(0), timeout: true}
	c.types.MarkComplete()
	return c
}

func (l *loader) checkNow(u *unit, files []*ast.File) (c *checked) {
	pkg := u.pkg
	bytes := 0
	for _, f := range files {
		bytes += int(f.FileEnd - f.FileStart)
	}
	c = &checked{types: types.NewPackage(pkg.Path, pkg.Name), info: l.spare.get(bytes)}
	conf := types.Config{
		GoVersion:   clampGoVersion(pkg.GoVersion),
		FakeImportC: true,
		Importer:    importFunc(func(path string) (*types.Package, error) { return l.importFor(u, path) }),
		Sizes:       sizes,
		Error: func(err error) {
			c.count++
			var te types.Error
			if len(c.errors) < l.opt.MaxErrors && errors.As(err, &te) {
				c.errors = append(c.errors, te)
			}
		},
	}
	defer func() {
		c.panicked = recover()
		c.types.MarkComplete() // whatever is there, importers may use
	}()
	_ = types.NewChecker(&conf, l.fset, c.types, c.info.Info).Files(files) // errors are counted above
	return c
}

// importFor answers one import of the unit.
func (l *loader) importFor(u *unit, path string) (*types.Package, error) {
	if dep := u.local[path]; dep != nil {
		return dep.pkg.Types, nil
	}
	if pkg := l.std.packages[path]; pkg != nil {
		return pkg, nil
	}
	if l.stubs.has(path) {
		if pkg, err := l.stubs.get(path, l.std); err == nil {
			return pkg, nil
		}
	}
	name := u.names[path]
	if name == "" {
		name = likelyNames(path)[0]
	}
	// A new one each time: the type checker writes to it, and others may be running.
	return types.NewPackage(path, name), errMissing
}

// clampGoVersion makes a go directive one that this program's type checker accepts: not newer than itself. It returns
// "", which is the newest version, for what is no version.
func clampGoVersion(directive string) string {
	v := version.Lang("go" + directive)
	if v == "" {
		return ""
	}
	if newest := newestGoVersion(); version.Compare(v, newest) > 0 {
		return newest
	}
	return v
}

// newestGoVersion is the language version of the Go release that this program was built with.
var newestGoVersion = sync.OnceValue(func() string {
	return slices.MaxFunc(build.Default.ReleaseTags, version.Compare)
})
