package libs

import (
	"reflect"
	"strings"
	"sync"
)

// A Set is the libraries of one scan: the built-in ones and those that the configuration adds. It is read-only and safe for
// concurrent use.
type Set struct {
	byPath   map[string][]*Library
	byFolder map[string][]*Library // patterns that end in "/*/*", without that end
}

var builtin = sync.OnceValue(func() *Set { return newSet(All()) })

// Lookup lists the built-in entries for an import path, in the order of their names; several where the versions differ (see
// [Library.Applies]). It costs nothing until the first call.
func Lookup(importPath string) []*Library { return builtin().Lookup(importPath) }

// With is the built-in libraries with further ones, which come first for their paths.
func With(extra []Library) *Set {
	if len(extra) == 0 {
		return builtin()
	}
	s := newSet(extra)
	for p, list := range builtin().byPath {
		s.byPath[p] = append(s.byPath[p], list...)
	}
	for p, list := range builtin().byFolder {
		s.byFolder[p] = append(s.byFolder[p], list...)
	}
	return s
}

// Lookup lists the entries for an import path: those that name it, else those of the nearest pattern.
func (s *Set) Lookup(importPath string) []*Library {
	if list := s.byPath[importPath]; list != nil {
		return list
	}
	general := withoutMajor(importPath)
	for _, p := range [...]string{general, folder(importPath), folder(general)} {
		if list := s.byPath[p]; list != nil {
			return list
		}
	}
	if i := strings.LastIndexByte(importPath, '/'); i > 0 {
		if i = strings.LastIndexByte(importPath[:i], '/'); i > 0 {
			return s.byFolder[importPath[:i]]
		}
	}
	return nil
}

// folder is the pattern for all packages beside p.
func folder(p string) string {
	if i := strings.LastIndexByte(p, '/'); i > 0 {
		return p[:i] + "/*"
	}
	return ""
}

// withoutMajor writes "v*" for each major version in a path.
func withoutMajor(p string) string {
	if !strings.Contains(p, "/v") {
		return p
	}
	parts := strings.Split(p, "/")
	for i, e := range parts {
		if isMajor(e) {
			parts[i] = "v*"
		}
	}
	return strings.Join(parts, "/")
}

func isMajor(e string) bool {
	if len(e) < 2 || e[0] != 'v' || len(e) > 4 {
		return false
	}
	for _, c := range e[1:] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// index is a library's maps, made once.
type index struct {
	calls   map[string]*Call
	parts   map[string]*Part
	clients map[string]*clientIndex
}

type clientIndex struct {
	client *Client
	sends  map[string]*Send
	prefix []*Send // "Get*"
	rest   *Send   // "*"
}

func newSet(list []Library) *Set {
	s := &Set{byPath: make(map[string][]*Library, 2*len(list)), byFolder: map[string][]*Library{}}
	for i := range list {
		l := list[i]
		l.prepare()
		for _, p := range l.Paths() {
			if f, ok := strings.CutSuffix(p, "/*/*"); ok {
				s.byFolder[f] = append(s.byFolder[f], &l)
				continue
			}
			s.byPath[p] = append(s.byPath[p], &l)
		}
	}
	return s
}

// Paths lists the import paths of the library.
func (l *Library) Paths() []string { return append([]string{l.Path}, l.Also...) }

// prepare copies what it changes, so that the declarations stay as they are.
func (l *Library) prepare() {
	ix := &index{calls: make(map[string]*Call, len(l.Calls)), parts: make(map[string]*Part, len(l.Parts)), clients: make(map[string]*clientIndex, len(l.Clients))}
	l.Calls = append([]Call(nil), l.Calls...)
	l.Parts = append([]Part(nil), l.Parts...)
	l.Clients = append([]Client(nil), l.Clients...)
	for i := range l.Calls {
		c := &l.Calls[i]
		c.lib = l
		for _, name := range alternatives(c.Func) {
			ix.calls[plainName(name)] = c
		}
	}
	for i := range l.Parts {
		p := &l.Parts[i]
		p.lib = l
		for _, name := range alternatives(p.Func) {
			ix.parts[name] = p
		}
	}
	for i := range l.Clients {
		c := &l.Clients[i]
		c.lib = l
		ci := &clientIndex{client: c, sends: make(map[string]*Send, len(c.Sends))}
		for j := range c.Sends {
			for _, name := range alternatives(c.Sends[j].Func) {
				switch {
				case name == "*":
					ci.rest = &c.Sends[j]
				case strings.HasSuffix(name, "*"):
					ci.prefix = append(ci.prefix, &c.Sends[j])
				default:
					ci.sends[name] = &c.Sends[j]
				}
			}
		}
		for _, name := range alternatives(c.Type) {
			// A type may have several entries, whose constructors differ in where they take their settings from.
			if ix.clients[plainName(name)] == nil {
				ix.clients[plainName(name)] = ci
			}
		}
	}
	l.index = ix
}

// alternatives splits "Get, Head" into its names.
func alternatives(names string) []string {
	if !strings.Contains(names, ",") {
		return []string{names}
	}
	list := strings.Split(names, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// plainName writes "(*Client[T]).Do", "(*Client).Do" and "Client.Do" alike.
func plainName(name string) string {
	if name == "*" {
		return name
	}
	if i := strings.IndexByte(name, '['); i >= 0 {
		if j := strings.LastIndexByte(name, ']'); j > i {
			name = name[:i] + name[j+1:]
		}
	}
	if strings.HasPrefix(name, "(") {
		name = strings.TrimPrefix(name[1:], "*")
		name = strings.Replace(name, ")", "", 1)
	}
	return strings.TrimPrefix(name, "*")
}

// Call finds a function or method: "Retry", "(*Retrier).Run", "Retrier.Run"; nil where the library says nothing of it.
func (l *Library) Call(name string) *Call { return l.maps().calls[plainName(name)] }

// Client finds a client by its type: "Client"; nil where there is none. "*" stands for any type whose name no other entry has.
func (l *Library) Client(typ string) *Client {
	if ci := l.client(typ); ci != nil {
		return ci.client
	}
	return nil
}

func (l *Library) client(typ string) *clientIndex {
	m := l.maps().clients
	if ci := m[plainName(typ)]; ci != nil {
		return ci
	}
	return m["*"]
}

// Constructs finds the client that a constructor makes ("NewClient"), or nil. "New*" among the constructors stands for all whose
// names begin so and that no other entry names.
func (l *Library) Constructs(fn string) *Client {
	var byPrefix *Client
	for i := range l.Clients {
		for _, n := range l.Clients[i].New {
			if n == fn {
				return &l.Clients[i]
			}
			if p, ok := strings.CutSuffix(n, "*"); ok && strings.HasPrefix(fn, p) && byPrefix == nil {
				byPrefix = &l.Clients[i]
			}
		}
	}
	return byPrefix
}

// Send finds a method of a client: by its name, else by the longest prefix entry, else "*"; nil where the type or method
// sends nothing.
func (l *Library) Send(typ, method string) *Send {
	ci := l.client(typ)
	if ci == nil {
		return nil
	}
	if s := ci.sends[method]; s != nil {
		return s
	}
	var best *Send
	length := -1
	for _, s := range ci.prefix {
		for _, n := range alternatives(s.Func) {
			if p, ok := strings.CutSuffix(n, "*"); ok && strings.HasPrefix(method, p) && len(p) > length {
				best, length = s, len(p)
			}
		}
	}
	if best != nil {
		return best
	}
	return ci.rest
}

// Applies reports whether the entry holds for a version of its module; for "" it does, as nothing is known.
func (l *Library) Applies(version string) bool {
	return version == "" || inRange(version, l.Versions)
}

// HasPart reports whether the library says what a function, type or variable gives to a policy.
func (l *Library) HasPart(name string) bool { return l.part(name) != nil }

func (l *Library) part(name string) *Part {
	if name == "" {
		return nil
	}
	return l.maps().parts[name]
}

func (l *Library) maps() *index {
	if l.index == nil {
		return &index{}
	}
	return l.index
}

// override replaces what q sets.
func (p *Policy) override(q Policy) {
	to, from := reflect.ValueOf(p).Elem(), reflect.ValueOf(q)
	for i := range to.NumField() {
		if f := from.Field(i); to.Field(i).CanSet() && !f.IsZero() {
			to.Field(i).Set(f)
		}
	}
}

// with is p with what q sets.
func with(p, q Policy) Policy {
	p.override(q)
	return p
}
