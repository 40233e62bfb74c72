// Package chain links the facts of all repositories by name and assembles, from every entry to every effect, the nested
// layers on the way. It works in five passes (settle, unify, attach, assemble, bound), each a function of its own.
//
// Build is deterministic: facts in any order give the same Org. It does no I/O and keeps no state.
package chain

import (
	"cmp"
	"slices"

	"github.com/retrylint/retrylint/model"
)

// Options are what a configuration decides.
type Options struct {
	Replay model.ReplayDefaults
	Factor model.Ratio // safety factor; unknown means 2
	// Everywhere names the facts that belong to no repository: the organisation's configuration. Its settings hold for all.
	Everywhere string
	// MaxWork bounds the search for chains (arcs looked at); beyond it only the worst chain of each effect is listed.
	// Zero means the default.
	MaxWork int
}

// Build links facts and assembles chains. The facts are not changed.
func Build(facts []*model.Facts, opt Options) *model.Org {
	facts = slices.Clone(facts)
	slices.SortStableFunc(facts, func(a, b *model.Facts) int { return cmp.Compare(a.Repo.Name, b.Repo.Name) })
	if !opt.Factor.Known() {
		opt.Factor = model.NewRatio(2, 1)
	}
	b := &builder{opt: opt, org: &model.Org{Facts: facts, ByLayer: map[string]*model.Layer{}, ByBoundary: map[string]*model.Boundary{}, Replay: opt.Replay, Factor: opt.Factor}}
	b.copy(facts)
	b.helpers(facts)
	b.unify()
	b.settle()
	b.readers()
	b.policies()
	b.vertices()
	b.attach()
	b.dropAssumed()
	b.dropSidecars()
	b.cycles()
	b.assign()
	b.assemble()
	return b.org
}

type builder struct {
	opt Options
	org *model.Org

	edges      []*owned[model.Edge]
	layers     []*owned[model.Layer]
	boundaries []*owned[model.Boundary]
	routes     []*owned[model.Route]
	handlers   []*owned[model.Handler]
	services   []*owned[model.Service]
	settings   []*owned[model.Setting]
	dead       []*owned[model.DeadLetter]
	nodes      []*owned[model.Node]

	units     []*unit
	unitOf    map[*model.Service]*unit
	byHost    map[string][]*unit
	byImage   map[string][]*unit // last path segment and last two
	byName    map[model.Name][]*unit
	byWord    map[string][]*unit // code units by repository and main name
	repoUnits map[string][]*unit // units that hold code of a repository

	mains, repoCode map[string][]*unit // code units by program and by repository
	images          imageIndex

	vertex    map[vertexKey]*model.Vertex
	defs      map[model.Name][]*model.Vertex // by name, defining vertices
	methods   map[string][]*model.Vertex     // methods of Go types by "import path|method"; made on first use
	unitVert  map[*unit]*model.Vertex
	handlerBy map[string][]*model.Vertex // handlers by repository
	vertexOf  map[*model.Handler]*model.Vertex
	rpcBy     map[string][]*owned[model.Handler] // by the service's name without its package
	whole     map[model.Name][]*model.Layer
	unitWhole map[*unit][]*model.Layer // declared for a service as a whole
	// What proxies do with calls that no route is for, by the name that services have for it, and those that were put to use.
	sidecars    map[model.Name][]*owned[model.Layer]
	sidecarUsed map[*model.Layer]bool
	unsent      map[*model.Layer]*model.Layer // of policies that have nothing to repeat in plain HTTP but what was not sent
	routesBy    map[string][]*owned[model.Route]
	topo        []*model.Vertex     // callers before callees, back arcs left out
	back        map[*model.Arc]bool // arcs that close a cycle
	ends        map[*model.Vertex]*end
	fresh       []*model.Chain      // made by the sweep at work
	now         *scenario           // the environments in which the sweep judges; nil: nothing differs between any
	entries     int                 // entries judged environment by environment
	sets        map[string][]string // environments by repository and set
	seen        []int               // by vertex: the round in which it was reached
	round       int
}

type owned[T any] struct {
	v    *T
	repo string
}

type vertexKey struct {
	repo string
	name model.Name
}

func (b *builder) copy(facts []*model.Facts) {
	for _, f := range facts {
		r := f.Repo.Name
		b.edges = own(b.edges, f.Edges, r)
		b.layers = own(b.layers, f.Layers, r)
		b.boundaries = own(b.boundaries, f.Boundaries, r)
		b.routes = own(b.routes, f.Routes, r)
		b.handlers = own(b.handlers, f.Handlers, r)
		b.services = own(b.services, f.Services, r)
		b.settings = own(b.settings, f.Settings, r)
		b.dead = own(b.dead, f.DeadLetters, r)
		b.nodes = own(b.nodes, f.Nodes, r)
	}
	for _, l := range b.layers {
		if b.org.ByLayer[l.v.ID] == nil {
			b.org.ByLayer[l.v.ID] = l.v
			b.org.Layers = append(b.org.Layers, l.v)
		}
	}
	slices.SortStableFunc(b.org.Layers, func(x, y *model.Layer) int {
		return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.ID, y.ID))
	})
	for _, w := range b.boundaries {
		if b.org.ByBoundary[w.v.ID] == nil {
			b.org.ByBoundary[w.v.ID] = w.v
		}
	}
	for _, s := range b.services {
		b.org.Services = append(b.org.Services, s.v)
	}
}

// own copies a list so that later passes may fill it in without changing the facts.
func own[T any](to []*owned[T], list []T, repo string) []*owned[T] {
	for i := range list {
		v := list[i]
		to = append(to, &owned[T]{&v, repo})
	}
	return to
}
