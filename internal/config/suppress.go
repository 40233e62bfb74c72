package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// SuppressionRule is the name under which suppressions without a reason, or that suppress nothing, are reported.
const SuppressionRule = "suppression"

// Suppress applies the comments in the scanned code: a finding on the line of a comment, or on the line that the comment
// stands above, is marked as suppressed with the reason given. It returns the findings about the comments themselves: those
// without a reason (which do not suppress, but for nolint), those that name a rule that does not exist, and those that suppress nothing.
//
// known are the names of all rules, ran reports whether a rule was run at all; a comment about a rule that was not run
// cannot be called unused.
func Suppress(findings []*model.Finding, comments []model.Suppression, known []string, ran func(rule string) bool) []*model.Finding {
	type line struct {
		repo, path string
		line       int
	}
	byLine := make(map[line][]*model.Finding)
	for _, f := range findings {
		k := line{f.At.Repo, f.At.Path, f.At.Line}
		byLine[k] = append(byLine[k], f)
	}
	comments = slices.Clone(comments)
	slices.SortStableFunc(comments, func(a, b model.Suppression) int { return a.At.Compare(b.At) })
	var out []*model.Finding
	report := func(s model.Suppression, format string, args ...any) {
		out = append(out, &model.Finding{Rule: SuppressionRule, Severity: model.Warning, At: s.At, Message: fmt.Sprintf(format, args...),
			Help: "write " + exampleOf(s.Form) + ", or remove the comment"})
	}
	for _, s := range comments {
		unknown := slices.DeleteFunc(slices.Clone(s.Rules), func(r string) bool { return slices.Contains(known, r) })
		for _, r := range unknown {
			hint := ""
			if n := Nearest(r, known); n != "" {
				hint = fmt.Sprintf(", did you mean %q?", n)
			}
			report(s, "the suppression names %q, which is no rule%s", r, hint)
		}
		if len(unknown) > 0 && len(unknown) == len(s.Rules) {
			continue
		}
		if strings.TrimSpace(s.Reason) == "" {
			// A nolint is the convention of another tool, in which reasons are optional: it counts all the same.
			if s.Form != "nolint" {
				report(s, "the suppression of %s has no reason, so it does not count", rulesText(s.Rules))
				continue
			}
			report(s, "the suppression of %s has no reason", rulesText(s.Rules))
		}
		used := false
		for _, at := range slices.Compact([]int{s.At.Line, s.Line}) {
			for _, f := range byLine[line{s.At.Repo, s.At.Path, at}] {
				if len(s.Rules) > 0 && !slices.Contains(s.Rules, f.Rule) {
					continue
				}
				used = true
				if f.Suppressed == nil {
					f.Suppressed = &model.Suppressed{How: "comment", Reason: strings.TrimSpace(s.Reason)}
				}
			}
		}
		if !used && allRan(s.Rules, known, ran) {
			report(s, "the suppression of %s suppresses nothing", rulesText(s.Rules))
		}
	}
	return out
}

// allRan reports whether every rule that a comment speaks of was run.
func allRan(named, known []string, ran func(string) bool) bool {
	if ran == nil {
		return true
	}
	if len(named) == 0 {
		named = known
	}
	for _, r := range named {
		if r != SuppressionRule && slices.Contains(known, r) && !ran(r) {
			return false
		}
	}
	return true
}

func rulesText(rules []string) string {
	if len(rules) == 0 {
		return "all rules"
	}
	return strings.Join(rules, ", ")
}

func exampleOf(form string) string {
	switch form {
	case "nolint":
		return "//nolint:retrylint // reason"
	case "lint:ignore":
		return "//lint:ignore RULE reason"
	}
	return "retrylint:ignore RULE -- reason"
}
