package scan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/retrylint/retrylint/extract"
	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/internal/pack"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// fileFacts is what one configuration file said, with the blobs that it was read from.
type fileFacts struct {
	Path, Blob string
	Needs      []fileNeed // other files that were looked into
	Facts      model.Facts
	Lines      []model.Line // of the file, on which facts stand
}

// fileNeed is a file that was looked into; Blob is "" where there was none.
type fileNeed struct{ Path, Blob string }

// blobFacts knows the facts of a repository's configuration files by blob: those of its last scan, and those of this one. A
// changed repository reads nothing but its changed files. It lies in the cache as one entry for each repository.
type blobFacts struct {
	cache Cache
	key   string
	rev   *source.Revision
	blobs map[string]string // of the revision, by path
	old   map[string]*fileFacts
	now   []*fileFacts
	fresh bool // there is something to keep
	once  sync.Once
	sum   string // see all
}

type blobEntry struct{ Files []*fileFacts }

// newBlobFacts is nil where there is no cache or where blobs have no names.
func newBlobFacts(rev *source.Revision, opt Options) *blobFacts {
	if opt.Cache == nil || rev.Tree == "" {
		return nil
	}
	b := &blobFacts{cache: opt.Cache, key: "blobs|" + rev.Repo.Name, rev: rev, blobs: map[string]string{}, old: map[string]*fileFacts{}}
	for _, info := range rev.Files() {
		b.blobs[info.Path] = info.BlobID
	}
	if entry := kept[blobEntry](opt.Cache, b.key); entry != nil {
		for _, f := range entry.Files {
			b.old[f.Path] = f
		}
	}
	return b
}

// find gives what is known of a file as it is in this revision; nil where it is to be read.
func (b *blobFacts) find(p string, paths []string) *fileFacts {
	if b == nil {
		return nil
	}
	f := b.old[p]
	if f == nil || f.Blob == "" || f.Blob != b.blobs[p] {
		return nil
	}
	for _, n := range f.Needs {
		now := b.blobs[n.Path]
		if n.Path == everything {
			now = b.all(paths)
		}
		if now != n.Blob {
			return nil
		}
	}
	b.now = append(b.now, f)
	return f
}

// everything stands among the needs of a file for all configuration files of the repository.
const everything = "*"

// watch notes into which other files a file looks that is read: into one by its name, or into all of them.
func (b *blobFacts) watch(f *fileFacts, all *extract.Files) (tree func(string) *doc.File, watched *extract.Files) {
	if b == nil {
		return all.Tree, all
	}
	note := func(n fileNeed) {
		if !slices.Contains(f.Needs, n) {
			f.Needs = append(f.Needs, n)
		}
	}
	tree = func(p string) *doc.File {
		p = path.Clean(p)
		note(fileNeed{p, b.blobs[p]})
		return all.Tree(p)
	}
	return tree, all.Watched(func() { note(fileNeed{everything, b.all(all.Paths)}) })
}

// all names the whole of the configuration files; "" where one of them has no name.
func (b *blobFacts) all(paths []string) string {
	b.once.Do(func() {
		h := sha256.New()
		for _, p := range paths {
			if b.blobs[p] == "" {
				return
			}
			fmt.Fprintf(h, "%q %s\n", p, b.blobs[p])
		}
		b.sum = hex.EncodeToString(h.Sum(nil))
	})
	return b.sum
}

// add keeps what a file said. What needs a file that cannot be named is not kept: it may differ next time.
func (b *blobFacts) add(f *fileFacts) {
	if b == nil {
		return
	}
	b.fresh = true
	if f.Blob = b.blobs[f.Path]; f.Blob == "" {
		return
	}
	for _, n := range f.Needs {
		if _, there := b.blobs[n.Path]; n.Blob == "" && (there || n.Path == everything) {
			return
		}
	}
	b.now = append(b.now, f)
}

// lines are the lines of a file whose blob is as it was; nil where they are to be read.
func (b *blobFacts) lines(p string) []model.Line {
	if b == nil {
		return nil
	}
	if f := b.old[p]; f != nil && f.Blob != "" && f.Blob == b.blobs[p] {
		return f.Lines
	}
	return nil
}

// keep writes what this revision's files said.
func (b *blobFacts) keep(f *model.Facts) {
	if b == nil || b.rev.Partial() || !b.fresh && len(b.now) == len(b.old) {
		return
	}
	byPath := map[string][]model.Line{}
	for _, l := range f.Lines {
		byPath[l.Path] = append(byPath[l.Path], l)
	}
	for _, one := range b.now {
		one.Lines = byPath[one.Path]
	}
	slices.SortFunc(b.now, func(x, y *fileFacts) int { return strings.Compare(x.Path, y.Path) })
	b.cache.Put(b.key, pack.Write(b.key, &blobEntry{b.now}))
}
