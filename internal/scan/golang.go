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
	var res *gosrc.Result
	if opt.Full && rev.Repo.Dir != "" && rev.Repo.Kind != source.Bare {
		full, err := gosrc.LoadFull(ctx, rev.Repo.Dir, load)
		if err != nil {
			f.Gaps = append(f.Gaps, model.Gap{Repo: rev.Repo.Name, Stage: "go", Reason: err.Error()})
		}
		res = full
	}
	if res == nil {
		res = gosrc.Load(ctx, files, load)
	}
	for _, p := range res.Problems {
		f.Gaps = append(f.Gaps, model.Gap{Repo: rev.Repo.Name, Path: p.Path, Line: p.Line, Col: p.Col, Stage: "go", Reason: p.Msg, Expected: nobodyExpects(p.Path)})
	}
	f.Merge(extractGo(rev.Repo.Name, res, libraries(cfg)))
	return ctx.Err()
}

// extractGo runs the extractor over the packages of one repository, which come in import order.
func extractGo(repo string, res *gosrc.Result, known *libs.Set) *model.Facts {
	shared := analyzers.NewRepo()
	shared.Libraries = known
	var all []*model.Facts
	for i, p := range res.Packages {
		res.Packages[i] = nil // from here on shared holds it, for as long as it needs it
		all = append(all, analyzers.Extract(analyzers.Input{Fset: p.Fset, Files: p.Files, Generated: p.Generated, Pkg: p.Types, Info: p.Info,
			Path: p.Path, Module: p.Module, ModuleDir: p.ModuleDir, Dir: p.Dir, Repo: repo, Versions: p.ModuleVersions, Shared: shared}))
	}
	return shared.Join(all)
}
