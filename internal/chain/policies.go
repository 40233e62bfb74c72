package chain

import (
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// policies applies what is set in one place for many: the default policy of a mesh or controller, a middleware that routes name,
// a policy attached to a route. They are layers with a name (Layer.As), which is all that others know of them.
func (b *builder) policies() {
	named := map[model.Name][]*owned[model.Layer]{}
	b.sidecars, b.sidecarUsed = map[model.Name][]*owned[model.Layer]{}, map[*model.Layer]bool{}
	for _, l := range b.layers {
		if !l.v.As.IsZero() {
			named[l.v.As] = append(named[l.v.As], l)
			if strings.HasPrefix(l.v.As.Key, "istio-sidecar/") {
				b.sidecars[l.v.As] = append(b.sidecars[l.v.As], l)
			}
		}
	}
	if len(named) == 0 {
		return
	}
	for _, l := range b.layers {
		if d := chosen(named[l.v.Else], l.repo, l.v.At.Path); d != nil && d != l.v {
			inherit(l.v, d)
		}
	}
	first := func(uses []model.Name, repo, file string) *model.Layer {
		for _, n := range uses {
			if d := chosen(named[n], repo, file); d != nil {
				return d
			}
		}
		return nil
	}
	for _, r := range b.routes {
		own := b.org.ByLayer[r.v.Layer]
		if own != nil && own.Origin != model.OriginDefault {
			continue
		}
		if d := first(r.v.Uses, r.repo, r.v.At.Path); d != nil {
			r.v.Layer = d.ID
		}
	}
	for _, e := range b.edges {
		if d := first(e.v.Uses, e.repo, e.v.At.Path); d != nil {
			e.v.Under = append(slices.Clone(e.v.Under), d.ID)
		}
	}
}

// chosen is the policy that holds for something in a file of a repository: the one of the same repository, or else of any; in it the one
// nearest by folder, since each cluster or environment mostly has its own. Of several as near it is the one with the most
// attempts. What stands in folders of tests holds only there.
func chosen(all []*owned[model.Layer], repo, file string) *model.Layer {
	var best *owned[model.Layer]
	near := 0
	for _, l := range all {
		common := -1
		if l.repo == repo {
			common = sharedFolders(l.v.At.Path, file)
		}
		if forTests(l.v.At.Path) && (common <= 0 || !forTests(file)) {
			continue
		}
		switch {
		case best == nil || common > near:
			best, near = l, common
		case common < near:
		case l.v.Policy.Attempts.Compare(best.v.Policy.Attempts) > 0,
			l.v.Policy.Attempts.Compare(best.v.Policy.Attempts) == 0 && l.v.At.Compare(best.v.At) < 0:
			best = l
		}
	}
	if best == nil {
		return nil
	}
	return best.v
}

// sharedFolders counts the folders that two files of a repository have in common from the root on.
func sharedFolders(a, c string) int {
	x, y := strings.Split(a, "/"), strings.Split(c, "/")
	n := 0
	for n < len(x)-1 && n < len(y)-1 && x[n] == y[n] {
		n++
	}
	return n
}

// forTests reports whether a file lies in a folder of tests.
func forTests(file string) bool {
	for part := range strings.SplitSeq(file, "/") {
		switch part {
		case "test", "tests", "testdata", "e2e", "fixtures", "integration":
			return true
		}
	}
	return false
}

// inherit gives l everything of d that l does not set itself.
func inherit(l, d *model.Layer) {
	sets := func(f model.Field) bool { return slices.Contains(l.Set, f) }
	p := d.Policy
	if sets(model.FieldOverall) || !p.Overall.Known() && l.Policy.Overall.Known() {
		p.Overall, p.Budget = l.Policy.Overall, l.Policy.Budget
	}
	if sets(model.FieldPerAttempt) || p.PerAttempt.IsUnknown() {
		p.PerAttempt = l.Policy.PerAttempt
	}
	if sets(model.FieldInitial) {
		p.Backoff = l.Policy.Backoff
	}
	if sets(model.FieldOn) {
		p.On = l.Policy.On
	} else {
		l.Traits = d.Traits
	}
	if sets(model.FieldAttempts) {
		p.Attempts = l.Policy.Attempts
		l.SetBy = append(slices.Clone(l.SetBy), d.At)
	} else {
		l.At, l.Call, l.Origin, l.DefaultBy, l.OffSwitch = d.At, l.At, d.Origin, d.DefaultBy, d.OffSwitch
	}
	l.Policy = p
}

// sidecar finds the policy that a caller's own proxy has for calls of a Service that no route is for; nil where the caller is not known
// to carry a proxy.
func (b *builder) sidecar(from *model.Vertex, host model.Name, repo string) *model.Layer {
	if len(b.sidecars) == 0 {
		return nil
	}
	service := false
	for _, u := range b.hostUnits(host.Key, repo) {
		service = service || slices.ContainsFunc(u.find().services, func(s *owned[model.Service]) bool { return s.v.Kind == "service" })
	}
	if !service {
		return nil
	}
	for _, s := range b.services {
		all := b.sidecars[s.v.Sidecar]
		if s.v.Sidecar.IsZero() || len(all) == 0 {
			continue
		}
		if u := b.unitOf[s.v].find(); len(u.code) > 0 && u.holds(from.Repo, from.At.Path) {
			if d := chosen(all, s.repo, s.v.At.Path); d != nil {
				b.sidecarUsed[d] = true
				return d
			}
		}
	}
	return nil
}

// seenBy is the layer as it acts on a call. Statuses of gRPC do not come in answers to plain HTTP requests, so of a policy of
// connection failures and such statuses only what was not sent remains there; and so it does of a proxy that keeps the call's
// method out.
func (b *builder) seenBy(l *model.Layer, a *model.Arc) *model.Layer {
	const rpc = model.OnUnavailable | model.OnRPCOther
	if l == nil {
		return l
	}
	statuses := l.Policy.On&rpc != 0 && l.Policy.On&^(rpc|model.OnConnect) == 0 && plainHTTP(a.Edge)
	if !statuses && !keepsOut(l, a.Edge) {
		return l
	}
	if b.unsent == nil {
		b.unsent = map[*model.Layer]*model.Layer{}
	}
	if b.unsent[l] == nil {
		c := *l
		c.Policy.On = model.OnConnect
		b.unsent[l] = &c
	}
	return b.unsent[l]
}

// keepsOut reports whether a layer does not repeat a request of the call's method once it was sent.
func keepsOut(l *model.Layer, e *model.Edge) bool {
	g, ok := l.Trait(model.TraitMethodGuard)
	return ok && e != nil && e.Kind == model.EdgeRequest && e.Method != "" && slices.Contains(strings.Fields(g.Not), e.Method)
}

// plainHTTP reports whether a call is known to be an HTTP request and none of gRPC.
func plainHTTP(e *model.Edge) bool {
	if e == nil || e.Kind != model.EdgeRequest || e.Method == "" || e.To.Space == model.SpaceGRPC {
		return false
	}
	// "/package.Service/Method" is a call of gRPC whatever carries it.
	service, _, ok := strings.Cut(strings.TrimPrefix(e.Path, "/"), "/")
	return !ok || !strings.Contains(service, ".")
}

// dropSidecars leaves out the policies of proxies through which no call was found to go.
func (b *builder) dropSidecars() {
	if len(b.sidecars) == 0 {
		return
	}
	b.org.Layers = slices.DeleteFunc(b.org.Layers, func(l *model.Layer) bool { return len(b.sidecars[l.As]) > 0 && !b.sidecarUsed[l] })
}

// wholeOf lists the layers around everything that a node does: its own, and for a topic those of the component that holds it,
// "broker:component/topic", unless the node takes messages off the broker by itself.
func (b *builder) wholeOf(v *model.Vertex) []*model.Layer {
	own := b.whole[v.Name]
	if v.Name.Space != model.SpaceQueue {
		return own
	}
	i := strings.IndexByte(v.Name.Key, '/')
	if i < 0 {
		return own
	}
	holder := b.whole[model.N(model.SpaceQueue, v.Name.Key[:i])]
	if len(holder) == 0 {
		return own
	}
	acks := v.Node != nil && slices.ContainsFunc(v.Node.Traits, func(t model.Trait) bool { return t.Kind == model.TraitAcknowledges })
	out := slices.Clone(own)
	for _, l := range holder {
		if !acks || !l.Policy.On.Redelivery() {
			out = append(out, l)
		}
	}
	return out
}

// topicsOf reports whether some topic of a component has consumers, so that the component needs no chain of its own.
func (b *builder) topicsOf(name model.Name) bool {
	if name.Space != model.SpaceQueue {
		return false
	}
	for _, v := range b.org.Vertices {
		if v.Name.Space == name.Space && strings.HasPrefix(v.Name.Key, name.Key+"/") && len(v.Out) > 0 {
			return true
		}
	}
	return false
}

// joinAutoscalers joins what scales a workload with the workload, so that its replicas count.
func (b *builder) joinAutoscalers() {
	byName := map[model.Name][]*owned[model.Service]{}
	for _, s := range b.services {
		if s.v.Kind != "autoscaler" {
			for _, n := range s.v.Names {
				if n.Space == model.SpaceWorkload {
					byName[n] = append(byName[n], s)
				}
			}
		}
	}
	for _, s := range b.services {
		if s.v.Kind != "autoscaler" {
			continue
		}
		for _, n := range s.v.Names {
			for _, t := range byName[n] {
				if t.repo == s.repo || s.v.Namespace != "" {
					union(b.unitOf[s.v], b.unitOf[t.v])
				}
			}
		}
	}
}
