package scan

import (
	"cmp"
	"context"
	"path"
	"slices"

	"github.com/retrylint/retrylint/analyzers"
	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/extract/gosrc"
	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// Go source takes some twenty times its size while it is in work. Workers together have no more than so much in work, but
// for a repository that is larger: that one is alone. One that can be shared out is read in parts.
const (
	goBytesAtOnce = 24 << 20
	goPartBytes   = 12 << 20
)

// readGo loads the Go code of a revision and extracts its facts.
func readGo(ctx context.Context, rev *source.Revision, paths []string, opt Options, cfg *config.Config, f *model.Facts) error {
	load := gosrc.Options{Tests: opt.Tests, Stubs: analyzers.Stubs()}
	known := libraries(cfg)
	if opt.Full && rev.Repo.Dir != "" && rev.Repo.Kind != source.Bare {
		res, err := gosrc.LoadFull(ctx, rev.Repo.Dir, load)
		if err != nil {
			f.Gaps = append(f.Gaps, model.Gap{Repo: rev.Repo.Name, Stage: "go", Reason: err.Error()})
		}
		if res != nil {
			x := newGoExtractor(rev.Repo.Name, known)
			x.tests = opt.Tests
			x.takeAll(res)
			addProblems(f, rev.Repo.Name, res.Problems)
			f.Merge(x.join())
			return ctx.Err()
		}
	}
	sizes := goSizes(rev, paths)
	parts, err := goParts(ctx, rev, paths, sizes, load, cmp.Or(opt.partBytes, goPartBytes))
	if err != nil {
		return err
	}
	var problems []gosrc.Problem
	for _, part := range parts {
		some, err := readGoPart(ctx, rev, part, sizes, opt, load, known, f)
		if err != nil {
			return err
		}
		problems = append(problems, some...)
	}
	addProblems(f, rev.Repo.Name, slices.Compact(slices.SortedFunc(slices.Values(problems), func(a, b gosrc.Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Msg, b.Msg))
	})))
	return ctx.Err()
}

func goSizes(rev *source.Revision, paths []string) map[string]int64 {
	want := make(map[string]bool, len(paths))
	for _, p := range paths {
		want[p] = true
	}
	sizes := make(map[string]int64, len(paths))
	for _, info := range rev.Files() {
		if want[info.Path] {
			sizes[info.Path] = info.Size
		}
	}
	return sizes
}

// goParts is what is loaded at once: everything, but for a large repository of which most is generated.
func goParts(ctx context.Context, rev *source.Revision, paths []string, sizes map[string]int64, load gosrc.Options, limit int64) ([]gosrc.Part, error) {
	whole := []gosrc.Part{{Files: paths}}
	var total int64
	for _, n := range sizes {
		total += n
	}
	if total <= 2*limit {
		return whole, nil
	}
	var heads []gosrc.File
	err := rev.Read(paths, func(p string, data []byte) error {
		if path.Base(p) != "go.mod" {
			data = gosrc.Head(data)
		}
		heads = append(heads, gosrc.File{Path: p, Data: data})
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	if parts := gosrc.Parts(ctx, heads, sizes, load, limit); parts != nil {
		return parts, nil
	}
	return whole, nil
}

// readGoPart loads one part and adds its facts.
func readGoPart(ctx context.Context, rev *source.Revision, part gosrc.Part, sizes map[string]int64, opt Options, load gosrc.Options, known *libs.Set, f *model.Facts) ([]gosrc.Problem, error) {
	var bytes int64
	for _, p := range part.Files {
		bytes += sizes[p]
	}
	if opt.goBytes != nil {
		bytes = min(bytes, goBytesAtOnce)
		if err := opt.goBytes.Acquire(ctx, bytes); err != nil {
			return nil, err
		}
		defer opt.goBytes.Release(bytes)
	}
	var files []gosrc.File
	err := rev.Read(part.Files, func(p string, data []byte) error {
		files = append(files, gosrc.File{Path: p, Data: data})
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	x := newGoExtractor(rev.Repo.Name, known)
	x.tests = opt.Tests
	if part.Own != nil {
		x.shared.Own = func(dir string) bool { return part.Own[dir] }
	}
	res := gosrc.Each(ctx, files, load, x.take)
	f.Merge(x.join())
	return res.Problems, ctx.Err()
}

func addProblems(f *model.Facts, repo string, problems []gosrc.Problem) {
	for _, p := range problems {
		f.Gaps = append(f.Gaps, model.Gap{Repo: repo, Path: p.Path, Line: p.Line, Col: p.Col, Stage: "go", Reason: p.Msg, Expected: nobodyExpects(p.Path)})
	}
}

// goExtractor runs the extractor over the packages of one repository, which come in import order.
type goExtractor struct {
	repo   string
	tests  bool
	shared *analyzers.Repo
	facts  []*model.Facts
}

func newGoExtractor(repo string, known *libs.Set) *goExtractor {
	x := &goExtractor{repo: repo, shared: analyzers.NewRepo()}
	x.shared.Libraries = known
	return x
}

func (x *goExtractor) take(p *gosrc.Package) {
	x.facts = append(x.facts, analyzers.Extract(analyzers.Input{Fset: p.Fset, Files: p.Files, Generated: p.Generated, Tests: x.tests, Pkg: p.Types, Info: p.Info, Notes: p.Notes,
		Path: p.Path, Module: p.Module, ModuleDir: p.ModuleDir, Dir: p.Dir, Repo: x.repo, Versions: p.ModuleVersions, Shared: x.shared}))
}

// takeAll takes the packages out of a result, so that nobody but the extractor holds their syntax.
func (x *goExtractor) takeAll(res *gosrc.Result) {
	for _, p := range res.Packages {
		x.take(p)
	}
	res.Packages = nil
}

func (x *goExtractor) join() *model.Facts { return x.shared.Join(x.facts) }
