package consumers

import (
	"context"
	"time"

	"github.com/IBM/sarama"
	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
	segment "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kgo"
)

func readSegment(ctx context.Context) error {
	r := segment.NewReader(segment.ReaderConfig{Brokers: []string{"kafka:9092"}, GroupID: "billing", Topic: "orders"})
	for {
		m, err := r.FetchMessage(ctx)
		if err != nil {
			return err
		}
		if err := post(ctx, string(m.Value)); err != nil { // want handler "kafka:orders func=example.test/consumers.post"
			continue
		}
		if err := r.CommitMessages(ctx, m); err != nil {
			return err
		}
	}
}

func readFranz(ctx context.Context) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers("kafka:9092"), kgo.ConsumerGroup("billing"), kgo.ConsumeTopics("bills"))
	if err != nil {
		return err
	}
	for {
		fetches := cl.PollFetches(ctx)
		if fetches.IsClientClosed() {
			return nil
		}
		fetches.EachRecord(func(r *kgo.Record) { // want handler "kafka:bills func=example.test/consumers.readFranz$1"
			_ = bill(ctx, r.Value)
		})
	}
}

func bill(ctx context.Context, b []byte) error { return post(ctx, string(b)) }

func readConfluent(ctx context.Context, c *kafka.Consumer) error {
	if err := c.SubscribeTopics([]string{"refunds", "returns"}, nil); err != nil {
		return err
	}
	for {
		m, err := c.ReadMessage(time.Second)
		if err != nil {
			continue
		}
		if refund(ctx, m) == nil { // want handler "kafka:refunds func=example.test/consumers.refund" want handler "kafka:returns func=example.test/consumers.refund"
			c.CommitMessage(m)
		}
	}
}

func refund(ctx context.Context, m *kafka.Message) error { return post(ctx, string(m.Value)) }

type group struct{}

func (group) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (group) Cleanup(sarama.ConsumerGroupSession) error { return nil }

func (group) ConsumeClaim(s sarama.ConsumerGroupSession, c sarama.ConsumerGroupClaim) error { // want layer "kind=queue attempts=unknown trait=assumed"
	for m := range c.Messages() {
		if err := ship(s.Context(), m.Value); err != nil { // want handler "kafka:parcels func=example.test/consumers.ship"
			return err
		}
		s.MarkMessage(m, "")
	}
	return nil
}

func ship(ctx context.Context, b []byte) error { return post(ctx, string(b)) }

func readSarama(ctx context.Context, g sarama.ConsumerGroup) error {
	for {
		if err := g.Consume(ctx, []string{"parcels"}, group{}); err != nil {
			return err
		}
	}
}

func readPartition(ctx context.Context, c sarama.Consumer) error {
	pc, err := c.ConsumePartition("labels", 0, 0)
	if err != nil {
		return err
	}
	for m := range pc.Messages() {
		_ = label(ctx, m) // want handler "kafka:labels func=example.test/consumers.label"
	}
	return nil
}

func label(ctx context.Context, m *sarama.ConsumerMessage) error { return post(ctx, string(m.Value)) }
