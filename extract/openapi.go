package extract

import (
	"net/url"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "openapi",
	Title: "OpenAPI and Swagger documents",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(_ string, d *doc.Document) bool {
		return (strings.HasPrefix(d.Root.Get("openapi").Str(), "3") || strings.HasPrefix(d.Root.Get("swagger").Str(), "2")) && d.Root.Get("paths").Kind() == doc.Map
	},
	Read: readOpenAPI,
	Keys: []Key{
		{"servers[].url; host, basePath", "a name of the service that answers; the path before those of the operations", "", "", ""},
		{"paths.*.<method>.operationId", "the function that answers, where the code of the routes is generated", "", "", ""},
	},
	Doc: `Says what a service answers; nothing of it retries. Its servers are names of a service only where code of the repository serves the operations: a
caller may keep the document of somebody else's service. Operations of which no handler is found are looked for by operationId: generated code registers the
routes, and people write a method of that name.`,
	Example: `
-- api/openapi.yaml --
openapi: 3.0.3
info: {title: ledger, version: "1"}
servers:
  - url: https://{region}.ledger.example.test/v1
    variables: {region: {default: eu}}
paths:
  /entries/{id}:
    get:
      operationId: getEntry # want operation "getEntry GET /v1/entries/{id} host:eu.ledger.example.test"
  /entries:
    servers: [{url: "http://ledger.pay.svc:8080"}]
    post: # want operation "POST /entries host:ledger.pay"
      responses: {}
-- swagger.json --
{"swagger": "2.0", "host": "pay.example.test", "basePath": "/api",
 "paths": {"/refunds": {
   "post": {"operationId": "refund"}}}} // want operation "refund POST /api/refunds host:pay.example.test"
`,
})

func readOpenAPI(d *doc.Document, out *Out) {
	root := d.Root
	hosts, base := servers(root.Get("servers"))
	if h := root.Get("host"); h.Kind() == doc.Scalar {
		hosts = appendHost(hosts, h.Str())
	}
	if p := root.Get("basePath"); p.Kind() == doc.Scalar {
		base = strings.TrimSuffix(p.Str(), "/")
	}
	for _, p := range root.Get("paths").Entries() {
		in, prefix := hosts, base
		if s := p.Value.Get("servers"); s.Exists() {
			in, prefix = servers(s)
		}
		for _, o := range p.Value.Entries() {
			method := strings.ToUpper(o.Key)
			switch method {
			case "GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "OPTIONS":
			default:
				continue
			}
			op := model.Operation{Method: method, Path: prefix + p.Key, Hosts: in, At: out.KeyLoc(o.Value)}
			if id := o.Value.Get("operationId"); id.Kind() == doc.Scalar {
				op.ID, op.At = id.Str(), out.Loc(id)
			}
			if s := o.Value.Get("servers"); s.Exists() {
				var own string
				op.Hosts, own = servers(s)
				op.Path = own + p.Key
			}
			out.Operation(op)
		}
	}
}

// servers are the hosts of a list of servers, and the path of the first.
func servers(list *doc.Node) (hosts []model.Name, base string) {
	for i, s := range list.Items() {
		raw := s.Get("url").Str()
		for _, v := range s.Get("variables").Entries() {
			raw = strings.ReplaceAll(raw, "{"+v.Key+"}", v.Value.Get("default").Str())
		}
		hosts = appendHost(hosts, raw)
		if u, err := url.Parse(raw); err == nil && i == 0 {
			base = strings.TrimSuffix(u.Path, "/")
		}
	}
	return hosts, base
}

func appendHost(hosts []model.Name, raw string) []model.Name {
	if strings.HasPrefix(raw, "/") {
		return hosts
	}
	switch h := model.Host(raw, ""); h.Key {
	case "", "localhost", "127.0.0.1", "0.0.0.0":
		return hosts
	default:
		return append(hosts, h)
	}
}
