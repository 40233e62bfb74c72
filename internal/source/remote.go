package source

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
)

// fetchedRef is the local name of the one commit that is fetched.
const fetchedRef = "refs/retrylint/head"

// openRemote fetches one commit of a URL into a temporary bare repository and lists it.
//
// A file URL names a repository of this machine, which is read where it lies: a commit does not change, so a copy adds
// nothing, and git's upload-pack, which would run inside the foreign repository, is not needed.
func (r *Revision) openRemote() error {
	if r.Repo.Dir != "" {
		if g, reason := findGitDir(r.Repo.Dir); g != nil {
			return r.openObjects(g.dir, g.common)
		} else if isBare(r.Repo.Dir) {
			return r.openObjects(r.Repo.Dir, r.Repo.Dir)
		} else if _, err := os.Stat(r.Repo.Dir); err != nil {
			return underlying(err)
		} else if _, err := os.Lstat(filepath.Join(r.Repo.Dir, ".git")); err == nil {
			return fmt.Errorf(".git: %s", reason)
		}
		return errors.New("not a git repository")
	}
	if r.Repo.Ref != "" {
		if err := checkRef(r.Repo.Ref); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp(r.opt.TempDir, "retrylint-*")
	if err != nil {
		return err
	}
	r.clean = append(r.clean, func() error { return os.RemoveAll(dir) })
	r.gitDirs = append(r.gitDirs, dir)
	ctx, cancel := context.WithTimeoutCause(r.ctx, r.opt.GitTimeout, fmt.Errorf("the fetch took longer than %s", r.opt.GitTimeout))
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go watchSize(ctx, dir, r.opt.MaxFetchBytes, stop)
	empty, err := r.fetchAgain(ctx, dir)
	if err != nil {
		if r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return errors.New(r.redact(err.Error()))
	}
	if empty {
		r.Notices = append(r.Notices, "no commits")
		r.src = &objectReader{}
		r.setFiles(nil)
		return nil
	}
	return r.openFetched(dir)
}

func (r *Revision) openFetched(dir string) error {
	store, err := r.opt.openStore(dir, dir)
	if err != nil {
		return err
	}
	r.clean = append(r.clean, store.close)
	r.Commit, r.Tree, err = store.resolve(r.ctx, fetchedRef)
	if err != nil {
		return err
	}
	if r.known() {
		return nil
	}
	return r.listTree(store)
}

// watchSize stops a fetch that fills the disk.
func watchSize(ctx context.Context, dir string, max int64, stop context.CancelCauseFunc) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		var size int64
		filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				if st, err := d.Info(); err == nil {
					size += st.Size()
				}
			}
			return nil
		})
		if size > max {
			stop(fmt.Errorf("the fetch is larger than %d bytes", max))
			return
		}
	}
}

// token finds the secret for the URL's host. It is not sent unencrypted to another machine.
func (r *Revision) token() (Token, bool) {
	u, err := url.Parse(r.Repo.URL)
	if err != nil || u.Scheme != "https" && !(u.Scheme == "http" && isLoopback(u.Hostname())) {
		return Token{}, false
	}
	t, ok := r.opt.Tokens[u.Host]
	if !ok && r.opt.TokenFor != nil {
		if !r.asked {
			r.asked = true
			r.secret, _ = r.opt.TokenFor(r.ctx, u.Host)
		}
		t, ok = r.secret, true
	}
	t.User = cmp.Or(t.User, "x-access-token")
	return t, ok && t.Secret != ""
}

func (t Token) basic() string {
	return base64.StdEncoding.EncodeToString([]byte(t.User + ":" + t.Secret))
}

// redact removes the secret from a message, should a server send it back.
func (r *Revision) redact(msg string) string {
	if t, ok := r.token(); ok {
		msg = strings.NewReplacer(t.Secret, "***", t.basic(), "***").Replace(msg)
	}
	return msg
}

// fetchEnv is the environment of commands that talk to a server: the schemes of URLs that Discover lets through, the
// user's ssh agent and proxies, and the token, where other processes cannot see it.
func (r *Revision) fetchEnv(dir string) []string {
	scheme := "ssh"
	if s, _, ok := strings.Cut(r.Repo.URL, "://"); ok {
		scheme = s
	}
	allowed := scheme
	if scheme == "http" {
		allowed = "http:https" // a redirect may lead to the encrypted address, never back
	}
	e := env(dir, allowed)
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "CURL_CA_BUNDLE", "SSH_AUTH_SOCK"} {
		if v, ok := os.LookupEnv(name); ok {
			e = append(e, name+"="+v)
		}
	}
	if scheme == "ssh" {
		ssh := cmp.Or(os.Getenv("GIT_SSH_COMMAND"), "ssh -oBatchMode=yes -oConnectTimeout=30")
		e = append(e, "GIT_SSH_COMMAND="+ssh, "HOME="+os.Getenv("HOME"), "USER="+os.Getenv("USER"))
	}
	if t, ok := r.token(); ok {
		u, _ := url.Parse(r.Repo.URL)
		e = append(e, "GIT_CONFIG_COUNT=1",
			"GIT_CONFIG_KEY_0=http."+u.Scheme+"://"+u.Host+"/.extraHeader",
			"GIT_CONFIG_VALUE_0=Authorization: Basic "+t.basic())
	}
	return e
}

// fetchGit fetches with the git program; empty says that the server has no commits at all.
func (r *Revision) fetchGit(ctx context.Context, program, dir string) (empty bool, err error) {
	timeout := r.opt.GitTimeout
	local := env(dir, "none")
	if _, err := runGit(ctx, program, local, timeout, "", "init", "--quiet", "--bare", "--template=", dir); err != nil {
		return false, err
	}
	remote := r.fetchEnv(dir)
	_, err = runGit(ctx, program, remote, timeout, "", "fetch", "--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head",
		"--no-recurse-submodules", "--end-of-options", r.Repo.URL, "+"+cmp.Or(r.Repo.Ref, "HEAD")+":"+fetchedRef)
	if err == nil || r.Repo.Ref != "" || ctx.Err() != nil || !strings.Contains(err.Error(), "remote ref HEAD") {
		return false, err
	}
	out, lsErr := runGit(ctx, program, remote, timeout, "", "ls-remote", "--quiet", "--end-of-options", r.Repo.URL)
	if lsErr != nil {
		return false, lsErr
	}
	if len(out) == 0 {
		return true, nil
	}
	return false, errors.New("the default branch does not exist")
}

// fetchGoGit does the same without git.
func (r *Revision) fetchGoGit(ctx context.Context, dir string) (empty bool, err error) {
	defer recovered(&err)
	repo, err := git.PlainInit(dir, true)
	if err != nil {
		return false, err
	}
	remote := git.NewRemote(repo.Storer, &config.RemoteConfig{Name: "origin", URLs: []string{r.Repo.URL}})
	var auth transport.AuthMethod
	if t, ok := r.token(); ok {
		auth = &githttp.BasicAuth{Username: t.User, Password: t.Secret}
	}
	refs, err := remote.ListContext(ctx, &git.ListOptions{Auth: auth})
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	source, err := chooseRef(refs, r.Repo.Ref)
	if err != nil {
		return false, err
	}
	err = remote.FetchContext(ctx, &git.FetchOptions{Auth: auth, Depth: 1, Tags: git.NoTags,
		RefSpecs: []config.RefSpec{config.RefSpec("+" + source + ":" + fetchedRef)}})
	return false, err
}

// chooseRef finds what a name stands for among the server's references, in git's order.
func chooseRef(refs []*plumbing.Reference, want string) (string, error) {
	names := map[string]*plumbing.Reference{}
	for _, ref := range refs {
		names[ref.Name().String()] = ref
	}
	if want == "" {
		head := names["HEAD"]
		if head == nil || head.Type() == plumbing.SymbolicReference && names[head.Target().String()] == nil {
			return "", errors.New("the default branch does not exist")
		}
		if head.Type() == plumbing.SymbolicReference {
			return head.Target().String(), nil
		}
		return head.Hash().String(), nil
	}
	for _, form := range []string{"%s", "refs/%s", "refs/tags/%s", "refs/heads/%s"} {
		if name := fmt.Sprintf(form, want); names[name] != nil {
			return name, nil
		}
	}
	if hexID.MatchString(want) {
		return want, nil
	}
	return "", fmt.Errorf("couldn't find remote ref %s", want)
}
