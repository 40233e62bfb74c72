package report

import (
	"regexp"
	"strings"

	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/rules"
)

// project is where the program is described; reports link to it and never fetch it.
const project = "https://github.com/retrylint/retrylint"

// allRules is where the texts come from; golden files have a few fixed ones.
var allRules = rules.All

// ruleTexts lists all rules, and after them those that only the result names: suppressions are checked without a rule of
// their own, and a result may come from another version.
func ruleTexts(r *model.Result) []rules.Rule {
	all := allRules()
	known := map[string]bool{}
	for _, x := range all {
		known[x.ID] = true
	}
	add := func(x rules.Rule) {
		if !known[x.ID] {
			known[x.ID] = true
			all = append(all, x)
		}
	}
	add(rules.Rule{ID: "suppression", Severity: model.Warning, Group: "suppressions",
		Summary: "a suppression without a reason, of a rule that does not exist, or that suppresses nothing",
		Why:     "A suppression is a decision. Without its reason nobody can tell later whether it still holds.",
		Fix:     "Give the reason after --, or remove the comment."})
	for _, f := range r.Findings {
		if f.Rule == "" {
			continue
		}
		s, ok := model.ParseSeverity(f.Severity)
		if !ok {
			s = model.Warning
		}
		help := f.Help
		if help == "" {
			help = f.Message
		}
		add(rules.Rule{ID: clean(f.Rule), Severity: s, Summary: "a rule of another version of the program", Why: clean(f.Message), Fix: clean(help)})
	}
	return all
}

func ruleURL(id string) string { return project + "/blob/main/docs/rules/" + escapePath(id) + ".md" }

// wantMark is the part of an example's line that tells a test what to expect.
var wantMark = regexp.MustCompile("[ \t]*(?:#|//|--|;)[ \t]*want (?:\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`).*")

// example is an archive of small files as a block of Markdown, without marks for tests.
func example(title, archive string) string {
	archive = strings.TrimSpace(wantMark.ReplaceAllString(archive, ""))
	if archive == "" {
		return ""
	}
	return "\n\n**" + title + "**\n\n```\n" + strings.ReplaceAll(archive, "```", "'''") + "\n```"
}
