package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// The files by which people get and run the program are held against the program: their command lines are run.

func readYAML(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../..", file))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, into), file)
}

// shell runs a script with this program as retrylint, in a folder.
func shell(t *testing.T, dir, script string, env ...string) (code int, output string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no bash")
	}
	self := program(t)
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "retrylint"), []byte("#!/bin/sh\nexec '"+self.Path+"' \"$@\"\n"), 0o755))
	cmd := exec.CommandContext(t.Context(), bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(append(self.Env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH")), env...)
	out, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(out)
}

func TestAction(t *testing.T) {
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Using string
			Steps []struct {
				Name, If, Shell, Run, Uses string
				Env                        map[string]string
			}
		}
	}
	readYAML(t, "action.yml", &action)
	require.Equal(t, "composite", action.Runs.Using)
	input := regexp.MustCompile(`^\$\{\{ inputs\.([a-z-]+) \}\}$`)
	ran := false
	for _, step := range action.Runs.Steps {
		if step.Run != "" {
			require.Equal(t, "bash", step.Shell, step.Name)
			require.NotContains(t, step.Run, "${{", "%s: inputs go through the environment, or they are code", step.Name)
		}
		for name, value := range step.Env {
			m := input.FindStringSubmatch(value)
			require.NotNil(t, m, "%s=%s", name, value)
			require.Contains(t, action.Inputs, m[1])
		}
		if step.Name != "scan" {
			continue
		}
		ran = true
		dir := payments(t)
		summary := filepath.Join(dir, "summary.md")
		env := func(over map[string]string) []string {
			out := []string{"GITHUB_STEP_SUMMARY=" + summary}
			for name, value := range step.Env {
				v := action.Inputs[input.FindStringSubmatch(value)[1]].Default
				if o, ok := over[name]; ok {
					v = o
				}
				out = append(out, name+"="+v)
			}
			return out
		}
		several := "scheduler settle-service payout-gateway ledger"
		code, out := shell(t, dir, step.Run, env(map[string]string{"PATHS": several})...)
		require.Equal(t, exitFindings, code, out)
		require.Contains(t, out, "::error file=")
		data, err := os.ReadFile(filepath.Join(dir, action.Inputs["sarif"].Default))
		require.NoError(t, err)
		require.True(t, json.Valid(data))
		data, err = os.ReadFile(summary)
		require.NoError(t, err)
		require.Contains(t, string(data), "27 attempts")

		require.NoError(t, os.WriteFile(filepath.Join(dir, "org.yaml"), []byte("version: 1\n"), 0o644))
		code, out = shell(t, dir, "retrylint scan --format json --output last.json --fail-on never "+several)
		require.Zero(t, code, out)
		code, out = shell(t, dir, step.Run, env(map[string]string{"PATHS": several, "CONFIG": "org.yaml", "BASELINE": "last.json"})...)
		require.Equal(t, exitOK, code, "what the baseline has does not count: %s", out)
		code, out = shell(t, dir, step.Run, env(map[string]string{"PATHS": several, "FAIL_ON": "nonsense"})...)
		require.Equal(t, exitUsage, code, out)
	}
	require.True(t, ran, "the step is there")
}

func TestGitLabTemplate(t *testing.T) {
	var file map[string]struct {
		Variables map[string]string
		Script    []string
		Image     string
		Artifacts struct {
			When    string
			Reports map[string]string
		}
	}
	readYAML(t, "ci/gitlab.yml", &file)
	job := file["retrylint"]
	require.Equal(t, "always", job.Artifacts.When, "the report is wanted where there are findings")
	require.True(t, strings.HasPrefix(job.Image, "golang:"+goVersion(t)), job.Image)
	dir := payments(t)
	var env []string
	for k, v := range job.Variables {
		env = append(env, k+"="+v)
	}
	code, out := shell(t, dir, strings.Join(job.Script, "\n"), env...)
	require.Contains(t, []int{exitOK, exitFindings}, code, out)
	require.Contains(t, out, "in 1 repository", "the text goes to the log")
	data, err := os.ReadFile(filepath.Join(dir, job.Artifacts.Reports["codequality"]))
	require.NoError(t, err)
	var issues []map[string]any
	require.NoError(t, json.Unmarshal(data, &issues))
	require.NotEmpty(t, issues)
}

func TestPreCommitHooks(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	var hooks []struct {
		ID, Entry, Language string
		PassFilenames       *bool `yaml:"pass_filenames"`
		RequireSerial       bool  `yaml:"require_serial"`
	}
	readYAML(t, ".pre-commit-hooks.yaml", &hooks)
	require.NotEmpty(t, hooks)
	dir := filepath.Join(payments(t), "ledger")
	git := `git -c init.defaultBranch=main init -q . && git add -A && git -c user.name=a -c user.email=a@example.test commit -qm a`
	code, out := shell(t, dir, git, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	require.Zero(t, code, out)
	bad := "package main\n\nimport \"net/http\"\n\nfunc again() {\n\tfor {\n\t\tif _, err := http.Post(\"http://a.test/x\", \"\", nil); err == nil {\n\t\t\treturn\n\t\t}\n\t}\n}\n"
	for _, h := range hooks {
		require.Equal(t, "golang", h.Language)
		require.NotNil(t, h.PassFilenames, h.ID)
		require.False(t, *h.PassFilenames, "chains need all files")
		require.True(t, h.RequireSerial)
		code, out := shell(t, dir, h.Entry)
		require.Equal(t, exitOK, code, "%s: %s", h.ID, out)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "again.go"), []byte(bad), 0o644))
		code, out = shell(t, dir, "git add -A && "+h.Entry)
		require.Equal(t, exitFindings, code, "%s: %s", h.ID, out)
		require.Contains(t, out, "again.go")
		require.NoError(t, os.Remove(filepath.Join(dir, "again.go")))
	}
}

// goVersion is the language version of the module: 1.26.
func goVersion(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	m := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(data)
	require.NotNil(t, m)
	return string(m[1])
}

// versionFlag finds what release builds set.
var versionFlag = regexp.MustCompile(`-X ([a-z.]+)=`)

func TestDockerfile(t *testing.T) {
	data, err := os.ReadFile("../../Dockerfile")
	require.NoError(t, err)
	text := string(data)
	require.Contains(t, text, "FROM golang:"+goVersion(t)+"-alpine")
	require.Equal(t, "main.version", versionFlag.FindStringSubmatch(text)[1])
	require.DirExists(t, "../../cmd/retrylint")
	require.Contains(t, text, " ./cmd/retrylint\n")
	require.Contains(t, text, "CGO_ENABLED=0", "the program runs without the builder's C library")
	require.Contains(t, text, "-p /rootfs git")
	user := regexp.MustCompile(`(?m)^USER (\d+)$`).FindStringSubmatch(text)
	require.NotNil(t, user, "by number, so that a cluster can see that it is not root")
	require.NotEqual(t, "0", user[1])
	command := regexp.MustCompile(`(?m)^CMD (\[.*\])$`).FindStringSubmatch(text)
	require.NotNil(t, command)
	var args []string
	require.NoError(t, json.Unmarshal([]byte(command[1]), &args))
	t.Chdir(filepath.Join(payments(t), "payout-gateway"))
	code, out, errs := runHere(t, args...)
	require.Equal(t, exitOK, code, "%s%s", out, errs)
}

func TestRelease(t *testing.T) {
	var release struct {
		Version int
		Builds  []struct {
			Main    string
			Ldflags []string
			Goos    []string
		}
		Archives []struct{ Files []string }
		Nfpms    []struct{ Dependencies, Formats []string }
		Checksum map[string]string
		Sboms    []map[string]any
	}
	readYAML(t, ".goreleaser.yaml", &release)
	require.Equal(t, 2, release.Version)
	require.NotEmpty(t, release.Builds)
	source, err := os.ReadFile("../../cmd/retrylint/main.go")
	require.NoError(t, err)
	require.Contains(t, string(source), "\nvar version string\n")
	for _, b := range release.Builds {
		require.DirExists(t, filepath.Join("../..", b.Main))
		require.Equal(t, "main.version", versionFlag.FindStringSubmatch(strings.Join(b.Ldflags, " "))[1])
	}
	for _, a := range release.Archives {
		for _, f := range a.Files {
			found, err := filepath.Glob(filepath.Join("../..", f))
			require.NoError(t, err)
			require.NotEmpty(t, found, f)
		}
	}
	require.NotEmpty(t, release.Sboms)
	require.NotEmpty(t, release.Checksum)
	require.True(t, slices.Contains(release.Nfpms[0].Dependencies, "git"), "URLs are cloned with git")
}
