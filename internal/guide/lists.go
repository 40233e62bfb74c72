package guide

import (
	"fmt"
	"strings"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/extract"
)

// RulesMarkdown is the table of all rules.
func RulesMarkdown() string {
	var b strings.Builder
	b.WriteString("# Rules\n\n| rule | default | what it flags |\n|---|---|---|\n")
	for _, r := range Rules() {
		fmt.Fprintf(&b, "| [%s](rules/%s.md) | %s | %s |\n", r.ID, r.ID, r.Severity, cell(sentence(r.Summary)))
	}
	return b.String()
}

// FormatsMarkdown is the page of all configuration formats with their tables of keys.
func FormatsMarkdown() string {
	var b strings.Builder
	b.WriteString("# Configuration formats\n\nWhat is read of each format: the key, what its number means, and what happens when it is absent.\n")
	b.WriteString("\nTried on: a public file that nobody here wrote, and what was read in it.\n")
	tried := map[string]extract.Trial{}
	for _, t := range extract.Trials() {
		tried[t.Format] = t
	}
	for _, f := range extract.All() {
		fmt.Fprintf(&b, "\n## %s\n\n`%s`, in %s.\n", f.Title, f.Name, quoted(f.Files))
		if f.Doc != "" {
			fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(f.Doc))
		}
		if len(f.Keys) > 0 {
			b.WriteString("\n| key | means | default | 0 | negative |\n|---|---|---|---|---|\n")
			for _, k := range f.Keys {
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", cell(k.Name), cell(k.Means), cell(k.Default), cell(k.Zero), cell(k.Negative))
			}
		}
		if t, ok := tried[f.Name]; ok {
			fmt.Fprintf(&b, "\nTried on `%s` of %s: %s.\n", t.Path, t.Repository, t.Seen)
		}
	}
	return b.String()
}

// LibrariesMarkdown is the page of all Go libraries.
func LibrariesMarkdown() string {
	var b strings.Builder
	b.WriteString("# Go libraries\n\nWhat is known of libraries that retry. In-house helpers can be declared in the same form under `libraries:` in `.retrylint.yaml`.\n")
	for _, l := range libs.All() {
		fmt.Fprintf(&b, "\n## %s\n\n`%s`", l.Name, l.Path)
		if l.Versions != "" {
			fmt.Fprintf(&b, " %s", l.Versions)
		}
		b.WriteString(".\n")
		if l.Doc != "" {
			fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(l.Doc))
		}
		if l.Source != "" {
			fmt.Fprintf(&b, "\nRead in: %s.\n", l.Source)
		}
	}
	return b.String()
}

func quoted(list []string) string {
	var out []string
	for _, s := range list {
		out = append(out, "`"+s+"`")
	}
	return strings.Join(out, ", ")
}

// cell is text inside a table.
func cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ").Replace(s)
}
