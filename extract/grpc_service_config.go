package extract

import (
	"fmt"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "grpc-service-config",
	Title: "gRPC service config",
	Files: []string{"*.json", "*.yaml", "*.yml"},
	Match: func(_ string, d *doc.Document) bool {
		return len(serviceConfigs(d.Root)) > 0
	},
	Read: func(d *doc.Document, out *Out) {
		for i, c := range serviceConfigs(d.Root) {
			readServiceConfig(c, i, out)
		}
	},
	Keys: []Key{
		{"methodConfig[].retryPolicy.maxAttempts", "attempts, cut down to 5", "no policy: none; required in a policy", "refused", "refused"},
		{"retryPolicy.initialBackoff, maxBackoff, backoffMultiplier", "waits, ±20% jitter", "required", "", ""},
		{"methodConfig[].timeout", "limit over all attempts", "the caller's deadline", "", ""},
		{"methodConfig[].hedgingPolicy.maxAttempts", "attempts, sent without waiting for an answer", "none", "refused", "refused"},
	},
	Doc: `The client repeats a call that failed with one of retryableStatusCodes: maxAttempts counts attempts, more than 5 are cut down, 1 and less make the
whole config void. The file may be the config itself or hold it under a key or in a string. The callee is name[].service with its method; an empty
name means every call. Throttling lowers the load, not the bound. Source: catalogue, B24.`,
	Example: `
-- service_config.json --
{
  "methodConfig": [{
    "name": [{"service": "pay.v1.Payments", "method": "Charge"}],
    "timeout": "5s",
    "retryPolicy": {
      "maxAttempts": 8, // want layer "attempts=5 initial=100ms factor=2 max=1s jitter=proportional overall=5s on=unavailable"
      "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2,
      "retryableStatusCodes": ["UNAVAILABLE"]
    }
  }]
}
-- client.yaml --
grpc:
  serviceConfig: |
    {"methodConfig": [{"name": [{"service": "stock.v1.Stock"}],
      "retryPolicy": {"maxAttempts": 3, "initialBackoff": "1s", "maxBackoff": "1s", "backoffMultiplier": 1.5, "retryableStatusCodes": ["UNAVAILABLE"]}}]} # want layer "attempts=3"
`,
})

// serviceConfigs finds service configs in a document: the root, a value one or two levels below, or a text that is one.
func serviceConfigs(root *doc.Node) []*doc.Node {
	if root.Kind() != doc.Map {
		return nil
	}
	if isServiceConfig(root) {
		return []*doc.Node{root}
	}
	var out []*doc.Node
	var visit func(n *doc.Node, depth int)
	visit = func(n *doc.Node, depth int) {
		for _, e := range n.Entries() {
			switch {
			case isServiceConfig(e.Value):
				out = append(out, e.Value)
			case e.Value.Kind() == doc.Scalar && len(e.Value.Str()) > 40 && strings.Contains(e.Value.Str(), "methodConfig"):
				for _, d := range e.Value.ParseAs(doc.JSON, doc.Limits{MaxBytes: 1 << 20}).Docs {
					if isServiceConfig(d.Root) {
						out = append(out, d.Root)
					}
				}
			case depth < 4 && e.Value.Kind() == doc.Map:
				visit(e.Value, depth+1)
			}
		}
	}
	visit(root, 0)
	return out
}

func isServiceConfig(n *doc.Node) bool {
	m := n.Get("methodConfig")
	if m.Kind() != doc.List {
		return false
	}
	for _, c := range m.Items() {
		if c.Get("retryPolicy").Exists() || c.Get("hedgingPolicy").Exists() || c.Get("name").Exists() {
			return true
		}
	}
	return false
}

func readServiceConfig(c *doc.Node, ordinal int, out *Out) {
	for i, m := range c.Get("methodConfig").Items() {
		p, what := m.Get("retryPolicy"), "gRPC retryPolicy"
		hedge := false
		if h := m.Get("hedgingPolicy"); h.Exists() {
			p, what, hedge = h, "gRPC hedgingPolicy", true
		}
		if !p.Exists() {
			continue
		}
		in := model.N(model.SpaceRoute, fmt.Sprintf("grpc/%s#%d.%d", out.Path, ordinal, i))
		l := model.Layer{Kind: model.KindRPC, In: in, Label: what}
		out.count(&l, first(p, "maxAttempts", "MaxAttempts"), p, counting{zero: refused, negative: refused, most: 5})
		l.Origin, l.DefaultBy = "", ""
		if n, ok := l.Policy.Attempts.Max(); ok && n == 1 && !hedge {
			out.Gap(p.Get("maxAttempts"), "maxAttempts: 1 makes the whole service config void")
			l.Policy.Attempts = model.Count{}
		}
		if hedge {
			l.Traits = append(l.Traits, model.Trait{Kind: model.TraitHedge, At: l.At, Detail: "attempts are sent before the first answer"})
			l.Policy.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: out.span(&l, p.Get("hedgingDelay"), model.FieldInitial, 0), Jitter: model.Jitter{Kind: model.JitterNone}}
			l.Policy.Gap = model.StartToStart
		} else {
			l.Policy.Backoff = model.Backoff{Kind: model.BackoffExponential, Initial: out.span(&l, p.Get("initialBackoff"), model.FieldInitial, 0),
				Max: out.span(&l, p.Get("maxBackoff"), model.FieldMax, 0), Jitter: model.Jitter{Kind: model.JitterProportional, Factor: model.NewRatio(1, 5)}}
			if f, ok := p.Get("backoffMultiplier").Float(); ok {
				l.Policy.Backoff.Factor = model.RatioOf(f)
			}
		}
		for _, s := range p.Get("retryableStatusCodes").Items() {
			l.Policy.On |= grpcCondition(s)
		}
		l.Policy.Overall = out.span(&l, m.Get("timeout"), model.FieldOverall, 0)
		if c.Get("retryThrottling").Exists() {
			l.Traits = append(l.Traits, model.Trait{Kind: model.TraitBudget, At: out.Loc(c.Get("retryThrottling")), Detail: "retryThrottling"})
		}
		id := out.Layer(l).ID
		r := model.Route{Name: in, At: l.At, Order: i, Owner: in.Key, Mesh: true, Layer: id}
		for _, n := range m.Get("name").Items() {
			service, method := n.Get("service").Str(), n.Get("method").Str("*")
			if service != "" {
				r.Hosts = append(r.Hosts, model.N(model.SpaceGRPC, "/"+service+"/"+method))
			}
		}
		out.Route(r)
	}
}

// grpcCondition reads a status code by name or number.
func grpcCondition(n *doc.Node) model.Conditions {
	switch strings.ToUpper(n.Str()) {
	case "UNAVAILABLE", "14":
		return model.OnUnavailable
	case "RESOURCE_EXHAUSTED", "8":
		return model.On429
	case "ABORTED", "10":
		return model.OnConflict
	case "DEADLINE_EXCEEDED", "4":
		return model.OnTimeout
	case "INVALID_ARGUMENT", "3", "NOT_FOUND", "5", "PERMISSION_DENIED", "7", "FAILED_PRECONDITION", "9", "OUT_OF_RANGE", "11", "UNIMPLEMENTED", "12",
		"UNAUTHENTICATED", "16":
		return model.On4xx // their counterpart
	}
	return model.OnRPCOther
}
