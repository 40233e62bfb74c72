package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/retrylint/retrylint/model"
)

// view is a result with its parts by name, as writers need it.
type view struct {
	*model.Result
	opt      Options
	layers   map[string]*model.LayerInfo
	windows  map[string]*model.WindowInfo
	chains   map[string]*model.ChainInfo
	repos    map[string]*model.RepositoryInfo
	snippets map[spot]string
}

// spot is a line of a file.
type spot struct {
	repo, path string
	line       int
}

func newView(r *model.Result, opt Options) *view {
	v := &view{Result: r, opt: opt, layers: make(map[string]*model.LayerInfo, len(r.Layers)), windows: make(map[string]*model.WindowInfo, len(r.Windows)),
		chains: make(map[string]*model.ChainInfo, len(r.Chains)), repos: make(map[string]*model.RepositoryInfo, len(r.Repositories)), snippets: map[spot]string{}}
	keep := func(p model.Place, text string) {
		if text != "" {
			v.snippets[spot{p.Repository, p.Path, p.Line}] = text
		}
	}
	for i := range r.Layers {
		l := &r.Layers[i]
		v.layers[l.ID] = l
		keep(l.Place, l.Snippet)
	}
	for i := range r.Windows {
		w := &r.Windows[i]
		v.windows[w.ID] = w
		keep(w.Place, w.Snippet)
	}
	for i := range r.Chains {
		v.chains[r.Chains[i].ID] = &r.Chains[i]
	}
	for i := range r.Repositories {
		v.repos[r.Repositories[i].Name] = &r.Repositories[i]
	}
	for _, f := range r.Findings {
		keep(f.Place, f.Snippet)
	}
	return v
}

// counted reports whether a finding is one that the reader has to act on: neither suppressed nor known to the baseline.
func counted(f *model.FindingInfo) bool {
	return f.Suppressed == nil && f.Baseline != "unchanged" && f.Baseline != "absent"
}

// counted lists the findings to act on, in their order.
func (v *view) counted() []*model.FindingInfo {
	var out []*model.FindingInfo
	for i := range v.Findings {
		if counted(&v.Findings[i]) {
			out = append(out, &v.Findings[i])
		}
	}
	return out
}

// file is the path of a place for formats that know only one root: with the repository in front where there are several.
func (v *view) file(p model.Place) string {
	s := clean(p.Path)
	if len(v.Repositories) != 1 && p.Repository != "" {
		s = strings.TrimSuffix(clean(p.Repository)+"/"+s, "/")
	}
	return cmp.Or(s, ".")
}

// at is a place in words: file and line.
func (v *view) at(p model.Place) string {
	if p.Path == "" {
		return clean(p.Repository)
	}
	if p.Line <= 0 {
		return v.file(p)
	}
	return v.file(p) + ":" + strconv.Itoa(p.Line)
}

// link is the address of a place at the scanned revision; "" where there is none.
func (v *view) link(p model.Place) string {
	if v.opt.Link != nil {
		return v.opt.Link(p)
	}
	root := permalinkRoot(v.repos[p.Repository])
	if root == "" || p.Path == "" {
		return ""
	}
	s := root + escapePath(p.Path)
	if p.Line > 0 {
		s += "#" + lineMark(root) + strconv.Itoa(p.Line)
	}
	return s
}

func lineMark(root string) string {
	if strings.Contains(root, "bitbucket.org") {
		return "lines-"
	}
	return "L"
}

// webAddress is the address of a repository as a browser and a SARIF reader take it: https where the host is known to
// speak it, without user and password. "" where it is no address of a host.
func webAddress(raw string) *url.URL {
	raw = strings.TrimSpace(raw)
	if !strings.Contains(raw, "://") {
		// The form of scp: user@host:path.
		host, p, ok := strings.Cut(raw, ":")
		if !ok || strings.ContainsAny(host, "/\\") || len(host) < 2 {
			return nil
		}
		if i := strings.LastIndexByte(host, '@'); i >= 0 {
			host = host[i+1:]
		}
		raw = "ssh://" + host + "/" + strings.TrimPrefix(p, "/")
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return nil
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	switch u.Scheme {
	case "https", "http":
	case "ssh", "git", "git+ssh":
		u.Scheme, u.Host = "https", u.Hostname()
	default:
		return nil
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), ".git")
	u.RawPath = ""
	return u
}

// permalinkRoot is the address, ending in a slash, under which a host shows the files of the scanned revision. Hosts whose
// form is known: GitHub, GitLab, Bitbucket, Codeberg and others with Gitea's form in their name.
func permalinkRoot(r *model.RepositoryInfo) string {
	if r == nil || !isHex(r.Commit) {
		return ""
	}
	u := webAddress(r.URL)
	if u == nil {
		return ""
	}
	host := u.Hostname()
	switch {
	case host == "github.com" || strings.HasPrefix(host, "github."):
		return u.String() + "/blob/" + r.Commit + "/"
	case host == "gitlab.com" || strings.HasPrefix(host, "gitlab."):
		return u.String() + "/-/blob/" + r.Commit + "/"
	case host == "bitbucket.org":
		return u.String() + "/src/" + r.Commit + "/"
	case host == "codeberg.org" || strings.HasPrefix(host, "gitea.") || strings.HasPrefix(host, "forgejo."):
		return u.String() + "/src/commit/" + r.Commit + "/"
	}
	return ""
}

func isHex(s string) bool {
	return len(s) >= 7 && len(s) <= 64 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// escapePath makes a relative URI of a path: valid whatever the name holds, and never taken for a scheme or for a step up.
func escapePath(p string) string {
	parts := strings.Split(strings.TrimPrefix(path.Clean("/"+p), "/"), "/")
	for i, s := range parts {
		parts[i] = uriReserved.Replace(url.PathEscape(s))
	}
	return strings.Join(parts, "/")
}

// uriReserved is what a path segment may hold, but which readers take for a scheme or a mention.
var uriReserved = strings.NewReplacer(":", "%3A", "@", "%40")

// utf16Column turns a column in bytes, from 1, into one in UTF-16 units; it is left as it is where the line is not at hand.
func (v *view) utf16Column(p model.Place, col int) int {
	text := v.snippets[spot{p.Repository, p.Path, p.Line}]
	if col <= 1 || col-1 > len(text) {
		return col
	}
	n := 1
	for _, r := range text[:col-1] {
		n++
		if r >= 0x10000 {
			n++
		}
	}
	return n
}

// arithmetic is a chain in one line: its factors, outermost first, and their product: "3 x 3 x 3 = 27 attempts".
func (v *view) arithmetic(c *model.ChainInfo) string {
	var parts []string
	for _, id := range c.Layers {
		if l := v.layers[id]; l != nil && l.Factor {
			parts = append(parts, string(l.Attempts))
		}
	}
	if len(parts) < 2 {
		return attemptsText(c.Attempts)
	}
	return strings.Join(parts, " x ") + " = " + attemptsText(c.Attempts)
}

// ShortName is the name of a place on a chain for people: a Go name without the function around the operation, and without
// the way to its package.
func ShortName(name string) string { return shortName(name) }

// EndName is what a chain leads to, for people: the last request on its way, or else its end.
func EndName(c *model.ChainInfo) string { return endName(c) }

// shortName leaves out of a Go name what a reader knows anyway: the function around an operation, and the way to its package.
// example.test/pay.(*Ledger).Book#net/http.(*Client).Do is http.(*Client).Do.
func shortName(s string) string {
	s = clean(s)
	if t := strings.TrimSuffix(s, "#"); t != "" {
		s = t // an operation without a name
	}
	if i := strings.LastIndexByte(s, '#'); i >= 0 && i < len(s)-1 {
		s = s[i+1:]
	}
	if i := strings.LastIndexByte(s, '/'); i >= 0 && !strings.ContainsAny(s, " ?:") && strings.Contains(s[i:], ".") {
		s = s[i+1:]
	}
	return s
}

// endName is what a chain leads to, in the reader's words: the last request on the way, or else its end.
func endName(c *model.ChainInfo) string {
	for i := len(c.Hops) - 1; i >= 0; i-- {
		if h := &c.Hops[i]; h.Kind == "request" && h.URLPath != "" {
			return clean(strings.TrimSpace(h.Method + " " + h.URLPath))
		}
	}
	return shortName(c.Effect.Name)
}

// layerWords says what a layer does: "3 attempts, waits from 1s x2".
func layerWords(l *model.LayerInfo) string {
	if !l.Factor {
		return clean(cmp.Or(l.Label, l.Kind)) + " (shown, not counted)"
	}
	s := clean(cmp.Or(l.Label, l.Kind)) + ": " + attemptsText(l.Attempts)
	if w := waitText(*l); w != "" {
		s += ", " + clean(w)
	}
	if l.Origin == "default" {
		s += ", a default nobody wrote"
	}
	return s
}

// step is one place on the way of a chain.
type step struct {
	at    model.Place
	words string
	layer bool // retries
	depth int  // factors around it
}

// steps is the way of a chain, entry first: each hop with the layers around it before it.
func (v *view) steps(c *model.ChainInfo) []step {
	out := []step{{at: c.Entry.Place, words: "entry: " + shortName(c.Entry.Name)}}
	depth := 0
	for i := range c.Hops {
		h := &c.Hops[i]
		for _, id := range h.Layers {
			l := v.layers[id]
			if l == nil {
				continue
			}
			out = append(out, step{at: l.Place, words: layerWords(l), layer: l.Factor, depth: depth})
			if l.Factor {
				depth++
			}
			for _, by := range l.SetBy {
				out = append(out, step{at: by, words: "set here", depth: depth})
			}
		}
		out = append(out, step{at: h.Place, words: hopWords(h), depth: depth})
	}
	for _, w := range c.Windows {
		if info := v.windows[w.ID]; info != nil {
			out = append(out, step{at: info.Place, words: windowWords(info, &w), depth: depth})
		}
	}
	return out
}

func hopWords(h *model.HopInfo) string {
	to := shortName(h.To)
	if h.Kind == "request" && h.Method+h.URLPath != "" {
		if want := clean(strings.TrimSpace(h.Method + " " + h.URLPath)); !strings.Contains(to, want) {
			to = want + " at " + to
		}
	}
	s := clean(cmp.Or(h.Kind, "call")) + " to " + to
	if h.OneOf {
		s += " (one of several)"
	}
	return s
}

func windowWords(info *model.WindowInfo, w *model.ChainWindow) string {
	kept := cmp.Or(info.Guaranteed, info.TTL)
	s := "dedupe window of " + clean(kept)
	if kept == "permanent" {
		s = "permanent dedupe"
	}
	switch w.Verdict {
	case "short":
		s += ", does not cover the longest path"
	case "margin":
		s += ", covers the longest path without margin"
	case "covered":
		s += ", covers the longest path"
	default:
		s += ", cannot be judged"
	}
	if w.Required != "" && w.Required != "unknown" && w.Verdict != "covered" {
		s += "; required " + daysToo(w.Required)
	}
	return s
}

// explanation is the message with the arithmetic of its chain and what to do, in sentences for formats with plain text.
func (v *view) explanation(f *model.FindingInfo) string {
	s := sentence(clean(f.Message))
	if c := v.chains[f.Chain]; c != nil && len(c.Layers) > 1 {
		s += " " + sentence(fmt.Sprintf("The chain from %s to %s: %s", shortName(c.Entry.Name), endName(c), v.arithmetic(c)))
	}
	if f.Help != "" {
		s += " " + sentence(clean(f.Help))
	}
	return s
}

// sentence begins with a capital letter, unless it begins with a name, and ends with a full stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	first, rest := s, ""
	if i := strings.IndexByte(s, ' '); i > 0 {
		first, rest = s[:i], s[i:]
	}
	if strings.IndexFunc(first, func(r rune) bool { return !unicode.IsLower(r) && r != '-' }) < 0 {
		r, n := utf8.DecodeRuneInString(first)
		first = string(unicode.ToUpper(r)) + first[n:]
	}
	s = first + rest
	if !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}

// chainKey names a chain by what it is made of, without line numbers, so that the same chain has the same key tomorrow.
func (v *view) chainKey(rule string, c *model.ChainInfo) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%s", rule, c.Entry.Name, c.Effect.Name)
	for _, id := range c.Layers {
		if l := v.layers[id]; l != nil {
			fmt.Fprintf(h, "\x00%s\x00%s\x00%s", l.Repository, l.Path, l.ID)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// rank orders severities: errors first.
func rank(severity string) int {
	switch severity {
	case "error":
		return 0
	case "warning":
		return 1
	case "note":
		return 2
	}
	return 3
}

// weight is a chain's attempts for ordering; without end is more than any number.
func (v *view) weight(chain string) int64 {
	c := v.chains[chain]
	if c == nil {
		return 0
	}
	if c.Attempts == "unbounded" {
		return 1<<63 - 1
	}
	return number(c.Attempts)
}
