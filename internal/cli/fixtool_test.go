package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// madeInLoop makes a key in each attempt; the mend makes it once, before the loop.
const madeInLoop = `package pay

import (
	"crypto/rand"
	"net/http"
	"strings"
	"time"
)

var hc = &http.Client{Timeout: 5 * time.Second}

// Charge tries three times.
func Charge(url, doc string) (err error) {
	for range 3 {
		key := rand.Text()
		req, e := http.NewRequest(http.MethodPost, url, strings.NewReader(doc))
		if e != nil {
			return e
		}
		req.Header.Set("Idempotency-Key", key)
		resp, e := hc.Do(req)
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}
`

// TestFixesOfTheGoCommand lets go vet -fix and go fix mend a fault for real.
func TestFixesOfTheGoCommand(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	tool := program(t)
	for _, args := range [][]string{{"vet", "-vettool=" + tool.Path, "-fix", "./..."}, {"fix", "-fixtool=" + tool.Path, "./..."}} {
		t.Run(args[0], func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.test/pay\n\ngo 1.26\n"), 0o644))
			file := filepath.Join(dir, "pay.go")
			require.NoError(t, os.WriteFile(file, []byte(madeInLoop), 0o644))
			cmd := exec.CommandContext(t.Context(), goTool, args...)
			cmd.Dir, cmd.Env = dir, tool.Env
			out, _ := cmd.CombinedOutput() // what has no mend is still reported
			got, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Less(t, strings.Index(string(got), "rand.Text()"), strings.Index(string(got), "for range 3"), "not mended: %s\n%s", out, got)

			build := exec.CommandContext(t.Context(), goTool, "build", "./...")
			build.Dir, build.Env = dir, tool.Env
			out, err = build.CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
	}
}

// TestGoTool runs the program as a tool of another module.
func TestGoTool(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	dir := t.TempDir()
	_, rest, ok := strings.Cut(string(mod), "\n") // after the module's name: what it requires, the user's module requires too
	require.True(t, ok)
	text := "module example.test/user\n" + rest + "\ntool github.com/retrylint/retrylint/cmd/retrylint\n\nrequire github.com/retrylint/retrylint v0.0.0\n\n" +
		"replace github.com/retrylint/retrylint => " + root + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pay.go"), []byte(madeInLoop), 0o644))
	cmd := exec.CommandContext(t.Context(), goTool, "tool", "retrylint", "scan", "--no-progress", "--cache", "off", "--fail-on", "never", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "key-per-attempt")
}
