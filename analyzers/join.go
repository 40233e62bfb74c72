package analyzers

import (
	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// Stubs are the declaration stubs of all known libraries, by import path, for the tolerant loader.
func Stubs() map[string]string {
	out := map[string]string{}
	for _, l := range libs.All() {
		if l.Stub != "" {
			for _, p := range append([]string{l.Path}, l.Also...) {
				if _, ok := out[p]; !ok {
					out[p] = l.Stub
				}
			}
		}
		for p, s := range l.StubFiles {
			if _, ok := out[p]; !ok {
				out[p] = s
			}
		}
	}
	return out
}

// Join makes one set of facts of those of the packages of a repository and adds what only the whole repository can say.
func (r *Repo) Join(facts []*model.Facts) *model.Facts {
	out := &model.Facts{Schema: model.SchemaVersion}
	for _, f := range facts {
		if out.Repo.Name == "" {
			out.Repo = f.Repo
		}
		out.Merge(f)
	}
	out.Sort()
	return out
}
