package scan

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/retrylint/retrylint/internal/pack"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// Cache keeps bytes by key. What it gives back is checked before it is used, so it may be damaged, or of another build.
type Cache interface {
	Get(key string) (data []byte, ok bool)
	Has(key string) bool // without reading it
	Put(key string, data []byte)
}

// kept is what a cache holds under a key; nil where that is nothing whole.
func kept[T any](c Cache, key string) *T {
	if c == nil {
		return nil
	}
	data, ok := c.Get(key)
	if !ok {
		return nil
	}
	v, err := pack.Read[T](key, data)
	if err != nil {
		return nil // damaged: it is worked out and kept again
	}
	return v
}

func keepFacts(c Cache, key string, f *model.Facts) { c.Put(key, pack.Write(key, f)) }

// lookUp finds the facts of a repository in the cache; nil where they are not there.
func lookUp(src source.Repo, repo model.Repository, opt Options, lazy bool) *mapped {
	m := &mapped{source: src, repo: repo, key: cacheKey(repo.Name, repo.Tree, opt)}
	if lazy {
		if !opt.Cache.Has(m.key) {
			return nil
		}
		return m
	}
	if m.facts = kept[model.Facts](opt.Cache, m.key); m.facts == nil {
		return nil
	}
	m.facts.Repo = repo
	return m
}

// loadAll gets the facts that were left in the cache. Where an entry is damaged the repository is read again.
func loadAll(ctx context.Context, list []*mapped, opt Options) []*model.Facts {
	facts := make([]*model.Facts, len(list))
	group := new(errgroup.Group)
	group.SetLimit(cmp.Or(max(opt.Jobs, 0), runtime.GOMAXPROCS(0)))
	for i, m := range list {
		if facts[i] = m.facts; facts[i] != nil {
			continue
		}
		group.Go(func() error {
			f := kept[model.Facts](opt.Cache, m.key)
			if f == nil {
				var err error
				if f, err = Map(ctx, m.source, opt); err != nil {
					if ctx.Err() != nil {
						return nil
					}
					f = gapFacts(m.source, openReason(err))
				}
			} else {
				f.Repo = m.repo
			}
			facts[i] = f
			return nil
		})
	}
	_ = group.Wait() // the functions never fail
	var out []*model.Facts
	for _, f := range facts {
		if f != nil {
			out = append(out, f)
		}
	}
	return out
}

// resultKey names what the result of a run depends on, besides the program itself (which the cache adds): the facts of each
// repository in order, the configuration, the rules and what is listed. It is "" where some facts have no key, or where the
// configuration was put together.
func resultKey(list []*mapped, opt Options) string {
	if opt.Cache == nil || !opt.KeepResult || len(list) != len(opt.Repos) {
		return ""
	}
	h := sha256.New()
	write := func(parts ...string) {
		for _, p := range parts {
			fmt.Fprintf(h, "%d:%s", len(p), p)
		}
	}
	write(opt.Version, fmt.Sprint(opt.Verbose))
	for _, id := range ruleIDs() {
		write(id, fmt.Sprint(opt.Wants == nil || opt.Wants(id)))
	}
	if c := opt.Config; c != nil {
		if c.Text == "" {
			return ""
		}
		write("config", c.Path, c.Text)
	}
	for _, m := range list {
		if m.key == "" {
			return ""
		}
		r := m.repo
		write("repository", r.Name, r.URL, r.Commit, r.Tree, fmt.Sprint(r.Dirty), r.Group, m.key)
	}
	return "result|" + hex.EncodeToString(h.Sum(nil))
}

// keptResult is the result of an earlier run that read and asked the same; nil where there is none.
func keptResult(key string, opt Options) *model.Result {
	if key == "" {
		return nil
	}
	return kept[model.Result](opt.Cache, key)
}

func keepResult(key string, r *model.Result, opt Options) {
	if key != "" {
		opt.Cache.Put(key, pack.Write(key, r))
	}
}
