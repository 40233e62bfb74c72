package chain

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

// TestEnvironmentsNeverMultiply: a scheduler and a job whose counts are swapped between two overlays. Each overlay has 12
// attempts; taking the larger of each would give 16 (or all four 144).
func TestEnvironmentsNeverMultiply(t *testing.T) {
	job, work := model.N(model.SpaceWorkload, "job//pay"), model.N(model.SpaceOp, "work")
	layer := func(id string, kind model.LayerKind, in model.Name, n int64, line int, envs ...string) model.Layer {
		return model.Layer{ID: id, Kind: kind, In: in, Whole: true, At: model.Location{Repo: "r", Path: "base/job.yaml", Line: line}, Policy: model.Policy{Attempts: model.Exactly(n)}, Envs: envs}
	}
	inner := model.N(model.SpaceWorkload, "job//inner")
	f := &model.Facts{Repo: model.Repository{Name: "r"},
		Nodes: []model.Node{{Name: job, Kind: model.NodeBatch, Entry: true}, {Name: inner, Kind: model.NodeBatch}},
		Edges: []model.Edge{{From: job, To: inner, Kind: model.EdgeSchedule, At: model.Location{Repo: "r", Path: "base/job.yaml", Line: 1}},
			{From: inner, To: work, Kind: model.EdgeCall, At: model.Location{Repo: "r", Path: "base/job.yaml", Line: 2}}},
		Layers: []model.Layer{
			layer("a", model.KindJob, job, 4, 3, "overlays:prod"), layer("a@staging", model.KindJob, job, 3, 4, "overlays:staging"),
			layer("b", model.KindJob, inner, 3, 5, "overlays:prod"), layer("b@staging", model.KindJob, inner, 4, 6, "overlays:staging"),
		}}
	org := Build([]*model.Facts{f}, Options{})
	require.Len(t, org.Chains, 1)
	require.Equal(t, "12", org.Chains[0].Attempts().String())
	require.Equal(t, "overlays:prod, overlays:staging", org.Chains[0].Env)
	require.Len(t, org.Chains[0].Layers(), 2)

	// One overlay is worse: the chain is reported once, for it.
	f.Layers[3] = layer("b@staging", model.KindJob, inner, 10, 6, "overlays:staging")
	org = Build([]*model.Facts{f}, Options{})
	require.Len(t, org.Chains, 1)
	require.Equal(t, "30", org.Chains[0].Attempts().String())
	require.Equal(t, "overlays:staging", org.Chains[0].Env)

	// Charts of their own have environments of the same name: these go together.
	f.Layers[2] = layer("b", model.KindJob, inner, 5, 5, "chart:values-prod.yaml")
	f.Layers[3] = layer("b@plain", model.KindJob, inner, 2, 6, "chart:values.yaml")
	org = Build([]*model.Facts{f}, Options{})
	require.Len(t, org.Chains, 1)
	require.Equal(t, "20", org.Chains[0].Attempts().String())
	require.Equal(t, "chart:values-prod.yaml, overlays:prod", org.Chains[0].Env)
}

func TestShortNames(t *testing.T) {
	for env, want := range map[string]string{"pay:values-prod.yaml": "prod", "pay:prod-values.yaml": "prod", "pay:environments/prod/values.yaml": "prod",
		"pay:values.prod.yml": "prod", "overlays:prod": "prod", "pay:values.yaml": "values", "clusters:prod/app": "prod/app"} {
		require.Equal(t, want, shortName(env), env)
	}
}

// TestScenariosCoverEveryEnvironment: even where names say nothing, each environment of each set is judged.
func TestScenariosCoverEveryEnvironment(t *testing.T) {
	b := &builder{}
	for _, set := range []string{"x", "y"} {
		for i := range 60 {
			b.layers = append(b.layers, &owned[model.Layer]{&model.Layer{Envs: []string{set + ":" + set + string(rune('A'+i))}}, "r"})
		}
	}
	s := b.scenarios()
	require.LessOrEqual(t, len(s), 2*maxScenarios)
	for _, l := range b.layers {
		require.True(t, slices.ContainsFunc(s, func(s *scenario) bool { return s.holds("r", l.v.Envs) }), l.v.Envs)
	}
}
