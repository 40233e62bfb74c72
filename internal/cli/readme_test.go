package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/guide"
)

// readme is the README's text, and its indented blocks.
func readme(t *testing.T) (text string, blocks []string) {
	t.Helper()
	data, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	var block []string
	flush := func() {
		if b := strings.TrimSpace(strings.Join(block, "\n")); b != "" {
			blocks = append(blocks, strings.Trim(strings.Join(block, "\n"), "\n"))
		}
		block = nil
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\n")
		code, indented := strings.CutPrefix(line, "    ")
		switch {
		case indented:
			block = append(block, code)
		case line == "":
			block = append(block, "")
		default:
			flush()
		}
	}
	flush()
	return string(data), blocks
}

// words splits a command line as a shell does, as far as the README goes: quotes, and comments at the end.
func words(line string) []string {
	var out []string
	for _, w := range regexp.MustCompile(`"[^"]*"|'[^']*'|\S+`).FindAllString(line, -1) {
		if strings.HasPrefix(w, "#") {
			break
		}
		out = append(out, strings.Trim(w, `"'`))
	}
	return out
}

func runHere(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, nil, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// Each command of the README has the flags that it is shown with; those that need nothing but this repository are run.
func TestReadmeCommands(t *testing.T) {
	_, blocks := readme(t)
	t.Chdir("../..")
	seen := map[string]int{}
	for _, b := range blocks {
		for line := range strings.SplitSeq(b, "\n") {
			w := words(line)
			if len(w) < 2 || w[0] != "bin/retrylint" && w[0] != "retrylint" {
				continue
			}
			args := w[1:]
			if args[0] == "..." {
				continue
			}
			root := (&app{}).root()
			cmd, rest, err := root.Find(args)
			require.NoError(t, err, line)
			require.NotEqual(t, root, cmd, "no such command: %s", line)
			require.NoError(t, cmd.ParseFlags(rest), line)
			seen[cmd.Name()]++
			local := cmd.Name() == "window" || cmd.Name() == "simulate"
			if i := slices.Index(args, "testdata/payments/*"); i >= 0 {
				dirs, err := filepath.Glob(args[i])
				require.NoError(t, err)
				args, local = slices.Concat(args[:i], dirs, args[i+1:]), true
			}
			if local {
				code, out, errs := runHere(t, args...)
				require.Contains(t, []int{exitOK, exitFindings}, code, "%s: %s", line, errs)
				require.NotEmpty(t, out, line)
			}
		}
	}
	require.GreaterOrEqual(t, seen["scan"], 6, "the README is read at all")
	require.NotZero(t, seen["window"])
}

// Commands that the text names exist.
func TestReadmeNamesCommands(t *testing.T) {
	text, _ := readme(t)
	named := regexp.MustCompile("`(?:bin/)?retrylint ([a-z][^`]*)`").FindAllStringSubmatch(text, -1)
	require.NotEmpty(t, named)
	root := (&app{}).root()
	fleet := []string{"enqueue", "worker"} // the module fleet builds them
	for _, m := range named {
		w := words(m[1])
		if slices.Contains(fleet, w[0]) {
			continue
		}
		cmd, _, err := root.Find(w[:1])
		require.NoError(t, err, m[0])
		require.Equal(t, w[0], cmd.Name(), m[0])
	}
}

func TestReadmeSample(t *testing.T) {
	_, blocks := readme(t)
	i := slices.IndexFunc(blocks, func(b string) bool { return strings.HasPrefix(b, "ledger/main.go:") })
	require.GreaterOrEqual(t, i, 0)
	dirs, err := filepath.Glob("../../testdata/payments/*")
	require.NoError(t, err)
	code, out, errs := runHere(t, append([]string{"scan", "--no-progress"}, dirs...)...)
	require.Equal(t, exitFindings, code, errs)
	require.True(t, strings.HasPrefix(out, blocks[i]+"\n"), "README.md shows what the demo does not print; it prints:\n%s", out)
}

func TestReadmeRules(t *testing.T) {
	text, _ := readme(t)
	_, table, ok := strings.Cut(text, "| group | rules |\n|---|---|\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n\n")
	got := map[string]string{}
	for line := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(line, "|")
		require.Len(t, cells, 4, line)
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[2], -1) {
			got[m[1]] = strings.TrimSpace(cells[1])
		}
	}
	want := map[string]string{}
	for _, r := range guide.Rules() {
		if r.ID != config.SuppressionRule {
			want[r.ID] = r.Group
		}
	}
	require.Equal(t, want, got)
}

func TestReadmeConfiguration(t *testing.T) {
	_, blocks := readme(t)
	found := 0
	for _, b := range blocks {
		if !strings.HasPrefix(b, "version: 1\n") {
			continue
		}
		found++
		file := filepath.Join(t.TempDir(), config.FileName)
		require.NoError(t, os.WriteFile(file, []byte(b+"\n"), 0o644))
		code, out, errs := runHere(t, "config", "verify", file)
		require.Equal(t, exitOK, code, "%s%s", out, errs)
	}
	require.NotZero(t, found)
}
