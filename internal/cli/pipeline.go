package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/factfile"
	"github.com/retrylint/retrylint/internal/scan"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// runScan hands a request to the pipeline.
func runScan(ctx context.Context, req request) (*model.Result, error) {
	repos, err := repositories(req.Paths, req.Manifest)
	if err != nil {
		return nil, err
	}
	var store factfile.Store
	if req.Facts != "" {
		if store, err = openFacts(ctx, req.Facts); err != nil {
			return nil, err
		}
	}
	if repos, err = withOrganisations(ctx, repos, req, store); err != nil {
		return nil, err
	}
	cache, err := openCache(ctx, req)
	if err != nil {
		return nil, err
	}
	opt := scan.Options{Repos: repos, Config: req.Config, Wants: req.Wants, Jobs: req.Jobs,
		Full: req.FullTypes, KeepResult: true, Verbose: req.Verbose, Version: toolVersion(), Events: events(req.Event)}
	if req.Orgs != nil {
		req.Orgs.fetchTokens(&opt.Source)
	}
	if cache != nil {
		opt.Cache = cache
	}
	var result *model.Result
	if store != nil {
		result, err = scanToStore(ctx, opt, req, store)
	} else {
		result, err = scanNow(ctx, opt, req)
	}
	cache.trim()
	return result, err
}

// repositories finds what to scan.
func repositories(paths []string, manifest string) ([]source.Repo, error) {
	repos, err := source.Discover(paths, source.Options{})
	if err == nil && manifest != "" {
		var listed []source.Repo
		listed, err = source.ReadManifest(manifest)
		repos = source.Merge(repos, listed)
	}
	var usage *source.UsageError
	if errors.As(err, &usage) {
		return nil, scanUsage{err}
	}
	return repos, err
}

// withOrganisations adds what the hosts list. In a store the list is settled once for all shards, so a run that is resumed
// does not ask again.
func withOrganisations(ctx context.Context, repos []source.Repo, req request, store factfile.Store) ([]source.Repo, error) {
	settled := false
	if req.Orgs != nil && len(req.Orgs.Targets) > 0 {
		var planned []source.Repo
		var err error
		if store != nil {
			if planned, settled, err = scan.Planned(ctx, store); err != nil {
				return nil, err
			}
		}
		if !settled {
			found, err := req.Orgs.list(ctx, func(s string) { req.Event(event{Notice: s}) })
			if err != nil {
				return nil, err
			}
			if repos = source.Merge(repos, found); len(repos) == 0 {
				return nil, errNoRepositories
			}
		} else {
			repos = joinPlan(repos, planned)
		}
	}
	if req.Balance != "" && !settled {
		earlier, err := openFacts(ctx, req.Balance)
		if err != nil {
			return nil, err
		}
		if repos, err = scan.Weigh(ctx, earlier, repos); err != nil {
			return nil, err
		}
	}
	if store != nil && !settled && req.Orgs != nil && len(req.Orgs.Targets) > 0 {
		planned, err := scan.Settle(ctx, store, repos)
		if err != nil {
			return nil, err
		}
		repos = joinPlan(repos, planned)
	}
	return repos, nil
}

// listOnly settles the list of repositories, so that shards that cannot see each other's stores share one.
func (a *app) listOnly(ctx context.Context, req request) error {
	if req.Facts == "" {
		return usagef("--list needs --facts, the place where the list goes")
	}
	repos, err := repositories(req.Paths, req.Manifest)
	if err != nil {
		return usageError{err.Error()}
	}
	store, err := openFacts(ctx, req.Facts)
	if err != nil {
		return err
	}
	req.Event = func(e event) { fmt.Fprintf(a.stderr, "retrylint: %s\n", e.Notice) }
	if repos, err = withOrganisations(ctx, repos, req, store); err != nil {
		return err
	}
	if repos, err = scan.SettlePlan(ctx, store, repos); err != nil {
		return err
	}
	for _, r := range repos {
		if _, err := fmt.Fprintln(a.stdout, r.Name); err != nil {
			return err
		}
	}
	return nil
}

// joinPlan takes the list of the plan; of repositories in folders it knows only names.
func joinPlan(here, planned []source.Repo) []source.Repo {
	local := map[string]source.Repo{}
	for _, r := range here {
		if r.Dir != "" {
			local[r.Name] = r
		}
	}
	for i, r := range planned {
		if l, ok := local[r.Name]; ok {
			l.Weight = r.Weight
			planned[i] = l
		}
	}
	return planned
}

// scanNow maps and reduces in one go; with --new-from it does so for the earlier revision too.
func scanNow(ctx context.Context, opt scan.Options, req request) (*model.Result, error) {
	if req.NewFrom == "" {
		return scan.Run(ctx, opt)
	}
	facts, err := scan.MapAll(ctx, opt)
	if err != nil {
		return scan.Reduce(facts, opt), err
	}
	before, err := earlier(ctx, opt, req.NewFrom, facts)
	if err != nil {
		return nil, err
	}
	old := scan.Reduce(before, opt)
	result := scan.Reduce(facts, opt)
	config.NewBaseline(old).Apply(result)
	result.Summary.Notices = append(result.Summary.Notices, growth(old, result)...)
	return result, nil
}

// earlier is the facts of an earlier revision. A repository that does not have the revision counts as unchanged; at least
// one must have it.
func earlier(ctx context.Context, opt scan.Options, ref string, now []*model.Facts) ([]*model.Facts, error) {
	byName := make(map[string]*model.Facts, len(now))
	for _, f := range now {
		byName[f.Repo.Name] = f
	}
	opt.Events = nil
	var out []*model.Facts
	var failed error
	found := false
	for _, repo := range opt.Repos {
		repo.Ref = ref
		f, err := scan.Map(ctx, repo, opt)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil && repo.Kind != source.Plain:
			found = true
			out = append(out, f)
		default:
			failed = err
			if f := byName[repo.Name]; f != nil {
				out = append(out, f)
			}
		}
	}
	if !found {
		if failed == nil {
			return nil, scanUsage{fmt.Errorf("--new-from %s: none of the inputs is a git repository", ref)}
		}
		return nil, scanUsage{fmt.Errorf("--new-from %s: no repository has that revision: %w", ref, failed)}
	}
	return out, nil
}

// scanToStore keeps facts in a store; the whole organisation is judged only where this is not one shard of several.
func scanToStore(ctx context.Context, opt scan.Options, req request, store factfile.Store) (*model.Result, error) {
	if req.NewFrom != "" {
		return nil, scanUsage{errors.New("--new-from and --facts do not go together; compare the reports with --baseline")}
	}
	if err := scan.MapToStore(ctx, opt, store, factfile.ExtractorID(toolVersion()), req.Shard, req.Shards); err != nil {
		return nil, err
	}
	if req.Shards > 0 {
		return nil, nil
	}
	facts, err := scan.FromStore(ctx, store, opt.Repos)
	if err != nil {
		return nil, err
	}
	return scan.Reduce(facts, opt), nil
}

// events translates the pipeline's progress.
func events(tell func(event)) func(scan.Event) {
	if tell == nil {
		return nil
	}
	return func(e scan.Event) {
		out := event{Done: e.Done, Total: e.Total}
		switch e.Kind {
		case "done":
			out.Repository = e.Repo
		case "failed":
			out.Repository, out.Failed = e.Repo, e.Err.Error()
		case "start":
			out.Started = e.Repo
		}
		tell(out)
	}
}

// keeper keeps entries of a cache: a folder, or for machines that are thrown away a store.
type keeper interface {
	Get(key string) ([]byte, bool)
	Has(key string) bool
	Put(key string, data []byte) error
}

// storeKeeper keeps entries in a store.
type storeKeeper struct {
	ctx   context.Context
	store factfile.Store
}

// Get implements keeper.
func (s storeKeeper) Get(key string) ([]byte, bool) {
	data, err := s.store.Get(s.ctx, factfile.EntryName(key))
	return data, err == nil
}

// Has implements keeper.
func (s storeKeeper) Has(key string) bool {
	return factfile.Has(s.ctx, s.store, factfile.EntryName(key))
}

// Put implements keeper.
func (s storeKeeper) Put(key string, data []byte) error {
	return s.store.Put(s.ctx, factfile.EntryName(key), data)
}

// cacheOf joins the cache with the pipeline: entries of another build of the program are never looked at.
type cacheOf struct {
	keeper
	files     *factfile.Cache // nil where it is no folder
	extractor string
	dir       string
}

// unusedFor is how long a cache entry is kept after it was last of use.
const unusedFor = 30 * 24 * time.Hour

// openCache is nil where there is no cache.
func openCache(ctx context.Context, req request) (*cacheOf, error) {
	dir := req.Cache
	switch dir {
	case "off":
		return nil, nil
	case "":
		if !req.Home {
			return nil, nil
		}
		var err error
		if dir, err = factfile.UserCacheDir(); err != nil {
			return nil, nil // without a home there is no cache, which changes nothing but time
		}
	default:
		if strings.Contains(dir, "://") {
			store, err := openFacts(ctx, dir)
			if err != nil {
				return nil, err
			}
			return &cacheOf{keeper: storeKeeper{ctx, store}, extractor: factfile.ExtractorID(toolVersion())}, nil
		}
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			return nil, scanUsage{fmt.Errorf("--cache %s: it is a file", dir)}
		}
	}
	files := factfile.NewCache(dir)
	return &cacheOf{files, files, factfile.ExtractorID(toolVersion()), dir}, nil
}

// Get implements scan.Cache.
func (c *cacheOf) Get(key string) ([]byte, bool) { return c.keeper.Get(factfile.Key(c.extractor, key)) }

// Has implements scan.Cache.
func (c *cacheOf) Has(key string) bool { return c.keeper.Has(factfile.Key(c.extractor, key)) }

// Put implements scan.Cache. What cannot be kept is worked out again next time.
func (c *cacheOf) Put(key string, data []byte) {
	_ = c.keeper.Put(factfile.Key(c.extractor, key), data)
}

// trim removes old entries, once a day.
func (c *cacheOf) trim() {
	if c == nil || c.files == nil {
		return
	}
	mark := filepath.Join(c.dir, "trimmed")
	if info, err := os.Stat(mark); err == nil && time.Since(info.ModTime()) < 24*time.Hour {
		return
	}
	if _, err := os.Stat(c.dir); err != nil {
		return
	}
	if os.WriteFile(mark, nil, 0o644) == nil {
		_ = c.files.Trim(time.Now().Add(-unusedFor))
	}
}
