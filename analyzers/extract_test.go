package analyzers_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/analyzers"
	"github.com/retrylint/retrylint/extract/gosrc"
	"github.com/retrylint/retrylint/model"
)

// The folders under testdata/src are small repositories. What is expected of a line stands on it:
//
//	// want layer "attempts=4 initial=1s"     a layer stands here, with these numbers at least
//	// want request "POST host:ledger.pay /x" an edge of that kind starts here
//	// want handler "GET /x"
//
// Whatever layer is not expected is an error; requests and handlers are so in folders that expect any.
var wantComment = regexp.MustCompile(`want (layer|request|store|publish|handler|undecided) ("(?:[^"\\]|\\.)*")`)

type expectation struct {
	kind, text string
	met        bool
}

func TestExtract(t *testing.T) {
	dirs, err := filepath.Glob("testdata/src/*")
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) { checkFolder(t, os.DirFS(dir)) })
	}
}

func extractFS(t *testing.T, fsys fs.FS) (*model.Facts, []gosrc.File) {
	t.Helper()
	var files []gosrc.File
	require.NoError(t, fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, p)
		files = append(files, gosrc.File{Path: p, Data: data})
		return err
	}))
	return extractFiles(files), files
}

func extractFiles(files []gosrc.File) *model.Facts {
	res := gosrc.Load(context.Background(), files, gosrc.Options{Stubs: analyzers.Stubs()})
	shared := analyzers.NewRepo()
	var all []*model.Facts
	for _, p := range res.Packages {
		all = append(all, analyzers.Extract(analyzers.Input{Fset: p.Fset, Files: p.Files, Generated: p.Generated, Pkg: p.Types, Info: p.Info,
			Path: p.Path, Module: p.Module, ModuleDir: p.ModuleDir, Dir: p.Dir, Repo: "r", Versions: p.ModuleVersions, Shared: shared}))
	}
	return shared.Join(all)
}

func checkFolder(t *testing.T, fsys fs.FS) {
	facts, files := extractFS(t, fsys)
	for _, g := range facts.Gaps {
		t.Errorf("gap: %s:%d: %s", g.Path, g.Line, g.Reason)
	}
	wants := map[string][]*expectation{}
	kinds := map[string]bool{"layer": true}
	for _, f := range files {
		for i, line := range strings.Split(string(f.Data), "\n") {
			for _, m := range wantComment.FindAllStringSubmatch(line, -1) {
				text, err := strconv.Unquote(m[2])
				require.NoError(t, err)
				key := fmt.Sprintf("%s:%d", f.Path, i+1)
				wants[key] = append(wants[key], &expectation{kind: m[1], text: text})
				kinds[m[1]] = true
			}
		}
	}
	meet := func(kind string, at model.Location, got string) {
		if !kinds[kind] {
			return
		}
		key := fmt.Sprintf("%s:%d", at.Path, at.Line)
		for _, w := range wants[key] {
			if w.kind == kind && !w.met && matches(w.text, got) {
				w.met = true
				return
			}
		}
		t.Errorf("%s: unexpected %s: %s", key, kind, got)
	}
	for i := range facts.Layers {
		meet("layer", facts.Layers[i].At, describeLayer(&facts.Layers[i]))
	}
	for i := range facts.Edges {
		switch e := &facts.Edges[i]; e.Kind {
		case model.EdgeRequest, model.EdgeStore, model.EdgePublish:
			meet(string(e.Kind), e.At, describeEdge(e))
		}
	}
	for _, h := range facts.Handlers {
		meet("handler", h.At, strings.TrimSpace(h.Method+" "+h.Pattern+h.RPC+h.Queue.Key)+" func="+h.Func.Key)
	}
	for _, u := range facts.Undecided {
		if u.Kind == model.UndecidedLoop {
			meet("undecided", u.At, u.What)
		}
	}
	keys := make([]string, 0, len(wants))
	for k := range wants {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		for _, w := range wants[k] {
			if !w.met {
				t.Errorf("%s: missing %s %q", k, w.kind, w.text)
			}
		}
	}
}

// matches reports whether every word that is wanted is among the words found.
func matches(want, got string) bool {
	have := map[string]bool{}
	for _, w := range strings.Fields(got) {
		have[w] = true
	}
	for _, w := range strings.Fields(want) {
		if !have[w] {
			return false
		}
	}
	return true
}

func describeLayer(l *model.Layer) string {
	p := l.Policy
	b := p.Backoff
	words := []string{"kind=" + string(l.Kind), "attempts=" + p.Attempts.String(), "backoff=" + b.Kind.String(), "initial=" + b.Initial.String(),
		"step=" + b.Step.String(), "factor=" + b.Factor.String(), "max=" + b.Max.String(), "jitter=" + b.Jitter.Kind.String(),
		"per=" + p.PerAttempt.String(), "overall=" + p.Overall.String(), "origin=" + string(l.Origin)}
	if p.WaitsAfterLast {
		words = append(words, "afterlast")
	}
	for _, r := range l.Refs {
		w := fmt.Sprintf("%s<-%s", r.Field, r.Name)
		if r.Offset != 0 {
			w += fmt.Sprintf("%+d", r.Offset)
		}
		words = append(words, w)
	}
	for _, tr := range l.Traits {
		words = append(words, "trait="+string(tr.Kind))
	}
	for _, s := range l.SetBy {
		words = append(words, fmt.Sprintf("setBy=%d", s.Line))
	}
	return strings.Join(words, " ")
}

func describeEdge(e *model.Edge) string {
	words := []string{e.Method, e.To.String(), e.Path, "timeout=" + e.Timeout.String(), "from=" + e.From.Key}
	for _, r := range e.Refs {
		words = append(words, fmt.Sprintf("%s<-%s%s", r.Field, r.Name, r.Suffix))
	}
	for _, u := range e.Under {
		words = append(words, "under="+u)
	}
	words = append(words, fmt.Sprintf("layers=%d", len(e.Under)))
	if e.Effect {
		words = append(words, "effect")
	}
	if e.Idempotent {
		words = append(words, "idempotent")
	}
	return strings.Join(words, " ")
}

func TestExtractIsDeterministic(t *testing.T) {
	a, _ := extractFS(t, os.DirFS("testdata/src/loops"))
	b, _ := extractFS(t, os.DirFS("testdata/src/loops"))
	require.Equal(t, a, b)
}

// Hostile and broken code costs what it is, never the rest.
func TestExtractBrokenCode(t *testing.T) {
	for _, src := range []string{
		"package p\nfunc f() { for i := 0; i < 3; i++ { if err := x.y(); err == nil { return } } }",
		"package p\nfunc f( { for {",
		"package p\nfunc (T) m() { for { t := t.n(t) ; _ = t } }",
		"package p\nfunc f() { x := f2(x); x = g(x)(x); for { x = x.next(); if x == nil { break } } }",
		"package p\ntype T struct { T }\nvar v = v.v\nfunc f() error { for { if err := v.f(v); err != nil { continue }; return nil } }",
		"package p\nfunc f[T any](x T) error { for range 3 { if err := g[T](x); err == nil { return nil } }; return nil }\nfunc g[T any](x T) error { return f(x) }",
		"package p\nfunc f() error { return f() }\nfunc g(n int) int { return g(n-1) + g(n+1) }\nfunc h() { for i := 0; i < g(3); i++ { if h2() == nil { return } } }\nfunc h2() error { return nil }",
		"package p\nconst c = 1 << 100\nfunc f() { for i := 0; i < c; i++ { if op() == nil { return } } }",
		"package p\nimport \"C\"\nfunc f() { C.x() }",
		"package p\nfunc f() { select {} ; for { select {} } ; switch {} ; goto L ; L: }",
	} {
		f := extractFiles([]gosrc.File{{Path: "a.go", Data: []byte(src)}})
		for _, g := range f.Gaps {
			require.NotEqual(t, "extract", g.Stage, "%s: %s", src, g.Reason)
		}
	}
}

// One loop with very many ways through it must not take long.
func TestExtractManyBranches(t *testing.T) {
	var b strings.Builder
	b.WriteString("package p\nfunc f(op func() error, c func() bool) error {\nx := 0\nfor i := 0; i < 3; i++ {\nerr := op()\n")
	for range 400 {
		b.WriteString("if c() { x++ } else { x-- }\n")
	}
	b.WriteString("if err == nil { return nil }\n}\nreturn nil\n}\n")
	f := extractFiles([]gosrc.File{{Path: "a.go", Data: []byte(b.String())}})
	require.Empty(t, f.Gaps)
}
