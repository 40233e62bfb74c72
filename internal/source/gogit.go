package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// goGitStore reads objects with go-git, for machines without git and for what git refuses.
type goGitStore struct{ repo *git.Repository }

// goGitCache is the memory that one repository's unpacked objects may take.
const goGitCache = 32 * cache.MiByte

// openGoGit opens a git folder; common differs from dir for linked work trees only.
func openGoGit(dir, common string) (_ objectStore, err error) {
	defer recovered(&err)
	var fs billy.Filesystem = regularFS{osfs.New(dir)}
	if common != dir {
		fs = dotgit.NewRepositoryFilesystem(fs, regularFS{osfs.New(common)})
	}
	lru := cache.NewObjectLRU(goGitCache)
	s := &sharedStorage{Storage: filesystem.NewStorage(fs, lru)}
	s.borrow(filepath.Join(common, "objects"), lru, map[string]bool{})
	repo, err := git.Open(s, nil)
	if err != nil {
		return nil, fmt.Errorf("go-git: %w", err)
	}
	return &goGitStore{repo: repo}, nil
}

// sharedStorage looks for objects in the repository and then in those that it borrows from (gitrepository-layout,
// objects/info/alternates). go-git has this for single objects only, without sizes and without a second step.
type sharedStorage struct {
	*filesystem.Storage
	lenders []*filesystem.Storage
}

// maxLenders is the number of repositories that one may borrow from; git follows five steps.
const maxLenders = 16

func (s *sharedStorage) borrow(objects string, lru cache.Object, seen map[string]bool) {
	seen[objects] = true
	data, err := readSmall(filepath.Join(objects, "info", "alternates"), 64<<10)
	if err != nil {
		return
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(objects, line)
		}
		line = filepath.Clean(line)
		if seen[line] || len(s.lenders) >= maxLenders || filepath.Base(line) != "objects" {
			continue
		}
		s.lenders = append(s.lenders, filesystem.NewStorage(regularFS{osfs.New(filepath.Dir(line))}, lru))
		s.borrow(line, lru, seen)
	}
}

// EncodedObject returns an object of the repository or of a lender.
func (s *sharedStorage) EncodedObject(t plumbing.ObjectType, id plumbing.Hash) (plumbing.EncodedObject, error) {
	o, err := s.Storage.EncodedObject(t, id)
	for i := 0; errors.Is(err, plumbing.ErrObjectNotFound) && i < len(s.lenders); i++ {
		o, err = s.lenders[i].EncodedObject(t, id)
	}
	return o, err
}

// EncodedObjectSize returns the size of an object without unpacking it.
func (s *sharedStorage) EncodedObjectSize(id plumbing.Hash) (int64, error) {
	n, err := s.Storage.EncodedObjectSize(id)
	for i := 0; errors.Is(err, plumbing.ErrObjectNotFound) && i < len(s.lenders); i++ {
		n, err = s.lenders[i].EncodedObjectSize(id)
	}
	return n, err
}

// HasEncodedObject returns nil if the object is there.
func (s *sharedStorage) HasEncodedObject(id plumbing.Hash) error {
	err := s.Storage.HasEncodedObject(id)
	for i := 0; err != nil && i < len(s.lenders); i++ {
		err = s.lenders[i].HasEncodedObject(id)
	}
	return err
}

// regularFS opens regular files only. go-git waits for ever for the other end of a pipe, and cannot be told to stop.
type regularFS struct{ billy.Filesystem }

func (fs regularFS) Open(name string) (billy.File, error) {
	return fs.OpenFile(name, os.O_RDONLY, 0)
}

func (fs regularFS) OpenFile(name string, flag int, perm os.FileMode) (billy.File, error) {
	if st, err := fs.Stat(name); err == nil && !st.Mode().IsRegular() && !st.IsDir() {
		return nil, &os.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	}
	return fs.Filesystem.OpenFile(name, flag, perm)
}

func (fs regularFS) Chroot(path string) (billy.Filesystem, error) {
	sub, err := fs.Filesystem.Chroot(path)
	return regularFS{sub}, err
}

// recovered turns a panic of the library, which parses hostile bytes, into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("go-git: %v", p)
	}
}

func (s *goGitStore) close() (err error) {
	defer recovered(&err)
	shared, ok := s.repo.Storer.(*sharedStorage)
	if !ok {
		return nil
	}
	for _, lender := range shared.lenders {
		err = errors.Join(err, lender.Close())
	}
	return errors.Join(err, shared.Storage.Close())
}

func (s *goGitStore) resolve(_ context.Context, ref string) (commit, tree string, err error) {
	defer recovered(&err)
	var id plumbing.Hash
	if ref == "HEAD" {
		head, err := s.repo.Head()
		if errors.Is(err, plumbing.ErrReferenceNotFound) {
			return "", "", errNoCommit
		}
		if err != nil {
			return "", "", fmt.Errorf("go-git: HEAD: %w", err)
		}
		id = head.Hash()
	} else {
		found, err := s.repo.ResolveRevision(plumbing.Revision(ref))
		if err != nil {
			if hexID.MatchString(ref) {
				return "", "", fmt.Errorf("commit %s is missing or damaged", ref)
			}
			return "", "", errNoCommit
		}
		id = *found
	}
	c, err := s.repo.CommitObject(id)
	if err != nil {
		return "", "", fmt.Errorf("%s names commit %s, which is missing or damaged", ref, id)
	}
	if s.repo.Storer.HasEncodedObject(c.TreeHash) != nil {
		return "", "", fmt.Errorf("%s names commit %s, whose tree is missing", ref, id)
	}
	return id.String(), c.TreeHash.String(), nil
}

func (s *goGitStore) branches(context.Context) (names []string, err error) {
	defer recovered(&err)
	it, err := s.repo.References()
	if err != nil {
		return nil, err
	}
	err = it.ForEach(func(r *plumbing.Reference) error {
		if r.Type() == plumbing.HashReference && r.Name() != plumbing.HEAD {
			names = append(names, r.Name().String())
		}
		if len(names) == 5 {
			return storer.ErrStop
		}
		return nil
	})
	return names, err
}

func (s *goGitStore) list(ctx context.Context, tree string, fn func(treeEntry) error) (err error) {
	defer recovered(&err)
	return s.walk(ctx, plumbing.NewHash(tree), "", 0, fn)
}

func (s *goGitStore) walk(ctx context.Context, id plumbing.Hash, prefix string, depth int, fn func(treeEntry) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if depth > 2000 {
		return errors.New("folders are nested too deeply")
	}
	t, err := object.GetTree(s.repo.Storer, id)
	if err != nil {
		return fmt.Errorf("tree %s of %q: %w", id, prefix, err)
	}
	for _, e := range t.Entries {
		if e.Mode == filemode.Dir {
			if err := s.walk(ctx, e.Hash, prefix+e.Name+"/", depth+1, fn); err != nil {
				return err
			}
			continue
		}
		if err := fn(treeEntry{path: prefix + e.Name, mode: uint32(e.Mode), id: e.Hash.String()}); err != nil {
			return err
		}
	}
	return nil
}

func (s *goGitStore) sizes(ctx context.Context, ids []string) ([]int64, []string, error) {
	sizes, reasons := make([]int64, len(ids)), make([]string, len(ids))
	for i, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		sizes[i], reasons[i] = s.size(id)
	}
	return sizes, reasons, nil
}

func (s *goGitStore) size(id string) (size int64, reason string) {
	defer func() {
		if p := recover(); p != nil {
			size, reason = -1, fmt.Sprintf("the object is damaged: %v", p)
		}
	}()
	size, err := s.repo.Storer.EncodedObjectSize(plumbing.NewHash(id))
	if err != nil {
		return -1, objectReason(err)
	}
	return size, ""
}

func objectReason(err error) string {
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return reasonMissing
	}
	return "the object is damaged: " + err.Error()
}

func (s *goGitStore) read(ctx context.Context, ids []string, fn func(i int, data []byte, reason string) error) error {
	for i, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, reason := s.blob(id)
		if err := fn(i, data, reason); err != nil {
			return err
		}
	}
	return nil
}

func (s *goGitStore) blob(id string) (data []byte, reason string) {
	defer func() {
		if p := recover(); p != nil {
			data, reason = nil, fmt.Sprintf("the object is damaged: %v", p)
		}
	}()
	obj, err := s.repo.Storer.EncodedObject(plumbing.AnyObject, plumbing.NewHash(id))
	if err != nil {
		return nil, objectReason(err)
	}
	if obj.Type() != plumbing.BlobObject {
		return nil, reasonNotBlob
	}
	rd, err := obj.Reader()
	if err != nil {
		return nil, objectReason(err)
	}
	defer rd.Close()
	data, err = io.ReadAll(io.LimitReader(rd, obj.Size()+1))
	if err != nil {
		return nil, objectReason(err)
	}
	if int64(len(data)) != obj.Size() {
		return nil, "the object is damaged: its length is wrong"
	}
	return data, ""
}
