package analyzers

import "github.com/retrylint/retrylint/analyzers/libs"

// lookup lists what is known of an import path: what the configuration declares comes before the built-in catalogue.
func (r *Repo) lookup(importPath string) []*libs.Library {
	if r == nil || r.Libraries == nil {
		return libs.Lookup(importPath)
	}
	return r.Libraries.Lookup(importPath)
}
