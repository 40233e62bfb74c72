package factfile

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
	"strings"

	"github.com/retrylint/retrylint/internal/identity"
	"github.com/retrylint/retrylint/model"
)

// Store keeps the facts files of many repositories under names. Put is all or nothing: a name that List gives is a whole
// file. Putting the same name again replaces it.
type Store interface {
	List(ctx context.Context) (names []string, err error) // sorted
	Get(ctx context.Context, name string) ([]byte, error) // an error that is fs.ErrNotExist where there is none
	Put(ctx context.Context, name string, data []byte) error
}

// suffix ends the names of finished facts files.
const suffix = ".facts.gz"

// PlanSuffix ends the names of lists of repositories that lie beside the facts.
const PlanSuffix = ".plan.json"

// Creator is a store that can put a name where there is none, in one step, so that of several programs one wins.
type Creator interface {
	// Create puts a name unless it is there; that it is there is no error.
	Create(ctx context.Context, name string, data []byte) error
}

// Create puts a name unless it is there. Where the store cannot do that in one step, the last of several programs that do so
// at the same moment wins.
func Create(ctx context.Context, s Store, name string, data []byte) error {
	if c, ok := s.(Creator); ok {
		return c.Create(ctx, name, data)
	}
	if _, err := s.Get(ctx, name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return s.Put(ctx, name, data)
}

// Known reports whether a name ends as those of a store do; whatever else lies in the same place is passed over.
func Known(name string) bool {
	return strings.HasSuffix(name, suffix) || strings.HasSuffix(name, PlanSuffix)
}

// Valid reports whether a name may be put into a store: those of Known, and entries of a cache, which are not listed.
func Valid(name string) bool { return Known(name) || strings.HasSuffix(name, entrySuffix) }

// EntryName is the name of a cache entry in a store.
func EntryName(key string) string { return key + entrySuffix }

// Prober is a store that can tell whether a name is there without reading it.
type Prober interface {
	Has(ctx context.Context, name string) (bool, error)
}

// Has reports whether a name is there; false where the store cannot tell without reading it.
func Has(ctx context.Context, s Store, name string) bool {
	p, ok := s.(Prober)
	if !ok {
		return false
	}
	there, err := p.Has(ctx, name)
	return err == nil && there
}

// Name is the name of a repository's file: its own name, escaped. Long names are cut, and both they and names with capitals
// (which some file systems do not tell apart) get a hash.
func Name(repository string) string {
	s := url.QueryEscape(repository)
	if strings.HasPrefix(s, ".") {
		s = "%2E" + s[1:]
	}
	const longest = 150
	if len(s) > longest || repository != strings.ToLower(repository) {
		sum := sha256.Sum256([]byte(repository))
		s = s[:min(len(s), longest)] + "~" + hex.EncodeToString(sum[:8])
	}
	return s + suffix
}

// Open opens the store at a folder or a file:// URL. Other schemes are for programs that know them.
func Open(location string) (Store, error) {
	if scheme, _, ok := strings.Cut(location, "://"); ok && len(scheme) > 1 {
		u, err := url.Parse(location)
		switch {
		case err != nil:
			return nil, fmt.Errorf("facts at %s: %w", location, err)
		case u.Scheme != "file":
			return nil, fmt.Errorf("facts at %s://: this program keeps facts in a folder or at a file:// URL", u.Scheme)
		case u.Host != "" && u.Host != "localhost":
			return nil, fmt.Errorf("facts at %s: a file URL has three slashes: file:///folder", location)
		}
		location = filepath.FromSlash(u.Path)
		if runtime.GOOS == "windows" {
			location = strings.TrimPrefix(location, `\`)
		}
	}
	if location == "" {
		return nil, errors.New("facts: the name of the folder is empty")
	}
	return Folder(location), nil
}

// Folder is a store in a folder, which is made when it is first written to.
type Folder string

// List implements Store. A folder that is not there is empty.
func (d Folder) List(ctx context.Context) ([]string, error) {
	entries, err := os.ReadDir(string(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list facts: %w", err)
	}
	var names []string
	for _, e := range entries {
		if Known(e.Name()) && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	sort.Strings(names)
	return names, ctx.Err()
}

// Get implements Store.
func (d Folder) Get(ctx context.Context, name string) ([]byte, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(string(d), name))
	if err != nil {
		return nil, fmt.Errorf("read facts: %w", err)
	}
	return data, ctx.Err()
}

// Has implements Prober.
func (d Folder) Has(ctx context.Context, name string) (bool, error) {
	if err := checkName(name); err != nil {
		return false, err
	}
	info, err := os.Stat(filepath.Join(string(d), name))
	return err == nil && info.Mode().IsRegular(), ctx.Err()
}

// Put implements Store: it writes under a temporary name and renames.
func (d Folder) Put(ctx context.Context, name string, data []byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := writeFile(string(d), name, data); err != nil {
		return fmt.Errorf("write facts: %w", err)
	}
	return nil
}

// Create implements Creator: a hard link is made or is not.
func (d Folder) Create(ctx context.Context, name string, data []byte) error {
	target := filepath.Join(string(d), name)
	if err := checkName(name); err != nil {
		return err
	}
	if _, err := os.Lstat(target); err == nil {
		return ctx.Err()
	}
	temp := "." + name + "." + identity.ID()[:8] + strconv.Itoa(os.Getpid())
	if err := writeFile(string(d), temp, data); err != nil {
		return fmt.Errorf("write facts: %w", err)
	}
	defer os.Remove(filepath.Join(string(d), temp))
	err := os.Link(filepath.Join(string(d), temp), target)
	switch {
	case err == nil || errors.Is(err, fs.ErrExist):
		return ctx.Err()
	case errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission):
		// A file system without links.
		return d.Put(ctx, name, data)
	}
	return fmt.Errorf("write facts: %w", err)
}

// checkName keeps a name from leaving the folder.
func checkName(name string) error {
	if name == "" || name != filepath.Base(name) || strings.ContainsAny(name, `/\`) || !Valid(name) {
		return fmt.Errorf("%q is not the name of a facts file", name)
	}
	return nil
}

// writeFile writes a file of a folder under a temporary name and renames it.
func writeFile(dir, name string, data []byte) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".tmp-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if e := f.Chmod(0o644); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Save puts the facts of a repository into a store.
func Save(ctx context.Context, s Store, h Header, f *model.Facts) error {
	var b bytes.Buffer
	if err := Write(&b, h, f); err != nil {
		return err
	}
	return s.Put(ctx, Name(f.Repo.Name), b.Bytes())
}

// Load gets the facts of a repository; an error that is fs.ErrNotExist where there are none.
func Load(ctx context.Context, s Store, repository string) (*File, error) {
	data, err := s.Get(ctx, Name(repository))
	if err != nil {
		return nil, err
	}
	return Read(bytes.NewReader(data))
}
