package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A gitDir is the repository behind a work tree.
type gitDir struct {
	dir    string // holds HEAD and index
	common string // holds objects, refs and config; the same as dir but for linked work trees
	config gitConfig
}

// maxGitFileBytes limits the small files of a git folder: HEAD, config, a .git file.
const maxGitFileBytes = 4 << 20

// hexID is an object's name in SHA-1 or SHA-256.
var hexID = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// readSmall reads a regular file of at most max bytes. It does not follow a symbolic link and does not wait for a pipe.
func readSmall(path string, max int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readRegular(f, max)
}

// readRegular reads an opened file if it is a regular one of at most max bytes.
func readRegular(f *os.File, max int64) ([]byte, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if st.Size() > max {
		return nil, errTooLarge(st.Size(), max)
	}
	data := make([]byte, 0, st.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if int64(len(data)) > max {
			return nil, errTooLarge(int64(len(data)), max)
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

func errTooLarge(size, max int64) error {
	return fmt.Errorf("too large: %d bytes, the limit is %d", size, max)
}

// isBare tells whether a folder is a repository without a work tree.
func isBare(dir string) bool {
	for _, sub := range []string{"objects", "refs"} {
		if st, err := os.Stat(filepath.Join(dir, sub)); err != nil || !st.IsDir() {
			return false
		}
	}
	st, err := os.Lstat(filepath.Join(dir, "HEAD"))
	return err == nil && st.Mode().IsRegular()
}

// findGitDir finds the git folder of a work tree. The reason says why there is none that can be used.
//
// A .git file may name any folder of the machine. It is followed only if that folder names this work tree in turn, as
// git's linked work trees and submodules do, or lies inside the work tree; so a repository that somebody sends cannot
// make a scan read another repository's index.
func findGitDir(root string) (g *gitDir, reason string) {
	dot := filepath.Join(root, ".git")
	st, err := os.Lstat(dot)
	if err != nil {
		return nil, underlying(err).Error()
	}
	g = &gitDir{dir: dot, common: dot}
	switch {
	case st.IsDir():
	case st.Mode().IsRegular():
		data, err := readSmall(dot, 4096)
		if err != nil {
			return nil, underlying(err).Error()
		}
		target, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
		if !ok || target == "" || strings.IndexByte(target, 0) >= 0 {
			return nil, "the file .git does not name a git folder"
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(root, target)
		}
		if st, err := os.Stat(target); err != nil || !st.IsDir() {
			return nil, "the file .git names a git folder that does not exist"
		}
		g.dir, g.common = target, target
	default:
		return nil, errForeign
	}
	if data, err := readSmall(filepath.Join(g.dir, "commondir"), 4096); err == nil && st.Mode().IsRegular() {
		common := strings.TrimRight(string(data), "\r\n")
		if !filepath.IsAbs(common) {
			common = filepath.Join(g.dir, common)
		}
		if !sameFile(filepath.Dir(filepath.Dir(g.dir)), common) {
			return nil, errForeign // git puts a linked work tree into <repository>/worktrees/<name>
		}
		g.common = common
	}
	data, err := readSmall(filepath.Join(g.common, "config"), maxGitFileBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "config: " + underlying(err).Error()
	}
	g.config = parseConfig(data)
	if st.Mode().IsRegular() && !g.knows(root) {
		return nil, errForeign
	}
	if st, err := os.Lstat(filepath.Join(g.dir, "HEAD")); err != nil || !st.Mode().IsRegular() && st.Mode()&fs.ModeSymlink == 0 {
		return nil, "HEAD is missing"
	}
	return g, ""
}

// errForeign is the reason for not following a .git file.
const errForeign = ".git leads to a git folder elsewhere that does not know this work tree; tracked files and the commit are unknown"

// knows tells whether the git folder names the work tree as its own.
func (g *gitDir) knows(root string) bool {
	if data, err := readSmall(filepath.Join(g.dir, "gitdir"), 4096); err == nil {
		back := strings.TrimRight(string(data), "\r\n")
		if !filepath.IsAbs(back) {
			back = filepath.Join(g.dir, back)
		}
		return sameFile(back, filepath.Join(root, ".git"))
	}
	if tree := g.config.get("core", "", "worktree"); tree != "" {
		if !filepath.IsAbs(tree) {
			tree = filepath.Join(g.dir, tree)
		}
		return sameFile(tree, root)
	}
	rel, err := filepath.Rel(root, g.dir)
	return err == nil && filepath.IsLocal(rel)
}

func sameFile(a, b string) bool {
	sa, err := os.Stat(a)
	if err != nil {
		return false
	}
	sb, err := os.Stat(b)
	return err == nil && os.SameFile(sa, sb)
}

// hashSize returns the length of object names in bytes.
func (g *gitDir) hashSize() int {
	if strings.EqualFold(g.config.get("extensions", "", "objectformat"), "sha256") {
		return 32
	}
	return 20
}

// origin returns the URL of the remote "origin" without credentials.
func (g *gitDir) origin() string {
	return withoutCredentials(g.config.get("remote", "origin", "url"))
}

// gitConfig holds the last value of each key; keys are "section.name" or "section.sub.name", lower case but for sub.
type gitConfig map[string]string

func (c gitConfig) get(section, sub, name string) string {
	if sub != "" {
		section += "." + sub
	}
	return c[section+"."+name]
}

// parseConfig reads git's configuration file as far as it can be understood. It includes no other file.
func parseConfig(data []byte) gitConfig {
	c := gitConfig{}
	section := ""
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	data = bytes.ReplaceAll(data, []byte("\\\n"), nil)
	for line := range strings.SplitSeq(string(data), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			head, rest, ok := strings.Cut(line[1:], "]")
			if !ok {
				continue
			}
			name, sub, quoted := strings.Cut(head, `"`)
			section = strings.ToLower(strings.TrimSpace(name))
			if quoted {
				section += "." + strings.TrimSuffix(sub, `"`)
			}
			line = strings.TrimSpace(rest)
		}
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			value = "true"
		}
		c[section+"."+strings.ToLower(strings.TrimSpace(key))] = configValue(strings.TrimSpace(value))
	}
	return c
}

// configValue takes quotes, escapes and comments out of a value.
func configValue(s string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(s):
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			default:
				b.WriteByte(s[i])
			}
		case (c == '#' || c == ';') && !quoted:
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
