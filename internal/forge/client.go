package forge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Options say how a host is asked. The zero value asks as nobody in particular.
type Options struct {
	// Token gives the secret for the target's host, "" for none. It is asked before each request, so it may change.
	Token func(ctx context.Context) (string, error)
	// Transport carries the requests; nil means http.DefaultTransport.
	Transport http.RoundTripper
	// Attempts bounds the calls for one page, the first included; 0 means 5.
	Attempts int
	// FirstWait is the upper end of the first wait; each further one is twice as long, up to MaxWait. 0 means 1 s.
	FirstWait time.Duration
	// MaxWait is the longest wait by backoff, 0 means 30 s.
	MaxWait time.Duration
	// MaxServerWait is the longest wait that a server may ask for (Retry-After, a rate limit's reset); one that asks for
	// more is taken at its word by giving up. 0 means 15 minutes.
	MaxServerWait time.Duration
	// Timeout is that of one attempt; 0 means 30 s.
	Timeout time.Duration
	// Deadline bounds a whole listing, all waits included; 0 means one hour.
	Deadline time.Duration
	// Notice is told of waits; nil tells nobody.
	Notice func(string)

	now   func() time.Time
	sleep func(context.Context, time.Duration) error
}

// maxPage bounds the answer for one page: a hundred repositories are less than a megabyte.
const maxPage = 32 << 20

// maxPages bounds a listing: 100,000 repositories at a hundred a page, or a server that goes in circles.
const maxPages = 2000

type client struct {
	opt    Options
	host   string // the only one that is asked
	scheme string
	http   *http.Client
	secret string // the last token, to be kept out of messages
}

func newClient(t Target, opt Options) *client {
	opt.Attempts = cmp.Or(opt.Attempts, 5)
	opt.FirstWait = cmp.Or(opt.FirstWait, time.Second)
	opt.MaxWait = cmp.Or(opt.MaxWait, 30*time.Second)
	opt.MaxServerWait = cmp.Or(opt.MaxServerWait, 15*time.Minute)
	opt.Timeout = cmp.Or(opt.Timeout, 30*time.Second)
	opt.Deadline = cmp.Or(opt.Deadline, time.Hour)
	if opt.now == nil {
		opt.now = time.Now
	}
	if opt.sleep == nil {
		opt.sleep = sleep
	}
	c := &client{opt: opt}
	if u, err := url.Parse(apiBase(t)); err == nil {
		c.host, c.scheme = u.Host, u.Scheme
	}
	c.http = &http.Client{Transport: opt.Transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) >= 5 {
			return permanent{errors.New("too many redirects")}
		}
		return c.allowed(r.URL) // a renamed organisation redirects on its own host
	}}
	return c
}

// apiBase is the root of a target's API.
func apiBase(t Target) string {
	switch {
	case t.Kind == GitHub && t.Base == publicHost[GitHub]:
		return "https://api.github.com"
	case t.Kind == GitHub:
		return t.Base + "/api/v3"
	case t.Kind == GitLab:
		return t.Base + "/api/v4"
	}
	return t.Base + "/api/v1"
}

// allowed keeps requests, and with them the token, on the host that was named.
func (c *client) allowed(u *url.URL) error {
	if u.Host != c.host || u.Scheme != c.scheme || u.User != nil {
		return permanent{fmt.Errorf("the server points at another host, %s://%s, which is not followed", u.Scheme, u.Host)}
	}
	return nil
}

// StatusError is an answer that is no success.
type StatusError struct {
	Status  int
	Message string // of the server, one line
}

// Error returns the status and what the server says about it.
func (e *StatusError) Error() string {
	s := fmt.Sprintf("the server answers %d %s", e.Status, http.StatusText(e.Status))
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
}

// get reads one page into v and returns the headers. It is sent again after failures that may pass.
func (c *client) get(ctx context.Context, address string, v any) (http.Header, error) {
	for attempt := 1; ; attempt++ {
		h, err := c.once(ctx, http.MethodGet, address, nil, v)
		if err == nil {
			return h, nil
		}
		wait, again := c.wait(attempt, h, err)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !again:
			return nil, err
		case attempt >= c.opt.Attempts:
			return nil, fmt.Errorf("%w (%d attempts)", err, attempt)
		}
		if deadline, ok := ctx.Deadline(); ok && c.opt.now().Add(wait).After(deadline) {
			return nil, fmt.Errorf("%w; the next attempt in %s would be too late", err, wait.Round(time.Second))
		}
		if c.opt.Notice != nil && wait > 5*time.Second {
			c.opt.Notice(fmt.Sprintf("%s: waiting %s: %v", c.host, wait.Round(time.Second), c.redact(err)))
		}
		if err := c.opt.sleep(ctx, wait); err != nil {
			return nil, context.Cause(ctx)
		}
	}
}

// once sends one request. A body makes it a POST, which is never sent again.
func (c *client) once(ctx context.Context, method, address string, body []byte, v any) (http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, permanent{errors.New("not a valid address")}
	}
	if err := c.allowed(req.URL); err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "retrylint")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.opt.Token != nil {
		token, err := c.opt.Token(ctx)
		if err != nil {
			return nil, permanent{err}
		}
		if token != "" {
			c.secret = token
			req.Header.Set("Authorization", "Bearer "+token)
		}
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if e := new(url.Error); errors.As(err, &e) {
			err = e.Err // without the address
		}
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxPage+1))
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return resp.Header, &StatusError{resp.StatusCode, serverMessage(data)}
	}
	if err != nil {
		return resp.Header, err
	}
	if len(data) > maxPage {
		return resp.Header, permanent{errors.New("the answer is too large")}
	}
	if err := json.Unmarshal(data, v); err != nil {
		return resp.Header, permanent{fmt.Errorf("the answer is not what was expected: %w", err)}
	}
	return resp.Header, nil
}

// permanent is an error that another attempt cannot mend.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// wait says whether a failure may pass, and how long to wait before the next attempt.
func (c *client) wait(attempt int, h http.Header, err error) (wait time.Duration, again bool) {
	if errors.As(err, new(permanent)) {
		return 0, false
	}
	backoff := c.opt.FirstWait << min(attempt-1, 20)
	if backoff > c.opt.MaxWait || backoff <= 0 {
		backoff = c.opt.MaxWait
	}
	backoff = rand.N(backoff + 1) // full jitter
	status := new(StatusError)
	if !errors.As(err, &status) {
		return backoff, true // no answer, or one that was cut off
	}
	asked, limited := serverWait(h, c.opt.now())
	switch {
	case status.Status == http.StatusTooManyRequests, status.Status >= 500 && status.Status != http.StatusNotImplemented, status.Status == http.StatusRequestTimeout:
	case status.Status == http.StatusForbidden && (limited || strings.Contains(strings.ToLower(status.Message), "rate limit")):
		// GitHub answers 403 for both of its limits, with a header or, for the secondary one, sometimes with words alone;
		// its manual asks for a minute then.
		if !limited {
			asked = time.Minute
		}
	default:
		return 0, false
	}
	if asked > c.opt.MaxServerWait {
		return 0, false
	}
	if asked > 0 {
		// Everybody who was told the same moment would come back at it.
		return asked + backoff, true
	}
	return backoff, true
}

// serverWait reads how long the server wants to be left alone. limited says that it counts requests and none are left.
func serverWait(h http.Header, now time.Time) (wait time.Duration, limited bool) {
	if s := h.Get("Retry-After"); s != "" {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil && n >= 0 {
			return seconds(n), true
		}
		if t, err := http.ParseTime(s); err == nil {
			return max(t.Sub(now), 0), true
		}
	}
	remaining := cmp.Or(h.Get("X-Ratelimit-Remaining"), h.Get("Ratelimit-Remaining"))
	reset := cmp.Or(h.Get("X-Ratelimit-Reset"), h.Get("Ratelimit-Reset"))
	if remaining != "0" || reset == "" {
		return 0, remaining == "0"
	}
	n, err := strconv.ParseInt(reset, 10, 64)
	if err != nil || n < 0 {
		return 0, true
	}
	if n < 1_000_000_000 {
		return seconds(n), true // some servers count seconds from now
	}
	return max(time.Unix(n, 0).Sub(now), 0), true
}

// seconds does not overflow.
func seconds(n int64) time.Duration { return time.Duration(min(n, 1<<31)) * time.Second }

// serverMessage is the server's word in one short line.
func serverMessage(data []byte) string {
	var m struct {
		Message any `json:"message"`
		Error   any `json:"error"`
	}
	if json.Unmarshal(data, &m) != nil {
		return ""
	}
	s, ok := m.Message.(string)
	if !ok {
		s, _ = m.Error.(string)
	}
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "..."
	}
	return s
}

// redact takes the secret out of a message, should a server send it back.
func (c *client) redact(err error) error {
	if c.secret == "" || !strings.Contains(err.Error(), c.secret) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), c.secret, "***"))
}

// pages reads a list page by page, by the Link header.
func pages[T any](ctx context.Context, c *client, address string, each func(T)) error {
	seen := map[string]bool{}
	received := 0
	for range maxPages {
		if seen[address] {
			return errors.New("the pages go in circles")
		}
		seen[address] = true
		var page []T
		h, err := c.get(ctx, address, &page)
		if err != nil {
			return err
		}
		for _, item := range page {
			each(item)
		}
		received += len(page)
		next := nextPage(h)
		if next == "" {
			// Gitea and GitLab count; a proxy that drops the Link header must not cut the list in silence.
			if total, err := strconv.Atoi(cmp.Or(h.Get("X-Total-Count"), h.Get("X-Total"))); err == nil && total > received {
				return fmt.Errorf("the listing ended after %d of %d repositories", received, total)
			}
			return nil
		}
		u, err := url.Parse(address)
		if err == nil {
			u, err = u.Parse(next)
		}
		if err != nil {
			return errors.New("the address of the next page is not valid")
		}
		address = u.String()
	}
	return fmt.Errorf("more than %d pages", maxPages)
}

// nextPage finds rel="next" in the Link header (RFC 8288).
func nextPage(h http.Header) string {
	for _, line := range h.Values("Link") {
		for part := range strings.SplitSeq(line, ",") {
			target, params, ok := strings.Cut(strings.TrimSpace(part), ">")
			if ok && strings.HasPrefix(target, "<") && (strings.Contains(params, `rel="next"`) || strings.Contains(params, "rel=next")) {
				return target[1:]
			}
		}
	}
	return ""
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
