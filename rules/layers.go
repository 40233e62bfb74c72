package rules

import (
	"fmt"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// view is what the rules about layers ask of an organisation again and again, indexed once for each check.
type view struct {
	org    *model.Org
	arcs   map[*model.Layer][]*model.Arc // the calls that a layer is around
	chains map[*model.Layer]*model.Chain // the worst chain through a layer
}

type viewKey struct{}

func viewOf(org *model.Org) *view {
	return org.Memo(viewKey{}, func() any { return newView(org) }).(*view)
}

func newView(org *model.Org) *view {
	v := &view{org: org, arcs: map[*model.Layer][]*model.Arc{}, chains: map[*model.Layer]*model.Chain{}}
	for _, x := range org.Vertices {
		for _, a := range x.Out {
			for _, l := range a.Layers {
				v.arcs[l] = append(v.arcs[l], a)
			}
		}
	}
	for _, c := range org.Chains {
		for _, l := range c.Layers() {
			if w := v.chains[l]; w == nil || c.Attempts().Compare(w.Attempts()) > 0 {
				v.chains[l] = c
			}
		}
	}
	return v
}

// judged lists the layers whose policy can be judged by itself: those that repeat something for their own sake. What only
// repeats work that was not sent, the next tick of a schedule, a crash loop or a poller has no policy of retries.
func (v *view) judged() []*model.Layer {
	var out []*model.Layer
	for _, l := range v.org.Layers {
		if l.Factor() && !l.Has(model.TraitWaitsForState) {
			out = append(out, l)
		}
	}
	return out
}

// mend is where a layer is mended: its setting, or else the loop, call or constructor that makes it.
func mend(l *model.Layer) model.Location {
	if l.At.IsZero() {
		return l.Call
	}
	return l.At
}

// at is the first of the places that is one.
func at(places ...model.Location) model.Location {
	for _, p := range places {
		if !p.IsZero() {
			return p
		}
	}
	return model.Location{}
}

// soft reports whether what a layer does is either read by a heuristic or of no consequence (telemetry): it is never an
// error by itself.
func soft(l *model.Layer) bool {
	return l.LowConfidence || l.Kind == model.KindTelemetry || l.Has(model.TraitBestEffort)
}

// title is a layer in words.
func title(l *model.Layer) string {
	if l.Label != "" {
		return l.Label
	}
	if w, ok := kindTitles[l.Kind]; ok {
		return w
	}
	return string(l.Kind)
}

var kindTitles = map[model.LayerKind]string{
	model.KindLoop:      "retry loop",
	model.KindLibrary:   "retry library",
	model.KindClient:    "retrying client",
	model.KindTransport: "retrying transport",
	model.KindRPC:       "RPC retry policy",
	model.KindProxy:     "proxy retries",
	model.KindMesh:      "mesh retries",
	model.KindQueue:     "redelivery",
	model.KindWorkflow:  "workflow retries",
	model.KindScheduler: "scheduler retries",
	model.KindJob:       "job retries",
	model.KindRestart:   "restarts",
	model.KindProducer:  "producer retries",
	model.KindDelivery:  "retried step",
	model.KindTelemetry: "exporter retries",
	model.KindConfig:    "retry setting",
	model.KindDeclared:  "declared layer",
}

// goLayer reports whether the layer was read in Go code.
func goLayer(l *model.Layer) bool {
	return strings.HasSuffix(l.At.Path, ".go") || strings.HasSuffix(l.Call.Path, ".go")
}

// byDefault is ", which nobody set: ..." for a layer whose number is a default, else "".
func byDefault(l *model.Layer) string {
	if l.Origin != model.OriginDefault {
		return ""
	}
	s := "the default"
	if l.DefaultBy != "" {
		s += " of " + l.DefaultBy
	}
	if l.OffSwitch != "" {
		s += "; " + l.OffSwitch + " switches it off"
	}
	return s
}

// tries says how often a layer tries, in words: "5 attempts", "attempts without end".
func tries(l *model.Layer) string {
	n := l.Policy.Total()
	if n.IsUnbounded() {
		return "attempts without end"
	}
	if n.IsUnknown() {
		return "an unknown number of attempts"
	}
	return fmt.Sprintf("%s attempts", n)
}

// describe says what a call does, in words: "POST /payouts", "SQS SendMessage", "call of pay.Charge".
func describe(e *model.Edge, to *model.Vertex) string {
	switch {
	case e == nil:
		return "call"
	case e.Method != "" && e.Path != "":
		return e.Method + " " + e.Path
	case e.Label != "" && e.Label != e.Method:
		return e.Label
	case e.Method != "" && e.To.Space == model.SpaceOp:
		return e.Method + " request"
	case e.Method != "":
		return e.Method + " request to " + named(to, e.To)
	case e.Kind == model.EdgePublish:
		return "message to " + named(to, e.To)
	}
	return "call of " + named(to, e.To)
}

// named is a node in words.
func named(v *model.Vertex, n model.Name) string {
	if v != nil {
		if v.Label != "" {
			return v.Label
		}
		if !v.Name.IsZero() {
			n = v.Name
		}
	}
	key := n.Key
	if n.Space == model.SpaceFunc || n.Space == model.SpaceOp {
		if i := strings.LastIndexByte(key, '/'); i >= 0 {
			key = key[i+1:]
		}
	}
	if n.Space == model.SpaceHandler {
		if i := strings.LastIndexByte(key, '|'); i >= 0 {
			key = key[i+1:]
		}
	}
	return key
}

// harmless reports whether repeating the call does no harm as far as is known: by its method, by what it does, or by a
// key that stays the same over the attempts of l. known is false where nothing is known of the operation.
func harmless(e *model.Edge, l *model.Layer) (ok, known bool) {
	if e == nil {
		return false, false
	}
	if e.Idempotent || e.BestEffort || l != nil && l.Has(model.TraitIdempotent) {
		return true, true
	}
	switch e.Key.How {
	case model.KeyForwarded, model.KeyDerived, model.KeyNatural, model.KeyClient, model.KeyConstant:
		return true, true
	case model.KeyMade:
		if l == nil || madeOnce(e.Key, l) {
			return true, true
		}
	}
	switch e.Method {
	case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE":
		return true, true
	case "POST", "PATCH":
		return false, true
	}
	return false, e.Effect
}

// madeOnce reports whether a key that the code makes comes into being once for all attempts of l: in the function of the
// layer, outside of what it repeats. A key that is made in a function beneath is made anew by each call.
func madeOnce(k model.Key, l *model.Layer) bool {
	return !under(k.BornUnder, l.ID) && (k.BornIn.IsZero() || k.BornIn == l.In)
}

func under(ids []string, id string) bool {
	for _, x := range ids {
		if x == id {
			return true
		}
	}
	return false
}
