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
		"pay:values.prod.yml": "prod", "overlays:prod": "prod", "pay:values.yaml": "values", "clusters:prod/app": "prod/app",
		"charts/pay:deploy/prod/values-pay.yaml": "prod", "charts/pay:argocd/pay-dev.yaml": "dev", "infra:envs/prod.tfvars": "prod", "infra:prod/terraform.tfvars": "prod", "modules/queue:live/prod/*.tf": "prod"} {
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

// TestSettingsOfEnvironments: a loop that asks an environment variable how often, which overlays of another repository set.
// Each overlay has its own chain; the worst is reported once, and no range stands for several.
func TestSettingsOfEnvironments(t *testing.T) {
	send, env, pay := model.N(model.SpaceFunc, "pay.send"), model.N(model.SpaceEnv, "MAX"), model.N(model.SpaceWorkload, "deployment//pay")
	set := func(env, value string, line int) model.Setting {
		return model.Setting{Name: model.N(model.SpaceEnv, "MAX"), Value: value, For: pay, Env: env, At: model.Location{Repo: "deploy", Path: "overlays.yaml", Line: line}}
	}
	code := &model.Facts{Repo: model.Repository{Name: "pay"},
		Nodes: []model.Node{{Name: send, Kind: model.NodeFunc, Entry: true, At: model.Location{Repo: "pay", Path: "main.go", Line: 1}}},
		Edges: []model.Edge{{From: send, To: model.N(model.SpaceHost, "ledger"), Kind: model.EdgeRequest, Method: "POST", Under: []string{"loop"}, At: model.Location{Repo: "pay", Path: "main.go", Line: 3},
			Key: model.Key{How: model.KeyMade, BornUnder: []string{"loop"}}}},
		Layers:   []model.Layer{{ID: "loop", Kind: model.KindLoop, In: send, At: model.Location{Repo: "pay", Path: "main.go", Line: 2}, Policy: model.Policy{Attempts: model.Exactly(3)}, Refs: []model.Ref{{Field: model.FieldAttempts, Name: env}}}},
		Services: []model.Service{{Name: "pay", Kind: "main", Node: send}},
	}
	deploy := &model.Facts{Repo: model.Repository{Name: "deploy"},
		Services: []model.Service{{Name: "pay", Kind: "deployment", Node: pay, Names: []model.Name{pay, model.N(model.SpaceImage, "acme/pay")}, Envs: []string{"overlays:dev", "overlays:prod", "overlays:test"}}},
		Settings: []model.Setting{set("overlays:prod", "5", 1), set("overlays:dev", "2", 2)},
	}
	org := Build([]*model.Facts{code, deploy}, Options{})
	require.Len(t, org.Chains, 1)
	require.Equal(t, "5", org.Chains[0].Attempts().String())
	require.Equal(t, "overlays:prod", org.Chains[0].Env)
	var got []string
	for _, l := range org.Layers {
		got = append(got, l.Policy.Attempts.String()+" "+l.Envs[0])
	}
	require.ElementsMatch(t, []string{"2 overlays:dev", "5 overlays:prod", "3 overlays:test"}, got, "where nothing sets it, the code's own number holds")
	for _, e := range org.Vertices {
		for _, a := range e.Out {
			require.Len(t, a.Edge.Key.BornUnder, 3, "whoever asks for the layers of a key's birth finds the one of each environment")
		}
	}

	// The same everywhere is one layer.
	deploy.Settings = []model.Setting{set("", "5", 1)}
	org = Build([]*model.Facts{code, deploy}, Options{})
	require.Len(t, org.Layers, 1)
	require.Empty(t, org.Layers[0].Envs)
	require.Equal(t, "5", org.Layers[0].Policy.Attempts.String())

	// Nobody knows which of two sets of environments decides: a range, as before.
	other := set("charts:prod", "7", 3)
	deploy.Settings = []model.Setting{set("overlays:prod", "5", 1), other}
	org = Build([]*model.Facts{code, deploy}, Options{})
	require.Len(t, org.Layers, 1)
	require.Equal(t, "5..7", org.Layers[0].Policy.Attempts.String())
}
