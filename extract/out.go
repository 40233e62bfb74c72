package extract

import (
	"fmt"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// Loc is the place of a node.
func (o *Out) Loc(n *doc.Node) model.Location { return o.at(n.Pos()) }

// KeyLoc is the place of the key under which a node stands.
func (o *Out) KeyLoc(n *doc.Node) model.Location { return o.at(n.KeyPos()) }

func (o *Out) at(p doc.Pos) model.Location {
	return model.Location{Repo: o.Repo, Path: o.Path, Line: p.Line, Col: p.Col, EndLine: p.EndLine, EndCol: p.EndCol}
}

// Layer adds a layer and returns it. An empty ID is made from kind, repository, path and owner, with an ordinal where
// that is not unique; origin is explicit where it was left out.
func (o *Out) Layer(l model.Layer) *model.Layer {
	if l.ID == "" {
		l.ID = o.id(fmt.Sprintf("%s:%s:%s:%s", l.Kind, o.Repo, o.Path, l.In.Key))
	}
	if l.Origin == "" {
		l.Origin = model.OriginExplicit
	}
	l.Envs = o.envs(l.Envs)
	o.Facts.Layers = append(o.Facts.Layers, l)
	return &o.Facts.Layers[len(o.Facts.Layers)-1]
}

// Boundary adds a dedupe memory and returns it.
func (o *Out) Boundary(b model.Boundary) *model.Boundary {
	if b.ID == "" {
		b.ID = o.id(fmt.Sprintf("window:%s:%s:%s:%s", b.Kind, o.Repo, o.Path, b.In.Key))
	}
	if b.Origin == "" {
		b.Origin = model.OriginExplicit
	}
	b.Envs = o.envs(b.Envs)
	o.Facts.Boundaries = append(o.Facts.Boundaries, b)
	return &o.Facts.Boundaries[len(o.Facts.Boundaries)-1]
}

// Node adds a node of the graph.
func (o *Out) Node(n model.Node) { o.Facts.Nodes = append(o.Facts.Nodes, n) }

// Edge adds an edge; it returns it so that a caller may complete it.
func (o *Out) Edge(e model.Edge) *model.Edge {
	e.Envs = o.envs(e.Envs)
	o.Facts.Edges = append(o.Facts.Edges, e)
	return &o.Facts.Edges[len(o.Facts.Edges)-1]
}

// Route adds a rule of a proxy or mesh.
func (o *Out) Route(r model.Route) {
	r.Envs = o.envs(r.Envs)
	o.Facts.Routes = append(o.Facts.Routes, r)
}

// Service adds something that runs or answers under a name.
func (o *Out) Service(s model.Service) {
	s.Envs = o.envs(s.Envs)
	o.Facts.Services = append(o.Facts.Services, s)
}

// DeadLetter adds a dead-letter queue.
func (o *Out) DeadLetter(d model.DeadLetter) {
	d.Envs = o.envs(d.Envs)
	o.Facts.DeadLetters = append(o.Facts.DeadLetters, d)
}

// Operation adds a request that a contract says some service answers.
func (o *Out) Operation(p model.Operation) {
	if len(o.Facts.Operations) < maxOperations {
		o.Facts.Operations = append(o.Facts.Operations, p)
	}
}

// maxOperations bounds what one contract may tell: the largest hand-written ones have some hundreds.
const maxOperations = 5000

// Build adds what is known of an image's program.
func (o *Out) Build(b model.Build) { o.Facts.Builds = append(o.Facts.Builds, b) }

// Setting adds a value that something gives to a name.
func (o *Out) Setting(s model.Setting) {
	if s.Env == "" {
		s.Env = o.Env
	}
	o.Facts.Settings = append(o.Facts.Settings, s)
}

// ineffective writes down a setting that does nothing.
func (o *Out) ineffective(n *doc.Node, in model.Name, why string) {
	o.Layer(model.Layer{Kind: model.KindConfig, At: o.Loc(n), In: in, Label: keyName(n), Policy: model.Policy{Attempts: model.Exactly(1)},
		Traits: []model.Trait{{Kind: model.TraitIneffective, At: o.Loc(n), Detail: why}}})
}

// Gap says that a part of the file could not be read: a value of the wrong type, for one.
func (o *Out) Gap(n *doc.Node, format string, args ...any) {
	o.Facts.Gaps = append(o.Facts.Gaps, o.gapAt(n, format, args...))
}

func (o *Out) gapAt(n *doc.Node, format string, args ...any) model.Gap {
	p := n.Pos()
	return model.Gap{Repo: o.Repo, Path: o.Path, Line: p.Line, Col: p.Col, Stage: "extract", Reason: fmt.Sprintf(format, args...)}
}

// Undecided counts something that could not be decided.
func (o *Out) Undecided(kind model.UndecidedKind, n *doc.Node, format string, args ...any) {
	o.Facts.Undecided = append(o.Facts.Undecided, model.Undecided{Kind: kind, At: o.Loc(n), What: fmt.Sprintf(format, args...)})
}

func (o *Out) envs(have []string) []string {
	if len(have) == 0 && o.Env != "" {
		return []string{o.Env}
	}
	return have
}

func (o *Out) id(base string) string {
	if o.ids == nil {
		o.ids = map[string]int{}
	}
	o.ids[base]++
	if n := o.ids[base]; n > 1 {
		return fmt.Sprintf("%s:%d", base, n)
	}
	return base
}

// kind matches Kubernetes objects by the group of their apiVersion ("batch", "" for core) and kind.
func kind(group string, kinds ...string) func(string, *doc.Document) bool {
	return func(_ string, d *doc.Document) bool {
		v, k := d.Root.Get("apiVersion").Str(), d.Root.Get("kind").Str()
		g, _, ok := strings.Cut(v, "/")
		if !ok {
			g = ""
		}
		if k == "" || v == "" || g != group {
			return false
		}
		for _, want := range kinds {
			if k == want {
				return true
			}
		}
		return false
	}
}
