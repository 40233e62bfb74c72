package servers

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/retrylint/retrylint/conformance"
)

// rabbit starts a RabbitMQ with definitions; it listens at the loopback interface alone.
func (s *site) rabbit(definitions string) string {
	addr := free()
	_, port, _ := strings.Cut(addr, ":")
	_, dist, _ := strings.Cut(free(), ":")
	_, epmd, _ := strings.Cut(free(), ":")
	s.write("rabbitmq.conf", fmt.Sprintf("listeners.tcp.1 = 127.0.0.1:%s\nload_definitions = %s\n", port, s.path(definitions)))
	s.write("enabled_plugins", "[].\n")
	env := []string{"HOME=" + s.dir, "RABBITMQ_NODENAME=conformance" + port + "@localhost", "RABBITMQ_CONFIG_FILE=" + s.path("rabbitmq.conf"),
		"RABBITMQ_MNESIA_BASE=" + s.path("mnesia"), "RABBITMQ_LOG_BASE=" + s.path("log"), "RABBITMQ_LOGS=-", "RABBITMQ_ENABLED_PLUGINS_FILE=" + s.path("enabled_plugins"),
		"RABBITMQ_DIST_PORT=" + dist, "RABBITMQ_PID_FILE=" + s.path("pid"), "ERL_EPMD_PORT=" + epmd, "ERL_EPMD_ADDRESS=127.0.0.1",
		"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1} +S 1:1"}
	// The daemon that maps the names of nodes leaves the server's process group: it is a child of the site instead.
	s.serve("127.0.0.1:"+epmd, "epmd", "-address", "127.0.0.1", "-port", epmd)
	s.start(env, "/usr/lib/rabbitmq/bin/rabbitmq-server").await(addr, 90*time.Second)
	return "amqp://ledger:ledger@" + addr + "/"
}

func TestRabbitMQ(t *testing.T) {
	t.Parallel()
	if !conformance.Long() {
		t.Log("in the long form alone")
	}
	var url string
	if conformance.Long() {
		needs(t, "/usr/lib/rabbitmq/bin/rabbitmq-server", "epmd")
		s := open(t.Context(), "", "rabbitmq/queues")
		defer s.close()
		defer func() {
			if t.Failed() && len(s.procs) > 1 {
				t.Logf("%.3000s", s.procs[1].out.String())
			}
		}()
		url = s.rabbit("definitions.json")
	}
	var cases []conformance.Case
	// A message is published to a queue; each delivery is rejected, and goes back to the queue.
	add := func(name, queue, layer string) *conformance.Case {
		cases = append(cases, conformance.Case{Name: name, Repos: []string{"rabbitmq/queues"}, Layer: "queue:queues:definitions.json:rabbitmq:" + layer, Server: conformance.Nothing, Long: true,
			Run: func(ctx context.Context, _ string) error {
				c, err := amqp.Dial(url)
				must(err)
				defer c.Close()
				ch, err := c.Channel()
				must(err)
				must(ch.Qos(1, 0, false))
				must(ch.PublishWithContext(ctx, "", queue, true, false, amqp.Publishing{DeliveryMode: amqp.Persistent, Body: []byte("1")}))
				in, err := ch.Consume(queue, "", false, false, false, false, nil)
				must(err)
				for {
					select {
					case m := <-in:
						conformance.RecordOf(ctx).Add("")
						must(m.Nack(false, true))
					case <-time.After(2 * time.Second):
						return nil
					case <-ctx.Done():
						return nil
					}
				}
			}})
		return &cases[len(cases)-1]
	}
	add("a quorum queue, x-delivery-limit 2", "limit-2", "limit-2")
	add("a quorum queue, x-delivery-limit 0", "limit-0", "limit-0")
	c := add("a quorum queue without a limit, before 4.0", "no-limit", "no-limit")
	c.Stop, c.Time = 10, "a quorum queue writes each delivery to its log first."
	add("a quorum queue, delivery-limit 3 of a policy", "policed", "policed")
	conformance.Group{Name: "rabbitmq", Title: "RabbitMQ", Text: "Queues and policies come from the definitions that are scanned. Each delivery is rejected.", Cases: cases}.Test(t)
	if url == "" || t.Failed() {
		return
	}
	conn, err := amqp.Dial(url)
	must(err)
	defer conn.Close()
	ch, err := conn.Channel()
	must(err)
	if _, ok, err := ch.Get("dead-letters", true); err != nil || !ok {
		t.Errorf("the rejected message is not among the dead letters: %v", err)
	}
}
