package chain

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// collect puts the chains into their order, bounds their number per effect, and finishes each: replay paths, id.
func (b *builder) collect() {
	var ends []*model.Vertex
	for v := range b.ends {
		ends = append(ends, v)
	}
	slices.SortFunc(ends, func(x, y *model.Vertex) int { return cmp.Compare(x.ID, y.ID) })
	for _, v := range ends {
		var cs []*model.Chain
		for _, r := range b.ends[v].list {
			r.chain.Env = environmentsOf(r.chain, r.in)
			cs = append(cs, r.chain)
		}
		slices.SortStableFunc(cs, func(x, y *model.Chain) int {
			return cmp.Or(y.Attempts().Compare(x.Attempts()), y.AutomaticDelay().Compare(x.AutomaticDelay()), compareEnds(x, y))
		})
		cs[0].Others = b.ends[v].others
		b.org.Chains = append(b.org.Chains, cs...)
	}
	slices.SortStableFunc(b.org.Chains, compareEnds)
	seen := map[string]int{}
	for _, c := range b.org.Chains {
		c.Paths = b.paths(c)
		h := fnv.New64a()
		fmt.Fprintf(h, "%s|%s|%s|%s", c.Entry.Repo, c.Entry.Name, c.Effect.Repo, c.Effect.Name)
		id := fmt.Sprintf("c%010x", h.Sum64()&0xffffffffff)
		seen[id]++
		if n := seen[id]; n > 1 {
			id = fmt.Sprintf("%s-%d", id, n)
		}
		c.ID = id
	}
}

func compareEnds(x, y *model.Chain) int {
	return cmp.Or(cmp.Compare(x.Entry.Repo, y.Entry.Repo), x.Entry.Name.Compare(y.Entry.Name), cmp.Compare(x.Effect.Repo, y.Effect.Repo),
		x.Effect.Name.Compare(y.Effect.Name), y.Attempts().Compare(x.Attempts()), cmp.Compare(len(x.Hops), len(y.Hops)))
}

// paths are the ways by which an intent on this chain can be replayed, beside the retries themselves.
func (b *builder) paths(c *model.Chain) []model.ReplayPath {
	r := b.opt.Replay
	var out []model.ReplayPath
	seen := map[*model.DeadLetter]bool{}
	way := c.Vertices()
	for i := len(c.Hops) - 1; i >= 0; i-- {
		// What is parked is the consumer's failure: a chain that ends with a publish has no dead letter of its own.
		if a := c.Hops[i].Arc; a.Blind {
			way = way[:i+1]
		}
	}
	for _, v := range way {
		for _, d := range v.DeadLetters {
			if seen[d] || len(out) > 0 && out[0].Kind == model.PathDeadLetter {
				continue
			}
			seen[d] = true
			out = append(out, deadLetterPath(d, r))
		}
	}
	if r.OperatorRerun.Known() && (c.Entry.Kind.Human() || r.RerunAll || slices.Contains(r.RerunKinds, c.Entry.Kind)) && rerunApplies(r, c.Entry.Kind) {
		p := model.ReplayPath{Kind: model.PathOperatorRerun, Delay: r.OperatorRerun, ThenAutomatic: r.ReplaysAutomatic,
			Origin: "default: found after a weekend", At: r.OperatorRerunAt}
		if !r.OperatorRerunAt.IsZero() {
			p.Origin = "config: replay.operatorRerun"
		}
		out = append(out, p)
	}
	if r.RestoreDeclared {
		out = append(out, model.ReplayPath{Kind: model.PathRestore, Delay: r.Restore, ThenAutomatic: r.ReplaysAutomatic, Origin: "config: replay.restore", At: r.RestoreAt, Databases: r.RestoreDatabases})
	}
	for _, d := range r.Declared {
		if d.Service != "" && !passes(c, d.Service) {
			continue
		}
		p := model.ReplayPath{Kind: model.PathKind(d.Name), Delay: d.Delay, ThenAutomatic: r.ReplaysAutomatic, Origin: "config", At: d.At}
		if d.AfterAutomatic {
			p.Clock = model.AfterAutomatic
		}
		out = append(out, p)
	}
	return out
}

func rerunApplies(r model.ReplayDefaults, k model.NodeKind) bool {
	if r.RerunAll {
		return true
	}
	if len(r.RerunKinds) == 0 {
		return k.Human()
	}
	return slices.Contains(r.RerunKinds, k)
}

func deadLetterPath(d *model.DeadLetter, r model.ReplayDefaults) model.ReplayPath {
	p := model.ReplayPath{Kind: model.PathDeadLetter, Delay: r.DeadLetter, Clock: model.AfterAutomatic, ThenAutomatic: r.ReplaysAutomatic,
		Origin: fmt.Sprintf("default: replayed within %s after the automatic path gives up", r.DeadLetter), At: d.At}
	if !r.DeadLetterAt.IsZero() {
		p.Origin = "config: replay.deadLetter"
	}
	if d.Retention.Known() && d.Retention.Compare(r.DeadLetter) < 0 {
		p.Delay, p.Origin = d.Retention, "retention of the dead-letter queue"
		if d.FromFirst {
			p.Clock = model.FirstAttempt
		}
	}
	if d.Name != "" {
		p.Origin += " (" + d.Name + ")"
	}
	return p
}

func passes(c *model.Chain, service string) bool {
	if c.Entry.Name.String() == service {
		return true
	}
	for _, v := range c.Vertices() {
		if v.Service != nil && v.Service.Name == service || strings.EqualFold(v.Repo, service) {
			return true
		}
	}
	return false
}

// assign says which service each layer and boundary belongs to, and how many of it run.
func (b *builder) assign() {
	cache := map[string]*unit{}
	find := func(repo, file string) *unit {
		key := repo + "\x00" + dirOf(file)
		u, ok := cache[key]
		if !ok {
			u = b.owner(repo, file)
			cache[key] = u
		}
		return u
	}
	only := map[model.Name]*unit{} // the one unit of a name, nil where there are none or several
	named := func(n model.Name) *unit {
		u, ok := only[n]
		if !ok {
			if us := distinct(b.byName[n]); len(us) == 1 {
				u = us[0]
			}
			only[n] = u
		}
		return u
	}
	for _, l := range b.layers {
		if l.v.Service == "" {
			if u := named(l.v.In); u != nil {
				l.v.Service = u.label()
			} else if u := find(l.repo, l.v.At.Path); u != nil {
				l.v.Service = u.label()
			}
		}
	}
	for _, w := range b.boundaries {
		u := find(w.repo, w.v.At.Path)
		if one := named(w.v.In); one != nil {
			u = one
		}
		if u != nil {
			u = u.find()
			if w.v.Service == "" {
				w.v.Service = u.label()
			}
			w.v.Replicas, w.v.ReplicasAt = u.replicas, u.at
			if len(u.envs) > 0 && len(u.envs) < len(b.envsBySet()[model.EnvSet(u.envsIn, u.envs[0])]) {
				w.v.ReplicasEnvs = slices.Compact(slices.Sorted(slices.Values(u.envs)))
			}
		}
	}
	for _, v := range b.org.Vertices {
		if v.Service == nil && v.Repo != "" {
			if u := find(v.Repo, v.At.Path); u != nil {
				v.Service = u.find().services[0].v
			}
		}
	}
}

func dirOf(file string) string {
	i := strings.LastIndexByte(file, '/')
	return file[:max(i, 0)]
}

func (u *unit) label() string {
	u = u.find()
	for _, kind := range []string{"service", "deployment", "statefulset", "declared"} {
		for _, s := range u.services {
			if s.v.Kind == kind {
				return s.v.Name
			}
		}
	}
	return u.services[0].v.Name
}

// owner is the unit whose code holds a file: the only one of the repository, or the program in whose folder it lies.
func (b *builder) owner(repo, file string) *unit {
	us := distinct(b.repoUnits[repo])
	if len(us) == 1 {
		return us[0]
	}
	var found *unit
	for _, u := range us {
		for _, c := range u.code {
			if c.repo == repo && c.dir != "" && c.dir != "." && within(dirOf(file), c.dir) {
				if found != nil && found != u {
					return nil
				}
				found = u
			}
		}
	}
	return found
}
