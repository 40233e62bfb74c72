package extract

import (
	"regexp"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "protobuf",
	Title: "Protocol Buffers services",
	Files: []string{"*.proto"},
	Match: func(_ string, d *doc.Document) bool { return d.Syntax == doc.Proto && d.Root.Get("service").Exists() },
	Read:  readProtobuf,
	Keys: []Key{
		{"package, service, rpc", "the full name of a method, /package.Service/Method", "", "", ""},
		{"option (google.api.http)", "requests of HTTP that are the same call", "", "", ""},
	},
	Doc: `Says what a gRPC or Connect service answers; nothing of it retries. It gives the full name where the generated code is not in the repository, so that
caller and service of two repositories meet, and the paths under which a gateway (grpc-gateway, Envoy's transcoder) takes the same call as HTTP.`,
	Example: `
-- ledger.proto --
syntax = "proto3";
package pay.v1; // the money
message Entry { string id = 1; option deprecated = true; }
service Ledger {
  option (google.api.default_host) = "ledger.example.test";
  rpc Post(PostRequest) returns (Entry) { // want operation "Post /pay.v1.Ledger/Post POST /v1/books/{}/entries"
    option (google.api.http) = {
      post: "/v1/{parent=books/*}/entries"
      body: "*"
      additional_bindings { put: "/v1/entries" }
    };
  }
  rpc Get(GetRequest) returns (stream Entry); // want operation "Get /pay.v1.Ledger/Get"
}
`,
})

// protoVariable is a variable of a path, with what it stands for: "{name}", "{name=books/*}".
var protoVariable = regexp.MustCompile(`\{[^{}=]*(?:=([^{}]*))?\}`)

// protoPath is a path of an HTTP rule with "{}" for what is not fixed.
func protoPath(p string) string {
	p = protoVariable.ReplaceAllStringFunc(p, func(v string) string {
		if m := protoVariable.FindStringSubmatch(v); m[1] != "" {
			return m[1]
		}
		return "{}"
	})
	parts := strings.Split(p, "/")
	for i, s := range parts {
		if strings.HasPrefix(s, "*") && !strings.HasPrefix(s, "**") {
			parts[i] = "{}" + s[1:]
		}
	}
	return strings.Join(parts, "/")
}

func readProtobuf(d *doc.Document, out *Out) {
	prefix := ""
	if p := d.Root.Get("package").Str(); p != "" {
		prefix = p + "."
	}
	for _, s := range d.Root.Get("service").Many() {
		if len(s.Labels()) == 0 {
			continue
		}
		for _, r := range s.Get("rpc").Many() {
			if len(r.Labels()) == 0 {
				continue
			}
			name := r.Labels()[0]
			op := model.Operation{ID: name, RPC: "/" + prefix + s.Labels()[0] + "/" + name, At: out.Loc(r)}
			bindings := r.Get("http").Many()
			if len(bindings) == 0 {
				out.Operation(op)
			}
			for _, h := range bindings {
				verb, p, _ := strings.Cut(h.Str(), " ")
				op.Method, op.Path = verb, protoPath(p)
				out.Operation(op)
			}
		}
	}
}
