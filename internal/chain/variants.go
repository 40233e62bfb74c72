package chain

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/retrylint/retrylint/model"
)

// A setting may have another value in each environment (overlay, values file). A layer that reads it is then another layer in
// each of them: as the layers of rendered files are, it becomes several, each with the environments in which it holds.

// variants makes of a layer what it is in each environment; nil where its settings are the same in all, or where several sets
// of environments give them and no one of them decides.
func (b *builder) variants(l *owned[model.Layer], found map[int][]*owned[model.Setting]) []*owned[model.Layer] {
	repo, set := "", ""
	for _, all := range found {
		for _, s := range all {
			switch {
			case s.v.Env == "":
			case set == "":
				repo, set = s.repo, model.EnvSet(s.repo, s.v.Env)
			case model.EnvSet(s.repo, s.v.Env) != set:
				return nil
			}
		}
	}
	envs := b.envsBySet()[set]
	if len(l.v.Envs) > 0 || len(envs) < 2 {
		return nil
	}
	var out []*owned[model.Layer]
	var texts []string
	for _, env := range envs {
		v := *l.v
		v.SetBy = slices.Clone(l.v.SetBy)
		for i, r := range l.v.Refs {
			var here []*owned[model.Setting]
			for _, s := range found[i] {
				if s.v.Env == "" || s.v.Env == env {
					here = append(here, s)
				}
			}
			if len(here) > 0 {
				b.fillLayer(&v, r, here)
			}
		}
		// What differs only by the place that sets it is the same layer.
		at := v.SetBy
		v.SetBy = nil
		text, err := json.Marshal(v)
		if err != nil {
			return nil
		}
		v.SetBy = at
		if i := slices.Index(texts, string(text)); i >= 0 {
			have := out[i].v
			have.Envs = append(have.Envs, env)
			for _, p := range at {
				if !slices.Contains(have.SetBy, p) {
					have.SetBy = append(have.SetBy, p)
				}
			}
			slices.SortFunc(have.SetBy, model.Location.Compare)
			continue
		}
		if len(out) > 0 {
			v.ID = l.v.ID + "@" + env
		}
		v.Envs, v.EnvRepo = []string{env}, repo
		texts = append(texts, string(text))
		out = append(out, &owned[model.Layer]{&v, l.repo})
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// envsBySet lists the environments of each set that some fact names, sorted.
func (b *builder) envsBySet() map[string][]string {
	if b.sets != nil {
		return b.sets
	}
	b.sets = map[string][]string{}
	add := func(repo string, envs ...string) {
		for _, e := range envs {
			if k := model.EnvSet(repo, e); e != "" && !slices.Contains(b.sets[k], e) {
				b.sets[k] = append(b.sets[k], e)
			}
		}
	}
	for _, s := range b.settings {
		add(s.repo, s.v.Env)
	}
	for _, s := range b.services {
		add(s.repo, s.v.Envs...)
	}
	for _, l := range b.layers {
		add(l.repo, l.v.Envs...)
	}
	for _, e := range b.edges {
		add(e.repo, e.v.Envs...)
	}
	for _, r := range b.routes {
		add(r.repo, r.v.Envs...)
	}
	for _, envs := range b.sets {
		slices.SortFunc(envs, func(x, y string) int {
			return cmp.Or(boolOrder(shortName(x) != "values", shortName(y) != "values"), cmp.Compare(x, y))
		})
	}
	return b.sets
}

// spread gives the places that name a layer all that it has become.
func (b *builder) spread(more map[string][]string) {
	if len(more) == 0 {
		return
	}
	all := func(ids []string) []string {
		if !slices.ContainsFunc(ids, func(id string) bool { return more[id] != nil }) {
			return ids
		}
		var out []string
		for _, id := range ids {
			out = append(out, id)
			out = append(out, more[id]...)
		}
		return out
	}
	for _, e := range b.edges {
		e.v.Under = all(e.v.Under)
		e.v.Key.BornUnder = all(e.v.Key.BornUnder)
	}
	slices.SortStableFunc(b.org.Layers, func(x, y *model.Layer) int {
		return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.ID, y.ID))
	})
}
