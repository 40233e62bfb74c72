package broker

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/retrylint/retrylint/conformance"
	"github.com/retrylint/retrylint/conformance/sdk/broker/asynqq"
	"github.com/retrylint/retrylint/conformance/sdk/broker/franz"
	"github.com/retrylint/retrylint/conformance/sdk/broker/natsjs"
	"github.com/retrylint/retrylint/conformance/sdk/broker/saramap"
	"github.com/retrylint/retrylint/conformance/sdk/broker/watermillm"
)

// kafka answers each request to produce with "timed out", which clients may repeat.
var kafka = conformance.Server{Name: "REQUEST_TIMED_OUT", Start: func(r *conformance.Record) (string, func(), error) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
	if err != nil {
		return "", nil, err
	}
	c.ControlKey(kmsg.Produce.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		r.Add("")
		in := req.(*kmsg.ProduceRequest)
		out := in.ResponseKind().(*kmsg.ProduceResponse)
		for _, t := range in.Topics {
			rt := kmsg.NewProduceResponseTopic()
			rt.Topic, rt.TopicID = t.Topic, t.TopicID
			for _, p := range t.Partitions {
				rp := kmsg.NewProduceResponseTopicPartition()
				rp.Partition, rp.ErrorCode = p.Partition, 7
				rt.Partitions = append(rt.Partitions, rp)
			}
			out.Topics = append(out.Topics, rt)
		}
		return out, nil, true
	})
	return c.ListenAddrs()[0], c.Close, nil
}}

// noStream is a NATS server on which nobody answers a request.
func noStream() conformance.Server {
	s := conformance.Listener("no responders", func(c net.Conn, r *conformance.Record) {
		fmt.Fprintf(c, "INFO {\"server_id\":\"x\",\"version\":\"2.10.0\",\"headers\":true,\"max_payload\":1048576,\"proto\":1}\r\n")
		in := bufio.NewReader(c)
		subs := map[string]string{} // subject -> id
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			f := strings.Fields(line)
			if len(f) == 0 {
				continue
			}
			switch strings.ToUpper(f[0]) {
			case "PING":
				fmt.Fprint(c, "PONG\r\n")
			case "SUB":
				subs[f[1]] = f[len(f)-1]
			case "PUB", "HPUB":
				r.Add("")
				n, _ := strconv.Atoi(f[len(f)-1])
				_, _ = io.CopyN(io.Discard, in, int64(n)+2)
				reply := f[2]
				for subject, id := range subs {
					if strings.HasPrefix(reply, strings.TrimRight(subject, "*>")) {
						fmt.Fprintf(c, "HMSG %s %s 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", reply, id)
					}
				}
			}
		}
	})
	start := s.Start
	s.Start = func(r *conformance.Record) (string, func(), error) {
		addr, stop, err := start(r)
		return "nats://" + addr, stop, err
	}
	return s
}

// queue is a Redis of its own beside an HTTP server that always fails.
func queue() conformance.Server {
	http := conformance.HTTP(conformance.Answer{})
	return conformance.Server{Name: "503", Start: func(r *conformance.Record) (string, func(), error) {
		m, err := miniredis.Run()
		if err != nil {
			return "", nil, err
		}
		url, stop, err := http.Start(r)
		return m.Addr() + " " + url, func() { stop(); m.Close() }, err
	}}
}

// soon ends a program that would wait for more work.
func soon(d time.Duration, run func(context.Context, string) error) func(context.Context, string) error {
	return func(ctx context.Context, addr string) error {
		ctx, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		return run(ctx, addr)
	}
}

func TestBrokers(t *testing.T) {
	conformance.Group{Name: "broker", Title: "Brokers and queues", Cases: []conformance.Case{
		{Name: "sarama: nothing set", Run: saramap.Default, Server: kafka},
		{Name: "sarama: Producer.Retry.Max 2", Run: saramap.Two, Server: kafka},
		{Name: "sarama: Producer.Retry.Max 0", Run: saramap.Zero, Server: kafka},
		{Name: "franz-go: nothing set", Run: franz.Default, Server: kafka, Stop: 3, Time: "After a failed produce request the client asks for metadata anew, every 250 ms; the waits that grow are those of other requests."},
		{Name: "franz-go: RecordRetries(2)", Run: franz.Two, Server: kafka, Time: "A function of the code's own says how long to wait; the linter does not run it."},
		{Name: "JetStream: nothing set", Run: natsjs.Default, Layer: "natsjs.go:23", Server: noStream()},
		{Name: "JetStream: WithRetryAttempts(4)", Run: natsjs.Four, Layer: "natsjs.go:38", Server: noStream()},
		{Name: "JetStream: WithRetryAttempts(0)", Run: natsjs.Zero, Server: noStream()},
		{Name: "JetStream, old interface: RetryAttempts(3)", Run: natsjs.Old, Server: noStream()},
		{Name: "watermill: MaxRetries 3", Run: watermillm.Three},
		{Name: "watermill: MaxRetries 0", Run: watermillm.Zero, Off: true},
		{Name: "asynq: MaxRetry(3)", Run: soon(4*time.Second, asynqq.Three), Repos: []string{"asynqq"}, Entry: "asynq:ship:order", Server: queue(), Time: "The server's RetryDelayFunc is not held against the task that is enqueued; the default's waits are said."},
	}}.Test(t)
}
