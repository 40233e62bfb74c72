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

	of    *Files // whose files these are, where somebody is told of their use; see Watched
	asked func()

	terraformOnce sync.Once
	terraform     *terraformIndex
	chartsOnce    sync.Once
	chartPaths    []string
	basesOnce     sync.Once
	bases         map[string]bool
	scriptsOnce   sync.Once
	scripts       map[string]bool
}

// Watched are the same files; asked is called whenever somebody looks into them. It may be called often, and at once from
// several goroutines.
func (f *Files) Watched(asked func()) *Files {
	if f == nil {
		return nil
	}
	w := &Files{Paths: f.Paths, Read: f.Read, of: f, asked: asked}
	w.Read = func(p string) ([]byte, error) { asked(); return f.Read(p) }
	w.Tree = func(p string) *doc.File { asked(); return f.Tree(p) }
	return w
}

// whole are the files themselves. Whatever asks about more than one file goes through it.
func (f *Files) whole() *Files {
	if f == nil || f.of == nil {
		return f
	}
	f.asked()
	return f.of
}

// in lists the files that lie in a folder itself.
func (f *Files) in(dir string) []string {
	if f = f.whole(); f == nil {
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
