package report

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

// randomPolicy is a policy of any kind with its words in the JSON.
func randomPolicy(r *rand.Rand) (model.Policy, policyData) {
	limits := []model.Limit{{}, model.For(0), model.For(time.Millisecond), model.For(1500 * time.Millisecond), model.For(7 * time.Second), model.For(time.Minute), model.For(3 * time.Hour)}
	limit := func() model.Limit { return limits[r.IntN(len(limits))] }
	ratios := []model.Ratio{{}, model.NewRatio(1, 1), model.NewRatio(3, 2), model.NewRatio(2, 1), model.NewRatio(1, 2), model.NewRatio(13, 10)}
	counts := []model.Count{{}, model.Exactly(1), model.Exactly(2), model.Exactly(3), model.Exactly(5), model.Exactly(26), model.Exactly(400), model.Between(2, 6), model.Unbounded()}
	p := model.Policy{Attempts: counts[r.IntN(len(counts))], Gap: model.GapKind(r.IntN(2)), PerAttempt: limit(), WaitsAfterLast: r.IntN(6) == 0}
	b := model.Backoff{Kind: model.BackoffKind(r.IntN(9)), Initial: limit(), Factor: ratios[r.IntN(len(ratios))], Max: limit(), Step: limit(),
		Jitter: model.Jitter{Kind: model.JitterKind(r.IntN(10)), Factor: ratios[r.IntN(len(ratios))], Extra: time.Duration(r.IntN(3)) * time.Second}, CapsSum: r.IntN(4) == 0}
	switch b.Kind {
	case model.BackoffList:
		for range r.IntN(4) {
			b.List = append(b.List, time.Duration(r.IntN(5))*time.Second)
		}
	case model.BackoffPolynomial:
		b.Degree, b.Shift = 1+r.IntN(4), int64(r.IntN(3))
	case model.BackoffDoublingLinear:
		b.Doublings = int64(r.IntN(5))
	}
	if r.IntN(3) == 0 {
		p.Overall, p.Budget = limit(), model.BudgetKind(r.IntN(5))
	}
	p.Backoff = b
	words := func(l model.Limit) string {
		if l.IsUnknown() {
			return ""
		}
		return l.String()
	}
	ratio := func(x model.Ratio) string {
		if !x.Known() {
			return ""
		}
		return x.String()
	}
	d := policyData{Attempts: string(model.NumberOf(p.Attempts)), Min: string(model.NumberMin(p.Attempts)), Attempt: words(p.PerAttempt), Deadline: words(p.Overall), After: p.WaitsAfterLast, Factor: true,
		Budget: []string{"", "before-wait", "after-attempt", "with-count", "rate"}[p.Budget],
		Backoff: model.BackoffInfo{Kind: b.Kind.String(), Initial: words(b.Initial), Multiplier: ratio(b.Factor), Max: words(b.Max), Jitter: b.Jitter.Kind.String(), Step: words(b.Step),
			Degree: b.Degree, Shift: b.Shift, Doublings: b.Doublings, JitterFactor: ratio(b.Jitter.Factor), JitterExtra: model.FormatDuration(b.Jitter.Extra), CapsSum: b.CapsSum}}
	for _, x := range b.List {
		d.Backoff.List = append(d.Backoff.List, model.FormatDuration(x))
	}
	if p.Gap == model.StartToStart {
		d.Gap = "start-to-start"
	}
	return p, d
}

// TestPageArithmeticAgainstGo plays random layers in both: attempts and delay agree to the nanosecond.
func TestPageArithmeticAgainstGo(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	type chain struct {
		Attempt string       `json:"attempt"`
		Layers  []policyData `json:"layers"`
	}
	var chains []chain
	var want []string
	finite := 0
	for range 400 {
		run := model.Run{Attempt: []model.Limit{{}, model.For(0), model.For(2 * time.Second)}[r.IntN(3)]}
		c := chain{Attempt: run.Attempt.String()}
		for range 1 + r.IntN(3) {
			p, d := randomPolicy(r)
			run.Layers = append(run.Layers, p)
			c.Layers = append(c.Layers, d)
		}
		chains = append(chains, c)
		if d, ok := run.Delay().Duration(); ok && d > 0 {
			finite++
		}
		want = append(want, fmt.Sprintf("%s %s", model.NumberOf(run.Attempts()), run.Delay()))
	}
	require.Greater(t, finite, 50, "enough of them come to an end")
	text, err := json.Marshal(chains)
	require.NoError(t, err)
	b := openBrowser(t)
	b.open(t, emptyResult())
	got := eval[[]string](t, b, `(`+string(text)+`).map(c => {
		const r = calc.run(c.layers.map(page.policy), calc.duration(c.attempt)), n = r.attempts.hi;
		return (n === null ? "unknown" : n === Infinity ? "unbounded" : n) + " " + calc.format(r.delay);
	})`)
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, want[i], got[i], "%+v", chains[i])
	}
	b.quiet(t)
}

// TestPageContrast: text on its ground has a contrast of at least 4.5, in light and in dark (WCAG 2.1, 1.4.3).
func TestPageContrast(t *testing.T) {
	b := openBrowser(t)
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(t, scheme)
		b.open(t, richResult())
		for range 2 {
			run(t, b, `document.querySelectorAll("details").forEach(d => d.open = true)`)
			b.do(t, wait)
		}
		poor := eval[[]string](t, b, `(() => {
		const rgba = s => { const m = s.match(/[\d.]+/g).map(Number); return [m[0], m[1], m[2], m.length > 3 ? m[3] : 1]; };
		const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
		const light = c => { const f = v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }; return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]); };
		const out = new Set();
		for (const e of document.querySelectorAll("body *:not(svg *)")) {
			if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || !e.checkVisibility()) continue;
			const layers = [];
			for (let x = e; x; x = x.parentElement) layers.push(rgba(getComputedStyle(x).backgroundColor));
			let ground = [255, 255, 255, 1];
			for (const l of layers.reverse()) ground = over(l, ground);
			const a = light(over(rgba(getComputedStyle(e).color), ground)), b = light(ground), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
			if (ratio < 4.5) out.add(e.tagName + "." + e.className + " " + ratio.toFixed(2));
		}
		return [...out];
		})()`)
		require.Empty(t, poor, scheme)
		require.Zero(t, eval[int](t, b, `[...document.querySelectorAll("input, select")].filter(e => !e.labels.length).length`), "every field has a label")
		require.Zero(t, eval[int](t, b, `[...document.querySelectorAll("svg")].filter(e => e.getAttribute("role") !== "img" || !e.getAttribute("aria-label")).length`), "every picture has its words")
		ids := eval[[]string](t, b, `[...document.querySelectorAll("[id]")].map(e => e.id)`)
		seen := map[string]bool{}
		for _, id := range ids {
			require.False(t, seen[id], "two elements have the id %s", id)
			seen[id] = true
		}
	}
	b.quiet(t)
}
