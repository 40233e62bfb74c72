package lsp

import (
	"os"
	"path/filepath"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// snapshot is what one scan saw. It is read by one goroutine at a time, under the server's lock.
type snapshot struct {
	result   *model.Result
	dirs     map[string]string // repository -> folder
	texts    map[string]string // of documents that were not saved
	versions map[string]int    // of open documents
	layers   map[string]*model.LayerInfo
	windows  map[string]*model.WindowInfo
	chains   map[string]*model.ChainInfo
	read     map[string]*text // files as far as their positions were asked for; nil: cannot be read
}

func newSnapshot(r *model.Result, repos []source.Repo, cfg *config.Config, texts map[string]string, versions map[string]int) *snapshot {
	s := &snapshot{result: r, dirs: map[string]string{}, texts: texts, versions: versions, layers: map[string]*model.LayerInfo{},
		windows: map[string]*model.WindowInfo{}, chains: map[string]*model.ChainInfo{}, read: map[string]*text{}}
	for _, repo := range repos {
		if repo.Kind != source.Bare && repo.Dir != "" {
			s.dirs[repo.Name] = repo.Dir
		}
	}
	if cfg != nil {
		if abs, err := filepath.Abs(cfg.Path); err == nil {
			// Places in the organisation's configuration have its path as it was given.
			s.dirs["config"] = filepath.Dir(abs)
		}
	}
	for i := range r.Layers {
		s.layers[r.Layers[i].ID] = &r.Layers[i]
	}
	for i := range r.Windows {
		s.windows[r.Windows[i].ID] = &r.Windows[i]
	}
	for i := range r.Chains {
		s.chains[r.Chains[i].ID] = &r.Chains[i]
	}
	return s
}

func (s *snapshot) chain(id string) *model.ChainInfo { return s.chains[id] }

// file is where a place lies on this machine.
func (s *snapshot) file(p model.Place) (string, bool) {
	dir, ok := s.dirs[p.Repository]
	if !ok || p.Path == "" {
		return "", false
	}
	if p.Repository == "config" {
		return filepath.Join(dir, filepath.Base(p.Path)), true
	}
	return filepath.Join(dir, filepath.FromSlash(p.Path)), true
}

// maxRead is the size of a file above which its columns are taken for ASCII.
const maxRead = 8 << 20

// text is a file as the scan saw it, or nearly so: what was saved since is newer.
func (s *snapshot) text(file string) *text {
	if t, ok := s.read[file]; ok {
		return t
	}
	var t *text
	if whole, ok := s.texts[file]; ok {
		t = newText(whole)
	} else if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Size() <= maxRead {
		if data, err := os.ReadFile(file); err == nil {
			t = newText(string(data))
		}
	}
	s.read[file] = t
	return t
}

// span is a place as the protocol writes it.
func (s *snapshot) span(p model.Place) textRange {
	file, _ := s.file(p)
	return s.text(file).span(p.Line, p.Column, p.EndLine, p.EndColumn)
}

// knows reports whether the scan has read a file with this text.
func (s *snapshot) knows(file, whole string) bool {
	inside := false
	for _, dir := range s.dirs {
		inside = inside || under(file, dir)
	}
	if !inside {
		return false
	}
	t := s.text(file)
	return t != nil && t.whole == whole
}
