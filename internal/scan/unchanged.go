package scan

import (
	"context"

	"github.com/retrylint/retrylint/internal/pack"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// unchanged finds the facts of a repository at a server whose default branch still ends where it did when its facts were
// kept. It costs one question to the server, or none where the listing told the head, and no fetch. Nil where there is
// anything to read.
func unchanged(ctx context.Context, repo source.Repo, opt Options, look func(model.Repository) *mapped) *mapped {
	if opt.Cache == nil || opt.Full || repo.Kind != source.Remote || repo.Dir != "" {
		return nil
	}
	commit, tree := "", ""
	if repo.Ref == "" {
		commit, tree = repo.Head, repo.HeadTree
	}
	if commit == "" {
		var err error
		if commit, err = source.Head(ctx, repo, opt.Source); err != nil || commit == "" {
			return nil // the fetch will tell what is wrong
		}
		tree = ""
	}
	if tree == "" {
		known := kept[model.Repository](opt.Cache, commitKey(commit))
		if known == nil {
			return nil
		}
		tree = known.Tree
	}
	return look(model.Repository{Name: repo.Name, URL: repo.URL, Commit: commit, Tree: tree, Group: repo.Group})
}

// keepCommit notes the tree of a commit that was fetched, which never changes.
func keepCommit(rev *source.Revision, opt Options) {
	if rev.Repo.Kind == source.Remote && rev.Repo.Dir == "" && rev.Commit != "" {
		key := commitKey(rev.Commit)
		opt.Cache.Put(key, pack.Write(key, &model.Repository{Commit: rev.Commit, Tree: rev.Tree}))
	}
}

func commitKey(commit string) string { return "commit|" + commit }
