package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/rules"
)

var update = flag.Bool("update", false, "write the golden files anew")

var endings = map[string]string{"json": ".json", "sarif": ".sarif", "sarif-github": ".sarif", "html": ".html", "markdown": ".md", "gitlab": ".json", "rdjson": ".json",
	"junit": ".xml", "checkstyle": ".xml"}

// TestGolden holds each format against its file: what a change of a writer changes is seen in review.
func TestGolden(t *testing.T) {
	require.GreaterOrEqual(t, len(All()), 10)
	fixedRules(t)
	for _, f := range All() {
		t.Run(f.Name, func(t *testing.T) {
			got, err := written(f, richResult(), Options{})
			require.NoError(t, err)
			name := filepath.Join("testdata", "rich-"+f.Name+endings[f.Name])
			if endings[f.Name] == "" {
				name += ".txt"
			}
			if *update {
				require.NoError(t, os.WriteFile(name, []byte(got), 0o644))
			}
			want, err := os.ReadFile(name)
			require.NoError(t, err)
			require.True(t, string(want) == got, "%s differs from what is written; look at the difference and use -update", name)
		})
	}
}

// fixedRules makes the golden files independent of the wording of the rules.
func fixedRules(t *testing.T) {
	old := allRules
	t.Cleanup(func() { allRules = old })
	allRules = func() []rules.Rule {
		var out []rules.Rule
		for _, id := range []string{"no-backoff", "no-jitter", "no-timeout", "stacked-retries", "unbounded-retry", "window-too-short"} {
			out = append(out, rules.Rule{ID: id, Severity: model.Warning, Summary: "what " + id + " flags", Why: "what goes wrong", Fix: "what to do", Group: "chains",
				Bad: "-- a.yaml --\nretries: 3 # want \"three\"\n", Good: "-- a.yaml --\nretries: 0\n"})
		}
		return out
	}
}

// TestConvertedEqualsDirect: what is made of the JSON is what is made of the result.
func TestConvertedEqualsDirect(t *testing.T) {
	j, _ := Find("json")
	for name, r := range map[string]*model.Result{"rich": richResult(), "empty": emptyResult(), "single": singleResult()} {
		text, err := written(j, r, Options{})
		require.NoError(t, err)
		var back model.Result
		require.NoError(t, json.Unmarshal([]byte(text), &back))
		for _, f := range All() {
			direct, err := written(f, r, Options{Verbose: true})
			require.NoError(t, err)
			converted, err := written(f, &back, Options{Verbose: true})
			require.NoError(t, err)
			require.Equal(t, direct, converted, "%s of %s", f.Name, name)
		}
	}
}

// TestNothingIsChanged: writers only read.
func TestNothingIsChanged(t *testing.T) {
	for _, f := range All() {
		r := richResult()
		_, err := written(f, r, Options{})
		require.NoError(t, err)
		require.Equal(t, richResult(), r, f.Name)
	}
}

// failing fails after some bytes, as a full disk does.
type failing int

func (f *failing) Write(b []byte) (int, error) {
	if *f -= failing(len(b)); *f < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

func TestAFailedWriteIsReported(t *testing.T) {
	for _, f := range All() {
		w := failing(10)
		require.Error(t, f.Write(&w, richResult(), Options{}), f.Name)
	}
}

// controls are characters that a terminal or a reader obeys rather than shows.
var controls = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u202a-\u202e\u2066-\u2069\u200e\u200f\u2028\u2029]")

func TestHostileNamesStayInTheirPlace(t *testing.T) {
	for _, f := range All() {
		t.Run(f.Name, func(t *testing.T) {
			text, err := written(f, hostileResult(), Options{Verbose: true})
			require.NoError(t, err)
			require.True(t, utf8.ValidString(text))
			if f.Name != "json" { // which is for programs and loses nothing; its escapes are checked below
				require.Empty(t, controls.FindString(text))
			}
			switch f.Name {
			case "json", "gitlab", "rdjson", "sarif", "sarif-github":
				var v any
				require.NoError(t, json.Unmarshal([]byte(text), &v))
				if f.Name != "json" {
					everyString(v, func(s string) { require.NotRegexp(t, "[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]", s) })
				}
			case "junit", "checkstyle":
				d := xml.NewDecoder(strings.NewReader(text))
				for {
					tok, err := d.Token()
					if err == io.EOF {
						break
					}
					require.NoError(t, err)
					if s, ok := tok.(xml.StartElement); ok {
						require.NotEqual(t, "script", s.Name.Local)
						require.NotEqual(t, "img", s.Name.Local)
					}
				}
			case "github":
				for line := range strings.Lines(text) {
					if strings.HasPrefix(line, "::") {
						require.Regexp(t, `^::(error|warning|notice) file=[^:,]+,(line=\d+,)(endLine=\d+,)?(col=\d+,)?(endColumn=\d+,)?title=[^:,]+::`, line)
					}
				}
			case "markdown":
				outside := outsideCode(text)
				for _, bad := range []string{"<script", "<img", "<!--", "@everyone", "://evil"} {
					require.False(t, strings.Contains(outside, bad), "%s is outside of code", bad)
				}
				require.False(t, regexp.MustCompile(`[^\\]\]\(javascript`).MatchString(outside))
				require.Zero(t, strings.Count(text, "\n```")%2)
				for line := range strings.Lines(text) {
					if strings.HasPrefix(line, "| ") && strings.Contains(line, "retrylint/blob") {
						require.Equal(t, 5, strings.Count(line, "|"), line)
					}
				}
				checkMermaid(t, text)
			case "html":
				require.False(t, strings.Contains(text, "<script>alert"))
				require.False(t, strings.Contains(text, "<img"))
			}
		})
	}
}

// outsideCode leaves out code spans and blocks.
func outsideCode(s string) string {
	s = regexp.MustCompile("(?s)\n```.*?\n```").ReplaceAllString(s, "")
	return regexp.MustCompile("``+ .*? ``+|`[^`\n]*`").ReplaceAllString(s, "")
}

// checkMermaid holds the pictures against the few forms of line that are written.
func checkMermaid(t *testing.T, text string) {
	t.Helper()
	blocks := regexp.MustCompile("(?s)\n```mermaid\n(.*?)```").FindAllStringSubmatch(text, -1)
	require.NotEmpty(t, blocks)
	label := `"(?:[^"<>\n]|<b>|</b>|<br>)*"`
	line := regexp.MustCompile(`^(flowchart TD|  subgraph g\d+\[` + label + `\]|    (n\d+|cut)\[` + label + `\]:::(plain|layer|effect|short|margin)|  end|  (n\d+|cut) --> (n\d+|cut)|  classDef [a-z]+ [a-z:#0-9,]+)$`)
	for _, b := range blocks {
		for l := range strings.Lines(b[1]) {
			require.Regexp(t, line, strings.TrimSuffix(l, "\n"))
		}
	}
}

func everyString(v any, do func(string)) {
	switch v := v.(type) {
	case string:
		do(v)
	case []any:
		for _, x := range v {
			everyString(x, do)
		}
	case map[string]any:
		for k, x := range v {
			do(k)
			everyString(x, do)
		}
	}
}

func TestMermaidOfTheRichResult(t *testing.T) {
	f, _ := Find("markdown")
	text, err := written(f, richResult(), Options{})
	require.NoError(t, err)
	checkMermaid(t, text)
	require.Contains(t, text, "3 x 3 x 3 = 27 attempts")
}

func TestGitHubCommandsKeepTheLimits(t *testing.T) {
	r := richResult()
	f := r.Findings[0]
	for i := range 30 {
		f.Line = 100 + i
		r.Findings = append(r.Findings, f)
	}
	c, _ := Find("github")
	text, err := written(c, r, Options{})
	require.NoError(t, err)
	require.Equal(t, 10, strings.Count(text, "::error "))
	require.Contains(t, text, "22 more errors not annotated")
	for range 300 {
		r.Findings = append(r.Findings, f)
	}
	long, err := written(c, r, Options{})
	require.NoError(t, err)
	require.Contains(t, long, "and 122 more; other formats have all of them")
	require.Less(t, strings.LastIndex(text, "::error "), strings.Index(text, "::warning "), "errors come first")
}

func TestPathsAreAlone(t *testing.T) {
	for _, name := range []string{"github", "gitlab", "rdjson", "junit", "checkstyle"} {
		f, _ := Find(name)
		many, err := written(f, richResult(), Options{})
		require.NoError(t, err)
		require.Contains(t, many, "ledger/main.go", "%s: several repositories, paths with their name", name)
		one, err := written(f, singleResult(), Options{})
		require.NoError(t, err)
		require.NotContains(t, one, "ledger/main.go", "%s: one repository, paths as they are in it", name)
		require.Contains(t, one, "main.go", name)
	}
}

func TestGitLabFingerprintsDiffer(t *testing.T) {
	r := richResult()
	for range 5 {
		r.Findings = append(r.Findings, r.Findings[0])
	}
	f, _ := Find("gitlab")
	text, err := written(f, r, Options{})
	require.NoError(t, err)
	var issues []gitlabIssue
	require.NoError(t, json.Unmarshal([]byte(text), &issues))
	seen := map[string]bool{}
	for _, i := range issues {
		require.False(t, seen[i.Fingerprint])
		seen[i.Fingerprint] = true
		require.Positive(t, i.Location.Lines.Begin)
	}
	require.Len(t, issues, 10)
	require.False(t, bytes.HasPrefix([]byte(text), []byte("\xef\xbb\xbf")))
}

func TestPermalinks(t *testing.T) {
	commit := "1f0e8d6c5b4a39281706f5e4d3c2b1a098765432"
	for raw, want := range map[string]string{
		"git@github.com:pay/ledger.git":            "https://github.com/pay/ledger/blob/" + commit + "/",
		"https://u:p@gitlab.com/pay/x/y.git":       "https://gitlab.com/pay/x/y/-/blob/" + commit + "/",
		"ssh://git@gitlab.example.test:2222/pay/x": "https://gitlab.example.test/pay/x/-/blob/" + commit + "/",
		"https://bitbucket.org/pay/x/":             "https://bitbucket.org/pay/x/src/" + commit + "/",
		"https://git.example.test/pay/x":           "",
		"/srv/git/pay":                             "",
		"file:///srv/git/pay":                      "",
		"C:/repos/pay":                             "",
		"javascript:alert(1)":                      "",
		"https://github.com/pay/\"><script>x":      "https://github.com/pay/%22%3E%3Cscript%3Ex/blob/" + commit + "/",
		"":                                         "",
	} {
		require.Equal(t, want, permalinkRoot(&model.RepositoryInfo{URL: raw, Commit: commit}), "%q", raw)
	}
	require.Empty(t, permalinkRoot(&model.RepositoryInfo{URL: "https://github.com/a/b", Commit: "main"}))
}

func TestEscapePath(t *testing.T) {
	for in, want := range map[string]string{"a/b.go": "a/b.go", "a b/%41.go": "a%20b/%2541.go", "c:/x": "c%3A/x", "../../etc/passwd": "etc/passwd", "/abs": "abs",
		"a//b/./c": "a/b/c", "é.go": "%C3%A9.go", "#?": "%23%3F", "\xff": "%FF"} {
		require.Equal(t, want, escapePath(in), fmt.Sprintf("%q", in))
	}
}

func TestUTF16Columns(t *testing.T) {
	v := newView(richResult(), Options{})
	p := place("settle-service", "main.go", 12, 1, 0)
	line := "// caf\u00e9 \U0001F600 //retrylint"
	require.Equal(t, 1+strings.Index("// cafe xx //retrylint", "//retrylint"), v.utf16Column(p, 1+strings.Index(line, "//retrylint")))
	require.Equal(t, 500, v.utf16Column(p, 500), "past the stored text: as it is")
}

// TestNarrowTerminals: on 40 columns no line is longer, but for single words that nothing can break.
func TestNarrowTerminals(t *testing.T) {
	f, _ := Find("text")
	for _, width := range []int{20, 40, 60, 80, 100, 200} {
		text, err := written(f, richResult(), Options{Width: width, Color: true, Verbose: true})
		require.NoError(t, err)
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			require.Equal(t, strings.TrimRight(line, " "), line, "space at the end")
			if len(strings.Fields(line)) > 2 {
				require.LessOrEqual(t, visible(line), max(width, 40), "%d: %q", width, line)
			}
		}
	}
}

func TestColourIsOnlyWhereAsked(t *testing.T) {
	f, _ := Find("text")
	plain, err := written(f, richResult(), Options{Verbose: true})
	require.NoError(t, err)
	require.NotContains(t, plain, "\x1b")
	coloured, err := written(f, richResult(), Options{Verbose: true, Color: true})
	require.NoError(t, err)
	require.Equal(t, plain, regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(coloured, ""), "colour changes nothing else")
}

func TestShortName(t *testing.T) {
	for in, want := range map[string]string{"example.test/pay.(*Ledger).Book#net/http.(*Client).Do": "http.(*Client).Do", "POST /entries": "POST /entries", "pay/settle": "pay/settle",
		"example.test/pay/cmd.main": "cmd.main", "#": "#", "traffic.roundTrip#": "traffic.roundTrip", "https://a.test/x.y": "https://a.test/x.y", "": ""} {
		require.Equal(t, want, shortName(in))
	}
}
