package chain

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

// A setting that code reads is the code's layer alone; one that nobody reads stays.
func TestReaders(t *testing.T) {
	at := func(line int) model.Location { return model.Location{Repo: "r", Path: "config.yaml", Line: line} }
	key := model.N(model.SpaceConfig, "pay.max_retries")
	loop := model.N(model.SpaceFunc, "example.test/p.Pay")
	read, unread := model.N(model.SpaceConfig, "r/config.yaml#pay"), model.N(model.SpaceConfig, "r/config.yaml#mail")
	f := &model.Facts{Repo: model.Repository{Name: "r"},
		Layers: []model.Layer{
			{ID: "loop", Kind: model.KindLoop, In: loop, Whole: true, At: model.Location{Repo: "r", Path: "pay.go", Line: 3}, Refs: []model.Ref{{Field: model.FieldAttempts, Name: key, Offset: 1}}},
			{ID: "read", Kind: model.KindConfig, In: read, Whole: true, At: at(2), Policy: model.Policy{Attempts: model.Exactly(5)}, LowConfidence: true},
			{ID: "unread", Kind: model.KindConfig, In: unread, Whole: true, At: at(9), Policy: model.Policy{Attempts: model.Exactly(3)}, LowConfidence: true},
		},
		Edges:    []model.Edge{{From: read, To: model.N(model.SpaceHost, "ledger.pay"), Kind: model.EdgeRequest, At: at(1)}},
		Settings: []model.Setting{{Name: key, Value: "4", At: at(2)}},
	}
	org := Build([]*model.Facts{f}, Options{})
	var ids []string
	for _, l := range org.Layers {
		ids = append(ids, l.ID)
	}
	require.ElementsMatch(t, []string{"loop", "unread"}, ids)
	require.Equal(t, "5", org.ByLayer["loop"].Policy.Attempts.String())
	for _, v := range org.Vertices {
		require.NotEqual(t, read, v.Name)
	}
}
