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
		if !h.v.Queue.IsZero() {
			v.Kind = model.NodeConsumer
			_, q, _ := strings.Cut(h.v.Queue.Key, ":")
			v.Label = cmp.Or(v.Label, "consumer of "+q)
			if name == h.v.Queue {
				v.Kind = model.NodeQueue
			} else {
				b.edges = append(b.edges, &owned[model.Edge]{&model.Edge{From: h.v.Queue, To: name, Kind: model.EdgeDeliver, At: h.v.At}, h.repo})
			}
		} else {
			b.handlerBy[h.repo] = append(b.handlerBy[h.repo], v)
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

func (b *builder) handlerVertex(h *owned[model.Handler]) *model.Vertex {
	for _, v := range b.handlerBy[h.repo] {
		if v.Handler == h.v {
			return v
		}
	}
	return nil
}

// attach turns edges into arcs: callees by name, hosts by service, routes between, layers around.
func (b *builder) attach() {
	for _, e := range b.edges {
		b.arcsOf(e)
	}
	b.workloadArcs()
	b.queueArcs()
	b.marks()
	b.dropRecords()
	b.loneLayers()
	for _, v := range b.org.Vertices {
		slices.SortStableFunc(v.Out, compareArcs)
		slices.SortStableFunc(v.In, compareArcs)
	}
}

func compareArcs(x, y *model.Arc) int {
	return cmp.Or(atOf(x).Compare(atOf(y)), cmp.Compare(x.From.ID, y.From.ID), cmp.Compare(x.To.ID, y.To.ID))
}

func atOf(a *model.Arc) model.Location {
	if a.Edge == nil {
		return model.Location{}
	}
	return a.Edge.At
}

func (b *builder) arc(from, to *model.Vertex, e *owned[model.Edge], alternative bool) *model.Arc {
	a := &model.Arc{From: from, To: to, Edge: e.v, Alternative: alternative, Blind: e.v.Blind || e.v.Kind == model.EdgePublish}
	a.Layers = append(a.Layers, b.wholeOf(from)...)
	if e.v.Kind == model.EdgeRequest || e.v.Kind == model.EdgePublish {
		a.Layers = append(a.Layers, b.declaredAround(from)...)
	}
	for _, id := range e.v.Under {
		if l := b.org.ByLayer[id]; l != nil && !slices.Contains(a.Layers, l) {
			a.Layers = append(a.Layers, l)
		}
	}
	from.Out = append(from.Out, a)
	to.In = append(to.In, a)
	return a
}

// declaredAround are the layers that a configuration declares for the service to which a node belongs.
func (b *builder) declaredAround(from *model.Vertex) []*model.Layer {
	if len(b.unitWhole) == 0 || from.Repo == "" {
		return nil
	}
	for u, ls := range b.unitWhole {
		if u.holds(from.Repo, from.At.Path) {
			return ls
		}
	}
	return nil
}

// declaredFrom is where a declared link begins: the schedule, job or program of the service, or else its name.
func (b *builder) declaredFrom(e *owned[model.Edge]) []*model.Vertex {
	var out []*model.Vertex
	// A schedule, job or workflow has no host; it goes by its own name.
	for _, s := range b.services {
		if !strings.EqualFold(s.v.Name, e.v.From.Key) || s.v.Node.IsZero() {
			continue
		}
		for _, v := range b.resolve(s.repo, s.v.Node) {
			if v.Kind.Human() {
				out = appendNew(out, v)
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, u := range b.hostUnits(e.v.From.Key, e.repo) {
		for _, s := range u.find().services {
			if !s.v.Node.IsZero() {
				for _, v := range b.resolve(s.repo, s.v.Node) {
					out = appendNew(out, v)
				}
			}
		}
	}
	if len(out) == 0 {
		return b.resolve(e.repo, e.v.From)
	}
	return out
}

func (b *builder) arcsOf(e *owned[model.Edge]) {
	froms := b.resolve(e.repo, e.v.From)
	declared := e.v.From.Space == model.SpaceHost
	if declared {
		froms = b.declaredFrom(e)
	}
	for _, from := range froms {
		if !declared && from.Repo != "" && e.repo != "" && from.Repo != e.repo {
			continue // an edge belongs to the repository that wrote it
		}
		switch {
		case e.v.To.Space == model.SpaceHost:
			b.request(from, e)
		case e.v.To.Space == model.SpaceGRPC:
			b.rpc(from, e)
		case e.v.To.Space == model.SpaceImage:
			b.image(from, e)
		case len(e.v.Alternatives) > 0:
			for _, n := range e.v.Alternatives {
				for _, to := range b.resolve(e.repo, n) {
					b.arc(from, to, e, len(e.v.Alternatives) > 1)
				}
			}
		default:
			tos := b.resolve(e.repo, e.v.To)
			for _, to := range tos {
				b.arc(from, to, e, len(tos) > 1)
			}
		}
	}
}

// request joins a call of a host with the routes that it passes and the handlers that serve it.
func (b *builder) request(from *model.Vertex, e *owned[model.Edge]) {
	routes := b.passed(e.v.To, e.v)
	hosts := []model.Name{e.v.To}
	if len(routes) > 0 && len(routes[0].v.Dest) > 0 {
		hosts = routes[0].v.Dest
	}
	targets := b.targets(hosts, e)
	for _, to := range targets {
		a := b.arc(from, to, e, len(targets) > 1)
		b.through(a, routes)
		if meshed := slices.ContainsFunc(routes, func(r *owned[model.Route]) bool { return r.v.Mesh }); !meshed && e.v.Kind == model.EdgeRequest {
			if l := b.seenBy(b.sidecar(from, e.v.To, e.repo), a); l != nil && !slices.Contains(a.Layers, l) {
				a.Layers = append(a.Layers, l)
			}
		}
	}
}

// through puts the layers and limits of routes onto an arc, inside those of the caller.
func (b *builder) through(a *model.Arc, routes []*owned[model.Route]) {
	for _, r := range routes {
		a.Routes = append(a.Routes, r.v)
		if l := b.seenBy(b.org.ByLayer[r.v.Layer], a); l != nil && !slices.Contains(a.Layers, l) {
			a.Layers = append(a.Layers, l)
		}
	}
}

// targets finds what answers at the hosts: handlers that match, or else the service, or else the host itself.
func (b *builder) targets(hosts []model.Name, e *owned[model.Edge]) []*model.Vertex {
	var out []*model.Vertex
	for _, h := range hosts {
		units := b.hostUnits(h.Key, e.repo)
		if len(units) == 0 {
			out = appendNew(out, b.define("", h))
			continue
		}
		for _, u := range units {
			hs := b.serving(u, e.v.Method, e.v.Path)
			if len(hs) == 0 {
				out = appendNew(out, b.unitVertex(u))
			}
			for _, v := range hs {
				out = appendNew(out, v)
			}
		}
	}
	return out
}

func appendNew(vs []*model.Vertex, v *model.Vertex) []*model.Vertex {
	if v == nil || slices.Contains(vs, v) {
		return vs
	}
	return append(vs, v)
}

// unitVertex stands for a service of which no handler is known to serve the request.
func (b *builder) unitVertex(u *unit) *model.Vertex {
	u = u.find()
	if v := b.unitVert[u]; v != nil {
		return v
	}
	s := u.services[0]
	for _, t := range u.services {
		if t.v.Kind == "service" || t.v.Kind == "compose" {
			s = t
			break
		}
	}
	v := b.define("", model.N(model.SpaceHost, "service "+s.repo+"/"+s.v.Name))
	v.Kind, v.Label, v.At, v.Service, v.Repo = model.NodeWorkload, s.v.Name, s.v.At, s.v, s.repo
	b.unitVert[u] = v
	return v
}

// serving lists the handlers of a unit's code that match a request, the most specific patterns only.
func (b *builder) serving(u *unit, method, path string) []*model.Vertex {
	var best []*model.Vertex
	score := -1
	for _, c := range u.find().code {
		for _, v := range b.handlerBy[c.repo] {
			if c.dir != "" && c.dir != "." && otherProgram(v.Handler.Dir, c.dir, b.dirsOf(c.repo)) {
				continue
			}
			if !matches(v.Handler, method, path, false) {
				continue
			}
			s := specificity(v.Handler, method, path)
			switch {
			case s > score:
				best, score = []*model.Vertex{v}, s
			case s == score:
				best = appendNew(best, v)
			}
		}
	}
	return best
}

// dirsOf lists the folders of a repository's main packages.
func (b *builder) dirsOf(repo string) []string {
	var out []string
	for _, u := range b.repoUnits[repo] {
		for _, c := range u.code {
			if c.repo == repo {
				out = append(out, c.dir)
			}
		}
	}
	return out
}

// otherProgram reports whether a folder belongs to another program of the repository than the one at dir.
func otherProgram(folder, dir string, dirs []string) bool {
	if within(folder, dir) {
		return false
	}
	for _, d := range dirs {
		if d != dir && d != "" && d != "." && within(folder, d) {
			return true
		}
	}
	return false
}

func within(folder, dir string) bool { return folder == dir || strings.HasPrefix(folder, dir+"/") }

// rpc joins a call of a gRPC method with its implementations.
func (b *builder) rpc(from *model.Vertex, e *owned[model.Edge]) {
	want := e.v.To.Key
	service, _, _ := strings.Cut(strings.TrimPrefix(want, "/"), "/")
	var tos []*model.Vertex
	for _, h := range b.handlers {
		if h.v.RPC == "" {
			continue
		}
		have, _, _ := strings.Cut(strings.TrimPrefix(h.v.RPC, "/"), "/")
		if h.v.RPC == want || have == service && (strings.HasSuffix(h.v.RPC, "/*") || strings.HasSuffix(want, "/*")) {
			tos = appendNew(tos, b.handlerVertex(h))
		}
	}
	if len(tos) == 0 {
		tos = []*model.Vertex{b.define("", e.v.To)}
	}
	routes := b.passed(model.N(model.SpaceGRPC, want), e.v)
	if len(routes) == 0 && service != "" {
		routes = b.passed(model.N(model.SpaceGRPC, "/"+service+"/*"), e.v)
	}
	for _, to := range tos {
		b.through(b.arc(from, to, e, len(tos) > 1), routes)
	}
}

// image joins something that starts a container with the program in it.
func (b *builder) image(from *model.Vertex, e *owned[model.Edge]) {
	var tos []*model.Vertex
	for _, u := range distinct(b.byName[e.v.To]) {
		for _, c := range u.code {
			if !c.main.IsZero() {
				for _, v := range b.resolve(c.repo, c.main) {
					tos = appendNew(tos, v)
				}
			}
		}
	}
	if len(tos) == 0 {
		if u := imageCode(e.v.To.Key, &owned[model.Service]{&model.Service{}, e.repo}, b.mains, b.repoCode); u != nil {
			for _, c := range u.find().code {
				if !c.main.IsZero() {
					for _, v := range b.resolve(c.repo, c.main) {
						tos = appendNew(tos, v)
					}
				}
			}
		}
	}
	if len(tos) == 0 {
		tos = []*model.Vertex{b.define("", e.v.To)}
	}
	for _, to := range tos {
		b.arc(from, to, e, len(tos) > 1)
	}
}

// workloadArcs joins jobs and schedules with the program of their image: one attempt of a Job is one run of it.
func (b *builder) workloadArcs() {
	for _, s := range b.services {
		if s.v.Node.IsZero() || s.v.Kind == "main" {
			continue
		}
		switch s.v.Kind {
		case "job", "cronjob", "batch", "schedule", "workflow", "function", "step":
		default:
			continue
		}
		u := b.unitOf[s.v].find()
		for _, from := range b.resolve(s.repo, s.v.Node) {
			from.Service = s.v
			for _, c := range u.code {
				if c.main.IsZero() {
					continue
				}
				for _, to := range b.resolve(c.repo, c.main) {
					if to == from {
						continue
					}
					b.arc(from, to, &owned[model.Edge]{&model.Edge{From: s.v.Node, To: c.main, Kind: model.EdgeSchedule, At: s.v.At}, s.repo}, false)
				}
			}
		}
	}
}

// queueArcs joins queues whose names match by pattern (NATS subjects) or that are other names of one another.
func (b *builder) queueArcs() {
	var plain, patterns []*model.Vertex
	for _, v := range b.org.Vertices {
		if v.Name.Space != model.SpaceQueue {
			continue
		}
		if strings.ContainsAny(v.Name.Key, "*>") {
			patterns = append(patterns, v)
		} else {
			plain = append(plain, v)
		}
	}
	for _, p := range patterns {
		for _, v := range plain {
			if subjectMatches(p.Name.Key, v.Name.Key) && !linked(v, p) && !linked(p, v) {
				b.arc(v, p, &owned[model.Edge]{&model.Edge{From: v.Name, To: p.Name, Kind: model.EdgeSame, At: p.At}, ""}, false)
			}
		}
	}
}

func linked(from, to *model.Vertex) bool {
	return slices.ContainsFunc(from.Out, func(a *model.Arc) bool { return a.To == to })
}

// subjectMatches matches a NATS subject, or a name with a trailing star, by tokens.
func subjectMatches(pattern, name string) bool {
	pb, p, ok1 := strings.Cut(pattern, ":")
	nb, n, ok2 := strings.Cut(name, ":")
	if !ok1 || !ok2 || pb != nb {
		return false
	}
	ps, ns := strings.Split(p, "."), strings.Split(n, ".")
	for i, t := range ps {
		if t == ">" {
			return i < len(ns)
		}
		if i >= len(ns) || t != "*" && t != ns[i] {
			return false
		}
	}
	return len(ps) == len(ns)
}

// marks hangs boundaries and dead letters onto their vertices.
func (b *builder) marks() {
	for _, w := range b.boundaries {
		for _, v := range b.markVertices(w.repo, w.v.In) {
			v.Boundaries = append(v.Boundaries, w.v)
		}
	}
	for _, d := range b.dead {
		for _, v := range b.markVertices(d.repo, d.v.Of) {
			v.DeadLetters = append(v.DeadLetters, d.v)
		}
	}
}

// dropRecords takes the calls of a dedupe memory out of the graph where the memory is a cache of its own: that a claim is asked
// or written several times is part of the boundary, not one more effect of the intent.
func (b *builder) dropRecords() {
	for _, v := range b.org.Vertices {
		if !slices.ContainsFunc(v.Boundaries, func(w *model.Boundary) bool { return cacheKind(w.Kind) != "" }) {
			continue
		}
		v.Out = slices.DeleteFunc(v.Out, func(a *model.Arc) bool {
			if a.Edge.Kind != model.EdgeStore || len(a.To.Out) > 0 {
				return false
			}
			drop := slices.ContainsFunc(v.Boundaries, func(w *model.Boundary) bool {
				k := cacheKind(w.Kind)
				return k != "" && strings.Contains(strings.ToLower(a.To.Name.Key), k)
			})
			if drop {
				a.To.In = slices.DeleteFunc(a.To.In, func(x *model.Arc) bool { return x == a })
			}
			return drop
		})
	}
}

// cacheKind is the word by which calls of a key-value store that keeps records are known; "" for databases, in which the
// effect may lie too.
func cacheKind(kind string) string {
	for _, k := range []string{"redis", "memcache", "rueidis"} {
		if strings.Contains(kind, k) {
			return k
		}
	}
	return ""
}

// markVertices finds what a mark on a name stands on: the name's own vertex, or everything that serves for a service, a
// workload or a repository of that name.
func (b *builder) markVertices(repo string, name model.Name) []*model.Vertex {
	switch name.Space {
	case model.SpaceRepo:
		var out []*model.Vertex
		for _, u := range append(slices.Clone(b.repoUnits[name.Key]), b.byWord[strings.ToLower(name.Key)]...) {
			out = append(out, b.serviceVertices(u)...)
		}
		return uniq(out)
	case model.SpaceWorkload, model.SpaceHost, model.SpaceImage:
		var out []*model.Vertex
		if v := b.vertex[vertexKey{repo, name}]; v != nil {
			out = append(out, v)
		}
		us := b.byName[name]
		if name.Space == model.SpaceHost && len(us) == 0 {
			us = b.hostUnits(name.Key, repo)
		}
		for _, u := range distinct(us) {
			out = append(out, b.serviceVertices(u)...)
		}
		if len(out) > 0 {
			return uniq(out)
		}
	}
	return b.resolve(repo, name)
}

// serviceVertices are the handlers and consumers of a unit's code, and the unit's own vertex.
func (b *builder) serviceVertices(u *unit) []*model.Vertex {
	var out []*model.Vertex
	u = u.find()
	for _, c := range u.code {
		for _, v := range b.handlerBy[c.repo] {
			if c.dir == "" || c.dir == "." || !otherProgram(v.Handler.Dir, c.dir, b.dirsOf(c.repo)) {
				out = append(out, v)
			}
		}
		if !c.main.IsZero() {
			out = append(out, b.resolve(c.repo, c.main)...)
		}
	}
	return append(out, b.unitVertex(u))
}

func uniq(vs []*model.Vertex) []*model.Vertex {
	var out []*model.Vertex
	for _, v := range vs {
		out = appendNew(out, v)
	}
	return out
}

// loneLayers gives layers that stand on a node from which nothing goes out an operation of their own, so that the chain
// exists and can be judged.
func (b *builder) loneLayers() {
	var names []model.Name
	for n := range b.whole {
		names = append(names, n)
	}
	slices.SortFunc(names, model.Name.Compare)
	for _, n := range names {
		l := b.whole[n][0]
		for _, v := range b.resolve(l.At.Repo, n) {
			if len(v.Out) == 0 && !b.topicsOf(n) {
				op := b.define(l.At.Repo, model.N(model.SpaceOp, n.String()+"#work"))
				op.Label = "what " + cmp.Or(v.Label, n.Key) + " does"
				op.At = l.At
				b.arc(v, op, &owned[model.Edge]{&model.Edge{From: n, To: op.Name, Kind: model.EdgeCall, At: l.At}, l.At.Repo}, false)
			}
		}
	}
	// Routes whose callers are not in the scan: a client outside, or another team's workload.
	passed := map[*model.Route]bool{}
	for _, v := range b.org.Vertices {
		for _, a := range v.Out {
			for _, r := range a.Routes {
				passed[r] = true
			}
		}
	}
	for _, r := range b.routes {
		l := b.org.ByLayer[r.v.Layer]
		if passed[r.v] || l == nil {
			continue
		}
		from := b.define(r.repo, r.v.Name)
		from.Kind, from.At = model.NodeRoute, r.v.At
		hosts := r.v.Dest
		if len(hosts) == 0 {
			hosts = r.v.Hosts
		}
		e := &owned[model.Edge]{&model.Edge{From: r.v.Name, Kind: model.EdgeRequest, At: r.v.At}, r.repo}
		if len(r.v.Match) == 1 {
			e.v.Method, e.v.Path = r.v.Match[0].Method, cmp.Or(r.v.Match[0].Path, r.v.Match[0].Prefix)
		}
		if e.v.Method == "" && l.Has(model.TraitAnyMethod) && len(r.v.Match) <= 1 {
			// A setting asks for requests that are not idempotent to be repeated: some that pass are, and nobody keeps them apart.
			e.v.Effect, e.v.Label = true, "request of any method"
		}
		if len(hosts) == 0 {
			hosts = []model.Name{model.N(model.SpaceOp, r.v.Name.String()+"#upstream")}
		}
		e.v.To = hosts[0]
		targets := []*model.Vertex{}
		for _, h := range hosts {
			if h.Space == model.SpaceHost {
				targets = append(targets, b.targets([]model.Name{h}, e)...)
			} else {
				targets = append(targets, b.resolve(r.repo, h)...)
			}
		}
		for _, to := range uniq(targets) {
			a := b.arc(from, to, e, len(targets) > 1)
			b.through(a, []*owned[model.Route]{r})
		}
	}
}
