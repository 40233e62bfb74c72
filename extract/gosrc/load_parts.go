package gosrc

import (
	"context"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
)

// A Part is a share of a repository's Go files that can be loaded by itself. What it is about are the packages in the folders
// of Own; the other files are of packages that those import, and of go.mod files.
type Part struct {
	Files []string // sorted
	Own   map[string]bool
}

// Parts shares out the Go files of a large repository, so that not all of it need be in memory at once: nil where that
// cannot be, or where it would gain little.
//
// Apart stand only packages that are generated wholly and that no other package of the repository imports, each with what
// it imports; in clients of APIs they are nearly everything. All other packages form the first part, so whatever people
// wrote is loaded together, with all that people wrote that calls it. Of the generated packages that import one of them the
// first is there as well: generated code calls in one way, and a function that it calls must not seem to be called by people
// alone.
//
// The files are heads as [Head] makes them; sizes are those of the whole files, by path. A part is about limit bytes large.
func Parts(ctx context.Context, heads []File, sizes map[string]int64, opt Options, limit int64) []Part {
	l := newLoader(ctx, opt)
	sources, modules := l.sift(heads)
	l.parse(sources)
	units := l.group(sources, modules)
	adoptRoot(units)
	units = l.order(units, newResolver(units))
	if ctx.Err() != nil {
		return nil
	}
	files := map[string][]string{} // by folder
	bytes := map[string]int64{}
	var mods []string
	var total int64
	for _, f := range heads {
		p := path.Clean(strings.TrimPrefix(f.Path, "/"))
		if path.Base(p) == "go.mod" {
			mods = append(mods, f.Path)
			continue
		}
		dir := path.Dir(p)
		files[dir] = append(files[dir], f.Path)
		bytes[dir] += sizes[f.Path]
		total += sizes[f.Path]
	}
	alone := map[string]bool{}
	imports := map[string]map[string]bool{} // by folder
	for _, u := range units {
		dir := u.pkg.Dir
		if imports[dir] == nil {
			imports[dir] = map[string]bool{}
			alone[dir] = true
		}
		alone[dir] = alone[dir] && !slices.Contains(u.pkg.Generated, false)
		for _, dep := range u.local {
			imports[dir][dep.pkg.Dir] = true
		}
	}
	for dir, deps := range imports {
		for dep := range deps {
			if dep != dir {
				delete(alone, dep)
			}
		}
	}
	var dirs []string
	var size int64
	for dir, yes := range alone {
		if yes {
			dirs = append(dirs, dir)
			size += bytes[dir]
		}
	}
	if size < total/2 || size <= limit {
		return nil
	}
	slices.Sort(dirs)
	called := map[string]bool{}
	dirs = slices.DeleteFunc(dirs, func(dir string) bool {
		for dep := range imports[dir] {
			if !called[dep] {
				delete(alone, dir)
			}
		}
		if !alone[dir] {
			for dep := range imports[dir] {
				called[dep] = true
			}
		}
		return !alone[dir]
	})

	first := Part{Own: map[string]bool{}}
	for dir, list := range files {
		if !alone[dir] {
			first.Own[dir] = true
			first.Files = append(first.Files, list...)
		}
	}
	parts := []Part{first}
	var part *Part
	var there map[string]bool // folders of the part
	var n int64
	var take func(dir string)
	take = func(dir string) {
		if there[dir] {
			return
		}
		there[dir] = true
		part.Files = append(part.Files, files[dir]...)
		n += bytes[dir]
		for dep := range imports[dir] {
			take(dep)
		}
	}
	for _, dir := range dirs {
		if part == nil || n+bytes[dir] > limit && len(part.Own) > 0 {
			parts = append(parts, Part{Own: map[string]bool{}})
			part, there, n = &parts[len(parts)-1], map[string]bool{}, 0
		}
		part.Own[dir] = true
		take(dir)
	}
	for i := range parts {
		parts[i].Files = append(parts[i].Files, mods...)
		slices.Sort(parts[i].Files)
	}
	return parts
}

// Head is what Parts needs of a file: up to the end of its imports, or the whole file where it cannot be parsed that far.
func Head(data []byte) []byte {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", data, parser.ImportsOnly|parser.SkipObjectResolution)
	if err != nil || f == nil || !f.Name.Pos().IsValid() {
		return data
	}
	end := f.Name.End()
	for _, d := range f.Decls {
		end = max(end, d.End())
	}
	return append(slices.Clone(data[:fset.Position(end).Offset]), '\n')
}
