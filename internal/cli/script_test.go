package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/retrylint/retrylint/model"
)

var update = flag.Bool("update", false, "write what came out into the scripts")

// TestScripts runs the transcripts under testdata. A script is a txtar: its files are written into an empty folder, its
// comment is a transcript. A line that starts with "$ " is a command; the lines that follow are its standard output, then
// its standard error with "! " in front, then "[exit N]" where N is not 0. Commands are retrylint (run in this process, with
// NAME=value in front and < FILE behind), cat, ls, mkdir, and same, which fails where two files differ. FAKE=FILE in front of a scan answers it with that JSON instead
// of scanning.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			abs, err := filepath.Abs(file)
			require.NoError(t, err)
			archive, err := txtar.ParseFile(abs)
			require.NoError(t, err)
			dir := t.TempDir()
			for _, f := range archive.Files {
				require.True(t, filepath.IsLocal(f.Name), f.Name)
				p := filepath.Join(dir, f.Name)
				require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
				require.NoError(t, os.WriteFile(p, f.Data, 0o644))
			}
			t.Chdir(dir)
			got := transcript(t, string(archive.Comment), dir)
			if got == string(archive.Comment) {
				return
			}
			if *update {
				archive.Comment = []byte(got)
				require.NoError(t, os.WriteFile(abs, txtar.Format(archive), 0o644))
				return
			}
			t.Error(firstDifference(string(archive.Comment), got))
		})
	}
}

// firstDifference shows two transcripts from the command on whose output differs first.
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n$ "), strings.Split(got, "\n$ ")
	for i := range w {
		if i >= len(g) || w[i] != g[i] {
			return fmt.Sprintf("$ %s\n--- want, instead of\n$ %s", w[i], g[min(i, len(g)-1)])
		}
	}
	return "got more than is wanted:\n" + got
}

// transcript runs the commands of a script and writes what came out in their place. Lines before the first command and
// remarks ("$ # ...") are kept.
func transcript(t *testing.T, script, dir string) string {
	t.Helper()
	var out strings.Builder
	started := false
	for line := range strings.Lines(script) {
		cmd, ok := strings.CutPrefix(line, "$ ")
		switch {
		case ok:
			started = true
			out.WriteString(line)
			if !strings.HasPrefix(cmd, "#") {
				out.WriteString(command(t, strings.TrimSpace(cmd), dir))
			}
		case !started:
			out.WriteString(line)
		}
	}
	return out.String()
}

func command(t *testing.T, line, dir string) string {
	t.Helper()
	words := splitWords(line)
	var env []string
	for len(words) > 0 && strings.Contains(words[0], "=") {
		env, words = append(env, words[0]), words[1:]
	}
	require.NotEmpty(t, words, line)
	var stdin io.Reader = strings.NewReader("")
	if n := len(words); n > 2 && words[n-2] == "<" {
		data, err := os.ReadFile(words[n-1])
		require.NoError(t, err)
		stdin, words = bytes.NewReader(data), words[:n-2]
	}
	var stdout, stderr bytes.Buffer
	code := 0
	switch words[0] {
	case "retrylint":
		a := &app{env: envMap(env), stdin: stdin, stdout: &stdout, stderr: &stderr, scan: runScan}
		if file := a.env["FAKE"]; file != "" {
			a.scan = fakeScan(file)
		}
		code = a.run(t.Context(), words[1:])
	case "cat":
		data, err := os.ReadFile(words[1])
		require.NoError(t, err)
		stdout.Write(data)
	case "ls":
		entries, err := os.ReadDir(words[1])
		require.NoError(t, err)
		for _, e := range entries {
			fmt.Fprintln(&stdout, e.Name())
		}
	case "same":
		a, err := os.ReadFile(words[1])
		require.NoError(t, err)
		b, err := os.ReadFile(words[2])
		require.NoError(t, err)
		require.Equal(t, string(a), string(b), line)
	case "mkdir":
		require.NoError(t, os.MkdirAll(words[1], 0o755))
	default:
		t.Fatalf("unknown command %q", line)
	}
	var out strings.Builder
	write := func(prefix, text string) {
		for l := range strings.Lines(strings.ReplaceAll(text, dir, "$DIR")) {
			out.WriteString(prefix + strings.TrimRight(l, " \n") + "\n")
		}
	}
	write("", stdout.String())
	write("! ", stderr.String())
	if code != 0 {
		fmt.Fprintf(&out, "[exit %d]\n", code)
	}
	return out.String()
}

// fakeScan answers with the JSON of a file, and notes what was asked for in request.txt.
func fakeScan(file string) func(context.Context, request) (*model.Result, error) {
	return func(_ context.Context, req request) (*model.Result, error) {
		note := fmt.Sprintf("paths=%v manifest=%q newFrom=%q shard=%d/%d facts=%q cache=%q full=%v verbose=%v config=%v\n",
			req.Paths, req.Manifest, req.NewFrom, req.Shard, req.Shards, req.Facts, req.Cache, req.FullTypes, req.Verbose, req.Config != nil)
		if err := os.WriteFile("request.txt", []byte(note), 0o644); err != nil {
			return nil, err
		}
		switch file {
		case "usage":
			return nil, scanUsage{errors.New("no/such/folder: does not exist")}
		case "error":
			return nil, errors.New("read cache: disk full")
		case "shard":
			return nil, nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var r model.Result
		return &r, json.Unmarshal(data, &r)
	}
}

// splitWords splits as a shell does, as far as single and double quotes go.
func splitWords(s string) []string {
	var out []string
	var cur strings.Builder
	quote, inWord := rune(0), false
	for _, r := range s {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			cur.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ':
			if inWord {
				out = append(out, cur.String())
				cur.Reset()
				inWord = false
			}
		default:
			cur.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		out = append(out, cur.String())
	}
	return out
}

func TestEveryFlagHasHelp(t *testing.T) {
	root := (&app{}).root()
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
		require.NotEmpty(t, c.Short, c.Name())
	}
	sort.Strings(names)
	require.Contains(t, names, "scan")
	scan, _, err := root.Find([]string{"scan"})
	require.NoError(t, err)
	for _, name := range []string{"format", "output", "config", "fail-on", "baseline", "new-from", "only", "skip", "manifest", "shard", "facts",
		"jobs", "cache", "no-progress", "color", "allow-partial", "verbose", "types", "log-format"} {
		f := scan.Flags().Lookup(name)
		require.NotNil(t, f, name)
		require.NotEmpty(t, f.Usage, name)
	}
}
