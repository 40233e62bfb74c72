package chain

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// Overlays and values files are environments: readings of the same files of which one at a time is true. Facts list those
// in which they hold. Environments are named "set:name", and those of one set exclude one another. A chain is judged in
// one environment of each set, so that the layers of two never multiply; over the sets environments of the same name are
// taken together, since what is deployed to production calls what is deployed to production.

// scenario is one environment of each set.
type scenario struct {
	name string
	in   map[string]string // by repository and set
}

const maxScenarios = 40

// shortName is what environments of several sets may have in common: "prod" of "pay:values-prod.yaml", of "overlays:prod", and
// of "charts/pay:deploy/prod/values-pay.yaml".
func shortName(env string) string {
	set, name, _ := strings.Cut(env, ":")
	switch ext := path.Ext(name); ext {
	case ".tf": // every file of a folder
		return path.Base(path.Dir(name))
	case ".tfvars", ".json":
		name = strings.TrimSuffix(strings.TrimSuffix(name, ".json"), ".tfvars")
		if dir, base := path.Split(name); base == "terraform" && dir != "" {
			return path.Base(dir)
		}
		return path.Base(name)
	case ".yaml", ".yml":
		name = strings.TrimSuffix(name, ext)
		dir, base := path.Split(name)
		if base == "values" && dir != "" {
			name = path.Base(dir)
		} else {
			name = base
		}
		for _, affix := range []string{"values-", "values.", "values_"} {
			name = strings.TrimPrefix(name, affix)
		}
		name = strings.TrimSuffix(strings.TrimSuffix(name, "-values"), ".values")
		// The name of what is deployed tells nothing of where.
		what := path.Base(set)
		if name == what && dir != "" {
			name = path.Base(dir)
		}
		name = strings.TrimSuffix(strings.TrimPrefix(name, what+"-"), "-"+what)
	}
	return name
}

// scenarios lists the combinations of environments in which chains are judged; nil where nothing differs between any.
func (b *builder) scenarios() []*scenario {
	sets := map[string][]string{}
	add := func(repo string, envs []string) {
		for _, e := range envs {
			if k := model.EnvSet(repo, e); !slices.Contains(sets[k], e) {
				sets[k] = append(sets[k], e)
			}
		}
	}
	for _, l := range b.layers {
		add(cmp.Or(l.v.EnvRepo, l.repo), l.v.Envs)
	}
	for _, e := range b.edges {
		add(e.repo, e.v.Envs)
	}
	names := map[string]bool{}
	most := 0
	for k, envs := range sets {
		if len(envs) < 2 {
			delete(sets, k)
			continue
		}
		// The plain values come first: they are what holds where a set has no environment of a name.
		slices.SortFunc(envs, func(x, y string) int {
			return cmp.Or(boolOrder(shortName(x) != "values", shortName(y) != "values"), cmp.Compare(x, y))
		})
		most = max(most, len(envs))
		for _, e := range envs {
			names[shortName(e)] = true
		}
	}
	if len(sets) == 0 {
		return nil
	}
	order := make([]string, 0, len(names))
	for n := range names {
		order = append(order, n)
	}
	slices.Sort(order)
	crowded := len(order) > max(maxScenarios, most)
	if crowded {
		order = order[:max(maxScenarios, most)]
	}
	var out []*scenario
	for i, name := range order {
		s := &scenario{name: name, in: map[string]string{}}
		for k, envs := range sets {
			s.in[k] = envs[0]
			if n := slices.IndexFunc(envs, func(e string) bool { return shortName(e) == name }); n >= 0 {
				s.in[k] = envs[n]
			} else if crowded {
				s.in[k] = envs[i%len(envs)] // no names to go by: each has its turn
			}
		}
		if !slices.ContainsFunc(out, func(o *scenario) bool { return sameIn(o.in, s.in) }) {
			out = append(out, s)
		}
	}
	// Two environments of a set may have one short name; each must have its turn.
	for k, envs := range sets {
		for _, e := range envs {
			if len(out) < 2*maxScenarios && !slices.ContainsFunc(out, func(o *scenario) bool { return o.in[k] == e }) {
				s := &scenario{name: shortName(e), in: map[string]string{}}
				for k, envs := range sets {
					s.in[k] = envs[0]
				}
				s.in[k] = e
				out = append(out, s)
			}
		}
	}
	slices.SortStableFunc(out, func(x, y *scenario) int { return cmp.Or(cmp.Compare(x.name, y.name), cmp.Compare(x.text(), y.text())) })
	return out
}

func (s *scenario) text() string {
	var all []string
	for _, e := range s.in {
		all = append(all, e)
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}

func sameIn(x, y map[string]string) bool {
	for k, v := range x {
		if y[k] != v {
			return false
		}
	}
	return true
}

// holds reports whether something that is in some environments only is in force.
func (s *scenario) holds(repo string, envs []string) bool {
	if s == nil || len(envs) == 0 {
		return true
	}
	for _, e := range envs {
		if in, ok := s.in[model.EnvSet(repo, e)]; !ok || in == e {
			return true
		}
	}
	return false
}

// varies reports whether an arc is not the same in all environments.
func varies(a *model.Arc) bool {
	return a.Edge != nil && len(a.Edge.Envs) > 0 || slices.ContainsFunc(a.Layers, func(l *model.Layer) bool { return len(l.Envs) > 0 })
}

// active reports whether an arc is there in the environments that are being judged.
func (b *builder) active(a *model.Arc) bool {
	return b.now == nil || a.Edge == nil || b.now.holds(a.Edge.At.Repo, a.Edge.Envs)
}

// layersOf are the layers of an arc in the environments that are being judged.
func (b *builder) layersOf(a *model.Arc) []*model.Layer {
	if b.now == nil || !slices.ContainsFunc(a.Layers, func(l *model.Layer) bool { return !b.now.holds(l.EnvsIn(), l.Envs) }) {
		return a.Layers
	}
	return slices.DeleteFunc(slices.Clone(a.Layers), func(l *model.Layer) bool { return !b.now.holds(l.EnvsIn(), l.Envs) })
}

// variesBelow says for each vertex whether some way out of it is not the same in all environments.
func (b *builder) variesBelow() []bool {
	out := make([]bool, len(b.org.Vertices))
	for _, v := range slices.Backward(b.topo) {
		for _, a := range v.Out {
			if varies(a) || out[a.To.ID] && !b.back[a] {
				out[v.ID] = true
				break
			}
		}
	}
	return out
}

// environmentsOf names the environments of a chain, by what lies on its way: those in force in any of the scenarios in
// which it is as bad, or else those in which all that is on it holds.
func environmentsOf(c *model.Chain, in []*scenario) string {
	var names []string
	add := func(e string) {
		if !slices.Contains(names, e) {
			names = append(names, e)
		}
	}
	note := func(repo string, envs []string) {
		for _, e := range envs {
			set := model.EnvSet(repo, e)
			if len(in) == 0 || in[0].in[set] == "" {
				add(e)
				continue
			}
			for _, s := range in {
				add(s.in[set])
			}
		}
	}
	for _, h := range c.Hops {
		for _, l := range h.Layers {
			note(l.EnvsIn(), l.Envs)
		}
		if h.Arc.Edge != nil {
			note(h.Arc.Edge.At.Repo, h.Arc.Edge.Envs)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
