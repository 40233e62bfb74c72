package model_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

const ms = time.Millisecond

func gaps(b model.Backoff, n int64) (lo, hi []string) {
	for k := int64(1); k <= n; k++ {
		l, h := b.Gap(k)
		lo, hi = append(lo, l.String()), append(hi, h.String())
	}
	return lo, hi
}

func TestGaps(t *testing.T) {
	two := model.NewRatio(2, 1)
	jittered := func(b model.Backoff, k model.JitterKind, f model.Ratio, extra time.Duration) model.Backoff {
		return b.WithJitter(model.Jitter{Kind: k, Factor: f, Extra: extra})
	}
	doubling := model.Exponential(100*ms, two, 350*ms)
	capsSum := jittered(doubling, model.JitterAdditive, model.Ratio{}, 100*ms)
	capsSum.CapsSum = true
	noMax := model.Exponential(100*ms, two, 0)
	for _, c := range []struct {
		name   string
		b      model.Backoff
		lo, hi []string // lo nil: as hi
	}{
		{"none", model.NoBackoff(), nil, []string{"0s", "0s", "0s"}},
		{"constant", model.Constant(100 * ms), nil, []string{"100ms", "100ms", "100ms"}},
		{"constant, capped", model.Backoff{Kind: model.BackoffConstant, Initial: model.For(100 * ms), Max: model.For(40 * ms), Jitter: model.Jitter{Kind: model.JitterNone}}, nil,
			[]string{"40ms", "40ms", "40ms"}},
		{"linear", model.Backoff{Kind: model.BackoffLinear, Initial: model.For(100 * ms), Step: model.For(50 * ms), Max: model.For(220 * ms), Jitter: model.Jitter{Kind: model.JitterNone}}, nil,
			[]string{"100ms", "150ms", "200ms", "220ms", "220ms"}},
		{"exponential", doubling, nil, []string{"100ms", "200ms", "350ms", "350ms"}},
		{"exponential without cap", noMax, nil, []string{"100ms", "200ms", "400ms", "800ms"}},
		{"exponential by one", model.Exponential(100*ms, model.NewRatio(1, 1), 0), nil, []string{"100ms", "100ms", "100ms"}},
		{"shrinking", model.Exponential(100*ms, model.NewRatio(1, 2), 80*ms), nil, []string{"80ms", "50ms", "25ms"}},
		{"exponential from zero", model.Exponential(0, two, time.Second), nil, []string{"0s", "0s", "0s"}},
		{"exponential by 3/2", model.Exponential(2*ms, model.NewRatio(3, 2), 0), nil, []string{"2ms", "3ms", "4.5ms", "6.75ms"}},
		{"unknown factor under a cap", model.Backoff{Kind: model.BackoffExponential, Initial: model.For(ms), Max: model.For(time.Second), Jitter: model.Jitter{Kind: model.JitterNone}}, nil,
			[]string{"1s", "1s"}},
		{"unknown factor", model.Backoff{Kind: model.BackoffExponential, Initial: model.For(ms)}, []string{"0s", "0s"}, []string{"unknown", "unknown"}},
		{"unknown start", model.Backoff{Kind: model.BackoffExponential, Factor: two}, []string{"0s", "0s"}, []string{"unknown", "unknown"}},
		{"list", model.Backoff{Kind: model.BackoffList, List: []time.Duration{ms, 3 * ms}, Jitter: model.Jitter{Kind: model.JitterNone}}, nil, []string{"1ms", "3ms", "3ms"}},
		{"empty list", model.Backoff{Kind: model.BackoffList}, nil, []string{"0s", "0s"}},
		{"capped list", model.Backoff{Kind: model.BackoffList, List: []time.Duration{ms, 3 * ms}, Max: model.For(2 * ms), Jitter: model.Jitter{Kind: model.JitterNone}}, nil, []string{"1ms", "2ms"}},
		{"polynomial", model.Backoff{Kind: model.BackoffPolynomial, Degree: 4, Shift: 1, Initial: model.For(15 * time.Second), Jitter: model.Jitter{Kind: model.JitterNone}}, nil,
			[]string{"16s", "31s", "1m36s"}},
		{"polynomial, capped", model.Backoff{Kind: model.BackoffPolynomial, Degree: 2, Initial: model.For(0), Max: model.For(3 * time.Second), Jitter: model.Jitter{Kind: model.JitterNone}}, nil,
			[]string{"0s", "1s", "3s", "3s"}},
		{"doubling, then linear", model.Backoff{Kind: model.BackoffDoublingLinear, Initial: model.For(10 * time.Second), Doublings: 3, Max: model.For(300 * time.Second), Jitter: model.Jitter{Kind: model.JitterNone}}, nil,
			[]string{"10s", "20s", "40s", "1m20s", "2m40s", "4m", "5m", "5m"}},
		{"server", model.Backoff{Kind: model.BackoffServer}, []string{"0s"}, []string{"unbounded"}},
		{"server, capped", model.Backoff{Kind: model.BackoffServer, Max: model.For(time.Minute)}, []string{"0s"}, []string{"1m"}},
		{"unknown", model.Backoff{}, []string{"0s"}, []string{"unknown"}},

		{"full", jittered(doubling, model.JitterFull, model.Ratio{}, 0), []string{"0s", "0s", "0s"}, []string{"100ms", "200ms", "350ms"}},
		{"equal", jittered(doubling, model.JitterEqual, model.Ratio{}, 0), []string{"50ms", "100ms", "175ms"}, []string{"100ms", "200ms", "350ms"}},
		{"proportional", jittered(doubling, model.JitterProportional, model.NewRatio(1, 5), 0), []string{"80ms", "160ms", "280ms"}, []string{"120ms", "240ms", "420ms"}},
		{"proportional by all", jittered(doubling, model.JitterProportional, model.NewRatio(1, 1), 0), []string{"0s", "0s"}, []string{"200ms", "400ms"}},
		{"proportional by more", jittered(doubling, model.JitterProportional, model.NewRatio(3, 2), 0), []string{"0s", "0s"}, []string{"250ms", "500ms"}},
		{"proportional, unknown", jittered(doubling, model.JitterProportional, model.Ratio{}, 0), []string{"0s", "0s"}, []string{"100ms", "200ms"}},
		{"upward", jittered(doubling, model.JitterUpward, model.NewRatio(1, 10), 0), []string{"100ms", "200ms"}, []string{"110ms", "220ms"}},
		{"additive", jittered(doubling, model.JitterAdditive, model.Ratio{}, 30*ms), []string{"100ms", "200ms", "350ms"}, []string{"130ms", "230ms", "380ms"}},
		{"additive, the sum capped", capsSum, []string{"100ms", "200ms", "350ms"}, []string{"200ms", "300ms", "350ms"}},
		{"additive, scaled", jittered(doubling, model.JitterAdditiveScaled, model.Ratio{}, 30*ms), []string{"100ms", "200ms", "350ms"}, []string{"130ms", "260ms", "440ms"}},
		{"decorrelated", jittered(model.Exponential(100*ms, two, 2*time.Second), model.JitterDecorrelated, model.Ratio{}, 0), []string{"100ms", "100ms", "100ms"}, []string{"300ms", "900ms", "2s"}},
		{"some", jittered(doubling, model.JitterSome, model.Ratio{}, 0), []string{"0s", "0s"}, []string{"100ms", "200ms"}},
		{"of unknown kind", jittered(doubling, model.JitterUnknown, model.Ratio{}, 0), []string{"0s", "0s"}, []string{"100ms", "200ms"}},
	} {
		lo, hi := gaps(c.b, int64(len(c.hi)))
		require.Equal(t, c.hi, hi, c.name)
		if c.lo == nil {
			c.lo = c.hi
		}
		require.Equal(t, c.lo, lo[:len(c.lo)], c.name)
	}
	lo, hi := doubling.Gap(0)
	require.Equal(t, model.For(0), lo)
	require.Equal(t, model.For(0), hi, "before the first attempt nothing waits")
	_, hi = noMax.Gap(500)
	require.Equal(t, model.NoLimit(), hi, "saturates")
	_, hi = model.Exponential(1, model.NewRatio(1001, 1000), 0).Gap(100000)
	require.True(t, hi.Known(), "slow growth is cut off, not computed for ever")
	_, hi = model.Backoff{Kind: model.BackoffDoublingLinear, Initial: model.For(1), Doublings: 100}.Gap(200)
	require.NotEqual(t, "unknown", hi.String())
}

func TestWaits(t *testing.T) {
	for _, c := range []struct {
		b            model.Backoff
		waits, known bool
	}{
		{model.Backoff{}, false, false},
		{model.NoBackoff(), false, true},
		{model.NoBackoff().WithJitter(model.Jitter{Kind: model.JitterAdditive, Extra: ms}), true, true},
		{model.NoBackoff().WithJitter(model.Jitter{Kind: model.JitterFull, Extra: ms}), false, true},
		{model.NoBackoff().WithJitter(model.Jitter{Kind: model.JitterAdditive}), false, true},
		{model.Constant(0), false, true},
		{model.Constant(ms), true, true},
		{model.Backoff{Kind: model.BackoffConstant}, true, true},
		{model.Backoff{Kind: model.BackoffLinear, Initial: model.For(0), Step: model.For(ms)}, true, true},
		{model.Backoff{Kind: model.BackoffLinear, Initial: model.For(0), Step: model.For(0)}, false, true},
		{model.Backoff{Kind: model.BackoffList}, false, true},
		{model.Backoff{Kind: model.BackoffList, List: []time.Duration{0, 0}}, false, true},
		{model.Backoff{Kind: model.BackoffList, List: []time.Duration{0, 1}}, true, true},
		{model.Backoff{Kind: model.BackoffServer}, true, true},
		{model.Backoff{Kind: model.BackoffPolynomial}, true, true},
	} {
		waits, known := c.b.Waits()
		require.Equal(t, c.waits, waits, "%+v", c.b)
		require.Equal(t, c.known, known, "%+v", c.b)
	}
}

// anyBackoff is a backoff of which everything is known.
func anyBackoff(r *rand.Rand) model.Backoff {
	d := func() time.Duration { return time.Duration(r.IntN(400)) * ms }
	b := model.Backoff{Kind: model.BackoffKind(1 + r.IntN(7)), Initial: model.For(d()), Step: model.For(d()), Factor: model.NewRatio(1+r.Int64N(6), 2),
		Degree: r.IntN(4), Shift: r.Int64N(2), Doublings: r.Int64N(4), Jitter: model.Jitter{Kind: model.JitterKind(1 + r.IntN(8)), Factor: model.NewRatio(r.Int64N(6), 4), Extra: d()},
		CapsSum: r.IntN(3) == 0, Max: model.NoLimit()}
	if r.IntN(2) == 0 {
		b.Max = model.For(d() * 3)
	}
	if b.Jitter.Kind == model.JitterDecorrelated {
		b.Kind = model.BackoffExponential
	}
	for range r.IntN(4) {
		b.List = append(b.List, d())
	}
	return b
}

// The sum is that of the gaps, however it is abbreviated; and so is what fits into a time.
func TestSumAndFitsAgainstTheGaps(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1200 {
		b := anyBackoff(r)
		n := r.Int64N(30)
		want := model.For(0)
		for k := int64(1); k < n; k++ {
			lo, hi := b.Gap(k)
			require.LessOrEqual(t, lo.Compare(hi), 0, "%+v, wait %d: %s to %s", b, k, lo, hi)
			want = want.Plus(hi)
		}
		require.Equal(t, want.String(), b.Sum(model.Exactly(n)).String(), "%+v, %d attempts", b, n)

		limit := time.Duration(r.IntN(4000)) * ms
		fits, zero, total, m := b.Fits(limit), false, time.Duration(0), int64(0)
		for k := int64(1); k < 280; k++ {
			lo, _ := b.Gap(k)
			g, ok := lo.Duration()
			require.True(t, ok)
			zero = zero || g == 0
			if g > limit-total {
				break
			}
			total += g
			m = k
		}
		if m == 279 { // waits that shrink: ever more of them fit
			require.Positive(t, fits.Compare(model.Exactly(m)), "%+v in %s", b, limit)
			continue
		}
		if fits.IsUnbounded() {
			require.True(t, zero, "%+v fits unbounded into %s", b, limit)
			continue
		}
		require.Equal(t, model.Exactly(m+1), fits, "%+v in %s", b, limit)
	}
}

func TestSumOfOddCounts(t *testing.T) {
	b := model.Constant(time.Second)
	for _, c := range []struct {
		n    model.Count
		want string
	}{
		{model.Exactly(0), "0s"}, {model.Exactly(1), "0s"}, {model.Exactly(2), "1s"}, {model.Between(1, 4), "3s"},
		{model.Unbounded(), "unbounded"}, {model.Count{}, "unknown"}, {model.AtLeast(4), "unknown"},
		{model.Exactly(1 << 40), "unbounded"}, {model.Exactly(math.MaxInt64), "unbounded"}, // more than Go's durations hold
	} {
		require.Equal(t, c.want, b.Sum(c.n).String(), c.n.String())
	}
	require.Equal(t, "0s", model.NoBackoff().Sum(model.Unbounded()).String())
	require.Equal(t, "0s", model.NoBackoff().Sum(model.Count{}).String())
	require.Equal(t, "unknown", model.Backoff{}.Sum(model.Exactly(3)).String())
	require.Equal(t, model.For(999_999*time.Second), b.Sum(model.Exactly(1_000_000)))
	growing := model.Backoff{Kind: model.BackoffLinear, Initial: model.For(1), Step: model.For(1)}
	require.Equal(t, model.NoLimit(), growing.Sum(model.Exactly(1<<20)), "too many terms to sum one by one")
	list := model.Backoff{Kind: model.BackoffList, List: []time.Duration{time.Second, time.Second, 5 * time.Second}}
	require.Equal(t, "12s", list.Sum(model.Exactly(5)).String(), "equal waits in a list are not yet its last one")
}

// Factors that somebody chose to keep the arithmetic busy: each of these took most of a minute.
func TestFactorsThatShrinkOrHardlyGrow(t *testing.T) {
	start := time.Now()
	require.True(t, model.Exponential(29*ms, model.NewRatio(1, 2), 0).Fits(4*time.Second).Compare(model.Exactly(1000)) > 0)
	hardly := model.Exponential(29*ms, model.NewRatio(10001, 10000), 0)
	sum, ok := hardly.Sum(model.Exactly(3000)).Duration()
	require.True(t, ok)
	require.Greater(t, sum, 2999*29*ms)
	require.Less(t, sum, 2999*30*ms)
	require.True(t, hardly.Sum(model.Exactly(1<<40)).IsNone() || hardly.Sum(model.Exactly(1<<40)).Known())
	require.Less(t, time.Since(start), 10*time.Second)
}

// Past the cap the rest is one product, however many there are.
func TestSumPastTheCap(t *testing.T) {
	for name, b := range map[string]model.Backoff{
		"exponential": model.Exponential(time.Second, model.NewRatio(2, 1), 4*time.Second),
		"linear":      {Kind: model.BackoffLinear, Initial: model.For(time.Second), Step: model.For(time.Second), Max: model.For(4 * time.Second), Jitter: model.Jitter{Kind: model.JitterNone}},
	} {
		head := b.Sum(model.Exactly(5))
		require.Equal(t, head.Plus(model.For(4*time.Second).Times(model.Exactly(999_995))), b.Sum(model.Exactly(1_000_000)), name)
		require.Equal(t, model.Exactly(1_000_000), b.Fits(func() time.Duration { d, _ := b.Sum(model.Exactly(1_000_000)).Duration(); return d }()), name)
	}
}

func TestFitsWhereTheFirstWaitsAreZero(t *testing.T) {
	none := model.Jitter{Kind: model.JitterNone}
	square := model.Backoff{Kind: model.BackoffPolynomial, Degree: 2, Initial: model.For(0), Jitter: none} // 0, 1, 4, 9 s
	require.Equal(t, model.Exactly(4), square.Fits(5*time.Second))
	list := model.Backoff{Kind: model.BackoffList, List: []time.Duration{0, 0, time.Second}, Jitter: none}
	require.Equal(t, model.Exactly(5), list.Fits(2*time.Second))
	require.Equal(t, model.Unbounded(), model.Backoff{Kind: model.BackoffList, List: []time.Duration{time.Second, 0}, Jitter: none}.Fits(2*time.Second), "the last one repeats")
	require.Equal(t, model.Unbounded(), model.Constant(time.Second).WithJitter(model.Jitter{Kind: model.JitterFull}).Fits(time.Second))
}

func TestFitsOfOddBackoffs(t *testing.T) {
	require.Equal(t, model.Exactly(11), model.Constant(time.Second).Fits(10*time.Second))
	require.Equal(t, model.Exactly(10), model.Constant(time.Second).Fits(10*time.Second-1))
	require.Equal(t, model.Exactly(1), model.Constant(time.Second).Fits(0))
	require.Equal(t, model.Unbounded(), model.NoBackoff().Fits(time.Second))
	require.Equal(t, model.Unbounded(), model.Backoff{}.Fits(time.Second))
	require.Equal(t, model.Unbounded(), model.Backoff{Kind: model.BackoffList, List: []time.Duration{0, 0}}.Fits(time.Second))
	later := model.Backoff{Kind: model.BackoffLinear, Initial: model.For(0), Step: model.For(time.Second), Jitter: model.Jitter{Kind: model.JitterNone}}
	require.Equal(t, model.Exactly(4), later.Fits(5*time.Second), "0 + 1 + 2 s")
	never := model.Backoff{Kind: model.BackoffLinear, Initial: model.For(0), Step: model.For(0), Jitter: model.Jitter{Kind: model.JitterNone}}
	require.Equal(t, model.Unbounded(), never.Fits(time.Second))
	slow := model.Backoff{Kind: model.BackoffLinear, Initial: model.For(1), Step: model.For(1), Jitter: model.Jitter{Kind: model.JitterNone}}
	require.Equal(t, model.Unbounded(), slow.Fits(1000*time.Hour), "too many to count one by one")
}

func TestBackoffWordsAndText(t *testing.T) {
	require.Equal(t, "exponential", model.BackoffExponential.String())
	require.Equal(t, "server-directed", model.BackoffServer.String())
	require.Equal(t, "unknown", model.BackoffKind(99).String())
	require.Equal(t, "unknown", (model.BackoffServer + 1).String())
	require.Equal(t, "unknown", (model.JitterSome + 1).String())
	require.Equal(t, "decorrelated", model.JitterDecorrelated.String())
	require.Equal(t, "some", model.JitterSome.String())
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		b := anyBackoff(r)
		text, err := json.Marshal(b)
		require.NoError(t, err)
		var back model.Backoff
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, b, back)
	}
}
