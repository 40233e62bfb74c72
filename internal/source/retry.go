package source

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"time"
)

// A fetch is tried three times in all. The waits are those that the linter asks others for: growing, fully jittered, and
// within the time of the whole fetch.
const (
	fetchAttempts  = 3
	firstFetchWait = 2 * time.Second
)

// passing are the words of git, curl, ssh and Go for faults that may be over soon. What is not among them (a wrong
// password, a repository or branch that is not there) would only be asked for again in vain.
var passing = regexp.MustCompile(`(?i)could not resolve host|couldn't resolve host|temporary failure in name resolution|no such host|` +
	`timed out|timeout|connection (reset|refused|closed)|failed to connect|couldn't connect|early eof|unexpected eof|: eof$|unexpected disconnect|hung up unexpectedly|` +
	`rpc failed|empty reply from server|transfer closed|gnutls_handshake|ssl_error_syscall|bytes of body are still expected|` +
	`returned error: (408|429|500|502|503|504)|unexpected client error: .*status code: (408|429|500|502|503|504)|HTTP/2 stream .* was not closed cleanly`)

// fetchAgain fetches, and again after a fault that may pass. empty says that the server has no commits.
func (r *Revision) fetchAgain(ctx context.Context, dir string) (empty bool, err error) {
	for attempt := 1; ; attempt++ {
		if program := r.opt.gitProgram(); program != "" {
			empty, err = r.fetchGit(ctx, program, dir)
		} else {
			empty, err = r.fetchGoGit(ctx, dir)
		}
		if err == nil || ctx.Err() != nil || !passing.MatchString(err.Error()) {
			return empty, err
		}
		if attempt == fetchAttempts {
			return false, fmt.Errorf("%w (%d attempts)", err, attempt)
		}
		t := time.NewTimer(rand.N(firstFetchWait << (attempt - 1)))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return false, err
		}
		// Half a pack is of no use to the next attempt.
		if err := os.RemoveAll(dir); err != nil {
			return false, err
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			return false, err
		}
	}
}

// Head asks the server of a URL what commit it would give, without fetching anything. "" without an error means that this
// cannot be told: no git program, a reference of a manifest, an empty repository.
func Head(ctx context.Context, repo Repo, opt Options) (commit string, err error) {
	opt = opt.withDefaults()
	program := opt.gitProgram()
	switch {
	case repo.Kind != Remote || repo.Dir != "":
		return "", errors.New("not at a server")
	case hexID.MatchString(repo.Ref):
		return repo.Ref, nil
	case repo.Ref != "" || program == "":
		return "", nil
	}
	r := &Revision{Repo: repo, ctx: ctx, opt: opt}
	out, err := runGit(ctx, program, r.fetchEnv(os.DevNull), min(opt.GitTimeout, shortTimeout), "", "ls-remote", "--quiet", "--end-of-options", repo.URL, "HEAD")
	if err != nil {
		return "", errors.New(r.redact(err.Error()))
	}
	if id, name, ok := strings.Cut(strings.TrimSpace(string(out)), "\t"); ok && name == "HEAD" && hexID.MatchString(id) {
		return id, nil
	}
	return "", nil
}
