package source

import (
	"net"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// scpLike is ssh's short form, user@host:path.
var scpLike = regexp.MustCompile(`^(?:([A-Za-z0-9_][A-Za-z0-9_.-]*)@)?([A-Za-z0-9][A-Za-z0-9_.-]+):([^:].*)$`)

// looksLikeURL tells whether an argument is an address rather than a path.
func looksLikeURL(arg string) bool {
	if strings.Contains(arg, "://") || strings.Contains(arg, "::") {
		return true
	}
	// "C:\x" is a Windows path; a host has at least two letters.
	m := scpLike.FindStringSubmatch(arg)
	return m != nil && !strings.Contains(arg[:strings.IndexByte(arg, ':')], "/")
}

// ParseURL makes a repository of an address that somebody else gave, such as a listing. Only https, and http, are taken:
// nothing on this machine can be named. An error is a [UsageError].
func ParseURL(addr string) (Repo, error) {
	if s := strings.ToLower(addr); !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") {
		return Repo{}, &UsageError{Arg: escapePath(withoutCredentials(addr)), Reason: "not an https address"}
	}
	return parseURL(addr)
}

// parseURL checks an address and makes a repository of it. Only schemes that carry nothing but data are allowed: git's
// "ext::" runs a command, "fd::" reads an open file.
func parseURL(arg string) (Repo, error) {
	shown := withoutCredentials(arg)
	refuse := func(reason string) (Repo, error) { return Repo{}, &UsageError{Arg: escapePath(shown), Reason: reason} }
	if strings.ContainsFunc(arg, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
		return refuse("control characters in the URL")
	}
	if !strings.Contains(arg, "://") {
		m := scpLike.FindStringSubmatch(arg)
		if m == nil || strings.Contains(arg, "::") || strings.HasPrefix(m[3], "-") {
			return refuse("not a URL that is read; use https, ssh or file")
		}
		return Repo{Name: baseName(m[3]), URL: arg, Kind: Remote}, nil
	}
	u, err := url.Parse(arg)
	if err != nil {
		return refuse("not a valid URL")
	}
	u.Scheme = strings.ToLower(u.Scheme)
	if _, secret := u.User.Password(); secret {
		return refuse("credentials in a URL end up in logs and are not used; give the token in the environment")
	}
	switch u.Scheme {
	case "file":
		if u.Host != "" && u.Host != "localhost" {
			return refuse("a file URL with a host")
		}
		dir := filepath.FromSlash(u.Path)
		if !filepath.IsAbs(dir) {
			return refuse("a file URL needs an absolute path")
		}
		return Repo{Name: baseName(u.Path), URL: arg, Dir: filepath.Clean(dir), Kind: Remote}, nil
	case "https", "http":
		u.User = nil
	case "ssh":
		if strings.HasPrefix(u.User.Username(), "-") {
			return refuse("not a valid user name")
		}
	default:
		return refuse("scheme " + u.Scheme + " is not read; use https, ssh or file")
	}
	if u.Hostname() == "" || strings.HasPrefix(u.Hostname(), "-") || strings.HasPrefix(u.Path, "/-") {
		return refuse("not a valid URL")
	}
	u.RawQuery, u.Fragment = "", ""
	name := baseName(u.Path)
	if name == "" {
		return refuse("the URL names no repository")
	}
	return Repo{Name: name, URL: u.String(), Kind: Remote}, nil
}

// baseName is the last element of a path or URL without ".git"; for a folder named .git it is its parent.
func baseName(p string) string {
	p = strings.TrimRight(filepath.ToSlash(p), "/")
	name := path.Base(p)
	if name == ".git" {
		name = path.Base(path.Dir(p))
	}
	if name == "." || name == "/" {
		return ""
	}
	return escapePath(strings.TrimSuffix(name, ".git"))
}

// parentName is the element before the last one.
func parentName(p string) string {
	p = strings.TrimRight(filepath.ToSlash(p), "/")
	p = strings.TrimSuffix(p, "/.git")
	if i := strings.LastIndexAny(p, "/:"); i >= 0 {
		p = strings.TrimRight(p[:i], "/")
	} else {
		return ""
	}
	if i := strings.LastIndexAny(p, "/:@"); i >= 0 {
		p = p[i+1:]
	}
	return escapePath(p)
}

// withoutCredentials removes user and password from a URL; the user of an ssh address stays, it is no secret.
func withoutCredentials(addr string) string {
	scheme, rest, ok := strings.Cut(addr, "://")
	if !ok {
		return addr
	}
	host, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, tail = rest[:i], rest[i:]
	}
	at := strings.LastIndexByte(host, '@')
	if at < 0 {
		return addr
	}
	user, _, secret := strings.Cut(host[:at], ":")
	if strings.EqualFold(scheme, "ssh") && !secret {
		return addr
	}
	if strings.EqualFold(scheme, "ssh") {
		return scheme + "://" + user + "@" + host[at+1:] + tail
	}
	return scheme + "://" + host[at+1:] + tail
}

// isLoopback tells whether a host is this machine.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
