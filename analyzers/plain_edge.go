package analyzers

import (
	"math"
	"reflect"

	"github.com/retrylint/retrylint/model"
)

// plainEdge is a call of one function by another of which nothing more is known. Nearly all edges are, and nearly all of them
// lead nowhere, so they wait in a fifth of an edge's memory until that is decided.
type plainEdge struct {
	from, to                   string // both functions
	path                       string
	line, col, endLine, endCol int32
	under                      []string
	blind, quiet               bool
}

// plainCall stands for the edge of a site that is kept as a plain one.
var plainCall = &model.Edge{Kind: model.EdgeCall}

// plain makes an edge plain; ok is false where there is more to it.
func plain(e *model.Edge, repo string) (p plainEdge, ok bool) {
	if e.Kind != model.EdgeCall || e.From.Space != model.SpaceFunc || e.To.Space != model.SpaceFunc || e.At.Repo != repo || e.At.EndLine > math.MaxInt32 {
		return plainEdge{}, false
	}
	p = plainEdge{from: e.From.Key, to: e.To.Key, path: e.At.Path, line: int32(e.At.Line), col: int32(e.At.Col),
		endLine: int32(e.At.EndLine), endCol: int32(e.At.EndCol), under: e.Under, blind: e.Blind, quiet: e.Quiet}
	rest := *e
	rest.Kind, rest.From, rest.To, rest.At, rest.Under, rest.Blind, rest.Quiet = "", model.Name{}, model.Name{}, model.Location{}, nil, false, false
	return p, reflect.ValueOf(rest).IsZero()
}

// edge is the plain edge as facts have it.
func (p *plainEdge) edge(repo string) model.Edge {
	return model.Edge{From: model.N(model.SpaceFunc, p.from), To: model.N(model.SpaceFunc, p.to), Kind: model.EdgeCall,
		At:    model.Location{Repo: repo, Path: p.path, Line: int(p.line), Col: int(p.col), EndLine: int(p.endLine), EndCol: int(p.endCol)},
		Under: p.under, Blind: p.blind, Quiet: p.quiet}
}

func (p *plainEdge) names() (from, to model.Name) {
	return model.N(model.SpaceFunc, p.from), model.N(model.SpaceFunc, p.to)
}

// takeEdges takes the edges out of the sites. Other packages may still ask what kind of edge a site has.
func (u *unit) takeEdges() {
	for _, s := range u.sites {
		for _, e := range s.edges {
			if p := s.in.part(s.call); p != nil && e.From == s.in.name {
				e.From = p.name
			}
			if p, ok := plain(e, u.repo); ok && u.joined {
				u.plainEdges = append(u.plainEdges, p)
				if s.edge == e {
					s.edge = plainCall
				}
				continue
			}
			u.facts.Edges = append(u.facts.Edges, *e)
		}
		s.edges = nil
	}
}
