package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrylint/retrylint/internal/forge"
	"github.com/retrylint/retrylint/internal/source"
)

// listing is the flags that name organisations and choose among their repositories.
type listing struct {
	github, gitlab, gitea []string
	pushedSince           string
	tokensFile            string

	Targets []forge.Target
	Filter  forge.Filter
	Tokens  map[string]source.Token // by host
	App     *forge.App              // nil without one
}

func (l *listing) flags(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringSliceVar(&l.github, "github-org", nil, "organisation or user at GitHub: NAME, or https://HOST/NAME")
	fs.StringSliceVar(&l.gitlab, "gitlab-group", nil, "group at GitLab with its sub-groups: PATH, or https://HOST/PATH")
	fs.StringSliceVar(&l.gitea, "gitea", nil, "organisation at Gitea or Forgejo: https://HOST/NAME")
	fs.BoolVar(&l.Filter.Archived, "archived", false, "of an organisation: archived repositories too")
	fs.BoolVar(&l.Filter.Forks, "forks", false, "of an organisation: forks too")
	fs.StringSliceVar(&l.Filter.Topics, "topic", nil, "of an organisation: repositories with one of these topics")
	fs.StringSliceVar(&l.Filter.Names, "name", nil, "of an organisation: repositories whose names match one of these globs")
	fs.StringSliceVar(&l.Filter.Without, "not-name", nil, "of an organisation: all but repositories whose names match one of these globs")
	fs.StringVar(&l.pushedSince, "pushed-since", "", "of an organisation: repositories that were pushed to since this day (2026-01-31)")
	fs.StringVar(&l.tokensFile, "tokens", "", "file of secrets for hosts: lines of HOST SECRET, or HOST USER SECRET")
}

// check reads the flags and takes the targets out of the arguments; the rest is returned. An argument that is a folder is
// one, whatever its name.
func (l *listing) check(a *app, args []string) (rest []string, err error) {
	for kind, list := range map[forge.Kind][]string{forge.GitHub: l.github, forge.GitLab: l.gitlab, forge.Gitea: l.gitea} {
		for _, s := range list {
			args = append(args, string(kind)+":"+s)
		}
	}
	for _, arg := range args {
		if _, err := os.Lstat(arg); err == nil || !forge.Is(arg) {
			rest = append(rest, arg)
			continue
		}
		t, err := forge.Parse(arg)
		if err != nil {
			return nil, usagef("%v", err)
		}
		l.Targets = append(l.Targets, t)
	}
	slices.SortFunc(l.Targets, func(a, b forge.Target) int { return strings.Compare(a.String(), b.String()) })
	l.Targets = slices.Compact(l.Targets)
	if err := l.Filter.Check(); err != nil {
		return nil, usagef("%v", err)
	}
	if l.pushedSince != "" {
		if l.Filter.PushedSince, err = time.Parse(time.DateOnly, l.pushedSince); err != nil {
			return nil, usagef("--pushed-since is a day like 2026-01-31, not %q", l.pushedSince)
		}
	}
	if len(l.Targets) == 0 && (len(l.Filter.Topics)+len(l.Filter.Names)+len(l.Filter.Without) > 0 || l.pushedSince != "" || l.Filter.Archived || l.Filter.Forks) {
		return nil, usagef("--archived, --forks, --topic, --name, --not-name and --pushed-since choose among the repositories of an organisation, and none is named")
	}
	return rest, l.secrets(a.env)
}

// secrets reads tokens from the environment and the file. A token goes to its host alone.
func (l *listing) secrets(env map[string]string) error {
	l.Tokens = tokens(env)
	if t := env["GITEA_TOKEN"]; t != "" {
		host := hostOf(env["GITEA_HOST"])
		if host == "" {
			for _, target := range l.Targets {
				if target.Kind != forge.Gitea || target.Host() == host {
					continue
				}
				if host != "" {
					return usagef("GITEA_TOKEN could be for %s or for %s; say which with GITEA_HOST, or use --tokens", host, target.Host())
				}
				host = target.Host()
			}
		}
		if host != "" {
			l.Tokens[host] = source.Token{Secret: t}
		}
	}
	if l.tokensFile != "" {
		if err := readTokens(l.tokensFile, l.Tokens); err != nil {
			return err
		}
	}
	id := env["RETRYLINT_GITHUB_APP_ID"]
	if id == "" {
		return nil
	}
	key := []byte(env["RETRYLINT_GITHUB_APP_KEY"])
	if file := env["RETRYLINT_GITHUB_APP_KEY_FILE"]; file != "" {
		var err error
		if key, err = os.ReadFile(file); err != nil {
			return fmt.Errorf("read the key of the GitHub App: %w", reason(err))
		}
	}
	var err error
	if l.App, err = forge.NewApp(id, key); err != nil {
		return usagef("%v; set RETRYLINT_GITHUB_APP_KEY_FILE", err)
	}
	return nil
}

// tokens are the secrets that the environment has for the usual hosts, under the names that the hosts' own tools use.
func tokens(env map[string]string) map[string]source.Token {
	out := make(map[string]source.Token)
	gitlab := hostOf(env["GITLAB_HOST"])
	if gitlab == "" {
		gitlab = "gitlab.com"
	}
	for _, t := range []struct{ variable, host, user string }{
		{"GH_TOKEN", "github.com", ""}, {"GITHUB_TOKEN", "github.com", ""}, {"GITLAB_TOKEN", gitlab, "oauth2"},
		{"GH_ENTERPRISE_TOKEN", hostOf(env["GH_HOST"]), ""}, {"GITHUB_ENTERPRISE_TOKEN", hostOf(env["GH_HOST"]), ""},
	} {
		if s := env[t.variable]; s != "" && t.host != "" {
			out[t.host] = source.Token{User: t.user, Secret: s}
		}
	}
	return out
}

// hostOf takes a host from a host or an address.
func hostOf(s string) string {
	if _, after, ok := strings.Cut(s, "://"); ok {
		s = after
	}
	host, _, _ := strings.Cut(s, "/")
	return host
}

// readTokens reads a file of secrets. No message repeats a line of it.
func readTokens(file string, into map[string]source.Token) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("read tokens %s: %w", file, reason(err))
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		switch w := strings.Fields(lines.Text()); {
		case len(w) == 0 || strings.HasPrefix(w[0], "#"):
		case len(w) == 2:
			into[hostOf(w[0])] = source.Token{Secret: w[1]}
		case len(w) == 3:
			into[hostOf(w[0])] = source.Token{User: w[1], Secret: w[2]}
		default:
			return usagef("tokens %s: line %d is not HOST SECRET or HOST USER SECRET", file, n)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read tokens %s: %w", file, reason(err))
	}
	return nil
}

// list asks the hosts for the repositories of all targets. What the filter leaves out is told as a notice.
func (l *listing) list(ctx context.Context, notice func(string)) ([]source.Repo, error) {
	var out []source.Repo
	for _, t := range l.Targets {
		repos, err := forge.List(ctx, t, forge.Options{Notice: notice, Token: func(ctx context.Context) (string, error) { return l.apiToken(ctx, t) }})
		if err != nil {
			return nil, err
		}
		left := map[string]int{}
		kept := 0
		for _, r := range repos {
			if why := l.Filter.Why(r); why != "" {
				left[why]++
				continue
			}
			repo, err := source.ParseURL(r.CloneURL)
			if err != nil {
				// Not to be scanned, and not to be passed over either: opening it fails, and it becomes a gap.
				repo = source.Repo{Name: r.Name(), URL: "https://" + t.Host() + "/" + r.Path, Kind: source.Remote}
			}
			repo.Name, repo.Group, repo.Head, repo.HeadTree, repo.Weight = r.Name(), r.Owner(), r.Commit, r.Tree, r.Kilobytes
			out = append(out, repo)
			kept++
		}
		notice(listed(t, kept, len(repos), left))
	}
	return source.Merge(out), nil
}

func listed(t forge.Target, kept, all int, left map[string]int) string {
	s := fmt.Sprintf("%s: %s", t, plural(all, "repository"))
	if all != 1 {
		s = fmt.Sprintf("%s: %d repositories", t, all)
	}
	if kept == all {
		return s
	}
	var parts []string
	for _, why := range []string{"archived", "fork", "topic", "name", "not pushed"} {
		if left[why] > 0 {
			parts = append(parts, fmt.Sprintf("%d by %s", left[why], why))
		}
	}
	return fmt.Sprintf("%s, %d left out (%s)", s, all-kept, strings.ReplaceAll(strings.Join(parts, ", "), "by not pushed", "not pushed since"))
}

// apiToken is the secret for a target's API.
func (l *listing) apiToken(ctx context.Context, t forge.Target) (string, error) {
	if l.App != nil && t.Kind == forge.GitHub {
		return l.App.Token(ctx, t, forge.Options{})
	}
	return l.Tokens[t.Host()].Secret, nil
}

// fetchTokens are the options for fetching: an App's tokens end, so they are asked for when they are needed.
func (l *listing) fetchTokens(opt *source.Options) {
	opt.Tokens = l.Tokens
	if l.App == nil {
		return
	}
	opt.Tokens = make(map[string]source.Token)
	hosts := map[string]forge.Target{}
	for _, t := range l.Targets {
		if t.Kind == forge.GitHub {
			hosts[t.Host()] = t
		}
	}
	for host, t := range l.Tokens {
		if _, app := hosts[host]; !app {
			opt.Tokens[host] = t
		}
	}
	opt.TokenFor = func(ctx context.Context, host string) (source.Token, bool) {
		t, ok := hosts[host]
		if !ok {
			return source.Token{}, false
		}
		secret, err := l.App.Token(ctx, t, forge.Options{})
		return source.Token{Secret: secret}, err == nil
	}
}

var errNoRepositories = errors.New("the organisation has no repositories that the filters leave")
