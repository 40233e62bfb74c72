package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/retrylint/retrylint/model"
)

// draw says how findings are drawn: in the order of a hash with a seed, so that a finding which goes or comes does not
// change what else is drawn.
type draw struct {
	seed            uint64
	perRule, errors int
}

// item is a finding with its place.
type item struct {
	place
	finding model.FindingInfo
	rank    uint64
}

func (d draw) items(all []scanned) []item {
	var out []item
	for _, s := range all {
		for _, f := range s.findings {
			if f.Suppressed != nil {
				continue
			}
			it := item{place: placeOf(s.repo, f), finding: f}
			h := fnv.New64a()
			var seed [8]byte
			binary.LittleEndian.PutUint64(seed[:], d.seed)
			h.Write(seed[:])
			fmt.Fprintf(h, "%s\x00%s\x00%s\x00%d", it.repo, it.rule, it.path, it.line)
			it.rank = h.Sum64()
			out = append(out, it)
		}
	}
	slices.SortFunc(out, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.repo, b.repo), cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line))
	})
	return out
}

// tally counts verdicts.
type tally struct{ found, drawn, right, wrong, debatable int }

func (t *tally) add(o opinion) {
	switch o.verdict {
	case "right":
		t.right++
	case "wrong":
		t.wrong++
	case "debatable":
		t.debatable++
	}
}

func (t tally) precision() string {
	if t.right+t.wrong == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(t.right)/float64(t.right+t.wrong))
}

// report prints precision by rule and of errors, the counts of loops, what wrong findings are gone, and what is still to be read.
func report(w io.Writer, all []scanned, known map[place]opinion, d draw) {
	items := d.items(all)
	byRule := map[string]*tally{}
	var errs tally
	var unread []item
	for _, it := range items {
		t := byRule[it.rule]
		if t == nil {
			t = &tally{}
			byRule[it.rule] = t
		}
		t.found++
		o, read := known[it.place]
		drawn := false
		if t.drawn < d.perRule {
			t.drawn++
			drawn = true
		}
		if it.finding.Severity == "error" {
			errs.found++
			if errs.drawn < d.errors {
				errs.drawn++
				errs.add(o)
				drawn = true
			}
		}
		if read {
			t.add(o) // what was read counts, drawn or not
		} else if drawn {
			unread = append(unread, it)
		}
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "rule\tfound\tdrawn\tright\twrong\tdebatable\tprecision")
	row := func(name string, t tally) {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t%s\n", name, t.found, t.drawn, t.right, t.wrong, t.debatable, t.precision())
	}
	var sum tally
	for _, rule := range slices.Sorted(maps.Keys(byRule)) {
		t := *byRule[rule]
		row(rule, t)
		sum = tally{sum.found + t.found, sum.drawn + t.drawn, sum.right + t.right, sum.wrong + t.wrong, sum.debatable + t.debatable}
	}
	row("all", sum)
	row("errors", errs)
	tw.Flush()

	var loops model.LoopCounts
	for _, s := range all {
		loops.Add(s.loops)
	}
	fmt.Fprintf(w, "\n%d repositories. Loops that retry: %d. No retries: %d event loops, %d consumers, %d pollers, %d others; %d functions that reconcile. Cannot say: %d.\n",
		len(all), loops.Retries, loops.EventLoops, loops.Consumers, loops.Pollers, loops.Others, loops.Reconcilers, loops.Undecided)
	gone, stay := gone(all, known, items)
	fmt.Fprintf(w, "Findings that a reader called wrong: %d are gone, %d are still reported. Right ones that are gone: %d.\n", len(gone["wrong"]), stay, len(gone["right"]))
	for _, p := range gone["right"] {
		fmt.Fprintf(w, "  gone: %s %s %s:%d\n", p.repo, p.rule, p.path, p.line)
	}
	if len(unread) == 0 {
		return
	}
	fmt.Fprintf(w, "\nTo be read (%d), to be completed and put into the table of verdicts:\n", len(unread))
	for _, it := range unread {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t\t%s\n", it.repo, it.commit, it.rule, it.path, it.line, it.finding.Fingerprint,
			strings.NewReplacer("\t", " ", "\n", " ").Replace(it.finding.Severity+": "+it.finding.Message))
	}
}

// gone lists what a reader judged and no scan reports any more, by verdict, and counts the wrong ones that are still there.
func gone(all []scanned, known map[place]opinion, items []item) (map[string][]place, int) {
	here := map[place]bool{}
	for _, it := range items {
		here[it.place] = true
	}
	read := map[[2]string]bool{}
	for _, s := range all {
		read[[2]string{s.repo.name, short(s.repo.commit)}] = true
	}
	out := map[string][]place{}
	stay := 0
	for p, o := range known {
		switch {
		case here[p] && o.verdict == "wrong":
			stay++
		case !here[p] && read[[2]string{p.repo, p.commit}]:
			out[o.verdict] = append(out[o.verdict], p)
		}
	}
	for _, ps := range out {
		slices.SortFunc(ps, func(a, b place) int {
			return cmp.Or(cmp.Compare(a.repo, b.repo), cmp.Compare(a.rule, b.rule), cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line))
		})
	}
	return out, stay
}
