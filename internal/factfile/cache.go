package factfile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Cache keeps what was worked out under a hash of what it was made from. Every entry is only a saved result: deleting the
// folder changes nothing but time. A nil Cache keeps nothing. Several processes may share a folder.
type Cache struct{ dir string }

// NewCache is the cache in a folder, which is made when it is first written to.
func NewCache(dir string) *Cache { return &Cache{dir} }

// UserCacheDir is the folder for the cache of whoever runs the program.
func UserCacheDir() (string, error) {
	d, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("cache folder: %w", err)
	}
	return filepath.Join(d, "retrylint"), nil
}

// Key is a hash of the parts that facts were made from: the extractor, the repository, a tree or a path and a blob, what
// the configuration changes. Parts are told apart by their lengths.
func Key(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		io.WriteString(h, strconv.Itoa(len(p)))
		io.WriteString(h, ":")
		io.WriteString(h, p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// entrySuffix ends the names of cache entries.
const entrySuffix = ".pack"

func (c *Cache) path(key string) (dir, name string) {
	return filepath.Join(c.dir, key[:2]), key + entrySuffix
}

func validKey(key string) bool {
	b, err := hex.DecodeString(key)
	return err == nil && len(b) == sha256.Size
}

// Get is what is kept under a key; ok is false where nothing is. Whoever asks must check that it is whole: see package pack.
func (c *Cache) Get(key string) (data []byte, ok bool) {
	if c == nil || !validKey(key) {
		return nil, false
	}
	dir, name := c.path(key)
	p := filepath.Join(dir, name)
	data, err := os.ReadFile(p)
	if err != nil {
		return nil, false
	}
	c.touch(p)
	return data, true
}

// Has reports whether something is kept under a key, and marks it as used.
func (c *Cache) Has(key string) bool {
	if c == nil || !validKey(key) {
		return false
	}
	dir, name := c.path(key)
	return c.touch(filepath.Join(dir, name))
}

// touch marks an entry as used, at most once a day, and reports whether it is there.
func (c *Cache) touch(p string) bool {
	info, err := os.Stat(p)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if now := time.Now(); now.Sub(info.ModTime()) > 24*time.Hour {
		os.Chtimes(p, now, now) // best effort: it only decides what Trim removes
	}
	return true
}

// Put keeps data under a key. An error means that they are not kept, nothing else.
func (c *Cache) Put(key string, data []byte) error {
	if c == nil {
		return nil
	}
	if !validKey(key) {
		return fmt.Errorf("cache: %q is no key", key)
	}
	dir, name := c.path(key)
	if err := writeFile(dir, name, data); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}

// Trim removes entries that were not used since a point in time, and temporary files that nobody renamed.
func (c *Cache) Trim(unusedSince time.Time) error {
	if c == nil {
		return nil
	}
	subs, err := os.ReadDir(c.dir)
	if err != nil {
		if os.IsNotExist(err) {
			return nil
		}
		return fmt.Errorf("cache: %w", err)
	}
	for _, s := range subs {
		if b, err := hex.DecodeString(s.Name()); err != nil || len(b) != 1 || !s.IsDir() {
			continue // not ours
		}
		sub := filepath.Join(c.dir, s.Name())
		entries, err := os.ReadDir(sub)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if info, err := e.Info(); err == nil && info.Mode().Type() == fs.FileMode(0) && info.ModTime().Before(unusedSince) {
				os.Remove(filepath.Join(sub, e.Name())) // another process may have removed it
			}
		}
	}
	return nil
}
