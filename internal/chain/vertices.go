package chain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// vertices makes a node for every name that some fact defines, and hangs marks onto them.
func (b *builder) vertices() {
	b.vertex, b.defs = map[vertexKey]*model.Vertex{}, map[model.Name][]*model.Vertex{}
	b.unitVert, b.handlerBy = map[*unit]*model.Vertex{}, map[string][]*model.Vertex{}
	b.unitWhole = map[*unit][]*model.Layer{}
	b.vertexOf, b.rpcBy = map[*model.Handler]*model.Vertex{}, map[string][]*owned[model.Handler]{}
	b.whole, b.routesBy = map[model.Name][]*model.Layer{}, map[string][]*owned[model.Route]{}

	for _, n := range b.nodes {
		v := b.define(n.repo, n.v.Name)
		if v.Node == nil || v.Kind == "" || n.v.Entry {
			v.Node, v.Kind, v.At = n.v, n.v.Kind, n.v.At
		}
		v.Label = cmp.Or(v.Label, n.v.Label)
		v.Entry = v.Entry || n.v.Entry
		v.Exported = v.Exported || n.v.Exported
	}
	for _, h := range b.handlers {
		name := h.v.Name
		if name.IsZero() {
			name = model.N(model.SpaceHandler, h.repo+"|"+h.v.Dir+"|"+strings.TrimSpace(h.v.Method+" "+h.v.Pattern+h.v.RPC))
			if !h.v.Queue.IsZero() {
				name = h.v.Queue
			}
		}
		v := b.define(h.repo, name)
		v.Handler, v.Kind = h.v, model.NodeHandler
		if v.At.IsZero() {
			v.At = h.v.At
		}
		v.Label = cmp.Or(v.Label, strings.TrimSpace(h.v.Method+" "+h.v.Pattern+h.v.RPC))
		switch {
		case h.v.Queue.IsZero() && h.v.Method+h.v.Pattern+h.v.RPC == "":
			v.Kind = model.NodeConsumer // of a queue that is not known; it serves no requests
			v.Label = cmp.Or(v.Label, "consumer")
		case !h.v.Queue.IsZero():
			v.Kind = model.NodeConsumer
			_, q, _ := strings.Cut(h.v.Queue.Key, ":")
			v.Label = cmp.Or(v.Label, "consumer of "+q)
			if name == h.v.Queue {
				v.Kind = model.NodeQueue
			} else {
				b.edges = append(b.edges, &owned[model.Edge]{&model.Edge{From: h.v.Queue, To: name, Kind: model.EdgeDeliver, At: h.v.At}, h.repo})
			}
		default:
			b.handlerBy[h.repo] = append(b.handlerBy[h.repo], v)
			b.vertexOf[h.v] = v
			if h.v.RPC != "" {
				service, _, _ := strings.Cut(strings.TrimPrefix(h.v.RPC, "/"), "/")
				b.rpcBy[lastPart(service)] = append(b.rpcBy[lastPart(service)], h)
			}
		}
		if !h.v.Func.IsZero() && h.v.Func != name {
			b.edges = append(b.edges, &owned[model.Edge]{&model.Edge{From: name, To: h.v.Func, Kind: model.EdgeCall, At: h.v.At}, h.repo})
		}
	}
	for _, l := range b.layers {
		if l.v.Whole {
			b.whole[l.v.In] = append(b.whole[l.v.In], l.v)
			if l.v.In.Space == model.SpaceHost {
				for _, u := range b.hostUnits(l.v.In.Key, l.repo) {
					if len(u.code) > 0 {
						b.unitWhole[u] = append(b.unitWhole[u], l.v)
					}
				}
			}
		}
	}
	for n, ls := range b.whole {
		b.whole[n] = alternatives(ls)
	}
	for _, ls := range b.whole {
		slices.SortStableFunc(ls, func(x, y *model.Layer) int { return cmp.Compare(order(x), order(y)) })
	}
	for _, r := range b.routes {
		for _, h := range r.v.Hosts {
			b.routesBy[h.Key] = append(b.routesBy[h.Key], r)
		}
	}
}

// order puts layers of one node outermost first: schedulers around jobs around restarts around queues and the rest.
func order(l *model.Layer) int {
	switch l.Kind {
	case model.KindScheduler:
		return 0
	case model.KindJob, model.KindWorkflow:
		return 1
	case model.KindRestart:
		return 2
	case model.KindDeclared:
		return 3
	case model.KindQueue:
		return 4
	}
	return 5
}

// define is the vertex of a name that a repository defines. Names of the outside and of things that several repositories
// may speak of (hosts, queues, images) are shared.
func (b *builder) define(repo string, name model.Name) *model.Vertex {
	key := vertexKey{name: name}
	if local(name.Space) {
		key.repo = repo
	}
	if v := b.vertex[key]; v != nil {
		return v
	}
	v := &model.Vertex{ID: len(b.org.Vertices), Name: name, Repo: key.repo, Kind: kindOf(name.Space)}
	b.vertex[key] = v
	b.defs[name] = append(b.defs[name], v)
	b.org.Vertices = append(b.org.Vertices, v)
	return v
}

// local reports whether names of a space belong to the repository that defines them.
func local(s model.Space) bool {
	switch s {
	case model.SpaceFunc, model.SpaceOp, model.SpaceHandler, model.SpaceRoute, model.SpaceStep, model.SpaceWorkload:
		return true
	}
	return false
}

func kindOf(s model.Space) model.NodeKind {
	switch s {
	case model.SpaceFunc:
		return model.NodeFunc
	case model.SpaceOp:
		return model.NodeOp
	case model.SpaceHost, model.SpaceGRPC:
		return model.NodeHost
	case model.SpaceHandler:
		return model.NodeHandler
	case model.SpaceRoute:
		return model.NodeRoute
	case model.SpaceQueue:
		return model.NodeQueue
	case model.SpaceStep:
		return model.NodeStep
	case model.SpaceTable:
		return model.NodeStore
	case model.SpaceOutside:
		return model.NodeOutside
	}
	return model.NodeWorkload
}

// resolve finds the vertices that a name means, as somebody in repo writes it: the own repository first, then all others
// that define it.
func (b *builder) resolve(repo string, name model.Name) []*model.Vertex {
	if v := b.vertex[vertexKey{repo, name}]; v != nil {
		return []*model.Vertex{v}
	}
	if !local(name.Space) {
		return []*model.Vertex{b.define(repo, name)}
	}
	if vs := b.defs[name]; len(vs) > 0 {
		return vs
	}
	if name.Space == model.SpaceFunc && strings.Contains(name.Key, "().") {
		if vs := b.methodOfMade(name.Key); len(vs) > 0 {
			return vs
		}
	}
	if name.Space == model.SpaceHandler {
		if vs := b.wildHandlers(name.Key); len(vs) > 0 {
			return vs
		}
	}
	return []*model.Vertex{b.define(repo, name)}
}

// wildHandlers finds handlers by "repository|folder|METHOD /pattern", where the first two may be "*".
func (b *builder) wildHandlers(key string) []*model.Vertex {
	parts := strings.SplitN(key, "|", 3)
	if len(parts) != 3 {
		return nil
	}
	method, path, ok := strings.Cut(parts[2], " ")
	if !ok {
		method, path = "", parts[2]
	}
	var out []*model.Vertex
	if len(b.byWord[strings.ToLower(parts[0])]) == 0 && !slices.ContainsFunc(b.handlers, func(h *owned[model.Handler]) bool { return h.repo == parts[0] }) {
		parts[0] = "*" // the organisation's configuration: any repository may serve it
	}
	for _, h := range b.handlers {
		if parts[0] != "" && parts[0] != "*" && parts[0] != h.repo && !slices.ContainsFunc(b.byWord[strings.ToLower(parts[0])], func(u *unit) bool { return u.in(h.repo) }) {
			continue
		}
		if !h.v.Queue.IsZero() || !matches(h.v, method, path, true) {
			continue
		}
		out = append(out, b.handlerVertex(h))
	}
	return out
}

func (b *builder) handlerVertex(h *owned[model.Handler]) *model.Vertex { return b.vertexOf[h.v] }
