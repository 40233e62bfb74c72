package doc

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// dump writes a tree with places, one node a line, for golden comparison.
func dump(f *File) string {
	var b strings.Builder
	for _, d := range f.Docs {
		fmt.Fprintf(&b, "doc %d from line %d\n", d.Index, d.StartLine)
		dumpNode(&b, d.Root, 0)
	}
	for _, c := range f.Comments {
		fmt.Fprintf(&b, "comment %s %q\n", c.Pos, c.Text)
	}
	for _, e := range f.Errs {
		fmt.Fprintf(&b, "error %s\n", e.Error())
	}
	return b.String()
}

func dumpNode(b *strings.Builder, n *Node, depth int) {
	p := n.Pos()
	fmt.Fprintf(b, "%s%s@%s ", strings.Repeat("  ", depth), n.Key(), n.KeyPos())
	if len(n.Labels()) > 0 {
		fmt.Fprintf(b, "%q ", n.Labels())
	}
	fmt.Fprintf(b, "%s@%d:%d-%d:%d", n.Kind(), p.Line, p.Col, p.EndLine, p.EndCol)
	switch n.Kind() {
	case Scalar:
		fmt.Fprintf(b, " %q", n.Str())
		if n.IsString() {
			b.WriteString(" string")
		}
	case Unknown:
		fmt.Fprintf(b, " %q", n.Template())
	}
	if n.Anchored() {
		fmt.Fprintf(b, " via %s", n.AliasPos())
	}
	if n.Partial() {
		b.WriteString(" partial")
	}
	b.WriteString("\n")
	for _, k := range n.kids {
		dumpNode(b, k, depth+1)
	}
}

func golden(t *testing.T, s Syntax, in, want string) {
	t.Helper()
	f := ParseAs(s, "x", []byte(in), Limits{})
	got := dump(f)
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("input:\n%s\ngot:\n%s\nwant:\n%s", in, got, want)
	}
	checkPlaces(t, f)
}

// checkPlaces holds every position against the file: inside it, ends after beginnings.
func checkPlaces(t *testing.T, f *File) {
	t.Helper()
	checkPlacesIn(t, f, f.Text())
}

// checkPlacesIn is checkPlaces for a text inside another.
func checkPlacesIn(t *testing.T, f *File, text string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	inside := func(what string, p Pos) {
		t.Helper()
		if p.Line < 1 || p.Line > len(lines) || p.Col < 1 || p.Col > len(lines[p.Line-1])+1 {
			t.Errorf("%s at %v is outside the file", what, p)
		}
		if p.EndLine == 0 && p.EndCol == 0 {
			return
		}
		if p.EndLine > len(lines) || p.EndCol < 1 || p.EndCol > len(lines[p.EndLine-1])+1 || p.EndLine < p.Line || p.EndLine == p.Line && p.EndCol < p.Col {
			t.Errorf("%s ends at a wrong place: %+v", what, p)
		}
	}
	for _, d := range f.Docs {
		d.Root.Walk(func(n *Node) bool {
			inside("value "+n.Key(), n.Pos())
			inside("key "+n.Key(), n.KeyPos())
			if n.Anchored() {
				inside("alias", n.AliasPos())
			}
			_ = n.Raw()
			n.Comments()
			return true
		})
	}
	for _, c := range f.Comments {
		inside("comment", c.Pos)
	}
	for _, e := range f.Errs {
		inside("error", e.Pos)
	}
}

func TestYAMLPlaces(t *testing.T) {
	golden(t, YAML, `# head
apiVersion: batch/v1
spec:
  backoffLimit: 3 # three retries
  ports:
  - name: "web # no comment"
    port: 0x50
  - {a: 1, b: [x, 'y z']}
  text: |
    # not a comment
    two
  empty:
---
second: ~
`, `
doc 0 from line 2
@2:1 map@2:1-12:9
  apiVersion@2:1 scalar@2:13-2:21 "batch/v1" string
  spec@3:1 map@3:1-12:9
    backoffLimit@4:3 scalar@4:17-4:18 "3"
    ports@5:3 list@5:3-8:26
      @6:5 map@6:5-7:15
        name@6:5 scalar@6:11-6:29 "web # no comment" string
        port@7:5 scalar@7:11-7:15 "0x50"
      @8:5 map@8:5-8:26
        a@8:6 scalar@8:9-8:10 "1"
        b@8:12 list@8:15-8:25
          @8:16 scalar@8:16-8:17 "x" string
          @8:19 scalar@8:19-8:24 "y z" string
    text@9:3 scalar@9:9-11:8 "# not a comment\ntwo\n" string
    empty@12:3 null@12:3-12:9
doc 1 from line 14
@14:1 map@14:1-14:10
  second@14:1 null@14:9-14:10
comment 1:1 "head"
comment 4:19 "three retries"
`)
}

func TestYAMLBrokenDocumentFailsAlone(t *testing.T) {
	f := Parse("a.yaml", []byte("a: 1\n---\nb: [1\nc: 2\n---\nd: 3\n"), Limits{})
	require.Len(t, f.Docs, 2)
	require.Len(t, f.Errs, 1)
	require.Equal(t, 0, f.Docs[0].Index)
	require.Equal(t, 2, f.Docs[1].Index)
	require.Equal(t, Pos{6, 1, 6, 2}, f.Docs[1].Root.Get("d").KeyPos())
	require.Equal(t, "3:1: YAML: did not find expected ',' or ']'", f.Errs[0].Error())
}

func TestYAMLAliasesAndMergeKeys(t *testing.T) {
	golden(t, YAML, `base: &base
  attempts: 3
  wait: 1s
a:
  <<: *base
  wait: 2s
b: *base
c: [*base]
`, `
doc 0 from line 1
@1:1 map@1:1-8:11
  base@1:1 map@1:1-3:11
    attempts@2:3 scalar@2:13-2:14 "3"
    wait@3:3 scalar@3:9-3:11 "1s" string
  a@4:1 map@4:1-6:11
    wait@6:3 scalar@6:9-6:11 "2s" string
    attempts@2:3 scalar@2:13-2:14 "3" via 5:7
  b@7:1 map@7:1-7:2 via 7:4
    attempts@2:3 scalar@2:13-2:14 "3" via 7:4
    wait@3:3 scalar@3:9-3:11 "1s" string via 7:4
  c@8:1 list@8:4-8:11
    @2:3 map@2:3-3:11 via 8:5
      attempts@2:3 scalar@2:13-2:14 "3" via 8:5
      wait@3:3 scalar@3:9-3:11 "1s" string via 8:5
`)
}

func TestYAMLTemplates(t *testing.T) {
	golden(t, YAML, `{{- if .Values.on }}
apiVersion: batch/v1
metadata:
  name: {{ include "x.fullname" . }}-worker
  labels:
    {{- include "x.labels" . | nindent 4 }}
spec:
  backoffLimit: {{ .Values.retries | default 3 }} # limit
  url: "http://{{ .Values.host }}/v1"
  {{- toYaml .Values.more | nindent 2 }}
  script: |
    {{- range .Values.x }}
    run {{ . }}
    {{- end }}
  after: 1
  args: {{- range .Values.args }}
  - {{ . | quote }}
  {{- end }}
{{- end }}
`, `
doc 0 from line 2
@2:1 map@2:1-17:20
  apiVersion@2:1 scalar@2:13-2:21 "batch/v1" string
  metadata@3:1 map@3:1-5:10
    name@4:3 unknown@4:9-4:44 "{{ include \"x.fullname\" . }}-worker"
    labels@5:3 unknown@6:5-6:44 "{{- include \"x.labels\" . | nindent 4 }}"
  spec@7:1 map@7:1-17:20 partial
    backoffLimit@8:3 unknown@8:17-8:50 "{{ .Values.retries | default 3 }}"
    url@9:3 unknown@9:8-9:38 "http://{{ .Values.host }}/v1"
    script@11:3 unknown@11:11-14:15 "{{- range .Values.x }}\nrun {{ . }}\n{{- end }}"
    after@15:3 scalar@15:10-15:11 "1"
    args@16:3 list@16:3-17:20
      @17:5 unknown@17:5-17:20 "{{ . | quote }}"
comment 8:51 "limit"
`)
}

// What real charts do: a comment that holds actions, keys below an include, branches that do not fit together.
func TestYAMLTemplatesOfRealCharts(t *testing.T) {
	golden(t, YAML, `{{/*
name: "{{ include "x" . }}"
*/}}
kind: {{ if .Values.secret -}} Secret {{- else -}} ConfigMap {{- end }}
labels: {{- include "x.labels" . | nindent 2 }}
  component: metrics
`, `
doc 0 from line 4
@4:1 map@4:1-6:21
  kind@4:1 unknown@4:7-4:72 "{{ if .Values.secret -}} Secret {{- else -}} ConfigMap {{- end }}"
  labels@5:1 map@5:1-6:21 partial
    component@6:3 scalar@6:14-6:21 "metrics" string
comment 1:1 "name: \"{{ include \"x\" . }}\""
`)
	golden(t, YAML, `a: 1
{{ if .Values.secret -}} stringData: {{- else -}} data: {{- end }}
  x.yaml: |
{{ toYaml .Values.config | indent 4 }}
dir:
  {{- if .Values.size }}
  size: 2
  {{- else }}
  {}
  {{- end }}
`, `
doc 0 from line 1
@1:1 map@1:1-7:10
  a@1:1 scalar@1:4-1:5 "1"
  stringData@2:1 map@2:1-4:39
    x.yaml@3:3 unknown@3:11-4:39 "{{ toYaml .Values.config | indent 4 }}"
  dir@5:1 map@5:1-7:10
    size@7:3 scalar@7:9-7:10 "2"
error 2:1: YAML: mapping values are not allowed in this context (read without the template's else branches)
`)
}

func TestYAMLExpressionsAreNoTemplate(t *testing.T) {
	f := Parse("wf.yaml", []byte("limit: \"{{inputs.parameters.n}}\"\ntext: |\n  {{ .x }}\nrun: ${{ github.sha }}\n# {{ .y }}\nd: \"{{ {'a': {'b': 1}} }}\"\n"), Limits{})
	require.Empty(t, f.Errs)
	require.False(t, f.Templated)
	root := f.Docs[0].Root
	for key, want := range map[string]string{"limit": "{{inputs.parameters.n}}", "text": "{{ .x }}", "run": "${{ github.sha }}", "d": "{{ {'a': {'b': 1}} }}"} {
		require.Equal(t, Unknown, root.Get(key).Kind(), key)
		require.Equal(t, want, root.Get(key).Template(), key)
	}
	require.Equal(t, "{{ .x }}\n", root.Get("text").Str())
	for _, in := range []string{"a: {b: {c: 1}}", "a: '{{'", "a: \"}}\"", "a: x # {{"} {
		f := Parse("a.yaml", []byte(in), Limits{})
		require.Empty(t, f.Errs, in)
		require.NotEqual(t, Unknown, f.Docs[0].Root.Get("a").Kind(), in)
	}
}

func TestYAMLTags(t *testing.T) {
	root := Parse("cfn.yaml", []byte("a: !Ref Retries\nb: !Sub ['x', {y: 1}]\nc: !!str 3\nd: &x !!int \"4\"\ne: !vault |\n  abc\nf: &n\ng: *n\n"), Limits{}).Docs[0].Root
	require.Equal(t, Unknown, root.Get("a").Kind())
	require.Equal(t, "!Ref Retries", root.Get("a").Template())
	require.Equal(t, "!Sub", root.Get("b").Tag())
	require.Equal(t, 2, root.Get("b").Len())
	require.True(t, root.Get("c").IsString())
	require.Equal(t, Pos{3, 10, 3, 11}, root.Get("c").Pos())
	require.Equal(t, Pos{4, 13, 4, 16}, root.Get("d").Pos())
	require.Equal(t, Unknown, root.Get("e").Kind())
	require.Equal(t, Null, root.Get("f").Kind())
	require.True(t, root.Get("g").Anchored())
}

func TestYAMLLimits(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'j'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 9), ","))
	}
	f := Parse("a.yaml", []byte(bomb), Limits{})
	require.NotEmpty(t, f.Errs)
	nodes := 0
	f.Docs[0].Root.Walk(func(*Node) bool { nodes++; return true })
	require.Less(t, nodes, 25_000)

	f = Parse("a.yaml", []byte("a: &a\n  b: *a\n"), Limits{})
	require.Len(t, f.Errs, 1)
	require.Equal(t, Unknown, f.Docs[0].Root.Path("a.b").Kind())

	f = Parse("a.yaml", []byte(strings.Repeat("[", 5000)+strings.Repeat("]", 5000)), Limits{})
	require.NotEmpty(t, f.Errs)

	f = Parse("a.yaml", []byte("a: 1\n"), Limits{MaxBytes: 2})
	require.Len(t, f.Errs, 1)
	require.Empty(t, f.Docs)

	f = Parse("a.yaml", []byte("["+strings.Repeat("1,", 1000)+"]"), Limits{MaxNodes: 400})
	require.Len(t, f.Errs, 1)
	require.Less(t, f.Docs[0].Root.Len(), 420)

	f = Parse("a.yaml", []byte("a: 1\n---\n["+strings.Repeat("1,", 1000)+"]\n---\nb: 1\n"), Limits{MaxNodes: 200})
	require.Len(t, f.Errs, 1)
	require.Len(t, f.Docs, 2)
}

func TestYAMLDuplicateKeys(t *testing.T) {
	f := Parse("a.yaml", []byte("a: 1\nb: 2\na: 3\n"), Limits{})
	require.Len(t, f.Errs, 1)
	require.Equal(t, 3, f.Errs[0].Pos.Line)
	i, ok := f.Docs[0].Root.Get("a").Int()
	require.True(t, ok)
	require.EqualValues(t, 3, i)

	f = Parse("a.yaml", []byte("{{ if .x }}\na: 1\n{{ else }}\na: 3\n{{ end }}\n"), Limits{})
	require.Empty(t, f.Errs)
	require.True(t, f.Templated)
	require.Equal(t, Unknown, f.Docs[0].Root.Get("a").Kind())
}

func TestYAMLEncodings(t *testing.T) {
	utf16le := []byte{0xFF, 0xFE}
	for _, c := range "é: 1\r\nb: 2\r\n" {
		utf16le = append(utf16le, byte(c), byte(c>>8))
	}
	for name, in := range map[string][]byte{
		"bom":      []byte("\uFEFFé: 1\r\nb: 2\r\n"),
		"utf-16":   utf16le,
		"crlf":     []byte("é: 1\r\nb: 2\r\n"),
		"odd line": []byte("\u00e9: 1 # \u2028\nb: 2\n"),
	} {
		f := Parse("a.yaml", in, Limits{})
		require.Empty(t, f.Errs, name)
		require.Equal(t, Pos{1, 5, 1, 6}, f.Docs[0].Root.Get("é").Pos(), name)
		require.Equal(t, Pos{2, 4, 2, 5}, f.Docs[0].Root.Get("b").Pos(), name)
	}
}

func TestAbsentNodes(t *testing.T) {
	var none *Node
	require.Equal(t, Absent, none.Path("a.b").At(3).Or(nil).Kind())
	require.Equal(t, "d", none.Get("x").Str("d"))
	root := Parse("a.yaml", []byte("a:\n  b: 1\n"), Limits{}).Docs[0].Root
	gone := root.Path("a.c.d")
	require.False(t, gone.Exists())
	require.Equal(t, root.Get("a").Pos(), gone.Pos())
	require.Equal(t, "c", gone.Parent().Key())
	require.Equal(t, "1", gone.Or(root.Path("a.b")).Str())
	_, ok := gone.Int()
	require.False(t, ok)
}

func TestComments(t *testing.T) {
	root := Parse("a.yaml", []byte("# far\n\n# one\n# two\na: # line\n  b: 1 # b\n  # above c\n  c:\n  - x # item\n"), Limits{}).Docs[0].Root
	texts := func(n *Node) (s []string) {
		for _, c := range n.Comments() {
			s = append(s, c.Text)
		}
		return s
	}
	require.Equal(t, []string{"one", "two", "line"}, texts(root.Get("a")))
	require.Equal(t, []string{"b"}, texts(root.Path("a.b")))
	require.Equal(t, []string{"above c"}, texts(root.Path("a.c")))
	require.Equal(t, []string{"item"}, texts(root.Path("a.c.0")))
}

func TestDurations(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"1h30m": 90 * time.Minute, "1.5s": 1500 * time.Millisecond, "300ms": 300 * time.Millisecond, "PT1H30M": 90 * time.Minute,
		"P1DT2H": 26 * time.Hour, "PT0.5S": 500 * time.Millisecond, "P2W": 14 * day, "5 min": 5 * time.Minute, "1d": day,
		"1min 30s": 90 * time.Second, "1m 30s": 90 * time.Second, "2 weeks": 14 * day, "00:00:05": 5 * time.Second,
		"1.12:00:00": 36 * time.Hour, "00:00:00.250": 250 * time.Millisecond, "30": 30 * time.Second, "1.5": 1500 * time.Millisecond,
		"1M": 30 * day, "1y": 365 * day, "-1s": -time.Second, "1 hour, 30 minutes": 90 * time.Minute, "5Min": 5 * time.Minute,
		"0": 0, "0s": 0, "10us": 10 * time.Microsecond, "PT-1S": -time.Second,
	} {
		got, ok := ParseDuration(in, time.Second)
		require.True(t, ok, in)
		require.Equal(t, want, got, in)
	}
	for _, in := range []string{"", "x", "s", "1 x", "infinity", "P", "PT", "P1", "1h 30", "1:30", "1..2s", "99999999999h", "--1s", "1:2:3:4", "5 5", "{{ .x }}"} {
		got, ok := ParseDuration(in, time.Second)
		require.False(t, ok, "%s: %s", in, got)
	}
	_, ok := ParseDuration("30", 0)
	require.False(t, ok)
}
