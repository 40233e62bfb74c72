package libs_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/retrylint/retrylint/analyzers"
	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/extract/gosrc"
	"github.com/retrylint/retrylint/model"
)

var wantLayer = regexp.MustCompile(`// want layer "([^"]*)"`)

// Each entry's example runs through the loader, with stubs only, and the extractor. A comment `want layer "attempts=4"` names
// a layer whose setting or call stands on its line.
func TestExamples(t *testing.T) {
	for _, l := range libs.All() {
		if l.Example == "" {
			continue
		}
		t.Run(l.Name, func(t *testing.T) {
			res := gosrc.Load(context.Background(), []gosrc.File{
				{Path: "go.mod", Data: []byte("module example.org/example\n\ngo 1.26\n")},
				{Path: "example.go", Data: []byte(l.Example)},
			}, gosrc.Options{Stubs: libs.Stubs()})
			for _, p := range res.Problems {
				t.Fatalf("%s:%d: %s", p.Path, p.Line, p.Msg)
			}
			p := res.Packages[0]
			if p.TypeErrors > 0 {
				t.Errorf("the example does not type-check against the stub: %v", p.Errors)
			}
			facts := analyzers.Extract(analyzers.Input{Fset: p.Fset, Files: p.Files, Generated: p.Generated, Pkg: p.Types, Info: p.Info,
				Path: p.Path, Module: p.Module, ModuleDir: p.ModuleDir, Dir: p.Dir, Repo: "example", Versions: p.ModuleVersions})
			wants := 0
			for i, line := range strings.Split(l.Example, "\n") {
				m := wantLayer.FindStringSubmatch(line)
				if m == nil {
					continue
				}
				wants++
				if err := hasLayer(facts, i+1, m[1]); err != nil {
					t.Errorf("line %d: %v", i+1, err)
				}
			}
			if wants == 0 {
				t.Error("the example wants nothing")
			}
		})
	}
}

func hasLayer(facts *model.Facts, line int, want string) error {
	var seen []string
	for _, l := range facts.Layers {
		p := l.Policy
		said := map[string]string{
			"attempts": p.Attempts.String(), "backoff": p.Backoff.Kind.String(), "initial": p.Backoff.Initial.String(), "max": p.Backoff.Max.String(),
			"jitter": p.Backoff.Jitter.Kind.String(), "perAttempt": p.PerAttempt.String(), "overall": p.Overall.String(), "on": p.On.String(),
			"total": p.Total().String(), "wait": waitsOf(p),
		}
		if p.On == model.OnConnect {
			said["on"] = "connect"
		}
		at := l.At.Line == line || l.Call.Line == line
		for _, s := range l.SetBy {
			at = at || s.Line == line
		}
		if !at {
			continue
		}
		wrong := ""
		for kv := range strings.FieldsSeq(want) {
			k, v, _ := strings.Cut(kv, "=")
			if said[k] != v {
				wrong += fmt.Sprintf(" %s=%s", k, said[k])
			}
		}
		if wrong == "" {
			return nil
		}
		seen = append(seen, fmt.Sprintf("%s:%s", l.Label, wrong))
	}
	return fmt.Errorf("want layer %q, have %q of %d layers", want, seen, len(facts.Layers))
}

// waitsOf is the bounds of the first three waits: "10ms..20ms,20ms..40ms,40ms..80ms", or one number where both are the same.
func waitsOf(p model.Policy) string {
	var out []string
	for k := int64(1); k <= 3; k++ {
		lo, hi := p.Backoff.Gap(k)
		if lo == hi {
			out = append(out, hi.String())
		} else {
			out = append(out, lo.String()+".."+hi.String())
		}
	}
	return strings.Join(out, ",")
}
