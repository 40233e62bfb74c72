package scan

import (
	"context"

	"github.com/retrylint/retrylint/analyzers"
	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/extract/gosrc"
	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// readGo loads the Go code of a revision and extracts its facts.
func readGo(ctx context.Context, rev *source.Revision, files []gosrc.File, opt Options, cfg *config.Config, f *model.Facts) error {
	load := gosrc.Options{Tests: opt.Tests, Stubs: analyzers.Stubs()}
	x := newGoExtractor(rev.Repo.Name, libraries(cfg))
	x.tests = opt.Tests
	var res *gosrc.Result
	if opt.Full && rev.Repo.Dir != "" && rev.Repo.Kind != source.Bare {
		full, err := gosrc.LoadFull(ctx, rev.Repo.Dir, load)
		if err != nil {
			f.Gaps = append(f.Gaps, model.Gap{Repo: rev.Repo.Name, Stage: "go", Reason: err.Error()})
		}
		res = full
	}
	if res != nil {
		x.takeAll(res)
	} else {
		res = gosrc.Each(ctx, files, load, x.take)
	}
	for _, p := range res.Problems {
		f.Gaps = append(f.Gaps, model.Gap{Repo: rev.Repo.Name, Path: p.Path, Line: p.Line, Col: p.Col, Stage: "go", Reason: p.Msg, Expected: nobodyExpects(p.Path)})
	}
	f.Merge(x.join())
	return ctx.Err()
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
