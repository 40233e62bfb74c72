package model

import (
	"net"
	"strings"
)

// Host is the normal form of a host as a Name: "ledger.pay" for a Kubernetes Service in all its spellings, the plain lower
// case name for everything else. raw may be a URL or an address with scheme, user, port and path. namespace is that of the
// reader, or "" where it is not known. The zero Name comes back where raw holds no host.
//
// Source: catalogue, section L1.
func Host(raw, namespace string) Name {
	h := HostOf(raw)
	if h == "" {
		return Name{}
	}
	labels := strings.Split(h, ".")
	if labels[len(labels)-1] == "" || net.ParseIP(h) != nil {
		return N(SpaceHost, h)
	}
	// svc.ns.svc, svc.ns.svc.cluster.local, pod-0.svc.ns.svc...: everything from ".svc" on is the cluster's domain.
	for i := len(labels) - 1; i >= 2; i-- {
		if labels[i] == "svc" {
			return N(SpaceHost, labels[i-2]+"."+labels[i-1])
		}
	}
	if len(labels) == 1 && namespace != "" && h != "localhost" {
		return N(SpaceHost, h+"."+namespace)
	}
	return N(SpaceHost, h)
}

// HostOf cuts the host out of a URL or address: lower case, without scheme, user, port, path and trailing dot.
func HostOf(raw string) string {
	h := strings.TrimSpace(raw)
	if i := strings.Index(h, "://"); i >= 0 {
		h = strings.TrimLeft(h[i+3:], "/")
	}
	if i := strings.IndexAny(h, "/?#"); i >= 0 {
		h = h[:i]
	}
	if i := strings.LastIndexByte(h, '@'); i >= 0 {
		h = h[i+1:]
	}
	switch {
	case strings.HasPrefix(h, "["):
		h, _, _ = strings.Cut(h[1:], "]")
	case strings.Count(h, ":") == 1:
		h, _, _ = strings.Cut(h, ":")
	}
	h = strings.ToLower(strings.TrimSuffix(h, "."))
	if strings.ContainsAny(h, " \t{}$%<>\"'`,;()=") {
		return ""
	}
	return h
}

// Image is the normal form of a container image as a Name: without registry, tag and digest. References that a tool replaces by an
// image keep their form: ko://import/path, and labels of Bazel (//folder:name, @repository//folder:name).
//
// Source: catalogue, section L3.
func Image(ref string) Name {
	s := strings.TrimSpace(ref)
	if strings.HasPrefix(s, "ko://") || strings.HasPrefix(s, "//") || strings.HasPrefix(s, "@") && strings.Contains(s, "//") {
		if strings.ContainsAny(s, " {}$") {
			return Name{}
		}
		return N(SpaceImage, s)
	}
	s, _, _ = strings.Cut(s, "@")
	if i := strings.LastIndexByte(s, ':'); i > strings.LastIndexByte(s, '/') {
		s = s[:i]
	}
	if first, rest, ok := strings.Cut(s, "/"); ok && (strings.ContainsAny(first, ".:") || first == "localhost") {
		s = rest
	}
	if s == "" || strings.ContainsAny(s, " {}$") {
		return Name{}
	}
	return N(SpaceImage, strings.ToLower(s))
}
