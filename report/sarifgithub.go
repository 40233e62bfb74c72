package report

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "sarif-github",
	Doc:   "SARIF for GitHub code scanning: within its limits, a run for each repository; {repository} in --output makes a file for each",
	Write: writeSARIFGitHub,
})

// What GitHub takes of one file. Source: GitHub, SARIF support for code scanning: 20 runs; of 25,000 results the 5,000 most
// severe are kept; 1,000 steps of a flow; 10 MB compressed.
const (
	githubRuns    = 20
	githubResults = 5000
	githubSteps   = 1000
	githubRelated = 100
	githubBytes   = 10_000_000
)

// writeSARIFGitHub writes a run for each repository. GitHub takes every relative address as one of the repository for which
// the file is uploaded, so each address lies in the run's own; a step elsewhere stands at the place that leads to it and
// says in words where it is.
func writeSARIFGitHub(w io.Writer, r *model.Result, opt Options) error {
	for limit := githubResults; ; limit /= 2 {
		var b bytes.Buffer
		if err := encodeSARIF(&b, githubLog(r, opt, limit)); err != nil {
			return err
		}
		n := gzipped(b.Bytes())
		if n <= githubBytes {
			_, err := w.Write(b.Bytes())
			return err
		}
		if limit <= 1 {
			return fmt.Errorf("the report is %d bytes compressed, GitHub takes %d: write one file for each repository ({repository} in --output)", n, githubBytes)
		}
	}
}

func gzipped(b []byte) int {
	if len(b) < githubBytes {
		return len(b)
	}
	var n counter
	z := gzip.NewWriter(&n)
	z.Write(b)
	z.Close()
	return int(n)
}

type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

func githubLog(r *model.Result, opt Options, limit int) sarifLog {
	s := newSarifWriter(r, opt)
	log := sarifLog{Schema: sarifSchema, Version: sarifVersion, Runs: []sarifRun{}}
	byRepo := map[string][]*model.FindingInfo{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Suppressed == nil && f.Baseline != "absent" && f.Path != "" {
			byRepo[f.Repository] = append(byRepo[f.Repository], f)
		}
	}
	var names []string
	for _, repo := range r.Repositories {
		names = append(names, repo.Name)
	}
	left := 0
	if len(names) > githubRuns {
		// The repositories with the worst findings stay, in their order.
		worst := slices.Clone(names)
		slices.SortStableFunc(worst, func(a, b string) int { return compareWorst(byRepo[a], byRepo[b]) })
		keep := map[string]bool{}
		for _, n := range worst[:githubRuns] {
			keep[n] = true
		}
		left = len(names) - githubRuns
		names = slices.DeleteFunc(names, func(n string) bool { return !keep[n] })
	}
	for _, name := range names {
		run := s.githubRun(name, byRepo[name], limit)
		run.AutomationDetails = &sarifAutomation{ID: "retrylint/"}
		if len(r.Repositories) > 1 {
			run.AutomationDetails.ID = "retrylint/" + escapePath(clean(name)) + "/"
		}
		if left > 0 {
			run.notify("warning", fmt.Sprintf("GitHub takes %d runs in one file: %s left out. Write one file for each repository with {repository} in --output.",
				githubRuns, plural(left, "repository")))
		}
		log.Runs = append(log.Runs, run)
	}
	if len(log.Runs) == 0 {
		run := s.run(nil)
		run.AutomationDetails = &sarifAutomation{ID: "retrylint/"}
		log.Runs = append(log.Runs, run)
	}
	return log
}

func compareWorst(a, b []*model.FindingInfo) int {
	count := func(fs []*model.FindingInfo) (n [3]int) {
		for _, f := range fs {
			if k := rank(f.Severity); k < 3 {
				n[k]++
			}
		}
		return n
	}
	x, y := count(a), count(b)
	return cmp.Or(cmp.Compare(y[0], x[0]), cmp.Compare(y[1], x[1]), cmp.Compare(y[2], x[2]))
}

func (r *sarifRun) notify(level, text string) {
	n := &r.Invocations[0].Notifications
	*n = append(*n, sarifNotification{Level: level, Message: sarifMessage{Text: text}})
}

func (s *sarifWriter) githubRun(repo string, findings []*model.FindingInfo, limit int) sarifRun {
	s.own = &repo
	defer func() { s.own = nil }()
	run := s.run(&repo)
	at := map[string]int{}
	cutSteps := 0
	for _, f := range findings {
		// Two results of a rule on one line are one alert: the second is told in the first.
		key := fmt.Sprintf("%s\x00%s\x00%d", f.Rule, f.Path, f.Line)
		if i, ok := at[key]; ok {
			run.Results[i].Message.Text += "\nAlso: " + sarifText(f.Message)
			continue
		}
		at[key] = len(run.Results)
		res, cut := s.githubResult(f)
		cutSteps += cut
		run.Results = append(run.Results, res)
	}
	if n := len(run.Results); n > limit {
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int {
			a, b := &run.Results[i], &run.Results[j]
			return cmp.Or(cmp.Compare(a.severity, b.severity), cmp.Compare(b.weight, a.weight))
		})
		order = order[:limit]
		slices.Sort(order)
		kept := make([]sarifResult, 0, limit)
		for _, i := range order {
			kept = append(kept, run.Results[i])
		}
		run.Results = kept
		run.notify("warning", fmt.Sprintf("Only the %d most severe of %d results are in this file.", limit, n))
	}
	if cutSteps > 0 {
		run.notify("note", fmt.Sprintf("%s of long chains are left out.", plural(cutSteps, "step")))
	}
	return run
}

// githubResult is one finding with every address in its own repository.
func (s *sarifWriter) githubResult(f *model.FindingInfo) (out sarifResult, cut int) {
	out = s.resultHead(f)
	loc := s.location(f.Place, "")
	if loc.Physical.Region == nil {
		loc.Physical.Region = &sarifRegion{StartLine: 1}
	}
	out.Locations = []sarifLocation{loc}
	out.Fingerprints["primaryLocationLineHash"] = githubHash(f)
	for _, r := range f.Related {
		if len(out.Related) == githubRelated {
			break
		}
		here := s.anchored(r.Place, f.Place, sarifText(r.Message))
		id := len(out.Related) + 1
		here.ID = &id
		out.Related = append(out.Related, here)
	}
	c := s.chains[f.Chain]
	if c == nil {
		return out, 0
	}
	steps := s.steps(c)
	if len(steps) > githubSteps {
		cut = len(steps) - githubSteps
		steps = steps[:githubSteps]
	}
	last := f.Place
	var flow []sarifFlowLocation
	for i, st := range steps {
		if st.at.Repository == f.Repository && st.at.Path != "" {
			last = st.at
		}
		flow = append(flow, sarifFlowLocation{Location: s.anchored(st.at, last, sarifText(st.words)), NestingLevel: st.depth, Order: i + 1, Importance: importance(st)})
	}
	out.CodeFlows = []sarifCodeFlow{{[]sarifThreadFlow{{flow}}}}
	return out, cut
}

// anchored is a place of the own repository, or else the own place that leads to it, with the other in words.
func (s *sarifWriter) anchored(p, own model.Place, words string) sarifLocation {
	if p.Path != "" && p.Repository == *s.own {
		return s.location(p, words)
	}
	if p.Path != "" {
		where := fmt.Sprintf("%s %s:%d", clean(p.Repository), clean(p.Path), p.Line)
		if l := s.link(p); l != "" {
			where += ", " + l
		}
		words += " (in " + where + ")"
	}
	return s.location(own, words)
}

// githubHash is the value by which GitHub knows an alert again: the hash of the line and what follows, as its own upload
// computes it, or, where the source was not at hand, one made of the fingerprint.
func githubHash(f *model.FindingInfo) string {
	if f.LineHash != "" {
		return clean(f.LineHash)
	}
	if len(f.Fingerprint) >= 16 {
		return clean(f.Fingerprint[:16]) + ":1"
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", f.Rule, f.Path, f.Line))
	return hex.EncodeToString(sum[:8]) + ":1"
}
