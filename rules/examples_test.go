package rules_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/scan"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/rules"
)

var wantComment = regexp.MustCompile(`(?:#|//|--|;)\s*want ("(?:[^"\\]|\\.)*"|` + "`[^`]*`" + `)`)

// TestExamples runs every rule's Bad and Good through the whole pipeline: in Bad a finding of the rule must stand on each
// line with a want comment and nowhere else, in Good there must be none.
func TestExamples(t *testing.T) {
	for _, r := range rules.All() {
		t.Run(r.ID, func(t *testing.T) {
			require.NotEmpty(t, r.Bad, "a rule shows what is wrong")
			require.NotEmpty(t, r.Good, "a rule shows what is right")
			got, want := runExample(t, r.ID, r.Bad)
			require.NotEmpty(t, want, "Bad needs a want comment")
			compare(t, want, got)
			got, want = runExample(t, r.ID, r.Good)
			require.Empty(t, want, "Good wants nothing")
			compare(t, want, got)
		})
	}
}

// TestMoreExamples runs testdata/<rule>/*.txtar in the same way; files named ok_* must give no finding of the rule.
func TestMoreExamples(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	require.NoError(t, err)
	for _, f := range files {
		t.Run(f, func(t *testing.T) {
			data, err := os.ReadFile(f)
			require.NoError(t, err)
			got, want := runExample(t, filepath.Base(filepath.Dir(f)), string(data))
			require.Equal(t, strings.HasPrefix(filepath.Base(f), "ok_"), len(want) == 0, "only ok_* files want nothing")
			compare(t, want, got)
		})
	}
}

func compare(t *testing.T, want map[string]string, got map[string][]string) {
	t.Helper()
	var places []string
	for p := range want {
		places = append(places, p)
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			places = append(places, p)
		}
	}
	sort.Strings(places)
	for _, p := range places {
		re, wanted := want[p]
		switch {
		case !wanted:
			t.Errorf("%s: not wanted: %s", p, strings.Join(got[p], "; "))
		case len(got[p]) == 0:
			t.Errorf("%s: no finding that matches %q", p, re)
		case !regexp.MustCompile(re).MatchString(got[p][0]):
			t.Errorf("%s: %q does not match %q", p, got[p][0], re)
		}
	}
}

// runExample lays the files out and scans them. Where every file lies in a folder, the folders are repositories;
// otherwise all is one repository. A .retrylint.yaml at the top is the organisation's configuration.
func runExample(t *testing.T, rule, text string) (got map[string][]string, want map[string]string) {
	t.Helper()
	arch := txtar.Parse([]byte(text))
	require.NotEmpty(t, arch.Files, "no files in the example")
	dir := t.TempDir()
	want, got = map[string]string{}, map[string][]string{}
	roots := map[string]bool{}
	flat := false
	var cfg *config.Config
	for _, f := range arch.Files {
		lines := strings.Split(string(f.Data), "\n")
		for i, line := range lines {
			if m := wantComment.FindStringSubmatchIndex(line); m != nil {
				quoted := line[m[2]:m[3]]
				want[fmt.Sprintf("%s:%d", f.Name, i+1)] = strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
				lines[i] = strings.TrimRight(line[:m[0]], " \t")
			}
		}
		data := []byte(strings.Join(lines, "\n"))
		top, _, nested := strings.Cut(f.Name, "/")
		if f.Name == config.FileName {
			var problems []config.Problem
			cfg, problems = config.Parse(f.Name, data)
			require.Empty(t, problems)
			continue
		}
		if !nested {
			flat = true
		}
		roots[top] = true
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, data, 0o644))
	}
	var repos []source.Repo
	if flat {
		repos = []source.Repo{{Name: "example", Dir: dir, Kind: source.Plain}}
	} else {
		for r := range roots {
			repos = append(repos, source.Repo{Name: r, Dir: filepath.Join(dir, r), Kind: source.Plain})
		}
	}
	sort.Slice(repos, func(i, j int) bool { return repos[i].Name < repos[j].Name })
	res, err := scan.Run(t.Context(), scan.Options{Repos: repos, Config: cfg, Jobs: 1, Wants: func(r string) bool { return r == rule }})
	require.NoError(t, err)
	require.Empty(t, res.Incomplete, "the example must be readable")
	for _, f := range res.Findings {
		place := fmt.Sprintf("%s:%d", f.Path, f.Line)
		if !flat {
			place = f.Repository + "/" + place
		}
		got[place] = append(got[place], f.Severity+": "+f.Message)
	}
	return got, want
}

// TestMetadata holds the table of rules together: names, texts and severities as docs, SARIF and configuration need them.
func TestMetadata(t *testing.T) {
	name := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	seen := map[string]bool{}
	for _, r := range rules.All() {
		require.Regexp(t, name, r.ID)
		require.False(t, seen[r.ID], "%s twice", r.ID)
		seen[r.ID] = true
		require.NotEmpty(t, r.Summary, r.ID)
		require.NotEmpty(t, r.Why, r.ID)
		require.NotEmpty(t, r.Fix, r.ID)
		require.Contains(t, []string{"keys", "dedupe", "chains", "policies"}, r.Group, r.ID)
		require.NotEqual(t, model.Off, r.Severity, r.ID)
		require.NotNil(t, r.Check, r.ID)
	}
}
