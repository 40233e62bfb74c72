package source

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func names(repos []Repo) []string {
	out := []string{}
	for _, r := range repos {
		out = append(out, r.Name)
	}
	return out
}

func TestDiscover(t *testing.T) {
	needGit(t)
	org := tempDir(t)
	initRepo(t, filepath.Join(org, "edge", "api"), "a.go", "package a\n")
	initRepo(t, filepath.Join(org, "pay", "api"), "a.go", "package a\n")
	initRepo(t, filepath.Join(org, "pay", "settle"), "a.go", "package a\n")
	initRepo(t, filepath.Join(org, "pay", "settle", "inner"), "a.go", "package a\n")
	initRepo(t, filepath.Join(org, ".cache", "hidden"), "a.go", "package a\n")
	initRepo(t, filepath.Join(org, "web", "node_modules", "dep"), "a.go", "package a\n")
	gitRun(t, org, "init", "-q", "--bare", "mirror")
	gitRun(t, org, "init", "-q", "--bare", "old/ledger.git")
	write(t, org, "web/index.yaml", "a: 1\n", "fixture/deep/bare/HEAD", "ref: x\n", "fixture/deep/bare/objects/x", "", "fixture/deep/bare/refs/x", "")
	require.NoError(t, os.Symlink(filepath.Join(org, "pay"), filepath.Join(org, "zlink")))

	repos, err := Discover([]string{org}, Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"edge-api", "mirror", "ledger", "pay-api", "settle"}, names(repos))
	require.Equal(t, Repo{Name: "edge-api", Dir: filepath.Join(org, "edge", "api"), Kind: WorkTree}, repos[0])
	require.Equal(t, Repo{Name: "ledger", Dir: filepath.Join(org, "old", "ledger.git"), Kind: Bare}, repos[2])

	for arg, want := range map[string]Repo{
		"pay/settle":      {Name: "settle", Kind: WorkTree, Dir: "pay/settle"},
		"pay/settle/":     {Name: "settle", Kind: WorkTree, Dir: "pay/settle"},
		"zlink/settle":    {Name: "settle", Kind: WorkTree, Dir: "pay/settle"},
		"pay/settle/.git": {Name: "settle", Kind: Bare, Dir: "pay/settle/.git"},
		"old/ledger.git":  {Name: "ledger", Kind: Bare, Dir: "old/ledger.git"},
		"web":             {Name: "web", Kind: Plain, Dir: "web"},
	} {
		repos, err := Discover([]string{filepath.Join(org, filepath.FromSlash(arg))}, Options{})
		require.NoError(t, err)
		want.Dir = filepath.Join(org, filepath.FromSlash(want.Dir))
		require.Equal(t, []Repo{want}, repos, arg)
	}

	t.Chdir(filepath.Join(org, "pay", "settle"))
	repos, err = Discover([]string{".", filepath.Join(org, "pay", "settle"), filepath.Join(org, "zlink", "settle")}, Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"settle"}, names(repos), "the same place three times")
}

func TestDiscoverRefuses(t *testing.T) {
	dir := tempDir(t)
	write(t, dir, "file.go", "package a\n", "ok/a.go", "package a\n")
	for _, arg := range []string{"", filepath.Join(dir, "gone"), filepath.Join(dir, "file.go"), "ext::sh -c touch% /tmp/x", "fd::17", "git://example.org/x",
		"https://", "https://example.org", "ssh://-oProxyCommand=x/y", "-oProxyCommand=x:y/z", "https://user:pass@example.org/x", "file://host/x", "file://x",
		"https://example.org/a\nb", "javascript://x", "host:-x"} {
		repos, err := Discover([]string{filepath.Join(dir, "ok"), arg}, Options{})
		var usage *UsageError
		if arg == "" { // the current folder is not meant by nothing
			continue
		}
		require.ErrorAs(t, err, &usage, arg)
		require.Nil(t, repos, arg)
		require.NotContains(t, err.Error(), "pass@", arg)
	}
	_, err := Discover([]string{filepath.Join(dir, "one"), filepath.Join(dir, "two")}, Options{})
	require.ErrorContains(t, err, "one: no such folder")
	require.ErrorContains(t, err, "two: no such folder")
	require.True(t, errors.As(err, new(*UsageError)))
}

func TestDiscoverURLs(t *testing.T) {
	repos, err := Discover([]string{"https://example.org/team/pay.git", "https://user@example.org/other/pay/", "git@example.org:team/edge.git",
		"ssh://git@example.org:2222/team/ledger", "file:///srv/git/audit.git", "https://example.org/team/pay.git"}, Options{})
	require.NoError(t, err)
	require.Equal(t, []Repo{
		{Name: "team-pay", URL: "https://example.org/team/pay.git", Kind: Remote},
		{Name: "other-pay", URL: "https://example.org/other/pay/", Kind: Remote},
		{Name: "edge", URL: "git@example.org:team/edge.git", Kind: Remote},
		{Name: "ledger", URL: "ssh://git@example.org:2222/team/ledger", Kind: Remote},
		{Name: "audit", URL: "file:///srv/git/audit.git", Dir: filepath.FromSlash("/srv/git/audit.git"), Kind: Remote},
	}, repos)
}

func TestMergeKeepsNamesApart(t *testing.T) {
	dir := func(name, d string) Repo { return Repo{Name: name, Dir: d, Kind: Plain} }
	a := []Repo{dir("api", "/x/pay/api"), dir("api", "/x/edge/api"), dir("api", "/y/edge/api"), dir("edge-api", "/z/edge-api"), dir("one", "/x/one")}
	got := Merge(a[:2], a[2:], a[:1])
	require.Equal(t, []string{"pay-api", "edge-api", "edge-api-2", "edge-api-3", "one"}, names(got))
	require.Equal(t, got, Merge(a))
	// The same place at two commits is two repositories.
	require.Equal(t, []string{"x-a", "x-a-2"}, names(Merge([]Repo{{Name: "a", Dir: "/x/a", Ref: "v1"}, {Name: "a", Dir: "/x/a", Ref: "v2"}})))
}

func TestManifests(t *testing.T) {
	dir := tempDir(t)
	write(t, dir, "a.yaml", `repositories:
  - {name: settle, url: "https://example.org/team/pay.git", ref: v1.2, group: payments}
  - url: ../edge
  - git@example.org:team/ledger.git
`, "a.csv", "group,url,ref,name\npayments,https://example.org/team/pay.git,v1.2,settle\n# a remark\n,../edge\n,git@example.org:team/ledger.git,,\n",
		"a.txt", "# all of them\nhttps://example.org/team/pay.git\n\n  ../edge  \r\ngit@example.org:team/ledger.git",
		"headed.txt", "name,url\nsettle,https://example.org/team/pay.git\n",
		"a.json", `{"repositories": [{"url": "https://example.org/team/pay.git"}]}`, "empty.yaml", "", "empty.txt", "")
	edge := Repo{Name: "edge", Dir: filepath.Join(filepath.Dir(dir), "edge")}
	ledger := Repo{Name: "ledger", URL: "git@example.org:team/ledger.git", Kind: Remote}
	pay := Repo{Name: "pay", URL: "https://example.org/team/pay.git", Kind: Remote}
	settle := pay
	settle.Name = "settle"
	full := settle
	full.Ref, full.Group = "v1.2", "payments"
	for file, want := range map[string][]Repo{
		"a.yaml": {full, edge, ledger}, "a.csv": {full, edge, ledger}, "a.txt": {pay, edge, ledger}, "headed.txt": {settle}, "a.json": {pay},
		"empty.yaml": nil, "empty.txt": nil,
	} {
		got, err := ReadManifest(filepath.Join(dir, file))
		require.NoError(t, err, file)
		require.Equal(t, want, got, file)
	}
}

func TestManifestMistakes(t *testing.T) {
	dir := tempDir(t)
	for content, want := range map[string]string{
		"repositories:\n  - {name: a, uri: b}\n":              `line 2: unknown key "uri"`,
		"repositories:\n  - {name: a}\n":                      "line 2: url is missing",
		"repos: []\n":                                         "repos",
		"repositories:\n  - [a]\n":                            "line 2",
		"repositories:\n  - {url: x, ref: --upload-pack=x}\n": "line 2",
		"repositories:\n  - {url: \"ext::sh -c x\"}\n":        "line 2",
		"repositories: [\n":                                   "line",
	} {
		write(t, dir, "m.yaml", content)
		_, err := ReadManifest(filepath.Join(dir, "m.yaml"))
		require.ErrorContains(t, err, want, content)
		require.ErrorAs(t, err, new(*UsageError), content)
		require.ErrorContains(t, err, "m.yaml", content)
	}
	for content, want := range map[string]string{
		"":                         "columns",
		"name,ref\na,b\n":          "no column url",
		"url,branch\na,b\n":        `unknown column "branch"`,
		"url,ref\na,b,c\n":         "line 2: 3 fields",
		"url\n\"a\n":               "quote",
		"url,ref\nx,v1\nhttps:x\n": "", // a path with a colon is a path
		"url,name\nx,\"a\nb\"\n":   "line 2: control characters",
	} {
		write(t, dir, "m.csv", content)
		_, err := ReadManifest(filepath.Join(dir, "m.csv"))
		if want == "" {
			continue
		}
		require.ErrorContains(t, err, want, content)
	}
	_, err := ReadManifest(filepath.Join(dir, "gone.yaml"))
	require.ErrorAs(t, err, new(*UsageError))
}

func TestManifestEntriesAreDecidedByOpen(t *testing.T) {
	needGit(t)
	dir := tempDir(t)
	initRepo(t, filepath.Join(dir, "tree"), "a.go", "lying")
	write(t, dir, "plain/a.go", "plain", "file", "", "m.txt", "tree\nplain\nb.git\ngone\nfile\nlink\n")
	require.NoError(t, os.Symlink("plain", filepath.Join(dir, "link")))
	gitRun(t, dir, "clone", "-q", "--bare", filepath.Join(dir, "tree"), "b.git")
	repos, err := ReadManifest(filepath.Join(dir, "m.txt"))
	require.NoError(t, err)
	for i, kind := range []Kind{WorkTree, Plain, Bare} {
		r := openRepo(t, repos[i], Options{})
		require.Equal(t, kind, r.Repo.Kind)
		require.Equal(t, []string{"a.go"}, paths(r))
	}
	require.Equal(t, []string{"a.go"}, paths(openRepo(t, repos[5], Options{})))
	_, err = Open(t.Context(), repos[3], Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, filepath.Join(dir, "gone"))
	_, err = Open(t.Context(), repos[4], Options{})
	require.ErrorContains(t, err, "a file, not a folder")
}
