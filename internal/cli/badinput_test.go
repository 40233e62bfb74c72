package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// demo is the arguments of a scan of the demo organisation.
func demo(t *testing.T, flags ...string) []string {
	t.Helper()
	dirs, err := filepath.Glob("../../testdata/payments/*")
	require.NoError(t, err)
	for i := range dirs {
		dirs[i], err = filepath.Abs(dirs[i])
		require.NoError(t, err)
	}
	return append(append([]string{"scan", "--no-progress"}, flags...), dirs...)
}

func TestOutputThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	for _, out := range []string{filepath.Join(dir, "missing/x.json"), filepath.Join(file, "x.json"), dir} {
		code, stdout, stderr := runHere(t, demo(t, "--format", "json", "--output", out, "--format", "text")...)
		require.Equal(t, exitUsage, code, out)
		require.Empty(t, stdout, "known before the work is done")
		require.Contains(t, stderr, "write "+out)
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing half written")
}

// A device or a pipe is written to, and a link leads to its file; none of them is replaced by a file of that name.
func TestOutputThatIsNoFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no devices in the file system")
	}
	dir := t.TempDir()
	link := filepath.Join(dir, "null.json")
	require.NoError(t, os.Symlink(os.DevNull, link))
	code, _, stderr := runHere(t, demo(t, "--format", "json", "--output", link, "--fail-on", "never")...)
	require.Equal(t, exitOK, code, stderr)
	info, err := os.Stat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeDevice, "still a device")

	real := filepath.Join(dir, "real.json")
	require.NoError(t, os.WriteFile(real, []byte("old"), 0o600))
	other := filepath.Join(dir, "other.json")
	require.NoError(t, os.Symlink("real.json", other))
	code, _, stderr = runHere(t, demo(t, "--format", "json", "--output", other, "--fail-on", "never")...)
	require.Equal(t, exitOK, code, stderr)
	data, err := os.ReadFile(real)
	require.NoError(t, err)
	require.True(t, json.Valid(data))
	info, err = os.Lstat(other)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink, "still a link")

	cmd := program(t, demo(t, "--format", "json", "--output", "/dev/stdout", "--fail-on", "never")...)
	out, err := cmd.Output()
	require.NoError(t, err)
	require.True(t, json.Valid(out))
}

func TestFullDevice(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full")
	}
	defer full.Close()
	var exit *exec.ExitError
	cmd := program(t, demo(t)...)
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = full, &stderr
	require.ErrorAs(t, cmd.Run(), &exit)
	require.Equal(t, exitUsage, exit.ExitCode())
	require.Contains(t, stderr.String(), "no space left on device")
}

func TestPipeThatBreaks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no pipes that break in this way")
	}
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	cmd := program(t, demo(t, "--format", "json")...)
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &stderr
	var exit *exec.ExitError
	require.ErrorAs(t, cmd.Run(), &exit)
	require.NoError(t, w.Close())
	require.Equal(t, exitFindings, exit.ExitCode(), "what was found decides, whoever reads it")
	require.Empty(t, stderr.String())
}

func TestBaselineThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"of another version": {`{"version": 99}`, "version 99"},
		"no JSON":            {"nonsense", "not the JSON of a scan"},
		"empty":              {"", "the file is empty or cut off"},
		"JSON of others":     {`{"runs": []}`, "version"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, "baseline.json")
			require.NoError(t, os.WriteFile(file, []byte(c.text), 0o644))
			code, stdout, stderr := runHere(t, demo(t, "--baseline", file)...)
			require.Equal(t, exitUsage, code)
			require.Empty(t, stdout)
			require.Contains(t, stderr, c.want)
			require.Contains(t, stderr, file)
		})
	}
	code, _, stderr := runHere(t, demo(t, "--baseline", filepath.Join(dir, "missing.json"))...)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "no such file")
}

func TestConfigurationWithUnknownKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "org.yaml")
	require.NoError(t, os.WriteFile(file, []byte("version: 1\nsafetyfactor: 3\nreplay: {operatorRerum: {delay: 1h}}\n"), 0o644))
	for _, args := range [][]string{demo(t, "--config", file), {"config", "verify", file}} {
		code, stdout, stderr := runHere(t, args...)
		require.Equal(t, exitUsage, code)
		require.Empty(t, stdout)
		require.Contains(t, stderr, file+`:2:1: unknown key "safetyfactor" (did you mean "safetyFactor"?)`)
		require.Contains(t, stderr, `:3:10: unknown key "operatorRerum" in replay (did you mean "operatorRerun"?)`)
	}
}

// In a terminal of 40 columns no line is longer, but for names that cannot be broken.
func TestNarrowTerminal(t *testing.T) {
	var out, errs bytes.Buffer
	code := run(t.Context(), demo(t, "--color", "never"), []string{"COLUMNS=40"}, strings.NewReader(""), &out, &errs)
	require.Equal(t, exitFindings, code, errs.String())
	for line := range strings.Lines(out.String()) {
		line = strings.TrimRight(line, "\n")
		if utf8.RuneCountInString(line) > 40 {
			require.Len(t, strings.Fields(line), 1, "%q is longer than the terminal", line)
		}
	}
	require.Contains(t, out.String(), "27 attempts")
}
