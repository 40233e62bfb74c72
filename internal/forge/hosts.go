package forge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// notFound reports whether the server does not know what was asked for; a private one looks the same.
func notFound(err error) bool {
	s := new(StatusError)
	return errors.As(err, &s) && s.Status == http.StatusNotFound
}

// orgOrUser lists an organisation, or where there is none of the name the user. Both are asked in the same way.
func orgOrUser[T any](ctx context.Context, c *client, t Target, query string, each func(T)) error {
	base := apiBase(t)
	err := pages(ctx, c, base+"/orgs/"+url.PathEscape(t.Owner)+"/repos?"+query, each)
	if !notFound(err) {
		return err
	}
	if err := pages(ctx, c, base+"/users/"+url.PathEscape(t.Owner)+"/repos?"+query, each); !notFound(err) {
		return err
	}
	return fmt.Errorf("%w (or the token does not see it)", err)
}

// github lists with REST and asks GraphQL for the heads: a call for a hundred repositories instead of one for each.
func (c *client) github(ctx context.Context, t Target) ([]Repository, error) {
	type entry struct {
		FullName      string    `json:"full_name"`
		CloneURL      string    `json:"clone_url"`
		DefaultBranch string    `json:"default_branch"`
		Archived      bool      `json:"archived"`
		Disabled      bool      `json:"disabled"`
		Fork          bool      `json:"fork"`
		Topics        []string  `json:"topics"`
		PushedAt      time.Time `json:"pushed_at"` // null for a repository that was never pushed to
		Size          int64     `json:"size"`
	}
	var out []Repository
	err := orgOrUser(ctx, c, t, "per_page=100&sort=full_name&direction=asc", func(e entry) {
		out = append(out, Repository{Path: e.FullName, CloneURL: e.CloneURL, Branch: e.DefaultBranch, Archived: e.Archived, Fork: e.Fork,
			Topics: e.Topics, Pushed: e.PushedAt, Kilobytes: e.Size})
	})
	if err != nil {
		return nil, err
	}
	heads, err := c.githubHeads(ctx, t)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		// The heads only save fetches of what has not changed.
		if c.opt.Notice != nil {
			c.opt.Notice(fmt.Sprintf("%s: the heads of the repositories are not known beforehand: %v", t, c.redact(err)))
		}
		return out, nil
	}
	for i := range out {
		h := heads[out[i].Path]
		out[i].Commit, out[i].Tree = h.commit, h.tree
	}
	return out, nil
}

type head struct{ commit, tree string }

const headsQuery = `query($owner:String!,$after:String){repositoryOwner(login:$owner){repositories(first:100,after:$after,ownerAffiliations:OWNER){` +
	`pageInfo{hasNextPage endCursor} nodes{nameWithOwner defaultBranchRef{target{oid ... on Commit{tree{oid}}}}}}}}`

// githubHeads asks for the commits at the ends of the default branches. The queries are POSTs and are not sent again.
func (c *client) githubHeads(ctx context.Context, t Target) (map[string]head, error) {
	address := "https://api.github.com/graphql"
	if t.Base != publicHost[GitHub] {
		address = t.Base + "/api/graphql"
	}
	type variables struct {
		Owner string  `json:"owner"`
		After *string `json:"after"`
	}
	heads := map[string]head{}
	var after *string
	for range maxPages {
		body, err := json.Marshal(struct {
			Query     string    `json:"query"`
			Variables variables `json:"variables"`
		}{headsQuery, variables{t.Owner, after}})
		if err != nil {
			return nil, err
		}
		var answer struct {
			Data struct {
				RepositoryOwner *struct {
					Repositories struct {
						PageInfo struct {
							HasNextPage bool   `json:"hasNextPage"`
							EndCursor   string `json:"endCursor"`
						} `json:"pageInfo"`
						Nodes []struct {
							NameWithOwner    string `json:"nameWithOwner"`
							DefaultBranchRef *struct {
								Target struct {
									OID  string `json:"oid"`
									Tree struct {
										OID string `json:"oid"`
									} `json:"tree"`
								} `json:"target"`
							} `json:"defaultBranchRef"`
						} `json:"nodes"`
					} `json:"repositories"`
				} `json:"repositoryOwner"`
			} `json:"data"`
			Errors []struct {
				Message string `json:"message"`
			} `json:"errors"`
		}
		if _, err := c.once(ctx, http.MethodPost, address, body, &answer); err != nil {
			return nil, err
		}
		if len(answer.Errors) > 0 {
			return nil, errors.New(answer.Errors[0].Message)
		}
		owner := answer.Data.RepositoryOwner
		if owner == nil {
			return nil, errors.New("GraphQL does not know the owner")
		}
		for _, n := range owner.Repositories.Nodes {
			if n.DefaultBranchRef != nil {
				heads[n.NameWithOwner] = head{n.DefaultBranchRef.Target.OID, n.DefaultBranchRef.Target.Tree.OID}
			}
		}
		p := owner.Repositories.PageInfo
		if !p.HasNextPage {
			return heads, nil
		}
		if after != nil && *after == p.EndCursor {
			return nil, errors.New("the pages go in circles")
		}
		after = &p.EndCursor
	}
	return nil, fmt.Errorf("more than %d pages", maxPages)
}

// gitlab lists a group with its sub-groups, without projects that are merely shared with it. Where there is no group of the
// name it is a user.
func (c *client) gitlab(ctx context.Context, t Target) ([]Repository, error) {
	type entry struct {
		Path          string          `json:"path_with_namespace"`
		URL           string          `json:"http_url_to_repo"`
		DefaultBranch string          `json:"default_branch"`
		Archived      bool            `json:"archived"`
		ForkedFrom    json.RawMessage `json:"forked_from_project"`
		Topics        []string        `json:"topics"`
		TagList       []string        `json:"tag_list"` // the name of topics before 14.0
		LastActivity  time.Time       `json:"last_activity_at"`
		Empty         bool            `json:"empty_repo"`
		Access        string          `json:"repository_access_level"`
	}
	var out []Repository
	add := func(e entry) {
		if e.Access == "disabled" {
			return // a project without a repository
		}
		out = append(out, Repository{Path: e.Path, CloneURL: e.URL, Branch: e.DefaultBranch, Archived: e.Archived, Empty: e.Empty,
			Fork: len(e.ForkedFrom) > 0 && string(e.ForkedFrom) != "null", Topics: append(e.Topics, e.TagList...), Pushed: e.LastActivity})
	}
	const query = "per_page=100&order_by=id&sort=asc"
	base := apiBase(t)
	err := pages(ctx, c, base+"/groups/"+url.PathEscape(t.Owner)+"/projects?include_subgroups=true&with_shared=false&"+query, add)
	if notFound(err) {
		if err = pages(ctx, c, base+"/users/"+url.PathEscape(t.Owner)+"/projects?"+query, add); notFound(err) {
			err = fmt.Errorf("%w (or the token does not see it)", err)
		}
	}
	return out, err
}

// gitea lists an organisation or user; Forgejo answers in the same way.
func (c *client) gitea(ctx context.Context, t Target) ([]Repository, error) {
	type entry struct {
		FullName      string    `json:"full_name"`
		CloneURL      string    `json:"clone_url"`
		DefaultBranch string    `json:"default_branch"`
		Archived      bool      `json:"archived"`
		Fork          bool      `json:"fork"`
		Empty         bool      `json:"empty"`
		Topics        []string  `json:"topics"`
		UpdatedAt     time.Time `json:"updated_at"`
		Size          int64     `json:"size"`
	}
	var out []Repository
	err := orgOrUser(ctx, c, t, "limit=50&page=1", func(e entry) {
		out = append(out, Repository{Path: e.FullName, CloneURL: e.CloneURL, Branch: e.DefaultBranch, Archived: e.Archived, Fork: e.Fork,
			Empty: e.Empty, Topics: e.Topics, Pushed: e.UpdatedAt, Kilobytes: e.Size})
	})
	return out, err
}
