package gosrc

import (
	"bytes"
	"errors"
	"fmt"
	"go/build"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

// A source is one Go file that takes part.
type source struct {
	path   string
	data   []byte // dropped after parsing
	parsed *parsedFile
}

// A module is one go.mod file.
type module struct {
	dir       string // folder of the go.mod file, "." for the root
	path      string
	goVersion string
	versions  map[string]string // module path -> version
	local     map[string]string // module path -> folder in the repository that replaces it
}

// sift picks the Go files of the one configuration and reads the go.mod files, both sorted by path.
func (l *loader) sift(files []File) ([]*source, map[string]*module) {
	files = slices.Clone(files)
	for i := range files {
		files[i].Path = path.Clean(strings.TrimPrefix(files[i].Path, "/"))
	}
	slices.SortStableFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	files = slices.CompactFunc(files, func(a, b File) bool { return a.Path == b.Path })

	matcher := newConstraints(l.opt)
	skipDir := make(map[string]bool)
	modules := make(map[string]*module)
	var sources []*source
	for _, f := range files {
		dir, base := path.Split(f.Path)
		isMod := base == "go.mod"
		if !isMod && !strings.HasSuffix(base, ".go") {
			continue
		}
		dir = path.Clean(dir)
		skip, known := skipDir[dir]
		if !known {
			skip = skippedFolder(dir)
			skipDir[dir] = skip
		}
		if skip || (!isMod && (base[0] == '_' || base[0] == '.' || (!l.opt.Tests && strings.HasSuffix(base, "_test.go")))) {
			continue
		}
		if int64(len(f.Data)) > l.opt.MaxFileBytes {
			l.problem(Problem{Path: f.Path, Kind: ProblemTooLarge,
				Msg: fmt.Sprintf("%d bytes, more than %d", len(f.Data), l.opt.MaxFileBytes)})
			continue
		}
		if isMod {
			modules[dir] = l.readModule(f, dir)
			continue
		}
		if !matcher.match(dir, base, f.Data) {
			l.excluded = append(l.excluded, f.Path)
			continue
		}
		sources = append(sources, &source{path: f.Path, data: f.Data})
	}
	return sources, modules
}

// skippedFolder says whether the go command, or common sense, ignores what lies in the folder.
func skippedFolder(dir string) bool {
	if dir == "." {
		return false
	}
	for elem := range strings.SplitSeq(dir, "/") {
		switch {
		case elem == "vendor", elem == "node_modules", elem == "testdata":
			return true
		case strings.HasPrefix(elem, "_"), strings.HasPrefix(elem, "."):
			return true
		}
	}
	return false
}

// constraints evaluates build constraints, in file names and in comments, as the go command does.
type constraints struct {
	ctx  build.Context
	data []byte // of the file being looked at
}

func newConstraints(opt Options) *constraints {
	c := &constraints{ctx: build.Default}
	c.ctx.GOOS, c.ctx.GOARCH, c.ctx.CgoEnabled, c.ctx.Compiler = opt.GOOS, opt.GOARCH, true, "gc"
	c.ctx.BuildTags, c.ctx.ToolTags = nil, nil // the environment's belong to another build
	c.ctx.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c.data)), nil }
	c.ctx.JoinPath = path.Join
	return c
}

func (c *constraints) match(dir, base string, data []byte) bool {
	c.data = data
	ok, err := c.ctx.MatchFile(dir, base)
	// An error is one of reading the header, not of the constraint. The parser will have more to say.
	return ok || err != nil
}

// readModule reads a go.mod file. Lines that cannot be read are reported and left out; the rest counts.
func (l *loader) readModule(f File, dir string) *module {
	m := &module{dir: dir, versions: make(map[string]string), local: make(map[string]string)}
	keep := func(_, version string) (string, error) { return version, nil } // branches and "latest" are versions, too
	data := bytes.Clone(f.Data)

	var mod *modfile.File
	for range 4 { // a blanked line can uncover one more error, but a file of nothing else is not worth the time
		var err error
		// Lax, because a newer go command may know directives that this one does not.
		if mod, err = modfile.ParseLax(f.Path, data, keep); err == nil {
			break
		}
		mod = nil
		if !l.blankErrors(f.Path, data, err) {
			break
		}
	}
	if mod == nil {
		m.path = modfile.ModulePath(f.Data)
		return m
	}

	if mod.Module != nil {
		m.path = mod.Module.Mod.Path
	}
	if mod.Go != nil {
		m.goVersion = mod.Go.Version
	}
	for _, req := range mod.Require {
		m.versions[req.Mod.Path] = req.Mod.Version
	}
	for _, stmt := range mod.Syntax.Stmt {
		switch stmt := stmt.(type) {
		case *modfile.Line:
			if len(stmt.Token) > 0 && stmt.Token[0] == "replace" {
				m.replace(stmt.Token[1:])
			}
		case *modfile.LineBlock:
			if len(stmt.Token) > 0 && stmt.Token[0] == "replace" {
				for _, line := range stmt.Line {
					m.replace(line.Token)
				}
			}
		}
	}
	return m
}

// blankErrors reports the errors and blanks their lines in data. It returns false if there is no line to blank.
func (l *loader) blankErrors(name string, data []byte, err error) bool {
	var list modfile.ErrorList
	if !errors.As(err, &list) {
		l.problem(Problem{Path: name, Kind: ProblemGoMod, Msg: err.Error()})
		return false
	}
	blanked := false
	for _, e := range list {
		msg := e.Verb
		if e.Err != nil {
			msg = e.Err.Error()
		}
		l.problem(Problem{Path: name, Line: e.Pos.Line, Col: e.Pos.LineRune, Kind: ProblemGoMod, Msg: msg})
		if blankLine(data, e.Pos.Line) {
			blanked = true
		}
	}
	return blanked
}

// blankLine overwrites a line, counted from 1, with spaces. It returns false if there was nothing in it.
func blankLine(data []byte, line int) bool {
	for n := 1; n < line; n++ {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			return false
		}
		data = data[i+1:]
	}
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		data = data[:i]
	}
	had := len(bytes.TrimSpace(data)) > 0
	for i := range data {
		data[i] = ' '
	}
	return had && line > 0
}

// replace takes in the words of one replace directive: old [version] => new [version].
func (m *module) replace(words []string) {
	arrow := slices.Index(words, "=>")
	if arrow < 1 || arrow+1 >= len(words) {
		return
	}
	from, to := unquote(words[0]), unquote(words[arrow+1])
	if arrow == 2 && m.versions[from] != words[1] {
		return // replaces a version that is not the required one
	}
	if strings.HasPrefix(to, "./") || strings.HasPrefix(to, "../") || to == "." || to == ".." {
		if dir := path.Join(m.dir, to); dir != ".." && !strings.HasPrefix(dir, "../") {
			m.local[from] = dir
		}
		return
	}
	if arrow+2 < len(words) {
		m.versions[from] = unquote(words[arrow+2])
		m.versions[to] = unquote(words[arrow+2])
	}
}

func unquote(s string) string {
	if t, err := strconv.Unquote(s); err == nil {
		return t
	}
	return s
}

// ruling returns the module whose go.mod file is nearest above the folder, or nil.
func ruling(modules map[string]*module, dir string) *module {
	for {
		if m := modules[dir]; m != nil {
			return m
		}
		if dir == "." {
			return nil
		}
		dir = path.Dir(dir)
	}
}

// importPath returns the path under which the folder is imported.
func importPath(m *module, dir string) string {
	rel, root := dir, ""
	if m != nil && m.path != "" {
		root = m.path
		switch {
		case m.dir == dir:
			return root
		case m.dir != ".":
			rel = strings.TrimPrefix(dir, m.dir+"/")
		}
		return root + "/" + rel
	}
	if dir == "." {
		return "main"
	}
	if isStd(dir) {
		return "_/" + dir // else its functions would pass for those of the standard library
	}
	return dir
}
