package chain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

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
	// Of several units that hold the code the first counts, whatever the order of the map.
	var first *unit
	for u := range b.unitWhole {
		if u.holds(from.Repo, from.At.Path) && (first == nil || u.id < first.id) {
			first = u
		}
	}
	if first != nil {
		return b.unitWhole[first]
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
	ways := b.ways(hosts, e, routes, []model.Name{e.v.To})
	for _, w := range ways {
		a := b.arc(from, w.to, e, len(ways) > 1)
		b.through(a, w.routes)
		if meshed := slices.ContainsFunc(routes, func(r *owned[model.Route]) bool { return r.v.Mesh }); !meshed && e.v.Kind == model.EdgeRequest {
			if l := b.seenBy(b.sidecar(from, e.v.To, e.repo), a); l != nil && !slices.Contains(a.Layers, l) {
				a.Layers = append(a.Layers, l)
			}
		}
	}
}

// way is one way to what answers, through routes, those nearest the caller first.
type way struct {
	to     *model.Vertex
	routes []*owned[model.Route]
}

// ways finds what answers at the hosts to which routes lead. Where a host is that of another proxy's route, the request passes
// that one too; a host that was asked before, or that only means "this machine", leads no further.
func (b *builder) ways(hosts []model.Name, e *owned[model.Edge], routes []*owned[model.Route], asked []model.Name) []way {
	var out []way
	add := func(w way) {
		if !slices.ContainsFunc(out, func(x way) bool { return x.to == w.to }) {
			out = append(out, w)
		}
	}
	for _, h := range hosts {
		var next []*owned[model.Route]
		if len(routes) > 0 && h.Space == model.SpaceHost && !slices.Contains(asked, h) && !thisMachine(h.Key) && len(asked) < 8 {
			for _, r := range b.passed(h, e.v) {
				again := func(n model.Name) bool { return slices.Contains(asked, n) }
				if r.v.Ingress && !r.v.Mesh && len(r.v.Dest) > 0 && !slices.ContainsFunc(r.v.Hosts, again) && !slices.Contains(routes, r) {
					next = append(next, r)
				}
			}
		}
		if len(next) == 0 {
			for _, to := range b.targets([]model.Name{h}, e) {
				add(way{to, routes})
			}
			continue
		}
		further := append(slices.Clone(routes), next...)
		for _, w := range b.ways(next[0].v.Dest, e, further, append(slices.Clone(asked), h)) {
			add(w)
		}
	}
	return out
}

// thisMachine reports whether a host only means the machine that asks, so that it names nothing.
func thisMachine(host string) bool {
	return host == "localhost" || strings.HasPrefix(host, "127.") || host == "0.0.0.0" || host == "::1"
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
	service, method, _ := strings.Cut(strings.TrimPrefix(want, "/"), "/")
	var tos []*model.Vertex
	var serves []*owned[model.Handler]
	for _, h := range b.rpcBy[lastPart(service)] {
		have, m, _ := strings.Cut(strings.TrimPrefix(h.v.RPC, "/"), "/")
		if sameService(have, service) && (m == method || m == "*" || method == "*") {
			tos = appendNew(tos, b.handlerVertex(h))
			serves = append(serves, h)
		}
	}
	if len(tos) > 1 && !e.v.Host.IsZero() {
		// Several serve it: those whose program the host is.
		var here []*model.Vertex
		for _, u := range b.hostUnits(e.v.Host.Key, e.repo) {
			for _, c := range u.find().code {
				for _, h := range serves {
					if h.repo == c.repo && (c.dir == "" || c.dir == "." || !otherProgram(h.v.Dir, c.dir, b.dirsOf(c.repo))) {
						here = appendNew(here, b.handlerVertex(h))
					}
				}
			}
		}
		if len(here) > 0 {
			tos = here
		}
	}
	if len(tos) == 0 && !e.v.Host.IsZero() {
		// Nothing is seen to serve the method; that the service runs is known.
		for _, u := range b.hostUnits(e.v.Host.Key, e.repo) {
			tos = appendNew(tos, b.unitVertex(u))
		}
	}
	if len(tos) == 0 {
		tos = []*model.Vertex{b.define("", e.v.To)}
	}
	routes := b.passed(model.N(model.SpaceGRPC, want), e.v)
	if len(routes) == 0 && service != "" {
		routes = b.passed(model.N(model.SpaceGRPC, "/"+service+"/*"), e.v)
	}
	// The mesh sees a request to the host of the connection.
	byHost := b.passed(e.v.Host, e.v)
	meshed := slices.ContainsFunc(byHost, func(r *owned[model.Route]) bool { return r.v.Mesh })
	for _, to := range tos {
		a := b.arc(from, to, e, len(tos) > 1)
		b.through(a, routes)
		b.through(a, byHost)
		if !meshed && !e.v.Host.IsZero() {
			if l := b.seenBy(b.sidecar(from, e.v.Host, e.repo), a); l != nil && !slices.Contains(a.Layers, l) {
				a.Layers = append(a.Layers, l)
			}
		}
	}
}

// lastPart is the name of a gRPC service without its package.
func lastPart(service string) string { return service[strings.LastIndexByte(service, '.')+1:] }

// sameService compares the names of gRPC services. Where the package of one is not known, the rest decides.
func sameService(a, c string) bool {
	switch {
	case a == c:
		return true
	case !strings.Contains(a, "."):
		return a != "" && strings.HasSuffix(c, "."+a)
	case !strings.Contains(c, "."):
		return c != "" && strings.HasSuffix(a, "."+c)
	}
	return false
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
		if u := b.imageCode(e.v.To.Key, &owned[model.Service]{&model.Service{}, e.repo}); u != nil {
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
