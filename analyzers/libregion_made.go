package analyzers

import (
	"go/ast"
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
	for _, s := range r.made[madeKey(use.lib, use.cl)] {
		w := s.in.unit
		us := w.madeSite(s)
		sel := w.callee(s.call).sel
		res := libs.EvaluateClient(use.cl, sel, us)
		if first == nil {
			name, first, got = sel, us, res
			continue
		}
		if res.Policy.Attempts != got.Policy.Attempts || res.Policy.Backoff.Kind != got.Policy.Backoff.Kind {
			return "", nil
		}
	}
	return name, first
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
