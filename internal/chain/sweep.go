package chain

import (
	"cmp"
	"slices"
	"sort"

	"github.com/retrylint/retrylint/model"
)

// cycles orders the vertices so that callers come before callees, leaving out arcs that close a cycle, and says the cycles.
func (b *builder) cycles() {
	const (
		white = iota
		grey
		black
	)
	colour := make([]uint8, len(b.org.Vertices))
	b.back = map[*model.Arc]bool{}
	var post []*model.Vertex
	type frame struct {
		v    *model.Vertex
		next int
	}
	visit := func(root *model.Vertex) {
		if colour[root.ID] != white {
			return
		}
		stack := []frame{{root, 0}}
		colour[root.ID] = grey
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.next == len(f.v.Out) {
				colour[f.v.ID] = black
				post = append(post, f.v)
				stack = stack[:len(stack)-1]
				continue
			}
			a := f.v.Out[f.next]
			f.next++
			switch colour[a.To.ID] {
			case white:
				colour[a.To.ID] = grey
				stack = append(stack, frame{a.To, 0})
			case grey:
				b.back[a] = true
				var cycle []*model.Vertex
				for i := len(stack) - 1; i >= 0; i-- {
					cycle = append(cycle, stack[i].v)
					if stack[i].v == a.To {
						break
					}
				}
				slices.Reverse(cycle)
				if len(b.org.Cycles) < 1000 {
					b.org.Cycles = append(b.org.Cycles, cycle)
				}
			}
		}
	}
	order := slices.Clone(b.org.Vertices)
	slices.SortStableFunc(order, func(x, y *model.Vertex) int {
		return cmp.Or(boolOrder(!x.Entry, !y.Entry), boolOrder(len(x.In) > 0, len(y.In) > 0), cmp.Compare(x.ID, y.ID))
	})
	for _, v := range order {
		visit(v)
	}
	slices.Reverse(post)
	b.topo = post
}

func boolOrder(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}

// weight is what an arc does to the figures of a path: x becomes a*x + s; n is its factor of attempts.
type weight struct{ n, a, s float64 }

func weigh(layers []*model.Layer) weight {
	w := weight{1, 1, 0}
	for _, l := range layers {
		if !l.Factor() {
			continue
		}
		n := rank(l.Policy.Total())
		each := n
		if l.Policy.Gap == model.StartToStart {
			each = 1
		}
		s := 0.0
		if d := l.Policy.Path(model.For(0)); d.IsNone() {
			s = huge
		} else if t, ok := d.Duration(); ok {
			s = t.Seconds()
		}
		w.s += w.a * s // outermost first: f(g(x)) = A (a x + s) + B
		w.n *= n
		w.a *= each
	}
	return w
}

const huge = 1e30

func rank(c model.Count) float64 {
	switch {
	case c.IsUnbounded():
		return huge
	case c.IsUnknown():
		return float64(max(c.Min(), 1))
	}
	n, _ := c.Max()
	return float64(max(n, 1))
}

// label is the worst way from an entry to a vertex, with a back pointer.
type label struct {
	ok      bool
	n, a, s float64
	marked  bool // a layer or a boundary lies on the way
	quiet   bool // a call on the way does not tell of failures
	blind   bool // reached by a publish: only other names of the same queue follow
	arc     *model.Arc
	from    *label
	hops    int
	last    *model.Arc // the last arc on the way that says something by itself, see plain
	way     uint64     // stands for all telling arcs on the way, and for the kind of the entry
}

func (l *label) extend(arc *model.Arc, w weight) label {
	last, way := l.last, l.way
	if !plain(arc) {
		last = arc
	}
	if telling(arc) {
		way = mix(way, uint64(arc.To.ID)<<32|uint64(arc.From.ID))
		way = mix(way, uint64(arc.Edge.At.Line)<<16|uint64(len(arc.Layers)))
	}
	return label{ok: true, n: min(l.n*w.n, huge), a: min(l.a*w.a, huge), s: min(l.s+l.a*w.s, huge),
		marked: l.marked || len(arc.Layers) > 0 || len(arc.To.Boundaries) > 0,
		quiet:  l.quiet || arc.Edge.Quiet,
		blind:  arc.Blind || l.blind && arc.Edge.Kind == model.EdgeSame,
		arc:    arc, from: l, hops: l.hops + 1, last: last, way: way}
}

// telling reports whether an arc has something that a rule or a figure may ask about: layers, limits, keys, marks.
func telling(a *model.Arc) bool {
	e := a.Edge
	return len(a.Layers) > 0 || a.Blind || len(a.To.Boundaries) > 0 || len(a.To.DeadLetters) > 0 || e.Key.How != model.KeyUnknown || e.Timeout.Known() ||
		e.Deadline.Known() || a.Limit.Known() || e.Kind == model.EdgePublish || e.Kind == model.EdgeDeliver || len(e.Envs) > 0 || a.From.Handler != nil && a.From.Handler.ReadsKey
}

func mix(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// plain reports whether an arc is a mere call of a function: nothing retries it, bounds it or keeps keys there, and it is
// not known to have an effect. Ways that differ only in the plain calls at their ends tell the same: a retried operation
// calls hundreds of getters and formatters, and each of them would be an end.
func plain(a *model.Arc) bool {
	e := a.Edge
	return e.Kind == model.EdgeCall && a.To.Kind == model.NodeFunc && len(a.Layers) == 0 && len(a.Routes) == 0 && !a.Blind &&
		len(a.To.Boundaries) == 0 && len(a.To.DeadLetters) == 0 && (a.From.Handler == nil || !a.From.Handler.ReadsKey) && !e.Effect && e.Method == "" && e.Key.How == model.KeyUnknown && e.Timeout.IsUnknown() && e.Deadline.IsUnknown()
}

// worseAttempts and worseDelay order labels; the tie goes to what was found first, in the deterministic order of arcs.
func worseAttempts(x, y *label) bool {
	return !y.ok || x.n > y.n || x.n == y.n && (x.s > y.s || x.s == y.s && x.marked && !y.marked)
}

func worseDelay(x, y *label) bool {
	return !y.ok || x.s > y.s || x.s == y.s && (x.n > y.n || x.n == y.n && x.marked && !y.marked)
}

const (
	defaultWork = 8_000_000
	perEffect   = 100 // chains listed for one effect
	perWay      = 5   // of those that differ only in what tells nothing, and in their entries
)

// assemble finds for each entry and effect the worst chain: one sweep per entry over what it reaches, in topological order.
// Alternatives take the maximum, never the product; a publish ends the product. Where the sum of what the entries reach is
// too large, entries that reach the most are judged by one sweep over everything instead.
func (b *builder) assemble() {
	limit := cmp.Or(b.opt.MaxWork, defaultWork)
	pos := make([]int, len(b.org.Vertices))
	for i, v := range b.topo {
		pos[v.ID] = i
	}
	below := b.marksBelow()
	weights := map[*model.Arc]weight{}
	for _, v := range b.org.Vertices {
		for _, a := range v.Out {
			weights[a] = weigh(a.Layers)
		}
	}
	b.ends = map[*model.Vertex]*end{}
	scenarios := b.scenarios()
	var vary []bool
	if scenarios != nil {
		vary = b.variesBelow()
	}
	var rest []*model.Vertex
	work := 0
	byN, byS := make([]label, len(b.org.Vertices)), make([]label, len(b.org.Vertices))
	judge := func(entries []*model.Vertex, varies bool) int {
		if !varies {
			return b.sweep(entries, pos, weights, byN, byS)
		}
		b.entries++
		done := 0
		for _, b.now = range scenarios {
			done += b.sweep(entries, pos, weights, byN, byS)
		}
		b.now = nil
		return done
	}
	for _, e := range b.topo {
		if !b.isEntry(e) || !below[e.ID] && len(e.Boundaries) == 0 {
			continue
		}
		if work > limit {
			rest = append(rest, e)
			continue
		}
		work += judge([]*model.Vertex{e}, vary != nil && vary[e.ID])
	}
	if len(rest) > 0 {
		judge(rest, slices.ContainsFunc(rest, func(e *model.Vertex) bool { return vary != nil && vary[e.ID] }))
	}
	b.collect()
}

// isEntry reports whether work begins at a vertex.
func (b *builder) isEntry(v *model.Vertex) bool {
	if len(v.Out) == 0 && len(v.Boundaries) == 0 {
		return false
	}
	if v.Entry && v.Kind != model.NodeMain {
		return true
	}
	for _, a := range v.In {
		if !a.Blind && !b.back[a] {
			return false
		}
	}
	return true
}

// marksBelow says for each vertex whether a layer or a boundary lies on some way out of it.
func (b *builder) marksBelow() []bool {
	out := make([]bool, len(b.org.Vertices))
	for _, v := range slices.Backward(b.topo) {
		for _, a := range v.Out {
			if len(a.Layers) > 0 || len(a.To.Boundaries) > 0 || out[a.To.ID] && !b.back[a] {
				out[v.ID] = true
				break
			}
		}
	}
	return out
}

// sweep carries the worst labels from the entries to everything that they reach and makes the chains; it returns the
// number of arcs it looked at.
func (b *builder) sweep(entries []*model.Vertex, pos []int, weights map[*model.Arc]weight, byN, byS []label) int {
	reach := b.reach(entries, pos)
	b.fresh = b.fresh[:0]
	for _, e := range entries {
		l := label{ok: true, n: 1, a: 1, marked: len(e.Boundaries) > 0, way: kindHash(e.Kind)}
		byN[e.ID], byS[e.ID] = l, l
	}
	work := 0
	for _, v := range reach {
		ln, ls := &byN[v.ID], &byS[v.ID]
		if !ln.ok {
			continue
		}
		for _, a := range v.Out {
			if b.back[a] || ln.blind && a.Edge.Kind != model.EdgeSame || !b.active(a) {
				continue
			}
			work++
			w := weights[a]
			if b.now != nil && varies(a) {
				w = weigh(b.layersOf(a))
			}
			x, y := ln.extend(a, w), ls.extend(a, w)
			if worseAttempts(&x, &byN[a.To.ID]) {
				byN[a.To.ID] = x
			}
			if worseDelay(&y, &byS[a.To.ID]) {
				byS[a.To.ID] = y
			}
		}
	}
	byAttempts, byDelay := ends{worse: worseAttempts}, ends{worse: worseDelay}
	for _, v := range reach {
		ln, ls := &byN[v.ID], &byS[v.ID]
		if !ln.ok || !b.isEnd(v, ln) || !(ln.marked || ls.marked) {
			continue
		}
		if ln.marked {
			byAttempts.add(v, ln)
		}
		if ls.marked && ls.s > ln.s {
			byDelay.add(v, ls)
		}
	}
	for _, e := range byAttempts.list {
		b.chainOf(e.label, e.at, false)
	}
	for _, e := range byDelay.list {
		b.chainOf(e.label, e.at, true)
	}
	// A boundary that the worst ways to the effects pass by is an end by itself.
	for _, v := range reach {
		if len(v.Boundaries) > 0 && byS[v.ID].ok && !b.isEnd(v, &byS[v.ID]) && !b.onSomeChain(v) {
			b.chainOf(&byS[v.ID], v, true)
		}
	}
	for _, v := range reach {
		byN[v.ID], byS[v.ID] = label{}, label{}
	}
	return work + len(reach)
}

// ends collects where the ways of a sweep end. Ways that differ only in the plain calls at their ends tell the same: the way
// ends with the last call that says something, at what is retried, and not at one of the getters and formatters beneath it.
type ends struct {
	worse func(x, y *label) bool
	list  []wayEnd
	after map[*model.Arc]int // where in list the ways stand whose plain calls after an arc were left out
}

type wayEnd struct {
	at    *model.Vertex
	label *label
}

func (e *ends) add(v *model.Vertex, l *label) {
	if l.arc == nil || l.last == l.arc || l.last == nil {
		e.list = append(e.list, wayEnd{v, l})
		return
	}
	if i, ok := e.after[l.last]; ok && !e.worse(l, e.list[i].label) {
		return
	}
	for l.arc != l.last {
		l = l.from
	}
	i, ok := e.after[l.last]
	if !ok {
		if e.after == nil {
			e.after = map[*model.Arc]int{}
		}
		e.after[l.last] = len(e.list)
		e.list = append(e.list, wayEnd{l.arc.To, l})
		return
	}
	e.list[i] = wayEnd{l.arc.To, l}
}

// isEnd reports whether a way ends at v: nothing goes on from there.
func (b *builder) isEnd(v *model.Vertex, l *label) bool {
	for _, a := range v.Out {
		if !b.back[a] && (!l.blind || a.Edge.Kind == model.EdgeSame) && b.active(a) {
			return false
		}
	}
	return true
}

func (b *builder) onSomeChain(v *model.Vertex) bool {
	for _, c := range b.fresh {
		if _, ok := c.Upto(v); ok {
			return true
		}
	}
	return false
}

// reach lists what the entries reach, in topological order.
func (b *builder) reach(entries []*model.Vertex, pos []int) []*model.Vertex {
	if b.seen == nil {
		b.seen = make([]int, len(b.org.Vertices))
	}
	b.round++
	out := make([]*model.Vertex, 0, 64)
	stack := slices.Clone(entries)
	for _, e := range entries {
		b.seen[e.ID] = b.round
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		out = append(out, v)
		for _, a := range v.Out {
			if b.seen[a.To.ID] != b.round && !b.back[a] {
				b.seen[a.To.ID] = b.round
				stack = append(stack, a.To)
			}
		}
	}
	slices.SortFunc(out, func(x, y *model.Vertex) int { return pos[x.ID] - pos[y.ID] })
	return out
}

// chainOf reads a chain off the back pointers of a label.
//
// Of each effect only the worst are kept, by the sweep's own figures, so that neither memory nor the exact arithmetic has
// to bear every way there is.
func (b *builder) chainOf(l *label, effect *model.Vertex, slow bool) {
	e := b.ends[effect]
	if e == nil {
		e = &end{}
		b.ends[effect] = e
	}
	found := ranked{n: l.n, s: l.s, slow: slow, round: b.entries}
	if b.now != nil {
		found.in = []*scenario{b.now}
		// The same way in other environments: the worst is reported once, with all in which it is as bad.
		first := effect
		for at := l; at.arc != nil; at = at.from {
			first = at.arc.From
		}
		if i := slices.IndexFunc(e.list, func(r ranked) bool {
			return r.in != nil && r.slow == slow && r.round == b.entries && r.chain.Entry == first
		}); i >= 0 {
			switch have := &e.list[i]; {
			case have.n == l.n && have.s == l.s:
				have.in = append(have.in, b.now)
				b.fresh = append(b.fresh, have.chain)
				return
			case have.n > l.n || have.n == l.n && have.s > l.s:
				b.fresh = append(b.fresh, have.chain)
				return
			}
			e.list = slices.Delete(e.list, i, i+1)
		}
	}
	at := sort.Search(len(e.list), func(i int) bool { return e.list[i].n < l.n || e.list[i].n == l.n && e.list[i].s < l.s })
	// Ways that differ in nothing that tells, and in entries of one kind, are one to a reader.
	if at == perEffect || e.ways[l.way] == perWay {
		e.others++
		return
	}
	if e.ways == nil {
		e.ways = map[uint64]int{}
	}
	e.ways[l.way]++
	hops := make([]model.Hop, l.hops)
	entry := effect
	for ; l.arc != nil; l = l.from {
		hops[l.hops-1] = model.Hop{Arc: l.arc, Layers: b.layersOf(l.arc)}
		entry = l.arc.From
	}
	found.chain = &model.Chain{Entry: entry, Effect: effect, Hops: hops}
	if len(e.list) == perEffect {
		e.list = e.list[:perEffect-1]
		e.others++
	}
	e.list = slices.Insert(e.list, at, found)
	b.fresh = append(b.fresh, found.chain)
}

// kindHash is a number for a kind of node.
func kindHash(k model.NodeKind) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range []byte(k) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// end is the worst chains that end at a vertex, worst first, and how many more there were.
type end struct {
	list   []ranked
	ways   map[uint64]int // how many of each way
	others int
}

type ranked struct {
	chain *model.Chain
	n, s  float64
	slow  bool        // the longest, not the one of the most attempts
	in    []*scenario // where it is as bad; nil where nothing differs
	round int         // of the entry
}
