// Package scan is the pipeline: sources become facts, one for each repository (map), and facts become a result (reduce).
package scan

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
	"gopkg.in/yaml.v3"

	"github.com/retrylint/retrylint/extract"
	"github.com/retrylint/retrylint/extract/render"
	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// Options say what to scan and how to judge it.
type Options struct {
	Repos  []source.Repo
	Source source.Options
	Config *config.Config         // of the organisation; nil where there is none
	Wants  func(rule string) bool // --only and --skip; nil means all rules
	Jobs   int                    // repositories at a time; 0 means the number of processors
	Tests  bool                   // _test.go files too
	Full   bool                   // load Go with go/packages: runs the go command
	// Cache keeps what was worked out by what it was worked out from; nil means none.
	Cache Cache
	// KeepResult keeps the result of the whole run as well: a second run with nothing changed costs one look-up for each
	// repository. It is not for runs that differ each time, as an editor's.
	KeepResult bool
	// Verbose lists what could not be decided.
	Verbose bool
	Version string // of the program
	// Events is told of progress; calls come one at a time. Nil-safe.
	Events func(Event)

	partBytes int64               // of Go source that is loaded at once where that is a choice; 0: goPartBytes
	goBytes   *semaphore.Weighted // of Go source that may be in work at once; nil: as it comes
	dropFacts bool                // the facts go to Events alone: memory is bounded by the repositories in work
}

// Event is one step of progress.
type Event struct {
	Kind  string // "start", "done", "failed", "judge"
	Repo  string
	Done  int // repositories finished so far
	Total int
	Facts *model.Facts // of a repository that is done, or a gap alone where it failed
	Err   error
}

// Run maps all repositories and reduces their facts. An interrupt (a cancelled context) gives what was finished, and the
// context's error.
func Run(ctx context.Context, opt Options) (*model.Result, error) {
	list, err := mapAll(ctx, opt, opt.Cache != nil && opt.KeepResult)
	key := ""
	if err == nil {
		key = resultKey(list, opt)
	}
	if r := keptResult(key, opt); r != nil {
		return r, nil
	}
	facts := loadAll(ctx, list, opt)
	res := Reduce(facts, opt)
	if err = cmp.Or(err, ctx.Err()); err == nil {
		keepResult(key, res, opt)
	}
	return res, err
}

// MapAll extracts the facts of all repositories, in their order. A repository that cannot be opened becomes facts with a
// gap. Repositories that an interrupt left out are missing from the list.
func MapAll(ctx context.Context, opt Options) ([]*model.Facts, error) {
	list, err := mapAll(ctx, opt, false)
	var facts []*model.Facts
	for _, m := range list {
		if m.facts != nil {
			facts = append(facts, m.facts)
		}
	}
	return facts, err
}

// mapped is a repository of which the facts are at hand, or known to be in the cache.
type mapped struct {
	source source.Repo
	repo   model.Repository // of the facts that are in the cache
	key    string           // in the cache; "" where they are not there
	facts  *model.Facts     // nil: in the cache alone
}

// mapAll is MapAll; with lazy it leaves in the cache what is there.
func mapAll(ctx context.Context, opt Options, lazy bool) ([]*mapped, error) {
	jobs := opt.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	if opt.goBytes == nil {
		opt.goBytes = semaphore.NewWeighted(goBytesAtOnce)
	}
	results := make([]*mapped, len(opt.Repos))
	var mu sync.Mutex
	done := 0
	tell := func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Kind == "done" || e.Kind == "failed" {
			done++
		}
		e.Done, e.Total = done, len(opt.Repos)
		if opt.Events != nil {
			opt.Events(e)
		}
	}
	group := new(errgroup.Group)
	group.SetLimit(jobs)
	for i, repo := range opt.Repos {
		group.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			tell(Event{Kind: "start", Repo: repo.Name})
			m, err := mapOne(ctx, repo, opt, lazy)
			if err != nil {
				if ctx.Err() != nil {
					return nil
				}
				m = &mapped{source: repo, facts: gapFacts(repo, openReason(err))}
			}
			e := Event{Kind: "done", Repo: repo.Name, Facts: m.facts, Err: err}
			if err != nil {
				e.Kind = "failed"
			}
			if !opt.dropFacts {
				results[i] = m
			}
			tell(e)
			return nil
		})
	}
	_ = group.Wait() // the functions never fail
	results = slices.DeleteFunc(results, func(m *mapped) bool { return m == nil })
	return results, ctx.Err()
}

// openReason is why a repository could not be opened, without the folders of this machine.
func openReason(err error) string {
	if open := new(source.OpenError); errors.As(err, &open) {
		return open.Reason
	}
	return err.Error()
}

// StageConfig is the stage of gaps in the configuration of a repository.
const StageConfig = "config"

// Map extracts the facts of one repository. An error means that it could not be opened; whatever is wrong inside it is a
// gap among the facts.
func Map(ctx context.Context, repo source.Repo, opt Options) (*model.Facts, error) {
	m, err := mapOne(ctx, repo, opt, false)
	if err != nil {
		return nil, err
	}
	return m.facts, nil
}

// mapOne is Map; with lazy it leaves the facts in the cache if they are there.
func mapOne(ctx context.Context, repo source.Repo, opt Options, lazy bool) (*mapped, error) {
	formats := newConfigFormats(extract.All())
	src := opt.Source
	filter := newFilter(opt, formats)
	src.Filter, src.FilterDir = filter.file, filter.dir
	look := func(r model.Repository) *mapped { return lookUp(repo, r, opt, lazy) }
	if m := unchanged(ctx, repo, opt, look); m != nil {
		return m, nil
	}
	var kept *mapped
	if opt.Cache != nil && !opt.Full {
		src.Known = func(rev *source.Revision) bool {
			kept = look(repository(rev))
			return kept != nil
		}
	}
	rev, err := source.Open(ctx, repo, src)
	if err != nil {
		return nil, err
	}
	defer rev.Close()
	if kept != nil {
		return kept, nil
	}

	key := ""
	if opt.Cache != nil && rev.Tree != "" && !opt.Full {
		key = cacheKey(rev.Repo.Name, rev.Tree, opt)
		keepCommit(rev, opt)
		if m := look(repository(rev)); m != nil {
			return m, nil
		}
	}
	f := &model.Facts{Schema: model.SchemaVersion, Repo: repository(rev), Notices: slices.Clone(rev.Notices)}
	if err := mapFiles(ctx, rev, opt, formats, f); err != nil {
		return nil, err
	}
	seen := map[source.Problem]bool{} // a file may be read for two ends
	for _, p := range rev.Problems {
		if seen[p] {
			continue
		}
		seen[p] = true
		f.Gaps = append(f.Gaps, model.Gap{Repo: rev.Repo.Name, Path: p.Path, Stage: p.Stage, Reason: p.Reason, Expected: p.Expected})
	}
	finish(f)
	if key == "" || rev.Partial() {
		return &mapped{source: repo, facts: f}, nil
	}
	keepFacts(opt.Cache, key, f)
	return &mapped{source: repo, repo: f.Repo, key: key, facts: f}, nil
}

// finish names the repository in every location that lacks it and sorts.
func finish(f *model.Facts) {
	for _, g := range f.Gaps {
		if g.Expected {
			f.Stats.Skipped++
		}
	}
	f.Sort()
}

func repository(rev *source.Revision) model.Repository {
	return model.Repository{Name: rev.Repo.Name, URL: rev.Repo.URL, Commit: rev.Commit, Tree: rev.Tree, Dirty: rev.Dirty, Group: rev.Repo.Group}
}

func mapFiles(ctx context.Context, rev *source.Revision, opt Options, formats *configFormats, f *model.Facts) error {
	// The repository's own configuration comes first: it may exclude files.
	own := &config.Config{}
	if data, err := rev.ReadFile(config.FileName); err == nil {
		f.Config, f.ConfigPath = string(data), config.FileName
		cfg, problems := config.Parse(config.FileName, data)
		if len(problems) == 0 {
			problems = CheckConfig(cfg)
		}
		for _, p := range problems {
			f.Gaps = append(f.Gaps, model.Gap{Repo: rev.Repo.Name, Path: config.FileName, Line: p.Line, Col: p.Col, Stage: StageConfig, Reason: p.Text()})
		}
		if cfg != nil {
			own = cfg
		}
	}
	merged := config.Merge(opt.Config, own)
	var goFiles, configs []string
	for _, info := range rev.Files() {
		if info.Path == config.FileName || merged.Excluded(info.Path) {
			continue
		}
		f.Stats.Files++
		switch base := path.Base(info.Path); {
		case strings.HasSuffix(base, ".go") || base == "go.mod":
			goFiles = append(goFiles, info.Path)
		case len(formats.want(info.Path)) > 0 || render.Wants(info.Path):
			configs = append(configs, info.Path)
		}
	}
	blobs := newBlobFacts(rev, opt)
	if err := readConfigs(ctx, rev, configs, formats, f, blobs); err != nil {
		return err
	}
	if len(goFiles) > 0 {
		if err := readGo(ctx, rev, goFiles, opt, merged, f); err != nil {
			return err
		}
	}
	if err := addLines(rev, f, blobs); err != nil {
		return err
	}
	blobs.keep(f)
	return nil
}

// filter leaves out what is not scanned unless asked for.
type filter struct {
	tests   bool
	formats *configFormats
}

func newFilter(opt Options, formats *configFormats) filter { return filter{opt.Tests, formats} }

func (f filter) dir(p string) bool {
	switch path.Base(p) {
	case "vendor", "node_modules", ".git", ".hg", ".svn":
		return false
	}
	return true
}

func (f filter) file(p string) bool {
	base := path.Base(p)
	switch {
	case base == "go.mod" || base == config.FileName:
		return true
	case strings.HasSuffix(base, ".go"):
		return f.tests || !strings.HasSuffix(base, "_test.go")
	}
	return len(f.formats.want(p)) > 0 || render.Wants(p)
}

// cacheKey names what the facts of a revision depend on, besides the program itself (which the cache adds).
func cacheKey(name, tree string, opt Options) string {
	extra := ""
	if opt.Config != nil {
		extra = extractKey(opt.Config)
	}
	return fmt.Sprintf("facts|%s|%s|tests=%v|%s", name, tree, opt.Tests, extra)
}

// extractKey is what of a configuration changes the facts: what is excluded and what is taught about libraries.
func extractKey(c *config.Config) string {
	h := sha256.New()
	for _, p := range c.Exclude {
		fmt.Fprintf(h, "exclude %s\n", p.Glob)
	}
	if c.Libraries != nil {
		text, _ := yaml.Marshal(c.Libraries) // a node that was read can be written
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// ErrInterrupted tells whether an error of Run means that it was interrupted.
func ErrInterrupted(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
