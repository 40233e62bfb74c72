package chain

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

func TestAlternatives(t *testing.T) {
	layer := func(file string, kind model.LayerKind, label string, n int64) *model.Layer {
		return &model.Layer{Kind: kind, Label: label, At: model.Location{Repo: "r", Path: file, Line: 1}, Policy: model.Policy{Attempts: model.Exactly(n)}}
	}
	stage, prod := layer("stage.yaml", model.KindQueue, "SQS redelivery", 3), layer("prod.yaml", model.KindQueue, "SQS redelivery", 5)
	other, here := layer("prod.yaml", model.KindWorkflow, "retry", 2), layer("prod.yaml", model.KindQueue, "SQS redelivery", 4)
	require.Equal(t, []*model.Layer{prod}, alternatives([]*model.Layer{stage, prod}), "the worst of two files counts")
	require.Equal(t, []*model.Layer{prod}, alternatives([]*model.Layer{prod, stage}))
	require.Equal(t, []*model.Layer{prod, other}, alternatives([]*model.Layer{prod, other}), "layers of two kinds multiply")
	require.Equal(t, []*model.Layer{prod, here}, alternatives([]*model.Layer{prod, here}), "so do two layers of one file")

	// One Job twice in a file is one Job of two clusters.
	one, two := layer("jobs.yaml", model.KindJob, "Job backoffLimit", 3), layer("jobs.yaml", model.KindJob, "Job backoffLimit", 9)
	one.In, two.In = model.N(model.SpaceWorkload, "job/pay/settle"), model.N(model.SpaceWorkload, "job/pay/settle")
	require.Equal(t, []*model.Layer{two}, alternatives([]*model.Layer{one, two}))
	two.Label = "restartPolicy"
	require.Len(t, alternatives([]*model.Layer{one, two}), 2, "two settings of one Job multiply")
}
