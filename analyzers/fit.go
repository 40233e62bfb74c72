package analyzers

import (
	"math"
	"time"

	"github.com/retrylint/retrylint/model"
)

// fitBackoff finds the rule behind a series of waits, one entry for each gap between two attempts. Waits of which the size
// is not known still show their shape; their settings become references.
func fitBackoff(gaps [][]abs) (model.Backoff, []model.Ref) {
	any := false
	for _, g := range gaps {
		if len(g) > 0 {
			any = true
		}
	}
	if !any {
		return model.NoBackoff(), nil
	}
	var lo, hi []float64
	var lf *leaf
	for i, g := range gaps {
		if len(g) == 0 {
			// A gap without a wait: at the end it is where the run was cut off; elsewhere it is a wait of zero.
			if i == len(gaps)-1 && len(gaps) > 1 {
				break
			}
			lo, hi = append(lo, 0), append(hi, 0)
			continue
		}
		var a, b float64
		for _, w := range g {
			if w.k != absNum {
				return model.Backoff{Kind: model.BackoffConstant}, refsOf(lf)
			}
			a, b = a+w.lo, b+w.hi
			if w.leaf != nil && (lf == nil || w.leaf.unknown && !lf.unknown) {
				lf = w.leaf
			}
		}
		lo, hi = append(lo, max(a, 0)), append(hi, max(b, 0))
	}
	b := shape(lo, hi)
	if lf != nil && lf.unknown {
		b.Initial, b.Step, b.Max = model.Limit{}, model.Limit{}, model.Limit{}
		if b.Kind == model.BackoffList {
			b = model.Backoff{Kind: model.BackoffConstant, Jitter: b.Jitter}
		}
		b.Jitter.Extra = 0
	}
	return b, refsOf(lf)
}

func refsOf(l *leaf) []model.Ref {
	if l == nil || l.val.Ref.Name.IsZero() {
		return nil
	}
	r := l.val.Ref
	r.Field = model.FieldInitial
	return []model.Ref{r}
}

func dur(x float64) time.Duration {
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(math.Round(x))
}

// shape fits a rule to the bounds of the waits.
func shape(lo, hi []float64) model.Backoff {
	jit, g := spread(lo, hi)
	b := model.Backoff{Jitter: jit}
	n := len(g)
	switch {
	case all(g, func(i int) bool { return g[i] == 0 }):
		return model.NoBackoff()
	case all(g, func(i int) bool { return near(g[i], g[0]) }):
		b.Kind, b.Initial = model.BackoffConstant, model.For(dur(g[0]))
		return b
	}
	top := 0.0
	m := n
	// A tail of equal waits is the cap.
	if n >= 3 && near(g[n-1], g[n-2]) {
		for m > 1 && near(g[m-2], g[n-1]) {
			m--
		}
		top = g[n-1]
		m--
	}
	if n >= 3 && g[1] > g[0] && all(g[1:], func(i int) bool { return near(g[i+1]-g[i], g[1]-g[0]) }) {
		b.Kind, b.Initial, b.Step, b.Max = model.BackoffLinear, model.For(dur(g[0])), model.For(dur(g[1]-g[0])), model.NoLimit()
		return b
	}
	if top == 0 && n >= 3 && g[n-1] > 0 && g[n-2] > 0 && g[0] > 0 {
		// The last wait alone may have met the cap.
		r := g[1] / g[0]
		if r > 1 && g[n-1] < g[n-2]*r && all(g[1:n-1], func(i int) bool { return nearRatio(g[i+1]/g[i], r) }) {
			top, m = g[n-1], n-1
		}
	}
	limit := model.NoLimit()
	if top > 0 {
		limit = model.For(dur(top))
	}
	head := g[:max(m, 1)]
	if top > 0 && len(head) == 1 {
		// initial, cap, cap, ...: any factor that reaches the cap at once
		b.Kind, b.Initial, b.Factor, b.Max = model.BackoffExponential, model.For(dur(head[0])), ratioOf(top/head[0]), limit
		if head[0] == 0 {
			b = model.Backoff{Kind: model.BackoffList, List: durations(g), Jitter: jit}
		}
		return b
	}
	if head[0] > 0 && all(head[1:], func(i int) bool { return nearRatio(head[i+1]/head[i], head[1]/head[0]) }) && len(head) >= 2 {
		// Two values fit a line as well; growth by a factor is the commoner.
		b.Kind, b.Initial, b.Factor, b.Max = model.BackoffExponential, model.For(dur(head[0])), ratioOf(head[1]/head[0]), limit
		return b
	}
	if len(head) >= 2 && all(head[1:], func(i int) bool { return near(head[i+1]-head[i], head[1]-head[0]) }) && head[1] > head[0] {
		b.Kind, b.Initial, b.Step, b.Max = model.BackoffLinear, model.For(dur(head[0])), model.For(dur(head[1]-head[0])), limit
		return b
	}
	b.Kind, b.List = model.BackoffList, durations(g)
	return b
}

func ratioOf(x float64) model.Ratio {
	if r := math.Round(x * 1000); nearRatio(r/1000, x) {
		return model.NewRatio(int64(r), 1000)
	}
	return model.RatioOf(x)
}

func durations(g []float64) []time.Duration {
	var out []time.Duration
	for _, x := range g {
		out = append(out, dur(x))
	}
	return out
}

func all(g []float64, ok func(int) bool) bool {
	for i := range g {
		if !ok(i) {
			return false
		}
	}
	return true
}

func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-6*max(math.Abs(a), math.Abs(b))+0.5
}

// spread tells the jitter from the bounds of the waits, and gives the waits before it.
func spread(lo, hi []float64) (model.Jitter, []float64) {
	same := all(lo, func(i int) bool { return near(lo[i], hi[i]) })
	if same {
		return model.Jitter{Kind: model.JitterNone}, hi
	}
	if all(lo, func(i int) bool { return lo[i] == 0 }) {
		return model.Jitter{Kind: model.JitterFull}, hi
	}
	if all(lo, func(i int) bool { return near(lo[i], hi[i]/2) }) {
		return model.Jitter{Kind: model.JitterEqual}, hi
	}
	if all(lo, func(i int) bool { return near(hi[i]-lo[i], hi[0]-lo[0]) }) && !all(lo, func(i int) bool { return near(lo[i], lo[0]) }) {
		return model.Jitter{Kind: model.JitterAdditive, Extra: dur(hi[0] - lo[0])}, lo
	}
	if all(lo, func(i int) bool { return near(lo[i], lo[0]) && near(hi[i]-lo[i], float64(i+1)*(hi[0]-lo[0])) }) && len(lo) > 1 {
		return model.Jitter{Kind: model.JitterAdditiveScaled, Extra: dur(hi[0] - lo[0])}, lo
	}
	if lo[0] > 0 && all(lo, func(i int) bool { return lo[i] > 0 && nearRatio(hi[i]/lo[i], hi[0]/lo[0]) }) {
		mid := (lo[0] + hi[0]) / 2
		if roundness(mid) < roundness(lo[0]) {
			f := (hi[0] - lo[0]) / (hi[0] + lo[0])
			g := make([]float64, len(lo))
			for i := range lo {
				g[i] = (lo[i] + hi[i]) / 2
			}
			return model.Jitter{Kind: model.JitterProportional, Factor: ratioOf(f)}, g
		}
		if all(lo, func(i int) bool { return near(lo[i], lo[0]) }) {
			return model.Jitter{Kind: model.JitterAdditive, Extra: dur(hi[0] - lo[0])}, lo
		}
		return model.Jitter{Kind: model.JitterUpward, Factor: ratioOf(hi[0]/lo[0] - 1)}, lo
	}
	return model.Jitter{Kind: model.JitterSome}, hi
}

func nearRatio(a, b float64) bool { return math.Abs(a-b) <= 1e-4*math.Abs(b) }

// roundness is the number of decimal digits that a wait needs: 2 s is rounder than 1.9 s.
func roundness(x float64) int {
	n := int64(math.Round(x))
	if n == 0 {
		return 0
	}
	digits := 0
	for n%10 == 0 {
		n /= 10
	}
	for n != 0 {
		n /= 10
		digits++
	}
	return digits
}
