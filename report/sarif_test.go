package report

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

// sarifValidator is the schema of SARIF 2.1.0 (OASIS; the copy of Microsoft's SARIF SDK, MIT licence), formats asserted.
func sarifValidator(t *testing.T) *jsonschema.Schema {
	t.Helper()
	file, err := os.Open("testdata/sarif-2.1.0.json")
	require.NoError(t, err)
	defer file.Close()
	doc, err := jsonschema.UnmarshalJSON(file)
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("sarif.json", doc))
	s, err := c.Compile("sarif.json")
	require.NoError(t, err)
	return s
}

func manyRepositories(n, findings int) *model.Result {
	r := emptyResult()
	r.Repositories = nil
	for i := range n {
		name := fmt.Sprintf("repo-%03d", i)
		r.Repositories = append(r.Repositories, model.RepositoryInfo{Name: name})
		for j := range findings {
			severity := []string{"note", "warning", "error"}[(i+j)%3]
			r.Findings = append(r.Findings, model.FindingInfo{Rule: "no-jitter", Severity: severity, Message: "m", Place: place(name, "a.go", j+1, 1, 2),
				Fingerprint: digest(fmt.Sprint(i, j))})
		}
	}
	return r
}

func TestSARIFIsValid(t *testing.T) {
	s := sarifValidator(t)
	for name, r := range map[string]*model.Result{"rich": richResult(), "hostile": hostileResult(), "empty": emptyResult(), "single": singleResult(),
		"many": manyRepositories(25, 3), "none": {Version: 1}} {
		for _, format := range []string{"sarif", "sarif-github"} {
			f, _ := Find(format)
			text, err := written(f, r, Options{})
			require.NoError(t, err)
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			require.NoError(t, err)
			if err := s.Validate(v); err != nil {
				t.Errorf("%s of %s: %v", format, name, err)
			}
		}
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"version": "2.1.0", "runs": [{"results": [{"level": "bad"}]}]}`))
	require.NoError(t, err)
	require.Error(t, s.Validate(v), "the schema is in force")
}

func readSARIF(t *testing.T, format string, r *model.Result) sarifLog {
	t.Helper()
	f, _ := Find(format)
	text, err := written(f, r, Options{})
	require.NoError(t, err)
	var log sarifLog
	require.NoError(t, json.Unmarshal([]byte(text), &log))
	return log
}

func TestSARIFTellsTheChainAcrossRepositories(t *testing.T) {
	log := readSARIF(t, "sarif", richResult())
	require.Len(t, log.Runs, 1)
	run := log.Runs[0]
	require.Len(t, run.Results, 8)
	res := run.Results[0]
	require.Equal(t, "window-too-short", run.Tool.Driver.Rules[res.RuleIndex].ID)
	repos := map[string]bool{}
	depth := 0
	for _, l := range res.CodeFlows[0].ThreadFlows[0].Locations {
		if l.Location.Physical != nil {
			repos[l.Location.Physical.Artifact.URIBaseID] = true
			require.Contains(t, run.URIBases, l.Location.Physical.Artifact.URIBaseID)
		}
		depth = max(depth, l.NestingLevel)
	}
	require.Len(t, repos, 4)
	require.Equal(t, 3, depth)
	require.Equal(t, "https://github.com/pay/ledger/blob/1f0e8d6c5b4a39281706f5e4d3c2b1a098765432/", run.URIBases["ROOT:ledger"].URI)
	require.Len(t, run.Provenance, 3, "a repository without an address has no provenance")
	require.Equal(t, "https://git.example.test/pay/scheduler", run.Provenance[2].RepositoryURI, "no password")
	require.Equal(t, "new", res.Baseline)
	require.Equal(t, "336", res.Fixes[0].Changes[0].Replacements[0].Inserted.Text)
	require.Equal(t, "inSource", run.Results[4].Suppressions[0].Kind)
	require.Equal(t, "absent", run.Results[6].Baseline)
	require.Len(t, run.Invocations[0].Notifications, 2, "what could not be read")
	require.Equal(t, "1.2.3", run.Tool.Driver.SemanticVersion)
	last := run.Results[7].Locations[0].Physical.Region
	require.Equal(t, 37, last.EndColumn, "columns count UTF-16 units")
}

func TestSARIFForGitHubKeepsToItsRepository(t *testing.T) {
	for name, r := range map[string]*model.Result{"rich": richResult(), "hostile": hostileResult()} {
		log := readSARIF(t, "sarif-github", r)
		require.Len(t, log.Runs, 4, name)
		categories := map[string]bool{}
		for _, run := range log.Runs {
			require.False(t, categories[run.AutomationDetails.ID])
			categories[run.AutomationDetails.ID] = true
			require.Empty(t, run.URIBases)
			for _, res := range run.Results {
				require.NotEmpty(t, res.Fingerprints["primaryLocationLineHash"])
				require.Empty(t, res.Suppressions)
				require.Len(t, res.Locations, 1)
				check := func(l sarifLocation) {
					require.NotNil(t, l.Physical, "%s: a step without a place is not shown", name)
					u, err := url.Parse(l.Physical.Artifact.URI)
					require.NoError(t, err)
					require.False(t, u.IsAbs() || strings.HasPrefix(u.Path, "/"), u)
					require.Empty(t, l.Physical.Artifact.URIBaseID)
					require.LessOrEqual(t, l.Physical.Region.EndLine, l.Physical.Region.StartLine, "one line")
				}
				check(res.Locations[0])
				for _, l := range res.Related {
					check(l)
				}
				for _, f := range res.CodeFlows {
					for _, l := range f.ThreadFlows[0].Locations {
						check(l.Location)
					}
				}
			}
		}
	}
	run := readSARIF(t, "sarif-github", richResult()).Runs[0]
	require.Equal(t, "5b5422080533d9df:1", run.Results[0].Fingerprints["primaryLocationLineHash"])
	require.Equal(t, "retrylint/ledger/", run.AutomationDetails.ID)
	require.Contains(t, run.Results[0].Related[0].Message.Text, "(in scheduler settle.yaml:20)")
	require.Contains(t, run.Results[0].Related[2].Message.Text, "https://gitlab.com/pay/payout-gateway/-/blob/2f0e8d6c5b4a39281706f5e4d3c2b1a098765432/internal/ledger/client.go#L27")
	require.Equal(t, "retrylint/", readSARIF(t, "sarif-github", singleResult()).Runs[0].AutomationDetails.ID)
}

func TestSARIFForGitHubKeepsTheLimits(t *testing.T) {
	log := readSARIF(t, "sarif-github", manyRepositories(25, 1))
	require.Len(t, log.Runs, 20)
	require.Contains(t, log.Runs[0].Invocations[0].Notifications[0].Message.Text, "5 repositories left out")
	errors := 0
	for _, run := range log.Runs {
		if run.Results[0].Level == "error" {
			errors++
		}
	}
	require.Equal(t, 8, errors, "the repositories with errors are among those that stay")

	log = readSARIF(t, "sarif-github", manyRepositories(1, 6001))
	run := log.Runs[0]
	require.Len(t, run.Results, 5000)
	n := map[string]int{}
	for _, res := range run.Results {
		n[res.Level]++
	}
	require.Equal(t, map[string]int{"error": 2000, "warning": 2000, "note": 1000}, n)
	require.Contains(t, run.Invocations[0].Notifications[0].Message.Text, "5000 most severe of 6001")

	// Two findings of a rule on one line are one alert.
	r := singleResult()
	second := r.Findings[0]
	second.Message = "another chain"
	r.Findings = append(r.Findings, second)
	run = readSARIF(t, "sarif-github", r).Runs[0]
	require.Len(t, run.Results, 1)
	require.Contains(t, run.Results[0].Message.Text, "Also: another chain")

	// A long chain is cut.
	r = singleResult()
	c := &r.Chains[0]
	for range 1500 {
		c.Hops = append(c.Hops, c.Hops[0])
	}
	run = readSARIF(t, "sarif-github", r).Runs[0]
	require.Len(t, run.Results[0].CodeFlows[0].ThreadFlows[0].Locations, 1000)
	require.NotEmpty(t, run.Invocations[0].Notifications)
}

func TestRuleIndexIsStable(t *testing.T) {
	a, b := readSARIF(t, "sarif-github", richResult()), readSARIF(t, "sarif-github", emptyResult())
	require.Equal(t, a.Runs[0].Tool.Driver.Rules, b.Runs[0].Tool.Driver.Rules)
	for _, x := range a.Runs[0].Tool.Driver.Rules {
		require.NotEmpty(t, x.Help.Text)
		require.LessOrEqual(t, len(x.ShortDescription.Text), 1024)
		require.LessOrEqual(t, len(x.FullDescription.Text), 1024)
		require.NotContains(t, x.Help.Markdown, "want \"")
	}
}
