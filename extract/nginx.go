package extract

import (
	"fmt"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "nginx",
	Title: "nginx configuration",
	Files: []string{"*.conf", "*.nginx", "*.vhost", "**/sites-available/*", "**/sites-enabled/*"},
	Match: func(_ string, d *doc.Document) bool {
		if d.Syntax != doc.Nginx {
			return false
		}
		for _, k := range []string{"http", "server", "location", "upstream", "proxy_next_upstream", "proxy_next_upstream_tries"} {
			if d.Root.Get(k).Exists() {
				return true
			}
		}
		return false
	},
	Read: func(d *doc.Document, out *Out) {
		r := nginxReader{out: out, upstreams: map[string]*doc.Node{}, owner: "nginx/" + out.Path}
		for _, b := range append([]*doc.Node{d.Root}, d.Root.Get("http").Many()...) {
			for _, u := range b.Get("upstream").Many() {
				r.upstreams[u.Label(0)] = u
			}
		}
		r.block(d.Root, nginxState{})
	},
	Keys: []Key{
		{"proxy_next_upstream_tries", "attempts, never more than the upstream has servers", "0, nginx", "no limit but the number of servers", "invalid"},
		{"proxy_next_upstream", "conditions", "error timeout, nginx", "", ""},
		{"proxy_next_upstream_timeout", "limit over all attempts; a number is seconds", "none", "none", ""},
		{"proxy_read_timeout", "limit of one attempt; a number is seconds", "60s, nginx", "", ""},
	},
	Doc: `A request that failed at one server of an upstream goes to the next, so there are at most as many attempts as servers and as
proxy_next_upstream_tries says; one server is one attempt. POST, LOCK and PATCH are repeated only with non_idempotent. No waits. The same keys
exist for grpc_, fastcgi_, uwsgi_, scgi_ and memcached_pass. Inner blocks replace what outer ones say. The caller is whoever asks for server_name,
the callee the host of proxy_pass or the servers of its upstream. A connection that was kept open (keepalive in the upstream) and broke before an answer came is tried
once more at the same server, beside what is counted here, also where there is one server. Source: catalogue, B13; the documentation of ngx_http_upstream_module.`,
	Example: `
-- nginx.conf --
http {
  upstream orders {
    server orders-a.example.test:8080;
    server orders-b.example.test:8080;
    server orders-c.example.test:8080 backup;
  }
  server {
    server_name shop.example.test;
    proxy_read_timeout 20;
    location /orders { # want layer "attempts=3 origin=default perAttempt=20s on=connect-failure,reset,timeout method=guarded"
      proxy_pass http://orders;
    }
    location /pay {
      proxy_pass http://orders;
      proxy_next_upstream error timeout http_502 non_idempotent; # want layer "attempts=2 method=any overall=30s on=connect-failure,reset,timeout,502-504"
      proxy_next_upstream_tries 2;
      proxy_next_upstream_timeout 30s;
    }
    location /all {
      proxy_pass http://orders;
      proxy_next_upstream_tries 0; # want layer "attempts=3"
    }
    location /off {
      proxy_pass http://orders;
      proxy_next_upstream off; # want layer "attempts=1 ineffective"
      proxy_next_upstream_tries 3;
    }
    location /one {
      proxy_pass http://single.example.test:8080; # want route "host:shop.example.test host:single.example.test /one"
    }
  }
}
`,
})

// nginxFamilies are the modules that pass requests on, with one set of keys each.
var nginxFamilies = []string{"proxy", "grpc", "fastcgi", "uwsgi", "scgi", "memcached"}

type nginxReader struct {
	out       *Out
	upstreams map[string]*doc.Node
	owner     string
	routes    int
}

// nginxState is what the blocks around a location say.
type nginxState struct {
	values map[string]*doc.Node
	hosts  []model.Name
	prefix string
	exact  bool
}

func (s nginxState) get(key string) *doc.Node { return s.values[key] }

func (r *nginxReader) block(b *doc.Node, outer nginxState) {
	s := outer
	s.values = map[string]*doc.Node{}
	for k, v := range outer.values {
		s.values[k] = v
	}
	for _, e := range b.Entries() {
		if strings.Contains(e.Key, "_next_upstream") || strings.HasSuffix(e.Key, "_timeout") {
			n := e.Value
			if items := n.Items(); len(items) > 0 {
				n = items[len(items)-1]
			}
			s.values[e.Key] = n
		}
	}
	for _, n := range b.Get("server_name").Many() {
		s.hosts = nil
		for _, h := range n.Labels() {
			if h != "_" && !strings.ContainsAny(h, "*~") {
				s.hosts = appendName(s.hosts, model.Host(h, ""))
			}
		}
	}
	for _, family := range nginxFamilies {
		for _, pass := range b.Get(family + "_pass").Many() {
			r.pass(family, pass, b, s)
		}
	}
	for _, k := range []string{"http", "server", "location", "if", "limit_except"} {
		for _, inner := range b.Get(k).Many() {
			t := s
			if k == "location" {
				t.prefix, t.exact = nginxLocation(inner)
			}
			r.block(inner, t)
		}
	}
}

// nginxLocation is the prefix of a location; regular expressions and names match what cannot be said.
func nginxLocation(n *doc.Node) (prefix string, exact bool) {
	switch first := n.Label(0); first {
	case "=":
		return n.Label(1), true
	case "^~":
		return n.Label(1), false
	case "~", "~*":
		return "", false
	default:
		if strings.HasPrefix(first, "@") {
			return "", false
		}
		return first, false
	}
}

func (r *nginxReader) pass(family string, pass, block *doc.Node, s nginxState) {
	target := pass.Str()
	host := model.HostOf(target)
	up := r.upstreams[host]
	if up == nil {
		up = r.upstreams[target]
	}
	route := model.Route{Name: model.N(model.SpaceRoute, fmt.Sprintf("%s#%d", r.owner, r.routes)), At: r.out.Loc(pass), Hosts: s.hosts, Order: -len(s.prefix),
		Owner: r.owner + strings.Join(hostKeys(s.hosts), ","), Ingress: true}
	r.routes++
	if s.prefix != "" && s.prefix != "/" {
		m := model.RouteMatch{Prefix: s.prefix}
		if s.exact {
			m = model.RouteMatch{Path: s.prefix}
		}
		route.Match = append(route.Match, m)
	}
	servers := int64(0)
	if up != nil {
		for _, sv := range up.Get("server").Many() {
			if len(sv.Labels()) > 0 && sv.Label(0) != "" && !strings.HasPrefix(sv.Label(0), "unix:") {
				route.Dest = appendName(route.Dest, model.Host(sv.Label(0), ""))
			}
			if !strings.Contains(sv.Str(), " down") {
				servers++
			}
		}
	} else if !strings.Contains(host, "$") {
		route.Dest = appendName(nil, model.Host(target, ""))
	}
	next, tries := s.get(family+"_next_upstream"), s.get(family+"_next_upstream_tries")
	if servers < 2 && next == nil && tries == nil {
		r.out.Route(route) // one server is one attempt
		return
	}
	l := model.Layer{Kind: model.KindProxy, In: route.Name, Label: "nginx " + family + "_next_upstream"}
	p := &l.Policy
	p.On, p.Backoff, p.Budget = model.OnConnect|model.OnReset|model.OnTimeout, model.NoBackoff(), model.BudgetGateAfter
	l.Traits = []model.Trait{guard(model.Location{}, "POST, LOCK and PATCH are repeated only with non_idempotent"+keptWords(up), nginxGuarded)}
	if next != nil {
		p.On = nginxConditions(next.Labels())
		for _, w := range next.Labels() {
			if w == "non_idempotent" {
				l.Traits = []model.Trait{{Kind: model.TraitAnyMethod, At: r.out.Loc(next), Detail: w}}
			}
		}
	}
	limit := model.Count{} // what the number of servers allows
	switch {
	case servers > 0:
		limit = model.Exactly(servers)
	case up == nil && nginxOneAddress(host):
		limit = model.Exactly(1)
	}
	off := next != nil && strings.TrimSpace(next.Str()) == "off"
	if n, ok := tries.Int(); ok && n > 1 && off {
		l.Traits = append(l.Traits, model.Trait{Kind: model.TraitIneffective, At: r.out.KeyLoc(tries), Detail: family + "_next_upstream is off, so there is one attempt whatever " + family + "_next_upstream_tries says"})
	}
	switch {
	case off:
		p.Attempts, l.At = model.Exactly(1), r.out.KeyLoc(next)
	case tries != nil:
		r.out.count(&l, tries, block, counting{negative: refused})
		if n, ok := p.Attempts.Max(); ok && n == 0 {
			p.Attempts = limit
		} else if m, known := limit.Max(); known && ok {
			p.Attempts = model.Exactly(min(n, m))
		} else if ok {
			// A name may have several addresses: at most so many, at least one.
			p.Attempts = model.Between(1, n)
		}
		l.At = r.out.KeyLoc(tries)
	default:
		p.Attempts = limit
		l.Origin, l.DefaultBy, l.OffSwitch = model.OriginDefault, "nginx: each server of the upstream is tried where nothing is set", family+"_next_upstream off;"
		l.At = r.out.KeyLoc(block)
	}
	if next != nil && !off {
		if l.Has(model.TraitAnyMethod) {
			l.Call = l.At
		}
		l.At = r.out.KeyLoc(next)
		l.Origin, l.DefaultBy = "", ""
	}
	if t := s.get(family + "_next_upstream_timeout"); t != nil {
		p.Overall = positive(r.out.span(&l, t, model.FieldOverall, time.Second))
	}
	p.PerAttempt = model.For(time.Minute)
	if t := s.get(family + "_read_timeout"); t != nil {
		p.PerAttempt = positive(r.out.span(&l, t, model.FieldPerAttempt, time.Second))
	}
	route.Layer = r.out.Layer(l).ID
	r.out.Route(route)
}

// keptWords say what happens beside the attempts that are counted.
func keptWords(up *doc.Node) string {
	if !up.Get("keepalive").Exists() {
		return ""
	}
	return "; a kept connection that broke is tried once more besides"
}

// nginxOneAddress reports whether a host can only be one address.
func nginxOneAddress(host string) bool {
	return host == "localhost" || host != "" && strings.Trim(host, "0123456789.") == ""
}

func hostKeys(names []model.Name) []string {
	var out []string
	for _, n := range names {
		out = append(out, n.Key)
	}
	return out
}
