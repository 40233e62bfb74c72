package doc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fuzz checks what holds for any input: no panic, positions inside the file, limits kept, the same answer again.
func fuzz(f *testing.F, s Syntax, exts ...string) {
	files, err := filepath.Glob("testdata/seeds/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		for _, ext := range exts {
			if strings.HasSuffix(file, ext) {
				data, err := os.ReadFile(file)
				if err != nil {
					f.Fatal(err)
				}
				f.Add(data)
			}
		}
	}
	f.Add([]byte("\x00\xff\xfe{["))
	f.Add([]byte("\xff\xfea\x00:\x00 \x001\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lim := Limits{MaxNodes: 5000, MaxAliasExpansion: 1000, MaxDepth: 50}
		one := ParseAs(s, "x", data, lim)
		checkPlaces(t, one)
		inner := 0
		for _, d := range one.Docs {
			depth := 0
			d.Root.Walk(func(n *Node) bool {
				at := 0
				for p := n.Parent(); p != nil; p = p.Parent() {
					at++
				}
				depth = max(depth, at)
				n.Int()
				n.Bool()
				n.Float()
				n.Env()
				n.Duration(time.Second)
				if inner++; inner < 20 {
					for _, s := range []Syntax{YAML, JSON, Properties, TOML} {
						checkPlacesIn(t, n.ParseAs(s, lim), one.Text())
					}
				}
				if k := n.Key(); n.Parent().Kind() == Map && !n.Parent().block && n.Parent().Get(k) != n {
					t.Errorf("key %q does not lead back to its value", k)
				}
				return true
			})
			if depth > lim.MaxDepth+2 {
				t.Errorf("depth %d", depth)
			}
		}
		if a, b := dump(one), dump(ParseAs(s, "x", data, lim)); a != b {
			t.Errorf("two readings differ:\n%s\n%s", a, b)
		}
	})
}

func FuzzYAML(f *testing.F)       { fuzz(f, YAML, ".yaml") }
func FuzzJSON(f *testing.F)       { fuzz(f, JSON, ".json") }
func FuzzINI(f *testing.F)        { fuzz(f, INI, ".ini", ".cfg", ".service") }
func FuzzSystemd(f *testing.F)    { fuzz(f, Systemd, ".service", ".ini") }
func FuzzProperties(f *testing.F) { fuzz(f, Properties, ".properties") }
func FuzzEnv(f *testing.F)        { fuzz(f, Env, ".env") }
func FuzzBicep(f *testing.F)      { fuzz(f, Bicep, ".bicep") }
func FuzzHCL(f *testing.F)        { fuzz(f, HCL, ".tf", ".hcl") }
func FuzzNginx(f *testing.F)      { fuzz(f, Nginx, "nginx.conf") }
func FuzzHAProxy(f *testing.F)    { fuzz(f, HAProxy, "haproxy.cfg") }
func FuzzFluentd(f *testing.F)    { fuzz(f, Fluentd, "fluent.conf") }
func FuzzFluentBit(f *testing.F)  { fuzz(f, FluentBit, ".cfg") }
func FuzzConf(f *testing.F)       { fuzz(f, Conf, ".conf", ".cfg", ".toml", ".json") }

// FuzzTOML also holds the scan against the library.
func FuzzTOML(f *testing.F) {
	for _, s := range []string{tomlSample, "a.b = [{x=1}]\n[[c]]\n", "a = '''\nx'''"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		one := ParseAs(TOML, "x", data, Limits{})
		checkPlaces(t, one)
		if text, err := decodeText(data); err == nil {
			if err := agree(text); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestHostileInputIsFast(t *testing.T) {
	if testing.Short() {
		t.Skip("reads some megabytes")
	}
	const size = 512 << 10
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	numbered := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		syntax Syntax
		text   string
	}{
		"yaml open actions":   {YAML, fill("{{")},
		"yaml actions":        {YAML, fill("{{}}{{{}}")},
		"yaml own lines":      {YAML, "a: |\n" + fill("{{- if x }}\n")},
		"yaml comments":       {YAML, fill("# x\n")},
		"yaml comments keys":  {YAML, numbered("# x\nk%d: 1 # y\n\n")},
		"yaml documents":      {YAML, fill("---\na: 1\n")},
		"yaml long line":      {YAML, "[" + fill("é, ")},
		"yaml flow":           {YAML, fill("[")},
		"yaml keys":           {YAML, numbered("k%d: v\n")},
		"yaml same key":       {YAML, numbered("k%d: v\n") + numbered("k%d: v\n")},
		"yaml quote":          {YAML, fill("'")},
		"yaml question":       {YAML, fill("? ")},
		"yaml dashes":         {YAML, fill("- ")},
		"yaml anchors":        {YAML, numbered("k%d: &a v\n")},
		"yaml merges":         {YAML, "b: &b {x: 1, y: 2}\n" + numbered("k%d: {<<: *b}\n")},
		"yaml nested actions": {YAML, numbered("k%d:\n  {{- include \"x\" . | nindent 2 }}\n")},
		"yaml carriage":       {YAML, fill("a: 1\r")},
		"json open":           {JSON, fill("[")},
		"json comments":       {JSON, fill("/**/")},
		"json keys":           {JSON, "{" + numbered(`"k%d":1,`) + "}"},
		"json actions":        {JSON, "[" + fill("{{},")},
		"ini lines":           {INI, numbered("k%d = v\n")},
		"ini sections":        {INI, numbered("[s%d]\nk = v\n")},
		"ini continued":       {INI, "k = v\n" + fill("  x\n")},
		"systemd same key":    {Systemd, "[S]\n" + fill("k=v\n")},
		"systemd continued":   {Systemd, "[S]\nk=\\\n" + fill("a\\\n")},
		"properties keys":     {Properties, numbered("a.b[%d].c = v\n")},
		"properties dots":     {Properties, fill("a.")},
		"env quotes":          {Env, fill("A='\n")},
		"toml keys":           {TOML, numbered("k%d = 1\n")},
		"toml tables":         {TOML, numbered("[a.b%d]\nx = 1\n")},
		"toml arrays":         {TOML, fill("[[a]]\n")},
		"toml quotes":         {TOML, fill("a='''")},
		"nginx open":          {Nginx, fill("a {")},
		"nginx same":          {Nginx, fill("a b;")},
		"nginx quotes":        {Nginx, fill("a \"")},
		"nginx dollars":       {Nginx, fill("${")},
		"haproxy same":        {HAProxy, "global\n" + fill("a b\n")},
		"haproxy line":        {HAProxy, "global\n" + fill("a #")},
		"fluentd open":        {Fluentd, fill("<a>\n")},
		"fluentd same":        {Fluentd, fill("<a>\n</a>\n")},
		"fluent-bit same":     {FluentBit, fill("[A]\nb c\n")},
		"conf blank":          {Conf, fill("\n")},
		"hcl tokens":          {HCL, fill("-")},
		"hcl blocks":          {HCL, fill("b {}\n")},
		"hcl keys":            {HCL, numbered("k%d = 1\n")},
	} {
		start := time.Now()
		ParseAs(c.syntax, "x", []byte(c.text), Limits{})
		took := time.Since(start)
		t.Logf("%-20s %v", name, took.Round(time.Millisecond))
		if took > 5*time.Second {
			t.Errorf("%s: %v for half a megabyte", name, took)
		}
	}
}
