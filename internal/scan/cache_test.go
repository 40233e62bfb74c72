package scan

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/source"
)

// mapCache is a cache that counts what is asked of it, by the first word of the key.
type mapCache struct {
	mu   sync.Mutex
	data map[string][]byte
	gets map[string]int
	puts map[string]int
}

func newMapCache() *mapCache {
	return &mapCache{data: map[string][]byte{}, gets: map[string]int{}, puts: map[string]int{}}
}

func wordOf(key string) string { return key[:strings.IndexByte(key+"|", '|')] }

func (c *mapCache) Get(key string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gets[wordOf(key)]++
	data, ok := c.data[key]
	return data, ok
}

func (c *mapCache) Has(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.data[key]
	return ok
}

func (c *mapCache) Put(key string, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.puts[wordOf(key)]++
	c.data[key] = data
}

func (c *mapCache) forgetCounts() { clear(c.gets); clear(c.puts) }

// gitFolder makes a bare repository with one commit of the files, or adds a commit.
func gitFolder(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "x"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

const retryingJob = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: NAME}\nspec:\n  backoffLimit: 9\n  template:\n    spec:\n      restartPolicy: Never\n      containers: [{name: c, image: acme/NAME}]\n"

const retryingGo = "package pay\n\nimport (\n\t\"net/http\"\n)\n\nfunc Pay() error {\n\tvar err error\n\tfor range 5 {\n\t\tif _, err = http.Post(\"http://NAME/pay\", \"\", nil); err == nil {\n\t\t\treturn nil\n\t\t}\n\t}\n\treturn err\n}\n"

func smallOrganisation(t *testing.T) []source.Repo {
	t.Helper()
	var dirs []string
	for _, name := range []string{"pay", "ledger", "mail"} {
		dir := filepath.Join(t.TempDir(), name)
		gitFolder(t, dir, map[string]string{"go.mod": "module example.org/" + name + "\n", "pay.go": strings.ReplaceAll(retryingGo, "NAME", name),
			"deploy/a.yaml": strings.ReplaceAll(retryingJob, "NAME", name), "deploy/b.yaml": strings.ReplaceAll(retryingJob, "NAME", name+"-b")})
		dirs = append(dirs, dir)
	}
	repos, err := source.Discover(dirs, source.Options{})
	require.NoError(t, err)
	return repos
}

func resultJSON(t *testing.T, opt Options) string {
	t.Helper()
	r, err := Run(t.Context(), opt)
	require.NoError(t, err)
	data, err := json.MarshalIndent(r, "", " ")
	require.NoError(t, err)
	return string(data)
}

// TestUnchangedOrganisationIsLookedUp counts what a second run reads: for each repository nothing but whether it is there,
// and the result.
func TestUnchangedOrganisationIsLookedUp(t *testing.T) {
	repos := smallOrganisation(t)
	want := resultJSON(t, Options{Repos: repos})
	cache := newMapCache()
	opt := Options{Repos: repos, Cache: cache, KeepResult: true}
	require.Equal(t, want, resultJSON(t, opt))
	require.Equal(t, 1, cache.puts["result"])
	cache.forgetCounts()
	require.Equal(t, want, resultJSON(t, opt))
	require.Equal(t, map[string]int{"result": 1}, cache.gets)
	require.Empty(t, cache.puts)

	// One repository changes: the facts of the others are read, its own are made, and all is judged again.
	gitFolder(t, repos[1].Dir, map[string]string{"deploy/a.yaml": strings.ReplaceAll(retryingJob, "NAME", "changed")})
	cache.forgetCounts()
	changed := resultJSON(t, opt)
	require.NotEqual(t, want, changed)
	require.Equal(t, changed, resultJSON(t, Options{Repos: repos}))
	require.Equal(t, 1, cache.puts["facts"])
	require.Equal(t, 2, cache.gets["facts"])
}

// TestResultIsOfWhatWasAsked asks something else each time.
func TestResultIsOfWhatWasAsked(t *testing.T) {
	repos := smallOrganisation(t)
	cfg, problems := config.Parse("org.yaml", []byte("version: 1\nthresholds: {warning: 2, error: 3}\n"))
	require.Empty(t, problems)
	other, problems := config.Parse("org.yaml", []byte("version: 1\nthresholds: {warning: 3, error: 4}\n"))
	require.Empty(t, problems)
	grouped := append([]source.Repo(nil), repos...)
	grouped[0].Group = "g"
	cache := newMapCache()
	seen := map[string]bool{}
	for name, opt := range map[string]Options{"plain": {Repos: repos}, "config": {Repos: repos, Config: cfg}, "other config": {Repos: repos, Config: other},
		"rules": {Repos: repos, Wants: func(string) bool { return false }}, "verbose": {Repos: repos, Verbose: true}, "fewer": {Repos: repos[:2]},
		"version": {Repos: repos, Version: "2"}, "group": {Repos: grouped}} {
		want := resultJSON(t, opt)
		opt.Cache, opt.KeepResult = cache, true
		require.Equal(t, want, resultJSON(t, opt), name)
		require.Equal(t, want, resultJSON(t, opt), name)
		seen[want] = true
	}
	require.GreaterOrEqual(t, len(seen), 5, "the cases differ")
	require.Equal(t, 8, cache.puts["result"])
}

// TestDamagedEntriesAreNotUsed damages every entry of the cache, one after the other and all at once.
func TestDamagedEntriesAreNotUsed(t *testing.T) {
	repos := smallOrganisation(t)
	cache := newMapCache()
	opt := Options{Repos: repos, Cache: cache, KeepResult: true}
	want := resultJSON(t, opt)
	whole := map[string][]byte{}
	for k, v := range cache.data {
		whole[k] = v
	}
	damage := func(key string) {
		bad := bytes.Clone(whole[key])
		bad[len(bad)/2] ^= 4
		cache.data[key] = bad
	}
	for key := range whole {
		damage(key)
		require.Equal(t, want, resultJSON(t, opt), key)
		for k := range whole {
			if wordOf(k) == "result" || wordOf(key) == "blobs" && wordOf(k) == "facts" {
				damage(k) // so that the entry is looked at
			}
		}
		require.Equal(t, want, resultJSON(t, opt), key)
		require.Equal(t, whole, cache.data, "made anew")
	}
	for key := range whole {
		damage(key)
	}
	require.Equal(t, want, resultJSON(t, opt))
	// An entry under the name of another one is none.
	for key := range whole {
		if wordOf(key) == "facts" {
			for other := range whole {
				if other != key && wordOf(other) == "facts" {
					cache.data[other] = whole[key]
				}
			}
		}
		if wordOf(key) == "result" {
			delete(cache.data, key)
		}
	}
	require.Equal(t, want, resultJSON(t, opt))
}

// TestResultWithGapsIsNotKept: what could not be opened may be there the next time.
func TestResultWithGapsIsNotKept(t *testing.T) {
	repos := append(smallOrganisation(t), source.Repo{Name: "gone", Dir: filepath.Join(t.TempDir(), "gone"), Kind: source.Bare})
	cache := newMapCache()
	opt := Options{Repos: repos, Cache: cache, KeepResult: true}
	r, err := Run(t.Context(), opt)
	require.NoError(t, err)
	require.Len(t, r.Incomplete, 1)
	require.Zero(t, cache.puts["result"])
}
