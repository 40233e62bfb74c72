package extract

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/retrylint/retrylint/extract/doc"
)

// Files are the configuration files of a repository, for formats whose meaning is spread over several. All methods are safe on
// a nil Files, which has none.
type Files struct {
	Paths []string                          // sorted; relative to the repository
	Read  func(path string) ([]byte, error) // of one of Paths
	Tree  func(path string) *doc.File       // parsed; nil where there is no such file

	terraformOnce sync.Once
	terraform     *terraformIndex
	chartsOnce    sync.Once
	chartPaths    []string
	basesOnce     sync.Once
	bases         map[string]bool
	scriptsOnce   sync.Once
	scripts       map[string]bool
}

// in lists the files that lie in a folder itself.
func (f *Files) in(dir string) []string {
	if f == nil {
		return nil
	}
	prefix := dir + "/"
	if dir == "." {
		prefix = ""
	}
	i, _ := slices.BinarySearch(f.Paths, prefix)
	var out []string
	for ; i < len(f.Paths) && strings.HasPrefix(f.Paths[i], prefix); i++ {
		if path.Dir(f.Paths[i]) == dir {
			out = append(out, f.Paths[i])
		}
	}
	return out
}

// root is the tree of a file that holds one document.
func (f *Files) root(p string) *doc.Node {
	if f == nil {
		return nil
	}
	if t := f.Tree(p); t != nil && len(t.Docs) > 0 {
		return t.Docs[0].Root
	}
	return nil
}

// placed is a tree with the file it is from.
type placed struct {
	path string
	root *doc.Node
}
