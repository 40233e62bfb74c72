package scan

import (
	"context"

	"github.com/retrylint/retrylint/internal/factfile"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// MapOneToStore extracts the facts of one repository into a store, unless they are there. failed says that the repository
// could not be opened, which is stored as a gap; err that the store or the context ended the work.
func MapOneToStore(ctx context.Context, repo source.Repo, opt Options, store factfile.Store, extractor string) (failed, err error) {
	done, err := stored(ctx, store, repo.Name, extractor)
	if done || err != nil {
		return nil, err
	}
	f, failed := Map(ctx, repo, opt)
	if failed != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return failed, StoreGap(ctx, repo, store, extractor, openReason(failed))
	}
	return nil, factfile.Save(ctx, store, factfile.Header{Extractor: extractor}, f)
}

// StoreGap puts the reason into a store for which a repository could not be read. A later run tries again.
func StoreGap(ctx context.Context, repo source.Repo, store factfile.Store, extractor, reason string) error {
	return factfile.Save(ctx, store, factfile.Header{Extractor: extractor}, gapFacts(repo, reason))
}

func gapFacts(repo source.Repo, reason string) *model.Facts {
	return &model.Facts{Schema: model.SchemaVersion, Repo: model.Repository{Name: repo.Name, URL: repo.URL, Group: repo.Group},
		Gaps: []model.Gap{{Repo: repo.Name, Stage: "open", Reason: reason}}}
}
