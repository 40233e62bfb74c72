package libs

import (
	"regexp"
	"strings"
	"testing"

	"github.com/retrylint/retrylint/extract/gosrc"
)

// Every entry must be sound: terms that parse, words that exist, a source for its facts.
func TestEntries(t *testing.T) {
	names := make(map[string]bool)
	for _, l := range All() {
		if err := l.Validate(); err != nil {
			t.Errorf("%s: %v", l.Name, err)
		}
		if names[l.Name] {
			t.Errorf("%s: two entries of that name", l.Name)
		}
		names[l.Name] = true
		if l.Source == "" || l.Doc == "" {
			t.Errorf("%s: Source and Doc must say where the facts are from and what the traps are", l.Name)
		}
		if len(l.Calls)+len(l.Clients) == 0 {
			t.Errorf("%s: neither calls nor clients", l.Name)
		}
		stubs := Stubs()
		for _, p := range l.Paths() {
			if strings.HasSuffix(p, "*") || !strings.Contains(p, ".") {
				continue // any package of a folder, or the standard library
			}
			q := p
			if len(l.Majors) > 0 {
				q = strings.ReplaceAll(p, "/v*", "/v"+itoa(l.Majors[0]))
			}
			if stubs[q] == "" {
				t.Errorf("%s: no stub for %s", l.Name, q)
			}
		}
	}
}

func TestStubs(t *testing.T) {
	if err := gosrc.CheckStubs(Stubs()); err != nil {
		t.Error(err)
	}
}

// A call, client, constructor, send or part of an entry must be declared in its stub, or the loader could never find it.
func TestEntriesAreInStubs(t *testing.T) {
	for _, l := range All() {
		var text strings.Builder
		stubs := make(map[string]string)
		l.addStubs(stubs)
		for _, s := range stubs {
			text.WriteString(s)
		}
		if text.Len() == 0 || strings.HasSuffix(l.Path, "/service/*") {
			continue // the standard library; the services without an entry of their own
		}
		declared := func(name string) bool {
			return regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(text.String())
		}
		for _, c := range l.Calls {
			for _, n := range alternatives(c.Func) {
				n = plainName(n)
				if i := strings.LastIndexByte(n, '.'); i >= 0 {
					if !declared(n[:i]) {
						t.Errorf("%s: %s is not in the stub", l.Name, n[:i])
					}
					n = n[i+1:]
				}
				if !declared(n) {
					t.Errorf("%s: %s is not in the stub", l.Name, n)
				}
			}
		}
		for _, c := range l.Clients {
			for _, n := range append(alternatives(c.Type), c.New...) {
				if n != "*" && !declared(strings.TrimSuffix(n, "*")) && !regexp.MustCompile(`\b`+strings.TrimSuffix(n, "*")+`\w`).MatchString(text.String()) {
					t.Errorf("%s: %s is not in the stub", l.Name, n)
				}
			}
		}
	}
}
