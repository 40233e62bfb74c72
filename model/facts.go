package model

import (
	"cmp"
	"slices"
)

// SchemaVersion is the number of the facts format; it changes when an old reader would misread new facts.
const SchemaVersion = 1

// Repository says where facts come from.
type Repository struct {
	Name   string `json:"name"`
	URL    string `json:"url,omitempty"`
	Commit string `json:"commit,omitempty"`
	Tree   string `json:"tree,omitempty"`
	Dirty  bool   `json:"dirty,omitempty"`
	Group  string `json:"group,omitempty"`
}

// Line is the text of a line on which a fact stands, cut to 200 characters, and its hash for fingerprints.
type Line struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
	Hash string `json:"hash"`
	// Rolling is the hash by which GitHub code scanning knows a line again, with what follows it: primaryLocationLineHash.
	Rolling string `json:"rolling,omitempty"`
}

// Facts is everything that later steps know of one repository. It is self-contained: who judges has no source files.
type Facts struct {
	Schema       int           `json:"schema"`
	Repo         Repository    `json:"repository"`
	Nodes        []Node        `json:"nodes,omitempty"`
	Edges        []Edge        `json:"edges,omitempty"`
	Layers       []Layer       `json:"layers,omitempty"`
	Handlers     []Handler     `json:"handlers,omitempty"`
	Routes       []Route       `json:"routes,omitempty"`
	Boundaries   []Boundary    `json:"boundaries,omitempty"`
	DeadLetters  []DeadLetter  `json:"deadLetters,omitempty"`
	Services     []Service     `json:"services,omitempty"`
	Helpers      []Helper      `json:"helpers,omitempty"`
	Operations   []Operation   `json:"operations,omitempty"`
	Builds       []Build       `json:"builds,omitempty"`
	Settings     []Setting     `json:"settings,omitempty"`
	Suppressions []Suppression `json:"suppressions,omitempty"`
	Gaps         []Gap         `json:"gaps,omitempty"`
	Undecided    []Undecided   `json:"undecided,omitempty"`
	Lines        []Line        `json:"lines,omitempty"`
	Stats        Stats         `json:"stats,omitzero"`
	// Config is the repository's own configuration file as it stands; ConfigPath is its place.
	Config     string   `json:"config,omitempty"`
	ConfigPath string   `json:"configPath,omitempty"`
	Notices    []string `json:"notices,omitempty"` // remarks for people: "no commits"
}

// Stats counts what was read.
type Stats struct {
	Files       int `json:"files,omitempty"`
	GoFiles     int `json:"goFiles,omitempty"`
	GoLines     int `json:"goLines,omitempty"`
	GoPackages  int `json:"goPackages,omitempty"`
	ConfigFiles int `json:"configFiles,omitempty"`
	Skipped     int `json:"skipped,omitempty"` // files that nobody expected to parse
	Calls       int `json:"calls,omitempty"`
	Untyped     int `json:"untyped,omitempty"` // calls whose callee has no type
	// Loops counts the loops of Go code by what they are.
	Loops LoopCounts `json:"loops,omitzero"`
}

// LoopCounts counts loops by what they are, and functions that reconcile. All but Retries are no layers; where the bound
// between the two is drawn is what a reader of a report may want to check.
type LoopCounts struct {
	Retries     int `json:"retries,omitempty"`     // the same work again because it failed
	EventLoops  int `json:"eventLoops,omitempty"`  // no way out, or they go on after success
	Consumers   int `json:"consumers,omitempty"`   // each round takes the next message, item or connection
	Pollers     int `json:"pollers,omitempty"`     // they wait for a state
	Reconcilers int `json:"reconcilers,omitempty"` // functions that a controller calls again and again
	Others      int `json:"others,omitempty"`      // over lists and numbers, within the process
	Undecided   int `json:"undecided,omitempty"`   // cannot say
}

// Add adds the counts of d.
func (c *LoopCounts) Add(d LoopCounts) {
	c.Retries += d.Retries
	c.EventLoops += d.EventLoops
	c.Consumers += d.Consumers
	c.Pollers += d.Pollers
	c.Reconcilers += d.Reconcilers
	c.Others += d.Others
	c.Undecided += d.Undecided
}

// Merge appends the facts of g, which belong to the same repository.
func (f *Facts) Merge(g *Facts) {
	if g == nil {
		return
	}
	f.Nodes = append(f.Nodes, g.Nodes...)
	f.Edges = append(f.Edges, g.Edges...)
	f.Layers = append(f.Layers, g.Layers...)
	f.Handlers = append(f.Handlers, g.Handlers...)
	f.Routes = append(f.Routes, g.Routes...)
	f.Boundaries = append(f.Boundaries, g.Boundaries...)
	f.DeadLetters = append(f.DeadLetters, g.DeadLetters...)
	f.Services = append(f.Services, g.Services...)
	f.Helpers = append(f.Helpers, g.Helpers...)
	f.Operations = append(f.Operations, g.Operations...)
	f.Builds = append(f.Builds, g.Builds...)
	f.Settings = append(f.Settings, g.Settings...)
	f.Suppressions = append(f.Suppressions, g.Suppressions...)
	f.Gaps = append(f.Gaps, g.Gaps...)
	f.Undecided = append(f.Undecided, g.Undecided...)
	f.Lines = append(f.Lines, g.Lines...)
	s, t := &f.Stats, g.Stats
	s.Files += t.Files
	s.GoFiles += t.GoFiles
	s.GoLines += t.GoLines
	s.GoPackages += t.GoPackages
	s.ConfigFiles += t.ConfigFiles
	s.Skipped += t.Skipped
	s.Calls += t.Calls
	s.Untyped += t.Untyped
	s.Loops.Add(t.Loops)
}

// Sort puts every list into its canonical order, so that equal facts are equal bytes.
func (f *Facts) Sort() {
	sortBy(f.Nodes, func(a, b *Node) int { return cmp.Or(a.Name.Compare(b.Name), a.At.Compare(b.At)) })
	sortBy(f.Edges, func(a, b *Edge) int {
		return cmp.Or(a.At.Compare(b.At), a.From.Compare(b.From), a.To.Compare(b.To), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Method, b.Method), cmp.Compare(a.Path, b.Path), slices.Compare(a.Under, b.Under))
	})
	sortBy(f.Layers, func(a, b *Layer) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	sortBy(f.Handlers, func(a, b *Handler) int { return cmp.Or(a.At.Compare(b.At), a.Name.Compare(b.Name)) })
	sortBy(f.Routes, func(a, b *Route) int {
		return cmp.Or(cmp.Compare(a.Owner, b.Owner), cmp.Compare(a.Order, b.Order), a.At.Compare(b.At))
	})
	sortBy(f.Boundaries, func(a, b *Boundary) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	sortBy(f.DeadLetters, func(a, b *DeadLetter) int { return cmp.Or(a.At.Compare(b.At), a.Of.Compare(b.Of)) })
	sortBy(f.Services, func(a, b *Service) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind), a.At.Compare(b.At))
	})
	sortBy(f.Helpers, func(a, b *Helper) int { return cmp.Or(a.Func.Compare(b.Func), cmp.Compare(a.Arg, b.Arg)) })
	sortBy(f.Operations, func(a, b *Operation) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.RPC, b.RPC), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Path, b.Path))
	})
	sortBy(f.Builds, func(a, b *Build) int {
		return cmp.Or(a.At.Compare(b.At), a.Image.Compare(b.Image), cmp.Compare(a.File, b.File), cmp.Compare(a.Dir, b.Dir))
	})
	sortBy(f.Settings, func(a, b *Setting) int {
		return cmp.Or(a.Name.Compare(b.Name), a.At.Compare(b.At), a.For.Compare(b.For), cmp.Compare(a.Value, b.Value))
	})
	sortBy(f.Suppressions, func(a, b *Suppression) int { return a.At.Compare(b.At) })
	sortBy(f.Gaps, func(a, b *Gap) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Reason, b.Reason))
	})
	sortBy(f.Undecided, func(a, b *Undecided) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.What, b.What))
	})
	sortBy(f.Lines, func(a, b *Line) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line)) })
	f.Lines = slices.CompactFunc(f.Lines, func(a, b Line) bool { return a.Path == b.Path && a.Line == b.Line })
}

func sortBy[T any](list []T, compare func(a, b *T) int) {
	slices.SortStableFunc(list, func(a, b T) int { return compare(&a, &b) })
}
