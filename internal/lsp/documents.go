package lsp

import (
	"context"
	"os"
	"path/filepath"
	"slices"
)

// document is a file that the client has open.
type document struct {
	uri     string // as the client writes it
	version int
	text    string
}

// folder is one of the workspace: as the client names it, and without links.
type folder struct {
	given, real string
}

// addFolder adds a folder of the workspace; the caller holds the lock.
func (s *server) addFolder(uri string) {
	p, ok := pathOf(uri)
	if !ok {
		go s.log(messageWarning, "%s is no folder on this machine, so it is not scanned", uri)
		return
	}
	f := folder{p, realPath(p)}
	if !slices.Contains(s.folders, f) {
		s.folders = append(s.folders, f)
	}
}

func (s *server) didChangeFolders(_ context.Context, p didChangeFoldersParams) {
	s.mu.Lock()
	for _, f := range p.Event.Removed {
		if dir, ok := pathOf(f.URI); ok {
			s.folders = slices.DeleteFunc(s.folders, func(g folder) bool { return g.given == dir })
		}
	}
	for _, f := range p.Event.Added {
		s.addFolder(f.URI)
	}
	s.mu.Unlock()
	s.scanSoon(s.opt.SaveDelay)
}

func (s *server) didOpen(_ context.Context, p didOpenParams) {
	file, ok := pathOf(p.TextDocument.URI)
	if !ok {
		return
	}
	file = realPath(file)
	s.mu.Lock()
	s.docs[file] = &document{uri: p.TextDocument.URI, version: p.TextDocument.Version, text: p.TextDocument.Text}
	// A file as it lies on disk, in a folder that was scanned, brings nothing new.
	known := s.last != nil && s.last.knows(file, p.TextDocument.Text)
	s.mu.Unlock()
	if known {
		s.publish()
		return
	}
	s.scanSoon(s.opt.SaveDelay)
}

func (s *server) didChange(_ context.Context, p didChangeParams) {
	file, ok := pathOf(p.TextDocument.URI)
	if !ok || len(p.ContentChanges) == 0 {
		return
	}
	file = realPath(file)
	s.mu.Lock()
	doc := s.docs[file]
	if doc != nil {
		doc.version = p.TextDocument.Version
		for _, c := range p.ContentChanges {
			if c.Range == nil {
				doc.text = c.Text
			} else {
				doc.text = splice(doc.text, *c.Range, c.Text)
			}
		}
	}
	s.mu.Unlock()
	if doc != nil {
		s.scanAfterChange()
	}
}

// splice replaces a piece of a text, for clients that send pieces though the whole was asked for.
func splice(whole string, r textRange, with string) string {
	offset := func(p position) int {
		i := 0
		for range p.Line {
			n := i
			for n < len(whole) && whole[n] != '\n' {
				n++
			}
			if n == len(whole) {
				return n
			}
			i = n + 1
		}
		end := i
		for end < len(whole) && whole[end] != '\n' {
			end++
		}
		return i + bytesOf(whole[i:end], p.Character)
	}
	from := offset(r.Start)
	to := max(offset(r.End), from)
	return whole[:from] + with + whole[to:]
}

func (s *server) didSave(context.Context, documentParams) { s.scanSoon(s.opt.SaveDelay) }

func (s *server) didClose(_ context.Context, p documentParams) {
	file, ok := pathOf(p.TextDocument.URI)
	if !ok {
		return
	}
	file = realPath(file)
	s.mu.Lock()
	doc := s.docs[file]
	delete(s.docs, file)
	s.mu.Unlock()
	if doc != nil {
		s.scanSoon(s.opt.SaveDelay) // what was not saved is gone
	}
}

// overlay is the open documents that differ from their files, and the versions of all; the caller holds the lock.
func (s *server) overlay() (texts map[string]string, versions map[string]int) {
	texts, versions = map[string]string{}, map[string]int{}
	for file, d := range s.docs {
		versions[file] = d.version
		if info, err := os.Stat(file); err == nil && info.Size() == int64(len(d.text)) {
			if data, err := os.ReadFile(file); err == nil && string(data) == d.text {
				continue
			}
		}
		texts[file] = d.text
	}
	return texts, versions
}

// roots are the folders to scan: those of the workspace, and where there are none the repositories of the open files. The
// caller holds the lock.
func (s *server) roots() []string {
	var out []string
	for _, f := range s.folders {
		out = append(out, f.real)
	}
	if len(out) == 0 {
		for file := range s.docs {
			out = append(out, repositoryOf(filepath.Dir(file)))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// repositoryOf is the nearest folder above that has .git, or else the folder itself.
func repositoryOf(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if filepath.Dir(d) == d {
			return dir
		}
	}
}

// shown reports whether findings of a file are shown: it lies in the workspace, or is open. The caller holds the lock.
func (s *server) shown(file string) bool {
	return s.docs[file] != nil || slices.ContainsFunc(s.folders, func(f folder) bool { return under(file, f.real) })
}

// uri is the name of a file for the client: its own, where it has told one. The caller holds the lock.
func (s *server) uri(file string) string {
	if d := s.docs[file]; d != nil {
		return d.uri
	}
	for _, f := range s.folders {
		if rel, err := filepath.Rel(f.real, file); err == nil && filepath.IsLocal(rel) {
			return uriOf(filepath.Join(f.given, rel))
		}
	}
	return uriOf(file)
}
