package model_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

const forever = time.Duration(math.MaxInt64)

func TestLimitArithmetic(t *testing.T) {
	one, two, none, unknown := model.For(time.Second), model.For(2*time.Second), model.NoLimit(), model.Limit{}
	type op func(a, b model.Limit) model.Limit
	plus, least, most := model.Limit.Plus, model.Limit.Min, model.Limit.Max
	for _, c := range []struct {
		name string
		op   op
		a, b model.Limit
		want string
	}{
		{"plus", plus, one, two, "3s"},
		{"plus", plus, one, none, "unbounded"},
		{"plus", plus, one, unknown, "unknown"},
		{"plus", plus, none, unknown, "unbounded"},
		{"plus", plus, model.For(forever), model.For(1), "unbounded"},
		{"plus", plus, model.For(forever - 1), model.For(1), "2562047h47m16.854775807s"},
		{"min", least, one, two, "1s"},
		{"min", least, one, none, "1s"},
		{"min", least, one, unknown, "1s"},
		{"min", least, none, unknown, "unknown"},
		{"min", least, none, none, "unbounded"},
		{"max", most, one, two, "2s"},
		{"max", most, one, none, "unbounded"},
		{"max", most, one, unknown, "unknown"},
		{"max", most, none, unknown, "unbounded"},
	} {
		require.Equal(t, c.want, c.op(c.a, c.b).String(), "%s %s %s", c.name, c.a, c.b)
		require.Equal(t, c.want, c.op(c.b, c.a).String(), "%s %s %s", c.name, c.b, c.a)
	}
	require.Equal(t, model.For(0), model.For(-time.Second), "no negative limits")
}

func TestLimitTimes(t *testing.T) {
	for _, c := range []struct {
		l    model.Limit
		n    model.Count
		want string
	}{
		{model.For(2 * time.Second), model.Exactly(3), "6s"},
		{model.For(2 * time.Second), model.Between(1, 3), "6s"},
		{model.For(2 * time.Second), model.Unbounded(), "unbounded"},
		{model.For(2 * time.Second), model.Count{}, "unknown"},
		{model.For(2 * time.Second), model.Exactly(0), "0s"},
		{model.NoLimit(), model.Exactly(0), "0s"},
		{model.Limit{}, model.Exactly(0), "0s"},
		{model.NoLimit(), model.Exactly(2), "unbounded"},
		{model.NoLimit(), model.Count{}, "unbounded"},
		{model.Limit{}, model.Exactly(2), "unknown"},
		{model.Limit{}, model.Unbounded(), "unbounded"},
		{model.For(0), model.Exactly(5), "0s"},
		{model.For(0), model.Count{}, "0s"},
		{model.For(0), model.Unbounded(), "unbounded"},
		{model.For(forever / 2), model.Exactly(2), "2562047h47m16.854775806s"},
		{model.For(forever/2 + 1), model.Exactly(2), "unbounded"},
		{model.For(1), model.Exactly(math.MaxInt64), "2562047h47m16.854775807s"},
	} {
		require.Equal(t, c.want, c.l.Times(c.n).String(), "%s x %s", c.l, c.n)
	}
}

func TestLimitScale(t *testing.T) {
	three := model.NewRatio(1, 3)
	require.Equal(t, model.For(4), model.For(10).Scale(three), "rounded up")
	require.Equal(t, model.For(3), model.For(9).Scale(three))
	require.Equal(t, model.NoLimit(), model.For(forever).Scale(model.NewRatio(2, 1)))
	require.Equal(t, model.NoLimit(), model.NoLimit().Scale(three))
	require.Equal(t, model.Limit{}, model.Limit{}.Scale(three))
}

func TestLimitCompare(t *testing.T) {
	list := []model.Limit{{}, model.For(0), model.For(time.Second), model.For(time.Hour), model.NoLimit()}
	for i, a := range list {
		for j, b := range list {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			require.Equal(t, want, a.Compare(b), "%s, %s", a, b)
		}
	}
}

func TestDurations(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 72 * time.Hour: "72h", 90 * time.Second: "1m30s", 2*time.Hour + 6*time.Minute + 36*time.Second: "2h6m36s",
		time.Hour + 30*time.Second: "1h0m30s", 10 * time.Minute: "10m", 100 * time.Hour: "100h", 10 * time.Second: "10s", 300 * time.Millisecond: "300ms",
		20*time.Hour + 10*time.Minute: "20h10m",
	} {
		require.Equal(t, want, model.FormatDuration(d))
	}
	for d, want := range map[time.Duration]string{
		72 * time.Hour: "72h, 3 days", 144 * time.Hour: "144h, 6 days", 48 * time.Hour: "48h, 2 days", 47 * time.Hour: "47h",
		60 * time.Hour: "60h, 2.5 days",
	} {
		require.Equal(t, want, model.For(d).InWords())
	}
	require.Equal(t, "unbounded", model.NoLimit().InWords())
	require.Equal(t, "unknown", model.Limit{}.InWords())
}

func TestLimitText(t *testing.T) {
	for _, l := range []model.Limit{{}, model.NoLimit(), model.For(0), model.For(90 * time.Second), model.For(72 * time.Hour)} {
		b, err := l.MarshalText()
		require.NoError(t, err)
		back := model.For(time.Minute)
		require.NoError(t, back.UnmarshalText(b))
		require.Equal(t, l, back)
	}
	l := model.For(time.Minute)
	require.NoError(t, l.UnmarshalText(nil))
	require.True(t, l.IsUnknown())
	require.Error(t, l.UnmarshalText([]byte("soon")))
}

func TestRatio(t *testing.T) {
	for text, want := range map[string]model.Ratio{
		"1.5": model.NewRatio(3, 2), " 2 ": model.NewRatio(2, 1), "0.25": model.NewRatio(1, 4), "6/4": model.NewRatio(3, 2), "-1": model.NewRatio(-1, 1),
	} {
		r, err := model.ParseRatio(text)
		require.NoError(t, err, text)
		require.Equal(t, want, r, text)
	}
	for _, bad := range []string{"", "x", "1e40", "1e-40", "0.00000000000000000000000000000000000000000001"} {
		_, err := model.ParseRatio(bad)
		require.Error(t, err, bad)
	}
	require.Equal(t, model.NewRatio(1, 10), model.RatioOf(0.1), "as it is written, not as it is stored")
	require.False(t, model.RatioOf(math.Inf(1)).Known())
	require.False(t, model.NewRatio(1, 0).Known())
	require.False(t, model.NewRatio(1, -2).Known())
	require.True(t, model.NewRatio(0, 1).Known())
	require.Equal(t, 1.5, model.NewRatio(3, 2).Float())
	require.Equal(t, "1.5", model.NewRatio(3, 2).String())
	require.Equal(t, "unknown", model.Ratio{}.String())
	require.Equal(t, -1, model.NewRatio(1, 3).Cmp(model.NewRatio(1, 2)))
	for _, r := range []model.Ratio{{}, model.NewRatio(1, 3), model.NewRatio(2, 1), model.NewRatio(0, 1)} {
		b, err := r.MarshalText()
		require.NoError(t, err)
		back := model.NewRatio(7, 1)
		require.NoError(t, back.UnmarshalText(b))
		require.Equal(t, r, back, string(b))
	}
	r := model.NewRatio(7, 1)
	require.Error(t, r.UnmarshalText([]byte("x")))
	require.False(t, r.Known())
}
