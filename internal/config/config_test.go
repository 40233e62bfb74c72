package config

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/retrylint/retrylint/model"
)

func parse(t *testing.T, text string) *Config {
	t.Helper()
	c, problems := Parse(FileName, []byte(text))
	require.Empty(t, problems)
	return c
}

func TestParseContractExample(t *testing.T) {
	data, err := os.ReadFile("testdata/contract.yaml")
	require.NoError(t, err)
	c := parse(t, string(data))
	require.Equal(t, "2", c.Factor().String())
	warning, red := c.Thresholds()
	require.Equal(t, []int64{16, 64}, []int64{warning, red})
	require.Equal(t, "24h", c.Replay.DeadLetter.String())
	require.Equal(t, No, c.Replay.ReplaysAutomatic)
	require.Equal(t, "168h", c.Replay.Restore.String())
	require.Equal(t, []string{"settle-worker.pay.svc"}, c.Services[0].Aliases)
	require.Equal(t, model.Exactly(3), c.Services[0].Replicas)
	require.Equal(t, model.Location{Path: FileName, Line: 10, Col: 12, EndLine: 10, EndCol: 25}, c.Services[0].At)
	require.Equal(t, "2", c.Layers[0].Backoff.Factor.String())
	require.Equal(t, model.BackoffExponential, c.Layers[0].Backoff.Kind)
	require.Equal(t, model.Exactly(20), c.Senders[0].Attempts)
	require.True(t, c.Windows[0].TTL.IsPermanent())
	require.Equal(t, "5", c.Settings[0].Value)
	s, ok := c.Severity("no-jitter")
	require.True(t, ok)
	require.Equal(t, model.Off, s)
	require.True(t, c.Excluded("a/testdata/b/c.yaml"))
	require.False(t, c.Excluded("a/b/c.yaml"))
}

func TestProblemsHavePlaceAndSuggestion(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"empty", "", `:1:1: version is missing: the file is empty`},
		{"comment only", "# nothing\n", `:1:1: version is missing: the file is empty`},
		{"no version", "safetyFactor: 2\n", `:1:1: version is missing`},
		{"other version", "version: 2\n", `:1:10: version 2 is not known; this retrylint reads version 1`},
		{"word as version", "version: one\n", `:1:10: version: "one" is not a whole number of at least 1`},
		{"unknown key", "version: 1\nsafteyFactor: 2\n", `:2:1: unknown key "safteyFactor" (did you mean "safetyFactor"?)`},
		{"unknown key deep", "version: 1\nreplay: {deadletter: {delay: 1h}}\n", `:2:10: unknown key "deadletter" in replay (did you mean "deadLetter"?)`},
		{"nothing near", "version: 1\nfoo: 2\n", `:2:1: unknown key "foo"`},
		{"type", "version: 1\nservices: {name: x}\n", `:2:11: services must be a list, not a mapping`},
		{"scalar for mapping", "version: 1\nreplay: 24h\n", `:2:9: replay must be a mapping, not "24h"`},
		{"null", "version: 1\nsafetyFactor:\n", `:2:14: safetyFactor must be a number, not empty`},
		{"duration without unit", "version: 1\nreplay: {deadLetter: {delay: 24}}\n", `:2:30: replay.deadLetter.delay: "24" has no unit; write 24s, 24m or 24h`},
		{"negative duration", "version: 1\nreplay: {restore: {delay: -1h}}\n", `:2:27: replay.restore.delay: "-1h" is not a duration such as 90s, 24h or 3d`},
		{"severity", "version: 1\nrules: {no-jitter: warn}\n", `:2:20: rules.no-jitter: "warn" is not one of off, note, warning, error`},
		{"severity near", "version: 1\nrules: {no-jitter: warnig}\n", `:2:20: rules.no-jitter: "warnig" is not one of off, note, warning, error (did you mean "warning"?)`},
		{"attempts", "version: 1\nlayers: [{name: a, service: b, attempts: 0}]\n", `:2:42: layers[0].attempts: "0" is not a number of attempts (1 is the first call alone), unbounded or unknown`},
		{"missing in list", "version: 1\nwindows: [{service: a, ttl: 1h}]\n", `:2:11: windows[0].kind is missing`},
		{"twice", "version: 1\nsafetyFactor: 2\nsafetyFactor: 3\n", `:3:1: safetyFactor stands twice`},
		{"factor below one", "version: 1\nsafetyFactor: 0.5\n", `:2:15: safetyFactor: 0.5 is below 1`},
		{"glob", "version: 1\nexclude: [\"[\"]\n", `:2:11: exclude[0]: "[" is not a valid pattern`},
		{"thresholds", "version: 1\nthresholds: {warning: 100}\n", `:2:13: thresholds: warning (100) is above error (64)`},
		{"sender", "version: 1\nsenders: [{to: billing, redeliversFor: 1h}]\n", `:2:11: senders[0].to: "billing" is not a request such as "POST /hooks/billing"`},
		{"yaml", "version: 1\n  x: [\n", `: not valid YAML: `},
		{"alias", "version: 1\nreplay: &r {deadLetter: {delay: 1h}}\nthresholds: *r\n", `:3:13: thresholds: aliases are not allowed here`},
		{"two documents", "version: 1\n---\nversion: 1\n", `: a second document; only one is allowed`},
		{"percent in a key", "version: 1\nrules: {\"%s%d\": of}\n", `:2:17: rules.%s%d: "of" is not one of off, note, warning, error (did you mean "off"?)`},
		{"columns are bytes", "version: 1\nrules: {\"ä→\": off, x: on}\n", `:2:26: rules.x: "on" is not one of`},
		{"not a mapping", "- 1\n", `:1:1: the file must be a mapping, not a list`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, problems := Parse("c.yaml", []byte(tt.in))
			require.NotEmpty(t, problems)
			got := problems[0].String()
			require.True(t, strings.HasPrefix(got, "c.yaml:"), got)
			require.Contains(t, got, tt.want)
		})
	}
}

func TestAllProblemsAtOnceSorted(t *testing.T) {
	_, problems := Parse("c.yaml", []byte("version: 1\nfoo: 1\nreplay: {x: 1}\nsafetyFactor: no\n"))
	var lines []int
	for _, p := range problems {
		lines = append(lines, p.Line)
	}
	require.Equal(t, []int{2, 3, 4}, lines)
}

func TestCheckRules(t *testing.T) {
	for _, name := range []string{"No_Jitter", "noJitter", "NO-JITTER", "retrylint/no-jitter"} {
		problems := parse(t, "version: 1\nrules: {"+name+": off}\n").CheckRules([]string{"no-jitter", "no-backoff"})
		require.Len(t, problems, 1, name)
		require.Equal(t, `.retrylint.yaml:2:9: rules: "`+name+`" has not the form of a rule's name, which is words in lower case joined by "-" (did you mean "no-jitter"?)`, problems[0].String())
	}
	c := parse(t, "version: 1\nrules: {no-jiter: off, no-jitter: off}\n")
	problems := c.CheckRules([]string{"no-jitter", "no-backoff"})
	require.Len(t, problems, 1)
	require.Equal(t, `.retrylint.yaml:2:9: rules: there is no rule "no-jiter" (did you mean "no-jitter"?)`, problems[0].String())
}

func TestParseDuration(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "24h": 24 * time.Hour, "3d": 72 * time.Hour, "1d12h": 36 * time.Hour, "0.5d": 12 * time.Hour,
		"0": 0, "1h30m": 90 * time.Minute, "250ms": 250 * time.Millisecond,
	} {
		got, err := ParseDuration(in)
		require.NoError(t, err, in)
		require.Equal(t, want, got, in)
	}
	for _, in := range []string{"", "-1h", "+1h", "3", "d", "3dd", "1e3d", "nand", "Infd", "3 days", "1w", "99999999999h", "100000d9999999h", "0x1d"} {
		_, err := ParseDuration(in)
		require.Error(t, err, in)
	}
}

func TestMergeOrganisationWins(t *testing.T) {
	org := parse(t, "version: 1\nreplay: {deadLetter: {delay: 48h}}\nrules: {no-jitter: error}\nservices: [{name: a, replicas: 2}]\nsettings: {X: 1}\n")
	repo := parse(t, "version: 1\nsafetyFactor: 3\nreplay: {deadLetter: {delay: 1h}, operatorRerun: {delay: 96h, appliesTo: [all]}}\nrules: {no-jitter: off, no-backoff: note}\nservices: [{name: a, replicas: 9}, {name: b}]\nsettings: {X: 2, Y: 3}\n")
	m := Merge(org, repo)
	require.Equal(t, "3", m.Factor().String())
	require.Equal(t, "48h", m.Replay.DeadLetter.String())
	require.Equal(t, "96h", m.Replay.OperatorRerun.String())
	require.Len(t, m.Services, 2)
	require.Equal(t, model.Exactly(2), m.Services[0].Replicas)
	s, _ := m.Severity("no-jitter")
	require.Equal(t, model.Error, s)
	s, _ = m.Severity("no-backoff")
	require.Equal(t, model.Note, s)
	require.Len(t, m.Settings, 2)
	require.Equal(t, "9", Merge(nil, repo).Services[0].Replicas.String())
	require.Len(t, repo.Services, 2, "the inputs are not changed")

	set := NewSet(org)
	set.Add("pay", repo)
	facts := set.Facts("organisation")
	require.Len(t, facts, 2)
	require.Equal(t, "organisation", facts[0].Repo.Name)
	require.Equal(t, "pay", facts[1].Repo.Name)
	require.Len(t, facts[1].Services, 1, "what the organisation declares is not declared again")
	require.Equal(t, "b", facts[1].Services[0].Name)
	require.Equal(t, "96h", set.Whole().Replay.OperatorRerun.String())
}

func TestWholeDoesNotDependOnOrder(t *testing.T) {
	one, two := parse(t, "version: 1\nsafetyFactor: 3\n"), parse(t, "version: 1\nsafetyFactor: 4\n")
	a, b := NewSet(nil), NewSet(nil)
	a.Add("x", one)
	a.Add("y", two)
	b.Add("y", two)
	b.Add("x", one)
	require.Equal(t, a.Whole().Factor(), b.Whole().Factor())
	require.Equal(t, "3", a.Whole().Factor().String())
}

func TestFactsOfSender(t *testing.T) {
	c := parse(t, "version: 1\nsenders:\n  - {to: \"POST /hooks/billing\", redeliversFor: 72h}\n  - {to: /x, service: edge, attempts: 20, redeliversFor: 3d}\n")
	f := c.Facts("hooks")
	require.Len(t, f.Nodes, 2)
	require.Len(t, f.Edges, 2)
	require.Len(t, f.Layers, 2)
	e := f.Edges[0]
	require.Equal(t, f.Edges[0].From, f.Layers[0].In)
	require.Equal(t, model.N(model.SpaceHandler, "hooks|*|POST /hooks/billing"), e.To)
	require.Equal(t, "POST", e.Method)
	require.Equal(t, "/hooks/billing", e.Path)
	require.Equal(t, []string{f.Layers[0].ID}, e.Under)
	require.True(t, f.Layers[0].Policy.Attempts.IsUnknown())
	require.Equal(t, "hooks", e.At.Repo)
	require.Equal(t, 3, e.At.Line)
	require.Equal(t, model.N(model.SpaceHost, "edge"), f.Edges[1].To)
	require.Equal(t, model.Exactly(20), f.Layers[1].Policy.Attempts)
	d := c.ReplayDefaults("hooks")
	require.Len(t, d.Declared, 2)
	require.Equal(t, string(model.PathSender), d.Declared[0].Name)
	require.Equal(t, f.Edges[0].From.String(), d.Declared[0].Service)
	require.Equal(t, "72h", d.Declared[0].Delay.String())
}

func TestReplayDefaults(t *testing.T) {
	var none *Config
	d := none.ReplayDefaults("")
	require.Equal(t, "24h", d.DeadLetter.String())
	require.Equal(t, "72h", d.OperatorRerun.String())
	require.False(t, d.RerunAll)
	require.False(t, d.RestoreDeclared)
	require.Contains(t, d.RerunKinds, model.NodeSchedule)
	require.NotContains(t, d.RerunKinds, model.NodeHandler)

	d = parse(t, "version: 1\nreplay:\n  operatorRerun: {appliesTo: [all]}\n  restore: {delay: 7d}\n  replaysAutomatic: true\n  paths: [{name: holiday, delay: 96h, service: a, clock: after-automatic}]\n").ReplayDefaults("r")
	require.True(t, d.RerunAll)
	require.True(t, d.ReplaysAutomatic)
	require.True(t, d.RestoreDeclared)
	require.Equal(t, "168h", d.Restore.String())
	require.Equal(t, model.DeclaredPath{Name: "holiday", Service: "a", Delay: model.For(96 * time.Hour), AfterAutomatic: true,
		At: model.Location{Repo: "r", Path: FileName, Line: 6, Col: 34, EndLine: 6, EndCol: 37}}, d.Declared[0])
}

func TestSettingNames(t *testing.T) {
	f := parse(t, "version: 1\nsettings: {MAX_RETRIES: 5, \"flag:max-retries\": 7}\n").Facts("r")
	got := map[string]string{}
	for _, s := range f.Settings {
		got[s.Name.String()] = s.Value
	}
	require.Equal(t, "5", got["env:MAX_RETRIES"])
	require.Equal(t, "5", got["config:MAX_RETRIES"])
	require.Equal(t, "7", got["flag:max-retries"])
	require.NotContains(t, got, "env:flag:max-retries")
}

func TestNothingDeclaredIsNoFacts(t *testing.T) {
	require.Nil(t, parse(t, "version: 1\nsafetyFactor: 3\n").Facts("r"))
}

// The schema for editors and the checks come from one table; this holds the schema itself against a validator.
func TestSchemaAgreesWithParse(t *testing.T) {
	data, err := Schema([]string{"no-jitter", "unkeyed-retry"})
	require.NoError(t, err)
	var s jsonschema.Schema
	require.NoError(t, json.Unmarshal(data, &s))
	resolved, err := s.Resolve(nil)
	require.NoError(t, err)
	valid := func(text string) error {
		var v any
		require.NoError(t, yaml.Unmarshal([]byte(text), &v))
		b, err := json.Marshal(v)
		require.NoError(t, err)
		var j any
		require.NoError(t, json.Unmarshal(b, &j))
		return resolved.Validate(j)
	}
	example, err := os.ReadFile("testdata/contract.yaml")
	require.NoError(t, err)
	require.NoError(t, valid(string(example)))
	for _, bad := range []string{"safetyFactor: 2", "version: 2", "version: 1\nfoo: 1", "version: 1\nreplay: {deadLetter: {delay: 24}}",
		"version: 1\nreplay: {deadLetter: {delay: soon}}", "version: 1\nrules: {no-jitter: loud}", "version: 1\nrules: {no-such: off}",
		"version: 1\nlayers: [{name: a, service: b, attempts: 0}]", "version: 1\nservices: {name: a}"} {
		require.Error(t, valid(bad), bad)
		c, problems := Parse("c.yaml", []byte(bad))
		if len(problems) == 0 {
			problems = c.CheckRules([]string{"no-jitter", "unkeyed-retry"})
		}
		require.NotEmpty(t, problems, bad)
	}
}

func FuzzParse(f *testing.F) {
	data, err := os.ReadFile("testdata/contract.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	f.Add("version: 1\nreplay: &a {x: *a}\n")
	f.Add("version: 1\nsenders: [{to: \"POST /a\", redeliversFor: 1h}]\n")
	f.Fuzz(func(t *testing.T, s string) {
		c, problems := Parse("c.yaml", []byte(s))
		if c == nil {
			t.Fatal("no configuration")
		}
		for _, p := range problems {
			if p.Message == "" {
				t.Fatalf("a problem without a message: %+v", p)
			}
		}
		c.Facts("r")
		c.ReplayDefaults("r")
		Merge(c, c)
	})
}
