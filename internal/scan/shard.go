package scan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/retrylint/retrylint/internal/factfile"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// ShardOf is the shard of a repository, from 0 to n-1. It depends on the name alone, so a new repository moves no other.
func ShardOf(name string, n int) int {
	h := fnv.New64a()
	h.Write([]byte(name)) // never fails
	return int(h.Sum64() % uint64(max(n, 1)))
}

// MapToStore extracts the facts of the repositories of one shard (all of them where shards is 0) into a store. What the
// store holds already from the same extractor is not read again: a shard that was killed resumes, and one that runs twice
// is harmless. A repository that cannot be opened is stored as facts with a gap, which a later run tries again.
func MapToStore(ctx context.Context, opt Options, store factfile.Store, extractor string, shard, shards int) error {
	repos, err := SettlePlan(ctx, store, opt.Repos)
	if err != nil {
		return err
	}
	shardOf := Shards(repos, shards)
	var todo []source.Repo
	for _, r := range repos {
		if shards > 0 && shardOf[r.Name] != shard {
			continue
		}
		done, err := stored(ctx, store, r.Name, extractor)
		if err != nil {
			return err
		}
		if !done {
			todo = append(todo, r)
		}
	}
	opt.Repos = todo
	// The first fault of the store ends the work: without it nothing that is read can be kept.
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	events := opt.Events
	opt.Events = func(e Event) {
		if e.Facts != nil {
			if err := factfile.Save(ctx, store, factfile.Header{Extractor: extractor}, e.Facts); err != nil {
				stop(err)
			}
		}
		if events != nil {
			e.Facts = nil
			events(e)
		}
	}
	opt.dropFacts = true
	_, err = MapAll(ctx, opt)
	if err != nil {
		return context.Cause(ctx)
	}
	return nil
}

// stored reports whether the store has the whole facts of a repository, read by the same extractor, without a gap that
// another try may close.
func stored(ctx context.Context, store factfile.Store, name, extractor string) (bool, error) {
	file, err := factfile.Load(ctx, store, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		return false, nil // damaged: read again
	}
	opened := !slices.ContainsFunc(file.Facts.Gaps, func(g model.Gap) bool { return g.Stage == "open" })
	return file.Header.Extractor == extractor && opened, nil
}

// FromStore reads the facts of all repositories in a store. A repository that the plan names and that is not there, or
// whose file is damaged, becomes facts with a gap, so that silence about it is not taken for safety.
func FromStore(ctx context.Context, store factfile.Store, expected []source.Repo) ([]*model.Facts, error) {
	names, err := store.List(ctx)
	if err != nil {
		return nil, err
	}
	var facts []string
	missing := map[string]planRepository{}
	for _, r := range expected {
		missing[r.Name] = planRepository{Name: r.Name, URL: r.URL}
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !strings.HasSuffix(name, factfile.PlanSuffix) {
			facts = append(facts, name)
			continue
		}
		data, err := store.Get(ctx, name)
		if err != nil {
			return nil, err
		}
		p, err := parsePlan(name, data)
		if err != nil {
			return nil, err
		}
		for _, r := range p.Repositories {
			missing[r.Name] = r
		}
	}
	files, err := readFiles(ctx, store, facts)
	if err != nil {
		return nil, err
	}
	merged, err := factfile.Merge(files...)
	if err != nil {
		return nil, err
	}
	var out []*model.Facts
	for _, f := range merged {
		out = append(out, f.Facts)
		delete(missing, f.Facts.Repo.Name)
	}
	for _, r := range missing {
		out = append(out, missingFacts(r))
	}
	slices.SortFunc(out, func(a, b *model.Facts) int { return strings.Compare(a.Repo.Name, b.Repo.Name) })
	return out, nil
}

// readFiles reads facts files side by side; which error is told does not depend on time.
func readFiles(ctx context.Context, store factfile.Store, names []string) ([]*factfile.File, error) {
	files := make([]*factfile.File, len(names))
	errs := make([]error, len(names))
	group := new(errgroup.Group)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range names {
		group.Go(func() error {
			data, err := store.Get(ctx, name)
			if err == nil {
				if files[i], err = factfile.Read(bytes.NewReader(data)); err != nil {
					err = fmt.Errorf("read %s: %w", name, err)
				}
			}
			errs[i] = err
			return nil
		})
	}
	_ = group.Wait() // the functions never fail
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

func missingFacts(r planRepository) *model.Facts {
	return &model.Facts{Schema: model.SchemaVersion, Repo: model.Repository{Name: r.Name, URL: r.URL},
		Gaps: []model.Gap{{Repo: r.Name, Stage: "facts", Reason: "its facts are missing: the shard that reads it did not finish"}}}
}
