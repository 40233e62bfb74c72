package gosrc

import (
	"go/types"
	"go/version"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The embedded data must hold what the Go that runs this test offers for import. A newer Go may offer more.
func TestStdHasAllPackages(t *testing.T) {
	out, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Skipf("go list std: %v", err)
	}
	var paths []string
	for path := range strings.Lines(string(out)) {
		path = strings.TrimSpace(path)
		if !strings.Contains("/"+path+"/", "/internal/") && !strings.HasPrefix(path, "vendor/") {
			paths = append(paths, path)
		}
	}
	require.Greater(t, len(paths), 150)

	made := StdVersion()
	require.True(t, version.IsValid(made), "version of the data: %q", made)
	newer := version.Compare(version.Lang(runtime.Version()), version.Lang(made)) > 0

	entries, err := openStd()
	require.NoError(t, err)
	set, err := readStd(entries, paths)
	require.NoError(t, err)
	for _, path := range paths {
		pkg := set.packages[path]
		switch {
		case pkg == nil && newer:
			t.Logf("%s is not in the data of %s; run go generate with %s", path, made, runtime.Version())
		case pkg == nil:
			t.Errorf("%s is missing in the data of %s", path, made)
		case !pkg.Complete() || pkg.Path() != path:
			t.Errorf("%s is read as %v, complete %v", path, pkg, pkg.Complete())
		}
	}
}

func TestStdKnownObjects(t *testing.T) {
	std, err := stdFor([]string{"context", "net/http", "time", "io", "slices"})
	require.NoError(t, err)

	do, _, _ := types.LookupFieldOrMethod(std.packages["net/http"].Scope().Lookup("Client").Type(), true, nil, "Do")
	require.NotNil(t, do)
	require.Equal(t, "func (*net/http.Client).Do(req *net/http.Request) (*net/http.Response, error)", do.String())
	require.False(t, do.Pos().IsValid(), "positions would name files of the machine that made the data")

	second := std.packages["time"].Scope().Lookup("Second").(*types.Const)
	require.Equal(t, "1000000000", second.Val().String())

	require.NotNil(t, std.packages["slices"].Scope().Lookup("Sort").Type().(*types.Signature).TypeParams())
}

// A type is the same one whichever package it was reached through.
func TestStdTypesAreIdentical(t *testing.T) {
	std, err := stdFor([]string{"net/http", "context"})
	require.NoError(t, err)
	get, _, _ := types.LookupFieldOrMethod(std.packages["net/http"].Scope().Lookup("Request").Type(), true, nil, "Context")
	result := get.Type().(*types.Signature).Results().At(0).Type()
	require.True(t, types.Identical(result, std.packages["context"].Scope().Lookup("Context").Type()))
}

// What the first call did not read, a later one gets; what was handed out stays as it is.
func TestStdForGrows(t *testing.T) {
	stdMu.Lock()
	before := stdCurrent
	stdCurrent = nil
	stdMu.Unlock()
	t.Cleanup(func() { stdMu.Lock(); stdCurrent = before; stdMu.Unlock() })

	first, err := stdFor([]string{"errors", "example.org/none"})
	require.NoError(t, err)
	require.Len(t, first.packages, 2) // and unsafe
	second, err := stdFor([]string{"net/http"})
	require.NoError(t, err)
	require.NotSame(t, first, second)
	require.Len(t, first.packages, 2)
	require.NotNil(t, second.packages["errors"])
	third, err := stdFor([]string{"debug/elf", "errors"})
	require.NoError(t, err)
	require.Same(t, second, third, "the second call should have read everything")
}
