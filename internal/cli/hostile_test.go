//go:build unix

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/report"
)

// ranProgram is how one run of the program went.
type ranProgram struct {
	code    int
	took    time.Duration
	memory  int64 // bytes at most resident
	stderr  string
	reports map[string][]byte // by format
}

// scanAll runs the real program over the paths, with a report in every format.
func scanAll(t *testing.T, args ...string) ranProgram {
	t.Helper()
	out := t.TempDir()
	call := []string{"scan", "--cache", "off", "--no-progress", "--color", "never"}
	for _, f := range report.All() {
		call = append(call, "--format", f.Name, "--output", filepath.Join(out, f.Name))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	exe := program(t).Path
	cmd := exec.CommandContext(ctx, exe, append(call, args...)...)
	cmd.Env = append(os.Environ(), asProgram)
	var errs bytes.Buffer
	cmd.Stderr, cmd.Stdout = &errs, &errs
	start := time.Now()
	err := cmd.Run()
	r := ranProgram{code: cmd.ProcessState.ExitCode(), took: time.Since(start), stderr: errs.String(), reports: map[string][]byte{}}
	var exit *exec.ExitError
	require.True(t, err == nil || errors.As(err, &exit), "%v", err)
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.memory = u.Maxrss
		if runtime.GOOS == "linux" {
			r.memory *= 1024
		}
	}
	for _, f := range report.All() {
		if data, err := os.ReadFile(filepath.Join(out, f.Name)); err == nil {
			r.reports[f.Name] = data
		}
	}
	return r
}

func (r ranProgram) result(t *testing.T) *model.Result {
	t.Helper()
	require.NotEmpty(t, r.reports["json"], "no report: %s", r.stderr)
	var res model.Result
	require.NoError(t, json.Unmarshal(r.reports["json"], &res))
	return &res
}

var codeSpans = regexp.MustCompile("(?m)(?:`` .*? ``|`[^`\n]+`)")

// harmless checks that no report carries what the scanned repository wanted a reader to see or run.
func (r ranProgram) harmless(t *testing.T) {
	t.Helper()
	control := regexp.MustCompile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u0080-\u009f\u202a-\u202e\u2066-\u2069]")
	if at := control.FindString(r.stderr); at != "" {
		t.Errorf("standard error: control character %q", at)
	}
	for name, data := range r.reports {
		if at := control.FindIndex(data); at != nil {
			t.Errorf("%s: control character in %q", name, data[max(0, at[0]-60):min(len(data), at[1]+60)])
		}
		switch name {
		case "html", "markdown":
			if name == "markdown" {
				data = codeSpans.ReplaceAll(data, []byte("CODE")) // shown as they are
			}
			for _, bad := range []string{"<script>alert", "<img src=x"} {
				if i := bytes.Index(data, []byte(bad)); i >= 0 {
					t.Errorf("%s: %q", name, data[max(0, i-80):min(len(data), i+80)])
				}
			}
		case "checkstyle", "junit":
			d := xml.NewDecoder(bytes.NewReader(data))
			for {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Errorf("%s: %v", name, err)
					break
				}
			}
		case "json", "sarif", "sarif-github", "gitlab":
			if !json.Valid(data) {
				t.Errorf("%s is no JSON", name)
			}
		case "github":
			for line := range strings.Lines(string(data)) {
				if strings.HasPrefix(line, "::error::boom") {
					t.Errorf("github: command of the repository: %q", line)
				}
			}
		}
	}
}

// TestHostileRepositories scans each repository of the corpus alone, and then all of them together with the demo organisation,
// whose findings must be the same as without them.
// RETRYLINT_HOSTILE_SCALE=1 makes the repositories as large as a person would.
func TestHostileRepositories(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	scale := 0.05
	if s := os.Getenv("RETRYLINT_HOSTILE_SCALE"); s != "" {
		var err error
		scale, err = strconv.ParseFloat(s, 64)
		require.NoError(t, err)
	}
	dir := t.TempDir()
	var all []string
	for _, h := range corpus(scale) {
		p := h.make(t, dir)
		all = append(all, p)
		t.Run(strings.ToValidUTF8(h.name, ""), func(t *testing.T) {
			r := scanAll(t, "--fail-on", "never", p)
			t.Logf("exit %d after %.1f s, %d MB", r.code, r.took.Seconds(), r.memory>>20)
			require.NotContains(t, r.stderr, "goroutine ", "panic")
			require.Less(t, r.took, 20*time.Second)
			require.Less(t, r.memory, int64(1500<<20))
			res := r.result(t)
			for _, g := range res.Incomplete {
				require.NotContains(t, g.Reason, "runtime error")
				require.NotContains(t, g.Reason, "internal error")
			}
			require.Equal(t, h.code, r.code, "%v", res.Incomplete)
			require.Equal(t, h.code != 0, len(res.Incomplete) > 0, "%v", res.Incomplete)
			for _, want := range h.incomplete {
				found := false
				for _, g := range res.Incomplete {
					found = found || g.Path == want
				}
				require.True(t, found, "%s is not among %v", want, res.Incomplete)
			}
			r.harmless(t)
		})
	}
	witnesses := []string{"scheduler", "settle-service", "payout-gateway", "ledger"}
	var demo []string
	for _, name := range witnesses {
		to := filepath.Join(dir, "demo", name)
		require.NoError(t, os.CopyFS(to, os.DirFS("../../testdata/payments/"+name)))
		demo = append(demo, to)
	}
	findings := func(r ranProgram) []model.FindingInfo {
		var out []model.FindingInfo
		for _, f := range r.result(t).Findings {
			for _, w := range witnesses {
				if f.Repository == w {
					out = append(out, f)
				}
			}
		}
		return out
	}
	alone := scanAll(t, demo...)
	require.Equal(t, exitFindings, alone.code)
	require.NotEmpty(t, findings(alone))
	together := scanAll(t, append(all, demo...)...)
	t.Logf("together: exit %d after %.1f s, %d MB", together.code, together.took.Seconds(), together.memory>>20)
	require.Equal(t, exitFindings, together.code, together.stderr)
	require.Equal(t, findings(alone), findings(together))
	require.Less(t, together.memory, int64(1500<<20))
	together.harmless(t)

	missing := scanAll(t, append(demo, filepath.Join(dir, "nowhere"))...)
	require.Equal(t, exitUsage, missing.code)
	require.Empty(t, missing.reports, "nothing is scanned")
}
