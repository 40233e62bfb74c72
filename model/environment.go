package model

import (
	"cmp"
	"slices"
	"strings"
)

// EnvSet is the set to which an environment of a repository belongs: environments are named "set:name", and those of one set
// exclude one another.
func EnvSet(repo, env string) string {
	set, _, _ := strings.Cut(env, ":")
	return repo + "\x00" + set
}

// EnvsIn is the repository to which the environments of the layer belong.
func (l *Layer) EnvsIn() string { return cmp.Or(l.EnvRepo, l.At.Repo) }

// Apart reports whether two layers are of different environments of one set, so that they never meet.
func Apart(x, y *Layer) bool {
	if x.EnvsIn() != y.EnvsIn() || len(x.Envs) == 0 || len(y.Envs) == 0 {
		return false
	}
	for _, e := range x.Envs {
		for _, f := range y.Envs {
			if e == f || EnvSet("", e) != EnvSet("", f) {
				return false
			}
		}
	}
	return true
}

// Together lists those of some layers that meet in one environment, of all environments the one in which they make the most
// attempts. The order stays.
func Together(layers []*Layer) []*Layer {
	for i, x := range layers {
		for _, y := range layers[:i] {
			if !Apart(x, y) {
				continue
			}
			set := EnvSet(x.EnvsIn(), x.Envs[0])
			var envs []string
			for _, l := range layers {
				for _, e := range l.Envs {
					if EnvSet(l.EnvsIn(), e) == set && !slices.Contains(envs, e) {
						envs = append(envs, e)
					}
				}
			}
			slices.Sort(envs)
			var worst []*Layer
			var most Count
			for _, e := range envs {
				var here []*Layer
				for _, l := range layers {
					other := !slices.ContainsFunc(l.Envs, func(f string) bool { return EnvSet(l.EnvsIn(), f) == set })
					if other || slices.Contains(l.Envs, e) {
						here = append(here, l)
					}
				}
				here = Together(here)
				n := Exactly(1)
				for _, l := range here {
					n = n.Times(l.Policy.Total())
				}
				if worst == nil || n.Compare(most) > 0 {
					worst, most = here, n
				}
			}
			return worst
		}
	}
	return layers
}
