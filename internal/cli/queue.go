package cli

import (
	"context"
	"time"
)

// QueueOptions say how a queue treats its messages.
type QueueOptions struct {
	// Name is that of the scan; scans of different names do not see each other's messages.
	Name string
	// AckWait is how long a worker may be silent about a message before another one gets it.
	AckWait time.Duration
	// Attempts is how often a message is handed out, the first time included, before it becomes a dead letter.
	Attempts int
	// Dedupe is how long the queue remembers the ids of messages.
	Dedupe time.Duration
}

// Queue hands out repositories to workers, each at least once.
type Queue interface {
	// Publish puts a message in. The same id within the dedupe window is one message.
	Publish(ctx context.Context, id string, data []byte) error
	// Next waits for a message; nil where the queue stays empty for idle.
	Next(ctx context.Context, idle time.Duration) (Message, error)
	// Pending is how many messages are not done: waiting, or in the hands of a worker.
	Pending(ctx context.Context) (int, error)
	// Close ends the connection.
	Close() error
}

// Message is a message in the hands of a worker.
type Message interface {
	// Data is what was published.
	Data() []byte
	// Attempt counts how often the message has been handed out, this time included.
	Attempt() int
	// Alive tells the queue that work goes on, so that nobody else gets the message.
	Alive() error
	// Done takes the message out of the queue. It returns when the queue has confirmed it.
	Done(ctx context.Context) error
	// Again gives the message back, to be handed out again after a wait.
	Again(wait time.Duration) error
	// Dead puts the message among the dead letters with a reason.
	Dead(ctx context.Context, reason string) error
}
