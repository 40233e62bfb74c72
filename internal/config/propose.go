package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/retrylint/retrylint/model"
)

// proposalHead is the top of a proposed file: everything that is assumed, as it is.
const proposalHead = `# What retrylint cannot see in the files, and how strict it is.
version: 1

# A dedupe window must be this many times the longest path by which a duplicate can come.
safetyFactor: 2

# Attempts for one intent from which stacked layers are a warning and an error.
thresholds: {warning: 16, error: 64}

# How late a duplicate can come when people send work again.
replay:
  deadLetter: {delay: 24h}      # after the automatic path gives up; where there is a dead-letter queue
  operatorRerun: {delay: 72h}   # found after a weekend; scheduled, queued, batch and workflow work
`

// Propose writes a configuration with the assumptions as they are, and as comments what would settle the things that the
// scan could not decide (a result made with -v lists them).
func Propose(r *model.Result) []byte {
	var b bytes.Buffer
	b.WriteString(proposalHead)
	type entry struct{ text, why string }
	sections := make(map[string][]entry)
	seen := make(map[string]bool)
	for _, u := range r.Undecided.Where {
		key, items := declared(u.Declare)
		for _, text := range items {
			if !seen[key+text] {
				seen[key+text] = true
				sections[key] = append(sections[key], entry{text, oneLine(fmt.Sprintf("%s (%s)", u.What, u.Location()))})
			}
		}
	}
	// In the order of the file's description.
	shape := fileShape()
	for _, f := range shape.fields {
		list := sections[f.name]
		if len(list) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n# %s\n# Proposed from what the scan could not decide: take the # away and put the true values in.\n#%s:\n", capital(f.shape.doc), f.name)
		for _, e := range list {
			fmt.Fprintf(&b, "#  # %s\n", e.why)
			for line := range strings.Lines(strings.TrimRight(e.text, "\n")) {
				fmt.Fprintf(&b, "#  %s\n", strings.TrimRight(line, "\n"))
			}
		}
	}
	return b.Bytes()
}

// declared takes a declaration such as "settings: {MAX_RETRIES: 3}" apart: its key and its entries, each as a line of YAML.
// A declaration that cannot be understood has none.
func declared(s string) (key string, items []string) {
	var n yaml.Node
	if s == "" || yaml.Unmarshal([]byte(s), &n) != nil || len(n.Content) == 0 || n.Content[0].Kind != yaml.MappingNode || len(n.Content[0].Content) != 2 {
		return "", nil
	}
	key, value := n.Content[0].Content[0].Value, n.Content[0].Content[1]
	shape := fileShape()
	if !slices.Contains(shape.names(), key) {
		return "", nil
	}
	line := func(n *yaml.Node) string {
		n.Style = yaml.FlowStyle
		out, err := yaml.Marshal(n)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	switch value.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(value.Content); i += 2 {
			one := &yaml.Node{Kind: yaml.MappingNode, Content: value.Content[i : i+2]}
			items = append(items, strings.TrimSuffix(strings.TrimPrefix(line(one), "{"), "}"))
		}
	case yaml.SequenceNode:
		for _, e := range value.Content {
			items = append(items, "- "+line(e))
		}
	}
	return key, items
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}
