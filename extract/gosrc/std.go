package gosrc

import (
	"archive/zip"
	"bytes"
	_ "embed" // the data below
	"fmt"
	"go/token"
	"go/types"
	"io"
	"strings"
	"sync"

	"golang.org/x/tools/go/gcexportdata"
)

//go:generate go run ./internal/genstd -o std.zip

// stdZip holds the declarations of the standard library for linux/amd64, one entry per package, made by internal/genstd.
//
//go:embed std.zip
var stdZip []byte

// stdVersionEntry is the entry of the zip file that names the version of Go behind the data.
const stdVersionEntry = "VERSION"

// openStd reads the directory of the zip file, on first use, so that programs which load no Go code pay nothing.
var openStd = sync.OnceValues(func() (map[string]*zip.File, error) {
	zr, err := zip.NewReader(bytes.NewReader(stdZip), int64(len(stdZip)))
	if err != nil {
		return nil, fmt.Errorf("open the embedded standard library: %w", err)
	}
	entries := make(map[string]*zip.File, len(zr.File))
	for _, f := range zr.File {
		entries[f.Name] = f
	}
	return entries, nil
})

// StdVersion returns the version of Go that the embedded declarations of the standard library were made with, such as
// "go1.26.8", or "" if the data cannot be read.
func StdVersion() string {
	entries, err := openStd()
	if err != nil || entries[stdVersionEntry] == nil {
		return ""
	}
	data, err := readEntry(entries[stdVersionEntry])
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// isStd says whether the path is a package of the standard library that any code may import.
func isStd(path string) bool {
	if path == "unsafe" {
		return true
	}
	entries, err := openStd()
	return err == nil && path != stdVersionEntry && entries[path] != nil
}

// A stdSet is a sealed set of packages of the standard library. It is never written to after it was made: reading one
// more package into it would write to packages that running type checks may be looking at.
type stdSet struct {
	packages map[string]*types.Package
}

var (
	stdMu      sync.Mutex
	stdCurrent *stdSet
)

// stdFor returns a set that has at least the given packages, as far as the standard library has them.
//
// The first call in a process reads only what is asked for (some milliseconds). A later call that needs more reads
// everything (about 35 ms, 7 MB), once, so that a scan of many repositories settles on one set.
func stdFor(paths []string) (*stdSet, error) {
	stdMu.Lock()
	defer stdMu.Unlock()

	if stdCurrent != nil && stdCurrent.covers(paths) {
		return stdCurrent, nil
	}
	entries, err := openStd()
	if err != nil {
		return nil, err
	}
	if stdCurrent != nil {
		paths = nil
		for path := range entries {
			if path != stdVersionEntry {
				paths = append(paths, path)
			}
		}
	}
	set, err := readStd(entries, paths)
	if err != nil {
		return nil, err
	}
	stdCurrent = set
	return set, nil
}

func (s *stdSet) covers(paths []string) bool {
	for _, path := range paths {
		if isStd(path) && s.packages[path] == nil {
			return false
		}
	}
	return true
}

func readStd(entries map[string]*zip.File, paths []string) (*stdSet, error) {
	set := &stdSet{packages: map[string]*types.Package{"unsafe": types.Unsafe}}
	// Packages that are only referred to are here as well, but not in the set: they are incomplete.
	imports := make(map[string]*types.Package)
	fset := token.NewFileSet()
	for _, path := range paths {
		f := entries[path]
		if f == nil || path == stdVersionEntry || set.packages[path] != nil {
			continue
		}
		data, err := readEntry(f)
		if err != nil {
			return nil, fmt.Errorf("read the embedded package %s: %w", path, err)
		}
		pkg, err := gcexportdata.Read(bytes.NewReader(data), fset, imports, path)
		if err != nil {
			return nil, fmt.Errorf("read the embedded package %s: %w", path, err)
		}
		set.packages[path] = pkg
	}
	return set, nil
}

func readEntry(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
