package window

import (
	"math/big"
	"time"

	"github.com/retrylint/retrylint/model"
)

// Input is what the calculator is asked.
type Input struct {
	Layers   []Layer // innermost first
	Attempt  model.Limit
	Paths    []model.ReplayPath
	Factor   model.Ratio
	Window   model.Window
	Rate     *Rate // nil: no costs
	RowBytes int64 // of one remembered key
}

// DefaultRowBytes is what one remembered key is taken to cost where nothing is said: a key of 36 characters, a time, a hash of
// the payload and a small stored answer, with an index entry.
const DefaultRowBytes = 256

// WorkedExample is the worked example of the documentation: three layers of three attempts, a window of a day.
func WorkedExample() Input {
	layer := func(name string, wait time.Duration) Layer {
		return Layer{name, model.Policy{Attempts: model.Exactly(3), Backoff: model.Constant(wait)}}
	}
	return Input{
		Layers:  []Layer{layer("http client", 2*time.Second), layer("queue worker", time.Minute), layer("batch scheduler", time.Hour)},
		Attempt: model.For(0), Paths: DefaultPaths(), Factor: model.NewRatio(2, 1), Window: model.WindowFor(24 * time.Hour), RowBytes: DefaultRowBytes,
	}
}

// DefaultPaths are the replay paths that are assumed: a dead letter within a day, a rerun after a weekend.
func DefaultPaths() []model.ReplayPath {
	return []model.ReplayPath{
		{Kind: model.PathDeadLetter, Delay: model.For(24 * time.Hour), Clock: model.AfterAutomatic, Origin: "default: 24h after the automatic path gives up"},
		{Kind: model.PathOperatorRerun, Delay: model.For(72 * time.Hour), Origin: "default: found after a weekend"},
	}
}

// LayerResult is one layer with what it makes of what is inside.
type LayerResult struct {
	Layer
	Product model.Count // attempts of this layer and everything inside
	Delay   model.Limit // P(i): from the start of the first attempt to the end of the last
}

// PathResult is one path with when its last duplicate arrives.
type PathResult struct {
	Path     model.ReplayPath
	Arrival  model.Limit
	Required model.Limit // factor times the arrival
	Verdict  model.VerdictKind
}

// Result is the calculator's answer.
type Result struct {
	Input    Input
	Layers   []LayerResult // innermost first
	Attempts model.Count
	Delay    model.Limit
	Paths    []PathResult // the automatic one first
	Judged   model.Judged
	Rows     *big.Int // nil where no rate was given, or the required window has no end
	Bytes    *big.Int
}

// Calculate answers.
func Calculate(in Input) Result {
	r := Result{Input: in}
	run := model.Run{Attempt: in.Attempt}
	for _, l := range in.Layers {
		run.Layers = append(run.Layers, l.Policy)
		r.Layers = append(r.Layers, LayerResult{l, run.Attempts(), run.Delay()})
	}
	r.Attempts, r.Delay = run.Attempts(), run.Delay()
	auto := model.Automatic{Waits: r.Delay, Worst: r.Delay}
	r.Judged = model.Judge(in.Window, auto, in.Paths, in.Factor)
	add := func(p model.ReplayPath, arrival model.Limit, paths []model.ReplayPath, a model.Automatic) {
		j := model.Judge(in.Window, a, paths, in.Factor)
		r.Paths = append(r.Paths, PathResult{p, arrival, arrival.Scale(in.Factor), j.Verdict})
	}
	add(model.ReplayPath{Kind: model.PathAutomatic, Origin: "the retries themselves"}, r.Delay, nil, auto)
	for _, p := range in.Paths {
		// The path alone: with an automatic path of no length, so that only its own arrival counts.
		alone := model.ReplayPath{Kind: p.Kind, Delay: p.Arrival(r.Delay)}
		add(p, alone.Delay, []model.ReplayPath{alone}, model.Automatic{Waits: model.For(0), Worst: model.For(0)})
	}
	if d, ok := r.Judged.Required.Duration(); ok && in.Rate != nil {
		r.Rows = in.Rate.Over(d)
		r.Bytes = new(big.Int).Mul(r.Rows, big.NewInt(in.RowBytes))
	}
	return r
}

// Amplification is the table of products: 1 to 4 layers (rows) by 2 to 5 attempts each (columns).
func Amplification() (layers, attempts []int64, cells [][]int64) {
	layers, attempts = []int64{1, 2, 3, 4}, []int64{2, 3, 4, 5}
	for _, l := range layers {
		var row []int64
		for _, a := range attempts {
			n := model.Exactly(1)
			for range l {
				n = n.Times(model.Exactly(a))
			}
			hi, _ := n.Max()
			row = append(row, hi)
		}
		cells = append(cells, row)
	}
	return layers, attempts, cells
}
