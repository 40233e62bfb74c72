package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "markdown",
	Doc:   "summary for a pull request or a job: findings in a table, the worst chains as Mermaid pictures",
	Write: writeMarkdown,
})

// What a summary shows; hosts cut longer ones (GitHub: a comment 65,536 characters, a job summary 1 MiB).
const (
	markdownFindings = 50
	markdownChains   = 3
	markdownPlaces   = 20
)

func writeMarkdown(w io.Writer, r *model.Result, opt Options) error {
	v := newView(r, opt)
	m := &markdown{v, bufio.NewWriter(w)}
	findings := v.counted()
	fmt.Fprintf(m.w, "## retrylint: %s\n", v.countWords(findings))
	m.findings(findings)
	shown := 0
	for _, c := range m.chainsOf(findings) {
		if shown == markdownChains {
			break
		}
		shown++
		m.chain(c)
	}
	m.rest(findings)
	return m.w.Flush()
}

type markdown struct {
	*view
	w *bufio.Writer
}

// md makes text of the scanned code harmless: no markup, no tag, no mention, no link, no end of a table's cell.
func md(s string) string {
	var b strings.Builder
	runes := []rune(clean(s))
	for i, r := range runes {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '|':
			b.WriteString("&#124;")
		case strings.ContainsRune("\\`*_{}[]()#!~", r):
			if r == '_' && i > 0 && i+1 < len(runes) && wordRune(runes[i-1]) && wordRune(runes[i+1]) {
				b.WriteRune(r) // inside of a word it means nothing
				break
			}
			if (r == '(' || r == ')') && !(i > 0 && runes[i-1] == ']') {
				b.WriteRune(r) // only a bracket before it makes a link
				break
			}
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '@':
			b.WriteString("@\u2060") // a mention needs the name at once
		case r == ':' && i+2 < len(runes) && runes[i+1] == '/' && runes[i+2] == '/':
			b.WriteString("&#58;")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// code is text in a code span that nothing in it can end.
func code(s string) string {
	s = strings.TrimSpace(clean(s))
	if s == "" {
		return ""
	}
	s = strings.ReplaceAll(s, "|", "\u00a6") // a table's cell would end, even inside of a span
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// placeMD is a place, linked where its host is known.
func (m *markdown) placeMD(p model.Place) string {
	if p.Path == "" {
		return code(p.Repository)
	}
	if l := m.link(p); l != "" {
		return "[" + code(m.at(p)) + "](<" + strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "", "\\", "%5C", "|", "%7C").Replace(l) + ">)"
	}
	return code(m.at(p))
}

func (m *markdown) findings(findings []*model.FindingInfo) {
	if len(findings) == 0 {
		fmt.Fprintf(m.w, "\nNo findings. %s, %s and %s looked at.\n", plural(len(m.Layers), "retrying layer"), plural(len(m.Chains), "chain"), plural(len(m.Windows), "dedupe window"))
		return
	}
	sorted := slices.Clone(findings)
	slices.SortStableFunc(sorted, func(a, b *model.FindingInfo) int {
		return cmp.Or(cmp.Compare(rank(a.Severity), rank(b.Severity)), cmp.Compare(m.weight(b.Chain), m.weight(a.Chain)))
	})
	fmt.Fprintf(m.w, "\n| | Where | What | Rule |\n|---|---|---|---|\n")
	for i, f := range sorted {
		if i == markdownFindings {
			fmt.Fprintf(m.w, "\nand %s.\n", plural(len(sorted)-i, "more finding"))
			break
		}
		what := md(shorten(sentence(f.Message), 400))
		if f.Help != "" {
			what += "<br>**Fix:** " + md(shorten(sentence(f.Help), 200))
		}
		fmt.Fprintf(m.w, "| %s | %s | %s | [%s](%s) |\n", severityMark(f.Severity), m.placeMD(f.Place), what, md(f.Rule), ruleURL(f.Rule))
	}
}

func severityMark(s string) string {
	switch s {
	case "error":
		return "\U0001F534 error"
	case "warning":
		return "\U0001F7E0 warning"
	}
	return "\U0001F535 " + md(s)
}

// chainsOf lists the chains of the findings, the worst first; without findings, the worst chain of all.
func (m *markdown) chainsOf(findings []*model.FindingInfo) []*model.ChainInfo {
	var out []*model.ChainInfo
	seen := map[string]bool{}
	for _, f := range findings {
		if c := m.chains[f.Chain]; c != nil && !seen[c.ID] && f.Severity != "note" {
			seen[c.ID] = true
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b *model.ChainInfo) int { return cmp.Compare(m.weight(b.ID), m.weight(a.ID)) })
	if len(out) == 0 {
		if c := worstChain(m.Chains); c != nil && len(c.Layers) > 0 {
			out = append(out, c)
		}
	}
	return out
}

func (m *markdown) chain(c *model.ChainInfo) {
	fmt.Fprintf(m.w, "\n### %s to %s: %s\n\n", md(shortName(c.Entry.Name)), md(endName(c)), md(m.arithmetic(c)))
	fmt.Fprintf(m.w, "```mermaid\n%s```\n\n", mermaid(m.view, c))
	fmt.Fprintf(m.w, "| Path | Last duplicate after | Because |\n|---|---|---|\n")
	for _, p := range c.Paths {
		fmt.Fprintf(m.w, "| %s | %s | %s |\n", md(p.Kind), md(daysToo(p.Delay)), md(p.Origin))
	}
	fmt.Fprintf(m.w, "\nA window that covers the longest path (%s) with the safety factor %g: **%s**.\n", md(c.LongestPath.Kind), c.SafetyFactor, md(daysToo(c.RequiredWindow)))
	for _, w := range c.Windows {
		if info := m.windows[w.ID]; info != nil {
			fmt.Fprintf(m.w, "- %s: %s\n", m.placeMD(info.Place), md(windowWords(info, &w)))
		}
	}
}

// rest is what a reader must know beside the findings: input that was not read, and what was left out on purpose.
func (m *markdown) rest(findings []*model.FindingInfo) {
	if len(m.Incomplete) > 0 {
		fmt.Fprintf(m.w, "\n### Not read\n\n")
		for i, g := range m.Incomplete {
			if i == markdownPlaces {
				fmt.Fprintf(m.w, "- and %s\n", plural(len(m.Incomplete)-i, "more place"))
				break
			}
			fmt.Fprintf(m.w, "- %s: %s (%s)\n", code(m.at(model.Place{Repository: g.Repository, Path: g.Path, Line: g.Line})), md(g.Reason), md(g.Stage))
		}
	}
	suppressed, old := 0, 0
	for i := range m.Findings {
		switch f := &m.Findings[i]; {
		case f.Suppressed != nil:
			suppressed++
		case !counted(f):
			old++
		}
	}
	u := m.Undecided
	fmt.Fprintf(m.w, "\n%s, %s, %s", plural(len(m.Layers), "retrying layer"), plural(len(m.Chains), "chain"), plural(len(m.Windows), "dedupe window"))
	if suppressed > 0 {
		fmt.Fprintf(m.w, "; %d suppressed", suppressed)
	}
	if old > 0 {
		fmt.Fprintf(m.w, "; %d known to the baseline", old)
	}
	if n := u.Attempts + u.Targets + u.Settings + u.Loops + u.Rules; n > 0 {
		fmt.Fprintf(m.w, "; not decided: %s, %s, %s, %s", plural(u.Attempts, "attempt count"), plural(u.Targets, "target"), plural(u.Settings, "setting"), plural(u.Loops, "loop"))
	}
	fmt.Fprintf(m.w, ".\n")
}
