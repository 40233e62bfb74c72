// Package queue hands out repositories through a work queue of NATS JetStream: a stream that forgets what is done, with
// one durable pull consumer that all workers share.
//
// A message is handed out again when its worker has been silent for the ack wait, and once more than Attempts says, so that
// a worker can see that the others did not survive it and make it a dead letter. Message ids are dedupe keys within the
// stream's duplicate window.
package queue

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/retrylint/retrylint/internal/cli"
)

// Open connects to nats:// or tls:// and makes the streams and the consumer where they are not there. Credentials are those
// of the file that NATS_CREDS names; an address that holds some is refused.
func Open(ctx context.Context, address string, opt cli.QueueOptions) (cli.Queue, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" {
		return nil, errors.New("queue: the address is nats://HOST:PORT or tls://HOST:PORT")
	}
	if u.User != nil {
		return nil, fmt.Errorf("queue at %s: credentials in a URL end up in logs and are not used; set NATS_CREDS", u.Host)
	}
	options := []nats.Option{nats.Name("retrylint"), nats.MaxReconnects(60), nats.ReconnectJitter(time.Second, time.Second)}
	if file := os.Getenv("NATS_CREDS"); file != "" {
		options = append(options, nats.UserCredentials(file))
	}
	conn, err := nats.Connect(address, options...)
	if err != nil {
		return nil, fmt.Errorf("queue at %s: %w", u.Host, err)
	}
	q := &queue{conn: conn, work: "retrylint." + opt.Name + ".work", dead: "retrylint." + opt.Name + ".dead"}
	if err := q.prepare(ctx, opt); err != nil {
		conn.Close()
		return nil, fmt.Errorf("queue at %s: %w", u.Host, err)
	}
	return q, nil
}

type queue struct {
	conn       *nats.Conn
	js         jetstream.JetStream
	consumer   jetstream.Consumer
	work, dead string // subjects
}

func (q *queue) prepare(ctx context.Context, opt cli.QueueOptions) (err error) {
	if q.js, err = jetstream.New(q.conn); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	stream, err := q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "RETRYLINT_" + opt.Name, Subjects: []string{q.work},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Duplicates: opt.Dedupe})
	if err != nil {
		return err
	}
	_, err = q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "RETRYLINT_" + opt.Name + "_DEAD", Subjects: []string{q.dead},
		Storage: jetstream.FileStorage, Duplicates: opt.Dedupe, MaxAge: 30 * 24 * time.Hour})
	if err != nil {
		return err
	}
	q.consumer, err = stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: "workers", AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: opt.AckWait, MaxDeliver: opt.Attempts + 1, MaxAckPending: 10_000})
	return err
}

// Publish implements cli.Queue. It is safe to repeat, since the id makes it one message.
func (q *queue) Publish(ctx context.Context, id string, data []byte) error {
	if _, err := q.js.Publish(ctx, q.work, data, jetstream.WithMsgID(id)); err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	return nil
}

// longPoll is how long one request for a message waits at the server, so that an end of the context is seen soon.
const longPoll = 2 * time.Second

// Next implements cli.Queue.
func (q *queue) Next(ctx context.Context, idle time.Duration) (cli.Message, error) {
	end := time.Now().Add(idle)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		left := time.Until(end)
		if left <= 0 {
			return nil, nil
		}
		batch, err := q.consumer.Fetch(1, jetstream.FetchMaxWait(max(min(left, longPoll), 100*time.Millisecond)))
		if err != nil {
			return nil, fmt.Errorf("queue: %w", err)
		}
		for m := range batch.Messages() {
			return &message{q, m}, nil
		}
		if err := batch.Error(); err != nil && !passing(err) {
			return nil, fmt.Errorf("queue: %w", err)
		}
	}
}

// passing are faults after which the next request may well find a message: the client connects again on its own.
func passing(err error) bool {
	return errors.Is(err, nats.ErrTimeout) || errors.Is(err, jetstream.ErrNoHeartbeat) || errors.Is(err, nats.ErrNoResponders) || errors.Is(err, nats.ErrDisconnected)
}

// Pending implements cli.Queue.
func (q *queue) Pending(ctx context.Context) (int, error) {
	info, err := q.consumer.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("queue: %w", err)
	}
	return int(info.NumPending) + info.NumAckPending, nil
}

// Close implements cli.Queue.
func (q *queue) Close() error {
	q.conn.Close()
	return nil
}

type message struct {
	q *queue
	m jetstream.Msg
}

// Data implements cli.Message.
func (m *message) Data() []byte { return m.m.Data() }

// Attempt implements cli.Message.
func (m *message) Attempt() int {
	meta, err := m.m.Metadata()
	if err != nil {
		return 1
	}
	return int(meta.NumDelivered)
}

// Alive implements cli.Message.
func (m *message) Alive() error { return m.m.InProgress() }

// Done implements cli.Message.
func (m *message) Done(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := m.m.DoubleAck(ctx); err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	return nil
}

// Again implements cli.Message.
func (m *message) Again(wait time.Duration) error {
	if wait <= 0 {
		return m.m.Nak()
	}
	return m.m.NakWithDelay(wait)
}

// Dead implements cli.Message. The dead letter is stored before the message leaves the queue; its id keeps it single if the
// worker dies in between.
func (m *message) Dead(ctx context.Context, reason string) error {
	letter := nats.NewMsg(m.q.dead)
	letter.Data = m.m.Data()
	letter.Header.Set("Retrylint-Reason", reason)
	id := m.m.Headers().Get(nats.MsgIdHdr)
	if _, err := m.q.js.PublishMsg(ctx, letter, jetstream.WithMsgID(id+"-dead")); err != nil {
		return fmt.Errorf("queue: dead letter: %w", err)
	}
	if err := m.m.TermWithReason(reason); err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	return nil
}
