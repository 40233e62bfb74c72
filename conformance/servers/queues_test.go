package servers

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/retrylint/retrylint/conformance"
)

func TestJetStream(t *testing.T) {
	t.Parallel()
	var cases []conformance.Case
	// deliveries takes one message and does with each delivery what handle says, until none came for so long.
	add := func(name, folder string, wait time.Duration, handle func(ctx context.Context, m *nats.Msg)) *conformance.Case {
		folder = "nats/" + folder
		cases = append(cases, conformance.Case{Name: name, Repos: []string{folder}, Layer: "consumer.json", Server: conformance.Nothing,
			Run: func(ctx context.Context, addr string) error {
				s := open(ctx, addr, folder)
				defer s.close()
				nc, stop := natsServer(s.dir)
				defer stop()
				natsAPI(nc, "STREAM.CREATE.ENTRIES", s.read("stream.json"))
				natsAPI(nc, "CONSUMER.DURABLE.CREATE.ENTRIES.book", s.read("consumer.json"))
				js, err := nc.JetStream()
				must(err)
				sub, err := js.PullSubscribe("entries.*", "book", nats.Bind("ENTRIES", "book"))
				must(err)
				_, err = js.Publish("entries.new", []byte("1"))
				must(err)
				for last := time.Now(); ctx.Err() == nil && time.Since(last) < wait; {
					fetch, cancel := context.WithTimeout(ctx, wait)
					ms, err := sub.Fetch(1, nats.Context(fetch))
					cancel()
					if err != nil {
						continue
					}
					last = time.Now()
					for _, m := range ms {
						conformance.RecordOf(ctx).Add("")
						handle(ctx, m)
					}
				}
				return nil
			}})
		return &cases[len(cases)-1]
	}
	silent := func(context.Context, *nats.Msg) {}
	nak := func(_ context.Context, m *nats.Msg) { must(m.Nak()) }
	later := func(_ context.Context, m *nats.Msg) { must(m.NakWithDelay(300 * time.Millisecond)) }
	add("max_deliver 4, ack_wait 200ms, no acknowledgement", "deliver-4", time.Second, silent)
	add("max_deliver 1", "deliver-1", time.Second, silent)
	add("max_deliver not set", "no-end", time.Second, silent).Stop = 8
	add("backoff 100ms 200ms 400ms, max_deliver 5", "backoff", 1500*time.Millisecond, silent)
	add("max_deliver 4, nak", "deliver-4", time.Second, nak).Time = "a nak delivers again at once, which is the code's doing."
	add("max_deliver 4, nak with a delay of 300ms", "deliver-4", time.Second, later).Time = "the delay is the code's doing."
	second := func(ctx context.Context, m *nats.Msg) {
		if len(conformance.RecordOf(ctx).Attempts()) == 2 {
			must(m.Ack())
		}
	}
	add("max_deliver 4, acknowledged at the second delivery", "deliver-4", time.Second, second).Server = conformance.Server{Name: "fails 1 times", Start: conformance.Nothing.Start}
	c := add("max_deliver 3, ack_wait not set", "defaults", 35*time.Second, silent)
	c.Stop, c.Long, c.Limit = 2, true, 2*time.Minute
	conformance.Group{Name: "jetstream", Title: "NATS JetStream", Text: "The server is embedded; streams and consumers are made of the JSON that is scanned. One message is published.", Cases: cases}.Test(t)
}
