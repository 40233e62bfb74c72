// Package diff holds two results of scans against each other: which layers, chains and dedupe windows appeared, vanished, grew or
// shrank, and which findings came and went. It sees results alone, so two reports of last month compare as well as two
// revisions of today.
package diff

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/report"
)

// How says what became of a thing.
type How string

// What can become of a thing.
const (
	Appeared How = "appeared"
	Vanished How = "vanished"
	Grew     How = "grew"
	Shrank   How = "shrank"
)

// Change is one difference.
type Change struct {
	How  How    `json:"how"`
	ID   string `json:"id"`
	Name string `json:"name"` // for people
	// What is the quantity that grew or shrank: attempts, automatic delay, longest path, window, verdict; "" where the thing
	// itself appeared or vanished.
	What   string      `json:"what,omitempty"`
	Before string      `json:"before,omitempty"`
	After  string      `json:"after,omitempty"`
	At     model.Place `json:"at"`
}

// Diff is all differences between two results.
type Diff struct {
	Version  int      `json:"version"`
	Chains   []Change `json:"chains"`
	Layers   []Change `json:"layers"`
	Windows  []Change `json:"windows"`
	Findings []Change `json:"findings"` // appeared or vanished; Name is the rule, What the severity, After the message
}

// Empty reports whether nothing differs.
func (d *Diff) Empty() bool {
	return len(d.Chains)+len(d.Layers)+len(d.Windows)+len(d.Findings) == 0
}

// Compare finds what differs. The lists are in a fixed order.
func Compare(before, after *model.Result) *Diff {
	d := &Diff{Version: 1, Chains: []Change{}, Layers: []Change{}, Windows: []Change{}, Findings: []Change{}}
	pairs(before.Chains, after.Chains, func(c model.ChainInfo) string { return c.ID }, func(a, b *model.ChainInfo) {
		d.Chains = append(d.Chains, chain(a, b)...)
	})
	pairs(before.Layers, after.Layers, func(l model.LayerInfo) string { return l.ID }, func(a, b *model.LayerInfo) {
		d.Layers = append(d.Layers, layer(a, b)...)
	})
	pairs(before.Windows, after.Windows, func(w model.WindowInfo) string { return w.ID }, func(a, b *model.WindowInfo) {
		d.Windows = append(d.Windows, window(a, b)...)
	})
	d.findings(before, after)
	for _, list := range [][]Change{d.Chains, d.Layers, d.Windows, d.Findings} {
		slices.SortStableFunc(list, func(a, b Change) int {
			return cmp.Or(order(a.How)-order(b.How), a.At.Location().Compare(b.At.Location()), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
		})
	}
	return d
}

// order puts what needs a look first.
func order(h How) int { return slices.Index([]How{Grew, Appeared, Shrank, Vanished}, h) }

// pairs calls fn for each key with both values, or nil for the one that is missing.
func pairs[T any](before, after []T, key func(T) string, fn func(a, b *T)) {
	old := make(map[string]*T, len(before))
	for i := range before {
		old[key(before[i])] = &before[i]
	}
	seen := make(map[string]bool, len(after))
	for i := range after {
		k := key(after[i])
		if !seen[k] {
			seen[k] = true
			fn(old[k], &after[i])
		}
	}
	for i := range before {
		if k := key(before[i]); !seen[k] {
			seen[k] = true
			fn(&before[i], nil)
		}
	}
}

func chain(a, b *model.ChainInfo) []Change {
	switch {
	case a == nil:
		return []Change{{How: Appeared, ID: b.ID, Name: ChainName(*b), After: times(b.Attempts), At: b.Effect.Place}}
	case b == nil:
		return []Change{{How: Vanished, ID: a.ID, Name: ChainName(*a), Before: times(a.Attempts), At: a.Effect.Place}}
	}
	var out []Change
	change := func(what, before, after string, how How) {
		if how != "" {
			out = append(out, Change{How: how, ID: b.ID, Name: ChainName(*b), What: what, Before: before, After: after, At: b.Effect.Place})
		}
	}
	change("attempts", string(a.Attempts), string(b.Attempts), numbers(a.Attempts, b.Attempts))
	change("automatic delay", a.AutomaticDelay, b.AutomaticDelay, durations(a.AutomaticDelay, b.AutomaticDelay))
	if a.LongestPath.Kind != "automatic" || b.LongestPath.Kind != "automatic" {
		change("longest path", a.LongestPath.Delay, b.LongestPath.Delay, durations(a.LongestPath.Delay, b.LongestPath.Delay))
	}
	pairs(a.Windows, b.Windows, func(w model.ChainWindow) string { return w.ID }, func(v, w *model.ChainWindow) {
		if v == nil || w == nil || v.Verdict == w.Verdict {
			return
		}
		how := Shrank
		if verdictRank(w.Verdict) > verdictRank(v.Verdict) {
			how = Grew
		}
		change("verdict", v.Verdict, w.Verdict, how)
	})
	return out
}

// verdictRank orders verdicts by how well a window covers: a margin that "grew" became better.
func verdictRank(v string) int {
	return slices.Index([]string{"short", "unknown", "margin", "covered"}, v)
}

func layer(a, b *model.LayerInfo) []Change {
	name := func(l *model.LayerInfo) string { return cmp.Or(l.Label, l.Kind) }
	switch {
	case a == nil:
		return []Change{{How: Appeared, ID: b.ID, Name: name(b), After: times(b.Attempts), At: b.Place}}
	case b == nil:
		return []Change{{How: Vanished, ID: a.ID, Name: name(a), Before: times(a.Attempts), At: a.Place}}
	}
	if how := numbers(a.Attempts, b.Attempts); how != "" {
		return []Change{{How: how, ID: b.ID, Name: name(b), What: "attempts", Before: string(a.Attempts), After: string(b.Attempts), At: b.Place}}
	}
	return nil
}

func window(a, b *model.WindowInfo) []Change {
	ttl := func(w *model.WindowInfo) string { return cmp.Or(w.Guaranteed, w.TTL) }
	switch {
	case a == nil:
		return []Change{{How: Appeared, ID: b.ID, Name: b.Kind, After: ttl(b), At: b.Place}}
	case b == nil:
		return []Change{{How: Vanished, ID: a.ID, Name: a.Kind, Before: ttl(a), At: a.Place}}
	}
	if how := durations(ttl(a), ttl(b)); how != "" {
		return []Change{{How: how, ID: b.ID, Name: b.Kind, What: "window", Before: ttl(a), After: ttl(b), At: b.Place}}
	}
	return nil
}

// findings compares what counts: a finding that is suppressed now has vanished.
func (d *Diff) findings(before, after *model.Result) {
	counted := func(r *model.Result) map[string][]model.FindingInfo {
		m := make(map[string][]model.FindingInfo)
		for _, f := range r.Findings {
			if f.Suppressed == nil && f.Baseline != "absent" {
				m[f.Fingerprint] = append(m[f.Fingerprint], f)
			}
		}
		return m
	}
	old, now := counted(before), counted(after)
	add := func(how How, f model.FindingInfo) {
		d.Findings = append(d.Findings, Change{How: how, ID: f.Fingerprint, Name: f.Rule, What: f.Severity, After: f.Message, At: f.Place})
	}
	for k, list := range now {
		for i, f := range list {
			if i >= len(old[k]) {
				add(Appeared, f)
			}
		}
	}
	for k, list := range old {
		for i, f := range list {
			if i >= len(now[k]) {
				add(Vanished, f)
			}
		}
	}
}

// ChainName is a chain for people: its ends.
func ChainName(c model.ChainInfo) string {
	return report.ShortName(c.Entry.Name) + " to " + report.EndName(&c)
}

func times(n model.Number) string {
	if n == "1" {
		return "1 attempt"
	}
	return string(n) + " attempts"
}

// numbers compares counts; one that becomes or was unknown is no growth and no shrinking, unless the other is unbounded.
func numbers(a, b model.Number) How { return compare(rankNumber(a), rankNumber(b), a == b) }

// durations compares durations, "unbounded", "permanent" and "unknown".
func durations(a, b string) How { return compare(rankDuration(a), rankDuration(b), a == b) }

func compare(a, b int64, same bool) How {
	switch {
	case same || a < 0 || b < 0 || a == b:
		return ""
	case b > a:
		return Grew
	}
	return Shrank
}

func rankNumber(n model.Number) int64 {
	if n == "unbounded" {
		return math.MaxInt64
	}
	i, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil {
		return -1
	}
	return i
}

func rankDuration(s string) int64 {
	if s == "unbounded" || s == "permanent" {
		return math.MaxInt64
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return -1
	}
	return int64(d)
}

// Sentence is a change in words: "POST /payouts to ledger: attempts grew from 9 to 27".
func (c Change) Sentence() string {
	switch {
	case c.What == "verdict":
		return fmt.Sprintf("%s: window %s, was %s", c.Name, c.After, c.Before)
	case c.How == Grew || c.How == Shrank:
		return fmt.Sprintf("%s: %s %s from %s to %s", c.Name, c.What, c.How, c.Before, c.After)
	case c.How == Appeared:
		return fmt.Sprintf("%s appeared (%s)", c.Name, c.After)
	}
	return fmt.Sprintf("%s vanished (%s)", c.Name, c.Before)
}
