package guide

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/rules"
)

var sample = rules.Rule{ID: "sample-rule", Severity: model.Warning, Summary: "it flags", Why: strings.Repeat("word ", 40), Fix: "Do that.",
	Bad:  "\n-- a/go.mod --\nmodule a\n-- a/x.go --\n\npackage a\n\nfor { // want \"loop\"\n}\n-- a/y.yaml --\nlimit: 3   # want `3`\n",
	Good: "\n-- a/x.go --\npackage a\n"}

func TestWriteRuleMarksTheLines(t *testing.T) {
	var b strings.Builder
	require.NoError(t, WriteRule(&b, sample, false, 40))
	got := b.String()
	require.Contains(t, got, "sample-rule (warning)\nIt flags.\n")
	require.Contains(t, got, "  a/x.go\n  | package a\n  | \n  > for {\n  | }\n  a/y.yaml\n  > limit: 3\n")
	require.NotContains(t, got, "want")
	require.NotContains(t, got, "go.mod")
	for _, l := range strings.Split(got, "\n") {
		if strings.Contains(l, "word") {
			require.LessOrEqual(t, len(l), 40)
		}
	}
}

func TestRuleMarkdown(t *testing.T) {
	got := RuleMarkdown(sample)
	require.Contains(t, got, "```go\npackage a\n\nfor {\n}\n```")
	require.Contains(t, got, "```yaml\nlimit: 3\n```")
	require.Contains(t, got, "rules: {sample-rule: off}")
}

func TestEveryRuleCanBeExplained(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		require.False(t, seen[r.ID], r.ID)
		seen[r.ID] = true
		got, ok := Rule(r.ID)
		require.True(t, ok, r.ID)
		require.Equal(t, r.ID, got.ID)
		var b strings.Builder
		require.NoError(t, WriteRule(&b, r, true, 80))
		for _, text := range []string{b.String(), RuleMarkdown(r)} {
			require.NotRegexp(t, `(//|#) want`, text, r.ID)
			require.Contains(t, text, r.ID)
		}
		require.Contains(t, RulesMarkdown(), "(rules/"+r.ID+".md)")
	}
	require.True(t, seen["suppression"])
}

func TestFind(t *testing.T) {
	r := &model.Result{Findings: []model.FindingInfo{{Fingerprint: "abc1"}, {Fingerprint: "abc2"}}}
	f, err := Find(r, "abc2")
	require.NoError(t, err)
	require.Equal(t, "abc2", f.Fingerprint)
	_, err = Find(r, "abc")
	require.ErrorContains(t, err, "several")
	_, err = Find(r, "x")
	require.ErrorContains(t, err, "no finding")
}

// Without figures that add up there are no steps: a lease says less in the report than it is.
func TestStepsOnlyWhereTheyAddUp(t *testing.T) {
	layers := []model.LayerInfo{{Attempts: "3", Backoff: model.BackoffInfo{Kind: "constant", Initial: "2s"}}}
	require.Len(t, stepsOf(layers, &model.ChainInfo{AutomaticDelay: "4s"}), 1)
	require.Empty(t, stepsOf(layers, &model.ChainInfo{AutomaticDelay: "5s"}))
	layers[0].Attempts = "unknown"
	require.Empty(t, stepsOf(layers, &model.ChainInfo{AutomaticDelay: "4s"}))
}
