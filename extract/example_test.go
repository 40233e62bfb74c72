package extract

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var wantComment = regexp.MustCompile(`(?:#|//|;)\s*want ((?:[a-z]+ "[^"]*"\s*)+)\s*$`)
var wantItem = regexp.MustCompile(`([a-z]+) "([^"]*)"`)

// TestExamples runs every format's Example: each wanted fact must be found on its line, and every layer, boundary and dead
// letter that is found must be wanted. A description names what must hold: "attempts=3 initial=1h".
func TestExamples(t *testing.T) {
	for _, f := range All() {
		t.Run(f.Name, func(t *testing.T) {
			arch := txtar.Parse([]byte(f.Example))
			require.NotEmpty(t, arch.Files, "the example has files")
			checkArchive(t, arch, f.Name)
		})
	}
}

// checkArchive holds the want comments of all files against what the formats find there. At least one file must be read by
// the named format.
func checkArchive(t *testing.T, arch *txtar.Archive, format string) {
	t.Helper()
	files := map[string][]byte{}
	type place struct {
		file string
		line int
	}
	wants := map[place][][2]string{}
	count := 0
	for _, file := range arch.Files {
		lines := strings.Split(string(file.Data), "\n")
		for i, line := range lines {
			if m := wantComment.FindStringSubmatchIndex(line); m != nil {
				for _, item := range wantItem.FindAllStringSubmatch(line[m[2]:m[3]], -1) {
					p := place{file.Name, i + 1}
					wants[p] = append(wants[p], [2]string{item[1], item[2]})
					count++
				}
				lines[i] = strings.TrimRight(line[:m[0]], " \t")
			}
		}
		files[file.Name] = []byte(strings.Join(lines, "\n"))
	}
	require.NotZero(t, count, "the example wants something")
	tree := func(p string) *doc.File {
		data, ok := files[path.Clean(p)]
		if !ok {
			return nil
		}
		return doc.Parse(p, data, doc.Limits{})
	}
	repository := &Files{Tree: tree, Read: func(p string) ([]byte, error) { return files[p], nil }}
	for name := range files {
		repository.Paths = append(repository.Paths, name)
	}
	slices.Sort(repository.Paths)
	used := false
	all := &model.Facts{}
	for _, file := range arch.Files {
		parsed := doc.Parse(file.Name, files[file.Name], doc.Limits{})
		require.Empty(t, parsed.Errs, file.Name)
		facts := &model.Facts{}
		out := &Out{Repo: "example", Path: file.Name, Facts: facts, Tree: tree, Files: repository}
		for _, d := range parsed.Docs {
			known := false
			for _, f := range ranked(All()) {
				if !filesMatch(f, file.Name) || f.Rank < 0 && known || !f.Match(file.Name, d) {
					continue
				}
				known = true
				used = used || f.Name == format
				f.Read(d, out)
			}
		}
		all.Merge(facts)
	}
	require.True(t, used, "no file of the example is read by %s", format)
	for _, g := range all.Gaps {
		got := place{g.Path, g.Line}
		if i := slices.IndexFunc(wants[got], func(w [2]string) bool { return w[0] == "gap" && strings.Contains(g.Reason, w[1]) }); i >= 0 {
			wants[got] = slices.Delete(wants[got], i, i+1)
		} else {
			t.Errorf("%s:%d: unexpected gap: %s", g.Path, g.Line, g.Reason)
		}
	}
	for _, d := range describeAll(all) {
		p := place{d.at.Path, d.at.Line}
		found := slices.IndexFunc(wants[p], func(w [2]string) bool { return w[0] == d.what && d.holds(w[1]) })
		if found >= 0 {
			wants[p] = slices.Delete(wants[p], found, found+1)
			continue
		}
		if d.must {
			t.Errorf("%s:%d: not wanted: %s %s", d.at.Path, d.at.Line, d.what, d.text())
		}
	}
	for p, rest := range wants {
		for _, w := range rest {
			var there []string
			for _, d := range describeAll(all) {
				if d.at.Path == p.file && d.what == w[0] {
					there = append(there, fmt.Sprintf("%d: %s", d.at.Line, d.text()))
				}
			}
			t.Errorf("%s:%d: no %s %q; there are %s", p.file, p.line, w[0], w[1], strings.Join(there, " | "))
		}
	}
}

func ranked(fs []Format) []Format {
	slices.SortStableFunc(fs, func(a, b Format) int { return b.Rank - a.Rank })
	return fs
}

func filesMatch(f Format, file string) bool {
	for _, p := range f.Files {
		name := path.Base(file)
		if strings.Contains(p, "/") {
			p = path.Base(p)
		}
		if ok, _ := path.Match(p, name); ok {
			return true
		}
	}
	return false
}

// described is a fact in words.
type described struct {
	what string
	at   model.Location
	must bool // has to be wanted
	kv   map[string]string
	free []string
}

func (d described) holds(want string) bool {
	for _, w := range strings.Fields(want) {
		k, v, ok := strings.Cut(w, "=")
		if ok && d.kv[k] == v || slices.Contains(d.free, w) {
			continue
		}
		return false
	}
	return true
}

func (d described) text() string {
	out := slices.Clone(d.free)
	for k, v := range d.kv {
		out = append(out, k+"="+v)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func describeAll(f *model.Facts) []described {
	var out []described
	for i := range f.Layers {
		l := &f.Layers[i]
		b := l.Policy.Backoff
		out = append(out, described{"layer", l.At, true, map[string]string{
			"attempts": l.Policy.Total().String(), "count": l.Policy.Attempts.String(), "origin": string(l.Origin), "backoff": b.Kind.String(), "initial": b.Initial.String(),
			"factor": b.Factor.String(), "max": b.Max.String(), "jitter": b.Jitter.Kind.String(), "perAttempt": l.Policy.PerAttempt.String(),
			"overall": l.Policy.Overall.String(), "waits": b.Sum(l.Policy.Total()).String(), "on": strings.ReplaceAll(strings.ReplaceAll(l.Policy.On.String(), ", ", ","), " ", "-"), "kind": string(l.Kind),
			"low": fmt.Sprint(l.LowConfidence), "factorOf": fmt.Sprint(l.Factor()), "method": methodsOf(l), "label": strings.ReplaceAll(l.Label, " ", "-")}, traitWords(l)})
	}
	for i := range f.Boundaries {
		b := &f.Boundaries[i]
		out = append(out, described{"boundary", b.At, true, map[string]string{"ttl": b.TTL.String(), "kind": b.Kind, "origin": string(b.Origin),
			"store": string(b.Store), "guaranteed": b.Guaranteed().String()}, nil})
	}
	for _, d := range f.DeadLetters {
		out = append(out, described{"deadletter", d.At, true, map[string]string{"retention": d.Retention.String()}, []string{d.Name, d.Of.String()}})
	}
	for _, n := range f.Nodes {
		out = append(out, described{"node", n.At, false, map[string]string{"kind": string(n.Kind)}, []string{n.Name.String()}})
	}
	for _, s := range f.Services {
		free := []string{s.Name}
		for _, n := range s.Names {
			free = append(free, n.String())
		}
		out = append(out, described{"service", s.At, false, map[string]string{"replicas": s.Replicas.String(), "kind": s.Kind}, free})
		out = append(out, described{"service", s.ReplicasAt, false, map[string]string{"replicas": s.Replicas.String(), "kind": s.Kind}, free})
	}
	for _, s := range f.Settings {
		free := []string{s.Name.String() + "=" + s.Value}
		if s.Unknown {
			free = append(free, "unknown")
		}
		out = append(out, described{"setting", s.At, false, nil, free})
	}
	for _, e := range f.Edges {
		out = append(out, described{"edge", e.At, false, map[string]string{"kind": string(e.Kind), "key": string(e.Key.How), "timeout": e.Timeout.String()},
			[]string{e.Method, e.To.String(), e.Path, e.From.String()}})
	}
	for _, p := range f.Operations {
		free := []string{p.ID, p.RPC, p.Method, p.Path}
		for _, h := range p.Hosts {
			free = append(free, h.String())
		}
		out = append(out, described{"operation", p.At, false, nil, free})
	}
	for _, b := range f.Builds {
		out = append(out, described{"build", b.At, false, map[string]string{"file": b.File, "dir": b.Dir, "program": b.Program}, []string{b.Image.String()}})
	}
	for _, r := range f.Routes {
		free := []string{}
		for _, h := range append(slices.Clone(r.Hosts), r.Dest...) {
			free = append(free, h.String())
		}
		for _, m := range r.Match {
			free = append(free, m.Method, m.Path, m.Prefix)
		}
		out = append(out, described{"route", r.At, false, map[string]string{"timeout": r.Timeout.String()}, free})
	}
	return out
}

// TestEntries holds the table of formats together.
func TestEntries(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	seen := map[string]bool{}
	for _, f := range All() {
		require.Regexp(t, name, f.Name)
		require.False(t, seen[f.Name], "%s twice", f.Name)
		seen[f.Name] = true
		require.NotEmpty(t, f.Title, f.Name)
		require.NotEmpty(t, f.Files, f.Name)
		require.NotEmpty(t, f.Doc, f.Name)
		require.NotEmpty(t, f.Keys, f.Name)
		require.NotNil(t, f.Match, f.Name)
		require.NotNil(t, f.Read, f.Name)
	}
}

// methodsOf says whether a layer repeats requests of any method ("any"), idempotent ones only ("guarded"), or says nothing.
func methodsOf(l *model.Layer) string {
	switch {
	case l.Has(model.TraitAnyMethod):
		return "any"
	case l.Has(model.TraitMethodGuard):
		return "guarded"
	}
	return ""
}

func traitWords(l *model.Layer) []string {
	var out []string
	for _, t := range l.Traits {
		out = append(out, string(t.Kind))
	}
	return out
}

// TestTerraformCycles: modules that call one another with their own variables end.
func TestTerraformCycles(t *testing.T) {
	files := map[string]string{}
	var paths []string
	for i := range 12 {
		text := "variable \"n\" {}\n"
		for k := range 12 {
			text += fmt.Sprintf("module \"m%d\" {\n  source = \"../m%d\"\n  n = var.n\n}\n", k, k)
		}
		p := fmt.Sprintf("m%d/main.tf", i)
		files[p] = text
		paths = append(paths, p)
	}
	slices.Sort(paths)
	f := &Files{Paths: paths, Read: func(p string) ([]byte, error) { return []byte(files[p]), nil }}
	trees := map[string]*doc.File{}
	f.Tree = func(p string) *doc.File {
		if trees[p] == nil {
			trees[p] = doc.Parse(p, []byte(files[p]), doc.Limits{})
		}
		return trees[p]
	}
	start := time.Now()
	require.Empty(t, f.variable("m0", "n", steps()))
	require.Less(t, time.Since(start), 5*time.Second)
}
