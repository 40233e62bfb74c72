package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

var known = []string{"no-jitter", "no-backoff", "stacked-retries"}

func finding(rule, path string, line int) *model.Finding {
	return &model.Finding{Rule: rule, Severity: model.Error, Message: "m", At: model.Location{Repo: "r", Path: path, Line: line}}
}

func comment(path string, at, about int, form, reason string, rules ...string) model.Suppression {
	return model.Suppression{At: model.Location{Repo: "r", Path: path, Line: at, Col: 2}, Line: about, Rules: rules, Reason: reason, Form: form}
}

func TestSuppress(t *testing.T) {
	for _, tt := range []struct {
		name       string
		comment    model.Suppression
		suppressed bool
		want       string // message about the comment; "" none
	}{
		{"same line", comment("a.go", 10, 10, "retrylint:ignore", "one client", "no-jitter"), true, ""},
		{"line above", comment("a.go", 9, 10, "retrylint:ignore", "one client", "no-jitter"), true, ""},
		{"several rules", comment("a.go", 9, 10, "retrylint:ignore", "one client", "no-backoff", "no-jitter"), true, ""},
		{"all rules", comment("a.go", 10, 10, "nolint", "one client"), true, ""},
		{"lint:ignore", comment("a.go", 9, 10, "lint:ignore", "one client", "no-jitter"), true, ""},
		{"no reason", comment("a.go", 9, 10, "retrylint:ignore", "  ", "no-jitter"), false, "the suppression of no-jitter has no reason, so it does not count"},
		{"nolint without reason", comment("a.go", 10, 10, "nolint", ""), true, "the suppression of all rules has no reason"},
		{"other rule", comment("a.go", 9, 10, "retrylint:ignore", "x", "no-backoff"), false, "the suppression of no-backoff suppresses nothing"},
		{"other line", comment("a.go", 20, 21, "retrylint:ignore", "x", "no-jitter"), false, "the suppression of no-jitter suppresses nothing"},
		{"other file", comment("b.go", 9, 10, "retrylint:ignore", "x", "no-jitter"), false, "the suppression of no-jitter suppresses nothing"},
		{"unknown rule", comment("a.go", 9, 10, "retrylint:ignore", "x", "no-jiter"), false, `the suppression names "no-jiter", which is no rule, did you mean "no-jitter"?`},
		{"one unknown rule", comment("a.go", 9, 10, "retrylint:ignore", "x", "zzz", "no-jitter"), true, `the suppression names "zzz", which is no rule`},
		{"about a rule that did not run", comment("a.go", 9, 10, "retrylint:ignore", "x", "stacked-retries"), false, ""},
		{"about all rules, not all ran", comment("a.go", 20, 20, "nolint", "x"), false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := finding("no-jitter", "a.go", 10)
			extra := Suppress([]*model.Finding{f}, []model.Suppression{tt.comment}, known, func(r string) bool { return r != "stacked-retries" })
			require.Equal(t, tt.suppressed, f.Suppressed != nil)
			if tt.suppressed {
				require.Equal(t, model.Suppressed{How: "comment", Reason: strings.TrimSpace(tt.comment.Reason)}, *f.Suppressed)
			}
			if tt.want == "" {
				require.Empty(t, extra)
				return
			}
			require.Len(t, extra, 1)
			require.Equal(t, tt.want, extra[0].Message)
			require.Equal(t, SuppressionRule, extra[0].Rule)
			require.Equal(t, model.Warning, extra[0].Severity)
			require.Equal(t, tt.comment.At, extra[0].At)
		})
	}
}

func TestFingerprintSurvivesMovedLines(t *testing.T) {
	prints := func(text string, lines ...int) []string {
		all := strings.Split(text, "\n")
		var fs []*model.Finding
		for _, l := range lines {
			fs = append(fs, finding("no-jitter", "a.go", l))
		}
		Fingerprint(fs, func(_, _ string, line int) string { return LineHash(all[line-1]) })
		var out []string
		for _, f := range fs {
			out = append(out, f.Fingerprint)
		}
		return out
	}
	before := prints("for {\ndo()\n}\nfor {", 1, 4)
	after := prints("// new\n\n  for {\ndo()\n}\n\tfor {  ", 3, 6)
	require.Equal(t, before, after)
	require.NotEqual(t, before[0], before[1], "equal lines are told apart by their order")
	require.NotEqual(t, before[0], prints("for x {", 1)[0])
	a, b := finding("no-jitter", "a.go", 1), finding("no-backoff", "a.go", 1)
	Fingerprint([]*model.Finding{a, b}, nil)
	require.NotEqual(t, a.Fingerprint, b.Fingerprint)
}

func result(attempts model.Number, findings ...model.FindingInfo) *model.Result {
	return &model.Result{Version: 1, Repositories: []model.RepositoryInfo{{Name: "r"}}, Chains: []model.ChainInfo{{ID: "c1", Attempts: attempts}}, Findings: findings}
}

func info(rule, print string) model.FindingInfo {
	return model.FindingInfo{Rule: rule, Fingerprint: print, Chain: "c1", Severity: "error", Place: model.Place{Repository: "r", Path: "a.go", Line: 1}}
}

func TestBaseline(t *testing.T) {
	b := &Baseline{result: *result("9", info("stacked-retries", "s"), info("no-jitter", "j"), info("no-jitter", "gone"))}
	states := func(r *model.Result) map[string]string {
		b.Apply(r)
		m := map[string]string{}
		for _, f := range r.Findings {
			m[f.Fingerprint] = f.Baseline
		}
		return m
	}
	require.Equal(t, map[string]string{"s": StateUnchanged, "j": StateUnchanged, "gone": StateAbsent, "fresh": StateNew},
		states(result("9", info("stacked-retries", "s"), info("no-jitter", "j"), info("no-jitter", "fresh"))))
	require.Equal(t, StateNew, states(result("27", info("stacked-retries", "s")))["s"], "a chain that grew counts as new")
	require.Equal(t, StateNew, states(result("unbounded", info("stacked-retries", "s")))["s"])
	require.Equal(t, StateUnchanged, states(result("4", info("stacked-retries", "s")))["s"], "a chain that shrank does not")
	require.Equal(t, StateUnchanged, states(result("27", info("no-jitter", "j")))["j"])

	r := result("9", info("no-jitter", "j"), info("no-jitter", "j"))
	b.Apply(r)
	require.Equal(t, []string{StateUnchanged, StateNew}, []string{r.Findings[0].Baseline, r.Findings[1].Baseline}, "one known finding excuses one finding")

	other := result("9")
	other.Repositories[0].Name = "elsewhere"
	b.Apply(other)
	require.Empty(t, other.Findings, "findings of a repository that was not scanned are not gone")
}

func TestCounts(t *testing.T) {
	require.True(t, Counts(model.FindingInfo{}))
	require.True(t, Counts(model.FindingInfo{Baseline: StateNew}))
	require.False(t, Counts(model.FindingInfo{Baseline: StateUnchanged}))
	require.False(t, Counts(model.FindingInfo{Baseline: StateAbsent}))
	require.False(t, Counts(model.FindingInfo{Suppressed: &model.SuppressedInfo{}}))
}

func TestReadBaselineRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"": "empty", `{"version":`: "cut off", `{"version": 2}`: "version 2", `{}`: "no version", `[]`: "not the JSON of a scan", `{"runs": []}`: "no version",
	} {
		_, err := ReadBaseline(strings.NewReader(in))
		require.ErrorContains(t, err, want, in)
	}
	b, err := ReadBaseline(strings.NewReader(`{"version": 1, "findings": [{"rule": "x", "fingerprint": "y"}]}`))
	require.NoError(t, err)
	require.Len(t, b.Result().Findings, 1)
}
