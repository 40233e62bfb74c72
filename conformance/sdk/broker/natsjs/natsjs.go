// Package natsjs publishes to JetStream.
package natsjs

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Default sets nothing.
func Default(ctx context.Context, addr string) error {
	nc, err := nats.Connect(addr)
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	_, err = js.Publish(ctx, "orders", []byte("x"))
	return err
}

// Four counts retries.
func Four(ctx context.Context, addr string) error {
	nc, err := nats.Connect(addr)
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	_, err = js.Publish(ctx, "orders", []byte("x"), jetstream.WithRetryAttempts(4), jetstream.WithRetryWait(60*time.Millisecond))
	return err
}

// Zero never repeats.
func Zero(ctx context.Context, addr string) error {
	nc, err := nats.Connect(addr)
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	_, err = js.Publish(ctx, "orders", []byte("x"), jetstream.WithRetryAttempts(0))
	return err
}

// Old uses the older interface.
func Old(ctx context.Context, addr string) error {
	nc, err := nats.Connect(addr)
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := nc.JetStream()
	if err != nil {
		return err
	}
	_, err = js.Publish("orders", []byte("x"), nats.RetryAttempts(3), nats.RetryWait(80*time.Millisecond))
	return err
}
