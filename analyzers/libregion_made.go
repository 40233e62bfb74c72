package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// maxMade bounds how many constructions of one type of client are compared.
const maxMade = 12

// madeAnywhere is the construction of a client that reaches its use on a way that cannot be followed, through a map or an
// interface: the only one of its type in the repository, or one of several that all give the same. Nil where there is none or
// where they differ.
func (u *unit) madeAnywhere(use libraryUse) (string, *useSite) {
	r := u.shared
	if r.made == nil {
		r.made = map[string][]*site{}
		for _, w := range r.order {
			w.constructions()
		}
	}
	var name string
	var first *useSite
	var got libs.Result
	near := -1
	for _, s := range r.made[madeKey(use.lib, use.cl)] {
		w := s.in.unit
		if !w.reaches(u) {
			continue // a program that has nothing to do with the code here
		}
		us := w.madeSite(s)
		sel := w.callee(s.call).sel
		res := libs.EvaluateClient(use.cl, sel, us)
		if first == nil {
			name, first, got, near = sel, us, res, sameFolders(w.dir, u.dir)
			continue
		}
		if n := sameFolders(w.dir, u.dir); n > near && res.Policy.Attempts == got.Policy.Attempts {
			name, first, near = sel, us, n // they give the same; the nearest says best where
		}
		if res.Policy.Attempts != got.Policy.Attempts || res.Policy.Backoff.Kind != got.Policy.Backoff.Kind {
			return "", nil
		}
	}
	return name, first
}

// reaches reports whether what a package makes can get into another: a program hands things to what it imports, in the end.
func (u *unit) reaches(other *unit) bool {
	if u == other || u.pkg == nil || other.pkg == nil || u.pkg.Name() != "main" {
		return true
	}
	r := u.shared
	if r.reached == nil {
		r.reached = map[*types.Package]map[*types.Package]bool{}
	}
	all, ok := r.reached[u.pkg]
	if !ok {
		all = map[*types.Package]bool{u.pkg: true}
		for todo := []*types.Package{u.pkg}; len(todo) > 0; {
			p := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, i := range p.Imports() {
				if !all[i] {
					all[i] = true
					todo = append(todo, i)
				}
			}
		}
		r.reached[u.pkg] = all
	}
	return all[other.pkg]
}

// sameFolders counts the folders that two paths begin with alike.
func sameFolders(a, b string) int {
	n := 0
	for {
		x, restA, _ := strings.Cut(a, "/")
		y, restB, _ := strings.Cut(b, "/")
		if x != y || x == "" {
			return n
		}
		n, a, b = n+1, restA, restB
	}
}

func madeKey(l *libs.Library, c *libs.Client) string { return l.Name + "|" + c.Type }

// constructions notes the package's calls of constructors of catalogued clients.
func (u *unit) constructions() {
	for _, s := range u.sites {
		k := u.callee(s.call)
		if k.pkg == "" || s.to != nil || isStdPath(k.pkg) || u.generated[s.in.file] {
			continue
		}
		for _, l := range u.shared.lookup(k.pkg) {
			c := l.Constructs(k.sel)
			if c == nil || !l.Applies(u.versionOf(k.pkg)) {
				continue
			}
			if key := madeKey(l, c); len(u.shared.made[key]) < maxMade {
				u.shared.made[key] = append(u.shared.made[key], s)
			}
			break
		}
	}
}

// optionsAt is the literal of options that a client's constructor was handed, or that the client it belongs to was: where a
// setting that nobody wrote would stand.
func (s *useSite) optionsAt(lib *libs.Library, depth int) model.Location {
	if s.call == nil || depth > 2 {
		return model.Location{}
	}
	for i := len(s.call.Args) - 1; i >= 0; i-- {
		in, ok := s.Arg(i).Site.(*useSite)
		if !ok || in.lit == nil || in.lit.Type == nil || !in.lit.Lbrace.IsValid() || in.u.isMap(in.lit) {
			continue
		}
		t := in.u.foreignType(in.lit.Type)
		if t == "" {
			t = namedText(in.u.typeOf(in.lit))
		}
		pkg := typePackage(withoutPointer.Replace(t))
		if slices.Contains(s.u.shared.lookup(pkg), lib) || strings.HasPrefix(pkg, typePackage(s.u.callee(s.call).pkg)) {
			return in.u.at(ast.Node(in.lit))
		}
	}
	if in, ok := s.Arg(-1).Site.(*useSite); ok {
		return in.optionsAt(lib, depth+1)
	}
	return model.Location{}
}
