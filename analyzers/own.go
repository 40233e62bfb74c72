package analyzers

import (
	"path"
	"slices"

	"github.com/retrylint/retrylint/model"
)

// dropOthers leaves the facts that stand in the folders that are wanted, and those that stand nowhere.
func dropOthers(f *model.Facts, own func(dir string) bool) {
	other := func(file string) bool { return file != "" && !own(path.Dir(file)) }
	f.Nodes = slices.DeleteFunc(f.Nodes, func(n model.Node) bool {
		if n.Kind == model.NodeFunc && n.Dir != "" {
			return !own(n.Dir)
		}
		return other(n.At.Path)
	})
	f.Edges = slices.DeleteFunc(f.Edges, func(e model.Edge) bool { return other(e.At.Path) })
	f.Layers = slices.DeleteFunc(f.Layers, func(l model.Layer) bool { return other(l.At.Path) })
	f.Handlers = slices.DeleteFunc(f.Handlers, func(h model.Handler) bool { return other(h.At.Path) })
	f.Routes = slices.DeleteFunc(f.Routes, func(r model.Route) bool { return other(r.At.Path) })
	f.Boundaries = slices.DeleteFunc(f.Boundaries, func(b model.Boundary) bool { return other(b.At.Path) })
	f.DeadLetters = slices.DeleteFunc(f.DeadLetters, func(d model.DeadLetter) bool { return other(d.At.Path) })
	f.Services = slices.DeleteFunc(f.Services, func(s model.Service) bool { return other(s.At.Path) })
	f.Helpers = slices.DeleteFunc(f.Helpers, func(h model.Helper) bool { return other(h.Layer.At.Path) })
	f.Settings = slices.DeleteFunc(f.Settings, func(s model.Setting) bool { return other(s.At.Path) })
	f.Suppressions = slices.DeleteFunc(f.Suppressions, func(s model.Suppression) bool { return other(s.At.Path) })
	f.Gaps = slices.DeleteFunc(f.Gaps, func(g model.Gap) bool { return other(g.Path) && !own(g.Path) })
	f.Undecided = slices.DeleteFunc(f.Undecided, func(u model.Undecided) bool { return other(u.At.Path) })
}
