package scan

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/retrylint/retrylint/internal/factfile"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// planName is the store's list of the repositories that all shards together read, with what decides which shard reads
// which. One surviving shard is enough for reduce to know what is missing.
const planName = "repositories" + factfile.PlanSuffix

type plan struct {
	Schema       int              `json:"schema"`
	Repositories []planRepository `json:"repositories"`
}

type planRepository struct {
	Name   string `json:"name"`
	URL    string `json:"url,omitempty"`
	Ref    string `json:"ref,omitempty"`
	Group  string `json:"group,omitempty"`
	Head   string `json:"head,omitempty"`
	Tree   string `json:"tree,omitempty"`
	Weight int64  `json:"weight,omitempty"`
}

func planOf(repos []source.Repo) plan {
	p := plan{Schema: model.SchemaVersion}
	for _, r := range repos {
		p.Repositories = append(p.Repositories, planRepository{r.Name, r.URL, r.Ref, r.Group, r.Head, r.HeadTree, r.Weight})
	}
	slices.SortFunc(p.Repositories, func(a, b planRepository) int { return cmp.Compare(a.Name, b.Name) })
	return p
}

func parsePlan(name string, data []byte) (plan, error) {
	var p plan
	if err := json.Unmarshal(data, &p); err != nil {
		return plan{}, fmt.Errorf("read plan %s: %w", name, err)
	}
	if p.Schema != model.SchemaVersion {
		return plan{}, fmt.Errorf("read plan %s: schema %d is not known; this retrylint reads schema %d", name, p.Schema, model.SchemaVersion)
	}
	return p, nil
}

func readPlan(ctx context.Context, store factfile.Store) (p plan, found bool, err error) {
	data, err := store.Get(ctx, planName)
	if errors.Is(err, fs.ErrNotExist) {
		return plan{}, false, nil
	}
	if err != nil {
		return plan{}, false, err
	}
	p, err = parsePlan(planName, data)
	return p, err == nil, err
}

// SettlePlan writes the list of repositories, unless the same list is there. Weights that are there win, so that all
// shards share them in the same way.
func SettlePlan(ctx context.Context, store factfile.Store, repos []source.Repo) ([]source.Repo, error) {
	old, found, err := readPlan(ctx, store)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	p := planOf(repos)
	same := func(a, b planRepository) bool { return a.Name == b.Name && a.URL == b.URL && a.Ref == b.Ref }
	if err == nil && found && slices.EqualFunc(old.Repositories, p.Repositories, same) {
		weights := map[string]int64{}
		for _, r := range old.Repositories {
			weights[r.Name] = r.Weight
		}
		repos = slices.Clone(repos)
		for i := range repos {
			repos[i].Weight = weights[repos[i].Name]
		}
		return repos, nil
	}
	data, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write plan: %w", err)
	}
	return repos, store.Put(ctx, planName, data)
}

// Planned is the list of repositories that a run has settled on; found is false where none has begun. Repositories that
// lie in folders are named, and no more can be said of them.
func Planned(ctx context.Context, store factfile.Store) (repos []source.Repo, found bool, err error) {
	p, found, err := readPlan(ctx, store)
	for _, r := range p.Repositories {
		repo := source.Repo{Name: r.Name, URL: r.URL, Ref: r.Ref, Group: r.Group, Head: r.Head, HeadTree: r.Tree, Weight: r.Weight}
		if r.URL != "" {
			repo.Kind = source.Remote
		}
		repos = append(repos, repo)
	}
	return repos, found, err
}

// Settle proposes a list for a run. Where several shards ask a host at different moments, one list wins and is returned to
// all of them: the host's answer may have changed in between.
func Settle(ctx context.Context, store factfile.Store, repos []source.Repo) ([]source.Repo, error) {
	data, err := json.Marshal(planOf(repos))
	if err != nil {
		return nil, fmt.Errorf("write plan: %w", err)
	}
	if err := factfile.Create(ctx, store, planName, data); err != nil {
		return nil, err
	}
	settled, _, err := Planned(ctx, store)
	return settled, err
}

// Shards says which of n shards reads each repository. Where weights are known the shards get equal work: the heaviest
// first, each to the shard that has the least. A repository without one counts as the average. Without any weights the name
// decides, so that a new repository moves no other.
func Shards(repos []source.Repo, n int) map[string]int {
	out := make(map[string]int, len(repos))
	if n <= 1 {
		return out
	}
	var sum, known int64
	for _, r := range repos {
		if r.Weight > 0 {
			sum += min(r.Weight, 1<<40)
			known++
		}
	}
	if known == 0 {
		for _, r := range repos {
			out[r.Name] = ShardOf(r.Name, n)
		}
		return out
	}
	weight := func(r source.Repo) int64 {
		if r.Weight > 0 {
			return min(r.Weight, 1<<40)
		}
		return max(sum/known, 1)
	}
	sorted := slices.Clone(repos)
	slices.SortFunc(sorted, func(a, b source.Repo) int {
		return cmp.Or(cmp.Compare(weight(b), weight(a)), cmp.Compare(a.Name, b.Name))
	})
	load := make([]int64, n)
	for _, r := range sorted {
		least := 0
		for i := range load {
			if load[i] < load[least] {
				least = i
			}
		}
		out[r.Name] = least
		load[least] += weight(r)
	}
	return out
}

// Weigh fills in weights by what an earlier run has read: lines of Go, and configuration files as fifty lines each.
func Weigh(ctx context.Context, earlier factfile.Store, repos []source.Repo) ([]source.Repo, error) {
	facts, err := FromStore(ctx, earlier, nil)
	if err != nil {
		return nil, err
	}
	weights := map[string]int64{}
	for _, f := range facts {
		if f.Stats.Files > 0 {
			weights[f.Repo.Name] = int64(f.Stats.GoLines) + 50*int64(f.Stats.ConfigFiles) + 100
		}
	}
	repos = slices.Clone(repos)
	for i := range repos {
		repos[i].Weight = weights[repos[i].Name] // the host's figure is of another unit
	}
	return repos, nil
}

// Unread counts the planned repositories whose facts are not there yet; all is false where there is no plan.
func Unread(ctx context.Context, store factfile.Store) (unread int, all bool, err error) {
	repos, found, err := Planned(ctx, store)
	if err != nil || !found {
		return 0, false, err
	}
	names, err := store.List(ctx)
	if err != nil {
		return 0, false, err
	}
	there := make(map[string]bool, len(names))
	for _, n := range names {
		there[n] = true
	}
	for _, r := range repos {
		if !there[factfile.Name(r.Name)] {
			unread++
		}
	}
	return unread, unread == 0, nil
}
