package scan

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/retrylint/retrylint/analyzers"
	"github.com/retrylint/retrylint/extract"
	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/extract/gosrc"
	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/rules"
)

// judged links and judges facts twice and checks what holds for any facts: no panic, no long thinking, the same result again,
// figures in order.
func judged(t *testing.T, facts ...*model.Facts) {
	t.Helper()
	text := func() (*model.Result, string) {
		fs := make([]*model.Facts, len(facts))
		for i, f := range facts {
			fs[i] = copyOf(t, f) // linking fills facts in
		}
		r := Reduce(fs, Options{Verbose: true})
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return r, string(b)
	}
	start := time.Now()
	r, one := text()
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("linking took %s", took)
	}
	if _, two := text(); one != two {
		t.Errorf("two results differ:\n%s\n%s", one, two)
	}
	ids := map[string]bool{}
	for _, l := range r.Layers {
		ids[l.ID] = true
	}
	for _, c := range r.Chains {
		for _, id := range c.Layers {
			if !ids[id] {
				t.Errorf("chain %s names the layer %q, which is not listed", c.ID, id)
			}
		}
	}
}

func copyOf(t *testing.T, f *model.Facts) *model.Facts {
	t.Helper()
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	out := &model.Facts{}
	if err := json.Unmarshal(data, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// noPanics checks that no step of an extractor ended in a panic that was caught, and that places are inside the file.
func noPanics(t *testing.T, f *model.Facts, data string) {
	t.Helper()
	for _, g := range f.Gaps {
		if strings.Contains(g.Reason, "runtime error") || strings.Contains(g.Reason, "internal error") || strings.Contains(g.Reason, "interface conversion") {
			t.Errorf("%s: %s", g.Path, g.Reason)
		}
	}
	lines := strings.Count(data, "\n") + 1
	for _, l := range f.Layers {
		if l.At.Path == "a.go" && l.At.Line > lines {
			t.Errorf("%s at line %d of %d", l.ID, l.At.Line, lines)
		}
	}
}

// goSeeds are Go files of the analyzers' and rules' test data and of the demo.
func goSeeds(f *testing.F) {
	f.Helper()
	for _, pattern := range []string{"../../testdata/payments/*/*.go", "../../analyzers/testdata/*/*.go", "../../analyzers/testdata/*/*/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			if !strings.HasSuffix(name, ".txtar") {
				f.Add(data)
				continue
			}
			for _, file := range txtar.Parse(data).Files {
				if strings.HasSuffix(file.Name, ".go") {
					f.Add(file.Data)
				}
			}
		}
	}
}

// FuzzExtract takes a Go file through the loader, the extractor, the linker and the rules.
func FuzzExtract(f *testing.F) {
	goSeeds(f)
	for _, rule := range rules.All() {
		for _, file := range txtar.Parse([]byte(rule.Bad)).Files {
			if strings.HasSuffix(file.Name, ".go") {
				f.Add(file.Data)
			}
		}
	}
	f.Add([]byte("package a\nfunc f() { for { f() } }\nfunc g(h func()) { for i := 0; i < 1<<63; i -= 1<<62 { h(); go g(h); defer f() } }\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<15 {
			return
		}
		start := time.Now()
		res := gosrc.Load(context.Background(), []gosrc.File{{Path: "go.mod", Data: []byte("module m\n")}, {Path: "a.go", Data: data}}, gosrc.Options{Stubs: analyzers.Stubs(), Tests: true})
		loaded := time.Since(start)
		facts := extractGo("r", res)
		if took := time.Since(start) - loaded; took > 5*time.Second {
			t.Errorf("the extractor took %s", took)
		}
		facts.Schema, facts.Repo = model.SchemaVersion, model.Repository{Name: "r"}
		finish(facts)
		noPanics(t, facts, string(data))
		judged(t, facts)
	})
}

// FuzzConfigs takes a document as YAML, TOML, JSON and HCL through all formats, the linker and the rules.
func FuzzConfigs(f *testing.F) {
	all := extract.All()
	for _, format := range all {
		for _, file := range txtar.Parse([]byte(format.Example)).Files {
			f.Add(file.Data)
		}
	}
	files, err := filepath.Glob("../../testdata/payments/scheduler/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<14 {
			return
		}
		facts := &model.Facts{Schema: model.SchemaVersion, Repo: model.Repository{Name: "r"}}
		for _, name := range []string{"a.yaml", "a.toml", "a.json", "a.tf"} {
			parsed := doc.Parse(name, data, doc.Limits{MaxNodes: 5000})
			for _, d := range parsed.Docs {
				for _, format := range all {
					if format.Match(name, d) {
						one := &model.Facts{}
						format.Read(d, &extract.Out{Repo: "r", Path: name, Facts: one, Tree: func(string) *doc.File { return parsed }})
						facts.Merge(one)
					}
				}
			}
		}
		finish(facts)
		judged(t, facts)
	})
}

// FuzzLink links and judges facts that no extractor made: ends that do not exist, circles, equal names, extreme numbers.
func FuzzLink(f *testing.F) {
	for _, format := range extract.All() {
		facts := &model.Facts{Schema: model.SchemaVersion, Repo: model.Repository{Name: "r"}}
		for _, file := range txtar.Parse([]byte(format.Example)).Files {
			readConfig("r", file.Name, file.Data, []extract.Format{format}, facts, &extract.Files{Tree: treeOfNothing}, treeOfNothing)
		}
		data, err := json.Marshal(facts)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, []byte(`{}`))
	}
	for _, name := range []string{"settle-service", "payout-gateway", "ledger"} {
		var files []gosrc.File
		paths, err := filepath.Glob("../../testdata/payments/" + name + "/*.go")
		if err != nil {
			f.Fatal(err)
		}
		for _, p := range paths {
			data, err := os.ReadFile(p)
			if err != nil {
				f.Fatal(err)
			}
			files = append(files, gosrc.File{Path: filepath.Base(p), Data: data})
		}
		facts := extractGo(name, gosrc.Load(context.Background(), files, gosrc.Options{Stubs: analyzers.Stubs()}))
		facts.Repo.Name = name
		data, err := json.Marshal(facts)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, []byte(strings.ReplaceAll(string(data), name, "other")))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if len(a)+len(b) > 1<<16 {
			return
		}
		one, two := &model.Facts{}, &model.Facts{}
		if json.Unmarshal(a, one) != nil || json.Unmarshal(b, two) != nil {
			return
		}
		judged(t, one, two)
	})
}

func treeOfNothing(string) *doc.File { return nil }
