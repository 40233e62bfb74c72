package scan

import (
	"context"

	"github.com/retrylint/retrylint/extract/gosrc"
	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// readGo loads the Go code of a revision and extracts its facts.
func readGo(ctx context.Context, rev *source.Revision, files []gosrc.File, opt Options, _ *config.Config, f *model.Facts) error {
	res := gosrc.Load(ctx, files, gosrc.Options{Tests: opt.Tests})
	for _, p := range res.Problems {
		f.Gaps = append(f.Gaps, model.Gap{Repo: rev.Repo.Name, Path: p.Path, Line: p.Line, Col: p.Col, Stage: "go", Reason: p.Msg, Expected: nobodyExpects(p.Path)})
	}
	return ctx.Err()
}
