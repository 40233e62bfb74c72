package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

func TestProposalIsValidWithAndWithoutItsComments(t *testing.T) {
	r := &model.Result{}
	for _, d := range []string{
		"settings: {MAX_RETRIES: 3}", "settings: {MAX_RETRIES: 3}", "settings: {\"flag:ttl\": 24h}",
		"links: [{from: settle, to: ledger, method: POST}]", "windows: [{service: a, ttl: permanent, kind: unique-constraint}]",
		"layers: [{name: x, service: y, attempts: unknown}]", "", "nonsense", "foo: {bar: 1}", ": [", "settings: 3",
	} {
		r.Undecided.Where = append(r.Undecided.Where, model.UndecidedPlace{What: "something\nof two lines", Declare: d, Place: model.Place{Repository: "r", Path: "a.go", Line: 1}})
	}
	data := Propose(r)
	c, problems := Parse("x", data)
	require.Empty(t, problems)
	require.Empty(t, c.Settings)

	// What is proposed, taken out of its comments, is a configuration.
	var lines []string
	for l := range strings.Lines(string(data)) {
		lines = append(lines, strings.TrimPrefix(l, "#"))
	}
	text := strings.Join(lines, "")
	text = text[strings.Index(text, "version: 1"):]
	var kept []string
	for l := range strings.Lines(text) {
		if !strings.HasPrefix(l, " ") || strings.HasPrefix(l, "  ") {
			kept = append(kept, l) // prose in comments has one space in front
		}
	}
	c, problems = Parse("x", []byte(strings.Join(kept, "")))
	require.Empty(t, problems, strings.Join(kept, ""))
	require.Len(t, c.Settings, 2)
	require.Len(t, c.Links, 1)
	require.Len(t, c.Windows, 1)
	require.Len(t, c.Layers, 1)
}
