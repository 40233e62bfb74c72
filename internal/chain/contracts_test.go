package chain_test

import (
	"crypto/md5"
	"encoding/hex"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/chain"
	"github.com/retrylint/retrylint/model"
)

// labels lists what answers the requests of a function.
func answers(org *model.Org, from model.Name) (out []string) {
	for _, v := range org.Vertices {
		if v.Name == from {
			for _, a := range v.Out {
				out = append(out, a.To.Label)
			}
		}
	}
	return out
}

// A .proto file gives services seen without their package its full name, and makes the gateway's requests calls of them.
func TestContractsOfRPC(t *testing.T) {
	build := func(services ...string) *model.Org {
		protos, ledger, caller := repo("protos"), repo("ledger"), repo("caller")
		for i, s := range services {
			protos.Operations = append(protos.Operations, model.Operation{ID: "Book", RPC: "/" + s + "/Book", Method: "POST", Path: "/v1/entries", At: at(protos, i+1)})
		}
		ledger.Handlers = []model.Handler{{Func: fn(ledger, "Book", false), RPC: "/Ledger/Book", At: at(ledger, 1), Dir: "server"}}
		ledger.Services = []model.Service{{Name: "ledger", Kind: "main", Node: fn(ledger, "main", false), Dir: ".", At: at(ledger, 2)}}
		f := fn(caller, "call", true)
		caller.Edges = []model.Edge{{From: f, To: model.N(model.SpaceGRPC, "/pay.Ledger/Book"), Kind: model.EdgeRequest, At: at(caller, 1)}}
		request(caller, fn(caller, "gateway", true), "http://ledger", "POST", "/v1/entries")
		return chain.Build([]*model.Facts{protos, ledger, caller}, options())
	}
	call, gateway := model.N(model.SpaceFunc, "example.test/caller.call"), model.N(model.SpaceFunc, "example.test/caller.gateway")
	org := build("pay.Ledger")
	require.Equal(t, []string{"/pay.Ledger/Book"}, answers(org, call))
	require.Equal(t, []string{"POST /v1/entries"}, answers(org, gateway))
	require.Len(t, org.Vertices, len(build("pay.Ledger", "pay.Ledger").Vertices), "a copy of the file changes nothing")
	// Two packages have a service of that name: which is meant cannot be said.
	require.NotEqual(t, []string{"/pay.Ledger/Book"}, answers(build("pay.Ledger", "shop.Ledger"), call))
}

// An OpenAPI document says under which hosts a service answers, and which method answers where generated code has the routes.
func TestContractsOfHTTP(t *testing.T) {
	host := model.Host("api.pay.example", "")
	op := func(r *model.Facts, id, method, path string, line int) model.Operation {
		return model.Operation{ID: id, Method: method, Path: path, Hosts: []model.Name{host}, At: model.Location{Repo: r.Repo.Name, Path: "openapi.yaml", Line: line}}
	}
	caller := func(path string) (*model.Facts, model.Name) {
		r := repo("caller")
		f := fn(r, "call", true)
		request(r, f, "https://api.pay.example", "POST", path)
		return r, f
	}
	server := func(patterns ...string) *model.Facts {
		r := repo("pay")
		r.Services = []model.Service{{Name: "pay", Kind: "main", Node: fn(r, "main", false), Dir: ".", At: at(r, 1)}}
		for _, p := range patterns {
			handler(r, "POST", p, fn(r, "handle", false))
		}
		return r
	}
	c, f := caller("/v1/payouts")

	beside := server("/payouts") // what stands in front of it takes /v1 away
	beside.Operations = []model.Operation{op(beside, "", "POST", "/v1/payouts", 1)}
	require.Equal(t, []string{"POST /v1/payouts"}, answers(chain.Build([]*model.Facts{c, beside}, options()), f))

	generated := server()
	generated.Operations = []model.Operation{op(generated, "post-payouts", "POST", "/v1/payouts", 1)}
	method := func(recv string) {
		n := model.N(model.SpaceFunc, "example.test/pay.("+recv+").PostPayouts")
		generated.Nodes = append(generated.Nodes, model.Node{Name: n, Kind: model.NodeFunc, Exported: true, At: at(generated, 20+len(generated.Nodes))})
	}
	without := chain.Build([]*model.Facts{c, generated}, options())
	require.NotEqual(t, []string{"POST /v1/payouts"}, answers(without, f), "nothing serves it")
	method("*PayClient")
	method("UnimplementedPay")
	method("*mockServer")
	require.NotEqual(t, []string{"POST /v1/payouts"}, answers(chain.Build([]*model.Facts{c, generated}, options()), f), "clients and doubles do not answer")
	method("*Server")
	require.Equal(t, []string{"POST /v1/payouts"}, answers(chain.Build([]*model.Facts{c, generated}, options()), f))

	// Contracts in a repository of their own belong to the one repository that serves most of them.
	contracts, pay, shop := repo("contracts"), server("/v1/payouts", "/v1/refunds"), repo("shop")
	contracts.Operations = []model.Operation{op(contracts, "", "POST", "/v1/payouts", 1), op(contracts, "", "POST", "/v1/refunds", 2), op(contracts, "", "POST", "/v1/other", 3)}
	handler(shop, "POST", "/v1/other", fn(shop, "other", false))
	require.Equal(t, []string{"POST /v1/payouts"}, answers(chain.Build([]*model.Facts{c, contracts, pay, shop}, options()), f))
	few := server("/v1/payouts")
	require.NotEqual(t, []string{"POST /v1/payouts"}, answers(chain.Build([]*model.Facts{c, contracts, few, shop}, options()), f), "one of three is not most of it")

	// A caller's copy of the document of a service that it asks gives the caller no hosts.
	c.Operations = []model.Operation{op(c, "call", "POST", "/v1/payouts", 1)}
	require.NotContains(t, answers(chain.Build([]*model.Facts{c}, options()), f), "POST /v1/payouts")
}

// What a file says of the programs in images.
func TestProgramsInImages(t *testing.T) {
	sum := md5.Sum([]byte("example.test/pay/cmd/api"))
	for _, c := range []struct {
		name, image string
		commands    []string
		builds      []model.Build
		want        string // program, "" none
	}{
		{"ko", "ko://example.test/pay/cmd/api", nil, nil, "api"},
		{"ko, another program", "ko://example.test/pay/cmd/none", nil, nil, ""},
		{"ko's name", "registry.test/api-" + hex.EncodeToString(sum[:]), nil, nil, "api"},
		{"an import path under a registry", "registry.test/example.test/pay/cmd/api", nil, nil, "api"},
		{"a label", "bazel/cmd/api:api", nil, nil, ""},
		{"a label of another repository", "@pay//cmd/api:image", nil, nil, "api"},
		{"a pipeline and a Dockerfile", "team/gate", nil, []model.Build{
			{Image: model.N(model.SpaceImage, "team/gate"), File: "Dockerfile", At: model.Location{Repo: "pay", Path: "ci.yaml", Line: 1}},
			{File: "Dockerfile", Dir: "cmd/api", At: model.Location{Repo: "pay", Path: "Dockerfile", Line: 3}}}, "api"},
		{"a pipeline alone", "team/gate", nil, []model.Build{
			{Image: model.N(model.SpaceImage, "team/gate"), Program: "worker", At: model.Location{Repo: "pay", Path: "ci.yaml", Line: 1}}}, "worker"},
		{"a program that is not there", "team/gate", nil, []model.Build{
			{Image: model.N(model.SpaceImage, "team/gate"), Program: "none", At: model.Location{Repo: "pay", Path: "ci.yaml", Line: 1}}}, ""},
		{"two programs in one image, and a command", "team/gate", []string{"/bin/worker"}, []model.Build{
			{Image: model.N(model.SpaceImage, "team/gate"), File: "Dockerfile", At: model.Location{Repo: "pay", Path: "ci.yaml", Line: 1}},
			{File: "Dockerfile", Dir: "cmd/api", Program: "api", At: model.Location{Repo: "pay", Path: "Dockerfile", Line: 3}},
			{File: "Dockerfile", Dir: "cmd/worker", Program: "worker", At: model.Location{Repo: "pay", Path: "Dockerfile", Line: 4}}}, "worker"},
		{"two programs in one image", "team/gate", nil, []model.Build{
			{Image: model.N(model.SpaceImage, "team/gate"), File: "Dockerfile", At: model.Location{Repo: "pay", Path: "ci.yaml", Line: 1}},
			{File: "Dockerfile", Dir: "cmd/api", Program: "api", At: model.Location{Repo: "pay", Path: "Dockerfile", Line: 3}},
			{File: "Dockerfile", Dir: "cmd/worker", Program: "worker", At: model.Location{Repo: "pay", Path: "Dockerfile", Line: 4}}}, ""},
		{"by name and command", "pay", []string{"worker"}, nil, "worker"},
		{"by the repository alone", "pay", nil, nil, ""},
	} {
		deploy, pay := repo("deploy"), repo("pay")
		job := model.N(model.SpaceWorkload, "job/pay/run")
		deploy.Nodes = []model.Node{{Name: job, Kind: model.NodeBatch, Entry: true, At: at(deploy, 1)}}
		deploy.Layers = []model.Layer{{ID: "job", Kind: model.KindJob, In: job, Whole: true, At: at(deploy, 2), Policy: model.Policy{Attempts: model.Exactly(7), Backoff: model.Constant(time.Second)}}}
		deploy.Services = []model.Service{{Name: "run", Kind: "job", Node: job, At: at(deploy, 1), Names: []model.Name{model.N(model.SpaceImage, c.image)}, Commands: c.commands}}
		for i, p := range []string{"api", "worker"} {
			main := model.N(model.SpaceFunc, "example.test/pay/cmd/"+p+".main")
			pay.Nodes = append(pay.Nodes, model.Node{Name: main, Kind: model.NodeMain, Label: p, At: at(pay, i+1)})
			pay.Services = append(pay.Services, model.Service{Name: p, Kind: "main", Node: main, Dir: "cmd/" + p, At: at(pay, i+1)})
		}
		pay.Builds = c.builds
		got := ""
		for _, l := range answers(chain.Build([]*model.Facts{deploy, pay}, options()), job) {
			if l == "api" || l == "worker" {
				got += l
			}
		}
		require.Equal(t, c.want, got, c.name)
	}
}
