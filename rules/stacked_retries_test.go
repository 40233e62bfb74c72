package rules

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

func TestStackedSeverityRisesWithTheProduct(t *testing.T) {
	for _, c := range []struct {
		a, b model.Count
		want model.Severity
	}{
		{model.Exactly(3), model.Exactly(5), model.Note},
		{model.Exactly(4), model.Exactly(4), model.Warning},
		{model.Exactly(8), model.Exactly(8), model.Error},
		{model.Between(1, 8), model.Exactly(8), model.Error}, // the worst case counts
		{model.Unbounded(), model.Exactly(2), model.Error},
	} {
		f := one(t, "stacked-retries", way(step{layers: []*model.Layer{loop(10, c.a)}}, step{method: "POST", layers: []*model.Layer{loop(20, c.b)}}))
		require.Equal(t, c.want, f.Severity, "%s x %s", c.a, c.b)
		require.Equal(t, 10, f.At.Line)
		require.Len(t, f.Related, 2)
	}
}

func TestStackedMessageNamesFactorsAndDefaults(t *testing.T) {
	mesh := loop(2, model.Exactly(3))
	mesh.Kind, mesh.At, mesh.Origin = model.KindMesh, place("mesh.yaml", 8), model.OriginDefault
	mesh.DefaultBy, mesh.OffSwitch = "Istio", "retries.attempts: 0"
	f := one(t, "stacked-retries", way(step{method: "POST", layers: []*model.Layer{loop(10, model.Exactly(3)), mesh}}, step{layers: []*model.Layer{loop(31, model.Exactly(3))}}))
	require.Contains(t, f.Message, "27 attempts for one POST /pay: 3 (loop.go:10) x 3 (mesh.yaml:8, default) x 3 (loop.go:31), from x.F0 to x.F2")
	require.Contains(t, f.Message, "retries.attempts: 0 switches it off")
}

func TestStackedStandsAtTheOutermostWrittenLayer(t *testing.T) {
	def := loop(10, model.Exactly(5))
	def.Origin = model.OriginDefault
	f := one(t, "stacked-retries", way(step{layers: []*model.Layer{def}}, step{method: "GET", layers: []*model.Layer{loop(20, model.Exactly(4))}}))
	require.Equal(t, 20, f.At.Line)
}

func TestStackedOnlyWhereOneFailureMakesBothRepeat(t *testing.T) {
	on := func(line int, n int64, c model.Conditions) *model.Layer {
		return with(loop(line, model.Exactly(n)), func(l *model.Layer) { l.Policy.On = c })
	}
	// In one process: infrastructure inside, conflicts outside; they never multiply.
	require.Empty(t, said(t, "stacked-retries", way(step{layers: []*model.Layer{on(10, 9, model.OnConflict)}}, step{method: "POST", layers: []*model.Layer{on(20, 9, model.OnConnect|model.OnReset)}})))
	// Unknown conditions count as shared.
	require.Len(t, said(t, "stacked-retries", way(step{layers: []*model.Layer{on(10, 9, model.OnConflict)}}, step{method: "POST", layers: []*model.Layer{on(20, 9, 0)}})), 1)
	// Another process answers with a failure of its own.
	require.Len(t, said(t, "stacked-retries", way(step{method: "GET", layers: []*model.Layer{on(10, 9, model.OnGateway)}}, step{method: "POST", layers: []*model.Layer{on(20, 9, model.OnReset)}})), 1)
	// Of three, the two that share.
	f := one(t, "stacked-retries", way(step{layers: []*model.Layer{on(10, 9, model.OnConflict), on(11, 4, model.On500)}}, step{method: "POST", layers: []*model.Layer{on(20, 3, model.On500)}}))
	require.Contains(t, f.Message, "12 attempts")
}

func TestStackedLeavesOutWhatNeverMultiplies(t *testing.T) {
	off := loop(20, model.Exactly(1))
	unsent := with(loop(21, model.Exactly(3)), func(l *model.Layer) { l.Policy.On = model.OnConnect })
	tick := with(loop(22, model.Unbounded()), trait(model.TraitOuterLoop, 22, ""))
	org := way(step{layers: []*model.Layer{tick, loop(10, model.Exactly(4))}}, step{method: "GET", layers: []*model.Layer{off, unsent}})
	require.Empty(t, said(t, "stacked-retries", org))
}

func TestStackedUnknownIsNoPassAndNoAlarm(t *testing.T) {
	org := way(step{layers: []*model.Layer{loop(10, model.Count{})}}, step{method: "GET", layers: []*model.Layer{loop(20, model.Exactly(80))}})
	out, und := Run(org, Defaults(), func(r Rule) bool { return r.ID == "stacked-retries" })
	require.Empty(t, out)
	require.Len(t, und, 1)
	// What is known alone is over the mark.
	org = way(step{layers: []*model.Layer{loop(10, model.Count{}), loop(11, model.Exactly(8))}}, step{method: "GET", layers: []*model.Layer{loop(20, model.Exactly(8))}})
	f := one(t, "stacked-retries", org)
	require.Equal(t, model.Error, f.Severity)
	require.Contains(t, f.Message, "at least 64 attempts")
}

func TestStackedSoftLayersNeverMakeAnError(t *testing.T) {
	guess := with(loop(20, model.Exactly(10)), func(l *model.Layer) { l.LowConfidence = true })
	f := one(t, "stacked-retries", way(step{layers: []*model.Layer{loop(10, model.Exactly(10))}}, step{method: "POST", layers: []*model.Layer{guess}}))
	require.Equal(t, model.Warning, f.Severity)
	f = one(t, "stacked-retries", way(step{layers: []*model.Layer{loop(10, model.Exactly(10))}},
		step{method: "POST", edge: model.Edge{BestEffort: true}, layers: []*model.Layer{loop(20, model.Exactly(10))}}))
	require.Equal(t, model.Warning, f.Severity)
}

func TestStackedOneFindingForEachPlace(t *testing.T) {
	outer := loop(10, model.Exactly(4))
	org := way(step{layers: []*model.Layer{outer}}, step{method: "GET", layers: []*model.Layer{loop(20, model.Exactly(3))}})
	more := way(step{layers: []*model.Layer{outer}}, step{method: "PUT", layers: []*model.Layer{loop(30, model.Exactly(5))}})
	org.Chains = append(org.Chains, more.Chains...)
	f := one(t, "stacked-retries", org)
	require.Contains(t, f.Message, "20 attempts for one PUT /pay")
	require.Contains(t, f.Message, "1 more chain")
}

func TestStackedTwoDefinitionsOfOneThingAreAlternatives(t *testing.T) {
	step := func(line int, n int64) *model.Layer {
		return with(loop(line, model.Exactly(n)), func(l *model.Layer) {
			l.Kind, l.Whole, l.In = model.KindWorkflow, true, model.N(model.SpaceStep, "nightly#pay")
		})
	}
	require.Empty(t, said(t, "stacked-retries", way(step2(step(10, 3), step(11, 9)))))
}

func step2(layers ...*model.Layer) step { return step{layers: layers} }

func TestStackedLeavesOutWhatAFailureLeaves(t *testing.T) {
	outer, inner := loop(10, model.Exactly(8)), loop(20, model.Exactly(8))
	org := func(edge model.Edge) *model.Org {
		return way(step{layers: []*model.Layer{outer}}, step{edge: edge}, step{method: "POST", layers: []*model.Layer{inner}})
	}
	require.Len(t, said(t, "stacked-retries", org(model.Edge{})), 1)
	require.Empty(t, said(t, "stacked-retries", org(model.Edge{Ends: []string{outer.ID}})))
	require.Empty(t, said(t, "stacked-retries", org(model.Edge{Quiet: true})))
	// A call between them that means one of several types: no error.
	require.Equal(t, model.Error, one(t, "stacked-retries", org(model.Edge{})).Severity)
	types := func(n int) model.Edge {
		return model.Edge{Kind: model.EdgeCall, Alternatives: make([]model.Name, n)}
	}
	require.Equal(t, model.Warning, one(t, "stacked-retries", org(types(2))).Severity)
}
