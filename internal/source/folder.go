package source

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A folder is a revision that lies in a folder, with or without git.
type folder struct {
	rev      *Revision
	root     *os.Root
	prefix   string // where the folder lies in its work tree, with a slash at the end; "" at the top
	git      *gitDir
	index    *index
	tracked  map[string]*indexEntry // by raw path in the work tree; nil if not known
	holds    map[string]bool        // folders with tracked files below
	fold     bool                   // names differ by more than case
	hashSize int
	seen     int
	files    []FileInfo
}

// maxDepth is how deeply folders may be nested.
const maxDepth = 500

// openFolder lists a work tree or a plain folder and hashes the wanted files.
//
// A damaged .git costs the commit and the knowledge of which ignored files are tracked, not the files: they lie there and
// are read, and the damage is a problem that makes the scan incomplete.
func (r *Revision) openFolder() error {
	root, err := os.OpenRoot(r.Repo.Dir)
	if err != nil {
		return underlying(err)
	}
	r.clean = append(r.clean, root.Close)
	f := &folder{rev: r, root: root, hashSize: 20}
	var lists []*ignoreList
	onlyTracked := false
	if r.Repo.Kind == WorkTree {
		f.openGit()
		lists = f.excludes(f.git)
	} else {
		lists, onlyTracked = f.openEnclosing()
	}
	if err := f.walk("", lists, onlyTracked, 0); err != nil {
		return err
	}
	if f.seen == 0 {
		r.Notices = append(r.Notices, "empty folder")
	}
	if err := f.hash(); err != nil {
		return err
	}
	r.src = f
	r.setFiles(f.files)
	r.Tree = f.treeName()
	if r.Commit != "" && !r.Dirty {
		r.Dirty = f.differs()
	}
	return nil
}

func (f *folder) gitProblem(reason string) {
	f.rev.problem(Problem{Path: ".git", Stage: "git", Reason: reason, Expected: reason == errForeign})
}

// openGit reads what the work tree's own git folder says.
func (f *folder) openGit() {
	r := f.rev
	g, reason := findGitDir(r.Repo.Dir)
	if g == nil {
		f.gitProblem(reason)
		return
	}
	f.git = g
	r.gitDirs = append(r.gitDirs, g.dir, g.common)
	f.hashSize = g.hashSize()
	if r.Repo.URL == "" {
		r.Repo.URL = g.origin()
	}
	ix, err := r.opt.readIndex(r.ctx, g)
	if err != nil {
		f.gitProblem("index: " + underlying(err).Error())
	} else {
		f.setIndex(ix)
	}
	store, err := r.opt.openStore(g.dir, g.common)
	if err != nil {
		f.gitProblem(err.Error())
		return
	}
	defer store.close()
	commit, tree, err := store.resolve(r.ctx, "HEAD")
	switch {
	case errors.Is(err, errNoCommit):
		r.Notices = append(r.Notices, "no commits")
	case err != nil:
		f.gitProblem(err.Error())
	default:
		r.Commit = commit
		r.Dirty = ix == nil || ix.treeID(f.hashSize) != tree
	}
}

func (f *folder) setIndex(ix *index) {
	f.index = ix
	f.tracked = make(map[string]*indexEntry, len(ix.entries))
	f.holds = map[string]bool{}
	for i := range ix.entries {
		e := &ix.entries[i]
		f.tracked[e.path] = e
		for dir := e.path; ; {
			cut := strings.LastIndexByte(dir, '/')
			if cut < 0 || f.holds[dir[:cut]] {
				break
			}
			dir = dir[:cut]
			f.holds[dir] = true
		}
	}
}

// readIndex reads the index of a git folder; one that does not exist is empty.
func (o Options) readIndex(ctx context.Context, g *gitDir) (*index, error) {
	data, err := readSmall(filepath.Join(g.dir, "index"), maxIndexBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return &index{}, nil
	}
	if err != nil {
		return nil, err
	}
	ix, err := parseIndex(data, g.hashSize())
	if err != nil || !ix.split {
		return ix, err
	}
	// A split index keeps most entries in a second file, in a form of its own. Git can tell them without touching the
	// work tree.
	git := o.gitProgram()
	if git == "" {
		return nil, errors.New("the index is split, which only git can read")
	}
	out, err := runGit(ctx, git, env(g.dir, "none"), min(o.GitTimeout, shortTimeout), "", "ls-files", "-s", "-z")
	if err != nil {
		return nil, err
	}
	ix = &index{}
	for rec := range strings.SplitSeq(string(out), "\x00") {
		meta, path, ok := strings.Cut(rec, "\t")
		fields := strings.Fields(meta)
		if !ok || len(fields) != 3 {
			continue
		}
		mode, _ := strconv.ParseUint(fields[0], 8, 32)
		id, _ := hex.DecodeString(fields[1])
		stage, _ := strconv.Atoi(fields[2])
		ix.entries = append(ix.entries, indexEntry{path: path, mode: uint32(mode), id: id, stage: stage})
	}
	return ix, nil
}

// excludes returns the ignore rules that lie in a git folder.
func (f *folder) excludes(g *gitDir) []*ignoreList {
	if g == nil {
		return nil
	}
	f.fold = strings.EqualFold(g.config.get("core", "", "ignorecase"), "true")
	data, err := readSmall(filepath.Join(g.common, "info", "exclude"), maxIgnoreBytes)
	if err != nil {
		return nil
	}
	return []*ignoreList{parseIgnore(data, "", f.fold)}
}

// openEnclosing finds out whether a plain folder is a part of a work tree: whether a folder above is one and tracks files
// in here. Then that tree's ignore rules hold. The folder keeps no commit, since its paths are not the commit's.
func (f *folder) openEnclosing() (lists []*ignoreList, onlyTracked bool) {
	dir := f.rev.Repo.Dir
	top := filepath.Dir(dir)
	for {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			break
		}
		up := filepath.Dir(top)
		if up == top {
			return nil, false
		}
		top = up
	}
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return nil, false
	}
	rel = filepath.ToSlash(rel)
	g, _ := findGitDir(top)
	if g == nil {
		return nil, false
	}
	ix, err := f.rev.opt.readIndex(f.rev.ctx, g)
	if err != nil || !slices.ContainsFunc(ix.entries, func(e indexEntry) bool { return within(e.path, rel) }) {
		return nil, false
	}
	f.setIndex(ix)
	f.prefix = rel + "/"
	lists = f.excludes(g)
	above := ""
	for part := range strings.SplitSeq(rel, "/") {
		if data, err := readSmall(filepath.Join(top, filepath.FromSlash(above), ".gitignore"), maxIgnoreBytes); err == nil {
			lists = append(lists, parseIgnore(data, above, f.fold))
		}
		above = strings.TrimPrefix(above+"/"+part, "/")
		if ignored(lists, above, true) {
			return lists, true
		}
	}
	return lists, false
}

// walk lists one folder and those below it; dir is "" or a raw path relative to the root. With onlyTracked nothing is
// taken but what the index names: the folder is ignored, or belongs to another repository.
func (f *folder) walk(dir string, lists []*ignoreList, onlyTracked bool, depth int) error {
	r := f.rev
	if err := r.ctx.Err(); err != nil {
		return err
	}
	listProblem := func(reason string) {
		path := escapePath(dir)
		if path == "" {
			path = "."
		}
		r.problem(Problem{Path: path, Stage: "list", Reason: reason})
	}
	if depth > maxDepth {
		listProblem(fmt.Sprintf("folders are nested more than %d deep", maxDepth))
		return nil
	}
	entries, err := f.readDir(dir)
	if err != nil {
		if dir == "" {
			return underlying(err)
		}
		listProblem(underlying(err).Error())
		if len(entries) == 0 {
			return nil
		}
	}
	join := func(name string) string {
		if dir == "" {
			return name
		}
		return dir + "/" + name
	}
	own := false
	for _, e := range entries {
		switch e.Name() {
		case ".git":
			own = dir != ""
		case ".gitignore":
			if onlyTracked || r.Repo.Kind == Plain && f.index == nil || !e.Type().IsRegular() {
				break
			}
			data, err := f.readFile(join(".gitignore"), maxIgnoreBytes)
			if err != nil {
				r.problem(Problem{Path: escapePath(join(".gitignore")), Stage: "list", Reason: err.Error()})
				break
			}
			lists = append(slices.Clip(lists), parseIgnore(data, strings.TrimSuffix(f.prefix+dir, "/"), f.fold))
		}
	}
	if own && !onlyTracked {
		r.problem(Problem{Path: escapePath(dir), Stage: "list", Reason: reasonNested, Expected: true})
		onlyTracked = true
	}
	for _, e := range entries {
		if e.Name() == ".git" {
			continue
		}
		if f.seen++; f.seen > r.opt.MaxFiles {
			return fmt.Errorf("more than %d files", r.opt.MaxFiles)
		}
		if err := f.entry(join(e.Name()), e.Type(), lists, onlyTracked, depth); err != nil {
			return err
		}
	}
	return nil
}

// entry takes one entry of a folder into the list, or goes into it.
func (f *folder) entry(raw string, mode fs.FileMode, lists []*ignoreList, onlyTracked bool, depth int) error {
	r := f.rev
	path := escapePath(raw)
	inTree := f.prefix + raw
	if mode.IsDir() {
		if r.opt.FilterDir != nil && !r.opt.FilterDir(path) {
			return nil
		}
		if e := f.tracked[inTree]; e != nil && e.mode == modeGitlink {
			r.problem(Problem{Path: path, Stage: "list", Reason: reasonSubmodule, Expected: true})
			return nil
		}
		if onlyTracked || ignored(lists, inTree, true) {
			if !f.holds[inTree] {
				return nil
			}
			onlyTracked = true
		}
		return f.walk(raw, lists, onlyTracked, depth+1)
	}
	if r.opt.Filter != nil && !r.opt.Filter(path) {
		return nil
	}
	if f.tracked[inTree] == nil && (onlyTracked || ignored(lists, inTree, false)) {
		return nil
	}
	f.nameProblem(path, raw)
	switch {
	case mode.IsRegular():
		f.files = append(f.files, FileInfo{Path: path, raw: raw})
	case mode&fs.ModeSymlink != 0:
		reason := reasonLink
		if f.leadsOut(raw) {
			reason = reasonLinkOut
		}
		r.problem(Problem{Path: path, Stage: "list", Reason: reason, Expected: true})
	default:
		r.problem(Problem{Path: path, Stage: "list", Reason: reasonSpecial, Expected: true})
	}
	return nil
}

func (f *folder) nameProblem(path, raw string) { f.rev.nameProblem(path, raw) }

// leadsOut tells whether a link's text points out of the folder. It looks at the text alone.
func (f *folder) leadsOut(raw string) bool {
	target, err := f.root.Readlink(filepath.FromSlash(raw))
	if err != nil || filepath.IsAbs(target) {
		return true
	}
	return !filepath.IsLocal(filepath.Join(filepath.Dir(filepath.FromSlash(raw)), target))
}

// readDir lists a folder. It does not go through the root, which asks the system about every single entry and takes twice
// the time; files do, so a folder that is exchanged for a link in this moment gives names and no bytes.
func (f *folder) readDir(dir string) ([]fs.DirEntry, error) {
	flags := os.O_RDONLY
	if dir != "" { // the user may have named a link
		flags |= openFlags
	}
	d, err := os.OpenFile(filepath.Join(f.rev.Repo.Dir, filepath.FromSlash(dir)), flags, 0)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

func (f *folder) readFile(raw string, max int64) ([]byte, error) {
	file, err := f.root.OpenFile(filepath.FromSlash(raw), os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, underlying(err)
	}
	defer file.Close()
	data, err := readRegular(file, max)
	if err != nil {
		return nil, underlying(err)
	}
	return data, nil
}

// hash reads every wanted file once and names its content. Files that cannot be read leave the list.
func (f *folder) hash() error {
	kept := f.files[:0]
	for _, file := range f.files {
		if err := f.rev.ctx.Err(); err != nil {
			return err
		}
		data, mode, err := f.readWanted(file.raw)
		if err != nil {
			f.rev.problem(Problem{Path: file.Path, Stage: "read", Reason: err.Error()})
			continue
		}
		file.Size = int64(len(data))
		file.Executable = mode&0o100 != 0
		id := objectID("blob", data, f.hashSize)
		file.BlobID = hex.EncodeToString(id)
		if e := f.tracked[f.prefix+file.raw]; f.rev.Commit != "" && !f.rev.Dirty {
			f.rev.Dirty = e == nil || !bytes.Equal(id, e.id) && !f.sameText(data, e.id)
		}
		kept = append(kept, file)
	}
	f.files = kept
	return nil
}

func (f *folder) readWanted(raw string) ([]byte, fs.FileMode, error) {
	file, err := f.root.OpenFile(filepath.FromSlash(raw), os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, 0, underlying(err)
	}
	defer file.Close()
	st, err := file.Stat()
	if err != nil {
		return nil, 0, underlying(err)
	}
	if data, ok := f.overlaid(raw); ok && st.Mode().IsRegular() {
		return data, st.Mode(), nil
	}
	data, err := readRegular(file, f.rev.opt.MaxFileBytes)
	if err != nil {
		return nil, 0, underlying(err)
	}
	return data, st.Mode(), nil
}

// overlaid is what stands for a file's bytes.
func (f *folder) overlaid(raw string) ([]byte, bool) {
	if f.rev.opt.Overlay == nil {
		return nil, false
	}
	data, ok := f.rev.opt.Overlay(filepath.Join(f.rev.Repo.Dir, filepath.FromSlash(raw)))
	if !ok || int64(len(data)) > f.rev.opt.MaxFileBytes {
		return nil, false
	}
	return bytes.Clone(data), true // the bytes that are read belong to the reader
}

// sameText tells whether the work tree's file is the committed one but for line ends that git converts.
func (f *folder) sameText(data, id []byte) bool {
	if !bytes.Contains(data, []byte("\r\n")) {
		return false
	}
	return bytes.Equal(objectID("blob", bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), f.hashSize), id)
}

// differs tells whether a wanted file of the index is missing in the folder.
func (f *folder) differs() bool {
	for _, e := range f.index.entries {
		regular := e.mode == modeFile || e.mode == modeExec
		path := escapePath(e.path)
		if _, ok := f.rev.byPath[path]; ok || !regular || e.skipped || e.stage != 0 || !f.rev.opt.wants(path) {
			continue
		}
		if !slices.ContainsFunc(f.rev.Problems, func(p Problem) bool { return p.Path == path }) {
			return true
		}
	}
	return false
}

// treeName names the content of the wanted files, and what could not be read.
func (f *folder) treeName() string {
	h := sha256.New()
	for _, file := range f.rev.files {
		fmt.Fprintf(h, "%s\x00%s\x00%t\n", file.Path, file.BlobID, file.Executable)
	}
	for _, p := range f.rev.Problems {
		fmt.Fprintf(h, "%s\x00%s\x00%s\n", p.Path, p.Stage, p.Reason)
	}
	return "files-" + hex.EncodeToString(h.Sum(nil))
}

func (f *folder) read(ctx context.Context, files []*FileInfo, fn func(int, []byte, string) error) error {
	for i, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, _, err := f.readWanted(file.raw)
		reason := ""
		if err != nil {
			reason = err.Error()
		} else if hex.EncodeToString(objectID("blob", data, f.hashSize)) != file.BlobID {
			// Facts of these bytes would be kept under the name of others.
			data, reason = nil, reasonChanged
		}
		if err := fn(i, data, reason); err != nil {
			return err
		}
	}
	return nil
}
