package guide

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/retrylint/retrylint/internal/window"
	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/report"
)

// Find is the finding of a result whose fingerprint begins with prefix. Several are an error, and none.
func Find(r *model.Result, prefix string) (*model.FindingInfo, error) {
	var found *model.FindingInfo
	for i := range r.Findings {
		f := &r.Findings[i]
		if !strings.HasPrefix(f.Fingerprint, prefix) {
			continue
		}
		if found != nil && found.Fingerprint != f.Fingerprint {
			return nil, fmt.Errorf("%q begins several fingerprints; give more of it", prefix)
		}
		found = f
	}
	if found == nil {
		return nil, fmt.Errorf("no finding has a fingerprint that begins with %q", prefix)
	}
	return found, nil
}

// WriteFinding explains a finding: what it says, the whole arithmetic of its chain step by step, and what to do.
func WriteFinding(w io.Writer, r *model.Result, f *model.FindingInfo, width int) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s: %s %s\n", f.Location(), f.Severity, f.Rule)
	fmt.Fprintln(b, wrap(f.Message, width, "  "))
	if f.Snippet != "" {
		fmt.Fprintf(b, "  | %s\n", strings.TrimSpace(f.Snippet))
	}
	for _, x := range f.Related {
		fmt.Fprintf(b, "  %s: %s\n", x.Location(), x.Message)
	}
	if f.Suppressed != nil {
		fmt.Fprintf(b, "  suppressed by %s: %s\n", f.Suppressed.How, f.Suppressed.Reason)
	}
	for i := range r.Chains {
		if c := &r.Chains[i]; c.ID == f.Chain {
			writeChain(b, r, c)
		}
	}
	if rule, ok := Rule(f.Rule); ok {
		fmt.Fprintf(b, "\nWhy\n%s\n", wrap(rule.Why, width, "  "))
		fmt.Fprintf(b, "\nWhat to do\n%s\n", wrap(cmp.Or(f.Help, rule.Fix), width, "  "))
	}
	return b.Flush()
}

// writeChain shows how the figures of a chain come about.
func writeChain(w io.Writer, r *model.Result, c *model.ChainInfo) {
	fmt.Fprintf(w, "\nChain %s: %s to %s\n", c.ID, report.ShortName(c.Entry.Name), report.EndName(c))
	byID := make(map[string]model.LayerInfo, len(r.Layers))
	for _, l := range r.Layers {
		byID[l.ID] = l
	}
	// Inside out, as the arithmetic goes.
	var factors []model.LayerInfo
	for i := len(c.Layers) - 1; i >= 0; i-- {
		l, ok := byID[c.Layers[i]]
		switch {
		case !ok:
		case l.Factor:
			factors = append(factors, l)
		default:
			fmt.Fprintf(w, "  not a factor: %s (%s)\n", cmp.Or(l.Label, l.Kind), l.Location())
		}
	}
	steps := stepsOf(factors, c)
	product := model.Exactly(1)
	for i, l := range factors {
		n := count(l)
		product = product.Times(n)
		fmt.Fprintf(w, "  %d. %s: %s attempts%s\n", i+1, cmp.Or(l.Label, l.Kind), l.Attempts, origin(l))
		fmt.Fprintf(w, "     %s\n", l.Location())
		for _, s := range l.SetBy {
			fmt.Fprintf(w, "     set by %s\n", s.Location())
		}
		line := fmt.Sprintf("     product so far %s", product)
		if i < len(steps) {
			line += fmt.Sprintf(", from the first attempt to the last %s", steps[i])
		}
		fmt.Fprintln(w, line)
	}
	fmt.Fprintf(w, "  attempts          %s\n", c.Attempts)
	fmt.Fprintf(w, "  automatic delay   %s (waits alone)\n", c.AutomaticDelay)
	fmt.Fprintf(w, "  worst case        %s (with the time limit of the innermost attempt)\n", c.AutomaticWorstCase)
	for _, p := range c.Paths {
		fmt.Fprintf(w, "  path              %s: last duplicate after %s (%s)\n", p.Kind, p.Delay, p.Origin)
	}
	fmt.Fprintf(w, "  longest path      %s: %s\n", c.LongestPath.Kind, c.LongestPath.Delay)
	fmt.Fprintf(w, "  required window   %v x %s = %s\n", c.SafetyFactor, c.LongestPath.Delay, c.RequiredWindow)
	for _, cw := range c.Windows {
		for _, win := range r.Windows {
			if win.ID == cw.ID {
				line := fmt.Sprintf("  window            %s of %s at %s: %s", win.Kind, cmp.Or(win.Guaranteed, win.TTL), win.Location(), cw.Verdict)
				if cw.Shortfall != "" {
					line += ", " + cw.Shortfall + " short of what is required"
				}
				fmt.Fprintln(w, line)
			}
		}
	}
	for _, n := range c.Notes {
		fmt.Fprintf(w, "  note              %s\n", n)
	}
}

func origin(l model.LayerInfo) string {
	switch {
	case l.Origin != "default":
		return ""
	case l.DefaultOf == "":
		return " (a default that nobody wrote)"
	}
	return " (the default of " + l.DefaultOf + ", which nobody wrote)"
}

func count(l model.LayerInfo) model.Count {
	switch l.Attempts {
	case "unbounded":
		return model.Unbounded()
	case "unknown", "":
		return model.Count{}
	}
	var n int64
	if _, err := fmt.Sscan(string(l.Attempts), &n); err != nil {
		return model.Count{}
	}
	return model.Exactly(n)
}

// stepsOf is the delay after each layer, where the layers as reported are enough to come to the delay of the chain; the
// report does not say everything of a layer (leases, budgets), and then there are no steps.
func stepsOf(layers []model.LayerInfo, c *model.ChainInfo) []model.Limit {
	in := window.Input{Attempt: model.For(0), Factor: model.NewRatio(2, 1)}
	for _, l := range layers {
		in.Layers = append(in.Layers, window.Layer{Name: l.Label, Policy: model.Policy{Attempts: count(l), Backoff: backoff(l.Backoff)}})
	}
	r := window.Calculate(in)
	if r.Delay.String() != c.AutomaticDelay {
		return nil
	}
	var out []model.Limit
	for _, l := range r.Layers {
		out = append(out, l.Delay)
	}
	return out
}

func backoff(b model.BackoffInfo) model.Backoff {
	limit := func(s string) model.Limit {
		d, err := time.ParseDuration(s)
		if err != nil {
			return model.Limit{}
		}
		return model.For(d)
	}
	switch b.Kind {
	case "none":
		return model.NoBackoff()
	case "constant":
		return model.Backoff{Kind: model.BackoffConstant, Initial: limit(b.Initial)}
	case "exponential":
		f, err := model.ParseRatio(b.Multiplier)
		if err != nil {
			return model.Backoff{}
		}
		return model.Backoff{Kind: model.BackoffExponential, Initial: limit(b.Initial), Factor: f, Max: limit(b.Max)}
	}
	return model.Backoff{}
}
