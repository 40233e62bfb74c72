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
		l := &libraries[i]
		if l.Stub != "" {
			l.expand(out, l.Path, l.Stub)
			for _, p := range l.Also {
				if l.StubFiles[p] == "" && !strings.HasSuffix(p, "*") {
					l.expand(out, p, l.Stub)
				}
			}
		}
		for p, s := range l.StubFiles {
			l.expand(out, p, s)
		}
	}
	return out
})

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
		out[strings.ReplaceAll(path, "/v*", v)] = strings.ReplaceAll(source, "/v*", v)
	}
}
