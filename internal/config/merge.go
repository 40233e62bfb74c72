package config

import (
	"slices"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/retrylint/retrylint/model"
)

// Merge is what holds in a repository: what the organisation says wins, what it does not say is taken from the repository.
// Lists are joined; of two entries for the same thing the organisation's is kept. Either may be nil; neither is changed.
func Merge(org, repo *Config) *Config {
	switch {
	case org == nil && repo == nil:
		return &Config{}
	case org == nil:
		c := *repo
		return &c
	case repo == nil:
		c := *org
		return &c
	}
	c := *org
	if !c.SafetyFactor.Known() {
		c.SafetyFactor = repo.SafetyFactor
	}
	if c.Warning == 0 {
		c.Warning = repo.Warning
	}
	if c.Error == 0 {
		c.Error = repo.Error
	}
	c.Replay = mergeReplay(org.Replay, repo.Replay)
	c.Services = joined(org.Services, repo.Services, func(s Service) string { return s.Name })
	c.Links = joined(org.Links, repo.Links, func(l Link) string { return l.From + "\x00" + l.To + "\x00" + l.Method + "\x00" + l.Path })
	c.Layers = joined(org.Layers, repo.Layers, func(l Layer) string { return l.Service + "\x00" + l.Name })
	c.Senders = joined(org.Senders, repo.Senders, func(s Sender) string { return s.Service + "\x00" + s.To })
	c.Windows = joined(org.Windows, repo.Windows, func(w Window) string { return w.Service + "\x00" + w.Kind })
	c.Settings = joined(org.Settings, repo.Settings, func(s Setting) string { return s.Name })
	c.Rules = joined(org.Rules, repo.Rules, func(r RuleSeverity) string { return r.Rule })
	c.Exclude = joined(org.Exclude, repo.Exclude, func(p Pattern) string { return p.Glob })
	if repo.Libraries != nil {
		if org.Libraries == nil {
			c.Libraries = repo.Libraries
		} else {
			n := *org.Libraries
			n.Content = slices.Concat(org.Libraries.Content, repo.Libraries.Content)
			c.Libraries = &n
		}
	}
	return &c
}

func mergeReplay(a, b Replay) Replay {
	if a.DeadLetter.IsUnknown() {
		a.DeadLetter, a.DeadLetterAt = b.DeadLetter, b.DeadLetterAt
	}
	if a.OperatorRerun.IsUnknown() {
		a.OperatorRerun, a.OperatorRerunAt = b.OperatorRerun, b.OperatorRerunAt
	}
	if a.AppliesTo == nil {
		a.AppliesTo = b.AppliesTo
	}
	if a.Restore.IsUnknown() {
		a.Restore, a.RestoreAt, a.RestoreDatabases = b.Restore, b.RestoreAt, b.RestoreDatabases
	}
	if a.ReplaysAutomatic == NotSaid {
		a.ReplaysAutomatic = b.ReplaysAutomatic
	}
	a.Paths = joined(a.Paths, b.Paths, func(p Path) string { return p.Service + "\x00" + p.Name })
	return a
}

// joined is both lists; entries of b with a key that a has are left out.
func joined[T any](a, b []T, key func(T) string) []T {
	seen := make(map[string]bool, len(a))
	for _, x := range a {
		seen[key(x)] = true
	}
	out := slices.Clone(a)
	for _, x := range b {
		if !seen[key(x)] {
			out = append(out, x)
		}
	}
	return out
}

// Factor is the safety factor; 2 where nothing is said.
func (c *Config) Factor() model.Ratio {
	if c == nil || !c.SafetyFactor.Known() {
		return model.NewRatio(2, 1)
	}
	return c.SafetyFactor
}

// Thresholds are the attempts for one intent from which stacked layers are a warning and an error; 16 and 64 where
// nothing is said.
func (c *Config) Thresholds() (warning, error int64) {
	warning, error = 16, 64
	if c != nil && c.Warning > 0 {
		warning = c.Warning
	}
	if c != nil && c.Error > 0 {
		error = c.Error
	}
	return min(warning, error), error
}

// Severity is what the configuration says of a rule; ok is false where it says nothing.
func (c *Config) Severity(rule string) (s model.Severity, ok bool) {
	if c != nil {
		for _, r := range c.Rules {
			if r.Rule == rule {
				return r.Severity, true
			}
		}
	}
	return model.Off, false
}

// Excluded reports whether a file is left out; the path is relative to the repository, with forward slashes.
func (c *Config) Excluded(path string) bool {
	if c == nil {
		return false
	}
	for _, p := range c.Exclude {
		if ok, err := doublestar.Match(p.Glob, path); ok && err == nil {
			return true
		}
	}
	return false
}

// Set is the configuration of the organisation and those of its repositories.
type Set struct {
	Org   *Config            // of --config; nil where there is none
	Repos map[string]*Config // by repository name
	// One repository's file may speak of the whole organisation (a replay delay); the names are kept sorted so that of two
	// repositories that disagree always the same one wins.
	names []string
}

// NewSet starts with the configuration of the organisation, which may be nil.
func NewSet(org *Config) *Set { return &Set{Org: org, Repos: make(map[string]*Config)} }

// Add adds the file of a repository.
func (s *Set) Add(repo string, c *Config) {
	if c == nil {
		return
	}
	if _, ok := s.Repos[repo]; !ok {
		i, _ := slices.BinarySearch(s.names, repo)
		s.names = slices.Insert(s.names, i, repo)
	}
	s.Repos[repo] = c
}

// For is what holds in a repository.
func (s *Set) For(repo string) *Config { return Merge(s.Org, s.Repos[repo]) }

// Whole is what holds where one answer is needed for all repositories: the organisation's word, then the repositories' in
// the order of their names.
func (s *Set) Whole() *Config {
	out := Merge(s.Org, nil)
	for _, n := range s.names {
		out = Merge(out, s.Repos[n])
	}
	return out
}

// Severity is what the configuration says of a rule in a repository; ok is false where it says nothing.
func (s *Set) Severity(rule, repo string) (model.Severity, bool) {
	if v, ok := s.Org.Severity(rule); ok {
		return v, true
	}
	return s.Repos[repo].Severity(rule)
}

// Facts is what all files declare, the organisation's under the name that is given to it.
func (s *Set) Facts(orgName string) []*model.Facts {
	var out []*model.Facts
	if s.Org != nil {
		if f := s.Org.Facts(orgName); f != nil {
			out = append(out, f)
		}
	}
	for _, n := range s.names {
		if f := s.own(n).Facts(n); f != nil {
			out = append(out, f)
		}
	}
	return out
}

// own is what a repository declares beyond the organisation's file.
func (s *Set) own(repo string) *Config {
	c := Merge(s.Org, s.Repos[repo])
	if s.Org == nil {
		return c
	}
	c.Path = s.Repos[repo].Path
	c.Services = c.Services[len(s.Org.Services):]
	c.Links = c.Links[len(s.Org.Links):]
	c.Layers = c.Layers[len(s.Org.Layers):]
	c.Senders = c.Senders[len(s.Org.Senders):]
	c.Windows = c.Windows[len(s.Org.Windows):]
	c.Settings = c.Settings[len(s.Org.Settings):]
	return c
}
