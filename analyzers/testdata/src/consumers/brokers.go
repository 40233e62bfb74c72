package consumers

import (
	"context"
	"time"

	"cloud.google.com/go/pubsub"
	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
	"github.com/hibiken/asynq"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	amqp "github.com/rabbitmq/amqp091-go"
	"github.com/redis/go-redis/v9"
	"github.com/riverqueue/river"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
)

func google(ctx context.Context, c *pubsub.Client) error {
	sub := c.Subscription("mailer")
	return sub.Receive(ctx, func(ctx context.Context, m *pubsub.Message) { // want handler "pubsub:mailer func=example.test/consumers.google$1"
		if post(ctx, string(m.Data)) == nil {
			m.Ack()
		}
	})
}

func rabbit(ctx context.Context, ch *amqp.Channel) error {
	ds, err := ch.Consume("letters", "", false, false, false, false, nil)
	if err != nil {
		return err
	}
	for d := range ds {
		if err := letter(ctx, d.Body); err != nil { // want handler "rabbitmq:letters func=example.test/consumers.letter"
			d.Nack(false, true)
			continue
		}
		d.Ack(false)
	}
	return nil
}

func letter(ctx context.Context, b []byte) error { return post(ctx, string(b)) }

func plainNATS(ctx context.Context, nc *nats.Conn, js nats.JetStreamContext) error {
	ch := make(chan *nats.Msg, 8)
	if _, err := nc.ChanSubscribe("orders.new", ch); err != nil {
		return err
	}
	go func() {
		for m := range ch {
			_ = letter(ctx, m.Data) // want handler "nats:orders.new func=example.test/consumers.letter"
		}
	}()
	sync, err := nc.SubscribeSync("orders.old")
	if err != nil {
		return err
	}
	m, err := sync.NextMsg(time.Second)
	if err != nil {
		return err
	}
	if err := old(ctx, m); err != nil { // want handler "nats:orders.old func=example.test/consumers.old"
		return err
	}
	sub, err := js.PullSubscribe("orders.*", "biller", nats.BindStream("ORDERS"))
	if err != nil {
		return err
	}
	ms, err := sub.Fetch(10)
	if err != nil {
		return err
	}
	for _, m := range ms {
		_ = pulled(ctx, m) // want handler "nats:ORDERS/biller func=example.test/consumers.pulled"
	}
	return nil
}

func old(ctx context.Context, m *nats.Msg) error    { return post(ctx, string(m.Data)) }
func pulled(ctx context.Context, m *nats.Msg) error { return post(ctx, string(m.Data)) }

func stream(ctx context.Context, js jetstream.JetStream) error {
	s, err := js.Stream(ctx, "REPORTS")
	if err != nil {
		return err
	}
	cons, err := s.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: "mailer", MaxDeliver: 4}) // want layer "kind=queue attempts=4"
	if err != nil {
		return err
	}
	it, err := cons.Messages()
	if err != nil {
		return err
	}
	for {
		m, err := it.Next()
		if err != nil {
			return err
		}
		if report(ctx, m) == nil { // want handler "nats:REPORTS/mailer func=example.test/consumers.report"
			m.Ack()
		}
	}
}

func report(ctx context.Context, m jetstream.Msg) error { return post(ctx, string(m.Data())) }

func azure(ctx context.Context, c *azservicebus.Client) error {
	r, err := c.NewReceiverForSubscription("orders", "billing", nil)
	if err != nil {
		return err
	}
	for {
		ms, err := r.ReceiveMessages(ctx, 10, nil)
		if err != nil {
			return err
		}
		for _, m := range ms {
			if bus(ctx, m) == nil { // want handler "servicebus:orders/billing func=example.test/consumers.bus"
				r.CompleteMessage(ctx, m, nil)
			}
		}
	}
}

func bus(ctx context.Context, m *azservicebus.ReceivedMessage) error {
	return post(ctx, string(m.Body))
}

func redisStream(ctx context.Context, rdb *redis.Client) error {
	for {
		res, err := rdb.XReadGroup(ctx, &redis.XReadGroupArgs{Group: "billing", Streams: []string{"events", ">"}}).Result()
		if err != nil {
			return err
		}
		for _, s := range res {
			for _, m := range s.Messages {
				_ = event(ctx, m) // want handler "redis:events func=example.test/consumers.event"
			}
		}
	}
}

func event(ctx context.Context, m redis.XMessage) error { return post(ctx, m.ID) }

type SortArgs struct{ Items []string }

func (SortArgs) Kind() string { return "sort" }

type sorter struct {
	river.WorkerDefaults[SortArgs]
}

func (sorter) Work(ctx context.Context, j *river.Job[SortArgs]) error { // want handler "river:sort func=example.test/consumers.sorter.Work"
	return post(ctx, j.Args.Items[0])
}

func tasks(mux *asynq.ServeMux) {
	mux.HandleFunc("mail:send", mail) // want handler "asynq:mail:send func=example.test/consumers.mail"
}

func mail(ctx context.Context, t *asynq.Task) error { return post(ctx, string(t.Payload())) }

type activities struct{}

func (*activities) Charge(ctx context.Context, order string) error { return post(ctx, order) }

func Refunded(ctx context.Context, order string) error { return post(ctx, order) }

func temporal(w worker.Worker) {
	w.RegisterActivity(&activities{})                                                       // want handler "temporal:Charge func=example.test/consumers.(*activities).Charge"
	w.RegisterActivityWithOptions(Refunded, activity.RegisterOptions{Name: "refund-order"}) // want handler "temporal:refund-order func=example.test/consumers.Refunded"
}
