package diff

import (
	"fmt"

	"github.com/retrylint/retrylint/model"
)

// mostNotices is how many single changes are told in words; the others are counted.
const mostNotices = 30

// Since compares a run with the last one. It carries the dates over on which findings were first seen, gives date to those
// that are new, and returns the differences. date comes from the caller ("" for none): a result never holds a time that
// the program took from a clock, so that the same input gives the same bytes.
//
// A finding that was there before dates were kept has none, and stays without: that it is new would be untrue.
func Since(last, now *model.Result, date string) *Diff {
	old := map[string][]string{}
	for _, f := range last.Findings {
		if f.Baseline != "absent" && f.Fingerprint != "" {
			old[f.Fingerprint] = append(old[f.Fingerprint], f.FirstSeen)
		}
	}
	for i := range now.Findings {
		f := &now.Findings[i]
		if f.Baseline == "absent" {
			continue
		}
		if dates := old[f.Fingerprint]; len(dates) > 0 {
			f.FirstSeen, old[f.Fingerprint] = dates[0], dates[1:]
			continue
		}
		f.FirstSeen = date
	}
	return Compare(last, now)
}

// Notices are the differences in sentences, the findings counted first.
func (d *Diff) Notices() []string {
	if d.Empty() {
		return []string{"nothing has changed since the last run"}
	}
	var out []string
	came, went := 0, 0
	for _, f := range d.Findings {
		if f.How == Appeared {
			came++
		} else {
			went++
		}
	}
	out = append(out, fmt.Sprintf("since the last run: %d new findings, %d gone", came, went))
	rest := 0
	for _, list := range [][]Change{d.Chains, d.Layers, d.Windows} {
		for _, c := range list {
			if len(out) > mostNotices {
				rest++
				continue
			}
			out = append(out, "since the last run: "+c.Sentence())
		}
	}
	if rest > 0 {
		out = append(out, fmt.Sprintf("since the last run: %d more changes; retrylint diff lists them", rest))
	}
	return out
}
