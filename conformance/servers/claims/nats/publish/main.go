// Command publish tells the stream that a batch was settled, three times at most.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func publish(ctx context.Context, js jetstream.JetStream, batch string) error {
	var last error
	for i := 0; i < 3; i++ {
		if i > 0 {
			time.Sleep(400 * time.Millisecond)
		}
		try, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		_, err := js.Publish(try, "settled.batch", []byte(batch), jetstream.WithMsgID("settled-"+batch))
		cancel()
		if err == nil {
			return nil
		}
		last = err
	}
	return last
}

func main() {
	nc, err := nats.Connect(os.Getenv("NATS_URL"))
	if err != nil {
		log.Fatal(err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		log.Fatal(err)
	}
	if err := publish(context.Background(), js, os.Getenv("BATCH")); err != nil {
		log.Fatal(err)
	}
}
