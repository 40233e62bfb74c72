// Package saramap produces with sarama.
package saramap

import (
	"context"
	"time"

	"github.com/IBM/sarama"
)

// Two counts retries.
func Two(ctx context.Context, addr string) error {
	cfg := sarama.NewConfig()
	cfg.Producer.Retry.Max = 2
	cfg.Producer.Retry.Backoff = 100 * time.Millisecond
	cfg.Producer.Return.Successes = true
	p, err := sarama.NewSyncProducer([]string{addr}, cfg)
	if err != nil {
		return err
	}
	defer p.Close()
	_, _, err = p.SendMessage(&sarama.ProducerMessage{Topic: "orders", Value: sarama.StringEncoder("x")})
	return err
}

// Default sets nothing.
func Default(ctx context.Context, addr string) error {
	cfg := sarama.NewConfig()
	cfg.Producer.Return.Successes = true
	p, err := sarama.NewSyncProducer([]string{addr}, cfg)
	if err != nil {
		return err
	}
	defer p.Close()
	_, _, err = p.SendMessage(&sarama.ProducerMessage{Topic: "orders", Value: sarama.StringEncoder("x")})
	return err
}

// Zero never repeats.
func Zero(ctx context.Context, addr string) error {
	cfg := sarama.NewConfig()
	cfg.Producer.Retry.Max = 0
	cfg.Producer.Return.Successes = true
	p, err := sarama.NewSyncProducer([]string{addr}, cfg)
	if err != nil {
		return err
	}
	defer p.Close()
	_, _, err = p.SendMessage(&sarama.ProducerMessage{Topic: "orders", Value: sarama.StringEncoder("x")})
	return err
}
