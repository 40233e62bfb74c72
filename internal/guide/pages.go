package guide

import (
	"fmt"
	"strings"

	"github.com/retrylint/retrylint/internal/config"
)

// Page is one generated page of the documentation; its name is relative to docs/.
type Page struct{ Name, Text string }

// note stands on top of every generated page.
const note = "<!-- Generated from the declarations in the code: go test ./internal/guide -update -->\n\n"

// Pages are all generated pages, in the order of their names.
func Pages() ([]Page, error) {
	schema, err := config.Schema(RuleIDs())
	if err != nil {
		return nil, fmt.Errorf("write schema: %w", err)
	}
	pages := []Page{
		{"formats.md", note + FormatsMarkdown()},
		{"libraries.md", note + LibrariesMarkdown()},
		{"retrylint.schema.json", string(schema)},
		{"rules.md", note + RulesMarkdown()},
	}
	for _, r := range Rules() {
		pages = append(pages, Page{"rules/" + r.ID + ".md", note + RuleMarkdown(r)})
	}
	return pages, nil
}

// RuleIDs are the names of all rules, sorted.
func RuleIDs() []string {
	var ids []string
	for _, r := range Rules() {
		ids = append(ids, r.ID)
	}
	return ids
}

// generated reports whether a page was written by [Pages]; others are by hand.
func generated(text string) bool { return strings.HasPrefix(text, note) }
