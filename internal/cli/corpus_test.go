package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hostile is one repository that nobody would want to scan.
type hostile struct {
	name  string
	files map[string]string
	// then changes what files cannot say: links, damage.
	then func(t *testing.T, dir string)
	git  bool // the files are committed
	code int  // of a scan of this repository alone, with --fail-on never
	// incomplete are the paths (relative, "" the repository itself) that the report must name.
	incomplete []string
}

// jobNamed is a Job of 9 attempts with any name.
func jobNamed(name string) string {
	return fmt.Sprintf("apiVersion: batch/v1\nkind: Job\nmetadata: {name: %s, namespace: x}\nspec:\n  backoffLimit: 8\n  template:\n    spec:\n      containers: [{name: c, image: i, command: [curl, -X, POST, \"http://nobody.x.svc/x\"]}]\n", name)
}

// loud is text that attacks a terminal, a page, a Markdown table and a list of workflow commands.
const loud = "\x1b[31m<script>alert(1)</script>|`**x**`](javascript:x)\n::error::boom\r%0A\u202e\x07"

// quoted is loud as a YAML or Go string.
const quoted = `"\x1b[31m<script>alert(1)</script>|` + "`**x**`" + `](javascript:x)\n::error::boom\r%0A\u202e\x07"`

const goMod = "module example.test/m\n\ngo 1.26\n"

// retrying is a Go file with one layer.
func retrying(pkg string) string {
	return "package " + pkg + `
import "net/http"
func Retrying(u string) (err error) {
	for i := 0; i < 3; i++ {
		var r *http.Response
		if r, err = http.Post(u, "text/plain", nil); err == nil {
			r.Body.Close()
			return nil
		}
	}
	return err
}
`
}

// corpus makes the descriptions of all hostile repositories. A scale of 1 is what a person would try, less is for tests that
// have to be quick.
func corpus(scale float64) []hostile {
	n := func(full int) int { return max(1, int(float64(full)*scale)) }
	many := func(s string, times int) string { return strings.Repeat(s, times) }
	list := func(times int, format string) string {
		var b strings.Builder
		for i := range times {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	var out []hostile
	add := func(h hostile) { out = append(out, h) }

	// Configuration.
	bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 12; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(many(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	merges := "a0: &a0 {k0: v}\n"
	for i := 1; i < 200; i++ {
		merges += fmt.Sprintf("a%d: &a%d {<<: [*a%d, *a%d], k%d: v}\n", i, i, i-1, i-1, i)
	}
	add(hostile{name: "alias-bomb", files: map[string]string{"bomb.yaml": bomb, "merges.yaml": merges, "self.yaml": "a: &a [*a, {<<: *a}]\n", "job.yaml": jobNamed("j")}, code: 3, incomplete: []string{"bomb.yaml", "merges.yaml", "self.yaml"}})
	deep := n(1_000_000)
	add(hostile{name: "deep", files: map[string]string{
		"a.yaml": many("[", deep), "b.yaml": "kind: Job\nx: " + many("{a: ", deep/2) + many("}", deep/2), "c.json": many("[", deep) + many("]", deep),
		"d.json": many(`{"a":`, deep/2) + "1" + many("}", deep/2), "e.tf": "a = " + many("[", deep), "f.tf": many("a {\n", deep/4) + many("}\n", deep/4),
		"g.tf": "a = " + many("(", deep) + "1" + many(")", deep), "h.tf": "a = \"" + many("${\"", deep/3), "i.toml": "a = " + many("[", deep), "j.toml": "a = " + many("{a=", deep/3),
		"k.toml": "[" + many("a.", deep/2) + "a]\nb = 1\n", "l.yaml": list(min(deep, 3000), "%[1]*[1]s- a:\n"), "nginx.conf": many("http {\n", deep/7), "m.yaml": many("- ", deep/2) + "x",
		"n.yaml": "? " + many("? ", deep/2) + "x", "p.properties": many("a.", deep/2) + "b=1\n", "q.tf": "a = " + many("!", deep), "r.tf": "a = " + many("1+", deep/2) + "1", "s.tf": "a = " + many("a?", deep/2)},
		code: 3})
	add(hostile{name: "long-lines", files: map[string]string{
		"a.yaml": "a: " + many("x", n(4_000_000)), "b.yaml": "a: \"" + many("x ", n(2_000_000)), "c.json": `{"a": "` + many("\\u0041", n(600_000)) + `"}`,
		"d.ini": "[a]\nb = " + many("y", n(3_000_000)), "e.env": "A=" + many("$A", n(1_000_000)), "f.properties": "a=" + many("\\\n", n(1_000_000)),
		"g.yaml": many("a: b\n---\n", n(100_000)), "nginx.conf": "location " + many("~", n(3_000_000)), "h.yaml": "#" + many(" #", n(1_500_000)), "i.service": "[Service]\nExecStart=" + many("\\\n ", n(1_000_000)),
		"haproxy.cfg": "backend " + many("x ", n(1_000_000)), "j.tf": "a = <<EOT\n" + many("${", n(1_000_000)), "k.yaml": "a: {{" + many("{{ ", n(500_000)), "l.yaml": jobNamed(many("n", n(500_000)))}, code: 3, incomplete: []string{"b.yaml", "nginx.conf", "j.tf", "k.yaml"}})
	numbers := ""
	for _, v := range []string{"three", "1e400", "-1e400", ".nan", ".inf", "-.inf", "-9223372036854775808", "9223372036854775807", "99999999999999999999", "-99999999999999999999", "1e9h", "\"1e9h\"",
		"9999999999999999h", "-5s", "0x7fffffffffffffff", "0o7", "1_000", "null", "~", "[]", "{}", "[3]", "{a: 3}", "true", "\"\"", "!!binary x", "!!int x", "2026-01-01", "1:30", "NaN", "2147483648", "1.5", "1e3", "3 retries", "\"\\0\""} {
		numbers += fmt.Sprintf("---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: x}\nspec:\n  backoffLimit: %[1]s\n  completions: %[1]s\n  activeDeadlineSeconds: %[1]s\n"+
			"---\napiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {name: v, namespace: x}\nspec:\n  hosts: [a, %[1]s]\n  http:\n  - timeout: %[1]s\n    retries: {attempts: %[1]s, perTryTimeout: %[1]s, retryOn: %[1]s, backoff: %[1]s}\n    route: [{destination: {host: a}}]\n"+
			"---\napiVersion: argoproj.io/v1alpha1\nkind: CronWorkflow\nmetadata: {name: w, namespace: x}\nspec:\n  schedules: [%[1]s]\n  workflowSpec:\n    entrypoint: a\n    templates:\n    - name: a\n      retryStrategy: {limit: %[1]s, backoff: {duration: %[1]s, factor: %[1]s, maxDuration: %[1]s, cap: %[1]s}}\n      http: {url: \"http://b.x.svc/\", method: POST}\n", v)
	}
	add(hostile{name: "numbers", files: map[string]string{"n.yaml": numbers,
		"n.go": "package n\nimport (\"net/http\"; \"time\"; \"math\")\nfunc f(u string) {\n" + list(1, "\tfor i := %d; i < 1<<63; i++ {\n\t\tif _, err := http.Post(u, u, nil); err == nil { return }\n\t\ttime.Sleep(time.Duration(math.MaxInt64) * time.Hour * 99999999999)\n\t}\n") +
			"\tfor i := -9223372036854775808; i < 99999999999999999999; i += 0 { if _, err := http.Get(u); err == nil { return }; time.Sleep(1e9 * time.Hour); time.Sleep(-1) }\n\tfor i := 0; i < 10; i -= 3 { if _, err := http.Get(u); err == nil { return }; time.Sleep(time.Duration(1<<uint(i)) * time.Second * 1e300) }\n}\n"},
		code: 3, incomplete: []string{"n.yaml"}})
	add(hostile{name: "encodings", files: map[string]string{
		"bom.yaml": "\xef\xbb\xbf" + jobNamed("bom"), "utf16.yaml": utf16le(jobNamed("utf16")), "tabs.yaml": "kind: Job\n\tspec:\n\t\tbackoffLimit: 3\n", "twice.yaml": "kind: Job\nkind: Job\nspec: {backoffLimit: 1, backoffLimit: 2}\n",
		"twice.json": `{"retries": 1, "retries": 2, "retries": {"retries": 3}}`, "nul.yaml": "a: \x00\nb: \xff\xfe\n", "crlf.yaml": strings.ReplaceAll(jobNamed("crlf"), "\n", "\r\n"), "cr.yaml": strings.ReplaceAll(jobNamed("cr"), "\n", "\r"),
		"bom.go": "\xef\xbb\xbf" + retrying("a"), "utf16.go": utf16le(retrying("a")), "latin.go": "package a\n// \xe9\nvar s = \"\xe9\"\n", "nul.go": "package a\nvar s = \"\x00\"\n"},
		code: 3, incomplete: []string{"tabs.yaml", "utf16.go"}})
	add(hostile{name: "second-document", files: map[string]string{"two.yaml": jobNamed("first") + "---\na: [\n", "bad.go": "package a\nfunc (\n" + strings.TrimPrefix(retrying("a"), "package a\n"), "testdata/bad.yaml": "a: [\n"},
		code: 3, incomplete: []string{"two.yaml", "bad.go"}})
	add(hostile{name: "own-configuration", files: map[string]string{".retrylint.yaml": "rules: [\n  a: {{\n\t", "job.yaml": jobNamed("j")}, code: 2, incomplete: []string{".retrylint.yaml"}})
	add(hostile{name: "own-configuration-bomb", files: map[string]string{".retrylint.yaml": bomb + "exclude: [" + many("\"**/**/**/**/**/**/x\",", n(10_000)) + "]\n", "job.yaml": jobNamed("j")}, code: 2, incomplete: []string{".retrylint.yaml"}})
	add(hostile{name: "templates", files: map[string]string{
		"chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies: [{name: c, repository: \"file://../chart\", version: 1.0.0}, {name: d, repository: \"http://127.0.0.1:1/x\", version: 1.0.0}]\n", "chart/values.yaml": "retries: \"{{ .Values.retries }}\"\n",
		"chart/templates/_h.tpl": "{{ define \"a\" }}{{ include \"a\" . }}{{ end }}", "chart/templates/job.yaml": "{{ include \"a\" . }}\n{{ range until 999999999 }}x{{ end }}\n{{ lookup \"v1\" \"Secret\" \"\" \"\" }}{{ .Files.Get \"/etc/passwd\" }}\n" + jobNamed("j"),
		"kustomization.yaml": "resources: [., .., kustomization.yaml, \"http://127.0.0.1:1/x\", \"github.com/nobody/nothing?ref=x\", /etc/passwd]\nbases: [../../../..]\ncomponents: [.]\n", "docker-compose.yml": "include: [docker-compose.yml]\nservices: {a: {extends: {file: docker-compose.yml, service: a}, restart: on-failure}}\n",
		".gitlab-ci.yml": "include: [.gitlab-ci.yml, {remote: \"http://127.0.0.1:1/x\"}]\na: {extends: b, retry: 2}\nb: {extends: a}\n", "nginx.conf": "include nginx.conf;\nhttp { include *.conf; include /etc/*; }\n", "main.tf": "module \"a\" { source = \"./\" }\nlocals {\n a = local.b\n b = local.a\n}\n"}})

	// Go.
	digits := many("9", n(1_000_000))
	slow := "package slow\ntype T0 struct{}\n"
	for i := range 60 {
		slow += fmt.Sprintf("type T%d struct{ a, b T%d }\n", i+1, i)
	}
	slow += "var X = T60{} == T60{}\n"
	add(hostile{name: "slow-types", files: map[string]string{"go.mod": goMod, "slow/a.go": slow, "good/g.go": retrying("good")}, code: 3, incomplete: []string{"slow"}})
	add(hostile{name: "constants", files: map[string]string{"go.mod": goMod, "a.go": "package a\nconst c = " + digits + "\nconst d = c * c * c * c << 511\nconst e = 1 << 1000000000\nvar f float64 = 1e1000000000 * c\nconst g = 0x1p-1000000\nconst h = " + many("1+", n(500_000)) + "1\nconst s = " + many("\"x\"+", n(400_000)) + "\"\"\n"}, code: 3, incomplete: []string{"a.go"}})
	add(hostile{name: "generics", files: map[string]string{"go.mod": goMod, "a.go": "package a\ntype A[P any] struct{ x *A[A[P]] }\ntype B[P B[P]] interface{ M() B[B[P]] }\ntype C[T any, P *T] struct { p P }\nfunc F[T any](n int) { if n > 0 { F[A[T]](n-1); F[*T](n); F[func(T) A[T]](n) } }\nvar X A[A[A[A[A[A[int]]]]]]\nvar Y " + many("A[", 400) + "int" + many("]", 400) + "\n", "b.go": "package a\ntype L1 = L2\ntype L2 = L1\ntype S struct { S }\ntype I interface { I }\ntype J interface { K }\ntype K interface { J }\ntype Q [len(q)]int\nvar q Q\nvar r, s = s, r\nfunc g() { g := g; for { g() } }\n"}})
	d := n(500_000)
	add(hostile{name: "deep-go", files: map[string]string{"go.mod": goMod,
		"a/a.go": "package a\nvar x = " + many("(", d) + "1" + many(")", d), "b/b.go": "package b\nvar x = " + many("1+", d) + "1\n", "c/c.go": "package c\nfunc f() { " + many("{", d) + many("}", d) + " }\n",
		"d/d.go": "package d\nvar x = " + many("func() {", d/8) + many("}", d/8) + "\n", "e/e.go": "package e\nvar x " + many("[]", d) + "int\n", "f/f.go": "package f\nfunc f(a int) { if a == 1 {} " + many("else if a == 1 {} ", d/20) + "}\n",
		"g/g.go": "package g\ntype T struct{}\nfunc (t T) M() T { return t }\nvar x = T{}" + many(".M()", d/4) + "\n", "h/h.go": "package h\nfunc f(a ...any) any { return a }\nvar x = " + many("f(", d/4) + many(")", d/4) + "\n", "i/i.go": "package i\nvar x = " + many("!", d) + "true\n",
		"j/j.go": "package j\nfunc f() { " + many("for { ", 900) + "f()" + many("}", 900) + " }\n", "k/k.go": "package k\nvar x = " + many("[]any{", d/7) + many("}", d/7) + "\n", "l/l.go": "package l\nfunc f() { " + many("L: ", 2000) + "for {} }\n", "m/m.go": "package m\nvar x = \"\"" + many("+\"a\"", d/4) + "\n",
		"z/z.go": retrying("z")}, code: 3})
	large := 0
	if 2*n(2_600_000) > 4<<20 { // the limit on Go files
		large = 3
	}
	add(hostile{name: "large-go", files: map[string]string{"go.mod": goMod, "gen.go": "// Code generated by x. DO NOT EDIT.\n\npackage a\n" + list(n(33_000), "func f%[1]d(a int) int {\n\treturn a + %[1]d\n}\n"),
		"line.go": "package a; var x = []int{" + many("1,", n(2_600_000)) + "}", "calls.go": "package a\nfunc g() {\n" + list(n(60_000), "f%d(1)\n") + "}\n", "z.go": retrying("a")}, code: large})
	// Every function calls the next two: following all ways would take 2^n steps.
	ways := "package a\nimport \"net/http\"\n"
	for i := range 60 {
		ways += fmt.Sprintf("func w%[1]d(u string) string { if u == \"\" { return w%[2]d(u + \"a\") }; return w%[2]d(u + w%[2]d(\"b\")) }\nfunc v%[1]d(u string) error { for i := 0; i < 3; i++ { if err := v%[2]d(w%[1]d(u)); err == nil { return nil } else if err := v%[2]d(u); err == nil { return err } }; return nil }\n", i, i+1)
	}
	ways += "func w60(u string) string { return w0(u) }\nfunc v60(u string) error { _, err := http.Post(w0(u), u, nil); return err }\n"
	add(hostile{name: "ways", files: map[string]string{"go.mod": goMod, "a.go": ways}})
	add(hostile{name: "not-go", files: map[string]string{"go.mod": goMod, "a.go": "package a\n" + many("func f( { x := ; }\n", n(3000)), "b.go": strings.Replace(retrying("b"), "http.Post", "nothing.Post", 1), "c.go": "", "d.go": "package a\nimport (\n", "e.go": many("}", 3000), "f.go": "package a\nfunc f() { return 1, \"x\"; undefined(y).z = nil }\n"},
		code: 3, incomplete: []string{"a.go", "c.go", "e.go"}})
	add(hostile{name: "odd-go", files: map[string]string{"go.mod": "module example.test/m\n\ngo 9.99\n\ntoolchain go9.99.9\nrequire (\n", "x/x.go": "package x\nimport _ \"example.test/m/y\"\n", "y/y.go": "package y\nimport _ \"example.test/m/x\"\n", "z/a.go": "package one\n", "z/b.go": "package two\n", "z/c.go": retrying("two"),
		"c/c.go": "package c\n/*\n#include \"/etc/passwd\"\n#cgo LDFLAGS: -Wl,x\nint f(int);\n*/\nimport \"C\"\nfunc F() { C.f(1); for i := 0; i < 3; i++ { if C.f(2) == 0 { return } } }\n", "self/s.go": "package self\nimport \"example.test/m/self\"\nvar X = self.X\n", "line/l.go": "package l\n//line /etc/passwd:99999\nfunc f() {}\n/*line \x1b[31m:1:1*/ func g() {}\n", "v/go.mod": many("replace a => ../../../..\n", 100), "v/v.go": "package v\nimport . \"unsafe\"\nvar _ = Sizeof(0)\n"},
		code: 3, incomplete: []string{"go.mod", "y/y.go", "z/a.go"}})

	// Very many findings, places that cannot be read, and services.
	add(hostile{name: "flood", files: map[string]string{"go.mod": goMod,
		"jobs.yaml": strings.Repeat(jobNamed("j")+"---\n", n(12_000)), "words.yaml": list(n(12_000), "kind: Job\napiVersion: batch/v1\nmetadata: {name: w%d}\nspec: {backoffLimit: three, activeDeadlineSeconds: [x]}\n---\n"),
		"services.yaml": list(n(12_000), "kind: Service\napiVersion: v1\nmetadata: {name: s%d, namespace: x}\nspec: {selector: {app: a}}\n---\n"),
		"a.go":          "package a\nimport \"net/http\"\n" + list(n(5_000), "func f%d(u string) { for { if _, err := http.Post(u, u, nil); err == nil { return } } }\n")}, code: 3, incomplete: []string{"words.yaml"}})

	// Folders and git.
	tiny := map[string]string{}
	for i := range n(30_000) {
		tiny[fmt.Sprintf("d%d/f%d.yaml", i%100, i)] = "a: 1\n"
	}
	add(hostile{name: "tiny-files", files: tiny})
	add(hostile{name: "empty"})
	add(hostile{name: "no-commits", then: func(t *testing.T, dir string) { gitIn(t, dir, "init", "-q") }})
	add(hostile{name: "links", files: map[string]string{"a/job.yaml": jobNamed("j")}, git: true, then: func(t *testing.T, dir string) {
		for name, to := range map[string]string{"loop": ".", "a/up": "..", "self": "self", "root": "/", "passwd.yaml": "/etc/passwd", "out.go": "../deep/a.yaml", "one": "two", "two": "one", "zero.yaml": "/dev/zero", "fd.yaml": "/proc/self/fd/0", ".retrylint.yaml": "/etc/passwd"} {
			require.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
		}
		gitIn(t, dir, "add", "-A")
	}})
	damage := func(name, file, text string) {
		add(hostile{name: "damaged-" + name, files: map[string]string{"job.yaml": jobNamed("j")}, git: true, code: 3, incomplete: []string{".git"}, then: func(t *testing.T, dir string) {
			p := filepath.Join(dir, ".git", file)
			require.NoError(t, os.RemoveAll(p))
			if text != "" {
				require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
			}
		}})
	}
	damage("head", "HEAD", "ref: ../../../../etc/passwd\n"+loud)
	damage("index", "index", "DIRC\x00\x00\x00\x02\xff\xff\xff\xff"+many("\x00", 100))
	damage("objects", "objects", "")
	damage("config", "config", "[core\n\x00\xff\n[include] path = config\n")
	add(hostile{name: "packed-refs", files: map[string]string{"job.yaml": jobNamed("j")}, git: true, then: func(t *testing.T, dir string) {
		id := strings.TrimSpace(gitIn(t, dir, "rev-parse", "HEAD"))
		gitIn(t, dir, "pack-refs", "--all")
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".git", "packed-refs"), []byte("# pack-refs with: peeled fully-peeled sorted \n"+id+" refs/heads/../../../../etc/passwd\n"+id+" refs/heads/"+strings.ReplaceAll(loud, "\n", "")+"\n"+
			many(id+" refs/heads/x\n", n(10_000))+id+" refs/heads/main\n^"+many("f", 40)+"\n"+many("z", n(1_000_000))+"\n"), 0o644))
	}})
	add(hostile{name: "git-file", files: map[string]string{"job.yaml": jobNamed("j"), ".git": "gitdir: ../links/.git\n"}}) // as with any link out of the folder: counted, not followed
	add(hostile{name: "git-file-loop", files: map[string]string{"job.yaml": jobNamed("j"), ".git": "gitdir: .git\n"}, code: 3, incomplete: []string{".git"}})
	add(hostile{name: "git-file-etc", files: map[string]string{"job.yaml": jobNamed("j"), ".git": "gitdir: /etc\n" + many("x", n(1_000_000))}, code: 3, incomplete: []string{".git"}})

	// Names that end up in reports.
	add(hostile{name: "evil<img src=x onerror=alert(1)>\x1b[31m|`x` %0A::error::boom", files: map[string]string{
		"job\x1b[31m<script>alert(1)</script>|`x`.yaml": jobNamed(quoted), "a\n::error::boom.yaml": jobNamed("newline"), "broken\x1b]0;x\x07<script>alert(1)</script>\n.yaml": "a: [\n", "[x](javascript:alert(1)).yaml": jobNamed("j"),
		"\xff\xfe.yaml": jobNamed("bytes"), "svc.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: " + quoted + ", namespace: " + quoted + "}\nspec: {selector: {app: " + quoted + "}}\n---\n" + strings.Replace(jobNamed("caller"), "http://nobody.x.svc/x", `http://a\x1b[31m<script>alert(1)</script>.x.svc/\n::error::boom`, 1),
		"go.mod": "module \"example.test/<script>alert(1)</script>\x1b[31m\"\n", "a.go": "package a\nimport \"net/http\"\n// retrylint:ignore " + strings.ReplaceAll(loud, "\n", "") + " -- \x1b[31m<script>alert(1)</script>\nfunc Ƒ(u string) { for i := 0; i < 30; i++ { if _, err := http.Post(" + quoted + "+u, u, nil); err == nil { return } } }\n",
		"docker-compose.yml": "services:\n  " + quoted + ": {image: x, restart: \"on-failure:9\", healthcheck: {retries: 9}}\n", ".github/workflows/\x1b[31m.yml": "on: push\njobs:\n  " + quoted + ": {steps: [{uses: nick-fields/retry@v3, with: {max_attempts: 9, command: " + quoted + "}}]}\n"},
		code: 3})
	return out
}

func utf16le(s string) string {
	b := []byte{0xff, 0xfe}
	for _, c := range []byte(s) {
		b = append(b, c, 0)
	}
	return string(b)
}

func gitIn(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.test", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// make writes the repository into a folder and returns its path.
func (h hostile) make(t *testing.T, under string) string {
	t.Helper()
	dir := filepath.Join(under, h.name)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for name, text := range h.files {
		p := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
	}
	if h.git {
		gitIn(t, dir, "init", "-q", "-b", "main")
		gitIn(t, dir, "add", "-A")
		gitIn(t, dir, "commit", "-q", "-m", "x")
	}
	if h.then != nil {
		h.then(t, dir)
	}
	return dir
}
