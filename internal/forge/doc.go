// Package forge lists the repositories of an organisation at GitHub, a group at GitLab with its sub-groups, or an
// organisation at Gitea and Forgejo.
//
// It talks to the hosts' REST APIs with a small client of its own (client.go), which keeps the rules that the linter
// preaches: reads alone are sent again, waits grow and are fully jittered, a server's Retry-After is heeded up to a cap,
// the number of attempts and the time of a whole listing are bounded, each attempt has a timeout. Secrets travel in the
// Authorization header and nowhere else, and only to the host that was named.
//
// A listing that cannot be finished is an error. A part of an organisation is never taken for the whole.
package forge

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// Kind is the software of a host.
type Kind string

// The hosts whose listings are read.
const (
	GitHub Kind = "github"
	GitLab Kind = "gitlab"
	Gitea  Kind = "gitea"
)

// Target is what is listed.
type Target struct {
	Kind Kind
	// Base is the address of the host's web pages, without a slash at the end: https://github.com.
	Base string
	// Owner is the organisation, the user, or the path of a GitLab group.
	Owner string
}

// String is the target as it is written: github:ORG, gitlab:https://git.example.org/GROUP.
func (t Target) String() string {
	if t.Base == publicHost[t.Kind] {
		return string(t.Kind) + ":" + t.Owner
	}
	return string(t.Kind) + ":" + t.Base + "/" + t.Owner
}

// Host is the host name, with the port if there is one.
func (t Target) Host() string {
	_, host, _ := strings.Cut(t.Base, "://")
	host, _, _ = strings.Cut(host, "/")
	return host
}

var publicHost = map[Kind]string{GitHub: "https://github.com", GitLab: "https://gitlab.com"}

// Is reports whether an argument has the form of a target: a kind and a colon.
func Is(arg string) bool {
	kind, _, ok := strings.Cut(arg, ":")
	return ok && (Kind(kind) == GitHub || Kind(kind) == GitLab || Kind(kind) == Gitea)
}

// Parse reads github:ORG, gitlab:GROUP/SUB, or either of them and gitea with the address of a host in front of the
// owner: gitea:https://git.example.org/ORG. Plain http is for this machine alone.
func Parse(arg string) (Target, error) {
	kind, rest, ok := strings.Cut(arg, ":")
	t := Target{Kind: Kind(kind), Base: publicHost[Kind(kind)], Owner: strings.Trim(rest, "/")}
	if !ok || !Is(arg) {
		return Target{}, fmt.Errorf("%q is not github:, gitlab: or gitea: and an organisation", arg)
	}
	if strings.Contains(rest, "://") {
		u, err := url.Parse(rest)
		switch {
		case err != nil || u.Host == "":
			return Target{}, fmt.Errorf("%s: not a valid address", kind)
		case u.User != nil:
			return Target{}, fmt.Errorf("%s://%s: credentials in a URL end up in logs and are not used; give the token in the environment", u.Scheme, u.Host)
		case u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())):
			return Target{}, fmt.Errorf("%s://%s: the address begins with https://", u.Scheme, u.Host)
		case u.RawQuery != "" || u.Fragment != "":
			return Target{}, fmt.Errorf("%s://%s: the address ends with the organisation", u.Scheme, u.Host)
		}
		t.Base, t.Owner = u.Scheme+"://"+u.Host, strings.Trim(u.Path, "/")
	}
	if t.Base == "" {
		return Target{}, errors.New("gitea: the address of the host is missing: gitea:https://git.example.org/ORG")
	}
	if !validOwner(t.Owner) || t.Kind != GitLab && strings.Contains(t.Owner, "/") {
		return Target{}, fmt.Errorf("%s: %q is not the name of an organisation", kind, t.Owner)
	}
	return t, nil
}

func loopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

// validOwner allows what hosts allow in names, so that no name changes the meaning of an address.
func validOwner(s string) bool {
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
		if strings.ContainsFunc(part, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r))
		}) {
			return false
		}
	}
	return true
}

// Repository is one entry of a listing.
type Repository struct {
	// Path is the owner and the name, with sub-groups in between: acme/payments/ledger.
	Path     string
	CloneURL string
	// Branch is the default branch; "" where there is none or the listing does not say.
	Branch string
	// Commit and Tree are git's ids at the end of the default branch; "" where the listing does not tell.
	Commit, Tree string
	Archived     bool
	Fork         bool
	Empty        bool
	Topics       []string
	// Pushed is the last push, or where a host does not tell it the last activity, which is no earlier. Zero if unknown.
	Pushed time.Time
	// Kilobytes is the host's figure for the size; 0 if unknown.
	Kilobytes int64
}

// Name is the last part of the path.
func (r Repository) Name() string { return path.Base(r.Path) }

// Owner is the path without the name.
func (r Repository) Owner() string { return path.Dir(r.Path) }

// Filter chooses among the repositories of a listing. The zero value leaves out archived ones and forks.
type Filter struct {
	Archived bool // archived ones too
	Forks    bool // forks too
	// Topics: a repository has one of them at least; none means all.
	Topics []string
	// Names are globs over the name, or over the path where they contain a slash; one of them matches. None means all.
	Names []string
	// Without are globs of the same form; none of them matches.
	Without []string
	// PushedSince leaves out what was last pushed to before; the zero time nothing. A repository whose last push is
	// unknown stays.
	PushedSince time.Time
}

// Check says what is wrong with the globs.
func (f Filter) Check() error {
	for _, g := range slices.Concat(f.Names, f.Without) {
		if _, err := path.Match(g, "x"); err != nil {
			return fmt.Errorf("%q is not a glob", g)
		}
	}
	return nil
}

// Why is why a repository is left out, in one word or two: "archived", "fork", "topic", "name", "not pushed"; "" where it
// stays.
func (f Filter) Why(r Repository) string {
	matches := func(globs []string) bool {
		return slices.ContainsFunc(globs, func(g string) bool {
			s := r.Name()
			if strings.Contains(g, "/") {
				s = r.Path
			}
			ok, _ := path.Match(strings.ToLower(g), strings.ToLower(s)) // Check has seen the globs
			return ok
		})
	}
	switch {
	case r.Archived && !f.Archived:
		return "archived"
	case r.Fork && !f.Forks:
		return "fork"
	case len(f.Topics) > 0 && !slices.ContainsFunc(f.Topics, func(t string) bool { return slices.Contains(r.Topics, t) }):
		return "topic"
	case len(f.Names) > 0 && !matches(f.Names), matches(f.Without):
		return "name"
	case !f.PushedSince.IsZero() && !r.Pushed.IsZero() && r.Pushed.Before(f.PushedSince):
		return "not pushed"
	}
	return ""
}

// List lists a target, sorted by path, each repository once.
func List(ctx context.Context, t Target, opt Options) ([]Repository, error) {
	c := newClient(t, opt)
	ctx, cancel := context.WithTimeoutCause(ctx, c.opt.Deadline, fmt.Errorf("the listing took longer than %s", c.opt.Deadline))
	defer cancel()
	var repos []Repository
	var err error
	switch t.Kind {
	case GitHub:
		repos, err = c.github(ctx, t)
	case GitLab:
		repos, err = c.gitlab(ctx, t)
	case Gitea:
		repos, err = c.gitea(ctx, t)
	default:
		err = errors.New("no such kind of host")
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", t, c.redact(err))
	}
	// A repository that is made or renamed while pages are read may be on two of them.
	slices.SortStableFunc(repos, func(a, b Repository) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(repos, func(a, b Repository) bool { return a.Path == b.Path }), nil
}
