package conformance

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// slack is what scheduling and the requests themselves may add to a run.
const slack = 50 * time.Millisecond

// Row is one line of the table.
type Row struct {
	Case    string `json:"case"`
	Server  string `json:"server,omitempty"`
	Said    string `json:"said"`    // attempts
	Counted string `json:"counted"` // attempts
	Verdict string `json:"verdict"`
	// Waits is what is said of the time between the first attempt and the last one, as far as attempts were measured.
	Waits string `json:"waits"`
	// Took is how long it took when the row was last written: a figure for readers, never compared.
	Took string `json:"took,omitempty"`
	Time string `json:"time"` // verdict on the waits
	Keys string `json:"keys,omitempty"`
	Why  string `json:"why,omitempty"`
}

// The verdicts on attempts.
const (
	Exact     = "exact"
	Within    = "within"    // a range is said
	Unbounded = "unbounded" // as said: still going when the run was ended
	First     = "first"     // the first ones alone were measured, or the server recovered
	Over      = "over"      // fewer came than were said
	Unknown   = "unknown"   // it is said that it is not known
	Unseen    = "not seen"  // nothing is said
)

// measured is what came out of the runs of a case.
type measured struct {
	counts []int
	spans  []time.Duration // first attempt to last attempt
	ends   []time.Duration // first attempt to the return of the program
	gaps   [][]time.Duration
	keys   string
}

func (m *measured) add(r *Record, end time.Duration) {
	all := r.Attempts()
	m.counts = append(m.counts, len(all))
	m.gaps = append(m.gaps, r.Gaps())
	var span time.Duration
	if len(all) > 1 {
		span = all[len(all)-1].At.Sub(all[0].At)
	}
	m.spans = append(m.spans, span)
	m.ends = append(m.ends, end)
	if len(all) > 1 {
		switch n, every := r.Keys(); {
		case n == 0:
			m.keys = "none"
		case n == 1 && every:
			m.keys = "same"
		default:
			m.keys = "new each time"
		}
	}
}

func (m *measured) counted() string {
	lo, hi := slices.Min(m.counts), slices.Max(m.counts)
	if lo != hi {
		return fmt.Sprintf("%d to %d", lo, hi)
	}
	return fmt.Sprint(lo)
}

// judge holds a prediction against what was measured. A failed one is an error; late is true where it might have been the
// machine that was slow.
func (c *Case) judge(p Prediction, s *Scan, m *measured) (row Row, late bool, err error) {
	row = Row{Case: c.Name, Server: c.Server.Name, Said: p.Said(), Counted: m.counted(), Keys: c.Keys}
	var why []string
	lo, hi := slices.Min(m.counts), slices.Max(m.counts)
	partial := c.Stop > 0 || strings.Contains(c.Server.Name, "times")
	switch {
	case c.Unseen != "":
		row.Verdict, row.Said, row.Waits, row.Time = Unseen, "nothing", "", "not compared"
		if len(p.Layers) > 0 {
			return row, false, fmt.Errorf("a reason is given why the linter sees nothing, and %s is said", p.Said())
		}
		row.Why = c.Unseen
		return row, false, nil
	case p.Unknown:
		row.Verdict = Unknown
		if c.Unknown == "" {
			return row, false, fmt.Errorf("unknown is said, %s attempts came", row.Counted)
		}
		why = append(why, c.Unknown)
	case p.Unbounded:
		row.Verdict = Unbounded
		if c.Stop == 0 || lo < c.Stop {
			if c.Over == "" {
				return row, false, fmt.Errorf("unbounded is said, %s attempts came", row.Counted)
			}
			row.Verdict = Over
		}
	case hi > p.Max:
		return row, false, fmt.Errorf("%s attempts are said, %s came", row.Said, row.Counted)
	case partial && lo < p.Max:
		row.Verdict = First
	case p.Min != p.Max && lo >= p.Min:
		row.Verdict = Within
	case lo == p.Max:
		row.Verdict = Exact
	default:
		row.Verdict = Over
	}
	switch {
	case row.Verdict == Over && c.Over == "":
		timed := false // fewer fit into a time where the machine is slow
		for _, l := range p.Layers {
			timed = timed || l.Deadline != "" && l.Deadline != "unbounded"
		}
		return row, timed, fmt.Errorf("%s attempts are said, %s came", row.Said, row.Counted)
	case row.Verdict == Over:
		why = append(why, c.Over)
	case c.Over != "":
		return row, false, fmt.Errorf("a reason for an over-estimate is given, and there is none: %s said, %s came", row.Said, row.Counted)
	}
	if c.Unknown != "" && row.Verdict != Unknown {
		return row, false, fmt.Errorf("a reason for unknown is given, and %s is said", row.Said)
	}
	late, err = c.judgeTime(p, m, &row)
	if c.Time != "" {
		why = append(why, c.Time)
	}
	row.Why = strings.Join(why, " ")
	if err != nil {
		return row, late, err
	}
	if c.Keys != "" {
		if m.keys != c.Keys {
			return row, false, fmt.Errorf("keys: %s is expected, %s came", c.Keys, m.keys)
		}
		if fresh := len(s.findings("key-per-attempt", p)) > 0; fresh != (m.keys == "new each time") {
			return row, false, fmt.Errorf("keys: %s; key-per-attempt found: %t", m.keys, fresh)
		}
		if none := len(s.findings("unkeyed-retry", p)) > 0; none != (m.keys == "none") {
			return row, false, fmt.Errorf("keys: %s; unkeyed-retry found: %t", m.keys, none)
		}
	}
	return row, false, nil
}

// judgeTime holds the waits against the measured ones.
func (c *Case) judgeTime(p Prediction, m *measured, row *Row) (late bool, err error) {
	n := slices.Max(m.counts)
	var lo, hi time.Duration
	var ok bool
	took := m.spans
	switch {
	case len(p.Layers) == 1:
		l := p.Layers[0]
		if row.Verdict != Exact {
			l.WaitsAfterLast = false
		}
		if lo, hi, ok = l.Span(n); ok && l.WaitsAfterLast {
			took = m.ends
		}
		if ok && row.Verdict == Exact && p.Waits != "" {
			// The linter's own arithmetic and that of this package agree.
			if d, known := duration(p.Waits); !known || d+time.Millisecond < hi && p.Layers[0].Deadline == "" || d > hi+time.Millisecond {
				return false, fmt.Errorf("waits: the chain says %s, its layer amounts to %s", p.Waits, hi)
			}
		}
	case len(p.Layers) == 0:
		ok = true
	default:
		hi, ok = duration(p.Waits)
		lo = p.Shortest()
		if row.Verdict != Exact {
			lo = 0
		}
	}
	row.Took = round(slices.Min(took))
	if a, b := round(slices.Min(took)), round(slices.Max(took)); a != b {
		row.Took = a + " to " + b
	}
	if len(p.Layers) == 1 {
		// A limit in time may cut the last wait.
		if d, limited := duration(p.Layers[0].Deadline); limited && d != forever {
			lo = min(lo, d)
			if w, known := duration(p.Waits); known && row.Verdict == Exact {
				hi = min(hi, w)
			}
		}
	}
	row.Waits = "unknown"
	if ok {
		row.Waits = round(hi)
		if lo != hi {
			row.Waits = round(lo) + " to " + round(hi)
		}
	}
	worst, known := duration(p.Worst)
	hangs := strings.HasPrefix(c.Server.Name, "hangs") && known
	if hangs {
		row.Waits, row.Took = round(worst)+" with time limits", round(slices.Max(m.ends))
		took, hi, ok = m.ends, worst, true
		lo = worst
		if p.Jitter() {
			lo = p.Shortest()
		}
	}
	if c.Time != "" {
		row.Time = "not compared"
		return false, nil
	}
	if !ok {
		return false, fmt.Errorf("waits: nothing is said; it took %s", row.Took)
	}
	row.Time = "within"
	if !p.Jitter() {
		row.Time = "within 10 %"
	}
	for i, d := range took {
		most := hi + slack
		if row.Verdict == Unbounded {
			most += time.Duration(n) * 10 * time.Millisecond // many short waits: what each request takes adds up
		}
		if !p.Jitter() {
			most += hi / 10
		}
		if m.counts[i] == n && d > most {
			return true, fmt.Errorf("waits: at most %s is said, it took %s, gaps %s", hi, d, m.gaps[i])
		}
		if least := lo - lo/10; m.counts[i] == n && d < least-time.Millisecond && (p.Jitter() || d < least-slack) {
			return false, fmt.Errorf("waits: at least %s is said, it took %s, gaps %s", lo, d, m.gaps[i])
		}
	}
	if len(p.Layers) == 1 && !hangs {
		for _, gaps := range m.gaps {
			var passed, least time.Duration
			for k, g := range gaps {
				lo, hi, ok := p.Layers[0].Backoff.Gap(k + 1)
				if !ok || p.Layers[0].Gap != "" {
					break
				}
				if g > hi+hi/10+slack {
					return true, fmt.Errorf("wait %d: at most %s is said, it took %s; gaps %s", k+1, hi, g, gaps)
				}
				cut := p.Layers[0].Deadline != "" && p.Layers[0].Deadline != "unbounded" && k == len(gaps)-1
				// A late attempt may be followed by an early one where a ticker gives the pace.
				passed, least = passed+g, least+lo
				if passed < least-least/10-2*time.Millisecond && !cut {
					return false, fmt.Errorf("%d waits: at least %s is said, it took %s; gaps %s", k+1, least, passed, gaps)
				}
			}
		}
	}
	return false, nil
}

// heed checks whether the program waited as the server's Retry-After asked, and that the linter says the same.
func (c *Case) heed(p Prediction, s *Scan, m *measured, asked time.Duration) error {
	waited := true
	for _, gaps := range m.gaps {
		for _, g := range gaps {
			waited = waited && g >= asked-asked/20
		}
	}
	if waited != *c.Heeds {
		return fmt.Errorf("Retry-After %s: heeded is %t, gaps %s", asked, waited, m.gaps)
	}
	said := false
	for _, f := range s.findings("ignores-retry-after", p) {
		said = said || !strings.Contains(f.Message, "obeyed without a cap")
	}
	if !waited {
		said = s.Has("ignores-retry-after", "") // of several layers around one request the finding names one
	}
	if said == waited {
		return fmt.Errorf("Retry-After %s: heeded is %t, ignores-retry-after found: %t", asked, waited, said)
	}
	return nil
}

// round makes a duration short enough to read.
func round(d time.Duration) string {
	switch {
	case d == forever:
		return "unbounded"
	case d >= 10*time.Second:
		d = d.Round(time.Second)
	case d >= time.Second:
		d = d.Round(10 * time.Millisecond)
	default:
		d = d.Round(time.Millisecond)
	}
	return d.String()
}

func repoNames(dirs []string) string {
	var out []string
	for _, d := range dirs {
		out = append(out, filepath.Base(d))
	}
	return strings.Join(out, ", ")
}

// differs says in what a row differs from one that was written before, "" where it does not. What was measured in time and a
// count that is a matter of chance may differ.
func (r Row) differs(old Row) string {
	for _, x := range []struct{ what, a, b string }{{"server", r.Server, old.Server}, {"attempts said", r.Said, old.Said},
		{"verdict", r.Verdict, old.Verdict}, {"waits", r.Waits, old.Waits}, {"time", r.Time, old.Time}, {"keys", r.Keys, old.Keys}, {"why", r.Why, old.Why}} {
		if x.a != x.b {
			return fmt.Sprintf("%s is %q, the table says %q", x.what, x.a, cmp.Or(x.b, "nothing"))
		}
	}
	if r.Counted != old.Counted && !strings.Contains(r.Counted+old.Counted, "to") && r.Verdict != Unbounded {
		return fmt.Sprintf("counted is %q, the table says %q", r.Counted, old.Counted)
	}
	return ""
}
