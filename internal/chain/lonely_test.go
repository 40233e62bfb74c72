package chain

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

// TestServiceThatSelectsNothing: a Service whose workload is not in the scan leads to the repository of its name, as its bare name
// does; one that selects a workload leads to that alone.
func TestServiceThatSelectsNothing(t *testing.T) {
	build := func(workload bool) *model.Org {
		run := model.N(model.SpaceFunc, "example.test/caller.run")
		handle := model.N(model.SpaceFunc, "example.test/ledger.post")
		effect := model.N(model.SpaceOp, "write")
		at := func(repo, p string) model.Location { return model.Location{Repo: repo, Path: p, Line: 1} }
		caller := &model.Facts{Repo: model.Repository{Name: "caller"},
			Nodes:    []model.Node{{Name: run, Kind: model.NodeMain, At: at("caller", "main.go"), Entry: true}},
			Services: []model.Service{{Name: "caller", Kind: "main", At: at("caller", "main.go"), Dir: ".", Node: run}},
			Edges:    []model.Edge{{From: run, To: model.Host("http://ledger.pay.svc/entries", ""), Kind: model.EdgeRequest, Method: "POST", Path: "/entries", At: at("caller", "main.go"), Under: []string{"l"}}},
			Layers:   []model.Layer{{ID: "l", Kind: model.KindLoop, In: run, At: at("caller", "main.go"), Policy: model.Policy{Attempts: model.Exactly(3)}}}}
		ledger := &model.Facts{Repo: model.Repository{Name: "ledger"},
			Nodes:    []model.Node{{Name: handle, Kind: model.NodeFunc, At: at("ledger", "main.go")}},
			Handlers: []model.Handler{{Name: handle, Func: handle, Method: "POST", Pattern: "/entries", At: at("ledger", "main.go")}},
			Edges:    []model.Edge{{From: handle, To: effect, Kind: model.EdgeCall, Effect: true, At: at("ledger", "main.go")}}}
		deploy := &model.Facts{Repo: model.Repository{Name: "deploy"},
			Services: []model.Service{{Name: "ledger", Kind: "service", Namespace: "pay", At: at("deploy", "svc.yaml"), Selector: []string{"app=ledger"}, Names: []model.Name{model.Host("ledger", "pay")}}}}
		if workload {
			deploy.Services = append(deploy.Services, model.Service{Name: "other", Kind: "deployment", Namespace: "pay", At: at("deploy", "d.yaml"), Labels: []string{"app=ledger"},
				Names: []model.Name{model.Image("registry.test/vendor/other:1")}})
		}
		return Build([]*model.Facts{caller, ledger, deploy}, Options{})
	}
	through := func(org *model.Org) bool {
		for _, c := range org.Chains {
			for _, h := range c.Hops {
				if h.Arc.To.Name.Key == "example.test/ledger.post" {
					return true
				}
			}
		}
		return false
	}
	require.True(t, through(build(false)))
	require.False(t, through(build(true)))
}
