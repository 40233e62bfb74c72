package extract

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "haproxy",
	Title: "HAProxy configuration",
	Files: []string{"*.cfg", "*.conf", "*.haproxy"},
	Match: func(_ string, d *doc.Document) bool {
		return d.Syntax == doc.HAProxy && (d.Root.Get("backend").Exists() || d.Root.Get("listen").Exists() || d.Root.Get("defaults").Exists())
	},
	Read: readHAProxy,
	Keys: []Key{
		{"retries", "retries", "3, HAProxy", "1 attempt", "invalid"},
		{"retry-on", "conditions; replaces", "conn-failure, HAProxy: only what was not sent", "", ""},
		{"timeout server", "limit of one attempt; a number is milliseconds", "none", "", ""},
		{"timeout connect", "wait before the same server is tried again where the connection failed, at most 1s; a number is milliseconds", "", "", ""},
	},
	Doc: `Each backend repeats a connection that failed: retries counts retries, 3 by default, and by default only requests that were not
sent. A wider retry-on (response-timeout, 503, all-retryable-errors) sends requests of any method again, at once, unless http-request
disable-l7-retry keeps POST out. What the defaults section in force says holds where the backend is silent. The caller is the frontend, the callees are
the servers. Source: catalogue, B14.`,
	Example: `
-- haproxy.cfg --
defaults
  timeout connect 5s
  timeout server 30000

frontend web
  bind :80
  use_backend pay if { path_beg /pay }
  default_backend shop

backend shop # want layer "attempts=4 origin=default perAttempt=30s on=connect-failure factorOf=false initial=1s"
  server s1 shop-1.example.test:8080

backend pay
  retries 2 # want layer "attempts=3 on=reset,timeout method=any backoff=none"
  retry-on empty-response response-timeout
  server p1 pay-1.example.test:8080

backend bills
  retry-on response-timeout # want layer "attempts=4 on=timeout method=any"
  server b1 bills-1.example.test:8080

backend safe
  retries 0 # want layer "attempts=1 method=guarded"
  retry-on all-retryable-errors
  http-request disable-l7-retry if METH_POST
  server p1 pay-1.example.test:8080
`,
})

func readHAProxy(d *doc.Document, out *Out) {
	owner := "haproxy/" + out.Path
	sections := func(k string) []*doc.Node { return d.Root.Get(k).Many() }
	defaults := sections("defaults")
	hosts := haproxyHosts(sections("frontend"))
	for _, kind := range []string{"backend", "listen"} {
		for _, b := range sections(kind) {
			name := b.Label(0)
			if name == "" || b.Kind() != doc.Map {
				continue
			}
			route := model.Route{Name: model.N(model.SpaceRoute, owner+"#"+name), At: out.Loc(b), Owner: owner, Ingress: true, Hosts: hosts[name]}
			for _, key := range []string{"server", "server-template"} {
				for _, s := range b.Get(key).Many() {
					i := 1
					if key == "server-template" {
						i = 2
					}
					if a := s.Label(i); a != "" && !strings.ContainsAny(a, "/$@") {
						route.Dest = appendName(route.Dest, model.Host(a, ""))
					}
				}
			}
			if len(b.Get("server").Many())+len(b.Get("server-template").Many()) == 0 {
				continue
			}
			before := haproxyDefaults(defaults, b)
			route.Layer = haproxyLayer(b, before, sections("frontend"), route.Name, out).ID
			out.Route(route)
		}
	}
}

// haproxyDefaults is the defaults section in force: the one that the backend names, or the last one before it.
func haproxyDefaults(all []*doc.Node, b *doc.Node) *doc.Node {
	var found *doc.Node
	for i, w := range b.Labels() {
		if w == "from" {
			for _, d := range all {
				if d.Label(0) == b.Label(i+1) {
					return d
				}
			}
		}
	}
	for _, d := range all {
		if d.Pos().Line < b.Pos().Line {
			found = d
		}
	}
	return found
}

// haproxyHosts finds the hosts for which frontends use a backend by a plain acl "hdr(host) -i name".
func haproxyHosts(frontends []*doc.Node) map[string][]model.Name {
	out := map[string][]model.Name{}
	for _, f := range frontends {
		acls := map[string][]model.Name{}
		for _, a := range f.Get("acl").Many() {
			w := a.Labels()
			if len(w) < 3 || !strings.HasPrefix(w[1], "hdr(host)") {
				continue
			}
			for _, h := range w[2:] {
				if !strings.HasPrefix(h, "-") {
					acls[w[0]] = appendName(acls[w[0]], model.Host(h, ""))
				}
			}
		}
		for _, u := range f.Get("use_backend").Many() {
			if w := u.Labels(); len(w) == 3 && w[1] == "if" {
				out[w[0]] = append(out[w[0]], acls[w[2]]...)
			}
		}
	}
	return out
}

func haproxyLayer(b, defaults *doc.Node, frontends []*doc.Node, in model.Name, out *Out) *model.Layer {
	get := func(key string) *doc.Node {
		for _, s := range []*doc.Node{b, defaults} {
			if all := s.Get(key).Many(); len(all) > 0 {
				return all[len(all)-1]
			}
		}
		return nil
	}
	l := model.Layer{Kind: model.KindProxy, In: in, Label: "HAProxy retries", At: out.KeyLoc(b)}
	out.count(&l, get("retries"), b, counting{offset: 1, absent: model.Retries(3), by: "HAProxy: 3 retries where retries is not set", off: "retries 0"})
	p := &l.Policy
	p.On = model.OnConnect
	if n := get("retry-on"); n != nil {
		p.On = haproxyConditions(n.Labels())
		if b.Get("retry-on").Exists() && !b.Get("retries").Exists() {
			l.Call, l.At = l.At, out.KeyLoc(n) // what is said of the conditions is said here
		}
		l.Traits = append(l.Traits, haproxyMethods(append(frontends[:len(frontends):len(frontends)], b, defaults), n, out))
	}
	timeout := func(name string) model.Limit {
		n := get("timeout " + name)
		if n == nil {
			return model.Limit{}
		}
		return out.span(&l, n, "", time.Millisecond)
	}
	p.PerAttempt = timeout("server")
	// Where the connection failed the same server is asked again after the connect time-out, but not more than a second. Whatever
	// else failed is sent again at once.
	wait := time.Second
	if d, ok := timeout("connect").Duration(); ok && d < time.Second {
		wait = d
	}
	p.Backoff = model.Constant(wait)
	if p.On&model.OnConnect == 0 {
		p.Backoff = model.NoBackoff()
	}
	return out.Layer(l)
}

// haproxyMethods says whether requests that are not idempotent are sent again.
func haproxyMethods(sections []*doc.Node, retryOn *doc.Node, out *Out) model.Trait {
	for _, s := range sections {
		for _, r := range s.Get("http-request").Many() {
			if r.Label(0) == "disable-l7-retry" {
				not := "POST PUT PATCH DELETE GET HEAD"
				if words := strings.Join(r.Labels(), " "); words != "disable-l7-retry" {
					not = "" // another condition
					if words == "disable-l7-retry if METH_POST" {
						not = "POST"
					}
				}
				return guard(out.Loc(r), "http-request disable-l7-retry", not)
			}
		}
	}
	return model.Trait{Kind: model.TraitAnyMethod, At: out.Loc(retryOn), Detail: "retry-on repeats requests of any method"}
}

// haproxyConditions reads the words of retry-on. Source: catalogue, B14.
func haproxyConditions(words []string) model.Conditions {
	var on model.Conditions
	for _, w := range words {
		switch w {
		case "none":
			return 0
		case "conn-failure", "0rtt-rejected":
			on |= model.OnConnect
		case "empty-response":
			on |= model.OnReset
		case "response-timeout":
			on |= model.OnTimeout
		case "junk-response":
			on |= model.OnGateway
		case "all-retryable-errors":
			on |= model.OnConnect | model.OnReset | model.OnTimeout | model.On5xx
		default:
			if n, err := strconv.Atoi(w); err == nil {
				on |= statusCondition(n)
			}
		}
	}
	return cmp.Or(on, model.OnConnect)
}
