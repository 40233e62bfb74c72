package chain

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// unit is one thing that runs, under all its names: a Kubernetes Service with its workloads, the image, the repository or
// main package that the image is built from.
type unit struct {
	id       int
	parent   *unit
	services []*owned[model.Service]
	code     []codePlace // where its code is
	replicas model.Count
	envs     []string // the environments in which so many run, where it is not all; of envsIn
	envsIn   string
	at       model.Location
	name     string
}

type codePlace struct {
	repo string
	dir  string // of the main package; "" the whole repository
	main model.Name
}

func (u *unit) find() *unit {
	for u.parent != nil {
		if u.parent.parent != nil {
			u.parent = u.parent.parent
		}
		u = u.parent
	}
	return u
}

// unify joins services that mean the same thing. A bare word never joins unless it is the name of exactly one candidate.
func (b *builder) unify() {
	b.unitOf = map[*model.Service]*unit{}
	slices.SortStableFunc(b.services, func(x, y *owned[model.Service]) int {
		return cmp.Or(cmp.Compare(x.repo, y.repo), cmp.Compare(x.v.Name, y.v.Name), cmp.Compare(x.v.Kind, y.v.Kind), x.v.At.Compare(y.v.At))
	})
	// A repository with Go code or handlers but no main package is a unit by itself (a library, or a service in parts).
	mains := map[string]int{}
	for _, s := range b.services {
		if s.v.Kind == "main" {
			mains[s.repo]++
		}
	}
	for _, f := range b.org.Facts {
		if mains[f.Repo.Name] == 0 && len(f.Handlers)+len(f.Nodes) > 0 && hasCode(f) {
			s := &owned[model.Service]{&model.Service{Name: f.Repo.Name, Kind: "repository"}, f.Repo.Name}
			b.services = append(b.services, s)
			b.org.Services = append(b.org.Services, s.v)
		}
	}
	for i, s := range b.services {
		u := &unit{id: i, services: []*owned[model.Service]{s}, name: s.v.Name}
		switch s.v.Kind {
		case "main":
			u.code = []codePlace{{s.repo, s.v.Dir, s.v.Node}}
		case "repository":
			u.code = []codePlace{{repo: s.repo}}
		case "declared":
			if s.v.Dir != "" || s.v.Binary != "" {
				u.code = []codePlace{{repo: cmp.Or(s.v.Binary, s.repo), dir: s.v.Dir}}
			}
		}
		b.unitOf[s.v] = u
		b.units = append(b.units, u)
	}
	b.joinSelectors()
	b.joinAutoscalers()
	b.joinImages()
	b.joinDeclared()
	b.joinLonely()
	b.contracts()
	b.indexUnits()
}

func hasCode(f *model.Facts) bool {
	for _, n := range f.Nodes {
		if n.Name.Space == model.SpaceFunc {
			return true
		}
	}
	return len(f.Handlers) > 0
}

func union(a, c *unit) {
	a, c = a.find(), c.find()
	if a == c {
		return
	}
	if c.id < a.id {
		a, c = c, a
	}
	c.parent = a
	a.services = append(a.services, c.services...)
	for _, p := range c.code {
		if !slices.Contains(a.code, p) {
			a.code = append(a.code, p)
		}
	}
}

// joinSelectors joins Kubernetes Services with the workloads that their selectors choose.
func (b *builder) joinSelectors() {
	byLabel := map[string][]*owned[model.Service]{}
	for _, s := range b.services {
		for _, l := range s.v.Labels {
			byLabel[l] = append(byLabel[l], s)
		}
	}
	for _, s := range b.services {
		if len(s.v.Selector) == 0 {
			continue
		}
		for _, w := range byLabel[s.v.Selector[0]] {
			if !sameNamespace(s.v.Namespace, w.v.Namespace) || !containsAll(w.v.Labels, s.v.Selector) {
				continue
			}
			if s.repo != w.repo && (s.v.Namespace == "" || w.v.Namespace == "") {
				continue // across repositories only where both say where they are
			}
			union(b.unitOf[s.v], b.unitOf[w.v])
		}
	}
}

func sameNamespace(a, c string) bool { return a == c || a == "" || c == "" }

func containsAll(have, want []string) bool {
	for _, w := range want {
		if !slices.Contains(have, w) {
			return false
		}
	}
	return true
}

// joinImages joins workloads with the code that their image is built from, where exactly one candidate has the name.
func (b *builder) joinImages() {
	mains := map[string][]*unit{} // name of a main package -> its units
	repos := map[string][]*unit{} // repository -> its code units
	b.mains, b.repoCode = mains, repos
	for _, s := range b.services {
		switch s.v.Kind {
		case "main":
			u := b.unitOf[s.v]
			mains[strings.ToLower(s.v.Name)] = append(mains[strings.ToLower(s.v.Name)], u)
			repos[strings.ToLower(s.repo)] = append(repos[strings.ToLower(s.repo)], u)
		case "repository":
			repos[strings.ToLower(s.repo)] = append(repos[strings.ToLower(s.repo)], b.unitOf[s.v])
		}
	}
	b.readBuilds()
	for _, s := range b.services {
		if s.v.Kind == "main" || s.v.Kind == "repository" {
			continue
		}
		for _, n := range s.v.Names {
			if n.Space != model.SpaceImage {
				continue
			}
			if u := b.imageCode(n.Key, s); u != nil {
				union(b.unitOf[s.v], u)
				break
			}
		}
		// A declared service names its repository and folder.
		if s.v.Kind == "declared" && len(b.unitOf[s.v].code) > 0 {
			c := b.unitOf[s.v].code[0]
			for _, m := range b.services {
				if m.v.Kind == "main" && m.repo == c.repo && (c.dir == "" || m.v.Dir == c.dir) || m.v.Kind == "repository" && m.repo == c.repo {
					union(b.unitOf[s.v], b.unitOf[m.v])
				}
			}
		}
	}
}

// distinct lists the units that the given ones have become, each once, in their order.
func distinct(us []*unit) []*unit {
	const few = 16 // for so many a look through the list is quicker than a map
	var out []*unit
	var seen map[*unit]bool
	for _, u := range us {
		r := u.find()
		if seen == nil && slices.Contains(out, r) || seen[r] {
			continue
		}
		out = append(out, r)
		if seen != nil {
			seen[r] = true
		} else if len(out) == few {
			seen = make(map[*unit]bool, len(us))
			for _, o := range out {
				seen[o] = true
			}
		}
	}
	return out
}

// joinDeclared joins what a configuration declares to be one service: the aliases of a declared service are hosts.
func (b *builder) joinDeclared() {
	for _, s := range b.services {
		if s.v.Kind != "declared" {
			continue
		}
		for _, t := range b.services {
			if t == s || t.v.Kind == "declared" {
				continue
			}
			if t.v.Name == s.v.Name && len(b.unitOf[s.v].find().code) == 0 {
				union(b.unitOf[s.v], b.unitOf[t.v])
			}
		}
	}
}

// joinLonely joins a Kubernetes Service that selects nothing in the scan with the only program, or else the only repository, of its
// name: its workload is written elsewhere, and without the Service the name alone would do.
func (b *builder) joinLonely() {
	for _, s := range b.services {
		u := b.unitOf[s.v].find()
		if len(s.v.Selector) == 0 || len(u.code) > 0 || slices.ContainsFunc(u.services, func(o *owned[model.Service]) bool { return len(o.v.Selector) == 0 }) {
			continue
		}
		name := strings.ToLower(s.v.Name)
		for _, code := range [][]*unit{b.mains[name], b.repoCode[name]} {
			if us := distinct(code); len(us) == 1 {
				union(u, us[0])
				break
			}
		}
	}
}

func (b *builder) indexUnits() {
	b.byHost, b.byImage, b.byWord = map[string][]*unit{}, map[string][]*unit{}, map[string][]*unit{}
	b.byName, b.repoUnits = map[model.Name][]*unit{}, map[string][]*unit{}
	add := func(m map[string][]*unit, k string, u *unit) {
		if k != "" && !slices.Contains(m[k], u) {
			m[k] = append(m[k], u)
		}
	}
	for _, s := range b.services {
		u := b.unitOf[s.v].find()
		if hi, ok := s.v.Replicas.Max(); ok && !u.replicas.IsUnbounded() && (u.at.IsZero() || hi > maxOf(u.replicas)) {
			u.replicas, u.at, u.envs, u.envsIn = s.v.Replicas, s.v.ReplicasAt, s.v.Envs, s.repo
		} else if s.v.Replicas.IsUnbounded() {
			u.replicas, u.at, u.envs, u.envsIn = s.v.Replicas, s.v.ReplicasAt, s.v.Envs, s.repo
		} else if ok && hi == maxOf(u.replicas) && s.repo == u.envsIn && len(u.envs) > 0 {
			u.envs = append(slices.Clone(u.envs), s.v.Envs...)
			if len(s.v.Envs) == 0 {
				u.envs = nil // everywhere
			}
		}
		for _, n := range s.v.Names {
			if !slices.Contains(b.byName[n], u) {
				b.byName[n] = append(b.byName[n], u)
			}
			switch n.Space {
			case model.SpaceHost:
				add(b.byHost, n.Key, u)
			case model.SpaceImage:
				add(b.byImage, path.Base(n.Key), u)
			}
		}
		if s.v.Kind == "service" || s.v.Kind == "compose" {
			if s.v.Namespace != "" {
				add(b.byHost, strings.ToLower(s.v.Name+"."+s.v.Namespace), u)
			} else {
				add(b.byHost, strings.ToLower(s.v.Name), u)
			}
		}
		if !s.v.Node.IsZero() {
			b.byName[s.v.Node] = append(b.byName[s.v.Node], u)
		}
		switch s.v.Kind {
		case "main":
			add(b.byWord, strings.ToLower(s.v.Name), u)
			add(b.byWord, strings.ToLower(s.repo), u)
			add(b.repoUnits, s.repo, u)
		case "repository":
			add(b.byWord, strings.ToLower(s.repo), u)
			add(b.repoUnits, s.repo, u)
		case "declared":
			add(b.byWord, strings.ToLower(s.v.Name), u)
		}
	}
}

func maxOf(c model.Count) int64 {
	n, _ := c.Max()
	return n
}

// hostUnits resolves a host in its normal form, as somebody in repo writes it. What resolves to several stays several.
func (b *builder) hostUnits(host, repo string) []*unit {
	if us := b.byHost[host]; len(us) > 0 {
		return distinct(us)
	}
	labels := strings.Split(host, ".")
	switch {
	case len(labels) == 2:
		// svc.namespace: a Service whose namespace is not known, or code of that name where no manifest is in the scan.
		if us := b.byHost[labels[0]]; len(us) > 0 {
			return distinct(us)
		}
		if isPublicSuffix(labels[1]) {
			return nil
		}
		return distinct(b.byWord[labels[0]])
	case len(labels) == 1:
		// A bare word joins only a known Service in the same repository, or the only code of that name.
		var same []*unit
		for key, us := range b.byHost {
			if first, _, ok := strings.Cut(key, "."); ok && first == host {
				for _, u := range us {
					if u.in(repo) {
						same = append(same, u)
					}
				}
			}
		}
		if same = distinct(same); len(same) == 1 {
			return same
		}
		if us := distinct(b.byWord[host]); len(us) == 1 && host != "localhost" {
			return us
		}
	}
	return nil
}

// in reports whether something of the unit lies in that repository.
func (u *unit) in(repo string) bool {
	for _, s := range u.find().services {
		if s.repo == repo {
			return true
		}
	}
	return false
}

// isPublicSuffix keeps "example.com" from being read as Service "example" in namespace "com".
func isPublicSuffix(s string) bool {
	switch s {
	case "com", "org", "net", "io", "dev", "app", "co", "ai", "cloud", "edu", "gov", "info", "biz", "eu", "de", "uk", "us", "fr",
		"ch", "at", "nl", "jp", "cn", "in", "me", "tv", "xyz", "example", "local", "localhost", "internal", "invalid", "sh":
		return true
	}
	return false
}
