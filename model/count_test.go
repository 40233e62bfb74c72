package model_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

// counts is one of each sort.
func counts() []model.Count {
	return []model.Count{{}, model.AtLeast(1), model.AtLeast(3), model.Unbounded(), model.Unbounded().Times(model.Exactly(3)), model.Exactly(0), model.Exactly(1),
		model.Exactly(3), model.Exactly(27), model.Between(0, 2), model.Between(2, 5), model.Exactly(math.MaxInt64)}
}

func TestCountMakers(t *testing.T) {
	for _, c := range []struct {
		got  model.Count
		want string
	}{
		{model.Exactly(-1), "unknown"},
		{model.Exactly(0), "0"},
		{model.Between(2, 5), "2..5"},
		{model.Between(5, 2), "unknown"},
		{model.Between(-1, 2), "unknown"},
		{model.Between(2, 2), "2"},
		{model.Retries(0), "1"},
		{model.Retries(2), "3"},
		{model.Retries(-1), "unknown"},
		{model.Retries(math.MaxInt64 - 1), "9223372036854775807"},
		{model.Retries(math.MaxInt64), "9223372036854775807"},
		{model.AtLeast(-4), "unknown"},
		{model.AtLeast(1), "unknown"},
		{model.AtLeast(2), "unknown (2 or more)"},
		{model.Unbounded(), "unbounded"},
	} {
		require.Equal(t, c.want, c.got.String())
	}
	require.EqualValues(t, 0, model.AtLeast(-4).Min())
	require.EqualValues(t, 1, model.Unbounded().Min())
}

func TestCountQuestions(t *testing.T) {
	type answers struct{ known, unknown, unbounded, exact, one, retrying bool }
	for _, c := range []struct {
		n    model.Count
		want answers
	}{
		{model.Count{}, answers{unknown: true}},
		{model.AtLeast(1), answers{unknown: true}},
		{model.AtLeast(2), answers{unknown: true, retrying: true}},
		{model.Unbounded(), answers{unbounded: true, retrying: true}},
		{model.Exactly(0), answers{known: true, exact: true, one: true}},
		{model.Exactly(1), answers{known: true, exact: true, one: true}},
		{model.Exactly(2), answers{known: true, exact: true, retrying: true}},
		{model.Between(0, 1), answers{known: true, one: true}},
		{model.Between(1, 3), answers{known: true, retrying: true}},
	} {
		got := answers{c.n.Known(), c.n.IsUnknown(), c.n.IsUnbounded(), c.n.Exact(), c.n.One(), c.n.Retrying()}
		require.Equal(t, c.want, got, c.n.String())
		hi, ok := c.n.Max()
		require.Equal(t, c.want.known, ok)
		if !ok {
			require.Zero(t, hi)
		}
	}
}

func TestCountTimes(t *testing.T) {
	for _, c := range []struct {
		a, b model.Count
		want string
		min  int64
	}{
		{model.Exactly(3), model.Exactly(9), "27", 27},
		{model.Between(1, 3), model.Between(2, 5), "2..15", 2},
		{model.Exactly(3), model.Count{}, "unknown (3 or more)", 3},
		{model.AtLeast(4), model.Exactly(3), "unknown (12 or more)", 12},
		{model.Unbounded(), model.Exactly(3), "unbounded", 3},
		{model.Unbounded(), model.AtLeast(2), "unknown (2 or more)", 2},
		{model.Exactly(0), model.Unbounded(), "0", 0},
		{model.Exactly(0), model.Count{}, "0", 0},
		{model.Between(0, 2), model.Unbounded(), "unbounded", 1},
		{model.Between(0, 2), model.Exactly(3), "0..6", 0},
		{model.Exactly(math.MaxInt64), model.Exactly(2), "9223372036854775807", math.MaxInt64},
		{model.Exactly(math.MaxInt64 / 2), model.Exactly(2), "9223372036854775806", math.MaxInt64 - 1},
	} {
		require.Equal(t, c.want, c.a.Times(c.b).String(), "%s x %s", c.a, c.b)
		require.Equal(t, c.want, c.b.Times(c.a).String(), "%s x %s", c.b, c.a)
		require.Equal(t, c.min, c.a.Times(c.b).Min(), "%s x %s", c.a, c.b)
	}
	for _, a := range counts() {
		require.Equal(t, a.String(), a.Times(model.Exactly(1)).String(), "1 is neutral")
		for _, b := range counts() {
			for _, c := range counts() {
				// What is known of the lower end of an unknown count is not kept through a factor that may be 0.
				l, r := a.Times(b).Times(c), a.Times(b.Times(c))
				require.Equal(t, model.NumberOf(l), model.NumberOf(r), "%s %s %s", a, b, c)
			}
		}
	}
}

func TestCountPlus(t *testing.T) {
	for _, c := range []struct {
		a, b model.Count
		want string
		min  int64
	}{
		{model.Exactly(3), model.Exactly(9), "12", 12},
		{model.Between(1, 3), model.Between(2, 5), "3..8", 3},
		{model.Exactly(3), model.Count{}, "unknown (3 or more)", 3},
		{model.Unbounded(), model.Count{}, "unbounded", 1},
		{model.Unbounded(), model.Exactly(4), "unbounded", 5},
		{model.Exactly(0), model.Exactly(0), "0", 0},
		{model.Exactly(math.MaxInt64), model.Exactly(1), "9223372036854775807", math.MaxInt64},
		{model.Exactly(math.MaxInt64 - 1), model.Exactly(1), "9223372036854775807", math.MaxInt64},
	} {
		require.Equal(t, c.want, c.a.Plus(c.b).String(), "%s + %s", c.a, c.b)
		require.Equal(t, c.want, c.b.Plus(c.a).String(), "%s + %s", c.b, c.a)
		require.Equal(t, c.min, c.a.Plus(c.b).Min(), "%s + %s", c.a, c.b)
	}
}

func TestCountOffsetOrAtMost(t *testing.T) {
	for _, c := range []struct {
		got  model.Count
		want string
		min  int64
	}{
		{model.Exactly(3).Offset(1), "4", 4},
		{model.Between(1, 3).Offset(-2), "0..1", 0},
		{model.Exactly(1).Offset(-3), "0", 0},
		{model.Unbounded().Offset(1), "unbounded", 1},
		{model.AtLeast(3).Offset(1), "unknown (3 or more)", 3},
		{model.Exactly(3).Or(model.Exactly(5)), "3..5", 3},
		{model.Exactly(5).Or(model.Exactly(3)), "3..5", 3},
		{model.Exactly(5).Or(model.Unbounded()), "unbounded", 1},
		{model.Unbounded().Or(model.Exactly(0)), "unbounded", 1},
		{model.Exactly(5).Or(model.Count{}), "unknown", 0},
		{model.AtLeast(7).Or(model.Exactly(5)), "unknown (5 or more)", 5},
		{model.Exactly(3).AtMost(5), "3", 3},
		{model.Exactly(5).AtMost(5), "5", 5},
		{model.Exactly(7).AtMost(5), "5", 5},
		{model.Between(2, 7).AtMost(5), "2..5", 2},
		{model.Unbounded().AtMost(5), "5", 5},
		{model.AtLeast(3).AtMost(5), "3..5", 3},
		{model.AtLeast(9).AtMost(5), "5", 5},
	} {
		require.Equal(t, c.want, c.got.String())
		require.Equal(t, c.min, c.got.Min())
	}
}

func TestCountCompare(t *testing.T) {
	// Rising.
	list := []model.Count{model.Exactly(0), model.Count{}, model.Exactly(2), model.AtLeast(3), model.Between(1, 4), model.Exactly(27), model.Unbounded()}
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
	require.Zero(t, model.Exactly(1).Compare(model.Count{}), "of unknown one is known")
	require.Zero(t, model.Exactly(3).Compare(model.AtLeast(3)))
}

// A count that is written can be read, and nothing of it is lost.
func TestCountText(t *testing.T) {
	for _, c := range counts() {
		b, err := c.MarshalText()
		require.NoError(t, err)
		var back model.Count
		require.NoError(t, back.UnmarshalText(b))
		require.Equal(t, c, back, string(b))
	}
	for text, want := range map[string]model.Count{
		"27": model.Exactly(27), "2..5": model.Between(2, 5), "1..unbounded": model.Unbounded(), "3..unknown": model.AtLeast(3),
		"-1": {}, "5..2": {},
	} {
		var c model.Count
		require.NoError(t, c.UnmarshalText([]byte(text)))
		require.Equal(t, want, c, text)
	}
	for _, bad := range []string{"", "x", "..", "1..", "1..x", "x..3", "3..never"} {
		var c model.Count
		require.Error(t, c.UnmarshalText([]byte(bad)), bad)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		n         model.Count
		hi, least model.Number
		text      string
	}{
		{model.Exactly(27), "27", "", `27`},
		{model.Between(2, 5), "5", "2", `5`},
		{model.Unbounded(), "unbounded", "", `"unbounded"`},
		{model.Count{}, "unknown", "", `"unknown"`},
		{model.AtLeast(1), "unknown", "", `"unknown"`},
		{model.AtLeast(3), "unknown", "3", `"unknown"`},
		{model.Exactly(0), "0", "", `0`},
	} {
		require.Equal(t, c.hi, model.NumberOf(c.n), c.n.String())
		require.Equal(t, c.least, model.NumberMin(c.n), c.n.String())
		b, err := json.Marshal(model.NumberOf(c.n))
		require.NoError(t, err)
		require.Equal(t, c.text, string(b))
		var back model.Number
		require.NoError(t, json.Unmarshal(b, &back))
		require.Equal(t, c.hi, back)
	}
	for _, n := range []model.Number{"", "9", "/", ":"} {
		b, err := n.MarshalJSON()
		require.NoError(t, err)
		require.True(t, json.Valid(b), "%q", n)
	}
}
