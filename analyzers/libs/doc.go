package libs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Doc is docs/libraries.md: what is known of each library, made from the entries.
func Doc() string {
	var b strings.Builder
	b.WriteString("# Go libraries\n\n" +
		"What retrylint knows of Go libraries, generated from their entries in `analyzers/libs`. *Attempts* are calls in total, the first included. " +
		"The words of the tables are the terms of an entry; the configuration's `libraries:` takes the same form for in-house helpers.\n\n")
	list := All()
	for _, l := range list {
		fmt.Fprintf(&b, "- [%s](#%s)\n", l.Name, anchor(l.Name))
	}
	for _, l := range list {
		l.doc(&b)
	}
	return b.String()
}

func (l *Library) doc(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n", l.Name)
	paths := l.Paths()
	for i := range paths {
		paths[i] = "`" + paths[i] + "`"
	}
	b.WriteString("Import paths: " + strings.Join(paths, ", "))
	if l.Versions != "" {
		b.WriteString(" (" + l.Versions + ")")
	}
	b.WriteString(".\n\n")
	if l.Doc != "" {
		b.WriteString(l.Doc + "\n\n")
	}
	rows := policyRows(l)
	if len(rows) > 0 {
		b.WriteString("| what | attempts | 0 is | negative is | waits | time limits | repeats |\n|---|---|---|---|---|---|---|\n")
		for _, r := range rows {
			b.WriteString("| " + strings.Join(r, " | ") + " |\n")
		}
		b.WriteString("\n")
	}
	for _, c := range l.Clients {
		if len(c.Sends) == 0 {
			continue
		}
		fmt.Fprintf(b, "What `%s` sends:\n\n| methods | what | effect | idempotent | key |\n|---|---|---|---|---|\n", c.Type)
		for _, s := range c.Sends {
			what := cmp.Or(s.Operation, strings.TrimSpace(s.Method+" "+s.Kind), "call")
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", code(s.Func), cell(what), yes(s.Effect), yes(s.Idempotent), cell(s.Key))
		}
		b.WriteString("\n")
	}
	if l.Source != "" {
		b.WriteString("Read in: " + l.Source + ".\n")
	}
}

// policyRows is one row for each call, client and part; calls with equal policies share one.
func policyRows(l *Library) [][]string {
	var rows [][]string
	add := func(name string, p Policy) {
		wait := cmp.Or(p.Backoff, "")
		for _, x := range []struct{ word, text string }{{"from", p.Initial}, {"times", p.Factor}, {"step", p.Step}, {"at most", p.Max}, {"jitter", p.Jitter}} {
			if x.text != "" && x.text != "none" {
				wait += ", " + x.word + " `" + x.text + "`"
			}
		}
		var limits []string
		if p.PerAttempt != "" && p.PerAttempt != "none" {
			limits = append(limits, "each attempt `"+p.PerAttempt+"`")
		}
		if p.Overall != "" && p.Overall != "none" {
			limits = append(limits, "overall `"+p.Overall+"`")
		}
		attempts := p.Attempts
		if attempts != "" {
			attempts = "`" + attempts + "`"
		}
		for _, f := range p.Follow {
			attempts = strings.TrimPrefix(attempts+"; policy in `"+f+"`", "; ")
		}
		for _, w := range p.When {
			if w.Attempts != "" {
				attempts += "; `" + w.Attempts + "` for " + strings.TrimSpace(w.Module+" "+w.Versions)
			}
		}
		row := []string{code(name), cell(attempts), cell(p.ZeroIs), cell(p.NegativeIs), cell(strings.TrimPrefix(wait, ", ")), cell(strings.Join(limits, ", ")), cell(p.On)}
		for i := range rows {
			if slices.Equal(rows[i][1:], row[1:]) {
				rows[i][0] += ", " + row[0]
				return
			}
		}
		rows = append(rows, row)
	}
	for _, c := range l.Calls {
		add(c.Func, c.Policy)
	}
	for _, c := range l.Clients {
		add(c.Type, c.Policy)
	}
	for _, p := range l.Parts {
		add(p.Func, p.Policy)
	}
	return rows
}

func code(s string) string {
	list := alternatives(s)
	for i := range list {
		list[i] = "`" + list[i] + "`"
	}
	return cell(strings.Join(list, ", "))
}

// cell makes a text fit into a cell of a table.
func cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ").Replace(s)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

// anchor is the name that a heading has in a link.
func anchor(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		}
	}
	return b.String()
}
