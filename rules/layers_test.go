package rules

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

// way builds an organisation with one chain: each hop has the layers of one step, outermost first. Steps with a method are
// requests to another process, the others are calls.
type step struct {
	method string
	edge   model.Edge
	layers []*model.Layer
	limit  model.Limit
}

func way(steps ...step) *model.Org {
	org := &model.Org{ByLayer: map[string]*model.Layer{}}
	vertex := func(i int, kind model.NodeKind) *model.Vertex {
		v := &model.Vertex{ID: i, Name: model.N(model.SpaceFunc, "example.test/x.F"+string(rune('0'+i))), Kind: kind}
		org.Vertices = append(org.Vertices, v)
		return v
	}
	c := &model.Chain{ID: "c"}
	from := vertex(0, model.NodeFunc)
	c.Entry = from
	for i, s := range steps {
		to := vertex(i+1, model.NodeFunc)
		e := s.edge
		if s.method != "" {
			e.Kind, e.Method, e.Path = model.EdgeRequest, s.method, "/pay"
			to.Kind = model.NodeHandler
		} else if e.Kind == "" {
			e.Kind = model.EdgeCall
		}
		e.From, e.To = from.Name, to.Name
		if e.At.IsZero() {
			e.At = place("call.go", i+1)
		}
		arc := &model.Arc{From: from, To: to, Edge: &e, Layers: s.layers, Limit: s.limit}
		from.Out = append(from.Out, arc)
		to.In = append(to.In, arc)
		c.Hops = append(c.Hops, model.Hop{Arc: arc, Layers: s.layers})
		for _, l := range s.layers {
			if org.ByLayer[l.ID] == nil {
				org.ByLayer[l.ID] = l
				org.Layers = append(org.Layers, l)
			}
		}
		from = to
	}
	c.Effect = from
	org.Chains = append(org.Chains, c)
	return org
}

func place(path string, line int) model.Location { return model.Location{Path: path, Line: line} }

// loop is a loop of n attempts with waits that grow and are spread, of which every policy rule approves.
func loop(line int, n model.Count) *model.Layer {
	b := model.Exponential(time.Second, model.NewRatio(2, 1), time.Minute).WithJitter(model.Jitter{Kind: model.JitterFull})
	return &model.Layer{ID: "loop" + string(rune('0'+line%64)), Kind: model.KindLoop, At: place("loop.go", line), Origin: model.OriginExplicit,
		Policy: model.Policy{Attempts: n, Backoff: b, On: model.OnError}}
}

func with(l *model.Layer, change func(*model.Layer)) *model.Layer {
	change(l)
	return l
}

func trait(k model.TraitKind, line int, detail string) func(*model.Layer) {
	return func(l *model.Layer) {
		l.Traits = append(l.Traits, model.Trait{Kind: k, At: place("loop.go", line), Detail: detail})
	}
}

// said runs one rule and gives its findings.
func said(t *testing.T, rule string, org *model.Org) []*model.Finding {
	t.Helper()
	_, ok := Find(rule)
	require.True(t, ok, rule)
	out, _ := Run(org, Defaults(), func(r Rule) bool { return r.ID == rule })
	return out
}

// one wants exactly one finding and gives it.
func one(t *testing.T, rule string, org *model.Org) *model.Finding {
	t.Helper()
	got := said(t, rule, org)
	require.Len(t, got, 1, rule)
	return got[0]
}

func TestRulesHaveTexts(t *testing.T) {
	for _, r := range All() {
		require.Regexp(t, `^[a-z0-9]+(-[a-z0-9]+)*$`, r.ID)
		for what, text := range map[string]string{"summary": r.Summary, "why": r.Why, "fix": r.Fix, "group": r.Group, "bad": r.Bad, "good": r.Good} {
			require.NotEmpty(t, text, "%s of %s", what, r.ID)
		}
		require.NotNil(t, r.Check, r.ID)
		require.Contains(t, r.Bad, "want", r.ID)
		require.NotContains(t, r.Good, "want", r.ID)
	}
}
