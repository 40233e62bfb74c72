package doc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestJSONPlaces(t *testing.T) {
	golden(t, JSON, `// head
{
  "url": "http:\/\/x\ud83d\ude00", // why
  "n": [1, -2.5e1, true, null,],
  "tmpl": "{{ .Values.x }}",
  "bare": {{ .Values.y }},
  /* block
     comment */
  "n": {"a": {}},
}
`, `
doc 0 from line 2
@2:1 map@2:1-10:2
  url@3:3 scalar@3:10-3:34 "http://x😀" string
  n@9:3 map@9:8-9:17
    a@9:9 map@9:14-9:16
  tmpl@5:3 unknown@5:11-5:28 "{{ .Values.x }}"
  bare@6:3 unknown@6:11-6:26 "{{ .Values.y }}"
comment 1:1 "head"
comment 3:36 "why"
comment 7:3 "block\n     comment"
error 9:3: key "n" stands more than once; the last one is used
`)
}

func TestJSONKeepsWhatWasRead(t *testing.T) {
	golden(t, JSON, `{"a": 1, "b": [2, x], "c": 3}`, `
doc 0 from line 1
@1:1 map@1:1-1:20
  a@1:2 scalar@1:7-1:8 "1"
  b@1:10 list@1:15-1:20
    @1:16 scalar@1:16-1:17 "2"
error 1:19: JSON: "x" is no value
`)
	for _, in := range []string{"", "  ", "{", "[1", `"a`, `{"a" 1}`, "{} x", "}{", "\x00\x01", `"\u12"`, "/*", `{a: 1}`, "nul", "01x", `["a` + "\n" + `"]`} {
		f := ParseAs(JSON, "x", []byte(in), Limits{})
		require.NotEmpty(t, f.Errs, in)
	}
}

func TestINIPlaces(t *testing.T) {
	golden(t, INI, `; head
root = 1
[worker]
retries = 3 ; three
url: http://x/#frag
quoted = "a ; b"
list =
    one
    two
flag
garbage line here
[other]  # note
a=b
[worker]
delay=5m
`, `
doc 0 from line 1
@1:1 map@1:1-16:1
  root@2:1 scalar@2:8-2:9 "1"
  worker@3:2 map@3:2-15:9
    retries@4:1 scalar@4:11-4:12 "3"
    url@5:1 scalar@5:6-5:20 "http://x/#frag" string
    quoted@6:1 scalar@6:10-6:17 "a ; b" string
    list@7:1 scalar@8:5-9:8 "one\ntwo" string
    flag@10:1 null@10:1-10:5
    delay@15:1 scalar@15:7-15:9 "5m" string
  other@12:2 map@12:2-13:4
    a@13:1 scalar@13:3-13:4 "b" string
comment 1:1 "head"
comment 4:13 "three"
comment 12:10 "note"
error 11:1: neither a section nor a key with a value
`)
}

func TestSystemdRepeatedKeys(t *testing.T) {
	golden(t, Systemd, `[Service]
Restart=on-failure
RestartSec=1min 30s
ExecStart=/bin/a \
  --retries=3
ExecStartPre=/bin/b
ExecStartPre=/bin/c
`, `
doc 0 from line 1
@1:1 map@1:1-8:1
  Service@1:2 map@1:2-7:20
    Restart@2:1 scalar@2:9-2:19 "on-failure" string
    RestartSec@3:1 scalar@3:12-3:20 "1min 30s" string
    ExecStart@4:1 scalar@4:11-5:14 "/bin/a --retries=3" string
    ExecStartPre@6:1 list@6:14-7:20
      @6:14 scalar@6:14-6:20 "/bin/b" string
      @7:14 scalar@7:14-7:20 "/bin/c" string
`)
}

func TestPropertiesPlaces(t *testing.T) {
	golden(t, Properties, `# head
spring.kafka.retries=3
spring.kafka: yes
a.list[0].name = x
a.list[1].name y\
   z
key\ with\:sep=\u00e9
a.list[0].name = w
`, `
doc 0 from line 1
@1:1 map@1:1-9:1
  spring@2:1 map@2:1-2:23
    kafka@3:1 scalar@3:15-3:18 "yes" string
      retries@2:1 scalar@2:22-2:23 "3"
  a@4:1 map@4:1-4:19
    list@4:1 list@4:1-4:19
      0@4:1 map@4:1-4:19
        name@8:1 scalar@8:18-8:19 "w" string
      1@5:1 map@5:1-6:5
        name@5:1 scalar@5:16-6:5 "yz" string
  key with:sep@7:1 scalar@7:16-7:22 "é" string
comment 1:1 "head"
error 8:1: key "name" stands more than once; the last one is used
`)
	root := Parse("a.properties", []byte("spring.kafka.retries=3\na.b[1].c=2\na.b[0].c=1\n"), Limits{}).Docs[0].Root
	for _, n := range []*Node{root.Get("spring.kafka.retries"), root.Path("spring.kafka.retries"), root.Get("spring").Get("kafka.retries")} {
		i, ok := n.Int()
		require.True(t, ok)
		require.EqualValues(t, 3, i)
	}
	require.Equal(t, "1", root.Get("a.b[0].c").Str())
	require.Equal(t, "2", root.Path("a.b.1.c").Str())
	require.Equal(t, 2, root.Path("a.b").Len())
	require.False(t, root.Get("spring.kafka.other").Exists())
}

func TestEnvPlaces(t *testing.T) {
	golden(t, Env, `# head
export MAX_RETRIES=5 # five
A.B='x # y'
C="two
lines" # end
D=
bad line
`, `
doc 0 from line 1
@1:1 map@1:1-8:1
  MAX_RETRIES@2:8 scalar@2:20-2:21 "5"
  A.B@3:1 scalar@3:5-3:12 "x # y" string
  C@4:1 scalar@4:3-5:7 "two\nlines" string
  D@6:1 scalar@6:1-6:3 "" string
comment 1:1 "head"
comment 2:22 "five"
comment 5:8 "end"
error 7:1: no NAME=value
`)
}

func TestSyntaxOf(t *testing.T) {
	for name, want := range map[string]Syntax{
		"a/b.yaml": YAML, "x.YML": YAML, "c.json": JSON, "d.toml": TOML, "airflow.cfg": INI, "application.properties": Properties,
		".env": Env, "prod.env": Env, ".env.local": Env, "main.tf": HCL, "a.hcl": HCL, "values.yaml.gotmpl": YAML, "w.service": Systemd,
		"job.nomad": HCL, "x.tf.json": JSON,
	} {
		got, ok := SyntaxOf(name)
		require.True(t, ok, name)
		require.Equal(t, want, got, name)
	}
	for _, name := range []string{"", "a", "a.go", "yaml", "x.tpl", "a.yaml/b"} {
		_, ok := SyntaxOf(name)
		require.False(t, ok, name)
	}
	require.Len(t, Parse("a.go", nil, Limits{}).Errs, 1)
}

func TestScalars(t *testing.T) {
	type want struct {
		i     int64
		isInt bool
		f     float64
		isFlt bool
		b, ok bool
		str   bool
	}
	for _, c := range []struct {
		syntax Syntax
		in     string
		want   want
	}{
		{YAML, "a: 3", want{i: 3, isInt: true, f: 3, isFlt: true}},
		{YAML, `a: "3"`, want{i: 3, isInt: true, f: 3, isFlt: true, str: true}},
		{YAML, "a: 0x10", want{i: 16, isInt: true, f: 16, isFlt: true}},
		{YAML, "a: 010", want{i: 8, isInt: true, f: 8, isFlt: true}},
		{YAML, "a: 08", want{i: 8, isInt: true, f: 8, isFlt: true}},
		{YAML, "a: 1_000", want{i: 1000, isInt: true, f: 1000, isFlt: true}},
		{YAML, "a: 3.0", want{i: 3, isInt: true, f: 3, isFlt: true}},
		{YAML, "a: 1.5", want{f: 1.5, isFlt: true}},
		{YAML, "a: .inf", want{}},
		{YAML, "a: yes", want{b: true, ok: true, str: true}},
		{YAML, `a: "yes"`, want{str: true}},
		{YAML, `a: "true"`, want{b: true, ok: true, str: true}},
		{YAML, "a: three", want{str: true}},
		{YAML, "a: 99999999999999999999", want{f: 99999999999999999999, isFlt: true}},
		{YAML, "a: {{ .x }}", want{}},
		{YAML, "a: [3]", want{}},
		{JSON, `{"a": 1e3}`, want{i: 1000, isInt: true, f: 1000, isFlt: true}},
		{JSON, `{"a": "1_000"}`, want{str: true}},
		{JSON, `{"a": false}`, want{ok: true}},
		{INI, "a = on", want{b: true, ok: true, str: true}},
		{INI, "a = 0", want{isInt: true, isFlt: true, ok: true}},
		{Properties, "a = -1", want{i: -1, isInt: true, f: -1, isFlt: true}},
		{TOML, "a = 1_000", want{i: 1000, isInt: true, f: 1000, isFlt: true}},
		{TOML, "a = 0x1F", want{i: 31, isInt: true, f: 31, isFlt: true}},
		{HCL, "a = 3", want{i: 3, isInt: true, f: 3, isFlt: true}},
		{HCL, `a = "3"`, want{i: 3, isInt: true, f: 3, isFlt: true, str: true}},
	} {
		n := ParseAs(c.syntax, "x", []byte(c.in), Limits{}).Docs[0].Root.Get("a")
		var got want
		got.i, got.isInt = n.Int()
		got.f, got.isFlt = n.Float()
		got.b, got.ok = n.Bool()
		got.str = n.IsString()
		require.Equal(t, c.want, got, "%s %s", c.syntax, c.in)
	}
}

func TestEnvReferences(t *testing.T) {
	for in, want := range map[string][3]string{
		"${R}": {"R"}, "${R:3}": {"R", "3", "d"}, "${R:-3}": {"R", "3", "d"}, "$(R)": {"R"}, "$R": {"R"}, "%R%": {"R"}, "{env:R}": {"R"},
		"${a.b:}": {"a.b", "", "d"}, "#{ENV['R'] || '30'}": {"R", "30", "d"}, "#{ENV['R']}": {"R"}, `<%= ENV.fetch("R", 10) %>`: {"R", "10", "d"},
		`<%= ENV.fetch('R') { 5 }.to_i %>`: {"R", "5", "d"}, `<%= ENV["R"] || 3 %>`: {"R", "3", "d"},
	} {
		name, def, has, ok := ParseAs(Env, "x", []byte("A="+in), Limits{}).Docs[0].Root.Get("A").Env()
		require.True(t, ok, in)
		require.Equal(t, want, [3]string{name, def, map[bool]string{true: "d"}[has]}, in)
	}
	_, _, _, ok := ParseAs(Env, "x", []byte("A=x${R}"), Limits{}).Docs[0].Root.Get("A").Env()
	require.False(t, ok)
}

func TestProtoPlaces(t *testing.T) {
	golden(t, Proto, `syntax = "proto3"; // three
package pay.v1;
message A { message B { string service = 1; } }
service Ledger {
  rpc Post(stream A) returns (A) {
    option (google.api.http) = { post: "/v1/a" body: "*" additional_bindings { custom: {kind: "HEAD" path: "/v1/b"} } };
    option deprecated = true;
  }
  rpc Get(A) returns (A) { option (google.api.http).get = "/v1/c"; }
  rpc Plain(A) returns (A);
}
`, `
doc 0 from line 1
@1:1 map@1:1-12:1
  package@2:1 scalar@2:9-2:15 "pay.v1" string
  service@4:1 ["Ledger"] map@4:1-11:2
    rpc@5:3 list@5:3-10:12
      rpc@5:3 ["Post"] map@5:3-8:4
        http@6:40 list@6:40-6:115
          http@6:40 scalar@6:40-6:47 "POST /v1/a" string
          http@6:108 scalar@6:108-6:115 "HEAD /v1/b" string
      rpc@9:3 ["Get"] map@9:3-9:69
        http@9:59 scalar@9:59-9:66 "GET /v1/c" string
      rpc@10:3 ["Plain"] map@10:3-10:12
comment 1:20 "three"
`)
	for _, in := range []string{"service", "service X {", "service X { rpc", "service X { rpc Y(A) returns (B) { option (google.api.http) = { get:", `package "`, "/*", "}{"} {
		require.NotPanics(t, func() { ParseAs(Proto, "x.proto", []byte(in), Limits{}) }, in)
	}
}

func TestStarlarkPlaces(t *testing.T) {
	golden(t, Starlark, `load("@x//y:z.bzl", "oci_push")  # rules
oci_push(
    name = "push",  # its name
    image = "//cmd/x:image",
    repo_tags = ["a/b:1", "a/c:1"],
    visibility = select({"//a": ["b"]}),
)
[oci_push(name = "p" + n) for n in N]
oci_push(name = NAME, repository = "r/x")
`, `
doc 0 from line 1
@1:1 map@1:1-10:1
  load@1:1 map@1:1-1:32
  oci_push@2:1 list@2:1-9:9
    oci_push@2:1 map@2:1-7:2
      name@3:5 scalar@3:12-3:18 "push" string
      image@4:5 scalar@4:13-4:28 "//cmd/x:image" string
      repo_tags@5:5 list@5:17-5:35
        @5:18 scalar@5:18-5:25 "a/b:1" string
        @5:27 scalar@5:27-5:34 "a/c:1" string
    oci_push@9:1 map@9:1-9:42
      repository@9:23 scalar@9:36-9:41 "r/x" string
comment 1:34 "rules"
comment 3:21 "its name"
`)
	for _, in := range []string{"x(", "x(a = [", `x(a = "`, "x(a = [\"b\"", ")", "x(a = b(c = d)"} {
		require.NotPanics(t, func() { ParseAs(Starlark, "BUILD", []byte(in), Limits{}) }, in)
	}
}

func TestDockerfilePlaces(t *testing.T) {
	golden(t, Dockerfile, `# syntax=docker/dockerfile:1
FROM golang AS b
RUN go build \
    # why
    -o /x ./cmd/x
CMD ["x"] \
`, `
doc 0 from line 1
@1:1 list@1:1-7:1
  @2:1 scalar@2:1-2:17 "FROM golang AS b" string
  @3:1 scalar@3:1-5:18 "RUN go build -o /x ./cmd/x" string
  @6:1 scalar@6:1-7:1 "CMD [\"x\"]" string
comment 1:1 "syntax=docker/dockerfile:1"
comment 4:5 "why"
`)
}
