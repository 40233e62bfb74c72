package model_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

func constant(kind model.LayerKind, n int64, wait time.Duration) *model.Layer {
	return &model.Layer{Kind: kind, Policy: model.Policy{Attempts: model.Exactly(n), Backoff: model.Constant(wait)}}
}

// way is a chain of vertices joined by edges, with the layers of each, outermost first.
func way(edges []*model.Edge, layers ...[]*model.Layer) *model.Chain {
	v := []*model.Vertex{{ID: 0}}
	c := &model.Chain{}
	for i, e := range edges {
		v = append(v, &model.Vertex{ID: i + 1})
		c.Hops = append(c.Hops, model.Hop{Arc: &model.Arc{From: v[i], To: v[i+1], Edge: e}, Layers: layers[i]})
	}
	c.Entry, c.Effect = v[0], v[len(v)-1]
	return c
}

// The worked example: 3 x 2s in the gateway, 3 x 1m in the worker, 3 x 1h in the workflow.
func TestWorkedExample(t *testing.T) {
	workflow, worker, gateway := constant(model.KindWorkflow, 3, time.Hour), constant(model.KindLoop, 3, time.Minute), constant(model.KindLoop, 3, 2*time.Second)
	c := way([]*model.Edge{{}, {}, {Timeout: model.For(10 * time.Second)}}, []*model.Layer{workflow}, []*model.Layer{worker}, []*model.Layer{gateway})
	require.Equal(t, "27", c.Attempts().String())
	require.Equal(t, "2h6m36s", c.AutomaticDelay().String())
	require.Equal(t, "2h11m6s", c.WorstCase().String())
	require.Equal(t, model.Automatic{Waits: c.AutomaticDelay(), Worst: c.WorstCase()}, c.Automatic())
	require.Equal(t, []*model.Layer{workflow, worker, gateway}, c.Layers())
	require.Equal(t, c.Layers(), c.Factors())

	c.Paths = []model.ReplayPath{
		{Kind: model.PathDeadLetter, Delay: model.For(24 * time.Hour), Clock: model.AfterAutomatic},
		{Kind: model.PathOperatorRerun, Delay: model.For(72 * time.Hour)},
	}
	p, when := c.Longest()
	require.Equal(t, model.PathOperatorRerun, p.Kind)
	require.Equal(t, "72h", when.String())
	require.Equal(t, "144h", c.Required(model.NewRatio(2, 1)).String())

	v := c.Vertices()
	require.Len(t, v, 4)
	require.Equal(t, c.Entry, v[0])
	require.Equal(t, c.Effect, v[3])
	for i, want := range []string{"0s", "2h", "2h6m", "2h6m36s"} {
		hops, ok := c.Upto(v[i])
		require.True(t, ok)
		require.Len(t, hops, i)
		require.Len(t, c.Below(v[i]), 3-i)
		// A boundary at that place is asked as often as the layers above it repeat.
		b := &model.Boundary{TTL: model.WindowFor(time.Second), Store: model.StoreDurable}
		short := *c
		short.Paths = nil
		j := short.Verdict(b, v[i], model.NewRatio(1, 1))
		got := j.Longest.String()
		if i == 3 {
			require.Equal(t, "2h11m6s", got)
		} else {
			require.Equal(t, want, model.Automatic{Waits: runWaits(hops)}.Waits.String())
		}
		// A broker or a provider dedupes at the far end, whatever the place.
		b.Order = model.OrderPublish
		require.Equal(t, "2h11m6s", short.Verdict(b, v[i], model.NewRatio(1, 1)).Longest.String())
		b.Order, b.Store = model.OrderUnknown, model.StoreProvider
		require.Equal(t, "2h11m6s", short.Verdict(b, v[i], model.NewRatio(1, 1)).Longest.String())
	}
	_, ok := c.Upto(&model.Vertex{ID: 9})
	require.False(t, ok)
	require.Nil(t, c.Below(&model.Vertex{ID: 9}))
	require.Equal(t, model.VerdictUnknown, c.Verdict(&model.Boundary{}, &model.Vertex{ID: 9}, model.NewRatio(2, 1)).Verdict)
}

func runWaits(hops []model.Hop) model.Limit {
	return (&model.Chain{Hops: hops}).AutomaticDelay()
}

func TestWhatIsNoFactor(t *testing.T) {
	unsent := constant(model.KindProxy, 3, time.Second)
	unsent.Policy.On = model.OnConnect
	outer := constant(model.KindScheduler, 5, time.Hour)
	outer.Traits = []model.Trait{{Kind: model.TraitOuterLoop}}
	off := constant(model.KindLoop, 1, time.Second)
	loop := constant(model.KindLoop, 2, time.Second)
	c := way([]*model.Edge{{}}, []*model.Layer{outer, unsent, off, loop})
	require.Equal(t, "2", c.Attempts().String())
	require.Equal(t, "1s", c.AutomaticDelay().String())
	require.Equal(t, []*model.Layer{loop}, c.Factors())
	require.Len(t, c.Layers(), 4)
	tr, ok := outer.Trait(model.TraitOuterLoop)
	require.True(t, ok)
	require.Equal(t, model.TraitOuterLoop, tr.Kind)
	_, ok = outer.Trait(model.TraitHedge)
	require.False(t, ok)
}

// Where a time limit lies between layers, or around all of them, it counts there and nowhere else.
func TestTimeLimitsOnTheWay(t *testing.T) {
	edge := func(timeout, deadline time.Duration) *model.Edge {
		e := &model.Edge{}
		if timeout > 0 {
			e.Timeout = model.For(timeout)
		}
		if deadline > 0 {
			e.Deadline = model.For(deadline)
		}
		return e
	}
	loop := func() *model.Layer { return constant(model.KindLoop, 3, time.Second) }
	client := func() *model.Layer { return constant(model.KindClient, 2, time.Second) }
	perAttempt := loop()
	perAttempt.Policy.PerAttempt = model.For(3 * time.Second)
	for _, c := range []struct {
		name         string
		c            *model.Chain
		waits, worst string
	}{
		{"none", way([]*model.Edge{edge(0, 0)}, []*model.Layer{loop()}), "2s", "unknown"},
		{"of a request", way([]*model.Edge{edge(10*time.Second, 0)}, []*model.Layer{loop()}), "2s", "32s"},
		{"of a context", way([]*model.Edge{edge(0, 5*time.Second)}, []*model.Layer{loop()}), "2s", "17s"},
		{"both", way([]*model.Edge{edge(10*time.Second, 5*time.Second)}, []*model.Layer{loop()}), "2s", "17s"},
		{"of an attempt", way([]*model.Edge{edge(10*time.Second, 0)}, []*model.Layer{perAttempt}), "2s", "11s"},
		{"of an attempt alone", way([]*model.Edge{edge(0, 0)}, []*model.Layer{perAttempt}), "2s", "11s"},
		// A client's own attempts share the context that it is handed: 10 + 1 + 10 would be 21 s, the context ends it at 15.
		{"of a context around a client", way([]*model.Edge{edge(10*time.Second, 15*time.Second)}, []*model.Layer{client()}), "1s", "21s"},
		{"of a context around a client in a loop", way([]*model.Edge{edge(10*time.Second, 15*time.Second)}, []*model.Layer{loop(), client()}), "5s", "47s"},
		{"of a context around a client, which waits longer", way([]*model.Edge{edge(0, 500*time.Millisecond)}, []*model.Layer{loop(), client()}), "3.5s", "3.5s"},
		// The caller's limit cuts what the callee does: 3 x 1 s of waits would be 2 s.
		{"of a caller, shorter than the waits beneath", way([]*model.Edge{edge(500*time.Millisecond, 0), edge(0, 0)}, []*model.Layer{loop()}, []*model.Layer{loop()}), "3.5s", "3.5s"},
		{"of a caller, longer than the waits beneath", way([]*model.Edge{edge(time.Minute, 0), edge(0, 0)}, []*model.Layer{loop()}, []*model.Layer{loop()}), "8s", "3m2s"},
		{"of a caller and of the last call", way([]*model.Edge{edge(5*time.Second, 0), edge(2*time.Second, 0)}, []*model.Layer{loop()}, []*model.Layer{loop()}), "8s", "17s"},
		{"around everything", way([]*model.Edge{edge(2*time.Second, 0), edge(0, 0)}, nil, []*model.Layer{loop()}), "2s", "unknown"},
	} {
		require.Equal(t, c.waits, c.c.AutomaticDelay().String(), c.name)
		require.Equal(t, c.worst, c.c.WorstCase().String(), c.name)
	}
	routed := way([]*model.Edge{nil}, []*model.Layer{loop()})
	routed.Hops[0].Arc.Limit = model.For(4 * time.Second)
	require.Equal(t, "14s", routed.WorstCase().String(), "the limit of a route that is passed")
	r := routed.Run(true)
	require.Equal(t, "14s", r.Delay().String())
	require.Equal(t, model.For(0), routed.Run(false).Attempt)
}

func TestMeetingsAdd(t *testing.T) {
	slow := model.Run{Attempt: model.For(0), Layers: []model.Policy{constant("", 3, time.Hour).Policy}}
	fast := model.Run{Attempt: model.For(0), Layers: []model.Policy{constant("", 4, time.Second).Policy}}
	m := model.Meeting{Runs: []model.Run{fast, slow}}
	require.Equal(t, "7", m.Attempts().String())
	require.Equal(t, "2h", m.Automatic().String())
	p, when := m.Longest()
	require.Equal(t, model.PathAutomatic, p.Kind)
	require.Equal(t, "2h", when.String())
	require.Equal(t, "0", model.Meeting{}.Attempts().String())
	limited := slow
	limited.Layers = append(limited.Layers, constant("", 2, 0).Policy)
	limited.Caps = []model.Limit{{}, model.For(time.Minute)}
	require.Equal(t, "2m", limited.Delay().String(), "what is inside the second layer is cut")
}

func TestArrival(t *testing.T) {
	d := model.For(2 * time.Hour)
	for _, c := range []struct {
		p    model.ReplayPath
		want string
	}{
		{model.ReplayPath{Delay: model.For(time.Hour)}, "1h"},
		{model.ReplayPath{Delay: model.For(time.Hour), Clock: model.AfterAutomatic}, "3h"},
		{model.ReplayPath{Delay: model.For(time.Hour), ThenAutomatic: true}, "3h"},
		{model.ReplayPath{Delay: model.For(time.Hour), Clock: model.AfterAutomatic, ThenAutomatic: true}, "5h"},
	} {
		require.Equal(t, c.want, c.p.Arrival(d).String())
	}
	a := model.Automatic{Waits: model.For(time.Hour), Worst: model.For(3 * time.Hour)}
	p, when := a.Longest([]model.ReplayPath{{Kind: "b", Delay: model.For(3 * time.Hour)}, {Kind: "c", Delay: model.For(4 * time.Hour)}, {Kind: "d", Delay: model.For(4 * time.Hour)}})
	require.Equal(t, model.PathKind("c"), p.Kind, "the first of two that are as long")
	require.Equal(t, "4h", when.String())
	p, _ = a.Longest([]model.ReplayPath{{Kind: "b", Delay: model.For(3 * time.Hour)}})
	require.Equal(t, model.PathAutomatic, p.Kind, "on a tie the automatic one")
	waits, lower := model.Automatic{Waits: model.For(time.Hour)}.Path()
	require.True(t, lower)
	require.Equal(t, "1h", waits.String())
	_, lower = a.Path()
	require.False(t, lower)
}

func TestJudge(t *testing.T) {
	hour := func(n int) model.Limit { return model.For(time.Duration(n) * time.Hour) }
	window := func(n int) model.Window { return model.WindowFor(time.Duration(n) * time.Hour) }
	auto := func(n int) model.Automatic { return model.Automatic{Waits: hour(n), Worst: hour(n)} }
	rerun := []model.ReplayPath{{Kind: model.PathOperatorRerun, Delay: hour(72)}}
	two := model.NewRatio(2, 1)
	for _, c := range []struct {
		name      string
		w         model.Window
		a         model.Automatic
		paths     []model.ReplayPath
		want      model.VerdictKind
		shortfall string
		auto      bool
		strict    bool
	}{
		{"long enough", window(144), auto(2), rerun, model.Covered, "0s", false, true},
		{"long enough in the strict reading too", window(148), auto(2), rerun, model.Covered, "0s", false, false},
		{"an hour too short for the margin", window(143), auto(2), rerun, model.Margin, "1h", false, false},
		{"just longer than the path", window(73), auto(2), rerun, model.Margin, "71h", false, false},
		{"as long as the path", window(72), auto(2), rerun, model.Short, "72h", false, false},
		{"shorter than the retries", window(2), auto(2), rerun, model.Short, "142h", true, false},
		{"an hour longer than the retries", window(3), auto(2), rerun, model.Short, "141h", false, false},
		{"retries alone", window(4), auto(2), nil, model.Covered, "0s", false, false},
		{"permanent", model.Permanent(), model.Automatic{}, rerun, model.Covered, "0s", false, false},
		{"unknown window", model.Window{}, auto(2), rerun, model.VerdictUnknown, "unknown", false, false},
		{"a lower bound is not enough to cover", window(24), model.Automatic{Waits: hour(2)}, nil, model.VerdictUnknown, "unknown", false, false},
		{"a lower bound is enough to be short", window(2), model.Automatic{Waits: hour(2)}, nil, model.Short, "2h", true, false},
		{"a lower bound beneath a longer path", window(148), model.Automatic{Waits: hour(2)}, rerun, model.Covered, "0s", false, false},
		{"no retries, attempts of unknown length", window(1), model.Automatic{Waits: hour(0)}, nil, model.Covered, "0s", false, false},
		{"retries without end", window(24), model.Automatic{Waits: model.NoLimit(), Worst: model.NoLimit()}, nil, model.Short, "unbounded", true, false},
		{"a path without end", window(24), auto(2), []model.ReplayPath{{Kind: model.PathRestore, Delay: model.NoLimit()}}, model.Short, "unbounded", false, false},
		{"a margin that no duration holds", window(24 * 365 * 250), auto(2), []model.ReplayPath{{Kind: model.PathRestore, Delay: hour(24 * 365 * 200)}}, model.Short, "unbounded", false, false},
		{"waits of unknown length, and a path that is longer anyway", window(24), model.Automatic{}, rerun, model.Short, "120h", false, false},
		{"waits of unknown length, and a path without end", window(24), model.Automatic{}, []model.ReplayPath{{Kind: model.PathRestore, Delay: model.NoLimit()}}, model.Short, "unbounded", false, false},
		{"waits of unknown length, and a path that is as long", window(72), model.Automatic{}, rerun, model.Short, "72h", false, false},
		{"waits of unknown length", window(148), model.Automatic{}, rerun, model.VerdictUnknown, "unknown", false, false},
		{"waits of unknown length, no path and no window", window(0), model.Automatic{}, nil, model.VerdictUnknown, "unknown", false, false},
		{"counted from the worst case it comes later", window(144), model.Automatic{Waits: hour(1), Worst: hour(10)},
			[]model.ReplayPath{{Kind: model.PathDeadLetter, Delay: hour(71), Clock: model.AfterAutomatic}}, model.Margin, "18h", false, false},
	} {
		j := model.Judge(c.w, c.a, c.paths, two)
		require.Equal(t, c.want, j.Verdict, c.name)
		require.Equal(t, c.shortfall, j.Shortfall.String(), c.name)
		require.Equal(t, c.auto, j.ByAutomatic, c.name)
		require.Equal(t, c.strict, j.StrictDiffers, c.name)
		require.Equal(t, c.w, j.Window, c.name)
	}
	paths := []model.ReplayPath{{Kind: model.PathOperatorRerun, Delay: hour(72)}}
	model.Judge(window(144), auto(2), paths, two)
	require.False(t, paths[0].ThenAutomatic, "the paths are left as they are")
}
