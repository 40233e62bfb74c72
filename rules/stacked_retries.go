package rules

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Rule{
	ID:       "stacked-retries",
	Severity: model.Note, // rises with the product, see Check
	Group:    "chains",
	Summary:  "several layers retry the same call, so attempts multiply",
	Why: "Three layers of three attempts turn one intent into 27 calls, and they do so in the worst minute, when the far side is " +
		"slow or down. Nobody sees the product, because each layer is written in another file and half of them are defaults.",
	Fix: "Let one layer retry, preferably the one nearest to the fault, and switch the others off.",
	Bad: `
-- stock/go.mod --
module example.test/stock

require github.com/hashicorp/go-retryablehttp v0.7.8
-- stock/stock.go --
package stock

import (
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Level asks for the stock of one article: four rounds around a client that makes five attempts by default.
func Level(url string) error {
	rc := retryablehttp.NewClient()
	rc.HTTPClient.Timeout = 3 * time.Second
	var err error
	for round := 0; round < 4; round++ { // want "20 attempts"
		resp, e := rc.Get(url)
		if e == nil {
			resp.Body.Close()
			return nil
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}
`,
	Good: `
-- stock/go.mod --
module example.test/stock

require github.com/hashicorp/go-retryablehttp v0.7.8
-- stock/stock.go --
package stock

import (
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Level asks for the stock of one article; the client's own retries are enough.
func Level(url string) error {
	rc := retryablehttp.NewClient()
	rc.HTTPClient.Timeout = 3 * time.Second
	resp, err := rc.Get(url)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
`,
	GoAlone: true,
	Check:   checkStacked,
})

// maxWays is how many types a call between two layers may mean for their product to be said at all; of more types, one in
// usualShare must retry.
const (
	maxWays    = 3
	usualShare = 4
)

// stack is the layers of one chain that one and the same failure makes repeat.
type stack struct {
	chain   *model.Chain
	factors []*model.Layer // outermost first
	effect  model.Hop      // the last hop of the chain
	total   model.Count    // product of the factors
	sure    model.Count    // the same without layers that are read by a heuristic, or best effort
	// ended: a context whose time limit is not known, or a deadline, ends what has no count.
	ended bool
	// ways is how many types a call between the first and the last layer may mean, where it is one of an interface: 1 where
	// that is sure.
	ways int
}

func checkStacked(p *Pass) {
	worst := map[model.Location]*stack{}
	others := map[model.Location]int{}
	var places []model.Location
	open := map[model.Location]string{}
	var stacks []*stack
	inner := map[model.Location]map[*model.Layer]bool{} // the last layers of what begins at a place
	for _, c := range p.Org.Chains {
		s := stackOf(c)
		if len(s.factors) < 2 {
			continue
		}
		stacks = append(stacks, s)
		at := s.place()
		if inner[at] == nil {
			inner[at] = map[*model.Layer]bool{}
		}
		inner[at][s.factors[len(s.factors)-1]] = true
	}
	for _, s := range stacks {
		known := 0
		for _, l := range s.factors {
			if l.Policy.Total().Retrying() {
				known++
			}
		}
		at := s.place()
		if s.ways > maxWays && usualShare*len(inner[at]) < s.ways {
			open[at] = fmt.Sprintf("%d layers may be on the way to %s: a call between them means one of %d types", len(s.factors), s.one(), s.ways)
			continue
		}
		if known < 2 {
			open[at] = fmt.Sprintf("%d layers are on the way to %s, but how many attempts they make is not known", len(s.factors), s.one())
			continue
		}
		old := worst[at]
		if old == nil {
			places = append(places, at)
		}
		others[at] += 1 + s.chain.Others
		if old == nil || s.total.Compare(old.total) > 0 {
			worst[at] = s
		}
	}
	for _, at := range places {
		reportStack(p, at, worst[at], others[at]-1)
	}
	var rest []model.Location
	for at := range open {
		if worst[at] == nil {
			rest = append(rest, at)
		}
	}
	sort.Slice(rest, func(i, j int) bool { return rest[i].Compare(rest[j]) < 0 })
	for _, at := range rest {
		p.Undecided(at, open[at])
	}
}

// stackOf finds the largest set of layers on the way that repeat the same failure. Within one process a failure stays what
// it is; where a request reaches another process, whoever answers makes a new failure out of it, which every layer above
// may repeat or not by itself.
func stackOf(c *model.Chain) *stack {
	s := &stack{chain: c, total: model.Exactly(1), sure: model.Exactly(1), ways: 1}
	var segment []*model.Layer
	seen := map[*model.Layer]bool{}
	ended := map[*model.Layer]bool{}
	deadline := model.Limit{}
	flush := func() {
		s.factors = append(s.factors, shared(segment)...)
		segment = nil
	}
	for _, h := range c.Hops {
		e := h.Arc.Edge
		if e != nil && e.Deadline.Known() {
			deadline = deadline.Min(e.Deadline)
		}
		if e != nil && len(e.Ends) > 0 {
			segment = slices.DeleteFunc(segment, func(l *model.Layer) bool { return slices.Contains(e.Ends, l.ID) })
		}
		if e != nil && e.Quiet {
			segment = nil // nobody above learns of what fails beneath
		}
		for _, l := range onlyOne(h.Layers) {
			if !l.Factor() || seen[l] {
				continue
			}
			seen[l] = true
			if e != nil && slices.Contains(e.Ends, l.ID) {
				continue // it repeats the call for another's sake: this failure leaves it
			}
			ended[l] = deadline.Known() || l.Has(model.TraitDeadline) || l.Has(model.TraitStopsOnContext)
			segment = append(segment, l)
		}
		if !h.Arc.InProcess() {
			flush()
			deadline = model.Limit{}
		}
	}
	flush()
	s.ways = s.waysBetween()
	if n := len(c.Hops); n > 0 {
		s.effect = c.Hops[n-1]
		// A way that ends in a handler's own functions is named by the request that leads there.
		for i := n - 1; i >= 0 && insideHandler(c.Hops[i].Arc); i-- {
			if i > 0 && !insideHandler(c.Hops[i-1].Arc) && c.Hops[i-1].Arc.Edge.Kind == model.EdgeRequest {
				s.effect = c.Hops[i-1]
			}
		}
	}
	s.ended = true
	for _, l := range s.factors {
		n := l.Policy.Total()
		s.total = s.total.Times(n)
		if !soft(l) {
			s.sure = s.sure.Times(n)
		}
		if n.IsUnbounded() && !ended[l] {
			s.ended = false
		}
	}
	return s
}

// waysBetween is how many types the calls of interfaces between the first and the last factor may mean.
func (s *stack) waysBetween() int {
	if len(s.factors) < 2 {
		return 1
	}
	most, first, last := 1, s.factors[0], s.factors[len(s.factors)-1]
	seen := false
	for _, h := range s.chain.Hops {
		// What stands on the hop of the last layer is repeated by it, whichever type that is.
		if has(h.Layers, last) && (seen || has(h.Layers, first)) {
			break
		}
		seen = seen || has(h.Layers, first)
		if e := h.Arc.Edge; seen && e != nil && e.Kind == model.EdgeCall {
			most = max(most, len(e.Alternatives))
		}
	}
	return most
}

// onlyOne leaves of several definitions of the same thing, as two files or two environments may hold them, the worst: what
// is all that one thing does can be repeated by one policy of a kind only.
func onlyOne(layers []*model.Layer) []*model.Layer {
	var out []*model.Layer
	for _, l := range layers {
		same := -1
		for i, x := range out {
			if l.Whole && x.Whole && l.Kind == x.Kind && l.In == x.In && policyName(l) == policyName(x) {
				same = i
			}
		}
		switch {
		case same < 0:
			out = append(out, l)
		case l.Policy.Total().Compare(out[same].Policy.Total()) > 0:
			out[same] = l
		}
	}
	return out
}

// policyName is what sort of policy a layer is, without what a format adds about its place ("(template default)").
func policyName(l *model.Layer) string {
	name, _, _ := strings.Cut(l.Label, " (")
	name, _, _ = strings.Cut(name, ".") // "Dapr pubsub.redis"
	return name
}

// failures are the single kinds of failure; what layers call "any error", "failed process" or "no acknowledgement" is one
// of these seen from further away.
var failures = []model.Conditions{model.OnConnect, model.OnReset, model.OnTimeout, model.On500, model.OnGateway, model.On429,
	model.On4xx, model.OnConflict, model.OnUnavailable, model.OnRPCOther, model.OnCancel}

// shared is the subset of the layers with the largest product of which all repeat one kind of failure.
func shared(layers []*model.Layer) []*model.Layer {
	if len(layers) < 2 {
		return layers
	}
	var best []*model.Layer
	product := model.Count{}
	for _, failure := range failures {
		var set []*model.Layer
		n := model.Exactly(1)
		for _, l := range layers {
			if l.Policy.On.Shares(failure) {
				set = append(set, l)
				n = n.Times(l.Policy.Total())
			}
		}
		if d := n.Compare(product); best == nil || d > 0 || d == 0 && len(set) > len(best) {
			best, product = set, n
		}
	}
	return best
}

// place is where the mend is made: the outermost layer that somebody wrote down.
func (s *stack) place() model.Location {
	for _, l := range s.factors {
		if l.Origin != model.OriginDefault && l.Origin != model.OriginDeclared && l.Kind != model.KindDeclared {
			return mend(l)
		}
	}
	return mend(s.factors[0])
}

// one is what the attempts are made for.
func (s *stack) one() string {
	if s.effect.Arc == nil {
		return "call"
	}
	if !s.effect.Arc.InProcess() || s.effect.Arc.To.Name.Space != model.SpaceFunc {
		return describe(s.effect.Arc.Edge, s.effect.Arc.To)
	}
	// The way ends within the process: what the innermost layer repeats says more than where it ends.
	inner := s.factors[len(s.factors)-1]
	for _, h := range s.chain.Hops {
		if has(h.Layers, inner) {
			return describe(h.Arc.Edge, h.Arc.To)
		}
	}
	return describe(s.effect.Arc.Edge, s.effect.Arc.To)
}

// insideHandler reports whether a call stays among the functions of one program: it says nothing to people.
func insideHandler(a *model.Arc) bool {
	return a.Edge != nil && a.Edge.Kind == model.EdgeCall && a.To.Kind == model.NodeFunc
}

func reportStack(p *Pass, at model.Location, s *stack, others int) {
	var terms, defaults []string
	for _, l := range s.factors {
		note := ""
		if l.Origin == model.OriginDefault {
			note = ", default"
			text := fmt.Sprintf("%s of %s is %s", l.Policy.Total(), title(l), byDefault(l))
			defaults = append(defaults, text)
		}
		terms = append(terms, fmt.Sprintf("%s (%s%s)", l.Policy.Total(), mend(l), note))
	}
	number := s.total.String()
	if s.total.IsUnknown() {
		number = fmt.Sprintf("at least %d", s.total.Min())
	}
	msg := fmt.Sprintf("%s attempts for one %s: %s", number, s.one(), strings.Join(terms, " x "))
	if from, to := s.ends(); from != "" && to != "" {
		msg += fmt.Sprintf(", from %s to %s", from, to)
	}
	if len(defaults) > 0 {
		msg += "; " + strings.Join(defaults, "; ")
	}
	if others == 1 {
		msg += "; 1 more chain has layers on top of each other here"
	} else if others > 1 {
		msg += fmt.Sprintf("; %d more chains have layers on top of each other here", others)
	}
	f := p.Report(at, s.chain, "%s", msg)
	f.Severity = s.severity(p.Settings)
	for _, l := range s.factors {
		f.Related = append(f.Related, model.Related{At: mend(l), Message: fmt.Sprintf("%s: %s", title(l), tries(l))})
	}
}

// severity rises with the product. What is read by a heuristic, or only sends telemetry, never makes an error, and
// neither does a layer without a count that a context may end, nor a way on which a call may lead elsewhere.
func (s *stack) severity(set Settings) model.Severity {
	top := model.Error
	if s.effect.Arc != nil && s.effect.Arc.Edge != nil && s.effect.Arc.Edge.BestEffort {
		top = model.Warning
	}
	rank := func(n model.Count) model.Severity {
		hi, ok := n.Max()
		switch {
		case n.IsUnbounded() && !s.ended:
			return model.Error
		case n.IsUnbounded():
			return model.Warning
		case !ok:
			hi = n.Min()
		}
		switch {
		case hi >= set.Error:
			return model.Error
		case hi >= set.Warning:
			return model.Warning
		}
		return model.Note
	}
	got := rank(s.total)
	if rank(s.sure) < model.Error || s.ways > 1 {
		top = model.Warning
	}
	return min(got, top)
}

// ends names the two ends of the chain.
func (s *stack) ends() (from, to string) {
	c := s.chain
	if c.Entry != nil {
		from = named(c.Entry, c.Entry.Name)
	}
	if a := s.effect.Arc; a != nil && a.To != c.Effect && a.To.Repo != "" {
		to = a.To.Repo
	} else if c.Effect != nil {
		to = named(c.Effect, c.Effect.Name)
	}
	return from, to
}
