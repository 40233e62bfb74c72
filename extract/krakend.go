package extract

import (
	"fmt"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "krakend",
	Title: "KrakenD",
	Files: []string{"krakend*.json", "krakend*.yaml", "krakend*.yml", "krakend*.toml"},
	Match: func(_ string, d *doc.Document) bool {
		return d.Root.Get("endpoints").Kind() == doc.List || d.Root.Get("async_agent").Kind() == doc.List
	},
	Read: readKrakend,
	Keys: []Key{
		{"endpoints[].concurrent_calls", "parallel copies of each call", "1, KrakenD", "", ""},
		{"async_agent[].connection.max_retries", "connection retries", "no limit", "no limit", ""},
		{"timeout", "limit of an endpoint", "2s, KrakenD", "", ""},
	},
	Doc: `The open edition does not retry; concurrent_calls sends that many copies of each call at once, which multiplies in the same way. One endpoint
calls each of its backends. Source: catalogue, B22 (unverified).`,
	Example: `
-- krakend.json --
{"version": 3, "timeout": "3s",
 "endpoints": [
  {"endpoint": "/orders", "method": "GET",
   "concurrent_calls": 3, // want layer "attempts=3 low=true hedge backoff=none"
   "backend": [{"host": ["http://orders.example.test:8080"],
     "url_pattern": "/v1/orders"}] // want edge "GET host:orders.example.test /v1/orders timeout=3s"
  }]}
`,
})

func readKrakend(d *doc.Document, out *Out) {
	for i, e := range d.Root.Get("endpoints").Items() {
		method := strings.ToUpper(e.Get("method").Str("GET"))
		name := model.N(model.SpaceRoute, fmt.Sprintf("krakend/%s#%s %s.%d", out.Path, method, plain(e.Get("endpoint")), i))
		out.Node(model.Node{Name: name, Kind: model.NodeRoute, At: out.Loc(e.Get("endpoint").Or(e)), Label: method + " " + plain(e.Get("endpoint")), Entry: true})
		under := []string(nil)
		if n := e.Get("concurrent_calls"); n.Exists() {
			l := model.Layer{Kind: model.KindProxy, In: name, Label: "KrakenD concurrent_calls", LowConfidence: true,
				Traits: []model.Trait{{Kind: model.TraitHedge, At: out.Loc(n), Detail: "copies are sent at once"}}}
			out.count(&l, n, e, counting{zero: once, negative: once})
			l.Policy.Backoff = model.NoBackoff()
			under = append(under, out.Layer(l).ID)
		}
		timeout := e.Get("timeout").Or(d.Root.Get("timeout"))
		limit := model.For(2 * time.Second)
		if timeout.Exists() {
			limit = model.Limit{}
			if w, ok := timeout.Duration(0); ok && w > 0 {
				limit = model.For(w)
			}
		}
		for _, b := range e.Get("backend").Items() {
			for _, h := range b.Get("host").Or(d.Root.Get("host")).Many() {
				to := model.Host(h.Str(), "")
				if to.IsZero() {
					continue
				}
				pattern := b.Get("url_pattern")
				out.Edge(model.Edge{From: name, To: to, Kind: model.EdgeRequest, At: out.Loc(pattern.Or(h)), Method: strings.ToUpper(b.Get("method").Str(method)),
					Path: braces(pattern.Str()), Under: under, Timeout: limit, Label: "KrakenD backend"})
			}
		}
	}
	for i, a := range d.Root.Get("async_agent").Items() {
		if n := a.Path("connection.max_retries"); n.Exists() {
			l := model.Layer{Kind: model.KindConfig, In: model.N(model.SpaceRoute, fmt.Sprintf("krakend/%s#agent.%d", out.Path, i)), Label: "KrakenD async_agent connection", LowConfidence: true}
			out.count(&l, n, a, counting{offset: 1, zero: endless})
			l.Policy.On = model.OnConnect
			out.Layer(l)
		}
	}
}

// braces replaces the variables of a path, "/orders/{id}", by {}.
func braces(p string) string {
	parts := strings.Split(p, "/")
	for i, s := range parts {
		if strings.Contains(s, "{") {
			parts[i] = "{}"
		}
	}
	return strings.Join(parts, "/")
}
