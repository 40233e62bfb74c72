package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// An objectStore reads a repository's objects. There are two, git and go-git, and a test holds them against each other.
type objectStore interface {
	// resolve finds the commit and the tree that a name stands for: errNoCommit if there is none of that name.
	resolve(ctx context.Context, ref string) (commit, tree string, err error)
	// branches returns the names of some references, to tell an empty repository from one whose HEAD leads nowhere.
	branches(ctx context.Context) ([]string, error)
	// list calls fn with each entry of a tree and its subtrees, except the trees themselves.
	list(ctx context.Context, tree string, fn func(treeEntry) error) error
	// sizes returns the sizes of blobs, or a negative number and the reason why there is none.
	sizes(ctx context.Context, ids []string) ([]int64, []string, error)
	// read calls fn for each blob in order, with its bytes or the reason why there are none.
	read(ctx context.Context, ids []string, fn func(i int, data []byte, reason string) error) error
	close() error
}

type treeEntry struct {
	path string // raw bytes
	mode uint32
	id   string
}

var errNoCommit = errors.New("no such commit")

// Reasons that both stores give.
const (
	reasonMissing = "the object is missing"
	reasonNotBlob = "the object is not a file"
)

// openStore opens the objects of a git folder.
func (o Options) openStore(dir, common string) (objectStore, error) {
	if git := o.gitProgram(); git != "" {
		return &gitStore{git: git, dir: dir, common: common, opt: o}, nil
	}
	return openGoGit(dir, common)
}

// checkRef refuses names that git could take for something else than a name.
func checkRef(ref string) error {
	if strings.HasPrefix(ref, "-") || strings.HasPrefix(ref, "+") || strings.ContainsAny(ref, "\x00\n\r \t:^~?*[\\") ||
		strings.Contains(ref, "..") || strings.Contains(ref, "@{") {
		return fmt.Errorf("%q is not the name of a branch, tag or commit", ref)
	}
	return nil
}

// ancestors is how an older commit is named from a newer one: HEAD~2, v1^. Only objects that are at hand can be named so.
var ancestors = regexp.MustCompile(`([~^][0-9]{0,4})+$`)

// openAtRef reads a work tree's repository at a commit.
func (r *Revision) openAtRef() error {
	g, reason := findGitDir(r.Repo.Dir)
	if g == nil {
		return fmt.Errorf(".git: %s", reason)
	}
	return r.openObjects(g.dir, g.common)
}

// openObjects lists a commit of the repository in a git folder.
func (r *Revision) openObjects(dir, common string) error {
	if !isBare(common) {
		return errors.New("not a git repository: HEAD, objects or refs is missing")
	}
	data, err := readSmall(filepath.Join(common, "config"), maxGitFileBytes)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("config: %w", underlying(err))
	}
	if r.Repo.URL == "" {
		r.Repo.URL = (&gitDir{config: parseConfig(data)}).origin()
	}
	r.gitDirs = append(r.gitDirs, dir, common)
	store, err := r.opt.openStore(dir, common)
	if err != nil {
		return err
	}
	r.clean = append(r.clean, store.close)
	ref := r.Repo.Ref
	if ref == "" {
		ref = "HEAD"
	}
	if err := checkRef(ancestors.ReplaceAllString(ref, "")); err != nil {
		return err
	}
	r.Commit, r.Tree, err = store.resolve(r.ctx, ref)
	if errors.Is(err, errNoCommit) {
		return r.noCommit(store, ref)
	}
	if err != nil {
		return err
	}
	if r.known() {
		return nil
	}
	return r.listTree(store)
}

// known leaves out the list of files where nobody needs it.
func (r *Revision) known() bool {
	if r.opt.Known == nil || !r.opt.Known(r) {
		return false
	}
	r.src = &objectReader{}
	r.setFiles(nil)
	return true
}

// noCommit decides whether a name without a commit is an empty repository or a mistake.
func (r *Revision) noCommit(store objectStore, ref string) error {
	names, err := store.branches(r.ctx)
	if err != nil {
		return err
	}
	if len(names) > 0 || r.Repo.Ref != "" {
		msg := fmt.Sprintf("%s has no commit", ref)
		if len(names) > 0 {
			msg += "; there are " + strings.Join(names, ", ")
		}
		return errors.New(escapePath(msg))
	}
	r.Notices = append(r.Notices, "no commits")
	r.src = &objectReader{}
	r.setFiles(nil)
	return nil
}

// listTree fills in files and problems from a tree.
func (r *Revision) listTree(store objectStore) error {
	var files []FileInfo
	n := 0
	err := store.list(r.ctx, r.Tree, func(e treeEntry) error {
		if n++; n > r.opt.MaxFiles {
			return fmt.Errorf("more than %d files", r.opt.MaxFiles)
		}
		path := escapePath(e.path)
		if reason := badPath(e.path); reason != "" {
			if len(r.Problems) < maxProblems {
				r.problem(Problem{Path: path, Stage: "list", Reason: reason + "; not read"})
			}
			return nil
		}
		if !r.opt.wants(path) {
			return nil
		}
		switch e.mode & 0o170000 {
		case modeLink:
			r.problem(Problem{Path: path, Stage: "list", Reason: reasonLink, Expected: true})
		case modeGitlink:
			r.problem(Problem{Path: path, Stage: "list", Reason: reasonSubmodule, Expected: true})
		case modeFile & 0o170000:
			files = append(files, FileInfo{Path: path, BlobID: e.id, Executable: e.mode&0o100 != 0, raw: e.path})
			r.nameProblem(path, e.path)
		default:
			r.problem(Problem{Path: path, Stage: "list", Reason: fmt.Sprintf("unknown mode %o", e.mode)})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("list files: %w", err)
	}
	ids := make([]string, len(files))
	for i, f := range files {
		ids[i] = f.BlobID
	}
	sizes, reasons, err := store.sizes(r.ctx, ids)
	if err != nil {
		return fmt.Errorf("sizes of files: %w", err)
	}
	kept := files[:0]
	for i, f := range files {
		f.Size = sizes[i]
		switch {
		case f.Size < 0:
			r.partial = true
			r.problem(Problem{Path: f.Path, Stage: "read", Reason: reasons[i]})
		case f.Size > r.opt.MaxFileBytes:
			r.problem(Problem{Path: f.Path, Stage: "read", Reason: errTooLarge(f.Size, r.opt.MaxFileBytes).Error()})
		default:
			kept = append(kept, f)
		}
	}
	r.src = &objectReader{store: store}
	r.setFiles(kept)
	return nil
}

// maxProblems limits how many refused paths of one tree are told.
const maxProblems = 1000

// Reasons for leaving something out on purpose.
const (
	reasonLink      = "a symbolic link; not followed"
	reasonLinkOut   = "a symbolic link that leads out of the repository; not followed"
	reasonSubmodule = "a submodule; scan its repository by itself"
	reasonNested    = "a repository of its own; scan it by itself"
	reasonSpecial   = "not a regular file"
	reasonChanged   = "changed while the scan was running"
)

// nameProblem notes a name that cannot be shown as it is.
func (r *Revision) nameProblem(path, raw string) {
	if !validName(raw) {
		r.problem(Problem{Path: path, Stage: "list", Reason: "the name is not UTF-8 or has control characters; shown with escapes",
			Expected: true})
	}
}

// objectReader reads a revision's files from an object store.
type objectReader struct{ store objectStore }

func (o *objectReader) read(ctx context.Context, files []*FileInfo, fn func(int, []byte, string) error) error {
	ids := make([]string, len(files))
	for i, f := range files {
		ids[i] = f.BlobID
	}
	return o.store.read(ctx, ids, fn)
}
