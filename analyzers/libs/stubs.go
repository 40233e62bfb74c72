package libs

import (
	"strconv"
	"strings"
	"sync"
)

// stubs are declarations of packages that are no libraries of their own here: key generators, stores, routers, drivers.
var stubs = map[string]string{}

// addStub registers the stub of a package that does not retry.
func addStub(path, source string) bool {
	stubs[path] = source
	return true
}

// Stubs gives the declaration stubs of all libraries, by import path, sub-packages included. The map is shared: it must not
// be modified.
func Stubs() map[string]string { return allStubs() }

var allStubs = sync.OnceValue(func() map[string]string {
	out := make(map[string]string, len(stubs)+4*len(libraries))
	for p, s := range stubs {
		out[p] = s
	}
	for i := range libraries {
		libraries[i].addStubs(out)
	}
	return out
})

// addStubs adds the stubs of the library under their import paths. The library's own stub serves its other paths, too, unless
// they have one.
func (l *Library) addStubs(out map[string]string) {
	for p, s := range l.StubFiles {
		l.expand(out, p, s)
	}
	if l.MakeStubs != nil {
		for p, s := range l.MakeStubs() {
			l.expand(out, p, s)
		}
	}
	if l.Stub == "" {
		return
	}
	for _, p := range l.Paths() {
		if !strings.HasSuffix(p, "*") {
			l.expand(out, p, l.Stub)
		}
	}
}

// expand adds a stub, once for each major version where its path has "v*".
func (l *Library) expand(out map[string]string, path, source string) {
	if !strings.Contains(path, "/v*") {
		if out[path] == "" {
			out[path] = source
		}
		return
	}
	for _, m := range l.Majors {
		v := "/v" + strconv.Itoa(m)
		if p := strings.ReplaceAll(path, "/v*", v); out[p] == "" {
			out[p] = strings.ReplaceAll(source, "/v*", v)
		}
	}
}
