// Package guide writes what the program knows about itself for people: what a rule means, which formats and libraries are read.
// The terminal's explain and the pages under docs/ come from the same declarations.
package guide

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/rules"
)

// suppression is the text about suppressions, which are checked without a rule of their own.
var suppression = rules.Rule{
	ID:       config.SuppressionRule,
	Severity: model.Warning,
	Group:    "suppressions",
	Summary:  "a suppression without a reason, of a rule that does not exist, or that suppresses nothing",
	Why: "A suppression is a decision. Without its reason nobody can tell later whether it still holds, and one that suppresses " +
		"nothing hides the next fault on its line.",
	Fix:  "Give the reason after --, or remove the comment.",
	Bad:  "-- job.yaml --\nspec:\n  backoffLimit: 6 # retrylint:ignore stacked-retries\n",
	Good: "-- job.yaml --\nspec:\n  backoffLimit: 6 # retrylint:ignore stacked-retries -- the batch is idempotent by its primary key\n",
}

// Rules lists all rules, the one about suppressions included, in the order of their names.
func Rules() []rules.Rule {
	var out []rules.Rule
	added := false
	for _, r := range rules.All() {
		if !added && r.ID > suppression.ID {
			out, added = append(out, suppression), true
		}
		out = append(out, r)
	}
	if !added {
		out = append(out, suppression)
	}
	return out
}

// Rule finds a rule by its name; ok is false where there is none.
func Rule(id string) (r rules.Rule, ok bool) {
	if id == suppression.ID {
		return suppression, true
	}
	return rules.Find(id)
}

// wantComment is the part of a line that tells a test what to expect.
var wantComment = regexp.MustCompile("[ \t]*(?:#|//|--|;)[ \t]*want (?:\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`).*")

// example is a file of an example, without what is for tests only.
type example struct{ name, text string }

func files(archive string) []example {
	var out []example
	for _, f := range txtar.Parse([]byte(strings.TrimLeft(archive, "\n"))).Files {
		if strings.HasSuffix(f.Name, "go.mod") {
			continue
		}
		var lines []string
		for l := range strings.Lines(string(f.Data)) {
			lines = append(lines, wantComment.ReplaceAllString(strings.TrimRight(l, "\n"), ""))
		}
		out = append(out, example{f.Name, strings.Trim(strings.Join(lines, "\n"), "\n")})
	}
	return out
}

// marked gives the lines on which the findings stand.
func marked(archive string) map[string]map[int]bool {
	m := make(map[string]map[int]bool)
	for _, f := range txtar.Parse([]byte(strings.TrimLeft(archive, "\n"))).Files {
		m[f.Name] = make(map[int]bool)
		text := strings.TrimLeft(string(f.Data), "\n")
		for i, l := range strings.Split(text, "\n") {
			m[f.Name][i] = wantComment.MatchString(l)
		}
	}
	return m
}

// Silence says how findings of a rule are switched off.
func Silence(id string) []string {
	return []string{
		fmt.Sprintf("//retrylint:ignore %s -- reason      in Go, on the line or the line above", id),
		fmt.Sprintf("# retrylint:ignore %s -- reason      in YAML, TOML, INI", id),
		fmt.Sprintf("rules: {%s: off}      in .retrylint.yaml", id),
	}
}

// WriteRule explains a rule on a terminal of the given width.
func WriteRule(w io.Writer, r rules.Rule, color bool, width int) error {
	b := bufio.NewWriter(w)
	bold := func(s string) string {
		if color {
			return "\x1b[1m" + s + "\x1b[0m"
		}
		return s
	}
	red := func(s string) string {
		if color {
			return "\x1b[31m" + s + "\x1b[0m"
		}
		return s
	}
	fmt.Fprintf(b, "%s (%s)\n", bold(r.ID), r.Severity)
	fmt.Fprintf(b, "%s\n\n", wrap(sentence(r.Summary), width, ""))
	fmt.Fprintf(b, "%s\n%s\n\n", bold("Why"), wrap(r.Why, width, "  "))
	show := func(title, archive string) {
		if strings.TrimSpace(archive) == "" {
			return
		}
		marks := marked(archive)
		fmt.Fprintf(b, "%s\n", bold(title))
		for _, f := range files(archive) {
			fmt.Fprintf(b, "  %s\n", f.name)
			for i, l := range strings.Split(f.text, "\n") {
				if marks[f.name][i] {
					fmt.Fprintf(b, "  %s %s\n", red(">"), red(l))
				} else {
					fmt.Fprintf(b, "  | %s\n", l)
				}
			}
		}
		fmt.Fprintln(b)
	}
	show("Bad", r.Bad)
	show("Good", r.Good)
	fmt.Fprintf(b, "%s\n%s\n\n", bold("What to do"), wrap(r.Fix, width, "  "))
	fmt.Fprintf(b, "%s\n", bold("How to silence"))
	for _, s := range Silence(r.ID) {
		fmt.Fprintf(b, "  %s\n", s)
	}
	return b.Flush()
}

// RuleMarkdown is the page of a rule.
func RuleMarkdown(r rules.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\nDefault severity: %s", r.ID, sentence(r.Summary), r.Severity)
	if r.Group != "" {
		fmt.Fprintf(&b, ". Group: %s", r.Group)
	}
	if r.GoAlone {
		b.WriteString(". Also under `go vet`")
	}
	fmt.Fprintf(&b, ".\n\n## Why\n\n%s\n", r.Why)
	show := func(title, archive string) {
		if strings.TrimSpace(archive) == "" {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n", title)
		for _, f := range files(archive) {
			fmt.Fprintf(&b, "\n`%s`\n\n```%s\n%s\n```\n", f.name, language(f.name), f.text)
		}
	}
	show("Bad", r.Bad)
	show("Good", r.Good)
	fmt.Fprintf(&b, "\n## What to do\n\n%s\n\n## How to silence\n\n", r.Fix)
	fmt.Fprintf(&b, "In Go, on the line or the line above: `//retrylint:ignore %s -- reason`. In YAML, TOML and INI: `# retrylint:ignore %s -- reason`.\n", r.ID, r.ID)
	fmt.Fprintf(&b, "For a whole repository, in `.retrylint.yaml`: `rules: {%s: off}`.\n", r.ID)
	return b.String()
}

func language(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		switch ext := name[i+1:]; ext {
		case "go", "toml", "ini", "json", "hcl", "sql", "java", "py":
			return ext
		case "yaml", "yml":
			return "yaml"
		}
	}
	return ""
}

// sentence begins with a capital and ends with a full stop.
func sentence(s string) string {
	if s == "" {
		return s
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// wrap breaks text into lines of at most width columns (80 where width is 0), each with the indent in front.
func wrap(s string, width int, indent string) string {
	if width <= 0 {
		width = 80
	}
	width = min(max(width, 20), 100)
	var lines []string
	line := indent
	for _, word := range strings.Fields(s) {
		if len(line) > len(indent) && len([]rune(line))+1+len([]rune(word)) > width {
			lines = append(lines, line)
			line = indent
		}
		if len(line) > len(indent) {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, line), "\n")
}
