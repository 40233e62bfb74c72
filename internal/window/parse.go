// Package window is the calculator: layers, paths, a factor and a window in, attempts, delays and a verdict out. It parses and
// prints; the arithmetic is that of package model, which the rules and the reports use as well, so they cannot disagree.
package window

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/model"
)

// Layer is one layer with its name.
type Layer struct {
	Name   string
	Policy model.Policy
}

// ParseLayer reads a layer in one of the forms
//
//	name:attempts                      no waits
//	name:attempts:wait                 2s | 1s..30s x2 | 1s x2 | 1s,5s,10s | none
//	name:key=value,key=value,...       attempts, initial, factor, max, jitter, timeout, deadline, budget, gap
//
// attempts are total calls, a number or "unbounded". jitter is none, full, equal, a factor ("0.5": each wait up to 1.5 times
// as long) or an amount ("100ms"). timeout ends one run of everything inside, deadline ends the layer (budget: hard, gate-before,
// gate-after). gap is end, a wait after a failure, or start, a lease or period counted from the start of an attempt.
func ParseLayer(s string) (Layer, error) {
	bad := func(err error) (Layer, error) { return Layer{}, fmt.Errorf("layer %q: %w", s, err) }
	parts := strings.Split(s, ":")
	last := parts[len(parts)-1]
	if len(parts) >= 2 && strings.Contains(last, "=") {
		p, err := parsePairs(last)
		if err != nil {
			return bad(err)
		}
		return named(strings.Join(parts[:len(parts)-1], ":"), p, bad)
	}
	var nameParts []string
	var count, wait string
	switch {
	case len(parts) == 2:
		nameParts, count, wait = parts[:1], parts[1], "none"
	case len(parts) > 2:
		n := len(parts)
		// The name may hold colons of its own: "host:port client:3".
		if _, err := config.ParseAttempts(strings.TrimSpace(parts[n-2])); err != nil {
			if _, err := config.ParseAttempts(strings.TrimSpace(last)); err == nil {
				nameParts, count, wait = parts[:n-1], last, "none"
				break
			}
		}
		nameParts, count, wait = parts[:n-2], parts[n-2], parts[n-1]
	default:
		return bad(fmt.Errorf("it must be name:attempts:wait, such as \"http client:3:2s\""))
	}
	attempts, err := config.ParseAttempts(strings.TrimSpace(count))
	if err != nil {
		return bad(err)
	}
	backoff, err := ParseWait(wait)
	if err != nil {
		return bad(err)
	}
	return named(strings.Join(nameParts, ":"), model.Policy{Attempts: attempts, Backoff: backoff}, bad)
}

func named(name string, p model.Policy, bad func(error) (Layer, error)) (Layer, error) {
	if name = strings.TrimSpace(name); name == "" {
		return bad(fmt.Errorf("the name is missing"))
	}
	return Layer{name, p}, nil
}

// ParseWait reads the waits between attempts: "2s", "1s..30s x2", "1s x2", "1s,5s,10s", "none".
func ParseWait(s string) (model.Backoff, error) {
	s = strings.TrimSpace(s)
	if s == "none" || s == "0" {
		return model.NoBackoff(), nil
	}
	if strings.Contains(s, ",") {
		b := model.Backoff{Kind: model.BackoffList, Jitter: model.Jitter{Kind: model.JitterNone}}
		for item := range strings.SplitSeq(s, ",") {
			d, err := config.ParseDuration(item)
			if err != nil {
				return model.Backoff{}, err
			}
			b.List = append(b.List, d)
		}
		return b, nil
	}
	times := ""
	if span, x, ok := strings.Cut(s, "x"); ok {
		s, times = strings.TrimSpace(span), strings.TrimSpace(x)
	}
	first, most, capped := strings.Cut(s, "..")
	initial, err := config.ParseDuration(first)
	if err != nil {
		return model.Backoff{}, err
	}
	if !capped && times == "" {
		return model.Constant(initial), nil
	}
	factor := model.NewRatio(2, 1)
	if times != "" {
		if factor, err = parseFactor(times); err != nil {
			return model.Backoff{}, err
		}
	}
	var most2 time.Duration
	if capped {
		if most2, err = config.ParseDuration(most); err != nil {
			return model.Backoff{}, err
		}
	}
	return model.Exponential(initial, factor, most2), nil
}

func parseFactor(s string) (model.Ratio, error) {
	r, err := model.ParseRatio(s)
	if err == nil && r.Cmp(model.NewRatio(1, 1)) < 0 {
		err = fmt.Errorf("factor %s is below 1", s)
	}
	return r, err
}

// pairKeys are the keys of the long form.
var pairKeys = []string{"attempts", "initial", "factor", "max", "jitter", "timeout", "deadline", "budget", "gap"}

func parsePairs(s string) (model.Policy, error) {
	p := model.Policy{Backoff: model.Backoff{Kind: model.BackoffNone, Jitter: model.Jitter{Kind: model.JitterNone}}}
	b := &p.Backoff
	seen := make(map[string]bool)
	for pair := range strings.SplitSeq(s, ",") {
		k, v, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok || seen[k] {
			return p, fmt.Errorf("%q is not key=value, or its key stands twice", pair)
		}
		seen[k] = true
		var err error
		var d time.Duration
		switch k {
		case "attempts":
			p.Attempts, err = config.ParseAttempts(v)
		case "initial":
			d, err = config.ParseDuration(v)
			b.Initial = model.For(d)
		case "max":
			d, err = config.ParseDuration(v)
			b.Max = model.For(d)
		case "factor":
			b.Factor, err = parseFactor(v)
		case "timeout":
			d, err = config.ParseDuration(v)
			p.PerAttempt = model.For(d)
		case "deadline":
			d, err = config.ParseDuration(v)
			p.Overall = model.For(d)
		case "jitter":
			b.Jitter, err = parseJitter(v)
		case "budget":
			p.Budget, err = oneOf(v, map[string]model.BudgetKind{"hard": model.BudgetHard, "gate-before": model.BudgetGateBefore, "gate-after": model.BudgetGateAfter})
		case "gap":
			p.Gap, err = oneOf(v, map[string]model.GapKind{"end": model.EndToStart, "start": model.StartToStart})
		default:
			err = fmt.Errorf("unknown key %q", k)
			if n := config.Nearest(k, pairKeys); n != "" {
				err = fmt.Errorf("unknown key %q, did you mean %q?", k, n)
			}
		}
		if err != nil {
			return p, err
		}
	}
	if !seen["attempts"] && !seen["deadline"] {
		return p, fmt.Errorf("attempts are missing")
	}
	if !seen["attempts"] {
		p.Attempts = model.Unbounded()
	}
	if seen["initial"] {
		b.Kind = model.BackoffConstant
		if seen["factor"] || seen["max"] {
			b.Kind = model.BackoffExponential
			if !seen["factor"] {
				b.Factor = model.NewRatio(2, 1)
			}
			if !seen["max"] {
				b.Max = model.NoLimit()
			}
		}
	} else if seen["factor"] || seen["max"] || seen["jitter"] {
		return p, fmt.Errorf("initial, the first wait, is missing")
	}
	return p, nil
}

func oneOf[T any](v string, words map[string]T) (T, error) {
	t, ok := words[v]
	if !ok {
		return t, fmt.Errorf("%q is not known here", v)
	}
	return t, nil
}

func parseJitter(v string) (model.Jitter, error) {
	switch v {
	case "none":
		return model.Jitter{Kind: model.JitterNone}, nil
	case "full":
		return model.Jitter{Kind: model.JitterFull}, nil
	case "equal":
		return model.Jitter{Kind: model.JitterEqual}, nil
	}
	if r, err := model.ParseRatio(v); err == nil && r.Cmp(model.NewRatio(0, 1)) >= 0 && r.Cmp(model.NewRatio(1, 1)) <= 0 {
		return model.Jitter{Kind: model.JitterProportional, Factor: r}, nil
	}
	d, err := config.ParseDuration(v)
	if err != nil {
		return model.Jitter{}, fmt.Errorf("jitter %q is not none, full, equal, a factor up to 1, or an amount", v)
	}
	return model.Jitter{Kind: model.JitterAdditive, Extra: d}, nil
}

// ParsePath reads a way by which a duplicate can come: "name:72h[:after-automatic][:then-automatic]". The delay is counted
// from the first attempt, or from the end of the automatic path; then-automatic: the replay runs the automatic path again.
func ParsePath(s string) (model.ReplayPath, error) {
	parts := strings.Split(s, ":")
	p := model.ReplayPath{Origin: "given"}
	for len(parts) > 2 {
		last := strings.TrimSpace(parts[len(parts)-1])
		switch last {
		case "after-automatic":
			p.Clock = model.AfterAutomatic
		case "then-automatic":
			p.ThenAutomatic = true
		default:
			return p, fmt.Errorf("path %q: %q is neither after-automatic nor then-automatic", s, last)
		}
		parts = parts[:len(parts)-1]
	}
	if len(parts) != 2 || strings.TrimSpace(parts[0]) == "" {
		return p, fmt.Errorf("path %q: it must be name:delay, such as \"weekend rerun:72h\"", s)
	}
	p.Kind = model.PathKind(strings.TrimSpace(parts[0]))
	if parts[1] == "unbounded" {
		p.Delay = model.NoLimit()
		return p, nil
	}
	d, err := config.ParseDuration(parts[1])
	if err != nil {
		return p, fmt.Errorf("path %q: %w", s, err)
	}
	p.Delay = model.For(d)
	return p, nil
}

// Rate is how many intents there are in a time.
type Rate struct {
	n   *big.Rat
	per time.Duration
	s   string
}

// ParseRate reads "50000/day"; the time is second, minute, hour, day or week, day where it is left out.
func ParseRate(s string) (Rate, error) {
	number, unit, ok := strings.Cut(strings.TrimSpace(s), "/")
	if !ok {
		unit = "day"
	}
	per, known := map[string]time.Duration{"s": time.Second, "second": time.Second, "sec": time.Second, "m": time.Minute, "min": time.Minute,
		"minute": time.Minute, "h": time.Hour, "hour": time.Hour, "d": 24 * time.Hour, "day": 24 * time.Hour, "week": 168 * time.Hour}[strings.TrimSpace(unit)]
	if !known {
		return Rate{}, fmt.Errorf("rate %q: %q is not second, minute, hour, day or week", s, unit)
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	n, ratOK := new(big.Rat).SetString(strings.TrimSpace(number))
	if err != nil || !ratOK || f <= 0 || f > 1e15 {
		return Rate{}, fmt.Errorf("rate %q: it must be a number and a time, such as 50000/day", s)
	}
	return Rate{n, per, s}, nil
}

// Over is how many intents fall into a duration, rounded up.
func (r Rate) Over(d time.Duration) *big.Int {
	v := new(big.Rat).Mul(r.n, big.NewRat(int64(d), int64(r.per)))
	q, m := new(big.Int).DivMod(v.Num(), v.Denom(), new(big.Int))
	if m.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}
