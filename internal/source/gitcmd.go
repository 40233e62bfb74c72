package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// gitProgram returns the path of git, "" where there is none or none is wanted.
func (o Options) gitProgram() string {
	switch o.Git {
	case "none":
		return ""
	case "":
		path, err := exec.LookPath("git")
		if err != nil {
			return ""
		}
		return path
	}
	return o.Git
}

// baseConfig is handed to every git command. Most of it concerns commands that are never given here; it is a second fence.
var baseConfig = []string{
	"core.hooksPath=" + os.DevNull,
	"core.fsmonitor=false",
	"core.attributesFile=" + os.DevNull,
	"core.excludesFile=" + os.DevNull,
	"core.symlinks=false",
	"core.pager=cat",
	"credential.helper=",
	"protocol.ext.allow=never",
	"protocol.fd.allow=never",
	"gc.auto=0",
	"maintenance.auto=false",
	"fetch.recurseSubmodules=false",
	"submodule.recurse=false",
	"transfer.bundleURI=false",
	"transfer.credentialsInUrl=die",
	"fetch.writeCommitGraph=false",
	"advice.detachedHead=false",
	"http.lowSpeedLimit=1000",
	"http.lowSpeedTime=60",
}

// shortTimeout limits commands that look up a name: they take milliseconds, unless something in the git folder is a trap.
const shortTimeout = time.Minute

// env is the whole environment of a git process. Nothing is inherited but what is named here: in particular no GIT_DIR of
// a hook that retrylint may run in, and no configuration of the user.
//
// protocols are the transports that may be used, "none" for commands that only read objects: a partial clone can be
// configured to fetch what is missing with any command that its configuration names, and GIT_ALLOW_PROTOCOL is the only
// setting that a repository's own configuration cannot take back.
//
// GIT_DIR is always explicit. Git then looks for no repository and asks for no owner, so that repositories of another
// user can be read.
func env(gitDir, protocols string) []string {
	e := []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + os.DevNull,
		"LC_ALL=C",
		"GIT_DIR=" + gitDir,
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ASKPASS=",
		"GIT_LFS_SKIP_SMUDGE=1",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=" + protocols,
	}
	for _, name := range []string{"SYSTEMROOT", "TMPDIR", "TEMP", "TMP"} {
		if v, ok := os.LookupEnv(name); ok {
			e = append(e, name+"="+v)
		}
	}
	return e
}

// gitCommand makes a git command that dies with ctx, together with the processes that it started.
func gitCommand(ctx context.Context, git string, environ []string, args ...string) *exec.Cmd {
	all := make([]string, 0, 2*len(baseConfig)+len(args)+1)
	all = append(all, "--no-pager")
	for _, c := range baseConfig {
		all = append(all, "-c", c)
	}
	cmd := exec.CommandContext(ctx, git, append(all, args...)...)
	cmd.Env = environ
	cmd.WaitDelay = 5 * time.Second
	cmd.Stderr = &tail{}
	ownGroup(cmd)
	return cmd
}

// runGit runs a short git command and returns its output.
func runGit(ctx context.Context, git string, environ []string, timeout time.Duration, input string, args ...string) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := gitCommand(limited, git, environ, args...)
	cmd.Stdin = strings.NewReader(input)
	out := &capped{max: 64 << 20}
	cmd.Stdout = out
	err := cmd.Run()
	return out.buf.Bytes(), gitError(ctx, limited, cmd, err, timeout)
}

// gitError explains why a git command failed.
func gitError(ctx, limited context.Context, cmd *exec.Cmd, err error, timeout time.Duration) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return fmt.Errorf("git took longer than %s", timeout)
	}
	if t, ok := cmd.Stderr.(*tail); ok {
		if msg := t.String(); msg != "" {
			return fmt.Errorf("git: %s", msg)
		}
	}
	return fmt.Errorf("git: %w", err)
}

// tail keeps the last bytes of what git says.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if n := len(t.buf) - 4096; n > 0 {
		t.buf = append(t.buf[:0], t.buf[n:]...)
	}
	return len(p), nil
}

// String returns the messages as one printable line, the fatal one alone if there is one.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for line := range strings.SplitSeq(string(t.buf), "\n") {
		line = strings.TrimSpace(strings.ReplaceAll(line, "\r", " "))
		if rest, ok := strings.CutPrefix(line, "fatal: "); ok {
			lines = append(lines[:0], rest)
		} else if line != "" && len(lines) < 8 {
			lines = append(lines, line)
		}
	}
	return escapePath(strings.Join(lines, "; "))
}

// capped keeps output up to a limit, and refuses more.
type capped struct {
	buf bytes.Buffer
	max int
}

func (c *capped) Write(p []byte) (int, error) {
	if c.buf.Len()+len(p) > c.max {
		return 0, errors.New("too much output")
	}
	return c.buf.Write(p)
}
