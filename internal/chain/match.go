package chain

import (
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// passed lists the routes that a request to a host goes through: of each owner the first that matches.
func (b *builder) passed(host model.Name, e *model.Edge) []*owned[model.Route] {
	all := b.routesBy[host.Key]
	if len(all) == 0 {
		return nil
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(x, y *owned[model.Route]) int {
		if x.v.Owner != y.v.Owner {
			return strings.Compare(x.v.Owner, y.v.Owner)
		}
		return x.v.Order - y.v.Order
	})
	var out []*owned[model.Route]
	done := map[string]bool{}
	for _, r := range all {
		if done[r.v.Owner] || !r.v.Mesh && !r.v.Ingress || !routeMatches(r.v, e) {
			continue
		}
		// Each environment has a first route of its own.
		first := len(r.v.Envs) == 0
		done[r.v.Owner] = first
		for _, env := range r.v.Envs {
			key := r.v.Owner + "\x00" + env
			first = first || !done[key]
			done[key] = true
		}
		if first {
			out = append(out, r)
		}
	}
	return out
}

func routeMatches(r *model.Route, e *model.Edge) bool {
	if len(r.Match) == 0 {
		return true
	}
	for _, m := range r.Match {
		if m.Method != "" && e.Method != "" && !strings.EqualFold(m.Method, e.Method) {
			continue
		}
		if e.Path != "" {
			if m.Path != "" && !pathEqual(m.Path, e.Path) || m.Prefix != "" && !pathPrefix(m.Prefix, e.Path) {
				continue
			}
		}
		return true
	}
	return false
}

func pathEqual(a, c string) bool {
	return segmentsMatch(strings.Split(a, "/"), strings.Split(c, "/"), false)
}

func pathPrefix(prefix, p string) bool {
	if prefix == "/" || strings.HasPrefix(p, prefix) {
		return true
	}
	return segmentsMatch(strings.Split(strings.TrimSuffix(prefix, "/"), "/"), strings.Split(p, "/"), true)
}

// segmentsMatch compares paths by segments; "{x}", ":x", "*" and "{}" match any one segment.
func segmentsMatch(pattern, p []string, prefix bool) bool {
	for i, s := range pattern {
		if s == "{$}" && i == len(pattern)-1 {
			return i < len(p) && p[i] == "" && len(p) == len(pattern)
		}
		if strings.HasSuffix(s, "...}") || s == "**" || s == "*" && i == len(pattern)-1 {
			return true
		}
		if i >= len(p) {
			return false
		}
		if !wild(s) && !wild(p[i]) && s != p[i] {
			return false
		}
	}
	return prefix || len(p) == len(pattern)
}

func wild(s string) bool {
	return s == "*" || strings.HasPrefix(s, ":") || strings.Contains(s, "{")
}

// matches reports whether a handler serves a request. An unknown method or path of the request matches everything, unless
// strict asks for the pattern to be named as it is.
func matches(h *model.Handler, method, path string, strict bool) bool {
	if h.RPC != "" {
		return false
	}
	if method != "" && h.Method != "" && !strings.EqualFold(method, h.Method) {
		return false
	}
	if path == "" {
		return !strict
	}
	path, _, _ = strings.Cut(path, "?")
	pattern := h.Pattern
	if strict && pattern == path {
		return true
	}
	if i := strings.IndexByte(pattern, '/'); i > 0 {
		pattern = pattern[i:] // a pattern with a host
	}
	if pattern == "" {
		return !strict
	}
	if strings.HasSuffix(pattern, "/") && pattern != "/" || pattern == "/" {
		return pathPrefix(pattern, path) && (!strict || pattern == path)
	}
	return segmentsMatch(strings.Split(pattern, "/"), strings.Split(path, "/"), false)
}

// specificity ranks handlers that match: longer literal patterns first, a named method before any.
func specificity(h *model.Handler, method, path string) int {
	n := 0
	if path != "" {
		for s := range strings.SplitSeq(h.Pattern, "/") {
			switch {
			case s == "":
			case wild(s):
				n += 2
			default:
				n += 4
			}
		}
	}
	if h.Method != "" && method != "" {
		n++
	}
	return n
}
