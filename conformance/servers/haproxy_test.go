package servers

import (
	"context"
	"testing"
	"time"

	"github.com/retrylint/retrylint/conformance"
)

func TestHAProxy(t *testing.T) {
	t.Parallel()
	needs(t, "haproxy")
	needsRoot(t)
	var cases []conformance.Case
	add := func(name, folder, method string, server conformance.Server) *conformance.Case {
		folder = "haproxy/" + folder
		cases = append(cases, conformance.Case{Name: name, Repos: []string{folder}, Layer: "haproxy.cfg", Server: server,
			Run: func(ctx context.Context, addr string) error {
				s := open(ctx, addr, folder)
				defer s.close()
				s.serve(s.addr["pay.example.test:8080"], "haproxy", "-db", "-f", s.path("haproxy.cfg"))
				send(ctx, method, "http://"+s.addr["pay.example.test:8080"]+"/entries")
				return nil
			}})
		return &cases[len(cases)-1]
	}
	chain := func(name, folder, method string, server conformance.Server) *conformance.Case {
		c := add(name, folder, method, server)
		c.Layer, c.Entry = "", "haproxy/haproxy.cfg#ledger"
		return c
	}
	add("nothing set, connection refused", "defaults", "GET", refuses)
	add("nothing set, connection refused, POST", "defaults", "POST", refuses)
	add("timeout connect 5s, connection refused", "second", "GET", refuses)
	add("nothing set, 503", "defaults", "GET", fails).Over = "only connections that failed are repeated, and so the layer is no factor of a chain."
	add("nothing set, connection dropped", "defaults", "GET", drops).Over = "only connections that failed are repeated, and so the layer is no factor of a chain."
	add("retries 0", "retries-0", "GET", refuses)
	chain("retries 2, retry-on 503", "retries-2", "GET", fails)
	chain("retries 2, retry-on 503, POST", "retries-2", "POST", fails)
	chain("retries 2, retry-on 503, fails twice", "retries-2", "POST", twice)
	const both = "only a connection that failed is repeated after a wait."
	chain("retries 2, all-retryable-errors, connection dropped, POST", "all", "POST", drops).Time = both
	chain("retries 2, all-retryable-errors, 503", "all", "GET", fails).Time = both
	chain("retries 2, all-retryable-errors, connection refused", "all", "GET", refuses)
	c := chain("retries 2, disable-l7-retry, POST", "no-post", "POST", fails)
	c.Over, c.Time = "the configuration alone does not say which methods come; one that is not POST is repeated.", both
	chain("retry-on response-timeout", "response-timeout", "GET", hangs(2*time.Second))
	chain("retry-on empty-response", "empty", "GET", drops)
	chain("retry-on 5xx, 429", "status-429", "GET", throttles).Over = "429 is an answer."
	chain("option redispatch, retry-on 503", "redispatch", "GET", fails)
	add("option redispatch, connection refused", "redispatch-refused", "GET", refuses).Time = "another server is asked at once; the waits hold where one server is left."
	conformance.Group{Name: "haproxy", Title: "HAProxy", Cases: cases, At: 4}.Test(t)
}
