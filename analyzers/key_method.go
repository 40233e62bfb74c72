package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// callerMethods gives a request whose method is a parameter the methods that the callers pass: one edge for each, so that
// routes and rules can tell a retried POST from a retried GET.
func (u *unit) callerMethods(s *site) {
	if len(s.sent) != 1 || len(s.edges) != 1 || s.edge == nil || s.edge.Kind != model.EdgeRequest || s.edge.Method != "" || s.sent[0].make == nil {
		return
	}
	r := s.sent[0]
	k := r.unit.callee(r.make)
	i := -1
	switch k.sel {
	case "NewRequest":
		i = 0
	case "NewRequestWithContext":
		i = 1
	}
	if i < 0 || i >= len(r.make.Args) {
		return
	}
	ms, all := r.unit.methodsOf(r.make.Args[i], r.in, 0)
	slices.Sort(ms)
	ms = slices.Compact(ms)
	if len(ms) == 0 || len(ms) == 1 && !all {
		if len(ms) == 1 {
			s.edge.Method = "" // one caller is known, others may pass anything
		}
		if len(ms) == 0 || !unsafeMethod(ms[0]) {
			return
		}
	}
	slices.SortStableFunc(ms, func(a, b string) int {
		switch ua, ub := unsafeMethod(a), unsafeMethod(b); {
		case ua == ub:
			return strings.Compare(a, b)
		case ua:
			return -1
		}
		return 1
	})
	first := s.edge
	label := first.Label
	for j, m := range ms {
		e := first
		if j > 0 {
			d := *first
			e = &d
			s.edges = append(s.edges, e)
		}
		e.Method = m
		e.Label = strings.TrimSpace(m + " " + label)
	}
}

func unsafeMethod(m string) bool { return m == "POST" || m == "PATCH" }

// methodsOf lists the methods that an expression can be, as far as the callers of the function are known; all is false
// where other callers may pass others.
func (u *unit) methodsOf(e ast.Expr, f *fn, depth int) (out []string, all bool) {
	if depth > 4 || f == nil {
		return nil, false
	}
	if m := u.methodOf(e, f); m != "" {
		return []string{m}, true
	}
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil, false
	}
	v, ok := u.object(id).(*types.Var)
	if !ok {
		return nil, false
	}
	for g := f; g != nil; g = g.parent {
		i, ok := g.params[v]
		if !ok {
			continue
		}
		all = !g.exported()
		for _, s := range g.callers {
			if len(out) > 64 {
				break
			}
			if i >= len(s.call.Args) {
				all = false
				continue
			}
			ms, a := s.in.unit.methodsOf(s.call.Args[i], s.in, depth+1)
			out = append(out, ms...)
			all = all && a
		}
		return out, all && len(out) > 0
	}
	return nil, false
}
