package extract

import (
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// queue is the name of a queue, topic, stream or function of a broker: "sqs:orders". Code that publishes and consumes uses
// the same names. The zero Name comes back where the name is not known.
func queue(broker, name string) model.Name {
	if name == "" || strings.ContainsAny(name, " {}$\n\"") {
		return model.Name{}
	}
	return model.N(model.SpaceQueue, broker+":"+name)
}

// lastPart is the last segment of an ARN, a queue URL or a resource name; a function's version or alias is not cut off.
func lastPart(s string) string {
	s = strings.TrimRight(strings.TrimSpace(s), "/")
	if i := strings.LastIndexAny(s, "/:"); i >= 0 {
		return s[i+1:]
	}
	return s
}

// arnQueue is what an ARN means as a queue: an SQS queue, an SNS topic, a Lambda function, a Kinesis stream, a table. The
// zero Name comes back for anything else.
func arnQueue(arn string) model.Name {
	parts := strings.SplitN(strings.TrimSpace(arn), ":", 6)
	if len(parts) < 6 || parts[0] != "arn" {
		return model.Name{}
	}
	rest := parts[5]
	switch parts[2] {
	case "sqs", "sns":
		return queue(parts[2], rest)
	case "lambda":
		_, name, _ := strings.Cut(rest, ":")
		name, _, _ = strings.Cut(name, ":")
		return queue("lambda", name)
	case "kinesis":
		return queue("kinesis", lastPart(rest))
	case "dynamodb":
		if f := strings.Split(rest, "/"); len(f) > 1 {
			return queue("dynamodb", f[1])
		}
	case "states":
		return queue("states", lastPart(rest))
	case "events":
		return queue("eventbridge", lastPart(rest))
	}
	return model.Name{}
}

// duration reads a duration that belongs to no layer: a retention, a window. The result is false where nothing is written or
// it is not known; a value of another type is a gap.
func (o *Out) duration(n *doc.Node, bare time.Duration) (time.Duration, bool) {
	if !n.Exists() || n.Kind() == doc.Null || n.Kind() == doc.Unknown {
		return 0, false
	}
	if d, ok := n.Duration(bare); ok && d >= 0 {
		return d, true
	}
	if _, def, hasDef, ok := n.Env(); ok {
		if d, isDur := doc.ParseDuration(def, bare); hasDef && isDur {
			return d, true
		}
		return 0, false
	}
	if n.Kind() == doc.Scalar && !strings.Contains(n.Str(), "{{") {
		o.Gap(n, "%s: %q is not a duration", keyName(n), n.Str())
	}
	return 0, false
}

// exists is the first of several nodes that is there, or the first.
func exists(nodes ...*doc.Node) *doc.Node {
	for _, n := range nodes {
		if n.Exists() {
			return n
		}
	}
	return nodes[0]
}

// fold finds a key of a map whatever the case of its letters and its dashes and underscores: "Retry_Limit", "retryLimit".
func fold(n *doc.Node, key string) *doc.Node {
	if v := n.Get(key); v.Exists() {
		return v
	}
	want := folded(key)
	for _, e := range n.Entries() {
		if folded(e.Key) == want {
			return e.Value
		}
	}
	return n.Get(key)
}

func folded(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '-' || r == '_' || r == '.':
			return -1
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// urlEdge makes a URL that something sends to an edge; nothing where it holds no host.
func (o *Out) urlEdge(from model.Name, url *doc.Node, e model.Edge) *model.Edge {
	h := model.Host(url.Str(), "")
	if h.IsZero() {
		return nil
	}
	e.From, e.To, e.At = from, h, o.Loc(url)
	if e.Kind == "" {
		e.Kind = model.EdgeRequest
	}
	if e.Path == "" {
		e.Path = pathOf(url.Str())
	}
	return o.Edge(e)
}

// bestEffort is the trait of telemetry.
var bestEffort = []model.Trait{{Kind: model.TraitBestEffort, Detail: "telemetry"}}
