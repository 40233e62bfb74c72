package doc

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/stretchr/testify/require"
)

const tomlSample = `# head
title = "x # y" # line
[sinks.usage]
uri = 'http://x'
encoding.codec = "json"
"quoted.key" = 1_000
[sinks.usage.request]
timeout_secs = 20
when = 1979-05-27 07:32:00Z
list = [
  1, # one
  2,
]
point = { x = 1, y.z = [true] }
text = """
two\
   lines "quoted" """
raw = '''
a\b'''
[[products]]
name = "a"
[[products]]
name = "b"
[products.sub]
deep = inf
`

func TestTOMLPlaces(t *testing.T) {
	golden(t, TOML, tomlSample, `
doc 0 from line 1
@1:1 map@1:1-26:1
  title@2:1 scalar@2:9-2:16 "x # y" string
  sinks@3:2 map@3:2-19:7
    usage@3:8 map@3:8-19:7
      uri@4:1 scalar@4:7-4:17 "http://x" string
      encoding@5:1 map@5:1-5:24
        codec@5:10 scalar@5:18-5:24 "json" string
      quoted.key@6:1 scalar@6:16-6:21 "1_000"
      request@7:14 map@7:14-19:7
        timeout_secs@8:1 scalar@8:16-8:18 "20"
        when@9:1 scalar@9:8-9:28 "1979-05-27 07:32:00Z"
        list@10:1 list@10:8-13:2
          @11:3 scalar@11:3-11:4 "1"
          @12:3 scalar@12:3-12:4 "2"
        point@14:1 map@14:9-14:32
          x@14:11 scalar@14:15-14:16 "1"
          y@14:18 map@14:18-14:30
            z@14:20 list@14:24-14:30
              @14:25 scalar@14:25-14:29 "true"
        text@15:1 scalar@15:8-17:22 "twolines \"quoted\" " string
        raw@18:1 scalar@18:7-19:7 "a\\b" string
  products@20:3 list@20:3-25:11
    @20:1 map@20:1-21:11
      name@21:1 scalar@21:8-21:11 "a" string
    @22:1 map@22:1-25:11
      name@23:1 scalar@23:8-23:11 "b" string
      sub@24:11 map@24:11-25:11
        deep@25:1 scalar@25:8-25:11 "inf"
comment 1:1 "head"
comment 2:17 "line"
comment 11:6 "one"
`)
}

// sameTOML holds a tree against what the library decodes.
func sameTOML(n *Node, v any, path string) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%s: %s", path, fmt.Sprintf(format, args...))
	}
	switch v := v.(type) {
	case map[string]any:
		if n.Kind() != Map || n.Len() != len(v) {
			return bad("%s of %d keys %q, want a map of %d", n.Kind(), n.Len(), n.Keys(), len(v))
		}
		for k, w := range v {
			if err := sameTOML(n.Get(k), w, path+"."+k); err != nil {
				return err
			}
		}
	case []map[string]any:
		if n.Kind() != List || n.Len() != len(v) {
			return bad("%s of %d, want a list of %d", n.Kind(), n.Len(), len(v))
		}
		for i, w := range v {
			if err := sameTOML(n.At(i), w, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case []any:
		if n.Kind() != List || n.Len() != len(v) {
			return bad("%s of %d, want a list of %d", n.Kind(), n.Len(), len(v))
		}
		for i, w := range v {
			if err := sameTOML(n.At(i), w, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case string:
		if n.Str() != v || !n.quoted {
			return bad("text %q, want %q", n.Str(), v)
		}
	case int64:
		if i, ok := n.Int(); !ok || i != v || n.typ != typeInt {
			return bad("int %d %v, want %d", i, ok, v)
		}
	case bool:
		if b, ok := n.Bool(); !ok || b != v {
			return bad("bool %v %v, want %v", b, ok, v)
		}
	case float64:
		if f, ok := n.Float(); n.typ != typeFloat || ok && f != v || !ok && !math.IsInf(v, 0) && !math.IsNaN(v) {
			return bad("float %v %v, want %v", f, ok, v)
		}
	case time.Time:
		if n.typ != typeTime {
			return bad("%q is no time", n.Str())
		}
	default:
		return bad("unexpected %T", v)
	}
	return nil
}

// agree reports where scan and library differ on a text that the library accepts.
func agree(text string) error {
	var v map[string]any
	if _, err := toml.Decode(text, &v); err != nil {
		return nil
	}
	f := ParseAs(TOML, "x", []byte(text), Limits{})
	if len(f.Errs) > 0 {
		if strings.Contains(f.Errs[0].Msg, "more than once") {
			return nil // the library lets a table through that dotted keys made before
		}
		return f.Errs[0]
	}
	return sameTOML(f.Docs[0].Root, v, "")
}

func TestTOMLScanAgreesWithLibrary(t *testing.T) {
	for _, text := range []string{
		tomlSample, "", "a=1", "a.b.c = 1\na.b.d = 2\n", "\"a\\u00e9\" = \"\\U0001F600\\t\"", "a = [[1, 2], ['x']]", "[[a]]\n[[a.b]]\nc=1\n[[a.b]]\nc=2\n[[a]]\n",
		"a = 07:32:00\nb = 1979-05-27\nc = 1979-05-27T00:32:00.999999-07:00\n", "a = 0xDEAD_beef\nb = 0o17\nc = 0b11\nd = +5\ne = -1e-3\nf = 6.26_2e2\n",
		"a = [{x=1},{x=2}]\r\nb = '''\r\nx\r\ny'''\r\n", "a = \"\"\"\"x\"\"\"\"\"", "'' = 1", "a = {}", "a = [ ]", "1.2 = 3", "a = nan\nb = -inf",
		"[a]\n[a.b]\n[c]\nx.y=1\n", "a = \"\"\"\\\n\n   x \\  \n y\"\"\"",
	} {
		require.NoError(t, agree(text), text)
	}
}

func TestTOMLBroken(t *testing.T) {
	f := ParseAs(TOML, "x", []byte("a = 1\nb = \nc = 3\n[t]\nd = 4\na = \n"), Limits{})
	require.NotEmpty(t, f.Errs)
	require.Equal(t, 2, f.Errs[0].Pos.Line)
	require.Equal(t, "3", f.Docs[0].Root.Get("c").Str())
	require.Equal(t, "4", f.Docs[0].Root.Path("t.d").Str())

	f = ParseAs(TOML, "x", []byte("a = 1\na = 2\n"), Limits{})
	require.Len(t, f.Errs, 1)
	require.Equal(t, "2", f.Docs[0].Root.Get("a").Str())

	for _, in := range []string{
		"a = " + strings.Repeat("[", 500_000), "a = " + strings.Repeat("{a=", 500_000), strings.Repeat("a.", 500_000) + "a=1", "[" + strings.Repeat("a.", 500_000) + "a]",
		"\x00\x01\x02", "hello world", "a = 1\n}{", "= 1", "[a", "[[a]", "a = \"x", "a = '''x",
	} {
		f := ParseAs(TOML, "x", []byte(in), Limits{})
		require.NotEmpty(t, f.Errs, "%.10q", in)
	}
}
