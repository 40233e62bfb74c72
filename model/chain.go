package model

import (
	"slices"
	"strings"
)

// ClockKind says from where the delay of a replay path is counted.
type ClockKind uint8

// The clocks of section 6.5.
const (
	FirstAttempt   ClockKind = iota // from the first attempt
	AfterAutomatic                  // from the end of the automatic path
)

// PathKind is the kind of a way by which a duplicate can come.
type PathKind string

// The kinds of the JSON; a declared path has its own name.
const (
	PathAutomatic     PathKind = "automatic"
	PathDeadLetter    PathKind = "dead-letter"
	PathOperatorRerun PathKind = "operator-rerun"
	PathRestore       PathKind = "restore"
	PathSender        PathKind = "sender"
)

// ReplayPath is one way by which a duplicate can come after, or beside, the automatic retries.
type ReplayPath struct {
	Kind          PathKind
	Delay         Limit // h of section 6.5
	Clock         ClockKind
	ThenAutomatic bool
	Origin        string // in words: "default: a weekend", "message_retention_seconds = 1209600", "config: replay.operatorRerun"
	At            Location
	// Databases are the services whose database a restore brings back as well, and with it what they remember.
	Databases []string
}

// Arrival is when the last duplicate of the path arrives, counted from the first attempt, where the automatic path takes d.
func (p ReplayPath) Arrival(d Limit) Limit {
	a := p.Delay
	if p.Clock == AfterAutomatic {
		a = a.Plus(d)
	}
	if p.ThenAutomatic {
		a = a.Plus(d)
	}
	return a
}

// Hop is one step of a chain: an edge of the graph with the layers around it, outermost first.
type Hop struct {
	Arc    *Arc
	Layers []*Layer
}

// Run is a chain of nested layers in pure numbers, innermost first: what the calculator, the rules and the reports share.
type Run struct {
	Attempt Limit    // P(0): the longest duration of one innermost attempt
	Layers  []Policy // innermost first
	// Caps[i] bounds one run of everything inside layer i in addition to Layers[i].PerAttempt (a client timeout on the
	// edge); nil means none.
	Caps []Limit
}

// Attempts is the product of the layers (section 6.4).
func (r Run) Attempts() Count {
	n := Exactly(1)
	for _, p := range r.Layers {
		n = n.Times(p.Total())
	}
	return n
}

// Delay is P(k): the time from the start of the first attempt to the end of the last one, inside out (section 6.3).
func (r Run) Delay() Limit {
	d := r.Attempt
	for i, p := range r.Layers {
		if i < len(r.Caps) && r.Caps[i].Known() {
			d = d.Min(r.Caps[i])
		}
		d = p.Path(d)
	}
	return d
}

// Gap is the longest time between two consecutive attempts that reach the innermost: the longest wait of any layer, after an attempt.
func (r Run) Gap() Limit {
	longest := For(0)
	for _, p := range r.Layers {
		g := p.Backoff.Longest(p.Total())
		if p.Gap != StartToStart {
			g = g.Plus(r.Attempt)
		}
		longest = longest.Max(g)
	}
	return longest
}

// Meeting is one or more runs that reach the same boundary with the same key, and the ways by which they are replayed.
type Meeting struct {
	Runs  []Run
	Paths []ReplayPath
}

// Attempts of chains that carry the same key add.
func (m Meeting) Attempts() Count {
	n := Exactly(0)
	for _, r := range m.Runs {
		n = n.Plus(r.Attempts())
	}
	return n
}

// Automatic is the longest automatic path.
func (m Meeting) Automatic() Limit {
	d := For(0)
	for _, r := range m.Runs {
		d = d.Max(r.Delay())
	}
	return d
}

// Longest is the longest path and its arrival; on a tie the first in the order automatic, then the order of Paths.
func (m Meeting) Longest() (ReplayPath, Limit) {
	d := m.Automatic()
	return Automatic{Waits: d, Worst: d}.Longest(m.Paths)
}

// Automatic is the length of the automatic path: the waits alone, and with the longest duration of each innermost attempt
// (unknown where an attempt has no time limit).
type Automatic struct{ Waits, Worst Limit }

// Path is the automatic path as it counts: the worst case, or else the waits, which are then a lower bound.
func (a Automatic) Path() (d Limit, lowerBound bool) {
	if a.Worst.IsUnknown() {
		return a.Waits, true
	}
	return a.Worst, false
}

// Longest is the longest path. Replays that follow the automatic path are counted from the end of its waits, as in the
// worked example.
func (a Automatic) Longest(paths []ReplayPath) (ReplayPath, Limit) {
	when, _ := a.Path()
	best := ReplayPath{Kind: PathAutomatic, Delay: when, Origin: "the retries themselves"}
	for _, p := range paths {
		if t := p.Arrival(a.Waits); t.Compare(when) > 0 {
			best, when = p, t
		}
	}
	return best, when
}

// VerdictKind is whether a window covers the longest path.
type VerdictKind string

// The verdicts of the JSON.
const (
	Covered        VerdictKind = "covered"
	Margin         VerdictKind = "margin" // longer than the longest path, below the required window
	Short          VerdictKind = "short"  // not longer than the longest path
	VerdictUnknown VerdictKind = "unknown"
)

// Judged is a verdict with its figures.
type Judged struct {
	Verdict   VerdictKind
	Window    Window
	Path      ReplayPath
	Longest   Limit // when the last duplicate of Path arrives
	Required  Limit
	Shortfall Limit // Required less the window; zero where covered
	// ByAutomatic: the automatic retries alone outlast the window.
	ByAutomatic bool
	// Gap: each duplicate renews the window, so Longest is the longest time between two of them and not that of the whole path.
	Gap bool
	// Restored: the restore brings the memory itself back to an older state, so nothing of it covers that path.
	Restored bool
	// StrictDiffers: in the strict reading, in which a replay runs the automatic path once more, the verdict would be worse.
	StrictDiffers bool
}

// Judge holds a guaranteed window against the paths (section 6.6). Where the automatic path is only a lower bound, a
// window may be judged short by it, never covered.
func Judge(w Window, a Automatic, paths []ReplayPath, factor Ratio) Judged {
	j := judge(w, a, paths, factor)
	if j.Verdict != Covered {
		return j
	}
	// Counted from the end of the worst case the same replay may come later than the waits say.
	if !a.Worst.IsUnknown() {
		if k := judge(w, Automatic{a.Worst, a.Worst}, paths, factor); k.Verdict != Covered {
			return k
		}
	}
	strict := slices.Clone(paths)
	for i := range strict {
		strict[i].ThenAutomatic = true
	}
	k := judge(w, a, strict, factor)
	j.StrictDiffers = k.Verdict == Short || k.Verdict == Margin
	return j
}

func judge(w Window, a Automatic, paths []ReplayPath, factor Ratio) Judged {
	p, when := a.Longest(paths)
	automatic, lowerBound := a.Path()
	j := Judged{Window: w, Path: p, Longest: when, Required: when.Scale(factor), Verdict: VerdictUnknown}
	if w.IsPermanent() {
		j.Verdict, j.Shortfall = Covered, For(0)
		return j
	}
	d, ok := w.Duration()
	if !ok {
		return j
	}
	if automatic.IsUnknown() {
		// A human path that is longer than the window decides even where the automatic path is not known.
		q, known := Automatic{For(0), For(0)}.Longest(paths)
		if h, _ := known.Duration(); known.IsNone() || d <= h && q.Kind != PathAutomatic {
			p, when = q, known
			j.Path, j.Longest, j.Required = p, known, known.Scale(factor)
		} else {
			return j
		}
	}
	if when.IsNone() || j.Required.IsNone() {
		j.Verdict, j.Shortfall = Short, NoLimit()
		j.ByAutomatic = automatic.IsNone()
		return j
	}
	h, _ := when.Duration()
	req, _ := j.Required.Duration()
	if t, ok := automatic.Duration(); ok && d <= t {
		j.ByAutomatic = true
	}
	j.Shortfall = For(req - d)
	switch {
	case d <= h:
		j.Verdict = Short
	case d < req:
		j.Verdict = Margin
	case lowerBound && p.Kind == PathAutomatic && automatic != For(0):
		// The true path is longer than the waits by durations that nothing bounds.
		j.Verdict, j.Shortfall = VerdictUnknown, Limit{}
	default:
		j.Verdict, j.Shortfall = Covered, For(0)
	}
	return j
}

// Chain is the way of one intent from an entry to an effect, with its nested layers.
type Chain struct {
	ID     string
	Entry  *Vertex
	Effect *Vertex
	Hops   []Hop
	Paths  []ReplayPath // of the entry and of what lies on the way; without the automatic one
	Env    string
	// Others is how many more chains are as bad at the same places; they are not listed.
	Others int

	figures *figures // what the hops amount to, worked out once; the hops do not change after that
}

type figures struct {
	attempts     Count
	waits, worst Limit
}

// worked is the chain's figures. Everybody asks for them, again and again.
func (c *Chain) worked() *figures {
	if c.figures == nil {
		r := runOf(c.Hops, false)
		c.figures = &figures{attempts: r.Attempts(), waits: r.Delay(), worst: runOf(c.Hops, true).Delay()}
	}
	return c.figures
}

// Layers lists the layers on the way, outermost first.
func (c *Chain) Layers() []*Layer {
	var out []*Layer
	for _, h := range c.Hops {
		out = append(out, h.Layers...)
	}
	return out
}

// Factors lists the layers that multiply, outermost first.
func (c *Chain) Factors() []*Layer {
	return slices.DeleteFunc(c.Layers(), func(l *Layer) bool { return !l.Factor() })
}

// Run is the chain in numbers. withDurations takes the innermost time limit as P(0) (automaticWorstCase); otherwise
// P(0) is 0 (automaticDelay).
func (c *Chain) Run(withDurations bool) Run { return runOf(c.Hops, withDurations) }

func runOf(hops []Hop, withDurations bool) Run {
	r := Run{Attempt: For(0)}
	if withDurations {
		r.Attempt = Limit{}
	}
	pending := Limit{}
	for i := len(hops) - 1; i >= 0; i-- {
		e := hops[i].Arc.Edge
		limit := Limit{}
		after := Limit{} // around the client's own attempts: the deadline of the context that it is handed
		if e != nil {
			limit = limit.Min(e.Timeout)
			if n := len(hops[i].Layers); n > 0 && hops[i].Layers[n-1].Kind == KindClient {
				after = e.Deadline
			} else {
				limit = limit.Min(e.Deadline)
			}
		}
		if hops[i].Arc.Limit.Known() {
			limit = limit.Min(hops[i].Arc.Limit)
		}
		if limit.Known() {
			pending = pending.Min(limit)
			if withDurations && len(r.Layers) == 0 {
				r.Attempt = r.Attempt.Min(limit)
			}
		}
		if withDurations && len(r.Layers) == 0 && after.Known() {
			r.Attempt = r.Attempt.Min(after)
		}
		for j := len(hops[i].Layers) - 1; j >= 0; j-- {
			l := hops[i].Layers[j]
			if l.Kind != KindClient && after.Known() {
				pending, after = pending.Min(after), Limit{}
			}
			if !l.Factor() && !l.Policy.Attempts.One() {
				continue // shown, never a factor
			}
			if withDurations && len(r.Layers) == 0 && l.Policy.PerAttempt.Known() {
				r.Attempt = r.Attempt.Min(l.Policy.PerAttempt)
			}
			r.Layers = append(r.Layers, l.Policy)
			r.Caps = append(r.Caps, pending)
			pending = Limit{}
		}
		if after.Known() {
			pending = pending.Min(after)
		}
	}
	return r
}

// Attempts is the product of the factors on the way.
func (c *Chain) Attempts() Count { return c.worked().attempts }

// AutomaticDelay is the waits alone, inside out.
func (c *Chain) AutomaticDelay() Limit { return c.worked().waits }

// WorstCase is the same with the innermost time limit as the duration of an attempt; unknown where there is none.
func (c *Chain) WorstCase() Limit { return c.worked().worst }

// Automatic is the length of the automatic path of the whole chain.
func (c *Chain) Automatic() Automatic {
	return Automatic{Waits: c.worked().waits, Worst: c.worked().worst}
}

func automaticOf(hops []Hop) Automatic {
	return Automatic{Waits: runOf(hops, false).Delay(), Worst: runOf(hops, true).Delay()}
}

// Longest is the longest path and when its last duplicate arrives.
func (c *Chain) Longest() (ReplayPath, Limit) { return c.Automatic().Longest(c.Paths) }

// Required is the longest path times the safety factor.
func (c *Chain) Required(factor Ratio) Limit {
	_, when := c.Longest()
	return when.Scale(factor)
}

// Upto is the hops above v: those on the way from the entry to it; nil where v is not on the way.
func (c *Chain) Upto(v *Vertex) (hops []Hop, ok bool) {
	if c.Entry == v {
		return nil, true
	}
	for i, h := range c.Hops {
		if h.Arc.To == v {
			return c.Hops[:i+1], true
		}
	}
	return nil, false
}

// Below is the hops beneath v.
func (c *Chain) Below(v *Vertex) []Hop {
	up, ok := c.Upto(v)
	if !ok {
		return nil
	}
	return c.Hops[len(up):]
}

// Vertices lists the nodes on the way, entry first.
func (c *Chain) Vertices() []*Vertex {
	out := []*Vertex{c.Entry}
	for _, h := range c.Hops {
		out = append(out, h.Arc.To)
	}
	return out
}

// Verdict judges a boundary that stands at v, by what lies above it.
func (c *Chain) Verdict(b *Boundary, v *Vertex, factor Ratio) Judged {
	hops, ok := c.Upto(v)
	if !ok {
		return Judged{Verdict: VerdictUnknown}
	}
	if b.Order == OrderPublish || b.Store == StoreProvider {
		hops = c.Hops // the boundary is the call's far end: every layer on the way is above it
	}
	if b.Has(TraitSliding) {
		return judgeSliding(b, hops, c.Paths, factor)
	}
	j := Judge(b.Guaranteed(), automaticOf(hops), c.Paths, factor)
	if j.Verdict != Short {
		for _, p := range c.Paths {
			if p.Kind == PathRestore && p.Delay != For(0) && c.restoredToo(b, v, p) {
				when := p.Arrival(automaticOf(hops).Waits)
				return Judged{Verdict: Short, Window: WindowFor(0), Path: p, Longest: when, Required: when.Scale(factor), Shortfall: when.Scale(factor), Restored: true}
			}
		}
	}
	return j
}

// judgeSliding judges a memory that each duplicate renews (section 6.7): what counts is the longest time between two consecutive
// arrivals of the key. A replay may follow the first attempt alone, so its whole delay counts.
func judgeSliding(b *Boundary, hops []Hop, paths []ReplayPath, factor Ratio) Judged {
	gaps := Automatic{Waits: runOf(hops, false).Gap(), Worst: runOf(hops, true).Gap()}
	alone := slices.Clone(paths)
	for i := range alone {
		alone[i].Clock, alone[i].ThenAutomatic = FirstAttempt, false
	}
	j := judge(b.Guaranteed(), gaps, alone, factor)
	j.Gap = true
	return j
}

// restoredToo reports whether a restore takes a boundary's own records away while an effect beneath it stays done: its table lies in
// a database that is restored, and the effect outside of it.
func (c *Chain) restoredToo(b *Boundary, v *Vertex, p ReplayPath) bool {
	if !strings.HasPrefix(b.Kind, "sql") || b.Store != StoreDurable {
		return false
	}
	named := slices.ContainsFunc(p.Databases, func(s string) bool {
		return strings.EqualFold(s, b.Service) || strings.EqualFold(s, b.At.Repo)
	})
	if !named && !(p.Databases == nil && c.queueInDatabase(v)) {
		return false
	}
	return slices.ContainsFunc(c.Below(v), func(h Hop) bool {
		return h.Arc.Edge != nil && (h.Arc.Edge.Kind == EdgeRequest || h.Arc.Edge.Kind == EdgePublish)
	})
}

// queueInDatabase reports whether the work comes out of a queue that lies in a SQL database of the same repository, as River's does.
func (c *Chain) queueInDatabase(v *Vertex) bool {
	for _, w := range c.Vertices() {
		if w.Name.Space == SpaceQueue && strings.HasPrefix(w.Name.Key, "river:") {
			return true
		}
		if w == v {
			break
		}
	}
	return false
}
