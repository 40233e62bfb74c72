package diff

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
)

// section is one part of a report.
type section struct {
	title   string
	changes []Change
}

func (d *Diff) sections() []section {
	return []section{{"Chains", d.Chains}, {"Layers", d.Layers}, {"Dedupe windows", d.Windows}, {"Findings", d.Findings}}
}

// WriteText writes the differences for a terminal.
func (d *Diff) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	if d.Empty() {
		fmt.Fprintln(b, "Nothing differs.")
		return b.Flush()
	}
	first := true
	for _, s := range d.sections() {
		if len(s.changes) == 0 {
			continue
		}
		if !first {
			fmt.Fprintln(b)
		}
		first = false
		fmt.Fprintf(b, "%s\n", s.title)
		for _, c := range s.changes {
			fmt.Fprintf(b, "  %s %s\n", sign(c.How), s.line(c))
			if at := c.At.Location().String(); at != "" {
				fmt.Fprintf(b, "      %s\n", at)
			}
		}
	}
	return b.Flush()
}

func (s section) line(c Change) string {
	if s.title != "Findings" {
		return c.Sentence()
	}
	return fmt.Sprintf("%s %s: %s", c.What, c.Name, c.After)
}

func sign(h How) string {
	switch h {
	case Appeared:
		return "+"
	case Vanished:
		return "-"
	case Grew:
		return "^"
	}
	return "v"
}

// WriteMarkdown writes the differences as tables, for a pull request.
func (d *Diff) WriteMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "## retrylint: what changed")
	if d.Empty() {
		fmt.Fprintln(b, "\nNothing differs.")
		return b.Flush()
	}
	for _, s := range d.sections() {
		if len(s.changes) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n### %s\n\n", s.title)
		if s.title == "Findings" {
			fmt.Fprintln(b, "| | severity | rule | message | place |\n|---|---|---|---|---|")
			for _, c := range s.changes {
				fmt.Fprintf(b, "| %s | %s | `%s` | %s | `%s` |\n", c.How, c.What, cell(c.Name), cell(c.After), cell(c.At.Location().String()))
			}
			continue
		}
		fmt.Fprintln(b, "| | what | before | after | place |\n|---|---|---|---|---|")
		for _, c := range s.changes {
			fmt.Fprintf(b, "| %s | %s | %s | %s | `%s` |\n", c.How, cell(strings.TrimSuffix(c.Name+", "+c.What, ", ")), cell(cmp.Or(c.Before, "none")),
				cell(cmp.Or(c.After, "none")), cell(c.At.Location().String()))
		}
	}
	return b.Flush()
}

// cell is text that neither ends a cell nor is taken for markup.
func cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ", "<", "&lt;", "`", "'").Replace(s)
}
