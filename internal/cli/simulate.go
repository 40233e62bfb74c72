package cli

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrylint/retrylint/internal/sim"
	"github.com/retrylint/retrylint/model"
)

func (a *app) simulateCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "the seeded models: intents lost, applied once or twice; peak of retries in one bucket",
		Long: `simulate plays seeded models. Without flags they are the published experiments (seed 42).

clients: 200 intents, ten at a time, over a network that loses some requests before they arrive, against a handler that is
sometimes slower than the client waits. jitter: clients that fail together, and how many retries fall into one bucket of time.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return usagef("simulate clients, or simulate jitter") },
	}
	cmd.AddCommand(a.simulateClients(), a.simulateJitter())
	return cmd
}

// clientRow is one way of clients and stores with its outcome.
type clientRow struct {
	Clients    string `json:"clients"`
	Store      string `json:"store,omitempty"`
	Lost       int    `json:"lost"`
	Once       int    `json:"once"`
	Duplicated int    `json:"duplicated"`
	Attempts   int    `json:"attempts"`
	Most       int    `json:"mostTimesApplied"`
}

func (a *app) simulateClients() *cobra.Command {
	m := sim.DefaultClients()
	var format, chainID, from, loss, crash string
	seeds := 1
	cmd := &cobra.Command{
		Use:   "clients",
		Short: "what becomes of intents: lost, applied once, duplicated",
		Long: `clients plays each way in turn: never retry, retry without a key, with one key for each intent against a store that records
before the effect, after it, or in one commit with it, and with a key made anew in each attempt. With --seeds N it shows medians.`,
		Example: "  retrylint simulate clients\n  retrylint simulate clients --attempts 27 --crash 0.01\n  retrylint simulate clients --from scan.json --chain c0123456789",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if m.Loss, err = probability("loss", loss); err != nil {
				return err
			}
			if m.Crash, err = probability("crash", crash); err != nil {
				return err
			}
			switch {
			case m.Intents < 1 || m.Intents > 1_000_000:
				return usagef("--intents is from 1 to 1000000, not %d", m.Intents)
			case m.Parallel < 1:
				return usagef("--parallel is at least 1, not %d", m.Parallel)
			case seeds < 1 || seeds > 1000:
				return usagef("--seeds is from 1 to 1000, not %d", seeds)
			}
			if chainID != "" {
				if from == "" {
					return usagef("--chain needs --from, the JSON of a scan")
				}
				r, err := a.undecidedResult(cmd.Context(), from, nil)
				if err != nil {
					return err
				}
				if m.Attempts, err = chainAttempts(r, chainID); err != nil {
					return err
				}
			}
			if m.Attempts < 1 || m.Attempts > 10_000 {
				return usagef("--attempts is from 1 to 10000, not %d", m.Attempts)
			}
			rows := clientRows(m, seeds)
			if format == "json" {
				return a.writeJSON(rows)
			}
			return a.printClients(m, seeds, rows)
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&m.Intents, "intents", m.Intents, "intents")
	fs.IntVar(&m.Parallel, "parallel", m.Parallel, "how many at a time")
	fs.StringVar(&loss, "loss", "0.15", "probability that a request is lost before it arrives")
	fs.StringVar(&crash, "crash", "0", "probability of a crash between effect and record (or claim and effect)")
	fs.DurationVar(&m.Handler, "handler", m.Handler, "a handler takes up to this, evenly spread")
	fs.DurationVar(&m.Limit, "limit", m.Limit, "how long a client waits for an answer")
	fs.IntVar(&m.Attempts, "attempts", m.Attempts, "attempts for one intent, the first included")
	fs.DurationVar(&m.Base, "base", m.Base, "first back-off, full jitter, doubled each time")
	fs.DurationVar(&m.Cap, "cap", m.Cap, "longest back-off")
	fs.Uint32Var(&m.Seed, "seed", m.Seed, "seed")
	fs.IntVar(&seeds, "seeds", seeds, "play so many seeds from --seed on and show the medians")
	fs.StringVar(&chainID, "chain", "", "take the attempts of this chain of a scan")
	fs.StringVar(&from, "from", "", "JSON of a scan")
	textOrJSON(cmd, &format)
	return cmd
}

func probability(flag, text string) (float64, error) {
	p, err := strconv.ParseFloat(text, 64)
	if err != nil || !(p >= 0 && p <= 1) {
		return 0, usageError{fmt.Sprintf("--%s is a probability from 0 to 1, not %q", flag, text)}
	}
	return p, nil
}

// chainAttempts is the attempts of a chain; one without end is played with a thousand.
func chainAttempts(r *model.Result, id string) (int, error) {
	for _, c := range r.Chains {
		if c.ID != id {
			continue
		}
		if c.Attempts == "unbounded" {
			return 1000, nil
		}
		n, err := strconv.Atoi(string(c.Attempts))
		if err != nil {
			return 0, fmt.Errorf("chain %s makes an %s number of attempts", id, c.Attempts)
		}
		return min(max(n, 1), 10_000), nil
	}
	return 0, usageError{fmt.Sprintf("there is no chain %q in the scan", id)}
}

func clientRows(m sim.Clients, seeds int) []clientRow {
	ways := []struct {
		name  string
		use   sim.KeyUse
		store sim.Store
	}{
		{"never retry", sim.NeverRetry, sim.RecordBefore},
		{"retry without a key", sim.NoKey, sim.RecordBefore},
		{"retry with a key per attempt", sim.KeyPerAttempt, sim.RecordBefore},
		{"retry with one key", sim.OneKey, sim.RecordBefore},
		{"retry with one key", sim.OneKey, sim.RecordAfter},
		{"retry with one key", sim.OneKey, sim.RecordCommit},
	}
	words := map[sim.Store]string{sim.RecordBefore: "record before the effect", sim.RecordAfter: "record after the effect", sim.RecordCommit: "one commit"}
	var out []clientRow
	for _, w := range ways {
		var all []sim.Outcome
		for s := range seeds {
			one := m
			one.Use, one.Store, one.Seed = w.use, w.store, m.Seed+uint32(s)
			all = append(all, one.Run())
		}
		row := clientRow{Clients: w.name, Lost: median(all, func(o sim.Outcome) int { return o.Lost }), Once: median(all, func(o sim.Outcome) int { return o.Once }),
			Duplicated: median(all, func(o sim.Outcome) int { return o.Duplicated }), Attempts: median(all, func(o sim.Outcome) int { return o.Sent }),
			Most: median(all, func(o sim.Outcome) int { return o.Most })}
		if w.use == sim.OneKey || w.use == sim.KeyPerAttempt {
			row.Store = words[w.store]
		}
		out = append(out, row)
	}
	return out
}

func median(all []sim.Outcome, figure func(sim.Outcome) int) int {
	var v []int
	for _, o := range all {
		v = append(v, figure(o))
	}
	sort.Ints(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

func (a *app) printClients(m sim.Clients, seeds int, rows []clientRow) error {
	w := &printer{w: a.stdout}
	what := fmt.Sprintf("seed %d", m.Seed)
	if seeds > 1 {
		what = fmt.Sprintf("medians over %d seeds", seeds)
	}
	w.printf("%d intents, %d attempts each at most, %s\n", m.Intents, m.Attempts, what)
	w.printf("%-30s %-26s %6s %6s %11s %9s\n", "clients", "store", "lost", "once", "duplicated", "attempts")
	for _, r := range rows {
		w.printf("%-30s %-26s %6d %6d %11d %9d\n", r.Clients, r.Store, r.Lost, r.Once, r.Duplicated, r.Attempts)
	}
	return w.err
}

type printer struct {
	w   interface{ Write([]byte) (int, error) }
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (a *app) simulateJitter() *cobra.Command {
	h := sim.DefaultHerd()
	var format string
	cmd := &cobra.Command{
		Use:     "jitter",
		Short:   "clients that fail together: peak of retries in one bucket",
		Example: "  retrylint simulate jitter\n  retrylint simulate jitter --clients 200 --base 1s --cap 30s --bucket 100ms",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case h.Clients < 1 || h.Clients > 1_000_000:
				return usagef("--clients is from 1 to 1000000, not %d", h.Clients)
			case h.Retries < 1 || h.Retries > 100:
				return usagef("--retries is from 1 to 100, not %d", h.Retries)
			case h.Base <= 0 || h.Cap <= 0 || h.Bucket <= 0:
				return usagef("--base, --cap and --bucket are longer than nothing")
			}
			peaks := h.Run()
			if format == "json" {
				type row struct {
					Strategy string `json:"strategy"`
					Peak     int    `json:"peak"`
					At       string `json:"at"`
				}
				var rows []row
				for _, p := range peaks {
					rows = append(rows, row{string(p.Strategy), p.Peak, model.FormatDuration(time.Duration(p.At) * h.Bucket)})
				}
				return a.writeJSON(rows)
			}
			w := &printer{w: a.stdout}
			w.printf("%d clients fail together, %d retries each, first wait %s doubled up to %s; most retries within %s:\n", h.Clients, h.Retries,
				model.FormatDuration(h.Base), model.FormatDuration(h.Cap), model.FormatDuration(h.Bucket))
			for _, p := range peaks {
				bar := strings.Repeat("#", max(1, p.Peak*50/max(peaks[0].Peak, 1)))
				w.printf("%-13s %5d  %s\n", p.Strategy, p.Peak, bar)
			}
			return w.err
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&h.Clients, "clients", h.Clients, "clients that fail at the same moment")
	fs.IntVar(&h.Retries, "retries", h.Retries, "retries of each, after the first attempt")
	fs.DurationVar(&h.Base, "base", h.Base, "first wait")
	fs.DurationVar(&h.Cap, "cap", h.Cap, "longest wait before jitter")
	fs.DurationVar(&h.Bucket, "bucket", h.Bucket, "width of a bucket")
	fs.Uint32Var(&h.Seed, "seed", h.Seed, "seed")
	textOrJSON(cmd, &format)
	return cmd
}

// played are the rules whose findings the model of clients can show, with what the clients and the store do.
var played = map[string]sim.Clients{
	"unkeyed-retry":       {Use: sim.NoKey, Store: sim.RecordBefore},
	"key-per-attempt":     {Use: sim.KeyPerAttempt, Store: sim.RecordBefore},
	"key-per-delivery":    {Use: sim.KeyPerAttempt, Store: sim.RecordBefore},
	"record-after-effect": {Use: sim.OneKey, Store: sim.RecordAfter},
}

// playFindings plays the published experiment with the attempts of each finding's chain, and says what came of it at the end of
// the message, so that every form of report has it.
func playFindings(r *model.Result) {
	type run struct {
		rule     string
		attempts int
	}
	chains, layers := map[string]model.Number{}, map[string]model.Number{}
	for _, c := range r.Chains {
		chains[c.ID] = c.Attempts
	}
	for _, l := range r.Layers {
		layers[l.ID] = l.Attempts
	}
	done := map[run]sim.Outcome{}
	for i := range r.Findings {
		f := &r.Findings[i]
		way, ok := played[f.Rule]
		if !ok || f.Simulated != nil {
			continue
		}
		n := attemptsToPlay(chains[f.Chain])
		if n < 2 {
			n = attemptsToPlay(layers[f.Layer])
		}
		if n < 2 {
			continue
		}
		m := sim.DefaultClients()
		m.Attempts, m.Use, m.Store = n, way.Use, way.Store
		o, ok := done[run{f.Rule, n}]
		if !ok {
			o = m.Run()
			done[run{f.Rule, n}] = o
		}
		f.Simulated = &model.SimulatedInfo{Attempts: n, Intents: m.Intents, Lost: o.Lost, Once: o.Once, Duplicated: o.Duplicated, Most: o.Most}
		f.Message += fmt.Sprintf(" Simulated: of %d intents, %d twice or more, one of them %d times (%d attempts at most; %g %% of the requests lost before arrival, handlers up to %s, time limit %s, seed %d).",
			m.Intents, o.Duplicated, o.Most, n, m.Loss*100, model.FormatDuration(m.Handler), model.FormatDuration(m.Limit), m.Seed)
	}
}

// attemptsToPlay is a number of attempts as the model takes it: one without end is a thousand; 0 where it is not known.
func attemptsToPlay(n model.Number) int {
	if n == "unbounded" {
		return 1000
	}
	i, err := strconv.Atoi(string(n))
	if err != nil {
		return 0
	}
	return min(i, 1000)
}
