package source

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// gitList is git's own answer to what lies in a work tree: tracked files that exist, and others that are not ignored.
func gitList(t testing.TB, dir string) []string {
	t.Helper()
	out := gitRun(t, dir, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list := []string{}
	for p := range strings.SplitSeq(out, "\x00") {
		st, err := os.Lstat(filepath.Join(dir, p))
		if p != "" && err == nil && st.Mode().IsRegular() {
			list = append(list, escapePath(p))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func TestIgnoreRulesAreGits(t *testing.T) {
	files := []string{"a.go", "b.log", "foo", "dir/a.go", "dir/b.log", "dir/foo", "dir/sub/a.go", "dir/sub/b.log", "dir/sub/deep/a.yaml",
		"out/a.go", "src/out/a.go", "src/out/keep.go", "a b.go", "trail ", "#hash", "!bang", "x[1].go", "x1.go", "A.GO", "abc/def/ghi.txt",
		"abc/x/y/def/ghi.txt", ".hidden/a.go", ".hid", "build/gen/z.go", "build/z.go", "back\\slash", "star*", "q?.go", "ü.go", "foo.d/foo/bar"}
	dir := newRepo(t)
	for _, f := range files {
		write(t, dir, f, f)
	}
	for _, rules := range []string{
		"*.log", "*.log\n!b.log", "/foo", "foo/", "foo", "dir/", "dir/*\n!dir/sub/", "dir/**", "**/sub", "**/sub/**", "dir/**/a.go", "abc/**/ghi.txt", "abc/**/def",
		"/*\n!/dir", "*\n!*/\n!*.go", "out/\n!src/out/keep.go", "out/*\n!out/keep.go", "src/out/*\n!src/out/keep.go", "\\#hash\n\\!bang", "#hash\n!bang",
		"trail\\ ", "trail ", "trail  \n", "x[1].go", "x[[]1].go", "x\\[1\\].go", "[!a]*.go", "[^a]*.go", "[a-c].*", "[[:upper:]]*", "[[:foo:]]*", "[]a].go", "x[1",
		"*.go\r\n", "\ufeff*.go\n", "a?b.go", "dir?a.go", "dir*a.go", "dir/*a.go", "/dir/sub", "sub/deep", "/sub", "dir/sub/", "**", "**/", "*/", "/", "//", "!", "!/",
		"***", "a**", "**a.go", "dir/**a.go", "**/a.go", "/**/a.go", "foo\\", "\\foo", "back\\\\slash", "star\\*", "star[*]", "q\\?.go", "ü*", "[ü].go", "?.go", ".*", "*/a.go", "./a.go", "../x",
		"dir/./a.go", "build/**/z.go", "build/**/gen/**/z.go", "foo.d/**/bar", "foo*/**/bar", "*\n!dir\n!dir/sub\n!dir/sub/a.go", " a.go", "\ta.go", "a.go\t", "[a-", "[\\a].go", "[a\\-z].go", "[--0]*", "[z-a]*", "a.go/", "/a.go/", "dir//a.go",
	} {
		write(t, dir, ".gitignore", rules)
		require.Equal(t, gitList(t, dir), paths(open(t, dir, Options{})), "rules %q", rules)
	}
}

// Ignore files on several levels, info/exclude, tracked files below ignored folders: whatever the patterns, git's list.
func TestRandomIgnoreRulesAreGits(t *testing.T) {
	needGit(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "ab", "a.go", "b.go", ".h", "abc"}
	parts := []string{"a", "b", "ab", "*", "**", "?", "a*", "*.go", "[ab]", "[!a]", "/", "/", "/", "\\a", "abc", ".h", "c"}
	pick := func(s []string) string { return s[rnd.IntN(len(s))] }
	for round := range 40 {
		dir := tempDir(t)
		gitRun(t, dir, "init", "-q")
		folders := []string{""}
		for range 12 {
			folders = append(folders, pick(folders)+pick(names)+"/")
		}
		for range 40 {
			p := filepath.Join(dir, pick(folders)+pick(names))
			os.MkdirAll(filepath.Dir(p), 0o755)
			os.WriteFile(p, nil, 0o644) // fails where a folder has the name
		}
		rules := func() string {
			var b strings.Builder
			for range 1 + rnd.IntN(4) {
				if rnd.IntN(3) == 0 {
					b.WriteByte('!')
				}
				for range 1 + rnd.IntN(4) {
					b.WriteString(pick(parts))
				}
				b.WriteByte('\n')
			}
			return b.String()
		}
		all := []string{}
		for range rnd.IntN(4) {
			d := pick(folders)
			if st, err := os.Stat(filepath.Join(dir, d)); err == nil && st.IsDir() {
				text := rules()
				all = append(all, d+": "+text)
				write(t, dir, d+".gitignore", text)
			}
		}
		text := rules()
		write(t, dir, ".git/info/exclude", text)
		var tracked []string
		for range rnd.IntN(4) {
			p := pick(folders) + pick(names)
			if st, err := os.Stat(filepath.Join(dir, p)); err == nil && st.Mode().IsRegular() {
				gitRun(t, dir, "add", "-f", "--", p)
				tracked = append(tracked, p)
			}
		}
		require.Equal(t, gitList(t, dir), paths(open(t, dir, Options{})), "round %d, exclude %q, %q, tracked %q", round, text, all, tracked)
	}
}

func TestIgnoreCase(t *testing.T) {
	dir := newRepo(t, ".gitignore", "Out/\n*.LOG\n[A-C].go\nKEEP*\n")
	gitRun(t, dir, "config", "core.ignoreCase", "true")
	write(t, dir, "out/a.txt", "", "x.log", "", "b.go", "", "B.go", "", "keep.go", "", "z.go", "")
	require.Equal(t, gitList(t, dir), paths(open(t, dir, Options{})))
	require.Equal(t, []string{".gitignore", "z.go"}, paths(open(t, dir, Options{})))
}

func TestIgnoreFileThatIsALinkIsNotRead(t *testing.T) {
	dir := newRepo(t, "a.go", "", "rules", "*.yaml\n", "b.yaml", "")
	gitRun(t, dir, "rm", "-q", "--cached", "b.yaml")
	require.NoError(t, os.Symlink("rules", filepath.Join(dir, ".gitignore")))
	require.Equal(t, gitList(t, dir), paths(open(t, dir, Options{})))
}

// Patterns that take other matchers exponential time.
func TestPatternsTakeLinearTime(t *testing.T) {
	text := strings.Repeat("a", 4000)
	start := time.Now()
	require.False(t, compileGlob(strings.Repeat("a*", 500)+"b", true, false).match(text))
	require.False(t, compileGlob(strings.Repeat("**/", 500)+"b", true, false).match(strings.Repeat("a/", 2000)))
	require.Less(t, time.Since(start), 30*time.Second)
}

func FuzzGlob(f *testing.F) {
	for _, p := range []string{"a/**/b", "[a-z]*", "[[:alpha:]", "\\", "**/", "x[!"} {
		f.Add(p, "a/b", true)
	}
	f.Fuzz(func(t *testing.T, pattern, text string, pathname bool) {
		if len(pattern)+len(text) < 1000 {
			compileGlob(pattern, pathname, false).match(text)
			compileGlob(pattern, pathname, true).match(text)
		}
	})
}

func FuzzIndex(f *testing.F) {
	dir := newRepo(f, "a.go", "1", "d/b.go", "2")
	for v := 2; v <= 4; v++ {
		gitRun(f, dir, "update-index", "--index-version", fmt.Sprint(v))
		data, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
		require.NoError(f, err)
		clear(data[len(data)-20:]) // no checksum, so that changes get past it
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if ix, err := parseIndex(data, 20); err == nil {
			ix.treeID(20)
		}
	})
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte("[remote \"origin\"]\n\turl = \"https://example.org/x\" ; y\n[core] bare\n"))
	f.Fuzz(func(t *testing.T, data []byte) { parseConfig(data) })
}

func TestConfig(t *testing.T) {
	c := parseConfig([]byte("# x\n[core]\n\tbare = false ; no\n\tworktree=\"../a b\"\\\n/c\n[Remote \"Origin X\"] url = https://example.org/x#y\n\tURL = \"ssh://a;b\"\n[remote \"origin\"]\n  url = a\\\\b\\tc\nflag\n[x\n"))
	require.Equal(t, "false", c.get("core", "", "bare"))
	require.Equal(t, "../a b/c", c.get("core", "", "worktree"))
	require.Equal(t, "ssh://a;b", c.get("remote", "Origin X", "url"))
	require.Equal(t, "a\\b\tc", c.get("remote", "origin", "url"))
	require.Equal(t, "true", c.get("remote", "origin", "flag"))
}

func TestCredentialsAreRemoved(t *testing.T) {
	for in, want := range map[string]string{
		"https://u:p@example.org/a@b": "https://example.org/a@b", "https://tok@example.org/a": "https://example.org/a",
		"ssh://git@example.org/a": "ssh://git@example.org/a", "ssh://git:p@example.org/a": "ssh://git@example.org/a",
		"git@example.org:a": "git@example.org:a", "https://a:b@c:d@example.org": "https://example.org", "/srv/x": "/srv/x", "": "",
		"https://example.org/x?token=y": "https://example.org/x?token=y",
	} {
		require.Equal(t, want, withoutCredentials(in), in)
	}
}

func TestEscapedPathsStayDifferent(t *testing.T) {
	seen := map[string]string{}
	var bytes []string
	for c := range 256 {
		bytes = append(bytes, string([]byte{byte(c)}), "x"+string([]byte{byte(c)})+"0a", fmt.Sprintf(`\x%02x`, c))
	}
	for _, raw := range append(bytes, "ü", "\u202e", "a\\", "a\\\\", "\\\n", "日本.yaml") {
		p := escapePath(raw)
		require.True(t, validName(p), "%q", raw)
		if other, ok := seen[p]; ok {
			require.Equal(t, other, raw)
		}
		seen[p] = raw
	}
}
