package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// asProgram makes the test binary run as the program itself.
const asProgram = "RETRYLINT_TEST_AS_PROGRAM=1"

func TestMain(m *testing.M) {
	if name, value, _ := strings.Cut(asProgram, "="); os.Getenv(name) == value {
		Main(Build{})
	}
	os.Exit(m.Run())
}

func program(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env = append(os.Environ(), asProgram, "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	return cmd
}

func TestVetHandshake(t *testing.T) {
	out, err := program(t, "-V=full").CombinedOutput()
	require.NoError(t, err, "%s", out)
	fields := strings.Fields(string(out))
	require.GreaterOrEqual(t, len(fields), 4, "%s", out)
	require.Equal(t, []string{"version", "devel"}, fields[1:3])
	require.Regexp(t, `^buildID=[0-9a-f]{32}$`, fields[len(fields)-1])

	out, err = program(t, "-flags").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.True(t, strings.HasPrefix(string(out), "["), "%s", out)
}

// TestVetComesFirst: what only a scan needs is not initialised when the go command asks.
func TestVetComesFirst(t *testing.T) {
	cmd := program(t, "-V=full")
	cmd.Env = append(cmd.Env, "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "init os @", "no trace")
	for _, heavy := range []string{"k8s.io/client-go/", "k8s.io/api/core", "k8s.io/api/coordination", "helm.sh/helm/v3/pkg/engine", "sigs.k8s.io/kustomize/api/krusty"} {
		require.NotContains(t, string(out), "init "+heavy)
	}
}

func TestGoVet(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.test/x\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.go"), []byte("package x\n"), 0o644))
	tool := program(t)
	cmd := exec.CommandContext(t.Context(), goTool, "vet", "-vettool="+tool.Path, "./...")
	cmd.Dir, cmd.Env = dir, tool.Env
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestReaderThatGoesAway(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no pipes that break in this way")
	}
	cmd := program(t, "completion", "bash")
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	cmd.Stdout = w
	var errs strings.Builder
	cmd.Stderr = &errs
	err = cmd.Run()
	require.NoError(t, w.Close())
	require.NoError(t, err, errs.String())
	require.Empty(t, errs.String())
}

// BenchmarkVetHandshake is what go vet waits for before each run; it should take less than 20 ms.
func BenchmarkVetHandshake(b *testing.B) {
	for b.Loop() {
		if out, err := program(b, "-V=full").CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
}
