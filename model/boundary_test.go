package model_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

func TestWindow(t *testing.T) {
	day, hour, zero, permanent, unknown := model.WindowFor(24*time.Hour), model.WindowFor(time.Hour), model.WindowFor(0), model.Permanent(), model.Window{}
	require.Equal(t, zero, model.WindowFor(-time.Hour))
	for _, c := range []struct{ a, b, least model.Window }{
		{day, hour, hour}, {day, permanent, day}, {permanent, permanent, permanent}, {day, unknown, unknown}, {permanent, unknown, unknown},
		{unknown, unknown, unknown}, {zero, unknown, zero}, {zero, permanent, zero}, {hour, hour, hour},
	} {
		require.Equal(t, c.least, c.a.Min(c.b), "%s and %s", c.a, c.b)
		require.Equal(t, c.least, c.b.Min(c.a), "%s and %s", c.b, c.a)
	}
	// Rising; unknown counts for nothing.
	list := []model.Window{unknown, zero, hour, day, permanent}
	for i, a := range list {
		for j, b := range list {
			require.Equal(t, i > j, a.Longer(b), "%s, %s", a, b)
		}
	}
	for _, w := range list {
		b, err := w.MarshalText()
		require.NoError(t, err)
		back := model.WindowFor(time.Minute)
		require.NoError(t, back.UnmarshalText(b))
		require.Equal(t, w, back)
		_, ok := w.Duration()
		require.Equal(t, w.Known() && !w.IsPermanent(), ok)
	}
	require.True(t, permanent.Known())
	require.False(t, unknown.Known())
	w := day
	require.NoError(t, w.UnmarshalText(nil))
	require.Equal(t, unknown, w)
	require.Error(t, w.UnmarshalText([]byte("long")))
	require.Equal(t, "permanent", permanent.String())
	require.Equal(t, "24h", day.String())
	require.Equal(t, "unknown", unknown.String())
}

func TestGuaranteed(t *testing.T) {
	day := model.WindowFor(24 * time.Hour)
	for _, c := range []struct {
		name string
		b    model.Boundary
		want string
	}{
		{"durable", model.Boundary{TTL: day, Store: model.StoreDurable}, "24h"},
		{"of unknown sort", model.Boundary{TTL: day}, "24h"},
		{"a broker's", model.Boundary{TTL: day, Store: model.StoreBroker}, "24h"},
		{"memory is lost", model.Boundary{TTL: day, Store: model.StoreMemory}, "0s"},
		{"evicted", model.Boundary{TTL: model.Permanent(), Store: model.StoreEvicting}, "0s"},
		{"joins callers only", model.Boundary{TTL: day, Store: model.StoreInFlight}, "0s"},
		{"a mere lock", model.Boundary{TTL: day, Store: model.StoreDurable, Traits: []model.Trait{{Kind: model.TraitClaimOnly}}}, "0s"},
		{"less what was lost before", model.Boundary{TTL: day, Minus: time.Hour}, "23h"},
		{"less more than there is", model.Boundary{TTL: day, Minus: 48 * time.Hour}, "0s"},
		{"permanent", model.Boundary{TTL: model.Permanent(), Minus: time.Hour}, "permanent"},
		{"unknown", model.Boundary{Minus: time.Hour}, "unknown"},
	} {
		require.Equal(t, c.want, c.b.Guaranteed().String(), c.name)
	}
	b := model.Boundary{Traits: []model.Trait{{Kind: model.TraitSliding, Detail: "x"}}}
	tr, ok := b.Trait(model.TraitSliding)
	require.True(t, ok)
	require.Equal(t, "x", tr.Detail)
	require.False(t, b.Has(model.TraitPurge))
}
