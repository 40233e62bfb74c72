// Package source finds what a scan reads: folders, folders of repositories, bare repositories, URLs and manifests become
// revisions, and a revision is a list of files whose bytes can be had.
//
// [Discover] and [ReadManifest] name repositories without opening them. [Open] opens one. A folder with a work tree is
// read as it lies, with ignored files left out; a bare repository and a URL are read at a commit, without a checkout.
//
// Nothing that a scanned repository brings along is run. A work tree is listed by this package itself: its index and its
// ignore files are data, and no git command looks at its attributes, filters or monitors. Git (or go-git, where there is no
// git) only resolves names and hands out objects, in an environment that is built from nothing (see env in gitcmd.go): no
// configuration of the user or the system, no hooks, no prompts, no transport when objects are read. Symbolic links are
// never followed, and no file outside the folder is opened.
//
// What a reader must know of an input goes to one of three places: an error when the repository cannot be opened at all,
// a [Problem] when a part of it cannot be read, a notice when there is nothing to read and nobody is to blame.
//
// The order of everything is by path, so the same input gives the same output.
package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Kind says in which form a repository lies.
type Kind int

// The kinds of repositories. With KindUnknown, Open looks at Dir and decides.
const (
	KindUnknown Kind = iota
	WorkTree         // a folder with a .git folder or file
	Bare             // a repository without a work tree
	Plain            // a folder without .git
	Remote           // a URL
)

// String returns the kind in one word.
func (k Kind) String() string {
	switch k {
	case WorkTree:
		return "work-tree"
	case Bare:
		return "bare"
	case Plain:
		return "plain"
	case Remote:
		return "remote"
	}
	return "unknown"
}

// Repo is one repository to scan.
type Repo struct {
	// Name is the last element of the folder or URL without ".git", or the manifest's name. [Merge] says how names are made
	// unique.
	Name string
	// URL is the address as given, or that of the remote "origin" (known after Open), without credentials; "" if there is none.
	URL string
	// Dir is the absolute folder of a work tree, a bare repository or a plain folder; "" for a URL.
	Dir string
	// Kind is the form of the repository.
	Kind Kind
	// Ref is the branch, tag or commit to read; "" means HEAD, or for a work tree the files as they lie. A local repository
	// also takes a way from a name to a commit, such as HEAD~1.
	Ref string
	// Group is the manifest's word for what the repository belongs to, or its owner in a listing.
	Group string
	// Head and HeadTree are the commit and the tree that a listing told for the default branch of a URL; "" if unknown. They
	// save a fetch where facts of that tree are known, and decide nothing else.
	Head, HeadTree string
	// Weight is how much work the repository is, in the same unit as its neighbours; 0 if unknown. Shards are balanced by it.
	Weight int64
}

// place is what two mentions of the same repository have in common.
func (r Repo) place() string {
	if r.Dir != "" {
		return "dir " + r.Dir + " " + r.Ref
	}
	return "url " + r.URL + " " + r.Ref
}

// where is the repository's place in messages.
func (r Repo) where() string {
	if r.Dir != "" {
		return r.Dir
	}
	return r.URL
}

// UsageError is a mistake of the caller: a path that does not exist, a URL with a scheme that is not read, a manifest
// that cannot be understood. Nothing was scanned.
type UsageError struct {
	Arg    string // the argument or file
	Reason string
}

// Error returns the argument and what is wrong with it.
func (e *UsageError) Error() string { return e.Arg + ": " + e.Reason }

// OpenError says that nothing of a repository could be read.
type OpenError struct {
	Place  string // the folder or URL
	Reason string // without the place and without other paths of this machine, fit for a report
	Err    error
}

// Error returns the place and the cause, for people at this machine.
func (e *OpenError) Error() string { return "open " + e.Place + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *OpenError) Unwrap() error { return e.Err }

// Problem is a part of a repository that was not read, or not in full.
type Problem struct {
	Path   string // "" for the repository as a whole
	Stage  string // "git", "list" or "read"
	Reason string // without paths of this machine
	// Expected marks what is left out by design, such as a symbolic link: counted, but no reason to call the scan incomplete.
	Expected bool
}

// FileInfo is one file of a revision.
type FileInfo struct {
	// Path is relative to the repository, with forward slashes. Bytes that are not UTF-8, control characters and
	// backslashes are written as \xNN and \\, so a path is always printable and two paths never agree.
	Path string
	// Size is the number of bytes.
	Size int64
	// BlobID is git's name for the content. It is computed from the bytes of a work tree, never taken from its index,
	// so that an index that lies cannot poison a cache. "" if unknown.
	BlobID string
	// Executable says whether the file's mode has an executable bit for its owner.
	Executable bool

	raw string // the path's bytes, with forward slashes
}

// Token is a secret for one host. It prints as stars.
type Token struct {
	User   string // "" means "x-access-token", which GitHub, GitLab and Gitea accept
	Secret string
}

// String hides the secret.
func (Token) String() string { return "***" }

// GoString hides the secret.
func (Token) GoString() string { return "***" }

// Limits that hold where Options leave them at zero.
const (
	// DefaultMaxFileBytes is the size above which a file is not read. The largest hand-written source files are below 1 MB,
	// generated ones reach a few.
	DefaultMaxFileBytes = 8 << 20
	// DefaultMaxFiles is the number of files above which a tree is taken for an attack (a tree of ten levels that each name
	// the next one ten times has ten thousand million paths and ten objects).
	DefaultMaxFiles = 2_000_000
	// DefaultGitTimeout is the time that a git process may be silent, and the whole time a fetch may take.
	DefaultGitTimeout = 10 * time.Minute
	// DefaultMaxFetchBytes is the size on disk above which a fetch is stopped.
	DefaultMaxFetchBytes = 8 << 30
)

// Options say how repositories are opened. The zero value reads everything, with git where it is installed.
type Options struct {
	// MaxFileBytes is the largest file that is read; 0 means DefaultMaxFileBytes.
	MaxFileBytes int64
	// MaxFiles is the largest number of files of one repository; 0 means DefaultMaxFiles.
	MaxFiles int
	// MaxFetchBytes is the largest size of what is fetched from a URL; 0 means DefaultMaxFetchBytes.
	MaxFetchBytes int64
	// Filter tells which files are wanted at all; nil wants all. Others are neither listed nor read. It must depend on
	// nothing but the path.
	Filter func(path string) bool
	// FilterDir tells which folders are entered at all; nil enters all. Leaving out a folder saves walking through it.
	FilterDir func(path string) bool
	// Known is asked about a revision that is read at a commit, when Commit and Tree are known and its files are not yet
	// listed. If it says yes they are not listed: the revision has none. Nil lists always.
	Known func(*Revision) bool
	// GitTimeout is the longest silence of a git process that reads, and the longest time of a fetch; 0 means DefaultGitTimeout.
	GitTimeout time.Duration
	// TempDir is where clones lie until Close; "" means the system's place.
	TempDir string
	// Git is the path of the git program; "" looks it up, "none" does without.
	Git string
	// Tokens are the secrets by host name (with port, if the URL has one). They are sent over https, and over http to
	// this machine only.
	Tokens map[string]Token
	// Overlay gives the bytes that stand for those of a file in a folder, by its absolute path in this machine's form: what an
	// editor holds and has not saved. It adds no files. Nil where there is none.
	Overlay func(file string) (data []byte, ok bool)
	// TokenFor is asked once for each repository whose host is not among Tokens, for secrets that end; nil for none.
	TokenFor func(ctx context.Context, host string) (Token, bool)
}

func (o Options) withDefaults() Options {
	o.MaxFileBytes = cmp.Or(o.MaxFileBytes, DefaultMaxFileBytes)
	o.MaxFiles = cmp.Or(o.MaxFiles, DefaultMaxFiles)
	o.MaxFetchBytes = cmp.Or(o.MaxFetchBytes, DefaultMaxFetchBytes)
	o.GitTimeout = cmp.Or(o.GitTimeout, DefaultGitTimeout)
	return o
}

// wants applies the filters to a whole path, for sources that are not walked folder by folder.
func (o Options) wants(path string) bool {
	if o.FilterDir != nil {
		for i := range len(path) {
			if path[i] == '/' && !o.FilterDir(path[:i]) {
				return false
			}
		}
	}
	return o.Filter == nil || o.Filter(path)
}

// Revision is an opened repository. Its methods may be used by one goroutine at a time.
type Revision struct {
	// Repo is the repository, with the URL of its origin filled in if it has one.
	Repo Repo
	// Commit is the commit that was read, or that the work tree started from; "" if there is none.
	Commit string
	// Tree names the content: a git tree id, or for files that lie in a folder "files-" and a hash over the paths and bytes
	// of the wanted files. Two revisions with the same Tree, filter and limits have the same files.
	Tree string
	// Dirty says that the wanted files of a work tree are not those of Commit.
	Dirty bool
	// Notices are remarks for people: "no commits".
	Notices []string
	// Problems are the parts that were not read, by path; Read adds to them.
	Problems []Problem

	partial bool     // Tree names more than could be read
	asked   bool     // TokenFor has been asked
	secret  Token    // what it said
	gitDirs []string // folders of this machine that git may mention

	ctx    context.Context
	opt    Options
	files  []FileInfo
	byPath map[string]int
	src    reader
	clean  []func() error
	once   sync.Once
	err    error
}

// reader hands out the bytes of files.
type reader interface {
	// read calls fn for each file in order with its bytes, or with why they cannot be had. It stops at fn's first error
	// and returns it.
	read(ctx context.Context, files []*FileInfo, fn func(i int, data []byte, reason string) error) error
}

// Files returns the wanted files, sorted by path. The slice belongs to the revision.
func (r *Revision) Files() []FileInfo { return r.files }

// Read calls fn with the path and the bytes of each file, in the order of paths; the bytes belong to fn. It stops at fn's
// first error and returns it unchanged. A file that cannot be read becomes a Problem and is passed over. A path that
// Files does not list is an error.
func (r *Revision) Read(paths []string, fn func(path string, data []byte) error) error {
	files := make([]*FileInfo, len(paths))
	for i, p := range paths {
		n, ok := r.byPath[p]
		if !ok {
			return fmt.Errorf("read %s of %s: %w", p, r.Repo.Name, os.ErrNotExist)
		}
		files[i] = &r.files[n]
	}
	if len(files) == 0 {
		return nil
	}
	return r.src.read(r.ctx, files, func(i int, data []byte, reason string) error {
		if reason != "" {
			r.partial = true
			r.problem(Problem{Path: paths[i], Stage: "read", Reason: reason})
			return nil
		}
		return fn(paths[i], data)
	})
}

// ReadFile returns the bytes of one file. Unlike Read it reports a file that cannot be read as an error.
func (r *Revision) ReadFile(path string) ([]byte, error) {
	n, ok := r.byPath[path]
	if !ok {
		return nil, fmt.Errorf("read %s of %s: %w", path, r.Repo.Name, os.ErrNotExist)
	}
	var out []byte
	err := r.src.read(r.ctx, []*FileInfo{&r.files[n]}, func(_ int, data []byte, reason string) error {
		if reason != "" {
			r.partial = true
			return fmt.Errorf("read %s of %s: %s", path, r.Repo.Name, reason)
		}
		out = data
		return nil
	})
	return out, err
}

// Partial says whether some content that Tree names could not be read: an object is missing, a file changed while the scan
// was running. What was made of the revision must then not be kept under the name of Tree, or a repository that has been
// mended would still be told to be broken.
func (r *Revision) Partial() bool { return r.partial }

// Close ends what the revision uses and removes what was fetched. It may be called more than once.
func (r *Revision) Close() error {
	r.once.Do(func() {
		for _, f := range slices.Backward(r.clean) {
			if err := f(); err != nil && r.err == nil {
				r.err = fmt.Errorf("close %s: %w", r.Repo.Name, err)
			}
		}
	})
	return r.err
}

func (r *Revision) problem(p Problem) {
	p.Reason = r.local(p.Reason)
	r.Problems = append(r.Problems, p)
}

// local takes the folders of this machine out of a message, so that a report is the same wherever it is made.
func (r *Revision) local(msg string) string {
	for _, dir := range r.gitDirs {
		msg = strings.ReplaceAll(msg, dir, ".git")
	}
	if dir := r.Repo.Dir; dir != "" && filepath.Dir(dir) != dir {
		msg = strings.ReplaceAll(msg, dir, ".")
	}
	return msg
}

// setFiles sorts files and problems and drops what is listed twice.
func (r *Revision) setFiles(files []FileInfo) {
	slices.SortFunc(files, func(a, b FileInfo) int { return cmp.Compare(a.Path, b.Path) })
	r.byPath = make(map[string]int, len(files))
	kept := files[:0]
	for _, f := range files {
		if _, twice := r.byPath[f.Path]; twice {
			r.problem(Problem{Path: f.Path, Stage: "list", Reason: "the tree names this path twice; the first one was read"})
			continue
		}
		r.byPath[f.Path] = len(kept)
		kept = append(kept, f)
	}
	r.files = kept
	slices.SortStableFunc(r.Problems, func(a, b Problem) int { return cmp.Compare(a.Path, b.Path) })
}

// Open opens a repository. The context also ends later reads. An error is an [OpenError] and means that nothing of the
// repository can be read. The caller must Close the revision.
func Open(ctx context.Context, repo Repo, opt Options) (rev *Revision, err error) {
	opt = opt.withDefaults()
	r := &Revision{Repo: repo, ctx: ctx, opt: opt}
	defer func() {
		// The parsers below read hostile bytes; one of them is a large library.
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
		if err != nil {
			err = &OpenError{Place: repo.where(), Reason: r.local(err.Error()), Err: err}
			r.Close()
			rev = nil
		}
	}()
	if repo.Kind == KindUnknown {
		if err := r.decideKind(); err != nil {
			return nil, err
		}
	}
	switch {
	case r.Repo.Kind == Remote:
		err = r.openRemote()
	case r.Repo.Kind == Bare:
		err = r.openObjects(r.Repo.Dir, r.Repo.Dir)
	case r.Repo.Kind == WorkTree && r.Repo.Ref != "":
		err = r.openAtRef()
	default:
		err = r.openFolder()
	}
	return r, err
}

// decideKind finds out what Dir is, for entries of a manifest.
func (r *Revision) decideKind() error {
	if r.Repo.Dir == "" {
		r.Repo.Kind = Remote
		return nil
	}
	st, err := os.Stat(r.Repo.Dir)
	if err != nil {
		return underlying(err)
	}
	if !st.IsDir() {
		return errors.New("a file, not a folder")
	}
	r.Repo.Kind = kindOf(r.Repo.Dir)
	return nil
}

// kindOf looks at a folder.
func kindOf(dir string) Kind {
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
		return WorkTree
	}
	if isBare(dir) {
		return Bare
	}
	return Plain
}
